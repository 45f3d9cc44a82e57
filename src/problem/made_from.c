#include "problem/made_from.h"

#include <stdint.h>
#include <string.h>

#include "base/file.h"

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

// The texts of the model and of libraries that it uses; what the program brings along is no file.
static void add_sources(Arena *a, MadeFrom *m, const Source *s) {
  if (!s) return;
  add_file(a, m, s->name);
  for (int i = 0; s->together && i < s->together->at.count; i++)
    add_file(a, m, s->together->at.at[i]->name);
}

MadeFrom made_from(Arena *a, const Problem *p) {
  MadeFrom m = {0};
  add_file(a, &m, p->path);
  if (p->closed)
    add_closed(a, &m, p->model_path);
  else if (p->model && p->model->flat)
    add_sources(a, &m, p->model->flat->source);
  for (const Problem *one = p; one; one = one->validation)
    for (int e = 0; e < one->experiment_count; e++) add_file(a, &m, one->experiments[e].file);
  return m;
}
