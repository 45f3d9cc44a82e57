// What a check says of constraints and start values is true of the model.
#include "study/check_constraints.h"

#include "made_problem.h"

// A pendulum in Cartesian coordinates; its constraint is in line 6.
static const char *pendulum(const char *positions, const char *more) {
  static char text[2000];
  snprintf(text, sizeof text,
           "model Rod parameter Real L = 1; Real vx; Real vy; Real F; Real G;\n%s\nequation\n"
           "der(x) = vx; der(y) = vy; der(vx) = -(F + G)*x;\nder(vy) = -(F + G)*y - 9.81;\n"
           "x^2 + y^2 = L^2;\n%s\nend Rod;\n",
           positions, more);
  return text;
}

static const char FREE_Y[] = "Real x(start = 0.6, fixed = true); Real y(start = -1);";
static const char ONE_FORCE[] = "G = 0;";

static Check *check_of(Made *m, const char *model) {
  made_open(m);
  made_file(m, "rod.mo", model);
  made_file(m, "rod.csv", "t,x\n0,0.6\n0.1,0.58\n0.2,0.5\n0.3,0.36\n");
  made_load(m, "model: rod.mo\nexperiments: {data: rod.csv, measure: {x: x}}\n"
               "estimate: {L: {start: 1, min: 0.7, max: 3}}\n");
  Arena *a = arena_new();
  Check *c = ARENA_NEW(a, Check);
  *c = (Check){.arena = a, .problem = m->problem};
  check_constraints(c);
  return c;
}

static void done(Made *m, Check *c) {
  arena_free(c->arena);
  made_close(m);
}

static const char *text_of(const Check *c, FindingKind kind) {
  for (int i = 0; i < c->findings.count; i++)
    if (c->findings.at[i].kind == kind) return c->findings.at[i].text;
  return "";
}

static void assert_says(const Check *c, FindingKind kind, const char *words) {
  for (int i = 0; i < c->findings.count; i++)
    if (c->findings.at[i].kind == kind && strstr(c->findings.at[i].text, words)) return;
  fail_msg("no '%s', but: %s", words, text_of(c, kind));
}

static void assert_silent(const Check *c, FindingKind kind) {
  if (text_of(c, kind)[0]) fail_msg("%s", text_of(c, kind));
}

static void index_and_free_states_are_told(void **state) {
  (void)state;
  Made m;
  Check *c = check_of(&m, pendulum(FREE_Y, ONE_FORCE));
  assert_says(c, FINDING_GOOD,
              "index 3: 1 constraint (line 6) and its derivatives leave 2 of the 4");
  assert_says(c, FINDING_GOOD, "y from -1 to -0.8");
  assert_silent(c, FINDING_NOTE);
  assert_silent(c, FINDING_ERROR);
  done(&m, c);
}

static void a_model_without_constraints_is_passed_over(void **state) {
  (void)state;
  Made m;
  Check *c =
      check_of(&m, "model D parameter Real L = 1; Real x(start = 1); equation der(x) = -L*x; "
                   "end D;");
  assert_int_equal(c->findings.count, 0);
  done(&m, c);
}

static void redundant_constraints_are_named(void **state) {
  (void)state;
  Made m;
  Check *c = check_of(&m, pendulum(FREE_Y, "L*x^2 + L*y^2 = L^3;"));
  assert_says(c, FINDING_NOTE, "constraint in line 7 follows from the others");
  assert_says(c, FINDING_GOOD, "2 constraints (lines 6 and 7)");
  assert_says(c, FINDING_GOOD, "leave 2 of the 4");
  done(&m, c);
}

static void contradicting_start_values_are_an_error_with_the_difference(void **state) {
  (void)state;
  Made m;
  Check *c =
      check_of(&m, pendulum("Real x(start = 1, fixed = true); Real y(start = -1, fixed = true);",
                            ONE_FORCE));
  assert_says(c, FINDING_ERROR, "constraint in line 6: its sides differ by 1.");
  done(&m, c);
}

static void a_start_that_does_not_exist_is_an_error(void **state) {
  (void)state;
  Made m;
  Check *c =
      check_of(&m, pendulum("Real x(start = 3, fixed = true); Real y(start = -1);", ONE_FORCE));
  assert_true(text_of(c, FINDING_ERROR)[0]);
  done(&m, c);
}

// They satisfy the constraint by their numbers, and would not at another length.
static void fixed_values_that_do_not_follow_an_estimated_length_are_an_error(void **state) {
  (void)state;
  Made m;
  Check *c = check_of(
      &m, pendulum("Real x(start = 0.6, fixed = true); Real y(start = -0.8, fixed = true);",
                   ONE_FORCE));
  assert_says(c, FINDING_ERROR, "line 6 only at this value of L");
  done(&m, c);
  c = check_of(&m, pendulum("Real x(start = 0, fixed = true); Real y(start = -L, fixed = true);",
                            ONE_FORCE));
  assert_silent(c, FINDING_ERROR);
  done(&m, c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(index_and_free_states_are_told),
      cmocka_unit_test(a_model_without_constraints_is_passed_over),
      cmocka_unit_test(redundant_constraints_are_named),
      cmocka_unit_test(contradicting_start_values_are_an_error_with_the_difference),
      cmocka_unit_test(a_start_that_does_not_exist_is_an_error),
      cmocka_unit_test(fixed_values_that_do_not_follow_an_estimated_length_are_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
