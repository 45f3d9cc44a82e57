// Least squares with linear inequalities (problem LSI of Lawson and Hanson 1974): minimise |z + M d| with C d >= b, by
// a primal active-set method (Gill, Murray and Wright, Practical Optimization, 1981, chapter 5).
//
// The rows that hold are factored, C_held' = Q T. The shortest least-squares step in the space of the other columns of
// Q (by singular values, so that M may have any rank) goes as far as the first row that blocks it; that row then
// holds, too. At the minimum of a set the multipliers (forces) are found from T; the row with the most negative one is
// released. After a step of length 0 rows are taken by their number (Bland 1977), so that the method cannot cycle.
#include "num/lsi.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/patience.h"
#include "num/svd.h"

// Rows have length 1. What is left of a row beside those that hold is noise below DEPENDENT; a row blocks a step when it
// comes closer by more than BLOCKS of the step's length. RANK: singular values below are noise, relative to the largest;
// ROUNDING: also below this, relative to all of M, as when the rows that hold leave nothing of M but rounding errors.
static const double DEPENDENT = 1e-12, BLOCKS = 1e-11, RANK = 1e-12, ROUNDING = 1e-14;

typedef enum RowState { ROW_FREE, ROW_HOLDS, ROW_EQUALITY, ROW_DEPENDENT } RowState;

// Minimise |z + M d| from a feasible d, keeping the rows of C: equalities stay as they are, others C d >= b.
typedef struct ActiveSet {
  int n, rows, constraints, equalities;
  const double *M, *z;
  double *C, *b;
  RowState *state;
  int *held; // rows that hold, equalities first
  int held_count;
  double *Q; // n x n by rows: the first columns span the rows that hold, the others are free
  double *T; // triangle of the rows that hold in that basis, by rows of n
  double *left, *step, *slope, *force, *reduced, *V, *s, *v;
  // After a step of length 0: rows change by their number, which cannot go round in circles (Bland).
  bool careful;
} ActiveSet;

struct Lsi {
  int n, rows_most, constraints_most;
  ActiveSet set;
  double *M, *z, *point; // of the search for the nearest point
  double *C, *b;
  double *length;  // of the rows of A
  int *row;        // by constraint: its row of C, -1: none
  int first_bound; // row of C; bounds are the last ones
};

Lsi *lsi_new(Arena *a, int n, int rows_most, int constraints_most) {
  Lsi *w = ARENA_NEW(a, Lsi);
  int m = constraints_most, N = n + m, rows = rows_most > m ? rows_most : m;
  size_t square = (size_t)N * (size_t)N, tall = (size_t)(rows > N ? rows : N) * (size_t)N;
  w->n = n, w->rows_most = rows_most, w->constraints_most = m;
  ActiveSet *s = &w->set;
  s->Q = ARENA_ARRAY(a, double, square + 1);
  s->T = ARENA_ARRAY(a, double, square + 1);
  s->V = ARENA_ARRAY(a, double, square + 1);
  s->reduced = ARENA_ARRAY(a, double, tall + 1);
  double **vectors[] = {&s->left, &s->step, &s->slope, &s->force, &s->s, &s->v, &w->z, &w->point};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = ARENA_ARRAY(a, double, N + rows + 1);
  int all = m + 2 * N;
  s->state = ARENA_ARRAY(a, RowState, all + 1);
  s->held = ARENA_ARRAY(a, int, all + 1);
  w->C = ARENA_ARRAY(a, double, (size_t)all *(size_t)N + 1);
  w->b = ARENA_ARRAY(a, double, all + 1);
  w->M = ARENA_ARRAY(a, double, (size_t)m *(size_t)N + 1);
  w->length = ARENA_ARRAY(a, double, m + 1);
  w->row = ARENA_ARRAY(a, int, m + 1);
  return w;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double norm(int n, const double *v) {
  double largest = 0, sum = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(v[i]));
  if (largest == 0 || !isfinite(largest)) return largest;
  for (int i = 0; i < n; i++) sum += (v[i] / largest) * (v[i] / largest);
  return largest * sqrt(sum);
}

static const double *row_of(const ActiveSet *s, int k) {
  return s->C + (size_t)k * (size_t)s->n;
}

// ---------------------------------------------------------------- the basis of the rows that hold

// t = Q'(row k)
static void into_basis(const ActiveSet *s, int k, double *t) {
  const double *c = row_of(s, k);
  memset(t, 0, (size_t)s->n * sizeof *t);
  for (int i = 0; i < s->n; i++)
    for (int j = 0; j < s->n && c[i] != 0; j++) t[j] += c[i] * s->Q[(size_t)i * s->n + j];
}

// Reflects the free columns of Q so that the next row ends in its first `at` + 1 entries. False: the row depends on others.
static bool extend_basis(ActiveSet *s, int k, int at) {
  int n = s->n;
  double *t = s->v;
  into_basis(s, k, t);
  double length = norm(n - at, t + at);
  if (!(length > DEPENDENT)) return false;
  double alpha = t[at] > 0 ? -length : length;
  t[at] -= alpha;
  double half = -alpha * t[at]; // v'v/2
  for (int i = 0; i < n; i++) {
    double *q = s->Q + (size_t)i * n;
    double f = dot(n - at, q + at, t + at) / half;
    for (int j = at; j < n; j++) q[j] -= f * t[j];
  }
  for (int i = 0; i < at; i++) s->T[(size_t)i * n + at] = t[i];
  s->T[(size_t)at * n + at] = alpha;
  return true;
}

static void make_basis(ActiveSet *s) {
  int n = s->n, count = 0;
  memset(s->Q, 0, (size_t)n * (size_t)n * sizeof *s->Q);
  for (int i = 0; i < n; i++) s->Q[(size_t)i * n + i] = 1;
  for (int i = 0; i < s->held_count; i++) {
    int k = s->held[i];
    if (count < n && extend_basis(s, k, count))
      s->held[count++] = k;
    else
      s->state[k] = s->state[k] == ROW_EQUALITY ? ROW_DEPENDENT : ROW_FREE;
  }
  s->held_count = count;
}

static void hold(ActiveSet *s, int k) {
  s->state[k] = ROW_HOLDS;
  s->held[s->held_count++] = k;
  make_basis(s);
}

static void let_go(ActiveSet *s, int place) {
  s->state[s->held[place]] = ROW_FREE;
  s->held_count--;
  for (int i = place; i < s->held_count; i++) s->held[i] = s->held[i + 1];
  make_basis(s);
}

// ---------------------------------------------------------------- steps

// left = z + M d; slope = M'left
static void look(ActiveSet *s, const double *d) {
  memset(s->slope, 0, (size_t)s->n * sizeof *s->slope);
  for (int i = 0; i < s->rows; i++) {
    const double *M = s->M + (size_t)i * s->n;
    s->left[i] = s->z[i] + dot(s->n, M, d);
    for (int j = 0; j < s->n; j++) s->slope[j] += M[j] * s->left[i];
  }
}

// The shortest step to the minimum among those that keep the rows that hold.
static void find_step(ActiveSet *s) {
  int n = s->n, free = n - s->held_count, tall = s->rows > free ? s->rows : free;
  memset(s->step, 0, (size_t)n * sizeof *s->step);
  if (free == 0) return;
  memset(s->reduced, 0, (size_t)tall * (size_t)free * sizeof *s->reduced);
  for (int i = 0; i < s->rows; i++)
    for (int k = 0; k < n; k++) {
      double m = s->M[(size_t)i * n + k];
      const double *q = s->Q + (size_t)k * n + s->held_count;
      for (int j = 0; j < free && m != 0; j++) s->reduced[(size_t)i * free + j] += m * q[j];
    }
  svd(tall, free, s->reduced, s->s, s->V);
  memset(s->v, 0, (size_t)free * sizeof *s->v);
  double least = fmax(RANK * s->s[0], ROUNDING * norm(s->rows * n, s->M));
  for (int c = 0; c < free && s->s[c] > least; c++) {
    double sum = 0;
    for (int i = 0; i < s->rows; i++) sum += s->reduced[(size_t)i * free + c] * s->left[i];
    for (int j = 0; j < free; j++) s->v[j] -= s->V[(size_t)j * free + c] * sum / s->s[c];
  }
  for (int i = 0; i < n; i++) s->step[i] = dot(free, s->Q + (size_t)i * n + s->held_count, s->v);
}

// How much of the step the rows let it go, and the one that stops it, or -1.
static double room(const ActiveSet *s, const double *d, int *stops) {
  double part = 1, length = norm(s->n, s->step);
  *stops = -1;
  for (int k = s->equalities; k < s->constraints; k++) {
    if (s->state[k] != ROW_FREE) continue;
    double along = dot(s->n, row_of(s, k), s->step);
    if (!(along < -BLOCKS * length)) continue;
    double slack = fmax(0, dot(s->n, row_of(s, k), d) - s->b[k]);
    if (slack < -along * part) {
      part = slack / -along;
      *stops = k;
    }
  }
  return part;
}

// Forces of the rows that hold: slope = sum of force*row.
static void find_forces(ActiveSet *s) {
  int n = s->n, count = s->held_count;
  for (int c = 0; c < count; c++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += s->Q[(size_t)i * n + c] * s->slope[i];
    s->force[c] = sum;
  }
  for (int c = count - 1; c >= 0; c--) {
    for (int k = c + 1; k < count; k++) s->force[c] -= s->T[(size_t)c * n + k] * s->force[k];
    s->force[c] /= s->T[(size_t)c * n + c];
  }
}

// Rounding errors of the forces.
static double force_noise(const ActiveSet *s) {
  double largest = 0;
  for (int j = 0; j < s->n; j++) {
    double sum = 0;
    for (int i = 0; i < s->rows; i++)
      sum += s->M[(size_t)i * s->n + j] * s->M[(size_t)i * s->n + j];
    largest = fmax(largest, sum);
  }
  return sqrt(largest) * (1e-13 * norm(s->rows, s->left) + 1e-15 * norm(s->rows, s->z));
}

// Lets go the row that pulls most, or the first that pulls. False: none does, the minimum is reached.
static bool release(ActiveSet *s) {
  int place = -1;
  double most = -force_noise(s);
  for (int i = 0; i < s->held_count; i++) {
    if (s->state[s->held[i]] != ROW_HOLDS || !(s->force[i] < most)) continue;
    bool first = place < 0 || s->held[i] < s->held[place];
    if (s->careful && !first) continue;
    place = i;
    if (!s->careful) most = s->force[i];
  }
  if (place < 0) return false;
  let_go(s, place);
  return true;
}

// Active sets from a feasible point, each with a lower value than the one before (Gill, Murray and Wright, Practical
// Optimization, 1981, chapter 5).
static void minimise(ActiveSet *s, double *d) {
  int most = 10 * (s->constraints + s->n) + 50;
  s->careful = false;
  s->held_count = 0;
  for (int k = 0; k < s->constraints; k++) {
    s->state[k] = k < s->equalities ? ROW_EQUALITY : ROW_FREE;
    if (k < s->equalities) s->held[s->held_count++] = k;
  }
  make_basis(s);
  for (int round = 0; round < most && patience_lasts((long)s->n * s->n); round++) {
    int stops;
    look(s, d);
    find_step(s);
    double part = room(s, d, &stops);
    for (int i = 0; i < s->n; i++) d[i] += part * s->step[i];
    bool moves = part * norm(s->n, s->step) > 1e-14 * norm(s->n, d);
    if (moves || stops >= 0) s->careful = !moves;
    if (stops >= 0) {
      hold(s, stops);
      continue;
    }
    look(s, d);
    find_forces(s);
    if (!release(s)) return;
  }
  find_forces(s);
}

// ---------------------------------------------------------------- the two problems

static void clear_rows(Lsi *w, int n) {
  w->set.n = n;
  w->set.C = w->C;
  w->set.b = w->b;
  w->set.constraints = w->set.equalities = 0;
}

static double *add_row(Lsi *w, double b) {
  ActiveSet *s = &w->set;
  double *row = w->C + (size_t)s->constraints * (size_t)s->n;
  memset(row, 0, (size_t)s->n * sizeof *row);
  w->b[s->constraints++] = b;
  return row;
}

// Row k of A at length 1.
static double *add_constraint(Lsi *w, const LsiProblem *p, int k, double b) {
  double *row = add_row(w, b);
  for (int j = 0; j < p->n; j++) row[j] = p->A[(size_t)k * p->n + j] / w->length[k];
  return row;
}

static void add_bounds(Lsi *w, const LsiProblem *p) {
  w->first_bound = w->set.constraints;
  for (int i = 0; i < p->n; i++) {
    if (isfinite(p->low[i])) add_row(w, p->low[i])[i] = 1;
    if (isfinite(p->high[i])) add_row(w, -p->high[i])[i] = -1;
  }
}

// Numbers at a bound are put exactly there.
static void stay_inside(const Lsi *w, const LsiProblem *p, double *d) {
  const ActiveSet *s = &w->set;
  for (int h = 0; h < s->held_count; h++) {
    const double *row = row_of(s, s->held[h]);
    for (int i = 0; i < p->n && s->held[h] >= w->first_bound; i++)
      if (row[i] != 0) d[i] = s->b[s->held[h]] / row[i];
  }
  for (int i = 0; i < p->n; i++) d[i] = fmin(fmax(d[i], p->low[i]), p->high[i]);
}

static void measure_rows(Lsi *w, const LsiProblem *p) {
  for (int k = 0; k < p->equalities + p->inequalities; k++)
    w->length[k] = norm(p->n, p->A + (size_t)k * p->n);
}

static double value(const Lsi *w, const LsiProblem *p, int k, const double *d) {
  return (dot(p->n, p->A + (size_t)k * p->n, d) - p->b[k]) / w->length[k];
}

// 0 where constraint k holds. Rows of zeros can be neither kept nor broken.
static double violation(const Lsi *w, const LsiProblem *p, int k, const double *d) {
  if (!(w->length[k] > 0)) return 0;
  double v = value(w, p, k, d);
  return k < p->equalities ? fabs(v) : fmax(0, -v);
}

static double largest_violation(const Lsi *w, const LsiProblem *p, const double *d) {
  double largest = 0;
  for (int k = 0; k < p->equalities + p->inequalities; k++)
    largest = fmax(largest, violation(w, p, k, d));
  return largest;
}

// A row of the residuals: row k of A, less a slack variable >= 0 of its own where it is an inequality.
static void add_missing(Lsi *w, const LsiProblem *p, int k, int slack) {
  ActiveSet *s = &w->set;
  double *M = w->M + (size_t)s->rows * (size_t)s->n;
  memset(M, 0, (size_t)s->n * sizeof *M);
  for (int j = 0; j < p->n; j++) M[j] = p->A[(size_t)k * p->n + j] / w->length[k];
  if (slack >= 0) M[slack] = -1;
  w->z[s->rows++] = -p->b[k] / w->length[k];
}

double lsi_nearest(Lsi *w, const LsiProblem *p, double *d) {
  ActiveSet *s = &w->set;
  int all = p->equalities + p->inequalities, slack = p->n, missing = 0;
  memset(d, 0, (size_t)p->n * sizeof *d);
  measure_rows(w, p);
  if (largest_violation(w, p, d) == 0) return 0;
  for (int k = p->equalities; k < all; k++) missing += violation(w, p, k, d) > 0;
  clear_rows(w, p->n + missing);
  s->rows = 0, s->M = w->M, s->z = w->z;
  for (int k = 0; k < all; k++) {
    if (!(w->length[k] > 0)) continue;
    bool violated = k < p->equalities || violation(w, p, k, d) > 0;
    if (!violated) add_constraint(w, p, k, p->b[k] / w->length[k]);
    if (violated && k >= p->equalities) add_row(w, 0)[slack] = 1;
    if (violated) add_missing(w, p, k, k < p->equalities ? -1 : slack++);
  }
  add_bounds(w, p);
  memset(w->point, 0, (size_t)s->n * sizeof *w->point);
  minimise(s, w->point);
  memcpy(d, w->point, (size_t)p->n * sizeof *d);
  stay_inside(w, p, d);
  return largest_violation(w, p, d);
}

static void hand_over_forces(const Lsi *w, const LsiProblem *p, double *multiplier) {
  const ActiveSet *s = &w->set;
  for (int k = 0; k < p->equalities + p->inequalities; k++) {
    multiplier[k] = 0;
    for (int i = 0; i < s->held_count && w->row[k] >= 0; i++)
      if (s->held[i] == w->row[k]) multiplier[k] = s->force[i] / w->length[k];
    if (k >= p->equalities) multiplier[k] = fmax(0, multiplier[k]);
  }
}

void lsi_solve(Lsi *w, const LsiProblem *p, double *d, double *multiplier) {
  ActiveSet *s = &w->set;
  int all = p->equalities + p->inequalities;
  measure_rows(w, p);
  clear_rows(w, p->n);
  s->rows = p->rows, s->M = p->M, s->z = p->z;
  for (int k = 0; k < all; k++) {
    w->row[k] = w->length[k] > 0 ? s->constraints : -1;
    if (w->row[k] < 0) continue;
    double b = p->b[k] / w->length[k], has = value(w, p, k, d) + b;
    add_constraint(w, p, k, k < p->equalities ? has : fmin(b, has));
    s->equalities += k < p->equalities;
  }
  add_bounds(w, p);
  minimise(s, d);
  stay_inside(w, p, d);
  if (multiplier) hand_over_forces(w, p, multiplier);
}
