#include "report/model_json.h"

#include <math.h>

typedef struct Json {
  Text *out;
  const ModelFacts *f;
  const Model *m;
} Json;

// ---------------------------------------------------------------- pieces

static void number(Json *j, double value) {
  if (isfinite(value))
    text_add_number(j->out, value);
  else
    text_add(j->out, "null");
}

static void key(Json *j, const char *name) {
  text_add_json(j->out, name);
  text_add(j->out, ": ");
}

static void text_member(Json *j, const char *name, const char *value) {
  key(j, name);
  text_add_json(j->out, value ? value : "");
}

static void number_member(Json *j, const char *name, double value) {
  text_add(j->out, ", ");
  key(j, name);
  number(j, value);
}

static void flag_member(Json *j, const char *name, bool value) {
  text_print(j->out, ", \"%s\": %s", name, value ? "true" : "false");
}

// Between the elements of a list that has one on each line.
static void element(Json *j, bool *first) {
  text_add(j->out, *first ? "\n    " : ",\n    ");
  *first = false;
}

static void begin_list(Json *j, const char *name) {
  text_print(j->out, "  \"%s\": [", name);
}
static void end_list(Json *j, bool empty) {
  text_add(j->out, empty ? "],\n" : "\n  ],\n");
}

// unit, min, max, nominal, description, and the closing brace
static void finish_variable(Json *j, const Variable *v, bool nominal) {
  text_add(j->out, ", ");
  text_member(j, "unit", v->unit);
  number_member(j, "min", v->min);
  number_member(j, "max", v->max);
  if (nominal) number_member(j, "nominal", v->nominal);
  text_add(j->out, ", ");
  text_member(j, "description", v->description);
  text_add(j->out, "}");
}

static void begin_variable(Json *j, bool *first, const char *name) {
  element(j, first);
  text_add(j->out, "{");
  text_member(j, "name", name);
}

// ---------------------------------------------------------------- lists of variables

static void states(Json *j) {
  bool first = true;
  begin_list(j, "states");
  for (int i = 0; i < j->m->nx; i++) {
    const Variable *v = &j->m->flat->variables.at[j->m->state[i]];
    begin_variable(j, &first, v->name);
    number_member(j, "start", j->f->start[i]);
    text_add(j->out, ", ");
    text_member(j, "initial", start_kind_name(j->f->start_kind[i]));
    finish_variable(j, v, true);
  }
  end_list(j, first);
}

static void parameters(Json *j) {
  bool first = true;
  begin_list(j, "parameters");
  for (int k = 0; k < j->m->np; k++) {
    const Parameter *p = &j->m->flat->parameters.at[k];
    if (p->is_start) continue;
    begin_variable(j, &first, p->name);
    number_member(j, "value", p->value);
    flag_member(j, "dependent", p->dependent);
    finish_variable(j, &j->m->flat->variables.at[p->variable], false);
  }
  end_list(j, first);
}

static void inputs(Json *j) {
  bool first = true;
  begin_list(j, "inputs");
  for (int i = 0; i < j->m->nu; i++) {
    const Variable *v = &j->m->flat->variables.at[j->m->input[i]];
    begin_variable(j, &first, v->name);
    number_member(j, "value", v->default_value);
    finish_variable(j, v, true);
  }
  end_list(j, first);
}

static void outputs(Json *j) {
  bool first = true;
  begin_list(j, "outputs");
  for (int i = 0; i < j->m->flat->variables.count; i++) {
    const Variable *v = &j->m->flat->variables.at[i];
    if (!v->output) continue;
    begin_variable(j, &first, v->name);
    flag_member(j, "state", v->state);
    finish_variable(j, v, true);
  }
  end_list(j, first);
}

static void algebraic(Json *j) {
  bool first = true;
  begin_list(j, "variables");
  for (int i = 0; i < j->m->flat->variables.count; i++) {
    const Variable *v = &j->m->flat->variables.at[i];
    if (v->kind != VARIABLE_UNKNOWN || v->state) continue;
    int block = j->f->block[j->f->unknown[i]];
    begin_variable(j, &first, v->name);
    text_print(j->out, ", \"computed\": \"%s\"", block_kind_name(j->m->sorted.blocks[block].kind));
    number_member(j, "block", block);
    flag_member(j, "output", v->output);
    finish_variable(j, v, true);
  }
  end_list(j, first);
}

// ---------------------------------------------------------------- structure

static void block(Json *j, const SortBlock *b) {
  text_print(j->out, "{\"kind\": \"%s\", \"size\": %d, \"torn\": %d, \"unknowns\": [",
             block_kind_name(b->kind), b->count, b->torn);
  for (int i = 0; i < b->count; i++) {
    if (i) text_add(j->out, ", ");
    text_add_json(j->out, j->m->unknowns[b->unknown[i]].name);
  }
  text_add(j->out, "], \"lines\": [");
  for (int i = 0; i < b->count; i++)
    text_print(j->out, "%s%d", i ? ", " : "", j->m->equations[b->equation[i]].line);
  text_add(j->out, "], \"differentiated\": [");
  for (int i = 0; i < b->count; i++)
    text_print(j->out, "%s%d", i ? ", " : "", j->m->equations[b->equation[i]].level);
  text_add(j->out, "]}");
}

static void structure(Json *j) {
  const Model *m = j->m;
  bool first = true;
  text_print(j->out,
             "  \"structure\": {\"equations\": %d, \"unknowns\": %d, \"index\": %d, "
             "\"free_start_values\": %d, \"blocks\": [",
             m->equation_count, m->unknown_count, m->index, j->f->constraints->freedom);
  for (int k = 0; k < m->sorted.block_count; k++) {
    element(j, &first);
    block(j, &m->sorted.blocks[k]);
  }
  text_add(j->out, first ? "]},\n" : "\n  ]},\n");
}

static void constraint(Json *j, const ModelConstraint *c) {
  text_print(j->out, "{\"line\": %d, ", c->line);
  text_member(j, "text", c->text);
  number_member(j, "differentiated", c->differentiated);
  number_member(j, "invariants", c->count);
  flag_member(j, "redundant", c->redundant);
  text_add(j->out, ", \"follows_from\": [");
  for (int i = 0; i < c->source_count; i++)
    text_print(j->out, "%s%d", i ? ", " : "", j->f->constraints->at[c->source[i]].line);
  text_add(j->out, "]}");
}

static void constraints(Json *j) {
  const ModelConstraints *c = j->f->constraints;
  bool first = true;
  begin_list(j, "constraints");
  for (int i = 0; i < c->count; i++) {
    element(j, &first);
    constraint(j, &c->at[i]);
  }
  end_list(j, first);
  begin_list(j, "multipliers");
  for (int i = 0; i < c->multiplier_count; i++) {
    text_add(j->out, i ? ", " : "");
    text_add_json(j->out, j->m->flat->variables.at[c->multiplier[i]].name);
  }
  text_add(j->out, "],\n");
  text_add(j->out, "  \"start_residual\": ");
  number(j, j->f->worst_condition < 0 ? 0 : j->f->start_residual);
  text_add(j->out, ",\n");
}

static void events(Json *j) {
  bool first = true;
  begin_list(j, "events");
  for (int k = 0; k < j->m->ne; k++) {
    static const char *const KIND[] = {
        [EVENT_RELATION] = "relation", [EVENT_FLOOR] = "floor", [EVENT_SIGN] = "sign"};
    const Event *e = &j->m->flat->events.at[k];
    element(j, &first);
    text_add(j->out, "{");
    text_member(j, "text", e->text);
    text_print(j->out, ", \"kind\": \"%s\", \"line\": %d}", KIND[e->kind], e->line);
  }
  end_list(j, first);
}

static void count(Json *j, const char *name, Operations o, const char *end) {
  text_print(j->out, "\"%s\": {\"arithmetic\": %d, \"calls\": %d, \"blocks\": %d}%s", name,
             o.arithmetic, o.calls, o.blocks, end);
}

static void operations(Json *j) {
  const ModelFacts *f = j->f;
  text_add(j->out, "  \"operations\": {");
  count(j, "rhs", f->rhs, ", ");
  count(j, "jacobian", f->jacobian, ", ");
  if (f->with_sensitivities) count(j, "sensitivities", f->sensitivities, ", ");
  count(j, "hoisted", f->hoisted, "},\n");
}

static void jacobian(Json *j) {
  const Pattern *p = &j->f->system->sparse.jacobian;
  text_print(j->out, "  \"jacobian\": {\"nonzeros\": %d, \"rows\": [", pattern_count(p));
  for (int i = 0, shown = 0; i < p->rows; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      text_print(j->out, "%s%d", shown++ ? ", " : "", i);
  text_add(j->out, "], \"columns\": [");
  for (int e = 0; e < pattern_count(p); e++)
    text_print(j->out, "%s%d", e ? ", " : "", p->column[e]);
  text_add(j->out, "]},\n");
}

static void warnings(Json *j) {
  const Warnings *w = &j->m->flat->warnings;
  bool first = true;
  text_add(j->out, "  \"warnings\": [");
  for (int i = 0; i < w->list.count; i++) {
    element(j, &first);
    text_print(j->out, "{\"line\": %d, \"column\": %d, ", w->list.at[i].line, w->list.at[i].column);
    text_member(j, "text", w->list.at[i].text);
    text_add(j->out, "}");
  }
  text_add(j->out, first ? "]\n" : "\n  ]\n");
}

void model_json(Text *out, const ModelFacts *f) {
  Json j = {out, f, f->m};
  text_add(out, "{\n  ");
  text_member(&j, "model", f->m->flat->name);
  text_add(out, ",\n  ");
  text_member(&j, "description", f->m->flat->description);
  text_add(out, ",\n");
  states(&j);
  parameters(&j);
  inputs(&j);
  outputs(&j);
  algebraic(&j);
  structure(&j);
  constraints(&j);
  events(&j);
  operations(&j);
  jacobian(&j);
  warnings(&j);
  text_add(out, "}\n");
}
