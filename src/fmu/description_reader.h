// The reading of one modelDescription.xml: what is shared by its parts, and attributes as values.
//
// Errors are sticky: after the first one, functions return what they would without the attribute; the entry point looks
// once.
#pragma once
#include "base/array.h"
#include "fmu/description.h"
#include "fmu/xml.h"

typedef struct DeclaredType { // of TypeDefinitions
  const char *unit;
  double min, max, nominal;
  int enumeration; // -1: none
} DeclaredType;

typedef struct FmuTypeRow {
  int fmi;          // 2 or 3
  const char *word; // name of the element
  FmuType type;
  FmuWire wire;
  double least, most; // values that the type can hold
} FmuTypeRow;

typedef struct Declared {             // an element of ModelVariables
  const XmlElement *variable, *typed; // FMI 2: ScalarVariable and its child; FMI 3: twice the same
  const FmuTypeRow *row;
  unsigned reference;
  const int *sizes;             // of the dimensions
  int dimensions, count, first; // count: elements; first: number of the first among the variables
  int alias_count;
} Declared;

typedef struct DescriptionReader {
  Arena *arena, *scratch; // of the description; of the reading
  const char *file;
  FmuDescription *d;
  const XmlElement *root;
  Names *type_names;
  ARRAY(DeclaredType) types;
  ARRAY(Declared) declared;
  size_t name_bytes; // of all variables so far
  int *by_reference; // numbers of `declared`, sorted by reference (FMI 3)
  Err *err;          // never NULL
} DescriptionReader;

static inline bool reading_failed(const DescriptionReader *r) {
  return r->err->code != ERR_NONE;
}

// An error at this element; returns false.
bool reading_fail(DescriptionReader *r, const XmlElement *e, ErrCode code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// The value of an attribute; the last argument if there is none.
const char *reading_text(DescriptionReader *r, const XmlElement *e, const char *name); // or ""
double reading_number(DescriptionReader *r, const XmlElement *e, const char *name,
                      double otherwise);
bool reading_flag(DescriptionReader *r, const XmlElement *e, const char *name, bool otherwise);
// The index of the word, in a list that ends with NULL.
int reading_word(DescriptionReader *r, const XmlElement *e, const char *name,
                 const char *const *words, int otherwise);
// A number from 0 to `most`; false: absent, or an error.
bool reading_count(DescriptionReader *r, const XmlElement *e, const char *name, double most,
                   double *value);
// As reading_count, but absence is an error.
double reading_required_count(DescriptionReader *r, const XmlElement *e, const char *name,
                              double most);
// A number of XML (INF, -INF and NaN among them).
bool reading_is_number(const char *text, double *value);
bool reading_is_flag(const char *text, bool *value); // true, false, 1, 0
