#include "simulate/input.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "test.h"

static const double NONE = (double)NAN;

static int setup(void **state) {
  return (*state = arena_new()) ? 0 : -1;
}

static int teardown(void **state) {
  arena_free(*state);
  return 0;
}

static Input *make(void **state, const double *t, const double *v, int n, InputKind kind) {
  Err err = {0};
  Input *in = input_new(*state, t, v, n, kind, &err);
  if (!in) print_error("%s\n", err.text);
  assert_non_null(in);
  return in;
}

static double value_at(const Input *in, double t) {
  double value;
  int piece = input_piece(in, t, 1);
  input_eval(in, t, &piece, &value, NULL);
  return value;
}

static double slope_at(const Input *in, double t) {
  double value, slope;
  int piece = input_piece(in, t, 1);
  input_eval(in, t, &piece, &value, &slope);
  return slope;
}

static double random_number(unsigned *seed) {
  return rand_r(seed) / (double)RAND_MAX;
}

enum { N = 12 };

static void random_samples(unsigned seed, double t[N], double v[N]) {
  for (int i = 0; i < N; i++) {
    t[i] = (i ? t[i - 1] : -1) + 0.1 + random_number(&seed);
    v[i] = 2 * random_number(&seed) - 1;
  }
}

// ---- values

static void every_kind_meets_its_samples_and_is_constant_outside(void **state) {
  double t[N], v[N];
  random_samples(1, t, v);
  for (InputKind kind = INPUT_HOLD; kind <= INPUT_SPLINE; kind++)
    for (int n = 1; n <= N; n++) {
      Input *in = make(state, t, v, n, kind);
      assert_int_equal(input_kind(in), kind);
      for (int i = 0; i < n; i++) assert_close(value_at(in, t[i]), v[i], 0);
      for (double far = 1e-9; far < 1e9; far *= 10) {
        assert_close(value_at(in, t[0] - far), v[0], 0);
        assert_close(value_at(in, t[n - 1] + far), v[n - 1], 0);
        assert_close(slope_at(in, t[0] - far), 0, 0);
        assert_close(slope_at(in, t[n - 1] + far), 0, 0);
      }
    }
}

static void continuous_kinds_meet_their_samples_from_the_left(void **state) {
  double t[N], v[N], value;
  random_samples(2, t, v);
  for (InputKind kind = INPUT_LINEAR; kind <= INPUT_SPLINE; kind++) {
    Input *in = make(state, t, v, N, kind);
    for (int i = 0; i < N; i++) {
      int piece = input_piece(in, t[i], -1);
      input_eval(in, t[i], &piece, &value, NULL);
      assert_close(value, v[i], 1e-14);
    }
  }
}

static void hold_keeps_the_last_sample(void **state) {
  double t[N], v[N];
  random_samples(3, t, v);
  Input *in = make(state, t, v, N, INPUT_HOLD);
  for (int i = 0; i + 1 < N; i++) {
    assert_close(value_at(in, 0.5 * (t[i] + t[i + 1])), v[i], 0);
    assert_close(value_at(in, nextafter(t[i + 1], -1e9)), v[i], 0);
    assert_close(slope_at(in, t[i]), 0, 0);
  }
}

static void linear_lies_on_the_chord(void **state) {
  double t[N], v[N];
  random_samples(4, t, v);
  Input *in = make(state, t, v, N, INPUT_LINEAR);
  for (int i = 0; i + 1 < N; i++)
    for (double s = 0.1; s < 1; s += 0.2) {
      double at = t[i] + s * (t[i + 1] - t[i]);
      assert_close(value_at(in, at), (1 - s) * v[i] + s * v[i + 1], 1e-13);
      assert_close(slope_at(in, at), (v[i + 1] - v[i]) / (t[i + 1] - t[i]), 1e-13);
    }
}

static double cubic(double t) {
  return 1 - 2 * t + 0.5 * t * t - 0.25 * t * t * t;
}

static void the_spline_reproduces_cubics(void **state) {
  double t[N], v[N];
  random_samples(5, t, v);
  for (int n = 4; n <= N; n++) {
    for (int i = 0; i < n; i++) v[i] = cubic(t[i]);
    Input *in = make(state, t, v, n, INPUT_SPLINE);
    for (double s = 0; s < 1; s += 0.01) {
      double at = t[0] + s * (t[n - 1] - t[0]);
      assert_close(value_at(in, at), cubic(at), 1e-12 * (1 + fabs(cubic(at))));
      assert_close(slope_at(in, at), -2 + at - 0.75 * at * at, 1e-10);
    }
  }
}

static void the_spline_of_two_samples_is_a_line_and_of_three_is_natural(void **state) {
  double t[] = {0, 1, 3}, v[] = {1, 2, -1}, h = 1e-4;
  assert_close(value_at(make(state, t, v, 2, INPUT_SPLINE), 0.3), 1.3, 1e-15);
  Input *in = make(state, t, v, 3, INPUT_SPLINE);
  assert_close((slope_at(in, h) - slope_at(in, 0)) / h, 0, 1e-3);
  assert_close((slope_at(in, 3 - h) - slope_at(in, 3 - 2 * h)) / h, 0, 1e-3);
}

// The slope is a quadratic: three values give its derivative exactly, from either side.
static double curvature(const Input *in, double t, double h) {
  int piece = input_piece(in, t + h, 1);
  double value, s0, s1, s2;
  input_eval(in, t, &piece, &value, &s0);
  input_eval(in, t + h, &piece, &value, &s1);
  input_eval(in, t + 2 * h, &piece, &value, &s2);
  return (-3 * s0 + 4 * s1 - s2) / (2 * h);
}

static void the_spline_is_twice_continuously_differentiable(void **state) {
  double t[N], v[N], value, left, right;
  random_samples(6, t, v);
  Input *in = make(state, t, v, N, INPUT_SPLINE);
  for (int i = 1; i + 1 < N; i++) {
    int before = input_piece(in, t[i], -1), after = input_piece(in, t[i], 1);
    assert_int_equal(after, before + 1);
    input_eval(in, t[i], &before, &value, &left);
    input_eval(in, t[i], &after, &value, &right);
    assert_close(left, right, 1e-12);
    assert_close(curvature(in, t[i], -0.01), curvature(in, t[i], 0.01), 1e-9);
  }
}

static double spline_error(void **state, int n) {
  double *t = ARENA_ARRAY(*state, double, n), *v = ARENA_ARRAY(*state, double, n), most = 0;
  for (int i = 0; i < n; i++) {
    t[i] = 3.0 * i / (n - 1);
    v[i] = sin(2 * t[i]);
  }
  Input *in = make(state, t, v, n, INPUT_SPLINE);
  for (double at = 0; at < 3; at += 0.001) most = fmax(most, fabs(value_at(in, at) - sin(2 * at)));
  return most;
}

static void the_error_of_the_spline_falls_with_the_fourth_power(void **state) {
  for (int n = 20; n <= 80; n *= 2) {
    double order = log2(spline_error(state, n + 1) / spline_error(state, 2 * n + 1));
    assert_true(order > 3.6 && order < 4.6);
  }
}

static void the_slope_is_the_derivative_of_the_value(void **state) {
  double t[N], v[N], h = 1e-6;
  unsigned seed = 7;
  random_samples(7, t, v);
  for (InputKind kind = INPUT_HOLD; kind <= INPUT_SPLINE; kind++) {
    Input *in = make(state, t, v, N, kind);
    for (int k = 0; k < 500; k++) {
      double at = t[0] - 1 + random_number(&seed) * (t[N - 1] - t[0] + 2);
      bool near = false;
      for (int i = 0; i < N; i++) near = near || fabs(at - t[i]) < 2 * h;
      if (near) continue;
      double difference = (value_at(in, at + h) - value_at(in, at - h)) / (2 * h);
      assert_close(slope_at(in, at), difference, 1e-7);
    }
  }
}

static void a_constant_is_the_same_everywhere(void **state) {
  Input *in = input_constant(*state, 2.5);
  assert_true(input_next_break(in, -1e9, 1e-6) == HUGE_VAL);
  for (double t = -1e6; t < 1e6; t += 12345.6) {
    assert_close(value_at(in, t), 2.5, 0);
    assert_close(slope_at(in, t), 0, 0);
  }
}

// ---- pieces

static void a_step_onto_a_break_sees_the_old_value_and_the_restart_the_new(void **state) {
  double t[] = {0, 1, 2}, v[] = {10, 20, 30}, value;
  Input *in = make(state, t, v, 3, INPUT_HOLD);
  int piece = input_piece(in, 0, 1);
  for (int k = 1; k < 3; k++) {
    input_eval(in, t[k], &piece, &value, NULL); // the last stage of the step
    assert_close(value, v[k - 1], 0);
    piece = input_piece(in, t[k], 1);
    input_eval(in, t[k], &piece, &value, NULL); // the first stage of the next
    assert_close(value, v[k], 0);
  }
  for (int k = 2; k > 0; k--) { // and back
    piece = input_piece(in, t[k], -1);
    input_eval(in, t[k], &piece, &value, NULL);
    assert_close(value, v[k - 1], 0);
    input_eval(in, t[k - 1], &piece, &value, NULL);
    assert_close(value, v[k - 1], 0);
  }
}

static void the_slope_on_a_kink_is_that_of_the_piece(void **state) {
  double t[] = {0, 1, 2}, v[] = {0, 1, -1}, value, slope;
  Input *in = make(state, t, v, 3, INPUT_LINEAR);
  int piece = input_piece(in, 0, 1);
  input_eval(in, 1, &piece, &value, &slope);
  assert_close(slope, 1, 0);
  piece = input_piece(in, 1, 1);
  input_eval(in, 1, &piece, &value, &slope);
  assert_close(slope, -2, 0);
  piece = input_piece(in, 1, -1);
  input_eval(in, 1, &piece, &value, &slope);
  assert_close(slope, 1, 0);
}

static void the_hint_does_not_change_continuous_values(void **state) {
  double t[N], v[N], value;
  unsigned seed = 8;
  random_samples(8, t, v);
  for (InputKind kind = INPUT_LINEAR; kind <= INPUT_SPLINE; kind++) {
    Input *in = make(state, t, v, N, kind);
    int piece = 0;
    for (int k = 0; k < 2000; k++) {
      double at = t[0] - 1 + random_number(&seed) * (t[N - 1] - t[0] + 2);
      if (k % 3 == 0) piece = rand_r(&seed) % (N + 1);
      input_eval(in, at, &piece, &value, NULL);
      assert_close(value, value_at(in, at), 0);
    }
  }
}

static void assert_breaks(const Input *in, double tolerance, const double *expected, int count) {
  double t = -1;
  for (int i = 0; i < count; i++) {
    t = input_next_break(in, t, tolerance);
    assert_close(t, expected[i], 0);
  }
  assert_true(input_next_break(in, t, tolerance) == HUGE_VAL);
}

static void breaks_are_where_the_function_is_not_smooth(void **state) {
  double t[] = {0, 1, 2, 3, 4, 5}, v[] = {1, 1, 2, 3, 3, 3};
  assert_breaks(make(state, t, v, 6, INPUT_HOLD), 1e-6, (double[]){2, 3}, 2);
  Input *in = make(state, t, v, 6, INPUT_LINEAR);
  assert_breaks(in, 1e-6, (double[]){1, 3}, 2);
  for (double at = -1; at < 7; at += 0.25)
    assert_close(value_at(in, at), 1 + fmin(2, fmax(0, at - 1)), 0);
  in = make(state, t, v, 6, INPUT_SPLINE);
  assert_breaks(in, 1e-6, (double[]){0, 2, 3, 5}, 4); // not-a-knot: 1 and 4 are none
  assert_breaks(in, 10, (double[]){0, 5}, 2);         // coarse enough to pass over them
  assert_breaks(make(state, t, v, 1, INPUT_SPLINE), 1e-6, NULL, 0);
}

// ---- samples

static void the_ends_of_a_spline_are_kinks(void **state) {
  static const double T[] = {0, 1, 2, 3, 4}, V[] = {1, 3, 2, 5, 4};
  Input *spline = make(state, T, V, 5, INPUT_SPLINE), *linear = make(state, T, V, 5, INPUT_LINEAR);
  assert_int_equal(input_smoothness_between(spline, 1, 2), 2);
  assert_int_equal(input_smoothness_between(spline, 1, 4), 2);
  assert_int_equal(input_smoothness_between(spline, 0, 1), 0);
  assert_int_equal(input_smoothness_between(spline, 4, 5), 0);
  assert_int_equal(input_smoothness_between(linear, 1, 2), 0);
  assert_true(input_smoothness_between(linear, 2, 2) > 2);
}

static void counted_from_an_origin_it_is_the_same_function(void **state) {
  const double ORIGIN = 1672884000;
  for (int kind = INPUT_HOLD; kind <= INPUT_SPLINE; kind++)
    for (unsigned seed = 1; seed < 20; seed++) {
      double t[N], far[N], v[N];
      random_samples(seed, t, v);
      for (int i = 0; i < N; i++) t[i] = rint(t[i] * 0x1p20) * 0x1p-20, far[i] = t[i] + ORIGIN;
      const Input *near = make(state, t, v, N, (InputKind)kind);
      const Input *since = input_since(*state, make(state, far, v, N, (InputKind)kind), ORIGIN);
      assert_true(input_since(*state, near, 0) == near);
      for (double at = t[0] - 1; at < t[N - 1] + 1; at += 0.0137) {
        assert_true(value_at(near, at) == value_at(since, at));
        assert_true(slope_at(near, at) == slope_at(since, at));
        assert_true(input_next_break(near, at, 0) == input_next_break(since, at, 0));
      }
    }
}

static void missing_values_are_skipped(void **state) {
  double t[] = {0, 1, 2, 3, NONE}, v[] = {NONE, 10, NONE, 30, NONE};
  Input *in = make(state, t, v, 5, INPUT_LINEAR);
  assert_close(value_at(in, 0), 10, 0);
  assert_close(value_at(in, 2), 20, 1e-14);
  assert_close(value_at(in, 9), 30, 0);
}

// Before it the function is that of the samples before, from it on that of those behind.
static void two_samples_at_one_time_are_a_jump(void **state) {
  for (int kind = 0; kind < INPUT_KINDS; kind++)
    for (int at = 1; at < N; at++) {
      double t[N], v[N], value;
      random_samples((unsigned)(100 * kind + at), t, v);
      double shift = t[at - 1] - t[at];
      for (int i = at; i < N; i++) t[i] = i == at ? t[at - 1] : t[i] + shift;
      double time = t[at];
      Input *whole = make(state, t, v, N, (InputKind)kind);
      Input *before = make(state, t, v, at, (InputKind)kind);
      Input *behind = make(state, t + at, v + at, N - at, (InputKind)kind);
      assert_true(input_jumps(whole));
      assert_int_equal(input_jumps(before), kind == INPUT_HOLD);
      for (double x = t[0] - 1; x < t[N - 1] + 1; x += 0.0137)
        assert_close(value_at(whole, x), value_at(x < time ? before : behind, x), 1e-14);
      assert_close(value_at(whole, time), v[at], 0);
      int piece = input_piece(whole, time, -1);
      input_eval(whole, time, &piece, &value, NULL);
      if (kind != INPUT_HOLD) assert_close(value, v[at - 1], 1e-12);
      double near = at > 1 ? (t[at - 2] + time) / 2 : time - 1;
      if (v[at] != v[at - 1]) assert_close(input_next_break(whole, near, 0), time, 0);
    }
}

static void assert_refused(void **state, const double *t, const double *v, int n, const char *why) {
  Err err = {0};
  assert_null(input_new(*state, t, v, n, INPUT_SPLINE, &err));
  assert_int_equal(err.code, ERR_DATA);
  assert_string_equal(err.text, why);
}

static void bad_samples_are_refused_with_their_row(void **state) {
  double v[] = {1, 2, 3}, gap[] = {1, NONE, 3}, none[] = {NONE, NONE, NONE};
  double huge[] = {1, (double)INFINITY, 3};
  assert_refused(state, (double[]){1, 1, 1}, v, 3, "row 3: time must increase, but 1 follows 1");
  assert_refused(state, (double[]){1, 2, 1}, v, 3, "row 3: time must increase, but 1 follows 2");
  assert_refused(state, (double[]){0, -0.5, 1}, gap, 3,
                 "row 2: time must increase, but -0.5 follows 0");
  assert_refused(state, (double[]){0, NONE, 1}, v, 3, "row 2: the time is missing or infinite");
  assert_refused(state, (double[]){0, 1, 2}, huge, 3, "row 2: the value is not finite");
  assert_refused(state, (double[]){0, 1, 2}, none, 3, "there is no value");
  assert_refused(state, NULL, NULL, 0, "there is no value");
}

static Table *table(void **state, const char *text) {
  Err err = {0};
  Table *t = table_parse(*state, "u.csv", text, strlen(text), &err);
  assert_non_null(t);
  return t;
}

static void columns_of_a_table_become_inputs(void **state) {
  Table *t = table(state, "time,a,b\n0,1,\n1,,5\n2,3,7\n");
  Err err = {0};
  Input *a = input_from_table(*state, t, 0, 1, INPUT_LINEAR, &err);
  Input *b = input_from_table(*state, t, 0, 2, INPUT_HOLD, &err);
  assert_close(value_at(a, 1), 2, 1e-15);
  assert_close(value_at(b, 0), 5, 0);
  assert_close(value_at(b, 2), 7, 0);
}

static void errors_in_a_table_carry_file_and_line(void **state) {
  Table *t = table(state, "time,a\n# note\n1,1\n\n0,2\n");
  Err err = {0};
  assert_null(input_from_table(*state, t, 0, 1, INPUT_HOLD, &err));
  char text[500];
  err_format(&err, text, sizeof text);
  assert_string_equal(text, "u.csv:5:1: error: row 2: time in column 'time' must increase, but 0"
                            " follows 1");
  t = table(state, "time,a\n0,\n");
  err = (Err){0};
  assert_null(input_from_table(*state, t, 0, 1, INPUT_HOLD, &err));
  assert_string_equal(err.text, "there is no value in column 'a'");
  assert_string_equal(err.file, "u.csv");
}

static void kinds_are_found_by_name(void **state) {
  (void)state;
  InputKind kind;
  assert_true(input_kind_find("hold", &kind) && kind == INPUT_HOLD);
  assert_true(input_kind_find("linear", &kind) && kind == INPUT_LINEAR);
  assert_true(input_kind_find("spline", &kind) && kind == INPUT_SPLINE);
  assert_false(input_kind_find("cubic", &kind));
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void a_million_samples_are_read_in_order_quickly(void **state) {
  int n = 1000000, piece = 0;
  double *t = ARENA_ARRAY(*state, double, n), *v = ARENA_ARRAY(*state, double, n), sum = 0;
  for (int i = 0; i < n; i++) {
    t[i] = 0.001 * i;
    v[i] = sin(t[i]);
  }
  double begin = now();
  Input *in = make(state, t, v, n, INPUT_SPLINE);
  double made = now();
  for (int i = 0; i < n; i++) {
    double value, slope;
    input_eval(in, 0.001 * i + 0.0003, &piece, &value, &slope);
    sum += value;
  }
  print_message("spline of %d samples: made in %.3f s, %.1f ns an evaluation\n", n, made - begin,
                (now() - made) / n * 1e9);
  assert_close(sum * 0.001, 1 - cos(1000.0), 1e-2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

// ---- the same samples in another way

static void another_kind_of_the_same_samples_is_as_if_made_from_them(void **state) {
  double t[N], v[N], late = 1e6;
  random_samples(3, t, v);
  v[4] = v[5] = v[6]; // samples that a hold input does not need
  for (InputKind from = INPUT_HOLD; from <= INPUT_SPLINE; from++)
    for (InputKind to = INPUT_HOLD; to <= INPUT_SPLINE; to++) {
      const Input *in = make(state, t, v, N, from), *direct = make(state, t, v, N, to);
      const Input *turned = input_as(*state, in, to);
      const Input *shifted = input_as(*state, input_since(*state, in, late), to);
      assert_int_equal(input_kind(turned), to);
      for (double x = t[0] - 1; x < t[N - 1] + 1; x += 0.0371) {
        assert_true(value_at(turned, x) == value_at(direct, x));
        assert_close(value_at(shifted, x - late), value_at(direct, x), 1e-6);
      }
    }
}

static void only_what_changes_is_sampled(void **state) {
  double t[3] = {0, 1, 2}, same[3] = {4, 4, 4}, last[3] = {4, 4, 5};
  assert_false(input_is_sampled(input_constant(*state, 2)));
  assert_false(input_is_sampled(make(state, t, same, 3, INPUT_LINEAR)));
  assert_true(input_is_sampled(make(state, t, last, 3, INPUT_HOLD)));
  assert_string_equal(input_kind_word(INPUT_SPLINE), "spline");
}

static void a_guess_does_not_change_the_piece(void **state) {
  (void)state;
  Arena *a = arena_new();
  static const double T[] = {0, 1, 1.5, 4, 9}, V[] = {1, -1, 2, 5, 0};
  for (int kind = 0; kind < INPUT_KINDS; kind++) {
    Err err = {0};
    const Input *in = input_new(a, T, V, 5, (InputKind)kind, &err);
    assert_non_null(in);
    for (int i = -4; i < 44; i++)
      for (int guess = -2; guess < 9; guess++)
        assert_int_equal(input_piece_near(in, 0.25 * i, guess), input_piece(in, 0.25 * i, +1));
  }
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(every_kind_meets_its_samples_and_is_constant_outside),
      TEST(another_kind_of_the_same_samples_is_as_if_made_from_them),
      TEST(only_what_changes_is_sampled),
      TEST(continuous_kinds_meet_their_samples_from_the_left),
      TEST(hold_keeps_the_last_sample),
      TEST(linear_lies_on_the_chord),
      TEST(the_spline_reproduces_cubics),
      TEST(the_spline_of_two_samples_is_a_line_and_of_three_is_natural),
      TEST(the_spline_is_twice_continuously_differentiable),
      TEST(the_error_of_the_spline_falls_with_the_fourth_power),
      TEST(the_slope_is_the_derivative_of_the_value),
      TEST(a_constant_is_the_same_everywhere),
      TEST(a_step_onto_a_break_sees_the_old_value_and_the_restart_the_new),
      TEST(the_slope_on_a_kink_is_that_of_the_piece),
      TEST(the_hint_does_not_change_continuous_values),
      TEST(a_guess_does_not_change_the_piece),
      TEST(breaks_are_where_the_function_is_not_smooth),
      TEST(the_ends_of_a_spline_are_kinks),
      TEST(counted_from_an_origin_it_is_the_same_function),
      TEST(missing_values_are_skipped),
      TEST(two_samples_at_one_time_are_a_jump),
      TEST(bad_samples_are_refused_with_their_row),
      TEST(columns_of_a_table_become_inputs),
      TEST(errors_in_a_table_carry_file_and_line),
      TEST(kinds_are_found_by_name),
      TEST(a_million_samples_are_read_in_order_quickly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
