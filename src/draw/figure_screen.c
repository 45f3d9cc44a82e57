#include "draw/figure_screen.h"

#include <math.h>
#include <string.h>

#include "base/character.h"
#include "draw/canvas.h"
#include "draw/figure_axes.h"

enum { LEAST_WIDTH = 30, LEAST_HEIGHT = 8, LEAST_ROWS = 3, TICK_EVERY = 12 };

typedef struct ScreenPanel {
  const FigurePlot *plot;
  Axis x, y;
  int rows;
  bool has_axis; // the horizontal axis stands below it: the next one has another
} ScreenPanel;

typedef struct Screen {
  Arena *arena;
  ScreenPanel *panels;
  int count;
  int all;   // width of the whole
  int width; // of the area of the curves, in cells
  int label; // width of the numbers at the left
  int name;  // room for the names of horizontal axes
  bool colour;
} Screen;

// ---------------------------------------------------------------- axes

static bool is_empty(const Axis *a) {
  return !(a->least <= a->most);
}

static double fraction(const Axis *a, double v) {
  if (!a->log) return ticks_fraction(v, a->least, a->most);
  return ticks_fraction(log(v), log(a->least), log(a->most));
}

static int dot_at(const Axis *a, double v, int dots) {
  return (int)lround(fmax(-1, fmin(2, fraction(a, v))) * (dots - 1));
}

static bool has_place(const Axis *a, double v) {
  return isfinite(v) && (!a->log || v > 0);
}

static int ticks_wanted(const ScreenPanel *p) {
  return p->rows < 6 ? 2 : p->rows / 3;
}

static void widen(Axis *a) {
  if (a->log && a->most <= a->least * 1.1) a->least /= 2, a->most *= 2;
  if (!a->log) ticks_widen(&a->least, &a->most);
}

// The axis of a panel ends at a multiple of a quarter of the tick distance: close to the curves, at a round value.
static void round_axis(Axis *a, int wanted) {
  Ticks ticks;
  widen(a);
  if (a->log) return;
  ticks_make(&ticks, a->least, a->most, wanted);
  double unit = ticks.step / 4;
  double least = unit * floor(a->least / unit + 1e-9), most = unit * ceil(a->most / unit - 1e-9);
  if (isfinite(least) && isfinite(most) && least < most) a->least = least, a->most = most;
}

static ScreenPanel panel_of(const FigurePlot *plot) {
  ScreenPanel p = {.plot = plot, .x = AXIS_EMPTY(plot->x_log, plot->x_label)};
  p.y = AXIS_EMPTY(plot->y_log, plot->y_label);
  for (int i = 0; i < plot->series.count; i++) {
    const FigureSeries *s = &plot->series.at[i];
    axis_include(&p.x, s->x, s->count);
    axis_include(&p.y, s->y, s->count);
  }
  return p;
}

static bool share_axis(const ScreenPanel *a, const ScreenPanel *b) {
  return a->x.log == b->x.log && strcmp(a->x.label, b->x.label) == 0;
}

static int label_width(const Ticks *t) {
  int width = 0;
  for (int i = 0; i < t->count; i++) width = (int)fmax(width, (double)strlen(t->label[i]));
  return width;
}

// ---------------------------------------------------------------- curves

// With colours lines are dashed as in every picture; without, they differ by their dashes alone.
static Pen pen_of(const Screen *s, const FigurePlot *plot, int k) {
  static const Pen DASHES[DASH_COUNT] = {{0, 1, 0, 0}, {0, 4, 3, 0}, {0, 1, 2, 0}, {0, 6, 2, 0}};
  static const int ON[] = {1, 4, 1, 6, 2, 8}, OFF[] = {0, 3, 2, 2, 2, 4};
  int lines = 0;
  for (int i = 0; i < k; i++) lines += !plot->series.at[i].dots;
  Pen pen = DASHES[plot->series.at[k].dash];
  if (!s->colour) pen = (Pen){0, ON[lines % 6], OFF[lines % 6], 0};
  pen.colour = k % CANVAS_COLOURS;
  return pen;
}

static int mark_of(const FigurePlot *plot, int k) {
  int marks = 0;
  for (int i = 0; i < k; i++) marks += plot->series.at[i].dots;
  return marks % CANVAS_MARKS;
}

static void draw_line(const Screen *s, const ScreenPanel *p, Canvas *canvas, int k) {
  const FigureSeries *v = &p->plot->series.at[k];
  int wide = canvas->width * CELL_WIDTH, high = canvas->height * CELL_HEIGHT, x_old = 0, y_old = 0;
  Pen pen = pen_of(s, p->plot, k);
  bool drawing = false;
  for (int i = 0; i < v->count; i++) {
    if (!has_place(&p->x, v->x[i]) || !has_place(&p->y, v->y[i])) {
      drawing = false;
      continue;
    }
    int x = dot_at(&p->x, v->x[i], wide), y = high - 1 - dot_at(&p->y, v->y[i], high);
    if (!drawing) pen.travelled = 0;
    canvas_line(canvas, &pen, drawing ? x_old : x, drawing ? y_old : y, x, y);
    x_old = x;
    y_old = y;
    drawing = true;
  }
}

// Few points lie on the lines. Many would hide them: they lie below, but in some columns, so that both can be seen where they
// agree.
static void draw_points(const ScreenPanel *p, Canvas *canvas, int k) {
  enum { ABOVE_EVERY = 6 };
  const FigureSeries *v = &p->plot->series.at[k];
  int wide = canvas->width * CELL_WIDTH, high = canvas->height * CELL_HEIGHT;
  bool few = v->count <= canvas->width / 2;
  for (int i = 0; i < v->count; i++) {
    if (!has_place(&p->x, v->x[i]) || !has_place(&p->y, v->y[i])) continue;
    int x = dot_at(&p->x, v->x[i], wide), y = high - 1 - dot_at(&p->y, v->y[i], high);
    bool above = few || x / CELL_WIDTH % ABOVE_EVERY == ABOVE_EVERY / 2;
    canvas_mark(canvas, mark_of(p->plot, k), k % CANVAS_COLOURS, above, x, y);
  }
}

// ---------------------------------------------------------------- legends

static const char *in_one_line(Arena *a, const char *text, int width) {
  char *copy = arena_copy(a, text, strlen(text));
  for (char *c = copy; (c = strpbrk(c, "\n\t"));) *c = ' ';
  return characters_shortened(a, copy, width);
}

typedef struct LegendLine { // being printed
  const Screen *s;
  Text *out;
  int at;
} LegendLine;

static void make_room(LegendLine *l, int width) {
  if (l->at && l->at + 3 + width > l->s->width) {
    text_add(l->out, "\n");
    l->at = 0;
  }
  text_print(l->out, "%*s", l->at ? 3 : l->s->label + 2, "");
  l->at += (l->at ? 3 : 0) + width;
}

static void add_sample(LegendLine *l, const FigurePlot *plot, int k) {
  enum { SAMPLE = 4 };
  const FigureSeries *series = &plot->series.at[k];
  int length = series->dots ? 1 : SAMPLE;
  const char *name = in_one_line(l->s->arena, series->name, l->s->width - length - 1);
  make_room(l, length + 1 + characters_width(name));
  Canvas *sample = canvas_new(l->s->arena, length, 1);
  Pen pen = pen_of(l->s, plot, k);
  if (series->dots)
    canvas_mark(sample, mark_of(plot, k), pen.colour, true, 0, 0);
  else
    canvas_line(sample, &pen, 0, 1, SAMPLE * CELL_WIDTH - 1, 1);
  canvas_print_row(sample, 0, NULL, l->s->colour, l->out);
  text_print(l->out, " %s", name);
}

static bool legend_is_same(const FigurePlot *a, const FigurePlot *b) {
  if (a->series.count != b->series.count) return false;
  for (int k = 0; k < a->series.count; k++)
    if (strcmp(a->series.at[k].name, b->series.at[k].name) != 0 ||
        a->series.at[k].dots != b->series.at[k].dots)
      return false;
  return true;
}

// "theta [rad]   • data   ⠒⠒ model", on as many lines as needed. What the curves are is said once above each
// axis.
static void print_legend(const Screen *s, int panel, Text *out) {
  const FigurePlot *plot = s->panels[panel].plot;
  LegendLine l = {s, out, 0};
  bool told = panel > 0 && !s->panels[panel - 1].has_axis && plot->y_label[0] &&
              legend_is_same(plot, s->panels[panel - 1].plot);
  bool alone = plot->series.count == 1 && strcmp(plot->series.at[0].name, plot->y_label) == 0;
  const char *title = plot->title[0] && plot->y_label[0] && !alone
                          ? arena_print(s->arena, "%s: %s", plot->title, plot->y_label)
                      : plot->title[0] ? plot->title
                      : alone          ? ""
                                       : plot->y_label;
  title = in_one_line(s->arena, title, s->width);
  if (title[0]) {
    make_room(&l, characters_width(title));
    text_add(out, title);
  }
  for (int k = 0; !told && k < plot->series.count; k++) add_sample(&l, plot, k);
  text_add(out, "\n");
}

// ---------------------------------------------------------------- panels

static int tick_in_row(const Ticks *t, const Axis *y, int row_count, int row) {
  for (int i = 0; i < t->count; i++) {
    int dot = row_count * CELL_HEIGHT - 1 - dot_at(y, t->at[i], row_count * CELL_HEIGHT);
    if (dot / CELL_HEIGHT == row) return i;
  }
  return -1;
}

static void print_panel(const Screen *s, int panel, Text *out) {
  const ScreenPanel *p = &s->panels[panel];
  Ticks ticks;
  axis_ticks(&p->y, ticks_wanted(p), &ticks);
  Canvas *canvas = canvas_new(s->arena, s->width, p->rows);
  for (int k = 0; k < p->plot->series.count; k++) {
    if (p->plot->series.at[k].dots)
      draw_points(p, canvas, k);
    else
      draw_line(s, p, canvas, k);
  }
  print_legend(s, panel, out);
  for (int row = 0; row < p->rows; row++) {
    int tick = tick_in_row(&ticks, &p->y, p->rows, row);
    bool zero_line = tick >= 0 && ticks.at[tick] == 0 && p->y.least < 0;
    text_print(out, "%*s %s", s->label, tick < 0 ? "" : ticks.label[tick], tick < 0 ? "│" : "┤");
    canvas_print_row(canvas, row, zero_line ? "┈" : NULL, s->colour, out);
    text_add(out, "\n");
  }
}

static int tick_column(const Screen *s, const Axis *x, double v) {
  return dot_at(x, v, s->width * CELL_WIDTH) / CELL_WIDTH;
}

static void print_axis(const Screen *s, const Axis *x, Text *out) {
  Ticks ticks;
  axis_ticks(x, s->width / TICK_EVERY, &ticks);
  text_print(out, "%*s└", s->label + 1, "");
  for (int c = 0, i = 0; c < s->width; c++) {
    bool marked = i < ticks.count && tick_column(s, x, ticks.at[i]) == c;
    text_add(out, marked ? "┬" : "─");
    while (i < ticks.count && tick_column(s, x, ticks.at[i]) <= c) i++;
  }
  text_print(out, " %s\n", in_one_line(s->arena, x->label, s->name));
  int written = 0, offset = s->label + 2;
  for (int i = 0; i < ticks.count; i++) {
    int length = (int)strlen(ticks.label[i]);
    int from = offset + tick_column(s, x, ticks.at[i]) - (length - 1) / 2;
    if (from + length > s->all) from = s->all - length;
    if (from < 0) from = 0;
    if (written && from <= written) continue; // no room for this one
    text_print(out, "%*s%s", from - written, "", ticks.label[i]);
    written = from + length;
  }
  text_add(out, "\n");
}

// ---------------------------------------------------------------- layout

static bool has_panel(const ScreenPanel *p) {
  return !p->plot->below && !is_empty(&p->x) && !is_empty(&p->y);
}

int figure_screen_plots(const Figure *f) {
  int count = 0;
  for (int i = 0; i < f->plots.count; i++) {
    ScreenPanel p = panel_of(&f->plots.at[i]);
    count += has_panel(&p);
  }
  return count;
}

static void choose_panels(Screen *s, const Figure *f, int plots_most) {
  s->panels = ARENA_ARRAY(s->arena, ScreenPanel, f->plots.count + 1);
  for (int i = 0; i < f->plots.count && s->count < plots_most; i++) {
    ScreenPanel p = panel_of(&f->plots.at[i]);
    if (has_panel(&p)) s->panels[s->count++] = p;
  }
}

static void share_axes(Screen *s) {
  for (int first = 0, end; first < s->count; first = end) {
    Axis all = s->panels[first].x;
    for (end = first; end < s->count && share_axis(&s->panels[first], &s->panels[end]); end++) {
      all.least = fmin(all.least, s->panels[end].x.least);
      all.most = fmax(all.most, s->panels[end].x.most);
    }
    widen(&all);
    for (int i = first; i < end; i++) s->panels[i].x = all;
    s->panels[end - 1].has_axis = true;
  }
}

static void share_height(Screen *s, int height) {
  int rows = height - s->count; // a legend for each panel, two lines for an axis
  for (int i = 0; i < s->count; i++) rows -= 2 * s->panels[i].has_axis;
  for (int i = 0; i < s->count; i++) {
    int left = s->count - i, share = (rows + left - 1) / left;
    s->panels[i].rows = share < LEAST_ROWS ? LEAST_ROWS : share;
    rows -= share;
  }
}

static void share_width(Screen *s, int width) {
  for (int i = 0; i < s->count; i++) {
    ScreenPanel *p = &s->panels[i];
    Ticks ticks;
    round_axis(&p->y, ticks_wanted(p));
    axis_ticks(&p->y, ticks_wanted(p), &ticks);
    s->label = (int)fmax(s->label, label_width(&ticks));
    s->name = (int)fmax(s->name, characters_width(p->x.label));
  }
  s->all = width;
  s->width = width - s->label - 3;
  if (s->name > s->width / 3) s->name = s->width / 3;
  s->width -= s->name;
  if (s->width < LEAST_WIDTH / 2) s->width = LEAST_WIDTH / 2;
}

void figure_screen(const Figure *f, int plots_most, const ScreenStyle *style, Text *out) {
  Screen s = {.arena = arena_new(), .colour = style->colour};
  choose_panels(&s, f, plots_most);
  share_axes(&s);
  share_height(&s, style->height < LEAST_HEIGHT ? LEAST_HEIGHT : style->height);
  share_width(&s, style->width < LEAST_WIDTH ? LEAST_WIDTH : style->width);
  for (int i = 0; i < s.count; i++) {
    print_panel(&s, i, out);
    if (s.panels[i].has_axis) print_axis(&s, &s.panels[i].x, out);
  }
  if (!s.count) text_add(out, "(nothing to plot)\n");
  arena_free(s.arena);
}
