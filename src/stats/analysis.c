#include "stats/analysis.h"

#include <math.h>

#include "base/patience.h"
#include "stats/intervals.h"

double residual_accuracy(const Problem *p) {
  return fmax(p->model->nx ? 1e-9 : 0, 100 * problem_accuracy(p));
}

bool noise_is_real(const Analysis *an) {
  for (int at = 0; at < an->rows->channel_count; at++) {
    const SampleChannel *c = &an->rows->channels[at];
    double squares = sum_of_squares(an->rows->column[an->rows->n] + c->first, c->count);
    double noise = sigma_is_given(c->data) ? c->data->sigma
                   : an->fitted            ? sqrt(squares / fmax(c->count, 1))
                                           : c->noise;
    if (!(noise > residual_accuracy(an->p) * c->size)) return false;
  }
  return true;
}

static const double ROUNDING = 1e-12;

double unseen_part(const Analysis *an) {
  return noise_is_real(an) ? ROUNDING : fmax(1e-10, 10 * problem_accuracy(an->p));
}

double sum_of_squares(const double *r, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += r[i] * r[i];
  return sum;
}

// Root of the mean square of the scales of a channel.
static double typical_scale(const Analysis *an, int at) {
  const SampleChannel *c = &an->rows->channels[at];
  double squares = sum_of_squares(an->rows->scale + c->first, c->count);
  return squares > 0 ? sqrt(squares / c->count) : 1;
}

// The scales with the typical one of each channel. NULL: these are the same.
static double *even_scales(Analysis *an) {
  const Samples *rows = an->rows;
  double *even = ARENA_ARRAY(an->scratch, double, samples_rows(rows) + 1), sum = 0, squares = 0;
  bool differ = false;
  for (int i = rows->count; i < samples_rows(rows); i++) even[i] = rows->scale[i];
  for (int at = 0; at < rows->channel_count; at++) {
    const SampleChannel *c = &rows->channels[at];
    double typical = typical_scale(an, at);
    for (int i = c->first; i < c->first + c->count; i++) {
      double weight = pow(rows->scale[i] / typical, 2);
      even[i] = typical;
      differ |= fabs(weight - 1) > 1e-9;
      sum += weight, squares += weight * weight;
    }
  }
  an->weighty = differ ? sum / squares * sum : rows->count;
  return differ ? even : NULL;
}

// r - q q'r in units of the channels, cut where the Huber loss cuts.
static void set_left(Analysis *an, const double *scale) {
  const Samples *rows = an->rows;
  const Projection *p = an->even;
  double *product = ARENA_ARRAY(an->scratch, double, p->rank + 1);
  an->left = ARENA_ARRAY(an->scratch, double, samples_rows(rows) + 1);
  for (int i = 0; i < samples_rows(rows); i++)
    an->left[i] = fmax(-rows->huber[i], fmin(rows->huber[i], rows->column[rows->n][i]));
  for (int i = 0; i < p->count && patience_lasts(p->rank); i++)
    for (int k = 0; k < p->rank; k++)
      product[k] += p->q[(size_t)i * (size_t)p->rank + (size_t)k] * scale[i] * an->left[i];
  for (int i = 0; i < p->count && patience_lasts(p->rank); i++)
    for (int k = 0; k < p->rank && scale[i] > 0; k++)
      an->left[i] -= p->q[(size_t)i * (size_t)p->rank + (size_t)k] * product[k] / scale[i];
}

void find_projections(Analysis *an) {
  double *scale = even_scales(an);
  an->projection = an->even = project_rows(an, NULL, NULL);
  if (!scale) return;
  an->even = project_rows(an, NULL, scale);
  set_left(an, scale);
}

const double *noise_residuals(const Analysis *an, int at) {
  return (an->left ? an->left : an->rows->column[an->rows->n]) + an->rows->channels[at].first;
}

double residual_freedom(const Analysis *an, int at) {
  const SampleChannel *c = &an->rows->channels[at];
  double freedom = c->count;
  for (int i = 0; i < c->count; i++) freedom -= an->even->leverage[c->first + i];
  return freedom;
}

double residual_deviation(const Analysis *an, int at) {
  const SampleChannel *c = &an->rows->channels[at];
  double freedom = residual_freedom(an, at);
  double squares = sum_of_squares(noise_residuals(an, at), c->count);
  return freedom > 0.5 ? sqrt(squares / freedom) : nan("");
}
