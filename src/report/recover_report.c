#include "report/recover_report.h"

#include <math.h>
#include <stdlib.h>

#include "base/c_locale.h"
#include "write/cells.h"
#include "write/json.h"
#include "write/rounded.h"

static const double NOMINAL = 0.95, SIGMA_APART = 1.25; // noise and sigma, as a factor
enum { SURPRISE = 3 };                                  // standard deviations

// ---------------------------------------------------------------- numbers

static int compare_long(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

static long median_work(Arena *a, const Recover *r) {
  if (!r->done) return 0;
  long *sorted = ARENA_ARRAY(a, long, r->done);
  memcpy(sorted, r->work, (size_t)r->done * sizeof *sorted);
  qsort(sorted, (size_t)r->done, sizeof *sorted, compare_long);
  return sorted[r->done / 2];
}

// Names a bias or a coverage that chance alone does not explain. Without noise there is no chance: the standard errors show
// what the accuracy of simulations leaves open, or what noise as large as sigma would.
static const char *judgement(const Recover *r, const RecoverParameter *p) {
  bool noise_free = r->problem->options.noise_kind != NOISE_SIGMA &&
                    r->problem->options.noise == 0 && r->problem->options.quantum == 0;
  if (noise_free) return fabs(p->bias) > SURPRISE * p->predicted ? "biased" : "";
  double deviation = sqrt(NOMINAL * (1 - NOMINAL) / (r->succeeded > 0 ? r->succeeded : 1));
  if (fabs(p->bias_t) > SURPRISE) return "biased";
  if (isnan(p->coverage)) return "";
  if (p->coverage < NOMINAL - SURPRISE * deviation) return "intervals too narrow";
  if (p->coverage > NOMINAL + SURPRISE * deviation) return "intervals too wide";
  return "";
}

static const char *kind_of_noise(const FitOptions *o) {
  static const char *const WORDS[] = {"proportional", "additive", "sigma"};
  return WORDS[o->noise_kind];
}

// ---------------------------------------------------------------- text

// Intervals are computed from sigma: noise of another size makes them wrong.
static void print_noise_and_sigma(Page *p, const Recover *r) {
  double ratio = r->noise_over_sigma;
  if (!(ratio > SIGMA_APART || ratio < 1 / SIGMA_APART)) return;
  page_paragraph(
      p, 2, "",
      page_tinted(p, TINT_NOTICE,
                  arena_print(p->arena,
                              "The simulated noise of %s%s is %s times its sigma, so its "
                              "intervals are too %s; --noise_kind sigma simulates noise "
                              "of size sigma.",
                              r->noisy_channel,
                              r->problem->options.quantum > 0 ? ", rounding included," : "",
                              page_digits(p, ratio, 2), ratio > 1 ? "narrow" : "wide")));
}

static void add_colour(Page *p, Text *t, const FitOptions *o) {
  if (o->noise_correlation != 0)
    text_print(t, ", correlation %s", page_digits(p, o->noise_correlation, 4));
  if (o->noise_correlation != 0 && o->noise_slow_share < 1)
    text_print(t, " in %s of its variance", page_digits(p, o->noise_slow_share, 4));
  if (o->quantum > 0) text_print(t, "; rounded to %s", page_digits(p, o->quantum, 4));
}

static void print_score(Page *p, const Recover *r) {
  Tint tint = (r->confirmed ? r->false_certain : r->false_fits) ? TINT_BAD
              : r->succeeded == r->done                         ? TINT_GOOD
                                                                : TINT_NOTICE;
  char *score = arena_print(p->arena, "%d of %d trials succeeded", r->succeeded, r->done);
  if (!r->done)
    score = arena_print(p->arena, "stopped before one of %d trials was finished", r->trials);
  const char *stopped = r->done && r->done < r->trials
                            ? arena_print(p->arena, " (stopped; %d were requested)", r->trials)
                            : "";
  page_title(p, arena_print(p->arena, "%s: %s%s", r->problem->path,
                            page_tinted(p, r->done ? tint : TINT_BAD, score), stopped));
}

static void print_verdict(Page *p, const Recover *r) {
  const FitOptions *o = &r->problem->options;
  print_score(p, r);
  Text t;
  text_init(&t);
  text_add(&t, "noise ");
  if (o->noise_kind == NOISE_SIGMA)
    text_add(&t, "of size sigma");
  else
    text_print(&t, "%s, %s", page_digits(p, o->noise, 4), kind_of_noise(o));
  add_colour(p, &t, o);
  text_print(&t, "; seed %d", o->seed);
  page_line(p, 2, t.at);
  text_done(&t);
  print_noise_and_sigma(p, r);
}

static void print_parameters(Page *p, const Recover *r) {
  static const PageColumn COLUMNS[] = {{"name", 0},       {"unit", 5},      {">truth", 2},
                                       {">mean", 1},      {">bias", 3},     {">spread", 2},
                                       {">predicted", 4}, {">coverage", 1}, {"", 1}};
  PageTable *t = page_table_new(p, COLUMNS, 9);
  for (int i = 0; i < r->problem->unknown_count; i++) {
    const RecoverParameter *x = &r->parameters[i];
    char mean[ROUNDED_SIZE], spread[ROUNDED_SIZE], predicted[ROUNDED_SIZE];
    rounded_error(x->spread, spread);
    rounded_error(x->predicted, predicted);
    rounded_value(x->mean, x->spread / sqrt(r->succeeded > 0 ? r->succeeded : 1), mean);
    page_table_add(
        t, (const char *[]){
               r->problem->unknowns[i].name, r->problem->unknowns[i].unit,
               page_digits(p, x->truth, 6), mean, page_digits(p, x->bias, 2), spread, predicted,
               isnan(x->coverage) ? "-" : arena_print(p->arena, "%.1f %%", 100 * x->coverage),
               page_tinted(p, TINT_NOTICE, judgement(r, x))});
  }
  page_heading(p, "Parameters");
  page_table_print(t);
  page_paragraph(
      p, 2, "",
      page_tinted(p, TINT_FAINT,
                  "spread: standard deviation of the estimates; predicted: median of their "
                  "standard errors; coverage: 95 % intervals that contain the truth"));
}

static const char *verdicts_in_words(Page *p, const Recover *r) {
  return arena_print(p->arena,
                     "Searches from elsewhere were made to confirm each result: %d %s certain (%d "
                     "of them wrongly), %d agreed, %d ambiguous and %d doubtful.",
                     r->certain, r->certain == 1 ? "is" : "are", r->false_certain,
                     r->verdicts[FIT_AGREED], r->verdicts[FIT_AMBIGUOUS],
                     r->verdicts[FIT_DOUBTFUL]);
}

static const char *fits_in_words(Page *p, const Recover *r) {
  const char *how = r->can_confirm ? "--confirm on does that"
                                   : arena_print(p->arena, "method %s never does that",
                                                 problem_method(r->problem, p->arena));
  return arena_print(p->arena,
                     "The results were not confirmed by searches from elsewhere (%s): %d fit the "
                     "noise, %d of them at a wrong optimum.",
                     how, r->fits, r->false_fits);
}

static void print_trials(Page *p, const Recover *r) {
  char seconds[ROUNDED_SIZE];
  rounded_seconds(r->seconds, seconds);
  page_heading(p, "Trials");
  int failed = r->done - r->succeeded;
  if (failed)
    page_paragraph(p, 2, "",
                   arena_print(p->arena,
                               "%d ended at a worse optimum than a search from the truth; "
                               "they are not in the table.",
                               failed));
  page_paragraph(p, 2, "", r->confirmed ? verdicts_in_words(p, r) : fits_in_words(p, r));
  page_paragraph(p, 2, "",
                 arena_print(p->arena, "%ld simulations in the median fit; %s in all.",
                             median_work(p->arena, r), seconds));
}

void recover_text(Text *out, const Recover *r, PageStyle style) {
  Page p = page_on(out, style);
  print_verdict(&p, r);
  if (r->done) {
    print_parameters(&p, r);
    print_trials(&p, r);
  }
  page_done(&p);
}

// ---------------------------------------------------------------- JSON

// By word; null if results were not confirmed.
static void json_verdicts(Json *j, const Recover *r) {
  if (!r->confirmed) return json_text(j, "verdicts", NULL);
  json_open(j, "verdicts", '{', false);
  for (int v = 0; v < FIT_VERDICT_COUNT; v++)
    json_whole(j, fit_verdict_word((FitVerdict)v), r->verdicts[v]);
  json_close(j);
}

static void json_parameters(Json *j, const Recover *r) {
  json_open(j, "parameters", '[', true);
  for (int i = 0; i < r->problem->unknown_count; i++) {
    const RecoverParameter *p = &r->parameters[i];
    json_open(j, NULL, '{', false);
    json_text(j, "name", r->problem->unknowns[i].name);
    json_number(j, "truth", p->truth);
    json_number(j, "mean", p->mean);
    json_number(j, "bias", p->bias);
    json_number(j, "spread", p->spread);
    json_number(j, "predicted", p->predicted);
    json_number(j, "coverage", p->coverage);
    json_number(j, "bias_t", p->bias_t);
    json_text(j, "unit", r->problem->unknowns[i].unit);
    json_close(j);
  }
  json_close(j);
}

void recover_json(Text *out, const Recover *r, const char *version) {
  const FitOptions *o = &r->problem->options;
  Arena *scratch = arena_new();
  Json j = json_on(out);
  json_open(&j, NULL, '{', true);
  json_text(&j, "entrain", version);
  json_text(&j, "problem", r->problem->path);
  json_text(&j, "method", problem_method(r->problem, scratch));
  json_number(&j, "noise", o->noise);
  json_text(&j, "noise_kind", kind_of_noise(o));
  json_number(&j, "noise_correlation", o->noise_correlation);
  json_number(&j, "noise_slow_share", o->noise_slow_share);
  json_number(&j, "quantum", o->quantum);
  json_number(&j, "noise_over_sigma", r->noise_over_sigma);
  json_whole(&j, "seed", o->seed);
  json_whole(&j, "trials", r->trials);
  json_whole(&j, "done", r->done);
  json_whole(&j, "succeeded", r->succeeded);
  json_flag(&j, "confirmed", r->confirmed);
  json_whole(&j, "fits", r->fits);
  json_whole(&j, "false_fits", r->false_fits);
  json_whole(&j, "certain", r->certain);
  json_whole(&j, "false_certain", r->false_certain);
  json_verdicts(&j, r);
  json_parameters(&j, r);
  json_open(&j, "work", '{', false);
  json_whole(&j, "median_simulations", median_work(scratch, r));
  json_number(&j, "seconds", r->seconds);
  json_close(&j);
  json_close(&j);
  arena_free(scratch);
}

// ---------------------------------------------------------------- CSV

static void csv_head(Text *out, const Problem *p) {
  text_add(out, "trial,succeeded,objective,objective_truth,simulations");
  for (int i = 0; i < p->unknown_count; i++) {
    text_add(out, ",");
    cells_text(out, p->unknowns[i].name);
  }
  for (int i = 0; i < p->unknown_count; i++) {
    char name[300];
    c_snprintf(name, sizeof name, "%s std_error", p->unknowns[i].name);
    text_add(out, ",");
    cells_text(out, name);
  }
  text_add(out, "\n");
}

void recover_csv(Text *out, const Recover *r) {
  int n = r->problem->unknown_count;
  csv_head(out, r->problem);
  for (int k = 0; k < r->done; k++) {
    text_print(out, "%d,%d", k + 1, r->ok[k]);
    cells_numbers(out, &r->objectives[k], 1);
    cells_numbers(out, &r->objectives_truth[k], 1);
    text_print(out, ",%ld", r->work[k]);
    cells_numbers(out, r->estimates + (long)k * n, n);
    cells_numbers(out, r->std_errors + (long)k * n, n);
    text_add(out, "\n");
  }
}
