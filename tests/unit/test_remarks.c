#include "stats/remarks.h"

#include <string.h>

#include "made_problem.h"
#include "num/random.h"
#include "study/assessed_fit.h"

enum { CHANNELS = 12, ROWS = 60 };

typedef struct Line { // y = a + b t in every experiment
  int coloured;       // experiments with a swing in their data
  double swing, sigma, noise;
  const char *bounds; // of a and b
} Line;

static AssessedFit fit_lines(Made *made, const Line *l) {
  char yaml[3000], data[4000], sigma[40] = "";
  made_open(made);
  made_file(made, "line.mo",
            "model Line\n  parameter Real a = 1, b = 1;\n  Real y;\nequation\n  y = a + b*time;\n"
            "end Line;\n");
  if (l->sigma > 0) snprintf(sigma, sizeof sigma, ", sigma: %g", l->sigma);
  int length = sprintf(yaml, "model: line.mo\nmethod: lm\nexperiments:\n");
  for (int k = 0; k < CHANNELS; k++) {
    Random random;
    random_seed_stream(&random, 51, (uint64_t)k);
    int at = sprintf(data, "t,y\n");
    for (int i = 0; i < ROWS; i++)
      at += sprintf(data + at, "%g,%.10g\n", 0.1 * i,
                    2 + 0.3 * i * 0.1 +
                        (k < l->coloured) * l->swing * (1 + k) * sin(1.0471975511965976 * i) +
                        l->noise * random_normal(&random));
    char name[20];
    snprintf(name, sizeof name, "e%d.csv", k);
    made_file(made, name, data);
    length +=
        sprintf(yaml + length, "  - {data: e%d.csv, measure: {y: {column: y%s}}}\n", k, sigma);
  }
  sprintf(yaml + length, "estimate:\n%s", l->bounds);
  return assessed_fit_run(made_load(made, yaml), NULL, 0, NULL, NULL);
}

static int count_of(const Statistics *s, const char *words) {
  int count = 0;
  for (int i = 0; i < s->remark_count; i++) count += strstr(s->remarks[i], words) != NULL;
  return count;
}

static const char FREE[] = "  a: {start: 1, min: -9, max: 9}\n  b: {start: 1, min: -9, max: 9}\n";

static void many_channels_have_one_remark(void **state) {
  (void)state;
  static const struct {
    int coloured;
    const char *words; // NULL: none
  } CASES[] = {{0, NULL},
               {1, "The residuals of y in e0 are not white (p = "},
               {7, "The residuals of 7 of 12 channels (y in e0, e1, e2 and 4 more) are not white "
                   "(worst: y in e"},
               {12, "The residuals of 12 of 12 channels are not white (worst: y in e"}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    Made made;
    Line l = {CASES[i].coloured, 0.3, 0, 0.1, FREE};
    AssessedFit f = fit_lines(&made, &l);
    if (CASES[i].words && !count_of(f.statistics, CASES[i].words))
      fail_msg("%s: %s", CASES[i].words, f.statistics->remarks[0]);
    assert_int_equal(count_of(f.statistics, "not white"), CASES[i].words != NULL);
    assessed_fit_done(&f);
    made_close(&made);
  }
}

static void many_sigmas_have_one_remark(void **state) {
  (void)state;
  Made made;
  Line small = {0, 0, 0.01, 0.1, FREE}, large = {0, 0, 1, 0.1, FREE};
  AssessedFit f = fit_lines(&made, &small);
  assert_int_equal(count_of(f.statistics, "sigma"), 1);
  assert_int_equal(count_of(f.statistics, "The residuals of 12 of 12 channels are up to 1"), 1);
  assessed_fit_done(&f);
  made_close(&made);
  f = fit_lines(&made, &large);
  assert_int_equal(count_of(f.statistics, "sigma"), 1);
  assert_int_equal(count_of(f.statistics, "The residuals of 12 of 12 channels are only up to 0."),
                   1);
  assessed_fit_done(&f);
  made_close(&made);
}

static void bounds_have_one_remark(void **state) {
  (void)state;
  Made made;
  Line one = {0, 0, 0, 0.1,
              "  a: {start: 1, min: -9, max: 1.5}\n  b: {start: 1, min: -9, max: 9}\n"};
  Line two = {0, 0, 0, 0.1,
              "  a: {start: 1, min: -9, max: 1}\n  b: {start: 0, min: -9, max: 0.2}\n"};
  AssessedFit f = fit_lines(&made, &one);
  assert_int_equal(count_of(f.statistics, "a is at its upper bound 1.5"), 1);
  assessed_fit_done(&f);
  made_close(&made);
  f = fit_lines(&made, &two);
  assert_int_equal(count_of(f.statistics, "bound"), 1);
  assert_int_equal(count_of(f.statistics, "2 parameters are at bounds, a (upper) and b (upper)"),
                   1);
  assessed_fit_done(&f);
  made_close(&made);
}

// Residuals that are coloured for certain, or perhaps by chance: the words say which, at the level of all channels.
static void words_follow_from_the_facts(void **state) {
  (void)state;
  Made made;
  Line l = {1, 0, 0, 0.1, FREE};
  for (int k = 0; k <= 40; k++) {
    l.swing = 0.005 * k;
    AssessedFit f = fit_lines(&made, &l);
    const StatChannel *c = &f.statistics->channels[0];
    bool coloured = least_white_p(c) < 1e-3 / (3 * CHANNELS);
    bool sure = least_white_p(c) < 1e-6 || fabs(c->autocorrelation) > 0.2;
    assert_int_equal(count_of(f.statistics, "not white"), coloured && sure);
    assert_int_equal(count_of(f.statistics, "slightly correlated"), coloured && !sure);
    assessed_fit_done(&f);
    made_close(&made);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_channels_have_one_remark),
      cmocka_unit_test(many_sigmas_have_one_remark),
      cmocka_unit_test(bounds_have_one_remark),
      cmocka_unit_test(words_follow_from_the_facts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
