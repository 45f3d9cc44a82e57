#include "closed/tie_build.h"

#include <assert.h>
#include <string.h>

#include "expr/derive.h"

typedef struct TieBuilder {
  Arena *arena;
  Model *m;
  Graph *g;
  TieBuild *out;
  const int *variable_of;
  Expr *by;      // symbols of segment 1, then of the columns
  int *state_at; // by state of the model: its place in segment 1, -1: none
  int read_count, own_count;
} TieBuilder;

// Variables that are read come first, then states of the feedback.
static void place_states(TieBuilder *b, const unsigned char *used) {
  int nx = b->m->nx;
  int *reads = ARENA_ARRAY(b->arena, int, nx + 1);
  for (int i = 0; i < nx; i++) {
    b->state_at[i] = -1;
    if (b->variable_of[i] < 0 || !used[b->m->x[i]]) continue;
    reads[b->read_count] = b->variable_of[i];
    b->by[b->read_count] = b->m->x[i];
    b->state_at[i] = b->read_count++;
  }
  for (int i = 0; i < nx; i++) {
    if (b->variable_of[i] >= 0) continue;
    b->by[b->read_count + b->own_count] = b->m->x[i];
    b->state_at[i] = b->read_count + b->own_count++;
  }
  b->out->tie.reads = reads;
  b->out->tie.read_count = b->read_count;
  b->out->tie.own_count = b->own_count;
}

static int list_acting(TieBuilder *b, Expr *f) {
  int count = 0, own = 0;
  int *acting = ARENA_ARRAY(b->arena, int, b->m->nx + 1);
  for (int i = 0; i < b->m->nx; i++) {
    int number = b->variable_of[i] < 0 ? -1 - own++ : b->variable_of[i];
    if (expr_is_value(b->g, b->m->f[i], 0)) continue;
    acting[count] = number;
    f[count++] = b->m->f[i];
  }
  b->out->tie.acting = acting;
  b->out->tie.acting_count = count;
  return count;
}

// f, then its derivatives: dense, by rows.
static int list_outputs(TieBuilder *b, const Expr *f, int count, int columns, Expr *outputs) {
  int states = b->read_count + b->own_count, n = 0;
  Expr zero = expr_const(b->g, 0);
  for (int i = 0; i < count; i++) outputs[n++] = f[i];
  int first_state = n, first_column = n + count * states;
  n += count * (states + columns);
  for (int i = first_state; i < n; i++) outputs[i] = zero;
  Derivatives d = derive_rows(b->g, b->arena, f, count, b->by, states + columns);
  for (int i = 0; i < count; i++)
    for (int k = d.start[i]; k < d.start[i + 1]; k++) {
      int c = d.column[k];
      outputs[c < states ? first_state + i * states + c : first_column + i * columns + c - states] =
          d.value[k];
    }
  return n;
}

// Segment 0: time, the inputs that occur, the parameters that occur.
static void place_rest(TieBuilder *b, const unsigned char *used, Location *where,
                       int inputs[SEGMENTS]) {
  const Flat *f = b->m->flat;
  Tie *t = &b->out->tie;
  int at = 1;
  where[f->time] = (Location){0, 0};
  b->out->input = ARENA_ARRAY(b->arena, int, b->m->nu + 1);
  b->out->parameter = ARENA_ARRAY(b->arena, int, f->parameters.count + 2);
  for (int i = 0; i < b->m->nu; i++) {
    if (!used[b->m->u[i]]) continue;
    where[b->m->u[i]] = (Location){0, at++};
    b->out->input[t->signal_count++] = i;
  }
  where[f->origin] = (Location){0, at++};
  b->out->parameter[t->parameter_count++] = -1;
  for (int k = 0; k < f->parameters.count; k++) {
    const Parameter *p = &f->parameters.at[k];
    if (p->dependent || !used[p->node] || where[p->node].segment >= 0) continue;
    where[p->node] = (Location){0, at++};
    b->out->parameter[t->parameter_count++] = k;
  }
  inputs[0] = at;
}

TieBuild *tie_build(Arena *a, Model *m, const int *variable_of, const int *columns, int count) {
  pthread_mutex_lock(m->lock);
  TieBuilder b = {.arena = a, .m = m, .g = m->graph, .variable_of = variable_of};
  b.out = ARENA_NEW(a, TieBuild);
  b.by = ARENA_ARRAY(a, Expr, m->nx + count + 1);
  b.state_at = ARENA_ARRAY(a, int, m->nx + 1);
  Expr *f = ARENA_ARRAY(a, Expr, m->nx + 1);
  int acting = list_acting(&b, f);
  if (!acting) {
    pthread_mutex_unlock(m->lock);
    return NULL;
  }
  place_states(&b, expr_contents(m->graph, a, f, acting));
  int states = b.read_count + b.own_count;
  for (int k = 0; k < count; k++) b.by[states + k] = m->flat->parameters.at[columns[k]].node;
  Expr *outputs = ARENA_ARRAY(a, Expr, acting * (1 + states + count) + 1);
  int n = list_outputs(&b, f, acting, count, outputs);
  b.out->tie.slope_count = count;
  const unsigned char *used = expr_contents(m->graph, a, outputs, n);
  Location *where = ARENA_ARRAY(a, Location, m->graph->count + 1);
  for (int e = 0; e < m->graph->count; e++) where[e].segment = -1;
  int inputs[SEGMENTS] = {0, states, 0};
  for (int i = 0; i < m->nx; i++)
    if (b.state_at[i] >= 0) where[m->x[i]] = (Location){1, b.state_at[i]};
  place_rest(&b, used, where, inputs);
  b.out->lowered = lower(m->graph, a, outputs, n, where, m->graph->count, inputs, CODE_INTERPRETER);
  b.out->tie.program = b.out->lowered->program;
  assert(b.out->tie.program.block_count == 0);
  pthread_mutex_unlock(m->lock);
  return b.out;
}

void tie_build_done(TieBuild *b) {
  if (b) lowered_done(b->lowered);
}
