#include "search/optima.h"

#include <math.h>
#include <string.h>

#include "num/distribution.h"
#include "search/certificate.h"
#include "search/local_search.h"
#include "search/starts.h"

// ---------------------------------------------------------------- objectives

// Half squares of residuals by their sigma: differences of the objective are those of the log-likelihood.
static bool is_likelihood(const Problem *p) {
  return p->options.criterion == CRITERION_SUM && (noise_is_given(p) || noise_is_estimated(p));
}

static double samples_of(const Search *s) {
  double all = s->fitting->data->samples, effective = s->best.facts.effective;
  return s->best.facts.known && effective > 0 ? fmin(effective, all) : all;
}

double optima_difference(const Search *s, double better, double worse) {
  const MeasuredData *d = s->fitting->data;
  double floor = certificate_numerical_floor(s->weighting), samples = samples_of(s);
  if (worse == HUGE_VAL) return HUGE_VAL;
  if (fabs(worse - better) <= 1e-12 * fabs(better)) return 0; // rounding
  if (is_likelihood(s->problem)) return 2 * (worse - better) * samples / fmax(d->samples, 1);
  return samples * log((worse + floor) / (better + floor));
}

double optima_unit(const Search *s) {
  double floor = certificate_numerical_floor(s->weighting);
  if (is_likelihood(s->problem)) return 0.5;
  return (s->best.objective + floor) / fmax(s->fitting->data->samples, 1);
}

static const double SAME_OBJECTIVE = 1e-3, SAME_NUMBER = 0.02;

bool optima_same_objective(const Search *s, double a, double b) {
  double floor = certificate_numerical_floor(s->weighting);
  double size =
      noise_is_estimated(s->problem) ? s->fitting->data->samples / 2 : fmin(fabs(a), fabs(b));
  return fabs(a - b) <= SAME_OBJECTIVE * size + floor;
}

static const double CHANCE = 0.99;

double optima_chance(int unknowns) {
  return chi_square_quantile(CHANCE, unknowns > 0 ? unknowns : 1);
}

bool optima_is_near(const Search *s, double best, double other) {
  return optima_difference(s, best, other) < optima_chance(s->n);
}

// ---------------------------------------------------------------- numbers

// How much an unknown differs, relative to its size; where it may be 0, a millionth of its range is nothing.
static double relative_difference(const Unknown *u, double a, double b) {
  double low, high;
  bool decades;
  start_range(u, &low, &high, &decades);
  double size = fmax(fabs(a), fabs(b));
  if (low <= 0 && high >= 0) size = fmax(size, 1e-6 * (high - low));
  return size > 0 ? fabs(a - b) / size : 0;
}

bool optima_same_numbers(const Search *s, const double *a, const double *b) {
  for (int i = 0; i < s->n; i++)
    if (relative_difference(&s->problem->unknowns[i], a[i], b[i]) > SAME_NUMBER) return false;
  return true;
}

// ---------------------------------------------------------------- what lies between

enum { STEPS = 4, REFIT_ITERATIONS = 25 };
static const double BARRIER = 3.84; // 95 % of the chi-square law with one degree of freedom

// Between a and b, in logarithms where bounds span decades.
static double between(const Unknown *u, double a, double b, double share) {
  double low, high;
  bool decades;
  start_range(u, &low, &high, &decades);
  return decades && a > 0 && b > 0 ? a * pow(b / a, share) : a + share * (b - a);
}

static bool straight_is_low(Search *s, const double *a, const double *b, double limit, double *x) {
  for (int k = 1; k < STEPS; k++) {
    for (int i = 0; i < s->n; i++)
      x[i] = between(&s->problem->unknowns[i], a[i], b[i], (double)k / STEPS);
    if (!(search_evaluate(s, 0, 1, x) <= limit)) return false;
  }
  return true;
}

// Moves one number from a to b; the others follow.
static bool valley_is_low(Search *s, const double *a, const double *b, int moved, double limit,
                          double *x) {
  bool *held = ARENA_ARRAY(s->arena, bool, s->n + 1);
  held[moved] = true;
  memcpy(x, a, (size_t)s->n * sizeof *x);
  for (int k = 1; k < STEPS; k++) {
    LocalSearch l = local_search_full(s);
    x[moved] = between(&s->problem->unknowns[moved], a[moved], b[moved], (double)k / STEPS);
    l.near = true, l.held = held;
    l.max_iterations = REFIT_ITERATIONS;
    l.step_tol = fmax(l.step_tol, 1e-4);
    l.target = limit;
    local_search_run(s, &l, x);
    if (!(l.objective <= limit)) return false;
  }
  return true;
}

static const double LEVEL = 1e-6; // relative: differences of the objective in a flat valley

bool optima_one_valley(Search *s, const double *a, const double *b, double objective) {
  double *x = ARENA_ARRAY(s->arena, double, s->n + 1);
  double floor = LEVEL * fabs(objective) + certificate_numerical_floor(s->weighting);
  static const double PARTS[] = {0.5, 0.25, 0.69}; // half way a phase may have its next optimum
  bool flat = false;
  for (int ratios = 1; ratios >= 0 && !flat && search_goes_on(s); ratios--) {
    flat = true;
    for (int k = 0; k < 3 && flat && search_goes_on(s); k++) {
      for (int i = 0; i < s->n; i++)
        x[i] = ratios && a[i] * b[i] > 0 ? copysign(a[i] * pow(b[i] / a[i], PARTS[k]), a[i])
                                         : a[i] + PARTS[k] * (b[i] - a[i]);
      double V = search_evaluate(s, 0, 1, x);
      flat = fabs(comparable_objective(s->problem, V, s->weighting->sigma) - objective) <= floor;
    }
  }
  return flat;
}

bool optima_barrier(Search *s, const double *a, const double *b, double top) {
  double errors = certificate_numerical_floor(s->weighting); // of simulations make no barrier
  double limit = top + BARRIER * optima_unit(s) + errors, most = -1;
  double *x = ARENA_ARRAY(s->arena, double, s->n + 1);
  int moved = 0;
  for (int i = 0; i < s->n; i++) {
    double change = relative_difference(&s->problem->unknowns[i], a[i], b[i]);
    if (change > most) most = change, moved = i;
  }
  return !straight_is_low(s, a, b, limit, x) && !valley_is_low(s, a, b, moved, limit, x) &&
         !valley_is_low(s, b, a, moved, limit, x);
}
