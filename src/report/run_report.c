#include "report/run_report.h"

#include <math.h>
#include <string.h>

#include "stats/say.h"

// ---------------------------------------------------------------- JSON

void run_windows_json(Json *j, const Experiment *e, const SpanError *errors) {
  json_open(j, "windows", '{', false);
  for (int i = 0; errors && i < e->window_count; i++) {
    json_open(j, e->windows[i].name, '{', false);
    json_number(j, "start", e->origin + e->windows[i].start);
    json_number(j, "stop", e->origin + e->windows[i].stop);
    json_whole(j, "n", errors[i].n);
    json_number(j, "rmse", errors[i].rmse);
    json_number(j, "mean", errors[i].mean);
    json_number(j, "max", errors[i].most);
    json_close(j);
  }
  json_close(j);
}

void run_channels_json(Json *j, const RunErrors *r, const char *role) {
  for (int i = 0; i < r->channel_count; i++) {
    const RunChannel *c = &r->channels[i];
    const Experiment *e = &r->problem->experiments[c->experiment];
    const Channel *data = &e->channels[c->channel];
    json_open(j, NULL, '{', false);
    json_whole(j, "experiment", e->number);
    json_text(j, "variable", data->name);
    json_whole(j, "n", c->all.n);
    json_number(j, "rmse", c->all.rmse);
    json_number(j, "fit_percent", c->fit_percent);
    json_text(j, "experiment_name", e->name);
    json_text(j, "column", data->column);
    json_text(j, "unit", data->unit);
    json_whole(j, "missing", data->missing);
    json_number(j, "mean", c->all.mean);
    json_number(j, "max", c->all.most);
    json_text(j, "role", role);
    json_text(j, "failed", r->why[c->experiment]);
    run_windows_json(j, e, c->windows);
    json_close(j);
  }
}

// ---------------------------------------------------------------- text

static const double FIT_LEAST = -1000; // smaller values carry no more information

const char *fit_percent_text(Page *p, double percent) {
  if (isnan(percent)) return "-";
  if (percent < FIT_LEAST) return arena_print(p->arena, "below %g", FIT_LEAST);
  return arena_print(p->arena, "%.2f", percent);
}

static const PageColumn WINDOW_COLUMNS[] = {{"experiment", 0}, {"channel", 0},  {"unit", 4},
                                            {"window", 0},     {">samples", 3}, {">rmse", 1},
                                            {">mean", 2},      {">largest", 2}};
enum { WINDOW_COLUMN_COUNT = sizeof WINDOW_COLUMNS / sizeof *WINDOW_COLUMNS };

static void add_window(Page *p, PageTable *t, const RunErrors *r, const RunChannel *c, int i) {
  const Experiment *e = &r->problem->experiments[c->experiment];
  const Channel *data = &e->channels[c->channel];
  const SpanError *w = &c->windows[i];
  page_table_add(t, (const char *[]){e->name, data->name, data->unit, e->windows[i].name,
                                     arena_print(p->arena, "%d", w->n), page_digits(p, w->rmse, 3),
                                     page_digits(p, w->mean, 3), page_digits(p, w->most, 3)});
}

static void print_windows(Page *p, const RunErrors *r) {
  PageTable *t = page_table_new(p, WINDOW_COLUMNS, WINDOW_COLUMN_COUNT);
  for (int k = 0; k < r->channel_count; k++) {
    const RunChannel *c = &r->channels[k];
    for (int i = 0; c->error && i < r->problem->experiments[c->experiment].window_count; i++)
      add_window(p, t, r, c, i);
  }
  page_table_print(t);
}

static bool fail_alike(const RunErrors *r, int a, int b) {
  return r->why[a] && r->why[b] && strcmp(r->why[a], r->why[b]) == 0;
}

// One sentence for all experiments that fail for the same reason.
void run_failed_text(Page *p, const RunErrors *r) {
  enum { NAMED_MOST = 6 };
  int experiments = r->problem->experiment_count;
  const char **name = ARENA_ARRAY(p->arena, const char *, experiments + 1);
  for (int e = 0; e < experiments; e++) {
    int count = 0, before = 0;
    for (int k = 0; k < experiments; k++) {
      if (!fail_alike(r, e, k)) continue;
      before += k < e;
      name[count++] = r->problem->experiments[k].name;
    }
    if (!count || before) continue;
    Text t;
    text_init(&t);
    say_some(&t, name, count, NAMED_MOST);
    page_paragraph(p, 2, "",
                   arena_print(p->arena, "%s could not be simulated: %s.", t.at, r->why[e]));
    text_done(&t);
  }
}

void run_windows_text(Page *p, const RunErrors *r) {
  if (!problem_has_windows(r->problem)) return;
  page_heading(p, r->lambda > 0 ? "Errors in windows, tied to the data"
                                : "Errors of the free-running simulation in windows");
  print_windows(p, r);
  run_failed_text(p, r);
}

void run_validation_text(Page *p, const RunErrors *r) {
  static const PageColumn COLUMNS[] = {{"experiment", 0}, {"channel", 0}, {"unit", 5},
                                       {">samples", 4},   {">rmse", 2},   {">mean", 3},
                                       {">largest", 3},   {">fit %", 1}};
  PageTable *t = page_table_new(p, COLUMNS, sizeof COLUMNS / sizeof *COLUMNS);
  page_heading(p, r->lambda > 0 ? "Validation (not fitted), tied to the data"
                                : "Validation (simulated with the result, not fitted)");
  for (int i = 0; i < r->channel_count; i++) {
    const RunChannel *c = &r->channels[i];
    const Experiment *e = &r->problem->experiments[c->experiment];
    const Channel *data = &e->channels[c->channel];
    if (!c->error) continue;
    page_table_add(
        t, (const char *[]){e->name, data->name, data->unit, arena_print(p->arena, "%d", c->all.n),
                            page_digits(p, c->all.rmse, 3), page_digits(p, c->all.mean, 3),
                            page_digits(p, c->all.most, 3), fit_percent_text(p, c->fit_percent)});
  }
  page_table_print(t);
  run_failed_text(p, r);
  if (!problem_has_windows(r->problem)) return;
  page_heading(p, "Validation in windows");
  print_windows(p, r);
}
