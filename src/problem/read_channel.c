// Reads 'measure': measured quantities, their columns, weights and noise, and gain, offset and delay of the sensor.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/replace.h"
#include "expr/simplify.h"
#include "lang/parse.h"
#include "model/extend.h"
#include "problem/conversion.h"
#include "problem/reader.h"

const char *const SENSOR_NAMES[SENSOR_COUNT] = {"gain", "offset", "delay"};

typedef struct ChannelReader {
  ProblemReader *r;
  int experiment;
  const ExperimentReader *e;
  const Yaml *node;
  const Variable *variable; // the measured variable, NULL: an expression
  int column;
  Replacer *solved; // replaces unknowns of the model by their solutions
  Channel out;
} ChannelReader;

// ---------------------------------------------------------------- what is measured

// Symbols of an expression may be unknowns; a System knows only states, inputs and parameters.
static Replacer *solved_unknowns(ProblemReader *r) {
  const Model *m = r->problem->model;
  Replacer *s = replacer_new(m->graph, r->scratch);
  for (int j = 0; j < m->unknown_count; j++)
    replacer_set(s, m->unknowns[j].symbol, m->sorted.solution[j]);
  return s;
}

static bool check_variable(ChannelReader *c, const Variable *v) {
  c->variable = v;
  if (v->boolean)
    return reader_fail_key(c->r, c->node, ERR_VALUE, "%s is Boolean: only numbers can be measured",
                           v->name);
  if (v->kind == VARIABLE_INPUT)
    return reader_fail_key(c->r, c->node, ERR_VALUE,
                           "%s is an input of the model, which no parameter changes; give it under "
                           "'inputs'",
                           v->name);
  return true;
}

static bool read_measured(ChannelReader *c) {
  Model *m = c->r->problem->model;
  const Ast *tree;
  Expr e;
  if (!reader_expression(c->r, m->flat, c->node->key, c->node->key_at, false, &tree, &e))
    return false;
  int i = tree->kind == AST_NAME ? names_find(m->flat->names, tree->name) : -1;
  if (i >= 0 && !check_variable(c, &m->flat->variables.at[i])) return false;
  if (reader_is_condition(tree))
    return reader_fail_key(c->r, c->node, ERR_VALUE,
                           "this is Boolean: only numbers can be measured");
  if (!expr_varies(m->graph, e))
    return reader_fail_key(c->r, c->node, ERR_VALUE,
                           "'%.100s' is constant in time: it cannot be compared with a column",
                           c->node->key);
  c->out.bare = c->out.measured = replace(c->solved, e);
  return true;
}

// ---------------------------------------------------------------- column and samples

static const Yaml *column_node(const Yaml *n) {
  return n->kind == YAML_MAP ? yaml_find(n, "column") : n;
}

static bool read_column(ChannelReader *c) {
  const Yaml *n = column_node(c->node);
  const char *name = c->node->key;
  if (!yaml_is_null(n) && !reader_text(c->r, n, "'column'", &name)) return false;
  Place at = yaml_is_null(n) ? c->node->key_at : n->at;
  const Table *t = c->e->table;
  c->column = reader_column(c->r, t, at, name);
  if (c->column < 0) return false;
  if (c->column == c->e->time)
    return reader_fail_place(c->r, at, ERR_VALUE, "column '%.100s' is the time", name);
  c->out.column = t->names[c->column];
  c->out.unit = t->units ? t->units[c->column] : "";
  return true;
}

// factor: converts the column to the unit of the model, before anything else.
static bool read_factor(ChannelReader *c) {
  const Yaml *n = yaml_find(c->node, "factor");
  c->out.factor = 1;
  if (yaml_is_null(n)) return true;
  if (!reader_number(c->r, n, "factor", false, &c->out.factor)) return false;
  if (c->out.factor == 0)
    return reader_fail(c->r, n, ERR_VALUE, "factor must not be 0: nothing would be measured");
  c->out.unit = c->variable && c->variable->unit ? c->variable->unit : "";
  return true;
}

// Without a gain the column is in the unit of the model, if it does not say otherwise.
static void complete_unit(ChannelReader *c) {
  bool has_gain = !yaml_is_null(yaml_find(c->node, "gain"));
  if (!c->out.unit[0] && c->variable && c->variable->unit && !has_gain)
    c->out.unit = c->variable->unit;
}

static const double *converted(ChannelReader *c, const double *y, int rows) {
  if (c->out.factor == 1) return y;
  double *out = ARENA_ARRAY(c->r->arena, double, rows + 1);
  for (int i = 0; i < rows; i++) out[i] = c->out.factor * y[i];
  return out;
}

static void copy_present(ChannelReader *c, const double *t, const double *y, int rows) {
  double *kept_t = ARENA_ARRAY(c->r->arena, double, c->out.count);
  double *kept_y = ARENA_ARRAY(c->r->arena, double, c->out.count);
  int n = 0;
  for (int i = 0; i < rows; i++) {
    if (isnan(y[i])) continue;
    kept_t[n] = t[i];
    kept_y[n++] = y[i];
  }
  c->out.t = kept_t, c->out.y = kept_y;
}

// Columns without gaps are not copied: channels with the same times share them.
static bool read_samples(ChannelReader *c) {
  const ExperimentReader *e = c->e;
  int rows = e->last - e->first;
  const double *t = e->since;
  const double *y = converted(c, e->table->column[c->column] + e->first, rows);
  for (int i = 0; i < rows; i++) c->out.missing += isnan(y[i]) != 0;
  c->out.count = rows - c->out.missing;
  c->out.t = t, c->out.y = y;
  if (c->out.missing) copy_present(c, t, y, rows);
  const Yaml *n = column_node(c->node);
  Place at = yaml_is_null(n) ? c->node->key_at : n->at;
  if (c->out.count == 1 && c->r->problem->options.criterion == CRITERION_INTEGRAL)
    return reader_fail_place(c->r, at, ERR_DATA,
                             "column '%.100s' has one value here: the integral of the criterion "
                             "needs two or more",
                             c->out.column);
  if (c->out.count) return true;
  return reader_fail_place(c->r, at, ERR_DATA,
                           "column '%.100s' has no values%s: all %d are missing", c->out.column,
                           rows < e->table->rows ? " in the window" : "", rows);
}

static void warn_unit(ChannelReader *c) {
  const Variable *v = c->variable;
  Conversion to_column;
  char text[CONVERSION_TEXT_SIZE];
  if (!v || c->out.gain >= 0 || !yaml_is_null(yaml_find(c->node, "factor"))) return;
  ConversionKind kind = conversion_find(v->unit, c->out.unit, &to_column);
  if (kind == CONVERSION_FOUND && (to_column.gain != 1 || c->out.offset < 0))
    reader_warn(c->r, c->node->key_at,
                "column '%.100s' is in %.40s, but %s is in %s; write {column: %.100s, %s} to "
                "compare them",
                c->out.column, c->out.unit, v->name, v->unit, c->out.column,
                conversion_text(&to_column, text));
  if (kind == CONVERSION_IMPOSSIBLE)
    reader_warn(c->r, c->node->key_at,
                "column '%.100s' is in %.40s, but %s is in %s, another quantity", c->out.column,
                c->out.unit, v->name, v->unit);
}

// ---------------------------------------------------------------- weight and noise

static double rms(const double *y, int n) {
  double largest = 0, sum = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(y[i]));
  for (int i = 0; i < n && largest > 0; i++) sum += (y[i] / largest) * (y[i] / largest);
  return largest * sqrt(sum / n);
}

static bool set_sigma(ChannelReader *c, const Yaml *n, SigmaKind kind, double value) {
  c->out.sigma_kind = kind;
  c->out.sigma = value;
  if (!(value > 0)) return reader_fail(c->r, n, ERR_VALUE, "sigma must be above 0");
  if (kind == SIGMA_RELATIVE) c->out.sigma *= rms(c->out.y, c->out.count);
  c->out.sigma *= c->e->every.noise; // it is that of the samples before the filter
  if (c->out.sigma > 0) return true;
  return reader_fail(c->r, n, ERR_VALUE,
                     "sigma cannot be relative to column '%.100s': all its values are 0",
                     c->out.column);
}

static bool is_percent(const Yaml *n) {
  size_t length = strlen(n->text);
  return length > 1 && n->text[length - 1] == '%';
}

// "5%" as 0.05
static bool read_percent(ChannelReader *c, const Yaml *n, double *out) {
  Yaml number = *n;
  number.text = arena_copy(c->r->scratch, n->text, strlen(n->text) - 1);
  if (!reader_number(c->r, &number, "sigma in %", false, out)) return false;
  *out /= 100;
  return true;
}

static bool is_word_estimate(const Yaml *n) {
  return n->kind == YAML_TEXT &&
         (strcmp(n->text, "estimate") == 0 || strcmp(n->text, "estimated") == 0);
}

static bool read_sigma(ChannelReader *c) {
  static const char *const KEYS[] = {"relative"};
  const Yaml *n = yaml_find(c->node, "sigma");
  double value = 0;
  if (yaml_is_null(n)) return true;
  if (n->kind == YAML_MAP) {
    const Yaml *relative = yaml_find(n, "relative");
    if (!reader_keys(c->r, n, "sigma", KEYS, 1)) return false;
    if (!relative) return reader_fail(c->r, n, ERR_VALUE, "sigma is {relative: 0.05} or a number");
    return reader_number(c->r, relative, "relative sigma", false, &value) &&
           set_sigma(c, relative, SIGMA_RELATIVE, value);
  }
  if (is_word_estimate(n)) {
    c->out.sigma_kind = SIGMA_ESTIMATED;
    return true;
  }
  if (is_percent(n)) return read_percent(c, n, &value) && set_sigma(c, n, SIGMA_RELATIVE, value);
  return reader_number(c->r, n, "sigma (a number, 5%, {relative: 0.05} or estimate)", false,
                       &value) &&
         set_sigma(c, n, SIGMA_NUMBER, value);
}

static bool read_weight(ChannelReader *c) {
  const Yaml *n = yaml_find(c->node, "weight");
  c->out.weight = 1;
  if (yaml_is_null(n)) return true;
  if (!reader_number(c->r, n, "weight", false, &c->out.weight)) return false;
  return c->out.weight > 0 ||
         reader_fail(c->r, n, ERR_VALUE,
                     "weight must be above 0; leave the channel out to ignore it");
}

// ---------------------------------------------------------------- gain, offset, delay

static const char *sensor_name(ChannelReader *c, SensorKind kind, bool is_free) {
  bool bare = c->variable != NULL;
  return arena_print(c->r->arena, "%s%s%s.%s%s", bare ? "" : "(", c->node->key, bare ? "" : ")",
                     SENSOR_NAMES[kind], is_free ? "" : " (fixed)");
}

static bool same_spec(const UnknownSpec *a, const UnknownSpec *b) {
  bool prior =
      a->has_prior == b->has_prior && a->prior_mean == b->prior_mean && a->prior_sd == b->prior_sd;
  return a->start == b->start && a->min == b->min && a->max == b->max && a->log == b->log &&
         prior && a->fd_step == b->fd_step;
}

static Sensor *find_sensor(ChannelReader *c, SensorKind kind, bool is_free) {
  ProblemReader *r = c->r;
  for (int i = 0; i < r->sensors.count; i++) {
    Sensor *s = &r->sensors.at[i];
    if (s->kind == kind && s->free == is_free && strcmp(s->measured, c->node->key) == 0) return s;
  }
  static const double NEUTRAL[SENSOR_COUNT] = {1, 0, 0};
  Sensor s = {.measured = c->node->key, .kind = kind, .free = is_free, .unit = ""};
  s.parameter =
      model_add_parameter(r->problem->model, sensor_name(c, kind, is_free), NEUTRAL[kind]);
  s.spec = ARENA_ARRAY(r->scratch, UnknownSpec, r->experiment_count);
  if (kind == SENSOR_OFFSET) s.unit = c->out.unit;
  if (kind == SENSOR_DELAY && c->e->table->units) s.unit = c->e->table->units[c->e->time];
  array_push(r->scratch, &r->sensors, s);
  return &r->sensors.at[r->sensors.count - 1];
}

// Experiments share the unknown, so they must give it the same attributes.
static bool check_shared(ChannelReader *c, const Sensor *s, const UnknownSpec *spec) {
  for (int i = 0; i < c->experiment; i++) {
    const UnknownSpec *other = &s->spec[i];
    if (!other->node || !s->free) continue;
    bool both = spec->per_experiment && other->per_experiment;
    if (both || (same_spec(spec, other) && spec->per_experiment == other->per_experiment)) continue;
    return reader_fail_key(
        c->r, spec->node, ERR_VALUE,
        "%s is one unknown for all experiments, but experiment %d gives it other "
        "attributes; give the same, or write per_experiment: true in each",
        sensor_name(c, s->kind, true), c->r->experiments[i].number + 1);
  }
  return true;
}

// Where nothing is fitted, an unknown sensor must be that of a fitted experiment.
static bool check_validation(ChannelReader *c, const Sensor *s, const UnknownSpec *spec) {
  bool shared = false, several = spec->per_experiment;
  for (int i = 0; i < c->r->fit_count; i++) {
    shared = shared || s->spec[i].node;
    several = several || s->spec[i].per_experiment;
  }
  if (shared && !several) return true;
  return reader_fail_key(c->r, spec->node, ERR_VALUE,
                         shared ? "%s is estimated for each experiment and this one is for "
                                  "validation, which estimates nothing: give a number"
                                : "%s is estimated in no fitted experiment, and this one is for "
                                  "validation, which estimates nothing: give a number",
                         sensor_name(c, s->kind, true));
}

static double longest_duration(const ProblemReader *r) {
  double most = 0;
  for (int i = 0; i < r->fit_count; i++) {
    const ExperimentReader *e = &r->experiments[i];
    most = fmax(most, e->table->column[e->time][e->last - 1] - e->start);
  }
  return most;
}

// The same in all experiments, which may share the unknown.
static UnknownSpec default_spec(const ChannelReader *c, SensorKind kind) {
  UnknownSpec spec = {.start = kind == SENSOR_GAIN, .min = -HUGE_VAL, .max = HUGE_VAL};
  if (kind == SENSOR_DELAY) spec.min = 0, spec.max = longest_duration(c->r);
  return spec;
}

// Checks a known gain or delay.
static bool check_known(ChannelReader *c, SensorKind kind, const Yaml *n, double value) {
  if (kind == SENSOR_GAIN && value == 0)
    return reader_fail(c->r, n, ERR_VALUE, "gain must not be 0: nothing would be measured");
  if (kind == SENSOR_DELAY && !(value >= 0))
    return reader_fail(c->r, n, ERR_VALUE, "delay must not be negative: data come after the event");
  return true;
}

static bool read_sensor(ChannelReader *c, SensorKind kind, int *parameter) {
  const Yaml *n = yaml_find(c->node, SENSOR_NAMES[kind]);
  *parameter = -1;
  if (yaml_is_null(n)) return true;
  UnknownSpec spec = default_spec(c, kind);
  spec.node = n;
  bool by_word = is_word_estimate(n);
  if (!by_word && n->kind == YAML_TEXT) spec.min = -HUGE_VAL, spec.max = HUGE_VAL;
  if (!by_word && !read_unknown_spec(c->r, sensor_name(c, kind, true), n, &spec)) return false;
  bool is_free = by_word || (n->kind == YAML_MAP && !spec.fixed);
  if (!is_free && !check_known(c, kind, n, spec.start)) return false;
  Sensor *s = find_sensor(c, kind, is_free);
  if (is_free && c->e->validation && !check_validation(c, s, &spec)) return false;
  if (!(by_word && c->e->validation) && !check_shared(c, s, &spec)) return false;
  s->spec[c->experiment] = spec;
  *parameter = s->parameter;
  return true;
}

static Expr node_of(const ChannelReader *c, int parameter) {
  return c->r->problem->model->flat->parameters.at[parameter].node;
}

static bool read_sensors(ChannelReader *c) {
  Graph *g = c->r->problem->model->graph;
  Channel *o = &c->out;
  if (!read_sensor(c, SENSOR_GAIN, &o->gain) || !read_sensor(c, SENSOR_OFFSET, &o->offset) ||
      !read_sensor(c, SENSOR_DELAY, &o->delay))
    return false;
  if (o->gain >= 0) o->measured = expr_mul(g, node_of(c, o->gain), o->measured);
  if (o->offset >= 0) o->measured = expr_add(g, o->measured, node_of(c, o->offset));
  return true;
}

// A gain or factor that is the inverse of what the units need.
static void warn_inverse(ChannelReader *c) {
  const Table *t = c->e->table;
  const char *unit = t->units ? t->units[table_find(t, c->out.column)] : "";
  const char *key = "factor";
  double right, given = c->out.factor;
  if (!c->variable) return;
  bool inverse = conversion_is_inverse(unit, c->variable->unit, given, &right);
  for (int i = 0; i < c->r->sensors.count && !inverse; i++) {
    const Sensor *s = &c->r->sensors.at[i];
    if (s->free || s->parameter != c->out.gain) continue;
    key = "gain", given = s->spec[c->experiment].start;
    inverse = conversion_is_inverse(c->variable->unit, unit, given, &right);
  }
  if (inverse)
    reader_warn(c->r, yaml_find(c->node, key)->key_at,
                "column '%.100s' is in %.40s and %s in %s: %s: %.10g converts the other way, "
                "%s: %.10g is meant",
                c->out.column, unit, c->variable->name, c->variable->unit, key, given, key, right);
}

// ---------------------------------------------------------------- channels

static bool read_channel(ChannelReader *c) {
  static const char *const KEYS[] = {"column", "weight", "sigma", "gain",
                                     "offset", "delay",  "factor"};
  const Yaml *n = c->node;
  if (n->kind != YAML_TEXT && !reader_keys(c->r, n, "a measured quantity", KEYS, 7)) return false;
  c->out = (Channel){.name = n->key, .gain = -1, .offset = -1, .delay = -1};
  if (!read_measured(c) || !read_column(c) || !read_factor(c)) return false;
  complete_unit(c);
  if (!read_samples(c) || !read_weight(c) || !read_sigma(c) || !read_sensors(c)) return false;
  warn_unit(c);
  warn_inverse(c);
  return true;
}

static void warn_same_column(ChannelReader *c, const Experiment *e) {
  for (int k = 0; k < e->channel_count; k++) {
    if (strcmp(e->channels[k].column, c->out.column) != 0) continue;
    reader_warn(c->r, c->node->key_at, "column '%.100s' is compared with %.100s and with %.100s",
                c->out.column, e->channels[k].name, c->out.name);
    return;
  }
}

static bool fail_measure(ProblemReader *r, const ExperimentReader *e, const Yaml *n) {
  if (!n || n->kind == YAML_MAP || yaml_is_null(n))
    return reader_fail_key(r, n ? n : e->node, ERR_VALUE,
                           "nothing is measured here; write which variable is in which column, "
                           "such as measure: {theta: angle}");
  return reader_fail(r, n, ERR_VALUE,
                     "'measure' must be a mapping from what is measured to columns, such as "
                     "{theta: angle}, or a list of names");
}

static bool read_channels_of(ProblemReader *r, int number, Replacer *solved) {
  const ExperimentReader *e = &r->experiments[number];
  Experiment *out = &r->problem->experiments[number];
  const Yaml *n = yaml_find(e->node, "measure");
  if (!n || n->kind != YAML_MAP) return fail_measure(r, e, n);
  out->name = e->name;
  out->number = e->number;
  out->windows = e->windows.at;
  out->window_count = e->windows.count;
  out->file = e->table->file;
  out->in_memory = e->table->in_memory ? e->table : NULL;
  out->origin = e->origin;
  out->interpolation = reader_interpolation(r, e);
  char moment[TIMESTAMP_TEXT];
  if (e->has_first_time)
    out->time_origin = arena_print(r->arena, "%s", timestamp_format(&e->first_time, moment));
  out->epoch_unit = e->epoch_unit;
  out->every = (FewerSamples){e->every.m, DECIMATION_WORDS[e->every.filter], e->cutoff,
                              e->every.noise, e->left_out};
  out->without_times = e->without_times;
  out->start = out->stop = e->start - e->origin;
  out->has_restart = !isnan(e->restart);
  out->restart = e->restart - e->origin;
  out->row_t = e->since, out->row_count = e->last - e->first;
  out->unscored = e->unscored;
  out->channels = ARENA_ARRAY(r->arena, Channel, n->items.count);
  for (int i = 0; i < n->items.count; i++) {
    ChannelReader c = {.r = r, .experiment = number, .e = e, .node = n->items.at[i]};
    c.solved = solved;
    if (yaml_is_absent(c.node)) {
      if (!read_measured(&c)) return false;
      continue;
    }
    if (!read_channel(&c)) return false;
    warn_same_column(&c, out);
    out->stop = fmax(out->stop, c.out.t[c.out.count - 1]);
    out->channels[out->channel_count++] = c.out;
  }
  out->recorded = out->channels, out->recorded_count = out->channel_count;
  return out->channel_count || fail_measure(r, e, n);
}

static void warn_mixed_sigma(ProblemReader *r) {
  const Problem *p = r->problem;
  int known = 0, unknown = 0;
  for (int i = 0; i < p->experiment_count; i++)
    for (int k = 0; k < p->experiments[i].channel_count; k++)
      *(p->experiments[i].channels[k].sigma_kind == SIGMA_UNKNOWN ? &unknown : &known) += 1;
  if (known && unknown)
    reader_warn(r, (Place){.file = r->source->name},
                "sigma is given for %d of %d channels; sigma 1 is assumed for the others", known,
                known + unknown);
}

bool read_channels(ProblemReader *r) {
  Replacer *solved = solved_unknowns(r);
  for (int i = 0; i < r->experiment_count; i++)
    if (!read_channels_of(r, i, solved)) return false;
  r->fit_measured = problem_list_measured(r->problem, r->arena, r->experiment_count, r->fit_count);
  warn_mixed_sigma(r);
  return true;
}
