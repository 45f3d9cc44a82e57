#include "closed/worker_open.h"

#include <string.h>

#include "closed/call.h"

// The sizes tell versions apart that forgot to change the word.
static long layout(void) {
  return (long)(sizeof(SimulatorCall) * 1000 + sizeof(SimulatorAnswer) + 100 * OUTCOME_COUNT);
}

void worker_open_put(Message *m, const WorkerOpen *o) {
  put_text(m, WORKER_PROTOCOL);
  put_int(m, layout());
  put_int(m, o->kind);
  put_text(m, o->session);
  put_number(m, o->memory);
}

bool worker_open_get(Message *m, Arena *a, WorkerOpen *o) {
  const char *word = get_text(m, a);
  long size = get_int(m);
  o->kind = (WorkerKind)get_int(m);
  o->session = get_text(m, a);
  o->memory = get_number(m);
  return word && strcmp(word, WORKER_PROTOCOL) == 0 && size == layout() && o->session && !m->bad;
}
