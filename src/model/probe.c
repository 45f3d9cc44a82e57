#include "model/probe.h"

#include <math.h>
#include <string.h>

// Distance from the start, in nominal values: what is 0 at the start is small here.
static const double NEAR = 1e-4;

struct Probe {
  Model *m;
  Arena *arena;
  int number;
  double *symbol; // by node, of symbols
  double *value;  // by node
  int count, room;
};

// In [-1, 1], never next to 0; the same for the same place in the model, wherever it stands in the text.
static double shift(const Probe *p, int place, int kind) {
  uint64_t z = (uint64_t)place * 0x9E3779B97F4A7C15u + (uint64_t)kind * 0xD1B54A32D192ED03u +
               (uint64_t)p->number * 0x8CB92BA72F3D8DD7u + 1;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  double u = (double)((z ^ z >> 31) >> 11) * 0x1p-53;
  return u < 0.5 ? -1 + 1.5 * u : 1 - 1.5 * (u - 0.5);
}

static void fit(Probe *p) {
  int count = p->m->graph->count;
  if (p->room >= count) return;
  int room = 2 * count;
  double *symbol = ARENA_ARRAY(p->arena, double, room),
         *value = ARENA_ARRAY(p->arena, double, room);
  for (int i = 0; i < room; i++) symbol[i] = nan("");
  if (p->room) memcpy(symbol, p->symbol, (size_t)p->room * sizeof *symbol);
  if (p->room) memcpy(value, p->value, (size_t)p->room * sizeof *value);
  p->symbol = symbol;
  p->value = value;
  p->room = room;
}

void probe_put(Probe *p, Expr symbol, double value) {
  fit(p);
  p->symbol[symbol] = value;
  if (symbol < p->count) p->count = symbol; // computed again from here
}

void probe_set(Probe *p, Expr symbol, int variable, int order) {
  const Variable *v = &p->m->flat->variables.at[variable];
  double start = order ? 0 : flat_value(p->m->flat, v->start);
  if (!isfinite(start)) start = 0;
  probe_put(p, symbol, start + NEAR * v->nominal * shift(p, p->m->order.variable[variable], order));
}

double probe_value(Probe *p, Expr e) {
  const Graph *g = p->m->graph;
  fit(p);
  for (; p->count <= e; p->count++) {
    const ExprNode *n = &g->nodes[p->count];
    double *v = p->value;
    if (n->op == OP_CONST)
      v[p->count] = n->value;
    else if (OPS[n->op].args)
      v[p->count] = expr_apply(g, n, v[n->a], v[n->b], v[n->c]);
    else
      v[p->count] = p->symbol[p->count];
  }
  return p->value[e];
}

enum {
  OF_INPUT = 100,
  OF_SLOPE,
  OF_SECOND,
  OF_PARAMETER,
  OF_TIME
}; // kinds of shifts beside orders

static void set_inputs(Probe *p) {
  Model *m = p->m;
  const Expr *du = model_helpers(m, HELPER_INPUT_SLOPE, m->nu);
  const Expr *ddu = model_helpers(m, HELPER_INPUT_SECOND, m->nu);
  for (int i = 0; i < m->nu; i++) {
    const Variable *v = &m->flat->variables.at[m->input[i]];
    int place = m->order.variable[m->input[i]];
    probe_put(p, m->u[i], v->default_value + NEAR * v->nominal * shift(p, place, OF_INPUT));
    probe_put(p, du[i], NEAR * v->nominal * shift(p, place, OF_SLOPE));
    probe_put(p, ddu[i], NEAR * v->nominal * shift(p, place, OF_SECOND));
  }
}

static void set_parameters(Probe *p, double spread) {
  const Flat *f = p->m->flat;
  for (int k = 0; k < f->parameters.count; k++) {
    const Parameter *q = &f->parameters.at[k];
    if (q->dependent || p->m->graph->nodes[q->node].op != OP_SYMBOL) continue;
    double by = spread * shift(p, p->m->order.variable[q->variable], OF_PARAMETER + q->is_start);
    probe_put(p, q->node, q->value != 0 ? q->value * (1 + by) : by);
  }
}

// A condition may contain others, which stand before it.
static void set_modes(Probe *p) {
  const Flat *f = p->m->flat;
  for (int k = 0; k < f->events.count; k++) probe_put(p, f->events.at[k].mode, 0);
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < f->events.count; k++) {
      double mode = probe_value(p, f->events.at[k].direct);
      if (isfinite(mode) && mode != p->symbol[f->events.at[k].mode])
        probe_put(p, f->events.at[k].mode, mode);
    }
}

Probe *probe_new(Model *m, Arena *a, double spread, int number) {
  Probe *p = ARENA_NEW(a, Probe);
  *p = (Probe){.m = m, .arena = a, .number = number};
  probe_put(p, m->flat->time, NEAR * shift(p, 0, OF_TIME));
  probe_put(p, m->flat->origin, 0);
  set_inputs(p);
  set_parameters(p, spread);
  for (int i = 0; i < m->flat->variables.count; i++) {
    const Variable *v = &m->flat->variables.at[i];
    if (v->kind != VARIABLE_UNKNOWN) continue;
    probe_set(p, v->node, i, 0);
    if (v->state) probe_set(p, v->derivative, i, 1);
  }
  if (m->flat->events.count) set_modes(p);
  return p;
}
