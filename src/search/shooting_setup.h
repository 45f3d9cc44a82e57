// Sets up multiple shooting: pieces with their samples, scales of residuals and gaps, the models compiled for them, room.
#pragma once
#include "search/shooting_problem.h"

// problem, request, arena and count are given.
void shooting_init(Shooting *s);
void shooting_done(Shooting *s); // what the arena does not own
ShootingPoint *shooting_point_new(Shooting *s);
// The unknowns x, inside their bounds, and the nodes of the request.
void shooting_begin(const Shooting *s, const double *x, ShootingPoint *at);
