#include "problem/input_values.h"

#include <math.h>

static const double LONG = 1.5; // times the usual interval between values

typedef struct InputGaps { // the column of an input
  ProblemReader *r;
  const ExperimentReader *e;
  const Table *table;
  const InputColumn *input;
  const double *time, *value;
  double start, stop; // of the simulation
  double usual;       // interval between values
  double slack;       // rounding of times
  int first, last;    // rows that have a value
} InputGaps;

static Place place_of(const InputGaps *in, int row) {
  return (Place){in->table->file, in->table->line[row], 1};
}

// " s", or "" where the times of the file may be something else.
static const char *unit_of(const InputGaps *in) {
  const Table *t = in->e->table;
  bool in_s = in->e->has_first_time || in->e->column_unit || in->e->time == t->columns ||
              (t->units && strcmp(t->units[in->e->time], "s") == 0);
  return in_s && !in->e->without_times ? " s" : "";
}

static bool fail_end(const InputGaps *in, int row, double length, bool at_start) {
  return reader_fail_place(
      in->r, place_of(in, row), ERR_DATA,
      "row %d: column '%.80s' of the input %.100s has no value in the %s %.4g%s of experiment "
      "%.100s; %s where it has values ('window'%s), fill them in, or give a number, inputs: "
      "{%.100s: 0}",
      row + 1, in->table->names[in->input->column], in->input->name, at_start ? "first" : "last",
      length, unit_of(in), in->e->name, at_start ? "begin" : "end", at_start ? ", 'start'" : "",
      in->input->name);
}

static void warn_end(const InputGaps *in, int row, double length, bool at_start) {
  reader_warn(in->r, place_of(in, row),
              "row %d: column '%.80s' of the input %.100s has no value in the %s %.4g%s of "
              "experiment %.100s: its %s value holds there",
              row + 1, in->table->names[in->input->column], in->input->name,
              at_start ? "first" : "last", length, unit_of(in), in->e->name,
              at_start ? "first" : "last");
}

// The first row that is missing in the experiment.
// Where a record was cut into windows, its neighbours go on.
static bool check_beginning(const InputGaps *in) {
  double length = in->time[in->first] - in->start;
  int row = 0;
  bool cut = in->e->label && in->e->rows_before > 0;
  if (!in->first || !(length > in->slack) || cut) return true;
  while (row + 1 < in->first && in->time[row] < in->start) row++;
  if (length > LONG * in->usual && !in->e->without_times) return fail_end(in, row, length, true);
  warn_end(in, row, length, true);
  return true;
}

static bool check_end(const InputGaps *in) {
  double length = in->stop - in->time[in->last];
  bool is_long = length > LONG * in->usual, held = in->input->kind == INPUT_HOLD;
  bool cut = in->e->label && in->e->rows_after > 0;
  if (in->last == in->table->rows - 1 || !(length > in->slack) || (held && !is_long) || cut)
    return true;
  if (is_long && !held && !in->e->without_times) return fail_end(in, in->last + 1, length, false);
  warn_end(in, in->last + 1, length, false);
  return true;
}

static const char *what_fills(InputKind kind) {
  return kind == INPUT_HOLD     ? "the value before holds there"
         : kind == INPUT_LINEAR ? "a straight line takes their place"
                                : "the spline takes their place";
}

// A column with a value in each tenth row, or one that is logged by another clock, has no gaps.
static void warn_gaps(const InputGaps *in) {
  int missing = 0, first = -1;
  double longest = 0;
  for (int i = in->first + 1, before = in->first; i <= in->last; i++) {
    if (isnan(in->value[i])) continue;
    bool simulated = in->time[i] > in->start && in->time[before] < in->stop;
    double apart = in->time[i] - in->time[before];
    if (simulated && i - before > 1 && apart > LONG * in->usual) {
      if (first < 0) first = before + 1;
      missing += i - before - 1;
      longest = fmax(longest, apart);
    }
    before = i;
  }
  if (first >= 0)
    reader_warn(in->r, place_of(in, first),
                "row %d: column '%.80s' of the input %.100s has no value at %d sample%s of "
                "experiment %.100s, for up to %.4g%s: %s",
                first + 1, in->table->names[in->input->column], in->input->name, missing,
                missing == 1 ? "" : "s", in->e->name, longest, unit_of(in),
                what_fills(in->input->kind));
}

static bool check_input(ProblemReader *r, const ExperimentReader *e, const Experiment *out,
                        const InputColumn *input) {
  const Table *t = e->full ? e->full : e->table; // inputs keep all their samples
  InputGaps in = {.r = r, .e = e, .table = t, .input = input, .last = t->rows - 1};
  in.time = t->column[e->time], in.value = t->column[input->column];
  in.start = e->start, in.stop = e->origin + out->stop;
  in.slack = 1e-9 * (in.stop - in.start);
  in.usual = usual_interval(r, in.time, in.value, t->rows);
  while (in.first < in.last && isnan(in.value[in.first])) in.first++;
  while (in.last > in.first && isnan(in.value[in.last])) in.last--;
  warn_gaps(&in);
  return check_beginning(&in) && check_end(&in);
}

bool check_input_values(ProblemReader *r) {
  for (int i = 0; i < r->experiment_count; i++) {
    const ExperimentReader *e = &r->experiments[i];
    for (int k = 0; k < e->inputs.count; k++)
      if (!check_input(r, e, &r->problem->experiments[i], &e->inputs.at[k])) return false;
  }
  return true;
}
