// Methods as they are asked for in a comparison.
#include "study/compare_spec.h"

#include "known_truth.h"

static Known decay(void) {
  Known k = {.text = "model Decay\n  parameter Real k = 0.5;\n  Real x(start = 2, fixed = true);\n"
                     "equation\n  der(x) = -k*x;\nend Decay;\n",
             .measured = {"x"},
             .stop = 5,
             .step = 0.5,
             .estimate = "k: {start: 0.7, min: 0.05, max: 5}",
             .truth = {0.8},
             .options = "method: homotopy\noptions: {gain: 3}"};
  known_open(&k);
  return k;
}

static CompareSpec read_well(const Known *k, const char *text) {
  CompareSpec s;
  Err err = {0};
  if (!compare_spec_read(k->arena, k->problem, text, &s, &err)) fail_msg("%s: %s", text, err.text);
  return s;
}

static void a_method_may_have_options_and_a_label(void **state) {
  (void)state;
  Known k = decay();
  CompareSpec s = read_well(&k, "homotopy:coupling=pid-squared:gain=10:rel-tol=1e-6");
  assert_int_equal(s.problem.method, METHOD_HOMOTOPY);
  assert_int_equal(s.problem.options.coupling, COUPLING_PID_SQUARED);
  assert_close(s.problem.options.gain, 10, 0);
  assert_close(s.problem.simulate.rel_tol, 1e-6, 0);
  assert_string_equal(s.label, "homotopy coupling=pid-squared gain=10 rel_tol=1e-6");
  assert_string_equal(s.method, "homotopy");
  s = read_well(&k, "lm : label = Levenberg, Marquardt");
  assert_string_equal(s.label, "Levenberg, Marquardt");
  assert_close(s.problem.options.gain, 3, 0); // what the problem says holds
  assert_close(k.problem->options.gain, 3, 0);
  s = read_well(&k, "lm:label=\"a: b\"");
  assert_string_equal(s.label, "a: b");
  known_close(&k);
}

static void parts_of_composite_methods_are_no_options(void **state) {
  (void)state;
  Known k = decay();
  CompareSpec s = read_well(&k, "multistart(lm,50):starts=7");
  assert_int_equal(s.problem.method, METHOD_MULTISTART);
  assert_int_equal(s.problem.parts.count, 1);
  assert_int_equal(s.problem.parts.at[0], METHOD_LM);
  assert_int_equal(s.problem.parts.starts, 50);
  assert_string_equal(s.method, "multistart(lm, 50)");
  known_close(&k);
}

static void it_is_known_which_methods_draw_random_numbers(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool random, seeded;
  } CASES[] = {{"lm", false, false},
               {"homotopy", false, false},
               {"auto", false, false},
               {"ga", true, false},
               {"pso:seed=4", true, true},
               {"multistart(lm, 5)", true, false},
               {"portfolio(lm, de)", true, false},
               {"portfolio(lm, sqp)", false, false}};
  Known k = decay();
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    CompareSpec s = read_well(&k, CASES[i].text);
    assert_int_equal(s.random, CASES[i].random);
    assert_int_equal(s.seeded, CASES[i].seeded);
  }
  known_close(&k);
}

static void what_is_wrong_is_named_with_what_is_allowed(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } CASES[] = {
      {"lmm", "unknown method 'lmm'; did you mean 'lm'?"},
      {"ga:populaton=5",
       "unknown option 'populaton'; did you mean 'population'? (in 'ga:populaton=5')"},
      {"ga:zzzzzz=5",
       "unknown option 'zzzzzz'; it can be label, or one of those that 'entrain options' "
       "lists (in 'ga:zzzzzz=5')"},
      {"ga:50", "'50' must be name=value, such as population=50 or label=mine (in 'ga:50')"},
      {"ga:population=",
       "'population=' must be name=value, such as population=50 or label=mine (in "
       "'ga:population=')"},
      {"ga:", "'' must be name=value, such as population=50 or label=mine (in 'ga:')"},
      {"ga:population=many", "population must be a number, not 'many' (in 'ga:population=many')"},
      {"lm:derivatives=exact",
       "derivatives cannot be 'exact'; it is one of sensitivities, forward, "
       "central (in 'lm:derivatives=exact')"},
      {"lm:loss=huber",
       "loss changes what is minimised, so it must be the same for all methods: --loss "
       "(in 'lm:loss=huber')"},
  };
  Known k = decay();
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    CompareSpec s;
    Err err = {0};
    assert_false(compare_spec_read(k.arena, k.problem, CASES[i].text, &s, &err));
    assert_string_equal(err.text, CASES[i].message);
  }
  known_close(&k);
}

static void the_usual_methods_can_be_read(void **state) {
  (void)state;
  Known k = decay();
  int count = 0;
  for (const char *const *text = compare_spec_usual(); *text; text++, count++) read_well(&k, *text);
  assert_true(count > 10);
  known_close(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_method_may_have_options_and_a_label),
      cmocka_unit_test(parts_of_composite_methods_are_no_options),
      cmocka_unit_test(it_is_known_which_methods_draw_random_numbers),
      cmocka_unit_test(what_is_wrong_is_named_with_what_is_allowed),
      cmocka_unit_test(the_usual_methods_can_be_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
