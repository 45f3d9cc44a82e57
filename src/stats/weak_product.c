// A direction in relative changes v with two parts keeps x_i^e_i x_j^e_j, e_i v_i + e_j v_j = 0. Its exponents need not be simple
// numbers: the valley may bend. Those near simple ones are rounded. The variance for the exact e comes from what the data see
// alone: sum over r of (e'V_r)^2/s_r^2. Rounding adds what it changes the product by while the second unknown changes by its
// standard error, at most by a factor e: linear theory does not hold farther away.
#include "stats/weak_product.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num/distribution.h"
#include "stats/combination.h"
#include "stats/null_space.h"

static const double PART_LEAST =
    0.1;                          // of the largest part of a direction: smaller ones do not count
static const double SIMPLE = 0.1; // exponents this close to a simple number are that number
static const double WIDEST = 0.5; // 95 % half width of the logarithm of what is determined
static const double POORLY =
    0.1; // relative standard error of unknowns whose product is worth telling
enum { POWER_MOST = 3 };

// Relative change of unknown k for a change by 1 in typical sizes.
static double relative(const Analysis *an, int k) {
  return an->size[k] / (an->x[k] != 0 ? fabs(an->x[k]) : an->size[k]);
}

static int parts_of(const double *v, int n, int *part) {
  double most = 0;
  int count = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(v[k]));
  for (int k = 0; k < n; k++)
    if (fabs(v[k]) >= PART_LEAST * most) part[count++] = k;
  return count;
}

bool weak_directions_apart(const Analysis *an, StatDirection *weak, int count) {
  int n = an->s->n, before = 0, after = 0;
  if (count < 2) return false;
  double *B = ARENA_ARRAY(an->scratch, double, (size_t)count *(size_t)n + 1);
  int *pivot = ARENA_ARRAY(an->scratch, int, count + 1),
      *part = ARENA_ARRAY(an->scratch, int, n + 1);
  for (int d = 0; d < count; d++) {
    memcpy(B + (size_t)d * n, weak[d].vector, (size_t)n * sizeof *B);
    before += parts_of(weak[d].vector, n, part);
  }
  reduce_rows(B, count, n, PART_LEAST, pivot);
  for (int d = 0; d < count; d++) after += parts_of(B + (size_t)d * n, n, part);
  for (int d = 0; after < before && d < count; d++) {
    double square = 0;
    for (int k = 0; k < n; k++) square += B[d * n + k] * B[d * n + k];
    for (int k = 0; k < n; k++) weak[d].vector[k] = B[d * n + k] / sqrt(square);
  }
  return after < before;
}

static double quantile_of(const Statistics *s) {
  if (!(s->freedom > 0)) return nan("");
  return s->freedom == HUGE_VAL ? normal_quantile(0.975) : student_quantile(0.975, s->freedom);
}

// 95 % half width of sum e_k log x_k, e for the unknowns i and j alone.
static double half_width(const Analysis *an, const SeenDirections *seen, const int part[2],
                         const double e[2]) {
  int n = an->s->n;
  double variance = 0, colour = an->s->colour;
  for (int r = 0; r < seen->count; r++) {
    double along = 0;
    for (int m = 0; m < 2; m++) along += e[m] * relative(an, part[m]) * seen->V[part[m] * n + r];
    variance += along * along / (seen->s[r] * seen->s[r]);
  }
  return quantile_of(an->s) * sqrt(variance * (colour > 1 ? colour : 1));
}

// Whole exponents: a rational one is multiplied out.
static StatCombination product_of(const Analysis *an, const int part[2], Rational second) {
  int n = an->s->n;
  Factor f[2] = {{part[0], {{second.q, 1}, {0, 1}, -1}}, {part[1], {{second.p, 1}, {0, 1}, -1}}};
  const char **name = ARENA_ARRAY(an->scratch, const char *, n + 1);
  for (int k = 0; k < n; k++) name[k] = an->p->unknowns[k].name;
  StatCombination c = {.text = product_text(an->a, f, 2, name, unknown_ranks(an)),
                       .value = 1,
                       .exponent = ARENA_ARRAY(an->a, double, n + 1)};
  for (int m = 0; m < 2; m++) {
    c.exponent[part[m]] = f[m].exponent.constant.p;
    c.value *= pow(an->x[part[m]], f[m].exponent.constant.p);
  }
  return c;
}

// half: of the logarithm, with exact exponents; beside: what rounding of the exponent adds to it.
static bool set_interval(StatCombination *c, double half, double beside) {
  double factor = exp(hypot(half, beside));
  c->low = fmin(c->value / factor, c->value * factor);
  c->high = fmax(c->value / factor, c->value * factor);
  return half < WIDEST;
}

static bool is_simple(double exponent, Rational *out) {
  return rational_near(exponent, SIMPLE, out) && out->p != 0 && abs(out->p) <= POWER_MOST &&
         out->q <= POWER_MOST;
}

void weak_product_add(const Analysis *an, const SeenDirections *seen, StatDirection *d) {
  int n = an->s->n, *part = ARENA_ARRAY(an->scratch, int, n + 1);
  if (parts_of(d->vector, n, part) != 2 || an->x[part[0]] == 0 || an->x[part[1]] == 0) return;
  double v[2], e[2] = {1};
  for (int m = 0; m < 2; m++) v[m] = d->vector[part[m]] * relative(an, part[m]);
  for (int m = 0; m < 2; m++) v[m] *= an->x[part[m]] < 0 ? -1 : 1; // of the logarithm of |x|
  e[1] = -v[0] / v[1];
  Rational second;
  if (!is_simple(e[1], &second)) return;
  double sign[2] = {an->x[part[0]] < 0 ? -1 : 1, an->x[part[1]] < 0 ? -1 : 1};
  double logs[2] = {e[0] * sign[0], e[1] * sign[1]};
  d->combinations = ARENA_ARRAY(an->a, StatCombination, 1);
  d->combinations[0] = product_of(an, part, second);
  double beside = second.q * fabs(e[1] - rational_value(second));
  if (set_interval(d->combinations, second.q * half_width(an, seen, part, logs), beside))
    d->combination_count = 1;
}

// Of the logarithms: relative errors, by the covariance of the fit.
bool correlated_product(const Analysis *an, const int pair[2], StatCombination *out) {
  int n = an->s->n;
  double error[2], r = an->s->correlation[pair[0] * n + pair[1]];
  for (int m = 0; m < 2; m++) error[m] = an->s->parameters[pair[m]].std_error / an->x[pair[m]];
  double power = -r * error[0] / error[1]; // of the second one
  Rational second;
  if (!isfinite(power) || !is_simple(power, &second)) return false;
  if (!(fabs(error[0]) > POORLY)) return false;
  double t = second.q * quantile_of(an->s), off = fabs(power - rational_value(second));
  *out = product_of(an, pair, second);
  return set_interval(out, t * fabs(error[0]) * sqrt(fmax(1 - r * r, 0)),
                      fmin(t * off * fabs(error[1]), second.q * off));
}
