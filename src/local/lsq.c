#include "local/lsq.h"

#include <math.h>
#include <string.h>

#include "local/descent.h"

LsqPoint *lsq_point_new(Arena *a, int n) {
  LsqPoint *p = ARENA_NEW(a, LsqPoint);
  p->x = ARENA_ARRAY(a, double, n);
  p->R = ARENA_ARRAY(a, double, (size_t)n *n);
  p->Qr = ARENA_ARRAY(a, double, n);
  p->objective = HUGE_VAL;
  return p;
}

void lsq_point_copy(LsqPoint *to, const LsqPoint *from, int n) {
  size_t bytes = (size_t)n * sizeof(double);
  to->objective = from->objective;
  to->has_slopes = from->has_slopes;
  if (n == 0) return;
  memcpy(to->x, from->x, bytes);
  memcpy(to->R, from->R, bytes * (size_t)n);
  memcpy(to->Qr, from->Qr, bytes);
}

static const struct {
  const char *word, *sentence;
  bool converged;
} ends[] = {
#define LOCAL_END(name, word, converged, sentence) {word, sentence, converged},
    LOCAL_ENDS
#undef LOCAL_END
};

const char *local_end_word(LocalEnd e) {
  return ends[e].word;
}

const char *local_end_sentence(LocalEnd e) {
  return ends[e].sentence;
}

bool local_end_converged(LocalEnd e) {
  return ends[e].converged;
}

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

LsqEnd local_eval(const Lsq *lsq, LsqPoint *p, double worth, LocalResult *result) {
  size_t n = (size_t)lsq->n;
  result->evaluations++;
  LsqEnd end = lsq->eval(lsq->self, p, worth, true);
  if (end != LSQ_DONE) {
    p->objective = HUGE_VAL;
    return end;
  }
  bool good = isfinite(p->objective) && all_finite(p->R, n * n) && all_finite(p->Qr, n);
  if (!good) p->objective = HUGE_VAL;
  p->has_slopes = good;
  return good ? LSQ_DONE : LSQ_FAILED;
}

// What many evaluations have in common: those that are not finite have failed, the best may be the best of all.
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

LsqEnd lsq_values(const Lsq *lsq, const double *x, int count, double *V, LocalResult *result) {
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

LsqEnd lsq_vectors(const Lsq *lsq, const double *x, int count, double *V, double *r,
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
