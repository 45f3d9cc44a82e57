// Terms are tried at two places.
//
// In the equations of the states: der(x) = f + factor * term. The slopes of the data by the factors, at factors of 0, come
// with those by the unknowns from one simulation of the model with all terms. This is the score test: what a term would
// explain after the unknowns have followed, to first order.
//
// Beside a measured quantity: drift, an input, the quantity itself, the direction in which it moves.
//
// What the unknowns can explain of a term is removed from it. added_term.h then tells whether it explains residuals
// whatever their colour; the level counts all terms that were tried.
#include "stats/unmodelled.h"

#include <math.h>

#include "base/patience.h"
#include "num/added_term.h"
#include "num/residual_tests.h"
#include "residual/varied_problem.h"
#include "search/fit.h"
#include "stats/samples.h"

enum {
  TERMS_MOST = 40,    // in equations
  MEASURED_MOST = 4,  // quantities with coloured residuals beside which terms are tried
  UNKNOWNS_MOST = 60, // beyond these, and
  ROWS_MOST = 200000, // these, it would take longer than it is worth
};
enum { REFIT_SIMULATIONS = 40 };
static const double REFIT_SHARE = 0.3; // of the residuals: what a term must explain to be fitted
static const double LIKELY = 0.01;     // probability of a term that is tried together with others
static const double LEVEL = 1e-4;      // probability of a false alarm
static const double SHARE = 0.1;       // of the squared residuals: less is of no use
static const double STATIONARY =
    0.1; // share of the residuals that the unknowns could still explain

typedef enum BesideKind {
  BESIDE_CONSTANT,
  BESIDE_DRIFT,
  BESIDE_INPUT,
  BESIDE_INPUT_SQUARE,
  BESIDE_SIZE,
  BESIDE_CUBE,
  BESIDE_DIRECTION
} BesideKind;

typedef struct TermCandidate {
  bool in_equation;
  EquationTerm term;   // in_equation
  BesideKind kind;     // else
  int measured, input; // beside this quantity; the input
  double *column;      // by row, weighted
} TermCandidate;

typedef struct TermSearch {
  Arena *a;
  const Problem *p; // as the user stated it
  const FitResult *result;
  const Weighting *weighting;
  EvalWork *work;
  Statistics *s;
  EquationTerm terms[TERMS_MOST];
  int term_count;
  Samples *rows;  // of the problem with these terms
  double *r;      // weighted residuals
  double **basis; // orthonormal, of the slopes
  int basis_count;
  RowSeries *series;
  TermCandidate *candidates;
  int count;
} TermSearch;

// ---------------------------------------------------------------- is there anything to explain?

static bool is_coloured(const TermSearch *f, int at) {
  const StatChannel *c = &f->s->channels[at];
  return least_white_p(c) < white_level(f->s);
}

static bool some_is_coloured(const TermSearch *f) {
  for (int at = 0; at < f->s->channel_count; at++)
    if (is_coloured(f, at)) return true;
  return false;
}

// A model that explains less than half of the data (fit 50 %) stands at a wrong optimum or is no model of them; what it would
// need cannot be seen from there.
static const double FAR = 0.25; // of the squares of the data about their mean

static bool explains_the_data(const TermSearch *f) {
  EvalSpec spec = eval_spec(eval_fitting(f->work), NULL);
  spec.weighting = f->weighting;
  return evaluate_value(f->work, &spec, f->result->x) <= FAR * data_objective(f->weighting, 1);
}

static bool is_affordable(const TermSearch *f) {
  return f->s->samples <= ROWS_MOST && f->p->unknown_count <= UNKNOWNS_MOST;
}

// ---------------------------------------------------------------- terms in equations

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

static const Channel *longest_channel(const Experiment *e) {
  const Channel *longest = &e->channels[0];
  for (int c = 1; c < e->channel_count; c++)
    if (e->channels[c].count > longest->count) longest = &e->channels[c];
  return longest;
}

static double input_at(const Experiment *e, int input, double t) {
  int piece = input_piece(e->inputs[input], t, 1);
  double value;
  input_eval(e->inputs[input], t, &piece, &value, NULL);
  return value;
}

static void add_inputs(const TermSearch *f, const Experiment *e, const Channel *c,
                       TypicalSizes *z) {
  for (int u = 0; u < f->p->model->nu; u++)
    for (int i = 0; i < c->count && input_is_sampled(e->inputs[u]); i++)
      z->input[u] += pow(input_at(e, u, c->t[i]), 2);
}

// false: it cannot be simulated.
static bool measure_sizes(const TermSearch *f, TypicalSizes *z) {
  const Model *m = f->p->model;
  EvalSpec spec = eval_spec(eval_fitting(f->work), NULL);
  for (int e = 0; e < f->p->experiment_count; e++) {
    const Experiment *x = &f->p->experiments[e];
    const Channel *c = longest_channel(x);
    if (c->count < 2) continue;
    double *states = ARENA_ARRAY(f->a, double, (size_t)c->count *(size_t)m->nx + 1);
    if (!evaluate_states(f->work, &spec, f->result->x, e, c->t, c->count, states)) return false;
    add_states(states, c->t, c->count, m->nx, z);
    add_inputs(f, x, c, z);
  }
  for (int k = 0; k < m->nx; k++) {
    z->state[k] = sqrt(z->state[k] / z->count);
    z->rate[k] = sqrt(z->rate[k] / z->steps);
  }
  for (int u = 0; u < m->nu; u++) z->input[u] = sqrt(z->input[u] / z->count);
  return true;
}

static void choose_terms(TermSearch *f) {
  const Model *m = f->p->model;
  TypicalSizes z = {ARENA_ARRAY(f->a, double, m->nx + 1), ARENA_ARRAY(f->a, double, m->nx + 1),
                    ARENA_ARRAY(f->a, double, m->nu + 1), 0, 0};
  if (m->nx == 0 || !measure_sizes(f, &z)) return;
  f->term_count = equation_terms(f->p, z.state, z.rate, z.input, f->terms, TERMS_MOST);
  if (f->term_count) return;
  for (int u = 0; u < m->nu; u++) z.input[u] = 0; // too many: without inputs
  f->term_count = equation_terms(f->p, z.state, z.rate, z.input, f->terms, TERMS_MOST);
}

// Slopes and residuals of the model with the terms at factors of 0. false: there are none.
static bool simulate_terms(TermSearch *f, const Fitting *fitting) {
  int n = f->p->unknown_count;
  double *x = ARENA_ARRAY(f->a, double, n + f->term_count + 1);
  for (int i = 0; i < n; i++) x[i] = f->result->x[i];
  EvalWork *w = eval_work_new(fitting, 1, NULL);
  Weighting *weighting = weighting_new(fitting->data, f->weighting->sigma);
  f->rows = samples_new(f->a, w, weighting, NULL, x);
  weighting_free(weighting);
  eval_work_free(w);
  return f->rows && patience_asks();
}

// ---------------------------------------------------------------- what the unknowns explain

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double *weighted(const TermSearch *f, const double *column) {
  double *v = ARENA_ARRAY(f->a, double, f->rows->count + 1);
  for (int i = 0; i < f->rows->count; i++) v[i] = f->rows->scale[i] * column[i];
  return v;
}

// Twice, for accuracy.
static void remove_basis(const TermSearch *f, double *v) {
  for (int k = 0; k < 2 * f->basis_count; k++) {
    const double *q = f->basis[k % f->basis_count];
    double part = dot(q, v, f->rows->count);
    for (int i = 0; i < f->rows->count; i++) v[i] -= part * q[i];
  }
  patience_lasts(4L * f->basis_count * f->rows->count);
}

static const double INDEPENDENT = 1e-8; // what is left of a column of length 1

static void add_to_basis(TermSearch *f, double *v) {
  double whole = sqrt(dot(v, v, f->rows->count));
  remove_basis(f, v);
  double left = sqrt(dot(v, v, f->rows->count));
  if (!(left > INDEPENDENT * whole)) return;
  for (int i = 0; i < f->rows->count; i++) v[i] /= left;
  f->basis[f->basis_count++] = v;
}

// Unknowns at bounds cannot follow.
static void make_basis(TermSearch *f) {
  f->basis = ARENA_ARRAY(f->a, double *, f->p->unknown_count + 1);
  for (int k = 0; k < f->p->unknown_count && patience_lasts(0); k++)
    if (!f->s->parameters[k].at_bound) add_to_basis(f, weighted(f, f->rows->column[k]));
}

// The result is an optimum: the unknowns explain no more.
static bool take_residuals(TermSearch *f) {
  f->r = weighted(f, f->rows->column[f->rows->n]);
  double before = dot(f->r, f->r, f->rows->count);
  remove_basis(f, f->r);
  return dot(f->r, f->r, f->rows->count) > (1 - STATIONARY) * before;
}

// ---------------------------------------------------------------- terms beside measured quantities

typedef struct BesideRow {
  const Experiment *experiment;
  const Channel *channel;
  const double *residual; // model - data
  int i;
} BesideRow;

static double model_value(const BesideRow *b, int i) {
  return b->channel->y[i] + b->residual[i];
}

static double direction(const BesideRow *b) {
  int before = b->i > 0 ? b->i - 1 : 0, after = b->i + 1 < b->channel->count ? b->i + 1 : b->i;
  double change = model_value(b, after) - model_value(b, before);
  return (change > 0) - (change < 0);
}

static double beside_value(const TermCandidate *c, const BesideRow *b) {
  double t = b->channel->t[b->i], y = model_value(b, b->i);
  switch (c->kind) {
  case BESIDE_CONSTANT: return 1;
  case BESIDE_DRIFT:
    return (t - b->experiment->start) / (b->experiment->stop - b->experiment->start);
  case BESIDE_INPUT: return input_at(b->experiment, c->input, t);
  case BESIDE_INPUT_SQUARE: return pow(input_at(b->experiment, c->input, t), 2);
  case BESIDE_SIZE: return y;
  case BESIDE_CUBE: return y * y * y;
  case BESIDE_DIRECTION: return direction(b);
  }
  return 0;
}

static double *beside_column(const TermSearch *f, const TermCandidate *c) {
  double *v = ARENA_ARRAY(f->a, double, f->rows->count + 1);
  for (int at = 0; at < f->rows->channel_count; at++) {
    const SampleChannel *ch = &f->rows->channels[at];
    if (f->p->channel_measured[ch->experiment][ch->channel] != c->measured) continue;
    BesideRow b = {&f->p->experiments[ch->experiment], ch->data,
                   f->rows->column[f->rows->n] + ch->first, 0};
    for (; b.i < ch->count; b.i++)
      v[ch->first + b.i] = f->rows->scale[ch->first + b.i] * beside_value(c, &b);
  }
  return v;
}

static void add_candidate(TermSearch *f, TermCandidate c) {
  double before = dot(c.column, c.column, f->rows->count);
  remove_basis(f, c.column);
  bool is_new = dot(c.column, c.column, f->rows->count) > 1e-6 * before;
  if (is_new && isfinite(before)) f->candidates[f->count++] = c;
}

static bool is_sampled(const Problem *p, int input) {
  for (int e = 0; e < p->experiment_count; e++)
    if (input_is_sampled(p->experiments[e].inputs[input])) return true;
  return false;
}

static void add_beside(TermSearch *f, int measured) {
  for (int kind = BESIDE_CONSTANT; kind <= BESIDE_DIRECTION; kind++) {
    bool of_input = kind == BESIDE_INPUT || kind == BESIDE_INPUT_SQUARE;
    int inputs = of_input ? f->p->model->nu : 1;
    for (int u = 0; u < inputs && patience_lasts(0); u++) {
      TermCandidate c = {.kind = (BesideKind)kind, .measured = measured, .input = u};
      if (of_input && !is_sampled(f->p, u)) continue;
      c.column = beside_column(f, &c);
      add_candidate(f, c);
    }
  }
}

static void list_candidates(TermSearch *f) {
  int n = f->p->unknown_count, beside = 0;
  int most = f->term_count + MEASURED_MOST * (5 + 2 * f->p->model->nu);
  f->candidates = ARENA_ARRAY(f->a, TermCandidate, most + 1);
  for (int k = 0; k < f->term_count && patience_lasts(0); k++)
    add_candidate(f, (TermCandidate){.in_equation = true,
                                     .term = f->terms[k],
                                     .column = weighted(f, f->rows->column[n + k])});
  for (int m = 0; m < f->p->measured_count && beside < MEASURED_MOST; m++) {
    bool coloured = false;
    for (int at = 0; at < f->rows->channel_count; at++) {
      const SampleChannel *c = &f->rows->channels[at];
      coloured |= f->p->channel_measured[c->experiment][c->channel] == m && is_coloured(f, at);
    }
    if (coloured) add_beside(f, m), beside++;
  }
}

// ---------------------------------------------------------------- sentences

static const char *hint_in_equation(const TermSearch *f, const EquationTerm *t) {
  bool of_rate = t->of == t->state && state_of_rate(f->p->model, t->state) >= 0;
  switch (t->kind) {
  case TERM_CONSTANT: return "a constant load, leak or offset may be missing";
  case TERM_INPUT: return "the input may act there in another proportion";
  case TERM_INPUT_SQUARE: return "the input may act there not in proportion";
  case TERM_STATE_SIGN: return "dry friction may be missing";
  case TERM_STATE: return of_rate ? "damping may be missing" : "a restoring term may be missing";
  case TERM_STATE_CUBE:
    return of_rate ? "damping that is not in proportion may be missing"
                   : "a stiffness or loss that is not in proportion may be missing";
  }
  return "";
}

static const char *text_in_equation(const TermSearch *f, const TermCandidate *c, double share) {
  const char *term =
      c->term.kind == TERM_CONSTANT
          ? "constant term"
          : arena_print(f->a, "term in proportion to %s", equation_term_text(f->a, f->p, &c->term));
  return arena_print(f->s->arena,
                     "A %s in the equation of der(%s) would explain %.0f %% of the squared "
                     "residuals: %s.",
                     term, state_name(f->p, c->term.state), 100 * share,
                     hint_in_equation(f, &c->term));
}

static const char *what_beside(const TermSearch *f, const TermCandidate *c) {
  switch (c->kind) {
  case BESIDE_CONSTANT: return "are off by a constant";
  case BESIDE_DRIFT: return "grow with time";
  case BESIDE_INPUT: return arena_print(f->a, "follow %s", input_name(f->p, c->input));
  case BESIDE_INPUT_SQUARE: return arena_print(f->a, "follow %s^2", input_name(f->p, c->input));
  case BESIDE_SIZE: return "follow its size";
  case BESIDE_CUBE: return "follow its cube";
  case BESIDE_DIRECTION:
    return arena_print(f->a, "follow the sign of der(%s)", f->p->measured_name[c->measured]);
  }
  return "";
}

static const char *hint_beside(BesideKind kind) {
  switch (kind) {
  case BESIDE_CONSTANT: return "its offset may be wrong";
  case BESIDE_DRIFT: return "the sensor may drift, or a slow change is missing";
  case BESIDE_INPUT: return "the input may act on it directly";
  case BESIDE_INPUT_SQUARE: return "the input may act on it, not in proportion";
  case BESIDE_SIZE: return "its gain may be wrong";
  case BESIDE_CUBE: return "the sensor may not be linear";
  case BESIDE_DIRECTION: return "dry friction or hysteresis may be missing";
  }
  return "";
}

static const char *text_beside(const TermSearch *f, const TermCandidate *c, double share) {
  return arena_print(f->s->arena, "The residuals of %s %s (%.0f %% of all squared residuals): %s.",
                     f->p->measured_name[c->measured], what_beside(f, c), 100 * share,
                     hint_beside(c->kind));
}

// ---------------------------------------------------------------- the whole

static double *without(const TermSearch *f, const double *v, const double *c) {
  double *left = ARENA_ARRAY(f->a, double, f->rows->count + 1);
  double square = dot(c, c, f->rows->count),
         part = square > 0 ? dot(c, v, f->rows->count) / square : 0;
  for (int i = 0; i < f->rows->count; i++) left[i] = v[i] - part * c[i];
  return left;
}

// What candidate k explains of the residuals that another one leaves; -1: none.
static AddedTerm test_term(const TermSearch *f, int k, int other) {
  const double *r = f->r, *c = f->candidates[k].column;
  if (other >= 0) {
    r = without(f, r, f->candidates[other].column);
    c = without(f, c, f->candidates[other].column);
  }
  AddedTerm t = added_term(r, c, f->series, f->rows->channel_count);
  patience_lasts(200L * f->rows->count);
  return t;
}

// The term that explains most of those that are no chance, -1: none.
static int strongest(const TermSearch *f, int other, double level, AddedTerm *out) {
  int best = -1;
  for (int k = 0; k < f->count && patience_lasts(0); k++) {
    if (k == other) continue;
    AddedTerm t = test_term(f, k, other);
    if (!(t.p < level) || !(t.share >= SHARE) || (best >= 0 && t.share <= out->share)) continue;
    best = k;
    *out = t;
  }
  return best;
}

static void say(TermSearch *f, int k, AddedTerm t) {
  const TermCandidate *c = &f->candidates[k];
  f->s->unmodelled[f->s->unmodelled_count++] = (StatUnmodelled){
      .text = c->in_equation ? text_in_equation(f, c, t.share) : text_beside(f, c, t.share),
      .share = t.share,
      .p = t.p};
}

// The share of the residuals that a term in an equation explains, were they white.
static double plain_share(const TermSearch *f, int k) {
  const double *c = f->candidates[k].column;
  int n = f->rows->count;
  double square = dot(c, c, n) * dot(f->r, f->r, n), product = dot(c, f->r, n);
  return f->candidates[k].in_equation && square > 0 ? product * product / square : 0;
}

// Residuals after a fit with the term of a candidate. NULL: it failed.
static double *fit_with(const TermSearch *f, const TermCandidate *c) {
  Problem *with = problem_with_terms(f->a, f->p, &c->term, 1);
  double *x = ARENA_ARRAY(f->a, double, with->unknown_count + 1), *r = NULL;
  for (int i = 0; i < f->p->unknown_count; i++) x[i] = f->result->x[i];
  with->method = METHOD_LM;
  with->options.max_simulations = REFIT_SIMULATIONS;
  with->options.threads = 1;
  Fitting *fitting = fitting_new(with);
  EvalWork *w = eval_work_new(fitting, 1, NULL);
  FitResult *result = fit_run_on(with, w, x, NULL, NULL);
  Weighting *weighting = weighting_new(fitting->data, f->weighting->sigma);
  Samples *rows = samples_new(f->a, w, weighting, NULL, result->x);
  if (rows && patience_asks()) {
    r = ARENA_ARRAY(f->a, double, rows->count + 1);
    for (int i = 0; i < rows->count; i++) r[i] = rows->scale[i] * rows->column[rows->n][i];
  }
  weighting_free(weighting);
  fit_free(result);
  eval_work_free(w);
  fitting_free(fitting);
  return r;
}

// What matters much acts not in proportion, which hides it from a test to first order: the term that would explain most is
// fitted with all unknowns.
static void refit(TermSearch *f, double level) {
  int best = -1;
  double most = REFIT_SHARE;
  for (int k = 0; k < f->count; k++)
    if (plain_share(f, k) > most) most = plain_share(f, k), best = k;
  const double *after = best >= 0 ? fit_with(f, &f->candidates[best]) : NULL;
  if (!after) return;
  AddedTerm t = added_number(f->r, after, f->series, f->rows->channel_count);
  if (t.p < level && t.share >= SHARE) say(f, best, t);
}

// Where two terms are missing, each of them alone leaves the other's colour, in which it may drown: a likely term is taken
// for granted to find another, and must then hold beside that.
static void search(TermSearch *f) {
  double level = LEVEL / fmax(f->count, 1);
  AddedTerm one = {0}, two = {0};
  f->series = ARENA_ARRAY(f->a, RowSeries, f->rows->channel_count + 1);
  for (int at = 0; at < f->rows->channel_count; at++)
    f->series[at] = (RowSeries){f->rows->channels[at].first, f->rows->channels[at].count};
  int first = strongest(f, -1, level, &one);
  bool alone = first >= 0;
  if (!alone) first = strongest(f, -1, LIKELY, &one);
  int second = first >= 0 ? strongest(f, first, level, &two) : -1;
  two.share *= 1 - one.share;
  if (!alone && second >= 0) {
    AddedTerm beside = test_term(f, first, second);
    if (!(beside.p < level)) second = -1;
    one.p = beside.p;
  }
  if (!patience_asks()) return;
  if (alone || second >= 0) say(f, first, one);
  if (second >= 0) say(f, second, two);
  if (!alone && second < 0) refit(f, level);
}

void find_unmodelled(const FitResult *r, const Weighting *weighting, EvalWork *w, Statistics *s) {
  TermSearch f = {
      .a = arena_new(), .p = r->problem, .result = r, .weighting = weighting, .work = w, .s = s};
  if (!r->pieces && is_affordable(&f) && some_is_coloured(&f) && explains_the_data(&f)) {
    choose_terms(&f);
    const Problem *with = problem_with_terms(f.a, f.p, f.terms, f.term_count);
    Fitting *fitting = fitting_new(with);
    if (simulate_terms(&f, fitting)) {
      make_basis(&f);
      if (take_residuals(&f)) {
        list_candidates(&f);
        search(&f);
      }
    }
    fitting_free(fitting);
  }
  arena_free(f.a);
}
