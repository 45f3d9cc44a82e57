#include "search/result_rows.h"

#include "swings.h"

enum { PIECES = 4, MOST = 400 };

typedef struct Rows {
  int n, count, gaps;
  double r[MOST], slope[MOST];
} Rows;

static void collect(void *data, const ResidualBlock *b) {
  Rows *rows = data;
  rows->gaps += b->channel < 0;
  for (int j = 0; b->channel >= 0 && j < b->rows; j++, rows->count++) {
    rows->r[rows->count] = b->column[rows->n][j];
    rows->slope[rows->count] = b->column[0][j];
  }
}

static void without_pieces_they_are_those_of_an_evaluation(void **state) {
  (void)state;
  Hand *h = duffing(1, 0.05);
  Evaluation *e = evaluation_new(&h->problem);
  Rows a = {.n = 2}, b = {.n = 2};
  e->spec.slopes = true;
  assert_true(result_rows(e->work, &e->spec, NULL, DUFFING_TRUTH, collect, &a));
  assert_true(evaluate_rows(e->work, &e->spec, DUFFING_TRUTH, collect, &b));
  assert_int_equal(a.count, 2 * DUFFING_SAMPLES);
  assert_memory_equal(&a, &b, sizeof a);
  evaluation_free(e);
  hand_done(h);
}

// Pieces of one motion that meet give what one simulation gives.
static void pieces_that_meet_give_the_residuals_of_the_whole(void **state) {
  (void)state;
  Hand *h = duffing(1, 0.05);
  Evaluation *e = evaluation_new(&h->problem);
  double times[PIECES], states[PIECES * 2], *all_times = times, *all_states = states;
  int count = PIECES;
  for (int k = 0; k < PIECES; k++) times[k] = 6.0 * k / PIECES;
  assert_true(evaluate_states(e->work, &e->spec, DUFFING_TRUTH, 0, times, PIECES, states));
  FitPieces pieces = {&count, &all_times, &all_states, 0};
  Rows whole = {.n = 2}, parts = {.n = 2};
  assert_true(result_rows(e->work, &e->spec, NULL, DUFFING_TRUTH, collect, &whole));
  assert_true(result_rows(e->work, &e->spec, &pieces, DUFFING_TRUTH, collect, &parts));
  assert_int_equal(parts.count, whole.count);
  double sum[2] = {0};
  for (int i = 0; i < whole.count; i++) {
    sum[0] += whole.r[i] * whole.r[i];
    sum[1] += parts.r[i] * parts.r[i];
  }
  assert_close_relative(sum[1], sum[0], 1e-6);
  evaluation_free(e);
  hand_done(h);
}

static void failures_say_why(void **state) {
  (void)state;
  static const double ESCAPES[] = {-9, -9};
  Hand *h = duffing(1, 0);
  Evaluation *e = evaluation_new(&h->problem);
  Rows rows = {.n = 2};
  assert_false(result_rows(e->work, &e->spec, NULL, ESCAPES, collect, &rows));
  assert_string_equal(result_why(e->work, NULL), eval_why(e->work));
  assert_true(strlen(result_why(e->work, &(FitPieces){0})) > 10);
  evaluation_free(e);
  hand_done(h);
}

// The sigma of a channel that has its own estimate is the root mean square of its residuals; slopes do not matter.
static void estimated_sigmas_follow_the_residuals(void **state) {
  (void)state;
  Hand *h = duffing(1, 0.05);
  h->experiments[0].channels[0].sigma_kind = SIGMA_ESTIMATED;
  Evaluation *e = evaluation_new(&h->problem);
  double change;
  e->spec.slopes = true;
  Weighting *w = result_weighting(e->work, &e->spec, NULL, DUFFING_TRUTH, &change);
  const double *sigma = e->spec.weighting->sigma;
  Rows rows = {.n = 2};
  e->spec.slopes = false;
  assert_true(result_rows(e->work, &e->spec, NULL, DUFFING_TRUTH, collect, &rows));
  double squares = 0;
  for (int i = 0; i < DUFFING_SAMPLES; i++) squares += rows.r[i] * rows.r[i];
  assert_close_relative(w->sigma[0], sigma[0] * sqrt(squares / DUFFING_SAMPLES), 1e-10);
  assert_close(change, fabs(w->sigma[0] / sigma[0] - 1), 1e-12);
  assert_true(w->sigma[1] == sigma[1]);
  weighting_free(w);
  evaluation_free(e);
  hand_done(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_pieces_they_are_those_of_an_evaluation),
      cmocka_unit_test(pieces_that_meet_give_the_residuals_of_the_whole),
      cmocka_unit_test(failures_say_why),
      cmocka_unit_test(estimated_sigmas_follow_the_residuals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
