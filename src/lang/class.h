// The tree of class definitions as they are written: syntax only, no name is looked up.
#pragma once
#include "base/names.h"
#include "lang/ast.h"
#include "lang/source.h"

typedef struct AstClass AstClass;
typedef struct AstElement AstElement;
typedef struct AstModifier AstModifier;
typedef struct AstItem AstItem;

typedef ARRAY(AstModifier) AstModifierList;
typedef ARRAY(AstItem) AstItemList;
typedef ARRAY(const Ast *) AstList;

struct AstModifier { // name(sub) = value; a.b = 1 is read as a(b = 1)
  const char *name;
  bool each, final;
  const Ast *value; // or NULL
  AstModifierList sub;
  const AstElement *redeclare; // redeclare or replaceable element; name is its name
  int line, column;
};

typedef enum AstElementKind {
  ELEMENT_COMPONENT,
  ELEMENT_CLASS,
  ELEMENT_EXTENDS,
  ELEMENT_IMPORT,
} AstElementKind;

typedef enum AstVariability {
  VARIABILITY_NONE,
  VARIABILITY_DISCRETE,
  VARIABILITY_PARAMETER,
  VARIABILITY_CONSTANT,
} AstVariability;

typedef enum AstCausality { CAUSALITY_NONE, CAUSALITY_INPUT, CAUSALITY_OUTPUT } AstCausality;

typedef struct AstPrefix { // of a component or of a short class: flow parameter input
  bool flow, stream;
  AstVariability variability;
  AstCausality causality;
} AstPrefix;

struct AstElement {
  AstElementKind kind;
  bool final, redeclare, replaceable, inner, outer, hidden; // hidden: protected
  bool evaluate;                                            // annotation(Evaluate = true)
  AstPrefix prefix;
  const char *type; // COMPONENT, EXTENDS, IMPORT: name with dots; a leading dot: from the top
  int type_line, type_column; // COMPONENT
  const char *name;           // COMPONENT, CLASS; IMPORT: the short name, NULL for import A.*
  AstList sizes;              // of the component, then those of its type
  AstModifierList modifiers;
  const Ast *binding;     // or NULL
  const Ast *condition;   // or NULL
  AstClass *class;        // CLASS
  const char *constraint; // constrainedby, or NULL
  AstModifierList constraint_modifiers;
  const char *description;
  int line, column;
};

typedef enum AstItemKind {
  ITEM_EQUATE,  // left = right
  ITEM_CONNECT, // connect(left, right)
  ITEM_CALL,    // left is the call
  ITEM_ASSIGN,  // left := right
  ITEM_IF,      // branches; a last one without condition is else
  ITEM_WHEN,    // branches
  ITEM_FOR,     // iterators, branches[0]
  ITEM_WHILE,   // branches[0]
  ITEM_BREAK,
  ITEM_RETURN,
} AstItemKind;

typedef struct AstItemBranch {
  const Ast *condition; // NULL: else
  AstItemList body;
} AstItemBranch;

struct AstItem { // an equation or a statement
  AstItemKind kind;
  const Ast *left, *right;
  AstList iterators; // AST_ITERATOR
  ARRAY(AstItemBranch) branches;
  const char *description;
  int line, column;
};

typedef enum AstClassKind {
  CLASS_MODEL,
  CLASS_BLOCK,
  CLASS_CLASS,
  CLASS_RECORD,
  CLASS_CONNECTOR,
  CLASS_TYPE,
  CLASS_PACKAGE,
  CLASS_FUNCTION,
  CLASS_OPERATOR,
} AstClassKind;

typedef struct AstLiteral { // of an enumeration
  const char *name, *description;
} AstLiteral;

struct AstClass {
  AstClassKind kind;
  bool partial, encapsulated, expandable, operator_record;
  const char *name, *description;
  ARRAY(AstElement) elements;
  AstItemList equations, initial_equations;
  ARRAY(AstItemList) algorithms, initial_algorithms;
  // type X = base[sizes](modifiers)
  bool is_short;
  AstPrefix prefix;
  const char *base; // with dots
  int base_line, base_column;
  AstList sizes;
  AstModifierList modifiers;
  // type X = enumeration(literals)
  bool is_enumeration;
  ARRAY(AstLiteral) literals;
  // external "language" result = name(arguments)
  bool is_external;
  const char *language, *external_name;
  const Ast *external_result;
  AstList external_arguments;
  const char *extends; // class extends NAME: the class that it replaces
  double stop_time, start_time, tolerance, interval; // annotation(experiment(...)); NaN: not given
  const char *version;                               // annotation(version = "4.0.0"), NULL: none
  const Source *source;
  int line, column;
  Names *names;       // element by name, made when first needed
  const char *folder; // of a package that is stored as a folder, else NULL
};

typedef struct AstFile { // a stored definition
  const char *within;    // "" at the top; NULL: not said
  ARRAY(AstClass *) classes;
} AstFile;

const char *class_kind_word(AstClassKind kind); // "model"
