// Relative differences of unknowns, or of products and sums that the data determine (stats/invariance.c), to the truth.
#include "study/compare_truth.h"

#include <math.h>
#include <string.h>

#include "study/assessed_fit.h"

static double product(const TruthTerm *t, const double *truth, const double *x, int n) {
  double v = 1;
  for (int i = 0; i < n; i++) {
    if (t->exponent[i] == 0) continue;
    if (signbit(x[i]) != signbit(truth[i])) return HUGE_VAL;
    v *= pow(fabs(x[i]), t->exponent[i]);
  }
  return v;
}

static double sum(const TruthTerm *t, const double *x, int n) {
  double v = 0;
  for (int i = 0; i < n; i++) v += t->exponent[i] * x[i];
  return v;
}

static double value(const CompareTruth *t, const TruthTerm *term, const double *x) {
  if (term->number >= 0) return x[term->number];
  return term->sum ? sum(term, x, t->n) : product(term, t->x, x, t->n);
}

// A truth of 0 has no relative difference: the width of the bounds serves, else 1.
static double size_of(const Problem *p, const TruthTerm *term) {
  if (term->truth != 0) return fabs(term->truth);
  if (term->number < 0) return 1;
  double width = p->unknowns[term->number].max - p->unknowns[term->number].min;
  return isfinite(width) && width > 0 ? width : 1;
}

static void add_term(CompareTruth *t, const Problem *p, TruthTerm term) {
  term.truth = value(t, &term, t->x);
  term.size = size_of(p, &term);
  t->terms[t->count++] = term;
}

static void add_number(CompareTruth *t, const Problem *p, int i) {
  add_term(t, p, (TruthTerm){.text = p->unknowns[i].name, .number = i});
}

static bool is_known(const CompareTruth *t, const char *text) {
  for (int k = 0; k < t->count; k++)
    if (strcmp(t->terms[k].text, text) == 0) return true;
  return false;
}

static void add_combination(Arena *a, CompareTruth *t, const Problem *p, const StatCombination *c) {
  if (is_known(t, c->text)) return;
  double *exponent = ARENA_ARRAY(a, double, t->n);
  memcpy(exponent, c->exponent, (size_t)t->n * sizeof *exponent);
  add_term(t, p,
           (TruthTerm){.text = arena_copy(a, c->text, strlen(c->text)),
                       .number = -1,
                       .sum = c->sum,
                       .exponent = exponent});
}

static int combinations_of(const Statistics *s) {
  int count = 0;
  for (int d = 0; d < s->direction_count; d++) count += s->directions[d].combination_count;
  return count;
}

static void add_what_the_data_tell(Arena *a, CompareTruth *t, const Problem *p,
                                   const Statistics *s) {
  t->terms = ARENA_ARRAY(a, TruthTerm, t->n + combinations_of(s));
  t->left_out = ARENA_ARRAY(a, const char *, t->n);
  for (int i = 0; i < t->n; i++)
    if (s->parameters[i].identifiable)
      add_number(t, p, i);
    else
      t->left_out[t->left_out_count++] = p->unknowns[i].name;
  for (int d = 0; d < s->direction_count; d++)
    for (int k = 0; s->directions[d].structural && k < s->directions[d].combination_count; k++)
      add_combination(a, t, p, &s->directions[d].combinations[k]);
}

static void add_all(Arena *a, CompareTruth *t, const Problem *p) {
  t->terms = ARENA_ARRAY(a, TruthTerm, t->n);
  t->left_out_count = 0;
  t->count = 0;
  for (int i = 0; i < t->n; i++) add_number(t, p, i);
}

// Fitting n unknowns lowers the objective by about n times the share of one sample, V/(samples - n). A truth whose objective
// is higher by more than that is not the one of these data; otherwise the search did not reach it.
static bool is_moved_by_noise(const CompareTruth *t, const AssessedFit *a) {
  const FitResult *f = a->result;
  const Problem *p = f->problem;
  static const double NOISE_MOST = 10,
                      ROUNDING = 1e-9; // beyond a quantile of 0.999 of the F distribution
  long samples = (long)sample_count(p, 1);
  if (!isfinite(f->objective) || samples <= t->n || !problem_satisfied(p, t->x)) return false;
  Weighting *weighting = weighting_new(a->fitting->data, f->sigma);
  EvalSpec spec = eval_spec(a->fitting, NULL);
  spec.weighting = weighting;
  double at_truth = evaluate_value(a->work, &spec, t->x),
         at_end = evaluate_value(a->work, &spec, f->x);
  weighting_free(weighting);
  double share = at_end / (double)(samples - t->n);
  return at_truth - at_end <= NOISE_MOST * t->n * share &&
         at_truth - at_end >= -ROUNDING * fabs(at_end);
}

static const double *copy_numbers(Arena *a, const double *x, int n) {
  double *copy = ARENA_ARRAY(a, double, n + 1);
  memcpy(copy, x, (size_t)n * sizeof *copy);
  return copy;
}

// What the data determine depends on their noise, so it is found where a search from the truth ends.
static void ask_the_data(Arena *a, CompareTruth *t, const Problem *p, bool all) {
  Problem local = *p;
  fit_options_init(&local.options);
  local.options.criterion = p->options.criterion;
  local.options.loss = p->options.loss;
  local.options.huber_limit = p->options.huber_limit;
  local.options.threads = p->options.threads;
  local.options.profiles = PROFILES_OFF;
  local.method = p->constraints.count ? METHOD_SQP : METHOD_LM;
  local.parts.count = 0;
  AssessedFit f = assessed_fit_run(&local, t->x, 0, NULL, NULL);
  if (is_moved_by_noise(t, &f)) t->near = copy_numbers(a, f.result->x, t->n);
  if (f.result->outcome != FIT_NO_START && !all) add_what_the_data_tell(a, t, p, f.statistics);
  assessed_fit_done(&f);
}

CompareTruth *compare_truth_new(Arena *a, const Problem *p, const double *truth, bool all) {
  CompareTruth *t = ARENA_NEW(a, CompareTruth);
  double *x = ARENA_ARRAY(a, double, p->unknown_count);
  for (int i = 0; i < p->unknown_count; i++) x[i] = truth ? truth[i] : p->unknowns[i].in_model;
  t->x = x;
  t->n = p->unknown_count;
  ask_the_data(a, t, p, all);
  if (!t->count) // also when the data determine nothing, or the model cannot be simulated at the truth
    add_all(a, t, p);
  return t;
}

static double difference(const CompareTruth *t, const double *x, const double *from) {
  double most = 0;
  for (int k = 0; k < t->count; k++) {
    const TruthTerm *term = &t->terms[k];
    double d = fabs(value(t, term, x) - value(t, term, from)) / term->size;
    if (!(d <= most)) most = d;
  }
  return most;
}

double compare_truth_error(const CompareTruth *t, const double *x) {
  return difference(t, x, t->x);
}

bool compare_truth_found(const CompareTruth *t, const double *x, double within) {
  return difference(t, x, t->x) <= within || (t->near && difference(t, x, t->near) <= within);
}
