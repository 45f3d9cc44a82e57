// A model from its text, for tests of the model layer.
#pragma once
#include <stdint.h>
#include <string.h>

#include "instance/flat_model.h"
#include "lang/parse.h"
#include "model/model_build.h"
#include "test.h"

typedef struct Loaded {
  Arena *arena;
  Model *m; // NULL: see err
  Err err;
} Loaded;

static inline void load_source(Loaded *l, const Source *s) {
  const AstModel *ast = s ? parse_model(l->arena, s, &l->err) : NULL;
  l->m = ast ? model_new(s, ast, NULL, 0, &l->err) : NULL;
}

static inline Loaded load(const char *text) {
  Loaded l = {.arena = arena_new()};
  load_source(&l, source_new(l.arena, "<text>", text, strlen(text), &l.err));
  return l;
}

static inline Loaded load_good(const char *text) {
  Loaded l = load(text);
  if (!l.m) fail_msg("%d:%d: %s\n%s", l.err.line, l.err.column, l.err.text, l.err.excerpt);
  return l;
}

static inline void unload(Loaded *l) {
  model_free(l->m);
  arena_free(l->arena);
}

static inline double uniform(uint64_t *seed, double least, double most) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return least + (most - least) * (double)(*seed >> 11) / 9007199254740992.0;
}

// The model is refused at this line with these words.
static inline void refused(const char *text, int line, const char *words) {
  Loaded l = load(text);
  if (l.m) fail_msg("accepted: %s", text);
  if (!strstr(l.err.text, words)) fail_msg("'%s' is not in: %s", words, l.err.text);
  if (l.err.line != line) fail_msg("line %d, not %d: %s", l.err.line, line, l.err.text);
  unload(&l);
}
