// Workers with a test FMU, and calls of it: x'' = -k x, which misbehaves as its parameters say (tests/fmu/models/bad.c).
#pragma once
#include <dirent.h>
#include <errno.h>
#include <sys/wait.h>

#include "closed/worker_open.h"
#include "closed/workers.h"
#include "fmu/fmu_spec.h"
#include "fmu_trial.h"

enum {
  GOOD,
  CRASH,
  ABORT,
  EXIT,
  HANG,
  EAT,
  FLOOD,
  REFUSE,
  NO_NUMBER,
  END,
  CLOSE = 12
}; // modes of bad.c

typedef struct WorkerTrial {
  Arena *arena;
  Session *session;
  Workers *workers;
} WorkerTrial;

// fmu: the name of its folder. What else the setup says is the caller's.
static inline WorkerTrial *worker_trial_open(const char *fmu, WorkerSetup setup) {
  Arena *a = arena_new();
  WorkerTrial *t = ARENA_NEW(a, WorkerTrial);
  Err err = {0};
  t->arena = a;
  t->session = session_new(&err);
  if (!t->session) fail_msg("%s", err.text);
  WorkerOpen open = {WORKER_FMU, t->session->path, setup.memory};
  FmuSpec spec = {fmu, fmu_place(a, fmu), FMU_ME, 0, 0};
  message_init(&setup.open);
  worker_open_put(&setup.open, &open);
  fmu_spec_put(&setup.open, &spec);
  setup.name = "bad";
  t->workers = workers_new(&setup);
  return t;
}

// The parameters of bad.c in the order of its description; x and v are variables 0 and 1.
enum { MODE, MODE_LEVEL, WHEN, K, FRAGILE, STICKY, X_START, V_START, BAD_PARAMETERS };
enum { TRIAL_ROWS = 11 };

// 11 rows of x from 0 to 1.
static inline SimulatorCall *worker_call(const WorkerTrial *t, int mode, double k) {
  static const double TIMES[TRIAL_ROWS] = {0, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1};
  static const int VARIABLES[] = {0};
  SimulatorCall *c = ARENA_NEW(t->arena, SimulatorCall);
  SimulateOptions o;
  simulate_options_init(&o);
  double *p = ARENA_ARRAY(t->arena, double, BAD_PARAMETERS);
  bool *given = ARENA_ARRAY(t->arena, bool, BAD_PARAMETERS);
  p[MODE] = mode, p[K] = k;
  given[MODE] = given[K] = true;
  *c = (SimulatorCall){.times = TIMES,
                       .count = TRIAL_ROWS,
                       .parameters = p,
                       .given = given,
                       .parameter_count = BAD_PARAMETERS,
                       .variables = VARIABLES,
                       .variable_count = 1,
                       .rel_tol = 1e-8,
                       .abs_tol = 1e-9,
                       .max_steps = o.max_steps,
                       .max_events = o.max_events,
                       .solver = o.solver};
  return c;
}

static inline SimulatorAnswer *worker_run(const WorkerTrial *t, int mode, double k) {
  const SimulatorCall *c = worker_call(t, mode, k);
  SimulatorAnswer *a = simulator_answer_new(t->arena, c);
  workers_run(t->workers, &c, &a, 1);
  return a;
}

static inline void assert_good(const SimulatorAnswer *a, double k) {
  if (a->outcome != OUTCOME_REACHED_END)
    fail_msg("%s: %s\n%s", outcome_word(a->outcome), a->message, a->log);
  assert_int_equal(a->rows, TRIAL_ROWS);
  for (int i = 0; i < TRIAL_ROWS; i++) assert_close(a->values[i], cos(sqrt(k) * 0.1 * i), 1e-6);
}

// No process is left, not even a zombie.
static inline void worker_trial_close(WorkerTrial *t) {
  workers_free(t->workers);
  session_free(t->session);
  arena_free(t->arena);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  assert_int_equal(errno, ECHILD);
}
