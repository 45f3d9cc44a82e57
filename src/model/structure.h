// What is wrong with the structure of a model, in words.
#pragma once
#include "model/model.h"

// Whether states would have to count as unknowns together with their derivatives: constraints between states have to be
// differentiated.
bool structure_is_high_index(Model *m);
// The matching of m->equations and m->unknowns is not perfect. Returns false.
bool report_structure(Model *m, const Incidence *in, const Matching *matching, Err *err);
// The last block of `sorted` does not determine its unknowns. Returns false.
bool report_dependent(Model *m, const Sorted *sorted, const SortEquation *equations,
                      int equation_count, const SortUnknown *unknowns, int unknown_count, Err *err);
