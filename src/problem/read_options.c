// Reads 'method', 'options' with their short forms, and 'gains'.
#include <string.h>

#include "base/c_locale.h"
#include "problem/reader.h"

// Options that may also be keys of the problem itself.
static const char *const SHORT_FORMS[] = {"criterion", "homotopy", "loss", "residual", "scale"};
enum { SHORT_COUNT = sizeof SHORT_FORMS / sizeof *SHORT_FORMS };

static bool fail_option(ProblemReader *r, const Yaml *n) {
  int count = FIT_OPTIONS.count + SIMULATE_OPTIONS.count;
  const char **known = ARENA_ARRAY(r->scratch, const char *, count);
  for (int i = 0; i < FIT_OPTIONS.count; i++) known[i] = FIT_OPTIONS.rows[i].name;
  for (int i = 0; i < SIMULATE_OPTIONS.count; i++)
    known[FIT_OPTIONS.count + i] = SIMULATE_OPTIONS.rows[i].name;
  const char *near = nearest_name(n->key, known, count);
  if (near)
    return reader_fail_key(r, n, ERR_OPTION, "unknown option '%.100s'; did you mean '%s'?", n->key,
                           near);
  return reader_fail_key(r, n, ERR_OPTION, "unknown option '%.100s'; 'entrain options' lists them",
                         n->key);
}

// The value of an option as text; an expression of numbers is evaluated.
static bool option_text(ProblemReader *r, const Yaml *n, const OptionRow *row, const char **text) {
  char what[140], number[32];
  double value;
  c_snprintf(what, sizeof what, "option %.100s", n->key);
  if (!reader_text(r, n, what, text)) return false;
  if (row->choices || number_parse(*text, &value) || number_beyond(*text)) return true;
  if (!reader_number(r, n, what, true, &value)) return false;
  number_format(value, number);
  *text = arena_print(r->arena, "%s", number);
  return true;
}

static bool set_option(ProblemReader *r, const Yaml *n) {
  Err own = {0};
  const char *text;
  const OptionRow *row = options_find(&FIT_OPTIONS, n->key);
  bool is_fit = row != NULL;
  if (!row) row = options_find(&SIMULATE_OPTIONS, n->key);
  if (!row) return fail_option(r, n);
  if (yaml_is_absent(n)) return true;
  if (!option_text(r, n, row, &text)) return false;
  bool ok = is_fit ? options_set(&FIT_OPTIONS, &r->problem->options, n->key, text, &own)
                   : options_set(&SIMULATE_OPTIONS, &r->problem->simulate, n->key, text, &own);
  return ok || reader_adopt(r, n, &own);
}

static bool read_method(ProblemReader *r) {
  const Yaml *n = yaml_find(r->root, "method");
  const char *text;
  Err own = {0};
  r->problem->method = METHOD_AUTO;
  if (yaml_is_null(n)) return true;
  if (!reader_text(r, n, "'method'", &text)) return false;
  return method_parse(text, &r->problem->method, &r->problem->parts, &own) ||
         reader_adopt(r, n, &own);
}

static bool read_short_form(ProblemReader *r, const char *name) {
  const Yaml *n = yaml_find(r->root, name), *again = yaml_find(yaml_find(r->root, "options"), name);
  if (yaml_is_null(n)) return true;
  if (again)
    return reader_fail_key(r, again, ERR_NAME, "'%s' is given twice: here and in line %d", name,
                           n->key_at.line);
  return set_option(r, n);
}

// prediction: {by: rk4, ahead: 1}, the options prediction_by and prediction_ahead.
static bool read_prediction(ProblemReader *r) {
  static const char *const KEYS[] = {"by", "ahead"};
  const Yaml *n = yaml_find(r->root, "prediction"), *options = yaml_find(r->root, "options");
  if (!reader_keys(r, n, "'prediction'", KEYS, 2)) return false;
  for (int i = 0; i < (n ? n->items.count : 0); i++) {
    Yaml item = *n->items.at[i];
    item.key = arena_print(r->arena, "prediction_%s", item.key);
    const Yaml *again = yaml_find(options, item.key);
    if (again && again->key_at.line == 0) continue; // the command line decides
    if (again)
      return reader_fail_key(r, again, ERR_NAME, "'%s' is given twice: here and in line %d",
                             item.key, item.key_at.line);
    if (!set_option(r, &item)) return false;
  }
  return true;
}

bool read_options(ProblemReader *r) {
  fit_options_init(&r->problem->options);
  simulate_options_init(&r->problem->simulate);
  r->problem->simulate.rel_tol = 1e-8; // differences between trial points must exceed the errors
  r->problem->simulate.abs_tol = 1e-10;
  const Yaml *n = yaml_find(r->root, "options");
  if (!read_method(r) || !reader_map(r, n, "'options'")) return false;
  for (int i = 0; i < SHORT_COUNT; i++)
    if (!read_short_form(r, SHORT_FORMS[i])) return false;
  if (!read_prediction(r)) return false;
  for (int i = 0; i < (n ? n->items.count : 0); i++)
    if (!set_option(r, n->items.at[i])) return false;
  return true;
}

// ---------------------------------------------------------------- gains

static int find_state(const Model *m, const char *name) {
  for (int i = 0; i < m->nx; i++)
    if (strcmp(m->flat->variables.at[m->state[i]].name, name) == 0) return i;
  return -1;
}

static bool fail_state(ProblemReader *r, const Yaml *n) {
  const Model *m = r->problem->model;
  const char **known = ARENA_ARRAY(r->scratch, const char *, m->nx + 1);
  for (int i = 0; i < m->nx; i++) known[i] = m->flat->variables.at[m->state[i]].name;
  return reader_unknown(r, n->key_at, "state", n->key, known, m->nx);
}

typedef ARRAY(GivenGain) GainList;

// For all measured expressions with the name: experiments may have different ones.
static bool add_gain(ProblemReader *r, GainList *list, const char *measured, int state,
                     const Yaml *n) {
  const Problem *p = r->problem;
  char what[140];
  double gain;
  c_snprintf(what, sizeof what, "the gain of %.100s", n->key);
  if (!reader_number(r, n, what, false, &gain)) return false;
  for (int i = 0; i < p->measured_count; i++)
    if (strcmp(p->measured_name[i], measured) == 0)
      array_push(r->arena, list, ((GivenGain){-1, i, state, gain}));
  return true;
}

static bool check_measured(ProblemReader *r, const Yaml *n) {
  const Problem *p = r->problem;
  for (int i = 0; i < p->measured_count; i++)
    if (strcmp(p->measured_name[i], n->key) == 0) return true;
  return reader_unknown(r, n->key_at, "measured quantity", n->key, p->measured_name,
                        p->measured_count);
}

static bool read_gains_of(ProblemReader *r, GainList *list, const Yaml *n) {
  const Model *m = r->problem->model;
  if (!check_measured(r, n)) return false;
  if (n->kind == YAML_TEXT) {
    int state = find_state(m, n->key);
    if (state >= 0) return add_gain(r, list, n->key, state, n);
    return reader_fail(r, n, ERR_NAME,
                       "%.100s is not a state: name the states that get the feedback, such as "
                       "{x: 10, v: 10}",
                       n->key);
  }
  if (!reader_map(r, n, "an entry of 'gains'")) return false;
  for (int i = 0; i < n->items.count; i++) {
    const Yaml *item = n->items.at[i];
    int state = find_state(m, item->key);
    if (state < 0) return fail_state(r, item);
    if (!add_gain(r, list, n->key, state, item)) return false;
  }
  return true;
}

bool read_gains(ProblemReader *r) {
  const Yaml *n = yaml_find(r->root, "gains");
  GainList list = {0};
  if (yaml_is_null(n)) return true;
  if (!reader_map(r, n, "'gains'")) return false;
  for (int i = 0; i < n->items.count; i++)
    if (!read_gains_of(r, &list, n->items.at[i])) return false;
  r->problem->gains = list.at;
  r->problem->gain_count = list.count;
  return true;
}
