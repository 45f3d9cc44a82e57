// The tree of a model text. Plain data in an arena; knows no mathematics.
#pragma once
#include "base/array.h"
#include "base/err.h"

typedef enum AstKind {
  AST_NUMBER, // 2.5e-3
  AST_BOOL,   // true, false (number is 1 or 0)
  AST_STRING, // "..." (name holds it)
  AST_NAME,   // a variable, or time; in a flat model also a path such as car.wheel[2].om
  AST_CALL,   // name(args): functions, der, noEvent, smooth, pre ...; the name may have dots
  AST_UNARY,  // op args[0]: -, +, not
  AST_BINARY, // args[0] op args[1]: + - * / ^ < <= > >= == <> and or
  AST_IF,     // if args[0] then args[1] else args[2]; elseif nests in args[2]
  AST_ARRAY,  // {args}
  // Only in classes, not in flat models:
  AST_FIELD,    // args[0].name
  AST_INDEX,    // args[0][args[1], ...]
  AST_MATRIX,   // [args; ...]: each row is an AST_ARRAY
  AST_RANGE,    // args[0]:args[1] or args[0]:args[1]:args[2]
  AST_COLON,    // : as a subscript
  AST_END,      // end in a subscript
  AST_TUPLE,    // (args) with several or none; a part that is left out is AST_NOTHING
  AST_NOTHING,  // nothing at all
  AST_NAMED,    // name = args[0] among the arguments of a call
  AST_EACH,     // args[0] for args[1], ...: inside a call or {}; iterators are AST_ITERATOR
  AST_ITERATOR, // name in args[0]; without args: over what the name indexes
  AST_PARTIAL,  // function name(args) as an argument
} AstKind;

typedef enum AstOp {
  AST_NO_OP,
  AST_PLUS,
  AST_MINUS,
  AST_TIMES,
  AST_DIVIDE,
  AST_POWER,
  AST_LESS,
  AST_LESS_EQUAL,
  AST_GREATER,
  AST_GREATER_EQUAL,
  AST_EQUAL,
  AST_NOT_EQUAL,
  AST_AND,
  AST_OR,
  AST_NOT,
  AST_EACH_PLUS, // .+ and so on, only in classes
  AST_EACH_MINUS,
  AST_EACH_TIMES,
  AST_EACH_DIVIDE,
  AST_EACH_POWER,
} AstOp;

// No tree is deeper: a consumer that recurses with up to 1 KiB a level stays below 4 MiB of stack.
// A chain a + b + c + ... leans to the left and is as deep as it is long.
enum { AST_DEPTH_MOST = 4000, AST_DEPTH_SMALL = 60 };

typedef struct Ast Ast;
struct Ast { // 32 bytes: a large model has a million of them
  AstKind kind : 8;
  AstOp op : 8;
  unsigned depth : 16; // of the tree from here down; 1 for a leaf
  int line, column;    // where the construct starts; of a binary operator: the operator itself
  int arg_count;
  const char *name; // NAME, CALL, STRING. A quoted identifier keeps its quotes: 'x' and x differ
  union {
    double number; // NUMBER, BOOL
    Ast **args;    // all others
  };
};

typedef enum AstType { AST_REAL, AST_INTEGER, AST_BOOLEAN, AST_TEXT } AstType;
typedef enum AstRole { AST_VARIABLE, AST_PARAMETER, AST_CONSTANT, AST_INPUT, AST_OUTPUT } AstRole;

typedef struct AstAttribute { // start = 1
  const char *name;
  const Ast *value;
  int line, column;
  bool final;
} AstAttribute;

typedef struct AstDeclaration {
  AstRole role;
  AstType type;
  bool final; // neither value nor start may be changed from outside
  bool discrete;
  bool hidden;     // protected, or made by the program: shown only when asked for by name
  bool structural; // other values make other equations: it can be set, not estimated
  bool startless;  // of closed models: its start value is no parameter
  const char *name;
  int line, column; // of the name
  // start fixed min max nominal unit, and others that are only read: displayUnit quantity
  // unbounded stateSelect (whose value is an AST_NAME such as StateSelect.prefer). No name twice.
  ARRAY(AstAttribute) attributes;
  const Ast *binding;      // = expression, or NULL
  const char *description; // or ""
} AstDeclaration;

typedef struct AstEquation {
  const Ast *left, *right;
  int line, column; // of its first token
  const char *description;
  const char *instance; // the component it belongs to, "" for the model itself
} AstEquation;

typedef enum AstActionKind {
  AST_SET,       // left = right, in a when-clause only; left is an AST_NAME
  AST_REINIT,    // reinit(left, right), in a when-clause only
  AST_ASSERT,    // assert(left, right): left is the condition, right its message
  AST_TERMINATE, // terminate(right), in a when-clause only
} AstActionKind;

typedef struct AstAction {
  AstActionKind kind;
  const Ast *left, *right;
  bool warning; // ASSERT with AssertionLevel.warning
  int line, column;
} AstAction;

typedef struct AstBranch { // when condition then actions; a vector of conditions is written with or
  const Ast *condition;
  ARRAY(AstAction) actions;
  int line, column;
} AstBranch;

typedef struct AstWhen { // when ... elsewhen ... end when
  ARRAY(AstBranch) branches;
} AstWhen;

// A flat model: scalars only. Names of components and elements are paths: car.wheel[2].om.
typedef struct AstModel {
  const char *name, *description;
  int line, column;
  ARRAY(AstDeclaration) declarations;
  ARRAY(AstEquation) equations;
  ARRAY(AstEquation) initial_equations;
  ARRAY(AstDeclaration) texts; // parameters of type String: no equation has them
  ARRAY(AstWhen) whens;
  ARRAY(AstAction) asserts;
  struct ClosedModel
      *closed; // who simulates it instead of equations, see simulate/closed.h; or NULL
} AstModel;

// Runs work(data) at once, on a stack of its own if the tree is deeper than AST_DEPTH_SMALL. Whoever recurses over a tree
// begins with it: a caller of the library may have little stack.
void ast_recurse(const Ast *e, void (*work)(void *data), void *data);
// The same construct, places aside. NULL equals NULL.
bool ast_equal(const Ast *a, const Ast *b);
bool ast_model_equal(const AstModel *a, const AstModel *b);
