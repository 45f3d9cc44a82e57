// Each piece is simulated with sensitivities by the unknowns and by the states at its node; its data rows become a triangle.
#include "search/shooting_eval.h"

#include <math.h>
#include <string.h>

// Steps of the integrator that a piece may take: in the first evaluation, and later by those of the first.
enum { STEPS_FIRST = 20000, STEPS_FACTOR = 20, STEPS_LEAST = 500 };

static const double *slope_column(const Shooting *s, const ShootingModel *r, int output, int k) {
  return r->column[s->problem->measured_count + s->nx + output * r->np + k];
}

static void set_parameters(Shooting *s, const ShootingPiece *p, ShootingModel *r,
                           const ShootingPoint *at, const double *state) {
  const Problem *problem = s->problem;
  memcpy(r->p, problem->experiments[p->experiment].p, (size_t)problem->model->np * sizeof *r->p);
  for (int i = 0; i < s->n; i++)
    if (s->slope_of[p->experiment][i] >= 0) r->p[problem->unknowns[i].parameter] = at->x[i];
  if (!p->is_first) memcpy(r->p + s->first_start, state, (size_t)s->nx * sizeof *r->p);
}

static bool simulate_piece(Shooting *s, const ShootingPiece *p, ShootingModel *r) {
  const Experiment *e = &s->problem->experiments[p->experiment];
  SimulateRequest request = {.p = r->p,
                             .inputs = e->inputs,
                             .origin = e->origin,
                             .start = p->start,
                             .times = p->times,
                             .count = p->rows,
                             .max_steps = s->step_limit ? s->step_limit : STEPS_FIRST};
  Trajectory t = {.column = r->column, .with_sens = r->np > 0};
  if (p->rows == 0) return true;
  simulate_run(r->work, &request, &t);
  s->count->rhs += t.work.rhs;
  s->count->steps += t.work.steps;
  if (t.work.steps > s->most_steps) s->most_steps = t.work.steps;
  s->count->rejected += t.work.rejected;
  return t.outcome == OUTCOME_REACHED_END;
}

static ShootingModel *model_of(Shooting *s, const ShootingPiece *p) {
  return p->is_first ? &s->first : &s->later;
}

bool shooting_simulate(Shooting *s, int k, const ShootingPoint *at) {
  const ShootingPiece *p = &s->pieces[k];
  set_parameters(s, p, model_of(s, p), at, at->states + (size_t)k * (size_t)s->nx);
  return simulate_piece(s, p, model_of(s, p));
}

void shooting_fill_rows(Shooting *s, int k, int c) {
  const ShootingPiece *p = &s->pieces[k];
  const ShootingModel *r = model_of(s, p);
  const Channel *channel = &s->problem->experiments[p->experiment].channels[c];
  const ShootingChannel *part = &p->channels[c];
  const double *scale = s->scale[shooting_channel(s, p->experiment, c)] + part->first;
  int output = s->problem->channel_measured[p->experiment][c];
  for (int j = 0; j < s->width; j++) {
    int slot = j < s->nx ? s->parameter_count + j : s->slope_of[p->experiment][j - s->nx];
    bool none = slot < 0 || (j < s->nx && p->is_first);
    const double *slope = none ? NULL : slope_column(s, r, output, slot);
    for (int i = 0; i < part->count; i++) s->rows[j][i] = none ? 0 : slope[part->row[i]] * scale[i];
  }
  for (int i = 0; i < part->count; i++) {
    s->model[i] = r->column[output][part->row[i]];
    s->rows[s->width][i] = (s->model[i] - channel->y[part->first + i]) * scale[i];
  }
}

// Half the sum of squares; rows beyond the limit of the Huber loss count less.
static double sum_rows(Shooting *s, const ShootingPiece *p, int c) {
  int at = shooting_channel(s, p->experiment, c);
  const ShootingChannel *part = &p->channels[c];
  double sum = 0, *residual = s->rows[s->width];
  for (int i = 0; i < part->count; i++) {
    double size = fabs(residual[i]), limit = s->huber[at] * s->scale[at][part->first + i];
    if (!(size > limit)) {
      sum += size * size / 2;
      continue;
    }
    sum += limit * (size - limit / 2);
    double less = sqrt(limit / size);
    for (int j = 0; j <= s->width; j++) s->rows[j][i] *= less;
  }
  return sum;
}

// States of the piece that was just simulated, with their slopes by node states and unknowns.
static void take_states(const Shooting *s, const ShootingPiece *p, const ShootingModel *r, int row,
                        double *states, double *by_state, double *by_unknown) {
  for (int i = 0; i < s->nx; i++) {
    int output = s->problem->measured_count + i;
    states[i] = r->column[output][row];
    for (int j = 0; j < s->nx; j++)
      by_state[i * s->nx + j] =
          p->is_first ? 0 : slope_column(s, r, output, s->parameter_count + j)[row];
    for (int j = 0; j < s->n; j++) {
      int k = s->slope_of[p->experiment][j];
      by_unknown[i * s->n + j] = k < 0 ? 0 : slope_column(s, r, output, k)[row];
    }
  }
}

static bool all_finite(const double *v, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += v[i] * 0;
  return sum == 0;
}

static bool outcome_is_finite(const Shooting *s, const ShootingOutcome *o) {
  size_t side = (size_t)s->width + 1, nx = (size_t)s->nx;
  return all_finite(o->triangle, side * side) && all_finite(o->end, nx) &&
         all_finite(o->by_state, nx * nx) && all_finite(o->by_unknown, nx * (size_t)s->n) &&
         (!s->constrained || (all_finite(o->start_by_state, nx * nx) &&
                              all_finite(o->start_by_unknown, nx * (size_t)s->n)));
}

static bool eval_piece(Shooting *s, int k, ShootingPoint *at) {
  const ShootingPiece *p = &s->pieces[k];
  ShootingOutcome *o = &at->pieces[k];
  if (!shooting_simulate(s, k, at)) return false;
  qr_sum_clear(s->data_sum);
  for (int c = 0; c < s->problem->experiments[p->experiment].channel_count; c++) {
    shooting_fill_rows(s, k, c);
    at->data += sum_rows(s, p, c);
    qr_sum_add(s->data_sum, s->rows, p->channels[c].count);
  }
  memcpy(o->triangle, s->data_sum->R,
         (size_t)(s->width + 1) * (size_t)(s->width + 1) * sizeof(double));
  const ShootingModel *r = model_of(s, p);
  if (!p->is_last) take_states(s, p, r, p->rows - 1, o->end, o->by_state, o->by_unknown);
  if (!p->is_first && s->constrained)
    take_states(s, p, r, 0, at->states + (size_t)k * (size_t)s->nx, o->start_by_state,
                o->start_by_unknown);
  return outcome_is_finite(s, o);
}

static void measure_gaps(const Shooting *s, ShootingPoint *at) {
  at->gaps = at->gap = 0;
  for (int k = 0; k < s->piece_count; k++)
    for (int i = 0; i < s->nx && !s->pieces[k].is_last; i++) {
      double gap = shooting_gap(s, at, k, i), scaled = gap * s->gap_scale[i];
      at->gaps += scaled * scaled / 2;
      at->gap = fmax(at->gap, fabs(gap) / s->range[i]);
    }
}

double shooting_priors(const Shooting *s, const double *x) {
  double sum = 0;
  for (int i = 0; i < s->n; i++) {
    const Unknown *f = &s->problem->unknowns[i];
    double r = f->has_prior ? (x[i] - f->prior_mean) / f->prior_sd : 0;
    sum += r * r / 2;
  }
  return sum;
}

bool shooting_eval(Shooting *s, ShootingPoint *at) {
  bool ok = true;
  at->data = shooting_priors(s, at->x);
  s->count->sensitivity_simulations++;
  for (int k = 0; ok && k < s->piece_count; k++) ok = eval_piece(s, k, at);
  if (ok) measure_gaps(s, at);
  if (ok && !s->step_limit) s->step_limit = STEPS_LEAST + STEPS_FACTOR * s->most_steps;
  return ok && isfinite(at->data) && isfinite(at->gaps);
}
