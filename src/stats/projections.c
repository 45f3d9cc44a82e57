// The least-squares fit of a result as a map of its rows: as the objective weighs them, and where weights of samples differ
// within a channel also with the typical scale of each channel.
#include "stats/projections.h"

#include <math.h>

#include "base/patience.h"

RowSet analysis_rows(const Analysis *an, const bool *held) {
  const Samples *rows = an->rows;
  int count = samples_rows(rows);
  bool *ignored = ARENA_ARRAY(an->scratch, bool, count + 1);
  for (int i = 0; i < count; i++) ignored[i] = fabs(rows->column[rows->n][i]) > rows->huber[i];
  return (RowSet){rows->n, count, rows->column, rows->scale, ignored, held};
}

Projection *project_rows(const Analysis *an, const bool *held, const double *scale) {
  RowSet set = analysis_rows(an, held);
  if (scale) set.factor = scale;
  return projection_new(an->scratch, &set, unseen_part(an));
}

// Root of the mean square of the scales of a channel.
static double typical_scale(const Analysis *an, int at) {
  const SampleChannel *c = &an->rows->channels[at];
  double squares = sum_of_squares(an->rows->scale + c->first, c->count);
  return squares > 0 ? sqrt(squares / c->count) : 1;
}

// Where weights leave the worth of at least this part of the samples, both fits are nearly the same: the ends of a trapezoidal
// rule count half.
static const double EVEN_ENOUGH = 0.9;

// The scales with the typical one of each channel. NULL: these are nearly the same.
static double *even_scales(Analysis *an) {
  const Samples *rows = an->rows;
  double *even = ARENA_ARRAY(an->scratch, double, samples_rows(rows) + 1), sum = 0, squares = 0;
  for (int i = rows->count; i < samples_rows(rows); i++) even[i] = rows->scale[i];
  for (int at = 0; at < rows->channel_count; at++) {
    const SampleChannel *c = &rows->channels[at];
    double typical = typical_scale(an, at);
    for (int i = c->first; i < c->first + c->count; i++) {
      double weight = pow(rows->scale[i] / typical, 2);
      even[i] = typical;
      sum += weight, squares += weight * weight;
    }
  }
  an->weighty = squares > 0 ? sum / squares * sum : rows->count;
  if (an->weighty < EVEN_ENOUGH * rows->count) return even;
  an->weighty = rows->count;
  return NULL;
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
