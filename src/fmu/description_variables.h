// ModelVariables: the variables with the defaults of the standard, arrays and aliases as elements of their own.
#pragma once
#include "fmu/description_reader.h"

enum { FMU_VARIABLES_MOST = 1000000 }; // elements of arrays count

// Fills the variables, arrays and names of the description, and r->declared.
void reading_variables(DescriptionReader *r);
// The element of ModelVariables with this value reference (FMI 3); NULL: none.
const Declared *reading_find(const DescriptionReader *r, unsigned reference);
