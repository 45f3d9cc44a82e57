// Random numbers that are the same everywhere for a given seed.
#pragma once
#include <stdint.h>

typedef struct Random { // xoshiro256**
  uint64_t s[4];
} Random;

void random_seed(Random *r, uint64_t seed);
// A stream of its own for number i of a study, whatever the others draw.
void random_seed_stream(Random *r, uint64_t seed, uint64_t i);
double random_uniform(Random *r); // 0 < u < 1
double random_normal(Random *r);  // mean 0, variance 1
