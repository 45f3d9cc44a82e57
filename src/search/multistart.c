// Starts are points of a Latin hypercube, a Sobol sequence or random ones (num/design.h). Fits run in the worker pool and in
// lanes; their answers are taken in the order of the starts, so the result does not depend on threads.
#include "search/multistart.h"

#include <math.h>
#include <string.h>

#include "base/pool.h"
#include "num/design.h"
#include "search/starts.h"

typedef struct Multistart {
  Search *s;
  Problem inner; // as each start sees it
  RunFit *fit;
  const double *starts;
  double target;
  double *x; // the best so far
  double objective, comparable;
  LocalEnd end;
  int done, agree; // starts that ended, and that ended at the best objective
  bool found;      // nothing better can come
  bool satisfied;  // the best so far satisfies the constraints: no other counts any more
} Multistart;

static const double SAME = 1e-6; // relative difference of objectives of one optimum

static void spread_starts(const Search *s, int count, double *x) {
  const FitOptions *o = &s->problem->options;
  size_t n = (size_t)s->n;
  memcpy(x, s->next_start, n * sizeof *x);
  design_points(o->sampling, (uint64_t)o->seed, s->n, count - 1, x + n);
  for (int k = 1; k < count; k++)
    for (int i = 0; i < s->n; i++) {
      double *u = &x[(size_t)k * n + (size_t)i];
      *u = start_between(&s->problem->unknowns[i], *u);
    }
}

typedef struct StartEnd { // of the fit from one of the starts
  const double *x;
  double objective, comparable;
  LocalEnd end;
} StartEnd;

// Where constraints are violated, no objective makes up for it.
static bool counts(Multistart *m, const StartEnd *a) {
  bool satisfied = problem_satisfied(m->s->problem, a->x);
  if (satisfied && !m->satisfied) {
    m->satisfied = true;
    m->comparable = HUGE_VAL, m->agree = 0;
  }
  return satisfied || !m->satisfied;
}

static void consider(Multistart *m, const StartEnd *a) {
  m->done++;
  if (!(a->objective < HUGE_VAL) || !counts(m, a)) return;
  double allowed = SAME * fabs(m->comparable);
  if (!(a->comparable >= m->comparable - allowed)) m->agree = 0;
  m->agree += !(a->comparable > m->comparable + allowed);
  if (!(a->comparable < m->comparable)) return;
  memcpy(m->x, a->x, (size_t)m->s->n * sizeof *m->x);
  m->objective = a->objective, m->comparable = a->comparable, m->end = a->end;
  m->s->running = m->objective;
  search_tell(m->s, 0, m->x, m->objective, m->done);
}

// The last start has what is left of the budget.
static void end_with_the_rest(Multistart *m, int number) {
  Search *s = m->s;
  Problem rest = m->inner;
  rest.options.max_simulations = (int)budget_left(&s->budget);
  rest.options.threads = 1;
  EvalWork *work = eval_work_new(s->fitting, 1, NULL);
  FitResult *r = m->fit(&rest, work, m->starts + (size_t)number * (size_t)s->n, search_relay, s);
  search_add_work(s, r);
  consider(m, &(StartEnd){r->x, r->objective, fit_comparable(r), r->end});
  fit_free(r);
  eval_work_free(work);
}

static bool take(void *data, int number, const ManyFitsAnswer *a) {
  Multistart *m = data;
  Search *s = m->s;
  if (!search_affords(s, &a->work)) {
    end_with_the_rest(m, number);
    return false;
  }
  work_count_add(&s->budget.used, &a->work);
  many_fits_failures(a, s->n, s->budget.failed);
  consider(m, &(StartEnd){a->x, a->objective, a->comparable, a->end});
  m->found = a->fits || a->objective <= m->target;
  return !m->found && search_goes_on(s);
}

static bool goes_on(void *data, int finished) {
  Multistart *m = data;
  m->s->progress.iteration = finished;
  return search_goes_on(m->s);
}

// A multistart that is stopped early has at least its start as a result.
static void evaluate_start(Multistart *m) {
  Search *s = m->s;
  double objective = search_evaluate(s, 0, 1, s->next_start);
  if (objective == HUGE_VAL) return;
  memcpy(m->x, s->next_start, (size_t)s->n * sizeof *m->x);
  m->objective = objective, m->end = LOCAL_STOPPED_END;
  s->running = objective;
  search_tell(s, 0, m->x, objective, 0);
}

void multistart_run(Search *s, RunFit *fit, Method method, int count, double target) {
  Arena *a = arena_new();
  Multistart m = {.s = s,
                  .inner = *s->problem,
                  .fit = fit,
                  .target = target,
                  .objective = HUGE_VAL,
                  .comparable = HUGE_VAL};
  FitOptions *o = &m.inner.options;
  if (count > problem_max_simulations(s->problem)) count = problem_max_simulations(s->problem);
  o->max_seconds = 0; // those of the whole search end it
  o->confirm = CONFIRM_OFF;
  m.inner.method = method;
  m.x = ARENA_ARRAY(a, double, s->n + 1);
  double *starts = ARENA_ARRAY(a, double, (size_t)count *(size_t)s->n + 1);
  spread_starts(s, count, starts);
  m.starts = starts;
  ManyFitsRequest q = {.fit = fit,
                       .starts = starts,
                       .count = count,
                       .keep = true,
                       .threads = s->problem->options.threads,
                       .lanes = s->problem->options.lanes == LANES_AUTO,
                       .brief = true,
                       .take = take,
                       .listener = goes_on,
                       .data = &m};
  long before = s->budget.used.in_turn;
  search_begin(s, "multistart");
  evaluate_start(&m);
  if (search_goes_on(s)) many_fits_run(s->fitting, &m.inner, &q);
  work_count_share(&s->budget.used, before, pool_size(q.threads, count));
  bool fits = m.objective < HUGE_VAL && search_offer(s, "multistart", m.x, m.objective, m.end);
  search_end(s, fits, m.objective, "%d of %d starts ended at the best optimum", m.agree, m.done);
  arena_free(a);
}
