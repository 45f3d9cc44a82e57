// Whether several problems are fitted to the same measurements: objectives and likelihoods can be compared only then.
#pragma once
#include "base/sha256.h"
#include "problem/problem.h"

// Compares what is fitted and what validates: experiments, columns, times, values, sigmas, weights, and the options that say what
// a residual is. Names of files, of experiments and of measured variables do not matter, nor does the order of the channels of an
// experiment. false: err names the first difference, at the file of `other`.
bool same_data(const Problem *one, const Problem *other, Err *err);
// Of the fitted samples: equal for problems that same_data finds equal.
Sha256 data_digest(const Problem *p);
// The channel of an experiment that belongs to channel c of the same experiment in another problem: that of the same column, of
// several the one with the same place among them. NULL: there is none.
const Channel *same_channel(const Experiment *e, const Experiment *of, int c);
