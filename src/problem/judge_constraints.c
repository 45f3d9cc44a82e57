// Checks that the constraints can hold, that they hold at the start, and that the method supports them.
#include <math.h>

#include "num/lsi.h"
#include "problem/constraint_rows.h"
#include "problem/reader.h"
#include "simulate/closed.h"

// ---------------------------------------------------------------- whether they can hold

static Place place_in_file(const ProblemReader *r, const Constraint *one) {
  const char *file = one->line ? r->source->name : "--set constraints";
  return (Place){.file = file, .line = one->line, .column = one->column};
}

static bool check_range(ProblemReader *r, const Constraint *one) {
  const Problem *p = r->problem;
  for (int i = 0; i < one->row_count; i++) {
    double low, high, least, most;
    constraint_range(&p->constraints.rows[one->rows[i]], p->unknowns, &low, &high);
    double noise = 1e-12 * fmax(isfinite(low) ? fabs(low) : 0, isfinite(high) ? fabs(high) : 0);
    if (!(high < -noise) && !(one->equality && low > noise)) continue;
    constraint_range(one->shown, p->unknowns, &least, &most);
    char from[32], to[32];
    number_format(least, from), number_format(most, to);
    return reader_fail_place(r, place_in_file(r, one), ERR_VALUE,
                             "'%.100s' cannot hold inside the bounds of the unknowns: they allow "
                             "%s to %s",
                             one->text, from, to);
  }
  return true;
}

// Linear constraints on the differences of the unknowns from their start values, in units of these.
typedef struct LinearPart {
  LsiProblem q;
  Lsi *work;
  double *size, *A, *b, *d;
  double *c, *C; // at the start
} LinearPart;

static LinearPart linear_part(Arena *a, const Problem *p) {
  int n = p->unknown_count, rows = p->constraints.equalities + p->constraints.inequalities;
  double *x = ARENA_ARRAY(a, double, n), *low = ARENA_ARRAY(a, double, n);
  double *high = ARENA_ARRAY(a, double, n);
  LinearPart l = {.work = lsi_new(a, n, 0, rows),
                  .size = ARENA_ARRAY(a, double, n),
                  .A = ARENA_ARRAY(a, double, (size_t)rows *n),
                  .b = ARENA_ARRAY(a, double, rows),
                  .d = ARENA_ARRAY(a, double, n),
                  .c = ARENA_ARRAY(a, double, rows),
                  .C = ARENA_ARRAY(a, double, (size_t)rows *n)};
  for (int i = 0; i < n; i++) {
    const Unknown *f = &p->unknowns[i];
    x[i] = f->start, l.size[i] = f->start != 0 ? fabs(f->start) : 1;
    low[i] = (f->min - x[i]) / l.size[i], high[i] = (f->max - x[i]) / l.size[i];
  }
  problem_constraints(p, x, l.c, l.C);
  l.q = (LsiProblem){.n = n, .low = low, .high = high, .A = l.A, .b = l.b};
  return l;
}

// Adds a row and returns whether it can hold together with the previous ones.
static bool can_hold_too(LinearPart *l, int row, bool equality) {
  int n = l->q.n, to = l->q.equalities + l->q.inequalities;
  double *A = l->A + (size_t)to * n, norm = 0;
  for (int j = 0; j < n; j++) {
    A[j] = l->C[(size_t)row * n + j] * l->size[j];
    norm = hypot(norm, A[j]);
  }
  l->b[to] = -l->c[row];
  *(equality ? &l->q.equalities : &l->q.inequalities) += 1;
  double far = 1 + fabs(l->c[row]) / norm; // from the start
  return !(lsi_nearest(l->work, &l->q, l->d) > 1e-9 * far);
}

static bool check_linear(ProblemReader *r) {
  const ProblemConstraints *all = &r->problem->constraints;
  LinearPart l = linear_part(r->scratch, r->problem);
  for (int turn = 0; turn < 2; turn++) // equalities come first
    for (int i = 0; i < all->count; i++) {
      const Constraint *one = &all->at[i];
      for (int k = 0; k < one->row_count && one->equality == (turn == 0); k++)
        if (constraint_is_linear(&all->rows[one->rows[k]]) &&
            !can_hold_too(&l, one->rows[k], one->equality))
          return reader_fail_place(r, place_in_file(r, one), ERR_VALUE,
                                   "'%.100s' cannot hold together with the other constraints and "
                                   "the bounds of the unknowns",
                                   one->text);
    }
  return true;
}

// Finds limits of the same expression that exclude each other.
static bool check_same(ProblemReader *r) {
  const ProblemConstraints *all = &r->problem->constraints;
  for (int i = 0; i < all->count; i++)
    for (int k = 0; k <= i; k++) {
      const Constraint *one = &all->at[i], *other = &all->at[k];
      double low = fmax(one->low, other->low), high = fmin(one->high, other->high);
      double noise = 1e-12 * fmax(fabs(low), fabs(high));
      if (low - high <= noise || !constraint_rows_equal(one->shown, other->shown)) continue;
      return reader_fail_place(
          r, place_in_file(r, one), ERR_VALUE, "'%.100s' cannot hold%s%.100s%s", one->text,
          i == k ? "" : " together with '", i == k ? "" : other->text, i == k ? "" : "'");
    }
  return true;
}

static void warn_at_start(ProblemReader *r) {
  const Problem *p = r->problem;
  double *x = ARENA_ARRAY(r->scratch, double, p->unknown_count);
  for (int i = 0; i < p->unknown_count; i++) x[i] = p->unknowns[i].start;
  for (int k = 0; k < p->constraints.count; k++) {
    const Constraint *one = &p->constraints.at[k];
    if (constraint_state(p, k, x) != CONSTRAINT_VIOLATED) continue;
    char value[32];
    number_format(constraint_value(p, k, x), value);
    reader_warn(r, place_in_file(r, one),
                "the start values do not satisfy '%.100s'%s%s: it is %s there; the search first "
                "moves to where it holds",
                one->text, one->experiment < 0 ? "" : " in ",
                one->experiment < 0 ? "" : p->experiments[one->experiment].name, value);
  }
}

// ---------------------------------------------------------------- methods

// With constraints the local searches of other methods use sqp, regardless of the option local.
static bool keeps_constraints(Method m, const MethodParts *parts) {
  if (!method_has(m, METHOD_COMPOSITE)) return method_has(m, METHOD_CONSTRAINTS);
  for (int i = 0; i < parts->count; i++)
    if (!method_has(parts->at[i], METHOD_CONSTRAINTS)) return false;
  return true;
}

// Methods that couple the model to the data, or integrate its equations over them, are about simulations.
static bool needs_simulations(Method *m, const MethodParts *parts) {
  bool composite = method_has(*m, METHOD_COMPOSITE);
  for (int i = composite ? 0 : -1; i < (composite ? parts->count : 0); i++) {
    Method one = i < 0 ? *m : parts->at[i];
    if (one != METHOD_HOMOTOPY && one != METHOD_WEAK) continue;
    *m = one;
    return true;
  }
  return false;
}

// Why a method cannot be used with a closed simulator; NULL: it can.
static const char *obstacle_of_closed(const Problem *p, Method m) {
  if (m == METHOD_WEAK) return "the weak form integrates the equations over the data";
  if (m == METHOD_NEWTON) return "second derivatives come from the equations";
  if (m == METHOD_HOMOTOPY && !p->closed->has_slopes_of_states)
    return "homotopy adds a feedback to the derivatives of the states, which only model-exchange "
           "FMUs offer";
  return NULL;
}

static bool closed_suits(const Problem *p, Method m, const MethodParts *parts, Err *err) {
  bool composite = method_has(m, METHOD_COMPOSITE);
  for (int i = composite ? 0 : -1; p->closed && i < (composite ? parts->count : 0); i++) {
    Method one = i < 0 ? m : parts->at[i];
    const char *why = obstacle_of_closed(p, one);
    if (why)
      return fail(err, ERR_OPTION,
                  "method %s cannot be used with the %s %.100s: %s; use auto, lm or another local "
                  "or global method",
                  method_word(one), p->closed->kind, p->closed->name, why);
  }
  return true;
}

bool problem_method_suits(const Problem *p, Method m, const MethodParts *parts, Err *err) {
  if (!closed_suits(p, m, parts, err)) return false;
  if (!problem_simulates(p) && needs_simulations(&m, parts))
    return fail(
        err, ERR_OPTION,
        "method %s is about simulations, and residual: %s begins at the data everywhere; use "
        "auto, a local or a global method",
        method_word(m), residual_word(p));
  if (!p->constraints.count || keeps_constraints(m, parts)) return true;
  Text name, list;
  text_init(&name), text_init(&list);
  method_print(m, parts, &name);
  for (int i = 0; i < METHOD_COUNT; i++)
    if (method_has((Method)i, METHOD_CONSTRAINTS))
      text_print(&list, "%s%s", list.length ? ", " : "", method_word((Method)i));
  fail(err, ERR_OPTION,
       "method %s does not support constraints; these do: %s, multistart and portfolio of them",
       name.at, list.at);
  text_done(&name), text_done(&list);
  return false;
}

static bool check_method(ProblemReader *r, const Yaml *constraints) {
  const Problem *p = r->problem;
  const Yaml *n = yaml_find(r->root, "method");
  Err own = {0};
  if (problem_method_suits(p, p->method, &p->parts, &own)) return true;
  if (!yaml_is_null(n)) return reader_fail(r, n, own.code, "%s", own.text);
  return reader_fail_key(r, constraints, own.code, "%s", own.text);
}

bool judge_constraints(ProblemReader *r, const Yaml *n) {
  for (int i = 0; i < r->problem->constraints.count; i++)
    if (!check_range(r, &r->problem->constraints.at[i])) return false;
  if (!check_linear(r) || !check_same(r) || !check_method(r, n)) return false;
  warn_at_start(r);
  return true;
}
