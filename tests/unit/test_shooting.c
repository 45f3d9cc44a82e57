#include "search/shooting.h"

#include "evaluation.h"
#include "hand_problem.h"
#include "model/couple.h"
#include "search/shooting_rows.h"

enum { PIECES_MOST = 100, STATES_MOST = 4 };

typedef struct Shot { // one run of multiple shooting on a problem made by hand
  int count[HAND_MOST];
  double times[HAND_MOST][PIECES_MOST], states[HAND_MOST][PIECES_MOST * STATES_MOST];
  double *time_rows[HAND_MOST], *state_rows[HAND_MOST], sigma[HAND_MOST * HAND_CHANNELS];
  double x[HAND_MOST], R[HAND_MOST * HAND_MOST], z[HAND_MOST];
  ShootingRequest request;
  ShootingResult result;
  WorkCount work;
} Shot;

static Shot *shot_new(Hand *h, int pieces) {
  Shot *s = ARENA_NEW(h->arena, Shot);
  for (int e = 0; e < h->problem.experiment_count; e++) {
    const Experiment *x = &h->experiments[e];
    s->count[e] = pieces;
    for (int k = 0; k < pieces; k++) s->times[e][k] = x->start + (x->stop - x->start) * k / pieces;
    s->time_rows[e] = s->times[e], s->state_rows[e] = s->states[e];
  }
  for (int i = 0; i < HAND_MOST * HAND_CHANNELS; i++) s->sigma[i] = 1;
  for (int i = 0; i < h->problem.unknown_count; i++) s->x[i] = h->unknowns[i].start;
  s->request = (ShootingRequest){
      .piece_count = s->count, .times = s->time_rows, .states = s->state_rows, .sigma = s->sigma};
  s->result = (ShootingResult){.R = s->R, .Qr = s->z};
  return s;
}

// A rough guess of the nodes: the model at the start values, coupled to the data.
static void observe(Hand *h, Shot *s, int e, double gain, bool rates) {
  Problem *p = &h->problem;
  Experiment *x = &h->experiments[e];
  CoupleTerm terms[2 * STATES_MOST * HAND_CHANNELS];
  int count = 0;
  for (int k = 0; k < p->measured_count; k++)
    count += couple_default_terms(p->model, h->arena, p->measured, k, rates, terms + count);
  Coupling c = {
      .measured = p->measured, .channels = p->measured_count, .terms = terms, .term_count = count};
  const Coupled *coupled = couple(p->model, &c);
  SystemSpec spec = {.outputs = p->model->x, .output_count = p->model->nx, .lanes = 1};
  simulate_needs(&p->simulate, coupled->model->nx, &spec);
  System *system = system_new(coupled->model, &spec);
  SimulateWork *w = simulate_work_new(system, &p->simulate);
  double *all = ARENA_ARRAY(h->arena, double, coupled->model->np + 1);
  memcpy(all, x->p, (size_t)p->model->np * sizeof *all);
  for (int i = 0; i < p->unknown_count; i++) all[p->unknowns[i].parameter] = s->x[i];
  all[coupled->lambda] = 1;
  for (int k = 0; k < count; k++) all[coupled->gain[k]] = terms[k].rate ? gain * gain : gain;
  const Input *inputs[HAND_CHANNELS];
  Err err = {0};
  for (int k = 0; k < x->channel_count; k++)
    inputs[k] = input_new(h->arena, x->channels[k].t, x->channels[k].y, x->channels[k].count,
                          INPUT_SPLINE, &err);
  SimulateRequest request = {
      .p = all, .inputs = inputs, .start = x->start, .times = s->times[e], .count = s->count[e]};
  Trajectory out = {.values = s->states[e]};
  simulate_run(w, &request, &out);
  assert_int_equal(out.outcome, OUTCOME_REACHED_END);
  simulate_work_free(w);
  system_free(system);
}

static void shoot(Hand *h, Shot *s) {
  shooting_run(&h->problem, &s->request, s->x, &s->work, &s->result);
}

// The objective of the truth, whose states the data were made of.
static double objective_of_truth(Hand *h) {
  double sum = 0;
  for (int e = 0; e < h->problem.experiment_count; e++)
    for (int c = 0; c < h->experiments[e].channel_count; c++) {
      const Channel *channel = &h->experiments[e].channels[c];
      double *y = ARENA_ARRAY(h->arena, double, channel->count);
      hand_simulate(h, &h->experiments[e], &channel->measured, 1, channel->t, channel->count, y);
      for (int i = 0; i < channel->count; i++) sum += pow(y[i] - channel->y[i], 2) / 2;
    }
  return sum;
}

static Hand *lorenz(double noise, uint64_t seed, double sigma, double rho, double beta) {
  Hand *h = hand_load("models/lorenz.mo");
  hand_experiment(
      h, (HandData){.channels = {"x"}, .step = 0.02, .count = 1001, .noise = noise, .seed = seed});
  hand_estimate(h, "sigma", -1, sigma, 1, 100);
  hand_estimate(h, "rho", -1, rho, 1, 200);
  hand_estimate(h, "beta", -1, beta, 0.1, 20);
  return h;
}

static void chaotic_data_of_one_state_give_all_numbers_of_lorenz(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    bool far = seed == 4;
    Hand *h = lorenz(0.05, seed, far ? 14 : 9.5, far ? 35 : 29, far ? 2 : 2.8);
    Shot *s = shot_new(h, 40);
    observe(h, s, 0, 50, false);
    shoot(h, s);
    assert_true(s->result.converged);
    assert_true(s->result.gap < 1e-6);
    assert_true(s->work.sensitivity_simulations <= 30);
    double truth = objective_of_truth(h);
    // The minimum and no other: below the truth, by what three numbers can gain from noise (chi-square, 99.9 %).
    assert_true(s->result.objective < truth);
    assert_true(truth - s->result.objective < 16.3 * truth / 1001);
    assert_close_relative(s->x[0], 10.0, 0.01);
    assert_close_relative(s->x[1], 28.0, 0.005);
    assert_close_relative(s->x[2], 8.0 / 3, 0.005);
    hand_done(h);
  }
}

static void without_noise_lorenz_is_exact_and_takes_a_handful_of_steps(void **state) {
  (void)state;
  Hand *h = lorenz(0, 1, 9.5, 29, 2.8);
  Shot *s = shot_new(h, 40);
  observe(h, s, 0, 50, false);
  shoot(h, s);
  assert_true(s->result.converged);
  assert_true(s->work.sensitivity_simulations <= 12);
  assert_close_relative(s->x[0], 10.0, 1e-6);
  assert_close_relative(s->x[1], 28.0, 1e-6);
  assert_close_relative(s->x[2], 8.0 / 3, 1e-6);
  hand_done(h);
}

static void double_pendulum_with_both_angles_is_found(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 2; seed++) {
    Hand *h = hand_load("models/double_pendulum.mo");
    hand_experiment(h, (HandData){.channels = {"theta1", "theta2"},
                                  .step = 0.02,
                                  .count = 501,
                                  .noise = 0.02,
                                  .seed = seed});
    hand_estimate(h, "l1", -1, 1.4, 0.01, 10);
    hand_estimate(h, "l2", -1, 0.7, 0.01, 10);
    hand_estimate(h, "m2", -1, 1.8, 0.01, 100);
    Shot *s = shot_new(h, 20);
    observe(h, s, 0, 10, true);
    shoot(h, s);
    assert_true(s->result.converged && s->result.gap < 1e-6);
    assert_true(s->result.objective < objective_of_truth(h));
    assert_true(s->work.sensitivity_simulations <=
                34); // of the case, with the coupled fit before it
    for (int i = 0; i < 3; i++) assert_close_relative(s->x[i], 1.0, 2e-3);
    hand_done(h);
  }
}

static const char SWING[] = "model Swing\n"
                            "  parameter Real p = 10;\n"
                            "  parameter Real d = 0.1;\n"
                            "  Real a(start = 0.8, fixed = true);\n"
                            "  Real v(start = 0, fixed = true);\n"
                            "equation\n"
                            "  der(a) = v;\n"
                            "  der(v) = -p*sin(a) - d*v;\n"
                            "end Swing;\n";

static Experiment *swing(Hand *h, double start, double noise, uint64_t seed) {
  hand_truth(h, "a.start", start);
  return hand_experiment(
      h, (HandData){.channels = {"a"}, .step = 0.05, .count = 201, .noise = noise, .seed = seed});
}

static void guess_from_truth(Hand *h, Shot *s, int e) {
  hand_simulate(h, &h->experiments[e], h->problem.model->x, h->problem.model->nx, s->times[e],
                s->count[e], s->states[e]);
}

// Product of the triangle with itself: the same however the rows were combined.
static void normal_matrix(const double *R, int n, double *N) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      N[i * n + j] = 0;
      for (int k = 0; k <= (i < j ? i : j); k++) N[i * n + j] += R[k * n + i] * R[k * n + j];
    }
}

static void pieces_with_closed_gaps_are_one_simulation(void **state) {
  (void)state;
  double x[2][3], objective[2], N[2][9];
  int pieces[2] = {1, 12};
  for (int k = 0; k < 2; k++) {
    Hand *h = hand_text(SWING);
    swing(h, 0.8, 0.05, 3);
    hand_estimate(h, "p", -1, 10.1, 1, 100);
    hand_estimate(h, "d", -1, 0.15, 0, 5);
    hand_estimate(h, "a.start", -1, 0.75, -2, 2);
    Shot *s = shot_new(h, pieces[k]);
    guess_from_truth(h, s, 0);
    shoot(h, s);
    assert_true(s->result.converged);
    objective[k] = s->result.objective;
    memcpy(x[k], s->x, sizeof x[k]);
    normal_matrix(s->R, 3, N[k]);
    hand_done(h);
  }
  assert_close_relative(objective[1], objective[0], 1e-8);
  for (int i = 0; i < 3; i++) assert_close_relative(x[1][i], x[0][i], 1e-5);
  for (int i = 0; i < 9; i++)
    assert_close(N[1][i], N[0][i], 1e-4 * sqrt(N[0][i % 3 * 4] * N[0][i / 3 * 4]));
}

static void the_states_found_are_those_of_the_motion(void **state) {
  (void)state;
  Hand *h = hand_text(SWING);
  swing(h, 0.8, 0, 1);
  hand_estimate(h, "p", -1, 8, 1, 100);
  Shot *s = shot_new(h, 10), *truth = shot_new(h, 10);
  guess_from_truth(h, truth, 0);
  for (int i = 0; i < 20; i++) s->states[0][i] = truth->states[0][i] + 0.1 * sin(i);
  shoot(h, s);
  assert_true(s->result.converged);
  assert_close(s->x[0], 10, 1e-6);
  for (int i = 2; i < 20; i++) assert_close(s->states[0][i], truth->states[0][i], 1e-6);
  hand_done(h);
}

static void experiments_share_some_numbers_and_have_others_of_their_own(void **state) {
  (void)state;
  Hand *h = hand_text(SWING);
  double starts[3] = {0.8, -1.4, 2}, d[3] = {0.1, 0.3, 0.2};
  hand_estimate(h, "p", -1, 8, 1, 100);
  for (int e = 0; e < 3; e++) {
    hand_truth(h, "d", d[e]);
    swing(h, starts[e], 0, 1);
    hand_estimate(h, "a.start", e, starts[e] + 0.1, -3, 3);
    hand_estimate(h, "d", e, 0.5, 0, 5);
  }
  Shot *s = shot_new(h, 10);
  s->count[2] = 1; // one of them in one piece
  for (int e = 0; e < 3; e++) {
    memcpy(h->truth, h->experiments[e].p, (size_t)h->problem.model->np * sizeof(double));
    guess_from_truth(h, s, e);
    for (int i = 0; i < s->count[e] * 2; i++) s->states[e][i] += 0.05 * cos(i);
  }
  shoot(h, s);
  assert_true(s->result.converged);
  assert_close(s->x[0], 10, 1e-5);
  for (int e = 0; e < 3; e++) {
    assert_close(s->x[1 + 2 * e], starts[e], 1e-6);
    assert_close(s->x[2 + 2 * e], d[e], 1e-6);
  }
  hand_done(h);
}

static void bounds_hold_and_the_rest_is_best_at_the_bound(void **state) {
  (void)state;
  double x[2], objective[2];
  for (int fixed = 0; fixed < 2; fixed++) { // d at its bound, or no unknown at all
    Hand *h = hand_text(SWING);
    swing(h, 0.8, 0.02, 1);
    hand_estimate(h, "p", -1, 9, 1, 100);
    if (fixed)
      h->experiments[0].p[hand_parameter(h, "d")] = 0.2;
    else
      hand_estimate(h, "d", -1, 0.4, 0.2, 5);
    Shot *s = shot_new(h, 10);
    guess_from_truth(h, s, 0);
    shoot(h, s);
    assert_true(s->result.converged);
    if (!fixed) assert_true(s->x[1] == 0.2);
    x[fixed] = s->x[0];
    objective[fixed] = s->result.objective;
    hand_done(h);
  }
  assert_close_relative(x[0], x[1], 1e-6);
  assert_close_relative(objective[0], objective[1], 1e-8);
}

static void a_sharp_prior_wins_against_the_data(void **state) {
  (void)state;
  Hand *h = hand_text(SWING);
  swing(h, 0.8, 0.02, 1);
  hand_estimate(h, "p", -1, 9, 1, 100);
  h->unknowns[0].has_prior = true;
  h->unknowns[0].prior_mean = 9.5;
  h->unknowns[0].prior_sd = 1e-6;
  Shot *s = shot_new(h, 10);
  guess_from_truth(h, s, 0);
  shoot(h, s);
  assert_close(s->x[0], 9.5, 1e-4);
  hand_done(h);
}

static void outliers_hardly_count_with_huber(void **state) {
  (void)state;
  double error[2];
  for (int huber = 0; huber < 2; huber++) {
    Hand *h = hand_text(SWING);
    Experiment *e = swing(h, 0.8, 0.01, 1);
    double *y = ARENA_ARRAY(h->arena, double, 201);
    for (int i = 0; i < 201; i++) y[i] = e->channels[0].y[i] + (i % 25 == 13 ? 3 : 0);
    e->channels[0].y = y;
    e->channels[0].sigma_kind = SIGMA_NUMBER;
    hand_estimate(h, "p", -1, 9.8, 1, 100);
    h->problem.options.loss = huber ? LOSS_HUBER : LOSS_SQUARES;
    Shot *s = shot_new(h, 10);
    s->sigma[0] = 0.004;
    guess_from_truth(h, s, 0);
    shoot(h, s);
    error[huber] = fabs(s->x[0] - 10);
    hand_done(h);
  }
  assert_true(error[1] < 0.02 && error[1] < 0.2 * error[0]);
}

static void nodes_guessed_at_random_are_given_up_soon(void **state) {
  (void)state;
  Hand *h = hand_load("models/double_pendulum.mo");
  hand_experiment(h, (HandData){.channels = {"theta1", "theta2"}, .step = 0.02, .count = 501});
  hand_estimate(h, "l1", -1, 3, 0.01, 10);
  hand_estimate(h, "l2", -1, 0.2, 0.01, 10);
  Shot *s = shot_new(h, 20);
  Random random;
  random_seed(&random, 1);
  for (int i = 0; i < 80; i++) s->states[0][i] = 5 * random_normal(&random);
  shoot(h, s);
  assert_false(s->result.converged);
  assert_false(local_end_converged(s->result.end));
  assert_true(s->work.sensitivity_simulations < 100);
  for (int i = 0; i < 2; i++)
    assert_true(s->x[i] >= h->unknowns[i].min && s->x[i] <= h->unknowns[i].max);
  hand_done(h);
}

static bool stop_at_fourth(void *data, const FitProgress *p) {
  assert_string_equal(p->stage, "multiple shooting");
  return ++*(int *)data < 4;
}

static void the_listener_ends_it_with_the_best_point(void **state) {
  (void)state;
  Hand *h = lorenz(0.05, 1, 9.5, 29, 2.8);
  Shot *s = shot_new(h, 40);
  int calls = 0;
  observe(h, s, 0, 50, false);
  s->request.listener = stop_at_fourth;
  s->request.listener_data = &calls;
  shoot(h, s);
  assert_int_equal(calls, 4);
  assert_int_equal(s->result.end, LOCAL_STOPPED_END);
  assert_false(s->result.converged);
  assert_true(isfinite(s->result.objective));
  hand_done(h);
}

static void what_it_cannot_treat_it_refuses(void **state) {
  (void)state;
  Hand *h = hand_text(SWING);
  Experiment *e = swing(h, 0.8, 0.02, 1);
  hand_estimate(h, "p", -1, 9, 1, 100);
  Shot *s = shot_new(h, 5);
  guess_from_truth(h, s, 0);
  s->states[0][3] = nan("");
  shoot(h, s);
  assert_int_equal(s->result.end, LOCAL_NO_START_END);
  assert_false(s->result.converged);
  s->states[0][3] = 1e300; // a piece that cannot be simulated
  shoot(h, s);
  assert_int_equal(s->result.end, LOCAL_NO_START_END);
  guess_from_truth(h, s, 0);
  e->channels[0].delay = hand_parameter(h, "d");
  shoot(h, s);
  assert_int_equal(s->result.end, LOCAL_NO_START_END);
  assert_true(s->x[0] == 9);
  hand_done(h);
}

enum { ROWS_MOST = 700, NUMBERS_MOST = 6 };

typedef struct Rows { // of all channels, in the order of experiments and samples
  double column[NUMBERS_MOST][ROWS_MOST], scale[ROWS_MOST];
  int n, first[HAND_MOST], samples, gaps;
  double gap; // largest, in the units that it is weighed with
} Rows;

static Rows *rows_new(const Hand *h) {
  Rows *r = ARENA_NEW(h->arena, Rows);
  r->n = h->problem.unknown_count;
  for (int e = 0, at = 0; e < h->problem.experiment_count; e++) {
    r->first[e] = at;
    at += h->experiments[e].channels[0].count;
    assert_true(at <= ROWS_MOST);
  }
  return r;
}

static void take_rows(void *data, const ResidualBlock *b) {
  Rows *r = data;
  for (int i = 0; b->channel < 0 && i < b->rows; i++)
    r->gap = fmax(r->gap, fabs(b->column[r->n][i])), r->gaps++;
  if (b->channel < 0) return;
  int first = r->first[b->experiment] + b->first;
  for (int i = 0; i < b->rows; i++, r->samples++) {
    for (int k = 0; k <= r->n; k++) r->column[k][first + i] = b->column[k][i];
    r->scale[first + i] = b->scale[i];
  }
}

static FitPieces pieces_of(Shot *s) {
  return (FitPieces){s->count, s->time_rows, s->state_rows, s->result.gap};
}

static void rows_are_equal(const Rows *a, const Rows *b) {
  assert_int_equal(a->samples, b->samples);
  for (int k = 0; k <= a->n; k++) {
    double size = 0, tolerance = k == a->n ? 1e-6 : 1e-5;
    for (int i = 0; i < a->samples; i++) size = fmax(size, fabs(b->column[k][i]));
    assert_true(size > 0);
    for (int i = 0; i < a->samples; i++)
      assert_close(a->column[k][i], b->column[k][i], tolerance * fmax(1, size));
  }
  for (int i = 0; i < a->samples; i++) assert_true(a->scale[i] == b->scale[i]);
}

static void rows_of_pieces_are_those_of_one_simulation(void **state) {
  (void)state;
  Hand *h = hand_text(SWING);
  hand_estimate(h, "p", -1, 10.1, 1, 100);
  hand_estimate(h, "d", -1, 0.15, 0, 5);
  double starts[3] = {0.8, -1.4, 2};
  for (int e = 0; e < 3; e++) {
    swing(h, starts[e], 0.05, (uint64_t)e);
    hand_estimate(h, "a.start", e, starts[e] - 0.05, -3, 3);
  }
  double *weight = ARENA_ARRAY(h->arena, double, ROWS_MOST); // some samples count more, some not
  for (int i = 0; i < ROWS_MOST; i++) weight[i] = i % 4;
  h->experiments[0].channels[0].sample_weight = weight;
  Shot *s = shot_new(h, 12);
  s->count[1] = 1;
  for (int e = 0; e < 3; e++) {
    memcpy(h->truth, h->experiments[e].p, (size_t)h->problem.model->np * sizeof(double));
    guess_from_truth(h, s, e);
  }
  shoot(h, s);
  assert_true(s->result.converged);
  Rows *pieces = rows_new(h), *whole = rows_new(h);
  FitPieces nodes = pieces_of(s);
  Evaluation *o = evaluation_new(&h->problem);
  assert_true(shooting_rows(&h->problem, &nodes, s->sigma, s->x, take_rows, pieces));
  assert_true(evaluation_rows(o, s->x, true, take_rows, whole));
  rows_are_equal(pieces, whole);
  assert_int_equal(pieces->gaps, 2 * 11 * 2);
  assert_int_equal(whole->gaps, 0);
  assert_true(pieces->gap < 1e-3);
  evaluation_free(o);
  hand_done(h);
}

// Over the whole time changes grow by 1e15; the slopes of pieces that may shift by next to nothing stay in bounds.
static void slopes_of_chaotic_motion_stay_in_bounds(void **state) {
  (void)state;
  Hand *h = hand_load("models/lorenz.mo");
  hand_experiment(
      h, (HandData){.channels = {"x"}, .step = 0.08, .count = 501, .noise = 0.05, .seed = 1});
  hand_estimate(h, "sigma", -1, 10, 1, 100);
  hand_estimate(h, "rho", -1, 28, 1, 200);
  hand_estimate(h, "beta", -1, 8.0 / 3, 0.1, 20);
  Shot *s = shot_new(h, 40);
  observe(h, s, 0, 50, false);
  shoot(h, s);
  assert_true(s->result.converged);
  Rows *pieces = rows_new(h), *whole = rows_new(h);
  FitPieces nodes = pieces_of(s);
  Evaluation *o = evaluation_new(&h->problem);
  assert_true(shooting_rows(&h->problem, &nodes, s->sigma, s->x, take_rows, pieces));
  assert_true(evaluation_rows(o, s->x, true, take_rows, whole));
  assert_int_equal(pieces->samples, 501);
  double largest = 0, diverged = 0, squares = 0;
  for (int i = 0; i < 501; i++) {
    squares += pieces->column[3][i] * pieces->column[3][i] / 2;
    for (int k = 0; k < 3; k++) {
      largest = fmax(largest, fabs(pieces->column[k][i]));
      diverged = fmax(diverged, fabs(whole->column[k][i]));
    }
  }
  assert_close_relative(squares, s->result.objective, 1e-9);
  assert_true(largest > 1 && largest < 1e4);
  assert_true(diverged > 1e10);
  evaluation_free(o);
  hand_done(h);
}

static void rows_of_a_piece_that_fails_are_refused(void **state) {
  (void)state;
  Hand *h = hand_text(SWING);
  swing(h, 0.8, 0.02, 1);
  hand_estimate(h, "p", -1, 10, 1, 100);
  Shot *s = shot_new(h, 5);
  guess_from_truth(h, s, 0);
  s->states[0][3] = 1e300;
  FitPieces nodes = pieces_of(s);
  assert_false(shooting_rows(&h->problem, &nodes, s->sigma, s->x, take_rows, rows_new(h)));
  hand_done(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chaotic_data_of_one_state_give_all_numbers_of_lorenz),
      cmocka_unit_test(without_noise_lorenz_is_exact_and_takes_a_handful_of_steps),
      cmocka_unit_test(double_pendulum_with_both_angles_is_found),
      cmocka_unit_test(pieces_with_closed_gaps_are_one_simulation),
      cmocka_unit_test(the_states_found_are_those_of_the_motion),
      cmocka_unit_test(experiments_share_some_numbers_and_have_others_of_their_own),
      cmocka_unit_test(bounds_hold_and_the_rest_is_best_at_the_bound),
      cmocka_unit_test(a_sharp_prior_wins_against_the_data),
      cmocka_unit_test(outliers_hardly_count_with_huber),
      cmocka_unit_test(nodes_guessed_at_random_are_given_up_soon),
      cmocka_unit_test(the_listener_ends_it_with_the_best_point),
      cmocka_unit_test(what_it_cannot_treat_it_refuses),
      cmocka_unit_test(rows_of_pieces_are_those_of_one_simulation),
      cmocka_unit_test(slopes_of_chaotic_motion_stay_in_bounds),
      cmocka_unit_test(rows_of_a_piece_that_fails_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
