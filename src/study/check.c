#include "study/check.h"

#include <stdarg.h>

#include "base/c_locale.h"

void check_add(Check *c, FindingKind kind, const char *topic, const char *format, ...) {
  char text[2400];
  va_list args;
  va_start(args, format);
  c_vsnprintf(text, sizeof text, format, args);
  va_end(args);
  Finding f = {kind, topic, arena_print(c->arena, "%s", text), false};
  array_push(c->arena, &c->findings, f);
}

const char *check_channel_label(Check *c, int experiment, int channel) {
  const Experiment *e = &c->problem->experiments[experiment];
  if (c->problem->experiment_count == 1) return e->channels[channel].name;
  return arena_print(c->arena, "%s in %s", e->channels[channel].name, e->name);
}

void check_free(Check *c) {
  if (!c) return;
  statistics_free(c->statistics);
  arena_free(c->arena);
}
