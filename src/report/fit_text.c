#include "report/fit_text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/c_locale.h"
#include "problem/residual_kind.h"
#include "report/failures.h"
#include "report/fit_settings.h"
#include "report/interval_text.h"
#include "report/run_report.h"
#include "study/evaluated_point.h"
#include "write/rounded.h"

typedef struct FitPage {
  Page page;
  const FitReport *r;
} FitPage;

// ---------------------------------------------------------------- verdict

static Tint tint_of(const FitResult *r) {
  if (r->outcome == FIT_CONVERGED) return r->verdict == FIT_CERTAIN ? TINT_GOOD : TINT_NOTICE;
  return r->outcome == FIT_UNCERTAIN ? TINT_NOTICE : TINT_BAD;
}

static bool is_word(const char *name, const char *word, size_t length) {
  return strlen(name) == length && memcmp(name, word, length) == 0;
}

static bool names_something(const Problem *p, const char *word, size_t length) {
  for (int i = 0; i < p->unknown_count; i++)
    if (is_word(p->unknowns[i].name, word, length)) return true;
  for (int i = 0; i < p->measured_count; i++)
    if (is_word(p->measured_name[i], word, length)) return true;
  return false;
}

// Prints a sentence: adds a full stop and, unless it begins with a name, a capital letter.
static void print_sentence(FitPage *f, const char *text) {
  size_t word = strcspn(text, " ,:;"), length = strlen(text);
  if (!length) return;
  char *copy = arena_print(f->page.arena, "%s%s", text, strchr(".!?", text[length - 1]) ? "" : ".");
  if (!names_something(f->r->problem, text, word))
    copy[0] = (char)toupper_l((unsigned char)copy[0], c_locale());
  page_paragraph(&f->page, 2, "", copy);
}

static void print_verdict(FitPage *f) {
  const FitResult *r = f->r->result;
  Page *p = &f->page;
  bool by = r->by && r->by[0];
  bool result = fit_has_result(r);
  const char *belief =
      !result                       ? ""
      : r->verdict == FIT_CERTAIN   ? " and certain"
      : r->verdict == FIT_AGREED    ? "; searches agree"
      : r->verdict == FIT_AMBIGUOUS ? "; ambiguous"
      : fit_is_unjudged(r->outcome, r->verdict)
          ? arena_print(p->arena, ", but %s", fit_trust_word(r->outcome, r->verdict))
          : "";
  char *verdict = arena_print(p->arena, "%s%s", fit_outcome_word(r->outcome), belief);
  page_title(p, arena_print(p->arena, "%s: %s%s%s%s", f->r->problem->path,
                            page_tinted(p, tint_of(r), verdict), by ? " (" : "", by ? r->by : "",
                            by ? ")" : ""));
  print_sentence(f, r->message);
  print_sentence(f, r->why);
}

// ---------------------------------------------------------------- parameters

static void print_interval_kinds(FitPage *f) {
  Text t;
  text_init(&t);
  interval_text(&t, f->r->problem, f->r->statistics);
  if (t.length) page_paragraph(&f->page, 2, "", t.at);
  text_done(&t);
}

// Of a point that is no result.
static void print_point(FitPage *f) {
  static const PageColumn COLUMNS[] = {{"name", 0}, {"unit", 2}, {">value", 1}, {">start", 3}};
  Page *p = &f->page;
  PageTable *t = page_table_new(p, COLUMNS, 4);
  for (int i = 0; i < f->r->problem->unknown_count; i++) {
    const Unknown *x = &f->r->problem->unknowns[i];
    page_table_add(t, (const char *[]){x->name, x->unit, page_digits(p, f->r->result->x[i], 6),
                                       page_digits(p, x->start, 6)});
  }
  page_heading(p, "Where the search ended");
  page_table_print(t);
}

static void print_parameters(FitPage *f) {
  static const PageColumn COLUMNS[] = {
      {"name", 0},   {"unit", 1}, {">estimate", -4}, {">std error", -1}, {">95 % interval", -2},
      {">start", 2}, {"", -3}};
  const FitReport *r = f->r;
  Page *p = &f->page;
  PageTable *t = page_table_new(p, COLUMNS, 7);
  for (int i = 0; i < r->problem->unknown_count; i++) {
    const Unknown *x = &r->problem->unknowns[i];
    const StatParameter *s = &r->statistics->parameters[i];
    char value[ROUNDED_SIZE], error[ROUNDED_SIZE], interval[ROUNDED_INTERVAL_SIZE];
    rounded_value(r->result->x[i], s->std_error, value);
    rounded_error(s->std_error, error);
    rounded_interval(r->result->x[i], s->ci_low, s->ci_high, interval);
    page_table_add(
        t, (const char *[]){x->name, x->unit, value, error, interval, page_digits(p, x->start, 6),
                            page_tinted(p, TINT_NOTICE, parameter_flags(f->r->statistics, i))});
  }
  page_heading(p, "Parameters");
  page_table_print(t);
  print_interval_kinds(f);
}

// ---------------------------------------------------------------- constraints of the problem

static const char *state_in_words(Page *p, ConstraintState s) {
  if (s == CONSTRAINT_VIOLATED) return page_tinted(p, TINT_BAD, "violated");
  return s == CONSTRAINT_ACTIVE ? "active" : "";
}

static void print_problem_constraints(FitPage *f) {
  static const PageColumn COLUMNS[] = {
      {"constraint", 0}, {"experiment", 0}, {">value", 1}, {"", 1}};
  const Problem *problem = f->r->problem;
  const double *x = f->r->result->x;
  Page *p = &f->page;
  bool active = false;
  if (!problem->constraints.count) return;
  PageTable *t = page_table_new(p, COLUMNS, 4);
  for (int k = 0; k < problem->constraints.count; k++) {
    const Constraint *c = &problem->constraints.at[k];
    ConstraintState state = constraint_state(problem, k, x);
    active = active || state == CONSTRAINT_ACTIVE;
    page_table_add(
        t, (const char *[]){
               c->text, c->experiment < 0 ? "" : problem->experiments[c->experiment].name,
               page_digits(p, constraint_value(problem, k, x), 6), state_in_words(p, state)});
  }
  page_heading(p, "Constraints");
  page_table_print(t);
  if (active && fit_has_result(f->r->result))
    page_paragraph(p, 2, "",
                   "Standard errors and intervals hold for changes along the active constraints.");
}

// ---------------------------------------------------------------- channels

static bool is_coloured(const Statistics *s, const StatChannel *c) {
  return least_white_p(c) < white_level(s); // NaN: too few to tell
}

static const char *residuals_in_words(const Statistics *s, const StatChannel *c) {
  if (isnan(c->rmse) || isnan(c->effective)) return "-"; // not simulated, or not examined
  if (c->exact) return "only rounding";
  if (c->unordered) return "without order";
  if (isnan(least_white_p(c))) return "too few to tell";
  return is_coloured(s, c) ? "coloured" : "white";
}

// With more channels only the worst are shown; JSON has all of them.
enum { CHANNELS_MOST = 30, CHANNELS_WORST = 10 };

static int by_fit(const void *a, const void *b) {
  const StatChannel *x = *(const StatChannel *const *)a, *y = *(const StatChannel *const *)b;
  int order = compare_fits(x->fit_percent, x->rmse, y->fit_percent, y->rmse);
  return order ? order : (x > y) - (x < y); // as they come
}

// All channels, the worst fit first.
static const StatChannel **sorted_channels(Page *p, const Statistics *s) {
  const StatChannel **all = ARENA_ARRAY(p->arena, const StatChannel *, s->channel_count + 1);
  for (int i = 0; i < s->channel_count; i++) all[i] = &s->channels[i];
  qsort(all, (size_t)s->channel_count, sizeof *all, by_fit);
  return all;
}

static void summarise_channels(FitPage *f, const StatChannel *const *sorted) {
  const Statistics *s = f->r->statistics;
  Page *p = &f->page;
  int coloured = 0;
  double *percent = ARENA_ARRAY(p->arena, double, s->channel_count + 1);
  for (int i = 0; i < s->channel_count; i++) {
    coloured += is_coloured(s, &s->channels[i]);
    percent[i] = sorted[i]->fit_percent;
  }
  page_paragraph(p, 2, "",
                 arena_print(p->arena, "%s The residuals of %d are coloured.",
                             worst_fits_text(p, CHANNELS_WORST, percent, s->channel_count),
                             coloured));
}

static void add_channel(FitPage *f, PageTable *t, const StatChannel *c) {
  const Problem *problem = f->r->problem;
  const Experiment *e = &problem->experiments[c->experiment];
  const Channel *data = &e->channels[c->channel];
  Page *p = &f->page;
  page_table_add(
      t, (const char *[]){
             problem->experiment_count > 1 ? e->name : "", data->name, data->unit,
             arena_print(p->arena, "%d", c->n), page_digits(p, c->rmse, 3),
             c->exact ? "" : page_digits(p, c->noise, 2), fit_percent_text(p, c->fit_percent),
             residuals_in_words(f->r->statistics, c),
             is_coloured(f->r->statistics, c) ? arena_print(p->arena, "%.2f", c->autocorrelation)
                                              : ""});
}

// What the residuals are, unless they are those of simulations.
static void print_kind(FitPage *f) {
  Text t;
  text_init(&t);
  residual_kind_describe(f->r->problem, &t);
  if (t.length) page_paragraph(&f->page, 2, "", arena_print(f->page.arena, "%s", t.at));
  text_done(&t);
}

static void print_weights(FitPage *f, const SampleWeights *w) {
  Arena *a = f->page.arena;
  if (w->least == w->most) return;
  const char *zero = w->counted < w->count ? arena_print(a, "; %d with the weight 0 do not count",
                                                         w->count - w->counted)
                                           : "";
  page_paragraph(&f->page, 2, "",
                 arena_print(a,
                             "The search weighs samples (%s): %d tell about as much as %s of equal "
                             "weight%s. rmse, fit %% and what is said of residuals are without "
                             "weights.",
                             weight_kind_word(w->kind), w->counted,
                             page_digits(&f->page, w->equal, 3), zero));
}

// Where times count from, if that is a moment; alike for all experiments, or by experiment.
static void print_time_origins(FitPage *f) {
  const Problem *problem = f->r->problem;
  Page *p = &f->page;
  const Experiment *first = &problem->experiments[0], *e;
  bool same = true;
  if (!first->time_origin) return;
  int count =
      problem->experiment_count + (problem->validation ? problem->validation->experiment_count : 0);
  for (int i = 0; i < count; i++)
    same &= (e = problem_experiment(problem, i))->time_origin &&
            strcmp(e->time_origin, first->time_origin) == 0;
  const char *kind = first->epoch_unit
                         ? arena_print(p->arena, " (times since 1970 in %s)", first->epoch_unit)
                         : "";
  page_paragraph(
      p, 2, "",
      arena_print(p->arena, "Times count from %s%s, in s%s.", first->time_origin, kind,
                  same ? "" : " in the first experiment; the others have their own origin"));
}

static const double SAME_CUTOFF = 1e-3; // relative: as they are printed

static bool same_every(const FewerSamples *a, const FewerSamples *b) {
  return a->samples == b->samples && a->noise == b->noise && strcmp(a->filter, b->filter) == 0 &&
         fabs(a->cutoff - b->cutoff) <= SAME_CUTOFF * a->cutoff;
}

// How many experiments follow one another alike from i on.
static int count_same_every(const Problem *problem, int i) {
  int count = 1;
  while (i + count < problem->experiment_count &&
         same_every(&problem->experiments[i].every, &problem->experiments[i + count].every))
    count++;
  return count;
}

static const char *left_out_text(Page *p, const Experiment *first, int count) {
  int sum = 0;
  bool same = true;
  for (int i = 0; i < count; i++) {
    sum += first[i].every.left_out;
    same = same && first[i].every.left_out == first->every.left_out;
  }
  if (!sum) return "";
  return arena_print(
      p->arena,
      " Where the filter lacks a part of its reach, near ends of the record, gaps and "
      "missing values, %d are left out%s.",
      sum,
      count == 1 ? ""
      : same     ? arena_print(p->arena, ", %d in each", first->every.left_out)
                 : ", in all of them together");
}

// "a", "a and of b", "each of 4 experiments (a to d)"
static const char *experiments_text(Page *p, const Experiment *first, int count) {
  if (count == 1) return first->name;
  if (count == 2) return arena_print(p->arena, "%s and of %s", first->name, first[1].name);
  return arena_print(p->arena, "each of %d experiments (%s to %s)", count, first->name,
                     first[count - 1].name);
}

// Which samples are kept, once for experiments that follow one another alike.
static void print_fewer_samples(FitPage *f) {
  static const struct {
    const char *word, *meaning;
  } FILTERS[] = {{"fir", "behind a zero-phase FIR filter (root of a raised cosine"},
                 {"sharp", "behind a zero-phase FIR filter (sinc in a Kaiser window"},
                 {"mean", "as a mean of these (cut-off"},
                 {"none", "without a filter"}};
  const Problem *problem = f->r->problem;
  Page *p = &f->page;
  for (int i = 0, count; i < problem->experiment_count; i += count) {
    const Experiment *e = &problem->experiments[i];
    const FewerSamples *s = &e->every;
    count = count_same_every(problem, i);
    if (s->samples <= 1) continue;
    const char *meaning = "";
    for (int k = 0; k < 4; k++)
      if (strcmp(s->filter, FILTERS[k].word) == 0) meaning = FILTERS[k].meaning;
    const char *cutoff =
        s->cutoff > 0
            ? arena_print(p->arena, "%s%s Hz); independent noise is %s times as large behind it",
                          s->filter[0] == 'm' ? " " : ", cut-off ", page_digits(p, s->cutoff, 3),
                          page_digits(p, s->noise, 3))
            : "";
    page_paragraph(p, 2, "",
                   arena_print(p->arena, "One of %d samples of %s is kept, %s%s.%s", s->samples,
                               experiments_text(p, e, count), meaning, cutoff,
                               left_out_text(p, e, count)));
  }
}

static void print_channels(FitPage *f) {
  static const PageColumn COLUMNS[] = {{"experiment", 0}, {"channel", 0},   {"unit", 6},
                                       {">samples", 4},   {">rmse", 2},     {">noise", 5},
                                       {">fit %", 1},     {"residuals", 3}, {">correlation", 4}};
  const Statistics *s = f->r->statistics;
  const Problem *problem = f->r->problem;
  Page *p = &f->page;
  PageTable *t = page_table_new(p, COLUMNS, 9);
  bool some = s->channel_count > CHANNELS_MOST;
  const StatChannel **sorted = some ? sorted_channels(p, s) : NULL;
  for (int i = 0; i < (some ? CHANNELS_WORST : s->channel_count); i++)
    add_channel(f, t, some ? sorted[i] : &s->channels[i]);
  page_heading(p, "Fit");
  page_table_print(t);
  if (some) summarise_channels(f, sorted);
  print_time_origins(f);
  print_fewer_samples(f);
  print_kind(f);
  if (problem->weights) print_weights(f, problem->weights);
  int pieces = fit_piece_count(problem, f->r->result->pieces);
  if (pieces > 0)
    page_paragraph(p, 2, "",
                   arena_print(p->arena,
                               "Simulated in %d pieces; each starts where the previous one ends.",
                               pieces));
  PooledErrors pooled = pooled_of_fit(p->arena, problem, s, f->r->run);
  pooled_text(p, &pooled, "Fit, experiments together");
}

// ---------------------------------------------------------------- what the data do not determine

static const char *rank_in_words(Page *p, const Statistics *s) {
  const char *head = arena_print(p->arena, "Rank %d of %d", s->rank, s->n);
  if (s->rank < s->n)
    return arena_print(p->arena, "%s: the data determine %d combination%s of the %d parameters.",
                       head, s->rank, s->rank == 1 ? "" : "s", s->n);
  return arena_print(p->arena,
                     "%s: without noise the data would determine all parameters, with their noise "
                     "they do not.",
                     head);
}

// A combination of a direction contains the parameter and explains it.
static bool has_combination_of(const StatDirection *d, int number) {
  for (int k = 0; k < d->combination_count; k++)
    if (d->combinations[k].exponent[number] != 0) return true;
  return false;
}

// The parameter has a reason that the directions do not give.
static bool has_own_reason(const Statistics *s, int i) {
  const char *reason = s->parameters[i].reason;
  if (!reason || !reason[0]) return false;
  for (int k = 0; k < s->direction_count; k++)
    if (strstr(s->directions[k].text, reason) || has_combination_of(&s->directions[k], i))
      return false;
  for (int k = 0; k < i; k++)
    if (s->parameters[k].reason && strcmp(s->parameters[k].reason, reason) == 0) return false;
  return true;
}

static void print_combination(Page *p, const StatCombination *c) {
  const char *interval = isnan(c->low)
                             ? ""
                             : arena_print(p->arena, " (95 %%: %s .. %s)",
                                           page_digits(p, c->low, 4), page_digits(p, c->high, 4));
  page_line(p, 6,
            arena_print(p->arena, "%s = %s%s", c->text,
                        page_digits(p, c->value, isnan(c->low) ? 6 : 4), interval));
}

static void print_directions(FitPage *f) {
  Page *p = &f->page;
  const Statistics *s = f->r->statistics;
  bool any = s->direction_count > 0;
  for (int i = 0; i < s->n; i++) any = any || has_own_reason(s, i);
  if (!any || statistics_miss(s, "identifiability")) return; // the remarks say that it was stopped
  page_heading(p, "What the data do not tell");
  page_paragraph(p, 2, "", rank_in_words(p, s));
  for (int i = 0; i < s->direction_count; i++) {
    const StatDirection *d = &s->directions[i];
    page_paragraph(p, 4, "- ", d->text);
    for (int k = 0; k < d->combination_count; k++) print_combination(p, &d->combinations[k]);
  }
  for (int i = 0; i < s->n; i++)
    if (has_own_reason(s, i)) page_paragraph(p, 4, "- ", s->parameters[i].reason);
}

static void print_remarks(FitPage *f) {
  const Statistics *s = f->r->statistics;
  char said[60]; // already printed under another heading
  c_snprintf(said, sizeof said, "rank %d of %d", s->rank, s->n);
  bool first = true;
  for (int i = 0; i < s->remark_count; i++) {
    if (strstr(s->remarks[i], said)) continue;
    if (first) page_heading(&f->page, "Remarks");
    page_paragraph(&f->page, 4, "- ", s->remarks[i]);
    first = false;
  }
}

// ---------------------------------------------------------------- other optima

enum { OPTIMA_SHOWN = 5, OPTIMA_PARAMETERS = 6, OPTIMA_FIXED = 3 };

// Those that confirming searches ended at, the best first.
static void print_optima(FitPage *f) {
  const FitResult *r = f->r->result;
  const Problem *problem = f->r->problem;
  int shown =
      problem->unknown_count < OPTIMA_PARAMETERS ? problem->unknown_count : OPTIMA_PARAMETERS;
  if (r->optima.count < 2) return;
  PageColumn columns[OPTIMA_FIXED + OPTIMA_PARAMETERS] = {
      {noise_is_estimated(problem) ? ">-log L" : ">objective", 0},
      {">searches", 1},
      {">worse by", 1}};
  for (int i = 0; i < shown; i++)
    columns[OPTIMA_FIXED + i] =
        (PageColumn){arena_print(f->page.arena, ">%s", problem->unknowns[i].name), i + 2};
  PageTable *t = page_table_new(&f->page, columns, OPTIMA_FIXED + shown);
  for (int k = 0; k < r->optima.count && k < OPTIMA_SHOWN; k++) {
    const FitOptimum *o = &r->optima.at[k];
    const char *cells[OPTIMA_FIXED + OPTIMA_PARAMETERS] = {
        page_digits(&f->page, o->objective, 6), arena_print(f->page.arena, "%d", o->searches),
        k ? page_digits(&f->page, o->worse, 3) : "best"};
    for (int i = 0; i < shown; i++) cells[OPTIMA_FIXED + i] = page_digits(&f->page, o->x[i], 5);
    page_table_add(t, cells);
  }
  page_heading(&f->page, "Optima found");
  page_table_print(t);
  page_paragraph(
      &f->page, 2, "",
      page_tinted(&f->page, TINT_FAINT,
                  noise_is_estimated(problem)
                      ? "-log L: objective with what estimated sigmas add to it, minus "
                        "the log-likelihood up to a constant; searches: confirming ones "
                        "of all candidates that ended there; worse by: difference of 2 log L"
                      : "searches: confirming ones that ended there; worse by: "
                        "difference of twice the log-likelihood"));
}

// ---------------------------------------------------------------- how it was found

static bool is_restart(const FitStage *s) {
  return strncmp(s->name, "restart", strlen("restart")) == 0;
}

static void add_stage(Page *p, PageTable *t, const FitStage *s) {
  page_table_add(t, (const char *[]){s->name, arena_print(p->arena, "%ld", s->simulations),
                                     isfinite(s->objective) ? page_digits(p, s->objective, 4) : "",
                                     s->fits ? page_tinted(p, TINT_GOOD, "fits") : "", s->message});
}

// Sums all random starts in one row.
static FitStage sum_of_restarts(const FitResult *r) {
  FitStage sum = {.name = "restarts", .message = "", .objective = HUGE_VAL};
  for (int i = 0; i < r->stages.count; i++) {
    const FitStage *s = &r->stages.at[i];
    if (!is_restart(s)) continue;
    sum.simulations += s->simulations;
    sum.objective = fmin(sum.objective, s->objective);
    sum.fits = sum.fits || s->fits;
  }
  return sum;
}

static void print_stages(FitPage *f) {
  static const PageColumn COLUMNS[] = {
      {"part", 0}, {">simulations", 2}, {">objective", 1}, {"", 1}, {"", 3}};
  const FitResult *r = f->r->result;
  bool multistart = f->r->problem->method == METHOD_MULTISTART; // shows how many starts agreed
  if (r->stages.count < 2 && !multistart) return;
  PageTable *t = page_table_new(&f->page, COLUMNS, 5);
  bool restarted = false;
  for (int i = 0; i < r->stages.count; i++) {
    if (!is_restart(&r->stages.at[i])) add_stage(&f->page, t, &r->stages.at[i]);
    restarted = restarted || is_restart(&r->stages.at[i]);
  }
  FitStage restarts = sum_of_restarts(r);
  if (restarted) add_stage(&f->page, t, &restarts);
  page_heading(&f->page, "How it was found");
  page_table_print(t);
}

enum { PATH_SHOWN = 8, PATH_ENDS = 3, PATH_PARAMETERS = 6, PATH_FIXED = 3 };

static void add_path_point(FitPage *f, PageTable *t, const FitPathPoint *x, int shown) {
  const char *cells[PATH_FIXED + PATH_PARAMETERS] = {
      page_digits(&f->page, x->lambda, 4), page_digits(&f->page, x->objective, 4),
      arena_print(f->page.arena, "%d", x->iterations)};
  for (int i = 0; i < shown; i++) cells[PATH_FIXED + i] = page_digits(&f->page, x->x[i], 6);
  page_table_add(t, cells);
}

static void print_synchronisation(FitPage *f, const FitPathPoint *x) {
  const Problem *p = f->r->problem;
  const FitMisfit *m = &x->misfit;
  if (isnan(m->size)) return;
  const char *name = p->measured_name[p->channel_measured[m->experiment][m->channel]];
  const char *judged = m->size > FIT_FOLLOWS ? "It does not follow them: greater gains may help."
                       : x->misfit_start.size > FIT_FOLLOWS
                           ? "It follows them once it is fitted, not at the start values."
                           : "It follows them, at the start values already.";
  page_paragraph(&f->page, 2, "",
                 arena_print(f->page.arena,
                             "At lambda = %s the coupled model misses the data by %s %% of their "
                             "range at the start values and by %s %% when fitted (rms; worst: %s). "
                             "%s",
                             page_digits(&f->page, x->lambda, 3),
                             page_digits(&f->page, 100 * x->misfit_start.size, 2),
                             page_digits(&f->page, 100 * m->size, 2), name, judged));
}

static void print_path(FitPage *f) {
  const FitResult *r = f->r->result;
  const Problem *problem = f->r->problem;
  int n = r->path.count, shown = problem->unknown_count;
  bool matters = problem->method == METHOD_HOMOTOPY || strstr(r->by, "homotopy");
  if (n == 0 || !matters) return;
  if (shown > PATH_PARAMETERS) shown = PATH_PARAMETERS;
  PageColumn columns[PATH_FIXED + PATH_PARAMETERS] = {
      {">lambda", 0}, {">objective", 1}, {">steps", 2}};
  for (int i = 0; i < shown; i++)
    columns[PATH_FIXED + i] =
        (PageColumn){arena_print(f->page.arena, ">%s", problem->unknowns[i].name), i + 3};
  PageTable *t = page_table_new(&f->page, columns, PATH_FIXED + shown);
  for (int i = 0; i < n; i++) {
    if (n > PATH_SHOWN && i == PATH_ENDS) {
      page_table_add(t, (const char * [PATH_FIXED + PATH_PARAMETERS]){"..."});
      i = n - PATH_ENDS;
    }
    add_path_point(f, t, &r->path.at[i], shown);
  }
  page_heading(&f->page, "Path of the homotopy");
  page_table_print(t);
  print_synchronisation(f, &r->path.at[0]);
}

// ---------------------------------------------------------------- work

static void add_setting(void *data, const OptionRow *row, const char *value) {
  text_print(data, " %s=%s", row->name, value);
}

static const char *plural(long count) {
  return count == 1 ? "" : "s";
}

// " by rk8 and bdf" from "rk8, bdf"
static void add_solver(Text *t, const char *names) {
  text_add(t, " by ");
  for (const char *gap; (gap = strstr(names, ", ")); names = gap + 2)
    text_print(t, "%.*s and ", (int)(gap - names), names);
  text_add(t, names);
}

static int line_of(const Model *m, int invariant) {
  return m->flat->equations.at[m->invariants[invariant].equation].line;
}

static void print_constraints(FitPage *f) {
  const InvariantViolation *v = f->r->violation;
  const Model *m = f->r->problem->model;
  if (!v || v->of < 0) return;
  Text t;
  text_init(&t);
  text_print(&t, "At the result the constraints hold to %s (worst: line %s)",
             page_digits(&f->page, v->largest, 2), flat_line(m->flat, line_of(m, v->of)).at);
  if (v->sens_of >= 0)
    text_print(&t, ", their sensitivities to %s (worst: line %s)",
               page_digits(&f->page, v->largest_sens, 2),
               flat_line(m->flat, line_of(m, v->sens_of)).at);
  if (v->relative > 0)
    text_print(&t, "; against the size of their terms they hold to %s",
               page_digits(&f->page, v->relative, 2));
  text_add(&t, ".");
  page_paragraph(&f->page, 2, "", t.at);
  text_done(&t);
}

// Where simulations began that did not begin at the start; of several experiments the first.
static void add_restarts(FitPage *f, Text *t) {
  const FitResult *r = f->r->result;
  const Problem *p = f->r->problem;
  char at[32];
  int count = 0, first = -1;
  if (!r->restart) return;
  for (int e = 0; e < p->experiment_count; e++)
    if (!isnan(r->restart[e])) first = count++ ? first : e;
  experiment_time(&p->experiments[first], r->restart[first], 4, at);
  text_print(
      t,
      "; %ld of them began at t = %s%s, before which no unknown acts, which saved %s s of motion",
      r->work.restarted, at, count > 1 ? " and so on" : "",
      page_digits(&f->page, r->work.saved, 3));
}

// How the slopes of a closed simulator were made.
static void print_slopes(FitPage *f) {
  const WorkCount *w = &f->r->result->work;
  bool black_box = !problem_has_equations(f->r->problem);
  const char *equations =
      black_box ? "those of the simulator"
                : "by the equations of the sensitivities (differences of the derivatives)";
  const char *runs = "by differences of whole runs";
  if (w->slopes_contradicted) {
    page_paragraph(&f->page, 2, "",
                   black_box
                       ? "Slopes: by differences of whole runs. Those that the simulator gives "
                         "contradict them."
                       : "Slopes: by differences of whole runs. The equations of the "
                         "sensitivities (differences of the derivatives and outputs) contradict "
                         "them: the simulator computes with few digits, or hides states.");
    return;
  }
  if (w->slopes_by_equations && w->slopes_by_runs)
    page_paragraph(&f->page, 2, "",
                   arena_print(f->page.arena,
                               "Slopes: in %ld simulations %s, in %ld, where events do not "
                               "allow that, %s.",
                               w->slopes_by_equations, equations, w->slopes_by_runs, runs));
  else if (w->slopes_by_equations || w->slopes_by_runs)
    page_paragraph(
        &f->page, 2, "",
        arena_print(f->page.arena, "Slopes: %s.", w->slopes_by_equations ? equations : runs));
}

static void print_work(FitPage *f) {
  const FitResult *r = f->r->result;
  const WorkCount *w = &r->work;
  char seconds[ROUNDED_SIZE];
  rounded_seconds(w->seconds, seconds);
  long all = w->simulations + w->sensitivity_simulations;
  Text t;
  text_init(&t);
  text_print(&t, "%ld step%s, %ld simulation%s (%ld with sensitivities)", w->iterations,
             plural(w->iterations), all, plural(all), w->sensitivity_simulations);
  if (r->solver[0]) add_solver(&t, r->solver);
  long profiles = work_count_simulations(&r->profile_work);
  long confirming = all - work_count_simulations(&r->search_work) - profiles;
  if (confirming > 0) text_print(&t, ", %ld of them to confirm the result", confirming);
  if (profiles > 0) text_print(&t, ", %ld of them for profiles", profiles);
  text_print(&t, ", %s", seconds);
  add_restarts(f, &t);
  if (isfinite(r->objective))
    text_print(&t, "; objective %s", page_digits(&f->page, r->objective, 6));
  if (isfinite(r->objective) && isfinite(r->objective_start))
    text_print(&t, ", %s at the start", page_digits(&f->page, r->objective_start, 4));
  text_add(&t, ".");
  page_heading(&f->page, "Work");
  page_paragraph(&f->page, 2, "", t.at);
  print_slopes(f);
  print_constraints(f);
  failures_text(&f->page, f->r->problem, r->failures.at, r->failures.count, all);
  text_clear(&t);
  fit_settings_changed(f->r->problem, add_setting, &t);
  if (t.length) page_paragraph(&f->page, 2, "", arena_print(f->page.arena, "Options:%s", t.at));
  text_done(&t);
}

// ---------------------------------------------------------------- a point without a search

static const char *point_flag(const Unknown *u, double x) {
  if (x < u->min) return "below its min";
  if (x > u->max) return "above its max";
  return x == u->min ? "at min" : x == u->max ? "at max" : "";
}

static void print_values(FitPage *f) {
  static const PageColumn COLUMNS[] = {{"name", 0}, {"unit", 2}, {">value", 1}, {"", 1}};
  Page *p = &f->page;
  PageTable *t = page_table_new(p, COLUMNS, 4);
  for (int i = 0; i < f->r->problem->unknown_count; i++) {
    const Unknown *u = &f->r->problem->unknowns[i];
    double x = f->r->result->x[i];
    page_table_add(t, (const char *[]){u->name, u->unit, page_digits(p, x, 8),
                                       page_tinted(p, TINT_NOTICE, point_flag(u, x))});
  }
  page_heading(p, "Values");
  page_table_print(t);
}

static const char *minimum_in_words(Page *p, const EvaluatedPoint *e) {
  if (e->at_minimum) return "This is a minimum of the objective.";
  return arena_print(p->arena,
                     "This is no minimum: the linear model of the residuals would lower the "
                     "objective by %s. So there are no standard errors.",
                     page_digits(p, e->decrease, 3));
}

static void print_evaluated(FitPage *f) {
  const FitReport *r = f->r;
  Page *p = &f->page;
  bool known = r->result->objective < HUGE_VAL;
  page_title(p, arena_print(p->arena, "%s: %s", r->problem->path,
                            known ? arena_print(p->arena, "objective %s",
                                                page_digits(p, r->result->objective, 8))
                                  : page_tinted(p, TINT_BAD, "no objective")));
  print_sentence(f, r->result->message);
  if (r->point->lambda > 0)
    page_paragraph(p, 2, "",
                   arena_print(p->arena, "The model is tied to the data with lambda = %s.",
                               page_digits(p, r->point->lambda, 6)));
  else if (known && (r->point->at_minimum || !isnan(r->point->decrease)))
    page_paragraph(p, 2, "", minimum_in_words(p, r->point));
  if (r->point->at_minimum)
    print_parameters(f);
  else
    print_values(f);
  print_problem_constraints(f);
  print_channels(f);
  if (!problem_has_windows(r->problem)) run_failed_text(p, r->run);
  run_windows_text(p, r->run);
  if (r->validation) run_validation_text(p, r->validation);
  if (r->point->at_minimum) print_directions(f);
  print_remarks(f);
}

void fit_text(Text *out, const FitReport *r, PageStyle style) {
  FitPage f = {page_on(out, style), r};
  if (r->point) {
    print_evaluated(&f);
    page_done(&f.page);
    return;
  }
  print_verdict(&f);
  if (r->result->objective < HUGE_VAL && !fit_has_result(r->result)) {
    print_point(&f);
    print_problem_constraints(&f);
  } else if (r->result->objective < HUGE_VAL) {
    print_parameters(&f);
    print_problem_constraints(&f);
    print_channels(&f);
    if (r->run) run_windows_text(&f.page, r->run);
    if (r->validation) run_validation_text(&f.page, r->validation);
    print_directions(&f);
    print_remarks(&f);
    print_optima(&f);
  }
  print_stages(&f);
  print_path(&f);
  print_work(&f);
  page_done(&f.page);
}
