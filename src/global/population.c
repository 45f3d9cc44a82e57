// The first population is spread over the box by a design (num/design.h), the start among it. A search ends when all points
// are one (TOGETHER), when the best objective has changed by less than stall_tol a generation over a window (STALL), at the
// target, or when the generations are used up.
#include "global/population.h"

#include <math.h>
#include <string.h>

#include "local/common.h"
#include "num/design.h"

// ---------------------------------------------------------------- stall

void stall_init(Stall *s, Arena *a, int window) {
  s->window = window;
  s->past = ARENA_ARRAY(a, double, window);
  s->seen = 0;
}

bool stall_add(Stall *s, double best, double tol, double floor) {
  double *slot = &s->past[s->seen % s->window], old = *slot;
  bool full = s->seen >= s->window;
  *slot = best;
  s->seen++;
  return full && old - best <= tol * s->window * (fabs(best) + floor);
}

// ---------------------------------------------------------------- population

static int option_or(int option, int suits) {
  int value = option > 0 ? option : suits;
  return value > 1 ? value : 1;
}

enum { SIZE_LEAST = 4 };

// No larger than what may be simulated.
static int size_of(const PopulationOptions *o, int suits) {
  int size = option_or(o->population, suits);
  if (size > o->max_simulations) size = o->max_simulations;
  return size < SIZE_LEAST ? SIZE_LEAST : size;
}

Population *population_new(const Lsq *lsq, const LocalOptions *options, LocalResult *result,
                           const PopulationDefaults *defaults) {
  const PopulationOptions *o = options->population;
  Arena *a = arena_new();
  Population *p = ARENA_NEW(a, Population);
  p->arena = a;
  p->lsq = lsq;
  p->options = options;
  p->population = o;
  p->result = result;
  p->n = lsq->n;
  p->size = size_of(o, defaults->size);
  p->generations = option_or(o->generations, defaults->generations);
  int stall = option_or(o->stall, defaults->stall);
  stall_init(&p->stall, a, stall <= p->generations ? stall : p->generations + 1); // else never
  random_seed_stream(&p->random, (uint64_t)o->seed, 0);
  p->x = ARENA_ARRAY(a, double, (size_t)p->size *(size_t)p->n);
  p->V = ARENA_ARRAY(a, double, p->size);
  p->width = ARENA_ARRAY(a, double, p->n);
  for (int i = 0; i < p->n; i++) {
    p->width[i] = lsq->lower[i] < lsq->upper[i] ? lsq->box_high[i] - lsq->box_low[i] : 0;
    p->movable += p->width[i] > 0;
  }
  return p;
}

void population_free(Population *p) {
  arena_free(p->arena);
}

void population_end(Population *p, LocalEnd end) {
  p->result->end = end;
  p->ended = true;
}

bool population_evaluate(Population *p, const double *x, int count, double *V) {
  if (local_values(p->lsq, x, count, V, p->result) != LSQ_STOP) return true;
  population_end(p, LOCAL_STOPPED_END);
  return false;
}

// Rows from `first` on, all over the box. Unknowns that are fixed stay at their value.
static void spread(Population *p, uint64_t number, int first) {
  const Lsq *lsq = p->lsq;
  double *x = population_row(p->x, p->n, first);
  Random seeds;
  random_seed_stream(&seeds, (uint64_t)p->population->seed, number);
  uint64_t seed = (uint64_t)(random_uniform(&seeds) * 0x1p52);
  design_points(p->population->sampling, seed, p->n, p->size - first, x);
  for (int k = first; k < p->size; k++) {
    double *row = population_row(p->x, p->n, k);
    for (int i = 0; i < p->n; i++)
      row[i] = p->width[i] > 0 ? lsq->box_low[i] + row[i] * p->width[i] : lsq->lower[i];
    local_clamp(lsq, row);
  }
}

// The first population has a member that can be simulated, if one of ten has.
static void evaluate_first(Population *p) {
  enum { TRIES = 10 };
  LocalResult *r = p->result;
  for (int k = 0; k < TRIES && !p->ended && r->best->objective == HUGE_VAL; k++) {
    spread(p, (uint64_t)k + 1, k == 0);
    population_evaluate(p, p->x, p->size, p->V);
  }
  if (!p->ended && r->best->objective == HUGE_VAL) population_end(p, LOCAL_NO_START_END);
}

void population_begin(Population *p) {
  LocalResult *r = p->result;
  LocalEnd how;
  r->iterations = r->evaluations = 0;
  r->best->objective = HUGE_VAL;
  r->best->has_slopes = false;
  local_clamp(p->lsq, r->best->x);
  if (p->n) memcpy(p->x, r->best->x, (size_t)p->n * sizeof *p->x);
  if (p->movable == 0) {
    if (!population_evaluate(p, p->x, 1, p->V)) return;
    population_end(p, r->best->objective < HUGE_VAL ? LOCAL_TOGETHER_END : LOCAL_NO_START_END);
    return;
  }
  evaluate_first(p);
  if (p->ended) return;
  stall_add(&p->stall, r->best->objective, 0, 0);
  if (local_is_good(r->best, p->options, &how)) population_end(p, how);
}

bool population_is_one_point(const Population *p, const double *points, int count) {
  const double *best = p->result->best->x;
  for (int k = 0; k < count; k++)
    for (int i = 0; i < p->n; i++) {
      double d = points[(size_t)k * (size_t)p->n + (size_t)i] - best[i];
      if (!(fabs(d) <= p->options->step_tol * local_size(p->lsq, best, i))) return false;
    }
  return true;
}

void population_count(Population *p) {
  LocalResult *r = p->result;
  LocalEnd how;
  r->iterations++;
  if (p->lsq->accepted) p->lsq->accepted(p->lsq->self, r->best, r->iterations);
  if (local_is_good(r->best, p->options, &how))
    population_end(p, how);
  else if (r->best->objective <= p->lsq->noise)
    population_end(p, LOCAL_REDUCTION_END);
  else if (r->iterations >= p->generations)
    population_end(p, LOCAL_GENERATIONS_END);
}

void population_next(Population *p, const double *points) {
  const PopulationOptions *o = p->population;
  population_count(p);
  bool stalls = stall_add(&p->stall, p->result->best->objective, o->stall_tol, o->stall_floor);
  if (p->ended && p->result->end != LOCAL_GENERATIONS_END) return;
  if (population_is_one_point(p, points, p->size))
    population_end(p, LOCAL_TOGETHER_END);
  else if (stalls)
    population_end(p, LOCAL_STALL_END);
}

// ---------------------------------------------------------------- order and chance

static void merge(const double *V, const int *from, int middle, int count, int *to) {
  int left = 0, right = middle;
  for (int k = 0; k < count; k++) {
    bool take_right = left == middle || (right < count && V[from[right]] < V[from[left]]);
    to[k] = take_right ? from[right++] : from[left++];
  }
}

static void sort(const double *V, int *order, int count, int *scratch) {
  if (count < 2) return;
  int middle = count / 2;
  sort(V, order, middle, scratch);
  sort(V, order + middle, count - middle, scratch);
  memcpy(scratch, order, (size_t)count * sizeof *order);
  merge(V, scratch, middle, count, order);
}

void population_rank(const double *V, int count, int *order, int *scratch) {
  for (int k = 0; k < count; k++) order[k] = k;
  sort(V, order, count, scratch);
}

int population_pick(Population *p, int below) {
  return (int)(random_uniform(&p->random) * below);
}
