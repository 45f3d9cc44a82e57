// Evolution strategy that adapts its covariance matrix: Hansen, "The CMA evolution strategy: a tutorial", arXiv:1604.00772.
// A generation is drawn as mean + sigma y, y ~ N(0, C). With <.> the weighted mean over the better half,
//   mean  += sigma <y>
//   p_s    = (1 - c_s) p_s + sqrt(c_s (2 - c_s) mu_eff) C^(-1/2) <y>
//   p_c    = (1 - c_c) p_c + sqrt(c_c (2 - c_c) mu_eff) <y>
//   C      = (1 - c_1 - c_mu) C + c_1 p_c p_c' + c_mu <y y'>
//   sigma *= exp(c_s/d_s (|p_s|/E|N(0, I)| - 1)).
// A run that does not improve any more is followed by one with twice the population (Auger and Hansen, CEC 2005), until two of
// them agree.
//
// Unknowns are in units of the box. Points beyond a bound are mirrored at it when they are evaluated, while the strategy
// learns from where they were drawn (Biedrzycki, Swarm Evol. Comput. 52 (2020) 100627): it sees a function without bounds,
// and nothing but the order of objectives counts.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "global/population.h"
#include "local/common.h"
#include "num/svd.h"

// Fixed in a run. Letters as in the tutorial.
typedef struct CmaStrategy {
  int size, parents, most_generations;
  double *weight;       // of the parents, sum 1
  double effective;     // mu_eff: how many parents of equal weight these are
  double c_s, d_s;      // step size: rate and damping
  double c_c, c_1, c_m; // rates of the path, and of the covariance by the path and by the parents
  double normal_length; // E|N(0, I)|
} CmaStrategy;

// What a run learns.
typedef struct CmaDistribution {
  double *mean, sigma;
  double *C, *axes, *lengths; // covariance, its eigenvectors in columns, roots of its eigenvalues
  double *path, *step_path;   // p_c, p_s
  int generation;
} CmaDistribution;

// A generation, and scratch.
typedef struct CmaGeneration {
  double *drawn, *moves; // rows of z ~ N(0, I), and of y = C^(1/2) z
  double *x, *V;
  int *order, *scratch;
  double *share;                  // weights of the parents that could be simulated
  double *mean_drawn, *mean_move; // <z>, <y>
  double *point, *matrix;
} CmaGeneration;

typedef struct CmaRun {
  Population *p;
  int n;              // unknowns that are not fixed
  int *at;            // which they are
  double *low, *high; // their bounds
  bool bounded;       // all of them, on both sides
  CmaStrategy strategy;
  CmaDistribution distribution;
  CmaGeneration generation;
  Stall rest, stagnation;
  double best_V, *best; // of this run; a point
} CmaRun;

// ---------------------------------------------------------------- a run

static void set_strategy(CmaStrategy *c, int size, double n) {
  double sum = 0, squares = 0;
  c->size = size;
  c->parents = size / 2 > 0 ? size / 2 : 1;
  for (int k = 0; k < c->parents; k++) {
    c->weight[k] = log((size + 1) / 2.) - log(k + 1.);
    sum += c->weight[k];
  }
  if (!(sum > 0)) sum = c->weight[0] = 1;
  for (int k = 0; k < c->parents; k++) {
    c->weight[k] /= sum;
    squares += c->weight[k] * c->weight[k];
  }
  double e = c->effective = 1 / squares;
  c->c_s = (e + 2) / (n + e + 5);
  c->d_s = 1 + 2 * fmax(0, sqrt(fmax(0, e - 1) / (n + 1)) - 1) + c->c_s;
  c->c_c = (4 + e / n) / (n + 4 + 2 * e / n);
  c->c_1 = 2 / ((n + 1.3) * (n + 1.3) + e);
  double many = 2 * (0.25 + e + 1 / e - 2) / ((n + 2) * (n + 2) + e);
  c->c_m = fmin(1 - c->c_1, fmax(0, many));
  c->normal_length = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
  c->most_generations = (int)fmin(1e9, 100 + 150 * (n + 3) * (n + 3) / sqrt(size));
}

// Begins at x, whose objective is V, or HUGE_VAL where it was not evaluated.
static CmaRun *run_new(Arena *a, Population *p, int size, const double *x, double V) {
  CmaRun *r = ARENA_NEW(a, CmaRun);
  CmaDistribution *d = &r->distribution;
  CmaGeneration *g = &r->generation;
  const Lsq *lsq = p->lsq;
  int n = p->movable, given = p->population->stall;
  r->p = p;
  r->n = n;
  r->at = ARENA_ARRAY(a, int, n);
  g->order = ARENA_ARRAY(a, int, size);
  g->scratch = ARENA_ARRAY(a, int, size);
  double **vectors[] = {&r->low,       &r->high,       &d->mean,      &d->lengths, &d->path,
                        &d->step_path, &g->mean_drawn, &g->mean_move, &g->point};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = ARENA_ARRAY(a, double, n);
  double **matrices[] = {&d->C, &d->axes, &g->matrix};
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
    *matrices[i] = ARENA_ARRAY(a, double, (size_t)n *(size_t)n);
  double **members[] = {&g->V, &r->strategy.weight, &g->share};
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    *members[i] = ARENA_ARRAY(a, double, size);
  g->drawn = ARENA_ARRAY(a, double, (size_t)size *(size_t)n);
  g->moves = ARENA_ARRAY(a, double, (size_t)size *(size_t)n);
  g->x = ARENA_ARRAY(a, double, (size_t)size *(size_t)p->n);
  r->best = ARENA_ARRAY(a, double, p->n);
  int window = given > 0 ? given : 10 + (30 * n + size - 1) / size;
  stall_init(&r->rest, a, window);
  stall_init(&r->stagnation, a, 5 * window);
  set_strategy(&r->strategy, size, n);
  r->bounded = true;
  for (int i = 0, j = 0; i < p->n; i++) {
    if (!(p->width[i] > 0)) continue;
    r->low[j] = (lsq->lower[i] - lsq->box_low[i]) / p->width[i];
    r->high[j] = (lsq->upper[i] - lsq->box_low[i]) / p->width[i];
    r->bounded = r->bounded && isfinite(r->high[j] - r->low[j]);
    d->mean[j] = (x[i] - lsq->box_low[i]) / p->width[i];
    d->C[j * n + j] = d->axes[j * n + j] = d->lengths[j] = 1;
    r->at[j++] = i;
  }
  d->sigma = p->population->cma_sigma;
  r->best_V = V;
  memcpy(r->best, x, (size_t)p->n * sizeof *x);
  return r;
}

// ---------------------------------------------------------------- sampling

static double mirrored(double u, double low, double high) {
  if (u >= low && u <= high) return u;
  if (!isfinite(low)) return 2 * high - u;
  if (!isfinite(high)) return 2 * low - u;
  double width = high - low, t = fmod(fabs(u - low), 2 * width);
  return low + (t > width ? 2 * width - t : t);
}

// The point that u, anywhere in units of the box, stands for.
static void point_of(const CmaRun *r, const double *u, double *x) {
  const Population *p = r->p;
  const Lsq *lsq = p->lsq;
  memcpy(x, lsq->lower, (size_t)p->n * sizeof *x); // where unknowns are fixed
  for (int j = 0; j < r->n; j++) {
    int i = r->at[j];
    x[i] = lsq->box_low[i] + mirrored(u[j], r->low[j], r->high[j]) * p->width[i];
  }
  local_clamp(lsq, x);
}

static void multiply(int n, const double *A, const double *v, double *out) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += A[i * n + j] * v[j];
    out[i] = sum;
  }
}

// Member k: mean + sigma y.
static void draw(CmaRun *r, int k) {
  const CmaDistribution *d = &r->distribution;
  CmaGeneration *g = &r->generation;
  double *z = population_row(g->drawn, r->n, k), *y = population_row(g->moves, r->n, k);
  for (int j = 0; j < r->n; j++) {
    z[j] = random_normal(&r->p->random);
    g->point[j] = d->lengths[j] * z[j];
  }
  multiply(r->n, d->axes, g->point, y);
  for (int i = 0; i < r->n; i++) g->point[i] = d->mean[i] + d->sigma * y[i];
  point_of(r, g->point, population_row(g->x, r->p->n, k));
}

// ---------------------------------------------------------------- adaptation

static double length(const double *v, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += v[i] * v[i];
  return sqrt(sum);
}

// Shares of the parents; false: none of them could be simulated.
static bool choose_parents(CmaRun *r) {
  const CmaStrategy *c = &r->strategy;
  CmaGeneration *g = &r->generation;
  double sum = 0;
  population_rank(g->V, c->size, g->order, g->scratch);
  for (int k = 0; k < c->parents; k++) {
    g->share[k] = g->V[g->order[k]] < HUGE_VAL ? c->weight[k] : 0;
    sum += g->share[k];
  }
  for (int k = 0; k < c->parents && sum > 0; k++) g->share[k] /= sum;
  int best = g->order[0];
  if (g->V[best] < r->best_V) {
    r->best_V = g->V[best];
    memcpy(r->best, population_row(g->x, r->p->n, best), (size_t)r->p->n * sizeof(double));
  }
  return sum > 0;
}

static void mean_of_parents(const CmaRun *r, double *rows, double *mean) {
  const CmaGeneration *g = &r->generation;
  for (int i = 0; i < r->n; i++) {
    double sum = 0;
    for (int k = 0; k < r->strategy.parents; k++)
      sum += g->share[k] * population_row(rows, r->n, g->order[k])[i];
    mean[i] = sum;
  }
}

// The equations at the top of this file.
static void adapt(CmaRun *r) {
  const CmaStrategy *c = &r->strategy;
  CmaDistribution *d = &r->distribution;
  CmaGeneration *g = &r->generation;
  int n = r->n;
  if (!choose_parents(r)) {
    d->sigma /= 2;
    return;
  }
  mean_of_parents(r, g->drawn, g->mean_drawn);
  mean_of_parents(r, g->moves, g->mean_move);
  for (int i = 0; i < n; i++) d->mean[i] += d->sigma * g->mean_move[i];

  // p_s: C^(-1/2) <y> is axes * <z>, normal if parents were chosen at random
  double fresh = sqrt(c->c_s * (2 - c->c_s) * c->effective);
  multiply(n, d->axes, g->mean_drawn, g->point);
  for (int i = 0; i < n; i++)
    d->step_path[i] = (1 - c->c_s) * d->step_path[i] + fresh * g->point[i];

  // p_c; while the step size is much too small, the path would let one axis grow too fast
  double grown = 1 - pow(1 - c->c_s, 2. * (d->generation + 1));
  double longest = (1.4 + 2. / (n + 1)) * c->normal_length;
  bool usable = length(d->step_path, n) / sqrt(grown) < longest;
  fresh = usable ? sqrt(c->c_c * (2 - c->c_c) * c->effective) : 0;
  for (int i = 0; i < n; i++) d->path[i] = (1 - c->c_c) * d->path[i] + fresh * g->mean_move[i];

  double kept = 1 - c->c_1 - c->c_m + (usable ? 0 : c->c_1 * c->c_c * (2 - c->c_c));
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double many = 0;
      for (int k = 0; k < c->parents; k++) {
        const double *y = population_row(g->moves, n, g->order[k]);
        many += g->share[k] * y[i] * y[j];
      }
      double value = kept * d->C[i * n + j] + c->c_1 * d->path[i] * d->path[j];
      d->C[i * n + j] = d->C[j * n + i] = value + c->c_m * many;
    }

  // singular vectors of a symmetric positive matrix are its eigenvectors
  memcpy(g->matrix, d->C, (size_t)n * (size_t)n * sizeof *d->C);
  svd(n, n, g->matrix, d->lengths, d->axes);
  for (int i = 0; i < n; i++) d->lengths[i] = sqrt(d->lengths[i]);

  // never wider than the box when there is nothing outside
  double longer = length(d->step_path, n) / c->normal_length - 1;
  d->sigma *= exp(fmin(1, c->c_s / c->d_s * longer));
  if (r->bounded) d->sigma = fmin(d->sigma, 1 / d->lengths[0]);
  d->generation++;
}

// ---------------------------------------------------------------- ends

static bool is_one_point(const CmaRun *r) {
  const Population *p = r->p;
  const CmaDistribution *d = &r->distribution;
  double *x = r->generation.x;
  point_of(r, d->mean, x);
  for (int j = 0; j < r->n; j++) {
    int i = r->at[j];
    double reach = d->sigma * fmax(fabs(d->path[j]), sqrt(d->C[j * r->n + j])) * p->width[i];
    if (!(reach <= p->options->step_tol * local_size(p->lsq, x, i))) return false;
  }
  return true;
}

static const double CONDITION_MOST = 1e14;

// Whether the run is over; sets *end.
static bool rests(CmaRun *r, LocalEnd *end) {
  const PopulationOptions *o = r->p->population;
  const CmaDistribution *d = &r->distribution;
  const CmaGeneration *g = &r->generation;
  bool rest = stall_add(&r->rest, r->best_V, o->stall_tol, o->stall_floor);
  bool stagnates = stall_add(&r->stagnation, r->best_V, o->stall_tol, o->stall_floor);
  double longest = d->lengths[0], shortest = d->lengths[r->n - 1];
  *end = LOCAL_TOGETHER_END;
  if (is_one_point(r)) return true;
  *end = LOCAL_STALL_END;
  double best = g->V[g->order[0]], worst = g->V[g->order[r->strategy.parents - 1]];
  bool alike = worst - best <= o->stall_tol * r->rest.window * (best + o->stall_floor);
  return (rest && alike) || stagnates || d->generation >= r->strategy.most_generations ||
         longest * longest > CONDITION_MOST * shortest * shortest || !isfinite(d->sigma);
}

// Ends with the search, or at rest.
static LocalEnd run_through(CmaRun *r) {
  Population *p = r->p;
  CmaGeneration *g = &r->generation;
  LocalEnd end = LOCAL_STALL_END;
  bool stalled = false;
  while (!p->ended && !stalled) {
    for (int k = 0; k < r->strategy.size; k++) draw(r, k);
    if (!population_evaluate(p, g->x, r->strategy.size, g->V)) return end;
    adapt(r);
    population_count(p);
    stalled = rests(r, &end);
  }
  return end;
}

// ---------------------------------------------------------------- runs

// What the runs so far have found.
typedef struct CmaFound {
  double V, *x;
  int again; // later runs that count for it
} CmaFound;

static bool is_same_objective(const CmaRun *r, double V) {
  const PopulationOptions *o = r->p->population;
  double tol = r->rest.window * o->stall_tol * (V + o->stall_floor) + r->p->lsq->noise;
  return fabs(r->best_V - V) <= tol;
}

static bool is_same_point(const CmaRun *r, const double *x) {
  static const double NEAR = 1e-3;
  const Population *p = r->p;
  for (int i = 0; i < p->n; i++) {
    double size = fmax(local_size(p->lsq, x, i), NEAR * p->width[i]);
    if (!(fabs(r->best[i] - x[i]) <= NEAR * size)) return false;
  }
  return true;
}

// One more run is enough at the same point; two with the same objective elsewhere, as where unknowns cannot be identified.
static void compare(CmaFound *f, const CmaRun *r) {
  if (!(r->best_V < HUGE_VAL)) return;
  if (f->V < HUGE_VAL && is_same_point(r, f->x))
    f->again += 2;
  else if (f->V < HUGE_VAL && is_same_objective(r, f->V))
    f->again++;
  else if (r->best_V < f->V)
    f->again = 0;
  if (!(r->best_V < f->V)) return;
  f->V = r->best_V;
  memcpy(f->x, r->best, (size_t)r->p->n * sizeof *f->x);
}

// Somewhere in the box, not evaluated.
static void draw_start(Population *p, double *x) {
  for (int i = 0; i < p->n; i++) {
    double u = random_uniform(&p->random);
    x[i] = p->width[i] > 0 ? p->lsq->box_low[i] + u * p->width[i] : p->lsq->lower[i];
  }
  local_clamp(p->lsq, x);
}

static void run_all(Population *p) {
  int restarts = p->population->cma_restarts;
  CmaFound found = {HUGE_VAL, ARENA_ARRAY(p->arena, double, p->n), 0};
  double *start = ARENA_ARRAY(p->arena, double, p->n);
  memcpy(start, p->result->best->x, (size_t)p->n * sizeof *start);
  for (int k = 0; k <= restarts && !p->ended; k++) {
    Arena *a = arena_new();
    int size = (int)fmin((double)p->size * exp2(k), 1e8);
    CmaRun *r = run_new(a, p, size, start, k == 0 ? p->result->best->objective : HUGE_VAL);
    LocalEnd end = run_through(r);
    compare(&found, r);
    if (!p->ended && found.again >= 2)
      population_end(p, LOCAL_AGREED_END);
    else if (!p->ended && k == restarts)
      population_end(p, end);
    arena_free(a);
    draw_start(p, start);
  }
}

void global_cma_es(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  int n = lsq->n > 0 ? lsq->n : 1;
  PopulationDefaults suits = {4 + (int)(3 * log(n)), INT_MAX, 1};
  Population *p = population_new(lsq, options, result, &suits);
  population_begin(p);
  if (!p->ended) run_all(p);
  population_free(p);
}
