// A text as a flat model, and its numbers by an evaluation that shares nothing with the program.
#pragma once
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "instance/flat_model.h"
#include "lang/ast_print.h"
#include "test.h"

typedef struct Draw { // splitmix64
  uint64_t state;
} Draw;

static inline uint64_t draw_bits(Draw *d) {
  uint64_t z = d->state += 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}

static inline int draw_below(Draw *d, int n) {
  return (int)(draw_bits(d) % (uint64_t)n);
}

static inline double draw_number(Draw *d) { // a few digits, so that texts hold it
  return (draw_below(d, 401) - 200) / 8.0;
}

// NULL and the sentence in err if it is refused.
static inline const AstModel *flat_try(Arena *a, const char *text, Err *err) {
  const Source *s = source_new(a, "<text>", text, strlen(text), err);
  return s ? parse_model(a, s, err) : NULL;
}

static inline const AstModel *flat_new(Arena *a, const char *text) {
  Err err = {0};
  const AstModel *m = flat_try(a, text, &err);
  if (!m) fail_msg("%d:%d: %s\n%s", err.line, err.column, err.text, text);
  return m;
}

static inline const char *flat_text(Arena *a, const AstModel *m) {
  Text out;
  text_init(&out);
  ast_print_model(&out, m);
  const char *copy = arena_copy(a, out.at, out.length);
  text_done(&out);
  return copy;
}

// Both texts are the same flat model.
static inline void assert_flat_equal(const char *text, const char *other) {
  Arena *a = arena_new();
  const char *one = flat_text(a, flat_new(a, text)), *two = flat_text(a, flat_new(a, other));
  if (strcmp(one, two) != 0) print_error("%s\n----\n%s\n", text, other);
  assert_string_equal(one, two);
  arena_free(a);
}

// The sentence contains `says`.
static inline void assert_refused(const char *text, int line, const char *says) {
  Arena *a = arena_new();
  Err err = {0};
  const AstModel *m = flat_try(a, text, &err);
  if (m) fail_msg("accepted: %s", text);
  if (!strstr(err.text, says)) fail_msg("'%s' is not in '%s'", says, err.text);
  assert_int_equal(err.line, line);
  arena_free(a);
}

// ---- numbers: every variable has a binding or an equation `name = expression` ----

typedef struct Numbers {
  const AstModel *model;
  double time;
  int depth;
} Numbers;

static inline double number_of(Numbers *n, const Ast *e);

static inline double number_of_name(Numbers *n, const char *name) {
  const AstModel *m = n->model;
  if (strcmp(name, "time") == 0) return n->time;
  if (++n->depth > 2000) fail_msg("'%s' depends on itself", name);
  const Ast *value = NULL;
  for (int i = 0; i < m->declarations.count; i++)
    if (strcmp(m->declarations.at[i].name, name) == 0) value = m->declarations.at[i].binding;
  for (int i = 0; i < m->equations.count && !value; i++)
    if (m->equations.at[i].left->kind == AST_NAME &&
        strcmp(m->equations.at[i].left->name, name) == 0)
      value = m->equations.at[i].right;
  if (!value) fail_msg("'%s' has no value", name);
  double v = number_of(n, value);
  n->depth--;
  return v;
}

static inline double number_of_call(Numbers *n, const Ast *e) {
  double x = e->arg_count ? number_of(n, e->args[0]) : 0;
  double y = e->arg_count > 1 ? number_of(n, e->args[1]) : 0;
  if (strcmp(e->name, "noEvent") == 0) return x;
  if (strcmp(e->name, "sin") == 0) return sin(x);
  if (strcmp(e->name, "cos") == 0) return cos(x);
  if (strcmp(e->name, "tanh") == 0) return tanh(x);
  if (strcmp(e->name, "abs") == 0) return fabs(x);
  if (strcmp(e->name, "min") == 0) return y < x ? y : x;
  if (strcmp(e->name, "max") == 0) return y > x ? y : x;
  fail_msg("a call of %s", e->name);
  return 0;
}

static inline double number_of(Numbers *n, const Ast *e) {
  if (e->kind == AST_NUMBER || e->kind == AST_BOOL) return e->number;
  if (e->kind == AST_NAME) return number_of_name(n, e->name);
  if (e->kind == AST_CALL) return number_of_call(n, e);
  if (e->kind == AST_IF) return number_of(n, e->args[number_of(n, e->args[0]) != 0 ? 1 : 2]);
  double x = number_of(n, e->args[0]);
  if (e->kind == AST_UNARY) return e->op == AST_MINUS ? -x : e->op == AST_NOT ? x == 0 : x;
  double y = number_of(n, e->args[1]);
  switch (e->op) {
  case AST_PLUS: return x + y;
  case AST_MINUS: return x - y;
  case AST_TIMES: return x * y;
  case AST_DIVIDE: return x / y;
  case AST_POWER: return pow(x, y);
  case AST_LESS: return x < y;
  case AST_LESS_EQUAL: return x <= y;
  case AST_GREATER: return x > y;
  case AST_GREATER_EQUAL: return x >= y;
  case AST_EQUAL: return x == y;
  case AST_NOT_EQUAL: return x != y;
  case AST_AND: return x != 0 && y != 0;
  case AST_OR: return x != 0 || y != 0;
  default: fail_msg("an operator"); return 0;
  }
}

static inline double flat_number(const AstModel *m, const char *name, double time) {
  Numbers n = {m, time, 0};
  return number_of_name(&n, name);
}
