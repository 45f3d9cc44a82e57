// The files that a problem was read from: the problem file, model, libraries and data. Of a simulator the FMU or the program that is called;
// what these read themselves is not known.
#pragma once
#include "problem/problem.h"

// With what they hold now. Files that cannot be read, and what is no file (standard input), are left out. Lives in a.
MadeFrom made_from(Arena *a, const Problem *p);
