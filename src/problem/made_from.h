// The files that a problem was read from: the problem file, model, libraries and data. Of a simulator the FMU or the program that is called;
// what these read themselves is not known.
#pragma once
#include "problem/problem.h"

// With what they hold now. Files that cannot be read are left out. What is no file, because the calling program
// gave it, has its name in place of a path. Lives in a.
MadeFrom made_from(Arena *a, const Problem *p);
