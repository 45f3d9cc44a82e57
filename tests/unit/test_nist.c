// The nonlinear regression sets of NIST, each as a problem: a model without states from tests/nist, a table, both starts.
// 'test_nist --table' prints the certified digits of every method as Markdown.
#include "assessed.h"
#include "nist.h"
#include "search/fit.h"

#include <limits.h>

#include "made_problem.h"
#include "stats/statistics.h"

static const char *const FORMULAS[NIST_SETS] = { // of nist_sets
    "rise",    "chwirut", "chwirut", "lanczos",  "gauss", "gauss",   "danwood",
    "misra1b", "kirby2",  "cubics",  "nelson",   "mgh17", "lanczos", "lanczos",
    "gauss",   "misra1c", "misra1d", "roszman1", "enso",  "mgh09",   "cubics",
    "rise",    "rat42",   "mgh10",   "eckerle4", "rat43", "bennett5"};

// MGH17, MGH09, MGH10 and Bennett5 need hundreds of steps from their far starts; all else is as it comes.
static const char OPTIONS[] = "options: {max_iterations: 2000}\n";

enum { FAR, NEAR, ENOUGH_DIGITS = 6 };

static void load_set(int which, NistSet *s) {
  if (nist_load(which, s)) return;
  print_message("skipped: no %s.dat in %s (set ENTRAIN_NIST to the folder)\n",
                nist_sets[which].name, NIST_FOLDER);
  skip();
}

static void write_table(const Made *m, const NistSet *s) {
  bool two = s->model == nist_nelson;
  Text t;
  text_init(&t);
  text_add(&t, two ? "y,x1,x2\n" : "y,x\n");
  for (int i = 0; i < s->m; i++) {
    text_print(&t, "%.17g,%.17g", s->y[i], s->x[i][0]);
    if (two) text_print(&t, ",%.17g", s->x[i][1]);
    text_add(&t, "\n");
  }
  made_file(m, "table.csv", t.at);
  text_done(&t);
}

// sigma 0: unknown.
static Made make_set(int which, const NistSet *s, int from, const char *method, double sigma) {
  Made m;
  char here[PATH_MAX];
  Text t;
  assert_non_null(realpath("tests/nist", here));
  made_open(&m);
  write_table(&m, s);
  text_init(&t);
  text_print(&t, "model: %s/%s.mo\n", here, FORMULAS[which]);
  text_print(&t, "experiments:\n  data: table.csv\n  time: row\n");
  if (sigma > 0)
    text_print(&t, "  measure: {y: {sigma: %.17g}}\n", sigma);
  else
    text_print(&t, "  measure: [y]\n");
  text_print(&t, "estimate:\n");
  for (int i = 0; i < s->n; i++)
    text_print(&t, "  b%d: {start: %.17g}\n", i + 1, s->start[from][i]);
  text_print(&t, "method: %s\n%s", method, OPTIONS);
  made_load(&m, t.at);
  text_done(&t);
  return m;
}

// Of the worst number.
static double correct_digits(const NistSet *s, const double *x) {
  double worst = 1e-15;
  for (int i = 0; i < s->n; i++)
    worst = fmax(worst, fabs(x[i] - s->certified[i]) / fabs(s->certified[i])); // NaN: see below
  for (int i = 0; i < s->n; i++)
    if (isnan(x[i])) return -HUGE_VAL;
  return -log10(worst);
}

typedef struct Score {
  int solved; // sets
  long simulations;
  char missed[300];
} Score;

static Score run_all(const char *method, int from) {
  Score out = {0};
  static NistSet s;
  for (int k = 0; k < NIST_SETS; k++) {
    load_set(k, &s);
    Made m = make_set(k, &s, from, method, 0);
    FitResult *r = fit_run(m.problem, NULL, NULL, NULL);
    double digits = correct_digits(&s, r->x);
    size_t used = strlen(out.missed);
    if (digits >= ENOUGH_DIGITS)
      out.solved++;
    else
      snprintf(out.missed + used, sizeof out.missed - used, "%s%s", used ? ", " : "",
               nist_sets[k].name);
    out.simulations += r->work.simulations + r->work.sensitivity_simulations;
    fit_free(r);
    made_close(&m);
  }
  return out;
}

// ---------------------------------------------------------------- laws

// Formulas, data and certified numbers belong together.
static void certified_numbers_have_the_certified_sum_of_squares(void **state) {
  (void)state;
  static NistSet s;
  for (int k = 0; k < NIST_SETS; k++) {
    load_set(k, &s);
    Made m = make_set(k, &s, NEAR, "lm", 0);
    Evaluation *o = evaluation_new(m.problem);
    LsqPoint *p = lsq_point_new(m.problem->arena, s.n);
    memcpy(p->x, s.certified, (size_t)s.n * sizeof *p->x);
    assert_int_equal(evaluation_point(o, p, false), EVAL_DONE);
    // eleven digits of each number hardly tell a sum of squares of rounding errors
    double tolerance = s.squares < 1e-20 ? 1e-18 : 1e-8 * s.squares;
    if (!(fabs(2 * p->objective - s.squares) <= tolerance))
      fail_msg("%s: %.11g instead of %.11g", nist_sets[k].name, 2 * p->objective, s.squares);
    evaluation_free(o);
    made_close(&m);
  }
}

typedef struct Demand {
  const char *method;
  int far, near; // sets at least
} Demand;

static void methods_find_certified_digits(void **state) {
  const Demand *d = *state;
  Score far = run_all(d->method, FAR), near = run_all(d->method, NEAR);
  if (far.solved < d->far) fail_msg("%s misses %s from far", d->method, far.missed);
  if (near.solved < d->near) fail_msg("%s misses %s from near", d->method, near.missed);
}

// From how many degrees of freedom on the variance is told row by row unless sigma is given: NIST has one for all rows.
enum { MANY = 50 };

static void standard_errors_are_the_certified_ones(void **state) {
  (void)state;
  static NistSet s;
  int compared = 0;
  for (int k = 0; k < NIST_SETS; k++) {
    load_set(k, &s);
    double sigma = s.m - s.n >= MANY ? sqrt(s.squares / (s.m - s.n)) : 0;
    Made m = make_set(k, &s, NEAR, "lm", sigma);
    FitResult *r = fit_run(m.problem, NULL, NULL, NULL);
    Evaluation *o = evaluation_new(m.problem);
    Statistics *t = statistics_of(o, r);
    // of Lanczos1 the residuals are rounding errors of the data, two digits of them
    double tolerance = s.squares < 1e-20 ? 1e-2 : 1e-4;
    for (int i = 0; i < s.n; i++) {
      double error = sqrt(t->covariance[i * s.n + i]);
      if (!(fabs(error - s.std_error[i]) <= tolerance * s.std_error[i]))
        fail_msg("%s, b%d: standard error %.10g instead of %.10g", nist_sets[k].name, i + 1, error,
                 s.std_error[i]);
      // one that is larger than the number is not told, though known
      if (t->parameters[i].identifiable) assert_close(t->parameters[i].std_error, error, 0);
      compared++;
    }
    statistics_free(t);
    evaluation_free(o);
    fit_free(r);
    made_close(&m);
  }
  assert_int_equal(compared, 120);
}

// A table in any order is the same problem.
static void the_order_of_rows_does_not_matter(void **state) {
  (void)state;
  static NistSet s;
  load_set(7, &s);
  for (int i = 0; i < s.m; i++) { // every fifth row next: 14 rows
    static NistSet other;
    if (i == 0) other = s;
    s.y[i] = other.y[i * 5 % s.m];
    s.x[i][0] = other.x[i * 5 % s.m][0];
  }
  Made m = make_set(7, &s, FAR, "lm", 0);
  FitResult *r = fit_run(m.problem, NULL, NULL, NULL);
  assert_true(correct_digits(&s, r->x) >= 8);
  fit_free(r);
  made_close(&m);
}

// ---------------------------------------------------------------- the table

static const Demand DEMANDS[] = {
    {"lm", 27, 27}, {"lmder", 26, 27}, {"gauss-newton", 22, 27}, {"sqp", 20, 25}};
enum { DEMAND_COUNT = sizeof DEMANDS / sizeof *DEMANDS };

static void print_score(const Score *s) {
  printf(" %d of %d | %ld | %s |", s->solved, NIST_SETS, s->simulations,
         *s->missed ? s->missed : "-");
}

static void print_table(void **state) {
  (void)state;
  printf("| method | far: 6 digits | simulations | missed | near: 6 digits | simulations | missed "
         "|\n| --- | --- | --- | --- | --- | --- | --- |\n");
  for (int k = 0; k < DEMAND_COUNT; k++) {
    Score far = run_all(DEMANDS[k].method, FAR), near = run_all(DEMANDS[k].method, NEAR);
    printf("| `%s` |", DEMANDS[k].method);
    print_score(&far);
    print_score(&near);
    printf("\n");
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest table[] = {cmocka_unit_test(print_table)};
  if (argc > 1 && strcmp(argv[1], "--table") == 0)
    return cmocka_run_group_tests_name("table", table, NULL, NULL);
  struct CMUnitTest tests[3 + DEMAND_COUNT] = {
      cmocka_unit_test(certified_numbers_have_the_certified_sum_of_squares),
      cmocka_unit_test(standard_errors_are_the_certified_ones),
      cmocka_unit_test(the_order_of_rows_does_not_matter),
  };
  for (int k = 0; k < DEMAND_COUNT; k++)
    tests[3 + k] = (struct CMUnitTest){DEMANDS[k].method, methods_find_certified_digits, NULL, NULL,
                                       (void *)&DEMANDS[k]};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
