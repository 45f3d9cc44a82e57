#include "local/descent.h"
#include "local_laws.h"
#include "nist.h"

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

static void by_dogleg(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  descent_run(&dogleg_rule, lsq, options, result);
}

int main(void) {
  const struct CMUnitTest tests[] = {LOCAL_LAWS, cmocka_unit_test(certified_results_are_found)};
  const struct CMUnitTest dogleg[] = {LOCAL_LAWS};
  method = local_trust_region;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  method = by_dogleg;
  return failed + cmocka_run_group_tests_name("dogleg", dogleg, NULL, NULL);
}
