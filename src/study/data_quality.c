// Noise by differences (num/noise.c), steps by their median, the period of an oscillation by passages of the mean,
// outliers by the difference to the cubic through their four neighbours, against the median of these differences.
#include "study/data_quality.h"

#include <math.h>
#include <stdlib.h>

#include "num/noise.h"

enum { NEAR = 25 };                  // samples on each side that show the noise at a place
static const double NORMAL = 1.4826; // standard deviation over median size, were the noise normal

static void measure_size(const double *y, int n, DataQuality *q) {
  double sum = 0, squares = 0, about = 0;
  q->least = HUGE_VAL, q->most = -HUGE_VAL;
  for (int i = 0; i < n; i++) {
    sum += y[i], squares += y[i] * y[i];
    q->least = fmin(q->least, y[i]), q->most = fmax(q->most, y[i]);
  }
  for (int i = 0; i < n; i++) about += (y[i] - sum / n) * (y[i] - sum / n);
  q->rms = n ? sqrt(squares / n) : 0;
  q->deviation = n ? sqrt(about / n) : 0;
  q->constant = n > 1 && !(q->most > q->least);
}

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *v, int n) { // sorts v
  qsort(v, (size_t)n, sizeof *v, compare_numbers);
  return n ? v[n / 2] : 0;
}

static void measure_steps(Arena *a, const double *t, int n, DataQuality *q) {
  if (n < 2) return;
  double *step = ARENA_ARRAY(a, double, n - 1);
  q->step_least = HUGE_VAL;
  for (int i = 0; i + 1 < n; i++) {
    step[i] = t[i + 1] - t[i];
    q->step_least = fmin(q->step_least, step[i]);
    if (!(step[i] > q->step_most)) continue;
    q->step_most = step[i];
    q->gap_from = t[i], q->gap_to = t[i + 1];
  }
  q->step = median(step, n - 1);
}

// Twice the mean time between passages of the mean. A passage counts when the samples have gone beyond half the deviation
// on the other side, so that noise makes none.
static void measure_period(const double *t, const double *y, int n, DataQuality *q) {
  double mean = 0, first = 0, last = 0, threshold = 0.5 * q->deviation;
  int side = 0, passages = 0;
  for (int i = 0; i < n; i++) mean += y[i] / n;
  for (int i = 0; i < n; i++) {
    int now = y[i] > mean + threshold ? 1 : y[i] < mean - threshold ? -1 : 0;
    if (!now || now == side) continue;
    if (side && !passages++) first = t[i];
    if (side) last = t[i];
    side = now;
  }
  q->period = passages > 2 ? 2 * (last - first) / (passages - 1) : nan("");
}

// Weights of the four neighbours of sample i in the cubic through them, taken at t[i].
static void neighbour_weights(const double *t, int i, double w[4]) {
  static const int AT[4] = {-2, -1, 1, 2};
  for (int j = 0; j < 4; j++) {
    w[j] = 1;
    for (int k = 0; k < 4; k++)
      if (k != j) w[j] *= (t[i] - t[i + AT[k]]) / (t[i + AT[j]] - t[i + AT[k]]);
  }
}

static double contradiction(const double *t, const double *y, int i) {
  double w[4];
  neighbour_weights(t, i, w);
  return y[i] - (w[0] * y[i - 2] + w[1] * y[i - 1] + w[2] * y[i + 1] + w[3] * y[i + 2]);
}

// One wrong sample contradicts its neighbours, and its neighbours contradict theirs by the weight that it has for them;
// a sharp feature of the motion does not leave this pattern.
static bool is_spike(const double *t, const double *d, int i) {
  double before[4], after[4];
  neighbour_weights(t, i - 1, before);
  neighbour_weights(t, i + 1, after);
  return fabs(d[i - 1] + before[2] * d[i]) < 0.3 * fabs(d[i]) &&
         fabs(d[i + 1] + after[1] * d[i]) < 0.3 * fabs(d[i]);
}

// Usual size of the contradictions around sample i: noise may grow with the motion.
static double usual_near(const double *d, int n, int i) {
  double size[2 * NEAR + 1];
  int count = 0;
  for (int k = i - NEAR; k <= i + NEAR; k++)
    if (k >= 2 && k < n - 2 && abs(k - i) > 2) size[count++] = fabs(d[k]);
  return NORMAL * median(size, count);
}

// Whether a jump lies between the samples by which sample i is judged, or just before them: what follows a jump is steep.
static bool is_near_jump(const bool *jump, int n, int i) {
  for (int k = i - 5; jump && k <= i + 2; k++)
    if (k >= 0 && k < n - 1 && jump[k]) return true;
  return false;
}

static void find_outliers(Arena *a, const double *t, const double *y, int n, const bool *jump,
                          DataQuality *q) {
  if (n < 12) return;
  double *d = ARENA_ARRAY(a, double, n), *size = ARENA_ARRAY(a, double, n), worst = 0;
  for (int i = 2; i < n - 2; i++) d[i] = contradiction(t, y, i), size[i - 2] = fabs(d[i]);
  double limit = fmax(10 * NORMAL * median(size, n - 4), 0.02 * q->deviation);
  for (int i = 3; i < n - 3; i++) {
    if (!(fabs(d[i]) > limit) || !is_spike(t, d, i) || is_near_jump(jump, n, i)) continue;
    if (!(fabs(d[i]) > 10 * usual_near(d, n, i))) continue;
    q->outliers++;
    if (!(fabs(d[i]) > worst)) continue;
    worst = fabs(d[i]);
    q->outlier_t = t[i], q->outlier_y = y[i];
  }
}

static double smallest_change(const double *y, int n) {
  double least = HUGE_VAL;
  for (int i = 0; i + 1 < n; i++)
    if (y[i + 1] != y[i]) least = fmin(least, fabs(y[i + 1] - y[i]));
  return least;
}

// A row of equal extreme samples that is entered or left by more than one unit of the resolution, so that it is not just
// the flat top of a coarse reading; rows at the ends may be rest.
static void find_clipping(const double *t, const double *y, int n, DataQuality *q) {
  double resolution = smallest_change(y, n);
  for (int i = 1, end; i < n - 1; i = end) {
    for (end = i + 1; end < n && y[end] == y[i]; end++) {
    }
    bool extreme = y[i] == q->most || y[i] == q->least;
    if (!extreme || end == n || end - i < 4 || end - i <= q->clipped || y[i - 1] == y[i]) continue;
    if (!(fmax(fabs(y[i] - y[i - 1]), fabs(y[end] - y[i])) > 1.5 * resolution)) continue;
    q->clipped = end - i;
    q->clipped_t = t[i], q->clipped_y = y[i];
  }
}

void data_quality(const double *t, const double *y, int n, const bool *jump, DataQuality *out) {
  Arena *a = arena_new();
  *out = (DataQuality){.count = n, .noise = noise_deviation(t, y, n), .period = nan("")};
  measure_size(y, n, out);
  measure_steps(a, t, n, out);
  if (n > 1 && !out->constant) {
    measure_period(t, y, n, out);
    find_outliers(a, t, y, n, jump, out);
    find_clipping(t, y, n, out);
  }
  arena_free(a);
}
