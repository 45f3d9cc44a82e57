#include "study/check.h"

#include <stdarg.h>

#include "base/c_locale.h"

static Finding *add(Check *c, FindingKind kind, const char *topic, const char *format,
                    va_list args) {
  char text[2400];
  c_vsnprintf(text, sizeof text, format, args);
  Finding f = {.kind = kind, .topic = topic, .text = arena_print(c->arena, "%s", text)};
  array_push(c->arena, &c->findings, f);
  return &c->findings.at[c->findings.count - 1];
}

void check_add(Check *c, FindingKind kind, const char *topic, const char *format, ...) {
  va_list args;
  va_start(args, format);
  add(c, kind, topic, format, args);
  va_end(args);
}

void check_add_about(Check *c, const char *about, FindingKind kind, const char *topic,
                     const char *format, ...) {
  va_list args;
  va_start(args, format);
  Finding *f = add(c, kind, topic, format, args);
  va_end(args);
  f->about = arena_print(c->arena, "%s", about);
  f->sentence = format;
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
