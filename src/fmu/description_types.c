#include "fmu/description_types.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define INF ((double)INFINITY)

static const FmuTypeRow ROWS[] = {
    {2, "Real", FMU_REAL, FMU_WIRE_FLOAT64, -INF, INF},
    {2, "Integer", FMU_INTEGER, FMU_WIRE_INT32, INT32_MIN, INT32_MAX},
    {2, "Boolean", FMU_BOOLEAN, FMU_WIRE_BOOLEAN, 0, 1},
    {2, "String", FMU_STRING, FMU_WIRE_STRING, 0, 0},
    {2, "Enumeration", FMU_ENUMERATION, FMU_WIRE_INT32, INT32_MIN, INT32_MAX},
    {3, "Float64", FMU_REAL, FMU_WIRE_FLOAT64, -INF, INF},
    {3, "Float32", FMU_REAL, FMU_WIRE_FLOAT32, -INF, INF},
    {3, "Int8", FMU_INTEGER, FMU_WIRE_INT8, INT8_MIN, INT8_MAX},
    {3, "UInt8", FMU_INTEGER, FMU_WIRE_UINT8, 0, UINT8_MAX},
    {3, "Int16", FMU_INTEGER, FMU_WIRE_INT16, INT16_MIN, INT16_MAX},
    {3, "UInt16", FMU_INTEGER, FMU_WIRE_UINT16, 0, UINT16_MAX},
    {3, "Int32", FMU_INTEGER, FMU_WIRE_INT32, INT32_MIN, INT32_MAX},
    {3, "UInt32", FMU_INTEGER, FMU_WIRE_UINT32, 0, UINT32_MAX},
    {3, "Int64", FMU_INTEGER, FMU_WIRE_INT64, (double)INT64_MIN, (double)INT64_MAX},
    {3, "UInt64", FMU_INTEGER, FMU_WIRE_UINT64, 0, (double)UINT64_MAX},
    {3, "Boolean", FMU_BOOLEAN, FMU_WIRE_BOOLEAN, 0, 1},
    {3, "String", FMU_STRING, FMU_WIRE_STRING, 0, 0},
    {3, "Binary", FMU_BINARY, FMU_WIRE_BINARY, 0, 0},
    {3, "Enumeration", FMU_ENUMERATION, FMU_WIRE_INT64, (double)INT64_MIN, (double)INT64_MAX},
    {3, "Clock", FMU_CLOCK, FMU_WIRE_CLOCK, 0, 1},
};
enum { ROW_COUNT = sizeof ROWS / sizeof *ROWS };

static const DeclaredType NOTHING = {"", -INF, INF, 1, -1};

static const FmuTypeRow *row_of(int fmi, const char *word, size_t length) {
  for (int i = 0; i < ROW_COUNT; i++)
    if (ROWS[i].fmi == fmi && strlen(ROWS[i].word) == length &&
        strncmp(ROWS[i].word, word, length) == 0)
      return &ROWS[i];
  return NULL;
}

const FmuTypeRow *fmu_type_row(int fmi, const char *word) {
  return row_of(fmi, word, strlen(word));
}

// ---------------------------------------------------------------- properties

// Nominal values are positive by the standard; the sign does not matter, and what is no size is not used.
static double nominal_of(double value) {
  return isfinite(value) && value != 0 ? fabs(value) : 1;
}

DeclaredType reading_properties(DescriptionReader *r, const XmlElement *e,
                                const DeclaredType *otherwise) {
  DeclaredType t = *otherwise;
  if (xml_attribute(e, "unit")) t.unit = reading_text(r, e, "unit");
  t.min = reading_number(r, e, "min", t.min);
  t.max = reading_number(r, e, "max", t.max);
  t.nominal = nominal_of(reading_number(r, e, "nominal", t.nominal));
  if (!(t.min <= t.max)) // NaN fails, too
    reading_fail(r, e, ERR_VALUE, "min %g must not exceed max %g", t.min, t.max);
  return t;
}

// ---------------------------------------------------------------- declarations

// The type that a name such as Float64Type stands for; NULL: none.
static const FmuTypeRow *declared_row(const char *word) {
  size_t length = strlen(word), suffix = strlen("Type");
  if (length <= suffix || strcmp(word + length - suffix, "Type") != 0) return NULL;
  return row_of(3, word, length - suffix);
}

static int read_enumeration(DescriptionReader *r, const XmlElement *e, const char *name) {
  FmuEnumeration list = {.name = name};
  for (const XmlElement *c = e->first; c; c = c->next) {
    if (strcmp(c->name, "Item") != 0) continue;
    double value = reading_number(r, c, "value", (double)NAN);
    if (!(fabs(value) < 0x1p63 && value == floor(value)))
      reading_fail(r, c, ERR_VALUE, "the value of an item must be a whole number");
    if (reading_failed(r)) return -1;
    FmuItem item = {reading_text(r, c, "name"), (long)value};
    array_push(r->arena, &list.items, item);
  }
  array_push(r->arena, &r->d->enumerations, list);
  return r->d->enumerations.count - 1;
}

// typed: the element with the properties, in FMI 2 inside of e.
static void read_type(DescriptionReader *r, const XmlElement *e, const XmlElement *typed,
                      const FmuTypeRow *row) {
  const char *name = reading_text(r, e, "name");
  DeclaredType t = reading_properties(r, typed, &NOTHING);
  if (row->type == FMU_ENUMERATION) t.enumeration = read_enumeration(r, typed, name);
  if (names_find(r->type_names, name) >= 0)
    reading_fail(r, e, ERR_NAME, "the type '%.100s' is defined twice", name);
  names_set(r->type_names, name, r->types.count);
  array_push(r->scratch, &r->types, t);
}

void reading_types(DescriptionReader *r) {
  const XmlElement *list = xml_child(r->root, "TypeDefinitions");
  for (const XmlElement *e = list ? list->first : NULL; e && !reading_failed(r); e = e->next) {
    const XmlElement *typed = r->d->fmi == 2 ? e->first : e;
    const FmuTypeRow *row = r->d->fmi == 3 ? declared_row(e->name) : NULL;
    if (r->d->fmi == 2 && typed) row = fmu_type_row(2, typed->name);
    if (row) read_type(r, e, typed, row);
  }
}

DeclaredType reading_declared_type(DescriptionReader *r, const XmlElement *typed) {
  const char *name = xml_attribute(typed, "declaredType");
  if (!name) return NOTHING;
  int found = names_find(r->type_names, name);
  if (found >= 0) return r->types.at[found];
  reading_fail(r, typed, ERR_NAME, "declaredType '%.100s' is not among the TypeDefinitions", name);
  return NOTHING;
}
