#include "stats/held_samples.h"

#include <math.h>

#include "stats/say.h"

enum { NAMED_MOST = 3 };
// Held samples matter if their error by holding is together more than so many deviations of the noise, and the data go the way of
// the model: a motion at rest has a share of 0 (by chance 0.1), one that was going on of 1.
static const double MATTERS = 10, SHARE = 0.5;
static const double ROUNDING = 1e-9; // of the delay
static const double NO_NOISE = 1e-3; // of the deviation of the data: less is never noise

// The motion of the model next to its start, per time; 0: unknown.
static double rate_at_start(const Experiment *x, const Channel *c, double delay,
                            const double *error, int held) {
  double step = c->count > 1 ? (c->t[c->count - 1] - c->t[0]) / (c->count - 1) : 0;
  for (int i = held; i < c->count; i++) {
    double since = c->t[i] - delay - x->start;
    if (since > 0.5 * step) return (c->y[i] + error[i] - c->y[0] - error[0]) / since;
  }
  return 0;
}

// The nearest half, quarter ... of the samples are looked at, too: a motion that turns is straight near the start only.
int held_samples(const Experiment *x, const Channel *c, double delay, const double *error,
                 double noise) {
  int held = 0;
  while (held < c->count && c->t[held] < x->start + (1 - ROUNDING) * delay) held++;
  if (!held || held == c->count) return 0;
  double rate = rate_at_start(x, c, delay, error, held);
  for (int near = held; near > 0; near /= 2) {
    double square = 0, product = 0;
    for (int i = held - near; i < held; i++) {
      double expected = rate * (c->t[i] - delay - x->start); // of the motion, less the start value
      square += expected * expected;
      product -= expected * error[i]; // data less the start value
    }
    if (sqrt(square) > MATTERS * noise && product > SHARE * square) return held;
  }
  return 0;
}

void find_held_samples(Analysis *an) {
  double *values = ARENA_ARRAY(an->scratch, double, an->p->model->np + 1);
  for (int at = 0; at < an->s->channel_count && problem_simulates(an->p); at++) {
    const SampleChannel *c = &an->rows->channels[at];
    if (c->data->delay < 0 || !c->count) continue;
    problem_parameters(an->p, c->experiment, an->x, values);
    double noise = sigma_is_given(c->data) ? c->data->sigma
                   : isfinite(c->noise)    ? c->noise
                                           : an->noise[at];
    an->s->channels[at].held =
        held_samples(&an->p->experiments[c->experiment], c->data, values[c->data->delay],
                     an->rows->column[an->rows->n] + c->first, fmax(noise, NO_NOISE * c->size));
    int held = an->s->channels[at].held;
    if (held) an->s->channels[at].held_until = c->data->t[held - 1];
  }
}

// The rows of the data up to this time, with those that are not compared anyway.
static int rows_to_leave_out(const Experiment *x, double until) {
  int rows = 0;
  while (rows < x->row_count && x->row_t[rows] <= until) rows++;
  return x->unscored + rows;
}

const char *held_remedy(Arena *a, const Problem *p, const StatChannel *s) {
  const Experiment *x = &p->experiments[s->experiment];
  return arena_print(a,
                     "leave them out (unscored: %d), or let the simulation begin earlier (start)",
                     rows_to_leave_out(x, s->held_until));
}

const char *held_remark(Arena *a, const Problem *p, const Statistics *s) {
  const char **name = ARENA_ARRAY(a, const char *, s->channel_count + 1);
  const StatChannel *most = NULL;
  int count = 0;
  for (int at = 0; at < s->channel_count; at++) {
    const StatChannel *c = &s->channels[at];
    if (!c->held) continue;
    const Experiment *x = &p->experiments[c->experiment];
    const char *channel = x->channels[c->channel].name;
    name[count++] =
        p->experiment_count == 1 ? channel : arena_print(a, "%s in %s", channel, x->name);
    if (!most || c->held > most->held) most = c;
  }
  if (!most) return NULL;
  Text list;
  text_init(&list);
  say_some(&list, name, count, NAMED_MOST);
  const char *remark = arena_print(
      a,
      "The model moves at its start, and has nothing before it: the first samples of %s (%s%d), "
      "which the delay of the sensor puts there, are compared with the start value. They bias the "
      "result: %s.",
      list.at, count > 1 ? "up to " : "", most->held, held_remedy(a, p, most));
  text_done(&list);
  return remark;
}
