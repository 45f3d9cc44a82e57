// A mass on a spring, driven by an input that is held, linear or smooth, with what a model of it may miss; simulated by a
// plain method of its own, so that data do not come from what is tested.
#pragma once
#include "made_problem.h"
#include "num/random.h"

typedef struct
    Mass { // der(v) = u - k x - d v - friction sign(v) - cubic x^3 - square u^2 - constant
  double k, d, friction, cubic, square, constant;
  double v;                 // at the start, where the model has 0
  double drift, offset;     // of the sensor: over the whole time, and all the time
  bool held;                // the input, between samples
  double noise, correlated; // deviation, and correlation of neighbours
  uint64_t seed;
} Mass;

enum { MASS_ROWS = 400, MASS_STEPS = 50 };
static const double MASS_STEP = 0.1;

static inline double mass_input(int i) {
  return 0.7 * sin(0.13 * i) + 0.5 * sin(0.31 * i + 1) + 0.3 * (i / 37 % 2);
}

static inline double mass_rate(const Mass *m, double u, double x, double v) {
  double sign = tanh(v / 1e-3);
  return u - m->k * x - m->d * v - m->friction * sign - m->cubic * x * x * x - m->square * u * u -
         m->constant;
}

// The states after one sample, by the midpoint rule.
static inline void mass_move(const Mass *m, int i, double *x, double *v) {
  double h = MASS_STEP / MASS_STEPS, from = mass_input(i), to = m->held ? from : mass_input(i + 1);
  for (int s = 0; s < MASS_STEPS; s++) {
    double u = from + (to - from) * (s + 0.5) / MASS_STEPS;
    double middle_x = *x + h / 2 * *v, middle_v = *v + h / 2 * mass_rate(m, u, *x, *v);
    *x += h * middle_v;
    *v += h * mass_rate(m, u, middle_x, middle_v);
  }
}

static inline void mass_data(const Made *made, const char *name, const Mass *m) {
  static char text[60 * MASS_ROWS + 20];
  double x = 0.5, v = m->v, e = 0;
  int length = sprintf(text, "t,u,y\n");
  Random random;
  random_seed_stream(&random, 41, m->seed);
  for (int i = 0; i < MASS_ROWS; i++) {
    e = m->correlated * e + sqrt(1 - m->correlated * m->correlated) * random_normal(&random);
    length += sprintf(text + length, "%.10g,%.10g,%.10g\n", i * MASS_STEP, mass_input(i),
                      x + m->offset + m->drift * i / MASS_ROWS + m->noise * e);
    mass_move(m, i, &x, &v);
  }
  made_file(made, name, text);
}

// The model knows spring and damper only.
static inline Problem *mass_problem(Made *made, const Mass *m, const char *more) {
  char yaml[1000];
  made_open(made);
  made_file(made, "mass.mo",
            "model Mass\n  parameter Real k = 1, d = 0.2;\n  input Real u;\n"
            "  Real x(start = 0.5, fixed = true), v(start = 0, fixed = true);\n"
            "equation\n  der(x) = v;\n  der(v) = u - k*x - d*v;\nend Mass;\n");
  mass_data(made, "data.csv", m);
  snprintf(yaml, sizeof yaml,
           "model: mass.mo\nexperiments:\n  - data: data.csv\n    measure: {x: y}\n"
           "estimate:\n  k: {start: 1.1, min: 0.1, max: 10}\n  d: {start: 0.15, min: 0.01, max: "
           "5}\n  x.start: {start: 0.5, min: -5, max: 5}\nmethod: lm\noptions: {threads: 1%s}\n",
           more);
  return made_load(made, yaml);
}
