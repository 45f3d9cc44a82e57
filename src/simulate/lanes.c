// Several parameter sets by one explicit method: the step is that of the most demanding lane (control.c). A lane that
// is stiff, or that makes the steps of all others many times shorter, is handed back to be simulated alone.
#include "simulate/lanes.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/patience.h"
#include "simulate/follow.h"

enum {
  ROWS_BETWEEN_LOOKS = 16,   // of a watch
  STEPS_BETWEEN_CHECKS = 64, // whether one lane stands in the way of the others
  WORK_OF_NUMBER = 10        // in a step, for patience
};
static const double DRAG = 6; // it does when all others could take steps this many times as long

struct LanesWork {
  Arena *arena;
  const System *system;
  SimulateOptions options;
  bool may_change; // alone, a stiff simulation would change its integrator
  bool rates;      // f contains derivatives of inputs
  SystemWork *work;
  Ode ode;
  Tolerance tol;
  double *abs_tol;
  Stepper *stepper;
  Follower *follower; // of the roots of simultaneous equations
  CodeFn *direct;     // see is_direct
  double *direct_work;
  double *p;          // [parameter][lane]
  double *y;          // scratch for dense output
  double *row;        // of outputs
  int *pieces;        // of the inputs
  int *pick, *target; // of a system whose outputs are states: which numbers of y go where
  double **column;    // [pick][lane]
  int picks;          // of the run
  double *conditions; // of assertions
  double *steps_then; // lane_steps at the last check
  long attempts_then; // steps and rejections then
  // of the run
  const LanesRequest *request;
  Lane *lane;
  int count, living;
  bool *lives; // by lane
  int rows, looked;
  double t_start, t_end, next_break;
};

// ---------------------------------------------------------------- what can be done

bool lanes_can(const Model *m, const SimulateOptions *o) {
  bool reduced = o->index == INDEX_STABILISE || o->index == INDEX_PROJECT;
  return reduced && m->nx > 0 && m->ne == 0 && !m->flat->hybrid && m->invariant_count == 0 &&
         m->condition_count == 0 && !m->assert_varies && simulate_first(o, m->nx)->dense_lanes;
}

// Eight lanes hide the time that additions take; but all slopes of a step should stay in the first cache.
enum { EIGHT_MOST = 24 };

int lanes_best(int states, int columns) {
  return code_lanes() == 8 || states * (1 + columns) <= EIGHT_MOST ? 8 : 4;
}

// ---------------------------------------------------------------- set-up

static void set_time(LanesWork *w, double t) {
  const System *s = w->system;
  double *par = w->work->par;
  int L = s->lanes;
  if (w->rates) {
    system_set_time(w->work, t);
    return;
  }
  for (int l = 0; l < L; l++) par[l] = t;
  for (int i = 0; i < s->nu; i++) {
    double u, *to = par + (s->at.u + i) * L;
    input_eval(w->request->inputs[i], t, &w->pieces[i], &u, NULL);
    for (int l = 0; l < L; l++) to[l] = u;
  }
}

static void direct_rhs_of_time(void *self, double t, const double *y, double *dy) {
  LanesWork *w = self;
  double *par = w->work->par;
  for (int l = 0; l < w->system->lanes; l++) par[l] = t;
  w->direct(par, y, system_clock(w->work, t), dy, w->direct_work);
}

static void direct_rhs(void *self, double t, const double *y, double *dy) {
  LanesWork *w = self;
  set_time(w, t);
  w->direct(w->work->par, y, system_clock(w->work, t), dy, w->direct_work);
}

static void rhs(void *self, double t, const double *y, double *dy) {
  LanesWork *w = self;
  if (w->system->ns)
    system_rhs_sens(w->work, t, y, dy);
  else
    system_rhs(w->work, t, y, dy);
}

static void rhs_states(void *self, double t, const double *x, double *dx) {
  LanesWork *w = self;
  system_rhs(w->work, t, x, dx);
}

static void set_times(void *self, const double *t, int count) {
  LanesWork *w = self;
  system_set_times(w->work, t, count);
}

// Calls the machine code directly: small systems otherwise spend much of their time in the calls in between.
static void make_ode(LanesWork *w) {
  const System *s = w->system;
  const Kernel *k = &s->kernel[s->ns ? KERNEL_RHS_SENS : KERNEL_RHS];
  w->ode = (Ode){.n = s->nx, .ns = s->ns, .stride = s->stride, .lanes = s->lanes, .self = w};
  w->ode.rhs = rhs;
  w->ode.rhs_states = s->ns ? rhs_states : NULL;
  w->ode.times = s->kernel[KERNEL_CLOCK].results ? set_times : NULL;
  if (!k->code->fn || k->block_count) return;
  w->direct = k->code->fn;
  w->direct_work = w->work->scratch + k->work_at;
  w->ode.rhs = s->nu ? direct_rhs : direct_rhs_of_time;
}

static void list_picks(LanesWork *w) {
  const System *s = w->system;
  int most = s->ny * (1 + s->ns), count = 0;
  w->pick = ARENA_ARRAY(w->arena, int, most + 1);
  w->target = ARENA_ARRAY(w->arena, int, most + 1);
  w->column = ARENA_ARRAY(w->arena, double *, (size_t)most *(size_t)s->lanes + 1);
  for (int i = 0; i < s->ny; i++) w->pick[count] = s->output.state[i], w->target[count++] = i;
  for (int i = 0; i < s->ny; i++)
    for (int k = 0; k < s->ns; k++) {
      w->pick[count] = s->nx + s->output.state[i] * s->stride + k;
      w->target[count++] = s->ny + i * s->np + s->columns.active[k];
    }
}

static void eval_inputs(void *data, double t, double *u, double *du) {
  LanesWork *w = data;
  int nu = w->system->nu;
  input_eval_all(w->request->inputs, nu, t, w->pieces, u, du, nu);
}

LanesWork *lanes_work_new(const System *s, const SimulateOptions *options) {
  assert(s->lanes > 1 && lanes_can(s->model, options));
  Arena *a = arena_new();
  LanesWork *w = ARENA_NEW(a, LanesWork);
  size_t L = (size_t)s->lanes, numbers = (size_t)(s->nx * (1 + s->stride)) * L;
  *w = (LanesWork){.arena = a, .system = s, .options = *options, .work = system_work_new(s)};
  w->work->inputs = eval_inputs;
  w->work->inputs_data = w;
  SystemSpec spec = {.lanes = 1};
  simulate_needs(options, s->nx, &spec);
  w->may_change = spec.jacobian;
  for (int i = 0; i < s->nu; i++) w->rates |= s->model->input_order[i] > 0;
  make_ode(w);
  w->abs_tol = ARENA_ARRAY(a, double, numbers + 16);
  w->p = ARENA_ARRAY(a, double, (size_t)s->model->np *L + 8);
  w->y = ARENA_ARRAY(a, double, numbers + 16);
  w->row = ARENA_ARRAY(a, double, (size_t)s->ny *(size_t)(1 + s->np) * L + 8);
  w->pieces = ARENA_ARRAY(a, int, s->nu + 1);
  w->steps_then = ARENA_ARRAY(a, double, L);
  w->conditions = ARENA_ARRAY(a, double, s->model->assert_count *L + 16);
  w->lives = ARENA_ARRAY(a, bool, L);
  w->tol = (Tolerance){.rel = options->rel_tol,
                       .abs = w->abs_tol,
                       .max_step = options->max_step,
                       .first_step = options->first_step,
                       .max_steps = options->max_steps};
  w->stepper = stepper_new(a, simulate_first(options, s->nx), &w->ode, &w->tol);
  w->follower = follower_new(a, w->work);
  if (s->output.all_states) list_picks(w);
  return w;
}

void lanes_work_free(LanesWork *w) {
  if (!w) return;
  stepper_done(w->stepper);
  system_work_free(w->work);
  arena_free(w->arena);
}

// ---------------------------------------------------------------- retired lanes

static int leader(const LanesWork *w) {
  int l = 0;
  while (!w->lives[l]) l++;
  return l;
}

static void copy_lane(double *v, int slots, int lanes, int from, int to) {
  for (int i = 0; i < slots; i++) v[i * lanes + to] = v[i * lanes + from];
}

// Retired and unused lanes repeat a lane that is in use: they never limit a step.
static void fill_lanes(LanesWork *w) {
  const System *s = w->system;
  int from = leader(w), L = s->lanes, numbers = s->nx * (1 + s->stride);
  for (int l = 0; l < L; l++) {
    if (w->lives[l]) continue;
    copy_lane(w->stepper->y, numbers, L, from, l);
    copy_lane(w->abs_tol, numbers, L, from, l);
    copy_lane(w->work->par, s->at.count, L, from, l);
    system_branch_copy_lane(w->work, from, l);
  }
}

static void retire(LanesWork *w, int l, Outcome outcome, bool alone) {
  Lane *lane = &w->lane[l];
  const Stepper *s = w->stepper;
  lane->outcome = outcome;
  lane->alone = alone;
  lane->rows = w->rows;
  lane->t_end = w->request->origin + s->t;
  lane->work = s->count;
  lane->steps = s->lane_steps[l];
  w->lives[l] = false;
  w->living--;
}

// After lanes were retired. keep: the size of the steps suits the others.
static bool go_on_without(LanesWork *w, bool keep) {
  Stepper *s = w->stepper;
  double h = s->h_next;
  if (w->living == 0) return false;
  fill_lanes(w);
  s->row->start(s, w->t_end);
  if (keep) s->h_next = h;
  return true;
}

// ---------------------------------------------------------------- rows

// Slopes by parameters that move no state are zero and not computed.
static void clear_columns(const LanesWork *w) {
  const System *s = w->system;
  if (s->ns == s->np || !w->request->with_sens) return;
  for (int l = 0; l < w->count; l++)
    for (int c = s->ny; c < s->ny * (1 + s->np); c++)
      memset(w->lane[l].column[c], 0, (size_t)w->request->count * sizeof(double));
}

// Unused lanes write where the first lane does: they repeat it while it is in use, and rows written later are not read.
static void aim(LanesWork *w) {
  const System *s = w->system;
  if (!w->pick) return;
  clear_columns(w);
  w->picks = s->ny * (1 + (w->request->with_sens ? s->ns : 0));
  for (int i = 0; i < w->picks; i++)
    for (int l = 0; l < s->lanes; l++)
      w->column[i * s->lanes + l] = w->lane[l < w->count ? l : 0].column[w->target[i]];
}

static bool is_finite_row(const LanesWork *w, int numbers, int l) {
  double sum = 0;
  for (int i = 0; i < numbers; i++) sum += w->row[i * w->system->lanes + l] * 0;
  return sum == 0;
}

// Outputs that are computed. Lanes where they cannot be computed are retired; the row is still written.
static void put_computed(LanesWork *w, double t, const double *y) {
  const System *s = w->system;
  int L = s->lanes, numbers = s->ny * (1 + (w->request->with_sens ? s->np : 0));
  system_outputs(w->work, t, y, w->row, w->request->with_sens ? w->row + s->ny * L : NULL);
  for (int l = 0; l < w->count; l++) {
    if (!w->lives[l]) continue;
    for (int i = 0; i < numbers; i++) w->lane[l].column[i][w->rows] = w->row[i * L + l];
    if (!is_finite_row(w, numbers, l)) retire(w, l, OUTCOME_NOT_COMPUTABLE, false);
  }
}

static void put_row(LanesWork *w, double t, const double *y) {
  int L = w->system->lanes;
  if (!w->pick)
    put_computed(w, t, y);
  else
    for (int i = 0; i < w->picks; i++)
      for (int l = 0; l < L; l++) w->column[i * L + l][w->rows] = y[w->pick[i] * L + l];
  w->rows++;
}

static double next_time(const LanesWork *w) {
  return w->rows < w->request->count ? w->request->times[w->rows] : HUGE_VAL;
}

static void put_rows_before(LanesWork *w, double t) {
  Stepper *s = w->stepper;
  const LanesRequest *r = w->request;
  int last = w->rows;
  while (last < r->count && r->times[last] < t) last++;
  if (last == w->rows) return;
  if (w->pick) {
    s->row->dense_lanes(s, r->times + w->rows, last - w->rows, r->with_sens, w->pick, w->picks,
                        w->column, w->rows);
    w->rows = last;
    return;
  }
  while (w->rows < last) {
    double at = r->times[w->rows];
    s->row->dense(s, at, r->with_sens, w->y);
    put_row(w, at, w->y);
  }
}

// Whether lanes were retired because their results are not wanted any more.
static bool look(LanesWork *w) {
  bool any = false;
  if (w->rows - w->looked < ROWS_BETWEEN_LOOKS && w->rows < w->request->count) return false;
  w->looked = w->rows;
  for (int l = 0; l < w->count; l++) {
    const Lane *lane = &w->lane[l];
    if (!w->lives[l] || !lane->watch || lane->watch(lane->watch_data, w->rows)) continue;
    retire(w, l, OUTCOME_ABANDONED, false);
    any = true;
  }
  return any;
}

// ---------------------------------------------------------------- steps

// The last row uses the piece that ends there; one that jumps has its new value from the time of its sample on.
static bool ends_in_piece(const LanesWork *w, const Input *in, double t) {
  return t == w->t_end && t > w->t_start && !input_jumps(in);
}

// Begins new pieces of the inputs at t. Returns whether f jumps.
static bool enter_pieces(LanesWork *w, double t) {
  bool jump = false;
  w->next_break = HUGE_VAL;
  for (int i = 0; i < w->system->nu; i++) {
    const Input *in = w->request->inputs[i];
    if (ends_in_piece(w, in, t)) continue;
    int before = w->pieces[i], order = w->system->model->input_order[i];
    w->pieces[i] = input_piece(in, t, +1);
    jump |= w->pieces[i] != before &&
            (input_jumps(in) || input_smoothness_between(in, before, w->pieces[i]) < order);
    w->next_break = fmin(w->next_break, input_next_break(in, t, order ? 0 : w->options.rel_tol));
  }
  return jump;
}

// Retires the lanes whose error was too large, or not computable, in the last attempt; all lanes if there is none.
static void retire_failed(LanesWork *w, StepEnd e) {
  Outcome outcome = e == STEP_TOO_SMALL ? OUTCOME_STEP_TOO_SMALL : OUTCOME_NOT_COMPUTABLE;
  int before = w->living;
  for (int l = 0; l < w->count; l++)
    if (w->lives[l] && !(w->stepper->lane_error[l] <= 1)) retire(w, l, outcome, false);
  bool none = w->living == before;
  for (int l = 0; l < w->count && none; l++)
    if (w->lives[l]) retire(w, l, outcome, false);
}

static void retire_all_alone(LanesWork *w) {
  for (int l = 0; l < w->count; l++)
    if (w->lives[l]) retire(w, l, OUTCOME_TOO_MANY_STEPS, true);
}

static bool retire_stiff(LanesWork *w) {
  bool any = false;
  for (int l = 0; l < w->count && w->may_change; l++) {
    if (!w->lives[l] || !w->stepper->lane_stiff[l]) continue;
    retire(w, l, OUTCOME_ABANDONED, true);
    any = true;
  }
  return any;
}

// The lane without which the steps since the last check could have been much longer, -1 = none.
static int find_drag(LanesWork *w) {
  const Stepper *s = w->stepper;
  double since = (double)(s->count.steps + s->count.rejected - w->attempts_then);
  double most = 0, next = 0;
  int which = -1;
  for (int l = 0; l < w->count; l++) {
    double steps = s->lane_steps[l] - w->steps_then[l];
    if (!w->lives[l]) continue;
    if (steps > most)
      next = most, most = steps, which = l;
    else
      next = fmax(next, steps);
  }
  memcpy(w->steps_then, s->lane_steps, (size_t)w->system->lanes * sizeof *w->steps_then);
  w->attempts_then = s->count.steps + s->count.rejected;
  return w->living > 1 && DRAG * next < since ? which : -1;
}

static bool retire_drag(LanesWork *w) {
  const StepCount *c = &w->stepper->count;
  if (c->steps + c->rejected - w->attempts_then < STEPS_BETWEEN_CHECKS) return false;
  int l = find_drag(w);
  if (l >= 0) retire(w, l, OUTCOME_ABANDONED, true);
  return l >= 0;
}

static void retire_all(LanesWork *w, Outcome outcome) {
  for (int l = 0; l < w->count; l++)
    if (w->lives[l]) retire(w, l, outcome, false);
}

static bool advance(LanesWork *w) {
  Stepper *s = w->stepper;
  int before = w->living;
  if (!patience_lasts(WORK_OF_NUMBER * w->system->nx * (1 + w->system->stride) * w->system->lanes))
    retire_all(w, OUTCOME_STOPPED);
  if (!w->living) return false;
  StepEnd e = s->row->step(s, fmin(w->t_end, w->next_break));
  if (e == STEP_TOO_MANY) retire_all_alone(w);
  if (e == STEP_TOO_SMALL || e == STEP_NOT_COMPUTABLE) retire_failed(w, e);
  if (e != STEP_DONE && e != STEP_STIFF) return go_on_without(w, false);
  if (!follow_step(w->follower, s)) {
    follow_retreat(s, w->t_end);
    return true;
  }
  put_rows_before(w, s->t);
  bool jump = s->t == w->next_break && enter_pieces(w, s->t);
  if (jump) follow_jump(w->follower, s->t, s->y);
  if (next_time(w) == s->t) put_row(w, s->t, s->y);
  look(w);
  if (s->t == w->t_end) return false;
  bool slow = e == STEP_STIFF && retire_stiff(w);
  slow |= retire_drag(w);
  if (w->living < before) return go_on_without(w, !slow && !jump);
  if (jump) s->row->start(s, w->t_end);
  return true;
}

// ---------------------------------------------------------------- the run

static void set_parameters(LanesWork *w) {
  const System *s = w->system;
  int L = s->lanes;
  for (int k = 0; k < s->model->np; k++)
    for (int l = 0; l < L; l++) w->p[k * L + l] = w->lane[l < w->count ? l : 0].p[k];
  system_set_origin(w->work, w->request->origin);
  system_set_parameters(w->work, w->p);
  simulate_tolerances(s, &w->options, w->p, w->abs_tol);
}

static bool is_finite_lane(const LanesWork *w, int l) {
  const System *s = w->system;
  double sum = 0;
  for (int i = 0; i < s->nx * (1 + s->stride); i++) sum += w->stepper->y[i * s->lanes + l] * 0;
  return sum == 0;
}

// Assertions about parameters: others are not for lanes.
static void retire_asserted(LanesWork *w) {
  const Model *m = w->system->model;
  int L = w->system->lanes;
  if (!m->assert_count) return;
  system_asserts(w->work, w->stepper->t, w->stepper->y, w->conditions);
  for (int k = 0; k < m->assert_count; k++)
    for (int l = 0; l < w->count; l++)
      if (w->lives[l] && w->conditions[k * L + l] == 0 && !m->flat->asserts.at[k].warning)
        retire(w, l, OUTCOME_ASSERTION, false);
}

// Start values; lanes without any are retired. false: no lane has start values.
static bool begin(LanesWork *w) {
  Stepper *s = w->stepper;
  const SimulateStart *from = w->request->from;
  set_parameters(w);
  enter_pieces(w, w->t_start);
  s->t = s->t_old = w->t_start;
  system_start(w->work, s->t, s->y);
  if (from) simulate_start_states(from, w->system, s->y);
  if (from && from->point)
    system_branch_read(w->work, s->t, from->point->roots, from->point->root_count);
  follow_begin(w->follower, s->t, s->y, w->t_end);
  for (int l = 0; l < w->count; l++)
    if (!is_finite_lane(w, l)) retire(w, l, OUTCOME_NO_START, false);
  retire_asserted(w);
  if (w->living == 0) return false;
  fill_lanes(w);
  return true;
}

static void clear_run(LanesWork *w, const LanesRequest *request, Lane *lanes, int count) {
  Stepper *s = w->stepper;
  size_t bytes = (size_t)w->system->lanes * sizeof(double);
  w->request = request, w->lane = lanes;
  w->count = w->living = count;
  for (int l = 0; l < w->system->lanes; l++) w->lives[l] = l < count;
  w->rows = w->looked = request->rows_before;
  w->attempts_then = 0;
  w->t_start = request->from ? request->from->t : request->start;
  w->t_end = request->count ? request->times[request->count - 1] : w->t_start;
  s->count = (StepCount){0};
  s->tol.max_steps = request->max_steps ? request->max_steps : w->options.max_steps;
  system_set_times(w->work, NULL, 0);
  memset(s->lane_steps, 0, bytes);
  memset(s->lane_error, 0, bytes);
  memset(w->steps_then, 0, bytes);
}

void lanes_run(LanesWork *w, const LanesRequest *request, Lane *lanes, int count) {
  assert(count >= 1 && count <= w->system->lanes);
  clear_run(w, request, lanes, count);
  Stepper *s = w->stepper;
  aim(w);
  if (!begin(w)) return;
  if (next_time(w) == w->t_start) put_row(w, w->t_start, s->y);
  if (w->living == 0) return;
  if (w->t_end > w->t_start) {
    if (w->living < count) fill_lanes(w);
    s->row->start(s, w->t_end);
    while (advance(w)) {
    }
  }
  for (int l = 0; l < count; l++)
    if (w->lives[l]) retire(w, l, OUTCOME_REACHED_END, false);
}
