// Parameters, weights dV/dy of the samples, and the sum over samples of weight times second derivative, which both ways fill.
#include "residual/second_order.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "residual/second_system.h"

static int position_of(const int *list, int count, int value) {
  for (int i = 0; i < count; i++)
    if (list[i] == value) return i;
  return -1;
}

static void map_unknowns(SecondOrder *s) {
  const Problem *p = s->problem;
  s->parameters = ARENA_ARRAY(s->arena, int, s->n + 1);
  s->count = problem_unknown_parameters(p, s->parameters);
  s->position = ARENA_ARRAY(s->arena, int *, p->experiment_count + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    s->position[e] = ARENA_ARRAY(s->arena, int, s->n + 1);
    for (int i = 0; i < s->n; i++) {
      bool here = p->unknowns[i].experiment < 0 || p->unknowns[i].experiment == e;
      s->position[e][i] =
          here ? position_of(s->parameters, s->count, p->unknowns[i].parameter) : -1;
    }
  }
}

static void make_room(SecondOrder *s) {
  const Problem *p = s->problem;
  Arena *a = s->arena;
  s->times = ARENA_ARRAY(a, SampleTimes *, p->experiment_count + 1);
  s->weight = ARENA_ARRAY(a, double **, p->experiment_count + 1);
  s->delayed = ARENA_ARRAY(a, bool, p->measured_count + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    const Experiment *x = &p->experiments[e];
    s->times[e] = sample_times_new(a, x);
    s->weight[e] = ARENA_ARRAY(a, double *, x->channel_count + 1);
    for (int c = 0; c < x->channel_count; c++) {
      s->weight[e][c] = ARENA_ARRAY(a, double, x->channels[c].count + 1);
      if (position_of(s->parameters, s->count, x->channels[c].delay) >= 0)
        s->delayed[p->channel_measured[e][c]] = true;
    }
  }
  s->p = ARENA_ARRAY(a, double, p->model->np + 1);
  s->sum = ARENA_ARRAY(a, double, (size_t)s->count *(size_t)s->count + 1);
}

SecondOrder *second_order_new(Arena *a, const Problem *p) {
  SecondOrder *s = ARENA_NEW(a, SecondOrder);
  s->arena = a;
  s->problem = p;
  s->n = p->unknown_count;
  map_unknowns(s);
  make_room(s);
  s->kinks = kinks_new(p->model, s->parameters, s->count, second_code(s));
  return s;
}

void second_order_done(SecondOrder *s) {
  kinks_free(s->kinks);
}

void second_set_parameters(SecondOrder *s, int e, const double *x) {
  const Problem *p = s->problem;
  const Experiment *experiment = &p->experiments[e];
  memcpy(s->p, experiment->p, (size_t)p->model->np * sizeof *s->p);
  for (int i = 0; i < s->n; i++)
    if (s->position[e][i] >= 0) s->p[p->unknowns[i].parameter] = x[i];
  if (s->times[e]->delayed) sample_times_update(s->times[e], experiment, s->p);
}

SimulateOptions second_options(const SecondOrder *s) {
  return second_simulate_options(&s->problem->simulate, s->stiff);
}

CodeChoice second_code(const SecondOrder *s) {
  char word[OPTION_WORD_SIZE];
  simulate_options_word(&s->problem->simulate, "jit", word);
  return strcmp(word, "off") == 0 ? CODE_INTERPRETER : CODE_AUTO;
}

bool second_holds(SecondOrder *s, const Trajectory *t) {
  s->ended_early = t->outcome != OUTCOME_REACHED_END;
  if (!s->ended_early) return kinks_passed(s->kinks, t, s->why);
  c_snprintf(s->why, sizeof s->why, "of second order: %.680s", t->message);
  return false;
}

void second_work(const SecondOrder *s, const StepCount *work, int simulations) {
  if (!s->budget) return;
  WorkCount *sum = &s->budget->used;
  sum->sensitivity_simulations += simulations;
  sum->rhs += work->rhs;
  sum->steps += work->steps;
  sum->rejected += work->rejected;
}

int second_delay(const SecondOrder *s, int experiment, int channel, int sample) {
  const Experiment *x = &s->problem->experiments[experiment];
  const Channel *c = &x->channels[channel];
  if (c->delay < 0 || !(c->t[sample] - s->p[c->delay] > x->start)) return -1;
  return position_of(s->parameters, s->count, c->delay);
}

void second_add_delay(const SecondOrder *s, int d, double weight, const double *rate_slope,
                      double curvature) {
  for (int k = 0; k < s->count; k++)
    second_add(s, k, d, -weight * rate_slope[k] * (k == d ? 2 : 1));
  second_add(s, d, d, weight * curvature);
}
