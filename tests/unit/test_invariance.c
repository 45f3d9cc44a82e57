#include "stats/invariance.h"

#include <string.h>

#include "num/qr.h"
#include "test.h"
#include "threshold.h"

enum { ROWS = 60, MOST = 8 };

// A model in closed form; slopes by central differences.
typedef double Curve(double t, const double *x);
typedef struct Setup {
  InvarianceModel m;
  Curve *curve;
  const double *base;
  int left, triangles, changes; // what may be simulated, what was
} Setup;

static bool triangle_at(void *self, const double *x, double *R) {
  Setup *s = self;
  s->triangles++;
  Arena *a = arena_new();
  int n = s->m.n;
  QrSum *sum = qr_sum_new(a, n);
  double row[MOST + 1], *column[MOST + 1], near[MOST];
  for (int k = 0; k <= n; k++) column[k] = &row[k];
  for (int i = 0; i < ROWS; i++) {
    double t = 0.05 * (i + 1);
    for (int k = 0; k < n; k++) {
      double h = 1e-4 * (x[k] != 0 ? fabs(x[k]) : 1), slope[2];
      for (int order = 0; order < 2; order++) { // Richardson
        memcpy(near, x, (size_t)n * sizeof *near);
        double step = order ? h / 2 : h;
        near[k] = x[k] + step;
        slope[order] = s->curve(t, near);
        near[k] = x[k] - step;
        slope[order] = (slope[order] - s->curve(t, near)) / (2 * step);
      }
      row[k] = (4 * slope[1] - slope[0]) / 3;
    }
    row[n] = 0;
    qr_sum_add(sum, column, 1);
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) R[i * n + k] = sum->R[i * (n + 1) + k];
  arena_free(a);
  return true;
}

static double change_at(void *self, const double *x) {
  Setup *s = self;
  s->changes++;
  double sum = 0, data = 0;
  for (int i = 0; i < ROWS; i++) {
    double t = 0.05 * (i + 1), y = s->curve(t, s->base), d = s->curve(t, x) - y;
    sum += d * d, data += y * y;
  }
  return sqrt(sum / data);
}

static const bool nothing[MOST];
static const int in_order[MOST] = {0, 1, 2, 3, 4, 5, 6, 7};
static const double none[MOST] = {-1e30, -1e30, -1e30, -1e30, -1e30, -1e30, -1e30, -1e30};
static const double all[MOST] = {1e30, 1e30, 1e30, 1e30, 1e30, 1e30, 1e30, 1e30};

static Setup setup(Curve *curve, const char *const *name, const double *x, int n) {
  return (Setup){{.triangle = triangle_at,
                  .change = change_at,
                  .n = n,
                  .name = name,
                  .order = in_order,
                  .x = x,
                  .lower = none,
                  .upper = all,
                  .inactive = nothing,
                  .most = n,
                  .accuracy = 1e-9},
                 curve,
                 x,
                 .left = 1000};
}

static int directions_in(Setup *s, Arena *a, StatDirection **out) {
  double R[MOST * MOST];
  s->m.self = s;
  s->m.left = &s->left;
  triangle_at(s, s->m.x, R);
  s->triangles = 0;
  return invariance_directions(a, &s->m, R, out);
}

static int directions_with(Arena *a, Curve *curve, const char *const *name, const double *x, int n,
                           double accuracy, StatDirection **out) {
  Setup s = setup(curve, name, x, n);
  s.m.accuracy = accuracy;
  return directions_in(&s, a, out);
}

static int directions_of(Arena *a, Curve *curve, const char *const *name, const double *x, int n,
                         StatDirection **out) {
  return directions_with(a, curve, name, x, n, 1e-9, out);
}

static double damper(double t, const double *x) { // c, alpha, beta, gamma, A, n
  double s = x[1];
  return x[0] * sin(3 * t) + s * x[4] * t + x[2] * pow(s, 1 - x[5]) * cos(2 * t) * pow(t, x[5]) +
         x[3] * pow(s, 1 - x[5]) * sin(5 * t);
}

static void powers_that_depend_on_a_number_are_named(void **state) {
  (void)state;
  Arena *a = arena_new();
  const char *const name[] = {"c", "alpha", "beta", "gamma", "A", "n"};
  const double x[] = {2, 3, 0.7, 1.5, 1.2, 2};
  StatDirection *d;
  assert_int_equal(directions_of(a, damper, name, x, 6, &d), 1);
  assert_int_equal(d->combination_count, 3);
  assert_string_equal(d->combinations[0].text, "alpha*A");
  assert_string_equal(d->combinations[1].text, "beta*alpha^(1-n)");
  assert_string_equal(d->combinations[2].text, "gamma*alpha^(1-n)");
  assert_close(d->combinations[0].value, 3.6, 1e-15);
  assert_close(d->combinations[1].exponent[1], -1, 1e-15);
  assert_true(d->structural && d->confirmed && d->confirmed_change < 1e-12);
  assert_close(d->vector[0], 0, 0);
  assert_close(d->vector[1], -d->vector[4], 1e-7);
  assert_non_null(strstr(d->text, "Only alpha*A, beta*alpha^(1-n) and gamma*alpha^(1-n) matter."));
  arena_free(a);
}

static double springs(double t, const double *x) { // k1, k2, b, k3
  return (x[0] + x[1]) * sin(t) + x[2] * cos(2 * t) + x[3] * t * (x[0] + x[1]);
}

static void sums_are_named(void **state) {
  (void)state;
  Arena *a = arena_new();
  const char *const name[] = {"k1", "k2", "b", "k3"};
  const double x[] = {300, 2, 0.7, 5};
  StatDirection *d;
  assert_int_equal(directions_of(a, springs, name, x, 4, &d), 1);
  assert_int_equal(d->combination_count, 1);
  assert_string_equal(d->combinations[0].text, "k1 + k2");
  assert_true(d->combinations[0].sum && d->structural);
  assert_close(d->combinations[0].value, 302, 0);
  assert_close(d->combinations[0].exponent[1], 1, 0);
  arena_free(a);
}

static double pairs(double t, const double *x) { // a, c, b, d
  return x[0] * x[2] * sin(t) + (x[1] - x[3]) * cos(3 * t);
}

static void independent_directions_come_apart(void **state) {
  (void)state;
  Arena *a = arena_new();
  const char *const name[] = {"a", "c", "b", "d"};
  const double x[] = {2, 3, -4, 5};
  StatDirection *d;
  assert_int_equal(directions_of(a, pairs, name, x, 4, &d), 2);
  const char *first = d[0].combinations[0].text, *second = d[1].combinations[0].text;
  assert_true(d[0].combination_count == 1 && d[1].combination_count == 1);
  bool product_first = strcmp(first, "a*b") == 0;
  assert_string_equal(product_first ? first : second, "a*b");
  assert_string_equal(product_first ? second : first, "c - d");
  assert_close(d[product_first ? 0 : 1].combinations[0].value, -8, 0);
  assert_true(d[0].structural && d[1].structural);
  arena_free(a);
}

static double triple(double t, const double *x) { // a, b, c
  return x[0] * x[0] * x[1] / x[2] * sin(t);
}

static void several_directions_share_a_combination(void **state) {
  (void)state;
  Arena *a = arena_new();
  const char *const name[] = {"a", "b", "c"};
  const double x[] = {2, 3, 4};
  StatDirection *d;
  assert_int_equal(directions_of(a, triple, name, x, 3, &d), 2);
  for (int i = 0; i < 2; i++) {
    assert_true(d[i].structural);
    assert_int_equal(d[i].combination_count, 1);
    assert_string_equal(d[i].combinations[0].text, d[0].combinations[0].text);
  }
  assert_true(strcmp(d[0].combinations[0].text, "b*a^2/c") == 0 ||
              strcmp(d[0].combinations[0].text, "c/a^2/b") == 0);
  arena_free(a);
}

static double mixed(double t, const double *x) { // k1, k2, m
  return (x[0] + x[1] * x[1]) * x[2] * sin(t) + x[2] * x[2] * cos(t);
}

// Neither a product of powers nor a sum: the ratio is told, and the way along it is followed.
static void other_directions_are_told_by_their_ratio(void **state) {
  (void)state;
  Arena *a = arena_new();
  const char *const name[] = {"k1", "k2", "m"};
  const double x[] = {1, 3, 4};
  StatDirection *d;
  assert_int_equal(directions_of(a, mixed, name, x, 3, &d), 1);
  assert_int_equal(d->combination_count, 0);
  assert_true(d->confirmed);
  assert_close(d->vector[0] / d->vector[1], -18, 1e-5);
  assert_close(d->vector[2], 0, 0);
  assert_non_null(strstr(d->text, "k1 by "));
  arena_free(a);
}

// a and b are the same only at this point (the cosine has its top there): a simulation farther away sees it.
static double local(double t, const double *x) {
  return (x[0] + x[1]) * sin(t) + pow(x[0] - 1, 3) * cos(4 * t) + 0.1 * t;
}

static void what_is_unseen_only_here_is_not_confirmed(void **state) {
  (void)state;
  Arena *a = arena_new();
  const char *const name[] = {"a", "b"};
  const double x[] = {1, 2};
  StatDirection *d;
  assert_int_equal(directions_of(a, local, name, x, 2, &d), 1);
  assert_false(d->confirmed || d->structural);
  assert_true(d->confirmed_change > 1e-4);
  arena_free(a);
}

static double plain(double t, const double *x) {
  return x[0] * sin(t) + x[1] * 1e-12 * cos(t) + x[2];
}

static void weak_numbers_are_not_unseen(void **state) {
  (void)state;
  Arena *a = arena_new();
  const char *const name[] = {"a", "b", "c"};
  const double x[] = {1e-3, 1e6, 1e-5};
  StatDirection *d;
  assert_int_equal(directions_of(a, plain, name, x, 3, &d), 0);
  arena_free(a);
}

// As of chaotic motion: nothing can be told, but every direction has numbers that take part.
static void slopes_without_accuracy_do_no_harm(void **state) {
  (void)state;
  static const double ACCURACY[] = {1e-4, 3e-3, 1e-2, 1};
  const char *const name[] = {"k1", "k2", "b", "k3"};
  const double x[] = {300, 2, 0.7, 5};
  for (int i = 0; i < 4; i++) {
    Arena *a = arena_new();
    StatDirection *d;
    int count = directions_with(a, springs, name, x, 4, ACCURACY[i], &d);
    assert_true(count >= 1 && count <= 4);
    for (int k = 0; k < count; k++) {
      double most = 0;
      for (int j = 0; j < 4; j++) most = fmax(most, fabs(d[k].vector[j]));
      assert_true(most > 0.1 && isfinite(most));
      assert_non_null(d[k].text);
    }
    arena_free(a);
  }
}

// ---------------------------------------------------------------- budget

static double three_pairs(double t, const double *x) { // three products of two
  return x[0] * x[1] * sin(3 * t) + x[2] * x[3] * cos(2 * t) + x[4] * x[5] * t;
}
static const char *const PAIRS[] = {"a", "b", "c", "d", "e", "f"};
static const double PAIRS_AT[] = {2, 3, 0.5, 4, 1.5, 0.2};

static void one_other_point_serves_all_directions(void **state) {
  (void)state;
  Arena *a = arena_new();
  StatDirection *d;
  Setup s = setup(three_pairs, PAIRS, PAIRS_AT, 6);
  assert_int_equal(directions_in(&s, a, &d), 3);
  for (int i = 0; i < 3; i++) assert_true(d[i].confirmed);
  assert_int_equal(s.triangles, 1);
  assert_int_equal(s.changes, 6); // along the direction, and the reference alone
  arena_free(a);
}

static void without_simulations_claims_are_weaker(void **state) {
  (void)state;
  for (int left = 0; left <= 7; left++) {
    Arena *a = arena_new();
    StatDirection *d;
    Setup s = setup(three_pairs, PAIRS, PAIRS_AT, 6);
    s.left = left;
    int confirmed = 0;
    assert_int_equal(directions_in(&s, a, &d), 3);
    assert_true(s.triangles + s.changes <= left);
    for (int i = 0; i < 3; i++) {
      bool cut = strstr(d[i].text, "No simulation was spent on confirming it");
      assert_int_equal(cut, !d[i].confirmed);
      assert_int_equal(cut, strncmp(d[i].text, "Near this point", 15) == 0);
      assert_int_equal(d[i].confirmed, d[i].structural);
      confirmed += d[i].confirmed;
    }
    assert_int_equal(confirmed, left > 2 ? (left - 1) / 2 : 0);
    arena_free(a);
  }
}

static void no_more_directions_than_asked_for(void **state) {
  (void)state;
  Arena *a = arena_new();
  StatDirection *d;
  for (int most = 0; most <= 4; most++) {
    Setup s = setup(three_pairs, PAIRS, PAIRS_AT, 6);
    s.m.most = most;
    assert_int_equal(directions_in(&s, a, &d), most < 3 ? most : 3);
  }
  arena_free(a);
}

static double change_of_1_percent(void *self, const double *x) {
  (void)self, (void)x;
  return 0.01;
}

static bool errors_are_smaller(void *data, double blur) {
  (void)data;
  Arena *a = arena_new();
  StatDirection *d;
  Setup s = setup(three_pairs, PAIRS, PAIRS_AT, 6);
  s.m.change = change_of_1_percent;
  s.m.blur = blur;
  directions_in(&s, a, &d);
  bool smaller = strstr(d[0].text, "A simulation farther away does see it");
  assert_int_equal(smaller, !strstr(d[0].text, "as the motion magnifies its errors"));
  assert_false(d[0].confirmed);
  arena_free(a);
  return smaller;
}

static void magnified_errors_say_nothing_against_a_direction(void **state) {
  (void)state;
  assert_threshold(errors_are_smaller, NULL, 0.01);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(powers_that_depend_on_a_number_are_named),
      cmocka_unit_test(sums_are_named),
      cmocka_unit_test(slopes_without_accuracy_do_no_harm),
      cmocka_unit_test(one_other_point_serves_all_directions),
      cmocka_unit_test(without_simulations_claims_are_weaker),
      cmocka_unit_test(no_more_directions_than_asked_for),
      cmocka_unit_test(magnified_errors_say_nothing_against_a_direction),
      cmocka_unit_test(independent_directions_come_apart),
      cmocka_unit_test(several_directions_share_a_combination),
      cmocka_unit_test(other_directions_are_told_by_their_ratio),
      cmocka_unit_test(what_is_unseen_only_here_is_not_confirmed),
      cmocka_unit_test(weak_numbers_are_not_unseen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
