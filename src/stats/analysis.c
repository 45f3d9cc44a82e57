#include "stats/analysis.h"

#include <math.h>

double residual_accuracy(const Problem *p) {
  return fmax(p->model->nx ? 1e-9 : 0, 100 * problem_accuracy(p));
}

double sum_of_squares(const double *r, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += r[i] * r[i];
  return sum;
}

double residual_freedom(const Analysis *an, int at) {
  const SampleChannel *c = &an->rows->channels[at];
  double freedom = c->count;
  for (int i = 0; i < c->count; i++) freedom -= an->projection->leverage[c->first + i];
  return freedom;
}

double residual_deviation(const Analysis *an, int at) {
  const SampleChannel *c = &an->rows->channels[at];
  double freedom = residual_freedom(an, at);
  double squares = sum_of_squares(an->rows->column[an->rows->n] + c->first, c->count);
  return freedom > 0.5 ? sqrt(squares / freedom) : nan("");
}
