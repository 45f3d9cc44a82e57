// Types of variables: those of FMI, and those that TypeDefinitions declare.
#pragma once
#include "fmu/description_reader.h"

// The type that an element of this name has in this version of FMI; NULL: it is none.
const FmuTypeRow *fmu_type_row(int fmi, const char *word);
// Reads TypeDefinitions.
void reading_types(DescriptionReader *r);
// Limits, nominal value and unit of a type or variable, with the defaults of `otherwise`.
DeclaredType reading_properties(DescriptionReader *r, const XmlElement *e,
                                const DeclaredType *otherwise);
// The declared type of a variable, or one without properties.
DeclaredType reading_declared_type(DescriptionReader *r, const XmlElement *typed);
