// Likelihood ratio of residuals r = factor * c + e against r = e, where e is autoregressive with coefficients and variance
// of each series, estimated anew for each hypothesis: n ln(variance without / variance with) has the law of chi-square of
// one degree of freedom. Coloured noise that happens to look like the term has little news, neither have its innovations.
// With few independent rows that law is too narrow: the root of the ratio is compared with Student's, whose freedom is the
// effective number of rows left, n times the variance of e over its spectral density at frequency 0; half of it, because
// what is known of the noise comes from the same rows. The best of 12 terms at p < 1e-4/12 is then a false alarm in at most
// 1 % of cases for noise of AR(0.5), AR(0.9), AR(0.97), an oscillating AR(2), and slow noise plus white, 40 to 1000 rows.
//
// The factor and the coefficients in turn (Cochrane and Orcutt 1949), the latter by Burg's method (1967), which needs no
// rows before the first.
#include "num/added_term.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "num/distribution.h"

enum { ORDER_MOST = 8, ROWS_FOR_EACH = 20, ROUNDS = 6 };

typedef struct NoiseModel { // e_t = sum of a[k] e_(t-1-k) + innovation
  int order;
  double a[ORDER_MOST];
  double variance; // of the innovations
} NoiseModel;

static int order_for(int rows) {
  return rows / ROWS_FOR_EACH < ORDER_MOST ? rows / ROWS_FOR_EACH : ORDER_MOST;
}

// Raises the order by one: the last coefficient becomes k, the others follow (Levinson).
static void add_reflection(NoiseModel *m, double k) {
  double old[ORDER_MOST];
  memcpy(old, m->a, sizeof old);
  for (int i = 0; i < m->order; i++) m->a[i] = old[i] - k * old[m->order - 1 - i];
  m->a[m->order++] = k;
  m->variance *= 1 - k * k;
}

// work: 2 n numbers.
static NoiseModel noise_model(const double *e, int n, double *work) {
  double *forward = work, *backward = work + n;
  NoiseModel m = {0};
  for (int i = 0; i < n; i++) m.variance += e[i] * e[i] / n, forward[i] = backward[i] = e[i];
  while (m.order < order_for(n)) {
    double product = 0, square = 0;
    for (int i = m.order + 1; i < n; i++) {
      product += forward[i] * backward[i - 1];
      square += forward[i] * forward[i] + backward[i - 1] * backward[i - 1];
    }
    if (!(square > 0)) break;
    double k = 2 * product / square;
    for (int i = n - 1; i > m.order; i--) {
      double f = forward[i], b = backward[i - 1];
      forward[i] = f - k * b;
      backward[i] = b - k * f;
    }
    add_reflection(&m, k);
  }
  return m;
}

static double innovation(const NoiseModel *m, const double *e, int i) {
  double sum = e[i];
  for (int k = 0; k < m->order; k++) sum -= m->a[k] * e[i - 1 - k];
  return sum;
}

typedef struct TermWork {
  const double *r, *c;
  const RowSeries *series;
  int count;
  NoiseModel *noise; // by series
  double *left;      // rows: r - factor * c
  double *scratch;
} TermWork;

static bool counts(const RowSeries *s) {
  return s->count >= ROWS_FOR_EACH;
}

// Fits the noise at this factor. Returns the sum of n ln(variance).
static double fit_noise(TermWork *w, double factor) {
  double sum = 0;
  for (int k = 0; k < w->count; k++) {
    const RowSeries *s = &w->series[k];
    if (!counts(s)) continue;
    for (int i = s->first; i < s->first + s->count; i++) w->left[i] = w->r[i] - factor * w->c[i];
    w->noise[k] = noise_model(w->left + s->first, s->count, w->scratch);
    sum += s->count * log(w->noise[k].variance);
  }
  return sum;
}

static double best_factor(const TermWork *w) { // for this noise
  double product = 0, square = 0;
  for (int k = 0; k < w->count; k++) {
    const RowSeries *s = &w->series[k];
    const NoiseModel *m = &w->noise[k];
    for (int i = m->order; counts(s) && i < s->count; i++) {
      double c = innovation(m, w->c + s->first, i), r = innovation(m, w->r + s->first, i);
      product += c * r / m->variance;
      square += c * c / m->variance;
    }
  }
  return square > 0 ? product / square : 0;
}

static double plain_factor(const TermWork *w) { // were the noise white
  double product = 0, square = 0;
  for (int k = 0; k < w->count; k++)
    for (int i = 0; i < w->series[k].count; i++) {
      double c = w->c[w->series[k].first + i];
      product += c * w->r[w->series[k].first + i];
      square += c * c;
    }
  return square > 0 ? product / square : 0;
}

// The least of n ln(variance) from this factor on; *factor becomes the one it belongs to.
static double search_factor(TermWork *w, double *factor) {
  double least = fit_noise(w, *factor);
  for (int round = 0; round < ROUNDS; round++) {
    double try = best_factor(w), value = fit_noise(w, try);
    if (!(value < least)) break;
    least = value;
    *factor = try;
  }
  fit_noise(w, *factor);
  return least;
}

// Of the noise as it is fitted: n (1 - sum of a)^2 variance(e) / variance(innovations), no more than n.
static double effective_rows(const TermWork *w) {
  double sum = 0;
  for (int k = 0; k < w->count; k++) {
    const RowSeries *s = &w->series[k];
    const NoiseModel *m = &w->noise[k];
    if (!counts(s)) continue;
    double square = 0, gain = 1;
    for (int i = 0; i < s->count; i++) square += pow(w->left[s->first + i], 2) / s->count;
    for (int i = 0; i < m->order; i++) gain -= m->a[i];
    sum += s->count * fmin(1, gain * gain * square / m->variance);
  }
  return sum;
}

static double share_explained(const TermWork *w, double factor) {
  double before = 0, after = 0;
  for (int k = 0; k < w->count; k++)
    for (int i = w->series[k].first; i < w->series[k].first + w->series[k].count; i++) {
      before += w->r[i] * w->r[i];
      after += pow(w->r[i] - factor * w->c[i], 2);
    }
  return before > 0 ? 1 - after / before : 0;
}

static TermWork term_work(Arena *a, const double *r, const double *c, const RowSeries *series,
                          int count) {
  int rows = 0, longest = 0;
  for (int k = 0; k < count; k++) {
    int end = series[k].first + series[k].count;
    rows = end > rows ? end : rows;
    longest = series[k].count > longest ? series[k].count : longest;
  }
  return (TermWork){r,
                    c,
                    series,
                    count,
                    ARENA_ARRAY(a, NoiseModel, count + 1),
                    ARENA_ARRAY(a, double, rows + 1),
                    ARENA_ARRAY(a, double, 2 * longest + 1)};
}

// without, with: sums of n ln(variance). The noise of the work is that with the term.
static double probability(const TermWork *w, double without, double with) {
  double rows = 0, freedom = effective_rows(w) / 2 - 2;
  for (int k = 0; k < w->count; k++) rows += counts(&w->series[k]) ? w->series[k].count : 0;
  double gain = rows * expm1(fmax(without - with, 0) / rows);
  return freedom > 0 && isfinite(gain) ? 2 * student_below(-sqrt(gain), freedom) : nan("");
}

// The factor over its deviation from innovations of changing size (White 1980; those of rows that fix the factor made larger,
// MacKinnon and White 1985, HC3): where noise is large just where the term is, the ratio above would be too small a chance.
static double probability_by_rows(const TermWork *w, double factor, double freedom) {
  double square = 0, variance = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < w->count; k++) {
      const RowSeries *s = &w->series[k];
      const NoiseModel *m = &w->noise[k];
      for (int i = m->order; counts(s) && i < s->count; i++) {
        double c = innovation(m, w->c + s->first, i) / sqrt(m->variance);
        double e = innovation(m, w->left + s->first, i) / sqrt(m->variance);
        if (pass == 0)
          square += c * c;
        else
          variance += pow(c * e / fmax(1 - c * c / square, 1e-3), 2);
      }
    }
  return variance > 0 ? 2 * student_below(-fabs(factor) * square / sqrt(variance), freedom) : 0;
}

AddedTerm added_term(const double *r, const double *c, const RowSeries *series, int count) {
  Arena *a = arena_new();
  TermWork w = term_work(a, r, c, series, count);
  double none = fit_noise(&w, 0), plain = plain_factor(&w), careful = 0;
  double by_careful = search_factor(&w, &careful), by_plain = search_factor(&w, &plain);
  AddedTerm t = {.factor = by_plain < by_careful ? plain : careful};
  double with = fit_noise(&w, t.factor);
  t.share = share_explained(&w, t.factor);
  t.p = probability(&w, none, with);
  if (t.p < 1) t.p = fmax(t.p, probability_by_rows(&w, t.factor, effective_rows(&w) / 2 - 2));
  arena_free(a);
  return t;
}

AddedTerm added_number(const double *before, const double *after, const RowSeries *series,
                       int count) {
  Arena *a = arena_new();
  TermWork w = term_work(a, before, before, series, count);
  double squares[2] = {0}, none = fit_noise(&w, 0);
  w.r = w.c = after;
  double with = fit_noise(&w, 0);
  for (int k = 0; k < count; k++)
    for (int i = series[k].first; i < series[k].first + series[k].count; i++) {
      squares[0] += before[i] * before[i];
      squares[1] += after[i] * after[i];
    }
  AddedTerm t = {.factor = nan(""), .share = 1 - squares[1] / squares[0]};
  t.p = probability(&w, none, with);
  arena_free(a);
  return t;
}
