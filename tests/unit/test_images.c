#include "search/images.h"

#include "hand_problem.h"
#include "search/fit.h"
#include "search/local_search.h"
#include "searching.h"
#include "threshold.h"

typedef struct Number {
  const char *name;
  double truth, start, min, max;
} Number;

static FitResult *fit_auto(Hand *h) {
  h->problem.method = METHOD_AUTO;
  return fit_run(&h->problem, NULL, NULL, NULL);
}

// A model with a symmetry that no search from elsewhere is sure to find: it is tried, and the result is ambiguous.
static void assert_image_with(double noise, const char *text, const char *channel, double step,
                              int count, const Number *numbers, const double *other) {
  Hand *h = hand_text(text);
  for (int i = 0; i < 3 && numbers[i].name; i++) hand_truth(h, numbers[i].name, numbers[i].truth);
  hand_experiment(h,
                  (HandData){.channels = {channel}, .step = step, .count = count, .noise = noise});
  for (int i = 0; i < 3 && numbers[i].name; i++)
    hand_estimate(h, numbers[i].name, -1, numbers[i].start, numbers[i].min, numbers[i].max);
  FitResult *r = fit_auto(h);
  assert_int_equal(r->verdict, FIT_AMBIGUOUS);
  bool found = false;
  for (int k = 0; k < r->optima.count; k++) {
    bool same = true;
    for (int i = 0; i < 3 && numbers[i].name; i++)
      same = same && fabs(r->optima.at[k].x[i] - other[i]) < 0.05 * fabs(other[i]);
    found = found || same;
  }
  assert_true(found);
  fit_free(r);
  hand_done(h);
}

static void assert_image(const char *text, const char *channel, double step, int count,
                         const Number *numbers, const double *other) {
  assert_image_with(0.01, text, channel, step, count, numbers, other);
  assert_image_with(0, text, channel, step, count, numbers, other);
}

// Numbers that change nothing have images everywhere, which do not hide the real ones.
static void numbers_without_effect_hide_no_symmetry(void **state) {
  (void)state;
  Hand *h =
      hand_text("model Even\n  parameter Real a = 1, b = 1.5, c = 1, d = 1;\n  Real x(start = 1, "
                "fixed = true), y;\nequation\n  der(x) = -0.2*x;\n"
                "  y = (a*x + b*sin(time))^2 + 0*c*d;\nend Even;\n");
  hand_experiment(h, (HandData){.channels = {"y"}, .step = 0.05, .count = 300, .noise = 0.01});
  hand_estimate(h, "a", -1, 0.9, -1.3, 6);
  hand_estimate(h, "b", -1, 1.6, -9, 2);
  hand_estimate(h, "c", -1, 1, -5, 5);
  hand_estimate(h, "d", -1, 2, -5, 5);
  FitResult *r = fit_auto(h);
  assert_int_equal(r->verdict, FIT_AMBIGUOUS);
  fit_free(r);
  hand_done(h);
}

static void symmetries_are_tried(void **state) {
  (void)state;
  // an even output: both signs change, and the bounds are not symmetric
  assert_image("model Even\n  parameter Real a = 1, b = 1;\n  Real x(start = 1, fixed = true), "
               "y;\nequation\n  der(x) = -0.2*x;\n  y = (a*x + b*sin(time))^2;\nend Even;\n",
               "y", 0.05, 300, (Number[3]){{"a", 1, 0.9, -1.3, 6}, {"b", 1.5, 1.6, -9, 2}},
               (double[]){-1, -1.5});
  // samples every 0.5 s cannot tell 1.9 rad/s from 2 pi/0.5 - 1.9
  assert_image("model Alias\n  parameter Real w = 1;\n  Real x(start = 1, fixed = true), v(start = "
               "0, fixed = true), y;\nequation\n  der(x) = v;\n  der(v) = -w*w*x;\n  y = "
               "x;\nend Alias;\n",
               "y", 0.5, 300, (Number[3]){{"w", 1.9, 1.9, 0.5, 15}}, (double[]){4 * M_PI - 1.9});
  // an angle and the same after a whole turn
  assert_image("model Turn\n  parameter Real w = 1, phase = 1;\n  Real y;\nequation\n"
               "  y = sin(w*time + phase);\nend Turn;\n",
               "y", 0.1, 300, (Number[3]){{"w", 1.7, 1.7, 1, 2}, {"phase", 0.9, 1, -7, 1.5}},
               (double[]){1.7, 0.9 - 2 * M_PI});
}

static void a_turn_may_have_360_degrees(void **state) {
  (void)state;
  Hand *h = hand_text("model Turn\n  parameter Real phase = 50;\n  Real y;\nequation\n"
                      "  y = sin(1.7*time + phase*3.141592653589793/180);\nend Turn;\n");
  hand_experiment(h, (HandData){.channels = {"y"}, .step = 0.1, .count = 300, .noise = 0.01});
  hand_estimate(h, "phase", -1, 60, 5, 500);
  h->unknowns[0].unit = "deg";
  FitResult *r = fit_auto(h);
  assert_int_equal(r->verdict, FIT_AMBIGUOUS);
  assert_close(fabs(r->optima.at[0].x[0] - r->optima.at[1].x[0]), 360, 1);
  fit_free(r);
  hand_done(h);
}

// Three numbers that may change places in three ways; only the last pair can, in the bounds of the first.
static void the_best_of_many_exchanges_are_tried(void **state) {
  (void)state;
  assert_image(
      "model Modes\n  parameter Real w1 = 1, w2 = 1, w3 = 1;\n  Real y;\nequation\n"
      "  y = 2*sin(w1*time) + sin(w2*time) + sin(w3*time);\nend Modes;\n",
      "y", 0.05, 400,
      (Number[3]){{"w1", 1, 1, 0.5, 5}, {"w2", 2.3, 2.3, 0.5, 5}, {"w3", 3.1, 3.1, 0.5, 5}},
      (double[]){1, 3.1, 2.3});
}

// y = (a + e)^2 seen around a = 1: the objective at -a grows with e.
static bool is_worth_a_search(void *data, double ratio) {
  (void)data;
  double low = 0, high = 1;
  bool taken = false;
  for (int k = 0; k < 50; k++) { // the e at which the objective at -a is so many times the best one
    double e = (low + high) / 2;
    Hand *h = hand_text("model Even\n  parameter Real a = 1, e = 0;\n  Real y;\nequation\n"
                        "  y = (a + e)^2*sin(time);\nend Even;\n");
    hand_truth(h, "e", e);
    hand_experiment(h, (HandData){.channels = {"y"}, .step = 0.05, .count = 200, .noise = 0.05});
    hand_estimate(h, "a", -1, 1, -3, 3);
    Searching q;
    searching_open(&q, &h->problem, NULL, NULL);
    double x[] = {1};
    LocalSearch l = local_search_full(q.s);
    local_search_run(q.s, &l, x);
    search_offer(q.s, "planted", x, l.objective, l.end);
    double at = search_evaluate(q.s, 0, 1, (double[]){-x[0]});
    *(at < ratio * q.s->best.objective ? &low : &high) = e;
    Image image[5];
    taken = images_find(q.s, q.s->best.x, image, 5) > 0;
    searching_close(&q);
    hand_done(h);
  }
  return taken;
}

// A local search can mend as much as four times the objective.
static void images_that_nearly_fit_are_worth_a_search(void **state) {
  (void)state;
  assert_threshold(is_worth_a_search, NULL, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(symmetries_are_tried),
      cmocka_unit_test(numbers_without_effect_hide_no_symmetry),
      cmocka_unit_test(a_turn_may_have_360_degrees),
      cmocka_unit_test(images_that_nearly_fit_are_worth_a_search),
      cmocka_unit_test(the_best_of_many_exchanges_are_tried),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
