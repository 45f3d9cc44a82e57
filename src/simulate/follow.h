// Roots of simultaneous equations along the motion: anchors (model/system.h) at the ends of accepted steps, and between
// them where steps are longer than the inputs of equations allow that the motion does not contain. They depend on the
// steps alone, not on rows, searches for events and rejected steps.
#pragma once
#include "model/system.h"
#include "simulate/stepper.h"

typedef struct Follower Follower;

Follower *follower_new(Arena *a, SystemWork *work); // keeps the pointer to work
// Behind system_start. t_end: where the motion is to end.
void follow_begin(Follower *f, double t, const double *y, double t_end);
// After modes or inputs have jumped at t.
void follow_jump(Follower *f, double t, const double *y);
// Along the step that was just accepted, before anything is computed inside it. false: f followed other roots than a
// shorter step does; nothing has changed.
bool follow_step(Follower *f, Stepper *s);
void follow_retreat(Stepper *s, double t_end); // such a step begins again, shorter
