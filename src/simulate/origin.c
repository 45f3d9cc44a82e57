// A difference is exact if it leads back to both numbers. It always is if neither is more than twice the other (Sterbenz).
#include "simulate/origin.h"

#include <math.h>
#include <stdbool.h>

#include "base/c_locale.h"

static bool is_exact(double t, double start) {
  double d = t - start;
  return d + start == t && t - d == start;
}

double time_origin(double start, const double *times, int count) {
  for (int i = 0; i < count; i++)
    if (!is_exact(times[i], start)) return 0;
  return start;
}

static const double LARGE =
    1e6; // smaller ones are not rounded to less than a tenth of a nanosecond

TimesTooClose times_too_close(double t, double before) {
  TimesTooClose text = {""};
  if (t != before || !(fabs(t) >= LARGE)) return text;
  c_snprintf(text.at, sizeof text.at,
             "; numbers of this size must differ by %.2g or more to be told apart: subtract a "
             "constant from all times",
             nextafter(fabs(t), HUGE_VAL) - fabs(t));
  return text;
}
