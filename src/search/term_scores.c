#include "search/term_scores.h"

#include <math.h>

#include "base/patience.h"
#include "num/distribution.h"

enum {
  UNKNOWNS_MOST = 60, // beyond these, and
  ROWS_MOST = 200000, // these, it would take longer than it is worth
};

static bool is_affordable(const Problem *p) {
  return sample_count(p, 1) <= ROWS_MOST && p->unknown_count <= UNKNOWNS_MOST;
}

// A model that explains less than half of the data (fit 50 %) stands at a wrong optimum or is no model of them; what it would
// need cannot be seen from there.
static const double FAR = 0.25; // of the squares of the data about their mean

static bool explains_the_data(const TermScores *t) {
  EvalSpec spec = eval_spec(eval_fitting(t->work), NULL);
  spec.weighting = t->weighting;
  return evaluate_value(t->work, &spec, t->x) <= FAR * data_objective(t->weighting, 1);
}

// ---------------------------------------------------------------- terms and their sizes

typedef struct TypicalSizes { // root mean squares
  double *state, *rate, *input;
  double count, steps;
} TypicalSizes;

static void add_states(const double *states, const double *t, int rows, int nx, TypicalSizes *z) {
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < nx; k++) {
      double x = states[(size_t)i * nx + k];
      z->state[k] += x * x;
      if (i) z->rate[k] += pow((x - states[(size_t)(i - 1) * nx + k]) / (t[i] - t[i - 1]), 2);
    }
  z->count += rows, z->steps += rows - 1;
}

// The states that rows begin at; those that the data do not tell count as 0, and get no terms.
static void copy_known_states(const Experiment *e, const Channel *c, int nx, double *states) {
  for (int i = 0, row = 0; i < c->count; i++) {
    while (row + 1 < e->row_count && e->row_t[row] < c->t[i]) row++;
    for (int k = 0; k < nx; k++) {
      double x = e->states->x[(size_t)row * (size_t)nx + (size_t)k];
      states[(size_t)i * (size_t)nx + (size_t)k] = isnan(x) ? 0 : x;
    }
  }
}

static const Channel *longest_channel(const Experiment *e) {
  const Channel *longest = &e->channels[0];
  for (int c = 1; c < e->channel_count; c++)
    if (e->channels[c].count > longest->count) longest = &e->channels[c];
  return longest;
}

static void add_inputs(const TermScores *s, const Experiment *e, const Channel *c,
                       TypicalSizes *z) {
  for (int u = 0; u < s->problem->model->nu; u++)
    for (int i = 0; i < c->count && input_is_sampled(e->inputs[u]); i++)
      z->input[u] += pow(input_value(e->inputs[u], c->t[i]), 2);
}

// false: it cannot be simulated.
static bool measure_sizes(const TermScores *s, TypicalSizes *z) {
  const Model *m = s->problem->model;
  EvalSpec spec = eval_spec(eval_fitting(s->work), NULL);
  for (int e = 0; e < s->problem->experiment_count; e++) {
    const Experiment *x = &s->problem->experiments[e];
    const Channel *c = longest_channel(x);
    if (c->count < 2) continue;
    double *states = ARENA_ARRAY(s->arena, double, (size_t)c->count *(size_t)m->nx + 1);
    if (x->states)
      copy_known_states(x, c, m->nx, states);
    else if (!evaluate_states(s->work, &spec, s->x, e, c->t, c->count, states))
      return false;
    add_states(states, c->t, c->count, m->nx, z);
    add_inputs(s, x, c, z);
  }
  for (int k = 0; k < m->nx; k++) {
    z->state[k] = sqrt(z->state[k] / z->count);
    z->rate[k] = sqrt(z->rate[k] / z->steps);
  }
  for (int u = 0; u < m->nu; u++) z->input[u] = sqrt(z->input[u] / z->count);
  return true;
}

static void choose_terms(TermScores *t) {
  const Model *m = t->problem->model;
  Arena *a = t->arena;
  TypicalSizes z = {ARENA_ARRAY(a, double, m->nx + 1), ARENA_ARRAY(a, double, m->nx + 1),
                    ARENA_ARRAY(a, double, m->nu + 1), 0, 0};
  if (m->nx == 0 || !measure_sizes(t, &z)) return;
  t->count = equation_terms(t->problem, z.state, z.rate, z.input, t->terms, SCORE_TERMS_MOST);
  if (t->count) return;
  for (int u = 0; u < m->nu; u++) z.input[u] = 0; // too many: without inputs
  t->count = equation_terms(t->problem, z.state, z.rate, z.input, t->terms, SCORE_TERMS_MOST);
}

// ---------------------------------------------------------------- slopes, and what the unknowns explain

// Slopes and residuals of the model with the terms at factors of 0. false: there are none.
static bool simulate_terms(TermScores *t) {
  int n = t->problem->unknown_count;
  const Problem *with = problem_with_terms(t->arena, t->problem, t->terms, t->count);
  with = problem_with_starts(t->arena, with, t->starts, t->start_count);
  double *x = ARENA_ARRAY(t->arena, double, n + t->count + t->start_count + 1);
  for (int i = 0; i < n; i++) x[i] = t->x[i];
  for (int i = 0; i < t->start_count; i++) x[n + t->count + i] = t->starts[i].value;
  Fitting *fitting = fitting_new(with);
  EvalWork *w = eval_work_new(fitting, 1, NULL);
  Weighting *weighting = weighting_new(fitting->data, t->weighting->sigma);
  t->rows = samples_new(t->arena, w, weighting, NULL, x);
  weighting_free(weighting);
  eval_work_free(w);
  fitting_free(fitting);
  return t->rows && patience_asks();
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

double *term_scores_weighted(const TermScores *t, const double *column) {
  double *v = ARENA_ARRAY(t->arena, double, t->rows->count + 1);
  for (int i = 0; i < t->rows->count; i++) v[i] = t->rows->scale[i] * column[i];
  return v;
}

// Twice, for accuracy.
static void remove_basis(const TermScores *t, double *v) {
  for (int k = 0; k < 2 * t->basis_count; k++) {
    const double *q = t->basis[k % t->basis_count];
    double part = dot(q, v, t->rows->count);
    for (int i = 0; i < t->rows->count; i++) v[i] -= part * q[i];
  }
  patience_lasts(4L * t->basis_count * t->rows->count);
}

static const double DEPENDENT = 1e-6; // part of its square: what is left is rounding

bool term_scores_remove(const TermScores *t, double *column) {
  double before = dot(column, column, t->rows->count);
  remove_basis(t, column);
  return isfinite(before) && dot(column, column, t->rows->count) > DEPENDENT * before;
}

static const double INDEPENDENT = 1e-8; // what is left of a column of length 1

static void add_to_basis(TermScores *t, double *v) {
  double whole = sqrt(dot(v, v, t->rows->count));
  remove_basis(t, v);
  double left = sqrt(dot(v, v, t->rows->count));
  if (!(left > INDEPENDENT * whole)) return;
  for (int i = 0; i < t->rows->count; i++) v[i] /= left;
  t->basis[t->basis_count++] = v;
}

// Unknowns at bounds, too: what only the bound holds back is no missing term.
static void make_basis(TermScores *t) {
  int n = t->problem->unknown_count;
  t->basis = ARENA_ARRAY(t->arena, double *, n + 1);
  for (int k = 0; k < n && patience_lasts(0); k++)
    add_to_basis(t, term_scores_weighted(t, t->rows->column[k]));
}

static const double STATIONARY = 0.1; // share of the residuals that unknowns could still explain

// The result is an optimum: the unknowns explain no more.
static bool take_residuals(TermScores *t) {
  t->r = term_scores_weighted(t, t->rows->column[t->rows->n]);
  double before = dot(t->r, t->r, t->rows->count);
  remove_basis(t, t->r);
  return dot(t->r, t->r, t->rows->count) > (1 - STATIONARY) * before;
}

bool term_scores_find(TermScores *t) {
  if (t->problem->closed) return false; // its equations are not known
  if (!is_affordable(t->problem) || !explains_the_data(t)) return false;
  choose_terms(t);
  t->start_count = fixed_starts(t->problem, t->starts, SCORE_STARTS_MOST);
  if (!simulate_terms(t)) return false;
  make_basis(t);
  t->series = ARENA_ARRAY(t->arena, RowSeries, t->rows->channel_count + 1);
  for (int at = 0; at < t->rows->channel_count; at++)
    t->series[at] = (RowSeries){t->rows->channels[at].first, t->rows->channels[at].count};
  return take_residuals(t) && patience_asks();
}

// ---------------------------------------------------------------- is one missing?

static const double LEVEL = 1e-4; // probability of a false alarm, all terms together
// What is no chance must also count: explain as much as the test of the sum of squares would notice if the noise were known
// (at 1e-3), no more than this.
static const double SHARE_MOST = 0.1, VISIBLE = 1e-3;

static double least_share(double rows) {
  return fmin(SHARE_MOST, normal_quantile(1 - VISIBLE) * sqrt(2 / rows));
}

static FitTerm tell(const TermScores *t, int k, const AddedTerm *found) {
  bool at_start = k >= t->count;
  int state = at_start ? t->starts[k - t->count].state : t->terms[k].state;
  const char *name = state_name(t->problem, state);
  return (FitTerm){.term = at_start ? arena_print(t->arena, "%s.start", name)
                                    : equation_term_text(t->arena, t->problem, &t->terms[k]),
                   .at_start = at_start,
                   .state = name,
                   .share = found->share,
                   .p = found->p};
}

FitTerm term_scores_missing(const TermScores *t) {
  int n = t->problem->unknown_count, all = t->count + t->start_count, best = -1;
  AddedTerm found = {.p = LEVEL / fmax(all, 1)};
  for (int k = 0; k < all && patience_lasts(200L * t->rows->count); k++) {
    double *column = term_scores_weighted(t, t->rows->column[n + k]);
    if (!term_scores_remove(t, column)) continue;
    AddedTerm one = added_term(t->r, column, t->series, t->rows->channel_count);
    if (one.p < found.p && one.share >= least_share(t->rows->count)) best = k, found = one;
  }
  if (best < 0 || !patience_asks()) return (FitTerm){0};
  return tell(t, best, &found);
}
