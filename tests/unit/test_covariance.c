#include "stats/covariance.h"

#include <string.h>

#include "num/distribution.h"
#include "num/random.h"
#include "test.h"

enum { P = 3, MOST = 400 };

// y = 1 + 2 u - 0.5 sin(3 u) + noise, fitted by the given weights.
typedef struct Line {
  int count;
  double column[P + 1][MOST], factor[MOST];
} Line;

typedef enum NoiseKind { EVEN, IN_PROPORTION, GROWING } NoiseKind;
static const double truth[P] = {1, 2, -0.5};

static void make_line(Line *line, int count, NoiseKind kind, Random *random) {
  line->count = count;
  for (int i = 0; i < count; i++) {
    double u = 6. * i / count, y = 0;
    line->column[0][i] = 1;
    line->column[1][i] = u;
    line->column[2][i] = sin(3 * u);
    for (int k = 0; k < P; k++) y += truth[k] * line->column[k][i];
    double size = kind == EVEN ? 0.3 : kind == IN_PROPORTION ? 0.05 * fabs(y) : 0.02 * (1 + u * u);
    line->column[P][i] = -(y + size * random_normal(random)); // model - data at 0
    line->factor[i] = 1;
  }
}

static RowSet rows_of(const Line *line, double *column[P + 1]) {
  for (int k = 0; k <= P; k++) column[k] = (double *)line->column[k];
  return (RowSet){P, line->count, column, line->factor, NULL, NULL};
}

// The estimate by the projection itself; residuals become those at the estimate.
static void solve(const Projection *p, Line *line, double *x) {
  memset(x, 0, P * sizeof *x);
  for (int i = 0; i < line->count; i++)
    for (int k = 0; k < P; k++)
      for (int r = 0; r < p->rank; r++)
        x[k] -=
            p->G[k * p->rank + r] * p->q[i * p->rank + r] * line->factor[i] * line->column[P][i];
  for (int i = 0; i < line->count; i++)
    for (int k = 0; k < P; k++) line->column[P][i] += line->column[k][i] * x[k];
}

// Share of intervals that hold the truth, over all unknowns and trials.
static double coverage(int count, NoiseKind kind, int trials) {
  static Line line;
  int held = 0;
  double t = student_quantile(0.975, count - P);
  for (int k = 0; k < trials; k++) {
    Arena *a = arena_new();
    Random random;
    random_seed_stream(&random, 7, (uint64_t)k);
    make_line(&line, count, kind, &random);
    double *column[P + 1], x[P], variance[MOST], covariance[P * P];
    RowSet rows = rows_of(&line, column);
    Projection *p = projection_new(a, &rows, 1e-10);
    solve(p, &line, x);
    projection_residual_variance(p, line.column[P], variance);
    projection_covariance(p, variance, covariance);
    for (int i = 0; i < P; i++) held += fabs(x[i] - truth[i]) <= t * sqrt(covariance[i * P + i]);
    arena_free(a);
  }
  return held / (double)(P * trials);
}

static void intervals_cover_the_truth_whatever_the_noise(void **state) {
  (void)state;
  const int counts[] = {40, 100, 400};
  for (int kind = EVEN; kind <= GROWING; kind++)
    for (int c = 0; c < 3; c++)
      assert_close(coverage(counts[c], (NoiseKind)kind, 1000), 0.95, 0.015);
}

// With rows divided by their noise the covariance is the inverse of the product of the rows.
static void known_noise_gives_the_inverse_of_the_information(void **state) {
  (void)state;
  static Line line;
  Arena *a = arena_new();
  Random random;
  random_seed(&random, 1);
  make_line(&line, 50, EVEN, &random);
  double *column[P + 1], one[MOST], covariance[P * P];
  RowSet rows = rows_of(&line, column);
  for (int i = 0; i < 50; i++) one[i] = 1, line.factor[i] = 1 + 0.1 * i;
  Projection *p = projection_new(a, &rows, 1e-10);
  projection_covariance(p, one, covariance);
  for (int i = 0; i < P; i++)
    for (int j = 0; j < P; j++) {
      double sum = 0;
      for (int k = 0; k < P; k++)
        for (int m = 0; m < 50; m++)
          sum +=
              line.factor[m] * line.factor[m] * column[i][m] * column[k][m] * covariance[k * P + j];
      assert_close(sum, i == j, 1e-11);
    }
  double leverage = 0;
  for (int i = 0; i < 50; i++) leverage += p->leverage[i];
  assert_close(leverage, P, 1e-12);
  arena_free(a);
}

static void units_of_numbers_do_not_matter(void **state) {
  (void)state;
  static Line line;
  Arena *a = arena_new();
  Random random;
  random_seed(&random, 1);
  make_line(&line, 50, EVEN, &random);
  double *column[P + 1], one[MOST], covariance[P * P], scaled[P * P];
  RowSet rows = rows_of(&line, column);
  for (int i = 0; i < 50; i++) one[i] = 1;
  projection_covariance(projection_new(a, &rows, 1e-10), one, covariance);
  for (int i = 0; i < 50; i++) line.column[1][i] *= 1e-20;
  projection_covariance(projection_new(a, &rows, 1e-10), one, scaled);
  assert_close_relative(scaled[0], covariance[0], 1e-12);
  assert_close_relative(scaled[4], covariance[4] * 1e40, 1e-12);
  arena_free(a);
}

// What is held counts as known; what cannot be told apart has no covariance, and does not spoil that of the others.
static void lost_numbers_do_not_spoil_the_others(void **state) {
  (void)state;
  static Line line;
  Arena *a = arena_new();
  Random random;
  random_seed(&random, 1);
  make_line(&line, 50, EVEN, &random);
  double *column[P + 1], one[MOST], two[P * P], all[P * P];
  RowSet rows = rows_of(&line, column);
  for (int i = 0; i < 50; i++) one[i] = 1;
  bool held[P] = {false, true, false};
  rows.held = held;
  projection_covariance(projection_new(a, &rows, 1e-10), one, two);
  assert_true(isnan(two[4]) && isnan(two[1]) && two[0] > 0);
  for (int i = 0; i < 50; i++) line.column[1][i] = 0;
  rows.held = NULL;
  Projection *p = projection_new(a, &rows, 1e-10);
  projection_covariance(p, one, all);
  assert_int_equal(p->rank, 2);
  assert_true(p->lost[1] && !p->lost[0] && !p->lost[2]);
  assert_close_relative(all[0], two[0], 1e-12);
  for (int i = 0; i < 50; i++) line.column[1][i] = -3 * line.column[0][i];
  p = projection_new(a, &rows, 1e-10);
  projection_covariance(p, one, all);
  assert_true(p->lost[0] && p->lost[1] && !p->lost[2]);
  assert_close_relative(all[8], two[8], 1e-10);
  arena_free(a);
}

// Moving the held number moves the minimum of the others as said.
static void the_others_follow_a_held_number(void **state) {
  (void)state;
  static Line line;
  Arena *a = arena_new();
  Random random;
  random_seed(&random, 3);
  make_line(&line, 50, EVEN, &random);
  double *column[P + 1], here[P], there[P], shift[P];
  bool held[P] = {false, true, false}, ignored[MOST] = {false};
  RowSet rows = rows_of(&line, column);
  rows.held = held, rows.ignored = ignored;
  for (int i = 0; i < 50; i++) line.factor[i] = 1 + 0.1 * i;
  Projection *p = projection_new(a, &rows, 1e-10);
  solve(p, &line, here);
  for (int i = 0; i < 50; i++) line.column[P][i] += 0.3 * line.column[1][i];
  solve(p, &line, there);
  projection_follow(p, &rows, 1, shift);
  assert_close(shift[0], there[0] / 0.3, 1e-11); // from the minimum that the first has found
  assert_close(shift[2], there[2] / 0.3, 1e-11);
  assert_true(shift[1] == 0 && fabs(shift[0]) > 0.1);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intervals_cover_the_truth_whatever_the_noise),
      cmocka_unit_test(known_noise_gives_the_inverse_of_the_information),
      cmocka_unit_test(units_of_numbers_do_not_matter),
      cmocka_unit_test(lost_numbers_do_not_spoil_the_others),
      cmocka_unit_test(the_others_follow_a_held_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
