// Particle swarm as MATLAB's documentation of particleswarm describes it: after Kennedy and Eberhart (1995), with the adaptive
// neighbourhood and inertia of Mezura-Montes and Coello Coello (2011). A particle at x with speed v and best point own moves by
//   v = inertia*v + self*u1*(own - x) + social*u2*(best - x),   x += v,
// where best is the best point of some neighbours at random, and u1, u2 are uniform in 0 ... 1, for each unknown anew.
#include <math.h>
#include <string.h>

#include "global/population.h"

typedef struct Swarm {
  Population *p;
  double *speed;
  double *own, *own_V; // best point of each particle
  int *others;         // particles in a random order
  int least_neighbours, neighbours;
  double inertia;
  int stalled; // counts up in generations without a better point, down in others
} Swarm;

static Swarm *swarm_new(Population *p) {
  const PopulationOptions *o = p->population;
  Arena *a = p->arena;
  size_t numbers = (size_t)p->size * (size_t)p->n;
  Swarm *s = ARENA_NEW(a, Swarm);
  s->p = p;
  s->speed = ARENA_ARRAY(a, double, numbers);
  s->own = ARENA_ARRAY(a, double, numbers);
  s->own_V = ARENA_ARRAY(a, double, p->size);
  s->others = ARENA_ARRAY(a, int, p->size);
  for (int k = 0; k < p->size; k++) s->others[k] = k;
  int least = (int)(o->pso_neighbours * p->size);
  s->least_neighbours = s->neighbours = least > 2 ? least : 2;
  s->inertia = fmax(o->pso_inertia_least, o->pso_inertia_most);
  memcpy(s->own, p->x, numbers * sizeof *s->own);
  memcpy(s->own_V, p->V, (size_t)p->size * sizeof *s->own_V);
  for (int k = 0; k < p->size; k++)
    for (int i = 0; i < p->n; i++)
      population_row(s->speed, p->n, k)[i] = p->width[i] * (2 * random_uniform(&p->random) - 1);
  return s;
}

// The best of a few others, drawn at random.
static const double *best_neighbour(Swarm *s, int particle) {
  Population *p = s->p;
  int best = -1;
  for (int k = 0, drawn = 0; k < p->size && drawn < s->neighbours; k++) {
    int at = k + population_pick(p, p->size - k), other = s->others[at];
    s->others[at] = s->others[k];
    s->others[k] = other;
    if (other == particle) continue;
    drawn++;
    if (best < 0 || s->own_V[other] < s->own_V[best]) best = other;
  }
  return population_row(s->own, p->n, best < 0 ? particle : best);
}

// No particle flies farther in a generation than the box is wide; at a bound it stops.
static void fly(Swarm *s, int particle) {
  Population *p = s->p;
  const Lsq *lsq = p->lsq;
  const PopulationOptions *o = p->population;
  double *x = population_row(p->x, p->n, particle), *v = population_row(s->speed, p->n, particle);
  const double *own = population_row(s->own, p->n, particle), *best = best_neighbour(s, particle);
  for (int i = 0; i < p->n; i++) {
    double to_own = o->pso_self * random_uniform(&p->random) * (own[i] - x[i]);
    double to_best = o->pso_social * random_uniform(&p->random) * (best[i] - x[i]);
    double speed = s->inertia * v[i] + to_own + to_best;
    v[i] = fmin(fmax(speed, -p->width[i]), p->width[i]);
    x[i] += v[i];
    if (x[i] >= lsq->lower[i] && x[i] <= lsq->upper[i]) continue;
    x[i] = x[i] < lsq->lower[i] ? lsq->lower[i] : lsq->upper[i];
    v[i] = 0;
  }
}

static void remember(Swarm *s) {
  Population *p = s->p;
  for (int k = 0; k < p->size; k++) {
    if (!(p->V[k] < s->own_V[k])) continue;
    s->own_V[k] = p->V[k];
    memcpy(population_row(s->own, p->n, k), population_row(p->x, p->n, k),
           (size_t)p->n * sizeof(double));
  }
}

// The documentation halves the inertia in generations with a better point alone; where these are rare it would stay at its
// most until the search ends as stalled.
static void adapt(Swarm *s, bool better) {
  const PopulationOptions *o = s->p->population;
  double least = fmin(o->pso_inertia_least, o->pso_inertia_most);
  double most = fmax(o->pso_inertia_least, o->pso_inertia_most);
  int more = s->neighbours + s->least_neighbours;
  s->stalled = !better ? s->stalled + 1 : s->stalled > 0 ? s->stalled - 1 : 0;
  s->neighbours = better ? s->least_neighbours : more < s->p->size ? more : s->p->size;
  if (better && s->stalled < 2) s->inertia *= 2;
  if (s->stalled > 5) s->inertia /= 2;
  s->inertia = fmin(fmax(s->inertia, least), most);
}

static void next_generation(Swarm *s) {
  Population *p = s->p;
  double before = p->result->best->objective;
  for (int k = 0; k < p->size; k++) fly(s, k);
  if (!population_evaluate(p, p->x, p->size, p->V)) return;
  remember(s);
  adapt(s, p->result->best->objective < before);
  population_next(p, s->own);
}

void global_pso(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  PopulationDefaults suits = {10 * lsq->n, 200 * lsq->n, 20};
  Population *p = population_new(lsq, options, result, &suits);
  population_begin(p);
  Swarm *s = swarm_new(p);
  while (!p->ended) next_generation(s);
  population_free(p);
}
