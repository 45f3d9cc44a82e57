#include "simulate/stepper.h"

#include <string.h>

#include "simulate/rk.h"
#include "steppers.h"
#include "test.h"

static void done_accepts_nothing(void **state) {
  (void)state;
  stepper_done(NULL);
}

// A stepper on an Ode that is never evaluated.
typedef struct Fixture {
  Arena *arena;
  Ode ode;
  double abs[64];
  Stepper *s;
} Fixture;

static Fixture *fixture_new(int n, int ns, int stride, int lanes) {
  Fixture *f = calloc(1, sizeof *f);
  f->arena = arena_new();
  f->ode = (Ode){.n = n, .ns = ns, .stride = stride, .lanes = lanes};
  for (int i = 0; i < 64; i++) f->abs[i] = 1;
  Tolerance tol = {.rel = 0.5, .abs = f->abs};
  f->s = stepper_new(f->arena, &STEPPER_RK5, &f->ode, &tol);
  return f;
}

static void fixture_free(Fixture *f) {
  arena_free(f->arena);
  free(f);
}

static void norm_is_the_largest_state_or_the_worst_mean_of_sensitivities(void **state) {
  (void)state;
  Fixture *f = fixture_new(2, 2, 3, 1);
  double zero[8] = {0}, e[8] = {3, 4, /* row 0 */ 1, 0, 0, /* row 1 */ 1, 8, 0};
  int worst;
  assert_close(stepper_norm(f->s, e, zero, zero, &worst), sqrt(32), 1e-15); // column 1 of S
  assert_int_equal(worst, 6);
  e[6] = 0;
  assert_close(stepper_norm(f->s, e, zero, zero, &worst), 4, 1e-15); // the states
  assert_int_equal(worst, 1);
  fixture_free(f);
}

static void norm_scales_with_the_larger_end(void **state) {
  (void)state;
  Fixture *f = fixture_new(1, 0, 0, 1);
  int worst;
  assert_close(stepper_norm(f->s, (double[]){6}, (double[]){-4}, (double[]){1}, &worst), 2, 1e-15);
  assert_close(stepper_norm(f->s, (double[]){6}, (double[]){1}, (double[]){-4}, &worst), 2, 1e-15);
  fixture_free(f);
}

static void padding_is_not_part_of_the_norm(void **state) {
  (void)state;
  Fixture *f = fixture_new(1, 1, 4, 1);
  f->abs[2] = f->abs[3] = f->abs[4] = 0; // of padding: would give 0/0
  double zero[5] = {0}, e[5] = {1, 2, 0, 0, 0};
  int worst;
  assert_close(stepper_norm(f->s, e, zero, zero, &worst), 2, 1e-15);
  fixture_free(f);
}

static void the_worst_lane_decides(void **state) {
  (void)state;
  Fixture *f = fixture_new(1, 1, 1, 4);
  double zero[8] = {0}, e[8] = {1, 1, 1, 1, 1, 1, 7, 1};
  int worst;
  assert_close(stepper_norm(f->s, e, zero, zero, &worst), 7, 1e-15);
  assert_int_equal(worst, 1); // without lanes
  fixture_free(f);
}

static void norm_is_nan_when_any_number_is(void **state) {
  (void)state;
  Fixture *f = fixture_new(2, 1, 1, 2);
  double zero[8] = {0};
  for (int i = 0; i < 8; i++) {
    double e[8] = {9, 9, 9, 9, 9, 9, 9, 9};
    int worst;
    e[i] = (double)NAN;
    assert_true(isnan(stepper_norm(f->s, e, zero, zero, &worst)));
    assert_int_equal(worst, i / 2);
  }
  fixture_free(f);
}

static void nothing_has_norm_zero(void **state) {
  (void)state;
  Fixture *f = fixture_new(0, 0, 0, 1);
  int worst;
  assert_close(stepper_norm(f->s, NULL, NULL, NULL, &worst), 0, 0);
  fixture_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(done_accepts_nothing),
      cmocka_unit_test(norm_is_the_largest_state_or_the_worst_mean_of_sensitivities),
      cmocka_unit_test(norm_scales_with_the_larger_end),
      cmocka_unit_test(padding_is_not_part_of_the_norm),
      cmocka_unit_test(the_worst_lane_decides),
      cmocka_unit_test(norm_is_nan_when_any_number_is),
      cmocka_unit_test(nothing_has_norm_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
