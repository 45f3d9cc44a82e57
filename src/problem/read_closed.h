// Reads 'model' where it names a closed simulator: an FMU, or a program.
#pragma once
#include "problem/reader.h"

bool model_is_closed(const Yaml *n); // of 'model'
// Opens the simulator and makes the tree that the others read; problem->closed owns it.
bool read_closed_model(ProblemReader *r, const Yaml *n);
bool read_given_simulator(ProblemReader *r); // the same of the one that the calling program gave
