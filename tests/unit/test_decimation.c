// Fewer samples keep what is slow, lose what is fast, and leave noise as it is expected.
#include "problem/decimation.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "test.h"

enum { ROWS = 6000 };
static const double PI = 3.14159265358979323846;

typedef struct Kept {
  Arena *arena;
  Decimation d;
  double y[ROWS], out[ROWS];
  bool gap[ROWS + 1];
  int count;
} Kept;

static Kept *kept_new(int m, DecimationFilter filter) {
  Arena *a = arena_new();
  Kept *k = ARENA_NEW(a, Kept);
  k->arena = a;
  k->d = decimation_new(a, m, filter);
  k->count = decimated_count(&k->d, ROWS);
  return k;
}

static void run(Kept *k) {
  decimate(&k->d, k->y, &(RecordRows){0, ROWS, 0, k->gap}, k->out);
}

// Results that the filter can give: all but those near the ends.
static int edge_of(const Kept *k) {
  return decimation_reach(&k->d) / k->d.m;
}

// Largest result of a sine of so many new Nyquist frequencies.
static double gain(Kept *k, double frequency, double phase) {
  double most = 0;
  int m = k->d.m, edge = edge_of(k);
  for (int i = 0; i < ROWS; i++) k->y[i] = sin(PI * frequency * i / m + phase);
  run(k);
  for (int i = edge; i < k->count - edge; i++) most = fmax(most, fabs(k->out[i]));
  return most;
}

static double uniform_at(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

static double gaussian(uint64_t *seed) { // Box, Muller
  double a = uniform_at(seed), b = uniform_at(seed);
  return sqrt(-2 * log(1 - a)) * cos(2 * PI * b);
}

static void one_keeps_all(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int f = 0; f < DECIMATION_COUNT; f++) {
    Kept *k = kept_new(1, (DecimationFilter)f);
    for (int i = 0; i < ROWS; i++) k->y[i] = i % 7 ? gaussian(&seed) : nan("");
    run(k);
    assert_int_equal(k->count, ROWS);
    assert_memory_equal(k->out, k->y, sizeof k->y);
    arena_free(k->arena);
  }
}

// The passband, measured at every phase that the samples can have.
static void slow_sines_stay(void **state) {
  (void)state;
  for (int m = 2; m <= 60; m += 7)
    for (int f = DECIMATE_FIR; f <= DECIMATE_SHARP; f++) {
      Kept *k = kept_new(m, (DecimationFilter)f);
      int edge = edge_of(k);
      for (double frequency = 0.01; frequency <= 0.7; frequency += 0.0491) {
        gain(k, frequency, 0.3);
        double limit = f == DECIMATE_FIR ? 0.002 : 0.005;
        for (int i = edge; i < k->count - edge; i++) // zero phase: also at the same time
          assert_true(fabs(k->out[i] - sin(PI * frequency * i + 0.3)) < limit);
      }
      arena_free(k->arena);
    }
}

// The mean weakens what is fast already below the new Nyquist frequency: as docs/problem.md says.
static void a_mean_weakens(void **state) {
  (void)state;
  static const double AT[] = {0.05, 0.3, 0.5, 0.68}, LESS[] = {0.001, 0.036, 0.1, 0.18};
  Kept *k = kept_new(10, DECIMATE_MEAN);
  for (int i = 0; i < 4; i++) {
    double most = 0;
    for (double phase = 0; phase < 3.2; phase += 0.05) most = fmax(most, gain(k, AT[i], phase));
    assert_close_relative(1 - most, LESS[i], 0.05);
  }
  arena_free(k->arena);
}

static void fast_sines_go(void **state) {
  (void)state;
  static const double FROM[] = {1.25, 1};
  for (int m = 2; m <= 30; m += 4)
    for (int f = DECIMATE_FIR; f <= DECIMATE_SHARP; f++) {
      Kept *k = kept_new(m, (DecimationFilter)f);
      for (double frequency = FROM[f]; frequency <= m; frequency += 0.0637)
        for (double phase = 0; phase < 3; phase += 1.1)
          assert_true(gain(k, frequency, phase) < 0.01); // 40 dB
      arena_free(k->arena);
    }
}

// There is a result exactly where all samples within the reach are there and without gap, and those of rows around serve.
static void results_have_the_full_reach(void **state) {
  (void)state;
  uint64_t seed = 12;
  for (int f = DECIMATE_FIR; f <= DECIMATE_SHARP; f++)
    for (int m = 2; m < 20; m += 3) {
      Kept *k = kept_new(m, (DecimationFilter)f);
      double part[ROWS];
      int reach = DECIMATION_REACH * m, from = m * 40, count = m * 30;
      for (int i = 0; i < ROWS; i++) {
        k->y[i] = uniform_at(&seed) < 0.001 ? nan("") : gaussian(&seed);
        k->gap[i] = uniform_at(&seed) < 0.001;
      }
      run(k);
      for (int r = 0; r < k->count; r++) {
        bool full = m * r >= reach && m * r + reach < ROWS;
        for (int i = m * r - reach; full && i <= m * r + reach; i++)
          full = !isnan(k->y[i]) && (i == m * r - reach || !k->gap[i]);
        assert_int_equal(!isnan(k->out[r]), full);
      }
      for (int around = 0; around <= reach; around += m) {
        RecordRows rows = {around, count, around, k->gap + from};
        decimate(&k->d, k->y + from, &rows, part);
        for (int r = 0; r < 30; r++) {
          bool inside = m * r + around >= reach && m * (29 - r) + m - 1 + around >= reach;
          double whole = k->out[40 + r];
          assert_true(inside && !isnan(whole) ? part[r] == whole : isnan(part[r]));
        }
      }
      arena_free(k->arena);
    }
}

// Constants and lines are the same everywhere, also at the ends and beside gaps.
static void lines_stay_lines(void **state) {
  (void)state;
  uint64_t seed = 8;
  for (int f = 0; f < DECIMATE_NONE; f++)
    for (int m = 2; m < 40; m += 5) {
      Kept *k = kept_new(m, (DecimationFilter)f);
      double times[ROWS], rows[ROWS];
      int missing = 0;
      for (int i = 0; i < ROWS; i++) {
        rows[i] = i;
        k->y[i] = uniform_at(&seed) < 0.0005 ? nan("") : 5 - 0.01 * i;
        k->gap[i] = uniform_at(&seed) < 0.0002;
      }
      run(k);
      decimate_times(&k->d, rows, ROWS, times);
      for (int i = 0; i < k->count; i++) {
        if (isnan(k->out[i]))
          missing++;
        else
          assert_true(fabs(k->out[i] - (5 - 0.01 * times[i])) < 1e-12);
      }
      assert_true(missing < k->count);
      arena_free(k->arena);
    }
}

// Independent noise has the standard deviation that is stated, and stays uncorrelated where it is said to.
static void noise_is_as_stated(void **state) {
  (void)state;
  for (int f = 0; f < DECIMATION_COUNT; f++) {
    double square = 0, product = 0;
    int count = 0, m = 5;
    uint64_t seed = 21;
    for (int trial = 0; trial < 40; trial++) {
      Kept *k = kept_new(m, (DecimationFilter)f);
      for (int i = 0; i < ROWS; i++) k->y[i] = gaussian(&seed);
      run(k);
      int edge = edge_of(k) + 1;
      for (int i = edge; i < k->count - edge; i++, count++)
        square += k->out[i] * k->out[i], product += k->out[i] * k->out[i - 1];
      double stated = k->d.noise;
      arena_free(k->arena);
      if (trial == 39) assert_true(fabs(sqrt(square / count) / stated - 1) < 0.015);
    }
    double correlation = product / square; // standard error 0.005
    if (f == DECIMATE_SHARP)
      assert_true(correlation > 0.1);
    else
      assert_true(fabs(correlation) < 0.02);
  }
}

// A sample that is missing has no result; others never depend on what is behind a gap.
static void gaps_are_not_bridged(void **state) {
  (void)state;
  uint64_t seed = 77;
  for (int f = 0; f < DECIMATION_COUNT; f++) {
    Kept *k = kept_new(8, (DecimationFilter)f);
    double before[ROWS];
    for (int i = 0; i < ROWS; i++) k->y[i] = gaussian(&seed);
    k->gap[3000] = true; // a border of blocks, too
    run(k);
    memcpy(before, k->out, sizeof before);
    for (int i = 3000; i < ROWS; i++) k->y[i] += 1000;
    run(k);
    for (int i = 0; i < k->count; i++) {
      assert_int_equal(isnan(k->out[i]), isnan(before[i]));
      if (!isnan(before[i])) assert_true(fabs(k->out[i] - before[i] - (i < 375 ? 0 : 1000)) < 1e-9);
    }
    k->y[800] = nan("");
    run(k);
    assert_true(isnan(k->out[100]) == (f != DECIMATE_MEAN));
    arena_free(k->arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_keeps_all),        cmocka_unit_test(slow_sines_stay),
      cmocka_unit_test(a_mean_weakens),       cmocka_unit_test(fast_sines_go),
      cmocka_unit_test(lines_stay_lines),     cmocka_unit_test(noise_is_as_stated),
      cmocka_unit_test(gaps_are_not_bridged), cmocka_unit_test(results_have_the_full_reach),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
