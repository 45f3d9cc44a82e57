#include "problem/epoch_times.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "problem/conversion.h"

static const struct EpochUnit {
  const char *name;
  double parts; // of a second
} UNITS[] = {{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}};
enum { UNIT_COUNT = sizeof UNITS / sizeof *UNITS };

// Numbers between these are taken for times since 1970: the years 2000 to 2099.
static const double EARLIEST = 946684800, LATEST = 4102444800;

// ---------------------------------------------------------------- which unit

static const struct EpochUnit *unit_by_name(const char *name) {
  Conversion c = {1, 0};
  ConversionKind kind = conversion_find(name, "s", &c);
  for (int i = 0; i < UNIT_COUNT; i++)
    if ((kind == CONVERSION_FOUND && fabs(UNITS[i].parts * c.gain - 1) < 1e-12) ||
        (kind == CONVERSION_NONE && UNITS[i].parts == 1))
      return &UNITS[i];
  return NULL;
}

static bool is_recent(double t, const struct EpochUnit *u) {
  return t >= EARLIEST * u->parts && t < LATEST * u->parts;
}

static int first_time_of(const ExperimentReader *e) { // -1: all are missing
  for (int i = 0; i < e->table->rows; i++)
    if (!isnan(e->table->column[e->time][i])) return i;
  return -1;
}

static const struct EpochUnit *unit_by_size(const ExperimentReader *e, const char *unit) {
  const double *t = e->table->column[e->time];
  int first = first_time_of(e);
  if (!unit && e->table->units && e->table->units[e->time][0]) unit = e->table->units[e->time];
  for (int i = 0; i < UNIT_COUNT && first >= 0; i++) {
    bool fits = is_recent(t[first], &UNITS[i]) &&
                (isnan(t[e->table->rows - 1]) || is_recent(t[e->table->rows - 1], &UNITS[i]));
    if (fits && (!unit || unit_by_name(unit) == &UNITS[i])) return &UNITS[i];
  }
  return NULL;
}

// ---------------------------------------------------------------- models that know the time of the data

typedef struct TimeSearch {
  const unsigned char *follows;
  bool found;
} TimeSearch;

static void look_for_time(void *data, Expr *e) {
  TimeSearch *s = data;
  s->found = s->found || s->follows[*e];
}

static bool has_word_time(const char *text) {
  for (const char *p = text; p && (p = strstr(p, "time")); p += 4) {
    bool begins = p == text || !(isalnum((unsigned char)p[-1]) || strchr("_.", p[-1]));
    bool ends = !(isalnum((unsigned char)p[4]) || p[4] == '_');
    if (begins && ends) return true;
  }
  return false;
}

static bool mentions_time(const Yaml *n) {
  if (!n) return false;
  if (n->kind == YAML_TEXT) return n->text && has_word_time(n->text);
  for (int i = 0; i < n->items.count; i++)
    if ((n->items.at[i]->key && has_word_time(n->items.at[i]->key)) ||
        mentions_time(n->items.at[i]))
      return true;
  return false;
}

static bool knows_time(ProblemReader *r, const ExperimentReader *e) {
  if (r->problem->closed) return true;
  Expr symbols[] = {r->flat->time, r->flat->origin};
  TimeSearch s = {.follows = expr_dependents(r->flat->graph, r->scratch, symbols, 2)};
  flat_visit(r->flat, look_for_time, &s);
  return s.found || mentions_time(yaml_find(r->root, "weights")) ||
         mentions_time(yaml_find(e->node, "measure"));
}

// ---------------------------------------------------------------- shifted

__extension__ typedef __int128 Wide;

static Timestamp stamp_of_decimal(const ColumnOrigin *o, const struct EpochUnit *u) {
  int up = o->exponent + 9 - (int)lround(log10(u->parts)); // to ns
  Wide ns = (Wide)o->digits;
  for (; up > 0; up--) ns *= 10;
  for (; up < 0; up++) ns /= 10;
  if (o->negative) ns = -ns;
  Wide seconds = ns / 1000000000 - (ns % 1000000000 < 0);
  return (Timestamp){(int64_t)seconds, (int)(ns - seconds * 1000000000), true};
}

static Timestamp stamp_of_number(double t, const struct EpochUnit *u) {
  long double s = (long double)t / (long double)u->parts, whole = floorl(s);
  int ns = (int)lroundl((s - whole) * 1e9L);
  return (Timestamp){(int64_t)whole + (ns == 1000000000), ns % 1000000000, true};
}

static void shift(ProblemReader *r, ExperimentReader *e, const struct EpochUnit *u) {
  const Table *t = e->table;
  const double *from = t->column[e->time];
  const ColumnOrigin *o = t->origin && t->origin[e->time].since ? &t->origin[e->time] : NULL;
  double *times = ARENA_ARRAY(r->arena, double, t->rows + 1);
  e->epoch_first = from[first_time_of(e)];
  for (int i = 0; i < t->rows; i++) {
    double since = o && !isnan(from[i]) ? o->since[i] : from[i] - e->epoch_first;
    times[i] = since / u->parts;
  }
  e->has_first_time = true;
  e->first_time = o ? stamp_of_decimal(o, u) : stamp_of_number(e->epoch_first, u);
  e->epoch_unit = u->name, e->epoch_parts = u->parts, e->epoch_origin = o;
  set_times(r, e, times);
}

static void say_what_was_taken(ProblemReader *r, const ExperimentReader *e, const Yaml *n,
                               const char *column) {
  char moment[TIMESTAMP_TEXT];
  reader_warn(r, n->at,
              "the times in column '%.80s' are taken as %s since 1970: they count from %s, in s; "
              "write time: {column: %.80s, unit: %s, epoch: true} if that is right, else epoch: "
              "false",
              column, e->epoch_unit, timestamp_format(&e->first_time, moment), column,
              e->epoch_unit);
}

// Years 1 to 9999.
static bool is_in_calendar(double t, const struct EpochUnit *u) {
  return t / u->parts > -62135596800.0 && t / u->parts < 253402300800.0;
}

bool shift_epoch(ProblemReader *r, ExperimentReader *e, const char *unit, EpochChoice choice,
                 const Yaml *n, bool *shifted) {
  const Table *t = e->table;
  *shifted = false;
  if (choice == EPOCH_NO || first_time_of(e) < 0) return true;
  if (t->origin && t->origin[e->time].is_stamp) return true;
  const struct EpochUnit *u =
      choice == EPOCH_YES && unit ? unit_by_name(unit) : unit_by_size(e, unit);
  if (choice == EPOCH_YES && unit && !u)
    return reader_fail(r, n, ERR_VALUE, "times since 1970 are in s, ms, us or ns, not '%.40s'",
                       unit);
  if (choice == EPOCH_YES && !u) u = &UNITS[0];
  if (!u) return true;
  if (choice == EPOCH_BY_SIZE && u->parts == 1 && knows_time(r, e)) return true;
  double first = t->column[e->time][first_time_of(e)];
  if (!is_in_calendar(first, u))
    return reader_fail(r, n, ERR_DATA, "%.15g %s since 1970 is not in the years 1 to 9999", first,
                       u->name);
  shift(r, e, u);
  if (choice == EPOCH_BY_SIZE && u->parts != 1) say_what_was_taken(r, e, n, t->names[e->time]);
  *shifted = true;
  return true;
}

// ---------------------------------------------------------------- times of the user

bool epoch_time(ProblemReader *r, const ExperimentReader *e, const Yaml *n, const char *what,
                bool infinite, double *out) {
  double number;
  if (!reader_number(r, n, what, infinite, &number)) return false;
  *out = number;
  bool is_epoch = fabs(e->epoch_first) >= 1e8 && isfinite(number) &&
                  fabs(number - e->epoch_first) < fabs(e->epoch_first) / 2;
  if (!is_epoch) return true;
  if (!e->epoch_origin || !column_since(e->epoch_origin, n->text, out))
    *out = number - e->epoch_first;
  *out /= e->epoch_parts;
  return true;
}
