// Operators on values: element by element, and those of matrices.
#include <string.h>

#include "instance/elab.h"

static bool is_number(const Value *v) {
  return v->type == VALUE_REAL || v->type == VALUE_INTEGER;
}

static ValueType result_type(AstOp op, const Value *a, const Value *b) {
  if (op >= AST_LESS && op <= AST_OR) return VALUE_BOOLEAN;
  if (op == AST_DIVIDE || op == AST_POWER) return VALUE_REAL;
  return a->type == VALUE_INTEGER && b->type == VALUE_INTEGER ? VALUE_INTEGER : VALUE_REAL;
}

static Value *elementwise(Elab *e, const Ast *at, AstOp op, const Value *a, const Value *b) {
  const Value *shape = a->rank ? a : b;
  Value *v = value_new(e, result_type(op, a, b), shape->rank, shape->sizes);
  for (int i = 0; i < v->count && !elab_failed(e); i++)
    v->at[i] = ast_binary(e, at, op, a->at[a->rank ? i : 0], b->at[b->rank ? i : 0]);
  return elab_failed(e) ? NULL : v;
}

static const Ast *dot(Elab *e, const Ast *at, const Value *a, int ia, int sa, const Value *b,
                      int ib, int sb, int n) {
  if (n == 0) return ast_number(e, at, 0);
  const Ast *sum = NULL;
  for (int k = 0; k < n; k++) {
    const Ast *term = ast_binary(e, at, AST_TIMES, a->at[ia + k * sa], b->at[ib + k * sb]);
    sum = sum ? ast_binary(e, at, AST_PLUS, sum, term) : term;
  }
  return sum;
}

static Value *matrix_product(Elab *e, const Ast *at, const Value *a, const Value *b) {
  int inner = a->sizes[a->rank - 1];
  if (a->rank > 2 || b->rank > 2 || inner != b->sizes[0])
    return elab_fail(e, at, ERR_MODEL, "the sizes do not fit for a product: %s and %s",
                     value_sizes_text(e, a), value_sizes_text(e, b));
  int rows = a->rank == 2 ? a->sizes[0] : 1, columns = b->rank == 2 ? b->sizes[1] : 1;
  int rank = (a->rank == 2) + (b->rank == 2), sizes[2] = {rows, columns};
  if (a->rank == 1 && b->rank == 2) sizes[0] = columns;
  Value *v = value_new(e, result_type(AST_TIMES, a, b), rank, sizes);
  for (int i = 0; i < rows && !elab_failed(e); i++)
    for (int j = 0; j < columns; j++)
      v->at[i * columns + j] = dot(e, at, a, i * inner, 1, b, j, columns, inner);
  return elab_failed(e) ? NULL : v;
}

static Value *matrix_power(Elab *e, const Ast *at, Value *a, const Value *b) {
  double n;
  if (b->rank == 0 && evaluate_number(e, b->at[0], &n) && n > 1000)
    return elab_fail(e, at, ERR_LIMIT, "the power %g of a matrix is too large", n);
  if (b->rank || a->rank != 2 || a->sizes[0] != a->sizes[1] || !evaluate_number(e, b->at[0], &n) ||
      n < 0 || n != (int)n || n > 1000)
    return elab_fail(e, at, ERR_MODEL, "only a square matrix has powers, with a whole number");
  Value *v = value_new(e, a->type, 2, a->sizes);
  for (int i = 0; i < v->count; i++) v->at[i] = ast_number(e, at, i % (a->sizes[0] + 1) == 0);
  for (int k = 0; k < (int)n && v; k++) v = k ? matrix_product(e, at, v, a) : a;
  return v;
}

static Value *fail_sizes(Elab *e, const Ast *at, const Value *a, const Value *b) {
  return elab_fail(e, at, ERR_MODEL, "the two sides differ in size: %s and %s",
                   value_sizes_text(e, a), value_sizes_text(e, b));
}

static Value *logic(Elab *e, const Ast *at, AstOp op, Value *a, Value *b) {
  if (a->type != VALUE_BOOLEAN || b->type != VALUE_BOOLEAN)
    return elab_fail(e, a->type != VALUE_BOOLEAN ? at->args[0] : at->args[1], ERR_MODEL,
                     "each side of 'and' and 'or' needs true or false, this is %s",
                     is_number(a->type != VALUE_BOOLEAN ? a : b) ? "a number" : "none");
  if (a->rank && b->rank && !value_same_sizes(a, b)) return fail_sizes(e, at, a, b);
  return elementwise(e, at, op, a, b);
}

static const char *operator_text(AstOp op) {
  static const char *const TEXT[] = {[AST_PLUS] = "+",
                                     [AST_MINUS] = "-",
                                     [AST_TIMES] = "*",
                                     [AST_DIVIDE] = "/",
                                     [AST_POWER] = "^"};
  return op <= AST_POWER ? TEXT[op] : "a comparison";
}

static Value *texts(Elab *e, const Ast *at, AstOp op, Value *a, Value *b) {
  if (op == AST_MINUS || op == AST_TIMES || op == AST_DIVIDE || op == AST_POWER)
    return elab_fail(e, at, ERR_MODEL, "'%s' needs numbers, this is a text", operator_text(op));
  if (a->type != b->type)
    return elab_fail(e, at, ERR_MODEL,
                     op == AST_PLUS ? "'+' needs two texts, this is a number; write String(...)"
                                    : "a text cannot be compared with a number");
  if (a->rank || b->rank) return elab_fail(e, at, ERR_MODEL, "arrays of texts have no operators");
  const Ast *left = tree_constant(e, a->at[0]), *right = tree_constant(e, b->at[0]);
  if (left && right) { // no equation has texts: their values decide
    a = value_scalar(e, VALUE_STRING, left);
    b = value_scalar(e, VALUE_STRING, right);
  } else if (op != AST_PLUS) {
    elab_unsupported(e, at, "a comparison of texts that vary");
    return value_bool(e, at, false);
  }
  Ast *n = ast_new(e, AST_BINARY, at, 2);
  n->op = op;
  n->args[0] = (Ast *)a->at[0], n->args[1] = (Ast *)b->at[0];
  n->depth = 2;
  const Ast *folded = ast_fold(e, n);
  return value_scalar(e, op == AST_PLUS ? VALUE_STRING : VALUE_BOOLEAN, folded);
}

static Value *comparison(Elab *e, const Ast *at, AstOp op, Value *a, Value *b) {
  if (a->rank || b->rank)
    return elab_fail(e, at, ERR_MODEL, "arrays cannot be compared; compare their elements");
  return elementwise(e, at, op, a, b);
}

Value *operate(Elab *e, const Ast *at, AstOp op, Value *a, Value *b) {
  bool each = op >= AST_EACH_PLUS;
  if (a->type == VALUE_OPAQUE || b->type == VALUE_OPAQUE)
    return elab_fail(e, at, ERR_MODEL, "external objects have no operators");
  if (a->type == VALUE_RECORD || b->type == VALUE_RECORD) {
    elab_unsupported(e, at, "an operator between records");
    return value_number(e, at, 0);
  }
  if (each) op = (AstOp)(op - AST_EACH_PLUS + AST_PLUS);
  if (op == AST_AND || op == AST_OR) return logic(e, at, op, a, b);
  if (a->type == VALUE_STRING || b->type == VALUE_STRING) return texts(e, at, op, a, b);
  bool ea = a->type == VALUE_ENUMERATION, eb = b->type == VALUE_ENUMERATION;
  if ((ea || eb) && (op < AST_LESS || op > AST_NOT_EQUAL))
    return elab_fail(e, at, ERR_MODEL, "enumerations have no arithmetic; write Integer(...)");
  if (ea != eb || (ea && a->enumeration && b->enumeration && a->enumeration != b->enumeration))
    return elab_fail(e, at, ERR_MODEL,
                     ea != eb ? "an enumeration is compared with a number; write Integer(...)"
                              : "two different enumerations are compared");
  if (op >= AST_LESS && op <= AST_NOT_EQUAL) return comparison(e, at, op, a, b);
  if (a->type == VALUE_BOOLEAN || b->type == VALUE_BOOLEAN)
    return elab_fail(e, at->args[a->type == VALUE_BOOLEAN ? 0 : 1], ERR_MODEL,
                     "this operator needs a number, this is true or false");
  bool both = a->rank && b->rank;
  if (!each && op == AST_TIMES && both) return matrix_product(e, at, a, b);
  if (!each && op == AST_POWER && a->rank) return matrix_power(e, at, a, b);
  if (!each && (op == AST_PLUS || op == AST_MINUS) && (a->rank || b->rank) && !both)
    return fail_sizes(e, at, a, b);
  if (!each && op == AST_DIVIDE && b->rank)
    return elab_fail(e, at, ERR_MODEL, "division by an array; write ./ for each element");
  if (both && !value_same_sizes(a, b)) return fail_sizes(e, at, a, b);
  return elementwise(e, at, op, a, b);
}

Value *negate(Elab *e, const Ast *at, AstOp op, Value *a) {
  if (a->type == VALUE_RECORD || a->type == VALUE_OPAQUE) {
    elab_unsupported(e, at, "an operator of a record");
    return value_number(e, at, 0);
  }
  bool wrong = op == AST_NOT ? a->type != VALUE_BOOLEAN : !is_number(a);
  if (wrong)
    return elab_fail(e, at->args[0], ERR_MODEL,
                     op == AST_NOT ? "'not' needs true or false, this is a number"
                                   : "a sign needs a number, this is true or false");
  Value *v = value_new(e, a->type, a->rank, a->sizes);
  for (int i = 0; i < v->count; i++) v->at[i] = ast_unary(e, at, op, a->at[i]);
  return elab_failed(e) ? NULL : v;
}

Value *choose(Elab *e, const Ast *at, const Ast *c, Value *a, Value *b) {
  if (!value_same_sizes(a, b))
    return elab_fail(e, at, ERR_MODEL, "the branches differ in size: %s and %s",
                     value_sizes_text(e, a), value_sizes_text(e, b));
  bool ra = a->type == VALUE_RECORD, rb = b->type == VALUE_RECORD;
  if (ra != rb || (a->type == VALUE_BOOLEAN) != (b->type == VALUE_BOOLEAN))
    return elab_fail(e, at, ERR_MODEL,
                     ra != rb ? "one branch is a record, the other is not"
                              : "one branch is a number, the other is true or false");
  if (ra) {
    Value *v = ARENA_NEW(e->arena, Value);
    *v = *a;
    long n = (long)a->count * a->field_count;
    v->fields = ARENA_ARRAY(e->arena, Value *, n + 1);
    for (long i = 0; i < n; i++)
      if (!(v->fields[i] = choose(e, at, c, a->fields[i], b->fields[i]))) return NULL;
    return v;
  }
  Value *v = value_new(e, a->type == b->type ? a->type : VALUE_REAL, a->rank, a->sizes);
  v->enumeration = a->enumeration;
  for (int i = 0; i < v->count; i++) v->at[i] = ast_if(e, at, c, a->at[i], b->at[i]);
  return elab_failed(e) ? NULL : v;
}
