#include "stats/run_errors.h"

#include <math.h>

#include "base/patience.h"

typedef struct Collector {
  const MeasuredData *data;
  double **error, **model; // by channel of all experiments
  int unknowns;
} Collector;

static void collect(void *data, const ResidualBlock *b) {
  const Collector *c = data;
  int channel = channel_number(c->data, b->experiment, b->channel);
  for (int i = 0; i < b->rows; i++) {
    c->error[channel][b->first + i] = b->column[c->unknowns][i] / b->scale[i];
    c->model[channel][b->first + i] = b->model[i];
  }
}

// window NULL: all samples.
static SpanError span_error(const Channel *c, const double *error, const NamedWindow *window) {
  SpanError s = {0};
  double squares = 0, sum = 0;
  for (int i = 0; i < c->count; i++) {
    if (window && !window_contains(window, c->t[i])) continue;
    s.n++;
    if (!error) continue;
    squares += error[i] * error[i];
    sum += error[i];
    s.most = fmax(s.most, fabs(error[i]));
  }
  if (s.n && error) {
    s.rmse = sqrt(squares / s.n);
    s.mean = sum / s.n;
  } else {
    s.rmse = s.mean = s.most = nan("");
  }
  return s;
}

double channel_spread(const Channel *c) {
  double mean = 0, spread = 0, size = 0;
  for (int i = 0; i < c->count; i++) {
    double target = sample_target(c, i);
    if (!isnan(target)) mean += target / c->count;
    size += c->y[i] * c->y[i];
  }
  for (int i = 0; i < c->count; i++) {
    double target = sample_target(c, i) - mean;
    if (!isnan(target)) spread += target * target;
  }
  return spread > 1e-24 * size ? spread : nan("");
}

double channel_fit_percent(const Channel *c, double squares) {
  return 100 * (1 - sqrt(squares / channel_spread(c)));
}

static RunChannel describe(Arena *a, const Experiment *e, const Channel *c, const double *error) {
  RunChannel out = {.error = error, .all = span_error(c, error, NULL)};
  double squares = out.all.rmse * out.all.rmse * out.all.n;
  Channel whole = *c;
  whole.from = NULL; // of the data, not of their increments
  out.fit_percent = error ? channel_fit_percent(&whole, squares) : nan("");
  SpanError *windows = ARENA_ARRAY(a, SpanError, e->window_count + 1);
  for (int i = 0; i < e->window_count; i++) windows[i] = span_error(c, error, &e->windows[i]);
  out.windows = windows;
  return out;
}

static const char *reason(Arena *a, const EvalWork *w, bool loose) {
  if (loose) return "nothing that is measured here can act on the model";
  if (!patience_lasts(0)) return "it was stopped before this was simulated";
  return arena_print(a, "%s", eval_why(w));
}

static RunErrors *errors_of(Arena *a, EvalWork *w, double lambda, const double *x) {
  const Fitting *f = eval_fitting(w);
  const Problem *p = f->problem;
  RunErrors *out = ARENA_NEW(a, RunErrors);
  Weighting *plain = weighting_plain(f->data);
  Collector c = {f->data, ARENA_ARRAY(a, double *, f->data->channel_count + 1),
                 ARENA_ARRAY(a, double *, f->data->channel_count + 1), f->n};
  EvalSpec spec = eval_spec(f, NULL);
  bool loose = lambda > 0 && !fitting_feedback(f); // it cannot be tied to the data
  spec.weighting = plain;
  spec.lambda = lambda;
  spec.free_run = true;
  *out = (RunErrors){p,     ARENA_ARRAY(a, RunChannel, f->data->channel_count + 1), 0, lambda,
                     false, ARENA_ARRAY(a, const char *, p->experiment_count + 1)};
  for (int e = 0; e < p->experiment_count; e++) {
    const Experiment *one = &p->experiments[e];
    for (int k = 0; k < one->channel_count; k++) {
      int at = channel_number(f->data, e, k), count = one->channels[k].count;
      c.error[at] = ARENA_ARRAY(a, double, count + 1);
      c.model[at] = ARENA_ARRAY(a, double, count + 1);
    }
    if (loose || !patience_asks() || !evaluate_experiment_rows(w, &spec, x, e, collect, &c))
      out->why[e] = reason(a, w, loose);
    for (int k = 0; k < one->channel_count; k++) {
      RunChannel *channel = &out->channels[out->channel_count++];
      const double *error = out->why[e] ? NULL : c.error[channel_number(f->data, e, k)];
      *channel = describe(a, one, &one->channels[k], error);
      channel->experiment = e, channel->channel = k;
      channel->model = out->why[e] ? NULL : c.model[channel_number(f->data, e, k)];
    }
  }
  weighting_free(plain);
  return out;
}

static RunErrors *errors_of_problem(Arena *a, const Problem *p, double lambda, const double *x) {
  Fitting *f = fitting_new(p);
  EvalWork *w = eval_work_new(f, 1, NULL);
  RunErrors *out = errors_of(a, w, lambda, x);
  eval_work_free(w);
  fitting_free(f);
  return out;
}

// The same experiments with the channels as they were recorded.
static Problem *recorded_problem(Arena *a, const Problem *p) {
  Problem *out = ARENA_NEW(a, Problem);
  *out = *p;
  out->options.residual = RESIDUAL_SIMULATION;
  out->validation = NULL;
  out->experiments = ARENA_ARRAY(a, Experiment, p->experiment_count + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    Experiment *one = &out->experiments[e];
    *one = p->experiments[e];
    one->channels = one->recorded;
    one->channel_count = one->recorded_count;
  }
  problem_list_measured(out, a, p->experiment_count, 0);
  return out;
}

const RunErrors *run_errors(Arena *a, EvalWork *w, double lambda, const double *x) {
  const Problem *p = eval_fitting(w)->problem;
  if (p->options.residual != RESIDUAL_EQUATION) return errors_of(a, w, lambda, x);
  RunErrors *out = errors_of_problem(a, recorded_problem(a, p), lambda, x);
  out->recorded = true;
  return out;
}

const RunErrors *validation_errors(Arena *a, const Problem *p, double lambda, const double *x) {
  return p->validation ? errors_of_problem(a, p->validation, lambda, x) : NULL;
}

bool run_errors_failed(const RunErrors *r) {
  for (int e = 0; r && e < r->problem->experiment_count; e++)
    if (r->why[e]) return true;
  return false;
}

bool problem_has_windows(const Problem *p) {
  for (int e = 0; e < p->experiment_count; e++)
    if (p->experiments[e].window_count) return true;
  return false;
}
