// Start values from the first samples: x.start: data.
#pragma once
#include "problem/reader.h"

bool is_data_start(const Yaml *n); // data, {data: 5}, {from: data, samples: 5, column: speed}
bool resembles_data_start(const Yaml *n);
// The number of samples that it names, 0: as it is usual. false and an error.
bool read_data_start(ProblemReader *r, const Yaml *n, int *samples);
// After the channels are read: start values from data under 'set' and 'estimate', and those that 'estimate' gives by
// experiment.
bool resolve_starts(ProblemReader *r);
// Value at 0 and slope of the polynomial that is nearest to y(t): constant, or for 2 samples and more linear, for 5 and more
// quadratic. The times increase.
void start_of_samples(const double *t, const double *y, int count, double *value, double *slope);
