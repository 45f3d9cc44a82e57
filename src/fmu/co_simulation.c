// Co-simulation: the FMU integrates itself from one communication point to the next. These are the output times and the breaks
// of the inputs, and as many between them as the step says; an FMU that takes equal steps only gets a grid of them, and its
// outputs are interpolated by straight lines.
#include <math.h>
#include <string.h>

#include "fmu/fmu_run.h"

enum { INPUT_STEPS = 1000, STEPS_MOST = 50000000 };
static const double ROUNDING = 1e-9; // of a step

typedef struct Steps {
  FmuRunner *r;
  const SimulatorCall *call;
  SimulatorAnswer *answer;
  FmuInstance *instance;
  FmuInputs *inputs;
  FmuGroup *recorded;
  double step; // 0: only where something happens
  double t;
  double *last, *now; // recorded values at the two last points; of a grid
  bool ended;
} Steps;

static double absolute(const Steps *s, double t) {
  return s->call->origin + t;
}

static bool record(Steps *s) {
  SimulatorAnswer *a = s->answer;
  double *to = a->values + (size_t)a->rows * (size_t)s->call->variable_count;
  if (fmu_get(s->instance, s->recorded, to) != FMU_OK)
    return fmu_end_refused(s->r, s->instance, absolute(s, s->t), a);
  a->rows++;
  return true;
}

static bool refused_step(Steps *s, FmuStatus status, double to, double reached) {
  if (status == FMU_DISCARD)
    return answer_end(s->answer, OUTCOME_REFUSED, reached,
                      "%s refused (discarded) the step from time %.9g to %.9g; it came to %.9g",
                      s->r->spec.name, absolute(s, s->t), absolute(s, to), reached);
  return fmu_end_refused(s->r, s->instance, absolute(s, s->t), s->answer);
}

static bool ended_itself(Steps *s, double at) {
  return answer_end(s->answer, OUTCOME_TERMINATED, at,
                    "%s ended the simulation itself at time %.9g", s->r->spec.name, at);
}

// One step of communication.
static bool step_to(Steps *s, double to) {
  double from = absolute(s, s->t), until = absolute(s, to), reached = until;
  bool ended = false;
  fmu_inputs_enter(s->inputs, s->t);
  if (fmu_inputs_set(s->instance, s->inputs, s->t) != FMU_OK)
    return fmu_end_refused(s->r, s->instance, from, s->answer);
  FmuStatus status = fmu_step(s->instance, from, until - from, &reached, &ended);
  s->answer->work.steps++;
  s->ended = ended;
  if (ended && reached >= until - ROUNDING * (until - from))
    s->t = to; // its values there are still valid
  if (ended) return ended_itself(s, reached);
  if (status != FMU_OK) return refused_step(s, status, to, reached);
  s->t = to;
  return true;
}

// Equal parts, none longer than the step.
static bool advance(Steps *s, double to) {
  double from = s->t, length = to - from;
  double parts = s->step > 0 ? ceil(length / s->step * (1 - ROUNDING)) : 1;
  if (parts < 1) parts = 1;
  for (double k = 1; k <= parts; k++)
    if (!step_to(s, k == parts ? to : from + length * (k / parts))) return false;
  return true;
}

static bool run_to_times(Steps *s) {
  const SimulatorCall *c = s->call;
  for (int row = 0; row < c->count; row++) {
    while (s->t < c->times[row]) {
      double next = fmin(fmu_inputs_break(s->inputs, s->t, 0), c->times[row]);
      if (c->times[row] - next < ROUNDING * (c->times[row] - s->t)) next = c->times[row];
      if (!advance(s, next)) return s->ended && s->t >= c->times[row] && record(s) && false;
    }
    // An input that jumps here shows after the jump.
    fmu_inputs_enter(s->inputs, s->t);
    if (fmu_inputs_set(s->instance, s->inputs, s->t) != FMU_OK)
      return fmu_end_refused(s->r, s->instance, absolute(s, s->t), s->answer);
    if (!record(s)) return false;
  }
  return true;
}

static bool look(Steps *s, double *to) {
  if (fmu_get(s->instance, s->recorded, to) == FMU_OK) return true;
  return fmu_end_refused(s->r, s->instance, absolute(s, s->t), s->answer);
}

// Rows between two points of the grid.
static int interpolate(Steps *s, double before, int row) {
  const SimulatorCall *c = s->call;
  int n = c->variable_count;
  double length = s->t - before;
  for (; row < c->count && c->times[row] <= s->t + ROUNDING * s->step; row++) {
    double part = length > 0 ? fmin((c->times[row] - before) / length, 1) : 1;
    double *to = s->answer->values + (size_t)row * (size_t)n;
    for (int i = 0; i < n; i++)
      to[i] = part >= 1 ? s->now[i] : s->last[i] + part * (s->now[i] - s->last[i]);
  }
  s->answer->rows = row;
  return row;
}

static bool run_on_grid(Steps *s) {
  const SimulatorCall *c = s->call;
  if (!look(s, s->now)) return false;
  int row = interpolate(s, s->t, 0);
  for (long k = 1; row < c->count; k++) {
    double before = s->t, *swap = s->last;
    s->last = s->now, s->now = swap;
    if (!step_to(s, c->start + (double)k * s->step) || !look(s, s->now)) return false;
    row = interpolate(s, before, row);
  }
  return true;
}

// ---------------------------------------------------------------- steps

static double shortest_interval(const SimulatorCall *c) {
  double least = HUGE_VAL, before = c->start;
  for (int i = 0; i < c->count; before = c->times[i++])
    if (c->times[i] > before) least = fmin(least, c->times[i] - before);
  return isfinite(least) ? least : 1;
}

static bool has_varying_inputs(const SimulatorCall *c) {
  for (int k = 0; k < c->input_count; k++)
    if (c->inputs[k] && input_is_sampled(c->inputs[k]) && input_kind(c->inputs[k]) != INPUT_HOLD)
      return true;
  return false;
}

static double last_time(const SimulatorCall *c) {
  return c->count ? c->times[c->count - 1] : c->start;
}

// As told, as the FMU says, or so that inputs, which are constant during a step, are followed.
static double usual_step(const FmuRunner *r, const SimulatorCall *c) {
  double said = r->model->fmu->step_size;
  if (r->spec.step > 0) return r->spec.step;
  if (said > 0) return said;
  if (r->info->internal_step > 0) return r->info->internal_step;
  if (!r->info->variable_step) return shortest_interval(c);
  return has_varying_inputs(c) ? (last_time(c) - c->start) / INPUT_STEPS : 0;
}

static double choose_step(const FmuRunner *r, const SimulatorCall *c) {
  double step = usual_step(r, c);
  if (!c->refined) return step;
  return (step > 0 ? step : shortest_interval(c)) / 4;
}

// Where a grid of these steps ends, at or after the last output time.
static double grid_end(const SimulatorCall *c, double step) {
  return c->start + step * ceil((last_time(c) - c->start) / step * (1 - ROUNDING) - ROUNDING);
}

void fmu_co_simulate(FmuRunner *r, const SimulatorCall *call, SimulatorAnswer *answer) {
  bool grid = !r->info->variable_step;
  Steps s = {.r = r, .call = call, .answer = answer, .t = call->start};
  s.step = choose_step(r, call);
  double end = grid ? grid_end(call, s.step) : last_time(call);
  if (s.step > 0 && (end - call->start) / s.step > STEPS_MOST) {
    answer_end(answer, OUTCOME_TOO_MANY_STEPS, call->origin + call->start,
               "%s: communication steps of %g are too many for this simulation; give a larger "
               "'step' (simulate: --communication)",
               r->spec.name, s.step);
    return;
  }
  double tolerance = r->spec.tolerance > 0 ? r->spec.tolerance : call->rel_tol;
  s.recorded = fmu_recorded(r, call);
  s.inputs = fmu_inputs_new(r, call);
  s.last = ARENA_ARRAY(r->scratch, double, call->variable_count + 1);
  s.now = ARENA_ARRAY(r->scratch, double, call->variable_count + 1);
  s.instance = fmu_begin(r, call, NULL, call->origin + end, tolerance, answer);
  if (!s.instance) return;
  memcpy(answer->solver, "co-simulation", sizeof "co-simulation");
  bool done = (grid ? run_on_grid : run_to_times)(&s);
  if (done || (s.ended && answer->rows == call->count)) {
    answer->message[0] = 0;
    answer->outcome = OUTCOME_REACHED_END;
    answer->t_end = absolute(&s, s.t);
  }
  answer->slopes = NULL;
  fmu_instance_free(s.instance);
}
