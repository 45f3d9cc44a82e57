#include "search/fit_result.h"

#include <string.h>

#include "swings.h"

static void outcomes_have_words_and_sentences_of_their_own(void **state) {
  (void)state;
  for (int i = 0; i < FIT_OUTCOME_COUNT; i++) {
    assert_true(strlen(fit_outcome_word((FitOutcome)i)) > 0);
    assert_null(strchr(fit_outcome_word((FitOutcome)i), ' '));
    assert_true(strlen(fit_outcome_sentence((FitOutcome)i)) > 10);
    for (int k = 0; k < i; k++)
      assert_string_not_equal(fit_outcome_word((FitOutcome)i), fit_outcome_word((FitOutcome)k));
  }
}

// -log likelihood of N samples: V + N log sigma. Twice the sigma of a channel at half its squares: the same V.
static void estimated_sigmas_count_in_what_is_compared(void **state) {
  (void)state;
  Hand *h = duffing(1, 0.1);
  double sigma[] = {0.2, 0.3};
  FitResult r = {.problem = &h->problem, .objective = 5, .sigma = sigma};
  assert_true(fit_comparable(&r) == 5); // none is estimated
  h->experiments[0].channels[1].sigma_kind = SIGMA_ESTIMATED;
  double before = fit_comparable(&r);
  sigma[1] *= 2, sigma[0] *= 7;
  assert_close_relative(fit_comparable(&r) - before, DUFFING_SAMPLES * log(2), 1e-12);
  sigma[1] = 0; // no sigma is smaller than the errors of simulations
  double least = fit_least_sigma(&h->problem, &h->experiments[0].channels[1]);
  assert_close_relative(fit_comparable(&r), 5 + DUFFING_SAMPLES * log(least), 1e-12);
  hand_done(h);
}

static void the_least_sigma_follows_accuracy_and_data(void **state) {
  (void)state;
  Hand *h = duffing(1, 0);
  const Channel *c = &h->experiments[0].channels[0];
  double squares = 0;
  for (int i = 0; i < c->count; i++) squares += c->y[i] * c->y[i] / c->count;
  assert_close_relative(fit_least_sigma(&h->problem, c), 100 * 1e-8 * sqrt(squares), 1e-12);
  h->problem.simulate.rel_tol *= 10;
  assert_close_relative(fit_least_sigma(&h->problem, c), 100 * 1e-7 * sqrt(squares), 1e-12);
  assert_true(fit_least_sigma(&h->problem, &(Channel){.count = 0}) > 0);
  hand_done(h);
}

static void pieces_of_all_experiments_are_counted(void **state) {
  (void)state;
  Hand *h = duffing(3, 0);
  int count[] = {2, 5, 1};
  assert_int_equal(fit_piece_count(&h->problem, NULL), 0);
  assert_int_equal(fit_piece_count(&h->problem, &(FitPieces){.count = count}), 8);
  hand_done(h);
  fit_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outcomes_have_words_and_sentences_of_their_own),
      cmocka_unit_test(estimated_sigmas_count_in_what_is_compared),
      cmocka_unit_test(the_least_sigma_follows_accuracy_and_data),
      cmocka_unit_test(pieces_of_all_experiments_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
