// Random functions: their statements as text, and run here.
#pragma once
#include "flattened.h"

enum { STATEMENT_VARIABLES = 4 };

typedef struct Running {
  Arena *arena;
  Draw draw;
  bool loops, choices;
  const char *text;
} Running;

// A random expression over u and v1..v4, evaluated at the same time. Numbers stay small: tanh at each step.
typedef struct Tree {
  int kind, a;
  double number;
  struct Tree *left, *right;
} Tree;

static inline Tree *tree_random(Running *r, int depth) {
  Tree *t = ARENA_NEW(r->arena, Tree);
  t->kind = depth > 0 ? draw_below(&r->draw, 6) : draw_below(&r->draw, 2);
  t->a = draw_below(&r->draw, STATEMENT_VARIABLES + 1);
  t->number = draw_number(&r->draw);
  if (t->kind >= 2) t->left = tree_random(r, depth - 1);
  if (t->kind >= 3) t->right = tree_random(r, depth - 1);
  return t;
}

static inline double tree_value(const Tree *t, const double *v) {
  switch (t->kind) {
  case 0: return t->number;
  case 1: return v[t->a];
  case 2: return sin(tree_value(t->left, v));
  case 3: return tree_value(t->left, v) + tree_value(t->right, v);
  case 4: return tree_value(t->left, v) - tree_value(t->right, v);
  default: return tanh(tree_value(t->left, v) * tree_value(t->right, v));
  }
}

static inline const char *tree_text(Arena *a, const Tree *t) {
  switch (t->kind) {
  case 0: return arena_print(a, t->number < 0 ? "(%g)" : "%g", t->number);
  case 1: return t->a ? arena_print(a, "v%d", t->a) : "u";
  case 2: return arena_print(a, "sin(%s)", tree_text(a, t->left));
  case 3: return arena_print(a, "(%s + %s)", tree_text(a, t->left), tree_text(a, t->right));
  case 4: return arena_print(a, "(%s - %s)", tree_text(a, t->left), tree_text(a, t->right));
  default: return arena_print(a, "tanh(%s*%s)", tree_text(a, t->left), tree_text(a, t->right));
  }
}

typedef struct Step { // an assignment, a choice or a loop
  int kind, target, rounds;
  Tree *value, *bound;
  struct Step *body, *other;
  int body_count, other_count;
} Step;

static inline Step *steps_random(Running *r, int count, int depth) {
  Step *s = ARENA_ARRAY(r->arena, Step, count + 1);
  for (int i = 0; i < count; i++) {
    s[i].kind = depth > 0 ? draw_below(&r->draw, 4) : 0;
    if ((s[i].kind == 2 && !r->choices) || (s[i].kind == 3 && !r->loops)) s[i].kind = 0;
    s[i].target = 1 + draw_below(&r->draw, STATEMENT_VARIABLES);
    s[i].value = tree_random(r, 2);
    s[i].bound = tree_random(r, 1);
    if (s[i].kind < 2) continue;
    s[i].rounds = 1 + draw_below(&r->draw, 3);
    s[i].body_count = 1 + draw_below(&r->draw, 2);
    s[i].other_count = draw_below(&r->draw, 2);
    s[i].body = steps_random(r, s[i].body_count, depth - 1);
    s[i].other = steps_random(r, s[i].other_count, depth - 1);
  }
  return s;
}

static inline void steps_run(const Step *s, int count, double *v) {
  for (int i = 0; i < count; i++) {
    if (s[i].kind < 2) {
      v[s[i].target] = tree_value(s[i].value, v);
    } else if (s[i].kind == 2) {
      bool holds = tree_value(s[i].value, v) > tree_value(s[i].bound, v);
      steps_run(holds ? s[i].body : s[i].other, holds ? s[i].body_count : s[i].other_count, v);
    } else {
      for (int k = 0; k < s[i].rounds; k++) steps_run(s[i].body, s[i].body_count, v);
    }
  }
}

static inline const char *steps_text(Arena *a, const Step *s, int count) {
  const char *text = "";
  for (int i = 0; i < count; i++) {
    if (s[i].kind < 2)
      text = arena_print(a, "%s  v%d := %s;\n", text, s[i].target, tree_text(a, s[i].value));
    else if (s[i].kind == 2)
      text = arena_print(a, "%s  if %s > %s then\n%s  else\n%s  end if;\n", text,
                         tree_text(a, s[i].value), tree_text(a, s[i].bound),
                         steps_text(a, s[i].body, s[i].body_count),
                         steps_text(a, s[i].other, s[i].other_count));
    else
      text = arena_print(a, "%s  for k in 1:%d loop\n%s  end for;\n", text, s[i].rounds,
                         steps_text(a, s[i].body, s[i].body_count));
  }
  return text;
}

// The function of the time that the steps are has the same numbers as here. section: as an algorithm of the model.
static inline void check_steps(uint64_t seed, bool choices, bool loops, bool section) {
  Running r = {.arena = arena_new(), .draw = {seed}, .loops = loops, .choices = choices};
  Arena *a = r.arena;
  int count = 1 + draw_below(&r.draw, 6);
  Step *steps = steps_random(&r, count, 2);
  const char *start = "  v1 := 0.5;\n  v2 := -1;\n  v3 := u;\n  v4 := 2;\n";
  const char *body = arena_print(a, "%s%s", start, steps_text(a, steps, count));
  const char *text =
      section ? arena_print(a,
                            "model M\n  Real u = time;\n  Real v1, v2, v3, v4;\nalgorithm\n%s"
                            "end M;\n",
                            body)
              : arena_print(a,
                            "function f\n  input Real u;\n  output Real v1, v2, v3, v4;\n"
                            "algorithm\n%send f;\nmodel M\n  Real v1, v2, v3, v4;\nequation\n"
                            "  (v1, v2, v3, v4) = f(time);\nend M;\n",
                            body);
  const AstModel *m = flat_new(a, text);
  for (int k = 0; k < 5; k++) {
    double u = draw_number(&r.draw), v[] = {u, 0.5, -1, u, 2};
    steps_run(steps, count, v);
    for (int i = 1; i <= STATEMENT_VARIABLES; i++) {
      double got = flat_number(m, arena_print(a, "v%d", i), u);
      if (!(fabs(got - v[i]) <= 1e-9 * (1 + fabs(got)))) print_error("%s\nv%d at %g\n", text, i, u);
      assert_close(got, v[i], 1e-9 * (1 + fabs(got)));
    }
  }
  arena_free(a);
}
