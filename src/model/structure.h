// What is wrong with the structure of a model, in words.
#pragma once
#include "model/model.h"

// Whether states count as unknowns together with their derivatives, because constraints between states have to be
// differentiated: marks the equations that even then find no unknown, and returns how many; -1 when there are some, and
// unknowns that occur nowhere.
int structure_left_over(Model *m, unsigned char *left);
// The matching of m->equations and m->unknowns is not perfect; the hint is added to what is singular. Returns false.
bool report_structure(Model *m, const Matching *matching, const char *hint, Err *err);
// The last block of `sorted` does not determine its unknowns. Returns false.
bool report_dependent(Model *m, const Sorted *sorted, const SortEquation *equations,
                      int equation_count, const SortUnknown *unknowns, int unknown_count, Err *err);
