// Tasks that evaluate objectives, side by side in one thread: where several of them want a simulation of the same
// experiment, they get it in the lanes of one. Each task is ordinary code with an Objective of its own; it waits inside
// objective_simulate until the simulation has been made.
//
// What a task computes depends on which tasks run beside it, within the accuracy of simulations; it does not depend on
// threads or time. So a hub does the same tasks in the same way, again and again.
#pragma once
#include "residual/objective.h"

typedef struct Hub Hub; // belongs to one thread

// Whether simulations of the problem can share lanes at all.
bool hub_can(const Problem *p);
Hub *hub_new(const Problem *p);
void hub_free(Hub *h); // NULL is allowed

// The Objective is in the state in which the task before left it: reset it, or let it follow another.
typedef void HubTask(void *data, int number, Objective *o);
// Does tasks 0 .. count-1. Every task is begun and ends.
void hub_run(Hub *h, int count, HubTask *task, void *data);
// For a task: seconds of computing it has had so far, its share of common simulations included.
double hub_seconds(const Hub *h);

// ---------------------------------------------------------------- for objective.c

typedef struct Rig Rig;
typedef struct SimulateRequest SimulateRequest;
// One simulation by the rig into its columns and its trajectory, as simulate_run makes it.
void hub_simulate(Hub *h, Objective *o, Rig *r, int experiment, const SimulateRequest *request);
