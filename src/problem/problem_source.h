// What a problem is made of: a text or a file, and what of it is in memory.
#pragma once
#include "problem/problem.h"

// A model of memory that takes the place of 'model' in the text. All of it must outlive the problem.
typedef struct GivenModel {
  const Source *text;     // Modelica
  bool in_memory;         // its name is not that of a file
  const char *class_name; // NULL: the last model of the text
  const char *const *libraries;
  int library_count;
  const Override *overrides; // values of parameters; experiments and unknowns come before them
  int override_count;
} GivenModel;

// What a problem is made of; all may be absent but text or path.
typedef struct ProblemSource {
  const char *name, *folder; // for messages; relative paths in the text are relative to folder
  const char *text;          // NULL: the file at path
  size_t length;
  const char *path;
  const ProblemSetting *settings;
  int setting_count;
  // At most one of these two takes the place of 'model'. The problem takes the simulator; on failure it is freed. The
  // values that are set of its parameters come with `model`, which then has no text.
  const GivenModel *model;
  struct ClosedModel *closed;
  const char *closed_path; // of an FMU; NULL: a function of the caller
  bool
      is_named; // the simulator is taken only if the text says 'model: {function: NAME}' with its name
  // 'data: NAME' means the table of that name before any file. They must outlive the problem.
  const Table *const *tables;
  int table_count;
} ProblemSource;
