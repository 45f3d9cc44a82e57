// Groups: variables sorted by wire type and reference, so that each type takes one call and each array is asked as a whole.
#include <stdlib.h>

#include "fmu/instance.h"
#include "fmu/instance_parts.h"

typedef struct FmuMember {
  FmuWire wire;
  unsigned reference;
  int element, variable, place;
} FmuMember;

static int by_wire_and_reference(const void *left, const void *right) {
  const FmuMember *a = left, *b = right;
  if (a->wire != b->wire) return a->wire < b->wire ? -1 : 1;
  if (a->reference != b->reference) return a->reference < b->reference ? -1 : 1;
  if (a->element != b->element) return a->element < b->element ? -1 : 1;
  return a->place < b->place ? -1 : a->place > b->place;
}

static FmuMember member(const FmuDescription *d, int variable, int place) {
  const FmuVariable *v = &d->variables.at[variable];
  return (FmuMember){v->wire, v->reference, v->array < 0 ? 0 : v->element, variable, place};
}

static int value_count(const FmuDescription *d, int variable) {
  int array = d->variables.at[variable].array;
  return array < 0 ? 1 : d->arrays.at[array].count;
}

// Members of one wire type. A value that occurs twice takes one slot.
static FmuPart make_part(Arena *a, const FmuDescription *d, const FmuMember *members, int count) {
  FmuPart p = {.wire = members[0].wire, .count = count};
  p.references = ARENA_ARRAY(a, unsigned, count);
  p.variable = ARENA_ARRAY(a, int, count);
  p.place = ARENA_ARRAY(a, int, count);
  p.slot = ARENA_ARRAY(a, int, count);
  int first = 0, different = 0; // slot of the first value of the reference; slots that are used
  for (int k = 0; k < count; k++) {
    const FmuMember *m = &members[k];
    if (k == 0 || m->reference != members[k - 1].reference) {
      first = p.value_count;
      p.references[p.reference_count++] = m->reference;
      p.value_count += value_count(d, m->variable);
    }
    p.variable[k] = m->variable;
    p.place[k] = m->place;
    p.slot[k] = first + m->element;
    different += k == 0 || p.slot[k] != p.slot[k - 1];
  }
  p.whole = different == p.value_count;
  p.buffer = ARENA_ARRAY(a, double, p.value_count);
  return p;
}

FmuGroup *fmu_group_new(Arena *a, const FmuLibrary *l, const int *variables, int count) {
  const FmuDescription *d = l->description;
  FmuGroup *g = ARENA_NEW(a, FmuGroup);
  g->unfit = -1;
  if (count == 0) return g;
  FmuMember *members = ARENA_ARRAY(a, FmuMember, count);
  for (int k = 0; k < count; k++) {
    members[k] = member(d, variables[k], k);
    if (members[k].wire >= FMU_WIRE_STRING) g->unfit = variables[k];
  }
  qsort(members, (size_t)count, sizeof *members, by_wire_and_reference);
  g->parts = ARENA_ARRAY(a, FmuPart, FMU_WIRE_STRING);
  for (int k = 0, end; g->unfit < 0 && k < count; k = end) {
    for (end = k + 1; end < count && members[end].wire == members[k].wire;) end++;
    g->parts[g->part_count++] = make_part(a, d, members + k, end - k);
  }
  return g;
}
