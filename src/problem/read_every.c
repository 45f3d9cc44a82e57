#include "problem/read_every.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num/noise.h"

static const double GAP = 1.5, UNEVEN = 0.1; // parts of the median interval

static bool read_count(ProblemReader *r, const Yaml *n, int *m) {
  double number;
  if (!reader_number(r, n, "'every'", false, &number)) return false;
  *m = (int)fmin(fmax(number, 0), 1e6);
  return (*m >= 1 && *m == number) ||
         reader_fail(r, n, ERR_VALUE, "'every' is a whole number of samples from 1 to 1000000");
}

static bool read_spec(ProblemReader *r, const Yaml *n, int *m, DecimationFilter *filter) {
  static const char *const KEYS[] = {"samples", "filter"};
  const char *word;
  if (n->kind == YAML_TEXT) return read_count(r, n, m);
  if (!reader_keys(r, n, "'every'", KEYS, 2)) return false;
  const Yaml *samples = yaml_find(n, "samples"), *name = yaml_find(n, "filter");
  if (yaml_is_null(samples))
    return reader_fail(r, n, ERR_VALUE, "'every' needs a number of samples: {samples: 10}");
  if (!read_count(r, samples, m)) return false;
  if (yaml_is_null(name)) return true;
  if (!reader_text(r, name, "'filter'", &word)) return false;
  for (int i = 0; i < DECIMATION_COUNT; i++)
    if (strcmp(word, DECIMATION_WORDS[i]) == 0) {
      *filter = (DecimationFilter)i;
      return true;
    }
  return reader_unknown(r, name->at, "filter", word, DECIMATION_WORDS, DECIMATION_COUNT);
}

// ---------------------------------------------------------------- times

// Times may go back around the rows, where another run begins.
static RecordRows find_gaps(ProblemReader *r, const ExperimentReader *e, const Decimation *d,
                            const double *t, int rows, double interval) {
  int reach = decimation_reach(d), before = e->rows_before + e->first;
  int after = e->rows_after + e->table->rows - e->last;
  RecordRows out = {before < reach ? before : reach, rows, after < reach ? after : reach, NULL};
  bool *gap = ARENA_ARRAY(r->scratch, bool, out.before + rows + out.after + 1) + out.before;
  int uneven = 0;
  for (int i = 1 - out.before; i < rows + out.after; i++) {
    double step = t[i] - t[i - 1];
    gap[i] = !(step > 0 && step <= GAP * interval);
    if (i < 1 || i >= rows) continue;
    uneven += !gap[i] && fabs(step - interval) > UNEVEN * interval;
  }
  if (d->filter != DECIMATE_NONE && uneven > rows / 100)
    reader_warn(r, yaml_find(e->node, "every")->key_at,
                "%d of %d intervals between samples differ from their median by more than 10 %%; "
                "the filter takes them as equal",
                uneven, rows - 1);
  out.gap = gap;
  return out;
}

// ---------------------------------------------------------------- what a mean changes

static const double CHANGES = 0.01; // of the standard deviation of the data
static const double BEYOND = 2;     // deviations of the noise of a sum over all samples

typedef struct BlockBends { // second differences of neighbours, beside their values
  double squares, sum, square;
  int count;
} BlockBends;

static BlockBends bends_of(const double *t, const double *y, int count, double step) {
  BlockBends c = {0};
  double first = 0; // others count from it, far from 0 as they may be
  for (int i = 1; i + 1 < count; i++) {
    double bend = y[i + 1] - 2 * y[i] + y[i - 1];
    if (isnan(bend) || fabs(t[i + 1] - t[i - 1] - 2 * step) > UNEVEN * step) continue;
    if (!c.count++) first = y[i];
    c.squares += bend * bend, c.sum += y[i] - first, c.square += (y[i] - first) * (y[i] - first);
  }
  return c;
}

// A mean over a block differs from its middle by 1/24 of the second difference of blocks, which also has noise.
static void warn_mean(ProblemReader *r, const ExperimentReader *e, const char *name,
                      const double *t, const double *y, int count, double step, double noise) {
  BlockBends c = bends_of(t, y, count, step);
  if (c.count < 2 || !isfinite(noise)) return;
  double mean = c.sum / c.count, deviation = sqrt(fmax(c.square / c.count - mean * mean, 0));
  double change = sqrt(fmax(c.squares / c.count - 6 * noise * noise, 0)) / 24;
  if (change > CHANGES * deviation && change * sqrt(c.count) > BEYOND * noise)
    reader_warn(r, yaml_find(e->node, "every")->key_at,
                "the mean of %d samples changes column '%.80s' by about %.2g %% of its standard "
                "deviation, and not the model: it moves fast, or its noise is coloured; keep more "
                "samples, or choose filter: fir",
                e->every.m, name, 100 * change / deviation);
}

static double noise_of(ProblemReader *r, const double *t, const double *y, int rows) {
  double *there = ARENA_ARRAY(r->scratch, double, rows + 1);
  double *at = ARENA_ARRAY(r->scratch, double, rows + 1);
  int n = 0;
  for (int i = 0; i < rows; i++)
    if (!isnan(y[i])) at[n] = t[i] - t[0], there[n++] = y[i];
  return noise_deviation(at, there, n);
}

// ---------------------------------------------------------------- the table

static bool names_column(const Yaml *n, const char *column) {
  const Yaml *c = n->kind == YAML_MAP ? yaml_find(n, "column") : n;
  const char *name = yaml_is_null(c) || c->kind != YAML_TEXT ? n->key : c->text;
  return name && strcmp(name, column) == 0;
}

static bool is_measured(const ExperimentReader *e, const char *column) {
  const Yaml *n = yaml_find(e->node, "measure");
  for (int i = 0; i < (n && n->kind != YAML_TEXT ? n->items.count : 0); i++)
    if (names_column(n->items.at[i], column)) return true;
  return false;
}

// Which rows stay: those of which something that is measured has a result, where the filter can lack a part of its reach.
static int find_kept(const ExperimentReader *e, const bool *measured, double *const *column,
                     int count, int *kept) {
  int n = 0;
  for (int i = 0; i < count; i++) {
    bool any = !decimation_reach(&e->every);
    for (int c = 0; c < e->table->columns && !any; c++) any = measured[c] && !isnan(column[c][i]);
    if (any) kept[n++] = i;
  }
  return n;
}

static bool check_left(ProblemReader *r, const ExperimentReader *e, int count, int left) {
  const Yaml *n = yaml_find(e->node, "every");
  const char *file = e->table->file, *part = e->label ? "a window of " : "";
  const char *word = DECIMATION_WORDS[e->every.filter];
  int reach = decimation_reach(&e->every), out = count - left;
  if (!left)
    return reader_fail(r, n, ERR_DATA,
                       "the filter %s needs %d samples before and behind each one that it keeps, "
                       "without gap or missing value: %s%.200s has none such; choose {samples: %d, "
                       "filter: mean} or filter: none, or keep more of them",
                       word, reach, part, file, e->every.m);
  if (out > left)
    reader_warn(r, n->key_at,
                "%d of %d samples of %s%.200s are left out: the filter %s needs %d samples before "
                "and behind each one that it keeps, without gap or missing value; {samples: %d, "
                "filter: mean} leaves out none",
                out, count, part, file, word, reach, e->every.m);
  return true;
}

static bool take_samples(ProblemReader *r, ExperimentReader *e) {
  const Decimation *d = &e->every;
  const Table *t = e->table;
  int rows = e->last - e->first, count = decimated_count(d, rows), width = t->columns + 1;
  const double *time = t->column[e->time] + e->first;
  double interval = usual_interval(r, time, NULL, rows);
  RecordRows record = find_gaps(r, e, d, time, rows, interval);
  Table *out = ARENA_NEW(r->arena, Table);
  const double **column = ARENA_ARRAY(r->arena, const double *, width);
  int *line = ARENA_ARRAY(r->arena, int, count + 1), *kept = ARENA_ARRAY(r->scratch, int, count);
  bool *measured = ARENA_ARRAY(r->scratch, bool, width);
  double **results = ARENA_ARRAY(r->scratch, double *, width);
  for (int c = 0; c < t->columns || c == e->time; c++) {
    double *values = results[c] = ARENA_ARRAY(r->arena, double, count + 1);
    const double *from = t->column[c] + e->first;
    if (c == e->time)
      decimate_times(d, from, rows, values);
    else if ((measured[c] = is_measured(e, t->names[c])))
      decimate(d, from, &record, values);
    else
      for (int i = 0; i < count; i++) values[i] = from[decimated_row(d, i)];
    column[c] = values;
  }
  for (int c = 0; c < t->columns && d->filter == DECIMATE_MEAN; c++)
    if (measured[c])
      warn_mean(r, e, t->names[c], results[e->time], results[c], count, d->m * interval,
                d->noise * noise_of(r, time, t->column[c] + e->first, rows));
  int left = find_kept(e, measured, results, count, kept);
  if (!check_left(r, e, count, left)) return false;
  for (int i = 0; i < left; i++) {
    for (int c = 0; c < t->columns || c == e->time; c++) results[c][i] = results[c][kept[i]];
    line[i] = t->line[e->first + decimated_row(d, kept[i])];
  }
  *out = *t;
  out->column = column, out->line = line, out->rows = left, out->origin = NULL;
  e->full = t, e->full_last = e->last, e->left_out = count - left;
  e->cutoff = decimation_cutoff(d, interval);
  e->table = out, e->first = 0, e->last = left;
  return true;
}

bool read_every(ProblemReader *r, ExperimentReader *e) {
  const Yaml *n = yaml_find(e->node, "every");
  int m = 1, rows = e->last - e->first;
  DecimationFilter filter = DECIMATE_FIR;
  e->every.m = 1, e->every.noise = 1;
  if (yaml_is_null(n)) return true;
  if (!read_spec(r, n, &m, &filter)) return false;
  if (e->without_times)
    return reader_fail_key(r, n, ERR_VALUE, "'every' needs samples in the order of their times");
  if (m == 1) return true;
  if (m > rows)
    return reader_fail(r, n, ERR_DATA, "'every' is %d, but %s%.200s has %d sample%s", m,
                       e->label ? "a window of " : "", e->table->file, rows, rows == 1 ? "" : "s");
  e->every = decimation_new(r->arena, m, filter);
  return take_samples(r, e);
}
