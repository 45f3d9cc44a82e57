// The distinct optima among many end points of searches.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/patience.h"
#include "search/fit.h"
#include "study/basin.h"
#include "study/compare_truth.h"

static const double SAME_UNKNOWNS = 1e-3;  // relative
static const double SAME_OBJECTIVE = 1e-4; // relative, of searches that converged
static const double NEAR_OBJECTIVE = 0.1;  // relative, where the unknowns agree
static const double EXACT = 1e-7;  // of the data's own variation: errors of simulations may be
static const double TINY = 1e-6;   // of the range of an unknown: no difference
static const double BETWEEN = 0.8; // of the distance of two points
enum { REFITS_MOST = 2000 };       // searches from the middle
enum { UNSORTED = -2 };            // it was stopped

typedef struct Sorting {
  Basin *b;
  Arena *arena;
  Problem local;    // how searches from the middle are made
  Fitting *fitting; // of that
  EvalWork *work;
  double floor;              // differences of objectives that mean nothing
  int refits;                // done
  const CompareTruth *truth; // NULL: unknown
  int *owner;                // by start: optimum, -1: none, UNSORTED
  ARRAY(int) at;             // by optimum: the start whose end point stands for it
  ARRAY(bool) flat;
} Sorting;

static const double *end_of(const Sorting *s, int start) {
  return s->b->ends + (size_t)start * (size_t)s->b->problem->unknown_count;
}

static double size_of(const Unknown *f, double a, double b) {
  double range = f->max - f->min, size = fmax(fabs(a), fabs(b));
  double least = TINY * (isfinite(range) ? range : fmax(1, fabs(f->start)));
  return fmax(size, least);
}

// The largest relative difference of an unknown.
static double distance(const Problem *p, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < p->unknown_count; i++)
    most = fmax(most, fabs(a[i] - b[i]) / size_of(&p->unknowns[i], a[i], b[i]));
  return most;
}

static bool objectives_agree(const Sorting *s, double a, double b, double relative) {
  return fabs(a - b) <= relative * fmax(fabs(a), fabs(b)) + s->floor;
}

// On an invariance such as alpha*A = constant the geometric mean lies on it, too.
static void middle(const Problem *p, const double *a, const double *b, double *out) {
  for (int i = 0; i < p->unknown_count; i++)
    out[i] = a[i] * b[i] > 0 ? copysign(sqrt(a[i] * b[i]), a[i]) : (a[i] + b[i]) / 2;
}

// Away from both, in steps of the kind that `middle` halves.
static bool is_between(const Problem *p, const double *a, const double *b, const double *x) {
  double apart = 0, to_a = 0, to_b = 0;
  for (int i = 0; i < p->unknown_count; i++) {
    bool ratio = a[i] * b[i] > 0 && a[i] * x[i] > 0;
    double size = size_of(&p->unknowns[i], a[i], b[i]);
    apart = fmax(apart, ratio ? fabs(log(b[i] / a[i])) : fabs(b[i] - a[i]) / size);
    to_a = fmax(to_a, ratio ? fabs(log(x[i] / a[i])) : fabs(x[i] - a[i]) / size);
    to_b = fmax(to_b, ratio ? fabs(log(x[i] / b[i])) : fabs(x[i] - b[i]) / size);
  }
  return to_a <= BETWEEN * apart && to_b <= BETWEEN * apart;
}

// The middle of a flat piece is as good as its ends. A search from the middle of two optima that lie apart ends at one of
// them, or higher. Where nothing tells the points between them apart it stays in between.
static bool is_valley(Sorting *s, const double *a, const double *b, double objective) {
  const Problem *p = s->b->problem;
  if (s->refits++ >= REFITS_MOST) return false;
  double *x = ARENA_ARRAY(s->arena, double, p->unknown_count + 1);
  middle(p, a, b, x);
  FitResult *r = fit_run_on(&s->local, s->work, x, NULL, NULL);
  fit_evaluate_start(r, s->work);
  bool flat = objectives_agree(s, r->objective_start, objective, SAME_OBJECTIVE);
  bool same = flat || (objectives_agree(s, fit_comparable(r), objective, SAME_OBJECTIVE) &&
                       is_between(p, a, b, r->x));
  fit_free(r);
  return same;
}

static bool is_same(Sorting *s, int start, int optimum) {
  const BasinStart *a = &s->b->start[start], *b = &s->b->start[s->at.at[optimum]];
  const double *x = end_of(s, start), *y = end_of(s, s->at.at[optimum]);
  if (distance(s->b->problem, x, y) <= SAME_UNKNOWNS)
    return objectives_agree(s, a->comparable, b->comparable, NEAR_OBJECTIVE);
  if (!objectives_agree(s, a->comparable, b->comparable, SAME_OBJECTIVE)) return false;
  if (!is_valley(s, x, y, b->comparable)) return false;
  s->flat.at[optimum] = true;
  return true;
}

static bool converged(const BasinStart *s) {
  return s->comparable < HUGE_VAL &&
         (s->fits || s->outcome == FIT_CONVERGED || s->outcome == FIT_UNCERTAIN);
}

static int find_owner(Sorting *s, int start) {
  for (int k = 0; k < s->at.count && patience_lasts(10 * s->b->problem->unknown_count); k++)
    if (is_same(s, start, k)) return k;
  return -1;
}

// Best first, so that the first end point of an optimum is its best.
typedef struct Rank {
  double comparable;
  int start;
} Rank;

static int compare_ranks(const void *a, const void *b) {
  const Rank *x = a, *y = b;
  if (x->comparable != y->comparable) return x->comparable < y->comparable ? -1 : 1;
  return (x->start > y->start) - (x->start < y->start);
}

static Rank *ranked(const Basin *b, Arena *a) {
  Rank *ranks = ARENA_ARRAY(a, Rank, b->done + 1);
  for (int i = 0; i < b->done; i++) ranks[i] = (Rank){b->start[i].comparable, i};
  qsort(ranks, (size_t)b->done, sizeof *ranks, compare_ranks);
  return ranks;
}

static void found_optimum(Sorting *s, int start) {
  array_push(s->arena, &s->at, start);
  array_push(s->arena, &s->flat, false);
  s->owner[start] = s->at.count - 1;
}

// Only searches that converged found an optimum; others may have reached one of these.
static void sort_ends(Sorting *s) {
  const Basin *b = s->b;
  const Rank *ranks = ranked(b, s->arena);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < b->done; i++) {
      int start = ranks[i].start;
      if (b->start[start].comparable == HUGE_VAL || converged(&b->start[start]) != (pass == 0))
        continue;
      s->owner[start] = find_owner(s, start);
      if (s->owner[start] < 0 && !patience_lasts(0)) s->owner[start] = UNSORTED;
      if (s->owner[start] == -1 && pass == 0) found_optimum(s, start);
    }
}

// ---------------------------------------------------------------- description

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_work(const Sorting *s, int optimum) {
  const Basin *b = s->b;
  double *work = ARENA_ARRAY(s->arena, double, b->done + 1);
  int n = 0;
  for (int i = 0; i < b->done; i++)
    if (s->owner[i] == optimum)
      work[n++] = (double)(b->start[i].work.simulations + b->start[i].work.sensitivity_simulations);
  qsort(work, (size_t)n, sizeof *work, compare_numbers);
  return n ? (work[(n - 1) / 2] + work[n / 2]) / 2 : nan("");
}

static BasinOptimum describe(const Sorting *s, int k) {
  const Basin *b = s->b;
  int n = b->problem->unknown_count;
  BasinOptimum o = {.x = ARENA_ARRAY(b->arena, double, n + 1),
                    .objective = b->start[s->at.at[k]].objective,
                    .flat = s->flat.at[k],
                    .error = nan("")};
  memcpy(o.x, end_of(s, s->at.at[k]), (size_t)n * sizeof *o.x);
  for (int i = 0; i < b->done; i++) {
    if (s->owner[i] != k) continue;
    o.count++;
    o.fits = o.fits || b->start[i].fits;
  }
  if (s->truth) o.error = compare_truth_error(s->truth, o.x);
  o.median = median_work(s, k);
  return o;
}

static void compare_counts(BasinOptimum *optima, int count) {
  for (int k = 1; k < count; k++)
    for (int i = 1; i < count; i++)
      optima[k].commoner +=
          optima[i].count > optima[k].count || (optima[i].count == optima[k].count && i < k);
}

static void label_starts(const Sorting *s) {
  Basin *b = s->b;
  b->failed = b->not_converged = b->unsorted = 0;
  for (int i = 0; i < b->done; i++) {
    BasinStart *start = &b->start[i];
    start->optimum = s->owner[i] == UNSORTED ? -1 : s->owner[i];
    start->end = s->owner[i] == UNSORTED       ? BASIN_OPEN
                 : start->optimum >= 0         ? BASIN_REACHED
                 : start->objective < HUGE_VAL ? BASIN_NOT_CONVERGED
                                               : BASIN_FAILED;
    b->failed += start->end == BASIN_FAILED;
    b->not_converged += start->end == BASIN_NOT_CONVERGED;
    b->unsorted += start->end == BASIN_OPEN;
  }
}

static void begin_sorting(Sorting *s, Basin *b) {
  Arena *a = arena_new();
  *s = (Sorting){
      .b = b, .arena = a, .local = *b->problem, .owner = ARENA_ARRAY(a, int, b->done + 1)};
  for (int i = 0; i < b->done; i++) s->owner[i] = -1;
  s->local.method = METHOD_LM;
  s->local.options.lm_damping = LM_DAMPING_RADIUS;
  s->local.options.threads = 1;
  s->local.options.max_seconds = 0;
  s->local.options.derivatives = DERIVATIVES_SENSITIVITIES;
  s->fitting = fitting_new(&s->local);
  s->work = eval_work_new(s->fitting, 1, NULL);
  const Weighting *w = s->fitting->weighting;
  s->floor = EXACT * data_objective(w, 1) + accuracy_objective(s->fitting, w, false, 1);
  if (b->truth) s->truth = compare_truth_new(a, b->problem, b->truth, false);
}

void basin_find_optima(Basin *b) {
  Sorting s;
  begin_sorting(&s, b);
  sort_ends(&s);
  label_starts(&s);
  b->optimum_count = s.at.count;
  b->optima = ARENA_ARRAY(b->arena, BasinOptimum, s.at.count + 1);
  for (int k = 0; k < s.at.count; k++) b->optima[k] = describe(&s, k);
  compare_counts(b->optima, b->optimum_count);
  eval_work_free(s.work);
  fitting_free(s.fitting);
  arena_free(s.arena);
}
