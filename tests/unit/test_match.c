#include "model/match.h"

#include <stdbool.h>
#include <string.h>

#include "test.h"

enum { N = 8 };

typedef struct Structure { // a random incidence, also as a table
  Incidence in;
  int start[N + 1], unknown[N * N];
  bool has[N][N];
} Structure;

static unsigned next(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 10;
}

static void structure_close(Structure *s, int equations, int unknowns) {
  int count = 0;
  for (int i = 0; i < equations; i++) {
    for (int j = 0; j < unknowns; j++)
      if (s->has[i][j]) s->unknown[count++] = j;
    s->start[i + 1] = count;
  }
  s->in = (Incidence){equations, unknowns, s->start, s->unknown};
}

static void structure_random(Structure *s, unsigned *seed, int equations, int unknowns,
                             unsigned percent) {
  memset(s, 0, sizeof *s);
  for (int i = 0; i < equations; i++)
    for (int j = 0; j < unknowns; j++) s->has[i][j] = next(seed) % 100 < percent;
  structure_close(s, equations, unknowns);
}

static int best_from(const Structure *s, int equation, unsigned used) {
  if (equation == s->in.equations) return 0;
  int best = best_from(s, equation + 1, used);
  for (int j = 0; j < s->in.unknowns; j++) {
    if (!s->has[equation][j] || used >> j & 1) continue;
    int with = 1 + best_from(s, equation + 1, used | 1u << j);
    if (with > best) best = with;
  }
  return best;
}

static void assert_is_matching(const Structure *s, const Matching *m) {
  int count = 0;
  for (int i = 0; i < s->in.equations; i++) {
    int j = m->unknown_of[i];
    if (j < 0) continue;
    count++;
    assert_true(s->has[i][j]);
    assert_int_equal(m->equation_of[j], i);
  }
  for (int j = 0; j < s->in.unknowns; j++)
    if (m->equation_of[j] >= 0) assert_int_equal(m->unknown_of[m->equation_of[j]], j);
  assert_int_equal(m->count, count);
}

static void no_matching_is_larger(void **state) {
  (void)state;
  unsigned seed = 1;
  for (int trial = 0; trial < 2000; trial++) {
    Structure s;
    Arena *a = arena_new();
    structure_random(&s, &seed, 1 + trial % 6, 1 + trial / 6 % 6, 10 + next(&seed) % 40);
    Matching m = match(a, &s.in, NULL);
    assert_is_matching(&s, &m);
    assert_int_equal(m.count, best_from(&s, 0, 0));
    arena_free(a);
  }
}

static void unknowns_that_come_first_are_matched_where_possible(void **state) {
  (void)state;
  unsigned seed = 2;
  for (int trial = 0; trial < 1000; trial++) {
    Structure s, only_first;
    Arena *a = arena_new();
    structure_random(&s, &seed, 5, 6, 30);
    int first = (int)(next(&seed) % 6), order[6] = {first};
    for (int k = 1, j = 0; j < 6; j++)
      if (j != first) order[k++] = j;
    Matching m = match(a, &s.in, order);
    assert_is_matching(&s, &m);
    only_first = s;
    for (int i = 0; i < 5; i++)
      for (int j = 0; j < 6; j++) only_first.has[i][j] &= j == first;
    structure_close(&only_first, 5, 6);
    if (best_from(&only_first, 0, 0)) assert_true(m.equation_of[first] >= 0);
    assert_int_equal(m.count, best_from(&s, 0, 0));
    arena_free(a);
  }
}

// reach[i][k]: equation i needs, directly or not, the unknown that equation k determines
static void close_needs(const Structure *s, const Matching *m, bool reach[N][N]) {
  int n = s->in.equations;
  memset(reach, 0, sizeof(bool[N][N]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (s->has[i][j]) reach[i][m->equation_of[j]] = true;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) reach[i][j] |= reach[i][k] && reach[k][j];
}

static void components_are_loops_in_order_of_computation(void **state) {
  (void)state;
  unsigned seed = 3;
  int loops = 0;
  for (int trial = 0; trial < 1000; trial++) {
    Structure s;
    Arena *a = arena_new();
    structure_random(&s, &seed, N, N, 15);
    for (int i = 0; i < N; i++) s.has[i][(i * 3 + 1) % N] = true; // a perfect matching exists
    structure_close(&s, N, N);
    Matching m = match(a, &s.in, NULL);
    assert_int_equal(m.count, N);
    Components c = components(a, &s.in, &m);
    bool reach[N][N];
    int component[N], seen = 0;
    close_needs(&s, &m, reach);
    for (int k = 0; k < c.count; k++)
      for (int e = c.start[k]; e < c.start[k + 1]; e++) component[c.member[e]] = k, seen++;
    assert_int_equal(seen, N);
    for (int i = 0; i < N; i++)
      for (int k = 0; k < N; k++) {
        if (i == k) continue;
        assert_int_equal(component[i] == component[k], reach[i][k] && reach[k][i]);
        if (reach[i][k]) assert_true(component[k] <= component[i]);
        loops += component[i] == component[k];
      }
    arena_free(a);
  }
  assert_true(loops > 1000);
}

// The equations named share fewer unknowns than they are many, and none of them has another.
static void overdetermined_parts_have_too_few_unknowns(void **state) {
  (void)state;
  unsigned seed = 4;
  int found = 0;
  for (int trial = 0; trial < 2000; trial++) {
    Structure s;
    Arena *a = arena_new();
    structure_random(&s, &seed, 7, 6, 25);
    Matching m = match(a, &s.in, NULL);
    unsigned char equations[N] = {0}, unknowns[N] = {0};
    overdetermined(a, &s.in, &m, equations, unknowns);
    int ne = 0, nu = 0;
    for (int i = 0; i < 7; i++) {
      ne += equations[i];
      if (m.unknown_of[i] < 0) assert_true(equations[i]);
      for (int j = 0; j < 6; j++)
        if (equations[i] && s.has[i][j]) assert_true(unknowns[j]);
    }
    for (int j = 0; j < 6; j++) nu += unknowns[j];
    assert_true(ne > nu); // 7 equations, 6 unknowns
    found += ne < 7;
    arena_free(a);
  }
  assert_true(found > 100);
}

static void underdetermined_parts_have_too_few_equations(void **state) {
  (void)state;
  unsigned seed = 5;
  for (int trial = 0; trial < 2000; trial++) {
    Structure s;
    Arena *a = arena_new();
    structure_random(&s, &seed, 6, 7, 25);
    Matching m = match(a, &s.in, NULL);
    unsigned char equations[N] = {0}, unknowns[N] = {0};
    underdetermined(a, &s.in, &m, equations, unknowns);
    int ne = 0, nu = 0;
    for (int j = 0; j < 7; j++) {
      nu += unknowns[j];
      if (m.equation_of[j] < 0) assert_true(unknowns[j]);
      for (int i = 0; i < 6; i++)
        if (unknowns[j] && s.has[i][j]) assert_true(equations[i]);
    }
    for (int i = 0; i < 6; i++) ne += equations[i];
    assert_true(nu > ne);
    arena_free(a);
  }
}

static void a_long_chain_is_one_component_after_the_other(void **state) {
  (void)state;
  enum { LONG = 50000 };
  Arena *a = arena_new();
  int *start = ARENA_ARRAY(a, int, LONG + 1), *unknown = ARENA_ARRAY(a, int, 2 * LONG);
  for (int i = 0, k = 0; i < LONG; i++) { // equation i: unknowns i and i + 1
    unknown[k++] = i;
    if (i + 1 < LONG) unknown[k++] = i + 1;
    start[i + 1] = k;
  }
  Incidence in = {LONG, LONG, start, unknown};
  Matching m = match(a, &in, NULL);
  assert_int_equal(m.count, LONG);
  Components c = components(a, &in, &m);
  assert_int_equal(c.count, LONG);
  assert_int_equal(c.member[0], LONG - 1);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_matching_is_larger),
      cmocka_unit_test(unknowns_that_come_first_are_matched_where_possible),
      cmocka_unit_test(components_are_loops_in_order_of_computation),
      cmocka_unit_test(overdetermined_parts_have_too_few_unknowns),
      cmocka_unit_test(underdetermined_parts_have_too_few_equations),
      cmocka_unit_test(a_long_chain_is_one_component_after_the_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
