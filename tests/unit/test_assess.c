#include "stats/assess.h"

#include "assessed.h"
#include "base/patience.h"
#include "made_problem.h"
#include "num/random.h"
#include "search/fit.h"

// A decay whose solution is known: y = a exp(-k t). b enters only as a*b, idle not at all.
static const char MODEL[] = "model Decay\n"
                            "  parameter Real a = 2;\n"
                            "  parameter Real b = 1;\n"
                            "  parameter Real k = 0.7;\n"
                            "  parameter Real idle = 1;\n"
                            "  parameter Real drift = 0;\n"
                            "  Real x(start = 1, fixed = true);\n"
                            "equation\n"
                            "  der(x) = -k*x + 0*idle;\n"
                            "end Decay;\n";

enum { ROWS = 120 };
static const double STEP = 0.05, A = 2, K = 0.7;

typedef struct Case {
  Made made;
  Evaluation *evaluation;
  Statistics *s;
  double x[8];
} Case;

static double truth(double t) {
  return A * exp(-K * t);
}

static double *samples(const Case *c) {
  return (double *)(uintptr_t)c->made.problem->experiments[0].channels[0].y;
}

// noise[0] + noise[1] * |y|
static void add_noise(const Case *c, uint64_t seed, double even, double proportional) {
  Random random;
  random_seed_stream(&random, 5, seed);
  for (int i = 0; i < ROWS; i++) {
    double y = truth(i * STEP);
    samples(c)[i] = y + (even + proportional * y) * random_normal(&random);
  }
}

static void open_case(Case *c, const char *channel, const char *rest, double noise) {
  char data[8000] = "t,y\n", yaml[1000];
  *c = (Case){0};
  made_open(&c->made);
  made_file(&c->made, "decay.mo", MODEL);
  for (int i = 0; i < ROWS; i++)
    sprintf(data + strlen(data), "%.10g,%.17g\n", i * STEP, truth(i * STEP));
  made_file(&c->made, "data.csv", data);
  snprintf(yaml, sizeof yaml,
           "model: decay.mo\nexperiments:\n  - data: data.csv\n    measure: {a*b*x + drift: "
           "{column: y%s}}\n%s\n",
           channel, rest);
  made_load(&c->made, yaml);
  if (noise > 0) add_noise(c, 1, noise, 0);
  c->evaluation = evaluation_new(c->made.problem);
  for (int i = 0; i < c->made.problem->unknown_count; i++)
    c->x[i] = c->made.problem->unknowns[i].start;
}

static void close_case(Case *c) {
  statistics_free(c->s);
  evaluation_free(c->evaluation);
  made_close(&c->made);
}

static void analyse_fit(Case *c) {
  statistics_free(c->s);
  FitResult r = {.x = c->x};
  c->s = statistics_of(c->evaluation, &r);
}

// Gauss-Newton from near the optimum.
static void fit(Case *c) {
  FitResult *r = fit_run(c->made.problem, c->x, NULL, NULL);
  memcpy(c->x, r->x, sizeof(double) * (size_t)c->made.problem->unknown_count);
  fit_free(r);
}

// Inverse of the information about (a, k) by hand, noise of standard deviation 1.
static void exact_covariance(double c[3]) {
  double aa = 0, ak = 0, kk = 0;
  for (int i = 0; i < ROWS; i++) {
    double t = i * STEP, da = exp(-K * t), dk = -A * t * exp(-K * t);
    aa += da * da, ak += da * dk, kk += dk * dk;
  }
  double det = aa * kk - ak * ak;
  c[0] = kk / det, c[1] = -ak / det, c[2] = aa / det;
}

static const char TWO[] = "estimate: {a: 2, k: 0.7}\nmethod: lm";

static void a_given_sigma_gives_the_inverse_information(void **state) {
  (void)state;
  double exact[3];
  Case c;
  exact_covariance(exact);
  open_case(&c, ", sigma: 0.03", TWO, 0.03);
  analyse_fit(&c);
  assert_false(c.s->sandwich);
  assert_close_relative(c.s->covariance[0], 9e-4 * exact[0], 1e-6);
  assert_close_relative(c.s->covariance[1], 9e-4 * exact[1], 1e-6);
  assert_close_relative(c.s->covariance[3], 9e-4 * exact[2], 1e-6);
  assert_close_relative(c.s->correlation[1], exact[1] / sqrt(exact[0] * exact[2]), 1e-6);
  double half = 1.959963984540054 * 0.03 * sqrt(exact[0]);
  assert_close(c.s->parameters[0].ci_low, 2 - half, 1e-6);
  assert_close(c.s->parameters[0].ci_high, 2 + half, 1e-6);
  close_case(&c);
}

// a*b is seen. With b = a/2 it is a^2/2, whose slope by a is 2 at a = 2: so is what errors are divided by.
static void a_constraint_makes_known_what_the_data_do_not_tell(void **state) {
  (void)state;
  double exact[3];
  Case c;
  exact_covariance(exact);
  open_case(&c, ", sigma: 0.03",
            "estimate: {a: 2, b: 1, k: 0.7}\nmethod: sqp\nconstraints: [b = a/2, k <= 5]", 0.03);
  analyse_fit(&c);
  for (int i = 0; i < 3; i++) assert_true(c.s->parameters[i].identifiable);
  assert_close_relative(c.s->parameters[0].std_error, 0.03 * sqrt(exact[0]) / 2, 1e-5);
  assert_close_relative(c.s->parameters[1].std_error, 0.03 * sqrt(exact[0]) / 4, 1e-5);
  assert_close_relative(c.s->parameters[2].std_error, 0.03 * sqrt(exact[2]), 1e-5);
  assert_close(c.s->correlation[1], 1, 1e-5);
  close_case(&c);
  open_case(&c, ", sigma: 0.03", "estimate: {a: 2, b: 1, k: 0.7}\nmethod: lm", 0.03);
  analyse_fit(&c);
  assert_false(c.s->parameters[0].identifiable);
  close_case(&c);
}

// However often it is said that k*a is 1.4: one degree of freedom is gone.
static void constraints_that_say_the_same_count_once(void **state) {
  (void)state;
  static const char *const SAID[] = {"[k*a = 1.4]", "[k*a = 1.4, k*a <= 1.4]",
                                     "[2*k*a = 2.8, k*a = 1.4, k^2*a^2 = 1.96]"};
  double once = 0;
  for (int i = 0; i < 3; i++) {
    Case c;
    char text[200];
    snprintf(text, sizeof text, "estimate: {a: 2, k: 0.7}\nmethod: sqp\nconstraints: %s", SAID[i]);
    open_case(&c, "", text, 0.03);
    fit(&c);
    analyse_fit(&c);
    double error = c.s->parameters[1].std_error;
    assert_true(error > 0);
    if (i == 0) once = error;
    assert_close_relative(error, once, 1e-5);
    close_case(&c);
  }
}

// On its limit, k <= 0.7 leaves k no freedom, and the error of a is that of a alone.
static void an_active_constraint_leaves_no_freedom(void **state) {
  (void)state;
  double exact[3];
  Case c;
  exact_covariance(exact);
  double alone = exact[0] - exact[1] * exact[1] / exact[2];
  open_case(&c, ", sigma: 0.03", "estimate: {a: 2, k: 0.7}\nmethod: sqp\nconstraints: [k <= 0.7]",
            0.03);
  analyse_fit(&c);
  assert_close_relative(c.s->parameters[0].std_error, 0.03 * sqrt(alone), 1e-5);
  assert_true(c.s->parameters[1].std_error == 0);
  assert_true(c.s->parameters[1].ci_low == 0.7 && c.s->parameters[1].ci_high == 0.7);
  close_case(&c);
}

// Weights that are not the inverse noise cost accuracy; the covariance says how much.
static void weights_do_not_change_what_is_known_of_the_noise(void **state) {
  (void)state;
  double exact[3];
  Case c;
  exact_covariance(exact);
  open_case(&c, ", sigma: 0.03, weight: 7", TWO, 0.03);
  analyse_fit(&c);
  assert_true(c.s->sandwich);
  assert_close_relative(c.s->covariance[0], 9e-4 * exact[0], 1e-6);
  close_case(&c);
  open_case(&c, ", sigma: 0.03", "estimate: {a: 2, k: 0.7}\ncriterion: integral", 0.03);
  analyse_fit(&c);
  assert_true(c.s->sandwich);
  assert_close_relative(c.s->covariance[0], 9e-4 * exact[0], 0.05); // half weights at both ends
  assert_true(c.s->covariance[0] >= 9e-4 * exact[0]);
  close_case(&c);
}

static void residuals_tell_sigma_when_it_is_not_given(void **state) {
  (void)state;
  double exact[3];
  Case c;
  exact_covariance(exact);
  const char *const kinds[] = {"", ", sigma: estimated", ", weight: 100"};
  for (int i = 0; i < 3; i++) {
    open_case(&c, kinds[i], TWO, 0.03);
    fit(&c);
    analyse_fit(&c);
    assert_close_relative(c.s->parameters[0].std_error, 0.03 * sqrt(exact[0]), 0.25);
    assert_close_relative(c.s->parameters[1].std_error, 0.03 * sqrt(exact[2]), 0.25);
    assert_int_equal(c.s->rank, 2);
    assert_int_equal(c.s->direction_count, 0);
    assert_true(c.s->parameters[0].identifiable && !c.s->parameters[0].reason);
    close_case(&c);
  }
}

// drift is truly 0: an estimate near 0 is as well known as any other.
static void numbers_near_zero_are_determined(void **state) {
  (void)state;
  const char *const bounds[] = {"drift: {start: 0.1, min: -5, max: 5}", "drift: 0.1"};
  for (int i = 0; i < 2; i++) {
    char rest[200];
    Case c;
    snprintf(rest, sizeof rest, "estimate: {a: 2, k: 0.7, %s}\nmethod: lm", bounds[i]);
    open_case(&c, "", rest, 0.03);
    fit(&c);
    analyse_fit(&c);
    assert_true(fabs(c.x[2]) < 0.05);
    assert_true(c.s->parameters[2].identifiable);
    assert_true(c.s->parameters[2].ci_low < 0 && c.s->parameters[2].ci_high > 0);
    close_case(&c);
  }
}

// Few samples cannot show how the noise changes: one variance for all, as in the textbook.
static void few_samples_share_one_variance(void **state) {
  (void)state;
  Case c;
  open_case(&c, "", TWO, 0.03);
  enum { FEW = 16 };
  c.made.problem->experiments[0].channels[0].count = FEW;
  evaluation_free(c.evaluation);
  c.evaluation = evaluation_new(c.made.problem);
  fit(&c);
  analyse_fit(&c);
  double aa = 0, ak = 0, kk = 0;
  for (int i = 0; i < FEW; i++) {
    double t = i * STEP, da = exp(-c.x[1] * t), dk = -c.x[0] * t * exp(-c.x[1] * t);
    aa += da * da, ak += da * dk, kk += dk * dk;
  }
  double det = aa * kk - ak * ak;
  assert_false(c.s->sandwich);
  assert_close_relative(c.s->parameters[0].std_error, sqrt(c.s->variance * kk / det), 1e-4);
  assert_close_relative(c.s->parameters[1].std_error, sqrt(c.s->variance * aa / det), 1e-4);
  close_case(&c);
}

// Estimate, then see whether the interval holds the truth: even noise, and noise that grows with the signal.
static double coverage(const char *channel, const char *rest, double even, double proportional) {
  Case c;
  int held = 0, count = 0;
  open_case(&c, channel, rest, 0);
  for (uint64_t trial = 0; trial < 200; trial++) {
    add_noise(&c, trial, even, proportional);
    evaluation_free(c.evaluation);
    c.evaluation = evaluation_new(c.made.problem);
    c.x[0] = A, c.x[1] = K;
    fit(&c);
    analyse_fit(&c);
    for (int k = 0; k < 2; k++) {
      const StatParameter *p = &c.s->parameters[k];
      double exact = k == 0 ? A : K;
      held += p->ci_low <= exact && exact <= p->ci_high;
      count++;
    }
  }
  close_case(&c);
  return (double)held / count;
}

static void intervals_cover_the_truth(void **state) {
  (void)state;
  assert_close(coverage("", TWO, 0.05, 0), 0.95, 0.03);
  assert_close(coverage("", TWO, 0, 0.05), 0.95, 0.03);
  assert_close(coverage(", sigma: 0.05", TWO, 0.05, 0), 0.95, 0.03);
  assert_close(coverage(", sigma: estimated", TWO, 0.05, 0), 0.95, 0.03);
  const char logs[] =
      "estimate: {a: {start: 2, scale: log, min: 0.01, max: 100}, k: 0.7}\nmethod: lm";
  assert_close(coverage("", logs, 0.2, 0), 0.95, 0.03);
  const char robust[] = "estimate: {a: 2, k: 0.7}\nmethod: lm\nloss: huber";
  assert_close(coverage("", robust, 0.05, 0), 0.95, 0.03);
}

static void intervals_of_logarithmic_numbers_are_symmetric_there(void **state) {
  (void)state;
  Case c;
  open_case(&c, "", "estimate: {a: {start: 2, scale: log, min: 1.95, max: 100}, k: 0.7}", 0.2);
  fit(&c);
  analyse_fit(&c);
  const StatParameter *p = c.s->parameters;
  if (p->ci_low > 1.95) assert_close_relative(p->ci_low * p->ci_high, c.x[0] * c.x[0], 1e-9);
  assert_true(p->ci_low >= 1.95 && p->ci_high > c.x[0]);
  close_case(&c);
}

static void numbers_at_bounds_count_as_free(void **state) {
  (void)state;
  double exact[3];
  Case c;
  exact_covariance(exact);
  open_case(&c, ", sigma: 0.03", "estimate: {a: {start: 2, min: 1, max: 2}, k: 0.7}", 0.03);
  analyse_fit(&c);
  const StatParameter *p = c.s->parameters;
  assert_true(p[0].at_bound && !p[0].lower_bound && p[0].identifiable);
  assert_close_relative(p[0].std_error, 0.03 * sqrt(exact[0]), 1e-6);
  assert_close_relative(p[1].std_error, 0.03 * sqrt(exact[2]), 1e-6);
  assert_close(p[0].ci_high, 2, 0);
  assert_non_null(strstr(c.s->remarks[0], "a is at its upper bound 2"));
  statistics_free(c.s);
  c.s = assess_point(c.evaluation->work, c.x); // before a fit a bound is no result
  assert_true(c.s->parameters[0].at_bound);
  assert_close_relative(c.s->parameters[0].std_error, 0.03 * sqrt(exact[0]), 1e-6);
  close_case(&c);
}

static void products_that_the_data_show_are_named(void **state) {
  (void)state;
  Case c;
  open_case(&c, "", "estimate: {b: 1, a: 2, k: 0.7, idle: 3}", 0.03);
  analyse_fit(&c);
  const Statistics *s = c.s;
  assert_int_equal(s->rank, 2);
  assert_int_equal(s->direction_count, 2);
  assert_true(s->parameters[3].inactive && !s->parameters[3].identifiable);
  assert_string_equal(s->directions[0].text, "idle changes no residual.");
  assert_string_equal(s->directions[1].combinations[0].text, "a*b"); // in the order of the model
  assert_close(s->directions[1].combinations[0].value, 2, 1e-15);
  assert_true(s->directions[1].structural && s->directions[1].confirmed);
  assert_false(s->parameters[0].identifiable || s->parameters[1].identifiable);
  assert_string_equal(s->parameters[0].reason, "The data show b only in a*b.");
  assert_true(isnan(s->parameters[0].std_error) && isnan(s->covariance[1]));
  assert_true(s->parameters[2].identifiable && s->parameters[2].std_error > 0);
  assert_string_equal(s->remarks[0],
                      "b, a and idle cannot be determined from these data; rank 2 of 4.");
  close_case(&c);
}

static void a_prior_makes_numbers_known(void **state) {
  (void)state;
  Case c;
  open_case(&c, ", sigma: 0.03",
            "estimate: {a: 2, b: {start: 1, prior: {mean: 1, sd: 0.1}}, k: 0.7}", 0.03);
  analyse_fit(&c);
  assert_int_equal(c.s->rank, 2); // of the data
  assert_true(c.s->parameters[0].identifiable && c.s->parameters[1].identifiable);
  assert_close_relative(c.s->parameters[1].std_error, 0.1, 1e-6);
  assert_close(c.s->parameters[0].std_error, 0.2, 0.01);
  close_case(&c);
}

static void data_without_noise_are_recognised(void **state) {
  (void)state;
  Case c;
  open_case(&c, "", TWO, 0);
  analyse_fit(&c);
  assert_true(c.s->channels[0].exact && isnan(c.s->channels[0].white_p));
  assert_close(c.s->channels[0].fit_percent, 100, 1e-4);
  assert_non_null(strstr(c.s->remarks[0], "hold no noise"));
  const StatParameter *p = c.s->parameters; // errors of the simulation stay in the intervals
  assert_true(p[0].ci_low <= A && A <= p[0].ci_high && p[1].ci_low <= K && K <= p[1].ci_high);
  assert_true(p[0].std_error > 0 && p[0].std_error < 1e-6);
  double exact[3], rms = 0;
  exact_covariance(exact);
  for (int i = 0; i < ROWS; i++) rms += pow(truth(i * STEP), 2) / ROWS;
  assert_close_relative(c.s->parameters[0].relative_at_1_percent, 0.01 * sqrt(rms * exact[0]) / A,
                        1e-6);
  close_case(&c);
}

static void coloured_residuals_are_remarked(void **state) {
  (void)state;
  Case c;
  open_case(&c, "", TWO, 0.01);
  for (int i = 0; i < ROWS; i++) samples(&c)[i] += 0.1 * sin(0.3 * i);
  fit(&c);
  analyse_fit(&c);
  assert_true(c.s->channels[0].white_p < 1e-6 && c.s->channels[0].runs_p < 1e-6);
  assert_true(c.s->channels[0].autocorrelation > 0.5);
  assert_non_null(strstr(c.s->remarks[0], "are not white"));
  close_case(&c);
}

static bool is_remarked(const Case *c, const char *words) {
  for (int i = 0; i < c->s->remark_count; i++)
    if (strstr(c->s->remarks[i], words)) return true;
  return false;
}

// The noise is 0.05.
static void a_sigma_that_the_residuals_contradict_is_remarked(void **state) {
  (void)state;
  static const struct {
    const char *channel, *rest, *remark;
  } CASES[] = {
      {", sigma: 0.05", TWO, NULL},
      {", sigma: 0.01", TWO,
       "times as large as its sigma (0.01) says: the intervals are too narrow"},
      {", sigma: 0.5", TWO, "times as large as its sigma (0.5) says: the intervals are too wide"},
      {", sigma: 0.01, weight: 0.04", TWO, "times as large as its sigma (0.01) says"},
      {", sigma: estimated", TWO, NULL},
      {"", TWO, NULL},
      {", sigma: 0.01", "estimate: {a: 2, k: 0.7}\nmethod: lm\nloss: huber", NULL},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    Case c;
    open_case(&c, CASES[i].channel, CASES[i].rest, 0.05);
    fit(&c);
    analyse_fit(&c);
    if (CASES[i].remark) assert_true(is_remarked(&c, CASES[i].remark));
    assert_int_equal(is_remarked(&c, "sigma"), CASES[i].remark != NULL);
    close_case(&c);
  }
}

static void the_percentage_of_constant_data_makes_no_sense(void **state) {
  (void)state;
  Case c;
  open_case(&c, "", TWO, 0.05);
  for (int i = 0; i < ROWS; i++) samples(&c)[i] = 0.3; // whose mean is rounded
  analyse_fit(&c);
  assert_true(isnan(c.s->channels[0].fit_percent) && c.s->channels[0].rmse > 0);
  close_case(&c);
}

// As many numbers as samples leave no residuals, with any noise.
static void few_samples_are_not_called_exact(void **state) {
  (void)state;
  Case c;
  open_case(&c, "", "estimate: {a: 2}\nmethod: lm", 0.05);
  c.made.problem->experiments[0].channels[0].count = 1;
  evaluation_free(c.evaluation);
  c.evaluation = evaluation_new(c.made.problem);
  fit(&c);
  analyse_fit(&c);
  assert_true(c.s->channels[0].exact);
  assert_int_equal(c.s->remark_count, 1);
  assert_string_equal(c.s->remarks[0],
                      "There is 1 sample for 1 parameter: no standard error can be given.");
  close_case(&c);
}

static void nothing_is_said_about_a_search_without_a_result(void **state) {
  (void)state;
  Case c;
  open_case(&c, "", TWO, 0.05);
  static const FitOutcome WITHOUT[] = {FIT_NO_START, FIT_STOPPED, FIT_BUDGET};
  for (int k = 0; k < 3; k++) {
    FitResult r = {.x = c.x, .outcome = WITHOUT[k], .objective = HUGE_VAL};
    if (c.s) statistics_free(c.s);
    c.s = statistics_of(c.evaluation, &r);
    assert_int_equal(c.s->remark_count, 0);
    assert_true(isnan(c.s->channels[0].rmse) && !c.s->channels[0].exact);
    assert_false(c.s->parameters[0].identifiable || c.s->parameters[0].inactive);
    assert_true(isnan(c.s->parameters[0].std_error) && isnan(c.s->parameters[0].ci_low));
  }
  close_case(&c);
}

// Standard error larger than the value: said, with the numbers. A number that may be zero is not judged by its value.
static void what_noise_hides_is_said(void **state) {
  (void)state;
  Case c;
  open_case(&c, ", sigma: 20", TWO, 0.03);
  analyse_fit(&c);
  assert_false(c.s->parameters[0].identifiable);
  assert_non_null(strstr(c.s->parameters[0].reason, "times its value"));
  assert_true(isnan(c.s->parameters[0].std_error) && isnan(c.s->parameters[0].ci_low));
  assert_true(c.s->direction_count >= 1 && !c.s->directions[0].structural);
  assert_int_equal(c.s->rank, 2); // a matter of the noise, not of the model
  close_case(&c);
  open_case(&c, ", sigma: 0.03", "estimate: {a: 2, k: 0.7, drift: {start: 0.001, min: -1, max: 1}}",
            0.03);
  analyse_fit(&c);
  assert_true(c.s->parameters[2].std_error > 0.001 && c.s->parameters[2].identifiable);
  close_case(&c);
}

static void a_point_that_cannot_be_simulated_is_no_disaster(void **state) {
  (void)state;
  Case c;
  open_case(&c, "", TWO, 0.03);
  c.x[1] = -1e5; // x grows beyond all numbers
  analyse_fit(&c);
  assert_int_equal(c.s->remark_count, 1);
  assert_non_null(strstr(c.s->remarks[0], "cannot be simulated here"));
  assert_true(isnan(c.s->parameters[0].std_error) && !c.s->parameters[0].identifiable);
  assert_int_equal(c.s->channels[0].n, ROWS);
  close_case(&c);
}

static bool counts(void *data) {
  return --*(int *)data >= 0;
}

static bool misses(const Statistics *s, const char *word) {
  for (int i = 0; i < s->missing_count; i++)
    if (strcmp(s->missing[i], word) == 0) return true;
  return false;
}

static void assert_nothing_is_half_known(const Statistics *s, const Statistics *whole) {
  for (int k = 0; k < s->n; k++) {
    const StatParameter *p = &s->parameters[k], *w = &whole->parameters[k];
    assert_true(misses(s, "intervals") ? isnan(p->std_error) && isnan(s->covariance[k])
                                       : !(p->std_error != w->std_error && isfinite(w->std_error)));
    if (misses(s, "identifiability"))
      assert_true(isnan(s->singular_values[k]) && !p->identifiable && p->reason);
    else
      assert_true(s->singular_values[k] == whole->singular_values[k]);
  }
  assert_int_equal(s->direction_count, s->missing_count ? 0 : whole->direction_count);
  if (s->missing_count) assert_non_null(strstr(s->remarks[0], "Stopped before"));
}

// Stopped at the first question, at the second, ...: each time less is missing.
static void what_there_is_no_time_for_is_named_and_not_known(void **state) {
  (void)state;
  Case c;
  open_case(&c, "", "estimate: {a: 2, b: 1, k: 0.7, idle: 1}\nmethod: lm", 0.03);
  analyse_fit(&c);
  Statistics *whole = c.s;
  int before = 3, seen[4] = {0};
  assert_true(whole->missing_count == 0 && whole->direction_count == 2);
  for (int most = 0; before > 0; most++) {
    int answers = most;
    Patience patience = {.goes_on = counts, .data = &answers};
    c.s = NULL;
    patience_begin(&patience);
    analyse_fit(&c);
    patience_end(&patience);
    assert_nothing_is_half_known(c.s, whole);
    assert_true(c.s->missing_count <= before);
    before = c.s->missing_count;
    seen[before]++;
    statistics_free(c.s);
  }
  for (int k = 0; k < 4; k++) assert_true(seen[k]);
  c.s = whole;
  close_case(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_given_sigma_gives_the_inverse_information),
      cmocka_unit_test(weights_do_not_change_what_is_known_of_the_noise),
      cmocka_unit_test(residuals_tell_sigma_when_it_is_not_given),
      cmocka_unit_test(numbers_near_zero_are_determined),
      cmocka_unit_test(few_samples_share_one_variance),
      cmocka_unit_test(intervals_cover_the_truth),
      cmocka_unit_test(intervals_of_logarithmic_numbers_are_symmetric_there),
      cmocka_unit_test(numbers_at_bounds_count_as_free),
      cmocka_unit_test(products_that_the_data_show_are_named),
      cmocka_unit_test(a_prior_makes_numbers_known),
      cmocka_unit_test(data_without_noise_are_recognised),
      cmocka_unit_test(coloured_residuals_are_remarked),
      cmocka_unit_test(a_sigma_that_the_residuals_contradict_is_remarked),
      cmocka_unit_test(the_percentage_of_constant_data_makes_no_sense),
      cmocka_unit_test(few_samples_are_not_called_exact),
      cmocka_unit_test(nothing_is_said_about_a_search_without_a_result),
      cmocka_unit_test(what_noise_hides_is_said),
      cmocka_unit_test(a_constraint_makes_known_what_the_data_do_not_tell),
      cmocka_unit_test(constraints_that_say_the_same_count_once),
      cmocka_unit_test(an_active_constraint_leaves_no_freedom),
      cmocka_unit_test(a_point_that_cannot_be_simulated_is_no_disaster),
      cmocka_unit_test(what_there_is_no_time_for_is_named_and_not_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
