// Householder elimination of the node states from the last piece to the first leaves n columns of unknowns; the bounded damped step
// in them comes from local/linear.h, the nodes follow by back substitution. The cost is linear in the number of pieces.
#include "search/shooting_step.h"

#include <math.h>
#include <string.h>

// Norms of the columns of data and, at most at weight 1, gaps: heavier gaps shall not make steps shorter.
void shooting_sizes(Shooting *s, const ShootingPoint *at, double weight) {
  double w = fmin(weight, 1);
  size_t side = (size_t)s->width + 1;
  for (int j = 0; j < s->n; j++) {
    double sum = 0;
    for (int k = 0; k < s->piece_count; k++) {
      const ShootingOutcome *o = &at->pieces[k];
      for (size_t i = 0; i < side; i++) sum += pow(o->triangle[i * side + (size_t)(s->nx + j)], 2);
      for (int i = 0; i < s->nx && !s->pieces[k].is_last; i++)
        sum += pow(w * s->gap_scale[i] * o->by_unknown[i * s->n + j], 2);
    }
    s->step.free_size[j] = fmax(s->step.free_size[j], sqrt(sum));
    if (s->step.free_size[j] == 0) s->step.free_size[j] = 1;
  }
  for (int k = 0; k < s->piece_count; k++)
    for (int j = 0; j < s->nx; j++) {
      double sum = pow(w * s->gap_scale[j], 2), *size = &s->step.state_size[k * s->nx + j];
      for (int i = 0; i <= j; i++)
        sum += pow(at->pieces[k].triangle[(size_t)i * side + (size_t)j], 2);
      *size = fmax(*size, sqrt(sum));
    }
}

typedef struct Rows { // a block that is being filled
  double **column;
  int count;
} Rows;

static double *row_cell(Rows *r, int column) {
  return &r->column[column][r->count];
}

static void begin_row(Rows *r, int columns) {
  for (int j = 0; j < columns; j++) *row_cell(r, j) = 0;
}

// A triangle over (node states, unknowns, residual) becomes rows over (node, next node, unknowns, residual).
static void add_triangle(Shooting *s, Rows *r, const double *triangle) {
  int side = s->width + 1, columns = 2 * s->nx + s->n + 1;
  for (int i = 0; i < side; i++, r->count++) {
    begin_row(r, columns);
    for (int j = i; j < side; j++)
      *row_cell(r, j < s->nx ? j : j + s->nx) = triangle[(size_t)i * (size_t)side + (size_t)j];
  }
}

static void add_gaps(Shooting *s, Rows *r, const ShootingPoint *at, int k, double weight) {
  const ShootingOutcome *o = &at->pieces[k], *next = &at->pieces[k + 1];
  int columns = 2 * s->nx + s->n + 1;
  for (int i = 0; i < s->nx; i++, r->count++) {
    double w = weight * s->gap_scale[i];
    begin_row(r, columns);
    for (int j = 0; j < s->nx; j++) {
      *row_cell(r, j) = w * o->by_state[i * s->nx + j];
      *row_cell(r, s->nx + j) = -w * shooting_start_by_state(next, s->nx, i, j);
    }
    for (int j = 0; j < s->n; j++)
      *row_cell(r, 2 * s->nx + j) =
          w * (o->by_unknown[i * s->n + j] - shooting_start_by_unknown(next, s->n, i, j));
    *row_cell(r, columns - 1) = w * shooting_gap(s, at, k, i);
  }
}

// Nodes do not move across the invariants, where nothing would change.
static void add_invariants(Shooting *s, Rows *r, const ShootingPoint *at, int k) {
  for (int i = 0; i < s->nx; i++, r->count++) {
    begin_row(r, 2 * s->nx + s->n + 1);
    for (int j = 0; j < s->nx; j++)
      *row_cell(r, j) =
          s->gap_scale[i] * ((i == j) - shooting_start_by_state(&at->pieces[k], s->nx, i, j));
  }
}

static void add_damping(Shooting *s, Rows *r, int k, double damping) {
  for (int i = 0; i < s->nx; i++, r->count++) {
    begin_row(r, 2 * s->nx + s->n + 1);
    *row_cell(r, i) = sqrt(damping) * s->step.state_size[k * s->nx + i];
  }
}

// Eliminates the node of piece k; what remains is about the next node and the unknowns.
static void eliminate(Shooting *s, const ShootingPoint *at, int k, double weight, double damping) {
  const ShootingPiece *p = &s->pieces[k];
  int columns = 2 * s->nx + s->n + 1, side = s->width + 1;
  Rows r = {s->step.block_column, 0};
  qr_sum_clear(s->step.piece_sum);
  if (!p->is_last) add_gaps(s, &r, at, k, weight); // heavy rows first: see Powell and Reid (1969)
  add_triangle(s, &r, at->pieces[k].triangle);
  if (!p->is_first) {
    add_triangle(s, &r, s->step.carried);
    add_damping(s, &r, k, damping);
    if (s->constrained) add_invariants(s, &r, at, k);
  }
  qr_sum_add(s->step.piece_sum, s->step.block_column, r.count);
  memcpy(s->step.eliminated + (size_t)k * (size_t)(s->nx * columns), s->step.piece_sum->R,
         (size_t)(s->nx * columns) * sizeof(double));
  for (int i = 0; i < side; i++)
    memcpy(s->step.carried + (size_t)i * (size_t)side,
           s->step.piece_sum->R + (size_t)(s->nx + i) * (size_t)columns + s->nx,
           (size_t)side * sizeof(double));
}

// Rows about the unknowns alone, at the end of an experiment.
static void keep_free_rows(Shooting *s) {
  int side = s->width + 1;
  for (int j = 0; j <= s->n; j++)
    for (int i = 0; i <= s->n; i++)
      s->step.block_column[j][i] =
          s->step.carried[(size_t)(s->nx + i) * (size_t)side + (size_t)(s->nx + j)];
  qr_sum_add(s->step.free_sum, s->step.block_column, s->n + 1);
}

static void add_priors(Shooting *s, const double *x) {
  for (int i = 0; i < s->n; i++) {
    const Unknown *f = &s->problem->unknowns[i];
    if (!f->has_prior) continue;
    for (int j = 0; j < s->n; j++) s->step.block_column[j][0] = j == i ? 1 / f->prior_sd : 0;
    s->step.block_column[s->n][0] = (x[i] - f->prior_mean) / f->prior_sd;
    qr_sum_add(s->step.free_sum, s->step.block_column, 1);
  }
}

void shooting_reduce(Shooting *s, const ShootingPoint *at, double weight, double damping) {
  qr_sum_clear(s->step.free_sum);
  for (int k = 0; k < s->piece_count; k++) {
    eliminate(s, at, k, weight, damping);
    if (s->pieces[k].is_last) keep_free_rows(s);
  }
  add_priors(s, at->x);
  for (int i = 0; i < s->n; i++) {
    const double *row = s->step.free_sum->R + (size_t)i * (size_t)(s->n + 1);
    memcpy(s->step.R + (size_t)i * (size_t)s->n, row, (size_t)s->n * sizeof(double));
    s->step.Qr[i] = row[s->n];
  }
}

// Node steps from the last piece to the first, for a step of the unknowns; residual: 1, or 0 for nodes that are best
// already.
static void substitute(const Shooting *s, const double *step_free, double residual,
                       double *states) {
  int nx = s->nx, columns = 2 * nx + s->n + 1;
  for (int k = s->piece_count - 1; k >= 0; k--) {
    const double *rows = s->step.eliminated + (size_t)k * (size_t)(nx * columns);
    double *step = states + (size_t)k * (size_t)nx, *next = step + nx;
    for (int i = nx - 1; i >= 0; i--) {
      const double *row = rows + i * columns;
      double sum = -residual * row[columns - 1];
      for (int j = i + 1; j < nx; j++) sum -= row[j] * step[j];
      for (int j = 0; j < nx && !s->pieces[k].is_last; j++) sum -= row[nx + j] * next[j];
      for (int j = 0; j < s->n; j++) sum -= row[2 * nx + j] * step_free[j];
      step[i] = s->pieces[k].is_first || row[i] == 0 ? 0 : sum / row[i];
    }
  }
}

void shooting_step(Shooting *s, const ShootingPoint *at, double weight, double damping) {
  shooting_reduce(s, at, weight, damping);
  for (int i = 0; i < s->n; i++) {
    s->step.low[i] = s->problem->unknowns[i].min - at->x[i];
    s->step.high[i] = s->problem->unknowns[i].max - at->x[i];
  }
  LinearModel m = {s->n, s->step.R, s->step.Qr, s->step.free_size, s->step.low, s->step.high};
  if (s->n) linear_boxed_step(s->step.linear, &m, damping, s->step.by_unknowns);
  substitute(s, s->step.by_unknowns, 1, s->step.by_states);
}

void shooting_follow(const Shooting *s, int j, double *states) {
  memset(s->step.by_unknowns, 0, (size_t)s->n * sizeof *s->step.by_unknowns);
  s->step.by_unknowns[j] = 1;
  substitute(s, s->step.by_unknowns, 0, states);
}

// Half the square of one piece's rows of the linear model after the step.
static double predict_piece(const Shooting *s, const ShootingPoint *at, int k, double weight) {
  const ShootingOutcome *o = &at->pieces[k];
  const double *step = s->step.by_states + (size_t)k * (size_t)s->nx, *next = step + s->nx;
  int side = s->width + 1;
  double total = 0;
  for (int i = 0; i < side; i++) {
    const double *row = o->triangle + (size_t)i * (size_t)side;
    double sum = row[s->width];
    for (int j = i; j < s->width; j++)
      sum += row[j] * (j < s->nx ? step[j] : s->step.by_unknowns[j - s->nx]);
    total += sum * sum / 2;
  }
  for (int i = 0; i < s->nx && !s->pieces[k].is_last; i++) {
    double sum = shooting_gap(s, at, k, i);
    for (int j = 0; j < s->nx; j++)
      sum += o->by_state[i * s->nx + j] * step[j] -
             shooting_start_by_state(o + 1, s->nx, i, j) * next[j];
    for (int j = 0; j < s->n; j++)
      sum += (o->by_unknown[i * s->n + j] - shooting_start_by_unknown(o + 1, s->n, i, j)) *
             s->step.by_unknowns[j];
    sum *= weight * s->gap_scale[i];
    total += sum * sum / 2;
  }
  return total;
}

double shooting_gain(const Shooting *s, const ShootingPoint *at, const ShootingPoint *to,
                     double weight) {
  double before = shooting_priors(s, at->x) + weight * weight * at->gaps,
         after = shooting_priors(s, to->x);
  size_t side = (size_t)s->width + 1;
  for (int k = 0; k < s->piece_count; k++) {
    for (size_t i = 0; i < side; i++) {
      double r = at->pieces[k].triangle[i * side + (size_t)s->width];
      before += r * r / 2;
    }
    after += predict_piece(s, at, k, weight);
  }
  return before - after;
}
