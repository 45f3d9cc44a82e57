// Reads 'experiments': windows, settings, inputs. Their data: read_data.c.
#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "closed/closed_simulator.h"
#include "model/flatten.h"
#include "model/unit.h"
#include "problem/conversion.h"
#include "problem/data_start.h"
#include "problem/pattern_files.h"
#include "problem/problem_source.h"
#include "problem/read_every.h"
#include "problem/read_split.h"
#include "problem/reader.h"
#include "simulate/origin.h"

// ---------------------------------------------------------------- names

static const char *name_of_file(ProblemReader *r, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  return arena_copy(r->arena, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

// 'name' of the entry, with the file of a pattern and the window: run-a-3.
static bool read_name(ProblemReader *r, ExperimentReader *e, bool several_files) {
  const Yaml *n = yaml_find(e->node, "name");
  const char *text = NULL;
  if (!yaml_is_null(n) && !reader_text(r, n, "'name'", &text)) return false;
  if (!text && !e->label) return true;
  const char *file = name_of_file(r, e->table->file);
  const char *base = !text           ? file
                     : several_files ? arena_print(r->arena, "%s-%s", text, file)
                                     : text;
  const char *name = e->label ? arena_print(r->arena, "%s-%s", base, e->label) : base;
  e->name = name;
  int number = r->experiment_count;
  for (int i = 0, times = 1; i < number;) {
    if (!r->experiments[i].name || strcmp(r->experiments[i].name, e->name) != 0) {
      i++;
    } else if (r->experiments[i].node ==
               e->node) { // a value that comes back, a file in another folder
      e->name = arena_print(r->arena, "%s-%d", name, ++times);
      i = 0;
    } else {
      return reader_fail(r, n ? n : e->node, ERR_NAME,
                         "experiments %d and %d have the same name '%.100s'", i + 1, number + 1,
                         e->name);
    }
  }
  return true;
}

// Experiments without a name get the name of their data file, with a number if that is taken.
static void give_names(ProblemReader *r) {
  Names *taken = names_new(r->scratch); // number of uses of each
  for (int i = 0; i < r->experiment_count; i++)
    if (r->experiments[i].name) names_set(taken, r->experiments[i].name, 1);
  for (int i = 0; i < r->experiment_count; i++) {
    ExperimentReader *e = &r->experiments[i];
    if (e->name) continue;
    const char *base = e->table->in_memory ? e->table->file : name_of_file(r, e->table->file);
    int times = names_find(taken, base);
    for (e->name = base; names_find(taken, e->name) >= 0;)
      e->name = arena_print(r->arena, "%s-%d", base, ++times);
    names_set(taken, base, times < 1 ? 1 : times);
    if (e->name != base) names_set(taken, e->name, 1);
  }
}

// ---------------------------------------------------------------- window

static bool read_window(ProblemReader *r, ExperimentReader *e) {
  const Yaml *n = yaml_find(e->node, "window");
  e->from = -HUGE_VAL, e->to = HUGE_VAL;
  if (yaml_is_null(n)) return true;
  if (n->kind != YAML_LIST || n->items.count != 2)
    return reader_fail(r, n, ERR_VALUE, "'window' must be two times, such as [0, 50]");
  const Yaml *a = n->items.at[0], *b = n->items.at[1];
  if (!yaml_is_null(a) && !reader_time(r, e, a, "the start of the window", true, &e->from))
    return false;
  if (!yaml_is_null(b) && !reader_time(r, e, b, "the end of the window", true, &e->to))
    return false;
  if (e->from < e->to) return true;
  return reader_fail(r, n, ERR_VALUE, "the window must end after its start");
}

static bool fail_empty(ProblemReader *r, const ExperimentReader *e) {
  const Table *t = e->table;
  double least = HUGE_VAL, most = -HUGE_VAL;
  char span[SPAN_TEXT];
  for (int i = 0; i < t->rows; i++) {
    least = fmin(least, t->column[e->time][i]);
    most = fmax(most, t->column[e->time][i]);
  }
  return reader_fail(r, yaml_find(e->node, "window"), ERR_DATA,
                     "the window %s contains no samples; those of %.200s are from %.15g to %.15g%s",
                     window_span(e->from, e->to, span), t->file, least, most,
                     reader_time_unit(r, e));
}

static bool find_rows(ProblemReader *r, ExperimentReader *e) {
  window_rows(e, e->table, &e->first, &e->last);
  return e->first < e->last || fail_empty(r, e);
}

// The windows of 'split' begin at their first samples: 'window' says what counts, not when they begin.
static bool read_start(ProblemReader *r, ExperimentReader *e) {
  const Yaml *n = yaml_find(e->node, "start");
  double first = e->table->column[e->time][e->first];
  e->start = isfinite(e->from) && !e->label ? fmin(e->from, first) : first;
  if (yaml_is_null(n)) return true;
  if (!reader_time(r, e, n, "'start'", false, &e->start)) return false;
  if (e->start <= first) return true;
  return reader_fail(
      r, n, ERR_VALUE,
      "'start' is the time of the start values: it cannot be after the first sample, at %.15g%s",
      first, reader_time_unit(r, e));
}

static bool read_restart(ProblemReader *r, ExperimentReader *e) {
  const Yaml *n = yaml_find(e->node, "restart");
  double last = e->table->column[e->time][e->last - 1];
  e->restart = nan("");
  if (yaml_is_null(n)) return true;
  if (!reader_time(r, e, n, "'restart'", false, &e->restart)) return false;
  if (e->restart > e->start && e->restart < last) return true;
  return reader_fail(r, n, ERR_VALUE,
                     "'restart' is a time until which no unknown acts: it lies between the start, "
                     "at %.15g, and the last sample, at %.15g",
                     e->start, last);
}

static bool count_times(ProblemReader *r, ExperimentReader *e) {
  const double *time = e->table->column[e->time] + e->first;
  int rows = e->last - e->first;
  e->since = time;
  e->origin = time_origin(e->start, time, rows);
  if (e->origin == 0) return true;
  double *since = ARENA_ARRAY(r->arena, double, rows);
  for (int i = 0; i < rows; i++) since[i] = time[i] - e->origin;
  e->since = since;
  return true;
}

// ---------------------------------------------------------------- settings

static bool check_type(ProblemReader *r, const Yaml *n, const Variable *v, double value) {
  if (v->integer && value != floor(value))
    return reader_fail(r, n, ERR_VALUE, "%s is Integer, not %g", v->name, value);
  if (v->boolean && value != 0 && value != 1)
    return reader_fail(r, n, ERR_VALUE, "%s is Boolean: true or false", v->name);
  return true;
}

static bool read_value(ProblemReader *r, const Yaml *n, const Variable *v, double *value) {
  char what[140];
  bool flag;
  c_snprintf(what, sizeof what, "the value of %.100s", n->key);
  if (v->boolean && n->kind == YAML_TEXT && strpbrk(n->text, "01") == NULL) {
    if (!reader_flag(r, n, what, &flag)) return false;
    *value = flag;
    return true;
  }
  return reader_number(r, n, what, false, value) && check_type(r, n, v, *value);
}

// A parameter of a closed simulator may be a text, or an item of an enumeration.
static bool read_set_value(ProblemReader *r, const Yaml *n, const Variable *v, double *value) {
  ClosedModel *closed = r->problem->closed;
  const ClosedVariable *p = closed ? closed_parameter(closed, n->key) : NULL;
  double number;
  if (p && n->kind == YAML_TEXT && closed_word(closed, p, n->text, value)) return true;
  bool is_other_word = n->kind == YAML_TEXT && !number_parse(n->text, &number);
  if (!(p && p->item_count && is_other_word) && !read_value(r, n, v, value)) return false;
  Err err = {0};
  bool fine = !p || closed_check_item(p, is_other_word && p->item_count ? nan("") : *value, &err);
  return fine || reader_fail(r, n, err.code, "%s", err.text);
}

static bool read_set(ProblemReader *r, ExperimentReader *e) {
  const Yaml *n = yaml_find(e->node, "set");
  if (!reader_map(r, n, "'set'")) return false;
  for (int i = 0; i < (n ? n->items.count : 0); i++) {
    SetValue s = {.node = n->items.at[i]};
    if (!read_parameter_name(r, s.node, "set", &s.parameter)) return false;
    if (yaml_is_absent(s.node)) continue;
    const Variable *v = &r->flat->variables.at[r->flat->parameters.at[s.parameter].variable];
    s.from_data = is_data_start(s.node);
    s.value = r->flat->parameters.at[s.parameter].value; // until then
    if (!s.from_data && resembles_data_start(s.node))
      return reader_fail(r, s.node, ERR_VALUE,
                         "%s is a number, 'data', {data: 5}, or {from: data} with samples: 5 or "
                         "column: NAME or both",
                         s.node->key);
    bool fine = s.from_data ? read_data_start(r, s.node, &s.samples)
                            : read_set_value(r, s.node, v, &s.value);
    if (!fine) return false;
    array_push(r->scratch, &e->set, s);
  }
  return true;
}

// ---------------------------------------------------------------- an experiment

static bool check_interpolation(ProblemReader *r, const Yaml *n, const char **word) {
  static const char *const WORDS[] = {"hold", "linear", "spline"};
  InputKind kind;
  if (yaml_is_null(n)) return true;
  if (!reader_text(r, n, "'interpolation'", word)) return false;
  return input_kind_find(*word, &kind) ||
         reader_unknown(r, n->at, "interpolation", *word, WORDS, 3);
}

static bool read_role(ProblemReader *r, ExperimentReader *e) {
  static const char *const WORDS[] = {"fit", "validation"};
  const Yaml *n = yaml_find(e->node, "role");
  const char *word;
  if (yaml_is_null(n)) return true;
  if (!reader_text(r, n, "'role'", &word)) return false;
  e->validation = strcmp(word, WORDS[1]) == 0;
  return e->validation || strcmp(word, WORDS[0]) == 0 ||
         reader_unknown(r, n->at, "role", word, WORDS, 2);
}

static bool read_unscored(ProblemReader *r, ExperimentReader *e) {
  const Yaml *n = yaml_find(e->node, "unscored");
  int rows = e->last - e->first;
  double count;
  if (yaml_is_null(n)) return true;
  if (!reader_number(r, n, "'unscored'", false, &count)) return false;
  if (!(count >= 0 && count == floor(count)))
    return reader_fail(r, n, ERR_VALUE, "'unscored' is a number of samples: 0, 1, 2 ...");
  if (count < rows) {
    e->first += (int)count;
    e->unscored = (int)count;
    return true;
  }
  return reader_fail(r, n, ERR_DATA, "'unscored' leaves nothing of the %d sample%s of %s%.200s",
                     rows, rows == 1 ? "" : "s", e->label ? "a window of " : "", e->table->file);
}

static bool read_experiment(ProblemReader *r, ExperimentReader *e) {
  return check_times(r, e) && find_rows(r, e) && read_start(r, e) && read_every(r, e) &&
         read_unscored(r, e) && read_restart(r, e) && count_times(r, e) && read_windows(r, e) &&
         read_set(r, e) &&
         check_interpolation(r, yaml_find(e->node, "interpolation"), &e->interpolation);
}

// ---------------------------------------------------------------- an entry, which may stand for many

static void add_experiment(ProblemReader *r, const ExperimentReader *e) {
  if (r->experiment_count == r->experiment_room) {
    int room = r->experiment_room ? 2 * r->experiment_room : 8;
    ExperimentReader *all = ARENA_ARRAY(r->scratch, ExperimentReader, room);
    for (int i = 0; i < r->experiment_count; i++) all[i] = r->experiments[i];
    r->experiments = all;
    r->experiment_room = room;
  }
  r->experiments[r->experiment_count] = *e;
  r->experiments[r->experiment_count].number = r->experiment_count;
  r->experiment_count++;
}

static bool check_single_times(ProblemReader *r, const ExperimentReader *e) {
  static const char *const TIMES[] = {"start", "restart"};
  for (int i = 0; i < 2; i++)
    if (!yaml_is_null(yaml_find(e->node, TIMES[i])))
      return reader_fail_key(r, yaml_find(e->node, TIMES[i]), ERR_VALUE,
                             "'%s' is one time, but 'split' makes windows that each begin at their "
                             "first sample",
                             TIMES[i]);
  return true;
}

// 'every' and 'gaps' cut what 'window' leaves of a file whose times go on.
static bool cut_window(ProblemReader *r, ExperimentReader *e) {
  if (!check_single_times(r, e) || !check_times(r, e) || !find_rows(r, e)) return false;
  e->rows_before = e->first, e->rows_after = e->table->rows - e->last;
  e->table = table_rows(r->arena, e->table, e->first, e->last);
  e->from = -HUGE_VAL, e->to = HUGE_VAL;
  return true;
}

// The pieces of a file, one without 'split'.
static bool cut_file(ProblemReader *r, ExperimentReader *whole, bool *used, SplitPieces *pieces) {
  int before = pieces->count;
  bool any = false;
  if (!read_window(r, whole) || (split_cuts_time(whole) && !cut_window(r, whole)) ||
      !read_split(r, whole, used, pieces, &any))
    return false;
  if (!any) return fail_empty(r, whole);
  bool several = pieces->count - before > 1;
  return !several || split_times_go_back(whole) || check_single_times(r, whole);
}

static void warn_single(ProblemReader *r, const Yaml *n, int single, const char *name) {
  if (!single) return;
  reader_warn(
      r, yaml_find(n, "split")->key_at,
      "%d window%s of 'split' %s a single sample%s%.100s: the simulation ends there where it "
      "begins",
      single, single == 1 ? "" : "s", single == 1 ? "has" : "have",
      single == 1 ? ", " : ", the first is ", name);
}

static bool read_entry_files(ProblemReader *r, const Yaml *n, FileNames *out) {
  const Yaml *data = yaml_find(n, "data");
  const char *text;
  if (!data)
    return reader_fail(r, n, ERR_VALUE, "this experiment has no 'data': the name of a file");
  if (!reader_text(r, data, "'data'", &text)) return false;
  if (reader_table(r, text)) {
    array_push(r->arena, out, text);
    return true;
  }
  const char *path = reader_data_path(r, text), *place;
  if (has_pattern(text) && file_kind(path) == FILE_ABSENT) {
    for (int i = 0; !out->count && (place = reader_data_place(r, text, i)); i++)
      *out = pattern_files(r->arena, place);
    return out->count || reader_fail_no_data(r, data, text);
  }
  array_push(r->arena, out, path);
  return true;
}

static bool read_entry(ProblemReader *r, const Yaml *n) {
  static const char *const KEYS[] = {"name",    "data",    "time",   "measure",       "inputs",
                                     "start",   "set",     "window", "interpolation", "role",
                                     "windows", "restart", "split",  "unscored",      "every"};
  FileNames files = {0};
  SplitPieces pieces = {0};
  ExperimentReader e = {.node = n};
  int single = 0;
  const char *first_single = "";
  if (n->kind != YAML_MAP)
    return reader_fail(
        r, n, ERR_VALUE,
        "an experiment must be a mapping, such as {data: swing.csv, measure: {theta: "
        "angle}}");
  if (!reader_keys(r, n, "an experiment", KEYS, sizeof KEYS / sizeof *KEYS) || !read_role(r, &e) ||
      !read_entry_files(r, n, &files))
    return false;
  bool *used = ARENA_ARRAY(r->scratch, bool, split_item_count(n) + 1);
  for (int f = 0; f < files.count; f++) {
    ExperimentReader whole = e;
    int before = pieces.count;
    whole.path = files.at[f];
    if (!read_table(r, &whole) || !cut_file(r, &whole, used, &pieces)) return false;
    for (int i = before; i < pieces.count; i++) {
      ExperimentReader one = whole;
      one.table = pieces.at[i].table, one.label = pieces.at[i].label;
      one.rows_before = pieces.at[i].rows_before, one.rows_after = pieces.at[i].rows_after;
      one.validation |= pieces.at[i].validation;
      if (!read_name(r, &one, files.count > 1) || !read_experiment(r, &one)) return false;
      bool is_single = one.label && one.table->column[one.time][one.last - 1] == one.start;
      if (is_single && !single++) first_single = one.name;
      add_experiment(r, &one);
    }
  }
  warn_single(r, n, single, first_single);
  return split_check(r, n, used, &pieces);
}

static void warn_time_unit(ProblemReader *r, const ExperimentReader *e) {
  const Table *t = e->table;
  Unit unit, second;
  bool has_units = false;
  for (int i = 0; i < r->flat->variables.count; i++) has_units |= r->flat->variables.at[i].unit[0];
  if (!t->units || !has_units || !unit_parse("s", &second, NULL)) return;
  if (!unit_parse(t->units[e->time], &unit, NULL) || unit_same(&unit, &second)) return;
  reader_warn(r, (Place){.file = t->file},
              "the time in column '%.80s' is in %.40s, while models with units run in s; rates "
              "would be per %.40s",
              t->names[e->time], t->units[e->time], t->units[e->time]);
}

// Those to be fitted come first, in the order of the file.
static bool sort_by_role(ProblemReader *r, const Yaml *n) {
  ExperimentReader *sorted = ARENA_ARRAY(r->scratch, ExperimentReader, r->experiment_count);
  int count = 0;
  for (int role = 0; role < 2; role++) {
    for (int i = 0; i < r->experiment_count; i++)
      if (r->experiments[i].validation == (role == 1)) sorted[count++] = r->experiments[i];
    if (role == 0) r->fit_count = count;
  }
  r->experiments = sorted;
  return r->fit_count ||
         reader_fail_key(r, n, ERR_VALUE,
                         "all experiments have the role validation; at least one must be fitted "
                         "(role: fit, the default)");
}

bool read_experiments(ProblemReader *r) {
  const Yaml *n = yaml_find(r->root, "experiments");
  if (yaml_is_null(n) || (n->kind == YAML_LIST && !n->items.count))
    return reader_fail(r, n ? n : r->root, ERR_VALUE,
                       "there are no 'experiments'; at least one is needed, such as experiments: "
                       "[{data: swing.csv, measure: {theta: angle}}]");
  if (n->kind == YAML_TEXT)
    return reader_fail(r, n, ERR_VALUE, "'experiments' must be a list of mappings");
  int entries = n->kind == YAML_LIST ? n->items.count : 1;
  for (int i = 0; i < entries; i++)
    if (!read_entry(r, n->kind == YAML_LIST ? n->items.at[i] : n)) return false;
  give_names(r);
  for (int i = 0; i < r->experiment_count; i++) warn_time_unit(r, &r->experiments[i]);
  return sort_by_role(r, n);
}

// ---------------------------------------------------------------- inputs

typedef struct InputSource { // an input of an experiment
  const char *column, *interpolation;
  Place at;
  bool is_number;
  double value;
  bool has_gain, has_offset;
  Conversion scaled; // input = gain*column + offset
} InputSource;

static bool read_scaling(ProblemReader *r, const Yaml *map, const char *key, const Variable *v,
                         bool *given, double *value) {
  const Yaml *n = yaml_find(map, key);
  if (yaml_is_null(n)) return true;
  *given = true;
  if (v->boolean)
    return reader_fail_key(r, n, ERR_VALUE, "%s is Boolean: it cannot have %s", v->name, key);
  if (n->kind == YAML_MAP || strcmp(n->text, "estimate") == 0)
    return reader_fail(
        r, n, ERR_UNSUPPORTED,
        "%s of an input must be a number; to estimate it, make it a parameter of the "
        "model, such as k*%s",
        key, v->name);
  char what[140];
  c_snprintf(what, sizeof what, "%s of the input %.100s", key, v->name);
  return reader_number(r, n, what, false, value);
}

static bool read_input_mapping(ProblemReader *r, const Yaml *n, const Variable *v, InputSource *s) {
  static const char *const KEYS[] = {"column", "interpolation", "gain", "offset", "factor"};
  const Yaml *factor = yaml_find(n, "factor");
  if (!yaml_is_null(factor) && !yaml_is_null(yaml_find(n, "gain")))
    return reader_fail_key(r, factor, ERR_VALUE,
                           "factor and gain of an input are the same: give one of them");
  if (!reader_keys(r, n, "an input", KEYS, 5) ||
      !check_interpolation(r, yaml_find(n, "interpolation"), &s->interpolation) ||
      !read_scaling(r, n, "gain", v, &s->has_gain, &s->scaled.gain) ||
      !read_scaling(r, n, "factor", v, &s->has_gain, &s->scaled.gain) ||
      !read_scaling(r, n, "offset", v, &s->has_offset, &s->scaled.offset))
    return false;
  return s->scaled.gain != 0 ||
         reader_fail(r, yaml_is_null(factor) ? yaml_find(n, "gain") : factor, ERR_VALUE,
                     "%s must not be 0; write a constant input as %s: number",
                     yaml_is_null(factor) ? "gain" : "factor", v->name);
}

static bool is_column(const ExperimentReader *e, const char *name) {
  return table_find(e->table, name) >= 0;
}

// An expression such as 8/3; names of columns begin with letters.
static bool is_arithmetic(const char *text) {
  return number_beyond(text) || (strspn(text, "+-(.0123456789") > 0 && strpbrk(text, "+-*/^("));
}

static bool read_constant(ProblemReader *r, const ExperimentReader *e, const Yaml *n,
                          const Variable *v, InputSource *s) {
  char what[140];
  if (n->quoted) return true;
  s->is_number = v->boolean && (strcmp(n->text, "true") == 0 || strcmp(n->text, "false") == 0);
  s->value = s->is_number && n->text[0] == 't';
  if (!s->is_number) s->is_number = number_parse(n->text, &s->value);
  if (!s->is_number && !is_column(e, n->text) && is_arithmetic(n->text)) {
    c_snprintf(what, sizeof what, "the value of the input %.100s", v->name);
    s->is_number = true;
    if (!reader_number(r, n, what, true, &s->value)) return false;
  }
  s->value = s->scaled.gain * s->value + s->scaled.offset;
  return !s->is_number || isfinite(s->value) ||
         reader_fail(r, n, ERR_VALUE, "the value of the input %s must be finite", v->name);
}

static bool read_input_entry(ProblemReader *r, const ExperimentReader *e, const Yaml *n,
                             const Variable *v, InputSource *s) {
  const Yaml *column = n->kind == YAML_MAP ? yaml_find(n, "column") : n;
  s->at = n->key_at;
  if (n->kind == YAML_LIST) return reader_map(r, n, "an input");
  if (n->kind == YAML_MAP && !read_input_mapping(r, n, v, s)) return false;
  if (yaml_is_null(column)) return true;
  if (!reader_text(r, column, "'column'", &s->column)) return false;
  s->at = column->at;
  return read_constant(r, e, column, v, s);
}

static void check_input_unit(ProblemReader *r, const Table *t, int column, const Variable *v,
                             const InputSource *s) {
  Conversion c;
  char text[CONVERSION_TEXT_SIZE];
  const char *name = t->names[column];
  double right;
  if (!t->units) return;
  if (s->has_gain) {
    if (conversion_is_inverse(t->units[column], v->unit, s->scaled.gain, &right))
      reader_warn(
          r, s->at,
          "column '%.80s' is in %.40s and the input %s in %s: the factor %.10g converts the "
          "other way, %.10g is meant",
          name, t->units[column], v->name, v->unit, s->scaled.gain, right);
    return;
  }
  ConversionKind kind = conversion_find(t->units[column], v->unit, &c);
  if (kind == CONVERSION_FOUND && (c.gain != 1 || !s->has_offset))
    reader_warn(r, s->at,
                "column '%.80s' is in %.40s, but the input %s of the model is in %s; write inputs: "
                "{%s: {column: %.80s, %s}} to convert it",
                name, t->units[column], v->name, v->unit, v->name, name, conversion_text(&c, text));
  if (kind == CONVERSION_IMPOSSIBLE)
    reader_warn(r, s->at,
                "column '%.80s' is in %.40s, but the input %s of the model is in %s, another "
                "quantity; a factor between them can be given as inputs: {%s: {column: %.80s, "
                "gain: ...}}",
                name, t->units[column], v->name, v->unit, v->name, name);
}

// The table with one column changed.
static Table scaled_table(ProblemReader *r, const Table *t, int column, const Conversion *c) {
  Table copy = *t;
  double *values = ARENA_ARRAY(r->scratch, double, t->rows + 1);
  for (int i = 0; i < t->rows; i++) values[i] = c->gain * t->column[column][i] + c->offset;
  const double **all = ARENA_ARRAY(r->scratch, const double *, t->columns);
  memcpy(all, t->column, (size_t)t->columns * sizeof *all);
  all[column] = values;
  copy.column = all;
  return copy;
}

InputKind reader_interpolation(const ProblemReader *r, const ExperimentReader *e) {
  InputKind kind = INPUT_LINEAR;
  char word[OPTION_WORD_SIZE];
  simulate_options_word(&r->problem->simulate, "interpolation", word);
  input_kind_find(e->interpolation ? e->interpolation : word, &kind);
  return kind;
}

static const Input *input_from_column(ProblemReader *r, ExperimentReader *e, const Variable *v,
                                      const InputSource *s) {
  InputKind kind = reader_interpolation(r, e);
  Err own = {0};
  const Table *all = e->full ? e->full : e->table; // inputs keep all their samples
  int column = reader_column(r, all, s->at, s->column);
  if (column < 0) return NULL;
  if (s->interpolation) input_kind_find(s->interpolation, &kind);
  if (v->boolean) kind = INPUT_HOLD; // Boolean inputs are not interpolated
  check_input_unit(r, all, column, v, s);
  Table table = *all;
  if (s->has_gain || s->has_offset) table = scaled_table(r, all, column, &s->scaled);
  Arena *a = e->origin == 0 ? r->arena : r->scratch; // else it is copied
  const Input *in = input_from_table(a, &table, e->time, column, kind, &own);
  if (!in && r->err->code == ERR_NONE) *r->err = own;
  array_push(r->scratch, &e->inputs, ((InputColumn){v->name, column, kind}));
  return in ? input_since(r->arena, in, e->origin) : NULL;
}

static const Input *default_input(ProblemReader *r, const ExperimentReader *e, const Variable *v) {
  const Yaml *n = yaml_find(e->node, "inputs");
  Place at = n ? n->key_at : e->node->at;
  if (!v->has_value)
    reader_fail_place(r, at, ERR_DATA,
                      "the input %s of the model has no data here: %.200s has no column of that "
                      "name; give it under 'inputs', such as inputs: {%s: 0}",
                      v->name, e->table->file, v->name);
  else if (v->default_follows)
    reader_fail_place(r, at, ERR_UNSUPPORTED,
                      "the default of the input %s depends on parameters, which a fit does not "
                      "support; give it under 'inputs'",
                      v->name);
  else
    return input_constant(r->arena, v->default_value);
  return NULL;
}

static const Input *make_input(ProblemReader *r, ExperimentReader *e, const Variable *v) {
  const Yaml *n = yaml_find(yaml_find(e->node, "inputs"), v->name);
  InputSource s = {.column = v->name, .at = e->node->at, .scaled = {1, 0}};
  if (yaml_is_absent(n)) n = NULL;
  if (n && !read_input_entry(r, e, n, v, &s)) return NULL;
  if (s.is_number) return input_constant(r->arena, s.value);
  if (n || table_find(e->table, v->name) >= 0) return input_from_column(r, e, v, &s);
  return default_input(r, e, v);
}

static bool check_input_names(ProblemReader *r, const Yaml *n) {
  const Model *m = r->problem->model;
  const char **known = ARENA_ARRAY(r->scratch, const char *, m->nu + 1);
  if (!reader_map(r, n, "'inputs'")) return false;
  for (int i = 0; i < m->nu; i++) known[i] = m->flat->variables.at[m->input[i]].name;
  for (int i = 0; i < (n ? n->items.count : 0); i++) {
    bool found = false;
    for (int k = 0; k < m->nu; k++) found |= strcmp(known[k], n->items.at[i]->key) == 0;
    if (!found)
      return reader_unknown(r, n->items.at[i]->key_at, "input of the model called",
                            n->items.at[i]->key, known, m->nu);
  }
  return true;
}

bool read_experiment_inputs(ProblemReader *r) {
  const Model *m = r->problem->model;
  for (int i = 0; i < r->experiment_count; i++) {
    ExperimentReader *e = &r->experiments[i];
    Experiment *out = &r->problem->experiments[i];
    if (!check_input_names(r, yaml_find(e->node, "inputs"))) return false;
    out->inputs = ARENA_ARRAY(r->arena, const Input *, m->nu + 1);
    for (int k = 0; k < m->nu; k++) {
      out->inputs[k] = make_input(r, e, &m->flat->variables.at[m->input[k]]);
      if (!out->inputs[k]) return false;
    }
  }
  return true;
}

// ---------------------------------------------------------------- values of the parameters

typedef ARRAY(Override) Overrides;

static bool is_set(const ExperimentReader *e, int parameter) {
  for (int i = 0; i < e->set.count; i++)
    if (e->set.at[i].parameter == parameter) return true;
  return false;
}

static Overrides overrides_of(ProblemReader *r, const ExperimentReader *e) {
  Overrides list = {0};
  for (int i = 0; i < e->set.count; i++) {
    const SetValue *s = &e->set.at[i];
    array_push(r->scratch, &list,
               ((Override){r->flat->parameters.at[s->parameter].name, s->value}));
  }
  for (int i = 0; i < r->estimates.count; i++) {
    const Estimate *s = &r->estimates.at[i];
    double start = s->by_experiment ? s->by_experiment[e - r->experiments].start : s->spec.start;
    if (!is_set(e, s->parameter)) array_push(r->scratch, &list, ((Override){s->name, start}));
  }
  int own = list.count; // they come before the values that a model of memory has
  for (int i = 0; i < r->override_count; i++) {
    bool is_given = false;
    for (int k = 0; k < own; k++) is_given |= strcmp(list.at[k].name, r->overrides[i].name) == 0;
    if (!is_given) array_push(r->scratch, &list, r->overrides[i]);
  }
  return list;
}

// A parameter that is independent in the model because another experiment sets it must not depend on an unknown here.
static bool check_followers(ProblemReader *r, const ExperimentReader *e, const Flat *here) {
  const Flat *all = r->problem->model->flat;
  for (int i = 0; i < r->estimates.count; i++) {
    const Estimate *s = &r->estimates.at[i];
    if (s->spec.fixed || is_set(e, s->parameter)) continue;
    Expr node = here->parameters.at[s->parameter].node;
    unsigned char *follows = expr_dependents(here->graph, r->scratch, &node, 1);
    for (int k = 0; k < here->parameters.count; k++) {
      const Parameter *p = &here->parameters.at[k];
      if (p->dependent && !all->parameters.at[k].dependent && follows[p->node])
        return reader_fail(r, e->node, ERR_VALUE,
                           "%s is set in another experiment, and here it depends on %s, which is "
                           "estimated; set %s in this experiment, too",
                           p->name, s->name, p->name);
    }
  }
  return true;
}

// Values of all parameters: reads the model again with the settings of the experiment, because other parameters may depend
// on them. NULL on error.
static const double *model_values(ProblemReader *r, const ExperimentReader *e) {
  Overrides list = overrides_of(r, e);
  Flat *here = flatten(r->scratch, r->model_source, r->ast, list.at, list.count, r->err);
  if (!here || !check_followers(r, e, here)) return NULL;
  const Model *m = r->problem->model;
  double *p = ARENA_ARRAY(r->scratch, double, m->np + 1);
  for (int k = 0; k < m->np; k++) {
    const Flat *f = k < here->parameters.count ? here : m->flat;
    p[k] = f->parameters.at[k].value;
  }
  return p;
}

bool read_experiment_values(ProblemReader *r) {
  int np = r->problem->model->np;
  const double *plain = NULL; // values in experiments without settings
  for (int i = 0; i < r->experiment_count; i++) {
    const ExperimentReader *e = &r->experiments[i];
    bool is_plain = e->set.count == 0;
    for (int k = 0; k < r->estimates.count; k++) is_plain &= !r->estimates.at[k].by_experiment;
    const double *values = is_plain && plain ? plain : model_values(r, e);
    if (!values) return false;
    if (is_plain) plain = values;
    double *p = r->problem->experiments[i].p = ARENA_ARRAY(r->arena, double, np + 1);
    memcpy(p, values, (size_t)np * sizeof *p);
    for (int k = 0; k < r->sensors.count; k++) {
      const Sensor *s = &r->sensors.at[k];
      if (s->spec[i].node) p[s->parameter] = s->spec[i].start;
    }
  }
  return true;
}
