// Work against precision: what does an answer of a given error cost?
#pragma once

enum { CURVE_MOST = 128 };

typedef struct Curve {
  int count;
  double error[CURVE_MOST], seconds[CURVE_MOST];
} Curve;

void curve_add(Curve *c, double error, double seconds); // failed runs: do not add them
// Time for this error: only points that are not beaten in both error and time count; between them the line in
// logarithms. Not a number below the measured errors.
double curve_at(const Curve *c, double error);
