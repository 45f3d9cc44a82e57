#include "problem/data_start.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "expr/derive.h"
#include "expr/replace.h"
#include "expr/simplify.h"

static const double FAR_INTERVALS = 1.5; // from the start to the first sample
enum { SLOPE_SAMPLES = 5, SAMPLES_MOST = 100000, DEGREE_MOST = 2 };

// ---------------------------------------------------------------- what the user writes

static bool is_word_data(const Yaml *n) {
  return n && n->kind == YAML_TEXT && strcmp(n->text, "data") == 0;
}

bool is_data_start(const Yaml *n) {
  if (!n || n->kind != YAML_MAP) return is_word_data(n);
  return is_word_data(yaml_find(n, "from")) || (n->items.count == 1 && yaml_find(n, "data"));
}

// A mapping that means a start value from data, but is not written as one.
bool resembles_data_start(const Yaml *n) {
  return n && n->kind == YAML_MAP &&
         (yaml_find(n, "from") || yaml_find(n, "data") || yaml_find(n, "column"));
}

bool read_data_start(ProblemReader *r, const Yaml *n, int *samples) {
  static const char *const KEYS[] = {"from", "samples", "column"};
  double number = 0;
  *samples = 0;
  if (n->kind != YAML_MAP) return true;
  const Yaml *count = yaml_find(n, "from") ? NULL : yaml_find(n, "data");
  if (!count) {
    if (!reader_keys(r, n, "a start value from data", KEYS, 3)) return false;
    count = yaml_find(n, "samples");
  }
  if (yaml_is_null(count)) return true;
  if (!reader_number(r, count, "the number of samples", false, &number)) return false;
  *samples = (int)fmin(fmax(number, 0), SAMPLES_MOST);
  return (*samples >= 1 && *samples == number) ||
         reader_fail(r, count, ERR_VALUE,
                     "the number of samples must be a whole number from 1 to %d", SAMPLES_MOST);
}

// ---------------------------------------------------------------- local regression

// Least squares in orthogonal polynomials of s = t/span (modified Gram-Schmidt); c: by powers of s.
void start_of_samples(const double *t, const double *y, int count, double *value, double *slope) {
  int degree = count < 2 ? 0 : count < 5 ? 1 : DEGREE_MOST;
  double span = fmax(fabs(t[0]), fabs(t[count - 1]));
  double middle = span > 0 ? (t[0] / span + t[count - 1] / span) / 2 : 0;
  if (!(span > 0)) span = 1, degree = 0;
  // q_k as polynomials of s - middle
  double q[DEGREE_MOST + 1][DEGREE_MOST + 1] = {{0}}, c[DEGREE_MOST + 1] = {0};
  for (int k = 0; k <= degree; k++) {
    q[k][k] = 1;
    for (int j = 0; j < k; j++) {
      double product = 0, square = 0;
      for (int i = 0; i < count; i++) {
        double s = t[i] / span - middle;
        double a = q[k][0] + s * (q[k][1] + s * q[k][2]), b = q[j][0] + s * (q[j][1] + s * q[j][2]);
        product += a * b, square += b * b;
      }
      for (int m = 0; m <= j; m++) q[k][m] -= product / square * q[j][m];
    }
    double product = 0, square = 0;
    for (int i = 0; i < count; i++) {
      double s = t[i] / span - middle, b = q[k][0] + s * (q[k][1] + s * q[k][2]);
      double left = y[i] - (c[0] + s * (c[1] + s * c[2]));
      product += left * b, square += b * b;
    }
    for (int m = 0; m <= k && square > 0; m++) c[m] += product / square * q[k][m];
  }
  *value = c[0] - middle * (c[1] - middle * c[2]);
  *slope = (c[1] - 2 * middle * c[2]) / span;
}

// ---------------------------------------------------------------- a state of an experiment

typedef struct StartFinder {
  ProblemReader *r;
  int experiment;
  const char *name; // x.start
  const Yaml *node; // for messages
  int samples;
} StartFinder;

typedef struct Shown { // what a channel shows of a state: slope*state + shift, without the sensor
  int channel;         // -1: none
  double slope, shift;
} Shown;

// A channel is the state itself, or an expression of it with numbers such as 2*x + 1. The state itself comes first.
static Shown channel_of(const StartFinder *f, const Experiment *e, Expr state) {
  const Model *m = f->r->problem->model;
  Shown s = {-1, 1, 0};
  for (int c = 0; c < e->channel_count; c++)
    if (e->channels[c].bare == state) return (Shown){c, 1, 0};
  Replacer *at_zero = replacer_new(m->graph, f->r->scratch);
  replacer_set(at_zero, state, expr_const(m->graph, 0));
  for (int c = 0; c < e->channel_count && s.channel < 0; c++) {
    Expr slope = derive(m->graph, e->channels[c].bare, state);
    Expr shift = replace(at_zero, e->channels[c].bare);
    if (!expr_is_const(m->graph, slope) || !expr_is_const(m->graph, shift)) continue;
    s.slope = expr_node(m->graph, slope)->value, s.shift = expr_node(m->graph, shift)->value;
    if (s.slope != 0) s.channel = c;
  }
  return s;
}

static int state_of(const Model *m, int variable) {
  for (int i = 0; i < m->nx; i++)
    if (m->state[i] == variable) return i;
  return -1;
}

static Shown find_channel(const StartFinder *f, int state, bool *slope) {
  const Model *m = f->r->problem->model;
  const Experiment *e = &f->r->problem->experiments[f->experiment];
  Shown s = channel_of(f, e, m->x[state]);
  *slope = s.channel < 0;
  for (int i = 0; s.channel < 0 && i < m->nx; i++)
    if (m->f[i] == m->x[state]) s = channel_of(f, e, m->x[i]);
  return s;
}

// A known number of the sensor; false: it is estimated.
static bool sensor_value(const StartFinder *f, int parameter, double *value) {
  for (int i = 0; i < f->r->sensors.count && parameter >= 0; i++) {
    const Sensor *s = &f->r->sensors.at[i];
    if (s->parameter != parameter) continue;
    if (s->free) return false;
    *value = s->spec[f->experiment].start;
  }
  return true;
}

static bool fail_sensor(const StartFinder *f, const Channel *c) {
  return reader_fail(f->r, f->node, ERR_VALUE,
                     "%s cannot come from the data: gain, offset or delay of %.100s is estimated; "
                     "give it as a number, or the start value",
                     f->name, c->name);
}

static bool fail_few(const StartFinder *f, const char *what, int found, int wanted) {
  return reader_fail(f->r, f->node, ERR_DATA,
                     "%s needs the first %d samples of %.100s in experiment %.100s, which has %d",
                     f->name, wanted, what, f->r->experiments[f->experiment].name, found);
}

// Samples say nothing about a start that lies far before them.
static bool check_distance(const StartFinder *f, const char *what, double since, double interval,
                           double time) {
  const ExperimentReader *e = &f->r->experiments[f->experiment];
  if (since <= FAR_INTERVALS * interval) return true;
  char apart[60] = "", remedy[120] = "";
  if (interval > 0) c_snprintf(apart, sizeof apart, ", where samples are %.4g apart", interval);
  if (!e->label)
    c_snprintf(remedy, sizeof remedy, "begin there, window: [%.15g, ~]%s, or ", time,
               yaml_is_null(yaml_find(e->node, "start")) ? "" : " without 'start'");
  return reader_fail(f->r, f->node, ERR_DATA,
                     "%s cannot come from the data: the first sample of %.100s in experiment "
                     "%.100s, at %.15g, is %.4g after the start%s; %sgive a number, or estimate it "
                     "from one",
                     f->name, what, e->name, time, since, apart, remedy);
}

// Value and slope of a column at the start, from its samples since then, also those that are not scored or not kept.
static bool read_first(const StartFinder *f, int column, const char *what, int wanted, double delay,
                       double *at, double *rate) {
  const ExperimentReader *e = &f->r->experiments[f->experiment];
  const Table *all = e->full ? e->full : e->table;
  int last = e->full ? e->full_last : e->last, count = 0, first = 0;
  const double *time = all->column[e->time], *y = all->column[column];
  double *t = ARENA_ARRAY(f->r->scratch, double, wanted);
  double *kept = ARENA_ARRAY(f->r->scratch, double, wanted);
  double slack = 1e-9 * (time[last - 1] - e->start);
  for (int i = 0; i < last && count < wanted; i++) {
    double since = time[i] - e->start - delay;
    if (since < -slack || isnan(y[i])) continue;
    if (!count) first = i;
    t[count] = since, kept[count++] = y[i];
  }
  if (count < wanted) return fail_few(f, what, count, wanted);
  if (t[0] > slack &&
      !check_distance(f, what, t[0], usual_interval(f->r, time, y, all->rows), time[first]))
    return false;
  start_of_samples(t, kept, count, at, rate);
  return true;
}

static bool value_of(const StartFinder *f, const Channel *c, const Shown *s, bool slope,
                     double *value) {
  const ExperimentReader *e = &f->r->experiments[f->experiment];
  double gain = 1, offset = 0, delay = 0, at, rate;
  if (!sensor_value(f, c->gain, &gain) || !sensor_value(f, c->offset, &offset) ||
      !sensor_value(f, c->delay, &delay))
    return fail_sensor(f, c);
  int wanted = f->samples ? f->samples : slope ? SLOPE_SAMPLES : 1;
  if (slope && wanted < 2) wanted = 2;
  int column = table_find(e->full ? e->full : e->table, c->column);
  if (!read_first(f, column, c->name, wanted, delay, &at, &rate)) return false;
  at *= c->factor, rate *= c->factor;
  *value = (slope ? rate / gain : (at - offset) / gain - s->shift) / s->slope;
  return true;
}

// A column that shows the state and need not be measured, such as a speed that others have made from positions.
static bool value_of_column(const StartFinder *f, const Yaml *n, double *value) {
  const char *name;
  double rate;
  if (!reader_text(f->r, n, "'column'", &name)) return false;
  const ExperimentReader *e = &f->r->experiments[f->experiment];
  int column = reader_column(f->r, e->full ? e->full : e->table, n->at, name);
  return column >= 0 && read_first(f, column, name, f->samples ? f->samples : 1, 0, value, &rate);
}

static bool start_from_data(const StartFinder *f, int parameter, double *value) {
  const ProblemReader *r = f->r;
  const Parameter *p = &r->flat->parameters.at[parameter];
  const Experiment *e = &r->problem->experiments[f->experiment];
  int state = p->is_start ? state_of(r->problem->model, p->variable) : -1;
  bool slope;
  if (state < 0)
    return reader_fail(f->r, f->node, ERR_VALUE,
                       "%s cannot come from the data: only start values of states can", f->name);
  const Yaml *column = yaml_find(f->node, "column");
  if (!yaml_is_null(column)) return value_of_column(f, column, value);
  Shown s = find_channel(f, state, &slope);
  if (s.channel >= 0) return value_of(f, &e->channels[s.channel], &s, slope, value);
  const char *x = r->flat->variables.at[p->variable].name;
  return reader_fail(
      f->r, f->node, ERR_VALUE,
      "%s cannot come from the data: in experiment %.100s neither %s is measured nor "
      "a state whose derivative it is; give a number, or estimate it from one",
      f->name, r->experiments[f->experiment].name, x);
}

// ---------------------------------------------------------------- set

static bool keep_start(const StartFinder *f, int parameter, bool estimated, double *value) {
  Experiment *to = &f->r->problem->experiments[f->experiment];
  if (!start_from_data(f, parameter, value)) return false;
  to->data_starts[to->data_start_count++] = (DataStart){parameter, *value, estimated};
  return true;
}

static bool resolve_set(ProblemReader *r, int experiment) {
  ExperimentReader *e = &r->experiments[experiment];
  int most = e->set.count + r->estimates.count;
  r->problem->experiments[experiment].data_starts = ARENA_ARRAY(r->arena, DataStart, most + 1);
  for (int i = 0; i < e->set.count; i++) {
    SetValue *s = &e->set.at[i];
    StartFinder f = {r, experiment, s->node->key, s->node, s->samples};
    if (s->from_data && !keep_start(&f, s->parameter, false, &s->value)) return false;
  }
  return true;
}

// ---------------------------------------------------------------- estimate

static bool is_by_experiment(const Yaml *n) {
  return n && n->kind == YAML_MAP && !is_data_start(n);
}

static bool check_names(ProblemReader *r, const Yaml *map) {
  const char **known = ARENA_ARRAY(r->scratch, const char *, r->experiment_count + 1);
  for (int i = 0; i < r->experiment_count; i++) known[i] = r->experiments[i].name;
  for (int i = 0; i < map->items.count; i++) {
    bool found = false;
    for (int k = 0; k < r->experiment_count; k++)
      found |= strcmp(known[k], map->items.at[i]->key) == 0;
    if (!found)
      return reader_unknown(r, map->items.at[i]->key_at, "experiment", map->items.at[i]->key, known,
                            r->experiment_count);
  }
  return true;
}

// What 'start', 'min' or 'max' says for one experiment; NULL: nothing.
static const Yaml *said_for(const Yaml *n, const char *experiment) {
  const Yaml *own = is_by_experiment(n) ? yaml_find(n, experiment) : n;
  return yaml_is_null(own) ? NULL : own;
}

static bool is_set_there(const ExperimentReader *e, int parameter) {
  for (int i = 0; i < e->set.count; i++)
    if (e->set.at[i].parameter == parameter) return true;
  return false;
}

static bool resolve_attribute(ProblemReader *r, const Estimate *e, int experiment,
                              const char *attribute, double *out, bool *given) {
  const Yaml *n = said_for(yaml_find(e->spec.node, attribute), r->experiments[experiment].name);
  char what[200];
  if (strcmp(attribute, "start") == 0 && e->spec.node->kind == YAML_TEXT) n = e->spec.node;
  if (!n) return true;
  *given = true;
  bool is_estimated = !e->spec.fixed && !r->experiments[experiment].validation;
  StartFinder f = {r, experiment, e->name, n, 0};
  if (strcmp(attribute, "start") == 0 && is_data_start(n))
    return read_data_start(r, n, &f.samples) && keep_start(&f, e->parameter, is_estimated, out);
  c_snprintf(what, sizeof what, "%s of %.60s in %.60s", attribute, e->name,
             r->experiments[experiment].name);
  return reader_number(r, n, what, attribute[0] == 'm', out);
}

static bool resolve_here(ProblemReader *r, Estimate *e, int experiment) {
  UnknownSpec *s = &e->by_experiment[experiment];
  bool bounded = false;
  *s = e->spec;
  if (is_set_there(&r->experiments[experiment], e->parameter)) return true;
  if (!resolve_attribute(r, e, experiment, "start", &s->start, &e->given[experiment]) ||
      !resolve_attribute(r, e, experiment, "min", &s->min, &bounded) ||
      !resolve_attribute(r, e, experiment, "max", &s->max, &bounded))
    return false;
  if (!e->given[experiment] && !e->spec.has_default)
    return reader_fail_key(r, e->spec.node, ERR_VALUE,
                           "%s has no value in the model, and 'start' names no value for "
                           "experiment %.100s",
                           e->name, r->experiments[experiment].name);
  const char *name = arena_print(r->arena, "%s[%s]", e->name, r->experiments[experiment].name);
  return r->experiments[experiment].validation || check_unknown_spec(r, name, e->spec.node, s);
}

static bool resolve_estimate(ProblemReader *r, Estimate *e) {
  static const char *const ATTRIBUTES[] = {"start", "min", "max"};
  const Yaml *node = e->spec.node, *start = yaml_find(node, "start");
  bool from_data = is_data_start(node->kind == YAML_TEXT ? node : start), by_name = false;
  for (int i = 0; i < 3; i++) {
    const Yaml *n = yaml_find(node, ATTRIBUTES[i]);
    if (!is_by_experiment(n)) continue;
    by_name = true;
    if (!e->spec.per_experiment)
      return reader_fail(r, n, ERR_VALUE,
                         "%s of %s differs between experiments, but it is one unknown for all; "
                         "add per_experiment: true",
                         ATTRIBUTES[i], e->name);
    if (!check_names(r, n)) return false;
  }
  if (!from_data && !by_name) return true;
  if (from_data && !e->spec.per_experiment && r->fit_count > 1)
    return reader_fail(r, start ? start : node, ERR_VALUE,
                       "%s is one unknown for %d experiments with different data; add "
                       "per_experiment: true, or give a number",
                       e->name, r->fit_count);
  e->by_experiment = ARENA_ARRAY(r->scratch, UnknownSpec, r->experiment_count);
  e->given = ARENA_ARRAY(r->scratch, bool, r->experiment_count);
  int count = e->spec.per_experiment ? r->experiment_count : r->fit_count;
  for (int i = 0; i < count; i++)
    if (!resolve_here(r, e, i)) return false;
  if (!e->spec.per_experiment) {
    e->spec = e->by_experiment[0];
    e->by_experiment = NULL;
  }
  return true;
}

bool resolve_starts(ProblemReader *r) {
  for (int i = 0; i < r->experiment_count; i++)
    if (!resolve_set(r, i)) return false;
  for (int i = 0; i < r->estimates.count; i++)
    if (!resolve_estimate(r, &r->estimates.at[i])) return false;
  return true;
}
