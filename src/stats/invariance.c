// Structural invariances: changes of the parameters that leave all simulated data as they are, such as alpha -> c
// alpha, A -> A/c where only alpha*A enters.
//
// The null space of the sensitivities at the result gives the directions; in echelon form E its columns are
// d log(follower) / d log(reference). It is computed again at a point where all unknowns are different, which serves all
// directions; where the columns differ there, the unknowns behind it are found by halves. An exponent that is the same
// rational number at all points (or a constant plus a multiple of one unknown that takes no part) belongs to a product of
// powers, a slope that is the same everywhere to a sum. Of all choices of references the one with the simplest expressions
// is reported. Each is confirmed by a simulation with the reference moved by 30 % and the followers with it: by the
// expressions, or where there are none by integrating the direction (classical Runge-Kutta). The number of simulations is
// limited: where they do not suffice, the text says so.
#include "stats/invariance.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/patience.h"
#include "base/text.h"
#include "stats/combination.h"
#include "stats/null_space.h"
#include "stats/say.h"

enum { CHOICES_MOST = 300, FLOW_STEPS = 2, SEVERAL = -2 };
static const double CHOICES_WORK = 1e8; // numbers that all choices together may take
static const double SHARE_LEAST = 1e-4, SHARE_MOST = 0.5; // of an unknown that takes part
static const double SAME = 2e-4;                          // exponents this close are equal
static const double MOVE = 1.3;                           // of the confirmation
static const double SHIFTS[] = {1.15, 1 / 1.15, 1.04,
                                1 / 1.04}; // of points where exponents are compared

typedef enum LawForm { FORM_NONE, FORM_PRODUCT, FORM_SUM } LawForm;

// How an unknown follows the references.
typedef struct FollowerLaw {
  LawForm form;
  Exponent *exponent;    // FORM_PRODUCT, by reference: of the reference in the invariant
  Rational *coefficient; // FORM_SUM, by reference
  int cost;
} FollowerLaw;

typedef struct InvariancePoint {
  int moved; // unknown that differs from the base, -1: none, SEVERAL
  const double *x;
  // [direction][member]: changes that are not seen, relative to the unit of the member here.
  double *B;
} InvariancePoint;

// Directions that share unknowns.
typedef struct InvarianceBlock {
  const InvarianceModel *m;
  Arena *a;
  int *member, count; // unknowns that take part
  int directions;
  ARRAY(InvariancePoint) points; // the first is the base
  int *reference;                // positions among the members, by direction
  FollowerLaw *follower;         // by member
  double limit;                  // singular values above are not zero
} InvarianceBlock;

// A point where every unknown differs a little from the base.
typedef struct GeneralPoint {
  double *x, *R; // R NULL: it cannot be simulated there
} GeneralPoint;

static bool triangle_at(const InvarianceModel *m, const double *x, double *R) {
  return (*m->left)-- > 0 && m->triangle(m->self, x, R);
}

static double change_at(const InvarianceModel *m, const double *x) {
  return (*m->left)-- > 0 ? m->change(m->self, x) : nan("");
}

// ---------------------------------------------------------------- points

static double unit_of(double x) {
  return x != 0 ? fabs(x) : 1;
}

// NULL when the directions have singular values above the limit there.
static double *block_basis(InvarianceBlock *b, const double *R, const double *x, double limit) {
  NullSpace space = null_space_of(b->a, R, b->m->n, b->member, b->count, b->directions);
  for (int i = 0; i < b->directions * b->count; i++)
    space.basis[i] /= unit_of(x[b->member[i % b->count]]);
  return space.largest <= limit ? space.basis : NULL;
}

static bool is_zero_column(const double *R, int n, int column) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += fabs(R[i * n + column]);
  return !(sum > 0) || !isfinite(sum);
}

// NULL also where a member has no effect.
static double *basis_by(InvarianceBlock *b, const double *R, const double *x) {
  for (int k = 0; k < b->count; k++)
    if (is_zero_column(R, b->m->n, b->member[k])) return NULL;
  return block_basis(b, R, x, b->limit);
}

static double *basis_at(InvarianceBlock *b, const double *x) {
  int n = b->m->n;
  double *R = ARENA_ARRAY(b->a, double, n *n + 1);
  return triangle_at(b->m, x, R) ? basis_by(b, R, x) : NULL;
}

static bool inside(const InvarianceModel *m, const double *x) {
  for (int i = 0; i < m->n; i++)
    if (x[i] < m->lower[i] || x[i] > m->upper[i]) return false;
  return true;
}

// A point where these unknowns are larger or smaller; inside the bounds if possible.
static void add_point(InvarianceBlock *b, const int *numbers, int count, bool again) {
  const InvarianceModel *m = b->m;
  double *x = ARENA_ARRAY(b->a, double, m->n + 1);
  for (int only_inside = 1; only_inside >= 0; only_inside--)
    for (int k = 0; k < 4; k++) {
      memcpy(x, m->x, (size_t)m->n * sizeof *x);
      for (int i = 0; i < count; i++) { // by different factors
        double part = 1 - 0.4 * fmod(0.618 * i, 1) * (count > 1), *q = &x[numbers[i]];
        double factor = pow(again ? sqrt(SHIFTS[k]) : SHIFTS[k], part);
        *q = *q != 0 ? *q * factor : factor - 1;
      }
      if (inside(m, x) != (bool)only_inside) continue;
      double *B = basis_at(b, x);
      if (!B) continue;
      InvariancePoint point = {count == 1 ? numbers[0] : SEVERAL, x, B};
      array_push(b->a, &b->points, point);
      return;
    }
}

// ---------------------------------------------------------------- how unknowns follow

// d member / d reference at a point: [reference][member]; relative: of logarithms. false when the references do not fit.
static bool slopes_at(const InvarianceBlock *b, int point, bool relative, double *E) {
  const InvariancePoint *p = &b->points.at[point];
  if (!echelon_by(p->B, b->directions, b->count, b->reference, E)) return false;
  for (int d = 0; d < b->directions; d++)
    for (int k = 0; k < b->count; k++) {
      double x = p->x[b->member[k]], reference = p->x[b->member[b->reference[d]]];
      E[d * b->count + k] *= unit_of(x) / unit_of(reference) * (relative ? reference / x : 1);
    }
  return true;
}

static bool same(double a, double b) {
  return fabs(a - b) <= SAME * fmax(1, fabs(b));
}

static bool is_member(const InvarianceBlock *b, int number) {
  for (int k = 0; k < b->count; k++)
    if (b->member[k] == number) return true;
  return false;
}

// values[point]: the exponent there. Constant, or a constant and a multiple of one unknown that takes no part.
static bool find_exponent(const InvarianceBlock *b, const double *value, Exponent *out) {
  int of = -1, at = 0;
  for (int i = 1; i < b->points.count; i++) {
    if (same(value[i], value[0])) continue;
    if (of >= 0 && b->points.at[i].moved != of) return false;
    if (b->points.at[i].moved == SEVERAL || is_member(b, b->points.at[i].moved)) return false;
    of = b->points.at[i].moved, at = at ? at : i;
  }
  *out = (Exponent){{0, 1}, {0, 1}, of};
  if (of < 0) return rational_near(value[0], SAME, &out->constant);
  double q = b->points.at[0].x[of];
  double slope = (value[at] - value[0]) / (b->points.at[at].x[of] - q);
  if (!rational_near(slope, 10 * SAME, &out->slope)) return false;
  if (!rational_near(value[0] - rational_value(out->slope) * q, 10 * SAME, &out->constant))
    return false;
  for (int i = 0; i < b->points.count; i++)
    if (!same(value[i], exponent_value(out, b->points.at[i].x))) return false;
  return true;
}

static bool find_coefficient(const InvarianceBlock *b, const double *value, Rational *out) {
  for (int i = 1; i < b->points.count; i++)
    if (!same(value[i], value[0])) return false;
  return rational_near(value[0], SAME, out);
}

// Minus the slopes of member k by reference d at all points.
static void gather(const InvarianceBlock *b, const double *E, int d, int k, double *value) {
  int size = b->directions * b->count;
  for (int i = 0; i < b->points.count; i++) value[i] = -E[i * size + d * b->count + k];
}

static void find_follower(InvarianceBlock *b, const double *natural, const double *relative, int k,
                          FollowerLaw *f) {
  double *value = ARENA_ARRAY(b->a, double, b->points.count + 1);
  bool product = true, sum = true;
  int product_cost = 0, sum_cost = 1;
  f->exponent = ARENA_ARRAY(b->a, Exponent, b->directions + 1);
  f->coefficient = ARENA_ARRAY(b->a, Rational, b->directions + 1);
  for (int d = 0; d < b->directions && patience_lasts(4 * b->points.count); d++) {
    gather(b, relative, d, k, value);
    product = product && find_exponent(b, value, &f->exponent[d]);
    if (product) product_cost += exponent_cost(&f->exponent[d]);
    gather(b, natural, d, k, value);
    sum = sum && find_coefficient(b, value, &f->coefficient[d]);
    if (sum) sum_cost += f->coefficient[d].q;
  }
  f->form = product ? FORM_PRODUCT : sum ? FORM_SUM : FORM_NONE;
  f->cost = product ? product_cost : sum ? sum_cost : 1000;
}

static bool is_reference(const InvarianceBlock *b, int k) {
  for (int d = 0; d < b->directions; d++)
    if (b->reference[d] == k) return true;
  return false;
}

// Followers for the present references; their common cost, -1 when the references do not fit.
static int find_followers(InvarianceBlock *b, FollowerLaw *out) {
  int size = b->directions * b->count, cost = 0;
  double *natural = ARENA_ARRAY(b->a, double, b->points.count *size + 1);
  double *relative = ARENA_ARRAY(b->a, double, b->points.count *size + 1);
  for (int i = 0; i < b->points.count; i++)
    if (!slopes_at(b, i, false, natural + i * size) || !slopes_at(b, i, true, relative + i * size))
      return -1;
  for (int k = 0; k < b->count; k++) {
    if (is_reference(b, k)) continue;
    find_follower(b, natural, relative, k, &out[k]);
    cost += out[k].cost;
  }
  return cost;
}

// Next choice of `chosen` positions out of `count`, in order; false after the last.
static bool next_choice(int *choice, int chosen, int count) {
  int i = chosen - 1;
  while (i >= 0 && choice[i] == count - chosen + i) i--;
  if (i < 0) return false;
  choice[i]++;
  for (int k = i + 1; k < chosen; k++) choice[k] = choice[k - 1] + 1;
  return true;
}

// Sorts the members by their rank, so that the first choice among equals is that of the first names.
static void sort_members(InvarianceBlock *b) {
  const int *order = b->m->order;
  for (int i = 1; i < b->count; i++)
    for (int k = i; k > 0 && order[b->member[k]] < order[b->member[k - 1]]; k--) {
      int x = b->member[k];
      b->member[k] = b->member[k - 1], b->member[k - 1] = x;
    }
}

// The references that give the simplest texts.
static bool choose_references(InvarianceBlock *b) {
  int best = -1, *choice = ARENA_ARRAY(b->a, int, b->directions + 1);
  for (int d = 0; d < b->directions; d++) choice[d] = d;
  int *kept = b->reference;
  b->reference = choice;
  int tries = 0;
  double each = 2.0 * b->points.count * b->directions * b->directions * b->count;
  do {
    FollowerLaw *f = ARENA_ARRAY(b->a, FollowerLaw, b->count + 1);
    int cost = find_followers(b, f);
    if (cost < 0 || (best >= 0 && cost >= best)) continue;
    best = cost;
    b->follower = f;
    memcpy(kept, choice, (size_t)b->directions * sizeof *kept);
  } while (++tries < CHOICES_MOST && tries * each < CHOICES_WORK && patience_lasts((long)each) &&
           next_choice(choice, b->directions, b->count));
  b->reference = kept;
  return best >= 0;
}

// Whether the slopes at the last point differ from those at the base.
static bool last_differs(InvarianceBlock *b, bool relative) {
  int size = b->directions * b->count;
  double *base = ARENA_ARRAY(b->a, double, size + 1), *here = ARENA_ARRAY(b->a, double, size + 1);
  if (!slopes_at(b, 0, relative, base) || !slopes_at(b, b->points.count - 1, relative, here))
    return true;
  for (int i = 0; i < size; i++)
    if (!same(here[i], base[i])) return true;
  return false;
}

// Points for the unknowns, out of these, that change the exponents: two for each. Those that do not share one.
static void find_influences(InvarianceBlock *b, const int *numbers, int count) {
  int before = b->points.count;
  if (count == 0 || !patience_asks()) return;
  add_point(b, numbers, count, false);
  bool failed = b->points.count == before;
  if (!failed && !last_differs(b, true)) return;
  if (count == 1) {
    if (!failed) add_point(b, numbers, 1, true);
    return;
  }
  b->points.count = before;
  find_influences(b, numbers, count / 2);
  find_influences(b, numbers + count / 2, count - count / 2);
}

// Where nothing differs at the general point, it is enough.
static void visit_points(InvarianceBlock *b, const GeneralPoint *general) {
  const InvarianceModel *m = b->m;
  double *B = general->R ? basis_by(b, general->R, general->x) : NULL;
  if (B) {
    InvariancePoint point = {SEVERAL, general->x, B};
    array_push(b->a, &b->points, point);
    if (!last_differs(b, true) || !last_differs(b, false)) return;
    b->points.count--;
  }
  int *others = ARENA_ARRAY(b->a, int, m->n + 1), count = 0;
  for (int q = 0; q < m->n; q++)
    if (!m->inactive[q] && !is_member(b, q)) others[count++] = q;
  find_influences(b, others, count);
  for (int k = 0; k < b->count && patience_asks(); k++) add_point(b, &b->member[k], 1, false);
}

// ---------------------------------------------------------------- moving along

static bool followers_known(const InvarianceBlock *b) {
  for (int k = 0; k < b->count; k++)
    if (!is_reference(b, k) && (!b->follower || b->follower[k].form == FORM_NONE)) return false;
  return true;
}

// Reference d moves by the factor, the others of its kind stay, the followers keep what is invariant.
static void move_by_forms(const InvarianceBlock *b, int d, double factor, double *x) {
  const InvarianceModel *m = b->m;
  int reference = b->member[b->reference[d]];
  memcpy(x, m->x, (size_t)m->n * sizeof *x);
  double step = unit_of(x[reference]) * (factor - 1) * (x[reference] < 0 ? -1 : 1);
  x[reference] += step;
  for (int k = 0; k < b->count; k++) {
    if (is_reference(b, k)) continue;
    const FollowerLaw *f = &b->follower[k];
    if (f->form == FORM_PRODUCT)
      x[b->member[k]] *= pow(factor, -exponent_value(&f->exponent[d], m->x));
    else
      x[b->member[k]] -= rational_value(f->coefficient[d]) * step;
  }
}

// dx for a small relative change of reference d, as the sensitivities at x say it.
static bool flow_slope(InvarianceBlock *b, int d, const double *x, double *dx) {
  double *B = basis_at(b, x), *E = ARENA_ARRAY(b->a, double, b->directions * b->count + 1);
  if (!B || !echelon_by(B, b->directions, b->count, b->reference, E)) return false;
  double sign = x[b->member[b->reference[d]]] < 0 ? -1 : 1;
  memset(dx, 0, (size_t)b->m->n * sizeof *dx);
  for (int k = 0; k < b->count; k++)
    dx[b->member[k]] = sign * E[d * b->count + k] * unit_of(x[b->member[k]]);
  return true;
}

// The classical Runge-Kutta method along the direction.
static bool move_by_flow(InvarianceBlock *b, int d, double factor, double *x) {
  static const double AT[4] = {0, 0.5, 0.5, 1}, WEIGHT[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  int n = b->m->n;
  double h = log(factor) / FLOW_STEPS, *dx = ARENA_ARRAY(b->a, double, n + 1);
  double *stage = ARENA_ARRAY(b->a, double, n + 1), *sum = ARENA_ARRAY(b->a, double, n + 1);
  memcpy(x, b->m->x, (size_t)n * sizeof *x);
  for (int step = 0; step < FLOW_STEPS; step++) {
    memset(dx, 0, (size_t)n * sizeof *dx);
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < n; i++) stage[i] = x[i] + AT[s] * h * dx[i];
      if (!flow_slope(b, d, stage, dx)) return false;
      for (int i = 0; i < n; i++) sum[i] += WEIGHT[s] * dx[i];
    }
    for (int i = 0; i < n; i++) x[i] += h * sum[i];
  }
  return true;
}

static bool move(InvarianceBlock *b, int d, double factor, double *x) {
  if (!followers_known(b)) return move_by_flow(b, d, factor, x);
  move_by_forms(b, d, factor, x);
  return true;
}

// What must not be exceeded: the accuracy of the simulation, or of the way that was followed.
static double change_limit(const InvarianceBlock *b) {
  return fmax(1e-9, followers_known(b) ? 100 * b->m->accuracy : 1e4 * b->m->accuracy);
}

static double change_alone(InvarianceBlock *b, int d, double factor) {
  const InvarianceModel *m = b->m;
  double *x = ARENA_ARRAY(b->a, double, m->n + 1);
  memcpy(x, m->x, (size_t)m->n * sizeof *x);
  double *reference = &x[b->member[b->reference[d]]];
  *reference = *reference != 0 ? *reference * factor : factor - 1;
  return change_at(m, x);
}

// Simulates at another place along the direction.
static void confirm(InvarianceBlock *b, int d, StatDirection *out) {
  const InvarianceModel *m = b->m;
  double *x = ARENA_ARRAY(b->a, double, m->n + 1);
  out->confirmed_change = nan("");
  for (int only_inside = 1; only_inside >= 0; only_inside--)
    for (int k = 0; k < 2; k++) {
      double factor = k == 0 ? MOVE : 1 / MOVE;
      if (!move(b, d, factor, x) || inside(m, x) != (bool)only_inside) continue;
      if (*m->left < 2) { // for both of them
        *m->left = -1;
        return;
      }
      double change = change_at(m, x), alone = change_alone(b, d, factor);
      if (isnan(change)) continue;
      out->confirmed_change = change;
      out->confirmed_factor = factor;
      out->confirmed = change <= change_limit(b) && !(change > 0.01 * alone);
      return;
    }
}

// ---------------------------------------------------------------- report

bool invariance_takes_part(const StatDirection *d, int number) {
  bool named = false;
  for (int i = 0; i < d->combination_count; i++) named |= d->combinations[i].exponent[number] != 0;
  return named || d->vector[number] != 0;
}

static double product_value(const InvarianceBlock *b, const Factor *f, int count) {
  double value = 1;
  for (int i = 0; i < count; i++) {
    double x = b->m->x[f[i].number], power = exponent_value(&f[i].exponent, b->m->x);
    value *= x < 0 && power != round(power) ? pow(-x, power) : pow(x, power);
  }
  return value;
}

// A common denominator of constant exponents is multiplied out: k^2*m instead of k*m^(1/2).
static void clear_denominators(Factor *f, int count) {
  int common = 1;
  for (int i = 0; i < count; i++) {
    if (f[i].exponent.of >= 0) return;
    while (common % f[i].exponent.constant.q != 0) common++;
  }
  for (int i = 0; i < count; i++) {
    Rational *r = &f[i].exponent.constant;
    *r = (Rational){r->p * (common / r->q), 1};
  }
}

static StatCombination product_of(const InvarianceBlock *b, Arena *a, int k) {
  Factor *f = ARENA_ARRAY(b->a, Factor, b->directions + 2);
  int count = 0;
  f[count++] = (Factor){b->member[k], {{1, 1}, {0, 1}, -1}};
  for (int d = 0; d < b->directions; d++) {
    const Exponent *e = &b->follower[k].exponent[d];
    if (e->of >= 0 || e->constant.p != 0) f[count++] = (Factor){b->member[b->reference[d]], *e};
  }
  clear_denominators(f, count);
  StatCombination c = {.text = product_text(a, f, count, b->m->name, b->m->order),
                       .value = product_value(b, f, count),
                       .exponent = ARENA_ARRAY(a, double, b->m->n + 1),
                       .low = nan(""),
                       .high = nan("")};
  for (int i = 0; i < count; i++) c.exponent[f[i].number] = exponent_value(&f[i].exponent, b->m->x);
  return c;
}

static StatCombination sum_of(const InvarianceBlock *b, Arena *a, int k) {
  Term *t = ARENA_ARRAY(b->a, Term, b->directions + 2);
  int count = 0;
  t[count++] = (Term){b->member[k], {1, 1}};
  for (int d = 0; d < b->directions; d++)
    if (b->follower[k].coefficient[d].p != 0)
      t[count++] = (Term){b->member[b->reference[d]], b->follower[k].coefficient[d]};
  StatCombination c = {.text = sum_text(a, t, count, b->m->name, b->m->order),
                       .sum = true,
                       .exponent = ARENA_ARRAY(a, double, b->m->n + 1),
                       .low = nan(""),
                       .high = nan("")};
  for (int i = 0; i < count; i++) {
    c.exponent[t[i].number] = rational_value(t[i].coefficient);
    c.value += rational_value(t[i].coefficient) * b->m->x[t[i].number];
  }
  return c;
}

static bool depends_on(const FollowerLaw *f, int d) {
  if (f->form == FORM_SUM) return f->coefficient[d].p != 0;
  return f->exponent[d].of >= 0 || f->exponent[d].constant.p != 0;
}

static void list_combinations(const InvarianceBlock *b, Arena *a, int d, StatDirection *out) {
  out->combinations = ARENA_ARRAY(a, StatCombination, b->count + 1);
  for (int pass = 0; pass < 2; pass++) // plain products and sums first
    for (int k = 0; k < b->count; k++) {
      if (is_reference(b, k) || b->follower[k].form == FORM_NONE || !depends_on(&b->follower[k], d))
        continue;
      bool simple = b->follower[k].cost <= 2 * b->directions;
      if (simple != (pass == 0)) continue;
      out->combinations[out->combination_count++] =
          b->follower[k].form == FORM_PRODUCT ? product_of(b, a, k) : sum_of(b, a, k);
    }
}

// The direction in relative changes, of unit length.
static void set_vector(const InvarianceBlock *b, Arena *a, const double *E, int d,
                       StatDirection *out) {
  double square = 0;
  out->vector = ARENA_ARRAY(a, double, b->m->n + 1);
  if (!E) return;
  for (int k = 0; k < b->count; k++) {
    double v = E[d * b->count + k];
    if (fabs(v) < 1e-6) continue; // the reference has 1
    out->vector[b->member[k]] = v;
    square += v * v;
  }
  for (int i = 0; i < b->m->n; i++) out->vector[i] /= sqrt(square);
}

static void add_ratio(Text *t, const InvarianceBlock *b, const StatDirection *out, int reference) {
  double unit = out->vector[reference];
  text_add(t,
           "Near this point they can be changed together without a visible effect, in percent: ");
  bool first = true;
  for (int k = 0; k < b->count; k++) {
    double v = out->vector[b->member[k]];
    if (v == 0) continue;
    text_print(t, "%s%s by %.3g", first ? "" : ", ", b->m->name[b->member[k]], v / unit);
    first = false;
  }
  text_add(t, ". ");
}

static void add_confirmation(Text *t, const InvarianceBlock *b, const StatDirection *out,
                             int reference) {
  if (isnan(out->confirmed_change)) {
    text_add(t, *b->m->left < 0
                    ? "No simulation was spent on confirming it: there are too many directions."
                    : "No simulation along this direction succeeded.");
    return;
  }
  bool blurred = !out->confirmed && out->confirmed_change <= b->m->blur;
  text_add(t, out->confirmed ? "Confirmed by simulation"
              : blurred      ? "A simulation cannot confirm it, as the motion magnifies its errors"
                             : "A simulation farther away does see it");
  text_print(t,
             ": with %s times %.3g and the others moved along, the simulated data change by %.1g "
             "of their size.",
             b->m->name[reference], out->confirmed_factor, out->confirmed_change);
}

static void write_text(const InvarianceBlock *b, Arena *a, int d, StatDirection *out) {
  Text t;
  text_init(&t);
  const char **item = ARENA_ARRAY(b->a, const char *, b->count + 1);
  int count = 0, reference = b->member[b->reference[d]];
  for (int k = 0; k < b->count; k++)
    if (invariance_takes_part(out, b->member[k])) item[count++] = b->m->name[b->member[k]];
  text_add(&t, out->confirmed ? "The data do not tell " : "Near this point the data do not tell ");
  say_list(&t, item, count);
  text_add(&t, " apart. ");
  for (int i = 0; i < out->combination_count; i++) item[i] = out->combinations[i].text;
  if (followers_known(b) && out->combination_count > 0) {
    bool several = out->combination_count > 1;
    text_add(&t, "Only ");
    say_list(&t, item, out->combination_count);
    text_add(&t, out->confirmed ? several ? " matter. " : " matters. "
                 : several      ? " seem to matter. "
                                : " seems to matter. ");
  } else
    add_ratio(&t, b, out, reference);
  add_confirmation(&t, b, out, reference);
  out->text = arena_copy(a, t.at, t.length);
  text_done(&t);
}

// ---------------------------------------------------------------- blocks

static void describe_block(InvarianceBlock *b, Arena *a, const double *R,
                           const GeneralPoint *general, StatDirection *out) {
  const double *x = b->m->x;
  int size = b->directions * b->count;
  double *B = ARENA_ARRAY(b->a, double, size + 1);
  sort_members(b);
  InvariancePoint base = {-1, x, block_basis(b, R, x, HUGE_VAL)};
  array_push(b->a, &b->points, base);
  b->reference = ARENA_ARRAY(b->a, int, b->directions + 1);
  memcpy(B, base.B, (size_t)size * sizeof *B);
  reduce_rows(B, b->directions, b->count, 0, b->reference);
  visit_points(b, general);
  choose_references(b);
  double *E = ARENA_ARRAY(b->a, double, size + 1);
  if (!echelon_by(base.B, b->directions, b->count, b->reference, E)) E = NULL;
  for (int d = 0; d < b->directions && patience_asks(); d++) {
    if (b->follower) list_combinations(b, a, d, &out[d]);
    set_vector(b, a, E, d, &out[d]);
    confirm(b, d, &out[d]);
    out[d].structural = out[d].confirmed;
    write_text(b, a, d, &out[d]);
  }
}

// Rows of the reduced basis that share a column belong together.
static void find_groups(const double *B, int rows, int columns, int *group) {
  for (int r = 0; r < rows; r++) group[r] = r;
  for (int k = 0; k < columns; k++)
    for (int r = 0; r < rows; r++)
      for (int s = 0; s < r; s++) {
        if (B[r * columns + k] == 0 || B[s * columns + k] == 0 || group[r] == group[s]) continue;
        int from = group[r];
        for (int i = 0; i < rows; i++)
          if (group[i] == from) group[i] = group[s];
      }
}

// The block of the rows in one group.
static InvarianceBlock block_of(Arena *scratch, const InvarianceModel *m, const double *B, int rows,
                                int columns, const int *column, const int *group, int which) {
  InvarianceBlock b = {.m = m, .a = scratch};
  b.member = ARENA_ARRAY(scratch, int, columns + 1);
  for (int r = 0; r < rows; r++) b.directions += group[r] == which;
  for (int k = 0; k < columns; k++) {
    bool takes_part = false;
    for (int r = 0; r < rows; r++) takes_part |= group[r] == which && B[r * columns + k] != 0;
    if (takes_part) b.member[b.count++] = column[k];
  }
  return b;
}

// Some directions may exist at the base only.
static void make_general_point(const InvarianceModel *m, double *x) {
  for (int k = 0; k < m->n; k++) {
    double factor = 1.05 + 0.08 * fmod(0.618 * (k + 1), 1), up = m->x[k] * factor;
    x[k] = m->x[k] == 0                             ? factor - 1
           : up <= m->upper[k] && up >= m->lower[k] ? up
                                                    : m->x[k] / factor;
  }
}

// The same number of directions as at the base, if there are so many, at a general point.
static NullSpace general_space(Arena *scratch, const InvarianceModel *m, NullSpace base,
                               const int *column, int columns, double limit,
                               GeneralPoint *general) {
  double *R = ARENA_ARRAY(scratch, double, m->n * m->n + 1);
  general->x = ARENA_ARRAY(scratch, double, m->n + 1);
  make_general_point(m, general->x);
  if (base.count == 0 || !triangle_at(m, general->x, R)) return base;
  general->R = R;
  for (int k = 0; k < columns; k++)
    if (is_zero_column(R, m->n, column[k])) return base;
  NullSpace space = null_space(scratch, R, m->n, column, columns, limit, m->most);
  return space.count == base.count ? space : base;
}

int invariance_directions(Arena *a, const InvarianceModel *m, const double *R,
                          StatDirection **out) {
  Arena *scratch = arena_new();
  int *column = ARENA_ARRAY(scratch, int, m->n + 1), columns = 0, done = 0;
  for (int k = 0; k < m->n; k++)
    if (!m->inactive[k]) column[columns++] = k;
  double limit = fmax(1e-10, 100 * m->accuracy);
  NullSpace space = null_space(scratch, R, m->n, column, columns, limit, m->most);
  GeneralPoint general = {0};
  space = general_space(scratch, m, space, column, columns, limit, &general);
  int rows = space.count, *pivot = ARENA_ARRAY(scratch, int, rows + 1);
  int *group = ARENA_ARRAY(scratch, int, rows + 1);
  // Slopes without accuracy share in everything; the pivots, which are 1, stay.
  double least = fmin(SHARE_MOST, fmax(SHARE_LEAST, 10 * space.largest / space.gap));
  reduce_rows(space.share, rows, columns, least, pivot);
  find_groups(space.share, rows, columns, group);
  *out = ARENA_ARRAY(a, StatDirection, rows + 1);
  for (int g = 0; g < rows; g++) {
    InvarianceBlock b = block_of(scratch, m, space.share, rows, columns, column, group, g);
    if (b.directions == 0 || !patience_lasts(0)) continue;
    b.limit = 10 * limit;
    describe_block(&b, a, R, &general, *out + done);
    done += b.directions;
  }
  arena_free(scratch);
  return rows;
}
