// Help texts, documents and the man page, made from the tables of commands, flags and options.
#pragma once
#include <stdio.h>

#include "cli/command.h"

// Prints one of the texts below to standard output; returns the exit status.
int help_show(void (*text_of)(const Command *, FILE *), const Command *c);

// Only help_command uses its command.
void help_command(const Command *c, FILE *out);
void help_overview(const Command *c, FILE *out);
void help_options(const Command *c, FILE *out);          // all options of the library
void help_methods(const Command *c, FILE *out);          // all methods of a fit
void help_markdown(const Command *c, FILE *out);         // docs/commands.md
void help_options_markdown(const Command *c, FILE *out); // docs/options.md
void help_man(const Command *c, FILE *out);              // docs/entrain.1
