// Descent on V(x) = |r(x)|^2/2 by steps of a quadratic model, inside bounds. A step d is accepted when its actual gain is at
// least DESCENT_GOOD of the predicted one, V(x) - V(x+d) >= 1e-4 * gain; the rule then shortens or lengthens the next one.
// The model is that of linear residuals, |Qr + R d|^2/2, or the same with the curvature of the residuals by Dennis, Gay and
// Welsch (curvature.h) where that would have predicted the last gain better.
#include "local/descent.h"

#include <math.h>
#include <string.h>

#include "local/common.h"

static Descent *descent_new(Arena *a, const StepRule *rule, const Lsq *lsq,
                            const LocalOptions *options, LocalResult *result) {
  int n = lsq->n;
  Descent *s = ARENA_NEW(a, Descent);
  DescentModel *m = &s->model;
  DescentWork *w = &s->work;
  s->rule = rule;
  s->lsq = lsq;
  s->options = options;
  s->result = result;
  s->at = lsq_point_new(a, n);
  s->trial = lsq_point_new(a, n);
  double **vectors[] = {&m->slope, &m->norm, &m->scale,  &m->low,       &m->high,     &m->full,
                        &m->aim,   &w->seen, &s->step.d, &w->curved_Qr, &w->old_slope};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = ARENA_ARRAY(a, double, n);
  w->linear = linear_new(a, n);
  w->curvature = curvature_new(a, n);
  w->curved_R = ARENA_ARRAY(a, double, (size_t)n *n);
  w->hessian = ARENA_ARRAY(a, double, (size_t)n *n);
  w->held = ARENA_ARRAY(a, int, n);
  return s;
}

static void end(Descent *s, LocalEnd how) {
  s->result->end = how;
  s->ended = true;
}

// ---------------------------------------------------------------- the model

static double to_minimum(Descent *s, const LinearModel *m, double *d) {
  linear_boxed_step(s->work.linear, m, linear_least_damping(m), d);
  return linear_gain(m, d);
}

static void use_residuals(Descent *s) {
  DescentModel *m = &s->model;
  m->curved = false;
  m->used = m->residuals;
  memcpy(m->aim, m->full, (size_t)s->lsq->n * sizeof *m->aim);
  m->aim_gain = m->full_gain;
}

// Where the residuals can be made smaller by this part of the objective, their own model is the best one.
static const double LARGE_PART = 0.3;

// The model at a new point, and the step to its minimum.
static void look_around(Descent *s) {
  int n = s->lsq->n;
  const LsqPoint *p = s->at;
  DescentModel *m = &s->model;
  DescentWork *w = &s->work;
  linear_slope(n, p->R, p->Qr, m->slope, m->norm);
  for (int i = 0; i < n; i++) {
    w->seen[i] = fmax(w->seen[i], m->norm[i]);
    m->scale[i] = w->seen[i] > 0 ? w->seen[i] : 1;
    m->low[i] = s->lsq->lower[i] - p->x[i];
    m->high[i] = s->lsq->upper[i] - p->x[i];
  }
  m->residuals = (LinearModel){n, p->R, p->Qr, m->scale, m->low, m->high};
  s->promise = m->full_gain = to_minimum(s, &m->residuals, m->full);
  s->cap = 0;
  if (s->result->iterations > 0)
    curvature_update(w->curvature, s->trial, w->old_slope, p, m->slope);
  bool curved = m->curved && m->full_gain < LARGE_PART * p->objective &&
                curvature_model(w->curvature, p, m->slope, m->scale, w->curved_R, w->curved_Qr);
  use_residuals(s);
  if (curved) {
    m->curved = true;
    m->used.R = w->curved_R;
    m->used.Qr = w->curved_Qr;
    m->aim_gain = to_minimum(s, &m->used, m->aim);
  }
  s->highest = fmax(s->highest, p->objective);
}

void descent_first_radius(Descent *s) {
  double sum = 0;
  for (int i = 0; i < s->lsq->n; i++) {
    double size = fmax(fabs(s->at->x[i]), s->lsq->typical[i]) * s->work.seen[i];
    sum += size * size;
  }
  s->radius = sum > 0 ? 10 * sqrt(sum) : 1;
}

// ---------------------------------------------------------------- steps

// The trial x + d; an unknown whose step ends at a bound is put exactly there. False: nothing moves.
static bool set_trial(Descent *s, const double *d) {
  bool moves = false;
  for (int i = 0; i < s->lsq->n; i++) {
    double x = s->at->x[i] + d[i];
    double low = s->lsq->lower[i], high = s->lsq->upper[i];
    if (d[i] <= low - s->at->x[i] || x < low) x = low;
    if (d[i] >= high - s->at->x[i] || x > high) x = high;
    moves = moves || x != s->at->x[i];
    s->trial->x[i] = x;
  }
  return moves;
}

// Convergence that the linear model shows by itself.
static bool has_converged(Descent *s) {
  const LocalOptions *o = s->options;
  const DescentModel *m = &s->model;
  if (local_cosine(s->lsq, s->at, m->slope, m->norm) <= o->gradient_tol)
    end(s, LOCAL_GRADIENT_END);
  else if (!o->rough && local_is_small(s->lsq, s->at->x, m->full, o->step_tol))
    end(s, LOCAL_STEP_END); // not worth a simulation
  else if (m->full_gain <= o->reduction_tol * s->at->objective)
    end(s, LOCAL_REDUCTION_END);
  else if (o->rough && local_is_small(s->lsq, s->at->x, m->full, o->step_tol)) {
    set_trial(s, m->full);
    memcpy(s->at->x, s->trial->x, (size_t)s->lsq->n * sizeof *s->at->x);
    end(s, LOCAL_STEP_END);
  }
  return s->ended;
}

static void accept(Descent *s, double ratio) {
  const LocalOptions *o = s->options;
  DescentModel *m = &s->model;
  DescentStep *step = &s->step;
  LocalEnd how;
  double before = s->at->objective, gain = before - s->trial->objective;
  bool whole = !step->limited && !s->cap;
  bool small = whole && local_is_small(s->lsq, s->at->x, step->d, o->step_tol) &&
               local_is_small(s->lsq, s->at->x, m->full, o->step_tol);
  bool level = whole && fmax(step->gain, m->full_gain) <= o->reduction_tol * before &&
               gain <= o->reduction_tol * before && ratio <= 2;
  // Curvature is used next if the residuals' model predicted the gain badly, and the curvature would have done better. Rules
  // with exact second derivatives do not need it.
  double told = linear_gain(&m->residuals, step->d);
  double curved = told + curvature_gain(s->work.curvature, step->d);
  m->curved = !s->rule->look && !s->rule->plain && fabs(told - gain) > 0.2 * told &&
              fabs(curved - gain) <= fabs(told - gain);
  memcpy(s->work.old_slope, m->slope, (size_t)s->lsq->n * sizeof *m->slope);
  LsqPoint *old = s->at;
  s->at = s->trial;
  s->trial = old;
  s->rejected = 0;
  s->result->iterations++;
  if (s->lsq->accepted) s->lsq->accepted(s->lsq->self, s->at, s->result->iterations);
  if (local_is_good(s->at, o, &how))
    end(s, how);
  else if (small)
    end(s, LOCAL_STEP_END);
  else if (level)
    end(s, LOCAL_REDUCTION_END);
}

// Differences of the objective below this mean nothing: errors of the simulation, where they are known, and of rounding.
// Errors add up along a simulation, by an unknown factor: near the floor, trials in a row that are worse by hardly more than
// it raise it. A trial that is much worse says nothing about the accuracy of the simulation. A fit that explains all but 1e-14
// of the squares it began with has come down to errors of the simulation as well.
static double noise(const Descent *s) {
  double floor = s->lsq->noise, V = s->at->objective;
  if (V <= 1e6 * floor && s->rejected >= 2) {
    double raised = (s->rejected == 2 ? 1e2 : 1e4) * floor;
    if (s->step.worse <= 2 * sqrt(V * raised) + raised) floor = raised;
  }
  double unknown = V < 1e-14 * s->highest ? 1e-16 * s->highest : 1e-15 * V;
  return fmax(2 * sqrt(V * floor) + floor, unknown);
}

static const double FAR = 100; // times its own size

static bool leads_far(const Descent *s) {
  for (int i = 0; i < s->lsq->n; i++)
    if (fabs(s->model.full[i]) > FAR * local_size(s->lsq, s->at->x, i)) return true;
  return false;
}

// The linear model sends an unknown that hardly changes the residuals at the start very far, where the model is wrong; the
// trust region then shrinks until the others cannot move either. Here each unknown is held back by its own size.
static bool hold_back(Descent *s) {
  static const double CAPS[] = {1, 0.1, 0.01};
  DescentModel *m = &s->model;
  if (s->cap == sizeof CAPS / sizeof *CAPS) return false;
  double cap = CAPS[s->cap++];
  for (int i = 0; i < s->lsq->n; i++) {
    double most = cap * local_size(s->lsq, s->at->x, i);
    m->low[i] = fmax(m->low[i], -most);
    m->high[i] = fmin(m->high[i], most);
  }
  m->full_gain = to_minimum(s, &m->residuals, m->full);
  use_residuals(s);
  s->rule->begin(s);
  s->rejected = 0;
  return true;
}

static const double MUCH = 1e-3; // of the objective, that the linear model promises

// A rejected step ends the search when it was too small to matter, or promised less than the noise of the objective.
static void reject(Descent *s) {
  s->rejected++;
  if (s->model.curved) { // blame the curvature first
    use_residuals(s);
    return;
  }
  double gain = s->step.gain;
  bool small = local_is_small(s->lsq, s->at->x, s->step.d, s->options->step_tol);
  if (gain > noise(s) && !small) return;
  bool much = s->promise > MUCH * s->at->objective;
  bool stuck = much && s->result->iterations == 0 && (s->cap || leads_far(s));
  if (stuck && hold_back(s)) return;
  if (!stuck && (gain <= noise(s) || !s->step.limited || !much))
    end(s, LOCAL_REDUCTION_END);
  else
    end(s, LOCAL_NO_DESCENT_END);
}

static void try_step(Descent *s) {
  DescentStep *step = &s->step;
  s->rule->propose(s);
  step->gain = s->rule->gain ? s->rule->gain(s) : linear_gain(&s->model.used, step->d);
  if (!set_trial(s, step->d) || !(step->gain > 0)) {
    end(s, LOCAL_STEP_END);
    return;
  }
  double V = s->at->objective;
  LsqEnd how = local_eval(s->lsq, s->trial, V, s->result);
  if (how == LSQ_STOP) {
    end(s, LOCAL_STOPPED_END);
    return;
  }
  step->worse = how == LSQ_DONE ? s->trial->objective - V : HUGE_VAL;
  double ratio = how == LSQ_DONE ? (V - s->trial->objective) / step->gain : -HUGE_VAL;
  s->rule->judge(s, ratio);
  if (ratio >= DESCENT_GOOD)
    accept(s, ratio);
  else
    reject(s);
}

static void start(Descent *s) {
  LocalEnd how;
  LsqPoint *p = s->at;
  if (s->lsq->n) memcpy(p->x, s->result->best->x, (size_t)s->lsq->n * sizeof *p->x);
  local_clamp(s->lsq, p->x);
  LsqEnd e = local_eval(s->lsq, p, HUGE_VAL, s->result);
  if (e == LSQ_FAILED && local_move_off_bounds(s->lsq, p->x))
    e = local_eval(s->lsq, p, HUGE_VAL, s->result);
  if (local_ends_at_start(e, p, s->options, &how)) {
    end(s, how);
    return;
  }
  look_around(s);
  s->rule->begin(s);
}

void descent_run(const StepRule *rule, const Lsq *lsq, const LocalOptions *options,
                 LocalResult *result) {
  Arena *a = arena_new();
  Descent *s = descent_new(a, rule, lsq, options, result);
  result->iterations = result->evaluations = 0;
  start(s);
  while (!s->ended && !has_converged(s)) {
    int before = result->iterations;
    if (before >= options->max_iterations)
      end(s, LOCAL_ITERATIONS_END);
    else if (rule->look && !rule->look(s))
      end(s, LOCAL_STOPPED_END);
    while (!s->ended && result->iterations == before) try_step(s);
    if (!s->ended) look_around(s);
  }
  lsq_point_copy(result->best, s->at, lsq->n);
  arena_free(a);
}
