#include "closed/closed_simulator.h"

#include <string.h>

const ClosedVariable *closed_parameter(const ClosedModel *m, const char *name) {
  const ClosedDescription *d = ((const ClosedSimulator *)m)->description;
  for (int i = 0; i < d->parameters.count; i++)
    if (strcmp(d->parameters.at[i].name, name) == 0) return &d->parameters.at[i];
  return NULL;
}

double closed_text(ClosedModel *m, const char *text) {
  ClosedSimulator *s = closed_simulator(m);
  for (int i = 1; i < s->texts.count; i++)
    if (strcmp(s->texts.at[i], text) == 0) return i;
  array_push(s->arena, &s->texts, arena_print(s->arena, "%s", text));
  return s->texts.count - 1;
}

void closed_run_by_workers(ClosedSimulator *s, const SimulatorCall *const *calls,
                           SimulatorAnswer *const *answers, int count) {
  workers_run(s->workers, calls, answers, count);
}
