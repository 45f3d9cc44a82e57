#include "search/verdict.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/text.h"
#include "search/certificate.h"

int verdict_agree_least(bool fits, bool weak) {
  return weak && !fits ? VERDICT_AGREE_WEAK : VERDICT_AGREE_LEAST;
}

FitVerdict verdict_decide(const VerdictFacts *f) {
  if (f->ambiguous) return FIT_AMBIGUOUS;
  bool agreed = f->far_agree >= verdict_agree_least(f->fits, f->weak);
  if (f->fits && f->complete && (agreed || !f->weak)) return FIT_CERTAIN;
  return !f->fits && agreed ? FIT_AGREED : FIT_DOUBTFUL;
}

// ---------------------------------------------------------------- words

typedef struct Explanation {
  Text *out;
  const FitResult *r;
  const Weighting *w;
} Explanation;

static const char *channel_name(const Weighting *w, int channel) {
  return channel < 0 ? "all channels together" : w->data->channels[channel].channel->name;
}

// " of x", if there are others.
static void add_channel(const Explanation *e, int channel) {
  if (e->w->data->channel_count > 1) text_print(e->out, " of %s", channel_name(e->w, channel));
}

static void say_exact(const Explanation *e) {
  static const char *const WHAT[] = {
      "the free model follows the data to %.2g of their own variation",
      "predictions follow the data to %.2g of their increments",
      "the equations give the derivatives to %.2g of their variation"};
  const Problem *p = e->r->problem;
  double part = e->r->objective > 0 ? sqrt(e->r->objective / data_objective(e->w, 1)) : 0;
  text_print(e->out, WHAT[p->options.residual], part);
  text_add(e->out, problem_integrates(p)
                       ? ", which is all that simulations of this accuracy can tell"
                       : ", which is all that rounding leaves");
}

static const char *source_of_noise(const Problem *p) {
  return noise_is_given(p) ? "given as sigma" : "estimated from their differences";
}

static void say_noise(const Explanation *e) {
  const FitFacts *f = &e->r->facts;
  const Problem *p = e->r->problem;
  text_add(e->out, "the residuals");
  if (!f->noise.holds && f->noise.ratio <= f->noise.limit) { // what else the certificate asks for
    text_add(e->out, " have too many outliers to be noise");
    return;
  }
  add_channel(e, f->noise.channel);
  if (f->noise.channel >= 0 && !(e->w->data->channels[f->noise.channel].variance > 0)) {
    text_add(e->out, " are more than errors of simulations, although these data do not change");
    return;
  }
  bool simulates = problem_simulates(p);
  text_print(e->out, " have %.3g times the variance of the %s (%s%s); %s %s %.3g", f->noise.ratio,
             simulates ? "noise of the data" : "errors to be expected",
             p->options.loss == LOSS_HUBER ? "outliers apart; " : "", source_of_noise(p),
             simulates ? "noise alone" : "chance alone",
             f->noise.holds ? "explains up to" : "explains no more than", f->noise.limit);
}

static bool has_rows_without_times(const Problem *p) {
  for (int e = 0; e < p->experiment_count; e++)
    if (p->experiments[e].without_times) return true;
  return false;
}

static void say_missing(const Explanation *e) {
  const FitTerm *m = &e->r->facts.missing;
  if (!m->term) return;
  if (!m->at_start)
    text_print(e->out, "; a term in proportion to %s in the equation of der(%s)", m->term,
               m->state);
  else
    text_print(e->out, "; another value of %s", m->term);
  text_print(e->out,
             " would explain %.0f %% of their squares, which would be chance once in %.2g cases",
             100 * m->share, 1 / fmax(m->p, 1e-300));
}

static void say_pattern(const Explanation *e) {
  const FitFacts *f = &e->r->facts;
  if (isnan(f->white.p))
    text_add(e->out, has_rows_without_times(e->r->problem)
                         ? "rows without times have no order in which they could show a pattern"
                         : "they are too few to look for a pattern");
  else if (f->white.clean)
    text_add(e->out, "they show no pattern");
  else {
    text_print(e->out, "they show a %spattern", f->white.holds ? "weak " : "");
    if (e->w->data->channel_count > 1)
      text_print(e->out, " (%s)", channel_name(e->w, f->white.channel));
    text_print(e->out, ", correlation of neighbours %.2f", f->white.correlation);
  }
}

// Why noise cannot be told from motion; false: it can.
static bool say_unknown_noise(const Explanation *e) {
  const Problem *p = e->r->problem;
  if (!noise_is_given(p) && !problem_simulates(p))
    text_print(e->out,
               "the noise of the data does not tell how large the errors of residual: %s may be, "
               "because these begin at data that have noise themselves; a sigma for each channel, "
               "the standard deviation of such errors, would",
               residual_word(p));
  else if (!noise_is_given(p) && has_rows_without_times(p))
    text_add(e->out,
             "neighbouring rows of a table without times tell nothing of noise; a sigma for "
             "each channel would help");
  else if (!isfinite(e->r->floor) || certificate_samples_are_few(p))
    text_add(e->out, noise_is_given(p)
                         ? "there are too few samples beside the unknowns to tell noise from "
                           "errors of the model"
                         : "there are too few samples to tell noise from motion; a sigma for "
                           "each channel would help");
  else if (!(data_objective(e->w, 1) > 0))
    text_add(e->out,
             "the data do not change at all: nothing in them tells noise from motion, or one "
             "optimum from another");
  else if (!certificate_noise_tells(e->w) && noise_is_given(p))
    text_print(
        e->out,
        "the noise (given as sigma) is %.0f %% of the variation of the data, so large that it "
        "would hide what another optimum leaves",
        100 * noise_objective(e->w, 1) / data_objective(e->w, 1));
  else if (!certificate_noise_tells(e->w))
    text_print(e->out,
               "neighbouring samples differ so much (as noise of objective %.4g would) that noise "
               "cannot be told from motion: the data are very noisy, or too far apart in time",
               e->r->floor);
  else
    return false;
  return true;
}

static void say_facts(const Explanation *e) {
  const FitFacts *f = &e->r->facts;
  const FitPieces *pieces = e->r->pieces;
  if (pieces)
    text_print(e->out,
               "in %d pieces whose ends meet (largest gap %.2g of the range of a state; the motion "
               "is too sensitive for one simulation over the whole time) ",
               fit_piece_count(e->r->problem, pieces), pieces->gap);
  if (f->exact)
    say_exact(e);
  else if (!f->known)
    text_add(e->out, "there was no time to look at the residuals");
  else if (!say_unknown_noise(e)) {
    say_noise(e);
    text_add(e->out, f->noise.holds == (f->white.clean || isnan(f->white.p)) ? ", and " : ", but ");
    say_pattern(e);
    say_missing(e);
  }
}

static void say_searches(const Explanation *e) {
  const FitSearches *n = &e->r->searches;
  int elsewhere = n->done - n->agree - n->failed;
  text_print(e->out, "%d of %d confirming search%s ended here", n->agree, n->done,
             n->done == 1 ? "" : "es");
  if (elsewhere > 0) text_print(e->out, ", %d at worse points", elsewhere);
  if (n->failed > 0) text_print(e->out, ", %d found nothing", n->failed);
  if (n->done > 0) text_add(e->out, "; none found a better optimum");
  if (n->better > 0) text_add(e->out, " (one before them had found this one)");
}

// The first distinct optimum that fits nearly as well.
static const FitOptimum *rival_of(const FitResult *r) {
  for (int k = 1; k < r->optima.count; k++)
    if (r->optima.at[k].distinct) return &r->optima.at[k];
  return NULL;
}

enum { NUMBERS_SHOWN = 6 };

static bool is_near(double a, double b) {
  return fabs(a - b) <= 0.02 * fmax(fabs(a), fabs(b));
}

// Two numbers that have changed places between the two optima; false: none.
static bool find_exchange(const FitResult *r, const double *other, int *i, int *j) {
  int n = r->problem->unknown_count;
  for (*i = 0; *i < n; ++*i)
    for (*j = *i + 1; *j < n; ++*j)
      if (!is_near(r->x[*i], r->x[*j]) && is_near(r->x[*i], other[*j]) &&
          is_near(r->x[*j], other[*i]))
        return true;
  return false;
}

static void say_rival(const Explanation *e) {
  const FitResult *r = e->r;
  const FitOptimum *o = rival_of(r);
  const Unknown *u = r->problem->unknowns;
  if (!o) return;
  int shown = 0, i, j;
  text_add(e->out, r->fits ? "another optimum fits the data as well: "
                           : "another optimum is as good as this one: ");
  for (int k = 0; k < r->problem->unknown_count; k++) {
    if (is_near(r->x[k], o->x[k])) continue;
    if (shown++ < NUMBERS_SHOWN)
      text_print(e->out, "%s%s = %.4g instead of %.4g", shown > 1 ? ", " : "", u[k].name, o->x[k],
                 r->x[k]);
  }
  if (shown > NUMBERS_SHOWN) text_print(e->out, " and %d more", shown - NUMBERS_SHOWN);
  text_print(e->out, " (%s %.6g against %.6g, difference of twice the log-likelihood %.3g)",
             noise_is_estimated(r->problem) ? "minus the log-likelihood" : "objective",
             o->objective, r->optima.at[0].objective, o->worse);
  if (find_exchange(r, o->x, &i, &j))
    text_print(e->out,
               "; %s and %s have changed places: a constraint such as '%s <= %s' makes the "
               "result unique",
               u[i].name, u[j].name, r->x[i] < r->x[j] ? u[i].name : u[j].name,
               r->x[i] < r->x[j] ? u[j].name : u[i].name);
}

static void say_doubt(const Explanation *e, bool confirms) {
  const FitResult *r = e->r;
  const FitSearches *n = &r->searches;
  say_facts(e);
  text_add(e->out, ". ");
  if (!confirms)
    text_add(e->out, r->fits ? "This fits the noise, but no confirming searches were made: another "
                               "optimum may fit as well"
                             : "Another optimum may fit better, or the model misses something that "
                               "the data show");
  else if (r->fits && n->done == n->planned && n->done > 0 && !r->facts.looked &&
           r->cut != FIT_CUT_NOTHING)
    text_print(e->out,
               "This fits the noise, and %d of %d searches confirm it, but a limit or a stop ended "
               "the fit "
               "before it was asked for terms that its equations miss",
               n->agree, n->done);
  else if (r->fits && (n->cut || n->done == 0))
    text_print(e->out, "This fits the noise, confirmed by %d of %d searches only: %s", n->agree,
               n->planned,
               r->cut == FIT_CUT_STOP || r->cut == FIT_CUT_ENOUGH
                   ? "the fit was stopped before the others"
               : n->capped ? "the others would take more work than 3 times the search"
                           : "a limit ended the others");
  else if (r->fits) {
    say_searches(e);
    text_add(e->out,
             ". Noise would explain much more than is left, so that another optimum may fit "
             "as well: fewer than 2 searches from far away agree");
  } else {
    say_searches(e);
    text_add(e->out,
             ". Another optimum may fit better, or the model misses something that the data "
             "show");
  }
}

static void explain(const Explanation *e, bool confirms) {
  const FitResult *r = e->r;
  switch (r->verdict) {
  case FIT_CERTAIN:
    say_facts(e);
    text_add(e->out, ". ");
    say_searches(e);
    break;
  case FIT_AGREED:
    say_searches(e);
    text_add(e->out, certificate_noise_tells(e->w)
                         ? ". The model leaves something unexplained: "
                         : ". What the model leaves, compared with noise, tells little: ");
    say_facts(e);
    text_add(e->out, ". Searches that agree are no proof: all of them could miss a better optimum");
    break;
  case FIT_AMBIGUOUS:
    say_rival(e);
    if (r->fits) break;
    text_add(e->out, ". The model leaves something unexplained with either: ");
    say_facts(e);
    break;
  case FIT_DOUBTFUL: say_doubt(e, confirms); break;
  }
}

void verdict_explain(FitResult *r, const Weighting *w, bool confirms) {
  Text text;
  text_init(&text);
  if (r->objective == HUGE_VAL)
    text_add(&text, "there is no result");
  else if (!problem_satisfied(r->problem, r->x))
    text_add(&text, "the parameters do not satisfy the constraints, so they are no result: check "
                    "whether the violated ones can hold together, or begin elsewhere");
  else
    explain(&(Explanation){&text, r, w}, confirms);
  c_snprintf(r->why, sizeof r->why, "%s", text.at);
  text_done(&text);
}
