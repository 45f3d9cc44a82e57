// Modes and events. A mode stands for what a relation, floor or sign gives; it is constant between events.
//
// One rule decides every mode: the literal value of its switching function w, which is w < 0, w <= 0, floor(w) or sign(w).
// - An event is the first time at which the literal value of a mode differs from the mode (event_search.c).
// - At an event, at a jump of an input and at the start all modes are iterated to a fixed point with literal comparison
//   (settle). Switching functions that contain nothing but modes and parameters change there only; so does one that
//   another event moves onto its limit and leaves there.
// - Where w stands on its limit up to rounding errors, the mode is that of the side to which w goes in the next moment;
//   if it goes nowhere, the literal value on the limit. Such a w rests, and rounding errors do not move it.
// - A mode that changed because its own w crossed the limit is held during this iteration: rounding errors must not
//   take it back. It is released when a mode that w contains changes, or when w comes to rest there.
//
// Sensitivities: at the time t*(p) of an event x is continuous and its slope jumps from f_old to f_new, so S_new =
// S_old + (f_old - f_new) dt*/dp with dt*/dp = -(w_x S + w_p) / (w_x f_old + w_t) (Galan, Feehery and Barton 1999,
// Appl. Numer. Math. 31:17). f_new belongs to the settled modes: whatever changes with an event moves with its time.
// Events that cross at the same time by themselves follow one after the other, each with its own dt*/dp.
#include "simulate/event.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "simulate/event_jump.h"
#include "simulate/event_settle.h"
#include "simulate/event_through.h"
#include "simulate/slide.h"

enum {
  ROUNDS = 30,       // of settle, besides two for each event
  CHANGES_MOST = 4,  // of a mode on its limit in one settle
  REPEATS_LEAVE = 3, // events at the same time after which another solution is looked for
  REPEATS_MOST = 40, // events at the same time, besides one for each event of the model
};

// The slopes may change so many times faster after an event for the steps to stay as long as they were.
static const double BEND_MOST = 10;
static const double MOMENT = 1e-6;    // of the duration: where w goes is seen so much later
static const double SEEN = 1e-9;      // of the size of w: so far from its limit it has left it
static const double CLOSE = 1e-6;     // of the same: it may be its limit where a solution ends
static const double SAME_BEND = 0.01; // relative: bends that differ by less are the same

// ---------------------------------------------------------------- other modes for a moment

static void freeze(EventWork *e) {
  for (int k = 0; k < e->work->system->ne; k++) e->frozen[k] = system_mode(e->work, k);
}

bool event_true_modes(EventWork *e, double t, const double *x) {
  bool changed = false;
  freeze(e);
  slide_events(e, t, x, e->w);
  for (int k = 0; k < e->work->system->ne; k++) {
    if (event_margin(e, k, e->w[k]) >= 0) continue;
    system_set_mode(e->work, k, event_literal(e, k, e->w[k]));
    changed = true;
  }
  return changed;
}

void event_frozen_modes(EventWork *e) {
  for (int k = 0; k < e->work->system->ne; k++) system_set_mode(e->work, k, e->frozen[k]);
}

// ---------------------------------------------------------------- fixed point

// Events whose switching functions contain the mode follow it: what they did by themselves does not count any more.
void event_change(EventWork *e, int k, double mode) {
  const Pattern *users = &e->work->system->events.users;
  system_set_mode(e->work, k, mode);
  if (k == e->stuck) e->stuck = -1;
  if (users->start[k + 1] > users->start[k]) e->resolved = 0;
  for (int i = users->start[k]; i < users->start[k + 1]; i++)
    e->held[users->column[i]] = e->pending[users->column[i]] = false;
}

// On its limit. What was forgiven there may be a little further away when states jump.
static bool is_near_limit(const EventWork *e, int k, double w) {
  double allowed = (e->jumped ? 4 : 1) * EVENT_ROUNDING * e->size[k];
  return fabs(w - event_limit(e, k, w)) <= allowed;
}

// Events at known times are due when they are due within rounding errors.
static void run_timers_ahead(EventWork *e, double t, const double *x) {
  const System *s = e->work->system;
  system_timers(e->work, t, x, e->timer);
  for (int i = 0; i < s->timer_count; i++)
    e->w[s->timers[i]] += event_tick(e, t) * e->timer[s->timer_count + i];
}

// Switching functions at (t, x), and where some of them stands on its limit up to rounding errors also those of a moment
// later, with the modes in use.
void event_look(EventWork *e, double t, const double *x) {
  const System *s = e->work->system;
  double h = MOMENT * e->span;
  bool any = false;
  event_follow(e, t, x);
  if (e->live)
    system_live_events(e->work, t, x, e->w);
  else
    slide_events(e, t, x, e->w);
  if (s->timer_count) run_timers_ahead(e, t, x);
  for (int k = 0; k < s->ne && !any; k++) any = !e->slides[k] && is_near_limit(e, k, e->w[k]);
  if (!any) return;
  slide_rhs(e, t, x, e->slope);
  for (int i = 0; i < s->nx; i++) e->x[i] = x[i] + h * e->slope[i];
  slide_events(e, t + h, e->x, e->next);
  if (!e->jumped) return;
  slide_rhs(e, t + h, e->x, e->slope);
  for (int i = 0; i < s->nx; i++) e->x[i] += h * e->slope[i];
  slide_events(e, t + 2 * h, e->x, e->later);
}

// After a jump w leaves its limit and turns back before it is further away than rounding errors: a ball that hardly bounces
// any more. It stays where it is for all that can be seen.
static bool turns_at_once(const EventWork *e, int k) {
  double first = e->next[k] - e->w[k], bend = e->later[k] - 2 * e->next[k] + e->w[k];
  return first * bend < 0 && first * first <= 8 * EVENT_ROUNDING * e->size[k] * fabs(bend);
}

// The mode that event k should have, after event_look(). Exactly on its limit it is that of the side to which the motion goes; if
// it goes nowhere, what the relation gives on the limit itself, also if rounding errors have moved w away from it.
double event_wanted(EventWork *e, int k) {
  double w = e->w[k], next = e->next[k];
  if (e->slides[k] || e->decided[k]) return system_mode(e->work, k);
  e->rests[k] = false;
  e->forgiven[k] = nan("");
  if (!isfinite(w)) return system_mode(e->work, k);
  if (!is_near_limit(e, k, w) || !isfinite(next)) return event_literal(e, k, w);
  double limit = event_limit(e, k, w);
  double still = e->jumped ? 0 : 1e-3 * EVENT_ROUNDING * e->size[k]; // small jumps are motion
  bool turns = e->jumped && turns_at_once(e, k);
  e->rests[k] = turns || fabs(next - w) <= still;
  if (turns && e->crossed[k]) e->stuck = k;
  // a jump, or modes that do not settle, have left it there up to rounding errors
  bool leaves = w == limit || e->jumped || e->searching;
  if (e->rests[k] || leaves) e->forgiven[k] = limit;
  return event_literal(e, k, e->rests[k] ? limit : leaves ? next : w);
}

int event_stuck(EventWork *e, double t, const double *x) {
  int k = e->stuck;
  if (k < 0) return -1;
  slide_events(e, t, x, e->w);
  double away = fabs(e->w[k] - event_limit(e, k, e->w[k])) / e->size[k];
  return away > SEEN && event_margin(e, k, e->w[k]) >= 0 ? k : -1;
}

static bool is_wrong(EventWork *e, int k) {
  return event_wanted(e, k) != system_mode(e->work, k);
}

// Counts the changes of a mode while its w has not moved: it contradicts itself. One that follows others does not.
static bool goes_round(EventWork *e, int k) {
  bool same = fabs(e->w[k] - e->changed_at[k]) <= EVENT_ROUNDING * e->size[k];
  e->changes[k] = same ? e->changes[k] + 1 : 1;
  e->changed_at[k] = e->w[k];
  return e->changes[k] > CHANGES_MOST;
}

// A mode on its limit that has changed to and fro.
static bool stays_as_it_was(EventWork *e, int k) {
  bool stays = e->changes[k] > CHANGES_MOST && event_on_limit(e, k, e->w[k]);
  if (stays) e->rests[k] = true, e->forgiven[k] = event_limit(e, k, e->w[k]);
  return stays;
}

// All modes at once, or, when this goes round in circles, one after the other.
static bool settle_once(EventWork *e, double t, const double *x, bool one, int *event) {
  const System *s = e->work->system;
  bool changed = false;
  event_look(e, t, x);
  for (int i = 0; i < s->ne && !(one && changed); i++) {
    int k = s->events.order[i];
    if (e->slides[k] || e->decided[k]) continue;
    if (e->pending[k] || e->through[k] || stays_as_it_was(e, k) || !is_wrong(e, k)) continue;
    if (e->held[k] && !e->rests[k]) continue;
    event_change(e, k, goes_round(e, k) ? e->settled[k] : event_wanted(e, k));
    e->tried[k] = true;
    e->held[k] = false;
    changed = true;
    *event = k;
  }
  return changed;
}

// Modes of a mixed system: relations on what is solved for together, such as those of ideal diodes in one circuit. Where
// the iteration goes round, the modes that have changed are tried in all combinations, those first that differ least from
// the modes before.
enum { SEARCH_MOST = 12 };

static bool is_settled(EventWork *e, int k) {
  if (e->slides[k] || e->decided[k]) return true;
  if (e->pending[k] || e->through[k] || !is_wrong(e, k)) return true;
  if (e->lenient && e->rests[k]) return true;
  return e->held[k] && !e->rests[k] && is_near_limit(e, k, e->w[k]);
}

// With the modes that are being tried; others follow them.
static bool all_right(EventWork *e, double t, const double *x) {
  int ne = e->work->system->ne;
  for (int round = 0; round <= ne; round++) {
    bool followed = false;
    event_look(e, t, x);
    for (int k = 0; k < ne; k++) {
      if (e->tried[k] && !isfinite(e->w[k])) return false;
      if (is_settled(e, k)) continue;
      if (e->tried[k]) return false;
      system_set_mode(e->work, k, event_wanted(e, k));
      followed = true;
    }
    if (!followed) return true;
  }
  return false;
}

static bool contains_mode(const EventWork *e, int event, int mode) {
  const Pattern *users = &e->work->system->events.users;
  for (int i = users->start[mode]; i < users->start[mode + 1]; i++)
    if (users->column[i] == event) return true;
  return false;
}

// Modes on which the own relation depends, or, if there are none, all that have changed. What is not listed follows.
static int list_tried(EventWork *e, int *list) {
  int count = 0, ne = e->work->system->ne;
  bool loops = false;
  for (int k = 0; k < ne; k++) {
    if (e->kind[k] == EVENT_FLOOR || e->kind[k] == EVENT_SIGN) e->tried[k] = false;
    loops |= e->tried[k] && contains_mode(e, k, k);
  }
  for (int k = 0; k < ne; k++) {
    if (loops && !contains_mode(e, k, k)) e->tried[k] = false;
    if (!e->tried[k]) continue;
    if (count == SEARCH_MOST) return 0;
    list[count++] = k;
  }
  return count;
}

// Rounding errors are those of the last step, too: near the start nothing else may be known.
static void widen_sizes(EventWork *e) {
  for (int k = 0; k < e->work->system->ne; k++) {
    double size = fabs(e->end[1].w[k] - e->end[0].w[k]);
    if (size > e->size[k] && isfinite(size)) e->size[k] = size;
  }
}

static bool try_combinations(EventWork *e, double t, const double *x) {
  int list[SEARCH_MOST], count = list_tried(e, list), ne = e->work->system->ne;
  for (int distance = 0; distance <= count && count; distance++)
    for (unsigned set = 0; set < 1u << count; set++) {
      if (__builtin_popcount(set) != distance) continue;
      for (int k = 0; k < ne; k++) system_set_mode(e->work, k, e->settled[k]);
      for (int i = 0; i < count; i++)
        if (set >> i & 1) system_set_mode(e->work, list[i], 1 - e->settled[list[i]]);
      if (all_right(e, t, x)) return true;
    }
  return false;
}

// Where two or more relations contradict each other, their texts.
static void note_contradiction(EventWork *e) {
  int list[SEARCH_MOST], count = list_tried(e, list);
  size_t used = 0;
  e->unsettled[0] = 0;
  for (int i = 0; i < count && count > 1 && used < sizeof e->unsettled - 180; i++) {
    const Event *of = &e->work->system->model->flat->events.at[list[i]];
    c_snprintf(e->unsettled + used, sizeof e->unsettled - used, "%s'%.40s' (line %s)",
               i ? ", " : "", of->text, flat_line(e->work->system->model->flat, of->line).at);
    used = strlen(e->unsettled);
  }
}

static bool search_modes(EventWork *e, double t, const double *x) {
  widen_sizes(e);
  e->searching = true;
  bool found = try_combinations(e, t, x);
  e->lenient = !found; // a relation that rests on its limit may be true or false
  found = found || try_combinations(e, t, x);
  e->lenient = e->searching = false;
  if (!found) note_contradiction(e);
  return found;
}

// Marks what is solved for together with a mode that depends on itself and stands on its limit.
static bool mark_ended(EventWork *e, double t, const double *x) {
  int ne = e->work->system->ne;
  bool any = false;
  event_look(e, t, x);
  for (int k = 0; k < ne; k++) {
    bool ends = k == e->found || fabs(e->w[k] - event_limit(e, k, e->w[k])) <= CLOSE * e->size[k];
    if (!ends || !contains_mode(e, k, k)) continue;
    any = true;
    for (int j = 0; j < ne; j++) e->tried[j] |= contains_mode(e, j, k) && contains_mode(e, k, j);
  }
  return any;
}

// Events follow each other at once, because on either side of the limit of a mode the equations take it to the other. Of
// several solutions the one that was followed has ended there (a Schmitt trigger): the modes that are solved for together
// are tried in all combinations.
static bool leave_branch(EventWork *e, double t, const double *x) {
  if (!mark_ended(e, t, x)) return false;
  e->held[e->found] = false;
  if (search_modes(e, t, x)) return true;
  e->held[e->found] = true;
  for (int k = 0; k < e->work->system->ne; k++)
    system_set_mode(e->work, k, e->settled[k]), e->tried[k] = false;
  return false;
}

// A chain of modes settles in as many rounds as it has links. A mode on its limit may contradict itself: on the limit the
// motion goes to one side, on that side it stops (der(x) = if x > 2 then 0 else 1). It stays as it was.
bool event_settle(EventWork *e, double t, const double *x, int *event) {
  int ne = e->work->system->ne, most = 2 * ne + ROUNDS;
  for (int k = 0; k < ne; k++)
    e->changes[k] = 0, e->settled[k] = system_mode(e->work, k), e->tried[k] = false;
  if (e->leaves && leave_branch(e, t, x)) {
    e->leaves = false;
    return true;
  }
  for (int round = 0; round < most; round++)
    if (!settle_once(e, t, x, round > ne + CHANGES_MOST, event)) return true;
  return search_modes(e, t, x);
}

void event_forget_marks(EventWork *e) {
  e->known = false;
  size_t bytes = (size_t)e->work->system->ne * sizeof(bool);
  if (!e->one_by_one) memset(e->pending, 0, bytes);
  memset(e->held, 0, bytes);
}

// At the start the size of the switching functions is not known: nothing is on its limit but what is there exactly, and
// what the relation gives there holds.
static bool begin_modes(EventWork *e, double t, const double *x, double span, int *event) {
  int ne = e->work->system->ne, most = 2 * ne + ROUNDS;
  e->span = span;
  e->resolved = 0;
  e->stuck = -1;
  e->jumped = e->leaves = false;
  e->unsettled[0] = 0;
  e->last_time = t;
  e->repeats = 0;
  memset(e->count, 0, (size_t)ne * sizeof *e->count);
  memset(e->size, 0, (size_t)ne * sizeof *e->size);
  for (int k = 0; k < ne; k++)
    e->low[k] = HUGE_VAL, e->high[k] = -HUGE_VAL, e->forgiven[k] = nan("");
  if (ne) system_event_scales(e->work, t, x, e->scale);
  memset(e->rests, 0, (size_t)ne * sizeof *e->rests);
  memset(e->grace, 0, (size_t)ne * sizeof *e->grace);
  memset(e->through, 0, (size_t)ne * sizeof *e->through);
  memset(e->smooth_times, 0, (size_t)ne * sizeof *e->smooth_times);
  e->through_count = 0;
  event_forget_marks(e);
  for (int k = 0; k < ne; k++) e->settled[k] = system_mode(e->work, k), e->tried[k] = false;
  for (int round = 0; round < most && ne; round++) {
    bool changed = false;
    slide_events(e, t, x, e->w);
    for (int i = 0; i < ne && !(round > ne && changed); i++) {
      int k = e->work->system->events.order[i];
      if (event_margin(e, k, e->w[k]) >= 0) continue;
      event_change(e, k, event_literal(e, k, e->w[k]));
      e->tried[k] = true;
      changed = true;
      *event = k;
    }
    if (!changed) return true;
  }
  return ne == 0 || search_modes(e, t, x);
}

bool event_settle_slides(EventWork *e, double t, double *y, bool columns, int *event) {
  SlideChange change = slide_decide(e, t, y, columns);
  if (change == SLIDE_UNCLEAR && e->slide_count)
    *event = e->work->system->surfaces.event[e->slide[0]];
  if (change != SLIDE_CHANGED) return change == SLIDE_SAME;
  return event_settle(e, t, y, event);
}

bool event_begin(EventWork *e, double t, double *y, double span, int *event) {
  slide_forget(e);
  return begin_modes(e, t, y, span, event) &&
         (!e->work->system->hybrid || event_iterate_start(e, t, y, event)) &&
         event_settle_slides(e, t, y, true, event);
}

bool event_jump(EventWork *e, double t, double *y, int *event) {
  const System *s = e->work->system;
  e->unsettled[0] = 0;
  event_forget_marks(e);
  slide_release(e, t, y);
  if (!s->hybrid) return event_settle(e, t, y, event) && event_settle_slides(e, t, y, true, event);
  e->jumped = false, e->terminated = 0;
  memset(e->moment, 0, (size_t)s->stride * sizeof *e->moment);
  return event_iterate(e, t, y, event) && event_settle_slides(e, t, y, true, event);
}

bool event_next_modes(EventWork *e, double t, const double *x) {
  int event, ne = e->work->system->ne;
  bool changed = false;
  freeze(e);
  memcpy(e->frozen_rests, e->rests, (size_t)ne * sizeof *e->rests);
  memcpy(e->frozen_forgiven, e->forgiven, (size_t)ne * sizeof *e->forgiven);
  event_forget_marks(e);
  if (!event_settle(e, t, x, &event)) event_frozen_modes(e);
  for (int k = 0; k < ne && !changed; k++) changed = system_mode(e->work, k) != e->frozen[k];
  memcpy(e->rests, e->frozen_rests, (size_t)ne * sizeof *e->rests);
  memcpy(e->forgiven, e->frozen_forgiven, (size_t)ne * sizeof *e->forgiven);
  return changed;
}

// ---------------------------------------------------------------- passing an event

// The states go on, their slope jumps from f_old to f_new: S += (f_old - f_new) dt/dp, where dt/dp = -by_column/rate is
// how the time of the event moves.
static void carry_sensitivities(EventWork *e, double *y) {
  const System *s = e->work->system;
  if (e->rate == 0) return; // a touch without crossing: the time of the event has no derivative
  for (int i = 0; i < s->nx; i++) {
    double jump = e->f_old[i] - e->f_new[i];
    if (jump == 0) continue;
    for (int k = 0; k < s->ns; k++)
      y[s->nx + i * s->stride + k] -= jump * e->by_column[k] / e->rate;
  }
}

// Beyond its limit, or exactly on it and moving.
static bool has_crossed(EventWork *e, int k) {
  if (e->through[k]) return false;
  if (e->slides[k]) return event_margin(e, k, e->w[k]) < 0;
  bool rested = e->rests[k], beyond = event_margin(e, k, e->w[k]) < 0;
  double forgiven = e->forgiven[k];
  bool moving = is_wrong(e, k) && !e->rests[k];
  e->rests[k] = rested, e->forgiven[k] = forgiven;
  return beyond || moving;
}

// Marks the events that have happened by now under the modes in use, and the one that was found.
void event_mark_crossed(EventWork *e, double t, const double *y) {
  int ne = e->work->system->ne;
  event_look(e, t, y);
  for (int k = 0; k < ne; k++) e->pending[k] = has_crossed(e, k) || k == e->found;
  memset(e->held, 0, (size_t)ne * sizeof *e->held);
  memset(e->crossed, 0, (size_t)ne * sizeof *e->crossed);
  e->held[e->found] = true;
}

// Others may have undone the crossing. Forgets those; false when none is left.
static bool some_pending(EventWork *e, double t, const double *y) {
  int ne = e->work->system->ne;
  bool some = false;
  event_look(e, t, y);
  for (int k = 0; k < ne; k++) {
    bool own = k == e->found && e->held[k];
    some |= e->pending[k] = e->pending[k] && (own || is_wrong(e, k));
  }
  return some;
}

// Whether all events that have crossed move alike: moment = dt/dp. Bodies that stick to each other and rub on the ground turn round
// together; on the way from one of these events to the next the equations mean nothing. f_before: slopes before all of them.
bool event_common_moment(EventWork *e, double t, const double *y, double *moment) {
  static const double ALIKE = 1e-6, NOISE = 1e-9;
  const System *s = e->work->system;
  double speed = 0;
  int found = 0;
  if (!s->ns || !s->surfaces.count) return false;
  for (int i = 0; i < s->nx; i++) speed = fmax(speed, fabs(e->f_before[i]));
  if (e->leaves_exactly && e->pending[e->found]) {
    memcpy(moment, e->leave_moment, (size_t)s->ns * sizeof *moment);
    found++;
  }
  for (int k = 0; k < s->ne; k++) {
    if (!e->pending[k] || e->slides[k]) continue;
    system_event_sens(e->work, t, y, k, e->f_before, &e->rate, e->by_column);
    if (e->rate == 0) return false;
    for (int c = 0; c < s->ns; c++) {
      double own = -e->by_column[c] / e->rate, size = 0;
      for (int i = 0; i < s->nx; i++) size = fmax(size, fabs(y[s->nx + i * s->stride + c]));
      double allowed =
          ALIKE * fmax(fabs(own), fabs(moment[c])) + (speed > 0 ? NOISE * size / speed : 0);
      if (found && !(fabs(own - moment[c]) <= allowed)) return false;
      if (!found) moment[c] = own;
    }
    found++;
  }
  return found > 0;
}

// S += (f_before - f_new) dt/dp for all that happens here.
static void carry_together(EventWork *e, double t, double *y) {
  const System *s = e->work->system;
  slide_rhs(e, t, y, e->f_new);
  for (int i = 0; i < s->nx; i++)
    for (int c = 0; c < s->ns; c++)
      y[s->nx + i * s->stride + c] += (e->f_before[i] - e->f_new[i]) * e->moment[c];
  slide_project(e, t, y, true);
}

// One event that has crossed, with all that changes because of it. carries: also the sensitivities.
static bool cross(EventWork *e, double t, double *y, int k, bool carries, int *event) {
  const System *s = e->work->system;
  bool own = k == e->found && e->held[k];
  double mode = own ? e->found_mode : event_wanted(e, k);
  if (carries) {
    slide_rhs(e, e->near_t, e->near_x, e->f_old);
    system_event_sens(e->work, t, y, k, e->f_old, &e->rate, e->by_column);
  }
  e->pending[k] = false;
  e->crossed[k] = true;
  e->count[k]++;
  event_change(e, k, mode);
  e->held[k] = true;
  bool settled = event_settle(e, t, y, event);
  if (settled && memchr(e->pending, true, (size_t)s->ne * sizeof *e->pending) &&
      !some_pending(e, t, y))
    settled = event_settle(e, t, y, event);
  if (!settled) return false;
  SlideChange change = slide_decide(e, t, y, carries);
  if (change == SLIDE_UNCLEAR) return false;
  if (change == SLIDE_CHANGED && !event_settle(e, t, y, event)) return false;
  if (!carries) return true;
  slide_rhs(e, t, y, e->f_new);
  carry_sensitivities(e, y);
  return true;
}

// One after the other.
static bool cross_all(EventWork *e, double t, double *y, int *event) {
  const System *s = e->work->system;
  event_mark_crossed(e, t, y);
  bool together = event_common_moment(e, t, y, e->moment), carries = s->ns && !together;
  if (!event_settle_slides(e, t, y, carries, event)) return false;
  for (int i = 0; i < s->ne; i++) {
    int k = s->events.order[i];
    if (e->pending[k] && !cross(e, t, y, k, carries, event)) return false;
  }
  if (together) carry_together(e, t, y);
  return true;
}

static bool repeats_without_end(EventWork *e, double t) {
  e->repeats = t - e->last_time <= 1e-13 * fmax(e->span, fabs(t)) ? e->repeats + 1 : 0;
  e->last_time = t;
  return e->repeats > REPEATS_MOST + e->work->system->ne;
}

// A change of the slopes that a step of length h does not notice.
static bool slopes_go_on(const EventWork *e, const double *x, double h, const Tolerance *tol) {
  for (int i = 0; i < e->work->system->nx; i++) {
    double allowed = 0.01 * (tol->abs[i] + tol->rel * fabs(x[i]));
    if (!(fabs((e->f_new[i] - e->f_before[i]) * h) <= allowed)) return false;
  }
  return true;
}

// How the slopes f change along the motion in a moment, and the most of it in units of the tolerances.
static double bend_of(EventWork *e, double t, const double *x, const double *f, double h,
                      const Tolerance *tol, double *bend) {
  int nx = e->work->system->nx;
  double moment = 1e-3 * h, most = 0;
  for (int i = 0; i < nx; i++) e->x[i] = x[i] + moment * f[i];
  slide_rhs(e, t + moment, e->x, bend);
  for (int i = 0; i < nx; i++) {
    bend[i] -= f[i];
    double size = fabs(bend[i]) / (tol->abs[i] + tol->rel * fabs(x[i]));
    if (!(size <= most)) most = size;
  }
  return most;
}

// Whether the slopes also change in the same way before and after the event.
static bool bends_go_on(const EventWork *e) {
  for (int i = 0; i < e->work->system->nx; i++) {
    double size = fmax(fabs(e->bend[i]), fabs(e->slope[i]));
    if (!(fabs(e->slope[i] - e->bend[i]) <= SAME_BEND * size)) return false;
  }
  return true;
}

bool event_pass(EventWork *e, double t, double *y, double h, const Tolerance *tol, bool *continuous,
                int *event) {
  const System *s = e->work->system;
  *event = e->found;
  *continuous = false;
  e->known = false;
  e->unsettled[0] = 0;
  e->slid = false;
  if (repeats_without_end(e, t)) return false;
  e->leaves = e->repeats == REPEATS_LEAVE;
  slide_project(e, t, y, true);
  slide_rhs(e, e->near_t, e->near_x, e->f_before);
  system_event_scales(e->work, t, y, e->scale);
  double bend = bend_of(e, e->near_t, e->near_x, e->f_before, h, tol, e->bend);
  e->leaves_exactly = false;
  double since = slide_begin_leave(e, t, y, e->found), at = t - since;
  if (since > 0) slide_rhs(e, at, y, e->f_before);
  bool settled = s->hybrid ? event_cross_jump(e, at, y, event) : cross_all(e, at, y, event);
  e->leaves = false;
  if (settled && s->hybrid) settled = event_settle_slides(e, at, y, true, event);
  e->slips = -1;
  if (!settled) return false;
  if (since > 0) slide_end_leave(e, t, y, since);
  slide_rhs(e, t, y, e->f_new);
  if (!e->slid && !(s->hybrid && e->jumped) && slopes_go_on(e, y, h, tol))
    *continuous = bend_of(e, t, y, e->f_new, h, tol, e->slope) <= BEND_MOST * bend;
  if (!s->hybrid && !e->slid && !e->slide_count)
    event_note_smooth(e, *continuous && bends_go_on(e));
  return true;
}
