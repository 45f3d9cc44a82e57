#include "report/channel_label.h"

#include <string.h>

#include "draw/figure_axes.h"

static const Variable *variable_of(const Problem *p, const char *name) {
  const Flat *flat = p->model->flat;
  for (int i = 0; i < flat->variables.count; i++)
    if (strcmp(flat->variables.at[i].name, name) == 0) return &flat->variables.at[i];
  return NULL;
}

const char *channel_unit(const Problem *p, const Channel *c) {
  if (c->unit && c->unit[0]) return c->unit;
  const Variable *v = c->gain < 0 && c->offset < 0 ? variable_of(p, c->name) : NULL;
  return v ? v->unit : "";
}

const char *channel_label(Arena *a, const Problem *p, const Channel *c) {
  return axis_label(a, c->name, channel_unit(p, c));
}

// Models with units run in seconds.
const char *time_label(const Problem *p, const Experiment *x) {
  const Flat *flat = p->model->flat;
  if (x->without_times) return "row";
  for (int i = 0; i < flat->variables.count; i++)
    if (flat->variables.at[i].unit[0]) return "time [s]";
  return "time";
}

const char *experiment_title(Arena *a, const char *what, const Problem *p, int experiment) {
  const char *path = problem_name(p);
  if (p->experiment_count == 1) return arena_print(a, "%s: %s", what, path);
  return arena_print(a, "%s: %s, %s", what, path, p->experiments[experiment].name);
}
