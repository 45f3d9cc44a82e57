#include "residual/compiled_model.h"

#include <pthread.h>

#include "swings.h"
#include "threshold.h"

static CompiledModel *compile(const Hand *h) {
  return compiled_model_new(&h->problem, h->problem.model, h->problem.measured,
                            &h->problem.simulate);
}

static void machine_code_is_made_once(void **state) {
  (void)state;
  Hand *h = duffing(1, 0);
  CompiledModel *m = compile(h);
  const System *values = compiled_system(m, false), *slopes = compiled_system(m, true);
  assert_ptr_not_equal(values, slopes);
  assert_ptr_equal(compiled_system(m, false), values);
  assert_ptr_equal(compiled_system(m, true), slopes);
  assert_int_equal(values->ns, 0);
  assert_int_equal(slopes->ns, 2);
  const System *lanes = compiled_lanes(m, true, 4);
  assert_ptr_equal(compiled_lanes(m, true, 4), lanes);
  assert_ptr_not_equal(compiled_lanes(m, false, 4), lanes);
  compiled_model_free(m);
  hand_done(h);
}

static void *ask(void *m) {
  return (void *)compiled_system(m, true);
}

static void threads_share_one_code(void **state) {
  (void)state;
  enum { THREADS = 4 };
  Hand *h = duffing(1, 0);
  CompiledModel *m = compile(h);
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, ask, m), 0);
  for (int i = 0; i < THREADS; i++) {
    void *system;
    assert_int_equal(pthread_join(thread[i], &system), 0);
    assert_ptr_equal(system, compiled_system(m, true));
  }
  compiled_model_free(m);
  hand_done(h);
}

static void without_unknowns_slopes_need_no_code(void **state) {
  (void)state;
  Hand *h = duffing(1, 0);
  h->problem.unknown_count = 0;
  CompiledModel *m = compile(h);
  assert_ptr_equal(compiled_system(m, true), compiled_system(m, false));
  compiled_model_free(m);
  hand_done(h);
}

// An unknown of each experiment is one parameter of the model.
static void parameters_are_listed_once(void **state) {
  (void)state;
  Hand *h = duffing(3, 0);
  for (int e = 0; e < 3; e++) hand_estimate(h, "x.start", e, 1, 0, 2);
  CompiledModel *m = compile(h);
  assert_int_equal(m->parameter_count, 3);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++) assert_int_not_equal(m->parameters[i], m->parameters[j]);
  compiled_model_free(m);
  hand_done(h);
}

static void a_delay_needs_the_rate_of_its_channel(void **state) {
  (void)state;
  Hand *h = duffing(2, 0);
  CompiledModel *m = compile(h);
  assert_int_equal(m->outputs, 2);
  assert_int_equal(m->rate[0], -1);
  compiled_model_free(m);
  h->experiments[1].channels[1].delay = hand_parameter(h, "b");
  m = compile(h);
  assert_int_equal(m->outputs, 3);
  assert_int_equal(m->rate[0], -1);
  assert_int_equal(m->rate[1], 2);
  compiled_model_free(m);
  hand_done(h);
}

static bool has_quick(void *data, double rel_tol) {
  Hand *h = data;
  SimulateOptions options = h->problem.simulate;
  options.rel_tol = rel_tol;
  CompiledModel *m =
      compiled_model_new(&h->problem, h->problem.model, h->problem.measured, &options);
  bool quick = m->has_quick, other = compiled_options(m, true)->rel_tol != rel_tol;
  assert_true(quick == other);
  if (quick) // both tolerances are loosened alike
    assert_close_relative(m->quick_options.abs_tol / m->options.abs_tol, 1e-5 / rel_tol, 1e-12);
  assert_true(compiled_options(m, false)->rel_tol == rel_tol);
  compiled_model_free(m);
  return quick;
}

// Less accuracy than asked for means 1e-5, where that is ten times less.
static void quick_simulations_need_a_tolerance_to_spare(void **state) {
  (void)state;
  Hand *h = duffing(1, 0);
  assert_threshold(has_quick, h, 1e-6);
  hand_done(h);
}

static void a_run_has_a_column_for_each_output_and_slope(void **state) {
  (void)state;
  enum { ROWS = 5 };
  Hand *h = duffing(1, 0);
  CompiledModel *m = compile(h);
  ModelRun *r = model_run_new(m, ROWS);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < m->parameter_count; i++)
      assert_ptr_equal(model_run_slope(r, k, i), r->column[2 + 2 * k + i]);
  for (int c = 1; c < 6; c++) assert_true(r->column[c] - r->column[c - 1] >= ROWS);
  assert_ptr_equal(model_run_work(r, true, false), model_run_work(r, true, false));
  assert_ptr_not_equal(model_run_work(r, true, false), model_run_work(r, true, true));
  model_run_free(r);
  compiled_model_free(m);
  hand_done(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(machine_code_is_made_once),
      cmocka_unit_test(threads_share_one_code),
      cmocka_unit_test(without_unknowns_slopes_need_no_code),
      cmocka_unit_test(parameters_are_listed_once),
      cmocka_unit_test(a_delay_needs_the_rate_of_its_channel),
      cmocka_unit_test(quick_simulations_need_a_tolerance_to_spare),
      cmocka_unit_test(a_run_has_a_column_for_each_output_and_slope),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
