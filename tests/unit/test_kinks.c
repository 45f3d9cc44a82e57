// A falling or turning motion meets kinks or does not; what the watch says agrees with where they are.
#include "residual/kinks.h"

#include "hand_problem.h"
#include "threshold.h"

#define FALL(law)                                                                                  \
  "model Fall\n  parameter Real a = 0.5;\n  Real x(start = 1, fixed = true);\n"                    \
  "equation\n  der(x) = " law ";\nend Fall;\n"

typedef struct Passage {
  Hand *hand;
  int parameter;
  System *system;
  SimulateWork *work;
  Kinks *kinks;
  char why[700];
} Passage;

static void open_passage(Passage *p, const char *model) {
  memset(p, 0, sizeof *p);
  p->hand = hand_text(model);
  p->parameter = hand_parameter(p->hand, "a");
  SystemSpec spec = {.lanes = 1};
  SimulateOptions options = p->hand->problem.simulate;
  simulate_needs(&options, 1, &spec);
  p->system = system_new(p->hand->problem.model, &spec);
  p->work = simulate_work_new(p->system, &options);
  p->kinks = kinks_new(p->hand->problem.model, &p->parameter, 1, CODE_AUTO);
}

static void close_passage(Passage *p) {
  kinks_free(p->kinks);
  simulate_work_free(p->work);
  system_free(p->system);
  hand_done(p->hand);
}

static bool passes_until(void *data, double stop) {
  Passage *p = data;
  double nothing[1];
  SimulateRequest request = {.p = p->hand->truth, .times = &stop, .count = 1};
  Trajectory t = {.values = nothing, .stepped = kinks_watch, .stepped_data = p->kinks};
  kinks_begin(p->kinks, p->hand->truth, &request);
  simulate_run(p->work, &request, &t);
  assert_int_equal(t.outcome, OUTCOME_REACHED_END);
  return kinks_passed(p->kinks, &t, p->why);
}

// x = 1 - t meets a at t = 1 - a; each run starts anew.
static void a_kink_counts_from_where_it_is_met(void **state) {
  (void)state;
  Passage p;
  open_passage(&p, FALL("-1 + 0*x - 1e-9*noEvent(abs(x - a))"));
  for (double a = 0.2; a < 0.9; a += 0.3) {
    hand_truth(p.hand, "a", a);
    assert_threshold(passes_until, &p, 1 - a);
    assert_non_null(strstr(p.why, "crosses a kink"));
    assert_true(passes_until(&p, 0.5 * (1 - a)));
  }
  close_passage(&p);
}

static void an_event_that_a_parameter_moves_does_not_pass(void **state) {
  (void)state;
  Passage p;
  open_passage(&p, FALL("if x > a then -1 else -1.0001"));
  assert_threshold(passes_until, &p, 0.5);
  assert_non_null(strstr(p.why, "'x > a' in line 5"));
  close_passage(&p);
}

// A motion that sticks from its start has no events.
static void a_motion_that_sticks_does_not_pass(void **state) {
  (void)state;
  static const char *const LAWS[] = {FALL("if x > 1 then -a elseif x < 1 then a else 0"),
                                     FALL("0.3 - sign(x - 1)"), FALL("-sign(x - 0.9)")};
  for (int k = 0; k < 3; k++) {
    Passage p;
    open_passage(&p, LAWS[k]);
    assert_false(passes_until(&p, 2));
    assert_non_null(strstr(p.why, k < 2 ? "sticks" : "the motion"));
    close_passage(&p);
  }
}

static void smooth_motion_and_events_that_nothing_moves_pass(void **state) {
  (void)state;
  static const char *const LAWS[] = {FALL("-a*x"), FALL("if time > 0.3 then -a else -2*a")};
  for (int k = 0; k < 2; k++) {
    Passage p;
    open_passage(&p, LAWS[k]);
    assert_true(passes_until(&p, 2));
    close_passage(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_kink_counts_from_where_it_is_met),
      cmocka_unit_test(an_event_that_a_parameter_moves_does_not_pass),
      cmocka_unit_test(a_motion_that_sticks_does_not_pass),
      cmocka_unit_test(smooth_motion_and_events_that_nothing_moves_pass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
