// What a profile says, in words.
#include "study/profile_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "search/samples.h"
#include "stats/invariance.h"
#include "stats/say.h"

static const double FLAT = 0.01; // ratio, in thresholds, up to which a profile counts as flat

typedef struct Judge {
  const Profile *p;
  ProfileCurve *c;
  const Unknown *f;
  double estimate;
  Arena *scratch;
} Judge;

static double scaled(const Judge *j, double value) {
  return profile_scaled(j->f, j->estimate, value);
}

static double unscaled(const Judge *j, double at) {
  return profile_in_logs(j->f, j->estimate) ? exp(at) : at;
}

static int compare_points(const void *a, const void *b) {
  double x = ((const ProfilePoint *)a)->value, y = ((const ProfilePoint *)b)->value;
  return (x > y) - (x < y);
}

static int estimate_at(const Judge *j) {
  for (int i = 0; i < j->c->point_count; i++)
    if (j->c->points[i].value == j->estimate) return i;
  return 0;
}

static const char *name_of(const Judge *j, int number) {
  return j->p->problem->unknowns[number].name;
}

// ---------------------------------------------------------------- how flat

// The root of the ratio is linear between points: where it passes the limit.
static double passes(const Judge *j, const ProfilePoint *a, const ProfilePoint *b, double limit) {
  double root = sqrt(a->ratio), share = (sqrt(limit) - root) / (sqrt(b->ratio) - root);
  double from = scaled(j, a->value), to = scaled(j, b->value);
  return unscaled(j, from + share * (to - from));
}

static void measure_side(Judge *j, int which) {
  ProfileSide *s = &j->c->side[which];
  int step = which ? 1 : -1;
  double limit = FLAT * j->p->threshold;
  bool flat = true;
  s->flat_to = j->estimate;
  s->highest = 0;
  for (int i = estimate_at(j) + step; i >= 0 && i < j->c->point_count; i += step) {
    const ProfilePoint *at = &j->c->points[i];
    bool inside = s->at < j->estimate ? at->value >= s->at : at->value <= s->at;
    if (inside) s->highest = fmax(s->highest, at->ratio);
    if (flat)
      s->flat_to = at->ratio <= limit ? at->value : passes(j, &j->c->points[i - step], at, limit);
    flat = flat && at->ratio <= limit;
  }
  if (s->end == PROFILE_CROSSED) s->highest = j->p->threshold;
}

// Of a parabola a tenth is flat; of the profile of an unknown at a corner of its bounds a hundredth.
static const double MOSTLY = 0.5;

static bool is_flat(const Judge *j) {
  const ProfileSide *s = j->c->side;
  double flat = scaled(j, s[1].flat_to) - scaled(j, s[0].flat_to);
  double whole = scaled(j, s[1].at) - scaled(j, s[0].at);
  return whole > 0 && flat >= MOSTLY * whole;
}

static bool is_structural(const Judge *j) {
  const Statistics *s = j->p->statistics;
  for (int i = 0; i < s->direction_count; i++)
    if (s->directions[i].structural && invariance_takes_part(&s->directions[i], j->c->number))
      return true;
  return s->parameters[j->c->number].inactive;
}

// Constraints leave the unknown no other value.
static bool is_fixed(const Judge *j) {
  const ProfileSide *s = j->c->side;
  return j->c->std_error == 0 && s[0].end == PROFILE_CONSTRAINT && s[1].end == PROFILE_CONSTRAINT;
}

static ProfileVerdict verdict_of(const Judge *j) {
  const ProfileSide *s = j->c->side;
  bool done = true, closed = true;
  for (int i = 0; i < 2; i++) {
    done = done && profile_side_is_done(&s[i]);
    closed = closed && s[i].end == PROFILE_CROSSED;
  }
  if (!done) return PROFILE_IS_UNKNOWN;
  if (is_fixed(j)) return PROFILE_IS_DETERMINED;
  if (is_flat(j)) return is_structural(j) ? PROFILE_IS_STRUCTURAL : PROFILE_IS_FLAT;
  return closed ? PROFILE_IS_DETERMINED : PROFILE_IS_OPEN;
}

// ---------------------------------------------------------------- what moves along

static const double MOVES = 0.01; // of the size of an unknown, while the profile is flat

static bool moves(const Judge *j, int k) {
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (int i = 0; i < j->c->point_count; i++) {
    const ProfilePoint *at = &j->c->points[i];
    if (at->value < j->c->side[0].flat_to || at->value > j->c->side[1].flat_to) continue;
    least = fmin(least, at->x[k]), most = fmax(most, at->x[k]);
  }
  return most - least > MOVES * typical_size(&j->p->problem->unknowns[k], j->p->fit->x[k]);
}

static void find_moves(Judge *j) {
  int n = j->p->problem->unknown_count;
  j->c->moves = ARENA_ARRAY(j->p->arena, int, n + 1);
  j->c->move_count = 0;
  for (int k = 0; k < n; k++)
    if (k != j->c->number && moves(j, k)) j->c->moves[j->c->move_count++] = k;
}

// ---------------------------------------------------------------- sentences

static bool at_bound(const Unknown *f, double x) {
  double near = 1e-9 * fabs(x);
  return x <= f->min + near || x >= f->max - near;
}

static void say_moves(const Judge *j, Text *t) {
  const ProfileCurve *c = j->c;
  const char **item = ARENA_ARRAY(j->scratch, const char *, c->move_count + 1);
  for (int i = 0; i < c->move_count; i++) item[i] = name_of(j, c->moves[i]);
  if (!c->move_count) return;
  text_add(t, ", while ");
  say_list(t, item, c->move_count);
  text_print(t, " %s along with it", c->move_count == 1 ? "moves" : "move");
}

// The first point beyond the end of the interval; NULL: there is none.
static const ProfilePoint *point_beyond(const Judge *j, int which) {
  const ProfileCurve *c = j->c;
  const ProfilePoint *best = NULL;
  for (int i = 0; i < c->point_count; i++) {
    const ProfilePoint *at = &c->points[i];
    bool beyond = which ? at->value > c->side[1].at : at->value < c->side[0].at;
    if (beyond && (!best || which == 0)) best = at;
  }
  return best;
}

// Names an unknown that has reached a bound on the way to the end of the side, and stays there:
// "Below 264 A cannot follow: it is at its bound 400."
static void say_walls(const Judge *j, int which, Text *t) {
  const ProfileSide *s = &j->c->side[which];
  const ProfilePoint *beyond = point_beyond(j, which);
  if (s->end != PROFILE_CROSSED || !beyond) return;
  for (int k = 0; k < j->p->problem->unknown_count; k++)
    if (k != j->c->number && at_bound(&j->p->problem->unknowns[k], beyond->x[k])) {
      text_print(t, " %s %.4g %s cannot follow: it is at its bound %.4g.",
                 which ? "Above" : "Below", s->flat_to, name_of(j, k), beyond->x[k]);
      return;
    }
}

static void say_flat(const Judge *j, Text *t) {
  const ProfileCurve *c = j->c;
  text_print(t, "The data do not determine %s: its profile is flat over [%.4g, %.4g]", j->f->name,
             c->side[0].flat_to, c->side[1].flat_to);
  say_moves(j, t);
  text_add(t, ".");
  for (int which = 0; which < 2; which++) say_walls(j, which, t);
  const char *reason = j->p->statistics->parameters[c->number].reason;
  if (c->verdict == PROFILE_IS_STRUCTURAL && reason) text_print(t, " %s", reason);
  if (c->verdict == PROFILE_IS_FLAT)
    text_add(t, " Other data, or data with less noise, may determine it.");
}

static void say_open_side(const Judge *j, int which, Text *t) {
  const ProfileSide *s = &j->c->side[which];
  const char *word = which ? "upper" : "lower";
  if (s->end != PROFILE_BOUND && s->end != PROFILE_RANGE) return;
  if (s->at == j->estimate)
    text_print(t, "%s%s is estimated at its %s bound %.4g.", t->length ? " " : "", j->f->name, word,
               s->at);
  else if (s->end == PROFILE_BOUND)
    text_print(
        t,
        "%sThe data give %s no %s limit but its bound %.4g: the profile rises to %.2g there, "
        "and %.3g would be a limit.",
        t->length ? " " : "", j->f->name, word, s->at, s->highest, j->p->threshold);
  else
    text_print(t,
               "%sThe data give %s no %s limit: the profile was followed to %.4g and has risen to "
               "%.2g, where %.3g would be a limit.",
               t->length ? " " : "", j->f->name, word, s->at, s->highest, j->p->threshold);
}

static void say_trouble(const Judge *j, int which, Text *t) {
  const ProfileSide *s = &j->c->side[which];
  if (s->end == PROFILE_CONSTRAINT)
    text_print(t, "%sThe constraints allow %s no value %s %.4g.", t->length ? " " : "", j->f->name,
               which ? "above" : "below", s->at);
  if (s->end == PROFILE_FAILED)
    text_print(t,
               "%s%s %.6g the other parameters could not be fitted: the profile of %s ends there.",
               t->length ? " " : "", which ? "Above" : "Below", s->at, j->f->name);
  if (s->end == PROFILE_BUDGET)
    text_print(t,
               "%s%s %.6g the other parameters could not be fitted with max_simulations %d: the "
               "profile of %s ends there.",
               t->length ? " " : "", which ? "Above" : "Below", s->at,
               problem_max_simulations(j->p->problem), j->f->name);
  if (s->jump && j->c->verdict == PROFILE_IS_DETERMINED)
    text_print(t, "%sThe profile jumps at %.6g: beyond it the others fit in another way.",
               t->length ? " " : "", s->at);
}

// Ends of intervals that differ by more than this part of the half width are worth a sentence.
static const double APART = 0.2;

static bool is_constrained(const Judge *j, const double *x) {
  const Problem *p = j->p->problem;
  for (int k = 0; k < p->constraints.count; k++)
    if (constraint_state(p, k, x) == CONSTRAINT_ACTIVE) return true;
  return false;
}

static const char *why_not_alike(const Judge *j) {
  if (is_constrained(j, j->p->fit->x)) return ", which keeps to the active constraints";
  for (int i = 0; i < j->c->point_count; i++)
    if (is_constrained(j, j->c->points[i].x))
      return ", which knows nothing of the constraints that become active there";
  return ": the profile is no parabola";
}

static void say_shape(const Judge *j, Text *t) {
  const ProfileCurve *c = j->c;
  double x = j->estimate, below = (x - c->side[0].at) / (x - c->low),
         above = (c->side[1].at - x) / (c->high - x);
  if (c->verdict != PROFILE_IS_DETERMINED || !isfinite(below) || !isfinite(above)) return;
  if (fabs(below - 1) <= APART && fabs(above - 1) <= APART) return;
  text_print(t,
             "%sThe interval of %s reaches %.2g times as far below and %.2g times as far above the "
             "estimate as the covariance says%s.",
             t->length ? " " : "", j->f->name, below, above, why_not_alike(j));
}

static const char *remark_of(const Judge *j) {
  Text t;
  text_init(&t);
  ProfileVerdict v = j->c->verdict;
  bool flat = v == PROFILE_IS_FLAT || v == PROFILE_IS_STRUCTURAL;
  if (flat) say_flat(j, &t);
  if (is_fixed(j)) text_print(&t, "The constraints fix %s at %.6g.", j->f->name, j->estimate);
  for (int which = 0; which < 2 && !is_fixed(j); which++) {
    if (!flat) say_open_side(j, which, &t);
    say_trouble(j, which, &t);
  }
  say_shape(j, &t);
  const char *remark = arena_copy(j->p->arena, t.at, t.length);
  text_done(&t);
  return remark;
}

void profile_judge(Profile *p) {
  Arena *scratch = arena_new();
  for (int i = 0; i < p->count; i++) {
    ProfileCurve *c = &p->curves[i];
    Judge j = {p, c, &p->problem->unknowns[c->number], p->fit->x[c->number], scratch};
    c->verdict = PROFILE_IS_UNKNOWN;
    c->moves = ARENA_ARRAY(p->arena, int, 1);
    if (!c->point_count) continue;
    qsort(c->points, (size_t)c->point_count, sizeof *c->points, compare_points);
    for (int which = 0; which < 2; which++) measure_side(&j, which);
    c->verdict = verdict_of(&j);
    find_moves(&j);
    c->remark = remark_of(&j);
  }
  arena_free(scratch);
}
