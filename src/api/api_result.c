// The public library: results.
#include <math.h>

#include "api/api.h"
#include "api/api_figures.h"
#include "base/patience.h"
#include "draw/plot.h"
#include "num/coloured_noise.h"
#include "report/series_figure.h"

ResultColumns *result_columns_new(void) {
  Arena *a = arena_new();
  ResultColumns *p = ARENA_NEW(a, ResultColumns);
  p->arena = a;
  atomic_init(&p->users, 1);
  atomic_init(&p->spare, NULL);
  return p;
}

ResultColumns *result_columns_share(ResultColumns *p) {
  atomic_fetch_add(&p->users, 1);
  return p;
}

void result_columns_leave(ResultColumns *p) {
  if (!p || atomic_fetch_sub(&p->users, 1) > 1) return;
  arena_free(atomic_load(&p->spare));
  arena_free(p->arena);
}

void entrain_result_free(EntrainResult *r) {
  if (!r) return;
  ResultColumns *columns = r->shared;
  Arena *mine = r->arena;
  arena_reset(mine);
  arena_free(atomic_exchange(&columns->spare, mine));
  result_columns_leave(columns);
}

EntrainOutcome entrain_result_outcome(const EntrainResult *r) {
  if (!r) return ENTRAIN_NO_START;
  return (EntrainOutcome)r->trajectory.outcome;
}
const char *entrain_result_outcome_name(const EntrainResult *r) {
  if (!r) return NULL;
  return outcome_word(r->trajectory.outcome);
}
const char *entrain_result_message(const EntrainResult *r) {
  if (!r) return NULL;
  return r->trajectory.message;
}

const char *entrain_result_log(const EntrainResult *r) {
  if (!r) return NULL;
  return r->trajectory.log;
}
const char *entrain_result_slopes(const EntrainResult *r) {
  if (!r) return NULL;
  return r->trajectory.slopes_by;
}

bool entrain_result_work(const EntrainResult *r, EntrainWork *out) {
  if (!r) return API_GIVE(out, EntrainWork, 0) && false;
  const StepCount *c = &r->trajectory.work;
  return API_GIVE(out, EntrainWork, c->steps, c->rejected, c->rhs, c->jacobians, c->factorisations,
                  r->trajectory.events, r->seconds, r->trajectory.solver);
}

// ---------------------------------------------------------------- invariants

int entrain_result_invariant_count(const EntrainResult *r) {
  if (!r) return 0;
  return r->invariant_count;
}

bool entrain_result_invariant(const EntrainResult *r, int i, EntrainInvariant *out) {
  if (!r || i < 0 || i >= r->invariant_count) return false;
  return api_give(out, &r->invariants[i], sizeof *out);
}

int entrain_result_worst_invariant(const EntrainResult *r) {
  if (!r) return -1;
  int worst = r->invariant_count - 1;
  for (int i = worst - 1; i >= 0; i--)
    if (r->invariants[i].relative >= r->invariants[worst].relative) worst = i;
  return worst;
}

int entrain_result_worst_invariant_sens(const EntrainResult *r) {
  if (!r) return -1;
  int worst = r->invariant_count - 1;
  for (int i = worst - 1; i >= 0; i--)
    if (r->invariants[i].violation_sens >= r->invariants[worst].violation_sens) worst = i;
  return worst;
}

static void add_invariants(const EntrainResult *r, Text *t) {
  text_add(t, "\"invariants\": [");
  for (int i = 0; i < r->invariant_count; i++) {
    const EntrainInvariant *v = &r->invariants[i];
    text_print(t,
               "%s{\"line\": %d, \"differentiated\": %d, \"violation\": %.6g, \"relative\": %.6g",
               i ? ", " : "", v->line, v->differentiated, v->violation, v->relative);
    if (r->trajectory.with_sens) text_print(t, ", \"violation_sens\": %.6g", v->violation_sens);
    text_add(t, "}");
  }
  text_add(t, "],\n");
}

// ---------------------------------------------------------------- rows

int entrain_result_rows(const EntrainResult *r) {
  if (!r) return 0;
  return r->series.rows;
}
int entrain_result_columns(const EntrainResult *r) {
  if (!r) return 0;
  return r->series.columns;
}
const char *entrain_result_name(const EntrainResult *r, int column) {
  if (!r) return NULL;
  return column >= 0 && column < r->series.columns ? r->series.names[column] : NULL;
}
const double *entrain_result_column(const EntrainResult *r, int column) {
  if (!r) return NULL;
  return column >= 0 && column < r->series.columns ? r->series.column[column] : NULL;
}

// Rows of a simulation that was stopped are written, if that does not take long.
static char *written(const Series *s, bool (*write)(const Series *, Text *), Text *t,
                     const char *after) {
  Patience patience = {.grace = 2 * PATIENCE_GRACE};
  patience_begin(&patience);
  bool whole = write(s, t);
  patience_end(&patience);
  text_add(t, after);
  if (!whole) text_done(t);
  return whole ? t->at : NULL;
}

char *entrain_result_csv(const EntrainResult *r) {
  if (!r) return NULL;
  Text t;
  text_init(&t);
  return written(&r->series, series_csv, &t, "");
}

char *entrain_result_json(const EntrainResult *r) {
  if (!r) return NULL;
  ENTRAIN_STRUCT(EntrainWork, w);
  Text t;
  entrain_result_work(r, &w);
  text_init(&t);
  text_add(&t, "{\"outcome\": ");
  text_add_json(&t, entrain_result_outcome_name(r));
  text_add(&t, ", \"message\": ");
  text_add_json(&t, r->trajectory.message);
  if (r->trajectory.log[0]) {
    text_add(&t, ", \"log\": ");
    text_add_json(&t, r->trajectory.log);
  }
  if (r->trajectory.slopes_by[0]) {
    text_add(&t, ", \"slopes\": ");
    text_add_json(&t, r->trajectory.slopes_by);
  }
  text_add(&t, ", \"work\": {\"solver\": ");
  text_add_json(&t, w.solver);
  text_print(&t,
             ", \"steps\": %ld, \"rejected\": %ld, \"rhs\": %ld, \"jacobians\": %ld, "
             "\"factorisations\": %ld, \"events\": %ld, \"seconds\": %.6g},\n",
             w.steps, w.rejected, w.rhs, w.jacobians, w.factorisations, w.events, w.seconds);
  add_invariants(r, &t);
  text_add(&t, "\"columns\": ");
  return written(&r->series, series_json, &t, "}\n");
}

char *entrain_result_plot(const EntrainResult *r, int width, int height, bool colour) {
  if (!r) return NULL;
  Text t;
  text_init(&t);
  Series shown = r->series;
  shown.columns = r->plain;
  ScreenStyle style = {api_size(width), api_size(height), colour};
  plot_series(&shown, &style, &t);
  return t.at;
}

EntrainFigures *entrain_result_figures(const EntrainResult *r) {
  if (!r) return NULL;
  FigureList *l = figure_list_new();
  series_figures(l, &r->series, r->shared->units, r->shared->title);
  return api_figures(l);
}

static double root_mean_square(const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += y[i] * y[i];
  return n ? sqrt(sum / n) : 0;
}

void entrain_result_add_noise(EntrainResult *r, const EntrainOptions *o) {
  if (!r || !o) return;
  bool additive = o->fit.noise_kind != NOISE_PROPORTIONAL; // there is no sigma here
  for (int c = 1; c < r->plain; c++) {
    if (!r->shared->computed[c]) continue;
    double *y = r->trajectory.column[c - 1];
    double size = o->fit.noise * (additive ? root_mean_square(y, r->series.rows) : 1);
    Random random;
    NoiseSource source = noise_source(o->fit.noise_correlation, o->fit.noise_slow_share);
    random_seed_stream(&random, (uint64_t)o->fit.seed, (uint64_t)c);
    for (int i = 0; i < r->series.rows; i++)
      y[i] = quantised(y[i] + size * (additive ? 1 : y[i]) * noise_next(&source, &random),
                       o->fit.quantum);
  }
}
