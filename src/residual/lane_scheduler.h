// Tasks that evaluate objectives, side by side in one thread: where several of them want a simulation of the same experiment,
// one simulation makes them all, in the lanes of the processor's vector registers. A task is ordinary code with an EvalWork of
// its own; it waits inside its evaluation (a fiber) until the simulation has been made.
//
// What a task computes depends on the tasks beside it, within the accuracy of simulations. It does not depend on threads or
// time: the same tasks give the same results again.
#pragma once
#include "residual/evaluate.h"

typedef struct LaneScheduler LaneScheduler; // belongs to one thread

// Whether simulations of the problem can share lanes at all.
bool lane_scheduler_can(const Problem *p);
LaneScheduler *lane_scheduler_new(const Fitting *f); // keeps the pointer
void lane_scheduler_free(LaneScheduler *s);          // NULL is allowed

typedef void LaneTask(void *data, int number, EvalWork *w);
// Does tasks 0 .. count-1. Every task is begun and ends.
void lane_scheduler_run(LaneScheduler *s, int count, LaneTask *task, void *data);
// For a task: seconds of computing it has had so far, its share of common simulations included.
double lane_scheduler_seconds(const LaneScheduler *s);
