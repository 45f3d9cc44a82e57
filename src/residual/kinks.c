// After every step, looks whether a condition of the equations (noEvent, abs, min, max) that states or unknown parameters move
// has changed its sign, and whether an event was moved by them.
#include "residual/kinks.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"

struct Kinks {
  Arena *arena;
  Model *model;
  int moved_event; // -1: none
  Expr *conditions;
  int count;
  System *system; // NULL: no conditions
  SystemWork *work;
  const Input *const *inputs;
  int *pieces;
  double *now, *before, *y;
  bool begun;
  int crossed;               // condition, -1: none
  double time, origin, span; // of the crossing; of the run
};

static void read_inputs(void *data, double t, double *u, double *du) {
  Kinks *k = data;
  for (int i = 0; i < k->model->nu; i++) {
    k->pieces[i] = input_piece(k->inputs[i], t, -1);
    input_eval(k->inputs[i], t, &k->pieces[i], &u[i], &du[i]);
  }
}

Kinks *kinks_new(Model *m, const int *parameters, int count, CodeChoice code) {
  Arena *a = arena_new();
  Kinks *k = ARENA_NEW(a, Kinks);
  k->arena = a;
  k->model = m;
  k->moved_event = model_moved_event(m, parameters, count);
  pthread_mutex_lock(m->lock);
  k->count = model_kinks(m, a, parameters, count, &k->conditions);
  pthread_mutex_unlock(m->lock);
  if (k->count == 0) return k;
  SystemSpec spec = {.outputs = k->conditions, .output_count = k->count, .lanes = 1, .code = code};
  k->system = system_new(m, &spec);
  k->work = system_work_new(k->system);
  k->work->inputs = read_inputs;
  k->work->inputs_data = k;
  k->pieces = ARENA_ARRAY(a, int, m->nu + 1);
  k->now = ARENA_ARRAY(a, double, k->count + 16);
  k->before = ARENA_ARRAY(a, double, k->count + 16);
  k->y = ARENA_ARRAY(a, double, m->nx + 16);
  return k;
}

void kinks_free(Kinks *k) {
  if (!k) return;
  system_work_free(k->work);
  if (k->system) system_free(k->system);
  arena_free(k->arena);
}

void kinks_begin(Kinks *k, const double *p, const SimulateRequest *run) {
  k->inputs = run->inputs;
  k->begun = false;
  k->crossed = -1;
  if (!k->system) return;
  k->origin = run->origin;
  system_set_origin(k->work, run->origin);
  k->span = run->times[run->count - 1] - run->start;
  system_set_parameters(k->work, p);
  system_start(k->work, run->start, k->y); // modes and anchors
}

// A motion that begins on a kink does not cross it: the first step ends on the side where it goes.
void kinks_watch(void *kinks, Stepper *s) {
  Kinks *k = kinks;
  if (!k->system || k->crossed >= 0) return;
  system_branch_restart(k->work, s->t, s->y);
  system_outputs(k->work, s->t, s->y, k->now, NULL);
  for (int i = 0; k->begun && i < k->count && k->crossed < 0; i++)
    if (k->now[i] != k->before[i]) k->crossed = i, k->time = s->t;
  memcpy(k->before, k->now, (size_t)k->count * sizeof *k->now);
  k->begun = true;
}

static const char ADVICE[] =
    "second derivatives do not hold across that; write a smooth law such as "
    "tanh(v/eps), or choose a method "
    "that needs first derivatives only (lm)";

// Conditions may contain modes: after an event it is not known what they are.
bool kinks_passed(const Kinks *k, const Trajectory *t, char why[700]) {
  if (k->model->flat->hybrid && (t->events > 0 || k->model->nu > 0)) {
    c_snprintf(why, 700, "the model has discrete variables, which change at events: %s", ADVICE);
    return false;
  }
  if (t->stuck_count > 0) { // from the start: then no event has begun it
    const Event *e = &k->model->flat->events.at[t->stuck[0].event];
    c_snprintf(why, 700, "the motion sticks ('%s' in line %s, for example): %s", e->text,
               flat_line(k->model->flat, e->line).at, ADVICE);
    return false;
  }
  if (t->events > 0 && (k->moved_event >= 0 || k->count > 0)) {
    const Event *e = &k->model->flat->events.at[k->moved_event >= 0 ? k->moved_event : 0];
    c_snprintf(why, 700, "the motion passes events ('%s' in line %s, for example): %s", e->text,
               flat_line(k->model->flat, e->line).at, ADVICE);
    return false;
  }
  if (k->crossed < 0) return true;
  Text text;
  text_init(&text);
  pthread_mutex_lock(k->model->lock);
  expr_print(&text, k->model->graph, k->conditions[k->crossed]);
  pthread_mutex_unlock(k->model->lock);
  char at[32];
  c_snprintf(why, 700, "at t = %s the motion crosses a kink ('%.200s' changes): %s",
             time_format(k->origin + k->time, k->span, 6, at), text.at, ADVICE);
  text_done(&text);
  return false;
}
