#include "report/model_dot.h"

#include <string.h>

// Sources of arrows: unknowns (their blocks), then states, inputs, events.
typedef struct Drawing {
  Model *m;
  Text *out;
  Arena *arena;
  int *block;          // by unknown
  SortUnknown *source; // unknowns, states, inputs, modes
  int source_count;
} Drawing;

static void quote(Text *out, const char *s) {
  text_add(out, "\"");
  for (; *s; s++) {
    if (*s == '"' || *s == '\\') text_add(out, "\\");
    text_add_bytes(out, s, 1);
  }
  text_add(out, "\"");
}

// ---------------------------------------------------------------- nodes

static void add_source(Drawing *d, Expr symbol) {
  d->source[d->source_count++].symbol = symbol;
}

static void list_sources(Drawing *d) {
  const Model *m = d->m;
  int room = m->unknown_count + m->nx + m->nu + m->ne + 1;
  d->source = ARENA_ARRAY(d->arena, SortUnknown, room);
  d->block = ARENA_ARRAY(d->arena, int, m->unknown_count + 1);
  for (int j = 0; j < m->unknown_count; j++) add_source(d, m->unknowns[j].symbol);
  for (int i = 0; i < m->nx; i++) add_source(d, m->x[i]);
  for (int i = 0; i < m->nu; i++) add_source(d, m->u[i]);
  for (int k = 0; k < m->ne; k++) add_source(d, m->flat->events.at[k].mode);
  for (int k = 0; k < m->sorted.block_count; k++)
    for (int i = 0; i < m->sorted.blocks[k].count; i++)
      d->block[m->sorted.blocks[k].unknown[i]] = k;
}

static void print_block(Drawing *d, int k) {
  static const char *const LOOKS[] = {"style=dotted", "", "style=filled, fillcolor=lightblue",
                                      "style=filled, fillcolor=lightsalmon"};
  const SortBlock *b = &d->m->sorted.blocks[k];
  Text label;
  text_init(&label);
  for (int i = 0; i < b->count; i++)
    text_print(&label, "%s%s", i ? ", " : "", d->m->unknowns[b->unknown[i]].name);
  text_print(d->out, "  b%d [label=", k + 1);
  quote(d->out, label.at);
  text_print(d->out, "%s%s];\n", LOOKS[b->kind][0] ? ", " : "", LOOKS[b->kind]);
  text_done(&label);
}

static void print_node(Drawing *d, char letter, int i, const char *label, const char *look) {
  text_print(d->out, "  %c%d [label=", letter, i + 1);
  quote(d->out, label);
  text_print(d->out, ", %s];\n", look);
}

static void print_nodes(Drawing *d) {
  const Flat *f = d->m->flat;
  for (int i = 0; i < d->m->nx; i++)
    print_node(d, 'x', i, f->variables.at[d->m->state[i]].name, "shape=ellipse");
  for (int i = 0; i < d->m->nu; i++)
    print_node(d, 'u', i, f->variables.at[d->m->input[i]].name, "shape=cds");
  for (int k = 0; k < d->m->ne; k++) print_node(d, 'e', k, f->events.at[k].text, "shape=diamond");
  for (int k = 0; k < d->m->sorted.block_count; k++) print_block(d, k);
}

// ---------------------------------------------------------------- arrows

static void print_source(Drawing *d, int source) {
  const Model *m = d->m;
  if (source < m->unknown_count) {
    text_print(d->out, "b%d", d->block[source] + 1);
    return;
  }
  int i = source - m->unknown_count;
  if (i < m->nx)
    text_print(d->out, "x%d", i + 1);
  else if (i < m->nx + m->nu)
    text_print(d->out, "u%d", i - m->nx + 1);
  else
    text_print(d->out, "e%d", i - m->nx - m->nu + 1);
}

// All unknowns of a block are one source.
static int same_source(const Drawing *d, int source) {
  return source < d->m->unknown_count ? d->m->sorted.blocks[d->block[source]].unknown[0] : source;
}

// Draws an arrow to one node from each source that the rows of an incidence use, once.
static void print_arrows(Drawing *d, const Incidence *in, const int *rows, int count, char letter,
                         int number, int *stamp, int now) {
  for (int r = 0; r < count; r++)
    for (int k = in->start[rows[r]]; k < in->start[rows[r] + 1]; k++) {
      int source = same_source(d, in->unknown[k]);
      bool itself = letter == 'b' && source < d->m->unknown_count && d->block[source] == number;
      if (itself || stamp[source] == now) continue;
      stamp[source] = now;
      text_add(d->out, "  ");
      print_source(d, source);
      text_print(d->out, " -> %c%d;\n", letter, number + 1);
    }
}

static void print_all_arrows(Drawing *d) {
  Model *m = d->m;
  int blocks = m->sorted.block_count, now = 0;
  SortEquation *switching = ARENA_ARRAY(d->arena, SortEquation, m->ne + 1);
  int *stamp = ARENA_ARRAY(d->arena, int, d->source_count + 1);
  for (int k = 0; k < m->ne; k++) switching[k].residual = m->flat->events.at[k].switching;
  Incidence in = sort_incidence(m->graph, d->arena, m->equations, m->equation_count, d->source,
                                d->source_count);
  Incidence events =
      sort_incidence(m->graph, d->arena, switching, m->ne, d->source, d->source_count);
  for (int k = 0; k < blocks; k++) {
    const SortBlock *b = &m->sorted.blocks[k];
    print_arrows(d, &in, b->equation, b->count, 'b', k, stamp, ++now);
  }
  for (int k = 0; k < m->ne; k++) print_arrows(d, &events, &k, 1, 'e', k, stamp, ++now);
}

static void print_integrations(Drawing *d) {
  const Model *m = d->m;
  int *state = ARENA_ARRAY(d->arena, int, m->flat->variables.count + 1);
  for (int i = 0; i < m->nx; i++) state[m->state[i]] = i + 1;
  for (int j = 0; j < m->unknown_count; j++)
    if (m->unknown_order[j] == 1 && state[m->unknown_variable[j]])
      text_print(d->out, "  b%d -> x%d [style=dashed];\n", d->block[j] + 1,
                 state[m->unknown_variable[j]]);
}

void model_dot(Text *out, Model *m) {
  Drawing d = {.m = m, .out = out, .arena = arena_new()};
  list_sources(&d);
  text_add(out, "digraph ");
  quote(out, m->flat->name);
  text_add(out, " {\n  rankdir=LR;\n  node [shape=box];\n");
  print_nodes(&d);
  print_all_arrows(&d);
  print_integrations(&d);
  text_add(out, "}\n");
  arena_free(d.arena);
}
