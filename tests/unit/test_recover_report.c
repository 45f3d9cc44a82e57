// Reports of studies with known truth; tests/cli/test_recover.sh has those of whole ones.
#include "report/recover_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

typedef struct Told {
  Unknown unknown;
  Problem problem;
  RecoverParameter parameter;
  double numbers[2];
  bool ok[2];
  long work[2];
  Recover recover;
} Told;

static void make(Told *m, int done) {
  memset(m, 0, sizeof *m);
  m->unknown = (Unknown){.name = "k", .unit = ""};
  fit_options_init(&m->problem.options);
  m->problem.path = "decay.yaml";
  m->problem.unknowns = &m->unknown;
  m->problem.unknown_count = 1;
  m->parameter = (RecoverParameter){.truth = 2, .mean = 2, .spread = 0.1, .predicted = 0.1};
  m->recover = (Recover){.problem = &m->problem,
                         .trials = 2,
                         .done = done,
                         .succeeded = done,
                         .parameters = &m->parameter,
                         .estimates = m->numbers,
                         .std_errors = m->numbers,
                         .objectives = m->numbers,
                         .objectives_truth = m->numbers,
                         .ok = m->ok,
                         .work = m->work,
                         .seconds = 3,
                         .noise_over_sigma = nan("")};
}

static char *text_of(const Told *m) {
  Text t;
  text_init(&t);
  recover_text(&t, &m->recover, (PageStyle){80, false});
  return t.at;
}

static void without_a_trial_there_is_no_table(void **state) {
  (void)state;
  static const char *const SAID[] = {"stopped before one of 2 trials was finished",
                                     "1 of 1 trials succeeded (stopped; 2 were requested)",
                                     "2 of 2 trials succeeded\n"};
  for (int done = 0; done <= 2; done++) {
    Told m;
    make(&m, done);
    char *text = text_of(&m);
    assert_non_null(strstr(text, SAID[done]));
    assert_int_equal(strstr(text, "Parameters") != NULL, done > 0);
    assert_int_equal(strstr(text, "in all") != NULL, done > 0);
    free(text);
  }
}

// With noise, chance is what the spread says; without it, what the standard errors say.
static void a_bias_is_more_than_chance_or_errors_of_simulations(void **state) {
  (void)state;
  for (int noisy = 0; noisy < 2; noisy++)
    for (int large = 0; large < 2; large++) {
      Told m;
      make(&m, 2);
      m.problem.options.noise = noisy ? 0.1 : 0;
      m.parameter.bias_t = noisy && !large ? 2.9 : 3.1;
      m.parameter.bias = large ? 0.31 : 1e-9;
      char *text = text_of(&m);
      assert_int_equal(strstr(text, "biased") != NULL, large);
      free(text);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_trial_there_is_no_table),
      cmocka_unit_test(a_bias_is_more_than_chance_or_errors_of_simulations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
