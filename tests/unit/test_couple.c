#include "model/couple.h"

#include <string.h>

#include "lang/parse.h"
#include "model/extend.h"
#include "model/system.h"
#include "test.h"

static const char DUFFING[] = "model Duffing\n"
                              "  parameter Real a = 0.5;\n"
                              "  parameter Real g = 3;\n"
                              "  Real x(start = 1, fixed = true);\n"
                              "  Real v(start = 2*a, fixed = true);\n"
                              "  Real w(start = 0, fixed = true);\n"
                              "  Real y;\n"
                              "equation\n"
                              "  der(x) = g*v;\n"
                              "  der(v) = -a*x - x^3 + cos(time) + (if w > 0.5 then 1 else 0);\n"
                              "  der(w) = x - w;\n"
                              "  y = g*w + v;\n"
                              "end Duffing;\n";

typedef struct Fixture {
  Arena *arena;
  Model *model;
} Fixture;

static void open_model(Fixture *f) {
  Err err = {0};
  f->arena = arena_new();
  Source *s = source_new(f->arena, "test", DUFFING, strlen(DUFFING), &err);
  const AstModel *ast = s ? parse_model(f->arena, s, &err) : NULL;
  f->model = ast ? model_new(s, ast, NULL, 0, &err) : NULL;
  if (!f->model) fail_msg("%s", err.text);
}

static void close_model(Fixture *f) {
  model_free(f->model);
  arena_free(f->arena);
}

static void data_input(void *data, double t, double *u, double *du) {
  (void)t;
  *u = *(double *)data, *du = 0;
}

// Right-hand sides of a model at a point, with these parameters and these data.
static void slopes_at(Model *m, const double *p, double data, const double *x, double *dx) {
  SystemSpec spec = {.lanes = 1};
  System *s = system_new(m, &spec);
  SystemWork *w = system_work_new(s);
  w->inputs = data_input, w->inputs_data = &data;
  system_set_parameters(w, p);
  system_set_time(w, 0.3);
  system_rhs(w, 0.3, x, dx);
  system_work_free(w);
  system_free(s);
}

static double *values_of(const Fixture *f, const Model *m) {
  double *p = ARENA_ARRAY(f->arena, double, m->np);
  for (int k = 0; k < m->np; k++) p[k] = m->flat->parameters.at[k].value;
  return p;
}

static const double X[] = {0.7, -0.2, 0.1, 0.4};

static const Coupled *tie(Fixture *f, Expr measured, CoupleIntegral integral, CoupleTerm *terms,
                          int *count) {
  Expr list[] = {measured};
  *count = couple_default_terms(f->model, f->arena, list, 0, true, terms);
  Coupling c = {list, 1, terms, *count, integral};
  return couple(f->model, &c);
}

static void is_the_model_itself_without_tie(void **state) {
  (void)state;
  Fixture f;
  open_model(&f);
  CoupleTerm terms[8];
  int count;
  const Coupled *c = tie(&f, f.model->x[0], COUPLE_SQUARE, terms, &count);
  double plain[3], tied[4];
  double *p = values_of(&f, c->model);
  for (int k = 0; k < count; k++) p[c->gain[k]] = 10;
  p[c->gain_integral[0]] = 5;
  slopes_at(f.model, values_of(&f, f.model), 9, X, plain);
  slopes_at(c->model, p, 9, X, tied);
  for (int i = 0; i < 3; i++) assert_close(tied[i], plain[i], 0);
  close_model(&f);
}

static void acts_on_the_state_and_its_rate(void **state) {
  (void)state;
  Fixture f;
  open_model(&f);
  CoupleTerm terms[8];
  int count;
  const Coupled *c = tie(&f, f.model->x[0], COUPLE_NO_INTEGRAL, terms, &count);
  assert_int_equal(count, 2);
  assert_int_equal(terms[0].state, 0);
  assert_false(terms[0].rate);
  assert_int_equal(terms[1].state, 1);
  assert_true(terms[1].rate);
  double plain[3], tied[3], *p = values_of(&f, c->model), error = 0.9 - X[0];
  p[c->lambda] = 0.5, p[c->gain[0]] = 10, p[c->gain[1]] = 20;
  slopes_at(f.model, values_of(&f, f.model), 0, X, plain);
  slopes_at(c->model, p, 0.9, X, tied);
  assert_close(tied[0], plain[0] + 0.5 * 10 * error, 1e-14);
  assert_close(tied[1], plain[1] + 0.5 * 20 * error / 3, 1e-14); // der(x) = g*v with g = 3
  assert_close(tied[2], plain[2], 0);
  close_model(&f);
}

// y = g*w + v: whatever the units, the measured quantity approaches the data at the rate of the gain.
static void moves_a_measured_expression_at_the_rate_of_the_gain(void **state) {
  (void)state;
  Fixture f;
  open_model(&f);
  CoupleTerm terms[8];
  int count;
  Expr y = expr_add(f.model->graph,
                    expr_mul(f.model->graph, f.model->flat->parameters.at[1].node, f.model->x[2]),
                    f.model->x[1]);
  const Coupled *c = tie(&f, y, COUPLE_NO_INTEGRAL, terms, &count);
  double plain[3], tied[3], *p = values_of(&f, c->model), error = 2 - (3 * X[2] + X[1]);
  p[c->lambda] = 1;
  for (int k = 0; k < count; k++) p[c->gain[k]] = terms[k].rate ? 0 : 7;
  slopes_at(f.model, values_of(&f, f.model), 0, X, plain);
  slopes_at(c->model, p, 2, X, tied);
  double change = 3 * (tied[2] - plain[2]) + (tied[1] - plain[1]);
  assert_close(change, 7 * error, 1e-13);
  close_model(&f);
}

static void integrates_the_error(void **state) {
  (void)state;
  for (int square = 0; square < 2; square++) {
    Fixture f;
    open_model(&f);
    CoupleTerm terms[8];
    int count;
    const Coupled *c = tie(&f, f.model->x[0], square ? COUPLE_SQUARE : COUPLE_ERROR, terms, &count);
    double plain[3], tied[4], *p = values_of(&f, c->model), error = 0.9 - X[0];
    p[c->lambda] = 1, p[c->gain_integral[0]] = 6;
    slopes_at(f.model, values_of(&f, f.model), 0, X, plain);
    slopes_at(c->model, p, 0.9, X, tied);
    assert_int_equal(c->first_integral, 3);
    assert_close(tied[3], square ? error * error : error, 1e-14);
    assert_close(tied[1], plain[1] + 6 * X[3] / 3, 1e-14);
    assert_close(tied[0], plain[0], 0);
    close_model(&f);
  }
}

// Others may simulate the model while ties are made from it.
static void leaves_the_model_as_it_was(void **state) {
  (void)state;
  Fixture f;
  open_model(&f);
  Flat before = *f.model->flat;
  CoupleTerm terms[8];
  int first, np = f.model->np;
  int count = couple_default_terms(f.model, f.arena, f.model->x, 0, true, terms);
  couple(f.model, &(Coupling){f.model->x, 1, terms, count, COUPLE_ERROR});
  model_with_free_start(f.model, &first);
  assert_int_equal(first, np);
  assert_int_equal(f.model->np, np);
  assert_memory_equal(&before, f.model->flat, sizeof before);
  assert_int_equal(names_count(before.parameter_names), np);
  close_model(&f);
}

static void starts_where_it_is_told(void **state) {
  (void)state;
  Fixture f;
  open_model(&f);
  int first;
  Model *m = model_with_free_start(f.model, &first);
  double *p = values_of(&f, m), y[3];
  for (int i = 0; i < 3; i++) p[first + i] = 1.5 + i;
  SystemSpec spec = {.lanes = 1};
  System *s = system_new(m, &spec);
  SystemWork *w = system_work_new(s);
  system_set_parameters(w, p);
  system_start(w, 2, y);
  for (int i = 0; i < 3; i++) assert_close(y[i], 1.5 + i, 0);
  assert_close(system_mode(w, 0), 1, 0); // w = 3.5 > 0.5
  p[first + 2] = 0;
  system_set_parameters(w, p);
  system_start(w, 2, y);
  assert_close(system_mode(w, 0), 0, 0);
  system_work_free(w);
  system_free(s);
  close_model(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_the_model_itself_without_tie),
      cmocka_unit_test(acts_on_the_state_and_its_rate),
      cmocka_unit_test(moves_a_measured_expression_at_the_rate_of_the_gain),
      cmocka_unit_test(integrates_the_error),
      cmocka_unit_test(leaves_the_model_as_it_was),
      cmocka_unit_test(starts_where_it_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
