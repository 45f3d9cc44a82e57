// Ticks of an axis at round numbers: multiples of 1, 2 or 5 times a power of ten.
#pragma once

enum { TICKS_MOST = 32, TICK_SIZE = 32 };

typedef struct Ticks {
  int count;
  double at[TICKS_MOST];
  char label[TICKS_MOST][TICK_SIZE];
  double step;
} Ticks;

// The round numbers in [least, most], about `wanted` of them. least < most, both finite.
void ticks_make(Ticks *t, double least, double most, int wanted);
// Position of v between least (0) and most (1). Does not overflow.
double ticks_fraction(double v, double least, double most);
// Widens an interval that is (nearly) a point, so that it can be an axis.
void ticks_widen(double *least, double *most);
