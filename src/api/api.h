// What the files of the public library share.
#pragma once
#include "base/array.h"
#include "base/err.h"
#include "entrain.h"
#include "lang/source.h"
#include "model/model.h"
#include "report/series.h"
#include "simulate/simulate.h"

struct EntrainModel {
  Arena *arena; // text, tree, overrides
  const Source *source;
  const AstModel *ast;
  ARRAY(Override) overrides;
  Model *model;
  double *p; // values of all parameters
  ARRAY(const char *) warnings;
};

struct EntrainOptions {
  SimulateOptions simulate;
};

struct EntrainResult {
  Arena *arena;
  Trajectory trajectory;
  double seconds;
  Series series;
  int plain; // columns that are no sensitivities, time included
};

void api_publish(const Err *err, EntrainError *out);
bool api_fine(const Err *err, EntrainError *out); // publishes; true when there is no error
// "there is no parameter 'k'; did you mean ...": returns false.
bool api_unknown_name(const Names *names, const char *what, const char *name, Err *err);
