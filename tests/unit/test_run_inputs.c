#include "program/run_inputs.h"

#include <string.h>

#include "base/csv.h"
#include "simulate/input.h"
#include "test.h"

static int setup(void **state) {
  return (*state = arena_new()) ? 0 : -1;
}

static int teardown(void **state) {
  arena_free(*state);
  return 0;
}

static const double T[] = {0, 1, 2, 3, 4};
static const double V[] = {5, 5, -1, 0.1, 7};

static const char *written(void **state, const SimulatorCall *call, const char *const *names) {
  Text out;
  text_init(&out);
  run_inputs_write(call, names, &out);
  const char *copy = arena_copy(*state, out.at, out.length);
  text_done(&out);
  return copy;
}

static void a_held_input_has_two_rows_where_it_jumps(void **state) {
  const Input *inputs[] = {input_new(*state, T, V, 5, INPUT_HOLD, NULL)};
  double times[] = {0.5, 2.5};
  SimulatorCall call = {
      .origin = 10, .times = times, .count = 2, .inputs = inputs, .input_count = 1};
  const char *names[] = {"u"};
  assert_string_equal(written(state, &call, names), "time,u\n10,5\n10.5,5\n12,5\n12,-1\n12.5,-1\n");
}

static void rows_are_at_breaks_of_any_input_and_at_samples(void **state) {
  double t[] = {0.25, 2}, v[] = {0, 7};
  const Input *inputs[] = {input_new(*state, t, v, 2, INPUT_LINEAR, NULL), NULL,
                           input_constant(*state, 0.1)};
  double times[] = {1, 3};
  SimulatorCall call = {.times = times, .count = 2, .inputs = inputs, .input_count = 3};
  const char *names[] = {"u", "left out", "a \"b\", c"};
  assert_string_equal(written(state, &call, names), "time,u,\"a \"\"b\"\", c\"\n0,0,0.1\n"
                                                    "0.25,0,0.1\n1,3,0.1\n2,7,0.1\n3,7,0.1\n");
}

static void without_times_there_is_one_row(void **state) {
  const Input *inputs[] = {input_new(*state, T, V, 5, INPUT_LINEAR, NULL)};
  SimulatorCall call = {.start = 2, .inputs = inputs, .input_count = 1};
  const char *names[] = {"u"};
  assert_string_equal(written(state, &call, names), "time,u\n2,-1\n");
}

// The law: straight lines between the rows, the later of two rows at one time, are the inputs.
static void straight_lines_between_the_rows_are_the_inputs(void **state) {
  for (int kind = 0; kind < INPUT_KINDS; kind++) {
    const Input *inputs[] = {input_new(*state, T, V, 5, (InputKind)kind, NULL)};
    double times[] = {0.3, 1.7, 3.9};
    SimulatorCall call = {.times = times, .count = 3, .inputs = inputs, .input_count = 1};
    const char *names[] = {"u"}, *text = written(state, &call, names);
    const Table *t = table_parse(*state, "in.csv", text, strlen(text), NULL);
    assert_non_null(t);
    const double *at = t->column[0], *u = t->column[1];
    assert_close(at[0], 0, 0);
    assert_close(at[t->rows - 1], 3.9, 0);
    for (int i = 0, row = 0; i <= 3900; i++) {
      double now = i / 1000.0;
      while (row + 1 < t->rows && at[row + 1] <= now) row++;
      double value = u[row];
      if (row + 1 < t->rows)
        value += (u[row + 1] - u[row]) * (now - at[row]) / (at[row + 1] - at[row]);
      assert_close(value, input_value(inputs[0], now), kind == INPUT_SPLINE ? 0.02 : 1e-13);
    }
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_held_input_has_two_rows_where_it_jumps),
      TEST(rows_are_at_breaks_of_any_input_and_at_samples),
      TEST(without_times_there_is_one_row),
      TEST(straight_lines_between_the_rows_are_the_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
