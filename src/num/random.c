// xoshiro256** (Blackman and Vigna 2018), seeded by splitmix64; normal numbers by the polar method.
#include "num/random.h"

#include <math.h>

// splitmix64: spreads seeds that differ in few bits (Steele, Lea, Flood 2014).
static uint64_t mix(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

void random_seed(Random *r, uint64_t seed) {
  for (int i = 0; i < 4; i++) r->s[i] = mix(&seed);
}

void random_seed_stream(Random *r, uint64_t seed, uint64_t i) {
  uint64_t own = mix(&seed) + i;
  random_seed(r, mix(&own));
}

static uint64_t rotate(uint64_t x, int bits) {
  return x << bits | x >> (64 - bits);
}

// xoshiro256** (Blackman, Vigna 2018)
static uint64_t next(Random *r) {
  uint64_t *s = r->s, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate(s[3], 45);
  return result;
}

double random_uniform(Random *r) {
  return ((double)(next(r) >> 12) + 0.5) * 0x1p-52;
}

// Polar method of Marsaglia; the second number of each pair is dropped, so that nothing but s is kept.
double random_normal(Random *r) {
  for (;;) {
    double u = 2 * random_uniform(r) - 1, v = 2 * random_uniform(r) - 1, q = u * u + v * v;
    if (q > 0 && q < 1) return u * sqrt(-2 * log(q) / q);
  }
}
