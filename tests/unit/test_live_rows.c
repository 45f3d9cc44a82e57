// What a live page draws: a bounded history, and curves whose peaks stay.
#include "live/live_rows.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static int count_of(const char *text, char c) {
  int n = 0;
  for (; *text; text++) n += *text == c;
  return n;
}

static void rows_are_printed_from_any_of_them(void **state) {
  (void)state;
  LiveRows *r = live_rows_new(2);
  Text t;
  text_init(&t);
  live_rows_print(r, 0, &t);
  assert_string_equal(t.at, "");
  live_rows_add(r, (double[]){1, 0.5});
  live_rows_add(r, (double[]){2, (double)NAN});
  live_rows_add(r, (double[]){3, -1e-300});
  live_rows_print(r, 0, &t);
  assert_string_equal(t.at, "[1,0.5],[2,null],[3,-1e-300]");
  text_clear(&t);
  live_rows_print(r, 2, &t);
  assert_string_equal(t.at, "[3,-1e-300]");
  text_clear(&t);
  live_rows_print(r, 3, &t);
  assert_string_equal(t.at, "");
  text_done(&t);
  live_rows_free(r);
  live_rows_free(NULL);
}

// However many come: few are kept, the first among them, evenly spaced, and the last is not far behind.
static void a_long_history_is_kept_evenly(void **state) {
  (void)state;
  static const int COLUMNS[] = {1, 4, 60, 5000};
  for (size_t k = 0; k < sizeof COLUMNS / sizeof *COLUMNS; k++) {
    int columns = COLUMNS[k];
    LiveRows *r = live_rows_new(columns);
    double *row = calloc((size_t)columns, sizeof *row);
    for (int i = 0; i < 20000; i++) {
      int before = live_rows_count(r), version = live_rows_version(r);
      row[0] = i;
      live_rows_add(r, row);
      int now = live_rows_count(r);
      assert_true(now <= 1000 && (long)now * columns <= (columns < 400 ? 40000 : 100L * columns));
      if (live_rows_version(r) == version) assert_true(now == before || now == before + 1);
    }
    Text t;
    text_init(&t);
    live_rows_print(r, 0, &t);
    assert_int_equal(count_of(t.at, '['), live_rows_count(r));
    double last = -1, gap = 0;
    for (const char *at = t.at; (at = strchr(at, '[')); at++) {
      double value = atof(at + 1);
      if (last < 0) assert_true(value == 0);
      if (last >= 0 && gap == 0) gap = value - last;
      if (last >= 0) assert_true(value - last == gap);
      last = value;
    }
    assert_true(20000 - last <= gap);
    text_done(&t);
    free(row);
    live_rows_free(r);
  }
}

static void few_points_are_kept_as_they_are(void **state) {
  (void)state;
  double y[] = {3, 1, 4, 1, 5}, out[5];
  assert_int_equal(live_thin(y, 5, 5, out), 5);
  assert_memory_equal(y, out, sizeof y);
  assert_int_equal(live_thin_times(y, 5, 1000, out), 5);
  assert_memory_equal(y, out, sizeof y);
  assert_int_equal(live_thin(y, 0, 5, out), 0);
}

// A peak of one sample among many stays, wherever it is, and at its place.
static void no_peak_is_lost(void **state) {
  (void)state;
  enum { MANY = 12345 };
  static double y[MANY], t[MANY], thin[LIVE_POINTS], at[LIVE_POINTS];
  for (int i = 0; i < MANY; i++) t[i] = 0.1 * i;
  for (int peak = 7; peak < MANY; peak += 997) {
    memset(y, 0, sizeof y);
    y[peak] = 1, y[MANY - 1 - peak] -= 2;
    int n = live_thin(y, MANY, LIVE_POINTS, thin);
    assert_true(n <= LIVE_POINTS);
    assert_int_equal(live_thin_times(t, MANY, LIVE_POINTS, at), n);
    int highest = 0, lowest = 0;
    for (int i = 0; i < n; i++) {
      if (thin[i] > thin[highest]) highest = i;
      if (thin[i] < thin[lowest]) lowest = i;
      if (i) assert_true(at[i] > at[i - 1]);
    }
    double width = t[MANY - 1] / (LIVE_POINTS / 2) + 0.2;
    assert_close(at[highest], t[peak], width);
    assert_close(at[lowest], t[MANY - 1 - peak], width);
    assert_true(thin[highest] == y[peak] && thin[lowest] == y[MANY - 1 - peak]);
  }
}

static void gaps_stay_gaps(void **state) {
  (void)state;
  enum { MANY = 100 };
  double y[MANY], thin[10];
  for (int i = 0; i < MANY; i++) y[i] = i < 20 ? (double)NAN : i == 50 ? (double)NAN : i;
  assert_int_equal(live_thin(y, MANY, 10, thin), 10);
  assert_true(isnan(thin[0]) && isnan(thin[1]));
  for (int i = 2; i < 10; i++) assert_true(isfinite(thin[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_printed_from_any_of_them),
      cmocka_unit_test(a_long_history_is_kept_evenly),
      cmocka_unit_test(few_points_are_kept_as_they_are),
      cmocka_unit_test(no_peak_is_lost),
      cmocka_unit_test(gaps_stay_gaps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
