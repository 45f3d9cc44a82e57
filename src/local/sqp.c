// Sequential quadratic programming of the least squares: each step minimises the model of the residuals, |Qr + R d|^2, inside
// the bounds, a rectangular trust region |scale d| <= radius and the linear constraints c + C d (the idea of NLSSOL: Gill,
// Murray, Saunders and Wright, report SOL 86-2, Stanford). A step is judged by the merit V + penalty * violation. Values of
// constraints cost nothing beside a simulation, so points are taken back to the constraints before they are simulated.
//
// sqp_model.c has the model at a point, sqp_constraints.c the steps under constraints.
#include <math.h>
#include <string.h>

#include "local/common.h"
#include "local/sqp_model.h"

// The proposed step.
typedef struct SqpStep {
  double *d;
  double size;    // the largest |scale d| before the trial was taken back to the constraints
  double left;    // violation of the constraints at the trial
  double gain;    // of the objective, predicted
  double promise; // of the merit, predicted
  bool limited;   // d is shorter than the model wants
  double worse;   // actual loss of the merit; HUGE_VAL when the trial has no objective
} SqpStep;

typedef struct Sqp {
  const Lsq *lsq;
  const LocalOptions *options;
  LocalResult *result;
  LsqPoint *at, *trial; // the accepted point and the one that is tried
  SqpConstraints *constraints;
  SqpModel *model; // at the accepted point
  SqpStep step;
  double radius;  // of the largest |scale d|
  double penalty; // what a violation of 1 counts for
  double highest; // objective seen at accepted points
  int rejected;   // trials in a row
  int stuck;      // accepted steps in a row that hardly reduced the violation
  bool ended;
} Sqp;

static Sqp *sqp_new(Arena *a, const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  Sqp *s = ARENA_NEW(a, Sqp);
  s->lsq = lsq;
  s->options = options;
  s->result = result;
  s->at = lsq_point_new(a, lsq->n);
  s->trial = lsq_point_new(a, lsq->n);
  s->constraints = sqp_constraints_new(a, lsq);
  s->model = sqp_model_new(a, lsq, s->constraints);
  s->step.d = ARENA_ARRAY(a, double, lsq->n + 1);
  return s;
}

static void end(Sqp *s, LocalEnd how) {
  s->result->end = how;
  s->ended = true;
}

static void copy(const Sqp *s, double *to, const double *from) {
  if (s->lsq->n) memcpy(to, from, (size_t)s->lsq->n * sizeof *to);
}

static bool is_small(const Sqp *s, const double *d) {
  return local_is_small(s->lsq, s->at->x, d, s->options->step_tol);
}

// ---------------------------------------------------------------- convergence

// Whether Kuhn and Tucker's conditions are satisfied: no inequality pushes that does not hold, and the residuals are
// orthogonal to every column of R, as far as neither constraint nor bound holds it.
static bool is_stationary(const Sqp *s) {
  const SqpConstraints *k = s->constraints;
  const SqpModel *m = s->model;
  for (int row = s->lsq->equalities; row < k->m; row++)
    if (m->multiplier[row] > 0 && k->c[row] / k->length[row] > k->tol[row]) return false;
  double length = sqrt(2 * s->at->objective), cosine = 0;
  for (int i = 0; i < s->lsq->n; i++) {
    double norm = m->norm[i] > 0 ? m->norm[i] : k->scale[i];
    if (m->rest[i] != 0) cosine = fmax(cosine, fabs(m->rest[i]) / (norm * length));
  }
  return cosine <= s->options->gradient_tol;
}

static bool has_converged(Sqp *s) {
  const LocalOptions *o = s->options;
  const SqpModel *m = s->model;
  if (s->constraints->violation > 0) return false;
  if (is_stationary(s))
    end(s, LOCAL_GRADIENT_END);
  else if (!o->rough && is_small(s, m->full))
    end(s, LOCAL_STEP_END); // not worth a simulation
  else if (m->full_gain <= o->reduction_tol * s->at->objective)
    end(s, LOCAL_REDUCTION_END);
  else if (o->rough && is_small(s, m->full)) {
    sqp_set_point(s->lsq, s->at->x, m->full, s->trial->x);
    if (sqp_restore(s->constraints, s->trial->x, 20) == 0) copy(s, s->at->x, s->trial->x);
    end(s, LOCAL_STEP_END);
  }
  return s->ended;
}

// As in descent.c: errors of the simulation, and of rounding.
static double noise(const Sqp *s) {
  double floor = s->lsq->noise, V = s->at->objective;
  if (V <= 1e6 * floor && s->rejected >= 2) {
    double raised = (s->rejected == 2 ? 1e2 : 1e4) * floor;
    if (s->step.worse <= 2 * sqrt(V * raised) + raised) floor = raised;
  }
  double unknown = V < 1e-14 * s->highest ? 1e-16 * s->highest : 1e-15 * V;
  return fmax(2 * sqrt(V * floor) + floor, unknown);
}

// A search whose steps have become too short to matter.
static LocalEnd end_of_short_steps(const Sqp *s) {
  if (s->constraints->violation > 0) return LOCAL_INFEASIBLE_END;
  bool little = s->model->full_gain <= 1e-3 * s->at->objective;
  return little ? LOCAL_REDUCTION_END : LOCAL_NO_DESCENT_END;
}

// ---------------------------------------------------------------- trials

// Gain of the merit by the constraints that the trial meets better.
static double merit_change(const Sqp *s) {
  const SqpConstraints *k = s->constraints;
  return k->m ? s->penalty * (k->violation - s->step.left) : 0;
}

// A violation must cost more than it can gain, as the multipliers say, and the step must promise a gain of the merit.
static void raise_penalty(Sqp *s) {
  const SqpConstraints *k = s->constraints;
  const SqpModel *m = s->model;
  double most = 0, gone = k->violation - s->step.left, gain = s->step.gain;
  for (int row = 0; row < k->m; row++) {
    double force = fmax(fabs(m->multiplier[row]), fabs(m->step_multiplier[row]));
    most = fmax(most, force * k->length[row]);
  }
  if (s->penalty < 1.5 * most) s->penalty = 2 * most;
  if (gone > 0 && gain + 0.5 * s->penalty * gone < 0) s->penalty = -4 * gain / gone;
}

// The step inside the trust region, and the trial, taken back to the constraints. False: nothing moves.
static bool propose(Sqp *s) {
  SqpStep *step = &s->step;
  SqpConstraints *k = s->constraints;
  SqpModel *m = s->model;
  sqp_find_step(k, s->at->x, &m->lagrangian, s->radius, step->d, m->step_multiplier);
  step->size = 0;
  for (int i = 0; i < s->lsq->n; i++) step->size = fmax(step->size, fabs(k->scale[i] * step->d[i]));
  step->limited = step->size >= s->radius;
  sqp_set_point(s->lsq, s->at->x, step->d, s->trial->x);
  step->left = k->m ? sqp_restore(k, s->trial->x, 8) : 0;
  bool moves = false;
  for (int i = 0; i < s->lsq->n; i++) {
    step->d[i] = s->trial->x[i] - s->at->x[i];
    moves = moves || step->d[i] != 0;
  }
  step->gain = linear_gain(&m->objective, step->d);
  if (k->m) raise_penalty(s);
  step->promise = step->gain + merit_change(s);
  return moves;
}

static void judge(Sqp *s, double ratio) {
  if (ratio < 0.25)
    s->radius = (ratio > 0 ? 0.5 : 0.25) * fmin(s->radius, s->step.size);
  else if (ratio > 0.75)
    s->radius = fmax(s->radius, 2 * s->step.size);
}

// Steps look for the constraints first: when several hardly come closer, there is no way.
enum { STUCK_MOST = 5 };

static void accept(Sqp *s, double ratio) {
  const LocalOptions *o = s->options;
  SqpModel *m = s->model;
  const SqpStep *step = &s->step;
  LocalEnd how;
  double before = s->at->objective, gain = before - s->trial->objective, left = step->left;
  double violation = s->constraints->violation;
  bool done = violation == 0 && left == 0 && !step->limited;
  bool small = done && is_small(s, step->d) && is_small(s, m->full);
  bool level = done && fmax(step->gain, m->full_gain) <= o->reduction_tol * before &&
               gain <= o->reduction_tol * before && ratio <= 2;
  if (violation > 0) s->stuck = left > 0.999 * violation ? s->stuck + 1 : 0;
  bool stuck = violation > 0 && left > 0 && s->stuck >= STUCK_MOST;
  // Curvature is used next if the residuals' model predicted the gain badly, and the curvature would have done better.
  double told = linear_gain(&m->residuals, step->d);
  double curved = told + curvature_gain(m->curvature, step->d);
  m->curved = fabs(told - gain) > 0.2 * fabs(told) && fabs(curved - gain) <= fabs(told - gain);
  copy(s, m->old_slope, m->slope);
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

// Constraints bend too much for a step as long as this.
static void shorten(Sqp *s) {
  judge(s, -1);
  if (s->model->curved)
    sqp_model_use_residuals(s->model);
  else if (is_small(s, s->step.d))
    end(s, end_of_short_steps(s));
}

static void reject(Sqp *s) {
  s->rejected++;
  if (s->model->curved) { // blame the curvature first
    sqp_model_use_residuals(s->model);
    return;
  }
  bool small = is_small(s, s->step.d);
  if (s->constraints->violation == 0 &&
      (s->step.promise <= noise(s) || (small && !s->step.limited)))
    end(s, LOCAL_REDUCTION_END);
  else if (small)
    end(s, end_of_short_steps(s));
}

static void try_step(Sqp *s) {
  SqpStep *step = &s->step;
  bool moves = propose(s);
  if (!moves) {
    end(s, s->constraints->violation > 0 ? LOCAL_INFEASIBLE_END : LOCAL_STEP_END);
    return;
  }
  if (!(step->promise > 0)) {
    if (s->constraints->m)
      shorten(s);
    else
      end(s, LOCAL_STEP_END);
    return;
  }
  double V = s->at->objective, gone = merit_change(s);
  LsqEnd how = local_eval(s->lsq, s->trial, V + gone, s->result);
  if (how == LSQ_STOP) {
    end(s, LOCAL_STOPPED_END);
    return;
  }
  double gain = how == LSQ_DONE ? V - s->trial->objective + gone : -HUGE_VAL;
  step->worse = how == LSQ_DONE ? -gain : HUGE_VAL;
  double ratio = gain / step->promise;
  judge(s, ratio);
  if (ratio >= 1e-4)
    accept(s, ratio);
  else
    reject(s);
}

// ---------------------------------------------------------------- the search

// Begins where the constraints hold, if there is such a place.
static void start(Sqp *s) {
  SqpConstraints *k = s->constraints;
  LsqPoint *p = s->at;
  LocalEnd how;
  copy(s, p->x, s->result->best->x);
  local_clamp(s->lsq, p->x);
  if (k->m) sqp_reach(k, p->x);
  LsqEnd e = local_eval(s->lsq, p, HUGE_VAL, s->result);
  if (e == LSQ_FAILED && local_move_off_bounds(s->lsq, p->x))
    e = local_eval(s->lsq, p, HUGE_VAL, s->result);
  if (k->m && !sqp_constraints_eval(k, p->x, k->c_new, k->C_new)) {
    end(s, e == LSQ_STOP ? LOCAL_STOPPED_END : LOCAL_INFEASIBLE_END);
    return;
  }
  bool ends = local_ends_at_start(e, p, s->options, &how);
  if (ends && (e != LSQ_DONE || !k->m || sqp_violation(k, k->c_new) == 0)) {
    end(s, how);
    return;
  }
  double most = 0;
  for (int row = 0; row < k->m; row++) k->length[row] = 0; // were those of relative changes
  sqp_model_look(s->model, p, NULL);
  for (int i = 0; i < s->lsq->n; i++)
    most = fmax(most, fmax(fabs(p->x[i]), s->lsq->typical[i]) * k->scale[i]);
  s->radius = most > 0 ? 10 * most : 1;
  s->highest = p->objective;
}

void local_sqp(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  if (options->sqp == SQP_SLSQP) {
    local_slsqp(lsq, options, result);
    return;
  }
  Arena *a = arena_new();
  Sqp *s = sqp_new(a, lsq, options, result);
  result->iterations = result->evaluations = 0;
  start(s);
  while (!s->ended && !has_converged(s)) {
    int before = result->iterations;
    if (before >= options->max_iterations) end(s, LOCAL_ITERATIONS_END);
    while (!s->ended && result->iterations == before) try_step(s);
    if (s->ended) break;
    sqp_model_look(s->model, s->at, s->trial);
    s->highest = fmax(s->highest, s->at->objective);
  }
  lsq_point_copy(result->best, s->at, lsq->n);
  arena_free(a);
}
