// A problem made ready for evaluation, with a spec that a test changes as it likes.
#pragma once
#include <math.h>
#include <stdlib.h>

#include "local/lsq.h"
#include "residual/evaluate.h"
#include "test.h"

typedef struct Evaluation {
  Fitting *fitting;
  EvalWork *work;
  Budget budget;
  EvalSpec spec;
} Evaluation;

static inline Evaluation *evaluation_new(const Problem *p) {
  Evaluation *e = calloc(1, sizeof *e);
  assert_non_null(e);
  e->fitting = fitting_new(p);
  e->work = eval_work_new(e->fitting, p->options.threads, NULL);
  e->budget.max_simulations = problem_max_simulations(p);
  e->spec = eval_spec(e->fitting, &e->budget);
  return e;
}

static inline void evaluation_free(Evaluation *e) {
  eval_work_free(e->work);
  fitting_free(e->fitting);
  free(e);
}

// At the point, which gets the answer.
static inline EvalEnd evaluation_point(Evaluation *e, LsqPoint *at, bool slopes) {
  EvalSpec spec = e->spec;
  EvalPoint out = {.R = at->R, .Qr = at->Qr};
  spec.slopes = slopes;
  EvalEnd end = evaluate(e->work, &spec, at->x, &out);
  at->objective = out.objective;
  at->has_slopes = out.has_slopes;
  return end;
}

static inline bool evaluation_rows(Evaluation *e, const double *x, bool slopes, ResidualSink *sink,
                                   void *data) {
  EvalSpec spec = e->spec;
  spec.slopes = slopes;
  return evaluate_rows(e->work, &spec, x, sink, data);
}
