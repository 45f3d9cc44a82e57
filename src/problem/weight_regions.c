// Reads weights.regions: conditions such as time < 5 and alpha > 0.1. Their names are symbols of a small graph of its own,
// so that relations make no events in the model.
#include <math.h>
#include <string.h>

#include "lang/name.h"
#include "lang/parse.h"
#include "model/flatten.h"
#include "problem/weight_reader.h"

typedef struct Condition {
  WeightReader *w;
  const Yaml *node; // the text
  Graph *graph;
  Flat *names;
  Expr *symbol; // by source
  Expr e;
} Condition;

static void add_name(Flat *f, const char *name, VariableKind kind, Expr node, bool boolean) {
  Variable v = {.name = name, .kind = kind, .node = node, .boolean = boolean};
  names_set(f->names, name, f->variables.count);
  array_push(f->arena, &f->variables, v);
}

static void collect_names(Condition *c) {
  Arena *a = c->w->r->scratch;
  const Flat *model = c->w->r->problem->model->flat;
  Graph *g = c->graph = graph_new(a);
  Flat *f = c->names = ARENA_NEW(a, Flat);
  expr_make_time(g);
  f->arena = a, f->graph = g, f->name = "a condition";
  f->time = g->time, f->origin = g->origin, f->now = g->now;
  f->names = names_new(a);
  for (int i = 0; i < model->variables.count; i++) {
    const Variable *v = &model->variables.at[i];
    double value;
    if (v->kind == VARIABLE_CONSTANT && flat_number((Flat *)model, v->node, &value))
      add_name(f, v->name, VARIABLE_CONSTANT, expr_const(g, value), v->boolean);
  }
  c->symbol = ARENA_ARRAY(a, Expr, c->w->sources.count + 1);
  for (int i = 0; i < c->w->sources.count; i++) {
    const char *name = c->w->sources.at[i].name;
    c->symbol[i] = expr_symbol(g, name, true);
    add_name(f, name, VARIABLE_UNKNOWN, c->symbol[i], false);
  }
}

// ---------------------------------------------------------------- names

typedef struct RegionNames {
  Condition *c;
  const Ast *tree;
  bool ok;
} RegionNames;

static bool check_name(Condition *c, const Ast *e) {
  const char *name = name_of_tree(c->w->r->scratch, e);
  if (!name || strcmp(name, "time") == 0) return true; // others are refused when it is converted
  const char *plain = name_unquoted(c->w->r->scratch, name);
  if (names_find(c->names->names, name) >= 0 || names_find(c->names->names, plain) >= 0)
    return true;
  Place at = c->node->at;
  if (at.line && e->line == 1) at.column += e->column - 1 + c->node->quoted;
  return weight_unknown_name(c->w, at, plain);
}

static bool check_names(Condition *c, const Ast *e) {
  if (e->kind == AST_NUMBER || e->kind == AST_BOOL || e->kind == AST_STRING) return true;
  if (e->kind == AST_NAME || e->kind == AST_FIELD || e->kind == AST_INDEX) return check_name(c, e);
  for (int i = 0; i < e->arg_count; i++)
    if (!check_names(c, e->args[i])) return false;
  return true;
}

static void run_check(void *data) {
  RegionNames *n = data;
  n->ok = check_names(n->c, n->tree);
}

static bool read_condition(Condition *c) {
  ProblemReader *r = c->w->r;
  Err own = {0};
  const Ast *tree;
  const Source *s = source_new(r->scratch, "condition", c->node->text, strlen(c->node->text), &own);
  tree = s ? parse_expression(r->scratch, s, &own) : NULL;
  if (tree) {
    RegionNames n = {c, tree, false};
    ast_recurse(tree, run_check, &n);
    if (!n.ok) return false;
  }
  if (!reader_expression(r, c->names, c->node->text, c->node->at, c->node->quoted, &tree, &c->e))
    return false;
  return reader_is_condition(tree) ||
         reader_fail(r, c->node, ERR_VALUE,
                     "'where' must be a condition, such as time < 5 and %s > 0.1",
                     c->w->sources.count ? c->w->sources.at[0].name : "x");
}

// ---------------------------------------------------------------- values

static double value_at(const Condition *c, const double *symbol, double *v) {
  const Graph *g = c->graph;
  for (Expr i = 0; i <= c->e; i++) {
    const ExprNode *n = expr_node(g, i);
    v[i] = n->op == OP_CONST    ? n->value
           : n->op == OP_SYMBOL ? symbol[n->a]
                                : expr_apply(g, n, v[n->a], v[n->b], v[n->c]);
  }
  return v[c->e];
}

static void multiply(const Condition *c, WeightRegion *region) {
  const Problem *p = c->w->r->problem;
  Arena *a = c->w->r->scratch;
  double *symbol = ARENA_ARRAY(a, double, c->graph->symbols.count + 1),
         *v = ARENA_ARRAY(a, double, c->e + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    const WeightInstants *at = &c->w->out->at[e];
    symbol[expr_node(c->graph, c->graph->origin)->a] = p->experiments[e].origin;
    for (int i = 0; i < at->count; i++) {
      symbol[expr_node(c->graph, c->graph->time)->a] = at->t[i];
      for (int k = 0; k < c->w->sources.count; k++)
        symbol[expr_node(c->graph, c->symbol[k])->a] = c->w->sources.at[k].value[e][i];
      if (value_at(c, symbol, v) == 0) continue;
      at->weight[i] *= region->weight;
      region->samples++;
    }
  }
}

// ---------------------------------------------------------------- regions

static bool read_region(WeightReader *w, const Yaml *n, WeightRegion *region) {
  static const char *const KEYS[] = {"where", "weight"};
  ProblemReader *r = w->r;
  const Yaml *where = yaml_find(n, "where"), *weight = yaml_find(n, "weight");
  if (n->kind != YAML_MAP || yaml_is_null(where) || yaml_is_null(weight))
    return reader_keys(r, n, "a region", KEYS, 2) &&
           reader_fail(
               r, n, ERR_VALUE,
               "a region has a condition and a weight, such as {where: time < 5, weight: 3}");
  if (!reader_keys(r, n, "a region", KEYS, 2) ||
      !reader_text(r, where, "'where'", &region->where) ||
      !reader_number(r, weight, "the weight of a region", false, &region->weight))
    return false;
  if (region->weight < 0)
    return reader_fail(r, weight, ERR_VALUE, "the weight of a region must not be negative");
  Condition c = {.w = w, .node = where};
  collect_names(&c);
  if (!read_condition(&c)) return false;
  multiply(&c, region);
  if (!region->samples)
    reader_warn(r, where->at, "the condition '%.100s' holds for no sample", region->where);
  return true;
}

bool read_weight_regions(WeightReader *w) {
  const Yaml *n = yaml_find(w->node, "regions");
  if (yaml_is_null(n)) return true;
  int count = n->kind == YAML_LIST ? n->items.count : 1;
  w->out->regions = ARENA_ARRAY(w->r->arena, WeightRegion, count + 1);
  for (int i = 0; i < count; i++)
    if (!read_region(w, n->kind == YAML_LIST ? n->items.at[i] : n,
                     &w->out->regions[w->out->region_count++]))
      return false;
  return true;
}
