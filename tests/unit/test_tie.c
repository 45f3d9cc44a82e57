#include "closed/tie.h"

#include "random_program.h"

enum { READS = 3, OWN = 2, SIGNALS = 2, PARAMETERS = 4, ACTING = 2, SLOPES = 2 };

// A random program with the inputs and results that a feedback has.
static Tie *random_tie(Arena *a, uint64_t seed) {
  static const int ACTS_ON[ACTING] = {5, -2}, READ[READS] = {7, 0, 5};
  static const double TIMES[] = {0, 1, 2.5}, VALUES[] = {1, -2, 4};
  Tie *t = ARENA_NEW(a, Tie);
  RandomShape shape = {.seed = seed,
                       .instructions = 60,
                       .inputs = 1 + SIGNALS,
                       .results = ACTING * (1 + READS + OWN + SLOPES),
                       .calls_percent = 20,
                       .has_specials = true};
  const Input **signals = ARENA_ARRAY(a, const Input *, SIGNALS);
  signals[0] = input_constant(a, 3);
  signals[1] = input_new(a, TIMES, VALUES, 3, INPUT_SPLINE, NULL);
  double *p = ARENA_ARRAY(a, double, PARAMETERS);
  random_fill(p, PARAMETERS, seed, true);
  *t = (Tie){.program = random_program(&shape, a),
             .acting = ACTS_ON,
             .acting_count = ACTING,
             .reads = READ,
             .read_count = READS,
             .own_count = OWN,
             .slope_count = SLOPES,
             .signals = signals,
             .signal_count = SIGNALS,
             .parameters = p,
             .parameter_count = PARAMETERS};
  // A feedback has two segments; what the third one would give comes from the second.
  for (int i = 0; i < t->program.count; i++)
    if (t->program.code[i].op == OP_INPUT && t->program.code[i].segment == 2)
      t->program.code[i].segment = 1;
  t->program.input_counts[2] = 0;
  return t;
}

// Both programs give the same bits for the same numbers.
static void assert_same_program(const Program *p, const Program *q, Arena *a, uint64_t seed) {
  Code *c = code_compile(p, 1, 0, CODE_AUTO), *d = code_compile(q, 1, 0, CODE_INTERPRETER);
  RandomRun r = run_new(c, seed, true, a), s = run_new(d, seed, true, a);
  run_code(c, &r);
  run_code(d, &s);
  assert_true(run_guards_hold(d, &s));
  for (size_t i = 0; i < r.out_count; i++) assert_true(same_number(r.out[i], s.out[i]));
  code_free(c);
  code_free(d);
}

static void a_feedback_is_read_as_it_was_put(void **state) {
  (void)state;
  Message m;
  message_init(&m);
  for (uint64_t seed = 1; seed <= 100; seed++) {
    Arena *a = arena_new();
    const Tie *t = random_tie(a, seed);
    message_clear(&m);
    tie_put(&m, t);
    const Tie *got = tie_get(&m, a);
    assert_non_null(got);
    assert_int_equal(m.next, m.length);
    assert_int_equal(got->acting_count, ACTING);
    assert_memory_equal(got->acting, t->acting, ACTING * sizeof(int));
    assert_int_equal(got->read_count, READS);
    assert_memory_equal(got->reads, t->reads, READS * sizeof(int));
    assert_int_equal(got->own_count, OWN);
    assert_int_equal(got->slope_count, SLOPES);
    assert_int_equal(got->parameter_count, PARAMETERS);
    assert_memory_equal(got->parameters, t->parameters, PARAMETERS * sizeof(double));
    assert_int_equal(got->signal_count, SIGNALS);
    for (int i = 0; i < SIGNALS; i++)
      for (int k = 0; k < 30; k++)
        assert_close(input_value(got->signals[i], 0.1 * k), input_value(t->signals[i], 0.1 * k), 0);
    assert_same_program(&t->program, &got->program, a, seed);
    arena_free(a);
  }
  message_done(&m);
}

static void none_is_read_as_none(void **state) {
  (void)state;
  Arena *a = arena_new();
  Message m;
  message_init(&m);
  tie_put(&m, NULL);
  assert_null(tie_get(&m, a));
  assert_false(m.bad);
  message_done(&m);
  arena_free(a);
}

static void what_is_cut_off_is_none(void **state) {
  (void)state;
  Arena *a = arena_new();
  Message m;
  message_init(&m);
  tie_put(&m, random_tie(a, 1));
  for (size_t length = sizeof(long); length < m.length; length++) {
    Message cut = {.at = malloc(length), .length = length, .room = length};
    memcpy(cut.at, m.at, length);
    assert_null(tie_get(&cut, a));
    assert_true(cut.bad);
    message_done(&cut);
  }
  message_done(&m);
  arena_free(a);
}

// Sizes that do not belong together would be read beyond an end.
static void sizes_that_do_not_fit_are_refused(void **state) {
  (void)state;
  Arena *a = arena_new();
  Message m;
  message_init(&m);
  for (int i = 0; i < 5; i++) {
    Tie *t = random_tie(a, 1);
    if (i == 0) t->program.result_count++;
    if (i == 1) t->slope_count--;
    if (i == 2) t->program.input_counts[0] = 2 + SIGNALS + PARAMETERS;
    if (i == 3) t->program.input_counts[1] = READS + OWN + 1;
    if (i == 4) t->program.input_counts[2] = 1;
    message_clear(&m);
    tie_put(&m, t);
    assert_null(tie_get(&m, a));
    assert_true(m.bad);
  }
  message_done(&m);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_feedback_is_read_as_it_was_put),
      cmocka_unit_test(none_is_read_as_none),
      cmocka_unit_test(what_is_cut_off_is_none),
      cmocka_unit_test(sizes_that_do_not_fit_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
