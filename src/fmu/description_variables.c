#include "fmu/description_variables.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "fmu/description_starts.h"
#include "fmu/description_types.h"

enum {
  DIMENSIONS_MOST = 20,
  NAME_MOST = 4000,                   // bytes
  NAME_BYTES_MOST = 128 << 20,        // of all names: short texts declare long arrays
  INDEX_BYTES = 12 * DIMENSIONS_MOST, // of [1,20,300]
};

// ---------------------------------------------------------------- elements of ModelVariables

static const char *name_of(const XmlElement *e) {
  const char *name = xml_attribute(e, "name");
  return name ? name : "";
}

static bool check_name(DescriptionReader *r, const XmlElement *e) {
  const char *name = xml_attribute(e, "name");
  if (!name) return reading_fail(r, e, ERR_SYNTAX, "%.60s needs the attribute name", e->name);
  if (strlen(name) <= NAME_MOST) return true;
  return reading_fail(r, e, ERR_LIMIT, "this name has more than %d bytes", NAME_MOST);
}

static void declare(DescriptionReader *r, const XmlElement *e) {
  Declared v = {.variable = e, .typed = e, .count = 1};
  if (r->d->fmi == 3) v.row = fmu_type_row(3, e->name);
  for (const XmlElement *c = e->first; r->d->fmi == 2 && c && !v.row; c = c->next)
    if ((v.row = fmu_type_row(2, c->name))) v.typed = c;
  if (!v.row) {
    reading_fail(r, e, ERR_SYNTAX,
                 r->d->fmi == 2
                     ? "this variable has no type: Real, Integer, Boolean, String or Enumeration"
                     : "%.60s is not a type of variable of FMI 3",
                 e->name);
    return;
  }
  check_name(r, e);
  v.reference = (unsigned)reading_required_count(r, e, "valueReference", UINT32_MAX);
  array_push(r->scratch, &r->declared, v);
}

typedef struct ReferencePlace {
  unsigned reference;
  int number;
} ReferencePlace;

static int by_reference(const void *a, const void *b) {
  const ReferencePlace *x = a, *y = b;
  if (x->reference != y->reference) return x->reference < y->reference ? -1 : 1;
  return x->number - y->number;
}

// References are unique in FMI 3; in FMI 2 aliases share them, and lists go by index.
static void sort_references(DescriptionReader *r) {
  int count = r->declared.count;
  ReferencePlace *sorted = ARENA_ARRAY(r->scratch, ReferencePlace, count);
  for (int i = 0; i < count; i++) sorted[i] = (ReferencePlace){r->declared.at[i].reference, i};
  if (count) qsort(sorted, (size_t)count, sizeof *sorted, by_reference);
  r->by_reference = ARENA_ARRAY(r->scratch, int, count);
  for (int i = 0; i < count; i++) {
    const Declared *v = &r->declared.at[r->by_reference[i] = sorted[i].number];
    if (i == 0 || r->d->fmi == 2 || sorted[i - 1].reference != v->reference) continue;
    const Declared *other = &r->declared.at[sorted[i - 1].number];
    reading_fail(r, v->variable, ERR_NAME, "valueReference %u belongs to '%.100s' already",
                 v->reference, name_of(other->variable));
  }
}

const Declared *reading_find(const DescriptionReader *r, unsigned reference) {
  int low = 0, high = r->declared.count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    const Declared *v = &r->declared.at[r->by_reference[middle]];
    if (v->reference == reference) return v;
    if (v->reference < reference)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

// ---------------------------------------------------------------- sizes

// The start value of the structural parameter or constant that gives a dimension; 0: an error.
static double size_by_reference(DescriptionReader *r, const XmlElement *e, double reference) {
  const Declared *v = reading_find(r, (unsigned)reference);
  double size = 0;
  if (!v) {
    reading_fail(r, e, ERR_NAME, "there is no variable with valueReference %.0f", reference);
    return 0;
  }
  const char *causality = xml_attribute(v->variable, "causality");
  const char *variability = xml_attribute(v->variable, "variability");
  if (!(causality && strcmp(causality, "structuralParameter") == 0) &&
      !(variability && strcmp(variability, "constant") == 0))
    reading_fail(r, e, ERR_VALUE,
                 "'%.100s' gives a dimension, but is neither a structural parameter nor constant",
                 name_of(v->variable));
  else if (!reading_count(r, v->variable, "start", FMU_VARIABLES_MOST, &size))
    reading_fail(r, e, ERR_VALUE, "'%.100s' gives a dimension, but has no start value",
                 name_of(v->variable));
  return size;
}

// 0: an error.
static int size_of(DescriptionReader *r, const XmlElement *e) {
  double size = 0, reference;
  if (reading_count(r, e, "valueReference", UINT32_MAX, &reference))
    size = size_by_reference(r, e, reference);
  else if (!reading_count(r, e, "start", FMU_VARIABLES_MOST, &size))
    reading_fail(r, e, ERR_SYNTAX, "Dimension needs the attribute start or valueReference");
  if (size < 1) reading_fail(r, e, ERR_VALUE, "a dimension must be at least 1");
  return reading_failed(r) ? 0 : (int)size;
}

static bool too_many(DescriptionReader *r, const XmlElement *e) {
  return reading_fail(r, e, ERR_LIMIT, "more than %d variables, elements of arrays included",
                      FMU_VARIABLES_MOST);
}

static void read_sizes(DescriptionReader *r, Declared *v) {
  int sizes[DIMENSIONS_MOST];
  double count = 1;
  for (const XmlElement *e = v->variable->first; e && !reading_failed(r); e = e->next) {
    v->alias_count += strcmp(e->name, "Alias") == 0;
    if (strcmp(e->name, "Dimension") != 0) continue;
    if (v->dimensions == DIMENSIONS_MOST) {
      reading_fail(r, e, ERR_LIMIT, "an array has more than %d dimensions", DIMENSIONS_MOST);
      return;
    }
    count *= sizes[v->dimensions++] = size_of(r, e);
    if (count > FMU_VARIABLES_MOST) too_many(r, e);
  }
  if (reading_failed(r)) return;
  int *copy = ARENA_ARRAY(r->scratch, int, v->dimensions);
  if (v->dimensions) memcpy(copy, sizes, (size_t)v->dimensions * sizeof *copy);
  v->sizes = copy;
  v->count = (int)count;
}

// Sizes of all arrays, and room for all elements.
static void make_room(DescriptionReader *r) {
  double total = 0;
  for (int i = 0; i < r->declared.count && !reading_failed(r); i++) {
    Declared *v = &r->declared.at[i];
    if (r->d->fmi == 3) read_sizes(r, v);
    v->first = (int)total;
    total += v->count * (1.0 + v->alias_count);
    if (total > FMU_VARIABLES_MOST) too_many(r, v->variable);
  }
  if (reading_failed(r)) return;
  r->d->variables.room = (int)total;
  r->d->variables.at = ARENA_ARRAY(r->arena, FmuVariable, r->d->variables.room);
}

// ---------------------------------------------------------------- properties

static const char *const CAUSALITIES[] = {"parameter",
                                          "calculatedParameter",
                                          "structuralParameter",
                                          "input",
                                          "output",
                                          "local",
                                          "independent",
                                          NULL};
static const char *const VARIABILITIES[] = {"constant", "fixed",      "tunable",
                                            "discrete", "continuous", NULL};
static const char *const INITIALS[] = {"exact", "approx", "calculated", NULL};

const char *fmu_causality_word(FmuCausality c) {
  return CAUSALITIES[c];
}

const char *fmu_variability_word(FmuVariability v) {
  return VARIABILITIES[v];
}

static bool is_parameter(FmuCausality c) {
  return c == FMU_PARAMETER || c == FMU_CALCULATED_PARAMETER || c == FMU_STRUCTURAL_PARAMETER;
}

// FMI 3.0.2, section 2.4.7.4. FMI 2.0.4 says continuous for all, which only variables of type Real can be, and no parameter.
static FmuVariability default_variability(FmuType type, FmuCausality c) {
  if (is_parameter(c)) return FMU_FIXED;
  return type == FMU_REAL ? FMU_CONTINUOUS : FMU_DISCRETE;
}

// The tables "definition of initial" of FMI 2.0.4 (section 2.2.7) and 3.0.2 (section 2.4.7.5); they differ in inputs.
static FmuInitial default_initial(int fmi, FmuType type, FmuCausality c, FmuVariability v) {
  if (type == FMU_CLOCK || c == FMU_INDEPENDENT) return FMU_NO_INITIAL;
  if (c == FMU_INPUT) return fmi == 2 ? FMU_NO_INITIAL : FMU_EXACT;
  if (c == FMU_PARAMETER || c == FMU_STRUCTURAL_PARAMETER || v == FMU_CONSTANT) return FMU_EXACT;
  return FMU_CALCULATED;
}

// Tools also write combinations that the standard does not allow (table in the same section, (1) to (17)). What can be meant is
// taken: a constant is no parameter, a parameter that varies is tunable, and only numbers are continuous.
static void make_sense(FmuVariable *v) {
  if (is_parameter(v->causality) && v->variability == FMU_CONSTANT)
    v->causality = FMU_LOCAL, v->initial = FMU_EXACT;
  if (is_parameter(v->causality) && v->variability != FMU_FIXED) v->variability = FMU_TUNABLE;
  if (v->causality == FMU_INPUT && v->variability != FMU_CONTINUOUS) v->variability = FMU_DISCRETE;
  if (v->causality == FMU_INDEPENDENT) v->variability = FMU_CONTINUOUS;
  if (v->variability == FMU_CONTINUOUS && v->type != FMU_REAL) v->variability = FMU_DISCRETE;
}

static void read_kind(DescriptionReader *r, const XmlElement *e, FmuVariable *v) {
  v->causality = (FmuCausality)reading_word(r, e, "causality", CAUSALITIES, FMU_LOCAL);
  v->variability = (FmuVariability)reading_word(r, e, "variability", VARIABILITIES,
                                                default_variability(v->type, v->causality));
  v->initial = (FmuInitial)reading_word(
      r, e, "initial", INITIALS, default_initial(r->d->fmi, v->type, v->causality, v->variability));
  make_sense(v);
}

static FmuVariable read_common(DescriptionReader *r, const Declared *d) {
  FmuVariable v = {.type = d->row->type,
                   .wire = d->row->wire,
                   .reference = d->reference,
                   .array = -1,
                   .enumeration = -1,
                   .derivative_of = -1,
                   .line = d->variable->line};
  DeclaredType type = reading_declared_type(r, d->typed);
  type = reading_properties(r, d->typed, &type);
  v.unit = type.unit;
  v.min = type.min, v.max = type.max, v.nominal = type.nominal;
  if (v.type == FMU_ENUMERATION) v.enumeration = type.enumeration;
  read_kind(r, d->variable, &v);
  return v;
}

// ---------------------------------------------------------------- elements

// "[1,3]" for the element of this place, row by row.
static void print_index(const Declared *d, int element, char out[INDEX_BYTES]) {
  int index[DIMENSIONS_MOST];
  for (int k = d->dimensions - 1; k >= 0; k--) {
    index[k] = element % d->sizes[k] + 1;
    element /= d->sizes[k];
  }
  size_t at = 0;
  for (int k = 0; k < d->dimensions; k++)
    at += (size_t)c_snprintf(out + at, INDEX_BYTES - at, "%s%d", k ? "," : "[", index[k]);
  c_snprintf(out + at, INDEX_BYTES - at, "%s", d->dimensions ? "]" : "");
}

static void add_variable(DescriptionReader *r, const XmlElement *e, FmuVariable v) {
  int before = names_find(r->d->names, v.name);
  if (before >= 0) {
    reading_fail(r, e, ERR_NAME, "the name '%.100s' is used twice; the first is in line %d", v.name,
                 r->d->variables.at[before].line);
    return;
  }
  r->name_bytes += strlen(v.name);
  if (r->name_bytes > NAME_BYTES_MOST)
    reading_fail(r, e, ERR_LIMIT, "the names of all variables have more than %d bytes",
                 NAME_BYTES_MOST);
  if (reading_failed(r)) return;
  names_set(r->d->names, v.name, r->d->variables.count);
  array_push(r->arena, &r->d->variables, v);
}

// All elements under one name: that of the variable or of an alias, which stands in e.
static void add_elements(DescriptionReader *r, const XmlElement *e, const Declared *d,
                         FmuVariable v, const FmuStarts *starts) {
  const char *name = name_of(e);
  v.description = reading_text(r, e, "description");
  v.line = e->line;
  if (d->dimensions) {
    FmuArray array = {d->reference, r->d->variables.count, d->count};
    v.array = r->d->arrays.count;
    array_push(r->arena, &r->d->arrays, array);
  }
  for (int k = 0; k < d->count && !reading_failed(r); k++) {
    char index[INDEX_BYTES];
    print_index(d, k, index);
    v.name = arena_print(r->arena, "%s%s", name, index);
    v.element = k;
    starts_apply(starts, k, &v);
    add_variable(r, e, v);
  }
}

static void read_variable(DescriptionReader *r, const Declared *d) {
  FmuVariable v = read_common(r, d);
  FmuStarts starts = starts_read(r, d);
  if (reading_failed(r)) return;
  add_elements(r, d->variable, d, v, &starts);
  if (d->alias_count == 0) return;
  for (const XmlElement *e = d->variable->first; e && !reading_failed(r); e = e->next)
    if (strcmp(e->name, "Alias") == 0 && check_name(r, e)) add_elements(r, e, d, v, &starts);
}

void reading_variables(DescriptionReader *r) {
  const XmlElement *list = xml_child(r->root, "ModelVariables");
  for (const XmlElement *e = list ? list->first : NULL; e && !reading_failed(r); e = e->next)
    if (r->d->fmi == 3 || strcmp(e->name, "ScalarVariable") == 0) declare(r, e);
  if (reading_failed(r)) return;
  sort_references(r);
  make_room(r);
  for (int i = 0; i < r->declared.count && !reading_failed(r); i++)
    read_variable(r, &r->declared.at[i]);
}
