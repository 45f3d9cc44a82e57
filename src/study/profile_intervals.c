// Along a curved valley the standard error itself changes: an interval of linear theory then holds the truth less often than
// it says. That is likely where it is wide compared with the unknown, meets a bound, or leaves out values that searches ended at
// with the same objective. Unknowns that noise hides have no
// interval of linear theory; to leave them out would select those that seem certain, so their profile is given, with one end
// or none if it has no more.
#include "study/profile_intervals.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/patience.h"
#include "search/samples.h"
#include "stats/invariance.h"
#include "study/profile_run.h"

// Standard error over the size of an unknown, from which on it may be curved.
static const double WIDE = 0.1;
// Sizes of an unknown that profiles without an end are followed for.
static const double RANGE = 1e3;
// After a short fit profiles may take about SHORT seconds; after others SIMULATIONS, or TIMES those of the search.
static const double SHORT = 5;
static const long SIMULATIONS = 100, TIMES = 3;

static long simulations_most(const FitResult *fit) {
  const Problem *p = fit->problem;
  long used = work_count_simulations(&fit->work),
       usual = TIMES * work_count_simulations(&fit->search_work);
  if (usual < SIMULATIONS) usual = SIMULATIONS;
  double rows = sample_count(p, 1) / fmax(p->experiment_count, 1);
  double seconds = work_count_length(&fit->work, p->model->nx, rows, p->unknown_count);
  if (seconds > WORK_IS_LONG) return usual;
  return (long)fmin(fmax((double)usual, SHORT * (double)used / fmax(seconds, 1e-9)), 1e9);
}

// The residuals of some channel are noise, not mere errors of simulations.
static bool has_noise(const Statistics *s) {
  for (int at = 0; at < s->channel_count; at++)
    if (!s->channels[at].exact && s->channels[at].n) return true;
  return false;
}

// No data of this kind determine it: the profile is known to be flat. One that changes nothing here may do so elsewhere: a
// rate that has run away.
static bool is_structural(const Statistics *s, int k) {
  for (int d = 0; d < s->direction_count && !s->parameters[k].inactive; d++)
    if (s->directions[d].structural && invariance_takes_part(&s->directions[d], k)) return true;
  return false;
}

// Of the value itself, or what narrow bounds leave of it.
static double size_of(const Unknown *f, double x) {
  return fmin(fabs(x), typical_size(f, x));
}

static bool is_wanted(const FitResult *fit, const Statistics *s, int k) {
  const StatParameter *of = &s->parameters[k];
  const Unknown *f = &fit->problem->unknowns[k];
  if (!of->identifiable && !s->missing_count) return !is_structural(s, k);
  if (!(of->std_error > 0)) return false; // none, or fixed by constraints
  bool meets_bound = of->ci_low <= f->min || of->ci_high >= f->max;
  bool elsewhere = fit->low && (fit->low[k] < of->ci_low || fit->high[k] > of->ci_high);
  return meets_bound || elsewhere || of->std_error > WIDE * size_of(f, fit->x[k]);
}

// Where one moves along a curved valley, those that move with it do, too.
static const double TIED = 0.5; // correlation

static bool moves_along(const Statistics *s, int k, int j) {
  return j != k && fabs(s->correlation[k * s->n + j]) > TIED;
}

static bool is_tied(const Statistics *s, int k) {
  bool tied = false;
  for (int j = 0; j < s->n; j++)
    tied |= s->parameters[j].profile_wanted && (j == k || moves_along(s, k, j));
  return tied && s->parameters[k].std_error > 0;
}

static double relative_error(const FitResult *fit, const Statistics *s, int k) {
  double error = s->parameters[k].std_error;
  return isnan(error) ? HUGE_VAL : error / typical_size(&fit->problem->unknowns[k], fit->x[k]);
}

// The most uncertain first: simulations may not last for all.
static void insert(const FitResult *fit, const Statistics *s, int *number, int count, int k) {
  for (; count > 0; count--) {
    if (relative_error(fit, s, number[count - 1]) >= relative_error(fit, s, k)) break;
    number[count] = number[count - 1];
  }
  number[count] = k;
}

static int list_wanted(const FitResult *fit, Statistics *s, int *number) {
  int count = 0;
  bool *tied = ARENA_ARRAY(s->arena, bool, s->n + 1);
  for (int k = 0; k < s->n; k++) s->parameters[k].profile_wanted = is_wanted(fit, s, k);
  for (int k = 0; k < s->n; k++) tied[k] = is_tied(s, k);
  for (int k = 0; k < s->n; k++) {
    s->parameters[k].profile_wanted |= tied[k];
    if (s->parameters[k].profile_wanted) insert(fit, s, number, count++, k);
  }
  return count;
}

// There are intervals, and some noise that profiles could be compared with.
static bool can_have_profiles(const FitResult *fit, const Statistics *s) {
  return !fit->pieces && s->freedom > 0 && has_noise(s);
}

static bool is_optimum(const FitResult *fit) {
  bool taken = fit->cut == FIT_CUT_ENOUGH && local_end_converged(fit->end);
  return taken || fit->outcome == FIT_CONVERGED || fit->outcome == FIT_UNCERTAIN;
}

static long simulations_left(const FitResult *fit) {
  return problem_max_simulations(fit->problem) - work_count_simulations(&fit->work);
}

// What ends profiles that are wanted before they begin.
static FitCut cut_before(const FitResult *fit, const Statistics *s) {
  if (fit->cut != FIT_CUT_NOTHING && fit->cut != FIT_CUT_ENOUGH) return fit->cut;
  if (s->missing_count || !patience_asks())
    return patience_is_late() ? FIT_CUT_SECONDS : FIT_CUT_STOP;
  return simulations_left(fit) > 0 ? FIT_CUT_NOTHING : FIT_CUT_SIMULATIONS;
}

static FitCut cut_after(const Profile *p) {
  bool whole = p->sides_done == p->sides || p->rough;
  if (!whole && !patience_asks()) return patience_is_late() ? FIT_CUT_SECONDS : FIT_CUT_STOP;
  return p->limited ? FIT_CUT_SIMULATIONS : FIT_CUT_NOTHING;
}

static void miss_profiles(Statistics *s, FitCut cut) {
  if (cut == FIT_CUT_NOTHING) return;
  s->missing[s->missing_count++] = "profiles";
  s->profiles_cut = arena_print(s->arena, "Not all profiles were done: %s.", fit_cut_clause(cut));
}

// An open side reaches as far as bounds and constraints let it.
static double end_of(const ProfileSide *side, double infinite) {
  return side->end == PROFILE_RANGE ? infinite : side->at;
}

static bool is_at_bound(const Unknown *f, double x) {
  return x <= f->min || x >= f->max;
}

// The point at which the side was found to have crossed the threshold.
static const ProfilePoint *point_beyond(const ProfileCurve *c, int side) {
  const ProfilePoint *best = NULL;
  double at = c->side[side].at;
  for (int i = 0; i < c->point_count; i++) {
    const ProfilePoint *point = &c->points[i];
    bool beyond = side ? point->value >= at : point->value <= at;
    if (beyond && (!best || fabs(point->value - at) < fabs(best->value - at))) best = point;
  }
  return best;
}

// The data end this side. Else a bound does: that of the unknown, or that of another one, which could follow no further.
static bool data_end(const FitResult *fit, const Statistics *s, const ProfileCurve *c, int side) {
  const ProfilePoint *last = point_beyond(c, side);
  if (c->side[side].end != PROFILE_CROSSED) return false;
  for (int j = 0; last && j < fit->problem->unknown_count; j++) {
    const Unknown *f = &fit->problem->unknowns[j];
    bool stopped = is_at_bound(f, last->x[j]) && !is_at_bound(f, fit->x[j]);
    if (j != c->number && stopped && moves_along(s, c->number, j)) return false;
  }
  return true;
}

// Noise hides it, or another can take its part.
static const double INSEPARABLE = 0.99; // correlation

static bool is_hard_to_tell(const Statistics *s, int k) {
  bool hard = !s->parameters[k].identifiable;
  for (int j = 0; j < s->n; j++) hard |= j != k && fabs(s->correlation[k * s->n + j]) > INSEPARABLE;
  return hard;
}

// Of an unknown that noise hides, a profile without any end says nothing.
static void take_curve(const FitResult *fit, Statistics *s, const ProfileCurve *c) {
  StatParameter *out = &s->parameters[c->number];
  if (!profile_side_is_done(&c->side[0]) || !profile_side_is_done(&c->side[1])) return;
  bool ends = c->side[0].end == PROFILE_CROSSED || c->side[1].end == PROFILE_CROSSED;
  if (!out->identifiable && !ends) return;
  bool lower = data_end(fit, s, c, 0), upper = data_end(fit, s, c, 1);
  if (is_hard_to_tell(s, c->number) && lower != upper) out->open = lower ? 1 : -1;
  out->ci_low = end_of(&c->side[0], -HUGE_VAL);
  out->ci_high = end_of(&c->side[1], HUGE_VAL);
  out->interval = INTERVAL_PROFILE;
}

// What moves along with it does: that says enough.
static bool one_runs_away(const Statistics *s, int k) {
  for (int j = 0; j < s->n; j++)
    if (s->parameters[j].open > 0 && moves_along(s, k, j)) return true;
  return false;
}

// Of unknowns that noise hides, what their profiles say of them nevertheless.
static void say_open(Statistics *s, const Problem *p) {
  for (int k = 0; k < s->n; k++) {
    const StatParameter *of = &s->parameters[k];
    const Unknown *f = &p->unknowns[k];
    bool up = of->open > 0;
    double far = up ? of->ci_high : of->ci_low, bound = up ? f->max : f->min;
    if (!of->open || (!up && one_runs_away(s, k))) continue;
    const char *where = !isfinite(far) ? "any value"
                        : far == bound
                            ? arena_print(s->arena, "its bound %g", bound)
                            : arena_print(s->arena, "%.3g, where another meets its bound,", far);
    statistics_add_remark(
        s, arena_print(s->arena,
                       "The data only say that %s is %s %.3g%s: %s to %s the fit stays as good.",
                       f->name, up ? "above" : "below", up ? of->ci_low : of->ci_high,
                       up ? ", and it runs away" : "", up ? "up" : "down", where));
  }
}

// What the log-likelihood gains, twice, if the residuals are independent: those of a wrong optimum are not, but that is no
// excuse for it.
static double gain(const Profile *p, double objective) {
  bool known = noise_is_given(p->problem) || noise_is_estimated(p->problem);
  if (known && p->problem->options.criterion == CRITERION_SUM)
    return 2 * (p->objective - objective);
  return sample_count(p->problem, 1) * log(p->objective / objective);
}

// A smaller gain is convergence; beyond DOUBT (chi-square, 95 %) the result is wrong, and another search is worth it.
static const double BETTER = 0.05, DOUBT = 3.84;

// The lowest point that a profile has passed, if it is better than the result; else NULL.
static const ProfilePoint *better_point(const Profile *p, const ProfileCurve *c) {
  const ProfilePoint *lowest = NULL;
  for (int i = 0; i < c->point_count; i++)
    if (!lowest || c->points[i].objective < lowest->objective) lowest = &c->points[i];
  return lowest && gain(p, lowest->objective) > BETTER ? lowest : NULL;
}

// A point that is better by more than an interval allows contradicts a verdict that nothing better was found.
static void doubt_verdict(FitResult *fit, const char *remark) {
  if (!fit_verdict_is_good(fit->verdict)) return;
  fit->verdict = FIT_DOUBTFUL;
  fit->outcome = FIT_UNCERTAIN;
  c_snprintf(fit->why, sizeof fit->why, "%s", remark);
  c_snprintf(fit->message, sizeof fit->message, "%s", fit_outcome_sentence(fit->outcome));
}

static const double *say_better(FitResult *fit, Statistics *s, const Profile *p) {
  const ProfilePoint *best = NULL;
  const char *name = "";
  for (int i = 0; i < p->count; i++) {
    const ProfilePoint *point = better_point(p, &p->curves[i]);
    if (!point || (best && best->objective <= point->objective)) continue;
    best = point;
    name = p->problem->unknowns[p->curves[i].number].name;
  }
  if (!best) return NULL;
  bool chance = gain(p, best->objective) < DOUBT;
  const char *remark =
      arena_print(s->arena,
                  "The profile of %s passes a %sbetter point, at %s = %.6g: objective %.6g instead "
                  "of %.6g. %s.",
                  name, chance ? "slightly " : "", name, best->value, best->objective, p->objective,
                  chance ? "Chance explains such a difference"
                         : "A fit that starts there may find a better optimum");
  statistics_add_remark(s, remark);
  if (chance) return NULL;
  doubt_verdict(fit, remark);
  double *x = ARENA_ARRAY(s->arena, double, s->n + 1);
  memcpy(x, best->x, (size_t)s->n * sizeof *x);
  return x;
}

static const double *follow_profiles(FitResult *fit, Statistics *s, EvalWork *work,
                                     const Weighting *weighting, const int *number, int count) {
  ProfileRequest request = {number, count, 0.95, RANGE};
  Profile *p = profile_result(fit, s, work, weighting, &request, simulations_most(fit),
                              simulations_left(fit));
  for (int i = 0; i < p->count; i++) take_curve(fit, s, &p->curves[i]);
  say_open(s, fit->problem);
  const double *better = say_better(fit, s, p);
  miss_profiles(s, cut_after(p));
  work_count_add(&fit->work, &p->work);
  work_count_add(&fit->profile_work, &p->work);
  profile_release(p);
  return better;
}

const double *profile_intervals(FitResult *fit, Statistics *s, EvalWork *work,
                                const Weighting *weighting) {
  if (!can_have_profiles(fit, s)) return NULL;
  int *number = ARENA_ARRAY(s->arena, int, s->n + 1), count = list_wanted(fit, s, number);
  if (!count || fit->problem->options.profiles == PROFILES_OFF) return NULL;
  FitCut cut = cut_before(fit, s);
  if (cut != FIT_CUT_NOTHING)
    miss_profiles(s, cut);
  else if (is_optimum(fit))
    return follow_profiles(fit, s, work, weighting, number, count);
  return NULL;
}
