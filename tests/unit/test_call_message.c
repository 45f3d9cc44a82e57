#include "closed/call_message.h"

#include <stdlib.h>
#include <string.h>

#include "closed/tie.h"
#include "random_program.h"

static const double *random_numbers(Arena *a, uint64_t *state, int count) {
  double *x = ARENA_ARRAY(a, double, count + 1);
  for (int i = 0; i < count; i++) x[i] = random_number(state, true);
  return x;
}

static const int *random_ints(Arena *a, uint64_t *state, int count) {
  int *x = ARENA_ARRAY(a, int, count + 1);
  for (int i = 0; i < count; i++) x[i] = (int)random_next(state);
  return x;
}

// A part of an odd one, which may be empty.
static const char *random_text(Arena *a, uint64_t *state) {
  static const char ODD[] = "a 'b'\n\x01\x1b[31m\xc3\xa4\xff\\ %s %n \"x\",{}";
  int from = random_below(state, sizeof ODD);
  return arena_copy(a, ODD + from, (size_t)random_below(state, (int)sizeof ODD - from));
}

// Constants, all kinds of interpolation, and none.
static const Input *random_input(Arena *a, uint64_t *state) {
  int kind = random_below(state, INPUT_KINDS + 2), count = 1 + random_below(state, 20);
  if (kind == INPUT_KINDS + 1) return NULL;
  if (kind == INPUT_KINDS) return input_constant(a, random_number(state, false));
  double *t = ARENA_ARRAY(a, double, count), *v = ARENA_ARRAY(a, double, count), now = -3;
  for (int i = 0; i < count; i++) {
    t[i] = now += 0.01 + fabs(random_number(state, false));
    v[i] = i && random_below(state, 5) == 0 ? (double)NAN : random_number(state, false);
  }
  const Input *in = input_new(a, t, v, count, (InputKind)kind, NULL);
  assert_non_null(in);
  return in;
}

static SimulatorCall *random_call(Arena *a, uint64_t seed) {
  uint64_t s = seed * 0x9e3779b97f4a7c15u + 1;
  SimulatorCall *c = ARENA_NEW(a, SimulatorCall);
  *c = (SimulatorCall){.origin = random_number(&s, true),
                       .start = random_number(&s, true),
                       .count = random_below(&s, 30),
                       .parameter_count = random_below(&s, 10),
                       .input_count = random_below(&s, 6),
                       .variable_count = random_below(&s, 5),
                       .slope_count = random_below(&s, 4),
                       .rel_tol = random_number(&s, true),
                       .abs_tol = random_number(&s, true),
                       .max_step = random_number(&s, true),
                       .max_steps = (long)random_next(&s),
                       .max_events = random_below(&s, 1000),
                       .solver = random_below(&s, 8),
                       .experiment = random_below(&s, 8),
                       .name = random_below(&s, 4) ? random_text(a, &s) : NULL};
  bool *given = ARENA_ARRAY(a, bool, c->parameter_count + 1);
  for (int i = 0; i < c->parameter_count; i++) given[i] = random_below(&s, 2);
  CallText *texts = ARENA_ARRAY(a, CallText, c->parameter_count + 1);
  for (int i = 0; i < c->parameter_count; i++)
    if (random_below(&s, 3) == 0) texts[c->text_count++] = (CallText){i, random_text(a, &s)};
  const Input **inputs = ARENA_ARRAY(a, const Input *, c->input_count + 1);
  for (int i = 0; i < c->input_count; i++) inputs[i] = random_input(a, &s);
  c->times = random_numbers(a, &s, c->count);
  c->parameters = random_numbers(a, &s, c->parameter_count);
  c->given = given;
  c->texts = texts;
  c->inputs = inputs;
  c->variables = random_ints(a, &s, c->variable_count);
  c->slopes = random_ints(a, &s, c->slope_count);
  c->slope_size = random_numbers(a, &s, c->slope_count);
  c->slope_low = random_numbers(a, &s, c->slope_count);
  c->slope_high = random_numbers(a, &s, c->slope_count);
  c->slope_part = random_numbers(a, &s, c->slope_count);
  return c;
}

#define assert_same(a, b, count)                                                                   \
  if ((count) > 0) assert_memory_equal((a), (b), (size_t)(count) * sizeof *(a))
#define assert_same_number(a, b) assert_memory_equal(&(a), &(b), sizeof(a))

static void assert_same_text(const char *a, const char *b) {
  assert_int_equal(a == NULL, b == NULL);
  if (a) assert_string_equal(a, b);
}

static void assert_same_input(const Input *a, const Input *b) {
  assert_int_equal(a == NULL, b == NULL);
  if (!a) return;
  const double *ta, *va, *tb, *vb;
  int count = input_samples(a, &ta, &va);
  assert_int_equal(input_samples(b, &tb, &vb), count);
  assert_int_equal(input_kind(a), input_kind(b));
  assert_int_equal(input_is_sampled(a), input_is_sampled(b));
  assert_same(ta, tb, count);
  assert_same(va, vb, count);
  for (int i = -15; i < 120; i++) {
    double x = input_value(a, 0.37 * i), y = input_value(b, 0.37 * i);
    assert_same_number(x, y);
  }
}

static void assert_same_call(const SimulatorCall *a, const SimulatorCall *b) {
  assert_same_number(a->origin, b->origin);
  assert_same_number(a->start, b->start);
  assert_int_equal(a->count, b->count);
  assert_same(a->times, b->times, a->count);
  assert_int_equal(a->parameter_count, b->parameter_count);
  assert_same(a->parameters, b->parameters, a->parameter_count);
  assert_same(a->given, b->given, a->parameter_count);
  assert_int_equal(a->text_count, b->text_count);
  for (int i = 0; i < a->text_count; i++) {
    assert_int_equal(a->texts[i].parameter, b->texts[i].parameter);
    assert_string_equal(a->texts[i].text, b->texts[i].text);
  }
  assert_int_equal(a->input_count, b->input_count);
  for (int i = 0; i < a->input_count; i++) assert_same_input(a->inputs[i], b->inputs[i]);
  assert_int_equal(a->variable_count, b->variable_count);
  assert_same(a->variables, b->variables, a->variable_count);
  assert_int_equal(a->slope_count, b->slope_count);
  assert_same(a->slopes, b->slopes, a->slope_count);
  assert_same(a->slope_size, b->slope_size, a->slope_count);
  assert_same(a->slope_low, b->slope_low, a->slope_count);
  assert_same(a->slope_high, b->slope_high, a->slope_count);
  assert_same(a->slope_part, b->slope_part, a->slope_count);
  assert_int_equal(a->tie == NULL, b->tie == NULL);
  assert_same_number(a->rel_tol, b->rel_tol);
  assert_same_number(a->abs_tol, b->abs_tol);
  assert_same_number(a->max_step, b->max_step);
  assert_int_equal(a->max_steps, b->max_steps);
  assert_int_equal(a->max_events, b->max_events);
  assert_int_equal(a->solver, b->solver);
  assert_int_equal(a->experiment, b->experiment);
  assert_same_text(a->name, b->name);
}

static void a_call_is_read_as_it_was_put(void **state) {
  (void)state;
  Message m;
  message_init(&m);
  for (uint64_t seed = 1; seed <= 300; seed++) {
    Arena *a = arena_new();
    const SimulatorCall *call = random_call(a, seed);
    message_clear(&m);
    simulator_call_put(&m, call);
    const SimulatorCall *read = simulator_call_get(&m, a);
    assert_non_null(read);
    assert_int_equal(m.next, m.length);
    assert_same_call(call, read);
    arena_free(a);
  }
  message_done(&m);
}

static void a_call_that_is_cut_off_is_none(void **state) {
  (void)state;
  Message m;
  message_init(&m);
  for (uint64_t seed = 1; seed <= 5; seed++) {
    Arena *a = arena_new();
    message_clear(&m);
    simulator_call_put(&m, random_call(a, seed));
    for (size_t length = 0; length < m.length; length++) {
      Message cut = {.at = malloc(length + 1), .length = length, .room = length};
      memcpy(cut.at, m.at, length);
      assert_null(simulator_call_get(&cut, a));
      message_done(&cut);
    }
    arena_free(a);
  }
  message_done(&m);
}

// The sanitizers see what is read or written beyond an end.
static void corrupted_calls_and_answers_do_no_harm(void **state) {
  (void)state;
  uint64_t noise = 11;
  Message m;
  message_init(&m);
  for (uint64_t seed = 1; seed <= 1000; seed++) {
    Arena *a = arena_new();
    const SimulatorCall *call = random_call(a, seed);
    SimulatorAnswer *answer = simulator_answer_new(a, call);
    answer->rows = call->count;
    message_clear(&m);
    if (seed % 2)
      simulator_call_put(&m, call);
    else
      simulator_answer_put(&m, call, answer);
    for (int k = 0; k < 3; k++)
      m.at[random_below(&noise, (int)m.length)] = (char)random_next(&noise);
    if (seed % 2)
      simulator_call_get(&m, a);
    else
      simulator_answer_get(&m, call, simulator_answer_new(a, call));
    assert_true(m.next <= m.length);
    arena_free(a);
  }
  message_done(&m);
}

static SimulatorAnswer *random_answer(Arena *a, const SimulatorCall *call, uint64_t seed) {
  uint64_t s = seed + 99;
  SimulatorAnswer *answer = simulator_answer_new(a, call);
  int numbers = call->count * call->variable_count;
  answer->outcome = (Outcome)random_below(&s, OUTCOME_COUNT);
  answer->rows = random_below(&s, call->count + 1);
  random_fill(answer->values, (size_t)numbers, seed, true);
  if (random_below(&s, 2)) answer->slopes = NULL;
  if (answer->slopes) random_fill(answer->slopes, (size_t)(numbers * call->slope_count), s, true);
  answer->work.steps = (long)random_next(&s);
  answer->events = (long)random_next(&s);
  answer->t_end = random_number(&s, true);
  // As long as they may be.
  memset(answer->solver, 'a', sizeof answer->solver - 1);
  memset(answer->slopes_by, 'b', sizeof answer->slopes_by - 1);
  memset(answer->message, 'c', sizeof answer->message - 1);
  memset(answer->log, 'd', sizeof answer->log - 1);
  return answer;
}

static void an_answer_is_read_as_it_was_put(void **state) {
  (void)state;
  Message m;
  message_init(&m);
  for (uint64_t seed = 1; seed <= 300; seed++) {
    Arena *a = arena_new();
    const SimulatorCall *call = random_call(a, seed);
    const SimulatorAnswer *put = random_answer(a, call, seed);
    SimulatorAnswer *got = simulator_answer_new(a, call);
    int numbers = put->rows * call->variable_count;
    message_clear(&m);
    simulator_answer_put(&m, call, put);
    assert_true(simulator_answer_get(&m, call, got));
    assert_int_equal(got->outcome, put->outcome);
    assert_int_equal(got->rows, put->rows);
    assert_same(got->values, put->values, numbers);
    assert_int_equal(got->slopes == NULL, put->slopes == NULL);
    if (got->slopes) assert_same(got->slopes, put->slopes, numbers * call->slope_count);
    assert_memory_equal(&got->work, &put->work, sizeof got->work);
    assert_int_equal(got->events, put->events);
    assert_same_number(got->t_end, put->t_end);
    assert_string_equal(got->solver, put->solver);
    assert_string_equal(got->slopes_by, put->slopes_by);
    assert_string_equal(got->message, put->message);
    assert_string_equal(got->log, put->log);
    arena_free(a);
  }
  message_done(&m);
}

// What a simulator writes into the connection is no answer: one byte more or less, another number of rows.
static void an_answer_that_does_not_fit_its_call_is_none(void **state) {
  (void)state;
  Message m;
  message_init(&m);
  Arena *a = arena_new();
  double times[3] = {0, 1, 2};
  int variables[2] = {0, 1};
  SimulatorCall call = {.times = times, .count = 3, .variables = variables, .variable_count = 2};
  SimulatorAnswer *answer = simulator_answer_new(a, &call);
  answer->rows = 3;
  simulator_answer_put(&m, &call, answer);
  put_bytes(&m, "x", 1);
  assert_false(simulator_answer_get(&m, &call, simulator_answer_new(a, &call)));
  m.next = 0, m.length -= 2;
  assert_false(simulator_answer_get(&m, &call, simulator_answer_new(a, &call)));
  static const long ROWS[] = {-1, 2, 4};
  for (int i = 0; i < 3; i++) {
    message_clear(&m);
    simulator_answer_put(&m, &call, answer);
    memcpy(m.at + sizeof(long), &ROWS[i], sizeof(long));
    assert_false(simulator_answer_get(&m, &call, simulator_answer_new(a, &call)));
  }
  static const long OUTCOMES_NONE[] = {-1, OUTCOME_COUNT};
  for (int i = 0; i < 2; i++) {
    message_clear(&m);
    simulator_answer_put(&m, &call, answer);
    memcpy(m.at, &OUTCOMES_NONE[i], sizeof(long));
    assert_false(simulator_answer_get(&m, &call, simulator_answer_new(a, &call)));
  }
  message_done(&m);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_call_is_read_as_it_was_put),
      cmocka_unit_test(a_call_that_is_cut_off_is_none),
      cmocka_unit_test(corrupted_calls_and_answers_do_no_harm),
      cmocka_unit_test(an_answer_is_read_as_it_was_put),
      cmocka_unit_test(an_answer_that_does_not_fit_its_call_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
