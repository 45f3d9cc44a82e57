// Intervals by profiles where linear theory is not to be trusted.
#include "study/profile_intervals.h"

#include "known_truth.h"
#include "num/coloured_noise.h"
#include "stats/assess.h"
#include "study/assessed_fit.h"
#include "threshold.h"

// Linear in a and b.
static const char LINE[] = "model Line\n"
                           "  parameter Real a = 2;\n"
                           "  parameter Real b = 1;\n"
                           "  Real x(start = 1, fixed = true);\n"
                           "equation\n"
                           "  der(x) = -0.3*x;\n"
                           "end Line;\n";

static Known line(const char *estimate) {
  return (Known){.text = LINE,
                 .measured = {"a + b*x"},
                 .stop = 20,
                 .step = 0.2,
                 .estimate = estimate,
                 .truth = {2, 1},
                 .options = "method: lm",
                 .noise = 0.05,
                 .noise_kind = NOISE_ADDITIVE,
                 .seed = 4};
}

static void set_sigma(Known *k, double sigma) {
  Channel *c = (Channel *)(uintptr_t)&k->problem->experiments[0].channels[0];
  c->sigma_kind = SIGMA_NUMBER;
  c->sigma = sigma;
}

static AssessedFit fit_of(const Known *k) {
  return assessed_fit_run(k->problem, NULL, 0, NULL, NULL);
}

static bool is_by_profile(const AssessedFit *f, int k) {
  return f->statistics->parameters[k].interval == INTERVAL_PROFILE;
}

// ---------------------------------------------------------------- who gets a profile

typedef struct Wide {
  Known k;
  double error; // of a at sigma 1
  bool linear;  // else by a profile
} Wide;

// The standard error of a, known beforehand, in its size.
static bool keeps_linear_theory(void *data, double part) {
  Wide *w = data;
  set_sigma(&w->k, 1);
  AssessedFit f = fit_of(&w->k);
  double error = f.statistics->parameters[0].std_error, a = f.result->x[0];
  assessed_fit_done(&f);
  set_sigma(&w->k, part * fabs(a) / error);
  f = fit_of(&w->k);
  bool linear = !is_by_profile(&f, 0);
  assert_true(f.statistics->parameters[0].profile_wanted == !linear);
  assessed_fit_done(&f);
  return linear;
}

static void a_tenth_of_the_size_is_wide(void **state) {
  (void)state;
  Wide w = {.k = line("a: {start: 2, min: 0.001, max: 1000}")};
  known_open(&w.k);
  assert_threshold(keeps_linear_theory, &w, 0.1);
  known_close(&w.k);
}

// y = a + b*(x + shift): the correlation of a and b depends on the shift. b is wide, a is not.
static double correlation_of(Known *k, bool *profiled) {
  AssessedFit f = fit_of(k);
  double c = f.statistics->correlation[1];
  assert_true(is_by_profile(&f, 1));
  *profiled = is_by_profile(&f, 0);
  assessed_fit_done(&f);
  return fabs(c);
}

static void those_tied_to_a_wide_one_follow_it(void **state) {
  (void)state;
  double below = 0, above = 1; // correlations around the threshold
  for (int i = 0; i < 60; i++) {
    char measured[60];
    bool profiled;
    snprintf(measured, sizeof measured, "a + b*(x - %.3f)", 0.002 * i);
    Known k = line("a: 2, b: 1");
    k.measured[0] = measured;
    known_open(&k);
    set_sigma(&k, 0.67);
    double c = correlation_of(&k, &profiled);
    if (profiled)
      above = fmin(above, c);
    else
      below = fmax(below, c);
    known_close(&k);
  }
  assert_true(below < above);
  assert_close(below, 0.5, 0.02);
  assert_close(above, 0.5, 0.02);
}

static void an_interval_that_meets_a_bound_gets_a_profile(void **state) {
  (void)state;
  static const char *const estimates[] = {"a: {start: 2, min: 1.99999, max: 1000}",
                                          "a: {start: 2, min: 0.001, max: 1000}"};
  for (int i = 0; i < 2; i++) {
    Known k = line(estimates[i]);
    known_open(&k);
    AssessedFit f = fit_of(&k);
    const StatParameter *a = f.statistics->parameters;
    assert_true(is_by_profile(&f, 0) == (i == 0));
    if (i == 0) assert_true(a->ci_low >= 1.99999 && a->ci_high > f.result->x[0]);
    assessed_fit_done(&f);
    known_close(&k);
  }
}

static void the_option_leaves_linear_theory_and_says_so(void **state) {
  (void)state;
  Known k = line("a: {start: 2, min: 0.001, max: 1000}");
  k.options = "method: lm\noptions: {profiles: off}";
  known_open(&k);
  set_sigma(&k, 10);
  AssessedFit f = fit_of(&k);
  assert_true(f.statistics->parameters[0].profile_wanted);
  assert_int_equal(f.statistics->parameters[0].interval, INTERVAL_LINEAR);
  assessed_fit_done(&f);
  known_close(&k);
}

// ---------------------------------------------------------------- what it says

// The threshold follows the widened covariance: where the model is linear, profile and linear theory agree, whether residuals
// are correlated or not, whether sigma is given or not.
static void profiles_of_linear_models_are_those_of_linear_theory(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    Known k = line("a: 2, b: 1");
    k.noise = 0.15;
    known_open(&k);
    Problem *p = k.problem;
    p->options.noise_correlation = kind % 2 ? 0.8 : 0;
    Random random;
    random_seed(&random, 5);
    k.problem = problem_with_samples(p, &k.values, NOISE_ADDITIVE, 0.15, &random, k.arena);
    if (kind / 2) set_sigma(&k, 0.3);
    AssessedFit f = fit_of(&k);
    k.problem->options.profiles = PROFILES_OFF;
    AssessedFit linear = fit_of(&k);
    assert_true(linear.statistics->colour > 1.5 || kind % 2 == 0);
    for (int i = 0; i < 2; i++) {
      const StatParameter *a = &f.statistics->parameters[i], *b = &linear.statistics->parameters[i];
      double width = b->ci_high - b->ci_low;
      assert_true(is_by_profile(&f, i));
      assert_close(a->ci_low, b->ci_low, 1e-3 * width);
      assert_close(a->ci_high, b->ci_high, 1e-3 * width);
      assert_close(a->std_error, b->std_error, 0);
    }
    assert_true(work_count_simulations(&f.result->work) >
                work_count_simulations(&linear.result->work));
    assessed_fit_done(&f);
    assessed_fit_done(&linear);
    known_close(&k);
  }
}

// A rate so fast that all is over before the second sample: the data give it a lower end only.
static void what_noise_hides_has_the_end_that_there_is(void **state) {
  (void)state;
  static const char *const estimates[] = {"k: {start: 5, min: 0.01}",
                                          "k: {start: 5, min: 0.01, max: 5000}"};
  for (int i = 0; i < 2; i++) {
    Known k = {.text = "model Fast\n"
                       "  parameter Real k = 5;\n"
                       "  Real x(start = 1, fixed = true);\n"
                       "equation\n"
                       "  der(x) = k*(2 - x);\n"
                       "end Fast;\n",
               .measured = {"x"},
               .stop = 30,
               .step = 1,
               .estimate = estimates[i],
               .truth = {5},
               .options = "method: lm",
               .noise = 0.05,
               .noise_kind = NOISE_ADDITIVE,
               .seed = 3};
    known_open(&k);
    AssessedFit f = fit_of(&k);
    const StatParameter *of = f.statistics->parameters;
    assert_false(of->identifiable);
    assert_true(isnan(of->std_error));
    assert_int_equal(of->interval, INTERVAL_PROFILE);
    assert_true(of->ci_low > 1 && of->ci_low < f.result->x[0]);
    assert_true(i == 0 ? of->ci_high == HUGE_VAL : of->ci_high == 5000);
    assessed_fit_done(&f);
    known_close(&k);
  }
}

static void data_without_noise_need_no_profiles(void **state) {
  (void)state;
  Known k = line("a: {start: 2, min: 2, max: 1000}, b: {start: 1, min: -1000, max: 1000}");
  k.noise = 0;
  known_open(&k);
  AssessedFit f = fit_of(&k);
  for (int i = 0; i < 2; i++) assert_false(is_by_profile(&f, i));
  assessed_fit_done(&f);
  known_close(&k);
}

static void a_better_point_on_the_way_is_told(void **state) {
  (void)state;
  Known k = {.text = "model Two\n"
                     "  parameter Real p = 1;\n"
                     "  Real x(start = 0, fixed = true);\n"
                     "equation\n"
                     "  der(x) = (p^2 - 1)^2 + 0.1*(p + 1.2);\n"
                     "end Two;\n",
             .measured = {"x"},
             .stop = 1,
             .step = 0.1,
             .estimate = "p: {start: 1.2, min: -3, max: 3}",
             .truth = {-1},
             .options = "method: lm"};
  known_open(&k);
  set_sigma(&k, 1.3);
  AssessedFit f = fit_of(&k);
  bool told = false;
  for (int i = 0; i < f.statistics->remark_count; i++)
    told |=
        strstr(f.statistics->remarks[i], "The profile of p passes a slightly better point") != NULL;
  assert_fit(told, "better", f.result);
  assert_int_equal(f.result->verdict, FIT_DOUBTFUL); // never a verdict that nothing is better
  assessed_fit_done(&f);
  known_close(&k);
}

// ---------------------------------------------------------------- what it may cost

typedef struct Costly {
  Known k;
  double seconds;   // that the fit took, by the numbers it integrated
  long simulations; // of the fit
  int profiled;     // numbers
  long used;        // simulations of the profiles
} Costly;

static void profile_after(Costly *c) {
  c->k.problem->options.profiles = PROFILES_OFF;
  AssessedFit f = fit_of(&c->k);
  c->k.problem->options.profiles = PROFILES_AUTO;
  f.result->work.simulations = c->simulations;
  f.result->work.sensitivity_simulations = 0;
  f.result->work.rhs = (long)(c->seconds * 2e8 / 6); // of one state and its slopes by 5 numbers
  f.result->search_work = f.result->work;
  profile_intervals(f.result, f.statistics, f.work, f.weighting);
  c->profiled = 0;
  for (int i = 0; i < f.statistics->n; i++) c->profiled += is_by_profile(&f, i);
  c->used = work_count_simulations(&f.result->work) - c->simulations;
  assessed_fit_done(&f);
}

static bool all_are_profiled(void *data, double seconds) {
  Costly *c = data;
  c->seconds = seconds;
  profile_after(c);
  return c->profiled == 5;
}

static const char WAVES[] = "model Waves\n"
                            "  parameter Real a = 1;\n"
                            "  parameter Real b = 1;\n"
                            "  parameter Real c = 1;\n"
                            "  parameter Real d = 1;\n"
                            "  parameter Real e = 1;\n"
                            "  Real x(start = 1, fixed = true);\n"
                            "equation\n"
                            "  der(x) = 0.3*(a*sin(time) + b*cos(2*time) + c*sin(3*time) - d*x + "
                            "e*cos(0.5*time));\n"
                            "end Waves;\n";

static void slow_fits_allow_few_simulations(void **state) {
  (void)state;
  Costly c = {.k = {.text = WAVES,
                    .measured = {"x"},
                    .stop = 20,
                    .step = 0.2,
                    .estimate = "a: 1, b: 1, c: 1, d: 1, e: 1",
                    .truth = {1, 1, 1, 1, 1},
                    .options = "method: lm",
                    .noise = 1.5,
                    .noise_kind = NOISE_ADDITIVE},
              .simulations = 10};
  known_open(&c.k);
  assert_threshold(all_are_profiled, &c, 0.1);
  long all = 0;
  c.seconds = 0;
  profile_after(&c);
  all = c.used;
  assert_true(all > 200); // the limits below cut
  c.seconds = 1;
  profile_after(&c); // max(100, 3*10)
  long used_100 = c.used;
  assert_true(c.profiled >= 1 && c.profiled < 5 && c.used > 100 && c.used < 100 + all / 5);
  c.simulations = 33;
  profile_after(&c); // still 100
  assert_int_equal(c.used, used_100);
  c.simulations = all / 3 + 1;
  profile_after(&c);
  assert_int_equal(c.profiled, 5);
  assert_int_equal(c.used, all);
  c.simulations = all / 3 - 10;
  profile_after(&c);
  assert_true(c.profiled < 5);
  known_close(&c.k);
}

static void threads_do_not_change_the_intervals(void **state) {
  (void)state;
  double ends[2][10];
  for (int threads = 1; threads <= 4; threads += 3) {
    Known k = {.text = WAVES,
               .measured = {"x"},
               .stop = 20,
               .step = 0.2,
               .estimate = "a: 1, d: 1",
               .truth = {1, 1},
               .options = "method: lm",
               .noise = 1,
               .noise_kind = NOISE_ADDITIVE};
    known_open(&k);
    k.problem->options.threads = threads;
    AssessedFit f = fit_of(&k);
    for (int i = 0; i < 2; i++) {
      assert_true(is_by_profile(&f, i));
      ends[threads > 1][2 * i] = f.statistics->parameters[i].ci_low;
      ends[threads > 1][2 * i + 1] = f.statistics->parameters[i].ci_high;
    }
    assessed_fit_done(&f);
    known_close(&k);
  }
  for (int i = 0; i < 4; i++) assert_close(ends[0][i], ends[1][i], 0);
}

// ---------------------------------------------------------------- what the user and limits end

typedef struct Hasty {
  const char *stage; // in which the answer becomes no
  int left;          // questions there to say yes to
  bool no;
  int after; // questions after no
} Hasty;

static bool listen(void *data, const FitProgress *p) {
  Hasty *h = data;
  h->after += h->no;
  if (strcmp(p->stage, h->stage) == 0 && h->left-- <= 0) h->no = true;
  return !h->no;
}

static bool lacks_profiles(const AssessedFit *f) {
  const Statistics *s = f->statistics;
  return s->missing_count == 1 && strcmp(s->missing[0], "profiles") == 0 && s->profiles_cut;
}

static Known wide_line(const char *options) {
  Known k = line("a: 2, b: 1");
  k.noise = 0.15;
  k.options = options;
  known_open(&k);
  set_sigma(&k, 3);
  return k;
}

static void a_stop_of_profiles_leaves_the_result_and_says_what_is_missing(void **state) {
  (void)state;
  Known k = wide_line("options: {threads: 1}");
  AssessedFit whole = fit_of(&k);
  assert_int_equal(whole.statistics->missing_count, 0);
  long all = work_count_simulations(&whole.result->profile_work);
  long used = 0;
  for (int left = 0; left < 20; left += 4) {
    Hasty h = {.stage = "profiles", .left = left};
    AssessedFit f = assessed_fit_run(k.problem, NULL, 0, listen, &h);
    assessed_fit_examine(&f, listen, &h);
    assert_true(h.no && h.after == 0);
    assert_int_equal(f.result->outcome, whole.result->outcome);
    assert_int_equal(f.result->verdict, whole.result->verdict);
    assert_true(lacks_profiles(&f) && strstr(f.statistics->profiles_cut, "stopped"));
    long before = used;
    used = work_count_simulations(&f.result->profile_work);
    assert_true(left ? used >= before && used < all : used == 0);
    for (int i = 0; i < 2; i++) assert_true(f.statistics->parameters[i].profile_wanted);
    assessed_fit_done(&f);
  }
  assert_true(used > 0);
  assessed_fit_done(&whole);
  known_close(&k);
}

// Whether the search, its confirming or the profiles are what it ends.
static void max_simulations_counts_those_of_profiles(void **state) {
  (void)state;
  Known k = wide_line("options: {threads: 2}");
  AssessedFit whole = fit_of(&k);
  long all = work_count_simulations(&whole.result->work);
  for (long most = 4; most <= all; most += most < all - 7 ? 7 : 1) {
    k.problem->options.max_simulations = (int)most;
    AssessedFit f = fit_of(&k);
    const Statistics *s = f.statistics;
    assert_true(work_count_simulations(&f.result->work) <= most);
    for (int i = 0; i < 2; i++) assert_true(s->parameters[i].profile_wanted);
    assert_int_equal(lacks_profiles(&f), most < all);
    if (most < all) assert_non_null(strstr(s->profiles_cut, "max_simulations"));
    assessed_fit_done(&f);
  }
  assessed_fit_done(&whole);
  known_close(&k);
}

static void a_result_without_profiles_says_that_they_are_wanted(void **state) {
  (void)state;
  Known k = {.text = WAVES,
             .measured = {"x"},
             .stop = 200,
             .step = 0.02,
             .estimate = "a: {start: 1.2, min: 0.99999, max: 10}, d: {start: 2, min: 0, max: 10}",
             .truth = {1, 1},
             .options = "options: {threads: 1}",
             .noise = 0.05,
             .noise_kind = NOISE_ADDITIVE};
  known_open(&k);
  Hasty h = {.stage = "confirming searches"};
  AssessedFit f = assessed_fit_run(k.problem, NULL, 60, listen, &h);
  assert_int_equal(f.result->outcome, FIT_STOPPED);
  assert_non_null(strstr(f.result->why, "the fit was stopped before the others"));
  assert_true(lacks_profiles(&f) && h.after == 0);
  assert_true(f.statistics->parameters[0].profile_wanted);
  assert_int_equal(is_by_profile(&f, 0), false);
  assessed_fit_done(&f);
  known_close(&k);
}

// ---------------------------------------------------------------- what runs away

static const char SATURATING[] = "model Saturating\n"
                                 "  parameter Real A = 500;\n  parameter Real B = 4e-4;\n"
                                 "  Real x(start = 1, fixed = true);\n"
                                 "equation\n  der(x) = -A*(1 - exp(-B*x));\nend Saturating;\n";

// x' = -A B x as long as B x is small: A has no upper end, whatever stops it: its own bound or that of B.
static void a_force_that_never_saturates_has_one_end(void **state) {
  (void)state;
  static const char *const UNKNOWNS[] = {
      "A: {start: 2, min: 1e-3, max: 1e3}, B: {start: 0.1, min: 1e-9, max: 1e3}",
      "A: {start: 2, min: 1e-3, max: 1e9}, B: {start: 0.1, min: 1e-3, max: 1e3}",
      "A: {start: 2, min: 1e-3, max: 1e3, scale: log}, B: {start: 0.1, min: 1e-9, max: 1e3, scale: "
      "log}"};
  for (int i = 0; i < 3; i++) {
    Known k = {.text = SATURATING,
               .measured = {"x"},
               .stop = 10,
               .step = 0.1,
               .estimate = UNKNOWNS[i],
               .truth = {500, 4e-4},
               .options = "method: lm",
               .noise = 0.05,
               .noise_kind = NOISE_ADDITIVE,
               .seed = 2};
    known_open(&k);
    AssessedFit f = fit_of(&k);
    const StatParameter *A = &f.statistics->parameters[0];
    assert_int_equal(A->open, 1);
    assert_true(A->ci_low > 0.01 && A->ci_low < 500);
    assessed_fit_done(&f);
    known_close(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_force_that_never_saturates_has_one_end),
      cmocka_unit_test(a_tenth_of_the_size_is_wide),
      cmocka_unit_test(those_tied_to_a_wide_one_follow_it),
      cmocka_unit_test(an_interval_that_meets_a_bound_gets_a_profile),
      cmocka_unit_test(the_option_leaves_linear_theory_and_says_so),
      cmocka_unit_test(profiles_of_linear_models_are_those_of_linear_theory),
      cmocka_unit_test(what_noise_hides_has_the_end_that_there_is),
      cmocka_unit_test(data_without_noise_need_no_profiles),
      cmocka_unit_test(a_better_point_on_the_way_is_told),
      cmocka_unit_test(slow_fits_allow_few_simulations),
      cmocka_unit_test(threads_do_not_change_the_intervals),
      cmocka_unit_test(a_stop_of_profiles_leaves_the_result_and_says_what_is_missing),
      cmocka_unit_test(max_simulations_counts_those_of_profiles),
      cmocka_unit_test(a_result_without_profiles_says_that_they_are_wanted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
