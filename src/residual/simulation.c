// Sets the parameters of an experiment, simulates it and watches the partial objective: since every further residual only adds
// to it, a simulation whose sum exceeds abandon_above can be given up without loss.
#include "residual/simulation.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"

// ---------------------------------------------------------------- specs

EvalSpec eval_spec(const Fitting *f, Budget *budget) {
  return (EvalSpec){.strength = 1,
                    .horizon = 1,
                    .abandon_above = HUGE_VAL,
                    .weighting = f->weighting,
                    .budget = budget};
}

bool eval_spec_is_full(const EvalSpec *s) {
  return s->lambda == 0 && s->horizon >= 1 && !s->quick;
}

bool eval_has_quick(const Fitting *f, double lambda) {
  if (f->from_data) return false;
  return (lambda > 0 ? fitting_feedback(f)->compiled : f->model)->has_quick;
}

// Steps that any trial may take once one has succeeded, and how many times those of that one.
enum { TRIAL_STEPS = 20000, TRIAL_FACTOR = 50 };

long eval_step_limit(const Fitting *f, long steps) {
  long most = TRIAL_STEPS + TRIAL_FACTOR * steps;
  return steps && most < f->problem->simulate.max_steps ? most : 0;
}

// ---------------------------------------------------------------- set-up

SimulationWork *simulation_work_new(const Fitting *f, Simulator *simulator) {
  const Problem *p = f->problem;
  Arena *a = arena_new();
  SimulationWork *w = ARENA_NEW(a, SimulationWork);
  int channels = 0;
  w->arena = a;
  w->fitting = f;
  w->simulator = simulator;
  w->times = ARENA_ARRAY(a, SampleTimes *, p->experiment_count + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    const Experiment *x = &p->experiments[e];
    w->times[e] = f->times[e]->delayed ? sample_times_new(a, x) : f->times[e];
    if (x->channel_count > channels) channels = x->channel_count;
  }
  w->partial.next = ARENA_ARRAY(a, int, channels + 1);
  w->free = model_run_new(f->model, f->most_rows);
  w->from_data = from_data_work_new(f->from_data);
  return w;
}

void simulation_work_free(SimulationWork *w) {
  if (!w) return;
  model_run_free(w->free);
  from_data_work_free(w->from_data);
  for (int k = 0; k < 2; k++) model_run_free(w->coupled[k].run);
  arena_free(w->arena);
}

static const Feedback *feedback_of(const Fitting *f, const EvalSpec *spec) {
  return spec->gains ? spec->gains->feedback : fitting_feedback(f);
}

static ModelRun *run_of(SimulationWork *w, const EvalSpec *spec) {
  if (spec->lambda == 0) return w->free;
  struct CoupledRun *c = &w->coupled[spec->gains != NULL];
  if (!c->run) {
    c->feedback = feedback_of(w->fitting, spec);
    c->run = model_run_new(c->feedback->compiled, w->fitting->most_rows);
  }
  return c->run;
}

const Input *const *simulation_inputs(const SimulationWork *w, const ModelRun *r, int e) {
  for (int k = 0; k < 2; k++)
    if (r == w->coupled[k].run) return w->coupled[k].feedback->inputs[e];
  return w->fitting->problem->experiments[e].inputs;
}

ModelRun *simulation_set(SimulationWork *w, const EvalSpec *spec, int e, const double *x) {
  const Problem *p = w->fitting->problem;
  ModelRun *r = run_of(w, spec);
  memcpy(r->p, p->experiments[e].p, (size_t)p->model->np * sizeof *r->p);
  for (int i = 0; i < w->fitting->n; i++) {
    const Unknown *u = &p->unknowns[i];
    if (u->experiment < 0 || u->experiment == e) r->p[u->parameter] = x[i];
  }
  if (r != w->free)
    feedback_set(w->coupled[spec->gains != NULL].feedback, p, e, spec->lambda, spec->strength,
                 spec->gains ? spec->gains->gain[e] : NULL, r->p);
  if (w->times[e]->delayed) sample_times_update(w->times[e], &p->experiments[e], r->p);
  return r;
}

int simulation_rows(const SimulationWork *w, const EvalSpec *spec, int e) {
  return rows_in_horizon(w->times[e], &w->fitting->problem->experiments[e], spec->horizon);
}

// ---------------------------------------------------------------- while it runs

double residual_loss(double residual, double huber) {
  double size = fabs(residual);
  return size <= huber ? residual * residual / 2 : huber * (size - huber / 2);
}

// Adds the residuals of new rows to the partial objective. false: it exceeds what is worth finishing.
static bool watch(void *data, int rows) {
  SimulationWork *w = data;
  PartialObjective *partial = &w->partial;
  const EvalSpec *spec = partial->spec;
  const Problem *p = w->fitting->problem;
  int e = partial->experiment;
  if (spec->abandon_above == HUGE_VAL || p->options.round_digits > 0) return true;
  const Experiment *x = &p->experiments[e];
  for (int c = 0; c < x->channel_count; c++) {
    const Channel *ch = &x->channels[c];
    const ChannelWeights *weights =
        &spec->weighting->channels[channel_number(w->fitting->data, e, c)];
    const double *scale = weights->scale, *y = partial->run->column[p->channel_measured[e][c]];
    const int *row = w->times[e]->row[c];
    int i = partial->next[c];
    double sum = 0;
    if (weights->huber == HUGE_VAL)
      for (; i < ch->count && row[i] < rows; i++) {
        double r = (y[row[i]] - ch->y[i]) * scale[i];
        sum += r * r / 2;
      }
    for (; i < ch->count && row[i] < rows; i++)
      sum += scale[i] * scale[i] * residual_loss(y[row[i]] - ch->y[i], weights->huber);
    partial->total += sum;
    partial->next[c] = i;
  }
  return partial->total <= spec->abandon_above;
}

static void count_stuck(StuckSum *sum, const Trajectory *t) {
  for (int i = 0; i < t->stuck_count; i++) {
    int k = 0;
    while (k < sum->count && sum->at[k].event != t->stuck[i].event) k++;
    if (k == STUCK_MOST) continue;
    if (k == sum->count) sum->at[sum->count++] = (Stuck){t->stuck[i].event, 0, 0};
    sum->at[k].times += t->stuck[i].times;
    sum->at[k].peak = fmax(sum->at[k].peak, t->stuck[i].peak);
  }
}

static void count_work(Budget *b, const Trajectory *t, bool slopes, const RestartPoint *restarted) {
  if (!b) return;
  if (restarted) b->used.restarted++, b->used.saved += restarted->saved;
  *(slopes ? &b->used.sensitivity_simulations : &b->used.simulations) += 1;
  if (t->runs.count > 1) b->used.simulations += t->runs.count - 1; // for differences
  if (t->slopes_by[0] && slopes && t->outcome == OUTCOME_REACHED_END)
    *(t->runs.count > 1 ? &b->used.slopes_by_runs : &b->used.slopes_by_equations) += 1;
  b->used.in_turn++;
  if (b->stuck) count_stuck(b->stuck, t);
  b->used.rhs += t->work.rhs;
  b->used.steps += t->work.steps;
  b->used.rejected += t->work.rejected;
  bool failed = t->outcome != OUTCOME_REACHED_END && t->outcome != OUTCOME_STOPPED &&
                t->outcome != OUTCOME_ABANDONED && !t->slopes_failed;
  b->used.ended[t->outcome] += failed;
}

void simulation_clear_violation(SimulationWork *w) {
  w->violation = (InvariantViolation){0, 0, -1, -1, 0};
}

static void note_violation(InvariantViolation *v, const Trajectory *t) {
  if (t->violation_of >= 0 && (v->of < 0 || t->violation > v->largest))
    v->largest = t->violation, v->of = t->violation_of;
  if (t->violation_relative > v->relative) v->relative = t->violation_relative;
  if (t->with_sens && t->violation_sens_of >= 0 &&
      (v->sens_of < 0 || t->violation_sens > v->largest_sens))
    v->largest_sens = t->violation_sens, v->sens_of = t->violation_sens_of;
}

void simulation_note_violation(SimulationWork *w, const Trajectory *t) {
  note_violation(&w->violation, t);
}

static double rounded(double y, int digits) {
  if (y == 0 || !isfinite(y)) return y;
  double unit = pow(10, floor(log10(fabs(y))) + 1 - digits);
  return nearbyint(y / unit) * unit;
}

// Goes on from the restart point of the experiment, if it has one before the last sample that is wanted.
static const RestartPoint *begin_at_restart(SimulationWork *w, const EvalSpec *spec, ModelRun *r,
                                            int e, SimulateRequest *q) {
  const CompiledModel *m = r->compiled;
  if (r != w->free) return NULL;
  const RestartPoint *from = restart_point(w->fitting->restarts, e, spec->budget);
  if (!from || !q->count || !(q->times[q->count - 1] > from->t)) return NULL;
  if (w->times[e]->delayed && q->times[0] < from->t) return NULL;
  q->from = &from->point->start;
  q->rows_before = w->times[e]->delayed ? 0 : from->rows;
  size_t bytes = (size_t)q->rows_before * sizeof(double);
  for (int k = 0; k < m->outputs * (1 + m->parameter_count) && bytes; k++)
    if (k < m->outputs)
      memcpy(r->column[k], from->column[k], bytes);
    else
      memset(r->column[k], 0, bytes);
  return from;
}

static double shortest_interval(const double *t, int count) {
  double least = HUGE_VAL;
  for (int i = 1; i < count; i++)
    if (t[i] > t[i - 1]) least = fmin(least, t[i] - t[i - 1]);
  return isfinite(least) ? least : 1;
}

static bool has_rates(const CompiledModel *m) {
  for (int k = 0; k < m->problem->measured_count; k++)
    if (m->rate[k] >= 0) return true;
  return false;
}

static const double RATE_PART = 1e-3; // of the shortest interval between samples

typedef struct RateRows { // of the run that rates come from: by row of the request, those around it
  double *times;
  int *before, *behind, count;
} RateRows;

static void add_rate_row(RateRows *r, double t) {
  if (!r->count || t > r->times[r->count - 1]) r->times[r->count++] = t;
}

// The last one stays the last, and all are rows of one run: a simulator may choose its steps by its end.
static RateRows rate_rows(Arena *a, const SimulateRequest *q) {
  double shift = RATE_PART * shortest_interval(q->times, q->count), last = q->times[q->count - 1];
  RateRows r = {ARENA_ARRAY(a, double, 3 * q->count + 1), ARENA_ARRAY(a, int, q->count + 1),
                ARENA_ARRAY(a, int, q->count + 1), 0};
  for (int i = 0; i < q->count; i++) {
    add_rate_row(&r, fmax(q->times[i] - shift, q->start));
    r.before[i] = r.count - 1;
    add_rate_row(&r, q->times[i]);
    add_rate_row(&r, fmin(q->times[i] + shift, last));
    r.behind[i] = r.count - 1;
  }
  return r;
}

// Of a closed model only rows are known: rates of measured quantities, which slopes by delays need, come from one more run that also
// has rows a little earlier and a little later. false: it failed, and the message says why.
static bool fill_rates(SimulationWork *w, ModelRun *r, const SimulateRequest *request, bool quick,
                       Budget *budget) {
  const CompiledModel *m = r->compiled;
  if (!has_rates(m) || !request->count) return true;
  Arena *a = arena_new();
  RateRows rows = rate_rows(a, request);
  size_t outputs = (size_t)m->outputs;
  Trajectory t = {.values = ARENA_ARRAY(a, double, (size_t)rows.count *outputs + 16)};
  SimulateRequest q = *request;
  q.times = rows.times, q.count = rows.count;
  simulate_run(model_run_work(r, false, quick), &q, &t);
  bool whole = t.outcome == OUTCOME_REACHED_END;
  if (budget) budget->used.simulations++;
  if (budget && t.outcome != OUTCOME_STOPPED) budget->used.ended[t.outcome] += !whole;
  if (!whole) r->trajectory.outcome = t.outcome;
  if (!whole)
    c_snprintf(w->message, sizeof w->message, "%.600s (in a run for the slope by a delay)%s%.500s",
               t.message, t.log[0] ? "\n" : "", t.log);
  for (int k = 0; k < m->problem->measured_count && whole; k++)
    for (int i = 0; m->rate[k] >= 0 && i < request->count; i++) {
      int from = rows.before[i], to = rows.behind[i];
      double rise =
          t.values[(size_t)to * outputs + (size_t)k] - t.values[(size_t)from * outputs + (size_t)k];
      r->column[m->rate[k]][i] = to > from ? rise / (rows.times[to] - rows.times[from]) : 0;
    }
  arena_free(a);
  return whole;
}

EvalEnd simulation_run(SimulationWork *w, const EvalSpec *spec, ModelRun *r, int e, bool slopes,
                       double total) {
  const Problem *p = w->fitting->problem;
  SimulateRequest request = {.p = r->p,
                             .inputs = simulation_inputs(w, r, e),
                             .origin = p->experiments[e].origin,
                             .start = p->experiments[e].start,
                             .times = w->times[e]->at,
                             .count = simulation_rows(w, spec, e),
                             .max_steps = spec->step_limit,
                             .experiment = p->experiments[e].number,
                             .experiment_name = p->experiments[e].name};
  if (slopes && p->closed)
    request.slopes =
        spec->closed_slopes ? spec->closed_slopes : fitting_closed_slopes(w->fitting, spec->budget);
  const RestartPoint *restarted = begin_at_restart(w, spec, r, e, &request);
  PartialObjective *partial = &w->partial;
  *partial = (PartialObjective){spec, e, r, total, partial->next};
  memset(partial->next, 0, (size_t)p->experiments[e].channel_count * sizeof *partial->next);
  Trajectory *t = &r->trajectory;
  t->with_sens = slopes && r->compiled->parameter_count > 0;
  t->watch = watch;
  t->watch_data = w;
  SimulationOrder order = {r, e, slopes, spec->quick && r->compiled->has_quick, &request};
  if (w->from_data && !spec->free_run)
    from_data_run(w->from_data, e, r->p, request.count, t);
  else if (w->simulator)
    w->simulator->run(w->simulator, &order);
  else
    simulate_run(model_run_work(r, slopes, order.quick), &request, t);
  count_work(spec->budget, t, slopes, restarted);
  note_violation(&w->violation, t);
  if (t->outcome == OUTCOME_STOPPED) return EVAL_STOPPED;
  if (t->outcome == OUTCOME_ABANDONED) return EVAL_ABANDONED;
  if (t->outcome != OUTCOME_REACHED_END) {
    c_snprintf(w->message, sizeof w->message, "%s%s%.600s", t->message, t->log[0] ? "\n" : "",
               t->log);
    return EVAL_FAILED;
  }
  if (p->closed && slopes && !fill_rates(w, r, &request, order.quick, spec->budget))
    return t->outcome == OUTCOME_STOPPED ? EVAL_STOPPED : EVAL_FAILED;
  if (e == 0) w->remark[0] = 0;
  if (t->message[0]) c_snprintf(w->remark, sizeof w->remark, "%s", t->message);
  int digits = p->options.round_digits;
  for (int k = 0; digits > 0 && k < r->compiled->outputs; k++)
    for (int i = 0; i < request.count; i++) r->column[k][i] = rounded(r->column[k][i], digits);
  return EVAL_DONE;
}

void simulation_solver(const SimulationWork *w, char name[48], long *steps, long *rejected) {
  const Trajectory *t = &w->free->trajectory;
  const char *solver = t->solver[0] ? t->solver : w->solver;
  c_snprintf(name, 48, "%s", w->fitting->problem->model->nx ? solver : "");
  *steps = t->work.steps;
  *rejected = t->work.rejected;
}
