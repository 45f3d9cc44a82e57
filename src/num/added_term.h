// Would one more term explain residuals? A test that holds where they are coloured.
#pragma once

typedef struct RowSeries { // rows that follow each other in time
  int first, count;
} RowSeries;

typedef struct AddedTerm {
  double factor; // of the term, to be subtracted from the residuals
  double share;  // of the sum of squares that it explains; may be negative
  double p; // probability of a gain like this if the term has nothing to do with them; NaN: too few
} AddedTerm;

// r: residuals; c: the term, at the same rows, without what the model can explain of it by its unknowns. One factor for all
// series. Noise of each series: autoregressive of order 1 to 8, by its length. Series below 20 rows do not count.
AddedTerm added_term(const double *r, const double *c, const RowSeries *series, int count);
// The same from residuals before and after a fit with one more number to find; the factor is NaN.
AddedTerm added_number(const double *before, const double *after, const RowSeries *series,
                       int count);
