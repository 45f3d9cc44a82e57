#include "residual/residual_rows.h"

#include "swings.h"

typedef struct Block {
  int experiment, channel, first, rows;
} Block;

typedef struct Seen {
  int n, count;
  Block block[64];
  double r[1000], slope[1000]; // by the first unknown
  int rows;
} Seen;

static void see(void *data, const ResidualBlock *b) {
  Seen *s = data;
  s->block[s->count++] = (Block){b->experiment, b->channel, b->first, b->rows};
  for (int j = 0; j < b->rows; j++, s->rows++) {
    s->r[s->rows] = b->column[s->n][j];
    s->slope[s->rows] = b->column[0][j];
  }
}

// One channel of many samples, which have a sigma of 0.5.
static Hand *long_swing(int samples) {
  Hand *h = pendulum(0, 15);
  h->problem.experiment_count = 0;
  Experiment *e =
      hand_experiment(h, (HandData){.channels = {"theta"}, .step = 0.01, .count = samples});
  e->channels[0].sigma_kind = SIGMA_NUMBER;
  e->channels[0].sigma = 0.5;
  return h;
}

static Seen *seen_at(Hand *h, double p, double horizon, bool slopes) {
  Evaluation *e = evaluation_new(&h->problem);
  Seen *s = ARENA_NEW(h->arena, Seen);
  s->n = 1;
  e->spec.horizon = horizon;
  assert_true(evaluation_rows(e, &p, slopes, see, s));
  evaluation_free(e);
  return s;
}

// Blocks follow each other without gaps and hold at most 128 rows, whatever the number of samples.
static void blocks_cover_all_samples_in_order(void **state) {
  (void)state;
  static const int COUNTS[] = {20, 127, 128, 129, 256, 300};
  for (int k = 0; k < 6; k++) {
    Hand *h = long_swing(COUNTS[k]);
    Seen *s = seen_at(h, 9, 1, false);
    int next = 0;
    for (int i = 0; i < s->count; i++) {
      assert_int_equal(s->block[i].first, next);
      assert_in_range(s->block[i].rows, 1, RESIDUAL_ROWS_MOST);
      next += s->block[i].rows;
    }
    assert_int_equal(next, COUNTS[k]);
    assert_int_equal(s->count, (COUNTS[k] + RESIDUAL_ROWS_MOST - 1) / RESIDUAL_ROWS_MOST);
    hand_done(h);
  }
}

static void experiments_and_channels_come_in_order(void **state) {
  (void)state;
  Hand *h = duffing(3, 0.1);
  Evaluation *e = evaluation_new(&h->problem);
  Seen *s = ARENA_NEW(h->arena, Seen);
  s->n = 2;
  assert_true(evaluation_rows(e, DUFFING_TRUTH, true, see, s));
  assert_int_equal(s->count, 6);
  for (int i = 0; i < 6; i++) {
    assert_int_equal(s->block[i].experiment, i / 2);
    assert_int_equal(s->block[i].channel, i % 2);
  }
  evaluation_free(e);
  hand_done(h);
}

// Slopes are the derivatives of the residuals, and are divided by sigma as they are.
static void slopes_are_differences_of_residuals(void **state) {
  (void)state;
  Hand *h = long_swing(200);
  double step = 1e-5;
  Seen *at = seen_at(h, 9, 1, true), *up = seen_at(h, 9 + step, 1, false),
       *down = seen_at(h, 9 - step, 1, false);
  double size = 0;
  for (int i = 0; i < 200; i++) size = fmax(size, fabs(at->slope[i]));
  assert_true(size > 0.01);
  for (int i = 0; i < 200; i++)
    assert_close(at->slope[i], (up->r[i] - down->r[i]) / (2 * step), 1e-3 * size);
  h->experiments[0].channels[0].sigma = 1;
  Seen *other = seen_at(h, 9, 1, true);
  for (int i = 0; i < 200; i++) {
    assert_close(at->slope[i], 2 * other->slope[i], 1e-12 * size);
    assert_close(at->r[i], 2 * other->r[i], 1e-12);
  }
  hand_done(h);
}

static void a_shorter_horizon_gives_the_first_rows(void **state) {
  (void)state;
  Hand *h = long_swing(201);
  Seen *all = seen_at(h, 9, 1, true), *half = seen_at(h, 9, 0.5, true);
  assert_int_equal(half->rows, 101);
  for (int i = 0; i < half->rows; i++) {
    assert_close(half->r[i], all->r[i], 1e-7);
    assert_close(half->slope[i], all->slope[i], 1e-6);
  }
  hand_done(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_cover_all_samples_in_order),
      cmocka_unit_test(experiments_and_channels_come_in_order),
      cmocka_unit_test(slopes_are_differences_of_residuals),
      cmocka_unit_test(a_shorter_horizon_gives_the_first_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
