#include "study/profile_run.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/patience.h"
#include "search/confirm.h"
#include "search/fit.h"
#include "stats/assess.h"
#include "study/profile_judge.h"
#include "study/profile_measure.h"
#include "study/profile_refit.h"
#include "study/profile_rough.h"
#include "study/profile_side.h"

// ---------------------------------------------------------------- a round: all sides from one optimum

typedef struct ProfileStudy {
  Profile *p;
  const ProfileRequest *request;
  ProfileListener *listener;
  void *data;
  double began;
  const Fitting *fitting; // of the problem
  EvalWork *work;
  long simulations_most;
  long left; // simulations that max_simulations of the fit allows; LONG_MAX: it does not count
  const Problem *simulated; // the problem, with more accuracy where it needs that
  Fitting *sharp;           // its fitting then, NULL: that of the problem
  double accuracy;          // of the objective, by that of simulations
  bool settled;             // the result stays, whatever profiles find
  bool fits;                // no profile is followed now
  bool of_fit;              // the intervals of a fit, not a study of profiles
} ProfileStudy;

static const Fitting *fitting_of(const ProfileStudy *s) {
  return s->sharp ? s->sharp : s->fitting;
}

static bool goes_on(void *data) {
  const ProfileStudy *s = data;
  return !s->listener || s->listener(s->data, s->p, s->fits);
}

static ProfileEnd end_of(const Profile *p, const SideJob *job) {
  const Unknown *f = &p->problem->unknowns[p->curves[job->curve].number];
  switch (job->walk.end) {
  case WALK_CROSSED: return PROFILE_CROSSED;
  case WALK_AT_END: return isfinite(job->side ? f->max : f->min) ? PROFILE_BOUND : PROFILE_RANGE;
  case WALK_FORBIDDEN: return PROFILE_CONSTRAINT;
  case WALK_STOPPED: return PROFILE_STOPPED;
  default: return job->used_up ? PROFILE_BUDGET : PROFILE_FAILED;
  }
}

static void take_points(Profile *p, const SideJob *job) {
  ProfileCurve *c = &p->curves[job->curve];
  int n = p->problem->unknown_count, width = side_point_width(p->problem);
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
  const Unknown *f = &p->problem->unknowns[c->number];
  ProfileSide *side = &c->side[job->side];
  double at = job->walk.at;
  side->end = end_of(p, job);
  side->at = fmin(fmax(profile_in_logs(f, p->fit->x[c->number]) ? exp(at) : at, f->min), f->max);
  side->jump = job->walk.jump;
  take_points(p, job);
  p->sides_done++;
}

static long simulations_of(const ProfileStudy *s) {
  return work_count_simulations(&s->p->work);
}

typedef struct SideTaking { // of one round
  ProfileStudy *study;
  Arena *arena;
  size_t size;     // of a job
  SideJob *better; // the first side, in their order, that found a better optimum; NULL: none did
} SideTaking;

static void make_side(void *data, long number, void *to) {
  SideJob *job = to;
  (void)data;
  job->curve = (int)(number / 2), job->side = (int)(number % 2);
}

// Behind a side that found a better optimum the others do not matter, nor do those after the first that max_simulations leaves
// no room for, whether they were done or not: so the result is the same for any number of threads. A stop depends on the
// moment anyway: what was begun counts as work.
static bool take_job(void *data, long number, const void *taken) {
  SideTaking *t = data;
  ProfileStudy *s = t->study;
  const SideJob *job = taken;
  (void)number;
  if (simulations_of(s) + work_count_simulations(&job->work) > s->left) return false;
  work_count_add(&s->p->work, &job->work);
  if (job->walk.end == WALK_STOPPED) return true;
  if (job->walk.end == WALK_BETTER) {
    t->better = arena_alloc(t->arena, 1, t->size);
    memcpy(t->better, job, t->size);
    return false;
  }
  take_side(s->p, job);
  patience_asks();
  return simulations_of(s) <= s->simulations_most;
}

static void clear_curves(Profile *p) {
  p->sides_done = 0;
  for (int i = 0; i < p->count; i++) {
    ProfileCurve *c = &p->curves[i];
    c->point_count = 0;
    for (int side = 0; side < 2; side++)
      c->side[side] = (ProfileSide){.end = PROFILE_NONE, .at = nan("")};
  }
}

// Where profiles lower the objective by less than this, in thresholds or in standard deviations of what is rough, it is no
// other optimum.
static const double BETTER = 0.01, BETTER_ROUGH = 4;

static double better_below(const ProfileStudy *s, int curve) {
  const Profile *p = s->p;
  if (s->settled) return -HUGE_VAL;
  double least = BETTER * p->threshold * p->curves[curve].factor / 2;
  return p->objective - fmax(fmax(least, s->accuracy), BETTER_ROUGH * p->roughness);
}

static SideJob *run_round(ProfileStudy *s, Arena *a) {
  Profile *p = s->p;
  clear_curves(p);
  SideShared shared = {.profile = p,
                       .fitting = fitting_of(s),
                       .range = s->request->range,
                       .roughly = s->of_fit,
                       .simulations_most = s->simulations_most,
                       .left = s->left - (s->left < LONG_MAX ? simulations_of(s) : 0)};
  shared.better = ARENA_ARRAY(a, double, p->count + 1);
  for (int i = 0; i < p->count; i++) shared.better[i] = better_below(s, i);
  JobKind kind = side_work(&shared);
  kind.always = !s->of_fit;
  SideTaking taking = {s, a, kind.worker.size, NULL};
  Jobs *jobs = jobs_new(pool_size(p->problem->options.threads, p->sides), &kind);
  jobs_run(jobs, &(JobSet){p->sides, 0, true, make_side, take_job, &taking});
  jobs_free(jobs);
  return taking.better;
}

// ---------------------------------------------------------------- the study

enum { RESTARTS_MOST = 10 };

// Without its own limit of time: that of the study ends it.
static FitResult *fit_from(ProfileStudy *s, const Problem *problem, EvalWork *work,
                           const double *start) {
  Problem *own = ARENA_NEW(s->p->arena, Problem);
  *own = *problem;
  own->options.max_seconds = 0;
  s->fits = true;
  FitResult *fit = fit_run_on(own, work, start, NULL, NULL);
  s->fits = false;
  return fit;
}

static bool has_result(const FitResult *f) {
  return fit_has_result(f) && f->outcome != FIT_NO_START && f->outcome != FIT_STOPPED;
}

// The objective at x in the sense of the present result. HUGE_VAL: it cannot be simulated there.
static double value_at(const ProfileStudy *s, const double *x) {
  double value;
  Refit *refit = refit_new(fitting_of(s), s->simulated->options.threads, s->p->fit->sigma);
  if (!refit_value(refit, x, &value)) value = HUGE_VAL;
  refit_free(refit);
  return value;
}

// A local fit from the better point becomes the result. false: it is not better after all.
static bool restart(ProfileStudy *s, const SideJob *better) {
  Profile *p = s->p;
  Problem *local = ARENA_NEW(p->arena, Problem);
  const double *x =
      better->points + (size_t)(better->count - 1) * (size_t)side_point_width(p->problem) + 2;
  *local = *s->simulated;
  local->method = p->problem->constraints.count ? METHOD_SQP : METHOD_LM;
  local->options.lm_damping = LM_DAMPING_RADIUS;
  EvalWork *work = eval_work_new(fitting_of(s), local->options.threads, NULL);
  FitResult *fit = fit_from(s, local, work, x);
  eval_work_free(work);
  double after = has_result(fit) ? value_at(s, fit->x) : HUGE_VAL;
  bool is_better = after < better_below(s, better->curve);
  if (is_better) {
    // Nothing has confirmed it, whatever the method of the problem would have done.
    if (confirm_is_wanted(p->problem) && fit->outcome == FIT_CONVERGED)
      fit->outcome = FIT_UNCERTAIN;
    p->notes[p->note_count++] = arena_print(
        p->arena,
        "The profile of %s found a better optimum: objective %.6g instead of %.6g. All "
        "profiles begin there.",
        p->problem->unknowns[p->curves[better->curve].number].name, after, p->objective);
    p->restarts++;
  }
  fit_free(is_better ? p->fit : fit);
  if (is_better) p->fit = fit;
  return is_better;
}

static void describe(ProfileStudy *s) {
  Profile *p = s->p;
  Patience after = {.grace = PATIENCE_GRACE};
  patience_begin(&after);
  Weighting *weighting = assess_weighting(p->fit, s->work);
  statistics_free(p->statistics);
  p->statistics = assess_fit(p->fit, s->work, weighting);
  profile_measure(p, s->work, weighting);
  weighting_free(weighting);
  patience_end(&after);
}

static double least_factor(const Profile *p) {
  double least = HUGE_VAL;
  for (int i = 0; i < p->count; i++) least = fmin(least, p->curves[i].factor);
  return least;
}

// Errors of simulations, in thresholds, above which they would blur the profiles: those of a study, which can be simulated
// more accurately, and those of a fit, where an end that is wrong by a twentieth is better than none.
static const double BLUR = 0.01, BLUR_MOST = 0.1, SHARPER = 1e-3, SHARPEST = 1e-13;

static void simulate_sharper(ProfileStudy *s) {
  Problem *sharp = ARENA_NEW(s->p->arena, Problem);
  *sharp = *s->p->problem;
  sharp->simulate.rel_tol = fmax(SHARPER * sharp->simulate.rel_tol, SHARPEST);
  sharp->simulate.abs_tol *= SHARPER;
  sharp->options.step_tol *= SHARPER;
  s->simulated = sharp;
  s->sharp = fitting_new(sharp);
  s->p->rel_tol = sharp->simulate.rel_tol;
}

// The objective at the estimates, which are improved where simulations have become more accurate.
static bool evaluate_result(ProfileStudy *s, bool improve) {
  Profile *p = s->p;
  Refit *refit = refit_new(fitting_of(s), s->simulated->options.threads, p->fit->sigma);
  bool ok = true;
  if (improve) ok = local_end_converged(refit_run(refit, -1, p->fit->x, &p->objective));
  if (!improve || !ok) ok = refit_value(refit, p->fit->x, &p->objective);
  s->accuracy = refit_accuracy(refit, p->fit->objective);
  refit_free(refit);
  return ok;
}

static bool is_blurred(const ProfileStudy *s, double most) {
  return 2 * s->accuracy > most * s->p->threshold * least_factor(s->p);
}

// Statistics, thresholds and the objective at the estimates. false: the model cannot be simulated there as a whole.
static bool assess_result(ProfileStudy *s) {
  Profile *p = s->p;
  bool can_be_sharper = s->simulated == p->problem && p->problem->model->nx > 0;
  describe(s);
  if (!evaluate_result(s, s->simulated != p->problem)) return false;
  if (!can_be_sharper || !is_blurred(s, BLUR)) return true;
  simulate_sharper(s);
  if (!evaluate_result(s, true)) return false;
  describe(s);
  return true;
}

// Part of the threshold: ends of intervals would be wrong by half of it.
static const double TOO_ROUGH = 0.1;

static void note_roughness(Profile *p) {
  int digits = p->problem->options.round_digits;
  double rise = p->threshold * least_factor(p) / 2;
  const char *why =
      digits ? arena_print(p->arena, ", because simulated outputs are rounded (round_digits %d)",
                           digits)
             : "";
  p->notes[p->note_count++] = arena_print(
      p->arena,
      "The objective is too rough for profiles: it jumps by about %.2g between neighbouring "
      "values, and where it has risen by %.2g an interval would end%s.",
      p->roughness, rise, why);
}

// true: no profile can be followed.
static bool is_too_rough(ProfileStudy *s) {
  Profile *p = s->p;
  Refit *refit = refit_new(fitting_of(s), s->simulated->options.threads, p->fit->sigma);
  refit_limit(refit, s->left);
  p->roughness = profile_roughness(p, refit);
  work_count_add(&p->work, refit_work(refit));
  refit_free(refit);
  p->rough = 2 * p->roughness > TOO_ROUGH * p->threshold * least_factor(p);
  if (!p->rough) return false;
  clear_curves(p);
  for (int i = 0; i < p->sides; i++) p->curves[i / 2].side[i % 2].end = PROFILE_ROUGH;
  note_roughness(p);
  return true;
}

// When the number of restarts is used up, or the optimum is not better, the last profiles are followed to their ends.
static void take_better(ProfileStudy *s, const SideJob *better) {
  Profile *p = s->p;
  bool taken = restart(s, better);
  s->settled = !taken || p->restarts == RESTARTS_MOST;
  if (taken && s->settled)
    p->notes[p->note_count++] =
        "The profiles keep finding better optima; no more are searched for.";
}

// Statistics that are missing were stopped.
static void note_no_threshold(Profile *p) {
  if (p->statistics->missing_count) return;
  p->notes[p->note_count++] = arena_print(
      p->arena,
      "There are no profiles: %ld sample%s for %d parameter%s leave nothing to estimate the noise "
      "from, so nobody can say where an interval ends. A sigma for each channel would tell it.",
      p->statistics->samples, p->statistics->samples == 1 ? "" : "s", p->problem->unknown_count,
      p->problem->unknown_count == 1 ? "" : "s");
}

static void end_stopped_sides(Profile *p) {
  for (int i = 0; i < p->sides; i++) {
    ProfileSide *side = &p->curves[i / 2].side[i % 2];
    if (side->end == PROFILE_NONE) side->end = PROFILE_STOPPED;
  }
}

static void run_rounds(ProfileStudy *s) {
  const SideJob *better = NULL;
  Arena *a = arena_new();
  do {
    bool assessed = assess_result(s);
    if (assessed && isnan(s->p->threshold)) note_no_threshold(s->p);
    if (!assessed || isnan(s->p->threshold) || is_too_rough(s)) break;
    better = run_round(s, a);
    if (better) take_better(s, better);
  } while (better && patience_asks());
  arena_free(a);
}

static Profile *profile_new(const Problem *problem, const ProfileRequest *request) {
  Arena *a = arena_new();
  Profile *p = ARENA_NEW(a, Profile);
  int count = request->numbers ? request->count : problem->unknown_count;
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
    p->curves[i].points = ARENA_ARRAY(a, ProfilePoint, 2 * SIDE_POINTS_MOST);
    p->curves[i].std_error = p->curves[i].low = p->curves[i].high = nan("");
    p->curves[i].factor = nan("");
    p->curves[i].tangent = ARENA_ARRAY(a, double, problem->unknown_count + 1);
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
  if (problem->unknown_count == 0) {
    fail(err, ERR_VALUE, "nothing is estimated, so there is nothing to profile");
    return NULL;
  }
  Profile *p = profile_new(problem, request);
  Fitting *fitting = fitting_new(problem);
  ProfileStudy s = {.p = p,
                    .request = request,
                    .listener = listener,
                    .data = data,
                    .began = patience_clock(),
                    .simulations_most = LONG_MAX,
                    .left = LONG_MAX,
                    .fitting = fitting,
                    .simulated = problem};
  Patience patience = {
      .goes_on = goes_on, .data = &s, .until = patience_until(problem->options.max_seconds)};
  patience_begin(&patience);
  s.work = eval_work_new(s.fitting, problem->options.threads, NULL);
  p->fit = fit_from(&s, problem, s.work, NULL);
  bool can = can_be_profiled(p, err);
  if (can && has_result(p->fit)) run_rounds(&s);
  p->stopped = patience.over && p->sides_done < p->sides; // a no after the last side stops nothing
  p->timeout = p->stopped && patience_is_late();
  if (p->stopped) end_stopped_sides(p);
  patience_end(&patience);
  if (can) profile_judge(p);
  p->seconds = record_seconds(patience_clock() - s.began);
  eval_work_free(s.work);
  fitting_free(fitting);
  fitting_free(s.sharp);
  if (can) return p;
  profile_free(p);
  return NULL;
}

// ---------------------------------------------------------------- of a result that is there

// Roughness takes some ten simulations to measure; smooth models have none.
static bool may_be_rough(const Problem *p) {
  return p->model->ne > 0 || p->options.round_digits > 0;
}

Profile *profile_result(FitResult *fit, Statistics *statistics, EvalWork *work,
                        const Weighting *weighting, const ProfileRequest *request, long usual,
                        long left) {
  const Problem *problem = eval_fitting(work)->problem;
  Profile *p = profile_new(problem, request);
  ProfileStudy s = {.p = p,
                    .request = request,
                    .simulations_most = usual,
                    .left = left,
                    .fitting = eval_fitting(work),
                    .work = work,
                    .simulated = problem,
                    .settled = true,
                    .of_fit = true};
  Arena *a = arena_new();
  p->fit = fit;
  p->statistics = statistics;
  profile_measure(p, work, weighting);
  bool followed = left > 0 && evaluate_result(&s, false) && !isnan(p->threshold) &&
                  !is_blurred(&s, BLUR_MOST) && !(may_be_rough(problem) && is_too_rough(&s));
  if (followed) run_round(&s, a);
  p->limited = followed && p->sides_done < p->sides && simulations_of(&s) <= usual;
  arena_free(a);
  return p;
}

void profile_release(Profile *p) {
  if (!p) return;
  p->fit = NULL;
  p->statistics = NULL;
  profile_free(p);
}
