#include "instance/flat_model.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/deep.h"
#include "base/patience.h"
#include "base/text.h"
#include "instance/elab.h"
#include "lang/name.h"

// ---------------------------------------------------------------- errors

bool elab_failed(const Elab *e) {
  return e->err->code != ERR_NONE;
}

const Source *elab_source(const Elab *e) {
  return library_source(e->library);
}

static void fail_text(Elab *e, const Source *s, int line, int column, ErrCode code,
                      const char *format, va_list args) {
  char text[600];
  c_vsnprintf(text, sizeof text, format, args);
  bool inside = e->instance && e->instance[0];
  if (inside)
    source_fail(s, e->err, code, line, column, "%s (in %s)", text, e->instance);
  else
    source_fail(s, e->err, code, line, column, "%s", text);
}

void *elab_fail(Elab *e, const Ast *at, ErrCode code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const Source *s = elab_source(e);
  fail_text(e, s, at ? at->line : 1, at ? at->column : 1, code, format, args);
  va_end(args);
  return NULL;
}

void *elab_fail_at(Elab *e, const Source *s, int line, int column, ErrCode code, const char *format,
                   ...) {
  va_list args;
  va_start(args, format);
  fail_text(e, s, line, column, code, format, args);
  va_end(args);
  return NULL;
}

void elab_unsupported_at(Elab *e, const Source *s, int line, int column, const char *what) {
  for (int i = 0; i < e->unsupported.count; i++)
    if (strcmp(e->unsupported.at[i].what, what) == 0) {
      e->unsupported.at[i].count++;
      return;
    }
  array_push(e->arena, &e->unsupported, ((Unsupported){what, s, line, column, 1}));
}

void elab_unsupported(Elab *e, const Ast *at, const char *what) {
  elab_unsupported_at(e, elab_source(e), at->line, at->column, what);
}

bool elab_goes_on(Elab *e, long work) {
  e->work += work;
  if (elab_failed(e)) return false;
  if (e->work - e->asked < ASKED_EACH) return true;
  e->asked = e->work;
  if (e->work > WORK_MOST || arena_bytes(e->arena) > BYTES_MOST) {
    elab_fail(e, e->at, ERR_LIMIT,
              "the model is too large: it needs more than %ld steps or %zu MiB to be made flat",
              WORK_MOST, BYTES_MOST >> 20);
    return false;
  }
  if (!patience_asks()) {
    fail(e->err, ERR_STOPPED, "stopped while the model was read");
    return false;
  }
  return true;
}

static void report_unsupported(Elab *e) {
  if (!e->unsupported.count || e->err->code == ERR_LIMIT || e->err->code == ERR_STOPPED) return;
  *e->err = (Err){0}; // errors behind it may follow from it
  const Unsupported *first = &e->unsupported.at[0];
  Text t;
  text_init(&t);
  int count = e->unsupported.count;
  text_print(&t, count == 1 ? "not supported: " : "%d constructs are not supported: ", count);
  for (int i = 0; i < count && i < UNSUPPORTED_SHOWN; i++) {
    const Unsupported *u = &e->unsupported.at[i];
    int line = u->line;
    const Source *s = source_of_line(u->source, &line);
    if (i) text_print(&t, "; %s:%d:%d: ", s ? s->name : "", line, u->column);
    text_add(&t, u->what);
    if (u->count > 1) text_print(&t, " (%d times)", u->count);
  }
  if (count > UNSUPPORTED_SHOWN) text_print(&t, "; and %d more", count - UNSUPPORTED_SHOWN);
  source_fail(first->source, e->err, ERR_UNSUPPORTED, first->line, first->column, "%s", t.at);
  text_done(&t);
}

// ---------------------------------------------------------------- declarations

static const char *const ATTRIBUTES[] = {"start",       "fixed",    "min",         "max",
                                         "nominal",     "unit",     "displayUnit", "quantity",
                                         "stateSelect", "unbounded"};
enum { ATTRIBUTE_COUNT = sizeof ATTRIBUTES / sizeof *ATTRIBUTES };

static bool check_attribute(Elab *e, const ModEntry *entry) {
  for (int i = 0; i < ATTRIBUTE_COUNT; i++)
    if (strcmp(entry->name, ATTRIBUTES[i]) == 0) return true;
  const char *near = nearest_name(entry->name, ATTRIBUTES, ATTRIBUTE_COUNT);
  const Source *s = elab_source(e);
  if (near)
    elab_fail_at(e, s, entry->line, entry->column, ERR_NAME,
                 "unknown attribute '%.80s'; did you mean '%s'?", entry->name, near);
  else
    elab_fail_at(e, s, entry->line, entry->column, ERR_NAME,
                 "unknown attribute '%.80s'; known are start, fixed, min, max, nominal and unit",
                 entry->name);
  return false;
}

static const Ast *state_select(Elab *e, const Ast *at, double n) {
  static const char *const NAMES[] = {"never", "avoid", "default", "prefer", "always"};
  if (!(n >= 1 && n <= 5)) return NULL;
  return ast_name(e, at, arena_print(e->arena, "StateSelect.%s", NAMES[(int)n - 1]));
}

// The value of an attribute for element i, NULL: none or an error.
static const Ast *attribute(Elab *e, const Component *c, const ModEntry *entry, int i) {
  Modification *m = entry->mod;
  const Source *s = elab_source(e);
  if (!m) return NULL;
  if (m->entries.count) {
    elab_fail_at(e, s, m->entries.at[0].line, m->entries.at[0].column, ERR_UNSUPPORTED,
                 "attributes inside an attribute are not supported");
    return NULL;
  }
  if (!m->binding) return NULL;
  bool text = strcmp(entry->name, "unit") == 0 || strcmp(entry->name, "displayUnit") == 0 ||
              strcmp(entry->name, "quantity") == 0;
  const Ast *written = m->binding->ast;
  bool undeclared = text && written && written->kind == AST_NAME && m->binding->scope.part &&
                    !lookup(e, m->binding->scope.part, written->name);
  if (undeclared && !elab_failed(e))
    elab_fail(e, written, ERR_VALUE, "%s must be a string, as in %s = \"m\"", entry->name,
              entry->name);
  Value *v = elab_failed(e) ? NULL : binding_value(e, NULL, m);
  if (!v) return NULL;
  if (v->type == VALUE_RECORD || (v->rank && v->count != c->count)) {
    elab_fail_at(e, s, entry->line, entry->column, ERR_MODEL,
                 "%s of %s: the value is %s, and the variable has %d element%s", entry->name,
                 c->path, value_sizes_text(e, v), c->count, c->count == 1 ? "" : "s");
    return NULL;
  }
  const Ast *a = v->at[v->rank ? i : 0];
  if (text && a->kind != AST_STRING) {
    elab_fail(e, m->binding->ast, ERR_VALUE, "%s must be a string, as in %s = \"m\"", entry->name,
              entry->name);
    return NULL;
  }
  if (!text && v->type == VALUE_STRING && c->type != VALUE_STRING) {
    elab_fail(e, m->binding->ast, ERR_VALUE, "%s must be a value, not a string", entry->name);
    return NULL;
  }
  if (strcmp(entry->name, "stateSelect") == 0) {
    double n;
    const Ast *name = evaluate_number(e, a, &n) ? state_select(e, m->binding->ast, n) : NULL;
    if (!name)
      elab_fail(e, m->binding->ast, ERR_VALUE,
                "stateSelect is StateSelect.never, .avoid, .default, .prefer or .always");
    return name;
  }
  return a;
}

static AstRole role_of(const Elab *e, const Component *c) {
  if (c->prefix.variability == VARIABILITY_CONSTANT) return AST_CONSTANT;
  if (c->prefix.variability == VARIABILITY_PARAMETER) return AST_PARAMETER;
  if (c->owner != e->model) return AST_VARIABLE;
  if (c->prefix.causality == CAUSALITY_INPUT) return AST_INPUT;
  return c->prefix.causality == CAUSALITY_OUTPUT ? AST_OUTPUT : AST_VARIABLE;
}

static AstType type_of(const Component *c) {
  switch (c->type) {
  case VALUE_INTEGER:
  case VALUE_ENUMERATION: return AST_INTEGER;
  case VALUE_BOOLEAN: return AST_BOOLEAN;
  case VALUE_STRING: return AST_TEXT;
  default: return AST_REAL;
  }
}

static bool check_binding(Elab *e, const Component *c, const Value *v) {
  if (v->type == VALUE_RECORD) {
    elab_fail(e, c->mod->binding->ast, ERR_MODEL, "%s is %s, and its value is a record", c->path,
              type_word(c->type));
    return false;
  }
  Value own = {.rank = c->rank, .sizes = c->sizes};
  bool fits = v->rank == 0 ? c->rank == 0 || c->mod->each : value_same_sizes(v, &own);
  const Ast *at = c->mod->binding->ast;
  if (!fits) {
    Value shape = {.rank = c->rank, .sizes = c->sizes};
    elab_fail(e, at, ERR_MODEL, "the value of %s is %s, the variable %s", c->path,
              value_sizes_text(e, v), value_sizes_text(e, &shape));
    return false;
  }
  bool text = v->type == VALUE_STRING, truth = v->type == VALUE_BOOLEAN;
  if (text != (c->type == VALUE_STRING)) {
    elab_fail(e, at, ERR_MODEL,
              text    ? "%s is not a String, and its value is a text"
              : truth ? "%s is a String, and its value is true or false"
                      : "%s is a String, and its value is a number",
              c->path);
    return false;
  }
  bool ec = c->type == VALUE_ENUMERATION, ev = v->type == VALUE_ENUMERATION;
  if (ec && !ev && !truth) {
    elab_fail(e, at, ERR_MODEL, "the value of %s is a number, not of the enumeration '%s'", c->path,
              c->enumeration->name);
    return false;
  }
  if (ev && (!ec || (v->enumeration && v->enumeration != c->enumeration))) {
    elab_fail(e, at, ERR_MODEL, "the value of %s is of the enumeration '%s', %s", c->path,
              v->enumeration ? v->enumeration->name : "",
              ec ? "which is another one" : "the variable is a number; write Integer(...)");
    return false;
  }
  if (truth != (c->type == VALUE_BOOLEAN)) {
    elab_fail(e, at, ERR_MODEL,
              truth ? "%s is a number, this is true or false" : "%s is Boolean, this is a number",
              c->path);
    return false;
  }
  return true;
}

static bool add_attributes(Elab *e, const Component *c, int i, AstDeclaration *d) {
  for (int k = 0; c->mod && k < c->mod->entries.count; k++) {
    const ModEntry *entry = &c->mod->entries.at[k];
    if (!check_attribute(e, entry)) return false;
    const Ast *value = attribute(e, c, entry, i);
    if (elab_failed(e)) return false;
    if (!value) continue;
    const char *name = NULL;
    for (int q = 0; q < ATTRIBUTE_COUNT; q++)
      if (strcmp(entry->name, ATTRIBUTES[q]) == 0) name = ATTRIBUTES[q];
    bool own = entry->mod->final && strcmp(name, "unit") != 0 && strcmp(name, "quantity") != 0 &&
               strcmp(name, "displayUnit") != 0;
    AstAttribute row = {name, value, entry->line, entry->column, own};
    array_push(e->arena, &d->attributes, row);
  }
  return true;
}

static bool add_declarations(Elab *e, Component *c, const AstElement *el) {
  Value *binding = c->mod && c->mod->binding ? binding_value(e, NULL, c->mod) : NULL;
  if (elab_failed(e) || (binding && !check_binding(e, c, binding))) return false;
  Value *names = NULL;
  if (c->rank) names = component_reference(e, NULL, c);
  for (int i = 0; i < c->count; i++) {
    if (e->flat->declarations.count >= SCALARS_MOST) {
      fail(e->err, ERR_LIMIT, "the model has more than %d variables", SCALARS_MOST);
      return false;
    }
    AstDeclaration d = {.name = c->rank ? names->at[i]->name : c->path};
    d.role = role_of(e, c);
    d.type = type_of(c);
    d.final = c->final || (c->mod && c->mod->final && binding);
    d.discrete = c->prefix.variability == VARIABILITY_DISCRETE;
    d.hidden = c->hidden;
    d.structural = c->structural;
    d.description = el && el->description ? el->description : "";
    d.line = el ? el->line : 0, d.column = el ? el->column : 0;
    if (!add_attributes(e, c, i, &d)) return false;
    if (binding) d.binding = binding->at[binding->rank ? i : 0];
    if (d.type == AST_TEXT)
      array_push(e->arena, &e->flat->texts, d);
    else
      array_push(e->arena, &e->flat->declarations, d);
    if (!elab_goes_on(e, 1)) return false;
  }
  return true;
}

static void note_instance(Elab *e, FlatText *text, const Node *n, int depth) {
  (void)e;
  FlatInstance i = {n->path, n->class->name, n->class->source, n->class->line, depth};
  array_push(e->arena, &text->instances, i);
}

static void node_declarations(Elab *e, FlatText *text, Node *n, int depth) {
  for (int i = 0; i < n->members.count && !elab_failed(e); i++) {
    Member *m = n->members.at[i];
    if (m->element->kind != ELEMENT_COMPONENT || (m->element->outer && !m->element->inner))
      continue;
    Component *c = component_of(e, m);
    if (!c || !c->present) continue;
    if (c->nodes) {
      for (int k = 0; k < c->count && !elab_failed(e); k++) {
        note_instance(e, text, c->nodes[k], depth);
        node_declarations(e, text, c->nodes[k], depth + 1);
      }
    } else if (c->type != VALUE_OPAQUE) {
      e->instance = n->path;
      add_declarations(e, c, m->element);
    }
  }
}

// ---------------------------------------------------------------- instances

// All components of the model, so that paths are known.
static void make_components(Elab *e, Node *n) {
  e->instance = n->path;
  for (int i = 0; i < n->members.count && !elab_failed(e); i++) {
    Member *m = n->members.at[i];
    if (m->element->kind != ELEMENT_COMPONENT) continue;
    e->instance = n->path;
    Component *c = component_of(e, m);
    if (elab_failed(e) || !c || !c->present) continue;
    if (c->prefix.stream)
      elab_unsupported_at(e, m->part->class->source, m->element->line, m->element->column,
                          "stream variables");
    if (c->owner != n) continue; // outer
    if (c->nodes)
      for (int k = 0; k < c->count; k++) make_components(e, c->nodes[k]);
    else if (n->connector)
      connect_register(e, c);
  }
}

// ---------------------------------------------------------------- the model that is meant

static bool is_model(const AstClass *c) {
  return (c->kind == CLASS_MODEL || c->kind == CLASS_BLOCK || c->kind == CLASS_CLASS) &&
         !c->partial;
}

// The last model of the class, itself included. path: its name with dots.
static const char *last_model(Elab *e, const AstClass *c, const char *path) {
  if (is_model(c)) return path;
  for (int i = c->elements.count - 1; i >= 0; i--) {
    const AstElement *el = &c->elements.at[i];
    if (el->kind != ELEMENT_CLASS || el->hidden) continue;
    const char *found = last_model(e, el->class, arena_print(e->arena, "%s.%s", path, el->name));
    if (found) return found;
  }
  return NULL;
}

static const char *chosen_model(Elab *e, const AstFile *f, const FlatRequest *r) {
  if (r->class_name && r->class_name[0]) return r->class_name;
  for (int i = f->classes.count - 1; i >= 0; i--) {
    const char *found = last_model(e, f->classes.at[i], f->classes.at[i]->name);
    if (found) return found;
  }
  const AstClass *c = f->classes.at[0];
  elab_fail_at(e, c->source, c->line, c->column, ERR_MODEL,
               "the file contains no model that can be simulated: %s '%s' is %s",
               class_kind_word(c->kind), c->name, c->partial ? "partial" : "none");
  return NULL;
}

static bool find_model(Elab *e, const AstFile *f, const char *name, ClassRef *out) {
  if (lookup_class(e, NULL, name, out) && !out->is_builtin) return true;
  if (elab_failed(e)) return false;
  // a name inside the only package of the file
  for (int i = f->classes.count - 1; i >= 0; i--) {
    const char *full = arena_print(e->arena, "%s.%s", f->classes.at[i]->name, name);
    if (lookup_class(e, NULL, full, out) && !out->is_builtin) return true;
    if (elab_failed(e)) return false;
  }
  const AstClass *first = f->classes.at[0];
  const char *near = library_nearest(e->library, NULL, name);
  if (!near) near = library_nearest(e->library, f->classes.at[0], name);
  elab_fail_at(e, first->source, first->line, first->column, ERR_NAME,
               "there is no class '%s' in this file or the libraries%s%s%s", name,
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  return false;
}

static bool make_model(Elab *e, const AstFile *f, const FlatRequest *r, FlatText *text) {
  ClassRef class;
  const char *name = chosen_model(e, f, r);
  if (name && f->within && f->within[0]) { // a part of a library, named in full or not
    const char *full = arena_print(e->arena, "%s.%s", f->within, name);
    if (lookup_class(e, NULL, full, &class) && !class.is_builtin) name = full;
    if (elab_failed(e)) return false;
  }
  if (!name || !find_model(e, f, name, &class)) return false;
  const AstClass *c = class.class;
  bool simulated = c->kind == CLASS_MODEL || c->kind == CLASS_BLOCK || c->kind == CLASS_CLASS ||
                   c->kind == CLASS_RECORD || c->kind == CLASS_CONNECTOR;
  if (!simulated || c->partial) {
    elab_fail_at(e, c->source, c->line, c->column, ERR_MODEL,
                 c->partial ? "'%s' is partial: it is not complete and cannot be simulated"
                            : "'%s' is no model",
                 c->name);
    return false;
  }
  Node *n = node_new(e, &class, NULL, NULL, "", true, (AstPrefix){0}, false);
  if (!n) return false;
  e->model = n;
  *e->flat = (AstModel){.name = c->name, .description = c->description};
  e->flat->line = c->line, e->flat->column = c->column;
  text->start_time = c->start_time, text->stop_time = c->stop_time;
  text->tolerance = c->tolerance, text->interval = c->interval;
  make_components(e, n);
  if (elab_failed(e)) return false;
  node_equations(e, n);
  if (elab_failed(e)) return false;
  connect_equations(e);
  node_declarations(e, text, n, 0);
  for (int i = 0; i < e->auxiliaries.count && !elab_failed(e); i++)
    add_declarations(e, e->auxiliaries.at[i], NULL);
  return !elab_failed(e);
}

// ---------------------------------------------------------------- entry

typedef struct Work { // on a stack of its own
  Elab *e;
  const FlatRequest *request;
  FlatText *text;
  bool ok;
} Work;

static void run(void *data) {
  Work *w = data;
  Elab *e = w->e;
  for (int i = 0; i < w->request->library_count; i++)
    library_add_folder(e->library, w->request->libraries[i]);
  library_add_defaults(e->library);
  AstFile *f = library_add_text(e->library, w->request->source, e->err);
  w->text->source = library_source(e->library);
  if (f) library_place(e->library, w->request->source->name, f);
  w->ok = f && make_model(e, f, w->request, w->text);
  report_unsupported(e);
  w->ok = w->ok && !elab_failed(e);
}

const FlatText *flat_model(Arena *a, const FlatRequest *request, Warnings *warnings, Err *err) {
  Err own = {0};
  Elab e = {.arena = a, .err = err ? err : &own, .warnings = warnings};
  e.library = library_new(a);
  e.top = names_new(a);
  e.by_path = names_new(a);
  e.flow_names = names_new(a);
  e.flat = ARENA_NEW(a, AstModel);
  e.instance = "";
  ARRAY(Setting) settings = {0};
  for (int i = 0; i < request->setting_count; i++)
    array_push(a, &settings, ((Setting){request->settings[i].name, request->settings[i].value}));
  e.settings = settings.at, e.setting_count = settings.count;
  FlatText *text = ARENA_NEW(a, FlatText);
  text->start_time = text->stop_time = text->tolerance = text->interval = nan("");
  Work w = {&e, request, text, false};
  deep_call(run, &w);
  text->model = e.flat;
  return w.ok ? text : NULL;
}

const char *model_file(Arena *a, const char *path, const char **class_name) {
  const char *hash = strrchr(path, '#');
  bool chosen = hash && hash - path > 3 && strncmp(hash - 3, ".mo", 3) == 0;
  *class_name = chosen ? arena_print(a, "%s", hash + 1) : NULL;
  return chosen ? arena_copy(a, path, (size_t)(hash - path)) : path;
}

const AstModel *parse_model(Arena *a, const Source *s, Err *err) {
  FlatRequest r = {.source = s};
  const FlatText *t = flat_model(a, &r, NULL, err);
  return t ? t->model : NULL;
}
