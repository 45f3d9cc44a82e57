// How noisy samples are, without a model: differences of high order remove what is smooth and leave the noise.
#pragma once

// Standard deviation of white noise in y (increasing t, equal or unequal steps): the smallest estimate by differences of
// order 3 to 8. Where that is the signal's own fastest part, what the top fifth of the frequencies shows, if steps are equal
// and samples are 124 at least; and no less than what rounding to the resolution of an instrument leaves. NaN when there
// are too few samples. Too coarse sampling makes it too large, never too small. ln(mean square of the noise / square of the
// estimate) exceeds 2.25 z/sqrt(n) (1 + 3/sqrt(n)) about as often as a normal number exceeds z, for both kinds of estimate.
double noise_deviation(const double *t, const double *y, int n);
// The same where y jumps between samples jump[k] and jump[k] + 1 (increasing, `jumps` of them): differences across are
// left out.
double noise_deviation_between(const double *t, const double *y, int n, const int *jump, int jumps);

// The same by medians of differences of order 2 to 4: a few outliers change it little.
double noise_deviation_robust(const double *t, const double *y, int n);

// Standard deviation of normal numbers from the median of their sizes, n > 0. Sorts the sizes.
double deviation_by_median(double *size, int n);
