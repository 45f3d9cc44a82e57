#include "local_laws.h"
#include "nist.h"

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

// Evaluations of residuals plus Jacobians that lmder of cminpack 1.3.6 needs with the same tolerances, in the order of
// lsq_cases. One of ours has both.
static const int lmder_counts[] = {37, 34,  36, 31, 16, 44, 19, 13, 242, 13, 76, 134,
                                   54, 685, 35, 78, 34, 27, 19, 15, 4,   46, 22};
_Static_assert(sizeof lmder_counts / sizeof *lmder_counts == LSQ_CASES, "a count for each case");

static void few_evaluations_are_needed(void **state) {
  (void)state;
  int ours = 0, theirs = 0;
  for (int k = 0; k < LSQ_CASES; k++) {
    const LsqCase *c = &lsq_cases[k];
    Run r = run_new(c->residuals, c->m, c->n, c->start);
    run_it(&r);
    ours += r.result.evaluations;
    theirs += lmder_counts[k];
    if (r.result.evaluations > 1.5 * lmder_counts[k])
      fail_msg("%s: %d evaluations", c->name, r.result.evaluations);
    run_free(&r);
  }
  assert_true(ours < 0.6 * theirs);
}

static int evaluations_from(double start, LocalMethod *by, double *found) {
  Run r = run_new(swing, 500, 1, &start);
  by(&r.t->lsq, &r.options, &r.result);
  assert_true(local_end_converged(r.result.end));
  *found = r.best->x[0];
  int count = r.result.evaluations;
  run_free(&r);
  return count;
}

// Gauss-Newton steps creep towards wrong minima; the curvature sees them end.
static void wrong_minima_are_reached_fast(void **state) {
  (void)state;
  int fast = 0, slow = 0;
  for (int k = 0; k < 15; k++) {
    double ours, theirs;
    fast += evaluations_from(3.5 + 0.1 * k, local_lm, &ours);
    slow += evaluations_from(3.5 + 0.1 * k, local_gauss_newton, &theirs);
    assert_true(fabs(ours - 3.16) > 0.1 && fabs(theirs - 3.16) > 0.1);
  }
  assert_true(5 * fast < slow);
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

static void by_tens(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  LocalOptions plain = *options;
  plain.lm_damping = LM_DAMPING_MARQUARDT;
  local_lm(lsq, &plain, result);
}

// Without curvature it creeps where residuals stay large, as textbooks say.
static void marquardt_needs_more_steps_towards_wrong_minima(void **state) {
  (void)state;
  double found;
  int ours = 0, plain = 0;
  for (int k = 0; k < 15; k++) {
    ours += evaluations_from(3.5 + 0.1 * k, local_lm, &found);
    plain += evaluations_from(3.5 + 0.1 * k, by_tens, &found);
  }
  assert_true(plain > 2 * ours);
}

// Saturation: y = b1*(1 - exp(-b2*x)), x = 77 ... 760, as Misra's data are.
static void saturation(const LsqShape *s, const Cplx *x, Cplx *r) {
  for (int i = 0; i < s->m; i++) {
    double at = 77 + 52.5 * i;
    r[i] = x[0] * (1 - cexp(-x[1] * at)) - 238.9 * (1 - exp(-5.5e-4 * at));
  }
}

// Where b2 changes nothing that can be seen, b1 moves all the same, and an end that leaves much to gain is no convergence.
static void an_unknown_without_effect_does_not_hold_the_others(void **state) {
  (void)state;
  Run r = run_new(saturation, 14, 2, (const double[]){52.6316, 0.526316});
  r.options.reduction_tol = 1e-24, r.options.gradient_tol = 1e-16;
  run_it(&r);
  double mean = 0, rest = 0;
  for (int i = 0; i < 14; i++) mean += 238.9 * (1 - exp(-5.5e-4 * (77 + 52.5 * i))) / 14;
  for (int i = 0; i < 14; i++)
    rest += pow(238.9 * (1 - exp(-5.5e-4 * (77 + 52.5 * i))) - mean, 2) / 2;
  assert_true(r.result.best->objective <= rest * (1 + 1e-6));
  run_free(&r);
}

// NIST's sets: every certified minimum, from both starts, within the digits that the stopping tests promise.
static void certified_results_are_found(void **state) {
  (void)state;
  static NistSet s;
  for (int k = 0; k < NIST_SETS; k++)
    for (int from = 0; from < 2; from++) {
      if (!nist_load(k, &s)) {
        print_message("skipped: no %s.dat in %s (set ENTRAIN_NIST to the folder)\n",
                      nist_sets[k].name, NIST_FOLDER);
        skip();
      }
      Run r = run_new(nist_residuals, s.m, s.n, s.start[from]);
      r.t->shape.data = &s;
      for (int i = 0; i < s.n; i++) r.t->typical[i] = fabs(s.start[from][i]);
      run_it(&r);
      if (!nist_is_solved(&s, r.best) || !local_end_converged(r.result.end))
        fail_msg("%s from start %d: %.10g instead of %.10g, %s", nist_sets[k].name, from + 1,
                 2 * r.best->objective, s.squares, local_end_word(r.result.end));
      run_free(&r);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      LOCAL_LAWS,
      cmocka_unit_test(problems_of_the_literature_are_solved),
      cmocka_unit_test(certified_results_are_found),
      cmocka_unit_test(few_evaluations_are_needed),
      cmocka_unit_test(wrong_minima_are_reached_fast),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(every_end_has_a_word_and_a_sentence),
      cmocka_unit_test(marquardt_needs_more_steps_towards_wrong_minima),
      cmocka_unit_test(an_unknown_without_effect_does_not_hold_the_others),
  };
  const struct CMUnitTest again[] = {
      cmocka_unit_test(a_bound_may_hold_the_solution),
      cmocka_unit_test(a_start_in_a_corner_is_left),
      cmocka_unit_test(failed_simulations_are_rejected_steps),
      cmocka_unit_test(an_exact_fit_is_exact),
  };
  method = local_lm;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  method = by_tens;
  return failed + cmocka_run_group_tests_name("damping by tens", again, NULL, NULL);
}
