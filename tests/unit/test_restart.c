// Restart points: which parameters act late, and that evaluations that begin there give what those from the start give.
#include "problem/restart.h"

#include <math.h>
#include <stdint.h>

#include "evaluation.h"
#include "made_problem.h"
#include "search/fit.h"

enum { SAMPLES = 41, UNKNOWNS_MOST = 3 };

static double uniform(uint64_t *seed, double least, double most) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return least + (most - least) * (double)(*seed >> 11) / 9007199254740992.0;
}

typedef struct Case {
  const char *body;     // equations, with declarations before "equation"
  const char *estimate; // "p: 1"
  const char *more;     // keys of the experiment, "": none
  const char *measure;
  double first;   // sample
  double origin;  // of all times
  double restart; // NaN: there is none
} Case;

// der(x) = -x + LATE, y follows it.
#define LATE(late)                                                                                 \
  "  Real w;\nequation\n  der(x) = -0.3*x + w + 0.2*sin(time); der(y) = x - y;\n  w = " late ";\n"

static const char TABLE[] = "Entrain.Tables.linear(time, {0, 4, 5, 30}, {0, 0, 1, 0.5})";

static void write_data(const Made *m, const Case *c) {
  char text[8000] = "t,x,u,z\n";
  for (int i = 0; i < SAMPLES; i++) {
    double t = c->first + (10 - c->first) * i / (SAMPLES - 1);
    char row[120];
    snprintf(row, sizeof row, "%.9f,%.6f,%.6f,%.12f\n", c->origin + t, cos(t), t > 4 ? t - 4 : 0,
             t > 4 ? t - 4 : 1e-9);
    strcat(text, row);
  }
  made_file(m, "data.csv", text);
}

static Problem *load_case(Made *m, const Case *c, const char *points) {
  char model[4000], yaml[2000];
  snprintf(model, sizeof model,
           "model M\n  parameter Real p = 1.2; parameter Real q = 0.7; parameter Real T = 4;\n"
           "  input Real u; input Real z;\n"
           "  Real x(start = 1, fixed = true); Real y(start = 0, fixed = true);\n%send M;\n",
           c->body);
  made_open(m);
  made_file(m, "m.mo", model);
  write_data(m, c);
  snprintf(yaml, sizeof yaml,
           "model: m.mo\nexperiments:\n  - data: data.csv\n    start: %.9f\n    measure: %s\n"
           "    inputs: {u: u, z: z}\n%s"
           "estimate: {%s}\nmethod: lm\noptions: {restart_points: %s, threads: 1}\n",
           c->origin, c->measure ? c->measure : "{x: x}", c->more ? c->more : "", c->estimate,
           points);
  return made_load(m, yaml);
}

typedef struct Value {
  double objective, gradient[UNKNOWNS_MOST];
  long restarted, points;
} Value;

static Value evaluate_at(const Problem *p, const double *x) {
  Evaluation *e = evaluation_new(p);
  double R[UNKNOWNS_MOST * UNKNOWNS_MOST], Qr[UNKNOWNS_MOST];
  int n = p->unknown_count;
  EvalPoint out = {.R = R, .Qr = Qr};
  e->spec.slopes = true;
  assert_true(n <= UNKNOWNS_MOST);
  if (evaluate(e->work, &e->spec, x, &out) != EVAL_DONE) fail_msg("%s", eval_why(e->work));
  Value v = {.objective = out.objective};
  for (int i = 0; i < n; i++)
    for (int k = 0; k <= i; k++) v.gradient[i] += R[k * n + i] * Qr[k];
  e->spec.slopes = false;
  double again = evaluate_value(e->work, &e->spec, x);
  assert_close(again, out.objective, 1e-6 * (1 + out.objective));
  v.restarted = e->budget.used.restarted, v.points = e->budget.used.restart_points;
  evaluation_free(e);
  return v;
}

// At some points, with restart points and without.
static void same_values(const Case *c, bool restarted) {
  uint64_t seed = 7;
  Made with, without;
  const Problem *p = load_case(&with, c, "auto"), *q = load_case(&without, c, "off");
  for (int i = 0; i < 2; i++) {
    double x[UNKNOWNS_MOST];
    for (int k = 0; k < p->unknown_count; k++)
      x[k] = p->unknowns[k].start * uniform(&seed, 0.5, 1.5);
    Value a = evaluate_at(p, x), b = evaluate_at(q, x);
    assert_int_equal(b.restarted, 0);
    if (restarted) assert_int_equal(a.restarted, 2);
    assert_int_equal(a.points, a.restarted ? 1 : 0);
    assert_close(a.objective, b.objective, 3e-6 * (1 + b.objective));
    for (int k = 0; k < p->unknown_count; k++)
      assert_close(a.gradient[k], b.gradient[k], 3e-5 * (1 + b.objective + fabs(b.gradient[k])));
  }
  made_close(&with);
  made_close(&without);
}

static void check_case(const Case *c) {
  Made m;
  const Problem *p = load_case(&m, c, "auto");
  double found = restart_time(p, 0);
  found += p->experiments[0].origin - c->origin;
  if (isnan(c->restart) != isnan(found) || fabs(found - c->restart) > 2e-4)
    fail_msg("restart at %g instead of %g:\n%s", found, c->restart, c->body);
  made_close(&m);
  same_values(c, !isnan(c->restart));
}

static void late_parameters_are_found(void **state) {
  (void)state;
  static const Case CASES[] = {
      {.body = LATE("if time < 4 then 0 else p*x"), .restart = 4},
      {.body = LATE("if time <= T then 0 else p*x"), .restart = 4},
      {.body = LATE("if time >= 4 then p else 0"), .restart = 4},
      {.body = LATE("if not (4 > time) then p*q else 0"), .restart = 4},
      {.body = LATE("if T - time <= 0 and x > -100 then p*q else 0"), .restart = 4},
      {.body = LATE("p*max(0, time - 4)"), .restart = 4},
      {.body = LATE("exp(p)*max(0, time - T)^2"), .restart = 4},
      {.body = LATE("if time < 2 then sin(time) elseif time < 4 then 0.3*x else p*x"),
       .restart = 4},
      {.body = LATE("p*q*Entrain.Tables.linear(time, {0, 4, 5, 30}, {0, 0, 1, 0.5})*tanh(x)"),
       .restart = 4},
      {.body = LATE("p*Entrain.Tables.hold(time - 1, {0, 1, 3}, {0, 0, 1})"), .restart = 4},
      {.body = LATE("p*u"), .restart = 4},
      {.body = LATE("p*u"), .more = "    interpolation: hold\n", .restart = 4.25},
      {.body = LATE("p*u*x"), .first = 5, .restart = nan("")}, // the input is constant before 5
      {.body =
           "  Real s(start = 0, fixed = true);\nequation\n  der(s) = if time < 4 then 0 else p;\n"
           "  der(x) = -x + s + 0.1*time; der(y) = x - y;\n",
       .restart = 4},
      {.body = LATE("p*q*Entrain.Tables.linear(time, {0, 4, 5}, {0, 0, 1})"),
       .estimate = "p: 1, q: 0.5",
       .restart = 4},
      {.body = LATE("if time < 4 then 0 else p*x"), .first = 3, .restart = 4},
      {.body = LATE("if time < 1600000004 then 0 else p*x"), .origin = 1.6e9, .restart = 4},
      {.body = "  Boolean on(start = false, fixed = true);\nequation\n"
               "  der(x) = -x + (if on then p else 0); der(y) = x - y;\n"
               "  when y > 100 then on = true; end when;\n",
       .restart = nan("")}, // nobody knows when y gets there
      // gain of a sensor: acts on samples, not on the motion
      {.body = LATE("if time < 4 then 0 else p*x"),
       .measure = "{x: {column: x, gain: estimate}}",
       .first = 2,
       .restart = 2},
      {.body = LATE("if time < 4 then 0 else p*x"),
       .measure = "{\"p*x\": x}",
       .first = 3,
       .restart = 3},
      {.body = LATE("if time < 4 then 0 else p*x"),
       .measure = "{x: {column: x, delay: {start: 0.05, min: 0, max: 0.2}}}",
       .first = 2,
       .restart = 1.8},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    Case c = CASES[i];
    if (!c.estimate) c.estimate = "p: 1";
    check_case(&c);
  }
}

static void what_acts_earlier_is_not_cut(void **state) {
  (void)state;
  static const Case CASES[] = {
      {.body = "equation\n  der(x) = -x; der(y) = p*x - y;\n"},
      {.body = LATE("(if time < 4 then 0 else p*x) + 1e-9*p")},
      {.body = LATE("if time < 0.3 then 0 else p*x")}, // too early to be worth it
      {.body = LATE("if time < 1 then p elseif time < 4 then 0 else p")},
      {.body = LATE("if time < 4 then 0 else x"), .estimate = "T: 4, x.start: 1"},
      {.body = LATE("if time < T then 0 else x"), .estimate = "T: {start: 4, min: 2, max: 8}"},
      {.body = LATE("if y > p then 0.1 else 0.2")},
      {.body = LATE("if time < 4 then 0 else p*x"), .estimate = "p: 1, x.start: 1"},
      {.body = LATE("p*Entrain.Tables.linear(time, {0, 4, 5}, {0.001, 0, 1})")},
      {.body = LATE("Entrain.Tables.linear(time - p, {0, 4, 5}, {0, 0, 1})")},
      {.body = LATE("p*u"), .more = "    interpolation: spline\n"},
      {.body = LATE("p*z")}, // 1e-9 until then
      {.body = LATE("p*max(0, 4 - time)")},
      {.body = LATE("if time < 4 and y > p then 0.1 else 0.2")},
      {.body = "  Real s;\ninitial equation\n  s = p;\nequation\n  der(s) = 0;\n"
               "  der(x) = -x + s; der(y) = x - y;\n"},
      {.body = "  discrete Real s(start = 0, fixed = true);\nequation\n"
               "  when y > 0.2 then s = p; end when;\n  der(x) = -x + s; der(y) = x - y;\n"},
      {.body = "  discrete Real s(start = 0, fixed = true);\nequation\n"
               "  when sample(0.5, 1) then s = p + x; end when;\n"
               "  der(x) = -x + s; der(y) = x - y;\n"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    Case c = CASES[i];
    if (!c.estimate) c.estimate = "p: 1";
    c.restart = nan("");
    check_case(&c);
  }
}

// ---------------------------------------------------------------- random models

typedef struct Writer {
  char text[3000];
  size_t used;
  uint64_t seed;
} Writer;

static void put(Writer *w, const char *text) {
  w->used += (size_t)snprintf(w->text + w->used, sizeof w->text - w->used, "%s", text);
}

static void put_number(Writer *w, double least, double most) {
  char number[40];
  snprintf(number, sizeof number, "%.3f", uniform(&w->seed, least, most));
  put(w, number);
}

static int choice(Writer *w, int count) {
  return (int)uniform(&w->seed, 0, count);
}

static void put_leaf(Writer *w) {
  static const char *const LEAVES[] = {"p", "q", "x", "tanh(y)", "0", "u", "0.1*time"};
  put(w, LEAVES[choice(w, 7)]);
}

static void put_expression(Writer *w, int depth);

static void put_if(Writer *w, int depth) {
  static const char *const BEFORE[] = {"(if time < ", "(if time <= ", "(if not time > "};
  static const char *const AFTER[] = {"(if time > ", "(if time >= ", "(if not time < "};
  bool late = choice(w, 4) > 0;
  put(w, (late ? BEFORE : AFTER)[choice(w, 3)]);
  put_number(w, 1, 9);
  put(w, " then ");
  if (late && choice(w, 2))
    put(w, choice(w, 2) ? "0" : "0.2*x");
  else
    put_expression(w, depth - 1);
  put(w, " else ");
  put_expression(w, depth - 1);
  put(w, ")");
}

static void put_expression(Writer *w, int depth) {
  int kind = depth <= 0 ? 0 : choice(w, 7);
  if (kind == 0) {
    put_leaf(w);
  } else if (kind <= 2) {
    put_if(w, depth);
  } else if (kind == 3) {
    put(w, "max(0, time - ");
    put_number(w, 1, 9);
    put(w, ")*tanh(");
    put_expression(w, depth - 1);
    put(w, ")");
  } else if (kind == 4) {
    put(w, TABLE);
    put(w, "*sin(");
    put_expression(w, depth - 1);
    put(w, ")");
  } else {
    put(w, "(");
    put_expression(w, depth - 1);
    put(w, kind == 5 ? ")*0.5*tanh(" : " - (");
    put_expression(w, depth - 1);
    put(w, kind == 5 ? ")" : "))");
  }
}

static void random_models_give_the_same(void **state) {
  (void)state;
  enum { TRIALS = 60 };
  int cut = 0;
  for (int i = 0; i < TRIALS; i++) {
    Writer w = {.seed = 1000u + (uint64_t)i};
    put(&w, "  Real w;\nequation\n  der(x) = -0.5*x + tanh(w); der(y) = x - y;\n  w = ");
    put_expression(&w, 4);
    put(&w, ";\n");
    Case c = {.body = w.text, .estimate = "p: 1, q: 0.5", .first = i % 2 ? 0 : 3};
    Made m;
    const Problem *p = load_case(&m, &c, "auto");
    bool late = !isnan(restart_time(p, 0));
    made_close(&m);
    cut += late;
    if (late || i % 6 == 0) same_values(&c, late);
  }
  assert_in_range(cut, TRIALS / 12, TRIALS * 3 / 4); // both kinds occur
}

// ---------------------------------------------------------------- fits

static FitResult *fit_with(Made *m, const Case *c, const char *points, const char *options) {
  Case more = *c;
  char keys[400];
  snprintf(keys, sizeof keys, "%s", options);
  Problem *p = load_case(m, &more, points);
  Err err = {0};
  for (char *word = strtok(keys, " "); word; word = strtok(NULL, " ")) {
    char *value = strchr(word, '=');
    *value++ = 0;
    if (strcmp(word, "method") == 0)
      assert_true(method_parse(value, &p->method, &p->parts, &err));
    else
      assert_true(options_set(&FIT_OPTIONS, &p->options, word, value, &err));
  }
  return fit_run(p, NULL, NULL, NULL);
}

static void fits_end_where_they_do_without(void **state) {
  (void)state;
  static const Case EXPLICIT = {
      .body = LATE(
          "p*q*Entrain.Tables.linear(time, {0, 6, 7, 30}, {0, 0, 1, 0.5}) + p*max(0, time - 7)"),
      .estimate = "p: {start: 1, min: -3, max: 3}, q: {start: 0.5, min: -3, max: 3}",
      .first = 2};
  static const Case SMOOTH = {.body = LATE("p*u + q*u*x"), // no events: lanes can
                              .estimate = "p: {start: 1, min: -3, max: 3}, q: {start: 0.5, min: "
                                          "-3, max: 3}"};
  static const char *const OPTIONS[] = {
      "method=lm", "method=lm derivatives=central threads=2", "method=multistart(lm,8) threads=2",
      "method=de threads=2 seed=3 max_iterations=60", "method=auto threads=2"};
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++) {
      Made with, without;
      const Case *c = k ? &SMOOTH : &EXPLICIT;
      FitResult *a = fit_with(&with, c, "auto", OPTIONS[i]);
      FitResult *b = fit_with(&without, c, "off", OPTIONS[i]);
      assert_true(a->work.restarted > 0 && a->work.restart_points == 1);
      assert_close(a->objective, b->objective, 1e-5 * b->objective);
      for (int j = 0; j < 2; j++)
        assert_close(a->x[j], b->x[j],
                     (strstr(OPTIONS[i], "=de") ? 0.02 : 1e-4) * (1 + fabs(b->x[j])));
      assert_true(fabs(a->restart[0] - (k ? 4 : 6)) < 1e-3);
      assert_null(b->restart);
      fit_free(a), fit_free(b);
      made_close(&with), made_close(&without);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(late_parameters_are_found),
      cmocka_unit_test(what_acts_earlier_is_not_cut),
      cmocka_unit_test(random_models_give_the_same),
      cmocka_unit_test(fits_end_where_they_do_without),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
