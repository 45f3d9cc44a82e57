#include "model/couple.h"

#include <string.h>

#include "expr/simplify.h"
#include "instance/flat_model.h"
#include "lang/parse.h"
#include "model/extend.h"
#include "model/model_build.h"
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

static void open_text(Fixture *f, const char *text) {
  Err err = {0};
  f->arena = arena_new();
  Source *s = source_new(f->arena, "test", text, strlen(text), &err);
  const AstModel *ast = s ? parse_model(f->arena, s, &err) : NULL;
  f->model = ast ? model_new(s, ast, NULL, 0, &err) : NULL;
  if (!f->model) fail_msg("%s", err.text);
}

static void open_model(Fixture *f) {
  open_text(f, DUFFING);
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
  Coupling c = {list, 1, terms, *count, integral, false};
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
  couple(f.model, &(Coupling){f.model->x, 1, terms, count, COUPLE_ERROR, false});
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

// ---------------------------------------------------------------- invariants

// A rod on a pivot: its centre (x, y) and its angle; and a wheel that nothing holds.
static const char ROD[] = "model Rod\n"
                          "  parameter Real l = 0.5;\n"
                          "  parameter Real J = 0.3;\n"
                          "  Real x(start = 0.2, nominal = 0.5);\n"
                          "  Real y(start = -0.3);\n"
                          "  Real phi(start = 0.6, fixed = true);\n"
                          "  Real vx, vy, w(start = 2, fixed = true), free(start = 0);\n"
                          "  Real Fx, Fy;\n"
                          "equation\n"
                          "  der(x) = vx;\n"
                          "  der(y) = vy;\n"
                          "  der(phi) = w;\n"
                          "  der(vx) = Fx;\n"
                          "  der(vy) = Fy - 9.81;\n"
                          "  J*der(w) = -l*cos(phi)*Fx - l*sin(phi)*Fy;\n"
                          "  der(free) = x - free;\n"
                          "  x - l*sin(phi) = 0;\n"
                          "  y + l*cos(phi) = 0;\n"
                          "end Rod;\n";

enum { ROD_X, ROD_Y, ROD_PHI, ROD_VX, ROD_VY, ROD_W, ROD_FREE, ROD_STATES };

static const double ROD_AT[ROD_STATES] = {
    0.28232123669751769, -0.41266780745483916, 0.6, 0.82533561490967833, 0.56464247339503537, 2, 0};

// What a push does to the four invariants: x - l sin(phi), y + l cos(phi), and the same for rates.
static void changes_of_invariants(const double *x, const double *push, double *change) {
  double s = 0.5 * sin(x[ROD_PHI]), c = 0.5 * cos(x[ROD_PHI]);
  change[0] = push[ROD_X] - c * push[ROD_PHI];
  change[1] = push[ROD_Y] - s * push[ROD_PHI];
  change[2] = push[ROD_VX] - c * push[ROD_W] + s * x[ROD_W] * push[ROD_PHI];
  change[3] = push[ROD_VY] - s * push[ROD_W] - c * x[ROD_W] * push[ROD_PHI];
}

typedef struct RodTie {
  Expr measured[2];
  int channels;
  CoupleIntegral integral;
  bool by_state;
  double gain, gain_rate, gain_integral;
  double data[2];
} RodTie;

static void two_data(void *data, double t, double *u, double *du) {
  const RodTie *tie = data;
  (void)t;
  for (int k = 0; k < tie->channels; k++) u[k] = tie->data[k], du[k] = 0;
}

static void slopes_of(Model *m, const double *p, RodTie *tie, const double *x, double *dx) {
  SystemSpec spec = {.lanes = 1};
  System *s = system_new(m, &spec);
  SystemWork *w = system_work_new(s);
  w->inputs = two_data, w->inputs_data = tie;
  system_set_parameters(w, p);
  system_set_time(w, 0);
  system_rhs(w, 0, x, dx);
  system_work_free(w);
  system_free(s);
}

static void push_of_terms(Fixture *f, RodTie *tie, CoupleTerm *terms, int count, double *push) {
  Coupling c = {tie->measured, tie->channels, terms, count, tie->integral, tie->by_state};
  const Coupled *tied = couple(f->model, &c);
  double *p = values_of(f, tied->model), x[ROD_STATES + 2] = {0}, plain[ROD_STATES],
         slopes[ROD_STATES + 2];
  memcpy(x, ROD_AT, sizeof ROD_AT);
  x[ROD_STATES] = 0.7, x[ROD_STATES + 1] = -0.4;
  p[tied->lambda] = 1;
  for (int k = 0; k < count; k++) p[tied->gain[k]] = terms[k].rate ? tie->gain_rate : tie->gain;
  for (int k = 0; k < tie->channels && tied->gain_integral; k++)
    p[tied->gain_integral[k]] = tie->gain_integral;
  slopes_of(f->model, values_of(f, f->model), tie, x, plain);
  slopes_of(tied->model, p, tie, x, slopes);
  for (int i = 0; i < ROD_STATES; i++) push[i] = slopes[i] - plain[i];
}

static void push_of(Fixture *f, RodTie *tie, double *push) {
  CoupleTerm terms[4 * ROD_STATES];
  int count = 0;
  for (int k = 0; k < tie->channels; k++)
    count += couple_default_terms(f->model, f->arena, tie->measured, k, true, terms + count);
  push_of_terms(f, tie, terms, count, push);
}

static void assert_keeps_invariants(const double *push) {
  double change[4], size = 0;
  changes_of_invariants(ROD_AT, push, change);
  for (int i = 0; i < ROD_STATES; i++) size = fmax(size, fabs(push[i]));
  assert_true(size > 1e-3);
  for (int i = 0; i < 4; i++) assert_close(change[i], 0, 1e-11 * size);
}

// Free states move as all channels together demand; the others follow.
static void pushes_by_state_move_free_states_as_demanded(void **state) {
  (void)state;
  Fixture f;
  open_text(&f, ROD);
  RodTie tie = {{f.model->x[ROD_PHI], f.model->x[ROD_X]}, 2, .by_state = true, .gain = 3};
  tie.data[0] = 0.9, tie.data[1] = -0.1;
  double error = 0.9 - ROD_AT[ROD_PHI] - 0.1 - ROD_AT[ROD_X], push[ROD_STATES];
  static const int FREE[] = {ROD_PHI, ROD_W};
  CoupleTerm terms[4];
  Expr one = expr_const(f.model->graph, 1);
  for (int k = 0; k < 4; k++) terms[k] = (CoupleTerm){k / 2, FREE[k % 2], one, false};
  push_of_terms(&f, &tie, terms, 4, push);
  assert_keeps_invariants(push);
  for (int k = 0; k < 2; k++)
    assert_close(push[FREE[k]], 3 * error, 0.02 * fabs(3 * error)); // slack
  close_model(&f);
}

static void every_push_keeps_the_invariants(void **state) {
  (void)state;
  Fixture f;
  open_text(&f, ROD);
  const Expr *x = f.model->x;
  Expr measured[] = {x[ROD_X], x[ROD_PHI], x[ROD_W]};
  for (int i = 0; i < 3; i++)
    for (int kind = 0; kind < 3; kind++) {
      RodTie tie = {.measured = {measured[i], x[ROD_Y]},
                    .channels = 1 + (i + kind) % 2,
                    .integral = kind == 2 ? COUPLE_ERROR : COUPLE_NO_INTEGRAL,
                    .gain = kind == 0 ? 7 : 0,
                    .gain_rate = kind == 1 ? 20 : 0,
                    .gain_integral = 3,
                    .data = {30, -2}};
      double push[ROD_STATES];
      push_of(&f, &tie, push);
      assert_keeps_invariants(push);
    }
  close_model(&f);
}

// Gains that a user gives may push positions and rates at once.
static void mixed_pushes_keep_the_invariants(void **state) {
  (void)state;
  Fixture f;
  open_text(&f, ROD);
  Graph *g = f.model->graph;
  CoupleTerm terms[] = {{0, ROD_X, expr_const(g, 1), true},
                        {0, ROD_VY, expr_const(g, -2), true},
                        {0, ROD_FREE, expr_const(g, 3), true}};
  RodTie tie = {.measured = {f.model->x[ROD_PHI]}, .channels = 1, .gain_rate = 5, .data = {3}};
  double push[ROD_STATES];
  push_of_terms(&f, &tie, terms, 3, push);
  assert_keeps_invariants(push);
  double along = push[ROD_X] / 0.25 - 2 * push[ROD_VY] + 3 * push[ROD_FREE]; // x has nominal 0.5
  assert_true(along > 0);
  close_model(&f);
}

static void constrained_measured_states_follow_at_the_rate_of_the_gain(void **state) {
  (void)state;
  Fixture f;
  open_text(&f, ROD);
  const Expr *x = f.model->x;
  RodTie angle = {.measured = {x[ROD_PHI]}, .channels = 1, .gain = 7, .data = {0.9}};
  RodTie place = {.measured = {x[ROD_X]}, .channels = 1, .gain = 7, .data = {0.4}};
  // Two quantities that one degree of freedom moves, with data that agree: each follows as fast as alone, not twice.
  double turn = 0.01, to_x = 0.5 * cos(ROD_AT[ROD_PHI]) * turn;
  RodTie both = {.measured = {x[ROD_PHI], x[ROD_X]},
                 .channels = 2,
                 .gain = 7,
                 .data = {ROD_AT[ROD_PHI] + turn, ROD_AT[ROD_X] + to_x}};
  double push[ROD_STATES];
  push_of(&f, &angle, push);
  assert_close_relative(push[ROD_PHI], 7 * (0.9 - ROD_AT[ROD_PHI]), 0.03);
  push_of(&f, &place, push);
  assert_close_relative(push[ROD_X], 7 * (0.4 - ROD_AT[ROD_X]), 0.03);
  push_of(&f, &both, push);
  assert_close_relative(push[ROD_PHI], 7 * turn, 0.03);
  assert_close_relative(push[ROD_X], 7 * to_x, 0.03);
  close_model(&f);
}

static void a_push_of_rates_moves_no_position(void **state) {
  (void)state;
  Fixture f;
  open_text(&f, ROD);
  RodTie tie = {.measured = {f.model->x[ROD_PHI]}, .channels = 1, .gain_rate = 20, .data = {0.9}};
  double push[ROD_STATES];
  push_of(&f, &tie, push);
  for (int i = 0; i < 3; i++) assert_close(push[i], 0, 0);
  assert_close_relative(push[ROD_W], 20 * (0.9 - ROD_AT[ROD_PHI]), 0.03);
  close_model(&f);
}

// What already lies along the invariants stays as it is.
static void given_gains_along_the_invariants_are_taken_as_they_are(void **state) {
  (void)state;
  Fixture f;
  open_text(&f, ROD);
  Graph *g = f.model->graph;
  double along[ROD_STATES] = {0}, c = 0.5 * cos(0.6), s = 0.5 * sin(0.6), push[ROD_STATES];
  along[ROD_VX] = c, along[ROD_VY] = s, along[ROD_W] = 1;
  CoupleTerm terms[3];
  for (int i = 0; i < 3; i++)
    terms[i] = (CoupleTerm){0, ROD_VX + i, expr_const(g, along[ROD_VX + i]), true};
  RodTie tie = {.measured = {f.model->x[ROD_PHI]}, .channels = 1, .gain_rate = 20, .data = {0.9}};
  push_of_terms(&f, &tie, terms, 3, push);
  for (int i = 0; i < ROD_STATES; i++)
    assert_close(push[i], 20 * along[i] * (0.9 - ROD_AT[ROD_PHI]), 1e-12);
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
      cmocka_unit_test(pushes_by_state_move_free_states_as_demanded),
      cmocka_unit_test(every_push_keeps_the_invariants),
      cmocka_unit_test(mixed_pushes_keep_the_invariants),
      cmocka_unit_test(constrained_measured_states_follow_at_the_rate_of_the_gain),
      cmocka_unit_test(a_push_of_rates_moves_no_position),
      cmocka_unit_test(given_gains_along_the_invariants_are_taken_as_they_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
