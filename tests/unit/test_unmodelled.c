#include "stats/unmodelled.h"

#include <string.h>

#include "study/assessed_fit.h"
#include "swinging_mass.h"

typedef struct Finding {
  int count;
  char text[2][300];
  double share[2], error;
} Finding;

static Finding find(const Mass *m) {
  Made made;
  Finding out = {0};
  AssessedFit f = assessed_fit_run(mass_problem(&made, m, ""), NULL, 0, NULL, NULL);
  assert_int_equal(f.statistics->unmodelled_count, 0);
  find_unmodelled(f.result, f.weighting, f.work, f.statistics);
  out.count = f.statistics->unmodelled_count;
  out.error = f.statistics->channels[0].rmse;
  for (int i = 0; i < out.count; i++) {
    snprintf(out.text[i], sizeof out.text[i], "%s", f.statistics->unmodelled[i].text);
    out.share[i] = f.statistics->unmodelled[i].share;
  }
  assessed_fit_done(&f);
  made_close(&made);
  return out;
}

static const Mass RIGHT = {.k = 1, .d = 0.2, .noise = 0.01};

// The strongest term is the one that was left out, and explains what the noise does not.
static void what_is_missing_is_named(void **state) {
  (void)state;
  Mass friction = RIGHT, cubic = RIGHT, square = RIGHT, drift = RIGHT, constant = RIGHT;
  friction.friction = 0.1;
  cubic.cubic = 0.03;
  square.square = 0.2;
  drift.drift = 0.3;
  constant.offset = 0.1;
  const struct {
    const Mass *mass;
    const char *words;
  } CASES[] = {{&friction, "in proportion to sign(v) in the equation of der(v)"},
               {&cubic, "in proportion to x^3 in the equation of der(v)"},
               {&square, "in proportion to u^2 in the equation of der(v)"},
               {&drift, "The residuals of x grow with time"},
               {&constant, "constant"}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    Finding f = find(CASES[i].mass);
    assert_true(f.count >= 1);
    if (!strstr(f.text[0], CASES[i].words)) fail_msg("%s: %s", CASES[i].words, f.text[0]);
    double noise = RIGHT.noise * RIGHT.noise / (f.error * f.error);
    assert_true(f.share[0] > 0.8 * (1 - noise) && f.share[0] <= 1);
  }
}

// A wrong word about a right model is worse than none: 200 records of each kind of noise, at most 1 % with a word.
static void a_right_model_misses_nothing(void **state) {
  (void)state;
  for (int coloured = 0; coloured < 2; coloured++) {
    int said = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
      Mass m = RIGHT;
      m.noise = 0.05;
      m.correlated = coloured ? 0.9 : 0;
      m.seed = seed;
      said += find(&m).count > 0;
    }
    assert_true(said <= 2);
  }
}

static void two_things_may_be_missing(void **state) {
  (void)state;
  Mass m = RIGHT;
  m.friction = 0.1;
  m.drift = 0.3;
  Finding f = find(&m);
  assert_int_equal(f.count, 2);
  assert_true(strstr(f.text[0], "with time") || strstr(f.text[1], "with time"));
  assert_true(strstr(f.text[0], "sign(v)") || strstr(f.text[1], "sign(v)"));
  assert_true(f.share[0] + f.share[1] > 0.95 && f.share[0] + f.share[1] <= 1);
  assert_null(strstr(f.text[0], "a further"));
  assert_non_null(strstr(f.text[1], "a further"));
}

// Beside the first a second one that explains 0 % is of no use.
static void little_more_is_not_said(void **state) {
  (void)state;
  Mass m = RIGHT;
  m.noise = 1e-5, m.drift = 0.3, m.friction = 0.001;
  Finding f = find(&m);
  assert_int_equal(f.count, 1);
  assert_non_null(strstr(f.text[0], "with time"));
}

// Also where it is far from right; a right one is no reason beside a wrong one.
static void a_wrong_start_value_is_named(void **state) {
  (void)state;
  const double START[] = {0.05, 0.2, -0.5};
  for (int i = 0; i < 3; i++) {
    Mass m = RIGHT;
    m.v = START[i];
    Finding f = find(&m);
    assert_int_equal(f.count, 1);
    assert_non_null(strstr(f.text[0], "Another start value of v would explain"));
    assert_non_null(strstr(f.text[0], "estimate v.start."));
    double noise = RIGHT.noise * RIGHT.noise / (f.error * f.error);
    assert_true(f.share[0] > 0.8 * (1 - noise) && f.share[0] <= 1);
  }
}

// Where something else is missing the start value, which is right, is not blamed.
static void a_right_start_value_is_not_named(void **state) {
  (void)state;
  for (int kind = 0; kind < 5; kind++)
    for (uint64_t seed = 0; seed < 20; seed++) {
      Mass m = RIGHT;
      double size = 0.2 + 0.05 * (double)seed;
      *(double *[]){&m.friction, &m.cubic, &m.square, &m.drift, &m.constant}[kind] = 0.3 * size;
      m.seed = seed;
      Finding f = find(&m);
      for (int i = 0; i < f.count; i++)
        if (strstr(f.text[i], "start value")) fail_msg("%d, %g: %s", kind, size, f.text[i]);
    }
}

// So much friction that its first-order effect is not its effect: the term is fitted.
static void a_strong_term_is_fitted(void **state) {
  (void)state;
  Mass m = RIGHT;
  m.friction = 0.25;
  Finding f = find(&m);
  assert_int_equal(f.count, 1);
  assert_non_null(strstr(f.text[0], "sign(v)"));
  assert_true(f.share[0] > 0.95);
}

// At a wrong optimum the model explains less than the mean of the data does.
static void far_from_the_data_nothing_is_said(void **state) {
  (void)state;
  for (int far = 0; far < 2; far++) {
    Made made;
    Mass m = RIGHT;
    m.friction = 0.1;
    AssessedFit f = assessed_fit_run(mass_problem(&made, &m, ""), NULL, 0, NULL, NULL);
    if (far) f.result->x[0] = 9; // as if the search had ended there
    find_unmodelled(f.result, f.weighting, f.work, f.statistics);
    assert_int_equal(f.statistics->unmodelled_count, far ? 0 : 1);
    assessed_fit_done(&f);
    made_close(&made);
  }
}

static bool never(void *data, const FitProgress *p) {
  (void)data;
  return strcmp(p->stage, "statistics") != 0;
}

// Words are added to the remarks of a fit; one that is stopped has none.
static void an_examined_fit_says_it(void **state) {
  (void)state;
  Made made;
  Mass m = RIGHT;
  m.friction = 0.1;
  AssessedFit f = assessed_fit_run(mass_problem(&made, &m, ""), NULL, 0, NULL, NULL);
  int before = f.statistics->remark_count;
  assessed_fit_examine(&f, never, NULL);
  assert_int_equal(f.statistics->remark_count, before);
  assessed_fit_examine(&f, NULL, NULL);
  assert_int_equal(f.statistics->remark_count, before + 1);
  assert_string_equal(f.statistics->remarks[before], f.statistics->unmodelled[0].text);
  assessed_fit_done(&f);
  made_close(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_missing_is_named),
      cmocka_unit_test(a_right_model_misses_nothing),
      cmocka_unit_test(two_things_may_be_missing),
      cmocka_unit_test(little_more_is_not_said),
      cmocka_unit_test(a_wrong_start_value_is_named),
      cmocka_unit_test(a_right_start_value_is_not_named),
      cmocka_unit_test(a_strong_term_is_fitted),
      cmocka_unit_test(far_from_the_data_nothing_is_said),
      cmocka_unit_test(an_examined_fit_says_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
