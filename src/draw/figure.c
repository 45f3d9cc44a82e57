#include "draw/figure.h"

#include <math.h>

#include "base/character.h"

// Okabe and Ito (2008), Color universal design, without black; blue and vermilion first.
static const Ink SERIES[INK_SERIES] = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7,
                                       0xE69F00, 0x56B4E9, 0xF0E442};

Ink ink_series(int i) {
  return SERIES[(i % INK_SERIES + INK_SERIES) % INK_SERIES];
}

static int mix_part(Ink a, Ink b, int shift, double share) {
  double from = (a >> shift) & 255, to = (b >> shift) & 255;
  return (int)lrint(from + share * (to - from)) << shift;
}

Ink ink_mix(Ink a, Ink b, double share_of_b) {
  double share = fmin(1, fmax(0, share_of_b));
  return mix_part(a, b, 16, share) | mix_part(a, b, 8, share) | mix_part(a, b, 0, share);
}

// Relative luminance and contrast of WCAG 2.1.
static double light_of(Ink ink) {
  static const double WEIGHT[3] = {0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    double part = ((ink >> (16 - 8 * i)) & 255) / 255.0;
    sum += WEIGHT[i] * (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
  }
  return sum;
}

Ink ink_on(Ink area) {
  double light = light_of(area) + 0.05;
  return light * light >= 0.05 * 1.05 ? INK_ON_LIGHT : INK_ON_DARK;
}

int dash_pattern(Dash d, double lengths[4]) {
  static const double PATTERN[DASH_COUNT][4] = {{0}, {5, 3}, {1, 2.5}, {6, 2.5, 1, 2.5}};
  static const int COUNT[DASH_COUNT] = {0, 2, 2, 4};
  memcpy(lengths, PATTERN[d], sizeof PATTERN[d]);
  return COUNT[d];
}

static const char REPLACEMENT[] = "\uFFFD";

const char *figure_letters(Arena *a, const char *text) {
  char *copy = ARENA_RAW(a, char, strlen(text) * strlen(REPLACEMENT) + 1), *to = copy;
  while (*text) {
    Character c = character_at(text);
    if (c.hidden || c.code == 0xFFFE || c.code == 0xFFFF)
      to = stpcpy(to, REPLACEMENT);
    else if (c.code < ' ')
      *to++ = ' ';
    else
      to = mempcpy(to, text, (size_t)c.bytes);
    text += c.bytes;
  }
  *to = 0;
  return copy;
}

Figure *figure_new(Arena *a, double width, double height, const char *title) {
  Figure *f = ARENA_NEW(a, Figure);
  *f = (Figure){
      .arena = a, .width = width, .height = height, .title = figure_letters(a, title), .clip = -1};
  return f;
}

void figure_clip(Figure *f, Frame frame) {
  array_push(f->arena, &f->clips, frame);
  f->clip = f->clips.count - 1;
}

void figure_unclip(Figure *f) {
  f->clip = -1;
}

static void add(Figure *f, Shape s) {
  s.clip = f->clip;
  array_push(f->arena, &f->shapes, s);
}

static Spot *copy_spots(Figure *f, const Spot *spots, int count) {
  Spot *copy = ARENA_ARRAY(f->arena, Spot, count);
  if (count) memcpy(copy, spots, (size_t)count * sizeof *copy);
  return copy;
}

static void add_path(Figure *f, const Spot *spots, int count, bool closed, Ink fill,
                     Stroke stroke) {
  add(f, (Shape){.kind = SHAPE_PATH,
                 .spots = copy_spots(f, spots, count),
                 .spot_count = count,
                 .closed = closed,
                 .fill = fill,
                 .stroke = stroke});
}

void figure_box(Figure *f, Frame frame, Ink fill, Stroke stroke) {
  add(f, (Shape){.kind = SHAPE_BOX, .frame = frame, .fill = fill, .stroke = stroke});
}

void figure_line(Figure *f, Spot from, Spot to, Stroke stroke) {
  add_path(f, (Spot[]){from, to}, 2, false, INK_NONE, stroke);
}

void figure_curve(Figure *f, const Spot *spots, int count, Stroke stroke) {
  if (count > 1) add_path(f, spots, count, false, INK_NONE, stroke);
}

void figure_polygon(Figure *f, const Spot *spots, int count, Ink fill, Stroke stroke) {
  if (count > 2) add_path(f, spots, count, true, fill, stroke);
}

void figure_circle(Figure *f, Spot middle, double radius, Ink fill, Stroke stroke) {
  add(f, (Shape){.kind = SHAPE_CIRCLE,
                 .spots = copy_spots(f, &middle, 1),
                 .spot_count = 1,
                 .radius = radius,
                 .fill = fill,
                 .stroke = stroke});
}

// A regular polygon, or a star when inner < outer; the first corner at this angle, clockwise from the right.
static void add_regular(Figure *f, Spot m, int corners, double outer, double inner, double angle,
                        Ink fill, Stroke stroke) {
  Spot spots[16];
  for (int i = 0; i < corners; i++) {
    double r = i % 2 ? inner : outer, phi = angle + 2 * M_PI * i / corners;
    spots[i] = (Spot){m.x + r * cos(phi), m.y + r * sin(phi)};
  }
  figure_polygon(f, spots, corners, fill, stroke);
}

static void add_lines(Figure *f, Spot m, double dx, double dy, Stroke stroke) {
  figure_line(f, (Spot){m.x - dx, m.y - dy}, (Spot){m.x + dx, m.y + dy}, stroke);
  figure_line(f, (Spot){m.x + dy, m.y - dx}, (Spot){m.x - dy, m.y + dx}, stroke);
}

void figure_marker(Figure *f, Marker marker, Spot m, double size, Ink fill, Stroke stroke) {
  double r = size / 2, diagonal = r * M_SQRT1_2;
  switch (marker) {
  case MARKER_NONE: break;
  case MARKER_CIRCLE: figure_circle(f, m, r, fill, stroke); break;
  case MARKER_SQUARE: add_regular(f, m, 4, r * 1.2, r * 1.2, M_PI / 4, fill, stroke); break;
  case MARKER_DIAMOND: add_regular(f, m, 4, r * 1.15, r * 1.15, 0, fill, stroke); break;
  case MARKER_TRIANGLE: add_regular(f, m, 3, r * 1.15, r * 1.15, -M_PI / 2, fill, stroke); break;
  case MARKER_PLUS: add_lines(f, m, r, 0, stroke); break;
  case MARKER_CROSS: add_lines(f, m, diagonal, diagonal, stroke); break;
  case MARKER_STAR: add_regular(f, m, 10, r * 1.2, r * 0.5, -M_PI / 2, fill, stroke); break;
  }
}

void figure_text(Figure *f, Spot at, const char *text, Lettering lettering) {
  if (!text || !text[0]) return;
  add(f, (Shape){.kind = SHAPE_LETTERS,
                 .spots = copy_spots(f, &at, 1),
                 .spot_count = 1,
                 .fill = INK_NONE,
                 .stroke = NO_STROKE,
                 .text = figure_letters(f->arena, text),
                 .lettering = lettering});
}
