// Pictures of studies with known truth: bars count the trials, every trial is drawn, nothing is cut off.
#include "report/recover_figure.h"

#include <stdlib.h>

#include "letters.h"

enum { TRIALS = 60, UNKNOWNS_MOST = 30 };

typedef struct Told {
  Unknown unknowns[UNKNOWNS_MOST];
  Problem problem;
  RecoverParameter parameters[UNKNOWNS_MOST];
  double estimates[TRIALS * UNKNOWNS_MOST], errors[TRIALS * UNKNOWNS_MOST];
  bool ok[TRIALS];
  Recover recover;
  FigureList *list;
} Told;

// Estimates spread evenly over truth - 1 .. truth + 1 times `spread`; every tenth trial fails.
static void make(Told *m, int unknowns, double spread, double error) {
  memset(m, 0, sizeof *m);
  m->problem.path = "decay.yaml";
  m->problem.unknowns = m->unknowns;
  m->problem.unknown_count = unknowns;
  m->recover = (Recover){.problem = &m->problem,
                         .trials = TRIALS,
                         .done = TRIALS,
                         .parameters = m->parameters,
                         .estimates = m->estimates,
                         .std_errors = m->errors,
                         .ok = m->ok};
  for (int k = 0; k < unknowns; k++) {
    m->unknowns[k] = (Unknown){.name = k ? "<script>\xFF" : "k", .unit = "m"};
    m->parameters[k] = (RecoverParameter){
        .truth = 2, .mean = 2 + 0.01 * spread, .spread = 0.58 * spread, .predicted = error};
  }
  for (int t = 0; t < TRIALS; t++) {
    m->ok[t] = t % 10 != 9;
    m->recover.succeeded += m->ok[t];
    for (int k = 0; k < unknowns; k++) {
      m->estimates[t * unknowns + k] = 2 + spread * (2.0 * t / (TRIALS - 1) - 1);
      m->errors[t * unknowns + k] = error;
    }
  }
  m->list = figure_list_new();
  recover_figures(m->list, &m->recover);
}

static const Figure *figure_at(const Told *m, int i) {
  return m->list->at.at[i].figure;
}

static int count_of(const Figure *f, ShapeKind kind) {
  int count = 0;
  for (int i = 0; i < f->shapes.count; i++) count += f->shapes.at[i].kind == kind;
  return count;
}

static void there_is_a_panel_for_each_unknown(void **state) {
  (void)state;
  static const int UNKNOWNS[] = {1, 2, 5, 30};
  for (int i = 0; i < 4; i++) {
    static Told m;
    make(&m, UNKNOWNS[i], 0.1, 0.06);
    int sheets = (UNKNOWNS[i] + 11) / 12, panels = 0;
    assert_int_equal(m.list->at.count, 2 * sheets);
    assert_string_equal(m.list->at.at[0].name, "estimates");
    assert_string_equal(m.list->at.at[sheets].name, "trials");
    for (int k = 0; k < m.list->at.count; k++) assert_letters_stand_well(figure_at(&m, k));
    for (int k = 0; k < sheets; k++)
      for (int s = 0; s < figure_at(&m, k)->shapes.count; s++) {
        const Shape *shape = &figure_at(&m, k)->shapes.at[s];
        panels += shape->kind == SHAPE_LETTERS && strcmp(shape->text, "trials") == 0;
      }
    assert_int_equal(panels, UNKNOWNS[i]);
    assert_non_null(letters_beginning_with(figure_at(&m, 0), "k [m]"));
    if (i) assert_non_null(letters_beginning_with(figure_at(&m, 0), "<script>\uFFFD [m]"));
    figure_list_free(m.list);
  }
}

// The area of the bars is that of as many trials as have succeeded.
static void bars_count_the_trials(void **state) {
  (void)state;
  static Told m;
  make(&m, 1, 0.1, nan(""));
  const Figure *f = figure_at(&m, 0);
  double sum = 0, lowest = HUGE_VAL;
  int least = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < f->shapes.count; i++) {
      const Shape *s = &f->shapes.at[i];
      if (s->kind != SHAPE_BOX || s->stroke.ink != INK_WHITE) continue;
      lowest = fmin(lowest, s->frame.height);
      if (pass) sum += s->frame.height / lowest;
    }
  // Evenly spread: the lowest bar stands for a whole number of trials.
  for (least = 1; least < 9 && fabs(sum * least - m.recover.succeeded) > 1e-6;) least++;
  assert_true(least < 9);
  figure_list_free(m.list);
}

static void every_trial_is_drawn(void **state) {
  (void)state;
  static Told m;
  make(&m, 1, 0.1, 0.03);
  const Figure *f = figure_at(&m, 1);
  assert_int_equal(count_of(f, SHAPE_CIRCLE), m.recover.succeeded + 2); // and the legend
  assert_non_null(letters_beginning_with(f, "wrong optimum"));
  int outside = 0;
  for (int i = 0; i < f->shapes.count; i++)
    outside += f->shapes.at[i].kind == SHAPE_CIRCLE && f->shapes.at[i].fill == ink_series(1);
  int expected = 1; // the legend
  for (int t = 0; t < TRIALS; t++) expected += m.ok[t] && fabs(m.estimates[t] - 2) > 2 * 0.03;
  assert_int_equal(outside, expected);
  figure_list_free(m.list);
}

static void odd_studies_can_be_drawn(void **state) {
  (void)state;
  static const double SPREADS[] = {0, 1e-14, 1e12}, ERRORS[] = {0, 1e-20, 1e30};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      static Told m;
      make(&m, 1, SPREADS[i], ERRORS[k]);
      assert_int_equal(m.list->at.count, 2);
      figure_list_free(m.list);
    }
}

static void without_success_there_is_nothing(void **state) {
  (void)state;
  static Told m;
  make(&m, 1, 0.1, 0.1);
  FigureList *l = figure_list_new();
  m.recover.succeeded = 0;
  recover_figures(l, &m.recover);
  assert_int_equal(l->at.count, 0);
  figure_list_free(l);
  figure_list_free(m.list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(there_is_a_panel_for_each_unknown),
      cmocka_unit_test(bars_count_the_trials),
      cmocka_unit_test(every_trial_is_drawn),
      cmocka_unit_test(odd_studies_can_be_drawn),
      cmocka_unit_test(without_success_there_is_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
