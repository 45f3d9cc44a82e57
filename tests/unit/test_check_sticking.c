// What check says about relations that hold the motion.
#include "study/check_sticking.h"

#include "made_problem.h"
#include "study/check_run.h"

// Masses on a rough plane, coupled by springs and pulled at one end.
static const char TRAIN[] =
    "model Train parameter Real F = 1, k = 30; parameter Integer n = 6;\n"
    "  Real x[n](each start = 0, each fixed = true), v[n](each start = 0, each fixed = true);\n"
    "  Real s[n + 1]; equation s[1] = k*(2*sin(0.5*time) - x[1]);\n"
    "  for i in 2:n loop s[i] = k*(x[i - 1] - x[i]); end for;\n"
    "  s[n + 1] = 0;\n"
    "  for i in 1:n loop der(x[i]) = v[i]; der(v[i]) = s[i] - s[i + 1] - F*sign(v[i]) - v[i];\n"
    "  end for; end Train;";

static const char SWING[] =
    "model Swing parameter Real F = 0.5, k = 4; Real x(start = 0, fixed = true);\n"
    "Real v(start = 0, fixed = true); equation der(x) = v;\n"
    "der(v) = 2*sin(1.3*time) - k*x - F*(if v > 0 then 1 else -1); end Swing;";

// No force is small enough to hold it.
static const char FREE[] =
    "model Free parameter Real F = 0.1, k = 4; Real x(start = 1, fixed = true);\n"
    "Real v(start = 0.1, fixed = true); equation der(x) = v;\n"
    "der(v) = -k*x - F*(if v > -50 then 1 else -1); end Free;";

// Its law says on the surface what it says below: nothing is held.
static const char TANK[] =
    "model Tank parameter Real F = 0.1; Real x(start = 1, fixed = true); equation\n"
    "der(x) = if x > 0 then -F else 0; end Tank;";

typedef struct Case {
  Made made;
  Check *check;
} Case;

static Case checked(const char *model, const char *measured, const char *sigma) {
  Case c;
  char text[400], data[20000] = "t,y\n";
  made_open(&c.made);
  made_file(&c.made, "m.mo", model);
  for (int i = 0; i < 100; i++)
    snprintf(data + strlen(data), 60, "%.1f,%.6f\n", 0.2 * i, sin(0.1 * i));
  made_file(&c.made, "d.csv", data);
  snprintf(text, sizeof text,
           "model: m.mo\nexperiments:\n  - data: d.csv\n    time: t\n"
           "    measure: {\"%s\": {column: y%s%s}}\n"
           "estimate: {F: {start: 0.8, min: 0.01, max: 5}}\n",
           measured, sigma ? ", sigma: " : "", sigma ? sigma : "");
  c.check = check_run(made_load(&c.made, text));
  return c;
}

static void close_case(Case *c) {
  check_free(c->check);
  made_close(&c->made);
}

static const char *says(const Case *c, const char *part) {
  for (int i = 0; i < c->check->findings.count; i++)
    if (strstr(c->check->findings.at[i].text, part)) return c->check->findings.at[i].text;
  return NULL;
}

static void assert_says(const Case *c, const char *part) {
  const char *all = says(c, "sticks");
  if (!all || !strstr(all, part)) fail_msg("no '%s' in: %s", part, all ? all : "nothing");
}

static void a_wide_law_is_cheaper_where_noise_hides_it(void **state) {
  (void)state;
  Case c = checked(TRAIN, "x[6]", "0.3");
  assert_says(&c, "'sign(v[6])' (m.mo:");
  assert_says(&c, "times fewer evaluations");
  assert_says(&c, "Write tanh(v[1]/");
  close_case(&c);
}

static void the_sharp_law_is_cheaper_where_the_data_are_exact(void **state) {
  (void)state;
  Case c = checked(TRAIN, "x[6]", "0.001");
  assert_says(&c, "That is the cheaper form");
  close_case(&c);
  c = checked(SWING, "x", NULL);
  assert_says(&c, "'v > 0' (m.mo:3");
  assert_says(&c, "tanh(v/");
  assert_says(&c, "of its range");
  close_case(&c);
}

static void nothing_is_said_where_nothing_sticks(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    Case c = checked(i ? TANK : FREE, "x", NULL);
    assert_null(says(&c, "sticks"));
    close_case(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wide_law_is_cheaper_where_noise_hides_it),
      cmocka_unit_test(the_sharp_law_is_cheaper_where_the_data_are_exact),
      cmocka_unit_test(nothing_is_said_where_nothing_sticks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
