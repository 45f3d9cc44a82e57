#include "residual/backward.h"

#include "recorded_motion.h"

typedef struct Run {
  HistoryInputs inputs;
  System *system;
  Backward *backward;
} Run;

static void begin(Run *r, Recorded *f, int nodes) {
  const Adjoint *a = model_adjoint(f->hand->problem.model, &f->parameter, 1);
  r->inputs = (HistoryInputs){.adjoint = a, .history = f->history};
  SystemSpec spec = {.lanes = 1, .jacobian = true};
  r->system = system_new(a->model, &spec);
  r->backward = backward_new(r->system, &r->inputs, nodes);
  backward_begin(r->backward, f->hand->truth, 0, 0);
}

static void end(Run *r) {
  backward_free(r->backward);
  system_free(r->system);
}

// Adds `change` to mu at one time; the integral of mu cos(t) by state.
static void run_back(Run *r, Recorded *f, int nodes, double when, const double *change,
                     double *integral) {
  double weights[3 * BACKWARD_NODES_MOST + 16];
  memset(integral, 0, 3 * sizeof *integral);
  for (int step = f->history->steps.count - 1; step >= 0; step--) {
    const HistoryStep *s = &f->history->steps.at[step];
    backward_enter(r->backward, step);
    if (s->begin < when && when <= s->end) backward_add(r->backward, when, change);
    assert_true(backward_leave(r->backward, weights));
    for (int m = 0; m < nodes; m++)
      for (int i = 0; i < 3; i++)
        integral[i] += weights[3 * m + i] * cos(backward_node(r->backward, m));
  }
}

// mu of x is exp(k (t - when)); that of the spring turns, (mu_y, mu_v)' = (4 mu_v, -mu_y).
static void mu_and_its_integrals_are_exact(void **state) {
  (void)state;
  static const double WHEN[] = {RECORDED_END, 0.7 * RECORDED_END};
  for (int i = 0; i < 2; i++) {
    Recorded f;
    Run r;
    double mu[3] = {2, 0, 1}, integral[3], k = 0.3, end_at = WHEN[i];
    record(&f, k, "rk8");
    begin(&r, &f, 11);
    run_back(&r, &f, 11, end_at, mu, integral);
    const double *at = backward_mu(r.backward);
    assert_close(at[0], 2 * exp(-k * end_at), 1e-10);
    assert_close(at[1], 2 * sin(-2 * end_at), 1e-10);
    assert_close(at[2], cos(2 * end_at), 1e-10);
    // integrals of exp(k (t - end)) cos t and of cos(2 (t - end)) cos t
    double exact = (k * cos(end_at) + sin(end_at) - k * exp(-k * end_at)) / (k * k + 1);
    double spring = (sin(end_at) + sin(2 * end_at)) / 6 + (sin(-end_at) + sin(2 * end_at)) / 2;
    assert_close(integral[0], 2 * exact, 1e-9);
    assert_close(integral[2], spring, 1e-9);
    end(&r);
    record_done(&f);
  }
}

// Where sweeps do not converge the equations are solved at once; what has died out leaves nothing behind.
static void fast_states_are_followed_too(void **state) {
  (void)state;
  Recorded f;
  Run r;
  double mu[3] = {2, 0, 1}, integral[3], k = 1e5;
  record(&f, k, "rosenbrock");
  assert_true(f.history->steps.count < 2000);
  begin(&r, &f, 7);
  run_back(&r, &f, 7, RECORDED_END, mu, integral);
  const double *at = backward_mu(r.backward);
  assert_close(at[0], 0, 1e-10);
  assert_close(at[1], 2 * sin(-2 * RECORDED_END), 1e-8);
  assert_close(at[2], cos(2 * RECORDED_END), 1e-8);
  assert_close(integral[0], 2 * cos(RECORDED_END) / k, 1e-9);
  end(&r);
  record_done(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mu_and_its_integrals_are_exact),
      cmocka_unit_test(fast_states_are_followed_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
