// Components: their types, sizes and conditions, and the names of their scalars.
#include "base/c_locale.h"
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "instance/elab.h"
#include "lang/name.h"
#include "lang/source_warn.h"

// ---------------------------------------------------------------- the type

typedef struct TypeSizes {
  const AstList *list;
  Part *part; // where they are written
} TypeSizes;

typedef struct Type { // of a component, after all short definitions
  ClassRef class;
  Modification *mod;
  AstPrefix prefix;
  ARRAY(TypeSizes) sizes; // from the outer definition to the inner one
  bool connector;         // one of the definitions is a connector
  bool failed;
} Type;

static void combine_prefix(AstPrefix *p, const AstPrefix *more) {
  p->flow |= more->flow;
  p->stream |= more->stream;
  if (more->variability > p->variability) p->variability = more->variability;
  if (p->causality == CAUSALITY_NONE) p->causality = more->causality;
}

static const Source *source_of(const Member *m) {
  return m->part->class->source;
}

static void fail_type(Elab *e, const Member *m) {
  const char *rest, *name = m->element->type, *first = first_part(e, name, &rest), *near = NULL;
  static const char *const WORDS[] = {"Real", "Integer", "Boolean", "String"};
  for (Part *q = m->part; q && !near; q = q->lexical)
    near = library_nearest(e->library, q->class, first);
  if (!near && !rest) near = nearest_name(first, WORDS, 4);
  bool modelica = strncmp(name, "Modelica", 8) == 0;
  Member *known = lookup(e, m->part, first);
  if (elab_failed(e)) return;
  const AstElement *el = m->element;
  if (known && !rest && known->element->kind == ELEMENT_COMPONENT)
    elab_fail_at(e, source_of(m), el->type_line, el->type_column, ERR_NAME,
                 "'%s' is a component, not a class", name);
  else if (known && rest && known->element->kind == ELEMENT_CLASS && !modelica) {
    near = strchr(rest, '.') ? NULL : library_nearest(e->library, known->element->class, rest);
    elab_fail_at(e, source_of(m), el->type_line, el->type_column, ERR_NAME,
                 "there is no class '%s' in '%s', the type of %s%s%s%s", rest, first, el->name,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  } else
    elab_fail_at(e, source_of(m), el->type_line, el->type_column, ERR_NAME,
                 "there is no class '%s', the type of %s%s%s%s%s", name, el->name,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
                 modelica ? "; name the folder of the Modelica library with --library or "
                            "MODELICAPATH"
                          : "");
}

// Follows type X = Y(...) to what is no short definition, or built in.
static Type resolve_type(Elab *e, const Member *m, Modification *mod) {
  Type t = {.mod = mod, .prefix = m->element->prefix};
  if (!lookup_class(e, m->part, m->element->type, &t.class)) {
    if (!elab_failed(e)) fail_type(e, m);
    t.failed = true;
    return t;
  }
  for (int depth = 0; !t.class.is_builtin && t.class.class->is_short &&
                      !t.class.class->is_enumeration && depth < DEPTH_NODES_MOST;
       depth++) {
    AstClass *c = t.class.class;
    if (c->kind == CLASS_FUNCTION || c->kind == CLASS_PACKAGE) break;
    Part *scope = ARENA_NEW(e->arena, Part);
    *scope = (Part){.node = t.class.lexical ? t.class.lexical->node : NULL,
                    .class = c,
                    .lexical = t.class.lexical};
    t.mod = modification_merge(e, t.mod, t.class.mod);
    Modification *own = modification_of(e, &c->modifiers, NULL, scope, false);
    for (int i = 0; own && i < own->entries.count; i++) own->entries.at[i].mod->each = true;
    t.mod = modification_merge(e, t.mod, own);
    combine_prefix(&t.prefix, &c->prefix);
    t.connector |= c->kind == CLASS_CONNECTOR;
    if (c->sizes.count) array_push(e->arena, &t.sizes, ((TypeSizes){&c->sizes, scope}));
    ClassRef base;
    if (elab_failed(e) || !lookup_class(e, scope, c->base, &base)) {
      if (!elab_failed(e))
        elab_fail_at(e, c->source, c->base_line, c->base_column, ERR_NAME, "there is no class '%s'",
                     c->base);
      t.failed = true;
      return t;
    }
    t.class = base;
  }
  return t;
}

// ---------------------------------------------------------------- sizes

static bool open_size(Elab *e, Component *c, int k, int *size) {
  Value *v = c->mod && c->mod->binding ? binding_value(e, NULL, c->mod) : NULL;
  const AstElement *el = c->member->element;
  if (elab_failed(e)) return false;
  if (!v || v->rank <= k) {
    elab_fail_at(e, source_of(c->member), el->line, el->column, ERR_MODEL,
                 "the size of %s[:] is not known: it has no value", el->name);
    return false;
  }
  *size = v->sizes[k];
  return true;
}

static bool add_sizes(Elab *e, Component *c, const AstList *sizes, Part *part, IntArray *out) {
  for (int i = 0; i < sizes->count; i++) {
    const Ast *s = sizes->at[i];
    int size = 0;
    if (s->kind == AST_COLON) {
      if (!open_size(e, c, out->count, &size)) return false;
    } else {
      if (s->kind == AST_NAME && strcmp(s->name, "Boolean") == 0) {
        elab_unsupported(e, s, "Boolean as the size of an array");
        array_push(e->arena, out, 2);
        continue;
      }
      Value *v = value_of(e, (Where){part, e->locals}, s);
      double n = 0;
      if (!v) return false;
      if (v->type == VALUE_ENUMERATION && v->rank == 1) { // over all literals
        size = v->count;
      } else if (v->rank != 0 || !evaluate_number(e, v->at[0], &n)) {
        elab_fail(e, s, ERR_MODEL,
                  "the size of an array must be a number that is known in advance");
        return false;
      } else if (n < 0 || n != floor(n) || n > SCALARS_MOST) {
        elab_fail(e, s, ERR_VALUE, "the size of %s is %g; it must be a whole number from 0 to %d",
                  c->path, n, SCALARS_MOST);
        return false;
      } else {
        size = (int)n;
      }
    }
    array_push(e->arena, out, size);
  }
  return true;
}

static bool set_sizes(Elab *e, Component *c, const Type *t) {
  IntArray sizes = {0};
  Part *part = c->member->sizes_part ? c->member->sizes_part : c->member->part;
  if (!add_sizes(e, c, &c->member->element->sizes, part, &sizes)) return false;
  for (int i = 0; i < t->sizes.count; i++)
    if (!add_sizes(e, c, t->sizes.at[i].list, t->sizes.at[i].part, &sizes)) return false;
  c->rank = sizes.count;
  c->sizes = sizes.at;
  long count = 1;
  for (int i = 0; i < c->rank; i++) {
    count *= c->sizes[i];
    if (count <= SCALARS_MOST) continue;
    elab_fail_at(e, source_of(c->member), c->member->element->line, c->member->element->column,
                 ERR_LIMIT, "%s has more than %d elements", c->path, SCALARS_MOST);
    return false;
  }
  c->count = (int)count;
  return elab_goes_on(e, count);
}

// ---------------------------------------------------------------- making one

static const char *index_text(Elab *e, const Component *c, int i, int *index) {
  char text[200];
  int at = 0;
  for (int k = c->rank - 1; k >= 0; k--) {
    index[k] = i % c->sizes[k];
    i /= c->sizes[k];
  }
  for (int k = 0; k < c->rank && at < 180; k++)
    at += c_snprintf(text + at, sizeof text - (size_t)at, "%s%d", k ? "," : "[", index[k] + 1);
  return c->rank ? arena_print(e->arena, "%s%s]", c->path, text) : c->path;
}

static bool make_nodes(Elab *e, Component *c, const Type *t) {
  c->nodes = ARENA_ARRAY(e->arena, Node *, c->count + 1);
  int *index = ARENA_ARRAY(e->arena, int, c->rank + 1);
  for (int i = 0; i < c->count; i++) {
    const char *path = index_text(e, c, i, index);
    Modification *mod = c->rank ? modification_element(e, t->mod, index, c->rank) : t->mod;
    ClassRef class = t->class;
    c->nodes[i] =
        node_new(e, &class, mod, c->owner, path, c->owner->instance, c->prefix, c->hidden);
    if (!c->nodes[i]) return false;
    c->nodes[i]->final = c->final;
    c->nodes[i]->connector |= c->owner->connector;
    if (c->nodes[i]->is_builtin) return true;
  }
  return true;
}

// A class that extends Real turned out to be a builtin.
static void become_builtin(Component *c, ValueType type, Modification *mod,
                           const AstClass *enumeration) {
  c->is_builtin = true;
  c->type = type;
  c->mod = mod;
  c->enumeration = enumeration;
  c->nodes = NULL;
}

static Component *find_inner(Elab *e, const Member *m, Node *owner) {
  for (Node *n = owner->owner; n; n = n->owner) {
    int i = names_find(n->names, m->name);
    if (i < 0) continue;
    Member *candidate = n->members.at[i];
    if (candidate->element->kind == ELEMENT_COMPONENT && candidate->element->inner &&
        candidate != m)
      return component_of(e, candidate);
  }
  return NULL;
}

static bool is_external_object(const Node *n) {
  for (const Part *p = n->main; p; p = p->extends.count ? p->extends.at[0] : NULL) {
    if (strcmp(p->class->name, "ExternalObject") == 0) return true;
    if (!p->extends.count) break;
  }
  return false;
}

static bool is_absent(Elab *e, const Member *m) {
  if (!m->element->condition) return false;
  const Ast *tree;
  Where s = {m->condition_part ? m->condition_part : m->part, NULL};
  int holds = evaluate_condition(e, s, m->element->condition, true, &tree);
  if (holds < 0 && !elab_failed(e))
    elab_fail(e, m->element->condition, ERR_MODEL,
              "the condition of the component %s must be known in advance: parameters and "
              "constants only",
              m->name);
  return holds == 0;
}

static void register_component(Elab *e, Component *c) {
  if (!c->owner->instance || !c->is_builtin) return;
  if (names_find(e->by_path, c->path) >= 0)
    elab_fail_at(e, source_of(c->member), c->member->element->line, c->member->element->column,
                 ERR_NAME, "'%s' is declared twice", c->path);
  names_set(e->by_path, c->path, e->components.count);
  array_push(e->arena, &e->components, c);
}

static Modification *replaced_modifiers(Elab *e, const Member *m) {
  if (!m->replaced || m->replaced->kind != ELEMENT_COMPONENT) return NULL;
  const AstElement *r = m->replaced;
  const AstModifierList *list = r->constraint ? &r->constraint_modifiers : &r->modifiers;
  return modification_of(e, list, NULL, m->constraint_part, false);
}

// Packages, functions and types of functions have no instances; only records have a value.
static bool check_kind(Elab *e, const Component *c, const Type *t) {
  AstClassKind kind = t->class.class->kind;
  const AstElement *el = c->member->element;
  if (kind == CLASS_PACKAGE || kind == CLASS_FUNCTION || kind == CLASS_OPERATOR) {
    if (kind == CLASS_FUNCTION && e->in_function) {
      elab_unsupported_at(e, source_of(c->member), el->line, el->column,
                          "a function as an argument");
      return false;
    }
    elab_fail_at(e, source_of(c->member), el->type_line, el->type_column, ERR_MODEL,
                 "'%s' is a %s: it has no components", t->class.class->name, class_kind_word(kind));
    return false;
  }
  if (t->class.class->expandable)
    elab_unsupported_at(e, source_of(c->member), el->line, el->column, "expandable connectors");
  if (t->class.class->operator_record)
    elab_unsupported_at(e, source_of(c->member), el->line, el->column, "operator records");
  bool value = c->mod && c->mod->binding && c->mod->binding->ast;
  if (value && (kind == CLASS_MODEL || kind == CLASS_BLOCK) && !c->mod->binding->record) {
    elab_fail(e, c->mod->binding->ast, ERR_MODEL, "%s is of the %s '%s' and has no value", c->path,
              class_kind_word(kind), t->class.class->name);
    return false;
  }
  return true;
}

// A class that contains itself would never end.
static bool check_recursion(Elab *e, const Component *c, const Type *t) {
  const AstElement *el = c->member->element;
  for (const Node *n = c->owner; n && n->instance; n = n->owner) {
    if (n->class != t->class.class) continue;
    const char *inside = c->path + strlen(n->path) + (n->path[0] ? 1 : 0);
    elab_fail_at(e, source_of(c->member), el->line, el->column, ERR_MODEL,
                 "the %s '%s' contains itself as %s", class_kind_word(n->class->kind),
                 n->class->name, inside);
    return false;
  }
  return true;
}

static Component *empty_component(Elab *e, Member *m) {
  const AstElement *el = m->element;
  Node *owner = m->part && m->part->node ? m->part->node : e->model;
  if (m->replaced) owner = m->replaced_part->node;
  if (m->owner) owner = m->owner;
  Component *c = ARENA_NEW(e->arena, Component);
  *c = (Component){.name = m->name, .member = m, .owner = owner, .present = true};
  const char *name = name_unquoted(e->arena, m->name);
  if (name != m->name && owner->path[0] == 0 && names_find(owner->names, name) >= 0) name = m->name;
  c->path = owner->path[0] ? arena_print(e->arena, "%s.%s", owner->path, name) : name;
  c->hidden = el->hidden || m->hidden || owner->hidden;
  c->final = el->final || owner->final;
  return c;
}

// The model gets the inner component that is missing, as the language suggests it.
static Component *add_inner(Elab *e, const Component *c) {
  AstElement *el = ARENA_NEW(e->arena, AstElement);
  Member *m = ARENA_NEW(e->arena, Member);
  *el = *c->member->element;
  el->outer = false, el->inner = true;
  source_warn(elab_source(e), e->warnings, el->line, el->column,
              "'outer %s' has no 'inner %s': one is added to the model as it is declared here",
              c->name, c->name);
  *m = (Member){.name = c->name, .element = el, .part = c->member->part, .owner = e->model};
  names_set(e->model->names, m->name, e->model->members.count);
  array_push(e->arena, &e->model->members, m);
  return component_of(e, m);
}

static Component *inner_of(Elab *e, const Component *c) {
  const AstElement *el = c->member->element;
  Component *inner = find_inner(e, c->member, c->owner);
  if (inner || elab_failed(e)) return inner;
  ClassRef class;
  bool known = lookup_class(e, c->member->part, el->type, &class);
  bool complete = known && (class.is_builtin ? el->binding != NULL : !class.class->partial);
  if (e->model && complete && names_find(e->model->names, c->name) < 0) return add_inner(e, c);
  return elab_fail_at(e, source_of(c->member), el->line, el->column, ERR_MODEL,
                      "'outer %s' has no 'inner %s' in the components around it; declare one in "
                      "the model",
                      c->name, c->name);
}

static bool check_final(Elab *e, const Component *c) {
  const Modification *mod = c->member->mod;
  bool of_record = mod && mod->binding && mod->binding->record;
  if (!mod || of_record || !c->member->element->final) return true;
  if (mod->binding)
    elab_fail(e, mod->binding->ast, ERR_NAME, "%s is final and cannot be modified", c->path);
  else if (mod->entries.count)
    elab_fail_at(e, elab_source(e), mod->entries.at[0].line, mod->entries.at[0].column, ERR_NAME,
                 "%s is final and cannot be modified", c->path);
  return !elab_failed(e);
}

// The class by itself, to see what it is.
static Node *plain_node(Elab *e, const Component *c, const Type *t) {
  return node_new(e, &t->class, NULL, c->owner, c->path, false, c->prefix, true);
}

// What the element that was redeclared said about parts that the new class has, too.
static bool keep_replaced(Elab *e, Component *c, Type *t) {
  Modification *replaced = replaced_modifiers(e, c->member), *kept = replaced;
  if (!replaced) return !elab_failed(e);
  if (!t->class.is_builtin) {
    Node *probe = plain_node(e, c, t);
    kept = ARENA_NEW(e->arena, Modification);
    for (int i = 0; probe && i < replaced->entries.count; i++)
      if (probe->is_builtin || node_member(e, probe, replaced->entries.at[i].name))
        array_push(e->arena, &kept->entries, replaced->entries.at[i]);
  }
  t->mod = c->mod = modification_merge(e, t->mod, kept);
  return !elab_failed(e);
}

// Attributes of a type hold for each element of an array of it.
static Modification *type_attributes(Elab *e, const Component *c, const Type *t) {
  if (!c->rank) return c->nodes[0]->attributes;
  Node *plain = plain_node(e, c, t);
  Modification *whole = plain ? plain->attributes : NULL;
  for (int i = 0; whole && i < whole->entries.count; i++) whole->entries.at[i].mod->each = true;
  return whole;
}

// A component of a class: its nodes, unless the class turns out to be a built-in type.
static bool make_class_component(Elab *e, Component *c, Type *t) {
  const AstElement *el = c->member->element;
  if (t->class.class->partial && c->owner->instance && !el->inner && !el->outer) {
    elab_fail_at(e, source_of(c->member), el->line, el->column, ERR_MODEL,
                 "%s has the partial class '%s', which is not complete%s", c->path,
                 t->class.class->name, el->replaceable ? "; redeclare it" : "");
    return false;
  }
  if (!check_kind(e, c, t) || !check_recursion(e, c, t) || !make_nodes(e, c, t)) return false;
  if (c->count == 0) { // whether its class is built in shows only with an element
    Node *probe = plain_node(e, c, t);
    if (probe && probe->is_builtin) become_builtin(c, probe->builtin, t->mod, probe->enumeration);
  } else if (c->nodes[0]->is_builtin) {
    Node *n = c->nodes[0];
    Modification *whole = type_attributes(e, c, t);
    become_builtin(c, n->builtin, modification_merge(e, t->mod, whole), n->enumeration);
  } else if (is_external_object(c->nodes[0])) {
    become_builtin(c, VALUE_OPAQUE, t->mod, NULL);
  }
  return !elab_failed(e);
}

static Component *make_component(Elab *e, Member *m) {
  const AstElement *el = m->element;
  Component *c = empty_component(e, m);
  if (el->outer && el->inner)
    elab_unsupported_at(e, source_of(m), el->line, el->column, "'inner outer' components");
  if (el->outer && !el->inner && c->owner->instance) return inner_of(e, c);
  c->present = !is_absent(e, m);
  if (!c->present) return c;
  if (elab_failed(e) || !check_final(e, c)) return NULL;
  Modification *own = modification_of(e, &el->modifiers, el->binding, m->part, el->final);
  Modification *constraint = modification_of(e, &el->constraint_modifiers, NULL, m->part, false);
  own = modification_merge(e, own, constraint);
  c->mod = modification_merge(e, m->mod, own); // for sizes that follow from the value
  Type t = resolve_type(e, m, c->mod);
  if (t.failed || elab_failed(e)) return NULL;
  c->mod = t.mod;
  c->prefix = t.prefix;
  c->connector = t.connector;
  if (c->owner->prefix.variability > c->prefix.variability)
    c->prefix.variability = c->owner->prefix.variability;
  if (c->owner->connector) c->prefix.flow |= c->owner->prefix.flow;
  if (!set_sizes(e, c, &t) || !keep_replaced(e, c, &t)) return NULL;
  if (t.class.is_builtin)
    become_builtin(c, t.class.builtin, t.mod, NULL);
  else if (!make_class_component(e, c, &t))
    return NULL;
  register_component(e, c);
  return elab_failed(e) ? NULL : c;
}

Component *component_of(Elab *e, Member *m) {
  if (m->progress == FINISHED || elab_failed(e)) return m->component;
  if (m->progress == IN_PROGRESS)
    return elab_fail_at(e, source_of(m), m->element->line, m->element->column, ERR_MODEL,
                        "circular definition: the declaration of '%s' depends on itself", m->name);
  m->progress = IN_PROGRESS;
  m->component = make_component(e, m);
  m->progress = FINISHED;
  return m->component;
}

// ---------------------------------------------------------------- values

Value *binding_value(Elab *e, const Ast *at, Modification *m) {
  Binding *b = m ? m->binding : NULL;
  if (!b || elab_failed(e)) return NULL;
  if (b->busy)
    return elab_fail(e, b->ast ? b->ast : at, ERR_MODEL,
                     "circular definition: this value depends on itself");
  if (!b->value) {
    b->busy = true;
    if (b->record) {
      Modification of = {.binding = b->record, .index = b->record_index};
      Value *record = binding_value(e, at, &of);
      b->value = record ? value_field(e, b->ast, record, b->field) : NULL;
    } else {
      bool in_function = e->in_function;
      e->in_function = false;
      b->value = value_of(e, b->scope, b->ast);
      e->in_function = in_function;
    }
    b->busy = false;
  }
  return b->value && !elab_failed(e) ? value_indexed(e, b->ast, b->value, &m->index) : NULL;
}

// The value of a constant in a package: numbers only.
static Value *constant_value(Elab *e, const Ast *at, Component *c) {
  if (c->constant) return c->constant;
  if (c->nodes) { // a record
    return NULL;
  }
  Value *v = binding_value(e, at, c->mod);
  if (elab_failed(e)) return NULL;
  if (!v)
    return elab_fail(e, at, ERR_MODEL, "%s has no value; only constants can be used here", c->path);
  if (v->rank == 0 && c->rank > 0 && c->mod->each) {
    Value *all = value_new(e, v->type, c->rank, c->sizes);
    for (int i = 0; i < all->count; i++) all->at[i] = v->at[0];
    v = all;
  }
  Value *out = value_new(e, c->type, v->rank, v->sizes);
  out->enumeration = c->enumeration ? c->enumeration : v->enumeration;
  if (v->type == VALUE_RECORD) return v;
  for (int i = 0; i < v->count; i++) {
    double n;
    out->at[i] = v->at[i];
    if (v->at[i]->kind == AST_STRING || v->at[i]->kind == AST_NUMBER || v->at[i]->kind == AST_BOOL)
      continue;
    if (!evaluate_number(e, v->at[i], &n))
      return elab_fail(e, at, ERR_MODEL, "the value of the constant %s is not known", c->path);
    out->at[i] = c->type == VALUE_BOOLEAN ? ast_bool(e, at, n != 0) : ast_number(e, at, n);
  }
  return c->constant = out;
}

static Value *record_reference(Elab *e, const Ast *at, Component *c) {
  if (c->count && !c->nodes[0]->record && !c->nodes[0]->connector)
    return elab_fail(e, at, ERR_MODEL, "%s is of the %s '%s' and has no value", c->path,
                     class_kind_word(c->nodes[0]->class->kind), c->nodes[0]->class->name);
  Value *v = value_new(e, VALUE_RECORD, c->rank, c->sizes);
  Node *first = c->count ? c->nodes[0] : NULL;
  int n = 0;
  v->field_names = ARENA_ARRAY(e->arena, const char *, first ? first->members.count + 1 : 1);
  for (int k = 0; first && k < first->members.count; k++)
    if (first->members.at[k]->element->kind == ELEMENT_COMPONENT)
      v->field_names[n++] = first->members.at[k]->name;
  v->field_count = n;
  v->fields = ARENA_ARRAY(e->arena, Value *, (long)c->count * n + 1);
  for (int i = 0; i < c->count; i++)
    for (int k = 0; k < n && !elab_failed(e); k++) {
      Member *m = node_member(e, c->nodes[i], v->field_names[k]);
      Component *part = m ? component_of(e, m) : NULL;
      if (!part) return NULL;
      v->fields[i * n + k] =
          part->present ? component_reference(e, at, part) : value_new(e, VALUE_REAL, 1, &(int){0});
    }
  return v;
}

Value *component_reference(Elab *e, const Ast *at, Component *c) {
  if (!c->present)
    return elab_fail(e, at, ERR_MODEL, "%s is not there: its condition does not hold", c->path);
  if (c->nodes) return record_reference(e, at, c);
  if (c->type == VALUE_OPAQUE) {
    Value *object = binding_value(e, at, c->mod);
    if (object || elab_failed(e)) return object;
    return elab_fail(e, at, ERR_MODEL, "%s has no value", c->path);
  }
  if (!c->owner->instance) return constant_value(e, at, c);
  if (c->rank == 0) { // its own node, so that the place is right
    Value *v = value_scalar(e, c->type, NULL);
    v->enumeration = c->enumeration;
    bool same = at && at->kind == AST_NAME && strcmp(at->name, c->path) == 0;
    v->at[0] = same ? at : ast_name(e, at, c->path);
    return v;
  }
  if (c->reference) return c->reference;
  Value *v = value_new(e, c->type, c->rank, c->sizes);
  v->enumeration = c->enumeration;
  int *index = ARENA_ARRAY(e->arena, int, c->rank + 1);
  for (int i = 0; i < c->count; i++) v->at[i] = ast_name(e, at, index_text(e, c, i, index));
  return c->reference = v;
}

Component *component_by_path(Elab *e, const char *name, int *element) {
  *element = 0;
  int i = names_find(e->by_path, name);
  if (i >= 0) return e->components.at[i];
  size_t length = strlen(name);
  if (!length || name[length - 1] != ']') return NULL;
  const char *open = name + length;
  while (open > name && *open != '[') open--;
  i = names_find(e->by_path, arena_copy(e->arena, name, (size_t)(open - name)));
  if (i < 0) return NULL;
  Component *c = e->components.at[i];
  int at = 0;
  const char *s = open + 1;
  for (int k = 0; k < c->rank; k++) {
    int n = 0;
    while (*s >= '0' && *s <= '9' && n < SCALARS_MOST) n = 10 * n + (*s++ - '0');
    if (n < 1 || n > c->sizes[k]) return NULL;
    at = at * c->sizes[k] + n - 1;
    s++;
  }
  *element = at;
  return c;
}
