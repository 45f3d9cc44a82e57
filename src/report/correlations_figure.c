#include "report/correlations_figure.h"

#include <math.h>
#include <stdlib.h>

#include "base/c_locale.h"
#include "draw/colour_scale.h"

static const double EDGE = 16, HEAD = 46, GAP = 8, LABEL_MOST = 170, WIDTH_LEAST = 420,
                    WIDTH_OF_TITLE = 680, NOTE = 22;
static const Stroke HATCH = {0xB0B0B0, 0.7, DASH_FULL}, BORDER = {0x303030, 1, DASH_FULL};
static const ColourScale SCALE = {-1, 1, false, "correlation", true};

typedef struct CorrelationMap {
  const Problem *problem;
  const Statistics *statistics;
  int shown[CORRELATIONS_MOST], count; // unknowns
  double cell, label;                  // size of a cell, room of names
  double digits;                       // size of the numbers in the cells, 0: none
} CorrelationMap;

static double correlation(const CorrelationMap *m, int i, int k) {
  int n = m->statistics->n;
  return m->statistics->correlation[m->shown[i] * n + m->shown[k]];
}

// ---------------------------------------------------------------- which unknowns

typedef struct Strength {
  int unknown;
  double most; // of its correlations with others; -1: all are unknown
} Strength;

static int stronger_first(const void *a, const void *b) {
  const Strength *x = a, *y = b;
  if (x->most != y->most) return x->most < y->most ? 1 : -1;
  return x->unknown - y->unknown;
}

static int earlier_first(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

static int choose(CorrelationMap *m, Arena *scratch) {
  int n = m->statistics->n, known = 0;
  Strength *all = ARENA_ARRAY(scratch, Strength, n + 1);
  for (int i = 0; i < n; i++) {
    all[i] = (Strength){i, -1};
    for (int k = 0; k < n; k++)
      if (k != i) all[i].most = fmax(all[i].most, fabs(m->statistics->correlation[i * n + k]));
    known += all[i].most >= 0;
  }
  qsort(all, (size_t)n, sizeof *all, stronger_first);
  m->count = n < CORRELATIONS_MOST ? n : CORRELATIONS_MOST;
  for (int i = 0; i < m->count; i++) m->shown[i] = all[i].unknown;
  qsort(m->shown, (size_t)m->count, sizeof *m->shown, earlier_first);
  return known;
}

// ---------------------------------------------------------------- picture

// Few cells are large and have numbers.
static void choose_sizes(CorrelationMap *m) {
  m->cell = m->count <= 4    ? 60
            : m->count <= 12 ? 44
            : m->count <= 24 ? 30
            : m->count <= 40 ? 20
                             : 15;
  m->digits = m->count <= 12 ? 12 : m->count <= 24 ? 9 : 0;
  for (int i = 0; i < m->count; i++)
    m->label =
        fmax(m->label, figure_text_room(m->problem->unknowns[m->shown[i]].name, AXES_TEXT, false));
  m->label = fmin(m->label, LABEL_MOST);
}

// "-0.97", in small cells "-.97"; what rounds to 1 without being it is not shown as 1.
static void print_correlation(char out[16], double value, bool narrow) {
  double size = fabs(value), shown = size < 1 ? fmin(size, 0.99) : size;
  char text[16];
  c_snprintf(text, sizeof text, "%.2f", shown);
  const char *digits = shown >= 1 ? "1" : narrow && shown < 0.995 ? text + 1 : text;
  c_snprintf(out, 16, "%s%s", value < 0 && shown >= 0.005 ? "-" : "", digits);
}

static void draw_cell(const CorrelationMap *m, Figure *f, Frame cell, double value) {
  if (isnan(value)) {
    figure_hatch(f, cell, 6, HATCH);
    return;
  }
  char text[16];
  Ink ink = colour_of(&SCALE, value);
  if (ink == INK_WHITE) ink = INK_ON_DARK; // white that is not that of the paper
  figure_box(f, cell, ink, NO_STROKE);
  print_correlation(text, value, m->digits < AXES_TEXT);
  if (m->digits > 0)
    figure_text(
        f, (Spot){cell.x + cell.width / 2, cell.y + cell.height / 2}, text,
        (Lettering){.size = m->digits, .ink = ink_on(ink), .align = ALIGN_CENTRE, .centred = true});
}

static void draw_map(const CorrelationMap *m, Figure *f, Frame frame) {
  double size = fmin(AXES_TEXT, m->cell * 0.8);
  bool unknown = false;
  for (int i = 0; i < m->count; i++) {
    const char *name = m->problem->unknowns[m->shown[i]].name;
    double middle = (i + 0.5) * m->cell;
    figure_text_within(f, (Spot){frame.x - GAP, frame.y + middle}, name,
                       (Lettering){.size = size, .align = ALIGN_RIGHT, .centred = true}, m->label);
    figure_text_within(
        f, (Spot){frame.x + middle, frame.y + frame.height + GAP}, name,
        (Lettering){.size = size, .align = ALIGN_RIGHT, .centred = true, .upright = true},
        m->label);
    for (int k = 0; k < m->count; k++) {
      Frame cell = {frame.x + k * m->cell, frame.y + i * m->cell, m->cell, m->cell};
      draw_cell(m, f, cell, correlation(m, i, k));
      unknown = unknown || isnan(correlation(m, i, k));
    }
  }
  figure_box(f, frame, INK_NONE, BORDER);
  if (unknown)
    figure_text(f, (Spot){EDGE, f->height - EDGE}, "Hatched: the data do not determine it.",
                (Lettering){.size = AXES_TEXT, .ink = INK_GREY});
}

static const char *title_of(Arena *a, const CorrelationMap *m) {
  int n = m->statistics->n;
  const char *some = n > m->count ? arena_print(a, " (the strongest %d of %d)", m->count, n) : "";
  return arena_print(a, "Correlations of the estimates: %s%s", problem_name(m->problem), some);
}

Figure *correlations_figure(Arena *a, const Problem *p, const Statistics *s) {
  CorrelationMap m = {.problem = p, .statistics = s};
  if (!s || s->n < 2 || s->n != p->unknown_count || !s->correlation || choose(&m, a) < 2)
    return NULL;
  choose_sizes(&m);
  double side = m.count * m.cell, need = EDGE + m.label + GAP + side + EDGE;
  const char *title = title_of(a, &m);
  double words = fmin(figure_text_room(title, 15, true) + 2 * EDGE, WIDTH_OF_TITLE);
  double width = fmax(fmax(need, WIDTH_LEAST), words), below = HEAD + side + GAP + m.label + EDGE;
  Figure *f = figure_new(a, width, below + COLOUR_BAR_ROOM + NOTE, title);
  figure_text_within(f, (Spot){width / 2, 26}, title,
                     (Lettering){.size = 15, .align = ALIGN_CENTRE, .bold = true},
                     width - 2 * EDGE);
  double left = EDGE + m.label + GAP + (width - need) / 2, bar = fmin(fmax(side, 240), 420);
  draw_map(&m, f, (Frame){left, HEAD, side, side});
  colour_bar(f, (Spot){fmin(left + (side - bar) / 2, width - EDGE - bar), below}, bar, &SCALE);
  return f;
}
