// Structs and functions that the files of the public library share.
#pragma once
#include <stdatomic.h>

#include "base/array.h"
#include "base/err.h"
#include "base/patience.h"
#include "draw/figure.h"
#include "entrain.h"
#include "lang/source.h"
#include "model/model.h"
#include "problem/problem.h"
#include "report/model_constraints.h"
#include "search/fit_result.h"
#include "simulate/simulate.h"
#include "write/page.h"
#include "write/series.h"

struct EntrainModel {
  Arena *arena; // text, tree, overrides
  const Source *source;
  const AstModel *ast;
  const Source *text;     // of the file that was named
  const char *class_name; // NULL: the last model
  ARRAY(const char *) libraries;
  const struct FlatText *flat;
  Warnings flat_warnings; // of the way to the flat text
  ARRAY(Override) overrides;
  bool in_memory;                  // text was no file
  struct ClosedModel *closed;      // who simulates it, NULL: we do; owned
  const struct ClosedMaker *maker; // of closed
  Model *model;
  int version; // counts the builds, so that simulations notice a new one
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
  Arena *arena; // for the fields below
  ARRAY(const char *) warnings;
  ARRAY(const char *) files;
  const struct KeptSource *kept; // what it was made of
  const double *starts;          // of the unknowns as they were read
  const char *method;
};

// Shared by the results of one simulation: column names, and memory that a freed result leaves for the next one. Lives until
// the simulation and all its results are freed.
typedef struct ResultColumns {
  Arena *arena;
  const char **names; // of the columns
  const char **units; // "" where unknown
  const char *title;  // of pictures
  bool *computed;     // by column: the model computes it, so it can be measured
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
  int plain; // number of columns without sensitivities, time included
  EntrainInvariant *invariants;
  int invariant_count;
};

void api_publish(const Err *err, EntrainError *out);
bool api_fine(const Err *err, EntrainError *out); // as api_publish; true if there is no error
// Both fail with "no model is given": an argument is NULL.
bool api_missing(const char *what, EntrainError *error); // false
void *api_none(const char *what, EntrainError *error);   // NULL
// Fills *out, a struct of the calling program, which may be older or newer than the library: API_GIVE(out, EntrainFinding, .kind = ...).
// Its first member is `size`, and so many bytes are written at most. false: out is NULL, or size is 0.
#define API_GIVE(out, type, ...)                                                                   \
  api_give(1 ? (out) : (type *)NULL, &(type){.size = sizeof(type), __VA_ARGS__}, sizeof(type))
bool api_give(void *out, const void *full, size_t known);
// The other way: a request of the calling program into *full. What the program does not know of it is 0. Fails if its size is 0, or if
// there is something behind what the library knows.
#define API_TAKE(full, type, given, err)                                                           \
  api_take(1 ? (full) : (type *)NULL, sizeof(type), given, #type, err)
bool api_take(void *full, size_t known, const void *given, const char *type, Err *err);
// Number i of a list of failures.
bool api_give_failure(const FitFailure *list, int count, int i, EntrainFailure *out);
int api_size(int given); // width or height of a terminal that texts are made for
PageStyle api_style(int width, bool colour);
// Fails with "there is no parameter 'k'; did you mean ...?". Returns false.
bool api_unknown_name(const Names *names, const char *what, const char *name, Err *err);

// The figure as text or bytes for the caller of the library; frees the arena of the figure, if one is given. NULL: there is no
// figure, or figure_cairo cannot write it.
char *api_svg(const Figure *f, Arena *a);
char *api_png(const Figure *f, Arena *a, size_t *length);
char *api_pdf(const Figure *f, Arena *a, size_t *length);
