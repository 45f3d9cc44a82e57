// Inputs as piecewise polynomials: held, linear, or the cubic spline with not-a-knot ends (de Boor, A Practical Guide
// to Splines, chapter IV). Constant beyond the samples.
#include "simulate/input.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/text.h"
#include "simulate/origin.h"

typedef struct InputSamples {
  const double *t, *v;
  int n;
} InputSamples;

// v + s (b + s (c + s d)), s = t - from
typedef struct Piece {
  double from, v, b, c, d;
} Piece;

struct Input {
  InputKind kind;
  int breaks;
  const double *at;     // breaks
  const Piece *piece;   // breaks + 1: piece i lies between break i - 1 and break i
  double size;          // largest value
  bool jumps;           // at breaks: held, or two samples have one time
  InputSamples samples; // that it was made from
};

// ---- from samples to pieces

typedef struct Build {
  double *at;
  Piece *piece;
  int breaks;
} Build;

static void add_piece(Build *b, Piece p) {
  b->at[b->breaks++] = p.from;
  b->piece[b->breaks] = p;
}

static void build_hold(Arena *scratch, InputSamples s, Build *b) {
  (void)scratch;
  double before = s.v[0];
  for (int i = 0; i < s.n; i++) {
    if (i + 1 < s.n && s.t[i + 1] == s.t[i]) continue; // the later one holds
    if (s.v[i] != before) add_piece(b, (Piece){.from = s.t[i], .v = s.v[i]});
    before = s.v[i];
  }
}

// Of two samples at one time the first ends a piece, the second begins one.
static bool jumps_behind(InputSamples s, int i) {
  return i + 1 < s.n && s.t[i + 1] == s.t[i];
}

static void build_linear(Arena *scratch, InputSamples s, Build *b) {
  (void)scratch;
  double before = 0;
  for (int i = 0; i < s.n; i++) {
    if (jumps_behind(s, i)) continue;
    bool last = i == s.n - 1, jumped = i > 0 && jumps_behind(s, i - 1);
    double slope = last ? 0 : (s.v[i + 1] - s.v[i]) / (s.t[i + 1] - s.t[i]);
    if (slope != before || jumped) add_piece(b, (Piece){.from = s.t[i], .v = s.v[i], .b = slope});
    before = slope;
  }
}

static double divided(InputSamples s, int i) {
  return (s.v[i + 1] - s.v[i]) / (s.t[i + 1] - s.t[i]);
}

// Rows 1 .. n-2 of low M[i-1] + diagonal M[i] + high M[i+1] = right, by elimination; M[0] and
// M[n-1] stay as they are.
static void solve_tridiagonal(int n, const double *low, double *diagonal, const double *high,
                              double *right, double *M) {
  for (int i = 2; i <= n - 2; i++) {
    double factor = low[i] / diagonal[i - 1];
    diagonal[i] -= factor * high[i - 1];
    right[i] -= factor * right[i - 1];
  }
  M[n - 2] = right[n - 2] / diagonal[n - 2];
  for (int i = n - 3; i >= 1; i--) M[i] = (right[i] - high[i] * M[i + 1]) / diagonal[i];
}

// Second derivatives M at the samples, n >= 3; de Boor, A Practical Guide to Splines, chapter IV.
// Not-a-knot: the third derivative is continuous at the second sample, h1 (M1 - M0) = h0 (M2 - M1),
// which removes M0 from row 1.
static void second_derivatives(Arena *scratch, InputSamples s, double *M) {
  int n = s.n;
  double *low = ARENA_ARRAY(scratch, double, n), *diagonal = ARENA_ARRAY(scratch, double, n);
  double *high = ARENA_ARRAY(scratch, double, n), *right = ARENA_ARRAY(scratch, double, n);
  for (int i = 1; i < n - 1; i++) {
    low[i] = s.t[i] - s.t[i - 1];
    high[i] = s.t[i + 1] - s.t[i];
    diagonal[i] = 2 * (low[i] + high[i]);
    right[i] = 6 * (divided(s, i) - divided(s, i - 1));
  }
  bool natural = n < 4;
  if (!natural) {
    double h0 = low[1], h1 = high[1], g0 = high[n - 2], g1 = low[n - 2];
    diagonal[1] = (h0 + h1) * (h0 + 2 * h1) / h1;
    high[1] = (h1 - h0) * (h1 + h0) / h1;
    diagonal[n - 2] = (g0 + g1) * (g0 + 2 * g1) / g1;
    low[n - 2] = (g1 - g0) * (g1 + g0) / g1;
    solve_tridiagonal(n, low, diagonal, high, right, M);
    M[0] = M[1] + (M[1] - M[2]) * h0 / h1;
    M[n - 1] = M[n - 2] + (M[n - 2] - M[n - 3]) * g0 / g1;
  } else {
    solve_tridiagonal(n, low, diagonal, high, right, M);
  }
}

static void build_curve(Arena *scratch, InputSamples s, Build *b) {
  double *M = ARENA_ARRAY(scratch, double, s.n);
  if (s.n >= 3) second_derivatives(scratch, s, M);
  for (int i = 0; i < s.n - 1; i++) {
    double h = s.t[i + 1] - s.t[i];
    add_piece(b, (Piece){.from = s.t[i],
                         .v = s.v[i],
                         .b = divided(s, i) - h * (2 * M[i] + M[i + 1]) / 6,
                         .c = M[i] / 2,
                         .d = (M[i + 1] - M[i]) / (6 * h)});
  }
}

// A curve between two jumps.
static void build_spline(Arena *scratch, InputSamples s, Build *b) {
  for (int from = 0, i = 0; i < s.n; i++) {
    if (i + 1 < s.n && !jumps_behind(s, i)) continue;
    build_curve(scratch, (InputSamples){s.t + from, s.v + from, i + 1 - from}, b);
    from = i + 1;
  }
  bool jumped = s.n > 1 && jumps_behind(s, s.n - 2);
  if (s.n > 1 || jumped) add_piece(b, (Piece){.from = s.t[s.n - 1], .v = s.v[s.n - 1]});
}

static const struct {
  const char *name;
  void (*build)(Arena *scratch, InputSamples s, Build *b);
} KINDS[] = {
    [INPUT_HOLD] = {"hold", build_hold},
    [INPUT_LINEAR] = {"linear", build_linear},
    [INPUT_SPLINE] = {"spline", build_spline},
};

bool input_kind_find(const char *name, InputKind *kind) {
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
    if (strcmp(KINDS[i].name, name) != 0) continue;
    *kind = (InputKind)i;
    return true;
  }
  return false;
}

// ---- making

static InputSamples copy_samples(Arena *a, InputSamples s, double origin) {
  double *t = ARENA_ARRAY(a, double, s.n), *v = ARENA_ARRAY(a, double, s.n);
  for (int i = 0; i < s.n; i++) t[i] = s.t[i] - origin, v[i] = s.v[i];
  return (InputSamples){t, v, s.n};
}

static Input *make(Arena *a, Arena *scratch, InputSamples s, InputKind kind) {
  Build b = {ARENA_ARRAY(a, double, s.n), ARENA_ARRAY(a, Piece, s.n + 1), 0};
  b.piece[0] = (Piece){.from = s.t[0], .v = s.v[0]};
  KINDS[kind].build(scratch, s, &b);
  Input *in = ARENA_NEW(a, Input);
  *in = (Input){.kind = kind, .breaks = b.breaks, .at = b.at, .piece = b.piece};
  in->samples = copy_samples(a, s, 0);
  in->jumps = kind == INPUT_HOLD;
  for (int i = 0; i < s.n; i++) in->jumps |= jumps_behind(s, i);
  for (int i = 0; i < s.n; i++) in->size = fmax(in->size, fabs(s.v[i]));
  return in;
}

Input *input_constant(Arena *a, double value) {
  double t = 0;
  return make(a, a, (InputSamples){&t, &value, 1}, INPUT_HOLD);
}

// Where the samples come from: for messages.
typedef struct InputOrigin {
  const Table *table; // NULL: bare arrays
  int time, column;
  Err *err;
} InputOrigin;

__attribute__((format(printf, 3, 4))) static bool fail_row(const InputOrigin *from, int row,
                                                           const char *format, ...) {
  Place at = {0};
  if (from->table) {
    at.file = from->table->file;
    if (row >= 0) at = (Place){at.file, from->table->line[row], 1};
  }
  va_list args;
  va_start(args, format);
  fail_args(from->err, ERR_DATA, at, format, args);
  va_end(args);
  return false;
}

// " in column 'x'", or nothing without a table.
static const char *in_column(const InputOrigin *from, int column, char out[120]) {
  out[0] = 0;
  if (from->table) c_snprintf(out, 120, " in column '%.80s'", from->table->names[column]);
  return out;
}

static bool fail_late(const InputOrigin *from, int row, const char *where, double t, double last) {
  char a[32], b[32];
  number_format(t, a), number_format(last, b);
  return fail_row(from, row, "row %d: time%s must increase, but %s follows %s%s", row + 1, where, a,
                  b, times_too_close(t, last).at);
}

// Two rows of one time are a jump, three are a mistake.
static bool check_row(const InputOrigin *from, InputSamples s, int i, int last, int before_last) {
  char where[120];
  if (isinf(s.v[i]))
    return fail_row(from, i, "row %d: the value%s is not finite", i + 1,
                    in_column(from, from->column, where));
  if (isnan(s.t[i]) && isnan(s.v[i])) return true;
  in_column(from, from->time, where);
  if (!isfinite(s.t[i]))
    return fail_row(from, i, "row %d: the time%s is missing or infinite", i + 1, where);
  bool third = before_last >= 0 && s.t[i] == s.t[before_last];
  if (last >= 0 && (!(s.t[i] >= s.t[last]) || third))
    return fail_late(from, i, where, s.t[i], s.t[last]);
  return true;
}

// Checks all rows and copies those that have a value.
static bool take_samples(Arena *scratch, const InputOrigin *from, InputSamples all,
                         InputSamples *some) {
  double *t = ARENA_ARRAY(scratch, double, all.n), *v = ARENA_ARRAY(scratch, double, all.n);
  int last = -1, before_last = -1, n = 0;
  for (int i = 0; i < all.n; i++) {
    if (!check_row(from, all, i, last, before_last)) return false;
    if (!isnan(all.t[i])) before_last = last, last = i;
    if (isnan(all.v[i])) continue;
    t[n] = all.t[i];
    v[n++] = all.v[i];
  }
  *some = (InputSamples){t, v, n};
  char where[120];
  if (n > 0) return true;
  return fail_row(from, -1, "there is no value%s", in_column(from, from->column, where));
}

static Input *make_checked(Arena *a, const InputOrigin *from, InputSamples all, InputKind kind) {
  Arena *scratch = arena_new();
  InputSamples some;
  Input *in = NULL;
  if (take_samples(scratch, from, all, &some)) in = make(a, scratch, some, kind);
  arena_free(scratch);
  return in;
}

Input *input_new(Arena *a, const double *t, const double *v, int n, InputKind kind, Err *err) {
  return make_checked(a, &(InputOrigin){.err = err}, (InputSamples){t, v, n}, kind);
}

Input *input_from_table(Arena *a, const Table *table, int time, int column, InputKind kind,
                        Err *err) {
  InputOrigin from = {table, time, column, err};
  InputSamples all = {table->column[time], table->column[column], table->rows};
  return make_checked(a, &from, all, kind);
}

const Input *input_since(Arena *a, const Input *in, double origin) {
  if (origin == 0) return in;
  double *at = ARENA_ARRAY(a, double, in->breaks);
  Piece *piece = ARENA_ARRAY(a, Piece, in->breaks + 1);
  for (int i = 0; i < in->breaks; i++) at[i] = in->at[i] - origin;
  for (int i = 0; i <= in->breaks; i++) {
    piece[i] = in->piece[i];
    piece[i].from -= origin;
  }
  Input *out = ARENA_NEW(a, Input);
  *out = *in;
  out->at = at, out->piece = piece;
  out->samples = copy_samples(a, in->samples, origin);
  return out;
}

const Input *input_as(Arena *a, const Input *in, InputKind kind) {
  Arena *scratch = arena_new();
  Input *out = make(a, scratch, in->samples, kind);
  arena_free(scratch);
  return out;
}

bool input_is_sampled(const Input *in) {
  for (int i = 1; i < in->samples.n; i++)
    if (in->samples.v[i] != in->samples.v[0]) return true;
  return false;
}

int input_samples(const Input *in, const double **t, const double **v) {
  *t = in->samples.t;
  *v = in->samples.v;
  return in->samples.n;
}

const char *input_kind_word(InputKind kind) {
  return KINDS[kind].name;
}

// ---- evaluation

InputKind input_kind(const Input *in) {
  return in->kind;
}

bool input_jumps(const Input *in) {
  return in->jumps;
}

int input_piece(const Input *in, double t, int direction) {
  int low = 0, high = in->breaks; // the number of breaks before t
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (in->at[middle] < t || (direction >= 0 && in->at[middle] == t))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int input_piece_near(const Input *in, double t, int guess) {
  enum { TRIES = 3 };
  for (int i = guess < 0 ? 0 : guess; i <= in->breaks && i < guess + TRIES; i++)
    if ((i == 0 || in->at[i - 1] <= t) && (i == in->breaks || in->at[i] > t)) return i;
  return input_piece(in, t, +1);
}

// Pieces are closed: one that has t at its end is kept, so the slope there is that of its own side.
static bool contains(const Input *in, int piece, double t) {
  if (piece < 0 || piece > in->breaks) return false;
  return (piece == 0 || t >= in->at[piece - 1]) && (piece == in->breaks || t <= in->at[piece]);
}

static int follow(const Input *in, double t, int piece) {
  if (contains(in, piece, t)) return piece;
  if (contains(in, piece + 1, t)) return piece + 1;
  return input_piece(in, t, 1);
}

void input_eval(const Input *in, double t, int *piece, double *value, double *slope) {
  if (!in->jumps) *piece = follow(in, t, *piece);
  assert(*piece >= 0 && *piece <= in->breaks);
  const Piece *p = &in->piece[*piece];
  double s = t - p->from;
  *value = p->v + s * (p->b + s * (p->c + s * p->d));
  if (slope) *slope = p->b + s * (2 * p->c + s * 3 * p->d);
}

double input_value(const Input *in, double t) {
  int piece = input_piece(in, t, 1);
  double value;
  input_eval(in, t, &piece, &value, NULL);
  return value;
}

void input_eval_all(const Input *const *in, int count, double t, int *piece, double *u, double *du,
                    int stride) {
  for (int i = 0; i < count; i++) {
    input_eval(in[i], t, &piece[i], &u[i], &du[i]);
    const Piece *p = &in[i]->piece[piece[i]];
    du[stride + i] = 2 * p->c + 6 * p->d * (t - p->from);
    du[2 * stride + i] = 6 * p->d;
  }
}

int input_smoothness(const Input *in) {
  if (in->breaks == 0) return INT_MAX;
  return in->jumps ? -1 : in->kind == INPUT_LINEAR ? 0 : 2;
}

int input_smoothness_between(const Input *in, int from, int to) {
  if (from >= to) return INT_MAX;
  bool at_end = from == 0 || to == in->breaks; // constant beyond
  return in->kind == INPUT_SPLINE && !in->jumps && at_end ? 0 : input_smoothness(in);
}

// Whether the function may be taken as one polynomial across break i: it then errs by less than the tolerance until the
// next break.
static bool is_smooth(const Input *in, int i, double tolerance) {
  if (in->kind != INPUT_SPLINE || in->jumps || i == 0 || i == in->breaks - 1) return false;
  double h = in->at[i + 1] - in->at[i], bend = in->piece[i + 1].d - in->piece[i].d;
  return fabs(bend) * h * h * h <= tolerance * in->size;
}

double input_next_break(const Input *in, double t, double tolerance) {
  int i = input_piece(in, t, 1); // break i is the first behind it
  while (i < in->breaks && (in->at[i] <= t || is_smooth(in, i, tolerance))) i++;
  return i < in->breaks ? in->at[i] : HUGE_VAL;
}

OpRange input_range(const Input *in, double from, double until) {
  OpRange r = {HUGE_VAL, -HUGE_VAL};
  int last = input_piece(in, until, +1);
  for (int i = input_piece(in, from, +1); i <= last; i++) {
    const Piece *p = &in->piece[i];
    if (p->c != 0 || p->d != 0) return (OpRange){-HUGE_VAL, HUGE_VAL};
    double begin = i > 0 ? fmax(from, in->at[i - 1]) : from;
    double end = i < in->breaks ? fmin(until, in->at[i]) : until;
    double v = p->v + (begin - p->from) * p->b, w = p->v + (end - p->from) * p->b;
    r = (OpRange){fmin(r.low, fmin(v, w)), fmax(r.high, fmax(v, w))};
  }
  return r;
}
