#include "local/common.h"

#include <math.h>
#include <string.h>

double local_size(const Lsq *lsq, const double *x, int i) {
  return fmax(fabs(x[i]), 1e-3 * lsq->typical[i]);
}

bool local_is_small(const Lsq *lsq, const double *x, const double *d, double tol) {
  for (int i = 0; i < lsq->n; i++)
    if (!(fabs(d[i]) <= tol * local_size(lsq, x, i))) return false;
  return true;
}

double local_cosine(const Lsq *lsq, const LsqPoint *p, const double *slope, const double *norm) {
  double length = sqrt(2 * p->objective), most = 0;
  for (int i = 0; i < lsq->n; i++) {
    bool held =
        (p->x[i] <= lsq->lower[i] && slope[i] >= 0) || (p->x[i] >= lsq->upper[i] && slope[i] <= 0);
    if (!held && slope[i] != 0) most = fmax(most, fabs(slope[i]) / (norm[i] * length));
  }
  return most;
}

void local_clamp(const Lsq *lsq, double *x) {
  for (int i = 0; i < lsq->n; i++) x[i] = fmin(fmax(x[i], lsq->lower[i]), lsq->upper[i]);
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

bool local_is_good(const LsqPoint *p, const LocalOptions *options, LocalEnd *end) {
  *end = p->objective == 0 ? LOCAL_ZERO_END : LOCAL_TARGET_END;
  return p->objective == 0 || p->objective <= options->target;
}

static bool all_finite(const double *v, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(v[i])) return false;
  return true;
}

LsqEnd local_value(const Lsq *lsq, LsqPoint *p, LocalResult *result) {
  result->evaluations++;
  LsqEnd end = lsq->eval(lsq->self, p, HUGE_VAL, false);
  if (end == LSQ_DONE && !isfinite(p->objective)) end = LSQ_FAILED;
  if (end != LSQ_DONE) p->objective = HUGE_VAL;
  p->has_slopes = false;
  return end;
}

LsqEnd local_eval(const Lsq *lsq, LsqPoint *p, double abandon_above, LocalResult *result) {
  size_t n = (size_t)lsq->n;
  result->evaluations++;
  LsqEnd end = lsq->eval(lsq->self, p, abandon_above, true);
  if (end != LSQ_DONE) {
    p->objective = HUGE_VAL;
    return end;
  }
  bool good = isfinite(p->objective) && all_finite(p->R, n * n) && all_finite(p->Qr, n);
  if (!good) p->objective = HUGE_VAL;
  p->has_slopes = good;
  return good ? LSQ_DONE : LSQ_FAILED;
}

LsqEnd local_residuals(const Lsq *lsq, const double *x, double *r, double *J, double *objective,
                       LocalResult *result) {
  size_t rows = (size_t)lsq->rows, all = J ? rows * (size_t)lsq->n : 0;
  double sum = 0, finite = 0;
  result->evaluations++;
  LsqEnd how = lsq->residuals(lsq->self, x, r, J);
  *objective = HUGE_VAL;
  if (how != LSQ_DONE) return how;
  for (size_t k = 0; k < rows; k++) sum += r[k] * r[k] / 2;
  for (size_t k = 0; k < all; k++) finite += J[k] * 0;
  if (!isfinite(sum) || finite != 0) return LSQ_FAILED;
  *objective = sum;
  return LSQ_DONE;
}

// Counts the evaluations of `count` points; those that are not finite have failed; the best may be the best of all.
static LsqEnd take_values(const Lsq *lsq, const double *x, int count, double *V, LsqEnd end,
                          LocalResult *result) {
  size_t n = (size_t)lsq->n;
  result->evaluations += count;
  for (int k = 0; k < count; k++) {
    if (!isfinite(V[k])) V[k] = HUGE_VAL;
    if (!(V[k] < result->best->objective)) continue;
    if (n) memcpy(result->best->x, x + (size_t)k * n, n * sizeof *x);
    result->best->objective = V[k];
    result->best->has_slopes = false;
  }
  return end == LSQ_STOP ? LSQ_STOP : LSQ_DONE;
}

LsqEnd local_values(const Lsq *lsq, const double *x, int count, double *V, LocalResult *result) {
  size_t n = (size_t)lsq->n;
  LsqPoint point = {0};
  LsqEnd end = LSQ_DONE;
  for (int k = 0; k < count; k++) V[k] = HUGE_VAL;
  if (lsq->values)
    end = lsq->values(lsq->self, x, count, V);
  else
    for (int k = 0; k < count && end != LSQ_STOP; k++) {
      point.x = (double *)x + (size_t)k * n; // eval reads it
      end = lsq->eval(lsq->self, &point, HUGE_VAL, false);
      if (end == LSQ_DONE) V[k] = point.objective;
    }
  return take_values(lsq, x, count, V, end, result);
}

LsqEnd local_vectors(const Lsq *lsq, const double *x, int count, double *V, double *r,
                     LocalResult *result) {
  size_t n = (size_t)lsq->n, rows = (size_t)lsq->rows;
  LsqEnd end = LSQ_DONE;
  for (int k = 0; k < count; k++) V[k] = HUGE_VAL;
  if (lsq->vectors)
    end = lsq->vectors(lsq->self, x, count, V, r);
  else
    for (int k = 0; k < count && end != LSQ_STOP; k++) {
      double *to = r + (size_t)k * rows, sum = 0;
      end = lsq->residuals(lsq->self, x + (size_t)k * n, to, NULL);
      for (size_t j = 0; end == LSQ_DONE && j < rows; j++) sum += to[j] * to[j] / 2;
      if (end == LSQ_DONE) V[k] = sum;
    }
  return take_values(lsq, x, count, V, end, result);
}
