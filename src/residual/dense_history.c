// Each step is kept as the polynomial of degree 7 through the dense output at 8 Chebyshev points, and read by the barycentric
// formula (Berrut and Trefethen, SIAM Review 46 (2004) 501).
#include "residual/dense_history.h"

#include <string.h>

// Extrema of the Chebyshev polynomial of degree 7 on [0, 1]: (1 - cos(pi j/7))/2.
static const double NODE[HISTORY_NODES] = {
    0,
    0.049515566048790436882,
    0.18825509907063323474,
    0.38873953302184279786,
    0.61126046697815720214,
    0.81174490092936676526,
    0.95048443395120956312,
    1,
};

DenseHistory *history_new(const System *s) {
  Arena *a = arena_new();
  DenseHistory *t = ARENA_NEW(a, DenseHistory);
  *t = (DenseHistory){.arena = a, .store = arena_new(), .states = s->nx, .columns = s->ns};
  t->stride = s->stride;
  t->width = s->nx * (1 + s->ns);
  t->y = ARENA_ARRAY(a, double, s->nx *(1 + s->stride) + 16);
  return t;
}

void history_free(DenseHistory *t) {
  if (!t) return;
  arena_free(t->store);
  arena_free(t->arena);
}

void history_clear(DenseHistory *t) {
  arena_reset(t->store);
  memset(&t->steps, 0, sizeof t->steps);
  t->at = 0;
}

static void pack(const DenseHistory *t, double *to) {
  memcpy(to, t->y, (size_t)t->states * sizeof *to);
  for (int i = 0; i < t->states; i++)
    for (int k = 0; k < t->columns; k++)
      to[t->states + i * t->columns + k] = t->y[t->states + i * t->stride + k];
}

void history_record(void *history, Stepper *s) {
  DenseHistory *t = history;
  double *values = ARENA_RAW(t->store, double, (size_t)t->width *HISTORY_NODES + 1);
  HistoryStep step = {s->t_old, s->t, values};
  for (int j = 0; j < HISTORY_NODES; j++) {
    double time = j == HISTORY_NODES - 1 ? s->t : s->t_old + NODE[j] * (s->t - s->t_old);
    s->row->dense(s, time, true, t->y);
    pack(t, values + (size_t)j * (size_t)t->width);
  }
  array_push(t->store, &t->steps, step);
}

int history_find(DenseHistory *t, double time) {
  while (t->at > 0 && time <= t->steps.at[t->at].begin) t->at--;
  while (t->at < t->steps.count - 1 && time > t->steps.at[t->at].end) t->at++;
  return t->at;
}

// Barycentric weights of the nodes, up to a factor: Berrut and Trefethen (2004), SIAM Review 46:501-517.
static double barycentric(int j) {
  double weight = j == 0 || j == HISTORY_NODES - 1 ? 0.5 : 1;
  return j % 2 ? -weight : weight;
}

// What the values at the nodes are multiplied with.
static void value_factors(double z, double *factor) {
  double sum = 0;
  for (int j = 0; j < HISTORY_NODES; j++) {
    if (z == NODE[j]) {
      memset(factor, 0, HISTORY_NODES * sizeof *factor);
      factor[j] = 1;
      return;
    }
    factor[j] = barycentric(j) / (z - NODE[j]);
    sum += factor[j];
  }
  sum = 1 / sum;
  for (int j = 0; j < HISTORY_NODES; j++) factor[j] *= sum;
}

void history_read(DenseHistory *t, double time, int count, double *values) {
  double factor[HISTORY_NODES];
  if (t->steps.count == 0) return;
  const HistoryStep *s = &t->steps.at[history_find(t, time)];
  value_factors((time - s->begin) / (s->end - s->begin), factor);
  memset(values, 0, (size_t)count * sizeof *values);
  for (int j = 0; j < HISTORY_NODES; j++) {
    const double *from = s->values + (size_t)j * (size_t)t->width;
    for (int i = 0; i < count; i++) values[i] += factor[j] * from[i];
  }
}
