// A program that has been opened: program_open.c checks and makes it, program_run.c runs it.
#pragma once
#include "program/program.h"
#include "program/run_output.h"
#include "program/template.h"

#define RUN_LOG "entrain.log" // in folders that are kept: the end of what the program printed

typedef struct ProgramLink {
  const char *name, *target; // in the run folder; absolute
} ProgramLink;

typedef struct ProgramText {
  const char *name; // of the file in the run folder
  const Template *template;
} ProgramText;

struct ClosedProgram {
  const ProgramSpec *spec;
  const char *path, *name;          // of the executable file; its last part
  const Template *const *arguments; // by word of the command, from 1 on
  const ProgramText *files;         // as spec->files
  const ProgramLink *links;         // as spec->links
  const char *inputs_file;          // NULL: none
  RunOutput output;
};
