#include "model/flat.h"

#include <math.h>
#include <string.h>

// Values are kept by node: parameters have theirs as soon as their symbol exists, and never change.
double flat_value(Flat *f, Expr e) {
  const Graph *g = f->graph;
  if (f->value_room <= e) {
    int room = 2 * g->count;
    double *grown = ARENA_ARRAY(f->arena, double, room);
    if (f->value_count) memcpy(grown, f->values, (size_t)f->value_count * sizeof *grown);
    f->values = grown;
    f->value_room = room;
  }
  for (; f->value_count <= e; f->value_count++) {
    const ExprNode *n = expr_node(g, f->value_count);
    double *v = f->values;
    if (n->op == OP_CONST)
      v[f->value_count] = n->value;
    else if (OPS[n->op].args)
      v[f->value_count] = expr_apply(g, n, v[n->a], v[n->b], v[n->c]);
    else
      v[f->value_count] = nan(""); // varies
  }
  return f->values[e];
}

bool flat_number(Flat *f, Expr e, double *value) {
  const Graph *g = f->graph;
  Arena *scratch = arena_new();
  bool *needed = ARENA_ARRAY(scratch, bool, e + 1), numbers = true;
  needed[e] = true;
  for (Expr i = e; numbers && i >= 0; i--) { // arguments come before their node
    const ExprNode *n = expr_node(g, i);
    if (!needed[i] || n->op == OP_CONST) continue;
    numbers = OPS[n->op].args > 0;
    for (int k = 0; numbers && k < expr_arg_count(g, i); k++) needed[expr_arg(g, i, k)] = true;
  }
  arena_free(scratch);
  *value = flat_value(f, e);
  return numbers;
}

int flat_line_number(const Flat *f, int line) {
  source_of_line(f->source, &line);
  return line;
}

LineName flat_line(const Flat *f, int line) {
  LineName n;
  source_line_name(f->source, line, n.at);
  return n;
}

static void visit_equation(Equation *q, FlatVisit *visit, void *data) {
  visit(data, &q->left), visit(data, &q->right), visit(data, &q->residual), visit(data, &q->live);
}

void flat_visit(Flat *f, FlatVisit *visit, void *data) {
  for (int i = 0; i < f->equations.count; i++) visit_equation(&f->equations.at[i], visit, data);
  for (int i = 0; i < f->initial_equations.count; i++)
    visit_equation(&f->initial_equations.at[i], visit, data);
  for (int i = 0; i < f->events.count; i++) {
    Event *e = &f->events.at[i];
    visit(data, &e->switching), visit(data, &e->direct);
    visit(data, &e->live), visit(data, &e->live_direct);
  }
  for (int i = 0; i < f->pulses.count; i++) visit(data, &f->pulses.at[i].value);
  for (int i = 0; i < f->held.count; i++)
    visit(data, &f->held.at[i].value), visit(data, &f->held.at[i].sampled);
  for (int i = 0; i < f->whens.count; i++) visit(data, &f->whens.at[i].value);
  for (int i = 0; i < f->reinits.count; i++)
    visit(data, &f->reinits.at[i].active), visit(data, &f->reinits.at[i].value);
  for (int i = 0; i < f->terminates.count; i++) visit(data, &f->terminates.at[i].active);
  for (int i = 0; i < f->asserts.count; i++) visit(data, &f->asserts.at[i].condition);
}

static void replace_one(void *data, Expr *e) {
  *e = replace(data, *e);
}

void flat_replace(Flat *f, Replacer *r) {
  flat_visit(f, replace_one, r);
}

bool flat_has_components(const Flat *f) {
  for (int i = 0; i < f->variables.count; i++)
    if (strchr(f->variables.at[i].name, '.')) return true;
  return false;
}
