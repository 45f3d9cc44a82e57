// Random expressions over all operators, for laws that must hold at random points.
#pragma once
#include <math.h>
#include <stdlib.h>

#include "expr/expr.h"
#include "expr/simplify.h"

typedef struct Rng {
  uint64_t state;
} Rng;

static inline double rng_uniform(Rng *r) { // splitmix64, in [0, 1)
  uint64_t z = r->state += 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static inline int rng_below(Rng *r, int n) {
  return (int)(rng_uniform(r) * n);
}
static inline double rng_between(Rng *r, double a, double b) {
  return a + (b - a) * rng_uniform(r);
}

// All operators; those behind OP_SELECT are not smooth.
static const Op RANDOM_OPS[] = {
    OP_ADD,    OP_SUB,   OP_MUL, OP_DIV, OP_NEG, OP_SQRT, OP_ABS, OP_MIN, OP_MAX,
#define OP(...)
#define SPECIAL(...)
#define TABLE_CALL(...)
#define CALL(name, ...) OP_##name,
#include "expr/ops.def"
    OP_SELECT, OP_FLOOR, OP_LT,  OP_LE,  OP_AND, OP_OR,   OP_NOT, OP_EQ,  OP_NE,
};
enum {
  RANDOM_OP_COUNT = sizeof RANDOM_OPS / sizeof *RANDOM_OPS,
  RANDOM_SMOOTH_COUNT = RANDOM_OP_COUNT - 8
};

// A step of a recipe: an operator and what it is applied to, by number of an earlier entry. The first entries are the
// symbols, then the constants.
typedef struct RandomStep {
  Op op;
  int a, b, c;
} RandomStep;

enum {
  RANDOM_SYMBOLS = 3,
  RANDOM_CONSTANTS = 3,
  RANDOM_STEPS = 9,
  RANDOM_LEAVES = RANDOM_SYMBOLS + RANDOM_CONSTANTS
};

typedef struct Recipe {
  double constant[RANDOM_CONSTANTS];
  RandomStep step[RANDOM_STEPS];
} Recipe;

// Logic works on results of relations only.
static inline int random_truth(Rng *r, const Recipe *c, int known, bool *found) {
  for (int tries = 0; tries < 20; tries++) {
    int i = rng_below(r, known) - RANDOM_LEAVES;
    if (i < 0 || OPS[c->step[i].op].kind != OP_KIND_RELATION) continue;
    *found = true;
    return RANDOM_LEAVES + i;
  }
  *found = false;
  return 0;
}

static inline Recipe recipe_random(Rng *r) {
  static const double CONSTANTS[] = {0, 1, -1, 2, 0.5, 3, -0.7, 1.3};
  Recipe c;
  for (int i = 0; i < RANDOM_CONSTANTS; i++) c.constant[i] = CONSTANTS[rng_below(r, 8)];
  for (int i = 0; i < RANDOM_STEPS; i++) {
    int known = RANDOM_LEAVES + i, recent = known > 6 ? known - 6 : 0;
    RandomStep *s = &c.step[i];
    s->op = RANDOM_OPS[rng_below(r, rng_below(r, 4) ? RANDOM_SMOOTH_COUNT : RANDOM_OP_COUNT)];
    s->a = rng_below(r, 3) ? recent + rng_below(r, known - recent) : rng_below(r, known);
    if (i > RANDOM_STEPS / 2) s->a = known - 1; // so that the last one depends on much
    s->b = rng_below(r, known);
    s->c = rng_below(r, known);
    if (s->op != OP_AND && s->op != OP_OR && s->op != OP_NOT) continue;
    bool a_found, b_found;
    int a = random_truth(r, &c, known, &a_found), b = random_truth(r, &c, known, &b_found);
    if (a_found && b_found)
      s->a = a, s->b = b;
    else
      s->op = OP_LT;
  }
  return c;
}

// The same computation as an expression, simplified as it is made ...
static inline Expr recipe_expression(const Recipe *c, Graph *g, const Expr *symbols) {
  Expr e[RANDOM_LEAVES + RANDOM_STEPS];
  for (int i = 0; i < RANDOM_SYMBOLS; i++) e[i] = symbols[i];
  for (int i = 0; i < RANDOM_CONSTANTS; i++) e[RANDOM_SYMBOLS + i] = expr_const(g, c->constant[i]);
  for (int i = 0; i < RANDOM_STEPS; i++) {
    const RandomStep *s = &c->step[i];
    int args = OPS[s->op].args;
    e[RANDOM_LEAVES + i] =
        expr_make(g, s->op, e[s->a], args > 1 ? e[s->b] : 0, args > 2 ? e[s->c] : 0);
  }
  return e[RANDOM_LEAVES + RANDOM_STEPS - 1];
}

// ... and with plain numbers. Also tells the magnitude of the numbers on the way, and how near the nearest kink or
// singularity is, so that tests can keep away from them.
typedef struct Evaluation {
  double value, largest, nearest;
} Evaluation;

static inline double distance_to_trouble(Op op, double a, double b) {
  switch (op) {
  case OP_ABS:
  case OP_SQRT:
  case OP_LOG:
  case OP_LOG10: return fabs(a);
  case OP_DIV: return fabs(b);
  case OP_MIN:
  case OP_MAX:
  case OP_LT:
  case OP_LE:
  case OP_EQ:
  case OP_NE: return fabs(a - b);
  case OP_FLOOR: return fabs(a - nearbyint(a));
  case OP_ASIN:
  case OP_ACOS: return fabs(1 - fabs(a));
  case OP_ATAN2: return fmin(hypot(a, b), fmax(fabs(a), b)); // the cut along a = 0, b < 0
  case OP_TAN: return fabs(cos(a));
  case OP_POW: return fabs(a);
  default: return HUGE_VAL;
  }
}

static inline Evaluation recipe_value(const Recipe *c, const double *symbols) {
  double v[RANDOM_LEAVES + RANDOM_STEPS];
  Evaluation e = {0, 0, HUGE_VAL};
  for (int i = 0; i < RANDOM_SYMBOLS; i++) v[i] = symbols[i];
  for (int i = 0; i < RANDOM_CONSTANTS; i++) v[RANDOM_SYMBOLS + i] = c->constant[i];
  for (int i = 0; i < RANDOM_STEPS; i++) {
    const RandomStep *s = &c->step[i];
    v[RANDOM_LEAVES + i] = op_apply(s->op, v[s->a], v[s->b], v[s->c]);
    e.nearest = fmin(e.nearest, distance_to_trouble(s->op, v[s->a], v[s->b]));
    e.largest =
        isnan(v[RANDOM_LEAVES + i]) ? HUGE_VAL : fmax(e.largest, fabs(v[RANDOM_LEAVES + i]));
  }
  e.value = v[RANDOM_LEAVES + RANDOM_STEPS - 1];
  return e;
}

// A point where every number on the way is of ordinary size and away from kinks by more than `distance`.
static inline bool recipe_calm_point(Rng *r, const Recipe *c, double distance, double *at) {
  for (int tries = 0; tries < 20; tries++) {
    for (int i = 0; i < RANDOM_SYMBOLS; i++) at[i] = rng_between(r, -2, 2);
    Evaluation e = recipe_value(c, at);
    if (e.nearest > distance && e.largest < 1e3) return true;
  }
  return false;
}
