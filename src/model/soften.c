// sign(w) becomes tanh(w/width). With E- and E+ for an expression with the other relations as they are for w < 0 and for w > 0:
// E = E+ + s (E- - E+), s = (1 - tanh(w/width))/2.
#include "model/soften.h"

#include "expr/replace.h"
#include "expr/simplify.h"
#include "model/blend.h"
#include "model/extend.h"
#include "model/surface.h"

typedef struct SoftSides {
  Graph *g;
  Replacer *below, *above;
  Expr share; // of the side below
} SoftSides;

static SoftSides sides_of(Model *m, Arena *scratch, const Surfaces *surfaces, const Soft *soft) {
  Graph *g = m->graph;
  SoftSides s = {g, replacer_new(g, scratch), replacer_new(g, scratch), 0};
  Expr scaled = expr_div(g, m->switching[soft->event], expr_const(g, soft->width));
  Expr smooth = expr_call(g, OP_TANH, scaled);
  for (int k = 0; k < m->ne; k++) {
    if (surfaces->of[k] != surfaces->of[soft->event]) continue;
    const Event *e = &m->flat->events.at[k];
    int side = surfaces->side[k] * surfaces->side[soft->event];
    bool sign = e->kind == EVENT_SIGN;
    Expr of_sign = side > 0 ? smooth : expr_neg(g, smooth);
    replacer_set(s.below, e->mode, sign ? of_sign : expr_const(g, side > 0));
    replacer_set(s.above, e->mode, sign ? of_sign : expr_const(g, side < 0));
  }
  s.share = expr_div(g, expr_sub(g, expr_const(g, 1), smooth), expr_const(g, 2));
  return s;
}

static Expr softened(const SoftSides *s, Expr e) {
  Expr below = replace(s->below, e), above = replace(s->above, e);
  if (below == above) return below;
  return expr_add(s->g, above, expr_mul(s->g, s->share, expr_sub(s->g, below, above)));
}

static bool can_soften(const Model *m) {
  if (m->flat->hybrid || m->invariant_count) return false;
  for (int k = 0; k < m->sorted.block_count; k++)
    if (m->sorted.blocks[k].kind == SORT_NONLINEAR) return false;
  return true;
}

static void soften(Model *soft, const SoftSides *s, Expr *more, int more_count) {
  for (int i = 0; i < soft->nx; i++) soft->f[i] = softened(s, soft->f[i]);
  for (int k = 0; k < soft->ne; k++) soft->switching[k] = softened(s, soft->switching[k]);
  for (int i = 0; i < more_count; i++) more[i] = softened(s, more[i]);
}

Model *model_softened(Model *m, Arena *a, const Soft *softs, int count, Expr *more,
                      int more_count) {
  if (!can_soften(m)) return NULL;
  Arena *scratch = arena_new();
  pthread_mutex_lock(m->lock);
  Surfaces surfaces = surfaces_find(m, scratch);
  Model *soft = model_copy(m, a);
  Expr *f = ARENA_ARRAY(a, Expr, m->nx + 1), *switching = ARENA_ARRAY(a, Expr, m->ne + 1);
  bool *gone = ARENA_ARRAY(scratch, bool, m->ne + 1);
  for (int i = 0; i < m->nx; i++) f[i] = m->f[i];
  for (int k = 0; k < m->ne; k++) switching[k] = m->switching[k];
  soft->f = f, soft->switching = switching;
  for (int i = 0; i < count; i++) {
    SoftSides s = sides_of(m, scratch, &surfaces, &softs[i]);
    soften(soft, &s, more, more_count);
    for (int k = 0; k < m->ne; k++) gone[k] |= surfaces.of[k] == surfaces.of[softs[i].event];
  }
  blend_remove_events(soft, gone);
  soft->assert_count = 0; // they may contain the modes
  pthread_mutex_unlock(m->lock);
  arena_free(scratch);
  return soft;
}
