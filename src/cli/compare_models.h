// entrain compare with several problem files: models of the same data.
#pragma once
#include "cli/arguments.h"

int compare_models(const Arguments *a); // returns the exit status
// Flags that only a comparison of models has. false: one of them is given with one problem, and the error is printed.
bool compare_models_flags_absent(const Arguments *a);
