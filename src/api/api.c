// The public library, include/entrain.h: errors and options.
#include "api/api.h"

#include <stdlib.h>
#include <string.h>

const char *entrain_version(void) {
  return "0.1.0";
}

// ---------------------------------------------------------------- errors

void api_publish(const Err *err, EntrainError *out) {
  if (!out) return;
  out->code = (int)err->code;
  out->exit_status = err_exit_status(err->code);
  out->line = err->line, out->column = err->column;
  memcpy(out->file, err->file, sizeof out->file);
  memcpy(out->text, err->text, sizeof out->text);
  memcpy(out->excerpt, err->excerpt, sizeof out->excerpt);
}

// Publishes what went wrong; true when nothing did.
bool api_fine(const Err *err, EntrainError *out) {
  api_publish(err, out);
  return err->code == ERR_NONE;
}

int entrain_error_format(const EntrainError *error, char *out, size_t size) {
  Err err = {.code = (ErrCode)error->code, .line = error->line, .column = error->column};
  memcpy(err.file, error->file, sizeof err.file);
  memcpy(err.text, error->text, sizeof err.text);
  memcpy(err.excerpt, error->excerpt, sizeof err.excerpt);
  char whole[1600];
  err_format(&err, whole, sizeof whole);
  size_t length = strlen(whole), shown = size == 0 ? 0 : length < size ? length : size - 1;
  if (size) memcpy(out, whole, shown), out[shown] = 0;
  return (int)length;
}

void entrain_text_free(char *text) {
  free(text);
}

bool api_unknown_name(const Names *names, const char *what, const char *name, Err *err) {
  Arena *scratch = arena_new();
  int n = names_count(names);
  const char **all = ARENA_ARRAY(scratch, const char *, n + 1);
  for (int i = 0; i < n; i++) all[i] = names_at(names, i);
  const char *near = nearest_name(name, all, n);
  if (near)
    fail(err, ERR_NAME, "there is no %s '%s'; did you mean '%s'?", what, name, near);
  else
    fail(err, ERR_NAME, "there is no %s '%s'", what, name);
  arena_free(scratch);
  return false;
}

// ---------------------------------------------------------------- options

EntrainOptions *entrain_options_new(void) {
  EntrainOptions *o = calloc(1, sizeof *o);
  if (o) simulate_options_init(&o->simulate);
  return o;
}

void entrain_options_free(EntrainOptions *o) {
  free(o);
}

bool entrain_options_set(EntrainOptions *o, const char *name, const char *value,
                         EntrainError *error) {
  Err err = {0};
  options_set(&SIMULATE_OPTIONS, &o->simulate, name, value, &err);
  return api_fine(&err, error);
}

int entrain_option_count(void) {
  return SIMULATE_OPTIONS.count;
}

bool entrain_option(int i, EntrainOption *out) {
  if (i < 0 || i >= SIMULATE_OPTIONS.count) return false;
  const OptionRow *row = &SIMULATE_OPTIONS.rows[i];
  *out = (EntrainOption){row->name, option_type_name(row), row->default_text, row->range,
                         row->meaning};
  return true;
}
