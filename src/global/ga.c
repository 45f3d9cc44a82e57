// Genetic algorithm as MATLAB's documentation of ga describes it: expectation 1/sqrt(rank), stochastic uniform selection,
// scattered crossover, elite, mutation along feasible directions with a step that adapts.
#include <math.h>
#include <string.h>

#include "global/population.h"
#include "local/common.h"

static const double STEP_FACTOR = 4, STEP_LEAST = 1e-8;

typedef struct Ga {
  Population *p;
  int elite, crossed, mutated; // children of a generation
  int *order, *scratch;        // by objective
  int *parents;                // two for each crossed child, then one for each mutated
  double *children, *V;        // elite first
  double *direction;
  double step; // of mutations, in units of the box
} Ga;

static Ga *ga_new(Population *p) {
  const PopulationOptions *o = p->population;
  Arena *a = p->arena;
  Ga *g = ARENA_NEW(a, Ga);
  g->p = p;
  int elite = (int)ceil(o->ga_elite * p->size);
  g->elite = elite < 1 ? 1 : elite < p->size ? elite : p->size - 1;
  g->crossed = (int)lround(o->ga_crossover * (p->size - g->elite));
  g->mutated = p->size - g->elite - g->crossed;
  g->order = ARENA_ARRAY(a, int, p->size);
  g->scratch = ARENA_ARRAY(a, int, p->size);
  g->parents = ARENA_ARRAY(a, int, 2 * g->crossed + g->mutated);
  g->children = ARENA_ARRAY(a, double, (size_t)p->size *(size_t)p->n);
  g->V = ARENA_ARRAY(a, double, p->size);
  g->direction = ARENA_ARRAY(a, double, p->n);
  g->step = 1;
  return g;
}

// ---------------------------------------------------------------- selection

static void shuffle(Population *p, int *members, int count) {
  for (int k = count - 1; k > 0; k--) {
    int other = population_pick(p, k + 1), kept = members[k];
    members[k] = members[other];
    members[other] = kept;
  }
}

// Members lie on a line, each as long as its expectation; parents are where equal steps along the line lead.
static void select_parents(Ga *g) {
  Population *p = g->p;
  int count = 2 * g->crossed + g->mutated, member = 0;
  double line = 0;
  population_rank(p->V, p->size, g->order, g->scratch);
  for (int k = 0; k < p->size; k++) line += 1 / sqrt(k + 1);
  double pace = line / count, at = pace * random_uniform(&p->random), end = 1;
  for (int k = 0; k < count; k++, at += pace) {
    while (at > end && member < p->size - 1) {
      member++;
      end += 1 / sqrt(member + 1);
    }
    g->parents[k] = g->order[member];
  }
  shuffle(p, g->parents, count);
}

// ---------------------------------------------------------------- children

static void cross(Population *p, const double *one, const double *other, double *child) {
  for (int i = 0; i < p->n; i++) child[i] = random_uniform(&p->random) < 0.5 ? one[i] : other[i];
}

// Whether x + length*direction is inside the bounds; sets the child to it.
static bool move(const Ga *g, const double *x, double length, double *child) {
  const Lsq *lsq = g->p->lsq;
  bool inside = true;
  for (int i = 0; i < lsq->n; i++) {
    child[i] = x[i] + length * g->p->width[i] * g->direction[i];
    inside = inside && child[i] >= lsq->lower[i] && child[i] <= lsq->upper[i];
  }
  return inside;
}

// Lengths are between the step and the box, in equal shares of their logarithm: a step that has become small does not end
// the search for other optima. A direction and its opposite are tried before another one is drawn, and shorter ones when
// none leads inside.
static void mutate(Ga *g, const double *x, double *child) {
  enum { DIRECTIONS = 8 };
  Population *p = g->p;
  double length = pow(g->step, random_uniform(&p->random));
  for (int k = 0; k < DIRECTIONS; k++, length /= 2) {
    for (int i = 0; i < p->n; i++)
      g->direction[i] = p->width[i] > 0 ? random_normal(&p->random) / sqrt(p->movable) : 0;
    if (move(g, x, length, child) || move(g, x, -length, child)) return;
  }
  local_clamp(p->lsq, child);
}

static void make_children(Ga *g) {
  Population *p = g->p;
  int n = p->n;
  for (int k = 0; k < g->elite; k++) {
    memcpy(population_row(g->children, n, k), population_row(p->x, n, g->order[k]),
           (size_t)n * sizeof(double));
    g->V[k] = p->V[g->order[k]];
  }
  const int *parent = g->parents;
  for (int k = 0; k < g->crossed; k++, parent += 2)
    cross(p, population_row(p->x, n, parent[0]), population_row(p->x, n, parent[1]),
          population_row(g->children, n, g->elite + k));
  for (int k = 0; k < g->mutated; k++, parent++)
    mutate(g, population_row(p->x, n, *parent),
           population_row(g->children, n, g->elite + g->crossed + k));
}

static void next_generation(Ga *g) {
  Population *p = g->p;
  double before = p->result->best->objective;
  select_parents(g);
  make_children(g);
  if (!population_evaluate(p, population_row(g->children, p->n, g->elite), p->size - g->elite,
                           g->V + g->elite))
    return;
  double *x = p->x, *V = p->V;
  p->x = g->children, p->V = g->V;
  g->children = x, g->V = V;
  // Steps grow while generations succeed and shrink while they do not.
  bool better = p->result->best->objective < before;
  g->step = better ? fmin(1, STEP_FACTOR * g->step) : fmax(STEP_LEAST, g->step / STEP_FACTOR);
  population_next(p, p->x);
}

void global_ga(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  PopulationDefaults suits = {lsq->n > 5 ? 10 * lsq->n : 50, 100 * lsq->n, 50};
  Population *p = population_new(lsq, options, result, &suits);
  population_begin(p);
  Ga *g = ga_new(p);
  while (!p->ended) next_generation(g);
  population_free(p);
}
