// Statements run on trees: each variable holds the expression that it would have. Where a condition is not known in
// advance, both branches are run, and each variable becomes a choice between its two expressions.
#include <string.h>

#include "base/text.h"
#include "instance/elab.h"

enum {
  LOOPS_MOST = 1000000, // rounds of a while loop
  LARGE = 16,           // an expression of so many nodes gets a name of its own
};

// ---------------------------------------------------------------- auxiliary variables

static bool has_no_time(const Ast *a) { // pre, edge, der and others cannot move out of their place
  if (a->kind == AST_CALL && (strcmp(a->name, "pre") == 0 || strcmp(a->name, "edge") == 0 ||
                              strcmp(a->name, "change") == 0 || strcmp(a->name, "sample") == 0 ||
                              strcmp(a->name, "initial") == 0))
    return false;
  if (ast_is_constant(a) || a->kind == AST_NAME) return true;
  for (int i = 0; i < a->arg_count; i++)
    if (!has_no_time(a->args[i])) return false;
  return true;
}

static bool is_varying(Elab *e, const Ast *a) {
  if (ast_is_constant(a)) return false;
  if (a->kind == AST_NAME) {
    int i;
    Component *c = component_by_path(e, a->name, &i);
    return !c || c->prefix.variability < VARIABILITY_PARAMETER;
  }
  if (a->kind == AST_CALL && (a->arg_count == 0 || !has_no_time(a))) return true;
  for (int i = 0; i < a->arg_count; i++)
    if (is_varying(e, a->args[i])) return true;
  return false;
}

static const char *auxiliary_base(Elab *e) {
  const char *name = "auxiliary";
  while (e->model && names_find(e->model->names, name) >= 0)
    name = arena_print(e->arena, "%s_", name);
  return name;
}

// A hidden variable of the flat model with this value: what is used several times, or is deep, is written once.
const Ast *auxiliary_variable(Elab *e, const Ast *value, ValueType type, const char *hint) {
  Component *c = ARENA_NEW(e->arena, Component);
  *c = (Component){.present = true, .count = 1, .hidden = true, .is_builtin = true, .type = type};
  c->name = hint;
  c->path = arena_print(e->arena, "%s[%d]", auxiliary_base(e), ++e->auxiliary);
  c->owner = e->model;
  if (!is_varying(e, value)) c->prefix.variability = VARIABILITY_PARAMETER, c->final = true;
  c->mod = ARENA_NEW(e->arena, Modification);
  c->mod->binding = ARENA_NEW(e->arena, Binding);
  c->mod->binding->ast = value;
  c->mod->binding->value = value_scalar(e, type, value);
  names_set(e->by_path, c->path, e->components.count);
  array_push(e->arena, &e->components, c);
  array_push(e->arena, &e->auxiliaries, c);
  return ast_name(e, value, c->path);
}

// Nodes of the tree, counted up to LARGE.
static int size_of(const Ast *a) {
  int n = 1;
  for (int i = 0; !ast_is_constant(a) && i < a->arg_count && n < LARGE; i++)
    n += size_of(a->args[i]);
  return n;
}

static const Ast *noted(Elab *e, const Ast *a, ValueType type) {
  if (!a || !e->in_function || !e->model || size_of(a) < LARGE) return a;
  if (type != VALUE_REAL && type != VALUE_INTEGER && type != VALUE_BOOLEAN) return a;
  if (!has_no_time(a)) return a;
  return auxiliary_variable(e, ast_call1(e, a, "noEvent", a),
                            type == VALUE_INTEGER ? VALUE_REAL : type, "");
}

static Value *with_names(Elab *e, Value *v) {
  if (v->type == VALUE_RECORD || !e->in_function) return v;
  bool large = false;
  for (int i = 0; i < v->count && !large; i++) large = v->at[i] && size_of(v->at[i]) >= LARGE;
  if (!large) return v;
  Value *out = ARENA_NEW(e->arena, Value);
  *out = *v;
  out->at = ARENA_ARRAY(e->arena, const Ast *, v->count + 1);
  for (int i = 0; i < v->count; i++) out->at[i] = noted(e, v->at[i], v->type);
  return out;
}

// ---------------------------------------------------------------- assignment

static Value *copy_value(Elab *e, const Value *v) {
  Value *out = ARENA_NEW(e->arena, Value);
  *out = *v;
  if (v->type == VALUE_RECORD) {
    long n = (long)v->count * v->field_count;
    out->fields = ARENA_ARRAY(e->arena, Value *, n + 1);
    memcpy(out->fields, v->fields, (size_t)n * sizeof *v->fields);
  } else {
    out->at = ARENA_ARRAY(e->arena, const Ast *, v->count + 1);
    memcpy(out->at, v->at, (size_t)v->count * sizeof *v->at);
  }
  return out;
}

// Elements of `to` that the subscripts choose, in their order.
static IntArray chosen_elements(Elab *e, const Value *to, const Subscript *subs, int count) {
  Value numbers = {.type = VALUE_INTEGER, .rank = to->rank, .sizes = to->sizes, .count = to->count};
  numbers.at = ARENA_ARRAY(e->arena, const Ast *, to->count + 1);
  for (int i = 0; i < to->count; i++) numbers.at[i] = ast_number(e, NULL, i);
  Value *chosen = value_subscript(e, NULL, &numbers, subs, count);
  IntArray out = {0};
  for (int i = 0; chosen && i < chosen->count; i++)
    array_push(e->arena, &out, (int)chosen->at[i]->number);
  return out;
}

static Value *store(Elab *e, Where s, Value *old, const Ast *target, const Ast *stop, Value *new);

static Value *store_index(Elab *e, Where s, Value *old, const Ast *index, Value *new) {
  int count = index->arg_count - 1;
  Subscript *subs = ARENA_ARRAY(e->arena, Subscript, count + 1);
  if (!evaluate_subscripts(e, s, index, old, subs, count)) return NULL;
  IntArray places = chosen_elements(e, old, subs, count);
  if (elab_failed(e)) return NULL;
  if (new->count != places.count &&new->rank != 0)
    return elab_fail(e, index, ERR_MODEL, "the two sides differ in size: %d elements and %s",
                     places.count, value_sizes_text(e, new));
  if ((old->type == VALUE_RECORD) != (new->type == VALUE_RECORD))
    return elab_fail(e, index, ERR_MODEL, "one side is a record, the other is none");
  Value *out = copy_value(e, old);
  for (int i = 0; i < places.count; i++) {
    int from = new->rank ? i : 0;
    if (out->type == VALUE_RECORD)
      memcpy(out->fields + (long)places.at[i] * out->field_count,
             new->fields + (long)from *new->field_count,
             (size_t) new->field_count * sizeof *new->fields);
    else
      out->at[places.at[i]] = new->at[from];
  }
  return out;
}

// The value of `target` (a part of the variable whose value is old) replaced by new. The chain is walked from its root.
static Value *store(Elab *e, Where s, Value *old, const Ast *target, const Ast *stop, Value *new) {
  if (target == stop || target->kind == AST_NAME) return new;
  const Ast *inner = target->args[0];
  Value *part = inner->kind == AST_NAME ? old : value_of(e, s, inner);
  if (!part) return NULL;
  Value *changed;
  if (target->kind == AST_INDEX) {
    changed = store_index(e, s, part, target, new);
  } else {
    int k = 0;
    while (k < part->field_count && strcmp(part->field_names[k], target->name) != 0) k++;
    if (part->type != VALUE_RECORD || part->rank || k == part->field_count)
      return elab_fail(e, target, ERR_NAME, "there is no part '%s'", target->name);
    changed = copy_value(e, part);
    changed->fields[k] = new;
  }
  return changed ? store(e, s, old, inner, stop, changed) : NULL;
}

static const char *root_name(const Ast *a) {
  while (a->kind == AST_INDEX || a->kind == AST_FIELD) a = a->args[0];
  return a->kind == AST_NAME ? a->name : NULL;
}

static bool fits(const Value *old, const Value *new) {
  return !old || old->type == VALUE_RECORD || value_same_sizes(old, new);
}

static const Ast *stopped(const Locals *f) { // NULL: runs for certain
  return f->broken ? f->broken : f->returned;
}

static Value *merge(Elab *e, const Ast *at, const Ast *c, Value *a, Value *b);

static bool assign(Elab *e, Where s, const Ast *target, Value *v) {
  const char *name = root_name(target);
  if (target->kind == AST_NOTHING) return true;
  Local *l = name ? frame_find(s.frame, name) : NULL;
  if (!l) {
    if (!name)
      elab_fail(e, target, ERR_MODEL,
                target->kind == AST_CALL && strcmp(target->name, "der") == 0
                    ? "der cannot be assigned: write an equation"
                    : "only a variable can be assigned");
    else
      elab_fail(e, target, ERR_NAME, "'%s' is not a variable that can be assigned here", name);
    return false;
  }
  if (l->is_input) {
    elab_fail(e, target, ERR_MODEL, "'%s' is an input of the function and cannot be assigned",
              name);
    return false;
  }
  bool record = v->type == VALUE_RECORD;
  if (target->kind == AST_NAME && l->value && (l->value->type == VALUE_RECORD) != record) {
    elab_fail(e, target, ERR_MODEL,
              record ? "'%s' is no record, and the value is one"
                     : "'%s' is a record, and the value is none",
              name);
    return false;
  }
  v = with_names(e, v);
  if (target->kind == AST_NAME) {
    if (!fits(l->value, v)) {
      elab_fail(e, target, ERR_MODEL, "'%s' is %s, the value is %s", name,
                value_sizes_text(e, l->value), value_sizes_text(e, v));
      return false;
    }
    if (l->value && l->value->type != v->type && v->type != VALUE_RECORD) {
      v = copy_value(e, v);
      v->type = l->value->type;
    }
  } else {
    if (!l->value) {
      elab_fail(e, target, ERR_MODEL, "'%s' has no size yet", name);
      return false;
    }
    v = store(e, s, l->value, target, NULL, v);
  }
  if (!v) return false;
  Locals *f = s.frame;
  for (; f; f = f->outer) {
    if (stopped(f) && l->value) v = merge(e, target, stopped(f), l->value, v);
    if (!v) return false;
    if (!f->is_loop) break;
  }
  l = frame_find(s.frame, name);
  l->value = v;
  return true;
}

// ---------------------------------------------------------------- branches

// One of two values; a side without a value does not count.
static Value *merge(Elab *e, const Ast *at, const Ast *c, Value *a, Value *b) {
  if (!a || a == b) return b;
  if (!b) return a;
  if (!value_same_sizes(a, b))
    return elab_fail(e, at, ERR_MODEL, "the branches leave different sizes: %s and %s",
                     value_sizes_text(e, a), value_sizes_text(e, b));
  if (a->type == VALUE_RECORD) {
    Value *v = copy_value(e, a);
    for (long i = 0; i < (long)a->count * a->field_count; i++)
      v->fields[i] = merge(e, at, c, a->fields[i], b->fields[i]);
    return v;
  }
  Value *v = copy_value(e, a);
  for (int i = 0; i < v->count; i++) {
    const Ast *x = a->at[i], *y = b->at[i];
    v->at[i] = !x || x == y ? y : !y ? x : ast_if(e, NULL, c, x, y);
  }
  return with_names(e, v);
}

typedef struct Snapshot { // the values of all variables of a call
  ARRAY(Value *) values;
  const Ast *returned, *broken;
} Snapshot;

static Locals *call_frame(Locals *f) {
  while (f->is_loop && f->outer) f = f->outer;
  return f;
}

static Snapshot take_snapshot(Elab *e, Locals *inner) {
  Snapshot s = {0};
  Locals *f = call_frame(inner);
  for (int i = 0; i < f->locals.count; i++) array_push(e->arena, &s.values, f->locals.at[i].value);
  s.returned = f->returned;
  s.broken = inner->broken;
  return s;
}

static void restore(Locals *inner, const Snapshot *s) {
  Locals *f = call_frame(inner);
  for (int i = 0; i < s->values.count; i++) f->locals.at[i].value = s->values.at[i];
  f->returned = s->returned;
  inner->broken = s->broken;
}

static const Ast *merge_flags(Elab *e, const Ast *at, const Ast *c, const Ast *a, const Ast *b) {
  if (!a && !b) return NULL;
  const Ast *no = ast_bool(e, at, false), *yes = ast_bool(e, at, true);
  const Ast *x = a ? a : no, *y = b ? b : no;
  if (x->kind == AST_BOOL && y->kind == AST_BOOL)
    return x->number == y->number ? (x->number != 0 ? yes : NULL)
           : x->number != 0       ? c
                                  : ast_unary(e, NULL, AST_NOT, c);
  return ast_if(e, NULL, c, x, y);
}

static bool run_branches(Elab *e, Where s, const AstItem *item, int from) {
  if (from >= item->branches.count) return true;
  const AstItemBranch *b = &item->branches.at[from];
  if (!b->condition) return run_statements(e, s, &b->body);
  const Ast *tree;
  int holds = evaluate_condition(e, s, b->condition, false, &tree);
  if (elab_failed(e)) return false;
  double n;
  if (holds < 0 && tree_is_known(e, tree, !e->decides) && evaluate_number(e, tree, &n))
    holds = n != 0;
  if (holds == 1) return run_statements(e, s, &b->body);
  if (holds == 0) return run_branches(e, s, item, from + 1);
  tree = noted(e, tree, VALUE_BOOLEAN);
  Snapshot before = take_snapshot(e, s.frame);
  const Ast *active = activate(e, tree, true);
  bool ok = run_statements(e, s, &b->body);
  e->active = active;
  if (!ok) return false;
  Snapshot yes = take_snapshot(e, s.frame);
  restore(s.frame, &before);
  activate(e, tree, false);
  ok = run_branches(e, s, item, from + 1);
  e->active = active;
  if (!ok) return false;
  Locals *f = call_frame(s.frame);
  for (int i = 0; i < yes.values.count; i++) {
    f->locals.at[i].value = merge(e, b->condition, tree, yes.values.at[i], f->locals.at[i].value);
    if (elab_failed(e)) return false;
  }
  f->returned = merge_flags(e, b->condition, tree, yes.returned, f->returned);
  s.frame->broken = merge_flags(e, b->condition, tree, yes.broken, s.frame->broken);
  return true;
}

// ---------------------------------------------------------------- loops

static bool is_over(const Locals *f) { // for certain
  const Ast *a = f->broken, *b = call_frame((Locals *)f)->returned;
  return (a && a->kind == AST_BOOL && a->number != 0) ||
         (b && b->kind == AST_BOOL && b->number != 0);
}

static bool run_loop(Elab *e, Where s, const AstItem *item, int iterator) {
  if (iterator == item->iterators.count) return run_statements(e, s, &item->branches.at[0].body);
  const Ast *it = item->iterators.at[iterator];
  Value *range = range_values(e, s, it, &item->branches.at[0].body);
  if (!range) return false;
  Locals *loop = frame_new(e, s.frame);
  loop->is_loop = true;
  for (int i = 0; i < range->sizes[0]; i++) {
    loop->locals.count = 0;
    frame_add(e, loop, it->name, value_element(e, range, i));
    if (!run_loop(e, (Where){s.part, loop}, item, iterator + 1)) return false;
    if (is_over(loop)) break;
  }
  return true;
}

enum { ROUNDS_MOST = 200 }; // of a loop whose condition is not known in advance

// while c loop body: if c then (body, and the loop again) else nothing. Along each way the numbers stay known. The way
// ends where a subscript leaves its array.
static bool run_varying_while(Elab *e, Where s, const AstItem *item, int round, bool *ends) {
  const AstItemBranch *b = &item->branches.at[0];
  const Ast *tree;
  *ends = false;
  e->left_array = false;
  int holds = evaluate_condition(e, s, b->condition, false, &tree);
  if (elab_failed(e) && e->left_array && round > 0) {
    *e->err = (Err){0};
    *ends = true;
    return true;
  }
  if (elab_failed(e)) return false;
  if (holds == 0) return true;
  if (round == ROUNDS_MOST) {
    elab_fail(e, b->condition, ERR_LIMIT,
              "the condition of the loop depends on a variable, and it may go on after %d rounds",
              ROUNDS_MOST);
    return false;
  }
  Snapshot before = take_snapshot(e, s.frame);
  tree = noted(e, tree, VALUE_BOOLEAN);
  const Ast *active = activate(e, tree, true);
  bool ok = run_statements(e, s, &b->body) && run_varying_while(e, s, item, round + 1, ends);
  e->active = active;
  if (!ok) return false;
  if (holds == 1) return true;
  Locals *f = call_frame(s.frame);
  for (int i = 0; i < before.values.count; i++) {
    f->locals.at[i].value =
        merge(e, b->condition, tree, f->locals.at[i].value, before.values.at[i]);
    if (elab_failed(e)) return false;
  }
  f->returned = merge_flags(e, b->condition, tree, f->returned, before.returned);
  *ends = false;
  return true;
}

static bool run_while(Elab *e, Where s, const AstItem *item) {
  Locals *loop = frame_new(e, s.frame);
  loop->is_loop = true;
  for (int round = 0; round < LOOPS_MOST; round++) {
    const Ast *tree;
    int holds = evaluate_condition(e, s, item->branches.at[0].condition, false, &tree);
    double n;
    if (elab_failed(e)) return false;
    if (holds < 0 && tree_is_known(e, tree, !e->decides) && evaluate_number(e, tree, &n))
      holds = n != 0;
    if (holds < 0) {
      bool ends;
      return run_varying_while(e, (Where){s.part, loop}, item, 0, &ends);
    }
    if (!holds) return true;
    if (!run_statements(e, (Where){s.part, loop}, &item->branches.at[0].body)) return false;
    if (is_over(loop)) return true;
  }
  elab_fail(e, item->branches.at[0].condition, ERR_LIMIT, "the loop goes on after %d rounds",
            LOOPS_MOST);
  return false;
}

// ---------------------------------------------------------------- statements

static bool assign_results(Elab *e, Where s, const AstItem *item) {
  const Ast *left = item->left;
  Value *v = item->right->kind == AST_CALL ? evaluate_call(e, s, item->right)
                                           : value_of(e, s, item->right);
  if (!v) return false;
  if (left->kind != AST_TUPLE) {
    if (v->is_function_result) v = v->fields[0];
    return assign(e, s, left, v);
  }
  int count = v->is_function_result ? v->field_count : 1;
  if (left->arg_count > count) {
    elab_fail(e, left, ERR_MODEL, "%d results are wanted, and the function has %d", left->arg_count,
              count);
    return false;
  }
  for (int i = 0; i < left->arg_count; i++)
    if (!assign(e, s, left->args[i], v->is_function_result ? v->fields[i] : v)) return false;
  return true;
}

static bool is_known_already(const Elab *e, const AstAction *a) {
  for (int i = 0; i < e->flat->asserts.count; i++) {
    const AstAction *b = &e->flat->asserts.at[i];
    if (a->line == b->line && a->column == b->column && ast_equal(a->left, b->left)) return true;
  }
  return false;
}

// assert in a function: a condition that varies becomes an assertion of the model, where the statement is reached.
static bool run_assert(Elab *e, Where s, const AstItem *item, const Ast *condition,
                       const Ast *message) {
  const Ast *tree = ast_bool(e, item->left, false);
  int holds = condition ? evaluate_condition(e, s, condition, false, &tree) : 0;
  if (elab_failed(e)) return false;
  if (holds == 1 || e->unchecked) return true;
  Err none = *e->err;
  Value *text = value_of(e, s, message);
  if (e->err->code != ERR_LIMIT && e->err->code != ERR_STOPPED) *e->err = none;
  const char *what = text && text->rank == 0 && text->type == VALUE_STRING
                         ? text_of_tree(e, text->at[0])
                         : "an assertion of the model does not hold";
  const Ast *skipped[] = {e->active ? ast_unary(e, NULL, AST_NOT, e->active) : NULL,
                          call_frame(s.frame)->returned, s.frame->broken};
  bool always = true;
  for (int i = 0; i < 3; i++) {
    if (!skipped[i]) continue;
    tree = ast_binary(e, NULL, AST_OR, skipped[i], tree);
    always = false;
  }
  if (holds == 0 && always) return elab_fail(e, item->left, ERR_MODEL, "%s", what), false;
  AstAction a = {.kind = AST_ASSERT, .line = item->line, .column = item->column};
  a.left = ast_call1(e, item->left, "noEvent", tree);
  a.right = ast_text(e, item->left, what);
  if (!is_known_already(e, &a)) array_push(e->arena, &e->flat->asserts, a);
  return true;
}

static const Ast *unnamed(const Ast *a) {
  return a->kind == AST_NAMED ? a->args[0] : a;
}

static bool run_call(Elab *e, Where s, const AstItem *item) {
  const Ast *call = item->left;
  if (strcmp(call->name, "terminate") == 0) return true;
  if (strcmp(call->name, "assert") == 0 && call->arg_count >= 2)
    return run_assert(e, s, item, unnamed(call->args[0]), unnamed(call->args[1]));
  ClassRef f;
  if (lookup_class(e, s.part, call->name, &f) && !f.is_builtin && f.class->kind == CLASS_FUNCTION &&
      call->arg_count == 1) {
    if (strcmp(f.class->name, "print") == 0) return true; // what it would write is not wanted
    if (strcmp(f.class->name, "error") == 0) return run_assert(e, s, item, NULL, call->args[0]);
  }
  if (!elab_failed(e)) evaluate_call(e, s, call);
  return !elab_failed(e);
}

static bool run_statement(Elab *e, Where s, const AstItem *item) {
  if (!elab_goes_on(e, 1)) return false;
  Locals *f = call_frame(s.frame);
  switch (item->kind) {
  case ITEM_ASSIGN: return assign_results(e, s, item);
  case ITEM_IF: return run_branches(e, s, item, 0);
  case ITEM_FOR: return run_loop(e, s, item, 0);
  case ITEM_WHILE: return run_while(e, s, item);
  case ITEM_CALL: return run_call(e, s, item);
  case ITEM_RETURN:
    if (f->is_algorithm) {
      elab_fail_at(e, s.part->class->source, item->line, item->column, ERR_SYNTAX,
                   "'return' stands in no function");
      return false;
    }
    f->returned = ast_bool(e, NULL, true);
    return true;
  case ITEM_BREAK:
    if (!s.frame->is_loop) {
      elab_fail_at(e, s.part->class->source, item->line, item->column, ERR_SYNTAX,
                   "'break' stands in no loop");
      return false;
    }
    s.frame->broken = ast_bool(e, NULL, true);
    return true;
  case ITEM_WHEN:
    elab_fail_at(e, s.part->class->source, item->line, item->column, ERR_MODEL,
                 "'when' cannot stand in a function, a loop or another 'when'");
    return false;
  default: break;
  }
  elab_fail_at(e, s.part->class->source, item->line, item->column, ERR_SYNTAX,
               "this is not a statement");
  return false;
}

bool run_statements(Elab *e, Where s, const AstItemList *list) {
  for (int i = 0; i < list->count && !is_over(s.frame); i++)
    if (!run_statement(e, s, &list->at[i])) return false;
  return true;
}
