#include <string.h>

#include "draw/figure.h"
#include "num/random.h"
#include "test.h"

typedef struct Curve {
  int count;
  double *x, *y;
} Curve;

// A random walk with peaks; gaps: the share of missing values.
static Curve random_curve(Arena *a, Random *r, int count, double gaps) {
  Curve c = {count, ARENA_ARRAY(a, double, count + 1), ARENA_ARRAY(a, double, count + 1)};
  double t = 0, y = 0;
  for (int i = 0; i < count; i++) {
    c.x[i] = t += random_uniform(r);
    y += random_normal(r);
    c.y[i] = random_uniform(r) < 0.001 ? 100 * y : y;
    if (random_uniform(r) < gaps) c.y[i] = random_uniform(r) < 0.5 ? nan("") : HUGE_VAL;
  }
  return c;
}

static const FigureSeries *kept(Arena *a, const Curve *c) {
  Figure *f = figure_new(a, 100, 100, "curve");
  figure_plot(f, &(FigurePlot){.x_label = "t", .y_label = "y"});
  figure_series(f, &(FigureSeries){.name = "curve", .x = c->x, .y = c->y, .count = c->count});
  assert_int_equal(f->plots.count, 1);
  assert_int_equal(f->plots.at[0].series.count, 1);
  return &f->plots.at[0].series.at[0];
}

// All points that are kept are points of the curve, in its order; returns the number of each.
static int *numbers_of(Arena *a, const Curve *c, const FigureSeries *s) {
  int *at = ARENA_ARRAY(a, int, s->count + 1), i = 0;
  for (int k = 0; k < s->count; k++) {
    while (i < c->count && c->x[i] != s->x[k]) i++; // places grow
    assert_true(i < c->count);
    assert_memory_equal(&c->y[i], &s->y[k], sizeof(double));
    at[k] = i++;
  }
  return at;
}

static void short_curves_stay_as_they_are(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 4);
  static const int COUNTS[] = {0, 1, 2, 3, 77, FIGURE_POINTS - 1, FIGURE_POINTS};
  for (size_t n = 0; n < sizeof COUNTS / sizeof *COUNTS; n++) {
    Arena *a = arena_new();
    Curve c = random_curve(a, &r, COUNTS[n], 0.1);
    const FigureSeries *s = kept(a, &c);
    assert_int_equal(s->count, c.count);
    if (c.count) assert_memory_equal(s->x, c.x, (size_t)c.count * sizeof(double));
    if (c.count) assert_memory_equal(s->y, c.y, (size_t)c.count * sizeof(double));
    arena_free(a);
  }
}

// Of every part the least value, the greatest and a gap.
static void assert_peaks_are_kept(const Curve *c, const FigureSeries *s, const int *at, int parts) {
  int k = 0;
  for (int part = 0; part < parts; part++) {
    int first = (int)((long)c->count * part / parts),
        last = (int)((long)c->count * (part + 1) / parts);
    double least = HUGE_VAL, greatest = -HUGE_VAL, low = HUGE_VAL, high = -HUGE_VAL;
    bool gap = false, gap_kept = false;
    for (int i = first; i < last; i++) {
      if (!isfinite(c->y[i])) gap = true;
      if (isfinite(c->y[i])) least = fmin(least, c->y[i]), greatest = fmax(greatest, c->y[i]);
    }
    for (; k < s->count && at[k] < last; k++) {
      if (!isfinite(s->y[k])) gap_kept = true;
      if (isfinite(s->y[k])) low = fmin(low, s->y[k]), high = fmax(high, s->y[k]);
    }
    assert_true(low == least && high == greatest && gap == gap_kept);
  }
  assert_int_equal(k, s->count);
}

static void long_curves_keep_their_peaks_and_gaps(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 5);
  static const double GAPS[] = {0, 0.0005, 0.3, 0.95, 1};
  for (int n = 0; n < 15; n++) {
    Arena *a = arena_new();
    int count =
        FIGURE_POINTS + 1 + (int)(n % 3 == 0 ? 7 * random_uniform(&r) : 40000 * random_uniform(&r));
    Curve c = random_curve(a, &r, count, GAPS[n % 5]);
    const FigureSeries *s = kept(a, &c);
    assert_true(s->count > 0 && s->count <= FIGURE_POINTS);
    const int *at = numbers_of(a, &c, s);
    int parts = FIGURE_POINTS / (GAPS[n % 5] > 0 ? 3 : 2);
    // the whole length is there: a curve whose parts have all three kinds of points must not end early
    assert_true(at[0] <= count / parts + 1);
    assert_true(at[s->count - 1] >= count - 2 - count / parts);
    assert_peaks_are_kept(&c, s, at, parts);
    arena_free(a);
  }
}

static void names_and_numbers_are_copied(void **state) {
  (void)state;
  Arena *a = arena_new();
  char name[] = "model", x_label[] = "time", y_label[] = "x";
  double x[] = {1, 2}, y[] = {3, 4};
  Figure *f = figure_new(a, 100, 100, "copies");
  for (int i = 0; i < 2; i++) {
    figure_plot(
        f, &(FigurePlot){.x_label = x_label, .y_label = y_label, .y_log = true, .below = i == 1});
    for (int k = 0; k <= i; k++)
      figure_series(f, &(FigureSeries){name, 0x123456, DASH_DOTTED, true, x, y, 2});
  }
  name[0] = x_label[0] = y_label[0] = '?', x[0] = y[0] = 9;
  for (int i = 0; i < 2; i++) {
    const FigurePlot *p = &f->plots.at[i];
    assert_string_equal(p->x_label, "time");
    assert_string_equal(p->y_label, "x");
    assert_true(p->y_log && !p->x_log && p->below == (i == 1));
    assert_int_equal(p->series.count, i + 1);
    const FigureSeries *s = &p->series.at[i];
    assert_string_equal(s->name, "model");
    assert_true(s->ink == 0x123456 && s->dash == DASH_DOTTED && s->dots);
    assert_true(s->x[0] == 1 && s->y[0] == 3 && s->x[1] == 2 && s->y[1] == 4);
  }
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(short_curves_stay_as_they_are),
      cmocka_unit_test(long_curves_keep_their_peaks_and_gaps),
      cmocka_unit_test(names_and_numbers_are_copied),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
