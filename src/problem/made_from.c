#include "problem/made_from.h"

#include <stdint.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

enum { TEXT_MOST = 400000 }; // bytes of a file that a page shows

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static const char *language_of(const char *path) {
  if (ends_with(path, ".mo")) return "modelica";
  return ends_with(path, ".yaml") || ends_with(path, ".yml") ? "yaml" : NULL;
}

static bool is_there(const MadeFrom *m, const char *path) {
  for (int i = 0; i < m->count; i++)
    if (strcmp(m->at[i].path, path) == 0) return true;
  return false;
}

static void add_file(Arena *a, MadeFrom *m, const char *path) {
  if (!path || is_there(m, path) || file_kind(path) != FILE_REGULAR) return;
  Arena *scratch = arena_new();
  Err err = {0};
  SourceFile f = {.path = path, .language = language_of(path)};
  char *bytes = file_read(scratch, path, SIZE_MAX / 2, &f.length, &err);
  if (bytes) {
    Sha256 hash = sha256_of(bytes, f.length);
    sha256_print(&hash, f.hash);
    if (f.language && f.length <= TEXT_MOST) f.text = arena_copy(a, bytes, f.length);
    array_push(a, m, f);
  }
  arena_free(scratch);
}

// Not by file_read: sets of files never keep the content of what is executed.
static void add_closed(Arena *a, MadeFrom *m, const char *path) {
  SourceFile f = {.path = path, .closed = true};
  Sha256 hash;
  if (!path || !file_set_hash(path, &hash)) return;
  sha256_print(&hash, f.hash);
  array_push(a, m, f);
}

static void add_text(Arena *a, MadeFrom *m, const Source *s, const char *language) {
  if (is_there(m, s->name)) return;
  SourceFile f = {.path = s->name, .language = language, .length = s->length};
  Sha256 hash = sha256_of(s->text, s->length);
  sha256_print(&hash, f.hash);
  if (s->length <= TEXT_MOST) f.text = arena_copy(a, s->text, s->length);
  array_push(a, m, f);
}

// The hash of its names and numbers.
static void add_table(Arena *a, MadeFrom *m, const Table *t) {
  if (is_there(m, t->file)) return;
  SourceFile f = {.path = t->file};
  Text all;
  text_init(&all);
  for (int c = 0; c < t->columns; c++) {
    text_add_bytes(&all, t->names[c], strlen(t->names[c]) + 1);
    text_add_bytes(&all, (const char *)t->column[c], (size_t)t->rows * sizeof *t->column[c]);
  }
  f.length = (size_t)t->rows * (size_t)t->columns * sizeof(double);
  Sha256 hash = sha256_of(all.at, all.length);
  text_done(&all);
  sha256_print(&hash, f.hash);
  array_push(a, m, f);
}

// The texts of the model and of libraries that it uses; what the program brings along is no file.
static void add_sources(Arena *a, MadeFrom *m, const Source *s, bool in_memory) {
  if (!s) return;
  if (in_memory)
    add_text(a, m, s, "modelica");
  else
    add_file(a, m, s->name);
  for (int i = 0; s->together && i < s->together->at.count; i++)
    if (s->together->at.at[i] != s) add_file(a, m, s->together->at.at[i]->name);
}

MadeFrom made_from(Arena *a, const Problem *p) {
  MadeFrom m = {0};
  if (p->in_memory)
    add_text(a, &m, p->in_memory, "yaml");
  else
    add_file(a, &m, p->path);
  if (p->closed && !p->model_in_memory)
    add_closed(a, &m, p->model_path);
  else if (!p->closed && p->model && p->model->flat)
    add_sources(a, &m, p->model->flat->source, p->model_in_memory);
  for (const Problem *one = p; one; one = one->validation)
    for (int e = 0; e < one->experiment_count; e++) {
      const Experiment *x = &one->experiments[e];
      if (x->in_memory)
        add_table(a, &m, x->in_memory);
      else
        add_file(a, &m, x->file);
    }
  return m;
}
