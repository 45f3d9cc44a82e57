// What the files of the public library share.
#pragma once
#include <stdatomic.h>

#include "base/array.h"
#include "base/err.h"
#include "entrain.h"
#include "lang/source.h"
#include "model/model.h"
#include "problem/problem.h"
#include "report/model_constraints.h"
#include "simulate/simulate.h"
#include "write/series.h"

struct EntrainModel {
  Arena *arena; // text, tree, overrides
  const Source *source;
  const AstModel *ast;
  ARRAY(Override) overrides;
  Model *model;
  int version; // counts the builds: simulations notice a new one
  double *p;   // values of all parameters
  ARRAY(const char *) warnings;
  ModelConstraints *constraints;
};

struct EntrainOptions {
  SimulateOptions simulate;
  FitOptions fit;
};

struct EntrainProblem {
  Problem *problem;
  Arena *arena; // of what follows
  ARRAY(const char *) warnings;
  ARRAY(const char *) files;
};

// What the results of one simulation share: names, and memory that a freed result leaves for the next. Lives until the
// simulation and all its results are freed.
typedef struct ResultColumns {
  Arena *arena;
  const char **names; // of the columns
  bool *computed;     // by column: the model makes it, so it can be measured
  atomic_int users;
  _Atomic(Arena *) spare;
} ResultColumns;

ResultColumns *result_columns_new(void);
ResultColumns *result_columns_share(ResultColumns *p);
void result_columns_leave(ResultColumns *p); // NULL is allowed

struct EntrainResult {
  Arena *arena;
  ResultColumns *shared;
  Trajectory trajectory;
  double seconds;
  Series series;
  int plain; // columns that are no sensitivities, time included
  EntrainInvariant *invariants;
  int invariant_count;
};

void api_publish(const Err *err, EntrainError *out);
bool api_fine(const Err *err, EntrainError *out); // publishes; true when there is no error
// "there is no parameter 'k'; did you mean ...": returns false.
bool api_unknown_name(const Names *names, const char *what, const char *name, Err *err);
