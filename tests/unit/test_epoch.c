// The zero of time: a simulation of data whose time counts from 1970 is that of the same data from 0.
#include <stdio.h>

#include "random_expression.h"
#include "simulation.h"

static const double EPOCH = 1672884000; // s since 1970, in January 2023
enum { TIMES = 41, SAMPLES = 15, MODELS = 60 };
static const double GRID = 0x1p-20; // multiples of it are exact at the epoch, too

typedef struct Samples {
  double t[SAMPLES], u[SAMPLES], times[TIMES];
} Samples;

static double on_grid(double t) {
  return rint(t / GRID) * GRID;
}

static Samples samples_random(Rng *r) {
  Samples s;
  double t = -1;
  for (int i = 0; i < SAMPLES; i++) {
    t += 0.2 + rng_uniform(r);
    s.t[i] = on_grid(t), s.u[i] = rng_between(r, -1, 1);
  }
  for (int i = 0; i < TIMES; i++) s.times[i] = on_grid(0.2 * i);
  return s;
}

static Samples moved(const Samples *from, double shift) {
  Samples s = *from;
  for (int i = 0; i < SAMPLES; i++) s.t[i] += shift;
  for (int i = 0; i < TIMES; i++) s.times[i] += shift;
  return s;
}

// A term of the slope of one of n states.
static const char *random_term(Rng *r, int n, bool timed, char out[120]) {
  static const char *const FORMS[] = {
      "%.3f*x%d",
      "%.3f*sin(x%d)",
      "%.3f*x%d/(1 + x%d^2)",
      "%.3f*u*cos(x%d)",
      "%.3f*tanh(x%d)",
      "%.3f*min(x%d, 0.2)",
      "%.3f*abs(x%d - 0.1)",
      "%.3f*p*z",
      "%.3f*u",
      "%.3f*sin(1.3*(time - zero))",
      "%.3f*p*exp(-(time - zero))",
      "%.3f*(time - zero)*x%d",
      "%.3f*cos(time - zero)",
      "(if (time - zero) > %.3f then 1 else x%d)",
  };
  int k = rng_below(r, timed ? 14 : 9), a = 1 + rng_below(r, n), b = 1 + rng_below(r, n);
  snprintf(out, 120, FORMS[k], rng_between(r, -0.8, 0.8) + (k == 13 ? 3 : 0), a, b);
  return out;
}

static void random_model(Rng *r, bool timed, char *out, size_t size) {
  int n = 1 + rng_below(r, 4);
  size_t at = (size_t)snprintf(
      out, size,
      "model M\n  parameter Real p = 0.7;\n  parameter Real zero = 0;\n  input Real u;\n");
  for (int i = 1; i <= n; i++)
    at += (size_t)snprintf(out + at, size - at, "  Real x%d(start = %.2f, fixed = true);\n", i,
                           rng_between(r, -1, 1));
  at += (size_t)snprintf(out + at, size - at, "  Real z;\nequation\n  z + 0.3*z^3 = p*x1 + u;\n");
  for (int i = 1; i <= n; i++) {
    at += (size_t)snprintf(out + at, size - at, "  der(x%d) = -0.5*x%d", i, i);
    for (int k = 0; k < 3; k++) {
      char term[120];
      at += (size_t)snprintf(out + at, size - at, " + (%s)", random_term(r, n, timed, term));
    }
    at += (size_t)snprintf(out + at, size - at, ";\n");
  }
  snprintf(out + at, size - at, "end M;\n");
}

static Run run_moved(const char *model, const Samples *from, double shift, const char *options) {
  char set[40];
  Samples s = moved(from, shift);
  snprintf(set, sizeof set, "zero=%.0f", shift);
  Spec spec = {.text = model,
               .set = set,
               .options = options,
               .start = s.times[0],
               .times = s.times,
               .count = TIMES,
               .sens = "p",
               .input = "u",
               .input_times = s.t,
               .input_values = s.u,
               .input_count = SAMPLES};
  return simulate_spec(&spec);
}

static void assert_same_but_for_time(const Run *a, const Run *b, double shift, const char *text) {
  bool same = outcome(a) == outcome(b) && rows(a) == rows(b) && a->work.steps == b->work.steps &&
              a->work.rejected == b->work.rejected && a->work.events == b->work.events;
  for (int c = 0; same && c < entrain_result_columns(a->result); c++)
    for (int i = 0; same && i < rows(a); i++)
      same = entrain_result_column(b->result, c)[i] ==
             entrain_result_column(a->result, c)[i] + (c ? 0 : shift);
  if (!same)
    print_error("shift %.0f: %ld and %ld steps\n%s", shift, a->work.steps, b->work.steps, text);
  assert_true(same);
}

static void a_shift_of_time_changes_no_bit(void **state) {
  (void)state;
  static const char *const OPTIONS[] = {
      "interpolation=linear",
      "interpolation=hold solver=rk5 rel_tol=1e-5",
      "interpolation=spline solver=rosenbrock rel_tol=1e-5",
      "interpolation=hold solver=bdf rel_tol=1e-5",
      "interpolation=spline solver=adams rel_tol=1e-5",
      "interpolation=linear jit=off",
  };
  static const double SHIFTS[] = {1672884000, -1672884000, 0x1p31, 3e5};
  Rng r = {3};
  for (int k = 0; k < MODELS; k++) {
    char model[3000];
    random_model(&r, k % 2, model, sizeof model);
    Samples s = samples_random(&r);
    const char *options = OPTIONS[k % 6];
    Run here = run_moved(model, &s, 0, options);
    for (int i = 0; i < 4; i++) {
      Run there = run_moved(model, &s, SHIFTS[i], options);
      assert_same_but_for_time(&here, &there, SHIFTS[i], model);
      run_free(&there);
    }
    run_free(&here);
  }
}

// ---------------------------------------------------------------- time itself

static void time_in_the_model_is_that_of_the_data(void **state) {
  (void)state;
  const double TIMES_FAR[] = {EPOCH + 0.25, EPOCH + 1, EPOCH + 2.5};
  Run r = simulate_fully(.text = "model T\n  Real x(start = 0, fixed = true);\n  Real now;\n"
                                 "  Real since;\nequation\n  der(x) = 1;\n  now = time;\n"
                                 "  since = time - 1672884000;\nend T;\n",
                         .start = EPOCH, .times = TIMES_FAR, .count = 3);
  for (int i = 0; i < 3; i++) {
    assert_true(value_at(&r, "now", i) == TIMES_FAR[i]);
    assert_true(value_at(&r, "time", i) == TIMES_FAR[i]);
    assert_true(value_at(&r, "since", i) == TIMES_FAR[i] - EPOCH);
    assert_close(value_at(&r, "x", i), TIMES_FAR[i] - EPOCH, 1e-12);
  }
  run_free(&r);
}

// Although time itself is rounded to 2.4e-7 there.
static void the_time_of_an_event_is_exact_far_from_0(void **state) {
  (void)state;
  Run r = simulate_fully(.text = "model E\n  parameter Real p = 1672884001.5;\n"
                                 "  Real x(start = 0, fixed = true);\nequation\n"
                                 "  der(x) = if time > p then 1000 else 0;\nend E;\n",
                         .start = EPOCH, .stop = EPOCH + 3, .step = 3, .sens = "p");
  assert_close(last_value(&r, "x"), 1500, 1e-9);
  assert_close(last_value(&r, "dx/dp"), -1000, 1e-6);
  run_free(&r);
}

// x = 1/(1.25 - t)
static void messages_tell_times_apart(void **state) {
  (void)state;
  Run r = simulate(.text = "model E\n  Real x(start = 0.8, fixed = true);\nequation\n"
                           "  der(x) = x^2;\nend E;\n",
                   .options = "rel_tol=1e-9", .start = EPOCH, .stop = EPOCH + 3, .step = 0.5);
  assert_int_not_equal(outcome(&r), ENTRAIN_REACHED_END);
  const char *at = strstr(entrain_result_message(r.result), "t = ");
  assert_non_null(at);
  assert_close(strtod(at + 4, NULL) - EPOCH, 1.25, 1e-6);
  assert_int_equal(rows(&r), 3);
  run_free(&r);
}

static void output_times_that_numbers_cannot_tell_apart_are_refused(void **state) {
  (void)state;
  Run r = simulate_try(&(Spec){.text = "model E\n  Real x = time;\nend E;\n",
                               .start = EPOCH,
                               .stop = EPOCH + 1e-6,
                               .step = 1e-7});
  assert_null(r.result);
  assert_non_null(strstr(r.error.text, "differ by 2.4e-07 or more"));
  run_free(&r);
}

static void a_grid_far_from_0_ends_at_its_stop(void **state) {
  (void)state;
  for (int k = 1; k < 40; k++) {
    double start = EPOCH + 0.1 * k, stop = EPOCH + 0.1 * (k + 100);
    Run r = simulate_fully(.text = "model E\n  Real x = time;\nend E;\n", .start = start,
                           .stop = stop, .step = 0.1);
    assert_int_equal(rows(&r), 101);
    assert_true(last_value(&r, "time") == stop);
    run_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_shift_of_time_changes_no_bit),
      cmocka_unit_test(time_in_the_model_is_that_of_the_data),
      cmocka_unit_test(the_time_of_an_event_is_exact_far_from_0),
      cmocka_unit_test(messages_tell_times_apart),
      cmocka_unit_test(output_times_that_numbers_cannot_tell_apart_are_refused),
      cmocka_unit_test(a_grid_far_from_0_ends_at_its_stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
