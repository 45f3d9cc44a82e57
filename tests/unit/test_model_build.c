#include "model/model_build.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "loaded.h"
#include "model/system.h"

// ---------------------------------------------------------------- set-up

enum { MOST = 64 }; // states, parameters, variables of a test model: room for the small arrays

// A compiled model: all variables as outputs, sensitivities to all independent parameters.
typedef struct Rig {
  Model *m;
  System *s;
  SystemWork *w;
  Expr *outputs;
  int *parameters;
  int np, ny;
  double *p; // all parameters of the model, lanes each
} Rig;

// Inputs of tests: sin(t + i) and its slope.
static void wavy_inputs(void *data, double t, double *u, double *du) {
  int n = *(const int *)data;
  for (int i = 0; i < n; i++) u[i] = sin(t + i), du[i] = cos(t + i);
}

static void list_outputs(Rig *r) {
  r->outputs = calloc((size_t)r->m->flat->variables.count + 1, sizeof(Expr));
  for (int i = 0; i < r->m->flat->variables.count; i++) {
    const Variable *v = &r->m->flat->variables.at[i];
    if (v->kind == VARIABLE_UNKNOWN || v->kind == VARIABLE_INPUT)
      r->outputs[r->ny++] = r->m->value[i];
  }
}

static Rig rig_new(Model *m, CodeChoice code, int lanes) {
  Rig r = {.m = m};
  list_outputs(&r);
  r.parameters = calloc((size_t)m->np + 1, sizeof(int));
  r.p = calloc((size_t)(m->np * lanes) + 1, sizeof(double));
  for (int k = 0; k < m->np; k++) {
    if (!m->flat->parameters.at[k].dependent) r.parameters[r.np++] = k;
    for (int l = 0; l < lanes; l++) r.p[k * lanes + l] = m->flat->parameters.at[k].value;
  }
  SystemSpec spec = {.outputs = r.outputs,
                     .output_count = r.ny,
                     .parameters = r.parameters,
                     .parameter_count = r.np};
  spec.lanes = lanes, spec.jacobian = spec.jacobian_sens = lanes == 1, spec.code = code;
  r.s = system_new(m, &spec);
  r.w = system_work_new(r.s);
  r.w->inputs = wavy_inputs;
  r.w->inputs_data = &r.s->nu;
  system_set_parameters(r.w, r.p);
  return r;
}

static void rig_free(Rig *r) {
  system_work_free(r->w);
  system_free(r->s);
  free(r->outputs);
  free(r->parameters);
  free(r->p);
}

static double value_of(Rig *r, const char *name, double t, const double *x) {
  double values[MOST];
  system_outputs(r->w, t, x, values, NULL);
  int at = 0;
  for (int i = 0; i < r->m->flat->variables.count; i++) {
    const Variable *v = &r->m->flat->variables.at[i];
    if (v->kind != VARIABLE_UNKNOWN && v->kind != VARIABLE_INPUT) continue;
    if (strcmp(v->name, name) == 0) return values[at];
    at++;
  }
  fail_msg("no variable %s", name);
  return 0;
}

// Modes as the switching functions have them here.
static void choose_modes(Rig *r, double t, const double *x) {
  const Flat *f = r->m->flat;
  double *g = calloc((size_t)r->s->ne + 1, sizeof *g);
  for (int pass = 0; pass < 2 && r->s->ne; pass++) {
    system_events(r->w, t, x, g);
    for (int k = 0; k < r->s->ne; k++)
      system_set_mode(r->w, k,
                      f->events.at[k].kind == EVENT_FLOOR      ? floor(g[k])
                      : f->events.at[k].kind == EVENT_SIGN     ? (g[k] > 0) - (g[k] < 0)
                      : f->events.at[k].kind == EVENT_NEGATIVE ? g[k] < 0
                                                               : g[k] <= 0);
  }
  free(g);
}

// ---------------------------------------------------------------- formulas

typedef void Formula(double t, const double *x, const double *p, double *dx);

// The states and parameters of the text in their order; parameters are drawn from [0.5, 2].
static void check_formula(const char *text, Formula *formula) {
  Loaded l = load_good(text);
  const CodeChoice choices[] = {CODE_AUTO, CODE_INTERPRETER};
  for (int c = 0; c < 2; c++) {
    Rig r = rig_new(l.m, choices[c], 1);
    uint64_t seed = 7;
    for (int trial = 0; trial < 50; trial++) {
      double x[MOST], dx[MOST], want[MOST], t = uniform(&seed, 0, 10);
      for (int k = 0; k < l.m->np; k++) r.p[k] = uniform(&seed, 0.5, 2);
      for (int i = 0; i < l.m->nx; i++) x[i] = uniform(&seed, -2, 2);
      system_set_parameters(r.w, r.p);
      choose_modes(&r, t, x);
      system_rhs(r.w, t, x, dx);
      formula(t, x, r.p, want);
      for (int i = 0; i < l.m->nx; i++) assert_close(dx[i], want[i], 1e-9 * (1 + fabs(want[i])));
    }
    rig_free(&r);
  }
  unload(&l);
}

static void pendulum(double t, const double *x, const double *p, double *dx) {
  (void)t;
  dx[0] = x[1];
  dx[1] = -p[0] * sin(x[0]);
}

static void booleans(double t, const double *x, const double *p, double *dx) {
  (void)t;
  bool b = x[0] > 0, c = !b || x[1] < 0;
  dx[0] = (b ? 3 : 2) * p[0];
  dx[1] = c && !(x[0] > x[1]) ? x[0] : -x[1];
}

static void boolean_variables_take_part(void **state) {
  (void)state;
  check_formula(
      "model B parameter Real p = 1; parameter Integer n = 3; parameter Boolean on = true;\n"
      "Boolean b = noEvent(x > 0); Boolean c; Real x(start = 1, fixed = true); Real y(start = 1, "
      "fixed = true);\n"
      "equation c = noEvent(not b or y < 0); der(x) = (if b and on then 3 else 2)*p;\n"
      "der(y) = if c and not noEvent(x > y) then x else -y; end B;",
      booleans);
}

static void an_explicit_model_computes_its_equations(void **state) {
  (void)state;
  check_formula("model P parameter Real p = 10; Real a(start = 1, fixed = true); Real b(start = 0, "
                "fixed = true);\n"
                "equation der(a) = b; der(b) = -p*sin(a); end P;",
                pendulum);
}

static void driven(double t, const double *x, const double *p, double *dx) {
  dx[0] = x[1];
  dx[1] = (-p[1] * x[0] - p[2] * x[1] + sin(t)) / p[0];
}

static void a_factor_in_front_of_the_derivative_is_divided_out(void **state) {
  (void)state;
  check_formula(
      "model O parameter Real m = 1; parameter Real k = 1; parameter Real c = 1; input Real F;\n"
      "Real x(start = 1, fixed = true); Real v(start = 0, fixed = true);\n"
      "equation m*der(v) = -k*x - c*v + F; v = der(x); end O;",
      driven);
}

// z + z^3 = p - x
static void cubic(double t, const double *x, const double *p, double *dx) {
  (void)t;
  double z = 0;
  for (int i = 0; i < 100; i++) z -= (z + z * z * z - (p[0] - x[0])) / (1 + 3 * z * z);
  dx[0] = z;
}

static void a_nonlinear_equation_for_the_derivative_is_solved(void **state) {
  (void)state;
  check_formula("model N parameter Real p = 1; Real x(start = 1, fixed = true);\n"
                "equation x + der(x)^3 + der(x) = p; end N;",
                cubic);
}

// [p0 p1 x1/4; p1 x1/4 p2] dv = [x0; -x1] with p drawn so that it is regular
static void mass_matrix(double t, const double *x, const double *p, double *dx) {
  (void)t;
  double a = 4 + p[0], b = p[1] * x[1] / 4, d = 4 + p[2], det = a * d - b * b;
  dx[0] = (x[0] * d - b * -x[1]) / det;
  dx[1] = (a * -x[1] - b * x[0]) / det;
}

static void a_mass_matrix_is_solved_as_a_linear_block(void **state) {
  (void)state;
  const char *text =
      "model M parameter Real a = 1; parameter Real b = 1; parameter Real d = 1;\n"
      "Real x(start = 1, fixed = true); Real y(start = 1, fixed = true);\n"
      "equation (4 + a)*der(x) + b*y/4*der(y) = x; b*y/4*der(x) + (4 + d)*der(y) = -y; end M;";
  check_formula(text, mass_matrix);
  Loaded l = load_good(text);
  int linear = 0;
  for (int k = 0; k < l.m->sorted.block_count; k++)
    linear += l.m->sorted.blocks[k].kind == SORT_LINEAR;
  assert_int_equal(linear, 1);
  unload(&l);
}

// A ladder of resistors: i1 .. i3 and the node voltages form one loop.
static void ladder(double t, const double *x, const double *p, double *dx) {
  (void)t;
  // u - R i1 = w1; i1 = w1/S + i2; i2 = (w1 - w2)/R; i2 = w2/S + i3; i3 = (w2 - x)/R
  double R = p[0], S = p[1], u = p[2];
  double a = 1 / R + 1 / S + 1 / R, b = -1 / R, c1 = u / R, c2 = x[0] / R;
  double det = a * a - b * b, w2 = (a * c2 - b * c1) / det;
  dx[0] = (w2 - x[0]) / R;
}

static void a_loop_of_many_equations_is_torn_and_solved(void **state) {
  (void)state;
  check_formula(
      "model L parameter Real R = 1; parameter Real S = 2; parameter Real u = 3;\n"
      "Real x(start = 1, fixed = true); Real i1; Real i2; Real i3; Real w1; Real w2;\n"
      "equation u - R*i1 = w1; i1 = w1/S + i2; w1 - w2 = R*i2; i2 = w2/S + i3; w2 - x = R*i3;\n"
      "der(x) = i3; end L;",
      ladder);
}

// y = a + z/4, z = sin(y) + x
static void torn_loop(double t, const double *x, const double *p, double *dx) {
  (void)t;
  double y = 0, z = 0;
  for (int i = 0; i < 200; i++) z = sin(y) + x[0], y = p[0] + z / 4;
  dx[0] = y - z;
}

static void a_nonlinear_loop_iterates_on_its_torn_unknowns_only(void **state) {
  (void)state;
  const char *text =
      "model T parameter Real a = 1; Real x(start = 1, fixed = true); Real y; Real z;\n"
      "equation y = a + z/4; z = sin(y) + x; der(x) = y - z; end T;";
  check_formula(text, torn_loop);
  Loaded l = load_good(text);
  const Sorted *s = &l.m->sorted;
  bool found = false;
  for (int k = 0; k < s->block_count; k++) {
    if (s->blocks[k].kind != SORT_NONLINEAR) continue;
    found = true;
    assert_int_equal(s->blocks[k].count, 2);
    assert_int_equal(s->blocks[k].torn, 1);
  }
  assert_true(found);
  unload(&l);
}

static void chain(double t, const double *x, const double *p, double *dx) {
  (void)t;
  double q = 2 * p[0], s = q * q + p[1];
  dx[0] = -s * x[0] + q;
}

static void dependent_parameters_follow_the_others(void **state) {
  (void)state;
  // parameters in the order of definition: a, b, then q and s, which depend on them
  check_formula("model D parameter Real a = 1; parameter Real b = 2; parameter Real q = 2*a;\n"
                "parameter Real s = q^2 + b; Real x(start = 1, fixed = true);\n"
                "equation der(x) = -s*x + q; end D;",
                chain);
}

static void conditions(double t, const double *x, const double *p, double *dx) {
  dx[0] = (x[0] < 0 ? -1 : 2) + fabs(x[1]) + (x[0] > x[1] && x[1] > 0 ? p[0] : 0);
  dx[1] = fmin(x[0], x[1]) - fmax(x[0], p[0]) + (x[0] > 0) - (x[0] < 0) + t;
}

static void conditions_without_events_are_computed_on_the_spot(void **state) {
  (void)state;
  check_formula("model C parameter Real p = 1; Real x(start = 1, fixed = true); Real y(start = 1, "
                "fixed = true);\n"
                "equation der(x) = noEvent((if x < 0 then -1 else 2) + abs(y) + (if x > y and y > "
                "0 then p else 0));\n"
                "der(y) = noEvent(min(x, y) - max(x, p) + sign(x) + time); end C;",
                conditions);
}

static void conditions_with_events_give_the_same_in_the_right_modes(void **state) {
  (void)state;
  check_formula(
      "model C parameter Real p = 1; Real x(start = 1, fixed = true); Real y(start = 1, fixed = "
      "true);\n"
      "equation der(x) = (if x < 0 then -1 else 2) + abs(y) + (if x > y and y > 0 then p else 0);\n"
      "der(y) = min(x, y) - max(x, p) + sign(x) + time; end C;",
      conditions);
}

static void functions(double t, const double *x, const double *p, double *dx) {
  (void)t;
  double a = x[0], q = p[0];
  dx[0] =
      tan(a / 2) + asin(a / 3) + acos(a / 3) + atan(a) + atan2(a, q) + sinh(a) + cosh(a) + tanh(a);
  dx[1] = exp(a) + log(q) + log10(q) + sqrt(q) + pow(q, a) + (a - q * floor(a / q)) + ceil(a) -
          pow(a, 3) + pow(q, -2);
}

static void every_function_gives_its_value(void **state) {
  (void)state;
  check_formula("model F parameter Real q = 1; Real a(start = 1, fixed = true); Real b(start = 1, "
                "fixed = true);\n"
                "equation der(a) = tan(a/2) + asin(a/3) + acos(a/3) + atan(a) + atan2(a, q) + "
                "sinh(a) + cosh(a) + tanh(a);\n"
                "der(b) = noEvent(exp(a) + log(q) + log10(q) + sqrt(q) + q^a + mod(a, q) + ceil(a) "
                "- a^3 + q^(-2)); end F;",
                functions);
}

// ---------------------------------------------------------------- starts

static void start_of(const char *text, const char *state_name, double want) {
  Loaded l = load_good(text);
  Rig r = rig_new(l.m, CODE_AUTO, 1);
  double y[MOST * MOST];
  system_start(r.w, 0, y);
  for (int i = 0; i < l.m->nx; i++)
    if (strcmp(l.m->flat->variables.at[l.m->state[i]].name, state_name) == 0) {
      assert_close(y[i], want, 1e-10);
      rig_free(&r);
      unload(&l);
      return;
    }
  fail_msg("no state %s", state_name);
}

static void start_values_come_from_attributes_and_initial_equations(void **state) {
  (void)state;
  start_of("model A Real x(start = 3, fixed = true); equation der(x) = -x; end A;", "x", 3);
  start_of("model A parameter Real p = 2; Real x(start = 3*p, fixed = true); equation der(x) = -x; "
           "end A;",
           "x", 6);
  start_of("model A Real x; initial equation x = 4; equation der(x) = -x; end A;", "x", 4);
  start_of("model A Real x(start = 1); initial equation x^3 = 8; equation der(x) = -x; end A;", "x",
           2);
  start_of("model A Real x(start = 1); Real y; initial equation y = 10; equation y = 2*x; der(x) = "
           "-x; end A;",
           "x", 5);
  start_of("model A Real x(start = 1); Real y(start = 10, fixed = true); equation y = 2*x; der(x) "
           "= -x; end A;",
           "x", 5);
}

static void an_initial_equation_determines_the_state_without_a_start(void **state) {
  (void)state;
  const char *text =
      "model A Real x; Real y(start = 1); Real z; initial equation x + y = 5; z = y*x;\n"
      "equation der(x) = y; der(y) = -x; der(z) = 1; end A;";
  start_of(text, "x", 4);
  start_of(text, "y", 1);
  start_of(text, "z", 4);
}

static void a_steady_start_makes_the_derivative_zero(void **state) {
  (void)state;
  start_of("model S parameter Real u = 3; Real x(start = 1); initial equation der(x) = 0;\n"
           "equation der(x) = u - 2*x; end S;",
           "x", 1.5);
  start_of("model S parameter Real u = 3; Real x(start = 1); Real y(start = 1); initial equation "
           "der(x) = 0; der(y) = 0;\n"
           "equation der(x) = u - x^2*y; der(y) = x - 2*y; end S;",
           "x", cbrt(6));
}

static void a_start_that_is_not_given_is_assumed_with_a_warning(void **state) {
  (void)state;
  Loaded l =
      load_good("model W Real x; Real y(start = 2); equation der(x) = -x; der(y) = x; end W;");
  assert_int_equal(l.m->flat->warnings.list.count, 1);
  assert_non_null(
      strstr(l.m->flat->warnings.list.at[0].text, "the initial value of x is not given"));
  unload(&l);
}

static void a_nonlinear_equation_begins_at_the_start_of_its_unknown(void **state) {
  (void)state;
  const char *form = "model N Real z(start = %d); Real x(start = 4, fixed = true); equation z^2 = "
                     "x; der(x) = z; end N;";
  for (int sign = -1; sign <= 1; sign += 2) {
    char text[200];
    snprintf(text, sizeof text, form, sign);
    Loaded l = load_good(text);
    Rig r = rig_new(l.m, CODE_AUTO, 1);
    double y[MOST];
    system_start(r.w, 0, y);
    assert_close(value_of(&r, "z", 0, y), 2 * sign, 1e-12);
    rig_free(&r);
    unload(&l);
  }
}

static void what_cannot_be_computed_is_not_finite_and_is_explained(void **state) {
  (void)state;
  Loaded l = load_good(
      "model N parameter Real p = 2; Real x(start = 1, fixed = true); Real z(start = 1);\n"
      "equation z^2 = -x*p; der(x) = z + sqrt(-x); end N;");
  Rig r = rig_new(l.m, CODE_AUTO, 1);
  double y[MOST], dx[MOST];
  system_start(r.w, 0, y);
  assert_close(y[0], 1, 0);
  system_rhs(r.w, 0, y, dx);
  assert_false(isfinite(dx[0]));
  Text why;
  text_init(&why);
  assert_true(system_explain(r.w, KERNEL_RHS, 0, y, &why));
  assert_true(why.length > 10);
  text_done(&why);
  rig_free(&r);
  unload(&l);
}

static void modes_at_the_start_are_those_of_the_start_values(void **state) {
  (void)state;
  Loaded l =
      load_good("model E Real x(start = -1, fixed = true); Real y(start = 2.5, fixed = true);\n"
                "equation der(x) = if x < 0 then 1 else -1; der(y) = floor(y) + abs(x); end E;");
  Rig r = rig_new(l.m, CODE_AUTO, 1);
  double y[MOST * MOST], dx[MOST];
  system_start(r.w, 0, y);
  system_rhs(r.w, 0, y, dx);
  assert_close(dx[0], 1, 0);
  assert_close(dx[1], 3, 0);
  assert_int_equal(l.m->ne, 2); // x < 0 serves abs(x) too
  rig_free(&r);
  unload(&l);
}

static void overrides_replace_values_and_cut_dependence(void **state) {
  (void)state;
  const char *text =
      "model O parameter Real a = 1; parameter Real b = 2*a; Real x(start = b, fixed = true);\n"
      "equation der(x) = b; end O;";
  Loaded l = {.arena = arena_new()};
  const Source *s = source_new(l.arena, "<text>", text, strlen(text), &l.err);
  const AstModel *ast = parse_model(l.arena, s, &l.err);
  const Override overrides[] = {{"b", 7}, {"x.start", -1}};
  l.m = model_new(s, ast, overrides, 2, &l.err);
  assert_non_null(l.m);
  Rig r = rig_new(l.m, CODE_AUTO, 1);
  double y[MOST], dx[MOST];
  system_start(r.w, 0, y);
  system_rhs(r.w, 0, y, dx);
  assert_close(y[0], -1, 0);
  assert_close(dx[0], 7, 0);
  rig_free(&r);
  unload(&l);
}

static void a_model_without_states_still_computes_its_variables(void **state) {
  (void)state;
  Loaded l = load_good(
      "model Z parameter Real p = 3; Real y; Real z; equation y + z = p; y - z = time; end Z;");
  Rig r = rig_new(l.m, CODE_AUTO, 1);
  double nothing[1] = {0};
  assert_close(value_of(&r, "y", 1, nothing), 2, 1e-15);
  assert_close(value_of(&r, "z", 1, nothing), 1, 1e-15);
  rig_free(&r);
  unload(&l);
}

// ---------------------------------------------------------------- errors

static void wrong_numbers_of_equations_are_explained(void **state) {
  (void)state;
  refused("model A\nReal x(start = 1, fixed = true);\nReal y;\nequation\nder(x) = -y;\nend A;", 3,
          "too few equations: 1 for 2");
  refused("model A\nReal x(start = 1, fixed = true);\nequation\nder(x) = -x;\nder(x) = 1;\nend A;",
          5, "too many equations: 2 for 1");
  refused("model A\nReal x(start = 1, fixed = true);\nequation\nder(x) = -x;\nx = 1;\nend A;", 5,
          "too many equations: 2 for 1");
}

static void structurally_singular_models_are_explained(void **state) {
  (void)state;
  refused("model A\nReal x(start = 1, fixed = true);\nReal y;\nReal z;\nequation\nder(x) = y;\ny = "
          "time;\ny = sin(time);\nend A;",
          8, "structurally singular");
  refused("model A\nparameter Real p = 1;\nReal y;\nReal z;\nequation\ny + z = 1;\np = 1;\nend A;",
          7, "structurally singular");
}

static void circular_parameters_are_refused(void **state) {
  (void)state;
  refused("model A\nparameter Real a = 2*b;\nparameter Real b = a + 1;\nReal x = a;\nend A;", 3,
          "circular");
  refused("model A\nparameter Real a = a;\nReal x = a;\nend A;", 2, "circular");
}

static void wrong_types_are_refused(void **state) {
  (void)state;
  refused("model A\nReal x(start = 1);\nequation\nder(x) = x < 1;\nend A;", 4, "true or false");
  refused("model A\nReal x(start = 1);\nequation\nder(x) = if x then 1 else 2;\nend A;", 4,
          "needs true or false");
  refused("model A\nReal x(start = 1);\nequation\nder(x) = x + (x < 1);\nend A;", 4,
          "needs a number");
  refused("model A\nparameter Real p = true;\nReal x = p;\nend A;", 2, "is a number");
  refused("model A\nReal x(start = true);\nequation\nder(x) = 1;\nend A;", 2, "is a number");
  refused("model A\nReal x(start = 1);\nequation\nder(x) = sin(x > 0);\nend A;", 4,
          "needs a number");
}

static void unknown_names_are_refused_with_a_guess(void **state) {
  (void)state;
  refused("model A\nReal theta(start = 1);\nequation\nder(theta) = -tetha;\nend A;", 4,
          "did you mean 'theta'");
  refused("model A\nReal x(start = 1);\nequation\nder(x) = -sn(x);\nend A;", 4,
          "did you mean 'sin'");
  refused("model A\nReal x(strat = 1);\nequation\nder(x) = -x;\nend A;", 2, "did you mean 'start'");
  refused("model A\nparameter Real p = x;\nReal x(start = 1);\nequation\nder(x) = -p;\nend A;", 2,
          "varies in time");
}

static void too_many_initial_conditions_are_refused(void **state) {
  (void)state;
  refused("model A\nReal x(start = 1, fixed = true);\ninitial equation\nx = 2;\nequation\nder(x) = "
          "-x;\nend A;",
          2, "too many initial conditions");
}

static void equations_that_cannot_be_solved_are_refused(void **state) {
  (void)state;
  refused("model A\nReal a; Real b; Real x(start = 1, fixed = true);\nequation\na + b = x;\n"
          "2*a + 2*b = 2*x;\nder(x) = a;\nend A;",
          4, "lines 4, 5 do not determine a and b");
  refused("model A\nBoolean b; Real x(start = 1, fixed = true);\nequation\nnot b = x > 0;\nder(x) "
          "= if b then 1 else 2;\nend A;",
          4, "cannot be solved for the Boolean variable b");
}

// a + b = 1 and a + b = x say that x is 1.
static void hidden_constraints_are_found(void **state) {
  (void)state;
  Loaded l = load_good("model A Real a, b, x(start = 3); equation a + b = 1; a + b = x;\n"
                       "der(x) = a; end A;");
  Rig r = rig_new(l.m, CODE_INTERPRETER, 1);
  double x[MOST];
  assert_int_equal(l.m->index, 2);
  assert_int_equal(l.m->invariant_count, 1);
  system_start(r.w, 0, x);
  assert_close(x[0], 1, 1e-12);
  assert_close(value_of(&r, "a", 0, x), 0, 1e-12);
  assert_close(value_of(&r, "b", 0, x), 1, 1e-12);
  rig_free(&r);
  unload(&l);
}

// Time that grows with the square of the size would be minutes here.
static void a_long_chain_of_equations_is_sorted_quickly(void **state) {
  (void)state;
  enum { COUNT = 20000 };
  Text t;
  text_init(&t);
  text_add(&t, "model Long Real x(start = 1, fixed = true);\n");
  for (int i = 0; i < COUNT; i++) text_print(&t, "Real y%d;\n", i);
  text_add(&t, "equation y0 = x; der(x) = -y19999;\n");
  for (int i = 1; i < COUNT; i++)
    text_print(&t, "y%d = 0.9999*y%d + 0.001*sin(y%d);\n", i, i - 1, i - 1);
  text_add(&t, "end Long;\n");
  Loaded l = load_good(t.at);
  assert_int_equal(l.m->sorted.block_count, COUNT + 1);
  unload(&l);
  text_done(&t);
}

// ---------------------------------------------------------------- derivatives against differences

typedef struct Point { // where derivatives are compared, with one direction for each stored column
  Rig *r;
  double t;
  double *x, *y; // states; states and sensitivities
  double *scale; // of each state
} Point;

static double scale_of(double v) {
  return v == 0 ? 1e-3 : fabs(v);
}

static Point point_new(Rig *r, uint64_t *seed) {
  const System *s = r->s;
  size_t count = (size_t)(s->nx + s->nx * s->stride) + 1;
  Point at = {r, uniform(seed, 0.1, 2), calloc((size_t)s->nx + 1, 8), calloc(count, 8),
              calloc((size_t)s->nx + 1, 8)};
  for (int k = 0; k < r->m->np; k++)
    r->p[k] = r->m->flat->parameters.at[k].value * uniform(seed, 0.95, 1.05);
  system_set_parameters(r->w, r->p);
  system_forget(r->w);
  system_start(r->w, 0, at.y);
  for (int i = 0; i < s->nx; i++) {
    at.scale[i] = fabs(at.y[i]) > 0 ? fabs(at.y[i]) : 0.5;
    at.y[i] = at.x[i] = at.y[i] + at.scale[i] * uniform(seed, 0.05, 0.4);
    for (int k = 0; k < s->ns; k++) {
      int number = s->columns.parameter[k];
      at.y[s->nx + i * s->stride + k] = at.scale[i] / scale_of(r->p[number]) * uniform(seed, -1, 1);
    }
  }
  choose_modes(r, at.t, at.x);
  return at;
}

static void point_free(Point *at) {
  free(at->x);
  free(at->y);
  free(at->scale);
}

// What is differentiated: a function of the shifted point.
typedef void Probe(Rig *r, double t, const double *x, double *out);

static void probe_rhs(Rig *r, double t, const double *x, double *out) {
  system_rhs(r->w, t, x, out);
}

static void probe_jacobian(Rig *r, double t, const double *x, double *out) {
  system_jacobian(r->w, t, x, out, out + pattern_count(&r->s->sparse.jacobian));
}

static void probe_outputs(Rig *r, double t, const double *x, double *out) {
  system_outputs(r->w, t, x, out, NULL);
}
static void probe_events(Rig *r, double t, const double *x, double *out) {
  system_events(r->w, t, x, out);
}

// The point moved by h: time by dt, states along dx, one parameter (number k, -1 = none) by dp.
typedef struct Way {
  double dt;
  const double *dx;
  int k;
  double dp;
} Way;

static void moved(Point *at, const Way *way, double h, Probe *probe, double *out) {
  Rig *r = at->r;
  double x[400], modes[MOST];
  for (int i = 0; i < r->s->nx; i++) x[i] = at->x[i] + (way->dx ? h * way->dx[i] : 0);
  for (int e = 0; e < r->s->ne; e++) modes[e] = system_mode(r->w, e);
  double keep = way->k >= 0 ? r->p[way->k] : 0;
  if (way->k >= 0) r->p[way->k] += h * way->dp;
  system_set_parameters(r->w, r->p);
  for (int e = 0; e < r->s->ne; e++) system_set_mode(r->w, e, modes[e]);
  probe(r, at->t + h * way->dt, x, out);
  if (way->k >= 0) r->p[way->k] = keep;
  system_set_parameters(r->w, r->p);
}

// Central difference of order 4, and the size of what was differenced.
static void difference(Point *at, const Way *way, Probe *probe, int count, double *slope,
                       double *size) {
  const double h = 1e-3, weight[] = {1, -8, 8, -1}, place[] = {-2, -1, 1, 2};
  double *out = calloc((size_t)count + 1, sizeof *out);
  memset(slope, 0, (size_t)count * sizeof *slope);
  memset(size, 0, (size_t)count * sizeof *size);
  for (int s = 0; s < 4; s++) {
    moved(at, way, place[s] * h, probe, out);
    for (int i = 0; i < count; i++) {
      slope[i] += weight[s] * out[i] / (12 * h);
      size[i] = fmax(size[i], fabs(out[i]));
    }
  }
  free(out);
}

typedef struct Comparison {
  const char *model, *what;
  int count;
  double *slope, *size;
} Comparison;

static Comparison comparison_new(const char *model, const char *what, int count) {
  return (Comparison){model, what, count, calloc((size_t)count + 1, 8),
                      calloc((size_t)count + 1, 8)};
}

static void comparison_free(Comparison *c) {
  free(c->slope);
  free(c->size);
}

static void agree(const Comparison *c, int i, double exact, const char *detail, int number) {
  double tol = 1e-7 * (fabs(c->slope[i]) + c->size[i]) + 1e-12;
  if (fabs(exact - c->slope[i]) <= tol) return;
  fail_msg("%s: %s[%d], %s %d: exact %.15g, difference %.15g", c->model, c->what, i, detail, number,
           exact, c->slope[i]);
}

static void check_jacobian(const char *model, Point *at) {
  const System *s = at->r->s;
  int entries = pattern_count(&s->sparse.jacobian);
  double *J = calloc((size_t)entries + 1, 8), *ft = calloc((size_t)s->nx + 1, 8),
         *dx = calloc((size_t)s->nx + 1, 8);
  Comparison c = comparison_new(model, "f", s->nx);
  system_jacobian(at->r->w, at->t, at->x, J, ft);
  for (int j = 0; j < s->nx; j++) {
    memset(dx, 0, (size_t)s->nx * 8);
    dx[j] = at->scale[j];
    difference(at, &(Way){0, dx, -1, 0}, probe_rhs, s->nx, c.slope, c.size);
    for (int i = 0; i < s->nx; i++) {
      double exact = 0;
      for (int e = s->sparse.jacobian.start[i]; e < s->sparse.jacobian.start[i + 1]; e++)
        if (s->sparse.jacobian.column[e] == j) exact = J[e] * dx[j];
      agree(&c, i, exact, "by state", j);
    }
  }
  Way later = {0.01, NULL, -1, 0}; // short: some models are driven by high frequencies
  difference(at, &later, probe_rhs, s->nx, c.slope, c.size);
  for (int i = 0; i < s->nx; i++) agree(&c, i, ft[i] * later.dt, "by time", 0);
  comparison_free(&c);
  free(J), free(ft), free(dx);
}

// The direction of stored column k, scaled so that the parameter moves by its own size.
static Way way_of(Point *at, int k, double *dx) {
  const System *s = at->r->s;
  int number = s->columns.parameter[k];
  double dp = scale_of(at->r->p[number]);
  for (int i = 0; i < s->nx; i++) dx[i] = at->y[s->nx + i * s->stride + k] * dp;
  return (Way){0, dx, number, dp};
}

static void check_rhs_sens(const char *model, Point *at) {
  const System *s = at->r->s;
  double *dy = calloc((size_t)(s->nx + s->nx * s->stride) + 1, 8),
         *dx = calloc((size_t)s->nx + 1, 8);
  Comparison c = comparison_new(model, "f", s->nx);
  system_rhs_sens(at->r->w, at->t, at->y, dy);
  for (int k = 0; k < s->ns; k++) {
    Way way = way_of(at, k, dx);
    difference(at, &way, probe_rhs, s->nx, c.slope, c.size);
    for (int i = 0; i < s->nx; i++)
      agree(&c, i, dy[s->nx + i * s->stride + k] * way.dp, "in column", k);
  }
  double *f = calloc((size_t)s->nx + 1, 8);
  system_rhs(at->r->w, at->t, at->x, f);
  for (int i = 0; i < s->nx; i++) assert_close(dy[i], f[i], 1e-12 * fabs(f[i]));
  comparison_free(&c);
  free(dy), free(dx), free(f);
}

static void check_jacobian_sens(const char *model, Point *at) {
  const System *s = at->r->s;
  int entries = pattern_count(&s->sparse.jacobian), count = entries + s->nx;
  double *DJ = calloc((size_t)(count * s->stride) + 1, 8), *Dft = DJ + entries * s->stride;
  double *dx = calloc((size_t)s->nx + 1, 8);
  Comparison c = comparison_new(model, "f_x, f_t", count);
  system_jacobian_sens(at->r->w, at->t, at->y, DJ, Dft);
  for (int k = 0; k < s->ns; k++) {
    Way way = way_of(at, k, dx);
    difference(at, &way, probe_jacobian, count, c.slope, c.size);
    for (int e = 0; e < entries; e++) agree(&c, e, DJ[e * s->stride + k] * way.dp, "in column", k);
    for (int i = 0; i < s->nx; i++)
      agree(&c, entries + i, Dft[i * s->stride + k] * way.dp, "in column", k);
  }
  comparison_free(&c);
  free(DJ), free(dx);
}

static void check_outputs(const char *model, Point *at) {
  const System *s = at->r->s;
  double *values = calloc((size_t)s->ny + 1, 8), *sens = calloc((size_t)(s->ny * s->np) + 1, 8);
  double *dx = calloc((size_t)s->nx + 1, 8);
  Comparison c = comparison_new(model, "outputs", s->ny);
  system_outputs(at->r->w, at->t, at->y, values, sens);
  for (int q = 0; q < s->np; q++) {
    int column = -1;
    for (int k = 0; k < s->ns; k++)
      if (s->columns.active[k] == q) column = k;
    Way way = {0, NULL, at->r->parameters[q], scale_of(at->r->p[at->r->parameters[q]])};
    if (column >= 0) way = way_of(at, column, dx);
    difference(at, &way, probe_outputs, s->ny, c.slope, c.size);
    for (int i = 0; i < s->ny; i++) agree(&c, i, sens[i * s->np + q] * way.dp, "by parameter", q);
  }
  comparison_free(&c);
  free(values), free(sens), free(dx);
}

static void check_event_sens(const char *model, Point *at) {
  const System *s = at->r->s;
  if (!s->ne || !s->ns) return;
  double *f = calloc((size_t)s->nx + 1, 8), *dx = calloc((size_t)s->nx + 1, 8);
  double *by = calloc((size_t)s->stride + 1, 8), rate;
  Comparison c = comparison_new(model, "events", s->ne);
  system_rhs(at->r->w, at->t, at->x, f);
  for (int e = 0; e < s->ne; e++) {
    system_event_sens(at->r->w, at->t, at->y, e, f, &rate, by);
    double h = 1e-2 / (1 + fabs(rate)); // along the motion the switching function may run fast
    for (int i = 0; i < s->nx; i++) dx[i] = h * f[i];
    difference(at, &(Way){h, dx, -1, 0}, probe_events, s->ne, c.slope, c.size);
    agree(&c, e, rate * h, "along the motion", 0);
    for (int k = 0; k < s->ns; k++) {
      Way way = way_of(at, k, dx);
      difference(at, &way, probe_events, s->ne, c.slope, c.size);
      agree(&c, e, by[k] * way.dp, "in column", k);
    }
  }
  comparison_free(&c);
  free(f), free(dx), free(by);
}

static void probe_start(Rig *r, double t, const double *x, double *out) {
  (void)t, (void)x;
  double *y = calloc((size_t)(r->s->nx + r->s->nx * r->s->stride) + 1, 8);
  system_start(r->w, 0, y);
  memcpy(out, y, (size_t)r->s->nx * sizeof *out);
  free(y);
}

static void check_start_sens(const char *model, Point *at) {
  const System *s = at->r->s;
  double *y = calloc((size_t)(s->nx + s->nx * s->stride) + 1, 8);
  Comparison c = comparison_new(model, "x0", s->nx);
  system_start(at->r->w, 0, y);
  for (int k = 0; k < s->ns; k++) {
    int number = s->columns.parameter[k];
    Way way = {0, NULL, number, scale_of(at->r->p[number])};
    difference(at, &way, probe_start, s->nx, c.slope, c.size);
    for (int i = 0; i < s->nx; i++)
      agree(&c, i, y[s->nx + i * s->stride + k] * way.dp, "by parameter", k);
  }
  comparison_free(&c);
  free(y);
}

static void check_derivatives(const char *name, Model *m, CodeChoice code) {
  Rig r = rig_new(m, code, 1);
  uint64_t seed = 11;
  for (int trial = 0; trial < 2; trial++) {
    Point at = point_new(&r, &seed);
    check_jacobian(name, &at);
    if (r.s->ns) check_rhs_sens(name, &at);
    if (r.s->ns) check_jacobian_sens(name, &at);
    check_outputs(name, &at);
    check_event_sens(name, &at);
    check_start_sens(name, &at);
    point_free(&at);
  }
  rig_free(&r);
}

// ---------------------------------------------------------------- lanes against scalar

static void fill_lanes(Rig *wide, Rig *one, Point *at, int lanes, int lane, double *y) {
  const System *s = wide->s, *n = one->s;
  for (int k = 0; k < wide->m->np; k++) wide->p[k * lanes + lane] = one->p[k];
  for (int i = 0; i < s->nx; i++) y[i * lanes + lane] = at->x[i];
  for (int i = 0; i < s->nx; i++)
    for (int k = 0; k < s->ns; k++)
      y[(s->nx + i * s->stride + k) * lanes + lane] = at->y[n->nx + i * n->stride + k];
}

static void near(const char *name, const char *what, double a, double b, double size) {
  if (fabs(a - b) <= 1e-11 * (fabs(b) + size)) return;
  fail_msg("%s: %s in lanes %.17g, alone %.17g", name, what, a, b);
}

static double largest(const double *v, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(v[i]));
  return most;
}

// Every lane has its own parameters and states and gives what the scalar code gives for them.
static void check_lanes(const char *name, Model *m, int lanes, CodeChoice code) {
  Rig one = rig_new(m, CODE_AUTO, 1), wide = rig_new(m, code, lanes);
  const System *s = wide.s, *n = one.s;
  size_t count = (size_t)(s->nx + s->nx * s->stride) + 1,
         values = (size_t)s->ny * (size_t)(s->np + 1) + 1;
  size_t width = (size_t)lanes;
  double *y = calloc(count * width, 8), *dy = calloc(count * width, 8),
         *out = calloc(values * width, 8);
  double *want_dy[LANES_MOST], *want_out[LANES_MOST];
  uint64_t seed = 5;
  double t = 0;
  assert_int_equal(s->ns, n->ns);
  for (int l = 0; l < lanes; l++) {
    Point at = point_new(&one, &seed);
    if (l == 0) t = at.t;
    choose_modes(&one, t, at.x);
    fill_lanes(&wide, &one, &at, lanes, l, y);
    for (int e = 0; e < s->ne; e++)
      wide.w->par[(s->at.mode + e) * lanes + l] = system_mode(one.w, e);
    want_dy[l] = calloc((size_t)(n->nx + n->nx * n->stride) + 1, 8);
    want_out[l] = calloc(values, 8);
    if (n->ns)
      system_rhs_sens(one.w, t, at.y, want_dy[l]);
    else
      system_rhs(one.w, t, at.y, want_dy[l]);
    system_outputs(one.w, t, at.y, want_out[l], want_out[l] + n->ny);
    point_free(&at);
  }
  system_set_parameters(wide.w, wide.p);
  if (s->ns)
    system_rhs_sens(wide.w, t, y, dy);
  else
    system_rhs(wide.w, t, y, dy);
  system_outputs(wide.w, t, y, out, out + (size_t)s->ny * width);
  for (int l = 0; l < lanes; l++) {
    double size = largest(want_dy[l], s->nx);
    for (int i = 0; i < s->nx; i++) near(name, "f", dy[i * lanes + l], want_dy[l][i], size);
    for (int i = 0; i < s->nx; i++)
      for (int k = 0; k < s->ns; k++)
        near(name, "its sensitivity", dy[(s->nx + i * s->stride + k) * lanes + l],
             want_dy[l][n->nx + i * n->stride + k], largest(want_dy[l] + n->nx, n->nx * n->stride));
    for (int i = 0; i < s->ny * (s->np + 1); i++)
      near(name, "outputs", out[i * lanes + l], want_out[l][i],
           largest(want_out[l], (int)values - 1));
    free(want_dy[l]), free(want_out[l]);
  }
  free(y), free(dy), free(out);
  rig_free(&one), rig_free(&wide);
}

// Machine code and interpreter give the same bits.
static void check_same_bits(const char *name, Model *m) {
  Rig fast = rig_new(m, CODE_AUTO, 1), slow = rig_new(m, CODE_INTERPRETER, 1);
  const System *s = fast.s;
  uint64_t seed = 3, again = 3;
  Point a = point_new(&fast, &seed), b = point_new(&slow, &again);
  size_t count = (size_t)(s->nx + s->nx * s->stride) + 1;
  double *x = calloc(count, 8), *y = calloc(count, 8);
  if (s->ns)
    system_rhs_sens(fast.w, a.t, a.y, x), system_rhs_sens(slow.w, b.t, b.y, y);
  else
    system_rhs(fast.w, a.t, a.y, x), system_rhs(slow.w, b.t, b.y, y);
  if (memcmp(x, y, (count - 1) * 8)) fail_msg("%s: machine code and interpreter differ", name);
  free(x), free(y);
  point_free(&a), point_free(&b);
  rig_free(&fast), rig_free(&slow);
}

static void check_everything(const char *name, Model *m) {
  check_derivatives(name, m, CODE_AUTO);
  check_derivatives(name, m, CODE_INTERPRETER);
  check_same_bits(name, m);
  check_lanes(name, m, 4, CODE_AUTO);
  check_lanes(name, m, 8, CODE_AUTO);
  check_lanes(name, m, 4, CODE_INTERPRETER);
}

static int is_model(const struct dirent *d) {
  size_t n = strlen(d->d_name);
  return n > 3 && strcmp(d->d_name + n - 3, ".mo") == 0;
}

// Tests run in the root of the tree.
static void derivatives_of_all_models_agree_with_differences(void **state) {
  (void)state;
  struct dirent **list;
  int count = scandir("models", &list, is_model, alphasort);
  assert_true(count > 10);
  for (int i = 0; i < count; i++) {
    Loaded l = {.arena = arena_new()};
    load_source(&l,
                source_load(l.arena, arena_print(l.arena, "models/%s", list[i]->d_name), &l.err));
    if (!l.m) fail_msg("%s:%d: %s", list[i]->d_name, l.err.line, l.err.text);
    check_everything(list[i]->d_name, l.m);
    unload(&l);
    free(list[i]);
  }
  free(list);
}

static void derivatives_of_blocks_agree_with_differences(void **state) {
  (void)state;
  static const char *const TEXTS[] = {
      "model Newton parameter Real p = 1; Real x(start = 1, fixed = true); Real y;\n"
      "equation x + der(x)^3 + p*der(x) = p; y = der(x)^2 + p; end Newton;",
      "model Mass parameter Real a = 1; parameter Real b = 1; parameter Real d = 1; input Real u;\n"
      "Real x(start = 1, fixed = true); Real y(start = 1, fixed = true);\n"
      "equation (4 + a)*der(x) + b*y/4*der(y) = x + u; b*y/4*der(x) + (4 + d + sin(x))*der(y) = "
      "-y; end Mass;",
      "model Torn parameter Real a = 1; Real x(start = 1, fixed = true); Real y; Real z;\n"
      "equation y = a + z/4; z = sin(y) + x*time; der(x) = y - z; end Torn;",
      "model Nested parameter Real a = 1; Real x(start = 1, fixed = true); Real y; Real z; Real "
      "w;\n"
      "equation y + exp(y) = x + a; z + z^3/8 = y*a + time; (3 + z)*w + y*der(x) = 1; y*w - "
      "5*der(x) = z; end Nested;",
      "model Pair parameter Real a = 1; input Real u; Real x(start = 1, fixed = true); Real y; "
      "Real z;\n"
      "equation y + 0.2*sin(z*a) = x; z + 0.3*cos(y*x) = a + u; der(x) = y*z; end Pair;",
      "model Steady parameter Real u = 3; parameter Real k = 1; Real x(start = 1); Real y(start = "
      "1);\n"
      "initial equation der(x) = 0; der(y) = 0; equation der(x) = u - x^2*y*k; der(y) = x - 2*y; "
      "end Steady;",
      "model Hoisted parameter Real a = 1; Real w; Real x(start = 1, fixed = true);\n"
      "equation w + exp(w) = a; der(x) = -w*x; end Hoisted;",
      "model Dependent parameter Real a = 2; parameter Real b = a^2; Real x(start = a*b, fixed = "
      "true);\n"
      "Real y = b*x; equation der(x) = -b*x + y/a; end Dependent;",
      "model Events parameter Real a = 1; input Real u; Real x(start = 1, fixed = true); Real "
      "y(start = -1, fixed = true);\n"
      "equation der(x) = (if x*a > y then x^2 else a*y) + abs(y - u); der(y) = max(x, a*y) - "
      "sign(x)*a + mod(x*a, 3);\n"
      "end Events;",
      "model Singular parameter Real a = 2; Real x(start = 1, fixed = true);\n"
      "equation der(x) = sqrt(a*x) + asin(x/9)*a + atan2(x, a) + abs(x)^a; end Singular;",
      "model Three parameter Real k = 2; Real a(start = 1); Real b(start = 1); Real c(start = 1);\n"
      "Real x(start = 1, fixed = true); equation a*b = x*k; b*c = 2 + time; c*a = 3; der(x) = a + "
      "b + c; end Three;",
      "model Sums Real x(start = 1, fixed = true); Real y(start = 0, fixed = true); parameter Real "
      "k = 3;\n"
      "equation der(x) + der(y) = k; der(x) - der(y) = x*y; end Sums;",
      "model Matrix parameter Real k = 2; Real a; Real b; Real c; Real x(start = 1, fixed = "
      "true);\n"
      "equation (5 + x^2)*a + sin(x)*b + k*c = time; k*a + 7*b + x*c = 1; x*k*a - b + (6 + k)*c = "
      "x; der(x) = a*b - c; end Matrix;",
      "model Guess parameter Real g = 1.5; Real z(start = g); Real x(start = 4, fixed = true);\n"
      "equation z^2 = x; der(x) = -z; end Guess;",
      "model Trigonometry parameter Real k = 2; Real x(start = 0.4, fixed = true); Real y(start = "
      "0.3, fixed = true);\n"
      "equation der(x) = sin(k*x)*cos(k*x) + tan(x*y) + acos(y/9); der(y) = cos(k*x) + sinh(x) - "
      "cosh(k*y) + tanh(x*y)\n"
      "+ exp(-x)*log(k + x) + log10(k*x) + x^y + y^k + k^x + min(x, y) + max(k, x); end "
      "Trigonometry;",
      "model Algebraic parameter Real p = 3; Real y; Real z; equation y + z = p; y - z = time; end "
      "Algebraic;",
      "model Constant Real x(start = 1, fixed = true); equation der(x) = -x; end Constant;",
  };
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
    Loaded l = load_good(TEXTS[i]);
    check_everything(l.m->flat->name, l.m);
    unload(&l);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boolean_variables_take_part),
      cmocka_unit_test(an_explicit_model_computes_its_equations),
      cmocka_unit_test(a_factor_in_front_of_the_derivative_is_divided_out),
      cmocka_unit_test(a_nonlinear_equation_for_the_derivative_is_solved),
      cmocka_unit_test(a_mass_matrix_is_solved_as_a_linear_block),
      cmocka_unit_test(a_loop_of_many_equations_is_torn_and_solved),
      cmocka_unit_test(a_nonlinear_loop_iterates_on_its_torn_unknowns_only),
      cmocka_unit_test(dependent_parameters_follow_the_others),
      cmocka_unit_test(conditions_without_events_are_computed_on_the_spot),
      cmocka_unit_test(conditions_with_events_give_the_same_in_the_right_modes),
      cmocka_unit_test(every_function_gives_its_value),
      cmocka_unit_test(start_values_come_from_attributes_and_initial_equations),
      cmocka_unit_test(an_initial_equation_determines_the_state_without_a_start),
      cmocka_unit_test(a_steady_start_makes_the_derivative_zero),
      cmocka_unit_test(a_start_that_is_not_given_is_assumed_with_a_warning),
      cmocka_unit_test(a_nonlinear_equation_begins_at_the_start_of_its_unknown),
      cmocka_unit_test(what_cannot_be_computed_is_not_finite_and_is_explained),
      cmocka_unit_test(modes_at_the_start_are_those_of_the_start_values),
      cmocka_unit_test(overrides_replace_values_and_cut_dependence),
      cmocka_unit_test(a_model_without_states_still_computes_its_variables),
      cmocka_unit_test(wrong_numbers_of_equations_are_explained),
      cmocka_unit_test(structurally_singular_models_are_explained),
      cmocka_unit_test(circular_parameters_are_refused),
      cmocka_unit_test(wrong_types_are_refused),
      cmocka_unit_test(unknown_names_are_refused_with_a_guess),
      cmocka_unit_test(too_many_initial_conditions_are_refused),
      cmocka_unit_test(equations_that_cannot_be_solved_are_refused),
      cmocka_unit_test(hidden_constraints_are_found),
      cmocka_unit_test(a_long_chain_of_equations_is_sorted_quickly),
      cmocka_unit_test(derivatives_of_blocks_agree_with_differences),
      cmocka_unit_test(derivatives_of_all_models_agree_with_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
