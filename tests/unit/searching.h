// A search made ready by hand, so that a test can call one part of a fit; and a simulator that counts what the parts ask for,
// or answers something else than the truth.
#pragma once
#include "search/search.h"
#include "swings.h"

typedef struct Watched {
  Simulator simulator; // first: it is handed around as one
  const Fitting *fitting;
  // Changes the columns of a simulation that has been made; NULL: nothing.
  void (*change)(struct Watched *w, const SimulationOrder *order);
  bool keep_all; // simulations are never given up on the way
  void *data;
  long quick, full; // simulations
} Watched;

static inline void watched_run(Simulator *self, const SimulationOrder *order) {
  Watched *w = (Watched *)self;
  ModelRun *r = order->run;
  *(order->quick ? &w->quick : &w->full) += 1;
  if (w->keep_all) r->trajectory.watch = NULL;
  simulate_run(model_run_work(r, order->slopes, order->quick), order->request, &r->trajectory);
  if (w->change) w->change(w, order);
}

static inline bool order_is_coupled(const Watched *w, const SimulationOrder *o) {
  return o->run->compiled != w->fitting->model;
}

// Residuals times a factor, with their slopes: the objective times its square, at every point.
static inline void scale_residuals(const Watched *w, const SimulationOrder *o, double factor) {
  const Problem *p = w->fitting->problem;
  const Experiment *e = &p->experiments[o->experiment];
  for (int c = 0; c < e->channel_count; c++) {
    int output = p->channel_measured[o->experiment][c];
    double *y = o->run->column[output];
    for (int i = 0; i < o->request->count; i++) {
      y[i] = e->channels[c].y[i] + (y[i] - e->channels[c].y[i]) * factor;
      for (int k = 0; o->slopes && k < o->run->compiled->parameter_count; k++)
        model_run_slope(o->run, output, k)[i] *= factor;
    }
  }
}

// Residuals that are a share of the deviation of the data from their mean, whatever the point: the objective is that share of
// data_objective. slope: theirs by each unknown, relative to the residuals; a Gauss-Newton step of one unknown is -1/slope.
static inline void set_residuals(const Watched *w, const SimulationOrder *o, double share,
                                 double slope) {
  const Problem *p = w->fitting->problem;
  const Experiment *e = &p->experiments[o->experiment];
  for (int c = 0; c < e->channel_count; c++) {
    int output = p->channel_measured[o->experiment][c];
    const double *data = e->channels[c].y;
    double mean = channel_facts(w->fitting->data, o->experiment, c)->mean;
    for (int i = 0; i < o->request->count; i++) {
      double residual = sqrt(share) * (data[i] - mean);
      o->run->column[output][i] = data[i] + residual;
      for (int k = 0; o->slopes && k < o->run->compiled->parameter_count; k++)
        model_run_slope(o->run, output, k)[i] = slope * residual;
    }
  }
}

typedef struct Searching {
  Fitting *fitting;
  EvalWork *work;
  Watched watched;
  FitResult *result;
  Search *s;
} Searching;

static inline void searching_open(Searching *q, const Problem *p, FitListener *listener,
                                  void *data) {
  memset(q, 0, sizeof *q);
  q->fitting = fitting_new(p);
  q->watched = (Watched){.simulator = {watched_run}, .fitting = q->fitting};
  q->work = eval_work_new(q->fitting, 1, &q->watched.simulator);
  Arena *a = arena_new();
  q->result = ARENA_NEW(a, FitResult);
  q->result->arena = a;
  q->result->problem = p;
  q->result->by = "";
  q->result->objective_start = nan("");
  q->s = search_new(p, q->work, q->result, listener, data);
  double *start = ARENA_ARRAY(a, double, p->unknown_count + 1);
  for (int i = 0; i < p->unknown_count; i++) start[i] = p->unknowns[i].start;
  q->result->x = search_copy(q->s, start);
  q->result->start = q->s->start = start;
  q->s->next_start = search_copy(q->s, start);
}

static inline void searching_close(Searching *q) {
  search_done(q->s);
  fit_free(q->result);
  eval_work_free(q->work);
  fitting_free(q->fitting);
}

static inline const FitStage *last_stage(const Searching *q) {
  assert_true(q->result->stages.count > 0);
  return &q->result->stages.at[q->result->stages.count - 1];
}

// Gauss-Newton that moves next to nothing in a step and never converges: so a search uses all iterations it is given.
static inline void crawl(Problem *p) {
  p->options.local = LOCAL_GAUSS_NEWTON;
  p->options.line_search = LINE_SEARCH_OFF;
  p->options.step_factor = 1e-6;
  p->options.step_tol = p->options.gradient_tol = p->options.reduction_tol = 0;
}
