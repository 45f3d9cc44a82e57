// Classes in use: their parts and members.
#include <string.h>

#include "base/text.h"
#include "instance/elab.h"

static bool builtin_type(const char *name, ValueType *type) {
  static const char *const NAMES[] = {"Real", "Integer", "Boolean", "String"};
  for (int i = 0; i < 4; i++)
    if (strcmp(NAMES[i], name) == 0) return *type = (ValueType)i, true;
  return false;
}

const char *first_part(Elab *e, const char *dotted, const char **rest) {
  const char *s = dotted;
  bool quoted = false;
  for (; *s && (quoted || *s != '.'); s++) {
    if (*s == '\\' && quoted && s[1])
      s++;
    else if (*s == '\'')
      quoted = !quoted;
  }
  *rest = *s ? s + 1 : NULL;
  return *s ? arena_copy(e->arena, dotted, (size_t)(s - dotted)) : dotted;
}

// ---------------------------------------------------------------- lookup

static bool part_has(Elab *e, Part *p, const char *name) {
  if (library_element(e->library, p->class, name, e->err)) return true;
  for (int i = 0; i < p->extends.count; i++)
    if (part_has(e, p->extends.at[i], name)) return true;
  return false;
}

static Part *part_with(Elab *e, Part *p, const char *name) {
  if (library_element(e->library, p->class, name, e->err)) return p;
  for (int i = 0; i < p->extends.count; i++) {
    Part *found = part_with(e, p->extends.at[i], name);
    if (found) return found;
  }
  return NULL;
}

static Member *new_member(Elab *e, const AstElement *element, Part *part, Modification *mod) {
  Member *m = ARENA_NEW(e->arena, Member);
  *m = (Member){.name = element->name, .element = element, .part = part, .mod = mod};
  return m;
}

Member *node_member(Elab *e, Node *n, const char *name) {
  int i = names_find(n->names, name);
  if (i >= 0) return n->members.at[i];
  Part *p = part_with(e, n->main, name); // of a folder, read just now
  if (!p) return NULL;
  const AstElement *element = library_element(e->library, p->class, name, e->err);
  Member *m = new_member(e, element, p, NULL);
  names_set(n->names, m->name, n->members.count);
  array_push(e->arena, &n->members, m);
  return m;
}

static const char STANDARD_TYPES[] =
    "type StateSelect = enumeration(never, avoid, default, prefer, always);\n"
    "type AssertionLevel = enumeration(warning, error);\n"
    "partial class ExternalObject end ExternalObject;\n";

static AstClass *standard_type(Elab *e, const char *name) {
  if (strcmp(name, "StateSelect") != 0 && strcmp(name, "AssertionLevel") != 0 &&
      strcmp(name, "ExternalObject") != 0)
    return NULL;
  Source *s = source_new(e->arena, "<Modelica>", STANDARD_TYPES, strlen(STANDARD_TYPES), e->err);
  AstFile *f = s ? library_add_text(e->library, s, e->err) : NULL;
  return f ? library_top(e->library, name, e->err) : NULL;
}

Member *lookup_top(Elab *e, const char *name) {
  int i = names_find(e->top, name);
  if (i >= 0) return e->top_members.at[i];
  AstClass *c = library_top(e->library, name, e->err);
  if (!c && !elab_failed(e)) c = standard_type(e, name);
  if (!c) return NULL;
  AstElement *element = ARENA_NEW(e->arena, AstElement);
  *element = (AstElement){.kind = ELEMENT_CLASS, .name = c->name, .class = c};
  element->line = c->line, element->column = c->column;
  Member *m = new_member(e, element, NULL, NULL);
  names_set(e->top, m->name, e->top_members.count);
  array_push(e->arena, &e->top_members, m);
  return m;
}

// A literal of an enumeration that is imported: a constant.
static Member *literal_member(Elab *e, Node *n, const char *name, const char *dotted) {
  int i = 0;
  const AstClass *c = n->enumeration;
  while (i < c->literals.count && strcmp(c->literals.at[i].name, name) != 0) i++;
  if (i == c->literals.count) return NULL;
  AstElement *el = ARENA_NEW(e->arena, AstElement);
  *el = (AstElement){.kind = ELEMENT_COMPONENT, .name = name, .description = ""};
  size_t length = strlen(dotted) - strlen(name) - 1;
  el->type = arena_print(e->arena, ".%.*s", (int)length, dotted);
  el->prefix.variability = VARIABILITY_CONSTANT;
  el->binding = ast_number(e, NULL, i + 1);
  el->line = c->line, el->column = c->column;
  return new_member(e, el, n->main, NULL);
}

static Member *lookup_from_top(Elab *e, const char *dotted) {
  const char *rest;
  Member *m = lookup_top(e, first_part(e, dotted, &rest));
  while (m && rest) {
    Node *n = m->element->kind == ELEMENT_CLASS ? class_node(e, m) : NULL;
    const char *part = first_part(e, rest, &rest);
    Member *inner = n ? node_member(e, n, part) : NULL;
    if (!inner && n && n->enumeration && !rest) inner = literal_member(e, n, part, dotted);
    m = inner;
  }
  return m;
}

Member *lookup_import(Elab *e, Part *p, const char *name) {
  const AstElement *before = NULL;
  for (int i = 0; i < p->class->elements.count; i++) {
    const AstElement *im = &p->class->elements.at[i];
    if (im->kind != ELEMENT_IMPORT || !im->name || strcmp(im->name, name) != 0) continue;
    if (before && strcmp(before->type, im->type) != 0)
      return elab_fail_at(e, p->class->source, im->line, im->column, ERR_NAME,
                          "'%s' is imported twice: as %s and as %s", name, before->type, im->type);
    before = im;
  }
  for (int i = 0; before && i < p->class->elements.count; i++) {
    const AstElement *im = before;
    Member *m = lookup_from_top(e, im->type[0] == '.' ? im->type + 1 : im->type);
    if (!m && !elab_failed(e))
      elab_fail_at(e, p->class->source, im->line, im->column, ERR_NAME,
                   "the imported '%s' is not found", im->type);
    return m;
  }
  for (int i = 0; i < p->class->elements.count; i++) {
    const AstElement *im = &p->class->elements.at[i];
    if (im->kind != ELEMENT_IMPORT || im->name) continue;
    Member *package = lookup_from_top(e, im->type), *m = NULL;
    if (!package && !elab_failed(e))
      elab_fail_at(e, p->class->source, im->line, im->column, ERR_NAME,
                   "the imported package '%s' is not found", im->type);
    Node *n = package && package->element->kind == ELEMENT_CLASS ? class_node(e, package) : NULL;
    if (n) m = node_member(e, n, name);
    if (m) return m;
  }
  return NULL;
}

Member *lookup(Elab *e, Part *p, const char *name) {
  if (name[0] == '.') return lookup_top(e, name + 1);
  for (; p && !elab_failed(e); p = p->lexical) {
    if (part_has(e, p, name)) return node_member(e, p->node, name);
    Member *m = lookup_import(e, p, name);
    if (m || elab_failed(e)) return m;
    if (p->class->encapsulated) break;
  }
  return elab_failed(e) ? NULL : lookup_top(e, name);
}

ClassRef class_of_member(Member *m) {
  return (ClassRef){.class = m->element->class, .lexical = m->part, .mod = m->mod, .member = m};
}

bool lookup_class(Elab *e, Part *p, const char *name, ClassRef *out) {
  const char *rest, *first = first_part(e, name[0] == '.' ? name + 1 : name, &rest);
  *out = (ClassRef){0};
  if (!rest && builtin_type(first, &out->builtin)) return out->is_builtin = true;
  Member *m = name[0] == '.' ? lookup_top(e, first) : lookup(e, p, first);
  while (m && rest && !elab_failed(e)) {
    const char *part = first_part(e, rest, &rest);
    if (m->element->kind == ELEMENT_COMPONENT) { // a class inside a component
      Component *c = component_of(e, m);
      m = c && c->nodes && c->count ? node_member(e, c->nodes[0], part) : NULL;
      continue;
    }
    Node *n = class_node(e, m);
    Member *inner = n ? node_member(e, n, part) : NULL;
    bool open = !inner && n && !rest && !elab_failed(e) && n->class->source->name[0] == '<' &&
                strcmp(n->class->name, "SI") == 0;
    if (open) return *out = (ClassRef){.is_builtin = true}, true; // a unit that is not listed
    m = inner;
  }
  if (!m || m->element->kind != ELEMENT_CLASS) return false;
  *out = class_of_member(m);
  return true;
}

// ---------------------------------------------------------------- parts

static void fail_class(Elab *e, const Source *s, int line, int column, Part *p, const char *name) {
  const char *rest, *first = first_part(e, name, &rest), *near = NULL;
  for (Part *q = p; q && !near; q = q->lexical) near = library_nearest(e->library, q->class, first);
  if (!near && !rest) {
    static const char *const WORDS[] = {"Real", "Integer", "Boolean", "String"};
    near = nearest_name(first, WORDS, 4);
  }
  Member *known = p ? lookup(e, p, first) : NULL;
  if (!near && !rest) near = library_nearest(e->library, NULL, first);
  if (known && !rest && known->element->kind == ELEMENT_COMPONENT)
    elab_fail_at(e, s, line, column, ERR_NAME, "'%s' is a component, not a class", name);
  else if (known && rest)
    elab_fail_at(e, s, line, column, ERR_NAME, "there is no class '%s' in '%s'", rest, first);
  else if (strcmp(first, "Modelica") == 0 || strcmp(first, "ModelicaServices") == 0)
    elab_fail_at(e, s, line, column, ERR_NAME,
                 "there is no class '%s'; name the folder of the Modelica library with --library "
                 "or MODELICAPATH",
                 name);
  else
    elab_fail_at(e, s, line, column, ERR_NAME, "there is no class '%s'%s%s%s", name,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool replaces(const AstElement *e) {
  return e->redeclare || (e->kind == ELEMENT_CLASS && e->class->extends);
}

// What a redeclaration does not say goes on to hold: prefixes, sizes, the condition.
static void replace_element(Elab *e, Member *m, const AstElement *by, Part *by_part) {
  const AstElement *old = m->element;
  m->replaced = old, m->replaced_part = m->constraint_part = m->part;
  if (by->kind == ELEMENT_COMPONENT && old->kind == ELEMENT_COMPONENT) {
    AstElement *new = ARENA_NEW(e->arena, AstElement);
    *new = *by;
    new->prefix.flow |= old->prefix.flow;
    new->prefix.stream |= old->prefix.stream;
    if (!new->prefix.variability) new->prefix.variability = old->prefix.variability;
    if (!new->prefix.causality) new->prefix.causality = old->prefix.causality;
    if (!new->inner && !new->outer) new->inner = old->inner, new->outer = old->outer;
    if (!new->sizes.count && old->sizes.count) new->sizes = old->sizes, m->sizes_part = m->part;
    if (!new->condition && old->condition)
      new->condition = old->condition, m->condition_part = m->part;
    if (!new->description || !new->description[0]) new->description = old->description;
    new->hidden |= old->hidden;
    by = new;
  }
  m->element = by, m->part = by_part;
}

// Two classes that are extended may declare the same.
static bool is_same_element(const AstElement *a, const AstElement *b) {
  if (a == b) return true;
  if (a->kind != b->kind || a->kind != ELEMENT_COMPONENT) return a->kind == b->kind;
  return strcmp(a->type, b->type) == 0 && ast_equal(a->binding, b->binding) &&
         a->prefix.variability == b->prefix.variability && a->prefix.flow == b->prefix.flow;
}

static void add_member(Elab *e, Node *n, const AstElement *element, Part *part, Modification *mods,
                       bool hidden) {
  const ModEntry *entry = modification_entry(mods, element->name);
  int known = names_find(n->names, element->name);
  if (known >= 0) {
    Member *m = n->members.at[known];
    if (m->element == element) { // used before its turn came
      if (!m->mod && entry) m->mod = entry->mod;
    } else if (replaces(element)) { // an inherited element
      replace_element(e, m, element, part);
    } else if (replaces(m->element)) {
      const AstElement *by = m->element;
      Part *by_part = m->part;
      m->element = element, m->part = part;
      replace_element(e, m, by, by_part);
    } else if (m->part == part) {
      elab_fail_at(e, part->class->source, element->line, element->column, ERR_NAME,
                   "'%s' is declared twice", element->name);
    } else if (!is_same_element(m->element, element)) {
      elab_fail_at(e, part->class->source, element->line, element->column, ERR_NAME,
                   "'%s' is declared twice, in '%s' and in '%s', and the declarations differ",
                   element->name, m->part->class->name, part->class->name);
    }
    return;
  }
  Member *m = new_member(e, element, part, entry ? entry->mod : NULL);
  m->hidden = hidden;
  if (entry && entry->redeclare) {
    if (!element->replaceable && !element->final && !elab_failed(e))
      elab_fail_at(e, elab_source(e), entry->line, entry->column, ERR_NAME,
                   "'%s' of %s is not replaceable and cannot be redeclared", element->name,
                   part->class->name);
    if (element->final && !elab_failed(e))
      elab_fail_at(e, elab_source(e), entry->line, entry->column, ERR_NAME,
                   "'%s' is final and cannot be redeclared", element->name);
    replace_element(e, m, entry->redeclare, entry->redeclare_part);
    if (entry->before && m->replaced->kind == ELEMENT_COMPONENT)
      m->replaced = entry->before, m->constraint_part = entry->before_part;
  }
  names_set(n->names, m->name, n->members.count);
  array_push(e->arena, &n->members, m);
}

static Part *build_part(Elab *e, Node *n, const ClassRef *class, Modification *mods, bool hidden,
                        int depth);
static void check_names(Elab *e, Node *n, Part *p, const Modification *mod, bool outside);

typedef struct Base { // what a class says about one that it extends
  const char *name;
  const AstModifierList *modifiers;
  Part *scope; // where name and modifiers are looked up
  bool hidden;
  int line, column;
} Base;

// The base becomes a part of p.
static void extend(Elab *e, Node *n, Part *p, Base b, Modification *mods, int depth) {
  ClassRef base;
  const Source *s = p->class->source;
  if (elab_failed(e)) return;
  if (!lookup_class(e, b.scope, b.name, &base)) {
    if (!elab_failed(e)) fail_class(e, s, b.line, b.column, b.scope, b.name);
    return;
  }
  Modification *own = modification_of(e, b.modifiers, NULL, b.scope, false);
  Modification *merged = modification_merge(e, mods, own);
  if (elab_failed(e)) return;
  if (base.is_builtin) {
    n->is_builtin = true;
    n->builtin = base.builtin;
    n->attributes = merged;
    return;
  }
  if (base.class == p->class || depth > DEPTH_NODES_MOST) {
    elab_fail_at(e, s, b.line, b.column, ERR_MODEL, "'%s' extends itself", b.name);
    return;
  }
  if (base.class->kind == CLASS_FUNCTION && p->class->kind != CLASS_FUNCTION) {
    elab_fail_at(e, s, b.line, b.column, ERR_MODEL, "a %s cannot extend the function '%s'",
                 class_kind_word(p->class->kind), b.name);
    return;
  }
  merged = modification_merge(e, merged, base.mod);
  Part *part = build_part(e, n, &base, merged, b.hidden, depth + 1);
  if (!part) return;
  array_push(e->arena, &p->extends, part);
  check_names(e, n, part, own, false);
}

// `class extends X`: the class of that name which would be inherited is the base.
static void extend_inherited(Elab *e, Node *n, Part *p, Modification *mods, int depth) {
  Member *m = NULL;
  for (int i = 0; p->lexical && i < p->lexical->extends.count && !m; i++) {
    Part *from = part_with(e, p->lexical->extends.at[i], p->class->extends);
    if (!from) continue;
    const AstElement *el = library_element(e->library, from->class, p->class->extends, e->err);
    m = new_member(e, el, from, NULL);
  }
  if (!m || m->element->kind != ELEMENT_CLASS) {
    elab_fail_at(e, p->class->source, p->class->line, p->class->column, ERR_NAME,
                 "there is no inherited class '%s' to extend", p->class->extends);
    return;
  }
  ClassRef base = class_of_member(m);
  Modification *own = modification_of(e, &p->class->modifiers, NULL, p, false);
  Part *part = build_part(e, n, &base, modification_merge(e, mods, own), false, depth + 1);
  if (part) array_push(e->arena, &p->extends, part);
}

// Records, connectors and packages have no equations, and packages nothing that varies.
static bool check_special(Elab *e, const AstClass *c) {
  bool package = c->kind == CLASS_PACKAGE;
  if (!package && c->kind != CLASS_RECORD && c->kind != CLASS_CONNECTOR) return true;
  bool algorithm = c->algorithms.count || c->initial_algorithms.count;
  const AstItem *first = c->equations.count           ? &c->equations.at[0]
                         : c->initial_equations.count ? &c->initial_equations.at[0]
                                                      : NULL;
  if (first || algorithm) {
    elab_fail_at(e, c->source, first ? first->line : c->line, first ? first->column : c->column,
                 ERR_MODEL, "the %s '%s' cannot have equations", class_kind_word(c->kind), c->name);
    return false;
  }
  for (int i = 0; package && i < c->elements.count; i++) {
    const AstElement *el = &c->elements.at[i];
    if (el->kind != ELEMENT_COMPONENT || el->prefix.variability == VARIABILITY_CONSTANT) continue;
    elab_fail_at(e, c->source, el->line, el->column, ERR_MODEL,
                 "'%s' in the package '%s' must be a constant", el->name, c->name);
    return false;
  }
  return true;
}

static Part *build_part(Elab *e, Node *n, const ClassRef *class, Modification *mods, bool hidden,
                        int depth) {
  AstClass *c = class->class;
  Part *p = ARENA_NEW(e->arena, Part);
  *p = (Part){.node = n, .class = c, .lexical = class->lexical};
  if (!n->main) n->main = p;
  if (depth > DEPTH_NODES_MOST) {
    elab_fail_at(e, c->source, c->line, c->column, ERR_LIMIT,
                 "classes extend each other more than %d deep", DEPTH_NODES_MOST);
    return NULL;
  }
  if (!elab_goes_on(e, 10 + c->elements.count)) return NULL;
  if (c->is_enumeration) {
    n->is_builtin = true;
    n->builtin = VALUE_ENUMERATION;
    n->enumeration = c;
    n->attributes = mods;
    return p;
  }
  if (c->is_external && c->kind != CLASS_FUNCTION) {
    elab_fail_at(e, c->source, c->line, c->column, ERR_MODEL,
                 "'external' can only stand in a function");
    return NULL;
  }
  if (!check_special(e, c)) return NULL;
  if (c->kind == CLASS_CONNECTOR) n->connector = true;
  if (c->kind == CLASS_RECORD) n->record = true;
  if (c->is_short) { // names in its text are not those of the base
    Part *scope = ARENA_NEW(e->arena, Part);
    *scope = *p;
    extend(e, n, p, (Base){c->base, &c->modifiers, scope, hidden, c->base_line, c->base_column},
           mods, depth + 1);
    return elab_failed(e) ? NULL : p;
  }
  if (c->extends) extend_inherited(e, n, p, mods, depth);
  for (int i = 0; i < c->elements.count && !elab_failed(e); i++) {
    const AstElement *el = &c->elements.at[i];
    if (el->kind == ELEMENT_EXTENDS)
      extend(e, n, p,
             (Base){el->type, &el->modifiers, p, hidden || el->hidden, el->line, el->column}, mods,
             depth + 1);
    else if (el->kind != ELEMENT_IMPORT)
      add_member(e, n, el, p, mods, hidden);
  }
  return elab_failed(e) ? NULL : p;
}

// ---------------------------------------------------------------- nodes

// A modification of something that is not there.
static void check_names(Elab *e, Node *n, Part *p, const Modification *mod, bool outside) {
  for (int i = 0; mod && !n->is_builtin && i < mod->entries.count && !elab_failed(e); i++) {
    const ModEntry *entry = &mod->entries.at[i];
    Member *m = part_has(e, p, entry->name) ? node_member(e, n, entry->name) : NULL;
    if (m && outside && (m->hidden || m->element->hidden) && m->element->kind == ELEMENT_COMPONENT)
      elab_fail_at(e, elab_source(e), entry->line, entry->column, ERR_NAME,
                   "'%s' is protected in %s and cannot be modified", entry->name, p->class->name);
    if (m) continue;
    const char *near = node_nearest(e, n, entry->name);
    elab_fail_at(e, elab_source(e), entry->line, entry->column, ERR_NAME,
                 "%s has no component '%s'%s%s%s", p->class->name, entry->name,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
}

const char *node_nearest(Elab *e, Node *n, const char *name) {
  const char **all = ARENA_ARRAY(e->arena, const char *, n->members.count + 1);
  for (int i = 0; i < n->members.count; i++) all[i] = n->members.at[i]->name;
  return nearest_name(name, all, n->members.count);
}

// The value of a record becomes values of its parts.
static void spread_binding(Elab *e, Node *n, Modification *mod) {
  if (!mod || !mod->binding || n->is_builtin) return;
  for (int i = 0; i < n->members.count; i++) {
    Member *m = n->members.at[i];
    if (m->element->kind != ELEMENT_COMPONENT) continue;
    if (m->element->prefix.variability == VARIABILITY_CONSTANT && m->element->binding) continue;
    m->mod = modification_merge(e, modification_of_field(e, mod, m->name), m->mod);
  }
}

// Filled after it is known: a package may use its own name while its parts are found.
static bool fill_node(Elab *e, Node *n, const ClassRef *class, Modification *mod) {
  Modification *all = modification_merge(e, mod, class->mod);
  if (elab_failed(e)) return false;
  build_part(e, n, class, all, false, 0);
  if (elab_failed(e)) return false;
  check_names(e, n, n->main, mod, n->instance);
  for (int i = 0; i < n->members.count && !elab_failed(e); i++) {
    const Member *m = n->members.at[i];
    if (m->element->redeclare && !m->replaced)
      elab_fail_at(e, elab_source(e), m->element->line, m->element->column, ERR_NAME,
                   "there is no inherited '%s' to redeclare", m->name);
  }
  spread_binding(e, n, mod);
  return !elab_failed(e);
}

static Node *empty_node(Elab *e, const ClassRef *class, Modification *mod, Node *owner,
                        const char *path, bool instance, AstPrefix prefix, bool hidden) {
  Node *n = ARENA_NEW(e->arena, Node);
  *n = (Node){.class = class->class, .owner = owner, .path = path, .instance = instance};
  n->prefix = prefix;
  n->hidden = hidden;
  n->depth = owner ? owner->depth + 1 : 0;
  n->names = names_new(e->arena);
  n->mod = mod;
  if (n->depth > DEPTH_NODES_MOST) {
    elab_fail_at(e, class->class->source, class->class->line, class->class->column, ERR_LIMIT,
                 "components are nested more than %d deep: does '%s' contain itself?",
                 DEPTH_NODES_MOST, class->class->name);
    return NULL;
  }
  return n;
}

Node *node_new(Elab *e, const ClassRef *class, Modification *mod, Node *owner, const char *path,
               bool instance, AstPrefix prefix, bool hidden) {
  Node *n = empty_node(e, class, mod, owner, path, instance, prefix, hidden);
  return n && fill_node(e, n, class, mod) ? n : NULL;
}

Node *class_node(Elab *e, Member *m) {
  if (m->class_node) return m->class_node;
  ClassRef class = class_of_member(m);
  const char *path = m->part && m->part->node->path[0] && !m->part->node->instance
                         ? arena_print(e->arena, "%s.%s", m->part->node->path, m->name)
                         : m->name;
  Modification *mod = class.mod;
  class.mod = NULL;
  m->class_node = empty_node(e, &class, mod, NULL, path, false, (AstPrefix){0}, false);
  return m->class_node && fill_node(e, m->class_node, &class, mod) ? m->class_node : NULL;
}
