// Algorithm sections of models: run on trees like functions; what each variable holds at the end is its equation.
#include <string.h>

#include "instance/elab.h"

typedef struct Target { // a variable that the section assigns
  const char *name;
  const Ast *at; // its first assignment
  Component *component;
  bool in_when, outside; // where it is assigned
} Target;

typedef struct AlgorithmSection {
  Elab *e;
  Node *node;
  Part *part;
  bool initial;
  ARRAY(Target) targets;
  AstList instants; // conditions of when-clauses that assign the same variables
} AlgorithmSection;

static const char *root_of(const Ast *a) {
  while (a->kind == AST_INDEX || a->kind == AST_FIELD) a = a->args[0];
  return a->kind == AST_NAME ? a->name : NULL;
}

static void note_target(AlgorithmSection *s, const Ast *left, bool in_when) {
  const char *name = root_of(left);
  if (left->kind == AST_TUPLE) {
    for (int i = 0; i < left->arg_count; i++) note_target(s, left->args[i], in_when);
    return;
  }
  if (!name || left->kind == AST_NOTHING) return;
  for (int i = 0; i < s->targets.count; i++)
    if (strcmp(s->targets.at[i].name, name) == 0) {
      s->targets.at[i].in_when |= in_when;
      s->targets.at[i].outside |= !in_when;
      return;
    }
  Target t = {.name = name, .at = left, .in_when = in_when, .outside = !in_when};
  array_push(s->e->arena, &s->targets, t);
}

static void find_targets(AlgorithmSection *s, const AstItemList *list, bool in_when) {
  for (int i = 0; i < list->count; i++) {
    const AstItem *item = &list->at[i];
    if (item->kind == ITEM_ASSIGN) note_target(s, item->left, in_when);
    for (int k = 0; k < item->branches.count; k++)
      find_targets(s, &item->branches.at[k].body, in_when || item->kind == ITEM_WHEN);
  }
}

static bool resolve_targets(AlgorithmSection *s) {
  Elab *e = s->e;
  for (int i = 0; i < s->targets.count; i++) {
    Target *t = &s->targets.at[i];
    if (strcmp(t->name, "time") == 0)
      return elab_fail(e, t->at, ERR_MODEL, "'time' cannot be assigned"), false;
    Member *m = lookup(e, s->part, t->name);
    if (elab_failed(e)) return false;
    t->component = m && m->element->kind == ELEMENT_COMPONENT ? component_of(e, m) : NULL;
    if (elab_failed(e)) return false;
    if (!t->component)
      return elab_fail(e, t->at, ERR_NAME, "'%s' is not declared in %s", t->name,
                       s->part->class->name),
             false;
    const AstPrefix *p = &t->component->prefix;
    bool fixed = p->variability >= VARIABILITY_PARAMETER && !s->initial;
    bool input = t->component->owner == e->model && p->causality == CAUSALITY_INPUT;
    if (fixed || input)
      return elab_fail(e, t->at, ERR_MODEL, "'%s' is %s and cannot be assigned", t->name,
                       input                                     ? "an input"
                       : p->variability == VARIABILITY_PARAMETER ? "a parameter"
                                                                 : "a constant"),
             false;
  }
  return true;
}

static bool is_discrete(const Target *t) {
  const Component *c = t->component;
  return t->in_when || c->type == VALUE_INTEGER || c->type == VALUE_BOOLEAN ||
         c->type == VALUE_ENUMERATION || c->prefix.variability == VARIABILITY_DISCRETE;
}

// What a variable holds before it is assigned: its last value, or its start value.
static Value *value_before(AlgorithmSection *s, const Target *t) {
  Elab *e = s->e;
  Value *names = component_reference(e, NULL, t->component);
  if (!names || names->type == VALUE_RECORD) return names;
  Value *v = value_new(e, names->type, names->rank, names->sizes);
  v->enumeration = names->enumeration;
  Modification *m = modification_find(t->component->mod, "start");
  Value *start = m ? binding_value(e, NULL, m) : NULL;
  if (elab_failed(e)) return NULL;
  for (int i = 0; i < v->count; i++) {
    if (is_discrete(t) && !s->initial)
      v->at[i] = ast_call1(e, names->at[i], "pre", names->at[i]);
    else if (start)
      v->at[i] = start->at[start->rank ? i : 0];
    else
      v->at[i] = v->type == VALUE_BOOLEAN ? ast_bool(e, names->at[i], false)
                                          : ast_number(e, names->at[i], 0);
  }
  return v;
}

static void add_equation(AlgorithmSection *s, const Ast *at, const Ast *left, const Ast *right) {
  AstEquation q = {.left = left, .right = right, .description = ""};
  q.line = at->line, q.column = at->column;
  q.instance = s->e->instance;
  if (s->initial)
    array_push(s->e->arena, &s->e->flat->initial_equations, q);
  else
    array_push(s->e->arena, &s->e->flat->equations, q);
}

// ---------------------------------------------------------------- when

static AstAction action_at(const AstItem *item) {
  AstAction a = {.line = item->line, .column = item->column};
  return a;
}

// reinit, assert and terminate at the top of the body of a when.
static void add_effects(AlgorithmSection *s, Where scope, const AstItemList *body, AstBranch *b) {
  Elab *e = s->e;
  for (int i = 0; i < body->count && !elab_failed(e); i++) {
    const AstItem *item = &body->at[i];
    if (item->kind != ITEM_CALL) continue;
    const Ast *call = item->left;
    AstAction a = action_at(item);
    if (strcmp(call->name, "reinit") == 0 && call->arg_count == 2) {
      a.kind = AST_REINIT;
      a.left = evaluate_scalar(e, (Where){scope.part, NULL}, call->args[0], "reinit");
      a.right = a.left ? evaluate_scalar(e, scope, call->args[1], "reinit") : NULL;
    } else if (strcmp(call->name, "terminate") == 0 && call->arg_count == 1) {
      a.kind = AST_TERMINATE;
      a.right = evaluate_scalar(e, scope, call->args[0], "the message");
    } else {
      continue;
    }
    if (a.right) array_push(e->arena, &b->actions, a);
  }
}

static AstItemList without_effects(Elab *e, const AstItemList *body) {
  AstItemList out = {0};
  for (int i = 0; i < body->count; i++) {
    const AstItem *item = &body->at[i];
    bool effect = item->kind == ITEM_CALL && (strcmp(item->left->name, "reinit") == 0 ||
                                              strcmp(item->left->name, "terminate") == 0);
    if (!effect) array_push(e->arena, &out, *item);
  }
  return out;
}

static void note_names(AlgorithmSection *s, const AstItemList *list, unsigned char *assigned) {
  AlgorithmSection inner = *s;
  memset(&inner.targets, 0, sizeof inner.targets);
  find_targets(&inner, list, true);
  for (int i = 0; i < inner.targets.count; i++)
    for (int k = 0; k < s->targets.count; k++)
      if (strcmp(s->targets.at[k].name, inner.targets.at[i].name) == 0) assigned[k] = 1;
}

// when among statements: each branch starts from the values before it.
static bool run_when(AlgorithmSection *s, Locals *frame, const AstItem *item) {
  Elab *e = s->e;
  AstWhen w = {0};
  int n = s->targets.count;
  Value **before = ARENA_ARRAY(e->arena, Value *, n + 1);
  for (int i = 0; i < n; i++) before[i] = frame->locals.at[i].value;
  for (int k = 0; k < item->branches.count; k++) {
    const AstItemBranch *b = &item->branches.at[k];
    AstBranch branch = {0};
    for (int i = 0; i < n; i++) frame->locals.at[i].value = before[i];
    branch.condition = when_condition(e, (Where){s->part, frame}, b->condition);
    if (!branch.condition) return false;
    branch.line = b->condition->line, branch.column = b->condition->column;
    AstItemList body = without_effects(e, &b->body);
    e->unchecked++;
    bool ok = run_statements(e, (Where){s->part, frame}, &body);
    e->unchecked--;
    if (!ok) return false;
    unsigned char *assigned = ARENA_ARRAY(e->arena, unsigned char, n + 1);
    note_names(s, &b->body, assigned);
    for (int i = 0; i < n; i++) {
      Value *v = frame->locals.at[i].value;
      if (!assigned[i]) continue;
      Value *names = component_reference(e, NULL, s->targets.at[i].component);
      if (!names) return false;
      for (int q = 0; q < v->count; q++) {
        AstAction a = action_at(item);
        a.kind = AST_SET;
        a.left = names->at[q];
        a.right = v->at[q];
        array_push(e->arena, &branch.actions, a);
      }
    }
    add_effects(s, (Where){s->part, frame}, &b->body, &branch);
    array_push(e->arena, &w.branches, branch);
  }
  // Behind it a variable has the value that the when gave it, which is the variable itself.
  for (int i = 0; i < n; i++) {
    Target *t = &s->targets.at[i];
    frame->locals.at[i].value =
        t->in_when && !t->outside ? component_reference(e, NULL, t->component) : before[i];
  }
  array_push(e->arena, &e->flat->whens, w);
  return !elab_failed(e);
}

static bool is_when_target_twice(AlgorithmSection *s, const AstItemList *list) {
  int n = s->targets.count;
  unsigned char *seen = ARENA_ARRAY(s->e->arena, unsigned char, n + 1);
  for (int i = 0; i < list->count; i++) {
    if (list->at[i].kind != ITEM_WHEN) continue;
    unsigned char *here = ARENA_ARRAY(s->e->arena, unsigned char, n + 1);
    for (int k = 0; k < list->at[i].branches.count; k++)
      note_names(s, &list->at[i].branches.at[k].body, here);
    for (int k = 0; k < n; k++) {
      if (here[k] && (seen[k] || s->targets.at[k].outside)) return true;
      seen[k] |= here[k];
    }
  }
  return false;
}

// Several when-clauses for one variable: v := if edge(c1) then ... else (what came before).
static bool run_when_as_choice(AlgorithmSection *s, Locals *frame, const AstItem *item) {
  Elab *e = s->e;
  int n = s->targets.count;
  Value **before = ARENA_ARRAY(e->arena, Value *, n + 1), **after;
  for (int i = 0; i < n; i++) before[i] = frame->locals.at[i].value;
  after = ARENA_ARRAY(e->arena, Value *, n + 1);
  memcpy(after, before, (size_t)n * sizeof *after);
  for (int k = item->branches.count - 1; k >= 0; k--) {
    const AstItemBranch *b = &item->branches.at[k];
    for (int i = 0; i < n; i++) frame->locals.at[i].value = before[i];
    const Ast *c = when_condition(e, (Where){s->part, frame}, b->condition);
    if (!c) return false;
    const Ast *edge = NULL;
    int parts = c->kind == AST_CALL && strcmp(c->name, "edges") == 0 ? c->arg_count : 1;
    for (int q = 0; q < parts; q++) {
      const Ast *one = parts == 1 ? c : c->args[q];
      const Ast *name = auxiliary_variable(e, one, VALUE_BOOLEAN, "when");
      array_push(e->arena, &s->instants, name);
      const Ast *rise = ast_call1(e, b->condition, "edge", name);
      edge = edge ? ast_binary(e, NULL, AST_OR, edge, rise) : rise;
    }
    for (int i = 0; i < b->body.count; i++)
      if (b->body.at[i].kind == ITEM_CALL && strcmp(b->body.at[i].left->name, "reinit") == 0)
        elab_unsupported(e, b->body.at[i].left,
                         "reinit beside assignments of a variable in several when-clauses");
    AstItemList body = without_effects(e, &b->body);
    e->unchecked++;
    bool ok = run_statements(e, (Where){s->part, frame}, &body);
    e->unchecked--;
    if (!ok) return false;
    for (int i = 0; i < n; i++) {
      Value *v = frame->locals.at[i].value;
      if (v == before[i]) continue;
      after[i] = choose(e, b->condition, edge, v, after[i]);
      if (!after[i]) return false;
    }
  }
  for (int i = 0; i < n; i++) frame->locals.at[i].value = after[i];
  return true;
}

// Variables that several when-clauses assign: one clause at all their instants, in which the choices decide.
static void add_common_when(AlgorithmSection *s, const Locals *frame) {
  Elab *e = s->e;
  AstBranch b = {.line = s->part->class->line, .column = s->part->class->column};
  Ast *edges = ast_new(e, AST_CALL, s->instants.at[0], s->instants.count);
  edges->name = "edges";
  edges->depth = 2;
  for (int i = 0; i < s->instants.count; i++) edges->args[i] = (Ast *)s->instants.at[i];
  b.condition = s->instants.count == 1 ? s->instants.at[0] : edges;
  for (int i = 0; i < s->targets.count; i++) {
    const Target *t = &s->targets.at[i];
    if (!t->in_when || t->outside) continue;
    Value *names = component_reference(e, NULL, t->component), *v = frame->locals.at[i].value;
    for (int k = 0; names && names->type != VALUE_RECORD && k < names->count; k++) {
      AstAction a = {.kind = AST_SET, .left = names->at[k], .right = v->at[k]};
      a.line = t->at->line, a.column = t->at->column;
      array_push(e->arena, &b.actions, a);
    }
  }
  AstWhen w = {0};
  array_push(e->arena, &w.branches, b);
  array_push(e->arena, &e->flat->whens, w);
}

// ---------------------------------------------------------------- the section

void algorithm_equations(Elab *e, Node *n, Part *p, const AstItemList *list, bool initial) {
  AlgorithmSection s = {.e = e, .node = n, .part = p, .initial = initial};
  find_targets(&s, list, false);
  if (!resolve_targets(&s)) return;
  Locals *frame = frame_new(e, NULL);
  frame->is_algorithm = true;
  for (int i = 0; i < s.targets.count; i++) {
    Value *v = value_before(&s, &s.targets.at[i]);
    if (!v) return;
    frame_add(e, frame, s.targets.at[i].name, v);
  }
  bool several = is_when_target_twice(&s, list);
  unsigned char *by_when = ARENA_ARRAY(e->arena, unsigned char, s.targets.count + 1);
  for (int i = 0; i < list->count; i++) {
    const AstItem *item = &list->at[i];
    if (item->kind == ITEM_WHEN) {
      if (!(several ? run_when_as_choice(&s, frame, item) : run_when(&s, frame, item))) return;
      continue;
    }
    AstItemList one = {.at = (AstItem *)item, .count = 1};
    if (item->kind == ITEM_CALL && strcmp(item->left->name, "assert") == 0 && !initial) {
      AstAction a = action_at(item);
      const Ast *tree;
      evaluate_condition(e, (Where){p, frame}, item->left->args[0], false, &tree);
      if (elab_failed(e)) return;
      if (tree->kind == AST_BOOL && tree->number != 0) continue;
      Value *text = value_of(e, (Where){p, frame}, item->left->args[1]);
      if (!text) return;
      a.kind = AST_ASSERT, a.left = tree, a.right = text->at[0];
      if (tree->kind != AST_BOOL || tree->number == 0) array_push(e->arena, &e->flat->asserts, a);
      continue;
    }
    if (!run_statements(e, (Where){p, frame}, &one)) return;
  }
  for (int i = 0; i < s.targets.count; i++)
    by_when[i] = s.targets.at[i].in_when && !s.targets.at[i].outside;
  if (several && s.instants.count) add_common_when(&s, frame);
  for (int i = 0; i < s.targets.count && !elab_failed(e); i++) {
    if (by_when[i]) continue;
    Value *names = component_reference(e, NULL, s.targets.at[i].component);
    Value *v = frame->locals.at[i].value;
    if (!names || names->type == VALUE_RECORD) {
      if (names)
        elab_unsupported_at(e, p->class->source, p->class->line, p->class->column,
                            "an algorithm that assigns a record");
      return;
    }
    for (int k = 0; k < names->count; k++)
      add_equation(&s, s.targets.at[i].at, names->at[k], v->at[k]);
  }
}
