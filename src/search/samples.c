// Rows of samples, priors, gaps between pieces and active constraints with their slopes, in natural units, and the
// weights that the objective gives them.
#include "search/samples.h"

#include <math.h>
#include <string.h>

#include "base/patience.h"
#include "num/lsi.h"

static double root_mean_square(const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += y[i] * y[i];
  return sum > 0 ? sqrt(sum / n) : 1;
}

// The channel without the samples that do not count.
static const Channel *counted_samples(Arena *a, const Channel *c, int counted, const int **place) {
  *place = NULL;
  if (counted == c->count) return c;
  Channel *out = ARENA_NEW(a, Channel);
  double *t = ARENA_ARRAY(a, double, counted + 1), *y = ARENA_ARRAY(a, double, counted + 1),
         *weight = ARENA_ARRAY(a, double, counted + 1);
  int *at = ARENA_ARRAY(a, int, c->count + 1);
  *out = *c;
  out->count = 0;
  for (int i = 0; i < c->count; i++) {
    at[i] = sample_counts(c, i) ? out->count++ : -1;
    if (at[i] >= 0) t[at[i]] = c->t[i], y[at[i]] = c->y[i], weight[at[i]] = c->sample_weight[i];
  }
  out->t = t, out->y = y, out->sample_weight = weight;
  *place = at;
  return out;
}

static int list_channels(Arena *a, const MeasuredData *d, Samples *s) {
  const Problem *p = d->problem;
  int rows = 0, at = 0;
  s->channel_count = d->channel_count;
  s->channels = ARENA_ARRAY(a, SampleChannel, s->channel_count + 1);
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++) {
      const ChannelFacts *f = channel_facts(d, e, c);
      const int *place;
      const Channel *data = counted_samples(a, &p->experiments[e].channels[c], f->counted, &place);
      double rms = root_mean_square(data->y, data->count);
      s->channels[at++] = (SampleChannel){.experiment = e,
                                          .channel = c,
                                          .first = rows,
                                          .count = f->counted,
                                          .data = data,
                                          .place = place,
                                          .rms = rms,
                                          .size = f->variance > 0 ? sqrt(f->variance) : rms,
                                          .noise = f->noise};
      rows += data->count;
    }
  return rows;
}

typedef struct SampleTaking {
  Samples *s;
  const MeasuredData *data;
} SampleTaking;

static void take_rows(Samples *s, const ResidualBlock *b, const SampleChannel *c) {
  for (int k = -1; k <= s->n; k++)
    for (int i = 0; i < b->rows; i++) {
      int row = samples_row(c, b->first + i);
      if (row < 0) continue;
      if (k < 0)
        s->scale[row] = b->scale[i];
      else
        s->column[k][row] = b->scale[i] > 0 ? b->column[k][i] / b->scale[i] : 0;
    }
}

// Gaps come in the order of time.
static void take_block(void *data, const ResidualBlock *b) {
  const SampleTaking *t = data;
  Samples *s = t->s;
  if (b->channel >= 0) {
    take_rows(s, b, &s->channels[channel_number(t->data, b->experiment, b->channel)]);
    return;
  }
  SampleChannel gaps = {.first = samples_rows(s) - b->first};
  take_rows(s, b, &gaps);
  s->gap_count += b->rows;
}

// Before the gaps, which are counted as they come.
static int count_priors(const Problem *p) {
  int count = 0;
  for (int k = 0; k < p->unknown_count; k++) count += p->unknowns[k].has_prior;
  return count;
}

static void add_priors(Samples *s, const Problem *p, const double *x) {
  for (int k = 0, row = s->count; k < s->n; k++) {
    if (!p->unknowns[k].has_prior) continue;
    s->scale[row] = 1 / p->unknowns[k].prior_sd;
    s->column[k][row] = 1;
    s->column[s->n][row] = x[k] - p->unknowns[k].prior_mean;
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

static void set_huber_limits(Samples *s, const Problem *p, const Weighting *w) {
  for (int i = s->count; i < samples_rows(s); i++) s->huber[i] = HUGE_VAL;
  for (int c = 0; c < s->channel_count; c++) {
    const SampleChannel *ch = &s->channels[c];
    bool known = ch->data->sigma_kind != SIGMA_UNKNOWN;
    double deviation = known ? w->sigma[c] : w->data->channels[c].bulk;
    bool robust = p->options.loss == LOSS_HUBER && deviation > 0;
    for (int i = 0; i < ch->count; i++)
      s->huber[ch->first + i] = robust ? p->options.huber_limit * deviation : HUGE_VAL;
  }
}

// A thousand: with more, unknowns that a constraint connects could no longer be told apart by their samples.
static const double CONSTRAINT_WEIGHT = 1e3;

void samples_weigh_constraints(const Samples *s, double *factor) {
  int others = samples_rows(s) - s->constraint_count;
  for (int row = others; row < samples_rows(s); row++) {
    double square = 0; // of its length in units in which columns have length 1
    for (int k = 0; k < s->n; k++) {
      double seen = 0;
      for (int i = 0; i < others && s->column[k][row] != 0; i++)
        seen += factor[i] * s->column[k][i] * factor[i] * s->column[k][i];
      if (seen > 0) square += s->column[k][row] * s->column[k][row] / seen;
    }
    factor[row] = square > 0 ? CONSTRAINT_WEIGHT / sqrt(square) : 1;
  }
}

// Slopes of constraints that say the same differ by less, relative to their length: what searches leave open.
static const double DEPENDENT = 1e-7;

// An unknown is fixed when a change of it alone is a combination of the constraints.
static void find_fixed(Samples *s, Arena *a, const Problem *p, const double *x, const double *C) {
  int n = s->n, m = s->constraint_count;
  double *M = ARENA_ARRAY(a, double, (size_t)n *(size_t)m + 1), *z = ARENA_ARRAY(a, double, n + 1);
  double *bounds = ARENA_ARRAY(a, double, 2 * m + 1), *part = ARENA_ARRAY(a, double, m + 1);
  for (int i = 0; i < m; i++) {
    double length = 0;
    bounds[i] = -HUGE_VAL, bounds[m + i] = HUGE_VAL;
    for (int k = 0; k < n; k++) {
      M[k * m + i] = C[i * n + k] * typical_size(&p->unknowns[k], x[k]);
      length = hypot(length, M[k * m + i]);
    }
    for (int k = 0; k < n && length > 0; k++) M[k * m + i] /= length;
  }
  Lsi *work = lsi_new(a, m, n, 0);
  LsiProblem q = {.n = m, .rows = n, .M = M, .z = z, .low = bounds, .high = bounds + m};
  for (int k = 0; k < n; k++) {
    double left = 0;
    for (int j = 0; j < n; j++) z[j] = j == k ? -1 : 0;
    for (int i = 0; i < m; i++) part[i] = 0;
    lsi_solve(work, &q, part, NULL);
    for (int j = 0; j < n; j++) {
      double rest = z[j];
      for (int i = 0; i < m; i++) rest += M[j * m + i] * part[i];
      left = hypot(left, rest);
    }
    s->fixed[k] = left < 1e-9;
  }
}

// Leaves the rows that are no combination of those before them: only these take a degree of freedom. Returns their number.
static int keep_independent(Arena *a, const Problem *p, const double *x, double *C, int count) {
  int n = p->unknown_count, kept = 0;
  double *basis = ARENA_ARRAY(a, double, (size_t)count *(size_t)n + 1);
  for (int i = 0; i < count; i++) {
    double *b = basis + (size_t)kept * (size_t)n, whole = 0, rest = 0;
    for (int k = 0; k < n; k++) b[k] = C[(size_t)i * n + k] * typical_size(&p->unknowns[k], x[k]);
    for (int k = 0; k < n; k++) whole = hypot(whole, b[k]);
    for (int m = 0; m < 2 * kept; m++) { // twice, for accuracy
      const double *other = basis + (size_t)(m % kept) * (size_t)n;
      double part = 0;
      for (int k = 0; k < n; k++) part += other[k] * b[k];
      for (int k = 0; k < n; k++) b[k] -= part * other[k];
    }
    for (int k = 0; k < n; k++) rest = hypot(rest, b[k]);
    if (!(rest > DEPENDENT * whole)) continue;
    for (int k = 0; k < n; k++) b[k] /= rest;
    memmove(C + (size_t)kept * n, C + (size_t)i * n, (size_t)n * sizeof *C);
    kept++;
  }
  return kept;
}

static void add_constraints(Samples *s, Arena *a, const Problem *p, const double *x) {
  int first = samples_rows(s), most = p->constraints.equalities + p->constraints.inequalities;
  double *C = ARENA_ARRAY(a, double, (size_t)most *(size_t)s->n + 1);
  s->constraint_count = keep_independent(a, p, x, C, problem_active_constraints(p, x, C));
  for (int i = 0; i < s->constraint_count; i++) {
    s->huber[first + i] = HUGE_VAL;
    for (int k = 0; k < s->n; k++) s->column[k][first + i] = C[(size_t)i * s->n + k];
  }
  samples_weigh_constraints(s, s->scale);
  if (s->constraint_count) find_fixed(s, a, p, x, C);
}

Samples *samples_new(Arena *a, EvalWork *w, const Weighting *weighting, const FitPieces *pieces,
                     const double *x) {
  const MeasuredData *data = weighting->data;
  const Problem *p = data->problem;
  Samples *s = ARENA_NEW(a, Samples);
  s->n = p->unknown_count;
  s->count = list_channels(a, data, s);
  s->prior_count = count_priors(p);
  int rows = s->count + s->prior_count + most_gaps(p, pieces) + p->constraints.equalities +
             p->constraints.inequalities;
  s->column = ARENA_ARRAY(a, double *, s->n + 1);
  for (int k = 0; k <= s->n && patience_lasts(rows); k++)
    s->column[k] = ARENA_ARRAY(a, double, rows + 1);
  if (!patience_asks()) return NULL; // much memory takes long
  s->scale = ARENA_ARRAY(a, double, rows + 1);
  s->huber = ARENA_ARRAY(a, double, rows + 1);
  s->fixed = ARENA_ARRAY(a, bool, s->n + 1);
  EvalSpec spec = eval_spec(eval_fitting(w), NULL);
  spec.weighting = weighting;
  spec.slopes = true;
  if (!result_rows(w, &spec, pieces, x, take_block, &(SampleTaking){s, data})) return NULL;
  s->gap_unit = weighted_rms(s);
  set_huber_limits(s, p, weighting);
  add_priors(s, p, x);
  if (p->constraints.count) add_constraints(s, a, p, x);
  return s;
}

// A tenth of the smaller finite bound.
static double size_of_bounds(const Unknown *f) {
  double least = fmin(isfinite(f->min) && f->min != 0 ? fabs(f->min) : HUGE_VAL,
                      isfinite(f->max) && f->max != 0 ? fabs(f->max) : HUGE_VAL);
  return isfinite(least) ? least / 10 : 0;
}

// Bounds that leave it only a small part of itself, as those of a time since 1970: that part is what it can change by.
static const double NARROW = 0.01;

double typical_size(const Unknown *f, double x) {
  double size = fabs(x), width = f->max - f->min;
  bool has_sign = f->min >= 0 || f->max <= 0;
  if (width > 0 && width < NARROW * size) return width;
  if (has_sign && size > 0) return size;
  size = fmax(size, fmax(fabs(f->start), size_of_bounds(f)));
  return size > 0 ? size : 1;
}
