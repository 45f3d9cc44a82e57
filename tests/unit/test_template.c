#include "program/template.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static int setup(void **state) {
  return (*state = arena_new()) ? 0 : -1;
}

static int teardown(void **state) {
  arena_free(*state);
  return 0;
}

static const char *const NAMES[] = {"mass", "c", "a:b", "body.m", "x[1]"};
enum { NAMES_COUNT = 5 };
static const double VALUES[] = {1500, 0.1, -2e-300, 1.0 / 3, 12345.678};
static const double TIMES[] = {0.5, 2.25};

static SimulatorCall call_of(const double *values) {
  return (SimulatorCall){.origin = 100,
                         .start = 0.25,
                         .times = TIMES,
                         .count = 2,
                         .parameters = values,
                         .parameter_count = NAMES_COUNT,
                         .experiment = 2,
                         .name = "swing {{mass}}"};
}

static Template *parse(Arena *a, const char *text, bool *used, Err *err) {
  TemplateNames names = {NAMES, NAMES_COUNT, used};
  return template_parse(a, "run.in", text, strlen(text), &names, err);
}

static const char *written(void **state, const char *text) {
  bool used[NAMES_COUNT] = {0};
  Err err = {0};
  Template *t = parse(*state, text, used, &err);
  if (!t) print_error("%s\n", err.text);
  assert_non_null(t);
  SimulatorCall call = call_of(VALUES);
  Text out;
  text_init(&out);
  template_write(t, &call, &out);
  const char *copy = arena_copy(*state, out.at, out.length);
  text_done(&out);
  return copy;
}

static void placeholders_become_values(void **state) {
  assert_string_equal(written(state, "m = {{mass}}\nc={{ c }};"),
                      "m = 1500\nc=0.10000000000000001;");
  assert_string_equal(written(state, "{{mass:%12.5e}}|{{mass:%-8.1f}}|{{c:%+G}}|{{c:%08.3f}}"),
                      " 1.50000e+03|1500.0  |+0.1|0000.100");
  assert_string_equal(written(state, "{{a:b}} {{a:b:%.1e}} {{x[1]:%g}}"),
                      "-2.0000000000000001e-300 -2.0e-300 12345.7");
}

static void own_names_tell_of_the_experiment(void **state) {
  assert_string_equal(written(state, "{{entrain.start}} {{entrain.stop:%.1f}}"), "100.25 102.2");
  assert_string_equal(written(state, "{{entrain.experiment}}: {{entrain.name}}"),
                      "3: swing {{mass}}");
}

static void braces_stand_for_themselves(void **state) {
  assert_string_equal(written(state, "{{{{mass}}"), "{{mass}}");
  assert_string_equal(written(state, "{{{mass:%g}}}"), "{1500}");
  assert_string_equal(written(state, "{{{{{{mass:%g}}}}"), "{{1500}}");
  assert_string_equal(written(state, "{{{{{{{mass:%g}}"), "{{{1500");
  assert_string_equal(written(state, "{{{{{"), "{{{");
  assert_string_equal(written(state, "{ {x} }} {"), "{ {x} }} {");
  assert_string_equal(written(state, ""), "");
}

static void texts_are_written_as_they_are(void **state) {
  bool used[NAMES_COUNT] = {0};
  Template *t = parse(*state, "{{mass}}/{{mass:%5.1f}}/{{c:%g}}", used, NULL);
  SimulatorCall call = call_of(VALUES);
  call.texts = &(CallText){0, "table {{c}}"};
  call.text_count = 1;
  Text out;
  text_init(&out);
  template_write(t, &call, &out);
  assert_string_equal(out.at, "table {{c}}/table {{c}}/0.1");
  text_done(&out);
}

static void used_names_are_marked(void **state) {
  bool used[NAMES_COUNT] = {0};
  assert_non_null(parse(*state, "{{c}} {{body.m:%g}} {{entrain.stop}} {{{{mass}}", used, NULL));
  bool wanted[NAMES_COUNT] = {false, true, false, true, false};
  assert_memory_equal(used, wanted, sizeof used);
}

static void assert_fails(void **state, const char *text, int line, int column, const char *why) {
  bool used[NAMES_COUNT] = {0};
  Err err = {0};
  assert_null(parse(*state, text, used, &err));
  assert_string_equal(err.text, why);
  assert_int_equal(err.line, line);
  assert_int_equal(err.column, column);
  assert_string_equal(err.file, "run.in");
}

static void unknown_names_are_errors_with_their_place(void **state) {
  assert_fails(state, "a\n  {{mas}}", 2, 5, "there is no parameter 'mas'; did you mean 'mass'?");
  assert_fails(state, "{{entrain.strat}}", 1, 3,
               "there is no parameter 'entrain.strat'; did you mean 'entrain.start'?");
  assert_fails(
      state, "{{}}", 1, 3,
      "there is no parameter ''; the parameters are mass, c, a:b, body.m, x[1] (two braces "
      "are written {{{{)");
  assert_fails(state, "{{volume:%g}}", 1, 3,
               "there is no parameter 'volume'; the parameters are mass, c, a:b, body.m, x[1] (two "
               "braces are written {{{{)");
}

static void only_formats_of_one_number_are_allowed(void **state) {
  static const char *const BAD[] = {"",        "%",       "%d",   "%s",  "%n",    "%g%g", "%lf",
                                    "%a",      "%*g",     "%.*f", "x%g", "%gx",   "%g ",  "%1000g",
                                    "%.1000g", "%5.5.5g", "%%",   "%F",  "12.5e", "%-5d", "%1$g"};
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
    const char *why = arena_print(
        *state,
        "'%s' is not a format for a number; a format is %%, flags (-+ #0), width and precision "
        "(three digits at most) and one of e f g E G, such as %%12.5e",
        BAD[i]);
    assert_fails(state, arena_print(*state, "\n{{mass:%s}}", BAD[i]), 2, 8, why);
  }
  assert_fails(state, "{{entrain.name:%g}}", 1, 16, "'entrain.name' takes no format");
}

static void placeholders_end_in_their_line(void **state) {
  const char *why = "}} is missing in this line; two braces by themselves are written {{{{";
  assert_fails(state, "x {{mass\n}}", 1, 3, why);
  assert_fails(state, "x\n{{", 2, 1, why);
  assert_fails(state, "{{mass}", 1, 1, why);
}

// ---- laws

static uint64_t random_bits(uint64_t *seed) { // xorshift64*, Vigna 2016
  *seed ^= *seed >> 12;
  *seed ^= *seed << 25;
  *seed ^= *seed >> 27;
  return *seed * 2685821657736338717u;
}

static void written_numbers_read_back_to_the_same_bits(void **state) {
  bool used[NAMES_COUNT] = {0};
  Template *t = parse(*state, "{{mass}}", used, NULL);
  uint64_t seed = 5;
  Text out;
  text_init(&out);
  for (int i = 0; i < 100000; i++) {
    double values[NAMES_COUNT], back;
    do {
      uint64_t bits = random_bits(&seed);
      memcpy(&values[0], &bits, sizeof bits);
    } while (!isfinite(values[0]));
    SimulatorCall call = call_of(values);
    text_clear(&out);
    template_write(t, &call, &out);
    assert_true(number_parse(out.at, &back));
    assert_memory_equal(&back, values, sizeof back);
  }
  text_done(&out);
}

// A second implementation: replaces from left to right, by strcmp and snprintf.
static void replace_plainly(const char *text, const double *values, Text *out) {
  while (*text) {
    if (strncmp(text, "{{{{", 4) == 0) {
      text_add(out, "{{");
      text += 4;
      continue;
    }
    int found = -1;
    for (int k = 0; k < NAMES_COUNT && strncmp(text, "{{{", 3) != 0; k++) {
      char hole[40];
      snprintf(hole, sizeof hole, "{{%s}}", NAMES[k]);
      if (strncmp(text, hole, strlen(hole)) == 0) found = k;
    }
    if (found < 0) {
      text_add_bytes(out, text++, 1);
      continue;
    }
    text_print(out, "%.17g", values[found]);
    text += strlen(NAMES[found]) + 4;
  }
}

static void random_templates_equal_a_plain_replacement(void **state) {
  static const char *const PARTS[] = {"{{mass}}", "{{c}}", "{{a:b}}", "{{body.m}}", "{{x[1]}}",
                                      "{{{{",     "}}",    "}",       " text ",     "\n",
                                      "m=",       "%g%s",  "\t",      ":",          "{ "};
  uint64_t seed = 99;
  Text text, wanted, out;
  text_init(&text), text_init(&wanted), text_init(&out);
  for (int i = 0; i < 5000; i++) {
    Arena *a = arena_new();
    bool used[NAMES_COUNT] = {0};
    text_clear(&text), text_clear(&wanted), text_clear(&out);
    for (int k = (int)(random_bits(&seed) % 12); k >= 0; k--)
      text_add(&text, PARTS[random_bits(&seed) % (sizeof PARTS / sizeof *PARTS)]);
    Err err = {0};
    Template *t = parse(a, text.at, used, &err);
    if (!t) print_error("%s: %s\n", text.at, err.text);
    assert_non_null(t);
    SimulatorCall call = call_of(VALUES);
    template_write(t, &call, &out);
    replace_plainly(text.at, VALUES, &wanted);
    assert_string_equal(out.at, wanted.at);
    arena_free(a);
  }
  text_done(&text), text_done(&wanted), text_done(&out);
  (void)state;
}

// Refused or parsed, but never a crash; the sanitizers watch.
static void damaged_templates_are_harmless(void **state) {
  static const char BYTES[] = "{}:%mas\n\0.5eg ";
  uint64_t seed = 3;
  int parsed = 0;
  for (int i = 0; i < 50000; i++) {
    Arena *a = arena_new();
    char text[24];
    size_t length = random_bits(&seed) % sizeof text;
    for (size_t k = 0; k < length; k++) text[k] = BYTES[random_bits(&seed) % (sizeof BYTES - 1)];
    char *exact = malloc(length + 1); // so that a read behind it is seen
    memcpy(exact, text, length);
    bool used[NAMES_COUNT] = {0};
    Err err = {0};
    TemplateNames names = {NAMES, NAMES_COUNT, used};
    Template *t = template_parse(a, "run.in", exact, length, &names, &err);
    assert_true((t != NULL) == (err.code == ERR_NONE));
    parsed += t != NULL;
    free(exact);
    arena_free(a);
  }
  assert_in_range(parsed, 1000, 49000);
  (void)state;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(placeholders_become_values),
      TEST(own_names_tell_of_the_experiment),
      TEST(braces_stand_for_themselves),
      TEST(texts_are_written_as_they_are),
      TEST(used_names_are_marked),
      TEST(unknown_names_are_errors_with_their_place),
      TEST(only_formats_of_one_number_are_allowed),
      TEST(placeholders_end_in_their_line),
      TEST(written_numbers_read_back_to_the_same_bits),
      TEST(random_templates_equal_a_plain_replacement),
      TEST(damaged_templates_are_harmless),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
