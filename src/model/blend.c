// With E- and E+ for an equation with the modes of w < 0 and of w > 0, and u = (1 - w/width)/2 between 0 and 1:
//   E = s E- + (1 - s) E+,  s = u^2 (3 - 2 u).
// Beyond the transition the side that does not count is not looked at: it may not be computable there.
//
// Whether equations jump is judged by numbers: at points of many sizes, moved along one state onto w = 0.
#include "model/blend.h"

#include <math.h>
#include <string.h>

#include "expr/derive.h"
#include "expr/simplify.h"
#include "model/direct_modes.h"
#include "model/extend.h"
#include "model/probe.h"
#include "num/random.h"

enum { BLENDS_MOST = 8 }; // each may double the equations that contain it

static bool contains(Graph *g, Arena *a, Expr e, Expr symbol) {
  Replacer *r = replacer_new(g, a);
  replacer_set(r, symbol, expr_const(g, 0));
  return replace(r, e) != e;
}

// Equations that are solved by iteration, and constraints, would need both sides at once.
static bool is_simple(const Model *m, Arena *a, int event) {
  Expr mode = m->flat->events.at[event].mode;
  for (int k = 0; k < m->sorted.block_count; k++)
    if (m->sorted.blocks[k].kind == SORT_NONLINEAR) return false;
  for (int i = 0; i < m->invariant_count; i++)
    if (contains(m->graph, a, m->invariants[i].residual, mode)) return false;
  return true;
}

typedef struct Transition {
  Graph *g;
  Replacer *below, *above; // modes of the sides
  Expr w, width, share;    // of the side below
} Transition;

static Replacer *side(Model *m, Arena *a, const Event *e, double mode) {
  Replacer *r = replacer_new(m->graph, a);
  replacer_set(r, e->mode, expr_const(m->graph, mode));
  return r;
}

static Transition transition_of(Model *m, Arena *a, int event, Expr width) {
  Graph *g = m->graph;
  const Event *e = &m->flat->events.at[event];
  Transition t = {.g = g, .w = m->switching[event], .width = width};
  t.below = side(m, a, e, e->kind == EVENT_SIGN ? -1 : 1);
  t.above = side(m, a, e, e->kind == EVENT_SIGN ? 1 : 0);
  Expr zero = expr_const(g, 0), one = expr_const(g, 1), two = expr_const(g, 2);
  Expr u = expr_div(g, expr_sub(g, one, expr_div(g, t.w, width)), two);
  u = expr_make(g, OP_MIN, expr_make(g, OP_MAX, u, zero, 0), one, 0);
  Expr rest = expr_sub(g, expr_const(g, 3), expr_mul(g, two, u));
  t.share = expr_mul(g, expr_mul(g, u, u), rest);
  return t;
}

static Expr blended(const Transition *t, Expr e) {
  Graph *g = t->g;
  Expr below = replace(t->below, e), above = replace(t->above, e);
  if (below == above) return below;
  Expr between = expr_add(g, above, expr_mul(g, t->share, expr_sub(g, below, above)));
  Expr is_above = expr_make(g, OP_LE, t->width, t->w, 0);
  Expr is_below = expr_make(g, OP_LE, t->w, expr_neg(g, t->width), 0);
  return expr_select(g, is_above, above, expr_select(g, is_below, below, between));
}

// ---------------------------------------------------------------- which events

enum { POINTS = 24 };
static const double SPREAD = 0.1, NOTHING = 1e-9; // of parameters; of a difference

// States of random sizes from 1/1000 to 10 nominal values.
static void spread_states(const Model *m, Probe *p, int number) {
  Random r;
  random_seed(&r, (uint64_t)number);
  for (int i = 0; i < m->nx; i++) {
    double nominal = fabs(m->flat->variables.at[m->state[i]].nominal);
    double size = (nominal > 0 ? nominal : 1) * pow(10, 4 * random_uniform(&r) - 3);
    probe_put(p, m->x[i], random_uniform(&r) < 0.5 ? size : -size);
  }
}

// Puts the point of the probe onto w = 0 along a state that w contains linearly. false: there is none.
static bool move_onto(const Model *m, Probe *p, Arena *a, Expr w) {
  Derivatives by = derive_rows(m->graph, a, &w, 1, m->x, m->nx);
  for (int e = 0; e < by.start[1]; e++) {
    if (!expr_is_const(m->graph, by.value[e])) continue;
    Expr state = m->x[by.column[e]];
    probe_put(p, state, 0);
    probe_put(p, state, -probe_value(p, w) / expr_node(m->graph, by.value[e])->value);
    return true;
  }
  return false;
}

typedef struct EventSides { // of an event, with the modes of others as they follow from the point
  Replacer *others;
  Transition t;
  int told; // finite differences seen
} EventSides;

static bool differs(EventSides *s, Probe *p, Expr e) {
  double below = probe_value(p, replace(s->others, replace(s->t.below, e)));
  double above = probe_value(p, replace(s->others, replace(s->t.above, e)));
  s->told += isfinite(below - above);
  return fabs(below - above) > NOTHING * (fabs(below) + fabs(above));
}

// Points where the equations cannot be computed tell nothing; if all are such, it is taken for a jump.
static bool jumps_at(Model *m, Arena *a, const Jumping *j, int event) {
  Replacer *others = direct_modes(m, a);
  Expr w = replace(others, m->switching[event]);
  EventSides s = {others, transition_of(m, a, event, expr_const(m->graph, 1)), 0};
  for (int number = 0; number < POINTS; number++) {
    Probe *p = probe_new(m, a, SPREAD, number);
    spread_states(m, p, number);
    if (!move_onto(m, p, a, w)) return true;
    for (int i = 0; i < m->nx; i++)
      if (differs(&s, p, m->f[i])) return true;
    for (int i = 0; i < j->more_count; i++)
      if (differs(&s, p, j->more[i])) return true;
    for (int i = 0; i < j->push_count; i++)
      if (differs(&s, p, j->pushes[i])) return true;
  }
  return s.told == 0;
}

static bool moves_with_states(const Model *m, Arena *a, Expr switching) {
  return derive_rows(m->graph, a, &switching, 1, m->x, m->nx).start[1] > 0;
}

// Discrete variables change at events: those stay.
static void find_jumps(Model *m, Arena *a, const Jumping *j, bool *jumps) {
  int count = 0;
  if (m->flat->hybrid) return;
  for (int k = 0; k < m->ne && count < BLENDS_MOST; k++) {
    jumps[k] = m->flat->events.at[k].kind != EVENT_FLOOR &&
               moves_with_states(m, a, m->switching[k]) && is_simple(m, a, k) &&
               jumps_at(m, a, j, k);
    count += jumps[k];
  }
}

// ---------------------------------------------------------------- the whole

// The lists of events are shared with the model that this one was copied from.
void blend_remove_events(Model *m, const bool *gone) {
  Flat *f = m->flat;
  Arena *a = m->arena;
  Expr *switching = m->switching, *mode0 = m->mode0;
  int count = f->events.count;
  const Event *all = f->events.at;
  memset(&f->events, 0, sizeof f->events);
  m->switching = ARENA_ARRAY(a, Expr, count + 1);
  m->mode0 = ARENA_ARRAY(a, Expr, count + 1);
  m->ne = 0;
  for (int k = 0; k < count; k++) {
    if (gone[k]) continue;
    array_push(a, &f->events, all[k]);
    m->switching[m->ne] = switching[k];
    m->mode0[m->ne++] = mode0[k];
  }
}

int blend_jumps(Model *of, Model *m, const Jumping *j, Blend **blends) {
  Arena *scratch = arena_new();
  bool *jumps = ARENA_ARRAY(scratch, bool, m->ne + 1);
  int made = 0;
  find_jumps(of, scratch, j, jumps);
  *blends = ARENA_ARRAY(m->arena, Blend, BLENDS_MOST + 1);
  Expr *switching = ARENA_ARRAY(m->arena, Expr, m->ne + 1);
  memcpy(switching, m->switching, (size_t)m->ne * sizeof *switching);
  m->switching =
      switching; // the lists of events are shared with the model that this one was copied from
  for (int k = 0; k < m->ne; k++) {
    if (!jumps[k]) continue;
    Blend *b = &(*blends)[made++];
    b->switching = m->switching[k];
    b->width = model_add_parameter(m, "width", 1e-12); // to be set: next to an event
    Transition t = transition_of(m, scratch, k, m->flat->parameters.at[b->width].node);
    for (int i = 0; i < m->nx; i++) m->f[i] = blended(&t, m->f[i]);
    for (int i = 0; i < m->ne; i++)
      if (i != k) m->switching[i] = blended(&t, m->switching[i]); // of an event around it
    for (int i = 0; i < made - 1; i++) (*blends)[i].switching = blended(&t, (*blends)[i].switching);
    for (int i = 0; i < j->more_count; i++) j->more[i] = blended(&t, j->more[i]);
  }
  if (made) blend_remove_events(m, jumps), m->assert_count = 0; // they may contain the modes
  arena_free(scratch);
  return made;
}
