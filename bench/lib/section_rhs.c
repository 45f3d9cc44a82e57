#include "lib/sections.h"

#include <math.h>
#include <stdio.h>

#include "hand/vehicle14.h"
#include "lib/adapter.h"
#include "lib/cases.h"
#include "lib/clock.h"

typedef struct HandCall {
  HandRhs *f;
  const double *p, *x;
} HandCall;

static void hand_loop(void *self, int repeat) {
  const HandCall *c = self;
  double out[VEHICLE14_STATES * (VEHICLE14_STATES + 1)];
  for (int i = 0; i < repeat * BENCH_CALLS; i++)
    c->f((double)(i % BENCH_CALLS) / BENCH_CALLS, c->x, c->p, out);
}

typedef struct EntrainCall {
  BenchModel *model;
  const double *x;
} EntrainCall;

static void entrain_rhs_loop(void *self, int repeat) {
  const EntrainCall *c = self;
  bench_rhs_loop(c->model, c->x, repeat);
}

static void entrain_jacobian_loop(void *self, int repeat) {
  const EntrainCall *c = self;
  bench_jacobian_loop(c->model, c->x, repeat);
}

static double relative_difference(const double *a, const double *b, int count) {
  double worst = 0, most = 0;
  for (int i = 0; i < count; i++) {
    worst = fmax(worst, fabs(a[i] - b[i]));
    most = fmax(most, fabs(b[i]));
  }
  return worst / most;
}

typedef struct RhsCase {
  const char *name, *path, *settings;
  HandCall rhs, jacobian, jacobian_time; // the last with df/dt as one more column: to check values
  int nx;
} RhsCase;

static double rhs_disagreement(BenchModel *model, const RhsCase *c) {
  enum { N = VEHICLE14_STATES };
  double dx[N], hand_dx[N], J[N * N + N] = {0}, hand_J[N * N + N] = {0};
  bench_rhs(model, 1.3, c->rhs.x, dx);
  c->rhs.f(1.3, c->rhs.x, c->rhs.p, hand_dx);
  bench_jacobian(model, 1.3, c->rhs.x, J);
  c->jacobian_time.f(1.3, c->rhs.x, c->rhs.p, hand_J);
  return fmax(relative_difference(dx, hand_dx, c->nx),
              relative_difference(J, hand_J, c->nx * (c->nx + 1)));
}

static void compare_rhs(Table *t, const RhsCase *c) {
  BenchModel *model = bench_model_open(c->path, c->settings);
  EntrainCall call = {model, c->rhs.x};
  Contestant runs[] = {{.run = hand_loop, .self = (void *)&c->rhs},
                       {.run = model ? entrain_rhs_loop : NULL, .self = &call},
                       {.run = hand_loop, .self = (void *)&c->jacobian},
                       {.run = model ? entrain_jacobian_loop : NULL, .self = &call}};
  contest_run(runs, 4, PATIENCE);
  for (int i = 0; i < 4; i++) runs[i].seconds /= BENCH_CALLS;
  char what[64];
  snprintf(what, sizeof what, "%s, right-hand side", c->name);
  table_row(t, what, runs[1].seconds, runs[0].seconds, GOAL_AT_MOST, 1.05);
  snprintf(what, sizeof what, "%s, Jacobian", c->name);
  table_row(t, what, runs[3].seconds, runs[2].seconds, GOAL_AT_MOST, 1.05);
  if (model && !(rhs_disagreement(model, c) < 1e-9))
    table_text(t, "\n%s: values DIFFER by %.1e\n", c->name, rhs_disagreement(model, c));
  bench_model_close(model);
}

static RhsCase small_case(const Case *c, const double *x) {
  const HandModel *m = c->hand;
  return (RhsCase){.name = m->name,
                   .path = c->path,
                   .settings = c->settings,
                   .rhs = {m->rhs, m->p, x},
                   .jacobian = {m->jacobian, m->p, x},
                   .jacobian_time = {m->jacobian_time, m->p, x},
                   .nx = m->nx};
}

void section_rhs(Table *t) {
  table_section(
      t, "1. Right-hand side and Jacobian against hand-written C",
      "Hand C: gcc -O3 -march=native -fno-math-errno, called by pointer. Jacobians: the entries "
      "that are not always zero. The vehicle's Jacobian is too large to write by hand: its "
      "comparator is C text "
      "that bench/hand/derive.py derives from the equations by elimination of intermediate "
      "quantities "
      "in Markowitz order, compiled with the same options.");
  static const double X[] = {0.7, 0.3, -0.4, 0.2};
  for (int i = 0; i < 3; i++) {
    RhsCase c = small_case(&CASES_MECHANICAL[i], X);
    compare_rhs(t, &c);
  }
  Vehicle14 parameters;
  double x[VEHICLE14_STATES];
  vehicle14_parameters(&parameters);
  vehicle14_start(&parameters, x);
  for (int i = 0; i < VEHICLE14_STATES; i++) x[i] += 1e-3 * ((7 * i) % 11 - 5); // nowhere zero
  const double *p = (const double *)&parameters;
  RhsCase vehicle = {.name = "vehicle, 14 degrees of freedom",
                     .path = "bench/models/vehicle14.mo",
                     .rhs = {vehicle14_rhs, p, x},
                     .jacobian = {vehicle14_jacobian, p, x},
                     .jacobian_time = {vehicle14_jacobian_time, p, x},
                     .nx = VEHICLE14_STATES};
  compare_rhs(t, &vehicle);
}
