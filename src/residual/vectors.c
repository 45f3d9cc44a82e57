#include "residual/vectors.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "residual/followers.h"
#include "residual/objective_parts.h"

typedef struct VectorJob {
  LsqEnd end;
  long steps;
  FitWork work;
  double numbers[]; // x, then the residuals
} VectorJob;

struct Vectors {
  Objective *objective;
  Arena *arena;
  Pool *pool; // NULL until it is needed
  size_t job_size;
  VectorJob *job;
};

static void work_vector(void *follower, void *data) {
  VectorJob *job = data;
  Objective *o = follower_ready(follower);
  job->end = objective_vector(o, job->numbers, job->numbers + o->n, NULL);
  job->steps = o->best_steps;
  job->work = *objective_work(o);
}

// The whole horizon has the most rows.
static size_t most_rows(const Objective *o) {
  const Problem *p = o->problem;
  size_t rows = (size_t)p->unknown_count; // priors
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      rows += (size_t)p->experiments[e].channels[c].count;
  return rows;
}

Vectors *vectors_new(Objective *o) {
  Arena *a = arena_new();
  Vectors *v = ARENA_NEW(a, Vectors);
  v->arena = a;
  v->objective = o;
  v->job_size = sizeof *v->job + ((size_t)o->n + most_rows(o)) * sizeof(double);
  v->job = arena_alloc(a, 1, v->job_size);
  return v;
}

void vectors_free(Vectors *v) {
  if (!v) return;
  pool_free(v->pool);
  arena_free(v->arena);
}

static void submit(const Vectors *v, const double *x) {
  memcpy(v->job->numbers, x, (size_t)v->objective->n * sizeof *x);
  pool_submit(v->pool, v->job);
}

// False: it was stopped.
static bool collect(const Vectors *v, int rows, double *V, double *r) {
  const VectorJob *job = v->job;
  if (!pool_collect(v->pool, v->job)) return false;
  fit_work_add(&v->objective->work, &job->work);
  if (job->end != LSQ_DONE) return job->end != LSQ_STOP;
  memcpy(r, job->numbers + v->objective->n, (size_t)rows * sizeof *r);
  *V = 0;
  for (int j = 0; j < rows; j++) *V += r[j] * r[j] / 2;
  return true;
}

LsqEnd vectors_values(Vectors *v, const double *x, int count, double *V, double *r) {
  Objective *o = v->objective;
  int some = objective_affords(o, count), rows = objective_vector_rows(o);
  long steps = o->best_steps, before = o->work.in_turn;
  LsqEnd end = some < count ? LSQ_STOP : LSQ_DONE;
  if (!v->pool) v->pool = followers_new(o, INT_MAX, v->job_size, work_vector);
  for (int k = 0; k < count; k++) V[k] = HUGE_VAL;
  for (int k = 0; k < some; k++) submit(v, x + (size_t)k * (size_t)o->n);
  for (int k = 0; k < some; k++) {
    if (!collect(v, rows, &V[k], r + (size_t)k * (size_t)rows)) end = LSQ_STOP;
    if (v->job->steps > steps) steps = v->job->steps;
  }
  o->best_steps = steps;
  if (some < count) objective_cut(o);
  fit_work_share(&o->work, before, pool_workers(v->pool));
  return end;
}
