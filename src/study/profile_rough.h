// How far the objective lies beside a smooth curve near the estimates.
#pragma once
#include "study/profile.h"
#include "study/profile_refit.h"

double profile_roughness(const Profile *p, Refit *refit); // standard deviation
