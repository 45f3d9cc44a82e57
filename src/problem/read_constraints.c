// Reads 'constraints': relations between the unknowns, such as k1 + k2 <= 10.
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/c_locale.h"
#include "expr/simplify.h"
#include "lang/lex.h"
#include "lang/parse.h"
#include "model/flatten.h"
#include "problem/constraint_rows.h"
#include "problem/reader.h"

enum { SIDES_MOST = 3 };

// A name that is not an identifier: theta.start, x.offset, k[second]. It is quoted before the text is parsed.
typedef struct OddName {
  const char *name, *quoted;
  int parameter; // of the model, or
  int number;    // in problem->unknowns; it gets its own symbol when it is used
} OddName;

typedef struct OwnSymbol {
  Expr symbol;
  int number;
} OwnSymbol;

typedef ARRAY(ConstraintLeaf) LeafList;

typedef struct ConstraintReader {
  ProblemReader *r;
  const Yaml *node;
  Flat *names; // names that a constraint may contain
  ARRAY(OddName) odd;
  ARRAY(OwnSymbol) own;
  // for one text
  Text quoted;
  IntArray origin; // by byte of quoted: the byte of the text
  TokenKind relation[SIDES_MOST];
  int relation_at[SIDES_MOST], relation_end[SIDES_MOST];
  int relation_count;
  Expr side[SIDES_MOST];
  // for all
  ARRAY(Constraint) list;
  ARRAY(ConstraintRow) equal, unequal;
} ConstraintReader;

static Place place_of(const ConstraintReader *c, int byte) {
  Place at = c->node->at;
  if (at.line) at.column += byte + c->node->quoted;
  return at;
}

// ---------------------------------------------------------------- names

static int add_name(ConstraintReader *c, const char *name, Expr node, bool boolean) {
  Flat *f = c->names;
  Variable v = {.name = name, .kind = VARIABLE_PARAMETER, .node = node, .boolean = boolean};
  names_set(f->names, name, f->variables.count);
  array_push(f->arena, &f->variables, v);
  return f->variables.count - 1;
}

static bool can_be_quoted(const char *name) {
  for (; *name; name++)
    if (*name == '\'' || *name == '\\' || *name < ' ' || *name > '~') return false;
  return true;
}

static void add_odd(ConstraintReader *c, const char *name, int parameter, int number) {
  Arena *a = c->r->scratch;
  OddName o = {.name = name, .parameter = parameter, .number = number};
  o.quoted = can_be_quoted(name) ? arena_print(a, "'%s'", name)
                                 : arena_print(a, "'number %d'", c->odd.count);
  array_push(a, &c->odd, o);
}

static bool is_plain(const char *name) {
  return !strpbrk(name, ".[(");
}

static void collect_names(ConstraintReader *c) {
  const Problem *p = c->r->problem;
  const Flat *model = p->model->flat;
  Flat *f = c->names = ARENA_NEW(c->r->scratch, Flat);
  f->arena = c->r->scratch, f->graph = p->model->graph, f->name = model->name;
  f->names = names_new(f->arena);
  for (int i = 0; i < model->variables.count; i++) {
    const Variable *v = &model->variables.at[i];
    if (v->kind == VARIABLE_CONSTANT) add_name(c, v->name, v->node, v->boolean);
  }
  for (int k = 0; k < model->parameters.count; k++) {
    const Parameter *q = &model->parameters.at[k];
    bool boolean = q->variable >= 0 && model->variables.at[q->variable].boolean;
    if (is_plain(q->name))
      add_name(c, q->name, q->node, boolean);
    else
      add_odd(c, q->name, k, -1);
  }
  for (int i = 0; i < p->unknown_count; i++)
    if (p->unknowns[i].experiment >= 0) add_odd(c, p->unknowns[i].name, -1, i);
}

// Adds an odd name to the names of expressions.
static void use_odd(ConstraintReader *c, const OddName *o) {
  if (names_find(c->names->names, o->quoted) >= 0) return;
  const Model *m = c->r->problem->model;
  if (o->parameter >= 0) {
    add_name(c, o->quoted, m->flat->parameters.at[o->parameter].node, false);
    return;
  }
  OwnSymbol own = {expr_symbol(m->graph, o->name, false), o->number};
  array_push(c->r->scratch, &c->own, own);
  add_name(c, o->quoted, own.symbol, false);
}

static bool fail_unknown(ConstraintReader *c, int byte, const char *name) {
  const Problem *p = c->r->problem;
  const Flat *f = p->model->flat;
  int i = names_find(f->names, name), count = 0;
  if (i >= 0 && f->variables.at[i].state)
    return reader_fail_place(c->r, place_of(c, byte), ERR_NAME,
                             "%s varies in time; a constraint is about parameters and start values "
                             "(%s.start)",
                             name, name);
  if (i >= 0 || strcmp(name, "time") == 0)
    return reader_fail_place(c->r, place_of(c, byte), ERR_NAME,
                             "%s varies in time; a constraint is about parameters and start values",
                             name);
  const char **known =
      ARENA_ARRAY(c->r->scratch, const char *, p->unknown_count + f->parameters.count + 1);
  for (int k = 0; k < p->unknown_count; k++) known[count++] = p->unknowns[k].name;
  for (int k = 0; k < f->parameters.count; k++) {
    bool twice = false;
    for (int n = 0; n < p->unknown_count; n++)
      twice = twice || strcmp(p->unknowns[n].name, f->parameters.at[k].name) == 0;
    if (!twice) known[count++] = f->parameters.at[k].name;
  }
  return reader_unknown(c->r, place_of(c, byte), "parameter", name, known, count);
}

// ---------------------------------------------------------------- quotes around odd names

static bool in_name(char ch) {
  return isalnum_l((unsigned char)ch, c_locale()) || ch == '_';
}

static void copy(ConstraintReader *c, const char *from, int at, int length) {
  for (int i = 0; i < length; i++) {
    text_print(&c->quoted, "%c", from[at + i]);
    array_push(c->r->scratch, &c->origin, at + i);
  }
}

static const OddName *odd_at(const ConstraintReader *c, const char *text) {
  const OddName *found = NULL;
  for (int i = 0; i < c->odd.count; i++) {
    size_t length = strlen(c->odd.at[i].name);
    bool fits = strncmp(text, c->odd.at[i].name, length) == 0 && !in_name(text[length]);
    if (fits && (!found || length > strlen(found->name))) found = &c->odd.at[i];
  }
  return found;
}

static int number_length(const char *text) {
  int i = (int)strspn(text, "0123456789.");
  if (text[i] != 'e' && text[i] != 'E') return i;
  int sign = text[i + 1] == '+' || text[i + 1] == '-';
  int digits = (int)strspn(text + i + 1 + sign, "0123456789");
  return digits ? i + 1 + sign + digits : i;
}

static int quoted_length(const char *text) {
  const char *end = strchr(text + 1, '\'');
  return end ? (int)(end - text) + 1 : (int)strlen(text);
}

// Length of an identifier with its dots and brackets.
static int name_length(const char *text) {
  int i = 0;
  for (;;) {
    while (in_name(text[i])) i++;
    if (text[i] == '.' && in_name(text[i + 1]))
      i++;
    else if (text[i] == '[' && strchr(text + i, ']'))
      i += (int)strcspn(text + i, "]") + 1;
    else
      return i;
  }
}

// Copies the token at text[at] and returns its length, 0 on failure.
static int copy_piece(ConstraintReader *c, const char *text, int at) {
  const OddName *odd = odd_at(c, text + at);
  int length = 1;
  if (odd) {
    use_odd(c, odd);
    for (const char *q = odd->quoted; *q; q++) {
      text_print(&c->quoted, "%c", *q);
      array_push(c->r->scratch, &c->origin, at);
    }
    return (int)strlen(odd->name);
  }
  if (isdigit((unsigned char)text[at]) || text[at] == '.') length = number_length(text + at);
  if (text[at] == '\'') length = quoted_length(text + at);
  if (isalpha_l((unsigned char)text[at], c_locale()) || text[at] == '_') {
    length = name_length(text + at);
    const char *name = arena_copy(c->r->scratch, text + at, (size_t)length);
    if (!is_plain(name)) return fail_unknown(c, at, name);
  }
  copy(c, text, at, length);
  return length;
}

static bool quote_names(ConstraintReader *c, const char *text) {
  text_clear(&c->quoted);
  c->origin.count = 0;
  for (int at = 0, length; text[at]; at += length)
    if (!(length = copy_piece(c, text, at))) return false;
  array_push(c->r->scratch, &c->origin, (int)strlen(text));
  return true;
}

// ---------------------------------------------------------------- relations

static bool is_relation(TokenKind k) {
  return k == TOKEN_EQUALS || k == TOKEN_SAME || k == TOKEN_LESS || k == TOKEN_LESS_EQUAL ||
         k == TOKEN_GREATER || k == TOKEN_GREATER_EQUAL || k == TOKEN_NOT_SAME || k == TOKEN_ASSIGN;
}

static bool is_equality(TokenKind k) {
  return k == TOKEN_EQUALS || k == TOKEN_SAME;
}

static bool is_rising(TokenKind k) {
  return k == TOKEN_LESS || k == TOKEN_LESS_EQUAL;
}

static bool note_relation(ConstraintReader *c, const Token *t, int at) {
  int byte = c->origin.at[at];
  if (t->kind == TOKEN_NOT_SAME || t->kind == TOKEN_ASSIGN)
    return reader_fail_place(
        c->r, place_of(c, byte), ERR_SYNTAX,
        "'%s' is not allowed in a constraint; write =, <= or >=", token_text(t->kind));
  if (c->relation_count == SIDES_MOST - 1)
    return reader_fail_place(c->r, place_of(c, byte), ERR_SYNTAX,
                             "a constraint has one relation, or two as in 1 <= k <= 3; write the "
                             "others as separate constraints");
  c->relation[c->relation_count] = t->kind;
  c->relation_at[c->relation_count] = at;
  c->relation_end[c->relation_count++] = at + (int)t->length;
  return true;
}

// The relations outside parentheses.
static bool find_relations(ConstraintReader *c, const Source *s, Err *own) {
  Lexer lexer;
  Token t;
  int depth = 0;
  c->relation_count = 0;
  lex_begin(&lexer, c->r->scratch, s, own);
  for (lex_next(&lexer, &t); t.kind != TOKEN_END_OF_TEXT; lex_next(&lexer, &t)) {
    int at = (int)(t.text - s->text);
    depth += (t.kind == TOKEN_LEFT_PAREN) - (t.kind == TOKEN_RIGHT_PAREN);
    if (depth == 0 && (t.kind == TOKEN_AND || t.kind == TOKEN_OR))
      return reader_fail_place(c->r, place_of(c, c->origin.at[at]), ERR_SYNTAX,
                               t.kind == TOKEN_AND
                                   ? "write two constraints instead of one with 'and'"
                                   : "all constraints must hold: there is no 'or'");
    if (depth == 0 && is_relation(t.kind) && !note_relation(c, &t, at)) return false;
  }
  if (depth <= 0 || own->code != ERR_NONE) return true;
  return reader_fail(c->r, c->node, ERR_SYNTAX, "a parenthesis in '%.100s' is not closed",
                     c->node->text);
}

static bool check_relations(ConstraintReader *c) {
  if (c->relation_count == 0)
    return reader_fail(c->r, c->node, ERR_SYNTAX,
                       "'%.100s' is not a constraint: it must contain =, <= or >=, such as k1 + "
                       "k2 <= 10",
                       c->node->text);
  if (c->relation_count == 1) return true;
  bool rising = is_rising(c->relation[0]);
  for (int i = 0; i < 2; i++)
    if (is_equality(c->relation[i]) || is_rising(c->relation[i]) != rising)
      return reader_fail_place(
          c->r, place_of(c, c->origin.at[c->relation_at[i]]), ERR_SYNTAX,
          "two relations in a row must point the same way, as in 1 <= k <= 3; write "
          "others as separate constraints");
  return true;
}

// ---------------------------------------------------------------- sides

static bool check_names(ConstraintReader *c, const Ast *e, int from) {
  if (e->kind == AST_NAME && names_find(c->names->names, e->name) < 0)
    return fail_unknown(c, c->origin.at[from + e->column - 1], e->name);
  for (int i = 0; i < e->arg_count && e->kind != AST_NUMBER && e->kind != AST_BOOL; i++)
    if (!check_names(c, e->args[i], from)) return false;
  return true;
}

typedef struct NameCheck {
  ConstraintReader *reader;
  const Ast *tree;
  int from;
  bool ok;
} NameCheck;

static void run_check(void *data) {
  NameCheck *n = data;
  n->ok = check_names(n->reader, n->tree, n->from);
}

static bool names_are_known(ConstraintReader *c, const Ast *tree, int from) {
  NameCheck n = {c, tree, from, false};
  ast_recurse(tree, run_check, &n);
  return n.ok;
}

static bool read_side(ConstraintReader *c, int number, int from, int to) {
  Err own = {0};
  const char *text = arena_copy(c->r->scratch, c->quoted.at + from, (size_t)(to - from));
  if (text[strspn(text, " \t\n")] == 0)
    return reader_fail_place(c->r, place_of(c, c->origin.at[from]), ERR_SYNTAX,
                             "one side of the constraint is missing");
  const Source *s = source_new(c->r->scratch, "constraint", text, strlen(text), &own);
  const Ast *tree = s ? parse_expression(c->r->scratch, s, &own) : NULL;
  if (tree && !names_are_known(c, tree, from)) return false;
  if (tree && reader_is_condition(tree))
    return reader_fail_place(c->r, place_of(c, c->origin.at[from]), ERR_SYNTAX,
                             "this side is Boolean; a constraint is a relation of numbers");
  if (tree && flat_expression(c->names, s, tree, &c->side[number], &own)) return true;
  int at = from + (own.line == 1 ? own.column - 1 : 0);
  if (at > to) at = to;
  return reader_fail_place(c->r, place_of(c, c->origin.at[at]), own.code, "%s", own.text);
}

static bool read_sides(ConstraintReader *c) {
  int from = 0;
  for (int i = 0; i <= c->relation_count; i++) {
    int to = i < c->relation_count ? c->relation_at[i] : (int)c->quoted.length;
    if (!read_side(c, i, from, to)) return false;
    if (i < c->relation_count) from = c->relation_end[i];
  }
  return true;
}

// ---------------------------------------------------------------- meaning of the names

static ConstraintLeaf resolve(const ConstraintReader *c, Expr symbol, int experiment) {
  const Problem *p = c->r->problem;
  const Flat *f = p->model->flat;
  ConstraintLeaf leaf = {symbol, -1, nan("")};
  for (int i = 0; i < c->own.count; i++)
    if (c->own.at[i].symbol == symbol) leaf.number = c->own.at[i].number;
  for (int k = 0; k < f->parameters.count && leaf.number < 0; k++) {
    if (f->parameters.at[k].node != symbol) continue;
    leaf.value = p->experiments[experiment].p[k];
    for (int i = 0; i < p->unknown_count; i++)
      if (p->unknowns[i].parameter == k &&
          (p->unknowns[i].experiment < 0 || p->unknowns[i].experiment == experiment))
        leaf.number = i;
  }
  if (leaf.number >= 0) leaf.value = 0;
  return leaf;
}

static void mark(void *data, Expr e) {
  ((bool *)data)[e] = true;
}

static LeafList leaves_of(const ConstraintReader *c, Expr e, int experiment) {
  const Graph *g = c->r->problem->model->graph;
  LeafList list = {0};
  bool *needed = ARENA_ARRAY(c->r->scratch, bool, e + 1);
  needed[e] = true;
  for (Expr k = e; k >= 0; k--) {
    if (!needed[k]) continue;
    expr_each_argument(g, k, mark, needed);
    if (expr_node(g, k)->op == OP_SYMBOL)
      array_push(c->r->scratch, &list, resolve(c, k, experiment));
  }
  return list;
}

static bool has_number(const LeafList *list) {
  for (int i = 0; i < list->count; i++)
    if (list->at[i].number >= 0) return true;
  return false;
}

static bool is_unknown_somewhere(const ConstraintReader *c, Expr e) {
  for (int i = 0; i < c->r->fit_count; i++) {
    LeafList list = leaves_of(c, e, i);
    if (has_number(&list)) return true;
  }
  return false;
}

static bool differs(const ConstraintReader *c, Expr e) {
  LeafList first = leaves_of(c, e, 0);
  for (int i = 1; i < c->r->fit_count; i++) {
    LeafList other = leaves_of(c, e, i);
    for (int k = 0; k < first.count; k++)
      if (first.at[k].number != other.at[k].number || first.at[k].value != other.at[k].value)
        return true;
  }
  return false;
}

// ---------------------------------------------------------------- rows

static ConstraintRow make_row(const ConstraintReader *c, Expr e, int experiment, bool shown) {
  LeafList list = leaves_of(c, e, experiment);
  return constraint_row(c->r->arena, c->r->problem->model->graph, e, list.at, list.count, shown);
}

// The expression that must be >= 0, or 0, by relation i.
static Expr difference(const ConstraintReader *c, int i) {
  Graph *g = c->r->problem->model->graph;
  bool rising = is_rising(c->relation[i]);
  return expr_sub(g, c->side[i + rising], c->side[i + !rising]);
}

static Expr what_is_shown(const ConstraintReader *c) {
  if (c->relation_count == 2) return c->side[1];
  if (!is_unknown_somewhere(c, c->side[1])) return c->side[0];
  if (!is_unknown_somewhere(c, c->side[0])) return c->side[1];
  return expr_sub(c->r->problem->model->graph, c->side[0], c->side[1]);
}

// The value of a side without unknowns. true and NaN: it contains some.
static bool side_value(const ConstraintReader *c, int side, int experiment, double *value) {
  LeafList list = leaves_of(c, c->side[side], experiment);
  *value = nan("");
  if (has_number(&list)) return true;
  ConstraintRow row = make_row(c, c->side[side], experiment, true);
  *value = constraint_row_value(&row, NULL);
  if (isfinite(*value)) return true;
  int at = side == 0 ? 0 : c->relation_end[side - 1];
  while (c->quoted.at[at] == ' ') at++;
  return reader_fail_place(c->r, place_of(c, c->origin.at[at]), ERR_VALUE,
                           "this side of the constraint is not a finite number");
}

static void narrow(Constraint *one, TokenKind relation, double value) {
  if (!is_rising(relation)) one->low = fmax(one->low, value);
  if (is_rising(relation) || is_equality(relation)) one->high = fmin(one->high, value);
}

static TokenKind turned_round(TokenKind k) {
  if (is_equality(k)) return k;
  return is_rising(k) ? TOKEN_GREATER_EQUAL : TOKEN_LESS_EQUAL;
}

// The limits that the other sides set.
static bool set_limits(const ConstraintReader *c, int experiment, Constraint *one) {
  double value[SIDES_MOST];
  TokenKind first = c->relation[0];
  one->low = -HUGE_VAL, one->high = HUGE_VAL;
  for (int i = 0; i <= c->relation_count; i++)
    if (!side_value(c, i, experiment, &value[i])) return false;
  if (c->relation_count == 2) {
    if (!isnan(value[0])) narrow(one, turned_round(first), value[0]);
    if (!isnan(value[2])) narrow(one, c->relation[1], value[2]);
  } else if (!is_unknown_somewhere(c, c->side[1])) {
    narrow(one, first, value[1]);
  } else if (!is_unknown_somewhere(c, c->side[0])) {
    narrow(one, turned_round(first), value[0]);
  } else {
    narrow(one, first, 0);
  }
  return true;
}

static bool add_rows(ConstraintReader *c, int experiment, bool everywhere) {
  Constraint one = {.text = arena_print(c->r->arena, "%s", c->node->text),
                    .experiment = everywhere ? -1 : experiment,
                    .equality = is_equality(c->relation[0]),
                    .row_count = c->relation_count,
                    .line = c->node->at.line,
                    .column = c->node->at.column};
  if (!set_limits(c, experiment, &one)) return false;
  one.shown = ARENA_NEW(c->r->arena, ConstraintRow);
  *one.shown = make_row(c, what_is_shown(c), experiment, true);
  for (int i = 0; i < c->relation_count; i++) {
    ConstraintRow row = make_row(c, difference(c, i), experiment, false);
    one.rows[i] = one.equality ? c->equal.count : c->unequal.count;
    if (one.equality)
      array_push(c->r->scratch, &c->equal, row);
    else
      array_push(c->r->scratch, &c->unequal, row);
  }
  array_push(c->r->arena, &c->list, one);
  return true;
}

static bool fail_no_number(ConstraintReader *c) {
  const Problem *p = c->r->problem;
  Text names;
  text_init(&names);
  for (int i = 0; i < p->unknown_count && i < 8; i++)
    text_print(&names, "%s%s", i ? ", " : "", p->unknowns[i].name);
  reader_fail(c->r, c->node, ERR_VALUE,
              "'%.100s' contains no unknown, so no search can satisfy it; estimated %s %.300s%s",
              c->node->text, p->unknown_count == 1 ? "is" : "are", names.at,
              p->unknown_count > 8 ? ", ..." : "");
  text_done(&names);
  return false;
}

static bool make_constraint(ConstraintReader *c) {
  bool everywhere = true;
  for (int i = 0; i < c->relation_count; i++) {
    Expr e = difference(c, i);
    if (!is_unknown_somewhere(c, e)) return fail_no_number(c);
    everywhere = everywhere && !differs(c, e);
  }
  for (int k = 0; k < (everywhere ? 1 : c->r->fit_count); k++) {
    bool any = false;
    for (int i = 0; i < c->relation_count; i++) {
      LeafList list = leaves_of(c, difference(c, i), k);
      any = any || has_number(&list);
    }
    if (any && !add_rows(c, k, everywhere)) return false;
  }
  return true;
}

static bool read_constraint(ConstraintReader *c) {
  const char *text;
  Err own = {0};
  if (!reader_text(c->r, c->node, "a constraint", &text) || !quote_names(c, text)) return false;
  const Source *s = source_new(c->r->scratch, "constraint", c->quoted.at, c->quoted.length, &own);
  if (!s || !find_relations(c, s, &own)) return s == NULL && reader_adopt(c->r, c->node, &own);
  if (own.code != ERR_NONE) {
    int at = own.line == 1 ? own.column - 1 : 0;
    return reader_fail_place(c->r, place_of(c, c->origin.at[at]), own.code, "%s", own.text);
  }
  return check_relations(c) && read_sides(c) && make_constraint(c);
}

static void hand_over(ConstraintReader *c) {
  ProblemConstraints *out = &c->r->problem->constraints;
  out->equalities = c->equal.count, out->inequalities = c->unequal.count;
  out->rows = ARENA_ARRAY(c->r->arena, ConstraintRow, c->equal.count + c->unequal.count + 1);
  for (int k = 0; k < c->equal.count; k++) out->rows[k] = c->equal.at[k];
  for (int k = 0; k < c->unequal.count; k++) out->rows[c->equal.count + k] = c->unequal.at[k];
  for (int i = 0; i < c->list.count; i++)
    for (int k = 0; k < c->list.at[i].row_count && !c->list.at[i].equality; k++)
      c->list.at[i].rows[k] += c->equal.count;
  out->at = c->list.at, out->count = c->list.count;
}

bool read_constraints(ProblemReader *r) {
  const Yaml *n = yaml_find(r->root, "constraints");
  if (yaml_is_null(n)) return true;
  if (n->kind == YAML_MAP)
    return reader_fail(r, n, ERR_VALUE,
                       "'constraints' is a list of texts, such as [\"k1 + k2 <= 10\"]");
  ConstraintReader c = {.r = r};
  text_init(&c.quoted);
  collect_names(&c);
  bool ok = true;
  int count = n->kind == YAML_LIST ? n->items.count : 1;
  for (int i = 0; i < count && ok; i++) {
    c.node = n->kind == YAML_LIST ? n->items.at[i] : n;
    ok = read_constraint(&c);
  }
  text_done(&c.quoted);
  if (!ok) return false;
  hand_over(&c);
  return judge_constraints(r, n);
}
