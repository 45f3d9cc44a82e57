// Designs of points in the unit cube: random; Latin hypercube (McKay, Beckman and Conover 1979), the best of ten by
// the largest distance of the nearest pair (maximin); Sobol's sequence in the order of the Gray code (Antonov and
// Saleev 1979) with the direction numbers of Joe and Kuo (2008) and a random digital shift.
#include "num/design.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "num/random.h"

// ---------------------------------------------------------------- random

static void random_points(uint64_t seed, int n, int count, double *x) {
  Random r;
  random_seed(&r, seed);
  for (size_t i = 0; i < (size_t)n * (size_t)count; i++) x[i] = random_uniform(&r);
}

// ---------------------------------------------------------------- Latin hypercube

// McKay, Beckman, Conover, Technometrics 21 (1979) 239.
static void latin_column(Random *r, int n, int count, int column, int *order, double *x) {
  for (int k = 0; k < count; k++) order[k] = k;
  for (int k = count - 1; k > 0; k--) {
    int other = (int)(random_uniform(r) * (k + 1)), kept = order[k];
    order[k] = order[other];
    order[other] = kept;
  }
  for (int k = 0; k < count; k++)
    x[(size_t)k * (size_t)n + (size_t)column] =
        fmin((order[k] + random_uniform(r)) / count, 1 - 0x1p-53); // never rounded to 1
}

static void latin_columns(uint64_t seed, uint64_t number, int n, int first, int count, int *order,
                          double *x) {
  Random r;
  random_seed_stream(&r, seed, number);
  for (int i = first; i < n; i++) latin_column(&r, n, count, i, order, x);
}

static double nearest_pair(int n, int count, const double *x) {
  double least = HUGE_VAL;
  for (int k = 1; k < count; k++)
    for (int l = 0; l < k; l++) {
      double sum = 0;
      for (int i = 0; i < n; i++) {
        double d = x[(size_t)k * (size_t)n + (size_t)i] - x[(size_t)l * (size_t)n + (size_t)i];
        sum += d * d;
      }
      least = fmin(least, sum);
    }
  return least;
}

static void latin_hypercube(uint64_t seed, int n, int count, double *x) {
  enum { TRIES = 10, COMPARED_MOST = 400 };
  size_t numbers = (size_t)n * (size_t)count;
  Arena *a = arena_new();
  int *order = ARENA_ARRAY(a, int, count);
  double *trial = ARENA_RAW(a, double, numbers);
  int tries = n > 1 && count > 1 && count <= COMPARED_MOST ? TRIES : 1;
  double best = -1;
  for (int k = 0; k < tries; k++) {
    latin_columns(seed, (uint64_t)k, n, 0, count, order, trial);
    double nearest = tries > 1 ? nearest_pair(n, count, trial) : 0;
    if (nearest <= best) continue;
    best = nearest;
    memcpy(x, trial, numbers * sizeof *x);
  }
  arena_free(a);
}

// ---------------------------------------------------------------- Sobol

// Primitive polynomials modulo 2 (bit k belongs to the power k) and the first direction numbers, from the second number
// of a point on: Joe and Kuo, SIAM J. Sci. Comput. 30 (2008) 2635, the set called new-joe-kuo-6.
static const struct {
  uint16_t polynomial;
  uint8_t first[8]; // as many as the degree
} SOBOL[DESIGN_SOBOL_NUMBERS - 1] = {
    {3, {1}},
    {7, {1, 3}},
    {11, {1, 3, 1}},
    {13, {1, 1, 1}},
    {19, {1, 1, 3, 3}},
    {25, {1, 3, 5, 13}},
    {37, {1, 1, 5, 5, 17}},
    {41, {1, 1, 5, 5, 5}},
    {47, {1, 1, 7, 11, 19}},
    {55, {1, 1, 5, 1, 1}},
    {59, {1, 1, 1, 3, 11}},
    {61, {1, 3, 5, 5, 31}},
    {67, {1, 3, 3, 9, 7, 49}},
    {91, {1, 1, 1, 15, 21, 21}},
    {97, {1, 3, 1, 13, 27, 49}},
    {103, {1, 1, 1, 15, 7, 5}},
    {109, {1, 3, 1, 15, 13, 25}},
    {115, {1, 1, 5, 5, 19, 61}},
    {131, {1, 3, 7, 11, 23, 15, 103}},
    {137, {1, 3, 7, 13, 13, 15, 69}},
    {143, {1, 1, 3, 13, 7, 35, 63}},
    {145, {1, 3, 5, 9, 1, 25, 53}},
    {157, {1, 3, 1, 13, 9, 35, 107}},
    {167, {1, 3, 1, 5, 27, 61, 31}},
    {171, {1, 1, 5, 11, 19, 41, 61}},
    {185, {1, 3, 5, 3, 3, 13, 69}},
    {191, {1, 1, 7, 13, 1, 19, 1}},
    {193, {1, 3, 7, 5, 13, 19, 59}},
    {203, {1, 1, 3, 9, 25, 29, 41}},
    {211, {1, 3, 5, 13, 23, 1, 55}},
    {213, {1, 3, 7, 3, 13, 59, 17}},
    {229, {1, 3, 1, 3, 5, 53, 69}},
    {239, {1, 1, 5, 5, 23, 33, 13}},
    {241, {1, 1, 7, 7, 1, 61, 123}},
    {247, {1, 1, 7, 9, 13, 61, 49}},
    {253, {1, 3, 3, 5, 3, 55, 33}},
    {285, {1, 3, 1, 15, 31, 13, 49, 245}},
    {299, {1, 3, 5, 15, 31, 59, 63, 97}},
    {301, {1, 3, 1, 11, 11, 11, 77, 249}},
};

enum { SOBOL_BITS = 32, UNIT_BITS = 52 };

static int degree_of(unsigned polynomial) {
  int degree = -1;
  for (; polynomial; polynomial >>= 1) degree++;
  return degree;
}

// direction[k], k = 0 ...: the digits that index bit k flips, the highest first. The first number of a point is van der
// Corput's.
static void sobol_directions(int number, uint32_t *direction) {
  if (number == 0) {
    for (int k = 0; k < SOBOL_BITS; k++) direction[k] = 1u << (31 - k);
    return;
  }
  unsigned polynomial = SOBOL[number - 1].polynomial;
  int degree = degree_of(polynomial);
  for (int k = 0; k < degree; k++) direction[k] = (uint32_t)SOBOL[number - 1].first[k] << (31 - k);
  for (int k = degree; k < SOBOL_BITS; k++) {
    uint32_t d = direction[k - degree] ^ direction[k - degree] >> degree;
    for (int power = 1; power < degree; power++)
      if (polynomial >> (degree - power) & 1) d ^= direction[k - power];
    direction[k] = d;
  }
}

// The digits are shifted at random (exclusive or), which keeps what a Sobol sequence promises and makes its first point,
// all zeros, one like the others.
static void sobol_column(Random *r, int n, int count, int column, double *x) {
  uint32_t direction[SOBOL_BITS], digits = 0;
  uint64_t shift = (uint64_t)(random_uniform(r) * 0x1p52);
  sobol_directions(column, direction);
  for (int k = 0; k < count; k++) {
    if (k > 0) digits ^= direction[__builtin_ctz((unsigned)k)]; // Gray code
    uint64_t unit = (uint64_t)digits << (UNIT_BITS - SOBOL_BITS) ^ shift;
    x[(size_t)k * (size_t)n + (size_t)column] = ((double)unit + 0.5) * 0x1p-52;
  }
}

static void sobol(uint64_t seed, int n, int count, double *x) {
  int served = n < DESIGN_SOBOL_NUMBERS ? n : DESIGN_SOBOL_NUMBERS;
  Random r;
  random_seed(&r, seed);
  for (int i = 0; i < served; i++) sobol_column(&r, n, count, i, x);
  if (served == n) return;
  Arena *a = arena_new();
  latin_columns(seed, 0, n, served, count, ARENA_ARRAY(a, int, count), x);
  arena_free(a);
}

void design_points(int kind, uint64_t seed, int n, int count, double *x) {
  if (n == 0 || count == 0) return;
  if (kind == DESIGN_LATIN_HYPERCUBE)
    latin_hypercube(seed, n, count, x);
  else if (kind == DESIGN_SOBOL)
    sobol(seed, n, count, x);
  else
    random_points(seed, n, count, x);
}
