// Explicit Runge-Kutta methods: k_i = f(t + c_i h, y + h sum_j a_ij k_j), y_new = y + h sum_i b_i k_i. rk8 is DOP853
// (Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, 1993, section II.5), whose error is e5^2 /
// sqrt(e5^2 + 0.01 e3^2) of two estimates; rk5 is Dormand and Prince 5(4) (1980). Dense output by the polynomials that
// belong to them. Sensitivities are integrated with the states and take part in the error. Stiffness: |h lambda| with
// lambda = |k_end - k_last| / |y_end - y_last| stays above the stability limit (Hairer and Wanner II, section IV.2).
#include "simulate/rk.h"

#include <math.h>
#include <string.h>

#include "num/vec.h"
#include "simulate/control.h"
#include "simulate/rk_tableau.h"

typedef void RkSlope(void *self, double t, const double *y, double *dy);
typedef struct Rk Rk;

typedef struct RkKernels {
  void (*stages)(const Rk *w, const Stepper *s, double h); // all slopes, end value, scaled errors
  void (*lane_stages)(const Rk *w, const Stepper *s, double h); // the same of several lanes
  void (*dense)(const Rk *w, const Stepper *s, RkSlope *f, int count);
  void (*value)(const Rk *w, const double *y, double theta, int count, double *out);
  void (*rows)(const Rk *w, const double *y, const double *thetas, const int *pick, int count,
               double *const *column, int row);
  // Of several lanes: as `dense` of the picked numbers alone, values of four lanes from number i on at four times and at
  // one.
  void (*lane_dense)(const Rk *w, const Stepper *s, RkSlope *f, int count, const int *pick,
                     int picks);
  void (*lane_rows)(const Rk *w, const double *y, const double *thetas, int i,
                    double *const *column, int row);
  void (*lane_row)(const Rk *w, const double *y, double theta, int i, double *const *column,
                   int row);
  // Of a method whose polynomial costs much, for few times: the stages that it needs, and the values at one time.
  void (*lane_more)(const Rk *w, const Stepper *s, RkSlope *f, int count);
  void (*lane_few)(const Rk *w, const Stepper *s, double theta, const int *pick, int picks,
                   double *const *column, int row);
  void (*combine)(double *five, const double *three, int count);
} RkKernels;

typedef struct RkMethod {
  ControlRule rule;
  // Where stages are in a step, without that at its end: those of a step, then those of dense output.
  double nodes[16];
  int node_count, dense_node_count;
  int stages; // evaluations of f in an attempt
  int end;    // the slope at the end of the step
  int last;   // the slope before it, also at the end time: their difference estimates the stiffness
  int slopes; // with those for dense output
  int dense_stages; // evaluations of f that dense output adds
  double stability; // limit of |h lambda| on the negative real axis
  bool two_errors;  // combines estimates of orders 5 and 3
  RkKernels plain, wide;
} RkMethod;

enum { STIFF_HITS = 15, STIFF_MISSES = 6, LANE_STEPS_BETWEEN = 4 };       // Hairer's, in DOP853
typedef enum DenseReady { DENSE_NO, DENSE_STATES, DENSE_ALL } DenseReady; // coefficients at hand

typedef struct StiffTest {
  int hits, misses;
} StiffTest;

struct Rk {
  const RkMethod *method;
  const RkKernels *kernels;
  Control *control;
  int count, ld;     // numbers in y; distance of the slopes in k
  double *k;         // slope j at k + j*ld, counted from 1
  double *arg, *end; // argument of the last stage; the new y
  double *squares3;  // of the third order error
  double *errors3;   // by columns
  double *dense;     // coefficient j at dense + j*ld, counted from 1
  DenseReady dense_ready;
  bool begun;            // k1 holds f(t, y); otherwise the end slope of the last step does
  bool computable;       // f was finite at the start
  bool lane_dense_ready; // the coefficients of the picked numbers are
  bool more_ready;       // the stages for dense output are
  StiffTest *stiff;      // by lane
};

#define VEC_KERNELS "simulate/rk_kernels.inc"
#include "num/vec_twice.inc"

static const RkMethod RK8 = {
    .rule = {.order = 8, .memory = 0.02, .safety = 0.9, .slow = 0.333, .fast = 6},
    .nodes = {RK8_C2, RK8_C3, RK8_C4, RK8_C5, RK8_C6, RK8_C7, RK8_C8, RK8_C9, RK8_C10, RK8_C11,
              RK8_C14, RK8_C15, RK8_C16},
    .node_count = 10,
    .dense_node_count = 3,
    .stages = 11,
    .end = 13,
    .last = 12,
    .slopes = 16,
    .dense_stages = 3,
    .stability = 6.1,
    .two_errors = true,
    .plain = {rk8_stages_plain, rk8_lane_stages_plain, rk8_dense_plain, rk8_value_plain,
              rk8_rows_plain, rk8_lane_dense_plain, rk8_lane_rows_plain, rk8_lane_row_plain,
              rk8_more_plain, rk8_lane_few_plain, combine_plain},
    .wide = {VEC_BEST(rk8_stages), VEC_BEST(rk8_lane_stages), VEC_BEST(rk8_dense),
             VEC_BEST(rk8_value), VEC_BEST(rk8_rows), VEC_BEST(rk8_lane_dense),
             VEC_BEST(rk8_lane_rows), VEC_BEST(rk8_lane_row), VEC_BEST(rk8_more),
             VEC_BEST(rk8_lane_few), VEC_BEST(combine)},
};

static const RkMethod RK5 = {
    .rule = {.order = 5, .memory = 0.04, .safety = 0.9, .slow = 0.2, .fast = 10},
    .nodes = {RK5_C2, RK5_C3, RK5_C4, RK5_C5},
    .node_count = 4,
    .stages = 6,
    .end = 7,
    .last = 6,
    .slopes = 7,
    .dense_stages = 0,
    .stability = 3.25,
    .two_errors = false,
    .plain = {rk5_stages_plain, rk5_stages_plain, rk5_dense_plain, rk5_value_plain, rk5_rows_plain,
              rk5_lane_dense_plain, rk5_lane_rows_plain, rk5_lane_row_plain, NULL, NULL,
              combine_plain},
    .wide = {VEC_BEST(rk5_stages), VEC_BEST(rk5_stages), VEC_BEST(rk5_dense), VEC_BEST(rk5_value),
             VEC_BEST(rk5_rows), VEC_BEST(rk5_lane_dense), VEC_BEST(rk5_lane_rows),
             VEC_BEST(rk5_lane_row), NULL, NULL, VEC_BEST(combine)},
};

static double *slope(const Rk *w, int j) {
  return w->k + j * w->ld;
}

static void count_rhs(Stepper *s, int times, bool with_sensitivities) {
  s->count.rhs += times;
  if (with_sensitivities && s->ode->ns > 0) s->count.rhs_sens += times;
}

static void init(Stepper *s, Arena *a, const RkMethod *method) {
  Rk *w = ARENA_NEW(a, Rk);
  s->data = w;
  w->method = method;
  w->kernels = vec_wide() ? &method->wide : &method->plain;
  w->control = control_new(a, s->ode, &method->rule);
  w->count = control_count(s->ode);
  w->ld = vec_padded(w->count);
  w->k = ARENA_ARRAY(a, double, (method->slopes + 1) * w->ld);
  w->dense = ARENA_ARRAY(a, double, 8 * w->ld);
  w->arg = ARENA_ARRAY(a, double, w->ld);
  w->end = ARENA_ARRAY(a, double, w->ld);
  w->squares3 = ARENA_ARRAY(a, double, w->ld);
  w->errors3 = ARENA_ARRAY(a, double, w->control->errors_sens + w->ld);
  w->stiff = ARENA_ARRAY(a, StiffTest, s->ode->lanes);
}

static void init_rk8(Stepper *s, Arena *a) {
  init(s, a, &RK8);
}
static void init_rk5(Stepper *s, Arena *a) {
  init(s, a, &RK5);
}

// Marks the lanes in which f cannot be computed: those where v is not finite.
static void mark_broken_lanes(Stepper *s, const double *v, int count) {
  for (int i = 0; i < count && s->lane_error; i++)
    if (!isfinite(v[i])) s->lane_error[i % s->ode->lanes] = nan("");
}

static void start(Stepper *s, double t_end) {
  Rk *w = s->data;
  s->ode->rhs(s->ode->self, s->t, s->y, slope(w, 1));
  count_rhs(s, 1, true);
  w->computable = control_finite(slope(w, 1), w->count);
  if (!w->computable) mark_broken_lanes(s, slope(w, 1), w->count);
  w->begun = true;
  w->dense_ready = DENSE_NO;
  memset(w->stiff, 0, (size_t)s->ode->lanes * sizeof *w->stiff);
  control_start(w->control, s, t_end, slope(w, 1), w->arg, slope(w, 2));
}

static void moved(Stepper *s) {
  Rk *w = s->data;
  s->ode->rhs(s->ode->self, s->t, s->y, slope(w, 1));
  count_rhs(s, 1, true);
  w->computable = control_finite(slope(w, 1), w->count);
  w->begun = true;
}

// For each state, and for each column of sensitivities.
static void combine_errors(Rk *w, const Ode *ode) {
  Control *c = w->control;
  int states = ode->n * ode->lanes, columns = ode->ns ? ode->stride * ode->lanes : 0;
  double *sens = c->errors + c->errors_sens;
  control_columns(c, ode, w->squares3, w->errors3);
  w->kernels->combine(c->squares, w->squares3, states);
  w->kernels->combine(sens, w->errors3 + c->errors_sens, columns);
  c->vec->column_largest(c->squares, ode->n, ode->lanes, c->errors);
}

// In the order in which they are wanted; the kernels round in the same way.
static void announce_times(const Rk *w, const Stepper *s, double h, double t_end) {
  const RkMethod *m = w->method;
  double t[18];
  int count = 0;
  if (!s->ode->times) return;
  for (int i = 0; i < m->node_count; i++) t[count++] = s->t + m->nodes[i] * h;
  t[count++] = s->t + h;
  if (t_end != s->t + h) t[count++] = t_end;
  for (int i = 0; i < m->dense_node_count; i++)
    t[count++] = s->t + m->nodes[m->node_count + i] * (t_end - s->t);
  s->ode->times(s->ode->self, t, count);
}

static double attempt_error(Rk *w, Stepper *s, double h) {
  if (s->ode->lanes > 1)
    w->kernels->lane_stages(w, s, h);
  else
    w->kernels->stages(w, s, h);
  count_rhs(s, w->method->stages, true);
  control_columns(w->control, s->ode, w->control->squares, w->control->errors);
  if (w->method->two_errors) combine_errors(w, s->ode);
  if (s->ode->lanes > 1) return control_worst_lane(w->control, s, w->control->errors, h);
  return fabs(h) * control_worst(w->control, s->ode, w->control->errors);
}

// The slope where the step ends, which the next step begins with. False when it cannot be computed.
static bool end_slope(Rk *w, Stepper *s, double t_end) {
  double *k = slope(w, w->method->end);
  if (w->method->two_errors) { // rk5 has it already
    s->ode->rhs(s->ode->self, t_end, w->end, k);
    count_rhs(s, 1, true);
  }
  return control_finite(k, w->count);
}

// The first slope that is not finite, or the end value; NULL when there is none.
static const double *find_broken(const Rk *w) {
  for (int j = 1; j <= w->method->last; j++)
    if (!control_finite(slope(w, j), w->count)) return slope(w, j);
  return control_finite(w->end, w->count) ? NULL : w->end;
}

// Counts how often in a row a lane looks stiff. True when it is so often enough.
static bool count_stiff(StiffTest *test, bool looks_stiff, int between) {
  if (looks_stiff) {
    test->misses = 0;
    test->hits++;
  } else if (test->hits > 0 && ++test->misses * between >= STIFF_MISSES) {
    *test = (StiffTest){0};
  }
  if (test->hits * between < STIFF_HITS) return false;
  *test = (StiffTest){0};
  return true;
}

// The largest eigenvalue from two slopes at the end of the step: Hairer, Wanner II, section IV.2.
static bool lane_is_stiff(Rk *w, const Stepper *s, double h, int lane) {
  const double *last = slope(w, w->method->last), *end = slope(w, w->method->end);
  int lanes = s->ode->lanes;
  double top = 0, bottom = 0, limit = w->method->stability;
  for (int i = lane; i < s->ode->n * lanes; i += lanes) {
    double df = end[i] - last[i], dy = w->end[i] - w->arg[i];
    top += df * df;
    bottom += dy * dy;
  }
  return count_stiff(&w->stiff[lane], h * h * top > limit * limit * bottom,
                     lanes > 1 ? LANE_STEPS_BETWEEN : 1);
}

// Of several lanes, looked at now and then.
static bool is_stiff(Rk *w, Stepper *s, double h) {
  if (s->ode->lanes == 1) return lane_is_stiff(w, s, h, 0);
  bool any = false;
  if (s->count.steps % LANE_STEPS_BETWEEN) return false;
  for (int l = 0; l < s->ode->lanes; l++) any |= s->lane_stiff[l] = lane_is_stiff(w, s, h, l);
  return any;
}

static StepEnd accept(Rk *w, Stepper *s, Attempt a, double limit, double error) {
  size_t bytes = (size_t)w->count * sizeof *s->y;
  bool stiff = is_stiff(w, s, a.h);
  memcpy(s->y_old, s->y, bytes);
  memcpy(s->y, w->end, bytes);
  s->t_old = s->t;
  s->t = a.last ? limit : s->t + a.h;
  w->begun = false;
  w->dense_ready = DENSE_NO;
  w->lane_dense_ready = w->more_ready = false;
  control_accept(w->control, s, a, error);
  return stiff ? STEP_STIFF : STEP_DONE;
}

static StepEnd step(Stepper *s, double limit) {
  Rk *w = s->data;
  if (limit == s->t) return STEP_DONE;
  if (!w->computable) return STEP_NOT_COMPUTABLE;
  if (!w->begun) {
    memcpy(slope(w, 1), slope(w, w->method->end), (size_t)w->count * sizeof *w->k);
    w->begun = true;
  }
  for (;;) {
    if (control_exhausted(s)) return STEP_TOO_MANY;
    Attempt a = control_attempt(w->control, s, limit);
    announce_times(w, s, a.h, a.last ? limit : s->t + a.h);
    double error = attempt_error(w, s, a.h);
    const double *broken = NULL;
    if (error <= 1) {
      if (end_slope(w, s, a.last ? limit : s->t + a.h)) return accept(w, s, a, limit, error);
      broken = slope(w, w->method->end);
    } else if (!isfinite(error)) {
      broken = find_broken(w);
    }
    if (broken) mark_broken_lanes(s, broken, w->count);
    StepEnd end = control_reject(w->control, s, a, error, broken);
    if (end != STEP_DONE) return end;
  }
}

static void prepare_dense(Rk *w, Stepper *s, bool with_sensitivities) {
  const Ode *ode = s->ode;
  bool states = !with_sensitivities && ode->ns > 0 && ode->rhs_states;
  int count = states ? ode->n * ode->lanes : w->count;
  w->kernels->dense(w, s, states ? ode->rhs_states : ode->rhs, count);
  count_rhs(s, w->method->dense_stages, !states);
  w->dense_ready = states ? DENSE_STATES : DENSE_ALL;
  if (w->method->dense_stages == 0 || control_finite(w->dense + 7 * w->ld, count)) return;
  // f cannot be computed somewhere inside the step: the cubic through both ends remains
  memset(w->dense + 4 * w->ld, 0, (size_t)(4 * w->ld) * sizeof *w->dense);
}

static void dense(Stepper *s, double t, bool with_sensitivities, double *y) {
  Rk *w = s->data;
  int count = with_sensitivities ? w->count : s->ode->n * s->ode->lanes;
  if (t == s->t || t == s->t_old) {
    memcpy(y, t == s->t ? s->y : s->y_old, (size_t)count * sizeof *y);
    return;
  }
  DenseReady need = with_sensitivities ? DENSE_ALL : DENSE_STATES;
  if (w->dense_ready < need) prepare_dense(w, s, with_sensitivities);
  w->kernels->value(w, s->y_old, (t - s->t_old) / (s->t - s->t_old), count, y);
}

static void dense_row(Stepper *s, double theta, int numbers, const int *pick, int count,
                      double *const *column, int row) {
  Rk *w = s->data;
  w->kernels->value(w, s->y_old, theta, numbers, w->arg);
  for (int i = 0; i < count; i++) column[i][row] = w->arg[pick[i]];
}

static void dense_rows(Stepper *s, const double *t, int rows, bool with_sensitivities,
                       const int *pick, int count, double *const *column, int row) {
  Rk *w = s->data;
  int numbers = with_sensitivities ? w->count : s->ode->n * s->ode->lanes, k = 0;
  DenseReady need = with_sensitivities ? DENSE_ALL : DENSE_STATES;
  if (w->dense_ready < need) prepare_dense(w, s, with_sensitivities);
  double h = s->t - s->t_old, theta[4];
  for (; k + 4 <= rows; k += 4) {
    for (int j = 0; j < 4; j++) theta[j] = (t[k + j] - s->t_old) / h;
    w->kernels->rows(w, s->y_old, theta, pick, count, column, row + k);
  }
  for (; k < rows; k++) dense_row(s, (t[k] - s->t_old) / h, numbers, pick, count, column, row + k);
}

static RkSlope *dense_slope(const Rk *w, const Ode *ode, bool with_sensitivities, int *count) {
  bool states = !with_sensitivities && ode->ns > 0 && ode->rhs_states;
  *count = states ? ode->n * ode->lanes : w->count;
  return states ? ode->rhs_states : ode->rhs;
}

static void prepare_lanes(Rk *w, Stepper *s, bool with_sensitivities, const int *pick, int picks) {
  const Ode *ode = s->ode;
  int count;
  RkSlope *f = dense_slope(w, ode, with_sensitivities, &count);
  w->kernels->lane_dense(w, s, f, count, pick, picks);
  count_rhs(s, w->method->dense_stages, f == ode->rhs);
  w->lane_dense_ready = true;
  w->dense_ready = DENSE_NO;
  if (w->method->dense_stages == 0) return;
  for (int c = 0; c < picks; c++)
    for (int i = pick[c] * ode->lanes; i < (pick[c] + 1) * ode->lanes; i++)
      for (int j = 4; j < 8 && !isfinite(w->dense[7 * w->ld + i]); j++) w->dense[j * w->ld + i] = 0;
}

enum { FEW = 6 }; // times at which sums of slopes cost less than the coefficients of the polynomial

static void few_lanes(Stepper *s, const double *t, int rows, bool with_sensitivities,
                      const int *pick, int count, double *const *column, int row) {
  Rk *w = s->data;
  const Ode *ode = s->ode;
  int numbers;
  RkSlope *f = dense_slope(w, ode, with_sensitivities, &numbers);
  if (!w->more_ready) {
    w->kernels->lane_more(w, s, f, numbers);
    count_rhs(s, w->method->dense_stages, f == ode->rhs);
    w->more_ready = true;
  }
  for (int k = 0; k < rows; k++) {
    double theta = (t[k] - s->t_old) / (s->t - s->t_old);
    w->kernels->lane_few(w, s, theta, pick, count, column, row + k);
  }
}

static void dense_lanes(Stepper *s, const double *t, int rows, bool with_sensitivities,
                        const int *pick, int count, double *const *column, int row) {
  Rk *w = s->data;
  int lanes = s->ode->lanes, k = 0;
  if (rows < FEW && w->kernels->lane_few) {
    few_lanes(s, t, rows, with_sensitivities, pick, count, column, row);
    return;
  }
  if (!w->lane_dense_ready) prepare_lanes(w, s, with_sensitivities, pick, count);
  double h = s->t - s->t_old, theta[4];
  for (; k + 4 <= rows; k += 4) {
    for (int j = 0; j < 4; j++) theta[j] = (t[k + j] - s->t_old) / h;
    for (int c = 0; c < count; c++)
      for (int l = 0; l < lanes; l += 4)
        w->kernels->lane_rows(w, s->y_old, theta, pick[c] * lanes + l, column + c * lanes + l,
                              row + k);
  }
  for (; k < rows; k++)
    for (int c = 0; c < count; c++)
      for (int l = 0; l < lanes; l += 4)
        w->kernels->lane_row(w, s->y_old, (t[k] - s->t_old) / h, pick[c] * lanes + l,
                             column + c * lanes + l, row + k);
}

const StepperRow STEPPER_RK8 = {
    .name = "rk8",
    .meaning = "explicit Runge-Kutta, Dormand-Prince 8(5,3)",
    .order = 8,
    .init = init_rk8,
    .start = start,
    .step = step,
    .moved = moved,
    .dense = dense,
    .dense_rows = dense_rows,
    .dense_lanes = dense_lanes,
};

const StepperRow STEPPER_RK5 = {
    .name = "rk5",
    .meaning = "explicit Runge-Kutta, Dormand-Prince 5(4)",
    .order = 5,
    .init = init_rk5,
    .start = start,
    .step = step,
    .moved = moved,
    .dense = dense,
    .dense_rows = dense_rows,
    .dense_lanes = dense_lanes,
};
