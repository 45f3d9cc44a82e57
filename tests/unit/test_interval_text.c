#include "report/interval_text.h"

#include <string.h>

#include "test.h"

// Two unknowns and a channel of 100 samples.
static void assert_says_with(double p, IntervalKind a, IntervalKind b, bool wanted,
                             double effective, const char *expected) {
  Unknown unknowns[] = {{.name = "p"}, {.name = "q"}};
  Problem problem = {.unknowns = unknowns, .unknown_count = 2};
  StatParameter parameters[] = {{.interval = a, .profile_wanted = wanted},
                                {.interval = b, .profile_wanted = wanted}};
  StatChannel channel = {
      .n = 100, .effective = effective, .white_p = p, .runs_p = 0.5, .lag1_p = nan("")};
  Statistics s = {.n = 2,
                  .parameters = parameters,
                  .channels = &channel,
                  .channel_count = 1,
                  .colour = effective < 100 ? 3 : 1};
  Text t;
  text_init(&t);
  interval_text(&t, &problem, &s);
  assert_string_equal(t.at, expected);
  text_done(&t);
}

static void assert_says(IntervalKind a, IntervalKind b, bool wanted, double effective,
                        const char *expected) {
  assert_says_with(1e-9, a, b, wanted, effective, expected);
}

// What tests do not show is not called a fact.
static void correlation_is_a_fact_where_tests_show_it(void **state) {
  (void)state;
  assert_says_with(0.2, INTERVAL_ARMA, INTERVAL_ARMA, false, 67,
                   "The residuals may be correlated, too little for a test to show it: 100 samples "
                   "would tell about as much as 67 independent ones. Standard errors and intervals "
                   "allow for it.");
}

static void kinds_are_named_where_they_matter(void **state) {
  (void)state;
  assert_says(INTERVAL_LINEAR, INTERVAL_SANDWICH, false, 100, "");
  assert_says(INTERVAL_ARMA, INTERVAL_ARMA, false, 20,
              "The residuals are correlated: 100 samples tell about as much as 20 independent "
              "ones. Standard errors and intervals allow for it.");
  assert_says(INTERVAL_PROFILE, INTERVAL_NONE, true, 100, "The interval of p comes from profiles.");
  assert_says(INTERVAL_PROFILE, INTERVAL_PROFILE, true, 100,
              "The intervals of p and q come from profiles.");
  assert_says(INTERVAL_PROFILE, INTERVAL_LINEAR, true, 100,
              "The interval of p comes from profiles. The interval of q comes from linear theory, "
              "which may not hold so far from the estimate; 'entrain profile' would show it.");
}

static void flags_tell_bounds_and_what_is_not_determined(void **state) {
  (void)state;
  static const struct {
    StatParameter q;
    const char *examined, *stopped;
  } CASES[] = {
      {{.identifiable = true}, "", ""},
      {{.identifiable = false}, "not determined", ""},
      {{.identifiable = true, .at_bound = true, .lower_bound = true},
       "at its lower bound",
       "at min"},
      {{.identifiable = true, .at_bound = true}, "at its upper bound", "at max"},
      {{.at_bound = true}, "not determined, at max", "at max"},
      {{.inactive = true}, "changes nothing", ""},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    StatParameter q = CASES[i].q;
    Statistics s = {.n = 1, .parameters = &q};
    assert_string_equal(parameter_flags(&s, 0), CASES[i].examined);
    s.missing[s.missing_count++] = "identifiability";
    assert_string_equal(parameter_flags(&s, 0), CASES[i].stopped);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(flags_tell_bounds_and_what_is_not_determined),
                                     cmocka_unit_test(kinds_are_named_where_they_matter),
                                     cmocka_unit_test(correlation_is_a_fact_where_tests_show_it)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
