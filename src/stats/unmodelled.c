// Terms are tried at two places.
//
// In the equations of the states, see term_scores.h, and start values that are not estimated.
//
// Beside a measured quantity: drift, an input, the quantity itself, the direction in which it moves.
//
// What the unknowns can explain of a term is removed from it. added_term.h then tells whether it explains residuals
// whatever their colour; the level counts all terms that were tried.
#include "stats/unmodelled.h"

#include <math.h>

#include "base/patience.h"
#include "num/residual_tests.h"
#include "search/fit.h"
#include "search/term_scores.h"

enum { MEASURED_MOST = 4 }; // quantities with coloured residuals beside which terms are tried
enum { REFIT_SIMULATIONS = 40 };
static const double REFIT_SHARE = 0.3; // of the residuals: what a term must explain to be fitted
static const double LIKELY = 0.01;     // probability of a term that is tried together with others
static const double LEVEL = 1e-4;      // probability of a false alarm
static const double SHARE = 0.1;       // of the squared residuals: less is of no use
static const double MORE = 0.01;       // of all of them: what a second term must explain
static const double MORE_BY_START =
    0.1; // the same where one of both is a start value: what is not linear in it leaves so much

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
  bool in_equation, at_start;
  EquationTerm term;   // in_equation
  FixedStart start;    // at_start
  BesideKind kind;     // else
  int measured, input; // beside this quantity; the input
  double *column;      // by row, weighted
} TermCandidate;

typedef struct TermSearch {
  TermScores t;
  const FitResult *result;
  Statistics *s;
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

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
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
  case BESIDE_INPUT: return input_value(b->experiment->inputs[c->input], t);
  case BESIDE_INPUT_SQUARE: return pow(input_value(b->experiment->inputs[c->input], t), 2);
  case BESIDE_SIZE: return y;
  case BESIDE_CUBE: return y * y * y;
  case BESIDE_DIRECTION: return direction(b);
  }
  return 0;
}

static double *beside_column(const TermSearch *f, const TermCandidate *c) {
  double *v = ARENA_ARRAY(f->t.arena, double, f->t.rows->count + 1);
  for (int at = 0; at < f->t.rows->channel_count; at++) {
    const SampleChannel *ch = &f->t.rows->channels[at];
    if (f->t.problem->channel_measured[ch->experiment][ch->channel] != c->measured) continue;
    BesideRow b = {&f->t.problem->experiments[ch->experiment], ch->data,
                   f->t.rows->column[f->t.rows->n] + ch->first, 0};
    for (; b.i < ch->count; b.i++)
      v[ch->first + b.i] = f->t.rows->scale[ch->first + b.i] * beside_value(c, &b);
  }
  return v;
}

static void add_candidate(TermSearch *f, TermCandidate c) {
  if (term_scores_remove(&f->t, c.column)) f->candidates[f->count++] = c;
}

static bool is_sampled(const Problem *p, int input) {
  for (int e = 0; e < p->experiment_count; e++)
    if (input_is_sampled(p->experiments[e].inputs[input])) return true;
  return false;
}

static void add_beside(TermSearch *f, int measured) {
  for (int kind = BESIDE_CONSTANT; kind <= BESIDE_DIRECTION; kind++) {
    bool of_input = kind == BESIDE_INPUT || kind == BESIDE_INPUT_SQUARE;
    int inputs = of_input ? f->t.problem->model->nu : 1;
    for (int u = 0; u < inputs && patience_lasts(0); u++) {
      TermCandidate c = {.kind = (BesideKind)kind, .measured = measured, .input = u};
      if (of_input && !is_sampled(f->t.problem, u)) continue;
      c.column = beside_column(f, &c);
      add_candidate(f, c);
    }
  }
}

static void list_candidates(TermSearch *f) {
  int n = f->t.problem->unknown_count, beside = 0;
  int most = f->t.count + f->t.start_count + MEASURED_MOST * (5 + 2 * f->t.problem->model->nu);
  f->candidates = ARENA_ARRAY(f->t.arena, TermCandidate, most + 1);
  for (int k = 0; k < f->t.count && patience_lasts(0); k++)
    add_candidate(f,
                  (TermCandidate){.in_equation = true,
                                  .term = f->t.terms[k],
                                  .column = term_scores_weighted(&f->t, f->t.rows->column[n + k])});
  n += f->t.count;
  for (int k = 0; k < f->t.start_count && patience_lasts(0); k++)
    add_candidate(f,
                  (TermCandidate){.at_start = true,
                                  .start = f->t.starts[k],
                                  .column = term_scores_weighted(&f->t, f->t.rows->column[n + k])});
  if (!problem_simulates(f->t.problem)) return; // a sensor is not wrong where steps are
  for (int m = 0; m < f->t.problem->measured_count && beside < MEASURED_MOST; m++) {
    bool coloured = false;
    for (int at = 0; at < f->t.rows->channel_count; at++) {
      const SampleChannel *c = &f->t.rows->channels[at];
      coloured |=
          f->t.problem->channel_measured[c->experiment][c->channel] == m && is_coloured(f, at);
    }
    if (coloured) add_beside(f, m), beside++;
  }
}

// ---------------------------------------------------------------- sentences

static const char *hint_in_equation(const TermSearch *f, const EquationTerm *t) {
  bool of_rate = t->of == t->state && state_of_rate(f->t.problem->model, t->state) >= 0;
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

// "54 %", of what others leave "a further 12 %"
static const char *share_text(const TermSearch *f, double share) {
  return arena_print(f->t.arena, "%s%.0f %%", f->s->unmodelled_count ? "a further " : "",
                     100 * share);
}

static const char *text_at_start(const TermSearch *f, const TermCandidate *c, double share) {
  const Problem *p = f->t.problem;
  const char *state = state_name(p, c->start.state);
  const char *where =
      p->experiment_count == 1
          ? ""
          : arena_print(f->t.arena, " in %s", p->experiments[c->start.experiment].name);
  return arena_print(f->s->arena,
                     "Another start value of %s%s would explain %s of the squared residuals: "
                     "estimate %s.start%s.",
                     state, where, share_text(f, share), state,
                     where[0] ? ", with per_experiment: true" : "");
}

static const char *text_in_equation(const TermSearch *f, const TermCandidate *c, double share) {
  const char *term = c->term.kind == TERM_CONSTANT
                         ? "constant term"
                         : arena_print(f->t.arena, "term in proportion to %s",
                                       equation_term_text(f->t.arena, f->t.problem, &c->term));
  return arena_print(f->s->arena,
                     "A %s in the equation of der(%s) would explain %s of the squared "
                     "residuals: %s.",
                     term, state_name(f->t.problem, c->term.state), share_text(f, share),
                     hint_in_equation(f, &c->term));
}

static const char *what_beside(const TermSearch *f, const TermCandidate *c) {
  switch (c->kind) {
  case BESIDE_CONSTANT: return "are off by a constant";
  case BESIDE_DRIFT: return "grow with time";
  case BESIDE_INPUT:
    return arena_print(f->t.arena, "follow %s", input_name(f->t.problem, c->input));
  case BESIDE_INPUT_SQUARE:
    return arena_print(f->t.arena, "follow %s^2", input_name(f->t.problem, c->input));
  case BESIDE_SIZE: return "follow its size";
  case BESIDE_CUBE: return "follow its cube";
  case BESIDE_DIRECTION:
    return arena_print(f->t.arena, "follow the sign of der(%s)",
                       f->t.problem->measured_name[c->measured]);
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
  return arena_print(f->s->arena, "The residuals of %s %s (%s of all squared residuals): %s.",
                     f->t.problem->measured_name[c->measured], what_beside(f, c),
                     share_text(f, share), hint_beside(c->kind));
}

// ---------------------------------------------------------------- the whole

static double *without(const TermSearch *f, const double *v, const double *c) {
  double *left = ARENA_ARRAY(f->t.arena, double, f->t.rows->count + 1);
  double square = dot(c, c, f->t.rows->count),
         part = square > 0 ? dot(c, v, f->t.rows->count) / square : 0;
  for (int i = 0; i < f->t.rows->count; i++) left[i] = v[i] - part * c[i];
  return left;
}

// What candidate k explains of the residuals that another one leaves; -1: none.
static AddedTerm test_term(const TermSearch *f, int k, int other) {
  const double *r = f->t.r, *c = f->candidates[k].column;
  if (other >= 0) {
    r = without(f, r, f->candidates[other].column);
    c = without(f, c, f->candidates[other].column);
  }
  AddedTerm t = added_term(r, c, f->t.series, f->t.rows->channel_count);
  patience_lasts(200L * f->t.rows->count);
  return t;
}

// The term that explains most of those that are no chance, -1: none. A wrong start value is the simpler reason.
static int strongest(const TermSearch *f, int other, double level, AddedTerm *out) {
  int best = -1;
  double most = 0;
  for (int k = 0; k < f->count && patience_lasts(0); k++) {
    if (k == other) continue;
    AddedTerm t = test_term(f, k, other);
    if (!(t.p < level) || !(t.share >= SHARE) || t.share <= most) continue;
    best = k, most = t.share;
    *out = t;
  }
  return best;
}

static void say(TermSearch *f, int k, AddedTerm t) {
  const TermCandidate *c = &f->candidates[k];
  const char *text = c->at_start      ? text_at_start(f, c, t.share)
                     : c->in_equation ? text_in_equation(f, c, t.share)
                                      : text_beside(f, c, t.share);
  f->s->unmodelled[f->s->unmodelled_count++] = (StatUnmodelled){text, t.share, t.p};
}

// The share of the residuals that a term in an equation or a start value explains, were they white.
static double plain_share(const TermSearch *f, int k) {
  const double *c = f->candidates[k].column;
  int n = f->t.rows->count;
  double square = dot(c, c, n) * dot(f->t.r, f->t.r, n), product = dot(c, f->t.r, n);
  bool fitted = f->candidates[k].in_equation || f->candidates[k].at_start;
  return fitted && square > 0 ? product * product / square : 0;
}

// Residuals after a fit with the term of a candidate. NULL: it failed.
static double *fit_with(const TermSearch *f, const TermCandidate *c) {
  Problem *with = c->at_start ? problem_with_starts(f->t.arena, f->t.problem, &c->start, 1)
                              : problem_with_terms(f->t.arena, f->t.problem, &c->term, 1);
  double *x = ARENA_ARRAY(f->t.arena, double, with->unknown_count + 1), *r = NULL;
  for (int i = 0; i < f->t.problem->unknown_count; i++) x[i] = f->result->x[i];
  if (c->at_start) x[f->t.problem->unknown_count] = c->start.value;
  with->method = METHOD_LM;
  with->options.max_simulations = REFIT_SIMULATIONS;
  with->options.threads = 1;
  Fitting *fitting = fitting_new(with);
  EvalWork *w = eval_work_new(fitting, 1, NULL);
  FitResult *result = fit_run_on(with, w, x, NULL, NULL);
  Weighting *weighting = weighting_new(fitting->data, f->t.weighting->sigma);
  Samples *rows = samples_new(f->t.arena, w, weighting, NULL, result->x);
  if (rows && patience_asks()) {
    r = ARENA_ARRAY(f->t.arena, double, rows->count + 1);
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
  AddedTerm t = added_number(f->t.r, after, f->t.series, f->t.rows->channel_count);
  if (t.p < level && t.share >= SHARE) say(f, best, t);
}

static double least_of_second(const TermSearch *f, int first, int second) {
  bool start = f->candidates[first].at_start || f->candidates[second].at_start;
  return start ? MORE_BY_START : MORE;
}

// Where two terms are missing, each of them alone leaves the other's colour, in which it may drown: a likely term is taken
// for granted to find another, and must then hold beside that.
static void search(TermSearch *f) {
  double level = LEVEL / fmax(f->count, 1);
  AddedTerm one = {0}, two = {0};
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
  if (second >= 0 && two.share >= least_of_second(f, first, second)) say(f, second, two);
  if (!alone && second < 0) refit(f, level);
}

void find_unmodelled(const FitResult *r, const Weighting *weighting, EvalWork *w, Statistics *s) {
  TermSearch f = {.t = {.arena = arena_new(),
                        .problem = r->problem,
                        .work = w,
                        .weighting = weighting,
                        .x = r->x},
                  .result = r,
                  .s = s};
  bool suspicious = some_is_coloured(&f) || r->facts.missing.term;
  if (!r->pieces && suspicious && term_scores_find(&f.t)) {
    list_candidates(&f);
    search(&f);
  }
  arena_free(f.t.arena);
}
