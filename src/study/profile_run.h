// Computes the profiles of a problem: the fit, then both sides of each profile on as many threads as the problem says.
#pragma once
#include "residual/evaluate.h"
#include "study/profile.h"

// Below, errors of the simulations hide the ends of intervals; above, no distribution of noise holds so far out.
#define PROFILE_LEVEL_LEAST 0.5
#define PROFILE_LEVEL_MOST 0.9999

typedef struct ProfileRequest {
  const int *numbers; // of problem->unknowns; NULL: all
  int count;
  double level; // PROFILE_LEVEL_LEAST to PROFILE_LEVEL_MOST
  // How far a profile is followed where nothing ends it, in sizes of the unknown; a factor for unknowns on a logarithmic
  // scale. > 1.
  double range;
} ProfileRequest;

// Told while it runs: `fitting` before the first profile; p->sides_done changes then. false stops: sides that are not done
// have end STOPPED.
typedef bool ProfileListener(void *data, const Profile *p, bool fitting);

// The fit by the problem's method, then the profiles, on as many threads as the problem's option says; they do not change
// the result. NULL and err when there is nothing to profile. A fit without result has no curves.
Profile *profile_run(const Problem *p, const ProfileRequest *request, ProfileListener *listener,
                     void *data, Err *err);

// Profiles of a result that has its statistics, made with this weighting. They do not go on to a better optimum that they
// pass. When all sides, in their order, have used more than `usual` simulations, those left have end NONE. Never are more
// than `left` counted: sides that do not fit in have it, too, and `limited` tells it. There are none where the
// objective is rough or too inaccurate. The result and its statistics stay with the caller: profile_release instead of
// profile_free.
Profile *profile_result(FitResult *fit, Statistics *statistics, EvalWork *work,
                        const Weighting *weighting, const ProfileRequest *request, long usual,
                        long left);
void profile_release(Profile *p);
