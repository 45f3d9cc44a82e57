#include "report/scan_report.h"

#include <math.h>

#include "residual/budget.h"
#include "residual/measured_data.h"
#include "write/cells.h"
#include "write/rounded.h"

// ---------------------------------------------------------------- CSV

static void add_row(Text *out, const ObjectiveScan *s, int lambda, int point) {
  int rest = point;
  for (int k = 0; k < s->axis_count; k++) {
    cells_number(out, scan_value(&s->axes[k], rest % s->axes[k].count));
    text_add(out, ",");
    rest /= s->axes[k].count;
  }
  cells_number(out, s->lambda[lambda]);
  text_add(out, ",");
  double v = s->objective[(size_t)lambda * (size_t)s->points + (size_t)point];
  if (!isnan(v)) cells_number(out, v);
  text_add(out, "\n");
}

void scan_csv(Text *out, const ObjectiveScan *s) {
  for (int k = 0; k < s->axis_count; k++) {
    cells_text(out, s->axes[k].name);
    text_add(out, ",");
  }
  text_add(out, "lambda,objective\n");
  for (int i = 0; i < s->done; i++) add_row(out, s, i / s->points, i % s->points);
}

// ---------------------------------------------------------------- text

static bool is_at_edge(const ObjectiveScan *s, int point) {
  for (int k = 0; k < s->axis_count; k++) {
    int at = point % s->axes[k].count;
    if (s->axes[k].count > 1 && (at == 0 || at == s->axes[k].count - 1)) return true;
    point /= s->axes[k].count;
  }
  return false;
}

static void print_minima(Page *p, const ObjectiveScan *s) {
  enum { FIXED = 3 };
  PageColumn columns[SCAN_AXES + FIXED] = {{">lambda", 0}, {">least objective", 1}};
  int count = 2;
  for (int k = 0; k < s->axis_count; k++)
    columns[count++] = (PageColumn){arena_print(p->arena, ">at %s", s->axes[k].name), 2};
  columns[count++] = (PageColumn){"", 2};
  PageTable *t = page_table_new(p, columns, count);
  for (int i = 0; i < s->lambda_count; i++) {
    const char *cells[SCAN_AXES + FIXED] = {page_digits(p, s->lambda[i], 6), "none"};
    int point = s->best[i], rest = point;
    if (point >= 0)
      cells[1] = page_digits(p, s->objective[(size_t)i * (size_t)s->points + (size_t)point], 6);
    for (int k = 0; point >= 0 && k < s->axis_count; k++) {
      cells[2 + k] = page_digits(p, scan_value(&s->axes[k], rest % s->axes[k].count), 6);
      rest /= s->axes[k].count;
    }
    cells[count - 1] = point >= 0 && is_at_edge(s, point) ? "at the edge" : "";
    page_table_add(t, cells);
  }
  page_table_elsewhere(t, "--output FILE");
  page_table_print(t);
}

static void print_bounds(Page *p, const ObjectiveScan *s) {
  for (int k = 0; k < s->axis_count; k++) {
    const ScanAxis *x = &s->axes[k];
    if (scan_leaves_bounds(x))
      page_paragraph(p, 2, "",
                     arena_print(p->arena,
                                 "The range of %s leaves its bounds, %s to %s: a search would not "
                                 "come there.",
                                 x->name, page_digits(p, x->min, 6), page_digits(p, x->max, 6)));
  }
}

static bool is_scanned(const ObjectiveScan *s, int unknown) {
  for (int k = 0; k < s->axis_count; k++)
    for (int i = 0; i < s->axes[k].number_count; i++)
      if (s->axes[k].numbers[i] == unknown) return true;
  return false;
}

static void print_others(Page *p, const ObjectiveScan *s) {
  enum { MOST = 12 };
  const Problem *problem = s->problem;
  const char *list = "";
  int count = 0;
  for (int i = 0; i < problem->unknown_count; i++) {
    if (is_scanned(s, i) || count++ >= MOST) continue;
    list = arena_print(p->arena, "%s%s%s = %s", list, count > 1 ? ", " : "",
                       problem->unknowns[i].name, page_digits(p, s->x[i], 6));
  }
  if (count)
    page_paragraph(
        p, 2, "",
        arena_print(p->arena, "Held: %s%s.", list,
                    count > MOST ? arena_print(p->arena, " and %d more", count - MOST) : ""));
  if (noise_is_estimated(problem))
    page_paragraph(p, 2, "",
                   "Sigmas that are estimated are those of the residuals at the values of the "
                   "problem (or of --parameters, --start), everywhere the same.");
}

static void print_failures(Page *p, const ObjectiveScan *s) {
  for (int k = 0; k < s->failures.count; k++) {
    const FitFailure *f = &s->failures.at[k];
    page_paragraph(p, 2, "",
                   arena_print(p->arena, "%ld of %d points could not be simulated: %s%s%s.",
                               f->count, s->points * s->lambda_count, f->reason,
                               f->log && f->log[0] ? ", for example " : "",
                               f->log ? failure_sentence(p->arena, f->log) : ""));
  }
}

void scan_text(Text *out, const ObjectiveScan *s, PageStyle style) {
  Page p = page_on(out, style);
  char seconds[ROUNDED_SIZE];
  const ScanAxis *x = &s->axes[0], *y = &s->axes[1];
  bool flat = s->axis_count > 1;
  rounded_seconds(s->work.seconds, seconds);
  page_title(&p,
             arena_print(
                 p.arena, "%s: %s of %s%s%s%s", s->problem->path,
                 arena_print(p.arena, flat ? "%d x %d values" : "%d values", x->count, y->count),
                 x->name, flat ? " and " : "", flat ? y->name : "",
                 s->lambda_count > 1 ? arena_print(p.arena, ", %d lambdas", s->lambda_count) : ""));
  print_minima(&p, s);
  print_others(&p, s);
  print_bounds(&p, s);
  print_failures(&p, s);
  if (s->cut != FIT_CUT_NOTHING)
    page_paragraph(&p, 2, "",
                   arena_print(p.arena, "%s: %d of %d points are done.",
                               s->cut == FIT_CUT_STOP      ? "Stopped"
                               : s->cut == FIT_CUT_SECONDS ? "max_seconds ended the scan"
                                                           : "max_simulations ended the scan",
                               s->done, s->points * s->lambda_count));
  page_paragraph(
      &p, 2, "",
      arena_print(p.arena, "%ld simulations, %s.", work_count_simulations(&s->work), seconds));
  page_done(&p);
}
