// Fits with one unknown held, each from a start nearby: the points of a profile.
#pragma once
#include "local/local.h"
#include "residual/evaluate.h"

typedef struct Refit Refit; // belongs to one thread

// threads: that difference slopes may use. sigma: by channel, those of the result that the profile belongs to; refits begin
// with them.
Refit *refit_new(const Fitting *f, int threads, const double *sigma);
void refit_free(Refit *r);

// Minimises over all unknowns but `held` (-1: none is) from x, which becomes the minimum. Sigmas that are estimated are
// estimated again; the objective then counts their logarithms, so that objectives can be compared: it is the concentrated likelihood.
LocalEnd refit_run(Refit *r, int held, double *x, double *objective);
// Unknowns that all refits hold as well, where they are; kept. NULL: none.
void refit_hold(Refit *r, const bool *also);
bool refit_used_up(const Refit *r); // the last one was ended by max_simulations
// The objective at x in the same sense. false: it cannot be simulated there.
bool refit_value(Refit *r, const double *x, double *objective);
bool refit_value_anywhere(Refit *r, const double *x, double *objective); // constraints or not
// What the objective may differ by without any meaning: errors of simulations.
double refit_accuracy(Refit *r, double objective);
const WorkCount *refit_work(const Refit *r);
// All that follows makes at most so many simulations; afterwards refits end as stopped.
void refit_limit(Refit *r, long simulations);
bool refit_is_over(const Refit *r); // that limit was reached
