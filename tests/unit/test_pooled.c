// Pooled errors are what all samples together give, however they are cut into experiments.
#include "stats/pooled.h"

#include <math.h>
#include <string.h>

#include "loaded.h"

enum { SAMPLES = 60, CUTS = 5 };

typedef struct Cut { // channels "a" and "b" in rad, "c" without a unit, in CUTS experiments
  Problem problem;
  Experiment experiments[CUTS];
  Channel channels[CUTS][3];
  RunChannel runs[CUTS * 3];
  const char *why[CUTS];
  RunErrors errors;
  double y[3][SAMPLES], error[3][SAMPLES], t[SAMPLES];
  SpanError windows[CUTS * 3];
} Cut;

static const NamedWindow LATE[] = {{.name = "late", .start = 30, .stop = HUGE_VAL}};

static SpanError span(const double *e, int n) {
  SpanError s = {.n = n};
  for (int i = 0; i < n; i++) s.rmse += e[i] * e[i] / n;
  s.rmse = n ? sqrt(s.rmse) : nan("");
  return s;
}

static void cut_make(Cut *c, uint64_t seed, const int *first, int failed) {
  memset(c, 0, sizeof *c);
  static const char *const NAME[] = {"a", "b", "c"}, *const UNIT[] = {"rad", "rad", ""};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < SAMPLES; i++) {
      c->t[i] = i;
      c->y[k][i] = uniform(&seed, -1, 1);
      c->error[k][i] = uniform(&seed, -1, 1);
    }
  for (int e = 0; e < CUTS; e++) {
    int from = first[e], n = first[e + 1] - from, late = from > 30 ? from : 30;
    c->experiments[e] = (Experiment){.channels = c->channels[e], .channel_count = 3};
    c->experiments[e].windows = (NamedWindow *)LATE, c->experiments[e].window_count = 1;
    c->why[e] = e == failed ? "it broke" : NULL;
    for (int k = 0; k < 3; k++) {
      RunChannel *r = &c->runs[3 * e + k];
      c->channels[e][k] = (Channel){.name = NAME[k], .unit = UNIT[k], .count = n};
      c->channels[e][k].t = c->t + from, c->channels[e][k].y = c->y[k] + from;
      c->windows[3 * e + k] = span(c->error[k] + late, late < from + n ? from + n - late : 0);
      if (e == failed) c->windows[3 * e + k].rmse = nan("");
      *r = (RunChannel){.experiment = e, .channel = k, .all = span(c->error[k] + from, n)};
      r->error = e == failed ? NULL : c->error[k] + from, r->windows = &c->windows[3 * e + k];
      if (e == failed) r->all.rmse = nan("");
    }
  }
  c->problem.experiments = c->experiments, c->problem.experiment_count = CUTS;
  c->errors = (RunErrors){.problem = &c->problem, .channels = c->runs, .channel_count = 3 * CUTS};
  c->errors.why = c->why;
}

static const PooledError *find(const PooledErrors *p, const char *variable, const char *window) {
  for (int i = 0; i < p->rows.count; i++) {
    const PooledError *e = &p->rows.at[i];
    bool same = variable ? e->variable && strcmp(e->variable, variable) == 0 : !e->variable;
    if (same && (window ? e->window && strcmp(e->window, window) == 0 : !e->window)) return e;
  }
  return NULL;
}

static void any_cut_of_a_record_gives_the_errors_of_all_samples(void **state) {
  (void)state;
  static const int FIRST[][CUTS + 1] = {
      {0, 12, 24, 36, 48, 60}, {0, 1, 2, 40, 41, 60}, {0, 29, 30, 31, 59, 60}};
  for (int k = 0; k < 3; k++) {
    Arena *a = arena_new();
    Cut c;
    cut_make(&c, 7 + (uint64_t)k, FIRST[k], -1);
    PooledErrors p = pooled_of_runs(a, &c.errors);
    assert_int_equal(p.rows.count, 8); // a, b, c, all in rad; the same in the window
    double square = 0;
    for (int i = 0; i < 3; i++) {
      static const char *const NAME[] = {"a", "b", "c"};
      const PooledError *all = find(&p, NAME[i], NULL), *late = find(&p, NAME[i], "late");
      assert_float_equal(all->rmse, span(c.error[i], SAMPLES).rmse, 1e-14);
      assert_float_equal(late->rmse, span(c.error[i] + 30, 30).rmse, 1e-14);
      assert_int_equal(all->n, SAMPLES);
      assert_int_equal(late->n, 30);
      assert_int_equal(all->experiments, CUTS);
      square += i < 2 ? all->rmse * all->rmse / 2 : 0;
    }
    assert_float_equal(find(&p, NULL, NULL)->rmse, sqrt(square), 1e-14);
    assert_int_equal(find(&p, NULL, NULL)->n, 2 * SAMPLES);
    assert_string_equal(find(&p, NULL, "late")->unit, "rad");
    arena_free(a);
  }
}

static void what_could_not_be_simulated_is_counted_apart(void **state) {
  (void)state;
  Arena *a = arena_new();
  Cut c;
  cut_make(&c, 3, (int[]){0, 12, 24, 36, 48, 60}, 1);
  PooledErrors p = pooled_of_runs(a, &c.errors);
  const PooledError *all = find(&p, "a", NULL);
  assert_int_equal(all->experiments, CUTS - 1);
  assert_int_equal(all->failed, 1);
  assert_int_equal(all->n, SAMPLES - 12);
  assert_true(isfinite(all->rmse));
  arena_free(a);
}

static void one_experiment_is_not_pooled(void **state) {
  (void)state;
  Arena *a = arena_new();
  Cut c;
  cut_make(&c, 3, (int[]){0, 12, 24, 36, 48, 60}, -1);
  c.problem.experiment_count = 1, c.errors.channel_count = 3;
  assert_int_equal(pooled_of_runs(a, &c.errors).rows.count, 0);
  assert_int_equal(pooled_of_runs(a, NULL).rows.count, 0);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_cut_of_a_record_gives_the_errors_of_all_samples),
      cmocka_unit_test(what_could_not_be_simulated_is_counted_apart),
      cmocka_unit_test(one_experiment_is_not_pooled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
