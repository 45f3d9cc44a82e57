// Which rows 'window' leaves, and 'windows' of an experiment: named spans of time whose errors are reported.
#include <math.h>

#include "base/c_locale.h"
#include "problem/reader.h"

// Times in a file are rounded: a sample at the edge of the window counts as inside, also if its other end is open.
void window_rows(const ExperimentReader *e, const Table *t, int *first, int *last) {
  const double *time = t->column[e->time];
  double slack = 1e-9 * (fmin(e->to, time[t->rows - 1]) - fmax(e->from, time[0]));
  double from = e->from - fmax(slack, 0), to = e->to + fmax(slack, 0);
  *first = 0, *last = t->rows;
  while (*first < t->rows && time[*first] < from) ++*first;
  while (*last > *first && time[*last - 1] > to) --*last;
}

static bool read_end(ProblemReader *r, const ExperimentReader *e, const Yaml *n, const char *what,
                     const char *name, double *value) {
  char text[160];
  c_snprintf(text, sizeof text, "the %s of the window %.100s", what, name);
  return yaml_is_null(n) || reader_time(r, e, n, text, false, value);
}

static bool has_samples(const ExperimentReader *e, const NamedWindow *w) {
  for (int i = 0; i < e->last - e->first; i++)
    if (window_contains(w, e->since[i])) return true;
  return false;
}

const char *window_span(double from, double to, char out[SPAN_TEXT]) {
  if (isfinite(from) && isfinite(to))
    c_snprintf(out, SPAN_TEXT, "from %.15g to %.15g", from, to);
  else
    c_snprintf(out, SPAN_TEXT, isfinite(from) ? "from %.15g on" : "until %.15g",
               isfinite(from) ? from : to);
  return out;
}

static bool fail_window(ProblemReader *r, const ExperimentReader *e, const Yaml *n, double from,
                        double to) {
  const double *time = e->table->column[e->time];
  bool open_start = yaml_is_null(n->items.at[0]), open_end = yaml_is_null(n->items.at[1]);
  char span[SPAN_TEXT];
  window_span(open_start ? -HUGE_VAL : from, open_end ? HUGE_VAL : to, span);
  return reader_fail(r, n, ERR_DATA,
                     "the window %.100s %s contains no samples; those of this experiment are from "
                     "%.15g to %.15g%s",
                     n->key, span, time[e->first], time[e->last - 1], reader_time_unit(r, e));
}

// [from, to] in times of the data; ~ for an open end.
static bool read_window(ProblemReader *r, ExperimentReader *e, const Yaml *n) {
  const double *time = e->table->column[e->time];
  double from = time[e->first], to = time[e->last - 1];
  if (n->kind != YAML_LIST || n->items.count != 2)
    return reader_fail(r, n, ERR_VALUE, "the window %.100s must be two times, such as [0, 5]",
                       n->key);
  const Yaml *start = n->items.at[0], *end = n->items.at[1];
  if (!read_end(r, e, start, "start", n->key, &from) || !read_end(r, e, end, "end", n->key, &to))
    return false;
  bool open = yaml_is_null(start) || yaml_is_null(end);
  if (from > to && !open)
    return reader_fail(r, n, ERR_VALUE, "the window %.100s must not end before its start", n->key);
  NamedWindow w = {n->key, from - e->origin, to - e->origin};
  if (from > to || !has_samples(e, &w)) // another window of the file may have some
    return e->label || fail_window(r, e, n, from, to);
  array_push(r->arena, &e->windows, w);
  return true;
}

bool read_windows(ProblemReader *r, ExperimentReader *e) {
  const Yaml *n = yaml_find(e->node, "windows");
  if (!reader_map(r, n, "'windows'")) return false;
  for (int i = 0; i < (n ? n->items.count : 0); i++)
    if (!yaml_is_absent(n->items.at[i]) && !read_window(r, e, n->items.at[i])) return false;
  return true;
}
