// Fewer samples of windows are those of the whole record, and nothing else of a problem depends on them.
#include "problem/read_every.h"

#include <math.h>

#include "made_problem.h"

enum { ROWS = 1500, EVERY = 5 };
static const double STEP = 0.01;

static const char MODEL[] =
    "model M\n  parameter Real k = 1;\n  input Real u;\n"
    "  Real x(start = 1, fixed = true);\nequation\n  der(x) = u - k*x;\nend M;\n";

static double signal_at(double t) {
  return 2 + sin(7 * t) + 0.3 * cos(11 * t + 1);
}

static Problem *load(Made *m, const char *experiment) {
  static char data[100000], row[120];
  char text[600];
  made_open(m);
  made_file(m, "m.mo", MODEL);
  strcpy(data, "t,x,u,w\n");
  size_t length = strlen(data);
  for (int i = 0; i < ROWS; i++) {
    double t = STEP * i;
    snprintf(row, sizeof row, "%.2f,%.9f,%.4f,%d\n", t, signal_at(t), cos(3 * t), i >= ROWS / 2);
    strcpy(data + length, row);
    length += strlen(row);
  }
  made_file(m, "d.csv", data);
  snprintf(text, sizeof text,
           "model: m.mo\nexperiments: {data: d.csv, measure: [x], set: {x.start: {data: 9}}, %s}\n"
           "estimate: {k: {start: 1}}\n",
           experiment);
  return made_load(m, text);
}

// Every sample that is kept is accurate, and start, start values and inputs are those without 'every'.
static void check_experiment(const Experiment *e, const Experiment *all) {
  const Channel *c = &e->channels[0];
  assert_close(e->origin + e->start, all->origin + all->start, 1e-12);
  assert_close(e->data_starts[0].value, all->data_starts[0].value, 0);
  for (int i = 0; i < c->count; i++)
    assert_close(c->y[i], signal_at(e->origin + c->t[i]), 0.002 * 1.3);
  for (double t = all->start; t < all->stop; t += 0.037) {
    double a, b;
    int i = input_piece(e->inputs[0], t, 1), k = input_piece(all->inputs[0], t, 1);
    input_eval(e->inputs[0], t, &i, &a, NULL);
    input_eval(all->inputs[0], t, &k, &b, NULL);
    assert_close(a, b, 1e-12);
  }
}

static void check_cut(const char *cut, int experiments, int kept, int left_out) {
  static const char *const FILTERS[] = {"fir", "sharp"};
  char text[200];
  for (int f = 0; f < 2; f++) {
    Made all, few;
    const Problem *whole = load(&all, cut);
    snprintf(text, sizeof text, "%s, every: {samples: %d, filter: %s}", cut, EVERY, FILTERS[f]);
    const Problem *p = load(&few, text);
    int count = 0, out = 0;
    assert_int_equal(p->experiment_count, experiments);
    for (int i = 0; i < experiments; i++) {
      check_experiment(&p->experiments[i], &whole->experiments[i]);
      count += p->experiments[i].channels[0].count;
      out += p->experiments[i].every.left_out;
    }
    assert_int_equal(count, kept);
    assert_int_equal(out, left_out);
    made_close(&all);
    made_close(&few);
  }
}

static void kept_samples_are_accurate_however_the_record_is_cut(void **state) {
  (void)state;
  check_cut("unscored: 0", 1, 300 - 24, 24);
  check_cut("window: [1, 13.99]", 1, 260, 0); // the record around the window serves the filter
  check_cut("window: [~, 9.99]", 1, 200 - 12, 12);
  check_cut("split: {every: 1}", 15, 300 - 24, 24);
  check_cut("split: {column: w}", 2, 300 - 48, 48); // each may be another run
  check_cut("split: {column: w}, window: [2, 12.99]", 2, 220 - 24, 24);
}

static int count_words(const Problem *p, const char *words) {
  int count = 0;
  for (int i = 0; i < p->warnings.list.count; i++)
    count += strstr(p->warnings.list.at[i].text, words) != NULL;
  return count;
}

// Blocks of 0.04 s weaken the 7 and 11 rad/s of signal_at by 0.3 and 0.8 %, those of 0.1 s by 2 and 5 %.
static void a_mean_that_changes_the_motion_is_told(void **state) {
  (void)state;
  static const struct {
    int every;
    const char *filter;
    int warnings;
  } CASES[] = {{4, "mean", 0}, {10, "mean", 1}, {20, "mean", 1}, {10, "fir", 0}, {20, "none", 0}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    Made m;
    char text[100];
    snprintf(text, sizeof text, "every: {samples: %d, filter: %s}", CASES[i].every,
             CASES[i].filter);
    const Problem *p = load(&m, text);
    assert_int_equal(count_words(p, "changes column 'x' by about"), CASES[i].warnings);
    made_close(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kept_samples_are_accurate_however_the_record_is_cut),
      cmocka_unit_test(a_mean_that_changes_the_motion_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
