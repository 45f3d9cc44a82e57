// Reads the data of an experiment: 'data' and 'time'.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mat_file.h"
#include "problem/conversion.h"
#include "problem/epoch_times.h"
#include "problem/problem_source.h"
#include "problem/reader.h"
#include "simulate/origin.h"

static const char ROW_NUMBER[] = "row"; // as 'time': the rows have no times

// A time as the user knows it, where its cell is not at hand: as a date where the file has dates.
static void print_time(const ExperimentReader *e, double time, char out[TIMESTAMP_TEXT]) {
  double whole = floor(time);
  Timestamp t = e->first_time;
  if (!e->has_first_time || e->epoch_unit) {
    number_format(time, out);
    return;
  }
  int64_t ns = t.nanoseconds + (int64_t)round((time - whole) * 1e9);
  t.seconds += (int64_t)whole + ns / 1000000000;
  t.nanoseconds = (int)(ns % 1000000000);
  timestamp_format(&t, out);
}

static bool check_row(ProblemReader *r, const ExperimentReader *e, int row) {
  const Table *t = e->table;
  Place at = {t->file, t->line[row], 1};
  double now = t->column[e->time][row], before = row ? t->column[e->time][row - 1] : -HUGE_VAL;
  const TimesTooClose too_close = times_too_close(now, before);
  const char *close = too_close.at, *more = "";
  if (isnan(now))
    return reader_fail_place(r, at, ERR_DATA, "row %d: the time in column '%.80s' is missing",
                             row + 1, t->names[e->time]);
  if (now > before) return true;
  char of_now[TIMESTAMP_TEXT], of_before[TIMESTAMP_TEXT];
  print_time(e, now, of_now), print_time(e, before, of_before);
  const char *a = table_cell(r->scratch, t, row, e->time), *b = "";
  if (*a) b = table_cell(r->scratch, t, row - 1, e->time);
  if (!*b) a = of_now, b = of_before;
  if (e->time == t->columns && !e->without_times)
    return reader_fail_place(r, at, ERR_DATA,
                             "row %d: its time by 'period' and 'start' must increase, but %s "
                             "follows %s%s",
                             row + 1, a, b, close);
  if (e->has_first_time && !e->epoch_unit && !e->first_time.zoned && now < before)
    more = "; times without a zone go back where summer time ends: write them with one (Z, +01:00)";
  if (now == before && strstr(b, ":60")) more = "; a leap second is the second that follows it";
  if (close[0] && t->origin && t->origin[e->time].since)
    more = ", or count them from the first as time: {epoch: true} does";
  return reader_fail_place(r, at, ERR_DATA,
                           "row %d: time in column '%.80s' must increase, but %s follows %s%s%s",
                           row + 1, t->names[e->time], a, b, close, more);
}

bool check_times(ProblemReader *r, const ExperimentReader *e) {
  const Table *t = e->table;
  const double *time = t->column[e->time];
  for (int i = 0; i < t->rows; i++) {
    bool fine = i ? time[i] > time[i - 1] : !isnan(time[i]); // NaN fails
    if (!fine) return check_row(r, e, i);
  }
  if (t->rows) return true;
  return reader_fail_place(r, (Place){.file = t->file}, ERR_DATA, "there are no rows of numbers");
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double usual_interval(ProblemReader *r, const double *time, const double *y, int rows) {
  double *d = ARENA_ARRAY(r->scratch, double, rows + 1);
  int count = 0, before = -1;
  for (int i = 0; i < rows; i++) {
    if (y && isnan(y[i])) continue;
    if (before >= 0) d[count++] = time[i] - time[before];
    before = i;
  }
  if (!count) return y ? usual_interval(r, time, NULL, rows) : 0;
  qsort(d, (size_t)count, sizeof *d, by_size);
  return d[count / 2];
}

const Table *reader_table(const ProblemReader *r, const char *name) {
  for (int i = 0; i < r->given->table_count; i++)
    if (strcmp(r->given->tables[i]->file, name) == 0) return r->given->tables[i];
  return NULL;
}

// The column that 'time' names, NULL: none. The table of a MAT file has its length.
static const char *named_time(const ExperimentReader *e) {
  const Yaml *n = yaml_find(e->node, "time");
  if (n && n->kind == YAML_MAP) n = yaml_find(n, "column");
  bool named = !yaml_is_null(n) && n->kind == YAML_TEXT && strcmp(n->text, ROW_NUMBER) != 0;
  return named ? n->text : NULL;
}

// Whether the row makes the time, so that blank rows count: {period: 0.01}, or row unless the file has a column of this name.
static bool counts_rows(const ExperimentReader *e) {
  const Yaml *n = yaml_find(e->node, "time");
  if (yaml_is_null(n)) return false;
  return n->kind == YAML_MAP ? !yaml_is_null(yaml_find(n, "period"))
                             : n->kind == YAML_TEXT && strcmp(n->text, ROW_NUMBER) == 0;
}

static Table *load_text(Arena *a, const char *path, bool by_row, Err *err) {
  Table *t = by_row ? table_load_rows(a, path, err) : table_load(a, path, err);
  return t && by_row && table_find(t, ROW_NUMBER) >= 0 ? table_load(a, path, err) : t;
}

// Reads a file once, even if several experiments use it.
static const Table *load(ProblemReader *r, const ExperimentReader *e, const Yaml *n) {
  const char *path = e->path, *time = named_time(e);
  bool is_mat = mat_file_is(path), by_row = counts_rows(e);
  const Table *given = reader_table(r, path);
  if (given) return given;
  Err own = {0};
  for (int i = 0; i < r->files.count; i++)
    if (strcmp(r->files.at[i].path, path) == 0 &&
        (is_mat ? strcmp(r->files.at[i].time, time ? time : "") == 0
                : r->files.at[i].by_row == by_row))
      return r->files.at[i].table;
  if (file_kind(path) == FILE_ABSENT) {
    reader_fail_no_data(r, n, n->text);
    return NULL;
  }
  Table *t =
      is_mat ? mat_file_load(r->arena, path, time, &own) : load_text(r->arena, path, by_row, &own);
  if (t)
    array_push(r->scratch, &r->files, ((DataFile){path, time ? time : "", by_row, t}));
  else if (own.file[0] && r->err->code == ERR_NONE)
    *r->err = own;
  else
    reader_fail(r, n, own.code, "%s", own.text);
  return t;
}

// The table with an additional last column 1, 2, 3 ..., which has no name.
static const Table *number_rows(ProblemReader *r, const Table *t) {
  Table *out = ARENA_NEW(r->arena, Table);
  int last = t->columns;
  const char **names = ARENA_ARRAY(r->arena, const char *, last + 1);
  const char **units = t->units ? ARENA_ARRAY(r->arena, const char *, last + 1) : NULL;
  const double **column = ARENA_ARRAY(r->arena, const double *, last + 1);
  double *number = ARENA_ARRAY(r->arena, double, t->rows + 1);
  for (int i = 0; i < last; i++) {
    names[i] = t->names[i];
    if (units) units[i] = t->units[i];
    column[i] = t->column[i];
  }
  for (int i = 0; i < t->rows; i++) number[i] = i + 1;
  names[last] = ROW_NUMBER;
  if (units) units[last] = "";
  column[last] = number;
  *out = *t;
  out->names = names, out->units = units, out->column = column, out->has_row_times = true;
  return out;
}

void set_times(ProblemReader *r, ExperimentReader *e, const double *times) {
  const Table *t = e->table;
  Table *out = ARENA_NEW(r->arena, Table);
  const double **column = ARENA_ARRAY(r->arena, const double *, t->columns + 1);
  const char **units = t->units ? ARENA_ARRAY(r->arena, const char *, t->columns + 1) : NULL;
  for (int i = 0; i < t->columns || i == e->time; i++) {
    column[i] = i == e->time ? times : t->column[i];
    if (units) units[i] = i == e->time ? "s" : t->units[i];
  }
  *out = *t;
  out->column = column, out->units = units;
  e->table = out;
}

// Times of day count from the first of the file.
static void shift_stamps(ProblemReader *r, ExperimentReader *e) {
  const Table *t = e->table;
  if (e->time >= t->columns || !t->origin || !t->origin[e->time].is_stamp) return;
  const ColumnOrigin *o = &t->origin[e->time];
  double *times = ARENA_ARRAY(r->arena, double, t->rows + 1);
  for (int i = 0; i < t->rows; i++)
    times[i] = isnan(t->column[e->time][i]) ? t->column[e->time][i] : o->since[i];
  e->has_first_time = true, e->first_time = o->stamp;
  set_times(r, e, times);
}

// time: {column: t, unit: ms, epoch: true}
static bool convert_times(ProblemReader *r, ExperimentReader *e, const Yaml *map, const Yaml *n,
                          EpochChoice choice) {
  const char *unit;
  Conversion c = {1, 0}, of_file;
  bool shifted;
  if (yaml_is_null(n)) return choice == EPOCH_NO || shift_epoch(r, e, NULL, choice, map, &shifted);
  if (!reader_text(r, n, "'unit'", &unit)) return false;
  ConversionKind kind = conversion_find(unit, "s", &c);
  if (kind != CONVERSION_FOUND && kind != CONVERSION_NONE)
    return reader_fail(r, n, ERR_VALUE, "'%.40s' is not a unit of time, such as s, ms, min or h",
                       unit);
  const Table *t = e->table;
  if (t->origin && t->origin[e->time].is_stamp)
    return reader_fail(r, n, ERR_VALUE, "the times in column '%.80s' are times of day: no unit",
                       t->names[e->time]);
  if (t->units && conversion_find(t->units[e->time], unit, &of_file) == CONVERSION_FOUND)
    reader_warn(r, n->at, "column '%.80s' is in %.40s, but 'unit' says %.40s", t->names[e->time],
                t->units[e->time], unit);
  if (!shift_epoch(r, e, unit, choice, n, &shifted)) return false;
  if (shifted) return true;
  double *times = ARENA_ARRAY(r->arena, double, t->rows + 1), parts = round(1 / c.gain);
  bool divides = fabs(parts * c.gain - 1) < 1e-12; // 7 ms is 7/1000 s, with one rounding
  for (int i = 0; i < t->rows; i++)
    times[i] = divides ? t->column[e->time][i] / parts : t->column[e->time][i] * c.gain;
  if (c.gain != 1) e->column_unit = unit;
  set_times(r, e, times);
  return true;
}

static void warn_skipped_lines(ProblemReader *r, const Table *t) {
  int count = t->skipped_lines;
  const char separator[] = {t->separator, 0};
  if (count)
    reader_warn(r, (Place){t->file, t->first_skipped, 1},
                "%s skipped: with 'period' the next row follows one period after the last; if "
                "samples are missing there, write rows of %s",
                count == 1 ? "an empty line is"
                           : arena_print(r->scratch,
                                         "%d empty lines, of which this is the first, "
                                         "are",
                                         count),
                t->separator == ' '
                    ? "nan for each column"
                    : arena_print(r->scratch, "empty cells, such as '%s'", separator));
}

// time: {period: 0.004, start: 0}
static bool make_times(ProblemReader *r, ExperimentReader *e, const Yaml *n) {
  double period, start = 0;
  const Yaml *from = yaml_find(n, "start");
  if (!reader_number(r, yaml_find(n, "period"), "'period'", false, &period)) return false;
  if (!(period > 0))
    return reader_fail(r, yaml_find(n, "period"), ERR_VALUE, "'period' must be above 0");
  if (!yaml_is_null(from) && !reader_number(r, from, "'start'", false, &start)) return false;
  double *times = ARENA_ARRAY(r->arena, double, e->table->rows + 1);
  for (int i = 0; i < e->table->rows; i++) times[i] = start + i * period;
  warn_skipped_lines(r, e->table);
  e->time = e->table->columns;
  e->table = number_rows(r, e->table);
  set_times(r, e, times);
  return true;
}

static bool read_time_mapping(ProblemReader *r, ExperimentReader *e, const Yaml *n) {
  static const char *const KEYS[] = {"column", "unit", "period", "start", "epoch"};
  const Yaml *column = yaml_find(n, "column"), *period = yaml_find(n, "period");
  const char *text;
  if (!reader_keys(r, n, "'time'", KEYS, 5)) return false;
  const Yaml *other = yaml_is_null(column) ? yaml_find(n, "unit") : column;
  const Yaml *epoch = yaml_find(n, "epoch");
  bool flag = false;
  if (yaml_is_null(other)) other = epoch;
  if (!yaml_is_null(epoch) && !reader_flag(r, epoch, "'epoch'", &flag)) return false;
  if (!yaml_is_null(period) && !yaml_is_null(other))
    return reader_fail_key(r, other, ERR_VALUE,
                           "'period' (in s) makes the times: a column, a unit or an epoch has no "
                           "meaning");
  if (!yaml_is_null(period)) return make_times(r, e, n);
  if (!yaml_is_null(yaml_find(n, "start")))
    return reader_fail_key(r, yaml_find(n, "start"), ERR_VALUE,
                           "'start' of 'time' needs a 'period', such as {period: 0.01, start: 0}");
  if (!yaml_is_null(column)) {
    if (!reader_text(r, column, "'column'", &text)) return false;
    e->time = reader_column(r, e->table, column->at, text);
  }
  if (e->time < 0) return false;
  if (flag && e->table->origin && e->table->origin[e->time].is_stamp)
    return reader_fail_key(r, epoch, ERR_VALUE,
                           "the times in column '%.80s' are times of day, not numbers since 1970",
                           e->table->names[e->time]);
  EpochChoice choice = yaml_is_null(epoch) ? EPOCH_BY_SIZE : flag ? EPOCH_YES : EPOCH_NO;
  return convert_times(r, e, n, yaml_find(n, "unit"), choice);
}

// The named column, the row numbers, or a mapping.
static bool find_time(ProblemReader *r, ExperimentReader *e, const Yaml *time) {
  const char *text;
  if (time->kind == YAML_MAP) return read_time_mapping(r, e, time);
  if (!reader_text(r, time, "'time'", &text)) return false;
  if (strcmp(text, ROW_NUMBER) == 0 && table_find(e->table, text) < 0) {
    e->time = e->table->columns;
    e->without_times = true;
    e->table = number_rows(r, e->table);
    return true;
  }
  e->time = reader_column(r, e->table, time->at, text);
  bool shifted;
  return e->time >= 0 && shift_epoch(r, e, NULL, EPOCH_BY_SIZE, time, &shifted);
}

const char *reader_time_unit(ProblemReader *r, const ExperimentReader *e) {
  if (e->has_first_time) return " s after the first time of the file";
  if (!e->column_unit) return "";
  return arena_print(r->scratch, " s (the %.40s of column '%.80s' become s)", e->column_unit,
                     e->table->names[e->time]);
}

bool reader_time(ProblemReader *r, const ExperimentReader *e, const Yaml *n, const char *what,
                 bool infinite, double *out) {
  Timestamp t;
  const char *end = n->kind == YAML_TEXT ? n->text + strlen(n->text) : NULL;
  if (end && e->has_first_time && !timestamp_parse(n->text, end, &t) &&
      timestamp_hint(n->text, end)[0])
    return reader_fail(r, n, ERR_VALUE, "'%.40s' is not a time of day%s", n->text,
                       timestamp_hint(n->text, end));
  if (!end || !timestamp_parse(n->text, end, &t))
    return e->epoch_unit ? epoch_time(r, e, n, what, infinite, out)
                         : reader_number(r, n, what, infinite, out);
  if (!e->has_first_time)
    return reader_fail(r, n, ERR_VALUE,
                       "'%.40s' is a time of day, but the times of %.200s are numbers", n->text,
                       e->table->file);
  if (t.zoned != e->first_time.zoned)
    return reader_fail(r, n, ERR_VALUE, "'%.40s' %s, but the times of %.200s %s", n->text,
                       t.zoned ? "has a zone" : "has no zone (Z, +01:00)", e->table->file,
                       t.zoned ? "have none" : "have one");
  *out = timestamp_since(&t, &e->first_time);
  return true;
}

bool read_table(ProblemReader *r, ExperimentReader *e) {
  const Yaml *time = yaml_find(e->node, "time");
  e->table = load(r, e, yaml_find(e->node, "data"));
  if (!e->table) return false;
  bool shifted;
  if (!yaml_is_null(time) && !find_time(r, e, time)) return false;
  if (e->time < e->table->columns && !reader_sound_column(r, e->table, e->time)) return false;
  if (e->time < e->table->columns && table_texts(e->table, e->time))
    return reader_fail(
        r, yaml_find(e->node, "data"), ERR_DATA,
        "column '%.80s', the first of %.200s, has texts and cannot be the time; name "
        "another one, time: ...",
        e->table->names[e->time], e->table->file);
  bool is_stamp =
      e->time < e->table->columns && e->table->origin && e->table->origin[e->time].is_stamp;
  if (yaml_is_null(time) && e->table->has_index && !is_stamp)
    return reader_fail(
        r, yaml_find(e->node, "data"), ERR_DATA,
        "the first column of %.200s has no name, and may be a number of rows; say which "
        "column is the time, such as time: %.80s, or time: index for the first",
        e->table->file, e->table->names[1]);
  shift_stamps(r, e);
  return !yaml_is_null(time) ||
         shift_epoch(r, e, NULL, EPOCH_BY_SIZE, yaml_find(e->node, "data"), &shifted);
}
