#include "fmu/exchange.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "simulate/simulate_options.h"
#include "simulate/steppers.h"

static const double PART =
    1.5e-8; // of the size of a parameter: sqrt(DBL_EPSILON), see notes of exchange.h
static const double SENS_TOL =
    1e-7; // of a sensitivity times its parameter, against the size of the state: differences of f
          // are no more accurate
static const double BREAK_TOL =
    0.1; // of rel_tol: how far a spline may be off across a break that is not stepped to

// ---------------------------------------------------------------- instances

static double absolute(const Exchange *e, double t) {
  return e->call->origin + t;
}

// What an instance of a column refuses says nothing about the motion.
bool exchange_refused(Exchange *e, int instance, double t) {
  if (instance > 0) return exchange_give_up_slopes(e, "the FMU refused a changed parameter");
  if (!e->failed) fmu_end_refused(e->r, e->instance[0], absolute(e, t), e->answer);
  e->failed = true;
  return false;
}

bool exchange_give_up_slopes(Exchange *e, const char *why) {
  if (e->shown) c_snprintf(e->answer->slopes_by, sizeof e->answer->slopes_by, "%s", why);
  e->shown = false;
  e->failed = true;
  return false;
}

bool exchange_set(Exchange *e, int instance, double t, const double *x) {
  FmuInstance *i = e->instance[instance];
  bool ok = fmu_set_time(i, absolute(e, t)) == FMU_OK &&
            fmu_inputs_follow(i, e->inputs, t) == FMU_OK &&
            (e->n == 0 || fmu_set_states(i, x, e->n) == FMU_OK);
  return ok || exchange_refused(e, instance, t);
}

const double *exchange_column(Exchange *e, int k, const double *y) {
  const double *S = y + e->size;
  for (int i = 0; i < e->size; i++) e->there[i] = y[i] + e->h[k] * S[i * e->ns + k];
  return e->there;
}

// ---------------------------------------------------------------- the feedback

static void run_tie(Exchange *e, double t, const double *x, const double *reads) {
  ExchangeTie *k = e->tie;
  const Tie *tie = k->tie;
  k->in[0] = t;
  for (int i = 0; i < tie->signal_count; i++)
    input_eval(tie->signals[i], t, &k->piece[i], &k->in[1 + i], NULL);
  memcpy(k->state, reads, (size_t)tie->read_count * sizeof *reads);
  for (int i = 0; i < tie->own_count; i++) k->state[tie->read_count + i] = x[e->n + i];
  code_run(k->code, k->in, k->state, k->in, k->out, k->work);
}

// Adds the feedback to the slopes f at x; the values that it reads stay in k->state.
static bool add_tie(Exchange *e, double t, const double *x, double *f) {
  ExchangeTie *k = e->tie;
  if (!k) return true;
  if (fmu_get(e->instance[0], k->reads, k->read_there) != FMU_OK) return exchange_refused(e, 0, t);
  run_tie(e, t, x, k->read_there);
  for (int a = 0; a < k->tie->acting_count; a++) f[k->acting[a]] += k->out[a];
  return true;
}

// Of column c, whose instance has just been set: derivatives of the feedback along it.
static bool add_tie_column(Exchange *e, int c, double t, const double *y, double *dy) {
  ExchangeTie *k = e->tie;
  if (!k) return true;
  const Tie *tie = k->tie;
  int reads = tie->read_count, states = reads + tie->own_count;
  if (fmu_get(e->instance[1 + c], k->reads, k->read_there) != FMU_OK)
    return exchange_refused(e, 1 + c, t);
  const double *by_state = k->out + tie->acting_count;
  const double *by_slope = by_state + tie->acting_count * states;
  for (int a = 0; a < tie->acting_count; a++) {
    double sum = by_slope[a * tie->slope_count + c];
    for (int j = 0; j < reads; j++)
      sum += by_state[a * states + j] * (k->read_there[j] - k->state[j]) / e->h[c];
    for (int j = 0; j < tie->own_count; j++)
      sum += by_state[a * states + reads + j] * y[e->size + (e->n + j) * e->ns + c];
    dy[e->size + k->acting[a] * e->ns + c] += sum;
  }
  return true;
}

// ---------------------------------------------------------------- slopes

static void fill_nan(double *to, size_t count) {
  for (size_t i = 0; i < count; i++) to[i] = (double)NAN;
}

// Of the FMU alone, at (t, x). DISCARD: the FMU cannot compute them there.
static FmuStatus own_slopes(Exchange *e, int instance, double t, const double *x, double *f) {
  memset(f + e->n, 0, (size_t)e->own * sizeof *f);
  if (!exchange_set(e, instance, t, x)) return FMU_ERROR;
  if (e->n == 0) return FMU_OK;
  FmuStatus s = fmu_get_derivatives(e->instance[instance], f, e->n);
  if (s >= FMU_ERROR) exchange_refused(e, instance, t);
  return s;
}

bool exchange_own_slopes(Exchange *e, int instance, double t, const double *x, double *f) {
  return own_slopes(e, instance, t, x, f) == FMU_OK;
}

bool exchange_slopes(Exchange *e, int instance, double t, const double *x, double *f) {
  if (own_slopes(e, instance, t, x, f) != FMU_OK) return false;
  return instance > 0 || add_tie(e, t, x, f);
}

static void rhs_states(void *self, double t, const double *x, double *dx) {
  Exchange *e = self;
  if (e->failed || !exchange_slopes(e, 0, t, x, dx)) fill_nan(dx, (size_t)e->size);
}

static bool add_column(Exchange *e, int k, double t, const double *y, double *dy) {
  const double *x = exchange_column(e, k, y);
  if (own_slopes(e, 1 + k, t, x, e->f_there) != FMU_OK) return false;
  for (int i = 0; i < e->size; i++)
    dy[e->size + i * e->ns + k] = (e->f_there[i] - e->f[i]) / e->h[k];
  return add_tie_column(e, k, t, y, dy);
}

static void rhs(void *self, double t, const double *y, double *dy) {
  Exchange *e = self;
  bool ok = !e->failed && own_slopes(e, 0, t, y, e->f) == FMU_OK;
  memcpy(dy, e->f, (size_t)e->size * sizeof *dy);
  ok = ok && add_tie(e, t, y, dy);
  for (int k = 0; ok && k < e->ns; k++) ok = add_column(e, k, t, y, dy);
  if (!ok) fill_nan(dy, (size_t)e->size * (size_t)(1 + e->ns));
}

// By differences, dense; ft along the inputs.
static void jacobian(void *self, double t, const double *x, double *J, double *ft) {
  Exchange *e = self;
  int n = e->size;
  if (!exchange_slopes(e, 0, t, x, e->f)) fill_nan(e->f, (size_t)n);
  memcpy(e->there, x, (size_t)n * sizeof *x);
  for (int j = 0; j < n; j++) {
    double size = fmax(fabs(x[j]), j < e->n ? e->nominal[j] : 1);
    e->there[j] = x[j] + PART * size;
    double h = e->there[j] - x[j];
    if (!exchange_slopes(e, 0, t, e->there, e->f_there)) fill_nan(e->f_there, (size_t)n);
    for (int i = 0; i < n; i++) J[i * n + j] = (e->f_there[i] - e->f[i]) / h;
    e->there[j] = x[j];
  }
  if (ft) memset(ft, 0, (size_t)n * sizeof *ft);
}

// ---------------------------------------------------------------- set-up

static void dense_pattern(Exchange *e) {
  int n = e->size;
  int *start = ARENA_ARRAY(e->r->scratch, int, n + 2);
  int *column = ARENA_ARRAY(e->r->scratch, int, n *n + 1);
  for (int i = 0; i <= n; i++) start[i] = i * n;
  for (int i = 0; i < n * n; i++) column[i] = i % n;
  e->pattern = (Pattern){.rows = n, .columns = n, .start = start, .column = column};
}

static void set_tolerances(Exchange *e, const double *y) {
  const SimulatorCall *c = e->call;
  for (int i = 0; i < e->size; i++) {
    double nominal = i < e->n ? e->nominal[i] : 1;
    e->abs_tol[i] = c->abs_tol * nominal;
    for (int k = 0; k < e->ns; k++) {
      double size = fmax(fabs(y[i]), nominal) / c->slope_size[k];
      e->abs_tol[e->size + i * e->ns + k] = fmax(c->abs_tol, SENS_TOL) * size;
    }
  }
  e->tol = (Tolerance){
      .rel = c->rel_tol, .abs = e->abs_tol, .max_step = c->max_step, .max_steps = c->max_steps};
}

static bool choose_steppers(Exchange *e) {
  SimulateOptions o;
  char word[OPTION_WORD_SIZE];
  simulate_options_init(&o);
  o.solver = e->call->solver;
  simulate_options_word(&o, "solver", word);
  bool automatic = strcmp(word, "auto") == 0;
  if (automatic) memcpy(word, e->call->rel_tol > 1e-4 ? "rk5" : "rk8", sizeof "rk8");
  const StepperRow *row = stepper_find(word);
  if (!row || row->fixed || row->differentiated)
    return answer_end(
        e->answer, OUTCOME_REFUSED, absolute(e, e->call->start),
        "solver: %s needs equations; for a model-exchange FMU use auto, rk5, rk8, bdf "
        "or adams",
        word);
  e->rows[0] = row;
  e->rows[1] = automatic ? stepper_find("bdf") : row;
  return true;
}

static bool make_room(Exchange *e) {
  Arena *a = e->r->scratch;
  size_t numbers = (size_t)e->size * (size_t)(1 + e->ns);
  double **of_states[] = {&e->f, &e->there, &e->f_there, &e->nominal};
  for (size_t i = 0; i < sizeof of_states / sizeof *of_states; i++)
    *of_states[i] = ARENA_ARRAY(a, double, e->size + 16);
  e->abs_tol = ARENA_ARRAY(a, double, numbers + 16);
  e->y = ARENA_ARRAY(a, double, numbers + 16);
  e->z = ARENA_ARRAY(a, double, e->ni + 1);
  e->z_at = ARENA_ARRAY(a, double, e->ni + 1);
  e->positive = ARENA_ARRAY(a, bool, e->ni + 1);
  e->search = exchange_search_new(a, e->ni);
  e->next_event = ARENA_ARRAY(a, double, e->ns + 2);
  e->record_there = ARENA_ARRAY(a, double, e->call->variable_count + 1);
  return true;
}

// ---------------------------------------------------------------- changes of parameters

// No shorter than what changes many last digits of the parameter, no longer than the bounds allow; 0: they leave no room.
double exchange_change(const SimulatorCall *c, int k, double part) {
  static const double DIGITS = 1000 * DBL_EPSILON;
  int p = c->slopes[k];
  if (p < 0) return part * c->slope_size[k];
  double value = c->parameters[p], up = c->slope_high[k] - value, down = value - c->slope_low[k];
  double h = fmax(part * c->slope_size[k], DIGITS * fabs(value));
  if (up < h && down > up) h = -fmin(h, down);
  if (h > 0) h = fmin(h, up);
  volatile double there = value + h;
  return there - value;
}

static FmuInstance *begin_column(Exchange *e, int k, double h) {
  const SimulatorCall *c = e->call;
  int p = c->slopes[k];
  FmuChange change = {p, p >= 0 ? c->parameters[p] + h : 0};
  return fmu_begin(e->r, c, p >= 0 ? &change : NULL, absolute(e, e->t_end), e->call->rel_tol,
                   e->answer);
}

static bool begin_instances(Exchange *e) {
  e->instance = ARENA_ARRAY(e->r->scratch, FmuInstance *, e->ns + 2);
  e->h = ARENA_ARRAY(e->r->scratch, double, e->ns + 1);
  e->instance[0] =
      fmu_begin(e->r, e->call, NULL, absolute(e, e->t_end), e->call->rel_tol, e->answer);
  if (!e->instance[0]) return false;
  e->n = fmu_state_count(e->instance[0]);
  e->ni = fmu_indicator_count(e->instance[0]);
  if (e->n < 0 || e->ni < 0) return exchange_refused(e, 0, e->call->start);
  e->there = ARENA_ARRAY(e->r->scratch, double, e->n + 16);
  for (int k = 0; k < e->ns; k++) {
    double part = e->call->slope_part[k];
    if (!(part > 0)) part = e->call->slopes[k] >= 0 ? exchange_choose_part(e, k, PART) : PART;
    e->answer->slope_part[k] = part;
    e->h[k] = exchange_change(e->call, k, part);
    if (e->h[k] == 0) return exchange_give_up_slopes(e, "its bounds leave a parameter no room");
    e->instance[1 + k] = begin_column(e, k, e->h[k]);
    if (!e->instance[1 + k])
      return exchange_give_up_slopes(e, "the FMU refused a changed parameter");
  }
  return true;
}

static bool make_tie(Exchange *e, const Tie *tie) {
  if (!tie) return true;
  Arena *a = e->r->scratch;
  const FmuModel *m = e->r->model;
  ExchangeTie *k = e->tie = ARENA_NEW(a, ExchangeTie);
  k->tie = tie;
  k->code = code_compile(&tie->program, 1, 0, CODE_AUTO);
  k->in = ARENA_ARRAY(a, double, 1 + tie->signal_count + tie->parameter_count + 8);
  memcpy(k->in + 1 + tie->signal_count, tie->parameters,
         (size_t)tie->parameter_count * sizeof *k->in);
  k->state = ARENA_ARRAY(a, double, tie->read_count + tie->own_count + 8);
  k->out = ARENA_ARRAY(a, double, tie->program.result_count + 8);
  k->work = ARENA_ARRAY(a, double, k->code->work_count + 8);
  k->read_there = ARENA_ARRAY(a, double, tie->read_count + 1);
  k->piece = ARENA_ARRAY(a, int, tie->signal_count + 1);
  k->acting = ARENA_ARRAY(a, int, tie->acting_count + 1);
  int *reads = ARENA_ARRAY(a, int, tie->read_count + 1);
  for (int i = 0; i < tie->read_count; i++) reads[i] = m->variable[tie->reads[i]];
  k->reads = fmu_group_new(a, e->r->library, reads, tie->read_count);
  for (int i = 0; i < tie->acting_count; i++) {
    int v = tie->acting[i];
    k->acting[i] = v < 0 ? e->n - 1 - v : -1;
    for (int s = 0; v >= 0 && s < m->fmu->states.count; s++)
      if (m->fmu->states.at[s] == m->variable[v]) k->acting[i] = s;
    if (k->acting[i] < 0 || k->acting[i] >= e->size)
      return answer_end(e->answer, OUTCOME_REFUSED, absolute(e, e->call->start),
                        "%s: a feedback acts on a variable that is no state", e->r->spec.name);
  }
  for (int i = 0; i < tie->signal_count; i++)
    k->piece[i] = input_piece(tie->signals[i], e->call->start, 1);
  return true;
}

// ---------------------------------------------------------------- rows

static bool put_row(Exchange *e, double t, const double *y) {
  SimulatorAnswer *a = e->answer;
  int n = e->call->variable_count, ns = e->ns;
  double *to = a->values + (size_t)a->rows * (size_t)n;
  if (!exchange_set(e, 0, t, y)) return false;
  if (fmu_get(e->instance[0], e->recorded, to) != FMU_OK) return exchange_refused(e, 0, t);
  for (int k = 0; k < ns && e->shown; k++) {
    double *slopes = a->slopes + (size_t)a->rows * (size_t)n * (size_t)ns;
    if (!exchange_set(e, 1 + k, t, exchange_column(e, k, y))) return false;
    if (fmu_get(e->instance[1 + k], e->recorded, e->record_there) != FMU_OK)
      return exchange_refused(e, 1 + k, t);
    for (int i = 0; i < n; i++) slopes[i * ns + k] = (e->record_there[i] - to[i]) / e->h[k];
  }
  a->rows++;
  return true;
}

static Stepper *stepper(Exchange *e) {
  return e->steppers[e->in_use];
}

static bool put_rows_before(Exchange *e, double t) {
  const SimulatorCall *c = e->call;
  Stepper *s = stepper(e);
  while (e->answer->rows < c->count && c->times[e->answer->rows] < t) {
    double at = c->times[e->answer->rows];
    s->row->dense(s, at, e->ns > 0, e->y);
    if (!put_row(e, at, e->y)) return false;
  }
  return true;
}

static bool put_rows_at(Exchange *e, double t, const double *y) {
  const SimulatorCall *c = e->call;
  while (e->answer->rows < c->count && c->times[e->answer->rows] <= t)
    if (!put_row(e, t, y)) return false;
  return true;
}

// ---------------------------------------------------------------- the motion

static void use_stepper(Exchange *e, int which, double t, const double *y) {
  if (!e->steppers[which])
    e->steppers[which] = stepper_new(e->r->scratch, e->rows[which], &e->ode, &e->tol);
  e->in_use = which;
  Stepper *s = stepper(e);
  char *names = e->answer->solver;
  size_t used = strlen(names);
  if (!strstr(names, e->rows[which]->name))
    c_snprintf(names + used, sizeof e->answer->solver - used, "%s%s", used ? ", " : "",
               e->rows[which]->name);
  memcpy(s->y, y, (size_t)e->size * (size_t)(1 + e->ns) * sizeof *y);
  s->t = s->t_old = t;
  s->row->start(s, e->t_end);
}

static bool end_step(Exchange *e, StepEnd how) {
  static const Outcome OUTCOMES_OF[] = {[STEP_TOO_SMALL] = OUTCOME_STEP_TOO_SMALL,
                                        [STEP_NOT_COMPUTABLE] = OUTCOME_NOT_COMPUTABLE,
                                        [STEP_TOO_MANY] = OUTCOME_TOO_MANY_STEPS};
  if (e->failed) return false;
  double t = absolute(e, stepper(e)->t);
  return answer_end(e->answer, OUTCOMES_OF[how], t, "%s: %s at time %.9g", e->r->spec.name,
                    how == STEP_TOO_SMALL  ? "no step is small enough for the tolerances"
                    : how == STEP_TOO_MANY ? "the integrator used up max_steps"
                                           : "its derivatives cannot be computed or are not finite",
                    t);
}

bool exchange_complete(Exchange *e, int instance, double t, bool *event) {
  bool terminate = false;
  *event = false;
  if (fmu_completed_step(e->instance[instance], event, &terminate) != FMU_OK)
    return exchange_refused(e, instance, t);
  return !terminate || exchange_terminated(e, instance, t);
}

// Tells all instances that the step to (t, y) was accepted. *event: the motion wants event mode.
static bool complete_step(Exchange *e, double t, const double *y, bool *event) {
  for (int i = 0; i <= e->ns; i++) {
    bool enter;
    const double *x = i ? exchange_column(e, i - 1, y) : y;
    if (!exchange_set(e, i, t, x) || !exchange_complete(e, i, t, &enter)) return false;
    if (i == 0) *event = enter;
  }
  return true;
}

// After an accepted step without a state event. *y: the state to go on from, *restart: the integrator begins anew.
static bool arrive(Exchange *e, double input_break, double *y, bool *restart) {
  Stepper *s = stepper(e);
  bool step_event;
  double t = s->t;
  memcpy(y, s->y, (size_t)e->size * (size_t)(1 + e->ns) * sizeof *y);
  if (!complete_step(e, t, y, &step_event)) return false;
  *restart = false;
  if (t >= e->next_event[0]) {
    *restart = true;
    if (!exchange_pass_event(e, s, t, EVENT_OF_TIME, y)) return false;
  } else if (step_event) {
    *restart = true;
    if (!exchange_pass_event(e, s, t, EVENT_OF_STEP, y)) return false;
  }
  if (t >= input_break) {
    bool jump = fmu_inputs_jump(e->inputs, t), one_step = s->row->order > 0;
    *restart = *restart || jump || !one_step; // at a kink f goes on as it was
    fmu_inputs_enter(e->inputs, t);
    if (jump && !exchange_pass_event(e, s, t, EVENT_OF_INPUT, y)) return false;
  }
  return put_rows_at(e, t, y);
}

static bool advance(Exchange *e, double *y) {
  Stepper *s = stepper(e);
  double tolerance = BREAK_TOL * e->call->rel_tol;
  double input_break = fmu_inputs_break(e->inputs, s->t, tolerance);
  double limit = fmin(e->t_end, fmin(input_break, e->next_event[0]));
  bool restart = true;
  if (limit > s->t) {
    StepEnd how = s->row->step(s, limit);
    if (e->failed) return false;
    if (how != STEP_DONE && how != STEP_STIFF && how != STEP_NOT_STIFF) return end_step(e, how);
    double at = exchange_find_event(e, s);
    if (e->failed || !put_rows_before(e, fmin(at, s->t))) return false;
    if (at < HUGE_VAL) {
      s->row->dense(s, at, e->ns > 0, y);
      if (!exchange_pass_event(e, s, at, EVENT_OF_STATE, y) || !put_rows_at(e, at, y)) return false;
      use_stepper(e, e->in_use, at, y);
      return true;
    }
    if (!arrive(e, input_break, y, &restart)) return false;
    if (how == STEP_STIFF && e->rows[1]->implicit)
      use_stepper(e, 1, s->t, y);
    else if (restart)
      use_stepper(e, e->in_use, s->t, y);
    return true;
  }
  // Something is due at this very time.
  if (!arrive(e, input_break, y, &restart)) return false;
  use_stepper(e, e->in_use, s->t, y);
  return true;
}

// Without states there is nothing to integrate: from one event or output to the next.
static bool advance_stateless(Exchange *e, double *t, double *y) {
  const SimulatorCall *c = e->call;
  double next_row = e->answer->rows < c->count ? c->times[e->answer->rows] : HUGE_VAL;
  double input_break = fmu_inputs_break(e->inputs, *t, 0);
  double next = fmin(e->t_end, fmin(next_row, fmin(input_break, e->next_event[0])));
  *t = fmax(*t, next);
  bool step_event;
  if (!complete_step(e, *t, y, &step_event)) return false;
  if (*t >= input_break) {
    bool jump = fmu_inputs_jump(e->inputs, *t);
    fmu_inputs_enter(e->inputs, *t);
    if (jump && !exchange_pass_event(e, NULL, *t, EVENT_OF_INPUT, y)) return false;
  }
  if (*t >= e->next_event[0]) {
    if (!exchange_pass_event(e, NULL, *t, EVENT_OF_TIME, y)) return false;
  } else if (step_event && !exchange_pass_event(e, NULL, *t, EVENT_OF_STEP, y)) {
    return false;
  }
  return put_rows_at(e, *t, y);
}

// Where the FMU ends the simulation itself its values are still valid.
static void put_last_rows(Exchange *e, const double *y) {
  if (e->answer->outcome == OUTCOME_TERMINATED && e->shown) put_rows_at(e, e->last_event, y);
}

static bool integrate(Exchange *e, double *y) {
  double t = e->call->start;
  if (!put_rows_at(e, t, y)) return false;
  if (e->size == 0) {
    while (e->answer->rows < e->call->count)
      if (!advance_stateless(e, &t, y)) return false;
    return true;
  }
  use_stepper(e, 0, t, y);
  while (stepper(e)->t < e->t_end)
    if (!advance(e, y)) return false;
  return true;
}

static void add_work(StepCount *to, const StepCount *more) {
  to->steps += more->steps;
  to->rejected += more->rejected;
  to->rhs += more->rhs;
  to->rhs_sens += more->rhs_sens;
  to->jacobians += more->jacobians;
  to->factorisations += more->factorisations;
}

static bool prepare(Exchange *e, const Tie *tie, double **y) {
  if (!begin_instances(e)) return false;
  e->own = tie ? tie->own_count : 0;
  e->size = e->n + e->own;
  make_room(e);
  e->inputs = fmu_inputs_new(e->r, e->call);
  fmu_inputs_enter(e->inputs, e->call->start);
  e->recorded = fmu_recorded(e->r, e->call);
  for (int i = 0; i < e->size; i++) e->nominal[i] = 1;
  if (!choose_steppers(e) || !make_tie(e, tie)) return false;
  *y = ARENA_ARRAY(e->r->scratch, double, (size_t)e->size *(size_t)(1 + e->ns) + 16);
  if (!exchange_first_event(e, *y)) return false;
  if (e->n && fmu_get_nominals(e->instance[0], e->nominal, e->n) != FMU_OK)
    return exchange_refused(e, 0, e->call->start);
  for (int i = 0; i < e->n; i++)
    if (!(e->nominal[i] > 0)) e->nominal[i] = e->nominal[i] < 0 ? -e->nominal[i] : 1;
  if (!exchange_do_the_same(e, e->call->start, *y)) return false;
  if (e->ns && !tie) exchange_compare_directional(e, e->call->start, *y);
  set_tolerances(e, *y);
  dense_pattern(e);
  e->ode = (Ode){.n = e->size,
                 .ns = e->ns,
                 .stride = e->ns,
                 .lanes = 1,
                 .self = e,
                 .rhs = rhs,
                 .rhs_states = rhs_states,
                 .pattern = &e->pattern,
                 .jacobian = jacobian};
  return true;
}

// false: without sensitivities it may go further.
static bool run(FmuRunner *r, const SimulatorCall *call, int columns, SimulatorAnswer *answer) {
  Exchange e = {.r = r, .call = call, .answer = answer, .shown = true, .last_event = -HUGE_VAL};
  double *y;
  e.ns = columns;
  e.t_end = call->count ? call->times[call->count - 1] : call->start;
  bool prepared = prepare(&e, call->tie, &y), done = prepared && integrate(&e, y);
  if (prepared && !done) put_last_rows(&e, y);
  if (answer->rows == call->count && answer->outcome == OUTCOME_TERMINATED) done = true;
  if (done) {
    if (answer->outcome == OUTCOME_TERMINATED) answer->message[0] = 0; // it came far enough
    answer->outcome = OUTCOME_REACHED_END;
    answer->t_end = absolute(&e, e.t_end);
  }
  for (int i = 0; i < 2; i++) {
    if (!e.steppers[i]) continue;
    add_work(&answer->work, &e.steppers[i]->count);
    stepper_done(e.steppers[i]);
  }
  answer->events = e.events;
  if (e.tie) code_free(e.tie->code);
  for (int i = 0; e.instance && i <= e.ns; i++) fmu_instance_free(e.instance[i]);
  if (columns && e.shown)
    c_snprintf(answer->slopes_by, sizeof answer->slopes_by,
               "sensitivity equations by differences of f%s",
               e.events ? ", with jumps at events" : "");
  return e.shown;
}

void fmu_exchange(FmuRunner *r, const SimulatorCall *call, SimulatorAnswer *answer) {
  int columns = r->info->once_per_process ? 0 : call->slope_count;
  if (columns < call->slope_count)
    c_snprintf(answer->slopes_by, sizeof answer->slopes_by, "one instance only in a process");
  if (!run(r, call, columns, answer)) {
    SimulatorAnswer fresh = {.values = answer->values, .slope_part = answer->slope_part};
    memcpy(fresh.slopes_by, answer->slopes_by, sizeof fresh.slopes_by);
    *answer = fresh;
    columns = 0;
    run(r, call, 0, answer);
  }
  if (!columns) answer->slopes = NULL;
}
