#include "model/units.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "instance/flat_model.h"
#include "lang/parse.h"
#include "test.h"

typedef struct Checked {
  Arena *arena;
  Warnings warnings;
} Checked;

static Checked check_source(Arena *a, const Source *s, Err *err) {
  Checked c = {.arena = a, .warnings = {.arena = a}};
  const AstModel *m = s ? parse_model(a, s, err) : NULL;
  if (!m) fail_msg("%s:%d:%d: %s", err->file, err->line, err->column, err->text);
  units_check(m, s, a, &c.warnings);
  return c;
}

static Checked check_text(const char *text) {
  Arena *a = arena_new();
  Err err = {0};
  return check_source(a, source_new(a, "<text>", text, strlen(text), &err), &err);
}

#define VARIABLES                                                                                  \
  "model T Real x(unit=\"m\"), y(unit=\"m\"), v(unit=\"m/s\"), F(unit=\"N\"), phi(unit=\"rad\"), " \
  "z(unit=\"mm\"), alpha(unit=\"deg\"), E(unit=\"J\"), w, q, r(unit=\"1\"), T(unit=\"K\"), "       \
  "n(unit=\"rev/min\"), om(unit=\"rad/s\"), tau(unit=\"N.m\"), C(unit=\"degC\"), b(unit=\"%\"); "  \
  "parameter Real m(unit=\"kg\"), k(unit=\"N/m\"), d(unit=\"N.s/m\"), g(unit=\"m/s2\"), p, "       \
  "A(unit=\"m2\"), t0(unit=\"s\"); equation "

static Checked check_equation(const char *equation) {
  char text[2000];
  snprintf(text, sizeof text, "%s%s; end T;", VARIABLES, equation);
  return check_text(text);
}

static void assert_no_warning(const Checked *c, const char *what) {
  if (c->warnings.list.count)
    fail_msg("%s: %d:%d: %s", what, c->warnings.list.at[0].line, c->warnings.list.at[0].column,
             c->warnings.list.at[0].text);
  arena_free(c->arena);
}

static void assert_warning(Checked c, const char *what, const char *sentence) {
  if (c.warnings.list.count != 1) fail_msg("%s: %d warnings", what, c.warnings.list.count);
  assert_string_equal(c.warnings.list.at[0].text, sentence);
  arena_free(c.arena);
}

static void right_equations_pass(void **state) {
  (void)state;
  static const char *const RIGHT[] = {"m*der(v) = -k*x - d*v + F",
                                      "der(x) = v",
                                      "v = g*time",
                                      "E = 0.5*m*v^2 + m*g*x",
                                      "v = sqrt(2*g*x)",
                                      "v^2 = 2*g*x",
                                      "x = y*sin(phi)",
                                      "phi = atan2(x, y)",
                                      "phi = asin(x/y)",
                                      "om = der(phi)",
                                      "F*v = der(m*v^2/2)",
                                      "x = homotopy(y, 2*y)",
                                      "x = rem(y, 3*x) + r*mod(x, y)",
                                      "r = div(x, y)",
                                      "tau = F*x",
                                      "E = tau*phi",
                                      "x = 0",
                                      "x = 1 + y",
                                      "x = min(y, 3)",
                                      "F = if x > 0 then k*x else 0",
                                      "F = max(0, k*x)",
                                      "F = k*abs(x)*sign(v)",
                                      "F = m*g*tanh(v/(g*t0))",
                                      "x = y*exp(-time/t0)",
                                      "x = (A^3)^(1/6)",
                                      "x = A^0.5",
                                      "x = mod(y, 2)",
                                      "F = smooth(0, noEvent(k*x))",
                                      "r = x/y",
                                      "r = phi",
                                      "r = (x/y)^p",
                                      "w = x + v*t0",
                                      "w = sin(x/y) + r^2",
                                      "F = -k*(x - y) + d*(der(x) - der(y))",
                                      "T = C + 273.15",
                                      "F/m = g",
                                      "1/t0 = om",
                                      "E = F*x*(1 + 0.1*sin(phi))",
                                      "x = y + p",
                                      "r = floor(r)"};
  for (size_t i = 0; i < sizeof RIGHT / sizeof *RIGHT; i++) {
    Checked c = check_equation(RIGHT[i]);
    assert_no_warning(&c, RIGHT[i]);
  }
}

static void literal_factors_may_convert_units(void **state) {
  (void)state;
  static const char *const RIGHT[] = {"z = 1000*x",
                                      "x = z/1000",
                                      "x = y + 1e-3*z",
                                      "om = n*0.1047198",
                                      "phi = alpha*3.14159/180",
                                      "b = 100*r",
                                      "z = x/0.001",
                                      "om = 2*3.14159*n/60"};
  for (size_t i = 0; i < sizeof RIGHT / sizeof *RIGHT; i++) {
    Checked c = check_equation(RIGHT[i]);
    assert_no_warning(&c, RIGHT[i]);
  }
}

static void what_is_unknown_fits_everywhere(void **state) {
  (void)state;
  static const char *const UNKNOWN[] = {"x = w",
                                        "x = p*v",
                                        "F = w*sin(q)",
                                        "x^p = v",
                                        "w = q",
                                        "E = p*F",
                                        "w = sin(q*time)",
                                        "x = if w > q then p else q",
                                        "w = sin(time)",
                                        "w = time + time^2",
                                        "w = exp(-time)",
                                        "0 = w*x - q*v",
                                        "q = x^0.123",
                                        "x = 2*time",
                                        "alpha = 10*time",
                                        "x = (1 - time/3)*v",
                                        "v = x/(2 + time)",
                                        "F = Entrain.Tables.linear(x, {0, 1}, {0, 1}, 1)",
                                        "F = semiLinear(x, k, k)"};
  for (size_t i = 0; i < sizeof UNKNOWN / sizeof *UNKNOWN; i++) {
    Checked c = check_equation(UNKNOWN[i]);
    assert_no_warning(&c, UNKNOWN[i]);
  }
}

static void mistakes_are_named_with_both_units(void **state) {
  (void)state;
  static const struct {
    const char *equation, *sentence;
  } WRONG[] = {
      {"F = m*v", "the two sides have different units: 'N' (left) and 'kg.m/s' (right)"},
      {"der(x) = x", "the two sides have different units: 'm/s' (left) and 'm' (right)"},
      {"der(v) = F", "the two sides have different units: 'm/s2' (left) and 'N' (right)"},
      {"der(phi) = x", "the two sides have different units: 'rad/s' (left) and 'm' (right)"},
      {"m*der(v) = -k*x - d*x", "the terms of '-' have different units: 'N' (left) and "
                                "'kg.m/s' (right)"},
      {"w = x + v", "the terms of '+' have different units: 'm' (left) and 'm/s' (right)"},
      {"w = 2*x + z", "the terms of '+' differ by a factor 1000: 'm' (left) and 'mm' (right)"},
      {"x = z", "the two sides differ by a factor 1000: 'm' (left) and 'mm' (right)"},
      {"om = n", "the two sides differ by a factor 9.5493: 'rad/s' (left) and 'rev/min' (right)"},
      {"w = sin(x)", "the argument of 'sin' must be in 'rad', but has the unit 'm'"},
      {"w = cos(alpha)", "the argument of 'cos' must be in 'rad', but has the unit 'deg'"},
      {"w = exp(-t0)", "the argument of 'exp' must be a number without unit, but has the unit 's'"},
      {"w = exp(x*time)",
       "the argument of 'exp' must be a number without unit, but has the unit 'm.s'"},
      {"w = 2^x", "the exponent must be a number without unit, but has the unit 'm'"},
      {"w = atan2(x, v)",
       "the arguments of 'atan2' have different units: 'm' (left) and 'm/s' (right)"},
      {"w = max(x, F)", "the arguments of 'max' have different units: 'm' (left) and 'N' (right)"},
      {"w = if x > 0 then x else v",
       "the branches of 'if' have different units: 'm' (left) and 'm/s' (right)"},
      {"w = if x > v then 1 else 2",
       "the two sides of the relation have different units: 'm' (left) and 'm/s' (right)"},
      {"v = sqrt(g*m)",
       "the two sides have different units: 'm/s' (left) and 'kg(1/2).m(1/2)/s' (right)"},
      {"F = 9.81*m", "the two sides have different units: 'N' (left) and 'kg' (right)"},
      {"E + F = E", "the terms of '+' have different units: 'J' (left) and 'N' (right)"},
      {"x = v + p", "the two sides have different units: 'm' (left) and 'm/s' (right)"},
      {"tau = F/x", "the two sides have different units: 'N.m' (left) and 'kg/s2' (right)"},
      {"F = time", "the two sides have different units: 'N' (left) and 's' (right)"},
      {"E = F*z", "the two sides differ by a factor 1000: 'J' (left) and '0.001 J' (right)"},
  };
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++)
    assert_warning(check_equation(WRONG[i].equation), WRONG[i].equation, WRONG[i].sentence);
}

static void an_equation_gets_one_warning_at_most(void **state) {
  (void)state;
  Checked c = check_equation("w = x + v + F + sin(x) + exp(v); x = v + F");
  assert_int_equal(c.warnings.list.count, 2);
  arena_free(c.arena);
}

static void the_warning_points_at_the_operator_or_the_equation(void **state) {
  (void)state;
  Checked c = check_text("model T\n  Real x(unit = \"m\"), v(unit = \"m/s\");\nequation\n"
                         "  v = 2*v + x;\n  x = v;\nend T;\n");
  assert_int_equal(c.warnings.list.count, 2);
  const Err *sum = &c.warnings.list.at[0], *sides = &c.warnings.list.at[1];
  assert_int_equal(sum->line, 4);
  assert_int_equal(sum->column, 11);
  assert_string_equal(sum->excerpt, "  v = 2*v + x;\n          ^");
  assert_int_equal(sides->line, 5);
  assert_int_equal(sides->column, 3);
  arena_free(c.arena);
}

static void attributes_and_bindings_agree_with_the_declared_unit(void **state) {
  (void)state;
  static const struct {
    const char *declaration, *sentence;
  } WRONG[] = {
      {"Real x(start = T, unit = \"m\");", "start of 'x' has the unit 's', but 'm' is declared"},
      {"Real x(unit = \"m\", max = 2*T);", "max of 'x' has the unit 's', but 'm' is declared"},
      {"Real x(unit = \"m\", nominal = L);",
       "nominal of 'x' has the unit 'mm', but 'm' is declared: a factor 1000"},
      {"parameter Real a(unit = \"m/s\") = L*T;",
       "the value of 'a' has the unit '0.001 m.s', but 'm/s' is declared"},
      {"parameter Real a = L + T;",
       "the terms of '+' have different units: 'mm' (left) and 's' (right)"},
  };
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
    char text[400];
    snprintf(text, sizeof text,
             "model D parameter Real T(unit = \"s\"), L(unit = \"mm\"); %s end D;",
             WRONG[i].declaration);
    assert_warning(check_text(text), WRONG[i].declaration, WRONG[i].sentence);
  }
  Checked c = check_text("model D parameter Real T(unit = \"s\", min = 0) = 3; Real x(start = 2*T, "
                         "unit = \"s\", max = T + 1, fixed = true); Real y(start = T); end D;");
  assert_no_warning(&c, "start");
}

static void a_unit_that_is_not_understood_is_a_warning_and_then_unknown(void **state) {
  (void)state;
  Checked c = check_text("model T\n  Real x(unit = \"m/s^2\"), y(unit = \"m\"), z(unit = \"\");\n"
                         "equation\n  x = y;\n  z = y;\n  z = x;\nend T;\n");
  assert_int_equal(c.warnings.list.at[0].line, 2);
  assert_int_equal(c.warnings.list.at[0].column, 17);
  assert_warning(c, "unit",
                 "the unit \"m/s^2\" of 'x' is not understood: an exponent follows "
                 "without '^', as in 'm/s2'");
}

static void a_model_without_units_gets_no_warnings(void **state) {
  (void)state;
  Checked c = check_text(
      "model V Real x(start = 2), y; parameter Real mu = 5; equation der(x) = y + sin(time); "
      "der(y) = mu*(1 - x^2)*y - x + exp(-time) + time*sin(2*time)^2/(1 + time); end V;");
  assert_no_warning(&c, "Van der Pol");
}

static void a_variable_called_like_a_constant_is_its_own(void **state) {
  (void)state;
  Checked c = check_text(
      "model V Real s(unit = \"m\"); Real 's'(unit = \"m\") = 1; equation s = 2*'s'; end V;");
  assert_no_warning(&c, "quoted name");
}

static void realistic_models_pass(void **state) {
  (void)state;
  Checked motor = check_text(
      "model Motor parameter Real R(unit = \"Ohm\") = 1, L(unit = \"mH\") = 2, "
      "J(unit = \"kg.m2\") = 0.01, k(unit = \"N.m/A\") = 0.1, d(unit = \"N.m.s/rad\") = 1e-3; "
      "input Real u(unit = \"V\"); Real i(unit = \"A\"), w(unit = \"rad/s\"), phi(unit = \"deg\"); "
      "equation 1e-3*L*der(i) = u - R*i - k*w; J*der(w) = k*i - d*w; "
      "der(phi) = w*180/3.14159; end Motor;");
  assert_no_warning(&motor, "motor");
  Checked tank = check_text(
      "model Tank parameter Real A(unit = \"m2\") = 1, a(unit = \"cm2\") = 3, "
      "g(unit = \"m/s2\") = 9.81, rho(unit = \"kg/m3\") = 1000; Real h(unit = \"m\", start = 2), "
      "p(unit = \"bar\"), q(unit = \"l/min\"); equation A*der(h) = -a*1e-4*sqrt(2*g*h); "
      "p = 1.013 + rho*g*h/1e5; q = 6e4*a*1e-4*sqrt(2*g*h); end Tank;");
  assert_no_warning(&tank, "tank");
  Checked kinetics = check_text(
      "model Michaelis parameter Real vmax(unit = \"uM/min\") = 3, Km(unit = \"uM\") = 20; "
      "Real S(unit = \"uM\", start = 100), P(unit = \"uM\"), rate(unit = \"uM/min\"); "
      "equation rate = vmax*S/(Km + S); 60*der(S) = -rate; der(P) = -der(S); end Michaelis;");
  assert_no_warning(&kinetics, "kinetics");
}

static void a_forgotten_conversion_is_found(void **state) {
  (void)state;
  Checked c = check_text("model M Real S(unit = \"uM\"), r(unit = \"uM/min\"); "
                         "equation der(S) = -r; end M;");
  assert_warning(c, "minutes",
                 "the two sides differ by a factor 60: 'uM/s' (left) and "
                 "'uM/min' (right)");
}

static int is_model(const struct dirent *entry) {
  const char *dot = strrchr(entry->d_name, '.');
  return dot && strcmp(dot, ".mo") == 0;
}

// Tests run in the root of the repository; elsewhere there is nothing to see.
static void the_models_of_the_repository_pass(void **state) {
  (void)state;
  static const char *const FOLDERS[] = {"models", "bench/models"};
  for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++) {
    struct dirent **entries;
    int count = scandir(FOLDERS[i], &entries, is_model, alphasort);
    for (int k = 0; k < count; k++) {
      char path[400];
      snprintf(path, sizeof path, "%s/%s", FOLDERS[i], entries[k]->d_name);
      Arena *a = arena_new();
      Err err = {0};
      Checked c = check_source(a, source_load(a, path, &err), &err);
      assert_no_warning(&c, path);
      free(entries[k]);
    }
    if (count >= 0) free(entries);
  }
}

static void the_deepest_trees_do_not_exhaust_the_stack(void **state) {
  (void)state;
  static const struct {
    const char *first, *odd, *even, *last;
  } CHAINS[] = {
      {"x", " + x", " - x*2", ""},
      {"1", "/x", "*x", ""},
      {"if time > 1 then x", " elseif x > y then y", " elseif y > x then x", " else 0"},
  };
  for (size_t k = 0; k < sizeof CHAINS / sizeof *CHAINS; k++) {
    Text text;
    text_init(&text);
    text_add(&text, "model T Real x(unit = \"m\"), y(unit = \"m\"), w; equation w = ");
    text_add(&text, CHAINS[k].first);
    for (int i = 0; i < AST_DEPTH_MOST - 4; i++)
      text_add(&text, i % 2 ? CHAINS[k].odd : CHAINS[k].even);
    text_print(&text, "%s; end T;", CHAINS[k].last);
    Checked c = check_text(text.at);
    text_done(&text);
    assert_no_warning(&c, "deep");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_equations_pass),
      cmocka_unit_test(literal_factors_may_convert_units),
      cmocka_unit_test(what_is_unknown_fits_everywhere),
      cmocka_unit_test(mistakes_are_named_with_both_units),
      cmocka_unit_test(an_equation_gets_one_warning_at_most),
      cmocka_unit_test(the_warning_points_at_the_operator_or_the_equation),
      cmocka_unit_test(attributes_and_bindings_agree_with_the_declared_unit),
      cmocka_unit_test(a_unit_that_is_not_understood_is_a_warning_and_then_unknown),
      cmocka_unit_test(a_model_without_units_gets_no_warnings),
      cmocka_unit_test(a_variable_called_like_a_constant_is_its_own),
      cmocka_unit_test(realistic_models_pass),
      cmocka_unit_test(a_forgotten_conversion_is_found),
      cmocka_unit_test(the_models_of_the_repository_pass),
      cmocka_unit_test(the_deepest_trees_do_not_exhaust_the_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
