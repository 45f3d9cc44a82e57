#include "closed/closed_simulator.h"

#include <string.h>

#include "base/text.h"

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

bool closed_word(ClosedModel *m, const ClosedVariable *p, const char *text, double *value) {
  if (p->type == CLOSED_TEXT) *value = closed_text(m, text);
  for (int i = 0; i < p->item_count; i++) {
    if (strcmp(p->items[i].name, text) != 0) continue;
    *value = (double)p->items[i].value;
    return true;
  }
  return p->type == CLOSED_TEXT;
}

bool closed_check_item(const ClosedVariable *p, double value, Err *err) {
  for (int i = 0; i < p->item_count; i++)
    if ((double)p->items[i].value == value) return true;
  if (!p->item_count) return true;
  Text t;
  text_init(&t);
  for (int i = 0; i < p->item_count && t.length < 300; i++)
    text_print(&t, "%s%.60s (%ld)", i ? ", " : "", p->items[i].name, p->items[i].value);
  fail(err, ERR_VALUE, "%.100s must be one of its items: %s", p->name, t.at);
  text_done(&t);
  return false;
}

void closed_run_by_workers(ClosedSimulator *s, const SimulatorCall *const *calls,
                           SimulatorAnswer *const *answers, int count) {
  workers_run(s->workers, calls, answers, count);
}
