// Structure of equations as a bipartite graph of equations and unknowns.
//
// Matching: augmenting paths by depth-first search with look-ahead for free equations (Duff 1981, ACM TOMS 7:315,
// algorithm MC21). Order: strongly connected components (Tarjan 1972, SIAM J. Comput. 1:146), which are the diagonal
// blocks of the block triangular form. What fails without a perfect matching: the over- and underdetermined parts of
// Dulmage and Mendelsohn (1958). Searches keep stacks of their own, because chains of thousands of equations occur.
#include "model/match.h"

#include <string.h>

// Equations of each unknown.
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

// ---------------------------------------------------------------- matching

typedef struct PathSearch {
  const int *start, *column; // equations of each unknown
  Matching *m;
  int *stamp;     // by equation: the root + 1 of the last search that saw it
  int *next;      // by unknown: position in its column
  int *lookahead; // by unknown: equations before this position stay matched
  int *path;      // stack of unknowns
} PathSearch;

// Looks for a path from the unknown `root` over matched pairs to a free equation. Along it every unknown takes the next
// equation, so that one pair more is matched. Returns 1, or 0 when there is no such path.
static int augment_from(PathSearch *s, int root) {
  Matching *m = s->m;
  int depth = 0;
  s->path[0] = root;
  s->next[root] = s->start[root];
  while (depth >= 0) {
    int unknown = s->path[depth], end = s->start[unknown + 1], *ahead = &s->lookahead[unknown];
    while (*ahead < end && m->unknown_of[s->column[*ahead]] >= 0) (*ahead)++;
    if (*ahead < end) { // a free equation: the path ends here
      for (int equation = s->column[(*ahead)++]; depth >= 0; depth--) {
        int previous = m->equation_of[s->path[depth]];
        m->equation_of[s->path[depth]] = equation;
        m->unknown_of[equation] = s->path[depth];
        equation = previous;
      }
      return 1;
    }
    int deeper = -1; // the unknown of an equation that this search has not seen
    while (s->next[unknown] < end && deeper < 0) {
      int e = s->column[s->next[unknown]++];
      if (s->stamp[e] == root + 1) continue;
      s->stamp[e] = root + 1;
      deeper = m->unknown_of[e];
    }
    if (deeper < 0) {
      depth--;
    } else {
      s->path[++depth] = deeper;
      s->next[deeper] = s->start[deeper];
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
  PathSearch s = {.start = start, .column = column, .m = &m};
  s.stamp = ARENA_ARRAY(a, int, in->equations + 1);
  s.next = ARENA_ARRAY(a, int, in->unknowns + 1);
  s.lookahead = ARENA_ARRAY(a, int, in->unknowns + 1);
  s.path = ARENA_ARRAY(a, int, in->unknowns + 1);
  memcpy(s.lookahead, start, (size_t)in->unknowns * sizeof(int));
  for (int k = 0; k < in->unknowns; k++) m.count += augment_from(&s, order ? order[k] : k);
  return m;
}

// ---------------------------------------------------------------- strongly connected components

typedef struct Tarjan {
  const Incidence *in;
  const Matching *m;
  int *index,
      *low; // by equation: when it was met, 0: not yet; the earliest one on the stack that it reaches
  int *next;               // by equation: position in its row
  int *stack, stack_count; // equations that are in no component yet
  unsigned char *on_stack;
  int *path; // of the depth-first search
  int counter;
  Components out;
} Tarjan;

static void enter(Tarjan *t, int equation) {
  t->index[equation] = t->low[equation] = ++t->counter;
  t->next[equation] = t->in->start[equation];
  t->stack[t->stack_count++] = equation;
  t->on_stack[equation] = 1;
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
      else if (t->on_stack[other] && t->index[other] < t->low[e])
        t->low[e] = t->index[other];
    }
    if (deeper >= 0) {
      t->path[++depth] = deeper;
      enter(t, deeper);
      continue;
    }
    if (t->low[e] ==
        t->index[e]) { // e is the root of a component: all that is above it on the stack
      int at = t->out.start[t->out.count], member;
      do {
        member = t->stack[--t->stack_count];
        t->on_stack[member] = 0;
        t->out.member[at++] = member;
      } while (member != e);
      t->out.start[++t->out.count] = at;
    }
    if (--depth >= 0 && t->low[e] < t->low[t->path[depth]]) t->low[t->path[depth]] = t->low[e];
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
