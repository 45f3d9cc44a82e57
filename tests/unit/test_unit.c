#include "model/unit.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static Unit parsed(const char *text) {
  Unit u;
  Err err = {0};
  if (!unit_parse(text, &u, &err)) fail_msg("\"%s\": %s", text, err.text);
  return u;
}

static void assert_same(const char *a, const char *b) {
  Unit ua = parsed(a), ub = parsed(b);
  if (!unit_same(&ua, &ub)) fail_msg("\"%s\" and \"%s\" differ", a, b);
}

static const char *const UNITS[] = {
    "m",         "kg",       "s",      "N",   "N.m",    "m/s",    "m/s2",    "1/s2",    "rad",
    "rad/s",     "N.s/m",    "kg.m2",  "Pa",  "J",      "W",      "V",       "A",       "Ohm",
    "H",         "F",        "Hz",     "deg", "degC",   "K",      "mol",     "cd",      "%",
    "1",         "mm",       "ms",     "kN",  "MPa",    "um",     "N/(m/s)", "m-1",     "l",
    "min",       "h",        "d",      "t",   "bar",    "kat",    "rev/min", "g/cm3",   "W/(m2.K)",
    "kg/(m.s2)", "J/(kg.K)", "mmol/l", "s-1", "m(1/2)", "uM/min", "V.s/rad", "1/(s.M)", "dam",
};
enum { UNIT_COUNT = sizeof UNITS / sizeof *UNITS };

static void many_ways_to_write_one_unit_agree(void **state) {
  (void)state;
  assert_same("N", "kg.m/s2");
  assert_same("N", "kg.m.s-2");
  assert_same("N/(m/s)", "N.s/m");
  assert_same("kg/s", "N.s/m");
  assert_same("J", "N.m");
  assert_same("W", "V.A");
  assert_same("Ohm", "V/A");
  assert_same("H", "Ohm.s");
  assert_same("F", "C/V");
  assert_same("Pa", "N/m2");
  assert_same("Hz", "1/s");
  assert_same("rad/s", "s-1");
  assert_same("l", "dm3");
  assert_same("t", "Mg");
  assert_same("M", "mol/l");
  assert_same("\u00b5m", "um");
  assert_same("rpm", "rev/min");
}

static void conversions_have_the_factors_of_the_tables(void **state) {
  (void)state;
  assert_close_relative(parsed("km/h").scale, 1 / 3.6, 1e-14);
  assert_close_relative(parsed("rev/min").scale, 2 * 3.14159265358979 / 60, 1e-14);
  assert_close_relative(parsed("deg").scale * 180, 3.14159265358979, 1e-14);
  assert_close_relative(parsed("MPa").scale, 1e6, 1e-14);
  assert_close_relative(parsed("g/cm3").scale, 1e3, 1e-14);
  assert_close_relative(parsed("mm2").scale, 1e-6, 1e-14);
  assert_close_relative(parsed("d").scale, 24.0 * 3600, 1e-14);
}

static void symbols_count_before_prefixes(void **state) {
  (void)state;
  assert_close(parsed("min").scale, 60, 0);
  assert_true(parsed("cd").exponent[6] == UNIT_FRACTION);
  assert_true(parsed("Pa").exponent[0] == UNIT_FRACTION);
  assert_true(parsed("mol").exponent[5] == UNIT_FRACTION);
  assert_true(parsed("T").exponent[3] == -UNIT_FRACTION);
}

static void printed_units_read_back_the_same(void **state) {
  (void)state;
  for (int i = 0; i < UNIT_COUNT; i++) {
    Unit u = parsed(UNITS[i]);
    Text text;
    text_init(&text);
    unit_print(&text, &u);
    char *rest = text.at;
    double factor = strchr(text.at, ' ') ? strtod(text.at, &rest) : 1;
    Unit back = parsed(rest + (*rest == ' '));
    assert_true(unit_same_dimension(&u, &back));
    assert_close_relative(factor * back.scale, u.scale, 1e-5); // six digits are printed
    text_done(&text);
  }
}

static void product_of_units_is_the_unit_of_the_product(void **state) {
  (void)state;
  for (int i = 0; i < UNIT_COUNT; i++)
    for (int k = 0; k < UNIT_COUNT; k++) {
      char text[80];
      Unit a = parsed(UNITS[i]), b = parsed(UNITS[k]), product, quotient;
      assert_true(unit_times_power(&a, &b, 1, &product));
      assert_true(unit_times_power(&a, &b, -1, &quotient));
      snprintf(text, sizeof text, "(%s).(%s)", UNITS[i], UNITS[k]);
      Unit read = parsed(text);
      assert_true(unit_same(&read, &product));
      snprintf(text, sizeof text, "(%s)/(%s)", UNITS[i], UNITS[k]);
      read = parsed(text);
      assert_true(unit_same(&read, &quotient));
      assert_true(unit_times_power(&quotient, &b, 1, &quotient));
      assert_true(unit_same(&a, &quotient));
    }
}

static void a_root_undoes_a_power(void **state) {
  (void)state;
  const double powers[] = {2, 3, 4, 5, 6, -2, 0.5, 1.5};
  for (int i = 0; i < UNIT_COUNT; i++)
    for (size_t k = 0; k < sizeof powers / sizeof *powers; k++) {
      Unit one = unit_one(), u = parsed(UNITS[i]), raised, back;
      assert_true(unit_times_power(&one, &u, powers[k], &raised));
      assert_true(unit_times_power(&one, &raised, 1 / powers[k], &back));
      assert_true(unit_same(&u, &back));
    }
}

static void exponents_that_cannot_be_held_are_refused(void **state) {
  (void)state;
  Unit one = unit_one(), m = parsed("m"), out;
  assert_false(unit_times_power(&one, &m, 0.123456789, &out));
  assert_false(unit_times_power(&one, &m, 1e6, &out));
  assert_false(unit_times_power(&one, &m, nan(""), &out));
  assert_false(unit_times_power(&one, &m, HUGE_VAL, &out));
}

static void assert_refused(const char *text, const char *sentence) {
  Unit u;
  Err err = {0};
  if (unit_parse(text, &u, &err)) fail_msg("\"%s\" was accepted", text);
  assert_string_equal(err.text, sentence);
}

static void malformed_units_are_refused_with_a_hint(void **state) {
  (void)state;
  assert_refused("", "it ends where a unit should follow");
  assert_refused("m/", "it ends where a unit should follow");
  assert_refused("m/s^2", "an exponent follows without '^', as in 'm/s2'");
  assert_refused("kg*m", "a product is written with a dot, as in 'N.m'");
  assert_refused("N m", "blanks are not allowed; a product is written 'N.m'");
  assert_refused("J/kg/K", "what stands behind a '/' needs parentheses, as in 'J/(kg.K)'");
  assert_refused("J/kg.K", "what stands behind a '/' needs parentheses, as in 'J/(kg.K)'");
  assert_refused("(m/s", "a ')' is missing");
  assert_refused("m)", "')' cannot stand here");
  assert_refused("2m", "a number other than 1 is not a unit");
  assert_refused("m-", "an exponent has no digits");
  assert_refused("m(1/0)", "an exponent is not allowed");
  assert_refused("m(1/2", "a ')' is missing after an exponent");
  assert_refused("m9999999999999", "an exponent is not allowed");
}

static void unknown_symbols_get_a_suggestion(void **state) {
  (void)state;
  assert_refused("sec", "'sec' is not a unit; write 's'");
  assert_refused("\u00b0C", "'\u00b0C' is not a unit; write 'degC'");
  assert_refused("Nm", "'Nm' is not a unit; a product is written 'N.m'");
  assert_refused("kgm2", "'kgm' is not a unit; a product is written 'kg.m'");
  assert_refused("parsec", "'parsec' is not a known unit");
  assert_refused("kdeg", "'kdeg' is not a known unit");
}

static void parentheses_do_not_exhaust_the_stack(void **state) {
  (void)state;
  enum { MANY = 100000 };
  char *text = malloc(MANY + 1);
  memset(text, '(', MANY);
  text[MANY] = 0;
  assert_refused(text, "too many parentheses");
  free(text);
}

static void random_bytes_are_read_or_refused(void **state) {
  (void)state;
  static const char BYTES[] = "mgskNPa1/.()-2%^ \xc2\xb5";
  unsigned seed = 1;
  for (int i = 0; i < 200000; i++) {
    char text[12] = "";
    for (int k = 0; k < 10; k++) {
      seed = seed * 1664525u + 1013904223u;
      text[k] = BYTES[(seed >> 16) % (sizeof BYTES)];
    }
    Unit u;
    Err err = {0};
    assert_true(unit_parse(text, &u, &err) != (err.code != ERR_NONE));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_ways_to_write_one_unit_agree),
      cmocka_unit_test(conversions_have_the_factors_of_the_tables),
      cmocka_unit_test(symbols_count_before_prefixes),
      cmocka_unit_test(printed_units_read_back_the_same),
      cmocka_unit_test(product_of_units_is_the_unit_of_the_product),
      cmocka_unit_test(a_root_undoes_a_power),
      cmocka_unit_test(exponents_that_cannot_be_held_are_refused),
      cmocka_unit_test(malformed_units_are_refused_with_a_hint),
      cmocka_unit_test(unknown_symbols_get_a_suggestion),
      cmocka_unit_test(parentheses_do_not_exhaust_the_stack),
      cmocka_unit_test(random_bytes_are_read_or_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
