#include "report/model_json.h"

#include "write/json.h"

// The text, or "" where the model has none.
static void text_or_empty(Json *j, const char *key, const char *value) {
  json_text(j, key, value ? value : "");
}

static void open_variable(Json *j, const char *name) {
  json_open(j, NULL, '{', false);
  json_text(j, "name", name);
}

static void close_variable(Json *j, const Variable *v, bool nominal) {
  text_or_empty(j, "unit", v->unit);
  json_number(j, "min", v->min);
  json_number(j, "max", v->max);
  if (nominal) json_number(j, "nominal", v->nominal);
  text_or_empty(j, "description", v->description);
  json_close(j);
}

// ---------------------------------------------------------------- lists of variables

static void states(Json *j, const ModelFacts *f) {
  json_open(j, "states", '[', true);
  for (int i = 0; i < f->m->nx; i++) {
    const Variable *v = &f->m->flat->variables.at[f->m->state[i]];
    open_variable(j, v->name);
    json_number(j, "start", f->start[i]);
    json_text(j, "initial", start_kind_name(f->start_kind[i]));
    close_variable(j, v, true);
  }
  json_close(j);
}

static void parameters(Json *j, const Model *m) {
  json_open(j, "parameters", '[', true);
  for (int k = 0; k < m->np; k++) {
    const Parameter *p = &m->flat->parameters.at[k];
    if (p->is_start) continue;
    open_variable(j, p->name);
    json_number(j, "value", p->value);
    json_flag(j, "dependent", p->dependent);
    close_variable(j, &m->flat->variables.at[p->variable], false);
  }
  json_close(j);
}

static void inputs(Json *j, const Model *m) {
  json_open(j, "inputs", '[', true);
  for (int i = 0; i < m->nu; i++) {
    const Variable *v = &m->flat->variables.at[m->input[i]];
    open_variable(j, v->name);
    json_number(j, "value", v->default_value);
    close_variable(j, v, true);
  }
  json_close(j);
}

static void outputs(Json *j, const Model *m) {
  json_open(j, "outputs", '[', true);
  for (int i = 0; i < m->flat->variables.count; i++) {
    const Variable *v = &m->flat->variables.at[i];
    if (!v->output) continue;
    open_variable(j, v->name);
    json_flag(j, "state", v->state);
    close_variable(j, v, true);
  }
  json_close(j);
}

static void algebraic(Json *j, const ModelFacts *f) {
  json_open(j, "variables", '[', true);
  for (int i = 0; i < f->m->flat->variables.count; i++) {
    const Variable *v = &f->m->flat->variables.at[i];
    if (v->kind != VARIABLE_UNKNOWN || v->state) continue;
    int unknown = f->unknown[i], block = unknown < 0 ? -1 : f->block[unknown];
    open_variable(j, v->name);
    json_text(j, "computed",
              block < 0 ? "at events" : block_kind_name(f->m->sorted.blocks[block].kind));
    if (block >= 0) json_whole(j, "block", block);
    json_flag(j, "output", v->output);
    close_variable(j, v, true);
  }
  json_close(j);
}

// ---------------------------------------------------------------- structure

static void structure(Json *j, const ModelFacts *f) {
  const Model *m = f->m;
  json_open(j, "structure", '{', false);
  json_whole(j, "equations", m->equation_count);
  json_whole(j, "unknowns", m->unknown_count);
  json_whole(j, "index", m->index);
  json_whole(j, "free_start_values", f->constraints->freedom);
  json_open(j, "blocks", '[', true);
  for (int k = 0; k < m->sorted.block_count; k++) {
    const SortBlock *b = &m->sorted.blocks[k];
    json_open(j, NULL, '{', false);
    json_text(j, "kind", block_kind_name(b->kind));
    json_whole(j, "size", b->count);
    json_whole(j, "torn", b->torn);
    json_open(j, "unknowns", '[', false);
    for (int i = 0; i < b->count; i++) json_text(j, NULL, m->unknowns[b->unknown[i]].name);
    json_close(j);
    json_open(j, "lines", '[', false);
    for (int i = 0; i < b->count; i++)
      json_whole(j, NULL, flat_line_number(m->flat, m->equations[b->equation[i]].line));
    json_close(j);
    json_open(j, "differentiated", '[', false);
    for (int i = 0; i < b->count; i++) json_whole(j, NULL, m->equations[b->equation[i]].level);
    json_close(j);
    json_close(j);
  }
  json_close(j);
  json_close(j);
}

static void constraints(Json *j, const ModelFacts *f) {
  const ModelConstraints *all = f->constraints;
  json_open(j, "constraints", '[', true);
  for (int i = 0; i < all->count; i++) {
    const ModelConstraint *c = &all->at[i];
    json_open(j, NULL, '{', false);
    json_whole(j, "line", c->line);
    text_or_empty(j, "text", c->text);
    json_whole(j, "differentiated", c->differentiated);
    json_whole(j, "invariants", c->count);
    json_flag(j, "redundant", c->redundant);
    json_open(j, "follows_from", '[', false);
    for (int k = 0; k < c->source_count; k++) json_whole(j, NULL, all->at[c->source[k]].line);
    json_close(j);
    json_close(j);
  }
  json_close(j);
  json_open(j, "multipliers", '[', false);
  for (int i = 0; i < all->multiplier_count; i++)
    json_text(j, NULL, f->m->flat->variables.at[all->multiplier[i]].name);
  json_close(j);
  json_number(j, "start_residual", f->worst_condition < 0 ? 0 : f->start_residual);
}

static void events(Json *j, const Model *m) {
  static const char *const KIND[] = {[EVENT_NEGATIVE] = "relation",
                                     [EVENT_NOT_POSITIVE] = "relation",
                                     [EVENT_FLOOR] = "floor",
                                     [EVENT_SIGN] = "sign"};
  json_open(j, "events", '[', true);
  for (int k = 0; k < m->ne; k++) {
    const Event *e = &m->flat->events.at[k];
    json_open(j, NULL, '{', false);
    text_or_empty(j, "text", e->text);
    json_text(j, "kind", KIND[e->kind]);
    json_whole(j, "line", flat_line_number(m->flat, e->line));
    json_close(j);
  }
  json_close(j);
}

static void count(Json *j, const char *key, Operations o) {
  json_open(j, key, '{', false);
  json_whole(j, "arithmetic", o.arithmetic);
  json_whole(j, "calls", o.calls);
  json_whole(j, "blocks", o.blocks);
  json_close(j);
}

static void operations(Json *j, const ModelFacts *f) {
  json_open(j, "operations", '{', false);
  count(j, "rhs", f->rhs);
  count(j, "jacobian", f->jacobian);
  if (f->with_sensitivities) count(j, "sensitivities", f->sensitivities);
  count(j, "hoisted", f->hoisted);
  json_close(j);
}

static void jacobian(Json *j, const Pattern *p) {
  json_open(j, "jacobian", '{', false);
  json_whole(j, "nonzeros", pattern_count(p));
  json_open(j, "rows", '[', false);
  for (int i = 0; i < p->rows; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++) json_whole(j, NULL, i);
  json_close(j);
  json_open(j, "columns", '[', false);
  for (int e = 0; e < pattern_count(p); e++) json_whole(j, NULL, p->column[e]);
  json_close(j);
  json_close(j);
}

static void warnings(Json *j, const Warnings *w) {
  json_open(j, "warnings", '[', true);
  for (int i = 0; i < w->list.count; i++) {
    json_open(j, NULL, '{', false);
    json_whole(j, "line", w->list.at[i].line);
    json_whole(j, "column", w->list.at[i].column);
    text_or_empty(j, "text", w->list.at[i].text);
    json_close(j);
  }
  json_close(j);
}

void model_json(Text *out, const ModelFacts *f) {
  Json j = json_on(out);
  json_open(&j, NULL, '{', true);
  text_or_empty(&j, "model", f->m->flat->name);
  text_or_empty(&j, "description", f->m->flat->description);
  states(&j, f);
  parameters(&j, f->m);
  inputs(&j, f->m);
  outputs(&j, f->m);
  algebraic(&j, f);
  structure(&j, f);
  constraints(&j, f);
  events(&j, f->m);
  operations(&j, f);
  jacobian(&j, &f->system->sparse.jacobian);
  warnings(&j, &f->m->flat->warnings);
  json_close(&j);
}
