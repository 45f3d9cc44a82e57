// Events of model exchange (FMI 2.0.4, section 3.2; FMI 3.0, section 3.2).
//
// Sensitivities across an event at time te, which a parameter moves by dte = -(dz/dp)/(dz/dt) with the indicator z: in the instance of
// column k the event happens at te + h dte, in the state x + h S_k + h dte f; it leaves there x_k, and
//   S_k after = (x_k - h dte f_after - x_after)/h.
// This is right where all instances pass the same event in the same way, and where the motion crosses z = 0 with a speed that can be told
// from 0. Otherwise the sensitivities are given up (Exchange.shown).
#include <float.h>
#include <math.h>
#include <string.h>

#include "fmu/exchange.h"

enum {
  ROUNDS_MOST = 200,  // of discrete states at one event
  EVENTS_HERE = 1000, // at one time
};
static const double BACK = 1e-4;    // of a step: difference for the speed of an indicator
static const double GRAZING = 1e-7; // speed times step against the size of an indicator

typedef struct Discrete { // what an event did to an instance
  FmuDiscrete last;
  int rounds;
  bool states_changed;
} Discrete;

static double absolute(const Exchange *e, double t) {
  return e->call->origin + t;
}

// ---------------------------------------------------------------- discrete states

static bool end_chatter(Exchange *e, double t) {
  return answer_end(e->answer, OUTCOME_CHATTER, absolute(e, t),
                    "%s: its discrete states do not settle at time %.9g", e->r->spec.name,
                    absolute(e, t));
}

bool exchange_terminated(Exchange *e, int instance, double t) {
  if (instance) return exchange_give_up_slopes(e, "a changed parameter ends the simulation");
  return answer_end(e->answer, OUTCOME_TERMINATED, absolute(e, t),
                    "%s ended the simulation itself at time %.9g", e->r->spec.name, absolute(e, t));
}

// In event mode: until nothing changes any more.
static bool settle(Exchange *e, int instance, double t, Discrete *d) {
  *d = (Discrete){0};
  do {
    if (++d->rounds > ROUNDS_MOST)
      return instance ? exchange_give_up_slopes(e, "discrete states do not settle")
                      : end_chatter(e, t);
    if (fmu_new_discrete_states(e->instance[instance], &d->last) != FMU_OK)
      return exchange_refused(e, instance, t);
    d->states_changed |= d->last.states_changed;
    if (d->last.terminate) return exchange_terminated(e, instance, t);
  } while (d->last.again);
  bool has = d->last.has_next;
  e->next_event[instance] = has ? d->last.next - e->call->origin : HUGE_VAL;
  return true;
}

static bool leave(Exchange *e, int instance, double t, double *x) {
  FmuInstance *i = e->instance[instance];
  bool ok =
      fmu_enter_continuous_mode(i) == FMU_OK && (e->n == 0 || fmu_get_states(i, x, e->n) == FMU_OK);
  return ok || exchange_refused(e, instance, t);
}

static const double NEXT_APART =
    1e-3; // of the duration: next time events of instances that do the same
static const double JUMP = 1e4,
                    JUMP_MOST = 0.5; // of the part by which a parameter differs: change of f

// A parameter that is changed a little changes f a little, unless the change has led to another discrete state: then differences mean
// nothing.
static bool does_the_same(Exchange *e, int k, double t, const double *y) {
  double next = e->next_event[0], there = e->next_event[1 + k];
  bool same_next =
      isinf(next) ? isinf(there) : fabs(there - next) <= NEXT_APART * (e->t_end - e->call->start);
  if (!same_next) return false;
  Arena *scratch = arena_new();
  double *f = ARENA_ARRAY(scratch, double, e->size + 1),
         *g = ARENA_ARRAY(scratch, double, e->size + 1);
  double apart = 0, size = 0, span = fmax(e->t_end - t, DBL_MIN);
  bool ok = exchange_own_slopes(e, 0, t, y, f);
  ok = ok && exchange_own_slopes(e, 1 + k, t, exchange_column(e, k, y), g);
  for (int i = 0; ok && i < e->n; i++) {
    apart += pow((g[i] - f[i]) / e->nominal[i], 2);
    size += pow(f[i] / e->nominal[i], 2) + pow(fmax(fabs(y[i]) / e->nominal[i], 1) / span, 2);
  }
  arena_free(scratch);
  double part = fabs(e->h[k]) / e->call->slope_size[k];
  return ok && sqrt(apart) <= fmin(JUMP * part, JUMP_MOST) * sqrt(size);
}

bool exchange_do_the_same(Exchange *e, double t, const double *y) {
  for (int k = 0; k < e->ns; k++)
    if (!does_the_same(e, k, t, y))
      return exchange_give_up_slopes(e, "a small change of a parameter changes events");
  return true;
}

bool exchange_first_event(Exchange *e, double *y) {
  double t = e->call->start;
  Discrete first, d;
  memset(y, 0, (size_t)e->size * (size_t)(1 + e->ns) * sizeof *y);
  for (int i = 0; i <= e->ns; i++) {
    double *x = i ? e->there : y;
    if (!settle(e, i, t, i ? &d : &first) || !leave(e, i, t, x)) return false;
    if (i && d.rounds != first.rounds)
      return exchange_give_up_slopes(e, "the initialisation depends on parameters");
    for (int j = 0; i && j < e->n; j++)
      y[e->size + j * e->ns + i - 1] = (e->there[j] - y[j]) / e->h[i - 1];
  }
  exchange_note_sides(e, t, y);
  return !e->failed;
}

// ---------------------------------------------------------------- indicators

bool exchange_look(Exchange *e, int instance, double t, const double *x, double *z) {
  if (!exchange_set(e, instance, t, x)) return false;
  if (fmu_get_indicators(e->instance[instance], z, e->ni) == FMU_OK) return true;
  return exchange_refused(e, instance, t);
}

void exchange_note_sides(Exchange *e, double t, const double *x) {
  if (e->ni == 0 || !exchange_look(e, 0, t, x, e->z)) return;
  for (int j = 0; j < e->ni; j++) e->positive[j] = e->z[j] > 0;
}

// ---------------------------------------------------------------- how a parameter moves an event

// Its speed along the motion before t, by differences through three points; 0: it cannot be told from standing still.
static double speed_of(Exchange *e, Stepper *s, double t, int j) {
  double tau = BACK * (s->t - s->t_old), z[3];
  if (t - 2 * tau < s->t_old) tau = (t - s->t_old) / 2;
  for (int k = 0; k < 3; k++) {
    s->row->dense(s, t - k * tau, false, e->y);
    if (!exchange_look(e, 0, t - k * tau, e->y, e->z_at)) return 0;
    z[k] = e->z_at[j];
  }
  double speed = (3 * z[0] - 4 * z[1] + z[2]) / (2 * tau), size = 0;
  s->row->dense(s, s->t_old, false, e->y);
  if (!exchange_look(e, 0, s->t_old, e->y, e->z_at)) return 0;
  size = fabs(e->z_at[j]) + fabs(z[0]);
  return fabs(speed) * (s->t - s->t_old) > GRAZING * size ? speed : 0;
}

// By column: by how much indicator j, which is `here` at t, changes its side later. false: it cannot be told.
static bool shifts_of(Exchange *e, Stepper *s, double t, const double *y, int j, double here,
                      double *shift) {
  double speed = speed_of(e, s, t, j);
  if (speed == 0) return false;
  for (int k = 0; k < e->ns; k++) {
    if (!exchange_look(e, 1 + k, t, exchange_column(e, k, y), e->z_at)) return false;
    shift[k] = -(e->z_at[j] - here) / speed;
  }
  return true;
}

// Several indicators may stand for one relation, x > 0 and x < 0. Otherwise their events happen at one time by chance: each parameter
// makes another of them the first, and there is no derivative.
static bool shift_alike(const Exchange *e, const double *a, const double *b) {
  static const double ALIKE = 1e-4,
                      NOTHING =
                          1e-6; // the latter of the duration, for the whole size of a parameter
  for (int k = 0; k < e->ns; k++) {
    double part = fabs(e->h[k]) / e->call->slope_size[k];
    double most =
        ALIKE * fmax(fabs(a[k]), fabs(b[k])) + NOTHING * part * (e->t_end - e->call->start);
    if (!(fabs(a[k] - b[k]) <= most)) return false;
  }
  return true;
}

static bool shifts_of_state(Exchange *e, Stepper *s, double t, const double *y, double *shift) {
  if (!exchange_look(e, 0, t, y, e->z)) return false;
  Arena *scratch = arena_new();
  double *z = ARENA_ARRAY(scratch, double, e->ni + 1),
         *other = ARENA_ARRAY(scratch, double, e->ns + 1);
  memcpy(z, e->z, (size_t)e->ni * sizeof *z);
  bool any = false, told = true;
  for (int j = 0; j < e->ni && told; j++) {
    if ((z[j] > 0) == e->positive[j]) continue;
    told = shifts_of(e, s, t, y, j, z[j], any ? other : shift);
    told = told && (!any || shift_alike(e, shift, other));
    any = true;
  }
  arena_free(scratch);
  return any && told;
}

// By column: by how much its event is later than t. false: it cannot be told.
static bool shifts(Exchange *e, Stepper *s, double t, ExchangeEvent kind, const double *y,
                   double *shift) {
  memset(shift, 0, (size_t)e->ns * sizeof *shift);
  if (kind == EVENT_OF_TIME)
    for (int k = 0; k < e->ns; k++) {
      shift[k] = e->next_event[1 + k] - e->next_event[0];
      if (!isfinite(shift[k])) return false;
    }
  return kind != EVENT_OF_STATE || shifts_of_state(e, s, t, y, shift);
}

// ---------------------------------------------------------------- passing

// Some FMUs compare with what they saw at the last completed step: a step that a state event cuts short is one, too. The others
// have been completed when they arrived.
static bool happen(Exchange *e, int instance, double t, const double *x, ExchangeEvent kind,
                   double *after, Discrete *d) {
  bool wants;
  if (!exchange_set(e, instance, t, x)) return false;
  if (kind == EVENT_OF_STATE && !exchange_complete(e, instance, t, &wants)) return false;
  if (fmu_enter_event_mode(e->instance[instance]) != FMU_OK)
    return exchange_refused(e, instance, t);
  if (fmu_inputs_set(e->instance[instance], e->inputs, t) != FMU_OK)
    return exchange_refused(e, instance, t);
  return settle(e, instance, t, d) && leave(e, instance, t, after);
}

// The same event in the instance of column k. false: it ended there, or something refused.
static bool pass_column(Exchange *e, int k, double t, double shift, ExchangeEvent kind,
                        const double *y, double *after, Discrete *d) {
  const double *x = exchange_column(e, k, y);
  memcpy(e->there, x, (size_t)e->size * sizeof *x);
  if (shift != 0) {
    if (!exchange_slopes(e, 1 + k, t, e->there, e->f_there)) return false;
    for (int i = 0; i < e->size; i++) e->there[i] += shift * e->f_there[i];
  }
  memcpy(after, e->there, (size_t)e->size * sizeof *after);
  return happen(e, 1 + k, t + shift, e->there, kind, after, d);
}

static bool sides_agree(Exchange *e, int k, double t, const double *x) {
  if (e->ni == 0) return true;
  if (!exchange_look(e, 1 + k, t, x, e->z_at)) return false;
  for (int j = 0; j < e->ni; j++)
    if ((e->z_at[j] > 0) != (e->z[j] > 0)) return false;
  return true;
}

static bool pass_columns(Exchange *e, double t, ExchangeEvent kind, const double *shift,
                         const Discrete *first, const double *y, double *after) {
  Arena *scratch = arena_new();
  double *x = ARENA_ARRAY(scratch, double, e->size + 1),
         *f = ARENA_ARRAY(scratch, double, e->size + 1);
  bool agree = !(kind == EVENT_OF_STEP && first->states_changed);
  if (!exchange_slopes(e, 0, t, after, f)) agree = false;
  if (e->ni && agree && !exchange_look(e, 0, t, after, e->z)) agree = false;
  for (int k = 0; k < e->ns && !e->failed; k++) {
    Discrete d;
    if (!pass_column(e, k, t, shift[k], kind, y, x, &d)) {
      agree = false;
      break;
    }
    agree = agree && d.rounds == first->rounds && d.states_changed == first->states_changed &&
            sides_agree(e, k, t + shift[k], x);
    for (int i = 0; i < e->size; i++)
      after[e->size + i * e->ns + k] = (x[i] - f[i] * shift[k] - after[i]) / e->h[k];
  }
  arena_free(scratch);
  return agree;
}

static bool count_event(Exchange *e, double t) {
  if (t > e->last_event) e->events_here = 0;
  e->last_event = t;
  if (++e->events_here > EVENTS_HERE)
    return answer_end(e->answer, OUTCOME_CHATTER, absolute(e, t),
                      "%s: events follow each other without end at time %.9g", e->r->spec.name,
                      absolute(e, t));
  if (++e->events <= e->call->max_events) return true;
  return answer_end(e->answer, OUTCOME_TOO_MANY_EVENTS, absolute(e, t),
                    "%s: more than max_events = %d events until time %.9g", e->r->spec.name,
                    e->call->max_events, absolute(e, t));
}

bool exchange_pass_event(Exchange *e, Stepper *before, double t, ExchangeEvent kind, double *y) {
  if (!count_event(e, t)) return false;
  Arena *scratch = arena_new();
  size_t numbers = (size_t)e->size * (size_t)(1 + e->ns);
  double *after = ARENA_ARRAY(scratch, double, numbers + 1);
  double *shift = ARENA_ARRAY(scratch, double, e->ns + 1);
  Discrete first;
  bool told = e->ns == 0 || shifts(e, before, t, kind, y, shift);
  memcpy(after, y, numbers * sizeof *y);
  if (kind == EVENT_OF_INPUT) fmu_inputs_enter(e->inputs, t);
  bool ok = !e->failed && happen(e, 0, t, y, kind, after, &first);
  if (ok && e->ns && !(told && pass_columns(e, t, kind, shift, &first, y, after)))
    ok = exchange_give_up_slopes(e, "an event cannot be followed by sensitivities");
  memcpy(y, after, (size_t)e->size * (size_t)(1 + e->ns) * sizeof *y);
  if (ok) exchange_note_sides(e, t, y);
  arena_free(scratch);
  return ok && !e->failed && exchange_do_the_same(e, t, y);
}
