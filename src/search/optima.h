// Comparing the optima that searches end at.
//
// Objectives are comparable ones (fit_comparable). Differences are those of twice the log-likelihood: 2 (V2 - V1) where sigmas
// are given or estimated, N ln(V2/V1) where all residuals share one unknown variance; N counts correlated samples as fewer.
#pragma once
#include "search/search.h"

double optima_difference(const Search *s, double better, double worse);
// The difference of objectives, near the best one, that is 1 of optima_difference if all samples are independent: whether two
// optima are apart does not depend on how much correlated samples tell.
double optima_unit(const Search *s);
// Differs by no more than searches may that end at one optimum.
bool optima_same_objective(const Search *s, double a, double b);
// No number differs by more than 2 %.
bool optima_same_numbers(const Search *s, const double *a, const double *b);
// The largest difference that chance explains between optima of so many unknowns.
double optima_chance(int unknowns);
// A rival fits nearly as well: its difference is one that chance explains.
bool optima_is_near(const Search *s, double best, double other);
// Whether nothing tells a and b apart: at three points between them, in ratios or in differences, the objective is that of both. So it is where only
// products or sums of numbers are determined.
bool optima_one_valley(Search *s, const double *a, const double *b, double objective);
// Whether the objective rises between a and b above both (objectives as evaluated, the larger one: top) by more than chance
// explains: first on the straight line, then along a path on which the number that differs most is moved in steps and the
// others are fitted again, from either end. A curved valley has no barrier.
bool optima_barrier(Search *s, const double *a, const double *b, double top);
