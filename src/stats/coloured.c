// The estimate stays that of least squares; its covariance is G (q'S q) G' (covariance.c) with S the covariance of the rows:
// within a channel v rho_|i-j|, an ARMA(1,1) found by restricted likelihood from the residuals, which is that of what the
// slopes cannot explain (num/arma.c); between channels none. v = RSS/(N - tr(q'R q)), because a fit takes more of slow
// noise than of white noise. Where sigma is given, v is its square.
//
// Channels of one name in several experiments with the same sampling interval come from one instrument: they share the
// correlation and have variances of their own. Gaps restart the filter of the likelihood; in the sum over pairs correlation
// fades across them. Samples without a common interval count as neighbours, whatever their distance; rows without times are
// independent.
//
// With the Huber loss, residuals are cut as the loss cuts them. With priors, gaps between pieces and constraints the rows of
// these stay independent of all others, as their meaning is.
#include "stats/coloured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/patience.h"

// ---------------------------------------------------------------- sampling

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double usual_step(Arena *scratch, const double *t, int count) {
  if (count < 2) return 0;
  double *step = ARENA_ARRAY(scratch, double, count - 1);
  for (int i = 0; i + 1 < count; i++) step[i] = t[i + 1] - t[i];
  qsort(step, (size_t)count - 1, sizeof *step, compare_numbers);
  return step[(count - 1) / 2];
}

// A step within JITTER of a multiple of the usual one is so many of them; more than UNEVEN of others: there is no interval.
static const double JITTER = 0.1, UNEVEN = 0.1;
static const double STEPS_MOST = 1e6; // beyond, nothing is left of a correlation

static void find_steps(const Analysis *an, int at, Colour *out) {
  const Channel *c = an->rows->channels[at].data;
  int others = 0;
  out->step = ARENA_ARRAY(an->scratch, int, c->count + 1);
  out->interval = usual_step(an->scratch, c->t, c->count);
  for (int i = 1; i < c->count; i++) {
    double steps = (c->t[i] - c->t[i - 1]) / out->interval;
    double whole = fmin(fmax(1, floor(steps + 0.5)), STEPS_MOST);
    others += fabs(steps - whole) > JITTER && steps < STEPS_MOST;
    out->step[i] = (int)whole;
  }
  out->uneven = others > UNEVEN * (c->count - 1);
  for (int i = 1; out->uneven && i < c->count; i++) out->step[i] = 1;
}

// ---------------------------------------------------------------- series

// Directions of which a channel shows less than this part are known from others: their fit takes nothing from it.
static const double OWN_PART = 0.1;

// Numbers of the columns of q that span what the channel shows, by a Cholesky factor with pivots.
static int own_directions(const Analysis *an, const Projection *p, const SampleChannel *c,
                          int *own) {
  int m = p->rank, count = 0;
  double *A = ARENA_ARRAY(an->scratch, double, (size_t)m *(size_t)m + 1);
  for (int i = c->first; i < c->first + c->count && patience_lasts((long)m * m); i++) {
    const double *q = p->q + (size_t)i * (size_t)m;
    for (int k = 0; k < m; k++)
      for (int r = 0; r < m; r++) A[k * m + r] += q[k] * q[r];
  }
  for (;;) {
    int best = -1;
    for (int k = 0; k < m; k++)
      if (A[k * m + k] > OWN_PART && (best < 0 || A[k * m + k] > A[best * m + best])) best = k;
    if (best < 0 || !patience_lasts((long)m * m)) return count;
    own[count++] = best;
    for (int k = 0; k < m; k++)
      for (int r = 0; r < m && k != best; r++)
        if (r != best) A[k * m + r] -= A[k * m + best] * A[best * m + r] / A[best * m + best];
    for (int k = 0; k < m; k++) A[k * m + best] = A[best * m + k] = 0;
  }
}

static double clipped_residual(const Samples *rows, int i) {
  return fmax(-rows->huber[i], fmin(rows->huber[i], rows->column[rows->n][i]));
}

// slopes: whether the likelihood allows for what the fit took.
static ArmaSeries series_of(const Analysis *an, int at, bool slopes) {
  const SampleChannel *c = &an->rows->channels[at];
  const Projection *p = an->projection;
  int *own = ARENA_ARRAY(an->scratch, int, p->rank + 1);
  int width = slopes ? own_directions(an, p, c, own) : 0;
  double **column = ARENA_ARRAY(an->scratch, double *, width + 1);
  for (int k = 0; k <= width; k++) column[k] = ARENA_ARRAY(an->scratch, double, c->count + 1);
  for (int i = 0; i < c->count; i++) {
    const double *q = p->q + (size_t)(c->first + i) * (size_t)p->rank;
    double scale = an->rows->scale[c->first + i];
    for (int k = 0; k < width && scale > 0; k++) column[k][i] = q[own[k]] / scale;
    column[width][i] = clipped_residual(an->rows, c->first + i);
  }
  return (ArmaSeries){c->count, width, column, an->colour[at].step};
}

// ---------------------------------------------------------------- correlations

// Residuals that must be left beside what a fit takes: fewer show no correlation.
enum { LEFT_LEAST = 10 };
// Multiplications for all likelihoods: a fraction of a second. Beyond, what the fit took is not allowed for, which matters little
// where samples are many.
static const double WORK_MOST = 5e8, LIKELIHOODS = 260;

static bool is_alike(const Analysis *an, int a, int b) {
  const Colour *x = &an->colour[a], *y = &an->colour[b];
  return strcmp(an->rows->channels[a].data->name, an->rows->channels[b].data->name) == 0 &&
         x->uneven == y->uneven && fabs(x->interval - y->interval) <= JITTER * x->interval;
}

static bool can_be_coloured(const Analysis *an, int at) {
  if (an->p->experiments[an->rows->channels[at].experiment].without_times) return false;
  return !an->s->channels[at].exact && an->rows->channels[at].count > 1 && !an->colour[at].done;
}

// The channel and all later ones that are alike.
static void find_shared(Analysis *an, int first, bool slopes) {
  ArmaSeries *series = ARENA_ARRAY(an->scratch, ArmaSeries, an->s->channel_count + 1);
  int *member = ARENA_ARRAY(an->scratch, int, an->s->channel_count + 1), count = 0, left = 0;
  for (int at = first; at < an->s->channel_count && patience_lasts(1); at++) {
    if (!can_be_coloured(an, at) || !is_alike(an, first, at)) continue;
    ArmaSeries s = series_of(an, at, slopes);
    an->colour[at].done = true;
    if (s.count <= s.width) continue;
    left += s.count - s.width;
    member[count] = at;
    series[count++] = s;
  }
  Arma arma = left >= LEFT_LEAST ? arma_fit(series, count) : (Arma){0, 0};
  for (int i = 0; i < count; i++) {
    Colour *c = &an->colour[member[i]];
    c->arma = arma;
    c->known = arma.phi != 0 || arma.theta != 0;
    c->time = arma_time(arma, an->rows->channels[member[i]].count);
  }
}

void find_colour(Analysis *an) {
  int channels = an->s->channel_count;
  double rank = an->projection->rank, work = LIKELIHOODS * an->rows->count * rank * rank;
  bool off = an->p->options.residual_correlation == RESIDUAL_CORRELATION_OFF;
  if (off || !an->fitted || !an->projection->count) return;
  an->colour = ARENA_ARRAY(an->scratch, Colour, channels + 1);
  for (int at = 0; at < channels; at++) {
    an->colour[at].time = 1;
    find_steps(an, at, &an->colour[at]);
  }
  for (int at = 0; at < channels && patience_asks(); at++)
    if (can_be_coloured(an, at)) find_shared(an, at, work < WORK_MOST);
}

bool has_colour(const Analysis *an) {
  for (int at = 0; an->colour && at < an->s->channel_count; at++)
    if (an->colour[at].known) return true;
  return false;
}

double effective_samples(const Analysis *an) {
  double sum = 0;
  for (int at = 0; at < an->s->channel_count; at++)
    sum += an->rows->channels[at].count / (an->colour ? an->colour[at].time : 1);
  return sum;
}

// ---------------------------------------------------------------- covariance

static double mean_scale(const Analysis *an, const SampleChannel *c) {
  double sum = 0;
  for (int i = 0; i < c->count; i++) sum += an->rows->scale[c->first + i] / c->count;
  return sum;
}

// Variance of the residuals of a channel in its unit. taken: tr(q'R q) with the q of an->even, by which they were left.
static double channel_variance(const Analysis *an, int at, double taken) {
  const SampleChannel *c = &an->rows->channels[at];
  if (sigma_is_given(c->data) && an->p->options.loss != LOSS_HUBER)
    return an->noise[at] * an->noise[at];
  double sum = 0, least = 10 * problem_accuracy(an->p) * c->size; // as raise_to_accuracy
  for (int i = c->first; i < c->first + c->count; i++)
    sum += an->left ? an->left[i] * an->left[i] : pow(clipped_residual(an->rows, i), 2);
  return fmax(sum / fmax(c->count - taken, 0.5), least * least);
}

// tr(q'R q) of what shows the noise.
static double taken_by_even(const Analysis *an, int at) {
  const SampleChannel *c = &an->rows->channels[at];
  int m = an->even->rank;
  Arena *scratch = arena_new();
  double *sum = ARENA_ARRAY(scratch, double, (size_t)m *(size_t)m + 1), taken = 0;
  arma_sum(an->colour[at].arma, c->count, m, an->even->q + (size_t)c->first * (size_t)m,
           an->colour[at].step, sum);
  for (int k = 0; k < m; k++) taken += sum[k * m + k];
  arena_free(scratch);
  return taken;
}

// Adds q'S q of a channel to middle.
static void add_channel(const Analysis *an, const Projection *p, int at, double *middle) {
  const SampleChannel *c = &an->rows->channels[at];
  int m = p->rank;
  double scale = mean_scale(an, c), taken = 0;
  Arena *scratch = arena_new();
  double *row = ARENA_ARRAY(scratch, double, (size_t)c->count *(size_t)m + 1);
  double *sum = ARENA_ARRAY(scratch, double, (size_t)m *(size_t)m + 1);
  for (int i = 0; i < c->count && scale > 0; i++)
    for (int k = 0; k < m; k++)
      row[(size_t)i * m + k] =
          p->q[(size_t)(c->first + i) * m + k] * an->rows->scale[c->first + i] / scale;
  arma_sum(an->colour[at].arma, c->count, m, row, an->colour[at].step, sum);
  for (int k = 0; k < m; k++) taken += sum[k * m + k];
  if (an->left) taken = taken_by_even(an, at);
  double variance = scale * scale * channel_variance(an, at, taken);
  for (int k = 0; k < m * m; k++) middle[k] += variance * sum[k];
  arena_free(scratch);
}

static double trace(const double *A, int m) {
  double sum = 0;
  for (int k = 0; k < m; k++) sum += A[k * m + k];
  return sum;
}

void coloured_covariance(const Analysis *an, const Projection *p, const double *variance,
                         double *covariance, double *excess) {
  Arena *scratch = arena_new();
  int m = p->rank;
  double *middle = ARENA_ARRAY(scratch, double, (size_t)m *(size_t)m + 1);
  double *white = ARENA_ARRAY(scratch, double, p->count + 1);
  *excess = 1;
  if (p->count) memcpy(white, variance, (size_t)p->count * sizeof *white);
  for (int at = 0; at < an->s->channel_count && p->count; at++) {
    const SampleChannel *c = &an->rows->channels[at];
    if (!an->colour[at].known) continue;
    add_channel(an, p, at, middle);
    memset(white + c->first, 0, (size_t)c->count * sizeof *white);
  }
  projection_add_middle(p, white, middle);
  double before = 0;
  for (int i = 0; i < p->count; i++) before += variance[i] * p->leverage[i];
  if (before > 0) *excess = fmax(1, trace(middle, m) / before);
  projection_spread(p, middle, covariance);
  arena_free(scratch);
}
