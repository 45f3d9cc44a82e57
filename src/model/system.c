#include "model/system.h"

#include <assert.h>
#include <string.h>

SystemWork *system_work_new(const System *s) {
  Arena *a = arena_new();
  SystemWork *w = ARENA_NEW(a, SystemWork);
  size_t lanes = (size_t)s->lanes, wide = (size_t)s->column_lanes;
  w->arena = a;
  w->system = s;
  w->product = sparse_product();
  w->par = arena_alloc(a, (size_t)s->par_count * lanes + 8, sizeof(double));
  w->scratch = arena_alloc(a, s->scratch_count + 8, sizeof(double));
  w->x0 = arena_alloc(a, (size_t)s->start.results * lanes + 8, sizeof(double));
  w->values = arena_alloc(a, (size_t)s->rhs_sens.results * lanes + 8, sizeof(double));
  w->out = arena_alloc(a, (size_t)s->outputs.results * lanes + 8, sizeof(double));
  size_t events = (size_t)(s->events.results > s->event_sens.results ? s->events.results
                                                                     : s->event_sens.results);
  w->event_out = arena_alloc(a, events * lanes + 8, sizeof(double));
  w->invariant_out = arena_alloc(a, (size_t)s->invariant_sens.results + 8, sizeof(double));
  w->lane_in = arena_alloc(a, (size_t)(s->nx + s->ns) * wide + 8, sizeof(double));
  w->lane_out = arena_alloc(a, (size_t)s->jacobian_sens.results * wide + 8, sizeof(double));
  size_t clock = (size_t)s->clock.results;
  w->clock = arena_alloc(a, (CLOCK_MOST + 1) * clock + 8, sizeof(double));
  w->clock_out = arena_alloc(a, CLOCK_LANES * clock + 8, sizeof(double));
  return w;
}

void system_work_free(SystemWork *w) {
  if (w) arena_free(w->arena);
}

static const Kernel *motion(const System *s) {
  return s->ns ? &s->rhs_sens : &s->rhs;
}

static void take_guesses(SystemWork *w, const Kernel *k) {
  for (int i = 0; i < k->guess_count; i++) {
    const Guess *to = &k->guesses[i];
    if (to->from < 0) continue;
    const Guess *from = &motion(w->system)->guesses[to->from];
    for (int lane = 0; lane < to->lanes; lane++) {
      int same = from->lanes == to->lanes ? lane : 0;
      if (w->scratch[from->state + same] != 1) continue;
      w->scratch[to->state + lane] = 1;
      for (int z = 0; z < to->n; z++)
        w->scratch[to->solution + z * to->lanes + lane] =
            w->scratch[from->solution + z * from->lanes + same];
    }
  }
}

// Every kernel begins with the solutions that were found for the start.
static void start_guesses(SystemWork *w, const Kernel *k) {
  int lanes = w->system->lanes;
  for (int i = 0; i < k->guess_count; i++) {
    const Guess *to = &k->guesses[i];
    for (int lane = 0; lane < to->lanes && to->start >= 0; lane++) {
      int same = lanes == to->lanes ? lane : 0;
      w->scratch[to->state + lane] = 1;
      for (int z = 0; z < to->n; z++)
        w->scratch[to->solution + z * to->lanes + lane] = w->x0[(to->start + z) * lanes + same];
    }
  }
}

static inline void run(SystemWork *w, const Kernel *k, const double *x, const double *direction,
                       double *out) {
  take_guesses(w, k);
  code_run(k->code, w->par, x, direction, out, w->scratch + k->work_at);
}

void system_set_parameters(SystemWork *w, const double *p) {
  const System *s = w->system;
  memcpy(w->par + (size_t)s->at_p * (size_t)s->lanes, p,
         (size_t)s->model->np * (size_t)s->lanes * sizeof *p);
  run(w, &s->hoist, NULL, NULL, w->par + (size_t)s->at_hoisted * (size_t)s->lanes);
}

void system_set_time(SystemWork *w, double t) {
  const System *s = w->system;
  int lanes = s->lanes;
  for (int l = 0; l < lanes; l++) w->par[l] = t;
  if (!s->nu || !w->inputs) return;
  double *u = w->par + s->at_u * lanes, *du = w->par + s->at_du * lanes;
  w->inputs(w->inputs_data, t, u, du);
  for (int i = s->nu - 1; i >= 0 && lanes > 1; i--) // one set of inputs serves all lanes
    for (int l = lanes - 1; l >= 0; l--) u[i * lanes + l] = u[i];
  for (int i = 3 * s->nu - 1; i >= 0 && lanes > 1; i--)
    for (int l = lanes - 1; l >= 0; l--) du[i * lanes + l] = du[i];
}

// ---------------------------------------------------------------- functions of time alone

static void run_clock(SystemWork *w, const double times[CLOCK_LANES], int rows, double *to) {
  const Kernel *k = &w->system->clock;
  code_run(k->code, times, NULL, NULL, w->clock_out, w->scratch + k->work_at);
  for (int row = 0; row < rows; row++)
    for (int i = 0; i < k->results; i++)
      to[row * k->results + i] = w->clock_out[i * CLOCK_LANES + row];
}

void system_set_times(SystemWork *w, const double *t, int count) {
  if (!w->system->clock.results) return;
  assert(count <= CLOCK_MOST);
  for (int first = 0; first < count; first += CLOCK_LANES) {
    int rows = count - first < CLOCK_LANES ? count - first : CLOCK_LANES;
    double times[CLOCK_LANES];
    for (int i = 0; i < CLOCK_LANES; i++) times[i] = t[first + (i < rows ? i : 0)];
    run_clock(w, times, rows, w->clock + first * w->system->clock.results);
  }
  for (int i = 0; i < count; i++) w->clock_times[i] = t[i];
  w->clock_count = count, w->clock_next = 0;
}

const double *system_clock(SystemWork *w, double t) {
  int results = w->system->clock.results;
  if (!results) return NULL;
  for (int tries = 0; tries < w->clock_count; tries++) {
    int i = w->clock_next < w->clock_count ? w->clock_next : 0;
    w->clock_next = i + 1;
    if (w->clock_times[i] == t) return w->clock + i * results;
  }
  double times[CLOCK_LANES], *to = w->clock + CLOCK_MOST * results;
  for (int i = 0; i < CLOCK_LANES; i++) times[i] = t;
  run_clock(w, times, 1, to);
  return to;
}

// ----------------------------------------------------------------

void system_set_mode(SystemWork *w, int event, double mode) {
  const System *s = w->system;
  for (int l = 0; l < s->lanes; l++) w->par[(s->at_mode + event) * s->lanes + l] = mode;
}

double system_mode(const SystemWork *w, int event) {
  const System *s = w->system;
  return w->par[(s->at_mode + event) * s->lanes];
}

// Zeroed work makes every Newton block begin at its start values.
void system_forget(SystemWork *w) {
  memset(w->scratch, 0, w->system->scratch_count * sizeof(double));
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
  run(w, &s->start, NULL, NULL, w->x0);
  const Kernel *kernels[] = {&s->rhs,        &s->rhs_sens,      &s->outputs,       &s->events,
                             &s->event_sens, &s->jacobian,      &s->jacobian_sens, &s->by_time,
                             &s->invariants, &s->invariant_sens};
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) start_guesses(w, kernels[i]);
  memcpy(y, w->x0, nx * lanes * sizeof *y);
  if (s->ne)
    memcpy(w->par + (size_t)s->at_mode * lanes, w->x0 + nx * lanes,
           (size_t)s->ne * lanes * sizeof *y);
  if (s->ns)
    fill_sparse(&s->x0p.pattern, w->x0 + (size_t)s->x0p.at * lanes, s->stride, s->lanes,
                y + nx * lanes);
}

void system_rhs(SystemWork *w, double t, const double *x, double *dx) {
  system_set_time(w, t);
  run(w, &w->system->rhs, x, system_clock(w, t), dx);
}

void system_rhs_sens(SystemWork *w, double t, const double *y, double *dy) {
  const System *s = w->system;
  system_set_time(w, t);
  if (s->augmented) {
    run(w, &s->rhs_sens, y, system_clock(w, t), dy);
    return;
  }
  run(w, &s->rhs_sens, y, NULL, w->values);
  memcpy(dy, w->values, (size_t)s->nx * sizeof *dy);
  fill_sparse(&s->fp.pattern, w->values + s->fp.at, s->stride, 1, dy + s->nx);
  w->product(&s->fx.pattern, w->values + s->fx.at, y + s->nx, s->stride, dy + s->nx);
}

void system_jacobian(SystemWork *w, double t, const double *x, double *J, double *ft) {
  const System *s = w->system;
  system_set_time(w, t);
  run(w, &s->jacobian, x, NULL, J);
  if (!ft) return;
  if (s->by_time_varies)
    run(w, &s->by_time, x, NULL, ft);
  else
    memset(ft, 0, (size_t)s->nx * sizeof *ft);
}

void system_jacobian_sens(SystemWork *w, double t, const double *y, double *DJ, double *Dft) {
  const System *s = w->system;
  int L = s->column_lanes, entries = pattern_count(&s->jac);
  system_set_time(w, t);
  for (int first = 0; first < s->ns; first += L) {
    int width = s->stride - first < L ? s->stride - first : L;
    memset(w->lane_in, 0, (size_t)((s->nx + s->ns) * L) * sizeof(double));
    for (int i = 0; i < s->nx; i++)
      memcpy(w->lane_in + i * L, y + s->nx + i * s->stride + first, (size_t)width * sizeof(double));
    for (int k = first; k < s->ns && k < first + L; k++)
      w->lane_in[(s->nx + k) * L + k - first] = 1;
    run(w, &s->jacobian_sens, y, w->lane_in, w->lane_out);
    for (int e = 0; e < entries; e++)
      memcpy(DJ + (size_t)e * (size_t)s->stride + first, w->lane_out + e * L,
             (size_t)width * sizeof(double));
    for (int i = 0; i < s->nx; i++)
      memcpy(Dft + i * s->stride + first, w->lane_out + (entries + i) * L,
             (size_t)width * sizeof(double));
  }
}

// dy/dp = h_x S + h_p for output i, by all parameters of the spec
static void output_sens(SystemWork *w, const double *y, int i, double *sens) {
  const System *s = w->system;
  int L = s->lanes;
  const double *S = y + s->nx * L;
  memset(sens, 0, (size_t)(s->np * L) * sizeof *sens);
  for (int e = s->hp.pattern.start[i]; e < s->hp.pattern.start[i + 1]; e++)
    memcpy(sens + s->hp.pattern.column[e] * L, w->out + (s->hp.at + e) * L,
           (size_t)L * sizeof *sens);
  for (int e = s->hx.pattern.start[i]; e < s->hx.pattern.start[i + 1]; e++) {
    const double *from = S + (size_t)s->hx.pattern.column[e] * (size_t)(s->stride * L);
    for (int k = 0; k < s->ns; k++)
      for (int l = 0; l < L; l++)
        sens[s->active[k] * L + l] += w->out[(s->hx.at + e) * L + l] * from[k * L + l];
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
    memcpy(sens + s->active[k] * L, from + k * L, (size_t)L * sizeof *sens);
}

void system_outputs(SystemWork *w, double t, const double *y, double *values, double *sens) {
  const System *s = w->system;
  int L = s->lanes;
  if (s->outputs_are_y) {
    size_t states = (size_t)(s->nx * L), slopes = states * (size_t)s->np;
    memcpy(values, y, states * sizeof *values);
    if (sens) memcpy(sens, y + states, slopes * sizeof *sens);
    return;
  }
  if (!s->outputs_are_states) {
    system_set_time(w, t);
    run(w, &s->outputs, y, NULL, w->out);
  }
  for (int i = 0; i < s->ny; i++) {
    int state = s->output_state[i];
    memcpy(values + i * L, state >= 0 ? y + state * L : w->out + i * L, (size_t)L * sizeof *values);
    if (!sens) continue;
    if (state >= 0)
      state_sens(s, y, state, sens + (size_t)(i * s->np) * (size_t)L);
    else
      output_sens(w, y, i, sens + (size_t)(i * s->np) * (size_t)L);
  }
}

void system_events(SystemWork *w, double t, const double *x, double *switching) {
  system_set_time(w, t);
  run(w, &w->system->events, x, NULL, switching);
}

void system_event_sens(SystemWork *w, double t, const double *y, int event, const double *dx,
                       double *rate, double *by_column) {
  const System *s = w->system;
  const double *S = y + s->nx, *out = w->event_out;
  system_set_time(w, t);
  run(w, &s->event_sens, y, NULL, w->event_out);
  *rate = out[s->gp.at + pattern_count(&s->gp.pattern) + event];
  memset(by_column, 0, (size_t)s->stride * sizeof *by_column);
  for (int e = s->gp.pattern.start[event]; e < s->gp.pattern.start[event + 1]; e++)
    by_column[s->gp.pattern.column[e]] += out[s->gp.at + e];
  for (int e = s->gx.pattern.start[event]; e < s->gx.pattern.start[event + 1]; e++) {
    int j = s->gx.pattern.column[e];
    double v = out[s->gx.at + e];
    *rate += v * dx[j];
    for (int k = 0; k < s->ns; k++) by_column[k] += v * S[j * s->stride + k];
  }
}

void system_set_rate(SystemWork *w, double rate) {
  const System *s = w->system;
  for (int l = 0; l < s->lanes; l++) w->par[s->at_rate * s->lanes + l] = rate;
}

void system_invariants(SystemWork *w, double t, const double *x, double *values) {
  system_set_time(w, t);
  run(w, &w->system->invariants, x, NULL, values);
}

void system_invariant_sens(SystemWork *w, double t, const double *x) {
  system_set_time(w, t);
  run(w, &w->system->invariant_sens, x, NULL, w->invariant_out);
}

void system_condition(const SystemWork *w, int i, double *residual, double *size) {
  const System *s = w->system;
  const double *at = w->x0 + (size_t)((s->conditions + 2 * i) * s->lanes);
  *residual = at[0];
  *size = at[s->lanes];
}
