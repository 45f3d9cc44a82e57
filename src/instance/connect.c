// Connections: scalars of connectors that are connected form sets. In a set potentials are equal, and flows add up to
// zero: those of connectors of components count with +, those of the connectors of the class itself with -.
#include <string.h>

#include "base/text.h"
#include "instance/elab.h"

static int flow_number(Elab *e, const char *name, bool outside, bool flow) {
  const char *key = outside ? arena_print(e->arena, "%s/", name) : name;
  int i = names_find(e->flow_names, key);
  if (i >= 0) return i;
  i = e->flows.count;
  names_set(e->flow_names, key, i);
  array_push(e->arena, &e->flows, ((Flow){name, outside, flow, i}));
  return i;
}

static int root_of(Elab *e, int i) {
  while (e->flows.at[i].set != i) i = e->flows.at[i].set = e->flows.at[e->flows.at[i].set].set;
  return i;
}

static void join(Elab *e, int a, int b) {
  a = root_of(e, a), b = root_of(e, b);
  if (a < b)
    e->flows.at[b].set = a;
  else
    e->flows.at[a].set = b;
}

// ---------------------------------------------------------------- one connection

typedef struct ConnectEnds { // one side of a connection: components, in the order of the elements
  ARRAY(Component *) component;
  IntArray element;
  bool outside, absent;
} ConnectEnds;

static bool add_elements(Elab *e, Where s, const Ast *index, Component *c, ConnectEnds *out) {
  Value numbers = {.type = VALUE_INTEGER, .rank = c->rank, .sizes = c->sizes, .count = c->count};
  numbers.at = ARENA_ARRAY(e->arena, const Ast *, c->count + 1);
  for (int i = 0; i < c->count; i++) numbers.at[i] = ast_number(e, NULL, i);
  Value *chosen = &numbers;
  if (index) {
    int count = index->arg_count - 1;
    Subscript *subs = ARENA_ARRAY(e->arena, Subscript, count + 1);
    if (!evaluate_subscripts(e, s, index, &numbers, subs, count)) return false;
    chosen = value_subscript(e, index, &numbers, subs, count);
    if (!chosen) return false;
  }
  for (int i = 0; i < chosen->count; i++) {
    array_push(e->arena, &out->component, c);
    array_push(e->arena, &out->element, (int)chosen->at[i]->number);
  }
  return true;
}

static Member *member_of(Elab *e, const Ast *at, const Component *c, Node *n, const char *name) {
  Member *m = node_member(e, n, name);
  if (m && m->element->kind == ELEMENT_COMPONENT) return m;
  if (elab_failed(e)) return NULL;
  if (n->class->expandable) {
    elab_unsupported(e, at, "expandable connectors");
    return NULL;
  }
  const char *near = node_nearest(e, n, name);
  return elab_fail(e, at, ERR_NAME, "'%s' has no component '%s'%s%s%s", c->path, name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

// Follows a.b[2].c; a component on the way that is an array stands for all its elements.
static bool find_ends(Elab *e, Where s, const Ast *a, ConnectEnds *out) {
  const Ast *index = a->kind == AST_INDEX ? a : NULL, *name = index ? a->args[0] : a;
  if (name->kind == AST_FIELD) {
    ConnectEnds parents = {0};
    if (!find_ends(e, s, name->args[0], &parents)) return false;
    out->outside = parents.outside, out->absent = parents.absent;
    for (int i = 0; i < parents.component.count && !out->absent; i++) {
      Component *p = parents.component.at[i];
      if (!p->nodes)
        return elab_fail(e, a, ERR_NAME, "'%s' has no part '%s'", p->path, name->name), false;
      Node *n = p->nodes[parents.element.at[i]];
      Member *m = member_of(e, a, p, n, name->name);
      Component *c = m ? component_of(e, m) : NULL;
      if (elab_failed(e)) return false;
      if (!n->connector) out->outside = false;
      if (!c || !c->present)
        out->absent = true;
      else if (!add_elements(e, s, index, c, out))
        return false;
    }
    return true;
  }
  if (name->kind != AST_NAME)
    return elab_fail(e, a, ERR_SYNTAX, "connect needs the names of two connectors"), false;
  Member *m = lookup(e, s.part, name->name);
  if (elab_failed(e)) return false;
  if (!m || m->element->kind != ELEMENT_COMPONENT)
    return elab_fail(e, a, ERR_NAME, "connect: there is no component '%s'", name->name), false;
  Component *c = component_of(e, m);
  if (!c) return false;
  out->outside = true;
  if (!c->present) return out->absent = true;
  return add_elements(e, s, index, c, out);
}

static void connect_components(Elab *e, const Ast *at, Component *a, int ia, bool oa, Component *b,
                               int ib, bool ob);

static void connect_scalar(Elab *e, const Ast *at, Component *a, int ia, bool oa, Component *b,
                           int ib, bool ob) {
  Value *va = component_reference(e, at, a), *vb = component_reference(e, at, b);
  if (!va || !vb) return;
  if (a->prefix.variability >= VARIABILITY_PARAMETER) { // they must agree
    double x, y;
    bool known = a->type != VALUE_STRING && evaluate_number(e, va->at[ia], &x) &&
                 evaluate_number(e, vb->at[ib], &y);
    if (known && x != y)
      elab_fail(e, at, ERR_MODEL, "the connectors do not fit: %s is %g, and %s is %g", a->path, x,
                b->path, y);
    return;
  }
  if (a->prefix.flow != b->prefix.flow) {
    elab_fail(e, at, ERR_MODEL, "%s is a flow, %s is none", a->prefix.flow ? a->path : b->path,
              a->prefix.flow ? b->path : a->path);
    return;
  }
  if (a->prefix.stream || b->prefix.stream) {
    elab_unsupported(e, at, "stream variables");
    return;
  }
  join(e, flow_number(e, va->at[ia]->name, oa, a->prefix.flow),
       flow_number(e, vb->at[ib]->name, ob, b->prefix.flow));
}

static void connect_nodes(Elab *e, const Ast *at, Node *a, bool oa, Node *b, bool ob) {
  for (int i = 0; i < a->members.count && !elab_failed(e); i++) {
    Member *ma = a->members.at[i];
    if (ma->element->kind != ELEMENT_COMPONENT) continue;
    Member *mb = node_member(e, b, ma->name);
    if (!mb) {
      elab_fail(e, at, ERR_MODEL, "the connectors do not fit: '%s' has no '%s'", b->path, ma->name);
      return;
    }
    Component *ca = component_of(e, ma), *cb = component_of(e, mb);
    if (!ca || !cb) return;
    if (!ca->present || !cb->present) continue;
    if (ca->count != cb->count) {
      elab_fail(e, at, ERR_MODEL, "the connectors do not fit: %s and %s differ in size", ca->path,
                cb->path);
      return;
    }
    for (int k = 0; k < ca->count; k++) connect_components(e, at, ca, k, oa, cb, k, ob);
  }
}

static void connect_components(Elab *e, const Ast *at, Component *a, int ia, bool oa, Component *b,
                               int ib, bool ob) {
  if ((a->nodes != NULL) != (b->nodes != NULL)) {
    elab_fail(e, at, ERR_MODEL, "the connectors %s and %s do not fit", a->path, b->path);
    return;
  }
  if (a->nodes)
    connect_nodes(e, at, a->nodes[ia], oa, b->nodes[ib], ob);
  else
    connect_scalar(e, at, a, ia, oa, b, ib, ob);
}

static bool is_connector(const Component *c) {
  if (c->nodes) return c->count == 0 || c->nodes[0]->connector;
  return c->connector || c->owner->connector || c->prefix.causality != CAUSALITY_NONE;
}

static bool check_connector(Elab *e, const Ast *at, const ConnectEnds *ends) {
  for (int i = 0; i < ends->component.count; i++) {
    const Component *c = ends->component.at[i];
    if (is_connector(c)) continue;
    elab_fail(e, at, ERR_MODEL, "%s is not a connector", c->path);
    return false;
  }
  return true;
}

void connect_add(Elab *e, Where s, const AstItem *item) {
  ConnectEnds a = {0}, b = {0};
  if (!find_ends(e, s, item->left, &a) || !find_ends(e, s, item->right, &b)) return;
  if (a.absent || b.absent) return; // a conditional component that is not there
  if (!check_connector(e, item->left, &a) || !check_connector(e, item->right, &b)) return;
  if (a.component.count != b.component.count) {
    elab_fail(e, item->left, ERR_MODEL, "the connectors differ in size: %d and %d elements",
              a.component.count, b.component.count);
    return;
  }
  for (int i = 0; i < a.component.count && !elab_failed(e); i++)
    connect_components(e, item->left, a.component.at[i], a.element.at[i], a.outside,
                       b.component.at[i], b.element.at[i], b.outside);
}

// ---------------------------------------------------------------- equations

// Every flow of a connector takes part as seen from around its component, connected or not. Around the model itself
// there is nothing: the flows of its own connectors are zero.
void connect_register(Elab *e, Component *c) {
  if (!c->prefix.flow || !c->owner->instance || c->prefix.variability >= VARIABILITY_PARAMETER)
    return;
  Value *v = component_reference(e, NULL, c);
  for (int i = 0; v && i < v->count; i++) flow_number(e, v->at[i]->name, false, true);
}

static void add(Elab *e, const Ast *left, const Ast *right) {
  AstEquation q = {.left = left, .right = right, .description = "", .instance = ""};
  q.line = e->model->class->line, q.column = e->model->class->column;
  array_push(e->arena, &e->flat->equations, q);
}

void connect_equations(Elab *e) {
  int n = e->flows.count;
  int *next = ARENA_ARRAY(e->arena, int, n + 1), *last = ARENA_ARRAY(e->arena, int, n + 1);
  for (int i = 0; i < n; i++) next[i] = -1, last[i] = i;
  for (int i = 0; i < n; i++) { // a list for each set, in the order of appearance
    int r = root_of(e, i);
    if (r == i) continue;
    next[last[r]] = i;
    last[r] = i;
  }
  for (int i = 0; i < n && !elab_failed(e); i++) {
    if (root_of(e, i) != i) continue;
    const Flow *first = &e->flows.at[i];
    if (!first->flow) {
      for (int k = next[i]; k >= 0; k = next[k])
        if (strcmp(first->name, e->flows.at[k].name) != 0)
          add(e, ast_name(e, NULL, first->name), ast_name(e, NULL, e->flows.at[k].name));
      continue;
    }
    const Ast *sum = NULL;
    for (int k = i; k >= 0; k = next[k]) {
      const Ast *term = ast_name(e, NULL, e->flows.at[k].name);
      bool minus = e->flows.at[k].outside;
      if (!sum)
        sum = minus ? ast_unary(e, NULL, AST_MINUS, term) : term;
      else
        sum = ast_binary(e, NULL, minus ? AST_MINUS : AST_PLUS, sum, term);
    }
    add(e, sum, ast_number(e, NULL, 0));
  }
}
