// What a command is; commands.def lists them. Help, man page and the check of flags are made from these rows.
#pragma once
#include <stdbool.h>

#include "entrain.h"

typedef struct Flag {
  const char *name; // without the dashes
  char letter;      // short form, 0: none
  const char
      *argument; // what is asked for, "TIME"; in brackets when it may be left out; NULL: a switch
  const char *meaning;
  const char *initial; // what holds without the flag, NULL: nothing to say
  bool hidden;         // for the makers of documents
} Flag;

typedef struct Arguments Arguments;

typedef struct Command {
  const char *name;
  const char *words;   // arguments that are not flags: "MODEL", "[NAME]", ""
  const char *meaning; // one line
  const char *details; // a paragraph
  const Flag *flags;   // ends with a row without name
  unsigned options;    // groups of the library's options that are flags, too: OF_SIMULATION | ...
  const char *const *examples; // pairs of a command line and what it does; ends with NULL
  int (*run)(const Arguments *arguments); // returns the exit status
} Command;

enum {
  OF_SIMULATION = 1 << ENTRAIN_OPTION_SIMULATION,
  OF_FIT = 1 << ENTRAIN_OPTION_FIT,
  OF_NOISE = 1 << ENTRAIN_OPTION_NOISE
};

enum { DONE = 0, NOT_REACHED = 1, WRONG_USE = 2, INTERNAL = 3 }; // exit status

#define COMMAND(name) extern const Command CMD_##name;
#include "cli/commands.def"
extern const Command *const COMMANDS[];        // ends with NULL
const Command *command_find(const char *name); // NULL when unknown
int command_fail_unknown(
    const char *name); // says so with the nearest name; returns the exit status
