#include "fmu/fmu_spec.h"

void fmu_spec_put(Message *m, const FmuSpec *s) {
  put_text(m, s->name);
  put_text(m, s->folder);
  put_int(m, s->interface);
  put_number(m, s->step);
  put_number(m, s->tolerance);
}

FmuSpec *fmu_spec_get(Message *m, Arena *a) {
  FmuSpec *s = ARENA_NEW(a, FmuSpec);
  s->name = get_text(m, a);
  s->folder = get_text(m, a);
  s->interface = get_int(m) == FMU_CS ? FMU_CS : FMU_ME;
  s->step = get_number(m);
  s->tolerance = get_number(m);
  return m->bad || !s->name || !s->folder ? NULL : s;
}
