// Model exchange against the same equations as Modelica text or as a formula, at rel_tol 1e-8.
#include "fmu/exchange.h"

#include "api/api.h"
#include "fmu_trial.h"
#include "simulation.h"

static const char JOINT[] = "sensitivity equations by differences of f";
static const char JOINT_EVENTS[] =
    "sensitivity equations by differences of f, with jumps at events";

typedef struct Same { // two models of one thing
  const char *fmu;    // without the number of its version
  const char *text;   // as Modelica
  const char *set;    // of both
  const char *record; // names in both
  const char *of;     // the same in the text where it has other names; NULL: it has not
  const char *slopes; // parameters
  const char *by;     // the same in the text
  double stop;
  const char *slopes_by;
  bool only3;
} Same;

static const Same SAMES[] = {
    {.fmu = "oscillator",
     .text = "model M parameter Real m = 1, k = 4, c = 0.2, k3 = 0; input Real F = 0;"
             " Real x(start = 1, fixed = true), v(start = 0, fixed = true), y = x, a = der(v);"
             " equation der(x) = v; m*der(v) = F - k*x - c*v - k3*x^3; end M;",
     .set = "k3=3 m=1.5 x.start=0.8",
     .record = "x v y a",
     .slopes = "m k c k3 x.start v.start",
     .stop = 10,
     .slopes_by = JOINT},
    {.fmu = "vanderpol",
     .text = "model M parameter Real mu = 1;"
             " Real x0(start = 2, fixed = true), x1(start = 0, fixed = true);"
             " equation der(x0) = x1; der(x1) = mu*(1 - x0^2)*x1 - x0; end M;",
     .set = "mu=3",
     .record = "x0 x1",
     .slopes = "mu x0.start",
     .stop = 8,
     .slopes_by = JOINT},
    {.fmu = "ball",
     .text = "model M parameter Real g = 9.81, e = 0.7;"
             " Real h(start = 1, fixed = true), v(start = 0, fixed = true);"
             " equation der(h) = v; der(v) = -g;"
             " when h <= 0 then reinit(v, -e*pre(v)); end when; end M;",
     .set = "e=0.8",
     .record = "h v",
     .slopes = "g e h.start",
     .stop = 2,
     .slopes_by = JOINT_EVENTS},
    {.fmu = "switch",
     .text = "model M parameter Real m = 1, k = 4, c = 0.1, gap = 0.5, kc = 100;"
             " Real x(start = 0, fixed = true), v(start = 2, fixed = true), a = der(v);"
             " equation der(x) = v;"
             " m*der(v) = -k*x - c*v - (if x > gap then kc*(x - gap) else 0); end M;",
     .set = "kc=50",
     .record = "x v a",
     .slopes = "m k c gap kc v.start",
     .stop = 9.7,
     .slopes_by = JOINT_EVENTS},
    {.fmu = "thermo",
     .text = "model M parameter Real P = 1000, G = 20, C = 1e4, low = 19, high = 21;"
             " input Real Ta = 5; Real T(start = 15, fixed = true);"
             " discrete Real heats(start = 1, fixed = true);"
             " equation C*der(T) = P*heats - G*(T - Ta);"
             " when {T >= high, T <= low and time > 1} then"
             " heats = if T >= 0.5*(low + high) then 0 else 1; end when; end M;",
     .set = "G=22",
     .record = "T",
     .slopes = "P G C low high T.start",
     .stop = 1500,
     .slopes_by = JOINT_EVENTS},
    {.fmu = "arrays",
     .text = "model M parameter Real a = 0, b = 1, c = -4, d = -0.2, C2 = 10; input Real u = 0;"
             " Real p(start = 1, fixed = true), q(start = 0, fixed = true), y = C2*q;"
             " equation der(p) = a*p + b*q; der(q) = c*p + d*q + u; end M;",
     .record = "x[1] x[2] y[2]",
     .of = "p q y",
     .slopes = "A[1,1] A[2,1] A[2,2] C[2] x[1].start",
     .by = "a c d C2 p.start",
     .stop = 10,
     .slopes_by = JOINT,
     .only3 = true},
};

enum { ROWS = 101 };

static FmuTrial *open_same(const Same *s, int version) {
  char name[64];
  snprintf(name, sizeof name, "%s%d", s->fmu, version);
  FmuTrial *t = fmu_trial_open(name, FMU_ME);
  Words *w = malloc(sizeof *w);
  split_words(s->set, w);
  for (int i = 0; i < w->count; i++) {
    char *equals = strchr(w->word[i], '=');
    *equals = 0;
    fmu_trial_set(t, w->word[i], atof(equals + 1));
  }
  split_words(s->record, w);
  for (int i = 0; i < w->count; i++) fmu_trial_record(t, w->word[i]);
  split_words(s->slopes, w);
  for (int i = 0; i < w->count; i++) fmu_trial_slope(t, w->word[i]);
  fmu_trial_times(t, 0, s->stop, ROWS);
  free(w);
  return t;
}

// Of one number over all rows: the largest difference against the largest size.
static void assert_same_rows(const Same *s, const char *what, const double *got,
                             const double *wanted, double tol) {
  double size = 0, apart = 0;
  int worst = 0;
  for (int i = 0; i < ROWS; i++) {
    size = fmax(size, fabs(wanted[i]));
    if (!(fabs(got[i] - wanted[i]) <= apart)) apart = fabs(got[i] - wanted[i]), worst = i;
  }
  if (!(apart <= tol * fmax(size, 1e-3)))
    fail_msg("%s: %s is %.12g and %.12g in row %d, %.2g of its size", s->fmu, what, got[worst],
             wanted[worst], worst, apart / size);
}

static void compare(const Same *s, int version) {
  // Slopes pass an event by a difference whose rounding errors are 1e-8 of the state, and then grow with the motion.
  double tol = s->slopes_by == JOINT ? 1e-6 : 1e-5;
  FmuTrial *t = open_same(s, version);
  fmu_trial_run_fully(t);
  Run r = simulate_fully(.text = s->text, .set = s->of ? NULL : s->set,
                         .options = "rel_tol=1e-10 abs_tol=1e-12", .times = t->times, .count = ROWS,
                         .sens = s->by ? s->by : s->slopes);
  assert_non_null(t->answer->slopes);
  assert_string_equal(t->answer->slopes_by, s->slopes_by);
  Words *names = malloc(sizeof *names), *slopes = malloc(sizeof *slopes);
  split_words(s->of ? s->of : s->record, names);
  split_words(s->by ? s->by : s->slopes, slopes);
  for (int v = 0; v < names->count; v++) {
    double got[ROWS];
    for (int i = 0; i < ROWS; i++) got[i] = fmu_trial_value(t, i, v);
    assert_same_rows(s, names->at[v], got, column(&r, names->at[v]), 1e-6);
    for (int k = 0; k < slopes->count; k++) {
      char what[300];
      snprintf(what, sizeof what, "d%s/d%s", names->at[v], slopes->at[k]);
      for (int i = 0; i < ROWS; i++) got[i] = fmu_trial_slope_at(t, i, v, k);
      assert_same_rows(s, what, got, column(&r, what), tol);
    }
  }
  free(names);
  free(slopes);
  run_free(&r);
  fmu_trial_close(t);
}

static const Same *same(const char *fmu) {
  for (size_t i = 0; i < sizeof SAMES / sizeof *SAMES; i++)
    if (strcmp(SAMES[i].fmu, fmu) == 0) return &SAMES[i];
  fail();
  return NULL;
}

static void compare_both(const char *fmu) {
  const Same *s = same(fmu);
  if (!s->only3) compare(s, 2);
  compare(s, 3);
}

static void an_oscillator_is_the_same_as_its_equations(void **state) {
  (void)state;
  compare_both("oscillator");
}
static void van_der_pols_oscillator_is_the_same_as_its_equations(void **state) {
  (void)state;
  compare_both("vanderpol");
}
static void a_ball_that_bounces_is_the_same_as_its_equations(void **state) {
  (void)state;
  compare_both("ball");
}
static void a_stop_that_is_met_is_the_same_as_its_equations(void **state) {
  (void)state;
  compare_both("switch");
}
static void hysteresis_is_the_same_as_its_equations(void **state) {
  (void)state;
  compare_both("thermo");
}
static void arrays_are_the_same_as_their_equations(void **state) {
  (void)state;
  compare_both("arrays");
}

// n periods have passed: x = gain (n t - period n (n + 1)/2).
static void time_events_move_with_their_parameters(void **state) {
  (void)state;
  static const char *const NAMES[] = {"stairs2", "stairs3"};
  const double period = 0.7, gain = 2;
  for (int f = 0; f < 2; f++) {
    FmuTrial *t = fmu_trial_open(NAMES[f], FMU_ME);
    fmu_trial_set(t, "period", period);
    fmu_trial_set(t, "gain", gain);
    fmu_trial_record(t, "x");
    fmu_trial_record(t, "counter");
    fmu_trial_slope(t, "period");
    fmu_trial_slope(t, "gain");
    fmu_trial_times(t, 0, 4.13, 42);
    fmu_trial_run_fully(t);
    assert_string_equal(t->answer->slopes_by, JOINT_EVENTS);
    assert_int_equal(t->answer->events, 5);
    for (int i = 0; i < 42; i++) {
      double at = t->times[i], n = floor(at / period + 1e-9);
      double x = gain * (n * at - period * n * (n + 1) / 2);
      assert_close(fmu_trial_value(t, i, 0), x, 1e-6);
      assert_close(fmu_trial_value(t, i, 1), n, 0);
      assert_close(fmu_trial_slope_at(t, i, 0, 0), -gain * n * (n + 1) / 2, 1e-6 * (1 + n * n));
      assert_close(fmu_trial_slope_at(t, i, 0, 1), x / gain, 1e-6 * (1 + n * n));
      assert_close(fmu_trial_slope_at(t, i, 1, 0), 0, 0);
    }
    fmu_trial_close(t);
  }
}

static void inputs_of_every_kind_reach_the_equations(void **state) {
  (void)state;
  static const char *const WORDS[] = {"hold", "linear", "spline"};
  double times[21], force[21];
  for (int i = 0; i <= 20; i++) times[i] = 0.5 * i, force[i] = sin(1.3 * i) + 0.1 * i;
  const Same *s = same("oscillator");
  for (int kind = 0; kind < INPUT_KINDS; kind++) {
    FmuTrial *t = open_same(s, 2 + kind % 2);
    char options[100];
    fmu_trial_input(t, "F", input_new(t->arena, times, force, 21, (InputKind)kind, NULL));
    fmu_trial_run_fully(t);
    snprintf(options, sizeof options, "rel_tol=1e-10 abs_tol=1e-12 interpolation=%s", WORDS[kind]);
    Run r = simulate_fully(.text = s->text, .set = s->set, .options = options, .times = t->times,
                           .count = ROWS, .sens = s->slopes, .input = "F", .input_times = times,
                           .input_values = force, .input_count = 21);
    double got[ROWS];
    for (int i = 0; i < ROWS; i++) got[i] = fmu_trial_value(t, i, 0);
    assert_same_rows(s, "x", got, column(&r, "x"), 1e-6);
    for (int i = 0; i < ROWS; i++) got[i] = fmu_trial_slope_at(t, i, 0, 1);
    assert_same_rows(s, "dx/dk", got, column(&r, "dx/dk"), 1e-6);
    // An acceleration shows the force after its jump.
    for (int i = 0; i < ROWS; i++) got[i] = fmu_trial_value(t, i, 3);
    assert_same_rows(s, "a", got, column(&r, "a"), 1e-6);
    run_free(&r);
    fmu_trial_close(t);
  }
}

static void an_origin_moves_time_and_nothing_else(void **state) {
  (void)state;
  FmuTrial *t = open_same(same("switch"), 3), *moved = open_same(same("switch"), 3);
  moved->call.origin = 1e6;
  fmu_trial_run_fully(t);
  fmu_trial_run_fully(moved);
  assert_close(moved->answer->t_end, 1e6 + 9.7, 1e-9);
  for (int i = 0; i < ROWS; i++)
    assert_close(fmu_trial_value(moved, i, 0), fmu_trial_value(t, i, 0), 1e-6);
  fmu_trial_close(t);
  fmu_trial_close(moved);
}

static void values_do_not_depend_on_whether_slopes_are_wanted(void **state) {
  (void)state;
  for (size_t s = 0; s < sizeof SAMES / sizeof *SAMES; s++) {
    FmuTrial *with = open_same(&SAMES[s], 3), *without = open_same(&SAMES[s], 3);
    without->call.slope_count = 0;
    fmu_trial_run_fully(with);
    fmu_trial_run_fully(without);
    assert_null(without->answer->slopes);
    assert_string_equal(without->answer->slopes_by, "");
    for (int i = 0; i < ROWS; i++) {
      double size = 1e-6 * (1 + fabs(fmu_trial_value(without, i, 0)));
      assert_close(fmu_trial_value(with, i, 0), fmu_trial_value(without, i, 0), size);
    }
    fmu_trial_close(with);
    fmu_trial_close(without);
  }
}

static void a_run_gives_the_same_bits_again(void **state) {
  (void)state;
  FmuTrial *t = open_same(same("switch"), 2);
  const SimulatorAnswer *first = fmu_trial_run_fully(t), *again = fmu_trial_run_fully(t);
  size_t numbers = ROWS * (size_t)t->call.variable_count;
  assert_memory_equal(first->values, again->values, numbers * sizeof(double));
  assert_memory_equal(first->slopes, again->slopes,
                      numbers * (size_t)t->call.slope_count * sizeof(double));
  fmu_trial_close(t);
}

static void a_parameter_at_its_bound_is_changed_inward(void **state) {
  (void)state;
  FmuTrial *t = open_same(same("oscillator"), 2), *at_bound = open_same(same("oscillator"), 2);
  for (int k = 0; k < 3; k++) at_bound->high[k] = t->parameters[t->slopes[k]];
  fmu_trial_run_fully(t);
  fmu_trial_run_fully(at_bound);
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < 3; k++)
      assert_close(fmu_trial_slope_at(at_bound, i, 0, k), fmu_trial_slope_at(t, i, 0, k), 1e-6);
  fmu_trial_close(t);
  fmu_trial_close(at_bound);
}

// The motion may be curved where f is a straight line of the parameter: the step must be small for both.
static void steps_that_are_chosen_are_as_good_as_the_usual_ones(void **state) {
  (void)state;
  for (size_t s = 0; s < sizeof SAMES / sizeof *SAMES; s++) {
    FmuTrial *usual = open_same(&SAMES[s], 3), *chosen = open_same(&SAMES[s], 3);
    double got[ROWS], wanted[ROWS];
    for (int k = 0; k < chosen->call.slope_count; k++) chosen->part[k] = 0;
    fmu_trial_run_fully(usual);
    fmu_trial_run_fully(chosen);
    assert_string_equal(chosen->answer->slopes_by, usual->answer->slopes_by);
    for (int k = 0; k < chosen->call.slope_count; k++) {
      assert_true(chosen->answer->slope_part[k] > 0);
      for (int i = 0; i < ROWS; i++) {
        got[i] = fmu_trial_slope_at(chosen, i, 0, k);
        wanted[i] = fmu_trial_slope_at(usual, i, 0, k);
      }
      assert_same_rows(&SAMES[s], "a slope with its own step", got, wanted, 2e-5);
    }
    fmu_trial_close(usual);
    fmu_trial_close(chosen);
  }
}

static void one_instance_in_a_process_gives_values_only_and_says_why(void **state) {
  (void)state;
  FmuTrial *t = fmu_trial_open("once2", FMU_ME);
  fmu_trial_record(t, "x");
  fmu_trial_slope(t, "k");
  fmu_trial_times(t, 0, 2, 3);
  fmu_trial_run_fully(t);
  assert_null(t->answer->slopes);
  assert_string_equal(t->answer->slopes_by, "one instance only in a process");
  assert_close(fmu_trial_value(t, 2, 0), exp(-2), 1e-7);
  fmu_trial_close(t);
}

// Rows until then are kept, whatever ends it.
static void ends_before_the_end_are_outcomes(void **state) {
  (void)state;
  static const struct {
    int mode;
    Outcome outcome;
    const char *says, *log;
  } ENDS[] = {
      {7, OUTCOME_REFUSED, "reported an error at time", "the spring \\x1b[31mbroke"},
      {8, OUTCOME_NOT_COMPUTABLE, "its derivatives cannot be computed or are not finite", ""},
      {9, OUTCOME_TERMINATED, "ended the simulation itself at time", ""},
      {10, OUTCOME_NOT_COMPUTABLE, "its derivatives cannot be computed or are not finite", ""},
  };
  for (int version = 2; version <= 3; version++)
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
      FmuTrial *t = fmu_trial_open(version == 2 ? "bad2" : "bad3", FMU_ME);
      fmu_trial_set(t, "mode", ENDS[i].mode);
      fmu_trial_record(t, "x");
      fmu_trial_times(t, 0, 1, 101);
      const SimulatorAnswer *a = fmu_trial_run(t);
      assert_int_equal(a->outcome, ENDS[i].outcome);
      assert_non_null(strstr(a->message, ENDS[i].says));
      if (!strstr(a->log, ENDS[i].log)) fail_msg("log: %s", a->log);
      if (a->rows < 30 || a->rows == 101) fail_msg("mode %d: %d rows", ENDS[i].mode, a->rows);
      for (int row = 0; row < a->rows && row < 50; row++)
        assert_close(fmu_trial_value(t, row, 0), cos(2 * t->times[row]), 1e-7);
      fmu_trial_close(t);
    }
}

// Steps are as long as the states allow, which say nothing about the indicator.
static void no_peak_of_a_fast_indicator_is_missed(void **state) {
  (void)state;
  static const double W[] = {7, 23, 50, 131}, LEVEL[] = {0.2, 0.9, 0.99999},
                      TOL[] = {1e-4, 1e-6, 1e-9};
  for (int i = 0; i < 36; i++) {
    double w = W[i % 4], level = LEVEL[i / 4 % 3], stop = 10;
    FmuTrial *t = fmu_trial_open(i % 2 ? "peaks3" : "peaks2", FMU_ME);
    fmu_trial_set(t, "w", w);
    fmu_trial_set(t, "level", level);
    fmu_trial_record(t, "counter");
    fmu_trial_times(t, 0, stop, 2);
    t->call.rel_tol = TOL[i / 12];
    fmu_trial_run_fully(t);
    double peaks = floor((w * stop - asin(level)) / (2 * acos(-1))) + 1;
    if (fmu_trial_value(t, 1, 0) != peaks)
      fail_msg("w = %g, level = %g: %g peaks of %g", w, level, fmu_trial_value(t, 1, 0), peaks);
    fmu_trial_close(t);
  }
}

static void limits_of_steps_and_events_end_a_run(void **state) {
  (void)state;
  FmuTrial *t = open_same(same("switch"), 2);
  t->call.max_steps = 5;
  assert_int_equal(fmu_trial_run(t)->outcome, OUTCOME_TOO_MANY_STEPS);
  t->call.max_steps = 100000;
  t->call.max_events = 3;
  assert_int_equal(fmu_trial_run(t)->outcome, OUTCOME_TOO_MANY_EVENTS);
  fmu_trial_close(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_oscillator_is_the_same_as_its_equations),
      cmocka_unit_test(van_der_pols_oscillator_is_the_same_as_its_equations),
      cmocka_unit_test(a_ball_that_bounces_is_the_same_as_its_equations),
      cmocka_unit_test(a_stop_that_is_met_is_the_same_as_its_equations),
      cmocka_unit_test(hysteresis_is_the_same_as_its_equations),
      cmocka_unit_test(arrays_are_the_same_as_their_equations),
      cmocka_unit_test(time_events_move_with_their_parameters),
      cmocka_unit_test(inputs_of_every_kind_reach_the_equations),
      cmocka_unit_test(an_origin_moves_time_and_nothing_else),
      cmocka_unit_test(values_do_not_depend_on_whether_slopes_are_wanted),
      cmocka_unit_test(a_run_gives_the_same_bits_again),
      cmocka_unit_test(a_parameter_at_its_bound_is_changed_inward),
      cmocka_unit_test(steps_that_are_chosen_are_as_good_as_the_usual_ones),
      cmocka_unit_test(one_instance_in_a_process_gives_values_only_and_says_why),
      cmocka_unit_test(ends_before_the_end_are_outcomes),
      cmocka_unit_test(no_peak_of_a_fast_indicator_is_missed),
      cmocka_unit_test(limits_of_steps_and_events_end_a_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
