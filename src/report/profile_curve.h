// A profile as a curve that can be drawn: over its interval and a little beyond.
#pragma once
#include "study/profile.h"

typedef struct CurveSamples {
  double least, most; // the horizontal axis
  bool log;           // which is logarithmic
  double highest;     // the vertical axis begins at 0
  int count;
  double *value;    // rising
  double *ratio;    // NaN beyond the points of the profile
  double *parabola; // what the covariance makes of it; NaN: there is none
} CurveSamples;

// Between the points of the profile the root of the ratio is drawn straight: parabolas stay parabolas. Lives in a.
CurveSamples curve_samples(Arena *a, const Profile *p, const ProfileCurve *c, int count);
