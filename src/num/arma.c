// The likelihood by innovations (Brockwell and Davis 1991, Time Series, 5.3): e_t = r_t - phi r_(t-1) - theta/v_(t-1) e_(t-1) are
// independent with variances v_1 = g0, v_t = 1 + theta^2 - theta^2/v_(t-1), times that of w. Columns and series are filtered
// alike and divided by the root of v; with their triangle R the deviance is
// (N - n) ln RSS + sum ln v_t + 2 sum ln|R_kk|.
#include "num/arma.h"

#include <math.h>
#include <stdbool.h>

#include "base/patience.h"
#include "num/qr.h"

double arma_variance(Arma a) {
  return (1 + 2 * a.phi * a.theta + a.theta * a.theta) / (1 - a.phi * a.phi);
}

double arma_correlation(Arma a, int lag) {
  if (lag == 0) return 1;
  double first =
      (a.phi + a.theta) * (1 + a.phi * a.theta) / (1 + 2 * a.phi * a.theta + a.theta * a.theta);
  return first * pow(a.phi, lag - 1);
}

double arma_time(Arma a, int count) {
  double sum = 0;
  for (int lag = 1; lag < count; lag++) {
    double rho = arma_correlation(a, lag);
    sum += fmax(rho, 0);
    if (fabs(rho) < 1e-9) break;
  }
  return 1 + 2 * sum;
}

// ---------------------------------------------------------------- likelihood

enum { CHUNK = 256 };

typedef struct
    Filter { // of a chunk of samples: row = own*r - before*(r before) - last*(row before)
  double own[CHUNK], before[CHUNK], last[CHUNK];
} Filter;

// The factors of samples first to first + some. *v: variance of the innovation before. Returns the sum of the logarithms.
static double set_filter(Arma a, const int *step, int first, int some, double *v, Filter *f) {
  double logs = 0;
  for (int i = 0; i < some; i++) {
    bool anew = first + i == 0 || step[first + i] != 1;
    double old = *v;
    *v = anew ? arma_variance(a) : 1 + a.theta * a.theta - a.theta * a.theta / old;
    logs += log(*v);
    f->own[i] = 1 / sqrt(*v);
    f->before[i] = anew ? 0 : a.phi * f->own[i];
    f->last[i] = anew ? 0 : a.theta / sqrt(old) * f->own[i];
  }
  return logs;
}

static void filter_column(const Filter *f, const double *r, int first, int some, double *last,
                          double *out) {
  double row = *last, before = first > 0 ? r[first - 1] : 0;
  for (int i = 0; i < some; i++) {
    row = f->own[i] * r[first + i] - f->before[i] * before - f->last[i] * row;
    before = r[first + i];
    out[i] = row;
  }
  *last = row;
}

// What is left of a column beside the ones before it, relative to its length, below which it is one of them but for rounding.
static const double DEPENDENT = 1e-10;

static bool is_dependent(const QrSum *sum, int k) {
  int width = sum->n + 1;
  double square = 0;
  for (int i = 0; i <= k; i++) square += sum->R[i * width + k] * sum->R[i * width + k];
  return !(fabs(sum->R[k * width + k]) > DEPENDENT * sqrt(square));
}

static double deviance_of_triangle(const QrSum *sum, int count) {
  int n = sum->n;
  double logs = 0;
  for (int k = 0; k <= n; k++) {
    if (is_dependent(sum, k)) return HUGE_VAL;
    logs += 2 * log(fabs(sum->R[k * (n + 1) + k])) * (k < n ? 1 : count - n);
  }
  return logs;
}

double arma_deviance(const ArmaSeries *s, Arma a) {
  if (s->count <= s->width) return HUGE_VAL;
  Arena *scratch = arena_new();
  QrSum *sum = qr_sum_new(scratch, s->width);
  Filter *filter = ARENA_NEW(scratch, Filter);
  double *last = ARENA_ARRAY(scratch, double, s->width + 1), v = 1, logs = 0;
  double **block = ARENA_ARRAY(scratch, double *, s->width + 1);
  for (int k = 0; k <= s->width; k++) block[k] = ARENA_ARRAY(scratch, double, CHUNK);
  long work = (long)CHUNK * (s->width + 1);
  for (int first = 0; first < s->count && patience_lasts(work); first += CHUNK) {
    int some = s->count - first < CHUNK ? s->count - first : CHUNK;
    logs += set_filter(a, s->step, first, some, &v, filter);
    for (int k = 0; k <= s->width; k++)
      filter_column(filter, s->column[k], first, some, &last[k], block[k]);
    qr_sum_add(sum, block, some);
  }
  double deviance = deviance_of_triangle(sum, s->count) + logs;
  arena_free(scratch);
  return patience_lasts(0) ? deviance : HUGE_VAL;
}

// ---------------------------------------------------------------- the best one

typedef struct Corner { // of the simplex: atanh of phi and theta
  double at[2], deviance;
} Corner;

typedef struct ArmaSearch {
  const ArmaSeries *series;
  int count;
  double phi_most; // atanh, as theta_most
} ArmaSearch;

static const double THETA_MOST = 3.5; // atanh: 0.998

// Noise that lasts for more than a quarter of the record is no different from an offset, which slopes may take up: the restricted
// likelihood does not see it, and would give it any size.
static const double LASTING = 4;

static ArmaSearch search_in(const ArmaSeries *series, int count) {
  double longest = LASTING;
  for (int i = 0; i < count; i++) longest = fmax(longest, series[i].count);
  return (ArmaSearch){series, count, fmin(THETA_MOST, atanh(1 - LASTING / longest))};
}

static Arma arma_at(const double at[2]) {
  return (Arma){tanh(at[0]), tanh(at[1])};
}

static Corner corner(const ArmaSearch *s, double x, double y) {
  Corner c = {{fmax(-s->phi_most, fmin(s->phi_most, x)), fmax(-THETA_MOST, fmin(THETA_MOST, y))},
              0};
  for (int i = 0; i < s->count; i++) c.deviance += arma_deviance(&s->series[i], arma_at(c.at));
  return c;
}

// Noise is rather slow than alternating, and slow noise with white on it has theta near -phi.
static Corner best_of_grid(const ArmaSearch *s) {
  static const double PHI[] = {-0.8, -0.4, 0, 0.3, 0.6, 0.8, 0.9, 0.95, 0.98},
                      THETA[] = {-0.9, -0.75, -0.5, -0.25, 0, 0.4, 0.8};
  Corner best = {.deviance = HUGE_VAL};
  for (size_t i = 0; i < sizeof PHI / sizeof *PHI; i++)
    for (size_t k = 0; k < sizeof THETA / sizeof *THETA; k++) {
      Corner c = corner(s, atanh(PHI[i]), atanh(THETA[k]));
      if (c.deviance < best.deviance) best = c;
    }
  return best;
}

static void order_corners(Corner c[3]) {
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2 - i; k++)
      if (c[k + 1].deviance < c[k].deviance) {
        Corner swap = c[k];
        c[k] = c[k + 1], c[k + 1] = swap;
      }
}

// The corner reached from the middle of the two better ones by `share` of the way to the worst.
static Corner move_worst(const ArmaSearch *s, const Corner c[3], double share) {
  double to[2];
  for (int i = 0; i < 2; i++) {
    double middle = (c[0].at[i] + c[1].at[i]) / 2;
    to[i] = middle + share * (c[2].at[i] - middle);
  }
  return corner(s, to[0], to[1]);
}

enum { STEPS_MOST = 60 };
static const double FIRST_SIDE = 0.3, ALIKE = 1e-3; // of the deviance, whose unit is 1

// Nelder and Mead (1965).
static Corner follow_simplex(const ArmaSearch *s, Corner start) {
  double x = start.at[0], y = start.at[1], side = FIRST_SIDE;
  Corner c[3] = {start, corner(s, x + (x > 0 ? -side : side), y),
                 corner(s, x, y + (y > 0 ? -side : side))};
  order_corners(c);
  for (int i = 0; i < STEPS_MOST && c[2].deviance - c[0].deviance > ALIKE; i++) {
    Corner mirrored = move_worst(s, c, -1);
    if (mirrored.deviance < c[0].deviance) {
      Corner farther = move_worst(s, c, -2);
      c[2] = farther.deviance < mirrored.deviance ? farther : mirrored;
    } else if (mirrored.deviance < c[1].deviance)
      c[2] = mirrored;
    else {
      Corner nearer = move_worst(s, c, mirrored.deviance < c[2].deviance ? -0.5 : 0.5);
      if (nearer.deviance < fmin(mirrored.deviance, c[2].deviance))
        c[2] = nearer;
      else
        for (int k = 1; k < 3; k++)
          c[k] = corner(s, (c[k].at[0] + c[0].at[0]) / 2, (c[k].at[1] + c[0].at[1]) / 2);
    }
    order_corners(c);
  }
  return c[0];
}

// Two numbers lower the deviance of white noise by 2 on average; below twice that it stays white (Akaike 1974).
static const double WORTH = 4;

Arma arma_fit(const ArmaSeries *series, int count) {
  ArmaSearch s = search_in(series, count);
  Corner white = corner(&s, 0, 0), best = best_of_grid(&s);
  if (!(best.deviance < HUGE_VAL)) return (Arma){0, 0};
  best = follow_simplex(&s, best);
  return best.deviance < white.deviance - WORTH ? arma_at(best.at) : (Arma){0, 0};
}

// ---------------------------------------------------------------- sums over pairs

// Each row with itself and twice with those before it: behind_i = sum over k >= 1 of rho_k row_(i-k) follows from the one
// before, as rho_k = rho_1 phi^(k-1). O(count width^2).
void arma_sum(Arma a, int count, int width, const double *row, const int *step, double *sum) {
  Arena *scratch = arena_new();
  double *behind = ARENA_ARRAY(scratch, double, width + 1), rho = arma_correlation(a, 1);
  double *half = ARENA_ARRAY(scratch, double, (size_t)width *(size_t)width + 1);
  for (int i = 0; i < count && patience_lasts((long)width * width); i++) {
    const double *at = row + (size_t)i * (size_t)width, *old = at - width;
    double fade = i > 0 ? pow(a.phi, step[i] - 1) : 0;
    for (int k = 0; i > 0 && k < width; k++) behind[k] = fade * (rho * old[k] + a.phi * behind[k]);
    for (int k = 0; k < width; k++)
      for (int m = 0; m < width; m++) half[k * width + m] += at[k] * (at[m] + 2 * behind[m]);
  }
  for (int k = 0; k < width; k++)
    for (int m = 0; m < width; m++)
      sum[k * width + m] += (half[k * width + m] + half[m * width + k]) / 2;
  arena_free(scratch);
}
