#include "report/model_constraints.h"

#include <math.h>

#include "num/qr.h"
#include "report/model_text.h"

enum { TRACED_MOST = 400 }; // constraints; the work grows with the cube of their number

// ---------------------------------------------------------------- list

static int times_differentiated(const Model *m, const Invariant *last) {
  int most = last->level + 1;
  for (int i = 0; i < m->equation_count; i++)
    if (m->equations[i].origin == last->equation && m->equations[i].level > most)
      most = m->equations[i].level;
  return most;
}

static ModelConstraint constraint_at(Arena *a, const Model *m, const EquationText *texts,
                                     int first) {
  const Invariant *v = &m->invariants[first];
  ModelConstraint c = {.equation = v->equation, .first = first, .redundant = true};
  while (first + c.count < m->invariant_count && v[c.count].equation == c.equation) {
    c.redundant &= v[c.count].redundant;
    c.count++;
  }
  Text t;
  text_init(&t);
  typed_equation_print(&t, m, texts, c.equation);
  c.text = arena_copy(a, t.at, t.length);
  text_done(&t);
  int line = m->flat->equations.at[c.equation].line;
  c.line = flat_line_number(m->flat, line);
  c.place = arena_print(a, "%s", flat_line(m->flat, line).at);
  c.differentiated = c.redundant ? 0 : times_differentiated(m, &v[c.count - 1]);
  return c;
}

// ---------------------------------------------------------------- multipliers

static bool is_differentiated_constraint(const Model *m, const SortEquation *e) {
  for (int i = 0; i < m->invariant_count; i++)
    if (m->invariants[i].equation == e->origin) return e->level > 0 || e->redundant;
  return false;
}

// Removes variables that are alone on one side of an equation, which may define them.
static void leave_out_defined(ModelConstraints *c, const Model *m) {
  const Flat *f = m->flat;
  int kept = 0;
  for (int k = 0; k < c->multiplier_count; k++) {
    Expr node = f->variables.at[c->multiplier[k]].node;
    bool defined = false;
    for (int i = 0; i < f->equations.count; i++)
      defined |= f->equations.at[i].left == node || f->equations.at[i].right == node;
    if (!defined) c->multiplier[kept++] = c->multiplier[k];
  }
  c->multiplier_count = kept;
}

static void list_algebraic(ModelConstraints *c, const Model *m) {
  c->multiplier_count = 0;
  for (int v = 0; v < m->flat->variables.count; v++) {
    const Variable *of = &m->flat->variables.at[v];
    if (of->kind == VARIABLE_UNKNOWN && !of->state) c->multiplier[c->multiplier_count++] = v;
  }
}

// Algebraic variables that are solved for together with differentiated constraints.
static void list_solved_together(ModelConstraints *c, const Model *m) {
  for (int k = 0; k < m->sorted.block_count; k++) {
    const SortBlock *b = &m->sorted.blocks[k];
    bool constrained = false;
    for (int i = 0; i < b->count; i++)
      constrained |= is_differentiated_constraint(m, &m->equations[b->equation[i]]);
    for (int v = 0; v < m->flat->variables.count && constrained; v++)
      for (int i = 0; i < b->count; i++)
        if (m->unknown_variable[b->unknown[i]] == v && m->unknown_order[b->unknown[i]] == 0)
          c->multiplier[c->multiplier_count++] = v;
  }
}

// If the number of candidates differs from that of the constraints, some are no multipliers, and none is listed.
static void find_multipliers(ModelConstraints *c, Arena *a, const Model *m) {
  c->multiplier = ARENA_ARRAY(a, int, m->flat->variables.count + 1);
  list_solved_together(c, m);
  if (c->multiplier_count != c->count) leave_out_defined(c, m);
  if (c->multiplier_count != c->count) list_algebraic(c, m), leave_out_defined(c, m);
  if (c->multiplier_count != c->count) c->multiplier_count = 0;
}

ModelConstraints *model_constraints_new(Arena *a, const Model *m) {
  ModelConstraints *c = ARENA_NEW(a, ModelConstraints);
  const EquationText *texts = m->invariant_count ? equation_texts(a, m) : NULL;
  c->at = ARENA_ARRAY(a, ModelConstraint, m->invariant_count + 1);
  for (int i = 0; i < m->invariant_count; i += c->at[c->count++].count) {
    c->at[c->count] = constraint_at(a, m, texts, i);
    c->redundant += c->at[c->count].redundant;
  }
  c->freedom = m->nx;
  for (int i = 0; i < m->invariant_count; i++) c->freedom -= !m->invariants[i].redundant;
  if (c->count) find_multipliers(c, a, m);
  return c;
}

// ---------------------------------------------------------------- sources of redundant constraints

// Derivatives of the constraint by the states, as a column.
static double *slope_of(const ModelConstraint *c, Arena *a, const SystemWork *w) {
  const SparsePart *part = &w->system->sparse.g_x;
  double *slope = ARENA_ARRAY(a, double, part->pattern.columns + 1);
  for (int k = part->pattern.start[c->first]; k < part->pattern.start[c->first + 1]; k++)
    slope[part->pattern.column[k]] = w->invariant_out[part->at + k];
  return slope;
}

static double norm(const double *v, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += v[i] * v[i];
  return sqrt(sum);
}

// Back substitution: R s = z.
static void solve_triangle(const QrSum *q, double *s) {
  int n = q->n;
  for (int i = n - 1; i >= 0; i--) {
    const double *row = &q->R[i * (n + 1)];
    double sum = row[n];
    for (int j = i + 1; j < n; j++) sum -= row[j] * s[j];
    s[i] = row[i] != 0 ? sum / row[i] : nan("");
  }
}

static void trace_one(ModelConstraints *c, ModelConstraint *of, Arena *a, double *const *slope,
                      const int *number, int count, int states) {
  enum { SMALL = 1000000 }; // a coefficient this many times smaller than the derivative is zero
  Arena *scratch = arena_new();
  double **column = ARENA_ARRAY(scratch, double *, count + 1), *share;
  int own = (int)(of - c->at);
  double size = norm(slope[own], states);
  for (int k = 0; k <= count; k++) {
    column[k] = ARENA_ARRAY(scratch, double, states + 1);
    memcpy(column[k], slope[k < count ? number[k] : own], (size_t)states * sizeof(double));
  }
  QrSum *q = qr_sum_new(scratch, count);
  share = ARENA_ARRAY(scratch, double, count + 1);
  qr_sum_add(q, column, states);
  solve_triangle(q, share);
  of->source = ARENA_ARRAY(a, int, count + 1);
  bool explained = fabs(q->R[count * (count + 1) + count]) * SMALL <= size;
  for (int k = 0; k < count && explained; k++)
    if (fabs(share[k]) * norm(slope[number[k]], states) * SMALL > size)
      of->source[of->source_count++] = number[k];
  arena_free(scratch);
}

void model_constraints_trace(ModelConstraints *c, Arena *a, SystemWork *w, double t,
                             const double *x) {
  int states = w->system->nx, count = 0;
  if (!c->redundant || c->count > TRACED_MOST) return;
  system_invariant_sens(w, t, x);
  double **slope = ARENA_ARRAY(a, double *, c->count + 1);
  int *number = ARENA_ARRAY(a, int, c->count + 1);
  for (int k = 0; k < c->count; k++) {
    slope[k] = slope_of(&c->at[k], a, w);
    if (!isfinite(norm(slope[k], states))) return;
    if (!c->at[k].redundant) number[count++] = k;
  }
  for (int k = 0; k < c->count; k++)
    if (c->at[k].redundant) trace_one(c, &c->at[k], a, slope, number, count, states);
}

// ---------------------------------------------------------------- words

const char *times_in_words(Arena *a, int count) {
  if (count == 1) return "once";
  return count == 2 ? "twice" : arena_print(a, "%d times", count);
}

const char *constraint_sources(Arena *a, const ModelConstraints *c, const ModelConstraint *of) {
  Text t;
  text_init(&t);
  text_add(&t, of->source_count == 1 ? "line " : "lines ");
  for (int i = 0; i < of->source_count; i++)
    text_print(&t, "%s%s",
               i == 0                      ? ""
               : i == of->source_count - 1 ? " and "
                                           : ", ",
               c->at[of->source[i]].place);
  const char *copy = of->source_count ? arena_copy(a, t.at, t.length) : "the others";
  text_done(&t);
  return copy;
}
