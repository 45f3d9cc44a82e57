#include "simulate/simulate.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "simulate/event.h"

static const struct {
  const char *word, *meaning;
} TABLE[] = {
#define OUTCOME(name, word, meaning) {word, meaning},
    OUTCOMES
#undef OUTCOME
};

const char *outcome_word(Outcome o) {
  return TABLE[o].word;
}
const char *outcome_meaning(Outcome o) {
  return TABLE[o].meaning;
}

enum {
  SWITCHES_MOST = 20, // between explicit and implicit in one run; then it stays implicit
  LARGE = 60,         // states from which the stiff method is bdf with sparse matrices
};

struct SimulateWork {
  Arena *arena;
  const System *system;
  SimulateOptions options;
  SystemWork *work;
  Ode ode;
  Tolerance tol;
  double *abs_tol;
  const StepperRow *rows[2]; // explicit, implicit
  Stepper *steppers[2];
  int in_use;
  double *y;   // scratch for dense output
  double *row; // of outputs, before it goes into columns
  // Of a system whose outputs are states: which numbers of y go where, first the values, then the slopes.
  int *pick, *target, pick_count;
  double **pick_column; // of the run
  int *pieces;
  EventWork *events;
  CodeFn *direct_rhs,
      *direct_states; // of a system that needs nothing but its machine code, see is_direct
  double *direct_work[2];
  // of the run
  const SimulateRequest *request;
  Trajectory *out;
  double t_end, next_break;
  int switches;
};

// ---------------------------------------------------------------- set-up

// Four sums side by side: a finite number times 0 is 0.
static bool all_finite(const double *x, int n) {
  double a = 0, b = 0, c = 0, d = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4) a += x[i] * 0, b += x[i + 1] * 0, c += x[i + 2] * 0, d += x[i + 3] * 0;
  for (; i < n; i++) a += x[i] * 0;
  return a + b + c + d == 0;
}

// Whether to compute again with the true modes: beyond a kink the side in use may not exist.
static bool is_beyond_kink(SimulateWork *w, double t, const double *x, const double *results,
                           int count) {
  return w->events && !all_finite(results, count) && event_true_modes(w->events, t, x);
}

static void ode_rhs(void *self, double t, const double *y, double *dy) {
  SimulateWork *w = self;
  const System *s = w->system;
  system_rhs_sens(w->work, t, y, dy);
  if (!is_beyond_kink(w, t, y, dy, s->nx * (1 + s->stride))) return;
  system_rhs_sens(w->work, t, y, dy);
  event_frozen_modes(w->events);
}

static void ode_rhs_states(void *self, double t, const double *x, double *dx) {
  SimulateWork *w = self;
  system_rhs(w->work, t, x, dx);
  if (!is_beyond_kink(w, t, x, dx, w->system->nx)) return;
  system_rhs(w->work, t, x, dx);
  event_frozen_modes(w->events);
}

static void ode_jacobian(void *self, double t, const double *x, double *J, double *ft) {
  SimulateWork *w = self;
  system_jacobian(w->work, t, x, J, ft);
  if (!is_beyond_kink(w, t, x, J, pattern_count(&w->system->jac))) return;
  system_jacobian(w->work, t, x, J, ft);
  event_frozen_modes(w->events);
}

static void ode_jacobian_sens(void *self, double t, const double *y, double *DJ, double *Dft) {
  SimulateWork *w = self;
  system_jacobian_sens(w->work, t, y, DJ, Dft);
  if (!is_beyond_kink(w, t, y, DJ, pattern_count(&w->system->jac) * w->system->stride)) return;
  system_jacobian_sens(w->work, t, y, DJ, Dft);
  event_frozen_modes(w->events);
}

// Small systems spend a tenth of their time on the way to the machine code; without inputs, events and lanes it can be
// called at once.
static void direct_rhs(void *self, double t, const double *y, double *dy) {
  const SimulateWork *w = self;
  w->work->par[0] = t;
  w->direct_rhs(w->work->par, y, NULL, dy, w->direct_work[0]);
}

static void direct_states(void *self, double t, const double *x, double *dx) {
  const SimulateWork *w = self;
  w->work->par[0] = t;
  w->direct_states(w->work->par, x, NULL, dx, w->direct_work[1]);
}

static bool is_direct(const System *s) {
  return s->nu == 0 && s->ne == 0 && s->lanes == 1 && s->rhs.code->fn &&
         (s->ns == 0 || (s->augmented && s->rhs_sens.code->fn));
}

static void call_directly(SimulateWork *w) {
  const System *s = w->system;
  const Kernel *kernels[2] = {s->ns ? &s->rhs_sens : &s->rhs, &s->rhs};
  for (int i = 0; i < 2; i++) w->direct_work[i] = w->work->scratch + kernels[i]->work_at;
  w->direct_rhs = kernels[0]->code->fn;
  w->direct_states = kernels[1]->code->fn;
  w->ode.rhs = direct_rhs;
  w->ode.rhs_states = direct_states;
}

static void make_ode(SimulateWork *w) {
  const System *s = w->system;
  w->ode = (Ode){.n = s->nx, .ns = s->ns, .stride = s->stride, .lanes = s->lanes, .self = w};
  w->ode.rhs = s->ns ? ode_rhs : ode_rhs_states;
  w->ode.rhs_states = ode_rhs_states;
  if (is_direct(s)) call_directly(w);
  if (!s->jacobian.code) return;
  w->ode.pattern = &s->jac;
  w->ode.jacobian = ode_jacobian;
  if (s->ns) w->ode.jacobian_sens = ode_jacobian_sens;
}

// The integrator for calm and for stiff stretches; the same when one is asked for by name.
static void choose_solver(const SimulateOptions *o, int states, const StepperRow *rows[2]) {
  char word[OPTION_WORD_SIZE];
  simulate_options_word(o, "solver", word);
  rows[0] = rows[1] = stepper_find(word);
  if (rows[0]) return; // else auto
  rows[0] = stepper_find(o->rel_tol > 1e-4 ? "rk5" : "rk8");
  rows[1] = stepper_find(states > LARGE ? "bdf" : "rosenbrock");
}

void simulate_needs(const SimulateOptions *options, int states, SystemSpec *spec) {
  const StepperRow *rows[2];
  choose_solver(options, states, rows);
  spec->jacobian = rows[1]->implicit;
  spec->jacobian_sens = rows[1] == stepper_find("rosenbrock");
}

static void list_picks(SimulateWork *w);

SimulateWork *simulate_work_new(const System *s, const SimulateOptions *options) {
  Arena *a = arena_new();
  SimulateWork *w = ARENA_NEW(a, SimulateWork);
  w->arena = a;
  w->system = s;
  w->options = *options;
  w->work = system_work_new(s);
  make_ode(w);
  choose_solver(options, s->nx, w->rows);
  if (s->lanes > 1) w->rows[1] = w->rows[0];
  int numbers = s->nx + s->nx * s->stride;
  w->abs_tol = ARENA_ARRAY(a, double, numbers + 16);
  w->y = ARENA_ARRAY(a, double, numbers * s->lanes + 16);
  w->row = ARENA_ARRAY(a, double, s->lanes == 1 ? (size_t)s->ny * (size_t)(1 + s->np) + 8 : 0);
  w->pieces = ARENA_ARRAY(a, int, s->nu + 1);
  w->tol = (Tolerance){.rel = options->rel_tol,
                       .abs = w->abs_tol,
                       .max_step = options->max_step,
                       .first_step = options->first_step,
                       .max_steps = options->max_steps};
  if (s->ne) w->events = event_work_new(a, w->work);
  if (s->outputs_are_states && s->lanes == 1) list_picks(w);
  return w;
}

void simulate_work_free(SimulateWork *w) {
  if (!w) return;
  for (int i = 0; i < 2; i++) stepper_done(w->steppers[i]);
  system_work_free(w->work);
  arena_free(w->arena);
}

static Stepper *stepper(SimulateWork *w) {
  return w->steppers[w->in_use];
}

static void use_stepper(SimulateWork *w, int which) {
  const StepperRow *row = w->rows[which];
  if (!w->steppers[which]) w->steppers[which] = stepper_new(w->arena, row, &w->ode, &w->tol);
  w->in_use = which;
  char *names = w->out->solver;
  if (strstr(names, row->name)) return;
  size_t used = strlen(names);
  snprintf(names + used, sizeof w->out->solver - used, "%s%s", used ? ", " : "", row->name);
}

// A sensitivity times its parameter has the size of the state: that sets its absolute tolerance.
static void set_tolerances(SimulateWork *w, const double *p) {
  const System *s = w->system;
  const Flat *f = s->model->flat;
  for (int i = 0; i < s->nx; i++) {
    double nominal = f->variables.at[s->model->state[i]].nominal;
    w->abs_tol[i] = w->options.abs_tol * nominal;
    for (int k = 0; k < s->stride; k++) {
      double size = k < s->ns ? fabs(p[(size_t)s->parameter[s->active[k]] * (size_t)s->lanes]) : 1;
      w->abs_tol[s->nx + i * s->stride + k] = w->abs_tol[i] / (size > 0 ? size : 1);
    }
  }
}

// ---------------------------------------------------------------- inputs

static void eval_inputs(void *data, double t, double *u, double *du) {
  SimulateWork *w = data;
  for (int i = 0; i < w->system->nu; i++)
    input_eval(w->request->inputs[i], t, &w->pieces[i], &u[i], &du[i]);
}

// Begins new pieces at t and finds where the next one of them ends. Steps end there, because a kink inside costs the
// method its order; only a jump needs a new start. true: an input jumps at t.
static bool enter_pieces(SimulateWork *w, double t) {
  bool jump = false;
  w->next_break = HUGE_VAL;
  for (int i = 0; i < w->system->nu; i++) {
    const Input *in = w->request->inputs[i];
    int before = w->pieces[i];
    w->pieces[i] = input_piece(in, t, +1);
    jump |= input_kind(in) == INPUT_HOLD && w->pieces[i] != before;
    w->next_break = fmin(w->next_break, input_next_break(in, t, w->options.rel_tol));
  }
  return jump;
}

// ---------------------------------------------------------------- how it ended

static const char *state_name(const SimulateWork *w, int i) {
  const Model *m = w->system->model;
  return m->flat->variables.at[m->state[i]].name;
}

static void name_component(const SimulateWork *w, int index, char *out, size_t size) {
  const System *s = w->system;
  if (index < s->nx) {
    snprintf(out, size, "%s", state_name(w, index));
    return;
  }
  int i = (index - s->nx) / s->stride, k = (index - s->nx) % s->stride;
  const char *parameter =
      k < s->ns ? s->model->flat->parameters.at[s->parameter[s->active[k]]].name : "?";
  snprintf(out, size, "the sensitivity d%s/d%s", state_name(w, i), parameter);
}

static void end(SimulateWork *w, Outcome outcome) {
  w->out->outcome = outcome;
  if (stepper(w)) w->out->t_end = stepper(w)->t;
}

static void message(SimulateWork *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void message(SimulateWork *w, const char *format, ...) {
  size_t used = strlen(w->out->message);
  va_list args;
  va_start(args, format);
  vsnprintf(w->out->message + used, sizeof w->out->message - used, format, args);
  va_end(args);
}

static int fastest_state(const SimulateWork *w, const double *x, const double *dx) {
  int best = 0;
  double most = -1;
  for (int i = 0; i < w->system->nx; i++) {
    double speed = fabs(dx[i]) / (w->abs_tol[i] + fabs(x[i]));
    if (!(speed <= most)) most = speed, best = i;
  }
  return best;
}

static void describe_state(SimulateWork *w, int index) {
  const Stepper *s = stepper(w);
  char name[160];
  name_component(w, index, name, sizeof name);
  int i = index < w->system->nx ? index : (index - w->system->nx) / w->system->stride;
  system_rhs(w->work, s->t, s->y, w->y);
  message(w, "; it is %s that limits it: %s = %.6g and changes at %.3g per unit of time", name,
          state_name(w, i), s->y[i], w->y[i]);
  int fast = fastest_state(w, s->y, w->y);
  if (fast != i)
    message(w, " (the fastest state is %s = %.6g, %.3g per unit of time)", state_name(w, fast),
            s->y[fast], w->y[fast]);
}

static void end_too_small(SimulateWork *w) {
  const Stepper *s = stepper(w);
  end(w, OUTCOME_STEP_TOO_SMALL);
  message(w, "at t = %.10g the steps became too small (%.2g)", s->t, s->h_next);
  if (w->system->lanes == 1 && w->system->nx) describe_state(w, s->worst >= 0 ? s->worst : 0);
  message(w, "; the solution may grow without bound or jump there");
}

static void end_too_many(SimulateWork *w) {
  const Stepper *s = stepper(w);
  end(w, OUTCOME_TOO_MANY_STEPS);
  message(w, "max_steps = %d steps brought it to t = %.10g of %.10g; the last step was %.2g",
          (int)w->tol.max_steps, s->t, w->t_end, s->t - s->t_old);
  if (s->tol.max_step > 0 && s->t - s->t_old >= 0.99 * s->tol.max_step) {
    message(w, "; it is max_step = %g that keeps the steps short", s->tol.max_step);
    return;
  }
  if (w->system->lanes == 1 && w->system->nx) describe_state(w, s->worst >= 0 ? s->worst : 0);
  if (!s->row->implicit) message(w, "; try solver=rosenbrock or a larger max_steps");
}

// f was not finite a little ahead: looks along the slope for the first point where it fails, and says why.
static void explain_ahead(SimulateWork *w) {
  const Stepper *s = stepper(w);
  int n = w->system->nx;
  Text why;
  text_init(&why);
  Arena *scratch = arena_new();
  double *dx = ARENA_ARRAY(scratch, double, n + 16), *x = ARENA_ARRAY(scratch, double, n + 16);
  bool found = system_explain(w->work, SYSTEM_RHS, s->t, s->y, &why);
  system_rhs(w->work, s->t, s->y, dx);
  double span = fabs(s->t) > 0 ? fabs(s->t) : 1;
  for (double h = 1e-15 * span; !found && h <= 10 * span; h *= 4) {
    for (int i = 0; i < n; i++) x[i] = s->y[i] + h * dx[i];
    found = system_explain(w->work, SYSTEM_RHS, s->t + h, x, &why);
  }
  if (!found && w->system->ns) found = system_explain(w->work, SYSTEM_RHS_SENS, s->t, s->y, &why);
  if (!found && w->system->jacobian.code)
    found = system_explain(w->work, SYSTEM_JACOBIAN, s->t, s->y, &why);
  message(w, "%s", found ? why.at : "numbers became too large");
  arena_free(scratch);
  text_done(&why);
}

static void end_not_computable(SimulateWork *w) {
  end(w, OUTCOME_NOT_COMPUTABLE);
  message(w, "beyond t = %.10g the equations cannot be computed: ", stepper(w)->t);
  if (w->system->lanes == 1) explain_ahead(w);
}

static void end_of_step(SimulateWork *w, StepEnd e) {
  if (e == STEP_TOO_SMALL)
    end_too_small(w);
  else if (e == STEP_TOO_MANY)
    end_too_many(w);
  else
    end_not_computable(w);
}

// ---------------------------------------------------------------- output

static void list_picks(SimulateWork *w) {
  const System *s = w->system;
  int most = s->ny * (1 + s->ns);
  w->pick = ARENA_ARRAY(w->arena, int, most + 1);
  w->target = ARENA_ARRAY(w->arena, int, most + 1);
  w->pick_column = ARENA_ARRAY(w->arena, double *, most + 1);
  for (int i = 0; i < s->ny; i++) w->pick[i] = s->output_state[i], w->target[i] = i;
  w->pick_count = s->ny;
  for (int i = 0; i < s->ny; i++)
    for (int k = 0; k < s->ns; k++) {
      w->pick[w->pick_count] = s->nx + s->output_state[i] * s->stride + k;
      w->target[w->pick_count++] = s->ny + i * s->np + s->active[k];
    }
}

// Slopes by parameters that move no state are zero and not computed.
static void clear_columns(SimulateWork *w) {
  const System *s = w->system;
  if (s->ns == s->np) return;
  for (int c = s->ny; c < s->ny * (1 + s->np); c++)
    memset(w->out->column[c], 0, (size_t)w->request->count * sizeof(double));
}

static void aim_picks(SimulateWork *w) {
  if (!w->pick || !w->out->column) return;
  if (w->out->with_sens) clear_columns(w);
  w->pick_count = w->system->ny * (1 + (w->out->with_sens ? w->system->ns : 0));
  for (int i = 0; i < w->pick_count; i++) w->pick_column[i] = w->out->column[w->target[i]];
}

static bool wants_sens(const Trajectory *out) {
  return out->sens || out->with_sens;
}

static void scatter(double *const *column, int row, const double *from, int count) {
  for (int i = 0; i < count; i++) column[i][row] = from[i];
}

static bool end_output(SimulateWork *w, double t, const double *y) {
  end(w, OUTCOME_NOT_COMPUTABLE);
  w->out->t_end = t;
  message(w, "at t = %.10g an output cannot be computed: ", t);
  Text why;
  text_init(&why);
  bool found = w->system->lanes == 1 && system_explain(w->work, SYSTEM_OUTPUTS, t, y, &why);
  message(w, "%s", found ? why.at : "a number is too large");
  text_done(&why);
  return false;
}

static bool put_row(SimulateWork *w, double t, const double *y) {
  const System *s = w->system;
  Trajectory *out = w->out;
  int width = s->ny * s->lanes, slopes = wants_sens(out) ? width * s->np : 0;
  if (out->column && w->pick) { // nothing to compute
    for (int i = 0; i < w->pick_count; i++) w->pick_column[i][out->rows] = y[w->pick[i]];
    out->rows++;
    return true;
  }
  double *values = out->column ? w->row : out->values + (size_t)out->rows * (size_t)width;
  double *sens = out->column ? w->row + width : out->sens + (size_t)out->rows * (size_t)slopes;
  system_outputs(w->work, t, y, values, slopes ? sens : NULL);
  bool fine = s->outputs_are_states || // accepted steps are finite
              (all_finite(values, width) && (!slopes || all_finite(sens, slopes)));
  if (!fine) return end_output(w, t, y);
  if (out->column) scatter(out->column, out->rows, w->row, width + slopes);
  out->rows++;
  return true;
}

static double next_time(const SimulateWork *w) {
  const SimulateRequest *r = w->request;
  return w->out->rows < r->count ? r->times[w->out->rows] : HUGE_VAL;
}

static int rows_before(const SimulateWork *w, double t) {
  const SimulateRequest *r = w->request;
  int last = w->out->rows;
  while (last < r->count && r->times[last] < t) last++;
  return last - w->out->rows;
}

// Rows strictly before t, from the last step.
static bool put_rows_before(SimulateWork *w, double t) {
  Stepper *s = stepper(w);
  Trajectory *out = w->out;
  if (!(next_time(w) < t)) return true;
  if (out->column && w->pick && s->row->dense_rows) {
    int rows = rows_before(w, t);
    s->row->dense_rows(s, w->request->times + out->rows, rows, wants_sens(out), w->pick,
                       w->pick_count, w->pick_column, out->rows);
    out->rows += rows;
    return true;
  }
  for (double at = next_time(w); at < t; at = next_time(w)) {
    s->row->dense(s, at, wants_sens(out), w->y);
    if (!put_row(w, at, w->y)) return false;
  }
  return true;
}

// The end of a step. A row at the time of an event shows what comes after it.
static bool put_row_at(SimulateWork *w, double t) {
  if (next_time(w) != t) return true;
  const double *y = stepper(w)->y;
  bool on_kink = w->events && event_next_modes(w->events, t, y);
  bool ok = put_row(w, t, y);
  if (on_kink) event_frozen_modes(w->events);
  return ok;
}

// ---------------------------------------------------------------- the run

static bool begin(SimulateWork *w) {
  const System *s = w->system;
  const SimulateRequest *r = w->request;
  Stepper *st = stepper(w);
  system_set_parameters(w->work, r->p);
  system_forget(w->work);
  set_tolerances(w, r->p);
  enter_pieces(w, r->start);
  w->work->inputs = eval_inputs;
  w->work->inputs_data = w;
  st->t = st->t_old = r->start;
  system_start(w->work, r->start, st->y);
  int numbers = (s->nx + s->nx * s->stride) * s->lanes;
  if (!all_finite(st->y, numbers)) {
    end(w, OUTCOME_NO_START);
    message(w, "the start values at t = %.10g cannot be computed: ", r->start);
    Text why;
    text_init(&why);
    bool found = s->lanes == 1 && system_explain(w->work, SYSTEM_START, r->start, st->y, &why);
    message(w, "%s", found ? why.at : "a number is too large");
    text_done(&why);
    return false;
  }
  if (w->events) event_begin(w->events, st->t, st->y);
  return true;
}

static void restart(SimulateWork *w) {
  stepper(w)->row->start(stepper(w), w->t_end);
}

static void change_stepper(SimulateWork *w, int which) {
  Stepper *from = stepper(w);
  use_stepper(w, which);
  Stepper *to = stepper(w);
  if (to == from) return;
  int numbers = (w->system->nx + w->system->nx * w->system->stride) * w->system->lanes;
  to->t = to->t_old = from->t;
  memcpy(to->y, from->y, (size_t)numbers * sizeof(double));
  restart(w);
  w->switches++;
}

static void follow_stiffness(SimulateWork *w, StepEnd e) {
  if (w->rows[0] == w->rows[1]) return;
  if (e == STEP_STIFF && w->in_use == 0) change_stepper(w, 1);
  if (e == STEP_NOT_STIFF && w->in_use == 1 && w->switches < SWITCHES_MOST) change_stepper(w, 0);
}

static bool end_chatter(SimulateWork *w, int event) {
  const Event *e = &w->system->model->flat->events.at[event];
  end(w, OUTCOME_CHATTER);
  message(
      w,
      "at t = %.10g the event of '%s' (line %d) follows itself without end: the motion stays on "
      "this kink "
      "(sticking friction, for example); write a smooth law such as tanh(v/eps), or noEvent(...)",
      stepper(w)->t, e->text, e->line);
  return false;
}

static bool end_too_many_events(SimulateWork *w, int event) {
  const Event *e = &w->system->model->flat->events.at[event];
  end(w, OUTCOME_TOO_MANY_EVENTS);
  message(w,
          "max_events = %d events brought it to t = %.10g of %.10g, the last one of '%s' (line "
          "%d); raise max_events, or "
          "write noEvent(...) around what need not be located",
          w->options.max_events, stepper(w)->t, w->t_end, e->text, e->line);
  return false;
}

// An event in the last step: goes back to it, changes the modes and the sensitivities, starts again.
static bool handle_event(SimulateWork *w) {
  Stepper *s = stepper(w);
  double before, at;
  int event;
  if (!event_find(w->events, s, &before, &at, &event)) return true;
  if (!put_rows_before(w, before)) return false;
  s->row->dense(s, at, true, w->y);
  int numbers = w->system->nx + w->system->nx * w->system->stride;
  memcpy(s->y, w->y, (size_t)numbers * sizeof(double));
  s->t = at;
  w->out->events++;
  if (!event_pass(w->events, at, s->y, event)) return end_chatter(w, event);
  if (w->out->events > w->options.max_events) return end_too_many_events(w, event);
  restart(w);
  while (next_time(w) <= at) // rows at the time of the event show what comes after it
    if (!put_row(w, next_time(w), s->y)) return false;
  return true;
}

// An input jumps here, and modes with it.
static bool pass_jump(SimulateWork *w) {
  Stepper *s = stepper(w);
  int event;
  if (w->events && !event_jump(w->events, s->t, s->y, &event)) {
    end_chatter(w, event);
    return false;
  }
  if (s->t < w->t_end) restart(w);
  return true;
}

static bool is_worth_going_on(SimulateWork *w) {
  const Trajectory *out = w->out;
  if (!out->watch || out->watch(out->watch_data, out->rows)) return true;
  end(w, OUTCOME_ABANDONED);
  return false;
}

static bool advance(SimulateWork *w) {
  Stepper *s = stepper(w);
  double limit = fmin(w->t_end, w->next_break);
  StepEnd e = s->row->step(s, limit);
  if (e != STEP_DONE && e != STEP_STIFF && e != STEP_NOT_STIFF) {
    end_of_step(w, e);
    return false;
  }
  if (w->events && !handle_event(w)) return false;
  if (!put_rows_before(w, s->t)) return false;
  if (s->t == w->next_break && enter_pieces(w, s->t) && !pass_jump(w)) return false;
  if (!put_row_at(w, s->t) || !is_worth_going_on(w)) return false;
  follow_stiffness(w, e);
  return true;
}

static void collect_work(SimulateWork *w) {
  for (int i = 0; i < 2; i++) {
    if (!w->steppers[i]) continue;
    const StepCount *c = &w->steppers[i]->count;
    StepCount *sum = &w->out->work;
    sum->steps += c->steps, sum->rejected += c->rejected;
    sum->rhs += c->rhs, sum->rhs_sens += c->rhs_sens;
    sum->jacobians += c->jacobians, sum->factorisations += c->factorisations;
  }
}

void simulate_run(SimulateWork *w, const SimulateRequest *request, Trajectory *out) {
  assert(w->system->lanes == 1 || w->system->ne == 0);
  w->request = request;
  w->out = out;
  w->switches = 0;
  w->t_end = request->count ? request->times[request->count - 1] : request->start;
  out->outcome = OUTCOME_REACHED_END;
  out->rows = 0, out->events = 0, out->work = (StepCount){0};
  out->solver[0] = out->message[0] = 0;
  for (int i = 0; i < 2; i++)
    if (w->steppers[i]) w->steppers[i]->count = (StepCount){0};
  w->tol.max_steps = request->max_steps ? request->max_steps : w->options.max_steps;
  for (int i = 0; i < 2; i++)
    if (w->steppers[i]) w->steppers[i]->tol.max_steps = w->tol.max_steps;
  use_stepper(w, 0);
  aim_picks(w);
  if (begin(w) && put_row_at(w, request->start)) {
    if (w->t_end > request->start) restart(w);
    while (stepper(w)->t < w->t_end && advance(w)) {
    }
    out->t_end = stepper(w)->t;
  }
  collect_work(w);
}
