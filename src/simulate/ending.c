// Sentences about the end of a simulation: outcome, place, cause, remedy.
#include "simulate/ending.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/c_locale.h"
#include "model/independent.h"

static const char *state_name(const SimulateRun *run, int i) {
  const Model *m = run->system->model;
  return m->flat->variables.at[m->state[i]].name;
}

static void name_component(const SimulateRun *run, int index, char *out, size_t size) {
  const System *s = run->system;
  if (index < s->nx) {
    c_snprintf(out, size, "%s", state_name(run, index));
    return;
  }
  int i = (index - s->nx) / s->stride, k = (index - s->nx) % s->stride;
  const char *parameter =
      k < s->ns ? s->model->flat->parameters.at[s->columns.parameter[k]].name : "?";
  c_snprintf(out, size, "the sensitivity d%s/d%s", state_name(run, i), parameter);
}

static double model_time(const SimulateRun *run, double t) {
  return run->request->origin + t;
}

void end_run(const SimulateRun *run, Outcome outcome) {
  run->out->outcome = outcome;
  if (run->stepper) run->out->t_end = model_time(run, run->stepper->t);
}

// As time in the model, with enough digits to tell it from other times of this run.
typedef struct TimeText {
  char at[32];
} TimeText;

static TimeText show_time(const SimulateRun *run, double t) {
  TimeText text;
  time_format(model_time(run, t), run->t_end - run->request->start, 10, text.at);
  return text;
}

static void message(const SimulateRun *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void message(const SimulateRun *run, const char *format, ...) {
  size_t used = strlen(run->out->message);
  va_list args;
  va_start(args, format);
  c_vsnprintf(run->out->message + used, sizeof run->out->message - used, format, args);
  va_end(args);
}

bool end_stopped(const SimulateRun *run) {
  end_run(run, OUTCOME_STOPPED);
  message(run, "it was stopped at t = %.10g of %.10g, by max_seconds or from outside",
          run->stepper ? run->stepper->t : run->request->start, run->t_end);
  return false;
}

static int fastest_state(const SimulateRun *run, const double *x, const double *dx) {
  int best = 0;
  double most = -1;
  for (int i = 0; i < run->system->nx; i++) {
    double speed = fabs(dx[i]) / (run->tol->abs[i] + fabs(x[i]));
    if (!(speed <= most)) most = speed, best = i;
  }
  return best;
}

// A discrete variable, or a parameter that was computed.
static bool stands_still(const SimulateRun *run, int state) {
  const Model *m = run->system->model;
  const Variable *v = &m->flat->variables.at[m->state[state]];
  return v->now || v->computed;
}

static void describe_state(const SimulateRun *run, int index) {
  const Stepper *s = run->stepper;
  char name[160];
  system_rhs(run->work, s->t, s->y, run->y);
  if (index < run->system->nx && stands_still(run, index)) // none limits it
    index = fastest_state(run, s->y, run->y);
  name_component(run, index, name, sizeof name);
  int i = index < run->system->nx ? index : (index - run->system->nx) / run->system->stride;
  message(run, "; it is %s that limits it: %s = %.6g and changes at %.3g per unit of time", name,
          state_name(run, i), s->y[i], run->y[i]);
  int fast = fastest_state(run, s->y, run->y);
  if (fast != i)
    message(run, " (the fastest state is %s = %.6g, %.3g per unit of time)", state_name(run, fast),
            s->y[fast], run->y[fast]);
}

static void end_too_small(const SimulateRun *run) {
  const Stepper *s = run->stepper;
  end_run(run, OUTCOME_STEP_TOO_SMALL);
  message(run, "at t = %s the steps became too small (%.2g)", show_time(run, s->t).at, s->h_next);
  if (run->system->lanes == 1 && run->system->nx) describe_state(run, s->worst >= 0 ? s->worst : 0);
  message(run, "; the solution may grow without bound or jump there");
}

static void end_too_many(const SimulateRun *run) {
  const Stepper *s = run->stepper;
  end_run(run, OUTCOME_TOO_MANY_STEPS);
  message(run, "max_steps = %d steps brought it to t = %s of %s; the last step was %.2g",
          (int)run->tol->max_steps, show_time(run, s->t).at, show_time(run, run->t_end).at,
          s->t - s->t_old);
  if (s->tol.max_step > 0 && s->t - s->t_old >= 0.99 * s->tol.max_step) {
    message(run, "; it is max_step = %g that keeps the steps short", s->tol.max_step);
    return;
  }
  if (run->system->lanes == 1 && run->system->nx) describe_state(run, s->worst >= 0 ? s->worst : 0);
  if (!s->row->implicit) message(run, "; try solver=rosenbrock or a larger max_steps");
}

// f was not finite a little ahead: looks along the slope for the first point where it fails, and says why.
static void explain_ahead(const SimulateRun *run) {
  const Stepper *s = run->stepper;
  int n = run->system->nx;
  Text why;
  text_init(&why);
  Arena *scratch = arena_new();
  double *dx = ARENA_ARRAY(scratch, double, n + 16), *x = ARENA_ARRAY(scratch, double, n + 16);
  bool found = system_explain(run->work, KERNEL_RHS, s->t, s->y, &why);
  system_rhs(run->work, s->t, s->y, dx);
  double span = fabs(s->t) > 0 ? fabs(s->t) : 1;
  for (double h = 1e-15 * span; !found && h <= 10 * span; h *= 4) {
    for (int i = 0; i < n; i++) x[i] = s->y[i] + h * dx[i];
    found = system_explain(run->work, KERNEL_RHS, s->t + h, x, &why);
  }
  if (!found && run->system->ns)
    found = system_explain(run->work, KERNEL_RHS_SENS, s->t, s->y, &why);
  if (!found && run->system->kernel[KERNEL_JACOBIAN].code)
    found = system_explain(run->work, KERNEL_JACOBIAN, s->t, s->y, &why);
  message(run, "%s", found ? why.at : "numbers became too large");
  arena_free(scratch);
  text_done(&why);
}

static void end_not_computable(const SimulateRun *run) {
  end_run(run, OUTCOME_NOT_COMPUTABLE);
  message(run,
          "beyond t = %s the equations cannot be computed: ", show_time(run, run->stepper->t).at);
  if (run->system->lanes == 1) explain_ahead(run);
}

bool end_singular(const SimulateRun *run, const Singular *at, const char *how) {
  Text lines;
  text_init(&lines);
  int count = invariants_lines(run->invariants, at->row, &lines);
  end_run(run, OUTCOME_SINGULAR);
  run->out->t_end = model_time(run, at->t);
  message(run,
          "%s t = %s the constraint%s of %s %s: a singular position (a dead centre, a linkage "
          "that lies flat), from which the motion could go on in more than one way or in none",
          how, show_time(run, at->t).at, count > 1 ? "s" : "", lines.at,
          count > 1 ? "are no longer independent of each other" : "no longer restricts the motion");
  text_done(&lines);
  return false;
}

void end_of_step(const SimulateRun *run, StepEnd e) {
  Singular at;
  if (e != STEP_TOO_MANY && run->invariants && run->system->lanes == 1 &&
      invariants_near_singular(run->invariants, false, &at)) {
    end_singular(run, &at,
                 e == STEP_TOO_SMALL ? "the steps became too small, because close to"
                                     : "the equations cannot be computed, because close to");
    return;
  }
  if (e == STEP_TOO_SMALL)
    end_too_small(run);
  else if (e == STEP_TOO_MANY)
    end_too_many(run);
  else
    end_not_computable(run);
}

bool end_output(const SimulateRun *run, double t, const double *y) {
  end_run(run, OUTCOME_NOT_COMPUTABLE);
  run->out->t_end = model_time(run, t);
  message(run, "at t = %s an output cannot be computed: ", show_time(run, t).at);
  Text why;
  text_init(&why);
  bool found = run->system->lanes == 1 && system_explain(run->work, KERNEL_OUTPUTS, t, y, &why);
  message(run, "%s", found ? why.at : "a number is too large");
  text_done(&why);
  return false;
}

// By order of differentiation: which of a constraint's derivatives it is.
static const char *const DERIVATIVE[] = {"", "the time derivative of ",
                                         "the second time derivative of ",
                                         "the third time derivative of "};
enum { DERIVATIVES = sizeof DERIVATIVE / sizeof *DERIVATIVE };

static void say_constraint(const SimulateRun *run, int invariant) {
  const Model *m = run->system->model;
  const Invariant *v = &m->invariants[invariant];
  message(run, "%sthe constraint of line %s",
          DERIVATIVE[v->level < DERIVATIVES ? v->level : DERIVATIVES - 1],
          flat_line(m->flat, m->flat->equations.at[v->equation].line).at);
}

bool end_contradiction(const SimulateRun *run, int condition, double residual, double size) {
  const StartCondition *c = &run->system->model->conditions[condition];
  end_run(run, OUTCOME_NO_START);
  message(run, "the start values at t = %s do not satisfy ",
          show_time(run, run->request->start).at);
  if (c->invariant < 0)
    message(run, "the initial condition of line %s",
            flat_line(run->system->model->flat, c->line).at);
  else
    say_constraint(run, c->invariant);
  message(run, ": its two sides differ by %.3g (%.2g of the size of its terms)", fabs(residual),
          fabs(residual) / size);
  if (c->without_slope >= 0)
    message(run,
            "; %s starts at %.6g, where this condition does not depend on it, so that no better "
            "value can be found: give %s a rough start value (start = ...)",
            state_name(run, c->without_slope), run->stepper->y[c->without_slope],
            state_name(run, c->without_slope));
  else
    message(run,
            "; fix fewer start values (fixed = true), so that the nearest that fit together can "
            "be found, change them, or look whether constraints contradict each other");
  return false;
}

// A search for start values that ended without any.
static bool say_unsatisfied(const SimulateRun *run) {
  Model *m = (Model *)run->system->model; // its graph is extended under its lock
  int invariant;
  double residual;
  if (!unsatisfied_invariant(m, model_time(run, run->request->start), run->request->p, &invariant,
                             &residual))
    return false;
  message(run, "with the fixed start values ");
  say_constraint(run, invariant);
  message(
      run,
      " cannot be satisfied; near the start attributes its residual stays at %.3g; change them, "
      "or fix fewer",
      residual);
  return true;
}

bool end_fixed(const SimulateRun *run, int invariant, int column) {
  const System *s = run->system;
  const char *name = s->model->flat->parameters.at[s->columns.parameter[column]].name;
  end_run(run, OUTCOME_NO_START);
  message(run, "the start values at t = %s satisfy ", show_time(run, run->request->start).at);
  say_constraint(run, invariant);
  message(run,
          " at this value of %s only, so that there is no derivative by %s; leave one of them free "
          "(without fixed = true), or let it follow from %s",
          name, name, name);
  return false;
}

bool end_jump(const SimulateRun *run, int invariant, double by) {
  end_run(run, OUTCOME_NOT_COMPUTABLE);
  message(run, "at t = %s ", show_time(run, run->stepper->t).at);
  say_constraint(run, invariant);
  message(run,
          " jumps by %.3g, and states would have to jump with it; write constraints whose branches "
          "and inputs meet smoothly",
          by);
  return false;
}

bool end_chatter(const SimulateRun *run, int event) {
  const Event *e = &run->system->model->flat->events.at[event];
  end_run(run, OUTCOME_CHATTER);
  message(
      run,
      "at t = %s the event of '%s' (line %s) follows itself without end: the motion cannot leave "
      "this kink, nor go on along it (several relations that multiply each other, or one that "
      "changes discrete variables, for example); write a smooth law such as tanh(v/eps), or "
      "noEvent(...)",
      show_time(run, run->stepper->t).at, e->text, flat_line(run->system->model->flat, e->line).at);
  return false;
}

bool end_too_many_surfaces(const SimulateRun *run, int most) {
  end_run(run, OUTCOME_CHATTER);
  message(run,
          "at t = %s the motion sticks at more than %d relations at once, the most that can be "
          "followed; write a smooth law such as tanh(v/eps) for some of them",
          show_time(run, run->stepper->t).at, most);
  return false;
}

bool end_contradicting(const SimulateRun *run, const char *relations) {
  end_run(run, OUTCOME_CHATTER);
  message(
      run,
      "at t = %s relations contradict each other: %s; whichever of them are true, the equations "
      "make others true",
      show_time(run, run->stepper->t).at, relations);
  return false;
}

bool end_discrete(const SimulateRun *run, const char *names) {
  end_run(run, OUTCOME_CHATTER);
  message(run,
          "at t = %s discrete variables change without end: %s; write pre(...) in their equations "
          "where the value before the event is meant",
          show_time(run, run->stepper->t).at, names);
  return false;
}

bool end_stuck(const SimulateRun *run, int event) {
  const Event *e = &run->system->model->flat->events.at[event];
  end_run(run, OUTCOME_CHATTER);
  message(run,
          "before t = %s the event of '%s' (line %s) follows itself without end: the jumps there "
          "become smaller and smaller (a ball that bounces until it lies still); add a Boolean "
          "variable that holds the motion when they are small",
          show_time(run, run->stepper->t).at, e->text,
          flat_line(run->system->model->flat, e->line).at);
  return false;
}

bool end_bad_sample(const SimulateRun *run, int event) {
  const Event *e = &run->system->model->flat->events.at[event];
  end_run(run, OUTCOME_NO_START);
  message(run, "the interval of '%s' (line %s) must be positive", e->text,
          flat_line(run->system->model->flat, e->line).at);
  return false;
}

bool end_terminated(const SimulateRun *run, const char *text) {
  end_run(run, OUTCOME_TERMINATED);
  message(run, "at t = %s the model ended the simulation: %s", show_time(run, run->stepper->t).at,
          text);
  return false;
}

bool end_too_many_events(const SimulateRun *run, int event) {
  const Event *e = &run->system->model->flat->events.at[event];
  end_run(run, OUTCOME_TOO_MANY_EVENTS);
  message(run,
          "max_events = %d events brought it to t = %s of %s, the last one of '%s' (line "
          "%s); raise max_events, or "
          "write noEvent(...) around what need not be located",
          run->options->max_events, show_time(run, run->stepper->t).at,
          show_time(run, run->t_end).at, e->text, flat_line(run->system->model->flat, e->line).at);
  return false;
}

static void say_assertion(const SimulateRun *run, int assertion, double t) {
  const Flat *f = run->system->model->flat;
  const Assertion *a = &f->asserts.at[assertion];
  message(run, "at t = %s the condition of assert in %.100s:%d does not hold: %.300s",
          show_time(run, t).at, f->source->name, a->line, a->message);
}

bool end_assertion(const SimulateRun *run, int assertion) {
  end_run(run, OUTCOME_ASSERTION);
  say_assertion(run, assertion, run->stepper->t);
  return false;
}

void remark_assertion(const SimulateRun *run, int assertion, double t) {
  if (run->out->message[0]) message(run, "; ");
  say_assertion(run, assertion, t);
}

void remark_frequent_event(const SimulateRun *run, int event, long count) {
  const Event *e = &run->system->model->flat->events.at[event];
  message(run,
          "'%s' (line %s) switched %ld times, and each time cost at least a step; if its switching "
          "need not be located, write noEvent(...) around it, if the motion stays where it "
          "switches, a smooth law such as tanh(v/eps)",
          e->text, flat_line(run->system->model->flat, e->line).at, count);
}

void end_lost(const SimulateRun *run, int invariant, double by) {
  Singular at;
  if (invariants_near_singular(run->invariants, true, &at)) {
    end_singular(run, &at, "the motion left its constraints, because close to");
    return;
  }
  end_run(run, OUTCOME_LOST);
  message(run, "at t = %s ", show_time(run, run->stepper->t).at);
  say_constraint(run, invariant);
  message(run,
          " is violated by %.3g, far more than rel_tol = %g explains: the equations may have more "
          "than one solution or lose one there, or the errors of the motion grow too fast; try a "
          "smaller rel_tol, or make variables that are computed from a constraint states",
          by, run->options->rel_tol);
}

// What a constraint was differentiated for must not jump.
void end_rough_input(const SimulateRun *run, int input) {
  const Model *m = run->system->model;
  int order = m->input_order[input];
  end_run(run, OUTCOME_NO_START);
  message(run,
          "the input %s enters a constraint that is differentiated %s: its interpolation must be "
          "%s",
          m->flat->variables.at[m->input[input]].name, order == 1 ? "once" : "twice",
          order == 1 ? "linear or spline" : "spline");
}

void end_without_start(const SimulateRun *run, const double *y) {
  bool alone = run->system->lanes == 1;
  end_run(run, OUTCOME_NO_START);
  message(run, "the start values at t = %s cannot be computed: ",
          show_time(run, run->request->start).at);
  if (alone && say_unsatisfied(run)) return;
  Text why;
  text_init(&why);
  bool found = alone && system_explain(run->work, KERNEL_START, run->request->start, y, &why);
  message(run, "%s", found ? why.at : "a number is too large");
  text_done(&why);
}

void end_refused(const SimulateRun *run, const char *refusal) {
  char solver[OPTION_WORD_SIZE], index[OPTION_WORD_SIZE];
  end_run(run, OUTCOME_NO_START);
  run->out->t_end = model_time(run, run->request->start);
  simulate_options_word(run->options, "solver", solver);
  simulate_options_word(run->options, "index", index);
  if (refusal)
    message(run, "%s", refusal);
  else
    message(run,
            "index=%s is an integrator of its own, so solver=%s cannot be used with it; leave "
            "solver at auto, or take index=stabilise or index=project",
            index, solver);
}
