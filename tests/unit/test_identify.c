// What the data of the published cases can and cannot tell, at the truth.
#include "assessed.h"
#include "made_problem.h"
#include "num/random.h"
#include "stats/assess.h"
#include "threshold.h"

enum { MOST = 8 };

typedef struct Case {
  Made made;
  Evaluation *evaluation;
  Statistics *s;
  const double *truth;
} Case;

static double *samples(const Case *c) {
  return (double *)(uintptr_t)c->made.problem->experiments[0].channels[0].y;
}

static void take_model(void *data, const ResidualBlock *b) { // data become those of the model
  const Case *c = data;
  const double *r = b->column[c->made.problem->unknown_count];
  for (int i = 0; i < b->rows; i++) samples(c)[b->first + i] += r[i] / b->scale[i];
}

static void open_case(Case *c, const char *model, const char *measured, double stop, int rows,
                      const char *estimate, const double *truth) {
  char *data = malloc((size_t)rows * 40 + 20), yaml[1500], *path = realpath(model, NULL);
  assert_non_null(path);
  *c = (Case){.truth = truth};
  made_open(&c->made);
  size_t length = (size_t)sprintf(data, "t,y\n");
  for (int i = 0; i < rows; i++)
    length += (size_t)sprintf(data + length, "%.17g,%d\n", stop * i / (rows - 1), i % 5);
  made_file(&c->made, "data.csv", data);
  snprintf(yaml, sizeof yaml,
           "model: %s\nexperiments:\n  - data: data.csv\n    measure: {%s: y}\nestimate: {%s}\n",
           path, measured, estimate);
  Problem *p = made_load(&c->made, yaml);
  Evaluation *o = evaluation_new(p);
  assert_true(evaluation_rows(o, truth, false, take_model, c));
  evaluation_free(o);
  c->evaluation = evaluation_new(p);
  free(data);
  free(path);
}

static void add_noise(Case *c, double size) { // formula (9)
  Random random;
  random_seed(&random, 1);
  for (int i = 0; i < c->made.problem->experiments[0].channels[0].count; i++)
    samples(c)[i] *= 1 + size * random_normal(&random);
  evaluation_free(c->evaluation);
  c->evaluation = evaluation_new(c->made.problem);
}

static void analyse_at(Case *c, const double *x) {
  FitResult r = {.x = (double *)(uintptr_t)x};
  statistics_free(c->s);
  c->s = statistics_of(c->evaluation, &r);
}

static void analyse(Case *c) {
  analyse_at(c, c->truth);
}

// Also of what is not determined.
static double relative_error(const Case *c, int k) {
  return sqrt(c->s->covariance[k * c->s->n + k]) / c->truth[k];
}

static void close_case(Case *c) {
  statistics_free(c->s);
  evaluation_free(c->evaluation);
  made_close(&c->made);
}

static const char DAMPER[] = "c0: {start: 1, min: 1, max: 400}, k0: {start: 1, min: 1, max: 400}, "
                             "A: {start: 1, min: 1, max: "
                             "400}, alpha: {start: 1, min: 1, max: 1000}, beta: {start: 1, min: 1, "
                             "max: 400}, gamma: {start: "
                             "1, min: 1, max: 400}, n: {start: 1, min: 1, max: 2.5}";

static void assert_damper(const Statistics *s, double product, double power) {
  assert_int_equal(s->rank, 6);
  assert_int_equal(s->direction_count, 1);
  const StatDirection *d = s->directions;
  assert_true(d->structural && d->confirmed && d->confirmed_change < 1e-7);
  assert_int_equal(d->combination_count, 3);
  assert_string_equal(d->combinations[0].text, "alpha*A");
  assert_string_equal(d->combinations[1].text, "beta*alpha^(1-n)");
  assert_string_equal(d->combinations[2].text, "gamma*alpha^(1-n)");
  assert_close_relative(d->combinations[0].value, product, 1e-12);
  assert_close_relative(d->combinations[1].value, power, 1e-12);
  for (int k = 0; k < 7; k++) assert_int_equal(s->parameters[k].identifiable, k < 2 || k == 6);
}

// Rank 6 of 7 and the three combinations, anywhere on the orbit, and at the start where n = 1 hides the powers.
static void the_damper_shows_three_combinations(void **state) {
  (void)state;
  static const double truth[] = {50, 25, 120, 880, 100, 100, 2};
  static const double orbit[] = {50, 25, 198.272727, 532.6, 60.5227273, 60.5227273, 2};
  Case c;
  open_case(&c, "models/mr_damper.mo", "F", 1, 1001, DAMPER, truth);
  analyse(&c);
  assert_damper(c.s, 105600, 100 / 880.);
  // the published figures 3.6e4, 7.9e3, 2.2e3, 787, 337, 182, in units of 1 % of the rms
  const double published[] = {3.6e4, 7.9e3, 2.2e3, 787, 337, 182};
  for (int k = 1; k < 6; k++)
    assert_close_relative(c.s->singular_values[k] / c.s->singular_values[0],
                          published[k] / published[0], 0.03);
  assert_true(c.s->singular_values[6] < 1e-8 * c.s->singular_values[0]);
  assert_true(c.s->parameters[0].std_error >= 0 && isnan(c.s->parameters[3].std_error));
  c.truth = orbit;
  analyse(&c);
  assert_damper(c.s, 198.272727 * 532.6, 60.5227273 / 532.6);
  double start[] = {1, 1, 1, 1, 1, 1, 1};
  statistics_free(c.s);
  c.s = assess_point(c.evaluation->work, start);
  assert_damper(c.s, 1, 1);
  close_case(&c);
}

static const char MOUNT[] =
    "dH2: {start: 1e-13, min: 1e-13, max: 5}, cE1: {start: 1, min: 1, max: 200}, cE2: {start: 0.1, "
    "min: 0.1, max: 20}, dE: {start: 1e-6, min: 1e-6, max: 5}";
static const double mount[] = {2e-9, 123, 2.5, 5e-3};

static void the_mount_in_published_units_hides_a_damping(void **state) {
  (void)state;
  Case c;
  open_case(&c, "models/mount_published.mo", "x1", 5, 5001, MOUNT, mount);
  analyse(&c);
  const StatParameter *p = c.s->parameters;
  const double published[] = {207, 6.5, .026, 3.2e-9};
  for (int k = 1; k < 4; k++)
    assert_close_relative(c.s->singular_values[k] / c.s->singular_values[0],
                          published[k] / published[0], 0.03);
  assert_int_equal(c.s->rank, 3);
  assert_false(p[0].identifiable || p[0].inactive);
  assert_true(p[0].relative_at_1_percent > 4e6 && p[0].relative_at_1_percent < 6e6);
  assert_non_null(strstr(p[0].reason, "is 5.4e+06 times its value"));
  assert_true(p[1].identifiable && p[2].identifiable && p[3].identifiable);
  assert_false(c.s->directions[0].structural);
  add_noise(&c, 0.01);
  analyse(&c);
  p = c.s->parameters;
  assert_false(p[0].identifiable || p[3].identifiable);
  const double errors[] = {4.7e6, 7.1e-4, 4.3e-3, 25.7}; // published
  for (int k = 0; k < 4; k++) assert_close_relative(relative_error(&c, k), errors[k], 0.1);
  assert_true(isnan(p[0].std_error) && isnan(p[3].ci_low) && isnan(p[3].ci_high));
  assert_non_null(strstr(p[3].reason, "It trades with dH2"));
  close_case(&c);
}

// Where fits of noisy data end: a damping at its bound, the other makes up for it. Its value would seem to be determined if
// the first were known.
static void a_damping_at_its_bound_hides_the_other(void **state) {
  (void)state;
  static const double end[] = {3.4e-4, 122.954, 2.5053, 1e-6};
  Case c;
  open_case(&c, "models/mount_published.mo", "x1", 5, 5001, MOUNT, mount);
  add_noise(&c, 0.01);
  analyse_at(&c, end);
  const StatParameter *p = c.s->parameters;
  assert_false(p[0].identifiable || p[3].identifiable);
  assert_true(p[1].identifiable && p[2].identifiable && p[3].at_bound);
  assert_true(p[1].ci_low < 123 && 123 < p[1].ci_high && p[2].ci_low < 2.5 && 2.5 < p[2].ci_high);
  assert_true(isnan(p[0].std_error) && isnan(p[3].std_error));
  assert_non_null(strstr(p[0].reason, "times its value. It trades with dE (correlation -0.9999), "
                                      "which is at its lower bound."));
  assert_non_null(
      strstr(p[3].reason, "dE is at its lower bound 1e-06 with a standard error of 0.1"));
  assert_int_equal(c.s->direction_count, 1);
  assert_non_null(strstr(c.s->directions[0].text, "how dH2 and dE share their effect"));
  close_case(&c);
}

static void the_mount_in_consistent_units_shows_everything(void **state) {
  (void)state;
  Case c;
  open_case(&c, "models/mount_consistent.mo", "x1", 5, 5001, MOUNT, mount);
  add_noise(&c, 0.01);
  analyse(&c);
  assert_int_equal(c.s->rank, 4);
  assert_int_equal(c.s->direction_count, 0);
  const double published[] = {.085, 1.5e-4, 5.8e-4, 2.1e-3};
  for (int k = 0; k < 4; k++) {
    assert_true(c.s->parameters[k].identifiable);
    assert_close_relative(c.s->parameters[k].std_error / mount[k], published[k], 0.15);
  }
  close_case(&c);
}

// ---------------------------------------------------------------- the units of the noise

// Two measured waves over whole periods, 200 samples: their columns are orthogonal, of length 10 times their amplitude.
enum { WAVE_ROWS = 200 };
typedef struct Waves {
  const char *equations; // of y and z
  const char *measure;   // of the problem file
  double exact;          // rel_tol; 0: no states, so that only rounding limits the accuracy
} Waves;

static void open_waves(Case *c, const Waves *w) {
  static const double truth[] = {1, 1};
  char model[1000], yaml[1500], data[20000] = "t,y,z\n";
  *c = (Case){.truth = truth};
  made_open(&c->made);
  snprintf(
      model, sizeof model,
      "model Waves\n  parameter Real a = 1, b = 1;\n  Real y, z;\n%sequation\n%s%send Waves;\n",
      w->exact > 0 ? "  Real state(start = 0, fixed = true);\n" : "",
      w->exact > 0 ? "  der(state) = -state;\n" : "", w->equations);
  for (int i = 0; i < WAVE_ROWS; i++)
    sprintf(data + strlen(data), "%.17g,0,0\n", 2 * acos(-1) * 10 * i / WAVE_ROWS);
  snprintf(yaml, sizeof yaml,
           "model: model.mo\nexperiments:\n  - data: data.csv\n    measure: {%s}\n"
           "estimate: {a: {start: 1, min: 0.01, max: 100}, b: {start: 1, min: 0.01, max: 100}}\n"
           "options: {rel_tol: %g}\n",
           w->measure, w->exact > 0 ? w->exact : 1e-8);
  made_file(&c->made, "model.mo", model);
  made_file(&c->made, "data.csv", data);
  made_load(&c->made, yaml);
  c->evaluation = evaluation_new(c->made.problem);
}

static void take_every_channel(void *data, const ResidualBlock *b) {
  const Case *c = data;
  const Channel *channel = &c->made.problem->experiments[0].channels[b->channel];
  double *y = (double *)(uintptr_t)channel->y;
  const double *r = b->column[c->made.problem->unknown_count];
  for (int i = 0; i < b->rows; i++) y[b->first + i] += r[i] / b->scale[i];
}

static bool all_determined(const Statistics *s) {
  for (int k = 0; k < s->n; k++)
    if (!s->parameters[k].identifiable || isnan(s->parameters[k].std_error)) return false;
  return s->direction_count == 0 && s->rank == s->n;
}

// Data without errors; a given sigma is the noise.
static void analyse_waves(Case *c, const Waves *w) {
  open_waves(c, w);
  Evaluation *o = evaluation_new(c->made.problem);
  assert_true(evaluation_rows(o, c->truth, false, take_every_channel, c));
  evaluation_free(o);
  evaluation_free(c->evaluation);
  c->evaluation = evaluation_new(c->made.problem);
  analyse(c);
}

static bool waves_determine(const Waves *w) {
  Case c;
  analyse_waves(&c, w);
  bool yes = all_determined(c.s);
  close_case(&c);
  return yes;
}

// s of a is 1.25e7, so that 1 is less than ten times the accuracy of the simulation beside it.
static bool determined_with_sigma(void *data, double sigma) {
  (void)data;
  char measure[200];
  snprintf(measure, sizeof measure, "y: {sigma: 8e-7}, z: {sigma: %.17g}", sigma);
  return waves_determine(&(Waves){"  y = a*cos(time);\n  z = b*sin(time);\n", measure, 1e-8});
}

static void a_direction_is_hidden_where_the_noise_is_larger_than_what_it_changes(void **state) {
  (void)state;
  assert_threshold(determined_with_sigma, NULL, 10);
}

// s of a is 5e13.
static bool determined_beside_a_strong_one(void *data, double sigma) {
  (void)data;
  char measure[200];
  snprintf(measure, sizeof measure, "y: {sigma: 2e-13}, z: {sigma: %.17g}", sigma);
  return waves_determine(&(Waves){"  y = a*cos(time);\n  z = b*sin(time);\n", measure, 0});
}

static void what_is_1e_12_of_the_strongest_is_rounding(void **state) {
  (void)state;
  assert_threshold(determined_beside_a_strong_one, NULL, 0.2);
}

static bool undetermined_without_noise(void *data, double amplitude) {
  (void)data;
  char equations[200];
  snprintf(equations, sizeof equations, "  y = a*cos(time) + %.17g*b*sin(time);\n  z = y;\n",
           amplitude);
  return !waves_determine(&(Waves){equations, "y: y", 1e-8});
}

static void without_noise_the_accuracy_of_the_simulation_is_the_limit(void **state) {
  (void)state;
  assert_threshold(undetermined_without_noise, NULL, 1e-7);
}

// Columns that enclose this angle, with columns of length 1: the smallest singular value is the angle by the root of 2.
static bool lost_at_angle(void *data, double angle) {
  (void)data;
  char equations[200];
  snprintf(equations, sizeof equations,
           "  y = a*cos(time) + b*(cos(time) + %.17g*sin(time));\n  z = y;\n", angle);
  Case c;
  analyse_waves(&c, &(Waves){equations, "y: {sigma: 4e-13}", 0});
  bool lost = isnan(c.s->covariance[0]);
  close_case(&c);
  return lost;
}

static void columns_are_told_apart_down_to_rounding(void **state) {
  (void)state;
  assert_threshold(lost_at_angle, NULL, sqrt(2) * 1e-12);
}

// Motion that magnifies changes 1e9 times determines what it magnifies less all the same.
static void chaotic_data_determine_the_parameters(void **state) {
  (void)state;
  static const double truth[] = {10, 28, 8. / 3};
  Case c;
  open_case(&c, "models/lorenz.mo", "x", 30, 1501,
            "sigma: {start: 10, min: 1, max: 50}, rho: {start: 28, min: 1, max: 100}, "
            "beta: {start: 2.6, min: 0.1, max: 20}",
            truth);
  add_noise(&c, 0.02);
  // Errors of simulations grow along the motion, too: what is left of them here is correlated.
  c.made.problem->options.residual_correlation = RESIDUAL_CORRELATION_OFF;
  analyse(&c);
  assert_true(c.s->singular_values[2] < 1e-7 * c.s->singular_values[0]);
  assert_true(all_determined(c.s));
  for (int k = 0; k < 3; k++) assert_true(relative_error(&c, k) < 2 / c.s->singular_values[2]);
  close_case(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_damper_shows_three_combinations),
      cmocka_unit_test(the_mount_in_published_units_hides_a_damping),
      cmocka_unit_test(a_damping_at_its_bound_hides_the_other),
      cmocka_unit_test(the_mount_in_consistent_units_shows_everything),
      cmocka_unit_test(a_direction_is_hidden_where_the_noise_is_larger_than_what_it_changes),
      cmocka_unit_test(what_is_1e_12_of_the_strongest_is_rounding),
      cmocka_unit_test(without_noise_the_accuracy_of_the_simulation_is_the_limit),
      cmocka_unit_test(columns_are_told_apart_down_to_rounding),
      cmocka_unit_test(chaotic_data_determine_the_parameters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
