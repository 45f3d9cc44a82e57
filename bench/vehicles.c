// The vehicles of examples/vehicles against the same equations written by hand in C and integrated by CVODES: BDF, dense matrices,
// Jacobians by its own differences. Time at equal error, measured in turns. CVODES goes through the kinks of the tables, or stops
// at each and begins anew, as a careful user lets it; the better one counts.
//
// Debian's SUNDIALS is compiled without optimisation: make SUNDIALS=folder build/bench/vehicles links static libraries of its source
// package, built elsewhere with -O3.
#include <cvodes/cvodes.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "hand/car.h"
#include "lib/adapter.h"
#include "lib/clock.h"
#include "lib/curve.h"

enum { STATES_MOST = 56, ROWS_MOST = 400, TOLERANCES = 7 };

typedef struct HandRun {
  const HandCar *car;
  bool stops; // at kinks
  SUNContext context;
  void *memory;
  N_Vector x, abs_tol;
  SUNMatrix matrix;
  SUNLinearSolver linear;
  const double *times;
  int count;
  double *rows;
  long steps, rhs;
} HandRun;

static void must(int flag, const char *what) {
  if (flag >= 0) return;
  fprintf(stderr, "bench: %s failed (%d)\n", what, flag);
  exit(3);
}

static int hand_rhs(realtype t, N_Vector x, N_Vector dx, void *user) {
  const HandRun *h = user;
  h->car->rhs(t, NV_DATA_S(x), NV_DATA_S(dx));
  return 0;
}

static void hand_open(HandRun *h, const HandCar *car, bool stops, const double *times, int count,
                      double *rows) {
  *h = (HandRun){.car = car, .stops = stops, .times = times, .count = count, .rows = rows};
  must(SUNContext_Create(NULL, &h->context), "SUNContext_Create");
  h->memory = CVodeCreate(CV_BDF, h->context);
  h->x = N_VNew_Serial(car->nx, h->context);
  h->abs_tol = N_VNew_Serial(car->nx, h->context);
  h->matrix = SUNDenseMatrix(car->nx, car->nx, h->context);
  h->linear = SUNLinSol_Dense(h->x, h->matrix, h->context);
  car->start(NV_DATA_S(h->x));
  must(CVodeInit(h->memory, hand_rhs, 0, h->x), "CVodeInit");
  must(CVodeSStolerances(h->memory, 1e-6, 1e-8), "CVodeSStolerances");
  must(CVodeSetUserData(h->memory, h), "CVodeSetUserData");
  must(CVodeSetLinearSolver(h->memory, h->linear, h->matrix), "CVodeSetLinearSolver");
  must(CVodeSetMaxNumSteps(h->memory, 1000000), "CVodeSetMaxNumSteps");
}

static void hand_close(HandRun *h) {
  CVodeFree(&h->memory);
  SUNLinSolFree(h->linear);
  SUNMatDestroy(h->matrix);
  N_VDestroy(h->x);
  N_VDestroy(h->abs_tol);
  SUNContext_Free(&h->context);
}

static void add_work(HandRun *h) {
  long steps = 0, rhs = 0, linear = 0;
  CVodeGetNumSteps(h->memory, &steps);
  CVodeGetNumRhsEvals(h->memory, &rhs);
  CVodeGetNumLinRhsEvals(h->memory, &linear);
  h->steps += steps, h->rhs += rhs + linear;
}

// Rows at times up to the next kink, then a new beginning.
static void hand_run(HandRun *h) {
  const HandCar *car = h->car;
  double t = 0, *x = NV_DATA_S(h->x);
  int row = 0;
  h->steps = h->rhs = 0;
  car->start(x);
  must(CVodeReInit(h->memory, 0, h->x), "CVodeReInit");
  for (int k = 0; k <= (h->stops ? car->break_count : 0); k++) {
    double end = h->stops && k < car->break_count ? car->breaks[k] : car->t_end;
    must(CVodeSetStopTime(h->memory, end), "CVodeSetStopTime");
    for (; row < h->count && h->times[row] <= end; row++) {
      if (h->times[row] > t) must(CVode(h->memory, h->times[row], h->x, &t, CV_NORMAL), "CVode");
      memcpy(h->rows + row * car->nx, x, (size_t)car->nx * sizeof *x);
    }
    if (t < end) must(CVode(h->memory, end, h->x, &t, CV_NORMAL), "CVode");
    add_work(h);
    // beyond the kink: a jump is evaluated on its other side
    if (k < car->break_count && h->stops) must(CVodeReInit(h->memory, end, h->x), "CVodeReInit");
  }
}

static void hand_repeat(void *self, int repeat) {
  for (int i = 0; i < repeat; i++) hand_run(self);
}

static void entrain_repeat(void *self, int repeat) {
  for (int i = 0; i < repeat; i++) bench_simulation_run(self);
}

// The largest difference of a state, against the largest number that it reaches.
static double error_of(const HandCar *car, int count, const double *rows, const double *reference) {
  double most = 0;
  for (int i = 0; i < car->nx; i++) {
    double size = 1e-3, off = 0;
    for (int r = 0; r < count; r++) {
      size = fmax(size, fabs(reference[r * car->nx + i]));
      off = fmax(off, fabs(rows[r * car->nx + i] - reference[r * car->nx + i]));
    }
    most = fmax(most, off / size);
  }
  return most;
}

static void print_ratios(FILE *out, const Curve *entrain, const Curve *cvodes) {
  static const double ERRORS[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
  double logs = 0;
  int count = 0;
  fprintf(out, "\n| error | entrain | CVODES | ratio |\n|---|---|---|---|\n");
  for (int i = 0; i < 5; i++) {
    double own = curve_at(entrain, ERRORS[i]), other = curve_at(cvodes, ERRORS[i]);
    if (!isfinite(own / other)) continue;
    fprintf(out, "| %.0e | %.2f ms | %.2f ms | %.2f |\n", ERRORS[i], 1e3 * own, 1e3 * other,
            own / other);
    logs += log(own / other), count++;
  }
  if (count) fprintf(out, "| geometric mean | | | %.2f |\n", exp(logs / count));
}

static double rows_of[4][ROWS_MOST * STATES_MOST];

static void compare(FILE *out, const HandCar *car, const char *solver, double seconds) {
  double times[ROWS_MOST];
  int count = (int)lround(car->t_end / 0.1) + 1;
  for (int i = 0; i < count; i++) times[i] = i / 10.0;
  times[count - 1] = car->t_end;
  BenchTask task = {.path = car->model, .settings = "", .rel_tol = 1e-11, .abs_tol = 1e-13};
  task.solver = "rosenbrock", task.times = times, task.count = count;
  char text[200] = "";
  BenchSimulation *s = bench_simulation_open(&task);
  if (!s || !bench_simulation_rows(s, &task, car->nx, rows_of[3], text, sizeof text)) exit(3);
  bench_simulation_close(s);
  HandRun hand[2];
  for (int k = 0; k < 2; k++) hand_open(&hand[k], car, k, times, count, rows_of[k]);
  fprintf(out, "\n## %s, %g s, solver %s\n\n", car->name, car->t_end, solver);
  fprintf(out,
          "| rel_tol | entrain | error | work | CVODES | error | steps, rhs | stopping at kinks | "
          "error | steps, rhs |\n|---|---|---|---|---|---|---|---|---|---|\n");
  Curve entrain = {0}, cvodes = {0};
  for (int i = 0; i < TOLERANCES; i++) {
    task.rel_tol = pow(10, -2.5 - i), task.abs_tol = 1e-2 * task.rel_tol, task.solver = solver;
    s = bench_simulation_open(&task);
    if (!s || !bench_simulation_rows(s, &task, car->nx, rows_of[2], text, sizeof text)) exit(3);
    for (int k = 0; k < 2; k++) {
      must(CVodeSStolerances(hand[k].memory, task.rel_tol, task.abs_tol), "CVodeSStolerances");
      hand_run(&hand[k]);
    }
    Contestant c[3] = {{.run = entrain_repeat, .self = s},
                       {.run = hand_repeat, .self = &hand[0]},
                       {.run = hand_repeat, .self = &hand[1]}};
    contest_run(c, 3, seconds);
    double error[3] = {error_of(car, count, rows_of[2], rows_of[3]),
                       error_of(car, count, rows_of[0], rows_of[3]),
                       error_of(car, count, rows_of[1], rows_of[3])};
    curve_add(&entrain, error[0], c[0].seconds);
    for (int k = 1; k < 3; k++) curve_add(&cvodes, error[k], c[k].seconds);
    fprintf(out, "| %.1e | %.2f ms | %.1e | %s |", task.rel_tol, 1e3 * c[0].seconds, error[0],
            text);
    for (int k = 0; k < 2; k++)
      fprintf(out, " %.2f ms | %.1e | %ld, %ld |", 1e3 * c[1 + k].seconds, error[1 + k],
              hand[k].steps, hand[k].rhs);
    fprintf(out, "\n");
    bench_simulation_close(s);
  }
  print_ratios(out, &entrain, &cvodes);
  for (int k = 0; k < 2; k++) hand_close(&hand[k]);
}

static void print_file(const char *path) {
  FILE *f = fopen(path, "r");
  for (int c; f && (c = getc(f)) != EOF;) putchar(c);
  if (f) fclose(f);
}

int main(int argc, char **argv) {
  static const char PATH[] = "bench/vehicles.md";
  double seconds = argc > 1 ? atof(argv[1]) : 0.5;
  FILE *out = fopen(PATH, "w");
  if (!out) return perror(PATH), 1;
  fprintf(out,
          "# Vehicles against hand-written C with CVODES\n\nWritten by `build/bench/vehicles`; "
          "%s. All figures are from one run in which the competitors take turns. Errors: the "
          "largest difference of a state to a simulation with rel_tol 1e-11, against the "
          "largest number that the state reaches. CVODES: BDF, dense matrices, Jacobians by "
          "its own differences; it goes through the kinks of tables, or stops at each and "
          "begins anew. The tables of ratios take the better one.\n",
          SUNDIALS_BUILD);
  static const char *const SOLVERS[] = {"auto", "rosenbrock"};
  for (int i = 0; i < 2; i++) {
    compare(out, &HAND_CAR14, SOLVERS[i], seconds);
    compare(out, &HAND_CAR56, SOLVERS[i], seconds);
  }
  if (fclose(out) != 0) return perror(PATH), 1;
  print_file(PATH);
  return 0;
}
