#include "report/basin_shade.h"

#include <stdio.h>

#include "write/rounded.h"

static const struct {
  Ink ink;
  int terminal;
  char letter;
  const char *name; // of outcomes that are no optimum
} SHADES[SHADE_COUNT] = {
    {0x0072B2, 25, '#', NULL},
    {0xD55E00, 166, 'a', NULL},
    {0x009E73, 36, 'b', NULL},
    {0xCC79A7, 175, 'c', NULL},
    {0xE69F00, 178, 'd', NULL},
    {0x56B4E9, 74, 'e', NULL},
    [SHADE_OTHER] = {0xEFE3B0, 187, '+', NULL},
    [SHADE_NOT_CONVERGED] = {0xEEEEEE, 252, '?', "not converged"},
    [SHADE_FAILED] = {0x8C8C8C, 243, 'x', "cannot be simulated"},
    [SHADE_OPEN] = {0xFFFFFF, -1, '.', "not done"},
};

BasinShade shade_of_optimum(const Basin *b, int optimum) {
  int shade = optimum ? 1 + b->optima[optimum].commoner : 0;
  return shade < SHADE_OPTIMA ? (BasinShade)shade : SHADE_OTHER;
}

static int optimum_of(const Basin *b, BasinShade s) {
  for (int k = 1; k < b->optimum_count && s != SHADE_BEST; k++)
    if (shade_of_optimum(b, k) == s) return k;
  return 0;
}

BasinShade shade_of(const Basin *b, int start) {
  const BasinStart *s = &b->start[start];
  switch (s->end) {
  case BASIN_REACHED: return shade_of_optimum(b, s->optimum);
  case BASIN_NOT_CONVERGED: return SHADE_NOT_CONVERGED;
  case BASIN_FAILED: return SHADE_FAILED;
  case BASIN_OPEN: break;
  }
  return SHADE_OPEN;
}

Ink shade_ink(BasinShade s) {
  return SHADES[s].ink;
}
int shade_terminal(BasinShade s) {
  return SHADES[s].terminal;
}
char shade_letter(BasinShade s) {
  return SHADES[s].letter;
}

int shade_starts(const Basin *b, BasinShade shade) {
  int count = 0;
  for (int i = 0; i < b->count; i++) count += shade_of(b, i) == shade;
  return count;
}

const char *shade_name(const Basin *b, BasinShade s, Arena *a) {
  char objective[ROUNDED_SIZE];
  int others = b->optimum_count - SHADE_OPTIMA;
  if (s == SHADE_OTHER)
    return arena_print(a, "%d other %s", others, others > 1 ? "optima" : "optimum");
  if (s > SHADE_OTHER) return SHADES[s].name;
  int k = optimum_of(b, s);
  rounded_digits(b->optima[k].objective, 3, objective);
  return s == SHADE_BEST ? arena_print(a, "best optimum, objective %s", objective)
                         : arena_print(a, "optimum %d, objective %s", k + 1, objective);
}

double basin_share(const Basin *b, int count) {
  return b->done ? (double)count / b->done : 0;
}

const char *basin_percent(const Basin *b, int count, Arena *a) {
  double percent = 100 * basin_share(b, count);
  if (count == b->done && count) return "100 %";
  if (percent > 99.9) return "> 99.9 %"; // not all of them
  if (percent < 0.1 && count) return "< 0.1 %";
  return arena_print(a, "%.1f %%", percent);
}

const char *basin_headline(const Basin *b, Arena *a) {
  int sorted = b->done - b->unsorted;
  if (!b->optimum_count && !sorted && b->count) return "stopped before a search was done";
  if (!b->optimum_count && sorted < b->count)
    return arena_print(a, "none of %d starts so far reaches an optimum", sorted);
  if (!b->optimum_count) return "no start reaches an optimum";
  const char *done = b->done == b->count ? "the " : arena_print(a, "%d ", b->done);
  return arena_print(a, "%s of %sstarts reach the best optimum%s",
                     basin_percent(b, b->optima[0].count, a), done,
                     b->optima[0].fits ? "" : " that was found");
}

static void add_names(const Basin *b, Text *t) {
  for (int k = 0; k < b->axis_count; k++) {
    text_add(t, k == 0 ? "" : k + 1 < b->axis_count ? ", " : " and ");
    text_add(t, b->axes[k].name);
  }
}

const char *basin_starts_text(const Basin *b, Arena *a) {
  Text t;
  text_init(&t);
  if (b->random) text_print(&t, "%d random", b->count);
  for (int k = 0; k < b->axis_count && !b->random; k++)
    text_print(&t, "%s%d", k ? " x " : "", b->axes[k].count);
  text_print(&t, " start%s over ", b->count == 1 ? "" : "s");
  if (b->axis_count == b->problem->unknown_count && b->axis_count > 3)
    text_add(&t, "all unknowns");
  else
    add_names(b, &t);
  char *text = arena_copy(a, t.at, t.length);
  text_done(&t);
  return text;
}

static bool has_axis(const Basin *b, int number) {
  for (int k = 0; k < b->axis_count; k++)
    if (b->axes[k].number == number) return true;
  return false;
}

const char *basin_fixed(const Basin *b, Arena *a) {
  enum { SHOWN = 3 };
  const char *text = "";
  int shown = 0;
  for (int i = 0; i < b->problem->unknown_count; i++) {
    char start[ROUNDED_SIZE];
    if (has_axis(b, i)) continue;
    if (shown++ == SHOWN) return arena_print(a, "%s, ...", text);
    rounded_digits(b->problem->unknowns[i].start, 4, start);
    text = arena_print(a, "%s, %s = %s", text, b->problem->unknowns[i].name, start);
  }
  return text;
}

const char *basin_method(const Basin *b, Arena *a) {
  Text t;
  text_init(&t);
  method_print(b->problem->method, &b->problem->parts, &t);
  char *method = arena_copy(a, t.at, t.length);
  text_done(&t);
  return method;
}
