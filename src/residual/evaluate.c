// V(x) = sum of priors and over experiments, channels and samples of rho((model - data)*scale), rho(r) = r^2/2 or Huber's loss.
//
// Slopes: J is never kept. Blocks of rows are reflected into an upper triangle, [J r] = Q [R Q'r; 0 rho] (Householder, one
// block after the other: num/qr.h). Rows beyond the limit of the Huber loss are reweighted by sqrt(limit/|r|), so that R'Q'r
// stays the gradient of V (iteratively reweighted least squares; Huber, Robust Statistics, 1981, section 7.8).
#include "residual/evaluate.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/patience.h"
#include "residual/differences.h"
#include "residual/experiment_runs.h"
#include "residual/recorded.h"
#include "residual/residual_rows.h"

struct EvalWork {
  Arena *arena;
  const Fitting *fitting;
  int threads;
  SimulationWork *simulation;
  const ModelRun *last; // what was simulated last
  ResidualColumns *block;
  QrSum *sum;               // triangle of all rows
  QrSum *part;              // of an experiment in which few unknowns act
  double **part_column;     // columns of the block that belong to it
  double *R, *Qr;           // of a point whose rows are wanted instead
  Differences *differences; // NULL until slopes are made of them
  ExperimentRuns *runs;     // NULL until experiments are simulated side by side
  bool runs_made;           // those of the present point
  double length;            // of the last evaluation, see work_count_length
  double *error_squares;    // by channel: sum of the squared errors of the coupled model
  int *error_count;         // how many they are
};

EvalWork *eval_work_new(const Fitting *f, int threads, Simulator *simulator) {
  Arena *a = arena_new();
  EvalWork *w = ARENA_NEW(a, EvalWork);
  w->arena = a;
  w->fitting = f;
  w->threads = threads;
  w->simulation = simulation_work_new(f, simulator);
  w->last = w->simulation->free;
  w->block = residual_columns_new(a, f->n);
  w->sum = qr_sum_new(a, f->n);
  w->part = qr_sum_new(a, f->n);
  w->part_column = ARENA_ARRAY(a, double *, f->n + 2);
  w->R = ARENA_ARRAY(a, double, (size_t)f->n *(size_t)f->n + 1);
  w->Qr = ARENA_ARRAY(a, double, f->n + 1);
  w->error_squares = ARENA_ARRAY(a, double, f->data->channel_count + 1);
  w->error_count = ARENA_ARRAY(a, int, f->data->channel_count + 1);
  return w;
}

void eval_work_free(EvalWork *w) {
  if (!w) return;
  differences_free(w->differences);
  experiment_runs_free(w->runs);
  simulation_work_free(w->simulation);
  arena_free(w->arena);
}

const Fitting *eval_fitting(const EvalWork *w) {
  return w->fitting;
}

// ---------------------------------------------------------------- sums of rows

typedef struct RowSum {
  EvalWork *w;
  const EvalSpec *spec;
  bool slopes;
  double objective;
  bool in_part; // rows go into the triangle of the experiment first
  // Where rows are kept, too; NULL: nowhere.
  double *r, *J;
  int kept, rows; // so far, of all
} RowSum;

// Rows of an experiment have zeros in the columns of unknowns of other experiments: where these are most, its rows first get
// a triangle of their own columns.
static void begin_experiment(RowSum *s, int e) {
  EvalWork *w = s->w;
  const Fitting *f = w->fitting;
  int count = f->active_count[e];
  s->in_part = s->slopes && count < f->n;
  if (!s->in_part) return;
  w->part->n = count;
  qr_sum_clear(w->part);
  for (int k = 0; k < count; k++) w->part_column[k] = w->block->column[f->active[e][k]];
  w->part_column[count] = w->block->column[f->n];
}

static void end_experiment(const RowSum *s) {
  EvalWork *w = s->w;
  int side = w->part->n + 1, n = w->fitting->n;
  for (int first = 0; s->in_part && first < side; first += RESIDUAL_ROWS_MOST) {
    int rows = side - first < RESIDUAL_ROWS_MOST ? side - first : RESIDUAL_ROWS_MOST;
    for (int i = 0; i < n; i++) memset(w->block->column[i], 0, (size_t)rows * sizeof(double));
    for (int k = 0; k < side; k++)
      for (int j = 0; j < rows; j++)
        w->part_column[k][j] = w->part->R[(size_t)(first + j) * (size_t)side + (size_t)k];
    qr_sum_add(w->sum, w->block->column, rows);
  }
}

// Four sums at once: otherwise the time goes into waiting for the previous addition.
static double half_squares(const double *r, int n) {
  double sum[4] = {0};
  int j = 0;
  for (; j + 4 <= n; j += 4)
    for (int k = 0; k < 4; k++) sum[k] += r[j + k] * r[j + k];
  for (; j < n; j++) sum[0] += r[j] * r[j];
  return (sum[0] + sum[1] + (sum[2] + sum[3])) / 2;
}

static void keep_rows(RowSum *s, double *const *column, int rows) {
  if (!s->r) return;
  int n = s->w->fitting->n;
  size_t bytes = (size_t)rows * sizeof(double);
  memcpy(s->r + s->kept, column[n], bytes);
  for (int i = 0; s->slopes && s->J && i < n; i++)
    memcpy(s->J + (size_t)i * (size_t)s->rows + s->kept, column[i], bytes);
  s->kept += rows;
}

// A row beyond the limit of the Huber loss. In the triangle its weight is sqrt(limit/|r|), which keeps the gradient. Where
// rows are kept, it is bent so that half its square is the loss, and its slopes follow.
static void add_outlier(RowSum *s, const ResidualBlock *b, int j, double limit) {
  int n = s->w->fitting->n;
  double *r = b->column[n], weight = sqrt(limit / fabs(r[j]));
  if (s->r) {
    int at = s->kept - (b->rows - j);
    double bent = sqrt(2 * residual_loss(s->r[at], limit));
    for (int i = 0; s->slopes && s->J && i < n; i++)
      s->J[(size_t)i * (size_t)s->rows + (size_t)at] *= limit / bent;
    s->r[at] = copysign(bent, s->r[at]);
  }
  for (int i = 0; s->slopes && i < n; i++) b->column[i][j] *= weight;
  r[j] *= weight;
}

// Samples of weight 0 do not count.
static void add_errors(EvalWork *w, int number, const double *r, const double *scale, int rows) {
  double sum = 0;
  int count = 0;
  for (int j = 0; j < rows; j++) {
    if (!(scale[j] > 0)) continue;
    sum += r[j] / scale[j] * (r[j] / scale[j]);
    count++;
  }
  w->error_squares[number] += sum;
  w->error_count[number] += count;
}

static void add_block(void *data, const ResidualBlock *b) {
  RowSum *s = data;
  EvalWork *w = s->w;
  const double *r = b->column[w->fitting->n];
  int number = channel_number(w->fitting->data, b->experiment, b->channel);
  double huber = s->spec->weighting->channels[number].huber, sum = 0;
  keep_rows(s, b->column, b->rows);
  if (s->spec->lambda > 0) add_errors(w, number, r, b->scale, b->rows);
  if (huber == HUGE_VAL) sum = half_squares(r, b->rows);
  for (int j = 0; huber < HUGE_VAL && j < b->rows; j++) {
    double limit = huber * b->scale[j];
    if (!(fabs(r[j]) > limit)) {
      sum += r[j] * r[j] / 2;
      continue;
    }
    sum += residual_loss(r[j], limit);
    add_outlier(s, b, j, limit);
  }
  s->objective += sum;
  if (!s->slopes) return;
  if (s->in_part)
    qr_sum_add(w->part, w->part_column, b->rows);
  else
    qr_sum_add(w->sum, b->column, b->rows);
}

static void add_priors(RowSum *s, const double *x) {
  EvalWork *w = s->w;
  int n = w->fitting->n;
  double **column = w->block->column;
  for (int i = 0; i < n; i++) {
    const Unknown *u = &w->fitting->problem->unknowns[i];
    if (!u->has_prior) continue;
    double r = (x[i] - u->prior_mean) / u->prior_sd;
    s->objective += r * r / 2;
    for (int k = 0; k < n; k++) column[k][0] = k == i ? 1 / u->prior_sd : 0;
    column[n][0] = r;
    keep_rows(s, column, 1);
    if (s->slopes) qr_sum_add(w->sum, column, 1);
  }
}

static bool triangle_is_finite(const QrSum *sum) {
  double zero = 0;
  for (int i = 0; i < (sum->n + 1) * (sum->n + 1); i++) zero += sum->R[i] * 0;
  return zero == 0;
}

// ---------------------------------------------------------------- the objective

static EvalEnd simulate(EvalWork *w, const EvalSpec *spec, int e, const double *x, double total) {
  SimulationWork *s = w->simulation;
  const FitOptions *o = &w->fitting->problem->options;
  bool differences = spec->slopes && o->derivatives != DERIVATIVES_SENSITIVITIES &&
                     !w->fitting->problem->closed; // which makes its own
  ModelRun *r = simulation_set(s, spec, e, x);
  w->last = r;
  bool slopes = spec->slopes && !differences;
  EvalEnd end = w->runs_made ? experiment_runs_take(w->runs, e, s, spec, r, slopes)
                             : recorded_simulation(s, spec, r, e, slopes, total);
  if (spec->budget) budget_count_failed_runs(spec->budget, &r->trajectory.runs, x, w->fitting->n);
  if (end == EVAL_FAILED && spec->budget)
    failed_simulation_note(spec->budget->failed, r->trajectory.outcome, x, w->fitting->n,
                           s->message);
  if (end != EVAL_DONE || !differences) return end;
  if (!w->differences) w->differences = differences_new(w->fitting, w->threads);
  return differences_fill(w->differences, spec, r, e, x, simulation_rows(s, spec, e));
}

// Whether experiments are simulated side by side. Only in a study with a record: alone, one after the other is as good, because what
// follows a failure need not be simulated. The answer must not depend on the clock.
static const double LONG = 0.1; // s

static bool are_runs_shared(const EvalWork *w, const EvalSpec *spec) {
  const Problem *p = w->fitting->problem;
  if (p->experiment_count < 2 || w->simulation->simulator || !record_here()) return false;
  if (p->closed) return !spec->slopes; // runs for slopes are shared themselves
  return w->length > LONG * p->experiment_count && spec->abandon_above == HUGE_VAL;
}

static bool share_runs(EvalWork *w, const EvalSpec *spec, const double *x) {
  const FitOptions *o = &w->fitting->problem->options;
  w->runs_made = false;
  if (!are_runs_shared(w, spec)) return true;
  if (!w->runs) w->runs = experiment_runs_new(w->fitting, w->threads);
  bool slopes = spec->slopes && o->derivatives == DERIVATIVES_SENSITIVITIES;
  w->runs_made = experiment_runs_make(w->runs, spec, x, slopes);
  return w->runs_made;
}

static EvalEnd sum_experiments(RowSum *s, const double *x, EvalPoint *out) {
  EvalWork *w = s->w;
  const EvalSpec *spec = s->spec;
  int channels = w->fitting->data->channel_count;
  qr_sum_clear(w->sum);
  memset(w->error_squares, 0, (size_t)channels * sizeof *w->error_squares);
  memset(w->error_count, 0, (size_t)channels * sizeof *w->error_count);
  add_priors(s, x);
  out->steps = 0;
  if (!share_runs(w, spec, x)) return EVAL_STOPPED;
  for (int e = 0; e < w->fitting->problem->experiment_count; e++) {
    if (e > 0 && !patience_asks()) return EVAL_STOPPED;
    EvalEnd end = simulate(w, spec, e, x, s->objective);
    if (end != EVAL_DONE) return end;
    begin_experiment(s, e);
    residual_blocks(w->simulation, spec, w->last, e, s->slopes, w->block, add_block, s);
    end_experiment(s);
    long steps = w->last->trajectory.work.steps;
    if (steps > out->steps) out->steps = steps;
    if (s->objective > spec->abandon_above) return EVAL_ABANDONED;
  }
  if (!patience_lasts(0)) return EVAL_STOPPED; // rows may be missing
  if (isfinite(s->objective) && (!s->slopes || triangle_is_finite(w->sum))) return EVAL_DONE;
  c_snprintf(w->simulation->message, sizeof w->simulation->message, "numbers became too large");
  return EVAL_FAILED;
}

static EvalEnd evaluate_sum(RowSum *s, const double *x, EvalPoint *out) {
  Budget *budget = s->spec->budget;
  int n = s->w->fitting->n;
  out->objective = HUGE_VAL;
  out->has_slopes = false;
  out->steps = 0;
  if (!budget_allows(budget, s->w->fitting->problem->experiment_count)) return EVAL_STOPPED;
  double begin = patience_clock();
  EvalEnd end = sum_experiments(s, x, out);
  if (budget) budget->used.seconds += patience_clock() - begin;
  if (end != EVAL_DONE) return end;
  out->objective = s->objective;
  out->has_slopes = s->slopes;
  for (int i = 0; s->slopes && i < n; i++) {
    const double *row = s->w->sum->R + (size_t)i * (size_t)(n + 1);
    memcpy(out->R + (size_t)i * (size_t)n, row, (size_t)n * sizeof *out->R);
    out->Qr[i] = row[n];
  }
  return EVAL_DONE;
}

// ---------------------------------------------------------------- recorded

// All that an evaluation leaves behind.
static void answer_evaluation(AnswerBytes *b, RowSum *s, const BudgetMark *before, EvalEnd *end,
                              EvalPoint *out) {
  EvalWork *w = s->w;
  size_t n = (size_t)w->fitting->n, channels = (size_t)w->fitting->data->channel_count;
  answer_bytes(b, end, sizeof *end);
  answer_bytes(b, &out->objective, sizeof out->objective);
  answer_bytes(b, &out->has_slopes, sizeof out->has_slopes);
  answer_bytes(b, &out->steps, sizeof out->steps);
  if (out->has_slopes) answer_bytes(b, out->R, n * n * sizeof *out->R);
  if (out->has_slopes) answer_bytes(b, out->Qr, n * sizeof *out->Qr);
  if (s->r && *end == EVAL_DONE) answer_bytes(b, s->r, (size_t)s->rows * sizeof *s->r);
  if (s->r && s->J && *end == EVAL_DONE) answer_bytes(b, s->J, n * (size_t)s->rows * sizeof *s->J);
  answer_bytes(b, w->error_squares, channels * sizeof *w->error_squares);
  answer_bytes(b, w->error_count, channels * sizeof *w->error_count);
  answer_budget(b, s->spec->budget, before, w->fitting->n);
  answer_trajectory(b, w->simulation, (ModelRun *)w->last);
}

static uint64_t evaluation_digest(const RowSum *s, const double *x) {
  uint64_t digest = record_digest(0, x, (size_t)s->w->fitting->n * sizeof *x);
  char rows[] = {s->r != NULL, s->J != NULL};
  return eval_spec_digest(s->spec, record_digest(digest, rows, sizeof rows));
}

// What the evaluation would take, by its counts: the same whoever computed it.
static void note_length(EvalWork *w, const EvalSpec *spec, const BudgetMark *before) {
  const Fitting *f = w->fitting;
  if (!spec->budget) return;
  WorkCount work = work_count_rest(&spec->budget->used, &before->used);
  w->length = work_count_length(&work, f->model->model->nx, f->most_rows, spec->slopes ? f->n : 0);
}

// Evaluations that take less time are made again rather than kept.
static const double KEEP_SECONDS = 2e-4;

static EvalEnd evaluate_recorded(RowSum *s, const double *x, EvalPoint *out) {
  if (!record_here()) return evaluate_sum(s, x, out);
  EvalWork *w = s->w;
  fitting_prepare(w->fitting, s->slopes, s->spec->budget); // not inside of the item
  RecordItem item;
  Text answer, packed;
  text_init(&answer);
  text_init(&packed);
  BudgetMark before = budget_mark(s->spec->budget);
  EvalEnd end = EVAL_STOPPED;
  AnswerBytes b = {0};
  switch (record_ask(&item, "evaluation", evaluation_digest(s, x), &answer)) {
  case RECORD_COMPUTE:
    end = evaluate_sum(s, x, out);
    if (end == EVAL_STOPPED || record_item_seconds(&item) < KEEP_SECONDS) break;
    b.to = &answer;
    answer_evaluation(&b, s, &before, &end, out);
    record_pack(&packed, answer.at, answer.length);
    record_tell(&item, packed.at, packed.length);
    break;
  case RECORD_KNOWN:
    w->last = simulation_set(w->simulation, s->spec, 0, x);
    record_unpack_whole(&packed, answer.at, answer.length);
    b.from = packed.at, b.left = packed.length;
    answer_evaluation(&b, s, &before, &end, out);
    if (b.failed) end = EVAL_STOPPED;
    break;
  case RECORD_STOP: *out = (EvalPoint){HUGE_VAL, false, out->R, out->Qr, 0}; break;
  }
  text_done(&answer);
  text_done(&packed);
  note_length(w, s->spec, &before);
  return end;
}

EvalEnd evaluate(EvalWork *w, const EvalSpec *spec, const double *x, EvalPoint *out) {
  return evaluate_recorded(&(RowSum){.w = w, .spec = spec, .slopes = spec->slopes}, x, out);
}

double evaluate_value(EvalWork *w, const EvalSpec *spec, const double *x) {
  EvalSpec value = *spec;
  EvalPoint at;
  value.slopes = false;
  evaluate(w, &value, x, &at);
  return at.objective;
}

int residual_count(const Problem *p, double horizon) {
  int rows = 0;
  for (int i = 0; i < p->unknown_count; i++) rows += p->unknowns[i].has_prior;
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      rows += samples_in_horizon(&p->experiments[e], c, horizon);
  return rows;
}

EvalEnd evaluate_residuals(EvalWork *w, const EvalSpec *spec, const double *x, double *r, double *J,
                           long *steps) {
  EvalSpec wanted = *spec;
  wanted.slopes = J != NULL;
  RowSum s = {.w = w,
              .spec = &wanted,
              .slopes = wanted.slopes,
              .r = r,
              .J = J,
              .rows = residual_count(w->fitting->problem, spec->horizon)};
  EvalPoint at = {.R = w->R, .Qr = w->Qr};
  EvalEnd end = evaluate_recorded(&s, x, &at);
  if (steps) *steps = at.steps;
  return end;
}

// ---------------------------------------------------------------- rows and states

bool evaluate_experiment_rows(EvalWork *w, const EvalSpec *spec, const double *x, int experiment,
                              ResidualSink *sink, void *data) {
  SimulationWork *s = w->simulation;
  ModelRun *r = simulation_set(s, spec, experiment, x);
  w->last = r;
  w->runs_made = false;
  if (recorded_simulation(s, spec, r, experiment, spec->slopes, 0) != EVAL_DONE) return false;
  residual_blocks(s, spec, r, experiment, spec->slopes, w->block, sink, data);
  return patience_lasts(0);
}

bool evaluate_rows(EvalWork *w, const EvalSpec *spec, const double *x, ResidualSink *sink,
                   void *data) {
  simulation_clear_violation(w->simulation);
  for (int e = 0; e < w->fitting->problem->experiment_count; e++)
    if (!evaluate_experiment_rows(w, spec, x, e, sink, data)) return false;
  return true;
}

bool evaluate_states(EvalWork *w, const EvalSpec *spec, const double *x, int experiment,
                     const double *times, int count, double *states) {
  const Problem *p = w->fitting->problem;
  SimulationWork *s = w->simulation;
  ModelRun *r = simulation_set(s, spec, experiment, x);
  Model *m = r->compiled->model;
  SystemSpec wanted = {.outputs = m->x, .output_count = p->model->nx, .lanes = 1};
  simulate_needs(&p->simulate, m->nx, &wanted);
  System *system = system_new(m, &wanted);
  SimulateWork *work = simulate_work_new(system, &p->simulate);
  const Experiment *e = &p->experiments[experiment];
  SimulateRequest request = {.p = r->p,
                             .inputs = simulation_inputs(s, r, experiment),
                             .origin = e->origin,
                             .start = e->start,
                             .times = times,
                             .count = count};
  Trajectory t = {.values = states};
  simulate_run(work, &request, &t);
  if (spec->budget) {
    spec->budget->used.simulations++;
    spec->budget->used.rhs += t.work.rhs;
    spec->budget->used.steps += t.work.steps;
    spec->budget->used.ended[t.outcome] +=
        t.outcome != OUTCOME_REACHED_END && t.outcome != OUTCOME_STOPPED;
  }
  simulate_work_free(work);
  system_free(system);
  return t.outcome == OUTCOME_REACHED_END;
}

// ---------------------------------------------------------------- about the last simulations

const char *eval_why(const EvalWork *w) {
  return w->simulation->message;
}

void eval_solver(const EvalWork *w, char name[48], long *steps, long *rejected) {
  simulation_solver(w->simulation, name, steps, rejected);
}

void eval_note_solver(EvalWork *w, const char name[48]) {
  memcpy(w->simulation->solver, name, sizeof w->simulation->solver);
}

const char *eval_last_solver(const EvalWork *w) {
  return w->last->trajectory.solver;
}

InvariantViolation eval_violation(const EvalWork *w) {
  return w->simulation->violation;
}

const char *eval_remark(const EvalWork *w) {
  return w->simulation->remark;
}

double eval_misfit(const EvalWork *w, int *experiment, int *channel) {
  const Problem *p = w->fitting->problem;
  double most = nan("");
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++) {
      int k = channel_number(w->fitting->data, e, c);
      double range = w->fitting->data->channels[k].range;
      if (!w->error_count[k] || !(range > 0)) continue;
      double misfit = sqrt(w->error_squares[k] / w->error_count[k]) / range;
      if (misfit <= most) continue;
      most = misfit;
      *experiment = e, *channel = c;
    }
  return most;
}

Simulator *eval_simulator(const EvalWork *w) {
  return w->simulation->simulator;
}
