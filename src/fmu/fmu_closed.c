#include "fmu/fmu_closed.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "closed/closed_model.h"
#include "closed/worker_open.h"
#include "fmu/archive.h"
#include "fmu/fmu_spec.h"

// A continuous variable that is the derivative of another one, in an FMU without states; -1: there is none.
static int listed_nowhere(const FmuDescription *d) {
  for (int i = 0; i < d->variables.count; i++)
    if (d->variables.at[i].derivative_of >= 0 && d->variables.at[i].variability == FMU_CONTINUOUS)
      return i;
  return -1;
}

static bool choose_interface(const FmuRequest *q, const FmuDescription *d, FmuInterface *out,
                             Err *err) {
  bool me = d->model_exchange.offered, cs = d->co_simulation.offered;
  if (q->interface == FMU_WISH_ME && !me)
    return fail(err, ERR_MODEL, "%s offers co-simulation only: interface: cs", q->path);
  if (q->interface == FMU_WISH_CS && !cs)
    return fail(err, ERR_MODEL, "%s offers model exchange only: interface: me", q->path);
  *out = q->interface == FMU_WISH_CS || !me ? FMU_CS : FMU_ME;
  int derivative = *out == FMU_ME && d->states.count == 0 ? listed_nowhere(d) : -1;
  if (derivative >= 0)
    return fail(
        err, ERR_MODEL,
        "%s does not list its states: '%s' is the derivative of '%s', but ModelStructure has "
        "no Derivatives%s",
        q->path, d->variables.at[derivative].name,
        d->variables.at[d->variables.at[derivative].derivative_of].name,
        cs ? "; use interface: cs" : "");
  if (*out == FMU_ME && (q->step > 0 || q->tolerance > 0))
    return fail(
        err, ERR_MODEL,
        "'step' and 'tolerance' are those of co-simulation; model exchange is integrated by "
        "entrain (options rel_tol, abs_tol, max_step), or say interface: cs");
  return true;
}

static double half_of_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? (double)pages * (double)size / 2 : 0;
}

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool unpack(ClosedSimulator *s, const char *path, const char **folder, Err *err) {
  s->session = session_new(err);
  if (!s->session) return false;
  *folder = arena_print(s->arena, "%s/fmu", s->session->path);
  if (mkdir(*folder, 0700) != 0)
    return fail(err, ERR_FILE, "%s cannot be made: %s", *folder, strerror(errno));
  return archive_unpack(path, *folder, err);
}

static bool start(ClosedSimulator *s, const FmuRequest *q, const FmuModel *m, Err *err) {
  const FmuDescription *d = m->fmu;
  const FmuInterfaceInfo *info = m->interface == FMU_ME ? &d->model_exchange : &d->co_simulation;
  const char *folder;
  if (!fmu_platform(d, err) || !unpack(s, q->path, &folder, err)) return false;
  WorkerOpen open = {WORKER_FMU, s->session->path, q->memory > 0 ? q->memory : half_of_memory()};
  FmuSpec spec = {s->model.name, folder, m->interface, q->step, q->tolerance};
  WorkerSetup setup = {.timeout = q->timeout,
                       .once = info->once_per_process,
                       .memory = open.memory,
                       .name = s->model.name};
  message_init(&setup.open);
  worker_open_put(&setup.open, &open);
  fmu_spec_put(&setup.open, &spec);
  s->workers = workers_new(&setup);
  s->run_all = closed_run_by_workers;
  s->model.makes_slopes = m->interface == FMU_ME && !info->once_per_process;
  s->model.has_slopes_of_states = m->interface == FMU_ME;
  s->model.refined = m->interface == FMU_ME      ? "with a hundredth of the tolerance"
                     : d->model_exchange.offered ? "as model exchange, integrated by entrain"
                                                 : "with a quarter of the communication step";
  return workers_try(s->workers, err);
}

ClosedSimulator *fmu_closed_open(const FmuRequest *q, Err *err) {
  Arena *a = arena_new();
  FmuInterface interface;
  FmuDescription *d = fmu_describe(a, q->path, err);
  if (!d || !choose_interface(q, d, &interface, err)) {
    arena_free(a);
    return NULL;
  }
  const FmuModel *m = fmu_model_new(a, d, interface);
  ClosedSimulator *s =
      closed_simulator_new(&m->closed, last_part(q->path),
                           interface == FMU_ME ? "model-exchange FMU" : "co-simulation FMU");
  s->owned = a;
  s->data = (void *)m;
  if (start(s, q, m, err)) return s;
  s->model.free(&s->model);
  return NULL;
}
