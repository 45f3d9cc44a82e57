#include <math.h>
#include <string.h>

#include "draw/figure.h"

void figure_plot(Figure *f, const FigurePlot *plot) {
  FigurePlot p = *plot;
  const char *title = plot->title ? plot->title : "";
  p.title = arena_copy(f->arena, title, strlen(title));
  p.x_label = arena_copy(f->arena, plot->x_label, strlen(plot->x_label));
  p.y_label = arena_copy(f->arena, plot->y_label, strlen(plot->y_label));
  memset(&p.series, 0, sizeof p.series);
  array_push(f->arena, &f->plots, p);
}

// Of points from first to last (not included): the numbers of the least, the greatest and one that is missing, in their order.
static int extremes(const double *y, int first, int last, int at[3]) {
  int low = -1, high = -1, gap = -1, count = 0;
  for (int i = first; i < last; i++) {
    if (!isfinite(y[i])) {
      gap = i;
      continue;
    }
    if (low < 0 || y[i] < y[low]) low = i;
    if (high < 0 || y[i] > y[high]) high = i;
  }
  for (int i = first; i < last; i++)
    if (i == low || i == high || i == gap) at[count++] = i;
  return count;
}

static bool has_gaps(const FigureSeries *s) {
  for (int i = 0; i < s->count; i++)
    if (!isfinite(s->y[i])) return true;
  return false;
}

// Parts of equally many points: samples are mostly equally spaced.
static int thin(const FigureSeries *s, double *x, double *y) {
  int parts = FIGURE_POINTS / (has_gaps(s) ? 3 : 2), count = 0;
  for (int k = 0; k < parts; k++) {
    int first = (int)((long)s->count * k / parts), last = (int)((long)s->count * (k + 1) / parts),
        at[3];
    int some = extremes(s->y, first, last, at);
    for (int i = 0; i < some; i++) {
      x[count] = s->x[at[i]];
      y[count++] = s->y[at[i]];
    }
  }
  return count;
}

void figure_series(Figure *f, const FigureSeries *s) {
  FigurePlot *plot = &f->plots.at[f->plots.count - 1];
  int most = s->count < FIGURE_POINTS ? s->count : FIGURE_POINTS;
  double *x = ARENA_ARRAY(f->arena, double, most + 1), *y = ARENA_ARRAY(f->arena, double, most + 1);
  FigureSeries kept = *s;
  kept.name = arena_copy(f->arena, s->name, strlen(s->name));
  if (s->count > FIGURE_POINTS) {
    kept.count = thin(s, x, y);
  } else {
    memcpy(x, s->x, (size_t)s->count * sizeof *x);
    memcpy(y, s->y, (size_t)s->count * sizeof *y);
  }
  kept.x = x, kept.y = y;
  array_push(f->arena, &plot->series, kept);
}
