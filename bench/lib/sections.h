// The five parts of the benchmark; each writes its table. bench.c runs them in this order.
#pragma once
#include <stdbool.h>

#include "lib/table.h"

static const double PATIENCE = 0.4;                  // s of measuring for each comparison
static const double REL_TOL = 1e-8, ABS_TOL = 1e-10; // of the simulations that are not stiff

typedef struct Scipy { // least CPU times of the three mechanical cases, in a process of its own
  double seconds[3];
  char version[64];
} Scipy;

void section_rhs(Table *t);
void section_compile(Table *t,
                     const char *folder); // folder: where make has put the network of 500 states
void section_simulate(Table *t, Scipy *scipy);
void section_lanes(Table *t);
void section_stiff(Table *t, bool verbose); // verbose: prints every run
