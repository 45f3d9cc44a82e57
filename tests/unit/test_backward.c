#include "residual/backward.h"

#include "hand_problem.h"

// A motion whose sensitivities are known: x = exp(-k t), dx/dk = -t exp(-k t); y and v are a spring.
static const char MODEL[] = "model M\n"
                            "  parameter Real k = 0.3;\n"
                            "  Real x(start = 1, fixed = true);\n"
                            "  Real y(start = 0.5, fixed = true);\n"
                            "  Real v(start = 0, fixed = true);\n"
                            "equation\n"
                            "  der(x) = -k*x;\n"
                            "  der(y) = v;\n"
                            "  der(v) = -4*y;\n"
                            "end M;\n";

#define END 5.0 // of the simulation

typedef struct Fixture {
  Hand *hand;
  int parameter;
  System *there;
  SimulateWork *simulate;
  DenseHistory *history;
} Fixture;

static void record(Fixture *f, double k, const char *solver) {
  f->hand = hand_text(MODEL);
  hand_truth(f->hand, "k", k);
  f->parameter = hand_parameter(f->hand, "k");
  SimulateOptions options = f->hand->problem.simulate;
  Err err = {0};
  assert_true(options_set(&SIMULATE_OPTIONS, &options, "solver", solver, &err));
  options.rel_tol = 1e-10, options.abs_tol = 1e-12;
  SystemSpec spec = {.parameters = &f->parameter, .parameter_count = 1, .lanes = 1};
  simulate_needs(&options, f->hand->problem.model->nx, &spec);
  f->there = system_new(f->hand->problem.model, &spec);
  f->simulate = simulate_work_new(f->there, &options);
  f->history = history_new(f->there);
  double nothing[1];
  const double stop = END;
  SimulateRequest request = {.p = f->hand->truth, .times = &stop, .count = 1};
  Trajectory t = {.values = nothing, .stepped = history_record, .stepped_data = f->history};
  simulate_run(f->simulate, &request, &t);
  assert_int_equal(t.outcome, OUTCOME_REACHED_END);
}

static void done(Fixture *f) {
  history_free(f->history);
  simulate_work_free(f->simulate);
  system_free(f->there);
  hand_done(f->hand);
}

static void a_tape_gives_the_motion_and_its_sensitivities(void **state) {
  (void)state;
  const char *const SOLVERS[] = {"rk5", "rk8", "rosenbrock", "bdf"};
  for (int s = 0; s < 4; s++) {
    Fixture f;
    record(&f, 0.3, SOLVERS[s]);
    double tol = strcmp(SOLVERS[s], "bdf") == 0 ? 1e-6 : 1e-8;
    for (int i = 0; i <= 100; i++) {
      double t = END * ((i * 37) % 101) / 100, values[6], x = exp(-0.3 * t);
      history_read(f.history, t, 6, values);
      assert_close(values[0], x, tol);
      assert_close(values[1], 0.5 * cos(2 * t), tol);
      assert_close(values[3], -t * x, tol);
      assert_close(values[4], 0, 0);
      const HistoryStep *step = &f.history->steps.at[history_find(f.history, t)];
      assert_true(t == 0 || (step->begin < t && t <= step->end));
    }
    done(&f);
  }
}

typedef struct Run {
  HistoryInputs inputs;
  System *system;
  Backward *backward;
} Run;

static void begin(Run *r, Fixture *f, int nodes) {
  const Adjoint *a = model_adjoint(f->hand->problem.model, &f->parameter, 1);
  r->inputs = (HistoryInputs){.adjoint = a, .history = f->history};
  SystemSpec spec = {.lanes = 1, .jacobian = true};
  r->system = system_new(a->model, &spec);
  r->backward = backward_new(r->system, &r->inputs, nodes);
  backward_begin(r->backward, f->hand->truth, 0);
}

static void end(Run *r) {
  backward_free(r->backward);
  system_free(r->system);
}

// Adds `change` to mu at one time; the integral of mu cos(t) by state.
static void run_back(Run *r, Fixture *f, int nodes, double when, const double *change,
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
  static const double WHEN[] = {END, 0.7 * END};
  for (int i = 0; i < 2; i++) {
    Fixture f;
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
    done(&f);
  }
}

// Where sweeps do not converge the equations are solved at once; what has died out leaves nothing behind.
static void fast_states_are_followed_too(void **state) {
  (void)state;
  Fixture f;
  Run r;
  double mu[3] = {2, 0, 1}, integral[3], k = 1e5;
  record(&f, k, "rosenbrock");
  assert_true(f.history->steps.count < 2000);
  begin(&r, &f, 7);
  run_back(&r, &f, 7, END, mu, integral);
  const double *at = backward_mu(r.backward);
  assert_close(at[0], 0, 1e-10);
  assert_close(at[1], 2 * sin(-2 * END), 1e-8);
  assert_close(at[2], cos(2 * END), 1e-8);
  assert_close(integral[0], 2 * cos(END) / k, 1e-9);
  end(&r);
  done(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tape_gives_the_motion_and_its_sensitivities),
      cmocka_unit_test(mu_and_its_integrals_are_exact),
      cmocka_unit_test(fast_states_are_followed_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
