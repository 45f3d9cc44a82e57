#include "report/run_report.h"

#include <math.h>
#include <stdlib.h>
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

static void pooled_rows_json(Json *j, const PooledErrors *all, const char *role) {
  for (int i = 0; i < all->rows.count; i++) {
    const PooledError *e = &all->rows.at[i];
    json_open(j, NULL, '{', false);
    json_text(j, "variable", e->variable);
    json_text(j, "unit", e->unit);
    json_text(j, "role", role);
    json_text(j, "window", e->window);
    json_whole(j, "experiments", e->experiments);
    json_whole(j, "failed", e->failed);
    json_whole(j, "n", e->n);
    json_number(j, "rmse", e->rmse);
    json_number(j, "fit_percent", e->fit_percent);
    json_close(j);
  }
}

void pooled_json(Json *j, Arena *a, const Problem *p, const Statistics *s, const RunErrors *run,
                 const RunErrors *validation) {
  PooledErrors fitted = pooled_of_fit(a, p, s, run), others = pooled_of_runs(a, validation);
  PooledErrors recorded = pooled_of_runs(a, run && run->recorded ? run : NULL);
  json_open(j, "pooled", '[', true);
  pooled_rows_json(j, &fitted, "fit");
  pooled_rows_json(j, &recorded, "free-run");
  pooled_rows_json(j, &others, "validation");
  json_close(j);
}

// ---------------------------------------------------------------- text

static const double FIT_LEAST = -1000; // smaller values carry no more information

const char *fit_percent_text(Page *p, double percent) {
  if (isnan(percent)) return "-";
  if (percent < FIT_LEAST) return arena_print(p->arena, "below %g", FIT_LEAST);
  return arena_print(p->arena, "%.2f", percent);
}

int compare_fits(double fit, double rmse, double other_fit, double other_rmse) {
  bool by_rmse = isnan(fit) && isnan(other_fit);
  double x = by_rmse ? -rmse : fit, y = by_rmse ? -other_rmse : other_fit;
  if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
  return (x > y) - (x < y);
}

const char *worst_fits_text(Page *p, int shown, const double *percent, int count) {
  int known = 0;
  while (known < count && !isnan(percent[known])) known++;
  const char *what = known >= shown ? "worst fit"
                     : known        ? "worst fit, and with the largest rmse of those without one"
                                    : "largest rmse; none has a fit in %";
  const char *range =
      known ? arena_print(p->arena, " The fit of %s is %s to %s %%, half of them above %s %%.",
                          known == count ? "all" : "those that have one",
                          fit_percent_text(p, percent[0]), fit_percent_text(p, percent[known - 1]),
                          fit_percent_text(p, percent[known / 2]))
            : "";
  return arena_print(p->arena, "These are the %d of %d channels with the %s.%s", shown, count, what,
                     range);
}

void pooled_text(Page *p, const PooledErrors *all, const char *heading) {
  static const PageColumn COLUMNS[] = {{"channel", 0},      {"unit", 4},     {"window", 0},
                                       {">experiments", 3}, {">samples", 3}, {">rmse", 1},
                                       {">fit %", 2}};
  if (!all->rows.count) return;
  PageTable *t = page_table_new(p, COLUMNS, sizeof COLUMNS / sizeof *COLUMNS);
  int failed = 0;
  for (int i = 0; i < all->rows.count; i++) {
    const PooledError *e = &all->rows.at[i];
    failed += e->failed;
    page_table_add(
        t, (const char *[]){e->variable ? e->variable : arena_print(p->arena, "all in %s", e->unit),
                            e->unit, e->window ? e->window : "",
                            arena_print(p->arena, "%d", e->experiments),
                            arena_print(p->arena, "%ld", e->n), page_digits(p, e->rmse, 3),
                            e->window ? "" : fit_percent_text(p, e->fit_percent)});
  }
  page_heading(p, heading);
  page_table_print(t);
  if (failed)
    page_paragraph(p, 2, "", "Experiments that could not be simulated are not counted here.");
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

// With more channels only the worst are shown, as of those that are fitted; JSON has all of them.
enum { VALIDATED_MOST = 30, VALIDATED_WORST = 10 };

static int by_validated_fit(const void *a, const void *b) {
  const RunChannel *x = *(const RunChannel *const *)a, *y = *(const RunChannel *const *)b;
  int order = compare_fits(x->fit_percent, x->all.rmse, y->fit_percent, y->all.rmse);
  return order ? order : (x > y) - (x < y); // as they come
}

// Those that were simulated; the worst first, if there are many.
static const RunChannel **validated_channels(Page *p, const RunErrors *r, int *count) {
  const RunChannel **all = ARENA_ARRAY(p->arena, const RunChannel *, r->channel_count + 1);
  *count = 0;
  for (int i = 0; i < r->channel_count; i++)
    if (r->channels[i].error) all[(*count)++] = &r->channels[i];
  if (*count > VALIDATED_MOST) qsort(all, (size_t)*count, sizeof *all, by_validated_fit);
  return all;
}

static void summarise_validated(Page *p, const RunChannel *const *sorted, int count) {
  double *percent = ARENA_ARRAY(p->arena, double, count + 1);
  for (int i = 0; i < count; i++) percent[i] = sorted[i]->fit_percent;
  page_paragraph(p, 2, "", worst_fits_text(p, VALIDATED_WORST, percent, count));
}

static void print_validated(Page *p, const RunErrors *r) {
  static const PageColumn COLUMNS[] = {{"experiment", 0}, {"channel", 0}, {"unit", 5},
                                       {">samples", 4},   {">rmse", 2},   {">mean", 3},
                                       {">largest", 3},   {">fit %", 1}};
  PageTable *t = page_table_new(p, COLUMNS, sizeof COLUMNS / sizeof *COLUMNS);
  int count;
  const RunChannel **all = validated_channels(p, r, &count);
  bool some = count > VALIDATED_MOST;
  for (int i = 0; i < (some ? VALIDATED_WORST : count); i++) {
    const RunChannel *c = all[i];
    const Experiment *e = &r->problem->experiments[c->experiment];
    const Channel *data = &e->channels[c->channel];
    page_table_add(
        t, (const char *[]){e->name, data->name, data->unit, arena_print(p->arena, "%d", c->all.n),
                            page_digits(p, c->all.rmse, 3), page_digits(p, c->all.mean, 3),
                            page_digits(p, c->all.most, 3), fit_percent_text(p, c->fit_percent)});
  }
  page_table_print(t);
  if (some) summarise_validated(p, all, count);
}

void run_validation_text(Page *p, const RunErrors *r) {
  PooledErrors pooled = pooled_of_runs(p->arena, r);
  page_heading(p, r->lambda > 0 ? "Validation (not fitted), tied to the data"
                                : "Validation (simulated with the result, not fitted)");
  print_validated(p, r);
  run_failed_text(p, r);
  pooled_text(p, &pooled, "Validation, experiments together");
  if (!problem_has_windows(r->problem)) return;
  page_heading(p, "Validation in windows");
  print_windows(p, r);
}
