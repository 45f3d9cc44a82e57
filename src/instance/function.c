// Functions of the user: their statements are run on trees, so that a call becomes an expression of its arguments, and
// derivatives stay exact. Relations inside make no events, as the language wants it. Constructors of records are calls, too.
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "instance/elab.h"

static Node *function_node(Elab *e, const ClassRef *f) {
  if (f->member) return class_node(e, f->member);
  return node_new(e, f, NULL, NULL, f->class->name, false, (AstPrefix){0}, false);
}

// input and output may also stand in a short definition of the type.
static AstCausality causality_of(Elab *e, const Member *m) {
  AstCausality c = m->element->prefix.causality;
  ClassRef t;
  if (c || m->element->kind != ELEMENT_COMPONENT || !m->part) return c;
  if (!strcmp(m->element->type, "Real") || !strcmp(m->element->type, "Integer")) return c;
  if (!lookup_class(e, m->part, m->element->type, &t) || t.is_builtin || !t.class->is_short)
    return CAUSALITY_NONE;
  return t.class->prefix.causality;
}

static bool is_input(Elab *e, const Member *m) {
  return m->element->kind == ELEMENT_COMPONENT && causality_of(e, m) == CAUSALITY_INPUT;
}

static bool is_output(Elab *e, const Member *m) {
  return m->element->kind == ELEMENT_COMPONENT && causality_of(e, m) == CAUSALITY_OUTPUT;
}

// ---------------------------------------------------------------- arguments

// How many subscripts the argument has by its declaration; sizes of its type included.
static int declared_rank(Elab *e, const Member *m) {
  int rank = m->element->sizes.count;
  ClassRef t;
  Part *p = m->part;
  const char *name = m->element->type;
  for (int depth = 0; depth < 50 && lookup_class(e, p, name, &t); depth++) {
    if (t.is_builtin || !t.class->is_short || t.class->is_enumeration) break;
    rank += t.class->sizes.count;
    Part *scope = ARENA_NEW(e->arena, Part);
    *scope = (Part){.class = t.class, .lexical = t.lexical};
    if (t.lexical) scope->node = t.lexical->node;
    p = scope;
    name = t.class->base;
  }
  return rank;
}

typedef struct CallArguments {
  Member **inputs;
  Value **values; // NULL: not given
  int count;
  Value *shape; // of arguments that are arrays where a scalar is declared, NULL: none
} CallArguments;

static bool is_constructor_input(const Member *m) { // of a record
  const AstElement *el = m->element;
  if (el->kind != ELEMENT_COMPONENT || el->final) return false;
  return !(el->prefix.variability == VARIABILITY_CONSTANT && el->binding);
}

static void list_inputs(Elab *e, Node *n, bool record, CallArguments *a) {
  a->inputs = ARENA_ARRAY(e->arena, Member *, n->members.count + 1);
  a->values = ARENA_ARRAY(e->arena, Value *, n->members.count + 1);
  for (int i = 0; i < n->members.count; i++)
    if (record ? is_constructor_input(n->members.at[i]) : is_input(e, n->members.at[i]))
      a->inputs[a->count++] = n->members.at[i];
}

static bool read_arguments(Elab *e, Where s, const Ast *call, CallArguments *a) {
  for (int i = 0, place = 0; i < call->arg_count; i++) {
    const Ast *arg = call->args[i];
    int k = place++;
    if (arg->kind == AST_NAMED) {
      for (k = 0; k < a->count; k++)
        if (strcmp(a->inputs[k]->name, arg->name) == 0) break;
      if (k == a->count) {
        elab_fail(e, arg, ERR_NAME, "%s has no argument '%s'", call->name, arg->name);
        return false;
      }
      arg = arg->args[0];
    }
    if (k >= a->count) {
      elab_fail(e, arg, ERR_SYNTAX, "%s takes %d argument%s, not %d", call->name, a->count,
                a->count == 1 ? "" : "s", call->arg_count);
      return false;
    }
    if (a->values[k]) {
      elab_fail(e, arg, ERR_SYNTAX, "the argument '%s' of %s is given twice", a->inputs[k]->name,
                call->name);
      return false;
    }
    a->values[k] = value_of(e, s, arg);
    if (!a->values[k]) return false;
  }
  return true;
}

// ---------------------------------------------------------------- records

static Value *construct(Elab *e, Node *n, Where s, const Ast *call) {
  CallArguments a = {0};
  list_inputs(e, n, true, &a);
  if (!read_arguments(e, s, call, &a)) return NULL;
  Value *v = value_new(e, VALUE_RECORD, 0, NULL);
  v->field_names = ARENA_ARRAY(e->arena, const char *, n->members.count + 1);
  v->fields = ARENA_ARRAY(e->arena, Value *, n->members.count + 1);
  Where inside = {n->main, frame_new(e, NULL)};
  for (int i = 0; i < n->members.count; i++) {
    Member *m = n->members.at[i];
    if (m->element->kind != ELEMENT_COMPONENT) continue;
    Value *field = NULL;
    for (int k = 0; k < a.count; k++)
      if (a.inputs[k] == m) field = a.values[k];
    if (!field) {
      const Ast *value = m->element->binding;
      Binding *outer = m->mod ? m->mod->binding : NULL;
      if (outer)
        field = binding_value(e, call, m->mod);
      else if (value)
        field = value_of(e, (Where){m->part, inside.frame}, value);
      else
        return elab_fail(e, call, ERR_MODEL, "%s needs a value for '%s'", call->name, m->name);
      if (!field) return NULL;
    }
    v->field_names[v->field_count] = m->name;
    v->fields[v->field_count++] = field;
    frame_add(e, inside.frame, m->name, field);
  }
  return v;
}

// An external object: the arguments of its constructor.
static Value *construct_object(Elab *e, Member *constructor, Where s, const Ast *call) {
  Node *n = class_node(e, constructor);
  CallArguments a = {0};
  if (!n) return NULL;
  list_inputs(e, n, false, &a);
  if (!read_arguments(e, s, call, &a)) return NULL;
  Value *v = value_new(e, VALUE_RECORD, 0, NULL);
  v->type = VALUE_OPAQUE;
  v->field_names = ARENA_ARRAY(e->arena, const char *, a.count + 1);
  v->fields = ARENA_ARRAY(e->arena, Value *, a.count + 1);
  Locals *frame = frame_new(e, NULL);
  for (int i = 0; i < a.count; i++) {
    Value *value = a.values[i];
    if (!value && a.inputs[i]->element->binding)
      value = value_of(e, (Where){a.inputs[i]->part, frame}, a.inputs[i]->element->binding);
    if (elab_failed(e)) return NULL;
    if (!value) continue;
    v->field_names[v->field_count] = a.inputs[i]->name;
    v->fields[v->field_count++] = value;
  }
  v->at = ARENA_ARRAY(e->arena, const Ast *, 1);
  v->at[0] = ast_number(e, call, 0);
  return v;
}

// The path of modelica://Library/file.
static Value *resource(Elab *e, Where s, const Ast *call) {
  Value *uri =
      value_of(e, s, call->args[0]->kind == AST_NAMED ? call->args[0]->args[0] : call->args[0]);
  const Ast *text =
      uri && uri->rank == 0 && uri->type == VALUE_STRING ? tree_constant(e, uri->at[0]) : NULL;
  if (!text || text->kind != AST_STRING)
    return elab_failed(e) ? NULL
                          : elab_fail(e, call, ERR_MODEL, "the name of a file must be a text");
  const char *path = library_resource(e->library, text->name, e->err);
  return elab_failed(e)
             ? NULL
             : value_scalar(e, VALUE_STRING, ast_text(e, call, path ? path : text->name));
}

// ---------------------------------------------------------------- external functions

// The names of scalars among the arguments stand for themselves; arrays become {..}.
static const Ast *as_tree(Elab *e, const Ast *at, const Value *v) {
  if (v->rank == 0) return v->at[0];
  int n = v->sizes[0];
  Ast *a = ast_new(e, AST_ARRAY, at, n);
  unsigned depth = 0;
  for (int i = 0; i < n; i++) {
    a->args[i] = (Ast *)as_tree(e, at, value_element(e, v, i));
    if (a->args[i]->depth > depth) depth = a->args[i]->depth;
  }
  a->depth = (depth + 1) & 0xFFFF;
  return a;
}

static Value *call_native(Elab *e, Node *n, const Ast *call, const CallArguments *a,
                          Locals *frame) {
  const AstClass *c = n->class;
  bool builtin = strcmp(c->language, "builtin") == 0;
  int count = c->external_arguments.count;
  Ast *inner = ast_new(e, AST_CALL, call, count);
  inner->name = c->external_name;
  if (builtin) { // evaluated again as a call of the language
    for (int i = 0; i < count; i++) inner->args[i] = (Ast *)c->external_arguments.at[i];
    bool known;
    return evaluate_builtin(e, (Where){n->main, frame}, inner, &known);
  }
  unsigned depth = 0;
  Ast *flat = ast_new(e, AST_CALL, call, a->count);
  flat->name = arena_print(e->arena, "%s", n->path);
  for (int i = 0; i < a->count; i++) {
    Value *v = frame->locals.at[i].value;
    flat->args[i] = (Ast *)as_tree(e, call, v);
    if (flat->args[i]->depth > depth) depth = flat->args[i]->depth;
  }
  flat->depth = (depth + 1) & 0xFFFF;
  return value_scalar(e, VALUE_REAL, flat);
}

// ---------------------------------------------------------------- running

static bool has_events(const Ast *a) {
  switch (a->kind) {
  case AST_NUMBER:
  case AST_BOOL:
  case AST_STRING:
  case AST_NAME: return false;
  case AST_IF: return true;
  case AST_BINARY:
    if (a->op >= AST_LESS && a->op <= AST_NOT_EQUAL) return true;
    break;
  case AST_CALL:
    if (strcmp(a->name, "noEvent") == 0) return false;
    if (strcmp(a->name, "abs") == 0 || strcmp(a->name, "sign") == 0 ||
        strcmp(a->name, "min") == 0 || strcmp(a->name, "max") == 0 || strcmp(a->name, "mod") == 0 ||
        strcmp(a->name, "div") == 0 || strcmp(a->name, "rem") == 0 ||
        strcmp(a->name, "floor") == 0 || strcmp(a->name, "ceil") == 0 ||
        strcmp(a->name, "integer") == 0 || strncmp(a->name, "Entrain.", 8) == 0)
      return true;
    break;
  default: break;
  }
  for (int i = 0; i < a->arg_count; i++)
    if (has_events(a->args[i])) return true;
  return false;
}

static Value *without_events(Elab *e, Value *v) {
  bool record = v->type == VALUE_RECORD;
  long n = record ? (long)v->count * v->field_count : v->count;
  Value *out = ARENA_NEW(e->arena, Value);
  *out = *v;
  if (record) {
    out->fields = ARENA_ARRAY(e->arena, Value *, n + 1);
    for (long i = 0; i < n; i++) out->fields[i] = without_events(e, v->fields[i]);
    return out;
  }
  out->at = ARENA_ARRAY(e->arena, const Ast *, n + 1);
  for (long i = 0; i < n; i++)
    out->at[i] = has_events(v->at[i]) ? ast_call1(e, v->at[i], "noEvent", v->at[i]) : v->at[i];
  return out;
}

static Value *unset(Elab *e, ValueType type, const AstClass *enumeration, int rank,
                    const int *sizes) {
  Value *v = value_new(e, type, rank, sizes);
  v->enumeration = enumeration;
  return v; // its elements are NULL
}

static Value *unset_record(Elab *e, const Component *c) {
  Value *v = value_new(e, VALUE_RECORD, c->rank, c->sizes);
  Node *first = c->count ? c->nodes[0] : NULL;
  int n = 0;
  v->field_names = ARENA_ARRAY(e->arena, const char *, first ? first->members.count + 1 : 1);
  v->fields =
      ARENA_ARRAY(e->arena, Value *, (first ? first->members.count : 0) * (long)c->count + 1);
  for (int k = 0; first && k < first->members.count; k++)
    if (first->members.at[k]->element->kind == ELEMENT_COMPONENT)
      v->field_names[n++] = first->members.at[k]->name;
  v->field_count = n;
  for (int i = 0; i < c->count; i++)
    for (int k = 0; k < n; k++) {
      Member *m = node_member(e, c->nodes[i], v->field_names[k]);
      Component *part = m ? component_of(e, m) : NULL;
      if (!part) return NULL;
      v->fields[i * n + k] = part->nodes
                                 ? unset_record(e, part)
                                 : unset(e, part->type, part->enumeration, part->rank, part->sizes);
    }
  return v;
}

// The declaration of a local variable of this call: its sizes may depend on the arguments, so it is made anew.
static Component *local_component(Elab *e, Node *n, Member *m, Locals *frame) {
  Member *copy = ARENA_NEW(e->arena, Member);
  *copy = *m;
  copy->progress = NOT_STARTED;
  copy->component = NULL;
  (void)n;
  Locals *before = e->locals;
  e->locals = frame;
  Component *c = component_of(e, copy);
  e->locals = before;
  return c;
}

static bool declare_locals(Elab *e, Node *n, Locals *frame) {
  for (int i = 0; i < n->members.count; i++) {
    Member *m = n->members.at[i];
    if (m->element->kind != ELEMENT_COMPONENT || is_input(e, m)) continue;
    Modification *mod = m->mod;
    const Ast *binding = m->element->binding;
    Value *v = NULL;
    bool open = false;
    for (int k = 0; k < m->element->sizes.count; k++)
      open |= m->element->sizes.at[k]->kind == AST_COLON;
    if (mod && mod->binding)
      v = binding_value(e, NULL, mod);
    else if (binding)
      v = value_of(e, (Where){m->part, frame}, binding);
    if (elab_failed(e)) return false;
    Local *local = frame_add(e, frame, m->name, v);
    local->is_output = is_output(e, m);
    if (v || open) continue;
    Component *c = local_component(e, n, m, frame);
    if (!c) return false;
    local = frame_find(frame, m->name);
    local->type = c->type;
    if (c->nodes)
      local->value = unset_record(e, c);
    else
      local->value = unset(e, c->type, c->enumeration, c->rank, c->sizes);
  }
  return !elab_failed(e);
}

static bool run_parts(Elab *e, Part *p, Locals *frame) {
  for (int i = 0; i < p->extends.count; i++)
    if (!run_parts(e, p->extends.at[i], frame)) return false;
  for (int i = 0; i < p->class->algorithms.count; i++)
    if (!run_statements(e, (Where){p, frame}, &p->class->algorithms.at[i])) return false;
  return true;
}

static bool is_complete(const Value *v) {
  if (v->type == VALUE_RECORD) {
    for (long i = 0; i < (long)v->count * v->field_count; i++)
      if (!is_complete(v->fields[i])) return false;
    return true;
  }
  for (int i = 0; i < v->count; i++)
    if (!v->at[i]) return false;
  return true;
}

static Value *results(Elab *e, Node *n, Locals *frame, const Ast *call) {
  Value *v = value_new(e, VALUE_RECORD, 0, NULL);
  v->is_function_result = true;
  v->fields = ARENA_ARRAY(e->arena, Value *, n->members.count + 1);
  v->field_names = ARENA_ARRAY(e->arena, const char *, n->members.count + 1);
  for (int i = 0; i < n->members.count; i++) {
    Member *m = n->members.at[i];
    if (!is_output(e, m)) continue;
    Local *l = frame_find(frame, m->name);
    if (!l->value || !is_complete(l->value))
      return elab_fail(e, call, ERR_MODEL, "%s leaves its output '%s' without a value", call->name,
                       m->name);
    v->field_names[v->field_count] = m->name;
    v->fields[v->field_count++] = without_events(e, l->value);
  }
  return v->field_count == 1 ? v->fields[0] : v;
}

static const AstClass *external_class(const Part *p) {
  if (p->class->is_external) return p->class;
  for (int i = 0; i < p->extends.count; i++) {
    const AstClass *c = external_class(p->extends.at[i]);
    if (c) return c;
  }
  return NULL;
}

// Sizes that the declaration of an argument gives as numbers.
static bool check_size(Elab *e, const Ast *call, const Member *m, const Value *v, Locals *frame) {
  const AstList *sizes = &m->element->sizes;
  for (int k = 0; k < sizes->count && k < v->rank; k++) {
    if (sizes->at[k]->kind == AST_COLON) continue;
    Value *size = value_of(e, (Where){m->part, frame}, sizes->at[k]);
    double n;
    if (!size) return false;
    if (size->rank || !evaluate_number(e, size->at[0], &n) || n == v->sizes[k]) continue;
    elab_fail(e, call, ERR_MODEL, "the argument '%s' of %s has %g elements, this is %s", m->name,
              call->name, n, value_sizes_text(e, v));
    return false;
  }
  return true;
}

// What makes events in an argument makes them where the function is called, not in it: it gets a name of its own there.
static Value *with_own_events(Elab *e, Value *v) {
  if (v->type == VALUE_RECORD || v->type == VALUE_STRING || v->type == VALUE_OPAQUE ||
      e->in_function || !e->model)
    return v;
  Value *out = NULL;
  for (int i = 0; i < v->count; i++) {
    if (!v->at[i] || !has_events(v->at[i])) continue;
    if (!out) {
      out = ARENA_NEW(e->arena, Value);
      *out = *v;
      out->at = ARENA_ARRAY(e->arena, const Ast *, v->count + 1);
      memcpy(out->at, v->at, (size_t)v->count * sizeof *v->at);
    }
    out->at[i] = auxiliary_variable(e, v->at[i], v->type, "");
  }
  return out ? out : v;
}

// Whether its results are Boolean, Integer or String: such a function answers a question about the model.
static bool decides(Elab *e, const Node *n) {
  for (int i = 0; i < n->members.count; i++) {
    const char *type = is_output(e, n->members.at[i]) ? n->members.at[i]->element->type : "Boolean";
    if (strcmp(type, "Boolean") != 0 && strcmp(type, "Integer") != 0 && strcmp(type, "String") != 0)
      return false;
  }
  return true;
}

// One call with arguments that fit.
static Value *run(Elab *e, Node *n, const Ast *call, const CallArguments *a) {
  if (e->calls >= CALLS_MOST)
    return elab_fail(e, call, ERR_LIMIT,
                     "functions call each other more than %d deep: does %s end?", CALLS_MOST,
                     call->name);
  Locals *frame = frame_new(e, NULL);
  for (int k = 0; k < a->count; k++) {
    Value *v = a->values[k];
    Member *m = a->inputs[k];
    e->calls++; // a default may call functions, too
    if (!v && m->mod && m->mod->binding) v = binding_value(e, call, m->mod);
    if (!v && m->element->binding && !elab_failed(e))
      v = value_of(e, (Where){m->part, frame}, m->element->binding);
    e->calls--;
    if (!v && !elab_failed(e))
      return elab_fail(e, call, ERR_SYNTAX, "%s needs a value for its argument '%s'", call->name,
                       m->name);
    if (!v || !check_size(e, call, m, v, frame)) return NULL;
    frame_add(e, frame, m->name, with_own_events(e, v))->is_input = true;
  }
  const AstClass *external = external_class(n->main);
  if (external) {
    bool ours =
        strcmp(external->language, "builtin") == 0 || strcmp(external->language, "entrain") == 0;
    if (ours) return call_native(e, n, call, a, frame);
    bool known;
    Value *native = native_function(e, external->external_name, call, frame, &known);
    if (known) return native;
    elab_unsupported(
        e, call,
        arena_print(e->arena, "the external function %s (in %s)", call->name, external->language));
    return value_number(e, call, 0);
  }
  e->calls++;
  bool before = e->in_function, decided = e->decides;
  e->in_function = true;
  e->decides = decides(e, n);
  bool ok = declare_locals(e, n, frame) && run_parts(e, n->main, frame);
  Value *v = ok ? results(e, n, frame, call) : NULL;
  e->in_function = before;
  e->decides = decided;
  e->calls--;
  return v;
}

// A function of scalars called with arrays: once for each element.
static Value *run_each(Elab *e, Node *n, const Ast *call, const CallArguments *a) {
  int count = a->shape->count;
  Value **parts = ARENA_ARRAY(e->arena, Value *, count + 1);
  for (int i = 0; i < count; i++) {
    CallArguments one = *a;
    one.values = ARENA_ARRAY(e->arena, Value *, a->count + 1);
    for (int k = 0; k < a->count; k++) {
      Value *v = a->values[k];
      bool split = v && v->rank && declared_rank(e, a->inputs[k]) < v->rank;
      one.values[k] = v;
      if (!split) continue;
      one.values[k] = value_scalar(e, v->type, v->at[i]);
      one.values[k]->enumeration = v->enumeration;
    }
    parts[i] = run(e, n, call, &one);
    if (!parts[i]) return NULL;
  }
  Value *v = value_new(e, count ? parts[0]->type : VALUE_REAL, a->shape->rank, a->shape->sizes);
  for (int i = 0; i < count; i++) {
    if (parts[i]->rank || parts[i]->type == VALUE_RECORD)
      return elab_fail(e, call, ERR_UNSUPPORTED,
                       "%s is called with arrays for its scalars, and its result is no scalar",
                       call->name);
    v->at[i] = parts[i]->at[0];
  }
  return v;
}

// Whether the argument is declared with a type that is a number, a text or true and false.
static bool is_simple_type(Elab *e, const Member *m) {
  ClassRef t;
  return lookup_class(e, m->part, m->element->type, &t) && t.is_builtin;
}

static bool check_ranks(Elab *e, const Ast *call, CallArguments *a) {
  for (int k = 0; k < a->count; k++) {
    Value *v = a->values[k];
    if (!v) continue;
    if (v->type == VALUE_RECORD && is_simple_type(e, a->inputs[k])) {
      elab_fail(e, call, ERR_MODEL, "the argument '%s' of %s is %s, this is a record",
                a->inputs[k]->name, call->name, a->inputs[k]->element->type);
      return false;
    }
    if (v->type == VALUE_RECORD) continue;
    int rank = declared_rank(e, a->inputs[k]);
    if (elab_failed(e)) return false;
    if (v->rank == rank) continue;
    if (rank == 0 && v->rank > 0 && (!a->shape || value_same_sizes(a->shape, v))) {
      a->shape = v;
      continue;
    }
    elab_fail(e, call, ERR_MODEL, "the argument '%s' of %s has %d dimension%s, this is %s",
              a->inputs[k]->name, call->name, rank, rank == 1 ? "" : "s", value_sizes_text(e, v));
    return false;
  }
  return true;
}

static bool check_function(Elab *e, Node *n, const Ast *call) {
  const AstClass *c = n->class;
  if (c->partial) {
    elab_fail(e, call, ERR_MODEL, "%s is partial: it is not complete and cannot be called",
              call->name);
    return false;
  }
  if (c->equations.count) {
    elab_fail_at(e, c->source, c->equations.at[0].line, c->equations.at[0].column, ERR_MODEL,
                 "a function has no equations; write an algorithm");
    return false;
  }
  for (int i = 0; i < n->members.count; i++) {
    const Member *m = n->members.at[i];
    const AstElement *el = m->element;
    bool local = el->kind == ELEMENT_COMPONENT && causality_of(e, m) == CAUSALITY_NONE &&
                 el->prefix.variability < VARIABILITY_PARAMETER;
    if (!local || el->hidden || m->hidden) continue;
    elab_fail_at(e, c->source, el->line, el->column, ERR_MODEL,
                 "'%s' is neither an input nor an output of the function %s: it must be protected",
                 el->name, c->name);
    return false;
  }
  return true;
}

Value *evaluate_function(Elab *e, const ClassRef *f, Where s, const Ast *call) {
  Node *n = function_node(e, f);
  if (!n) return NULL;
  if (n->record || f->class->kind == CLASS_RECORD) return construct(e, n, s, call);
  Member *constructor = node_member(e, n, "constructor");
  if (constructor && f->class->kind == CLASS_CLASS)
    return construct_object(e, constructor, s, call);
  if (strcmp(f->class->name, "loadResource") == 0 && call->arg_count == 1)
    return resource(e, s, call);
  if (f->class->kind != CLASS_FUNCTION)
    return elab_fail(e, call, ERR_NAME, "'%s' is a %s, not a function", call->name,
                     class_kind_word(f->class->kind));
  CallArguments a = {0};
  if (!check_function(e, n, call)) return NULL;
  list_inputs(e, n, false, &a);
  if (!read_arguments(e, s, call, &a) || !check_ranks(e, call, &a)) return NULL;
  return a.shape ? run_each(e, n, call, &a) : run(e, n, call, &a);
}
