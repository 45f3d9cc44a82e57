// Functions of the language, and calls in general.
#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/text.h"
#include "instance/elab.h"
#include "lang/ast_print.h"

typedef struct BuiltinCall { // a call whose arguments are values
  const Ast *at;
  int count;
  Value **args;
} BuiltinCall;

typedef Value *Builtin(Elab *e, Where s, BuiltinCall *c);

// ---------------------------------------------------------------- element by element

static const Ast *rebuilt(Elab *e, const BuiltinCall *c, const Ast *const *args) {
  bool same = !e->in_function && c->at->arg_count == c->count;
  for (int i = 0; i < c->count && same; i++) same = c->at->args[i] == args[i];
  if (same) return c->at;
  Ast *n = ast_new(e, AST_CALL, c->at, c->count);
  n->name = c->at->name;
  unsigned depth = 0;
  for (int i = 0; i < c->count; i++) {
    n->args[i] = (Ast *)args[i];
    if (args[i]->depth > depth) depth = args[i]->depth;
  }
  n->depth = (depth + 1) & 0xFFFF;
  if (depth >= AST_DEPTH_MOST)
    elab_fail(e, n, ERR_LIMIT, "the expression is deeper than %d operators", AST_DEPTH_MOST);
  return e->in_function ? ast_fold(e, n) : n;
}

static Value *mapped(Elab *e, BuiltinCall *c, ValueType type) {
  const Value *shape = c->args[0];
  for (int i = 1; i < c->count; i++)
    if (c->args[i]->rank > shape->rank) shape = c->args[i];
  for (int i = 0; i < c->count; i++) {
    if (c->args[i]->type == VALUE_RECORD)
      return elab_fail(e, c->at, ERR_MODEL, "%s cannot be used with a record", c->at->name);
    if (c->args[i]->rank && !value_same_sizes(c->args[i], shape))
      return elab_fail(e, c->at, ERR_MODEL, "the arguments of %s differ in size", c->at->name);
  }
  Value *v = value_new(e, type, shape->rank, shape->sizes);
  v->enumeration = c->args[0]->enumeration;
  const Ast *args[8];
  for (int i = 0; i < v->count && !elab_failed(e); i++) {
    for (int k = 0; k < c->count; k++) args[k] = c->args[k]->at[c->args[k]->rank ? i : 0];
    v->at[i] = rebuilt(e, c, args);
  }
  return elab_failed(e) ? NULL : v;
}

static Value *real_function(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  return mapped(e, c, VALUE_REAL);
}

static Value *same_type(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  return mapped(e, c, c->args[c->count - 1]->type);
}

static Value *integer_function(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  return mapped(e, c, VALUE_INTEGER);
}

static Value *boolean_function(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  if (strcmp(c->at->name, "sample") == 0 && c->at->args[1]->kind == AST_CALL &&
      strcmp(c->at->args[1]->name, "Clock") == 0)
    return c->args[0]; // the clock was noted
  if (c->count) return mapped(e, c, VALUE_BOOLEAN);
  return value_scalar(e, VALUE_BOOLEAN, c->at);
}

// Integer where all arguments are.
static Value *number_function(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  bool whole = true;
  for (int i = 0; i < c->count; i++) whole &= c->args[i]->type == VALUE_INTEGER;
  return mapped(e, c, whole ? VALUE_INTEGER : VALUE_REAL);
}

static Value *homotopy(Elab *e, Where s, BuiltinCall *c) {
  (void)e, (void)s;
  return c->args[0];
}

// semiLinear(x, a, b) is a*x for x >= 0, else b*x.
static Value *semi_linear(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  Value *zero = value_number(e, c->at, 0);
  Value *test = operate(e, c->at, AST_GREATER_EQUAL, c->args[0], zero);
  Value *up = operate(e, c->at, AST_TIMES, c->args[0], c->args[1]);
  Value *down = operate(e, c->at, AST_TIMES, c->args[0], c->args[2]);
  return test && up && down ? choose(e, c->at, test->at[0], up, down) : NULL;
}

// ---------------------------------------------------------------- sums and extremes

static const Ast *joined(Elab *e, const Ast *at, AstOp op, const Value *v, double neutral) {
  if (!v->count) return ast_number(e, at, neutral);
  const Ast *sum = v->at[0];
  for (int i = 1; i < v->count; i++) sum = ast_binary(e, at, op, sum, v->at[i]);
  return sum;
}

static Value *sum(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  return value_scalar(e, c->args[0]->type, joined(e, c->at, AST_PLUS, c->args[0], 0));
}

static Value *product(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  return value_scalar(e, c->args[0]->type, joined(e, c->at, AST_TIMES, c->args[0], 1));
}

static Value *extreme(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  if (c->count == 2) return number_function(e, s, c);
  const Value *v = c->args[0];
  if (v->count == 0) return elab_fail(e, c->at, ERR_MODEL, "%s of no numbers at all", c->at->name);
  const Ast *best = v->at[0];
  for (int i = 1; i < v->count; i++) {
    best = ast_call2(e, c->at, c->at->name, best, v->at[i]);
    if (e->in_function) best = ast_fold(e, best);
  }
  return value_scalar(e, v->type, best);
}

// ---------------------------------------------------------------- shapes

static bool whole_number(Elab *e, const BuiltinCall *c, int i, int *out) {
  double n;
  const Value *v = c->args[i];
  if (v->rank || v->type == VALUE_RECORD || !evaluate_number(e, v->at[0], &n)) {
    elab_fail(e, c->at, ERR_MODEL, "argument %d of %s must be a number that is known in advance",
              i + 1, c->at->name);
    return false;
  }
  if (n != floor(n) || n < 0 || n > SCALARS_MOST) {
    elab_fail(e, c->at, ERR_VALUE,
              "argument %d of %s is %g; it must be a whole number from 0 to %d", i + 1, c->at->name,
              n, SCALARS_MOST);
    return false;
  }
  *out = (int)n;
  return true;
}

static Value *size(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  const Value *v = c->args[0];
  int k;
  if (c->count == 1) {
    Value *out = value_new(e, VALUE_INTEGER, 1, &v->rank);
    for (int i = 0; i < v->rank; i++) out->at[i] = ast_number(e, c->at, v->sizes[i]);
    return out;
  }
  if (!whole_number(e, c, 1, &k)) return NULL;
  if (k < 1 || k > v->rank)
    return elab_fail(e, c->at, ERR_MODEL, "%s has no dimension %d", value_sizes_text(e, v), k);
  return value_integer(e, c->at, v->sizes[k - 1]);
}

static Value *ndims(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  return value_integer(e, c->at, c->args[0]->rank);
}

static Value *filled(Elab *e, const BuiltinCall *c, int from, ValueType type, const Ast *element) {
  int rank = c->count - from, *sizes = ARENA_ARRAY(e->arena, int, rank + 1);
  for (int i = 0; i < rank; i++)
    if (!whole_number(e, c, from + i, &sizes[i])) return NULL;
  Value *v = value_new(e, type, rank, sizes);
  for (int i = 0; i < v->count; i++) v->at[i] = element;
  return elab_failed(e) ? NULL : v;
}

static Value *zeros(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  return filled(e, c, 0, VALUE_INTEGER, ast_number(e, c->at, 0));
}

static Value *ones(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  return filled(e, c, 0, VALUE_INTEGER, ast_number(e, c->at, 1));
}

static Value *fill(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  if (c->args[0]->type == VALUE_RECORD || c->args[0]->rank) {
    int rank = c->count - 1, total = 1;
    Value *v = c->args[0];
    for (int i = rank; i >= 1 && v; i--) {
      if (!whole_number(e, c, i, &total)) return NULL;
      Value **parts = ARENA_ARRAY(e->arena, Value *, total + 1);
      for (int k = 0; k < total; k++) parts[k] = v;
      v = value_array_of(e, c->at, parts, total);
    }
    return v;
  }
  Value *v = filled(e, c, 1, c->args[0]->type, c->args[0]->at[0]);
  if (v) v->enumeration = c->args[0]->enumeration;
  return v;
}

static Value *identity(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  int n;
  if (!whole_number(e, c, 0, &n)) return NULL;
  Value *v = value_new(e, VALUE_INTEGER, 2, (int[]){n, n});
  for (int i = 0; i < v->count; i++) v->at[i] = ast_number(e, c->at, i % (n + 1) == 0);
  return v;
}

static Value *diagonal(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  const Value *d = c->args[0];
  int n = d->count;
  Value *v = value_new(e, d->type, 2, (int[]){n, n});
  for (int i = 0; i < v->count; i++)
    v->at[i] = i % (n + 1) == 0 ? d->at[i / (n + 1)] : ast_number(e, c->at, 0);
  return v;
}

static Value *linspace(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  int n;
  if (!whole_number(e, c, 2, &n)) return NULL;
  if (n < 2) return elab_fail(e, c->at, ERR_VALUE, "linspace needs at least 2 points");
  Value *v = value_new(e, VALUE_REAL, 1, &n);
  const Ast *a = c->args[0]->at[0], *b = c->args[1]->at[0];
  const Ast *width = ast_binary(e, NULL, AST_MINUS, b, a);
  bool fold = e->in_function;
  e->in_function = true;
  for (int i = 0; i < n; i++) {
    const Ast *share = ast_number(e, c->at, (double)i / (n - 1));
    v->at[i] = ast_binary(e, NULL, AST_PLUS, a, ast_binary(e, NULL, AST_TIMES, width, share));
  }
  e->in_function = fold;
  return v;
}

static Value *transpose(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  const Value *m = c->args[0];
  if (m->rank != 2)
    return elab_fail(e, c->at, ERR_MODEL, "transpose needs a matrix, not %s",
                     value_sizes_text(e, m));
  int rows = m->sizes[0], columns = m->sizes[1];
  Value *v = value_new(e, m->type, 2, (int[]){columns, rows});
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) v->at[j * rows + i] = m->at[i * columns + j];
  return v;
}

static Value *symmetric(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  const Value *m = c->args[0];
  if (m->rank != 2 || m->sizes[0] != m->sizes[1])
    return elab_fail(e, c->at, ERR_MODEL, "symmetric needs a square matrix");
  int n = m->sizes[0];
  Value *v = value_new(e, m->type, 2, m->sizes);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) v->at[i * n + j] = m->at[i > j ? j * n + i : i * n + j];
  return v;
}

static Value *outer_product(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  const Value *a = c->args[0], *b = c->args[1];
  Value *v = value_new(e, VALUE_REAL, 2, (int[]){a->count, b->count});
  for (int i = 0; i < a->count; i++)
    for (int j = 0; j < b->count; j++)
      v->at[i * b->count + j] = ast_binary(e, NULL, AST_TIMES, a->at[i], b->at[j]);
  return v;
}

static const Ast *minor_of(Elab *e, const Ast *at, const Value *x, const Value *y, int i, int j) {
  return ast_binary(e, at, AST_MINUS, ast_binary(e, at, AST_TIMES, x->at[i], y->at[j]),
                    ast_binary(e, at, AST_TIMES, x->at[j], y->at[i]));
}

static Value *cross(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  const Value *x = c->args[0], *y = c->args[1];
  if (x->count != 3 || y->count != 3 || x->rank != 1 || y->rank != 1)
    return elab_fail(e, c->at, ERR_MODEL, "cross needs two vectors of length 3");
  Value *v = value_new(e, VALUE_REAL, 1, &(int){3});
  v->at[0] = minor_of(e, c->at, x, y, 1, 2);
  v->at[1] = minor_of(e, c->at, x, y, 2, 0);
  v->at[2] = minor_of(e, c->at, x, y, 0, 1);
  return v;
}

static Value *skew(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  const Value *x = c->args[0];
  if (x->count != 3 || x->rank != 1)
    return elab_fail(e, c->at, ERR_MODEL, "skew needs a vector of length 3");
  static const int PLACE[9] = {0, -3, 2, 3, 0, -1, -2, 1, 0};
  Value *v = value_new(e, VALUE_REAL, 2, (int[]){3, 3});
  for (int i = 0; i < 9; i++)
    v->at[i] = PLACE[i] == 0  ? ast_number(e, c->at, 0)
               : PLACE[i] > 0 ? x->at[PLACE[i] - 1]
                              : ast_unary(e, NULL, AST_MINUS, x->at[-PLACE[i] - 1]);
  return v;
}

// Joins arrays along dimension k.
static Value *cat(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  int k;
  if (c->count < 2) return elab_fail(e, c->at, ERR_SYNTAX, "cat needs a dimension and arrays");
  if (!whole_number(e, c, 0, &k)) return NULL;
  const Value *first = c->args[1];
  if (k < 1 || k > first->rank)
    return elab_fail(e, c->at, ERR_MODEL, "cat(%d, ...) of %s", k, value_sizes_text(e, first));
  int *sizes = ARENA_ARRAY(e->arena, int, first->rank + 1);
  memcpy(sizes, first->sizes, (size_t)first->rank * sizeof *sizes);
  ValueType type = first->type;
  for (int i = 2; i < c->count; i++) {
    const Value *v = c->args[i];
    bool fits = v->rank == first->rank;
    for (int d = 0; fits && d < v->rank; d++) fits = d == k - 1 || v->sizes[d] == sizes[d];
    if (!fits) return elab_fail(e, c->at, ERR_MODEL, "the arrays of cat do not fit together");
    sizes[k - 1] += v->sizes[k - 1];
    if (v->type != type) type = VALUE_REAL;
  }
  Value *out = value_new(e, type, first->rank, sizes);
  int outer = 1, inner = 1, at = 0;
  for (int d = 0; d < k - 1; d++) outer *= sizes[d];
  for (int d = k; d < first->rank; d++) inner *= sizes[d];
  for (int o = 0; o < outer && !elab_failed(e); o++)
    for (int i = 1; i < c->count; i++) {
      int n = c->args[i]->sizes[k - 1] * inner;
      for (int q = 0; q < n; q++) out->at[at++] = c->args[i]->at[o * n + q];
    }
  return elab_failed(e) ? NULL : out;
}

static Value *reshaped(Elab *e, const Value *v, int rank, const int *sizes) {
  Value *out = ARENA_NEW(e->arena, Value);
  *out = *v;
  out->rank = rank;
  out->sizes = ARENA_ARRAY(e->arena, int, rank + 1);
  if (rank) memcpy(out->sizes, sizes, (size_t)rank * sizeof *sizes);
  return out;
}

static Value *scalar(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  if (c->args[0]->count != 1)
    return elab_fail(e, c->at, ERR_MODEL, "scalar needs an array of one element, not %s",
                     value_sizes_text(e, c->args[0]));
  return reshaped(e, c->args[0], 0, NULL);
}

static Value *vector(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  return reshaped(e, c->args[0], 1, &c->args[0]->count);
}

static Value *matrix_of(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  const Value *v = c->args[0];
  int sizes[2] = {v->rank > 0 ? v->sizes[0] : 1, v->rank > 1 ? v->sizes[1] : 1};
  if (sizes[0] * sizes[1] != v->count)
    return elab_fail(e, c->at, ERR_MODEL, "matrix() of %s", value_sizes_text(e, v));
  return reshaped(e, v, 2, sizes);
}

static Value *array_of(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  return value_array_of(e, c->at, c->args, c->count);
}

// ---------------------------------------------------------------- texts

static const char *text_of(Elab *e, const Value *v) {
  const Ast *a = v->at[0];
  Text t;
  text_init(&t);
  if (a->kind == AST_STRING)
    text_add(&t, a->name);
  else if (a->kind == AST_NUMBER && v->type == VALUE_ENUMERATION && v->enumeration &&
           a->number >= 1 && a->number <= v->enumeration->literals.count)
    text_add(&t, v->enumeration->literals.at[(int)a->number - 1].name);
  else if (a->kind == AST_NUMBER)
    text_print(&t, "%.6g", a->number);
  else
    ast_print(&t, a);
  const char *copy = arena_copy(e->arena, t.at, t.length);
  text_done(&t);
  return copy;
}

static Value *string(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  Value *v = c->args[0];
  if (v->rank || v->type == VALUE_RECORD)
    return elab_fail(e, c->at, ERR_MODEL, "String() needs a scalar");
  double n;
  bool known = v->type != VALUE_STRING && !ast_is_constant(v->at[0]) &&
               tree_is_known(e, v->at[0], true) && evaluate_number(e, v->at[0], &n);
  if (known) {
    Value *constant = value_number(e, c->at, n);
    constant->type = v->type, constant->enumeration = v->enumeration;
    v = constant;
  }
  if (!ast_is_constant(v->at[0]))
    return value_scalar(e, VALUE_STRING, ast_call1(e, c->at, "String", v->at[0]));
  return value_scalar(e, VALUE_STRING, ast_text(e, c->at, text_of(e, v)));
}

static Value *integer_of(Elab *e, Where s, BuiltinCall *c) { // Integer(enumeration)
  (void)s;
  Value *v = ARENA_NEW(e->arena, Value);
  *v = *c->args[0];
  v->type = VALUE_INTEGER;
  return v;
}

static Value *instance_name(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  const char *path = e->instance && e->instance[0] ? e->instance : "";
  const char *model = e->model ? e->model->class->name : "";
  const char *name = path[0] ? arena_print(e->arena, "%s.%s", model, path) : model;
  return value_scalar(e, VALUE_STRING, ast_text(e, c->at, name));
}

// ---------------------------------------------------------------- not supported

static Value *unsupported(Elab *e, Where s, BuiltinCall *c) {
  (void)s;
  elab_unsupported(e, c->at, arena_print(e->arena, "the function %s", c->at->name));
  return c->count ? c->args[0] : value_number(e, c->at, 0);
}

// ---------------------------------------------------------------- the table

static const struct {
  const char *name;
  int least, most; // arguments
  Builtin *function;
} BUILTINS[] = {
    // whose results are not Real, or which take arrays
    {"abs", 1, 1, number_function},
    {"sign", 1, 1, integer_function},
    {"integer", 1, 1, integer_function},
    {"div", 2, 2, number_function},
    {"rem", 2, 2, number_function},
    {"mod", 2, 2, number_function},
    {"min", 1, 2, extreme},
    {"max", 1, 2, extreme},
#define FUNCTION(word, args, op, build, unit) {word, args, args, real_function},
#include "lang/functions.def"
    {"der", 1, 1, real_function},
    {"noEvent", 1, 1, same_type},
    {"smooth", 2, 2, same_type},
    {"pre", 1, 1, same_type},
    {"edge", 1, 1, boolean_function},
    {"change", 1, 1, boolean_function},
    {"initial", 0, 0, boolean_function},
    {"terminal", 0, 0, boolean_function},
    {"sample", 2, 2, boolean_function},
    {"homotopy", 2, 2, homotopy},
    {"semiLinear", 3, 3, semi_linear},
    {"sum", 1, 1, sum},
    {"product", 1, 1, product},
    {"size", 1, 2, size},
    {"ndims", 1, 1, ndims},
    {"zeros", 1, 20, zeros},
    {"ones", 1, 20, ones},
    {"fill", 2, 20, fill},
    {"identity", 1, 1, identity},
    {"diagonal", 1, 1, diagonal},
    {"linspace", 3, 3, linspace},
    {"transpose", 1, 1, transpose},
    {"symmetric", 1, 1, symmetric},
    {"outerProduct", 2, 2, outer_product},
    {"cross", 2, 2, cross},
    {"skew", 1, 1, skew},
    {"cat", 2, 1000, cat},
    {"scalar", 1, 1, scalar},
    {"vector", 1, 1, vector},
    {"matrix", 1, 1, matrix_of},
    {"array", 1, 1000, array_of},
    {"String", 1, 4, string},
    {"Integer", 1, 1, integer_of},
    {"getInstanceName", 0, 0, instance_name},
    {"delay", 2, 3, unsupported},
    {"spatialDistribution", 4, 7, unsupported},
    {"inStream", 1, 1, unsupported},
    {"actualStream", 1, 1, unsupported},
    {"cardinality", 1, 1, unsupported},
    {"previous", 1, 1, unsupported},
    {"hold", 1, 1, unsupported},
    {"Clock", 0, 3, unsupported},
    {"subSample", 1, 2, unsupported},
    {"superSample", 1, 2, unsupported},
    {"shiftSample", 2, 3, unsupported},
    {"backSample", 2, 3, unsupported},
    {"Connections.isRoot", 1, 1, unsupported},
    {"Connections.rooted", 1, 1, unsupported},
    {"rooted", 1, 1, unsupported},
    {"noClock", 1, 1, unsupported},
    {"interval", 0, 1, unsupported},
};
enum { BUILTIN_COUNT = sizeof BUILTINS / sizeof *BUILTINS };

static int find_builtin(const char *name) {
  for (int i = 0; i < BUILTIN_COUNT; i++)
    if (strcmp(BUILTINS[i].name, name) == 0) return i;
  return -1;
}

// Names of arguments where the language has them.
static int named_place(const char *function, const char *name) {
  if (strcmp(function, "homotopy") == 0) return strcmp(name, "simplified") == 0;
  return -1;
}

// What belongs to variables of a model, not to the arguments of a function.
static bool is_of_models(const char *name) {
  static const char *const NAMES[] = {"der", "pre", "edge", "change", "initial", "sample"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
    if (strcmp(NAMES[i], name) == 0) return true;
  return false;
}

static bool read_arguments(Elab *e, Where s, const Ast *a, BuiltinCall *c) {
  c->args = ARENA_ARRAY(e->arena, Value *, a->arg_count + 1);
  bool is_string = strcmp(a->name, "String") == 0;
  for (int i = 0; i < a->arg_count; i++) {
    const Ast *arg = a->args[i];
    int place = c->count;
    if (arg->kind == AST_NAMED) {
      place = named_place(a->name, arg->name);
      if (is_string) continue; // how it looks
      if (BUILTINS[find_builtin(a->name)].function == unsupported) continue;
      if (place < 0 || place >= a->arg_count) {
        elab_fail(e, arg, ERR_NAME, "%s has no argument '%s'", a->name, arg->name);
        return false;
      }
      arg = arg->args[0];
    }
    bool before = e->variables;
    e->variables |= is_of_models(a->name);
    c->args[place] = value_of(e, s, arg);
    e->variables = before;
    if (!c->args[place]) return false;
    c->count++;
  }
  return true;
}

static void fail_count(Elab *e, const Ast *a, int least, int most) {
  if (least == most)
    elab_fail(e, a, ERR_SYNTAX, "%s takes %d argument%s, not %d", a->name, least,
              least == 1 ? "" : "s", a->arg_count);
  else
    elab_fail(e, a, ERR_SYNTAX, "%s takes %d to %d arguments, not %d", a->name, least, most,
              a->arg_count);
}

static bool takes_records(Builtin *f) {
  return f == size || f == ndims || f == fill || f == array_of;
}

Value *evaluate_builtin(Elab *e, Where s, const Ast *a, bool *known) {
  int k = find_builtin(a->name);
  *known = k >= 0;
  if (k < 0) return NULL;
  BuiltinCall c = {.at = a};
  if (a->arg_count < BUILTINS[k].least || a->arg_count > BUILTINS[k].most) {
    fail_count(e, a, BUILTINS[k].least, BUILTINS[k].most);
    return NULL;
  }
  if (e->in_function && is_of_models(a->name))
    return elab_fail(e, a, ERR_MODEL, "%s cannot be used in a function", a->name);
  if (!read_arguments(e, s, a, &c)) return NULL;
  bool complete = c.count >= BUILTINS[k].least;
  for (int i = 0; i < c.count; i++) complete = complete && c.args[i];
  if (!complete) {
    fail_count(e, a, BUILTINS[k].least, BUILTINS[k].most);
    return NULL;
  }
  for (int i = 0; i < c.count && !takes_records(BUILTINS[k].function); i++)
    if (c.args[i]->type == VALUE_RECORD || c.args[i]->type == VALUE_OPAQUE)
      return elab_fail(e, a, ERR_MODEL, "%s cannot be used with a record", a->name);
  bool needs_number = BUILTINS[k].function == real_function;
  if (needs_number && c.count && c.args[0]->type == VALUE_BOOLEAN)
    return elab_fail(e, a->args[0], ERR_MODEL, "%s needs a number, this is true or false", a->name);
  return BUILTINS[k].function(e, s, &c);
}

// ---------------------------------------------------------------- calls

static Value *unknown_function(Elab *e, Where s, const Ast *a) {
  const char *names[BUILTIN_COUNT], *rest, *near = NULL;
  for (int i = 0; i < BUILTIN_COUNT; i++) names[i] = BUILTINS[i].name;
  for (Part *p = s.part; p && !near; p = p->lexical)
    near = library_nearest(e->library, p->class, a->name);
  if (!near) near = library_nearest(e->library, NULL, a->name);
  if (!near) near = nearest_name(a->name, names, BUILTIN_COUNT);
  Member *m = lookup(e, s.part, first_part(e, a->name + (a->name[0] == '.'), &rest));
  if (elab_failed(e)) return NULL;
  if (m && !rest && m->element->kind == ELEMENT_COMPONENT)
    return elab_fail(e, a, ERR_NAME, "'%s' is a variable, not a function; write * to multiply",
                     a->name);
  if (near)
    return elab_fail(e, a, ERR_NAME, "'%s' is not a function; did you mean '%s'?", a->name, near);
  if (strncmp(a->name, "Modelica.", 9) == 0)
    return elab_fail(e, a, ERR_NAME,
                     "'%s' is not found; name the folder of the Modelica library with --library or "
                     "MODELICAPATH",
                     a->name);
  return elab_fail(e, a, ERR_NAME, "'%s' is not a function that entrain knows", a->name);
}

// A function of the user may have the name of one of the language.
static bool is_hidden(Elab *e, Part *p, const char *name) {
  if (strchr(name, '.')) return false;
  for (; p && !elab_failed(e); p = p->lexical) {
    const AstElement *el = library_element(e->library, p->class, name, e->err);
    Member *imported = el ? NULL : lookup_import(e, p, name);
    if (imported) el = imported->element;
    if (el && el->kind == ELEMENT_CLASS && el->class->kind == CLASS_FUNCTION)
      return !(el->class->is_external && strcmp(el->class->language, "builtin") == 0);
  }
  return false;
}

Value *evaluate_call(Elab *e, Where s, const Ast *a) {
  bool known;
  ClassRef f;
  if (find_builtin(a->name) >= 0 && is_hidden(e, s.part, a->name) &&
      lookup_class(e, s.part, a->name, &f) && !f.is_builtin)
    return evaluate_function(e, &f, s, a);
  if (a->name[0] == '.' && find_builtin(a->name + 1) >= 0) { // .sin(x): that of the language
    Ast *plain = ast_new(e, AST_CALL, a, a->arg_count);
    plain->name = a->name + 1;
    for (int i = 0; i < a->arg_count; i++) plain->args[i] = a->args[i];
    a = plain;
  }
  Value *v = evaluate_builtin(e, s, a, &known);
  if (known || elab_failed(e)) return v;
  if (!lookup_class(e, s.part, a->name, &f) || f.is_builtin)
    return elab_failed(e) ? NULL : unknown_function(e, s, a);
  return evaluate_function(e, &f, s, a);
}
