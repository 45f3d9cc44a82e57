// Trajectories of models whose text is written in another order, through all layers.
#include "lang/ast_print.h"
#include "shuffled.h"
#include "simulation.h"

typedef struct Case {
  const char *file, *text;
  double stop;
  const char *options;
} Case;

static const Case CASES[] = {
    {"examples/double_pendulum_cartesian/double_pendulum_cartesian.mo", NULL, 1, ""},
    {"examples/parallelogram/parallelogram.mo", NULL, 1, ""},
    {"examples/slider_crank/slider_crank.mo", NULL, 1, ""},
    {"examples/four_bar/four_bar.mo", NULL, 1, ""},
    {"tests/ivp/car_axis.mo", NULL, 0.5, ""},
    {"tests/ivp/transistor.mo", NULL, 0.02, "solver=bdf"},
    {NULL,
     "model Loop parameter Real C1 = 1, C2 = 2, C3 = 3, R = 5;\n"
     "Real u1, u2, u3(start = 1), i1, i2, i3, iR, uR, v1, v2, v3, v0, J; equation u1 = v1 - v2;\n"
     "u2 = v2 - v3; u3 = v1 - v3; uR = v3 - v0; v0 = 0; uR = R*iR; i1 = C1*der(u1);\n"
     "i2 = C2*der(u2); i3 = C3*der(u3); J = sin(time); J = i1 + i3; i1 = i2; i2 + i3 = iR;\n"
     "end Loop;",
     3, ""},
    {NULL,
     "model Source parameter Real C = 2; Real u0, v1, v0, iC, uC; equation\n"
     "u0 = cos(time); u0 = v1 - v0; iC = C*der(uC); uC = v1 - v0; v0 = 0; end Source;",
     3, ""},
    {NULL,
     "model Constant parameter Real C = 2; Real V, S, A; equation V = sin(S + C); der(V) = A;\n"
     "S = 5; end Constant;",
     1, ""},
};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES, ORDERS = 3 };

static char *shuffled_text(const char *text, uint64_t seed) { // freed by the caller
  Arena *a = arena_new();
  Err err = {0};
  const Source *source = source_new(a, "<text>", text, strlen(text), &err);
  Shuffle s = {seed, a, parse_model(a, source, &err), NULL};
  Text out;
  assert_non_null(s.from);
  text_init(&out);
  ast_print_model(&out, shuffle_model(&s, false));
  arena_free(a);
  return out.at;
}

static Run run_text(const Case *c, const char *text) {
  return simulate_fully(.text = text, .options = c->options, .stop = c->stop, .step = c->stop / 20);
}

// Columns are compared by their names, with the largest number of each.
static void assert_same_columns(const Run *a, const Run *b, const char *what) {
  int rows = entrain_result_rows(a->result), columns = entrain_result_columns(a->result);
  assert_int_equal(columns, entrain_result_columns(b->result));
  for (int c = 0; c < columns; c++) {
    const char *name = entrain_result_name(a->result, c);
    int other = 0;
    while (strcmp(entrain_result_name(b->result, other), name) != 0) other++;
    const double *x = entrain_result_column(a->result, c);
    const double *y = entrain_result_column(b->result, other);
    double size = 1e-6, most = 0;
    for (int i = 0; i < rows; i++) size = fmax(size, fabs(x[i]));
    for (int i = 0; i < rows; i++) most = fmax(most, fabs(x[i] - y[i]));
    if (!(most <= 1e-6 * size)) fail_msg("%s: %s differs by %g of %g", what, name, most, size);
  }
}

static void trajectories_do_not_depend_on_the_order_of_the_text(void **state) {
  const Case *c = *state;
  Arena *a = arena_new();
  Err err = {0};
  const char *text = c->file ? source_load(a, c->file, &err)->text : c->text;
  Run first = run_text(c, text);
  for (uint64_t k = 0; k < ORDERS; k++) {
    char *other = shuffled_text(text, 40 + k);
    Run second = run_text(c, other);
    assert_same_columns(&first, &second, c->file ? c->file : c->text);
    run_free(&second);
    free(other);
  }
  run_free(&first);
  arena_free(a);
}

static void what_equations_fix_is_what_they_say(void **state) {
  (void)state;
  Run r = run_text(&CASES[CASE_COUNT - 1], CASES[CASE_COUNT - 1].text);
  assert_close(last_value(&r, "V"), sin(7), 1e-9);
  assert_close(last_value(&r, "A"), 0, 1e-9);
  run_free(&r);
  r = run_text(&CASES[CASE_COUNT - 2], CASES[CASE_COUNT - 2].text);
  assert_close(last_value(&r, "uC"), cos(3), 1e-6);
  assert_close(last_value(&r, "iC"), -2 * sin(3), 1e-6);
  run_free(&r);
}

int main(void) {
  struct CMUnitTest tests[CASE_COUNT + 1] = {cmocka_unit_test(what_equations_fix_is_what_they_say)};
  for (int i = 0; i < CASE_COUNT; i++)
    tests[i + 1] = (struct CMUnitTest){"trajectories_do_not_depend_on_the_order_of_the_text",
                                       trajectories_do_not_depend_on_the_order_of_the_text, NULL,
                                       NULL, (void *)&CASES[i]};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
