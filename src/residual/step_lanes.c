#include "residual/step_lanes.h"

#include <math.h>
#include <string.h>

enum { STAGES = 4 };

struct StepLanes {
  Arena *arena;
  const CompiledModel *model;
  const System *system;
  SystemWork *work;
  bool slopes;
  int lanes, numbers;            // of y, without lanes
  double *one;                   // the states of one lane
  double *y, *stage, *k[STAGES]; // of all
  double *values, *sens;
  double *p, *u;
  int *pieces; // [lane][input]
  double t[LANES_MOST], h[LANES_MOST];
};

StepLanes *step_lanes_new(const CompiledModel *m, bool slopes) {
  const Model *model = m->model;
  if (model->nx == 0 || model->ne || model->flat->hybrid || m->problem->options.lanes == LANES_OFF)
    return NULL;
  int lanes = lanes_best(model->nx, slopes ? m->parameter_count : 0);
  const System *system = compiled_lanes(m, slopes, lanes);
  if (!system_lanes_apart(system)) return NULL;
  Arena *a = arena_new();
  StepLanes *s = ARENA_NEW(a, StepLanes);
  size_t L = (size_t)lanes, ny = (size_t)system->ny;
  s->arena = a, s->model = m, s->system = system, s->slopes = slopes, s->lanes = lanes;
  s->work = system_work_new(system);
  s->numbers = system->nx + system->nx * system->stride;
  size_t room = (size_t)s->numbers * L + 16;
  s->one = ARENA_ARRAY(a, double, s->numbers + 16);
  s->y = ARENA_ARRAY(a, double, room);
  s->stage = ARENA_ARRAY(a, double, room);
  for (int i = 0; i < STAGES; i++) s->k[i] = ARENA_ARRAY(a, double, room);
  s->values = ARENA_ARRAY(a, double, ny *L + 8);
  s->sens = ARENA_ARRAY(a, double, ny *(size_t)system->np *L + 8);
  s->p = ARENA_ARRAY(a, double, (size_t)model->np *L + 8);
  s->u = ARENA_ARRAY(a, double, 4 * model->nu + 8);
  s->pieces = ARENA_ARRAY(a, int, L *(size_t)model->nu + 1);
  return s;
}

void step_lanes_free(StepLanes *s) {
  if (!s) return;
  system_work_free(s->work);
  arena_free(s->arena);
}

int step_lanes_width(const StepLanes *s) {
  return s->lanes;
}

void step_lanes_begin(StepLanes *s, const StepRequest *q) {
  for (int k = 0; k < s->system->model->np; k++)
    for (int l = 0; l < s->lanes; l++) s->p[k * s->lanes + l] = q->p[k];
  system_set_origin(s->work, q->e->origin);
  system_set_parameters(s->work, s->p);
}

// ---------------------------------------------------------------- steps

static void set_times(StepLanes *s, const StepRequest *q, double part) {
  int nu = s->system->nu;
  for (int l = 0; l < s->lanes; l++) {
    double t = s->t[l] + part * s->h[l];
    input_eval_all(q->e->inputs, nu, t, s->pieces + l * nu, s->u, s->u + nu, nu);
    system_set_lane(s->work, l, t, s->u, s->u + nu);
  }
}

static void enter_pieces(StepLanes *s, const StepRequest *q) {
  int nu = s->system->nu;
  for (int l = 0; l < s->lanes; l++)
    for (int i = 0; i < nu; i++) { // samples follow each other
      int guess = s->pieces[(l > 0 ? l - 1 : 0) * nu + i];
      s->pieces[l * nu + i] = input_piece_near(q->e->inputs[i], s->t[l], guess);
    }
}

// to = from + part*h*slope, h by lane.
static void move(const StepLanes *s, const double *from, double part, const double *slope,
                 double *to) {
  for (int i = 0; i < s->numbers; i++)
    for (int l = 0; l < s->lanes; l++) {
      int at = i * s->lanes + l;
      to[at] = from[at] + part * s->h[l] * slope[at];
    }
}

static void euler_step(StepLanes *s, const StepRequest *q) {
  set_times(s, q, 0);
  system_rhs_apart(s->work, s->y, s->k[0]);
  move(s, s->y, 1, s->k[0], s->y);
}

static void rk4_step(StepLanes *s, const StepRequest *q) {
  double *y = s->y, *z = s->stage, *const *k = s->k;
  set_times(s, q, 0);
  system_rhs_apart(s->work, y, k[0]);
  move(s, y, 0.5, k[0], z);
  set_times(s, q, 0.5);
  system_rhs_apart(s->work, z, k[1]);
  move(s, y, 0.5, k[1], z);
  system_rhs_apart(s->work, z, k[2]);
  move(s, y, 1, k[2], z);
  set_times(s, q, 1);
  system_rhs_apart(s->work, z, k[3]);
  for (int i = 0; i < s->numbers * s->lanes; i++) k[0][i] += 2 * (k[1][i] + k[2][i]) + k[3][i];
  move(s, y, 1.0 / 6, k[0], y);
}

// ---------------------------------------------------------------- rows

static void begin_rows(StepLanes *s, const StepRequest *q, int first) {
  for (int l = 0; l < s->lanes; l++) {
    int row = first + l < q->rows ? first + l : q->rows - 1; // lanes without a row repeat the last
    q->states(q->data, s->system, q->base[row], s->one);
    for (int i = 0; i < s->numbers; i++) s->y[i * s->lanes + l] = s->one[i];
  }
}

static void take_interval(StepLanes *s, const StepRequest *q, int first, int step) {
  for (int l = 0; l < s->lanes; l++) {
    int row = first + l < q->rows ? first + l : q->rows - 1;
    const double *t = q->e->row_t + q->base[row] + step;
    s->t[l] = t[0];
    s->h[l] = step < q->ahead ? t[1] - t[0] : 0;
  }
  enter_pieces(s, q);
}

static bool put_rows(const StepLanes *s, int first, int count, double *const *column) {
  const System *y = s->system;
  double zero = 0;
  int slopes = s->slopes ? y->ny * y->np : 0;
  for (int i = 0; i < y->ny + slopes; i++) {
    const double *from = (i < y->ny ? s->values : s->sens - (size_t)y->ny * (size_t)s->lanes) +
                         (size_t)i * (size_t)s->lanes;
    for (int l = 0; l < count; l++) {
      column[i][first + l] = from[l];
      zero += from[l] * 0;
    }
  }
  return zero == 0;
}

bool step_lanes_rows(StepLanes *s, const StepRequest *q, int first, double *const *column) {
  int count = q->rows - first < s->lanes ? q->rows - first : s->lanes;
  begin_rows(s, q, first);
  for (int step = 0; step < q->ahead; step++) {
    take_interval(s, q, first, step);
    if (q->euler)
      euler_step(s, q);
    else
      rk4_step(s, q);
  }
  take_interval(s, q, first, q->ahead);
  set_times(s, q, 0);
  system_outputs_apart(s->work, s->y, s->values, s->slopes ? s->sens : NULL);
  return put_rows(s, first, count, column);
}
