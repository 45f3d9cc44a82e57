// A closed program as simulator: parameters reach it by files made from templates, results come back as a CSV file.
//
// Each run has a folder of its own, which is the working directory, and a process group of its own. No shell.
#pragma once
#include "base/array.h"
#include "base/err.h"
#include "closed/call.h"
#include "closed/worker_message.h"

typedef enum ProgramKeep { PROGRAM_KEEP_NONE, PROGRAM_KEEP_FAILED, PROGRAM_KEEP_ALL } ProgramKeep;

typedef struct ProgramFile {
  const char *name; // in the run folder; relative, without ".."
  const char *file; // the template, absolute or relative to the folder of the problem
} ProgramFile;

typedef struct ProgramSpec { // what the problem file says under 'model'
  const char *folder;        // of the problem file, absolute: relative names begin here
  ARRAY(const char *)
  command; // a name with a slash is relative to `folder`, else it is looked up in PATH
  ARRAY(ProgramFile) files;
  ARRAY(const char *) links;      // symlinked into the run folder by their last name
  const char *inputs_file;        // written before each run: time and inputs as CSV; NULL: none
  ARRAY(const char *) inputs;     // their names
  ARRAY(const char *) parameters; // their names, as in SimulatorCall.parameters
  const char *output_file, *output_time; // CSV in the run folder; its time column, NULL: the first
  ARRAY(const char *) variables;         // columns of the output, as in SimulatorCall.variables
  double timeout;                        // s; 0: none
  double memory;                         // bytes of address space; 0: no limit
  int retries;                           // of a run that failed otherwise than by a time-out
  ProgramKeep keep;
} ProgramSpec;

void program_spec_put(Message *m, const ProgramSpec *s);
ProgramSpec *program_spec_get(Message *m, Arena *a);

typedef struct ProgramFault { // where in the spec an error is
  const char *
      key; // as in the problem file: "command", "files", "parameters", "link", "inputs", "output"; NULL: anywhere
  int item; // of it, -1: all of it
} ProgramFault;

typedef struct ClosedProgram ClosedProgram;

// Reads and checks everything that can be checked before a run: the command can be executed, templates, links. NULL and
// err (file:line:column of a template), and where (fault may be NULL). The spec must outlive it.
ClosedProgram *program_open(Arena *a, const ProgramSpec *s, ProgramFault *fault, Err *err);
// One run, in a folder below `scratch`, which exists; kept ones are moved to <folder of the problem>/entrain-runs. Values of
// the output are interpolated (straight lines) to the times of the call. Runs in a worker process.
void program_run(ClosedProgram *p, const char *scratch, const SimulatorCall *call,
                 SimulatorAnswer *answer);
// May be called by a signal handler or another thread: the program that runs is killed with all its children, and
// program_run ends as stopped.
void program_stop(void);
