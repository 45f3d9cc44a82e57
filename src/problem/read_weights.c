// Reads 'weights' and computes the weights of all samples from the data (num/density.h, num/distance_sums.h).
//
// Instants are the rows of the data, in the windows, in which something is measured. A variable that has no value at an
// instant is interpolated linearly in time between its neighbours, and constant beyond its first and last one: columns of
// several sampling rates are usual. Sensors of known or started gain and offset are converted to the variable that they
// show, so that experiments with other units share a space.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "num/density.h"
#include "num/distance_sums.h"
#include "problem/weight_reader.h"

static const char *const WORDS[] = {
#define WEIGHT_KIND(name, word, meaning) word,
    WEIGHT_KINDS
#undef WEIGHT_KIND
};
static const char *const MEANINGS[] = {
#define WEIGHT_KIND(name, word, meaning) meaning,
    WEIGHT_KINDS
#undef WEIGHT_KIND
};

const char *weight_kind_word(WeightKind k) {
  return WORDS[k];
}

const char *weight_kind_meaning(WeightKind k) {
  return MEANINGS[k];
}

// ---------------------------------------------------------------- instants

static const Channel *find_channel(const Problem *p, int experiment, int measured) {
  for (int c = 0; c < p->experiments[experiment].channel_count; c++)
    if (strcmp(p->experiments[experiment].channels[c].name, p->measured_name[measured]) == 0)
      return &p->experiments[experiment].channels[c];
  return NULL;
}

// Marks the rows in which some channel has a value; returns their number.
static int mark_rows(const WeightReader *w, int experiment, bool *used) {
  const ExperimentReader *e = &w->r->experiments[experiment];
  const Experiment *x = &w->r->problem->experiments[experiment];
  int count = 0;
  for (int c = 0; c < x->channel_count; c++) {
    const double *y = e->table->column[table_find(e->table, x->channels[c].column)] + e->first;
    for (int i = 0; i < e->last - e->first; i++) {
      count += !used[i] && !isnan(y[i]);
      used[i] |= !isnan(y[i]);
    }
  }
  return count;
}

static void list_instants(WeightReader *w) {
  const Problem *p = w->r->problem;
  w->out->at = ARENA_ARRAY(w->r->arena, WeightInstants, p->experiment_count + 1);
  for (int k = 0; k < p->experiment_count; k++) {
    const ExperimentReader *e = &w->r->experiments[k];
    WeightInstants *at = &w->out->at[k];
    int rows = e->last - e->first;
    bool *used = ARENA_ARRAY(w->r->scratch, bool, rows + 1);
    int count = mark_rows(w, k, used);
    at->t = ARENA_ARRAY(w->r->arena, double, count + 1);
    at->weight = ARENA_ARRAY(w->r->arena, double, count + 1);
    for (int i = 0; i < rows; i++) {
      if (!used[i]) continue;
      at->t[at->count] = e->since[i];
      at->weight[at->count++] = 1;
    }
    w->out->count += count;
  }
}

// ---------------------------------------------------------------- variables

// Values of a channel at the instants, in the unit of what it measures.
static bool channel_values(WeightReader *w, int experiment, const Channel *c, WeightSource *s) {
  const Experiment *x = &w->r->problem->experiments[experiment];
  const WeightInstants *at = &w->out->at[experiment];
  double gain = c->gain >= 0 ? x->p[c->gain] : 1, offset = c->offset >= 0 ? x->p[c->offset] : 0;
  if (gain == 0) gain = 1, offset = 0;
  Err own = {0};
  const Input *in = input_new(w->r->scratch, c->t, c->y, c->count, INPUT_LINEAR, &own);
  if (!in) return reader_adopt(w->r, w->node, &own);
  int next = 0;
  for (int i = 0; i < at->count; i++) {
    while (next < c->count && c->t[next] < at->t[i]) next++;
    bool here = next < c->count && c->t[next] == at->t[i];
    s->missing += !here;
    s->value[experiment][i] = ((here ? c->y[next] : input_value(in, at->t[i])) - offset) / gain;
  }
  return true;
}

static bool fill_source(WeightReader *w, WeightSource *s) {
  const Problem *p = w->r->problem;
  s->value = ARENA_ARRAY(w->r->arena, double *, p->experiment_count + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    const WeightInstants *at = &w->out->at[e];
    s->value[e] = ARENA_ARRAY(w->r->arena, double, at->count + 1);
    const Channel *c = s->is_input ? NULL : find_channel(p, e, s->number);
    if (c && !channel_values(w, e, c, s)) return false;
    for (int i = 0; i < at->count && s->is_input; i++)
      s->value[e][i] = input_value(p->experiments[e].inputs[s->number], at->t[i]);
  }
  return true;
}

static bool is_measured_everywhere(const Problem *p, int measured) {
  for (int e = 0; e < p->experiment_count; e++)
    if (!find_channel(p, e, measured)) return false;
  return true;
}

static bool name_is_taken(const WeightReader *w, const char *name) {
  for (int i = 0; i < w->sources.count; i++)
    if (strcmp(w->sources.at[i].name, name) == 0) return true;
  return false;
}

static const char *unit_of(const WeightReader *w, const char *name) {
  const Flat *f = w->r->problem->model->flat;
  int i = names_find(f->names, name);
  return i >= 0 && f->variables.at[i].unit ? f->variables.at[i].unit : "";
}

static bool list_sources(WeightReader *w) {
  const Problem *p = w->r->problem;
  for (int k = 0; k < p->measured_count; k++) {
    WeightSource s = {.name = p->measured_name[k], .number = k};
    if (!is_measured_everywhere(p, k) || name_is_taken(w, s.name)) continue;
    s.unit = unit_of(w, s.name);
    array_push(w->r->scratch, &w->sources, s);
  }
  for (int k = 0; k < p->model->nu; k++) {
    const Variable *v = &p->model->flat->variables.at[p->model->input[k]];
    WeightSource s = {.name = v->name, .unit = unit_of(w, v->name), .is_input = true, .number = k};
    array_push(w->r->scratch, &w->sources, s);
  }
  for (int i = 0; i < w->sources.count; i++)
    if (!fill_source(w, &w->sources.at[i])) return false;
  return true;
}

const char **weight_source_names(WeightReader *w) {
  const char **names = ARENA_ARRAY(w->r->scratch, const char *, w->sources.count + 1);
  for (int i = 0; i < w->sources.count; i++) names[i] = w->sources.at[i].name;
  return names;
}

bool weight_unknown_name(WeightReader *w, Place at, const char *name) {
  const Problem *p = w->r->problem;
  for (int k = 0; k < p->measured_count; k++)
    for (int e = 0; e < p->experiment_count && strcmp(p->measured_name[k], name) == 0; e++)
      if (!find_channel(p, e, k))
        return reader_fail_place(
            w->r, at, ERR_NAME,
            "%.100s is not measured in experiment %d (%.100s): the weights are "
            "those of all experiments together",
            name, p->experiments[e].number + 1, p->experiments[e].name);
  const char **known = weight_source_names(w);
  int i = names_find(p->model->flat->names, name);
  const Variable *v = i >= 0 ? &p->model->flat->variables.at[i] : NULL;
  if (v && v->kind == VARIABLE_UNKNOWN) {
    Text list;
    text_init(&list);
    for (int k = 0; k < w->sources.count; k++) text_print(&list, "%s%s", k ? ", " : "", known[k]);
    reader_fail_place(w->r, at, ERR_NAME,
                      "%.100s is not measured: weights follow from the data alone, which are of "
                      "%.300s",
                      name, list.at);
    text_done(&list);
    return false;
  }
  return reader_unknown(w->r, at, "measured channel or input", name, known, w->sources.count);
}

// ---------------------------------------------------------------- which of them

// Whether weights depend on where samples lie.
static bool has_space(WeightKind k) {
  return k == WEIGHT_GRID || k == WEIGHT_ELLIPSES || k == WEIGHT_DISTANCES;
}

static bool use_source(WeightReader *w, const WeightSource *s) {
  SampleWeights *o = w->out;
  const Problem *p = w->r->problem;
  WeightVariable v = {.name = s->name, .unit = s->unit, .cells = 20};
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (int e = 0; e < p->experiment_count; e++) {
    o->at[e].value[o->variable_count] = s->value[e];
    for (int i = 0; i < o->at[e].count; i++)
      least = fmin(least, s->value[e][i]), most = fmax(most, s->value[e][i]);
  }
  v.least = least, v.range = most - least;
  if (isinf(v.range))
    return reader_fail(w->r, w->node, ERR_DATA, "the range of %.100s is not finite", s->name);
  o->variables[o->variable_count++] = v;
  if (s->missing && has_space(o->kind))
    reader_warn(w->r, w->node->at,
                "%.100s has no value at %d of %d samples; for their weights it is interpolated",
                s->name, s->missing, o->count);
  return true;
}

static bool use_named(WeightReader *w, const Yaml *n) {
  const char *name;
  if (!reader_text(w->r, n, "a variable of 'over'", &name)) return false;
  for (int k = 0; k < w->out->variable_count; k++)
    if (strcmp(w->out->variables[k].name, name) == 0)
      return reader_fail(w->r, n, ERR_NAME, "'%.100s' is named twice", name);
  for (int i = 0; i < w->sources.count; i++) {
    if (strcmp(w->sources.at[i].name, name) != 0) continue;
    if (!use_source(w, &w->sources.at[i])) return false;
    if (has_space(w->out->kind) && !(w->out->variables[w->out->variable_count - 1].range > 0))
      reader_warn(w->r, n->at, "%.100s does not change, so it does not count for the weights",
                  name);
    return true;
  }
  return weight_unknown_name(w, n->at, name);
}

static bool warn_flat(WeightReader *w) {
  bool changes = !has_space(w->out->kind);
  for (int k = 0; k < w->out->variable_count; k++) changes |= w->out->variables[k].range > 0;
  if (!changes)
    reader_warn(w->r, w->node->at,
                "no variable of the weights changes: all samples count the same");
  return true;
}

static bool read_over(WeightReader *w) {
  const Yaml *n = yaml_find(w->node, "over");
  const Problem *p = w->r->problem;
  SampleWeights *o = w->out;
  int most = n && n->kind == YAML_LIST ? n->items.count : w->sources.count;
  o->variables = ARENA_ARRAY(w->r->arena, WeightVariable, most + 1);
  for (int e = 0; e < p->experiment_count; e++)
    o->at[e].value = ARENA_ARRAY(w->r->arena, const double *, most + 1);
  if (!yaml_is_null(n) && n->kind == YAML_TEXT) return use_named(w, n) && warn_flat(w);
  if (!yaml_is_null(n) && (n->kind != YAML_LIST || !n->items.count))
    return reader_fail(w->r, n, ERR_VALUE, "'over' must be a list of measured channels and inputs");
  for (int i = 0; n && i < n->items.count; i++)
    if (!use_named(w, n->items.at[i])) return false;
  for (int i = 0; !n && i < w->sources.count; i++)
    if (!use_source(w, &w->sources.at[i])) return false;
  return warn_flat(w);
}

// ---------------------------------------------------------------- settings

enum { CELLS_MOST = 1000000, SHIFTS_MOST = 1000 };

static bool read_whole(WeightReader *w, const Yaml *n, const char *what, int most, int *out) {
  double value;
  if (!reader_number(w->r, n, what, false, &value)) return false;
  if (!(value >= 1 && value <= most && value == floor(value)))
    return reader_fail(w->r, n, ERR_VALUE, "%s must be a whole number from 1 to %d", what, most);
  *out = (int)value;
  return true;
}

static bool read_cells_by_name(WeightReader *w, const Yaml *n) {
  for (int i = 0; i < n->items.count; i++) {
    const Yaml *item = n->items.at[i];
    int found = -1;
    const char **known = weight_source_names(w);
    for (int k = 0; k < w->out->variable_count; k++) {
      known[k] = w->out->variables[k].name;
      if (strcmp(known[k], item->key) == 0) found = k;
    }
    if (found < 0)
      return reader_unknown(w->r, item->key_at, "variable of the weights called", item->key, known,
                            w->out->variable_count);
    if (!read_whole(w, item, "'cells'", CELLS_MOST, &w->out->variables[found].cells)) return false;
  }
  return true;
}

static bool read_cells(WeightReader *w) {
  const Yaml *n = yaml_find(w->node, "cells");
  int all = 0;
  if (yaml_is_null(n)) return true;
  if (n->kind == YAML_MAP) return read_cells_by_name(w, n);
  if (n->kind == YAML_TEXT) {
    if (!read_whole(w, n, "'cells'", CELLS_MOST, &all)) return false;
    for (int k = 0; k < w->out->variable_count; k++) w->out->variables[k].cells = all;
    return true;
  }
  if (n->items.count != w->out->variable_count)
    return reader_fail(w->r, n, ERR_VALUE, "'cells' has %d number%s for %d variable%s",
                       n->items.count, n->items.count == 1 ? "" : "s", w->out->variable_count,
                       w->out->variable_count == 1 ? "" : "s");
  for (int k = 0; k < n->items.count; k++)
    if (!read_whole(w, n->items.at[k], "'cells'", CELLS_MOST, &w->out->variables[k].cells))
      return false;
  return true;
}

static bool read_numbers(WeightReader *w) {
  const Yaml *ratio = yaml_find(w->node, "ratio"), *shifts = yaml_find(w->node, "shifts"),
             *one = yaml_find(w->node, "one_per_cell");
  w->out->ratio = 0.05, w->out->shifts = 1;
  if (!yaml_is_null(ratio) && !reader_number(w->r, ratio, "'ratio'", false, &w->out->ratio))
    return false;
  if (!(w->out->ratio > 0))
    return reader_fail(w->r, ratio, ERR_VALUE, "'ratio' must be above 0: a part of the ranges");
  if (!yaml_is_null(shifts) && !read_whole(w, shifts, "'shifts'", SHIFTS_MOST, &w->out->shifts))
    return false;
  return yaml_is_null(one) || reader_flag(w->r, one, "'one_per_cell'", &w->out->one_per_cell);
}

// The kind that a key belongs to, if to one only.
static WeightKind kind_of_key(const char *key) {
  static const char *const OF_GRID[] = {"cells", "one_per_cell", "shifts"};
  for (int i = 0; i < 3; i++)
    if (strcmp(key, OF_GRID[i]) == 0) return WEIGHT_GRID;
  return strcmp(key, "ratio") == 0 ? WEIGHT_ELLIPSES : WEIGHT_NONE;
}

// Keys of other kinds stay, so that the command line can try another kind.
static bool check_keys(WeightReader *w) {
  for (int i = 0; w->node->kind == YAML_MAP && i < w->node->items.count; i++) {
    const Yaml *n = w->node->items.at[i];
    WeightKind own = kind_of_key(n->key);
    if (yaml_is_null(n) || own == WEIGHT_NONE || own == w->out->kind) continue;
    reader_warn(w->r, n->key_at, "'%s' is of the kind %s and is not used by %s", n->key, WORDS[own],
                WORDS[w->out->kind]);
  }
  return w->out->kind != WEIGHT_COLUMN || !yaml_is_null(yaml_find(w->node, "column")) ||
         reader_fail(w->r, w->node, ERR_VALUE,
                     "the kind column needs the name of a column: {kind: column, column: w}");
}

static bool read_kind(WeightReader *w) {
  static const char *const KEYS[] = {"kind",   "cells",  "over",         "ratio",
                                     "column", "shifts", "one_per_cell", "regions"};
  bool word = w->node->kind == YAML_TEXT;
  const Yaml *n = word ? w->node : yaml_find(w->node, "kind");
  const char *text;
  if (w->node->kind == YAML_LIST)
    return reader_fail(w->r, w->node, ERR_VALUE,
                       "'weights' must be a word or a mapping, such as {kind: grid, cells: 20}");
  if (!word && !reader_keys(w->r, w->node, "'weights'", KEYS, sizeof KEYS / sizeof *KEYS))
    return false;
  if (!yaml_is_null(n)) {
    if (!reader_text(w->r, n, "the kind of 'weights'", &text)) return false;
    for (int k = 0; k < WEIGHT_KIND_COUNT; k++)
      if (strcmp(WORDS[k], text) == 0) {
        w->out->kind = (WeightKind)k;
        return check_keys(w);
      }
    return reader_unknown(w->r, n->at, "kind of weights called", text, WORDS, WEIGHT_KIND_COUNT);
  }
  // Without a kind: that of the first key that belongs to one.
  for (int i = 0; i < w->node->items.count && w->out->kind == WEIGHT_NONE; i++) {
    const char *key = w->node->items.at[i]->key;
    w->out->kind = strcmp(key, "over") == 0 ? WEIGHT_GRID : kind_of_key(key);
  }
  if (w->out->kind == WEIGHT_NONE && !yaml_is_null(yaml_find(w->node, "column")))
    w->out->kind = WEIGHT_COLUMN;
  return check_keys(w);
}

// ---------------------------------------------------------------- density

static void compute_density(WeightReader *w) {
  SampleWeights *o = w->out;
  Arena *a = w->r->scratch;
  double *weight = ARENA_ARRAY(a, double, o->count + 1);
  double **at = ARENA_ARRAY(a, double *, o->variable_count + 1);
  int *cells = ARENA_ARRAY(a, int, o->variable_count + 1), first = 0;
  for (int k = 0; k < o->variable_count; k++) {
    at[k] = ARENA_ARRAY(a, double, o->count + 1);
    cells[k] = o->variables[k].cells;
    int n = 0;
    for (int e = 0; e < w->r->problem->experiment_count; e++)
      for (int i = 0; i < o->at[e].count; i++) at[k][n++] = o->at[e].value[k][i];
  }
  Cloud cloud = {o->count, o->variable_count, (const double *const *)at};
  if (o->kind == WEIGHT_GRID)
    o->occupied = grid_weights(&cloud, &(GridRule){cells, o->shifts, o->one_per_cell}, weight);
  if (o->kind == WEIGHT_ELLIPSES) ellipse_weights(&cloud, o->ratio, weight);
  if (o->kind == WEIGHT_DISTANCES) o->error = distance_sums(&cloud, weight);
  normalise_weights(weight, o->count);
  for (int e = 0; e < w->r->problem->experiment_count; first += o->at[e++].count)
    memcpy(o->at[e].weight, weight + first, (size_t)o->at[e].count * sizeof *weight);
}

// ---------------------------------------------------------------- a column

static bool check_weight(WeightReader *w, const Table *t, int row, const char *name, double value) {
  Place at = {t->file, t->line[row], 1};
  if (isnan(value))
    return reader_fail_place(w->r, at, ERR_DATA, "row %d: the weight in column '%.80s' is missing",
                             row + 1, name);
  char text[32];
  number_format(value, text);
  return value >= 0 || reader_fail_place(w->r, at, ERR_DATA,
                                         "row %d: the weight in column '%.80s' must not be "
                                         "negative, but it is %s",
                                         row + 1, name, text);
}

static bool read_weight_column(WeightReader *w) {
  const Yaml *n = yaml_find(w->node, "column");
  if (yaml_is_null(n)) return true;
  if (!reader_text(w->r, n, "'column'", &w->out->column)) return false;
  for (int k = 0; k < w->r->problem->experiment_count; k++) {
    const ExperimentReader *e = &w->r->experiments[k];
    WeightInstants *at = &w->out->at[k];
    int column = reader_column(w->r, e->table, n->at, w->out->column);
    if (column < 0) return false;
    for (int i = 0, row = e->first; i < at->count; i++, row++) {
      while (e->since[row - e->first] != at->t[i]) row++;
      double value = e->table->column[column][row];
      if (!check_weight(w, e->table, row, w->out->column, value)) return false;
      at->weight[i] *= value;
    }
  }
  return true;
}

// ---------------------------------------------------------------- into the channels

static bool normalise(WeightReader *w) {
  SampleWeights *o = w->out;
  double *all = ARENA_ARRAY(w->r->scratch, double, o->count + 1);
  int n = 0;
  double sum = 0, squares = 0;
  o->least = HUGE_VAL, o->most = 0;
  for (int e = 0; e < w->r->problem->experiment_count; e++)
    for (int i = 0; i < o->at[e].count; i++) all[n++] = o->at[e].weight[i];
  bool any = false;
  for (int i = 0; i < n; i++) any |= all[i] > 0;
  if (!any) return reader_fail(w->r, w->node, ERR_VALUE, "all samples have the weight 0");
  o->counted = normalise_weights(all, n);
  n = 0;
  for (int e = 0; e < w->r->problem->experiment_count; e++)
    for (int i = 0; i < o->at[e].count; i++) {
      double weight = o->at[e].weight[i] = all[n++];
      o->least = fmin(o->least, weight), o->most = fmax(o->most, weight);
      sum += weight, squares += weight * weight;
    }
  o->equal = sum / squares * sum;
  return true;
}

static void give_weights(WeightReader *w) {
  Problem *p = w->r->problem;
  for (int e = 0; e < p->experiment_count; e++)
    for (int k = 0; k < p->experiments[e].channel_count; k++) {
      Channel *c = &p->experiments[e].channels[k];
      const WeightInstants *at = &w->out->at[e];
      double *weight = ARENA_ARRAY(w->r->arena, double, c->count + 1);
      int counted = 0;
      for (int i = 0, from = 0; i < c->count; i++) {
        while (at->t[from] != c->t[i]) from++;
        weight[i] = at->weight[from];
        counted += weight[i] > 0;
      }
      c->sample_weight = weight;
      if (!counted)
        reader_warn(w->r, w->node->at,
                    "no sample of %.100s in experiment %d (%.100s) counts: all have the weight 0",
                    c->name, p->experiments[e].number + 1, p->experiments[e].name);
    }
}

bool read_weights(ProblemReader *r) {
  const Yaml *n = yaml_find(r->root, "weights");
  if (yaml_is_null(n)) return true;
  WeightReader w = {.r = r, .node = n, .out = ARENA_NEW(r->arena, SampleWeights)};
  if (!read_kind(&w)) return false;
  list_instants(&w);
  if (!list_sources(&w) || !read_over(&w) || !read_cells(&w) || !read_numbers(&w)) return false;
  if (has_space(w.out->kind)) compute_density(&w);
  if (!read_weight_column(&w) || !read_weight_regions(&w) || !normalise(&w)) return false;
  r->problem->weights = w.out;
  if (w.out->least != 1 || w.out->most != 1) give_weights(&w);
  return true;
}
