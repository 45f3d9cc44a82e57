// What check says is true of the problem, and it says nothing bad of a good one.
#include "study/check_run.h"

#include "known_truth.h"
#include "made_problem.h"

static Known pendulum(const char *estimate, const char *options) {
  Known k = {.model = "models/pendulum.mo",
             .measured = {"theta"},
             .stop = 20,
             .step = 0.05,
             .estimate = estimate,
             .truth = {10},
             .options = options};
  known_open(&k);
  return k;
}

static const char ONE[] = "p: {start: 11, min: 1, max: 100}";

static const Finding *find(const Check *c, const char *topic, const char *part) {
  for (int i = 0; i < c->findings.count; i++)
    if (!strcmp(c->findings.at[i].topic, topic) && strstr(c->findings.at[i].text, part))
      return &c->findings.at[i];
  return NULL;
}

static void show(const Check *c) {
  for (int i = 0; i < c->findings.count; i++)
    print_error("%d %s: %s\n", c->findings.at[i].kind, c->findings.at[i].topic,
                c->findings.at[i].text);
}

static void assert_found(const Check *c, FindingKind kind, const char *topic, const char *part) {
  const Finding *f = find(c, topic, part);
  if (!f || f->kind != kind) {
    print_error("no '%s' of that kind in:\n", part);
    show(c);
  }
  assert_non_null(f);
  assert_int_equal(f->kind, kind);
}

static int count_bad(const Check *c) {
  int n = 0;
  for (int i = 0; i < c->findings.count; i++) n += c->findings.at[i].kind >= FINDING_WARNING;
  return n;
}

// The samples of the first channel, to be spoilt.
static double *samples(const Known *k) {
  return (double *)(uintptr_t)k->problem->experiments[0].channels[0].y;
}

// About the mean.
static double deviation(const double *y, int n) {
  double mean = 0, sum = 0;
  for (int i = 0; i < n; i++) mean += y[i] / n;
  for (int i = 0; i < n; i++) sum += (y[i] - mean) * (y[i] - mean);
  return sqrt(sum / n);
}

static void a_good_problem_is_praised(void **state) {
  (void)state;
  Known k = pendulum(ONE, "");
  Check *c = check_run(k.problem);
  if (count_bad(c)) show(c);
  assert_int_equal(count_bad(c), 0);
  assert_true(c->starts);
  assert_found(
      c, FINDING_GOOD, "model",
      "Pendulum: 2 equations for 2 unknowns; 2 states, 0 inputs; 1 parameter to estimate.");
  assert_found(c, FINDING_GOOD, "data", "theta: 401 samples from 0 to 20, steps of 0.05");
  assert_found(c, FINDING_GOOD, "identifiability", "The data determine p.");
  check_free(c);
  known_close(&k);
}

static void sensitivity_is_that_of_a_small_change(void **state) {
  (void)state;
  Known k = pendulum(ONE, "");
  ModelValues at, moved;
  double sum = 0, data = 0;
  Check *c = check_run(k.problem);
  assert_true(model_values(k.problem, (double[]){11}, k.arena, &at, NULL));
  assert_true(model_values(k.problem, (double[]){11 * (1 + 1e-6)}, k.arena, &moved, NULL));
  for (int i = 0; i < known_rows(&k); i++) {
    sum += pow(moved.y[0][i] - at.y[0][i], 2);
    data += pow(k.values.y[0][i], 2);
  }
  assert_close_relative(c->sensitivity[0], 1e4 * sqrt(sum / data), 1e-4);
  assert_found(c, FINDING_GOOD, "sensitivity", "1 % more p changes theta by");
  check_free(c);
  known_close(&k);
}

static void objective_and_noise_floor_are_compared(void **state) {
  (void)state;
  Known k = pendulum(ONE, "");
  k.noise = 0.05, k.noise_kind = NOISE_ADDITIVE;
  k.problem = known_noisy(&k, 1);
  Check *c = check_run(k.problem);
  assert_close_relative(c->objective_start, objective_at(k.problem, (double[]){11}), 1e-6);
  assert_close_relative(c->floor, objective_at(k.problem, (double[]){10}), 0.25);
  assert_found(c, FINDING_GOOD, "start", "times what noise alone explains");
  check_free(c);
  k.problem->unknowns[0].start = 10;
  c = check_run(k.problem);
  assert_found(c, FINDING_GOOD, "start", "no more than noise alone explains");
  k.problem->unknowns[0].start = 11;
  check_free(c);
  known_close(&k);
}

// Numbers of the same name are the same number.
static void a_fit_has_the_same_objective_and_noise(void **state) {
  (void)state;
  static const char PRIOR[] = "p: {start: 11, min: 1, max: 100, prior: {mean: 9, sd: 0.1}}";
  static const char *const OPTIONS[] = {"method: lm", "method: lm\nloss: huber"};
  for (int i = 0; i < 4; i++) {
    Known k = pendulum(i % 2 ? PRIOR : ONE, OPTIONS[i / 2]);
    k.noise = 0.05, k.noise_kind = NOISE_ADDITIVE;
    k.problem = known_noisy(&k, 1);
    Check *c = check_run(k.problem);
    FitResult *r = fit_run(k.problem, NULL, NULL, NULL);
    Evaluation *o = evaluation_new(k.problem);
    fit_evaluate_start(r, o->work);
    assert_close_relative(c->objective_start, r->objective_start, 1e-9);
    assert_close_relative(c->floor, r->floor, 1e-12);
    char words[40];
    const Channel *channel = &k.problem->experiments[0].channels[0];
    snprintf(words, sizeof words, "noise about %.2g %%",
             100 * channel_facts(o->fitting->data, 0, 0)->noise /
                 deviation(channel->y, channel->count));
    assert_found(c, FINDING_GOOD, "data", words);
    evaluation_free(o);
    fit_free(r);
    check_free(c);
    known_close(&k);
  }
}

static void objectives_of_an_estimated_sigma_are_explained(void **state) {
  (void)state;
  Known k = pendulum(ONE, "");
  k.noise = 0.05, k.noise_kind = NOISE_ADDITIVE;
  k.problem = known_noisy(&k, 1);
  Check *c = check_run(k.problem);
  assert_null(find(c, "start", "with sigma as differences"));
  check_free(c);
  k.problem->experiments[0].channels[0].sigma_kind = SIGMA_ESTIMATED;
  c = check_run(k.problem);
  assert_found(c, FINDING_NOTE, "start", "with sigma as differences of the data show it");
  assert_close_relative(c->floor, known_rows(&k) / 2.0, 1e-9);
  check_free(c);
  known_close(&k);
}

static void a_sigma_unlike_the_noise_is_told(void **state) {
  (void)state;
  static const struct {
    double factor;
    const char *words;
  } CASES[] = {{0.1, "times as much"}, {1, NULL}, {2, NULL}, {10, "show noise of only about"}};
  Known k = pendulum(ONE, "");
  k.noise = 0.05, k.noise_kind = NOISE_ADDITIVE;
  k.problem = known_noisy(&k, 1);
  Channel *channel = &k.problem->experiments[0].channels[0];
  channel->sigma_kind = SIGMA_NUMBER;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    channel->sigma = CASES[i].factor * 0.05 * deviation(channel->y, channel->count);
    Check *c = check_run(k.problem);
    if (CASES[i].words) assert_found(c, FINDING_WARNING, "data", CASES[i].words);
    assert_int_equal(find(c, "data", "sigma is") != NULL, CASES[i].words != NULL);
    check_free(c);
  }
  known_close(&k);
}

static void values_beyond_all_numbers_are_told(void **state) {
  (void)state;
  Known k = pendulum(ONE, "");
  samples(&k)[7] = 1e300;
  Check *c = check_run(k.problem);
  assert_false(c->starts);
  assert_null(c->statistics);
  assert_true(c->objective_start == HUGE_VAL);
  assert_found(c, FINDING_ERROR, "start", "its distance to the data is too large to be computed");
  check_free(c);
  known_close(&k);
}

static void one_sample_and_constant_samples_are_called_so(void **state) {
  (void)state;
  Known k = pendulum(ONE, "");
  Channel *channel = &k.problem->experiments[0].channels[0];
  for (int i = 0; i < channel->count; i++) samples(&k)[i] = 0;
  Check *c = check_run(k.problem);
  assert_found(c, FINDING_GOOD, "data", "steps of 0.05, all the same.");
  check_free(c);
  channel->count = 1;
  c = check_run(k.problem);
  assert_found(c, FINDING_GOOD, "data", "theta: 1 sample at 0.");
  check_free(c);
  known_close(&k);
}

static void a_start_out_of_step_is_told(void **state) {
  (void)state;
  Known k = pendulum("p: {start: 40, min: 1, max: 100}", "method: lm");
  Check *c = check_run(k.problem);
  assert_found(c, FINDING_WARNING, "start", "use method: auto");
  check_free(c);
  known_close(&k);
}

static void wrong_start_values_of_the_model_are_told(void **state) {
  (void)state;
  Known k = pendulum(ONE, "");
  double *y = samples(&k);
  for (int i = 0; i < known_rows(&k); i++) y[i] += 0.2;
  Check *c = check_run(k.problem);
  assert_found(
      c, FINDING_WARNING, "start",
      "theta: the data begin at 0.7236, the model at 0.5236, and no estimated parameter can "
      "change that.");
  check_free(c);
  known_close(&k);
}

static void an_estimated_start_value_is_no_wrong_one(void **state) {
  (void)state;
  Known k = {.model = "models/pendulum.mo",
             .measured = {"theta"},
             .stop = 20,
             .step = 0.05,
             .estimate =
                 "p: {start: 11, min: 1, max: 100}, theta.start: {start: 0.5, min: 0, max: 1}",
             .truth = {10, 0.7}};
  known_open(&k);
  Check *c = check_run(k.problem);
  assert_null(find(c, "start", "the data begin at"));
  check_free(c);
  known_close(&k);
}

static void spoilt_samples_are_told(void **state) {
  (void)state;
  Known k = pendulum(ONE, "");
  double *y = samples(&k);
  y[100] += 0.5;
  Check *c = check_run(k.problem);
  assert_found(c, FINDING_WARNING, "data", "theta: 1 sample contradicts its neighbours");
  assert_found(c, FINDING_WARNING, "data", "at 5. Empty such cells, or use loss: huber.");
  check_free(c);
  for (int i = 0; i < known_rows(&k); i++) y[i] = 3;
  c = check_run(k.problem);
  assert_found(c, FINDING_WARNING, "data", "theta: all samples are 3.");
  check_free(c);
  known_close(&k);
}

// A pulse as long as one sample, and a system that follows it within one.
static Check *check_pulse(Made *m, const char *inputs) {
  Text data, yaml;
  text_init(&data);
  text_init(&yaml);
  text_add(&data, "t,u,x\n");
  for (int i = 0; i < 200; i++) {
    double x = i < 101 ? 0 : 0.95 * exp(-3.0 * (i - 101));
    text_print(&data, "%d,%d,%.9g\n", i, i == 100, x + 0.01 * sin(0.3 * i));
  }
  text_print(&yaml,
             "model: model.mo\nexperiments: {data: data.csv, measure: {x: x}, %s}\n"
             "estimate: {a: {start: 3, min: 0.1, max: 9}}\n",
             inputs);
  made_open(m);
  made_file(m, "model.mo",
            "model Fast\n  parameter Real a = 3;\n  input Real u = 0;\n"
            "  Real x(start = 0, fixed = true);\n"
            "equation\n  der(x) = a*(u - x);\nend Fast;\n");
  made_file(m, "data.csv", data.at);
  Check *c = check_run(made_load(m, yaml.at));
  text_done(&data);
  text_done(&yaml);
  return c;
}

static void what_an_input_explains_is_not_spoilt(void **state) {
  (void)state;
  Made m;
  Check *c = check_pulse(&m, "inputs: {u: 0}");
  assert_found(c, FINDING_WARNING, "data", "x: 1 sample contradicts its neighbours");
  check_free(c);
  made_close(&m);
  c = check_pulse(&m, "inputs: {u: u}, interpolation: hold");
  assert_null(find(c, "data", "contradict"));
  check_free(c);
  made_close(&m);
}

static void missing_samples_and_gaps_are_told(void **state) {
  (void)state;
  Known k = pendulum(ONE, "");
  Channel *ch = &k.problem->experiments[0].channels[0];
  double *t = (double *)(uintptr_t)ch->t;
  ch->missing = 30;
  for (int i = 200; i < ch->count; i++) t[i] += 3;
  Check *c = check_run(k.problem);
  assert_found(c, FINDING_NOTE, "data", "theta: 30 of 431 samples are missing");
  assert_found(c, FINDING_WARNING, "data", "theta: no samples between 9.95 and 13, 61 times");
  check_free(c);
  known_close(&k);
}

static void coarse_sampling_is_told(void **state) {
  (void)state;
  Known k = {.model = "models/pendulum.mo",
             .measured = {"theta"},
             .stop = 20,
             .step = 0.4,
             .estimate = ONE,
             .truth = {10}}; // 5 samples in a period of 2
  known_open(&k);
  Check *c = check_run(k.problem);
  assert_found(c, FINDING_WARNING, "data", "samples in one oscillation");
  check_free(c);
  known_close(&k);
}

static const char UNEQUAL[] =
    "model Unequal\n"
    "  parameter Real a = 1;\n  parameter Real b = 2;\n"
    "  parameter Real unused = 1;\n"
    "  Real x(start = 1, fixed = true);\n  Real y;\n"
    "equation\n  der(x) = -a*b*x + sin(3*time);\n  y = 1000*x;\nend Unequal;\n";

static Known unequal(const char *estimate, double start) {
  Known k = {.text = UNEQUAL,
             .measured = {"x", "y"},
             .stop = 5,
             .step = 0.02,
             .estimate = estimate,
             .truth = {start, 2}};
  known_open(&k);
  return k;
}

static void channels_of_different_size_are_told(void **state) {
  (void)state;
  Known k = unequal("a: {start: 0.7, min: 0.1, max: 5}", 1);
  Check *c = check_run(k.problem);
  assert_found(c, FINDING_WARNING, "data", "y varies 1e+03 times as much as x");
  check_free(c);
  k.problem->experiments[0].channels[0].sigma_kind = SIGMA_ESTIMATED;
  k.problem->experiments[0].channels[1].sigma_kind = SIGMA_ESTIMATED;
  c = check_run(k.problem);
  assert_null(find(c, "data", "times as much as"));
  check_free(c);
  known_close(&k);
}

static void what_the_data_cannot_tell_is_told(void **state) {
  (void)state;
  Known k = unequal("a: {start: 0.7, min: 0.1, max: 5}, b: {start: 2, min: 0.1, max: 5}", 1);
  Check *c = check_run(k.problem);
  assert_int_equal(c->statistics->rank, 1);
  assert_found(c, FINDING_WARNING, "identifiability", "Take one of these out of 'estimate'");
  assert_found(c, FINDING_NOTE, "identifiability", "Rank 1 of 2");
  assert_found(c, FINDING_WARNING, "identifiability", "a*b");
  check_free(c);
  known_close(&k);
}

// b is seen without noise only.
static void what_noise_hides_is_not_praised(void **state) {
  (void)state;
  Known k = {.text = "model Faint\n  parameter Real a = 1, b = 1;\n"
                     "  Real x(start = 1, fixed = true);\n"
                     "equation\n  der(x) = -a*x + sin(3*time) + 1e-4*b;\nend Faint;\n",
             .measured = {"x"},
             .stop = 10,
             .step = 0.05,
             .estimate = "a: {start: 1, min: 0.1, max: 5}, b: {start: 1, min: 0, max: 5}",
             .truth = {1, 1},
             .noise = 0.05,
             .noise_kind = NOISE_ADDITIVE};
  known_open(&k);
  Check *c = check_run(k.problem);
  assert_int_equal(c->statistics->rank, 2);
  assert_found(c, FINDING_NOTE, "identifiability", "b cannot be determined");
  assert_found(c, FINDING_NOTE, "identifiability", "Only noise prevents it");
  assert_null(find(c, "identifiability", "The data determine"));
  check_free(c);
  known_close(&k);
}

static void a_model_out_of_proportion_is_not_praised(void **state) {
  (void)state;
  Known k = {.text = "model Large\n  parameter Real a = 1, c = 1;\n"
                     "  Real x(start = 1, fixed = true), y;\n"
                     "equation\n  der(x) = -a*x;\n  y = c*x;\nend Large;\n",
             .measured = {"y"},
             .stop = 5,
             .step = 0.05,
             .estimate = "a: {start: 1, min: 0.1, max: 5}, c: {start: 1000, min: 0.1, max: 5000}",
             .truth = {1, 1}};
  known_open(&k);
  Check *c = check_run(k.problem);
  assert_found(c, FINDING_WARNING, "start",
               "y: at the start values the model is about 1e+03 times as large as the data. Check "
               "the units of column 'y0'");
  assert_found(c, FINDING_NOTE, "sensitivity", "1 % more c changes y by 1000 % of its rms.");
  assert_found(c, FINDING_NOTE, "sensitivity", "as much as the data themselves");
  check_free(c);
  k.problem->unknowns[1].start = 2;
  c = check_run(k.problem);
  assert_null(find(c, "start", "times as large"));
  assert_found(c, FINDING_GOOD, "sensitivity", "1 % more c changes y by 2 % of its rms.");
  check_free(c);
  known_close(&k);
}

static void a_number_without_effect_is_told(void **state) {
  (void)state;
  Known k = unequal("a: {start: 0.7, min: 0.1, max: 5}, unused: {start: 2, min: 0.1, max: 5}", 1);
  Check *c = check_run(k.problem);
  assert_found(c, FINDING_WARNING, "identifiability", "unused changes no measured value");
  assert_null(find(c, "sensitivity", "unused"));
  check_free(c);
  known_close(&k);
}

static void bounds_are_looked_at(void **state) {
  (void)state;
  Known k = pendulum("p: {start: 1, min: 1, max: 100}", "");
  Unknown *f = &k.problem->unknowns[0];
  Check *c = check_run(k.problem);
  assert_found(c, FINDING_NOTE, "parameters",
               "p starts on a bound; a search moves it inside first.");
  check_free(c);
  f->max = HUGE_VAL;
  c = check_run(k.problem);
  assert_found(c, FINDING_WARNING, "parameters", "p has no upper bound");
  check_free(c);
  f->max = f->min = f->start;
  c = check_run(k.problem);
  assert_found(c, FINDING_ERROR, "parameters", "p: min and max are both 1");
  check_free(c);
  known_close(&k);
}

static void a_start_that_cannot_be_simulated_is_told(void **state) {
  (void)state;
  static const char ESCAPE[] = "model Escape\n  parameter Real a = 1;\n"
                               "  Real x(start = 1, fixed = true);\n"
                               "equation\n  der(x) = a*x^2 - x;\nend Escape;\n";
  Known k = {.text = ESCAPE,
             .measured = {"x"},
             .stop = 5,
             .step = 0.05,
             .estimate = "a: {start: 3, min: 0, max: 5}",
             .truth = {0.5}};
  known_open(&k);
  Check *c = check_run(k.problem);
  assert_false(c->starts);
  assert_null(c->statistics);
  assert_true(c->objective_start == HUGE_VAL);
  assert_found(c, FINDING_ERROR, "start", "The model cannot be simulated at the start values:");
  assert_found(c, FINDING_ERROR, "start", ". Change the start values under");
  check_free(c);
  known_close(&k);
}

static void start_values_that_are_not_fixed_are_told(void **state) {
  (void)state;
  Known k = {.text = "model Loose\n  parameter Real a = 1;\n  Real x(start = 1);\n"
                     "equation\n  der(x) = -a*x;\nend Loose;\n",
             .measured = {"x"},
             .stop = 5,
             .step = 0.05,
             .estimate = "a: {start: 3, min: 0, max: 5}",
             .truth = {0.5}};
  known_open(&k);
  Check *c = check_run(k.problem);
  assert_found(c, FINDING_NOTE, "model", "The start value of x is not fixed in the model");
  check_free(c);
  known_close(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_good_problem_is_praised),
      cmocka_unit_test(sensitivity_is_that_of_a_small_change),
      cmocka_unit_test(objective_and_noise_floor_are_compared),
      cmocka_unit_test(a_fit_has_the_same_objective_and_noise),
      cmocka_unit_test(objectives_of_an_estimated_sigma_are_explained),
      cmocka_unit_test(a_sigma_unlike_the_noise_is_told),
      cmocka_unit_test(values_beyond_all_numbers_are_told),
      cmocka_unit_test(one_sample_and_constant_samples_are_called_so),
      cmocka_unit_test(a_start_out_of_step_is_told),
      cmocka_unit_test(wrong_start_values_of_the_model_are_told),
      cmocka_unit_test(an_estimated_start_value_is_no_wrong_one),
      cmocka_unit_test(spoilt_samples_are_told),
      cmocka_unit_test(what_an_input_explains_is_not_spoilt),
      cmocka_unit_test(what_noise_hides_is_not_praised),
      cmocka_unit_test(a_model_out_of_proportion_is_not_praised),
      cmocka_unit_test(missing_samples_and_gaps_are_told),
      cmocka_unit_test(coarse_sampling_is_told),
      cmocka_unit_test(channels_of_different_size_are_told),
      cmocka_unit_test(what_the_data_cannot_tell_is_told),
      cmocka_unit_test(a_number_without_effect_is_told),
      cmocka_unit_test(bounds_are_looked_at),
      cmocka_unit_test(a_start_that_cannot_be_simulated_is_told),
      cmocka_unit_test(start_values_that_are_not_fixed_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
