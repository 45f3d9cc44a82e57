// Parses a command line into flags with their values, options of the library, and other words.
#pragma once
#include <stdbool.h>

#include "cli/command.h"

typedef struct Given {
  const Flag *flag;  // NULL: an option of the library
  const char *name;  // of the flag or option
  const char *value; // NULL: a switch, or the argument was left out
} Given;

struct Arguments {
  const Command *command;
  Given *given; // in the order of the command line
  int given_count;
  const char **words;
  int word_count;
  bool wants_help; // -h or --help
};

// Borrows the words. false: the error is printed.
bool arguments_parse(Arguments *a, const Command *command, int count, char **words);
void arguments_done(Arguments *a);

bool arguments_have(const Arguments *a, const char *flag);
// The value of the last flag of that name; NULL if there is none.
const char *arguments_value(const Arguments *a, const char *flag);
