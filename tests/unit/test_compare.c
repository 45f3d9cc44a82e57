// A comparison tells of each method what a fit by it gives, with work counted alike.
#include "problem/read_problem.h"
#include "study/compare.h"

#include "compared.h"

static void a_row_is_what_a_fit_gives(void **state) {
  (void)state;
  static const char *const TEXTS[] = {"trust-region", "lm:derivatives=forward", "homotopy:gain=4",
                                      "auto", NULL};
  Known k = compared_decay("");
  Compared c = {.request = {.has_truth = true, .truth = k.truth}};
  const Compare *r = compared_run(&k, &c, TEXTS, NULL, NULL);
  assert_int_equal(r->done, 4);
  assert_false(r->stopped);
  for (int i = 0; i < 4; i++) {
    Problem alone = c.methods[i].problem;
    alone.options.confirm = CONFIRM_OFF; // as in all rows
    FitResult *f = fit_run(&alone, NULL, NULL, NULL);
    const CompareRow *row = &r->rows[i];
    const CompareFigures *g = &row->median;
    assert_int_equal(row->run_count, 1);
    assert_int_equal(row->shown->outcome, f->outcome);
    assert_memory_equal(row->shown->x, f->x, 2 * sizeof *f->x);
    assert_close(g->objective, f->objective, 0);
    assert_close(g->iterations, (double)f->work.iterations, 0);
    assert_close(g->evaluations, (double)solves(f), 0);
    assert_close(g->fair, (double)cost(f), 0);
    assert_close(g->error, largest_error(f, k.truth), 0);
    assert_int_equal(row->found, 1);
    fit_free(f);
  }
  assert_close(r->rows[1].median.sensitivity_simulations, 0, 0); // differences need none
  assert_close(r->rows[1].median.fair, r->rows[1].median.evaluations, 0);
  compare_free(c.compare);
  known_close(&k);
}

static const char TWO[] = "model: m.mo\nexperiments: [{data: a.csv, measure: [x]}, {data: b.csv, "
                          "measure: [x]}]\nestimate: {k: {start: 1, min: 0.1, max: 9}}\n";

// The optimiser sees one function, however many experiments there are.
static void evaluations_are_those_that_the_optimiser_sees(void **state) {
  (void)state;
  Known k = {.text = "model M\n  parameter Real k = 1;\n  Real x(start = 1, fixed = true);\n"
                     "equation\n  der(x) = -k*x;\nend M;\n"};
  char folder[] = "/tmp/compare-XXXXXX", command[60];
  Err err = {0};
  assert_non_null(mkdtemp(folder));
  write_text(folder, "m.mo", k.text);
  write_text(folder, "a.csv", "t,x\n0,1\n1,0.2\n2,0.04\n3,0.01\n");
  write_text(folder, "b.csv", "t,x\n0,1\n1,0.25\n2,0.05\n3,0.012\n");
  k.problem = problem_parse("p.yaml", folder, TWO, sizeof TWO - 1, NULL, 0, &err);
  assert_non_null(k.problem);
  k.arena = arena_new();
  Compared c = {0};
  const Compare *r = compared_run(&k, &c, (const char *const[]){"lm", NULL}, NULL, NULL);
  const CompareFigures *g = &r->rows[0].median;
  assert_true(g->sensitivity_simulations > 2);
  assert_close(2 * g->evaluations, g->simulations + g->sensitivity_simulations, 0);
  assert_close(2 * g->fair, g->simulations + 2 * g->sensitivity_simulations, 0);
  compare_free(c.compare);
  problem_free(k.problem);
  arena_free(k.arena);
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

static void random_methods_run_with_several_seeds(void **state) {
  (void)state;
  static const char *const TEXTS[] = {"lm", "de:population=8:generations=12",
                                      "de:population=8:generations=12:seed=2", NULL};
  Known k = compared_decay("options: {seed: 5}");
  Compared c = {.request = {.has_truth = true, .truth = k.truth, .seeds = 3}};
  const Compare *r = compared_run(&k, &c, TEXTS, NULL, NULL);
  assert_int_equal(r->rows[0].run_count, 1);
  assert_int_equal(r->rows[1].run_count, 3);
  assert_int_equal(r->rows[2].run_count, 1); // its seed is given
  assert_int_equal(r->runs_each, 3);
  const CompareRow *row = &r->rows[1];
  double v[3];
  for (int i = 0; i < 3; i++) {
    Problem p = c.methods[1].problem;
    p.options.seed = row->runs[i].seed;
    assert_int_equal(p.options.seed, 5 + i);
    FitResult *f = fit_run(&p, NULL, NULL, NULL);
    v[i] = f->objective;
    assert_close(row->runs[i].figures.objective, v[i], 0);
    fit_free(f);
  }
  double least = fmin(v[0], fmin(v[1], v[2])), most = fmax(v[0], fmax(v[1], v[2]));
  assert_true(least < most);
  assert_close(row->least.objective, least, 0);
  assert_close(row->most.objective, most, 0);
  assert_close(row->median.objective, v[0] + v[1] + v[2] - least - most, 1e-12 * most);
  assert_close(row->shown->figures.objective, row->median.objective, 0);
  compare_free(c.compare);
  known_close(&k);
}

static void random_starts_are_the_same_for_every_method(void **state) {
  (void)state;
  static const char *const TEXTS[] = {"lm", "lmder", NULL};
  Known k = compared_decay("");
  Compared three = {.request = {.random_starts = 3}}, two = {.request = {.random_starts = 2}};
  const Compare *a = compared_run(&k, &three, TEXTS, NULL, NULL),
                *b = compared_run(&k, &two, TEXTS, NULL, NULL);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(a->rows[i].run_count, 3);
    assert_int_equal(a->rows[i].found, 3);
    for (int n = 0; n < 2; n++) {
      assert_memory_equal(a->rows[i].runs[n].start, a->rows[0].runs[n].start, 2 * sizeof(double));
      assert_memory_equal(a->rows[i].runs[n].x, b->rows[i].runs[n].x, 2 * sizeof(double));
    }
  }
  assert_true(a->rows[0].runs[0].start[0] != a->rows[0].runs[1].start[0]);
  compare_free(three.compare);
  compare_free(two.compare);
  known_close(&k);
}

static void what_is_found_is_told_with_and_without_a_truth(void **state) {
  (void)state;
  static const char *const TEXTS[] = {"homotopy", "lm", NULL};
  Known k = compared_pendulum();
  for (int with = 0; with < 2; with++) {
    Compared c = {.request = {.has_truth = with != 0, .truth = k.truth}};
    const Compare *r = compared_run(&k, &c, TEXTS, NULL, NULL);
    assert_int_equal(r->rows[0].found, 1);
    assert_int_equal(r->rows[1].found, 0);
    assert_int_equal(isnan(r->rows[0].median.error) != 0, !with);
    compare_free(c.compare);
  }
  known_close(&k);
}

// Of coupled steps the objective of the free model is told, too.
static void traces_tell_the_best_of_the_free_model(void **state) {
  (void)state;
  static const char *const TEXTS[] = {"homotopy", "lm", NULL};
  Known k = compared_pendulum();
  Compared c = {.request = {.trace = true}};
  const Compare *r = compared_run(&k, &c, TEXTS, NULL, NULL);
  bool coupled = false;
  for (int i = 0; i < 2; i++) {
    const CompareRun *run = r->rows[i].shown;
    assert_true(run->trace.count > 2);
    double best = HUGE_VAL, seconds = 0;
    long evaluations = 0;
    for (int n = 0; n < run->trace.count; n++) {
      const ComparePoint *p = &run->trace.at[n];
      assert_close_relative(p->free_objective, objective_at(k.problem, p->x), 1e-12);
      coupled |= p->lambda > 0 && fabs(p->objective / p->free_objective - 1) > 0.1;
      best = fmin(best, p->free_objective);
      assert_close(p->best, best, 0);
      assert_true(p->evaluations >= evaluations && p->seconds >= seconds &&
                  p->fair >= p->evaluations);
      evaluations = p->evaluations, seconds = p->seconds;
    }
    assert_true(evaluations <= run->figures.evaluations);
    assert_close(best, run->figures.objective, 1e-9 + 1e-6 * run->figures.objective);
  }
  assert_true(coupled);
  compare_free(c.compare);
  known_close(&k);
}

static void threads_change_nothing_but_the_time(void **state) {
  (void)state;
  static const char *const TEXTS[] = {"lm:derivatives=central", "de:population=12:generations=5",
                                      "multistart(lm,6)", NULL};
  Known k = compared_decay("options: {threads: 3}");
  Compared c = {.request = {.parallel = true}};
  const Compare *r = compared_run(&k, &c, TEXTS, NULL, NULL);
  assert_int_equal(r->threads, 3);
  for (int i = 0; i < 3; i++) {
    const CompareRow *row = &r->rows[i];
    assert_true(row->same);
    assert_true(row->median.seconds > 0 && row->median.seconds_parallel > 0);
    assert_true(row->median.evaluations_parallel > 0);
    assert_true(row->median.evaluations_parallel < row->median.evaluations);
  }
  compare_free(c.compare);
  known_close(&k);
}

// ---------------------------------------------------------------- what goes wrong

static const char CANNOT_START[] = "model Root\n  parameter Real a = 1;\n"
                                   "  Real x(start = 1, fixed = true);\n"
                                   "equation\n  der(x) = -sqrt(a)*x;\nend Root;\n";

static void a_method_that_fails_has_a_row_and_the_others_go_on(void **state) {
  (void)state;
  static const char *const TEXTS[] = {"lm", "multistart(lm,10)", NULL};
  Known k = {.text = CANNOT_START,
             .measured = {"x"},
             .stop = 2,
             .step = 0.1,
             .estimate = "a: {start: -1, min: -2, max: 9}",
             .truth = {1}};
  known_open(&k);
  Compared c = {.request = {.has_truth = true, .truth = k.truth}};
  const Compare *r = compared_run(&k, &c, TEXTS, NULL, NULL);
  assert_int_equal(r->done, 2);
  assert_int_equal(r->rows[0].shown->outcome, FIT_NO_START);
  assert_int_equal(r->rows[0].found, 0);
  assert_null(r->rows[0].shown->x); // the start is no result
  assert_true(isnan(r->rows[0].median.error));
  assert_int_equal(r->rows[1].found, 1);
  assert_true(compare_has_result(r));
  compare_free(c.compare);
  Compared alone = {0};
  r = compared_run(&k, &alone, (const char *const[]){"lm", NULL}, NULL, NULL);
  assert_false(compare_has_result(r));
  assert_int_equal(r->rows[0].found, 0); // although it is as good as the best of all
  compare_free(alone.compare);
  known_close(&k);
}

static void a_method_without_constraints_is_refused(void **state) {
  (void)state;
  static const char *const TEXTS[] = {"lm", "sqp", NULL};
  Known k = compared_decay("method: sqp\nconstraints: [\"k + b <= 9\"]");
  Compared c = {0};
  const Compare *r = compared_run(&k, &c, TEXTS, NULL, NULL);
  assert_int_equal(r->done, 2);
  assert_non_null(r->rows[0].refused);
  assert_non_null(strstr(r->rows[0].refused, "lm does not support constraints"));
  assert_int_equal(r->rows[0].run_count, 0);
  assert_null(r->rows[0].shown);
  assert_null(r->rows[1].refused);
  assert_int_equal(r->rows[1].found, 1);
  compare_free(c.compare);
  known_close(&k);
}

static bool stop_in_second(void *data, const CompareProgress *p) {
  ++*(int *)data;
  return p->row < 1 || !p->fit || p->fit->iteration < 2;
}

static void the_listener_stops_it_with_the_rows_so_far(void **state) {
  (void)state;
  static const char *const TEXTS[] = {"lm", "lmder", "gauss-newton", NULL};
  int calls = 0;
  Known k = compared_decay("");
  Compared c = {0};
  const Compare *r = compared_run(&k, &c, TEXTS, stop_in_second, &calls);
  assert_true(calls > 3);
  assert_true(r->stopped);
  assert_int_equal(r->done, 2);
  assert_int_equal(r->rows[1].shown->outcome, FIT_STOPPED);
  assert_true(isfinite(r->rows[1].median.objective));
  assert_int_equal(r->rows[2].run_count, 0);
  assert_int_equal(compare_runs_done(r), 2);
  assert_int_equal(compare_runs_wanted(r), 3);
  compare_free(c.compare);
  known_close(&k);
}

static void what_cannot_be_compared_is_refused(void **state) {
  (void)state;
  static const char *const TEXTS[] = {"lm", NULL};
  Known k = compared_decay("");
  Compared c = {0};
  Err err = {0};
  assert_null(compare_run(k.problem, &c.request, NULL, NULL, &err));
  assert_string_equal(err.text, "there is no method to compare");
  compared_methods(&k, &c, TEXTS);
  c.request.random_starts = 2;
  k.problem->unknowns[1].max = HUGE_VAL;
  err = (Err){0};
  assert_null(compare_run(k.problem, &c.request, NULL, NULL, &err));
  assert_string_equal(err.text,
                      "random starts need finite bounds of all parameters; give min and max to b");
  k.problem->unknowns[1].max = 10;
  known_close(&k);
}

static void no_two_rows_have_the_same_label(void **state) {
  (void)state;
  static const char *const TEXTS[] = {"lm", "sqp:label=lm", "lm:label=lm (2)", "lm", NULL};
  static const char *const LABELS[] = {"lm", "lm (2)", "lm (2) (2)", "lm (3)"};
  Known k = compared_decay("");
  Compared c = {0};
  const Compare *r = compared_run(&k, &c, TEXTS, NULL, NULL);
  for (int i = 0; i < 4; i++) assert_string_equal(r->rows[i].spec.label, LABELS[i]);
  compare_free(c.compare);
  known_close(&k);
}

static bool stop_at_once(void *data, const CompareProgress *p) {
  (void)data;
  return !p->fit;
}

static void a_run_that_is_stopped_before_its_first_step_has_no_result(void **state) {
  (void)state;
  Known k = compared_decay("");
  Compared c = {0};
  const Compare *r =
      compared_run(&k, &c, (const char *const[]){"lm", "lm", NULL}, stop_at_once, NULL);
  const CompareRow *row = &r->rows[0];
  assert_true(r->stopped);
  assert_int_equal(row->run_count, 1);
  assert_int_equal(row->shown->x != NULL, isfinite(row->median.objective));
  assert_int_equal(row->found, row->shown->x != NULL);
  compare_free(c.compare);
  known_close(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_row_is_what_a_fit_gives),
      cmocka_unit_test(evaluations_are_those_that_the_optimiser_sees),
      cmocka_unit_test(random_methods_run_with_several_seeds),
      cmocka_unit_test(random_starts_are_the_same_for_every_method),
      cmocka_unit_test(what_is_found_is_told_with_and_without_a_truth),
      cmocka_unit_test(traces_tell_the_best_of_the_free_model),
      cmocka_unit_test(threads_change_nothing_but_the_time),
      cmocka_unit_test(a_method_that_fails_has_a_row_and_the_others_go_on),
      cmocka_unit_test(a_method_without_constraints_is_refused),
      cmocka_unit_test(the_listener_stops_it_with_the_rows_so_far),
      cmocka_unit_test(what_cannot_be_compared_is_refused),
      cmocka_unit_test(no_two_rows_have_the_same_label),
      cmocka_unit_test(a_run_that_is_stopped_before_its_first_step_has_no_result),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
