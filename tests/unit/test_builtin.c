// Functions of arrays: laws that join them.
#include "random_array.h"

typedef struct
    Law { // left and right are the same array, with the matrices A (n by m), B (m by n) and vectors a, b (3)
  const char *sizes, *left, *right;
} Law;

static const Law LAWS[] = {
    {"[n, m]", "transpose(transpose(A))", "A"},
    {"[n, n]", "transpose(A*B)", "transpose(B)*transpose(A)"},
    {"[n, m]", "identity(n)*A", "A"},
    {"[n, m]", "A*identity(m)", "A"},
    {"[n, n]", "diagonal(A[:, 1])", "{{if i == j then A[i, 1] else 0 for j in 1:n} for i in 1:n}"},
    {"[3]", "cross(a, b)", "skew(a)*b"},
    {"[3]", "cross(a, b)", "-cross(b, a)"},
    {"", "a*cross(a, b)", "0"},
    {"[3, 3]", "outerProduct(a, b)", "matrix(a)*transpose(matrix(b))"},
    {"[3, 3]", "outerProduct(a, b)", "{{a[i]*b[j] for j in 1:3} for i in 1:3}"},
    {"", "sum(A)", "sum(A[i, j] for i in 1:n, j in 1:m)"},
    {"", "sum(A)", "ones(n)*A*ones(m)"},
    {"", "product(a)", "a[1]*a[2]*a[3]"},
    {"", "max(a)", "-min(-a)"},
    {"", "max(a)", "max(max(a[1], a[2]), a[3])"},
    {"[m + m, n]", "cat(1, transpose(A), B)", "[transpose(A); B]"},
    {"[n, m + m]", "cat(2, A, A)", "[A, A]"},
    {"[6]", "cat(1, a, b)", "{if i <= 3 then a[i] else b[i - 3] for i in 1:6}"},
    {"[n, m]", "fill(2, n, m) .* A", "A + A"},
    {"[n, m]", "zeros(n, m) + A", "A .* ones(n, m)"},
    {"[3]", "vector(matrix(a))", "a"},
    {"", "scalar({{a[2]}})", "a[2]"},
    {"[4]", "linspace(a[1], a[2], 4)", "{a[1] + (a[2] - a[1])*(i - 1)/3 for i in 1:4}"},
    {"[3, 3]", "symmetric(outerProduct(a, b))", "transpose(symmetric(outerProduct(a, b)))"},
    {"[2]", "size(A)", "{n, m}"},
    {"", "ndims(A) + ndims(a) + ndims(a[1])", "3"},
    {"[3]", "abs(a)", "{if x >= 0 then x else -x for x in a}"},
    {"[n, n]", "(A*B)^3", "A*B*A*B*A*B"},
    {"[n, n]", "(A*B)^0", "identity(n)"},
    {"[3]", "a .^ 2", "a .* a"},
};

static void check_law(Arena *a, Draw *d, const Law *law) {
  int n = 1 + draw_below(d, 3), m = 1 + draw_below(d, 3), none[3] = {3};
  int nm[3] = {n, m}, mn[3] = {m, n};
  const char *text = arena_print(a,
                                 "model M\n  constant Integer n = %d;\n  constant Integer m = %d;\n"
                                 "  parameter Real A[n, m] = %s;\n  parameter Real B[m, n] = %s;\n"
                                 "  parameter Real a[3] = %s;\n  parameter Real b[3] = %s;\n"
                                 "  Real x%s = %s;\n  Real y%s = %s;\nend M;\n",
                                 n, m, array_leaf(a, d, 2, nm).text, array_leaf(a, d, 2, mn).text,
                                 array_leaf(a, d, 1, none).text, array_leaf(a, d, 1, none).text,
                                 law->sizes, law->left, law->sizes, law->right);
  const AstModel *flat = flat_new(a, text);
  int found = 0;
  for (int i = 0; i < flat->declarations.count; i++) {
    const char *name = flat->declarations.at[i].name;
    if (name[0] != 'x') continue;
    double x = flat_number(flat, name, 0),
           y = flat_number(flat, arena_print(a, "y%s", name + 1), 0);
    if (!(fabs(x - y) <= 1e-9 * (1 + fabs(x)))) print_error("%s\n", text);
    assert_close(x, y, 1e-9 * (1 + fabs(x)));
    found++;
  }
  assert_true(found > 0);
}

static void laws_of_functions_of_arrays_hold(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof LAWS / sizeof *LAWS; i++)
    for (int k = 0; k < 15; k++) {
      Arena *a = arena_new();
      Draw d = {31 * i + (uint64_t)k};
      check_law(a, &d, &LAWS[i]);
      arena_free(a);
    }
}

// The library of the program itself can be read, whole.
static void classes_of_the_program_are_there(void **state) {
  (void)state;
  assert_flat_equal("model M\n  Real x = Modelica.Math.sin(time)*Modelica.Constants.pi;\nend M;\n",
                    "model M\n  Real x = sin(time)*3.141592653589793;\nend M;\n");
  assert_flat_equal("model M\n  import Modelica.Units.SI;\n  SI.Length x = 1;\nend M;\n",
                    "model M\n  Real x(quantity = \"Length\", unit = \"m\") = 1;\nend M;\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(laws_of_functions_of_arrays_hold),
      cmocka_unit_test(classes_of_the_program_are_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
