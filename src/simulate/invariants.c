// Invariants g(t, x, p) = 0 along a simulation.
//
// Stabilisation: the rate of Baumgarte's terms follows the steps (see RATE). Projection: Gauss-Newton with the
// shortest dx, in nominal sizes of the states, that has G dx = -g, G = dg/dx; sensitivities by the same projection of
// g_x S + g_p = 0 (coordinate projection, Eich 1993, SIAM J. Numer. Anal. 30:1467). Singular positions: the rows of G
// are made orthogonal one after the other; where nothing is left of a row, or what is left turns around within a step,
// a constraint depends on others.
#include "simulate/invariants.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
  ROUNDS = 6,    // of Gauss and Newton
  HALVINGS = 60, // of a step in which a singular position is looked for
  LINES_MOST = 6,
};

// Baumgarte's terms disturb the steps: stages of a Runge-Kutta method lie off the invariants, and the terms pull them
// back, which adds (rate*h)^order to an error that is (h/T)^order without them, T the time in which the motion changes.
// A rate of some 1/h makes this the larger part: the steps become shorter, the rate with them larger, without end. A
// rate of the order of 1/T is what the steps allow, and T is h/rel_tol^(1/order). Measured on pendulums, slider-crank,
// four-bar linkage and Andrews' mechanism with rk8 from 1e-4 to 1e-11: from 3/T on the steps shorten by themselves;
// 0.5/T takes 1 to 4 % more of them (other methods up to 8 %) and holds the drift at the error of a few steps, as 1.5/T
// does.
static const double RATE = 0.5, RATE_LEAST = 0.35,
                    RATE_MOST = 0.7; // times T; between the latter it stays
// The step that counts is the longest of the last ones: short ones come from events, output times, the start, or from
// the terms themselves, and a rate that follows these would be far too large. It shrinks by this part of the time that
// passes.
static const double FORGET = 0.1;
enum {
  STEPS_FIRST = 10,  // without terms, until the steps have found their length
  ORDER_TYPICAL = 5, // of the methods of variable order
};

static const double PROJECT_LEAST = 0.01; // of the tolerance: smaller errors are left
static const double SETTLED = 1e-6;       // of the tolerance: where Gauss and Newton end
// A violation against the terms of the constraint that errors of the steps do not explain: times the tolerance, but no
// more than LOST_MOST unless the tolerance is not far below that. Measured at tolerances of 1e-2 and 1e-3 on mechanisms
// that are sound: up to 6 times the tolerance, 15 with poor nominal values.
static const double LOST = 1000, LOST_MOST = 0.1, LOST_LEAST = 20;
// Slopes that grow without bound hide what is lost: times their mean, from where they no longer count, and from where a
// solution of the equations itself may have been lost, so that less is allowed.
static const double GROWN = 5, BLOWN = 1e4, LOST_BLOWN = 0.01;
static const double JUMP_LEAST = 1000; // of the tolerance, and of the error before
static const double DEPENDENT = 1e-10; // what is left of a row, against the row: rounding
// Of the sizes of the states; what is left of a row against a point so close. Where a constraint touches 0 without passing
// it, start values are known to half of the digits.
static const double CLOSE_BY = 1e-3, VANISHING = 1e-4, TINY = 1e-9;
static const double SINGULAR = 1e-6; // what is left of a row, against the most that ever was
static const double NEAR = 1e-3;
static const double NEAR_LOST = 0.05;  // where the constraints are violated at the same time
static const double TAKES_PART = 1e-3; // of a sum of rows

// Slopes of invariants by states in units of their nominal values, made orthogonal one after the other:
// row i = sum over j <= i of lower[i*rows + j] * q[j*columns ...].
typedef struct Slopes {
  int rows, columns;
  int *invariant;              // by row
  int *start, *entry, *column; // by row: numbers among c_x, and where they go
  double *scale;               // by number: nominal value of its state
  double *q, *lower;
} Slopes;

struct InvariantWork {
  SystemWork *work;
  const System *system;
  const Tolerance *tol;
  double step;       // the longest of the last steps
  double rate;       // of stabilisation
  int looked;        // at steps, for the rate
  double at;         // time for which the work holds the invariants and their slopes
  double *size;      // by column of sensitivities: of the parameter
  double *value;     // of the invariants of all lanes; before a jump
  double far_before; // of the states from the invariants, before a jump
  // By invariant: logarithm of its slopes, mean over the time since the run began.
  double *mean_slope;
  double *size_of;        // by invariant: what its terms can be, with slopes not far above the mean
  bool *blown;            // by invariant: slopes far above the mean
  double began, sized_at; // time for which they are known
  double *violation, *violation_sens, *violation_relative;
  double *identity; // g_x S + g_p, by rows of stride numbers
  Slopes all;       // of all invariants that do not follow from others, by all states
  double *nominal, *x_old, *dx, *dS, *part;
  // The slopes of the highest level of each constraint by the states whose derivatives it determines: where they become
  // dependent, the accelerations are not determined.
  Slopes leading;
  double *q_before; // of leading at the last step
  double *most;     // by row: the largest part that was left of it
  double *x;
};

// ---------------------------------------------------------------- set-up

// By state: how often it is differentiated in the equations that are solved.
static int *state_orders(Arena *a, const Model *m) {
  int *by_variable = ARENA_ARRAY(a, int, m->flat->variables.count + 1);
  int *order = ARENA_ARRAY(a, int, m->nx + 1);
  for (int j = 0; j < m->unknown_count && m->unknown_order; j++)
    if (m->unknown_order[j] > by_variable[m->unknown_variable[j]])
      by_variable[m->unknown_variable[j]] = m->unknown_order[j];
  for (int i = 0; i < m->nx; i++) order[i] = by_variable[m->state[i]];
  return order;
}

static bool is_highest(const Model *m, int i) {
  return i + 1 == m->invariant_count || m->invariants[i + 1].equation != m->invariants[i].equation;
}

static void take_row(Slopes *r, const Pattern *p, int invariant, const int *order,
                     const double *nominal) {
  int count = r->start[r->rows], leading = 0;
  for (int e = p->start[invariant]; e < p->start[invariant + 1]; e++)
    leading += order && order[p->column[e]] <= 1;
  for (int e = p->start[invariant]; e < p->start[invariant + 1]; e++) {
    if (leading && order[p->column[e]] > 1) continue;
    r->entry[count] = e;
    r->column[count] = p->column[e];
    r->scale[count++] = nominal[p->column[e]];
  }
  r->invariant[r->rows++] = invariant;
  r->start[r->rows] = count;
}

// order: only the rows and columns of the highest derivatives; NULL: all.
static void slopes_init(Slopes *r, Arena *a, const System *s, const int *order,
                        const double *nominal) {
  const Model *m = s->model;
  int entries = pattern_count(&s->sparse.g_x.pattern);
  r->columns = s->nx;
  r->invariant = ARENA_ARRAY(a, int, s->ni + 1);
  r->start = ARENA_ARRAY(a, int, s->ni + 1);
  r->entry = ARENA_ARRAY(a, int, entries + 1);
  r->column = ARENA_ARRAY(a, int, entries + 1);
  r->scale = ARENA_ARRAY(a, double, entries + 1);
  for (int i = 0; i < s->ni; i++)
    if (!m->invariants[i].redundant && (!order || is_highest(m, i)))
      take_row(r, &s->sparse.g_x.pattern, i, order, nominal);
  r->q = ARENA_ARRAY(a, double, (size_t)r->rows *(size_t)r->columns + 8);
  r->lower = ARENA_ARRAY(a, double, (size_t)r->rows *(size_t)r->rows + 8);
}

// Leaves out the columns that no row has.
static void slopes_compress(Slopes *r, Arena *a) {
  int *to = ARENA_ARRAY(a, int, r->columns + 1), count = 0;
  for (int e = 0; e < r->start[r->rows]; e++) to[r->column[e]] = 1;
  for (int j = 0; j < r->columns; j++)
    if (to[j]) to[j] = count++;
  for (int e = 0; e < r->start[r->rows]; e++) r->column[e] = to[r->column[e]];
  r->columns = count;
}

InvariantWork *invariants_new(Arena *a, SystemWork *w, const Tolerance *tol) {
  const System *s = w->system;
  const Model *m = s->model;
  if (s->ni == 0) return NULL;
  InvariantWork *c = ARENA_NEW(a, InvariantWork);
  size_t numbers = (size_t)s->nx * (size_t)s->stride;
  c->work = w;
  c->system = s;
  c->tol = tol;
  c->size = ARENA_ARRAY(a, double, s->stride + 1);
  c->value = ARENA_ARRAY(a, double, (size_t)s->ni *(size_t)s->lanes + 8);
  c->mean_slope = ARENA_ARRAY(a, double, s->ni);
  c->size_of = ARENA_ARRAY(a, double, s->ni);
  c->blown = ARENA_ARRAY(a, bool, s->ni);
  c->violation = ARENA_ARRAY(a, double, s->ni);
  c->violation_relative = ARENA_ARRAY(a, double, s->ni);
  c->violation_sens = ARENA_ARRAY(a, double, s->ni);
  c->identity = ARENA_ARRAY(a, double, (size_t)s->ni *(size_t)s->stride + 8);
  c->nominal = ARENA_ARRAY(a, double, s->nx);
  for (int i = 0; i < s->nx; i++) c->nominal[i] = m->flat->variables.at[m->state[i]].nominal;
  slopes_init(&c->all, a, s, NULL, c->nominal);
  slopes_init(&c->leading, a, s, state_orders(a, m), c->nominal);
  slopes_compress(&c->leading, a);
  c->x_old = ARENA_ARRAY(a, double, s->nx + 8);
  c->dx = ARENA_ARRAY(a, double, s->nx + 8);
  c->x = ARENA_ARRAY(a, double, s->nx + 16);
  c->dS = ARENA_ARRAY(a, double, numbers + 8);
  c->part = ARENA_ARRAY(a, double, (size_t)s->ni *(size_t)(s->stride + 1) + 8);
  c->q_before = ARENA_ARRAY(a, double, (size_t)c->leading.rows *(size_t)c->leading.columns + 8);
  c->most = ARENA_ARRAY(a, double, c->leading.rows + 1);
  return c;
}

void invariants_begin(InvariantWork *c, const double *p) {
  const System *s = c->system;
  c->at = c->began = c->sized_at = nan("");
  c->step = c->rate = 0;
  c->looked = 0;
  for (int i = 0; i < s->ni; i++)
    c->violation[i] = c->violation_sens[i] = c->violation_relative[i] = 0;
  for (int i = 0; i < c->leading.rows; i++) c->most[i] = 0;
  for (int k = 0; k < s->ns; k++) {
    double size = fabs(p[(size_t)s->columns.parameter[k] * (size_t)s->lanes]);
    c->size[k] = size > 0 ? size : 1;
  }
}

double invariants_rate(InvariantWork *c, const Stepper *s) {
  double passed = fabs(s->t - s->t_old), order = s->row->order ? s->row->order : ORDER_TYPICAL;
  c->step = fmax(fabs(s->h_next), c->step - FORGET * passed);
  if (c->looked < STEPS_FIRST) {
    c->looked++;
    return 0;
  }
  double time = c->step / pow(c->tol->rel, 1 / order), now = c->rate * time;
  if (time > 0 && !(now >= RATE_LEAST && now <= RATE_MOST)) c->rate = RATE / time;
  return c->rate;
}

// ---------------------------------------------------------------- slopes

static void evaluate(InvariantWork *c, double t, const double *x) {
  system_invariant_sens(c->work, t, x);
  c->at = t;
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int j = 0; j < n; j++) sum += a[j] * b[j];
  return sum;
}

// Gram and Schmidt, in the modified order of operations.
static void orthogonalise(Slopes *r) {
  int n = r->columns;
  for (int i = 0; i < r->rows; i++) {
    double *row = r->q + (size_t)i * (size_t)n, *lower = r->lower + (size_t)i * (size_t)r->rows;
    for (int k = 0; k < i; k++) {
      const double *q = r->q + (size_t)k * (size_t)n;
      lower[k] = dot(row, q, n);
      for (int j = 0; j < n; j++) row[j] -= lower[k] * q[j];
    }
    lower[i] = sqrt(dot(row, row, n));
    double scale = lower[i] > 0 ? 1 / lower[i] : 0;
    for (int j = 0; j < n; j++) row[j] *= scale;
  }
}

static void factor(InvariantWork *c, Slopes *r) {
  const double *value = c->work->invariant_out + c->system->sparse.g_x.at;
  memset(r->q, 0, (size_t)r->rows * (size_t)r->columns * sizeof *r->q);
  for (int i = 0; i < r->rows; i++) {
    double *row = r->q + (size_t)i * (size_t)r->columns;
    for (int e = r->start[i]; e < r->start[i + 1]; e++)
      row[r->column[e]] = value[r->entry[e]] * r->scale[e];
  }
  orthogonalise(r);
}

static double left_of_row(const Slopes *r, int i) {
  return r->lower[(size_t)i * (size_t)r->rows + (size_t)i];
}

static bool is_dependent(const Slopes *r, int i) {
  const double *lower = r->lower + (size_t)i * (size_t)r->rows;
  return !(lower[i] * lower[i] > DEPENDENT * DEPENDENT * dot(lower, lower, i + 1));
}

// The least X with slopes X = right, for `width` columns: right by invariants, X by states. part is scratch.
static void least_change(const Slopes *r, const double *nominal, const double *right, int width,
                         double *part, double *X) {
  int n = r->columns;
  memset(X, 0, (size_t)n * (size_t)width * sizeof *X);
  for (int i = 0; i < r->rows; i++) {
    const double *lower = r->lower + (size_t)i * (size_t)r->rows, *q = r->q + (size_t)i * (size_t)n;
    double *along = part + (size_t)i * (size_t)width; // q_i
    bool skip = is_dependent(r, i);
    for (int k = 0; k < width; k++) {
      double sum = right[(size_t)r->invariant[i] * (size_t)width + (size_t)k];
      for (int j = 0; j < i; j++) sum -= lower[j] * part[(size_t)j * (size_t)width + (size_t)k];
      along[k] = skip ? 0 : sum / lower[i];
    }
    for (int j = 0; j < n; j++)
      for (int k = 0; k < width; k++)
        X[(size_t)j * (size_t)width + (size_t)k] += nominal[j] * q[j] * along[k];
  }
}

// ---------------------------------------------------------------- the watch

// g_x S + g_p of all invariants, where the work holds their slopes.
static void find_identity(InvariantWork *c, const double *S) {
  const System *s = c->system;
  const Pattern *g_x = &s->sparse.g_x.pattern, *g_p = &s->sparse.g_p.pattern;
  const double *vx = c->work->invariant_out + s->sparse.g_x.at,
               *vp = c->work->invariant_out + s->sparse.g_p.at;
  memset(c->identity, 0, (size_t)s->ni * (size_t)s->stride * sizeof *c->identity);
  for (int i = 0; i < s->ni; i++) {
    double *row = c->identity + (size_t)i * (size_t)s->stride;
    for (int e = g_p->start[i]; e < g_p->start[i + 1]; e++) row[g_p->column[e]] = vp[e];
    for (int e = g_x->start[i]; e < g_x->start[i + 1]; e++) {
      const double *from = S + (size_t)g_x->column[e] * (size_t)s->stride;
      for (int k = 0; k < s->ns; k++) row[k] += vx[e] * from[k];
    }
  }
}

static void note_identity(InvariantWork *c) {
  const System *s = c->system;
  for (int i = 0; i < s->ni; i++)
    for (int k = 0; k < s->ns; k++) {
      double v = fabs(c->identity[(size_t)i * (size_t)s->stride + (size_t)k]) * c->size[k];
      if (v > c->violation_sens[i]) c->violation_sens[i] = v;
    }
}

// Along the motion: t never decreases. Where the work holds the slopes.
static void find_sizes(InvariantWork *c, double t, const double *y) {
  const Pattern *g_x = &c->system->sparse.g_x.pattern;
  const double *slope = c->work->invariant_out + c->system->sparse.g_x.at;
  if (c->sized_at == t) return;
  bool first = isnan(c->began);
  if (first) c->began = t;
  double passed = first ? 1 : (t - c->sized_at) / (t - c->began);
  for (int i = 0; i < c->system->ni; i++) {
    double terms = 0, slopes = DBL_MIN;
    for (int e = g_x->start[i]; e < g_x->start[i + 1]; e++) {
      double nominal = c->nominal[g_x->column[e]], size = fabs(slope[e]);
      terms += size * (fabs(y[g_x->column[e]]) + nominal);
      slopes += size * nominal;
    }
    if (first) c->mean_slope[i] = log(slopes);
    double mean = exp(c->mean_slope[i]);
    c->blown[i] = slopes > BLOWN * mean;
    c->size_of[i] = terms * fmin(1, (c->blown[i] ? 1 : GROWN) * mean / slopes);
    c->mean_slope[i] += passed * (log(slopes) - c->mean_slope[i]);
  }
  c->sized_at = t;
}

static void note_values(InvariantWork *c, const double *value) {
  int lanes = c->system->lanes;
  for (int i = 0; i < c->system->ni; i++)
    for (int l = 0; l < lanes; l++) {
      double v = fabs(value[(size_t)i * (size_t)lanes + (size_t)l]);
      if (v > c->violation[i]) c->violation[i] = v;
    }
}

static void note_relative(InvariantWork *c) {
  for (int i = 0; i < c->system->ni; i++) {
    double v = fabs(c->work->invariant_out[i]);
    if (v > c->violation_relative[i] * c->size_of[i]) c->violation_relative[i] = v / c->size_of[i];
  }
}

void invariants_watch(InvariantWork *c, double t, const double *y) {
  const System *s = c->system;
  if (s->lanes > 1) {
    system_invariants(c->work, t, y, c->value);
    note_values(c, c->value);
    return;
  }
  if (c->at != t) evaluate(c, t, y);
  find_sizes(c, t, y);
  note_values(c, c->work->invariant_out);
  note_relative(c);
  if (!s->ns) return;
  find_identity(c, y + s->nx);
  note_identity(c);
}

// The largest tolerance of a state, against its size.
static double tolerance(const InvariantWork *c) {
  double most = 0;
  for (int j = 0; j < c->system->nx; j++) most = fmax(most, c->tol->abs[j] / c->nominal[j]);
  return c->tol->rel + most;
}

int invariants_lost(InvariantWork *c, double t, const double *y, double *by) {
  double tol = tolerance(c), allowed = fmin(LOST * tol, fmax(LOST_MOST, LOST_LEAST * tol));
  if (c->at != t) evaluate(c, t, y);
  find_sizes(c, t, y);
  for (int i = 0; i < c->system->ni; i++) {
    *by = fabs(c->work->invariant_out[i]);
    if (!(*by <= (c->blown[i] ? fmin(allowed, LOST_BLOWN) : allowed) * c->size_of[i])) return i;
  }
  return -1;
}

double invariants_violation(const InvariantWork *c, int invariant) {
  return c->violation[invariant];
}

double invariants_violation_relative(const InvariantWork *c, int invariant) {
  return c->violation_relative[invariant];
}

double invariants_violation_sens(const InvariantWork *c, int invariant) {
  return c->violation_sens[invariant];
}

int invariants_start_fixed(const InvariantWork *c, const double *y, double allowed, int *column) {
  const System *s = c->system;
  const Pattern *g_x = &s->sparse.g_x.pattern, *g_p = &s->sparse.g_p.pattern;
  const double *vx = c->work->invariant_out + s->sparse.g_x.at,
               *vp = c->work->invariant_out + s->sparse.g_p.at;
  for (int i = 0; i < s->ni; i++)
    for (int k = 0; k < s->ns; k++) {
      double size = 0;
      for (int e = g_p->start[i]; e < g_p->start[i + 1]; e++)
        if (g_p->column[e] == k) size += fabs(vp[e]);
      for (int e = g_x->start[i]; e < g_x->start[i + 1]; e++) {
        int j = g_x->column[e]; // where the terms are 0 their errors are of the size of the states
        size += fabs(vx[e] * y[s->nx + j * s->stride + k]);
        size += fabs(vx[e]) * (fabs(y[j]) + c->nominal[j]) / c->size[k];
      }
      *column = k;
      if (fabs(c->identity[(size_t)i * (size_t)s->stride + (size_t)k]) > allowed * size) return i;
    }
  return -1;
}

// ---------------------------------------------------------------- projection

// The largest of a change of numbers first .. first+count-1 of y against their tolerance.
static double scaled(const InvariantWork *c, const double *change, const double *y, int first,
                     int count) {
  double most = 0;
  for (int i = 0; i < count; i++) {
    double allowed = c->tol->abs[first + i] + c->tol->rel * fabs(y[first + i]);
    double size = change[i] == 0 ? 0 : fabs(change[i]) / allowed;
    if (!(size <= most)) most = size;
  }
  return most;
}

// How far the states are from the invariants, by their tolerance; the way back is in c->dx.
static double find_way(InvariantWork *c, const double *y) {
  factor(c, &c->all);
  least_change(&c->all, c->nominal, c->work->invariant_out, 1, c->part, c->dx);
  return scaled(c, c->dx, y, 0, c->system->nx);
}

static double find_way_sens(InvariantWork *c, const double *y) {
  const System *s = c->system;
  if (!s->ns) return 0;
  find_identity(c, y + s->nx);
  least_change(&c->all, c->nominal, c->identity, s->stride, c->part, c->dS);
  return scaled(c, c->dS, y, s->nx, s->nx * s->stride);
}

static bool settle(InvariantWork *c, double t, double *y, double far) {
  int n = c->system->nx;
  for (int round = 0; far > SETTLED; round++) {
    if (round == ROUNDS || !isfinite(far)) return false;
    for (int i = 0; i < n; i++) y[i] -= c->dx[i];
    evaluate(c, t, y);
    far = find_way(c, y);
  }
  return true;
}

bool invariants_project(InvariantWork *c, double t, double *y) {
  const System *s = c->system;
  if (c->at != t) evaluate(c, t, y);
  double far = find_way(c, y), far_sens = find_way_sens(c, y);
  if (far <= PROJECT_LEAST && far_sens <= PROJECT_LEAST) return false;
  memcpy(c->x_old, y, (size_t)s->nx * sizeof *y);
  if (!settle(c, t, y, far)) {
    memcpy(y, c->x_old, (size_t)s->nx * sizeof *y);
    evaluate(c, t, y);
    return false;
  }
  find_way_sens(c, y);
  for (int i = 0; i < s->nx * s->stride; i++) y[s->nx + i] -= c->dS[i];
  return true;
}

void invariants_forget(InvariantWork *c) {
  c->at = nan("");
}

// ---------------------------------------------------------------- jumps

void invariants_before_jump(InvariantWork *c, double t, const double *x) {
  if (c->at != t) evaluate(c, t, x);
  c->far_before = find_way(c, x);
  memcpy(c->value, c->work->invariant_out, (size_t)c->system->ni * sizeof *c->value);
}

int invariants_after_jump(InvariantWork *c, double t, const double *x, double *by) {
  int which = -1;
  evaluate(c, t, x);
  if (!(find_way(c, x) > JUMP_LEAST * fmax(1, c->far_before))) return -1;
  for (int i = 0; i < c->system->ni; i++) {
    double change = fabs(c->work->invariant_out[i] - c->value[i]);
    if (which < 0 || change > *by) which = i, *by = change;
  }
  return which;
}

// ---------------------------------------------------------------- singular positions

static void remember(InvariantWork *c) {
  Slopes *r = &c->leading;
  double *q = c->q_before;
  c->q_before = r->q;
  r->q = q;
  for (int i = 0; i < r->rows; i++) c->most[i] = fmax(c->most[i], left_of_row(r, i));
}

// A point close by, in the sizes that the states have here: nominal values may be missing where lengths are tiny.
static void move_aside(const InvariantWork *c, const double *x, double *to) {
  for (int j = 0; j < c->system->nx; j++) {
    double size = fabs(x[j]) > TINY * c->nominal[j] ? fabs(x[j]) : c->nominal[j];
    to[j] = x[j] + CLOSE_BY * size * sin(1 + 2.0 * j);
  }
}

// A row of which nothing is left but the errors of start values, such as cos(pi/2): against what is left at a point close
// by. -1: none.
static int vanishing_row(InvariantWork *c, double t, const double *x) {
  const Slopes *r = &c->leading;
  double *here = c->part;
  int found = -1;
  for (int i = 0; i < r->rows; i++) here[i] = left_of_row(r, i);
  move_aside(c, x, c->x);
  evaluate(c, t, c->x);
  factor(c, &c->leading);
  for (int i = 0; i < r->rows && found < 0; i++)
    if (here[i] < VANISHING * left_of_row(r, i)) found = i;
  evaluate(c, t, x);
  factor(c, &c->leading);
  return found;
}

bool invariants_start_singular(InvariantWork *c, double t, const double *x, Singular *out) {
  int row = -1;
  evaluate(c, t, x);
  factor(c, &c->leading);
  for (int i = 0; i < c->leading.rows && row < 0; i++)
    if (is_dependent(&c->leading, i)) row = i;
  if (row < 0) row = vanishing_row(c, t, x);
  *out = (Singular){t, row};
  if (row < 0) remember(c);
  return row >= 0;
}

// What is left of row i has turned around since the last step: near a singular position it changes like the time to
// it, so it has passed 0 or turned by a right angle.
static bool has_turned(const InvariantWork *c, int i) {
  size_t n = (size_t)c->leading.columns;
  return dot(c->leading.q + (size_t)i * n, c->q_before + (size_t)i * n, (int)n) < 0;
}

static void factor_at(InvariantWork *c, Stepper *s, double t) {
  s->row->dense(s, t, false, c->x);
  evaluate(c, t, c->x);
  factor(c, &c->leading);
}

// Dense output is as accurate as the steps: exactly 0 is never seen.
static double singular_below(const InvariantWork *c) {
  return fmax(SINGULAR, 10 * c->tol->rel);
}

static bool locate(InvariantWork *c, Stepper *s, int i, Singular *out) {
  double before = s->t_old, behind = s->t;
  for (int k = 0; k < HALVINGS && behind - before > 1e-14 * fabs(behind); k++) {
    double middle = before + 0.5 * (behind - before);
    factor_at(c, s, middle);
    if (has_turned(c, i))
      behind = middle;
    else
      before = middle;
  }
  *out = (Singular){behind, i};
  return left_of_row(&c->leading, i) < singular_below(c) * c->most[i];
}

bool invariants_step_singular(InvariantWork *c, Stepper *s, Singular *out) {
  Slopes *r = &c->leading;
  evaluate(c, s->t, s->y);
  factor(c, r);
  for (int i = 0; i < r->rows; i++) {
    if (left_of_row(r, i) < SINGULAR * c->most[i]) {
      *out = (Singular){s->t, i};
      return true;
    }
    if (!has_turned(c, i)) continue;
    if (locate(c, s, i, out)) return true;
    evaluate(c, s->t, s->y);
    factor(c, r);
  }
  remember(c);
  return false;
}

bool invariants_near_singular(const InvariantWork *c, bool lost, Singular *out) {
  double near = lost ? NEAR_LOST : NEAR;
  for (int i = 0; i < c->leading.rows; i++)
    if (left_of_row(&c->leading, i) < near * c->most[i]) {
      *out = (Singular){c->at, i};
      return true;
    }
  return false;
}

// Which rows before add up to this one.
static void find_shares(const Slopes *r, int row, double *share) {
  const double *target = r->lower + (size_t)row * (size_t)r->rows;
  for (int j = 0; j < row; j++) share[j] = target[j];
  for (int j = row - 1; j >= 0; j--) {
    const double *lower = r->lower + (size_t)j * (size_t)r->rows;
    share[j] = lower[j] > 0 ? share[j] / lower[j] : 0;
    for (int k = 0; k < j; k++) share[k] -= share[j] * lower[k];
  }
}

int invariants_lines(const InvariantWork *c, int row, Text *out) {
  const Slopes *r = &c->leading;
  const Model *m = c->system->model;
  const double *target = r->lower + (size_t)row * (size_t)r->rows;
  double size = sqrt(dot(target, target, row + 1));
  int line[LINES_MOST], count = 0;
  find_shares(r, row, c->part);
  for (int j = 0; j <= row && count < LINES_MOST; j++) {
    const double *lower = r->lower + (size_t)j * (size_t)r->rows;
    double share = fabs(c->part[j]) * sqrt(dot(lower, lower, j + 1));
    if (j < row && !(share > TAKES_PART * size)) continue;
    line[count++] = m->flat->equations.at[m->invariants[r->invariant[j]].equation].line;
  }
  text_print(out, count == 1 ? "line " : "lines ");
  for (int k = 0; k < count; k++)
    text_print(out, "%s%s",
               k == 0           ? ""
               : k == count - 1 ? " and "
                                : ", ",
               flat_line(m->flat, line[k]).at);
  return count;
}

void invariants_memory(InvariantWork *c, Memory *m) {
  int ni = c->system->ni;
  c->at = nan("");
  MEMORY_VALUE(m, c->step);
  MEMORY_VALUE(m, c->rate);
  MEMORY_VALUE(m, c->looked);
  MEMORY_VALUE(m, c->began);
  MEMORY_VALUE(m, c->sized_at);
  MEMORY_ARRAY(m, c->mean_slope, ni);
  MEMORY_ARRAY(m, c->size_of, ni);
  MEMORY_ARRAY(m, c->blown, ni);
  MEMORY_ARRAY(m, c->violation, ni);
  MEMORY_ARRAY(m, c->violation_relative, ni);
  MEMORY_ARRAY(m, c->violation_sens, ni);
  MEMORY_ARRAY(m, c->q_before, c->leading.rows * c->leading.columns);
  MEMORY_ARRAY(m, c->leading.q, c->leading.rows * c->leading.columns);
  MEMORY_ARRAY(m, c->leading.lower, c->leading.rows * c->leading.rows);
  MEMORY_ARRAY(m, c->most, c->leading.rows);
}
