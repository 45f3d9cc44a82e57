// Multiple shooting as a part of a search.
#pragma once
#include "search/search.h"

// From the fit of the coupled model. True: its result fits the noise, in one simulation or in pieces.
bool shooting_part(Search *s);
// Fits the pieces of the result again, with the present weighting. False: gaps did not close, the result stays as it was.
bool shooting_refit_pieces(Search *s);
