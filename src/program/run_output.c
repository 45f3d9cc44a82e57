#include "program/run_output.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/c_locale.h"
#include "base/csv.h"
#include "base/memory.h"
#include "base/text.h"
#include "program/template.h"

static const long long FILE_MOST = 1LL << 30; // bytes

typedef struct OutputReader {
  Arena *arena;
  const RunOutput *output;
  const SimulatorCall *call;
  SimulatorAnswer *answer;
  const Table *table;
  const double *time;
} OutputReader;

#define BAD(r, ...) answer_end((r)->answer, OUTCOME_BAD_OUTPUT, begin_of((r)->call), __VA_ARGS__)

static double begin_of(const SimulatorCall *call) {
  return call->origin + call->start;
}

// ---- the file

static const char *kind_of(mode_t mode) {
  return S_ISDIR(mode)    ? "a folder"
         : S_ISFIFO(mode) ? "a pipe"
         : S_ISSOCK(mode) ? "a socket"
         : S_ISLNK(mode)  ? "a link"
                          : "a device";
}

static bool is_allowed(const OutputReader *r, const RunFolder *f, const char *path) {
  const char *folder = path_of_fd(r->arena, f->fd);
  if (folder && is_below(path, folder)) return true;
  for (int i = 0; i < r->output->allowed_count; i++)
    if (is_below(path, r->output->allowed[i])) return true;
  return false;
}

// Looks where the name leads and what is there before it opens the file itself: pipes and devices would block or act.
static bool check_place(OutputReader *r, const RunFolder *f, int place, long long *size) {
  const char *name = r->output->file, *path = path_of_fd(r->arena, place);
  struct stat s;
  if (!path || fstat(place, &s) != 0) return BAD(r, "cannot read the output file '%.100s'", name);
  if (!is_allowed(r, f, path))
    return BAD(r,
               "the output file '%.100s' is a link that leads out of the run folder, to '%.200s'",
               name, path);
  if (!S_ISREG(s.st_mode))
    return BAD(r, "the output file '%.100s' is %s", name, kind_of(s.st_mode));
  if (s.st_size > FILE_MOST)
    return BAD(r, "the output file '%.100s' has %lld bytes; %lld are allowed", name,
               (long long)s.st_size, FILE_MOST);
  *size = s.st_size;
  return true;
}

static bool read_bytes(int fd, char *bytes, size_t *length) {
  size_t most = *length;
  for (*length = 0; *length < most;) {
    ssize_t got = read(fd, bytes + *length, most - *length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    *length += (size_t)got;
  }
  return true;
}

// Heap; NULL: the outcome says why.
static char *read_place(OutputReader *r, int place, size_t *length) {
  char link[40];
  c_snprintf(link, sizeof link, "/proc/self/fd/%d", place);
  int fd = open(link, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  char *text = must_have(malloc(*length + 1));
  bool done = fd >= 0 && read_bytes(fd, text, length);
  if (!done) {
    BAD(r, "cannot read the output file '%.100s': %s", r->output->file, strerror(errno));
    free(text);
  }
  if (fd >= 0) close(fd);
  return done ? text : NULL;
}

bool run_output_read(Arena *a, const RunFolder *f, const RunOutput *o, const SimulatorCall *call,
                     SimulatorAnswer *answer) {
  OutputReader r = {.arena = a, .output = o, .call = call, .answer = answer};
  int place = openat(f->fd, o->file, O_PATH | O_CLOEXEC);
  if (place < 0 && errno == ENOENT) return BAD(&r, "there is no output file '%.100s'", o->file);
  if (place < 0)
    return BAD(&r, "cannot read the output file '%.100s': %s", o->file, strerror(errno));
  long long size = 0;
  char *text = NULL;
  size_t length = 0;
  if (check_place(&r, f, place, &size)) {
    length = (size_t)size;
    text = read_place(&r, place, &length);
  }
  close(place);
  bool done = text && run_output_parse(a, o, text, length, call, answer);
  free(text);
  return done;
}

// ---- the table

static bool bad_table(OutputReader *r, const Err *err) {
  if (err->line) return BAD(r, "%s:%d:%d: %s", err->file, err->line, err->column, err->text);
  return BAD(r, "%s: %s", r->output->file, err->text);
}

// The columns that are there, and the nearest.
static bool no_column(OutputReader *r, const char *name) {
  const Table *t = r->table;
  const char *nearest = nearest_name(name, t->names, t->columns);
  Text list;
  text_init(&list);
  for (int c = 0; c < t->columns && c < 8; c++)
    text_print(&list, "%s'%.40s'", c ? ", " : "", t->names[c]);
  if (t->columns > 8) text_add(&list, ", ...");
  BAD(r, "%.100s has no column '%.100s'%s%.100s%s; its columns are %s", r->output->file, name,
      nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "", list.at);
  text_done(&list);
  return false;
}

static bool check_times(OutputReader *r) {
  const Table *t = r->table;
  int column = r->output->time ? table_find(t, r->output->time) : 0;
  if (column < 0) return no_column(r, r->output->time);
  if (table_fault(t, column)) return bad_table(r, table_fault(t, column));
  if (t->rows == 0) return BAD(r, "%.100s has no rows of numbers", r->output->file);
  r->time = t->column[column];
  for (int i = 0; i < t->rows; i++) {
    if (isnan(r->time[i]))
      return BAD(r, "%.100s:%d: the time is missing (column '%.100s')", r->output->file, t->line[i],
                 t->names[column]);
    if (i == 0 || r->time[i] >= r->time[i - 1]) continue;
    char now[32], before[32];
    number_format(r->time[i], now), number_format(r->time[i - 1], before);
    return BAD(r, "%.100s:%d: times must not decrease, but %s follows %s (column '%.100s')",
               r->output->file, t->line[i], now, before, t->names[column]);
  }
  return true;
}

// Times are printed with few digits, and fixed steps add up with rounding: so much may be missing at either end.
static double slack(const SimulatorCall *call) {
  double stop = call_stop(call);
  return 1e-9 * fabs(call->origin + stop) + 1e-6 * (stop - call->start);
}

static bool too_short(OutputReader *r, bool at_end) {
  const SimulatorCall *call = r->call;
  double last = r->time[r->table->rows - 1];
  char is[32], wanted[32];
  number_format(at_end ? last : r->time[0], is);
  number_format(call->origin + (at_end ? call_stop(call) : call->times[0]), wanted);
  return answer_end(r->answer, OUTCOME_TOO_SHORT, at_end ? last : begin_of(call),
                    at_end ? "%.100s ends at %s, before the last sample at %s"
                           : "%.100s begins at %s, after the first sample at %s",
                    r->output->file, is, wanted);
}

// ---- values

static bool no_value(OutputReader *r, int column, int row) {
  char t[32];
  number_format(r->time[row], t);
  return BAD(r, "%.100s:%d: column '%.100s' has no finite value at time %s", r->output->file,
             r->table->line[row], r->table->names[column], t);
}

// The last row at or before t, from `row` on; the first row if t is before it. A time that differs by rounding alone is the
// same: of an event the row behind it counts.
static int row_before(const OutputReader *r, double t, int row) {
  double same = t + 1e-14 * fabs(t);
  while (row + 1 < r->table->rows && r->time[row + 1] <= same) row++;
  return row;
}

static bool interpolate(OutputReader *r, int column, int row, double t, double *value) {
  const double *v = r->table->column[column], *time = r->time;
  if (!isfinite(v[row])) return no_value(r, column, row);
  *value = v[row];
  if (t <= time[row] || row + 1 == r->table->rows) return true;
  if (!isfinite(v[row + 1])) return no_value(r, column, row + 1);
  *value += (v[row + 1] - v[row]) * ((t - time[row]) / (time[row + 1] - time[row]));
  return true;
}

static bool fill_row(OutputReader *r, const int *columns, int k, int row, double t) {
  int count = r->call->variable_count;
  for (int i = 0; i < count; i++) {
    double *value = &r->answer->values[(size_t)k * (size_t)count + (size_t)i];
    if (!interpolate(r, columns[i], row, t, value)) return false;
  }
  return true;
}

static bool fill(OutputReader *r, const int *columns) {
  const SimulatorCall *call = r->call;
  double rounding = slack(call), last = r->time[r->table->rows - 1];
  if (call->count && r->time[0] > call->origin + call->times[0] + rounding)
    return too_short(r, false);
  for (int k = 0, row = 0; k < call->count; k++) {
    double t = call->origin + call->times[k];
    if (t > last + rounding) return too_short(r, true);
    row = row_before(r, t, row);
    if (!fill_row(r, columns, k, row, t)) {
      r->answer->rows = 0;
      return false;
    }
    r->answer->rows = k + 1;
  }
  return true;
}

bool run_output_parse(Arena *a, const RunOutput *o, const char *text, size_t length,
                      const SimulatorCall *call, SimulatorAnswer *answer) {
  OutputReader r = {.arena = a, .output = o, .call = call, .answer = answer};
  Err err = {0};
  answer->rows = 0;
  r.table = table_parse(a, o->file, text, length, &err);
  if (!r.table) return bad_table(&r, &err);
  if (!check_times(&r)) return false;
  int *columns = ARENA_ARRAY(a, int, call->variable_count + 1);
  for (int i = 0; i < call->variable_count; i++) {
    const char *name = o->variables[call->variables[i]];
    columns[i] = table_find(r.table, name);
    if (columns[i] < 0) return no_column(&r, name);
    const Err *fault = table_fault(r.table, columns[i]);
    if (fault) return bad_table(&r, fault);
  }
  if (!fill(&r, columns)) return false;
  answer->outcome = OUTCOME_REACHED_END;
  answer->t_end = call->origin + call_stop(call);
  return true;
}
