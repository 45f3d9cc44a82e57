#include "report/fit_screen.h"

#include "base/character.h"
#include "report/fit_motion_figure.h"
#include "write/page.h"

enum { ROWS_LEAST = 4, ROWS_MOST = 10, AROUND = 3 }; // around the panels of a figure: title, axis

typedef struct MotionPart {
  const Figure *figure;
  int channels; // of it that are drawn
} MotionPart;

static int channels_with_samples(const FitMotion *m, int experiment) {
  int count = 0;
  for (int k = 0; k < m->problem->experiments[experiment].channel_count; k++)
    count += m->result->count[experiment][k] > 0;
  return count;
}

// The figures of the first experiments; returns how many, and counts all channels.
static int choose_parts(Arena *a, const FitMotion *m, MotionPart parts[FIT_SCREEN_CHANNELS],
                        int *channels, int *shown) {
  int count = 0;
  *channels = *shown = 0;
  for (int e = 0; e < m->problem->experiment_count; e++) {
    int here = channels_with_samples(m, e);
    *channels += here;
    for (int first = 0;
         here && *shown < FIT_SCREEN_CHANNELS && first < m->problem->experiments[e].channel_count;
         first += MOTION_CHANNELS) {
      Figure *f = fit_motion_figure(a, m, e, first);
      int drawn = f ? figure_screen_plots(f) : 0, left = FIT_SCREEN_CHANNELS - *shown;
      if (drawn) parts[count++] = (MotionPart){f, drawn < left ? drawn : left};
      *shown += drawn < left ? drawn : left;
    }
  }
  return count;
}

static void print_part(Text *out, const MotionPart *part, int rows, ScreenStyle style) {
  Arena *a = arena_new();
  const char *title = characters_shortened(a, part->figure->title, style.width);
  text_print(out, style.colour ? "\033[1m%s\033[0m\n" : "%s\n", title);
  style.height = part->channels * (rows + 1) + AROUND - 1;
  figure_screen(part->figure, part->channels, &style, out);
  arena_free(a);
}

static void say_more(Text *out, int channels, ScreenStyle style) {
  Page p = page_on(out, (PageStyle){.width = style.width});
  page_paragraph(&p, 0, "",
                 arena_print(p.arena, "%d more channel%s: --figures DIR draws all of them.",
                             channels, channels == 1 ? "" : "s"));
  page_done(&p);
}

void fit_screen(Text *out, const FitReport *r, EvalWork *w, const Weighting *weighting,
                ScreenStyle style) {
  Arena *a = arena_new();
  FitMotion motion;
  MotionPart parts[FIT_SCREEN_CHANNELS];
  int channels, shown;
  if (fit_result_motion(&motion, a, r, w, weighting)) {
    int count = choose_parts(a, &motion, parts, &channels, &shown);
    int rows = shown ? (style.height - AROUND * count) / shown - 1 : 0;
    if (rows < ROWS_LEAST) rows = ROWS_LEAST;
    if (rows > ROWS_MOST) rows = ROWS_MOST;
    for (int i = 0; i < count; i++) print_part(out, &parts[i], rows, style);
    if (channels > shown) say_more(out, channels - shown, style);
  }
  arena_free(a);
}
