// Sentences about bounds, correlations, residuals that are not white, and noise that is not as given.
#include "stats/remarks.h"

#include <math.h>
#include <string.h>

#include "num/distribution.h"
#include "num/noise.h"
#include "stats/begins_at_data.h"
#include "stats/held_samples.h"
#include "stats/say.h"
#include "stats/weak_product.h"

static const double CORRELATED = 0.99, SIGMA_WRONG = 1e-6;
static const double CHANCE = 1e-6;           // below, residuals are not white by chance
static const double NEIGHBOURS = 0.2;        // nor with a correlation above this
enum { NAMED_MOST = 6, CHANNELS_NAMED = 3 }; // with more, names would hide what is said

typedef ARRAY(const char *) RemarkList;

#define SAY(...) array_push(an->scratch, r, arena_print(an->a, __VA_ARGS__))

// "a, b and c", "a, b, c and 12 more"
static const char *some_of(Analysis *an, const char *const *name, int count, int most) {
  Text t;
  text_init(&t);
  say_some(&t, name, count, most);
  const char *list = arena_print(an->scratch, "%s", t.at);
  text_done(&t);
  return list;
}

// ---------------------------------------------------------------- parameters

static void say_bounds(Analysis *an, RemarkList *r) {
  const char **name = ARENA_ARRAY(an->scratch, const char *, an->s->n + 1);
  int count = 0, last = 0;
  for (int k = 0; an->fitted && k < an->s->n; k++) {
    const StatParameter *s = &an->s->parameters[k];
    if (!s->at_bound || !s->identifiable) continue;
    name[count++] = arena_print(an->scratch, "%s (%s)", an->p->unknowns[k].name,
                                s->lower_bound ? "lower" : "upper");
    last = k;
  }
  const Unknown *f = &an->p->unknowns[last];
  bool lower = count && an->s->parameters[last].lower_bound;
  if (count == 1)
    SAY("%s is at its %s bound %g: its interval ends there, and the intervals of the others "
        "allow for all values in it.",
        f->name, lower ? "lower" : "upper", lower ? f->min : f->max);
  else if (count)
    SAY("%d parameters are at bounds, %s: their intervals end there, and the intervals of the "
        "others allow for all values in them.",
        count, some_of(an, name, count, NAMED_MOST));
}

// An active constraint contains both: it ties them, whatever the data tell.
static bool are_tied(const Analysis *an, int i, int k) {
  int end = samples_rows(an->rows);
  for (int row = end - an->rows->constraint_count; row < end; row++)
    if (an->rows->column[i][row] != 0 && an->rows->column[k][row] != 0) return true;
  return false;
}

// "; A*B = 0.21 (95 %: 0.2 .. 0.22) is known better", or nothing.
static const char *product_in_words(Analysis *an, const int pair[2]) {
  StatCombination c;
  if (!an->fitted || an->assumed || !correlated_product(an, pair, &c)) return "";
  return arena_print(an->a, "; %s = %.4g (95 %%: %.4g .. %.4g) is known better", c.text, c.value,
                     c.low, c.high);
}

static void say_correlated(Analysis *an, RemarkList *r) {
  int n = an->s->n, count = 0, first = 0, second = 0;
  double most = 0;
  for (int i = 0; i < n; i++)
    for (int k = i + 1; k < n; k++) {
      double c = an->s->correlation[i * n + k];
      bool told = !an->s->parameters[i].identifiable && !an->s->parameters[k].identifiable;
      if (!(fabs(c) > CORRELATED) || told || are_tied(an, i, k)) continue;
      count++;
      if (fabs(c) > fabs(most)) most = c, first = i, second = k;
    }
  if (count == 0) return;
  const char *a = an->p->unknowns[first].name, *b = an->p->unknowns[second].name;
  const char *product = product_in_words(an, (int[]){first, second});
  if (count == 1)
    SAY("%s and %s are hard to tell apart: their correlation is %.5f%s.", a, b, most, product);
  else
    SAY("%d pairs of parameters are hard to tell apart, most of all %s and %s: their correlation "
        "is %.5f%s.",
        count, a, b, most, product);
}

// ---------------------------------------------------------------- channels

static const char *channel_name(const Analysis *an, int at) {
  const SampleChannel *c = &an->rows->channels[at];
  if (an->p->experiment_count == 1) return c->data->name;
  return arena_print(an->a, "%s in %s", c->data->name, an->p->experiments[c->experiment].name);
}

typedef struct ChannelGroup { // those that a sentence is about
  int *at, count;             // by number in the row
  int worst;                  // of which figures are given
} ChannelGroup;

static ChannelGroup no_channels(Analysis *an) {
  return (ChannelGroup){.at = ARENA_ARRAY(an->scratch, int, an->s->channel_count + 1)};
}

static const char *variable_at(const Analysis *an, int at) {
  return an->rows->channels[at].data->name;
}
static const char *experiment_at(const Analysis *an, int at) {
  return an->p->experiments[an->rows->channels[at].experiment].name;
}

// "x, y, z and 4 more in swing", "x in swing, fall and 4 more", "x in swing, y in fall and 4 more"
static const char *channel_names(Analysis *an, const ChannelGroup *g) {
  const char **name = ARENA_ARRAY(an->scratch, const char *, g->count + 1);
  bool one_experiment = an->p->experiment_count > 1, one_variable = one_experiment;
  for (int i = 1; i < g->count; i++) {
    one_experiment = one_experiment && an->rows->channels[g->at[i]].experiment ==
                                           an->rows->channels[g->at[0]].experiment;
    one_variable =
        one_variable && strcmp(variable_at(an, g->at[i]), variable_at(an, g->at[0])) == 0;
  }
  for (int i = 0; i < g->count; i++)
    name[i] = one_experiment ? variable_at(an, g->at[i])
              : one_variable ? experiment_at(an, g->at[i])
                             : channel_name(an, g->at[i]);
  const char *list = some_of(an, name, g->count, CHANNELS_NAMED);
  if (one_experiment)
    return arena_print(an->scratch, "%s in %s", list, experiment_at(an, g->at[0]));
  return one_variable ? arena_print(an->scratch, "%s in %s", variable_at(an, g->at[0]), list)
                      : list;
}

// "x", "7 of 12 channels (x, y, z and 4 more)", "12 of 12 channels"
static const char *whose(Analysis *an, const ChannelGroup *g) {
  if (g->count == 1) return channel_name(an, g->worst);
  const char *names = g->count < an->s->channel_count
                          ? arena_print(an->scratch, " (%s)", channel_names(an, g))
                          : "";
  return arena_print(an->scratch, "%d of %d channels%s", g->count, an->s->channel_count, names);
}

// "", "worst: x, "
static const char *worst_of(Analysis *an, const ChannelGroup *g) {
  return g->count == 1 ? "" : arena_print(an->scratch, "worst: %s, ", channel_name(an, g->worst));
}

static bool is_worse(const StatChannel *a, const StatChannel *b) {
  double p = least_white_p(a), q = least_white_p(b);
  return p < q || (p == q && fabs(a->autocorrelation) > fabs(b->autocorrelation));
}

// Noise of a state that one residual begins at is noise of the sample before.
static const char *why_coloured(const Analysis *an, const StatChannel *c) {
  if (problem_simulates(an->p)) return "the model misses something, or the noise is coloured";
  return c->autocorrelation < 0
             ? "noise of the data goes into the states that they begin at, or the "
               "model misses something"
             : "the model misses something";
}

// Coloured for certain, or perhaps by chance.
static void say_coloured_as(Analysis *an, RemarkList *r, bool certain) {
  ChannelGroup g = no_channels(an);
  for (int at = 0; an->fitted && at < an->s->channel_count; at++) {
    const StatChannel *c = &an->s->channels[at];
    double p = least_white_p(c);
    bool coloured = p < white_level(an->s);
    bool sure = p < CHANCE || fabs(c->autocorrelation) > NEIGHBOURS;
    if (!coloured || sure != certain) continue;
    if (!g.count || is_worse(c, &an->s->channels[g.worst])) g.worst = at;
    g.at[g.count++] = at;
  }
  if (g.count == 0) return;
  const StatChannel *c = &an->s->channels[g.worst];
  bool off = an->p->options.residual_correlation == RESIDUAL_CORRELATION_OFF;
  bool begins_before = !problem_simulates(an->p) && c->autocorrelation < 0;
  if (certain)
    SAY("The residuals of %s are not white (%sp = %.1g, correlation of neighbours %.2f): %s. %s.",
        whose(an, &g), worst_of(an, &g), least_white_p(c), c->autocorrelation, why_coloured(an, c),
        off ? "The intervals do not allow for the correlation (residual_correlation: off)"
        : begins_before
            ? "The intervals are on the wide side: negative correlation does not narrow them"
            : "The intervals allow for the correlation, not for what a model that misses "
              "something does to the estimates");
  else
    SAY("The residuals of %s are slightly correlated (%sp = %.1g, correlation of neighbours %.2f): "
        "by chance, or because of a small error of the model. The intervals %sallow for it.",
        whose(an, &g), worst_of(an, &g), least_white_p(c), c->autocorrelation,
        off ? "do not " : "");
}

static void say_coloured(Analysis *an, RemarkList *r) {
  say_coloured_as(an, r, true);
  say_coloured_as(an, r, false);
}

static void say_uneven(Analysis *an, RemarkList *r) {
  ChannelGroup g = no_channels(an);
  for (int at = 0; an->fitted && at < an->s->channel_count; at++) {
    const StatChannel *c = &an->s->channels[at];
    if (c->uneven && c->effective < c->n) g.at[g.count++] = at;
  }
  g.worst = g.at[0];
  if (g.count)
    SAY("The samples of %s are not evenly spaced: the intervals take %s residuals to be as "
        "correlated from each sample to the next, whatever the time between them.",
        whose(an, &g), g.count == 1 ? "its" : "their");
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

static void say_sigma_as(Analysis *an, RemarkList *r, bool larger) {
  ChannelGroup g = no_channels(an);
  double ratio, most = 1;
  for (int at = 0; an->fitted && at < an->s->channel_count; at++) {
    if (an->s->channels[at].exact || !contradicts_sigma(an, at, &ratio)) continue;
    if ((ratio > 1) != larger) continue;
    if (!g.count || fabs(log(ratio)) > fabs(log(most))) g.worst = at, most = ratio;
    g.at[g.count++] = at;
  }
  if (g.count == 0) return;
  bool one = g.count == 1;
  const char *of = one ? "" : arena_print(an->scratch, " of %s", channel_name(an, g.worst));
  double sigma = an->rows->channels[g.worst].data->sigma;
  SAY(larger ? "The residuals of %s are %s%.2g times as large as %s sigma%s (%g) says: the "
               "intervals are too narrow by that factor, or the model misses something."
             : "The residuals of %s are only %s%.2g times as large as %s sigma%s (%g) says: the "
               "intervals are too wide.",
      whose(an, &g), one ? "" : "up to ", most, one ? "its" : "the", of, sigma);
}

static void say_sigma(Analysis *an, RemarkList *r) {
  say_sigma_as(an, r, true);
  say_sigma_as(an, r, false);
}

// ---------------------------------------------------------------- the whole

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

// What noise of 1 % would hide.
static void say_weak(Analysis *an, RemarkList *r) {
  const char **name = ARENA_ARRAY(an->scratch, const char *, an->s->n + 1);
  double most = 0;
  int count = 0;
  for (int k = 0; k < an->s->n; k++) {
    const StatParameter *s = &an->s->parameters[k];
    if (!s->identifiable || !(s->relative_at_1_percent > 1)) continue;
    name[count++] = an->p->unknowns[k].name;
    most = fmax(most, s->relative_at_1_percent);
  }
  if (count)
    SAY("With noise of 1 %% of each channel %s could not be determined: %s standard error would "
        "be %s%.2g times %s value.",
        some_of(an, name, count, NAMED_MOST), count == 1 ? "its" : "their",
        count == 1 ? "" : "up to ", most, count == 1 ? "its" : "their");
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
  say_weak(an, r);
}

static void say_unknown(Analysis *an, RemarkList *r) {
  const char **name = ARENA_ARRAY(an->scratch, const char *, an->s->n + 1);
  int count = 0;
  for (int k = 0; k < an->s->n; k++)
    if (!an->s->parameters[k].identifiable) name[count++] = an->p->unknowns[k].name;
  if (count == 0) return;
  SAY("%s cannot be determined from these data%s; rank %d of %d.",
      some_of(an, name, count, NAMED_MOST),
      an->s->rank < an->s->n ? ""
      : an->assumed          ? " with noise of 1 % of each channel"
                             : " because of their noise",
      an->s->rank, an->s->n);
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

// ---------------------------------------------------------------- residuals that begin at the data

static const double MOVED = 0.5; // standard errors

static void say_steps(Analysis *an, RemarkList *r) {
  const FitOptions *o = &an->p->options;
  bool steps = o->residual == RESIDUAL_PREDICTION && o->prediction_by != PREDICTION_BY_INTEGRATOR &&
               !an->p->model->flat->hybrid;
  if (!steps || !an->fitted) return;
  EstimateShift s = shift_by_integrator(an);
  if (s.known && s.errors > MOVED)
    SAY("One %s step for each sample interval is not accurate enough: by the integrator "
        "(prediction: {by: integrator}) %s would be %s by about %.2g, %.2g standard errors.",
        o->prediction_by == PREDICTION_BY_EULER ? "Euler" : "Runge-Kutta",
        an->p->unknowns[s.unknown].name, s.by > 0 ? "larger" : "smaller", fabs(s.by), s.errors);
}

// Of the channel in which it is largest: noise against what the model has to explain of a sample.
static double noise_of_states(const Analysis *an, int *at) {
  double most = 0;
  for (int k = 0; k < an->s->channel_count; k++) {
    const Channel *c = an->rows->channels[k].data;
    double ratio = noise_deviation(c->t, c->y, c->count) / an->rows->channels[k].size;
    if (ratio > most) most = ratio, *at = k;
  }
  return most;
}

static void say_noise_in_states(Analysis *an, RemarkList *r) {
  if (problem_simulates(an->p) || !an->fitted || all_is_exact(an)) return;
  int at = 0;
  double ratio = noise_of_states(an, &at);
  EstimateShift s = shift_by_noise(an);
  if (!s.known || !(s.errors > MOVED)) return;
  const char *size =
      an->p->options.residual == RESIDUAL_EQUATION
          ? ""
          : arena_print(an->scratch, " The noise of %s is about %.2g of its increments.",
                        channel_name(an, at), ratio * sqrt(s.noise));
  SAY("The states that residuals begin at have noise, which acts as if it were motion (errors in "
      "variables): it moves the estimates, %s by about %.2g or %.2g standard errors, and more data "
      "do "
      "not help.%s Simulate (residual: simulation)%s.",
      an->p->unknowns[s.unknown].name, s.by, s.errors, size,
      an->p->options.residual == RESIDUAL_EQUATION ? "" : ", or predict more samples ahead");
}

// Simulations from a noisy start value differ from the motion throughout: all their residuals have one error in common.
static void say_data_starts(Analysis *an, RemarkList *r) {
  if (!problem_simulates(an->p) || !an->fitted || all_is_exact(an)) return;
  const Flat *flat = an->p->model->flat;
  const char **name = ARENA_ARRAY(an->scratch, const char *, flat->parameters.count + 1);
  bool *said = ARENA_ARRAY(an->scratch, bool, flat->parameters.count + 1);
  int count = 0;
  for (int e = 0; e < an->p->experiment_count; e++)
    for (int i = 0; i < an->p->experiments[e].data_start_count; i++) {
      const DataStart *start = &an->p->experiments[e].data_starts[i];
      int k = start->parameter;
      if (start->estimated) continue;
      if (!said[k]) name[count++] = flat->parameters.at[k].name;
      said[k] = true;
    }
  if (!count) return;
  SAY("Samples gave the start value%s %s: the intervals take %s as exact, though %s the noise of "
      "those samples, and are too narrow. Intervals with it: %s: {start: data, per_experiment: "
      "true}%s under 'estimate' instead of 'set'.",
      count == 1 ? "" : "s", some_of(an, name, count, NAMED_MOST), count == 1 ? "it" : "them",
      count == 1 ? "it has" : "they have", name[0], count == 1 ? "" : " and so on");
}

static void say_held(Analysis *an, RemarkList *r) {
  const char *remark = held_remark(an->a, an->p, an->s);
  if (remark) array_push(an->scratch, r, remark);
}

void write_remarks(Analysis *an) {
  static void (*const ALL[])(Analysis *, RemarkList *) = {
      say_unknown,     say_few,    say_exact,      say_pieces,     say_bounds, say_sigma,
      say_coloured,    say_uneven, say_correlated, say_simulation, say_steps,  say_noise_in_states,
      say_data_starts, say_held};
  RemarkList found = {0};
  for (size_t i = 0; i < sizeof ALL / sizeof *ALL; i++) ALL[i](an, &found);
  an->s->remarks = ARENA_ARRAY(an->a, const char *, found.count + 1);
  for (int i = 0; i < found.count; i++) an->s->remarks[i] = found.at[i];
  an->s->remark_count = found.count;
}
