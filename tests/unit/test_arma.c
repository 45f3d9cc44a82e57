#include "num/arma.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/patience.h"
#include "num/random.h"
#include "test.h"

enum { N = 60, P = 3, LONG = 400 };

// ---------------------------------------------------------------- dense matrices

// By the weights of w in r: 1, phi + theta, (phi + theta) phi, ...
static double covariance_by_weights(Arma a, int lag) {
  double sum = lag ? a.phi + a.theta : 1, weight = a.phi + a.theta;
  if (lag) sum *= pow(a.phi, lag - 1);
  for (int k = 1; k < 4000; k++) {
    sum += weight * weight * pow(a.phi, lag);
    weight *= a.phi;
  }
  return sum;
}

static const Arma SOME[] = {{0.7, 0}, {0.9, -0.6}, {-0.5, 0.3}, {0, 0.8}, {0.95, -0.9}, {0, 0}};

static void correlations_are_those_of_the_weights(void **state) {
  (void)state;
  for (int i = 0; i < 6; i++) {
    assert_close_relative(arma_variance(SOME[i]), covariance_by_weights(SOME[i], 0), 1e-10);
    for (int lag = 0; lag < 5; lag++)
      assert_close(arma_correlation(SOME[i], lag),
                   covariance_by_weights(SOME[i], lag) / covariance_by_weights(SOME[i], 0), 1e-10);
  }
}

static void the_time_is_the_sum_of_positive_correlations(void **state) {
  (void)state;
  assert_close(arma_time((Arma){0, 0}, 100), 1, 0);
  assert_close(arma_time((Arma){0.5, 0}, 1000), 3, 1e-7);
  assert_close(arma_time((Arma){0.5, 0}, 2), 2, 1e-12); // two samples have one lag
  assert_close(arma_time((Arma){-0.5, 0}, 1000), 1 + 2 * 0.25 / (1 - 0.25), 1e-7);
}

static double place(const int *step, int i) {
  double at = 0;
  for (int k = 1; k <= i; k++) at += step[k];
  return at;
}

static void sums_over_pairs_equal_the_dense_product(void **state) {
  (void)state;
  double row[N * P], sum[P * P], dense[P * P];
  int step[N];
  Random random;
  random_seed(&random, 3);
  for (int i = 0; i < N * P; i++) row[i] = random_normal(&random);
  for (int i = 0; i < N; i++) step[i] = i == 20 ? 4 : i == 40 ? 1000 : 1;
  for (int k = 0; k < 6; k++) {
    for (int i = 0; i < P * P; i++) sum[i] = dense[i] = 1; // sums are added
    arma_sum(SOME[k], N, P, row, step, sum);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        for (int m = 0; m < P * P; m++)
          dense[m] += arma_correlation(SOME[k], (int)fabs(place(step, i) - place(step, j))) *
                      row[i * P + m / P] * row[j * P + m % P];
    for (int m = 0; m < P * P; m++) assert_close(sum[m], dense[m], 1e-10 * N);
  }
}

// The Cholesky factor L of a matrix by rows; the logarithm of its determinant.
static double factorise(double *A, int n) {
  double logs = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = A[i * n + j];
      for (int k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
      A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
      if (i == j) logs += 2 * log(A[i * n + i]);
    }
  return logs;
}

static void solve_forward(const double *L, int n, double *b) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) b[i] -= L[i * n + k] * b[k];
    b[i] /= L[i * n + i];
  }
}

// ln det S + ln det X'S^-1 X + (N - n) ln r'P r, with blocks of S that gaps divide.
static double dense_deviance(const ArmaSeries *s, Arma a) {
  static double S[N * N], X[P + 1][N], A[P * P];
  int block[N] = {0}, n = s->width;
  for (int i = 1; i < N; i++) block[i] = block[i - 1] + (s->step[i] != 1);
  for (int i = 0; i < N * N; i++)
    S[i] = block[i / N] == block[i % N] ? arma_variance(a) * arma_correlation(a, abs(i / N - i % N))
                                        : 0;
  double logs = factorise(S, N), rest = 0;
  for (int k = 0; k <= n; k++) {
    memcpy(X[k], s->column[k], sizeof X[k]);
    solve_forward(S, N, X[k]);
  }
  for (int k = 0; k < n * n; k++) {
    A[k] = 0;
    for (int i = 0; i < N; i++) A[k] += X[k / n][i] * X[k % n][i];
  }
  logs += factorise(A, n);
  double b[P] = {0};
  for (int k = 0; k < n; k++)
    for (int i = 0; i < N; i++) b[k] += X[k][i] * X[n][i];
  solve_forward(A, n, b);
  for (int i = 0; i < N; i++) rest += X[n][i] * X[n][i];
  for (int k = 0; k < n; k++) rest -= b[k] * b[k];
  return logs + (N - n) * log(rest);
}

static void the_deviance_is_that_of_the_dense_matrix(void **state) {
  (void)state;
  double data[P + 1][N], *column[P + 1];
  int step[N];
  Random random;
  random_seed(&random, 4);
  for (int k = 0; k <= P; k++) column[k] = data[k];
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < P; k++) data[k][i] = cos(k * 0.07 * i);
    data[P][i] = random_normal(&random) + sin(0.2 * i);
    step[i] = i == 25 ? 3 : 1;
  }
  for (int width = 0; width <= P; width += P) {
    double *some[P + 1] = {width ? column[0] : column[P], column[1], column[2], column[3]};
    ArmaSeries s = {N, width, some, step};
    for (int i = 0; i < 6; i++)
      assert_close(arma_deviance(&s, SOME[i]), dense_deviance(&s, SOME[i]), 1e-8);
  }
}

// ---------------------------------------------------------------- the best one

typedef struct Record {
  double data[3][LONG], *column[3];
  int step[LONG];
  ArmaSeries series;
} Record;

// r_t = phi r_(t-1) + w_t + theta w_(t-1) on an offset and a slope.
static void make_record(Record *r, int count, Arma a, uint64_t seed) {
  Random random;
  random_seed_stream(&random, 8, seed);
  double last = 0, w = 0;
  for (int i = -300; i < count; i++) {
    double fresh = random_normal(&random);
    last = a.phi * last + fresh + a.theta * w;
    w = fresh;
    if (i < 0) continue;
    r->data[0][i] = 1, r->data[1][i] = i - count / 2., r->data[2][i] = last;
    r->step[i] = 1;
  }
  for (int k = 0; k < 3; k++) r->column[k] = r->data[k];
  r->series = (ArmaSeries){count, 2, r->column, r->step};
}

static void the_numbers_of_simulated_noise_are_found(void **state) {
  (void)state;
  static const Arma TRUE_ONES[] = {{0.5, 0}, {0.9, 0}, {0.95, -0.7}, {0, 0.6}, {-0.6, 0}};
  static Record r;
  for (int k = 0; k < 5; k++) {
    double phi = 0, theta = 0;
    enum { TRIES = 40 };
    for (uint64_t i = 0; i < TRIES; i++) {
      make_record(&r, LONG, TRUE_ONES[k], i);
      Arma found = arma_fit(&r.series, 1);
      phi += found.phi / TRIES, theta += found.theta / TRIES;
    }
    assert_close(phi, TRUE_ONES[k].phi, 0.06);
    assert_close(theta, TRUE_ONES[k].theta, 0.06);
  }
}

// What arma_fit minimises, on a fine grid, where the record has four correlation times. Of alternating noise, whose correlations add up
// to little, it may miss minima where phi and theta nearly cancel.
static double lowest(const ArmaSeries *s) {
  double low = HUGE_VAL;
  for (double x = -0.5; x < 2.35; x += 0.1)
    for (double y = -1.5; y < 1.55; y += 0.1) {
      double phi = fmin(tanh(x), 1 - 4. / s->count);
      low = fmin(low, arma_deviance(s, (Arma){phi, tanh(y)}));
    }
  return low;
}

// White noise stays white unless two numbers are worth it: 4 in the deviance. That keeps most of white records white.
static void noise_is_coloured_where_that_is_worth_two_numbers(void **state) {
  (void)state;
  enum { TRIES = 120, COUNT = 60 };
  static Record r;
  int white = 0;
  double least = HUGE_VAL, most = 0; // gain of the coloured ones, of the white ones
  for (uint64_t i = 0; i < TRIES; i++) {
    make_record(&r, COUNT, (Arma){0, 0}, i);
    Arma a = arma_fit(&r.series, 1);
    double none = arma_deviance(&r.series, (Arma){0, 0});
    bool stays = a.phi == 0 && a.theta == 0;
    white += stays;
    if (stays)
      most = fmax(most, none - lowest(&r.series));
    else
      least = fmin(least, none - arma_deviance(&r.series, a));
  }
  assert_true(white > 0.75 * TRIES && white < TRIES);
  assert_true(least > 4 && least < 4.8);
  assert_true(most < 4.01 && most > 3.2);
}

// A random walk: its level lasts as long as a correlation may.
static void correlation_lasts_for_a_quarter_of_the_record(void **state) {
  (void)state;
  static Record r;
  static const int counts[] = {40, 400};
  for (int k = 0; k < 2; k++) {
    double most = 0;
    for (uint64_t i = 0; i < 20; i++) {
      make_record(&r, counts[k], (Arma){0.9999, 0}, i);
      most = fmax(most, arma_fit(&r.series, 1).phi);
    }
    assert_close(most, 1 - 4. / counts[k], 1e-3);
  }
}

static void records_share_their_correlation(void **state) {
  (void)state;
  enum { PARTS = 20, SHORT = 15 };
  static Record r[PARTS];
  ArmaSeries series[PARTS];
  for (int i = 0; i < PARTS; i++) {
    make_record(&r[i], SHORT, (Arma){0.8, 0}, (uint64_t)i);
    for (int k = 0; k < SHORT; k++) r[i].data[2][k] *= 1 + i; // each with its variance
    series[i] = r[i].series;
  }
  Arma together = arma_fit(series, PARTS);
  assert_close(arma_correlation(together, 1), 0.8, 0.15);
}

static void what_tells_nothing_is_white(void **state) {
  (void)state;
  static Record r;
  make_record(&r, LONG, (Arma){0.9, 0}, 1);
  memcpy(r.data[2], r.data[1], sizeof r.data[2]); // explained by the columns
  Arma a = arma_fit(&r.series, 1);
  r.series.count = 2;
  Arma few = arma_fit(&r.series, 1);
  assert_true(a.phi == 0 && a.theta == 0 && few.phi == 0 && few.theta == 0);
}

static bool count_questions(void *data) {
  ++*(int *)data;
  return false;
}

static double seconds_of_fit(const ArmaSeries *series, int count) {
  clock_t before = clock();
  arma_fit(series, count);
  return (double)(clock() - before) / CLOCKS_PER_SEC;
}

// A long record asks whether it goes on, and ends at the first no: in less than a tenth of the time that it takes.
static void a_no_ends_it_at_once(void **state) {
  (void)state;
  static Record r;
  make_record(&r, LONG, (Arma){0.9, 0}, 1);
  enum { COPIES = 4000, FEW = 40 }; // as long as a record of a million samples
  ArmaSeries *series = calloc(COPIES, sizeof *series);
  for (int i = 0; i < COPIES; i++) series[i] = r.series;
  double all = seconds_of_fit(series, FEW) * COPIES / FEW;
  int questions = 0;
  Patience p = {.goes_on = count_questions, .data = &questions};
  patience_begin(&p);
  double ended = seconds_of_fit(series, COPIES);
  patience_end(&p);
  free(series);
  assert_true(questions > 0);
  assert_true(ended < 0.1 * all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(correlations_are_those_of_the_weights),
      cmocka_unit_test(the_time_is_the_sum_of_positive_correlations),
      cmocka_unit_test(sums_over_pairs_equal_the_dense_product),
      cmocka_unit_test(the_deviance_is_that_of_the_dense_matrix),
      cmocka_unit_test(the_numbers_of_simulated_noise_are_found),
      cmocka_unit_test(noise_is_coloured_where_that_is_worth_two_numbers),
      cmocka_unit_test(correlation_lasts_for_a_quarter_of_the_record),
      cmocka_unit_test(records_share_their_correlation),
      cmocka_unit_test(what_tells_nothing_is_white),
      cmocka_unit_test(a_no_ends_it_at_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
