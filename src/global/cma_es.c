// Evolution strategy that adapts its covariance matrix: Hansen, "The CMA evolution strategy: a tutorial",
// arXiv:1604.00772, with weights, cumulation and step size as there. A run that has come to rest is followed by one with
// twice the population (Auger and Hansen, CEC 2005), until two of them agree.
//
// Numbers are in units of the box. Points beyond a bound are mirrored at it when they are evaluated, while the strategy
// learns from where they were drawn (Biedrzycki, Swarm Evol. Comput. 52 (2020) 100627): it sees a function without bounds,
// and nothing but the order of objectives counts.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "global/population.h"
#include "local/common.h"
#include "num/svd.h"

typedef struct Run {
  Population *p;
  int n;              // numbers that are not fixed
  int *at;            // which they are
  double *low, *high; // their bounds
  bool bounded;       // all of them, on both sides
  // the strategy
  int size, parents, most_generations;
  double *weight;                        // of the parents, sum 1
  double effective;                      // number of parents
  double rate_step, damping_step;        // c_sigma, d_sigma
  double rate_path, rate_one, rate_many; // c_c, c_1, c_mu
  double normal_length;                  // expected, of n normal numbers
  // the distribution
  double *mean, sigma;
  double *C, *axes, *lengths; // covariance, its eigenvectors in columns, roots of its eigenvalues
  double *path, *step_path;
  int generation;
  // a generation
  double *drawn, *moves; // rows of normal numbers; of moves from the mean, by sigma
  double *x, *V;
  int *order, *scratch;
  double *share; // weights of the parents that could be simulated
  double *mean_drawn, *mean_move, *point, *matrix;
  Stall rest, stagnation;
  double best_V, *best; // of this run; a point
} Run;

// ---------------------------------------------------------------- a run

static void set_weights(Run *r) {
  double sum = 0, squares = 0;
  r->parents = r->size / 2 > 0 ? r->size / 2 : 1;
  for (int k = 0; k < r->parents; k++) {
    r->weight[k] = log((r->size + 1) / 2.) - log(k + 1.);
    sum += r->weight[k];
  }
  if (!(sum > 0)) sum = r->weight[0] = 1;
  for (int k = 0; k < r->parents; k++) {
    r->weight[k] /= sum;
    squares += r->weight[k] * r->weight[k];
  }
  r->effective = 1 / squares;
}

static void set_rates(Run *r) {
  double n = r->n, e = r->effective;
  r->rate_step = (e + 2) / (n + e + 5);
  r->damping_step = 1 + 2 * fmax(0, sqrt(fmax(0, e - 1) / (n + 1)) - 1) + r->rate_step;
  r->rate_path = (4 + e / n) / (n + 4 + 2 * e / n);
  r->rate_one = 2 / ((n + 1.3) * (n + 1.3) + e);
  double many = 2 * (0.25 + e + 1 / e - 2) / ((n + 2) * (n + 2) + e);
  r->rate_many = fmin(1 - r->rate_one, fmax(0, many));
  r->normal_length = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
  r->most_generations = (int)fmin(1e9, 100 + 150 * (n + 3) * (n + 3) / sqrt(r->size));
}

static void set_bounds(Run *r) {
  const Population *p = r->p;
  const Lsq *lsq = p->lsq;
  r->bounded = true;
  for (int i = 0, j = 0; i < p->n; i++) {
    if (!(p->width[i] > 0)) continue;
    r->low[j] = (lsq->lower[i] - lsq->box_low[i]) / p->width[i];
    r->high[j] = (lsq->upper[i] - lsq->box_low[i]) / p->width[i];
    r->bounded = r->bounded && isfinite(r->high[j] - r->low[j]);
    r->at[j++] = i;
  }
}

static Run *run_new(Arena *a, Population *p, int size) {
  Run *r = ARENA_NEW(a, Run);
  int n = p->movable, given = p->population->stall;
  size_t numbers = (size_t)size * (size_t)n;
  r->p = p;
  r->n = n;
  r->size = size;
  r->at = ARENA_ARRAY(a, int, n);
  r->order = ARENA_ARRAY(a, int, size);
  r->scratch = ARENA_ARRAY(a, int, size);
  double **vectors[] = {&r->low,       &r->high,       &r->mean,      &r->lengths, &r->path,
                        &r->step_path, &r->mean_drawn, &r->mean_move, &r->point};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = ARENA_ARRAY(a, double, n);
  double **matrices[] = {&r->C, &r->axes, &r->matrix};
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
    *matrices[i] = ARENA_ARRAY(a, double, (size_t)n *(size_t)n);
  double **members[] = {&r->V, &r->weight, &r->share};
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    *members[i] = ARENA_ARRAY(a, double, size);
  r->drawn = ARENA_ARRAY(a, double, numbers);
  r->moves = ARENA_ARRAY(a, double, numbers);
  r->x = ARENA_ARRAY(a, double, (size_t)size *(size_t)p->n);
  r->best = ARENA_ARRAY(a, double, p->n);
  int window = given > 0 ? given : 10 + (30 * n + size - 1) / size;
  stall_init(&r->rest, a, window);
  stall_init(&r->stagnation, a, 5 * window);
  set_bounds(r);
  set_weights(r);
  set_rates(r);
  return r;
}

static void run_begin(Run *r, const double *x, double V) {
  const Population *p = r->p;
  for (int j = 0; j < r->n; j++) {
    int i = r->at[j];
    r->mean[j] = (x[i] - p->lsq->box_low[i]) / p->width[i];
    r->C[j * r->n + j] = r->axes[j * r->n + j] = r->lengths[j] = 1;
  }
  r->sigma = p->population->cma_sigma;
  r->best_V = V;
  memcpy(r->best, x, (size_t)p->n * sizeof *x);
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
static void point_of(const Run *r, const double *u, double *x) {
  const Population *p = r->p;
  const Lsq *lsq = p->lsq;
  memcpy(x, lsq->lower, (size_t)p->n * sizeof *x); // where numbers are fixed
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

static void draw(Run *r, int k) {
  double *z = population_row(r->drawn, r->n, k), *y = population_row(r->moves, r->n, k);
  for (int j = 0; j < r->n; j++) {
    z[j] = random_normal(&r->p->random);
    r->point[j] = r->lengths[j] * z[j];
  }
  multiply(r->n, r->axes, r->point, y);
  for (int i = 0; i < r->n; i++) r->point[i] = r->mean[i] + r->sigma * y[i];
  point_of(r, r->point, population_row(r->x, r->p->n, k));
}

// ---------------------------------------------------------------- adaptation

static double length(const double *v, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += v[i] * v[i];
  return sqrt(sum);
}

// false: there is no parent that could be simulated.
static bool choose_parents(Run *r) {
  double sum = 0;
  population_rank(r->V, r->size, r->order, r->scratch);
  for (int k = 0; k < r->parents; k++) {
    r->share[k] = r->V[r->order[k]] < HUGE_VAL ? r->weight[k] : 0;
    sum += r->share[k];
  }
  for (int k = 0; k < r->parents && sum > 0; k++) r->share[k] /= sum;
  int best = r->order[0];
  if (r->V[best] < r->best_V) {
    r->best_V = r->V[best];
    memcpy(r->best, population_row(r->x, r->p->n, best), (size_t)r->p->n * sizeof(double));
  }
  return sum > 0;
}

static void mean_of_parents(const Run *r, double *rows, double *mean) {
  for (int i = 0; i < r->n; i++) {
    double sum = 0;
    for (int k = 0; k < r->parents; k++)
      sum += r->share[k] * population_row(rows, r->n, r->order[k])[i];
    mean[i] = sum;
  }
}

// The path of the mean in numbers that would be normal and independent if parents were chosen at random.
static void lengthen_step_path(Run *r) {
  double c = r->rate_step, fresh = sqrt(c * (2 - c) * r->effective);
  multiply(r->n, r->axes, r->mean_drawn, r->point);
  for (int i = 0; i < r->n; i++) r->step_path[i] = (1 - c) * r->step_path[i] + fresh * r->point[i];
}

// While the step size is much too small, the path would let one axis grow too fast.
static bool path_is_usable(const Run *r) {
  double grown = 1 - pow(1 - r->rate_step, 2. * (r->generation + 1));
  return length(r->step_path, r->n) / sqrt(grown) < (1.4 + 2. / (r->n + 1)) * r->normal_length;
}

static void adapt_covariance(Run *r) {
  int n = r->n;
  bool usable = path_is_usable(r);
  double c = r->rate_path, fresh = usable ? sqrt(c * (2 - c) * r->effective) : 0;
  for (int i = 0; i < n; i++) r->path[i] = (1 - c) * r->path[i] + fresh * r->mean_move[i];
  double kept = 1 - r->rate_one - r->rate_many + (usable ? 0 : r->rate_one * c * (2 - c));
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double many = 0;
      for (int k = 0; k < r->parents; k++) {
        const double *y = population_row(r->moves, n, r->order[k]);
        many += r->share[k] * y[i] * y[j];
      }
      double value = kept * r->C[i * n + j] + r->rate_one * r->path[i] * r->path[j];
      r->C[i * n + j] = r->C[j * n + i] = value + r->rate_many * many;
    }
}

// Singular vectors of a symmetric positive matrix are its eigenvectors.
static void find_axes(Run *r) {
  memcpy(r->matrix, r->C, (size_t)r->n * (size_t)r->n * sizeof *r->C);
  svd(r->n, r->n, r->matrix, r->lengths, r->axes);
  for (int i = 0; i < r->n; i++) r->lengths[i] = sqrt(r->lengths[i]);
}

// The distribution never becomes wider than the box when there is nothing outside.
static void adapt_sigma(Run *r) {
  double longer = length(r->step_path, r->n) / r->normal_length - 1;
  r->sigma *= exp(fmin(1, r->rate_step / r->damping_step * longer));
  if (r->bounded) r->sigma = fmin(r->sigma, 1 / r->lengths[0]);
}

static void adapt(Run *r) {
  if (!choose_parents(r)) {
    r->sigma /= 2;
    return;
  }
  mean_of_parents(r, r->drawn, r->mean_drawn);
  mean_of_parents(r, r->moves, r->mean_move);
  for (int i = 0; i < r->n; i++) r->mean[i] += r->sigma * r->mean_move[i];
  lengthen_step_path(r);
  adapt_covariance(r);
  find_axes(r);
  adapt_sigma(r);
  r->generation++;
}

// ---------------------------------------------------------------- ends

static bool is_one_point(const Run *r) {
  const Population *p = r->p;
  point_of(r, r->mean, r->x);
  for (int j = 0; j < r->n; j++) {
    int i = r->at[j];
    double reach = r->sigma * fmax(fabs(r->path[j]), sqrt(r->C[j * r->n + j])) * p->width[i];
    if (!(reach <= p->options->step_tol * local_size(p->lsq, r->x, i))) return false;
  }
  return true;
}

static bool parents_are_alike(const Run *r) {
  const PopulationOptions *o = r->p->population;
  double best = r->V[r->order[0]], worst = r->V[r->order[r->parents - 1]];
  return worst - best <= o->stall_tol * r->rest.window * (best + o->stall_floor);
}

static const double CONDITION_MOST = 1e14;

// Whether the run has come to rest; sets *end.
static bool rests(Run *r, LocalEnd *end) {
  const PopulationOptions *o = r->p->population;
  bool rest = stall_add(&r->rest, r->best_V, o->stall_tol, o->stall_floor);
  bool stagnates = stall_add(&r->stagnation, r->best_V, o->stall_tol, o->stall_floor);
  double longest = r->lengths[0], shortest = r->lengths[r->n - 1];
  *end = LOCAL_TOGETHER_END;
  if (is_one_point(r)) return true;
  *end = LOCAL_STALL_END;
  return (rest && parents_are_alike(r)) || stagnates || r->generation >= r->most_generations ||
         longest * longest > CONDITION_MOST * shortest * shortest || !isfinite(r->sigma);
}

// Ends with the search, or at rest.
static LocalEnd run_through(Run *r) {
  Population *p = r->p;
  LocalEnd end = LOCAL_STALL_END;
  bool resting = false;
  while (!p->ended && !resting) {
    for (int k = 0; k < r->size; k++) draw(r, k);
    if (!population_evaluate(p, r->x, r->size, r->V)) return end;
    adapt(r);
    population_count(p);
    resting = rests(r, &end);
  }
  return end;
}

// ---------------------------------------------------------------- runs

// What the runs so far have found.
typedef struct Found {
  double V, *x;
  int again; // later runs that count for it
} Found;

static bool is_same_objective(const Run *r, double V) {
  const PopulationOptions *o = r->p->population;
  double tol = r->rest.window * o->stall_tol * (V + o->stall_floor) + r->p->lsq->noise;
  return fabs(r->best_V - V) <= tol;
}

static bool is_same_point(const Run *r, const double *x) {
  static const double NEAR = 1e-3;
  const Population *p = r->p;
  for (int i = 0; i < p->n; i++) {
    double size = fmax(local_size(p->lsq, x, i), NEAR * p->width[i]);
    if (!(fabs(r->best[i] - x[i]) <= NEAR * size)) return false;
  }
  return true;
}

// One more run is enough at the same point; two with the same objective elsewhere, as where numbers cannot be identified.
static void compare(Found *f, const Run *r) {
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
  Found found = {HUGE_VAL, ARENA_ARRAY(p->arena, double, p->n), 0};
  double *start = ARENA_ARRAY(p->arena, double, p->n);
  memcpy(start, p->result->best->x, (size_t)p->n * sizeof *start);
  for (int k = 0; k <= restarts && !p->ended; k++) {
    Arena *a = arena_new();
    Run *r = run_new(a, p, (int)fmin((double)p->size * exp2(k), 1e8));
    run_begin(r, start, k == 0 ? p->result->best->objective : HUGE_VAL);
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
