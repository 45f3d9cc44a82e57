#include "residual/followers.h"

#include "residual/hub.h"
#include "residual/objective_parts.h"

static bool pool_listener(void *pool) {
  return pool_goes_on(pool);
}

void *follower_begin(const void *leader, const Pool *pool) {
  Objective *own = objective_new(objective_problem(leader));
  Follower *f = ARENA_NEW(own->arena, Follower);
  *f = (Follower){.leader = leader, .own = own};
  objective_listen(own, pool_listener, (void *)pool);
  return f;
}

void follower_end(void *data) {
  Follower *f = data;
  hub_free(f->hub);
  objective_free(f->own);
}

Objective *follower_ready(Follower *f) {
  objective_follow(f->own, f->leader);
  *objective_count(f->own) = (FitWork){0};
  return f->own;
}

void follower_lead(const Follower *f, Objective *o) {
  objective_follow(o, f->leader);
  objective_listen(o, f->own->listener, f->own->listener_data);
  *objective_count(o) = (FitWork){0};
}

Hub *follower_hub(Follower *f) {
  if (!f->hub) f->hub = hub_new(objective_problem(f->own));
  return f->hub;
}

static bool leader_goes_on(void *data) {
  const Objective *leader = data;
  return !leader->listener || leader->listener(leader->listener_data);
}

Pool *followers_new(Objective *leader, int jobs, size_t job_size, void (*work)(void *, void *)) {
  PoolWorker pool = {job_size, follower_begin, follower_end, work, leader};
  Pool *c = pool_new(pool_size(leader->problem->options.threads, jobs), &pool);
  pool_listen(c, leader_goes_on, leader);
  return c;
}
