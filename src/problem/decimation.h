// Fewer samples: every m-th one, after a filter that keeps what is faster than they can show from posing as something slower.
//
// Filters, all of zero phase and unit gain, so that constants and lines stay as they are:
//   fir    the root of a raised cosine around the new Nyquist frequency (roll-off 0.2), 12 m samples to both sides, in a Kaiser window
//          of beta 2.5. It passes up to 0.7 of that frequency (error below 0.2 %), weakens from 1.25 times it by more than 40 dB, and
//          leaves results of independent noise uncorrelated (below 0.01), so that residuals can be judged as those of all samples.
//   sharp  a sinc of cut-off 0.85 of the new Nyquist frequency, 12 m samples to both sides, in a Kaiser window of 50 dB. It weakens
//          everything above that frequency by more than 40 dB; the results of independent noise are correlated.
//   mean   of m samples; the time of the result is the mean of theirs. Results of independent noise are independent.
//   none   nothing.
// fir and sharp give nothing where they lack a part of their reach: near the ends of the record, a missing sample or a gap in time (an interval
// above 1.5 times the median). Shorter ones would be neither accurate nor of known noise. mean leaves out samples whose mirror image
// in the block is missing.
#pragma once
#include <stdbool.h>

typedef enum DecimationFilter {
  DECIMATE_FIR,
  DECIMATE_SHARP,
  DECIMATE_MEAN,
  DECIMATE_NONE
} DecimationFilter;
enum { DECIMATION_COUNT = DECIMATE_NONE + 1 };
extern const char *const DECIMATION_WORDS[DECIMATION_COUNT];

enum { DECIMATION_REACH = 12 }; // times m: samples to both sides

typedef struct Decimation {
  int m; // 1: all samples are kept
  DecimationFilter filter;
  const double *weights; // fir and sharp: in the middle, and to one side
  double noise;          // standard deviation of independent noise behind it, before it: 1
} Decimation;

struct Arena;
Decimation decimation_new(struct Arena *a, int m, DecimationFilter filter);
double decimation_cutoff(const Decimation *d,
                         double interval); // in Hz: of 3 dB for fir, else of 6 dB; 0: none

int decimated_count(const Decimation *d, int rows);
// The row that result i is taken from: for mean, the one in the middle.
int decimated_row(const Decimation *d, int i);
int decimation_reach(const Decimation *d); // samples to both sides that each result needs

typedef struct RecordRows { // rows to be decimated, and those around them that the filter may use
  int before, count, after;
  const bool
      *gap; // gap[i]: between the rows i - 1 and i there is a gap; i from -before to count + after
} RecordRows;

// NaN is a missing value, before and behind. y[-before] to y[count + after - 1] are there.
void decimate(const Decimation *d, const double *y, const RecordRows *rows, double *out);
void decimate_times(const Decimation *d, const double *t, int rows, double *out);
