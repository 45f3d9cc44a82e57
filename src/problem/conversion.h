// Conversion from the unit of a column to that of a quantity of the model.
#pragma once
#include <stdbool.h>

typedef enum ConversionKind {
  CONVERSION_UNKNOWN, // one of the two is not a unit, or is not given
  CONVERSION_NONE,    // both are the same
  CONVERSION_FOUND,
  CONVERSION_IMPOSSIBLE, // they measure different quantities
} ConversionKind;

typedef struct Conversion { // b = gain*a + offset
  double gain, offset;
} Conversion;

// From a value in unit a to a value in unit b. Temperatures with another zero point (degC, degF) have offsets.
ConversionKind conversion_find(const char *a, const char *b, Conversion *out);

// Whether `gain` converts b to a, and *right, another one, a to b.
bool conversion_is_inverse(const char *a, const char *b, double gain, double *right);

enum { CONVERSION_TEXT_SIZE = 80 };
// "gain: 0.01", "offset: 273.15", or both: as they are written in a problem file.
const char *conversion_text(const Conversion *c, char out[CONVERSION_TEXT_SIZE]);
