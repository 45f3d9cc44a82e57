// The rules for threads that include/entrain.h states.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "entrain.h"
#include "test.h"

static const char MODEL[] =
    "model Swing\n  parameter Real w = 3;\n  parameter Real d = 0.1;\n"
    "  Real x(start = 1, fixed = true);\n  Real v(start = 0, fixed = true);\n"
    "equation\n  der(x) = v;\n  der(v) = -w^2*sin(x) - d*v;\nend Swing;\n";
static const char TEXT[] =
    "experiments: [{data: swing, measure: {x: {column: x, sigma: 0.02}}}]\n"
    "estimate: {w: {start: 2.5, min: 0.5, max: 8}, d: {start: 0.3, min: 0, max: 2}}\n"
    "options: {threads: 1}\n";

enum { ROWS = 100, THREADS = 4 };

static EntrainProblem *make_problem(void) {
  double t[ROWS], x[ROWS];
  for (int i = 0; i < ROWS; i++) {
    t[i] = i / 20.0;
    x[i] = exp(-0.05 * t[i]) * cos(2.9 * t[i]) + 0.02 * sin(1e4 * (i + 1) * (i + 7));
  }
  EntrainColumn columns[] = {{"t", NULL, t}, {"x", NULL, x}};
  EntrainTable table = {"swing", columns, 2, ROWS};
  EntrainSource source = {.size = sizeof source,
                          .text = TEXT,
                          .length = strlen(TEXT),
                          .model_text = MODEL,
                          .tables = &table,
                          .table_count = 1};
  return entrain_problem_make(&source, NULL);
}

typedef struct Found {
  double value[2], std_error[2], objective;
} Found;

static Found read_fit(const EntrainFit *f) {
  Found found;
  memset(&found, 0, sizeof found);
  for (int i = 0; i < 2; i++) {
    EntrainEstimate e = {.size = sizeof e};
    entrain_fit_estimate(f, i, &e);
    found.value[i] = e.value, found.std_error[i] = e.std_error;
  }
  EntrainQuality q = {.size = sizeof q};
  entrain_fit_quality(f, &q);
  found.objective = q.objective;
  return found;
}

typedef struct Task {
  EntrainProblem *problem; // NULL: one of its own
  const EntrainFit *fit;   // to be read
  const EntrainModel *model;
  const EntrainOptions *options;
  Found found;
  double sum;
  int length;
} Task;

static void run_all(void *(*work)(void *), Task tasks[THREADS]) {
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, work, &tasks[i]), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
}

static void *fit_one(void *data) {
  Task *t = data;
  EntrainProblem *own = t->problem ? NULL : make_problem();
  EntrainFit *f = entrain_fit_run(own ? own : t->problem, NULL, NULL, NULL);
  t->found = read_fit(f);
  entrain_fit_free(f);
  entrain_problem_free(own);
  return NULL;
}

static void fits_of_own_problems_are_equal_bit_by_bit(void **state) {
  (void)state;
  Task alone = {0}, tasks[THREADS] = {{0}};
  fit_one(&alone);
  run_all(fit_one, tasks);
  for (int i = 0; i < THREADS; i++)
    assert_memory_equal(&tasks[i].found, &alone.found, sizeof alone.found);
}

static void fits_of_one_problem_agree(void **state) {
  (void)state;
  Task alone = {0}, tasks[THREADS] = {{0}};
  EntrainProblem *p = make_problem();
  fit_one(&alone);
  for (int i = 0; i < THREADS; i++) tasks[i].problem = p;
  run_all(fit_one, tasks);
  for (int i = 0; i < THREADS; i++)
    for (int k = 0; k < 2; k++) assert_close(tasks[i].found.value[k], alone.found.value[k], 1e-7);
  entrain_problem_free(p);
}

static void *read_all(void *data) {
  Task *t = data;
  for (int n = 0; n < 5; n++) {
    char *json = entrain_fit_json(t->fit), *report = entrain_fit_report(t->fit, 80, true),
         *trace = entrain_fit_trace_csv(t->fit);
    t->length = (int)(strlen(json) + strlen(report) + strlen(trace));
    entrain_text_free(json);
    entrain_text_free(report);
    entrain_text_free(trace);
    t->found = read_fit(t->fit);
    for (int i = 0; i < entrain_fit_step_count(t->fit); i++) {
      EntrainStep s = {.size = sizeof s};
      if (entrain_fit_step(t->fit, i, &s)) t->sum += s.values[0];
    }
    t->length += (int)strlen(entrain_problem_method(t->problem));
    EntrainUnknown u = {.size = sizeof u};
    t->sum += entrain_problem_unknown(t->problem, 0, &u) ? u.start : 0;
  }
  return NULL;
}

static void several_threads_may_read_a_fit(void **state) {
  (void)state;
  EntrainProblem *p = make_problem();
  EntrainFit *f = entrain_fit_run(p, NULL, NULL, NULL);
  Task alone = {.fit = f, .problem = p}, tasks[THREADS];
  read_all(&alone);
  for (int i = 0; i < THREADS; i++) tasks[i] = (Task){.fit = f, .problem = p};
  run_all(read_all, tasks);
  for (int i = 0; i < THREADS; i++) {
    assert_memory_equal(&tasks[i].found, &alone.found, sizeof alone.found);
    assert_true(tasks[i].sum == alone.sum && tasks[i].length == alone.length);
  }
  entrain_fit_free(f);
  entrain_problem_free(p);
}

static void *simulate_one(void *data) {
  Task *t = data;
  EntrainSimulation *s = entrain_simulation_new(t->model, t->options, NULL);
  entrain_simulation_grid(s, 0, 20, 0.1, NULL);
  entrain_simulation_sensitivities(s, NULL, 0, NULL);
  for (int n = 0; n < 3; n++) {
    EntrainResult *r = entrain_simulation_run(s, NULL);
    t->sum = 0;
    for (int c = 0; c < entrain_result_columns(r); c++)
      for (int i = 0; i < entrain_result_rows(r); i++) t->sum += entrain_result_column(r, c)[i];
    entrain_result_free(r);
  }
  entrain_simulation_free(s);
  return NULL;
}

static void simulations_share_a_model(void **state) {
  (void)state;
  EntrainModel *m = entrain_model_parse("m", MODEL, strlen(MODEL), NULL);
  EntrainOptions *o = entrain_options_new();
  Task alone = {.model = m, .options = o}, tasks[THREADS];
  for (int i = 0; i < THREADS; i++) tasks[i] = alone;
  run_all(simulate_one, tasks); // nobody has made anything of it yet
  simulate_one(&alone);
  for (int i = 0; i < THREADS; i++) assert_close(tasks[i].sum / alone.sum, 1, 1e-10);
  entrain_options_free(o);
  entrain_model_free(m);
}

// entrain_goes_on is that of a thread: others do not notice.
static bool never(void *data) {
  (void)data;
  return false;
}

static void *stop_oneself(void *data) {
  Task *t = data;
  entrain_goes_on(never, NULL);
  EntrainFit *f = entrain_fit_run(t->problem, NULL, NULL, NULL);
  t->length = (int)entrain_fit_outcome(f);
  entrain_fit_free(f);
  return NULL;
}

static void stopping_is_for_one_thread(void **state) {
  (void)state;
  pthread_t thread;
  Task stopped = {.problem = make_problem()}, other = {0};
  assert_int_equal(pthread_create(&thread, NULL, stop_oneself, &stopped), 0);
  fit_one(&other);
  pthread_join(thread, NULL);
  assert_int_equal(stopped.length, ENTRAIN_FIT_STOPPED);
  assert_close(other.found.value[0], 2.97, 0.1);
  entrain_problem_free(stopped.problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fits_of_own_problems_are_equal_bit_by_bit),
      cmocka_unit_test(fits_of_one_problem_agree),
      cmocka_unit_test(several_threads_may_read_a_fit),
      cmocka_unit_test(simulations_share_a_model),
      cmocka_unit_test(stopping_is_for_one_thread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
