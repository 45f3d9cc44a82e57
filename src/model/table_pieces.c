// Slopes at the points of splines and what lies beyond the ends are those of the tables of the Modelica standard library.
// A cubic piece has the values and slopes of its two points (Hermite).
#include "model/table_pieces.h"

#include <math.h>

typedef struct PieceMaker {
  Arena *arena;
  TablePieces p;
} PieceMaker;

typedef struct TablePiece {
  double origin, c[4];
} TablePiece;

static bool is_same_constant(const TablePieces *p, int k, const TablePiece *next) {
  for (int i = 1; i < 4; i++)
    if (p->coefficient[i][k] != 0 || next->c[i] != 0) return false;
  return p->coefficient[0][k] == next->c[0];
}

// Adds a piece that begins at `from`, behind the others.
static void add_piece(PieceMaker *m, bool whole, double from, TablePiece next) {
  TablePieces *p = &m->p;
  bool first = p->breaks < 0;
  if (!first && whole && is_same_constant(p, p->breaks, &next)) return;
  if (!first) p->at[p->breaks] = from;
  p->breaks++;
  p->origin[p->breaks] = next.origin;
  for (int i = 0; i < 4; i++) p->coefficient[i][p->breaks] = next.c[i];
}

// ---------------------------------------------------------------- slopes of splines

static double weighted(double left, double right, double weight_left, double weight_right) {
  double sum = weight_left + weight_right;
  if (!(sum > 0)) return 0.5 * (left + right);
  double a = weight_left / sum;
  return (1 - a) * left + a * right;
}

static double akima_weight(TableKind kind, double a, double b) {
  double w = fabs(a - b);
  return kind == TABLE_MAKIMA ? w + 0.5 * fabs(a + b) : w;
}

// d: differences of n - 1 intervals, n > 2, from d[2] on; two more at either end continue them.
static void akima_slopes(TableKind kind, double *d, int n, double *slope) {
  d[0] = 3 * d[2] - 2 * d[3];
  d[1] = 2 * d[2] - d[3];
  d[n + 1] = 2 * d[n] - d[n - 1];
  d[n + 2] = 3 * d[n] - 2 * d[n - 1];
  for (int i = 0; i < n; i++) {
    double left = akima_weight(kind, d[i + 1], d[i]),
           right = akima_weight(kind, d[i + 3], d[i + 2]);
    slope[i] = weighted(d[i + 1], d[i + 2], left, right);
  }
}

static double butland(double h0, double h1, double d0, double d1) {
  return 3 * (h0 + h1) / ((h0 + 2 * h1) / d0 + (h1 + 2 * h0) / d1);
}

static double steffen(double h0, double h1, double d0, double d1) {
  double slope = (d0 * h1 + d1 * h0) / (h0 + h1), least = fmin(fabs(d0), fabs(d1));
  return 0.5 * fabs(slope) > least ? copysign(2 * least, d0) : slope;
}

static void monotone_slopes(TableKind kind, const double *x, const double *d, int n,
                            double *slope) {
  slope[0] = d[2];
  slope[n - 1] = d[n];
  for (int i = 1; i < n - 1; i++) {
    double d0 = d[i + 1], d1 = d[i + 2], h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
    bool turns = d0 == 0 || d1 == 0 || (d0 < 0) != (d1 < 0);
    slope[i] = turns                    ? 0
               : kind == TABLE_MONOTONE ? butland(h0, h1, d0, d1)
                                        : steffen(h0, h1, d0, d1);
  }
}

static const double *spline_slopes(Arena *a, TableKind kind, const double *x, const double *y,
                                   int n) {
  double *slope = ARENA_ARRAY(a, double, n), *d = ARENA_ARRAY(a, double, n + 3);
  for (int i = 0; i < n - 1; i++) d[i + 2] = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
  if (kind == TABLE_AKIMA || kind == TABLE_MAKIMA)
    akima_slopes(kind, d, n, slope);
  else
    monotone_slopes(kind, x, d, n, slope);
  return slope;
}

// ---------------------------------------------------------------- pieces

static TablePiece constant(double y) {
  return (TablePiece){.c = {y}};
}

static TablePiece line(double x, double y, double slope) {
  return (TablePiece){x, {y, slope}};
}

static TablePiece cubic(const double *x, const double *y, const double *slope) {
  double h = x[1] - x[0], d = (y[1] - y[0]) / h;
  double c = (3 * d - 2 * slope[0] - slope[1]) / h, e = (slope[0] + slope[1] - 2 * d) / (h * h);
  return (TablePiece){x[0], {y[0], slope[0], c, e}};
}

static TablePiece between(TableKind kind, const double *x, const double *y, const double *slope) {
  if (kind == TABLE_HOLD) return constant(y[0]);
  return slope ? cubic(x, y, slope) : line(x[0], y[0], (y[1] - y[0]) / (x[1] - x[0]));
}

// Beyond the point, whose neighbour may be at the same place: a jump, beyond which nothing changes.
static TablePiece beyond_end(TableBeyond beyond, const double *x, const double *y,
                             const double *slope, int point, int neighbour) {
  double h = x[neighbour] - x[point];
  if (beyond == TABLE_HOLD_LAST || h == 0) return constant(y[point]);
  return line(x[point], y[point], slope ? slope[point] : (y[neighbour] - y[point]) / h);
}

static PieceMaker maker_new(Arena *a, int pieces) {
  PieceMaker m = {.arena = a, .p = {.breaks = -1}};
  m.p.at = ARENA_ARRAY(a, double, pieces);
  m.p.origin = ARENA_ARRAY(a, double, pieces);
  for (int i = 0; i < 4; i++) m.p.coefficient[i] = ARENA_ARRAY(a, double, pieces);
  return m;
}

static void find_order(TablePieces *p) {
  for (int i = 0; i < 4; i++)
    for (int k = 0; k <= p->breaks; k++)
      if (p->coefficient[i][k] != 0) p->order = i;
}

TablePieces table_pieces(Arena *a, TableKind kind, TableBeyond beyond, const double *x,
                         const double *y, int n, bool whole) {
  PieceMaker m = maker_new(a, n + 1);
  bool spline = kind > TABLE_HOLD && n > 2, is_line = kind == TABLE_LINEAR || (!spline && n == 2);
  const double *slope = spline ? spline_slopes(a, kind, x, y, n) : NULL;
  if (kind > TABLE_HOLD && !spline) kind = TABLE_LINEAR;
  bool ends = beyond != TABLE_PERIODIC;
  // lines go on as they are where the last two points are continued
  if (ends && (beyond == TABLE_HOLD_LAST || !is_line || n == 1 || x[0] == x[1]))
    add_piece(&m, whole, 0, n == 1 ? constant(y[0]) : beyond_end(beyond, x, y, slope, 0, 1));
  for (int i = 0; i < n - 1; i++)
    if (x[i + 1] > x[i])
      add_piece(&m, whole, x[i], between(kind, x + i, y + i, slope ? slope + i : NULL));
  bool last = beyond == TABLE_HOLD_LAST || !is_line || (n > 1 && x[n - 1] == x[n - 2]);
  if (ends && n > 1 && last)
    add_piece(&m, whole, x[n - 1], beyond_end(beyond, x, y, slope, n - 1, n - 2));
  find_order(&m.p);
  return m.p;
}
