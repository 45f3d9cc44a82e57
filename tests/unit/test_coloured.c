// Standard errors where residuals are correlated: y = a + b*x, x = exp(-t/20), linear in a and b.
#include "stats/coloured.h"

#include "assessed.h"
#include "made_problem.h"
#include "num/coloured_noise.h"
#include "num/distribution.h"
#include "num/random.h"
#include "threshold.h"

enum { MOST = 240 };
static const char MODEL[] = "model Decay\n"
                            "  parameter Real a = 2;\n"
                            "  parameter Real b = 1;\n"
                            "  Real x(start = 1, fixed = true);\n"
                            "equation\n"
                            "  der(x) = -0.05*x;\n"
                            "end Decay;\n";
static const double A = 2, B = 1;

typedef struct Line {
  Made made;
  int count[2], experiments;
  double t[2][MOST];
} Line;

static void write_data(const Line *l, int e) {
  char data[12000] = "t,y\n", name[20];
  for (int i = 0; i < l->count[e]; i++)
    sprintf(data + strlen(data), "%.10g,%d\n", l->t[e][i], i % 3);
  snprintf(name, sizeof name, "data%d.csv", e);
  made_file(&l->made, name, data);
}

// Counts and times are set. sigma: ", sigma: 0.1" or "".
static void open_line(Line *l, const char *sigma) {
  char yaml[600];
  made_open(&l->made);
  made_file(&l->made, "decay.mo", MODEL);
  strcpy(yaml, "model: decay.mo\nexperiments:\n");
  for (int e = 0; e < l->experiments; e++) {
    write_data(l, e);
    sprintf(yaml + strlen(yaml),
            "  - data: data%d.csv\n    measure: {a + b*x: {column: y%s}}\n    start: 0\n", e,
            sigma);
  }
  strcat(yaml, "estimate: {a: 2, b: 1}\n");
  made_load(&l->made, yaml);
}

static Line even_line(int count) {
  Line l = {.experiments = 1, .count = {count}};
  for (int i = 0; i < count; i++) l.t[0][i] = 0.5 * i;
  return l;
}

static double *samples_of(const Line *l, int e) {
  return (double *)(uintptr_t)l->made.problem->experiments[e].channels[0].y;
}

static double column_b(const Line *l, int e, int i) {
  return exp(-0.05 * l->t[e][i]);
}

static void make_data(const Line *l, double correlation, double share, double noise,
                      uint64_t trial) {
  Random random;
  random_seed_stream(&random, 17, trial);
  for (int e = 0; e < l->experiments; e++) {
    NoiseSource source = noise_source(correlation, share);
    for (int i = 0; i < l->count[e]; i++)
      samples_of(l, e)[i] = A + B * column_b(l, e, i) + noise * noise_next(&source, &random);
  }
}

// The minimum, and what white noise of variance 1 would give as standard errors.
static void solve(const Line *l, double x[2], double error[2]) {
  double n = 0, b = 0, bb = 0, y = 0, by = 0;
  for (int e = 0; e < l->experiments; e++)
    for (int i = 0; i < l->count[e]; i++) {
      double c = column_b(l, e, i), s = samples_of(l, e)[i];
      n += 1, b += c, bb += c * c, y += s, by += c * s;
    }
  double d = n * bb - b * b;
  x[0] = (bb * y - b * by) / d, x[1] = (n * by - b * y) / d;
  error[0] = sqrt(bb / d), error[1] = sqrt(n / d);
}

static Statistics *analyse(const Line *l, double x[2], double error[2]) {
  FitResult r = {.x = x};
  solve(l, x, error);
  Evaluation *o = evaluation_new(l->made.problem);
  Statistics *s = statistics_of(o, &r);
  evaluation_free(o);
  return s;
}

// Share of intervals that hold the truth: as they are, and as they would be if residuals were taken to be white.
static void coverage(const Line *l, double correlation, double share, double *ours, double *white) {
  enum { TRIALS = 300 };
  *ours = *white = 0;
  for (uint64_t trial = 0; trial < TRIALS; trial++) {
    double x[2], error[2];
    make_data(l, correlation, share, 0.1, trial);
    Statistics *s = analyse(l, x, error);
    double half = student_quantile(0.975, l->count[0] - 2) * sqrt(s->variance) * error[1];
    *ours += (s->parameters[1].ci_low <= B && B <= s->parameters[1].ci_high) / (double)TRIALS;
    *white += (fabs(x[1] - B) <= half) / (double)TRIALS;
    statistics_free(s);
  }
}

static void intervals_hold_the_truth_when_noise_is_correlated(void **state) {
  (void)state;
  Line l = even_line(200);
  double ours, white;
  open_line(&l, "");
  coverage(&l, 0, 1, &ours, &white);
  assert_close(ours, 0.95, 0.03);
  assert_close(white, 0.95, 0.03);
  coverage(&l, 0.5, 1, &ours, &white);
  assert_true(ours > 0.91 && ours < 0.98 && white < 0.85);
  coverage(&l, 0.8, 1, &ours, &white);
  assert_true(ours > 0.90 && ours < 0.98 && white < 0.65);
  coverage(&l, 0.9, 0.5, &ours, &white);
  assert_true(ours > 0.90 && ours < 0.98 && white < 0.75);
  made_close(&l.made);
}

// Most white records keep the errors of the textbook to the last digit; the others scatter.
static void white_noise_gives_the_errors_of_white_noise(void **state) {
  (void)state;
  enum { TRIALS = 200 };
  Line l = even_line(40); // few: one variance for all
  int same = 0, coloured = 0;
  double mean = 0;
  open_line(&l, "");
  for (uint64_t trial = 0; trial < TRIALS; trial++) {
    double x[2], error[2];
    make_data(&l, 0, 1, 0.1, trial);
    Statistics *s = analyse(&l, x, error);
    double ratio = s->parameters[0].std_error / (sqrt(s->variance) * error[0]);
    assert_true(ratio > 1 - 1e-6);
    same += fabs(ratio - 1) < 1e-6;
    coloured += s->parameters[0].interval == INTERVAL_ARMA;
    mean += ratio / TRIALS;
    statistics_free(s);
  }
  assert_true(same > 0.75 * TRIALS && same + coloured == TRIALS);
  assert_close(mean, 1, 0.12);
  made_close(&l.made);
}

// sigma keeps its meaning, the variance of a residual; correlation comes from the residuals, whatever their size.
static void a_given_sigma_stays_the_size_of_the_noise(void **state) {
  (void)state;
  Line l = even_line(200);
  double x[2], error[2], freedom[2], found[2];
  open_line(&l, ", sigma: 0.1");
  make_data(&l, 0, 1, 0.1, 3);
  Statistics *s = analyse(&l, x, error);
  assert_close_relative(s->parameters[1].std_error, 0.1 * error[1], 1e-6);
  assert_true(s->freedom == HUGE_VAL && s->parameters[1].interval == INTERVAL_LINEAR);
  statistics_free(s);
  for (int k = 0; k < 2; k++) {
    make_data(&l, 0.8, 1, k ? 0.3 : 0.1, 3);
    s = analyse(&l, x, error);
    found[k] = s->parameters[1].std_error, freedom[k] = s->freedom;
    assert_int_equal(s->parameters[1].interval, INTERVAL_ARMA);
    statistics_free(s);
  }
  assert_true(found[0] > 0.15 * error[1]);
  assert_close_relative(found[1], found[0], 0.01);
  // Only the excess over white noise is estimated.
  assert_true(freedom[0] > 200 / 9. - 2 && freedom[0] < 198);
  assert_close_relative(freedom[1], freedom[0], 0.05);
  made_close(&l.made);
}

// The matrix has the squares of the standard errors on its diagonal, and no direction has a negative variance.
static void the_matrix_belongs_to_the_errors(void **state) {
  (void)state;
  Line l = even_line(120);
  open_line(&l, "");
  for (uint64_t trial = 0; trial < 60; trial++) {
    double x[2], error[2];
    make_data(&l, trial % 2 ? 0.8 : 0, 1, 0.1, trial);
    Statistics *s = analyse(&l, x, error);
    const double *c = s->covariance;
    for (int k = 0; k < 2; k++)
      assert_close_relative(sqrt(c[3 * k]), s->parameters[k].std_error, 1e-12);
    assert_close_relative(c[1], c[2], 1e-9);
    assert_true(c[0] * c[3] >= c[1] * c[2]);
    statistics_free(s);
  }
  made_close(&l.made);
}

// ---------------------------------------------------------------- sampling

// One record with a long gap tells as much as its two parts as experiments of their own.
static void a_gap_divides_a_record(void **state) {
  (void)state;
  Line whole = {.experiments = 1, .count = {160}}, parts = {.experiments = 2, .count = {80, 80}};
  double x[2], error[2], one[2];
  for (int i = 0; i < 160; i++) whole.t[0][i] = 0.1 * i + (i < 80 ? 0 : 40);
  for (int i = 0; i < 160; i++) parts.t[i / 80][i % 80] = whole.t[0][i];
  open_line(&whole, ", sigma: 0.1");
  open_line(&parts, ", sigma: 0.1");
  make_data(&parts, 0.7, 1, 0.1, 9);
  for (int i = 0; i < 160; i++) samples_of(&whole, 0)[i] = samples_of(&parts, i / 80)[i % 80];
  Statistics *s = analyse(&whole, x, error);
  for (int k = 0; k < 2; k++) one[k] = s->parameters[k].std_error;
  assert_true(one[0] > 0.12 * error[0]);
  assert_false(s->channels[0].uneven);
  statistics_free(s);
  s = analyse(&parts, x, error);
  for (int k = 0; k < 2; k++) assert_close_relative(s->parameters[k].std_error, one[k], 0.02);
  statistics_free(s);
  made_close(&whole.made);
  made_close(&parts.made);
}

static bool is_uneven(Line *l) {
  double x[2], error[2];
  open_line(l, "");
  make_data(l, 0.9, 1, 0.1, 2);
  Statistics *s = analyse(l, x, error);
  bool uneven = s->channels[0].uneven, said = false;
  for (int i = 0; i < s->remark_count; i++)
    said |= strstr(s->remarks[i], "The samples of a + b*x are not evenly spaced") != NULL;
  assert_true(said == uneven);
  statistics_free(s);
  made_close(&l->made);
  return uneven;
}

// So many of 100 steps are half as long again.
static bool is_even_with_odd_steps(void *data, double odd) {
  (void)data;
  Line l = {.experiments = 1, .count = {101}};
  for (int i = 1; i < 101; i++)
    l.t[0][i] = l.t[0][i - 1] + (i % 7 == 3 && i / 7 < odd ? 0.75 : 0.5);
  return !is_uneven(&l);
}

// Every second step is longer by this part.
static bool is_even_with_jitter(void *data, double part) {
  (void)data;
  Line l = {.experiments = 1, .count = {100}};
  for (int i = 1; i < 100; i++) l.t[0][i] = l.t[0][i - 1] + 0.5 * (i % 3 ? 1 : 1 + part);
  return !is_uneven(&l);
}

static void uneven_samples_are_told(void **state) {
  (void)state;
  assert_turns(is_even_with_odd_steps, NULL, 10, 11);
  assert_threshold(is_even_with_jitter, NULL, 0.1);
}

// ---------------------------------------------------------------- few samples

// The residuals of these rows are as correlated as can be.
static Statistics *smooth_residuals(Line *l, int count, double x[2]) {
  double error[2];
  *l = even_line(count);
  open_line(l, "");
  for (int i = 0; i < count; i++)
    samples_of(l, 0)[i] = A + B * column_b(l, 0, i) + 0.1 * sin(0.9 * i);
  return analyse(l, x, error);
}

static bool is_white(void *data, double count) {
  (void)data;
  Line l;
  double x[2];
  Statistics *s = smooth_residuals(&l, (int)count, x);
  bool white = s->channels[0].effective == s->channels[0].n;
  statistics_free(s);
  made_close(&l.made);
  return white;
}

static void ten_residuals_must_be_left(void **state) {
  (void)state;
  assert_turns(is_white, NULL, 11, 12); // two numbers are fitted
}

static void freedom_stays_at_three_where_it_was(void **state) {
  (void)state;
  Line l = even_line(60);
  double x[2], error[2];
  open_line(&l, "");
  for (int i = 0; i < 60; i++)
    samples_of(&l, 0)[i] = A + B * column_b(&l, 0, i) + 0.1 * sin(0.1 * i);
  Statistics *s = analyse(&l, x, error);
  assert_close(s->freedom, 3, 0);
  assert_close_relative(s->parameters[0].ci_high - x[0],
                        student_quantile(0.975, 3) * s->parameters[0].std_error, 1e-9);
  statistics_free(s);
  made_close(&l.made);
  s = smooth_residuals(&l, 4, x);
  assert_close(s->freedom, 2, 0);
  statistics_free(s);
  made_close(&l.made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intervals_hold_the_truth_when_noise_is_correlated),
      cmocka_unit_test(white_noise_gives_the_errors_of_white_noise),
      cmocka_unit_test(a_given_sigma_stays_the_size_of_the_noise),
      cmocka_unit_test(the_matrix_belongs_to_the_errors),
      cmocka_unit_test(a_gap_divides_a_record),
      cmocka_unit_test(uneven_samples_are_told),
      cmocka_unit_test(ten_residuals_must_be_left),
      cmocka_unit_test(freedom_stays_at_three_where_it_was)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
