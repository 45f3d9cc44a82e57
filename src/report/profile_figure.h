// A picture of profiles: a panel for each number.
#pragma once
#include "draw/figure.h"
#include "study/profile.h"

// NULL: there is nothing to draw. Lives in a.
Figure *profile_figure(Arena *a, const Profile *p);
