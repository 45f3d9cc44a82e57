// Identification of models with constraints: slopes, coupling, multiple shooting, what the data cannot tell.
#include <stdlib.h>

#include "assessed.h"
#include "entrain.h"
#include "evaluation.h"
#include "hand_problem.h"
#include "made_problem.h"
#include "model/couple.h"
#include "model/extend.h"
#include "search/fit.h"
#include "search/shooting.h"
#include "stats/statistics.h"

// Start values are no more than wishes: the nearest ones that satisfy the constraint are taken, and they move with L.
static const char PENDULUM[] = "model Pendulum\n"
                               "  parameter Real L = 1.2;\n"
                               "  parameter Real m = 2;\n"
                               "  parameter Real d = 0.3;\n"
                               "  Real x(start = 0.9);\n"
                               "  Real y(start = -0.6);\n"
                               "  Real vx(start = 0.5);\n"
                               "  Real vy(start = 0);\n"
                               "  Real F, phi, ax;\n"
                               "equation\n"
                               "  der(x) = vx;\n"
                               "  der(y) = vy;\n"
                               "  m*der(vx) = -F*x - d*vx;\n"
                               "  m*der(vy) = -F*y - d*vy - 9.81*m;\n"
                               "  x^2 + y^2 = L^2;\n"
                               "  phi = atan2(x, -y);\n"
                               "  ax = der(vx);\n"
                               "end Pendulum;\n";

static const char CRANK[] =
    "model Crank\n"
    "  parameter Real m = 0.8;\n"
    "  parameter Real k = 320;\n"
    "  parameter Real d = 2;\n"
    "  parameter Real J = 0.004;\n"
    "  parameter Real m2 = 0.4;\n"
    "  parameter Real J2 = 0.003;\n"
    "  parameter Real l1 = 0.1;\n"
    "  parameter Real l2 = 0.3;\n"
    "  parameter Real T0 = 0.4;\n"
    "  Real phi(start = 2.2, fixed = true), w(start = 0, fixed = true);\n"
    "  Real x2(start = 0.1), y2(start = 0.05), phi2(start = -0.3), vx2, vy2, w2;\n"
    "  Real s(start = 0.2), v, Ax, Ay, Bx, By;\n"
    "equation\n"
    "  der(phi) = w;\n"
    "  der(x2) = vx2;\n"
    "  der(y2) = vy2;\n"
    "  der(phi2) = w2;\n"
    "  der(s) = v;\n"
    "  J*der(w) - l1*sin(phi)*Ax + l1*cos(phi)*Ay = T0*sin(7*time);\n"
    "  m2*der(vx2) - Ax + Bx = 0;\n"
    "  m2*der(vy2) - Ay + By = 0;\n"
    "  J2*der(w2) - l2/2*sin(phi2)*(Ax + Bx) + l2/2*cos(phi2)*(Ay + By) = 0;\n"
    "  m*der(v) - Bx = -k*(s - 0.3) - d*v;\n"
    "  l1*cos(phi) - (x2 - l2/2*cos(phi2)) = 0;\n"
    "  l1*sin(phi) - (y2 - l2/2*sin(phi2)) = 0;\n"
    "  x2 + l2/2*cos(phi2) - s = 0;\n"
    "  y2 + l2/2*sin(phi2) = 0;\n"
    "end Crank;\n";

static void assert_found(const FitResult *r, const double *truth, double tolerance) {
  assert_int_equal(r->outcome, FIT_CONVERGED);
  assert_true(r->fits);
  for (int i = 0; i < r->problem->unknown_count; i++)
    assert_close_relative(r->x[i], truth[i], tolerance);
}

// ---------------------------------------------------------------- slopes

static void assert_slopes_are_differences(Hand *h, const double *x) {
  Evaluation *o = evaluation_new(&h->problem);
  int n = h->problem.unknown_count;
  LsqPoint *p = lsq_point_new(h->arena, n), *q = lsq_point_new(h->arena, n);
  memcpy(p->x, x, (size_t)n * sizeof *x);
  assert_int_equal(evaluation_point(o, p, true), EVAL_DONE);
  for (int k = 0; k < n; k++) {
    double gradient = 0, step = 1e-5 * fmax(0.1, fabs(x[k])), V[2];
    for (int i = 0; i <= k; i++) gradient += p->R[i * n + k] * p->Qr[i];
    for (int side = 0; side < 2; side++) {
      memcpy(q->x, x, (size_t)n * sizeof *x);
      q->x[k] += side ? step : -step;
      assert_int_equal(evaluation_point(o, q, false), EVAL_DONE);
      V[side] = q->objective;
    }
    double difference = (V[1] - V[0]) / (2 * step);
    assert_close(gradient, difference, 1e-5 * (fabs(difference) + p->objective));
    assert_true(fabs(gradient) > 1e-3 * p->objective); // it means something
  }
  evaluation_free(o);
}

static Hand *pendulum(const char *first, const char *second, double noise) {
  Hand *h = hand_text(PENDULUM);
  h->problem.simulate.rel_tol = 1e-10, h->problem.simulate.abs_tol = 1e-12;
  hand_experiment(
      h, (HandData){
             .channels = {first, second}, .step = 0.02, .count = 151, .noise = noise, .seed = 4});
  return h;
}

static void slopes_by_lengths_and_start_values_are_exact(void **state) {
  (void)state;
  static const char *const MEASURED[][2] = {{"phi", NULL}, {"F", "x"}, {"ax", "vy"}};
  for (int i = 0; i < 3; i++) {
    Hand *h = pendulum(MEASURED[i][0], MEASURED[i][1], 0);
    hand_estimate(h, "L", -1, 1.3, 0.1, 10);
    hand_estimate(h, "d", -1, 0.5, 0, 10);
    hand_estimate(h, "x.start", -1, 0.8, -10, 10);
    hand_estimate(h, "y.start", -1, -0.5, -10, 10);
    hand_estimate(h, "vx.start", -1, 0.3, -10, 10);
    assert_slopes_are_differences(h, (double[]){1.25, 0.4, 0.85, -0.7, 0.3});
    hand_done(h);
  }
}

static void slopes_of_a_closed_loop_are_exact(void **state) {
  (void)state;
  Hand *h = hand_text(CRANK);
  h->problem.simulate.rel_tol = 1e-10, h->problem.simulate.abs_tol = 1e-12;
  hand_experiment(h, (HandData){.channels = {"phi", "s", "Ax"}, .step = 0.02, .count = 101});
  hand_estimate(h, "l1", -1, 0.1, 0.01, 1);
  hand_estimate(h, "l2", -1, 0.3, 0.1, 1);
  hand_estimate(h, "m", -1, 1, 0.1, 10);
  hand_estimate(h, "phi.start", -1, 2.2, -4, 4);
  assert_slopes_are_differences(h, (double[]){0.102, 0.31, 0.7, 2.25});
  hand_done(h);
}

// ---------------------------------------------------------------- coupling

static const Coupled *couple_hand(Hand *h, double gain, double **parameters) {
  Problem *p = &h->problem;
  CoupleTerm terms[200];
  int count = 0;
  for (int k = 0; k < p->measured_count; k++)
    count += couple_default_terms(p->model, h->arena, p->measured, k, true, terms + count);
  Coupling c = {
      .measured = p->measured, .channels = p->measured_count, .terms = terms, .term_count = count};
  const Coupled *coupled = couple(p->model, &c);
  double *all = *parameters = ARENA_ARRAY(h->arena, double, coupled->model->np + 1);
  for (int k = 0; k < coupled->model->np; k++)
    all[k] = coupled->model->flat->parameters.at[k].value;
  memcpy(all, h->experiments[0].p, (size_t)p->model->np * sizeof *all);
  all[coupled->lambda] = 1;
  for (int k = 0; k < count; k++) all[coupled->gain[k]] = terms[k].rate ? gain * gain / 4 : gain;
  return coupled;
}

// Largest violation of the invariants and largest error of each channel over a simulation that is coupled to the data.
static double run_coupled(Hand *h, const Coupled *coupled, const double *all, double *error) {
  enum { ROWS = 101 };
  const Experiment *e = &h->experiments[0];
  Model *m = coupled->model;
  int invariants = m->invariant_count, count = invariants + e->channel_count;
  Expr *outputs = ARENA_ARRAY(h->arena, Expr, count);
  double times[ROWS], *values = ARENA_ARRAY(h->arena, double, ROWS *count), violation = 0;
  const Input *inputs[HAND_CHANNELS];
  Err err = {0};
  for (int i = 0; i < invariants; i++) outputs[i] = m->invariants[i].residual;
  for (int c = 0; c < e->channel_count; c++) {
    const Channel *ch = &e->channels[c];
    outputs[invariants + c] = ch->measured;
    inputs[c] = input_new(h->arena, ch->t, ch->y, ch->count, INPUT_SPLINE, &err);
    error[c] = 0;
  }
  for (int i = 0; i < ROWS; i++) times[i] = e->start + (e->stop - e->start) * i / (ROWS - 1);
  SystemSpec spec = {.outputs = outputs, .output_count = count, .lanes = 1};
  simulate_needs(&h->problem.simulate, m->nx, &spec);
  System *s = system_new(m, &spec);
  SimulateWork *w = simulate_work_new(s, &h->problem.simulate);
  SimulateRequest q = {.p = all, .inputs = inputs, .times = times, .count = ROWS};
  Trajectory out = {.values = values};
  simulate_run(w, &q, &out);
  assert_int_equal(out.outcome, OUTCOME_REACHED_END);
  for (int i = 0; i < ROWS; i++) {
    for (int k = 0; k < invariants; k++) violation = fmax(violation, fabs(values[i * count + k]));
    for (int c = 0; c < e->channel_count; c++) {
      double data, slope;
      int piece = input_piece(inputs[c], times[i], +1);
      input_eval(inputs[c], times[i], &piece, &data, &slope);
      error[c] = fmax(error[c], fabs(values[i * count + invariants + c] - data));
    }
  }
  simulate_work_free(w);
  system_free(s);
  return violation;
}

// With wrong masses, springs and lengths, the coupled mechanism follows the data and stays a mechanism.
static void a_tied_mechanism_follows_the_data_and_keeps_its_constraints(void **state) {
  (void)state;
  Hand *h = hand_text(CRANK);
  hand_experiment(h, (HandData){.channels = {"phi", "s"}, .step = 0.01, .count = 201});
  double error[2][HAND_CHANNELS], *all;
  const Coupled *coupled = couple_hand(h, 60, &all);
  all[hand_parameter(h, "m")] = 2;
  all[hand_parameter(h, "k")] = 150;
  for (int k = 0; k < 2; k++) {
    all[coupled->lambda] = k;
    assert_true(run_coupled(h, coupled, all, error[k]) < 1e-6);
  }
  assert_true(error[0][0] > 0.3); // free: far away
  assert_true(error[1][0] < error[0][0] / 10);
  assert_true(error[1][1] < error[0][1] / 10);
  all[hand_parameter(h, "l1")] = 0.11; // now no motion of the mechanism agrees with both
  assert_true(run_coupled(h, coupled, all, error[1]) < 1e-6);
  assert_true(error[1][0] < 0.2 && error[1][1] < 0.03);
  hand_done(h);
}

static void equal_ties_to_data_that_agree_do_no_more_than_one(void **state) {
  (void)state;
  double error[2][HAND_CHANNELS], *all;
  for (int k = 0; k < 2; k++) {
    Hand *h = pendulum("phi", k ? "x" : NULL, 0);
    const Coupled *coupled = couple_hand(h, 20, &all);
    all[hand_parameter(h, "d")] = 3;
    run_coupled(h, coupled, all, error[k]);
    hand_done(h);
  }
  assert_close_relative(error[1][0], error[0][0], 0.2);
}

// A force contains positions and rates; to couple the motion to it is of no use.
static void forces_are_not_tied(void **state) {
  (void)state;
  Hand *h = pendulum("F", "x", 0);
  CoupleTerm terms[20];
  assert_int_equal(
      couple_default_terms(h->problem.model, h->arena, h->problem.measured, 0, true, terms), 0);
  assert_int_equal(
      couple_default_terms(h->problem.model, h->arena, h->problem.measured, 1, true, terms), 2);
  hand_done(h);
}

// A lever with a massless point x2. Written with velocity and acceleration of that point it has two states more and two
// invariants; a feedback that pushes all points alike respects the lever as it is.
#define LEVER(name, more, equations)                                                               \
  "model " name "\n"                                                                               \
  "  parameter Real c = 3;\n"                                                                      \
  "  parameter Real d = 0.2;\n"                                                                    \
  "  Real x1(start = 0, fixed = true), v1(start = 0, fixed = true);\n"                             \
  "  Real x3(start = 0, fixed = true), v3(start = 0, fixed = true);\n"                             \
  "  Real x4(start = 0, fixed = true), v4(start = 0, fixed = true);\n"                             \
  "  Real x2, L;\n" more "equation\n" equations "  der(x1) = v1;\n"                                \
  "  der(x3) = v3;\n"                                                                              \
  "  der(x4) = v4;\n"                                                                              \
  "  2*der(v1) = sin(2*time) + 1 - c*x1 - c/4*x1^3 - d*v1 - 20*(x1 - x2);\n"                       \
  "  4*L = 20*(x1 - x2);\n"                                                                        \
  "  0.5*der(v3) = L - 9*x3 - 0.1*v3;\n"                                                           \
  "  0.4*der(v4) = 3*L - 0.2*v4;\n"                                                                \
  "  4*x2 = x3 + 3*x4;\n"                                                                          \
  "end " name ";\n"

static void a_point_with_states_of_its_own_changes_no_fit(void **state) {
  (void)state;
  static const char *const TEXT[] = {
      LEVER("Six", "", ""), LEVER("Eight", "Real v2, a2;\n", "der(x2) = v2;\n a2 = der(v2);\n")};
  double objective[2], x[2][2];
  int states[2];
  for (int k = 0; k < 2; k++) {
    Hand *h = hand_text(TEXT[k]);
    const Model *m = h->problem.model;
    states[k] = m->nx;
    hand_experiment(h, (HandData){.channels = {"x1"}, .step = 0.05, .count = 201});
    hand_estimate(h, "c", -1, 12, 0.1, 20);
    hand_estimate(h, "d", -1, 2, 0, 5);
    GivenGain gains[8];
    for (int i = 0; i < m->nx; i++) gains[i] = (GivenGain){.state = i, .gain = 10};
    h->problem.gains = gains, h->problem.gain_count = m->nx;
    h->problem.method = METHOD_HOMOTOPY;
    FitResult *r = fit_run(&h->problem, NULL, NULL, NULL);
    assert_found(r, (double[]){3, 0.2}, 1e-6);
    objective[k] = r->path.at[0].objective;
    memcpy(x[k], r->path.at[0].x, sizeof x[k]);
    fit_free(r);
    hand_done(h);
  }
  assert_int_equal(states[0], 6);
  assert_int_equal(states[1], 8);
  assert_close_relative(objective[1], objective[0], 1e-3);
  for (int i = 0; i < 2; i++) assert_close_relative(x[1][i], x[0][i], 1e-4);
}

// ---------------------------------------------------------------- multiple shooting

static void nearest_start_satisfies_the_constraints(void **state) {
  (void)state;
  Hand *h = hand_text(PENDULUM);
  int first;
  Model *m = model_with_free_start(h->problem.model, &first);
  double p[100], y[4], wish[] = {1, -1, 0.5, 0.2};
  for (int k = 0; k < m->np; k++) p[k] = m->flat->parameters.at[k].value;
  memcpy(p + first, wish, sizeof wish);
  SystemSpec spec = {.lanes = 1};
  System *s = system_new(m, &spec);
  SystemWork *w = system_work_new(s);
  system_set_parameters(w, p);
  system_start(w, 2, y);
  double scale = 1.2 / sqrt(2), along = (0.5 + 0.2) / 2; // (1, -1) is at 45 degrees
  assert_close(y[0], scale, 1e-12);
  assert_close(y[1], -scale, 1e-12);
  assert_close(y[2], along, 1e-12);
  assert_close(y[3], along, 1e-12);
  system_work_free(w);
  system_free(s);
  hand_done(h);
}

static void pieces_with_constraints_are_one_simulation(void **state) {
  (void)state;
  enum { PIECES = 7, NX = 4, N = 3 };
  double x[2][N], objective[2];
  for (int k = 0; k < 2; k++) {
    Hand *h = pendulum("phi", "y", 0.03);
    h->problem.simulate.rel_tol = 1e-8, h->problem.simulate.abs_tol = 1e-10;
    hand_estimate(h, "L", -1, 1.3, 0.1, 10);
    hand_estimate(h, "d", -1, 0.5, 0, 10);
    hand_estimate(h, "x.start", -1, 0.7, -10, 10);
    double times[PIECES], states[PIECES * NX], sigma[2] = {1, 1}, *time_rows[] = {times},
                                               *state_rows[] = {states};
    int count[] = {k ? PIECES : 1};
    for (int i = 0; i < PIECES; i++) times[i] = 3.0 * i / PIECES;
    hand_simulate(h, &h->experiments[0], h->problem.model->x, NX, times, PIECES, states);
    ShootingRequest q = {count, time_rows, state_rows, sigma, NULL, NULL};
    ShootingResult r = {0};
    WorkCount work = {0};
    for (int i = 0; i < N; i++) x[k][i] = h->unknowns[i].start;
    shooting_run(&h->problem, &q, x[k], &work, &r);
    assert_true(r.converged && r.gap < 1e-6);
    objective[k] = r.objective;
    for (int i = 1; k && i < PIECES; i++) {
      const double *s = states + i * NX;
      assert_close(s[0] * s[0] + s[1] * s[1], x[k][0] * x[k][0], 1e-6);
      assert_close(s[0] * s[2] + s[1] * s[3], 0, 1e-6);
    }
    hand_done(h);
  }
  assert_close_relative(objective[1], objective[0], 1e-7);
  for (int i = 0; i < N; i++) assert_close_relative(x[1][i], x[0][i], 1e-5);
}

// ---------------------------------------------------------------- whole fits

static void mechanisms_are_found_from_far_away(void **state) {
  (void)state;
  static const double STARTS[][3] = {{2.4, 950, 0.7}, {0.3, 110, 5.5}};
  Hand *h = hand_text(CRANK);
  hand_experiment(h, (HandData){.channels = {"phi", "s"}, .step = 0.01, .count = 201});
  hand_estimate(h, "m", -1, 2, 0.25, 2.5);
  hand_estimate(h, "k", -1, 150, 100, 1000);
  hand_estimate(h, "d", -1, 5, 0.6, 6);
  h->problem.method = METHOD_AUTO;
  for (int k = 0; k < 2; k++) {
    FitResult *r = fit_run(&h->problem, STARTS[k], NULL, NULL);
    assert_found(r, (double[]){0.8, 320, 2}, 1e-4);
    fit_free(r);
  }
  hand_done(h);
}

static void accelerations_and_forces_of_a_problem_file_are_measured(void **state) {
  (void)state;
  Hand *h = pendulum("ax", "F", 0);
  Made m;
  made_open(&m);
  made_file(&m, "pendulum.mo", PENDULUM);
  char path[128];
  snprintf(path, sizeof path, "%s/data.csv", m.folder);
  FILE *f = fopen(path, "w");
  const Channel *c = h->experiments[0].channels;
  fprintf(f, "t,a,force\n");
  for (int i = 0; i < c[0].count; i++)
    fprintf(f, "%.17g,%.17g,%.17g\n", c[0].t[i], c[0].y[i], c[1].y[i]);
  fclose(f);
  Problem *p = made_load(&m, "model: pendulum.mo\n"
                             "experiments:\n"
                             "  - data: data.csv\n"
                             "    measure: {der(vx): a, 2*F: {column: force, gain: 0.5}}\n"
                             "estimate:\n"
                             "  L: {start: 1.5, min: 0.5, max: 3}\n"
                             "  d: {start: 0.6, min: 0, max: 3}\n"
                             "  m: {start: 1, min: 0.1, max: 10}\n");
  FitResult *r = fit_run(p, NULL, NULL, NULL);
  assert_found(r, (double[]){1.2, 0.3, 2}, 1e-4);
  fit_free(r);
  made_close(&m);
  hand_done(h);
}

// A rod is the same to its neighbours as two masses at its ends and a moment of inertia.
static void masses_of_links_are_told_only_in_combinations(void **state) {
  (void)state;
  Hand *h = hand_text(CRANK);
  hand_experiment(h,
                  (HandData){.channels = {"phi", "s"}, .step = 0.01, .count = 201, .noise = 0.01});
  hand_estimate(h, "m", -1, 0.8, 0.1, 5);
  hand_estimate(h, "m2", -1, 0.5, 0.1, 5);
  hand_estimate(h, "J", -1, 0.004, 1e-4, 1);
  hand_estimate(h, "J2", -1, 0.01, 1e-9, 1); // no end of the valley is near
  h->problem.method = METHOD_AUTO;
  FitResult *r = fit_run(&h->problem, NULL, NULL, NULL);
  Evaluation *o = evaluation_new(&h->problem);
  Statistics *s = statistics_of(o, r);
  assert_int_equal(s->rank, 3);
  for (int i = 0; i < 4; i++) assert_false(s->parameters[i].identifiable);
  assert_int_equal(s->direction_count, 1);
  assert_true(s->directions[0].confirmed);
  // the change of the rod's mass, with what its neighbours lose: half of it each, and the moment about the ends
  double change[4], m2 = 1, l1 = 0.1, l2 = 0.3;
  double lost[4] = {-m2 / 2, m2, -m2 / 2 * l1 * l1, m2 / 4 * l2 * l2};
  for (int i = 0; i < 4; i++) change[i] = s->directions[0].vector[i] * r->x[i];
  for (int i = 0; i < 4; i++) assert_close_relative(change[i] / change[1], lost[i] / m2, 1e-3);
  statistics_free(s);
  evaluation_free(o);
  fit_free(r);
  hand_done(h);
}

// ---------------------------------------------------------------- columns of a simulation

static void derivatives_of_states_are_columns(void **state) {
  (void)state;
  Made m;
  made_open(&m);
  made_file(&m, "pendulum.mo", PENDULUM);
  char path[128];
  snprintf(path, sizeof path, "%s/pendulum.mo", m.folder);
  EntrainError error = {.size = sizeof error};
  EntrainModel *model = entrain_model_load(path, &error);
  assert_non_null(model);
  EntrainOptions *options = entrain_options_new();
  EntrainSimulation *s = entrain_simulation_new(model, options, &error);
  const char *names[] = {"der(vx)", "ax", "F"}, *by[] = {"L"}, *wrong[] = {"der(F)"};
  assert_true(entrain_simulation_select(s, names, 3, &error));
  assert_true(entrain_simulation_sensitivities(s, by, 1, &error));
  assert_true(entrain_simulation_grid(s, 0, 2, 0.1, &error));
  EntrainResult *r = entrain_simulation_run(s, &error);
  assert_int_equal(entrain_result_columns(r), 7);
  assert_string_equal(entrain_result_name(r, 1), "der(vx)");
  assert_string_equal(entrain_result_name(r, 4), "dder(vx)/dL");
  for (int i = 0; i < entrain_result_rows(r); i++) {
    assert_close(entrain_result_column(r, 1)[i], entrain_result_column(r, 2)[i], 0);
    assert_close(entrain_result_column(r, 4)[i], entrain_result_column(r, 5)[i], 0);
  }
  assert_false(entrain_simulation_select(s, wrong, 1, &error));
  entrain_result_free(r);
  entrain_simulation_free(s);
  entrain_options_free(options);
  entrain_model_free(model);
  made_close(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slopes_by_lengths_and_start_values_are_exact),
      cmocka_unit_test(slopes_of_a_closed_loop_are_exact),
      cmocka_unit_test(a_tied_mechanism_follows_the_data_and_keeps_its_constraints),
      cmocka_unit_test(equal_ties_to_data_that_agree_do_no_more_than_one),
      cmocka_unit_test(forces_are_not_tied),
      cmocka_unit_test(a_point_with_states_of_its_own_changes_no_fit),
      cmocka_unit_test(nearest_start_satisfies_the_constraints),
      cmocka_unit_test(pieces_with_constraints_are_one_simulation),
      cmocka_unit_test(mechanisms_are_found_from_far_away),
      cmocka_unit_test(accelerations_and_forces_of_a_problem_file_are_measured),
      cmocka_unit_test(masses_of_links_are_told_only_in_combinations),
      cmocka_unit_test(derivatives_of_states_are_columns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
