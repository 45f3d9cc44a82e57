// Newton's method with differences of the objective, as in Frewin (2013), section 6.5: x - factor*H^-1 slope, with forward
// differences of a constant step h,
//   slope_i = (V(x + h e_i) - V)/h,   H_ii = (V(x + 2 h e_i) - 2 V(x + h e_i) + V)/h^2,
// and, where the option fd_hessian says so, H_ij = (V(x + h e_i + h e_j) - V(x + h e_i) - V(x + h e_j) + V)/h^2; the paper
// takes the diagonal alone. What leaves the bounds is cut off. Nothing makes sure that the objective falls.
#include <math.h>
#include <string.h>

#include "local/common.h"
#include "local/linear.h"
#include "num/lu.h"

typedef struct NewtonFd {
  const Lsq *lsq;
  const LocalOptions *options;
  LocalResult *result;
  LsqPoint *at, *trial;
  LsqPoint *lowest; // of all points: steps may lead uphill
  LsqPoint *probe;  // one or two steps of the differences away
  double *step;     // of the differences, 0: the unknown cannot move
  double *ahead;    // objective one step away
  double *twice;    // two steps away
  double *slope, *H, *d, *moved;
  Lu *lu;
  bool ended;
} NewtonFd;

static NewtonFd *newton_fd_new(Arena *a, const Lsq *lsq, const LocalOptions *options,
                               LocalResult *result) {
  int n = lsq->n;
  NewtonFd *s = ARENA_NEW(a, NewtonFd);
  s->lsq = lsq;
  s->options = options;
  s->result = result;
  LsqPoint **points[] = {&s->at, &s->trial, &s->lowest, &s->probe};
  for (size_t i = 0; i < sizeof points / sizeof *points; i++) *points[i] = lsq_point_new(a, n);
  double **vectors[] = {&s->step, &s->ahead, &s->twice, &s->slope, &s->d, &s->moved};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = ARENA_ARRAY(a, double, n);
  s->H = ARENA_ARRAY(a, double, (size_t)n *n);
  s->lu = lu_new(a, n);
  return s;
}

static void end(NewtonFd *s, LocalEnd how) {
  s->result->end = how;
  s->ended = true;
}

// ---------------------------------------------------------------- differences

static bool has_exact_slopes(const NewtonFd *s) {
  return s->options->fd_gradient == FD_GRADIENT_SENSITIVITIES;
}

static LsqEnd evaluate(NewtonFd *s, LsqPoint *p) {
  if (has_exact_slopes(s)) return local_eval(s->lsq, p, HUGE_VAL, s->result);
  return local_value(s->lsq, p, s->result);
}

// The objective with unknowns i and j moved by a step of theirs (i = j: by two).
static LsqEnd probe(NewtonFd *s, int i, int j, double *objective) {
  LsqPoint *p = s->probe;
  memcpy(p->x, s->at->x, (size_t)s->lsq->n * sizeof *p->x);
  if (i >= 0) p->x[i] += s->step[i];
  if (j >= 0) p->x[j] += s->step[j];
  local_clamp(s->lsq, p->x); // rounding
  LsqEnd how = local_value(s->lsq, p, s->result);
  *objective = p->objective;
  return how;
}

static LsqEnd probe_twice(NewtonFd *s, int i) {
  LsqEnd how = probe(s, i, -1, &s->ahead[i]);
  return how == LSQ_DONE ? probe(s, i, i, &s->twice[i]) : how;
}

// That of the paper.
static const double USUAL_STEP = 0.01;

static double step_of(const NewtonFd *s, int i) {
  if (s->lsq->fd_step && s->lsq->fd_step[i] > 0) return s->lsq->fd_step[i];
  return s->options->fd_step > 0 ? s->options->fd_step : USUAL_STEP;
}

// Forward, where two steps stay inside the bounds and can be simulated, else backward. Between close bounds steps are shorter.
static LsqEnd probe_unknown(NewtonFd *s, int i) {
  double x = s->at->x[i], up = (s->lsq->upper[i] - x) / 2, down = (x - s->lsq->lower[i]) / 2;
  double step = fmin(step_of(s, i), fmax(up, down));
  s->ahead[i] = s->twice[i] = s->at->objective;
  s->step[i] = up >= step ? step : -step;
  if (step == 0) return LSQ_DONE;
  LsqEnd how = probe_twice(s, i);
  if (how != LSQ_FAILED || s->step[i] < 0 || down < step) return how;
  s->step[i] = -step;
  return probe_twice(s, i);
}

// Row i of H, and what is symmetric to it.
static LsqEnd fill_row(NewtonFd *s, int i) {
  int n = s->lsq->n;
  double V = s->at->objective, both;
  for (int j = i + 1; j < n; j++) {
    double h = 0;
    if (s->options->fd_hessian == FD_HESSIAN_FULL && s->step[i] != 0 && s->step[j] != 0) {
      LsqEnd how = probe(s, i, j, &both);
      if (how != LSQ_DONE) return how;
      h = (both - s->ahead[i] - s->ahead[j] + V) / (s->step[i] * s->step[j]);
    }
    s->H[(size_t)i * n + j] = s->H[(size_t)j * n + i] = h;
  }
  double square = s->step[i] * s->step[i];
  s->H[(size_t)i * n + i] = square > 0 ? (s->twice[i] - 2 * s->ahead[i] + V) / square : 1;
  return LSQ_DONE;
}

// ---------------------------------------------------------------- steps

// d = -H^-1 slope. An unknown that changes nothing stays where it is.
static bool solve(NewtonFd *s) {
  int n = s->lsq->n;
  for (int i = 0; i < n; i++) {
    double *row = s->H + (size_t)i * n;
    bool idle = s->slope[i] == 0;
    for (int j = 0; j < n; j++) idle = idle && row[j] == 0;
    if (idle) row[i] = 1;
  }
  if (n == 0) return true;
  if (!lu_factor(s->lu, s->H)) return false;
  lu_solve(s->lu, s->slope, s->d);
  for (int i = 0; i < n; i++) {
    if (!isfinite(s->d[i])) return false;
    s->d[i] = -s->d[i];
  }
  return true;
}

static void find_step(NewtonFd *s) {
  int n = s->lsq->n;
  const LsqPoint *p = s->at;
  LsqEnd how = LSQ_DONE;
  for (int i = 0; how == LSQ_DONE && i < n; i++) how = probe_unknown(s, i);
  for (int i = 0; how == LSQ_DONE && i < n; i++) how = fill_row(s, i);
  if (how != LSQ_DONE) {
    end(s, how == LSQ_STOP ? LOCAL_STOPPED_END : LOCAL_FAILED_END);
    return;
  }
  if (has_exact_slopes(s)) linear_slope(n, p->R, p->Qr, s->slope, NULL);
  for (int i = 0; i < n; i++) {
    if (s->step[i] == 0)
      s->slope[i] = 0;
    else if (!has_exact_slopes(s))
      s->slope[i] = (s->ahead[i] - p->objective) / s->step[i];
  }
  if (!solve(s)) end(s, LOCAL_NO_DESCENT_END);
}

// Where the objective is curved downwards Newton's step leads uphill; a bound that stops it there is no optimum.
static bool is_stopped_uphill(const NewtonFd *s) {
  for (int i = 0; i < s->lsq->n; i++) {
    double wanted = s->options->step_factor * s->d[i];
    if (fabs(s->moved[i]) < 0.5 * fabs(wanted) && s->slope[i] * wanted > 0) return true;
  }
  return false;
}

static void move(NewtonFd *s) {
  LocalEnd how;
  LsqPoint *old = s->at;
  bool small = local_is_small(s->lsq, s->at->x, s->moved, s->options->step_tol);
  s->at = s->trial;
  s->trial = old;
  s->result->iterations++;
  if (s->at->objective < s->lowest->objective) lsq_point_copy(s->lowest, s->at, s->lsq->n);
  if (s->lsq->accepted) s->lsq->accepted(s->lsq->self, s->at, s->result->iterations);
  if (local_is_good(s->at, s->options, &how))
    end(s, how);
  else if (small)
    end(s, is_stopped_uphill(s) ? LOCAL_NO_DESCENT_END : LOCAL_STEP_END);
}

static void take_step(NewtonFd *s) {
  for (int i = 0; i < s->lsq->n; i++)
    s->trial->x[i] = s->at->x[i] + s->options->step_factor * s->d[i];
  local_clamp(s->lsq, s->trial->x);
  for (int i = 0; i < s->lsq->n; i++) s->moved[i] = s->trial->x[i] - s->at->x[i];
  LsqEnd how = evaluate(s, s->trial);
  if (how == LSQ_DONE)
    move(s);
  else
    end(s, how == LSQ_STOP ? LOCAL_STOPPED_END : LOCAL_FAILED_END);
}

static void start(NewtonFd *s) {
  LocalEnd how;
  if (s->lsq->n) memcpy(s->at->x, s->result->best->x, (size_t)s->lsq->n * sizeof(double));
  local_clamp(s->lsq, s->at->x);
  LsqEnd e = evaluate(s, s->at);
  if (local_ends_at_start(e, s->at, s->options, &how)) end(s, how);
  lsq_point_copy(s->lowest, s->at, s->lsq->n);
}

void local_newton_fd(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  Arena *a = arena_new();
  NewtonFd *s = newton_fd_new(a, lsq, options, result);
  result->iterations = result->evaluations = 0;
  start(s);
  while (!s->ended) {
    if (result->iterations >= options->max_iterations)
      end(s, LOCAL_ITERATIONS_END);
    else
      find_step(s);
    if (!s->ended) take_step(s);
  }
  // The result of a search that converged is where it converged, even if it passed a lower point on the way.
  const LsqPoint *found = local_end_converged(result->end) ? s->at : s->lowest;
  lsq_point_copy(result->best, found, lsq->n);
  arena_free(a);
}
