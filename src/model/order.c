// Refinement of colors (Weisfeiler and Leman 1968, Nauchno-Technicheskaya Informatsia 2:12): in every round the color of
// a symbol becomes a hash of its old color and of the places where it stands. A place is seen from both ends: the hash of
// a node is made of those below it, its context of those above it. Both passes are linear in the size of the graph.
#include "model/order.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MOST = 12 };

// Seeds of hashes that must not be mixed up.
enum {
  SEED_NODE = 1,
  SEED_PLACE,
  SEED_EQUATION,
  SEED_INITIAL,
  SEED_DERIVATIVE,
  SEED_VARIABLE,
  SEED_EVENT,
  SEED_TIME
};

typedef struct Refiner {
  const Flat *f;
  const Graph *g;
  uint64_t *color;   // by node, of symbols
  uint64_t *hash;    // by node: of what is below it
  uint64_t *context; // by node: sum over its places, 0: it has none
} Refiner;

static uint64_t mix(uint64_t a, uint64_t b) { // splitmix64
  uint64_t z = a * 0x9E3779B97F4A7C15u + b + 0x632BE59BD9B4E019u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

static bool is_symmetric(uint8_t op) {
  return op == OP_ADD || op == OP_MUL || op == OP_EQ || op == OP_NE || op == OP_AND ||
         op == OP_OR || op == OP_MIN || op == OP_MAX;
}

static uint64_t hash_node(const Refiner *r, Expr e) {
  const ExprNode *n = &r->g->nodes[e];
  uint64_t bits, h = mix(SEED_NODE, n->op);
  if (n->op == OP_SYMBOL) return mix(h, r->color[e]);
  if (n->op == OP_CONST) {
    memcpy(&bits, &n->value, sizeof bits);
    return mix(h, bits);
  }
  if (op_reads_table((Op)n->op)) h = mix(h, expr_table_of(r->g, n->a)->hash);
  if (is_symmetric(n->op)) return mix(h, r->hash[n->a] + r->hash[n->b]);
  int first = op_reads_table((Op)n->op); // the numbers of tables follow their order in the text
  for (int i = first; i < OPS[n->op].args; i++) h = mix(h, r->hash[expr_arg(r->g, e, i)]);
  return h;
}

static uint64_t hash_sides(const Refiner *r, const Equation *e, uint64_t seed) {
  return mix(seed, r->hash[e->left] + r->hash[e->right]);
}

static void see_from_above(Refiner *r, const Equation *e, uint64_t seed) {
  uint64_t h = hash_sides(r, e, seed);
  r->context[e->left] += h;
  r->context[e->right] += h;
}

static void hash_all(Refiner *r) {
  for (Expr e = 0; e < r->g->count; e++) r->hash[e] = hash_node(r, e);
}

// Parents have larger numbers than their arguments. Nodes that nothing uses have no context, and give none.
static void find_contexts(Refiner *r) {
  const Flat *f = r->f;
  memset(r->context, 0, (size_t)r->g->count * sizeof *r->context);
  for (int i = 0; i < f->equations.count; i++)
    see_from_above(r, &f->equations.at[i], SEED_EQUATION);
  for (int i = 0; i < f->initial_equations.count; i++)
    see_from_above(r, &f->initial_equations.at[i], SEED_INITIAL);
  for (int k = 0; k < f->events.count; k++)
    r->context[f->events.at[k].direct] += mix(SEED_EVENT, r->color[f->events.at[k].mode]);
  for (Expr e = r->g->count - 1; e >= 0; e--) {
    const ExprNode *n = &r->g->nodes[e];
    if (!r->context[e]) continue;
    for (int i = 0; i < OPS[n->op].args; i++) {
      uint64_t place = mix(mix(SEED_PLACE, n->op), is_symmetric(n->op) ? 0 : (uint64_t)i);
      r->context[expr_arg(r->g, e, i)] += mix(mix(place, r->hash[e]), r->context[e]);
    }
  }
}

static uint64_t first_color(const Variable *v) {
  uint64_t facts[] = {(uint64_t)v->kind, v->boolean, v->integer, v->state, v->fixed, v->has_start};
  uint64_t c = SEED_VARIABLE;
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) c = mix(c, facts[i]);
  return c;
}

// Variables that are expressions of others have no symbol: a parameter that follows from others, a constant.
static bool has_symbol(const Refiner *r, const Variable *v) {
  return r->g->nodes[v->node].op == OP_SYMBOL;
}

static void set_color(Refiner *r, const Variable *v, uint64_t color) {
  if (has_symbol(r, v)) r->color[v->node] = color;
  if (v->state) r->color[v->derivative] = mix(SEED_DERIVATIVE, color);
}

static uint64_t next_color(const Refiner *r, const Variable *v) {
  uint64_t c = mix(r->color[v->node], r->context[v->node]);
  return v->state ? mix(c, r->context[v->derivative]) : c;
}

static int ascending(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static int count_colors(const Refiner *r, uint64_t *scratch) {
  int n = 0, distinct = 0;
  for (int i = 0; i < r->f->variables.count; i++)
    if (has_symbol(r, &r->f->variables.at[i])) scratch[n++] = r->color[r->f->variables.at[i].node];
  if (n > 1) qsort(scratch, (size_t)n, sizeof *scratch, ascending);
  for (int i = 0; i < n; i++) distinct += i == 0 || scratch[i] != scratch[i - 1];
  return distinct;
}

static void color_modes(Refiner *r) {
  for (int k = 0; k < r->f->events.count; k++) {
    const Event *e = &r->f->events.at[k];
    r->color[e->mode] = mix(mix(e->kind, r->hash[e->direct]), r->context[e->mode]);
  }
}

static void refine(Refiner *r, uint64_t *scratch) {
  const Flat *f = r->f;
  for (int i = 0; i < f->variables.count; i++)
    set_color(r, &f->variables.at[i], first_color(&f->variables.at[i]));
  r->color[f->time] = SEED_TIME;
  r->color[f->origin] = SEED_TIME + 1;
  int before = 0, now = count_colors(r, scratch);
  for (int round = 0; round < ROUNDS_MOST && (now > before || round < 2); round++) {
    hash_all(r);
    find_contexts(r);
    color_modes(r);
    for (int i = 0; i < f->variables.count; i++)
      if (has_symbol(r, &f->variables.at[i]))
        set_color(r, &f->variables.at[i], next_color(r, &f->variables.at[i]));
    before = now, now = count_colors(r, scratch);
  }
}

typedef struct Ranked {
  double size; // small ones come first
  uint64_t key;
  const char *name;
  int number;
} Ranked;

static int compare_ranked(const void *a, const void *b) {
  const Ranked *x = a, *y = b;
  if (x->size != y->size) return x->size < y->size ? -1 : 1;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  int names = strcmp(x->name, y->name);
  return names ? names : x->number - y->number;
}

static int *places(Ranked *list, int count, Arena *a) {
  int *place = ARENA_ARRAY(a, int, count + 1);
  if (count > 1) qsort(list, (size_t)count, sizeof *list, compare_ranked);
  for (int k = 0; k < count; k++) place[list[k].number] = k;
  return place;
}

static int *places_of_variables(const Refiner *r, Ranked *list, Arena *a) {
  const Flat *f = r->f;
  for (int i = 0; i < f->variables.count; i++) {
    const Variable *v = &f->variables.at[i];
    list[i] = (Ranked){0, has_symbol(r, v) ? r->color[v->node] : 0, v->name, i};
  }
  return places(list, f->variables.count, a);
}

// Operations of every node, if it were written out.
static double *count_operations(const Graph *g, Arena *a) {
  double *count = ARENA_ARRAY(a, double, g->count);
  for (Expr e = 0; e < g->count; e++)
    for (int i = 0; i < OPS[g->nodes[e].op].args; i++) {
      double more = count[e] + 1 + count[expr_arg(g, e, i)];
      count[e] = more < 1e15 ? more : 1e15; // above that sums would depend on their order
    }
  return count;
}

static int *places_of_equations(const Refiner *r, const Equation *e, int count, uint64_t seed,
                                const double *operations, Ranked *list, Arena *a) {
  for (int i = 0; i < count; i++)
    list[i] =
        (Ranked){operations[e[i].left] + operations[e[i].right], hash_sides(r, &e[i], seed), "", i};
  return places(list, count, a);
}

ModelOrder order_new(const Flat *f, Arena *a) {
  Arena *scratch = arena_new();
  const Graph *g = f->graph;
  Refiner r = {.f = f, .g = g};
  r.color = ARENA_ARRAY(scratch, uint64_t, g->count);
  r.hash = ARENA_ARRAY(scratch, uint64_t, g->count);
  r.context = ARENA_ARRAY(scratch, uint64_t, g->count);
  int room = f->variables.count + f->equations.count + f->initial_equations.count + 1;
  refine(&r, ARENA_ARRAY(scratch, uint64_t, room));
  Ranked *list = ARENA_ARRAY(scratch, Ranked, room);
  ModelOrder order = {.variable = places_of_variables(&r, list, a)};
  // colors that are all different: what is equal then is the same equation
  for (int i = 0; i < f->variables.count; i++)
    set_color(&r, &f->variables.at[i], (uint64_t)order.variable[i]);
  for (int pass = 0; pass < 2; pass++) { // a condition may contain others
    hash_all(&r);
    color_modes(&r);
  }
  hash_all(&r);
  const double *operations = count_operations(g, scratch);
  order.equation = places_of_equations(&r, f->equations.at, f->equations.count, SEED_EQUATION,
                                       operations, list, a);
  order.initial_equation = places_of_equations(
      &r, f->initial_equations.at, f->initial_equations.count, SEED_INITIAL, operations, list, a);
  arena_free(scratch);
  return order;
}

static int *numbers(Arena *a, int count) {
  int *number = ARENA_ARRAY(a, int, count + 1);
  for (int i = 0; i < count; i++) number[i] = i;
  return number;
}

ModelOrder order_of_text(const Flat *f, Arena *a) {
  return (ModelOrder){numbers(a, f->variables.count), numbers(a, f->equations.count),
                      numbers(a, f->initial_equations.count)};
}
