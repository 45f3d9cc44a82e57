// Starts on a grid or at random, one search from each.
#include "study/basin.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/patience.h"
#include "base/record.h"
#include "num/random.h"
#include "search/many_fits.h"

enum { STARTS_MOST = 1000000 };

// ---------------------------------------------------------------- axes

static int find_number(const Problem *p, const char *name) {
  for (int i = 0; i < p->unknown_count; i++)
    if (strcmp(p->unknowns[i].name, name) == 0) return i;
  return -1;
}

static bool fail_unknown(const Problem *p, const char *name, Err *err) {
  Arena *a = arena_new();
  const char **names = ARENA_ARRAY(a, const char *, p->unknown_count + 1);
  for (int i = 0; i < p->unknown_count; i++) names[i] = p->unknowns[i].name;
  const char *nearest = nearest_name(name, names, p->unknown_count);
  if (nearest)
    fail(err, ERR_NAME, "'%s' is not estimated; did you mean '%s'?", name, nearest);
  else
    fail(err, ERR_NAME, "'%s' is not estimated; starts can differ in estimated parameters only",
         name);
  arena_free(a);
  return false;
}

static bool set_range(BasinAxis *x, const Unknown *f, Err *err) {
  if (isnan(x->low)) x->low = f->min;
  if (isnan(x->high)) x->high = f->max;
  if (!isfinite(x->low) || !isfinite(x->high))
    return fail(err, ERR_VALUE,
                "%s has no finite bounds that starts could lie between; give it min and max, or a "
                "range of starts (%s from low to high)",
                f->name, f->name);
  if (!(x->low < x->high))
    return fail(err, ERR_VALUE, "the range of %s, %g to %g, is empty", f->name, x->low, x->high);
  if (x->low < f->min || x->high > f->max)
    return fail(err, ERR_VALUE, "the range of %s, %g to %g, leaves its bounds [%g, %g]", f->name,
                x->low, x->high, f->min, f->max);
  if (x->scale == BASIN_AS_SEARCHED) x->scale = f->log ? BASIN_LOG : BASIN_LINEAR;
  if (x->scale == BASIN_LOG && !(x->low > 0))
    return fail(err, ERR_VALUE,
                "%s cannot be spaced logarithmically from %g on: the lower end must be positive",
                f->name, x->low);
  return true;
}

static bool check_count(const Basin *b, const BasinAxis *x, Err *err) {
  if (b->random || x->count >= 1) return true;
  return fail(err, ERR_VALUE, "the grid has no point along %s", x->name);
}

static bool set_axis(Basin *b, int k, Err *err) {
  const Problem *p = b->problem;
  BasinAxis *x = &b->axes[k];
  x->number = find_number(p, x->name);
  if (x->number < 0) return fail_unknown(p, x->name, err);
  x->name = p->unknowns[x->number].name;
  for (int i = 0; i < k; i++)
    if (b->axes[i].number == x->number) return fail(err, ERR_VALUE, "%s is named twice", x->name);
  return set_range(x, &p->unknowns[x->number], err) && check_count(b, x, err);
}

static void take_all_numbers(Basin *b) {
  b->axis_count = b->problem->unknown_count;
  b->axes = ARENA_ARRAY(b->arena, BasinAxis, b->axis_count);
  for (int i = 0; i < b->axis_count; i++)
    b->axes[i] = (BasinAxis){.name = b->problem->unknowns[i].name, .low = nan(""), .high = nan("")};
}

static bool set_axes(Basin *b, const BasinRequest *q, Err *err) {
  if (q->axes && q->axis_count) {
    b->axis_count = q->axis_count;
    b->axes = ARENA_ARRAY(b->arena, BasinAxis, q->axis_count);
    memcpy(b->axes, q->axes, (size_t)q->axis_count * sizeof *b->axes);
  } else {
    take_all_numbers(b);
  }
  if (!b->axis_count) return fail(err, ERR_VALUE, "nothing is estimated: there are no starts");
  for (int k = 0; k < b->axis_count; k++)
    if (!set_axis(b, k, err)) return false;
  return true;
}

double basin_axis_fraction(const BasinAxis *a, double v) {
  if (a->scale == BASIN_LOG) return log(v / a->low) / log(a->high / a->low);
  return (v - a->low) / (a->high - a->low);
}

static double at_fraction(const BasinAxis *a, double u) {
  if (u <= 0) return a->low;
  if (u >= 1) return a->high;
  double v =
      a->scale == BASIN_LOG ? a->low * pow(a->high / a->low, u) : a->low + u * (a->high - a->low);
  return fmin(a->high, fmax(a->low, v));
}

double basin_axis_value(const BasinAxis *a, int k) {
  return at_fraction(a, a->count > 1 ? (double)k / (a->count - 1) : 0.5);
}

// ---------------------------------------------------------------- starts

static bool count_starts(Basin *b, const BasinRequest *q, Err *err) {
  double count = 1;
  if (q->random < 0) return fail(err, ERR_VALUE, "there cannot be %d random starts", q->random);
  for (int k = 0; k < b->axis_count && !b->random; k++) count *= b->axes[k].count;
  if (b->random) count = q->random;
  if (count > STARTS_MOST)
    return fail(err, ERR_VALUE, "%.0f starts are too many; %d are the most", count, STARTS_MOST);
  b->count = (int)count;
  return true;
}

static void set_grid_start(const Basin *b, int i, double *x) {
  for (int k = 0; k < b->axis_count; k++) {
    const BasinAxis *axis = &b->axes[k];
    x[axis->number] = basin_axis_value(axis, i % axis->count);
    i /= axis->count;
  }
}

// Start i is the same whatever the number of starts.
static void set_random_start(const Basin *b, int i, double *x) {
  Random random;
  random_seed_stream(&random, (uint64_t)b->problem->options.seed, (uint64_t)i);
  for (int k = 0; k < b->axis_count; k++)
    x[b->axes[k].number] = at_fraction(&b->axes[k], random_uniform(&random));
}

static void set_starts(Basin *b) {
  const Problem *p = b->problem;
  size_t n = (size_t)p->unknown_count;
  double *starts = ARENA_ARRAY(b->arena, double, (size_t)b->count *n);
  for (int i = 0; i < b->count; i++) {
    double *x = starts + (size_t)i * n;
    for (size_t k = 0; k < n; k++) x[k] = p->unknowns[k].start;
    if (b->random)
      set_random_start(b, i, x);
    else
      set_grid_start(b, i, x);
  }
  b->starts = starts;
}

// ---------------------------------------------------------------- searches

typedef struct BasinStudy {
  Basin *b;
  double began;
  BasinListener *listener;
  void *data;
} BasinStudy;

static bool tell(void *data, int finished) {
  BasinStudy *s = data;
  s->b->finished = finished;
  s->b->seconds = patience_clock() - s->began;
  return !s->listener || s->listener(s->data, s->b);
}

static bool take(void *data, int number, const ManyFitsAnswer *answer) {
  BasinStudy *s = data;
  Basin *b = s->b;
  size_t n = (size_t)b->problem->unknown_count;
  if (answer->outcome == FIT_STOPPED) return false;
  memcpy(b->ends + (size_t)number * n, answer->x, n * sizeof *b->ends);
  b->start[number] = (BasinStart){.end = BASIN_NOT_CONVERGED,
                                  .optimum = -1,
                                  .outcome = answer->outcome,
                                  .local = answer->end,
                                  .fits = answer->fits,
                                  .objective = answer->objective,
                                  .comparable = answer->comparable,
                                  .work = answer->work};
  work_count_add(&b->work, &answer->work);
  many_fits_failures(answer, b->problem->unknown_count, b->examples);
  b->best = fmin(b->best, answer->objective);
  b->done = number + 1;
  return tell(s, b->done > b->finished ? b->done : b->finished);
}

static void list_failures(Basin *b) {
  for (int k = 0; k < OUTCOME_COUNT; k++) {
    if (!b->work.ended[k]) continue;
    const FailedSimulation *e = &b->examples[k];
    FitFailure f = {(Outcome)k, outcome_word((Outcome)k), b->work.ended[k], e->seen ? e->x : NULL,
                    e->message};
    array_push(b->arena, &b->failures, f);
  }
}

static void run_searches(Basin *b, BasinListener *listener, void *data) {
  const FitOptions *o = &b->problem->options;
  Problem one = *b->problem; // of the searches
  one.options.max_seconds = 0;
  one.options.confirm = CONFIRM_OFF; // the other starts tell as much
  BasinStudy s = {b, patience_clock(), listener, data};
  ManyFitsRequest q = {.fit = fit_run_on,
                       .starts = b->starts,
                       .count = b->count,
                       .keep = true,
                       .threads = o->threads,
                       .lanes = o->lanes == LANES_AUTO,
                       .take = take,
                       .listener = tell,
                       .data = &s};
  Patience all = {.until = patience_until(o->max_seconds)}, after = {.grace = PATIENCE_GRACE};
  patience_begin(&all);
  Fitting *f = fitting_new(b->problem);
  b->examples = failed_simulations_new(b->arena, b->problem->unknown_count);
  Budget shared = {.max_simulations = LONG_MAX, .failed = b->examples};
  fitting_prepare(f, method_wants_slopes(one.method, &one.parts), &shared);
  work_count_add(&b->work, &shared.used);
  many_fits_run(f, &one, &q);
  fitting_free(f);
  list_failures(b);
  patience_begin(&after); // what was reached is sorted
  basin_find_optima(b);
  patience_end(&after);
  patience_end(&all);
  b->seconds = record_seconds(patience_clock() - s.began);
}

static Basin *basin_new(const Problem *p, const BasinRequest *q) {
  Arena *a = arena_new();
  Basin *b = ARENA_NEW(a, Basin);
  *b = (Basin){.arena = a, .problem = p, .random = q->random != 0, .best = HUGE_VAL};
  if (!q->truth) return b;
  double *truth = ARENA_ARRAY(a, double, p->unknown_count + 1);
  memcpy(truth, q->truth, (size_t)p->unknown_count * sizeof *truth);
  b->truth = truth;
  return b;
}

Basin *basin_run(const Problem *p, const BasinRequest *q, BasinListener *listener, void *data,
                 Err *err) {
  Basin *b = basin_new(p, q);
  if (!set_axes(b, q, err) || !count_starts(b, q, err)) {
    basin_free(b);
    return NULL;
  }
  set_starts(b);
  b->ends = ARENA_ARRAY(b->arena, double, (size_t)b->count *(size_t)p->unknown_count);
  b->start = ARENA_ARRAY(b->arena, BasinStart, b->count);
  for (int i = 0; i < b->count; i++) b->start[i].optimum = -1;
  run_searches(b, listener, data);
  return b;
}

void basin_free(Basin *b) {
  if (b) arena_free(b->arena);
}
