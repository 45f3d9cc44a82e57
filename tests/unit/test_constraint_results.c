// What the public functions tell about constraints.
#include "simulation.h"

// A rod; its constraints are in lines 5 and 6, and the second follows from the first when M = L.
#define ROD(more)                                                                                  \
  "model Rod parameter Real L = 1; parameter Real M = 1;\n"                                        \
  "Real x(start = 0.6); Real y(start = -1); Real vx; Real vy; Real F; Real G;\nequation\n"         \
  "der(x) = vx; der(y) = vy; der(vx) = -(F + G)*x; der(vy) = -(F + G)*y - 9.81;\n"                 \
  "x^2 + y^2 = L^2;\n" more "\nend Rod;\n"

static const char ONE[] = ROD("G = 0;"), TWO[] = ROD("x^2 + y^2 = M^2;");

static Run run_rod(const char *text, const char *set, const char *options, const char *sens) {
  return simulate_try(
      &(Spec){.text = text, .set = set, .options = options, .stop = 2, .step = 0.5, .sens = sens});
}

static void a_model_tells_its_constraints(void **state) {
  (void)state;
  Run r = run_rod(ONE, NULL, NULL, NULL);
  EntrainConstraint c = {.size = sizeof c};
  assert_int_equal(entrain_model_index(r.model), 3);
  assert_int_equal(entrain_model_free_start_count(r.model), 2);
  assert_int_equal(entrain_model_constraint_count(r.model), 1);
  assert_true(entrain_model_constraint(r.model, 0, &c));
  assert_int_equal(c.line, 5);
  assert_string_equal(c.text, "x^2 + y^2 = L^2");
  assert_int_equal(c.differentiated, 2);
  assert_false(c.redundant);
  assert_false(entrain_model_constraint(r.model, 1, &c));
  assert_false(entrain_model_constraint(r.model, -1, &c));
  run_free(&r);
}

static void other_models_have_none(void **state) {
  (void)state;
  Run r = simulate_try(&(Spec){.file = "models/pendulum.mo", .stop = 1, .step = 1});
  EntrainInvariant v = {.size = sizeof v};
  assert_int_equal(entrain_model_index(r.model), 0);
  assert_int_equal(entrain_model_free_start_count(r.model), 2);
  assert_int_equal(entrain_model_constraint_count(r.model), 0);
  assert_int_equal(entrain_result_invariant_count(r.result), 0);
  assert_int_equal(entrain_result_worst_invariant(r.result), -1);
  assert_int_equal(entrain_result_worst_invariant_sens(r.result), -1);
  assert_false(entrain_result_invariant(r.result, 0, &v));
  run_free(&r);
}

// Whether a constraint follows from another depends on the values of parameters.
static void redundancy_follows_the_parameters(void **state) {
  (void)state;
  Run r = run_rod(TWO, NULL, NULL, NULL);
  EntrainConstraint c = {.size = sizeof c};
  assert_int_equal(entrain_result_outcome(r.result), ENTRAIN_REACHED_END);
  assert_true(entrain_model_constraint(r.model, 1, &c) && c.redundant);
  assert_int_equal(entrain_model_free_start_count(r.model), 2);
  assert_true(entrain_model_set(r.model, "M", "2", &r.error));
  run_free(&r);
  r = run_rod(TWO, "M=2", NULL, NULL);
  if (r.result) assert_int_equal(entrain_result_outcome(r.result), ENTRAIN_NO_START);
  run_free(&r);
}

static void violations_fall_with_the_tolerance(void **state) {
  (void)state;
  double last = HUGE_VAL, last_sens = HUGE_VAL;
  static const char *const OPTIONS[] = {"rel_tol=1e-4 abs_tol=1e-4", "rel_tol=1e-7 abs_tol=1e-7",
                                        "rel_tol=1e-10 abs_tol=1e-10"};
  for (int k = 0; k < 3; k++) {
    Run r = run_rod(ONE, NULL, OPTIONS[k], "L");
    EntrainInvariant v = {.size = sizeof v}, s = {.size = sizeof s};
    assert_int_equal(entrain_result_invariant_count(r.result), 2);
    assert_true(entrain_result_invariant(r.result, entrain_result_worst_invariant(r.result), &v));
    assert_true(
        entrain_result_invariant(r.result, entrain_result_worst_invariant_sens(r.result), &s));
    assert_int_equal(v.line, 5);
    assert_true(v.violation > 0 && v.violation < last / 10);
    assert_true(s.violation_sens > 0 && s.violation_sens < last_sens / 10);
    for (int i = 0; i < 2; i++) {
      EntrainInvariant each = {.size = sizeof each};
      assert_true(entrain_result_invariant(r.result, i, &each));
      assert_int_equal(each.differentiated, i);
      assert_true(each.relative <= v.relative && each.violation_sens <= s.violation_sens);
    }
    last = v.violation, last_sens = s.violation_sens;
    run_free(&r);
  }
}

static void results_outlive_their_simulation(void **state) {
  (void)state;
  Run r = run_rod(ONE, NULL, NULL, NULL);
  entrain_simulation_free(r.simulation);
  entrain_model_free(r.model);
  r.simulation = NULL, r.model = NULL;
  EntrainInvariant v = {.size = sizeof v};
  assert_true(entrain_result_invariant(r.result, 1, &v));
  assert_int_equal(v.line, 5);
  char *json = entrain_result_json(r.result);
  assert_non_null(strstr(json, "\"invariants\": [{\"line\": 5, \"differentiated\": 0"));
  entrain_text_free(json);
  run_free(&r);
}

// The public numbers of outcomes are those that their names say.
static void outcomes_have_their_names(void **state) {
  (void)state;
  static const struct {
    const char *text, *options, *name;
    EntrainOutcome outcome;
  } CASES[] = {
      {"model A Real x(start = 1); equation der(x) = x^2; end A;", NULL, "step-too-small",
       ENTRAIN_STEP_TOO_SMALL},
      {"model A Real x(start = 1); equation der(x) = sin(99*time); end A;", "max_steps=3",
       "too-many-steps", ENTRAIN_TOO_MANY_STEPS},
      {"model A Real x(start = 1, fixed = true); Real y(start = 1, fixed = true); Real u; Real v; "
       "Real "
       "F; equation der(x) = u; der(y) = v; der(u) = -F*x; der(v) = -F*y; x^2 + y^2 = 1; end A;",
       NULL, "no-start", ENTRAIN_NO_START},
      {"model A Real x; Real y; Real z; equation der(x) = z*y + 1; der(y) = -z*x; x*y = 0; end A;",
       NULL, "singular-position", ENTRAIN_SINGULAR_POSITION},
      {"model A Real x(start = 1); Boolean b; equation b = not pre(b); der(x) = 1; end A;", NULL,
       "chatter", ENTRAIN_CHATTER},
      {"model A Real x(start = 1); Real s; equation der(x) = 1; s = floor(99*x); end A;",
       "max_events=5", "too-many-events", ENTRAIN_TOO_MANY_EVENTS},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    Run r = simulate_try(
        &(Spec){.text = CASES[i].text, .options = CASES[i].options, .stop = 3, .step = 1});
    assert_non_null(r.result);
    assert_string_equal(entrain_result_outcome_name(r.result), CASES[i].name);
    assert_int_equal(entrain_result_outcome(r.result), CASES[i].outcome);
    run_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model_tells_its_constraints),
      cmocka_unit_test(other_models_have_none),
      cmocka_unit_test(redundancy_follows_the_parameters),
      cmocka_unit_test(violations_fall_with_the_tolerance),
      cmocka_unit_test(results_outlive_their_simulation),
      cmocka_unit_test(outcomes_have_their_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
