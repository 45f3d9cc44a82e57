// Simulations that go on from a point: a run that begins anew at a mark is its part before the mark and a run from there, bit
// for bit; from given states a run is that of the model with these start values.
#include "simulate/point.h"

#include <math.h>
#include <string.h>

#include "lang/parse.h"
#include "model/model_build.h"
#include "simulate/simulate.h"
#include "test.h"

#include "instance/flat_model.h"

enum { ROWS = 41, MOST = 40 };

static const char PENDULUM[] = "model M\n"
                               "  parameter Real a = 1; parameter Real b = 9.81;\n"
                               "  Real x(start = 0.2, fixed = true); Real y(start = -1);\n"
                               "  Real force; Real vx, vy(start = 0, fixed = true);\n"
                               "equation\n"
                               "  der(x) = vx; der(y) = vy;\n"
                               "  der(vx) = -x*force; der(vy) = -y*force - b;\n"
                               "  x^2 + y^2 = a^2;\n"
                               "end M;\n";
static const char STIFF[] = "model M\n"
                            "  parameter Real a = 30; parameter Real b = 1;\n"
                            "  Real x(start = 2, fixed = true); Real v(start = 0, fixed = true);\n"
                            "equation\n"
                            "  der(x) = v; der(v) = a*(1 - x^2)*v - b*x + 0.1*sin(time);\n"
                            "end M;\n";
static const char SWITCHES[] =
    "model M\n"
    "  parameter Real a = 2; parameter Real b = 0.3;\n"
    "  Real x(start = 1, fixed = true); Real v(start = 0, fixed = true); Real s;\n"
    "equation\n"
    "  der(x) = v; der(v) = -a*x - (if v > 0 then b else if v < 0 then -b else 0) + abs(x - s);\n"
    "  s = if time < 1.5 then 0 else max(0.2*time, sin(3*time));\n"
    "end M;\n";
static const char HYBRID[] =
    "model M\n"
    "  parameter Real a = 0.9; parameter Real b = 9.81;\n"
    "  Real h(start = 1, fixed = true); Real v(start = 0, fixed = true);\n"
    "  Integer n(start = 0, fixed = true); discrete Real held(start = 0, fixed = true);\n"
    "equation\n"
    "  der(h) = v; der(v) = -b + 0.01*held;\n"
    "  when h <= 0 then reinit(v, -a*pre(v)); n = pre(n) + 1; end when;\n"
    "  when sample(0, 0.31) then held = pre(held) + n + h; end when;\n"
    "end M;\n";
// Two of three roots exist for small x; which one is meant depends on the motion so far.
static const char ROOTS[] =
    "model M\n"
    "  parameter Real a = 1; parameter Real b = 0.5;\n"
    "  Real x(start = 0, fixed = true); Real z(start = 1);\n"
    "equation\n"
    "  der(x) = b*z - 0.4*x; z^3 - a*z + 0.2*x + 0.05*sin(z) = 0.1*sin(time);\n"
    "end M;\n";

typedef struct Trial {
  const char *text, *solver, *index;
} Trial;

typedef struct Made {
  Arena *arena;
  Model *model;
  System *system;
  SimulateOptions options;
  SimulateWork *work;
  double p[8];
  double times[ROWS];
} Made;

static void made_open(Made *m, const char *text, const char *solver, const char *index,
                      bool slopes) {
  static const int PARAMETERS[] = {0, 1};
  Err err = {0};
  memset(m, 0, sizeof *m);
  m->arena = arena_new();
  Source *s = source_new(m->arena, "test", text, strlen(text), &err);
  const AstModel *ast = s ? parse_model(m->arena, s, &err) : NULL;
  m->model = ast ? model_new(s, ast, NULL, 0, &err) : NULL;
  if (!m->model) fail_msg("%s", err.text);
  simulate_options_init(&m->options);
  m->options.rel_tol = 1e-8, m->options.abs_tol = 1e-10;
  m->options.fixed_step = 0.013;
  assert_true(options_set(&SIMULATE_OPTIONS, &m->options, "solver", solver, &err));
  if (index) assert_true(options_set(&SIMULATE_OPTIONS, &m->options, "index", index, &err));
  SystemSpec spec = {.outputs = m->model->x,
                     .output_count = m->model->nx,
                     .parameters = PARAMETERS,
                     .parameter_count = slopes ? 2 : 0,
                     .lanes = 1};
  simulate_needs(&m->options, m->model->nx, &spec);
  m->system = system_new(m->model, &spec);
  m->work = simulate_work_new(m->system, &m->options);
  for (int k = 0; k < m->model->np; k++) m->p[k] = m->model->flat->parameters.at[k].value;
  for (int i = 0; i < ROWS; i++) m->times[i] = 0.1 * i;
}

static void made_close(Made *m) {
  simulate_work_free(m->work);
  system_free(m->system);
  model_free(m->model);
  arena_free(m->arena);
}

typedef struct Answer {
  Trajectory t;
  double values[ROWS * MOST], sens[ROWS * MOST];
} Answer;

static void run(Made *m, const SimulateRequest *request, Answer *out) {
  memset(out, 0, sizeof *out);
  out->t.values = out->values;
  out->t.sens = m->system->ns ? out->sens : NULL;
  simulate_run(m->work, request, &out->t);
  if (out->t.outcome != OUTCOME_REACHED_END) fail_msg("%s", out->t.message);
}

// Rows from `first` on are those of the whole run.
static void assert_rows_equal(const Made *m, const Answer *whole, int first, const Answer *part) {
  int width = m->system->ny, slopes = width * m->system->np;
  assert_int_equal(part->t.rows, ROWS - first);
  assert_memory_equal(whole->values + first * width, part->values,
                      (size_t)((ROWS - first) * width) * sizeof(double));
  if (m->system->ns)
    assert_memory_equal(whole->sens + first * slopes, part->sens,
                        (size_t)((ROWS - first) * slopes) * sizeof(double));
}

static void go_on_at(Made *m, double t) {
  Answer *whole = arena_alloc(m->arena, sizeof(Answer), 16),
         *part = arena_alloc(m->arena, sizeof(Answer), 16);
  SimulatePoint *mark = simulate_point_new(m->arena, m->work, t);
  SimulateRequest request = {.p = m->p, .times = m->times, .count = ROWS, .mark = mark};
  run(m, &request, whole);
  assert_true(mark->taken);
  assert_int_equal(whole->t.rows, ROWS);
  int first = 0;
  while (m->times[first] < t) first++;
  // another simulation in between: the work remembers nothing
  run(m, &(SimulateRequest){.p = m->p, .times = m->times, .count = 3}, part);
  SimulateRequest after = {
      .p = m->p, .from = &mark->start, .times = m->times + first, .count = ROWS - first};
  run(m, &after, part);
  assert_rows_equal(m, whole, first, part);
  // the part before it alone
  SimulatePoint *end = simulate_point_new(m->arena, m->work, t);
  request.mark = end, request.ends_at_mark = true;
  run(m, &request, part);
  assert_int_equal(part->t.rows, first);
  assert_memory_equal(whole->values, part->values,
                      (size_t)(first * m->system->ny) * sizeof(double));
  assert_memory_equal(mark->x, end->x, (size_t)m->system->nx * sizeof(double));
}

static void a_run_is_its_two_parts_bit_for_bit(void **state) {
  (void)state;
  static const Trial TRIALS[] = {{STIFF, "auto", NULL},
                                 {STIFF, "rosenbrock", NULL},
                                 {STIFF, "bdf", NULL},
                                 {SWITCHES, "auto", NULL},
                                 {SWITCHES, "rk5", NULL},
                                 {SWITCHES, "adams", NULL},
                                 {STIFF, "semi-implicit-euler", NULL},
                                 {HYBRID, "rk4", NULL},
                                 {HYBRID, "auto", NULL},
                                 {HYBRID, "rosenbrock", NULL},
                                 {HYBRID, "bdf", NULL},
                                 {PENDULUM, "auto", "stabilise"},
                                 {PENDULUM, "auto", "project"},
                                 {PENDULUM, "bdf", "project"},
                                 {PENDULUM, "auto", "direct"},
                                 {ROOTS, "auto", NULL},
                                 {ROOTS, "rosenbrock", NULL}};
  static const double AT[] = {0.05, 0.93, 1.5, 2, 2.48, 3.999};
  for (size_t i = 0; i < sizeof TRIALS / sizeof *TRIALS; i++)
    for (int slopes = 0; slopes < 2; slopes++) {
      Made m;
      made_open(&m, TRIALS[i].text, TRIALS[i].solver, TRIALS[i].index, slopes);
      for (size_t k = 0; k < sizeof AT / sizeof *AT; k++) go_on_at(&m, AT[k]);
      made_close(&m);
    }
}

// The model with these start values, at another time.
static void from_states_as_from_start_values(void **state) {
  (void)state;
  static const char *const TEXTS[] = {
      "model M\n  parameter Real a = 30; parameter Real b = 1;\n"
      "  Real x(start = 0.7, fixed = true); Real v(start = 0.4, fixed = true);\n"
      "equation\n  der(x) = v; der(v) = a*(1 - x^2)*v - b*x + 0.1*sin(time);\nend M;\n",
      "model M\n  parameter Real a = 0.9; parameter Real b = 9.81;\n"
      "  Real h(start = 0.7, fixed = true); Real v(start = 0.4, fixed = true);\n"
      "  Integer n(start = 0, fixed = true); discrete Real held(start = 0, fixed = true);\n"
      "equation\n  der(h) = v; der(v) = -b + 0.01*held;\n"
      "  when h <= 0 then reinit(v, -a*pre(v)); n = pre(n) + 1; end when;\n"
      "  when sample(0, 0.31) then held = pre(held) + n + h; end when;\nend M;\n"};
  static const char *const OTHERS[] = {STIFF, HYBRID};
  for (int k = 0; k < 2; k++)
    for (int slopes = 0; slopes < 2; slopes++) {
      Made given, literal;
      made_open(&given, OTHERS[k], "auto", NULL, slopes);
      made_open(&literal, TEXTS[k], "auto", NULL, slopes);
      static Answer a, b;
      double x[] = {0.7, 0.4, nan("")};
      SimulateStart from = {.t = 0.2, .x = x};
      SimulateRequest request = {
          .p = given.p, .from = &from, .times = given.times + 2, .count = ROWS - 2};
      run(&given, &request, &a);
      request.from = NULL, request.start = 0.2, request.p = literal.p;
      run(&literal, &request, &b);
      assert_int_equal(a.t.rows, ROWS - 2);
      assert_memory_equal(a.values, b.values, sizeof a.values);
      assert_memory_equal(a.sens, b.sens, sizeof a.sens);
      made_close(&given);
      made_close(&literal);
    }
}

// Inputs are where they would be; rows that are there already stay as they are.
static void inputs_go_on(void **state) {
  (void)state;
  static const char TEXT[] = "model M\n  parameter Real a = 3; parameter Real b = 1;\n"
                             "  input Real u; Real x(start = 0, fixed = true);\n"
                             "equation\n  der(x) = -a*x + b*u*u;\nend M;\n";
  static const double T[] = {0, 0.5, 1.2, 2, 3, 4}, V[] = {0, 1, 0.3, 2, -1, 1};
  for (int kind = 0; kind < INPUT_KINDS; kind++)
    for (int k = 0; k < 4; k++) {
      Made m;
      Err err = {0};
      made_open(&m, TEXT, k % 2 ? "auto" : "bdf", NULL, k / 2);
      const Input *in = input_new(m.arena, T, V, 6, (InputKind)kind, &err);
      static Answer whole, part;
      for (int i = 1; i < 9; i++) {
        SimulatePoint *mark = simulate_point_new(m.arena, m.work, i % 2 ? 0.4 * i : T[i / 2]);
        SimulateRequest request = {
            .p = m.p, .inputs = &in, .times = m.times, .count = ROWS, .mark = mark};
        run(&m, &request, &whole);
        request.mark = NULL, request.from = &mark->start;
        while (m.times[request.rows_before] < mark->start.t) request.rows_before++;
        part = whole;
        part.t = (Trajectory){.values = part.values, .sens = m.system->ns ? part.sens : NULL};
        memset(part.values + request.rows_before, 0, (size_t)(ROWS - request.rows_before) * 8);
        simulate_run(m.work, &request, &part.t);
        assert_int_equal(part.t.rows, ROWS);
        assert_memory_equal(whole.values, part.values, sizeof whole.values);
        assert_memory_equal(whole.sens, part.sens, sizeof whole.sens);
      }
      made_close(&m);
    }
}

// Off the circle, with a velocity that leads away: g = x^2 + y^2 - a^2 follows g'' + 2 alpha g' + beta^2 g = 0 exactly.
static void errors_die_out_with_the_rates_given(void **state) {
  (void)state;
  static const double RATES[][2] = {{5, 0}, {3, 10}, {10, 3}, {2, 2}};
  for (int k = 0; k < 4; k++) {
    Made m;
    made_open(&m, PENDULUM, "rk8", "stabilise", false);
    double alpha = RATES[k][0], beta = RATES[k][1] > 0 ? RATES[k][1] : alpha;
    m.options.rel_tol = 1e-6, m.options.max_step = 2e-3;
    m.options.stabilise_rate = RATES[k][0], m.options.stabilise_beta = RATES[k][1];
    simulate_work_free(m.work);
    m.work = simulate_work_new(m.system, &m.options);
    assert_int_equal(m.model->nx, 4);
    double at[4] = {0.2, -sqrt(1 - 0.04) + 1e-5, 0, 2e-5}, x[4];
    int place[4] = {0};
    static const char *const NAMES[] = {"x", "y", "vx", "vy"};
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        const char *name = m.model->flat->variables.at[m.model->state[j]].name;
        if (strcmp(name, NAMES[i]) == 0) place[i] = j, x[j] = at[i];
      }
    static Answer a;
    SimulateStart from = {.t = 0, .x = x};
    SimulateRequest request = {.p = m.p, .from = &from, .times = m.times, .count = 11};
    run(&m, &request, &a);
    double g0 = at[0] * at[0] + at[1] * at[1] - 1, v0 = 2 * (at[0] * at[2] + at[1] * at[3]);
    for (int i = 0; i < 11; i++) {
      const double *row = a.values + 4 * i;
      double t = m.times[i], g = row[place[0]] * row[place[0]] + row[place[1]] * row[place[1]] - 1;
      double square = alpha * alpha - beta * beta, w = sqrt(fabs(square)), rest = v0 + alpha * g0;
      double c = square < 0 ? cos(w * t) : cosh(w * t);
      double s = w * t == 0 ? t : (square < 0 ? sin(w * t) : sinh(w * t)) / w;
      if (w == 0) c = 1, s = t;
      assert_close(g, exp(-alpha * t) * (g0 * c + rest * s), 1e-4 * fabs(g0) + 1e-10);
    }
    made_close(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_is_its_two_parts_bit_for_bit),
      cmocka_unit_test(from_states_as_from_start_values),
      cmocka_unit_test(inputs_go_on),
      cmocka_unit_test(errors_die_out_with_the_rates_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
