#include "study/profile.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/crew.h"
#include "stats/samples.h"
#include "study/profile_parts.h"
#include "study/profile_refit.h"
#include "study/profile_walk.h"

static const char *const END_WORD[] = {
#define PROFILE_END(name, word, sentence) word,
    PROFILE_ENDS
#undef PROFILE_END
};
static const char *const END_SENTENCE[] = {
#define PROFILE_END(name, word, sentence) sentence,
    PROFILE_ENDS
#undef PROFILE_END
};
static const char *const VERDICT_WORD[] = {
#define PROFILE_VERDICT(name, word) word,
    PROFILE_VERDICTS
#undef PROFILE_VERDICT
};

const char *profile_end_word(ProfileEnd e) {
  return END_WORD[e];
}
const char *profile_end_sentence(ProfileEnd e) {
  return END_SENTENCE[e];
}
const char *profile_verdict_word(ProfileVerdict v) {
  return VERDICT_WORD[v];
}

bool profile_in_logs(const Free *f, double estimate) {
  return f->log && estimate > 0;
}

double profile_scaled(const Free *f, double estimate, double value) {
  return profile_in_logs(f, estimate) ? log(value) : value;
}

// ---------------------------------------------------------------- one side of one number

enum { VISITS_MOST = 80 };

// A job, and its answer. Behind it stand the points: value, objective and all numbers of each.
typedef struct SideJob {
  int curve, side; // side 0: below
  WalkResult walk;
  int count;
  FitWork work;
  double points[];
} SideJob;

typedef struct Shared { // by all sides of one round
  const Profile *profile;
  const Problem *problem; // as it is simulated
  double range;
  double *better; // by curve: objective below which a point is a better optimum
  size_t job_size;
} Shared;

typedef struct SideWork { // while a worker walks
  const Shared *shared;
  const ProfileCurve *curve;
  const Free *f;
  SideJob *job;
  Refit *refit;
  Arena *arena;
  double estimate;
  double *start; // scratch
  const Crew *crew;
} SideWork;

static int point_width(const Problem *p) {
  return 2 + p->free_count;
}

static double *point_at(const SideWork *w, int i) {
  return w->job->points + (size_t)i * (size_t)point_width(w->shared->profile->problem);
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
  for (int i = 0; i < w->shared->profile->problem->free_count; i++) {
    double slope = w->curve->tangent[i];
    x[i] = from[i] + (isfinite(slope) ? slope * (value - w->estimate) : 0);
  }
}

// On the line through two points, each number on its own scale.
static void follow_line(const SideWork *w, double value, const double *a, const double *b,
                        double *x) {
  const Problem *p = w->shared->profile->problem;
  double share = (scaled(w, value) - scaled(w, a[0])) / (scaled(w, b[0]) - scaled(w, a[0]));
  for (int i = 0; i < p->free_count; i++) {
    double xa = a[2 + i], xb = b[2 + i];
    bool logs = p->free[i].log && xa > 0 && xb > 0;
    double to = logs ? xa * pow(xb / xa, share) : xa + share * (xb - xa);
    x[i] = isfinite(to) ? to : xa;
  }
}

static void predict(const SideWork *w, double value, double *x) {
  const Problem *p = w->shared->profile->problem;
  int a = nearest_inside(w, value, -1), b = nearest_inside(w, value, a);
  if (b < 0)
    follow_tangent(w, value, point_at(w, a) + 2, x);
  else
    follow_line(w, value, point_at(w, a), point_at(w, b), x);
  for (int i = 0; i < p->free_count; i++) x[i] = fmin(fmax(x[i], p->free[i].min), p->free[i].max);
  x[w->curve->number] = value;
}

// Some local searches end without a slope of zero because the objective is rough there; what they found counts.
static bool is_usable(LocalEnd end) {
  return local_end_converged(end) || end == LOCAL_NO_DESCENT_END;
}

static LocalEnd fit_others(SideWork *w, double value, double *x, double *objective) {
  int n = w->shared->profile->problem->free_count, held = w->curve->number;
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
  memcpy(to + 2, x, (size_t)w->shared->profile->problem->free_count * sizeof *x);
}

static VisitEnd visit(void *self, double at, double *root) {
  SideWork *w = self;
  double value = unscaled(w, at), objective;
  LocalEnd end = fit_others(w, value, w->start, &objective);
  if (!crew_goes_on(w->crew)) return VISIT_STOPPED;
  if (end == LOCAL_INFEASIBLE_END) return VISIT_FORBIDDEN;
  if (!is_usable(end)) return VISIT_FAILED;
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

// The last place, and whether it is a bound.
static double last_place(const SideWork *w, double range, bool *bound) {
  double x = w->estimate, sign = w->job->side ? 1 : -1, size = typical_size(w->f, x);
  bool logs = profile_in_logs(w->f, x);
  double edge = w->job->side ? w->f->max : w->f->min;
  double far = logs ? log(x) + sign * log(range) : x + sign * range * size;
  double at = isfinite(edge) && (!logs || edge > 0) ? scaled(w, edge) : sign * HUGE_VAL;
  *bound = isfinite(at); // bounds are near enough to be reached by steps that grow
  return *bound ? at : far;
}

static bool asks_crew(void *data) {
  return crew_goes_on(data);
}

static void walk_side(const Shared *shared, const Crew *crew, SideJob *job) {
  const Profile *p = shared->profile;
  const ProfileCurve *curve = &p->curves[job->curve];
  Arena *a = arena_new();
  SideWork w = {.shared = shared,
                .curve = curve,
                .f = &p->problem->free[curve->number],
                .job = job,
                .arena = a,
                .estimate = p->fit->x[curve->number],
                .start = ARENA_ARRAY(a, double, p->problem->free_count + 1),
                .crew = crew};
  w.refit = refit_new(shared->problem, p->fit->sigma, asks_crew, (void *)crew);
  keep_point(&w, w.estimate, p->objective, p->fit->x);
  bool bound;
  Walk walk = {.from = scaled(&w, w.estimate),
               .to = last_place(&w, shared->range, &bound),
               .height = sqrt(p->threshold),
               .visits_most = VISITS_MOST - 1,
               .self = &w,
               .visit = visit};
  walk.step = first_step(&w, walk.height);
  walk.step_most = fmax(fabs(walk.to - walk.from) / 6, walk.step);
  job->walk = walk_run(&walk);
  job->work = *refit_work(w.refit);
  refit_free(w.refit);
  arena_free(a);
}

typedef struct Worker {
  const Shared *shared;
  const Crew *crew;
  Arena *arena;
} Worker;

static void *begin_worker(const void *shared, const Crew *crew) {
  Arena *a = arena_new();
  Worker *w = ARENA_NEW(a, Worker);
  *w = (Worker){shared, crew, a};
  return w;
}

static void end_worker(void *own) {
  arena_free(((Worker *)own)->arena);
}

static void work(void *own, void *job) {
  const Worker *w = own;
  walk_side(w->shared, w->crew, job);
}

// ---------------------------------------------------------------- a round: all sides from one optimum

typedef struct Study {
  Profile *p;
  const ProfileRequest *request;
  ProfileListener *listener;
  void *data;
  double began;
  const Problem *simulated; // the problem, with more accuracy where it needs that
} Study;

static bool goes_on(void *data) {
  Study *s = data;
  double most = s->p->problem->options.max_seconds;
  if (most > 0 && clock_seconds() - s->began > most) s->p->stopped = true;
  if (!s->p->stopped && s->listener && !s->listener(s->data, s->p, false)) s->p->stopped = true;
  return !s->p->stopped;
}

static ProfileEnd end_of(const Profile *p, const SideJob *job) {
  const Free *f = &p->problem->free[p->curves[job->curve].number];
  switch (job->walk.end) {
  case WALK_CROSSED: return PROFILE_CROSSED;
  case WALK_AT_END: return isfinite(job->side ? f->max : f->min) ? PROFILE_BOUND : PROFILE_RANGE;
  case WALK_FORBIDDEN: return PROFILE_CONSTRAINT;
  case WALK_STOPPED: return PROFILE_STOPPED;
  default: return PROFILE_FAILED;
  }
}

static void take_points(Profile *p, const SideJob *job) {
  ProfileCurve *c = &p->curves[job->curve];
  int n = p->problem->free_count, width = point_width(p->problem);
  bool first = c->point_count == 0; // the estimate is a point of both sides
  for (int i = first ? 0 : 1; i < job->count; i++) {
    const double *from = job->points + (size_t)i * (size_t)width;
    ProfilePoint *to = &c->points[c->point_count++];
    *to = (ProfilePoint){.value = from[0], .objective = from[1]};
    to->ratio = fmax(0, 2 * (from[1] - p->objective) / c->factor);
    to->x = ARENA_ARRAY(p->arena, double, n + 1);
    memcpy(to->x, from + 2, (size_t)n * sizeof *to->x);
  }
}

static void take_side(Profile *p, const SideJob *job) {
  ProfileCurve *c = &p->curves[job->curve];
  const Free *f = &p->problem->free[c->number];
  ProfileSide *side = &c->side[job->side];
  double at = job->walk.at;
  side->end = end_of(p, job);
  side->at = fmin(fmax(profile_in_logs(f, p->fit->x[c->number]) ? exp(at) : at, f->min), f->max);
  side->jump = job->walk.jump;
  take_points(p, job);
  p->sides_done++;
}

static SideJob *better_job(Arena *a, size_t size, const SideJob *job) {
  SideJob *copy = arena_alloc(a, 1, size);
  memcpy(copy, job, size);
  return copy;
}

// Of the first side, in their order, that found a better optimum; NULL: none did. The others do not matter then, whether
// they were done or not, so that the answer is the same for any number of threads.
static SideJob *collect(Study *s, Crew *crew, const Shared *shared, Arena *a) {
  SideJob *job = arena_alloc(a, 1, shared->job_size), *better = NULL;
  while (!better && crew_collect(crew, job)) {
    fit_work_add(&s->p->work, &job->work);
    if (job->walk.end == WALK_BETTER)
      better = better_job(a, shared->job_size, job);
    else if (job->walk.end != WALK_STOPPED)
      take_side(s->p, job);
    goes_on(s);
  }
  return better;
}

static void clear_curves(Profile *p) {
  p->sides_done = 0;
  for (int i = 0; i < p->count; i++) {
    ProfileCurve *c = &p->curves[i];
    c->point_count = 0;
    for (int side = 0; side < 2; side++)
      c->side[side] = (ProfileSide){.end = PROFILE_STOPPED, .at = nan("")};
  }
}

// Where profiles lower the objective by less than this, in thresholds, it is no other optimum.
static const double BETTER = 0.01;

static void set_better(Shared *shared, Arena *a, double accuracy) {
  const Profile *p = shared->profile;
  shared->better = ARENA_ARRAY(a, double, p->count + 1);
  for (int i = 0; i < p->count; i++) {
    double least = BETTER * p->threshold * p->curves[i].factor / 2;
    shared->better[i] = p->objective - fmax(least, accuracy);
  }
}

static SideJob *run_round(Study *s, Arena *a, double accuracy) {
  Profile *p = s->p;
  clear_curves(p);
  Shared shared = {.profile = p, .problem = s->simulated, .range = s->request->range};
  set_better(&shared, a, accuracy);
  shared.job_size =
      sizeof(SideJob) + (size_t)(VISITS_MOST * point_width(p->problem)) * sizeof(double);
  CrewWork crew_work = {shared.job_size, begin_worker, end_worker, work, &shared};
  Crew *crew = crew_new(crew_size(p->problem->options.threads, p->sides), &crew_work);
  crew_listen(crew, goes_on, s);
  SideJob *job = arena_alloc(a, 1, shared.job_size);
  for (int i = 0; i < p->sides; i++) {
    job->curve = i / 2, job->side = i % 2;
    crew_submit(crew, job);
  }
  SideJob *better = collect(s, crew, &shared, a);
  crew_free(crew);
  return better;
}

// ---------------------------------------------------------------- the study

enum { RESTARTS_MOST = 10 };

static bool relay_fit(void *data, const FitProgress *progress) {
  Study *s = data;
  (void)progress;
  if (s->listener && !s->p->stopped && !s->listener(s->data, s->p, true)) s->p->stopped = true;
  return !s->p->stopped;
}

static void note_restart(Profile *p, int curve, double before, double after) {
  p->notes[p->note_count++] =
      arena_print(p->arena,
                  "The profile of %s found a better optimum: objective %.6g instead of %.6g. All "
                  "profiles begin "
                  "there.",
                  p->problem->free[p->curves[curve].number].name, after, before);
}

// A local fit from the better point becomes the result.
static void restart(Study *s, const SideJob *better) {
  Profile *p = s->p;
  Problem *local = ARENA_NEW(p->arena, Problem);
  const double *x =
      better->points + (size_t)(better->count - 1) * (size_t)point_width(p->problem) + 2;
  double before = p->objective, after = x[-1];
  *local = *s->simulated;
  local->method = p->problem->constraints.count ? METHOD_SQP : METHOD_TRUST_REGION;
  FitResult *fit = fit_run(local, x, relay_fit, s);
  fit_free(p->fit);
  p->fit = fit;
  p->restarts++;
  note_restart(p, better->curve, before, after);
}

static bool has_result(const FitResult *f) {
  return f->objective < HUGE_VAL && f->outcome != FIT_NO_START && f->outcome != FIT_STOPPED;
}

static void describe(Profile *p) {
  Objective *o = objective_new(p->problem);
  statistics_free(p->statistics);
  p->statistics = statistics_new(p->problem, p->fit, o);
  profile_measure(p, o);
  objective_free(o);
}

static double least_factor(const Profile *p) {
  double least = HUGE_VAL;
  for (int i = 0; i < p->count; i++) least = fmin(least, p->curves[i].factor);
  return least;
}

// Errors of simulations, in thresholds, above which they would blur the profiles.
static const double BLUR = 0.01, SHARPER = 1e-3, SHARPEST = 1e-13;

static bool is_blurred(const Profile *p, double accuracy) {
  return 2 * accuracy > BLUR * p->threshold * least_factor(p);
}

static void simulate_sharper(Study *s) {
  Problem *sharp = ARENA_NEW(s->p->arena, Problem);
  *sharp = *s->p->problem;
  sharp->simulate.rel_tol = fmax(SHARPER * sharp->simulate.rel_tol, SHARPEST);
  sharp->simulate.abs_tol *= SHARPER;
  sharp->options.step_tol *= SHARPER;
  s->simulated = sharp;
  s->p->rel_tol = sharp->simulate.rel_tol;
}

// The objective at the estimates, which are improved where simulations have become more accurate.
static bool evaluate_result(Study *s, bool improve, double *accuracy) {
  Profile *p = s->p;
  Refit *refit = refit_new(s->simulated, p->fit->sigma, NULL, NULL);
  bool ok = true;
  if (improve) ok = local_end_converged(refit_run(refit, -1, p->fit->x, &p->objective));
  if (!improve || !ok) ok = refit_value(refit, p->fit->x, &p->objective);
  *accuracy = refit_accuracy(refit, p->fit->objective);
  refit_free(refit);
  return ok;
}

// Statistics, thresholds and the objective at the estimates. false: the model cannot be simulated there as a whole.
static bool look_at_result(Study *s, double *accuracy) {
  Profile *p = s->p;
  describe(p);
  if (!evaluate_result(s, s->simulated != p->problem, accuracy)) return false;
  if (s->simulated != p->problem || !is_blurred(p, *accuracy)) return true;
  simulate_sharper(s);
  if (!evaluate_result(s, true, accuracy)) return false;
  describe(p);
  return true;
}

static void run_rounds(Study *s) {
  Profile *p = s->p;
  const SideJob *better;
  Arena *a = arena_new();
  do {
    double accuracy;
    if (!look_at_result(s, &accuracy) || isnan(p->threshold)) break;
    better = run_round(s, a, accuracy);
    if (better) restart(s, better);
  } while (better && p->restarts < RESTARTS_MOST && !p->stopped && has_result(p->fit));
  arena_free(a);
}

static Profile *profile_new(const Problem *problem, const ProfileRequest *request) {
  Arena *a = arena_new();
  Profile *p = ARENA_NEW(a, Profile);
  int count = request->numbers ? request->count : problem->free_count;
  *p = (Profile){.arena = a,
                 .problem = problem,
                 .level = request->level,
                 .threshold = nan(""),
                 .objective = nan(""),
                 .rel_tol = problem->simulate.rel_tol,
                 .curves = ARENA_ARRAY(a, ProfileCurve, count + 1),
                 .count = count,
                 .sides = 2 * count,
                 .notes = ARENA_ARRAY(a, const char *, RESTARTS_MOST + 4)};
  for (int i = 0; i < count; i++) {
    p->curves[i].number = request->numbers ? request->numbers[i] : i;
    p->curves[i].points = ARENA_ARRAY(a, ProfilePoint, 2 * VISITS_MOST);
    p->curves[i].std_error = p->curves[i].low = p->curves[i].high = nan("");
    p->curves[i].factor = nan("");
    p->curves[i].tangent = ARENA_ARRAY(a, double, problem->free_count + 1);
    p->curves[i].remark = "";
  }
  clear_curves(p);
  return p;
}

static bool can_be_profiled(const Profile *p, Err *err) {
  if (p->fit->pieces)
    return fail(err, ERR_VALUE,
                "the result is in %d pieces, because the motion is too sensitive for one "
                "simulation over the whole time: there is no profile of such a result; a shorter "
                "window would have one",
                fit_piece_count(p->problem, p->fit->pieces));
  return true;
}

Profile *profile_run(const Problem *problem, const ProfileRequest *request,
                     ProfileListener *listener, void *data, Err *err) {
  if (problem->free_count == 0) {
    fail(err, ERR_VALUE, "nothing is estimated, so there is nothing to profile");
    return NULL;
  }
  Profile *p = profile_new(problem, request);
  Study s = {p, request, listener, data, clock_seconds(), problem};
  p->fit = fit_run(problem, NULL, relay_fit, &s);
  if (!can_be_profiled(p, err)) {
    profile_free(p);
    return NULL;
  }
  if (has_result(p->fit)) run_rounds(&s);
  profile_judge(p);
  p->seconds = clock_seconds() - s.began;
  return p;
}

void profile_free(Profile *p) {
  if (!p) return;
  statistics_free(p->statistics);
  fit_free(p->fit);
  arena_free(p->arena);
}

bool profile_is_sound(const Profile *p) {
  bool sound = p->fit->outcome == FIT_CONVERGED || p->fit->outcome == FIT_UNCERTAIN;
  for (int i = 0; i < p->count; i++)
    for (int side = 0; side < 2; side++)
      sound = sound && p->curves[i].side[side].end != PROFILE_FAILED &&
              p->curves[i].side[side].end != PROFILE_STOPPED;
  return sound;
}
