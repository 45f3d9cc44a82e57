// The public library: basin studies.
#include <math.h>

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
  return (EntrainBasinState){.size = sizeof(EntrainBasinState),
                             .starts = b->count,
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
  if (!to->listener) return true;
  PatienceLeft around = patience_leave();
  return patience_return(around, to->listener(to->data, &told));
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

bool entrain_basin_state(const EntrainBasin *b, EntrainBasinState *out) {
  EntrainBasinState state = b ? state_of(basin_of(b)) : (EntrainBasinState){0};
  return api_give(out, &state, sizeof state) && b;
}

bool entrain_basin_optimum(const EntrainBasin *basin, int i, EntrainOptimum *out) {
  if (!basin || !out) return false;
  const Basin *b = basin_of(basin);
  if (i < 0 || i >= b->optimum_count) return false;
  const BasinOptimum *o = &b->optima[i];
  return API_GIVE(out, EntrainOptimum, o->objective, o->count, o->fits, o->flat, o->error,
                  o->median, o->x);
}

int entrain_basin_reached(const EntrainBasin *basin, int start) {
  if (!basin) return -3;
  const Basin *b = basin_of(basin);
  if (start < 0 || start >= b->count || b->start[start].end == BASIN_OPEN) return -3;
  return b->start[start].end == BASIN_FAILED ? -2 : b->start[start].optimum;
}

static const char *end_word(BasinEnd end) {
  static const char *const WORDS[] = {"open", "reached", "not-converged", "failed"};
  return WORDS[end];
}

bool entrain_basin_start(const EntrainBasin *basin, int i, EntrainBasinStart *out) {
  if (!basin || i < 0 || i >= basin_of(basin)->count) return false;
  const Basin *b = basin_of(basin);
  const BasinStart *s = &b->start[i];
  size_t row = (size_t)i * (size_t)b->problem->unknown_count;
  bool open = s->end == BASIN_OPEN;
  return API_GIVE(out, EntrainBasinStart, .end = end_word(s->end),
                  .optimum = s->end == BASIN_REACHED ? s->optimum : -1,
                  .outcome = open ? "" : fit_outcome_word(s->outcome), .fits = !open && s->fits,
                  .objective = open ? HUGE_VAL : s->objective, .iterations = s->work.iterations,
                  .simulations = s->work.simulations,
                  .sensitivity_simulations = s->work.sensitivity_simulations,
                  .start = b->starts + row,
                  .values = open || s->objective == HUGE_VAL ? NULL : b->ends + row);
}

int entrain_basin_axis_count(const EntrainBasin *b) {
  return b ? basin_of(b)->axis_count : 0;
}

bool entrain_basin_axis(const EntrainBasin *b, int i, EntrainBasinAxis *out) {
  if (!out || i < 0 || i >= entrain_basin_axis_count(b)) return false;
  const BasinAxis *x = &basin_of(b)->axes[i];
  *out = (EntrainBasinAxis){x->name, x->low, x->high, (EntrainSpacing)x->scale, x->count};
  if (basin_of(b)->random) out->count = 0;
  return true;
}

int entrain_basin_failure_count(const EntrainBasin *b) {
  return b ? basin_of(b)->failures.count : 0;
}

bool entrain_basin_failure(const EntrainBasin *b, int i, EntrainFailure *out) {
  return b && api_give_failure(basin_of(b)->failures.at, basin_of(b)->failures.count, i, out);
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
