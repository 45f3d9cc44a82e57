// The loop of a simulation: start values, steps from one break (jump of an input, event, output time) to the next,
// dense output into rows, change between the explicit and the implicit method where the motion becomes stiff or no
// longer is.
#include "simulate/simulate.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/patience.h"
#include "simulate/closed.h"
#include "simulate/ending.h"
#include "simulate/event.h"
#include "simulate/event_jump.h"
#include "simulate/event_search.h"
#include "simulate/event_settle.h"
#include "simulate/event_through.h"
#include "simulate/follow.h"
#include "simulate/implicit.h"
#include "simulate/slide.h"
#include "simulate/steppers.h"

static const double START_RESIDUAL = 1e-8; // relative; above rounding errors of start values

enum {
  SWITCHES_MOST = 20, // between explicit and implicit in one run; then it stays implicit
  FREQUENT = 1000,    // events of one kind that are worth a remark
  STEPPER_ROLES = 3,
  LARGE = 60, // states from which the stiff method is bdf with sparse matrices
};

struct SimulateWork {
  Arena *arena;
  ClosedWork *closed;     // instead of everything else where the model is closed
  ClosedModel *simulator; // that it belongs to; outlives the model
  const System *system;
  SimulateOptions options;
  SystemWork *work;
  Ode ode;
  Tolerance tol;
  double *abs_tol;
  // Explicit, implicit, and instead of that while the motion slides, where the Jacobian is an approximation.
  const StepperRow *rows[STEPPER_ROLES];
  Stepper *steppers[STEPPER_ROLES];
  int in_use;
  double *y;   // scratch for dense output
  double *row; // of outputs, before it goes into columns
  // Of a system whose outputs are states: which numbers of y go where, first the values, then the slopes.
  int *pick, *target, pick_count;
  double **pick_column; // of the run
  int *pieces;
  EventWork *events;
  Follower *follower;        // of the roots of simultaneous equations
  InvariantWork *invariants; // NULL: the model has no invariants
  double *conditions; // of assertions, and when a warning was first due; NULL: the model has none
  double *warned;
  Implicit *implicit; // NULL: the motion is integrated as an ordinary differential equation
  CodeFn *direct_rhs,
      *direct_states; // of a system that needs nothing but its machine code, see is_direct
  double *direct_work[2];
  // of the run
  const SimulateRequest *request;
  Trajectory *out;
  double t_start, t_end, next_break;
  int row_count;           // that are wanted
  double mark;             // where the point is that is wanted, infinite: none
  int stop;                // where the states are set anew next
  double input_break;      // the next of an input
  double next_timer;       // of an event at a known time
  long timer_events;       // which max_events does not count
  long crowd;              // events passed by an explicit method, see follow_crowd
  double crowd_since;      // time of the last that was asked
  double rate;             // of stabilisation
  long step_work, unasked; // numbers of a step, and of the steps since the last question
  int switches;
  SimulateRun run; // for whatever ends it
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
  if (w->events) event_follow(w->events, t, y);
  if (w->events && w->events->slide_count) {
    slide_rhs_sens(w->events, t, y, dy);
    return;
  }
  system_rhs_sens(w->work, t, y, dy);
  if (!is_beyond_kink(w, t, y, dy, s->nx * (1 + s->stride))) return;
  system_rhs_sens(w->work, t, y, dy);
  event_frozen_modes(w->events);
}

static void ode_rhs_states(void *self, double t, const double *x, double *dx) {
  SimulateWork *w = self;
  if (w->events) event_follow(w->events, t, x);
  if (w->events && w->events->slide_count) {
    slide_rhs(w->events, t, x, dx);
    return;
  }
  system_rhs(w->work, t, x, dx);
  if (!is_beyond_kink(w, t, x, dx, w->system->nx)) return;
  system_rhs(w->work, t, x, dx);
  event_frozen_modes(w->events);
}

static void ode_jacobian(void *self, double t, const double *x, double *J, double *ft) {
  SimulateWork *w = self;
  if (w->events) event_follow(w->events, t, x);
  if (w->events && w->events->slide_count) {
    slide_jacobian(w->events, t, x, J, ft);
    return;
  }
  system_jacobian(w->work, t, x, J, ft);
  if (!is_beyond_kink(w, t, x, J, pattern_count(&w->system->sparse.jacobian))) return;
  system_jacobian(w->work, t, x, J, ft);
  event_frozen_modes(w->events);
}

static void ode_jacobian_sens(void *self, double t, const double *y, double *DJ, double *Dft) {
  SimulateWork *w = self;
  if (w->events) event_follow(w->events, t, y);
  system_jacobian_sens(w->work, t, y, DJ, Dft);
  if (!is_beyond_kink(w, t, y, DJ, pattern_count(&w->system->sparse.jacobian) * w->system->stride))
    return;
  system_jacobian_sens(w->work, t, y, DJ, Dft);
  event_frozen_modes(w->events);
}

// Calls the machine code directly where there are no inputs, events and lanes: small systems otherwise spend a tenth of
// their time in the calls in between.
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
  return s->nu == 0 && s->ne == 0 && !s->hybrid && s->lanes == 1 &&
         s->kernel[KERNEL_RHS].code->fn && !s->kernel[KERNEL_RHS].block_count &&
         (s->ns == 0 || (s->columns.augmented && s->kernel[KERNEL_RHS_SENS].code->fn));
}

static void call_directly(SimulateWork *w) {
  const System *s = w->system;
  const Kernel *kernels[2] = {&s->kernel[s->ns ? KERNEL_RHS_SENS : KERNEL_RHS],
                              &s->kernel[KERNEL_RHS]};
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
  if (!s->kernel[KERNEL_JACOBIAN].code) return;
  w->ode.pattern = &s->sparse.jacobian;
  w->ode.jacobian = ode_jacobian;
  if (s->ns) w->ode.jacobian_sens = ode_jacobian_sens;
}

static bool is_integrated_directly(const SimulateOptions *o) {
  return o->index == INDEX_DIRECT || o->index == INDEX_INDEX3;
}

// The integrators for motion that is not stiff and that is stiff; the same one twice when the user names it.
static void choose_solver(const SimulateOptions *o, int states, const StepperRow *rows[2]) {
  char word[OPTION_WORD_SIZE];
  simulate_options_word(o, "solver", word);
  if (is_integrated_directly(o)) strcpy(word, o->index == INDEX_DIRECT ? "ida-ggl" : "ida-index3");
  rows[0] = rows[1] = stepper_find(word);
  if (rows[0]) return;
  assert(strcmp(word, "auto") == 0); // every other word has its row in stepper.c
  rows[0] = stepper_find(o->rel_tol > 1e-4 ? "rk5" : "rk8");
  rows[1] = stepper_find(states > LARGE ? "bdf" : "rosenbrock");
}

void simulate_needs(const SimulateOptions *options, int states, SystemSpec *spec) {
  const StepperRow *rows[2];
  choose_solver(options, states, rows);
  spec->jacobian = rows[1]->implicit && !is_integrated_directly(options);
  spec->jacobian_sens = rows[1]->differentiated;
}

const StepperRow *simulate_first(const SimulateOptions *options, int states) {
  const StepperRow *rows[2];
  choose_solver(options, states, rows);
  return rows[0];
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

// Numbers that a step computes: after how many the question is whether to go on.
static long work_of_step(const SimulateWork *w) {
  enum { STAGES = 10, OVERHEAD = 20 };
  return OVERHEAD + STAGES * (long)(w->system->nx + w->system->nx * w->system->stride);
}

SimulateWork *simulate_work_new(const System *s, const SimulateOptions *options) {
  Arena *a = arena_new();
  SimulateWork *w = ARENA_NEW(a, SimulateWork);
  w->arena = a;
  w->system = s;
  w->options = *options;
  w->work = system_work_new(s);
  ClosedModel *closed = model_closed(s->model);
  if (closed) {
    w->simulator = closed;
    w->closed = closed->work_new(closed, a, w->work, &w->options);
    return w;
  }
  make_ode(w);
  choose_solver(options, s->nx, w->rows);
  if (s->lanes > 1) w->rows[1] = w->rows[0];
  w->rows[2] = w->rows[1]->differentiated ? stepper_find("bdf") : w->rows[1];
  int numbers = s->nx + s->nx * s->stride;
  w->abs_tol = ARENA_ARRAY(a, double, numbers * s->lanes + 16);
  w->y = ARENA_ARRAY(a, double, numbers * s->lanes + 16);
  w->row = ARENA_ARRAY(a, double, s->lanes == 1 ? (size_t)s->ny * (size_t)(1 + s->np) + 8 : 0);
  w->pieces = ARENA_ARRAY(a, int, s->nu + 1);
  w->step_work = work_of_step(w);
  w->tol = (Tolerance){.rel = options->rel_tol,
                       .abs = w->abs_tol,
                       .max_step = options->max_step,
                       .first_step = options->first_step,
                       .fixed_step = options->fixed_step,
                       .jacobian_every = options->jacobian_every,
                       .max_steps = options->max_steps};
  if (s->ne || s->hybrid) {
    w->events = event_work_new(a, w->work);
    slide_prepare(w->events);
    event_search_prepare(w->events);
    w->events->never_slides = is_integrated_directly(options);
  }
  if (s->model->assert_count && s->lanes == 1) {
    w->conditions = ARENA_ARRAY(a, double, s->model->assert_count);
    w->warned = ARENA_ARRAY(a, double, s->model->assert_count);
  }
  w->follower = follower_new(a, w->work);
  w->invariants = invariants_new(a, w->work, &w->tol);
  prepare_direct(w);
  if (s->output.all_states && s->lanes == 1) list_picks(w);
  return w;
}

void simulate_work_free(SimulateWork *w) {
  if (!w) return;
  if (w->closed) w->simulator->work_done(w->closed);
  for (int i = 0; i < STEPPER_ROLES; i++) stepper_done(w->steppers[i]);
  implicit_free(w->implicit);
  system_work_free(w->work);
  arena_free(w->arena);
}

const SimulateOptions *simulate_options_of(const SimulateWork *w) {
  return &w->options;
}

static Stepper *stepper(SimulateWork *w) {
  return w->steppers[w->in_use];
}

static void use_stepper(SimulateWork *w, int which) {
  const StepperRow *row = w->rows[which];
  if (!w->steppers[which]) w->steppers[which] = stepper_new(w->arena, row, &w->ode, &w->tol);
  w->in_use = which;
  w->run.stepper = w->steppers[which];
  char *names = w->out->solver;
  if (strstr(names, row->name)) return;
  size_t used = strlen(names);
  c_snprintf(names + used, sizeof w->out->solver - used, "%s%s", used ? ", " : "", row->name);
}

// A sensitivity times its parameter has the size of the state: that sets its absolute tolerance.
void simulate_tolerances(const System *s, const SimulateOptions *options, const double *p,
                         double *abs_tol) {
  const Flat *f = s->model->flat;
  int L = s->lanes;
  for (int i = 0; i < s->nx; i++) {
    double tol = options->abs_tol * f->variables.at[s->model->state[i]].nominal;
    for (int l = 0; l < L; l++) abs_tol[i * L + l] = tol;
    for (int k = 0; k < s->stride; k++)
      for (int l = 0; l < L; l++) {
        double size = k < s->ns ? fabs(p[s->columns.parameter[k] * L + l]) : 1;
        abs_tol[(s->nx + i * s->stride + k) * L + l] = tol / (size > 0 ? size : 1);
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

static Break break_of(const SimulateWork *w, int input, int from, int to) {
  const Input *in = w->request->inputs[input];
  if (from == to) return BREAK_NONE;
  if (input_jumps(in)) return BREAK_JUMP;
  int smooth = input_smoothness_between(in, from, to);
  return smooth < w->system->model->input_order[input] ? BREAK_KINK : BREAK_NONE;
}

// The last row, and the derivatives of inputs in it, use the piece that ends there: data often end where the inputs end.
// One that jumps has its new value from the time of its sample on.
static bool ends_in_piece(const SimulateWork *w, const Input *in, double t) {
  return t == w->t_end && t > w->t_start && !input_jumps(in);
}

// Begins new pieces at t and finds where the next one of them ends.
static Break enter_pieces(SimulateWork *w, double t) {
  Break most = BREAK_NONE;
  w->input_break = HUGE_VAL;
  for (int i = 0; i < w->system->nu; i++) {
    const Input *in = w->request->inputs[i];
    if (ends_in_piece(w, in, t)) continue;
    int before = w->pieces[i];
    w->pieces[i] = input_piece(in, t, +1);
    Break kind = break_of(w, i, before, w->pieces[i]);
    if (kind > most) most = kind;
    // derivatives of an input have kinks that its value hides
    double tolerance = w->system->model->input_order[i] ? 0 : w->options.rel_tol;
    w->input_break = fmin(w->input_break, input_next_break(in, t, tolerance));
  }
  w->next_break = w->input_break;
  return most;
}

// ---------------------------------------------------------------- output

static void list_picks(SimulateWork *w) {
  const System *s = w->system;
  int most = s->ny * (1 + s->ns);
  w->pick = ARENA_ARRAY(w->arena, int, most + 1);
  w->target = ARENA_ARRAY(w->arena, int, most + 1);
  w->pick_column = ARENA_ARRAY(w->arena, double *, most + 1);
  for (int i = 0; i < s->ny; i++) w->pick[i] = s->output.state[i], w->target[i] = i;
  w->pick_count = s->ny;
  for (int i = 0; i < s->ny; i++)
    for (int k = 0; k < s->ns; k++) {
      w->pick[w->pick_count] = s->nx + s->output.state[i] * s->stride + k;
      w->target[w->pick_count++] = s->ny + i * s->np + s->columns.active[k];
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
  if (w->events) event_follow(w->events, t, y);
  if (w->events)
    slide_outputs(w->events, t, y, values, slopes ? sens : NULL);
  else
    system_outputs(w->work, t, y, values, slopes ? sens : NULL);
  bool fine = s->output.all_states || // accepted steps are finite
              (all_finite(values, width) && (!slopes || all_finite(sens, slopes)));
  if (!fine) return end_output(&w->run, t, y);
  if (out->column) scatter(out->column, out->rows, w->row, width + slopes);
  out->rows++;
  return true;
}

static double next_time(const SimulateWork *w) {
  const SimulateRequest *r = w->request;
  return w->out->rows < w->row_count ? r->times[w->out->rows] : HUGE_VAL;
}

enum { ROWS_AT_ONCE = 5000 };

static int rows_before(const SimulateWork *w, double t) {
  const SimulateRequest *r = w->request;
  int last = w->out->rows,
      most = last > w->row_count - ROWS_AT_ONCE ? w->row_count : last + ROWS_AT_ONCE;
  while (last < most && r->times[last] < t) last++;
  return last - w->out->rows;
}

// Rows strictly before t, from the last step.
static bool put_rows_before(SimulateWork *w, double t) {
  Stepper *s = stepper(w);
  Trajectory *out = w->out;
  if (!(next_time(w) < t)) return true;
  if (out->column && w->pick && s->row->dense_rows) {
    for (int rows = rows_before(w, t); rows > 0; rows = rows_before(w, t)) {
      s->row->dense_rows(s, w->request->times + out->rows, rows, wants_sens(out), w->pick,
                         w->pick_count, w->pick_column, out->rows);
      out->rows += rows;
      if (rows == ROWS_AT_ONCE && !patience_lasts(PATIENCE_LOOK)) return end_stopped(&w->run);
    }
    return true;
  }
  for (double at = next_time(w); at < t; at = next_time(w)) {
    if (!patience_lasts(w->step_work)) return end_stopped(&w->run);
    s->row->dense(s, at, wants_sens(out), w->y);
    if (!put_row(w, at, w->y)) return false;
  }
  return true;
}

// Rows until t, all with the values at t. At the time of an event they show what comes after it.
static bool put_rows_at(SimulateWork *w, double t) {
  if (!(next_time(w) <= t)) return true;
  const double *y = stepper(w)->y;
  bool on_limit = w->events && !w->system->hybrid && event_next_modes(w->events, t, y), ok = true;
  while (ok && next_time(w) <= t) ok = put_row(w, next_time(w), y);
  if (on_limit) event_frozen_modes(w->events);
  return ok;
}

// The row at the start shows what the equations literally say there.
static bool put_first_row(SimulateWork *w) {
  const Stepper *s = stepper(w);
  return next_time(w) != s->t || put_row(w, s->t, s->y);
}

// ---------------------------------------------------------------- the run

// Start values have to satisfy the constraints; they cannot when too many are fixed.
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
  return which < 0 || end_contradiction(&w->run, which, its_residual, its_size);
}

static bool watches_jumps(const SimulateWork *w) {
  return w->invariants && w->system->lanes == 1;
}

// After an event or a break of an input: constraints must not have jumped.
static bool invariants_go_on(SimulateWork *w) {
  const Stepper *s = stepper(w);
  double by = 0;
  int which = watches_jumps(w) ? invariants_after_jump(w->invariants, s->t, s->y, &by) : -1;
  return which < 0 || end_jump(&w->run, which, by);
}

static bool projects(const SimulateWork *w) {
  return w->options.index == INDEX_PROJECT && w->system->lanes == 1;
}

// A multistep method would have to restart after each projection: Baumgarte's terms keep the constraints in between.
static double wanted_rate(SimulateWork *w) {
  const Stepper *s = stepper(w);
  if (w->implicit || (projects(w) && s->row->moved)) return 0;
  double rate = w->options.stabilise_rate;
  return rate > 0 ? rate : invariants_rate(w->invariants, s);
}

static void set_rate(SimulateWork *w, double rate) {
  double beta = w->options.stabilise_beta;
  w->rate = rate;
  system_set_rates(w->work, rate, rate > 0 && beta > 0 ? beta : rate);
}

// Between steps. f depends on the rate only off the constraints, and there by no more than the error of a step, so that a
// slope that the method has kept stays valid.
static void follow_rate(SimulateWork *w) {
  if (!w->invariants) return;
  double rate = wanted_rate(w);
  if (rate == w->rate) return;
  set_rate(w, rate);
}

static bool derivatives_are_consistent(SimulateWork *w) {
  double allowed = START_RESIDUAL + w->options.rel_tol;
  int column, which = -1;
  if (w->system->lanes == 1 && w->system->ns)
    which = invariants_start_fixed(w->invariants, stepper(w)->y, allowed, &column);
  return which < 0 || end_fixed(&w->run, which, column);
}

static bool begin_invariants(SimulateWork *w) {
  Stepper *s = stepper(w);
  Singular at;
  bool given = w->request->from != NULL; // then the conditions on start values do not matter
  if (w->invariants) invariants_begin(w->invariants, w->request->p);
  if (!given && !start_is_consistent(w)) return false;
  if (!w->invariants) return true;
  set_rate(w, 0);
  if (w->system->lanes == 1 && invariants_start_singular(w->invariants, s->t, s->y, &at))
    return end_singular(&w->run, &at, "at the start");
  invariants_watch(w->invariants, s->t, s->y);
  if (!given && !derivatives_are_consistent(w)) return false;
  if (projects(w)) invariants_project(w->invariants, s->t, s->y);
  return true;
}

// After a step, and before its end is shown.
static void keep_invariants(SimulateWork *w) {
  Stepper *s = stepper(w);
  if (projects(w) && s->row->moved && invariants_project(w->invariants, s->t, s->y))
    s->row->moved(s);
  invariants_watch(w->invariants, s->t, s->y);
}

// Where the last step met a singular position; at infinity when it did not.
static Singular find_singular(SimulateWork *w) {
  Singular at = {HUGE_VAL, 0};
  if (w->invariants && w->system->lanes == 1 &&
      !invariants_step_singular(w->invariants, stepper(w), &at))
    at.t = HUGE_VAL;
  return at;
}

// What a constraint was differentiated for must not jump.
static bool inputs_are_smooth(SimulateWork *w) {
  const Model *m = w->system->model;
  for (int i = 0; i < w->system->nu; i++) {
    if (input_smoothness(w->request->inputs[i]) >= m->input_order[i] - 1) continue;
    end_rough_input(&w->run, i);
    return false;
  }
  return true;
}

// A motion that has left its constraints is wrong, even if the steps pass their error test.
static bool is_lost(SimulateWork *w) {
  Stepper *s = stepper(w);
  double by;
  if (!w->invariants || w->system->lanes > 1) return false;
  int invariant = invariants_lost(w->invariants, s->t, s->y, &by);
  if (invariant < 0) return false;
  end_lost(&w->run, invariant, by);
  return true;
}

// ---------------------------------------------------------------- assertions

// Where a condition cannot be computed nothing is known about it.
static bool assertions_hold(SimulateWork *w) {
  const Model *m = w->system->model;
  const Stepper *s = stepper(w);
  if (w->events) event_follow(w->events, s->t, s->y);
  system_asserts(w->work, s->t, s->y, w->conditions);
  for (int k = 0; k < m->assert_count; k++) {
    if (w->conditions[k] != 0) continue;
    if (!m->flat->asserts.at[k].warning) return end_assertion(&w->run, k);
    if (isnan(w->warned[k])) w->warned[k] = s->t;
  }
  return true;
}

static bool begin_assertions(SimulateWork *w) {
  if (!w->conditions) return true;
  for (int k = 0; k < w->system->model->assert_count; k++) w->warned[k] = nan("");
  return assertions_hold(w);
}

static bool assertions_go_on(SimulateWork *w) {
  return !w->conditions || !w->system->model->assert_varies || assertions_hold(w);
}

static void remark_assertions(SimulateWork *w) {
  if (!w->conditions || w->out->outcome != OUTCOME_REACHED_END) return;
  for (int k = 0; k < w->system->model->assert_count; k++)
    if (!isnan(w->warned[k])) remark_assertion(&w->run, k, w->warned[k]);
}

// ---------------------------------------------------------------- discrete variables

static bool end_unsettled(SimulateWork *w, int event) {
  const char *what = w->events->unsettled;
  if (event < 0) return end_discrete(&w->run, what);
  if (w->events->slide_over) return end_too_many_surfaces(&w->run, SLIDE_MOST);
  return what[0] ? end_contradicting(&w->run, what) : end_chatter(&w->run, event);
}

// A terminate of the model may have been met at the event that was passed.
static bool goes_on(SimulateWork *w) {
  const Flat *f = w->system->model->flat;
  if (!w->events || !w->events->terminated) return true;
  if (!put_rows_at(w, stepper(w)->t)) return false;
  return end_terminated(&w->run, f->terminates.at[w->events->terminated - 1].message);
}

static double next_stop(const SimulateWork *w) {
  const SimulateRequest *r = w->request;
  return w->stop < r->stop_count ? r->stops[w->stop] : HUGE_VAL;
}

// The next event at a known time. Where it is due with the end or with a break of an input it is due at that time.
static void plan_timers(SimulateWork *w) {
  const Stepper *s = stepper(w);
  w->next_timer = HUGE_VAL;
  if (!w->system->timer_count) return;
  w->next_timer = event_next_time(w->events, s->t, s->y);
  double tick = event_tick(w->events, s->t);
  if (fabs(w->next_timer - w->t_end) <= tick) w->next_timer = w->t_end;
  if (fabs(w->next_timer - w->next_break) <= tick) w->next_timer = w->next_break;
  if (fabs(w->next_timer - next_stop(w)) <= tick) w->next_timer = next_stop(w);
}

// Rows within rounding errors of an event at a known time show what comes after it.
static double rows_end(const SimulateWork *w, double t) {
  return w->system->timer_count && t == w->next_timer ? t - event_tick(w->events, t) : t;
}

// ---------------------------------------------------------------- points to go on from

// What is not in the states. Lanes have no events, and learn anew how long their steps are.
static void remember(SimulateWork *w, Memory *m) {
  if (w->system->lanes > 1) return;
  if (w->events) event_memory(w->events, m);
  if (w->invariants) invariants_memory(w->invariants, m);
  if (w->conditions) MEMORY_ARRAY(m, w->warned, w->system->model->assert_count);
}

SimulatePoint *simulate_point_new(Arena *a, SimulateWork *w, double t) {
  const System *s = w->system;
  assert(s->lanes == 1);
  Memory m = {MEMORY_COUNT, NULL, 0};
  remember(w, &m);
  SimulatePoint *p = ARENA_NEW(a, SimulatePoint);
  p->x = ARENA_ARRAY(a, double, s->nx + 1);
  p->sens = ARENA_ARRAY(a, double, (size_t)s->nx *(size_t)s->stride + 1);
  p->root_count = system_branch_numbers(s);
  p->roots = ARENA_ARRAY(a, double, p->root_count + 1);
  p->memory = ARENA_ARRAY(a, char, m.bytes + 1);
  p->start = (SimulateStart){.t = t, .x = p->x, .sens = s->ns ? p->sens : NULL, .point = p};
  return p;
}

static void keep_point(SimulateWork *w, SimulatePoint *p) {
  const System *s = w->system;
  const Stepper *st = stepper(w);
  memcpy(p->x, st->y, (size_t)s->nx * sizeof *p->x);
  memcpy(p->sens, st->y + s->nx, (size_t)s->nx * (size_t)s->stride * sizeof *p->sens);
  system_branch_write(w->work, p->roots);
  remember(w, &(Memory){MEMORY_KEEP, p->memory, 0});
  p->rate = w->rate;
  p->in_use = w->in_use, p->switches = w->switches;
  p->crowd = w->crowd, p->crowd_since = w->crowd_since;
  p->taken = true;
}

// ---------------------------------------------------------------- start, steps and events

// Steps end at break points of tables in time as they do at those of inputs.
static void enter_timed(SimulateWork *w) {
  const Stepper *s = stepper(w);
  if (!w->system->model->timed_count || w->system->lanes > 1) return;
  if (w->events) event_follow(w->events, s->t, s->y);
  w->next_break = fmin(w->input_break, system_next_timed(w->work, s->t, s->y));
}

static void begin_inputs(SimulateWork *w) {
  const SimulateRequest *r = w->request;
  Stepper *st = stepper(w);
  system_set_origin(w->work, r->origin);
  system_set_parameters(w->work, r->p);
  simulate_tolerances(w->system, &w->options, r->p, w->abs_tol);
  enter_pieces(w, w->t_start);
  w->work->inputs = eval_inputs;
  w->work->inputs_data = w;
  st->t = st->t_old = w->t_start;
}

static bool begin(SimulateWork *w) {
  const System *s = w->system;
  Stepper *st = stepper(w);
  begin_inputs(w);
  if (!inputs_are_smooth(w)) return false;
  system_start(w->work, st->t, st->y);
  if (w->request->from) simulate_start_states(w->request->from, s, st->y);
  int numbers = (s->nx + s->nx * s->stride) * s->lanes;
  if (!all_finite(st->y, numbers)) {
    end_without_start(&w->run, st->y);
    return false;
  }
  int event, bad = s->timer_count ? event_bad_sample(w->events, st->t, st->y) : -1;
  if (bad >= 0) return end_bad_sample(&w->run, bad);
  if (w->events && !event_begin(w->events, st->t, st->y, w->t_end - st->t, &event))
    return end_unsettled(w, event);
  follow_begin(w->follower, st->t, st->y, w->t_end);
  enter_timed(w);
  plan_timers(w);
  return begin_invariants(w) && begin_assertions(w) && goes_on(w);
}

static void restart(SimulateWork *w) {
  stepper(w)->row->start(stepper(w), w->t_end);
  follow_rate(w);
}

// At the mark everything is known as it will be in a simulation that goes on from there.
static bool pass_mark(SimulateWork *w) {
  Stepper *s = stepper(w);
  if (w->events) event_forget_marks(w->events);
  keep_point(w, w->request->mark);
  w->mark = HUGE_VAL;
  if (w->request->ends_at_mark) return false;
  s->t_old = s->t;
  enter_pieces(w, s->t);
  follow_begin(w->follower, s->t, s->y, w->t_end);
  enter_timed(w);
  plan_timers(w);
  restart(w);
  return true;
}

// Goes on where another simulation has passed a mark.
static bool begin_at(SimulateWork *w, const SimulatePoint *p) {
  Stepper *s = stepper(w);
  begin_inputs(w);
  system_start(w->work, s->t, s->y); // roots of equations that were not followed there
  simulate_start_states(w->request->from, w->system, s->y);
  system_branch_read(w->work, s->t, p->roots, p->root_count);
  if (w->invariants) invariants_begin(w->invariants, w->request->p);
  remember(w, &(Memory){MEMORY_RESTORE, p->memory, 0});
  if (w->events) event_forget_marks(w->events), w->events->terminated = 0;
  w->switches = p->switches;
  w->crowd = p->crowd, w->crowd_since = p->crowd_since;
  if (w->invariants) set_rate(w, p->rate);
  follow_begin(w->follower, s->t, s->y, w->t_end);
  enter_timed(w);
  plan_timers(w);
  return (!w->conditions || assertions_hold(w)) && put_rows_at(w, s->t);
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

static bool is_sliding(const SimulateWork *w) {
  return w->events && w->events->slide_count > 0;
}

// The method for stiff motions: the one that differentiates itself needs exact Jacobians.
static int stiff_role(const SimulateWork *w) {
  return is_sliding(w) ? 2 : 1;
}

// After surfaces were reached or left.
static void follow_slides(SimulateWork *w) {
  bool named = w->rows[0] == w->rows[1];
  if (w->rows[2] == w->rows[1] || (w->in_use == 0 && !named)) return;
  int role = is_sliding(w) ? 2 : named ? 0 : 1;
  if (role == w->in_use) return;
  change_stepper(w, role);
  w->switches--;
}

static void follow_stiffness(SimulateWork *w, StepEnd e) {
  if (w->rows[0] == w->rows[1]) return;
  if (e == STEP_STIFF && w->in_use == 0) change_stepper(w, stiff_role(w));
  if (e == STEP_NOT_STIFF && w->in_use >= 1 && w->switches < SWITCHES_MOST) change_stepper(w, 0);
}

// A steep slope between two kinks (max(-1, min(1, c*v))): steps of explicit methods, as long as their stability allows, swing from one
// kink to the other and end at each, so that none is long enough to show that the motion is stiff.
static void follow_crowd(SimulateWork *w) {
  enum { CROWD = 64 };
  static const double SHORT = 1e-4; // of the duration
  double t = stepper(w)->t;
  if (w->rows[0] == w->rows[1] || w->in_use != 0 || ++w->crowd % CROWD) return;
  bool crowded = fabs(t - w->crowd_since) < SHORT * w->events->span;
  w->crowd_since = t;
  if (crowded && w->switches < SWITCHES_MOST) change_stepper(w, stiff_role(w));
}

// Constraints hold up to some tolerances, and forces with them.
static double share_of_drift(const SimulateWork *w) {
  static const double ROUNDING = 1e-7, TOLERANCES = 1e3, MOST = 1e-2;
  return w->invariants ? fmin(fmax(TOLERANCES * w->tol.rel, ROUNDING), MOST) : ROUNDING;
}

// Ends the last step at an earlier time, which its dense output knows.
static bool cut_step(SimulateWork *w, double rows_before, double t) {
  Stepper *s = stepper(w);
  if (!put_rows_before(w, rows_before)) return false;
  s->row->dense(s, t, true, w->y);
  int numbers = w->system->nx + w->system->nx * w->system->stride;
  memcpy(s->y, w->y, (size_t)numbers * sizeof(double));
  s->t = t;
  follow_jump(w->follower, t, s->y);
  return true;
}

// Goes on from a point inside the last step. Where the slopes go on, so do the steps.
static void continue_from(SimulateWork *w, bool continuous) {
  Stepper *s = stepper(w);
  if (!continuous || !s->row->moved) {
    restart(w);
    return;
  }
  s->row->moved(s);
  follow_rate(w);
}

// Events follow each other at once. If a motion that grows fast begins here, a step for stiff motions may be so long that it
// stays at the limit: it damps what grows as it damps what decays, and its errors look small.
static void shorten_step(SimulateWork *w, double h) {
  Stepper *s = stepper(w);
  if (w->events->repeats > 1 && fabs(s->h_next) > 0.01 * fabs(h))
    s->h_next = copysign(0.01 * h, s->h_next);
}

// Changes modes and sensitivities, and goes on from there.
static bool pass_event(SimulateWork *w, double h) {
  Stepper *s = stepper(w);
  bool continuous;
  int event;
  if (w->invariants && projects(w)) invariants_project(w->invariants, s->t, s->y);
  if (watches_jumps(w)) invariants_before_jump(w->invariants, s->t, s->y);
  w->out->events++;
  if (!event_pass(w->events, s->t, s->y, h, &w->tol, &continuous, &event))
    return end_unsettled(w, event);
  follow_jump(w->follower, s->t, s->y);
  if (!invariants_go_on(w) || !goes_on(w)) return false;
  if (s->t < w->next_break) enter_timed(w); // it may be the break, up to rounding errors
  if (w->out->events - w->timer_events > w->options.max_events)
    return end_too_many_events(&w->run, event);
  plan_timers(w);
  if (s->t < w->t_end) continue_from(w, continuous);
  if (!continuous) shorten_step(w, h);
  follow_crowd(w);
  return s->t == w->next_break || put_rows_at(w, s->t); // an input may change there, too
}

// Handles an event in the last step that comes before a singular position.
static bool handle_event(SimulateWork *w, Singular *singular) {
  Stepper *s = stepper(w);
  double before, at, h = s->t - s->t_old;
  EventFind found = event_find(w->events, s, &before, &at);
  if (found == EVENT_NONE || at > singular->t) return true;
  singular->t = HUGE_VAL;
  if (!cut_step(w, found == EVENT_FOUND ? before : at, at)) return false;
  if (found == EVENT_FOUND) return pass_event(w, h);
  continue_from(w, true);
  return true;
}

// An input jumps or has a kink here; modes may change with it.
static bool pass_jump(SimulateWork *w, Break kind) {
  Stepper *s = stepper(w);
  int event;
  if (w->events && !event_jump(w->events, s->t, s->y, &event)) return end_unsettled(w, event);
  follow_jump(w->follower, s->t, s->y);
  if (!invariants_go_on(w) || !goes_on(w)) return false;
  plan_timers(w);
  if (s->t == w->t_end) return true;
  if (kind == BREAK_KINK && s->row->moved)
    s->row->moved(s);
  else
    restart(w);
  return true;
}

// An event at a known time, which happens after the inputs have their new values.
static bool pass_timer(SimulateWork *w, double h) {
  const Stepper *s = stepper(w);
  w->timer_events++;
  event_found_at(w->events, s->t, s->y);
  return pass_event(w, h);
}

static bool pass_break(SimulateWork *w) {
  const Stepper *s = stepper(w);
  bool timer = s->t == w->next_timer;
  if (watches_jumps(w)) invariants_before_jump(w->invariants, s->t, s->y);
  if (is_sliding(w)) slide_project(w->events, s->t, s->y, true);
  Break kind = enter_pieces(w, s->t);
  enter_timed(w);
  if (timer || kind == BREAK_NONE) {
    if (timer && kind != BREAK_NONE) follow_jump(w->follower, s->t, s->y);
    return true;
  }
  return pass_jump(w, kind);
}

// The states are set anew: what follows from them, too.
static bool pass_stop(SimulateWork *w) {
  Stepper *s = stepper(w);
  while (next_stop(w) <= s->t) w->request->reset(w->request->reset_data, w->stop++, s->y);
  if (w->invariants) {
    invariants_forget(w->invariants);
    invariants_project(w->invariants, s->t, s->y);
    invariants_before_jump(w->invariants, s->t, s->y);
  }
  return pass_jump(w, BREAK_JUMP);
}

static bool is_worth_going_on(SimulateWork *w) {
  const Trajectory *out = w->out;
  if (!out->watch || out->watch(out->watch_data, out->rows)) return true;
  end_run(&w->run, OUTCOME_ABANDONED);
  return false;
}

// Small systems count their steps here: asking takes as long as some of their equations.
static inline bool patience_of_step_lasts(SimulateWork *w) {
  enum { UNASKED = PATIENCE_LOOK / 20 };
  w->unasked += w->step_work;
  if (w->unasked < UNASKED) return true;
  long work = w->unasked;
  w->unasked = 0;
  return patience_lasts(work);
}

// A motion on a curved surface drifts away from it by the errors of its steps. Methods that begin anew wherever states are moved
// are left alone while that is some tolerances: at their lowest order each step would cost more accuracy.
static void keep_slides(SimulateWork *w) {
  Stepper *s = stepper(w);
  const Tolerance *allowed = s->row->moved ? NULL : &w->tol;
  if (is_sliding(w) && slide_keep(w->events, s->t, s->y, allowed)) continue_from(w, true);
}

static bool advance(SimulateWork *w) {
  Stepper *s = stepper(w);
  if (!patience_of_step_lasts(w)) return end_stopped(&w->run);
  double limit = fmin(fmin(w->t_end, w->mark), fmin(w->next_break, w->next_timer));
  limit = fmin(limit, next_stop(w));
  StepEnd e = s->row->step(s, limit);
  if (e != STEP_DONE && e != STEP_STIFF && e != STEP_NOT_STIFF) {
    end_of_step(&w->run, e);
    return false;
  }
  if (!follow_step(w->follower, s)) {
    follow_retreat(s, w->t_end);
    return true;
  }
  Singular singular = find_singular(w);
  bool searched = w->events && w->system->ne > w->system->timer_count;
  if (searched && !handle_event(w, &singular)) return false;
  int stuck = w->system->hybrid ? event_stuck(w->events, s->t, s->y) : -1;
  if (stuck >= 0) return end_stuck(&w->run, stuck);
  if (singular.t == HUGE_VAL && is_lost(w)) return false;
  if (!put_rows_before(w, fmin(rows_end(w, s->t), singular.t))) return false;
  if (singular.t < HUGE_VAL) return end_singular(&w->run, &singular, "at");
  if (w->out->stepped) w->out->stepped(w->out->stepped_data, s);
  if (w->invariants) keep_invariants(w);
  keep_slides(w);
  double h = s->t - s->t_old;
  bool timer = s->t == w->next_timer;
  if (s->t == w->next_break && !pass_break(w)) return false;
  if (timer && !pass_timer(w, h)) return false;
  bool marked = s->t == w->mark;
  if (!assertions_go_on(w) || !put_rows_at(w, s->t) || !is_worth_going_on(w)) return false;
  follow_stiffness(w, e);
  follow_slides(w);
  follow_rate(w);
  if (marked && !pass_mark(w)) return false;
  return next_stop(w) > stepper(w)->t || pass_stop(w);
}

static void collect_work(SimulateWork *w) {
  for (int i = 0; i < STEPPER_ROLES; i++) {
    if (!w->steppers[i]) continue;
    const StepCount *c = &w->steppers[i]->count;
    StepCount *sum = &w->out->work;
    sum->steps += c->steps, sum->rejected += c->rejected;
    sum->rhs += c->rhs, sum->rhs_sens += c->rhs_sens;
    sum->jacobians += c->jacobians, sum->factorisations += c->factorisations;
  }
  if (w->events) w->out->work.rhs += w->events->more_rhs;
}

static void note_stuck(SimulateWork *w) {
  Trajectory *out = w->out;
  for (int k = 0; w->events && k < w->system->ne && out->stuck_count < STUCK_MOST; k++)
    if (w->events->sticks[k])
      out->stuck[out->stuck_count++] = (Stuck){k, w->events->sticks[k], slide_peak(w->events, k)};
}

// Break points of tables are meant to be many.
static long remarkable_count(const SimulateWork *w, int event) {
  return w->system->model->flat->events.at[event].of_table ? 0 : w->events->count[event];
}

static void remark_events(SimulateWork *w) {
  int most = 0;
  if (!w->events || w->out->outcome != OUTCOME_REACHED_END) return;
  for (int i = 0; i < w->system->timer_count; i++) w->events->count[w->system->timers[i]] = 0;
  for (int k = 1; k < w->system->ne; k++)
    if (remarkable_count(w, k) > remarkable_count(w, most)) most = k;
  if (w->system->ne && remarkable_count(w, most) >= FREQUENT)
    remark_frequent_event(&w->run, most, w->events->count[most]);
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
  out->violation_relative = largest(w, simulate_violation_relative, &out->violation_relative_of);
  out->violation_sens = largest(w, simulate_violation_sens, &out->violation_sens_of);
  if (!w->system->ns) out->violation_sens_of = -1;
}

double simulate_violation(const SimulateWork *w, int invariant) {
  return w->invariants ? invariants_violation(w->invariants, invariant) : 0;
}

double simulate_violation_relative(const SimulateWork *w, int invariant) {
  return w->invariants ? invariants_violation_relative(w->invariants, invariant) : 0;
}

double simulate_violation_sens(const SimulateWork *w, int invariant) {
  return w->invariants ? invariants_violation_sens(w->invariants, invariant) : 0;
}

// The named integrator cannot integrate these equations.
static bool is_refused(SimulateWork *w) {
  char solver[OPTION_WORD_SIZE];
  if (w->rows[0]->fixed && !(w->options.fixed_step > 0)) {
    end_refused(&w->run, "this solver needs the option fixed_step, the length of its steps");
    return true;
  }
  if (!is_integrated_directly(&w->options)) return false;
  simulate_options_word(&w->options, "solver", solver);
  bool named = strcmp(solver, "auto") != 0;
  if (w->implicit && !named) return false;
  end_refused(&w->run, named ? NULL : implicit_refusal(w->system->model, implicit_kind(w)));
  return true;
}

static void integrate(SimulateWork *w) {
  const SimulateRequest *r = w->request;
  const SimulatePoint *point = r->from ? r->from->point : NULL;
  use_stepper(w, point && w->rows[0] != w->rows[1] ? point->in_use : 0);
  aim_picks(w);
  if ((point ? begin_at(w, point) : begin(w) && put_first_row(w)) &&
      (next_stop(w) > w->t_start || pass_stop(w))) {
    if (w->t_end > w->t_start) restart(w), follow_slides(w);
    while (stepper(w)->t < w->t_end && advance(w)) {
    }
  }
  if (w->out->outcome == OUTCOME_REACHED_END) w->out->t_end = r->origin + stepper(w)->t;
}

static void plan_mark(SimulateWork *w) {
  const SimulateRequest *r = w->request;
  w->mark = HUGE_VAL;
  w->row_count = r->count;
  if (!r->mark) return;
  r->mark->taken = false;
  double t = r->mark->start.t;
  if (!(t > w->t_start && t < w->t_end)) return;
  w->mark = t;
  while (r->ends_at_mark && w->row_count && r->times[w->row_count - 1] >= t) w->row_count--;
}

static void begin_trajectory(const SimulateRequest *request, Trajectory *out) {
  out->outcome = OUTCOME_REACHED_END;
  out->rows = request->rows_before, out->events = 0, out->work = (StepCount){0};
  out->stuck_count = 0;
  out->solver[0] = out->message[0] = out->log[0] = out->slopes_by[0] = 0;
  out->runs = (ClosedRuns){0};
  out->slopes_failed = false;
}

static void run_closed(SimulateWork *w, const SimulateRequest *request, Trajectory *out) {
  begin_trajectory(request, out);
  out->violation = out->violation_relative = out->violation_sens = 0;
  out->violation_of = out->violation_relative_of = out->violation_sens_of = -1;
  w->simulator->run(w->closed, request, out);
}

ClosedWork *simulate_closed_work(SimulateWork *w) {
  return w->closed;
}

void simulate_run(SimulateWork *w, const SimulateRequest *request, Trajectory *out) {
  if (w->closed) {
    run_closed(w, request, out);
    return;
  }
  assert(w->system->lanes == 1 || (w->system->ne == 0 && !w->system->hybrid));
  w->request = request;
  w->out = out;
  w->switches = 0;
  w->next_timer = HUGE_VAL;
  w->timer_events = w->crowd = 0;
  if (w->events) w->events->holds = share_of_drift(w);
  w->crowd_since = -HUGE_VAL;
  w->stop = 0;
  w->t_start = request->from ? request->from->t : request->start;
  w->t_end = request->count ? request->times[request->count - 1] : w->t_start;
  plan_mark(w);
  begin_trajectory(request, out);
  for (int i = 0; i < STEPPER_ROLES; i++)
    if (w->steppers[i]) w->steppers[i]->count = (StepCount){0};
  w->tol.max_steps = request->max_steps ? request->max_steps : w->options.max_steps;
  for (int i = 0; i < STEPPER_ROLES; i++)
    if (w->steppers[i]) w->steppers[i]->tol.max_steps = w->tol.max_steps;
  w->run = (SimulateRun){.system = w->system,
                         .work = w->work,
                         .options = &w->options,
                         .tol = &w->tol,
                         .invariants = w->invariants,
                         .request = request,
                         .t_end = w->t_end,
                         .y = w->y,
                         .out = out};
  if (w->events) slide_count_anew(w->events);
  if (!is_refused(w)) integrate(w);
  collect_work(w);
  note_stuck(w);
  remark_events(w);
  remark_assertions(w);
  collect_violations(w);
}
