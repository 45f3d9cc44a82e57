#include "model/direct_modes.h"

#include <math.h>
#include <string.h>

#include "instance/flat_model.h"
#include "lang/parse.h"
#include "model/model_build.h"
#include "model/system.h"
#include "test.h"

// Every kind of event; the last relation contains a mode.
static const char TEXT[] =
    "model Kinds\n  Real x(start = 0.1, fixed = true);\nequation\n"
    "  der(x) = (if x < 0.3 then 1 else 20) + (if x <= 0.6 then 300 else 4000)\n"
    "    + 1e4*floor(2*x) + 1e6*sign(x - 0.5)\n"
    "    + (if x + (if x < 0.3 then 1 else 0) > 0.8 then 1e7 else 0);\n"
    "end Kinds;\n";

static double expected(double x) {
  return (x < 0.3 ? 1 : 20) + (x <= 0.6 ? 300 : 4000) + 1e4 * floor(2 * x) +
         1e6 * ((x > 0.5) - (x < 0.5)) + (x + (x < 0.3) > 0.8 ? 1e7 : 0);
}

static void modes_are_what_the_states_make_them(void **state) {
  (void)state;
  Err err = {0};
  Arena *a = arena_new();
  Source *source = source_new(a, "test", TEXT, strlen(TEXT), &err);
  const AstModel *ast = parse_model(a, source, &err);
  Model *m = model_new(source, ast, NULL, 0, &err);
  assert_non_null(m);
  assert_true(m->ne >= 5);
  Expr direct = replace(direct_modes(m, a), m->f[0]);
  SystemSpec spec = {.outputs = &direct, .output_count = 1, .lanes = 1};
  System *s = system_new(m, &spec);
  SystemWork *w = system_work_new(s);
  double none[1] = {0};
  system_set_parameters(w, none);
  for (double x = -1; x < 2; x += 0.0625) { // 0.5 among them
    double value;
    for (int k = 0; k < m->ne; k++) system_set_mode(w, k, 17); // which do not count
    system_outputs(w, 0, &x, &value, NULL);
    assert_close(value, expected(x), 0);
  }
  system_work_free(w);
  system_free(s);
  model_free(m);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(modes_are_what_the_states_make_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
