// Branches that meet with value and slope need no events, whatever the values of the parameters; others keep theirs.
#include "model/smooth.h"

#include "api/api.h"
#include "loaded.h"
#include "simulation.h"

static int event_count_of(const char *law) {
  char text[700];
  snprintf(
      text, sizeof text,
      "model M\n  parameter Real a = 2; parameter Real b = 20; parameter Real n = 1.5;\n"
      "  Real x(start = 0.1, fixed = true); Real s; Real F;\nequation\n  s = 3*x - sin(time);\n"
      "  F = %s;\n  der(x) = -F + sin(time);\nend M;\n",
      law);
  Loaded l = load_good(text);
  int count = l.m->ne;
  unload(&l);
  return count;
}

static const char *const SMOOTH[] = {
    "a*3*(if s >= 0 then 1 - exp(-b*s) else exp(b*s) - 1)",
    "a*sign(s)*(1 - exp(-b*abs(s)))",
    "if s > 0 then a*sin(n*atan(b*s)) else -a*sin(n*atan(-b*s))",
    "sign(s)*a*sin(n*atan(b*abs(s) - 0.1*(b*abs(s) - atan(b*abs(s)))))",
    "a*s*abs(s)",
    "if s > a then b*(s - a)^2 else 0",
    "b*max(s - a, 0)^2",
    "b*max(s - a, 0)^1.5",
    "b*max(a - s, 0)^3 - b*s",
    "if s <= 1 then s else 2 - 1/s",
};

static const char *const ROUGH[] = {
    "if s > 0 then 1 else 0", // jumps
    "abs(s)",
    "max(s, 0)",                               // slope jumps
    "if s >= 0 then 1 - exp(-b*s) else b*s/2", // the same for all but b = 0
    "if s > a then b*(s - 2)^2 else 0",        // smooth at a = 2 only
    "a*sign(s)*sqrt(abs(s))",                  // infinite slope
    "a*sign(s)*abs(s)^n",                      // depends on n
    "b*max(s, 0)^0.9",
    "if s > 0 then 1/s else 0",
    "if s > 0 then s else noEvent(abs(s))", // kink of its own
    "floor(s)",
    "if s > 0 then s*log(s) else 0",
};

static void branches_that_meet_smoothly_need_no_event(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof SMOOTH / sizeof *SMOOTH; i++)
    if (event_count_of(SMOOTH[i]) != 0) fail_msg("%s has events", SMOOTH[i]);
}

static void others_keep_their_events(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof ROUGH / sizeof *ROUGH; i++)
    if (event_count_of(ROUGH[i]) == 0) fail_msg("%s has no events", ROUGH[i]);
}

// A Boolean that shows the relation makes it jump.
static void a_relation_that_is_also_shown_stays_an_event(void **state) {
  (void)state;
  Run r = simulate_fully(.text = "model M\n  Real x(start = -1, fixed = true); Boolean b;\n"
                                 "equation\n  b = x > 0;\n"
                                 "  der(x) = 1 + (if x > 0 then x^2 else 0);\nend M;\n",
                         .options = "rel_tol=1e-9 abs_tol=1e-11", .stop = 2, .step = 0.3);
  assert_int_equal(r.work.events, 1);
  for (int i = 0; i < rows(&r); i++)
    assert_close(value_at(&r, "b", i), value_at(&r, "x", i) > 0, 0);
  run_free(&r);
}

// Without their events the motion and its sensitivities are the same to the tolerances.
static void the_motion_stays_the_same(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof SMOOTH / sizeof *SMOOTH; i++) {
    char text[700], located[800];
    snprintf(text, sizeof text,
             "model M\n  parameter Real a = 0.2; parameter Real b = 20; parameter Real n = 1.5;\n"
             "  Real x(start = 0.1, fixed = true); Real s; Real F;\n%%s\nequation\n"
             "  s = 3*x - sin(time);\n  F = %s;\n  der(x) = -F/b + sin(time);\n%%s\nend M;\n",
             SMOOTH[i]);
    // the jumping Boolean keeps the same relation an event in a second model
    snprintf(located, sizeof located, text, "  Boolean c;", "  c = s > 0;");
    char plain[800];
    snprintf(plain, sizeof plain, text, "", "");
    static const char OPTIONS[] = "rel_tol=1e-9 abs_tol=1e-12";
    Run r = simulate_fully(.text = plain, .options = OPTIONS, .stop = 6, .step = 0.5, .sens = "*");
    Run e =
        simulate_fully(.text = located, .options = OPTIONS, .stop = 6, .step = 0.5, .sens = "*");
    assert_true(largest_difference(&r, &e, "x") < 1e-6);
    assert_true(largest_difference(&r, &e, "dx/db") < 1e-6);
    run_free(&r);
    run_free(&e);
  }
}

// Only the value agrees: the steps go on. A restart would cost several steps for each of the 63 events.
static void kinks_cost_few_steps(void **state) {
  (void)state;
  static const char TEXT[] = "model M\n  Real x(start = 1, fixed = true);\n"
                             "  Real v(start = 0, fixed = true);\nequation\n  der(x) = v;\n"
                             "  der(v) = -x - 0.3*%s;\nend M;\n";
  char plain[300], kinked[300];
  snprintf(plain, sizeof plain, TEXT, "x");
  snprintf(kinked, sizeof kinked, TEXT, "max(x, 0)");
  Run a = simulate_fully(.text = plain, .stop = 200, .step = 200);
  Run b = simulate_fully(.text = kinked, .stop = 200, .step = 200);
  assert_true(b.work.events > 60);
  assert_true(b.work.steps < a.work.steps + 3 * b.work.events);
  run_free(&a);
  run_free(&b);
}

// The branches meet smoothly only where the others are: nothing can be proved, but each event shows it. From some number
// of events on this simulation integrates through.
static void what_was_smooth_many_times_is_integrated_through(void **state) {
  (void)state;
  static const char TEXT[] =
      "model Tyre\n  parameter Real b = 100;\n  Real v(start = 4, fixed = true); Real s; Real F;\n"
      "equation\n  s = 1 - v/(4 + sin(time) + 1e-4*sin(40*time));\n"
      "  F = %s(if s >= 0 then min(b*s, 1) else max(b*s, -1));\n  der(v) = 200*F;\nend Tyre;\n";
  char located[500], not_located[500];
  snprintf(located, sizeof located, TEXT, "");
  snprintf(not_located, sizeof not_located, TEXT, "noEvent");
  Run a = simulate_fully(.text = not_located, .stop = 60, .step = 1);
  Run b = simulate_fully(.text = located, .stop = 60, .step = 1);
  assert_true(b.work.events < 100);
  assert_true(b.work.steps < 1.2 * (double)a.work.steps);
  assert_true(largest_difference(&a, &b, "v") < 1e-4);
  run_free(&a);
  run_free(&b);
  a = simulate_fully(.text = not_located, .stop = 60, .step = 1, .sens = "b");
  b = simulate_fully(.text = located, .stop = 60, .step = 1, .sens = "b");
  assert_true(largest_difference(&a, &b, "dv/db") < 1e-7); // of values up to 2e-6
  run_free(&a);
  run_free(&b);
}

// A planar car on tyres whose force is written with a choice at slip 0, where the wheels hold it.
static const char BICYCLE[] =
    "model Bicycle\n"
    "  parameter Real Along = 100, Blong = 100, Alat = 1, Blat = 1;\n"
    "  parameter Real m = 2117, g = 9.81, df = 1.353, dr = 1.487, R = 0.330, Iz = 3605.0281;\n"
    "  parameter Real Fz = m*g/2;\n"
    "  Real x(start = 0), y(start = 0), psi(start = 0), vX(start = 4), vY(start = 0), om(start = "
    "0);\n"
    "  Real delta, wF, wR, u, v, vyf, xwf, ywf, ywr, sF, sR, aF, aR, FxF, FxR, FyF, FyR, Fxb, "
    "Fyb;\n"
    "equation\n"
    "  delta = 0.02*sin(0.8*time);\n"
    "  wF = (4 + 1.5*sin(0.3*time))/R*(1 + 2e-5*sin(5*time));\n"
    "  wR = (4 + 1.5*sin(0.3*time))/R*(1 + 1e-5*cos(7*time));\n"
    "  u = vX*cos(psi) + vY*sin(psi);\n  v = -vX*sin(psi) + vY*cos(psi);\n"
    "  vyf = v + df*om;\n  xwf = u*cos(delta) + vyf*sin(delta);\n"
    "  ywf = -u*sin(delta) + vyf*cos(delta);\n  ywr = v - dr*om;\n"
    "  sF = 1 - xwf/(R*wF);\n  sR = 1 - u/(R*wR);\n  aF = atan(ywf/xwf);\n  aR = atan(ywr/u);\n"
    "  FxF = Along*Fz*@(if sF >= 0 then 1 - exp(-Blong*sF) else exp(Blong*sF) - 1);\n"
    "  FxR = Along*Fz*@(if sR >= 0 then 1 - exp(-Blong*sR) else exp(Blong*sR) - 1);\n"
    "  FyF = -Alat*Fz*@(if aF >= 0 then 1 - exp(-Blat*aF) else exp(Blat*aF) - 1);\n"
    "  FyR = -Alat*Fz*@(if aR >= 0 then 1 - exp(-Blat*aR) else exp(Blat*aR) - 1);\n"
    "  Fxb = FxF*cos(delta) - FyF*sin(delta) + FxR;\n"
    "  Fyb = FxF*sin(delta) + FyF*cos(delta) + FyR;\n"
    "  der(x) = vX;\n  der(y) = vY;\n  der(psi) = om;\n"
    "  der(vX) = (Fxb*cos(psi) - Fyb*sin(psi))/m;\n"
    "  der(vY) = (Fxb*sin(psi) + Fyb*cos(psi))/m;\n"
    "  der(om) = (df*(FxF*sin(delta) + FyF*cos(delta)) - dr*FyR)/Iz;\nend Bicycle;\n";

static void with_word(const char *text, const char *word, char *out) { // in the place of each @
  for (; *text; text++)
    if (*text == '@')
      out += sprintf(out, "%s", word);
    else
      *out++ = *text;
  *out = 0;
}

static void a_car_on_its_tyres_takes_the_steps_of_its_form_without_events(void **state) {
  (void)state;
  static char located[4000], not_located[4000];
  with_word(BICYCLE, "", located);
  with_word(BICYCLE, "noEvent", not_located);
  Run a = simulate_fully(.text = not_located, .stop = 20, .step = 1);
  Run b = simulate_fully(.text = located, .stop = 20, .step = 1);
  assert_int_equal(b.work.events, 0);
  assert_true(b.work.steps <= 1.2 * (double)a.work.steps);
  assert_true(largest_difference(&a, &b, "x") < 1e-6);
  run_free(&a);
  run_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(branches_that_meet_smoothly_need_no_event),
      cmocka_unit_test(others_keep_their_events),
      cmocka_unit_test(a_relation_that_is_also_shown_stays_an_event),
      cmocka_unit_test(the_motion_stays_the_same),
      cmocka_unit_test(kinks_cost_few_steps),
      cmocka_unit_test(a_car_on_its_tyres_takes_the_steps_of_its_form_without_events),
      cmocka_unit_test(what_was_smooth_many_times_is_integrated_through),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
