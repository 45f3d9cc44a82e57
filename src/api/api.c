// The public library, include/entrain.h: errors, options and pictures.
#include "api/api.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/patience.h"
#include "base/pool.h"
#include "base/visible.h"
#include "draw/figure_cairo.h"
#include "draw/figure_svg.h"
#include "report/fit_settings.h"

const char *entrain_version(void) {
  return ENTRAIN_VERSION;
}

int entrain_version_number(void) {
  return ENTRAIN_VERSION_NUMBER;
}

int entrain_abi(void) {
  return ENTRAIN_ABI;
}

void entrain_on_out_of_memory(EntrainMemoryHandler *handler) {
  memory_on_failure(handler);
}

// ---------------------------------------------------------------- structs

bool api_give(void *out, const void *full, size_t known) {
  size_t size;
  if (!out) return false;
  memcpy(&size, out, sizeof size);
  if (size < sizeof size) return false;
  size_t end = size < known ? size : known;
  memcpy((char *)out + sizeof size, (const char *)full + sizeof size, end - sizeof size);
  return true;
}

bool api_take(void *full, size_t known, const void *given, const char *type, Err *err) {
  size_t size;
  const char *bytes = given;
  memcpy(&size, given, sizeof size);
  if (size < sizeof size)
    return fail(err, ERR_USAGE, "size of an %s must be sizeof(%s), here %zu, not %zu", type, type,
                known, size);
  for (size_t i = known; i < size; i++)
    if (bytes[i])
      return fail(err, ERR_USAGE,
                  "an %s has members that this version of the library, " ENTRAIN_VERSION
                  ", does not know; they must be 0",
                  type);
  memset(full, 0, known);
  memcpy(full, given, size < known ? size : known);
  memcpy(full, &known, sizeof known);
  return true;
}

bool api_give_failure(const FitFailure *list, int count, int i, EntrainFailure *out) {
  if (i < 0 || i >= count) return false;
  const FitFailure *f = &list[i];
  return API_GIVE(out, EntrainFailure, .reason = f->reason, .count = f->count, .values = f->x,
                  .log = f->log ? f->log : "");
}

// ---------------------------------------------------------------- errors

enum { FIRST_ERROR_SIZE = 1464 }; // of version 0.1

// Callers that set an EntrainError to 0 all over have one of version 0.1.
static size_t size_of_error(const EntrainError *e) {
  return e->size ? e->size : FIRST_ERROR_SIZE;
}

void api_publish(const Err *err, EntrainError *out) {
  if (!out) return;
  EntrainError full = {.size = size_of_error(out),
                       .code = (int)err->code,
                       .exit_status = err_exit_status(err->code),
                       .line = err->line,
                       .column = err->column};
  memcpy(full.file, err->file, sizeof full.file);
  memcpy(full.text, err->text, sizeof full.text);
  memcpy(full.excerpt, err->excerpt, sizeof full.excerpt);
  out->size = full.size;
  api_give(out, &full, sizeof full);
}

bool api_fine(const Err *err, EntrainError *out) {
  api_publish(err, out);
  return err->code == ERR_NONE;
}

bool api_missing(const char *what, EntrainError *error) {
  Err err = {0};
  fail(&err, ERR_USAGE, "no %s is given", what);
  return api_fine(&err, error);
}

void *api_none(const char *what, EntrainError *error) {
  api_missing(what, error);
  return NULL;
}

int api_size(int given) {
  enum { MOST = 2000 };
  return given < 0 ? 0 : given > MOST ? MOST : given;
}

PageStyle api_style(int width, bool colour) {
  return (PageStyle){width == ENTRAIN_HTML ? PAGE_HTML : api_size(width), colour};
}

int entrain_error_format(const EntrainError *error, char *out, size_t size) {
  if (!out) size = 0;
  if (!error) {
    if (size) out[0] = 0;
    return 0;
  }
  EntrainError e = {0};
  size_t known = size_of_error(error);
  memcpy(&e, error, known < sizeof e ? known : sizeof e);
  Err err = {.code = (ErrCode)e.code, .line = e.line, .column = e.column};
  memcpy(err.file, e.file, sizeof err.file - 1); // a text that is not closed ends there
  memcpy(err.text, e.text, sizeof err.text - 1);
  memcpy(err.excerpt, e.excerpt, sizeof err.excerpt - 1);
  char whole[1600];
  err_format(&err, whole, sizeof whole);
  size_t length = strlen(whole), shown = size == 0 ? 0 : length < size ? length : size - 1;
  if (size) memcpy(out, whole, shown), out[shown] = 0;
  return (int)length;
}

void entrain_text_free(char *text) {
  free(text);
}

char *entrain_text_visible(const char *text) {
  Arena *a = arena_new();
  Text t;
  text_init(&t);
  text_add(&t, visible(a, text ? text : ""));
  arena_free(a);
  return t.at;
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

// ---------------------------------------------------------------- stopping

static _Thread_local Patience around_all;

void entrain_goes_on(EntrainGoesOn *goes_on, void *data) {
  Patience *before = patience_swap(NULL);
  around_all = (Patience){.goes_on = goes_on, .data = data, .of_thread = true};
  patience_begin(&around_all);
  if (before != NULL && before != &around_all) patience_swap(before); // within a computation
}

// ---------------------------------------------------------------- options

int entrain_threads(void) {
  return pool_cores();
}

EntrainOptions *entrain_options_new(void) {
  EntrainOptions *o = must_have(calloc(1, sizeof *o));
  simulate_options_init(&o->simulate);
  fit_options_init(&o->fit);
  return o;
}

void entrain_options_free(EntrainOptions *o) {
  free(o);
}

static bool fail_unknown_option(const char *name, Err *err) {
  enum { MOST = 128 };
  const char *all[MOST];
  ENTRAIN_STRUCT(EntrainOption, option);
  int count = 0;
  for (int i = 0; count < MOST && entrain_option(i, &option); i++) all[count++] = option.name;
  const char *near = nearest_name(name, all, count);
  if (near) return fail(err, ERR_OPTION, "unknown option '%s'; did you mean '%s'?", name, near);
  return fail(err, ERR_OPTION, "unknown option '%s'; 'entrain options' lists them", name);
}

bool entrain_options_set(EntrainOptions *o, const char *name, const char *value,
                         EntrainError *error) {
  if (!o) return api_missing("options", error);
  if (!name) return api_missing("name", error);
  if (!value) return api_missing("value", error);
  Err err = {0};
  if (options_find(&SIMULATE_OPTIONS, name))
    options_set(&SIMULATE_OPTIONS, &o->simulate, name, value, &err);
  else if (options_find(&FIT_OPTIONS, name))
    options_set(&FIT_OPTIONS, &o->fit, name, value, &err);
  else
    fail_unknown_option(name, &err);
  return api_fine(&err, error);
}

int entrain_option_count(void) {
  return SIMULATE_OPTIONS.count + FIT_OPTIONS.count;
}

static EntrainOptionGroup group_of(const OptionRow *row, bool of_fit) {
  static const char *const NOISE[] = {
      "noise", "noise_kind", "noise_correlation", "noise_slow_share", "quantum", "trials"};
  for (size_t i = 0; i < sizeof NOISE / sizeof *NOISE; i++)
    if (strcmp(row->name, NOISE[i]) == 0) return ENTRAIN_OPTION_NOISE;
  return of_fit ? ENTRAIN_OPTION_FIT : ENTRAIN_OPTION_SIMULATION;
}

bool entrain_option(int i, EntrainOption *out) {
  if (i < 0 || i >= entrain_option_count()) return false;
  bool of_fit = i >= SIMULATE_OPTIONS.count;
  const OptionRow *row =
      of_fit ? &FIT_OPTIONS.rows[i - SIMULATE_OPTIONS.count] : &SIMULATE_OPTIONS.rows[i];
  return API_GIVE(out, EntrainOption, row->name, option_type_name(row), row->default_text,
                  row->range, row->meaning, group_of(row, of_fit), fit_default_text(row));
}

// ---------------------------------------------------------------- pictures

char *api_svg(const Figure *f, Arena *a) {
  Text t = {0};
  if (f) {
    text_init(&t);
    figure_svg(f, &t);
  }
  arena_free(a);
  return t.at;
}

typedef bool FigureWriter(const Figure *f, Text *out, Err *err);

static char *bytes_of(const Figure *f, Arena *a, FigureWriter *write, size_t *length) {
  Text t = {0};
  if (f) {
    text_init(&t);
    if (!write(f, &t, NULL)) text_done(&t);
  }
  arena_free(a);
  if (length) *length = t.length;
  return t.at;
}

static bool write_png(const Figure *f, Text *out, Err *err) {
  static const double PIXELS_PER_POINT = 2; // 192 for each inch
  return figure_png(f, PIXELS_PER_POINT, out, err);
}

char *api_png(const Figure *f, Arena *a, size_t *length) {
  return bytes_of(f, a, write_png, length);
}

char *api_pdf(const Figure *f, Arena *a, size_t *length) {
  return bytes_of(f, a, figure_pdf, length);
}
