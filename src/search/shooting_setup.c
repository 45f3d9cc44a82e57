// Pieces with their samples, the scales of data and gaps, one model for first pieces (start from the parameters) and one for later
// pieces (start values are parameters).
#include "search/shooting_setup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/extend.h"
#include "num/noise.h"
#include "residual/weighting.h"

// ---------------------------------------------------------------- pieces

static int compare_times(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Samples of a channel from `start` on and before `end`.
static ShootingChannel part_of(const Channel *c, double start, double end) {
  ShootingChannel part = {0};
  while (part.first < c->count && c->t[part.first] < start) part.first++;
  while (part.first + part.count < c->count && c->t[part.first + part.count] < end) part.count++;
  return part;
}

static int merge_times(double *t, int count) {
  int kept = 0;
  qsort(t, (size_t)count, sizeof *t, compare_times);
  for (int i = 0; i < count; i++)
    if (!kept || t[i] > t[kept - 1]) t[kept++] = t[i];
  return kept;
}

static void number_rows(Arena *a, const ShootingPiece *p, const Channel *c, ShootingChannel *part) {
  part->row = ARENA_ARRAY(a, int, part->count + 1);
  for (int i = 0, row = 0; i < part->count; i++) {
    while (p->times[row] < c->t[part->first + i]) row++;
    part->row[i] = row;
  }
}

static void lay_piece(Shooting *s, ShootingPiece *p, double end) {
  const Experiment *e = &s->problem->experiments[p->experiment];
  int most = 2, count = 0;
  p->channels = ARENA_ARRAY(s->arena, ShootingChannel, e->channel_count + 1);
  for (int c = 0; c < e->channel_count; c++) {
    p->channels[c] = part_of(&e->channels[c], p->start, end);
    most += p->channels[c].count;
  }
  p->times = ARENA_ARRAY(s->arena, double, most);
  for (int c = 0; c < e->channel_count; c++)
    for (int i = 0; i < p->channels[c].count; i++)
      p->times[count++] = e->channels[c].t[p->channels[c].first + i];
  if (!p->is_last) p->times[count++] = end;
  if (!p->is_first && s->constrained) p->times[count++] = p->start;
  p->rows = merge_times(p->times, count);
  for (int c = 0; c < e->channel_count; c++)
    number_rows(s->arena, p, &e->channels[c], &p->channels[c]);
}

static void lay_pieces(Shooting *s) {
  const ShootingRequest *r = s->request;
  for (int e = 0; e < s->problem->experiment_count; e++) s->piece_count += r->piece_count[e];
  s->pieces = ARENA_ARRAY(s->arena, ShootingPiece, s->piece_count + 1);
  ShootingPiece *p = s->pieces;
  for (int e = 0; e < s->problem->experiment_count; e++)
    for (int k = 0; k < r->piece_count[e]; k++, p++) {
      p->experiment = e;
      p->is_first = k == 0;
      p->is_last = k == r->piece_count[e] - 1;
      p->start = k ? r->times[e][k] : s->problem->experiments[e].start;
      lay_piece(s, p, p->is_last ? HUGE_VAL : r->times[e][k + 1]);
    }
}

// ---------------------------------------------------------------- scales

static double quadrature(const Shooting *s, const Channel *c, int i) {
  if (s->problem->options.criterion != CRITERION_INTEGRAL) return 1;
  double before = i > 0 ? c->t[i] - c->t[i - 1] : 0;
  double after = i + 1 < c->count ? c->t[i + 1] - c->t[i] : 0;
  return (before + after) / 2;
}

static double spread(const double *y, int count) {
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (int i = 0; i < count; i++) least = fmin(least, y[i]), most = fmax(most, y[i]);
  return count && most > least ? most - least : 0;
}

static double huber_limit(const Shooting *s, const Channel *c, double sigma) {
  if (s->problem->options.loss != LOSS_HUBER) return HUGE_VAL;
  bool known = c->sigma_kind != SIGMA_UNKNOWN;
  double deviation = known ? sigma : noise_deviation_robust(c->t, c->y, c->count);
  return deviation > 0 ? s->problem->options.huber_limit * deviation : HUGE_VAL;
}

// Scales of all samples. Returns the mean square of what an error of the range of the data is as a residual.
static double scale_data(Shooting *s) {
  const Problem *p = s->problem;
  double square = 0;
  long samples = 0;
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++) {
      const Channel *channel = &p->experiments[e].channels[c];
      int at = shooting_channel(s, e, c);
      double sigma = s->request->sigma[at], range = spread(channel->y, channel->count);
      s->scale[at] = ARENA_ARRAY(s->arena, double, channel->count + 1);
      s->huber[at] = huber_limit(s, channel, sigma);
      for (int i = 0; i < channel->count; i++) {
        double scale = sample_scale(channel, i, quadrature(s, channel, i), sigma);
        s->scale[at][i] = scale;
        square += scale * range * scale * range;
      }
      samples += samples_that_count(channel, channel->count);
    }
  s->nothing = square / 2 * pow(p->simulate.rel_tol / 10, 2);
  return samples ? square / (double)samples : 1;
}

static void find_ranges(Shooting *s) {
  for (int i = 0; i < s->nx; i++) {
    double least = HUGE_VAL, most = -HUGE_VAL, size = 0;
    for (int e = 0; e < s->problem->experiment_count; e++)
      for (int k = 1; k < s->request->piece_count[e]; k++) {
        double v = s->request->states[e][k * s->nx + i];
        least = fmin(least, v), most = fmax(most, v), size = fmax(size, fabs(v));
      }
    s->range[i] = most - least > 1e-9 * size ? most - least : size > 0 ? size : 1;
  }
}

static void find_scales(Shooting *s) {
  const Problem *p = s->problem;
  int channels = 0;
  s->first_channel = ARENA_ARRAY(s->arena, int, p->experiment_count + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    s->first_channel[e] = channels;
    channels += p->experiments[e].channel_count;
  }
  s->scale = ARENA_ARRAY(s->arena, double *, channels + 1);
  s->huber = ARENA_ARRAY(s->arena, double, channels + 1);
  s->range = ARENA_ARRAY(s->arena, double, s->nx + 1);
  s->gap_scale = ARENA_ARRAY(s->arena, double, s->nx + 1);
  double square = scale_data(s);
  find_ranges(s);
  for (int i = 0; i < s->nx; i++) s->gap_scale[i] = sqrt(square > 0 ? square : 1) / s->range[i];
}

// ---------------------------------------------------------------- set-up

static void map_slopes(Shooting *s) {
  const Problem *p = s->problem;
  s->slope_of = ARENA_ARRAY(s->arena, int *, p->experiment_count + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    s->slope_of[e] = ARENA_ARRAY(s->arena, int, s->n + 1);
    for (int i = 0; i < s->n; i++) {
      s->slope_of[e][i] = -1;
      if (p->unknowns[i].experiment >= 0 && p->unknowns[i].experiment != e) continue;
      for (int k = 0; k < s->parameter_count; k++)
        if (s->parameters[k] == p->unknowns[i].parameter) s->slope_of[e][i] = k;
    }
  }
}

// Outputs: measured quantities, then all states.
static void compile_model(Shooting *s, ShootingModel *r, Model *m, int parameter_count, int rows) {
  const Problem *p = s->problem;
  int outputs = p->measured_count + s->nx;
  Expr *list = ARENA_ARRAY(s->arena, Expr, outputs + 1);
  for (int k = 0; k < p->measured_count; k++) list[k] = p->measured[k];
  for (int i = 0; i < s->nx; i++) list[p->measured_count + i] = m->x[i];
  SystemSpec spec = {.outputs = list,
                     .output_count = outputs,
                     .parameters = s->parameters,
                     .parameter_count = parameter_count,
                     .lanes = 1,
                     .code = p->simulate.jit ? CODE_INTERPRETER : CODE_AUTO};
  simulate_needs(&p->simulate, m->nx, &spec);
  r->system = system_new(m, &spec);
  r->work = simulate_work_new(r->system, &p->simulate);
  r->np = parameter_count;
  r->p = ARENA_ARRAY(s->arena, double, m->np + 1);
  int columns = outputs * (1 + parameter_count);
  double *storage = ARENA_ARRAY(s->arena, double, (size_t)columns *(size_t)rows + 1);
  r->column = ARENA_ARRAY(s->arena, double *, columns + 1);
  for (int i = 0; i < columns; i++) r->column[i] = storage + (size_t)i * (size_t)rows;
}

static void compile_models(Shooting *s) {
  const Problem *p = s->problem;
  int rows = 1;
  for (int k = 0; k < s->piece_count; k++)
    if (s->pieces[k].rows > rows) rows = s->pieces[k].rows;
  s->parameters = ARENA_ARRAY(s->arena, int, s->n + s->nx + 1);
  s->parameter_count = problem_unknown_parameters(p, s->parameters);
  map_slopes(s);
  compile_model(s, &s->first, p->model, s->parameter_count, rows);
  Model *later = model_with_free_start(p->model, &s->first_start);
  for (int i = 0; i < s->nx; i++) s->parameters[s->parameter_count + i] = s->first_start + i;
  compile_model(s, &s->later, later, s->parameter_count + s->nx, rows);
  s->rows = ARENA_ARRAY(s->arena, double *, s->width + 2);
  for (int i = 0; i <= s->width; i++) s->rows[i] = ARENA_ARRAY(s->arena, double, rows + 8);
  s->model = ARENA_ARRAY(s->arena, double, rows + 8);
}

ShootingPoint *shooting_point_new(Shooting *s) {
  ShootingPoint *p = ARENA_NEW(s->arena, ShootingPoint);
  size_t side = (size_t)s->width + 1, nx = (size_t)s->nx;
  p->x = ARENA_ARRAY(s->arena, double, s->n + 1);
  p->states = ARENA_ARRAY(s->arena, double, (size_t)s->piece_count *nx + 1);
  p->pieces = ARENA_ARRAY(s->arena, ShootingOutcome, s->piece_count + 1);
  for (int k = 0; k < s->piece_count; k++) {
    ShootingOutcome *o = &p->pieces[k];
    o->triangle = ARENA_ARRAY(s->arena, double, side *side);
    o->end = ARENA_ARRAY(s->arena, double, nx + 1);
    o->by_state = ARENA_ARRAY(s->arena, double, nx *nx + 1);
    o->by_unknown = ARENA_ARRAY(s->arena, double, nx *(size_t)s->n + 1);
    if (!s->constrained) continue;
    o->start_by_state = ARENA_ARRAY(s->arena, double, nx *nx + 1);
    o->start_by_unknown = ARENA_ARRAY(s->arena, double, nx *(size_t)s->n + 1);
  }
  return p;
}

static void make_step_work(Shooting *s) {
  Arena *a = s->arena;
  int columns = 2 * s->nx + s->n + 1, rows = 2 * (s->width + 1) + 3 * s->nx;
  s->data_sum = qr_sum_new(a, s->width);
  s->step.piece_sum = qr_sum_new(a, columns - 1);
  s->step.free_sum = qr_sum_new(a, s->n);
  s->step.block = ARENA_ARRAY(a, double, (size_t)columns *(size_t)rows + 8);
  s->step.block_column = ARENA_ARRAY(a, double *, columns + 1);
  for (int i = 0; i < columns; i++)
    s->step.block_column[i] = s->step.block + (size_t)i * (size_t)rows;
  s->step.eliminated =
      ARENA_ARRAY(a, double, (size_t)s->piece_count *(size_t)s->nx *(size_t)columns + 1);
  s->step.carried = ARENA_ARRAY(a, double, (size_t)(s->width + 1) * (size_t)(s->width + 1));
  s->step.state_size = ARENA_ARRAY(a, double, (size_t)s->piece_count *(size_t)s->nx + 1);
  s->step.by_states = ARENA_ARRAY(a, double, (size_t)(s->piece_count + 1) * (size_t)s->nx + 1);
  s->step.free_size = ARENA_ARRAY(a, double, s->n + 1);
  s->step.low = ARENA_ARRAY(a, double, s->n + 1);
  s->step.high = ARENA_ARRAY(a, double, s->n + 1);
  s->step.by_unknowns = ARENA_ARRAY(a, double, s->n + 1);
  s->step.R = ARENA_ARRAY(a, double, (size_t)s->n *(size_t)s->n + 1);
  s->step.Qr = ARENA_ARRAY(a, double, s->n + 1);
  s->step.linear = linear_new(a, s->n ? s->n : 1);
}

void shooting_init(Shooting *s) {
  s->n = s->problem->unknown_count, s->nx = s->problem->model->nx, s->width = s->n + s->nx;
  s->constrained = s->problem->model->invariant_count > 0;
  lay_pieces(s);
  find_scales(s);
  compile_models(s);
  make_step_work(s);
}

void shooting_done(Shooting *s) {
  ShootingModel *models[] = {&s->first, &s->later};
  for (int i = 0; i < 2; i++) {
    simulate_work_free(models[i]->work);
    system_free(models[i]->system);
  }
}

void shooting_begin(const Shooting *s, const double *x, ShootingPoint *at) {
  for (int i = 0; i < s->n; i++)
    at->x[i] = fmin(s->problem->unknowns[i].max, fmax(s->problem->unknowns[i].min, x[i]));
  for (int e = 0, k = 0; e < s->problem->experiment_count; e++)
    for (int i = 0; i < s->request->piece_count[e]; i++, k++)
      if (i > 0)
        memcpy(at->states + (size_t)k * (size_t)s->nx, s->request->states[e] + i * s->nx,
               (size_t)s->nx * sizeof(double));
}
