#include "estimate/descent.h"
#include "local_laws.h"
static void problems_of_the_literature_are_solved(void **state) {
  (void)state;
  int bad = 0, sum=0;
  for (int k = 0; k < LSQ_CASES; k++) {
    const LsqCase *c = &lsq_cases[k];
    Run r = run_new(c->residuals, c->m, c->n, c->start);
    run_it(&r);
    bool ok = lsq_case_is_solved(c, r.best->objective) && local_end_converged(r.result.end);
    bad += !ok; sum+=r.result.evaluations;
      print_message("%s: %.6g, %s, %d %s\n", c->name, r.best->objective, local_end_word(r.result.end), r.result.evaluations, ok?"":"BAD");
    run_free(&r);
  }
  print_message("%d\n", sum);
  assert_int_equal(bad, 0);
}
int main(void) {
  method = local_lm;
  const struct CMUnitTest tests[] = {LOCAL_LAWS, cmocka_unit_test(problems_of_the_literature_are_solved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
