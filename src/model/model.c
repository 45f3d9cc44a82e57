#include "model/model.h"

const Expr *model_helpers(Model *m, HelperSymbol kind, int count) {
  while (m->helpers[kind].count < count)
    array_push(m->arena, &m->helpers[kind], expr_symbol(m->graph, "derivative", true));
  return m->helpers[kind].at;
}

void model_free(Model *m) {
  if (!m) return;
  pthread_mutex_destroy(m->lock);
  arena_free(m->arena);
}
