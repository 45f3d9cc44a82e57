// Problems, fits, checks and studies as users of the library see them.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "entrain.h"
#include "test.h"

// ---------------------------------------------------------------- set-up: x' = -k x, k = 2, in a folder of its own

typedef struct Setup {
  char folder[64];
  EntrainError error;
} Setup;

static void write_file(const Setup *s, const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", s->folder, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static const char MODEL[] =
    "model Decay\n  parameter Real k(min = 0.01, max = 50, unit = \"1/s\") = "
    "1;\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -k*x;\n"
    "end Decay;\n";
static const char PROBLEM[] = "model: decay.mo\nexperiments:\n  - {data: a.csv, measure: {x: x}}\n"
                              "  - {data: b.csv, measure: {x: x}, set: {x.start: 3}}\n"
                              "estimate:\n  k: {start: 0.5, per_experiment: true}\n";

static void write_data(const Setup *s, const char *name, double start, double rate) {
  static char text[40000];
  strcpy(text, "t,x\n");
  for (int i = 0; i <= 400; i++) {
    double t = i / 200.0, ripple = 1e-3 * sin(1e4 * i * i);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%.17g,%.17g\n", t,
             start * exp(-rate * t) + ripple);
  }
  write_file(s, name, text);
}

static int set_up(void **state) {
  Setup *s = calloc(1, sizeof *s);
  strcpy(s->folder, "/tmp/entrain-test-XXXXXX");
  assert_non_null(mkdtemp(s->folder));
  write_file(s, "decay.mo", MODEL);
  write_data(s, "a.csv", 1, 2);
  write_data(s, "b.csv", 3, 0.7);
  *state = s;
  return 0;
}

static int tear_down(void **state) {
  Setup *s = *state;
  char path[128];
  for (const char *const *name = (const char *const[]){"decay.mo", "a.csv", "b.csv", NULL}; *name;
       name++) {
    snprintf(path, sizeof path, "%s/%s", s->folder, *name);
    unlink(path);
  }
  rmdir(s->folder);
  free(s);
  return 0;
}

static EntrainProblem *parse(Setup *s, const char *text, const EntrainSetting *settings,
                             int count) {
  return entrain_problem_parse("test.yaml", s->folder, text, strlen(text), settings, count,
                               &s->error);
}

static EntrainProblem *parse_well(Setup *s) {
  EntrainProblem *p = parse(s, PROBLEM, NULL, 0);
  if (!p) fail_msg("%s:%d: %s", s->error.file, s->error.line, s->error.text);
  return p;
}

// ---------------------------------------------------------------- problems

static void a_problem_tells_its_unknowns_and_files(void **state) {
  EntrainProblem *p = parse_well(*state);
  EntrainUnknown u = {.size = sizeof u};
  assert_int_equal(entrain_problem_unknown_count(p), 2);
  assert_true(entrain_problem_unknown(p, 1, &u));
  assert_string_equal(u.name, "k[b]");
  assert_string_equal(u.unit, "1/s");
  assert_close(u.start, 0.5, 0);
  assert_close(u.max, 50, 0);
  assert_false(entrain_problem_unknown(p, 2, &u));
  assert_false(entrain_problem_unknown(p, -1, &u));
  assert_string_equal(entrain_problem_method(p), "auto");
  assert_int_equal(entrain_problem_file_count(p), 3);
  assert_int_equal(access(entrain_problem_file(p, 0), R_OK), 0);
  assert_int_equal(access(entrain_problem_file(p, 2), R_OK), 0);
  for (int i = 0; i < 3; i++) assert_int_equal(strlen(entrain_problem_file_hash(p, i)), 64);
  assert_string_not_equal(entrain_problem_file_hash(p, 0), entrain_problem_file_hash(p, 1));
  entrain_problem_free(p);
}

static void settings_replace_the_text(void **state) {
  Setup *s = *state;
  EntrainSetting settings[] = {
      {"estimate.k.start", "7", false}, {"max_iterations", "3", true}, {"method", "lm", true}};
  EntrainProblem *p = parse(s, PROBLEM, settings, 3);
  EntrainUnknown u = {.size = sizeof u};
  assert_non_null(p);
  assert_true(entrain_problem_unknown(p, 0, &u));
  assert_close(u.start, 7, 0);
  assert_string_equal(entrain_problem_method(p), "lm");
  entrain_problem_free(p);
}

static void wrong_problems_are_errors_with_a_place(void **state) {
  Setup *s = *state;
  assert_null(parse(s, "model: decay.mo\nexperimens: []\n", NULL, 0));
  assert_int_equal(s->error.exit_status, 2);
  assert_int_equal(s->error.line, 2);
  assert_non_null(strstr(s->error.text, "experiments"));
  assert_null(entrain_problem_load("/nonexistent/x.yaml", NULL, 0, &s->error));
  assert_int_equal(s->error.exit_status, 2);
  assert_null(entrain_problem_load("/nonexistent/x.yaml", NULL, 0, NULL));
}

static void starts_are_set_by_name(void **state) {
  Setup *s = *state;
  EntrainProblem *p = parse_well(s);
  EntrainUnknown u = {.size = sizeof u};
  assert_true(entrain_problem_set_start(p, "k", 3, &s->error)); // both
  assert_true(entrain_problem_set_start(p, "k[b]", 4, &s->error));
  entrain_problem_unknown(p, 0, &u);
  assert_close(u.start, 3, 0);
  entrain_problem_unknown(p, 1, &u);
  assert_close(u.start, 4, 0);
  assert_false(entrain_problem_set_start(p, "k[c]", 4, &s->error));
  assert_non_null(strstr(s->error.text, "did you mean 'k["));
  assert_false(entrain_problem_set_start(p, "k", 51, &s->error));
  assert_false(entrain_problem_set_start(p, "k", nan(""), &s->error));
  entrain_problem_free(p);
}

// ---------------------------------------------------------------- fits

static void a_fit_has_everything_that_was_promised(void **state) {
  Setup *s = *state;
  EntrainProblem *p = parse_well(s);
  EntrainFit *f = entrain_fit_run(p, NULL, NULL, &s->error);
  EntrainEstimate e = {.size = sizeof e};
  EntrainQuality q = {.size = sizeof q};
  EntrainChannel c = {.size = sizeof c};
  EntrainFitWork w = {.size = sizeof w};
  assert_non_null(f);
  assert_int_equal(entrain_fit_outcome(f), ENTRAIN_FIT_CONVERGED);
  assert_string_equal(entrain_fit_outcome_name(f), "converged");
  assert_int_equal(entrain_fit_count(f), 2);
  assert_true(entrain_fit_estimate(f, 0, &e));
  assert_close(e.value, 2, 0.01);
  assert_true(e.identifiable && e.std_error > 0 && e.ci_low < e.value && e.value < e.ci_high);
  assert_close(entrain_fit_covariance(f, 0, 0), e.std_error * e.std_error, 1e-6 * e.std_error);
  assert_close(entrain_fit_correlation(f, 1, 1), 1, 1e-12);
  assert_true(entrain_fit_estimate(f, 1, &e));
  assert_close(e.value, 0.7, 0.01);
  assert_false(entrain_fit_estimate(f, 2, &e));
  assert_true(isnan(entrain_fit_covariance(f, 2, 0)));
  entrain_fit_quality(f, &q);
  assert_true(q.certain && q.objective < q.objective_start && q.rank == 2 && q.samples == 802);
  assert_int_equal(entrain_fit_channel_count(f), 2);
  assert_true(entrain_fit_channel(f, 1, &c));
  assert_string_equal(c.experiment_name, "b");
  assert_int_equal(c.n, 401);
  assert_true(c.fit_percent > 99 && c.rmse < 2e-3);
  assert_int_equal(entrain_fit_direction_count(f), 0);
  entrain_fit_work(f, &w);
  assert_true(w.iterations > 0 && w.rhs > 0);
  entrain_fit_free(f);
  entrain_problem_free(p);
}

// The mean square over both experiments is that of all samples.
static void errors_of_experiments_are_pooled(void **state) {
  Setup *s = *state;
  EntrainProblem *p = parse_well(s);
  EntrainFit *f = entrain_fit_run(p, NULL, NULL, &s->error);
  ENTRAIN_STRUCT(EntrainPooled, e);
  double square = 0;
  for (int i = 0; i < 2; i++) {
    ENTRAIN_STRUCT(EntrainChannel, c);
    assert_true(entrain_fit_channel(f, i, &c));
    square += c.rmse * c.rmse * c.n;
  }
  assert_int_equal(entrain_fit_pooled_count(f), 1);
  assert_true(entrain_fit_pooled(f, 0, &e));
  assert_string_equal(e.variable, "x");
  assert_string_equal(e.role, "fit");
  assert_string_equal(e.window, "");
  assert_true(e.n == 802 && e.experiments == 2 && e.failed == 0 && e.fit_percent > 99);
  assert_close(e.rmse, sqrt(square / 802), 1e-15);
  assert_false(entrain_fit_pooled(f, 1, &e));
  assert_false(entrain_fit_pooled(f, -1, &e));
  assert_false(entrain_fit_pooled(f, 0, NULL));
  assert_false(entrain_fit_pooled(NULL, 0, &e));
  assert_int_equal(entrain_fit_pooled_count(NULL), 0);
  entrain_fit_free(f);
  entrain_problem_free(p);
}

static int count_lines(const char *text) {
  int count = 0;
  for (; *text; text++) count += *text == '\n';
  return count;
}

// Gradient and Hessian at any point, against differences of objective and gradient.
static void derivatives_of_the_objective_are_those_of_differences(void **state) {
  Setup *s = *state;
  EntrainProblem *p = parse_well(s);
  const double at[] = {1.3, 0.9}, h = 1e-4;
  EntrainFit *f = entrain_evaluate(p, at, 0, &s->error);
  assert_non_null(f);
  assert_true(isnan(entrain_fit_hessian(f, 0, 0)));
  assert_true(entrain_fit_find_hessian(f, &s->error));
  for (int i = 0; i < 2; i++) {
    double up[] = {at[0], at[1]}, down[] = {at[0], at[1]};
    EntrainQuality above = {.size = sizeof above}, below = {.size = sizeof below};
    up[i] += h, down[i] -= h;
    EntrainFit *a = entrain_evaluate(p, up, 0, &s->error),
               *b = entrain_evaluate(p, down, 0, &s->error);
    entrain_fit_quality(a, &above), entrain_fit_quality(b, &below);
    double slope = (above.objective - below.objective) / (2 * h);
    assert_close_relative(entrain_fit_gradient(f, i), slope, 1e-5);
    for (int j = 0; j < 2; j++) {
      double second = (entrain_fit_gradient(a, j) - entrain_fit_gradient(b, j)) / (2 * h);
      assert_close(entrain_fit_hessian(f, i, j), second, 1e-4 * fabs(entrain_fit_hessian(f, i, i)));
    }
    entrain_fit_free(a), entrain_fit_free(b);
  }
  assert_true(isnan(entrain_fit_gradient(f, 2)) && isnan(entrain_fit_hessian(f, 0, 2)));
  char *json = entrain_fit_json(f);
  assert_non_null(strstr(json, "\"gradient\""));
  assert_non_null(strstr(json, "\"hessian\""));
  entrain_text_free(json);
  entrain_fit_free(f);
  assert_false(entrain_fit_find_hessian(NULL, &s->error));
  entrain_problem_free(p);
}

static void texts_belong_to_the_caller(void **state) {
  Setup *s = *state;
  EntrainProblem *p = parse_well(s);
  EntrainFit *f = entrain_fit_run(p, NULL, NULL, &s->error);
  char *report = entrain_fit_report(f, 80, false), *json = entrain_fit_json(f),
       *trace = entrain_fit_trace_csv(f), *residuals = entrain_fit_residuals_csv(f, &s->error);
  entrain_fit_free(f);
  entrain_problem_free(p);
  assert_non_null(strstr(report, "k[a]"));
  assert_non_null(strstr(json, "\"name\": \"k[a]\""));
  assert_true(count_lines(trace) >= 2);
  assert_int_equal(count_lines(residuals), 1 + 2 * 401);
  char *all[] = {report, json, trace, residuals};
  for (int i = 0; i < 4; i++) entrain_text_free(all[i]);
}

typedef struct Listener {
  int calls, stop_after;
} Listener;

static void pictures_outlive_the_fit(void **state) {
  Setup *s = *state;
  EntrainProblem *p = parse_well(s);
  EntrainFit *f = entrain_fit_run(p, NULL, NULL, &s->error);
  EntrainFigures *figures = entrain_fit_figures(f);
  entrain_fit_free(f);
  entrain_problem_free(p);
  int n = entrain_figures_count(figures), motions = 0;
  for (int i = 0; i < n; i++) {
    size_t length = 0;
    char *svg = entrain_figures_svg(figures, i), *png = entrain_figures_png(figures, i, &length);
    assert_non_null(strstr(svg, "</svg>"));
    assert_true(length > 100 && memcmp(png, "\x89PNG", 4) == 0);
    assert_non_null(entrain_figures_title(figures, i));
    const char *name = entrain_figures_name(figures, i);
    motions += strcmp(name, "data-and-model-a") == 0 || strcmp(name, "data-and-model-b") == 0;
    entrain_text_free(svg);
    entrain_text_free(png);
  }
  assert_int_equal(motions, 2);
  assert_null(entrain_figures_name(figures, n));
  assert_null(entrain_figures_svg(figures, -1));
  assert_null(entrain_fit_figures(NULL));
  assert_int_equal(entrain_figures_count(NULL), 0);
  entrain_figures_free(figures);
  entrain_figures_free(NULL);
}

static bool listen(void *data, const EntrainProgress *p) {
  Listener *l = data;
  assert_non_null(p->stage);
  assert_true(p->values[0] >= 0.01 && p->values[0] <= 50);
  return ++l->calls <= l->stop_after;
}

static void a_listener_can_stop_a_fit(void **state) {
  Setup *s = *state;
  EntrainProblem *p = parse_well(s);
  Listener patient = {.stop_after = 1 << 30}, hasty = {.stop_after = 0};
  EntrainFit *f = entrain_fit_run(p, listen, &patient, &s->error);
  assert_int_equal(entrain_fit_outcome(f), ENTRAIN_FIT_CONVERGED);
  assert_true(patient.calls > 0);
  entrain_fit_free(f);
  f = entrain_fit_run(p, listen, &hasty, &s->error);
  assert_int_equal(entrain_fit_outcome(f), ENTRAIN_FIT_STOPPED);
  char *json = entrain_fit_json(f);
  assert_non_null(strstr(json, "\"outcome\": \"stopped\""));
  entrain_text_free(json);
  entrain_fit_free(f);
  entrain_problem_free(p);
}

typedef struct Last {
  double best;
  int searches;
  char stage[40];
} Last;

static bool note_last(void *data, const EntrainProgress *p) {
  Last *l = data;
  assert_true(p->best <= l->best && p->searches >= l->searches);
  l->best = p->best, l->searches = p->searches;
  snprintf(l->stage, sizeof l->stage, "%s", p->stage);
  return true;
}

static void progress_tells_the_best_of_the_whole_search_to_the_end(void **state) {
  Setup *s = *state;
  EntrainProblem *p = parse_well(s);
  Last l = {.best = HUGE_VAL};
  EntrainFit *f = entrain_fit_run(p, note_last, &l, &s->error);
  EntrainQuality q = {.size = sizeof q};
  entrain_fit_quality(f, &q);
  assert_string_equal(l.stage, "statistics");
  assert_close(l.best, q.objective, 0);
  assert_true(l.searches > 0);
  entrain_fit_free(f);
  entrain_problem_free(p);
}

static bool take_third(void *data, const EntrainProgress *p) {
  Listener *l = data;
  if (isfinite(p->best) && p->enough && ++l->calls == 3) *p->enough = true;
  return true;
}

// A user who has seen enough takes the best point; all that follows a search is there.
static void a_listener_can_take_the_best_point(void **state) {
  Setup *s = *state;
  EntrainProblem *p = parse_well(s);
  Listener l = {0};
  EntrainFit *f = entrain_fit_run(p, take_third, &l, &s->error);
  EntrainEstimate e = {.size = sizeof e};
  EntrainQuality q = {.size = sizeof q};
  assert_int_equal(l.calls, 3);
  assert_int_equal(entrain_fit_outcome(f), ENTRAIN_FIT_STOPPED);
  assert_int_equal(entrain_fit_missing_count(f), 0);
  assert_true(entrain_fit_estimate(f, 0, &e) && e.std_error > 0);
  entrain_fit_quality(f, &q);
  assert_true(isfinite(q.objective) && isfinite(q.noise_ratio));
  assert_null(strstr(q.why, "no time"));
  entrain_fit_free(f);
  entrain_problem_free(p);
}

// Curves and residuals are made in different ways, with and without slopes.
static void curves_are_data_and_model(void **state) {
  Setup *s = *state;
  EntrainProblem *p = parse_well(s);
  EntrainCurves *c = entrain_curves_new(p);
  EntrainCurve one = {.size = sizeof one};
  double values[] = {2, 0.7};
  assert_int_equal(entrain_curves_count(c), 2);
  assert_true(entrain_curves_channel(c, 0, &one) && !one.model && one.n == 401);
  assert_int_equal(entrain_curves_at(c, values, 0), 2);
  for (int k = 0; k < 2; k++) {
    assert_true(entrain_curves_channel(c, k, &one));
    assert_string_equal(one.variable, "x");
    for (int i = 0; i < one.n; i++) {
      assert_close(one.t[i], i / 200.0, 1e-12);
      assert_close(one.model[i], (k ? 3 : 1) * exp(-values[k] * one.t[i]), 1e-4);
      assert_close(one.data[i], one.model[i], 2e-3);
    }
  }
  assert_int_equal(entrain_curves_at(c, values, 1), 2); // tied to the data
  assert_false(entrain_curves_channel(c, 2, &one) || entrain_curves_channel(c, -1, &one));
  assert_true(entrain_curves_at(NULL, values, 0) == 0 && entrain_curves_at(c, NULL, 0) == 0);
  assert_int_equal(entrain_curves_count(NULL), 0);
  entrain_curves_free(c);
  entrain_curves_free(NULL);
  entrain_problem_free(p);
}

static bool never(void *data) {
  ++*(int *)data;
  return false;
}

// A host that says no before the first simulation is done gets its start, and no statistics beyond a moment.
static void one_answer_stops_everything_in_a_thread(void **state) {
  Setup *s = *state;
  int asked = 0;
  EntrainProblem *p = parse_well(s);
  entrain_goes_on(never, &asked);
  EntrainFit *f = entrain_fit_run(p, NULL, NULL, &s->error);
  assert_int_equal(entrain_fit_outcome(f), ENTRAIN_FIT_STOPPED);
  assert_true(entrain_fit_missing_count(f) == 3 && asked == 1);
  assert_string_equal(entrain_fit_missing(f, 0), "residuals");
  assert_null(entrain_fit_missing(f, 3));
  assert_null(entrain_fit_missing(f, -1));
  entrain_fit_free(f);
  entrain_goes_on(never, &asked);
  EntrainCheck *c = entrain_check_run(p);
  assert_false(entrain_check_passed(c));
  entrain_check_free(c);
  entrain_goes_on(NULL, NULL);
  f = entrain_fit_run(p, NULL, NULL, &s->error);
  assert_int_equal(entrain_fit_outcome(f), ENTRAIN_FIT_CONVERGED);
  assert_int_equal(entrain_fit_missing_count(f), 0);
  entrain_fit_free(f);
  entrain_problem_free(p);
}

// ---------------------------------------------------------------- checks and studies

static void a_check_lists_findings(void **state) {
  EntrainProblem *p = parse_well(*state);
  EntrainCheck *c = entrain_check_run(p);
  EntrainFinding f = {.size = sizeof f};
  assert_true(entrain_check_passed(c));
  assert_true(entrain_check_count(c) > 2);
  assert_true(entrain_check_finding(c, 0, &f));
  assert_true(f.topic[0] && f.text[0]);
  assert_false(entrain_check_finding(c, entrain_check_count(c), &f));
  entrain_check_free(c);
  entrain_problem_free(p);
}

static bool count_trials(void *data, const EntrainTrials *t) {
  int *most = data;
  assert_true(t->succeeded <= t->done);
  return t->done < *most;
}

static void a_study_recovers_the_truth_and_can_be_stopped(void **state) {
  Setup *s = *state;
  EntrainSetting settings[] = {{"trials", "10", true}, {"noise", "0.01", true}};
  EntrainProblem *p = parse(s, PROBLEM, settings, 2);
  double truth[] = {2, 0.7};
  EntrainRecover *r = entrain_recover_run(p, truth, false, NULL, NULL, &s->error);
  EntrainTrials t = {.size = sizeof t};
  EntrainRecovered u = {.size = sizeof u};
  assert_non_null(r);
  entrain_recover_trials(r, &t);
  assert_int_equal(t.done, 10);
  assert_int_equal(t.succeeded, 10);
  assert_true(entrain_recover_unknown(r, 1, &u));
  assert_string_equal(u.name, "k[b]");
  assert_close(u.truth, 0.7, 0);
  assert_close(u.mean, 0.7, 0.01);
  assert_false(entrain_recover_unknown(r, 2, &u));
  entrain_recover_free(r);
  int most = 3;
  r = entrain_recover_run(p, truth, false, count_trials, &most, &s->error);
  entrain_recover_trials(r, &t);
  assert_int_equal(t.done, 3);
  entrain_recover_free(r);
  entrain_problem_free(p);
}

// ---------------------------------------------------------------- options and methods

static void options_of_both_tables_are_one_list(void **state) {
  Setup *s = *state;
  EntrainOptions *o = entrain_options_new();
  EntrainOption option = {.size = sizeof option};
  int groups[3] = {0};
  for (int i = 0; entrain_option(i, &option); i++) {
    groups[option.group]++;
    char first[64]; // any allowed value: the first word of a choice, else the default
    snprintf(first, sizeof first, "%.*s", (int)strcspn(option.range, " "), option.range);
    bool choice = strcmp(option.type, "choice") == 0;
    assert_true(entrain_options_set(o, option.name, choice ? first : option.default_value, NULL));
    assert_true(entrain_options_set(o, option.name, option.default_in_fit, NULL));
  }
  assert_true(groups[0] > 5 && groups[1] > 10 && groups[2] == 6);
  assert_false(entrain_options_set(o, "step_tl", "1", &s->error));
  assert_non_null(strstr(s->error.text, "'step_tol'"));
  assert_false(entrain_options_set(o, "seed", "1.5", &s->error));
  entrain_options_free(o);
}

// The help shows defaults of a fit that stand elsewhere.
static void default_options_of_a_fit_are_what_the_list_says(void **state) {
  Setup *s = *state;
  EntrainSetting settings[64];
  EntrainOption option = {.size = sizeof option};
  int count = 0;
  for (int i = 0; entrain_option(i, &option) && count < 64; i++)
    settings[count++] = (EntrainSetting){option.name, option.default_in_fit, true};
  EntrainProblem *p = parse(s, PROBLEM, settings, count);
  if (!p) fail_msg("%s", s->error.text);
  EntrainFit *f = entrain_fit_run(p, NULL, NULL, &s->error);
  char *json = entrain_fit_json(f);
  assert_non_null(strstr(json, "\"options\": {}"));
  entrain_text_free(json);
  entrain_fit_free(f);
  entrain_problem_free(p);
}

static void methods_have_names_and_meanings(void **state) {
  (void)state;
  assert_true(entrain_method_count() >= 5);
  assert_string_equal(entrain_method_name(0), "auto");
  for (int i = 0; i < entrain_method_count(); i++)
    assert_true(strlen(entrain_method_meaning(i)) > 10);
  assert_null(entrain_method_name(entrain_method_count()));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(a_problem_tells_its_unknowns_and_files),
      TEST(settings_replace_the_text),
      TEST(wrong_problems_are_errors_with_a_place),
      TEST(starts_are_set_by_name),
      TEST(a_fit_has_everything_that_was_promised),
      TEST(errors_of_experiments_are_pooled),
      TEST(derivatives_of_the_objective_are_those_of_differences),
      TEST(texts_belong_to_the_caller),
      TEST(pictures_outlive_the_fit),
      TEST(a_listener_can_stop_a_fit),
      TEST(a_listener_can_take_the_best_point),
      TEST(progress_tells_the_best_of_the_whole_search_to_the_end),
      TEST(curves_are_data_and_model),
      TEST(one_answer_stops_everything_in_a_thread),
      TEST(a_check_lists_findings),
      TEST(a_study_recovers_the_truth_and_can_be_stopped),
      TEST(options_of_both_tables_are_one_list),
      TEST(default_options_of_a_fit_are_what_the_list_says),
      TEST(methods_have_names_and_meanings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
