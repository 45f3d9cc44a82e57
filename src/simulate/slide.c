// Sliding motions (Filippov 1988, Differential Equations with Discontinuous Righthand Sides, chapter 2). Let f- be the motion with all
// surfaces that it slides on taken at their sides w < 0, and f_i the same with surface i at w > 0. The motion is
//   f = f- + sum_i a_i (f_i - f-),   0 < a_i < 1,
// with shares a that keep every w_j: with the rates r = w_x f + w_t, (r_i - r-)_j a_i = -(r-)_j, a small linear system. For one surface
// this is Filippov's mixture; for several, the equations must be sums of what the surfaces contribute, as forces of friction
// are. The motion leaves surface i where a_i reaches 0 or 1.
//
// Sensitivities: a depends on x and p, so dS/dt = mixture of (f_c)_x S + (f_c)_p, and (f_i - f-) da_i/dp, where da/dp follows from the
// derivatives of the same linear system.
//
// Where equations are not linear in sign(w) (the square of a force of friction, or loads that shift between two contacts), a mixture of
// results is not what they say. There sign(w) itself takes the value 2 a - 1 between -1 and 1 (Utkin's equivalent control, the limit of
// tanh(w/width)), the same for all equations, and a is found by Newton's method; where all is linear, both are the same. Relations that
// are no sign keep their two sides, which are mixed. On the surface w_x S + w_p = 0. Where the motion reaches it, S jumps by
// -(f_i - f-) (r_i - r-)^-1 (w_x S + w_p), the same as (f_old - f_new) dt/dp of event.c. Where it leaves, f is continuous, and so is S.
#include "simulate/slide.h"

#include <math.h>
#include <string.h>

#include "simulate/event_through.h"

enum { MOST = SLIDE_MOST };
static const double AFFINE = 1e-7;      // relative: the sides of several surfaces add up
static const double ROUNDED = 1e-12;    // relative: a rate that is 0
static const double LEAST_WRONG = 1e-7; // of shares, and relative of rates
static const double SINGULAR = 1e-11;   // of the largest number of a matrix
static const double LEAST_SIZE = 1e-3;  // of w: of its change by one side during the simulation
static const double DRIFT = 1e-11;      // of the size of w
static const double ALMOST = 1 - 1e-5;  // of the time since then: what made it leave has happened
static const double LATEST = 1e-3;      // of the duration: so late a motion is seen to leave
static const double RELEASED = 1e-9;    // of the same: a jump has taken the motion away

// ---------------------------------------------------------------- corners

// What event j says exactly on its surface.
static double literal_mode(const EventWork *e, int j) {
  return event_literal_of(e->work->system->model->flat->events.at[j].kind, 0);
}

static void set_literal(EventWork *e, int surface) {
  for (const int *j = e->events_of[surface]; *j >= 0; j++)
    system_set_mode(e->work, *j, literal_mode(e, *j));
}

static int *own_side(EventWork *e, int surface) {
  return &e->own_side[e->work->system->surfaces.event[surface]];
}

// The modes of all events of a surface, as they are at this side of it, and those of sign(w) with this value. Where the motion rests
// there by a value that the law has on the surface itself, that one is instead of the side w < 0, and the side that differs more from
// it instead of w > 0.
static void set_value(EventWork *e, int surface, int side, double value) {
  const System *s = e->work->system;
  int own = *own_side(e, surface);
  if (own && side < 0) {
    set_literal(e, surface);
    return;
  }
  if (own && side > 0) side = own, value = own;
  for (const int *j = e->events_of[surface]; *j >= 0; j++) {
    int same = s->surfaces.side[*j];
    bool sign = s->model->flat->events.at[*j].kind == EVENT_SIGN;
    system_set_mode(e->work, *j, sign ? value * same : side * same < 0);
  }
}

// Side 0: as they rest while it slides.
static void set_side(EventWork *e, int surface, int side) {
  set_value(e, surface, side, side);
}

// Corner 0 has all surfaces of the list at their sides w < 0, corner i > 0 has number i - 1 at w > 0. share: sign(w) has the value
// of these shares instead, at all corners; NULL: that of the side.
static void set_corner(EventWork *e, const int *list, int count, int corner, const double *share) {
  for (int i = 0; i < count; i++) {
    int side = corner == i + 1 ? 1 : -1;
    set_value(e, list[i], side, share ? 2 * share[i] - 1 : side);
  }
}

static void rest(EventWork *e) {
  for (int i = 0; i < e->slide_count; i++) set_side(e, e->slide[i], 0);
}

// Gauss with the largest pivot. b becomes the solution. false: singular up to rounding errors.
static bool eliminate(int n, double A[MOST][MOST], double *b) {
  double most = 0;
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) most = fmax(most, fabs(A[r][c]));
  for (int c = 0; c < n; c++) {
    int p = c;
    for (int r = c + 1; r < n; r++)
      if (fabs(A[r][c]) > fabs(A[p][c])) p = r;
    if (!(fabs(A[p][c]) > SINGULAR * most)) return false;
    for (int k = 0; k < n && p != c; k++) {
      double swap = A[c][k];
      A[c][k] = A[p][k], A[p][k] = swap;
    }
    double swap = b[c];
    b[c] = b[p], b[p] = swap;
    for (int r = c + 1; r < n; r++) {
      double by = A[r][c] / A[c][c];
      for (int k = c; k < n; k++) A[r][k] -= by * A[c][k];
      b[r] -= by * b[c];
    }
  }
  for (int r = n - 1; r >= 0; r--) {
    for (int k = r + 1; k < n; k++) b[r] -= A[r][k] * b[k];
    b[r] /= A[r][r];
  }
  return true;
}

// Of the solutions of A x = b the shortest, by Tikhonov's regularisation repeated on its residual; b becomes x. x = A^T z has no part that A
// does not see, so that rounding errors do not make it jump from one time to the next. false: the equations contradict each other.
static bool find_shortest(int n, double A[MOST][MOST], double *b) {
  enum { REPEATS = 6 };
  static const double WEIGHT = 1e-6;
  double copy[MOST][MOST], x[MOST] = {0}, size = 0;
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) size += A[r][c] * A[r][c];
  if (!(size > 0 && isfinite(size))) return false;
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    double z[MOST];
    for (int r = 0; r < n; r++) {
      z[r] = b[r];
      for (int c = 0; c < n; c++) z[r] -= A[r][c] * x[c];
      for (int k = 0; k < n; k++) {
        copy[r][k] = r == k ? WEIGHT * size : 0;
        for (int c = 0; c < n; c++) copy[r][k] += A[r][c] * A[k][c];
      }
    }
    if (!eliminate(n, copy, z)) return false;
    for (int i = 0; i < n; i++)
      for (int r = 0; r < n; r++) x[i] += A[r][i] * z[r];
  }
  for (int r = 0; r < n; r++) {
    double rest = b[r], terms = fabs(b[r]);
    for (int c = 0; c < n; c++) rest -= A[r][c] * x[c], terms += fabs(A[r][c] * x[c]);
    if (fabs(rest) > 1e-8 * terms + 1e-12 * sqrt(size)) return false;
  }
  memcpy(b, x, (size_t)n * sizeof *b);
  return true;
}

static bool find_unique(int n, double A[MOST][MOST], double *b) {
  double copy[MOST][MOST], x[MOST];
  memcpy(x, b, (size_t)n * sizeof *b);
  for (int r = 0; r < n; r++) memcpy(copy[r], A[r], (size_t)n * sizeof **A);
  if (!eliminate(n, copy, x)) return false;
  memcpy(b, x, (size_t)n * sizeof *b);
  return true;
}

// A x = b, b becomes x. Surfaces may depend on each other (two bodies that stick to the ground and to each other): the motion is
// then the same for many shares, and the shortest x is taken.
static bool solve(int n, double A[MOST][MOST], double *b) {
  return find_unique(n, A, b) || find_shortest(n, A, b);
}

// What the surfaces of a list do to their own rates.
typedef struct Rates {
  double base[MOST];     // of corner 0
  double by[MOST][MOST]; // [j][i]: rate of number j at corner i + 1, less base
} Rates;

static void note_rates(const int *list, int count, const double *all, int corner, Rates *r) {
  for (int j = 0; j < count; j++)
    if (corner == 0)
      r->base[j] = all[list[j]];
    else
      r->by[j][corner - 1] = all[list[j]] - r->base[j];
}

static void copy_matrix(int n, double from[MOST][MOST], double to[MOST][MOST]) {
  for (int r = 0; r < n; r++) memcpy(to[r], from[r], (size_t)n * sizeof **to);
}

// A x = b for shares of what the motion slides on. Where several serve, laws that rest by themselves have none if the others can hold
// the motion.
static bool solve_shares(EventWork *e, double A[MOST][MOST], double *b) {
  int n = e->slide_count;
  double others[MOST][MOST];
  bool own = false;
  if (find_unique(n, A, b)) return true;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      bool is_own = *own_side(e, e->slide[i]);
      others[j][i] = is_own ? 0 : A[j][i];
      own = own || is_own;
    }
  return (own && find_shortest(n, others, b)) || find_shortest(n, A, b);
}

// From here the shares are looked for, so that the shortest is the one in the middle.
static double middle(EventWork *e, int i) {
  return *own_side(e, e->slide[i]) ? 0 : 0.5;
}

static void find_shares(EventWork *e, const Rates *r, double *share) {
  int n = e->slide_count;
  double A[MOST][MOST];
  for (int j = 0; j < n; j++) {
    share[j] = -r->base[j];
    for (int i = 0; i < n; i++) A[j][i] = r->by[j][i], share[j] -= middle(e, i) * r->by[j][i];
  }
  bool found = solve_shares(e, A, share);
  for (int j = 0; j < n; j++) share[j] = found ? share[j] + middle(e, j) : nan("");
}

static double weight(const EventWork *e, const double *share, int corner) {
  if (corner) return share[corner - 1];
  double rest_of = 1;
  for (int i = 0; i < e->slide_count; i++) rest_of -= share[i];
  return rest_of;
}

// What is evaluated with the modes in use.
typedef void Evaluation(EventWork *e, double t, const double *y, double *to);

static void evaluate_motion(EventWork *e, double t, const double *y, double *to) {
  system_rhs(e->work, t, y, to);
}

static void evaluate_motion_sens(EventWork *e, double t, const double *y, double *to) {
  system_rhs_sens(e->work, t, y, to);
}

static void evaluate_events(EventWork *e, double t, const double *y, double *to) {
  system_events(e->work, t, y, to);
}

static void evaluate_outputs(EventWork *e, double t, const double *y, double *to) {
  system_outputs(e->work, t, y, to, NULL);
}

static void evaluate_outputs_sens(EventWork *e, double t, const double *y, double *to) {
  system_outputs(e->work, t, y, to, to + e->work->system->ny);
}

// to = mixture of the corners, each of n numbers in e->corner.
static void mix(const EventWork *e, const double *share, int n, double *to) {
  for (int k = 0; k < n; k++) to[k] = e->corner[0][k];
  for (int i = 0; i < e->slide_count; i++)
    for (int k = 0; k < n; k++) to[k] += share[i] * (e->corner[i + 1][k] - e->corner[0][k]);
}

// Fills e->corner, and to with their mixture. e->corner stays; of the first n numbers.
static void mix_corners(EventWork *e, double t, const double *y, Evaluation *what, int n,
                        const double *share, double *to) {
  bool bends = e->work->system->surfaces.bends;
  for (int c = 0; c <= e->slide_count; c++) {
    set_corner(e, e->slide, e->slide_count, c, bends ? share : NULL);
    what(e, t, y, e->corner[c]);
  }
  rest(e);
  mix(e, share, n, to);
}

// ---------------------------------------------------------------- sign(w) with a value

static const double STEP = 1.0 / 64; // of a share, for differences
enum { NEWTON_MOST = 20 };

// Rates of the surfaces of a list at these shares.
static void rates_at(EventWork *e, double t, const double *x, const int *list, int count,
                     const double *share, double *rate) {
  double first[MOST];
  for (int c = 0; c <= count; c++) {
    set_corner(e, list, count, c, share);
    system_slide(e->work, t, x, e->slide_rate, NULL);
    for (int j = 0; j < count; j++) {
      double here = e->slide_rate[list[j]];
      if (c == 0) first[j] = rate[j] = here;
      if (c > 0) rate[j] += share[c - 1] * (here - first[j]);
    }
  }
}

// Their derivatives by the shares, by differences that are exact for polynomials of degree 4.
static void rates_by_share(EventWork *e, double t, const double *x, const int *list, int count,
                           const double *share, double by[MOST][MOST]) {
  static const double AT[] = {-2, -1, 1, 2}, FACTOR[] = {1, -8, 8, -1};
  double moved[MOST], rate[MOST];
  memcpy(moved, share, (size_t)count * sizeof *share);
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) by[j][i] = 0;
    for (int d = 0; d < 4; d++) {
      moved[i] = share[i] + AT[d] * STEP;
      rates_at(e, t, x, list, count, moved, rate);
      for (int j = 0; j < count; j++) by[j][i] += FACTOR[d] * rate[j] / (12 * STEP);
    }
    moved[i] = share[i];
  }
}

// From these shares to some at which the rates are 0. Returns how far they are beyond 0 or 1.
static double refine(EventWork *e, double t, const double *x, const Rates *r, double *share) {
  int n = e->slide_count;
  double moved = HUGE_VAL, beyond = 0;
  for (int round = 0; round < NEWTON_MOST && moved > 1e-3 * ROUNDED; round++) {
    double A[MOST][MOST], b[MOST];
    bool done = true;
    rates_at(e, t, x, e->slide, n, share, b);
    for (int j = 0; j < n; j++) {
      double size = fabs(r->base[j]);
      for (int i = 0; i < n; i++) size += fabs(r->by[j][i]);
      done = done && fabs(b[j]) <= 1e-3 * ROUNDED * size;
    }
    if (done) break;
    rates_by_share(e, t, x, e->slide, n, share, A);
    if (!solve_shares(e, A, b)) return HUGE_VAL;
    moved = 0;
    for (int j = 0; j < n; j++) share[j] -= b[j], moved = fmax(moved, fabs(b[j]));
  }
  for (int j = 0; j < n; j++)
    if (!*own_side(e, e->slide[j])) beyond = fmax(beyond, fmax(-share[j], share[j] - 1));
  return beyond;
}

// Equations that are not linear may have several solutions: the one nearest to shares between 0 and 1, from those of a linear law and
// from the middle.
static void refine_shares(EventWork *e, double t, const double *x, const Rates *r, double *share) {
  int n = e->slide_count;
  double other[MOST];
  for (int j = 0; j < n; j++) {
    other[j] = middle(e, j);
    share[j] = *own_side(e, e->slide[j]) ? 0 : fmin(fmax(share[j], 0), 1);
  }
  double beyond = refine(e, t, x, r, share);
  if (beyond > 0 && refine(e, t, x, r, other) < beyond)
    memcpy(share, other, (size_t)n * sizeof *share);
}

// Derivative of what a mixture is made of by share i, at all corners mixed: to[k], of the first n numbers.
static void by_share(EventWork *e, double t, const double *y, Evaluation *what, int n,
                     const double *share, int i, double *to) {
  static const double AT[] = {-2, -1, 1, 2}, FACTOR[] = {1, -8, 8, -1};
  double moved[MOST];
  memcpy(moved, share, (size_t)e->slide_count * sizeof *share);
  memset(to, 0, (size_t)n * sizeof *to);
  for (int d = 0; d < 4; d++) {
    moved[i] = share[i] + AT[d] * STEP;
    mix_corners(e, t, y, what, n, moved, e->moved);
    for (int k = 0; k < n; k++) to[k] += FACTOR[d] * e->moved[k] / (12 * STEP);
  }
}

// ---------------------------------------------------------------- shares

// What rests by itself is compared with the side that differs more from it.
static void choose_sides(EventWork *e, double t, const double *x) {
  int n = e->slide_count;
  double literal[MOST];
  bool any = false;
  for (int i = 0; i < n; i++) any |= *own_side(e, e->slide[i]) != 0;
  if (!any) return;
  for (int c = 0; c <= n; c++) {
    int *own = c ? own_side(e, e->slide[c - 1]) : NULL, best = 0;
    double most = -1;
    for (int side = -1; side <= 1 && c && *own; side += 2) {
      *own = side;
      set_corner(e, e->slide, n, c, NULL);
      system_slide(e->work, t, x, e->slide_rate, NULL);
      double by = fabs(e->slide_rate[e->slide[c - 1]] - literal[c - 1]);
      if (by > most) most = by, best = side;
    }
    if (c && *own) *own = best;
    if (c) continue;
    set_corner(e, e->slide, n, 0, NULL);
    system_slide(e->work, t, x, e->slide_rate, NULL);
    for (int i = 0; i < n; i++) literal[i] = e->slide_rate[e->slide[i]];
  }
}

static void shares_at(EventWork *e, double t, const double *x, double *share) {
  Rates r = {0};
  choose_sides(e, t, x);
  for (int c = 0; c <= e->slide_count; c++) {
    set_corner(e, e->slide, e->slide_count, c, NULL);
    system_slide(e->work, t, x, e->slide_rate, NULL);
    note_rates(e->slide, e->slide_count, e->slide_rate, c, &r);
  }
  find_shares(e, &r, share);
  if (e->work->system->surfaces.bends) refine_shares(e, t, x, &r, share);
  rest(e);
}

// And their derivatives by the columns, share_by[i*stride + k].
static void shares_with_slopes(EventWork *e, double t, const double *y, double *share) {
  const System *s = e->work->system;
  int n = e->slide_count;
  Rates r = {0};
  bool bends = s->surfaces.bends;
  if (bends)
    shares_at(e, t, y, share);
  else
    choose_sides(e, t, y);
  for (int c = 0; c <= n; c++) {
    set_corner(e, e->slide, n, c, bends ? share : NULL);
    system_slide(e->work, t, y, e->slide_rate, e->slide_by[c]);
    note_rates(e->slide, n, e->slide_rate, c, &r);
  }
  if (bends)
    rates_by_share(e, t, y, e->slide, n, share, r.by);
  else
    find_shares(e, &r, share);
  rest(e);
  for (int k = 0; k < s->ns; k++) {
    double A[MOST][MOST], b[MOST];
    copy_matrix(n, r.by, A);
    for (int j = 0; j < n; j++) {
      b[j] = 0;
      for (int c = 0; c <= n; c++)
        b[j] -= weight(e, share, c) * e->slide_by[c][e->slide[j] * s->stride + k];
    }
    bool found = solve_shares(e, A, b);
    for (int j = 0; j < n; j++) e->share_by[j * s->stride + k] = found ? b[j] : nan("");
  }
}

// ---------------------------------------------------------------- the motion

void slide_rhs(EventWork *e, double t, const double *x, double *dx) {
  if (!e->slide_count) {
    system_rhs(e->work, t, x, dx);
    return;
  }
  double share[MOST];
  shares_at(e, t, x, share);
  e->more_rhs += 2 * e->slide_count + 1; // rates of the surfaces cost as much as the equations
  mix_corners(e, t, x, evaluate_motion, e->work->system->nx, share, dx);
}

// What share j contributes: e->corner[j + 1] less e->corner[0], or where the equations are not linear, the derivative.
static const double *contribution(EventWork *e, double t, const double *y, Evaluation *what, int n,
                                  const double *share, int j) {
  if (e->work->system->surfaces.bends)
    by_share(e, t, y, what, n, share, j, e->contribution);
  else
    for (int k = 0; k < n; k++) e->contribution[k] = e->corner[j + 1][k] - e->corner[0][k];
  return e->contribution;
}

void slide_rhs_sens(EventWork *e, double t, const double *y, double *dy) {
  const System *s = e->work->system;
  if (!e->slide_count) {
    system_rhs_sens(e->work, t, y, dy);
    return;
  }
  double share[MOST];
  shares_with_slopes(e, t, y, share);
  e->more_rhs += 2 * e->slide_count + 1;
  mix_corners(e, t, y, evaluate_motion_sens, s->nx * (1 + s->stride), share, dy);
  for (int j = 0; j < e->slide_count; j++) {
    const double *by = contribution(e, t, y, evaluate_motion, s->nx, share, j);
    for (int i = 0; i < s->nx; i++)
      for (int k = 0; k < s->ns && by[i] != 0; k++)
        dy[s->nx + i * s->stride + k] += by[i] * e->share_by[j * s->stride + k];
  }
}

void slide_events(EventWork *e, double t, const double *x, double *switching) {
  const System *s = e->work->system;
  if (!e->slide_count) {
    system_events(e->work, t, x, switching);
    return;
  }
  double share[MOST];
  shares_at(e, t, x, share);
  mix_corners(e, t, x, evaluate_events, s->ne, share, switching);
  for (int j = 0; j < s->ne; j++)
    if (e->slides[j]) switching[j] = 0.5;
  for (int i = 0; i < e->slide_count; i++) {
    bool own = *own_side(e, e->slide[i]);
    switching[s->surfaces.event[e->slide[i]]] = own ? 0.5 + 0.5 * share[i] / e->holds : share[i];
  }
}

void slide_outputs(EventWork *e, double t, const double *y, double *values, double *sens) {
  const System *s = e->work->system;
  if (!e->slide_count || s->output.all_states) {
    system_outputs(e->work, t, y, values, sens);
    return;
  }
  double share[MOST];
  int n = s->ny, slopes = sens ? s->ny * s->np : 0;
  if (sens && s->ns)
    shares_with_slopes(e, t, y, share);
  else
    shares_at(e, t, y, share);
  mix_corners(e, t, y, sens ? evaluate_outputs_sens : evaluate_outputs, n + slopes, share,
              e->mixed);
  memcpy(values, e->mixed, (size_t)n * sizeof *values);
  if (!sens) return;
  memcpy(sens, e->mixed + n, (size_t)slopes * sizeof *sens);
  for (int j = 0; j < e->slide_count; j++) {
    const double *by = contribution(e, t, y, evaluate_outputs, n, share, j);
    for (int i = 0; i < n; i++)
      for (int k = 0; k < s->ns; k++)
        sens[i * s->np + s->columns.active[k]] += by[i] * e->share_by[j * s->stride + k];
  }
}

void slide_jacobian(EventWork *e, double t, const double *x, double *J, double *ft) {
  if (!e->slide_count) {
    system_jacobian(e->work, t, x, J, ft);
    return;
  }
  const System *s = e->work->system;
  int entries = pattern_count(&s->sparse.jacobian);
  double share[MOST];
  shares_at(e, t, x, share);
  for (int c = 0; c <= e->slide_count; c++) {
    set_corner(e, e->slide, e->slide_count, c, s->surfaces.bends ? share : NULL);
    system_jacobian(e->work, t, x, e->corner[c], e->corner[c] + entries);
  }
  rest(e);
  mix(e, share, entries, J);
  for (int i = 0; i < s->nx && ft; i++) {
    ft[i] = 0;
    for (int c = 0; c <= e->slide_count; c++)
      ft[i] += weight(e, share, c) * e->corner[c][entries + i];
  }
}

// ---------------------------------------------------------------- onto the surfaces

// y -= (f_i - f-) (r_i - r-)^-1 [w | w_x S + w_p], for the surfaces that it slides on.
void slide_project(EventWork *e, double t, double *y, bool columns) {
  const System *s = e->work->system;
  int n = e->slide_count, ns = columns ? s->ns : 0;
  if (!n) return;
  Rates r = {0};
  choose_sides(e, t, y);
  for (int c = 0; c <= n; c++) {
    set_corner(e, e->slide, n, c, NULL);
    system_slide(e->work, t, y, e->slide_rate, NULL);
    note_rates(e->slide, n, e->slide_rate, c, &r);
    system_rhs(e->work, t, y, e->corner[c]);
  }
  rest(e);
  for (int k = 0; k < ns; k++)
    for (int j = 0; j < n; j++) e->share_by[j * s->stride + k] = 0;
  for (int j = 0; j < n && ns; j++) {
    double rate;
    system_event_sens(e->work, t, y, s->surfaces.event[e->slide[j]], e->corner[0], &rate,
                      e->by_column);
    memcpy(e->share_by + j * s->stride, e->by_column, (size_t)s->ns * sizeof(double));
  }
  system_events(e->work, t, y, e->mixed);
  for (int k = -1; k < ns; k++) { // the states, then the columns
    double A[MOST][MOST], b[MOST];
    copy_matrix(n, r.by, A);
    for (int j = 0; j < n; j++)
      b[j] = k < 0 ? e->mixed[s->surfaces.event[e->slide[j]]] : e->share_by[j * s->stride + k];
    if (!solve_shares(e, A, b)) continue;
    for (int i = 0; i < s->nx; i++)
      for (int j = 0; j < n; j++) {
        double by = (e->corner[j + 1][i] - e->corner[0][i]) * b[j];
        y[k < 0 ? i : s->nx + i * s->stride + k] -= by;
      }
  }
}

bool slide_keep(EventWork *e, double t, double *y, const Tolerance *tol) {
  static const double TIMES = 10;
  const System *s = e->work->system;
  bool off = false;
  if (!e->slide_count) return false;
  system_events(e->work, t, y, e->mixed);
  for (int i = 0; i < s->nx && tol; i++) // in proportions that do not cancel each other
    e->moved[i] = y[i] + cos(1 + 1.7 * i * i) * (tol->abs[i] + tol->rel * fabs(y[i]));
  if (tol) system_events(e->work, t, e->moved, e->off);
  for (int i = 0; i < e->slide_count; i++) {
    int k = s->surfaces.event[e->slide[i]];
    double allowed = DRIFT * e->own_size[k];
    if (tol) allowed = fmax(allowed, TIMES * fabs(e->off[k] - e->mixed[k]));
    for (const int *j = e->events_of[e->slide[i]]; *j >= 0 && tol; j++)
      e->drift[*j] = TIMES * fabs(e->off[*j] - e->mixed[*j]);
    off |= fabs(e->mixed[k]) > allowed;
  }
  if (off) slide_project(e, t, y, true);
  return off;
}

// ---------------------------------------------------------------- which surfaces

// A motion that begins on a surface has shown no size of its w yet. turn: how much the rate of w changes from one side to the other.
static void show_size(EventWork *e, int surface, double turn) {
  double least = LEAST_SIZE * fabs(turn) * e->span;
  for (const int *j = e->events_of[surface]; *j >= 0; j++) {
    e->low[*j] = fmin(e->low[*j], -least), e->high[*j] = fmax(e->high[*j], least);
    e->size[*j] = fmax(e->size[*j], 2 * least);
  }
}

static void begin_surface(EventWork *e, int surface, double turn) {
  const System *s = e->work->system;
  int k = s->surfaces.event[surface];
  e->slide[e->slide_count++] = surface;
  show_size(e, surface, turn);
  e->own_low[k] = e->low[k], e->own_high[k] = e->high[k], e->own_size[k] = e->size[k];
  e->low[k] = 0, e->high[k] = e->size[k] = 1;
  e->kind[k] = EVENT_FLOOR; // of its share, which is searched instead of w
  for (const int *j = e->events_of[surface]; *j >= 0; j++)
    e->slides[*j] = true, e->pending[*j] = e->held[*j] = e->decided[*j] = false,
    e->forgiven[*j] = nan(""), e->rests[*j] = false;
  e->count[k]++, e->sticks[k]++;
  set_side(e, surface, 0);
}

static void end_surface(EventWork *e, int surface, int side) {
  const System *s = e->work->system;
  int k = s->surfaces.event[surface], at = 0;
  for (int i = 0; i < e->slide_count; i++)
    if (e->slide[i] != surface) e->slide[at++] = e->slide[i];
  e->slide_count = at;
  e->low[k] = e->own_low[k], e->high[k] = e->own_high[k], e->size[k] = e->own_size[k];
  e->kind[k] = s->model->flat->events.at[k].kind;
  e->own_side[k] = 0;
  for (const int *j = e->events_of[surface]; *j >= 0; j++)
    e->slides[*j] = e->pending[*j] = e->rests[*j] = false, e->decided[*j] = true,
    e->forgiven[*j] = 0, e->grace[*j] = e->drift[*j], e->drift[*j] = 0;
  set_side(e, surface, side);
}

// Others hold the motion on the surface while its modes are those of this side. true: modes have changed.
static bool hold_side(EventWork *e, int surface, int side, double turn) {
  bool changed = false;
  show_size(e, surface, turn);
  for (const int *j = e->events_of[surface]; *j >= 0; j++)
    e->before_slide[*j] = system_mode(e->work, *j);
  set_side(e, surface, side);
  for (const int *j = e->events_of[surface]; *j >= 0; j++) {
    changed |= system_mode(e->work, *j) != e->before_slide[*j];
    e->pending[*j] = e->rests[*j] = false, e->decided[*j] = true, e->forgiven[*j] = 0;
  }
  return changed;
}

double slide_peak(const EventWork *e, int event) {
  double low = e->slides[event] ? e->own_low[event] : e->low[event];
  double high = e->slides[event] ? e->own_high[event] : e->high[event];
  return fmax(high, -low);
}

void slide_count_anew(EventWork *e) {
  memset(e->sticks, 0, (size_t)e->work->system->ne * sizeof *e->sticks);
  e->more_rhs = 0;
}

void slide_forget(EventWork *e) {
  while (e->slide_count) end_surface(e, e->slide[0], 1);
  if (e->work->system->ne) memset(e->decided, 0, (size_t)e->work->system->ne * sizeof *e->decided);
}

void slide_release(EventWork *e, double t, const double *y) {
  const System *s = e->work->system;
  if (!e->slide_count) return;
  system_events(e->work, t, y, e->mixed);
  for (int i = e->slide_count - 1; i >= 0; i--) {
    int k = s->surfaces.event[e->slide[i]];
    if (fabs(e->mixed[k]) > RELEASED * e->own_size[k])
      end_surface(e, e->slide[i], e->mixed[k] > 0 ? 1 : -1);
  }
}

static bool is_sliding(const EventWork *e, int surface) {
  for (int i = 0; i < e->slide_count; i++)
    if (e->slide[i] == surface) return true;
  return false;
}

typedef struct SurfaceList {
  int at[MOST], count;
  int side[MOST]; // of those that rested: to which they slip
} SurfaceList;

static bool contains(const SurfaceList *list, int surface) {
  for (int i = 0; i < list->count; i++)
    if (list->at[i] == surface) return true;
  return false;
}

static bool is_reached(const EventWork *e, int surface) {
  const System *s = e->work->system;
  int k = s->surfaces.event[surface];
  if (e->through[k]) return false;
  if (s->hybrid && e->needed[k] == 0) return false;
  for (const int *j = e->events_of[surface]; *j >= 0; j++)
    if (e->pending[*j]) return true;
  return fabs(e->mixed[k]) <= EVENT_ROUNDING * e->size[k];
}

// Rates of the surfaces in the list. Numbers that do not turn the motion back are taken out of it. false: the sides do not add up.
static bool rates_of(EventWork *e, double t, const double *x, int *list, int *count, Rates *r) {
  int ne = e->work->system->ne, n = *count;
  for (int k = 0; k < ne; k++) e->before_slide[k] = system_mode(e->work, k);
  for (int c = 0; c <= n; c++) {
    set_corner(e, list, n, c, NULL);
    system_slide(e->work, t, x, e->slide_rate, NULL);
    note_rates(list, n, e->slide_rate, c, r);
  }
  bool adds = true;
  for (int i = 0; i < n && n > 1; i++) set_side(e, list[i], 1);
  if (n > 1) system_slide(e->work, t, x, e->slide_rate, NULL);
  for (int j = 0; j < n && n > 1; j++) {
    double sum = r->base[j], size = fabs(r->base[j]);
    for (int i = 0; i < n; i++) sum += r->by[j][i], size += fabs(r->by[j][i]);
    adds = adds && fabs(e->slide_rate[list[j]] - sum) <= AFFINE * size;
  }
  for (int k = 0; k < ne; k++) system_set_mode(e->work, k, e->before_slide[k]);
  return adds;
}

// Digit i of the code: 0: slides on number i, 1: goes to w > 0, 2: to w < 0. How far the rates are from agreeing with that: shares
// beyond 0 or 1, rates that go the other way, in sizes of what they are made of.
static double violation(int n, const Rates *r, const int *digit, double *share, bool *still) {
  double A[MOST][MOST], b[MOST], most = 0;
  int on[MOST], m = 0;
  for (int i = 0; i < n; i++)
    if (digit[i] == 0) on[m++] = i;
  for (int a = 0; a < m; a++) {
    b[a] = -r->base[on[a]];
    for (int i = 0; i < n; i++)
      if (digit[i] == 1) b[a] -= r->by[on[a]][i];
    for (int c = 0; c < m; c++) A[a][c] = r->by[on[a]][on[c]], b[a] -= 0.5 * A[a][c];
  }
  if (m && !solve(m, A, b)) return HUGE_VAL;
  for (int a = 0; a < m; a++) share[on[a]] = b[a] += 0.5;
  for (int a = 0; a < m; a++)
    if (!(b[a] > 0 && b[a] < 1)) most = fmax(most, fmax(-b[a], b[a] - 1) + ROUNDED);
  for (int j = 0; j < n; j++) {
    double rate = r->base[j], size = fabs(rate);
    for (int i = 0; i < n; i++) size += fabs(r->by[j][i]);
    if (digit[j] == 0) continue;
    for (int i = 0; i < n; i++)
      if (digit[i] == 1) rate += r->by[j][i];
    for (int a = 0; a < m; a++) rate += r->by[j][on[a]] * b[a];
    still[j] = fabs(rate) <= ROUNDED * size;
    if (!still[j]) most = fmax(most, (digit[j] == 1 ? -rate : rate) / size);
    if (isnan(rate)) return HUGE_VAL;
  }
  return most;
}

typedef struct Choice { // the best so far
  double violation;
  int digit[MOST];
} Choice;

static bool offer(int n, const Rates *r, const int *digit, double *share, bool *still,
                  Choice *best) {
  double v = violation(n, r, digit, share, still);
  if (v < best->violation) {
    best->violation = v;
    memcpy(best->digit, digit, (size_t)n * sizeof *digit);
  }
  return v == 0;
}

// All slide; those that cannot go to their side, until the others can.
static bool find_by_leaving(int n, const Rates *r, int *digit, bool *still, Choice *best) {
  double share[MOST];
  for (int i = 0; i < n; i++) digit[i] = 0;
  for (int round = 0; round <= n; round++) {
    bool left = false;
    for (int i = 0; i < n; i++) share[i] = 0.5;
    if (offer(n, r, digit, share, still, best)) return true;
    for (int i = 0; i < n; i++)
      if (digit[i] == 0 && !(share[i] > 0 && share[i] < 1))
        digit[i] = share[i] >= 1 ? 1 : 2, left = true;
    if (!left) return false;
  }
  return false;
}

// Where the motion leaves a surface, its share is 0 or 1 up to rounding errors, which may contradict all: the least wrong one then.
static bool find_digits(int n, const Rates *r, int *digit, bool *still) {
  enum { COMBINED_MOST = 8 };
  double share[MOST];
  int codes = 1;
  Choice best = {HUGE_VAL, {0}};
  if (find_by_leaving(n, r, digit, still, &best)) return true;
  for (int i = 0; i < n && n <= COMBINED_MOST; i++) codes *= 3;
  for (int code = 0; code < codes && n <= COMBINED_MOST; code++) {
    int rest_of = code;
    for (int i = 0; i < n; i++) digit[i] = rest_of % 3, rest_of /= 3;
    if (offer(n, r, digit, share, still, &best)) return true;
  }
  if (!(best.violation <= LEAST_WRONG)) return false;
  memcpy(digit, best.digit, (size_t)n * sizeof *digit);
  violation(n, r, digit, share, still);
  return true;
}

// Surfaces that turn the motion back by themselves; others are crossed as events.
static int list_reached(EventWork *e, double t, const double *x, const SurfaceList *but, int *list,
                        bool *too_many) {
  const System *s = e->work->system;
  int n = 0;
  system_events(e->work, t, x, e->mixed);
  for (int f = 0; f < s->surfaces.count; f++) {
    if (contains(but, f) || (!is_sliding(e, f) && !is_reached(e, f))) continue;
    int one = 1;
    Rates r;
    rates_of(e, t, x, &f, &one, &r);
    if (!is_sliding(e, f) && !(r.by[0][0] < -ROUNDED * fabs(r.base[0]))) continue;
    if (n == MOST)
      *too_many = true;
    else
      list[n++] = f;
  }
  return n;
}

// Where the sides do not add up but all relations are signs: the same for the rates made linear at the shares so found, until these
// shares stay (Newton's method for complementarity).
static bool find_bent_digits(EventWork *e, double t, const double *x, const int *list, int n,
                             Rates *r, int *digit, bool *still) {
  int ne = e->work->system->ne, before[MOST];
  double share[MOST], next[MOST], most = HUGE_VAL;
  for (int i = 0; i < n; i++) share[i] = 0.5, before[i] = -1;
  for (int k = 0; k < ne; k++) e->before_slide[k] = system_mode(e->work, k);
  bool found = true;
  for (int round = 0; round < NEWTON_MOST && found && most > LEAST_WRONG; round++) {
    rates_at(e, t, x, list, n, share, r->base);
    rates_by_share(e, t, x, list, n, share, r->by);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) r->base[j] -= r->by[j][i] * share[i];
    found = find_digits(n, r, digit, still);
    for (int i = 0; i < n; i++) next[i] = 0.5;
    if (found) violation(n, r, digit, next, still);
    most = 0;
    for (int i = 0; i < n; i++) {
      if (digit[i]) next[i] = digit[i] == 1;
      most = fmax(most, digit[i] == before[i] ? fabs(next[i] - share[i]) : 1);
      share[i] = next[i], before[i] = digit[i];
    }
  }
  for (int k = 0; k < ne; k++) system_set_mode(e->work, k, e->before_slide[k]);
  return found && most <= LEAST_WRONG;
}

static bool are_signs(const EventWork *e, const int *list, int n) {
  const Event *events = e->work->system->model->flat->events.at;
  for (int i = 0; i < n; i++)
    for (const int *j = e->events_of[list[i]]; *j >= 0; j++)
      if (events[*j].kind != EVENT_SIGN) return false;
  return true;
}

// The motion and the rates of the surfaces that it has reached, with the modes in use: before a change. false: nobody asks.
static bool note_arrival(EventWork *e, double t, const double *y, bool columns) {
  const System *s = e->work->system;
  if (!columns || !s->ns) return false;
  slide_rhs(e, t, y, e->arriving);
  system_events(e->work, t, y, e->mixed);
  for (int f = 0; f < s->surfaces.count; f++)
    if (is_reached(e, f))
      system_event_sens(e->work, t, y, s->surfaces.event[f], e->arriving, &e->arrival_rate[f],
                        e->by_column);
  return true;
}

// S += (f_before - f) dt/dp, where one surface is reached: its time moves by -(w_x S + w_p)/(its rate before).
static void carry_onto(EventWork *e, double t, double *y, int surface) {
  const System *s = e->work->system;
  double unused, rate = e->arrival_rate[surface];
  slide_rhs(e, t, y, e->contribution);
  system_event_sens(e->work, t, y, s->surfaces.event[surface], e->arriving, &unused, e->by_column);
  for (int i = 0; i < s->nx && rate != 0; i++)
    for (int k = 0; k < s->ns; k++)
      y[s->nx + i * s->stride + k] -=
          (e->arriving[i] - e->contribution[i]) * e->by_column[k] / rate;
}

// ---------------------------------------------------------------- laws with a value of their own

// Laws may say more on the surface than between its sides, as friction that holds more than it rubs: if v > 0 then Fc elseif v < 0
// then -Fc else max(-Fs, min(Fs, load)). While they keep w, the motion rests there by them, whatever the sides do: f is what they say,
// and a share of the difference to one side, which takes away what rounding errors and drift add. It leaves where that share becomes
// larger than that.

// Whether its relations say something on the surface that they say on neither side of it. That sign(0) is 0 does not count.
static bool has_own_value(const EventWork *e, int surface) {
  const System *s = e->work->system;
  bool below = true, above = true; // they say the same there
  for (const int *j = e->events_of[surface]; *j >= 0; j++) {
    if (s->model->flat->events.at[*j].kind == EVENT_SIGN) continue;
    double literal = literal_mode(e, *j), negative = s->surfaces.side[*j] > 0;
    below = below && literal == negative;
    above = above && literal == 1 - negative;
  }
  return !below && !above;
}

void slide_prepare(EventWork *e) {
  for (int f = 0; f < e->work->system->surfaces.count; f++)
    e->has_own_values |= has_own_value(e, f);
}

static bool turns_back(EventWork *e, double t, const double *x, int surface, double *turn) {
  int one = 1;
  Rates r;
  rates_of(e, t, x, &surface, &one, &r);
  *turn = r.by[0][0];
  return r.by[0][0] < -ROUNDED * fabs(r.base[0]);
}

// What is decided at one time: what rests by itself, and for the other surfaces that are reached, see violation().
typedef struct Decision {
  SurfaceList resting, other;
  double turn[MOST]; // of resting
  int side[MOST];    // of resting: to which it would leave
  int digit[MOST];
  bool still[MOST];
  Rates r;
} Decision;

static bool find_others(EventWork *e, double t, const double *x, Decision *d, bool *too_many) {
  for (int i = 0; i < d->resting.count; i++) set_literal(e, d->resting.at[i]);
  int *list = d->other.at, n;
  d->r = (Rates){0};
  n = d->other.count = list_reached(e, t, x, &d->resting, list, too_many);
  *too_many = *too_many || n + d->resting.count > MOST;
  if (*too_many) return false;
  if (!n || (rates_of(e, t, x, list, &n, &d->r) && find_digits(n, &d->r, d->digit, d->still)))
    return true;
  return e->work->system->surfaces.bends && are_signs(e, list, n) &&
         find_bent_digits(e, t, x, list, n, &d->r, d->digit, d->still);
}

// With all as decided: the number of the one that rests by itself with the largest share, if that is too large; -1: all hold.
static int find_slipping(EventWork *e, double t, const double *x, Decision *d) {
  int slide[MOST], count = e->slide_count, worst = -1;
  double share[MOST], most = 0.9 * e->holds;
  memcpy(slide, e->slide, sizeof slide);
  e->slide_count = 0;
  for (int i = 0; i < d->resting.count; i++) {
    e->slide[e->slide_count++] = d->resting.at[i];
    *own_side(e, d->resting.at[i]) = 1;
  }
  for (int i = 0; i < d->other.count; i++) {
    if (!d->digit[i]) e->slide[e->slide_count++] = d->other.at[i];
    if (d->digit[i]) set_side(e, d->other.at[i], d->digit[i] == 1 ? 1 : -1);
  }
  shares_at(e, t, x, share);
  for (int i = 0; i < d->resting.count; i++) {
    int *own = own_side(e, d->resting.at[i]);
    d->side[i] = share[i] * *own > 0 ? 1 : -1;
    *own = 0;
    if (!(fabs(share[i]) <= most)) worst = i, most = isnan(share[i]) ? HUGE_VAL : fabs(share[i]);
  }
  memcpy(e->slide, slide, sizeof slide);
  e->slide_count = count;
  return worst;
}

static void restore_modes(EventWork *e) {
  for (int k = 0; k < e->work->system->ne; k++) system_set_mode(e->work, k, e->modes_before[k]);
}

// Looks for the most surfaces that rest by themselves. rested: those that did before. false: no answer.
static bool find_decision(EventWork *e, double t, const double *x, Decision *d,
                          SurfaceList *rested) {
  const System *s = e->work->system;
  bool too_many = false, found;
  for (int k = 0; k < s->ne; k++) e->modes_before[k] = system_mode(e->work, k);
  system_events(e->work, t, x, e->mixed);
  for (int f = 0; f < s->surfaces.count; f++) {
    bool rests = *own_side(e, f) != 0;
    if (rests) rested->side[rested->count] = 1, rested->at[rested->count++] = f;
    *own_side(e, f) = 0;
    if (f == e->slips || !has_own_value(e, f) || !(rests || is_sliding(e, f) || is_reached(e, f)))
      continue;
    double turn;
    if (d->resting.count == MOST || (!turns_back(e, t, x, f, &turn) && !rests)) continue;
    d->turn[d->resting.count] = turn;
    d->resting.at[d->resting.count++] = f;
  }
  for (;;) {
    found = find_others(e, t, x, d, &too_many);
    int slips = found ? find_slipping(e, t, x, d) : d->resting.count - 1;
    restore_modes(e);
    if (slips < 0) break;
    for (int i = 0; i < rested->count; i++)
      if (rested->at[i] == d->resting.at[slips]) rested->side[i] = found ? d->side[slips] : 1;
    d->resting.count--;
    for (int i = slips; i < d->resting.count; i++)
      d->resting.at[i] = d->resting.at[i + 1], d->turn[i] = d->turn[i + 1];
  }
  e->slide_over = too_many;
  return found;
}

// ---------------------------------------------------------------- leaving

// Of number at in the list of what slides: its share along the motion with these slopes, and how it changes (2nd order, from the side on
// which the motion leaves).
static double share_slope(EventWork *e, double t, const double *y, const double *slope, int at,
                          double *now) {
  double share[MOST], ahead[3], h = 1e-6 * e->span;
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < e->work->system->nx; i++) e->moved[i] = y[i] + j * h * slope[i];
    shares_at(e, t + j * h, e->moved, share);
    ahead[j] = share[at];
  }
  *now = ahead[0];
  return (-3 * ahead[0] + 4 * ahead[1] - ahead[2]) / (2 * h);
}

static void slopes_of(EventWork *e, double t, const double *y, double *slope) {
  if (e->work->system->ns)
    slide_rhs_sens(e, t, y, slope);
  else
    slide_rhs(e, t, y, slope);
}

// Its share a was 0 at the time t0 of leaving, and has grown since: t - t0 = a/(da/dt), and with the derivatives of a by the columns
// dt0/dp = -(da/dp)/(da/dt), both at t0.
double slide_begin_leave(EventWork *e, double t, double *y, int event) {
  const System *s = e->work->system;
  int k = s->surfaces.count ? s->surfaces.of[event] : -1, at = 0;
  if (k < 0 || !e->slides[event] || !e->own_side[k]) return 0;
  while (e->slide[at] != s->surfaces.row[k]) at++;
  double share[MOST], now;
  slopes_of(e, t, y, e->leaving);
  double turn = share_slope(e, t, y, e->leaving, at, &now), since = ALMOST * now / turn;
  if (!(since > 0 && since < LATEST * e->span)) return 0;
  int n = s->ns ? s->nx * (1 + s->stride) : s->nx;
  for (int i = 0; i < n; i++) y[i] -= since * e->leaving[i];
  e->slips = e->slide[at];
  if (!s->ns) return since;
  slopes_of(e, t - since, y, e->leaving);
  turn = share_slope(e, t - since, y, e->leaving, at, &now);
  shares_with_slopes(e, t - since, y, share);
  e->leaves_exactly = true;
  for (int c = 0; c < s->ns; c++) e->leave_moment[c] = -e->share_by[at * s->stride + c] / turn;
  return since;
}

void slide_end_leave(EventWork *e, double t, double *y, double since) {
  const System *s = e->work->system;
  slopes_of(e, t - since, y, e->leaving);
  int n = s->ns ? s->nx * (1 + s->stride) : s->nx;
  for (int i = 0; i < n; i++) y[i] += since * e->leaving[i];
}

// ---------------------------------------------------------------- the decision

typedef struct Begun {
  int resting, sliding, last; // how many surfaces, and one of them
} Begun;

static bool begin_resting(EventWork *e, const Decision *d, const SurfaceList *rested,
                          Begun *begun) {
  bool changed = false;
  for (int i = 0; i < d->resting.count; i++) {
    int surface = d->resting.at[i];
    bool slid = is_sliding(e, surface);
    *own_side(e, surface) = 1;
    changed |= !contains(rested, surface);
    if (slid)
      set_side(e, surface, 0);
    else
      begin_surface(e, surface, d->turn[i]), begun->resting++, begun->last = surface;
  }
  return changed;
}

// Those that rested and do neither rest nor slide any more.
static bool end_resting(EventWork *e, const Decision *d, const SurfaceList *rested) {
  bool changed = false;
  for (int i = 0; i < rested->count; i++) {
    int surface = rested->at[i];
    if (contains(&d->resting, surface)) continue;
    changed = true;
    if (!contains(&d->other, surface)) end_surface(e, surface, rested->side[i]);
    if (is_sliding(e, surface)) set_side(e, surface, 0);
  }
  return changed;
}

static bool apply_others(EventWork *e, const Decision *d, Begun *begun) {
  int n = d->other.count;
  bool changed = false, slides = false;
  for (int i = 0; i < n; i++) {
    int surface = d->other.at[i];
    slides |= d->digit[i] == 0;
    if (is_sliding(e, surface) == (d->digit[i] == 0)) continue;
    changed = true;
    if (d->digit[i] == 0)
      begin_surface(e, surface, d->r.by[i][i]), begun->sliding++, begun->last = surface;
    else
      end_surface(e, surface, d->digit[i] == 1 ? 1 : -1);
  }
  for (int i = 0; i < n && (slides || d->resting.count); i++) // those that others hold
    if (d->digit[i] && d->still[i])
      changed |= hold_side(e, d->other.at[i], d->digit[i] == 1 ? 1 : -1, d->r.by[i][i]);
  return changed;
}

SlideChange slide_decide(EventWork *e, double t, double *y, bool columns) {
  const System *s = e->work->system;
  if (!s->surfaces.count || e->never_slides) return SLIDE_SAME;
  Decision d = {.resting = {.count = 0}};
  SurfaceList rested = {.count = 0};
  Begun begun = {0, 0, 0};
  bool arrives = note_arrival(e, t, y, columns);
  if (!find_decision(e, t, y, &d, &rested)) {
    for (int i = 0; i < rested.count; i++) *own_side(e, rested.at[i]) = 1;
    return e->slide_count ? SLIDE_UNCLEAR : SLIDE_SAME;
  }
  bool changed = end_resting(e, &d, &rested);
  changed |= begin_resting(e, &d, &rested, &begun);
  changed |= apply_others(e, &d, &begun);
  bool one = begun.resting + begun.sliding == 1;
  if (one && arrives && (begun.resting || s->surfaces.bends)) carry_onto(e, t, y, begun.last);
  if (begun.resting + begun.sliding) slide_project(e, t, y, columns && !(one && begun.resting));
  changed |= begun.resting + begun.sliding > 0;
  e->slid = e->slid || changed;
  if (e->slide_count)
    event_locate_all(e); // shares depend on modes, which cannot follow literally here
  return changed ? SLIDE_CHANGED : SLIDE_SAME;
}
