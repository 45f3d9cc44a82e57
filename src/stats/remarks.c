// Sentences about bounds, correlations, residuals that are not white, and noise that is not as given.
#include "stats/remarks.h"

#include <math.h>

#include "num/distribution.h"
#include "stats/say.h"

static const double CORRELATED = 0.99, COLOURED = 1e-3, SIGMA_WRONG = 1e-6;
static const double CHANCE = 1e-6; // below, a fit is not certain either

typedef ARRAY(const char *) RemarkList;

#define SAY(...) array_push(an->scratch, r, arena_print(an->a, __VA_ARGS__))

static void say_bounds(Analysis *an, RemarkList *r) {
  for (int k = 0; an->fitted && k < an->s->n; k++) {
    const StatParameter *s = &an->s->parameters[k];
    const Unknown *f = &an->p->unknowns[k];
    if (s->at_bound && s->identifiable)
      SAY("%s is at its %s bound %g: its interval ends there, and the intervals of the others "
          "allow "
          "for all values in it.",
          f->name, s->lower_bound ? "lower" : "upper", s->lower_bound ? f->min : f->max);
  }
}

static void say_correlated(Analysis *an, RemarkList *r) {
  int n = an->s->n;
  for (int i = 0; i < n; i++)
    for (int k = i + 1; k < n; k++) {
      double c = an->s->correlation[i * n + k];
      bool told = !an->s->parameters[i].identifiable && !an->s->parameters[k].identifiable;
      if (fabs(c) > CORRELATED && !told)
        SAY("%s and %s are hard to tell apart: their correlation is %.5f.", an->p->unknowns[i].name,
            an->p->unknowns[k].name, c);
    }
}

static const char *channel_name(const Analysis *an, int at) {
  const SampleChannel *c = &an->rows->channels[at];
  if (an->p->experiment_count == 1) return c->data->name;
  return arena_print(an->a, "%s in %s", c->data->name, an->p->experiments[c->experiment].name);
}

static void say_coloured(Analysis *an, RemarkList *r) {
  for (int at = 0; an->fitted && at < an->s->channel_count; at++) {
    const StatChannel *c = &an->s->channels[at];
    double p = fmin(c->white_p, c->runs_p);
    if (p < COLOURED && p > CHANCE)
      SAY("The residuals of %s are slightly correlated (p = %.1g, correlation of neighbours %.2f): "
          "by chance, or because of a small error of the model. The intervals may be a little too "
          "narrow.",
          channel_name(an, at), p, c->autocorrelation);
    else if (p <= CHANCE)
      SAY("The residuals of %s are not white (p = %.1g, correlation of neighbours %.2f): the model "
          "misses something, or the noise is coloured. The intervals are then too narrow.",
          channel_name(an, at), p, c->autocorrelation);
  }
}

// Whether the variance of the residuals is not that of a sigma that was given; outliers that the loss is to bear with say
// nothing about it. *ratio: of the two deviations.
static bool contradicts_sigma(const Analysis *an, int at, double *ratio) {
  const Channel *c = an->rows->channels[at].data;
  if (!sigma_is_given(c) || an->p->options.loss == LOSS_HUBER) return false;
  double freedom = residual_freedom(an, at);
  *ratio = residual_deviation(an, at) / c->sigma;
  if (!isfinite(*ratio)) return false;
  double square = freedom * *ratio * *ratio;
  return fmin(chi_square_above(square, freedom), chi_square_below(square, freedom)) < SIGMA_WRONG;
}

static void say_sigma(Analysis *an, RemarkList *r) {
  double ratio;
  for (int at = 0; an->fitted && at < an->s->channel_count; at++) {
    if (an->s->channels[at].exact || !contradicts_sigma(an, at, &ratio)) continue;
    if (ratio > 1)
      SAY("The residuals of %s are %.2g times as large as its sigma (%g) says: the intervals are "
          "too narrow by that factor, or the model misses something.",
          channel_name(an, at), ratio, an->rows->channels[at].data->sigma);
    else
      SAY("The residuals of %s are only %.2g times as large as its sigma (%g) says: the intervals "
          "are too wide.",
          channel_name(an, at), ratio, an->rows->channels[at].data->sigma);
  }
}

// With no more samples than unknowns, the fit leaves no residuals, whatever the noise.
static bool all_is_exact(const Analysis *an) {
  bool exact = an->fitted && an->s->samples > an->s->n;
  for (int at = 0; at < an->s->channel_count; at++) exact = exact && an->s->channels[at].exact;
  return exact;
}

static bool all_sigma_given(const Analysis *an) {
  bool given = true;
  for (int at = 0; at < an->s->channel_count; at++)
    given = given && sigma_is_given(an->rows->channels[at].data);
  return given;
}

static void say_exact(Analysis *an, RemarkList *r) {
  static const char HEAD[] =
      "The residuals are as small as the errors of the simulation: the data hold no noise.";
  if (!all_is_exact(an)) return;
  if (all_sigma_given(an))
    SAY("%s The standard errors are those of noise as large as sigma says.", HEAD);
  else if (!an->p->model->nx)
    SAY("%s The standard errors only show what rounding leaves open; with real measurements they "
        "would be larger.",
        HEAD);
  else
    SAY("%s The standard errors only show what the accuracy of the simulation (rel_tol %.1g) "
        "leaves open; with real measurements they would be larger.",
        HEAD, an->p->simulate.rel_tol);
  for (int k = 0; k < an->s->n; k++) {
    const StatParameter *s = &an->s->parameters[k];
    if (s->identifiable && s->relative_at_1_percent > 1)
      SAY("With noise of 1 %% of each channel %s could not be determined: its standard error would "
          "be %.2g times its value.",
          an->p->unknowns[k].name, s->relative_at_1_percent);
  }
}

static void say_unknown(Analysis *an, RemarkList *r) {
  const char **name = ARENA_ARRAY(an->scratch, const char *, an->s->n + 1);
  int count = 0;
  for (int k = 0; k < an->s->n; k++)
    if (!an->s->parameters[k].identifiable) name[count++] = an->p->unknowns[k].name;
  if (count == 0) return;
  Text t;
  text_init(&t);
  say_list(&t, name, count);
  SAY("%s cannot be determined from these data%s; rank %d of %d.", t.at,
      an->s->rank < an->s->n ? ""
      : an->assumed          ? " with noise of 1 % of each channel"
                             : " because of their noise",
      an->s->rank, an->s->n);
  text_done(&t);
}

static void say_few(Analysis *an, RemarkList *r) {
  if (an->s->samples + an->rows->prior_count <= an->s->n && !all_sigma_given(an))
    SAY("There %s %ld sample%s for %d parameter%s: no standard error can be given.",
        an->s->samples == 1 ? "is" : "are", an->s->samples, an->s->samples == 1 ? "" : "s",
        an->s->n, an->s->n == 1 ? "" : "s");
}

static void say_pieces(Analysis *an, RemarkList *r) {
  if (!an->pieces) return;
  SAY("The motion magnifies small changes so much that one simulation over the whole time cannot "
      "follow it: everything here comes from %d pieces, each of which begins where the one before "
      "ends. The standard errors hold only if the model is exact, because what it leaves out is "
      "magnified like everything else; and none is below rel_tol (%.1g) of the value, which is as "
      "far as the simulation can be trusted.",
      fit_piece_count(an->p, an->pieces), an->p->simulate.rel_tol);
  if (an->s->direction_count > 0)
    SAY("What the data do not tell is seen near this point only: for motion in pieces no "
        "simulation farther away confirms it.");
}

static void say_simulation(Analysis *an, RemarkList *r) {
  const char *remark = eval_remark(an->work);
  if (remark[0]) SAY("The simulations are slow: %s.", remark);
}

void write_remarks(Analysis *an) {
  static void (*const ALL[])(Analysis *, RemarkList *) = {
      say_unknown, say_few,      say_exact,      say_pieces,    say_bounds,
      say_sigma,   say_coloured, say_correlated, say_simulation};
  RemarkList found = {0};
  for (size_t i = 0; i < sizeof ALL / sizeof *ALL; i++) ALL[i](an, &found);
  an->s->remarks = ARENA_ARRAY(an->a, const char *, found.count + 1);
  for (int i = 0; i < found.count; i++) an->s->remarks[i] = found.at[i];
  an->s->remark_count = found.count;
}
