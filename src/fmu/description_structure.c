#include "fmu/description_structure.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "fmu/description_variables.h"

// The variable that an attribute of e refers to: FMI 2 by its number in the list, from 1; FMI 3 by its value reference.
static const Declared *referred(DescriptionReader *r, const XmlElement *e, const char *name) {
  const Declared *d = NULL;
  if (r->d->fmi == 2) {
    double index = reading_required_count(r, e, name, INT_MAX);
    if (reading_failed(r)) return NULL;
    if (index >= 1 && index <= r->declared.count) return &r->declared.at[(int)index - 1];
    reading_fail(r, e, ERR_NAME, "%s %.0f is none of the %d variables", name, index,
                 r->declared.count);
    return NULL;
  }
  double reference = reading_required_count(r, e, name, UINT32_MAX);
  if (reading_failed(r)) return NULL;
  if (!(d = reading_find(r, (unsigned)reference)))
    reading_fail(r, e, ERR_NAME, "there is no variable with valueReference %.0f", reference);
  return d;
}

// ---------------------------------------------------------------- derivatives of variables

static void link_derivative(DescriptionReader *r, const Declared *d) {
  if (d->row->type != FMU_REAL || !xml_attribute(d->typed, "derivative")) return;
  const Declared *of = referred(r, d->typed, "derivative");
  if (!of) return;
  const FmuVariable *v = &r->d->variables.at[d->first];
  if (of->row->type != FMU_REAL || of->count != d->count) {
    reading_fail(r, d->typed, ERR_VALUE,
                 "'%.100s' cannot be the derivative of '%.100s': types or sizes differ", v->name,
                 r->d->variables.at[of->first].name);
    return;
  }
  int all = d->count * (1 + d->alias_count);
  for (int i = 0; i < all; i++)
    r->d->variables.at[d->first + i].derivative_of = of->first + i % d->count;
}

// ---------------------------------------------------------------- lists

static void add_outputs(DescriptionReader *r, const XmlElement *e, const Declared *d) {
  (void)e;
  for (int i = 0; i < d->count; i++) array_push(r->arena, &r->d->outputs, d->first + i);
}

// Some tools forget the attribute derivative: that there is a state is known then, but not its name.
static void add_derivatives(DescriptionReader *r, const XmlElement *e, const Declared *d) {
  (void)e;
  for (int i = 0; i < d->count; i++) {
    array_push(r->arena, &r->d->derivatives, d->first + i);
    array_push(r->arena, &r->d->states, r->d->variables.at[d->first + i].derivative_of);
  }
}

static void add_indicators(DescriptionReader *r, const XmlElement *e, const Declared *d) {
  (void)e;
  r->d->indicators += d->count;
}

typedef void AddListed(DescriptionReader *r, const XmlElement *e, const Declared *d);

// The elements of this name; each refers to a variable.
static void read_list(DescriptionReader *r, const XmlElement *list, const char *element,
                      AddListed *add) {
  const char *attribute = r->d->fmi == 2 ? "index" : "valueReference";
  double listed = 0;
  for (const XmlElement *e = list ? list->first : NULL; e && !reading_failed(r); e = e->next) {
    if (strcmp(e->name, element) != 0) continue;
    const Declared *d = referred(r, e, attribute);
    if (!d) return;
    if ((listed += d->count) > FMU_VARIABLES_MOST) {
      reading_fail(r, e, ERR_LIMIT, "this list has more than %d variables", FMU_VARIABLES_MOST);
      return;
    }
    add(r, e, d);
  }
}

void reading_structure(DescriptionReader *r) {
  for (int i = 0; i < r->declared.count && !reading_failed(r); i++)
    link_derivative(r, &r->declared.at[i]);
  const XmlElement *s = xml_child(r->root, "ModelStructure");
  if (r->d->fmi == 2) {
    read_list(r, xml_child(s, "Outputs"), "Unknown", add_outputs);
    read_list(r, xml_child(s, "Derivatives"), "Unknown", add_derivatives);
    return;
  }
  read_list(r, s, "Output", add_outputs);
  read_list(r, s, "ContinuousStateDerivative", add_derivatives);
  read_list(r, s, "EventIndicator", add_indicators);
}
