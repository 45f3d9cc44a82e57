#include "code/fingerprint.h"

#include <gnu/libc-version.h>
#include <math.h>
#include <stdint.h>

#include "base/record.h"
#include "code/code.h"

static double (*const FUNCTIONS[])(double) = {sin, cos,   tan,  asin, acos, atan, exp,
                                              log, log10, sinh, cosh, tanh, sqrt, cbrt};
static double (*const PAIRS[])(double, double) = {pow, atan2, fmod, hypot};
enum { ARGUMENTS = 200 };

static uint64_t digest_of_libm(void) {
  uint64_t digest = 0;
  for (int k = 1; k <= ARGUMENTS; k++) {
    double small = k / (ARGUMENTS + 1.0),
           large = 40 * small * small + 1e-3 * k; // of no special kind
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++) {
      double y[] = {FUNCTIONS[i](small), FUNCTIONS[i](large)};
      for (int j = 0; j < 2; j++)
        if (!isnan(y[j])) digest = record_digest(digest, &y[j], sizeof y[j]);
    }
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
      double y = PAIRS[i](large, small);
      digest = record_digest(digest, &y, sizeof y);
    }
  }
  return digest;
}

void fingerprint_print(Text *to) {
  text_print(to, "%d lanes, libm %s %08x", code_lanes(), gnu_get_libc_version(),
             (unsigned)(digest_of_libm() & 0xffffffff));
}
