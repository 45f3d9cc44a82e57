// A command: its flags, texts and function. commands.def lists them all; help, man page and the check of flags are made from
// the rows.
#pragma once
#include <stdbool.h>

#include "entrain.h"

typedef struct Flag {
  const char *name; // without the dashes
  char letter;      // short form, 0: none
  // "TIME"; "[LIST]" if it may be left out, "[=json]" if it also must be behind an equals sign; NULL: a switch
  const char *argument;
  const char *meaning;
  const char *initial; // the default, NULL: none
  bool hidden;         // not in the help: used by make docs
} Flag;

// Flags that several commands share.
#define FLAG_LIBRARY                                                                               \
  {                                                                                                \
    "library", 0, "DIR",                                                                           \
        "a folder with Modelica libraries, searched before those of MODELICAPATH; may be "         \
        "repeated",                                                                                \
        NULL, false                                                                                \
  }
#define FLAG_DATA                                                                                  \
  {                                                                                                \
    "data", 0, "DIR",                                                                              \
        "a folder with data files that do not lie beside the problem file, searched before that "  \
        "of ENTRAIN_DATA; may be repeated",                                                        \
        NULL, false                                                                                \
  }
#define FLAG_SET                                                                                   \
  {                                                                                                \
    "set", 's', "KEY=VALUE", "replaces a value of the problem file: estimate.p.max=40", NULL,      \
        false                                                                                      \
  }
#define FLAG_METHOD                                                                                \
  {                                                                                                \
    "method", 'm', "NAME", "the search method; 'entrain methods' lists them",                      \
        "the problem file, auto", false                                                            \
  }
#define FLAG_QUIET                                                                                 \
  { "quiet", 'q', NULL, "no report, no progress; only files and exit status", NULL, false }
#define FLAG_PROGRESS                                                                              \
  {                                                                                                \
    "progress", 0, "[=json]",                                                                      \
        "shows progress on standard error even if that is not a terminal; =json: one object a "    \
        "line",                                                                                    \
        NULL, false                                                                                \
  }

#define FLAG_HESSIAN                                                                               \
  {                                                                                                \
    "hessian", 0, NULL,                                                                            \
        "also computes the second derivatives of the objective by the unknowns, for --json; "      \
        "about as "                                                                                \
        "much work as unknowns + 2 simulations with sensitivities",                                \
        NULL, false                                                                                \
  }
#define FLAG_POINT                                                                                 \
  {"parameters",                                                                                   \
   0,                                                                                              \
   "FILE",                                                                                         \
   "values from the JSON of an earlier fit, by name",                                              \
   "start values of the problem file",                                                             \
   false},                                                                                         \
  {                                                                                                \
    "start", 0, "LIST", "single values, which replace those: p=3,q=4; may lie outside the bounds", \
        NULL, false                                                                                \
  }

typedef struct Arguments Arguments;

typedef struct Command {
  const char *name;
  const char *words;           // arguments that are not flags: "MODEL", "[NAME]", ""
  const char *meaning;         // one line
  const char *details;         // one or two paragraphs
  const Flag *flags;           // ends with a row without name
  unsigned options;            // groups of options that are also flags: OF_SIMULATION | ...
  const char *const *examples; // pairs of a command line and what it does; ends with NULL
  int (*run)(const Arguments *arguments); // returns the exit status
} Command;

enum {
  OF_SIMULATION = 1 << ENTRAIN_OPTION_SIMULATION,
  OF_FIT = 1 << ENTRAIN_OPTION_FIT,
  OF_NOISE = 1 << ENTRAIN_OPTION_NOISE,
  AT_POINT = 1 << 8, // no options: --start belongs to a point (read_point), not to searches
};

enum { DONE = 0, NOT_REACHED = 1, WRONG_USE = 2, INTERNAL = 3 }; // exit status

#define COMMAND(name) extern const Command CMD_##name;
#include "cli/commands.def"
extern const Command *const COMMANDS[];        // ends with NULL
const Command *command_find(const char *name); // NULL when unknown
// Prints that there is no such command, with the nearest name; returns the exit status.
int command_fail_unknown(const char *name);
