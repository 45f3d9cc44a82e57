// Runs the kernels of a System: sets par, gives Newton blocks their anchors, lays results out as stepper.h says.
#include "model/system.h"

#include <assert.h>
#include <math.h>
#include <string.h>

SystemWork *system_work_new(const System *s) {
  Arena *a = arena_new();
  SystemWork *w = ARENA_NEW(a, SystemWork);
  size_t lanes = (size_t)s->lanes, wide = (size_t)s->columns.lanes;
  w->arena = a;
  w->system = s;
  w->product = sparse_product();
  w->par = arena_alloc(a, (size_t)s->at.count * lanes + 8, sizeof(double));
  w->scratch = arena_alloc(a, s->scratch_count + 8, sizeof(double));
  w->x0 = arena_alloc(a, (size_t)s->kernel[KERNEL_START].results * lanes + 8, sizeof(double));
  w->values =
      arena_alloc(a, (size_t)s->kernel[KERNEL_RHS_SENS].results * lanes + 8, sizeof(double));
  w->out = arena_alloc(a, (size_t)s->kernel[KERNEL_OUTPUTS].results * lanes + 8, sizeof(double));
  size_t events = (size_t)(s->kernel[KERNEL_EVENTS].results > s->kernel[KERNEL_EVENT_SENS].results
                               ? s->kernel[KERNEL_EVENTS].results
                               : s->kernel[KERNEL_EVENT_SENS].results);
  w->timed_out = arena_alloc(a, (size_t)(2 * s->model->timed_count) * lanes + 8, sizeof(double));
  w->event_out = arena_alloc(a, events * lanes + 8, sizeof(double));
  w->slide_out = arena_alloc(a, (size_t)s->kernel[KERNEL_SLIDE].results + 8, sizeof(double));
  w->jump_out =
      arena_alloc(a, (size_t)s->kernel[KERNEL_JUMP_SENS].results * lanes + 8, sizeof(double));
  w->jump_rows = arena_alloc(a, (size_t)(s->model->jump_count * s->stride) + 8, sizeof(double));
  w->invariant_out =
      arena_alloc(a, (size_t)s->kernel[KERNEL_INVARIANT_SENS].results + 8, sizeof(double));
  w->lane_in = arena_alloc(a, (size_t)(s->nx + s->ns) * wide + 8, sizeof(double));
  w->lane_out =
      arena_alloc(a, (size_t)s->kernel[KERNEL_JACOBIAN_SENS].results * wide + 8, sizeof(double));
  w->branch_out =
      arena_alloc(a, (size_t)s->kernel[KERNEL_BRANCHES].results * lanes + 8, sizeof(double));
  system_forget(w);
  size_t clock = (size_t)s->kernel[KERNEL_CLOCK].results;
  w->clock = arena_alloc(a, (CLOCK_MOST + 1) * clock + 8, sizeof(double));
  w->clock_out = arena_alloc(a, CLOCK_LANES * clock + 8, sizeof(double));
  return w;
}

void system_work_free(SystemWork *w) {
  if (w) arena_free(w->arena);
}

static inline void run(SystemWork *w, SystemKernel kernel, const double *x, const double *direction,
                       double *out) {
  const Kernel *k = &w->system->kernel[kernel];
  if (k->block_count) system_branch_enter(w, kernel);
  code_run(k->code, w->par, x, direction, out, w->scratch + k->work_at);
}

void system_set_origin(SystemWork *w, double origin) {
  const System *s = w->system;
  for (int l = 0; l < s->lanes; l++) w->par[s->at.origin * s->lanes + l] = origin;
  for (int i = 0; i < CLOCK_LANES; i++) w->clock_in[CLOCK_LANES + i] = origin;
}

void system_set_parameters(SystemWork *w, const double *p) {
  const System *s = w->system;
  memcpy(w->par + (size_t)s->at.p * (size_t)s->lanes, p,
         (size_t)s->model->np * (size_t)s->lanes * sizeof *p);
  run(w, KERNEL_HOIST, NULL, NULL, w->par + (size_t)s->at.hoisted * (size_t)s->lanes);
}

void system_set_time(SystemWork *w, double t) {
  const System *s = w->system;
  int lanes = s->lanes;
  w->now = t;
  for (int l = 0; l < lanes; l++) w->par[l] = t;
  if (!s->nu || !w->inputs) return;
  double *u = w->par + s->at.u * lanes, *du = w->par + s->at.du * lanes;
  w->inputs(w->inputs_data, t, u, du);
  for (int i = s->nu - 1; i >= 0 && lanes > 1; i--) // one set of inputs serves all lanes
    for (int l = lanes - 1; l >= 0; l--) u[i * lanes + l] = u[i];
  for (int i = 3 * s->nu - 1; i >= 0 && lanes > 1; i--)
    for (int l = lanes - 1; l >= 0; l--) du[i * lanes + l] = du[i];
}

// ---------------------------------------------------------------- functions of time alone

// The times are in w->clock_in.
static void run_clock(SystemWork *w, int rows, double *to) {
  const Kernel *k = &w->system->kernel[KERNEL_CLOCK];
  code_run(k->code, w->clock_in, NULL, NULL, w->clock_out, w->scratch + k->work_at);
  for (int row = 0; row < rows; row++)
    for (int i = 0; i < k->results; i++)
      to[row * k->results + i] = w->clock_out[i * CLOCK_LANES + row];
}

void system_set_times(SystemWork *w, const double *t, int count) {
  if (!w->system->kernel[KERNEL_CLOCK].results) return;
  assert(count <= CLOCK_MOST);
  for (int first = 0; first < count; first += CLOCK_LANES) {
    int rows = count - first < CLOCK_LANES ? count - first : CLOCK_LANES;
    for (int i = 0; i < CLOCK_LANES; i++) w->clock_in[i] = t[first + (i < rows ? i : 0)];
    run_clock(w, rows, w->clock + first * w->system->kernel[KERNEL_CLOCK].results);
  }
  for (int i = 0; i < count; i++) w->clock_times[i] = t[i];
  w->clock_count = count, w->clock_next = 0;
}

const double *system_clock(SystemWork *w, double t) {
  int results = w->system->kernel[KERNEL_CLOCK].results;
  if (!results) return NULL;
  for (int tries = 0; tries < w->clock_count; tries++) {
    int i = w->clock_next < w->clock_count ? w->clock_next : 0;
    w->clock_next = i + 1;
    if (w->clock_times[i] == t) return w->clock + i * results;
  }
  double *to = w->clock + CLOCK_MOST * results;
  for (int i = 0; i < CLOCK_LANES; i++) w->clock_in[i] = t;
  run_clock(w, 1, to);
  return to;
}

// ----------------------------------------------------------------

void system_set_mode(SystemWork *w, int event, double mode) {
  const System *s = w->system;
  for (int l = 0; l < s->lanes; l++) w->par[(s->at.mode + event) * s->lanes + l] = mode;
}

double system_mode(const SystemWork *w, int event) {
  const System *s = w->system;
  return w->par[(s->at.mode + event) * s->lanes];
}

// A sparse matrix as rows of width slots.
static void fill_sparse(const Pattern *p, const double *value, int width, int lanes, double *out) {
  memset(out, 0, (size_t)p->rows * (size_t)(width * lanes) * sizeof *out);
  for (int i = 0; i < p->rows; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      memcpy(out + ((size_t)i * (size_t)width + (size_t)p->column[e]) * (size_t)lanes,
             value + (size_t)e * (size_t)lanes, (size_t)lanes * sizeof *out);
}

void system_start(SystemWork *w, double t, double *y) {
  const System *s = w->system;
  size_t lanes = (size_t)s->lanes, nx = (size_t)s->nx;
  system_set_time(w, t);
  run(w, KERNEL_START, NULL, NULL, w->x0);
  memcpy(y, w->x0, nx * lanes * sizeof *y);
  if (s->ne)
    memcpy(w->par + (size_t)s->at.mode * lanes, w->x0 + nx * lanes,
           (size_t)s->ne * lanes * sizeof *y);
  if (s->nh)
    memcpy(w->par + (size_t)s->at.held * lanes, w->x0 + (nx + (size_t)s->ne) * lanes,
           (size_t)s->nh * lanes * sizeof *y);
  if (s->ns)
    fill_sparse(&s->sparse.start_p.pattern, w->x0 + (size_t)s->sparse.start_p.at * lanes, s->stride,
                s->lanes, y + nx * lanes);
  system_branch_begin(w, t, y);
}

void system_rhs(SystemWork *w, double t, const double *x, double *dx) {
  system_set_time(w, t);
  run(w, KERNEL_RHS, x, system_clock(w, t), dx);
}

void system_rhs_sens(SystemWork *w, double t, const double *y, double *dy) {
  const System *s = w->system;
  system_set_time(w, t);
  if (s->columns.augmented) {
    run(w, KERNEL_RHS_SENS, y, system_clock(w, t), dy);
    return;
  }
  run(w, KERNEL_RHS_SENS, y, NULL, w->values);
  memcpy(dy, w->values, (size_t)s->nx * sizeof *dy);
  fill_sparse(&s->sparse.f_p.pattern, w->values + s->sparse.f_p.at, s->stride, 1, dy + s->nx);
  w->product(&s->sparse.f_x.pattern, w->values + s->sparse.f_x.at, y + s->nx, s->stride,
             dy + s->nx);
}

void system_jacobian(SystemWork *w, double t, const double *x, double *J, double *ft) {
  const System *s = w->system;
  system_set_time(w, t);
  run(w, KERNEL_JACOBIAN, x, NULL, J);
  if (!ft) return;
  if (s->kernel[KERNEL_BY_TIME].code)
    run(w, KERNEL_BY_TIME, x, NULL, ft);
  else
    memset(ft, 0, (size_t)s->nx * sizeof *ft);
}

void system_jacobian_sens(SystemWork *w, double t, const double *y, double *DJ, double *Dft) {
  const System *s = w->system;
  int L = s->columns.lanes, entries = pattern_count(&s->sparse.jacobian);
  system_set_time(w, t);
  for (int first = 0; first < s->ns; first += L) {
    int width = s->stride - first < L ? s->stride - first : L;
    memset(w->lane_in, 0, (size_t)((s->nx + s->ns) * L) * sizeof(double));
    for (int i = 0; i < s->nx; i++)
      memcpy(w->lane_in + i * L, y + s->nx + i * s->stride + first, (size_t)width * sizeof(double));
    for (int k = first; k < s->ns && k < first + L; k++)
      w->lane_in[(s->nx + k) * L + k - first] = 1;
    run(w, KERNEL_JACOBIAN_SENS, y, w->lane_in, w->lane_out);
    for (int e = 0; e < entries; e++)
      memcpy(DJ + (size_t)e * (size_t)s->stride + first, w->lane_out + e * L,
             (size_t)width * sizeof(double));
    for (int i = 0; i < s->nx; i++)
      memcpy(Dft + i * s->stride + first, w->lane_out + (entries + i) * L,
             (size_t)width * sizeof(double));
  }
}

// dy/dp = y_x S + y_p for output i, by all parameters of the spec
static void output_sens(SystemWork *w, const double *y, int i, double *sens) {
  const System *s = w->system;
  int L = s->lanes;
  const double *S = y + s->nx * L;
  memset(sens, 0, (size_t)(s->np * L) * sizeof *sens);
  for (int e = s->sparse.outputs_p.pattern.start[i]; e < s->sparse.outputs_p.pattern.start[i + 1];
       e++)
    memcpy(sens + s->sparse.outputs_p.pattern.column[e] * L,
           w->out + (s->sparse.outputs_p.at + e) * L, (size_t)L * sizeof *sens);
  for (int e = s->sparse.outputs_x.pattern.start[i]; e < s->sparse.outputs_x.pattern.start[i + 1];
       e++) {
    const double *from =
        S + (size_t)s->sparse.outputs_x.pattern.column[e] * (size_t)(s->stride * L);
    for (int k = 0; k < s->ns; k++)
      for (int l = 0; l < L; l++)
        sens[s->columns.active[k] * L + l] +=
            w->out[(s->sparse.outputs_x.at + e) * L + l] * from[k * L + l];
  }
}

static void state_sens(const System *s, const double *y, int state, double *sens) {
  int L = s->lanes;
  const double *from = y + (size_t)(s->nx + state * s->stride) * (size_t)L;
  if (s->ns == s->np) { // all are active, in the same order
    memcpy(sens, from, (size_t)(s->ns * L) * sizeof *sens);
    return;
  }
  memset(sens, 0, (size_t)(s->np * L) * sizeof *sens);
  for (int k = 0; k < s->ns; k++)
    memcpy(sens + s->columns.active[k] * L, from + k * L, (size_t)L * sizeof *sens);
}

static void copy_outputs(SystemWork *w, const double *y, double *values, double *sens) {
  const System *s = w->system;
  int L = s->lanes;
  for (int i = 0; i < s->ny; i++) {
    int state = s->output.state[i];
    memcpy(values + i * L, state >= 0 ? y + state * L : w->out + i * L, (size_t)L * sizeof *values);
    if (!sens) continue;
    if (state >= 0)
      state_sens(s, y, state, sens + (size_t)(i * s->np) * (size_t)L);
    else
      output_sens(w, y, i, sens + (size_t)(i * s->np) * (size_t)L);
  }
}

void system_outputs(SystemWork *w, double t, const double *y, double *values, double *sens) {
  const System *s = w->system;
  int L = s->lanes;
  if (s->output.are_y) {
    size_t states = (size_t)(s->nx * L), slopes = states * (size_t)s->np;
    memcpy(values, y, states * sizeof *values);
    if (sens) memcpy(sens, y + states, slopes * sizeof *sens);
    return;
  }
  if (!s->output.all_states) {
    system_set_time(w, t);
    run(w, KERNEL_OUTPUTS, y, NULL, w->out);
  }
  copy_outputs(w, y, values, sens);
}

// ---------------------------------------------------------------- lanes at times of their own

bool system_lanes_apart(const System *s) {
  return s->lanes > 1 && !s->kernel[KERNEL_CLOCK].results && !s->branch_count && !s->ne &&
         !s->hybrid && (s->ns == 0 || s->columns.augmented);
}

void system_set_lane(SystemWork *w, int lane, double t, const double *u, const double *du) {
  const System *s = w->system;
  w->par[lane] = t;
  for (int i = 0; i < s->nu; i++) w->par[(s->at.u + i) * s->lanes + lane] = u[i];
  for (int i = 0; i < 3 * s->nu; i++) w->par[(s->at.du + i) * s->lanes + lane] = du[i];
}

void system_rhs_apart(SystemWork *w, const double *y, double *dy) {
  run(w, w->system->ns ? KERNEL_RHS_SENS : KERNEL_RHS, y, NULL, dy);
}

void system_outputs_apart(SystemWork *w, const double *y, double *values, double *sens) {
  if (!w->system->output.all_states) run(w, KERNEL_OUTPUTS, y, NULL, w->out);
  copy_outputs(w, y, values, sens);
}

void system_events(SystemWork *w, double t, const double *x, double *switching) {
  system_set_time(w, t);
  run(w, KERNEL_EVENTS, x, NULL, switching);
}

void system_event_scales(SystemWork *w, double t, const double *x, double *scales) {
  system_set_time(w, t);
  run(w, KERNEL_EVENT_SCALES, x, NULL, scales);
  for (int k = 0; k < w->system->ne; k++)
    if (!isfinite(scales[k])) scales[k] = 0;
}

// Strictly after t, up to rounding errors.
static double next_passage(const TimedEvent *e, double slope, double offset, double t) {
  double least = t + 1e-13 * fabs(t), u = offset + slope * t;
  int n = e->breaks ? e->breaks->count : 0, step = slope > 0 ? 1 : -1;
  int k = e->breaks ? (int)floor(table_rank(table_address(e->breaks), u)) : 0;
  double whole = slope > 0 ? floor(u) + 1 : ceil(u) - 1;
  if (slope < 0) k--;
  for (int i = 0; i < 3; i++, k += step, whole += step) {
    if (e->breaks && (k < 0 || k >= n)) return HUGE_VAL;
    double at = ((e->breaks ? e->breaks->at[k] : whole) - offset) / slope;
    if (at > least) return at;
  }
  return HUGE_VAL;
}

double system_next_timed(SystemWork *w, double t, const double *x) {
  const Model *m = w->system->model;
  double next = HUGE_VAL;
  if (!m->timed_count) return next;
  system_set_time(w, t);
  run(w, KERNEL_TIMED, x, NULL, w->timed_out);
  for (int i = 0; i < m->timed_count; i++) {
    double slope = w->timed_out[2 * i], offset = w->timed_out[2 * i + 1];
    if (slope != 0 && isfinite(slope) && isfinite(offset))
      next = fmin(next, next_passage(&m->timed[i], slope, offset, t));
  }
  return next;
}

void system_asserts(SystemWork *w, double t, const double *x, double *conditions) {
  system_set_time(w, t);
  run(w, KERNEL_ASSERTS, x, NULL, conditions);
}

void system_event_sens(SystemWork *w, double t, const double *y, int event, const double *dx,
                       double *rate, double *by_column) {
  const System *s = w->system;
  const double *S = y + s->nx, *out = w->event_out;
  system_set_time(w, t);
  run(w, KERNEL_EVENT_SENS, y, NULL, w->event_out);
  *rate = out[s->sparse.switching_p.at + pattern_count(&s->sparse.switching_p.pattern) + event];
  memset(by_column, 0, (size_t)s->stride * sizeof *by_column);
  for (int e = s->sparse.switching_p.pattern.start[event];
       e < s->sparse.switching_p.pattern.start[event + 1]; e++)
    by_column[s->sparse.switching_p.pattern.column[e]] += out[s->sparse.switching_p.at + e];
  for (int e = s->sparse.switching_x.pattern.start[event];
       e < s->sparse.switching_x.pattern.start[event + 1]; e++) {
    int j = s->sparse.switching_x.pattern.column[e];
    double v = out[s->sparse.switching_x.at + e];
    *rate += v * dx[j];
    for (int k = 0; k < s->ns; k++) by_column[k] += v * S[j * s->stride + k];
  }
}

void system_slide(SystemWork *w, double t, const double *y, double *rate, double *by_column) {
  const System *s = w->system;
  const double *S = y + s->nx, *out = w->slide_out;
  system_set_time(w, t);
  run(w, KERNEL_SLIDE, y, NULL, w->slide_out);
  memcpy(rate, out, (size_t)s->surfaces.count * sizeof *rate);
  if (!by_column) return;
  const Pattern *by_x = &s->sparse.slide_x.pattern, *by_p = &s->sparse.slide_p.pattern;
  memset(by_column, 0, (size_t)(s->surfaces.count * s->stride) * sizeof *by_column);
  for (int i = 0; i < s->surfaces.count; i++) {
    double *row = by_column + i * s->stride;
    for (int e = by_p->start[i]; e < by_p->start[i + 1]; e++)
      row[by_p->column[e]] += out[s->sparse.slide_p.at + e];
    for (int e = by_x->start[i]; e < by_x->start[i + 1]; e++)
      for (int k = 0; k < s->ns; k++)
        row[k] += out[s->sparse.slide_x.at + e] * S[by_x->column[e] * s->stride + k];
  }
}

void system_live_events(SystemWork *w, double t, const double *x, double *switching) {
  system_set_time(w, t);
  run(w, KERNEL_LIVE_EVENTS, x, NULL, switching);
}

void system_needed(SystemWork *w, const double *x, double *needed) {
  if (w->system->kernel[KERNEL_NEEDED].code) {
    run(w, KERNEL_NEEDED, x, NULL, needed);
    return;
  }
  for (int k = 0; k < w->system->ne * w->system->lanes; k++) needed[k] = 1;
}

void system_jump(SystemWork *w, double t, const double *x, double *after) {
  system_set_time(w, t);
  run(w, KERNEL_JUMP, x, NULL, after);
}

void system_timers(SystemWork *w, double t, const double *x, double *out) {
  if (!w->system->timer_count) return;
  system_set_time(w, t);
  run(w, KERNEL_TIMERS, x, NULL, out);
}

// Row i of D after the jump, from the D before it.
static void jump_row(const SystemWork *w, int i, const double *time_by_column, const double *D,
                     double *row) {
  const System *s = w->system;
  const Pattern *by_x = &s->sparse.jump_x.pattern, *by_p = &s->sparse.jump_p.pattern;
  for (int k = 0; k < s->ns; k++) row[k] = w->jump_out[s->sparse.jump_t + i] * time_by_column[k];
  for (int e = by_p->start[i]; e < by_p->start[i + 1]; e++)
    row[by_p->column[e]] += w->jump_out[s->sparse.jump_p.at + e];
  for (int e = by_x->start[i]; e < by_x->start[i + 1]; e++)
    for (int k = 0; k < s->ns; k++)
      row[k] += w->jump_out[s->sparse.jump_x.at + e] * D[by_x->column[e] * s->stride + k];
}

void system_jump_sens(SystemWork *w, double t, const double *x, const double *time_by_column,
                      double *D) {
  const System *s = w->system;
  const Model *m = s->model;
  if (!s->ns || !m->jump_count) return;
  system_set_time(w, t);
  run(w, KERNEL_JUMP_SENS, x, NULL, w->jump_out);
  for (int i = 0; i < m->jump_count; i++)
    jump_row(w, i, time_by_column, D, w->jump_rows + i * s->stride);
  for (int i = 0; i < m->jump_count; i++)
    memcpy(D + m->jump_state[i] * s->stride, w->jump_rows + i * s->stride,
           (size_t)s->ns * sizeof *D);
}

void system_set_rates(SystemWork *w, double alpha, double beta) {
  const System *s = w->system;
  for (int l = 0; l < s->lanes; l++) {
    w->par[s->at.rate * s->lanes + l] = alpha;
    w->par[(s->at.rate + 1) * s->lanes + l] = beta;
  }
}

void system_set_rate(SystemWork *w, double rate) {
  system_set_rates(w, rate, rate);
}

void system_invariants(SystemWork *w, double t, const double *x, double *values) {
  system_set_time(w, t);
  run(w, KERNEL_INVARIANTS, x, NULL, values);
}

void system_invariant_sens(SystemWork *w, double t, const double *x) {
  system_set_time(w, t);
  run(w, KERNEL_INVARIANT_SENS, x, NULL, w->invariant_out);
}

void system_condition(const SystemWork *w, int i, double *residual, double *size) {
  const System *s = w->system;
  const double *at = w->x0 + (size_t)((s->first_condition + 2 * i) * s->lanes);
  *residual = at[0];
  *size = at[s->lanes];
}
