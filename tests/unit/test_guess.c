// Start values that solve the equations are kept, whichever unknowns are solved for together and iterated on.
#include "model/guess.h"

#include <string.h>

#include "instance/flat_model.h"
#include "lang/parse.h"
#include "model/model_build.h"
#include "model/system.h"
#include "test.h"

enum { UNKNOWNS_MOST = 4, TEXT_MOST = 4000 };

typedef struct Draw {
  unsigned seed;
} Draw;

static int draw(Draw *d, int count) {
  d->seed = d->seed * 1664525u + 1013904223u;
  return (int)((d->seed >> 8) % (unsigned)count);
}

// Values of the named variables at the start; false: the equations do not determine them.
static bool values_at_start(const char *text, const char *const *names, int count, double *value) {
  Err err = {0};
  Arena *a = arena_new();
  Source *s = source_new(a, "test", text, strlen(text), &err);
  const AstModel *ast = s ? parse_model(a, s, &err) : NULL;
  Model *m = ast ? model_new(s, ast, NULL, 0, &err) : NULL;
  double p[64] = {0}, y[64];
  if (m) {
    Expr outputs[16];
    for (int i = 0; i < count; i++) outputs[i] = m->value[names_find(m->flat->names, names[i])];
    SystemSpec spec = {.outputs = outputs, .output_count = count, .lanes = 1};
    System *system = system_new(m, &spec);
    SystemWork *w = system_work_new(system);
    for (int k = 0; k < m->np; k++) p[k] = m->flat->parameters.at[k].value;
    system_set_parameters(w, p);
    system_start(w, 0, y);
    system_outputs(w, 0, y, value, NULL);
    system_work_free(w);
    system_free(system);
  }
  bool ok = m;
  model_free(m);
  arena_free(a);
  return ok;
}

static void expect(const char *text, const char *name, double want) {
  double got;
  assert_true(values_at_start(text, &name, 1, &got));
  if (!(fabs(got - want) <= 1e-9)) print_error("%s in %s\n", name, text);
  assert_close(got, want, 1e-9);
}

// A polynomial with several roots in a sum of the unknowns, and equations that the chosen root satisfies.
typedef struct Block {
  int n, roots, c[UNKNOWNS_MOST];
  double root[4], value[UNKNOWNS_MOST];
  char equation[UNKNOWNS_MOST][600];
} Block;

static void draw_values(Draw *d, Block *b) {
  static const double VALUES[] = {-3, -2, -1, 0.5, 1, 2, 3};
  b->n = 1 + draw(d, UNKNOWNS_MOST);
  b->roots = 2 + draw(d, 3);
  for (int i = 0; i < b->roots; i++) b->root[i] = 2.5 * i - 4 + draw(d, 2);
  double sum = b->root[draw(d, b->roots)];
  for (int j = 0; j < b->n; j++) {
    b->c[j] = (const int[]){-1, 1, 2}[draw(d, 3)];
    b->value[j] = VALUES[draw(d, 7)];
    if (j) sum -= b->c[j] * b->value[j];
  }
  b->value[0] = sum / b->c[0];
}

static void write_polynomial(const Block *b, char *to) {
  size_t used = 0;
  for (int i = 0; i < b->roots; i++) {
    used += (size_t)sprintf(to + used, "%s(", i ? "*" : "");
    for (int j = 0; j < b->n; j++) used += (size_t)sprintf(to + used, "%+d*z%d", b->c[j], j);
    used += (size_t)sprintf(to + used, " - (%g))", b->root[i]);
  }
  sprintf(to + used, " = 0");
}

static void write_pair(Draw *d, const Block *b, char *to) {
  int i = draw(d, b->n), j = (i + 1 + draw(d, b->n - 1)) % b->n;
  double x = b->value[i], y = b->value[j];
  switch (draw(d, 3)) {
  case 0: sprintf(to, "z%d*z%d = %.17g", i, j, x * y); break;
  case 1: sprintf(to, "z%d^2 - z%d = %.17g", i, j, x * x - y); break;
  default: sprintf(to, "z%d + 2*z%d = %.17g", i, j, x + 2 * y); break;
  }
}

// equal: the start values belong to other variables, which are equal to the unknowns or have the opposite sign.
static void write_model(Draw *d, const Block *b, bool equal, char *to) {
  size_t used = (size_t)sprintf(to, "model M\nReal x(start = 0, fixed = true);\n");
  for (int j = 0; j < b->n; j++)
    used += equal ? (size_t)sprintf(to + used, "Real z%d; Real a%d(start = %.17g);\n", j, j,
                                    (j % 2 ? -1 : 1) * b->value[j])
                  : (size_t)sprintf(to + used, "Real z%d(start = %.17g);\n", j, b->value[j]);
  used += (size_t)sprintf(to + used, "equation der(x) = z0;\n");
  int first = draw(d, b->n);
  for (int i = 0; i < b->n; i++)
    used += (size_t)sprintf(to + used, "%s;\n", b->equation[(first + i) % b->n]);
  for (int j = 0; j < b->n && equal; j++)
    used += (size_t)sprintf(to + used, "a%d = %sz%d;\n", j, j % 2 ? "-" : "", j);
  sprintf(to + used, "end M;\n");
}

static void start_values_at_a_root_of_a_random_block_are_kept(void **state) {
  (void)state;
  static const char *const NAMES[] = {"z0", "z1", "z2", "z3"};
  Draw d = {11};
  int done = 0;
  for (int trial = 0; trial < 400; trial++) {
    Block b = {0};
    char text[TEXT_MOST];
    double value[UNKNOWNS_MOST];
    draw_values(&d, &b);
    write_polynomial(&b, b.equation[0]);
    for (int i = 1; i < b.n; i++) write_pair(&d, &b, b.equation[i]);
    write_model(&d, &b, trial % 3 == 0, text);
    if (!values_at_start(text, NAMES, b.n, value)) continue; // one equation twice
    for (int j = 0; j < b.n; j++)
      if (!(fabs(value[j] - b.value[j]) <= 1e-6 * fmax(1, fabs(b.value[j]))))
        fail_msg("z%d is %.17g, not %.17g in\n%s", j, value[j], b.value[j], text);
    done++;
  }
  assert_true(done > 300);
}

static void each_root_of_an_equation_is_kept(void **state) {
  (void)state;
  for (int root = 1; root <= 3; root++) {
    char text[300];
    sprintf(text, "model M Real y(start = %d); equation (y - 1)*(y - 2)*(y - 3) = 0; end M;", root);
    expect(text, "y", root);
  }
  // also where the slope is 0
  expect("model M Real y(start = 2); equation (y - 2)^2*(y - 1) = 0; end M;", "y", 2);
}

static void from_other_start_values_the_next_root_is_reached(void **state) {
  (void)state;
  expect("model M Real y(start = 2.1); equation (y - 1)*(y - 2)*(y - 3) = 0; end M;", "y", 2);
  expect("model M Real y(start = -7); equation y^2 = 4; end M;", "y", -2);
}

static void the_start_value_of_another_in_the_block_counts(void **state) {
  (void)state;
  static const char *const TEXTS[] = {
      "model M Real y(start = %d), z; equation y + z = 3; y*z = 2; end M;",
      "model M Real z; Real y(start = %d); equation y*z = 2; y + z = 3; end M;",
      "model M Real z, q; Real y(start = %d); equation y*q = 2; z = 2*q; 2*y + z = 6; end M;",
      "model M Real z, y, a(start = %d); equation y + z = 3; y*z = 2; a = y; end M;",
      "model M Real z, y, b, a(start = %d); equation y + z = 3; y*z = 2; b = y; a = b; end M;",
      "model M Real y, a(start = %d); equation (y - 1)*(y - 2) = 0; a = y; end M;",
  };
  for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++)
    for (int root = 1; root <= 2; root++) {
      char text[300];
      snprintf(text, sizeof text, TEXTS[k], root);
      expect(text, "y", root);
    }
}

// 0*z: the equation that would give the guess does not, at these values.
static void a_guess_that_is_no_number_is_not_taken(void **state) {
  (void)state;
  expect("model M parameter Real k = 0; Real y(start = 2), z;\n"
         "equation k*z + y^2 + z^3 = 5; y*z*k + y + z = 3; end M;",
         "y", 2);
}

static void initial_equations_and_constraints_keep_start_values_too(void **state) {
  (void)state;
  for (int sign = -1; sign <= 1; sign += 2) {
    char text[500];
    sprintf(text,
            "model M Real x(start = %d); equation der(x) = -x; initial equation x^2 = 4; end M;",
            2 * sign);
    expect(text, "x", 2 * sign);
    sprintf(text,
            "model P Real x(start = 0.6), y(start = %g), vx(start = 0), vy(start = 0), f;\n"
            "equation der(x) = vx; der(y) = vy; der(vx) = f*x; der(vy) = f*y - 1; x^2 + y^2 = 1;\n"
            "end P;",
            0.8 * sign);
    expect(text, "y", 0.8 * sign);
    expect(text, "x", 0.6);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(start_values_at_a_root_of_a_random_block_are_kept),
      cmocka_unit_test(each_root_of_an_equation_is_kept),
      cmocka_unit_test(from_other_start_values_the_next_root_is_reached),
      cmocka_unit_test(the_start_value_of_another_in_the_block_counts),
      cmocka_unit_test(a_guess_that_is_no_number_is_not_taken),
      cmocka_unit_test(initial_equations_and_constraints_keep_start_values_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
