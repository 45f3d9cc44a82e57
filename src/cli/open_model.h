// The model file that a command names.
#pragma once
#include "entrain.h"

// "-" is standard input. NULL: it has told what is wrong, *status is the exit status.
EntrainModel *open_model(const char *path, int *status);
void tell_warnings(const EntrainModel *model); // when all values are set
