#include "local/descent.h"

#include <math.h>
#include <string.h>

static Descent *descent_new(Arena *a, const StepRule *rule, const Lsq *lsq,
                            const LocalOptions *options, LocalResult *result) {
  int n = lsq->n;
  Descent *s = ARENA_NEW(a, Descent);
  s->rule = rule;
  s->lsq = lsq;
  s->options = options;
  s->result = result;
  s->at = lsq_point_new(a, n);
  s->trial = lsq_point_new(a, n);
  s->linear = linear_new(a, n);
  double **vectors[] = {&s->scale, &s->seen,      &s->slope,    &s->norm,   &s->low,
                        &s->high,  &s->full,      &s->d,        &s->newton, &s->down,
                        &s->aim,   &s->curved_Qr, &s->old_slope};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = ARENA_ARRAY(a, double, n);
  s->use = ARENA_ARRAY(a, int, n);
  s->curvature = curvature_new(a, n);
  s->curved_R = ARENA_ARRAY(a, double, (size_t)n *n);
  s->hessian = ARENA_ARRAY(a, double, (size_t)n *n);
  return s;
}

static void end(Descent *s, LocalEnd how) {
  s->result->end = how;
  s->ended = true;
}

static double to_minimum(Descent *s, const LinearModel *m, double *d) {
  linear_boxed_step(s->linear, m, linear_least_damping(m), d);
  return linear_gain(m, d);
}

static void use_residuals(Descent *s) {
  s->curved = false;
  s->model = s->residuals;
  memcpy(s->aim, s->full, (size_t)s->lsq->n * sizeof *s->aim);
  s->aim_gain = s->full_gain;
}

static void use_curvature(Descent *s) {
  s->model.R = s->curved_R;
  s->model.Qr = s->curved_Qr;
  s->aim_gain = to_minimum(s, &s->model, s->aim);
}

// Where residuals can be made much smaller, their own model is the best one.
static const double LARGE_PART = 0.3;

// The model at a new point, and the step to its minimum.
static void look_around(Descent *s) {
  int n = s->lsq->n;
  const LsqPoint *p = s->at;
  linear_slope(n, p->R, p->Qr, s->slope, s->norm);
  for (int i = 0; i < n; i++) {
    s->seen[i] = fmax(s->seen[i], s->norm[i]);
    s->scale[i] = s->seen[i] > 0 ? s->seen[i] : 1;
    s->low[i] = s->lsq->lower[i] - p->x[i];
    s->high[i] = s->lsq->upper[i] - p->x[i];
  }
  s->residuals = (LinearModel){n, p->R, p->Qr, s->scale, s->low, s->high};
  s->promise = s->full_gain = to_minimum(s, &s->residuals, s->full);
  s->cap = 0;
  if (s->result->iterations > 0)
    curvature_update(s->curvature, s->trial, s->old_slope, p, s->slope);
  bool curved = s->curved && s->full_gain < LARGE_PART * p->objective &&
                curvature_model(s->curvature, p, s->slope, s->scale, s->curved_R, s->curved_Qr);
  use_residuals(s);
  s->curved = curved;
  if (curved) use_curvature(s);
  s->highest = fmax(s->highest, p->objective);
}

// Curvature is used next when it would have told the last gain better, and the residuals' model told it badly. Who looks for
// exact second derivatives does not need it.
static void choose_model(Descent *s, double gain) {
  double told = linear_gain(&s->residuals, s->d);
  double curved = told + curvature_gain(s->curvature, s->d);
  s->curved = !s->rule->look && !s->rule->plain && fabs(told - gain) > 0.2 * told &&
              fabs(curved - gain) <= fabs(told - gain);
}

// A number whose step ends at a bound is put exactly there.
static bool set_trial(Descent *s) {
  bool moves = false;
  for (int i = 0; i < s->lsq->n; i++) {
    double x = s->at->x[i] + s->d[i];
    double low = s->lsq->lower[i], high = s->lsq->upper[i];
    if (s->d[i] <= low - s->at->x[i] || x < low) x = low;
    if (s->d[i] >= high - s->at->x[i] || x > high) x = high;
    moves = moves || x != s->at->x[i];
    s->trial->x[i] = x;
  }
  return moves;
}

static void take_unseen(Descent *s) {
  memcpy(s->d, s->full, (size_t)s->lsq->n * sizeof *s->d);
  set_trial(s);
  memcpy(s->at->x, s->trial->x, (size_t)s->lsq->n * sizeof *s->d);
  end(s, LOCAL_STEP_END);
}

// Convergence that the linear model shows by itself.
static bool has_converged(Descent *s) {
  const LocalOptions *o = s->options;
  double V = s->at->objective;
  if (local_cosine(s->lsq, s->at, s->slope, s->norm) <= o->gradient_tol)
    end(s, LOCAL_GRADIENT_END);
  else if (!o->rough && local_is_small(s->lsq, s->at->x, s->full, o->step_tol))
    end(s, LOCAL_STEP_END); // not worth a simulation
  else if (s->full_gain <= o->reduction_tol * V)
    end(s, LOCAL_REDUCTION_END);
  else if (o->rough && local_is_small(s->lsq, s->at->x, s->full, o->step_tol))
    take_unseen(s);
  return s->ended;
}

static void accept(Descent *s, double ratio) {
  const LocalOptions *o = s->options;
  LocalEnd how;
  double before = s->at->objective, gain = before - s->trial->objective;
  bool small = !s->limited && !s->cap && local_is_small(s->lsq, s->at->x, s->d, o->step_tol) &&
               local_is_small(s->lsq, s->at->x, s->full, o->step_tol);
  bool level = !s->limited && !s->cap && fmax(s->gain, s->full_gain) <= o->reduction_tol * before &&
               gain <= o->reduction_tol * before && ratio <= 2;
  choose_model(s, gain);
  memcpy(s->old_slope, s->slope, (size_t)s->lsq->n * sizeof *s->slope);
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

// Errors add up along a simulation, by an unknown factor: near the floor, trials in a row that are worse by hardly more
// than it raise it. One that is much worse says nothing about the accuracy of the simulation.
static double noise_floor(const Descent *s) {
  double floor = s->lsq->noise, V = s->at->objective;
  if (V > 1e6 * floor || s->rejected < 2) return floor;
  double raised = (s->rejected == 2 ? 1e2 : 1e4) * floor;
  return s->worse <= 2 * sqrt(V * raised) + raised ? raised : floor;
}

// What the objective may differ by without any meaning: errors of the simulation where they are known, and of rounding. A
// fit that explains all but 1e-14 of the squares it began with has come down to errors of the simulation as well.
static double noise(const Descent *s) {
  double floor = noise_floor(s), V = s->at->objective;
  double unknown = V < 1e-14 * s->highest ? 1e-16 * s->highest : 1e-15 * V;
  return fmax(2 * sqrt(V * floor) + floor, unknown);
}

static const double FAR = 100; // times its own size

static bool leads_far(const Descent *s) {
  for (int i = 0; i < s->lsq->n; i++)
    if (fabs(s->full[i]) > FAR * local_size(s->lsq, s->at->x, i)) return true;
  return false;
}

// A number that hardly changes the residuals at the start is sent very far by the linear model, where it is wrong, and a
// trust region shrinks until the others cannot move either. Then each number is held back by its own size.
static bool hold_back(Descent *s) {
  static const double CAPS[] = {1, 0.1, 0.01};
  if (s->cap == sizeof CAPS / sizeof *CAPS) return false;
  double cap = CAPS[s->cap++];
  for (int i = 0; i < s->lsq->n; i++) {
    double most = cap * local_size(s->lsq, s->at->x, i);
    s->low[i] = fmax(s->low[i], -most);
    s->high[i] = fmin(s->high[i], most);
  }
  s->full_gain = to_minimum(s, &s->residuals, s->full);
  use_residuals(s);
  s->rule->begin(s);
  s->rejected = 0;
  return true;
}

static const double MUCH = 1e-3; // of the objective, that the linear model promises

// A rejected step ends the search when it was too small to matter, or promised less than the noise of the objective.
static void reject(Descent *s) {
  s->rejected++;
  if (s->curved) { // blame the curvature first
    use_residuals(s);
    return;
  }
  bool small = local_is_small(s->lsq, s->at->x, s->d, s->options->step_tol);
  if (s->gain > noise(s) && !small) return;
  bool much = s->promise > MUCH * s->at->objective;
  bool stuck = much && s->result->iterations == 0 && (s->cap || leads_far(s));
  if (stuck && hold_back(s)) return;
  if (!stuck && (s->gain <= noise(s) || !s->limited || !much))
    end(s, LOCAL_REDUCTION_END);
  else
    end(s, LOCAL_NO_DESCENT_END);
}

static void try_step(Descent *s) {
  s->rule->propose(s);
  s->gain = s->rule->gain ? s->rule->gain(s) : linear_gain(&s->model, s->d);
  if (!set_trial(s) || !(s->gain > 0)) {
    end(s, LOCAL_STEP_END);
    return;
  }
  LsqEnd how = local_eval(s->lsq, s->trial, s->at->objective, s->result);
  if (how == LSQ_STOP) {
    end(s, LOCAL_STOPPED_END);
    return;
  }
  s->worse = how == LSQ_DONE ? s->trial->objective - s->at->objective : HUGE_VAL;
  double ratio = how == LSQ_DONE ? (s->at->objective - s->trial->objective) / s->gain : -HUGE_VAL;
  s->rule->judge(s, ratio);
  if (ratio >= DESCENT_GOOD)
    accept(s, ratio);
  else
    reject(s);
}

bool local_move_off_bounds(const Lsq *lsq, double *x) {
  bool moved = false;
  for (int i = 0; i < lsq->n; i++) {
    double low = lsq->lower[i], high = lsq->upper[i];
    if (low == high || (x[i] > low && x[i] < high)) continue;
    double step = fmin(0.01 * fmax(fabs(x[i]), lsq->typical[i]), 0.01 * (high - low));
    double to = x[i] <= low ? low + step : high - step;
    moved = moved || to != x[i];
    x[i] = to;
  }
  return moved;
}

bool local_ends_at_start(LsqEnd e, const LsqPoint *start, const LocalOptions *options,
                         LocalEnd *end) {
  if (e == LSQ_DONE) return local_is_good(start, options, end);
  *end = e == LSQ_STOP ? LOCAL_STOPPED_END : LOCAL_NO_START_END;
  return true;
}

static void start(Descent *s) {
  LocalEnd how;
  LsqPoint *p = s->at;
  if (s->lsq->n) memcpy(p->x, s->result->best->x, (size_t)s->lsq->n * sizeof *p->x);
  local_clamp(s->lsq, p->x);
  LsqEnd e = local_eval(s->lsq, p, HUGE_VAL, s->result);
  if (e == LSQ_FAILED && local_move_off_bounds(s->lsq, p->x))
    e = local_eval(s->lsq, p, HUGE_VAL, s->result);
  if (local_ends_at_start(e, p, s->options, &how)) end(s, how);
}

void descent_run(const StepRule *rule, const Lsq *lsq, const LocalOptions *options,
                 LocalResult *result) {
  Arena *a = arena_new();
  Descent *s = descent_new(a, rule, lsq, options, result);
  result->iterations = result->evaluations = 0;
  start(s);
  if (!s->ended) {
    look_around(s);
    rule->begin(s);
  }
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
