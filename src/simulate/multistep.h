// What the integrators of SUNDIALS have in common: columns of sensitivities in their form and in ours, counting, one
// step at a time. Each keeps a Multistep as the first member of its own data.
#pragma once
#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>

#include "simulate/stepper.h"

// By hand: sunlinsol_klu.h wants klu.h, which Debian keeps off the include path.
SUNLinearSolver SUNLinSol_KLU(N_Vector y, SUNMatrix A, SUNContext context);
// By hand: Debian leaves out sundials_nvector_senswrapper.h.
N_Vector N_VNew_SensWrapper(int count, N_Vector like);
N_Vector N_VClone_SensWrapper(N_Vector v);

enum {
  MULTISTEP_SPARSE_FROM = 20, // unknowns; below, dense factorisation is as fast (measured on bands)
  MULTISTEP_ERROR_FAILS = 20, // in one step; the libraries give up after 7 and 10
  MULTISTEP_SOLVER_FAILS = 35, // each divides the step by 4: enough to shrink it to rounding
};

// Weights must be positive, and their squares finite.
static const double MULTISTEP_ABS_LEAST = 1e-100;

// What the library has counted since it was last initialised.
typedef struct Tally {
  long rejected, jacobians, factorisations, error_fails, sens_error_fails;
} Tally;

typedef struct Multistep Multistep;

typedef struct MultistepLibrary {
  bool (*begin)(Multistep *m, double limit); // at the stepper's t and y; false: not computable
  StepEnd (*advance)(Multistep *m, double limit, double *t); // one step; t: where it ends
  void (*accept)(Multistep *m);                              // the end of the step into stepper->y
  void (*interpolate)(Multistep *m, double t, bool columns, double *y);
  Tally (*tally)(Multistep *m);
  void (*find_worst)(Multistep *m, const Tally *now); // what limited a step that was rejected
} MultistepLibrary;

struct Multistep {
  Stepper *stepper;
  const MultistepLibrary *library;
  SUNContext context;
  Tally counted;
  bool fresh;      // the library begins anew at the next step
  bool flat;       // the last step has no inside
  double first;    // step to begin with, 0: choose
  bool not_finite; // some evaluation of this step was not
};

void multistep_init(Multistep *m, Stepper *s, const MultistepLibrary *library);
void multistep_made(int flag);  // of a call that builds something: it fails only without memory
void multistep_check(int flag); // of a call that cannot fail
// 0, or 1 when a number is not finite: the library then tries a smaller step.
int multistep_finite(Multistep *m, const double *values, int count);

// Zeros. This and its copies always have memory.
N_Vector multistep_vector(const Multistep *m, long count);
// Vectors for all columns as one; for the iteration of the columns, which makes its own copies.
N_Vector multistep_bundle(int count, N_Vector like);
// made, a dense or sparse matrix; it and its copies always have memory.
SUNMatrix multistep_matrix(SUNMatrix made);
// Columns of `rows` numbers, rows >= the states.
N_Vector *multistep_columns(const Multistep *m, Arena *a, int rows);
void multistep_columns_free(N_Vector *columns, int count); // NULL is allowed
// The first `rows` numbers of x and of each column (NULL: none) as y has them, and back.
void multistep_pack(const Multistep *m, N_Vector x, N_Vector *columns, int rows, double *y);
void multistep_unpack(const Multistep *m, const double *y, int rows, N_Vector *columns);

// For StepperRow.
void multistep_start(Stepper *s, double t_end);
StepEnd multistep_step(Stepper *s, double limit);
void multistep_dense(Stepper *s, double t, bool with_sensitivities, double *y);
