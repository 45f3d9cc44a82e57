// What all integrators share: their set-up, and the scaled norm of errors.
#include "simulate/stepper.h"

#include <assert.h>
#include <math.h>

#include "num/vec.h"

Stepper *stepper_new(Arena *a, const StepperRow *row, const Ode *ode, const Tolerance *tol) {
  assert(ode->n >= 0 && ode->ns >= 0 && ode->stride >= ode->ns && ode->lanes >= 1);
  Stepper *s = ARENA_NEW(a, Stepper);
  s->row = row;
  s->ode = ode;
  s->tol = *tol;
  int padded = vec_padded(ode->n * ode->lanes * (1 + ode->stride));
  s->y = ARENA_ARRAY(a, double, padded);
  s->y_old = ARENA_ARRAY(a, double, padded);
  if (ode->lanes > 1) {
    s->lane_error = ARENA_ARRAY(a, double, vec_padded(ode->lanes));
    s->lane_steps = ARENA_ARRAY(a, double, vec_padded(ode->lanes));
    s->lane_stiff = ARENA_ARRAY(a, bool, ode->lanes);
  }
  row->init(s, a);
  return s;
}

void stepper_done(Stepper *s) {
  if (s && s->row->done) s->row->done(s);
}

typedef struct Worst {
  double norm, part; // of the worst column, and of its largest number
  int at;            // that number, as an index into y with lanes
} Worst;

static double scaled(const Stepper *s, const double *e, const double *y0, const double *y1, int i) {
  double size = fmax(fabs(y0[i]), fabs(y1[i]));
  double scale = s->tol.abs[i] + s->tol.rel * size;
  return e[i] == 0 ? 0 : e[i] / scale;
}

// One column: the numbers at first, first + step, ... Its norm is the largest of them, or their root mean square.
static Worst column_norm(const Stepper *s, const double *e, const double *y0, const double *y1,
                         int first, int step, bool largest) {
  Worst w = {0, -1, first};
  double sum = 0;
  for (int r = 0; r < s->ode->n; r++) {
    int i = first + r * step;
    double q = scaled(s, e, y0, y1, i);
    q *= q;
    sum += q;
    if (q > w.part || q != q) w.part = q, w.at = i;
    if (q != q) break;
  }
  w.norm = sqrt(largest ? w.part : sum / s->ode->n);
  return w;
}

double stepper_norm(const Stepper *s, const double *e, const double *y0, const double *y1,
                    int *worst) {
  const Ode *ode = s->ode;
  Worst most = {0, 0, 0};
  int columns = ode->n ? ode->lanes * (1 + ode->ns) : 0;
  for (int c = 0; c < columns; c++) {
    bool state = c < ode->lanes;
    int first = state ? c : ode->n * ode->lanes + c - ode->lanes;
    Worst w =
        column_norm(s, e, y0, y1, first, state ? ode->lanes : ode->stride * ode->lanes, state);
    if (!(w.norm <= most.norm)) most = w;
    if (w.norm != w.norm) break;
  }
  *worst = most.at / ode->lanes;
  return most.norm;
}
