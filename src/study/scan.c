#include "study/scan.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/patience.h"
#include "base/record.h"
#include "residual/many_points.h"
#include "study/evaluated_point.h"

// ---------------------------------------------------------------- axes

double scan_value(const ScanAxis *axis, int k) {
  if (k <= 0 || axis->count < 2) return axis->from;
  if (k >= axis->count - 1) return axis->to;
  double u = (double)k / (axis->count - 1);
  return axis->log ? axis->from * pow(axis->to / axis->from, u)
                   : axis->from + u * (axis->to - axis->from);
}

bool scan_leaves_bounds(const ScanAxis *axis) {
  double last = axis->count > 1 ? axis->to : axis->from;
  return axis->from < axis->min || last > axis->max;
}

static bool fail_unknown(const Problem *p, const char *name, Err *err) {
  Arena *a = arena_new();
  const char **names = ARENA_ARRAY(a, const char *, p->unknown_count + 1);
  for (int i = 0; i < p->unknown_count; i++) names[i] = p->unknowns[i].name;
  const char *near = nearest_name(name, names, p->unknown_count);
  fail(err, ERR_NAME, "'%.100s' is not estimated%s%s%s", name, near ? "; did you mean '" : "",
       near ? near : "", near ? "'?" : "");
  arena_free(a);
  return false;
}

// k, or all of k[swing], k[fall].
static bool is_meant(const char *unknown, const char *name, bool exact) {
  size_t length = strlen(name);
  if (strncmp(unknown, name, length) != 0) return false;
  return exact ? unknown[length] == 0 : unknown[length] == '[';
}

static bool find_numbers(ObjectiveScan *s, ScanAxis *axis, Err *err) {
  const Problem *p = s->problem;
  axis->numbers = ARENA_ARRAY(s->arena, int, p->unknown_count + 1);
  axis->min = -HUGE_VAL, axis->max = HUGE_VAL, axis->number_count = 0;
  for (int exact = 1; exact >= 0 && !axis->number_count; exact--)
    for (int i = 0; i < p->unknown_count; i++) {
      const Unknown *u = &p->unknowns[i];
      if (!is_meant(u->name, axis->name, exact)) continue;
      axis->numbers[axis->number_count++] = i;
      axis->unit = u->unit;
      axis->min = fmax(axis->min, u->min), axis->max = fmin(axis->max, u->max);
    }
  return axis->number_count > 0 || fail_unknown(p, axis->name, err);
}

static bool set_axis(ObjectiveScan *s, int k, Err *err) {
  ScanAxis *axis = &s->axes[k];
  axis->name = arena_print(s->arena, "%s", axis->name);
  if (!find_numbers(s, axis, err)) return false;
  for (int i = 0; i < k; i++)
    for (int n = 0; n < s->axes[i].number_count; n++)
      for (int m = 0; m < axis->number_count; m++)
        if (s->axes[i].numbers[n] == axis->numbers[m])
          return fail(err, ERR_VALUE, "%s is named twice", axis->name);
  if (axis->count < 1) return fail(err, ERR_VALUE, "the scan has no point along %s", axis->name);
  if (!isfinite(axis->from) || (axis->count > 1 && !(isfinite(axis->to - axis->from))))
    return fail(err, ERR_VALUE, "the range of %s must be finite", axis->name);
  if (axis->count > 1 && !(axis->from < axis->to))
    return fail(err, ERR_VALUE, "the range of %s, %g to %g, must rise", axis->name, axis->from,
                axis->to);
  return !axis->log || axis->from > 0 ||
         fail(err, ERR_VALUE, "%s cannot have a logarithmic scale from %g on: it must be above 0",
              axis->name, axis->from);
}

static bool set_axes(ObjectiveScan *s, const ScanRequest *q, Err *err) {
  double points = 1;
  if (q->axis_count < 1 || q->axis_count > SCAN_AXES)
    return fail(err, ERR_VALUE, "a scan is over one or two numbers, not %d", q->axis_count);
  s->axis_count = q->axis_count;
  for (int k = 0; k < q->axis_count; k++) {
    s->axes[k] = q->axes[k];
    if (!set_axis(s, k, err)) return false;
    points *= s->axes[k].count;
  }
  if (points * s->lambda_count > SCAN_POINTS_MOST)
    return fail(err, ERR_LIMIT, "%.0f points are too many; %d are the most",
                points * s->lambda_count, SCAN_POINTS_MOST);
  s->points = (int)points;
  return true;
}

static bool set_lambdas(ObjectiveScan *s, const ScanRequest *q, const Fitting *f, Err *err) {
  s->lambda_count = q->lambda ? q->lambda_count : 1;
  s->lambda = ARENA_ARRAY(s->arena, double, s->lambda_count + 1);
  if (s->lambda_count < 1) return fail(err, ERR_VALUE, "there is no lambda");
  for (int i = 0; q->lambda && i < s->lambda_count; i++) {
    if (!feedback_can(f, q->lambda[i], err)) return false;
    s->lambda[i] = q->lambda[i];
    for (int k = 0; k < i; k++)
      if (s->lambda[k] == s->lambda[i])
        return fail(err, ERR_VALUE, "lambda = %g is named twice", s->lambda[i]);
  }
  return true;
}

// ---------------------------------------------------------------- points

typedef struct Scanning {
  ObjectiveScan *scan;
  ScanListener *listener;
  void *data;
  double began;
} Scanning;

static bool goes_on(void *data) {
  Scanning *w = data;
  w->scan->work.seconds = patience_clock() - w->began;
  return !w->listener || w->listener(w->data, w->scan);
}

static void set_point(const ObjectiveScan *s, int point, double *x) {
  memcpy(x, s->x, (size_t)s->problem->unknown_count * sizeof *x);
  for (int k = 0; k < s->axis_count; k++) {
    const ScanAxis *axis = &s->axes[k];
    double value = scan_value(axis, point % axis->count);
    for (int i = 0; i < axis->number_count; i++) x[axis->numbers[i]] = value;
    point /= axis->count;
  }
}

// Points that are evaluated at once: the memory that they need is limited.
enum { PART_MOST = 1 << 16 };

static void count_done(void *data, int done) {
  ObjectiveScan *s = data;
  s->done = s->done_before + done;
}

// Evaluates `count` points of one lambda from `first` on. false: stopped.
static bool scan_part(ObjectiveScan *s, ManyPoints *many, const EvalSpec *spec, int lambda,
                      int first, int count, double *x) {
  size_t n = (size_t)s->problem->unknown_count;
  double *all = s->objective + (size_t)lambda * (size_t)s->points, *V = all + first;
  long steps;
  for (int i = 0; i < count; i++) set_point(s, first + i, x + (size_t)i * n);
  s->done_before = s->done;
  EvalEnd end = many_values_taken(many, spec, x, count, V, &steps, count_done, s);
  s->done = s->done_before;
  bool open = false; // a point before was not done
  for (int i = 0; i < count; i++) {
    bool known = V[i] < HUGE_VAL;
    int *best = &s->best[lambda];
    if (known && (*best < 0 || V[i] < all[*best])) *best = first + i;
    if (!known) V[i] = nan("");
    open = open || (!known && end != EVAL_DONE);
    s->done += !open;
    s->failed += !known && end == EVAL_DONE;
  }
  return end == EVAL_DONE;
}

static bool scan_lambda(ObjectiveScan *s, ManyPoints *many, EvalSpec *spec, int lambda) {
  Arena *a = arena_new();
  int part = s->points < PART_MOST ? s->points : PART_MOST;
  double *x = ARENA_ARRAY(a, double, (size_t)part *(size_t)s->problem->unknown_count + 1);
  bool goes = true;
  spec->lambda = s->lambda[lambda];
  for (int first = 0; goes && first < s->points; first += part) {
    int count = s->points - first < part ? s->points - first : part;
    goes = scan_part(s, many, spec, lambda, first, count, x) && patience_asks();
  }
  arena_free(a);
  return goes;
}

static void list_failures(ObjectiveScan *s, const Budget *b) {
  for (int k = 0; k < OUTCOME_COUNT; k++) {
    if (!b->used.ended[k]) continue;
    FitFailure f = {(Outcome)k, outcome_word((Outcome)k), b->used.ended[k],
                    b->failed[k].seen ? b->failed[k].x : NULL, b->failed[k].message};
    array_push(s->arena, &s->failures, f);
  }
}

static FitCut cut_of(const Budget *b, bool whole) {
  if (whole) return FIT_CUT_NOTHING;
  if (b->exhausted) return FIT_CUT_SIMULATIONS;
  return patience_is_late() ? FIT_CUT_SECONDS : FIT_CUT_STOP;
}

static void scan_all(ObjectiveScan *s, EvalWork *w, const Weighting *weighting) {
  const FitOptions *o = &s->problem->options;
  ManyPoints *many = many_points_new(w, o->threads);
  many_points_keep(many);
  Budget budget = {.max_simulations = o->max_simulations ? o->max_simulations : LONG_MAX,
                   .failed = failed_simulations_new(s->arena, s->problem->unknown_count)};
  EvalSpec spec = eval_spec(eval_fitting(w), &budget);
  bool goes = true;
  spec.weighting = weighting;
  for (int i = 0; i < s->lambda_count; i++) s->best[i] = -1;
  for (int i = 0; goes && i < s->lambda_count; i++) goes = scan_lambda(s, many, &spec, i);
  s->cut = cut_of(&budget, s->done == s->points * s->lambda_count);
  s->work = budget.used;
  list_failures(s, &budget);
  many_points_free(many);
}

static void make_room(ObjectiveScan *s, const double *x) {
  const Problem *p = s->problem;
  size_t all = (size_t)s->points * (size_t)s->lambda_count;
  double *base = ARENA_ARRAY(s->arena, double, p->unknown_count + 1);
  for (int i = 0; i < p->unknown_count; i++) base[i] = x ? x[i] : p->unknowns[i].start;
  s->x = base;
  s->best = ARENA_ARRAY(s->arena, int, s->lambda_count + 1);
  s->objective = ARENA_ARRAY(s->arena, double, all + 1);
  for (size_t i = 0; i < all; i++) s->objective[i] = nan("");
}

static void scan_points(ObjectiveScan *s, EvalWork *w) {
  Weighting *weighting = weighting_at(w, 0, s->x);
  double *sigma = ARENA_ARRAY(s->arena, double, weighting->data->channel_count + 1);
  memcpy(sigma, weighting->sigma, (size_t)weighting->data->channel_count * sizeof *sigma);
  s->sigma = sigma;
  scan_all(s, w, weighting);
  weighting_free(weighting);
}

ObjectiveScan *scan_run(const Problem *p, const ScanRequest *q, ScanListener *listener, void *data,
                        Err *err) {
  Arena *a = arena_new();
  ObjectiveScan *s = ARENA_NEW(a, ObjectiveScan);
  Scanning work = {s, listener, data, patience_clock()};
  Patience patience = {goes_on, &work, .until = patience_until(p->options.max_seconds)};
  s->arena = a;
  s->problem = p;
  s->log_objective = q->log_objective;
  Fitting *f = fitting_new(p);
  bool fine = set_lambdas(s, q, f, err) && set_axes(s, q, err);
  if (fine) {
    EvalWork *w = eval_work_new(f, 1, NULL);
    make_room(s, q->x);
    patience_begin(&patience);
    scan_points(s, w);
    patience_end(&patience);
    s->work.seconds = record_seconds(patience_clock() - work.began);
    eval_work_free(w);
  }
  fitting_free(f);
  if (fine) return s;
  scan_free(s);
  return NULL;
}

void scan_free(ObjectiveScan *s) {
  if (s) arena_free(s->arena);
}
