// From classes to one flat model: what the stages share.
//
// A Node is a class in use: a component of the model (an instance), or a class whose names are looked up (a package, a
// function). Its members come from Parts: the class itself and each class that it extends, because the names inside a
// class are looked up where that class is written. A Component is a declared member: a scalar or array of a built-in type,
// or one Node for each element. Expressions become Values: arrays of scalar trees that hold nothing but numbers, operators,
// built-in functions and the names of scalars of the flat model.
#pragma once
#include "base/names.h"
#include "base/warnings.h"
#include "instance/library.h"
#include "lang/class.h"

typedef struct Elab Elab;
typedef struct Node Node;
typedef struct Part Part;
typedef struct Member Member;
typedef struct Component Component;
typedef struct Modification Modification;
typedef struct Value Value;
typedef struct Locals Locals;

typedef enum ValueType {
  VALUE_REAL,
  VALUE_INTEGER,
  VALUE_BOOLEAN,
  VALUE_STRING,
  VALUE_ENUMERATION,
  VALUE_RECORD,
  VALUE_OPAQUE, // an external object
} ValueType;

struct Value {
  ValueType type;
  int rank;
  int *sizes;
  int count;                   // of elements: the product of sizes, 1 for a scalar
  const Ast **at;              // elements of built-in types
  const AstClass *enumeration; // ENUMERATION
  // RECORD: element i has fields[i*field_count + k]
  int field_count;
  const char **field_names;
  Value **fields;
  bool is_function_result; // several outputs: fields are the outputs
};

typedef struct Local { // an iterator, or a variable of a function or an algorithm
  const char *name;
  Value *value; // NULL: has no value yet
  ValueType type;
  bool is_output, is_input;
} Local;

struct Locals {
  Locals *outer;
  ARRAY(Local) locals;
  // Conditions under which the rest of the statements is not run; NULL: never.
  const Ast *returned, *broken;
  bool is_loop, is_algorithm;
};

typedef struct Where { // where a text stands
  Part *part;
  Locals *frame; // or NULL
} Where;

typedef struct Binding { // = expression, where it was written
  const Ast *ast;
  Where scope;
  Value *value; // made when first needed
  bool busy;
  // Instead of ast: a field of the value of a record.
  struct Binding *record;
  IntArray record_index;
  const char *field;
} Binding;

typedef struct ModEntry {
  const char *name;
  Modification *mod;
  const AstElement *redeclare; // or NULL
  Part *redeclare_part;
  const AstElement *before; // what an inner redeclaration said; the outer one replaces it
  Part *before_part;
  int line, column;
} ModEntry;

struct Modification {
  Binding *binding; // or NULL
  IntArray index;   // subscripts to take of its value: the element of an array of components
  bool each, final;
  ARRAY(ModEntry) entries;
};

struct Part {
  Node *node;
  AstClass *class;
  Part *lexical; // where the class is written; NULL: at the top
  ARRAY(Part *) extends;
};

typedef enum MemberProgress { NOT_STARTED, IN_PROGRESS, FINISHED } MemberProgress;

struct Member {
  const char *name;
  const AstElement *element;
  Part *part;        // where the element is written
  Modification *mod; // from outside, or NULL
  MemberProgress progress;
  Node *class_node;
  Component *component;
  bool hidden;          // by a protected extends
  Node *owner;          // where it belongs, if not to the node of part
  Part *sizes_part;     // where the sizes of the element are written, if not in part
  Part *condition_part; // and its condition
  const AstElement
      *replaced; // of a redeclaration: the element before, whose modifiers go on to hold
  Part *replaced_part;
  Part *constraint_part; // where modifiers of the replaced element are written
};

struct Node {
  AstClass *class;
  Part *main;
  Names *names;
  ARRAY(Member *) members;
  Modification *mod;
  Node *owner;      // the instance that contains it; NULL: the model itself, or no instance
  const char *path; // of an instance: "" for the model itself; of a class: its name with dots
  bool instance;
  bool hidden, final, connector, record;
  AstPrefix prefix; // that of the component, which holds for what it contains
  ValueType builtin;
  bool is_builtin;          // a type such as Real, or one that extends it
  Modification *attributes; // of a builtin
  const AstClass *enumeration;
  int depth;
};

struct Component {
  const char *name, *path;
  Member *member;
  Node *owner;
  bool present; // false: its condition does not hold
  int rank, *sizes, count;
  AstPrefix prefix;
  bool hidden, final, structural;
  bool is_builtin, connector; // connector: by the definition of its type
  ValueType type;
  const AstClass *enumeration;
  Modification *mod; // attributes and binding of a builtin
  Node **nodes;      // by element
  Value *reference;  // the names of its scalars
  Value *constant;   // of a package: its value
  double *numbers;   // values of scalars that were asked for; NaN: not yet
  bool *evaluating;
};

typedef struct Flow { // a scalar of a connector, seen from inside or from outside of its component
  const char *name;
  bool outside, flow;
  int set; // its representative
} Flow;

typedef struct Unsupported {
  const char *what;
  const Source *source;
  int line, column, count;
} Unsupported;

typedef struct Setting { // --set of a parameter that decides about the structure
  const char *name;
  double value;
} Setting;

struct Elab {
  Arena *arena;
  Library *library;
  Err *err;
  Warnings *warnings;
  Node *model;
  Names *top; // members at the top, by name
  ARRAY(Member *) top_members;
  AstModel *flat;
  ARRAY(Component *) components, auxiliaries;
  Names *by_path; // component by path
  ARRAY(Flow) flows;
  Names *flow_names; // "name" and "name/" for the outside
  ARRAY(Unsupported) unsupported;
  const Setting *settings;
  int setting_count;
  int calls;         // of functions inside each other
  const Ast *active; // conditions under which what is evaluated counts; NULL: always
  int unchecked;     // what is evaluated counts at events only: asserts of functions are not kept
  bool left_array;   // the last subscript that failed was outside its array
  long work, asked;  // steps done so far, against WORK_MOST; when it was last asked
  const Ast *at;     // what is evaluated, for messages about limits
  int auxiliary;     // variables made so far
  const char *instance; // path of the instance whose equations are made
  bool in_function;
  bool variables; // inside pre() and others: names are variables, not what an algorithm gave them
  bool decides;   // a function without Real results: the values of parameters decide in it
  Locals *locals; // of the function whose variables are declared
};

enum {
  DEPTH_NODES_MOST = 200, // instances and classes inside each other
  CALLS_MOST = 100,       // functions inside each other
  SCALARS_MOST = 5000000, // of one array, and of the model
  UNSUPPORTED_SHOWN = 20,
  ASKED_EACH = 4096, // steps: whether it may go on
};
static const long WORK_MOST = 100000000;
static const size_t BYTES_MOST = (size_t)1 << 30;

// ---- errors ----
bool elab_failed(const Elab *e);
// All of these set the error once and return NULL or false.
void *elab_fail(Elab *e, const Ast *at, ErrCode code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void *elab_fail_at(Elab *e, const Source *s, int line, int column, ErrCode code, const char *format,
                   ...) __attribute__((format(printf, 6, 7)));
// A construct that is not supported: noted, and elaboration goes on.
void elab_unsupported(Elab *e, const Ast *at, const char *what);
void elab_unsupported_at(Elab *e, const Source *s, int line, int column, const char *what);
bool elab_goes_on(Elab *e, long work); // false and an error when there was too much work
const Source *elab_source(const Elab *e);

// ---- values (value.c) ----
Ast *ast_new(Elab *e, AstKind kind, const Ast *at, int arg_count);
const Ast *ast_number(Elab *e, const Ast *at, double number);
const Ast *ast_bool(Elab *e, const Ast *at, bool value);
const Ast *ast_text(Elab *e, const Ast *at, const char *text);
const Ast *ast_name(Elab *e, const Ast *at, const char *name);
const Ast *ast_call1(Elab *e, const Ast *at, const char *name, const Ast *argument);
const Ast *ast_call2(Elab *e, const Ast *at, const char *name, const Ast *a, const Ast *b);
// With constants folded where both sides are numbers and fold is asked for.
const Ast *ast_binary(Elab *e, const Ast *at, AstOp op, const Ast *a, const Ast *b);
const Ast *ast_unary(Elab *e, const Ast *at, AstOp op, const Ast *a);
const Ast *ast_if(Elab *e, const Ast *at, const Ast *c, const Ast *a, const Ast *b);
const Ast *ast_fold(Elab *e, const Ast *tree); // one node whose arguments are constants
bool ast_is_constant(const Ast *a);

Value *value_scalar(Elab *e, ValueType type, const Ast *at);
Value *value_new(Elab *e, ValueType type, int rank, const int *sizes);
Value *value_number(Elab *e, const Ast *at, double number);
Value *value_integer(Elab *e, const Ast *at, long number);
Value *value_bool(Elab *e, const Ast *at, bool value);
Value *value_array_of(Elab *e, const Ast *at, Value *const *parts, int count);
Value *value_element(Elab *e, const Value *v, int i); // along the first subscript
Value *value_field(Elab *e, const Ast *at, const Value *v, const char *name);
// subs[k] NULL: all of that dimension; else the chosen numbers; scalar subscripts drop the dimension.
typedef struct Subscript {
  bool whole, scalar;
  IntArray at; // from 0
} Subscript;
Value *value_subscript(Elab *e, const Ast *at, const Value *v, const Subscript *subs, int count);
Value *value_indexed(Elab *e, const Ast *at, const Value *v, const IntArray *index);
bool value_same_sizes(const Value *a, const Value *b);
const char *value_sizes_text(Elab *e, const Value *v);
const char *type_word(ValueType t);
const char *text_of_tree(Elab *e, const Ast *a); // a text whose parts may vary, for messages

// ---- lookup and instances (lookup.c, node.c, component.c) ----
typedef struct ClassRef {
  AstClass *class;
  Part *lexical;
  Modification *mod; // of a replaceable class, or NULL
  Member *member;
  bool is_builtin;
  ValueType builtin;
} ClassRef;

Member *lookup(Elab *e, Part *p, const char *name);
Member *lookup_import(Elab *e, Part *p, const char *name); // by the imports of this class
Member *lookup_top(Elab *e, const char *name);
Member *node_member(Elab *e, Node *n, const char *name);
bool lookup_class(Elab *e, Part *p, const char *name, ClassRef *out); // dotted; false: none
ClassRef class_of_member(Member *m);
Node *class_node(Elab *e, Member *m); // its names can be looked up
Node *node_new(Elab *e, const ClassRef *class, Modification *mod, Node *owner, const char *path,
               bool instance, AstPrefix prefix, bool hidden);
const char *node_nearest(Elab *e, Node *n, const char *name);
const char *first_part(Elab *e, const char *dotted, const char **rest);

Component *component_of(Elab *e, Member *m);
Value *component_reference(Elab *e, const Ast *at, Component *c);
Component *component_by_path(Elab *e, const char *name, int *element);
Value *binding_value(Elab *e, const Ast *at, Modification *m); // NULL: none or an error

// ---- modifications (modify.c) ----
Modification *modification_of(Elab *e, const AstModifierList *list, const Ast *binding, Part *part,
                              bool final);
Modification *modification_merge(Elab *e, Modification *outer, Modification *inner);
Modification *modification_find(const Modification *m, const char *name);
const ModEntry *modification_entry(const Modification *m, const char *name);
Modification *modification_element(Elab *e, Modification *m, const int *index, int count);
Modification *modification_of_field(Elab *e, Modification *record, const char *field);

// ---- expressions (evaluate.c, operate.c, builtin.c, function.c) ----
Value *value_of(Elab *e, Where s, const Ast *a);
const Ast *evaluate_scalar(Elab *e, Where s, const Ast *a, const char *what);
Value *evaluate_call(Elab *e, Where s, const Ast *a);
Value *evaluate_builtin(Elab *e, Where s, const Ast *a, bool *known);
Value *evaluate_function(Elab *e, const ClassRef *f, Where s, const Ast *a);
Value *operate(Elab *e, const Ast *at, AstOp op, Value *a, Value *b);
Value *negate(Elab *e, const Ast *at, AstOp op, Value *a);
Value *choose(Elab *e, const Ast *at, const Ast *c, Value *a, Value *b);
bool evaluate_subscripts(Elab *e, Where s, const Ast *index, const Value *of, Subscript *out,
                         int count);
// Numbers of parameters and constants only; the parameters become structural.
bool evaluate_number(Elab *e, const Ast *scalar, double *value);
bool tree_is_known(Elab *e, const Ast *scalar,
                   bool settle); // it has such a value; settle: and may be used for good
bool evaluate_integer(Elab *e, Where s, const Ast *a, const char *what, long *value);
// 1, 0, or -1: not known while the model is built.
int evaluate_condition(Elab *e, Where s, const Ast *a, bool decide, const Ast **tree);
Value *range_values(Elab *e, Where s, const Ast *iterator, const AstItemList *body);
Local *frame_find(Locals *f, const char *name);
Locals *frame_new(Elab *e, Locals *outer);
Local *frame_add(Elab *e, Locals *f, const char *name, Value *v);

// External functions that the program has itself (native.c); *known: whether it has this one.
Value *native_function(Elab *e, const char *name, const Ast *call, const Locals *f, bool *known);
const Ast *tree_constant(Elab *e,
                         const Ast *a); // its value from parameters and constants, NULL: none

// From now on what is evaluated counts only where c holds (or not); returns what to put back into e->active.
const Ast *activate(Elab *e, const Ast *c, bool holds);

// ---- statements (statement.c) ----
bool run_statements(Elab *e, Where s, const AstItemList *list);
void algorithm_equations(Elab *e, Node *n, Part *p, const AstItemList *list, bool initial);
const Ast *auxiliary_variable(Elab *e, const Ast *value, ValueType type, const char *hint);

// ---- equations (equation.c, connect.c) ----
void node_equations(Elab *e, Node *n);
// The condition of a when: a vector of conditions is a call of "edges".
const Ast *when_condition(Elab *e, Where s, const Ast *a);
void connect_add(Elab *e, Where s, const AstItem *item);
void connect_equations(Elab *e);
void connect_register(Elab *e, Component *c); // a leaf of a connector
