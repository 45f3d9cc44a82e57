// At an event the unknowns of the motion and the variables that when-clauses assign are solved for together: the equations
// of the motion with pulses in them, and one equation for each of these variables. The modes stay symbols: events are
// iterated until they are what their relations say (simulate/event_jump.c).
#include "model/at_event.h"

#include <string.h>

#include "expr/simplify.h"

typedef struct Live {
  Model *m;
  Arena *scratch;
  Replacer *pulses, *solved;
  SortEquation *equations;
  SortUnknown *unknowns;
  int count;
  Sorted sorted;
} Live;

Replacer *live_pulses(const Model *m, Arena *a) {
  const Flat *f = m->flat;
  Replacer *r = replacer_new(m->graph, a);
  for (int k = 0; k < f->pulses.count; k++)
    replacer_set(r, f->pulses.at[k].symbol, replace(r, f->pulses.at[k].value));
  return r;
}

Replacer *live_pulses_at_start(const Model *m, Arena *a) {
  const Flat *f = m->flat;
  Replacer *r = replacer_new(m->graph, a);
  for (int k = 0; k < f->pulses.count; k++)
    replacer_set(r, f->pulses.at[k].symbol, expr_const(m->graph, f->pulses.at[k].initial));
  for (int i = 0; i < f->variables.count; i++) { // of these there is nothing before the start
    const Variable *v = &f->variables.at[i];
    bool nothing = v->pre_line || v->kind == VARIABLE_INPUT;
    if (v->pre && nothing) replacer_set(r, v->pre, v->node);
  }
  return r;
}

// An equation that index reduction made has no live form: discrete variables in it have their values at the event.
static Expr live_residual(Live *l, const SortEquation *e, Replacer *now) {
  const Equation *typed = &l->m->flat->equations.at[e->origin];
  bool as_typed = e->level == 0 && !e->combined;
  return as_typed ? replace(l->pulses, typed->live) : replace(now, e->residual);
}

static void list_equations(Live *l) {
  Model *m = l->m;
  const Flat *f = m->flat;
  int n = m->unknown_count, more = f->whens.count;
  l->count = n + more;
  l->equations = ARENA_ARRAY(l->scratch, SortEquation, l->count + 1);
  l->unknowns = ARENA_ARRAY(l->scratch, SortUnknown, l->count + 1);
  Replacer *now = replacer_new(m->graph, l->scratch);
  for (int k = 0; k < more; k++) {
    const Variable *v = &f->variables.at[f->whens.at[k].variable];
    replacer_set(now, v->node, v->now);
  }
  for (int i = 0; i < n; i++) {
    l->equations[i] = m->equations[i];
    l->equations[i].residual = live_residual(l, &m->equations[i], now);
    l->unknowns[i] = m->unknowns[i];
  }
  for (int k = 0; k < more; k++) {
    const WhenEquation *w = &f->whens.at[k];
    const Variable *v = &f->variables.at[w->variable];
    Expr residual = expr_sub(m->graph, v->now, replace(l->pulses, w->value));
    int rank = sort_rank(f->variables.count + k, 0);
    l->equations[n + k] = (SortEquation){
        .residual = residual, .line = w->line, .column = w->column, .origin = n + k, .rank = rank};
    l->unknowns[n + k] = (SortUnknown){v->now, v->name, v->start, false, rank, v->has_start};
  }
}

// A redundant equation contains all unknowns, as in the motion.
static Incidence open_redundant(const Live *l, Incidence in) {
  int *start = ARENA_ARRAY(l->scratch, int, l->count + 1);
  IntArray found = {0};
  for (int i = 0; i < l->count; i++) {
    bool open = l->equations[i].redundant;
    int length = open ? l->count : in.start[i + 1] - in.start[i];
    for (int k = 0; k < length; k++)
      array_push(l->scratch, &found, open ? k : in.unknown[in.start[i] + k]);
    start[i + 1] = found.count;
  }
  return (Incidence){l->count, l->count, start, found.at};
}

static bool is_discrete(const Live *l, int unknown) {
  const Model *m = l->m;
  if (unknown >= m->unknown_count) return true;
  const Variable *v = &m->flat->variables.at[m->unknown_variable[unknown]];
  return m->unknown_order[unknown] == 0 && (v->boolean || v->integer);
}

static bool report_loop(const Live *l, const SortBlock *b, int unknown, Err *err) {
  const SortEquation *first = &l->equations[b->equation[0]];
  const char *name = l->unknowns[unknown].name;
  Text lines;
  text_init(&lines);
  for (int i = 0; i < b->count; i++) {
    const SortEquation *e = &l->equations[b->equation[i]];
    if (e->line < first->line) first = e;
    if (i < 8) text_print(&lines, "%s%d", i == 0 ? "" : ", ", e->line);
  }
  source_fail(
      l->m->flat->source, err, ERR_MODEL, first->line, first->column,
      "at an event %s depends on itself, through the equations of line%s %s; write pre(...) "
      "where the value before the event is meant",
      name, b->count > 1 ? "s" : "", lines.at);
  text_done(&lines);
  return false;
}

// Simultaneous equations have no solution method for true or false and for whole numbers, and at an event none for a
// discrete variable that depends on itself.
static bool check_loops(const Live *l, const Sorted *s, Err *err) {
  for (int k = 0; k < s->block_count; k++) {
    const SortBlock *b = &s->blocks[k];
    bool loop = b->kind == SORT_NONLINEAR || (b->kind == SORT_LINEAR && b->count > 1);
    for (int i = 0; i < b->count && loop; i++)
      if (is_discrete(l, b->unknown[i])) return report_loop(l, b, b->unknown[i], err);
  }
  return true;
}

static bool solve(Live *l, Err *err) {
  Model *m = l->m;
  bool redundant = false;
  Incidence in =
      sort_incidence(m->graph, l->scratch, l->equations, l->count, l->unknowns, l->count);
  for (int i = 0; i < l->count; i++) redundant |= l->equations[i].redundant;
  if (redundant) in = open_redundant(l, in);
  Matching matching = match(l->scratch, &in, NULL);
  if (matching.count < l->count || !sort_solve(m->graph, m->arena, l->equations, l->unknowns, &in,
                                               &matching, NULL, NULL, &l->sorted))
    return source_fail(m->flat->source, err, ERR_MODEL, m->flat->ast->line, m->flat->ast->column,
                       "the equations cannot be solved at events");
  return check_loops(l, &l->sorted, err);
}

// ---------------------------------------------------------------- what follows from it

// pre(y) of an algebraic variable is its expression in the motion. Where that contains relations it would be that of the
// other side by now.
static bool put_left_limits(Live *l, Err *err) {
  Model *m = l->m;
  const Flat *f = m->flat;
  Expr *modes = ARENA_ARRAY(l->scratch, Expr, f->events.count + 1);
  for (int k = 0; k < f->events.count; k++) modes[k] = f->events.at[k].mode;
  const unsigned char *of_modes = expr_dependents(m->graph, l->scratch, modes, f->events.count);
  for (int i = 0; i < f->variables.count; i++) {
    const Variable *v = &f->variables.at[i];
    if (!v->pre_line || v->state) continue;
    if (of_modes[m->value[i]])
      return source_fail(
          f->source, err, ERR_UNSUPPORTED, v->pre_line, v->pre_column,
          "pre(%s): %s depends on a relation; give it a discrete variable of its own", v->name,
          v->name);
    replacer_set(l->pulses, v->pre, m->value[i]);
  }
  return true;
}

static Expr at_event(Live *l, Expr e) {
  return replace(l->solved, replace(l->pulses, e));
}

static int state_of(const Model *m, int variable) {
  for (int i = 0; i < m->nx; i++)
    if (m->state[i] == variable) return i;
  return -1;
}

static void add_jump(Live *l, int variable, Expr value) {
  Model *m = l->m;
  int state = state_of(m, variable);
  for (int k = 0; k < m->jump_count; k++)
    if (m->jump_state[k] == state) { // another branch of the same clause
      m->jump[k] = value;
      return;
    }
  m->jump_state[m->jump_count] = state;
  m->jump[m->jump_count++] = value;
}

static Expr jump_so_far(const Live *l, int variable) {
  const Model *m = l->m;
  int state = state_of(m, variable);
  for (int k = 0; k < m->jump_count; k++)
    if (m->jump_state[k] == state) return m->jump[k];
  return m->x[state];
}

static void assign(Live *l) {
  Model *m = l->m;
  const Flat *f = m->flat;
  int room = f->whens.count + f->reinits.count + 1;
  m->live_switching = ARENA_ARRAY(m->arena, Expr, m->ne + 1);
  m->held = ARENA_ARRAY(m->arena, Expr, f->held.count + 1);
  m->jump = ARENA_ARRAY(m->arena, Expr, room);
  m->jump_state = ARENA_ARRAY(m->arena, int, room);
  m->terminate = ARENA_ARRAY(m->arena, Expr, f->terminates.count + 1);
  for (int k = 0; k < m->ne; k++) m->live_switching[k] = at_event(l, f->events.at[k].live);
  for (int k = 0; k < f->held.count; k++) m->held[k] = at_event(l, f->held.at[k].value);
  for (int k = 0; k < f->whens.count; k++) {
    int variable = f->whens.at[k].variable;
    if (f->variables.at[variable].state)
      add_jump(l, variable, at_event(l, f->variables.at[variable].now));
  }
  for (int k = 0; k < f->reinits.count; k++) {
    const Reinit *r = &f->reinits.at[k];
    Expr active = at_event(l, r->active), value = at_event(l, r->value);
    add_jump(l, r->variable, expr_select(m->graph, active, value, jump_so_far(l, r->variable)));
  }
  for (int k = 0; k < f->terminates.count; k++)
    m->terminate[k] = at_event(l, f->terminates.at[k].active);
}

bool live_solve(Model *m, Err *err) {
  if (!m->flat->hybrid) return true;
  Live l = {.m = m, .scratch = arena_new()};
  l.pulses = live_pulses(m, l.scratch);
  bool ok = put_left_limits(&l, err);
  if (ok) list_equations(&l);
  ok = ok && solve(&l, err);
  l.solved = replacer_new(m->graph, l.scratch);
  for (int j = 0; ok && j < l.count; j++)
    replacer_set(l.solved, l.unknowns[j].symbol, l.sorted.solution[j]);
  if (ok) assign(&l);
  arena_free(l.scratch);
  return ok;
}
