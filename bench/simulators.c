// What isolation costs: a short simulation of an FMU in a worker against the same one in this process; a program; two workers against
// one.
//   build/bench/simulators [FOLDER of the test FMUs]      (default build/fmu; 'make fmus' builds them)
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "closed/worker_open.h"
#include "fmu/archive.h"
#include "fmu/fmu_run.h"
#include "fmu/fmu_spec.h"
#include "program/program_closed.h"

enum { RUNS = 2000, ROWS = 21, PROGRAM_RUNS = 100, SLOW_RUNS = 40 };

typedef struct Trial {
  Arena *arena;
  SimulatorCall *call;
  SimulatorAnswer *answer;
} Trial;

// Co-simulation of the oscillator: 20 communication steps, 21 rows of one output.
static Trial trial_new(const FmuModel *m) {
  Arena *a = arena_new();
  Trial t = {a, ARENA_NEW(a, SimulatorCall), NULL};
  double *times = ARENA_ARRAY(a, double, ROWS), *values = ARENA_ARRAY(a, double, 100);
  int *variables = ARENA_ARRAY(a, int, 1);
  for (int i = 0; i < ROWS; i++) times[i] = 0.1 * i;
  int parameters = m ? m->closed.parameters.count : 0;
  for (int i = 0; i < parameters; i++) values[i] = m->closed.parameters.at[i].value;
  *t.call = (SimulatorCall){.times = times,
                            .count = ROWS,
                            .parameters = values,
                            .given = ARENA_ARRAY(a, bool, 100),
                            .parameter_count = parameters,
                            .inputs = ARENA_ARRAY(a, const Input *, 10),
                            .input_count = m ? m->closed.inputs.count : 0,
                            .variables = variables,
                            .variable_count = 1,
                            .rel_tol = 1e-6,
                            .abs_tol = 1e-8,
                            .max_steps = 1000000,
                            .max_events = 1000};
  t.answer = simulator_answer_new(a, t.call);
  return t;
}

static int compare_times(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *times, int n) {
  qsort(times, (size_t)n, sizeof *times, compare_times);
  return times[n / 2];
}

static void fail_with(const Err *err) {
  fprintf(stderr, "simulators: %s\n", err->text);
  exit(1);
}

static void measure_fmu(const char *folder) {
  Err err = {0};
  Arena *a = arena_new();
  Session *session = session_new(&err);
  const char *path = arena_print(a, "%s/oscillator2.fmu", folder);
  const char *unpacked = arena_print(a, "%s/fmu", session->path);
  if (mkdir(unpacked, 0700) != 0 || !archive_unpack(path, unpacked, &err)) fail_with(&err);
  FmuSpec spec = {"oscillator2.fmu", unpacked, FMU_CS, 0, 0};
  FmuRunner *here = fmu_runner_open(&spec, &err);
  if (!here) fail_with(&err);
  WorkerOpen open = {WORKER_FMU, session->path, 0};
  WorkerSetup setup = {.name = "oscillator2.fmu"};
  message_init(&setup.open);
  worker_open_put(&setup.open, &open);
  fmu_spec_put(&setup.open, &spec);
  Workers *workers = workers_new(&setup);
  if (!workers_try(workers, &err)) fail_with(&err);
  Trial t = trial_new(here->model);
  double *inside = ARENA_ARRAY(a, double, RUNS), *outside = ARENA_ARRAY(a, double, RUNS);
  for (int i = 0; i < RUNS; i++) {
    double t0 = clock_seconds();
    t.answer->rows = 0;
    fmu_runner_run(here, t.call, t.answer);
    double t1 = clock_seconds();
    workers_run(workers, (const SimulatorCall *const *)&t.call, &t.answer, 1);
    inside[i] = t1 - t0, outside[i] = clock_seconds() - t1;
  }
  double in = 1e3 * median(inside, RUNS), out = 1e3 * median(outside, RUNS);
  printf("FMU, median of %d runs: in process %.3f ms, in a worker %.3f ms, %.3f ms more\n", RUNS,
         in, out, out - in);
  workers_free(workers);
  fmu_runner_close(here);
  session_free(session);
  arena_free(t.arena);
  arena_free(a);
}

static ClosedSimulator *open_script(Arena *a, const char *folder, const char *name,
                                    const char *text) {
  Err err = {0};
  const char *path = arena_print(a, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  if (!f) exit(1);
  fputs(text, f);
  fclose(f);
  chmod(path, 0755);
  ProgramSpec *spec = ARENA_NEW(a, ProgramSpec);
  ClosedDescription *d = ARENA_NEW(a, ClosedDescription);
  spec->folder = folder;
  array_push(a, &spec->command, arena_print(a, "./%s", name));
  array_push(a, &spec->variables, "y");
  spec->output_file = "out.csv";
  array_push(a, &d->variables, ((ClosedVariable){.name = "y", .description = "", .unit = ""}));
  d->name = name;
  ClosedSimulator *s = program_closed_open(spec, d, NULL, &err);
  if (!s) fail_with(&err);
  return s;
}

static double program_alone(const char *command, double *times, int n) {
  for (int i = 0; i < n; i++) {
    double t0 = clock_seconds();
    if (system(command) != 0) exit(1);
    times[i] = clock_seconds() - t0;
  }
  return 1e3 * median(times, n);
}

static void measure_program(const char *folder) {
  Arena *a = arena_new();
  ClosedSimulator *s =
      open_script(a, folder, "quick", "#!/bin/sh\nprintf 't,y\\n0,1\\n3,2\\n' > out.csv\n");
  Trial t = trial_new(NULL);
  double *times = ARENA_ARRAY(a, double, PROGRAM_RUNS);
  double alone =
      program_alone(arena_print(a, "cd '%s' && exec ./quick", folder), times, PROGRAM_RUNS);
  for (int i = 0; i < PROGRAM_RUNS; i++) {
    double t0 = clock_seconds();
    s->run_all(s, (const SimulatorCall *const *)&t.call, &t.answer, 1);
    times[i] = clock_seconds() - t0;
  }
  double run = 1e3 * median(times, PROGRAM_RUNS);
  printf("program (a shell script), median of %d runs: by system() %.2f ms, as simulator %.2f ms\n",
         PROGRAM_RUNS, alone, run);
  s->model.free(&s->model);
  arena_free(t.arena);
  arena_free(a);
}

static double all_at_once(ClosedSimulator *s, int workers) {
  Trial t[SLOW_RUNS];
  const SimulatorCall *calls[SLOW_RUNS];
  SimulatorAnswer *answers[SLOW_RUNS];
  for (int i = 0; i < SLOW_RUNS; i++)
    t[i] = trial_new(NULL), calls[i] = t[i].call, answers[i] = t[i].answer;
  s->model.set_threads(&s->model, workers);
  double t0 = clock_seconds();
  s->run_all(s, calls, answers, SLOW_RUNS);
  double seconds = clock_seconds() - t0;
  for (int i = 0; i < SLOW_RUNS; i++) arena_free(t[i].arena);
  return seconds;
}

static void measure_workers(const char *folder) {
  Arena *a = arena_new();
  ClosedSimulator *s = open_script(
      a, folder, "slow", "#!/bin/sh\nsleep 0.05\nprintf 't,y\\n0,1\\n3,2\\n' > out.csv\n");
  double one = all_at_once(s, 1), two = all_at_once(s, 2);
  printf("%d runs of a program of 50 ms (it sleeps): one worker %.2f s, two %.2f s, ratio %.2f\n",
         SLOW_RUNS, one, two, one / two);
  s->model.free(&s->model);
  arena_free(a);
}

int main(int argc, char **argv) {
  char folder[] = "/tmp/entrain_bench_XXXXXX";
  if (!mkdtemp(folder)) return 1;
  measure_fmu(argc > 1 ? argv[1] : "build/fmu");
  measure_program(folder);
  measure_workers(folder);
  folder_remove(folder);
  return 0;
}
