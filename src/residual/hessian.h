// Exact second derivatives of the objective, by second-order sensitivities.
//
// V = 1/2 sum r^2 has the Hessian sum of r_p' r_p + r r_pp. The first part comes from the rows of the objective itself.
// The second, forward: the sensitivity equations are themselves a model, whose sensitivities are the second derivatives:
// (n + 1)^2 columns. Adjoint: the weights r go backwards along the simulation as one vector mu, and since the sensitivities are
// known along it, products of mu, the second derivatives of f and the sensitivities add up to the sum of r r_pp: n + 1 columns
// there, one back.
//
// Where the motion crosses an event or a kink that states or parameters move, second derivatives do not hold: such an
// evaluation fails and says so.
#pragma once
#include "residual/evaluate.h"

typedef enum HessianWay { HESSIAN_AUTO, HESSIAN_FORWARD, HESSIAN_ADJOINT } HessianWay;

typedef struct Hessian Hessian;

// Of the free model over all data, priors included. Keeps the pointer.
Hessian *hessian_new(const Fitting *f, HessianWay way);
void hessian_free(Hessian *h);
// At x: V, its gradient[n] and H[n*n] by rows. Of the spec, weighting, budget and step_limit count. value is HUGE_VAL unless
// EVAL_DONE.
//
// Work is counted in simulations with first-order sensitivities and for each experiment: one for
// V and the gradient; for the rest 1 + n forward (it integrates 1 + n times as many numbers; n: unknown parameters of the model), or 2
// adjoint (there and back). Where all residuals are 0 there is no rest.
EvalEnd hessian_eval(Hessian *h, EvalWork *w, const EvalSpec *spec, const double *x, double *value,
                     double *gradient, double *H);
const char *hessian_why(const Hessian *h); // why the last evaluation failed
// Whether the problem has second derivatives that can be computed; false: hessian_why says what is in the way, and every
// evaluation fails.
bool hessian_exists(const Hessian *h);
