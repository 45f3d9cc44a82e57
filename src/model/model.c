#include "model/model.h"

#include <string.h>

const Expr *model_helpers(Model *m, HelperSymbol kind, int count) {
  IntArray *list = &m->symbols->helpers[kind];
  while (list->count < count) array_push(m->arena, list, expr_symbol(m->graph, "derivative", true));
  return list->at;
}

const AddedSymbol *model_added_symbol(Model *m, int number, const char *name) {
  ModelSymbols *s = m->symbols;
  for (int i = 0; i < s->added.count; i++)
    if (s->added.at[i].number == number && strcmp(s->added.at[i].name, name) == 0)
      return &s->added.at[i];
  AddedSymbol a = {.number = number, .name = arena_print(m->arena, "%s", name)};
  a.symbol = expr_symbol(m->graph, a.name, false);
  array_push(m->arena, &s->added, a);
  return &s->added.at[s->added.count - 1];
}

void model_free(Model *m) {
  if (!m) return;
  pthread_mutex_destroy(m->lock);
  arena_free(m->arena);
}
