#include "report/basin_report.h"

#include <math.h>
#include <stdio.h>

#include "base/c_locale.h"
#include "report/basin_screen.h"
#include "report/failures.h"
#include "write/cells.h"
#include "write/json.h"
#include "write/rounded.h"

enum { OPTIMA_SHOWN = 10, FIXED_COLUMNS = 5 };

// ---------------------------------------------------------------- text

static const char *counted(Page *p, long count, const char *word, const char *plural) {
  return arena_print(p->arena, "%ld %s%s", count, word, count == 1 ? "" : plural);
}

static void print_verdict(Page *p, const Basin *b) {
  int best = b->optimum_count ? b->optima[0].count : 0;
  Tint tint = best == b->done && best ? TINT_GOOD : best ? TINT_NOTICE : TINT_BAD;
  page_title(p, arena_print(p->arena, "%s: %s", b->problem->path,
                            page_tinted(p, tint, basin_headline(b, p->arena))));
  const char *seed = b->random ? arena_print(p->arena, "; seed %d", b->problem->options.seed) : "";
  const char *stopped =
      b->done - b->unsorted == b->count
          ? ""
          : arena_print(p->arena, "; stopped, %d of %d were done", b->done - b->unsorted, b->count);
  page_paragraph(p, 2, "",
                 arena_print(p->arena, "%s%s; %s%s%s", basin_starts_text(b, p->arena),
                             basin_fixed(b, p->arena), basin_method(b, p->arena), seed, stopped));
}

static const char *remark_on(Page *p, const BasinOptimum *o) {
  const char *error =
      isnan(o->error) ? "" : arena_print(p->arena, "error %s", page_digits(p, o->error, 2));
  const char *flat = o->flat ? "along a flat direction" : "";
  return arena_print(p->arena, "%s%s%s%s%s", o->fits ? "fits the noise" : "",
                     o->fits && o->flat ? "; " : "", flat,
                     (o->fits || o->flat) && *error ? "; " : "", error);
}

// The best optima, and those that have a letter and a colour in the map.
static bool is_shown(const Basin *b, int k) {
  return k < OPTIMA_SHOWN || shade_of_optimum(b, k) < SHADE_OTHER;
}

static void add_optimum(Page *p, const Basin *b, int k, PageTable *t, int columns) {
  const BasinOptimum *o = &b->optima[k];
  const char **cell = ARENA_ARRAY(p->arena, const char *, columns);
  cell[0] = arena_print(p->arena, "%d", k + 1);
  cell[1] = basin_percent(b, o->count, p->arena);
  cell[2] = page_digits(p, o->objective, 4);
  cell[3] = page_digits(p, o->median, 4);
  for (int i = 0; i < b->problem->unknown_count; i++) cell[4 + i] = page_digits(p, o->x[i], 6);
  cell[columns - 1] = page_tinted(p, k ? TINT_FAINT : TINT_GOOD, remark_on(p, o));
  page_table_add(t, cell);
}

static void print_optima(Page *p, const Basin *b) {
  int numbers = b->problem->unknown_count, columns = FIXED_COLUMNS + numbers;
  PageColumn *head = ARENA_ARRAY(p->arena, PageColumn, columns);
  head[0] = (PageColumn){">no.", 0}, head[1] = (PageColumn){">share", 1};
  head[2] = (PageColumn){">objective", 1}, head[3] = (PageColumn){">work", 2};
  for (int i = 0; i < numbers; i++)
    head[4 + i] = (PageColumn){arena_print(p->arena, ">%s", b->problem->unknowns[i].name), 3 + i};
  head[columns - 1] = (PageColumn){"", 2};
  PageTable *t = page_table_new(p, head, columns);
  for (int k = 0; k < b->optimum_count; k++)
    if (is_shown(b, k)) add_optimum(p, b, k, t, columns);
  page_heading(p, "Optima");
  page_table_print(t);
}

static void print_more_optima(Page *p, const Basin *b) {
  int starts = 0, more = 0;
  for (int k = 0; k < b->optimum_count; k++) {
    if (is_shown(b, k)) continue;
    starts += b->optima[k].count;
    more++;
  }
  if (more > 0)
    page_paragraph(p, 2, "",
                   arena_print(p->arena, "%d more %s, with %s of the starts.", more,
                               more == 1 ? "optimum" : "optima",
                               basin_percent(b, starts, p->arena)));
  page_paragraph(p, 2, "",
                 page_tinted(p, TINT_FAINT,
                             "share: of the starts; work: simulations of the median search that "
                             "ended there, including those with sensitivities"));
}

static void print_others(Page *p, const Basin *b) {
  if (b->optimum_count && !b->optima[0].fits)
    page_paragraph(
        p, 2, "",
        page_tinted(p, TINT_NOTICE,
                    "No result fits the noise of the data: there may be a better optimum than "
                    "those that were found."));
  if (b->not_converged)
    page_paragraph(p, 2, "",
                   arena_print(p->arena, "%s (%s) ended before %s converged.",
                               counted(p, b->not_converged, "search", "es"),
                               basin_percent(b, b->not_converged, p->arena),
                               b->not_converged == 1 ? "it" : "they"));
  if (b->failed)
    page_paragraph(p, 2, "",
                   arena_print(p->arena, "From %s (%s) the model cannot be simulated.",
                               counted(p, b->failed, "start", "s"),
                               basin_percent(b, b->failed, p->arena)));
}

static void print_work(Page *p, const Basin *b) {
  char seconds[ROUNDED_SIZE];
  rounded_seconds(b->seconds, seconds);
  page_heading(p, "Work");
  page_paragraph(
      p, 2, "",
      arena_print(p->arena, "%s and %ld with sensitivities in %s; %s, %s searches a second.",
                  counted(p, b->work.simulations, "simulation", "s"),
                  b->work.sensitivity_simulations, counted(p, b->done, "search", "es"), seconds,
                  page_digits(p, b->seconds > 0 ? b->done / b->seconds : 0, 3)));
  failures_text(p, b->problem, b->failures.at, b->failures.count, work_count_simulations(&b->work));
}

void basin_text(Text *out, const Basin *b, PageStyle style) {
  Page p = page_on(out, style);
  print_verdict(&p, b);
  if (b->done && !p.html) {
    text_add(out, "\n");
    basin_screen(out, b, p.style);
  }
  if (b->optimum_count) {
    print_optima(&p, b);
    print_more_optima(&p, b);
  }
  print_others(&p, b);
  print_work(&p, b);
  page_done(&p);
}

// ---------------------------------------------------------------- JSON

static void json_axes(Json *j, const Basin *b) {
  json_open(j, "over", '[', true);
  for (int k = 0; k < b->axis_count; k++) {
    const BasinAxis *x = &b->axes[k];
    json_open(j, NULL, '{', false);
    json_text(j, "name", x->name);
    json_text(j, "unit", b->problem->unknowns[x->number].unit);
    json_number(j, "low", x->low);
    json_number(j, "high", x->high);
    json_text(j, "scale", x->scale == BASIN_LOG ? "log" : "linear");
    if (!b->random) json_whole(j, "count", x->count);
    json_close(j);
  }
  json_close(j);
}

static void json_optima(Json *j, const Basin *b) {
  json_open(j, "optima", '[', true);
  for (int k = 0; k < b->optimum_count; k++) {
    const BasinOptimum *o = &b->optima[k];
    json_open(j, NULL, '{', false);
    json_number(j, "objective", o->objective);
    json_whole(j, "starts", o->count);
    json_number(j, "share", basin_share(b, o->count));
    json_flag(j, "fits", o->fits);
    json_flag(j, "flat", o->flat);
    json_number(j, "error", o->error);
    json_number(j, "median_simulations", o->median);
    json_numbers(j, "values", o->x, b->problem->unknown_count);
    json_close(j);
  }
  json_close(j);
}

static void json_names(Json *j, const Basin *b) {
  json_open(j, "parameters", '[', false);
  for (int i = 0; i < b->problem->unknown_count; i++)
    json_text(j, NULL, b->problem->unknowns[i].name);
  json_close(j);
}

// Number of the optimum, from 1; 0: not converged, -1: cannot be simulated.
static void json_ends(Json *j, const Basin *b) {
  json_open(j, "reached", '[', false);
  for (int i = 0; i < b->done; i++)
    json_whole(j, NULL, b->start[i].end == BASIN_FAILED ? -1 : b->start[i].optimum + 1);
  json_close(j);
}

void basin_json(Text *out, const Basin *b, const char *version) {
  Arena *scratch = arena_new();
  Json j = json_on(out);
  int best = b->optimum_count ? b->optima[0].count : 0;
  json_open(&j, NULL, '{', true);
  json_text(&j, "entrain", version);
  json_text(&j, "problem", b->problem->path);
  json_text(&j, "method", basin_method(b, scratch));
  json_flag(&j, "random", b->random);
  json_whole(&j, "seed", b->problem->options.seed);
  json_axes(&j, b);
  json_whole(&j, "starts", b->count);
  json_whole(&j, "done", b->done);
  json_whole(&j, "reached_best", best);
  json_number(&j, "basin_fraction", basin_share(b, best));
  json_whole(&j, "not_converged", b->not_converged);
  json_whole(&j, "failed", b->failed);
  json_names(&j, b);
  json_optima(&j, b);
  json_ends(&j, b);
  failures_json(&j, b->problem, b->failures.at, b->failures.count);
  json_open(&j, "work", '{', false);
  json_whole(&j, "iterations", b->work.iterations);
  json_whole(&j, "simulations", b->work.simulations);
  json_whole(&j, "sensitivity_simulations", b->work.sensitivity_simulations);
  json_whole(&j, "rhs", b->work.rhs);
  json_number(&j, "seconds", b->seconds);
  json_close(&j);
  json_close(&j);
  arena_free(scratch);
}

// ---------------------------------------------------------------- CSV

static const char *end_word(const BasinStart *s) {
  static const char *const WORDS[] = {"open", "reached", "not-converged", "failed"};
  return WORDS[s->end];
}

static void csv_head(Text *out, const Problem *p) {
  text_add(out, "start,outcome,optimum,objective,fits,iterations,simulations,"
                "sensitivity_simulations");
  for (int end = 0; end < 2; end++)
    for (int i = 0; i < p->unknown_count; i++) {
      char name[300];
      c_snprintf(name, sizeof name, "%s%s", end ? "" : "start ", p->unknowns[i].name);
      text_add(out, ",");
      cells_text(out, name);
    }
  text_add(out, "\n");
}

void basin_csv(Text *out, const Basin *b) {
  int n = b->problem->unknown_count;
  csv_head(out, b->problem);
  for (int i = 0; i < b->done; i++) {
    const BasinStart *s = &b->start[i];
    text_print(out, "%d,%s,", i + 1, end_word(s));
    if (s->optimum >= 0) text_print(out, "%d", s->optimum + 1);
    cells_numbers(out, &s->objective, 1);
    text_print(out, ",%d,%ld,%ld,%ld", s->fits, s->work.iterations, s->work.simulations,
               s->work.sensitivity_simulations);
    cells_numbers(out, b->starts + (size_t)i * (size_t)n, n);
    cells_numbers(out, b->ends + (size_t)i * (size_t)n, n);
    text_add(out, "\n");
  }
}
