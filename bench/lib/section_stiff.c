#include "lib/sections.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hand/cvodes.h"
#include "lib/adapter.h"
#include "lib/cases.h"
#include "lib/clock.h"
#include "lib/curve.h"

typedef struct StiffRun {
  const Case *c;
  double times[CASE_TIMES_MOST];
  int count;
  double *rows, *reference;
  double rel_tol, abs_tol;
  Cvodes *cvodes[2];
  BenchSimulation *entrain;
} StiffRun;

static void stiff_entrain(void *self, int repeat) {
  for (int i = 0; i < repeat; i++) bench_simulation_run(((StiffRun *)self)->entrain);
}

static void stiff_cvodes(StiffRun *r, int approach, int repeat) {
  for (int i = 0; i < repeat; i++)
    cvodes_run(r->cvodes[approach], r->rel_tol, r->abs_tol, r->times, r->count, r->rows);
}

static void stiff_cvodes_simultaneous(void *self, int repeat) {
  stiff_cvodes(self, 0, repeat);
}
static void stiff_cvodes_staggered(void *self, int repeat) {
  stiff_cvodes(self, 1, repeat);
}

static BenchTask stiff_task(const StiffRun *r) {
  return case_task(r->c, r->times, r->count, r->rel_tol, r->abs_tol, "auto", r->c->hand->np);
}

static void open_entrain(StiffRun *r) {
  BenchTask task = stiff_task(r);
  r->entrain = bench_simulation_open(&task);
}

static double error_of_entrain(StiffRun *r, char *work, int size) {
  BenchTask task = stiff_task(r);
  if (!r->entrain || !bench_simulation_rows(r->entrain, &task, r->c->hand->nx, r->rows, work, size))
    return nan("");
  return case_error(r->c, r->rows, r->reference, r->count);
}

static double error_of_cvodes(StiffRun *r, int approach) {
  if (!cvodes_run(r->cvodes[approach], r->rel_tol, r->abs_tol, r->times, r->count, r->rows))
    return nan("");
  return case_error(r->c, r->rows, r->reference, r->count);
}

// One pair of tolerances on both sides: three more points of the two curves.
static void stiff_point(StiffRun *r, Curve *entrain, Curve *cvodes, bool verbose) {
  char work[160] = "";
  open_entrain(r);
  double error[3] = {error_of_entrain(r, work, sizeof work), error_of_cvodes(r, 0),
                     error_of_cvodes(r, 1)};
  Contestant runs[] = {{.run = isnan(error[0]) ? NULL : stiff_entrain, .self = r},
                       {.run = isnan(error[1]) ? NULL : stiff_cvodes_simultaneous, .self = r},
                       {.run = isnan(error[2]) ? NULL : stiff_cvodes_staggered, .self = r}};
  contest_run(runs, 3, 0);
  curve_add(entrain, error[0], runs[0].seconds);
  for (int k = 1; k < 3; k++) curve_add(cvodes, error[k], runs[k].seconds);
  if (verbose)
    printf("    %-10s rel %.1e abs %.1e: entrain %.2f ms (%.1e; %s), CVODES %.2f ms (%.1e), %.2f "
           "ms (%.1e)\n",
           r->c->hand->name, r->rel_tol, r->abs_tol, 1e3 * runs[0].seconds, error[0], work,
           1e3 * runs[1].seconds, error[1], 1e3 * runs[2].seconds, error[2]);
  bench_simulation_close(r->entrain);
}

static void stiff_curves(StiffRun *r, Curve *entrain, Curve *cvodes, bool verbose) {
  for (int k = 0; k < 3 && r->c->abs_parts[k] > 0; k++)
    for (int i = 4; i <= 20; i++) {
      r->rel_tol = pow(10, -0.5 * i);
      r->abs_tol = r->rel_tol * r->c->abs_parts[k];
      stiff_point(r, entrain, cvodes, verbose);
    }
}

static double make_reference(StiffRun *r) {
  char work[160];
  double least = HUGE_VAL;
  for (int k = 0; k < 3 && r->c->abs_parts[k] > 0; k++) least = fmin(least, r->c->abs_parts[k]);
  r->rel_tol = 1e-12;
  r->abs_tol = r->rel_tol * least;
  if (!cvodes_run(r->cvodes[1], r->rel_tol, r->abs_tol, r->times, r->count, r->reference))
    return nan("");
  r->rel_tol = 1e-11;
  r->abs_tol = r->rel_tol * least;
  open_entrain(r);
  double difference = error_of_entrain(r, work, sizeof work);
  bench_simulation_close(r->entrain);
  return difference;
}

static void compare_stiff(Table *t, const Case *c, bool verbose) {
  StiffRun *r = calloc(1, sizeof *r);
  static Curve entrain, cvodes;
  entrain.count = cvodes.count = 0;
  r->c = c;
  r->count = case_times(c, r->times);
  size_t size = (size_t)case_width(c) * (size_t)r->count;
  r->rows = calloc(size, sizeof(double));
  r->reference = calloc(size, sizeof(double));
  r->cvodes[0] = cvodes_new(c->hand, CVODES_BDF, CVODES_SIMULTANEOUS);
  r->cvodes[1] = cvodes_new(c->hand, CVODES_BDF, CVODES_STAGGERED);
  double agreement = make_reference(r);
  if (verbose) printf("    %s: references of both sides agree to %.1e\n", c->hand->name, agreement);
  stiff_curves(r, &entrain, &cvodes, verbose);
  static const double TARGETS[] = {1e-4, 1e-6};
  for (int i = 0; i < 2; i++) {
    char what[96];
    snprintf(what, sizeof what, "%s (%d x %d), error %.0e", c->hand->name, c->hand->nx, c->hand->np,
             TARGETS[i]);
    table_row(t, what, curve_at(&entrain, TARGETS[i]), curve_at(&cvodes, TARGETS[i]), GOAL_AT_LEAST,
              3);
  }
  cvodes_free(r->cvodes[0]);
  cvodes_free(r->cvodes[1]);
  free(r->rows);
  free(r->reference);
  free(r);
}

void section_stiff(Table *t, bool verbose) {
  table_section(t, "5. Stiff systems with sensitivities, at equal achieved error",
                "Against hand-written CVODES: BDF, Newton, dense, analytic Jacobian and "
                "sensitivities, the better of the "
                "simultaneous and the staggered corrector; **Debian's SUNDIALS is compiled without "
                "optimisation (factor "
                "2.4 to 4.8)**. Both sides run at 17 relative and 2 absolute tolerances; the time "
                "for an error is "
                "interpolated on the Pareto front of the runs in time and error. "
                "Error: largest over "
                "states, sensitivities and outputs, relative to the largest value of each.");
  for (int i = 0; i < 4; i++) compare_stiff(t, &CASES_STIFF[i], verbose);
}
