// Products of powers and sums with rational exponents and coefficients: the nearest fraction with a small denominator,
// and how it is written.
#include "stats/combination.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

enum { DENOMINATOR_MOST = 6, NUMERATOR_MOST = 24 };

bool rational_near(double value, double tolerance, Rational *out) {
  for (int q = 1; q <= DENOMINATOR_MOST; q++) {
    double p = round(value * q);
    if (!(fabs(p) <= NUMERATOR_MOST)) return false;
    if (fabs(value - p / q) > tolerance * fmax(1, fabs(value))) continue;
    *out = (Rational){(int)p, q};
    return true;
  }
  return false;
}

double rational_value(Rational r) {
  return (double)r.p / r.q;
}

double exponent_value(const Exponent *e, const double *x) {
  return rational_value(e->constant) + (e->of < 0 ? 0 : rational_value(e->slope) * x[e->of]);
}

static int rational_cost(Rational r) {
  return abs(r.p) + 3 * (r.q - 1);
}

int exponent_cost(const Exponent *e) {
  int cost = rational_cost(e->constant);
  return e->of < 0 ? cost : cost + 3 + rational_cost(e->slope);
}

static int common_denominator(int have, int q) {
  int m = have;
  while (m % q != 0) m += have;
  return m;
}

static Rational times(Rational r, int factor) {
  int p = r.p * factor, q = r.q, d = 2;
  while (d <= q) {
    if (p % d == 0 && q % d == 0)
      p /= d, q /= d;
    else
      d++;
  }
  return (Rational){p, q};
}

static void print_rational(Text *t, Rational r) {
  text_print(t, "%d", r.p);
  if (r.q > 1) text_print(t, "/%d", r.q);
}

// n, 2*n, n/2, without a sign
static void print_multiple(Text *t, Rational slope, const char *name) {
  if (abs(slope.p) != 1) text_print(t, "%d*", abs(slope.p));
  text_add(t, name);
  if (slope.q > 1) text_print(t, "/%d", slope.q);
}

// 2, (1/2), n, (1-n)
static void print_exponent(Text *t, const Exponent *e, const char *const *name) {
  if (e->of < 0) {
    bool plain = e->constant.q == 1;
    if (!plain) text_add(t, "(");
    print_rational(t, e->constant);
    if (!plain) text_add(t, ")");
    return;
  }
  bool plain = e->constant.p == 0 && e->slope.p == 1 && e->slope.q == 1;
  if (!plain) text_add(t, "(");
  bool constant_first = e->constant.p > 0 || (e->constant.p < 0 && e->slope.p < 0);
  if (constant_first) print_rational(t, e->constant);
  if (e->slope.p < 0)
    text_add(t, "-");
  else if (constant_first)
    text_add(t, "+");
  print_multiple(t, e->slope, name[e->of]);
  if (!constant_first && e->constant.p != 0) print_rational(t, e->constant); // its sign is a minus
  if (!plain) text_add(t, ")");
}

enum { PLAIN, POWER, DIVISOR };

static int kind_of(const Exponent *e) {
  if (e->of >= 0) return POWER;
  if (e->constant.p < 0) return DIVISOR;
  return e->constant.p == 1 && e->constant.q == 1 ? PLAIN : POWER;
}

static void print_factor(Text *t, Factor f, const char *const *name) {
  int kind = kind_of(&f.exponent);
  if (kind == DIVISOR) {
    f.exponent.constant.p *= -1;
    text_add(t, "/");
  } else if (t->length > 0)
    text_add(t, "*");
  text_add(t, name[f.number]);
  if (kind_of(&f.exponent) == PLAIN) return;
  text_add(t, "^");
  print_exponent(t, &f.exponent, name);
}

// Position of the i-th by rank.
static int ranked(const int *number_order, const int *numbers, int count, int i) {
  for (int k = 0; k < count; k++) {
    int before = 0;
    for (int j = 0; j < count; j++) before += number_order[numbers[j]] < number_order[numbers[k]];
    if (before == i) return k;
  }
  return i;
}

const char *product_text(Arena *a, const Factor *factors, int count, const char *const *name,
                         const int *order) {
  Text t;
  text_init(&t);
  int *numbers = ARENA_ARRAY(a, int, count + 1);
  for (int k = 0; k < count; k++) numbers[k] = factors[k].number;
  for (int kind = PLAIN; kind <= DIVISOR; kind++)
    for (int i = 0; i < count; i++) {
      const Factor *f = &factors[ranked(order, numbers, count, i)];
      if (kind_of(&f->exponent) == kind) print_factor(&t, *f, name);
    }
  const char *text = arena_copy(a, t.at, t.length);
  text_done(&t);
  return text;
}

const char *sum_text(Arena *a, Term *terms, int count, const char *const *name, const int *order) {
  Text t;
  text_init(&t);
  int *numbers = ARENA_ARRAY(a, int, count + 1), common = 1;
  for (int k = 0; k < count; k++) {
    numbers[k] = terms[k].number;
    common = common_denominator(common, terms[k].coefficient.q);
  }
  if (terms[ranked(order, numbers, count, 0)].coefficient.p < 0) common = -common;
  for (int k = 0; k < count; k++) terms[k].coefficient = times(terms[k].coefficient, common);
  for (int i = 0; i < count; i++) {
    const Term *term = &terms[ranked(order, numbers, count, i)];
    if (i > 0) text_add(&t, term->coefficient.p < 0 ? " - " : " + ");
    print_multiple(&t, term->coefficient, name[term->number]);
  }
  const char *text = arena_copy(a, t.at, t.length);
  text_done(&t);
  return text;
}
