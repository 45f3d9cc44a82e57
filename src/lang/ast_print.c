#include "lang/ast_print.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "lang/name.h"

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
    [AST_EACH_PLUS] = {" .+ ", LEVEL_SUM, LEVEL_SUM, LEVEL_PRODUCT},
    [AST_EACH_MINUS] = {" .- ", LEVEL_SUM, LEVEL_SUM, LEVEL_PRODUCT},
    [AST_EACH_TIMES] = {" .* ", LEVEL_PRODUCT, LEVEL_PRODUCT, LEVEL_POWER},
    [AST_EACH_DIVIDE] = {" ./ ", LEVEL_PRODUCT, LEVEL_PRODUCT, LEVEL_POWER},
    [AST_EACH_POWER] = {" .^ ", LEVEL_POWER, LEVEL_PRIMARY, LEVEL_PRIMARY},
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

typedef struct TreePrinter {
  Text *out;
  bool quoted; // paths as one quoted name, as flat text needs it
} TreePrinter;

static void print_bare(const TreePrinter *p, const Ast *e);

static void print_at(const TreePrinter *p, const Ast *e, Precedence least) {
  bool needs_parentheses = level_of(e) < least;
  if (needs_parentheses) text_add(p->out, "(");
  print_bare(p, e);
  if (needs_parentheses) text_add(p->out, ")");
}

static void print_list(const TreePrinter *p, const Ast *e, int from) {
  for (int i = from; i < e->arg_count; i++) {
    if (i > from) text_add(p->out, ", ");
    print_at(p, e->args[i], LEVEL_IF);
  }
}

static void print_call(const TreePrinter *p, const Ast *e) {
  bool edges = strcmp(e->name, "edges") == 0; // a vector of conditions
  text_add(p->out, edges ? "{" : e->name);
  if (!edges) text_add(p->out, "(");
  print_list(p, e, 0);
  text_add(p->out, edges ? "}" : ")");
}

static void print_unary(const TreePrinter *p, const Ast *e) {
  if (e->op == AST_NOT)
    text_add(p->out, "not ");
  else
    text_add(p->out, e->op == AST_MINUS ? "-" : "+");
  print_at(p, e->args[0], OPERATORS[e->op].right);
}

static void print_binary(const TreePrinter *p, const Ast *e) {
  print_at(p, e->args[0], OPERATORS[e->op].left);
  text_add(p->out, OPERATORS[e->op].text);
  print_at(p, e->args[1], OPERATORS[e->op].right);
}

static void print_if(const TreePrinter *p, const Ast *e) {
  const char *word = "if ";
  for (; e->kind == AST_IF; e = e->args[2]) {
    text_add(p->out, word);
    print_at(p, e->args[0], LEVEL_IF);
    text_add(p->out, " then ");
    print_at(p, e->args[1], LEVEL_IF);
    word = " elseif ";
  }
  text_add(p->out, " else ");
  print_bare(p, e);
}

static void print_around(const TreePrinter *p, const Ast *e, const char *open, const char *close) {
  text_add(p->out, open);
  print_list(p, e, 0);
  text_add(p->out, close);
}

static void print_matrix(const TreePrinter *p, const Ast *e) {
  text_add(p->out, "[");
  for (int i = 0; i < e->arg_count; i++) {
    if (i) text_add(p->out, "; ");
    print_list(p, e->args[i], 0);
  }
  text_add(p->out, "]");
}

static void print_range(const TreePrinter *p, const Ast *e) {
  for (int i = 0; i < e->arg_count; i++) {
    if (i) text_add(p->out, ":");
    print_at(p, e->args[i], LEVEL_OR);
  }
}

static void print_each(const TreePrinter *p, const Ast *e) {
  print_at(p, e->args[0], LEVEL_IF);
  text_add(p->out, " for ");
  print_list(p, e, 1);
}

static void print_iterator(const TreePrinter *p, const Ast *e) {
  text_add(p->out, e->name);
  if (!e->arg_count) return;
  text_add(p->out, " in ");
  print_at(p, e->args[0], LEVEL_IF);
}

static void print_index(const TreePrinter *p, const Ast *e) {
  print_at(p, e->args[0], LEVEL_PRIMARY);
  text_add(p->out, "[");
  print_list(p, e, 1);
  text_add(p->out, "]");
}

static void print_bare(const TreePrinter *p, const Ast *e) {
  switch (e->kind) {
  case AST_NUMBER: print_number(p->out, e->number); return;
  case AST_BOOL: text_add(p->out, e->number != 0 ? "true" : "false"); return;
  case AST_STRING: print_string(p->out, e->name); return;
  case AST_NAME:
    if (p->quoted && strcmp(e->name, "time") != 0) // no variable of a flat model is called so
      ast_print_name(p->out, e->name);
    else
      text_add(p->out, e->name);
    return;
  case AST_CALL: print_call(p, e); return;
  case AST_UNARY: print_unary(p, e); return;
  case AST_BINARY: print_binary(p, e); return;
  case AST_IF: print_if(p, e); return;
  case AST_ARRAY: print_around(p, e, "{", "}"); return;
  case AST_TUPLE: print_around(p, e, "(", ")"); return;
  case AST_MATRIX: print_matrix(p, e); return;
  case AST_RANGE: print_range(p, e); return;
  case AST_EACH: print_each(p, e); return;
  case AST_ITERATOR: print_iterator(p, e); return;
  case AST_INDEX: print_index(p, e); return;
  case AST_FIELD:
    print_at(p, e->args[0], LEVEL_PRIMARY);
    text_print(p->out, ".%s", e->name);
    return;
  case AST_NAMED:
    text_print(p->out, "%s = ", e->name);
    print_at(p, e->args[0], LEVEL_IF);
    return;
  case AST_PARTIAL:
    text_print(p->out, "function %s", e->name);
    print_around(p, e, "(", ")");
    return;
  case AST_COLON: text_add(p->out, ":"); return;
  case AST_END: text_add(p->out, "end"); return;
  case AST_NOTHING: return;
  }
}

// A name of a flat model as Modelica writes it: paths and reserved words in quotes.
void ast_print_name(Text *out, const char *name) {
  if (name_is_plain(name) || strcmp(name, "time") == 0) {
    text_add(out, name);
    return;
  }
  text_add(out, "'");
  for (; *name; name++) {
    if (*name == '\'' || *name == '\\') text_add(out, "\\");
    text_add_bytes(out, name, 1);
  }
  text_add(out, "'");
}

typedef struct PrintedTree {
  TreePrinter printer;
  const Ast *tree;
  Precedence least;
} PrintedTree;

static void print_tree(void *data) {
  const PrintedTree *t = data;
  print_at(&t->printer, t->tree, t->least);
}

static void print(Text *out, const Ast *e, Precedence least, bool quoted) {
  ast_recurse(e, print_tree, &(PrintedTree){{out, quoted}, e, least});
}

void ast_print(Text *out, const Ast *e) {
  print(out, e, LEVEL_IF, false);
}

// ---- models ----

static void print_flat(Text *out, const Ast *e) {
  print(out, e, LEVEL_IF, true);
}

static void print_description(Text *out, const char *description) {
  if (!description[0]) return;
  text_add(out, " ");
  print_string(out, description);
}

static void print_attributes(Text *out, const AstDeclaration *d) {
  if (!d->attributes.count) return;
  text_add(out, "(");
  for (int i = 0; i < d->attributes.count; i++) {
    const AstAttribute *at = &d->attributes.at[i];
    if (i) text_add(out, ", ");
    text_print(out, "%s%s = ", at->final ? "final " : "", at->name);
    print(out, at->value, LEVEL_IF,
          at->value->kind != AST_NAME || strncmp(at->value->name, "StateSelect.", 12) != 0);
  }
  text_add(out, ")");
}

static void print_declaration(Text *out, const AstDeclaration *d) {
  static const char *const ROLES[] = {"", "parameter ", "constant ", "input ", "output "};
  static const char *const TYPES[] = {"Real ", "Integer ", "Boolean ", "String "};
  text_add(out, d->final ? "  final " : "  ");
  text_add(out, ROLES[d->role]);
  if (d->discrete) text_add(out, "discrete ");
  text_add(out, TYPES[d->type]);
  ast_print_name(out, d->name);
  print_attributes(out, d);
  if (d->binding) {
    text_add(out, " = ");
    print_flat(out, d->binding);
  }
  print_description(out, d->description);
  text_add(out, ";\n");
}

static void print_equations(Text *out, const char *section, const AstEquation *e, int count) {
  if (count) text_add(out, section);
  for (int i = 0; i < count; i++) {
    text_add(out, "  ");
    print(out, e[i].left, LEVEL_OR, true); // an if would start an if-equation
    text_add(out, " = ");
    print_flat(out, e[i].right);
    print_description(out, e[i].description);
    text_add(out, ";\n");
  }
}

static void print_action(Text *out, const AstAction *a) {
  switch (a->kind) {
  case AST_SET:
    print(out, a->left, LEVEL_OR, true);
    text_add(out, " = ");
    print_flat(out, a->right);
    break;
  case AST_REINIT:
    text_add(out, "reinit(");
    print_flat(out, a->left);
    text_add(out, ", ");
    print_flat(out, a->right);
    text_add(out, ")");
    break;
  case AST_ASSERT:
    text_add(out, "assert(");
    print_flat(out, a->left);
    text_add(out, ", ");
    print_flat(out, a->right);
    text_add(out, a->warning ? ", AssertionLevel.warning)" : ")");
    break;
  case AST_TERMINATE:
    text_add(out, "terminate(");
    print_flat(out, a->right);
    text_add(out, ")");
    break;
  }
  text_add(out, ";\n");
}

static void print_when(Text *out, const AstWhen *w) {
  for (int i = 0; i < w->branches.count; i++) {
    const AstBranch *b = &w->branches.at[i];
    text_add(out, i ? "  elsewhen " : "  when ");
    print_flat(out, b->condition);
    text_add(out, " then\n");
    for (int k = 0; k < b->actions.count; k++) {
      text_add(out, "    ");
      print_action(out, &b->actions.at[k]);
    }
  }
  text_add(out, "  end when;\n");
}

static void print_declarations(Text *out, const AstModel *m) {
  bool hidden = false;
  int count = m->declarations.count;
  for (int i = 0; i < count + m->texts.count; i++) {
    const AstDeclaration *d = i < count ? &m->declarations.at[i] : &m->texts.at[i - count];
    if (d->hidden != hidden) text_add(out, d->hidden ? "protected\n" : "public\n");
    hidden = d->hidden;
    print_declaration(out, d);
  }
}

void ast_print_model(Text *out, const AstModel *m) {
  text_add(out, "model ");
  ast_print_name(out, m->name);
  print_description(out, m->description);
  text_add(out, "\n");
  print_declarations(out, m);
  print_equations(out, "initial equation\n", m->initial_equations.at, m->initial_equations.count);
  print_equations(out, "equation\n", m->equations.at, m->equations.count);
  if (!m->equations.count && (m->whens.count || m->asserts.count)) text_add(out, "equation\n");
  for (int i = 0; i < m->whens.count; i++) print_when(out, &m->whens.at[i]);
  for (int i = 0; i < m->asserts.count; i++) {
    text_add(out, "  ");
    print_action(out, &m->asserts.at[i]);
  }
  text_add(out, "end ");
  ast_print_name(out, m->name);
  text_add(out, ";\n");
}
