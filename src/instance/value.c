// Trees of flat models, and arrays of them.
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "instance/elab.h"
#include "lang/ast_print.h"

// ---------------------------------------------------------------- trees

Ast *ast_new(Elab *e, AstKind kind, const Ast *at, int arg_count) {
  Ast *n = arena_alloc(e->arena, 1, sizeof(Ast) + (size_t)arg_count * sizeof(Ast *));
  n->kind = kind;
  n->depth = 1;
  if (at) n->line = at->line, n->column = at->column;
  if (arg_count) n->args = (Ast **)(n + 1);
  n->arg_count = arg_count;
  return n;
}

static void set_depth(Elab *e, Ast *n) {
  unsigned depth = 0;
  for (int i = 0; i < n->arg_count; i++)
    if (n->args[i]->depth > depth) depth = n->args[i]->depth;
  n->depth = (depth + 1) & 0xFFFF;
  if (depth >= AST_DEPTH_MOST)
    elab_fail(e, n, ERR_LIMIT,
              "the expression is deeper than %d operators; split it with auxiliary variables",
              AST_DEPTH_MOST);
}

const Ast *ast_number(Elab *e, const Ast *at, double number) {
  Ast *n = ast_new(e, AST_NUMBER, at, 0);
  n->number = number;
  return n;
}

const Ast *ast_bool(Elab *e, const Ast *at, bool value) {
  Ast *n = ast_new(e, AST_BOOL, at, 0);
  n->number = value;
  return n;
}

const Ast *ast_text(Elab *e, const Ast *at, const char *text) {
  Ast *n = ast_new(e, AST_STRING, at, 0);
  n->name = text;
  return n;
}

const Ast *ast_name(Elab *e, const Ast *at, const char *name) {
  Ast *n = ast_new(e, AST_NAME, at, 0);
  n->name = name;
  return n;
}

const Ast *ast_call1(Elab *e, const Ast *at, const char *name, const Ast *argument) {
  Ast *n = ast_new(e, AST_CALL, at, 1);
  n->name = name;
  n->args[0] = (Ast *)argument;
  set_depth(e, n);
  return n;
}

const Ast *ast_call2(Elab *e, const Ast *at, const char *name, const Ast *a, const Ast *b) {
  Ast *n = ast_new(e, AST_CALL, at, 2);
  n->name = name;
  n->args[0] = (Ast *)a, n->args[1] = (Ast *)b;
  set_depth(e, n);
  return n;
}

bool ast_is_constant(const Ast *a) {
  return a->kind == AST_NUMBER || a->kind == AST_BOOL || a->kind == AST_STRING;
}

// ---------------------------------------------------------------- constants

typedef double Function1(double);

static const struct {
  const char *name;
  Function1 *function;
} FUNCTIONS[] = {{"sin", sin},      {"cos", cos},   {"tan", tan},     {"asin", asin},
                 {"acos", acos},    {"atan", atan}, {"sinh", sinh},   {"cosh", cosh},
                 {"tanh", tanh},    {"exp", exp},   {"log", log},     {"log10", log10},
                 {"sqrt", sqrt},    {"abs", fabs},  {"floor", floor}, {"ceil", ceil},
                 {"integer", floor}};

static double sign_of(double x) {
  return (x > 0) - (x < 0);
}

static bool fold_call(const Ast *a, double *out) {
  double x = a->args[0]->number, y = a->arg_count > 1 ? a->args[1]->number : 0;
  for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++)
    if (a->arg_count == 1 && strcmp(FUNCTIONS[i].name, a->name) == 0)
      return *out = FUNCTIONS[i].function(x), isfinite(*out);
  if (strcmp(a->name, "sign") == 0) return *out = sign_of(x), true;
  if (strcmp(a->name, "noEvent") == 0 && a->arg_count == 1) return *out = x, true;
  if (a->arg_count != 2) return false;
  if (strcmp(a->name, "smooth") == 0) return *out = y, true;
  if (strcmp(a->name, "homotopy") == 0) return *out = x, true;
  if (strcmp(a->name, "min") == 0) return *out = y < x ? y : x, true;
  if (strcmp(a->name, "max") == 0) return *out = y > x ? y : x, true;
  if (strcmp(a->name, "atan2") == 0) return *out = atan2(x, y), true;
  if (y == 0) return false;
  if (strcmp(a->name, "mod") == 0) return *out = x - floor(x / y) * y, true;
  if (strcmp(a->name, "div") == 0) return *out = trunc(x / y), true;
  if (strcmp(a->name, "rem") == 0) return *out = x - trunc(x / y) * y, true;
  return false;
}

static bool fold_numbers(AstOp op, double x, double y, double *out, bool *is_bool) {
  *is_bool = op >= AST_LESS && op <= AST_OR;
  switch (op) {
  case AST_PLUS: *out = x + y; break;
  case AST_MINUS: *out = x - y; break;
  case AST_TIMES: *out = x * y; break;
  case AST_DIVIDE: *out = x / y; break;
  case AST_POWER: *out = pow(x, y); break;
  case AST_LESS: *out = x < y; break;
  case AST_LESS_EQUAL: *out = x <= y; break;
  case AST_GREATER: *out = x > y; break;
  case AST_GREATER_EQUAL: *out = x >= y; break;
  case AST_EQUAL: *out = x == y; break;
  case AST_NOT_EQUAL: *out = x != y; break;
  case AST_AND: *out = x != 0 && y != 0; break;
  case AST_OR: *out = x != 0 || y != 0; break;
  default: return false;
  }
  return isfinite(*out);
}

static const Ast *fold_texts(Elab *e, const Ast *tree) {
  const char *a = tree->args[0]->name, *b = tree->args[1]->name;
  switch (tree->op) {
  case AST_PLUS: return ast_text(e, tree, arena_print(e->arena, "%s%s", a, b));
  case AST_EQUAL: return ast_bool(e, tree, strcmp(a, b) == 0);
  case AST_NOT_EQUAL: return ast_bool(e, tree, strcmp(a, b) != 0);
  case AST_LESS: return ast_bool(e, tree, strcmp(a, b) < 0);
  case AST_LESS_EQUAL: return ast_bool(e, tree, strcmp(a, b) <= 0);
  case AST_GREATER: return ast_bool(e, tree, strcmp(a, b) > 0);
  case AST_GREATER_EQUAL: return ast_bool(e, tree, strcmp(a, b) >= 0);
  default: return tree;
  }
}

static const Ast *fold_logic(const Ast *tree) { // one side is known
  const Ast *a = tree->args[0], *b = tree->args[1];
  bool is_and = tree->op == AST_AND;
  if (a->kind == AST_BOOL) return (a->number != 0) == is_and ? b : a;
  if (b->kind == AST_BOOL) return (b->number != 0) == is_and ? a : b;
  return tree;
}

static const Ast *fold_binary(Elab *e, const Ast *tree) {
  const Ast *a = tree->args[0], *b = tree->args[1];
  if (tree->op == AST_AND || tree->op == AST_OR) return fold_logic(tree);
  if (a->kind == AST_STRING && b->kind == AST_STRING) return fold_texts(e, tree);
  if (!ast_is_constant(a) || !ast_is_constant(b)) return tree;
  double v;
  bool is_bool;
  if (a->kind == AST_STRING || b->kind == AST_STRING) return tree;
  if (!fold_numbers(tree->op, a->number, b->number, &v, &is_bool)) return tree;
  return is_bool ? ast_bool(e, tree, v != 0) : ast_number(e, tree, v);
}

const Ast *ast_fold(Elab *e, const Ast *tree) {
  double v;
  switch (tree->kind) {
  case AST_UNARY:
    if (!ast_is_constant(tree->args[0]) || tree->args[0]->kind == AST_STRING) return tree;
    v = tree->args[0]->number;
    if (tree->op == AST_NOT) return ast_bool(e, tree, v == 0);
    return ast_number(e, tree, tree->op == AST_MINUS ? -v : v);
  case AST_BINARY: return fold_binary(e, tree);
  case AST_IF:
    if (tree->args[0]->kind != AST_BOOL) return tree;
    return tree->args[tree->args[0]->number != 0 ? 1 : 2];
  case AST_CALL:
    if (tree->arg_count == 0) return tree;
    for (int i = 0; i < tree->arg_count; i++)
      if (tree->args[i]->kind != AST_NUMBER && tree->args[i]->kind != AST_BOOL) return tree;
    if (!fold_call(tree, &v)) return tree;
    return tree->args[0]->kind == AST_BOOL ? ast_bool(e, tree, v != 0) : ast_number(e, tree, v);
  default: return tree;
  }
}

const Ast *ast_binary(Elab *e, const Ast *at, AstOp op, const Ast *a, const Ast *b) {
  if (at && at->kind == AST_BINARY && at->op == op && at->args[0] == a && at->args[1] == b &&
      !e->in_function)
    return at;
  Ast *n = ast_new(e, AST_BINARY, at, 2);
  n->op = op;
  n->args[0] = (Ast *)a, n->args[1] = (Ast *)b;
  set_depth(e, n);
  return e->in_function ? ast_fold(e, n) : n;
}

const Ast *ast_unary(Elab *e, const Ast *at, AstOp op, const Ast *a) {
  if (at && at->kind == AST_UNARY && at->op == op && at->args[0] == a && !e->in_function) return at;
  Ast *n = ast_new(e, AST_UNARY, at, 1);
  n->op = op;
  n->args[0] = (Ast *)a;
  set_depth(e, n);
  return e->in_function ? ast_fold(e, n) : n;
}

const Ast *ast_if(Elab *e, const Ast *at, const Ast *c, const Ast *a, const Ast *b) {
  if (a == b) return a;
  if (at && at->kind == AST_IF && at->args[0] == c && at->args[1] == a && at->args[2] == b)
    return at;
  Ast *n = ast_new(e, AST_IF, at, 3);
  n->args[0] = (Ast *)c, n->args[1] = (Ast *)a, n->args[2] = (Ast *)b;
  set_depth(e, n);
  return e->in_function ? ast_fold(e, n) : n;
}

static void add_text(Elab *e, Text *t, const Ast *a) {
  if (a->kind == AST_STRING) {
    text_add(t, a->name);
  } else if (a->kind == AST_BINARY && a->op == AST_PLUS) {
    add_text(e, t, a->args[0]);
    add_text(e, t, a->args[1]);
  } else {
    ast_print(t, a->kind == AST_CALL && strcmp(a->name, "String") == 0 ? a->args[0] : a);
  }
}

const char *text_of_tree(Elab *e, const Ast *a) {
  Text t;
  text_init(&t);
  const Ast *known = tree_constant(e, a);
  add_text(e, &t, known ? known : a);
  const char *copy = arena_copy(e->arena, t.at, t.length);
  text_done(&t);
  return copy;
}

// ---------------------------------------------------------------- values

const char *type_word(ValueType t) {
  static const char *const WORDS[] = {"Real",           "Integer",  "Boolean",           "String",
                                      "an enumeration", "a record", "an external object"};
  return WORDS[t];
}

Value *value_new(Elab *e, ValueType type, int rank, const int *sizes) {
  Value *v = ARENA_NEW(e->arena, Value);
  v->type = type;
  v->rank = rank;
  v->sizes = ARENA_ARRAY(e->arena, int, rank + 1);
  long count = 1;
  for (int i = 0; i < rank; i++) {
    v->sizes[i] = sizes[i];
    count *= sizes[i];
    if (count > SCALARS_MOST) {
      elab_fail(e, NULL, ERR_LIMIT, "an array of more than %d elements", SCALARS_MOST);
      count = 0;
    }
  }
  v->count = (int)count;
  if (type != VALUE_RECORD) v->at = ARENA_ARRAY(e->arena, const Ast *, count + 1);
  elab_goes_on(e, count);
  return v;
}

Value *value_scalar(Elab *e, ValueType type, const Ast *at) {
  Value *v = value_new(e, type, 0, NULL);
  v->at[0] = at;
  return v;
}

Value *value_number(Elab *e, const Ast *at, double number) {
  return value_scalar(e, VALUE_REAL, ast_number(e, at, number));
}

Value *value_integer(Elab *e, const Ast *at, long number) {
  return value_scalar(e, VALUE_INTEGER, ast_number(e, at, (double)number));
}

Value *value_bool(Elab *e, const Ast *at, bool value) {
  return value_scalar(e, VALUE_BOOLEAN, ast_bool(e, at, value));
}

bool value_same_sizes(const Value *a, const Value *b) {
  if (a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++)
    if (a->sizes[i] != b->sizes[i]) return false;
  return true;
}

const char *value_sizes_text(Elab *e, const Value *v) {
  if (v->rank == 0) return "a scalar";
  Text t;
  text_init(&t);
  text_add(&t, "an array [");
  for (int i = 0; i < v->rank; i++) text_print(&t, "%s%d", i ? ", " : "", v->sizes[i]);
  text_add(&t, "]");
  const char *copy = arena_copy(e->arena, t.at, t.length);
  text_done(&t);
  return copy;
}

static void copy_kind(Value *to, const Value *from) {
  to->type = from->type;
  to->enumeration = from->enumeration;
  to->field_count = from->field_count;
  to->field_names = from->field_names;
  to->is_function_result = from->is_function_result;
}

static Value *like(Elab *e, const Value *v, int rank, const int *sizes) {
  Value *out = value_new(e, v->type, rank, sizes);
  copy_kind(out, v);
  if (v->type == VALUE_RECORD)
    out->fields = ARENA_ARRAY(e->arena, Value *, (long)out->count * v->field_count + 1);
  return out;
}

static void copy_element(Value *to, int i, const Value *from, int k) {
  if (from->type == VALUE_RECORD)
    memcpy(to->fields + (long)i * from->field_count, from->fields + (long)k * from->field_count,
           (size_t)from->field_count * sizeof *to->fields);
  else
    to->at[i] = from->at[k];
}

// Integer and Real mix.
static ValueType common_type(ValueType a, ValueType b) {
  return a == b ? a : VALUE_REAL;
}

Value *value_array_of(Elab *e, const Ast *at, Value *const *parts, int count) {
  if (count == 0) {
    int none = 0;
    return value_new(e, VALUE_REAL, 1, &none);
  }
  const Value *first = parts[0];
  int *sizes = ARENA_ARRAY(e->arena, int, first->rank + 1);
  sizes[0] = count;
  memcpy(sizes + 1, first->sizes, (size_t)first->rank * sizeof *sizes);
  Value *v = like(e, first, first->rank + 1, sizes);
  if (elab_failed(e)) return NULL;
  for (int i = 0; i < count; i++) {
    if (!value_same_sizes(parts[i], first))
      return elab_fail(e, at, ERR_MODEL, "the elements of an array differ in size: %s and %s",
                       value_sizes_text(e, first), value_sizes_text(e, parts[i]));
    bool record = parts[i]->type == VALUE_RECORD;
    if (record != (first->type == VALUE_RECORD))
      return elab_fail(e, at, ERR_MODEL, "the elements of an array differ in type");
    v->type = common_type(v->type, parts[i]->type);
    for (int k = 0; k < first->count; k++) copy_element(v, i * first->count + k, parts[i], k);
  }
  return v;
}

Value *value_element(Elab *e, const Value *v, int i) {
  if (v->rank == 0) return (Value *)v;
  Value *out = like(e, v, v->rank - 1, v->sizes + 1);
  for (int k = 0; k < out->count; k++) copy_element(out, k, v, i * out->count + k);
  return out;
}

Value *value_field(Elab *e, const Ast *at, const Value *v, const char *name) {
  int k = 0;
  if (v->type != VALUE_RECORD || v->is_function_result)
    return elab_fail(e, at, ERR_NAME, "'%s': only records have parts", name);
  while (k < v->field_count && strcmp(v->field_names[k], name) != 0) k++;
  if (k == v->field_count) {
    const char *near = nearest_name(name, v->field_names, v->field_count);
    return elab_fail(e, at, ERR_NAME, "the record has no part '%s'%s%s%s", name,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
  if (v->rank == 0) return v->fields[k];
  Value **parts = ARENA_ARRAY(e->arena, Value *, v->count + 1);
  for (int i = 0; i < v->count; i++) parts[i] = v->fields[i * v->field_count + k];
  Value *list = value_array_of(e, at, parts, v->count);
  if (!list || v->rank == 1) return list;
  int rank = v->rank + list->rank - 1;
  int *sizes = ARENA_ARRAY(e->arena, int, rank + 1);
  memcpy(sizes, v->sizes, (size_t)v->rank * sizeof *sizes);
  memcpy(sizes + v->rank, list->sizes + 1, (size_t)(list->rank - 1) * sizeof *sizes);
  Value *out = like(e, list, rank, sizes);
  for (int i = 0; i < out->count; i++) copy_element(out, i, list, i);
  return out;
}

Value *value_subscript(Elab *e, const Ast *at, const Value *v, const Subscript *subs, int count) {
  if (count > v->rank)
    return elab_fail(e, at, ERR_MODEL, "%d subscript%s for %s", count, count == 1 ? "" : "s",
                     value_sizes_text(e, v));
  int rank = 0, *sizes = ARENA_ARRAY(e->arena, int, v->rank + 1);
  for (int k = 0; k < v->rank; k++) {
    if (k >= count || subs[k].whole)
      sizes[rank++] = v->sizes[k];
    else if (!subs[k].scalar)
      sizes[rank++] = subs[k].at.count;
  }
  Value *out = like(e, v, rank, sizes);
  if (elab_failed(e)) return NULL;
  int *step = ARENA_ARRAY(e->arena, int, v->rank + 1),
      *at_k = ARENA_ARRAY(e->arena, int, v->rank + 1);
  step[v->rank] = 1;
  for (int k = v->rank - 1; k >= 0; k--) step[k] = step[k + 1] * v->sizes[k];
  for (int i = 0; i < out->count; i++) {
    int from = 0;
    for (int k = 0; k < v->rank; k++) {
      bool whole = k >= count || subs[k].whole;
      from += (whole ? at_k[k] : subs[k].at.at[at_k[k]]) * step[k + 1];
    }
    copy_element(out, i, v, from);
    for (int k = v->rank - 1; k >= 0; k--) { // the next one, the last subscript first
      int size = k >= count || subs[k].whole ? v->sizes[k] : subs[k].at.count;
      if (++at_k[k] < size) break;
      at_k[k] = 0;
    }
  }
  return out;
}

Value *value_indexed(Elab *e, const Ast *at, const Value *v, const IntArray *index) {
  if (!index->count) return (Value *)v;
  if (v->rank == 0)
    return elab_fail(e, at, ERR_MODEL,
                     "a single value for an array of components; write 'each' before the name if "
                     "all of them have it");
  Subscript *subs = ARENA_ARRAY(e->arena, Subscript, index->count);
  int n = index->count < v->rank ? index->count : v->rank;
  for (int k = 0; k < n; k++) {
    subs[k].scalar = true;
    if (index->at[k] >= v->sizes[k])
      return elab_fail(e, at, ERR_MODEL,
                       "the component has at least %d elements, and this value has %d",
                       index->at[k] + 1, v->sizes[k]);
    array_push(e->arena, &subs[k].at, index->at[k]);
  }
  return value_subscript(e, at, v, subs, n);
}
