#include "model/second.h"

#include <string.h>

#include "expr/simplify.h"
#include "instance/flat_model.h"
#include "lang/parse.h"
#include "model/extend.h"
#include "model/model_build.h"
#include "model/system.h"
#include "test.h"

static const char MODEL[] = "model M\n"
                            "  parameter Real a = 0.7;\n"
                            "  parameter Real b = 0.4;\n"
                            "  parameter Real still = 3;\n"
                            "  input Real u = 0;\n"
                            "  Real x(start = exp(a)*b, fixed = true);\n"
                            "  Real v(start = 0.3, fixed = true);\n"
                            "  Real w;\n"
                            "equation\n"
                            "  der(x) = v;\n"
                            "  der(v) = -a*sin(x)*u - b*x*v + w;\n"
                            "  w + 0.1*w^3 = a*x;\n"
                            "end M;\n";

typedef struct Fixture {
  Arena *arena;
  Model *m;
  int parameters[3]; // a, still, b
} Fixture;

static Fixture open_model(void) {
  Fixture f = {.arena = arena_new()};
  Err err = {0};
  Source *s = source_new(f.arena, "test", MODEL, sizeof MODEL - 1, &err);
  const AstModel *ast = parse_model(f.arena, s, &err);
  f.m = ast ? model_new(s, ast, NULL, 0, &err) : NULL;
  if (!f.m) print_error("%s\n", err.text);
  assert_non_null(f.m);
  const char *names[] = {"a", "still", "b"};
  for (int k = 0; k < 3; k++) f.parameters[k] = names_find(f.m->flat->parameter_names, names[k]);
  return f;
}

static void close_model(Fixture *f) {
  model_free(f->m);
  arena_free(f->arena);
}

static void take_values(const Model *m, double *p) {
  for (int k = 0; k < m->np; k++) p[k] = m->flat->parameters.at[k].value;
}

typedef struct Numbers { // that a System takes as inputs
  const double *u;
  int count;
} Numbers;

static void give(void *data, double t, double *u, double *du) {
  const Numbers *n = data;
  (void)t;
  memcpy(u, n->u, (size_t)n->count * sizeof *u);
  for (int i = 0; i < n->count; i++) du[i] = 0.2 + 0.1 * i;
}

static const double TIME = 0.5, U = 0.6;

// ---------------------------------------------------------------- forward

// A System with sensitivities of the model itself gives the same numbers.
static void sensitivities_become_states(void **state) {
  (void)state;
  Fixture f = open_model();
  const Augmented *a = model_with_sensitivities(f.m, f.parameters, 3);
  assert_int_equal(a->columns, 2);
  assert_int_equal(a->column[1], -1); // moves nothing
  assert_int_equal(a->model->nx, 2 * 3);
  SystemSpec first = {.parameters = f.parameters, .parameter_count = 3, .lanes = 1};
  SystemSpec second = {.lanes = 1};
  System *s = system_new(f.m, &first), *big = system_new(a->model, &second);
  SystemWork *w = system_work_new(s), *big_w = system_work_new(big);
  Numbers inputs = {&U, 1};
  double p[16], y[32], dy[32], z[32], dz[32], scale[2] = {0.7, 2};
  w->inputs = big_w->inputs = give, w->inputs_data = big_w->inputs_data = &inputs;
  take_values(a->model, p);
  p[a->scale[0]] = scale[0], p[a->scale[1]] = scale[1];
  system_set_parameters(w, p);
  system_set_parameters(big_w, p);
  system_start(w, TIME, y);
  system_start(big_w, TIME, z);
  system_rhs_sens(w, TIME, y, dy);
  system_rhs(big_w, TIME, z, dz);
  for (int i = 0; i < 2; i++) {
    assert_close(z[i], y[i], 0);
    assert_close(dz[i], dy[i], 1e-12);
    for (int k = 0; k < 2; k++) {
      assert_close(z[2 + 2 * k + i], scale[k] * y[2 + i * s->stride + k], 1e-12);
      assert_close(dz[2 + 2 * k + i], scale[k] * dy[2 + i * s->stride + k], 1e-12);
    }
  }
  assert_true(fabs(y[2]) > 0.1 && fabs(dy[2 + s->stride]) > 0.1);
  system_work_free(w), system_work_free(big_w);
  system_free(s), system_free(big);
  close_model(&f);
}

// Slopes of an expression do not depend on the factors that columns carry, and are those of a System.
static void slopes_are_those_of_outputs(void **state) {
  (void)state;
  Fixture f = open_model();
  const Augmented *a = model_with_sensitivities(f.m, f.parameters, 3);
  Graph *g = f.m->graph;
  Expr e = expr_mul(g, f.m->value[names_find(f.m->flat->names, "w")],
                    f.m->flat->parameters.at[f.parameters[1]].node);
  Expr slopes[3];
  pthread_mutex_lock(f.m->lock);
  for (int k = 0; k < 3; k++) augmented_slopes(a, &e, 1, k, &slopes[k]);
  pthread_mutex_unlock(f.m->lock);
  SystemSpec first = {.outputs = &e,
                      .output_count = 1,
                      .parameters = f.parameters,
                      .parameter_count = 3,
                      .lanes = 1};
  SystemSpec second = {.outputs = slopes, .output_count = 3, .lanes = 1};
  System *s = system_new(f.m, &first), *big = system_new(a->model, &second);
  SystemWork *w = system_work_new(s), *big_w = system_work_new(big);
  Numbers inputs = {&U, 1};
  double p[16], y[32], z[32], value, sens[3], slope[3];
  w->inputs = big_w->inputs = give, w->inputs_data = big_w->inputs_data = &inputs;
  take_values(a->model, p);
  p[a->scale[0]] = 5;
  system_set_parameters(w, p);
  system_set_parameters(big_w, p);
  system_start(w, TIME, y);
  system_start(big_w, TIME, z);
  system_outputs(w, TIME, y, &value, sens);
  system_outputs(big_w, TIME, z, slope, NULL);
  for (int k = 0; k < 3; k++) {
    assert_close_relative(slope[k], sens[k], 1e-12);
    assert_true(fabs(sens[k]) > 0.1);
  }
  system_work_free(w), system_work_free(big_w);
  system_free(s), system_free(big);
  close_model(&f);
}

static void equal_models_are_made_once(void **state) {
  (void)state;
  Fixture f = open_model();
  const Augmented *a = model_with_sensitivities(f.m, f.parameters, 3);
  const Adjoint *b = model_adjoint(f.m, f.parameters, 3);
  int nodes = f.m->graph->count;
  assert_ptr_equal(model_with_sensitivities(f.m, f.parameters, 3), a);
  assert_ptr_equal(model_adjoint(f.m, f.parameters, 3), b);
  assert_int_equal(f.m->graph->count, nodes);
  assert_ptr_not_equal(model_with_sensitivities(f.m, f.parameters, 2), a);
  assert_ptr_not_equal(model_adjoint(f.m, f.parameters, 2), b);
  close_model(&f);
}

// ---------------------------------------------------------------- adjoint

static const double X[2] = {0.9, -0.4}, S[4] = {0.3, -0.2, 0.5, 0.8}, MU[2] = {1.3, -0.7};

// mu f at x + h S_k + g S_l with the parameters moved by h and g.
static double moved(SystemWork *w, const Fixture *f, double h, int k, double g, int l) {
  const int *column = (const int[]){f->parameters[0], f->parameters[2]};
  double p[16], x[16], dx[16];
  take_values(f->m, p);
  p[column[k]] += h, p[column[l]] += g;
  for (int i = 0; i < 2; i++) x[i] = X[i] + h * S[2 * i + k] + g * S[2 * i + l];
  system_set_parameters(w, p);
  system_rhs(w, TIME, x, dx);
  return MU[0] * dx[0] + MU[1] * dx[1];
}

static void integrand_is_a_second_difference(void **state) {
  (void)state;
  Fixture f = open_model();
  const Adjoint *a = model_adjoint(f.m, f.parameters, 3);
  assert_int_equal(a->columns, 2);
  assert_true(a->start_matters);
  SystemSpec spec = {.outputs = a->integrand, .output_count = 3, .lanes = 1}, plain = {.lanes = 1};
  System *s = system_new(a->model, &spec), *of = system_new(f.m, &plain);
  SystemWork *w = system_work_new(s), *of_w = system_work_new(of);
  double u[7] = {U}, p[16], value[3], h = 1e-3;
  memcpy(u + a->first_x, X, sizeof X);
  memcpy(u + a->first_S, S, sizeof S);
  Numbers all = {u, 7}, own = {u, 1};
  w->inputs = of_w->inputs = give, w->inputs_data = &all, of_w->inputs_data = &own;
  take_values(f.m, p);
  system_set_parameters(w, p);
  system_outputs(w, TIME, MU, value, NULL);
  for (int k = 0, at = 0; k < 2; k++)
    for (int l = k; l < 2; l++, at++) {
      double difference = (moved(of_w, &f, h, k, h, l) - moved(of_w, &f, h, k, -h, l) -
                           moved(of_w, &f, -h, k, h, l) + moved(of_w, &f, -h, k, -h, l)) /
                          (4 * h * h);
      assert_close(value[at], difference, 1e-5);
      assert_true(fabs(value[at]) > 1e-2);
    }
  system_work_free(w), system_work_free(of_w);
  system_free(s), system_free(of);
  close_model(&f);
}

// The product of mu with what the model makes of a small change stays constant.
static void mu_is_the_adjoint_of_the_motion(void **state) {
  (void)state;
  Fixture f = open_model();
  const Adjoint *a = model_adjoint(f.m, f.parameters, 3);
  SystemSpec spec = {.lanes = 1};
  System *s = system_new(a->model, &spec), *of = system_new(f.m, &spec);
  SystemWork *w = system_work_new(s), *of_w = system_work_new(of);
  double u[7] = {U}, p[16], dmu[16], plus[16], minus[16], h = 1e-5;
  memcpy(u + a->first_x, X, sizeof X);
  Numbers all = {u, 7}, own = {u, 1};
  w->inputs = of_w->inputs = give, w->inputs_data = &all, of_w->inputs_data = &own;
  take_values(f.m, p);
  system_set_parameters(w, p);
  system_set_parameters(of_w, p);
  system_rhs(w, TIME, MU, dmu);
  for (int j = 0; j < 2; j++) {
    double x[16] = {X[0], X[1]};
    x[j] += h;
    system_rhs(of_w, TIME, x, plus);
    x[j] -= 2 * h;
    system_rhs(of_w, TIME, x, minus);
    double product = 0;
    for (int i = 0; i < 2; i++) product += MU[i] * (plus[i] - minus[i]) / (2 * h);
    assert_close(dmu[j], -product, 1e-8);
  }
  system_work_free(w), system_work_free(of_w);
  system_free(s), system_free(of);
  close_model(&f);
}

static void start_adds_second_derivatives_of_start_values(void **state) {
  (void)state;
  Fixture f = open_model();
  const Adjoint *a = model_adjoint(f.m, f.parameters, 3);
  SystemSpec spec = {.outputs = a->at_start, .output_count = 3, .lanes = 1};
  System *s = system_new(a->model, &spec);
  SystemWork *w = system_work_new(s);
  double u[7] = {U}, p[16], value[3];
  Numbers all = {u, 7};
  w->inputs = give, w->inputs_data = &all;
  take_values(f.m, p);
  system_set_parameters(w, p);
  system_outputs(w, TIME, MU, value, NULL);
  assert_close(value[0], MU[0] * exp(0.7) * 0.4, 1e-12); // x starts at exp(a)*b
  assert_close(value[1], MU[0] * exp(0.7), 1e-12);
  assert_close(value[2], 0, 0);
  system_work_free(w);
  system_free(s);
  close_model(&f);
}

// d/dt of x*u is v*u + x*du/dt.
static void rates_follow_the_motion_and_the_inputs(void **state) {
  (void)state;
  Fixture f = open_model();
  Expr e = expr_mul(f.m->graph, f.m->x[0], f.m->u[0]), rate;
  pthread_mutex_lock(f.m->lock);
  model_rates(f.m, f.m, &e, 1, &rate);
  pthread_mutex_unlock(f.m->lock);
  SystemSpec spec = {.outputs = &rate, .output_count = 1, .lanes = 1};
  System *s = system_new(f.m, &spec);
  SystemWork *w = system_work_new(s);
  double p[16], value;
  Numbers inputs = {&U, 1};
  w->inputs = give, w->inputs_data = &inputs;
  take_values(f.m, p);
  system_set_parameters(w, p);
  system_outputs(w, TIME, X, &value, NULL);
  assert_close(value, X[1] * U + X[0] * 0.2, 1e-14);
  system_work_free(w);
  system_free(s);
  close_model(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sensitivities_become_states),
      cmocka_unit_test(slopes_are_those_of_outputs),
      cmocka_unit_test(equal_models_are_made_once),
      cmocka_unit_test(integrand_is_a_second_difference),
      cmocka_unit_test(mu_is_the_adjoint_of_the_motion),
      cmocka_unit_test(start_adds_second_derivatives_of_start_values),
      cmocka_unit_test(rates_follow_the_motion_and_the_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
