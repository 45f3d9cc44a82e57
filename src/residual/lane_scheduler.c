// Cooperative scheduling: each task is a fiber that waits inside its simulation. When all tasks wait, the largest group that waits
// for the same experiment of the same compiled model runs in lanes, those with the most steps together.
#include "residual/lane_scheduler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/fiber.h"
#include "base/patience.h"

// More tasks at a time than lanes, so that those that need about the same steps find each other.
enum { SEATS = 32 };

typedef struct LaneSeat { // where a task runs
  LaneScheduler *scheduler;
  Fiber *fiber;
  EvalWork *work;
  bool busy;      // with a task of the run
  double seconds; // of its task
  double demand;  // steps that its last simulation would have needed alone; 0: unknown
  bool waits;     // for this simulation
  const SimulationOrder *order;
} LaneSeat;

typedef struct LaneRunner { // scratch for one compiled model, with slopes or without
  struct LaneRunner *next;
  const CompiledModel *compiled;
  bool slopes;
  int lanes;
  LanesWork *work[2]; // [quick], NULL until needed
} LaneRunner;

struct LaneScheduler {
  Simulator simulator; // what the works of the seats simulate by; the first member
  Arena *arena;
  const Fitting *fitting;
  LaneSeat seats[SEATS];
  LaneSeat *running; // the seat whose turn it is
  double resumed;    // when its turn began
  LaneRunner *runners;
  struct { // the tasks
    LaneTask *task;
    void *data;
    int next, count;
  } run;
  bool closing;
};

// ---------------------------------------------------------------- simulations

// A simulation of few parameter sets does not pay for all lanes.
static int lanes_for(const LaneSeat *s, int count) {
  const CompiledModel *m = s->order->run->compiled;
  int best = lanes_best(m->model->nx, s->order->run->trajectory.with_sens ? m->parameter_count : 0);
  return count <= 4 ? 4 : best;
}

static LaneRunner *runner_for(LaneScheduler *h, const SimulationOrder *q, bool slopes, int lanes) {
  const CompiledModel *m = q->run->compiled;
  for (LaneRunner *r = h->runners; r; r = r->next)
    if (r->compiled == m && r->slopes == slopes && r->lanes == lanes) return r;
  LaneRunner *r = ARENA_NEW(h->arena, LaneRunner);
  *r = (LaneRunner){.next = h->runners, .compiled = m, .slopes = slopes, .lanes = lanes};
  return h->runners = r;
}

// Whether two simulations may share lanes.
static bool are_alike(const SimulationOrder *a, const SimulationOrder *b) {
  return a->run->compiled == b->run->compiled && a->experiment == b->experiment &&
         a->quick == b->quick && a->run->trajectory.with_sens == b->run->trajectory.with_sens &&
         a->request->count == b->request->count && a->request->from == b->request->from;
}

static void run_alone(LaneSeat *s) {
  const SimulationOrder *q = s->order;
  Trajectory *t = &q->run->trajectory;
  simulate_run(model_run_work(q->run, t->with_sens, q->quick), q->request, t);
  s->demand = (double)t->work.steps;
}

static void say_where(const SimulateRequest *q, const Lane *lane, Trajectory *t) {
  char at[32];
  double span = q->count ? q->times[q->count - 1] - q->start : 0;
  c_snprintf(t->message, sizeof t->message, "at t = %s: %s", time_format(lane->t_end, span, 10, at),
             outcome_meaning(lane->outcome));
}

static void take_answer(LaneSeat *s, const Lane *lane) {
  const SimulationOrder *q = s->order;
  Trajectory *t = &q->run->trajectory;
  if (lane->alone) {
    run_alone(s);
    return;
  }
  const CompiledModel *m = q->run->compiled;
  t->outcome = lane->outcome;
  t->rows = lane->rows;
  t->t_end = lane->t_end;
  t->work = lane->work;
  t->events = 0;
  t->violation = t->violation_relative = t->violation_sens = 0;
  t->violation_of = t->violation_relative_of = t->violation_sens_of = -1;
  t->message[0] = 0;
  c_snprintf(t->solver, sizeof t->solver, "%s",
             simulate_first(compiled_options(m, q->quick), m->model->nx)->name);
  if (lane->outcome == OUTCOME_REACHED_END)
    s->demand = lane->steps;
  else if (lane->outcome != OUTCOME_ABANDONED && lane->outcome != OUTCOME_STOPPED)
    say_where(q->request, lane, t);
}

// The most steps that one of them may take; 0: as the options say.
static long most_steps(LaneSeat *const *group, int count) {
  long most = 0;
  for (int l = 0; l < count; l++) {
    long limit = group[l]->order->request->max_steps;
    if (limit == 0) return 0;
    if (limit > most) most = limit;
  }
  return most;
}

static void run_lanes(LaneScheduler *h, LaneSeat **group, int count) {
  const SimulationOrder *first = group[0]->order;
  const SimulateRequest *q = first->request;
  bool slopes = first->run->trajectory.with_sens;
  LaneRunner *r = runner_for(h, first, slopes, lanes_for(group[0], count));
  LanesWork **work = &r->work[first->quick];
  if (!*work)
    *work = lanes_work_new(compiled_lanes(r->compiled, slopes, r->lanes),
                           compiled_options(r->compiled, first->quick));
  LanesRequest request = {.inputs = q->inputs,
                          .origin = q->origin,
                          .start = q->start,
                          .from = q->from,
                          .rows_before = q->rows_before,
                          .times = q->times,
                          .count = q->count,
                          .max_steps = most_steps(group, count),
                          .with_sens = slopes};
  Lane lanes[LANES_MOST] = {0};
  for (int l = 0; l < count; l++) {
    const ModelRun *run = group[l]->order->run;
    const Trajectory *t = &run->trajectory;
    lanes[l] =
        (Lane){.p = run->p, .column = t->column, .watch = t->watch, .watch_data = t->watch_data};
  }
  lanes_run(*work, &request, lanes, count);
  for (int l = 0; l < count; l++) take_answer(group[l], &lanes[l]);
}

static void give_up(LaneSeat *s) {
  Trajectory *t = &s->order->run->trajectory;
  t->outcome = OUTCOME_STOPPED;
  t->rows = 0, t->events = 0;
  t->work = (StepCount){0};
  t->violation_of = t->violation_relative_of = t->violation_sens_of = -1;
  t->message[0] = 0;
}

static void serve(LaneScheduler *h, LaneSeat **group, int count) {
  double began = patience_clock();
  if (!patience_asks())
    for (int l = 0; l < count; l++) give_up(group[l]);
  else if (count == 1)
    run_alone(group[0]);
  else
    run_lanes(h, group, count);
  double share = (patience_clock() - began) / count;
  for (int l = 0; l < count; l++) {
    group[l]->waits = false;
    group[l]->seconds += share;
  }
}

// ---------------------------------------------------------------- which simulations run together

// The most demanding first; seats keep their order among equals.
static int by_demand(const void *a, const void *b) {
  const LaneSeat *s = *(LaneSeat *const *)a, *t = *(LaneSeat *const *)b;
  if (s->demand != t->demand) return s->demand > t->demand ? -1 : 1;
  return s < t ? -1 : 1;
}

// The seats that wait for the kind of simulation that most wait for.
static int find_largest(LaneScheduler *h, LaneSeat **group) {
  int most = 0;
  for (int i = 0; i < SEATS; i++) {
    LaneSeat *alike[SEATS];
    int count = 0;
    for (int k = i; k < SEATS && h->seats[i].waits; k++)
      if (h->seats[k].waits && are_alike(h->seats[i].order, h->seats[k].order))
        alike[count++] = &h->seats[k];
    if (count <= most) continue;
    most = count;
    memcpy(group, alike, (size_t)count * sizeof *group);
  }
  return most;
}

// Full lanes where there are enough simulations; those that are left over wait for others as long as there may be some.
static void serve_largest(LaneScheduler *h) {
  LaneSeat *group[SEATS];
  int count = find_largest(h, group), first = 0;
  if (count == 0) return;
  int lanes = lanes_for(group[0], SEATS);
  qsort(group, (size_t)count, sizeof(LaneSeat *), by_demand);
  for (; count - first >= lanes; first += lanes) serve(h, group + first, lanes);
  if (first == 0) serve(h, group, count);
}

// Called inside a task.
static void simulate_in_lanes(Simulator *self, const SimulationOrder *order) {
  LaneSeat *s = ((LaneScheduler *)self)->running;
  s->order = order;
  s->waits = true;
  fiber_wait(s->fiber);
}

// ---------------------------------------------------------------- set-up

static bool is_delayed(const Problem *p) {
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      if (p->experiments[e].channels[c].delay >= 0) return true;
  return false;
}

// Samples that move with a delay need simulations of their own.
bool lane_scheduler_can(const Problem *p) {
  return p->experiment_count > 0 && !p->closed && problem_simulates(p) &&
         lanes_can(p->model, &p->simulate) && !is_delayed(p);
}

LaneScheduler *lane_scheduler_new(const Fitting *f) {
  Arena *a = arena_new();
  LaneScheduler *h = ARENA_NEW(a, LaneScheduler);
  h->simulator.run = simulate_in_lanes;
  h->arena = a;
  h->fitting = f;
  for (int i = 0; i < SEATS; i++) h->seats[i].scheduler = h;
  return h;
}

void lane_scheduler_free(LaneScheduler *h) {
  if (!h) return;
  h->closing = true;
  for (int i = 0; i < SEATS; i++) {
    LaneSeat *s = &h->seats[i];
    if (s->fiber) fiber_resume(s->fiber);
    fiber_free(s->fiber);
    eval_work_free(s->work);
  }
  for (LaneRunner *r = h->runners; r; r = r->next) {
    lanes_work_free(r->work[0]);
    lanes_work_free(r->work[1]);
  }
  arena_free(h->arena);
}

// ---------------------------------------------------------------- tasks

static void do_tasks(LaneSeat *s) {
  LaneScheduler *h = s->scheduler;
  while (h->run.next < h->run.count) {
    s->seconds = 0, s->demand = 0;
    h->run.task(h->run.data, h->run.next++, s->work);
  }
}

// The life of a fiber: one run after the other.
static void sit(void *data) {
  LaneSeat *s = data;
  while (!s->scheduler->closing) {
    do_tasks(s);
    s->busy = false;
    fiber_wait(s->fiber);
  }
}

static void take_turn(LaneScheduler *h, LaneSeat *s) {
  h->running = s;
  h->resumed = patience_clock();
  fiber_resume(s->fiber);
  s->seconds += patience_clock() - h->resumed;
  h->running = NULL;
}

double lane_scheduler_seconds(const LaneScheduler *h) {
  return h->running->seconds + (patience_clock() - h->resumed);
}

static void prepare_seat(LaneScheduler *h, LaneSeat *s) {
  if (!s->work) s->work = eval_work_new(h->fitting, 1, &h->simulator);
  if (!s->fiber) s->fiber = fiber_new(sit, s);
}

void lane_scheduler_run(LaneScheduler *h, int count, LaneTask *task, void *data) {
  h->run.task = task, h->run.data = data;
  h->run.next = 0, h->run.count = count;
  int seats = 0, busy = 0;
  while (seats < SEATS && seats < count) prepare_seat(h, &h->seats[seats++]);
  for (int i = 0; i < seats; i++) h->seats[i].busy = true;
  do {
    busy = 0;
    for (int i = 0; i < seats; i++) {
      LaneSeat *s = &h->seats[i];
      if (s->busy && !s->waits) take_turn(h, s);
      busy += s->busy;
    }
    serve_largest(h);
  } while (busy);
}
