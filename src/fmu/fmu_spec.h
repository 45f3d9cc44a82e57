// What a worker is told about an FMU, as a message.
#pragma once
#include "closed/worker_message.h"
#include "fmu/fmu_run.h"

void fmu_spec_put(Message *m, const FmuSpec *s);
FmuSpec *fmu_spec_get(Message *m, Arena *a); // NULL: it is none
