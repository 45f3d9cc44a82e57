#include "study/compare.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/patience.h"
#include "base/pool.h"
#include "base/record.h"
#include "search/confirm.h"
#include "search/fit.h"
#include "simulate/closed.h"
#include "study/random_start.h"

// Objectives that differ by less than this share of the objective of the mean of the data count as equal.
static const double OBJECTIVE_APART = 1e-9;
enum { START_STREAM = 1 }; // of random starts, so that they are those of 'recover'

typedef struct CompareStudy { // what all runs share
  const Problem *p;
  Compare *c;
  CompareListener *listener;
  void *listener_data;
  int row, run, runs;
  CompareRun *into; // whose steps are recorded; NULL: none
  double began;
  bool stop; // by the listener
  Patience patience;
} CompareStudy;

// ---------------------------------------------------------------- listening

static bool tell(CompareStudy *s, const FitProgress *fit) {
  CompareProgress told = {s->c, s->row, s->run, s->runs, fit};
  if (!s->stop && s->listener) s->stop = !s->listener(s->listener_data, &told);
  return !s->stop;
}

static bool goes_on(void *data) {
  return tell(data, NULL);
}

static long evaluations_of(const Problem *p, long simulations) {
  return (simulations + p->experiment_count - 1) / p->experiment_count;
}

static long fair_count(const Problem *p, const WorkCount *w) {
  long columns =
      w->slopes_by_runs ? 1 : p->unknown_count + 1; // runs for differences are counted already
  return evaluations_of(p, w->simulations + columns * w->sensitivity_simulations);
}

static bool is_told_again(const Problem *p, const ComparePoint *last, const FitProgress *now) {
  return last->iteration == now->iteration && last->objective == now->objective &&
         last->lambda == now->lambda && strcmp(last->stage, now->stage) == 0 &&
         memcmp(last->x, now->x, (size_t)p->unknown_count * sizeof *now->x) == 0;
}

static void note_step(CompareStudy *s, const FitProgress *f) {
  CompareRun *r = s->into;
  Arena *a = s->c->arena;
  const ComparePoint *last = r->trace.count ? &r->trace.at[r->trace.count - 1] : NULL;
  if (f->objective == HUGE_VAL || (last && is_told_again(s->p, last, f))) return;
  bool same_stage = last && strcmp(last->stage, f->stage) == 0;
  ComparePoint point = {.lambda = f->lambda,
                        .iteration = f->iteration,
                        .objective = f->objective,
                        .free_objective = nan(""),
                        .best = nan(""),
                        .seconds = patience_clock() - s->began,
                        .x = ARENA_ARRAY(a, double, s->p->unknown_count + 1)};
  point.stage = same_stage ? last->stage : arena_copy(a, f->stage, strlen(f->stage));
  if (f->work) {
    point.evaluations =
        evaluations_of(s->p, f->work->simulations + f->work->sensitivity_simulations);
    point.fair = fair_count(s->p, f->work);
  }
  memcpy(point.x, f->x, (size_t)s->p->unknown_count * sizeof *f->x);
  array_push(a, &r->trace, point);
}

static bool listen_to_fit(void *data, const FitProgress *f) {
  CompareStudy *s = data;
  if (s->into && s->c->request.trace) note_step(s, f);
  return tell(s, f);
}

// ---------------------------------------------------------------- traces

// What was minimised may be the coupled model, or a part of the data: only the free model over all data can be compared.
static void evaluate_trace(EvalWork *w, const double *sigma, CompareRun *run) {
  const Fitting *f = eval_fitting(w);
  Weighting *weighting = weighting_new(f->data, sigma);
  EvalSpec spec = eval_spec(f, NULL);
  spec.weighting = weighting;
  double best = nan("");
  for (int i = 0; i < run->trace.count && patience_asks(); i++) {
    ComparePoint *at = &run->trace.at[i];
    double objective = evaluate_value(w, &spec, at->x);
    if (objective < HUGE_VAL) at->free_objective = objective;
    if (!(at->free_objective >= best) && isfinite(at->free_objective)) best = at->free_objective;
    at->best = best;
  }
  weighting_free(weighting);
}

// ---------------------------------------------------------------- one run

static void take_figures(const CompareStudy *s, const FitResult *f, double seconds,
                         CompareRun *run) {
  const WorkCount *w = &f->search_work; // without confirming
  CompareFigures *out = &run->figures;
  *out = compare_figures_unknown();
  out->iterations = (double)w->iterations;
  out->evaluations = (double)evaluations_of(s->p, w->simulations + w->sensitivity_simulations);
  out->simulations = (double)w->simulations;
  out->sensitivity_simulations = (double)w->sensitivity_simulations;
  out->fair = (double)fair_count(s->p, w);
  out->objective = fit_comparable(f);
  out->seconds = seconds;
  if (isfinite(out->objective) && s->c->truth) out->error = compare_truth_error(s->c->truth, f->x);
}

static void take_result(const CompareStudy *s, const FitResult *f, double seconds,
                        CompareRun *run) {
  run->outcome = f->outcome;
  run->fits = f->fits;
  run->message = arena_copy(s->c->arena, f->message, strlen(f->message));
  run->same = true;
  take_figures(s, f, seconds, run);
  if (!isfinite(run->figures.objective)) return;
  run->x = ARENA_ARRAY(s->c->arena, double, s->p->unknown_count + 1);
  memcpy(run->x, f->x, (size_t)s->p->unknown_count * sizeof *f->x);
}

static bool is_same(const CompareRun *run, const FitResult *f, int n) {
  const CompareFigures *g = &run->figures;
  return run->outcome == f->outcome && g->objective == fit_comparable(f) &&
         (!run->x || memcmp(run->x, f->x, (size_t)n * sizeof *f->x) == 0) &&
         g->simulations == (double)f->search_work.simulations &&
         g->sensitivity_simulations == (double)f->search_work.sensitivity_simulations &&
         g->iterations == (double)f->search_work.iterations;
}

typedef struct TimedFit {
  Fitting *fitting;
  EvalWork *work;
  FitResult *result;
  double seconds;
} TimedFit;

// Of the time that is left, each run that is to come may take the same share.
static double share_of_time(const CompareStudy *s, double own) {
  if (!(s->patience.until > 0)) return own;
  int left = compare_runs_wanted(s->c) - compare_runs_done(s->c);
  double share = fmax(s->patience.until - patience_clock(), 1e-3) / (left > 1 ? left : 1);
  bool is_own = own > 0 && own != s->p->options.max_seconds;
  return is_own ? fmin(own, share) : share;
}

static TimedFit timed_fit(CompareStudy *s, Problem *p, int threads, const double *start) {
  TimedFit t;
  p->options.threads = threads;
  if (p->closed) p->closed->set_threads(p->closed, threads);
  p->options.max_seconds = share_of_time(s, p->options.max_seconds);
  s->began = patience_clock();
  t.fitting = fitting_new(p);
  t.work = eval_work_new(t.fitting, threads, NULL);
  t.result = fit_run_on(p, t.work, start, listen_to_fit, s);
  t.seconds = record_seconds(patience_clock() - s->began);
  return t;
}

static void timed_fit_done(TimedFit *t) {
  fit_free(t->result);
  eval_work_free(t->work);
  fitting_free(t->fitting);
}

// The same with several threads: only the time may differ.
static void run_again_side_by_side(CompareStudy *s, Problem *p, CompareRun *run) {
  TimedFit t = timed_fit(s, p, s->c->threads, run->start);
  const FitResult *f = t.result;
  if (patience_asks()) {
    // With a time limit results depend on the clock.
    run->same = p->options.max_seconds > 0 || is_same(run, f, s->p->unknown_count);
    run->figures.seconds_parallel = t.seconds;
    run->figures.evaluations_parallel = (double)evaluations_of(s->p, f->work.in_turn);
  }
  timed_fit_done(&t);
}

static const double *draw_start(const CompareStudy *s, int number) {
  if (!s->c->request.random_starts) return NULL;
  Random random;
  double *x = ARENA_ARRAY(s->c->arena, double, s->p->unknown_count);
  random_seed_stream(&random, (uint64_t)s->p->options.seed, 2 * (uint64_t)number + START_STREAM);
  random_start(s->p, &random, x);
  return x;
}

// Searches are compared: what confirms their results only runs if it is asked for.
static Problem problem_of(const CompareSpec *spec) {
  Problem p = spec->problem;
  if (p.options.confirm == CONFIRM_AUTO) p.options.confirm = CONFIRM_OFF;
  return p;
}

static bool can_confirm(const CompareSpec *spec) {
  Problem p = spec->problem;
  p.options.confirm = CONFIRM_ON;
  return confirm_is_wanted(&p);
}

static void run_once(CompareStudy *s, const CompareSpec *spec, int number, CompareRun *run) {
  Problem p = problem_of(spec);
  const CompareRequest *q = &s->c->request;
  int threads = p.options.threads;
  if (spec->random && !spec->seeded) p.options.seed += number;
  run->seed = p.options.seed;
  run->start = draw_start(s, number);
  s->into = run;
  TimedFit t = timed_fit(s, &p, q->parallel ? 1 : threads, run->start);
  s->into = NULL;
  take_result(s, t.result, t.seconds, run);
  if (q->trace) evaluate_trace(t.work, t.result->sigma, run);
  timed_fit_done(&t);
  if (q->parallel && patience_asks()) run_again_side_by_side(s, &p, run);
}

// ---------------------------------------------------------------- what came of several runs

static int compare_numbers(const void *a, const void *b) { // NaN comes last
  double x = *(const double *)a, y = *(const double *)b;
  if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
  return (x > y) - (x < y);
}

static void summarise_figure(Arena *scratch, const CompareRow *r, size_t offset, double *median,
                             double *least, double *most) {
  double *v = ARENA_ARRAY(scratch, double, r->run_count + 1);
  int n = 0;
  for (int i = 0; i < r->run_count; i++) {
    double x = *(const double *)((const char *)&r->runs[i].figures + offset);
    if (!isnan(x)) v[n++] = x;
  }
  *median = *least = *most = nan("");
  if (!n) return;
  qsort(v, (size_t)n, sizeof *v, compare_numbers);
  *median = v[(n - 1) / 2];
  *least = v[0];
  *most = v[n - 1];
}

static const CompareRun *median_run(const CompareRow *r) {
  for (int i = 0; i < r->run_count; i++)
    if (r->runs[i].figures.objective == r->median.objective) return &r->runs[i];
  return r->run_count ? &r->runs[0] : NULL;
}

static void summarise_row(CompareRow *r) {
  Arena *scratch = arena_new();
#define FIGURE(name, meaning)                                                                      \
  summarise_figure(scratch, r, offsetof(CompareFigures, name), &r->median.name, &r->least.name,    \
                   &r->most.name);
  COMPARE_FIGURES
#undef FIGURE
  r->shown = median_run(r);
  r->found = 0;
  r->same = true;
  for (int i = 0; i < r->run_count; i++) {
    r->found += r->runs[i].found;
    r->same &= r->runs[i].same;
  }
  arena_free(scratch);
}

static double best_objective(const Compare *c) {
  double best = HUGE_VAL;
  for (int i = 0; i < c->count; i++)
    for (int k = 0; k < c->rows[i].run_count; k++)
      best = fmin(best, c->rows[i].runs[k].figures.objective);
  return best;
}

static double objective_of_data(const Problem *p) {
  Fitting *f = fitting_new(p);
  double v = data_objective(f->weighting, 1);
  fitting_free(f);
  return v;
}

static void judge(Compare *c) {
  double best = best_objective(c),
         allowed = best + c->request.found * fabs(best) +
                   OBJECTIVE_APART * (c->truth ? 0 : objective_of_data(c->problem));
  for (int i = 0; i < c->count; i++) {
    for (int k = 0; k < c->rows[i].run_count; k++) {
      CompareRun *r = &c->rows[i].runs[k];
      r->found = r->x && (c->truth ? compare_truth_found(c->truth, r->x, c->request.found)
                                   : r->figures.objective <= allowed);
    }
    summarise_row(&c->rows[i]);
  }
}

// ---------------------------------------------------------------- the comparison

static int runs_of(const CompareRequest *q, const CompareSpec *s) {
  if (q->random_starts) return q->random_starts;
  return q->seeds > 1 && s->random && !s->seeded ? q->seeds : 1;
}

static void run_row(CompareStudy *s, int i) {
  Compare *c = s->c;
  CompareRow *r = &c->rows[i];
  const Problem *p = &r->spec.problem;
  Err err = {0};
  s->row = i;
  s->runs = r->runs_wanted;
  if (!problem_method_suits(p, p->method, &p->parts, &err))
    r->refused = arena_copy(c->arena, err.text, strlen(err.text));
  r->runs = ARENA_ARRAY(c->arena, CompareRun, s->runs);
  for (s->run = 0; !r->refused && s->run < s->runs && patience_asks(); s->run++) {
    run_once(s, &r->spec, s->run, &r->runs[s->run]);
    r->run_count++;
  }
  Problem own = problem_of(&r->spec);
  r->confirms = r->run_count && confirm_is_wanted(&own);
  c->can_confirm |= r->run_count && can_confirm(&r->spec);
}

static bool can_begin(const Problem *p, const CompareRequest *q, Err *err) {
  int unbounded = q->random_starts ? first_unbounded(p) : -1;
  if (!q->count) return fail(err, ERR_USAGE, "there is no method to compare");
  if (unbounded >= 0)
    return fail(err, ERR_VALUE,
                "random starts need finite bounds of all parameters; give min and max to %s",
                p->unknowns[unbounded].name);
  return true;
}

static bool has_label(const Compare *c, int rows, const char *label) {
  for (int i = 0; i < rows; i++)
    if (strcmp(c->rows[i].spec.label, label) == 0) return true;
  return false;
}

static const char *label_like_no_other(const Compare *c, int rows, const char *wanted) {
  const char *label = wanted;
  for (int n = 2; has_label(c, rows, label); n++)
    label = arena_print(c->arena, "%s (%d)", wanted, n);
  return label;
}

static Compare *compare_new(const Problem *p, const CompareRequest *q) {
  Arena *a = arena_new();
  Compare *c = ARENA_NEW(a, Compare);
  *c = (Compare){.arena = a,
                 .problem = p,
                 .rows = ARENA_ARRAY(a, CompareRow, q->count),
                 .count = q->count,
                 .request = *q,
                 .threads = pool_size(p->options.threads, pool_cores())};
  if (p->options.threads) c->threads = p->options.threads;
  for (int i = 0; i < q->count; i++) {
    CompareRow *r = &c->rows[i];
    r->spec = q->methods[i];
    r->spec.label = label_like_no_other(c, i, r->spec.label);
    r->runs_wanted = runs_of(q, &r->spec);
    if (r->runs_wanted > c->runs_each) c->runs_each = r->runs_wanted;
  }
  return c;
}

Compare *compare_run(const Problem *p, const CompareRequest *q, CompareListener *listener,
                     void *data, Err *err) {
  if (!can_begin(p, q, err)) return NULL;
  Compare *c = compare_new(p, q);
  CompareStudy s = {.p = p, .c = c, .listener = listener, .listener_data = data};
  s.patience =
      (Patience){.goes_on = goes_on, .data = &s, .until = patience_until(p->options.max_seconds)};
  patience_begin(&s.patience);
  double began = patience_clock();
  if (q->has_truth) c->truth = compare_truth_new(c->arena, p, q->truth, q->all_numbers);
  for (int i = 0; i < c->count && patience_asks(); i++) {
    run_row(&s, i);
    if (c->rows[i].run_count || c->rows[i].refused) c->done = i + 1;
    c->seconds = patience_clock() - began;
  }
  c->seconds = record_seconds(c->seconds);
  c->stopped = s.patience.over || s.stop;
  patience_end(&s.patience);
  judge(c);
  return c;
}

void compare_free(Compare *c) {
  if (c) arena_free(c->arena);
}

int compare_runs_done(const Compare *c) {
  int runs = 0;
  for (int i = 0; i < c->count; i++) runs += c->rows[i].run_count;
  return runs;
}

int compare_runs_wanted(const Compare *c) {
  int runs = 0;
  for (int i = 0; i < c->count; i++)
    if (!c->rows[i].refused) runs += c->rows[i].runs_wanted;
  return runs;
}

bool compare_has_result(const Compare *c) {
  for (int i = 0; i < c->count; i++)
    if (c->rows[i].least.objective < HUGE_VAL) return true;
  return false;
}
