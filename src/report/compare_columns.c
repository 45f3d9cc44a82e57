#include "report/compare_columns.h"

#include <math.h>

#include "write/cells.h"
#include "write/digits.h"
#include "write/rounded.h"

enum { OBJECTIVE_DIGITS = 3, RESIDUAL_DIGITS = 5, ERROR_DIGITS = 2 };

// ---------------------------------------------------------------- numbers

static const char *number(Arena *a, double value, int digits, bool exact) {
  char text[ROUNDED_SIZE + DIGITS_SIZE];
  if (!isfinite(value)) return "";
  if (exact)
    digits_format(value, text);
  else
    rounded_digits(value, digits, text);
  return arena_print(a, "%s", text);
}

static const char *count(Arena *a, double value) {
  return isnan(value) ? "" : arena_print(a, "%.0f", value);
}

static const char *seconds(Arena *a, double value, bool exact) {
  char text[ROUNDED_SIZE];
  if (isnan(value) || exact) return number(a, value, 3, exact);
  rounded_seconds(value, text);
  return arena_print(a, "%s", text);
}

static bool is_spread(const CompareEntry *e, double least, double most) {
  return e->row && e->row->run_count > 1 && !isnan(least) && least != most;
}

// ---------------------------------------------------------------- cells

static const char *cell_method(Arena *a, const CompareEntry *e, bool exact) {
  return e->row || exact ? e->label : arena_print(a, "%s (published)", e->label);
}

static const char *cell_published(Arena *a, const CompareEntry *e, bool exact) {
  (void)a, (void)exact;
  return e->row ? "0" : "1";
}

static const char *cell_spec(Arena *a, const CompareEntry *e, bool exact) {
  (void)a, (void)exact;
  return e->row ? e->row->spec.text : "";
}

static const char *cell_outcome(Arena *a, const CompareEntry *e, bool exact) {
  (void)a, (void)exact;
  if (!e->row) return "";
  if (e->row->refused) return "refused";
  return e->row->shown ? fit_outcome_word(e->row->shown->outcome) : "";
}

static const char *cell_found(Arena *a, const CompareEntry *e, bool exact) {
  if (!e->row || !e->row->run_count) return "";
  if (exact) return arena_print(a, "%d", e->row->found);
  if (e->row->run_count == 1) return e->row->found ? "yes" : "no";
  return arena_print(a, "%d of %d", e->row->found, e->row->run_count);
}

static const char *cell_runs(Arena *a, const CompareEntry *e, bool exact) {
  (void)exact;
  return e->row ? arena_print(a, "%d", e->row->run_count) : "";
}

static const char *cell_iterations(Arena *a, const CompareEntry *e, bool exact) {
  (void)exact;
  return count(a, e->median->iterations);
}

static const char *cell_evaluations(Arena *a, const CompareEntry *e, bool exact) {
  (void)exact;
  return count(a, e->median->evaluations);
}

static const char *cell_evaluations_least(Arena *a, const CompareEntry *e, bool exact) {
  (void)exact;
  return count(a, e->least->evaluations);
}

static const char *cell_evaluations_most(Arena *a, const CompareEntry *e, bool exact) {
  (void)exact;
  return count(a, e->most->evaluations);
}

static const char *cell_evaluations_range(Arena *a, const CompareEntry *e, bool exact) {
  (void)exact;
  if (!is_spread(e, e->least->evaluations, e->most->evaluations)) return "";
  return arena_print(a, "%.0f .. %.0f", e->least->evaluations, e->most->evaluations);
}

static const char *cell_simulations(Arena *a, const CompareEntry *e, bool exact) {
  (void)exact;
  return count(a, e->median->simulations);
}

static const char *cell_sensitivity_simulations(Arena *a, const CompareEntry *e, bool exact) {
  (void)exact;
  return count(a, e->median->sensitivity_simulations);
}

static const char *cell_fair(Arena *a, const CompareEntry *e, bool exact) {
  (void)exact;
  return count(a, e->median->fair);
}

static const char *cell_objective(Arena *a, const CompareEntry *e, bool exact) {
  return number(a, e->median->objective, OBJECTIVE_DIGITS, exact);
}

static const char *cell_residual(Arena *a, const CompareEntry *e, bool exact) {
  return number(a, e->median->objective, RESIDUAL_DIGITS, exact);
}

static const char *cell_objective_least(Arena *a, const CompareEntry *e, bool exact) {
  return number(a, e->least->objective, OBJECTIVE_DIGITS, exact);
}

static const char *cell_objective_most(Arena *a, const CompareEntry *e, bool exact) {
  return number(a, e->most->objective, OBJECTIVE_DIGITS, exact);
}

static const char *cell_objective_range(Arena *a, const CompareEntry *e, bool exact) {
  (void)exact;
  if (!is_spread(e, e->least->objective, e->most->objective)) return "";
  const char *most = number(a, e->most->objective, 2, false);
  return arena_print(a, "%s .. %s", number(a, e->least->objective, 2, false),
                     *most ? most : "none");
}

static const char *cell_error(Arena *a, const CompareEntry *e, bool exact) {
  return number(a, e->median->error, ERROR_DIGITS, exact);
}

static const char *cell_seconds(Arena *a, const CompareEntry *e, bool exact) {
  return seconds(a, e->median->seconds, exact);
}

static const char *cell_evaluations_parallel(Arena *a, const CompareEntry *e, bool exact) {
  (void)exact;
  return count(a, e->median->evaluations_parallel);
}

static const char *cell_seconds_parallel(Arena *a, const CompareEntry *e, bool exact) {
  return seconds(a, e->median->seconds_parallel, exact);
}

static const char *cell_speed_up(Arena *a, const CompareEntry *e, bool exact) {
  double ratio = e->median->seconds / e->median->seconds_parallel;
  return isfinite(ratio) && !exact ? arena_print(a, "%.2f", ratio) : number(a, ratio, 3, exact);
}

static const char *cell_confirmed(Arena *a, const CompareEntry *e, bool exact) {
  (void)a, (void)exact;
  return !e->row ? "" : e->row->confirms ? "1" : "0";
}

static const char *cell_same(Arena *a, const CompareEntry *e, bool exact) {
  (void)a;
  if (!e->row || isnan(e->median->seconds_parallel)) return "";
  if (exact) return e->row->same ? "1" : "0";
  return e->row->same ? "yes" : "NO";
}

// ---------------------------------------------------------------- layouts

static const CompareColumn FULL[] = {
    {"method", "method", 0, cell_method},
    {"outcome", "outcome", 5, cell_outcome},
    {"found", "found", 2, cell_found},
    {"iterations", ">iterations", 6, cell_iterations},
    {"evaluations", ">evaluations", 3, cell_evaluations},
    {"evaluations_range", ">from .. to", 8, cell_evaluations_range},
    {"simulations", ">simulations", 9, cell_simulations},
    {"sensitivity_simulations", ">with slopes", 9, cell_sensitivity_simulations},
    {"fair", ">fair", 4, cell_fair},
    {"objective", ">objective", 1, cell_objective},
    {"objective_range", ">from .. to", 8, cell_objective_range},
    {"error", ">error", 1, cell_error},
    {"seconds", ">time", 7, cell_seconds},
};

static const CompareColumn FULL_EXACT[] = {
    {"method", "", 0, cell_method},
    {"published", "", 0, cell_published},
    {"spec", "", 0, cell_spec},
    {"outcome", "", 0, cell_outcome},
    {"runs", "", 0, cell_runs},
    {"found", "", 0, cell_found},
    {"iterations", "", 0, cell_iterations},
    {"evaluations", "", 0, cell_evaluations},
    {"evaluations_least", "", 0, cell_evaluations_least},
    {"evaluations_most", "", 0, cell_evaluations_most},
    {"simulations", "", 0, cell_simulations},
    {"sensitivity_simulations", "", 0, cell_sensitivity_simulations},
    {"fair", "", 0, cell_fair},
    {"objective", "", 0, cell_objective},
    {"objective_least", "", 0, cell_objective_least},
    {"objective_most", "", 0, cell_objective_most},
    {"error", "", 0, cell_error},
    {"seconds", "", 0, cell_seconds},
    {"evaluations_parallel", "", 0, cell_evaluations_parallel},
    {"seconds_parallel", "", 0, cell_seconds_parallel},
    {"same", "", 0, cell_same},
    {"confirmed", "", 0, cell_confirmed},
};

// Tables 2, 6 and 9 of Manikantan, Chakraborty, Uchida, Vyasarayani (2020).
static const CompareColumn PAPER[] = {
    {"method", "method", 0, cell_method},
    {"iterations", ">iterations", 2, cell_iterations},
    {"evaluations", ">function evaluations", 1, cell_evaluations},
    {"objective", ">error (J)", 1, cell_objective},
};

// Table 1 of Butz, von Stryk, Voegel, Wolter, Chucholowski (2000).
static const CompareColumn PARALLEL[] = {
    {"method", "method", 0, cell_method},
    {"objective", ">r(p)", 2, cell_residual},
    {"evaluations", ">n seq", 3, cell_evaluations},
    {"seconds", ">t seq", 1, cell_seconds},
    {"evaluations_parallel", ">n par", 3, cell_evaluations_parallel},
    {"seconds_parallel", ">t par", 1, cell_seconds_parallel},
    {"speed_up", ">speed-up", 2, cell_speed_up},
    {"same", "same", 4, cell_same},
};

#define LAYOUT(columns)                                                                            \
  { columns, sizeof(columns) / sizeof *(columns) }

const CompareColumn *compare_columns(CompareLayout layout, bool exact, int *count_out) {
  static const struct {
    const CompareColumn *at;
    int count;
  } LAYOUTS[] = {[COMPARE_FULL] = LAYOUT(FULL),
                 [COMPARE_PAPER] = LAYOUT(PAPER),
                 [COMPARE_PARALLEL] = LAYOUT(PARALLEL),
                 LAYOUT(FULL_EXACT)};
  int k = exact && layout == COMPARE_FULL ? COMPARE_PARALLEL + 1 : (int)layout;
  *count_out = LAYOUTS[k].count;
  return LAYOUTS[k].at;
}

// ---------------------------------------------------------------- rows

static CompareEntry entry_of(const CompareRow *r) {
  return (CompareEntry){r->spec.label, r,        &r->median,
                        &r->least,     &r->most, r->shown ? r->shown->x : NULL};
}

static CompareEntry published_entry(const PublishedRow *r) {
  return (CompareEntry){r->method, NULL, &r->figures, &r->figures, &r->figures, r->x};
}

CompareEntry *compare_entries(Arena *a, const Compare *c, const Published *published,
                              int *count_out) {
  int ours = c->done, others = published ? published->count : 0;
  CompareEntry *list = ARENA_ARRAY(a, CompareEntry, ours + others);
  for (int i = 0; i < ours; i++) list[i] = entry_of(&c->rows[i]);
  for (int i = 0; i < others; i++) list[ours + i] = published_entry(&published->rows[i]);
  *count_out = ours + others;
  return list;
}
