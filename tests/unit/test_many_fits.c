// Many fits: their answers, the order and the number of them do not depend on threads; whoever takes them can end it.
#include "search/many_fits.h"

#include "search/fit.h"
#include "swings.h"

enum { COUNT = 40 };

typedef struct Seen {
  int count, most;
  double x[COUNT], objective[COUNT];
} Seen;

static bool take(void *data, int number, const ManyFitsAnswer *a) {
  Seen *s = data;
  assert_int_equal(number, s->count);
  assert_true(a->finished);
  s->x[s->count] = a->x[0];
  s->objective[s->count++] = a->objective;
  return s->count < s->most;
}

static void they_give_what_single_fits_give(void **state) {
  (void)state;
  double starts[COUNT];
  for (int i = 0; i < COUNT; i++) starts[i] = 8 + 0.1 * i;
  Hand *h = pendulum(0.01, 15);
  h->problem.method = METHOD_LM;
  Seen single = {0};
  for (int i = 0; i < COUNT; i++) {
    FitResult *r = fit_run(&h->problem, &starts[i], NULL, NULL);
    single.x[i] = r->x[0], single.objective[i] = r->objective;
    fit_free(r);
  }
  Fitting *f = fitting_new(&h->problem);
  for (int threads = 1; threads <= 3; threads++) {
    Seen seen = {.most = 1000};
    ManyFitsRequest q = {.fit = fit_run_on,
                         .starts = starts,
                         .count = COUNT,
                         .threads = threads,
                         .take = take,
                         .data = &seen};
    assert_true(many_fits_run(f, &h->problem, &q));
    assert_int_equal(seen.count, COUNT);
    assert_memory_equal(seen.x, single.x, sizeof seen.x);
    assert_memory_equal(seen.objective, single.objective, sizeof seen.objective);
    Seen few = {.most = 7};
    q.data = &few;
    assert_false(many_fits_run(f, &h->problem, &q));
    assert_int_equal(few.count, 7);
  }
  fitting_free(f);
  hand_done(h);
}

// With lanes answers depend on neighbours, but not on threads, and only within the accuracy of simulations.
static void lanes_give_the_same_within_accuracy(void **state) {
  (void)state;
  double starts[COUNT];
  for (int i = 0; i < COUNT; i++) starts[i] = 9.8 + 0.01 * i;
  Hand *h = pendulum(0.01, 15);
  h->problem.method = METHOD_LM;
  Fitting *f = fitting_new(&h->problem);
  Seen first = {.most = 1000};
  for (int threads = 1; threads <= 3; threads++) {
    Seen seen = {.most = 1000};
    ManyFitsRequest q = {.fit = fit_run_on,
                         .starts = starts,
                         .count = COUNT,
                         .threads = threads,
                         .lanes = true,
                         .take = take,
                         .data = &seen};
    assert_true(many_fits_run(f, &h->problem, &q));
    assert_int_equal(seen.count, COUNT);
    if (threads == 1) first = seen;
    assert_memory_equal(seen.x, first.x, sizeof seen.x);
    for (int i = 0; i < COUNT; i++) assert_close(seen.x[i], seen.x[0], 1e-5);
  }
  fitting_free(f);
  hand_done(h);
}

// A fit that does nothing but tell its start, the later ones sooner.
static FitResult *echo(const Problem *p, EvalWork *w, const double *start, FitListener *listener,
                       void *data) {
  (void)listener, (void)data;
  Arena *a = arena_new();
  FitResult *r = ARENA_NEW(a, FitResult);
  EvalSpec spec = eval_spec(eval_fitting(w), NULL);
  r->arena = a, r->problem = p;
  r->x = ARENA_ARRAY(a, double, 2);
  r->sigma = ARENA_ARRAY(a, double, 2);
  r->x[0] = start[0];
  for (int i = 0; i < 20 - start[0]; i++) evaluate_value(w, &spec, start);
  r->objective = 2 * start[0];
  return r;
}

static bool until_ten(void *data, int finished) {
  (void)data;
  return finished < 10;
}

static void answers_come_in_the_order_of_the_starts(void **state) {
  (void)state;
  double starts[COUNT];
  for (int i = 0; i < COUNT; i++) starts[i] = 1 + 0.4 * i;
  Hand *h = pendulum(0, 15);
  Fitting *f = fitting_new(&h->problem);
  for (int threads = 1; threads <= 4; threads++) {
    Seen seen = {.most = 1000};
    ManyFitsRequest q = {.fit = echo,
                         .starts = starts,
                         .count = COUNT,
                         .threads = threads,
                         .take = take,
                         .data = &seen};
    assert_true(many_fits_run(f, &h->problem, &q));
    assert_memory_equal(seen.x, starts, sizeof starts);
    for (int i = 0; i < COUNT; i++) assert_true(seen.objective[i] == 2 * starts[i]);
    seen = (Seen){.most = 1000};
    q.listener = until_ten;
    bool whole = many_fits_run(f, &h->problem, &q); // may be over before anybody asks
    assert_true(whole == (seen.count == COUNT));
    assert_memory_equal(seen.x, starts, (size_t)seen.count * sizeof *starts);
  }
  fitting_free(f);
  hand_done(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_give_what_single_fits_give),
      cmocka_unit_test(lanes_give_the_same_within_accuracy),
      cmocka_unit_test(answers_come_in_the_order_of_the_starts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
