// A point is made with the unknowns at their start values: no other values change it.
#include "residual/restart_point.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "problem/restart.h"

typedef struct RestartPlace {
  RestartPoint point;
  bool known, made; // its time; the point itself
} RestartPlace;

struct RestartPoints {
  Arena *arena;
  const CompiledModel *model;
  SampleTimes *const *times;
  pthread_mutex_t lock;
  RestartPlace *at; // by experiment
};

RestartPoints *restart_points_new(Arena *a, const CompiledModel *m, SampleTimes *const *times) {
  RestartPoints *all = ARENA_NEW(a, RestartPoints);
  *all = (RestartPoints){.arena = arena_new(), .model = m, .times = times};
  pthread_mutex_init(&all->lock, NULL);
  all->at = ARENA_ARRAY(a, RestartPlace, m->problem->experiment_count + 1);
  return all;
}

void restart_points_done(RestartPoints *all) {
  pthread_mutex_destroy(&all->lock);
  arena_free(all->arena);
}

static void find_time(RestartPoints *all, int e) {
  RestartPlace *at = &all->at[e];
  if (at->known) return;
  at->point.t = restart_time(all->model->problem, e);
  at->point.saved = at->point.t - all->model->problem->experiments[e].start;
  at->known = true;
}

static void count_work(Budget *b, const Trajectory *t) {
  if (!b) return;
  b->used.restart_points++;
  b->used.rhs += t->work.rhs;
  b->used.steps += t->work.steps;
  b->used.rejected += t->work.rejected;
}

static double *start_parameters(RestartPoints *all, int e) {
  const Problem *p = all->model->problem;
  double *values = ARENA_ARRAY(all->arena, double, p->model->np + 1);
  problem_parameters(p, e, NULL, values);
  return values;
}

// false: it was stopped, and has to be made again.
static bool make(RestartPoints *all, int e, Budget *budget) {
  const CompiledModel *m = all->model;
  const Experiment *x = &m->problem->experiments[e];
  const SampleTimes *times = all->times[e];
  RestartPoint *out = &all->at[e].point;
  while (out->rows < times->count && times->at[out->rows] < out->t) out->rows++;
  out->column = ARENA_ARRAY(all->arena, double *, m->outputs + 1);
  for (int k = 0; k < m->outputs; k++)
    out->column[k] = ARENA_ARRAY(all->arena, double, out->rows + 1);
  SimulateWork *work = simulate_work_new(compiled_system(m, false), &m->options);
  SimulatePoint *point = simulate_point_new(all->arena, work, out->t);
  Trajectory t = {.column = out->column};
  simulate_run(work,
               &(SimulateRequest){.p = start_parameters(all, e),
                                  .inputs = (const Input *const *)x->inputs,
                                  .origin = x->origin,
                                  .start = x->start,
                                  .times = times->at,
                                  .count = times->count,
                                  .mark = point,
                                  .ends_at_mark = true},
               &t);
  simulate_work_free(work);
  count_work(budget, &t);
  if (t.outcome == OUTCOME_REACHED_END && point->taken) out->point = point;
  return t.outcome != OUTCOME_STOPPED;
}

const RestartPoint *restart_point(RestartPoints *all, int e, Budget *budget) {
  RestartPlace *at = &all->at[e];
  pthread_mutex_lock(&all->lock);
  find_time(all, e);
  if (!isnan(at->point.t) && !at->made) at->made = make(all, e, budget);
  const RestartPoint *point = at->point.point ? &at->point : NULL;
  pthread_mutex_unlock(&all->lock);
  return point;
}

double restart_point_time(const RestartPoints *all, int e) {
  RestartPoints *own = (RestartPoints *)all; // what is found there is the same whoever asks
  pthread_mutex_lock(&own->lock);
  find_time(own, e);
  double t = own->at[e].point.t;
  pthread_mutex_unlock(&own->lock);
  return t;
}
