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

// Any function with any arguments is a model or a sentence.
static const char *const FUNCTIONS[] = {"sum",
                                        "product",
                                        "min",
                                        "max",
                                        "size",
                                        "ndims",
                                        "zeros",
                                        "ones",
                                        "fill",
                                        "identity",
                                        "diagonal",
                                        "linspace",
                                        "transpose",
                                        "cross",
                                        "skew",
                                        "cat",
                                        "scalar",
                                        "vector",
                                        "matrix",
                                        "outerProduct",
                                        "symmetric",
                                        "sin",
                                        "atan2",
                                        "abs",
                                        "sign",
                                        "floor",
                                        "integer",
                                        "div",
                                        "mod",
                                        "rem",
                                        "sqrt",
                                        "noEvent",
                                        "smooth",
                                        "homotopy",
                                        "String",
                                        "Integer",
                                        "der",
                                        "pre",
                                        "edge",
                                        "change",
                                        "sample",
                                        "initial",
                                        "terminal",
                                        "delay",
                                        "semiLinear",
                                        "assert",
                                        "reinit",
                                        "terminate",
                                        "cardinality",
                                        "actualStream",
                                        "inStream",
                                        "spatialDistribution",
                                        "getInstanceName",
                                        "f",
                                        "R",
                                        "not",
                                        "-",
                                        "connect",
                                        "EnumerationType",
                                        "E",
                                        "Clock",
                                        "hold"};
static const char *const ARGUMENTS[] = {"1",
                                        "2.5",
                                        "-1",
                                        "\"a\"",
                                        "true",
                                        "E.one",
                                        "E",
                                        "r",
                                        "rr",
                                        "R(1, 2)",
                                        "e0",
                                        "v",
                                        "w",
                                        "A",
                                        "c",
                                        "cc",
                                        "time",
                                        "f",
                                        "M",
                                        ":",
                                        "1:2",
                                        "{}",
                                        "i for i in 1:2",
                                        "x = 1",
                                        "u",
                                        "g(1)"};
enum {
  FUNCTION_COUNT = sizeof FUNCTIONS / sizeof *FUNCTIONS,
  ARGUMENT_COUNT = sizeof ARGUMENTS / sizeof *ARGUMENTS
};

static void try_call(Arena *a, const char *call) {
  static const char *const PLACES[] = {
      "  Real z = %s;\n",  "  Real z[:] = %s;\n",          "equation\n  %s = u;\n",
      "equation\n  %s;\n", "  parameter String z = %s;\n", "algorithm\n  u := %s;\n"};
  for (int k = 0; k < 6; k++) {
    const char *before = PLACES[k], *rest = strstr(before, "%s");
    const char *text = arena_print(
        a,
        "type E = enumeration(one, two);\n"
        "record R\n  Real a = 1;\n  Real b = 2;\nend R;\n"
        "connector C\n  Real p;\n  flow Real q;\nend C;\n"
        "function f\n  input Real u;\n  output Real y = u;\nend f;\n"
        "function g\n  input Real u;\n  output Real y = u;\n  output Real z = u;\nend g;\n"
        "model M\n  R r, rr[2];\n  Real e0[0], v[2] = {1, time}, w[3] = {1, 2, 3};\n"
        "  Real A[2, 2] = [1, 2; 3, time];\n  C c, cc[2];\n  Real u = time;\n"
        "%.*s%s%send M;\n",
        (int)(rest - before), before, call, rest + 2);
    Err err = {0};
    const AstModel *m = flat_try(a, text, &err);
    assert_int_equal(m == NULL, err.code != ERR_NONE);
    if (!m) assert_true(err.text[0] != 0);
  }
}

static void any_arguments_are_survived(void **state) {
  (void)state;
  for (int i = 0; i < FUNCTION_COUNT; i++) {
    Arena *a = arena_new();
    const char *f = FUNCTIONS[i];
    try_call(a, arena_print(a, "%s()", f));
    for (int k = 0; k < ARGUMENT_COUNT; k++) {
      const char *x = ARGUMENTS[k], *y = ARGUMENTS[(k * 7 + i) % ARGUMENT_COUNT];
      const char *z = ARGUMENTS[(k * 11 + i * 5) % ARGUMENT_COUNT];
      try_call(a, arena_print(a, "%s(%s)", f, x));
      try_call(a, arena_print(a, "%s(%s, %s)", f, x, y));
      try_call(a, arena_print(a, "%s(%s, %s, %s)", f, x, y, z));
    }
    arena_free(a);
  }
}

// The same between operators.
static void any_operands_are_survived(void **state) {
  (void)state;
  static const char *const OPERATORS[] = {"+",  "-",  "*", "/",  "^",   ".+", ".*",
                                          "./", ".^", "<", "==", "and", "or", ":"};
  for (int i = 0; i < 14; i++)
    for (int k = 0; k < ARGUMENT_COUNT; k++) {
      Arena *a = arena_new();
      for (int q = 0; q < ARGUMENT_COUNT; q++)
        try_call(a, arena_print(a, "(%s %s %s)", ARGUMENTS[k], OPERATORS[i], ARGUMENTS[q]));
      try_call(a, arena_print(a, "(if u > 1 then %s else %s)", ARGUMENTS[k],
                              ARGUMENTS[(k * 7 + i) % ARGUMENT_COUNT]));
      try_call(a, arena_print(a, "%s[%s]", ARGUMENTS[(k * 3 + i) % ARGUMENT_COUNT], ARGUMENTS[k]));
      try_call(a, arena_print(a, "%s.%s", ARGUMENTS[(k * 3 + i) % ARGUMENT_COUNT], "a"));
      try_call(a,
               arena_print(a, "{%s, %s}", ARGUMENTS[(k * 5 + i) % ARGUMENT_COUNT], ARGUMENTS[k]));
      try_call(a, arena_print(a, "[%s, %s; %s]", ARGUMENTS[(k * 5 + i) % ARGUMENT_COUNT],
                              ARGUMENTS[k], ARGUMENTS[i]));
      arena_free(a);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(laws_of_functions_of_arrays_hold),
      cmocka_unit_test(classes_of_the_program_are_there),
      cmocka_unit_test(any_arguments_are_survived),
      cmocka_unit_test(any_operands_are_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
