#include "model/tangent.h"

#include <string.h>

#include "instance/flat_model.h"
#include "lang/parse.h"
#include "model/model_build.h"
#include "model/system.h"
#include "test.h"

// A rod on a pivot; `more` may hold it a second time.
#define ROD(force, more)                                                                           \
  "model Rod\n"                                                                                    \
  "  parameter Real l = 0.5;\n"                                                                    \
  "  Real x(start = 0.2), y(start = -0.3), phi(start = 0.6, fixed = true);\n"                      \
  "  Real vx, vy, w(start = 2, fixed = true), Fx, Fy" force ";\n"                                  \
  "equation\n"                                                                                     \
  "  der(x) = vx;\n"                                                                               \
  "  der(y) = vy;\n"                                                                               \
  "  der(phi) = w;\n"                                                                              \
  "  der(vx) = Fx" more "  der(vy) = Fy - 9.81;\n"                                                 \
  "  0.3*der(w) = -l*cos(phi)*Fx - l*sin(phi)*Fy;\n"                                               \
  "  x - l*sin(phi) = 0;\n"                                                                        \
  "  y + l*cos(phi) = 0;\n"                                                                        \
  "end Rod;\n"

static const char ONCE[] = ROD("", ";\n");
static const char TWICE[] = ROD(", G", " + 2*G;\n  2*x - 2*l*sin(phi) = 0;\n");

// A blade that cannot slip sideways: a constraint of rates alone.
static const char BLADE[] = "model Blade\n"
                            "  Real x, y, phi(start = 0.6), vx(start = 1), vy, w(start = 2), F;\n"
                            "equation\n"
                            "  der(x) = vx;\n"
                            "  der(y) = vy;\n"
                            "  der(phi) = w;\n"
                            "  der(vx) = F*sin(phi);\n"
                            "  der(vy) = -F*cos(phi);\n"
                            "  der(w) = 0;\n"
                            "  vx*sin(phi) - vy*cos(phi) = 0;\n"
                            "end Blade;\n";

static const char FREE[] =
    "model Unknown\n  Real x(start = 1);\nequation\n  der(x) = -x;\nend Unknown;\n";

enum { X, Y, PHI, VX, VY, W, STATES };

typedef struct Fixture {
  Arena *arena;
  Model *model;
  Tangent *tangent;
} Fixture;

static void open_text(Fixture *f, const char *text) {
  Err err = {0};
  f->arena = arena_new();
  Source *s = source_new(f->arena, "test", text, strlen(text), &err);
  const AstModel *ast = s ? parse_model(f->arena, s, &err) : NULL;
  f->model = ast ? model_new(s, ast, NULL, 0, &err) : NULL;
  if (!f->model) fail_msg("%s", err.text);
  f->tangent = tangent_new(f->model, f->arena);
}

static void close_text(Fixture *f) {
  model_free(f->model);
  arena_free(f->arena);
}

// At the start of the motion.
static void values_of(Fixture *f, const Expr *e, int count, double *values) {
  SystemSpec spec = {.outputs = e, .output_count = count, .lanes = 1};
  System *s = system_new(f->model, &spec);
  SystemWork *w = system_work_new(s);
  double p[20], x[20];
  for (int k = 0; k < f->model->np; k++) p[k] = f->model->flat->parameters.at[k].value;
  system_set_parameters(w, p);
  system_start(w, 0, x);
  system_outputs(w, 0, x, values, NULL);
  system_work_free(w);
  system_free(s);
}

static Expr *unit_direction(Fixture *f, int state) {
  Expr *d = ARENA_ARRAY(f->arena, Expr, f->model->nx);
  d[state] = expr_const(f->model->graph, 1);
  return d;
}

static double freedom_of(Fixture *f, int state) {
  Expr e = tangent_freedom(f->tangent, unit_direction(f, state));
  double value;
  values_of(f, &e, 1, &value);
  return value;
}

static void a_model_without_invariants_has_no_tangent(void **state) {
  (void)state;
  Fixture f;
  open_text(&f, FREE);
  assert_null(f.tangent);
  close_text(&f);
}

// Positions can move along (l cos phi, l sin phi, 1) only.
static void freedom_is_the_part_along_the_motion(void **state) {
  (void)state;
  static const char *const TEXT[] = {ONCE, TWICE};
  for (int k = 0; k < 2; k++) {
    Fixture f;
    open_text(&f, TEXT[k]);
    double c = 0.5 * cos(0.6), s = 0.5 * sin(0.6), square = 1 + 0.25;
    assert_close(freedom_of(&f, X), c * c / square, 1e-12);
    assert_close(freedom_of(&f, Y), s * s / square, 1e-12);
    assert_close(freedom_of(&f, PHI), 1 / square, 1e-12);
    assert_close(freedom_of(&f, W), 1 / square, 1e-12);
    close_text(&f);
  }
}

static void push_one(Fixture *f, int state, double slack, double *push) {
  Graph *g = f->model->graph;
  TangentPush p = {unit_direction(f, state), expr_const(g, 3), expr_const(g, slack)};
  Expr *sum = ARENA_ARRAY(f->arena, Expr, f->model->nx);
  tangent_push(f->tangent, &p, 1, sum);
  values_of(f, sum, f->model->nx, push);
}

// What is pushed moves as it would if it were free; the others follow, and the rates with the positions.
static void what_is_pushed_moves_as_if_it_were_free(void **state) {
  (void)state;
  Fixture f;
  double push[STATES], c = 0.5 * cos(0.6), s = 0.5 * sin(0.6);
  open_text(&f, TWICE);
  push_one(&f, X, 0, push);
  assert_close(push[X], 3, 1e-11);
  assert_close(push[PHI], 3 / c, 1e-11);
  assert_close(push[Y], s * push[PHI], 1e-11);
  assert_close(push[VX] - c * push[W] + 2 * s * push[PHI], 0, 1e-11); // w = 2
  assert_close(push[VY] - s * push[W] - 2 * c * push[PHI], 0, 1e-11);
  close_text(&f);
}

static void slack_bounds_what_is_hardly_free(void **state) {
  (void)state;
  Fixture f;
  double push[STATES], freedom = 0.25 * sin(0.6) * sin(0.6) / 1.25;
  open_text(&f, ONCE);
  push_one(&f, Y, 1, push);
  assert_close(push[Y], 3 * 2 * freedom / (freedom + 1), 1e-11);
  close_text(&f);
}

static void constraints_of_rates_leave_positions_free(void **state) {
  (void)state;
  Fixture f;
  double push[STATES], lost;
  open_text(&f, BLADE);
  assert_close(freedom_of(&f, X), 1, 0);
  push_one(&f, X, 0, push);
  for (int i = 0; i < STATES; i++) assert_close(push[i], i == X ? 3 : 0, 0);
  push_one(&f, VX, 0, push);
  assert_close(push[VX], 3, 1e-11);
  // phi takes part in the constraint: at the start v = (cos, sin) * speed
  Expr residual = f.model->invariants[0].residual, by[3], speed;
  by[0] = derive(f.model->graph, residual, f.model->x[PHI]);
  by[1] = derive(f.model->graph, residual, f.model->x[VX]);
  by[2] = derive(f.model->graph, residual, f.model->x[VY]);
  double slope[3];
  values_of(&f, by, 3, slope);
  lost = slope[0] * push[PHI] + slope[1] * push[VX] + slope[2] * push[VY];
  assert_close(lost, 0, 1e-11);
  speed = f.model->x[VX];
  values_of(&f, &speed, 1, slope);
  assert_true(slope[0] > 0.1);
  close_text(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model_without_invariants_has_no_tangent),
      cmocka_unit_test(freedom_is_the_part_along_the_motion),
      cmocka_unit_test(what_is_pushed_moves_as_if_it_were_free),
      cmocka_unit_test(slack_bounds_what_is_hardly_free),
      cmocka_unit_test(constraints_of_rates_leave_positions_free),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
