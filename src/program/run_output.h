// What a program wrote: a CSV file, interpolated to the times of the call.
#pragma once
#include "closed/call.h"
#include "program/run_folder.h"

typedef struct RunOutput {
  const char *file;             // name in the run folder
  const char *time;             // its column of times, NULL: the first
  const char *const *variables; // columns, by number in the description
  const char *const
      *allowed; // paths without links; the file may lie in or below these besides the run folder
  int allowed_count;
} RunOutput;

// Reads the file and fills values and rows. Rows at one time: the last of them counts from there on. false and the outcome with
// a sentence otherwise; of an output that is too short the rows that it has are there.
bool run_output_read(Arena *a, const RunFolder *f, const RunOutput *o, const SimulatorCall *call,
                     SimulatorAnswer *answer);
// The same from a text.
bool run_output_parse(Arena *a, const RunOutput *o, const char *text, size_t length,
                      const SimulatorCall *call, SimulatorAnswer *answer);
