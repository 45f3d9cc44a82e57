#include "study/check_closed.h"

#include <math.h>

#include "base/patience.h"
#include "closed/closed_simulator.h"
#include "simulate/simulate.h"

static const double INACCURATE = 1e-3; // of the variation of a measured quantity

static const char *plural(int n) {
  return n == 1 ? "" : "s";
}

void check_closed_model(Check *c) {
  const Problem *p = c->problem;
  const ClosedDescription *d = closed_simulator(p->closed)->description;
  int parameters = 0;
  for (int i = 0; i < d->parameters.count; i++) parameters += d->parameters.at[i].start_of < 0;
  check_add(
      c, FINDING_GOOD, "model",
      "%s is a %s with %d parameter%s and %d input%s; %d of its parameters and start values to "
      "estimate.",
      p->closed->name, p->closed->kind, parameters, plural(parameters), d->inputs.count,
      plural(d->inputs.count), p->unknown_count);
  if (!p->closed->has_slopes_of_states)
    check_add(
        c, FINDING_NOTE, "model",
        "Its equations are not known: slopes are %s, and homotopy, the weak form and multiple "
        "shooting cannot be used.",
        p->closed->makes_slopes ? "those that it gives" : "differences of whole runs");
}

// The measured quantities at the start values, [row][quantity]; rows that were reached.
static int simulate_measured(Check *c, int e, bool refined, double *values) {
  const Problem *p = c->problem;
  const Experiment *x = &p->experiments[e];
  const Channel *longest = &x->channels[0];
  for (int k = 1; k < x->channel_count; k++)
    if (x->channels[k].count > longest->count) longest = &x->channels[k];
  double *parameters = ARENA_ARRAY(c->arena, double, p->model->np + 1);
  problem_parameters(p, e, NULL, parameters);
  SystemSpec spec = {.outputs = p->measured, .output_count = p->measured_count, .lanes = 1};
  System *system = system_new(p->model, &spec);
  SimulateWork *work = simulate_work_new(system, &p->simulate);
  SimulateRequest q = {.p = parameters,
                       .inputs = x->inputs,
                       .origin = x->origin,
                       .start = x->start,
                       .times = longest->t,
                       .count = longest->count,
                       .refined = refined,
                       .experiment = x->number,
                       .experiment_name = x->name};
  Trajectory t = {.values = values};
  simulate_run(work, &q, &t);
  simulate_work_free(work);
  system_free(system);
  return t.outcome == OUTCOME_REACHED_END ? t.rows : 0;
}

static double relative_change(const double *a, const double *b, int rows, int columns, int k) {
  double mean = 0, about = 0, apart = 0;
  for (int i = 0; i < rows; i++) mean += b[i * columns + k] / rows;
  for (int i = 0; i < rows; i++) {
    about += pow(b[i * columns + k] - mean, 2);
    apart += pow(a[i * columns + k] - b[i * columns + k], 2);
  }
  return about > 0 ? sqrt(apart / about) : 0;
}

static void compare(Check *c, int e, const double *usual, const double *fine, int rows) {
  const Problem *p = c->problem;
  const Experiment *x = &p->experiments[e];
  double most = 0;
  int channel = 0;
  for (int k = 0; k < x->channel_count; k++) {
    double change =
        relative_change(usual, fine, rows, p->measured_count, p->channel_measured[e][k]);
    if (change > most) most = change, channel = k;
  }
  if (most <= INACCURATE) {
    check_add(
        c, FINDING_GOOD, "start",
        "%s is accurate: %s, measured quantities change by at most %.2g %% of their variation.",
        p->closed->name, p->closed->refined, 100 * most);
    return;
  }
  check_add(c, FINDING_WARNING, "start",
            "%s is inaccurate: %s, %s changes by %.2g %% of its variation. Estimates would make up "
            "for that error. %s",
            p->closed->name, p->closed->refined, check_channel_label(c, e, channel), 100 * most,
            p->closed->has_slopes_of_states
                ? "Lower rel_tol and abs_tol."
                : "Give a smaller 'step' under 'model', a smaller 'tolerance', use 'interface: me' "
                  "if it is offered, or export it with another solver.");
}

void check_closed_accuracy(Check *c) {
  const Problem *p = c->problem;
  if (!p->closed || !p->closed->refined) return;
  for (int e = 0; e < p->experiment_count && patience_asks(); e++) {
    size_t rows = 0;
    for (int k = 0; k < p->experiments[e].channel_count; k++)
      if ((size_t)p->experiments[e].channels[k].count > rows)
        rows = (size_t)p->experiments[e].channels[k].count;
    double *usual = ARENA_ARRAY(c->arena, double, rows *(size_t)p->measured_count + 16);
    double *fine = ARENA_ARRAY(c->arena, double, rows *(size_t)p->measured_count + 16);
    int n = simulate_measured(c, e, false, usual), m = simulate_measured(c, e, true, fine);
    if (n && m) {
      compare(c, e, usual, fine, n < m ? n : m);
      return; // one experiment says enough
    }
  }
}
