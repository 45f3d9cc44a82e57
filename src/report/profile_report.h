// Profiles as text, terminal plots, JSON, and a CSV file of all points.
#pragma once
#include "draw/figure_screen.h"
#include "study/profile.h"
#include "write/page.h"

void profile_text(Text *out, const Profile *p, PageStyle style);
// One small plot per profile for a terminal; style.height is that of one plot.
void profile_plot(Text *out, const Profile *p, ScreenStyle style);
void profile_json(Text *out, const Profile *p, const char *version);
// parameter,value,objective,ratio, then all unknowns
void profile_csv(Text *out, const Profile *p);
