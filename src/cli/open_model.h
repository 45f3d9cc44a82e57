// Opens the model file of a command.
#pragma once
#include "entrain.h"

// "-" is standard input. NULL: the error is printed, *status is the exit status.
EntrainModel *open_model(const char *path, int *status);
void print_warnings(const EntrainModel *model); // call it when all values are set
