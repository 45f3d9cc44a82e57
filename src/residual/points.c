#include "residual/points.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "residual/followers.h"
#include "residual/hub.h"
#include "residual/objective_parts.h"

enum { BLOCK_MOST = 64, SHARES = 12 }; // points of a job, jobs by worker

typedef struct PointsJob {
  int count;
  LsqEnd end; // LSQ_DONE or LSQ_STOP
  long steps; // the most that an experiment took
  char solver[48];
  FitWork work;
  double V[BLOCK_MOST];
  double x[]; // rows
} PointsJob;

struct Points {
  Objective *objective;
  Arena *arena;
  Pool *pool; // NULL until it is needed
  size_t job_size;
  int group; // points that share a simulation, whatever the number of threads
  PointsJob *job;
};

static void eval_point(PointsJob *job, Objective *o, int k) {
  LsqPoint at = {.x = job->x + (size_t)k * (size_t)o->n};
  LsqEnd end = objective_eval(o, &at, HUGE_VAL, false);
  if (end == LSQ_STOP) job->end = LSQ_STOP;
  job->V[k] = at.objective;
  job->steps = o->best_steps > job->steps ? o->best_steps : job->steps;
  snprintf(job->solver, sizeof job->solver, "%s", o->last->trajectory.solver);
}

static void work_points(void *follower, void *data) {
  PointsJob *job = data;
  Objective *o = follower_ready(follower);
  job->end = LSQ_DONE;
  for (int k = 0; k < job->count && job->end != LSQ_STOP; k++) {
    eval_point(job, o, k);
    o->best_steps = ((Follower *)follower)->leader->best_steps; // no point sees another
  }
  job->work = *objective_work(o);
}

// ---------------------------------------------------------------- in lanes

enum { GROUP = 8 }; // points that share a simulation

typedef struct Group {
  const Follower *follower;
  PointsJob *job;
  int first;
} Group;

static void work_point(void *data, int number, Objective *o) {
  const Group *g = data;
  follower_lead(g->follower, o);
  if (g->job->end != LSQ_STOP) eval_point(g->job, o, g->first + number);
  fit_work_add(&g->job->work, objective_work(o));
}

static void work_groups(void *follower, void *data) {
  PointsJob *job = data;
  Hub *hub = follower_hub(follower);
  job->end = LSQ_DONE;
  for (int k = 0; k < job->count; k += GROUP) {
    int left = job->count - k;
    hub_run(hub, left < GROUP ? left : GROUP, work_point, &(Group){follower, job, k});
  }
}

static bool in_lanes(const Objective *o) {
  return o->problem->options.lanes == LANES_AUTO && hub_can(o->problem);
}

// ---------------------------------------------------------------- points

Points *points_new(Objective *o) {
  Arena *a = arena_new();
  Points *p = ARENA_NEW(a, Points);
  p->arena = a;
  p->objective = o;
  p->group = in_lanes(o) ? GROUP : 1;
  p->job_size = sizeof *p->job + BLOCK_MOST * (size_t)o->n * sizeof(double);
  p->job = arena_alloc(a, 1, p->job_size);
  return p;
}

void points_free(Points *p) {
  if (!p) return;
  pool_free(p->pool);
  arena_free(p->arena);
}

static void submit(Points *p, const double *x, int count) {
  size_t n = (size_t)p->objective->n;
  *p->job = (PointsJob){.count = count};
  for (int k = 0; k < BLOCK_MOST; k++) p->job->V[k] = HUGE_VAL;
  memcpy(p->job->x, x, (size_t)count * n * sizeof *x);
  pool_submit(p->pool, p->job);
}

// Points of a job, whole groups: few enough that all workers have some, many enough that handing them out costs nothing.
static int block_of(const Points *p, int count) {
  int jobs = SHARES * pool_workers(p->pool), share = (count + jobs - 1) / jobs;
  int block = (share + p->group - 1) / p->group * p->group;
  return block < p->group ? p->group : block > BLOCK_MOST ? BLOCK_MOST : block;
}

// In a task of a hub: simulations are shared with the other tasks.
static LsqEnd values_in_turn(Objective *o, const double *x, int count, double *V) {
  long steps = o->best_steps, most = steps;
  LsqEnd end = LSQ_DONE;
  for (int k = 0; k < count && end != LSQ_STOP; k++) {
    LsqPoint at = {.x = (double *)x + (size_t)k * (size_t)o->n};
    end = objective_eval(o, &at, HUGE_VAL, false);
    V[k] = at.objective;
    most = o->best_steps > most ? o->best_steps : most;
    o->best_steps = steps; // no point sees another
  }
  o->best_steps = most;
  return end == LSQ_STOP ? LSQ_STOP : LSQ_DONE;
}

LsqEnd points_values(Points *p, const double *x, int count, double *V) {
  Objective *o = p->objective;
  int some = objective_affords(o, count);
  long steps = o->best_steps, before = o->work.in_turn;
  LsqEnd end = some < count ? LSQ_STOP : LSQ_DONE;
  if (o->hub) {
    for (int k = 0; k < count; k++) V[k] = HUGE_VAL;
    if (values_in_turn(o, x, some, V) == LSQ_STOP) end = LSQ_STOP;
    if (some < count) objective_cut(o);
    return end;
  }
  if (!p->pool)
    p->pool = followers_new(o, INT_MAX, p->job_size, p->group > 1 ? work_groups : work_points);
  int block = block_of(p, some);
  for (int k = 0; k < count; k++) V[k] = HUGE_VAL;
  for (int k = 0; k < some; k += block)
    submit(p, x + (size_t)k * (size_t)o->n, some - k < block ? some - k : block);
  for (int k = 0; k < some; k += block) {
    if (!pool_collect(p->pool, p->job)) return LSQ_STOP;
    memcpy(V + k, p->job->V, (size_t)p->job->count * sizeof *V);
    fit_work_add(&o->work, &p->job->work);
    if (p->job->end == LSQ_STOP) end = LSQ_STOP;
    if (p->job->solver[0]) memcpy(o->solver, p->job->solver, sizeof o->solver);
    if (p->job->steps > steps) steps = p->job->steps;
  }
  o->best_steps = steps;
  if (some < count) objective_cut(o);
  fit_work_share(&o->work, before, pool_workers(p->pool));
  return end;
}
