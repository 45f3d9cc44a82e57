// Damped: Newton's method with an exact Jacobian, z += s d with J d = -r. The step factor s is halved until the natural
// monotonicity test holds, |J(z)^-1 r(z + s d)| <= (1 - s/4) |d| (Deuflhard, Newton Methods for Nonlinear Problems, 2004,
// section 3.3). Start values that solve the equations stay as they are.
//
// Continued: from a root z at the inputs u0 to the inputs u along u0 + s (u - u0), s from 0 to 1 (the same, section 5.1).
// Whole Newton steps must contract by CONTRACTION, which leaves no room for another root (Newton and Kantorovich), and the
// sign of det J must stay. Where they do not, the way is divided. Where it cannot be divided any more the branch ends or
// jumps, and the damped method looks for a root next to the last one.
#include "code/roots.h"

#include <math.h>
#include <stdint.h>

#include "code/blocks.h"

enum { ITERATIONS = 60, HALVINGS = 20, CORRECTIONS = 20, TRIES = 32, STUBBORN = 4 };
static const double CONTRACTION = 0.25;
static const double PART_LEAST = 1e-8; // of the way between two sets of inputs

typedef struct Newton { // of one lane, contiguous
  const NewtonData *d;
  double *in, *z, *out, *lu, *pivots, *step, *trial, *trial_step, *slope;
  double *from, *goal;  // the way: inputs at both its ends
  double *root, *there; // roots where a part of it begins and ends
  double *middle, *back;
  double *weight; // of the unknowns, while the damped method runs
  double strain;  // most of the whole steps, about proportional to the way; above 1 it is too long
  double *work;
} Newton;

int newton_anchor(int n, int inputs) {
  return 1 + n + inputs;
}

int newton_scratch(int n, int inputs, int code_work) {
  return 3 * inputs + 11 * n + (n + n * n) + n * n + code_work +
         8; // 8: alignment of the code's work
}

static double *take(double **at, int count) {
  double *p = *at;
  *at += count;
  return p;
}

static Newton newton_at(const NewtonData *d, double *scratch) {
  int n = d->n;
  Newton w = {.d = d};
  uintptr_t aligned = ((uintptr_t)scratch + 63) / 64 * 64;
  w.work = (double *)aligned;
  double *at = w.work + d->code->work_count;
  w.in = take(&at, d->inputs);
  w.from = take(&at, d->inputs);
  w.goal = take(&at, d->inputs);
  w.z = take(&at, n);
  w.root = take(&at, n);
  w.there = take(&at, n);
  w.middle = take(&at, n);
  w.back = take(&at, n);
  w.out = take(&at, n + n * n);
  w.lu = take(&at, n * n);
  w.pivots = take(&at, n);
  w.step = take(&at, n);
  w.trial = take(&at, n);
  w.trial_step = take(&at, n);
  w.slope = take(&at, n);
  w.weight = take(&at, n);
  return w;
}

static inline double larger(double a, double b) { // fmax is a call
  return a > b ? a : b;
}

static inline void copy(double *to, const double *from, int n) { // a call costs more
  for (int i = 0; i < n; i++) to[i] = from[i];
}

static bool all_finite(const double *x, int n) {
  double sum = 0; // a finite number times 0 is 0
  for (int i = 0; i < n; i++) sum += x[i] * 0;
  return sum == 0;
}

static bool all_zero(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] != 0) return false;
  return true;
}

// Residuals and Jacobian into out.
static bool residual_at(Newton *w, const double *z) {
  code_run(w->d->code, w->in, z, NULL, w->out, w->work);
  return all_finite(w->out, w->d->n);
}

static void solve(const Newton *w, double *b) {
  if (w->d->n == 1)
    b[0] /= w->lu[0];
  else
    linear_solve(w->lu, w->pivots, w->d->n, b);
}

// Newton step for the residual in out with the factor in lu.
static bool step_from_factor(Newton *w, double *step) {
  int n = w->d->n;
  for (int i = 0; i < n; i++) step[i] = -w->out[i];
  solve(w, step);
  return all_finite(step, n);
}

static bool factor_here(Newton *w) {
  int n = w->d->n;
  for (int i = 0; i < n * n; i++) w->lu[i] = w->out[n + i];
  if (!all_finite(w->lu, n * n)) return false;
  w->pivots[0] = 0;
  if (n > 1) linear_factor(w->lu, w->pivots, n);
  return true;
}

static double relative_size(const double *step, const double *z, int n, double least) {
  double largest = 0;
  for (int i = 0; i < n; i++) {
    double scale = larger(fabs(z[i]), least);
    largest = larger(fabs(step[i]) / scale, largest);
  }
  return largest;
}

static double norm(const Newton *w, const double *x) {
  double sum = 0;
  for (int i = 0; i < w->d->n; i++) sum += w->weight[i] * x[i] * w->weight[i] * x[i];
  return sqrt(sum);
}

static bool is_settled(double size, double before) { // rounding is reached
  return size <= 1e-14 || (size <= 1e-9 && size > 0.25 * before);
}

static void add_step(Newton *w) {
  for (int i = 0; i < w->d->n; i++) w->z[i] += w->step[i];
}

// ---------------------------------------------------------------- damped

// An unknown counts in the size that it begins with: where one is 1 and another 1e-5, steps must suit both.
static void set_weights(Newton *w) {
  double largest = 0;
  for (int i = 0; i < w->d->n; i++) largest = larger(fabs(w->z[i]), largest);
  for (int i = 0; i < w->d->n; i++) // a rounding error has no size
    w->weight[i] = w->z[i] == 0 ? 1 : 1 / larger(fabs(w->z[i]), 1e-8 * largest);
}

// Natural monotonicity test (Deuflhard): the simplified Newton step from the trial point must be shorter. Leaves the
// residual there in out.
static bool damped_move(Newton *w) {
  int n = w->d->n;
  double full = norm(w, w->step), damping = 1;
  for (int k = 0; k < HALVINGS; k++, damping /= 2) {
    for (int i = 0; i < n; i++) w->trial[i] = w->z[i] + damping * w->step[i];
    if (!residual_at(w, w->trial) || !step_from_factor(w, w->trial_step)) continue;
    if (norm(w, w->trial_step) > (1 - damping / 4) * full) continue;
    copy(w->z, w->trial, n);
    return true;
  }
  return false;
}

static bool newton_from_z(Newton *w) {
  int n = w->d->n;
  double before = HUGE_VAL;
  if (!all_finite(w->z, n) || !residual_at(w, w->z)) return false;
  if (all_zero(w->out, n)) return true; // also where the derivatives vanish
  set_weights(w);
  for (int k = 0; k < ITERATIONS; k++) {
    if (!factor_here(w) || !step_from_factor(w, w->step)) return false;
    double size = relative_size(w->step, w->z, n, 1e-8);
    if (is_settled(size, before)) {
      add_step(w);
      return true;
    }
    before = size;
    // with an exact Jacobian a move fails at rounding only, which is absolute for a solution near 0
    if (!damped_move(w)) return relative_size(w->step, w->z, n, 1e-4) <= 1e-9;
  }
  return false;
}

// Where the derivative vanishes at the first guess (q^2 = h at q = 0) a guess beside it may do.
static const double BESIDE[] = {0, 0.01, -0.01, 1, -1};

static bool newton_from_start(Newton *w, const double *start, size_t lanes) {
  int n = w->d->n;
  for (size_t k = 0; k < sizeof BESIDE / sizeof *BESIDE; k++) {
    for (int i = 0; i < n; i++) {
      double z = start[(size_t)i * lanes];
      w->z[i] = z + BESIDE[k] * fmax(1, fabs(z));
    }
    if (newton_from_z(w)) return true;
  }
  return false;
}

// ---------------------------------------------------------------- continued

static bool has_negative_determinant(const Newton *w) {
  bool negative = false;
  for (int k = 0; k < w->d->n; k++)
    negative ^= (w->lu[k * w->d->n + k] < 0) != ((int)w->pivots[k] != k);
  return negative;
}

// Along a whole step d the residual J^-1 r goes from -d to 0, and its slope stays d, as far as the equations are linear.
// At the end of the step, which is tried, what is left of the residual must be small; and so must be, for the first step,
// the change of the slope: where the step leads to another root one of both is small by chance. Each unknown counts in its
// own size: those with large numbers must not hide the others. *left: the next step, relative.
static bool is_contracted(Newton *w, bool first, double *left) {
  int n = w->d->n;
  double step = 0, bend = 0, *slope = w->slope;
  *left = 0;
  for (int i = 0; i < n && first; i++) {
    slope[i] = 0;
    for (int j = 0; j < n; j++) slope[i] += w->out[n + i * n + j] * w->step[j];
  }
  if (first) solve(w, slope);
  for (int i = 0; i < n; i++) {
    double scale = 1 / larger(larger(fabs(w->z[i]), fabs(w->trial[i])), 1e-8);
    step = larger(fabs(w->step[i]) * scale, step);
    *left = larger(fabs(w->trial_step[i]) * scale, *left);
    if (first) bend = larger(fabs(slope[i] - w->step[i]) * scale, bend);
  }
  double strain = larger(*left, 0.5 * bend) / (CONTRACTION * step);
  w->strain = larger(strain, w->strain);
  return strain <= 1;
}

// Whole steps from the root to the inputs in `in`, into z. false: another root may be as near.
static bool correct(Newton *w) {
  int n = w->d->n;
  double before = HUGE_VAL, left;
  bool negative = false;
  w->strain = 0;
  copy(w->z, w->root, n);
  if (!residual_at(w, w->z)) return false;
  if (all_zero(w->out, n)) return true;
  for (int k = 0; k < CORRECTIONS; k++) {
    if (!factor_here(w) || !step_from_factor(w, w->step)) return false;
    bool now = has_negative_determinant(w);
    if (k > 0 && now != negative) return false;
    negative = now;
    double size = relative_size(w->step, w->z, n, 1e-8);
    for (int i = 0; i < n; i++) w->trial[i] = w->z[i] + w->step[i];
    if (is_settled(size, before)) {
      copy(w->z, w->trial, n);
      return true;
    }
    if (!residual_at(w, w->trial) || !step_from_factor(w, w->trial_step)) return false;
    if (!is_contracted(w, k == 0, &left)) return relative_size(w->step, w->z, n, 1e-4) <= 1e-9;
    copy(w->z, w->trial, n);
    if (left * left > 1e-15 * size) { // else the next step is as good with the old factor
      before = size;
      continue;
    }
    for (int i = 0; i < n; i++) w->z[i] += w->trial_step[i];
    return true;
  }
  return false;
}

static void set_inputs(Newton *w, double s) {
  for (int i = 0; i < w->d->inputs; i++)
    w->in[i] = s < 1 ? w->from[i] + s * (w->goal[i] - w->from[i]) : w->goal[i];
}

static bool has_negative_determinant_at(Newton *w, const double *z) {
  return residual_at(w, z) && factor_here(w) && has_negative_determinant(w);
}

// The damped method from a root to other inputs, to a root with the same sign of det J.
static bool jump(Newton *w, const double *from, double s, bool negative, double *to) {
  set_inputs(w, s);
  copy(w->z, from, w->d->n);
  if (!newton_from_z(w)) return false;
  copy(to, w->z, w->d->n);
  return has_negative_determinant_at(w, to) == negative;
}

static bool is_same_root(const Newton *w, const double *a, const double *b) {
  for (int i = 0; i < w->d->n; i++)
    if (fabs(a[i] - b[i]) > 1e-6 * fmax(fabs(a[i]), 1e-4)) return false;
  return true;
}

// Where the equations bend too much for whole steps (an exponential): the damped method from both ends must meet in the
// middle, and lead back to the root. On another branch it stays on that.
static bool go_and_return(Newton *w, double from, double to) {
  int n = w->d->n;
  double middle = 0.5 * (from + to);
  set_inputs(w, from);
  bool negative = has_negative_determinant_at(w, w->root);
  if (!jump(w, w->root, to, negative, w->there) || !jump(w, w->there, middle, negative, w->back))
    return false;
  copy(w->middle, w->back, n);
  if (!jump(w, w->middle, from, negative, w->back) || !is_same_root(w, w->back, w->root))
    return false;
  if (!jump(w, w->root, middle, negative, w->back) || !is_same_root(w, w->back, w->middle))
    return false;
  copy(w->z, w->there, n);
  return true;
}

// Shorter parts are less strained, but not over a kink.
static bool follow(Newton *w) {
  double done = 0, part = 1, before = HUGE_VAL;
  int stubborn = 0;
  for (int tries = 0; tries < TRIES && stubborn < STUBBORN && part >= PART_LEAST; tries++) {
    double s = done + part;
    set_inputs(w, s);
    if (!correct(w)) {
      stubborn = w->strain > 0.7 * before ? stubborn + 1 : 0;
      before = w->strain;
      part *= fmax(0.03, fmin(0.5, 0.7 / w->strain));
      continue;
    }
    if (s >= 1) return true;
    copy(w->root, w->z, w->d->n);
    done = s;
    part = fmin(part * fmax(0.5, fmin(4, 0.7 / w->strain)), 1 - done);
    stubborn = 0, before = HUGE_VAL;
  }
  return go_and_return(w, done, 1);
}

// ---------------------------------------------------------------- the block

static void fetch(const double *work, int slot, int count, size_t lanes, double *to) {
  for (int i = 0; i < count; i++) to[i] = work[((size_t)slot + (size_t)i) * lanes];
}

// work: of the lane
static bool find_root(const NewtonData *d, Newton *w, const double *work, size_t lanes) {
  AnchorKind kind = (AnchorKind)work[(size_t)d->anchor * lanes];
  if (kind == ANCHOR_ROOT) {
    fetch(work, d->anchor + 1, d->n, lanes, w->root);
    fetch(work, d->anchor + 1 + d->n, d->inputs, lanes, w->from);
    copy(w->goal, w->in, d->inputs);
    if (follow(w)) return true;
    copy(w->in, w->goal, d->inputs);
  }
  if (kind != ANCHOR_NONE) {
    fetch(work, d->anchor + 1, d->n, lanes, w->z);
    if (newton_from_z(w)) return true;
  }
  return newton_from_start(w, work + (size_t)d->start * lanes, lanes);
}

void block_newton(const CodeBlock *self, double *work, int lanes) {
  const NewtonData *d = self->data;
  size_t step = (size_t)lanes;
  Newton w = newton_at(d, work + (size_t)d->scratch * step);
  for (int lane = 0; lane < lanes; lane++) {
    fetch(work + lane, d->input, d->inputs, step, w.in);
    bool found = find_root(d, &w, work + lane, step);
    for (int i = 0; i < d->n; i++)
      work[((size_t)d->solution + (size_t)i) * step + (size_t)lane] = found ? w.z[i] : nan("");
  }
}
