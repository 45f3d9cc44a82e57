// Cross-validation inside of the records of a problem. Each experiment is cut into blocks of time with equally many rows of its
// data. In fold k the samples of block k have the weight 0: simulations go through the block, the fit does not see it. The error
// of a simulation is then measured there.
#pragma once
#include "problem/problem.h"

// The block, from 0, of a time of the experiment (since its origin).
int fold_of(const Experiment *e, double t, int folds);
// The problem without the samples of that block. It shares everything else with p and lives in the arena.
Problem *problem_without_fold(Arena *a, const Problem *p, int folds, int fold);
// Whether every fold leaves something to fit, and something to measure the error by. false: err says what is wrong.
bool folds_suit(const Problem *p, int folds, Err *err);
