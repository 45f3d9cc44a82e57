// Texts that are made from the tables: of commands, of flags, of the options of the library.
#pragma once
#include <stdio.h>

#include "cli/command.h"

// One of the texts below to standard output; returns the exit status.
int help_show(void (*text_of)(const Command *, FILE *), const Command *c);

// Only help_command looks at the command.
void help_command(const Command *c, FILE *out);
void help_overview(const Command *c, FILE *out);
void help_options(const Command *c, FILE *out);          // the options of the library
void help_methods(const Command *c, FILE *out);          // of a fit
void help_markdown(const Command *c, FILE *out);         // docs/commands.md
void help_options_markdown(const Command *c, FILE *out); // docs/options.md
void help_man(const Command *c, FILE *out);              // docs/entrain.1
