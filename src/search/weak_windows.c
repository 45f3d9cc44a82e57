// The integrals of the weak form over windows, as residuals of a least-squares problem: the bump is phi(s) = (1 - s^2)^6 on
// [-1, 1], sums over equally spaced points are its integrals almost exactly (trapezoidal rule, flat ends).
#include <math.h>
#include <string.h>

#include "base/patience.h"
#include "search/weak_form.h"

// Derivative of order d by s of the bump (1 - s^2)^6. It is 0 at -1 and 1 with its first five derivatives, so that sums over
// points are integrals almost exactly, even with few points.
static double bump(int d, double s) {
  double q = 1 - s * s, q4 = q * q * q * q;
  switch (d) {
  case 0: return q4 * q * q;
  case 1: return -12 * s * q4 * q;
  case 2: return -12 * q4 * q + 120 * s * s * q4;
  default: return 360 * s * q4 - 960 * s * s * s * q * q * q;
  }
}

static void place_windows(WeakRun *r, double width) {
  int most = (r->points - 1) / 2, step;
  r->half = (int)fmin(most, fmax(WEAK_HALF_LEAST, round(width * r->quarter / r->step / 2)));
  r->windows = 0;
  step = (r->half + 2) / 3;
  for (int k = -r->half; k <= r->half; k++)
    r->phi[k + r->half] = bump(0, (double)k / r->half) * r->step;
  double far = fmax(3 * r->step, r->half * r->step / 2);
  for (int center = r->half; center + r->half < r->points; center += step) {
    bool whole = true;
    for (int k = center - r->half; k <= center + r->half; k++) whole &= r->spacing[k] <= far;
    if (whole) r->center[r->windows++] = center;
  }
}

// The integral of bump * der(state), by parts until only the measured curve is left. The bump's derivatives have no
// mean, so the middle of the curve can be taken off, which keeps rounding errors small.
static double fixed_integral(const WeakRun *r, const WeakKnown *known, int center) {
  const double *data = r->data[known->channel] + center;
  int order = known->level + 1;
  double sum = 0;
  for (int k = -r->half; k <= r->half; k++)
    sum += bump(order, (double)k / r->half) * (data[k] - data[0]);
  return (order % 2 ? -1 : 1) * sum * r->step / pow(r->half * r->step, order);
}

static void fill_fixed(Weak *w, WeakRun *r) {
  for (int q = 0; q < w->equation_count; q++) {
    double square = 0, *fixed = r->fixed + (size_t)q * (size_t)r->points;
    if (!r->usable[q]) continue;
    for (int i = 0; i < r->windows && patience_lasts(10 * r->half); i++) {
      fixed[i] = fixed_integral(r, &r->known[w->equations[q].state], r->center[i]);
      square += fixed[i] * fixed[i];
    }
    r->scale[q] = square > 0 ? sqrt(r->windows / square) : 1;
  }
}

static double bump_sum(const Weak *w, const WeakRun *r, int output, int center) {
  double sum = 0;
  const double *at = r->out + (size_t)(center - r->half) * (size_t)w->outputs + output;
  for (int k = -r->half; k <= r->half; k++, at += w->outputs) sum += r->phi[k + r->half] * *at;
  return sum;
}

static bool eval_points(Weak *w, WeakRun *r) {
  int nx = w->model->nx;
  double check = 0;
  weak_enter_run(w->work, r);
  for (int k = 0; k < r->points && patience_lasts(10 * w->outputs); k++) {
    const double *x = r->x + (size_t)k * (size_t)nx;
    system_branch_restart(w->work, weak_point_time(r, k), x);
    system_outputs(w->work, weak_point_time(r, k), x, w->values, NULL);
    memcpy(r->out + (size_t)k * (size_t)w->outputs, w->values, (size_t)w->outputs * sizeof(double));
  }
  w->evaluated += (long)r->points * w->outputs;
  for (int q = 0; q < w->equation_count; q++)
    for (int k = 0; r->usable[q] && k < r->points; k++)
      check += 0 * r->out[(size_t)k * (size_t)w->outputs + (size_t)q];
  return check == 0;
}

// Residuals of one equation into the last column; returns their sum of squares.
static double fill_residuals(Weak *w, WeakRun *r, int q) {
  const double *fixed = r->fixed + (size_t)q * (size_t)r->points;
  double sum = 0, *column = w->column[w->n];
  for (int i = 0; i < r->windows && patience_lasts(r->half); i++) {
    column[i] = (bump_sum(w, r, q, r->center[i]) - fixed[i]) * r->scale[q];
    sum += column[i] * column[i];
  }
  return sum;
}

static void fill_slopes(Weak *w, WeakRun *r, int q) {
  for (int j = 0; j < w->n; j++) memset(w->column[j], 0, (size_t)r->windows * sizeof(double));
  for (int k = w->slopes.start[q]; k < w->slopes.start[q + 1]; k++) {
    int unknown = r->unknown[w->slopes.column[k]];
    for (int i = 0; unknown >= 0 && i < r->windows && patience_lasts(r->half); i++)
      w->column[unknown][i] += bump_sum(w, r, w->equation_count + k, r->center[i]) * r->scale[q];
  }
}

static void put_numbers(Weak *w, const double *x) {
  for (int e = 0; e < w->run_count; e++)
    for (int k = 0; k < w->parameter_count; k++) {
      WeakRun *r = &w->runs[e];
      int unknown = r->unknown[k], i = r->free[k];
      if (i >= 0) r->p[w->parameters[k]] = unknown >= 0 ? x[unknown] : w->x[i];
    }
}

LsqEnd weak_eval(void *self, LsqPoint *out, double abandon_above, bool slopes) {
  Weak *w = self;
  double sum = 0;
  (void)abandon_above;
  out->objective = HUGE_VAL;
  out->has_slopes = false;
  put_numbers(w, out->x);
  qr_sum_clear(w->sum);
  for (int e = 0; e < w->run_count; e++) {
    WeakRun *r = &w->runs[e];
    if (r->points && !eval_points(w, r)) {
      w->not_computable = true;
      return LSQ_FAILED;
    }
    if (!patience_asks()) return LSQ_STOP;
    for (int q = 0; q < w->equation_count; q++) {
      if (!r->usable[q]) continue;
      sum += fill_residuals(w, r, q);
      if (!slopes) continue;
      fill_slopes(w, r, q);
      qr_sum_add(w->sum, w->column, r->windows);
    }
  }
  if (!patience_lasts(0)) return LSQ_STOP;
  w->not_computable |= !isfinite(sum);
  if (!isfinite(sum)) return LSQ_FAILED;
  w->computed = true;
  out->objective = sum / 2;
  for (int i = 0; slopes && i < w->n; i++) {
    const double *row = w->sum->R + (size_t)i * (size_t)(w->n + 1);
    memcpy(out->R + (size_t)i * (size_t)w->n, row, (size_t)w->n * sizeof(double));
    out->Qr[i] = row[w->n];
    for (int j = 0; j < w->n; j++)
      if (!isfinite(row[j])) return LSQ_FAILED;
  }
  out->has_slopes = slopes;
  return LSQ_DONE;
}

void weak_reweight(Weak *w) {
  for (int e = 0; e < w->run_count; e++)
    for (int q = 0; q < w->equation_count; q++) {
      WeakRun *r = &w->runs[e];
      if (!r->usable[q] || !r->windows) continue;
      double size = sqrt(fill_residuals(w, r, q) / r->windows);
      r->scale[q] /= fmax(size, 1e-9);
    }
}

// Equations of all experiments.
int weak_group_count(const Weak *w) {
  int groups = 0;
  for (int e = 0; e < w->run_count; e++)
    for (int q = 0; q < w->equation_count; q++) groups += w->runs[e].usable[q];
  return groups;
}

int weak_row_count(const Weak *w) {
  int rows = 0;
  for (int e = 0; e < w->run_count; e++)
    for (int q = 0; q < w->equation_count; q++)
      if (w->runs[e].usable[q]) rows += w->runs[e].windows;
  return rows;
}

void weak_use_width(Weak *w, double width) {
  for (int e = 0; e < w->run_count; e++) {
    WeakRun *r = &w->runs[e];
    if (!r->points) continue;
    place_windows(r, width);
    fill_fixed(w, r);
  }
}
