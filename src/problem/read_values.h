// Reads values of the unknowns from the JSON of an earlier result.
#pragma once
#include "problem/problem.h"

// From 'parameters' of the file, a list of {name, value}, into values; given[i]: it has unknown i. Names that are not estimated
// are errors, values outside the bounds warnings. false: err.
bool problem_read_values(const Problem *p, const char *path, double *values, bool *given,
                         Warnings *warnings, Err *err);
