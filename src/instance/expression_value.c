// Expressions of classes to values of the flat model.
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "instance/elab.h"

// ---------------------------------------------------------------- frames

Locals *frame_new(Elab *e, Locals *outer) {
  Locals *f = ARENA_NEW(e->arena, Locals);
  f->outer = outer;
  return f;
}

Local *frame_add(Elab *e, Locals *f, const char *name, Value *v) {
  array_push(e->arena, &f->locals, ((Local){.name = name, .value = v}));
  return &f->locals.at[f->locals.count - 1];
}

Local *frame_find(Locals *f, const char *name) {
  for (; f; f = f->outer)
    for (int i = f->locals.count - 1; i >= 0; i--)
      if (strcmp(f->locals.at[i].name, name) == 0) return &f->locals.at[i];
  return NULL;
}

// The same without the variables of an algorithm.
static Local *iterator_of(Locals *f, const char *name) {
  for (; f && !f->is_algorithm; f = f->outer)
    for (int i = f->locals.count - 1; i >= 0; i--)
      if (strcmp(f->locals.at[i].name, name) == 0) return &f->locals.at[i];
  return NULL;
}

// ---------------------------------------------------------------- numbers that are known in advance

static const Setting *find_setting(const Elab *e, const char *name) {
  for (int i = 0; i < e->setting_count; i++)
    if (strcmp(e->settings[i].name, name) == 0) return &e->settings[i];
  return NULL;
}

static Value *attribute_value(Elab *e, Component *c, const char *name) {
  Modification *m = modification_find(c->mod, name);
  return m ? binding_value(e, NULL, m) : NULL;
}

// The value of scalar i of a component: a parameter or constant.
static bool component_number(Elab *e, Component *c, int i, const char *name, double *out) {
  if (c->prefix.variability < VARIABILITY_PARAMETER || elab_failed(e)) return false;
  if (!c->numbers) {
    c->numbers = ARENA_ARRAY(e->arena, double, c->count + 1);
    c->evaluating = ARENA_ARRAY(e->arena, bool, c->count + 1);
    for (int k = 0; k < c->count; k++) c->numbers[k] = nan("");
  }
  if (!isnan(c->numbers[i])) return *out = c->numbers[i], true;
  if (c->evaluating[i]) return false;
  c->evaluating[i] = true;
  const Setting *s = find_setting(e, name);
  Value *v = s ? NULL : binding_value(e, NULL, c->mod);
  if (!s && !v && !elab_failed(e)) v = attribute_value(e, c, "start");
  bool ok = s != NULL;
  if (s) *out = s->value;
  if (v && v->type != VALUE_RECORD && v->type != VALUE_OPAQUE && v->count > 0)
    ok = evaluate_number(e, v->at[v->rank == 0 || i >= v->count ? 0 : i], out);
  c->evaluating[i] = false;
  if (ok) c->numbers[i] = *out;
  return ok;
}

static bool name_number(Elab *e, const char *name, double *out) {
  int i;
  Component *c = component_by_path(e, name, &i);
  if (!c || !component_number(e, c, i, name, out)) return false;
  if (c->prefix.variability == VARIABILITY_PARAMETER) c->structural = true;
  return true;
}

static const Ast *name_text(Elab *e, const char *name) { // of a String parameter
  int i;
  Component *c = component_by_path(e, name, &i);
  if (!c || c->type != VALUE_STRING) return NULL;
  Value *v = binding_value(e, NULL, c->mod);
  bool text = v && v->type == VALUE_STRING && v->count > 0;
  return text ? v->at[v->rank == 0 || i >= v->count ? 0 : i] : NULL;
}

// The tree with all parameters replaced by their values; NULL: some are not known.
static const Ast *constant_tree(Elab *e, const Ast *a) {
  double v;
  if (ast_is_constant(a)) return a;
  if (a->kind == AST_NAME) {
    const Ast *text = name_text(e, a->name);
    if (text) return text->kind == AST_STRING ? text : constant_tree(e, text);
    return name_number(e, a->name, &v) ? ast_number(e, a, v) : NULL;
  }
  if (a->kind == AST_IF) { // the other branch may have no value
    const Ast *c = constant_tree(e, a->args[0]);
    if (!c || c->kind == AST_STRING) return NULL;
    return constant_tree(e, a->args[c->number != 0 ? 1 : 2]);
  }
  if (a->kind != AST_CALL && a->kind != AST_UNARY && a->kind != AST_BINARY) return NULL;
  Ast *copy = ast_new(e, a->kind, a, a->arg_count);
  copy->op = a->op;
  copy->name = a->name;
  for (int i = 0; i < a->arg_count; i++) {
    const Ast *part = constant_tree(e, a->args[i]);
    if (!part) return NULL;
    bool logic = a->kind == AST_BINARY && (a->op == AST_AND || a->op == AST_OR);
    if (logic && part->kind == AST_NUMBER) part = ast_bool(e, a, part->number != 0);
    if (logic && i == 0 && (part->number != 0) == (a->op == AST_OR)) return part;
    if (a->kind == AST_UNARY && a->op == AST_NOT && part->kind == AST_NUMBER)
      part = ast_bool(e, a, part->number != 0);
    copy->args[i] = (Ast *)part;
  }
  const Ast *out = ast_fold(e, copy);
  return ast_is_constant(out) ? out : NULL;
}

const Ast *tree_constant(Elab *e, const Ast *a) {
  return constant_tree(e, a);
}

bool evaluate_number(Elab *e, const Ast *scalar, double *value) {
  if (!elab_goes_on(e, 1)) return false;
  const Ast *c = constant_tree(e, scalar);
  if (!c || c->kind == AST_STRING) return false;
  *value = c->number;
  return true;
}

// Whether the tree depends on nothing but constants and parameters that cannot be estimated anyway.
static bool is_settled(Elab *e, const Ast *a) {
  if (ast_is_constant(a)) return true;
  if (a->kind == AST_NAME) {
    int i;
    Component *c = component_by_path(e, a->name, &i);
    if (!c || c->prefix.variability < VARIABILITY_PARAMETER) return false;
    return c->prefix.variability == VARIABILITY_CONSTANT || c->type != VALUE_REAL ||
           (c->member && c->member->element->evaluate);
  }
  if (a->kind != AST_CALL && a->kind != AST_UNARY && a->kind != AST_BINARY && a->kind != AST_IF)
    return false;
  if (a->kind == AST_CALL && a->arg_count == 0) return false;
  for (int i = 0; i < a->arg_count; i++)
    if (!is_settled(e, a->args[i])) return false;
  return true;
}

bool tree_is_known(Elab *e, const Ast *scalar, bool settle) {
  if (settle && !is_settled(e, scalar)) return false;
  if (ast_is_constant(scalar)) return true;
  if (scalar->kind == AST_NAME) {
    int i;
    Component *c = component_by_path(e, scalar->name, &i);
    return c && c->prefix.variability >= VARIABILITY_PARAMETER;
  }
  if (scalar->kind == AST_CALL && scalar->arg_count == 0) return false;
  if (scalar->kind == AST_CALL && strcmp(scalar->name, "der") == 0) return false;
  for (int i = 0; i < scalar->arg_count; i++)
    if (!tree_is_known(e, scalar->args[i], false)) return false;
  return true;
}

bool evaluate_integer(Elab *e, Where s, const Ast *a, const char *what, long *value) {
  Value *v = value_of(e, s, a);
  double n;
  if (!v) return false;
  if (v->rank != 0 || v->type == VALUE_RECORD || !evaluate_number(e, v->at[0], &n)) {
    elab_fail(e, a, ERR_MODEL, "%s must be a number that is known in advance", what);
    return false;
  }
  if (n != floor(n) || fabs(n) > 1e9) {
    elab_fail(e, a, ERR_VALUE, "%s must be a whole number, not %g", what, n);
    return false;
  }
  *value = (long)n;
  return true;
}

// No names but those that already decide about the structure: an iterator, constants, array sizes.
static bool is_decided(Elab *e, const Ast *a) {
  if (ast_is_constant(a)) return true;
  if (a->kind == AST_NAME) {
    int i;
    Component *c = component_by_path(e, a->name, &i);
    return c && (c->structural || c->prefix.variability == VARIABILITY_CONSTANT);
  }
  if (a->kind != AST_UNARY && a->kind != AST_BINARY && a->kind != AST_IF &&
      (a->kind != AST_CALL || a->arg_count == 0))
    return false;
  for (int i = 0; i < a->arg_count; i++)
    if (!is_decided(e, a->args[i])) return false;
  return true;
}

int evaluate_condition(Elab *e, Where s, const Ast *a, bool decide, const Ast **tree) {
  Value *v = value_of(e, s, a);
  *tree = NULL;
  if (!v) return -1;
  if (v->rank != 0 || v->type != VALUE_BOOLEAN) {
    elab_fail(e, a, ERR_MODEL,
              v->rank ? "'if' needs true or false, this is an array"
                      : "'if' needs true or false, this is a number");
    return -1;
  }
  *tree = v->at[0];
  double n;
  if (v->at[0]->kind == AST_BOOL) return v->at[0]->number != 0;
  if (is_decided(e, v->at[0]) && evaluate_number(e, v->at[0], &n)) return n != 0;
  if (!decide || !tree_is_known(e, v->at[0], false)) return -1;
  return evaluate_number(e, v->at[0], &n) ? n != 0 : -1;
}

// ---------------------------------------------------------------- references

typedef struct Chain { // a.b[1].c as a list
  const char *name;
  const Ast *index; // AST_INDEX, or NULL
  const Ast *at;
} Chain;

enum {
  CHAIN_MOST = 200,
  VARYING_MOST = 1000, // elements among which a subscript that varies can choose
};

static int chain_of(const Ast *a, Chain *out) {
  const Ast *index = NULL;
  int n = 0;
  const Ast *whole = a;
  for (;;) {
    if (a->kind == AST_INDEX) {
      if (index) return -1;
      index = a;
      a = a->args[0];
    } else if (a->kind == AST_FIELD) {
      if (n == CHAIN_MOST) return -1;
      out[n++] = (Chain){a->name, index, whole};
      index = NULL;
      a = a->args[0];
    } else {
      break;
    }
  }
  if (a->kind != AST_NAME || n == CHAIN_MOST) return -1;
  bool alone = n == 0 && !index;
  out[n] = (Chain){a->name, index, alone ? a : whole};
  n++;
  for (int i = 0; i < n / 2; i++) {
    Chain swap = out[i];
    out[i] = out[n - 1 - i];
    out[n - 1 - i] = swap;
  }
  return n;
}

// x[i] with an i that varies: a choice among all elements.
static Value *varying_index(Elab *e, const Ast *at, const Value *v, const Ast *i) {
  Value *chosen = value_element(e, v, v->sizes[0] - 1);
  for (int k = v->sizes[0] - 2; k >= 0 && chosen; k--) {
    const Ast *here = ast_binary(e, NULL, AST_LESS, i, ast_number(e, at, k + 1.5));
    chosen = choose(e, at, here, value_element(e, v, k), chosen);
  }
  return chosen;
}

// The numbers from 0 of one subscript.
static bool subscript_numbers(Elab *e, const Ast *a, const Value *v, int size, Subscript *out) {
  out->scalar = v->rank == 0;
  if (v->rank > 1) {
    elab_fail(e, a, ERR_MODEL, "a subscript must be a number or a list of numbers");
    return false;
  }
  for (int i = 0; i < v->count; i++) {
    double n;
    if (v->type == VALUE_RECORD || !evaluate_number(e, v->at[i], &n)) {
      elab_fail(e, a, ERR_MODEL, "a subscript must be known in advance; this one varies");
      return false;
    }
    if (v->type == VALUE_BOOLEAN) n += 1;
    if (n != floor(n) || n < 1 || n > size) {
      if (n != floor(n))
        elab_fail(e, a, ERR_MODEL, "the subscript %g is no whole number", n);
      else
        elab_fail(e, a, ERR_MODEL, "the subscript %g is outside 1 to %d", n, size);
      e->left_array = n == floor(n);
      return false;
    }
    array_push(e->arena, &out->at, (int)n - 1);
  }
  return true;
}

static void fail_subscripts(Elab *e, const Ast *at, const Value *of, int count) {
  if (of->rank == 0)
    elab_fail(e, at, ERR_MODEL, "a scalar takes no subscripts");
  else
    elab_fail(e, at, ERR_MODEL, "%s takes at most %d subscript%s, and here are %d",
              value_sizes_text(e, of), of->rank, of->rank == 1 ? "" : "s", count);
}

bool evaluate_subscripts(Elab *e, Where s, const Ast *index, const Value *of, Subscript *out,
                         int count) {
  for (int k = 0; k < count; k++) {
    const Ast *a = index->args[k + 1];
    out[k] = (Subscript){0};
    if (k >= of->rank) {
      fail_subscripts(e, index, of, count);
      return false;
    }
    if (a->kind == AST_COLON) {
      out[k].whole = true;
      continue;
    }
    Where inner = s;
    inner.frame = frame_new(e, s.frame);
    frame_add(e, inner.frame, "end", value_integer(e, a, of->sizes[k]));
    Value *v = value_of(e, inner, a);
    if (!v || !subscript_numbers(e, a, v, of->sizes[k], &out[k])) return false;
  }
  return true;
}

// The first subscript, if it is a number that is not known in advance.
static const Ast *varying_subscript(Elab *e, Where s, const Ast *index, const Value *v) {
  const Ast *a = index->args[1];
  if (v->rank == 0 || v->sizes[0] == 0 || v->sizes[0] > VARYING_MOST || a->kind == AST_COLON)
    return NULL;
  if (a->kind == AST_NUMBER || a->kind == AST_RANGE || a->kind == AST_ARRAY) return NULL;
  Where inner = s;
  inner.frame = frame_new(e, s.frame);
  frame_add(e, inner.frame, "end", value_integer(e, a, v->sizes[0]));
  Value *i = value_of(e, inner, a);
  if (!i || i->rank || i->type != VALUE_INTEGER || tree_is_known(e, i->at[0], false)) return NULL;
  return i->at[0];
}

static Value *take_index(Elab *e, Where s, const Ast *index, Value *v) {
  if (!index || !v) return v;
  int count = index->arg_count - 1;
  const Ast *varies = count ? varying_subscript(e, s, index, v) : NULL;
  if (elab_failed(e)) return NULL;
  if (varies) {
    Value *chosen = varying_index(e, index, v, varies);
    if (count == 1 || !chosen) return chosen;
    Ast *rest = ast_new(e, AST_INDEX, index, count);
    for (int k = 1; k < count; k++) rest->args[k] = index->args[k + 1];
    return take_index(e, s, rest, chosen);
  }
  Subscript *subs = ARENA_ARRAY(e->arena, Subscript, count + 1);
  if (!evaluate_subscripts(e, s, index, v, subs, count)) return NULL;
  return value_subscript(e, index, v, subs, count);
}

static Value *value_chain(Elab *e, Where s, Value *v, const Chain *chain, int count) {
  for (int i = 0; i < count && v; i++) {
    v = value_field(e, chain[i].at, v, chain[i].name);
    v = take_index(e, s, chain[i].index, v);
  }
  return v;
}

static Value *member_chain(Elab *e, Where s, Member *m, const Chain *chain, int count);

// Parts of the elements of an array of components: one value for each, then all together.
static Value *node_chain(Elab *e, Where s, Component *c, const Chain *chain, int count) {
  Value numbers = {.type = VALUE_INTEGER, .rank = c->rank, .sizes = c->sizes, .count = c->count};
  numbers.at = ARENA_ARRAY(e->arena, const Ast *, c->count + 1);
  for (int i = 0; i < c->count; i++) numbers.at[i] = ast_number(e, NULL, i);
  Value *chosen = take_index(e, s, chain[0].index, &numbers);
  if (!chosen) return NULL;
  Value **parts = ARENA_ARRAY(e->arena, Value *, chosen->count + 1);
  for (int i = 0; i < chosen->count; i++) {
    Node *n = c->nodes[(int)chosen->at[i]->number];
    Member *m = node_member(e, n, chain[1].name);
    if (!m) {
      const char *near = node_nearest(e, n, chain[1].name);
      return elab_fail(e, chain[1].at, ERR_NAME, "'%s' has no component '%s'%s%s%s", c->path,
                       chain[1].name, near ? "; did you mean '" : "", near ? near : "",
                       near ? "'?" : "");
    }
    if (m->element->hidden || m->hidden)
      return elab_fail(e, chain[1].at, ERR_NAME, "'%s' is protected in %s", chain[1].name,
                       n->class->name);
    parts[i] = member_chain(e, s, m, chain + 1, count - 1);
    if (!parts[i]) return NULL;
  }
  if (chosen->rank == 0) return parts[0];
  Value *list = value_array_of(e, chain[0].at, parts, chosen->count);
  if (!list || chosen->rank == 1) return list;
  int rank = chosen->rank + list->rank - 1;
  int *sizes = ARENA_ARRAY(e->arena, int, rank + 1);
  memcpy(sizes, chosen->sizes, (size_t)chosen->rank * sizeof *sizes);
  memcpy(sizes + chosen->rank, list->sizes + 1, (size_t)(list->rank - 1) * sizeof *sizes);
  list->rank = rank, list->sizes = sizes;
  return list;
}

static Value *literal_of(Elab *e, const Ast *at, const AstClass *c, const char *name) {
  for (int i = 0; i < c->literals.count; i++)
    if (strcmp(c->literals.at[i].name, name) == 0) {
      Value *v = value_integer(e, at, i + 1);
      v->type = VALUE_ENUMERATION;
      v->enumeration = c;
      return v;
    }
  const char **all = ARENA_ARRAY(e->arena, const char *, c->literals.count + 1);
  for (int i = 0; i < c->literals.count; i++) all[i] = c->literals.at[i].name;
  const char *near = nearest_name(name, all, c->literals.count);
  if (near)
    return elab_fail(e, at, ERR_NAME,
                     "the enumeration '%s' has no literal '%s'; did you mean '%s'?", c->name, name,
                     near);
  Text list;
  text_init(&list);
  for (int i = 0; i < c->literals.count && i < 10; i++)
    text_print(&list, "%s%s", i ? ", " : "", all[i]);
  elab_fail(e, at, ERR_NAME, "the enumeration '%s' has no literal '%s'; it has %s%s", c->name, name,
            list.at, c->literals.count > 10 ? ", ..." : "");
  text_done(&list);
  return NULL;
}

static Value *all_literals(Elab *e, const Ast *at, const AstClass *c) {
  Value *v = value_new(e, VALUE_ENUMERATION, 1, &c->literals.count);
  v->enumeration = c;
  for (int i = 0; i < v->count; i++) v->at[i] = ast_number(e, at, i + 1);
  return v;
}

// chain[0] is the member m.
static Value *member_chain(Elab *e, Where s, Member *m, const Chain *chain, int count) {
  if (elab_failed(e)) return NULL;
  if (m->element->kind == ELEMENT_CLASS) {
    if (m->element->class->kind == CLASS_FUNCTION && count == 1) {
      elab_unsupported(e, chain[0].at, "a function as an argument");
      return value_number(e, chain[0].at, 0);
    }
    if (m->element->class->is_short && !m->element->class->is_enumeration && count == 1)
      return elab_fail(e, chain[0].at, ERR_NAME, "'%s' is a class, not a value", chain[0].name);
    Node *n = class_node(e, m);
    if (!n) return NULL;
    if (n->enumeration)
      return count == 1 ? all_literals(e, chain[0].at, n->enumeration)
             : count == 2
                 ? literal_of(e, chain[0].at, n->enumeration, chain[1].name)
                 : elab_fail(e, chain[0].at, ERR_NAME, "a literal has no part '%s'", chain[2].name);
    if (count == 1)
      return elab_fail(e, chain[0].at, ERR_NAME, "'%s' is a class, not a value", chain[0].name);
    Member *inner = node_member(e, n, chain[1].name);
    if (inner) return member_chain(e, s, inner, chain + 1, count - 1);
    if (elab_failed(e)) return NULL;
    const char *near = library_nearest(e->library, n->class, chain[1].name);
    return elab_fail(e, chain[1].at, ERR_NAME, "'%s' has no '%s'%s%s%s", n->class->name,
                     chain[1].name, near ? "; did you mean '" : "", near ? near : "",
                     near ? "'?" : "");
  }
  Component *c = component_of(e, m);
  if (!c) return NULL;
  if (!c->present)
    return elab_fail(e, chain[0].at, ERR_MODEL, "%s is not there: its condition does not hold",
                     c->path);
  if (count > 1 && c->nodes) return node_chain(e, s, c, chain, count);
  Value *v = component_reference(e, chain[0].at, c);
  v = take_index(e, s, chain[0].index, v);
  if (count == 1 || !v) return v;
  if (v->type == VALUE_RECORD) return value_chain(e, s, v, chain + 1, count - 1);
  return elab_fail(e, chain[0].at, ERR_NAME, "'%s' has no part '%s'", c->path, chain[1].name);
}

static Value *undeclared(Elab *e, Where s, const Ast *at, const char *name) {
  const char *near = NULL, *where = NULL;
  for (Part *p = s.part; p && !near; p = p->lexical) {
    if (!where) where = p->class->name;
    const char *const more[] = {"time"};
    near = p->node ? node_nearest(e, p->node, name) : NULL;
    if (!near) near = nearest_name(name, more, 1);
    if (near && strcmp(near, name) == 0) near = NULL;
    if (p->class->encapsulated) break;
  }
  if (near)
    return elab_fail(e, at, ERR_NAME, "'%s' is not declared in %s; did you mean '%s'?", name,
                     where ? where : "the model", near);
  return elab_fail(e, at, ERR_NAME, "'%s' is not declared in %s", name,
                   where ? where : "the model");
}

static Value *reference(Elab *e, Where s, const Ast *a) {
  Chain chain[CHAIN_MOST];
  int n = chain_of(a, chain);
  if (n < 0) { // (expression)[1], f(x).part
    Value *v = value_of(e, s, a->args[0]);
    if (!v) return NULL;
    return a->kind == AST_INDEX ? take_index(e, s, a, v) : value_field(e, a, v, a->name);
  }
  Local *local =
      e->variables ? iterator_of(s.frame, chain[0].name) : frame_find(s.frame, chain[0].name);
  if (local) {
    if (!local->value) return elab_fail(e, a, ERR_MODEL, "'%s' has no value yet", chain[0].name);
    Value *v = take_index(e, s, chain[0].index, local->value);
    v = value_chain(e, s, v, chain + 1, n - 1);
    for (int i = 0; v && v->type != VALUE_RECORD && i < v->count; i++)
      if (!v->at[i]) return elab_fail(e, a, ERR_MODEL, "'%s' has no value yet", chain[0].name);
    return v;
  }
  if (n == 1 && !chain[0].index && strcmp(chain[0].name, "time") == 0) {
    if (e->in_function)
      return elab_fail(e, a, ERR_MODEL,
                       "time cannot be used in a function; pass it as an argument");
    return value_scalar(e, VALUE_REAL, a);
  }
  Member *m = lookup(e, s.part, chain[0].name);
  if (elab_failed(e)) return NULL;
  if (!m) return undeclared(e, s, a, chain[0].name);
  bool around = m->element->kind == ELEMENT_COMPONENT && m->part && m->part->node && s.part->node &&
                m->part->node != s.part->node && !m->replaced;
  if (around && m->element->prefix.variability != VARIABILITY_CONSTANT &&
      !(m->element->outer || m->element->inner))
    return elab_fail(e, a, ERR_NAME,
                     "'%s' belongs to the class around; only constants of it can be used here",
                     chain[0].name);
  return member_chain(e, s, m, chain, n);
}

// ---------------------------------------------------------------- arrays

// An array that the iterator alone indexes, and in which place.
static const Ast *indexed_by(const Ast *a, const char *name, int *place) {
  if (!a || ast_is_constant(a)) return NULL;
  for (int k = 1; a->kind == AST_INDEX && k < a->arg_count; k++)
    if (a->args[k]->kind == AST_NAME && strcmp(a->args[k]->name, name) == 0)
      return *place = k - 1, a->args[0];
  for (int i = 0; i < a->arg_count; i++) {
    const Ast *found = indexed_by(a->args[i], name, place);
    if (found) return found;
  }
  return NULL;
}

static const Ast *indexed_in(const AstItemList *list, const char *name, int *place) {
  for (int i = 0; list && i < list->count; i++) {
    const AstItem *item = &list->at[i];
    const Ast *found = indexed_by(item->left, name, place);
    if (!found) found = indexed_by(item->right, name, place);
    for (int k = 0; !found && k < item->branches.count; k++)
      found = indexed_in(&item->branches.at[k].body, name, place);
    if (found) return found;
  }
  return NULL;
}

// for i loop: i takes the subscripts of what it indexes.
static Value *implied_range(Elab *e, Where s, const Ast *iterator, const AstItemList *body) {
  int place = 0;
  const Ast *of = indexed_in(body, iterator->name, &place);
  Value *v = of ? value_of(e, s, of) : NULL;
  if (elab_failed(e)) return NULL;
  if (!v || place >= v->rank)
    return elab_fail(e, iterator, ERR_MODEL,
                     "the range of the iterator '%s' is not given; write '%s in 1:n'",
                     iterator->name, iterator->name);
  Value *range = value_new(e, VALUE_INTEGER, 1, &v->sizes[place]);
  for (int i = 0; i < range->count; i++) range->at[i] = ast_number(e, iterator, i + 1);
  return range;
}

// The values that an iterator takes, as one array.
Value *range_values(Elab *e, Where s, const Ast *iterator, const AstItemList *body) {
  if (!iterator->arg_count) return implied_range(e, s, iterator, body);
  Value *v = value_of(e, s, iterator->args[0]);
  if (!v) return NULL;
  if (v->type == VALUE_BOOLEAN && v->rank == 0)
    return elab_fail(e, iterator, ERR_MODEL, "the range of '%s' is not an array", iterator->name);
  if (v->rank == 0)
    return elab_fail(e, iterator, ERR_MODEL, "the range of '%s' is a scalar; write 1:n",
                     iterator->name);
  return v;
}

static Value *range(Elab *e, Where s, const Ast *a) {
  double bound[3] = {0, 1, 0};
  bool real = false, truth = false;
  const AstClass *enumeration = NULL;
  for (int i = 0; i < a->arg_count; i++) {
    Value *v = value_of(e, s, a->args[i]);
    int k = a->arg_count == 2 && i == 1 ? 2 : i;
    if (!v) return NULL;
    if (v->rank != 0 || v->type == VALUE_RECORD || !evaluate_number(e, v->at[0], &bound[k]))
      return elab_fail(e, a->args[i], ERR_MODEL,
                       "the limits of a range must be numbers that are known in advance");
    real |= v->type == VALUE_REAL;
    truth |= v->type == VALUE_BOOLEAN;
    if (v->type == VALUE_ENUMERATION) enumeration = v->enumeration;
  }
  if (bound[1] == 0) return elab_fail(e, a, ERR_VALUE, "the step of a range is 0");
  double steps = floor((bound[2] - bound[0]) / bound[1] + 1e-10) + 1;
  if (steps > SCALARS_MOST)
    return elab_fail(e, a, ERR_LIMIT, "a range of more than %d numbers", SCALARS_MOST);
  int count = steps > 0 ? (int)steps : 0;
  ValueType type = enumeration ? VALUE_ENUMERATION
                   : truth     ? VALUE_BOOLEAN
                   : real      ? VALUE_REAL
                               : VALUE_INTEGER;
  Value *v = value_new(e, type, 1, &count);
  v->enumeration = enumeration;
  for (int i = 0; i < count && !elab_failed(e); i++)
    v->at[i] = truth ? ast_bool(e, a, bound[0] + i * bound[1] != 0)
                     : ast_number(e, a, bound[0] + i * bound[1]);
  return elab_failed(e) ? NULL : v;
}

// {body for i in .., j in ..}: the first iterator is the last dimension.
static Value *comprehension(Elab *e, Where s, const Ast *a, int iterator) {
  const Ast *it = a->args[iterator];
  AstItem body = {.left = a->args[0]};
  Value *range = range_values(e, s, it, &(AstItemList){.at = &body, .count = 1});
  if (!range) return NULL;
  Value **parts = ARENA_ARRAY(e->arena, Value *, range->sizes[0] + 1);
  for (int i = 0; i < range->sizes[0]; i++) {
    Where inner = s;
    inner.frame = frame_new(e, s.frame);
    frame_add(e, inner.frame, it->name, value_element(e, range, i));
    parts[i] =
        iterator == 1 ? value_of(e, inner, a->args[0]) : comprehension(e, inner, a, iterator - 1);
    if (!parts[i] || !elab_goes_on(e, 1)) return NULL;
  }
  return value_array_of(e, a, parts, range->sizes[0]);
}

static Value *array(Elab *e, Where s, const Ast *a) {
  if (a->arg_count == 1 && a->args[0]->kind == AST_EACH) return value_of(e, s, a->args[0]);
  Value **parts = ARENA_ARRAY(e->arena, Value *, a->arg_count + 1);
  for (int i = 0; i < a->arg_count; i++)
    if (!(parts[i] = value_of(e, s, a->args[i]))) return NULL;
  return value_array_of(e, a, parts, a->arg_count);
}

// [a, b; c, d]: every part as a matrix, side by side, then one below the other.
static Value *as_matrix(Elab *e, Value *v) {
  if (v->rank >= 2) return v;
  int sizes[2] = {v->rank ? v->sizes[0] : 1, 1};
  Value *out = value_new(e, v->type, 2, sizes);
  out->enumeration = v->enumeration;
  memcpy(out->at, v->at, (size_t)v->count * sizeof *v->at);
  return out;
}

static Value *matrix(Elab *e, Where s, const Ast *a) {
  int rows = 0, columns = -1;
  ARRAY(Value *) bands = {0};
  ValueType type = VALUE_INTEGER;
  for (int r = 0; r < a->arg_count; r++) {
    const Ast *row = a->args[r];
    int width = 0, height = -1;
    ARRAY(Value *) parts = {0};
    for (int k = 0; k < row->arg_count; k++) {
      Value *v = value_of(e, s, row->args[k]);
      if (!v) return NULL;
      if (v->type == VALUE_RECORD || v->type == VALUE_OPAQUE || v->rank > 2)
        return elab_fail(e, row->args[k], ERR_MODEL, "a matrix is made of numbers, not of %s",
                         v->rank > 2 ? value_sizes_text(e, v) : type_word(v->type));
      v = as_matrix(e, v);
      if (height >= 0 && v->sizes[0] != height)
        return elab_fail(e, row->args[k], ERR_MODEL, "the parts of a row differ in height");
      height = v->sizes[0];
      width += v->sizes[1];
      if (v->type != VALUE_INTEGER) type = v->type;
      array_push(e->arena, &parts, v);
    }
    if (columns >= 0 && width != columns)
      return elab_fail(e, row, ERR_MODEL, "the rows of the matrix differ in length: %d and %d",
                       columns, width);
    columns = width;
    Value *band = value_new(e, type, 2, (int[]){height, width});
    for (int i = 0, at = 0; i < height; i++)
      for (int k = 0; k < parts.count; k++)
        for (int j = 0; j < parts.at[k]->sizes[1]; j++)
          band->at[at++] = parts.at[k]->at[i * parts.at[k]->sizes[1] + j];
    rows += height;
    array_push(e->arena, &bands, band);
  }
  Value *out = value_new(e, type, 2, (int[]){rows, columns});
  int at = 0;
  for (int r = 0; r < bands.count; r++)
    for (int i = 0; i < bands.at[r]->count; i++) out->at[at++] = bands.at[r]->at[i];
  return out;
}

// ---------------------------------------------------------------- everything

// An error in a branch that a parameter excludes is none.
static bool is_wrong_only_there(Elab *e, const Ast *condition, bool wrong) {
  Err error = *e->err;
  double n;
  if (error.code == ERR_LIMIT || error.code == ERR_STOPPED) return false;
  *e->err = (Err){0};
  bool known = tree_is_known(e, condition, false) && evaluate_number(e, condition, &n);
  if (known && (n != 0) != wrong) return true;
  *e->err = error;
  return false;
}

const Ast *activate(Elab *e, const Ast *c, bool holds) {
  const Ast *before = e->active, *here = holds ? c : ast_unary(e, NULL, AST_NOT, c);
  e->active = before ? ast_binary(e, NULL, AST_AND, before, here) : here;
  return before;
}

static Value *conditional(Elab *e, Where s, const Ast *a) {
  const Ast *tree;
  int holds = evaluate_condition(e, s, a->args[0], false, &tree);
  if (elab_failed(e)) return NULL;
  double n;
  if (holds < 0 && e->in_function && tree_is_known(e, tree, !e->decides) &&
      evaluate_number(e, tree, &n))
    holds = n != 0;
  if (holds >= 0) return value_of(e, s, a->args[holds ? 1 : 2]);
  const Ast *before = activate(e, tree, true);
  Value *x = value_of(e, s, a->args[1]);
  e->active = before;
  if (!x && is_wrong_only_there(e, tree, true)) return value_of(e, s, a->args[2]);
  activate(e, tree, false);
  Value *y = x ? value_of(e, s, a->args[2]) : NULL;
  e->active = before;
  if (x && !y && is_wrong_only_there(e, tree, false)) return x;
  if (!x || !y) return NULL;
  if (!value_same_sizes(x, y) && tree_is_known(e, tree, false) && evaluate_number(e, tree, &n))
    return n != 0 ? x : y; // of different sizes: a parameter decides for good
  return choose(e, a, tree, x, y);
}

const Ast *evaluate_scalar(Elab *e, Where s, const Ast *a, const char *what) {
  Value *v = value_of(e, s, a);
  if (!v) return NULL;
  if (v->rank == 0 && v->type != VALUE_RECORD) return v->at[0];
  return elab_fail(e, a, ERR_MODEL, "%s must be a scalar, not %s", what, value_sizes_text(e, v));
}

Value *value_of(Elab *e, Where s, const Ast *a) {
  if (a->line) e->at = a;
  if (!elab_goes_on(e, 1)) return NULL;
  switch (a->kind) {
  case AST_NUMBER:
    return value_scalar(e, a->number == floor(a->number) ? VALUE_INTEGER : VALUE_REAL, a);
  case AST_BOOL: return value_scalar(e, VALUE_BOOLEAN, a);
  case AST_STRING: return value_scalar(e, VALUE_STRING, a);
  case AST_NAME:
  case AST_FIELD:
  case AST_INDEX: return reference(e, s, a);
  case AST_END: {
    Local *end = frame_find(s.frame, "end");
    return end ? end->value : elab_fail(e, a, ERR_SYNTAX, "'end' stands outside of subscripts");
  }
  case AST_CALL: {
    Value *v = evaluate_call(e, s, a);
    if (!v || !v->is_function_result) return v;
    if (v->field_count) return v->fields[0]; // of several results the first counts
    return elab_fail(e, a, ERR_MODEL, "%s has no result", a->name);
  }
  case AST_UNARY: {
    Value *v = value_of(e, s, a->args[0]);
    return v ? negate(e, a, a->op, v) : NULL;
  }
  case AST_BINARY: {
    Value *x = value_of(e, s, a->args[0]), *y = x ? value_of(e, s, a->args[1]) : NULL;
    return y ? operate(e, a, a->op, x, y) : NULL;
  }
  case AST_IF: return conditional(e, s, a);
  case AST_ARRAY: return array(e, s, a);
  case AST_MATRIX: return matrix(e, s, a);
  case AST_RANGE: return range(e, s, a);
  case AST_EACH: return comprehension(e, s, a, a->arg_count - 1);
  case AST_COLON: return elab_fail(e, a, ERR_SYNTAX, "':' stands outside of subscripts");
  case AST_TUPLE:
    return elab_fail(e, a, ERR_SYNTAX, "a list of results can only stand left of '=' or ':='");
  case AST_PARTIAL:
    elab_unsupported(e, a, "a function as an argument");
    return value_number(e, a, 0);
  case AST_NOTHING:
  case AST_NAMED:
  case AST_ITERATOR: break;
  }
  return elab_fail(e, a, ERR_SYNTAX, "this cannot stand in an expression");
}
