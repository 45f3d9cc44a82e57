// Pictures of what the model does with the result: data and model over time with the residuals below, and measured quantities
// over each other.
#pragma once
#include "draw/figure.h"
#include "report/sample_residuals.h"

typedef struct FitMotion { // borrows everything
  const Problem *problem;
  const char *what;                      // of the titles, such as "Data and model"
  const SampleResiduals *result, *start; // start NULL: it could not be simulated, or is the result
} FitMotion;

enum { MOTION_CHANNELS = 8 }; // of one figure

// Channels first .. first + MOTION_CHANNELS - 1 of an experiment. NULL: they have no samples. Lives in a, like the next one.
Figure *fit_motion_figure(Arena *a, const FitMotion *m, int experiment, int first);
// Channels over other channels that were sampled at the same times. NULL: there are no two such channels.
Figure *fit_plane_figure(Arena *a, const FitMotion *m, int experiment);
