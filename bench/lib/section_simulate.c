#include "lib/sections.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hand/cvodes.h"
#include "hand/dop853.h"
#include "lib/adapter.h"
#include "lib/cases.h"
#include "lib/clock.h"

typedef struct Rival { // one of the hand-written programs, on one case
  const Case *c;
  double times[CASE_TIMES_MOST];
  int count;
  double *rows, *reference; // case_width numbers a row
  double y0[64];
  Dop853 *dop853, *dop853_states;
  double *dop853_rows; // wider rows
  Cvodes *cvodes[2];
  BenchSimulation *entrain, *entrain_states;
} Rival;

static BenchTask rival_task(const Rival *r, int np) {
  return case_task(r->c, r->times, r->count, REL_TOL, ABS_TOL, "auto", np);
}

static void copy_dop853_rows(const Rival *r, double *out) {
  int width = case_width(r->c), stride = dop853_stride(r->dop853);
  for (int i = 0; i < r->count; i++)
    memcpy(out + (size_t)i * width, r->dop853_rows + (size_t)i * stride,
           (size_t)width * sizeof *out);
}

static Rival *rival_new(const Case *c) {
  Rival *r = calloc(1, sizeof *r);
  const HandModel *m = c->hand;
  r->c = c;
  r->count = case_times(c, r->times);
  size_t size = (size_t)(case_width(c) + 4) * (size_t)r->count;
  r->rows = calloc(size, sizeof(double));
  r->reference = calloc(size, sizeof(double));
  r->dop853_rows = calloc(size, sizeof(double));
  memcpy(r->y0, m->x0, (size_t)m->nx * sizeof(double));
  r->dop853 = dop853_new(case_width(c));
  r->dop853_states = dop853_new(m->nx);
  r->cvodes[0] = cvodes_new(m, CVODES_ADAMS, CVODES_SIMULTANEOUS);
  r->cvodes[1] = cvodes_new(m, CVODES_ADAMS, CVODES_STAGGERED);
  BenchTask with = rival_task(r, m->np);
  BenchTask without = rival_task(r, 0);
  r->entrain = bench_simulation_open(&with);
  r->entrain_states = bench_simulation_open(&without);
  dop853_run(r->dop853, m->rhs_sens, m->p, 1e-13, 1e-15, r->y0, r->times, r->count, r->dop853_rows);
  copy_dop853_rows(r, r->reference);
  return r;
}

static void rival_free(Rival *r) {
  dop853_free(r->dop853);
  dop853_free(r->dop853_states);
  cvodes_free(r->cvodes[0]);
  cvodes_free(r->cvodes[1]);
  bench_simulation_close(r->entrain);
  bench_simulation_close(r->entrain_states);
  free(r->rows);
  free(r->reference);
  free(r->dop853_rows);
  free(r);
}

static void run_entrain(void *self, int repeat) {
  for (int i = 0; i < repeat; i++) bench_simulation_run(((Rival *)self)->entrain);
}

static void run_entrain_states(void *self, int repeat) {
  for (int i = 0; i < repeat; i++) bench_simulation_run(((Rival *)self)->entrain_states);
}

static void run_dop853(void *self, int repeat) {
  Rival *r = self;
  const HandModel *m = r->c->hand;
  for (int i = 0; i < repeat; i++)
    dop853_run(r->dop853, m->rhs_sens, m->p, REL_TOL, ABS_TOL, r->y0, r->times, r->count,
               r->dop853_rows);
}

static void run_dop853_states(void *self, int repeat) {
  Rival *r = self;
  const HandModel *m = r->c->hand;
  for (int i = 0; i < repeat; i++)
    dop853_run(r->dop853_states, m->rhs, m->p, REL_TOL, ABS_TOL, r->y0, r->times, r->count,
               r->dop853_rows);
}

static void run_cvodes(Rival *r, int approach, int repeat) {
  for (int i = 0; i < repeat; i++)
    cvodes_run(r->cvodes[approach], REL_TOL, ABS_TOL, r->times, r->count, r->rows);
}

static void run_cvodes_simultaneous(void *self, int repeat) {
  run_cvodes(self, 0, repeat);
}
static void run_cvodes_staggered(void *self, int repeat) {
  run_cvodes(self, 1, repeat);
}

// Least CPU time of the three cases in an own process; keeps the smaller ones.
static void run_scipy(Scipy *s) {
  FILE *f = popen("/usr/bin/python3 bench/hand/solve_ivp.py 5", "r");
  char line[512];
  for (int i = -1; f && fgets(line, sizeof line, f); i++) {
    double seconds;
    if (i < 0)
      sscanf(line, "version %63[^\n]", s->version);
    else if (i < 3 && sscanf(line, "%*s %lf", &seconds) == 1)
      s->seconds[i] = fmin(s->seconds[i], seconds);
  }
  if (f) pclose(f);
}

typedef struct SimulationTimes {
  double entrain, entrain_states, dop853, dop853_states, cvodes;
  double error_entrain, error_dop853, error_cvodes;
  char work[160];
  Dop853Count dop853_count;
  CvodesCount cvodes_count;
} SimulationTimes;

static void measure_errors(Rival *r, SimulationTimes *m, int better) {
  const Case *c = r->c;
  m->error_entrain = nan("");
  BenchTask task = rival_task(r, c->hand->np);
  if (r->entrain &&
      bench_simulation_rows(r->entrain, &task, c->hand->nx, r->rows, m->work, sizeof m->work))
    m->error_entrain = case_error(c, r->rows, r->reference, r->count);
  run_dop853(r, 1);
  m->dop853_count = dop853_count(r->dop853);
  copy_dop853_rows(r, r->rows);
  m->error_dop853 = case_error(c, r->rows, r->reference, r->count);
  run_cvodes(r, better, 1);
  m->cvodes_count = cvodes_count(r->cvodes[better]);
  m->error_cvodes = case_error(c, r->rows, r->reference, r->count);
}

static SimulationTimes measure_simulation(const Case *c) {
  Rival *r = rival_new(c);
  Contestant runs[] = {{.run = r->entrain ? run_entrain : NULL, .self = r},
                       {.run = r->entrain_states ? run_entrain_states : NULL, .self = r},
                       {.run = run_dop853, .self = r},
                       {.run = run_dop853_states, .self = r},
                       {.run = run_cvodes_simultaneous, .self = r},
                       {.run = run_cvodes_staggered, .self = r}};
  contest_run(runs, 6, 4 * PATIENCE);
  SimulationTimes m = {.entrain = runs[0].seconds,
                       .entrain_states = runs[1].seconds,
                       .dop853 = runs[2].seconds,
                       .dop853_states = runs[3].seconds,
                       .cvodes = fmin(runs[4].seconds, runs[5].seconds)};
  measure_errors(r, &m, runs[4].seconds <= runs[5].seconds ? 0 : 1);
  rival_free(r);
  return m;
}

static void print_simulation(Table *t, const Case *c, const SimulationTimes *m, double scipy) {
  const char *name = c->hand->name;
  char what[96];
  snprintf(what, sizeof what, "%s: hand-written DOP853", name);
  table_row(t, what, m->entrain, m->dop853, GOAL_AT_MOST, 1.4);
  snprintf(what, sizeof what, "%s: CVODES Adams (Debian)", name);
  table_row(t, what, m->entrain, m->cvodes, GOAL_AT_LEAST, 30);
  snprintf(what, sizeof what, "%s: SciPy, entrain with sensitivities", name);
  table_row(t, what, m->entrain, scipy, GOAL_AT_LEAST, 300);
  snprintf(what, sizeof what, "%s: SciPy, both states only", name);
  table_row(t, what, m->entrain_states, scipy, GOAL_AT_LEAST, 0);
  snprintf(what, sizeof what, "%s: DOP853, both states only", name);
  table_row(t, what, m->entrain_states, m->dop853_states, GOAL_AT_MOST, 0);
}

static void print_details(Table *t, const Case *c, const SimulationTimes *m) {
  table_text(t,
             "- %s: error entrain %.1e, DOP853 %.1e, CVODES %.1e; entrain: %s; DOP853: %ld steps, "
             "%ld rejected, "
             "%ld right-hand sides; CVODES: %ld steps, %ld right-hand sides\n",
             c->hand->name, m->error_entrain, m->error_dop853, m->error_cvodes,
             *m->work ? m->work : "-", m->dop853_count.steps, m->dop853_count.rejected,
             m->dop853_count.rhs, m->cvodes_count.steps, m->cvodes_count.rhs);
}

void section_simulate(Table *t, Scipy *scipy) {
  table_section(t, "3. One simulation with sensitivities",
                "rel_tol 1e-8, abs_tol 1e-10; pendulum 50 s, 501 outputs, 1 parameter; van der "
                "Pol-Duffing 20 s, 2001 "
                "outputs, 3 parameters; two-DOF 30 s, 3001 outputs, 3 parameters. Set-up is not "
                "counted. DOP853: "
                "hand-written C, run-time dimensions. CVODES: hand-written C with analytic "
                "sensitivities, the better of the "
                "simultaneous and the staggered corrector. **Debian's SUNDIALS is compiled without "
                "optimisation: an "
                "optimised build is faster by a factor of 2.4 to 4.8.** SciPy: solve_ivp, DOP853, "
                "states only, as users "
                "run it.");
  SimulationTimes m[3];
  run_scipy(scipy);
  for (int i = 0; i < 3; i++) m[i] = measure_simulation(&CASES_MECHANICAL[i]);
  run_scipy(scipy);
  for (int i = 0; i < 3; i++) print_simulation(t, &CASES_MECHANICAL[i], &m[i], scipy->seconds[i]);
  table_text(t, "\nErrors (largest over states, sensitivities and outputs, relative to the largest "
                "value of each):\n\n");
  for (int i = 0; i < 3; i++) print_details(t, &CASES_MECHANICAL[i], &m[i]);
}
