// Reads 'windows' of an experiment: named spans of time whose errors are reported.
#include "base/c_locale.h"
#include "problem/reader.h"

static bool read_end(ProblemReader *r, const Yaml *n, const char *what, const char *name,
                     double *value) {
  char text[160];
  c_snprintf(text, sizeof text, "the %s of the window %.100s", what, name);
  return yaml_is_null(n) || reader_number(r, n, text, false, value);
}

static bool has_samples(const ExperimentReader *e, const NamedWindow *w) {
  for (int i = 0; i < e->last - e->first; i++)
    if (window_contains(w, e->since[i])) return true;
  return false;
}

// [from, to] in times of the data; ~ for an open end.
static bool read_window(ProblemReader *r, ExperimentReader *e, const Yaml *n) {
  const double *time = e->table->column[e->time];
  double from = time[e->first], to = time[e->last - 1], first = from, last = to;
  if (n->kind != YAML_LIST || n->items.count != 2)
    return reader_fail(r, n, ERR_VALUE, "the window %.100s must be two times, such as [0, 5]",
                       n->key);
  if (!read_end(r, n->items.at[0], "start", n->key, &from) ||
      !read_end(r, n->items.at[1], "end", n->key, &to))
    return false;
  if (from > to)
    return reader_fail(r, n, ERR_VALUE, "the window %.100s must not end before its start", n->key);
  NamedWindow w = {n->key, from - e->origin, to - e->origin};
  if (!has_samples(e, &w))
    return reader_fail(r, n, ERR_DATA,
                       "the window %.100s from %.15g to %.15g contains no samples; those of this "
                       "experiment are from %.15g to %.15g",
                       n->key, from, to, first, last);
  array_push(r->arena, &e->windows, w);
  return true;
}

bool read_windows(ProblemReader *r, ExperimentReader *e) {
  const Yaml *n = yaml_find(e->node, "windows");
  if (!reader_map(r, n, "'windows'")) return false;
  for (int i = 0; i < (n ? n->items.count : 0); i++)
    if (!read_window(r, e, n->items.at[i])) return false;
  return true;
}
