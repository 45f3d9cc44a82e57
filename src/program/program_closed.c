#include "program/program_closed.h"

#include <string.h>

#include "closed/closed_model.h"
#include "closed/worker_open.h"

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

ClosedSimulator *program_closed_open(const ProgramSpec *spec, const ClosedDescription *d,
                                     ProgramFault *fault, Err *err) {
  Arena *scratch = arena_new();
  bool fine = program_open(scratch, spec, fault, err) != NULL;
  arena_free(scratch);
  if (!fine) return NULL;
  ClosedSimulator *s = closed_simulator_new(d, last_part(spec->command.at[0]), "program");
  s->session = session_new(err);
  if (s->session) {
    WorkerOpen open = {WORKER_PROGRAM, s->session->path, spec->memory};
    WorkerSetup setup = {.timeout = spec->timeout * (spec->retries + 1),
                         .own_timeout = true,
                         .gently = true,
                         .name = s->model.name};
    message_init(&setup.open);
    worker_open_put(&setup.open, &open);
    program_spec_put(&setup.open, spec);
    s->workers = workers_new(&setup);
    s->run_all = closed_run_by_workers;
    if (workers_try(s->workers, err)) return s;
  }
  s->model.free(&s->model);
  return NULL;
}
