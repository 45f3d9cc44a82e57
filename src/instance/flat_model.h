// From a file to a flat model: parse, look up, instantiate, write scalar equations.
#pragma once
#include "base/warnings.h"
#include "lang/ast.h"
#include "lang/source.h"

typedef struct FlatSetting { // a parameter that gets another value before the model is built
  const char *name;
  double value;
} FlatSetting;

typedef struct FlatRequest {
  const Source *source;
  const char *class_name;       // NULL: the last model of the file
  const char *const *libraries; // folders besides MODELICAPATH
  int library_count;
  const FlatSetting *settings;
  int setting_count;
} FlatRequest;

typedef struct FlatInstance { // of --tree
  const char *path, *class_name;
  const Source *source;
  int line, depth;
} FlatInstance;

typedef struct FlatText FlatText;
struct FlatText {
  const AstModel *model;
  const Source *source; // number 0 of all that were read
  double start_time, stop_time, tolerance,
      interval; // of annotation(experiment(...)); NaN: not given
  ARRAY(FlatInstance) instances;
};

// NULL and err if the model cannot be made flat. Everything lives in the arena.
const FlatText *flat_model(Arena *a, const FlatRequest *request, Warnings *warnings, Err *err);
// file.mo#Name as file.mo and Name; the name is NULL without #.
const char *model_file(Arena *a, const char *path, const char **class_name);
// The same for one text that needs no more than itself; NULL and err if it cannot be read.
const AstModel *parse_model(Arena *a, const Source *s, Err *err);
