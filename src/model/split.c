#include "model/split.h"

#include <string.h>

#include "expr/simplify.h"

typedef struct SplitPart {
  int stamp;
  signed char linear; // 1 linear (or free of u), 0 not
  bool solid;         // contains no unknown, and never will
  Expr slope, rest;
} SplitPart;

struct Splitter {
  Graph *g;
  Arena *arena;
  SplitPart *part;
  int room, now;
  IntArray stack;
};

Splitter *splitter_new(Graph *g, Arena *a) {
  Splitter *s = ARENA_NEW(a, Splitter);
  *s = (Splitter){.g = g, .arena = a};
  return s;
}

static void splitter_fit(Splitter *s) {
  if (s->room >= s->g->count) return;
  int room = 2 * s->g->count;
  SplitPart *part = ARENA_ARRAY(s->arena, SplitPart, room);
  if (s->room) memcpy(part, s->part, (size_t)s->room * sizeof *part);
  s->part = part;
  s->room = room;
}

static const SplitPart *part_of(const Splitter *s, Expr e) {
  return s->part[e].stamp == s->now ? &s->part[e] : NULL;
}

static void push_open(void *data, Expr e) {
  Splitter *s = data;
  SplitPart *p = &s->part[e];
  if (p->stamp == s->now) return;
  if (p->solid)
    *p = (SplitPart){.stamp = s->now, .linear = 1, .solid = true, .rest = e};
  else
    array_push(s->arena, &s->stack, e);
}

void splitter_skip(Splitter *s, Expr e) {
  splitter_fit(s);
  s->part[e].solid = true;
}

static bool free_of(const SplitPart *p) {
  return p->linear && p->slope == 0;
}

typedef struct AllFree {
  const Splitter *s;
  bool yes, same; // u does not count, as in u - u + v; it does not even occur
} AllFree;

static void check_free(void *data, Expr e) {
  AllFree *f = data;
  const SplitPart *p = part_of(f->s, e);
  f->yes &= free_of(p);
  f->same &= p->rest == e;
}

static SplitPart split_product(Graph *g, SplitPart a, SplitPart b) {
  if (free_of(&a))
    return (SplitPart){.linear = b.linear,
                       .slope = expr_mul(g, a.rest, b.slope),
                       .rest = expr_mul(g, a.rest, b.rest)};
  if (free_of(&b))
    return (SplitPart){.linear = a.linear,
                       .slope = expr_mul(g, a.slope, b.rest),
                       .rest = expr_mul(g, a.rest, b.rest)};
  return (SplitPart){0};
}

static SplitPart split_node(Splitter *s, Expr e) {
  Graph *g = s->g;
  ExprNode n = g->nodes[e];
  AllFree all = {s, true, true};
  expr_each_argument(g, e, check_free, &all);
  if (all.yes && all.same) return (SplitPart){.linear = 1, .rest = e};
  if (n.op == OP_SOLVED) return (SplitPart){0};
  SplitPart a = *part_of(s, n.a), b = OPS[n.op].args > 1 ? *part_of(s, n.b) : a;
  SplitPart c = OPS[n.op].args > 2 ? *part_of(s, n.c) : a;
  if (all.yes) {
    int args = OPS[n.op].args;
    Expr second = args > 1 ? b.rest : 0, third = args > 2 ? c.rest : 0;
    return (SplitPart){.linear = 1, .rest = expr_make(g, (Op)n.op, a.rest, second, third)};
  }
  bool both = a.linear && b.linear;
  switch (n.op) {
  case OP_ADD:
    return (SplitPart){.linear = both,
                       .slope = expr_add(g, a.slope, b.slope),
                       .rest = expr_add(g, a.rest, b.rest)};
  case OP_SUB:
    return (SplitPart){.linear = both,
                       .slope = expr_sub(g, a.slope, b.slope),
                       .rest = expr_sub(g, a.rest, b.rest)};
  case OP_NEG:
    return (SplitPart){
        .linear = a.linear, .slope = expr_neg(g, a.slope), .rest = expr_neg(g, a.rest)};
  case OP_MUL: return split_product(g, a, b);
  case OP_DIV:
    if (!free_of(&b)) return (SplitPart){0};
    return (SplitPart){.linear = a.linear,
                       .slope = expr_div(g, a.slope, b.rest),
                       .rest = expr_div(g, a.rest, b.rest)};
  case OP_SELECT:
    if (!free_of(&a) || !b.linear || !c.linear) return (SplitPart){0};
    return (SplitPart){.linear = 1,
                       .slope = expr_select(g, a.rest, b.slope, c.slope),
                       .rest = expr_select(g, a.rest, b.rest, c.rest)};
  default: return (SplitPart){0};
  }
}

bool split(Splitter *s, Expr e, Expr u, Expr *slope, Expr *rest) {
  s->now++;
  splitter_fit(s);
  s->part[u] = (SplitPart){
      .stamp = s->now, .linear = 1, .slope = expr_const(s->g, 1), .rest = expr_const(s->g, 0)};
  push_open(s, e);
  while (s->stack.count) {
    Expr top = s->stack.at[s->stack.count - 1];
    int before = s->stack.count;
    if (!part_of(s, top)) expr_each_argument(s->g, top, push_open, s);
    if (s->stack.count > before) continue;
    s->stack.count--;
    if (part_of(s, top)) continue;
    SplitPart p = split_node(s, top);
    p.stamp = s->now;
    splitter_fit(s);
    s->part[top] = p;
  }
  const SplitPart *p = part_of(s, e);
  *slope = p->slope;
  *rest = p->rest;
  return p->linear;
}
