// What can be said before any fit: is the problem sound, can it be simulated, what will the data tell.
#pragma once
#include "problem/problem.h"
#include "stats/statistics.h"

typedef enum FindingKind { FINDING_GOOD, FINDING_NOTE, FINDING_WARNING, FINDING_ERROR } FindingKind;

typedef struct Finding {
  FindingKind kind;
  const char *topic; // model, constraints, data, parameters, start, sensitivity, identifiability
  const char *text;  // sentences; for warnings and errors with what to change
  bool was_read;     // a warning of model or problem, which were read before the check
  // The channel, state or parameter that it is about, and the sentence it was made of: findings of the same sentence differ in
  // names and numbers only, and a text joins them. about NULL: it stands alone.
  const char *about, *sentence;
} Finding;

typedef struct Check {
  Arena *arena;
  const Problem *problem;
  ARRAY(Finding) findings;
  bool starts;                   // the model can be simulated at the start values
  bool stopped;                  // findings are missing: it was stopped, or max_seconds was reached
  double objective_start, floor; // floor NaN when unknown
  Statistics *statistics;        // at the start, NULL when it cannot be simulated
  // [channel of all experiments in one row][unknown]: rms change of the channel, relative to the rms of its data, when the
  // unknown becomes 1 % larger at the start. NULL when it cannot be simulated.
  double *sensitivity;
} Check;

void check_free(Check *c);
void check_add(Check *c, FindingKind kind, const char *topic, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void check_add_about(Check *c, const char *about, FindingKind kind, const char *topic,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
// "theta", or "theta in swing" when there are several experiments.
const char *check_channel_label(Check *c, int experiment, int channel);
