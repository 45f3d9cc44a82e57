// Modulating functions (Shinbrot 1957): der(x) = f times a bump phi that vanishes at both ends of a window, integrated by
// parts, is -integral of phi' x dt = integral of phi f(x, p) dt. With data in place of x these are equations in p alone, without
// any simulation or derivative of noisy data; a local method solves them in the least-squares sense.
#include "search/weak.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/patience.h"
#include "local/local.h"
#include "num/random.h"
#include "search/weak_form.h"

enum {
  STARTS = 12,     // random ones, where parameters enter nonlinearly
  REWEIGHTS = 2,   // rounds in which equations are weighted by their own residuals
  ROWS_EACH = 5,   // windows for each unknown, for a judgement by residuals
  WIDTHS = 4,      // of windows that are tried
  ITERATIONS = 60, // of a local search
  START_POINTS = 8,
};
static const double START_PART = 0.7; // of a quarter of the period: what a cubic can follow

// Widths of windows in quarters of the dominant period, the first in case none can be judged. Wide windows average more noise
// away, until the motion itself is averaged away.
static const double WIDTH[WIDTHS] = {2.3, 1.2, 3.5, 5.2};

// ---------------------------------------------------------------- search

static void set_bounds(Weak *w) {
  const Problem *p = w->problem;
  w->lower = ARENA_ARRAY(w->arena, double, w->n + 1);
  w->upper = ARENA_ARRAY(w->arena, double, w->n + 1);
  w->typical = ARENA_ARRAY(w->arena, double, w->n + 1);
  w->seen = ARENA_ARRAY(w->arena, bool, w->n + 1);
  for (int k = 0; k < w->n; k++) {
    const Unknown *f = &p->unknowns[w->unknowns[k]];
    double span = f->max - f->min;
    w->lower[k] = f->min, w->upper[k] = f->max;
    w->typical[k] = f->start != 0 ? fabs(f->start) : span > 0 && isfinite(span) ? span : 1;
  }
}

static double random_number(Random *random, const Unknown *f) {
  double u = random_uniform(random);
  bool bounded = isfinite(f->min) && isfinite(f->max);
  if (bounded && f->min > 0 && (f->log || f->max > 100 * f->min))
    return f->min * pow(f->max / f->min, u);
  if (bounded) return f->min + u * (f->max - f->min);
  double size = f->start != 0 ? fabs(f->start) : 1;
  return fmin(f->max, fmax(f->min, f->start + 3 * size * random_normal(random)));
}

static double search_from(Weak *w, LsqPoint *point) {
  Lsq lsq = {.n = w->n,
             .lower = w->lower,
             .upper = w->upper,
             .typical = w->typical,
             .self = w,
             .eval = weak_eval};
  LocalOptions options = {.max_iterations = ITERATIONS,
                          .step_tol = 1e-9,
                          .gradient_tol = 1e-12,
                          .reduction_tol = 1e-14,
                          .target = -1};
  LocalResult result = {.best = point};
  local_lm(&lsq, &options, &result);
  return result.end == LOCAL_NO_START_END ? HUGE_VAL : point->objective;
}

// Mean logarithm of the standard errors: how sharply the windows determine the unknowns. HUGE_VAL when they do not.
static double sharpness(const Weak *w, const LsqPoint *p, int rows, Arena *scratch) {
  int n = w->n;
  double total = 0, *column = ARENA_ARRAY(scratch, double, n + 1);
  double noise = sqrt(2 * p->objective / (rows > n ? rows - n : 1));
  double *inverse = ARENA_ARRAY(scratch, double, (size_t)n *(size_t)n + 1);
  for (int j = 0; j < n; j++) { // R inverse = e_j, from below
    memset(column, 0, (size_t)n * sizeof *column);
    for (int i = j; i >= 0; i--) {
      double sum = i == j;
      for (int k = i + 1; k <= j; k++) sum -= p->R[(size_t)i * (size_t)n + (size_t)k] * column[k];
      column[i] = sum / p->R[(size_t)i * (size_t)n + (size_t)i];
      inverse[(size_t)i * (size_t)n + (size_t)j] = column[i];
    }
  }
  for (int i = 0; i < n; i++) {
    double square = 0;
    for (int j = i; j < n; j++)
      square +=
          inverse[(size_t)i * (size_t)n + (size_t)j] * inverse[(size_t)i * (size_t)n + (size_t)j];
    total += log(noise * sqrt(square) / w->typical[i] + 1e-300);
  }
  return isfinite(total) ? total / n : HUGE_VAL;
}

// The best of the given start and random ones.
static bool search(Weak *w, const double *start, int random_starts, LsqPoint *best,
                   LsqPoint *trial) {
  Random random;
  random_seed_stream(&random, (uint64_t)w->problem->options.seed, 0x3eaf);
  double least = HUGE_VAL;
  for (int s = 0; s <= random_starts && patience_lasts(0); s++) {
    for (int k = 0; k < w->n; k++)
      trial->x[k] = s ? random_number(&random, &w->problem->unknowns[w->unknowns[k]]) : start[k];
    double objective = search_from(w, trial);
    if (!(objective < least)) continue;
    least = objective;
    lsq_point_copy(best, trial, w->n);
  }
  return least < HUGE_VAL;
}

static void refine(Weak *w, LsqPoint *best) {
  if (weak_group_count(w) < 2) return;
  for (int i = 0; i < REWEIGHTS; i++) {
    if (weak_eval(w, best, HUGE_VAL, true) != LSQ_DONE) return;
    weak_reweight(w);
    search_from(w, best);
  }
}

static void note_seen(Weak *w, const LsqPoint *p) {
  memset(w->seen, 0, (size_t)w->n * sizeof *w->seen);
  for (int i = 0; i < w->n; i++)
    for (int j = i; j < w->n; j++) w->seen[j] |= p->R[(size_t)i * (size_t)w->n + (size_t)j] != 0;
}

// Tries windows of several widths and keeps the unknowns that are determined most sharply.
static bool search_widths(Weak *w, double *x, Arena *scratch) {
  LsqPoint *best = lsq_point_new(scratch, w->n), *trial = lsq_point_new(scratch, w->n);
  double *start = ARENA_ARRAY(scratch, double, w->n + 1), sharpest = HUGE_VAL;
  bool found = false;
  memcpy(start, x, (size_t)w->n * sizeof *start);
  for (int i = 0; i < WIDTHS && patience_lasts(0); i++) {
    weak_use_width(w, WIDTH[i]);
    // A linear problem has one minimum, and one width shows which minimum is the right one.
    int random_starts = w->linear || found ? 0 : STARTS;
    if (weak_row_count(w) < w->n || !search(w, found ? x : start, random_starts, best, trial))
      continue;
    refine(w, best);
    bool judged = best->has_slopes && weak_row_count(w) >= ROWS_EACH * w->n;
    double value = judged ? sharpness(w, best, weak_row_count(w), scratch) : HUGE_VAL;
    if (found && !(value < sharpest)) continue;
    found = true;
    sharpest = value;
    memcpy(x, best->x, (size_t)w->n * sizeof *x);
    note_seen(w, best);
  }
  return found;
}

static void make_rows(Weak *w) {
  w->column = ARENA_ARRAY(w->arena, double *, w->n + 2);
  for (int j = 0; j <= w->n; j++) w->column[j] = ARENA_ARRAY(w->arena, double, w->row_room + 8);
  w->sum = qr_sum_new(w->arena, w->n);
}

// The unknowns of the equations.
static void solve_equations(Weak *w, double *x, bool *found, Arena *scratch) {
  weak_number_unknowns(w);
  if (w->n == 0) return;
  make_rows(w);
  set_bounds(w);
  double *unknown = ARENA_ARRAY(scratch, double, w->n + 1);
  for (int k = 0; k < w->n; k++)
    unknown[k] = fmin(w->upper[k], fmax(w->lower[k], x[w->unknowns[k]]));
  if (!search_widths(w, unknown, scratch)) return;
  for (int k = 0; k < w->n; k++) {
    found[w->unknowns[k]] = w->seen[k] && isfinite(unknown[k]);
    if (found[w->unknowns[k]]) x[w->unknowns[k]] = unknown[k];
  }
}

// ---------------------------------------------------------------- start values

// Value and slope at the start, from a cubic through the first samples.
static bool fit_start(const WeakRun *r, const double *data, double both[2], Arena *scratch) {
  int count = (int)fmin(r->points, fmax(START_POINTS, round(START_PART * r->quarter / r->step)));
  if (fabs(r->first - r->experiment->start) > count * r->step) return false;
  QrSum *sum = qr_sum_new(scratch, 4);
  double *column[5], c[4];
  for (int j = 0; j < 5; j++) column[j] = ARENA_ARRAY(scratch, double, count + 8);
  for (int k = 0; k < count; k++) {
    double t = weak_point_time(r, k) - r->experiment->start;
    for (int j = 0; j < 4; j++) column[j][k] = pow(t, j);
    column[4][k] = data[k];
  }
  qr_sum_add(sum, column, count);
  for (int i = 3; i >= 0; i--) {
    const double *row = sum->R + i * 5;
    c[i] = row[4];
    for (int j = i + 1; j < 4; j++) c[i] -= row[j] * c[j];
    c[i] /= row[i];
  }
  both[0] = c[0], both[1] = c[1];
  return isfinite(c[0]) && isfinite(c[1]);
}

// One that several experiments share is their mean.
static bool find_start(Weak *w, const Unknown *f, double *value, Arena *scratch) {
  int state = weak_state_of_start(w->model, f->parameter), count = 0;
  double sum = 0, both[2];
  for (int e = 0; e < w->run_count && state >= 0; e++) {
    const WeakRun *r = &w->runs[e];
    const WeakKnown *known = &r->known[state];
    bool takes_part = r->points && (f->experiment < 0 || f->experiment == e);
    if (!takes_part || known->channel < 0 || known->level > 1) continue;
    if (!fit_start(r, r->data[known->channel], both, scratch)) continue;
    sum += both[known->level];
    count++;
  }
  *value = count ? fmin(f->max, fmax(f->min, sum / count)) : 0;
  return count > 0;
}

static void find_starts(Weak *w, double *x, bool *found, Arena *scratch) {
  for (int i = 0; i < w->problem->unknown_count; i++) {
    double value;
    if (found[i] || !find_start(w, &w->problem->unknowns[i], &value, scratch)) continue;
    x[i] = value;
    found[i] = true;
  }
}

// ---------------------------------------------------------------- the whole

static void tell(const Weak *w, const bool *found, WeakFacts *facts, Arena *scratch) {
  const Problem *p = w->problem;
  *facts = (WeakFacts){.evaluated = w->evaluated};
  int i = 0;
  while (i < p->unknown_count && found[i]) i++;
  if (i == p->unknown_count || !patience_lasts(0)) return;
  pthread_mutex_lock(p->model->lock);
  c_snprintf(facts->why, sizeof facts->why, "%s: %s", p->unknowns[i].name,
             weak_reason(w, &p->unknowns[i], scratch));
  pthread_mutex_unlock(p->model->lock);
}

int weak_start(const Problem *p, double *x, bool *found, WeakFacts *facts) {
  memset(found, 0, (size_t)p->unknown_count * sizeof *found);
  if (p->closed) {
    if (facts) *facts = (WeakFacts){.why = "the equations of the model are not known"};
    return 0;
  }
  if (p->model->flat->hybrid) { // their values belong to a simulation
    if (facts) *facts = (WeakFacts){.why = "the model has discrete variables"};
    return 0;
  }
  Arena *scratch = arena_new(), *arena = arena_new();
  Weak w = {.problem = p, .model = p->model, .arena = arena, .x = x};
  pthread_mutex_lock(p->model->lock);
  weak_find_structure(&w, scratch);
  weak_derive_slopes(&w, scratch);
  pthread_mutex_unlock(p->model->lock);
  if (patience_asks()) weak_compile(&w, scratch);
  if (patience_asks()) {
    weak_prepare_runs(&w, scratch);
    solve_equations(&w, x, found, scratch);
    find_starts(&w, x, found, scratch);
  }
  int count = 0;
  for (int i = 0; i < p->unknown_count && patience_lasts(0); i++) count += found[i];
  if (facts) tell(&w, found, facts, scratch);
  system_work_free(w.work);
  system_work_free(w.inverse_work);
  system_free(w.system);
  system_free(w.inverses);
  arena_free(scratch);
  arena_free(arena);
  return count;
}
