// Modifications: what a declaration says about the inside of a component.
#include <string.h>

#include "instance/elab.h"

const ModEntry *modification_entry(const Modification *m, const char *name) {
  for (int i = 0; m && i < m->entries.count; i++)
    if (strcmp(m->entries.at[i].name, name) == 0) return &m->entries.at[i];
  return NULL;
}

Modification *modification_find(const Modification *m, const char *name) {
  const ModEntry *entry = modification_entry(m, name);
  return entry ? entry->mod : NULL;
}

static Modification *of_modifier(Elab *e, const AstModifier *m, Part *part) {
  Modification *mod = modification_of(e, &m->sub, m->value, part, m->final);
  if (!mod) mod = ARENA_NEW(e->arena, Modification);
  mod->each = m->each;
  mod->final |= m->final;
  return mod;
}

Modification *modification_of(Elab *e, const AstModifierList *list, const Ast *binding, Part *part,
                              bool final) {
  if (!list->count && !binding) return NULL;
  Modification *m = ARENA_NEW(e->arena, Modification);
  m->final = final && binding;
  if (binding) {
    m->binding = ARENA_NEW(e->arena, Binding);
    *m->binding = (Binding){.ast = binding, .scope = {part, NULL}};
  }
  const Source *s = elab_source(e);
  for (int i = 0; i < list->count; i++) {
    const AstModifier *from = &list->at[i];
    const ModEntry *before = modification_entry(m, from->name);
    Modification *mod = of_modifier(e, from, part);
    if (before && (before->redeclare || from->redeclare || (before->mod->binding && from->value))) {
      elab_fail_at(e, s, from->line, from->column, ERR_NAME, "'%s' is given twice", from->name);
      return NULL;
    }
    if (before) { // a.b = 1, a.c = 2
      ((ModEntry *)before)->mod = modification_merge(e, before->mod, mod);
      continue;
    }
    ModEntry entry = {.name = from->name, .mod = mod, .redeclare = from->redeclare};
    entry.redeclare_part = part;
    entry.line = from->line, entry.column = from->column;
    array_push(e->arena, &m->entries, entry);
  }
  return m;
}

// What is final inside cannot be modified from outside.
static bool check_final(Elab *e, const ModEntry *outer, const Modification *inner) {
  bool changes = outer->mod && outer->mod->binding && inner && inner->binding && inner->final;
  if (!changes) return true;
  elab_fail_at(e, elab_source(e), outer->line, outer->column, ERR_NAME,
               "'%s' is final and cannot be modified", outer->name);
  return false;
}

Modification *modification_merge(Elab *e, Modification *outer, Modification *inner) {
  if (!outer) return inner;
  if (!inner) return outer;
  Modification *m = ARENA_NEW(e->arena, Modification);
  *m = (Modification){.binding = outer->binding ? outer->binding : inner->binding};
  m->index = outer->binding ? outer->index : inner->index;
  m->each = outer->binding ? outer->each : inner->each;
  m->final = outer->final || inner->final;
  for (int i = 0; i < outer->entries.count; i++) {
    ModEntry entry = outer->entries.at[i];
    const ModEntry *below = modification_entry(inner, entry.name);
    if (below && !check_final(e, &entry, below->mod)) return NULL;
    if (below) entry.mod = modification_merge(e, entry.mod, below->mod);
    if (below && !entry.redeclare) {
      entry.redeclare = below->redeclare, entry.redeclare_part = below->redeclare_part;
      entry.before = below->before, entry.before_part = below->before_part;
    } else if (below && below->redeclare) {
      entry.before = below->redeclare, entry.before_part = below->redeclare_part;
    }
    array_push(e->arena, &m->entries, entry);
  }
  for (int i = 0; i < inner->entries.count; i++)
    if (!modification_entry(outer, inner->entries.at[i].name))
      array_push(e->arena, &m->entries, inner->entries.at[i]);
  return m;
}

// What an element of an array of components gets: its part of every value that is not `each`.
Modification *modification_element(Elab *e, Modification *m, const int *index, int count) {
  if (!m) return NULL;
  Modification *out = ARENA_NEW(e->arena, Modification);
  *out = *m;
  out->index = (IntArray){0};
  for (int i = 0; i < m->index.count; i++) array_push(e->arena, &out->index, m->index.at[i]);
  if (!m->each)
    for (int i = 0; i < count; i++) array_push(e->arena, &out->index, index[i]);
  out->entries.at = ARENA_ARRAY(e->arena, ModEntry, m->entries.count + 1);
  out->entries.room = m->entries.count + 1;
  for (int i = 0; i < m->entries.count; i++) {
    out->entries.at[i] = m->entries.at[i];
    if (!m->each)
      out->entries.at[i].mod = modification_element(e, m->entries.at[i].mod, index, count);
  }
  return out;
}

// r = expression gives each part of the record r its own part of that value.
Modification *modification_of_field(Elab *e, Modification *record, const char *field) {
  Modification *m = ARENA_NEW(e->arena, Modification);
  m->binding = ARENA_NEW(e->arena, Binding);
  *m->binding = (Binding){.record = record->binding, .record_index = record->index, .field = field};
  m->binding->ast = record->binding->ast;
  m->final = record->final;
  return m;
}
