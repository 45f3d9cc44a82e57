#include "simulate/simulate.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/independent.h"
#include "simulate/constraints.h"
#include "simulate/event.h"
#include "simulate/implicit.h"

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

static const double START_RESIDUAL = 1e-8; // relative; rounding leaves less in start values

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
  Constraints *constraints; // NULL: the model has no invariants
  Implicit *implicit;       // NULL: the motion is integrated as an ordinary differential equation
  CodeFn *direct_rhs,
      *direct_states; // of a system that needs nothing but its machine code, see is_direct
  double *direct_work[2];
  // of the run
  const SimulateRequest *request;
  Trajectory *out;
  double t_end, next_break;
  double rate; // of stabilisation
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

static bool is_integrated_directly(const SimulateOptions *o) {
  return o->index == INDEX_DIRECT || o->index == INDEX_INDEX3;
}

// The integrator for calm and for stiff stretches; the same when one is asked for by name.
static void choose_solver(const SimulateOptions *o, int states, const StepperRow *rows[2]) {
  char word[OPTION_WORD_SIZE];
  simulate_options_word(o, "solver", word);
  if (is_integrated_directly(o)) strcpy(word, o->index == INDEX_DIRECT ? "ida-ggl" : "ida-index3");
  rows[0] = rows[1] = stepper_find(word);
  if (rows[0]) return; // else auto
  rows[0] = stepper_find(o->rel_tol > 1e-4 ? "rk5" : "rk8");
  rows[1] = stepper_find(states > LARGE ? "bdf" : "rosenbrock");
}

void simulate_needs(const SimulateOptions *options, int states, SystemSpec *spec) {
  const StepperRow *rows[2];
  choose_solver(options, states, rows);
  spec->jacobian = rows[1]->implicit && !is_integrated_directly(options);
  spec->jacobian_sens = rows[1] == stepper_find("rosenbrock");
}

static void list_picks(SimulateWork *w);

static ImplicitKind implicit_kind(const SimulateWork *w) {
  return w->options.index == INDEX_DIRECT ? IMPLICIT_INVARIANTS : IMPLICIT_AS_TYPED;
}

static void prepare_direct(SimulateWork *w) {
  if (!is_integrated_directly(&w->options)) return;
  assert(w->system->lanes == 1);
  if (implicit_refusal(w->system->model, implicit_kind(w))) return; // simulate_run says so
  w->implicit = implicit_new(w->work, implicit_kind(w));
  implicit_watch_kinks(w->implicit, w->events);
  w->ode.dae = implicit_dae(w->implicit);
}

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
  w->constraints = constraints_new(a, w->work, &w->tol);
  prepare_direct(w);
  if (s->outputs_are_states && s->lanes == 1) list_picks(w);
  return w;
}

void simulate_work_free(SimulateWork *w) {
  if (!w) return;
  for (int i = 0; i < 2; i++) stepper_done(w->steppers[i]);
  implicit_free(w->implicit);
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
  int nu = w->system->nu;
  input_eval_all(w->request->inputs, nu, t, w->pieces, u, du, nu);
}

// What a new piece of an input does to f. Steps end at pieces anyway, because a kink inside costs the method its order.
typedef enum Break {
  BREAK_NONE,
  BREAK_KINK, // of an input whose derivatives are in f, by index reduction
  BREAK_JUMP,
} Break;

static Break break_of(const SimulateWork *w, int input) {
  const Input *in = w->request->inputs[input];
  if (input_kind(in) == INPUT_HOLD) return BREAK_JUMP;
  return input_smoothness(in) < w->system->model->input_order[input] ? BREAK_KINK : BREAK_NONE;
}

// Begins new pieces at t and finds where the next one of them ends.
static Break enter_pieces(SimulateWork *w, double t) {
  Break most = BREAK_NONE;
  w->next_break = HUGE_VAL;
  for (int i = 0; i < w->system->nu; i++) {
    const Input *in = w->request->inputs[i];
    int before = w->pieces[i];
    w->pieces[i] = input_piece(in, t, +1);
    if (w->pieces[i] != before && break_of(w, i) > most) most = break_of(w, i);
    // derivatives of an input have kinks that its value hides
    double tolerance = w->system->model->input_order[i] ? 0 : w->options.rel_tol;
    w->next_break = fmin(w->next_break, input_next_break(in, t, tolerance));
  }
  return most;
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

static bool end_singular(SimulateWork *w, const Singular *at, const char *how) {
  Text lines;
  text_init(&lines);
  int count = constraints_lines(w->constraints, at->row, &lines);
  end(w, OUTCOME_SINGULAR);
  w->out->t_end = at->t;
  message(w,
          "%s t = %.10g the constraint%s of %s %s: a singular position (a dead centre, a linkage "
          "that lies flat), from which the motion could go on in more than one way or in none",
          how, at->t, count > 1 ? "s" : "", lines.at,
          count > 1 ? "are no longer independent of each other" : "no longer restricts the motion");
  text_done(&lines);
  return false;
}

static void end_of_step(SimulateWork *w, StepEnd e) {
  Singular at;
  if (e != STEP_TOO_MANY && w->constraints && w->system->lanes == 1 &&
      constraints_near_singular(w->constraints, false, &at)) {
    end_singular(w, &at,
                 e == STEP_TOO_SMALL ? "the steps became too small, because close to"
                                     : "the equations cannot be computed, because close to");
    return;
  }
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

// By order of differentiation: which of a constraint's derivatives it is.
static const char *const DERIVATIVE[] = {"", "the time derivative of ",
                                         "the second time derivative of ",
                                         "the third time derivative of "};
enum { DERIVATIVES = sizeof DERIVATIVE / sizeof *DERIVATIVE };

static void say_constraint(SimulateWork *w, int invariant) {
  const Model *m = w->system->model;
  const Invariant *v = &m->invariants[invariant];
  message(w, "%sthe constraint of line %d",
          DERIVATIVE[v->level < DERIVATIVES ? v->level : DERIVATIVES - 1],
          m->flat->equations.at[v->equation].line);
}

static bool end_contradiction(SimulateWork *w, int condition, double residual, double size) {
  const StartCondition *c = &w->system->model->conditions[condition];
  end(w, OUTCOME_NO_START);
  message(w, "the start values at t = %.10g do not satisfy ", w->request->start);
  if (c->invariant < 0)
    message(w, "the initial condition of line %d", c->line);
  else
    say_constraint(w, c->invariant);
  message(
      w,
      ": its two sides differ by %.3g, and its terms add up to %.3g; fix fewer start values (fixed "
      "= true), so that the nearest that fit together can be found, change them, or look whether "
      "constraints contradict each other",
      fabs(residual), size);
  return false;
}

// Start values have to satisfy the constraints; where too many are fixed they cannot.
static bool start_is_consistent(SimulateWork *w) {
  double allowed = START_RESIDUAL + w->options.rel_tol, worst = 0, its_residual = 0, its_size = 0;
  int which = -1;
  for (int i = 0; i < w->system->model->condition_count; i++) {
    double residual, size;
    system_condition(w->work, i, &residual, &size);
    double relative = residual == 0 ? 0 : fabs(residual) / (allowed * size);
    if (!(relative <= fmax(worst, 1)))
      which = i, worst = relative, its_residual = residual, its_size = size;
  }
  return which < 0 || end_contradiction(w, which, its_residual, its_size);
}

// A search for start values that ended without any.
static bool say_unsatisfied(SimulateWork *w) {
  Model *m = (Model *)w->system->model; // its graph is extended under its lock
  int invariant;
  double residual;
  if (!unsatisfied_invariant(m, w->request->start, w->request->p, &invariant, &residual))
    return false;
  message(w, "with the fixed start values ");
  say_constraint(w, invariant);
  message(
      w,
      " cannot be satisfied; near the start attributes its residual stays at %.3g; change them, "
      "or fix fewer",
      residual);
  return true;
}

static bool end_fixed(SimulateWork *w, int invariant, int column) {
  const System *s = w->system;
  const char *name = s->model->flat->parameters.at[s->parameter[s->active[column]]].name;
  end(w, OUTCOME_NO_START);
  message(w, "the start values at t = %.10g satisfy ", w->request->start);
  say_constraint(w, invariant);
  message(w,
          " at this value of %s only, so that there is no derivative by %s; leave one of them free "
          "(without fixed = true), or let it follow from %s",
          name, name, name);
  return false;
}

static bool end_jump(SimulateWork *w, int invariant, double by) {
  end(w, OUTCOME_NOT_COMPUTABLE);
  message(w, "at t = %.10g ", stepper(w)->t);
  say_constraint(w, invariant);
  message(w,
          " jumps by %.3g, and states would have to jump with it; write constraints whose branches "
          "and inputs meet smoothly",
          by);
  return false;
}

static bool watches_jumps(const SimulateWork *w) {
  return w->constraints && w->system->lanes == 1;
}

// After an event or a break of an input: constraints must not have jumped.
static bool constraints_go_on(SimulateWork *w) {
  const Stepper *s = stepper(w);
  double by = 0;
  int which = watches_jumps(w) ? constraints_after_jump(w->constraints, s->t, s->y, &by) : -1;
  return which < 0 || end_jump(w, which, by);
}

static bool projects(const SimulateWork *w) {
  return w->options.index == INDEX_PROJECT && w->system->lanes == 1;
}

// A method that would have to start again after each projection has terms in between that keep the constraints.
static double wanted_rate(SimulateWork *w) {
  const Stepper *s = stepper(w);
  if (w->implicit || (projects(w) && s->row->moved)) return 0;
  double rate = w->options.stabilise_rate;
  return rate > 0 ? rate : constraints_rate(w->constraints, s);
}

// Between steps: off the constraints, where alone it matters, f changes with the rate by no more than the error of a step.
// So a slope that a method has kept from before may stay.
static void follow_rate(SimulateWork *w) {
  if (!w->constraints) return;
  double rate = wanted_rate(w);
  if (rate == w->rate) return;
  w->rate = rate;
  system_set_rate(w->work, rate);
}

static bool derivatives_are_consistent(SimulateWork *w) {
  double allowed = START_RESIDUAL + w->options.rel_tol;
  int column, which = -1;
  if (w->system->lanes == 1 && w->system->ns)
    which = constraints_start_fixed(w->constraints, stepper(w)->y, allowed, &column);
  return which < 0 || end_fixed(w, which, column);
}

static bool begin_constraints(SimulateWork *w) {
  Stepper *s = stepper(w);
  Singular at;
  if (w->constraints) constraints_begin(w->constraints, w->request->p);
  if (!start_is_consistent(w)) return false;
  if (!w->constraints) return true;
  w->rate = 0;
  system_set_rate(w->work, 0);
  if (w->system->lanes == 1 && constraints_start_singular(w->constraints, s->t, s->y, &at))
    return end_singular(w, &at, "at the start");
  constraints_watch(w->constraints, s->t, s->y);
  if (!derivatives_are_consistent(w)) return false;
  if (projects(w)) constraints_project(w->constraints, s->t, s->y);
  return true;
}

// After a step, and before its end is shown.
static void keep_constraints(SimulateWork *w) {
  Stepper *s = stepper(w);
  if (projects(w) && s->row->moved && constraints_project(w->constraints, s->t, s->y))
    s->row->moved(s);
  constraints_watch(w->constraints, s->t, s->y);
}

// Where the last step met a singular position; at infinity when it did not.
static Singular find_singular(SimulateWork *w) {
  Singular at = {HUGE_VAL, 0};
  if (w->constraints && w->system->lanes == 1 &&
      !constraints_step_singular(w->constraints, stepper(w), &at))
    at.t = HUGE_VAL;
  return at;
}

// What a constraint was differentiated for must not jump.
static bool inputs_are_smooth(SimulateWork *w) {
  const Model *m = w->system->model;
  for (int i = 0; i < w->system->nu; i++) {
    if (input_smoothness(w->request->inputs[i]) >= m->input_order[i] - 1) continue;
    end(w, OUTCOME_NO_START);
    message(w,
            "the input %s enters a constraint that is differentiated %s: its interpolation must be "
            "%s",
            m->flat->variables.at[m->input[i]].name, m->input_order[i] == 1 ? "once" : "twice",
            m->input_order[i] == 1 ? "linear or spline" : "spline");
    return false;
  }
  return true;
}

// A motion that has left its constraints is wrong, whatever the integrator thinks of its steps.
static bool is_lost(SimulateWork *w) {
  Stepper *s = stepper(w);
  double by;
  if (!w->constraints || w->system->lanes > 1) return false;
  int invariant = constraints_lost(w->constraints, s->t, s->y, &by);
  if (invariant < 0) return false;
  Singular at;
  if (constraints_near_singular(w->constraints, true, &at)) {
    end_singular(w, &at, "the motion left its constraints, because close to");
    return true;
  }
  end(w, OUTCOME_LOST);
  message(w, "at t = %.10g ", s->t);
  say_constraint(w, invariant);
  message(w,
          " is violated by %.3g, far more than rel_tol = %g explains: the equations may have more "
          "than one solution or lose one there, or the errors of the motion grow too fast; try a "
          "smaller rel_tol, or make variables that are computed from a constraint states",
          by, w->options.rel_tol);
  return true;
}

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
  if (!inputs_are_smooth(w)) return false;
  system_start(w->work, r->start, st->y);
  int numbers = (s->nx + s->nx * s->stride) * s->lanes;
  if (!all_finite(st->y, numbers)) {
    end(w, OUTCOME_NO_START);
    message(w, "the start values at t = %.10g cannot be computed: ", r->start);
    if (s->lanes == 1 && say_unsatisfied(w)) return false;
    Text why;
    text_init(&why);
    bool found = s->lanes == 1 && system_explain(w->work, SYSTEM_START, r->start, st->y, &why);
    message(w, "%s", found ? why.at : "a number is too large");
    text_done(&why);
    return false;
  }
  if (w->events) event_begin(w->events, st->t, st->y);
  return begin_constraints(w);
}

static void restart(SimulateWork *w) {
  stepper(w)->row->start(stepper(w), w->t_end);
  follow_rate(w);
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

// An event in the last step, before what is singular in it: goes back to the event, changes the modes and the
// sensitivities, starts again.
static bool handle_event(SimulateWork *w, Singular *singular) {
  Stepper *s = stepper(w);
  double before, at;
  int event;
  if (!event_find(w->events, s, &before, &at, &event) || at > singular->t) return true;
  singular->t = HUGE_VAL;
  if (!put_rows_before(w, before)) return false;
  s->row->dense(s, at, true, w->y);
  int numbers = w->system->nx + w->system->nx * w->system->stride;
  memcpy(s->y, w->y, (size_t)numbers * sizeof(double));
  s->t = at;
  if (w->constraints && projects(w)) constraints_project(w->constraints, at, s->y);
  if (watches_jumps(w)) constraints_before_jump(w->constraints, at, s->y);
  w->out->events++;
  if (!event_pass(w->events, at, s->y, event)) return end_chatter(w, event);
  if (!constraints_go_on(w)) return false;
  if (w->out->events > w->options.max_events) return end_too_many_events(w, event);
  restart(w);
  while (next_time(w) <= at) // rows at the time of the event show what comes after it
    if (!put_row(w, next_time(w), s->y)) return false;
  return true;
}

// An input jumps or has a kink here, and modes with it.
static bool pass_jump(SimulateWork *w, Break kind) {
  Stepper *s = stepper(w);
  int event;
  if (w->events && !event_jump(w->events, s->t, s->y, &event)) {
    end_chatter(w, event);
    return false;
  }
  if (!constraints_go_on(w)) return false;
  if (s->t == w->t_end) return true;
  if (kind == BREAK_KINK && s->row->moved)
    s->row->moved(s);
  else
    restart(w);
  return true;
}

static bool pass_break(SimulateWork *w) {
  const Stepper *s = stepper(w);
  if (watches_jumps(w)) constraints_before_jump(w->constraints, s->t, s->y);
  Break kind = enter_pieces(w, s->t);
  return kind == BREAK_NONE || pass_jump(w, kind);
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
  Singular singular = find_singular(w);
  if (w->events && !handle_event(w, &singular)) return false;
  if (singular.t == HUGE_VAL && is_lost(w)) return false;
  if (!put_rows_before(w, fmin(s->t, singular.t))) return false;
  if (singular.t < HUGE_VAL) return end_singular(w, &singular, "at");
  if (w->out->stepped) w->out->stepped(w->out->stepped_data, s);
  if (w->constraints) keep_constraints(w);
  if (s->t == w->next_break && !pass_break(w)) return false;
  if (!put_row_at(w, s->t) || !is_worth_going_on(w)) return false;
  follow_stiffness(w, e);
  follow_rate(w);
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

static double largest(SimulateWork *w, double (*violation)(const SimulateWork *, int), int *of) {
  double most = 0;
  *of = -1;
  for (int i = 0; i < w->system->ni; i++) {
    double v = violation(w, i);
    if (*of < 0 || v > most) most = v, *of = i;
  }
  return most;
}

static void collect_violations(SimulateWork *w) {
  Trajectory *out = w->out;
  out->violation = largest(w, simulate_violation, &out->violation_of);
  out->violation_sens = largest(w, simulate_violation_sens, &out->violation_sens_of);
  if (!w->system->ns) out->violation_sens_of = -1;
}

double simulate_violation(const SimulateWork *w, int invariant) {
  return w->constraints ? constraints_violation(w->constraints, invariant) : 0;
}

double simulate_violation_sens(const SimulateWork *w, int invariant) {
  return w->constraints ? constraints_violation_sens(w->constraints, invariant) : 0;
}

// Equations that the integrator which was asked for cannot take.
static bool is_refused(SimulateWork *w) {
  if (!is_integrated_directly(&w->options) || w->implicit) return false;
  w->out->outcome = OUTCOME_NO_START;
  w->out->t_end = w->request->start;
  message(w, "%s", implicit_refusal(w->system->model, implicit_kind(w)));
  return true;
}

static void integrate(SimulateWork *w) {
  const SimulateRequest *r = w->request;
  use_stepper(w, 0);
  aim_picks(w);
  if (begin(w) && put_row_at(w, r->start)) {
    if (w->t_end > r->start) restart(w);
    while (stepper(w)->t < w->t_end && advance(w)) {
    }
  }
  if (w->out->outcome == OUTCOME_REACHED_END) w->out->t_end = stepper(w)->t;
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
  if (!is_refused(w)) integrate(w);
  collect_work(w);
  collect_violations(w);
}
