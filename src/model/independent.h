// Constraints in numbers, at the values of the parameters in the text: points that satisfy them, and which of them follow
// from others there.
#pragma once
#include "model/model.h"

typedef struct Conditions Conditions;

// Residuals of t, x, u, p and modes, at time 0 and the default values of inputs. Compiles them.
Conditions *conditions_new(Model *m, const Expr *residuals, int count);
void conditions_free(Conditions *c);

// Moves the free states (NULL: all of them) to a point where all residuals vanish, near x. false: none was found.
bool conditions_settle(Conditions *c, const bool *free, double *x);
// Marks, in their order, the residuals whose slopes by the free states are independent of those before. Returns how many.
int conditions_independent(Conditions *c, const bool *free, const double *x, unsigned char *mark);

// Start attributes of the states at these parameters (NULL: those of the text).
void start_attributes(Model *m, const double *p, double *x);
// Where no start values satisfy the invariants: the one that is violated most at the point where a search for them ended.
bool unsatisfied_invariant(Model *m, double t, const double *p, int *invariant, double *residual);

// *redundant: by typed equation, 1 where its constraint follows from those before it at every point that satisfies them
// all. Returns how many do. For a model whose motion is sorted. certain: 0 unless there are such points at different
// times, and the constraints are ones of states.
int redundant_equations(Model *m, const unsigned char **redundant, bool certain);
