#include "report/channel_label.h"

#include <string.h>

#include "draw/figure_axes.h"

const char *channel_label(Arena *a, const Channel *c) {
  return axis_label(a, c->name, c->unit);
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
