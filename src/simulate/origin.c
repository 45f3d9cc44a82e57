// Differences of two numbers of one sign are exact if neither is more than twice the other (Sterbenz).
#include "simulate/origin.h"

#include <math.h>
#include <stdio.h>

double time_origin(double start, double stop) {
  double near = start > 0 ? start : stop, far = start > 0 ? stop : start; // from 0
  bool same_sign = start > 0 || stop < 0;
  return same_sign && far / near <= 2 ? start : 0;
}

static const double LARGE = 1e6; // smaller ones are not rounded to less than a tenth of a nanosecond

TimesTooClose times_too_close(double t, double before) {
  TimesTooClose text = {""};
  if (t != before || !(fabs(t) >= LARGE)) return text;
  snprintf(text.at, sizeof text.at,
           "; numbers of this size must differ by %.2g or more to be told apart: subtract a "
           "constant from all times",
           nextafter(fabs(t), HUGE_VAL) - fabs(t));
  return text;
}
