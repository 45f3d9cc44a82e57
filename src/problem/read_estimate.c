// Reads 'estimate': the unknowns with start values, bounds, scales and priors.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "closed/closed_simulator.h"
#include "model/flatten.h"
#include "problem/data_start.h"
#include "problem/reader.h"

// ---------------------------------------------------------------- attributes of an unknown

enum { WHAT_SIZE = 160 };

static const char *attribute_of(const char *attribute, const char *name, char out[WHAT_SIZE]) {
  c_snprintf(out, WHAT_SIZE, "%s of %.100s", attribute, name);
  return out;
}

static bool read_attribute(ProblemReader *r, const Yaml *map, const char *attribute,
                           const char *name, bool infinite, double *out) {
  char what[WHAT_SIZE];
  const Yaml *n = yaml_find(map, attribute);
  if (yaml_is_null(n)) return true;
  return reader_number(r, n, attribute_of(attribute, name, what), infinite, out);
}

static bool read_flag(ProblemReader *r, const Yaml *map, const char *attribute, const char *name,
                      bool *out) {
  char what[WHAT_SIZE];
  const Yaml *n = yaml_find(map, attribute);
  return yaml_is_null(n) || reader_flag(r, n, attribute_of(attribute, name, what), out);
}

static bool read_scale(ProblemReader *r, const Yaml *map, const char *name, UnknownSpec *spec) {
  char what[WHAT_SIZE];
  const char *word;
  const Yaml *n = yaml_find(map, "scale");
  if (yaml_is_null(n)) return true;
  if (!reader_text(r, n, attribute_of("scale", name, what), &word)) return false;
  spec->log = strcmp(word, "log") == 0;
  if (spec->log || strcmp(word, "linear") == 0) return true;
  return reader_fail(r, n, ERR_VALUE, "%s must be linear or log, not '%.100s'", what, word);
}

static bool read_prior(ProblemReader *r, const Yaml *map, const char *name, UnknownSpec *spec) {
  static const char *const KEYS[] = {"mean", "sd"};
  char what[WHAT_SIZE], prior[WHAT_SIZE];
  const Yaml *n = yaml_find(map, "prior");
  if (yaml_is_null(n)) return true;
  attribute_of("prior", name, what);
  if (n->kind != YAML_MAP || yaml_is_null(yaml_find(n, "mean")) || yaml_is_null(yaml_find(n, "sd")))
    return reader_keys(r, n, what, KEYS, 2) &&
           reader_fail(r, n, ERR_VALUE, "%s needs both: {mean: ..., sd: ...}", what);
  c_snprintf(prior, sizeof prior, "the prior of %.100s", name);
  if (!reader_keys(r, n, what, KEYS, 2) ||
      !read_attribute(r, n, "mean", prior, false, &spec->prior_mean) ||
      !read_attribute(r, n, "sd", prior, false, &spec->prior_sd))
    return false;
  spec->has_prior = true;
  if (spec->prior_sd > 0) return true;
  return reader_fail(r, yaml_find(n, "sd"), ERR_VALUE, "sd of %s must be above 0", prior);
}

static bool read_fd_step(ProblemReader *r, const Yaml *map, const char *name, UnknownSpec *spec) {
  const Yaml *n = yaml_find(map, "fd_step");
  if (!read_attribute(r, map, "fd_step", name, false, &spec->fd_step)) return false;
  if (yaml_is_null(n) || spec->fd_step > 0) return true;
  return reader_fail(r, n, ERR_VALUE, "fd_step of %s must be above 0", name);
}

// Start value or bound, unless it follows later.
static bool read_now(ProblemReader *r, const Yaml *map, const char *attribute, const char *name,
                     const UnknownSpec *spec, double *out) {
  bool start = attribute[0] == 's';
  const Yaml *n = yaml_find(map, attribute);
  if (spec->for_estimate && n && (n->kind == YAML_MAP || (start && is_data_start(n)))) return true;
  return read_attribute(r, map, attribute, name, !start, out);
}

static bool read_attributes(ProblemReader *r, const char *name, const Yaml *n, UnknownSpec *spec) {
  static const char *const KEYS[] = {"start", "min",     "max",   "scale",
                                     "prior", "fd_step", "fixed", "per_experiment"};
  if (!reader_keys(r, n, name, KEYS, sizeof KEYS / sizeof *KEYS)) return false;
  return read_now(r, n, "start", name, spec, &spec->start) &&
         read_now(r, n, "min", name, spec, &spec->min) &&
         read_now(r, n, "max", name, spec, &spec->max) && read_scale(r, n, name, spec) &&
         read_prior(r, n, name, spec) && read_fd_step(r, n, name, spec) &&
         read_flag(r, n, "fixed", name, &spec->fixed) &&
         read_flag(r, n, "per_experiment", name, &spec->per_experiment);
}

// The node for messages: the attribute if it is given, else the whole entry.
static const Yaml *attribute_node(const Yaml *n, const char *attribute) {
  const Yaml *inner = yaml_find(n, attribute);
  return yaml_is_null(inner) ? n : inner;
}

bool check_unknown_spec(ProblemReader *r, const char *name, const Yaml *n, const UnknownSpec *s) {
  char start[32], min[32], max[32];
  number_format(s->start, start), number_format(s->min, min), number_format(s->max, max);
  if (s->fixed) return true;
  if (!(s->min < s->max))
    return reader_fail(r, attribute_node(n, "min"), ERR_VALUE,
                       "min of %s must be below its max, but they are %s and %s", name, min, max);
  if (s->log && !(s->min > 0))
    return reader_fail(r, attribute_node(n, "scale"), ERR_VALUE,
                       "%s cannot have a log scale: that needs a min above 0, and it is %s", name,
                       min);
  bool below = s->start < s->min;
  if (below || s->start > s->max)
    return reader_fail(r, attribute_node(n, "start"), ERR_VALUE,
                       "the start value %s of %s is %s its %s %s", start, name,
                       below ? "below" : "above", below ? "min" : "max", below ? min : max);
  return true;
}

// Values that follow later, from data or by experiment: see data_start.h.
static bool follows(const Yaml *n) {
  return n && (n->kind == YAML_MAP || is_data_start(n));
}

static bool varies(const Yaml *n) {
  return is_data_start(n) || follows(yaml_find(n, "start")) || follows(yaml_find(n, "min")) ||
         follows(yaml_find(n, "max"));
}

bool read_unknown_spec(ProblemReader *r, const char *name, const Yaml *n, UnknownSpec *spec) {
  char what[WHAT_SIZE];
  spec->node = n;
  if (spec->for_estimate && is_data_start(n)) return true;
  if (!yaml_is_null(n) && n->kind == YAML_TEXT) {
    if (!reader_number(r, n, attribute_of("the start value", name, what), false, &spec->start))
      return false;
  } else if (!yaml_is_null(n) && !read_attributes(r, name, n, spec)) {
    return false;
  }
  return (spec->for_estimate && varies(n)) || check_unknown_spec(r, name, n, spec);
}

// ---------------------------------------------------------------- names

static bool ends_with_sensor(const char *name) {
  const char *dot = strrchr(name, '.');
  for (int i = 0; dot && i < SENSOR_COUNT; i++)
    if (strcmp(dot + 1, SENSOR_NAMES[i]) == 0) return true;
  return false;
}

// "theta" from "theta.start"
static const Variable *variable_of_start(const Flat *f, const char *name) {
  const char *dot = strrchr(name, '.');
  char base[128];
  if (!dot || strcmp(dot, ".start") != 0 || (size_t)(dot - name) >= sizeof base) return NULL;
  c_snprintf(base, sizeof base, "%.*s", (int)(dot - name), name);
  int i = names_find(f->names, base);
  return i < 0 ? NULL : &f->variables.at[i];
}

static bool fail_variable(ProblemReader *r, const Yaml *n, const char *verb, const Variable *v) {
  if (v->computed)
    return reader_fail_key(r, n, ERR_NAME,
                           "%s cannot be %s: the initial equations determine it (fixed = false)",
                           v->name, strcmp(verb, "set") == 0 ? "set" : "estimated");
  if (v->state && !v->has_start && r->problem->closed)
    return reader_fail_key(r, n, ERR_NAME, "%s cannot be %s: the simulator computes it", v->name,
                           strcmp(verb, "set") == 0 ? "set" : "estimated");
  if (v->state)
    return reader_fail_key(r, n, ERR_NAME, "%s is a state; to %s its start value, write %s.start",
                           v->name, verb, v->name);
  const char *why = v->kind == VARIABLE_CONSTANT ? "it is a constant; make it a parameter"
                    : v->kind == VARIABLE_INPUT  ? "it is an input; give it under 'inputs'"
                                                 : "the equations determine it";
  return reader_fail_key(r, n, ERR_NAME, "%s cannot be %s: %s", v->name,
                         strcmp(verb, "set") == 0 ? "set" : "estimated", why);
}

static bool fail_name(ProblemReader *r, const Yaml *n, const char *verb) {
  const Flat *f = r->flat;
  int i = names_find(f->names, n->key);
  if (i >= 0) return fail_variable(r, n, verb, &f->variables.at[i]);
  const Variable *v = variable_of_start(f, n->key);
  if (v)
    return reader_fail_key(r, n, ERR_NAME, "%s has no start value: %s", v->name,
                           v->kind == VARIABLE_UNKNOWN ? "it is not a state" : "it is constant");
  if (ends_with_sensor(n->key))
    return reader_fail_key(r, n, ERR_NAME,
                           "'%.100s' is not a parameter of the model; write gain, offset and delay "
                           "of a sensor under 'measure': x: {column: c, offset: {start: 0}}",
                           n->key);
  int count = names_count(f->parameter_names);
  const char **known = ARENA_ARRAY(r->scratch, const char *, count + 1);
  for (int k = 0; k < count; k++) known[k] = names_at(f->parameter_names, k);
  return reader_unknown(r, n->key_at, "parameter", n->key, known, count);
}

bool read_parameter_name(ProblemReader *r, const Yaml *n, const char *verb, int *parameter) {
  *parameter = names_find(r->flat->parameter_names, n->key);
  if (*parameter < 0) return fail_name(r, n, verb);
  Err own = {0};
  const Parameter *p = &r->flat->parameters.at[*parameter];
  if (p->evaluated_line)
    return reader_fail_key(
        r, n, ERR_NAME,
        "%s cannot be %s: its value is a number of the table in %s:%d:%d; change "
        "it in the text of the model",
        p->name, strcmp(verb, "set") == 0 ? "set" : "estimated", r->flat->source->name,
        p->evaluated_line, p->evaluated_column);
  return flat_may_change(r->flat, *parameter, &own) ||
         reader_fail_key(r, n, own.code, "%s", own.text);
}

// ---------------------------------------------------------------- entries

static bool has_value(const AstModel *m, const char *name) {
  for (int i = 0; i < m->declarations.count; i++) {
    const AstDeclaration *d = &m->declarations.at[i];
    if (strcmp(d->name, name) != 0) continue;
    for (int k = 0; k < d->attributes.count; k++)
      if (strcmp(d->attributes.at[k].name, "start") == 0) return true;
    return d->binding != NULL;
  }
  return true; // a start value, 0 by default
}

static bool has_start(const Yaml *n) {
  return n->kind == YAML_MAP ? !yaml_is_null(yaml_find(n, "start")) : !yaml_is_null(n);
}

static bool read_estimate(ProblemReader *r, const Yaml *n) {
  Estimate e = {.name = n->key};
  if (!read_parameter_name(r, n, "estimate", &e.parameter)) return false;
  if (yaml_is_absent(n)) return true;
  const Parameter *p = &r->flat->parameters.at[e.parameter];
  const Variable *v = &r->flat->variables.at[p->variable];
  if (r->ast->declarations.at[p->variable].structural && !p->is_start)
    return reader_fail_key(r, n, ERR_VALUE,
                           "%s decides about the structure of the model (array sizes, components, "
                           "branches): it can be set, not estimated",
                           p->name);
  const ClosedVariable *closed =
      r->problem->closed ? closed_parameter(r->problem->closed, p->name) : NULL;
  if (v->boolean || v->integer)
    return reader_fail_key(
        r, n, ERR_VALUE, "%s is %s: only Real parameters can be estimated; set it instead", p->name,
        closed && closed->type == CLOSED_TEXT ? "a text"
        : closed && closed->item_count        ? "an enumeration"
        : v->boolean                          ? "Boolean"
                                              : "Integer");
  if (!has_start(n) && !has_value(r->ast, p->name))
    return reader_fail_key(r, n, ERR_VALUE,
                           "%s has no value in the model: give a start value, %s: {start: "
                           "...}",
                           p->name, p->name);
  e.spec = (UnknownSpec){.start = p->value, .min = v->min, .max = v->max, .for_estimate = true};
  e.spec.has_default = has_value(r->ast, p->name);
  if (!read_unknown_spec(r, p->name, n, &e.spec)) return false;
  array_push(r->scratch, &r->estimates, e);
  return true;
}

// Whether name is the pattern with numbers in place of its [:], which are those of one array element.
static bool matches(const char *pattern, const char *name) {
  const char *open = strstr(pattern, "[:]");
  if (!open) return strcmp(pattern, name) == 0;
  size_t front = (size_t)(open - pattern);
  if (strncmp(pattern, name, front) != 0 || name[front] != '[') return false;
  const char *close = strchr(name + front, ']');
  return close && matches(open + 3, close + 1);
}

// mu[:] stands for all elements of the array.
static bool read_array(ProblemReader *r, const Yaml *n) {
  int found = 0;
  for (int k = 0; k < r->flat->parameters.count; k++) {
    const Parameter *p = &r->flat->parameters.at[k];
    if (p->is_start != (strstr(n->key, "].start") != NULL) || !matches(n->key, p->name)) continue;
    Yaml *one = ARENA_NEW(r->arena, Yaml);
    *one = *n;
    one->key = p->name;
    if (!read_estimate(r, one)) return false;
    found++;
  }
  return found || reader_fail_key(r, n, ERR_NAME, "there is no array of parameters '%s'", n->key);
}

bool read_estimates(ProblemReader *r) {
  const Yaml *n = yaml_find(r->root, "estimate");
  if (!reader_map(r, n, "'estimate'")) return false;
  for (int i = 0; i < (n ? n->items.count : 0); i++)
    if (!(strstr(n->items.at[i]->key, "[:]") ? read_array : read_estimate)(r, n->items.at[i]))
      return false;
  return true;
}

// ---------------------------------------------------------------- unknowns

typedef ARRAY(Unknown) FreeList;

static void add_free(ProblemReader *r, FreeList *list, const char *name, const char *unit,
                     int parameter, int experiment, const UnknownSpec *s) {
  Unknown f = {
      .unit = unit, .parameter = parameter, .experiment = experiment, .in_model = s->start};
  f.name = experiment < 0 ? arena_print(r->arena, "%s", name)
                          : arena_print(r->arena, "%s[%s]", name, r->experiments[experiment].name);
  f.start = s->start, f.min = s->min, f.max = s->max, f.log = s->log;
  f.has_prior = s->has_prior, f.prior_mean = s->prior_mean, f.prior_sd = s->prior_sd;
  f.fd_step = s->fd_step;
  Place at = s->node->key ? s->node->key_at : s->node->at;
  f.line = at.line, f.column = at.column;
  array_push(r->arena, list, f);
}

static const SetValue *find_set(const ExperimentReader *e, int parameter) {
  for (int i = 0; i < e->set.count; i++)
    if (e->set.at[i].parameter == parameter) return &e->set.at[i];
  return NULL;
}

// A constraint that is redundant only at the start would have to be omitted there and solved elsewhere.
static bool keeps_redundancy(ProblemReader *r, const Estimate *e) {
  const Model *m = r->problem->model;
  int equation = m->redundant_at ? m->redundant_at[e->parameter] : -1;
  if (equation < 0) return true;
  return reader_fail_key(r, e->spec.node, ERR_VALUE,
                         "%s cannot be estimated from this start: the constraint in line %s of the "
                         "model follows from the others at this value only; use another start "
                         "value, or leave it out",
                         e->name, flat_line(m->flat, m->flat->equations.at[equation].line).at);
}

// An unknown that an experiment sets is known there; the other experiments have separate unknowns.
static bool add_estimate(ProblemReader *r, FreeList *list, const Estimate *e) {
  const Variable *v = &r->flat->variables.at[r->flat->parameters.at[e->parameter].variable];
  int before = list->count;
  if (!keeps_redundancy(r, e)) return false;
  for (int i = 0; i < r->experiment_count; i++) {
    const SetValue *set = find_set(&r->experiments[i], e->parameter);
    if (r->experiments[i].validation && e->spec.per_experiment) {
      if (set || (e->given && e->given[i])) continue;
      return reader_fail(r, r->experiments[i].node, ERR_VALUE,
                         "%s is estimated for each experiment and this one is for validation, "
                         "which estimates nothing: give its value, set: {%s: ...}%s",
                         e->name, e->name,
                         r->flat->parameters.at[e->parameter].is_start
                             ? ", or start: data where it is estimated"
                             : "");
    }
    if (set && !e->spec.per_experiment)
      return reader_fail_key(
          r, set->node, ERR_VALUE,
          "%s is set here and estimated as one unknown for all experiments; remove one of the "
          "two, or estimate it with per_experiment: true in the others",
          e->name);
    if (e->spec.per_experiment && !set)
      add_free(r, list, e->name, v->unit, e->parameter, i,
               e->by_experiment ? &e->by_experiment[i] : &e->spec);
  }
  if (!e->spec.per_experiment) add_free(r, list, e->name, v->unit, e->parameter, -1, &e->spec);
  if (list->count == before)
    reader_warn(r, e->spec.node->key_at, "%s is set in every experiment: nothing is estimated",
                e->name);
  const Parameter *p = &r->flat->parameters.at[e->parameter];
  for (int i = before; i < list->count && has_value(r->ast, p->name); i++)
    list->at[i].in_model = p->value;
  return true;
}

static void add_sensor(ProblemReader *r, FreeList *list, const Sensor *s) {
  const char *name = r->problem->model->flat->parameters.at[s->parameter].name;
  for (int i = 0; i < r->fit_count; i++) {
    const UnknownSpec *spec = &s->spec[i];
    if (!spec->node) continue;
    add_free(r, list, name, s->unit, s->parameter, spec->per_experiment ? i : -1, spec);
    if (!spec->per_experiment) return;
  }
}

static bool fail_nothing(ProblemReader *r) {
  const Yaml *n = yaml_find(r->root, "estimate");
  if (n && n->items.count)
    return reader_fail_key(r, n, ERR_VALUE,
                           "there is nothing to estimate: all unknowns are set or fixed");
  return reader_fail(r, n ? n : r->root, ERR_VALUE,
                     "there is nothing to estimate; name the unknown parameters, such as "
                     "estimate: {p: {start: 15, min: 0.1, max: 200}}");
}

static const Yaml *prior_of(const UnknownSpec *s) {
  return s->node && s->has_prior && !s->fixed ? yaml_find(s->node, "prior") : NULL;
}

static const Yaml *first_prior(const ProblemReader *r) {
  const Yaml *found = NULL;
  for (int i = 0; !found && i < r->estimates.count; i++) found = prior_of(&r->estimates.at[i].spec);
  for (int i = 0; !found && i < r->sensors.count; i++)
    for (int k = 0; !found && r->sensors.at[i].free && k < r->fit_count; k++)
      found = prior_of(&r->sensors.at[i].spec[k]);
  return found;
}

static const Channel *first_without_sigma(const Problem *p) {
  for (int i = 0; i < p->experiment_count; i++)
    for (int k = 0; k < p->experiments[i].channel_count; k++)
      if (p->experiments[i].channels[k].sigma_kind == SIGMA_UNKNOWN)
        return &p->experiments[i].channels[k];
  return NULL;
}

static void warn_prior_without_sigma(ProblemReader *r) {
  const Yaml *prior = first_prior(r);
  const Channel *c = first_without_sigma(r->problem);
  if (prior && c)
    reader_warn(
        r, prior->key_at,
        "a prior is weighed against residuals divided by their sigma, and %s has none: sigma "
        "1 is assumed; give it under 'measure' (a number, 5%% or estimate)",
        c->name);
}

bool read_unknowns(ProblemReader *r) {
  FreeList list = {0};
  for (int i = 0; i < r->estimates.count; i++)
    if (!r->estimates.at[i].spec.fixed && !add_estimate(r, &list, &r->estimates.at[i]))
      return false;
  for (int i = 0; i < r->sensors.count; i++)
    if (r->sensors.at[i].free) add_sensor(r, &list, &r->sensors.at[i]);
  if (!list.count) return fail_nothing(r);
  r->problem->unknowns = list.at;
  r->problem->unknown_count = list.count;
  warn_prior_without_sigma(r);
  return true;
}
