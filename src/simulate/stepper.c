#include "simulate/stepper.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "num/vec.h"
#include "simulate/rk.h"
#include "simulate/rosenbrock.h"
#include "simulate/stiff.h"

const StepperRow *const STEPPERS[] = {
    &STEPPER_RK8, &STEPPER_RK5, &STEPPER_ROSENBROCK, &STEPPER_BDF, &STEPPER_ADAMS,
};
const int STEPPER_COUNT = sizeof STEPPERS / sizeof *STEPPERS;

const StepperRow *stepper_find(const char *name) {
  for (int i = 0; i < STEPPER_COUNT; i++)
    if (strcmp(STEPPERS[i]->name, name) == 0) return STEPPERS[i];
  return NULL;
}

Stepper *stepper_new(Arena *a, const StepperRow *row, const Ode *ode, const Tolerance *tol) {
  assert(ode->n >= 0 && ode->ns >= 0 && ode->stride >= ode->ns && ode->lanes >= 1);
  Stepper *s = ARENA_NEW(a, Stepper);
  s->row = row;
  s->ode = ode;
  s->tol = *tol;
  int padded = vec_padded(ode->n * ode->lanes * (1 + ode->stride));
  s->y = ARENA_ARRAY(a, double, padded);
  s->y_old = ARENA_ARRAY(a, double, padded);
  row->init(s, a);
  return s;
}

void stepper_done(Stepper *s) {
  if (s && s->row->done) s->row->done(s);
}

static double scaled(const Stepper *s, const double *e, const double *y0, const double *y1, int i) {
  double size = fmax(fabs(y0[i]), fabs(y1[i]));
  double scale = s->tol.abs[i / s->ode->lanes] + s->tol.rel * size;
  return e[i] == 0 ? 0 : fabs(e[i]) / scale;
}

double stepper_norm(const Stepper *s, const double *e, const double *y0, const double *y1,
                    int *worst) {
  const Ode *ode = s->ode;
  int count = ode->n * ode->lanes * (1 + ode->stride), most = 0;
  double largest = 0;
  for (int i = 0; i < count; i++) {
    double q = scaled(s, e, y0, y1, i);
    if (q <= largest) continue;
    largest = q, most = i;
    if (q != q) break;
  }
  *worst = most / ode->lanes;
  return largest;
}
