#include "simulate/rk.h"

#include <malloc.h>
#include <stdlib.h>

#include "simulate/rk_tableau.h"
#include "steppers.h"
#include "test.h"

static const StepperRow *const METHODS[] = {&STEPPER_RK8, &STEPPER_RK5};

// ---- the tableau

static void weights_integrate_powers_of_time(void **state) {
  (void)state;
  double b8[] = {RK8_B1, RK8_B6, RK8_B7, RK8_B8, RK8_B9, RK8_B10, RK8_B11, RK8_B12};
  double c8[] = {0, RK8_C6, RK8_C7, RK8_C8, RK8_C9, RK8_C10, RK8_C11, 1};
  double b5[] = {RK5_B1, RK5_B3, RK5_B4, RK5_B5, RK5_B6}, c5[] = {0, RK5_C3, RK5_C4, RK5_C5, 1};
  for (int power = 0; power < 8; power++) {
    double sum8 = 0, sum5 = 0;
    for (int i = 0; i < 8; i++) sum8 += b8[i] * pow(c8[i], power);
    for (int i = 0; i < 5; i++) sum5 += b5[i] * pow(c5[i], power);
    assert_close(sum8, 1. / (power + 1), 1e-14);
    if (power < 5) assert_close(sum5, 1. / (power + 1), 1e-14);
  }
}

// ---- accuracy

static void fixed_steps_show_the_order(void **state) {
  (void)state;
  assert_close(observed_order(&STEPPER_RK8, &OSCILLATOR, 4), 8, 0.3);
  assert_close(observed_order(&STEPPER_RK8, &OSCILLATOR, 8), 8, 0.3);
  assert_close(observed_order(&STEPPER_RK8, &LOGISTIC, 16), 8, 1.2);
  assert_close(observed_order(&STEPPER_RK8, &TIMED, 16), 8, 1.2);
  assert_close(observed_order(&STEPPER_RK5, &OSCILLATOR, 64), 5, 0.2);
  assert_close(observed_order(&STEPPER_RK5, &LOGISTIC, 64), 5, 0.2);
  assert_close(observed_order(&STEPPER_RK5, &TIMED, 64), 5, 0.5);
}

static void dense_output_shows_its_order(void **state) {
  (void)state;
  const Problem *problems[] = {&OSCILLATOR, &LOGISTIC, &TIMED};
  double h = 0.2; // one step: one order more
  for (int i = 0; i < 3; i++) {
    double e8 = dense_error(&STEPPER_RK8, problems[i], h);
    double e5 = dense_error(&STEPPER_RK5, problems[i], h);
    assert_true(log2(e8 / dense_error(&STEPPER_RK8, problems[i], h / 2)) > 7.6);
    assert_true(log2(e5 / dense_error(&STEPPER_RK5, problems[i], h / 2)) > 4.6);
  }
}

static void error_follows_the_tolerance(void **state) {
  (void)state;
  const Problem *problems[] = {&OSCILLATOR, &LOGISTIC, &TIMED};
  for (int m = 0; m < 2; m++)
    for (int i = 0; i < 3; i++)
      for (double tol = 1e-3; tol > 1e-12; tol /= 10) {
        const Problem *p = problems[i];
        double y[MOST_NUMBERS], exact[MOST_NUMBERS];
        run_to_end(METHODS[m], p, tol, tol, 0, y);
        p->exact(p->p, p->t1, exact);
        assert_close(largest_difference(y, exact, p->n * (1 + p->ns)), 0, 10 * tol);
      }
}

static void sensitivities_are_the_difference_quotients(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    double y[4], up[4], down[4], d = 1e-4;
    Problem p = PENDULUM;
    run_to_end(METHODS[m], &p, 1e-10, 1e-12, 0, y);
    p.p[0] = PENDULUM.p[0] + d;
    run_to_end(METHODS[m], &p, 1e-12, 1e-13, 0, up);
    p.p[0] = PENDULUM.p[0] - d;
    run_to_end(METHODS[m], &p, 1e-12, 1e-13, 0, down);
    for (int i = 0; i < 2; i++) assert_close(y[2 + i], (up[i] - down[i]) / (2 * d), 1e-6);
  }
}

static void backward_integration_returns_to_the_start(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run *r = run_new(METHODS[m], &PENDULUM, 1e-10, 1e-12, 0);
    run_all(r);
    r->s->row->start(r->s, 0);
    assert_true(r->s->h_next < 0);
    while (r->s->t > 0) {
      double y[4], t = r->s->t;
      assert_int_equal(r->s->row->step(r->s, 0), STEP_DONE);
      assert_true(r->s->t < t);
      r->s->row->dense(r->s, 0.5 * (t + r->s->t), true, y);
      assert_true(fabs(y[0]) < 0.6);
    }
    for (int i = 0; i < 4; i++) assert_close(r->s->y[i], PENDULUM.y0[i], 2e-7);
    run_free(r);
  }
}

// ---- steps

static void steps_end_exactly_at_the_limit_and_join(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run *r = run_new(METHODS[m], &PENDULUM, 1e-6, 1e-8, 0);
    run_start(r);
    for (int i = 1; i <= 7; i++) {
      double limit = i / 7. * r->problem.t1, before = r->s->t;
      while (r->s->t != limit) {
        assert_int_equal(r->s->row->step(r->s, limit), STEP_DONE);
        assert_close(r->s->t_old, before, 0);
        before = r->s->t;
        assert_true(r->s->t <= limit);
      }
    }
    run_free(r);
  }
}

static void dense_output_meets_both_ends(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run *r = run_new(METHODS[m], &PENDULUM, 1e-6, 1e-8, 0);
    run_start(r);
    r->s->row->step(r->s, 20);
    double y[4];
    r->s->row->dense(r->s, r->s->t, true, y);
    assert_memory_equal(y, r->s->y, sizeof y);
    r->s->row->dense(r->s, r->s->t_old, true, y);
    assert_memory_equal(y, r->s->y_old, sizeof y);
    r->s->row->dense(r->s, nextafter(r->s->t, 0), true, y);
    for (int i = 0; i < 4; i++) assert_close(y[i], r->s->y[i], 1e-13);
    run_free(r);
  }
}

static void pendulum_states(void *self, double t, const double *x, double *dx) {
  double y[4] = {x[0], x[1], 0, 0}, dy[4];
  pendulum_rhs(self, t, y, dy);
  dx[0] = dy[0];
  dx[1] = dy[1];
}

static void dense_output_of_states_alone_is_the_same(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run *r = run_new(METHODS[m], &PENDULUM, 1e-6, 1e-8, 0);
    r->ode.rhs_states = pendulum_states;
    run_start(r);
    r->s->row->step(r->s, 20);
    double t = 0.3 * r->s->t, states[2], all[4];
    long before = r->s->count.rhs_sens;
    r->s->row->dense(r->s, t, false, states);
    assert_int_equal(r->s->count.rhs_sens, before);
    r->s->row->dense(r->s, t, true, all);
    assert_memory_equal(states, all, sizeof states);
    run_free(r);
  }
}

static void work_is_counted(void **state) {
  (void)state;
  Run *r = run_new(&STEPPER_RK8, &OSCILLATOR, 1e6, 1e6, 0.3);
  run_all(r);
  assert_int_equal(r->s->count.steps, 10);
  assert_int_equal(r->s->count.rejected, 0);
  assert_int_equal(r->s->count.rhs, 1 + 10 * 12);
  assert_int_equal(r->s->count.rhs_sens, r->s->count.rhs);
  run_free(r);
  r = run_new(&STEPPER_RK5, &LORENZ, 1e6, 1e6, 0.01);
  r->problem.t1 = 0.02;
  run_all(r);
  assert_int_equal(r->s->count.rhs, 1 + 2 * 6);
  assert_int_equal(r->s->count.rhs_sens, 0);
  run_free(r);
}

static void first_step_may_probe_where_nothing_can_be_computed(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Problem p = DOMAIN_END;
    p.y0[0] = 1e-9; // ends at t = 1e-9
    Run *r = run_new(METHODS[m], &p, 1e-3, 1, 0);
    run_start(r);
    assert_true(isfinite(r->s->h_next) && r->s->h_next > 0);
    assert_int_equal(r->s->row->step(r->s, 2), STEP_DONE);
    assert_true(r->s->t < 1e-9);
    run_free(r);
  }
}

// ---- ends

static void stiffness_is_noticed(void **state) {
  (void)state;
  const Problem *stiff[] = {&ROBERTSON, &VANDERPOL}, *calm[] = {&LORENZ, &PENDULUM, &LOGISTIC};
  for (int m = 0; m < 2; m++) {
    for (int i = 0; i < 2; i++) {
      Run *r = run_new(METHODS[m], stiff[i], 1e-5, 1e-7, 0);
      r->s->tol.max_steps = 2000;
      run_all(r);
      assert_true(r->stiff > 0);
      run_free(r);
    }
    for (int i = 0; i < 3; i++)
      for (double tol = 1e-4; tol > 1e-11; tol /= 10) {
        Run *r = run_new(METHODS[m], calm[i], tol, tol, 0);
        run_all(r);
        assert_int_equal(r->stiff, 0);
        assert_int_equal(r->end, STEP_DONE);
        run_free(r);
      }
  }
}

static void blow_up_ends_in_bounded_steps(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run *r = run_new(METHODS[m], &BLOW_UP, 1e-8, 1e-10, 0);
    run_all(r);
    assert_true(r->end == STEP_TOO_SMALL || r->end == STEP_NOT_COMPUTABLE);
    assert_close(r->s->t, 1, 1e-6);
    assert_true(isfinite(r->s->y[0]));
    assert_true(r->s->count.steps + r->s->count.rejected < 2000);
    assert_int_equal(r->s->worst, 0);
    assert_true(r->s->last_error > 1);
    run_free(r);
  }
}

static void end_of_the_domain_is_reported(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run *r = run_new(METHODS[m], &DOMAIN_END, 1e-8, 1e-10, 0);
    run_all(r);
    assert_int_equal(r->end, STEP_NOT_COMPUTABLE);
    assert_close(r->s->t, 1, 1e-12);
    assert_true(r->s->y[0] >= 0);
    assert_true(r->s->count.rejected < 200);
    run_free(r);
  }
}

static void a_start_outside_the_domain_is_reported(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Problem p = DOMAIN_END;
    p.y0[0] = -1;
    Run *r = run_new(METHODS[m], &p, 1e-8, 1e-10, 0);
    run_all(r);
    assert_int_equal(r->end, STEP_NOT_COMPUTABLE);
    assert_close(r->s->t, 0, 0);
    run_free(r);
  }
}

static void max_steps_counts_over_the_life_of_the_stepper(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run *r = run_new(METHODS[m], &LORENZ, 1e-8, 1e-8, 0);
    r->s->tol.max_steps = 20;
    run_all(r);
    assert_int_equal(r->end, STEP_TOO_MANY);
    assert_int_equal(r->s->count.steps + r->s->count.rejected, 20);
    double t = r->s->t;
    assert_int_equal(r->s->row->step(r->s, 40), STEP_TOO_MANY);
    assert_close(r->s->t, t, 0);
    run_free(r);
  }
}

static void nothing_rhs(void *self, double t, const double *y, double *dy) {
  (void)self, (void)t, (void)y, (void)dy;
}

static void no_states_are_no_trouble(void **state) {
  (void)state;
  Problem p = {.n = 0, .t0 = 1, .t1 = 5, .rhs = nothing_rhs};
  for (int m = 0; m < 2; m++) {
    Run *r = run_new(METHODS[m], &p, 1e-6, 1e-6, 0);
    run_all(r);
    assert_int_equal(r->end, STEP_DONE);
    assert_close(r->s->t, 5, 0);
    r->s->row->dense(r->s, 3, true, r->s->y);
    run_free(r);
  }
}

static void zero_absolute_tolerance_bears_a_state_at_zero(void **state) {
  (void)state;
  Problem p = OSCILLATOR;
  p.y0[0] = 0; // everything stays 0, also the sensitivity
  for (int m = 0; m < 2; m++) {
    Run *r = run_new(METHODS[m], &p, 1e-6, 0, 0);
    run_all(r);
    assert_int_equal(r->end, STEP_DONE);
    assert_close(r->s->y[0], 0, 0);
    run_free(r);
  }
}

// ---- lanes

typedef struct Lanes {
  int count;
  double r[8];
} Lanes;

// Logistic growth, one sensitivity (by r), in two states with a third column of padding.
static void lanes_rhs(void *self, double t, const double *y, double *dy) {
  (void)t;
  const Lanes *l = self;
  int w = l->count;
  const double *S = y + 2 * w;
  double *dS = dy + 2 * w;
  for (int i = 0; i < 2; i++)
    for (int lane = 0; lane < w; lane++) {
      double r = l->r[lane] * (1 + i), x = y[i * w + lane], s = S[2 * i * w + lane];
      dy[i * w + lane] = r * x * (1 - x);
      dS[2 * i * w + lane] = r * (1 - 2 * x) * s + (1 + i) * x * (1 - x);
      dS[(2 * i + 1) * w + lane] = 0;
    }
}

static void run_lanes(const StepperRow *row, Lanes *lanes, double *y, double *mid) {
  Arena *a = arena_new();
  double abs_tol[48];
  for (int i = 0; i < 6 * lanes->count; i++)
    abs_tol[i] = i / lanes->count % 2 && i >= 3 * lanes->count ? 0 : 1e-9;
  Ode ode = {.n = 2, .ns = 1, .stride = 2, .lanes = lanes->count, .self = lanes, .rhs = lanes_rhs};
  Tolerance tol = {.rel = 1e-9, .abs = abs_tol, .max_steps = 10000};
  Stepper *s = stepper_new(a, row, &ode, &tol);
  for (int i = 0; i < 2 * lanes->count; i++) s->y[i] = 0.1;
  s->row->start(s, 4);
  while (s->t < 4) {
    assert_int_equal(s->row->step(s, 4), STEP_DONE);
    if (s->t_old <= 2 && s->t >= 2) s->row->dense(s, 2, true, mid);
  }
  memcpy(y, s->y, (size_t)(6 * lanes->count) * sizeof *y);
  arena_free(a);
}

static void lanes_agree_with_separate_runs(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++)
    for (int count = 4; count <= 8; count += 4) {
      Lanes lanes = {count, {1, 0.5, 2, 1.7, 0.9, 1.1, 3, 0.2}};
      double y[48], mid[48], again[48], mid_again[48];
      run_lanes(METHODS[m], &lanes, y, mid);
      run_lanes(METHODS[m], &lanes, again, mid_again);
      assert_memory_equal(y, again, (size_t)(6 * count) * sizeof *y);
      assert_memory_equal(mid, mid_again, (size_t)(6 * count) * sizeof *y);
      for (int lane = 0; lane < count; lane++) {
        Lanes one = {1, {lanes.r[lane]}};
        double y1[6], mid1[6];
        run_lanes(METHODS[m], &one, y1, mid1);
        for (int i = 0; i < 6; i++) {
          assert_close(y[i * count + lane], y1[i], 2e-8);
          assert_close(mid[i * count + lane], mid1[i], 2e-8);
        }
      }
    }
}

static void equal_lanes_take_the_steps_of_one(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Lanes eight = {8, {2, 2, 2, 2, 2, 2, 2, 2}}, one = {1, {2}};
    double y8[48], mid8[48], y1[6], mid1[6];
    run_lanes(METHODS[m], &eight, y8, mid8);
    run_lanes(METHODS[m], &one, y1, mid1);
    for (int i = 0; i < 48; i++) {
      assert_close(y8[i], y1[i / 8], 0);
      assert_close(mid8[i], mid1[i / 8], 0);
    }
  }
}

// ---- promises

static void plain_and_wide_kernels_agree_bit_for_bit(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Lanes lanes = {3, {1, 0.5, 2}};
    double y[2][18], mid[2][18];
    run_lanes(METHODS[m], &lanes, y[0], mid[0]);
    setenv("ENTRAIN_VECTOR", "off", 1);
    run_lanes(METHODS[m], &lanes, y[1], mid[1]);
    unsetenv("ENTRAIN_VECTOR");
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    assert_memory_equal(mid[0], mid[1], sizeof mid[0]);
  }
}

static void stepping_does_not_allocate(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run *r = run_new(METHODS[m], &LORENZ, 1e-8, 1e-8, 0);
    size_t before = mallinfo2().uordblks, bytes = arena_bytes(r->arena);
    run_start(r);
    for (int i = 0; i < 100; i++) {
      double y[3];
      r->s->row->step(r->s, 40);
      r->s->row->dense(r->s, 0.5 * (r->s->t + r->s->t_old), true, y);
    }
    assert_int_equal(mallinfo2().uordblks, before);
    assert_int_equal(arena_bytes(r->arena), bytes);
    run_free(r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_integrate_powers_of_time),
      cmocka_unit_test(fixed_steps_show_the_order),
      cmocka_unit_test(dense_output_shows_its_order),
      cmocka_unit_test(error_follows_the_tolerance),
      cmocka_unit_test(sensitivities_are_the_difference_quotients),
      cmocka_unit_test(backward_integration_returns_to_the_start),
      cmocka_unit_test(steps_end_exactly_at_the_limit_and_join),
      cmocka_unit_test(dense_output_meets_both_ends),
      cmocka_unit_test(dense_output_of_states_alone_is_the_same),
      cmocka_unit_test(work_is_counted),
      cmocka_unit_test(first_step_may_probe_where_nothing_can_be_computed),
      cmocka_unit_test(stiffness_is_noticed),
      cmocka_unit_test(blow_up_ends_in_bounded_steps),
      cmocka_unit_test(end_of_the_domain_is_reported),
      cmocka_unit_test(a_start_outside_the_domain_is_reported),
      cmocka_unit_test(max_steps_counts_over_the_life_of_the_stepper),
      cmocka_unit_test(no_states_are_no_trouble),
      cmocka_unit_test(zero_absolute_tolerance_bears_a_state_at_zero),
      cmocka_unit_test(lanes_agree_with_separate_runs),
      cmocka_unit_test(equal_lanes_take_the_steps_of_one),
      cmocka_unit_test(plain_and_wide_kernels_agree_bit_for_bit),
      cmocka_unit_test(stepping_does_not_allocate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
