#include "problem/conversion.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "model/unit.h"

// The zero points of temperature scales, in K.
static const struct {
  const char *unit;
  double zero;
} ZEROS[] = {{"degC", 273.15}, {"degF", 255.37222222222223}};

static double zero_of(const char *unit) {
  for (size_t i = 0; i < sizeof ZEROS / sizeof *ZEROS; i++)
    if (strcmp(ZEROS[i].unit, unit) == 0) return ZEROS[i].zero;
  return 0;
}

ConversionKind conversion_find(const char *a, const char *b, Conversion *out) {
  Unit of_a, of_b;
  if (!unit_parse(a, &of_a, NULL) || !unit_parse(b, &of_b, NULL)) return CONVERSION_UNKNOWN;
  double shift = zero_of(a) - zero_of(b);
  if (unit_same(&of_a, &of_b) && shift == 0) return CONVERSION_NONE;
  if (!unit_same_dimension(&of_a, &of_b)) return CONVERSION_IMPOSSIBLE;
  *out = (Conversion){of_a.scale / of_b.scale, shift / of_b.scale};
  return CONVERSION_FOUND;
}

bool conversion_is_inverse(const char *a, const char *b, double gain, double *right) {
  Conversion c;
  if (conversion_find(a, b, &c) != CONVERSION_FOUND || c.gain == 1) return false;
  *right = c.gain;
  return fabs(gain * c.gain - 1) < 1e-9;
}

const char *conversion_text(const Conversion *c, char out[CONVERSION_TEXT_SIZE]) {
  bool gain = fabs(c->gain - 1) > 1e-12;
  int n = gain ? c_snprintf(out, CONVERSION_TEXT_SIZE, "gain: %.10g", c->gain) : 0;
  if (c->offset != 0)
    c_snprintf(out + n, CONVERSION_TEXT_SIZE - (size_t)n, "%soffset: %.10g", gain ? ", " : "",
               c->offset);
  return out;
}
