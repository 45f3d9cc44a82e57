// Profiles: for people, for other programs, and every point.
#pragma once
#include "draw/plot.h"
#include "study/profile.h"
#include "write/page.h"

void profile_text(Text *out, const Profile *p, PageStyle style);
// A small plot of each for a terminal; height: of each one.
void profile_plot(Text *out, const Profile *p, PlotStyle style);
void profile_json(Text *out, const Profile *p, const char *version);
// parameter,value,objective,ratio, then all numbers
void profile_csv(Text *out, const Profile *p);
