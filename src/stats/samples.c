#include "stats/samples.h"

#include <math.h>

static double root_mean_square(const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += y[i] * y[i];
  return sum > 0 ? sqrt(sum / n) : 1;
}

static int list_channels(Arena *a, const Problem *p, const Objective *o, Samples *s) {
  int rows = 0, at = 0;
  s->channel_count = objective_channel_count(o);
  s->channels = ARENA_ARRAY(a, SampleChannel, s->channel_count + 1);
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++) {
      const Channel *data = &p->experiments[e].channels[c];
      s->channels[at++] = (SampleChannel){e,
                                          c,
                                          rows,
                                          data->count,
                                          data,
                                          root_mean_square(data->y, data->count),
                                          objective_noise(o, e, c)};
      rows += data->count;
    }
  return rows;
}

typedef struct Taking {
  Samples *s;
  const Objective *o;
} Taking;

// Gaps come in the order of time.
static int first_row(const Taking *t, const ResidualBlock *b) {
  Samples *s = t->s;
  if (b->channel >= 0)
    return s->channels[objective_channel(t->o, b->experiment, b->channel)].first + b->first;
  s->gap_count += b->rows;
  return samples_rows(s) - b->rows;
}

static void take_block(void *data, const ResidualBlock *b) {
  const Taking *t = data;
  Samples *s = t->s;
  int first = first_row(t, b);
  for (int i = 0; i < b->rows; i++) s->scale[first + i] = b->scale[i];
  for (int k = 0; k <= s->n; k++)
    for (int i = 0; i < b->rows; i++)
      s->column[k][first + i] = b->scale[i] > 0 ? b->column[k][i] / b->scale[i] : 0;
}

// Before the gaps, which are counted as they come.
static int count_priors(const Problem *p) {
  int count = 0;
  for (int k = 0; k < p->free_count; k++) count += p->free[k].has_prior;
  return count;
}

static void add_priors(Samples *s, const Problem *p, const double *x) {
  for (int k = 0, row = s->count; k < s->n; k++) {
    if (!p->free[k].has_prior) continue;
    s->scale[row] = 1 / p->free[k].prior_sd;
    s->column[k][row] = 1;
    s->column[s->n][row] = x[k] - p->free[k].prior_mean;
    row++;
  }
}

static int most_gaps(const Problem *p, const FitPieces *pieces) {
  int count = 0;
  for (int e = 0; pieces && e < p->experiment_count; e++)
    count += (pieces->count[e] - 1) * p->model->nx;
  return count;
}

static double weighted_rms(const Samples *s) {
  double sum = 0;
  for (int i = 0; i < s->count; i++) sum += pow(s->scale[i] * s->column[s->n][i], 2);
  return s->count ? sqrt(sum / s->count) : 0;
}

static void set_huber_limits(Samples *s, const Problem *p, const Objective *o) {
  for (int i = s->count; i < samples_rows(s); i++) s->huber[i] = HUGE_VAL;
  for (int c = 0; c < s->channel_count; c++) {
    const SampleChannel *ch = &s->channels[c];
    bool known = ch->data->sigma_kind != SIGMA_UNKNOWN;
    double deviation = known ? objective_sigma(o)[c] : ch->noise;
    bool robust = p->options.loss == LOSS_HUBER && deviation > 0;
    for (int i = 0; i < ch->count; i++)
      s->huber[ch->first + i] = robust ? p->options.huber_limit * deviation : HUGE_VAL;
  }
}

Samples *samples_new(Arena *a, const Problem *p, Objective *o, const FitPieces *pieces,
                     const double *x, char why[700]) {
  Samples *s = ARENA_NEW(a, Samples);
  s->n = p->free_count;
  s->count = list_channels(a, p, o, s);
  s->prior_count = count_priors(p);
  int rows = s->count + s->prior_count + most_gaps(p, pieces);
  s->column = ARENA_ARRAY(a, double *, s->n + 1);
  for (int k = 0; k <= s->n; k++) s->column[k] = ARENA_ARRAY(a, double, rows + 1);
  s->scale = ARENA_ARRAY(a, double, rows + 1);
  s->huber = ARENA_ARRAY(a, double, rows + 1);
  if (!result_rows(p, o, pieces, x, take_block, &(Taking){s, o}, why)) return NULL;
  s->gap_unit = weighted_rms(s);
  set_huber_limits(s, p, o);
  add_priors(s, p, x);
  return s;
}

// A tenth of the smaller bound that is a number.
static double size_of_bounds(const Free *f) {
  double least = fmin(isfinite(f->min) && f->min != 0 ? fabs(f->min) : HUGE_VAL,
                      isfinite(f->max) && f->max != 0 ? fabs(f->max) : HUGE_VAL);
  return isfinite(least) ? least / 10 : 0;
}

double typical_size(const Free *f, double x) {
  double size = fabs(x);
  bool has_sign = f->min >= 0 || f->max <= 0;
  if (has_sign && size > 0) return size;
  size = fmax(size, fmax(fabs(f->start), size_of_bounds(f)));
  return size > 0 ? size : 1;
}
