// How much a parameter is changed for the differences of f: by the plateau rule. An FMU that solves equations by iteration has a
// noise of its own in f, so that no fixed step is right. D_i = (f(p + h_i) - f(p))/h_i at the states of the start and at states beside
// them, for h_i = q_i times the size of the parameter, q_i = 1.5e-3, 1.5e-4 .. 1.5e-9. Two neighbours differ by noise/h. What is
// integrated also has terms of the order h (states move with the parameter), which D_i does not show, so the q_i is taken
// for which |D_i - D_(i+1)|/|D| + q_i is least.
#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "fmu/exchange.h"

enum { PARTS = 7, POINTS = 2, ROUNDS_MOST = 200 };
static const double FIRST = 1.5e-3;
static const double BESIDE = 0.1; // of the size of a state: the second point

// Slopes of the FMU with the change at POINTS states around x (which a NULL change sets), all in one row. false: it refused.
static bool slopes_around(Exchange *e, const FmuChange *change, int n, double *x, double *f) {
  FmuDiscrete d = {0};
  double t = e->call->origin + e->call->start;
  SimulatorAnswer nothing = {0}; // what it refuses here says nothing about the motion
  FmuInstance *i =
      fmu_begin(e->r, e->call, change, e->call->origin + e->t_end, e->call->rel_tol, &nothing);
  if (!i) return false;
  bool ok = true;
  for (int round = 0; ok && (round == 0 || d.again); round++)
    ok = round < ROUNDS_MOST && fmu_new_discrete_states(i, &d) == FMU_OK;
  ok = ok && fmu_enter_continuous_mode(i) == FMU_OK && fmu_set_time(i, t) == FMU_OK;
  if (ok && !change) ok = fmu_get_states(i, x, n) == FMU_OK;
  for (int k = 0; ok && k < POINTS; k++) {
    for (int j = 0; j < n; j++) // signs alternate, so that differences of states change, too
      e->there[j] = x[j] + k * BESIDE * (j % 2 ? -1 : 1) * (fabs(x[j]) > 0 ? fabs(x[j]) : 1);
    ok = fmu_set_states(i, e->there, n) == FMU_OK &&
         fmu_get_derivatives(i, f + (size_t)k * (size_t)n, n) == FMU_OK;
  }
  fmu_instance_free(i);
  return ok;
}

double exchange_choose_part(Exchange *e, int column, double usual) {
  Arena *a = arena_new();
  int n = e->n, numbers = POINTS * n;
  double *x = ARENA_ARRAY(a, double, n + 1), *f = ARENA_ARRAY(a, double, numbers + 1);
  double *D[2] = {ARENA_ARRAY(a, double, numbers + 1), ARENA_ARRAY(a, double, numbers + 1)};
  double part = FIRST, chosen = usual, least = HUGE_VAL;
  bool had = false, ok = slopes_around(e, NULL, n, x, f);
  for (int i = 0; ok && i < PARTS; i++, part /= 10) {
    double *now = D[i % 2], *before = D[1 - i % 2], apart = 0, size = 0;
    double h = exchange_change(e->call, column, part);
    FmuChange change = {e->call->slopes[column], e->call->parameters[e->call->slopes[column]] + h};
    bool has = h != 0 && slopes_around(e, &change, n, x, now);
    for (int j = 0; has && j < numbers; j++) {
      now[j] = (now[j] - f[j]) / h;
      apart += had ? pow(now[j] - before[j], 2) : 0;
      size += now[j] * now[j];
    }
    double error = has && had && size > 0 ? sqrt(apart / size) + 10 * part : HUGE_VAL;
    if (error < least) least = error, chosen = 10 * part;
    had = has;
  }
  arena_free(a);
  return chosen;
}

static const double DISAGREE = 0.01; // of the size of the derivative

// d(der x)/dx along one direction, by the FMU and by differences: where they differ one of them is wrong, which the user should know.
void exchange_compare_directional(Exchange *e, double t, const double *x) {
  const FmuDescription *d = e->r->model->fmu;
  int n = e->n;
  if (!e->r->info->directional_derivatives || n == 0 || d->states.count != n) return;
  for (int i = 0; i < n; i++)
    if (d->states.at[i] < 0) return;
  Arena *a = arena_new();
  double *seed = ARENA_ARRAY(a, double, n + 1), *theirs = ARENA_ARRAY(a, double, n + 1);
  double apart = 0, size = 0, h = 1.5e-8;
  bool ok = exchange_slopes(e, 1, t, x, e->f);
  for (int i = 0; i < n; i++) seed[i] = (i % 2 ? -1 : 1) * fmax(fabs(x[i]), e->nominal[i]);
  for (int i = 0; i < n; i++) e->there[i] = x[i] + h * seed[i];
  ok = ok && exchange_slopes(e, 1, t, e->there, e->f_there) && exchange_set(e, 1, t, x);
  ok = ok && fmu_directional(e->instance[1], d->derivatives.at, n, d->states.at, n, seed, theirs) ==
                 FMU_OK;
  for (int i = 0; ok && i < n; i++) {
    double ours = (e->f_there[i] - e->f[i]) / h;
    apart += pow(ours - theirs[i], 2);
    size += ours * ours;
  }
  if (ok && apart > DISAGREE * DISAGREE * size && apart > 0)
    c_snprintf(
        e->answer->message, sizeof e->answer->message,
        "%s: its directional derivatives differ from differences of its derivatives by %.2g %%; "
        "entrain uses the differences",
        e->r->spec.name, 100 * sqrt(apart / size));
  arena_free(a);
}
