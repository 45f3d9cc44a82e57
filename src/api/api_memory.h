// Problems of memory: what the calling program gave, kept so that the same problem can be made again with other settings.
#pragma once
#include "api/api_simulator.h"
#include "problem/read_problem.h"

typedef struct KeptSource {
  ProblemSource source;      // without the simulator, which is made for each problem
  GivenModel model;          // that source.model points to, if there is one
  const ClosedMaker *closed; // how it is made; NULL: there is none
} KeptSource;

// A copy in the arena. NULL and err if something is missing or wrong. is_named: as in ProblemSource.
KeptSource *keep_source(Arena *a, const EntrainSource *source, bool is_named, Err *err);
// The same with further settings.
KeptSource *keep_source_with(Arena *a, const KeptSource *kept, const EntrainSetting *settings,
                             int count, Err *err);
Problem *problem_of_kept(const KeptSource *kept, Err *err);
