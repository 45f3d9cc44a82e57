// What the parts of a profile study share.
#pragma once
#include "study/profile.h"
#include "study/profile_refit.h"

static const double PROFILE_FLAT =
    0.01; // ratio, in thresholds, up to which a profile counts as flat

// The scale on which a number is profiled: that on which it is searched.
bool profile_in_logs(const Unknown *f, double estimate);
double profile_scaled(const Unknown *f, double estimate, double value);

// Factor, standard error and interval by the covariance of every curve; threshold and freedom. The weighting is that
// with which the statistics were made.
void profile_measure(Profile *p, EvalWork *w, const Weighting *weighting);
// How far the objective lies beside a smooth curve near the estimates: standard deviation.
double profile_roughness(const Profile *p, Refit *refit);
// Sides, verdicts and remarks from the points.
void profile_judge(Profile *p);
