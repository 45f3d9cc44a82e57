// A picture of profiles: one panel for each unknown.
#pragma once
#include "draw/figure.h"
#include "study/profile.h"

// Lives in a. NULL: there is nothing to draw.
Figure *profile_figure(Arena *a, const Profile *p);
