#include "simulate/rosenbrock.h"

#include <malloc.h>
#include <stdlib.h>

#include "simulate/rosenbrock_tableau.h"
#include "steppers.h"
#include "test.h"

static const StepperRow *const METHOD = &STEPPER_ROSENBROCK;

// ---- the tableau, back in the form of the order conditions (Hairer, Wanner II, section IV.7)

enum { S = 8 };

typedef struct Tableau {
  double alpha[S][S], gamma[S][S], beta[S][S], b[S];
} Tableau;

static const double A6[5] = {ROS_A6_1, ROS_A6_2, ROS_A6_3, ROS_A6_4, ROS_A6_5};
static const double A_BELOW[S][S] = {
    {0},
    {ROS_A2_1},
    {ROS_A3_1, ROS_A3_2},
    {ROS_A4_1, ROS_A4_2, ROS_A4_3},
    {ROS_A5_1, ROS_A5_2, ROS_A5_3, ROS_A5_4},
    {ROS_A6_1, ROS_A6_2, ROS_A6_3, ROS_A6_4, ROS_A6_5},
    {ROS_A6_1, ROS_A6_2, ROS_A6_3, ROS_A6_4, ROS_A6_5, 1},
    {ROS_A6_1, ROS_A6_2, ROS_A6_3, ROS_A6_4, ROS_A6_5, 1, 1},
};
static const double C_BELOW[S][S] = {
    {0},
    {ROS_B2_1},
    {ROS_B3_1, ROS_B3_2},
    {ROS_B4_1, ROS_B4_2, ROS_B4_3},
    {ROS_B5_1, ROS_B5_2, ROS_B5_3, ROS_B5_4},
    {ROS_B6_1, ROS_B6_2, ROS_B6_3, ROS_B6_4, ROS_B6_5},
    {ROS_B7_1, ROS_B7_2, ROS_B7_3, ROS_B7_4, ROS_B7_5, ROS_B7_6},
    {ROS_B8_1, ROS_B8_2, ROS_B8_3, ROS_B8_4, ROS_B8_5, ROS_B8_6, ROS_B8_7},
};

// gamma = (I/g - C)^-1, alpha = A gamma, b = m gamma.
static Tableau tableau(void) {
  Tableau t = {0};
  for (int j = 0; j < S; j++)
    for (int i = j; i < S; i++) { // forward substitution for column j
      double sum = i == j;
      for (int k = j; k < i; k++) sum += C_BELOW[i][k] * t.gamma[k][j];
      t.gamma[i][j] = sum * ROS_GAMMA;
    }
  for (int i = 0; i < S; i++)
    for (int j = 0; j < S; j++) {
      for (int k = 0; k < S; k++) t.alpha[i][j] += A_BELOW[i][k] * t.gamma[k][j];
      t.beta[i][j] = t.alpha[i][j] + t.gamma[i][j];
      t.b[j] += (i < 5 ? A6[i] : 1) * t.gamma[i][j];
    }
  return t;
}

static void times(const double m[S][S], const double *v, double *out) {
  for (int i = 0; i < S; i++) {
    out[i] = 0;
    for (int j = 0; j < S; j++) out[i] += m[i][j] * v[j];
  }
}

static double weigh(const Tableau *t, const double *u, const double *v) {
  double sum = 0;
  for (int i = 0; i < S; i++) sum += t->b[i] * u[i] * v[i];
  return sum;
}

static void product(const double *u, const double *v, double *out) {
  for (int i = 0; i < S; i++) out[i] = u[i] * v[i];
}

static void coefficients_fulfil_the_order_conditions_up_to_five(void **state) {
  (void)state;
  Tableau t = tableau();
  double one[S] = {1, 1, 1, 1, 1, 1, 1, 1}, a[S], a2[S], a3[S], be[S], bbe[S], bbbe[S], abe[S];
  double ba2[S], bba2[S], ba3[S], aa2[S], abbe[S], aabe[S], baabe[S], tol = 1e-11;
  times(t.alpha, one, a);
  times(t.beta, one, be);
  product(a, a, a2);
  product(a, a2, a3);
  times(t.beta, be, bbe);
  times(t.beta, bbe, bbbe);
  times(t.alpha, be, abe);
  times(t.beta, a2, ba2);
  times(t.beta, ba2, bba2);
  times(t.beta, a3, ba3);
  times(t.alpha, a2, aa2);
  times(t.alpha, bbe, abbe);
  product(a, abe, aabe);
  times(t.beta, aabe, baabe);
  assert_close(weigh(&t, one, one), 1, tol);
  assert_close(weigh(&t, be, one), 1. / 2, tol);
  assert_close(weigh(&t, a2, one), 1. / 3, tol);
  assert_close(weigh(&t, bbe, one), 1. / 6, tol);
  assert_close(weigh(&t, a3, one), 1. / 4, tol);
  assert_close(weigh(&t, a, abe), 1. / 8, tol);
  assert_close(weigh(&t, ba2, one), 1. / 12, tol);
  assert_close(weigh(&t, bbbe, one), 1. / 24, tol);
  assert_close(weigh(&t, a2, a2), 1. / 5, tol);
  assert_close(weigh(&t, a2, abe), 1. / 10, tol);
  assert_close(weigh(&t, a, aa2), 1. / 15, tol);
  assert_close(weigh(&t, a, abbe), 1. / 30, tol);
  assert_close(weigh(&t, abe, abe), 1. / 20, tol);
  assert_close(weigh(&t, ba3, one), 1. / 20, tol);
  assert_close(weigh(&t, baabe, one), 1. / 40, tol);
  assert_close(weigh(&t, bba2, one), 1. / 60, tol);
  times(t.beta, bbbe, ba3);
  assert_close(weigh(&t, ba3, one), 1. / 120, tol);
}

static void row_sums_are_the_times_and_weights(void **state) {
  (void)state;
  Tableau t = tableau();
  double c[S] = {0, ROS_C2, ROS_C3, ROS_C4, ROS_C5, 1, 1, 1};
  double g[S] = {ROS_G1, ROS_G2, ROS_G3, ROS_G4, ROS_G5, 0, 0, 0};
  for (int i = 0; i < S; i++) {
    double alpha = 0, gamma = 0;
    for (int j = 0; j < S; j++) alpha += t.alpha[i][j], gamma += t.gamma[i][j];
    assert_close(alpha, c[i], 1e-12);
    assert_close(gamma, g[i], 1e-12);
  }
}

// ---- accuracy

static void fixed_steps_show_the_order(void **state) {
  (void)state;
  assert_true(observed_order(METHOD, &OSCILLATOR, 32) > 4.8);
  assert_close(observed_order(METHOD, &LOGISTIC, 32), 5, 0.2);
  assert_close(observed_order(METHOD, &LOGISTIC, 64), 5, 0.2);
  assert_close(observed_order(METHOD, &TIMED, 32), 5, 0.2);
  assert_close(observed_order(METHOD, &TIMED, 64), 5, 0.2);
}

static void dense_output_shows_its_order(void **state) {
  (void)state;
  const Problem *problems[] = {&OSCILLATOR, &LOGISTIC, &TIMED};
  for (int i = 0; i < 3; i++) {
    double e = dense_error(METHOD, problems[i], 0.1);
    assert_true(log2(e / dense_error(METHOD, problems[i], 0.05)) > 4.7);
  }
}

static void error_follows_the_tolerance(void **state) {
  (void)state;
  const Problem *problems[] = {&OSCILLATOR, &LOGISTIC, &TIMED};
  for (int i = 0; i < 3; i++)
    for (double tol = 1e-3; tol > 1e-11; tol /= 10) {
      const Problem *p = problems[i];
      double y[MOST_NUMBERS], exact[MOST_NUMBERS];
      run_to_end(METHOD, p, tol, tol, 0, y);
      p->exact(p->p, p->t1, exact);
      assert_close(largest_difference(y, exact, p->n * (1 + p->ns)), 0, 10 * tol);
    }
}

// For the same steps the sensitivities are the derivative of the numbers that the method computes,
// however large its error is.
static void sensitivities_are_the_derivative_of_the_method(void **state) {
  (void)state;
  Problem reactions = ROBERTSON; // from t = 0.4, where the transient is over
  memcpy(reactions.y0, (double[]){0.98517, 3.3864e-5, 1.4794e-2}, 3 * sizeof(double));
  const Problem *problems[] = {&PENDULUM, &LOGISTIC, &TIMED, &reactions, &VANDERPOL};
  double steps[] = {1, 1, 1, 0.5, 20}; // coarse: errors of the method are visible
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < problems[i]->ns; k++) {
      Problem p = *problems[i];
      double y[MOST_NUMBERS], at[4][MOST_NUMBERS], d = 3e-5;
      run_to_end(METHOD, &p, 1e9, 1e9, steps[i], y);
      for (int j = 0; j < 4; j++) { // difference of order 4, from -2d, -d, d, 2d
        p.p[k] = problems[i]->p[k] * (1 + d * (j < 2 ? j - 2 : j - 1));
        run_to_end(METHOD, &p, 1e9, 1e9, steps[i], at[j]);
      }
      for (int row = 0; row < p.n; row++) {
        double s = y[p.n + row * p.ns + k] * problems[i]->p[k];
        double slope = (8 * (at[2][row] - at[1][row]) - (at[3][row] - at[0][row])) / (12 * d);
        assert_close(s, slope, 1e-8 * fmax(1, fabs(s)));
      }
    }
}

// ---- stiff problems

static void stiff_decay_is_damped_at_once(void **state) {
  (void)state;
  Problem p = VANDERPOL;
  p.p[0] = 1e10;
  p.y0[0] = 2;
  p.y0[1] = 1; // far from the slow manifold
  p.t1 = 1;
  double y[4];
  run_to_end(METHOD, &p, 1e9, 1e9, 1, y);
  assert_close(y[1], 0, 1e-3); // L-stable: the transient is gone
}

static void robertson_conserves_mass_and_agrees_with_published_values(void **state) {
  (void)state;
  Run *r = run_new(METHOD, &ROBERTSON, 1e-8, 1e-12, 0);
  for (int i = 0; i < 3; i++) // sensitivities by parameters of very different size
    for (int k = 0; k < 3; k++) ((double *)r->s->tol.abs)[3 + i * 3 + k] = 1e-10 / ROBERTSON.p[k];
  run_all(r);
  const double *y = r->s->y;
  assert_int_equal(r->end, STEP_DONE);
  assert_true(r->s->count.steps < 300);
  assert_close(y[0] + y[1] + y[2], 1, 1e-12);
  assert_close_relative(y[0], 0.7158270687, 1e-8); // Hairer and Wanner's program, t = 40
  assert_close_relative(y[1], 9.185534765e-6, 1e-8);
  for (int k = 0; k < 3; k++) {
    double scale = ROBERTSON.p[k], d = 1e-3, up[12], down[12];
    assert_close((y[3 + k] + y[6 + k] + y[9 + k]) * scale, 0, 1e-10);
    Problem p = ROBERTSON;
    p.ns = 3;
    p.p[k] = scale * (1 + d);
    run_to_end(METHOD, &p, 1e-11, 1e-15, 0, up);
    p.p[k] = scale * (1 - d);
    run_to_end(METHOD, &p, 1e-11, 1e-15, 0, down);
    for (int i = 0; i < 3; i++)
      assert_close_relative(y[3 + i * 3 + k], (up[i] - down[i]) / (2 * d * scale), 1e-5);
  }
  run_free(r);
}

static void relaxation_oscillation_is_followed_through_its_jumps(void **state) {
  (void)state;
  Problem p = VANDERPOL;
  p.t1 = 2000; // more than one period (1614.3)
  Run *r = run_new(METHOD, &p, 1e-8, 1e-10, 0);
  run_all(r);
  assert_int_equal(r->end, STEP_DONE);
  assert_true(r->s->count.steps + r->s->count.rejected < 3000);
  double tight[4], up[4], down[4], d = 1e-4;
  run_to_end(METHOD, &p, 1e-11, 1e-13, 0, tight);
  assert_close(r->s->y[0], tight[0], 1e-6);
  p.p[0] = 1000 + d;
  run_to_end(METHOD, &p, 1e-11, 1e-13, 0, up);
  p.p[0] = 1000 - d;
  run_to_end(METHOD, &p, 1e-11, 1e-13, 0, down);
  assert_close_relative(r->s->y[2], (up[0] - down[0]) / (2 * d), 1e-3);
  run_free(r);
}

static void calm_problems_are_handed_back(void **state) {
  (void)state;
  Run *r = run_new(METHOD, &PENDULUM, 1e-6, 1e-8, 0);
  run_all(r);
  assert_true(r->not_stiff > 0);
  run_free(r);
  const Problem *stiff[] = {&ROBERTSON, &VANDERPOL};
  for (int i = 0; i < 2; i++) {
    r = run_new(METHOD, stiff[i], 1e-6, 1e-8, 0);
    run_all(r);
    assert_int_equal(r->not_stiff, 0);
    run_free(r);
  }
}

// ---- steps and ends

static void vanderpol_states(void *self, double t, const double *x, double *dx) {
  double y[4] = {x[0], x[1], 0, 0}, dy[4];
  vanderpol_rhs(self, t, y, dy);
  dx[0] = dy[0];
  dx[1] = dy[1];
}

static void states_alone_need_no_sensitivities(void **state) {
  (void)state;
  Problem p = VANDERPOL;
  p.ns = 0;
  p.rhs = vanderpol_states;
  p.jacobian_sens = NULL;
  Run *r = run_new(METHOD, &p, 1e-8, 1e-10, 0);
  run_all(r);
  assert_int_equal(r->s->count.rhs_sens, 0);
  double y[4];
  run_to_end(METHOD, &VANDERPOL, 1e-8, 1e-10, 0, y);
  assert_close(r->s->y[0], y[0], 1e-6);
  run_free(r);
}

static void padding_columns_stay_zero_and_change_nothing(void **state) {
  (void)state;
  double narrow[3];
  run_to_end(METHOD, &LOGISTIC, 1e-8, 1e-8, 0, narrow);
  for (int stride = 3; stride <= 9; stride++) {
    Arena *a = arena_new();
    double abs_tol[10] = {1e-8, 1e-8, 1e-8}, p[2] = {LOGISTIC.p[0], LOGISTIC.p[1]};
    Pattern pattern = {1, 1, FULL_START[0], FULL_COLUMN[0]};
    Ode ode = {.n = 1, .ns = 2, .stride = stride, .lanes = 1, .self = p, .rhs = logistic_rhs};
    ode.pattern = &pattern;
    ode.jacobian = logistic_jacobian;
    ode.jacobian_sens = logistic_jacobian_sens;
    Tolerance tol = {.rel = 1e-8, .abs = abs_tol, .max_steps = 10000};
    Stepper *s = stepper_new(a, METHOD, &ode, &tol);
    s->y[0] = 0.1;
    s->row->start(s, 3);
    while (s->t < 3) assert_true(step_goes_on(s->row->step(s, 3)));
    assert_memory_equal(s->y, narrow, sizeof narrow);
    for (int k = 2; k < stride; k++) assert_close(s->y[1 + k], 0, 0);
    arena_free(a);
  }
}

static void one_factorisation_an_attempt_and_one_jacobian_a_step(void **state) {
  (void)state;
  Run *r = run_new(METHOD, &VANDERPOL, 1e-8, 1e-10, 0);
  run_all(r);
  StepCount c = r->s->count;
  assert_true(c.rejected > 0);
  assert_int_equal(c.factorisations, c.steps + c.rejected);
  assert_int_equal(c.jacobians, c.steps);
  run_free(r);
}

static void backward_integration_returns_to_the_start(void **state) {
  (void)state;
  Run *r = run_new(METHOD, &PENDULUM, 1e-9, 1e-11, 0);
  run_all(r);
  r->s->row->start(r->s, 0);
  while (r->s->t > 0) assert_true(step_goes_on(r->s->row->step(r->s, 0)));
  for (int i = 0; i < 4; i++) assert_close(r->s->y[i], PENDULUM.y0[i], 2e-6);
  run_free(r);
}

static void dense_output_meets_both_ends(void **state) {
  (void)state;
  Run *r = run_new(METHOD, &PENDULUM, 1e-6, 1e-8, 0);
  run_start(r);
  r->s->row->step(r->s, 20);
  double y[4], states[2];
  r->s->row->dense(r->s, nextafter(r->s->t, 0), true, y);
  for (int i = 0; i < 4; i++) assert_close(y[i], r->s->y[i], 1e-13);
  r->s->row->dense(r->s, r->s->t_old, true, y);
  assert_memory_equal(y, r->s->y_old, sizeof y);
  r->s->row->step(r->s, 20);
  double t = 0.4 * r->s->t + 0.6 * r->s->t_old;
  r->s->row->dense(r->s, t, false, states);
  r->s->row->dense(r->s, t, true, y);
  assert_memory_equal(states, y, sizeof states);
  run_free(r);
}

static void blow_up_ends_in_bounded_steps(void **state) {
  (void)state;
  Run *r = run_new(METHOD, &BLOW_UP, 1e-8, 1e-10, 0);
  run_all(r);
  assert_true(r->end == STEP_TOO_SMALL || r->end == STEP_NOT_COMPUTABLE);
  assert_close(r->s->t, 1, 1e-6);
  assert_true(isfinite(r->s->y[0]));
  assert_true(r->s->count.steps + r->s->count.rejected < 3000);
  run_free(r);
}

static void end_of_the_domain_is_reported(void **state) {
  (void)state;
  Run *r = run_new(METHOD, &DOMAIN_END, 1e-8, 1e-10, 0);
  run_all(r);
  assert_int_equal(r->end, STEP_NOT_COMPUTABLE);
  assert_close(r->s->t, 1, 1e-12);
  assert_true(r->s->y[0] >= 0);
  run_free(r);
}

static void broken_jacobian(void *self, double t, const double *x, double *J, double *ft) {
  (void)self, (void)t, (void)x;
  J[0] = HUGE_VAL;
  ft[0] = 0;
}

static void a_jacobian_that_cannot_be_computed_is_reported(void **state) {
  (void)state;
  Problem p = BLOW_UP;
  p.jacobian = broken_jacobian;
  Run *r = run_new(METHOD, &p, 1e-8, 1e-10, 0);
  run_all(r);
  assert_int_equal(r->end, STEP_NOT_COMPUTABLE);
  assert_close(r->s->t, 0, 0);
  run_free(r);
}

static void max_steps_ends_it(void **state) {
  (void)state;
  Run *r = run_new(METHOD, &PENDULUM, 1e-8, 1e-8, 0);
  r->s->tol.max_steps = 20;
  run_all(r);
  assert_int_equal(r->end, STEP_TOO_MANY);
  assert_int_equal(r->s->count.steps + r->s->count.rejected, 20);
  run_free(r);
}

static void nothing_rhs(void *self, double t, const double *y, double *dy) {
  (void)self, (void)t, (void)y, (void)dy;
}

static void no_states_are_no_trouble(void **state) {
  (void)state;
  Problem p = {.n = 0, .t0 = 1, .t1 = 5, .rhs = nothing_rhs};
  Run *r = run_new(METHOD, &p, 1e-6, 1e-6, 0);
  run_all(r);
  assert_int_equal(r->end, STEP_DONE);
  assert_close(r->s->t, 5, 0);
  run_free(r);
}

// ---- promises

static void plain_and_wide_kernels_agree_bit_for_bit(void **state) {
  (void)state;
  const Problem *problems[] = {&ROBERTSON, &VANDERPOL, &TIMED};
  for (int i = 0; i < 3; i++) {
    double wide[MOST_NUMBERS] = {0}, plain[MOST_NUMBERS] = {0};
    run_to_end(METHOD, problems[i], 1e-7, 1e-9, 0, wide);
    setenv("ENTRAIN_VECTOR", "off", 1);
    run_to_end(METHOD, problems[i], 1e-7, 1e-9, 0, plain);
    unsetenv("ENTRAIN_VECTOR");
    assert_memory_equal(wide, plain, sizeof wide);
  }
}

static void stepping_does_not_allocate(void **state) {
  (void)state;
  Run *r = run_new(METHOD, &ROBERTSON, 1e-8, 1e-8, 0);
  size_t before = mallinfo2().uordblks, bytes = arena_bytes(r->arena);
  run_start(r);
  for (int i = 0; i < 30; i++) {
    double y[12];
    r->s->row->step(r->s, 40);
    r->s->row->dense(r->s, 0.5 * (r->s->t + r->s->t_old), true, y);
  }
  assert_int_equal(mallinfo2().uordblks, before);
  assert_int_equal(arena_bytes(r->arena), bytes);
  run_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coefficients_fulfil_the_order_conditions_up_to_five),
      cmocka_unit_test(row_sums_are_the_times_and_weights),
      cmocka_unit_test(fixed_steps_show_the_order),
      cmocka_unit_test(dense_output_shows_its_order),
      cmocka_unit_test(error_follows_the_tolerance),
      cmocka_unit_test(sensitivities_are_the_derivative_of_the_method),
      cmocka_unit_test(stiff_decay_is_damped_at_once),
      cmocka_unit_test(robertson_conserves_mass_and_agrees_with_published_values),
      cmocka_unit_test(relaxation_oscillation_is_followed_through_its_jumps),
      cmocka_unit_test(calm_problems_are_handed_back),
      cmocka_unit_test(states_alone_need_no_sensitivities),
      cmocka_unit_test(padding_columns_stay_zero_and_change_nothing),
      cmocka_unit_test(one_factorisation_an_attempt_and_one_jacobian_a_step),
      cmocka_unit_test(backward_integration_returns_to_the_start),
      cmocka_unit_test(dense_output_meets_both_ends),
      cmocka_unit_test(blow_up_ends_in_bounded_steps),
      cmocka_unit_test(end_of_the_domain_is_reported),
      cmocka_unit_test(a_jacobian_that_cannot_be_computed_is_reported),
      cmocka_unit_test(max_steps_ends_it),
      cmocka_unit_test(no_states_are_no_trouble),
      cmocka_unit_test(plain_and_wide_kernels_agree_bit_for_bit),
      cmocka_unit_test(stepping_does_not_allocate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
