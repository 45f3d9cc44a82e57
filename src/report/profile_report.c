#include "report/profile_report.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "report/fit_json.h"
#include "report/profile_figure.h"
#include "write/cells.h"
#include "write/json.h"
#include "write/rounded.h"

// ---------------------------------------------------------------- text

static const char *percent(Page *p, double level) {
  return arena_print(p->arena, "%s %%", page_digits(p, 100 * level, 5));
}

static bool is_open(const ProfileSide *s) {
  return s->end == PROFILE_BOUND || s->end == PROFILE_RANGE;
}

static const char *open_in_words(const ProfileCurve *c) {
  if (is_open(&c->side[0]) && is_open(&c->side[1])) return "open";
  if (is_open(&c->side[0])) return "open below";
  return is_open(&c->side[1]) ? "open above" : "ends at a constraint";
}

static const char *verdict_in_words(const ProfileCurve *c) {
  switch (c->verdict) {
  case PROFILE_IS_DETERMINED: return "";
  case PROFILE_IS_OPEN: return open_in_words(c);
  case PROFILE_IS_FLAT: return "flat";
  case PROFILE_IS_STRUCTURAL: return "flat";
  default: break;
  }
  for (int side = 0; side < 2; side++) {
    if (c->side[side].end == PROFILE_ROUGH) return "too rough";
    if (c->side[side].end == PROFILE_STOPPED) return "stopped";
  }
  return "not finished";
}

static Tint tint_of(const ProfileCurve *c) {
  return c->verdict == PROFILE_IS_UNKNOWN ? TINT_BAD : TINT_NOTICE;
}

static int count_verdict(const Profile *p, ProfileVerdict v) {
  int count = 0;
  for (int i = 0; i < p->count; i++) count += p->curves[i].verdict == v;
  return count;
}

static const char *score_in_words(Page *page, const Profile *p, int determined) {
  int finished = p->count - count_verdict(p, PROFILE_IS_UNKNOWN);
  if (!finished && p->stopped) return "no profile was finished";
  if (!finished && isnan(p->threshold)) return "no profiles";
  if (p->stopped && finished < p->count)
    return arena_print(page->arena, "%d of %d determined, %d not finished", determined, p->count,
                       p->count - finished);
  return arena_print(page->arena, "%d of %d determined", determined, p->count);
}

static void print_verdict(Page *page, const Profile *p) {
  bool sound = profile_is_sound(p);
  int determined = count_verdict(p, PROFILE_IS_DETERMINED);
  Tint tint = !sound ? TINT_BAD : determined == p->count ? TINT_GOOD : TINT_NOTICE;
  const char *belief = p->fit->verdict == FIT_AMBIGUOUS ? "; ambiguous" : "";
  page_title(page, arena_print(page->arena, "%s: %s%s%s", p->problem->path,
                               page_tinted(page, tint, score_in_words(page, p, determined)), belief,
                               p->timeout   ? " (stopped by max_seconds)"
                               : p->stopped ? " (stopped)"
                                            : ""));
  page_paragraph(page, 2, "", arena_print(page->arena, "Fit: %s.", p->fit->message));
  if (p->fit->outcome == FIT_UNCERTAIN)
    page_paragraph(page, 2, "",
                   arena_print(page->arena, "Its verdict is %s: %s.",
                               fit_verdict_word(p->fit->verdict), p->fit->why));
}

static const char *interval(Page *page, double value, double low, double high) {
  char text[ROUNDED_INTERVAL_SIZE];
  if (isnan(low) || isnan(high)) return "-";
  rounded_interval(value, low, high, text);
  return arena_print(page->arena, "%s", text);
}

// Ends that noise does not set are shown with four digits.
static const char *profile_interval(Page *page, const ProfileCurve *c, double value) {
  double low = c->side[0].at, high = c->side[1].at;
  if (c->verdict == PROFILE_IS_DETERMINED || isnan(low) || isnan(high))
    return interval(page, value, low, high);
  return arena_print(page->arena, "%s .. %s", page_digits(page, low, 4),
                     page_digits(page, high, 4));
}

static void print_curves(Page *page, const Profile *p) {
  static const PageColumn COLUMNS[] = {{"name", 0},        {"unit", 4},     {">estimate", 2},
                                       {">covariance", 3}, {">profile", 1}, {"", 1}};
  PageTable *t = page_table_new(page, COLUMNS, 6);
  for (int i = 0; i < p->count; i++) {
    const ProfileCurve *c = &p->curves[i];
    const Unknown *f = &p->problem->unknowns[c->number];
    double x = p->fit->x[c->number];
    char value[ROUNDED_SIZE];
    rounded_value(x, c->std_error, value);
    page_table_add(t, (const char *[]){f->name, f->unit, value, interval(page, x, c->low, c->high),
                                       profile_interval(page, c, x),
                                       page_tinted(page, tint_of(c), verdict_in_words(c))});
  }
  page_heading(page, arena_print(page->arena, "%s intervals", percent(page, p->level)));
  page_table_print(t);
  page_paragraph(page, 2, "",
                 page_tinted(page, TINT_FAINT,
                             "profile: where the objective, with all other unknowns fitted "
                             "again, has risen by as much as noise explains; covariance: the "
                             "same by linearisation"));
}

static void print_remarks(Page *page, const Profile *p) {
  bool any = p->note_count > 0;
  for (int i = 0; i < p->count; i++) any = any || p->curves[i].remark[0];
  if (!any) return;
  page_heading(page, "What the profiles say");
  for (int i = 0; i < p->note_count; i++) page_paragraph(page, 4, "- ", p->notes[i]);
  for (int i = 0; i < p->count; i++)
    if (p->curves[i].remark[0]) page_paragraph(page, 4, "- ", p->curves[i].remark);
}

static int count_points(const Profile *p) {
  int count = 0;
  for (int i = 0; i < p->count; i++) count += p->curves[i].point_count;
  return count;
}

static void print_work(Page *page, const Profile *p) {
  char seconds[ROUNDED_SIZE];
  rounded_seconds(p->seconds, seconds);
  page_heading(page, "Work");
  const char *accuracy = "";
  if (p->rel_tol < p->problem->simulate.rel_tol)
    accuracy = arena_print(
        page->arena,
        " Simulated with rel_tol %s, because errors of simulations with %s would "
        "blur the profiles of data without noise.",
        page_digits(page, p->rel_tol, 2), page_digits(page, p->problem->simulate.rel_tol, 2));
  page_paragraph(page, 2, "",
                 arena_print(page->arena, "%d points by %ld simulations, %s in all.%s",
                             count_points(p), p->work.simulations + p->work.sensitivity_simulations,
                             seconds, accuracy));
}

void profile_text(Text *out, const Profile *p, PageStyle style) {
  Page page = page_on(out, style);
  print_verdict(&page, p);
  if (!isnan(p->threshold)) {
    print_curves(&page, p);
    print_remarks(&page, p);
    print_work(&page, p);
  } else
    for (int i = 0; i < p->note_count; i++) page_paragraph(&page, 2, "", p->notes[i]);
  page_done(&page);
}

// ---------------------------------------------------------------- plots

void profile_plot(Text *out, const Profile *p, ScreenStyle style) {
  Arena *a = arena_new();
  Figure *f = profile_figure(a, p);
  int count = f ? figure_screen_plots(f) : 0;
  style.height *= count;
  if (count) figure_screen(f, count, &style, out);
  arena_free(a);
}

// ---------------------------------------------------------------- JSON

static void json_side(Json *j, const char *key, const ProfileSide *s) {
  json_open(j, key, '{', false);
  json_number(j, "at", s->at);
  json_text(j, "end", profile_end_word(s->end));
  json_number(j, "highest", s->highest);
  json_flag(j, "jump", s->jump);
  json_close(j);
}

static void json_points(Json *j, const Profile *p, const ProfileCurve *c) {
  json_open(j, "points", '[', true);
  for (int i = 0; i < c->point_count; i++) {
    const ProfilePoint *at = &c->points[i];
    json_open(j, NULL, '{', false);
    json_number(j, "value", at->value);
    json_number(j, "objective", at->objective);
    json_number(j, "ratio", at->ratio);
    json_numbers(j, "parameters", at->x, p->problem->unknown_count);
    json_close(j);
  }
  json_close(j);
}

static void json_names(Json *j, const char *key, const Profile *p, const int *numbers, int count) {
  json_open(j, key, '[', false);
  for (int i = 0; i < count; i++) json_text(j, NULL, p->problem->unknowns[numbers[i]].name);
  json_close(j);
}

static void json_curve(Json *j, const Profile *p, const ProfileCurve *c) {
  const Unknown *f = &p->problem->unknowns[c->number];
  bool flat = c->verdict == PROFILE_IS_FLAT || c->verdict == PROFILE_IS_STRUCTURAL;
  json_open(j, NULL, '{', true);
  json_text(j, "name", f->name);
  json_text(j, "unit", f->unit);
  json_number(j, "estimate", p->fit->x[c->number]);
  json_number(j, "std_error", c->std_error);
  json_numbers(j, "covariance_interval", (double[]){c->low, c->high}, 2);
  json_numbers(j, "profile_interval", (double[]){c->side[0].at, c->side[1].at}, 2);
  json_text(j, "verdict", profile_verdict_word(c->verdict));
  json_flag(j, "flat", flat);
  if (flat)
    json_numbers(j, "flat_over", (double[]){c->side[0].flat_to, c->side[1].flat_to}, 2);
  else
    json_text(j, "flat_over", NULL);
  json_names(j, "moves_along", p, c->moves, c->move_count);
  json_side(j, "below", &c->side[0]);
  json_side(j, "above", &c->side[1]);
  json_number(j, "factor", c->factor);
  json_text(j, "remark", c->remark);
  json_points(j, p, c);
  json_close(j);
}

void profile_json(Text *out, const Profile *p, const char *version) {
  Json j = json_on(out);
  Text method;
  text_init(&method);
  method_print(p->problem->method, &p->problem->parts, &method);
  json_open(&j, NULL, '{', true);
  json_text(&j, "entrain", version);
  json_text(&j, "problem", p->problem->path);
  json_text(&j, "method", method.at);
  json_text(&j, "outcome", fit_outcome_word(p->fit->outcome));
  json_text(&j, "message", p->fit->message);
  json_number(&j, "objective", p->fit->objective);
  json_text(&j, "fit_verdict", fit_has_result(p->fit) ? fit_verdict_word(p->fit->verdict) : NULL);
  json_text(&j, "why", p->fit->why);
  fit_json_optima(&j, p->fit);
  json_number(&j, "level", p->level);
  json_number(&j, "threshold", p->threshold);
  json_number(&j, "degrees_of_freedom", p->freedom);
  json_flag(&j, "sound", profile_is_sound(p));
  json_flag(&j, "stopped", p->stopped);
  json_flag(&j, "rough", p->rough);
  json_number(&j, "roughness", p->roughness);
  json_whole(&j, "restarts", p->restarts);
  json_open(&j, "notes", '[', true);
  for (int i = 0; i < p->note_count; i++) json_text(&j, NULL, p->notes[i]);
  json_close(&j);
  json_open(&j, "names", '[', false);
  for (int i = 0; i < p->problem->unknown_count; i++)
    json_text(&j, NULL, p->problem->unknowns[i].name);
  json_close(&j);
  json_open(&j, "profiles", '[', true);
  for (int i = 0; i < p->count; i++) json_curve(&j, p, &p->curves[i]);
  json_close(&j);
  json_open(&j, "work", '{', false);
  json_whole(&j, "points", count_points(p));
  json_whole(&j, "simulations", p->work.simulations);
  json_whole(&j, "sensitivity_simulations", p->work.sensitivity_simulations);
  json_number(&j, "rel_tol", p->rel_tol);
  json_number(&j, "seconds", p->seconds);
  json_close(&j);
  json_close(&j);
  text_done(&method);
}

// ---------------------------------------------------------------- CSV

void profile_csv(Text *out, const Profile *p) {
  text_add(out, "parameter,value,objective,ratio");
  for (int i = 0; i < p->problem->unknown_count; i++) {
    text_add(out, ",");
    cells_text(out, p->problem->unknowns[i].name);
  }
  text_add(out, "\n");
  for (int i = 0; i < p->count; i++)
    for (int k = 0; k < p->curves[i].point_count; k++) {
      const ProfilePoint *at = &p->curves[i].points[k];
      const double own[] = {at->value, at->objective, at->ratio};
      cells_text(out, p->problem->unknowns[p->curves[i].number].name);
      for (int m = 0; m < 3 + p->problem->unknown_count; m++) {
        text_add(out, ",");
        cells_number(out, m < 3 ? own[m] : at->x[m - 3]);
      }
      text_add(out, "\n");
    }
}
