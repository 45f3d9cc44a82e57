// Entrain's side of the benchmark: the only part that knows entrain. Whole simulations go through the public header
// include/entrain.h; right-hand sides, Jacobians and lanes through the internal headers, because the public one does not
// show them.
#pragma once
#include <stdbool.h>

const char *bench_version(void);

// ---- right-hand sides: the machine code itself, called as the integrators call it

typedef struct BenchModel BenchModel;

BenchModel *bench_model_open(const char *path,
                             const char *settings); // prints the error and returns NULL on failure
void bench_model_close(BenchModel *m);
int bench_model_states(const BenchModel *m);
void bench_rhs(BenchModel *m, double t, const double *x, double *dx);
// Dense, by columns, and df/dt as one more column, for the comparison of values; the loop below measures what the integrators use.
void bench_jacobian(BenchModel *m, double t, const double *x, double *J);
// BENCH_CALLS evaluations at times 0, 1/BENCH_CALLS, ..., all of it `repeat` times. The comparator is called at the same
// times: what sin and cos cost depends on their argument.
enum { BENCH_CALLS = 64 };
void bench_rhs_loop(BenchModel *m, const double *x, int repeat);
void bench_jacobian_loop(BenchModel *m, const double *x, int repeat);

// ---- text to callable code: parse, flatten, sort, differentiate, compile. false on failure.
bool bench_compile(const char *name, const char *text, bool with_derivatives);

// ---- simulations

typedef struct BenchSimulation BenchSimulation;

typedef struct BenchTask {
  const char *path, *settings; // as in cases.h
  double rel_tol, abs_tol;
  const char *solver; // "auto", "rk8", ...
  const double *times;
  int count;
  const char *const *parameters; // sensitivities
  int np;
} BenchTask;

BenchSimulation *
bench_simulation_open(const BenchTask *task); // prints the error and returns NULL on failure
void bench_simulation_close(BenchSimulation *s);
bool bench_simulation_run(BenchSimulation *s); // reached the end; keeps nothing
// Runs and copies rows [x, s_1, s_2, ...]. text: "solver, steps, rejected, right-hand sides".
bool bench_simulation_rows(BenchSimulation *s, const BenchTask *task, int nx, double *rows,
                           char *text, int size);

// ---- lanes: `sets` parameter sets side by side; factor[k] multiplies all parameters of the task in set k

typedef struct BenchLanes BenchLanes;

BenchLanes *bench_lanes_open(const BenchTask *task, int sets,
                             const double *factor); // NULL: not available
void bench_lanes_close(BenchLanes *l);
bool bench_lanes_run(BenchLanes *l);        // all sets in lanes
bool bench_lanes_run_scalar(BenchLanes *l); // all sets one after the other
// The largest difference of a state between the two paths, relative to the largest number; both must have run.
double bench_lanes_difference(const BenchLanes *l);
