// Damped linear least squares, |Qr + R d|^2 + damping*|scale d|^2, by orthogonal transformations: the columns that move are
// made triangular by reflections, rows sqrt(damping)*e_i are rotated in. Inside bounds: active sets, each with a lower value
// than the one before (bounded-variable least squares: Stark and Parker, Comput. Stat. 10 (1995) 129).
#include "local/linear.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/patience.h"

struct LinearWork {
  int *column; // the unknowns that move, in rising order
  int *use;    // of the boxed step
  int *rows, *spare;
  double *T;      // triangle of the moving columns, by rows of n
  double *rhs;    // -Q'(Qr + R d) where the unknowns that do not move stand at d
  double *row;    // of the damping, while it is rotated in
  double *target; // of the boxed step: where it would go without bounds
  double *point;
  double *slope;
};

LinearWork *linear_new(Arena *a, int n) {
  LinearWork *w = ARENA_NEW(a, LinearWork);
  w->column = ARENA_ARRAY(a, int, n);
  w->use = ARENA_ARRAY(a, int, n);
  w->rows = ARENA_ARRAY(a, int, 2 * n);
  w->spare = ARENA_ARRAY(a, int, n);
  w->T = ARENA_ARRAY(a, double, (size_t)n *n);
  w->rhs = ARENA_ARRAY(a, double, n);
  w->row = ARENA_ARRAY(a, double, n);
  w->target = ARENA_ARRAY(a, double, n);
  w->point = ARENA_ARRAY(a, double, n);
  w->slope = ARENA_ARRAY(a, double, n);
  return w;
}

static double squares(int n, const double *v) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += v[i] * v[i];
  return sum;
}

// out = Qr + R d
static void predict(const LinearModel *m, const double *d, double *out) {
  for (int i = 0; i < m->n; i++) {
    double sum = m->Qr[i];
    for (int j = i; j < m->n; j++) sum += m->R[(size_t)i * m->n + j] * d[j];
    out[i] = sum;
  }
}

double linear_size(const LinearModel *m, const double *d) {
  double sum = 0;
  for (int i = 0; i < m->n; i++) {
    double s = m->scale[i] * d[i];
    sum += s * s;
  }
  return sqrt(sum);
}

double linear_gain(const LinearModel *m, const double *d) {
  double gain = 0; // -(Qr + Rd/2)'(Rd): no difference of large numbers near the end
  for (int i = 0; i < m->n; i++) {
    double change = 0;
    for (int j = i; j < m->n; j++) change += m->R[(size_t)i * m->n + j] * d[j];
    gain -= (m->Qr[i] + change / 2) * change;
  }
  return gain;
}

void linear_slope(int n, const double *R, const double *Qr, double *slope, double *norm) {
  for (int j = 0; j < n; j++) {
    double dot = 0, sum = 0;
    for (int i = 0; i <= j; i++) {
      double r = R[(size_t)i * n + j];
      dot += r * Qr[i];
      sum += r * r;
    }
    slope[j] = dot;
    if (norm) norm[j] = sqrt(sum);
  }
}

double linear_least_damping(const LinearModel *m) {
  enum { ROUNDING = 50 };
  double largest = 0;
  for (int j = 0; j < m->n; j++) {
    double sum = 0;
    for (int i = 0; i <= j; i++) {
      double r = m->R[(size_t)i * m->n + j] / m->scale[j];
      sum += r * r;
    }
    largest = fmax(largest, sum);
  }
  double least = ROUNDING * 0x1p-52 * sqrt(largest * m->n);
  return fmax(least * least, 1e-290);
}

// Reflects the given rows of column c onto the first of them; columns behind it and the right-hand side follow.
static void reflect(LinearWork *w, int n, int count, int c, int rows, double norm) {
  double *T = w->T;
  const int *row = w->rows;
  double head = T[(size_t)row[0] * n + c], alpha = head > 0 ? -norm : norm;
  double v0 = head - alpha; // v = (v0, the other rows of the column); v'v/2 = -alpha*v0
  for (int j = c + 1; j <= count; j++) {
    double *at = j < count ? T + j : w->rhs;
    size_t stride = j < count ? (size_t)n : 1;
    double dot = v0 * at[row[0] * stride];
    for (int k = 1; k < rows; k++) dot += T[(size_t)row[k] * n + c] * at[row[k] * stride];
    double f = dot / (alpha * v0);
    at[row[0] * stride] += f * v0;
    for (int k = 1; k < rows; k++) at[row[k] * stride] += f * T[(size_t)row[k] * n + c];
  }
  T[(size_t)row[0] * n + c] = alpha;
}

// Columns that depend on those before them to this part of their length count as dependent: what is left of them has no
// digit that means anything.
static const double DEPENDENT = 1e-12;

// Makes the columns triangular. Column c ends in row column[c], so few rows need reflecting, none when all columns are in
// use. The row of a dependent column is spare: columns that come later may need it.
static void triangulate(LinearWork *w, int n, int count) {
  int spares = 0;
  double *T = w->T;
  for (int c = 0; c < count; c++) {
    int rows = 0;
    double norm = 0, whole = 0;
    for (int i = 0; i < c; i++) whole = hypot(whole, T[(size_t)i * n + c]);
    for (int i = c; i <= w->column[c]; i++) w->rows[rows++] = i;
    for (int k = 0; k < spares; k++) w->rows[rows++] = w->spare[k];
    for (int k = 0; k < rows; k++) norm = hypot(norm, T[(size_t)w->rows[k] * n + c]);
    bool dependent = norm <= DEPENDENT * hypot(whole, norm);
    if (!dependent && rows > 1) reflect(w, n, count, c, rows, norm);
    if (dependent) w->spare[spares++] = c;
    for (int k = dependent ? 0 : 1; k < rows; k++) T[(size_t)w->rows[k] * n + c] = 0;
  }
  for (int k = 0; k < spares; k++) w->rhs[w->spare[k]] = 0;
}

// Triangle of the chosen columns of R, scaled.
static int reduce(LinearWork *w, const LinearModel *m, const int *use, const double *d) {
  int n = m->n, count = 0;
  for (int j = 0; j < n; j++)
    if (!use || use[j]) w->column[count++] = j;
  for (int i = 0; i < n; i++) {
    double sum = m->Qr[i];
    for (int j = i; use && j < n; j++)
      if (!use[j]) sum += m->R[(size_t)i * n + j] * d[j];
    w->rhs[i] = -sum;
    for (int c = 0; c < count; c++) {
      int j = w->column[c];
      w->T[(size_t)i * n + c] = j >= i ? m->R[(size_t)i * n + j] / m->scale[j] : 0;
    }
  }
  triangulate(w, n, count);
  return count;
}

// Rotates the row sqrt(damping)*e_i into the triangle.
static void rotate_in(LinearWork *w, int n, int count, int i, double root) {
  double *row = w->row, rhs = 0;
  for (int j = i + 1; j < count; j++) row[j] = 0;
  row[i] = root;
  for (int k = i; k < count; k++) {
    double *T = w->T + (size_t)k * n, length = hypot(T[k], row[k]);
    if (length == 0) continue;
    double c = T[k] / length, s = row[k] / length;
    for (int j = k; j < count; j++) {
      double t = T[j], r = row[j];
      T[j] = c * t + s * r;
      row[j] = c * r - s * t;
    }
    double t = w->rhs[k];
    w->rhs[k] = c * t + s * rhs;
    rhs = c * rhs - s * t;
  }
}

// Minimises over the unknowns in use, the others stand where d has them.
static void solve(LinearWork *w, const LinearModel *m, double damping, const int *use, double *d) {
  int n = m->n, count = reduce(w, m, use, d);
  double root = sqrt(damping);
  for (int i = 0; i < count && patience_lasts((long)count * (count - i)); i++)
    rotate_in(w, n, count, i, root);
  for (int k = count - 1; k >= 0; k--) {
    const double *T = w->T + (size_t)k * n;
    double sum = w->rhs[k];
    for (int j = k + 1; j < count; j++) sum -= T[j] * w->row[j];
    w->row[k] = sum / T[k];
  }
  for (int c = 0; c < count; c++) d[w->column[c]] = w->row[c] / m->scale[w->column[c]];
}

void linear_step(LinearWork *w, const LinearModel *m, double damping, const int *use, double *d) {
  memset(d, 0, (size_t)m->n * sizeof *d);
  solve(w, m, damping, use, d);
  if (!patience_lasts(0)) memset(d, 0, (size_t)m->n * sizeof *d);
}

static double clip(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

static double damped_value(LinearWork *w, const LinearModel *m, double damping, const double *d) {
  double size = linear_size(m, d);
  predict(m, d, w->rhs);
  return squares(m->n, w->rhs) + damping * size * size;
}

// Of the damped objective at d; norm of what remains of the residuals.
static double damped_slope(LinearWork *w, const LinearModel *m, double damping, const double *d) {
  predict(m, d, w->rhs);
  linear_slope(m->n, m->R, w->rhs, w->slope, NULL);
  for (int i = 0; i < m->n; i++) w->slope[i] += damping * m->scale[i] * m->scale[i] * d[i];
  return sqrt(squares(m->n, w->rhs));
}

// At a bound with the slope pointing out of it.
static bool held(const LinearModel *m, int i, double d, double slope, double tol) {
  return (d == m->low[i] && slope >= -tol) || (d == m->high[i] && slope <= tol);
}

// As far as the bounds let it from d to the target; the unknowns that stop it stay there.
static void walk(LinearWork *w, const LinearModel *m, double *d) {
  double part = 1;
  for (int i = 0; i < m->n; i++) {
    if (!w->use[i] || clip(w->target[i], m->low[i], m->high[i]) == w->target[i]) continue;
    double bound = w->target[i] < m->low[i] ? m->low[i] : m->high[i];
    part = fmin(part, (bound - d[i]) / (w->target[i] - d[i]));
  }
  for (int i = 0; i < m->n; i++) {
    if (!w->use[i]) continue;
    double bound = w->target[i] < d[i] ? m->low[i] : m->high[i], change = w->target[i] - d[i];
    bool stops = clip(w->target[i], m->low[i], m->high[i]) != w->target[i] &&
                 (bound - d[i]) / change <= part;
    d[i] = stops ? bound : clip(d[i] + part * change, m->low[i], m->high[i]);
    if (stops) w->use[i] = false;
  }
}

// All that cross a bound stop there at once if that is no loss, else only those that come to it first.
static void stop_at_bounds(LinearWork *w, const LinearModel *m, double damping, double *d) {
  for (int i = 0; i < m->n; i++)
    w->point[i] = w->use[i] ? clip(w->target[i], m->low[i], m->high[i]) : d[i];
  if (damped_value(w, m, damping, w->point) >= damped_value(w, m, damping, d)) {
    walk(w, m, d);
    return;
  }
  for (int i = 0; i < m->n; i++) {
    if (w->use[i] && w->point[i] != w->target[i]) w->use[i] = false;
    d[i] = w->point[i];
  }
}

// Lets unknowns go that want to leave their bound inward: all, or only the one that wants it most.
static bool release(LinearWork *w, const LinearModel *m, double damping, bool all,
                    const double *d) {
  double rest = damped_slope(w, m, damping, d), most = 0;
  int first = -1;
  bool any = false;
  for (int i = 0; i < m->n; i++) {
    double tol = 1e-13 * m->scale[i] * rest;
    if (w->use[i] || m->low[i] == m->high[i] || held(m, i, d[i], w->slope[i], tol)) continue;
    double pull = fabs(w->slope[i]) / m->scale[i];
    if (all) w->use[i] = any = true;
    if (pull > most) {
      most = pull;
      first = i;
    }
  }
  if (all || first < 0) return any;
  w->use[first] = true;
  return true;
}

void linear_boxed_step(LinearWork *w, const LinearModel *m, double damping, double *d) {
  int n = m->n;
  memset(d, 0, (size_t)n * sizeof *d);
  linear_slope(n, m->R, m->Qr, w->slope, NULL);
  for (int i = 0; i < n; i++) w->use[i] = m->low[i] < m->high[i] && !held(m, i, 0, w->slope[i], 0);
  for (int round = 0; round < 3 * n + 10; round++) {
    memcpy(w->target, d, (size_t)n * sizeof *d);
    solve(w, m, damping, w->use, w->target);
    if (!patience_lasts(n)) {
      memset(d, 0, (size_t)n * sizeof *d);
      return;
    }
    bool inside = true;
    for (int i = 0; i < n; i++)
      if (w->use[i] && clip(w->target[i], m->low[i], m->high[i]) != w->target[i]) inside = false;
    if (!inside) {
      stop_at_bounds(w, m, damping, d);
      continue;
    }
    memcpy(d, w->target, (size_t)n * sizeof *d);
    if (!release(w, m, damping, round < n, d)) return;
  }
}
