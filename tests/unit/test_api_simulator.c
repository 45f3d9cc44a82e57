// Functions of the caller in place of a model, and FMUs with settings, as users of the library see them.
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "entrain.h"
#include "test.h"

// ---------------------------------------------------------------- y = a exp(-k t) + u

typedef struct Decay {
  atomic_int calls, inside, most_inside;
  double fails_above; // k
  bool endless;
  double least_stop, most_stop; // of its calls
} Decay;

static bool decay(void *data, EntrainSimulatorCall *c) {
  Decay *d = data;
  int inside = atomic_fetch_add(&d->inside, 1) + 1;
  if (inside > d->most_inside) d->most_inside = inside;
  d->calls++;
  double stop = c->time_count ? c->times[c->time_count - 1] : c->start;
  if (stop < d->least_stop) d->least_stop = stop;
  if (stop > d->most_stop) d->most_stop = stop;
  double a = c->parameters[0], k = c->parameters[1], u;
  while (d->endless && c->goes_on(c)) usleep(1000);
  for (int i = 0; i < c->time_count; i++) {
    double t = c->times[i], e = exp(-k * (t - c->start));
    c->read_inputs(c, t, &u);
    c->outputs[2 * i] = a * e + u;
    c->outputs[2 * i + 1] = -k * a * e;
    if (!c->slopes) continue;
    double *s = c->slopes + 4 * i; // [output][parameter]
    s[0] = e, s[1] = -(t - c->start) * a * e;
    s[2] = -k * e, s[3] = -a * e + k * (t - c->start) * a * e;
  }
  atomic_fetch_sub(&d->inside, 1);
  if (!(k > d->fails_above) && !d->endless) return true;
  strcpy(c->message, "k is too large");
  return false;
}

static const EntrainSimulatorParameter PARAMETERS[] = {{"a", "m", 1, 0.1, 10},
                                                       {"k", "1/s", 1, 0, 20}};
static const char *const INPUTS[] = {"u"}, *const OUTPUTS[] = {"y", "rate of y"};

static EntrainSimulator simulator(Decay *d, bool slopes) {
  d->fails_above = d->fails_above > 0 ? d->fails_above : 1e300;
  return (EntrainSimulator){.size = sizeof(EntrainSimulator),
                            .name = "decay",
                            .parameters = PARAMETERS,
                            .parameter_count = 2,
                            .inputs = INPUTS,
                            .input_count = 1,
                            .outputs = OUTPUTS,
                            .output_count = 2,
                            .simulate = decay,
                            .data = d,
                            .has_slopes = slopes};
}

static char folder[] = "/tmp/entrain_test_XXXXXX";
static char path[100];

static int write_data(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/d.csv", folder);
  FILE *f = fopen(path, "w");
  fputs("t,y,u\n", f);
  for (int i = 0; i <= 200; i++) {
    double t = 0.02 * i, u = 0.1 * sin(t), noise = 1e-3 * sin(1e4 * i * i);
    fprintf(f, "%.17g,%.17g,%.17g\n", t, 2 * exp(-1.5 * t) + u + noise, u);
  }
  fclose(f);
  return 0;
}

static int remove_data(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

static const char PROBLEM[] = "model: {function: decay}\n"
                              "experiments:\n"
                              "  - data: d.csv\n"
                              "    measure: {y: y}\n"
                              "    inputs: {u: u}\n"
                              "estimate:\n"
                              "  a: {start: 1}\n"
                              "  k: {start: 5}\n";

static EntrainProblem *problem(const EntrainSimulator *s, const EntrainSetting *set, int count) {
  EntrainError e = {.size = sizeof e};
  EntrainProblem *p =
      entrain_problem_parse_with("p.yaml", folder, PROBLEM, strlen(PROBLEM), set, count, s, &e);
  if (!p) print_error("%s\n", e.text);
  return p;
}

static void assert_found(const EntrainFit *fit) {
  EntrainEstimate e = {.size = sizeof e};
  assert_true(entrain_fit_estimate(fit, 0, &e));
  assert_close(e.value, 2, 1e-3);
  assert_true(entrain_fit_estimate(fit, 1, &e));
  assert_close(e.value, 1.5, 1e-3);
}

static void a_function_is_fitted(void **state) {
  (void)state;
  double value[2];
  for (int slopes = 0; slopes < 2; slopes++) {
    Decay d = {0};
    EntrainSimulator s = simulator(&d, slopes);
    EntrainSetting lm = {"method", "lm", true};
    EntrainProblem *p = problem(&s, &lm, 1);
    assert_non_null(p);
    EntrainError e = {.size = sizeof e};
    EntrainFit *fit = entrain_fit_run(p, NULL, NULL, &e);
    assert_non_null(fit);
    assert_found(fit);
    EntrainEstimate k = {.size = sizeof k};
    entrain_fit_estimate(fit, 1, &k);
    value[slopes] = k.value;
    assert_int_equal(d.most_inside, 1); // it is not concurrent
    entrain_fit_free(fit);
    entrain_problem_free(p);
  }
  assert_close(value[0], value[1], 1e-6); // differences of whole runs serve as well
}

static void a_function_is_simulated_with_slopes(void **state) {
  (void)state;
  for (int slopes = 0; slopes < 2; slopes++) {
    Decay d = {0};
    EntrainSimulator s = simulator(&d, slopes);
    EntrainError e = {.size = sizeof e};
    EntrainModel *m = entrain_model_of_simulator(&s, &e);
    assert_non_null(m);
    EntrainOptions *o = entrain_options_new();
    EntrainSimulation *run = entrain_simulation_new(m, o, &e);
    double t[] = {0, 1, 2}, u[] = {0.5, 0.5, 0.5};
    assert_true(entrain_simulation_times(run, 0, t, 3, &e));
    assert_true(entrain_simulation_input(run, "u", t, u, 3, &e));
    assert_true(entrain_simulation_sensitivities(run, (const char *const[]){"k"}, 1, &e));
    EntrainResult *r = entrain_simulation_run(run, &e);
    if (!r) print_error("%s\n", e.text);
    assert_non_null(r);
    assert_int_equal(entrain_result_rows(r), 3);
    assert_close(entrain_result_column(r, 1)[1], exp(-1) + 0.5, 1e-12);
    assert_close(entrain_result_column(r, 3)[1], -exp(-1), 1e-7);
    assert_true(strstr(entrain_result_slopes(r), slopes ? "function" : "differences") != NULL);
    assert_string_equal(entrain_result_log(r), "");
    entrain_result_free(r);
    entrain_simulation_free(run);
    entrain_options_free(o);
    entrain_model_free(m);
  }
}

// The model is built anew, while the simulation still has work of the old one.
static void a_simulation_outlives_a_change_of_its_model(void **state) {
  (void)state;
  Decay d = {0};
  EntrainSimulator s = simulator(&d, false);
  EntrainError e = {.size = sizeof e};
  EntrainModel *m = entrain_model_of_simulator(&s, &e);
  EntrainOptions *o = entrain_options_new();
  EntrainSimulation *run = entrain_simulation_new(m, o, &e);
  double t[] = {0, 1}, u[] = {0, 0};
  assert_true(entrain_simulation_grid(run, 0, 1, 0.5, &e));
  assert_true(entrain_simulation_input(run, "u", t, u, 2, &e));
  for (int i = 1; i <= 3; i++) {
    char value[20];
    snprintf(value, sizeof value, "%d", i);
    assert_true(entrain_model_set(m, "a", value, &e));
    EntrainResult *r = entrain_simulation_run(run, &e);
    assert_non_null(r);
    assert_close(entrain_result_column(r, 1)[2], i * exp(-1), 1e-12);
    entrain_result_free(r);
  }
  assert_true(entrain_model_set(m, "a", "9", &e));
  entrain_simulation_free(run);
  entrain_options_free(o);
  entrain_model_free(m);
}

// A simulator may choose its steps by the end of the run: that of the runs for slopes by a delay is the same.
static void a_delay_does_not_change_the_end_of_a_run(void **state) {
  (void)state;
  Decay d = {.least_stop = 1e300};
  EntrainSimulator s = simulator(&d, false);
  static const char TEXT[] = "model: {function: decay}\n"
                             "experiments:\n"
                             "  - data: d.csv\n"
                             "    measure: {y: {column: y, delay: {start: 0.1, min: 0, max: 0.3}},"
                             " 'rate of y': y}\n"
                             "    inputs: {u: u}\n"
                             "estimate: {}\nmethod: lm\n";
  EntrainError e = {.size = sizeof e};
  EntrainProblem *p =
      entrain_problem_parse_with("p.yaml", folder, TEXT, strlen(TEXT), NULL, 0, &s, &e);
  if (!p) fail_msg("%s", e.text);
  EntrainFit *fit = entrain_fit_run(p, NULL, NULL, &e);
  assert_non_null(fit);
  assert_true(d.calls > 3);
  assert_close(d.least_stop, d.most_stop, 0);
  entrain_fit_free(fit);
  entrain_problem_free(p);
}

static void a_function_that_fails_is_an_outcome(void **state) {
  (void)state;
  Decay d = {.fails_above = 4};
  EntrainSimulator s = simulator(&d, true);
  EntrainSetting set[] = {{"method", "ga", true}, {"max_simulations", "400", true}};
  EntrainProblem *p = problem(&s, set, 2);
  EntrainError e = {.size = sizeof e};
  EntrainFit *fit = entrain_fit_run(p, NULL, NULL, &e);
  assert_non_null(fit);
  char *json = entrain_fit_json(fit);
  assert_non_null(strstr(json, "k is too large"));
  assert_non_null(strstr(json, "simulator-error"));
  entrain_text_free(json);
  entrain_fit_free(fit);
  entrain_problem_free(p);
}

static void a_function_hears_that_time_is_up(void **state) {
  (void)state;
  Decay d = {.endless = true};
  EntrainSimulator s = simulator(&d, true);
  EntrainSetting limit = {"max_seconds", "0.2", true};
  EntrainProblem *p = problem(&s, &limit, 1);
  EntrainError e = {.size = sizeof e};
  EntrainFit *fit = entrain_fit_run(p, NULL, NULL, &e); // ends
  entrain_fit_free(fit);
  entrain_problem_free(p);
}

static void what_is_not_complete_is_an_error(void **state) {
  (void)state;
  Decay d = {0};
  EntrainError e = {.size = sizeof e};
  EntrainSimulator s = simulator(&d, true);
  s.simulate = NULL;
  assert_null(entrain_model_of_simulator(&s, &e));
  s = simulator(&d, true), s.output_count = 0;
  assert_null(entrain_model_of_simulator(&s, &e));
  static const char *const TWICE[] = {"y", "k"};
  s = simulator(&d, true), s.outputs = TWICE;
  assert_null(entrain_model_of_simulator(&s, &e));
  assert_string_equal(e.text, "the simulator has two things called 'k'");
  static const EntrainSimulatorParameter WRONG[] = {{"a", NULL, (double)NAN, 0, 1},
                                                    {"k", NULL, 1, 0, 1}};
  s = simulator(&d, true), s.parameters = WRONG;
  assert_null(entrain_model_of_simulator(&s, &e));
}

static void a_problem_names_its_function(void **state) {
  (void)state;
  static const char OTHER[] = "model: {function: other}\nexperiments: []\n";
  Decay d = {0};
  EntrainError e = {.size = sizeof e};
  EntrainSimulator s = simulator(&d, true);
  assert_null(entrain_problem_parse_with("p.yaml", folder, OTHER, strlen(OTHER), NULL, 0, &s, &e));
  assert_string_equal(e.text, "there is no simulator 'other'; the calling program gave 'decay'; "
                              "functions are given by programs that use the library");
  assert_int_equal(e.line, 1);
  assert_null(entrain_problem_parse("p.yaml", folder, PROBLEM, strlen(PROBLEM), NULL, 0, &e));
  assert_string_equal(e.text, "there is no simulator 'decay'; functions are given by programs that "
                              "use the library");
  static const char FILE_NAME[] = "model: a.mo\nexperiments: []\n";
  assert_null(
      entrain_problem_parse_with("p.yaml", folder, FILE_NAME, strlen(FILE_NAME), NULL, 0, &s, &e));
}

static void settings_of_an_fmu_are_checked(void **state) {
  (void)state;
  EntrainError e = {.size = sizeof e};
  assert_null(entrain_fmu_load("none.fmu",
                               &(EntrainFmu){.size = sizeof(EntrainFmu), .interface = "both"}, &e));
  assert_string_equal(e.text, "interface must be me or cs, not 'both'");
  assert_null(
      entrain_fmu_load("none.fmu", &(EntrainFmu){.size = sizeof(EntrainFmu), .timeout = -1}, &e));
  assert_null(entrain_fmu_report("none.fmu", ENTRAIN_REPORT_DOT, &e));
  assert_int_equal(e.exit_status, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_function_is_fitted),
      cmocka_unit_test(a_function_is_simulated_with_slopes),
      cmocka_unit_test(a_simulation_outlives_a_change_of_its_model),
      cmocka_unit_test(a_delay_does_not_change_the_end_of_a_run),
      cmocka_unit_test(a_function_that_fails_is_an_outcome),
      cmocka_unit_test(a_function_hears_that_time_is_up),
      cmocka_unit_test(what_is_not_complete_is_an_error),
      cmocka_unit_test(a_problem_names_its_function),
      cmocka_unit_test(settings_of_an_fmu_are_checked),
  };
  return cmocka_run_group_tests(tests, write_data, remove_data);
}
