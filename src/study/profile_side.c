// Start of each refit: along the tangent of the profile at the estimate, or on the line through the last two points; an unknown
// that the data only show in a product with the one that moves keeps that product.
#include "study/profile_side.h"

#include <math.h>
#include <string.h>

#include "base/run_limit.h"
#include "search/samples.h"
#include "study/profile_refit.h"

int side_point_width(const Problem *p) {
  return 2 + p->unknown_count;
}

size_t side_job_size(const Problem *p) {
  return sizeof(SideJob) + (size_t)(SIDE_POINTS_MOST * side_point_width(p)) * sizeof(double);
}

typedef struct SideWork { // while a worker walks
  const SideShared *shared;
  const ProfileCurve *curve;
  const Unknown *f;
  SideJob *job;
  Refit *refit;
  double estimate;
  bool *held;    // by unknown: stays at the estimate, too
  double *start; // scratch
} SideWork;

static double *point_at(const SideWork *w, int i) {
  return w->job->points + (size_t)i * (size_t)side_point_width(w->shared->profile->problem);
}

static double unscaled(const SideWork *w, double at) {
  double value = profile_in_logs(w->f, w->estimate) ? exp(at) : at;
  return fmin(fmax(value, w->f->min), w->f->max);
}

static double scaled(const SideWork *w, double value) {
  return profile_scaled(w->f, w->estimate, value);
}

static double way_to(const SideWork *w, double value) {
  return fabs(scaled(w, value) - scaled(w, w->estimate));
}

// The farthest visited point between the estimate and value, `but` left out. -1: none. Points beyond may belong to another,
// worse minimum.
static int nearest_inside(const SideWork *w, double value, int but) {
  int best = -1;
  for (int i = 0; i < w->job->count; i++) {
    double way = way_to(w, point_at(w, i)[0]);
    if (i == but || point_at(w, i)[0] == value || way >= way_to(w, value)) continue;
    if (best < 0 || way > way_to(w, point_at(w, best)[0])) best = i;
  }
  return best;
}

// From x at the estimate, along the tangent of the profile.
static void follow_tangent(const SideWork *w, double value, const double *from, double *x) {
  for (int i = 0; i < w->shared->profile->problem->unknown_count; i++) {
    double slope = w->curve->tangent[i];
    x[i] = from[i] + (isfinite(slope) ? slope * (value - w->estimate) : 0);
  }
}

// On the line through two points, each unknown on its own scale.
static void follow_line(const SideWork *w, double value, const double *a, const double *b,
                        double *x) {
  const Problem *p = w->shared->profile->problem;
  double share = (scaled(w, value) - scaled(w, a[0])) / (scaled(w, b[0]) - scaled(w, a[0]));
  for (int i = 0; i < p->unknown_count; i++) {
    double xa = a[2 + i], xb = b[2 + i];
    bool logs = p->unknowns[i].log && xa > 0 && xb > 0;
    double to = logs ? xa * pow(xb / xa, share) : xa + share * (xb - xa);
    x[i] = isfinite(to) ? to : xa;
  }
}

// The product of the direction; NULL: it has none.
static const StatCombination *weak_product(const StatDirection *d) {
  return d->structural || d->combination_count != 1 ? NULL : &d->combinations[0];
}

static void keep_products(const SideWork *w, double value, const double *from, double *x) {
  const Statistics *s = w->shared->profile->statistics;
  int k = w->curve->number;
  for (int d = 0; d < s->direction_count; d++) {
    const StatCombination *c = weak_product(&s->directions[d]);
    if (!c || c->exponent[k] == 0 || !(from[0] / value > 0)) continue;
    for (int j = 0; j < s->n; j++)
      if (j != k && c->exponent[j] != 0)
        x[j] = from[2 + j] * pow(from[0] / value, c->exponent[k] / c->exponent[j]);
  }
}

// Along a direction that noise hides the objective is flat: where another unknown moves, one of its unknowns may stay where it
// is. Without that the refits of a fit would wander along it.
static void hold_others(const SideWork *w) {
  const Statistics *s = w->shared->profile->statistics;
  for (int d = 0; w->shared->roughly && d < s->direction_count; d++) {
    const StatCombination *c = weak_product(&s->directions[d]);
    int first = 0;
    if (!c || c->exponent[w->curve->number] != 0) continue;
    while (c->exponent[first] == 0) first++;
    w->held[first] = true;
  }
  refit_hold(w->refit, w->held);
}

static void predict(const SideWork *w, double value, double *x) {
  const Problem *p = w->shared->profile->problem;
  int a = nearest_inside(w, value, -1), b = nearest_inside(w, value, a);
  if (b < 0)
    follow_tangent(w, value, point_at(w, a) + 2, x);
  else
    follow_line(w, value, point_at(w, a), point_at(w, b), x);
  keep_products(w, value, point_at(w, a), x);
  for (int i = 0; i < p->unknown_count; i++) {
    if (w->held[i]) x[i] = w->shared->profile->fit->x[i];
    x[i] = fmin(fmax(x[i], p->unknowns[i].min), p->unknowns[i].max);
  }
  x[w->curve->number] = value;
}

// Some local searches end without a slope of zero because the objective is rough there; what they found counts.
static bool is_usable(LocalEnd end) {
  return local_end_converged(end) || end == LOCAL_NO_DESCENT_END;
}

static LocalEnd fit_others(SideWork *w, double value, double *x, double *objective) {
  int n = w->shared->profile->problem->unknown_count, held = w->curve->number;
  predict(w, value, x);
  LocalEnd end = refit_run(w->refit, held, x, objective);
  if (is_usable(end) || end == LOCAL_STOPPED_END || end == LOCAL_INFEASIBLE_END) return end;
  memcpy(x, point_at(w, nearest_inside(w, value, -1)) + 2, (size_t)n * sizeof *x);
  x[held] = value;
  return refit_run(w->refit, held, x, objective);
}

// A place that is visited again keeps the lower objective.
static void keep_point(SideWork *w, double value, double objective, const double *x) {
  int i = 0;
  while (i < w->job->count && point_at(w, i)[0] != value) i++;
  double *to = point_at(w, i);
  if (i < w->job->count && to[1] <= objective) return;
  if (i == w->job->count) w->job->count++;
  to[0] = value, to[1] = objective;
  memcpy(to + 2, x, (size_t)w->shared->profile->problem->unknown_count * sizeof *x);
}

static bool is_too_dear(const SideWork *w) {
  return work_count_simulations(refit_work(w->refit)) > w->shared->simulations_most;
}

static VisitEnd visit(void *self, double at, double *root) {
  SideWork *w = self;
  double value = unscaled(w, at), objective;
  LocalEnd end = fit_others(w, value, w->start, &objective);
  bool cut = end == LOCAL_STOPPED_END && refit_is_over(w->refit);
  if (!patience_asks() || cut || is_too_dear(w)) return VISIT_STOPPED;
  if (end == LOCAL_INFEASIBLE_END) return VISIT_FORBIDDEN;
  if (!is_usable(end)) {
    w->job->used_up = refit_used_up(w->refit);
    return VISIT_FAILED;
  }
  keep_point(w, value, objective, w->start);
  if (objective < w->shared->better[w->job->curve]) return VISIT_BETTER;
  *root = sqrt(fmax(0, 2 * (objective - w->shared->profile->objective) / w->curve->factor));
  return VISIT_DONE;
}

static double first_step(const SideWork *w, double height) {
  double x = w->estimate, size = typical_size(w->f, x);
  bool logs = profile_in_logs(w->f, x);
  double unit = logs ? 1 : size;
  double error = w->curve->std_error / (logs ? x : 1);
  return isfinite(error) && error > 0 ? fmax(height / 4 * error, 1e-12 * unit) : 0.01 * unit;
}

// The bound; where it is infinite, the end of the range.
static double last_place(const SideWork *w, double range) {
  double x = w->estimate, sign = w->job->side ? 1 : -1, size = typical_size(w->f, x);
  bool logs = profile_in_logs(w->f, x);
  double edge = w->job->side ? w->f->max : w->f->min;
  double far = logs ? log(x) + sign * log(range) : x + sign * range * size;
  return isfinite(edge) ? scaled(w, edge) : far;
}

static void walk_side(const SideShared *shared, SideJob *job) {
  const Profile *p = shared->profile;
  const ProfileCurve *curve = &p->curves[job->curve];
  Arena *a = arena_new();
  SideWork w = {.shared = shared,
                .curve = curve,
                .f = &p->problem->unknowns[curve->number],
                .job = job,
                .estimate = p->fit->x[curve->number],
                .held = ARENA_ARRAY(a, bool, p->problem->unknown_count + 1),
                .start = ARENA_ARRAY(a, double, p->problem->unknown_count + 1)};
  RunLimit limit;
  run_limit_begin(&limit, p->problem->options.run_seconds, p->problem->options.run_memory);
  // One thread: the sides run in parallel.
  w.refit = refit_new(shared->fitting, 1, p->fit->sigma);
  refit_limit(w.refit, shared->left);
  hold_others(&w);
  keep_point(&w, w.estimate, p->objective, p->fit->x);
  Walk walk = {.from = scaled(&w, w.estimate),
               .to = last_place(&w, shared->range),
               .height = sqrt(p->threshold),
               .visits_most = SIDE_POINTS_MOST - 1,
               .self = &w,
               .visit = visit};
  walk.step = first_step(&w, walk.height);
  walk.step_most = fmax(fabs(walk.to - walk.from) / 6, walk.step);
  job->walk = walk_run(&walk);
  if (run_limit_end(&limit) && job->walk.end == WALK_STOPPED) {
    job->walk.end = WALK_FAILED;
    job->used_up = true;
  }
  job->work = *refit_work(w.refit);
  job->unfinished = !patience_asks();
  refit_free(w.refit);
  arena_free(a);
}

static void *begin_worker(const void *shared) {
  return (void *)shared;
}

static void work(void *shared, void *job) {
  walk_side(shared, job);
}

static bool is_done(const void *job) {
  return !((const SideJob *)job)->unfinished;
}

static void give_up(const void *shared, void *job, const char *why) {
  (void)shared;
  (void)why;
  ((SideJob *)job)->walk = (WalkResult){.end = WALK_FAILED};
}

static const RecordColumn SIDE_COLUMNS[] = {
    {"end", RECORD_INT, offsetof(SideJob, walk.end) - offsetof(SideJob, walk), WALK_END_WORDS},
    {"at", RECORD_REAL, offsetof(SideJob, walk.at) - offsetof(SideJob, walk), NULL},
    {"points", RECORD_INT, offsetof(SideJob, count) - offsetof(SideJob, walk), NULL},
    {"simulations", RECORD_LONG, offsetof(SideJob, work.simulations) - offsetof(SideJob, walk),
     NULL},
};
static const RecordLayout SIDES = {"side", 0, 0, SIDE_COLUMNS,
                                   sizeof SIDE_COLUMNS / sizeof *SIDE_COLUMNS};

JobKind side_work(const SideShared *shared) {
  return (JobKind){
      .worker = {side_job_size(shared->fitting->problem), begin_worker, NULL, work, shared},
      .question = offsetof(SideJob, walk),
      .is_done = is_done,
      .give_up = give_up,
      .layout = &SIDES};
}
