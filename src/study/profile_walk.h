// A walk along a profile: from its minimum to one side, with steps that adapt to how fast it rises, until it crosses a
// threshold, or until it cannot go on.
#pragma once
#include <stdbool.h>

typedef enum VisitEnd {
  VISIT_DONE,
  VISIT_FAILED,    // there is no value here: try a nearer place
  VISIT_FORBIDDEN, // constraints allow no value here or beyond: the profile is infinite
  VISIT_BETTER,    // lower than the minimum that the walk began at: the walk ends
  VISIT_STOPPED,   // by the user
} VisitEnd;

#define WALK_END_WORDS "crossed at-end forbidden failed too-long better stopped" // in their order
typedef enum WalkEnd {
  WALK_CROSSED,
  WALK_AT_END,    // the last point of the way is below the threshold
  WALK_FORBIDDEN, // the way ends here
  WALK_FAILED,    // there is no value beyond `at`
  WALK_TOO_LONG,  // visits_most were not enough
  WALK_BETTER,
  WALK_STOPPED,
} WalkEnd;

typedef struct Walk {
  double from, to; // to: the last place that may be visited; may be infinite
  double step;     // the first one, > 0
  double step_most;
  double height; // root of the threshold, > 0
  int visits_most;
  void *self;
  // *root: of what the profile rises by at this place, linear where the profile is a parabola. Places are visited
  // again only where the profile jumps.
  VisitEnd (*visit)(void *self, double at, double *root);
} Walk;

typedef struct WalkResult {
  WalkEnd end;
  double at; // CROSSED: where the root equals the height; else the last place with a value
  bool jump; // it crosses by a jump
  int visits;
} WalkResult;

WalkResult walk_run(const Walk *w);
