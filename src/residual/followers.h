// Workers of a pool that evaluate what one Objective, their leader, does: each has an Objective of its own.
#pragma once
#include "base/pool.h"
#include "residual/objective.h"

typedef struct Follower {
  const Objective *leader;
  Objective *own;
  struct Hub *hub; // for those who simulate in lanes, NULL until they ask
} Follower;

// begin and end of a PoolWorker whose `shared` is the leader.
void *follower_begin(const void *leader, const Pool *pool);
void follower_end(void *follower);
// Its Objective, set as the leader's is now, with no work counted. The leader must not change while jobs are under way.
Objective *follower_ready(Follower *f);

// Another one that does the same as its own, in a task of its hub.
void follower_lead(const Follower *f, Objective *o);
struct Hub *follower_hub(Follower *f);

// A pool for `jobs` jobs at once, as large as the options of the leader's problem say. While it is waited for, the leader's
// listener is asked.
Pool *followers_new(Objective *leader, int jobs, size_t job_size, void (*work)(void *, void *));
