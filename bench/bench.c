// The benchmark: entrain against hand-written C, CVODES and SciPy in one run. Prints a table, writes bench/results.md.
// Every time is the least CPU time of repeated measurements in which the competitors take turns.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sundials/sundials_version.h>

#include "hand/check.h"
#include "hand/cvodes.h"
#include "hand/dop853.h"
#include "hand/vehicle14.h"
#include "lib/adapter.h"
#include "lib/cases.h"
#include "lib/clock.h"
#include "lib/curve.h"
#include "lib/table.h"

static const double PATIENCE = 0.4; // s of measuring for each comparison

// ---------------------------------------------------------------- 1. right-hand sides

typedef struct HandCall {
  HandRhs *f;
  const double *p, *x;
} HandCall;

static void hand_loop(void *self, int repeat) {
  const HandCall *c = self;
  double out[VEHICLE14_STATES * VEHICLE14_STATES];
  for (int i = 0; i < repeat; i++) c->f(1e-3 * i, c->x, c->p, out);
}

static void vehicle_jacobian_loop(void *self, int repeat) {
  const HandCall *c = self;
  double dx[VEHICLE14_STATES], J[VEHICLE14_STATES * VEHICLE14_STATES];
  for (int i = 0; i < repeat; i++) vehicle14_rhs_jacobian(1e-3 * i, c->x, c->p, dx, J);
}

typedef struct EntrainCall {
  BenchModel *model;
  const double *x;
} EntrainCall;

static void entrain_rhs_loop(void *self, int repeat) {
  const EntrainCall *c = self;
  bench_rhs_loop(c->model, c->x, repeat);
}

static void entrain_jacobian_loop(void *self, int repeat) {
  const EntrainCall *c = self;
  bench_jacobian_loop(c->model, c->x, repeat);
}

static double relative_difference(const double *a, const double *b, int count) {
  double worst = 0, most = 0;
  for (int i = 0; i < count; i++) {
    worst = fmax(worst, fabs(a[i] - b[i]));
    most = fmax(most, fabs(b[i]));
  }
  return worst / most;
}

typedef struct RhsCase {
  const char *name, *path, *settings;
  HandCall rhs, jacobian;
  ContestRun *jacobian_loop; // of the hand side
  int nx;
} RhsCase;

static double rhs_disagreement(BenchModel *model, const RhsCase *c) {
  enum { N = VEHICLE14_STATES };
  double dx[N], hand_dx[N], J[N * N] = {0}, hand_J[N * N] = {0};
  bench_rhs(model, 1.3, c->rhs.x, dx);
  c->rhs.f(1.3, c->rhs.x, c->rhs.p, hand_dx);
  bench_jacobian(model, 1.3, c->rhs.x, J);
  if (c->jacobian.f) c->jacobian.f(1.3, c->rhs.x, c->rhs.p, hand_J);
  else vehicle14_rhs_jacobian(1.3, c->rhs.x, c->rhs.p, hand_dx, hand_J);
  return fmax(relative_difference(dx, hand_dx, c->nx), relative_difference(J, hand_J, c->nx * c->nx));
}

static void compare_rhs(Table *t, const RhsCase *c) {
  BenchModel *model = bench_model_open(c->path, c->settings);
  EntrainCall call = {model, c->rhs.x};
  Contestant runs[] = {{.run = hand_loop, .self = (void *)&c->rhs},
                       {.run = model ? entrain_rhs_loop : NULL, .self = &call},
                       {.run = c->jacobian_loop, .self = (void *)&c->jacobian},
                       {.run = model ? entrain_jacobian_loop : NULL, .self = &call}};
  contest_run(runs, 4, PATIENCE);
  char what[64];
  snprintf(what, sizeof what, "%s, right-hand side", c->name);
  table_row(t, what, runs[1].seconds, runs[0].seconds, GOAL_AT_MOST, 1.05);
  snprintf(what, sizeof what, "%s, Jacobian", c->name);
  table_row(t, what, runs[3].seconds, runs[2].seconds, GOAL_AT_MOST, 1.05);
  if (model && !(rhs_disagreement(model, c) < 1e-9))
    table_text(t, "\n%s: values DIFFER by %.1e\n", c->name, rhs_disagreement(model, c));
  bench_model_close(model);
}

static RhsCase small_case(const Case *c, const double *x) {
  const HandModel *m = c->hand;
  return (RhsCase){.name = m->name,
                   .path = c->path,
                   .settings = c->settings,
                   .rhs = {m->rhs, m->p, x},
                   .jacobian = {m->jacobian, m->p, x},
                   .jacobian_loop = hand_loop,
                   .nx = m->nx};
}

static void section_rhs(Table *t) {
  table_section(t, "1. Right-hand side and Jacobian against hand-written C",
                "Hand C: gcc -O3 -march=native -fno-math-errno, called by pointer. Jacobians: the entries that are not "
                "always zero. The vehicle's Jacobian (with its right-hand side) is too large to be written by hand: its "
                "comparator is C text that bench/hand/derive.py makes from the equations by eliminating intermediate "
                "quantities in Markowitz order, compiled with the same options.");
  static const double X[] = {0.7, 0.3, -0.4, 0.2};
  for (int i = 0; i < 3; i++) {
    RhsCase c = small_case(&CASES_MECHANICAL[i], X);
    compare_rhs(t, &c);
  }
  Vehicle14 parameters;
  double x[VEHICLE14_STATES];
  vehicle14_parameters(&parameters);
  vehicle14_start(&parameters, x);
  for (int i = 0; i < VEHICLE14_STATES; i++) x[i] += 1e-3 * ((7 * i) % 11 - 5); // nowhere zero
  const double *p = (const double *)&parameters;
  RhsCase vehicle = {.name = "vehicle, 14 degrees of freedom",
                     .path = "bench/models/vehicle14.mo",
                     .rhs = {vehicle14_rhs, p, x},
                     .jacobian = {NULL, p, x},
                     .jacobian_loop = vehicle_jacobian_loop,
                     .nx = VEHICLE14_STATES};
  compare_rhs(t, &vehicle);
}

// ---------------------------------------------------------------- 2. text to callable code

typedef struct Text {
  const char *name;
  char *text;
  bool failed;
} Text;

static char *read_file(const char *path) {
  FILE *f = fopen(path, "r");
  char *text = calloc(1, 1 << 22);
  if (f) {
    size_t n = fread(text, 1, (1 << 22) - 1, f);
    text[n] = 0;
    fclose(f);
  }
  return text;
}

static void compile_loop(void *self, int repeat) {
  Text *c = self;
  for (int i = 0; i < repeat; i++)
    if (!bench_compile(c->name, c->text, true)) c->failed = true;
}

static void compare_compile(Table *t, const char *what, const char *path, double limit) {
  Text c = {.name = path, .text = read_file(path)};
  c.failed = !*c.text || !bench_compile(path, c.text, true);
  Contestant run = {.run = c.failed ? NULL : compile_loop, .self = &c};
  contest_run(&run, 1, PATIENCE);
  table_row(t, what, run.seconds, limit, GOAL_AT_MOST, 1);
  free(c.text);
}

static void section_compile(Table *t, const char *folder) {
  char network[512];
  snprintf(network, sizeof network, "%s/chem500.mo", folder);
  table_section(t, "2. Text to callable code",
                "From the model text in memory to machine code for the right-hand side, the Jacobian and df/dp. The "
                "column `comparator` holds the limit.");
  compare_compile(t, "pendulum", CASES_MECHANICAL[0].path, 1e-3);
  compare_compile(t, "van der Pol-Duffing", CASES_MECHANICAL[1].path, 1e-3);
  compare_compile(t, "two-DOF", CASES_MECHANICAL[2].path, 1e-3);
  compare_compile(t, "network of 500 states, 2000 parameters", network, 60e-3);
}

// ---------------------------------------------------------------- 3. simulations with sensitivities

static const double REL_TOL = 1e-8, ABS_TOL = 1e-10;

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

static BenchTask task_of(const Rival *r, double rel_tol, double abs_tol, const char *solver, int np) {
  return (BenchTask){.path = r->c->path,
                     .settings = r->c->settings,
                     .rel_tol = rel_tol,
                     .abs_tol = abs_tol,
                     .solver = solver,
                     .times = r->times,
                     .count = r->count,
                     .parameters = r->c->hand->parameter_names,
                     .np = np};
}

static void copy_dop853_rows(const Rival *r, double *out) {
  int width = case_width(r->c), stride = dop853_stride(r->dop853);
  for (int i = 0; i < r->count; i++)
    memcpy(out + (size_t)i * width, r->dop853_rows + (size_t)i * stride, (size_t)width * sizeof *out);
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
  BenchTask with = task_of(r, REL_TOL, ABS_TOL, "auto", m->np);
  BenchTask without = task_of(r, REL_TOL, ABS_TOL, "auto", 0);
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
    dop853_run(r->dop853, m->rhs_sens, m->p, REL_TOL, ABS_TOL, r->y0, r->times, r->count, r->dop853_rows);
}

static void run_dop853_states(void *self, int repeat) {
  Rival *r = self;
  const HandModel *m = r->c->hand;
  for (int i = 0; i < repeat; i++)
    dop853_run(r->dop853_states, m->rhs, m->p, REL_TOL, ABS_TOL, r->y0, r->times, r->count, r->dop853_rows);
}

static void run_cvodes(Rival *r, int approach, int repeat) {
  for (int i = 0; i < repeat; i++)
    cvodes_run(r->cvodes[approach], REL_TOL, ABS_TOL, r->times, r->count, r->rows);
}

static void run_cvodes_simultaneous(void *self, int repeat) { run_cvodes(self, 0, repeat); }
static void run_cvodes_staggered(void *self, int repeat) { run_cvodes(self, 1, repeat); }

typedef struct Scipy {
  double seconds[3];
  char version[64];
} Scipy;

// Least CPU time of the three cases in an own process; keeps the smaller ones.
static void run_scipy(Scipy *s) {
  FILE *f = popen("/usr/bin/python3 bench/hand/solve_ivp.py 5", "r");
  char line[512];
  for (int i = -1; f && fgets(line, sizeof line, f); i++) {
    double seconds;
    if (i < 0) sscanf(line, "version %63[^\n]", s->version);
    else if (i < 3 && sscanf(line, "%*s %lf", &seconds) == 1) s->seconds[i] = fmin(s->seconds[i], seconds);
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
  m->error_entrain = NAN;
  BenchTask task = task_of(r, REL_TOL, ABS_TOL, "auto", c->hand->np);
  if (r->entrain && bench_simulation_rows(r->entrain, &task, c->hand->nx, r->rows, m->work, sizeof m->work))
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
  snprintf(what, sizeof what, "%s: SciPy without sensitivities", name);
  table_row(t, what, m->entrain, scipy, GOAL_AT_LEAST, 300);
  snprintf(what, sizeof what, "%s: SciPy, both without", name);
  table_row(t, what, m->entrain_states, scipy, GOAL_NONE, 0);
  snprintf(what, sizeof what, "%s: DOP853, both without", name);
  table_row(t, what, m->entrain_states, m->dop853_states, GOAL_NONE, 0);
}

static void print_details(Table *t, const Case *c, const SimulationTimes *m) {
  table_text(t, "- %s: error entrain %.1e, DOP853 %.1e, CVODES %.1e; entrain: %s; DOP853: %ld steps, %ld rejected, "
                "%ld right-hand sides; CVODES: %ld steps, %ld right-hand sides\n",
             c->hand->name, m->error_entrain, m->error_dop853, m->error_cvodes, *m->work ? m->work : "-",
             m->dop853_count.steps, m->dop853_count.rejected, m->dop853_count.rhs, m->cvodes_count.steps,
             m->cvodes_count.rhs);
}

static void section_simulate(Table *t, Scipy *scipy) {
  table_section(t, "3. One simulation with sensitivities",
                "rel_tol 1e-8, abs_tol 1e-10; pendulum 50 s, 501 outputs, 1 parameter; van der Pol-Duffing 20 s, 2001 "
                "outputs, 3 parameters; two-DOF 30 s, 3001 outputs, 3 parameters. Set-up is not counted. DOP853: "
                "hand-written C, run-time dimensions. CVODES: hand-written C with analytic sensitivities, the better of the "
                "simultaneous and the staggered corrector. **Debian's SUNDIALS is compiled without optimisation: an "
                "optimised build is faster by a factor of 2.4 to 4.8.** SciPy: solve_ivp, DOP853, states only, as users "
                "run it.");
  SimulationTimes m[3];
  run_scipy(scipy);
  for (int i = 0; i < 3; i++) m[i] = measure_simulation(&CASES_MECHANICAL[i]);
  run_scipy(scipy);
  for (int i = 0; i < 3; i++) print_simulation(t, &CASES_MECHANICAL[i], &m[i], scipy->seconds[i]);
  table_text(t, "\nErrors (largest over states, sensitivities and outputs, relative to the largest value of each):\n\n");
  for (int i = 0; i < 3; i++) print_details(t, &CASES_MECHANICAL[i], &m[i]);
}

// ---------------------------------------------------------------- 4. lanes

enum { SETS = 8 };

static void run_lanes(void *self, int repeat) {
  for (int i = 0; i < repeat; i++) bench_lanes_run(self);
}

static void run_scalar(void *self, int repeat) {
  for (int i = 0; i < repeat; i++) bench_lanes_run_scalar(self);
}

static void section_lanes(Table *t) {
  static const double FACTORS[SETS] = {0.97, 0.98, 0.99, 1, 1.01, 1.02, 1.03, 1.04};
  table_section(t, "4. Eight parameter sets in lanes",
                "The simulations of section 3 for eight parameter sets: side by side, against one after the other by the "
                "scalar path. Time of all eight.");
  for (int i = 0; i < 3; i++) {
    Rival r = {.c = &CASES_MECHANICAL[i]};
    r.count = case_times(r.c, r.times);
    BenchTask task = task_of(&r, REL_TOL, ABS_TOL, "rk8", r.c->hand->np);
    BenchLanes *lanes = bench_lanes_open(&task, SETS, FACTORS);
    Contestant runs[] = {{.run = lanes ? run_lanes : NULL, .self = lanes},
                         {.run = lanes ? run_scalar : NULL, .self = lanes}};
    contest_run(runs, 2, 2 * PATIENCE);
    table_row(t, r.c->hand->name, runs[0].seconds, runs[1].seconds, GOAL_AT_LEAST, 4);
    if (lanes && !(bench_lanes_difference(lanes) < 1e-5))
      table_text(t, "\n%s: the two paths DIFFER by %.1e\n", r.c->hand->name, bench_lanes_difference(lanes));
    bench_lanes_close(lanes);
  }
}

// ---------------------------------------------------------------- 5. stiff, with sensitivities

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

static void stiff_cvodes_simultaneous(void *self, int repeat) { stiff_cvodes(self, 0, repeat); }
static void stiff_cvodes_staggered(void *self, int repeat) { stiff_cvodes(self, 1, repeat); }

static BenchTask stiff_task(const StiffRun *r) {
  return (BenchTask){.path = r->c->path,
                     .settings = r->c->settings,
                    .rel_tol = r->rel_tol,
                    .abs_tol = r->abs_tol,
                    .solver = "auto",
                    .times = r->times,
                    .count = r->count,
                    .parameters = r->c->hand->parameter_names,
                    .np = r->c->hand->np};
}

static void open_entrain(StiffRun *r) {
  BenchTask task = stiff_task(r);
  r->entrain = bench_simulation_open(&task);
}

static double error_of_entrain(StiffRun *r, char *work, int size) {
  BenchTask task = stiff_task(r);
  if (!r->entrain || !bench_simulation_rows(r->entrain, &task, r->c->hand->nx, r->rows, work, size)) return NAN;
  return case_error(r->c, r->rows, r->reference, r->count);
}

static double error_of_cvodes(StiffRun *r, int approach) {
  if (!cvodes_run(r->cvodes[approach], r->rel_tol, r->abs_tol, r->times, r->count, r->rows)) return NAN;
  return case_error(r->c, r->rows, r->reference, r->count);
}

// One pair of tolerances on both sides: three more points of the two curves.
static void stiff_point(StiffRun *r, Curve *entrain, Curve *cvodes, bool verbose) {
  char work[160] = "";
  open_entrain(r);
  double error[3] = {error_of_entrain(r, work, sizeof work), error_of_cvodes(r, 0), error_of_cvodes(r, 1)};
  Contestant runs[] = {{.run = isnan(error[0]) ? NULL : stiff_entrain, .self = r},
                       {.run = isnan(error[1]) ? NULL : stiff_cvodes_simultaneous, .self = r},
                       {.run = isnan(error[2]) ? NULL : stiff_cvodes_staggered, .self = r}};
  contest_run(runs, 3, 0);
  curve_add(entrain, error[0], runs[0].seconds);
  for (int k = 1; k < 3; k++) curve_add(cvodes, error[k], runs[k].seconds);
  if (verbose)
    printf("    %-10s rel %.1e abs %.1e: entrain %.2f ms (%.1e; %s), CVODES %.2f ms (%.1e), %.2f ms (%.1e)\n",
           r->c->hand->name, r->rel_tol, r->abs_tol, 1e3 * runs[0].seconds, error[0], work, 1e3 * runs[1].seconds,
           error[1], 1e3 * runs[2].seconds, error[2]);
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
  double least = INFINITY;
  for (int k = 0; k < 3 && r->c->abs_parts[k] > 0; k++) least = fmin(least, r->c->abs_parts[k]);
  r->rel_tol = 1e-12;
  r->abs_tol = r->rel_tol * least;
  if (!cvodes_run(r->cvodes[1], r->rel_tol, r->abs_tol, r->times, r->count, r->reference)) return NAN;
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
    snprintf(what, sizeof what, "%s (%d x %d), error %.0e", c->hand->name, c->hand->nx, c->hand->np, TARGETS[i]);
    table_row(t, what, curve_at(&entrain, TARGETS[i]), curve_at(&cvodes, TARGETS[i]), GOAL_AT_LEAST, 3);
  }
  cvodes_free(r->cvodes[0]);
  cvodes_free(r->cvodes[1]);
  free(r->rows);
  free(r->reference);
  free(r);
}

static void section_stiff(Table *t, bool verbose) {
  table_section(t, "5. Stiff systems with sensitivities, at equal achieved error",
                "Against hand-written CVODES: BDF, Newton, dense, analytic Jacobian and sensitivities, the better of the "
                "simultaneous and the staggered corrector; **Debian's SUNDIALS is compiled without optimisation (factor "
                "2.4 to 4.8)**. Both sides run at 17 relative and 2 absolute tolerances; the time for an error is "
                "interpolated on the front of the runs that are not beaten in both time and error. Error: largest over "
                "states, sensitivities and outputs, relative to the largest value of each.");
  for (int i = 0; i < 4; i++) compare_stiff(t, &CASES_STIFF[i], verbose);
}

// ---------------------------------------------------------------- the whole

static void processor_name(char *out, int size) {
  FILE *f = fopen("/proc/cpuinfo", "r");
  char line[256];
  snprintf(out, (size_t)size, "unknown");
  while (f && fgets(line, sizeof line, f))
    if (!strncmp(line, "model name", 10)) {
      snprintf(out, (size_t)size, "%s", strchr(line, ':') + 2);
      out[strcspn(out, "\n")] = 0;
      break;
    }
  if (f) fclose(f);
}

static void check_comparators(Table *t) {
  const HandModel *all[] = {&HAND_PENDULUM, &HAND_VDPD,      &HAND_TWO_DOF,  &HAND_ROBERTSON,
                            &HAND_HIRES,    &HAND_POLLUTION, &HAND_NETWORK14};
  for (int i = 0; i < 7; i++)
    if (!(hand_check(all[i]) < 1e-6)) {
      table_text(t, "The comparator %s is WRONG: derivatives differ by %.1e\n", all[i]->name, hand_check(all[i]));
      exit(3);
    }
}

static void write_head(FILE *f) {
  char processor[128], date[32];
  time_t now = time(NULL);
  processor_name(processor, sizeof processor);
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
  fprintf(f, "# Benchmark\n\nWritten by `make bench`; every figure is from one run. Times are the least CPU time of repeated\n"
             "measurements in which the competitors take turns.\n\n- date: %s\n- processor: %s\n", date, processor);
}

static void write_versions(FILE *f, const Scipy *scipy) {
  char sundials[32];
  SUNDIALSGetVersion(sundials, sizeof sundials);
  fprintf(f, "\n## Versions\n\nentrain %s; gcc %s; SUNDIALS %s (Debian); SciPy and NumPy %s (Debian)\n", bench_version(),
          __VERSION__, sundials, scipy->version);
}

// The folder of the program, where make has put the network of 500 states.
static void folder_of(const char *program, char *out, int size) {
  const char *slash = strrchr(program, '/');
  snprintf(out, (size_t)size, "%.*s", slash ? (int)(slash - program) : 1, slash ? program : ".");
}

int main(int count, char **words) {
  bool verbose = count > 1 && !strcmp(words[1], "-v");
  char folder[400];
  Scipy scipy = {{INFINITY, INFINITY, INFINITY}, "not found"};
  FILE *f = fopen("bench/results.md", "w");
  if (!f) return fprintf(stderr, "bench: cannot write bench/results.md (run it from the root of the project)\n"), 2;
  Table *t = table_new(f);
  int met, missed;
  folder_of(words[0], folder, sizeof folder);
  write_head(f);
  check_comparators(t);
  section_rhs(t);
  section_compile(t, folder);
  section_simulate(t, &scipy);
  section_lanes(t);
  section_stiff(t, verbose);
  write_versions(f, &scipy);
  table_counts(t, &met, &missed);
  table_text(t, "\nGoals met: %d, missed: %d.\n", met, missed);
  table_free(t);
  return fclose(f) ? 2 : 0;
}
