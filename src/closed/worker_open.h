// The first message to a worker: what it will simulate, and its limits.
#pragma once
#include "closed/worker_message.h"

#define WORKER_PROTOCOL "entrain worker 1"

typedef enum WorkerKind { WORKER_FMU, WORKER_PROGRAM } WorkerKind;

typedef struct WorkerOpen {
  WorkerKind kind;
  const char *session; // folder of the session
  double memory;       // bytes of address space; 0: no limit
} WorkerOpen;

void worker_open_put(Message *m, const WorkerOpen *o);     // what the kind needs follows
bool worker_open_get(Message *m, Arena *a, WorkerOpen *o); // false: another version speaks
