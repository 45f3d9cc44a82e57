#include "residual/feedback.h"

#include "swings.h"

static double value(Evaluation *e, double lambda, const double *x) {
  EvalSpec spec = e->spec;
  spec.lambda = lambda;
  return evaluate_value(e->work, &spec, x);
}

// A feedback of next to nothing leaves next to nothing of a difference.
static void without_feedback_the_coupled_model_is_the_free_one(void **state) {
  (void)state;
  Hand *h = duffing(2, 0.02);
  Evaluation *e = evaluation_new(&h->problem);
  static const double X[][2] = {{2, 0.5}, {1.2, 0.9}, {3, 0}};
  for (int k = 0; k < 3; k++)
    assert_close_relative(value(e, 1e-300, X[k]), value(e, 0, X[k]), 1e-4);
  evaluation_free(e);
  hand_done(h);
}

// The data enter as splines through the samples.
static void the_truth_follows_exact_data_up_to_interpolation(void **state) {
  (void)state;
  Hand *h = duffing(2, 0);
  Evaluation *e = evaluation_new(&h->problem);
  double data = data_objective(e->spec.weighting, 1);
  for (double lambda = 1; lambda > 0.1; lambda /= 2)
    assert_true(value(e, lambda, DUFFING_TRUTH) < 1e-8 * data);
  evaluation_free(e);
  hand_done(h);
}

static void the_stronger_the_feedback_the_nearer_the_data(void **state) {
  (void)state;
  static const double WRONG[] = {1, 1.5};
  Hand *h = duffing(1, 0);
  Evaluation *e = evaluation_new(&h->problem);
  double before = value(e, 0, WRONG);
  for (double lambda = 0.1; lambda <= 1; lambda += 0.1) {
    double now = value(e, lambda, WRONG);
    assert_true(now < before);
    before = now;
  }
  e->spec.strength = 4;
  assert_true(value(e, 1, WRONG) < before);
  evaluation_free(e);
  hand_done(h);
}

// Of a measured state four times the frequency of its data; of its rate, so that both poles are equal: g^2/4.
static void gains_follow_the_frequency_of_the_data(void **state) {
  (void)state;
  Hand *h = pendulum(0.01, 15);
  Fitting *fitting = fitting_new(&h->problem);
  const Feedback *f = fitting_feedback(fitting);
  double frequency = channel_facts(fitting->data, 0, 0)->frequency;
  assert_int_equal(f->coupling.term_count, 2);
  for (int k = 0; k < 2; k++) {
    double g = 4 * frequency;
    assert_close_relative(f->gain[k], f->coupling.terms[k].rate ? g * g / 4 : g, 1e-12);
  }
  assert_int_not_equal(f->coupling.terms[0].rate, f->coupling.terms[1].rate);
  fitting_free(fitting);
  h->problem.options.gain = 3; // what the user says
  fitting = fitting_new(&h->problem);
  for (int k = 0; k < 2; k++) assert_true(fitting_feedback(fitting)->gain[k] == 3);
  fitting_free(fitting);
  hand_done(h);
}

static void strength_multiplies_gains_and_by_its_square_those_of_rates(void **state) {
  (void)state;
  Hand *h = pendulum(0, 15);
  Fitting *fitting = fitting_new(&h->problem);
  const Feedback *f = fitting_feedback(fitting);
  double p[64];
  assert_true(f->coupled->model->np <= 64);
  feedback_set(f, &h->problem, 0, 0.3, 5, NULL, p);
  assert_true(p[f->coupled->lambda] == 0.3);
  for (int k = 0; k < f->coupling.term_count; k++)
    assert_close_relative(p[f->coupled->gain[k]] / f->gain[k],
                          f->coupling.terms[k].rate ? 25.0 : 5.0, 1e-12);
  fitting_free(fitting);
  hand_done(h);
}

static void channels_without_data_do_not_act(void **state) {
  (void)state;
  Hand *h = duffing(2, 0);
  h->experiments[1].channel_count = 1; // x alone
  Fitting *fitting = fitting_new(&h->problem);
  const Feedback *f = fitting_feedback(fitting);
  double p[64];
  for (int e = 0; e < 2; e++) {
    feedback_set(f, &h->problem, e, 1, 1, NULL, p);
    for (int k = 0; k < f->coupling.term_count; k++)
      assert_true((p[f->coupled->gain[k]] == 0) == (e == 1 && f->coupling.terms[k].channel == 1));
  }
  fitting_free(fitting);
  hand_done(h);
}

static void what_cannot_act_on_the_model_makes_none(void **state) {
  (void)state;
  Hand *h = hand_text("model Still\n  parameter Real a = 1;\n"
                      "  Real x(start = 1, fixed = true);\n  Real y;\nequation\n"
                      "  der(x) = -a*x;\n  y = a*time;\nend Still;\n");
  hand_experiment(h, (HandData){.channels = {"y"}, .step = 0.1, .count = 21});
  hand_estimate(h, "a", -1, 1, 0, 2);
  Fitting *fitting = fitting_new(&h->problem);
  assert_null(fitting_feedback(fitting));
  fitting_free(fitting);
  hand_done(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_feedback_the_coupled_model_is_the_free_one),
      cmocka_unit_test(the_truth_follows_exact_data_up_to_interpolation),
      cmocka_unit_test(the_stronger_the_feedback_the_nearer_the_data),
      cmocka_unit_test(gains_follow_the_frequency_of_the_data),
      cmocka_unit_test(strength_multiplies_gains_and_by_its_square_those_of_rates),
      cmocka_unit_test(channels_without_data_do_not_act),
      cmocka_unit_test(what_cannot_act_on_the_model_makes_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
