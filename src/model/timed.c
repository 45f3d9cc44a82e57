#include "model/timed.h"

#include <string.h>

#include "expr/derive.h"
#include "expr/replace.h"
#include "expr/simplify.h"

static bool has_tables(const Flat *f) {
  for (int k = 0; k < f->events.count; k++)
    if (f->events.at[k].of_table) return true;
  return false;
}

static const unsigned char *moved_by_motion(const Model *m, Arena *a) {
  const Graph *g = m->graph;
  IntArray of = {0};
  for (int i = 0; i < m->nx; i++) array_push(a, &of, m->x[i]);
  for (int i = 0; i < m->nu; i++) array_push(a, &of, m->u[i]);
  for (Expr e = 0; e < g->count; e++)
    if (g->nodes[e].op == OP_SOLVED) array_push(a, &of, e);
  return expr_dependents(g, a, of.at, of.count);
}

// What is compared with break points, or with whole numbers (*breaks is NULL).
static Expr compared(const Graph *g, Expr switching, const ExprTable **breaks) {
  const ExprNode *n = &g->nodes[switching];
  bool ranked = n->op == OP_RANK;
  *breaks = ranked ? expr_table_of(g, n->a) : NULL;
  return ranked ? n->b : switching;
}

void find_timed_events(Model *m) {
  if (!has_tables(m->flat)) return;
  Arena *scratch = arena_new();
  Graph *g = m->graph;
  Expr time = m->flat->time;
  const unsigned char *moved = moved_by_motion(m, scratch);
  Replacer *at_0 = replacer_new(g, scratch);
  replacer_set(at_0, time, expr_const(g, 0));
  m->timed = ARENA_ARRAY(m->arena, TimedEvent, m->ne + 1);
  for (int k = 0; k < m->ne; k++) {
    TimedEvent t;
    Expr e = compared(g, m->switching[k], &t.breaks);
    if (!m->flat->events.at[k].of_table || moved[m->switching[k]]) continue;
    t.slope = derive(g, e, time);
    if (expr_dependents(g, scratch, &time, 1)[t.slope] || expr_is_value(g, t.slope, 0)) continue;
    t.offset = replace(at_0, e);
    m->timed[m->timed_count++] = t;
  }
  arena_free(scratch);
}
