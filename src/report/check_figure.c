#include "report/check_figure.h"

#include <math.h>

#include "draw/colour_scale.h"
#include "write/rounded.h"

enum { ROWS_MOST = 40, COLUMNS_MOST = 30 };
static const double COLUMN = 64, LINE = 24, EDGE = 16, HEAD = 50, WIDTH_LEAST = 600;
static const double NAME_MOST = 200;    // points, of a name
static const double LEAST_SHARE = 1e-3; // of the greatest effect: less has the lightest colour
static const Ink NO_EFFECT = 0xF4F4F4;

typedef struct EffectTable {
  const Check *c;
  int rows, columns; // shown
  const char **row;  // names of channels
  double left;       // of the cells
  ColourScale scale;
} EffectTable;

static double effect(const EffectTable *t, int row, int column) {
  size_t n = (size_t)t->c->problem->unknown_count;
  return 100 * t->c->sensitivity[(size_t)row * n + (size_t)column]; // percent
}

static void name_rows(EffectTable *t, Arena *a, const Problem *p) {
  t->row = ARENA_ARRAY(a, const char *, ROWS_MOST);
  for (int e = 0; e < p->experiment_count; e++)
    for (int k = 0; k < p->experiments[e].channel_count && t->rows < ROWS_MOST; k++) {
      const char *name = p->experiments[e].channels[k].name;
      t->row[t->rows++] =
          p->experiment_count > 1 ? arena_print(a, "%s in %s", name, p->experiments[e].name) : name;
    }
}

static void choose_scale(EffectTable *t) {
  double most = 0;
  for (int i = 0; i < t->rows; i++)
    for (int k = 0; k < t->columns; k++) most = fmax(most, effect(t, i, k));
  t->scale =
      (ColourScale){.least = most * LEAST_SHARE,
                    .most = most,
                    .log = true,
                    .label = "change in % of the rms of the data, if the parameter grows by 1 %"};
}

static void draw_cell(Figure *f, const EffectTable *t, int row, int column) {
  double value = effect(t, row, column);
  Frame cell = {t->left + column * COLUMN, HEAD + row * LINE, COLUMN, LINE};
  Ink fill = value > 0 ? colour_of(&t->scale, value) : NO_EFFECT;
  char text[ROUNDED_SIZE];
  rounded_digits(value, 2, text);
  figure_box(f, cell, fill, (Stroke){INK_WHITE, 1, DASH_FULL});
  figure_text(
      f, (Spot){cell.x + cell.width / 2, cell.y + cell.height / 2}, value > 0 ? text : "0",
      (Lettering){
          .size = AXES_TEXT - 1, .ink = ink_on(fill), .align = ALIGN_CENTRE, .centred = true});
}

static const char *title_of(Arena *a, const EffectTable *t, int channels) {
  const Problem *p = t->c->problem;
  bool all = t->rows == channels && t->columns == p->unknown_count;
  return arena_print(a, "Effect of the parameters%s: %s", all ? "" : " (the first ones)",
                     problem_name(p));
}

static double widest(const char *const *names, int count) {
  double room = 0;
  for (int i = 0; i < count; i++) room = fmax(room, figure_text_room(names[i], AXES_TEXT, false));
  return fmin(room, NAME_MOST);
}

// Names lie below the columns, or stand if one is too wide. Returns their height; f NULL: draws nothing.
static double place_names(Figure *f, const EffectTable *t, double foot) {
  const char *names[COLUMNS_MOST];
  for (int k = 0; k < t->columns; k++) names[k] = t->c->problem->unknowns[k].name;
  double room = widest(names, t->columns);
  bool upright = room > COLUMN - 6;
  Lettering letters = {.size = AXES_TEXT,
                       .align = upright ? ALIGN_RIGHT : ALIGN_CENTRE,
                       .upright = upright,
                       .centred = true};
  for (int k = 0; f && k < t->columns; k++)
    figure_text_within(f, (Spot){t->left + (k + 0.5) * COLUMN, foot + (upright ? 8 : 12)}, names[k],
                       letters, room);
  return upright ? room + 8 : 24;
}

static void draw_table(Figure *f, const EffectTable *t, double name) {
  for (int i = 0; i < t->rows; i++)
    figure_text_within(f, (Spot){t->left - 8, HEAD + (i + 0.5) * LINE}, t->row[i],
                       (Lettering){.size = AXES_TEXT, .align = ALIGN_RIGHT, .centred = true}, name);
  for (int i = 0; i < t->rows; i++)
    for (int k = 0; k < t->columns; k++) draw_cell(f, t, i, k);
}

Figure *check_sensitivity_figure(Arena *a, const Check *c) {
  const Problem *p = c->problem;
  int channels = 0;
  for (int e = 0; e < p->experiment_count; e++) channels += p->experiments[e].channel_count;
  if (!c->sensitivity || !channels || !p->unknown_count) return NULL;
  EffectTable t = {.c = c,
                   .columns = p->unknown_count < COLUMNS_MOST ? p->unknown_count : COLUMNS_MOST};
  name_rows(&t, a, p);
  choose_scale(&t);
  if (!(t.scale.most > 0 && isfinite(t.scale.most))) return NULL;
  double name = widest(t.row, t.rows), table = name + 8 + t.columns * COLUMN;
  double width = fmax(table + 2 * EDGE, WIDTH_LEAST), foot = HEAD + t.rows * LINE;
  t.left = (width - table) / 2 + name + 8;
  double below = foot + place_names(NULL, &t, foot) + 12, bar = fmin(width - 4 * EDGE, 480);
  const char *title = title_of(a, &t, channels);
  Figure *f = figure_new(a, width, below + COLOUR_BAR_ROOM, title);
  figure_text_within(f, (Spot){width / 2, 26}, title,
                     (Lettering){.size = 15, .align = ALIGN_CENTRE, .bold = true},
                     width - 2 * EDGE);
  draw_table(f, &t, name);
  place_names(f, &t, foot);
  colour_bar(f, (Spot){(width - bar) / 2, below}, bar, &t.scale);
  return f;
}
