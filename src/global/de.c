// Differential evolution (Storn and Price, J. Global Optim. 11 (1997) 341). The trial for member x takes each unknown, with the
// probability of crossover, from the mutant
//   base + weight * (one - other),
// where one and other are members at random, and base is another one (rand/1/bin) or the best (best/1/bin); it replaces x
// unless it is worse. The weight changes from generation to generation (dither: Das, Konar, Chakraborty, GECCO 2005).
#include <math.h>
#include <string.h>

#include "global/population.h"

static const double DITHER = 0.25;

typedef struct De {
  Population *p;
  double *trials, *V;
  double weight; // of this generation
} De;

static De *de_new(Population *p) {
  De *d = ARENA_NEW(p->arena, De);
  d->p = p;
  d->trials = ARENA_ARRAY(p->arena, double, (size_t)p->size *(size_t)p->n);
  d->V = ARENA_ARRAY(p->arena, double, p->size);
  return d;
}

// Three members, none of them `target`, all different if the population is large enough.
static void pick_three(Population *p, int target, int *picked) {
  for (int k = 0; k < 3; k++) {
    bool taken = true;
    for (int tries = 0; taken && tries < 100; tries++) {
      picked[k] = population_pick(p, p->size);
      taken = picked[k] == target;
      for (int l = 0; l < k; l++) taken = taken || picked[k] == picked[l];
    }
  }
}

// A mutant beyond a bound is put at random between the bound and the target: close to the bound, too.
static double inside(Population *p, int i, double mutant, double target) {
  double low = p->lsq->lower[i], high = p->lsq->upper[i];
  if (mutant >= low && mutant <= high) return mutant;
  double bound = mutant < low ? low : high;
  return target + random_uniform(&p->random) * (bound - target);
}

static void make_trial(De *d, int target) {
  Population *p = d->p;
  const PopulationOptions *o = p->population;
  int picked[3], n = p->n;
  pick_three(p, target, picked);
  const double *x = population_row(p->x, n, target), *one = population_row(p->x, n, picked[1]);
  const double *other = population_row(p->x, n, picked[2]);
  const double *base =
      o->de_strategy == DE_STRATEGY_BEST ? p->result->best->x : population_row(p->x, n, picked[0]);
  double *trial = population_row(d->trials, n, target);
  int always = population_pick(p, n);
  for (int i = 0; i < n; i++) {
    bool cross = random_uniform(&p->random) < o->de_crossover || i == always;
    double mutant = base[i] + d->weight * (one[i] - other[i]);
    trial[i] = cross ? inside(p, i, mutant, x[i]) : x[i];
  }
}

static void next_generation(De *d) {
  Population *p = d->p;
  double draw = 2 * random_uniform(&p->random) - 1;
  d->weight = fabs(p->population->de_weight + DITHER * draw);
  for (int k = 0; k < p->size; k++) make_trial(d, k);
  if (!population_evaluate(p, d->trials, p->size, d->V)) return;
  for (int k = 0; k < p->size; k++) {
    if (!(d->V[k] <= p->V[k])) continue;
    p->V[k] = d->V[k];
    memcpy(population_row(p->x, p->n, k), population_row(d->trials, p->n, k),
           (size_t)p->n * sizeof(double));
  }
  population_next(p, p->x);
}

void global_de(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  PopulationDefaults suits = {lsq->n > 2 ? 10 * lsq->n : 20, 200 * lsq->n, 100};
  Population *p = population_new(lsq, options, result, &suits);
  population_begin(p);
  De *d = de_new(p);
  while (!p->ended) next_generation(d);
  population_free(p);
}
