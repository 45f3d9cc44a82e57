#include "model/match.h"

#include <string.h>

// ---------------------------------------------------------------- matching

typedef struct PathSearch {
  const Incidence *in;
  const int *column_start, *column; // equations of each unknown
  Matching *m;
  int *stamp;     // by equation
  int *next;      // by unknown: position in its column
  int *lookahead; // by unknown: equations before this position are matched for good
  int *path;      // stack of unknowns
} PathSearch;

static void transpose(Arena *a, const Incidence *in, int **start, int **column) {
  int n = in->unknowns, entries = in->start[in->equations];
  int *s = ARENA_ARRAY(a, int, n + 2), *c = ARENA_ARRAY(a, int, entries + 1);
  for (int k = 0; k < entries; k++) s[in->unknown[k] + 2]++;
  for (int j = 0; j < n; j++) s[j + 2] += s[j + 1];
  for (int i = 0; i < in->equations; i++)
    for (int k = in->start[i]; k < in->start[i + 1]; k++) c[s[in->unknown[k] + 1]++] = i;
  *start = s;
  *column = c;
}

static int free_equation(PathSearch *s, int unknown) {
  for (int k = s->lookahead[unknown]; k < s->column_start[unknown + 1]; k++)
    if (s->m->unknown_of[s->column[k]] < 0) {
      s->lookahead[unknown] = k + 1;
      return s->column[k];
    }
  s->lookahead[unknown] = s->column_start[unknown + 1];
  return -1;
}

// Turns the alternating path on the stack into matches; `equation` is free and ends it.
static void augment(PathSearch *s, int depth, int equation) {
  for (; depth >= 0; depth--) {
    int unknown = s->path[depth], previous = s->m->equation_of[unknown];
    s->m->equation_of[unknown] = equation;
    s->m->unknown_of[equation] = unknown;
    equation = previous;
  }
}

// Depth first with a stack of its own: models have thousands of equations.
static int find_path(PathSearch *s, int root) {
  int depth = 0;
  s->path[0] = root;
  s->next[root] = s->column_start[root];
  while (depth >= 0) {
    int unknown = s->path[depth], equation = free_equation(s, unknown);
    if (equation >= 0) {
      augment(s, depth, equation);
      return 1;
    }
    int deeper = -1;
    while (s->next[unknown] < s->column_start[unknown + 1] && deeper < 0) {
      int e = s->column[s->next[unknown]++];
      if (s->stamp[e] == root + 1) continue;
      s->stamp[e] = root + 1;
      deeper = s->m->unknown_of[e];
    }
    if (deeper < 0)
      depth--;
    else {
      s->path[++depth] = deeper;
      s->next[deeper] = s->column_start[deeper];
    }
  }
  return 0;
}

Matching match(Arena *a, const Incidence *in, const int *order) {
  Matching m = {ARENA_ARRAY(a, int, in->unknowns + 1), ARENA_ARRAY(a, int, in->equations + 1), 0};
  memset(m.equation_of, -1, (size_t)(in->unknowns + 1) * sizeof(int));
  memset(m.unknown_of, -1, (size_t)(in->equations + 1) * sizeof(int));
  int *start, *column;
  transpose(a, in, &start, &column);
  PathSearch s = {in, start, column, &m, 0, 0, 0, 0};
  s.stamp = ARENA_ARRAY(a, int, in->equations + 1);
  s.next = ARENA_ARRAY(a, int, in->unknowns + 1);
  s.lookahead = ARENA_ARRAY(a, int, in->unknowns + 1);
  s.path = ARENA_ARRAY(a, int, in->unknowns + 1);
  memcpy(s.lookahead, start, (size_t)in->unknowns * sizeof(int));
  for (int k = 0; k < in->unknowns; k++) m.count += find_path(&s, order ? order[k] : k);
  return m;
}

// ---------------------------------------------------------------- strongly connected components (Tarjan)

typedef struct Tarjan {
  const Incidence *in;
  const Matching *m;
  int *index, *low, *next;
  int *stack, stack_count;
  int *path;
  unsigned char *on_stack;
  int counter;
  Components out;
} Tarjan;

static void enter(Tarjan *t, int equation) {
  t->index[equation] = t->low[equation] = ++t->counter;
  t->next[equation] = t->in->start[equation];
  t->stack[t->stack_count++] = equation;
  t->on_stack[equation] = 1;
}

static void leave(Tarjan *t, int equation) {
  if (t->low[equation] != t->index[equation]) return;
  int at = t->out.start[t->out.count], member;
  do {
    member = t->stack[--t->stack_count];
    t->on_stack[member] = 0;
    t->out.member[at++] = member;
  } while (member != equation);
  t->out.start[++t->out.count] = at;
}

static void lower_to(Tarjan *t, int equation, int value) {
  if (value < t->low[equation]) t->low[equation] = value;
}

static void visit_from(Tarjan *t, int root) {
  int depth = 0;
  t->path[0] = root;
  enter(t, root);
  while (depth >= 0) {
    int e = t->path[depth], deeper = -1;
    while (t->next[e] < t->in->start[e + 1] && deeper < 0) {
      int other = t->m->equation_of[t->in->unknown[t->next[e]++]]; // what e needs is computed there
      if (!t->index[other])
        deeper = other;
      else if (t->on_stack[other])
        lower_to(t, e, t->index[other]);
    }
    if (deeper >= 0) {
      t->path[++depth] = deeper;
      enter(t, deeper);
      continue;
    }
    leave(t, e);
    if (--depth >= 0) lower_to(t, t->path[depth], t->low[e]);
  }
}

Components components(Arena *a, const Incidence *in, const Matching *m) {
  int n = in->equations;
  Tarjan t = {.in = in, .m = m};
  t.index = ARENA_ARRAY(a, int, n + 1);
  t.low = ARENA_ARRAY(a, int, n + 1);
  t.next = ARENA_ARRAY(a, int, n + 1);
  t.stack = ARENA_ARRAY(a, int, n + 1);
  t.path = ARENA_ARRAY(a, int, n + 1);
  t.on_stack = ARENA_ARRAY(a, unsigned char, n + 1);
  t.out.start = ARENA_ARRAY(a, int, n + 2);
  t.out.member = ARENA_ARRAY(a, int, n + 1);
  for (int i = 0; i < n; i++)
    if (!t.index[i]) visit_from(&t, i);
  return t.out;
}

// ---------------------------------------------------------------- what is wrong when there is no perfect matching

void overdetermined(Arena *a, const Incidence *in, const Matching *m, unsigned char *equations,
                    unsigned char *unknowns) {
  int *queue = ARENA_ARRAY(a, int, in->equations + 1), head = 0, tail = 0;
  for (int i = 0; i < in->equations; i++)
    if (m->unknown_of[i] < 0) equations[i] = 1, queue[tail++] = i;
  while (head < tail) {
    int e = queue[head++];
    for (int k = in->start[e]; k < in->start[e + 1]; k++) {
      int u = in->unknown[k], other = m->equation_of[u];
      unknowns[u] = 1;
      if (other >= 0 && !equations[other]) equations[other] = 1, queue[tail++] = other;
    }
  }
}

void underdetermined(Arena *a, const Incidence *in, const Matching *m, unsigned char *equations,
                     unsigned char *unknowns) {
  int *start, *column;
  transpose(a, in, &start, &column);
  int *queue = ARENA_ARRAY(a, int, in->unknowns + 1), head = 0, tail = 0;
  for (int j = 0; j < in->unknowns; j++)
    if (m->equation_of[j] < 0) unknowns[j] = 1, queue[tail++] = j;
  while (head < tail) {
    int u = queue[head++];
    for (int k = start[u]; k < start[u + 1]; k++) {
      int e = column[k], other = m->unknown_of[e];
      equations[e] = 1;
      if (other >= 0 && !unknowns[other]) unknowns[other] = 1, queue[tail++] = other;
    }
  }
}
