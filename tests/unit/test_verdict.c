#include "search/verdict.h"

#include <ctype.h>

#include "chosen_residuals.h"
#include "search/certificate.h"

// ---------------------------------------------------------------- precedence

static void ambiguous_before_certain_before_agreed_before_doubtful(void **state) {
  (void)state;
  for (int bits = 0; bits < 16; bits++)
    for (int far = 0; far <= 5; far++) {
      bool ambiguous = bits & 1, fits = bits & 2, complete = bits & 4, weak = bits & 8;
      FitVerdict v = verdict_decide(&(VerdictFacts){ambiguous, fits, complete, weak, far});
      FitVerdict expected = ambiguous                                ? FIT_AMBIGUOUS
                            : fits && complete && (!weak || far > 1) ? FIT_CERTAIN
                            : !fits && far > 1 + weak                ? FIT_AGREED
                                                                     : FIT_DOUBTFUL;
      assert_int_equal(v, expected);
      assert_true(fit_verdict_is_good(v) == (v == FIT_CERTAIN || v == FIT_AGREED));
    }
}

// ---------------------------------------------------------------- words

enum { N = 3 };
static double BEST[N] = {1, 5, 20}, OTHER[N] = {5, 1, 20};

typedef struct Told {
  Chosen chosen;
  FitResult r;
  Unknown unknowns[N];
  FitOptimum optima[2];
} Told;

static void told_open(Told *t, FitVerdict verdict) {
  double noise[100];
  Random random;
  random_seed(&random, 1);
  for (int i = 0; i < 100; i++) noise[i] = 0.02 * random_normal(&random);
  *t = (Told){.chosen = chosen_open(100, noise, 0)};
  chosen_ready(&t->chosen);
  Problem *p = t->chosen.problem;
  for (int i = 0; i < N; i++)
    t->unknowns[i] = (Unknown){.name = i == 0 ? "k1" : i == 1 ? "k2" : "m"};
  p->unknowns = t->unknowns, p->unknown_count = N;
  t->optima[0] = (FitOptimum){.x = BEST, .objective = 4, .searches = 3, .converged = true};
  t->optima[1] = (FitOptimum){OTHER, 4.25, 1.5, 1, true, true};
  t->r =
      (FitResult){.problem = p,
                  .x = BEST,
                  .objective = 4,
                  .floor = noise_objective(t->chosen.weighting, 1),
                  .verdict = verdict,
                  .facts = {.known = true,
                            .noise = {.ratio = 0.987, .limit = 1.654, .channel = 0, .holds = true},
                            .white = {.p = 0.5, .correlation = 0.12, .holds = true, .clean = true},
                            .effective = 100},
                  .fits = true,
                  .searches = {.planned = 8, .done = 7, .agree = 4, .failed = 1}};
  t->r.optima.at = t->optima, t->r.optima.count = 2;
}

static void told_close(Told *t) {
  chosen_close(&t->chosen);
}

static const char *explained(Told *t, bool confirms) {
  verdict_explain(&t->r, t->chosen.weighting, confirms);
  assert_null(strstr(t->r.why, "nan"));
  assert_null(strstr(t->r.why, "inf"));
  assert_null(strstr(t->r.why, ".."));
  assert_null(strstr(t->r.why, "no other optimum"));
  return t->r.why;
}

static bool says(const char *why, const char *words) {
  return strstr(why, words) != NULL;
}

// Every combination of facts: what is said is one of them, whatever the verdict.
static void words_claim_no_more_than_the_facts(void **state) {
  (void)state;
  for (int v = 0; v < 4; v++)
    for (int bits = 0; bits < 64; bits++) {
      Told t;
      told_open(&t, (FitVerdict)v);
      FitFacts *f = &t.r.facts;
      bool confirms = bits & 1;
      f->exact = bits & 2, f->known = bits & 4;
      f->noise.holds = bits & 8, f->white.holds = bits & 16;
      f->white.clean = f->white.holds && bits & 32;
      if (!f->noise.holds) f->noise.ratio = 2.5;
      t.r.fits = certificate_fits(f);
      const char *why = explained(&t, confirms);
      bool residuals = f->known && !f->exact && !(v == FIT_AMBIGUOUS && t.r.fits);
      assert_true(says(why, "no pattern") == (residuals && f->white.clean));
      assert_true(says(why, "a weak pattern") == (residuals && f->white.holds && !f->white.clean));
      assert_true(says(why, "a pattern") == (residuals && !f->white.holds));
      assert_true(says(why, "explains up to") == (residuals && f->noise.holds));
      assert_true(says(why, "explains no more than") == (residuals && !f->noise.holds));
      if (residuals) assert_true(says(why, f->noise.holds ? "0.987" : "2.5") && says(why, "1.65"));
      assert_true(says(why, "correlation of neighbours 0.12") == (residuals && !f->white.clean));
      assert_true(says(why, "fits the noise") == (v == FIT_DOUBTFUL && !confirms && t.r.fits));
      assert_true(says(why, "another optimum fits the data as well") ==
                  (v == FIT_AMBIGUOUS && t.r.fits));
      assert_true(says(why, "leaves something unexplained with either") ==
                  (v == FIT_AMBIGUOUS && !t.r.fits));
      assert_true(says(why, "no proof") == (v == FIT_AGREED));
      if (!confirms && v == FIT_DOUBTFUL)
        assert_true(says(why, "no confirming searches were made") == t.r.fits);
      told_close(&t);
    }
}

static void numbers_of_searches_are_told(void **state) {
  (void)state;
  static const FitVerdict VERDICTS[] = {FIT_CERTAIN, FIT_AGREED, FIT_DOUBTFUL};
  for (int k = 0; k < 3; k++) {
    Told t;
    told_open(&t, VERDICTS[k]);
    const char *why = explained(&t, true);
    assert_true(says(why, "4 of 7 confirming searches ended here, 2 at worse points, 1 found "
                          "nothing; none found a better optimum"));
    t.r.searches = (FitSearches){.planned = 1, .done = 1, .agree = 1};
    why = explained(&t, true);
    assert_true(says(why, "1 of 1 confirming search ended here; none found"));
    t.r.searches = (FitSearches){0};
    assert_false(says(explained(&t, true), "none found a better")); // there were none
    told_close(&t);
  }
}

// The result fits, but not all could be done.
static void what_a_limit_has_cut_is_told(void **state) {
  (void)state;
  Told t;
  told_open(&t, FIT_DOUBTFUL);
  t.r.searches.cut = true;
  assert_true(says(explained(&t, true), "fits the noise, confirmed by 4 of 8 searches only"));
  t.r.facts.noise.holds = t.r.fits = false;
  assert_false(says(explained(&t, true), "fits the noise"));
  told_close(&t);
}

static void a_rival_is_named_with_both_values(void **state) {
  (void)state;
  Told t;
  told_open(&t, FIT_AMBIGUOUS);
  const char *why = explained(&t, true);
  assert_true(says(why, "k1 = 5 instead of 1, k2 = 1 instead of 5 ("));
  assert_false(says(why, "m = "));
  assert_true(says(why, "objective 4.25 against 4, difference of twice the log-likelihood 1.5"));
  assert_true(says(why, "k1 and k2 have changed places: a constraint such as 'k1 <= k2'"));
  t.r.x = OTHER, t.optima[1].x = BEST; // the constraint keeps what was found
  assert_true(says(explained(&t, true), "'k2 <= k1'"));
  double elsewhere[N] = {5, 2, 20};
  t.r.x = BEST, t.optima[1].x = elsewhere;
  why = explained(&t, true);
  assert_true(says(why, "k1 = 5 instead of 1, k2 = 2 instead of 5 ("));
  assert_false(says(why, "changed places"));
  told_close(&t);
}

// Within 2 % a number has not changed.
static void numbers_that_hardly_differ_are_not_named(void **state) {
  (void)state;
  Told t;
  double x[N] = {1.0201, 5.103, 40};
  told_open(&t, FIT_AMBIGUOUS);
  t.optima[1].x = x;
  const char *why = explained(&t, true);
  assert_false(says(why, "k1 = "));
  assert_true(says(why, "k2 = 5.103") && says(why, "m = 40"));
  told_close(&t);
}

static void many_numbers_are_not_all_named(void **state) {
  (void)state;
  Told t;
  Unknown unknowns[8];
  double a[8], b[8];
  char names[8][16];
  told_open(&t, FIT_AMBIGUOUS);
  for (int i = 0; i < 8; i++) {
    snprintf(names[i], sizeof names[i], "q%d", i);
    unknowns[i] = (Unknown){.name = names[i]};
    a[i] = i + 1, b[i] = 100 + i;
  }
  t.chosen.problem->unknowns = unknowns, t.r.x = a, t.optima[1].x = b;
  t.chosen.problem->unknown_count = 6;
  const char *why = explained(&t, true);
  assert_true(says(why, "q5 = 105 instead of 6 (") && !says(why, " more"));
  t.chosen.problem->unknown_count = 8;
  why = explained(&t, true);
  assert_true(says(why, "q5 = 105 instead of 6 and 2 more (") && !says(why, "q6"));
  told_close(&t);
}

static void without_a_result_there_are_no_numbers(void **state) {
  (void)state;
  for (int v = 0; v < 4; v++)
    for (int confirms = 0; confirms < 2; confirms++) {
      Told t;
      told_open(&t, (FitVerdict)v);
      t.r.objective = HUGE_VAL;
      const char *why = explained(&t, confirms);
      assert_string_equal(why, "there is no result");
      told_close(&t);
    }
}

static void why_noise_cannot_be_told_is_said(void **state) {
  (void)state;
  Told t;
  told_open(&t, FIT_AGREED);
  t.r.facts.noise.holds = false;
  t.r.floor = nan("");
  const char *why = explained(&t, true);
  assert_true(says(why, "too few samples") && !says(why, "times the variance"));
  told_close(&t);
  told_open(&t, FIT_AGREED);
  t.chosen.problem->unknown_count = 85; // of 100 samples
  t.chosen.problem->unknowns = NULL;
  assert_true(says(explained(&t, true), "too few samples"));
  told_close(&t);
}

// A few are left out of account. More than a third are not a few, though the rest is noise.
static void outliers_are_told(void **state) {
  (void)state;
  Told t;
  told_open(&t, FIT_DOUBTFUL);
  t.chosen.problem->options.loss = LOSS_HUBER;
  const char *why = explained(&t, true);
  assert_true(says(why, "outliers apart") && says(why, "explains up to"));
  t.r.facts.noise.holds = t.r.fits = false;
  why = explained(&t, true);
  assert_true(says(why, "too many outliers"));
  assert_false(says(why, "explains"));
  told_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ambiguous_before_certain_before_agreed_before_doubtful),
      cmocka_unit_test(words_claim_no_more_than_the_facts),
      cmocka_unit_test(numbers_of_searches_are_told),
      cmocka_unit_test(what_a_limit_has_cut_is_told),
      cmocka_unit_test(a_rival_is_named_with_both_values),
      cmocka_unit_test(numbers_that_hardly_differ_are_not_named),
      cmocka_unit_test(many_numbers_are_not_all_named),
      cmocka_unit_test(without_a_result_there_are_no_numbers),
      cmocka_unit_test(why_noise_cannot_be_told_is_said),
      cmocka_unit_test(outliers_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
