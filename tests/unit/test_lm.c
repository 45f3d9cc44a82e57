#include "estimate/descent.h"
#include "local_laws.h"

static void problems_of_the_literature_are_solved(void **state) {
  (void)state;
  for (int k = 0; k < LSQ_CASES; k++) {
    const LsqCase *c = &lsq_cases[k];
    Run r = run_new(c->residuals, c->m, c->n, c->start);
    run_it(&r);
    if (!lsq_case_is_solved(c, r.best->objective) || !local_end_converged(r.result.end))
      fail_msg("%s: %.6g, %s", c->name, r.best->objective, local_end_word(r.result.end));
    run_free(&r);
  }
}

// Counts of MINPACK's lmder on the same problems (function and Jacobian together, of Moré, Garbow and Hillstrom's starts)
// are of this size; more would be a step back.
static void few_evaluations_are_needed(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int most;
  } limits[] = {{"Rosenbrock", 22}, {"Beale", 10},    {"Bard", 7},          {"Box", 8},
                {"Watson 6", 10},   {"Watson 9", 10}, {"Osborne 2", 18},    {"helical valley", 14},
                {"Osborne 1", 25},  {"product", 16},  {"sum of decays", 20}};
  int found = 0;
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    for (int k = 0; k < LSQ_CASES; k++) {
      const LsqCase *c = &lsq_cases[k];
      if (strcmp(c->name, limits[i].name) != 0) continue;
      found++;
      Run r = run_new(c->residuals, c->m, c->n, c->start);
      run_it(&r);
      if (r.result.evaluations > limits[i].most)
        fail_msg("%s: %d evaluations", c->name, r.result.evaluations);
      run_free(&r);
    }
  assert_int_equal(found, sizeof limits / sizeof *limits);
}

typedef struct Path {
  int count;
  double x[200][LSQ_CASE_NUMBERS];
} Path;

static Path paths[2];
static int path_now;

static void note_path(void *self, const LsqPoint *p, int iteration) {
  LsqTest *t = self;
  lsq_test_accepted(self, p, iteration);
  if (iteration > 200) return;
  for (int i = 0; i < t->lsq.n; i++)
    paths[path_now].x[iteration - 1][i] = p->x[i] * (t->unit ? t->unit[i] : 1);
  paths[path_now].count = iteration;
}

// A number in micro-units instead of units: the same points, but for rounding errors, which chaotic stretches enlarge.
static void units_do_not_matter(void **state) {
  (void)state;
  static const char *names[] = {"Bard", "Kowalik-Osborne", "Osborne 2", "Watson 6", "Box"};
  double unit[LSQ_CASE_NUMBERS];
  for (int i = 0; i < LSQ_CASE_NUMBERS; i++) unit[i] = i % 3 == 0 ? 1e-6 : i % 3 == 1 ? 1 : 1e4;
  int found = 0;
  for (int k = 0; k < LSQ_CASES; k++) {
    const LsqCase *c = &lsq_cases[k];
    bool wanted = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      wanted = wanted || strcmp(names[i], c->name) == 0;
    if (!wanted) continue;
    found++;
    for (path_now = 0; path_now < 2; path_now++) {
      Run r = run_new(c->residuals, c->m, c->n, c->start);
      r.t->unit = path_now ? unit : NULL;
      r.t->lsq.accepted = note_path;
      for (int i = 0; path_now && i < c->n; i++) {
        r.best->x[i] /= unit[i];
        r.t->typical[i] /= unit[i];
      }
      run_it(&r);
      run_free(&r);
    }
    assert_int_equal(paths[0].count, paths[1].count);
    for (int j = 0; j < paths[0].count; j++)
      for (int i = 0; i < c->n; i++)
        assert_close(paths[1].x[j][i], paths[0].x[j][i], 1e-5 * (1e-3 + fabs(paths[0].x[j][i])));
  }
  assert_int_equal(found, sizeof names / sizeof *names);
}

static void every_end_has_a_word_and_a_sentence(void **state) {
  (void)state;
  for (int e = 0; e < LOCAL_END_COUNT; e++) {
    assert_true(strlen(local_end_word((LocalEnd)e)) > 3);
    assert_true(strchr(local_end_sentence((LocalEnd)e), ' ') != NULL);
    for (int f = 0; f < e; f++)
      assert_string_not_equal(local_end_word((LocalEnd)e), local_end_word((LocalEnd)f));
  }
  assert_true(local_end_converged(LOCAL_STEP_END));
  assert_false(local_end_converged(LOCAL_NO_DESCENT_END));
}

static void by_gain_ratio(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  descent_run(&lm_damping_rule, lsq, options, result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      LOCAL_LAWS,
      cmocka_unit_test(problems_of_the_literature_are_solved),
      cmocka_unit_test(few_evaluations_are_needed),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(every_end_has_a_word_and_a_sentence),
  };
  const struct CMUnitTest again[] = {
      cmocka_unit_test(a_bound_may_hold_the_solution),
      cmocka_unit_test(a_start_in_a_corner_is_left),
      cmocka_unit_test(failed_simulations_are_rejected_steps),
      cmocka_unit_test(an_exact_fit_is_exact),
  };
  method = local_lm;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  method = by_gain_ratio;
  return failed + cmocka_run_group_tests_name("damping by the gain ratio", again, NULL, NULL);
}
