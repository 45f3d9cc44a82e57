// The switching function of an event may contain modes of events before it.
#include "model/direct_modes.h"

#include "expr/simplify.h"

static Expr mode_of(Graph *g, EventKind kind, Expr switching) {
  Expr zero = expr_const(g, 0), below = expr_make(g, OP_LT, switching, zero, 0);
  switch (kind) {
  case EVENT_NEGATIVE: return below;
  case EVENT_NOT_POSITIVE: return expr_make(g, OP_LE, switching, zero, 0);
  case EVENT_FLOOR: return expr_call(g, OP_FLOOR, switching);
  case EVENT_SIGN: return expr_sub(g, expr_make(g, OP_LT, zero, switching, 0), below);
  }
  return -1;
}

Replacer *direct_modes(Model *m, Arena *a) {
  Replacer *r = replacer_new(m->graph, a);
  for (int k = 0; k < m->ne; k++) {
    const Event *e = &m->flat->events.at[k];
    replacer_set(r, e->mode, mode_of(m->graph, e->kind, replace(r, m->switching[k])));
  }
  return r;
}
