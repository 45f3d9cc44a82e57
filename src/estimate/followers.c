#include "estimate/followers.h"

#include "estimate/objective_parts.h"

static bool crew_listener(void *crew) {
  return crew_goes_on(crew);
}

void *follower_begin(const void *leader, const Crew *crew) {
  Objective *own = objective_new(objective_problem(leader));
  Follower *f = ARENA_NEW(own->arena, Follower);
  *f = (Follower){leader, own};
  objective_listen(own, crew_listener, (void *)crew);
  return f;
}

void follower_end(void *follower) {
  objective_free(((Follower *)follower)->own);
}

Objective *follower_ready(Follower *f) {
  objective_follow(f->own, f->leader);
  *objective_count(f->own) = (FitWork){0};
  return f->own;
}

static bool leader_goes_on(void *data) {
  const Objective *leader = data;
  return !leader->listener || leader->listener(leader->listener_data);
}

Crew *followers_new(Objective *leader, int jobs, size_t job_size, void (*work)(void *, void *)) {
  CrewWork crew = {job_size, follower_begin, follower_end, work, leader};
  Crew *c = crew_new(crew_size(leader->problem->options.threads, jobs), &crew);
  crew_listen(c, leader_goes_on, leader);
  return c;
}
