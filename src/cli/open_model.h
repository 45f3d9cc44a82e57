// Opens the model file of a command.
#pragma once
#include "cli/arguments.h"

// The first word of the command, "-" is standard input; --library. NULL: the error is printed, *status is the exit status.
EntrainModel *open_model(const Arguments *a, int *status);
bool is_fmu(const char *path); // by its name
// Prints the flat text of the same file, for a model that cannot be built. false: it cannot be made flat.
bool print_flat_text(const Arguments *a);
void print_warnings(const EntrainModel *model); // call it when all values are set
