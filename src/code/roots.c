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
#include <string.h>

#include "code/blocks.h"

enum { ITERATIONS = 60, HALVINGS = 20, CORRECTIONS = 20 };
static const double CONTRACTION = 0.25;
static const double PART_LEAST = 1e-8; // of the way between two sets of inputs

typedef struct Newton { // of one lane, contiguous
  const NewtonData *d;
  double *in, *z, *out, *lu, *pivots, *step, *trial, *trial_step, *slope;
  double *from, *goal, *root; // the way: inputs at both its ends, the root at its beginning
  double strain; // of the last whole step, about proportional to the step; above 1 it is too long
  double *work;
} Newton;

int newton_anchor(int n, int inputs) {
  return 1 + n + inputs;
}

int newton_scratch(int n, int inputs, int code_work) {
  return 3 * inputs + 7 * n + (n + n * n) + n * n + code_work +
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
  w.out = take(&at, n + n * n);
  w.lu = take(&at, n * n);
  w.pivots = take(&at, n);
  w.step = take(&at, n);
  w.trial = take(&at, n);
  w.trial_step = take(&at, n);
  w.slope = take(&at, n);
  return w;
}

static void copy(double *to, const double *from, int n) {
  memcpy(to, from, (size_t)n * sizeof *to);
}

static bool all_finite(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
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

// Newton step for the residual in out with the factor in lu.
static bool step_from_factor(Newton *w, double *step) {
  int n = w->d->n;
  for (int i = 0; i < n; i++) step[i] = -w->out[i];
  linear_solve(w->lu, w->pivots, n, step);
  return all_finite(step, n);
}

static bool factor_here(Newton *w) {
  int n = w->d->n;
  copy(w->lu, w->out + n, n * n);
  if (!all_finite(w->lu, n * n)) return false;
  linear_factor(w->lu, w->pivots, n);
  return true;
}

static double relative_size(const double *step, const double *z, int n, double least) {
  double largest = 0;
  for (int i = 0; i < n; i++) {
    double scale = fmax(fabs(z[i]), least);
    largest = fmax(largest, fabs(step[i]) / scale);
  }
  return largest;
}

static double norm(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

static bool is_settled(double size, double before) { // rounding is reached
  return size <= 1e-14 || (size <= 1e-9 && size > 0.25 * before);
}

static void add_step(Newton *w) {
  for (int i = 0; i < w->d->n; i++) w->z[i] += w->step[i];
}

// ---------------------------------------------------------------- damped

// Natural monotonicity test (Deuflhard): the simplified Newton step from the trial point must be shorter. Leaves the
// residual there in out.
static bool damped_move(Newton *w) {
  int n = w->d->n;
  double full = norm(w->step, n), damping = 1;
  for (int k = 0; k < HALVINGS; k++, damping /= 2) {
    for (int i = 0; i < n; i++) w->trial[i] = w->z[i] + damping * w->step[i];
    if (!residual_at(w, w->trial) || !step_from_factor(w, w->trial_step)) continue;
    if (norm(w->trial_step, n) > (1 - damping / 4) * full) continue;
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
// At the end of the step, which is tried, what is left of the residual and the change of the slope must be small: one of
// both is small by chance where the step leads to another root. Each unknown counts in its own size: those with large
// numbers must not hide the others.
static bool is_contracted(Newton *w) {
  int n = w->d->n;
  double step = 0, left = 0, bend = 0, *slope = w->slope;
  for (int i = 0; i < n; i++) {
    slope[i] = 0;
    for (int j = 0; j < n; j++) slope[i] += w->out[n + i * n + j] * w->step[j];
  }
  linear_solve(w->lu, w->pivots, n, slope);
  for (int i = 0; i < n; i++) {
    double scale = 1 / fmax(fmax(fabs(w->z[i]), fabs(w->trial[i])), 1e-8);
    step = fmax(step, fabs(w->step[i]) * scale);
    left = fmax(left, fabs(w->trial_step[i]) * scale);
    bend = fmax(bend, fabs(slope[i] - w->step[i]) * scale);
  }
  w->strain = fmax(left, 0.5 * bend) / (CONTRACTION * step);
  return w->strain <= 1;
}

// Whole steps from the root to the inputs in `in`, into z. false: another root may be as near.
static bool correct(Newton *w) {
  int n = w->d->n;
  double before = HUGE_VAL;
  bool negative = false;
  w->strain = 4;
  copy(w->z, w->root, n);
  if (!residual_at(w, w->z)) return false;
  if (all_zero(w->out, n)) return true;
  for (int k = 0; k < CORRECTIONS; k++) {
    if (!factor_here(w) || !step_from_factor(w, w->step)) return false;
    if (k > 0 && negative != has_negative_determinant(w)) return false;
    negative = has_negative_determinant(w);
    double size = relative_size(w->step, w->z, n, 1e-8);
    if (is_settled(size, before)) {
      add_step(w);
      return true;
    }
    before = size;
    for (int i = 0; i < n; i++) w->trial[i] = w->z[i] + w->step[i];
    if (!residual_at(w, w->trial) || !step_from_factor(w, w->trial_step)) return false;
    if (!is_contracted(w)) return relative_size(w->step, w->z, n, 1e-4) <= 1e-9;
    copy(w->z, w->trial, n);
  }
  return false;
}

static bool follow(Newton *w) {
  double done = 0, part = 1;
  while (part >= PART_LEAST) {
    double s = done + part;
    for (int i = 0; i < w->d->inputs; i++)
      w->in[i] = s < 1 ? w->from[i] + s * (w->goal[i] - w->from[i]) : w->goal[i];
    if (!correct(w)) {
      part *= fmax(0.03, fmin(0.5, 0.7 / w->strain));
      continue;
    }
    if (s >= 1) return true;
    copy(w->root, w->z, w->d->n);
    done = s;
    part = fmin(2 * part, 1 - done);
  }
  copy(w->in, w->goal, w->d->inputs);
  return false;
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
