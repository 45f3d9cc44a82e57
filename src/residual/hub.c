#include "residual/hub.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fiber.h"
#include "residual/objective_parts.h"
#include "simulate/lanes.h"

// More tasks than lanes: so that those that need about the same steps find each other.
enum { SEATS = 32 };

typedef struct Seat { // where a task sits
  Hub *hub;
  Fiber *fiber;
  Objective *objective;
  bool busy;      // with a task of the run
  double seconds; // of its task
  double demand;  // steps that its last simulation would have needed alone; 0: unknown
  // what it waits for
  bool waits;
  Rig *rig;
  int experiment;
  bool quick;
  const SimulateRequest *request;
} Seat;

// A model compiled for lanes, with slopes or without.
typedef struct LaneRig {
  struct LaneRig *next;
  const Model *model;
  bool slopes;
  int lanes;
  System *system;
  LanesWork *work[2]; // [quick], NULL until they are needed
} LaneRig;

struct Hub {
  Arena *arena;
  const Problem *problem;
  Seat seats[SEATS];
  Seat *sitting; // the one whose turn it is
  LaneRig *rigs;
  double resumed; // when the turn began
  // of a run
  HubTask *task;
  void *data;
  int next, count;
  bool closing;
};

// ---------------------------------------------------------------- set-up

static bool is_delayed(const Problem *p) {
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      if (p->experiments[e].channels[c].delay >= 0) return true;
  return false;
}

// Samples that move with a delay need simulations of their own.
bool hub_can(const Problem *p) {
  return p->experiment_count > 0 && lanes_can(p->model, &p->simulate) && !is_delayed(p);
}

Hub *hub_new(const Problem *p) {
  Arena *a = arena_new();
  Hub *h = ARENA_NEW(a, Hub);
  h->arena = a;
  h->problem = p;
  for (int i = 0; i < SEATS; i++) h->seats[i].hub = h;
  return h;
}

static SimulateWork *scalar_work(const Seat *s) {
  return rig_work(s->rig, s->quick, s->rig->trajectory.with_sens);
}

static void compile(const Hub *h, LaneRig *r, const Seat *s) {
  const SimulateOptions *options = rig_options(s->rig, false);
  char jit[OPTION_WORD_SIZE];
  simulate_options_word(options, "jit", jit);
  SystemSpec spec = {.outputs = h->problem->measured,
                     .output_count = h->problem->measured_count,
                     .parameters = s->rig->parameters,
                     .parameter_count = r->slopes ? s->rig->parameter_count : 0,
                     .lanes = r->lanes,
                     .code = strcmp(jit, "off") == 0 ? CODE_INTERPRETER : CODE_AUTO};
  r->system = system_new(s->rig->model, &spec);
}

// A simulation of few does not pay for all lanes of many.
static int lanes_for(const Seat *s, bool slopes, int count) {
  int best = lanes_best(s->rig->model->nx, slopes ? s->rig->parameter_count : 0);
  return count <= 4 ? 4 : best;
}

static LaneRig *lane_rig(Hub *h, const Seat *s, bool slopes, int lanes) {
  for (LaneRig *r = h->rigs; r; r = r->next)
    if (r->model == s->rig->model && r->slopes == slopes && r->lanes == lanes) return r;
  LaneRig *r = ARENA_NEW(h->arena, LaneRig);
  *r = (LaneRig){.next = h->rigs, .model = s->rig->model, .slopes = slopes, .lanes = lanes};
  compile(h, r, s);
  h->rigs = r;
  return r;
}

// ---------------------------------------------------------------- simulations

static bool seat_slopes(const Seat *s) {
  return s->rig->trajectory.with_sens;
}

// Whether two simulations may share lanes.
static bool are_alike(const Seat *a, const Seat *b) {
  return a->rig->model == b->rig->model && a->experiment == b->experiment && a->quick == b->quick &&
         seat_slopes(a) == seat_slopes(b) && a->request->count == b->request->count;
}

static void run_alone(Seat *s) {
  simulate_run(scalar_work(s), s->request, &s->rig->trajectory);
  s->demand = (double)s->rig->trajectory.work.steps;
}

static void say_how_it_ended(Trajectory *t, const Lane *lane) {
  if (lane->outcome == OUTCOME_REACHED_END || lane->outcome == OUTCOME_ABANDONED) return;
  snprintf(t->message, sizeof t->message, "at t = %.10g: %s", lane->t_end,
           outcome_meaning(lane->outcome));
}

static void take_answer(Seat *s, const Lane *lane) {
  Trajectory *t = &s->rig->trajectory;
  if (lane->alone) {
    run_alone(s);
    return;
  }
  t->outcome = lane->outcome;
  t->rows = lane->rows;
  t->t_end = lane->t_end;
  t->work = lane->work;
  t->events = 0;
  t->violation = t->violation_relative = t->violation_sens = 0;
  t->violation_of = t->violation_relative_of = t->violation_sens_of = -1;
  t->message[0] = 0;
  snprintf(t->solver, sizeof t->solver, "%s",
           simulate_first(rig_options(s->rig, s->quick), s->rig->model->nx)->name);
  say_how_it_ended(t, lane);
  s->demand = lane->outcome == OUTCOME_REACHED_END ? lane->steps : s->demand;
}

// The most that one of them may take; 0: as the options say.
static long most_steps(Seat *const *group, int count) {
  long most = 0;
  for (int l = 0; l < count; l++) {
    if (group[l]->request->max_steps == 0) return 0;
    if (group[l]->request->max_steps > most) most = group[l]->request->max_steps;
  }
  return most;
}

static void run_lanes(Hub *h, Seat **group, int count) {
  const Seat *first = group[0];
  const SimulateRequest *q = first->request;
  bool slopes = seat_slopes(first);
  LaneRig *r = lane_rig(h, first, slopes, lanes_for(first, slopes, count));
  LanesWork **work = &r->work[first->quick];
  if (!*work) *work = lanes_work_new(r->system, rig_options(first->rig, first->quick));
  LanesRequest request = {.inputs = q->inputs,
                          .start = q->start,
                          .times = q->times,
                          .count = q->count,
                          .max_steps = most_steps(group, count),
                          .with_sens = slopes};
  Lane lanes[LANES_MOST] = {0};
  for (int l = 0; l < count; l++) {
    const Trajectory *t = &group[l]->rig->trajectory;
    lanes[l] = (Lane){
        .p = group[l]->rig->p, .column = t->column, .watch = t->watch, .watch_data = t->watch_data};
  }
  lanes_run(*work, &request, lanes, count);
  for (int l = 0; l < count; l++) take_answer(group[l], &lanes[l]);
}

static void serve(Hub *h, Seat **group, int count) {
  double began = clock_seconds();
  if (count == 1)
    run_alone(group[0]);
  else
    run_lanes(h, group, count);
  double share = (clock_seconds() - began) / count;
  for (int l = 0; l < count; l++) {
    group[l]->waits = false;
    group[l]->seconds += share;
  }
}

// ---------------------------------------------------------------- who shares with whom

// The most demanding first; seats keep their order among equals.
static int by_demand(const void *a, const void *b) {
  const Seat *s = *(Seat *const *)a, *t = *(Seat *const *)b;
  if (s->demand != t->demand) return s->demand > t->demand ? -1 : 1;
  return s < t ? -1 : 1;
}

// Those that wait for the kind of simulation that most wait for.
static int find_largest(Hub *h, Seat **group) {
  int most = 0;
  for (int i = 0; i < SEATS; i++) {
    Seat *alike[SEATS];
    int count = 0;
    for (int k = i; k < SEATS && h->seats[i].waits; k++)
      if (h->seats[k].waits && are_alike(&h->seats[i], &h->seats[k])) alike[count++] = &h->seats[k];
    if (count <= most) continue;
    most = count;
    memcpy(group, alike, (size_t)count * sizeof *group);
  }
  return most;
}

// Full lanes where there are enough; those who are left over wait for company as long as there may be some.
static void serve_largest(Hub *h) {
  Seat *group[SEATS];
  int count = find_largest(h, group), first = 0;
  if (count == 0) return;
  int lanes = lanes_for(group[0], seat_slopes(group[0]), SEATS);
  qsort(group, (size_t)count, sizeof(Seat *), by_demand);
  for (; count - first >= lanes; first += lanes) serve(h, group + first, lanes);
  if (first == 0) serve(h, group, count);
}

// ---------------------------------------------------------------- tasks

void hub_simulate(Hub *h, Objective *o, Rig *r, int experiment, const SimulateRequest *request) {
  Seat *s = h->sitting;
  s->rig = r, s->experiment = experiment, s->request = request;
  s->quick = o->quick && r->has_quick;
  s->waits = true;
  fiber_wait(s->fiber);
}

static void do_tasks(Seat *s) {
  Hub *h = s->hub;
  while (h->next < h->count) {
    s->seconds = 0, s->demand = 0;
    h->task(h->data, h->next++, s->objective);
  }
}

// The life of a fiber: one run after the other.
static void sit(void *data) {
  Seat *s = data;
  while (!s->hub->closing) {
    do_tasks(s);
    s->busy = false;
    fiber_wait(s->fiber);
  }
}

static void take_turn(Hub *h, Seat *s) {
  h->sitting = s;
  h->resumed = clock_seconds();
  fiber_resume(s->fiber);
  s->seconds += clock_seconds() - h->resumed;
  h->sitting = NULL;
}

double hub_seconds(const Hub *h) {
  return h->sitting->seconds + (clock_seconds() - h->resumed);
}

static bool seat_is_ready(Hub *h, Seat *s) {
  if (!s->objective) s->objective = objective_new(h->problem);
  if (!s->fiber) s->fiber = fiber_new(sit, s);
  objective_set_hub(s->objective, s->fiber ? h : NULL);
  return s->fiber != NULL;
}

// A machine that has no memory for stacks does one after the other.
static void run_in_turn(Hub *h) {
  h->sitting = &h->seats[0];
  h->resumed = clock_seconds();
  do_tasks(h->sitting);
  h->sitting = NULL;
}

void hub_run(Hub *h, int count, HubTask *task, void *data) {
  h->task = task, h->data = data;
  h->next = 0, h->count = count;
  int seats = 0, busy = 0;
  while (seats < SEATS && seats < count && seat_is_ready(h, &h->seats[seats])) seats++;
  if (seats == 0 && count > 0) run_in_turn(h);
  for (int i = 0; i < seats; i++) h->seats[i].busy = true;
  do {
    busy = 0;
    for (int i = 0; i < seats; i++) {
      Seat *s = &h->seats[i];
      if (s->busy && !s->waits) take_turn(h, s);
      busy += s->busy;
    }
    serve_largest(h);
  } while (busy);
}

static void empty_seat(Seat *s) {
  if (s->fiber) fiber_resume(s->fiber);
  fiber_free(s->fiber);
  objective_free(s->objective);
}

void hub_free(Hub *h) {
  if (!h) return;
  h->closing = true;
  for (int i = 0; i < SEATS; i++) empty_seat(&h->seats[i]);
  for (LaneRig *r = h->rigs; r; r = r->next) {
    lanes_work_free(r->work[0]);
    lanes_work_free(r->work[1]);
    system_free(r->system);
  }
  arena_free(h->arena);
}
