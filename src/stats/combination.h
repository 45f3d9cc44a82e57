// Exponents and coefficients that people can read, and the text of what they make.
#pragma once
#include <stdbool.h>

#include "base/arena.h"

typedef struct Rational {
  int p, q; // q > 0
} Rational;

// The simplest p/q (q at most 6) within tolerance * max(1, |value|) of the value; false: none.
bool rational_near(double value, double tolerance, Rational *out);
double rational_value(Rational r);

// An exponent: constant + slope * the unknown `of` (-1: it is constant).
typedef struct Exponent {
  Rational constant, slope;
  int of;
} Exponent;

double exponent_value(const Exponent *e, const double *x);
int exponent_cost(const Exponent *e); // how hard it is to read

typedef struct Factor {
  int number; // unknown
  Exponent exponent;
} Factor;

// prod name^exponent: "alpha*A", "beta*alpha^(1-n)", "k^2/m". Factors of exponent 1 come first; order[] ranks the names.
const char *product_text(Arena *a, const Factor *factors, int count, const char *const *name,
                         const int *order);

typedef struct Term {
  int number;
  Rational coefficient;
} Term;

// "k1 + k2", "2*k1 - k2": a common denominator is multiplied out, the first coefficient is positive. Changes the terms
// accordingly.
const char *sum_text(Arena *a, Term *terms, int count, const char *const *name, const int *order);
