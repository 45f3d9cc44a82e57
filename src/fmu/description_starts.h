// Start values of a variable: one for all elements, or one for each.
#pragma once
#include "fmu/description_reader.h"

typedef struct FmuStarts {
  int count;             // 0: there are none
  const double *numbers; // NULL: they are texts
  const char **texts;
} FmuStarts;

FmuStarts starts_read(DescriptionReader *r, const Declared *d);
// Sets the start value of the element at this place, from 0.
void starts_apply(const FmuStarts *s, int element, FmuVariable *v);
