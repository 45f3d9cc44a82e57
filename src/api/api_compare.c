// The public library: comparisons of methods.
#include <math.h>
#include <stdlib.h>

#include "api/api.h"
#include "api/api_figures.h"
#include "report/compare_figure.h"
#include "report/compare_report.h"
#include "report/compare_work_figure.h"

static const double FOUND_WITHIN = 0.01;
enum { RUNS_MOST = 1000000 };

struct EntrainCompare {
  Arena *arena;
  const Problem *problem;
  ARRAY(CompareSpec) methods;
  CompareRequest request;
  const Published *published;
  Compare *compare; // NULL before the run
};

EntrainCompare *entrain_compare_new(const EntrainProblem *p) {
  if (!p) return NULL;
  Arena *a = arena_new();
  EntrainCompare *c = ARENA_NEW(a, EntrainCompare);
  c->arena = a;
  c->problem = p->problem;
  c->request.found = FOUND_WITHIN;
  return c;
}

void entrain_compare_free(EntrainCompare *c) {
  if (!c) return;
  compare_free(c->compare);
  arena_free(c->arena);
}

// ---------------------------------------------------------------- request

static bool add_method(EntrainCompare *c, const char *text, Err *err) {
  CompareSpec spec;
  if (!compare_spec_read(c->arena, c->problem, text, &spec, err)) return false;
  array_push(c->arena, &c->methods, spec);
  return true;
}

bool entrain_compare_add(EntrainCompare *c, const char *method, EntrainError *error) {
  if (!c) return api_missing("comparison", error);
  if (!method) return api_missing("method", error);
  Err err = {0};
  add_method(c, method, &err);
  return api_fine(&err, error);
}

void entrain_compare_truth(EntrainCompare *c, const double *truth, bool all) {
  if (!c) return;
  int n = c->problem->unknown_count;
  double *copy = truth ? ARENA_ARRAY(c->arena, double, n + 1) : NULL;
  if (truth) memcpy(copy, truth, (size_t)n * sizeof *copy);
  c->request.has_truth = true;
  c->request.truth = copy;
  c->request.all_numbers = all;
}

void entrain_compare_found(EntrainCompare *c, double within) {
  if (!c) return;
  c->request.found = within;
}

void entrain_compare_repeat(EntrainCompare *c, int seeds, int random_starts) {
  if (!c) return;
  c->request.seeds = seeds < 0 ? 0 : seeds;
  c->request.random_starts = random_starts < 0 ? 0 : random_starts;
}

void entrain_compare_keep_traces(EntrainCompare *c) {
  if (!c) return;
  c->request.trace = true;
}

void entrain_compare_time_threads(EntrainCompare *c) {
  if (!c) return;
  c->request.parallel = true;
}

bool entrain_compare_published(EntrainCompare *c, const char *path, EntrainError *error) {
  if (!c) return api_missing("comparison", error);
  if (!path) return api_missing("path", error);
  Err err = {0};
  c->published = published_load(c->arena, c->problem, path, &err);
  return api_fine(&err, error);
}

// ---------------------------------------------------------------- the run

typedef struct CompareRelay {
  EntrainCompareListener *listener;
  void *data;
} CompareRelay;

static bool relay(void *data, const CompareProgress *p) {
  const CompareRelay *to = data;
  const WorkCount *w = p->fit ? p->fit->work : NULL;
  EntrainCompareProgress told = {.size = sizeof told,
                                 .method = p->compare->rows[p->row].spec.label,
                                 .number = p->row,
                                 .methods = p->compare->count,
                                 .run = p->run,
                                 .runs = p->runs,
                                 .iteration = p->fit ? p->fit->iteration : 0,
                                 .objective = p->fit ? p->fit->objective : HUGE_VAL,
                                 .simulations =
                                     w ? w->simulations + w->sensitivity_simulations : 0};
  if (!to->listener) return true;
  PatienceLeft around = patience_leave();
  return patience_return(around, to->listener(to->data, &told));
}

static void add_usual(EntrainCompare *c, Err *err) {
  for (const char *const *text = compare_spec_usual(); *text; text++) add_method(c, *text, err);
}

bool entrain_compare_run(EntrainCompare *c, EntrainCompareListener *listener, void *data,
                         EntrainError *error) {
  if (!c) return api_missing("comparison", error);
  Err err = {0};
  CompareRelay to = {listener, data};
  if (c->request.seeds > RUNS_MOST || c->request.random_starts > RUNS_MOST)
    fail(&err, ERR_LIMIT, "more than %d runs of a method", RUNS_MOST);
  if (!err.code && !c->methods.count) add_usual(c, &err);
  c->request.methods = c->methods.at;
  c->request.count = c->methods.count;
  if (!err.code && !c->compare) c->compare = compare_run(c->problem, &c->request, relay, &to, &err);
  return api_fine(&err, error);
}

// ---------------------------------------------------------------- results

int entrain_compare_count(const EntrainCompare *c) {
  if (!c) return 0;
  return c->compare ? c->compare->done : 0;
}

static double known(double objective) {
  return isfinite(objective) ? objective : nan("");
}

bool entrain_compare_row(const EntrainCompare *c, int i, EntrainCompared *out) {
  if (!c || !out) return false;
  if (i < 0 || i >= entrain_compare_count(c)) return false;
  const CompareRow *r = &c->compare->rows[i];
  const CompareFigures *m = &r->median;
  return API_GIVE(
      out, EntrainCompared, .label = r->spec.label,
      .outcome = r->shown ? fit_outcome_word(r->shown->outcome) : "refused",
      .refused = r->refused ? r->refused : "", .runs = r->run_count, .found = r->found,
      .iterations = m->iterations, .evaluations = m->evaluations, .simulations = m->simulations,
      .sensitivity_simulations = m->sensitivity_simulations, .fair = m->fair,
      .objective = known(m->objective), .objective_least = known(r->least.objective),
      .objective_most = known(r->most.objective), .error = m->error, .seconds = m->seconds,
      .evaluations_parallel = m->evaluations_parallel, .seconds_parallel = m->seconds_parallel,
      .same = r->same, .values = r->shown ? r->shown->x : NULL);
}

static const CompareRow *row_at(const EntrainCompare *c, int row) {
  return row >= 0 && row < entrain_compare_count(c) ? &c->compare->rows[row] : NULL;
}

static const CompareRun *run_at(const EntrainCompare *c, int row, int run) {
  const CompareRow *r = row_at(c, row);
  return r && run >= 0 && run < r->run_count ? &r->runs[run] : NULL;
}

int entrain_compare_run_count(const EntrainCompare *c, int row) {
  const CompareRow *r = row_at(c, row);
  return r ? r->run_count : 0;
}

bool entrain_compare_run_at(const EntrainCompare *c, int row, int run, EntrainCompareRun *out) {
  const CompareRun *r = run_at(c, row, run);
  if (!r) return false;
  const CompareFigures *g = &r->figures;
  return API_GIVE(out, EntrainCompareRun, .seed = r->seed, .start = r->start,
                  .outcome = fit_outcome_word(r->outcome), .message = r->message ? r->message : "",
                  .fits = r->fits, .found = r->found, .same = r->same, .iterations = g->iterations,
                  .evaluations = g->evaluations, .simulations = g->simulations,
                  .sensitivity_simulations = g->sensitivity_simulations, .fair = g->fair,
                  .objective = known(g->objective), .error = g->error, .seconds = g->seconds,
                  .evaluations_parallel = g->evaluations_parallel,
                  .seconds_parallel = g->seconds_parallel, .values = r->x, .steps = r->trace.count);
}

bool entrain_compare_step(const EntrainCompare *c, int row, int run, int step,
                          EntrainCompareStep *out) {
  const CompareRun *r = run_at(c, row, run);
  if (!r || step < 0 || step >= r->trace.count) return false;
  const ComparePoint *p = &r->trace.at[step];
  return API_GIVE(out, EntrainCompareStep, .stage = p->stage, .lambda = p->lambda,
                  .iteration = p->iteration, .evaluations = p->evaluations, .fair = p->fair,
                  .objective = p->objective, .free_objective = p->free_objective, .best = p->best,
                  .seconds = p->seconds, .values = p->x);
}

bool entrain_compare_stopped(const EntrainCompare *c) {
  if (!c) return false;
  return c->compare && c->compare->stopped;
}

bool entrain_compare_has_result(const EntrainCompare *c) {
  if (!c) return false;
  return c->compare && compare_has_result(c->compare);
}

// ---------------------------------------------------------------- texts

static CompareReport report_of(const EntrainCompare *c, EntrainCompareLayout layout) {
  return (CompareReport){c->compare, c->published, (CompareLayout)layout};
}

static bool is_layout(EntrainCompareLayout layout) {
  return (int)layout >= ENTRAIN_COMPARE_FULL && layout <= ENTRAIN_COMPARE_PARALLEL;
}

char *entrain_compare_report(const EntrainCompare *c, EntrainCompareLayout layout, int width,
                             bool colour) {
  if (!c || !is_layout(layout)) return NULL;
  Text t;
  CompareReport r = report_of(c, layout);
  text_init(&t);
  if (c->compare) compare_text(&t, &r, api_style(width, colour));
  return t.at;
}

char *entrain_compare_markdown(const EntrainCompare *c, EntrainCompareLayout layout) {
  if (!c || !is_layout(layout)) return NULL;
  Text t;
  CompareReport r = report_of(c, layout);
  text_init(&t);
  if (c->compare) compare_markdown(&t, &r);
  return t.at;
}

char *entrain_compare_csv(const EntrainCompare *c, EntrainCompareLayout layout) {
  if (!c || !is_layout(layout)) return NULL;
  Text t;
  CompareReport r = report_of(c, layout);
  text_init(&t);
  if (c->compare) compare_csv(&t, &r);
  return t.at;
}

char *entrain_compare_json(const EntrainCompare *c) {
  if (!c) return NULL;
  Text t;
  CompareReport r = report_of(c, ENTRAIN_COMPARE_FULL);
  text_init(&t);
  if (c->compare) compare_json(&t, &r, entrain_version());
  return t.at;
}

char *entrain_compare_trace_csv(const EntrainCompare *c) {
  if (!c) return NULL;
  Text t;
  text_init(&t);
  if (c->compare) compare_trace_csv(&t, c->compare);
  return t.at;
}

char *entrain_compare_svg(const EntrainCompare *c) {
  if (!c) return NULL;
  Arena *a = arena_new();
  return api_svg(c->compare ? compare_figure(a, c->compare) : NULL, a);
}

char *entrain_compare_png(const EntrainCompare *c, size_t *length) {
  if (!c) return NULL;
  Arena *a = arena_new();
  return api_png(c->compare ? compare_figure(a, c->compare) : NULL, a, length);
}

EntrainFigures *entrain_compare_figures(const EntrainCompare *c) {
  if (!c) return NULL;
  FigureList *l = figure_list_new();
  if (c->compare) {
    figure_list_add(l, "convergence", NULL, compare_figure(l->arena, c->compare));
    figure_list_add(l, "parameters", NULL, compare_parameters_figure(l->arena, c->compare));
    figure_list_add(l, "effort", NULL, compare_effort_figure(l->arena, c->compare));
  }
  return api_figures(l);
}
