#include "stats/analysis.h"

#include <math.h>

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

int *unknown_ranks(const Analysis *an) {
  int n = an->s->n, *rank = ARENA_ARRAY(an->scratch, int, n + 1);
  const Unknown *f = an->p->unknowns;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      rank[i] += f[k].parameter < f[i].parameter || (f[k].parameter == f[i].parameter && k < i);
  return rank;
}
