// Methods of the library NLopt (S. G. Johnson, github.com/stevengj/nlopt): Nelder and Mead's simplex (Comput. J. 7 (1965) 308),
// BOBYQA and COBYLA (Powell, reports DAMTP 2009/NA06 and 1994) from values, and SLSQP (Kraft, report DFVLR-FB 88-28, 1988) from
// the gradient R'Qr. They see u with x = start + unit*u, where a unit is the first step of each unknown.
#include <assert.h>
#include <math.h>
#include <nlopt.h>
#include <string.h>

#include "base/memory.h"
#include "local/common.h"
#include "local/linear.h"
#include "local/sqp_model.h"

typedef struct NloptRow {
  nlopt_algorithm algorithm;
  bool slopes, constraints;
  bool per_unknown; // a step changes little: max_iterations of them for each unknown
  bool fresh;       // ends are checked from a fresh start
} NloptRow;

typedef struct NloptRun {
  const NloptRow *row;
  const Lsq *lsq;
  const LocalOptions *options;
  LocalResult *result;
  // what NLopt sees in one call
  nlopt_opt nlopt;
  double *from;          // x where u = 0
  double *unit;          // of u
  double *lower, *upper; // of u
  bool sine; // x = middle + half range * sin(angle + turn*u) where both bounds are finite
  double *angle, *turn;
  double high;    // above this, objectives are compressed
  double measure; // what objectives and slopes are divided by
  int *told;      // the constraints that NLopt knows, equalities first
  int told_equal, told_count;
  double *told_tol;
  // constraints
  int constraints;       // how many count
  double *c, *C, *c_tol; // their values, slopes and what each may be violated by
  double violation;      // of the best point, in these tolerances
  // progress
  LsqPoint *at;   // evaluated last
  LocalEnd cause; // why NLopt was stopped
  bool stopped;
  double *slope; // scratch
} NloptRun;

static NloptRun *run_new(Arena *a, const NloptRow *row, const Lsq *lsq, const LocalOptions *options,
                         LocalResult *result) {
  int n = lsq->n;
  NloptRun *s = ARENA_NEW(a, NloptRun);
  *s = (NloptRun){.row = row, .lsq = lsq, .options = options, .result = result};
  double **vectors[] = {&s->unit, &s->lower, &s->upper, &s->from, &s->slope, &s->angle, &s->turn};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = ARENA_ARRAY(a, double, n + 1);
  s->at = lsq_point_new(a, n);
  s->sine = row->fresh && options->simplex_bounds == SIMPLEX_BOUNDS_SINE;
  s->constraints = row->constraints ? lsq->equalities + lsq->inequalities : 0;
  s->c = ARENA_ARRAY(a, double, s->constraints + 1);
  s->c_tol = ARENA_ARRAY(a, double, s->constraints + 1);
  s->told = ARENA_ARRAY(a, int, s->constraints + 1);
  s->told_tol = ARENA_ARRAY(a, double, s->constraints + 1);
  s->C = ARENA_ARRAY(a, double, (size_t)(s->constraints + 1) * (size_t)(n + 1));
  return s;
}

// ---------------------------------------------------------------- units

static bool can_move(const Lsq *lsq, int i) {
  return lsq->lower[i] < lsq->upper[i];
}

static bool is_turned(const NloptRun *s, int i) {
  return s->sine && can_move(s->lsq, i) && isfinite(s->lsq->upper[i] - s->lsq->lower[i]);
}

// One unit of u changes x by one unit where it begins, as far as that is possible near a bound.
static void choose_turn(NloptRun *s, int i) {
  static const double TURN_MOST = 0.5;
  double half = (s->lsq->upper[i] - s->lsq->lower[i]) / 2;
  double level = (s->from[i] - s->lsq->lower[i]) / half - 1;
  s->angle[i] = asin(fmin(fmax(level, -1), 1));
  s->turn[i] = fmin(s->unit[i] / (half * cos(s->angle[i])), TURN_MOST);
  s->lower[i] = -HUGE_VAL, s->upper[i] = HUGE_VAL;
}

// With slopes the change that moves the residuals by their own length: the objective then has about the same curvature in
// every unknown, as the first quadratic model of SLSQP has. Unknowns without effect keep their size.
static double change_of_residuals(const NloptRun *s, int i) {
  double sum = 0;
  int n = s->lsq->n;
  for (int j = 0; j <= i; j++) sum += s->at->R[j * n + i] * s->at->R[j * n + i];
  double change = sqrt(2 * s->at->objective / sum);
  return isfinite(change) && change > 0 ? change : s->lsq->typical[i];
}

// The first change of an unknown: at most a quarter of its range.
static void choose_units(NloptRun *s) {
  const Lsq *lsq = s->lsq;
  for (int i = 0; i < lsq->n; i++) {
    double range = lsq->upper[i] - lsq->lower[i];
    double first = s->row->slopes && s->at->has_slopes ? change_of_residuals(s, i)
                                                       : s->options->first_move * lsq->typical[i];
    first = fmin(first, range / 4);
    s->unit[i] = can_move(lsq, i) ? first : 1;
    s->lower[i] = (lsq->lower[i] - s->from[i]) / s->unit[i];
    s->upper[i] = (lsq->upper[i] - s->from[i]) / s->unit[i];
    if (is_turned(s, i)) choose_turn(s, i);
  }
}

// With slopes the first step is one unit long; without, the objective of the start becomes a tenth.
static void choose_measure(NloptRun *s) {
  double squares = 0;
  s->measure = s->high;
  if (!s->row->slopes) return;
  linear_slope(s->lsq->n, s->at->R, s->at->Qr, s->slope, NULL);
  for (int i = 0; i < s->lsq->n; i++)
    squares += s->slope[i] * s->unit[i] * s->slope[i] * s->unit[i];
  if (squares > 0 && isfinite(squares)) s->measure = sqrt(squares);
}

// An unknown at a bound is exactly there.
static void from_units(const NloptRun *s, const double *u, double *x) {
  for (int i = 0; i < s->lsq->n; i++) {
    x[i] = s->from[i] + s->unit[i] * u[i];
    if (is_turned(s, i)) {
      double half = (s->lsq->upper[i] - s->lsq->lower[i]) / 2;
      x[i] = s->lsq->lower[i] + half * (1 + sin(s->angle[i] + s->turn[i] * u[i]));
      continue;
    }
    if (u[i] <= s->lower[i]) x[i] = s->lsq->lower[i];
    if (u[i] >= s->upper[i]) x[i] = s->lsq->upper[i];
  }
  local_clamp(s->lsq, x);
}

// ---------------------------------------------------------------- constraints

// A constraint may be violated by what a relative change of every unknown by step_tol does to it.
static void choose_tolerances(NloptRun *s) {
  const Lsq *lsq = s->lsq;
  double change = fmax(s->options->step_tol, 1e-10);
  if (s->constraints == 0) return;
  lsq->constraints(lsq->self, s->from, s->c, s->C);
  for (int k = 0; k < s->constraints; k++) {
    s->c_tol[k] = 0;
    for (int i = 0; i < lsq->n; i++)
      s->c_tol[k] += change * fabs(s->C[k * lsq->n + i]) * fmax(fabs(s->from[i]), lsq->typical[i]);
    if (!(s->c_tol[k] > 0) || !isfinite(s->c_tol[k])) s->c_tol[k] = change;
  }
}

// The largest violation, in tolerances.
static double violation(NloptRun *s, const double *x) {
  double most = 0;
  if (s->constraints == 0) return 0;
  s->lsq->constraints(s->lsq->self, x, s->c, NULL);
  for (int k = 0; k < s->constraints; k++) {
    double by = k < s->lsq->equalities ? fabs(s->c[k]) : fmax(0, -s->c[k]);
    most = isnan(by) ? HUGE_VAL : fmax(most, by / s->c_tol[k]);
  }
  return most;
}

// NLopt will know constraint k.
static void tell(NloptRun *s, int k) {
  s->told[s->told_count] = k;
  s->told_tol[s->told_count++] = s->c_tol[k];
  if (k < s->lsq->equalities) s->told_equal++;
}

static void tell_all(NloptRun *s) {
  s->told_count = s->told_equal = 0;
  for (int k = 0; k < s->constraints; k++) tell(s, k);
}

// Slopes that are a combination of others but for this part of their length are dependent.
static const double DEPENDENT = 1e-7;

// Makes row k of C, in relative changes, orthogonal to the basis. False: nothing is left of it.
static bool is_new(const NloptRun *s, const double *basis, int count, int k, double *row) {
  int n = s->lsq->n;
  double whole = 0, rest = 0;
  for (int i = 0; i < n; i++) {
    row[i] = s->C[(size_t)k * n + i] * fmax(fabs(s->from[i]), s->lsq->typical[i]);
    whole = hypot(whole, row[i]);
  }
  for (int m = 0; m < 2 * count; m++) { // twice, for accuracy
    const double *other = basis + (size_t)(m % count) * n;
    double part = 0;
    for (int i = 0; i < n; i++) part += other[i] * row[i];
    for (int i = 0; i < n; i++) row[i] -= part * other[i];
  }
  for (int i = 0; i < n; i++) rest = hypot(rest, row[i]);
  if (!(rest > DEPENDENT * whole)) return false;
  for (int i = 0; i < n; i++) row[i] /= rest;
  return true;
}

// NLopt loses its way among constraints that say the same twice. At a start that satisfies them, it is told of equalities
// whose slopes are independent, and not of active inequalities that follow from these.
static void tell_independent(NloptRun *s) {
  int n = s->lsq->n;
  Arena *a = arena_new();
  double *basis = ARENA_ARRAY(a, double, (size_t)(s->constraints + 1) * (size_t)(n + 1));
  s->lsq->constraints(s->lsq->self, s->from, s->c, s->C);
  s->told_count = s->told_equal = 0;
  for (int k = 0; k < s->constraints; k++) {
    bool fresh = is_new(s, basis, s->told_equal, k, basis + (size_t)s->told_equal * n);
    bool slack = k >= s->lsq->equalities && s->c[k] > s->c_tol[k];
    if (fresh || slack) tell(s, k);
  }
  arena_free(a);
}

// NLopt wants inequalities <= 0.
static void hand_constraints(NloptRun *s, const double *u, const int *rows, int count, double sign,
                             double *c, double *slopes) {
  int n = s->lsq->n;
  double *x = s->slope; // scratch
  from_units(s, u, x);
  s->lsq->constraints(s->lsq->self, x, s->c, slopes ? s->C : NULL);
  for (int k = 0; k < count; k++) {
    c[k] = sign * s->c[rows[k]];
    for (int i = 0; slopes && i < n; i++)
      slopes[k * n + i] = sign * s->C[rows[k] * n + i] * s->unit[i];
  }
}

static void equalities(unsigned m, double *c, unsigned n, const double *u, double *slopes,
                       void *self) {
  (void)n;
  NloptRun *s = self;
  hand_constraints(s, u, s->told, (int)m, 1, c, slopes);
}

static void inequalities(unsigned m, double *c, unsigned n, const double *u, double *slopes,
                         void *self) {
  (void)n;
  NloptRun *s = self;
  hand_constraints(s, u, s->told + s->told_equal, (int)m, -1, c, slopes);
}

// ---------------------------------------------------------------- evaluation

static void stop(NloptRun *s, LocalEnd cause) {
  s->stopped = true;
  s->cause = cause;
  nlopt_force_stop(s->nlopt);
}

static LsqEnd evaluate(NloptRun *s, bool slopes) {
  return slopes ? local_eval(s->lsq, s->at, HUGE_VAL, s->result)
                : local_value(s->lsq, s->at, s->result);
}

// Where constraints are broken, less of that is better.
static bool is_better(const NloptRun *s, double by) {
  const LsqPoint *best = s->result->best;
  if (s->at->objective == HUGE_VAL) return false;
  if (by <= 1 && s->violation <= 1) return s->at->objective < best->objective;
  return by < s->violation;
}

// Keeps the point that was evaluated last where it is the best, and looks whether the search is over.
static void note(NloptRun *s) {
  LocalEnd how;
  LocalResult *r = s->result;
  double by = violation(s, s->at->x);
  double most = (double)s->options->max_iterations * (s->row->per_unknown ? s->lsq->n : 1);
  if (!is_better(s, by)) return;
  lsq_point_copy(r->best, s->at, s->lsq->n);
  s->violation = by;
  r->iterations++;
  if (s->lsq->accepted) s->lsq->accepted(s->lsq->self, r->best, r->iterations);
  if (by <= 1 && local_is_good(r->best, s->options, &how))
    stop(s, how);
  else if (r->iterations >= most)
    stop(s, LOCAL_ITERATIONS_END);
}

// Linear and quadratic models fail beside a steep wall: far above the start the objective is replaced by its logarithm, which
// keeps the order of points; where the model cannot be simulated, it is a million times as high.
static double flattened(const NloptRun *s, double V) {
  double far = fmin(V / s->high, 1e6);
  return (far > 1 && !s->row->slopes ? 1 + log(far) : far) * s->high / s->measure;
}

// What NLopt minimises.
static double objective(unsigned n, const double *u, double *slopes, void *self) {
  NloptRun *s = self;
  from_units(s, u, s->slope);
  bool again = memcmp(s->slope, s->at->x, n * sizeof *u) == 0 && (!slopes || s->at->has_slopes);
  if (!again && !s->stopped) {
    memcpy(s->at->x, s->slope, n * sizeof *u);
    if (evaluate(s, slopes) == LSQ_STOP)
      stop(s, LOCAL_STOPPED_END);
    else
      note(s);
  }
  if (slopes) memset(slopes, 0, n * sizeof *slopes);
  if (slopes && s->at->has_slopes) {
    linear_slope((int)n, s->at->R, s->at->Qr, s->slope, NULL);
    for (unsigned i = 0; i < n; i++) slopes[i] = s->slope[i] * s->unit[i] / s->measure;
  }
  return flattened(s, s->at->objective);
}

// ---------------------------------------------------------------- the run

static bool begin(NloptRun *s) {
  LsqPoint *best = s->result->best;
  LocalEnd *end = &s->result->end;
  bool moves = false;
  int n = s->lsq->n;
  if (n) memcpy(s->at->x, best->x, (size_t)n * sizeof *best->x);
  local_clamp(s->lsq, s->at->x);
  bool satisfied = s->constraints && sqp_reach_constraints(s->lsq, s->at->x);
  LsqEnd e = evaluate(s, s->row->slopes);
  if (e == LSQ_FAILED && local_move_off_bounds(s->lsq, s->at->x)) e = evaluate(s, s->row->slopes);
  lsq_point_copy(best, s->at, n);
  if (n) memcpy(s->from, best->x, (size_t)n * sizeof *best->x);
  choose_tolerances(s);
  s->violation = violation(s, best->x);
  if (satisfied && s->violation <= 1)
    tell_independent(s);
  else
    tell_all(s);
  s->high = best->objective > 0 ? 10 * best->objective : 1;
  if (local_ends_at_start(e, best, s->options, end) && (e != LSQ_DONE || s->violation <= 1))
    return false;
  for (int i = 0; i < n; i++) moves = moves || can_move(s->lsq, i);
  *end = s->violation > 1 ? LOCAL_INFEASIBLE_END : LOCAL_STEP_END;
  return moves;
}

static void made(nlopt_result how) {
  if (how == NLOPT_OUT_OF_MEMORY) out_of_memory();
}

static void set_up(NloptRun *s, double step) {
  const Lsq *lsq = s->lsq;
  s->nlopt = must_have(nlopt_create(s->row->algorithm, (unsigned)lsq->n));
  made(nlopt_set_min_objective(s->nlopt, objective, s));
  made(nlopt_set_lower_bounds(s->nlopt, s->lower));
  made(nlopt_set_upper_bounds(s->nlopt, s->upper));
  made(nlopt_set_initial_step1(s->nlopt, step));
  double *tol = s->slope; // scratch
  for (int i = 0; i < lsq->n; i++)
    tol[i] = s->options->step_tol * local_size(lsq, s->from, i) / s->unit[i];
  made(nlopt_set_xtol_abs(s->nlopt, tol));
  made(nlopt_set_ftol_rel(s->nlopt, s->options->reduction_tol));
  made(nlopt_set_ftol_abs(s->nlopt, lsq->noise / s->measure));
  int equal = s->told_equal, unequal = s->told_count - equal;
  if (equal)
    made(nlopt_add_equality_mconstraint(s->nlopt, (unsigned)equal, equalities, s, s->told_tol));
  if (unequal)
    made(nlopt_add_inequality_mconstraint(s->nlopt, (unsigned)unequal, inequalities, s,
                                          s->told_tol + equal));
}

static LocalEnd end_of(const NloptRun *s, nlopt_result how) {
  if (how == NLOPT_OUT_OF_MEMORY) out_of_memory();
  assert(how != NLOPT_INVALID_ARGS);
  if (s->stopped) return s->cause;
  if (s->violation > 1) return LOCAL_INFEASIBLE_END;
  switch (how) {
  case NLOPT_XTOL_REACHED: return LOCAL_STEP_END;
  case NLOPT_FAILURE: return LOCAL_NO_DESCENT_END;
  default: return LOCAL_REDUCTION_END; // smaller than reduction_tol, or than rounding
  }
}

// Slopes at the best point, where they were not needed on the way.
static void complete(NloptRun *s) {
  LsqPoint *best = s->result->best;
  if (!s->row->slopes || best->has_slopes || best->objective == HUGE_VAL) return;
  lsq_point_copy(s->at, best, s->lsq->n);
  if (evaluate(s, true) == LSQ_DONE) lsq_point_copy(best, s->at, s->lsq->n);
}

static void run_once(NloptRun *s, double step, double *u) {
  double lowest;
  int n = s->lsq->n;
  lsq_point_copy(s->at, s->result->best, n);
  memcpy(s->from, s->at->x, (size_t)n * sizeof *s->from);
  memset(u, 0, (size_t)n * sizeof *u);
  choose_units(s);
  set_up(s, step);
  s->result->end = end_of(s, nlopt_optimize(s->nlopt, u, &lowest));
  nlopt_destroy(s->nlopt);
}

// A simplex may end flat, at a bound or between two equal points: a fresh and smaller one shows whether it did.
static const double FRESH_STEP = 0.1, FRESH_GAIN = 1e-6;

static void run_fresh(NloptRun *s, double *u) {
  const LsqPoint *best = s->result->best;
  double before;
  do {
    before = best->objective;
    run_once(s, FRESH_STEP, u);
  } while (!s->stopped && before - best->objective > FRESH_GAIN * before);
}

// Under constraints NLopt's methods may end anywhere. A step of the SQP that promises this part of the objective, and
// changes an unknown by more than this part of it, shows that they ended too early.
static const double LARGE_GAIN = 1e-2, LARGE_STEP = 1e-3;

// One simulation with slopes.
static bool is_stationary(NloptRun *s) {
  const LsqPoint *best = s->result->best;
  lsq_point_copy(s->at, best, s->lsq->n);
  if (!s->at->has_slopes) {
    LsqEnd e = evaluate(s, true);
    if (e == LSQ_STOP) s->stopped = true, s->result->end = LOCAL_STOPPED_END;
    if (e != LSQ_DONE) return true; // unknown
  }
  double gain = sqp_promise(s->lsq, s->at, LARGE_STEP);
  return gain <= LARGE_GAIN * best->objective + s->lsq->noise;
}

// Ends are checked, and the search goes on from them as long as that helps: with the constraints that are independent
// there, then with all.
static void run_constrained(NloptRun *s, double *u) {
  const LsqPoint *best = s->result->best;
  int in_vain = 0;
  while (!s->stopped && s->violation <= 1 && !is_stationary(s)) {
    double before = best->objective;
    memcpy(s->from, best->x, (size_t)s->lsq->n * sizeof *s->from);
    if (in_vain == 0)
      tell_independent(s);
    else
      tell_all(s);
    run_once(s, 1, u);
    in_vain = best->objective < (1 - FRESH_GAIN) * before ? 0 : in_vain + 1;
    if (in_vain < 2 || s->stopped) continue;
    s->result->end = LOCAL_NO_DESCENT_END;
    return;
  }
}

static void minimise(const NloptRow *row, const Lsq *lsq, const LocalOptions *options,
                     LocalResult *result) {
  Arena *a = arena_new();
  NloptRun *s = run_new(a, row, lsq, options, result);
  double *u = ARENA_ARRAY(a, double, lsq->n + 1);
  result->iterations = result->evaluations = 0;
  if (begin(s)) {
    choose_units(s);
    choose_measure(s);
    run_once(s, 1, u);
    if (row->fresh && !s->stopped) run_fresh(s, u);
    for (int k = 0; row->fresh && k < options->simplex_restarts && !s->stopped; k++) {
      run_once(s, 1, u);
      if (!s->stopped) run_fresh(s, u);
    }
    if (s->constraints) run_constrained(s, u);
    if (result->end != LOCAL_STOPPED_END) complete(s);
  }
  arena_free(a);
}

static const NloptRow NELDER_MEAD = {NLOPT_LN_NELDERMEAD, .per_unknown = true, .fresh = true},
                      BOBYQA = {NLOPT_LN_BOBYQA, .per_unknown = true},
                      COBYLA = {NLOPT_LN_COBYLA, .constraints = true, .per_unknown = true},
                      SLSQP = {NLOPT_LD_SLSQP, .slopes = true, .constraints = true};

void local_nelder_mead(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  minimise(&NELDER_MEAD, lsq, options, result);
}

void local_bobyqa(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  minimise(&BOBYQA, lsq, options, result);
}

void local_cobyla(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  minimise(&COBYLA, lsq, options, result);
}

void local_slsqp(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  minimise(&SLSQP, lsq, options, result);
}
