// Random expressions on arrays: their text, and their numbers computed here.
#pragma once
#include "flattened.h"

enum { ARRAY_MOST = 64 };

typedef struct RandomArray {
  int rank, sizes[3];
  double at[ARRAY_MOST];
  const char *text;
} RandomArray;

static inline int array_count(const RandomArray *x) {
  int n = 1;
  for (int i = 0; i < x->rank; i++) n *= x->sizes[i];
  return n;
}

// The elements from `from` on, `count` of them, as one element of level `level`.
static inline const char *array_literal(Arena *a, const RandomArray *x, int level, int from,
                                        int count) {
  if (level >= x->rank || level > 2)
    return arena_print(a, x->at[from] < 0 ? "(%g)" : "%g", x->at[from]);
  int n = x->sizes[level];
  const char *text = "{";
  for (int i = 0; i < n; i++)
    text = arena_print(a, "%s%s%s", text, i ? ", " : "",
                       array_literal(a, x, level + 1, from + i * (count / n), count / n));
  return arena_print(a, "%s}", text);
}

static inline RandomArray array_leaf(Arena *a, Draw *d, int rank, const int *sizes) {
  RandomArray x = {.rank = rank};
  memcpy(x.sizes, sizes, sizeof x.sizes);
  for (int i = 0; i < array_count(&x); i++) x.at[i] = draw_number(d);
  x.text = array_literal(a, &x, 0, 0, array_count(&x));
  return x;
}

static inline RandomArray array_random(Arena *a, Draw *d, int rank, const int *sizes, int depth);

static inline RandomArray array_sum(Arena *a, Draw *d, int rank, const int *sizes, int depth) {
  RandomArray x = array_random(a, d, rank, sizes, depth - 1), z = x;
  RandomArray y = array_random(a, d, rank, sizes, depth - 1);
  static const char *const OPS[] = {"+", "-", ".*", ".+"};
  int op = draw_below(d, 4);
  for (int i = 0; i < array_count(&x); i++)
    z.at[i] = op == 1 ? x.at[i] - y.at[i] : op == 2 ? x.at[i] * y.at[i] : x.at[i] + y.at[i];
  z.text = arena_print(a, "(%s %s %s)", x.text, OPS[op], y.text);
  return z;
}

static inline RandomArray array_scaled(Arena *a, Draw *d, int rank, const int *sizes, int depth) {
  RandomArray x = array_random(a, d, rank, sizes, depth - 1), z = x;
  double k = 1 + draw_below(d, 5);
  int op = draw_below(d, 4);
  for (int i = 0; i < array_count(&x); i++)
    z.at[i] = op == 0 ? k * x.at[i] : op == 1 ? x.at[i] / k : op == 2 ? -x.at[i] : sin(x.at[i]);
  z.text = op == 0   ? arena_print(a, "%g*%s", k, x.text)
           : op == 1 ? arena_print(a, "%s/%g", x.text, k)
           : op == 2 ? arena_print(a, "(-%s)", x.text)
                     : arena_print(a, "sin(%s)", x.text);
  if (op < 2) z.text = arena_print(a, "(%s)", z.text);
  return z;
}

// A product that has the wanted sizes: of matrices, of matrix and vector, of two vectors.
static inline RandomArray array_product(Arena *a, Draw *d, int rank, const int *sizes, int depth) {
  int n = 1 + draw_below(d, 3), kind = rank == 1 ? draw_below(d, 2) : 0;
  int rows = rank == 0 || kind == 1 ? 1 : sizes[0];
  int columns = rank == 2 ? sizes[1] : rank == 1 && kind == 1 ? sizes[0] : 1;
  bool left_vector = rank == 0 || kind == 1, right_vector = rank == 0 || (rank == 1 && kind == 0);
  int left[3] = {left_vector ? n : rows, n}, right[3] = {n, columns};
  RandomArray x = array_random(a, d, left_vector ? 1 : 2, left, depth - 1);
  RandomArray y = array_random(a, d, right_vector ? 1 : 2, right, depth - 1);
  RandomArray z = {.rank = rank};
  memcpy(z.sizes, sizes, sizeof z.sizes);
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < columns; k++)
      for (int j = 0; j < n; j++) z.at[i * columns + k] += x.at[i * n + j] * y.at[j * columns + k];
  z.text = arena_print(a, "(%s*%s)", x.text, y.text);
  return z;
}

static inline RandomArray array_random(Arena *a, Draw *d, int rank, const int *sizes, int depth) {
  if (depth <= 0) return array_leaf(a, d, rank, sizes);
  switch (draw_below(d, rank <= 2 ? 5 : 4)) {
  case 0: return array_leaf(a, d, rank, sizes);
  case 1:
  case 2:
    return rank ? array_sum(a, d, rank, sizes, depth) : array_scaled(a, d, rank, sizes, depth);
  case 3: return array_scaled(a, d, rank, sizes, depth);
  default: return array_product(a, d, rank, sizes, depth);
  }
}

static inline const char *element_name(Arena *a, const char *name, const RandomArray *x, int i) {
  const char *text = "";
  for (int k = x->rank - 1; k >= 0; k--) {
    text = arena_print(a, "%d%s%s", i % x->sizes[k] + 1, k < x->rank - 1 ? "," : "", text);
    i /= x->sizes[k];
  }
  return x->rank ? arena_print(a, "%s[%s]", name, text) : name;
}

static inline const char *sizes_text(Arena *a, const RandomArray *x) {
  const char *text = "";
  for (int k = 0; k < x->rank; k++)
    text = arena_print(a, "%s%s%d", text, k ? ", " : "", x->sizes[k]);
  return x->rank ? arena_print(a, "[%s]", text) : "";
}

// Real x[sizes] = text; has the numbers of x.
static inline void assert_array(Arena *a, const RandomArray *x) {
  const AstModel *m =
      flat_new(a, arena_print(a, "model M\n  Real x%s = %s;\nend M;\n", sizes_text(a, x), x->text));
  for (int i = 0; i < array_count(x); i++) {
    double v = flat_number(m, element_name(a, "x", x, i), 0);
    if (!(fabs(v - x->at[i]) <= 1e-9 * (1 + fabs(v)))) print_error("%s\n", x->text);
    assert_close(v, x->at[i], 1e-9 * (1 + fabs(v)));
  }
}

static inline void draw_sizes(Draw *d, int *rank, int sizes[3]) {
  *rank = draw_below(d, 4);
  for (int k = 0; k < 3; k++) sizes[k] = 1 + draw_below(d, 3);
}
