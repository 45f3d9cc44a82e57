#include "model/blend.h"

#include "expr/derive.h"

#include <math.h>
#include <string.h>

#include "instance/flat_model.h"
#include "lang/parse.h"
#include "model/extend.h"
#include "model/model_build.h"
#include "model/system.h"
#include "test.h"

typedef struct Fixture {
  Arena *arena;
  Model *model, *copy;
  Blend *blends;
  int count;
  Expr more[1]; // the output y, where there is one
} Fixture;

// turns: a feedback acts along the slope of the force, which turns where that has a kink.
static void open_turning(Fixture *f, const char *text, bool turns) {
  Err err = {0};
  f->arena = arena_new();
  Source *s = source_new(f->arena, "test", text, strlen(text), &err);
  const AstModel *ast = s ? parse_model(f->arena, s, &err) : NULL;
  f->model = ast ? model_new(s, ast, NULL, 0, &err) : NULL;
  if (!f->model) fail_msg("%s", err.text);
  Model *m = f->model;
  int y = names_find(m->flat->names, "y");
  f->more[0] = y >= 0 ? m->value[y] : m->x[0];
  f->copy = model_copy(m, m->arena);
  f->copy->f = ARENA_ARRAY(m->arena, Expr, m->nx + 1);
  memcpy(f->copy->f, m->f, (size_t)m->nx * sizeof *m->f);
  Jumping jumping = {.more = f->more, .more_count = 1};
  if (turns) {
    Derivatives slopes = derive_rows(m->graph, f->arena, &m->f[1], 1, m->x, m->nx);
    jumping.pushes = slopes.value;
    jumping.push_count = slopes.start[1];
  }
  f->count = blend_jumps(m, f->copy, &jumping, &f->blends);
}

static void open_text(Fixture *f, const char *text) {
  open_turning(f, text, false);
}

static void close_model(Fixture *f) {
  model_free(f->model);
  arena_free(f->arena);
}

#define MODEL(force)                                                                               \
  "model Mass\n  parameter Real k = 7;\n  parameter Real b = 0.3;\n"                               \
  "  Real x(start = 0.1, fixed = true);\n  Real v(start = 0.2, fixed = true);\n"                   \
  "equation\n  der(x) = v;\n  der(v) = " force ";\nend Mass;\n"

// The second derivative of x, in the copy with this width, or (width 0) in the model with the modes of the states.
static double force_at(const Fixture *f, double x, double v, double width) {
  Model *m = width > 0 ? f->copy : f->model;
  SystemSpec spec = {.outputs = f->more, .output_count = width > 0, .lanes = 1};
  System *s = system_new(m, &spec);
  SystemWork *w = system_work_new(s);
  double p[16], y[] = {x, v}, dx[2], switching[8];
  for (int k = 0; k < m->np; k++) p[k] = m->flat->parameters.at[k].value;
  for (int k = 0; k < f->count && width > 0; k++) p[f->blends[k].width] = width;
  system_set_parameters(w, p);
  system_set_time(w, 1.5);
  for (int pass = 0; pass < 2 && m->ne; pass++) { // modes may depend on others
    system_events(w, 1.5, y, switching);
    for (int k = 0; k < m->ne; k++) {
      EventKind kind = m->flat->events.at[k].kind;
      double at = switching[k], sign = (at > 0) - (at < 0);
      system_set_mode(w, k,
                      kind == EVENT_SIGN       ? sign
                      : kind == EVENT_FLOOR    ? floor(at)
                      : kind == EVENT_NEGATIVE ? at < 0
                                               : at <= 0);
    }
  }
  system_rhs(w, 1.5, y, dx);
  system_work_free(w);
  system_free(s);
  return dx[1];
}

static int blends_of(const char *text, int *left) {
  Fixture f;
  open_text(&f, text);
  int count = f.count;
  *left = f.copy->ne;
  assert_int_equal(f.copy->ne + f.count, f.model->ne);
  assert_int_equal(f.copy->flat->events.count, f.copy->ne);
  assert_int_equal(f.model->flat->events.count, f.model->ne); // as it was
  close_model(&f);
  return count;
}

static void jumps_are_blended_and_kinks_stay_events(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int blends, left;
  } CASES[] = {
      {MODEL("if x > b then -k*v else 0"), 1, 0},
      {MODEL("if v > 0 then -k else k"), 1, 0},
      {MODEL("-k*sign(v)"), 1, 0},
      {MODEL("if x > b then -k*(x - b) else 0"), 0, 1},
      {MODEL("if x > b then -k*(x - b) elseif x < -b then -k*(x + b) else 0"), 0, 2},
      {MODEL("if x > b then -k*(x - b) - v else 0"), 1, 0},
      {MODEL("-k*abs(x)"), 0, 1},
      {MODEL("sqrt(v) - (if x > b then k*(x - b) else 0)"), 0, 1}, // where it can be computed
      {MODEL("sqrt(v) - (if x > b then k else 0)"), 1, 0},
      {MODEL("if time > 1 then -k else 0"), 0, 1}, // nothing drives it back
      {MODEL("if x > b and v > 0 then -k else 0"), 2, 0},
      {MODEL("-k*floor(x)"), 0, 1},
      {MODEL("-k*noEvent(if x > b then v else 0)"), 0, 0},
  };
  for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
    int left, count = blends_of(CASES[k].text, &left);
    if (count != CASES[k].blends || left != CASES[k].left) print_error("%s", CASES[k].text);
    assert_int_equal(count, CASES[k].blends);
    assert_int_equal(left, CASES[k].left);
  }
}

// A kink is no jump of the equations, but one of the direction that a feedback takes from their slopes; also inside another.
// Without a feedback, only the outer one of two is taken for a jump: no state leads onto it by itself.
static void kinks_that_turn_a_feedback_are_blended(void **state) {
  (void)state;
  static const double WIDTH = 0.05;
  static const struct {
    const char *text;
    int kinks, plain;
  } CASES[] = {{MODEL("if x > b then -k*(x - b) else 0"), 1, 0},
               {MODEL("-k*(x - max(-b, min(b, x)))"), 2, 1},
               {MODEL("-k*(x - min(b, max(-b, x))) - v"), 2, 1}};
  for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++)
    for (int turns = 0; turns < 2; turns++) {
      Fixture f;
      open_turning(&f, CASES[k].text, turns);
      assert_int_equal(f.count, turns ? CASES[k].kinks : CASES[k].plain);
      assert_int_equal(f.copy->ne, f.model->ne - f.count);
      for (double x = -1; x < 1 && turns; x += 0.0503)
        if (fabs(fabs(x) - 0.3) >= WIDTH)
          assert_close(force_at(&f, x, 0.2, WIDTH), force_at(&f, x, 0.2, 0), 1e-15);
      close_model(&f);
    }
}

static void beyond_the_width_nothing_changes(void **state) {
  (void)state;
  static const char *const TEXTS[] = {
      MODEL("if x > b then -k*v else 3"), MODEL("-k*sign(x - b) - x"),
      MODEL("if x <= b or v < 0.1 then -k*x else v"), MODEL("if x > b and v > 0 then -k else x")};
  static const double WIDTH = 0.05;
  for (int k = 0; k < 4; k++) {
    Fixture f;
    open_text(&f, TEXTS[k]);
    assert_true(f.count > 0);
    for (double x = -0.5; x < 1; x += 0.101)
      for (double v = -0.5; v < 1; v += 0.203)
        if (fabs(x - 0.3) >= WIDTH && fabs(v) >= WIDTH && fabs(v - 0.1) >= WIDTH)
          assert_close(force_at(&f, x, v, WIDTH), force_at(&f, x, v, 0), 0);
    close_model(&f);
  }
}

static void inside_it_passes_from_one_side_to_the_other(void **state) {
  (void)state;
  Fixture f;
  open_text(&f, MODEL("if x > b then -k*v else 3"));
  double v = 0.4, width = 0.1, below = 3, above = -7 * v, before = below;
  assert_close(force_at(&f, 0.3, v, width), (below + above) / 2, 1e-14);
  for (double x = 0.19; x < 0.41; x += 0.01) {
    double now = force_at(&f, x, v, width);
    assert_true(now <= before && now >= above - 1e-14);
    before = now;
  }
  for (int side = -1; side <= 1; side += 2) { // slopes are continuous at its ends
    double end = 0.3 + side * width, h = 1e-4;
    double slope = (force_at(&f, end, v, width) - force_at(&f, end - side * h, v, width)) / h;
    assert_close(slope, 0, 0.2); // inside it is 87 at most
  }
  close_model(&f);
}

// A root of a negative number lies on the other side.
static void the_other_side_need_not_be_computable(void **state) {
  (void)state;
  Fixture f;
  open_text(&f, MODEL("if x > b then 1 + sqrt(x) else 0"));
  assert_int_equal(f.count, 1);
  assert_close(force_at(&f, -0.5, 0, 0.05), 0, 0);
  assert_close(force_at(&f, 0.5, 0, 0.05), 1 + sqrt(0.5), 1e-15);
  close_model(&f);
}

static void outputs_change_with_the_equations(void **state) {
  (void)state;
  Fixture f;
  open_text(&f, "model Out\n  Real x(start = 0, fixed = true);\n  Real y;\nequation\n"
                "  der(x) = y - x;\n  y = if x > 0.5 then 1 else 0;\nend Out;\n");
  assert_int_equal(f.count, 1);
  SystemSpec spec = {.outputs = f.more, .output_count = 1, .lanes = 1};
  System *s = system_new(f.copy, &spec);
  SystemWork *w = system_work_new(s);
  double p[] = {0, 0.1}, x = 0.5, y;
  assert_true(f.copy->np <= 2);
  p[f.blends[0].width] = 0.1;
  system_set_parameters(w, p);
  system_outputs(w, 0, &x, &y, NULL);
  assert_close(y, 0.5, 1e-15);
  system_work_free(w);
  system_free(s);
  close_model(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jumps_are_blended_and_kinks_stay_events),
      cmocka_unit_test(kinks_that_turn_a_feedback_are_blended),
      cmocka_unit_test(beyond_the_width_nothing_changes),
      cmocka_unit_test(inside_it_passes_from_one_side_to_the_other),
      cmocka_unit_test(the_other_side_need_not_be_computable),
      cmocka_unit_test(outputs_change_with_the_equations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
