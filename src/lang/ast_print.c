#include "lang/ast_print.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"

// Operator precedence; an operand with a lower level than its place needs is put in parentheses.
typedef enum Precedence {
  LEVEL_IF,
  LEVEL_OR,
  LEVEL_AND,
  LEVEL_NOT,
  LEVEL_RELATION,
  LEVEL_SUM, // also a sign: -a*b is -(a*b)
  LEVEL_PRODUCT,
  LEVEL_POWER,
  LEVEL_PRIMARY,
} Precedence;

static const struct {
  const char *text;
  Precedence own, left, right; // of the operator, and required of its operands
} OPERATORS[] = {
    [AST_PLUS] = {" + ", LEVEL_SUM, LEVEL_SUM, LEVEL_PRODUCT},
    [AST_MINUS] = {" - ", LEVEL_SUM, LEVEL_SUM, LEVEL_PRODUCT},
    [AST_TIMES] = {"*", LEVEL_PRODUCT, LEVEL_PRODUCT, LEVEL_POWER},
    [AST_DIVIDE] = {"/", LEVEL_PRODUCT, LEVEL_PRODUCT, LEVEL_POWER},
    [AST_POWER] = {"^", LEVEL_POWER, LEVEL_PRIMARY, LEVEL_PRIMARY},
    [AST_LESS] = {" < ", LEVEL_RELATION, LEVEL_SUM, LEVEL_SUM},
    [AST_LESS_EQUAL] = {" <= ", LEVEL_RELATION, LEVEL_SUM, LEVEL_SUM},
    [AST_GREATER] = {" > ", LEVEL_RELATION, LEVEL_SUM, LEVEL_SUM},
    [AST_GREATER_EQUAL] = {" >= ", LEVEL_RELATION, LEVEL_SUM, LEVEL_SUM},
    [AST_EQUAL] = {" == ", LEVEL_RELATION, LEVEL_SUM, LEVEL_SUM},
    [AST_NOT_EQUAL] = {" <> ", LEVEL_RELATION, LEVEL_SUM, LEVEL_SUM},
    [AST_AND] = {" and ", LEVEL_AND, LEVEL_AND, LEVEL_NOT},
    [AST_OR] = {" or ", LEVEL_OR, LEVEL_OR, LEVEL_AND},
    [AST_NOT] = {"not ", LEVEL_NOT, LEVEL_NOT, LEVEL_RELATION},
};

// ---- leaves ----

// 1e+22 becomes 1e22, 1e-07 becomes 1e-7
static void shorten_exponent(char *digits) {
  char *e = strchr(digits, 'e');
  if (!e) return;
  char *to = e + 1, *from = e + 1;
  if (*from == '-') to++;
  from++;
  while (*from == '0') from++;
  memmove(to, from, strlen(from) + 1);
}

static void print_number(Text *out, double value) {
  char digits[32];
  if (fabs(value) < 1e15 && value == floor(value)) {
    c_snprintf(digits, sizeof digits, "%.0f", value);
    text_add(out, digits);
    return;
  }
  number_format(value, digits);
  shorten_exponent(digits);
  text_add(out, digits);
  if (isfinite(value) && !strpbrk(digits, ".e"))
    text_add(out, ".0"); // an integer above 2^53 is not an integer literal
}

static void print_string(Text *out, const char *s) {
  static const char FROM[] = "\"\\\a\b\f\n\r\t\v", TO[] = "\"\\abfnrtv";
  text_add(out, "\"");
  for (; *s; s++) {
    const char *found = strchr(FROM, *s);
    if (found)
      text_add_bytes(out, (char[]){'\\', TO[found - FROM]}, 2);
    else
      text_add_bytes(out, s, 1);
  }
  text_add(out, "\"");
}

// ---- expressions ----

static Precedence level_of(const Ast *e) {
  switch (e->kind) {
  case AST_IF: return LEVEL_IF;
  case AST_BINARY: return OPERATORS[e->op].own;
  case AST_UNARY: return OPERATORS[e->op].own;
  case AST_NUMBER: return signbit(e->number) ? LEVEL_SUM : LEVEL_PRIMARY;
  default: return LEVEL_PRIMARY;
  }
}

static void print_bare(Text *out, const Ast *e);

static void print_at(Text *out, const Ast *e, Precedence least) {
  bool needs_parentheses = level_of(e) < least;
  if (needs_parentheses) text_add(out, "(");
  print_bare(out, e);
  if (needs_parentheses) text_add(out, ")");
}

// A vector of conditions of a when-clause is the call edges(a, b) in the tree and {a, b} in the text.
static void print_call(Text *out, const Ast *e) {
  bool is_vector = strcmp(e->name, "edges") == 0;
  text_add(out, is_vector ? "" : e->name);
  text_add(out, is_vector ? "{" : "(");
  for (int i = 0; i < e->arg_count; i++) {
    if (i) text_add(out, ", ");
    print_at(out, e->args[i], LEVEL_IF);
  }
  text_add(out, is_vector ? "}" : ")");
}

static void print_unary(Text *out, const Ast *e) {
  if (e->op == AST_NOT)
    text_add(out, "not ");
  else
    text_add(out, e->op == AST_MINUS ? "-" : "+");
  print_at(out, e->args[0], OPERATORS[e->op].right);
}

static void print_binary(Text *out, const Ast *e) {
  print_at(out, e->args[0], OPERATORS[e->op].left);
  text_add(out, OPERATORS[e->op].text);
  print_at(out, e->args[1], OPERATORS[e->op].right);
}

static void print_if(Text *out, const Ast *e) {
  const char *word = "if ";
  for (; e->kind == AST_IF; e = e->args[2]) {
    text_add(out, word);
    print_at(out, e->args[0], LEVEL_IF);
    text_add(out, " then ");
    print_at(out, e->args[1], LEVEL_IF);
    word = " elseif ";
  }
  text_add(out, " else ");
  print_bare(out, e);
}

static void print_bare(Text *out, const Ast *e) {
  switch (e->kind) {
  case AST_NUMBER: print_number(out, e->number); return;
  case AST_BOOL: text_add(out, e->number != 0 ? "true" : "false"); return;
  case AST_STRING: print_string(out, e->name); return;
  case AST_NAME: text_add(out, e->name); return;
  case AST_CALL: print_call(out, e); return;
  case AST_UNARY: print_unary(out, e); return;
  case AST_BINARY: print_binary(out, e); return;
  case AST_IF: print_if(out, e); return;
  }
}

typedef struct PrintedTree {
  Text *out;
  const Ast *tree;
  Precedence least;
} PrintedTree;

static void print_tree(void *data) {
  const PrintedTree *p = data;
  print_at(p->out, p->tree, p->least);
}

static void print(Text *out, const Ast *e, Precedence least) {
  ast_recurse(e, print_tree, &(PrintedTree){out, e, least});
}

void ast_print(Text *out, const Ast *e) {
  print(out, e, LEVEL_IF);
}

// ---- models ----

static void print_description(Text *out, const char *description) {
  if (!description[0]) return;
  text_add(out, " ");
  print_string(out, description);
}

static void print_attributes(Text *out, const AstDeclaration *d) {
  if (!d->attributes.count) return;
  text_add(out, "(");
  for (int i = 0; i < d->attributes.count; i++) {
    if (i) text_add(out, ", ");
    text_print(out, "%s%s = ", d->attributes.at[i].final ? "final " : "", d->attributes.at[i].name);
    ast_print(out, d->attributes.at[i].value);
  }
  text_add(out, ")");
}

static void print_declaration(Text *out, const AstDeclaration *d) {
  static const char *const ROLES[] = {"", "parameter ", "constant ", "input ", "output "};
  static const char *const TYPES[] = {"Real ", "Integer ", "Boolean "};
  text_add(out, d->final ? "  final " : "  ");
  text_add(out, d->discrete ? "discrete " : "");
  text_add(out, ROLES[d->role]);
  text_add(out, TYPES[d->type]);
  text_add(out, d->name);
  print_attributes(out, d);
  if (d->binding) {
    text_add(out, " = ");
    ast_print(out, d->binding);
  }
  print_description(out, d->description);
  text_add(out, ";\n");
}

static void print_equations(Text *out, const char *section, const AstEquation *e, int count) {
  if (count) text_add(out, section);
  for (int i = 0; i < count; i++) {
    text_add(out, "  ");
    print(out, e[i].left, LEVEL_OR); // an if would start an if-equation
    text_add(out, " = ");
    ast_print(out, e[i].right);
    print_description(out, e[i].description);
    text_add(out, ";\n");
  }
}

static void print_action(Text *out, const AstAction *a) {
  text_add(out, "    ");
  if (a->kind == AST_REINIT) text_add(out, "reinit(");
  if (a->kind == AST_ASSERT) text_add(out, "assert(");
  if (a->kind == AST_TERMINATE) text_add(out, "terminate(");
  if (a->left) ast_print(out, a->left);
  if (a->left) text_add(out, a->kind == AST_SET ? " = " : ", ");
  ast_print(out, a->right);
  if (a->kind == AST_ASSERT && a->warning) text_add(out, ", AssertionLevel.warning");
  text_add(out, a->kind == AST_SET ? ";\n" : ");\n");
}

static void print_when(Text *out, const AstWhen *w) {
  for (int i = 0; i < w->branches.count; i++) {
    const AstBranch *b = &w->branches.at[i];
    text_add(out, i ? "  elsewhen " : "  when ");
    ast_print(out, b->condition);
    text_add(out, " then\n");
    for (int k = 0; k < b->actions.count; k++) print_action(out, &b->actions.at[k]);
  }
  text_add(out, "  end when;\n");
}

void ast_print_model(Text *out, const AstModel *m) {
  text_print(out, "model %s", m->name);
  print_description(out, m->description);
  text_add(out, "\n");
  for (int i = 0; i < m->declarations.count; i++) print_declaration(out, &m->declarations.at[i]);
  print_equations(out, "initial equation\n", m->initial_equations.at, m->initial_equations.count);
  print_equations(out, "equation\n", m->equations.at, m->equations.count);
  if (m->whens.count && !m->equations.count) text_add(out, "equation\n");
  for (int i = 0; i < m->whens.count; i++) print_when(out, &m->whens.at[i]);
  text_print(out, "end %s;\n", m->name);
}
