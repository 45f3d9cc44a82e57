// The history that a live page draws: rows of numbers, of which a limited number is kept, evenly over all that came.
#pragma once
#include "base/text.h"

typedef struct LiveRows LiveRows;

LiveRows *live_rows_new(int columns);
void live_rows_free(LiveRows *r); // NULL is allowed
void live_rows_add(LiveRows *r, const double *row);
int live_rows_count(const LiveRows *r);
// Changes when rows were left out: numbers of rows from before mean nothing any more.
int live_rows_version(const LiveRows *r);
// Rows `from` and later as [1,2.5,null],[...]: with six digits.
void live_rows_print(const LiveRows *r, int from, Text *out);

// A number with six digits, or null.
void live_number(Text *out, double value);
void live_numbers(Text *out, const double *values, int count); // [1,2]

// Curves of many points: the least and the greatest value of equal parts, at most `most` of them, so that no peak is lost. Without more
// points than that: all. Returns their number.
enum { LIVE_POINTS = 1000 };
int live_thin(const double *y, int count, int most, double *out);
// The times at which these are drawn: the same for all curves of these times, the first points of parts and those in the middle.
int live_thin_times(const double *t, int count, int most, double *out);
