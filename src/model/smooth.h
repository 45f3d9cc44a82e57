// Branches that meet with value and slope, such as if s >= 0 then 1 - exp(-s) else exp(s) - 1, need no events.
#pragma once
#include "model/flat.h"

// Marks the relations, abs, sign, min and max at whose switch all equations have continuous first derivatives, for all
// values of variables and parameters. false: there are none. What cannot be proved is not marked.
bool find_smooth_events(Flat *f, unsigned char *smooth);
