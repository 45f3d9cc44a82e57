// A model with smooth laws is the model in whose text they are written.
#include "model/soften.h"

#include <math.h>
#include <string.h>

#include "instance/flat_model.h"
#include "lang/parse.h"
#include "model/model_build.h"
#include "model/system.h"
#include "num/random.h"
#include "test.h"

#define MASS(force)                                                                                \
  "model Mass parameter Real k = 7, b = 0.3; Real x(start = 0.1, fixed = true);\n"                 \
  "Real v(start = 0.2, fixed = true), y; equation der(x) = v; y = " force ";\n"                    \
  "der(v) = -k*x - y; end Mass;"

static Model *read_model(Arena *a, const char *text) {
  Err err = {0};
  Source *s = source_new(a, "test", text, strlen(text), &err);
  const AstModel *ast = s ? parse_model(a, s, &err) : NULL;
  Model *m = ast ? model_new(s, ast, NULL, 0, &err) : NULL;
  if (!m) fail_msg("%s", err.text);
  return m;
}

static void slopes_at(Model *m, Expr output, const double *x, double *dx, double *y) {
  SystemSpec spec = {.outputs = &output, .output_count = 1, .lanes = 1};
  System *s = system_new(m, &spec);
  SystemWork *w = system_work_new(s);
  double p[16];
  for (int k = 0; k < m->np; k++) p[k] = m->flat->parameters.at[k].value;
  system_set_parameters(w, p);
  system_set_time(w, 1.5);
  system_rhs(w, 1.5, x, dx);
  system_outputs(w, 1.5, x, y, NULL);
  system_work_free(w);
  system_free(s);
}

static Expr output_of(const Model *m) {
  return m->value[names_find(m->flat->names, "y")];
}

static void it_is_the_law_in_the_text(void **state) {
  (void)state;
  static const struct {
    const char *sharp, *smooth;
    int events;
  } CASES[] = {
      {MASS("b*sign(v)"), MASS("b*tanh(v/0.02)"), 1},
      {MASS("if v > 0 then b else -b"), MASS("b*tanh(v/0.02)"), 1},
      {MASS("if v > 0 then b elseif v < 0 then -b else 0"), MASS("b*tanh(v/0.02)"), 2},
      {MASS("if 0 >= v then -b*x^2 else b"), MASS("(b - b*x^2)/2 + (b + b*x^2)/2*tanh(v/0.02)"), 1},
      {MASS("b*sign(v - x) + sign(v - x)*x"), MASS("(b + x)*tanh((v - x)/0.02)"), 1},
  };
  Random r;
  random_seed(&r, 4);
  for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
    Arena *a = arena_new();
    Model *sharp = read_model(a, CASES[c].sharp), *smooth = read_model(a, CASES[c].smooth);
    Expr y = output_of(sharp);
    Model *soft = model_softened(sharp, a, &(Soft){0, 0.02}, 1, &y, 1);
    assert_non_null(soft);
    assert_int_equal(sharp->ne, CASES[c].events); // as it was
    assert_int_equal(soft->ne, 0);
    for (int i = 0; i < 50; i++) {
      double x[] = {random_normal(&r), 0.03 * random_normal(&r)}, got[2], expected[2], gy, ey;
      slopes_at(soft, y, x, got, &gy);
      slopes_at(smooth, output_of(smooth), x, expected, &ey);
      assert_close(got[1], expected[1], 1e-12);
      assert_close(gy, ey, 1e-12);
    }
    model_free(sharp), model_free(smooth);
    arena_free(a);
  }
}

static void other_events_stay(void **state) {
  (void)state;
  Arena *a = arena_new();
  Model *m = read_model(a, MASS("b*sign(v) + (if x > b then x - b else 0)"));
  Expr y = output_of(m);
  int friction = m->flat->events.at[0].kind == EVENT_SIGN ? 0 : 1;
  Model *soft = model_softened(m, a, &(Soft){friction, 0.01}, 1, &y, 1);
  assert_int_equal(m->ne, 2);
  assert_int_equal(soft->ne, 1);
  assert_int_not_equal(soft->flat->events.at[0].kind, EVENT_SIGN);
  model_free(m);
  arena_free(a);
}

static void discrete_variables_prevent_it(void **state) {
  (void)state;
  Arena *a = arena_new();
  Model *m = read_model(a, "model H Real v(start = 1, fixed = true); discrete Real n(start = 0, "
                           "fixed = true); equation der(v) = -sign(v) + n;\n"
                           "when v > 2 then n = pre(n) + 1; end when; end H;");
  assert_null(model_softened(m, a, &(Soft){0, 0.01}, 1, NULL, 0));
  model_free(m);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_the_law_in_the_text),
      cmocka_unit_test(other_events_stay),
      cmocka_unit_test(discrete_variables_prevent_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
