// Puts together what is fixed. Feedback and observer are made when they are first asked for: many methods never need them.
#include "residual/fitting.h"

#include <math.h>
#include <pthread.h>

#include "base/patience.h"
#include "residual/closed_slopes.h"

struct LazyFeedback {
  pthread_mutex_t lock;
  bool made, observer_made;
  Feedback *feedback;
  Observer *observer;
  const ClosedSlopes *slopes;
};

static int position(const int *list, int count, int value) {
  for (int i = 0; i < count; i++)
    if (list[i] == value) return i;
  return -1;
}

static void map_slopes(Fitting *f) {
  const Problem *p = f->problem;
  Arena *a = f->arena;
  f->slope_of = ARENA_ARRAY(a, int *, p->experiment_count + 1);
  f->active = ARENA_ARRAY(a, int *, p->experiment_count + 1);
  f->active_count = ARENA_ARRAY(a, int, p->experiment_count + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    f->slope_of[e] = ARENA_ARRAY(a, int, f->n + 1);
    f->active[e] = ARENA_ARRAY(a, int, f->n + 1);
    for (int i = 0; i < f->n; i++) {
      const Unknown *u = &p->unknowns[i];
      bool here = u->experiment < 0 || u->experiment == e;
      f->slope_of[e][i] =
          here ? position(f->model->parameters, f->model->parameter_count, u->parameter) : -1;
      if (f->slope_of[e][i] >= 0) f->active[e][f->active_count[e]++] = i;
    }
  }
}

static void list_times(Fitting *f) {
  const Problem *p = f->problem;
  f->times = ARENA_ARRAY(f->arena, SampleTimes *, p->experiment_count + 1);
  f->most_rows = 1;
  for (int e = 0; e < p->experiment_count; e++) {
    SampleTimes *times = f->times[e] = sample_times_new(f->arena, &p->experiments[e]);
    int rows = 0;
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      rows += p->experiments[e].channels[c].count; // a delay can move all of them apart
    if (!times->delayed) rows = times->count;
    if (rows > f->most_rows) f->most_rows = rows;
  }
}

Fitting *fitting_new(const Problem *p) {
  Arena *a = arena_new();
  Fitting *f = ARENA_NEW(a, Fitting);
  f->arena = a;
  f->problem = p;
  f->n = p->unknown_count;
  f->data = measured_data_new(a, p);
  f->weighting = weighting_new(f->data, NULL);
  list_times(f);
  f->model = compiled_model_new(p, p->model, p->measured, &p->simulate);
  f->restarts = restart_points_new(a, f->model, f->times);
  f->from_data = from_data_new(f->data, f->model, f->times);
  map_slopes(f);
  f->feedback = ARENA_NEW(a, struct LazyFeedback);
  pthread_mutex_init(&f->feedback->lock, NULL);
  return f;
}

void fitting_free(Fitting *f) {
  if (!f) return;
  observer_free(f->feedback->observer);
  feedback_free(f->feedback->feedback);
  pthread_mutex_destroy(&f->feedback->lock);
  restart_points_done(f->restarts);
  from_data_free(f->from_data);
  compiled_model_free(f->model);
  weighting_free(f->weighting);
  arena_free(f->arena);
}

const Feedback *fitting_feedback(const Fitting *f) {
  struct LazyFeedback *lazy = f->feedback;
  if (!patience_lock(&lazy->lock)) return NULL;
  if (!lazy->made && !f->from_data) lazy->feedback = feedback_new(f->data);
  lazy->made = true;
  const Feedback *made = lazy->feedback;
  pthread_mutex_unlock(&lazy->lock);
  return made;
}

const Observer *fitting_observer(const Fitting *f) {
  const Feedback *first = fitting_feedback(f);
  struct LazyFeedback *lazy = f->feedback;
  if (!patience_lock(&lazy->lock)) return NULL;
  if (!lazy->observer_made && first) lazy->observer = observer_new(f->data, first);
  lazy->observer_made = true;
  const Observer *made = lazy->observer;
  pthread_mutex_unlock(&lazy->lock);
  return made;
}

const ClosedSlopes *fitting_closed_slopes(const Fitting *f, Budget *budget) {
  const Problem *p = f->problem;
  struct LazyFeedback *lazy = f->feedback;
  if (!p->closed || !patience_lock(&lazy->lock)) return NULL;
  const ClosedSlopes *made = lazy->slopes;
  if (!made) {
    double *x = ARENA_ARRAY(f->arena, double, f->n + 1);
    for (int i = 0; i < f->n; i++) x[i] = p->unknowns[i].start;
    made = closed_slopes_at(f->arena, f->model, x, budget);
    if (patience_asks()) lazy->slopes = made; // else it may be incomplete
  }
  pthread_mutex_unlock(&lazy->lock);
  return made;
}

void fitting_prepare(const Fitting *f, bool slopes, Budget *budget) {
  if (slopes) fitting_closed_slopes(f, budget);
  for (int e = 0; e < f->problem->experiment_count; e++) restart_point(f->restarts, e, budget);
}

double accuracy_objective(const Fitting *f, const Weighting *w, bool coupled, double horizon) {
  double rel = problem_accuracy(f->problem);
  if (coupled) rel = fmax(rel, FEEDBACK_REL_TOL);
  return rel * rel * data_objective(w, horizon);
}
