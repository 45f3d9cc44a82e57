// The equations tell whether an unknown may act before a time T (model/acting.h). If it may before T, it may before any later
// time: the last T before which none does is found by halving.
#include "problem/restart.h"

#include <math.h>
#include <stdlib.h>

#include "base/c_locale.h"
#include "model/acting.h"
#include "simulate/closed.h"
#include "simulate/simulate.h"

enum { HALVINGS = 22 };
static const double WORTH = 0.1; // of the duration: shorter stretches save less than they cost
// Of the duration: integrators ask for values a moment later than where they are.
static const double MARGIN = 1e-5;

typedef struct RestartSearch {
  Arena *arena;
  const Problem *p;
  const Experiment *e;
  double first; // time of a sample, with the longest delay
  bool delayed;
  bool *free;
  OpRange *inputs;
  Expr *outputs;
} RestartSearch;

static double longest_delay(const Problem *p, int experiment, const Channel *c) {
  if (c->delay < 0) return 0;
  for (int i = 0; i < p->unknown_count; i++) {
    const Unknown *u = &p->unknowns[i];
    bool here = u->experiment < 0 || u->experiment == experiment;
    if (here && u->parameter == c->delay) return u->max;
  }
  return p->experiments[experiment].p[c->delay];
}

static void search_init(RestartSearch *s, Arena *a, const Problem *p, int experiment) {
  const Experiment *e = &p->experiments[experiment];
  *s = (RestartSearch){.arena = a, .p = p, .e = e, .first = HUGE_VAL};
  s->free = ARENA_ARRAY(a, bool, p->model->np + 1);
  s->inputs = ARENA_ARRAY(a, OpRange, p->model->nu + 1);
  s->outputs = ARENA_ARRAY(a, Expr, e->channel_count + 1);
  for (int i = 0; i < p->unknown_count; i++) {
    const Unknown *u = &p->unknowns[i];
    if (u->experiment < 0 || u->experiment == experiment) s->free[u->parameter] = true;
  }
  for (int c = 0; c < e->channel_count; c++) {
    const Channel *ch = &e->channels[c];
    s->outputs[c] = p->measured[p->channel_measured[experiment][c]];
    s->delayed |= ch->delay >= 0;
    if (ch->count) s->first = fmin(s->first, ch->t[0] - longest_delay(p, experiment, ch));
  }
}

// Whether an unknown may act before t, or on a sample before it. Delays move samples: none must lie before it.
static bool acts_before(const RestartSearch *s, double t, double margin) {
  const Experiment *e = s->e;
  if (s->delayed && t > s->first) return true;
  for (int i = 0; i < s->p->model->nu; i++)
    s->inputs[i] = input_range(e->inputs[i], e->start, t + margin);
  ActingSpec spec = {.p = e->p,
                     .free = s->free,
                     .origin = e->origin,
                     .from = e->start,
                     .until = t + margin,
                     .inputs = s->inputs,
                     .outputs = s->outputs,
                     .output_count = e->channel_count};
  Acting acting = model_acting(s->p->model, &spec);
  return acting.on_motion || (acting.on_outputs && t > s->first);
}

static double find_time(const RestartSearch *s) {
  double span = s->e->stop - s->e->start, margin = MARGIN * span;
  double low = s->e->start + WORTH * span, high = s->e->stop - margin;
  if (!(span > 0) || acts_before(s, low, margin) || !acts_before(s, high, margin)) return nan("");
  for (int i = 0; i < HALVINGS; i++) {
    double middle = low + (high - low) / 2;
    if (acts_before(s, middle, margin))
      high = middle;
    else
      low = middle;
  }
  return low;
}

double restart_time(const Problem *p, int experiment) {
  if (p->closed) return nan(""); // what acts in it is not known
  const Experiment *e = &p->experiments[experiment];
  if (p->options.restart_points == RESTART_POINTS_OFF || !problem_simulates(p) ||
      e->without_times || p->model->nx == 0)
    return nan("");
  if (e->has_restart) return e->restart;
  Arena *a = arena_new();
  RestartSearch s;
  search_init(&s, a, p, experiment);
  double t = find_time(&s);
  arena_free(a);
  return t;
}

// ---------------------------------------------------------------- what the user states

// The states at the time, and what is measured until then, with their sensitivities at the start values of the search.
typedef struct Prefix {
  System *system;
  SimulateWork *work;
  int *parameters, parameter_count;
  double *p, *times;
  int rows;
  Trajectory out;
} Prefix;

static int by_time(const void *a, const void *b) {
  double s = *(const double *)a, t = *(const double *)b;
  return (s > t) - (s < t);
}

static void list_times(const RestartSearch *s, Prefix *x) {
  int count = 1;
  for (int c = 0; c < s->e->channel_count; c++) count += s->e->channels[c].count;
  x->times = ARENA_ARRAY(s->arena, double, count);
  for (int c = 0; c < s->e->channel_count; c++) {
    const Channel *ch = &s->e->channels[c];
    for (int i = 0; i < ch->count && ch->t[i] < s->e->restart; i++) x->times[x->rows++] = ch->t[i];
  }
  x->times[x->rows++] = s->e->restart;
  qsort(x->times, (size_t)x->rows, sizeof *x->times, by_time);
  count = 0;
  for (int i = 0; i < x->rows; i++)
    if (i == 0 || x->times[i] > x->times[i - 1]) x->times[count++] = x->times[i];
  x->rows = count;
}

static void simulate_prefix(const RestartSearch *s, int experiment, Prefix *x) {
  const Problem *p = s->p;
  Model *m = p->model;
  Arena *a = s->arena;
  Expr *outputs = ARENA_ARRAY(a, Expr, m->nx + s->e->channel_count);
  for (int i = 0; i < m->nx; i++) outputs[i] = m->x[i];
  for (int c = 0; c < s->e->channel_count; c++) outputs[m->nx + c] = s->outputs[c];
  x->parameters = ARENA_ARRAY(a, int, p->unknown_count + 1);
  x->p = ARENA_ARRAY(a, double, m->np + 1);
  for (int k = 0; k < m->np; k++) x->p[k] = s->e->p[k];
  for (int i = 0; i < p->unknown_count; i++) {
    const Unknown *u = &p->unknowns[i];
    if (u->experiment >= 0 && u->experiment != experiment) continue;
    x->p[u->parameter] = u->start;
    x->parameters[x->parameter_count++] = u->parameter;
  }
  SystemSpec spec = {.outputs = outputs,
                     .output_count = m->nx + s->e->channel_count,
                     .parameters = x->parameters,
                     .parameter_count = x->parameter_count,
                     .lanes = 1};
  simulate_needs(&p->simulate, m->nx, &spec);
  x->system = system_new(m, &spec);
  x->work = simulate_work_new(x->system, &p->simulate);
  list_times(s, x);
  size_t numbers = (size_t)x->rows * (size_t)spec.output_count;
  x->out = (Trajectory){.values = ARENA_ARRAY(a, double, numbers),
                        .sens = ARENA_ARRAY(a, double, numbers *(size_t)(x->parameter_count + 1))};
  simulate_run(x->work,
               &(SimulateRequest){.p = x->p,
                                  .inputs = (const Input *const *)s->e->inputs,
                                  .origin = s->e->origin,
                                  .start = s->e->start,
                                  .times = x->times,
                                  .count = x->rows},
               &x->out);
}

// The first unknown (its place among the parameters of the prefix) that moves something by more than the tolerances; -1: none.
static int find_mover(const RestartSearch *s, const Prefix *x) {
  const SimulateOptions *o = &s->p->simulate;
  int nx = s->p->model->nx, ny = nx + s->e->channel_count, np = x->parameter_count;
  for (int row = 0; row < x->rows; row++)
    for (int i = row == x->rows - 1 ? 0 : nx; i < (row == x->rows - 1 ? nx : ny); i++)
      for (int k = 0; k < np; k++) {
        double value = fabs(x->out.values[row * ny + i]), size = fabs(x->p[x->parameters[k]]);
        double moved = fabs(x->out.sens[(row * ny + i) * np + k]) * (size > 0 ? size : 1);
        if (!(moved <= o->abs_tol + o->rel_tol * value)) return k;
      }
  return -1;
}

static bool check_one(RestartSearch *s, int experiment, char *why, size_t size) {
  char at[32];
  Prefix x = {0};
  experiment_time(s->e, s->e->restart, 10, at);
  if (s->delayed && s->e->restart > s->first) {
    c_snprintf(why, size,
               "a delay moves the samples before %s: 'restart' cannot be after the first of them",
               at);
    return false;
  }
  if (!acts_before(s, s->e->restart, 0)) return true;
  simulate_prefix(s, experiment, &x);
  bool reached = x.out.outcome == OUTCOME_REACHED_END;
  int k = reached ? find_mover(s, &x) : -1;
  if (!reached)
    c_snprintf(why, size, "the model cannot be simulated until %s: %.300s", at, x.out.message);
  else if (k >= 0)
    c_snprintf(why, size, "%s acts before %s: no simulation can begin there for all its values",
               s->p->model->flat->parameters.at[x.parameters[k]].name, at);
  simulate_work_free(x.work);
  system_free(x.system);
  return reached && k < 0;
}

bool restart_check(const Problem *p, int *experiment, char *why, size_t size) {
  bool ok = true;
  for (int e = 0; e < p->experiment_count && ok; e++) {
    if (!p->experiments[e].has_restart || !problem_simulates(p)) continue;
    *experiment = e;
    if (p->closed) {
      c_snprintf(why, size, "'restart' needs equations; those of %.200s are not known",
                 p->closed->name);
      return false;
    }
    Arena *a = arena_new();
    RestartSearch s;
    search_init(&s, a, p, e);
    ok = check_one(&s, e, why, size);
    *experiment = e;
    arena_free(a);
  }
  return ok;
}
