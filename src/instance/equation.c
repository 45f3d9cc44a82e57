// Equations of all instances, as scalar equations of the flat model.
#include <string.h>

#include "instance/elab.h"

typedef struct Collected { // what a list of equations gives
  ARRAY(AstEquation) equations;
  ARRAY(AstWhen) whens;
  ARRAY(AstAction) actions; // asserts; in a when also assignments, reinit, terminate
} Collected;

typedef struct EquationReader { // of the equations that are read
  Elab *e;
  const Source *source;
  bool initial, in_when;
  bool varies; // inside an if whose condition is not known in advance
  Collected *out;
} EquationReader;

static void fail_item(const EquationReader *c, const AstItem *item, ErrCode code,
                      const char *text) {
  elab_fail_at(c->e, c->source, item->line, item->column, code, "%s", text);
}

// ---------------------------------------------------------------- left = right

static bool is_boolean(ValueType t) {
  return t == VALUE_BOOLEAN;
}

static void add_scalar(EquationReader *c, const AstItem *item, const Ast *left, const Ast *right) {
  Elab *e = c->e;
  if (c->in_when) {
    AstAction a = {AST_SET, left, right, false, item->line, item->column};
    if (left->kind != AST_NAME) {
      fail_item(c, item, ERR_MODEL,
                "in 'when' an equation has a variable alone on its left side: v = expression");
      return;
    }
    array_push(e->arena, &c->out->actions, a);
    return;
  }
  AstEquation q = {.left = left, .right = right, .line = item->line, .column = item->column};
  q.description = item->description ? item->description : "";
  q.instance = e->instance;
  array_push(e->arena, &c->out->equations, q);
}

static void add_equal(EquationReader *c, const AstItem *item, const Value *a, const Value *b) {
  Elab *e = c->e;
  if (elab_failed(e)) return;
  if (a->type == VALUE_OPAQUE || b->type == VALUE_OPAQUE) return;
  if ((a->type == VALUE_RECORD) != (b->type == VALUE_RECORD)) {
    fail_item(c, item, ERR_MODEL, "one side is a record, the other is not");
    return;
  }
  if (!value_same_sizes(a, b)) {
    elab_fail_at(e, c->source, item->line, item->column, ERR_MODEL,
                 "the two sides of the equation differ in size: %s and %s", value_sizes_text(e, a),
                 value_sizes_text(e, b));
    return;
  }
  if (a->type == VALUE_RECORD) {
    for (int i = 0; i < a->count; i++)
      for (int k = 0; k < a->field_count; k++) {
        int j = 0;
        while (j < b->field_count && strcmp(b->field_names[j], a->field_names[k]) != 0) j++;
        if (j == b->field_count) {
          elab_fail_at(e, c->source, item->line, item->column, ERR_MODEL,
                       "the record on the right has no part '%s'", a->field_names[k]);
          return;
        }
        add_equal(c, item, a->fields[i * a->field_count + k], b->fields[i * b->field_count + j]);
      }
    return;
  }
  if (is_boolean(a->type) != is_boolean(b->type)) {
    fail_item(c, item, ERR_MODEL,
              "one side of the equation is a number, the other is true or false");
    return;
  }
  if (a->type == VALUE_STRING || b->type == VALUE_STRING) {
    elab_unsupported_at(e, c->source, item->line, item->column, "a String that is a variable");
    return;
  }
  for (int i = 0; i < a->count; i++) add_scalar(c, item, a->at[i], b->at[i]);
}

static void equate(EquationReader *c, Where s, const AstItem *item) {
  Elab *e = c->e;
  if (item->left->kind != AST_TUPLE) {
    Value *a = value_of(e, s, item->left), *b = a ? value_of(e, s, item->right) : NULL;
    if (b) add_equal(c, item, a, b);
    return;
  }
  Value *v = item->right->kind == AST_CALL ? evaluate_call(e, s, item->right) : NULL;
  if (!v) {
    if (!elab_failed(e)) fail_item(c, item, ERR_MODEL, "a list of results needs a function");
    return;
  }
  int count = v->is_function_result ? v->field_count : 1;
  if (item->left->arg_count > count) {
    fail_item(c, item, ERR_MODEL, "more results are wanted than the function has");
    return;
  }
  for (int i = 0; i < item->left->arg_count && !elab_failed(e); i++) {
    if (item->left->args[i]->kind == AST_NOTHING) continue;
    Value *a = value_of(e, s, item->left->args[i]);
    if (a) add_equal(c, item, a, v->is_function_result ? v->fields[i] : v);
  }
}

// ---------------------------------------------------------------- calls

// The text of a message: what varies in it is shown as its expression. It is needed only when the assertion fails, so that
// what is wrong in it is no error.
static const Ast *message(EquationReader *c, Where s, const Ast *a) {
  Err before = *c->e->err;
  Value *v = value_of(c->e, s, a);
  if (before.code == ERR_NONE && c->e->err->code != ERR_LIMIT && c->e->err->code != ERR_STOPPED)
    *c->e->err = before;
  if (v && v->rank == 0 && v->type == VALUE_STRING)
    return ast_text(c->e, a, text_of_tree(c->e, v->at[0]));
  return ast_text(c->e, a, "an assertion of the model does not hold");
}

static bool is_warning(EquationReader *c, Where s, const Ast *call) {
  if (call->arg_count < 3) return false;
  const Ast *level = call->args[2]->kind == AST_NAMED ? call->args[2]->args[0] : call->args[2];
  Value *v = value_of(c->e, s, level);
  double n;
  return v && v->rank == 0 && evaluate_number(c->e, v->at[0], &n) && n == 1;
}

static void assertion(EquationReader *c, Where s, const AstItem *item) {
  const Ast *call = item->left;
  Elab *e = c->e;
  if (call->arg_count < 2) {
    elab_fail(e, call, ERR_SYNTAX, "assert takes a condition and a message");
    return;
  }
  const Ast *tree, *named[2] = {call->args[0], call->args[1]};
  for (int i = 0; i < 2; i++)
    if (named[i]->kind == AST_NAMED) named[i] = named[i]->args[0];
  evaluate_condition(e, s, named[0], false, &tree);
  if (elab_failed(e)) return;
  if (tree->kind == AST_BOOL && tree->number != 0) return;
  AstAction a = {.kind = AST_ASSERT, .left = tree, .right = message(c, s, named[1])};
  a.warning = is_warning(c, s, call);
  a.line = item->line, a.column = item->column;
  if (!elab_failed(e)) array_push(e->arena, &c->out->actions, a);
}

static void reinit(EquationReader *c, Where s, const AstItem *item) {
  const Ast *call = item->left;
  Elab *e = c->e;
  if (!c->in_when) {
    fail_item(c, item, ERR_MODEL, "reinit can only stand in a when-clause");
    return;
  }
  if (call->arg_count != 2) {
    elab_fail(e, call, ERR_SYNTAX, "reinit takes 2 arguments, not %d", call->arg_count);
    return;
  }
  Value *x = value_of(e, s, call->args[0]), *v = x ? value_of(e, s, call->args[1]) : NULL;
  if (!v) return;
  if (!value_same_sizes(x, v) && v->rank) {
    elab_fail(e, call, ERR_MODEL, "the two arguments of reinit differ in size");
    return;
  }
  for (int i = 0; i < x->count; i++) {
    AstAction a = {.kind = AST_REINIT, .left = x->at[i], .right = v->at[v->rank ? i : 0]};
    a.line = item->line, a.column = item->column;
    array_push(e->arena, &c->out->actions, a);
  }
}

static void call(EquationReader *c, Where s, const AstItem *item) {
  const Ast *a = item->left;
  Elab *e = c->e;
  if (strcmp(a->name, "assert") == 0) {
    assertion(c, s, item);
  } else if (strcmp(a->name, "reinit") == 0) {
    reinit(c, s, item);
  } else if (strcmp(a->name, "terminate") == 0) {
    AstAction t = {.kind = AST_TERMINATE, .right = a->arg_count ? message(c, s, a->args[0]) : NULL};
    t.line = item->line, t.column = item->column;
    if (!c->in_when)
      fail_item(c, item, ERR_MODEL, "terminate can only stand in a when-clause");
    else if (t.right)
      array_push(e->arena, &c->out->actions, t);
  } else if (strncmp(a->name + (a->name[0] == '.'), "Connections.", 12) == 0) {
    elab_unsupported(e, a, "an overdetermined connection graph (Connections)");
  } else {
    ClassRef f;
    if (lookup_class(e, s.part, a->name, &f) && !f.is_builtin && f.class->kind == CLASS_FUNCTION) {
      if (strcmp(f.class->name, "print") == 0) return; // what it would write is not wanted here
      if (strcmp(f.class->name, "error") == 0 &&
          a->arg_count == 1) { // of Modelica.Utilities.Streams
        AstAction fails = {.kind = AST_ASSERT, .left = ast_bool(e, a, false)};
        fails.right = message(c, s, a->args[0]);
        fails.line = item->line, fails.column = item->column;
        if (fails.right) array_push(e->arena, &c->out->actions, fails);
        return;
      }
      elab_unsupported(e, a, "a function that is called for its effect");
      return;
    }
    if (!elab_failed(e))
      elab_fail(e, a, ERR_SYNTAX, "expected '=': a call of '%.80s' alone is not an equation",
                a->name);
  }
}

// ---------------------------------------------------------------- if

static void items(EquationReader *c, Where s, const AstItemList *list);

static const Ast *residual(Elab *e, const AstEquation *q) {
  return ast_binary(e, NULL, AST_MINUS, q->left, q->right);
}

static bool same_name(const Ast *a, const Ast *b) {
  if (a->kind == AST_CALL && b->kind == AST_CALL && a->arg_count == 1 && b->arg_count == 1 &&
      strcmp(a->name, "der") == 0 && strcmp(b->name, "der") == 0)
    return same_name(a->args[0], b->args[0]);
  return a->kind == AST_NAME && b->kind == AST_NAME && strcmp(a->name, b->name) == 0;
}

// Puts the equation of `list` that has the same left side as q at place i.
static void bring_same_left(Collected *list, int i, const AstEquation *q) {
  for (int k = i; k < list->equations.count; k++) {
    if (!same_name(list->equations.at[k].left, q->left)) continue;
    AstEquation swap = list->equations.at[i];
    list->equations.at[i] = list->equations.at[k];
    list->equations.at[k] = swap;
    return;
  }
}

typedef struct OpenBranch { // a branch whose condition is not known in advance
  const Ast *condition;     // NULL: else
  Collected body;
} OpenBranch;

// Equations of all branches, one by one: v = if c then a else b, or 0 = if c then ... of residuals.
static void join_equations(EquationReader *c, const AstItem *item, OpenBranch *list, int count) {
  Elab *e = c->e;
  int n = list[0].body.equations.count;
  for (int k = 1; k < count; k++)
    if (list[k].body.equations.count != n) {
      elab_fail_at(e, c->source, item->line, item->column, ERR_MODEL,
                   "the branches of this 'if' have different numbers of equations: %d and %d", n,
                   list[k].body.equations.count);
      return;
    }
  for (int i = 0; i < n; i++) {
    const AstEquation *first = &list[0].body.equations.at[i];
    bool same = true;
    for (int k = 1; k < count; k++) {
      bring_same_left(&list[k].body, i, first);
      same &= same_name(list[k].body.equations.at[i].left, first->left);
    }
    const Ast *tree = NULL;
    for (int k = count - 1; k >= 0; k--) {
      const AstEquation *q = &list[k].body.equations.at[i];
      const Ast *part = same ? q->right : residual(e, q);
      tree = tree ? ast_if(e, q->left, list[k].condition, part, tree) : part;
    }
    AstEquation q = *first;
    q.right = tree;
    if (!same) q.left = ast_number(e, first->left, 0);
    array_push(e->arena, &c->out->equations, q);
  }
}

// Asserts hold only where their branch does; assignments in a when likewise.
static void join_actions(EquationReader *c, const AstItem *item, OpenBranch *list, int count) {
  Elab *e = c->e;
  const Ast *before = NULL; // none of the branches so far
  for (int k = 0; k < count; k++) {
    const Ast *here = list[k].condition;
    const Ast *active = !here ? before : before ? ast_binary(e, NULL, AST_AND, before, here) : here;
    for (int i = 0; i < list[k].body.actions.count; i++) {
      AstAction a = list[k].body.actions.at[i];
      if (a.kind == AST_ASSERT) {
        a.left = ast_binary(e, NULL, AST_OR, ast_unary(e, NULL, AST_NOT, active), a.left);
      } else if (a.kind == AST_REINIT) {
        a.right = ast_if(e, a.left, active, a.right, a.left);
      } else if (a.kind == AST_SET) { // as one choice over all branches
        bool done = false;
        for (int q = 0; q < c->out->actions.count; q++) {
          AstAction *other = &c->out->actions.at[q];
          if (other->kind != AST_SET || !same_name(other->left, a.left)) continue;
          other->right = ast_if(e, a.left, active, a.right, other->right);
          done = true;
        }
        if (done) continue;
        a.right = ast_if(e, a.left, active, a.right, ast_call1(e, a.left, "pre", a.left));
      } else {
        elab_unsupported_at(e, c->source, item->line, item->column, "terminate inside 'if'");
      }
      array_push(e->arena, &c->out->actions, a);
    }
    const Ast *not_here = here ? ast_unary(e, NULL, AST_NOT, here) : NULL;
    if (not_here) before = before ? ast_binary(e, NULL, AST_AND, before, not_here) : not_here;
  }
}

static void append(Elab *e, Collected *to, const Collected *from) {
  for (int i = 0; i < from->equations.count; i++)
    array_push(e->arena, &to->equations, from->equations.at[i]);
  for (int i = 0; i < from->whens.count; i++) array_push(e->arena, &to->whens, from->whens.at[i]);
  for (int i = 0; i < from->actions.count; i++)
    array_push(e->arena, &to->actions, from->actions.at[i]);
}

typedef ARRAY(OpenBranch) OpenBranches;

// Whether the condition holds: 1, 0, or -1 where it is not known, or known by parameters that may be estimated.
static int holds(EquationReader *c, Where s, const Ast *condition, const Ast **tree) {
  Elab *e = c->e;
  double n;
  *tree = NULL;
  if (!condition) return 1;
  int known = evaluate_condition(e, s, condition, false, tree);
  if (known >= 0 || elab_failed(e)) return known;
  return tree_is_known(e, *tree, true) && evaluate_number(e, *tree, &n) ? n != 0 : -1;
}

// The branches whose conditions are not known, up to one that holds for certain. true: the first one holds, and is read.
static bool read_branches(EquationReader *c, Where s, const AstItem *item, OpenBranches *open) {
  Elab *e = c->e;
  for (int k = 0; k < item->branches.count && !elab_failed(e); k++) {
    const AstItemBranch *b = &item->branches.at[k];
    OpenBranch branch = {0};
    int known = holds(c, s, b->condition, &branch.condition);
    if (elab_failed(e)) return true;
    if (known == 0) continue;
    if (known == 1 && open->count == 0) { // as if it stood alone
      items(c, s, &b->body);
      return true;
    }
    if (known == 1) branch.condition = NULL;
    EquationReader inner = *c;
    inner.out = &branch.body;
    inner.varies = true;
    const Ast *here = branch.condition ? activate(e, branch.condition, true) : e->active;
    items(&inner, s, &b->body);
    e->active = here;
    array_push(e->arena, open, branch);
    if (branch.condition) activate(e, branch.condition, false); // for the branches behind it
    if (known == 1) return elab_failed(e);
  }
  OpenBranch nothing = {0}; // there is no else
  if (open->count) array_push(e->arena, open, nothing);
  return elab_failed(e) || !open->count;
}

// Branches that differ in the number of their equations: parameters decide for good. false: they do not.
static bool decide(EquationReader *c, const OpenBranches *open) {
  Elab *e = c->e;
  for (int k = 0; k < open->count; k++)
    if (open->at[k].condition && !tree_is_known(e, open->at[k].condition, false)) return false;
  for (int k = 0; k < open->count; k++) {
    double v = 1;
    if (open->at[k].condition && !evaluate_number(e, open->at[k].condition, &v)) return false;
    if (v == 0) continue;
    append(e, c->out, &open->at[k].body);
    return true;
  }
  return true;
}

static void conditional(EquationReader *c, Where s, const AstItem *item) {
  OpenBranches open = {0};
  const Ast *active = c->e->active;
  bool done = read_branches(c, s, item, &open);
  c->e->active = active;
  if (done) return;
  bool differ = false, whens = false;
  for (int k = 0; k < open.count; k++) {
    differ |= open.at[k].body.equations.count != open.at[0].body.equations.count;
    whens |= open.at[k].body.whens.count > 0;
  }
  if ((differ || whens) && decide(c, &open)) return;
  if (whens) {
    fail_item(c, item, ERR_MODEL, "'when' inside an 'if' whose condition varies");
    return;
  }
  join_equations(c, item, open.at, open.count);
  join_actions(c, item, open.at, open.count);
}

// ---------------------------------------------------------------- for, when

static void loop(EquationReader *c, Where s, const AstItem *item, int iterator) {
  Elab *e = c->e;
  if (iterator == item->iterators.count) {
    items(c, s, &item->branches.at[0].body);
    return;
  }
  const Ast *it = item->iterators.at[iterator];
  Value *range = range_values(e, s, it, &item->branches.at[0].body);
  for (int i = 0; range && i < range->sizes[0] && !elab_failed(e); i++) {
    Locals *frame = frame_new(e, s.frame);
    frame_add(e, frame, it->name, value_element(e, range, i));
    loop(c, (Where){s.part, frame}, item, iterator + 1);
  }
}

// The condition of a when: a vector of conditions is a call of "edges".
const Ast *when_condition(Elab *e, Where s, const Ast *a) {
  Value *v = value_of(e, s, a);
  if (!v) return NULL;
  if (v->type != VALUE_BOOLEAN || v->rank > 1)
    return elab_fail(e, a, ERR_MODEL, "'when' needs true or false, this is a number");
  if (v->rank == 0) return v->at[0];
  if (v->count == 1) return v->at[0];
  Ast *edges = ast_new(e, AST_CALL, a, v->count);
  edges->name = "edges";
  unsigned depth = 0;
  for (int i = 0; i < v->count; i++) {
    edges->args[i] = (Ast *)v->at[i];
    if (v->at[i]->depth > depth) depth = v->at[i]->depth;
  }
  edges->depth = (depth + 1) & 0xFFFF;
  return edges;
}

static void when(EquationReader *c, Where s, const AstItem *item) {
  Elab *e = c->e;
  AstWhen w = {0};
  if (c->initial || c->in_when) {
    fail_item(c, item, ERR_MODEL, "'when' cannot stand inside 'when' or among initial equations");
    return;
  }
  for (int k = 0; k < item->branches.count && !elab_failed(e); k++) {
    const AstItemBranch *b = &item->branches.at[k];
    Collected body = {0};
    EquationReader inner = *c;
    inner.in_when = true;
    inner.out = &body;
    AstBranch branch = {.condition = when_condition(e, s, b->condition)};
    if (!branch.condition) return;
    branch.line = b->condition->line, branch.column = b->condition->column;
    e->unchecked++;
    items(&inner, s, &b->body);
    e->unchecked--;
    for (int i = 0; i < body.actions.count; i++)
      array_push(e->arena, &branch.actions, body.actions.at[i]);
    array_push(e->arena, &w.branches, branch);
  }
  array_push(e->arena, &c->out->whens, w);
}

// ---------------------------------------------------------------- all of it

static void item_of(EquationReader *c, Where s, const AstItem *item) {
  switch (item->kind) {
  case ITEM_EQUATE: equate(c, s, item); return;
  case ITEM_CONNECT:
    if (c->in_when || c->initial || c->varies)
      fail_item(c, item, ERR_MODEL,
                c->varies ? "connect under a condition that varies; only parameters and constants "
                            "can decide about connections"
                          : "connect cannot stand here");
    else
      connect_add(c->e, s, item);
    return;
  case ITEM_CALL: call(c, s, item); return;
  case ITEM_IF: conditional(c, s, item); return;
  case ITEM_FOR: loop(c, s, item, 0); return;
  case ITEM_WHEN: when(c, s, item); return;
  default: fail_item(c, item, ERR_SYNTAX, "this is not an equation"); return;
  }
}

static void items(EquationReader *c, Where s, const AstItemList *list) {
  for (int i = 0; i < list->count && !elab_failed(c->e); i++) item_of(c, s, &list->at[i]);
}

static void deliver(Elab *e, const Collected *out, bool initial) {
  for (int i = 0; i < out->equations.count; i++) {
    if (initial)
      array_push(e->arena, &e->flat->initial_equations, out->equations.at[i]);
    else
      array_push(e->arena, &e->flat->equations, out->equations.at[i]);
  }
  for (int i = 0; i < out->whens.count; i++)
    array_push(e->arena, &e->flat->whens, out->whens.at[i]);
  for (int i = 0; i < out->actions.count; i++)
    array_push(e->arena, &e->flat->asserts, out->actions.at[i]);
}

static void part_equations(Elab *e, Node *n, Part *p) {
  for (int i = 0; i < p->extends.count; i++) part_equations(e, n, p->extends.at[i]);
  Collected out = {0}, initial = {0};
  EquationReader c = {.e = e, .source = p->class->source, .out = &out};
  items(&c, (Where){p, NULL}, &p->class->equations);
  deliver(e, &out, false);
  c.initial = true, c.out = &initial;
  items(&c, (Where){p, NULL}, &p->class->initial_equations);
  deliver(e, &initial, true);
  for (int i = 0; i < p->class->algorithms.count && !elab_failed(e); i++)
    algorithm_equations(e, n, p, &p->class->algorithms.at[i], false);
  for (int i = 0; i < p->class->initial_algorithms.count && !elab_failed(e); i++)
    algorithm_equations(e, n, p, &p->class->initial_algorithms.at[i], true);
}

// Those of the components first, in the order of their declarations, then its own.
void node_equations(Elab *e, Node *n) {
  for (int i = 0; i < n->members.count && !elab_failed(e); i++) {
    Member *m = n->members.at[i];
    if (m->element->kind != ELEMENT_COMPONENT || (m->element->outer && !m->element->inner))
      continue;
    Component *c = component_of(e, m);
    for (int k = 0; c && c->present && c->nodes && k < c->count && !elab_failed(e); k++)
      node_equations(e, c->nodes[k]);
  }
  if (elab_failed(e)) return;
  e->instance = n->path;
  part_equations(e, n, n->main);
}
