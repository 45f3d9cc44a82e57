#include "draw/ticks.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/c_locale.h"

double ticks_fraction(double v, double least, double most) {
  return (v / 2 - least / 2) /
         (most / 2 - least / 2); // halves: the difference of huge numbers stays finite
}

static double size_of(double least, double most) {
  return fmax(fabs(least), fabs(most));
}

void ticks_widen(double *least, double *most) {
  double size = size_of(*least, *most);
  if (size < 1e-300) { // zero, or so small that its differences have no digits
    *least = -1;
    *most = 1;
    return;
  }
  if (*most / 2 - *least / 2 > 1e-13 * size) return;
  *least = fmax(*least - 0.1 * size, -DBL_MAX);
  *most = fmin(*most + 0.1 * size, DBL_MAX);
}

// The next round number above x.
static double round_up(double x) {
  double power = pow(10, floor(log10(x))), m = x / power;
  double round = m <= 1.0001 ? 1 : m <= 2.0001 ? 2 : m <= 5.0001 ? 5 : 10;
  return round * power;
}

// 1e-08 becomes 1e-8, and 1e+06 1e6.
static void shorten_exponent(char *label) {
  char *at = strchr(label, 'e');
  if (!at) return;
  char *from = at + 1, *to = at + 1;
  if (*from == '-') to++;
  from += *from == '-' || *from == '+';
  while (*from == '0' && from[1]) from++;
  memmove(to, from, strlen(from) + 1);
}

// Writes as many decimals as distinguish multiples of step; exponent form for very large or small numbers, unless so many
// digits are needed that it would not be shorter (seconds since 1970).
static void make_label(double v, double step, double size, char out[TICK_SIZE]) {
  int decimals = -(int)floor(log10(step) + 1e-9), digits = (int)floor(log10(size)) + decimals + 1;
  if ((size < 1e6 && step >= 0.99e-5) || (size >= 1e6 && size < 1e15 && digits > 6)) {
    c_snprintf(out, TICK_SIZE, "%.*f", decimals > 0 ? decimals : 0, v);
  } else {
    c_snprintf(out, TICK_SIZE, "%.*g", digits < 1 ? 1 : digits > 17 ? 17 : digits, v);
    shorten_exponent(out);
  }
}

void ticks_make(Ticks *t, double least, double most, int wanted) {
  if (wanted > TICKS_MOST - 2) wanted = TICKS_MOST - 2;
  t->count = 0;
  t->step = round_up(2 * ((most / 2 - least / 2) / (wanted > 1 ? wanted : 1)));
  if (!(t->step > 0 && isfinite(t->step))) return;
  double first = ceil(least / t->step - 1e-9), size = size_of(least, most);
  for (int i = 0; t->count < TICKS_MOST; i++) {
    double v = (first + i) * t->step;
    if (!(v <= most + 1e-9 * t->step) || !isfinite(v)) return;
    if (fabs(v) < 1e-9 * t->step) v = 0; // no -0
    t->at[t->count] = v;
    make_label(v, t->step, size, t->label[t->count++]);
  }
}
