// Samples a profile as a curve for drawing: over its interval and a little beyond.
#pragma once
#include "study/profile.h"

typedef struct CurveSamples {
  double least, most; // the horizontal axis
  bool log;           // which is logarithmic
  double highest;     // the vertical axis begins at 0
  int count;
  double *value;    // rising
  double *ratio;    // NaN beyond the points of the profile
  double *parabola; // by the covariance; NaN: there is none
} CurveSamples;

// Interpolates the square root of the ratio linearly between the points, so that parabolas stay parabolas. Lives in a.
CurveSamples curve_samples(Arena *a, const Profile *p, const ProfileCurve *c, int count);
