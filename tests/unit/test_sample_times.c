#include "residual/sample_times.h"

#include <string.h>

#include "num/random.h"
#include "test.h"

enum { CHANNELS = 3, MOST = 40, DELAY = 5 }; // DELAY: first parameter that is one

typedef struct Sampled {
  double t[CHANNELS][MOST], y[MOST], p[DELAY + CHANNELS];
  Channel channels[CHANNELS];
  Experiment experiment;
} Sampled;

// Channels of different lengths and steps, some times equal in two of them; delayed: each has a delay of its own.
static void sample(Sampled *s, Random *random, bool delayed) {
  memset(s, 0, sizeof *s);
  s->experiment = (Experiment){.start = 1, .channels = s->channels, .channel_count = CHANNELS};
  for (int c = 0; c < CHANNELS; c++) {
    double t = 1;
    int count = 1 + (int)(random_uniform(random) * (MOST - 1));
    for (int i = 0; i < count; i++) {
      s->t[c][i] = t;
      t += 0.25 * (1 + floor(3 * random_uniform(random)));
    }
    s->channels[c] = (Channel){.count = count, .t = s->t[c], .y = s->y, .delay = -1};
    if (delayed) s->channels[c].delay = DELAY + c;
    s->p[DELAY + c] = 0.5 * c + random_uniform(random);
    s->experiment.stop = fmax(s->experiment.stop, s->t[c][count - 1]);
  }
}

static void each_sample_has_its_row_and_rows_increase(void **state) {
  (void)state;
  Random random;
  random_seed(&random, 1);
  for (int k = 0; k < 200; k++) {
    Sampled s;
    bool delayed = k % 2;
    Arena *a = arena_new();
    sample(&s, &random, delayed);
    SampleTimes *times = sample_times_new(a, &s.experiment);
    assert_true(times->delayed == delayed);
    for (int round = 0; round < 2; round++) { // without delays first
      int used[CHANNELS * MOST] = {0};
      for (int i = 1; i < times->count; i++) assert_true(times->at[i] > times->at[i - 1]);
      for (int c = 0; c < CHANNELS; c++)
        for (int i = 0; i < s.channels[c].count; i++) {
          double delay = round && delayed ? s.p[DELAY + c] : 0;
          int row = times->row[c][i];
          assert_in_range(row, 0, times->count - 1);
          assert_true(times->at[row] == fmax(1, s.t[c][i] - delay));
          used[row]++;
        }
      for (int i = 0; i < times->count; i++) assert_true(used[i] > 0); // no row for nobody
      sample_times_update(times, &s.experiment, s.p);
    }
    arena_free(a);
  }
}

static void channels_with_the_same_times_share_all_rows(void **state) {
  (void)state;
  Random random;
  Sampled s;
  Arena *a = arena_new();
  random_seed(&random, 2);
  sample(&s, &random, false);
  for (int c = 1; c < CHANNELS; c++) s.channels[c] = s.channels[0];
  SampleTimes *times = sample_times_new(a, &s.experiment);
  assert_int_equal(times->count, s.channels[0].count);
  for (int c = 0; c < CHANNELS; c++)
    for (int i = 0; i < times->count; i++) assert_int_equal(times->row[c][i], i);
  arena_free(a);
}

// A horizon holds the samples up to its end, and rows for exactly these.
static void a_horizon_holds_the_samples_before_its_end(void **state) {
  (void)state;
  Random random;
  random_seed(&random, 3);
  for (int k = 0; k < 50; k++) {
    Sampled s;
    Arena *a = arena_new();
    sample(&s, &random, false);
    SampleTimes *times = sample_times_new(a, &s.experiment);
    int before = 0;
    for (double horizon = 0.1; horizon < 1.05; horizon += 0.1) {
      double end = 1 + horizon * (s.experiment.stop - 1);
      int rows = rows_in_horizon(times, &s.experiment, horizon), last = -1;
      for (int c = 0; c < CHANNELS; c++) {
        int n = samples_in_horizon(&s.experiment, c, horizon), count = s.channels[c].count;
        assert_true(n == 0 || horizon >= 1 || s.t[c][n - 1] <= end);
        assert_true(n == count || s.t[c][n] > end);
        if (n && times->row[c][n - 1] > last) last = times->row[c][n - 1];
      }
      assert_int_equal(rows, last + 1);
      assert_true(rows >= before);
      before = rows;
    }
    assert_int_equal(rows_in_horizon(times, &s.experiment, 1), times->count);
    arena_free(a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_sample_has_its_row_and_rows_increase),
      cmocka_unit_test(channels_with_the_same_times_share_all_rows),
      cmocka_unit_test(a_horizon_holds_the_samples_before_its_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
