// The public library: basin studies.
#include "api/api.h"
#include "api/api_figures.h"
#include "report/basin_map.h"
#include "report/basin_report.h"

struct EntrainBasin {
  Basin basin; // only for the type: an EntrainBasin * points to a Basin
};

static const Basin *basin_of(const EntrainBasin *b) {
  return &b->basin;
}

static EntrainBasinState state_of(const Basin *b) {
  return (EntrainBasinState){.starts = b->count,
                             .done = b->done - b->unsorted,
                             .optima = b->optimum_count,
                             .reached_best = b->optimum_count ? b->optima[0].count : 0,
                             .not_converged = b->not_converged,
                             .failed = b->failed,
                             .best = b->best,
                             .seconds = b->seconds};
}

typedef struct BasinRelay {
  EntrainBasinListener *listener;
  void *data;
} BasinRelay;

static bool relay(void *data, const Basin *b) {
  const BasinRelay *to = data;
  EntrainBasinState told = state_of(b);
  told.done = b->finished;
  return !to->listener || to->listener(to->data, &told);
}

static bool axes_are_complete(const EntrainBasinAxis *axes, int count, EntrainError *error) {
  if (count < 0 || (count > 0 && !axes)) return api_missing("axis", error);
  for (int k = 0; k < count; k++) {
    if (!axes[k].name) return api_missing("name of an axis", error);
    if ((int)axes[k].spacing < ENTRAIN_SPACING_DEFAULT || axes[k].spacing > ENTRAIN_SPACING_LOG)
      return api_missing("known spacing", error);
  }
  return true;
}

EntrainBasin *entrain_basin_run(const EntrainProblem *problem, const EntrainBasinAxis *axes,
                                int axis_count, int random, const double *truth,
                                EntrainBasinListener *listener, void *data, EntrainError *error) {
  if (!problem) return api_none("problem", error);
  if (!axes_are_complete(axes, axis_count, error)) return NULL;
  Err err = {0};
  Arena *a = arena_new();
  BasinRelay to = {listener, data};
  BasinAxis *own = ARENA_ARRAY(a, BasinAxis, axis_count + 1);
  for (int k = 0; k < axis_count; k++)
    own[k] = (BasinAxis){.name = axes[k].name,
                         .low = axes[k].low,
                         .high = axes[k].high,
                         .scale = (BasinScale)axes[k].spacing,
                         .count = axes[k].count};
  BasinRequest q = {axis_count ? own : NULL, axis_count, random, truth};
  Basin *b = basin_run(problem->problem, &q, relay, &to, &err);
  arena_free(a);
  api_publish(&err, error);
  return (EntrainBasin *)b;
}

void entrain_basin_free(EntrainBasin *b) {
  if (b) basin_free(&b->basin);
}

void entrain_basin_state(const EntrainBasin *b, EntrainBasinState *out) {
  if (!out) return;
  *out = (EntrainBasinState){0};
  if (!b) return;
  *out = state_of(basin_of(b));
}

bool entrain_basin_optimum(const EntrainBasin *basin, int i, EntrainOptimum *out) {
  if (!basin || !out) return false;
  const Basin *b = basin_of(basin);
  if (i < 0 || i >= b->optimum_count) return false;
  const BasinOptimum *o = &b->optima[i];
  *out = (EntrainOptimum){o->objective, o->count, o->fits, o->flat, o->error, o->median, o->x};
  return true;
}

int entrain_basin_reached(const EntrainBasin *basin, int start) {
  if (!basin) return -3;
  const Basin *b = basin_of(basin);
  if (start < 0 || start >= b->count || b->start[start].end == BASIN_OPEN) return -3;
  return b->start[start].end == BASIN_FAILED ? -2 : b->start[start].optimum;
}

char *entrain_basin_report(const EntrainBasin *b, int width, bool colour) {
  if (!b) return NULL;
  Text t;
  text_init(&t);
  basin_text(&t, basin_of(b), api_style(width, colour));
  return t.at;
}

char *entrain_basin_json(const EntrainBasin *b) {
  if (!b) return NULL;
  Text t;
  text_init(&t);
  basin_json(&t, basin_of(b), entrain_version());
  return t.at;
}

char *entrain_basin_csv(const EntrainBasin *b) {
  if (!b) return NULL;
  Text t;
  text_init(&t);
  basin_csv(&t, basin_of(b));
  return t.at;
}

char *entrain_basin_svg(const EntrainBasin *b) {
  if (!b) return NULL;
  Arena *a = arena_new();
  return api_svg(basin_map(basin_of(b), a), a);
}

char *entrain_basin_png(const EntrainBasin *b, size_t *length) {
  if (!b) return NULL;
  Arena *a = arena_new();
  return api_png(basin_map(basin_of(b), a), a, length);
}

EntrainFigures *entrain_basin_figures(const EntrainBasin *b) {
  if (!b) return NULL;
  FigureList *l = figure_list_new();
  figure_list_add(l, "basin", NULL, basin_map(basin_of(b), l->arena));
  return api_figures(l);
}
