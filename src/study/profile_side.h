// One side of the profile of one unknown: the job of a worker.
#pragma once
#include "base/jobs.h"
#include "residual/fitting.h"
#include "study/profile.h"
#include "study/profile_walk.h"

enum { SIDE_POINTS_MOST = 80 };

// A job, and its answer. Behind it stand the points: value, objective and all unknowns of each.
typedef struct SideJob {
  int curve, side; // the question; side 0: below
  long unfinished; // patience was over, and the answer is none
  WalkResult walk; // the answer begins here
  bool used_up;    // max_simulations ended the last refit that failed
  int count;
  WorkCount work;
  double points[];
} SideJob;

typedef struct SideShared { // by all sides of one round
  const Profile *profile;
  const Fitting *fitting; // as it is simulated
  double range;
  bool roughly;          // of other directions that noise hides, one unknown stays where it is
  double *better;        // by curve: objective below which a point is a better optimum
  long simulations_most; // of one side, LONG_MAX: no limit
  long left;             // the same, as max_simulations of the whole fit leaves it
} SideShared;

int side_point_width(const Problem *p);      // doubles of a point
size_t side_job_size(const Problem *p);      // bytes
JobKind side_work(const SideShared *shared); // what workers do with such jobs
