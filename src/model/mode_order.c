#include "model/mode_order.h"

#include "expr/derive.h"

// By event: the modes in the expression that belongs to it.
static Incidence modes_of_events(Model *m, Arena *scratch, const Expr *of) {
  int count = m->flat->events.count;
  SortUnknown *modes = ARENA_ARRAY(scratch, SortUnknown, count + 1);
  SortEquation *rows = ARENA_ARRAY(scratch, SortEquation, count + 1);
  for (int k = 0; k < count; k++) {
    modes[k] = (SortUnknown){.symbol = m->flat->events.at[k].mode};
    rows[k] = (SortEquation){.residual = of[k]};
  }
  return sort_incidence(m->graph, scratch, rows, count, modes, count);
}

static Pattern transposed(Arena *a, const Incidence *in) {
  int n = in->unknowns, count = in->start[in->equations];
  int *start = ARENA_ARRAY(a, int, n + 2), *column = ARENA_ARRAY(a, int, count + 1);
  for (int e = 0; e < count; e++) start[in->unknown[e] + 2]++;
  for (int j = 0; j < n; j++) start[j + 2] += start[j + 1];
  for (int k = 0; k < in->equations; k++)
    for (int e = in->start[k]; e < in->start[k + 1]; e++) column[start[in->unknown[e] + 1]++] = k;
  return (Pattern){n, in->equations, start, column};
}

// Events without modes that still wait come first; a loop is opened at its first event.
static int *order_of(Arena *a, Arena *scratch, const Incidence *in, const Pattern *users) {
  int n = in->equations, *order = ARENA_ARRAY(a, int, n + 1), count = 0, done = 0;
  int *waits = ARENA_ARRAY(scratch, int, n + 1);
  bool *listed = ARENA_ARRAY(scratch, bool, n + 1);
  for (int k = 0; k < n; k++) waits[k] = in->start[k + 1] - in->start[k];
  for (int next = 0; count < n;) {
    for (int k = 0; k < n && count == 0; k++)
      if (waits[k] == 0) listed[k] = true, order[count++] = k;
    while (done < count) {
      int j = order[done++];
      for (int e = users->start[j]; e < users->start[j + 1]; e++) {
        int k = users->column[e];
        if (--waits[k] <= 0 && !listed[k]) listed[k] = true, order[count++] = k;
      }
    }
    while (next < n && listed[next]) next++;
    if (next < n) listed[next] = true, order[count++] = next;
  }
  return order;
}

// A slope of a switching function that changes with time, states or inputs.
static bool is_curved(Model *m, Arena *scratch) {
  int n = 0;
  Expr *by = ARENA_ARRAY(scratch, Expr, m->nx + m->nu + 2);
  by[n++] = m->flat->time;
  for (int i = 0; i < m->nx; i++) by[n++] = m->x[i];
  for (int i = 0; i < m->nu; i++) by[n++] = m->u[i];
  Derivatives d = derive_rows(m->graph, scratch, m->switching, m->ne, by, n);
  unsigned char *moves = expr_dependents(m->graph, scratch, by, n);
  for (int e = 0; e < d.start[d.rows]; e++)
    if (moves[d.value[e]]) return true;
  return false;
}

ModeOrder mode_order(Model *m, Arena *a) {
  Arena *scratch = arena_new();
  ModeOrder o = {0};
  if (m->ne) {
    Incidence in = modes_of_events(m, scratch, m->switching);
    o.users = transposed(a, &in);
    o.order = order_of(a, scratch, &in, &o.users);
    o.curved = is_curved(m, scratch);
  }
  arena_free(scratch);
  return o;
}

void replace_modes(Model *m, Arena *a, Replacer *r) {
  const Flat *f = m->flat;
  int count = f->events.count;
  Replacer *solved = replacer_new(m->graph, a), *modes = replacer_new(m->graph, a);
  Expr *direct = ARENA_ARRAY(a, Expr, count + 1);
  for (int j = 0; j < m->unknown_count; j++)
    replacer_set(solved, m->unknowns[j].symbol, m->sorted.solution[j]);
  for (int k = 0; k < count; k++) direct[k] = replace(solved, f->events.at[k].direct);
  Incidence in = modes_of_events(m, a, direct);
  Pattern users = transposed(a, &in);
  const int *order = order_of(a, a, &in, &users);
  for (int i = 0; i < count; i++)
    replacer_set(modes, f->events.at[order[i]].mode, replace(modes, direct[order[i]]));
  for (int k = 0; k < count; k++)
    replacer_set(r, f->events.at[k].mode, replace(modes, f->events.at[k].mode));
  for (int j = 0; j < m->unknown_count; j++)
    replacer_set(r, m->unknowns[j].symbol, replace(modes, m->sorted.solution[j]));
}
