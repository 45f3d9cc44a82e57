// Where a feedback can act on a model-exchange FMU, whose equations are not known: on continuous states that are measured, directly
// or as a constant multiple under another name, and on states that are the derivatives of these. Which are is read off a simulation
// at the start values of the problem.
#pragma once
#include "model/couple.h"
#include "problem/problem.h"

typedef struct ClosedTerms ClosedTerms;

ClosedTerms *closed_terms_new(Arena *a, const Problem *p);
// As couple_default_terms.
int closed_default_terms(const ClosedTerms *t, Arena *a, int channel, bool rates,
                         CoupleTerm *terms);
