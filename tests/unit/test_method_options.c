// The options of a fit reach the methods: all of them, under the same names.
#include "search/method_options.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

// Every field of the .def files is the same in both.
static void assert_same(const LocalOptions *local, const PopulationOptions *population,
                        const FitOptions *fit) {
#define OPT(type, name, default_value, least, most, meaning)                                       \
  assert_close((double)local->name, (double)fit->name, 0);
#define OPT_CHOICE(name, default_value, choices, meaning) assert_int_equal(local->name, fit->name);
#include "local/newton_options.def"
#include "local/step_options.def"
#undef OPT
#undef OPT_CHOICE
#define OPT(type, name, default_value, least, most, meaning)                                       \
  assert_close((double)population->name, (double)fit->name, 0);
#define OPT_CHOICE(name, default_value, choices, meaning)                                          \
  assert_int_equal(population->name, fit->name);
#include "global/population_options.def"
#undef OPT
#undef OPT_CHOICE
  assert_close(local->step_tol, fit->step_tol, 0);
  assert_close(local->gradient_tol, fit->gradient_tol, 0);
  assert_close(local->reduction_tol, fit->reduction_tol, 0);
  assert_int_equal(local->max_iterations, fit->max_iterations);
  assert_int_equal(local->robust, fit->loss == LOSS_HUBER);
  assert_int_equal(population->seed, fit->seed);
  assert_int_equal(population->sampling, fit->sampling);
}

static void defaults_of_methods_are_those_of_a_fit(void **state) {
  (void)state;
  FitOptions fit;
  LocalOptions local;
  PopulationOptions population;
  fit_options_init(&fit);
  local_options_init(&local);
  population_options_init(&population);
  assert_same(&local, &population, &fit);
  assert_int_equal(population.max_simulations, INT_MAX);
  assert_true(local.target < 0 && !local.rough);
}

static void every_option_is_handed_on(void **state) {
  (void)state;
  FitOptions fit;
  PopulationOptions population;
  Err err = {0};
  fit_options_init(&fit);
  for (int i = 0; i < FIT_OPTIONS.count; i++) { // something else than the default
    const OptionRow *row = &FIT_OPTIONS.rows[i];
    char last[OPTION_WORD_SIZE], most[OPTION_WORD_SIZE];
    const char *word = row->choices ? strrchr(row->choices, ' ') + 1 : NULL;
    snprintf(last, sizeof last, "%s", word ? word : "");
    snprintf(most, sizeof most, "%.17g", row->most);
    assert_true(options_set(&FIT_OPTIONS, &fit, row->name, word ? last : most, &err));
  }
  LocalOptions local = method_options(&fit, &population);
  assert_same(&local, &population, &fit);
  assert_ptr_equal(local.population, &population);
  assert_int_equal(population.max_simulations, fit.max_simulations);
  assert_int_equal(local.line_search, LINE_SEARCH_OFF);
  assert_int_equal(population.de_strategy, DE_STRATEGY_BEST);
}

static void another_word_for_lm_is_accepted(void **state) {
  (void)state;
  FitOptions fit;
  Err err = {0};
  fit_options_init(&fit);
  assert_int_equal(fit.local, LOCAL_LM);
  assert_true(options_set(&FIT_OPTIONS, &fit, "local", "sqp", &err));
  assert_true(options_set(&FIT_OPTIONS, &fit, "local", "trust-region", &err));
  assert_int_equal(fit.local, LOCAL_LM);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_of_methods_are_those_of_a_fit),
      cmocka_unit_test(every_option_is_handed_on),
      cmocka_unit_test(another_word_for_lm_is_accepted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
