// Sequential quadratic programming of the least squares: each step minimises the linear model of the residuals inside the
// bounds, a rectangular trust region and the linear constraints (the idea of NLSSOL: Gill, Murray, Saunders and Wright, report
// SOL 86-2, Stanford). Values of constraints cost nothing beside a simulation, so points are taken back to the constraints
// before they are simulated.
#include <math.h>
#include <string.h>

#include "local/nlopt_methods.h"
#include "local/sqp_help.h"
#include "local/sqp_parts.h"

static Sqp *sqp_new(Arena *a, const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  int n = lsq->n, m = lsq->constraints ? lsq->equalities + lsq->inequalities : 0;
  size_t square = (size_t)n * (size_t)n + 1, wide = (size_t)m * (size_t)n + 1;
  Sqp *s = ARENA_NEW(a, Sqp);
  s->lsq = lsq, s->options = options, s->result = result, s->m = m;
  s->at = lsq_point_new(a, n);
  s->trial = lsq_point_new(a, n);
  s->curvature = curvature_new(a, n);
  s->lsi = lsi_new(a, n, n, m);
  s->forces = lsi_new(a, n + m, n, 0);
  double **by_number[] = {&s->scale,     &s->seen,      &s->unseen, &s->slope, &s->norm,
                          &s->old_slope, &s->curved_Qr, &s->full,   &s->rest,  &s->bent_z,
                          &s->d,         &s->low,       &s->high,   &s->step};
  for (size_t i = 0; i < sizeof by_number / sizeof *by_number; i++)
    *by_number[i] = ARENA_ARRAY(a, double, n + 1);
  double **by_constraint[] = {&s->c,   &s->c_new,      &s->length,         &s->b,
                              &s->tol, &s->multiplier, &s->multiplier_of_d};
  for (size_t i = 0; i < sizeof by_constraint / sizeof *by_constraint; i++)
    *by_constraint[i] = ARENA_ARRAY(a, double, m + 1);
  s->C = ARENA_ARRAY(a, double, wide);
  s->C_new = ARENA_ARRAY(a, double, wide);
  s->A = ARENA_ARRAY(a, double, wide);
  s->M = ARENA_ARRAY(a, double, square);
  s->curved_R = ARENA_ARRAY(a, double, square);
  s->bent_R = ARENA_ARRAY(a, double, square);
  s->H = ARENA_ARRAY(a, double, square);
  return s;
}

static void end(Sqp *s, LocalEnd how) {
  s->result->end = how;
  s->ended = true;
}

static void copy(const Sqp *s, double *to, const double *from) {
  if (s->lsq->n) memcpy(to, from, (size_t)s->lsq->n * sizeof *to);
}

// ---------------------------------------------------------------- the point

static void choose_scale(Sqp *s) {
  const LsqPoint *p = s->at;
  double length = sqrt(2 * p->objective);
  linear_slope(s->lsq->n, p->R, p->Qr, s->slope, s->norm);
  for (int i = 0; i < s->lsq->n; i++) {
    double size = fmax(fabs(p->x[i]), s->lsq->typical[i]);
    s->seen[i] = fmax(s->seen[i], s->norm[i]);
    s->unseen[i] = fmax(s->unseen[i], length / size);
    s->scale[i] = s->seen[i] > 0 ? s->seen[i] : s->unseen[i] > 0 ? s->unseen[i] : 1;
  }
}

// Where residuals can be made much smaller, their own model is the best one.
static const double LARGE_PART = 0.3;

// The constraints at the point, which have been computed on the way to it.
static void take_constraints(Sqp *s) {
  double *C = s->C, *c = s->c;
  s->C = s->C_new, s->C_new = C;
  s->c = s->c_new, s->c_new = c;
  sqp_measure(s, s->at->x, s->C);
  s->violation = sqp_violation(s, s->c);
}

// The step to the minimum of the model under the constraints.
static void aim(Sqp *s) {
  s->model = s->told;
  sqp_bend(s, &s->told, &s->model);
  sqp_find_step(s, &s->model, HUGE_VAL, s->full, s->multiplier_of_d);
  s->full_gain = linear_gain(&s->model, s->full);
}

static void use_residuals(Sqp *s) {
  s->curved = false;
  s->told = s->residuals;
  aim(s);
}

static void look_around(Sqp *s) {
  int n = s->lsq->n;
  const LsqPoint *p = s->at;
  bool curved = s->curved;
  choose_scale(s);
  if (s->m) take_constraints(s);
  sqp_find_forces(s);
  s->residuals = (LinearModel){n, p->R, p->Qr, s->scale, NULL, NULL};
  if (s->result->iterations > 0)
    curvature_update(s->curvature, s->trial, s->old_slope, p, s->slope);
  use_residuals(s);
  s->curved = curved && s->full_gain < LARGE_PART * p->objective &&
              curvature_model(s->curvature, p, s->slope, s->scale, s->curved_R, s->curved_Qr);
  if (s->curved) {
    s->told.R = s->curved_R, s->told.Qr = s->curved_Qr;
    aim(s);
  }
  s->highest = fmax(s->highest, p->objective);
}

// The largest cosine between the residuals and a column of R, as far as no constraint and no bound holds it: 0 where Kuhn
// and Tucker's conditions are satisfied.
static double cosine(const Sqp *s) {
  double length = sqrt(2 * s->at->objective), most = 0;
  for (int i = 0; i < s->lsq->n; i++) {
    double norm = s->norm[i] > 0 ? s->norm[i] : s->scale[i];
    if (s->rest[i] != 0) most = fmax(most, fabs(s->rest[i]) / (norm * length));
  }
  return most;
}

// Whether only constraints that hold push.
static bool is_complementary(const Sqp *s) {
  for (int k = s->lsq->equalities; k < s->m; k++)
    if (s->multiplier[k] > 0 && s->c[k] / s->length[k] > s->tol[k]) return false;
  return true;
}

static bool is_small(const Sqp *s, const double *d) {
  return local_is_small(s->lsq, s->at->x, d, s->options->step_tol);
}

static void take_unseen(Sqp *s) {
  sqp_set_point(s, s->at->x, s->full, s->trial->x);
  if (sqp_go_to_constraints(s, s->trial->x, 20) == 0) copy(s, s->at->x, s->trial->x);
  end(s, LOCAL_STEP_END);
}

static bool has_converged(Sqp *s) {
  const LocalOptions *o = s->options;
  if (s->violation > 0) return false;
  if (is_complementary(s) && cosine(s) <= o->gradient_tol)
    end(s, LOCAL_GRADIENT_END);
  else if (!o->rough && is_small(s, s->full))
    end(s, LOCAL_STEP_END); // not worth a simulation
  else if (s->full_gain <= o->reduction_tol * s->at->objective)
    end(s, LOCAL_REDUCTION_END);
  else if (o->rough && is_small(s, s->full))
    take_unseen(s);
  return s->ended;
}

// ---------------------------------------------------------------- trials

static double largest(const Sqp *s, const double *d) {
  double most = 0;
  for (int i = 0; i < s->lsq->n; i++) most = fmax(most, fabs(s->scale[i] * d[i]));
  return most;
}

// A violation must cost more than it can gain: that is what the multipliers say.
static void raise_penalty(Sqp *s, double gone) {
  double most = 0;
  for (int k = 0; k < s->m; k++)
    most = fmax(most, fmax(fabs(s->multiplier[k]), fabs(s->multiplier_of_d[k])) * s->length[k]);
  if (s->penalty < 1.5 * most) s->penalty = 2 * most;
  if (gone > 0 && s->gain + 0.5 * s->penalty * gone < 0) s->penalty = -4 * s->gain / gone;
}

static double merit_change(const Sqp *s, double left) {
  return s->penalty * (s->violation - left);
}

static bool propose(Sqp *s) {
  sqp_find_step(s, &s->model, s->radius, s->d, s->multiplier_of_d);
  s->size = largest(s, s->d);
  s->limited = s->size >= s->radius;
  sqp_set_point(s, s->at->x, s->d, s->trial->x);
  double left = s->m ? sqp_go_to_constraints(s, s->trial->x, 8) : 0;
  bool moves = false;
  for (int i = 0; i < s->lsq->n; i++) {
    s->d[i] = s->trial->x[i] - s->at->x[i];
    moves = moves || s->d[i] != 0;
  }
  s->gain = linear_gain(&s->told, s->d);
  if (s->m) raise_penalty(s, s->violation - left);
  s->promise = s->gain + (s->m ? merit_change(s, left) : 0);
  return moves;
}

// Curvature is used next when it would have told the last gain better, and the residuals' model told it badly.
static void choose_model(Sqp *s, double gain) {
  double told = linear_gain(&s->residuals, s->d);
  double curved = told + curvature_gain(s->curvature, s->d);
  s->curved = fabs(told - gain) > 0.2 * fabs(told) && fabs(curved - gain) <= fabs(told - gain);
}

static void judge(Sqp *s, double ratio) {
  if (ratio < 0.25)
    s->radius = (ratio > 0 ? 0.5 : 0.25) * fmin(s->radius, s->size);
  else if (ratio > 0.75)
    s->radius = fmax(s->radius, 2 * s->size);
}

// Steps look for the constraints first: when several hardly come closer, there is no way.
enum { STUCK_MOST = 5 };

static bool is_stuck(Sqp *s, double left) {
  s->stuck = left > 0.999 * s->violation ? s->stuck + 1 : 0;
  return left > 0 && s->stuck >= STUCK_MOST;
}

static void accept(Sqp *s, double ratio, double left) {
  const LocalOptions *o = s->options;
  LocalEnd how;
  double before = s->at->objective, gain = before - s->trial->objective;
  bool done = s->violation == 0 && left == 0 && !s->limited;
  bool small = done && is_small(s, s->d) && is_small(s, s->full);
  bool level = done && fmax(s->gain, s->full_gain) <= o->reduction_tol * before &&
               gain <= o->reduction_tol * before && ratio <= 2;
  bool stuck = s->violation > 0 && is_stuck(s, left);
  choose_model(s, gain);
  copy(s, s->old_slope, s->slope);
  LsqPoint *old = s->at;
  s->at = s->trial;
  s->trial = old;
  s->rejected = 0;
  s->result->iterations++;
  if (s->lsq->accepted) s->lsq->accepted(s->lsq->self, s->at, s->result->iterations);
  if (left == 0 && local_is_good(s->at, o, &how))
    end(s, how);
  else if (small)
    end(s, LOCAL_STEP_END);
  else if (level)
    end(s, LOCAL_REDUCTION_END);
  else if (stuck)
    end(s, LOCAL_INFEASIBLE_END);
}

// As in descent.c: errors of the simulation, and of rounding.
static double noise(const Sqp *s) {
  double floor = s->lsq->noise, V = s->at->objective;
  if (V <= 1e6 * floor && s->rejected >= 2) {
    double raised = (s->rejected == 2 ? 1e2 : 1e4) * floor;
    if (s->worse <= 2 * sqrt(V * raised) + raised) floor = raised;
  }
  double unknown = V < 1e-14 * s->highest ? 1e-16 * s->highest : 1e-15 * V;
  return fmax(2 * sqrt(V * floor) + floor, unknown);
}

// A search whose steps have become too short to matter.
static LocalEnd end_of_short_steps(const Sqp *s) {
  if (s->violation > 0) return LOCAL_INFEASIBLE_END;
  return s->full_gain <= 1e-3 * s->at->objective ? LOCAL_REDUCTION_END : LOCAL_NO_DESCENT_END;
}

// Constraints bend too much for a step as long as this.
static void shorten(Sqp *s) {
  judge(s, -1);
  if (s->curved) {
    use_residuals(s);
  } else if (is_small(s, s->d)) {
    end(s, end_of_short_steps(s));
  }
}

static void reject(Sqp *s) {
  s->rejected++;
  if (s->curved) { // blame the curvature first
    use_residuals(s);
    return;
  }
  bool small = is_small(s, s->d);
  if (s->violation == 0 && (s->promise <= noise(s) || (small && !s->limited)))
    end(s, LOCAL_REDUCTION_END);
  else if (small)
    end(s, end_of_short_steps(s));
}

static void try_step(Sqp *s) {
  bool moves = propose(s);
  if (!moves) {
    end(s, s->violation > 0 ? LOCAL_INFEASIBLE_END : LOCAL_STEP_END);
    return;
  }
  if (s->m && !(s->promise > 0)) {
    shorten(s);
    return;
  }
  if (!(s->promise > 0)) {
    end(s, LOCAL_STEP_END);
    return;
  }
  double left = s->m ? sqp_violation(s, s->c_new) : 0, V = s->at->objective;
  double gone = s->m ? merit_change(s, left) : 0;
  LsqEnd how = local_eval(s->lsq, s->trial, V + gone, s->result);
  if (how == LSQ_STOP) {
    end(s, LOCAL_STOPPED_END);
    return;
  }
  double gain = how == LSQ_DONE ? V - s->trial->objective + gone : -HUGE_VAL;
  s->worse = how == LSQ_DONE ? -gain : HUGE_VAL;
  double ratio = gain / s->promise;
  judge(s, ratio);
  if (ratio >= 1e-4)
    accept(s, ratio, left);
  else
    reject(s);
}

// ---------------------------------------------------------------- the search

static LsqEnd eval_start(Sqp *s) {
  LsqEnd e = local_eval(s->lsq, s->at, HUGE_VAL, s->result);
  if (e == LSQ_FAILED && local_move_off_bounds(s->lsq, s->at->x))
    e = local_eval(s->lsq, s->at, HUGE_VAL, s->result);
  return e;
}

// By relative changes of the numbers, as nothing else is known of them yet.
static double reach(Sqp *s, double *x) {
  for (int i = 0; i < s->lsq->n; i++) s->scale[i] = 1 / fmax(fabs(x[i]), s->lsq->typical[i]);
  if (sqp_constraints(s, x, s->c_new, s->C_new)) sqp_measure(s, x, s->C_new);
  return sqp_go_to_constraints(s, x, 100);
}

// Begins where the constraints hold, if there is such a place.
static void start(Sqp *s) {
  LocalEnd how;
  copy(s, s->at->x, s->result->best->x);
  local_clamp(s->lsq, s->at->x);
  if (s->m) reach(s, s->at->x);
  LsqEnd e = eval_start(s);
  if (s->m && !sqp_constraints(s, s->at->x, s->c_new, s->C_new)) {
    end(s, e == LSQ_STOP ? LOCAL_STOPPED_END : LOCAL_INFEASIBLE_END);
    return;
  }
  bool ends = local_ends_at_start(e, s->at, s->options, &how);
  if (ends && (e != LSQ_DONE || !s->m || sqp_violation(s, s->c_new) == 0)) end(s, how);
}

static void begin(Sqp *s) {
  double most = 0;
  for (int k = 0; k < s->m; k++) s->length[k] = 0; // were those of relative changes
  look_around(s);
  for (int i = 0; i < s->lsq->n; i++)
    most = fmax(most, fmax(fabs(s->at->x[i]), s->lsq->typical[i]) * s->scale[i]);
  s->radius = most > 0 ? 10 * most : 1;
}

static void least_squares(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  Arena *a = arena_new();
  Sqp *s = sqp_new(a, lsq, options, result);
  result->iterations = result->evaluations = 0;
  start(s);
  if (!s->ended) begin(s);
  while (!s->ended && !has_converged(s)) {
    int before = result->iterations;
    if (before >= options->max_iterations) end(s, LOCAL_ITERATIONS_END);
    while (!s->ended && result->iterations == before) try_step(s);
    if (!s->ended) look_around(s);
  }
  lsq_point_copy(result->best, s->at, lsq->n);
  arena_free(a);
}

void local_sqp(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  if (options->fit && options->fit->sqp == SQP_SLSQP)
    local_slsqp(lsq, options, result);
  else
    least_squares(lsq, options, result);
}

// ---------------------------------------------------------------- help for others

bool sqp_reach_constraints(const Lsq *lsq, const LocalOptions *options, double *x) {
  Arena *a = arena_new();
  Sqp *s = sqp_new(a, lsq, options, NULL);
  copy(s, s->at->x, x);
  bool reached = reach(s, s->at->x) == 0;
  if (reached) copy(s, x, s->at->x);
  arena_free(a);
  return reached;
}

double sqp_promise(const Lsq *lsq, const LocalOptions *options, const LsqPoint *p, double part) {
  Arena *a = arena_new();
  Sqp *s = sqp_new(a, lsq, options, &(LocalResult){.iterations = 0});
  double gain = 0;
  lsq_point_copy(s->at, p, lsq->n);
  if (sqp_constraints(s, p->x, s->c_new, s->C_new)) {
    look_around(s);
    if (!local_is_small(lsq, p->x, s->full, part)) gain = fmax(0, s->full_gain);
  }
  arena_free(a);
  return gain;
}
