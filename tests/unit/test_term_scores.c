#include "search/term_scores.h"

#include <string.h>

#include "search/fit.h"
#include "swinging_mass.h"

static const Mass RIGHT = {.k = 1, .d = 0.2, .noise = 0.05};

static TermScores scores_at(const Fitting *f, EvalWork *w, const double *x) {
  return (TermScores){
      .arena = arena_new(), .problem = f->problem, .work = w, .weighting = f->weighting, .x = x};
}

// The missing term of a fit of the data of m; its text is copied.
typedef struct Asked {
  bool told;
  FitTerm term;
  char words[60], state[60];
  double white_p, ratio; // of the certificate
  FitVerdict verdict;
} Asked;

static Asked ask(const Mass *m, const char *method, const char *more) {
  Made made;
  Asked out = {0};
  Problem *p = mass_problem(&made, m, more);
  if (strcmp(method, "auto") == 0) p->method = METHOD_AUTO;
  Fitting *fitting = fitting_new(p);
  EvalWork *w = eval_work_new(fitting, 1, NULL);
  FitResult *r = fit_run_on(p, w, NULL, NULL, NULL);
  TermScores t = scores_at(fitting, w, r->x);
  out.told = term_scores_find(&t);
  if (out.told) out.term = term_scores_missing(&t);
  if (p->method == METHOD_AUTO) out.term = r->facts.missing;
  if (out.term.term) {
    snprintf(out.words, sizeof out.words, "%s", out.term.term);
    snprintf(out.state, sizeof out.state, "%s", out.term.state);
    out.term.term = out.words;
    if (p->method == METHOD_AUTO) assert_non_null(strstr(r->why, out.words));
  }
  out.verdict = r->verdict;
  out.white_p = r->facts.white.p, out.ratio = r->facts.noise.ratio / r->facts.noise.limit;
  arena_free(t.arena);
  fit_free(r);
  eval_work_free(w);
  fitting_free(fitting);
  made_close(&made);
  return out;
}

// 400 records of a right model with white noise: a false alarm in one of ten thousand is promised.
static void a_right_model_misses_nothing(void **state) {
  (void)state;
  int said = 0;
  for (uint64_t seed = 0; seed < 400; seed++) {
    Mass m = RIGHT;
    m.seed = seed;
    Asked a = ask(&m, "lm", "");
    assert_true(a.told);
    said += a.term.term != NULL;
  }
  assert_int_equal(said, 0);
}

// Noise hides it from the other tests; what is left out is named, in the equation where it belongs.
static void what_noise_hides_is_found(void **state) {
  (void)state;
  Mass friction = RIGHT, cubic = RIGHT;
  friction.friction = 0.045;
  cubic.cubic = 0.0145;
  const struct {
    const Mass *mass;
    const char *words;
  } CASES[] = {{&friction, "sign(v)"}, {&cubic, "x^3"}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    int hidden = 0, found = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
      Mass m = *CASES[i].mass;
      m.seed = seed;
      Asked a = ask(&m, "lm", "");
      if (a.white_p < 1e-4 || a.ratio > 1) continue;
      hidden++;
      found += a.term.term && strcmp(a.words, CASES[i].words) == 0 && strcmp(a.state, "v") == 0;
      if (a.term.term) assert_true(a.term.share >= 0.1 && a.term.p < 1e-5);
    }
    if (hidden < 5 || 3 * found < hidden)
      fail_msg("%s: %d hidden, %d found", CASES[i].words, hidden, found);
  }
}

static void a_result_that_misses_a_term_is_not_certain(void **state) {
  (void)state;
  int agreed = 0;
  for (uint64_t seed = 0; seed < 10; seed++) {
    Mass m = RIGHT;
    m.seed = seed;
    Asked a = ask(&m, "auto", "");
    assert_true(a.verdict == FIT_CERTAIN && !a.term.term);
    m.friction = 0.045;
    a = ask(&m, "auto", "");
    agreed += a.verdict == FIT_AGREED && a.term.term;
  }
  assert_true(agreed >= 3);
}

// A limit that leaves no room for the question leaves no certainty either.
static void who_was_not_asked_is_not_certain(void **state) {
  (void)state;
  Mass m = RIGHT;
  m.friction = 0.045;
  for (m.seed = 0; !ask(&m, "auto", "").term.term; m.seed++) assert_true(m.seed < 20);
  int agreed = 0, doubtful = 0;
  for (int most = 30; most < 400 && agreed < 3; most += 1 + most / 100) {
    char limit[60];
    snprintf(limit, sizeof limit, ", max_simulations: %d", most);
    FitVerdict v = ask(&m, "auto", limit).verdict;
    assert_int_not_equal(v, FIT_CERTAIN);
    agreed += v == FIT_AGREED, doubtful += v == FIT_DOUBTFUL;
  }
  assert_true(agreed == 3 && doubtful > 0);
}

typedef struct Limit { // the first that is called missing, as friction grows
  FitTerm term;
  int tried; // terms
} Limit;

static FitTerm missing_of(double friction, int rows, int *tried) {
  Made made;
  Mass m = RIGHT;
  m.friction = friction, m.seed = 3;
  Problem *p = mass_problem(&made, &m, "");
  p->experiments[0].channels[0].count = rows;
  Fitting *fitting = fitting_new(p);
  EvalWork *w = eval_work_new(fitting, 1, NULL);
  FitResult *r = fit_run_on(p, w, NULL, NULL, NULL);
  TermScores t = scores_at(fitting, w, r->x);
  FitTerm term = term_scores_find(&t) ? term_scores_missing(&t) : (FitTerm){0};
  if (term.term) term.term = "found"; // the arena goes
  *tried = t.count + t.start_count;
  arena_free(t.arena);
  fit_free(r);
  eval_work_free(w);
  fitting_free(fitting);
  made_close(&made);
  return term;
}

static Limit limit_of(int rows) {
  double without = 0, with = 0;
  Limit out = {0};
  while (!out.term.term && with < 1) {
    without = with, with += 0.01;
    out.term = missing_of(with, rows, &out.tried);
  }
  assert_non_null(out.term.term);
  for (int k = 0; k < 30; k++) {
    double middle = (without + with) / 2;
    Limit l;
    l.term = missing_of(middle, rows, &l.tried);
    if (l.term.term) out = l;
    *(l.term.term ? &with : &without) = middle;
  }
  return out;
}

// With many samples the share decides, a tenth of the squares; with few the probability, 1e-4 for all terms together.
static void a_term_counts_from_a_tenth_and_beyond_chance(void **state) {
  (void)state;
  Limit many = limit_of(400), few = limit_of(60);
  assert_close_relative(many.term.share, 0.1, 0.01);
  assert_true(many.term.p * many.tried < 1e-5);
  assert_close_relative(few.term.p * few.tried, 1e-4, 0.05);
  assert_true(few.term.share > 0.15);
}

// A start value that is wrong is no missing term.
static void a_wrong_start_value_is_named(void **state) {
  (void)state;
  int named = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    Mass m = RIGHT;
    m.seed = seed, m.v = 0.08;
    Asked a = ask(&m, "auto", "");
    if (!a.term.term) continue;
    named++;
    assert_string_equal(a.words, "v.start");
    assert_true(a.term.at_start && a.verdict != FIT_CERTAIN);
  }
  assert_true(named >= 3);
}

// What only a bound holds back is no missing term.
static void a_bound_is_no_missing_term(void **state) {
  (void)state;
  Made made;
  Mass m = RIGHT;
  m.k = 0.997;
  Problem *p = mass_problem(&made, &m, "");
  p->unknowns[0].min = 1;
  Fitting *fitting = fitting_new(p);
  EvalWork *w = eval_work_new(fitting, 1, NULL);
  FitResult *r = fit_run_on(p, w, NULL, NULL, NULL);
  TermScores t = scores_at(fitting, w, r->x);
  assert_true(r->x[0] == 1);
  assert_true(term_scores_find(&t)); // a little of the residuals is what the bound holds back
  assert_null(term_scores_missing(&t).term);
  arena_free(t.arena);
  fit_free(r);
  eval_work_free(w);
  fitting_free(fitting);
  made_close(&made);
}

static void away_from_the_optimum_nothing_is_told(void **state) {
  (void)state;
  Made made;
  Problem *p = mass_problem(&made, &RIGHT, "");
  Fitting *fitting = fitting_new(p);
  EvalWork *w = eval_work_new(fitting, 1, NULL);
  double near[] = {1.02, 0.2, 0.5}, far[] = {9, 0.2, 0.5};
  TermScores a = scores_at(fitting, w, near);
  assert_false(term_scores_find(&a)); // the unknowns would explain what is left
  TermScores b = scores_at(fitting, w, far);
  assert_false(term_scores_find(&b)); // it does not follow the data at all
  arena_free(a.arena);
  arena_free(b.arena);
  eval_work_free(w);
  fitting_free(fitting);
  made_close(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_right_model_misses_nothing),
      cmocka_unit_test(what_noise_hides_is_found),
      cmocka_unit_test(a_result_that_misses_a_term_is_not_certain),
      cmocka_unit_test(who_was_not_asked_is_not_certain),
      cmocka_unit_test(a_term_counts_from_a_tenth_and_beyond_chance),
      cmocka_unit_test(a_wrong_start_value_is_named),
      cmocka_unit_test(a_bound_is_no_missing_term),
      cmocka_unit_test(away_from_the_optimum_nothing_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
