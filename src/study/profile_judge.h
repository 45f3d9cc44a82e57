// Sides, verdicts and remarks of the profiles, from their points.
#pragma once
#include "study/profile.h"

void profile_judge(Profile *p);
