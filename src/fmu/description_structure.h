// ModelStructure: outputs, derivatives, states and event indicators as numbers of variables.
#pragma once
#include "fmu/description_reader.h"

// After the variables were read.
void reading_structure(DescriptionReader *r);
