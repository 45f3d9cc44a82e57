#include "report/weights_report.h"

#include <math.h>

#include "residual/sample_times.h"
#include "write/cells.h"

const SampleWeights *weights_of_problem(const Problem *p, Arena *a) {
  if (p->weights) return p->weights;
  SampleWeights *w = ARENA_NEW(a, SampleWeights);
  w->least = w->most = 1;
  w->at = ARENA_ARRAY(a, WeightInstants, p->experiment_count + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    const SampleTimes *times = sample_times_new(a, &p->experiments[e]);
    WeightInstants *at = &w->at[e];
    *at = (WeightInstants){.count = times->count, .t = times->at};
    at->weight = ARENA_ARRAY(a, double, times->count + 1);
    for (int i = 0; i < times->count; i++) at->weight[i] = 1;
    w->equal = w->count = w->counted += times->count;
  }
  return w;
}

void weights_csv(Text *out, const Problem *p, const SampleWeights *w) {
  text_add(out, "experiment,time,weight\n");
  for (int e = 0; e < p->experiment_count; e++)
    for (int i = 0; i < w->at[e].count; i++) {
      cells_text(out, p->experiments[e].name);
      cells_numbers(out, (double[]){p->experiments[e].origin + w->at[e].t[i], w->at[e].weight[i]},
                    2);
      text_add(out, "\n");
    }
}

// ---------------------------------------------------------------- report

static const char *percent(Page *p, double share) {
  return arena_print(p->arena, "%s %%", page_digits(p, 100 * share, 3));
}

static void print_variables(Page *p, const SampleWeights *w) {
  static const PageColumn COLUMNS[] = {
      {"variable", 0}, {">least", 1}, {">largest", 1}, {">cells", 2}};
  PageTable *t = page_table_new(p, COLUMNS, 4);
  for (int k = 0; k < w->variable_count; k++) {
    const WeightVariable *v = &w->variables[k];
    const char *cells = w->kind == WEIGHT_GRID && v->range > 0
                            ? arena_print(p->arena, "%d", v->cells)
                        : v->range > 0 ? ""
                                       : "does not change";
    page_table_add(t, (const char *const[]){v->name, page_digits(p, v->least, 5),
                                            page_digits(p, v->least + v->range, 5), cells});
  }
  page_heading(p, "State space");
  page_table_elsewhere(t, NULL);
  page_table_print(t);
}

static const char *kind_details(Page *p, const SampleWeights *w) {
  if (w->kind == WEIGHT_GRID)
    return arena_print(
        p->arena, " %d cell%s of the grid %s samples.%s%s", w->occupied,
        w->occupied == 1 ? "" : "s", w->occupied == 1 ? "has" : "have",
        w->one_per_cell ? " One sample of each counts." : "",
        w->shifts > 1 ? arena_print(p->arena, " Mean over %d shifted grids.", w->shifts) : "");
  if (w->kind == WEIGHT_ELLIPSES)
    return arena_print(p->arena, " The half axes are %s of the ranges.", percent(p, w->ratio));
  if (w->kind == WEIGHT_DISTANCES && w->error > 0)
    return arena_print(p->arena, " The relative error of the sums is %s where it was checked.",
                       page_digits(p, w->error, 2));
  return "";
}

// What the weights are like.
static const char *spread_text(Page *p, const SampleWeights *w) {
  if (w->least == w->most) return "All samples have the weight 1.";
  const char *zero = w->counted < w->count
                         ? arena_print(p->arena, " %d samples have the weight 0 and do not count.",
                                       w->count - w->counted)
                         : "";
  return arena_print(p->arena,
                     "Weights are from %s to %s; the mean of those above 0 is 1.%s Together they "
                     "tell about as much as %s samples of equal weight.",
                     page_digits(p, w->least, 4), page_digits(p, w->most, 4), zero,
                     page_digits(p, w->equal, 3));
}

static void print_summary(Page *p, const Problem *problem, const SampleWeights *w) {
  const char *column = w->column && w->kind != WEIGHT_COLUMN
                           ? arena_print(p->arena, ", times column '%s'", w->column)
                           : "";
  page_title(p, arena_print(p->arena, "%s: weights of %d samples by %s%s", problem->path, w->count,
                            weight_kind_word(w->kind), column));
  page_paragraph(p, 2, "  ",
                 arena_print(p->arena, "A weight is %s.%s %s", weight_kind_meaning(w->kind),
                             kind_details(p, w), spread_text(p, w)));
}

typedef struct WindowShare {
  int samples;
  double weight;
} WindowShare;

static WindowShare share_of(const NamedWindow *n, const WeightInstants *at) {
  WindowShare s = {0};
  for (int i = 0; i < at->count; i++)
    if (window_contains(n, at->t[i])) s.samples++, s.weight += at->weight[i];
  return s;
}

static void print_windows(Page *p, const Problem *problem, const SampleWeights *w) {
  static const PageColumn COLUMNS[] = {
      {"window", 0}, {"experiment", 0}, {">samples", 2}, {">of samples", 1}, {">of weight", 1}};
  PageTable *t = page_table_new(p, COLUMNS, 5);
  bool any = false;
  for (int e = 0; e < problem->experiment_count; e++)
    for (int i = 0; i < problem->experiments[e].window_count; i++) {
      const Experiment *x = &problem->experiments[e];
      WindowShare s = share_of(&x->windows[i], &w->at[e]);
      page_table_add(t, (const char *const[]){x->windows[i].name,
                                              problem->experiment_count > 1 ? x->name : "",
                                              arena_print(p->arena, "%d", s.samples),
                                              percent(p, (double)s.samples / w->count),
                                              percent(p, s.weight / w->counted)});
      any = true;
    }
  if (!any) return;
  page_heading(p, "Windows");
  page_table_elsewhere(t, NULL);
  page_table_print(t);
}

static void print_regions(Page *p, const SampleWeights *w) {
  static const PageColumn COLUMNS[] = {{"where", 0}, {">weight", 1}, {">samples", 2}};
  if (!w->region_count) return;
  PageTable *t = page_table_new(p, COLUMNS, 3);
  for (int i = 0; i < w->region_count; i++) {
    const WeightRegion *r = &w->regions[i];
    page_table_add(t, (const char *const[]){r->where, page_digits(p, r->weight, 5),
                                            arena_print(p->arena, "%d", r->samples)});
  }
  page_heading(p, "Regions");
  page_table_elsewhere(t, NULL);
  page_table_print(t);
}

void weights_text(Text *out, const Problem *problem, const SampleWeights *w, PageStyle style) {
  Page p = page_on(out, style);
  print_summary(&p, problem, w);
  if (!problem->weights)
    page_paragraph(&p, 2, "  ",
                   "The problem has no 'weights'. Try --kind grid, ellipses or distances.");
  if (w->variable_count) print_variables(&p, w);
  print_windows(&p, problem, w);
  print_regions(&p, w);
  page_done(&p);
}
