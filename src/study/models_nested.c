// Twice the difference of the log-likelihoods is chi-square with as many degrees of freedom as unknowns were added (Wilks 1938), if the
// smaller model is an inner point of the larger one. If one added unknown has its value of the smaller model at a bound, the law is an equal mixture of
// chi-square with one degree less and with all of them (Self and Liang 1987, case 5).
#include "study/models_nested.h"

#include <math.h>
#include <string.h>

#include "model/flat.h"
#include "num/distribution.h"

static const double WORSE =
    0.01; // of twice the log-likelihood: more than errors of simulations and of a search

static const double NOTHING = 1e-6; // of the same: the larger model is the smaller one

static int parameters_of(const Problem *p) {
  return p->unknown_count - p->constraints.equalities;
}

bool models_nesting_suits(const ModelsRequest *q, Err *err) {
  for (int i = 0; i < q->nested_count; i++) {
    const ModelsNesting *n = &q->nested[i];
    if (n->small < 0 || n->large < 0 || n->small >= q->count || n->large >= q->count)
      return fail(err, ERR_VALUE, "nested models are numbers of problems from 0 to %d",
                  q->count - 1);
    const Problem *small = q->problems[n->small], *large = q->problems[n->large];
    int added = parameters_of(large) - parameters_of(small);
    if (added <= 0)
      return fail(err, ERR_VALUE,
                  "%s cannot be nested in %s: the larger model must have more parameters, but it "
                  "has %d and the smaller one %d",
                  small->path, large->path, parameters_of(large), parameters_of(small));
  }
  return true;
}

// ---------------------------------------------------------------- added unknowns

static const Unknown *find_unknown(const Problem *p, const char *name) {
  for (int i = 0; i < p->unknown_count; i++)
    if (strcmp(p->unknowns[i].name, name) == 0) return &p->unknowns[i];
  return NULL;
}

// Its value in the smaller model: that of a parameter of the same name; 0 for a term that is not there.
static double value_in(const Problem *small, const char *name) {
  size_t length = strcspn(name, "["); // p[swing] is p
  const Experiment *e = &small->experiments[0];
  for (int i = 0; i < small->model->np; i++) {
    const char *other = small->model->flat->parameters.at[i].name;
    if (strlen(other) == length && strncmp(other, name, length) == 0) return e->p[i];
  }
  return 0;
}

static void add_remark(Models *m, ModelTest *t, const char *text) {
  const char **all = ARENA_ARRAY(m->arena, const char *, t->remark_count + 1);
  for (int i = 0; i < t->remark_count; i++) all[i] = t->remarks[i];
  all[t->remark_count++] = text;
  t->remarks = all;
}

static void look_at_unknowns(Models *m, ModelTest *t) {
  const ModelRow *small = &m->rows[t->small], *large = &m->rows[t->large];
  for (int i = 0; i < large->unknowns; i++) {
    const Unknown *u = &large->problem->unknowns[i], *twin = find_unknown(small->problem, u->name);
    double value =
        twin ? small->x[twin - small->problem->unknowns] : value_in(small->problem, u->name);
    double slack = 1e-9 * fmax(fabs(value), fmin(fabs(u->min), fabs(u->max)));
    bool low = value <= u->min + slack, high = value >= u->max - slack;
    if (value < u->min - slack || value > u->max + slack)
      add_remark(m, t,
                 arena_print(m->arena,
                             "%s is %.6g in the smaller model, outside of its bounds in the larger "
                             "one (%g .. %g): they are not nested with these bounds, and p means "
                             "nothing.",
                             u->name, value, u->min, u->max));
    else if (!twin && (low || high))
      t->at_bound++,
          add_remark(m, t,
                     arena_print(m->arena,
                                 "%s is %.6g in the smaller model, which is a bound in the larger "
                                 "one: the ratio is not chi-square then, and p is too large.",
                                 u->name, value));
    else if (large->at_bound[i])
      add_remark(m, t,
                 arena_print(m->arena,
                             "%s ends at a bound of the larger model: chi-square is not exact.",
                             u->name));
  }
}

static void look_at_rank(Models *m, ModelTest *t) {
  const ModelRow *large = &m->rows[t->large];
  if (large->rank >= 0 && large->rank < large->unknowns)
    add_remark(
        m, t,
        arena_print(m->arena,
                    "The data determine only %d of the %d unknowns of the larger model: it has "
                    "fewer degrees of freedom than p assumes.",
                    large->rank, large->unknowns));
}

static bool has_priors(const Problem *p) {
  for (int i = 0; i < p->unknown_count; i++)
    if (p->unknowns[i].has_prior) return true;
  return false;
}

// ---------------------------------------------------------------- the test

static void compute(const Models *m, ModelTest *t) {
  const ModelRow *large = &m->rows[t->large];
  double ratio = fmax(t->ratio, 0);
  t->p = chi_square_above(ratio, t->freedom);
  double fewer = t->freedom > 1    ? chi_square_above(ratio, t->freedom - 1)
                 : ratio < NOTHING ? 1
                                   : 0; // without degrees of freedom it is 0
  if (t->at_bound == 1) t->bounded_p = (t->p + fewer) / 2;
  if (large->correlated && large->effective < (double)large->likelihood.samples)
    t->quasi_p =
        chi_square_above(ratio * large->effective / (double)large->likelihood.samples, t->freedom);
}

// A larger model may fit worse than one nested in it where the fit minimises something else. A sentence; NULL: it does not.
static const char *other_aim(const ModelTest *t, const ModelRow *small, const ModelRow *large) {
  if (large->problem->options.loss == LOSS_HUBER)
    return "The fits minimise the Huber loss and do not make L as large as it can be: the ratio "
           "has "
           "no law, and there is no p.";
  if (!small->likelihood.greatest || !large->likelihood.greatest)
    return "The fits weigh residuals otherwise than L does (weights beside estimated sigmas, or "
           "channels without sigma) and do not make it as large as it can be: the ratio has no "
           "law, and there is no p.";
  if (t->ratio < -WORSE && (has_priors(small->problem) || has_priors(large->problem)))
    return "Priors act on the estimates, and L is that of the data alone: the larger model need "
           "not fit them better, and there is no p.";
  return NULL;
}

static void test(Models *m, ModelTest *t) {
  const ModelRow *small = &m->rows[t->small], *large = &m->rows[t->large];
  t->freedom = large->parameters - small->parameters;
  t->ratio = 2 * (large->likelihood.log - small->likelihood.log);
  const char *aim = other_aim(t, small, large);
  if (aim) {
    add_remark(m, t, aim);
    return;
  }
  t->failed = t->ratio < -WORSE;
  if (t->failed) {
    add_remark(
        m, t,
        arena_print(m->arena,
                    "The larger model fits worse, which is impossible if they are nested: the "
                    "search of %s failed, or they are not nested. Start it from the result "
                    "of %s.",
                    large->label, small->label));
    return;
  }
  look_at_unknowns(m, t);
  look_at_rank(m, t);
  if (has_priors(small->problem) || has_priors(large->problem))
    add_remark(m, t, "Priors act on the estimates: chi-square is not exact.");
  if (problem_has_weights(large->problem))
    add_remark(m, t,
               "Weights count as inverse variances of the noise: chi-square is not exact if they "
               "say something else.");
  if (large->likelihood.exact)
    add_remark(m, t, "The residuals are errors of the simulation: p means nothing.");
  compute(m, t);
}

void models_test_nesting(Models *m) {
  const ModelsRequest *q = &m->request;
  m->tests = ARENA_ARRAY(m->arena, ModelTest, q->nested_count + 1);
  m->test_count = q->nested_count;
  for (int i = 0; i < q->nested_count; i++) {
    ModelTest *t = &m->tests[i];
    double none = nan("");
    *t = (ModelTest){.small = q->nested[i].small, .large = q->nested[i].large};
    t->ratio = t->p = t->quasi_p = t->bounded_p = none;
    t->known = isfinite(m->rows[t->small].likelihood.log) &&
               isfinite(m->rows[t->large].likelihood.log) && m->rows[t->small].x &&
               m->rows[t->large].x;
    if (t->known) test(m, t);
  }
}
