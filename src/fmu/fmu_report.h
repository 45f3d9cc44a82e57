// What `entrain info` prints about an FMU.
#pragma once
#include "base/text.h"
#include "fmu/description.h"

// Both add to out. Names and texts of the FMU appear as visible text.
void fmu_report_text(const FmuDescription *d, Text *out);
void fmu_report_json(const FmuDescription *d, Text *out);

// What can be done with a parameter.
typedef enum FmuUse {
  FMU_ESTIMATE, // estimated or set
  FMU_SET,      // set only: Integer, Boolean, String, Enumeration
  FMU_KEEP,     // neither: structural, Binary
} FmuUse;

bool fmu_is_parameter(const FmuVariable *v); // of causality parameter or structuralParameter
FmuUse fmu_use(const FmuVariable *v);        // of a parameter
const char *fmu_use_word(FmuUse u);          // "estimate", "set", "keep"
// Whether the value that a variable, not a parameter or input, begins with can be set: under the name x.start.
bool fmu_has_free_start(const FmuVariable *v);
const char *fmu_initial_word(FmuInitial i); // as in the standard; "" without
