#include "draw/figure_png.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>

#include "base/memory.h"
#include "draw/figure_font.h"

enum { SUBROWS = 8, PIXELS_MOST = 1 << 26, PALETTE_MOST = 256 };
enum { COVERS = 12 }; // levels of coverage of a pixel: few colours make small files
static const double PEN = 1.45, PEN_BOLD = 2.3; // of letters, in units of the font

typedef struct Bounds { // pixels: x0 <= x < x1
  int x0, y0, x1, y1;
} Bounds;

typedef struct Raster {
  Arena *arena;
  int width, height;
  double scale;
  float *mask; // covered share of each pixel; 0 outside `touched`
  Bounds touched, clip;
  unsigned char *rgb;
} Raster;

// ---------------------------------------------------------------- the mask

static Bounds cut(Bounds a, Bounds b) {
  return (Bounds){a.x0 > b.x0 ? a.x0 : b.x0, a.y0 > b.y0 ? a.y0 : b.y0, a.x1 < b.x1 ? a.x1 : b.x1,
                  a.y1 < b.y1 ? a.y1 : b.y1};
}

static int limited(double v, double most) { // converting huge numbers is undefined
  return (int)fmin(fmax(v, -1), most + 1);
}

// Adds the pixels of an area to `touched`; returns them.
static Bounds touch(Raster *r, double x0, double y0, double x1, double y1) {
  Bounds b = {limited(floor(x0), r->width), limited(floor(y0), r->height),
              limited(ceil(x1), r->width), limited(ceil(y1), r->height)};
  b = cut(b, r->clip);
  if (b.x0 >= b.x1 || b.y0 >= b.y1) return (Bounds){0};
  Bounds *t = &r->touched;
  bool first = t->x0 >= t->x1;
  t->x0 = first || b.x0 < t->x0 ? b.x0 : t->x0;
  t->y0 = first || b.y0 < t->y0 ? b.y0 : t->y0;
  t->x1 = first || b.x1 > t->x1 ? b.x1 : t->x1;
  t->y1 = first || b.y1 > t->y1 ? b.y1 : t->y1;
  return b;
}

static float *mask_at(Raster *r, int x, int y) {
  return &r->mask[(size_t)y * (size_t)r->width + (size_t)x];
}

static void raise_to(float *mask, double cover) {
  if (cover > (double)*mask) *mask = (float)fmin(cover, 1);
}

static double distance_to_segment(Spot p, Spot a, Spot b) {
  double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  double u = square > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / square : 0;
  u = fmin(1, fmax(0, u));
  return hypot(p.x - a.x - u * dx, p.y - a.y - u * dy);
}

// Share of a pixel covered by a line whose axis is `distance` away. Lines thinner than a pixel are paler instead.
static double line_cover(double distance, double width) {
  double half = fmax(width, 1) / 2;
  return fmin(width, 1) * fmin(1, fmax(0, half + 0.5 - distance));
}

// A piece of a line with round ends.
static void draw_segment(Raster *r, Spot a, Spot b, double width) {
  double reach = width / 2 + 1;
  if (!isfinite(a.x + a.y + b.x + b.y)) return;
  Bounds at = touch(r, fmin(a.x, b.x) - reach, fmin(a.y, b.y) - reach, fmax(a.x, b.x) + reach,
                    fmax(a.y, b.y) + reach);
  for (int y = at.y0; y < at.y1; y++)
    for (int x = at.x0; x < at.x1; x++)
      raise_to(mask_at(r, x, y),
               line_cover(distance_to_segment((Spot){x + 0.5, y + 0.5}, a, b), width));
}

// radius to the middle of the line; width < 0: a disc.
static void draw_circle(Raster *r, Spot m, double radius, double width) {
  double reach = radius + fmax(width, 0) / 2 + 1;
  if (!isfinite(m.x + m.y + reach)) return;
  Bounds at = touch(r, m.x - reach, m.y - reach, m.x + reach, m.y + reach);
  for (int y = at.y0; y < at.y1; y++)
    for (int x = at.x0; x < at.x1; x++) {
      double d = hypot(x + 0.5 - m.x, y + 0.5 - m.y);
      raise_to(mask_at(r, x, y),
               width < 0 ? fmax(0, radius + 0.5 - d) : line_cover(fabs(d - radius), width));
    }
}

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Adds a span of one of the rows that a row of pixels is divided into.
static void add_span(Raster *r, Bounds at, int y, double from, double to) {
  from = fmax(from, at.x0);
  to = fmin(to, at.x1);
  for (int x = (int)floor(from); x < at.x1 && x < to; x++) {
    double part = fmin(to, x + 1) - fmax(from, x);
    float *m = mask_at(r, x, y);
    if (part > 0) *m = (float)fmin(1, (double)*m + part / SUBROWS);
  }
}

static int find_crossings(const Spot *s, int count, double y, double *crossings) {
  int found = 0;
  for (int i = 0; i < count; i++) {
    Spot a = s[i], b = s[(i + 1) % count];
    if ((a.y <= y) != (b.y <= y)) crossings[found++] = a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x);
  }
  qsort(crossings, (size_t)found, sizeof *crossings, compare_numbers);
  return found;
}

static void draw_polygon(Raster *r, const Spot *s, int count) {
  double low_x = HUGE_VAL, low_y = HUGE_VAL, high_x = -HUGE_VAL, high_y = -HUGE_VAL;
  for (int i = 0; i < count; i++) {
    if (!isfinite(s[i].x + s[i].y)) return;
    low_x = fmin(low_x, s[i].x), high_x = fmax(high_x, s[i].x);
    low_y = fmin(low_y, s[i].y), high_y = fmax(high_y, s[i].y);
  }
  Bounds at = touch(r, low_x, low_y, high_x, high_y);
  double *crossings = ARENA_ARRAY(r->arena, double, count);
  for (int row = at.y0 * SUBROWS; row < at.y1 * SUBROWS; row++) {
    int n = find_crossings(s, count, (row + 0.5) / SUBROWS, crossings);
    for (int i = 0; i + 1 < n; i += 2)
      add_span(r, at, row / SUBROWS, crossings[i], crossings[i + 1]);
  }
}

// Edges at whole pixels.
static void draw_sharp_box(Raster *r, Spot a, Spot b) {
  Bounds at = touch(r, round(a.x), round(a.y), round(b.x), round(b.y));
  for (int y = at.y0; y < at.y1; y++)
    for (int x = at.x0; x < at.x1; x++) *mask_at(r, x, y) = 1;
}

// Blends the ink through the mask, then clears the mask.
static void paint(Raster *r, Ink ink) {
  const double part[3] = {(ink >> 16) & 255, (ink >> 8) & 255, ink & 255};
  Bounds t = r->touched;
  for (int y = t.y0; y < t.y1; y++)
    for (int x = t.x0; x < t.x1; x++) {
      float *m = mask_at(r, x, y);
      unsigned char *c = &r->rgb[3 * (m - r->mask)];
      double cover = round((double)*m * COVERS) / COVERS;
      *m = 0;
      for (int k = 0; cover > 0 && k < 3; k++)
        c[k] = (unsigned char)lrint(c[k] + cover * (part[k] - c[k]));
    }
  r->touched = (Bounds){0};
}

// ---------------------------------------------------------------- lines with dashes

typedef struct Dasher {
  double lengths[4]; // pixels
  int count, now;
  double left; // of the present dash or gap
} Dasher;

// Round line ends lengthen a dash by the line width; the gap is shortened by as much.
static Dasher dasher_new(Stroke s, double scale) {
  Dasher d = {0};
  d.count = dash_pattern(s.dash, d.lengths);
  for (int i = 0; i < d.count; i++)
    d.lengths[i] = fmax(0.01, d.lengths[i] + (i % 2 ? 1 : -1)) * s.width * scale;
  d.left = d.lengths[0];
  return d;
}

static Spot between(Spot a, Spot b, double u) {
  return (Spot){a.x + u * (b.x - a.x), a.y + u * (b.y - a.y)};
}

static void draw_dashed(Raster *r, Dasher *d, Spot a, Spot b, double width) {
  double length = hypot(b.x - a.x, b.y - a.y), done = 0;
  if (!isfinite(length) || length > 1e5) return;
  while (done < length) {
    double piece = fmin(fmax(d->left, 1e-3), length - done);
    if (d->now % 2 == 0)
      draw_segment(r, between(a, b, done / length), between(a, b, (done + piece) / length), width);
    done += piece;
    d->left -= piece;
    if (d->left > 1e-9) continue;
    d->now = (d->now + 1) % d->count;
    d->left = d->lengths[d->now];
  }
}

static void draw_lines(Raster *r, const Spot *s, int count, bool closed, Stroke stroke) {
  double width = stroke.width * r->scale;
  Dasher d = dasher_new(stroke, r->scale);
  for (int i = 0; i + 1 < count + closed; i++) {
    if (d.count)
      draw_dashed(r, &d, s[i], s[(i + 1) % count], width);
    else
      draw_segment(r, s[i], s[(i + 1) % count], width);
  }
  paint(r, stroke.ink);
}

// ---------------------------------------------------------------- shapes

static Spot to_pixels(const Raster *r, Spot s) {
  return (Spot){s.x * r->scale, s.y * r->scale};
}

static void draw_box(Raster *r, const Shape *s) {
  const Frame *f = &s->frame;
  Spot corner[4] = {{f->x, f->y},
                    {f->x + f->width, f->y},
                    {f->x + f->width, f->y + f->height},
                    {f->x, f->y + f->height}};
  for (int i = 0; i < 4; i++) corner[i] = to_pixels(r, corner[i]);
  if (s->fill != INK_NONE) {
    draw_sharp_box(r, corner[0], corner[2]);
    paint(r, s->fill);
  }
  if (s->stroke.ink != INK_NONE) draw_lines(r, corner, 4, true, s->stroke);
}

static void draw_path(Raster *r, const Shape *s) {
  Spot *at = ARENA_ARRAY(r->arena, Spot, s->spot_count);
  for (int i = 0; i < s->spot_count; i++) at[i] = to_pixels(r, s->spots[i]);
  if (s->fill != INK_NONE) {
    draw_polygon(r, at, s->spot_count);
    paint(r, s->fill);
  }
  if (s->stroke.ink != INK_NONE) draw_lines(r, at, s->spot_count, s->closed, s->stroke);
}

static void draw_round(Raster *r, const Shape *s) {
  Spot m = to_pixels(r, s->spots[0]);
  if (s->fill != INK_NONE) {
    draw_circle(r, m, s->radius * r->scale, -1);
    paint(r, s->fill);
  }
  if (s->stroke.ink == INK_NONE) return;
  draw_circle(r, m, s->radius * r->scale, s->stroke.width * r->scale);
  paint(r, s->stroke.ink);
}

typedef struct Writing { // from units of the font to pixels
  Spot origin;
  double unit;
  bool upright;
} Writing;

static Spot font_to_pixels(const Writing *w, double x, double y) {
  x *= w->unit, y *= w->unit;
  return w->upright ? (Spot){w->origin.x - y, w->origin.y - x}
                    : (Spot){w->origin.x + x, w->origin.y - y};
}

static void draw_glyph(Raster *r, const Writing *w, const Glyph *g, double x, double pen) {
  FontSpot spots[FONT_SPOTS_MOST];
  const char *strokes = g->strokes;
  for (int n; (n = font_stroke(&strokes, spots)) > 0;) {
    Spot last = font_to_pixels(w, x + spots[0].x, spots[0].y);
    for (int i = n > 1; i < n; i++) {
      Spot next = font_to_pixels(w, x + spots[i].x, spots[i].y);
      draw_segment(r, last, next, n > 1 ? pen : 1.25 * pen);
      last = next;
    }
  }
}

static void draw_letters(Raster *r, const Shape *s) {
  const Lettering *l = &s->lettering;
  Writing w = {to_pixels(r, s->spots[0]), l->size * r->scale / FONT_SIZE, l->upright};
  double length = figure_text_width(s->text, FONT_SIZE) - FONT_BETWEEN;
  double x = l->align == ALIGN_LEFT ? 0 : l->align == ALIGN_CENTRE ? -length / 2 : -length;
  double y = l->centred ? -FONT_CAPITAL / 2.0 : 0;
  double pen = (l->bold ? PEN_BOLD : PEN) * w.unit;
  w.origin = font_to_pixels(&w, 0, y);
  for (const char *text = s->text; *text;) {
    Glyph g = font_glyph(&text);
    draw_glyph(r, &w, &g, x + font_bearing(&g), pen);
    x += font_advance(&g);
  }
  paint(r, l->ink);
}

static void draw_shape(Raster *r, const Shape *s) {
  static void (*const DRAW[])(Raster *, const Shape *) = {
      [SHAPE_BOX] = draw_box,
      [SHAPE_PATH] = draw_path,
      [SHAPE_CIRCLE] = draw_round,
      [SHAPE_LETTERS] = draw_letters,
  };
  DRAW[s->kind](r, s);
}

static Bounds clip_of(const Raster *r, const Figure *f, int clip) {
  Bounds all = {0, 0, r->width, r->height};
  if (clip < 0) return all;
  const Frame *c = &f->clips.at[clip];
  Bounds b = {limited(round(c->x * r->scale), r->width), limited(round(c->y * r->scale), r->height),
              limited(round((c->x + c->width) * r->scale), r->width),
              limited(round((c->y + c->height) * r->scale), r->height)};
  return cut(b, all);
}

// ---------------------------------------------------------------- the file

// Rounds a component to so many bits; black and white stay exact.
static unsigned char coarse(unsigned char c, int bits) {
  unsigned most = (1u << bits) - 1, level = (c * most + 127) / 255;
  return (unsigned char)((level * 255 + most / 2) / most);
}

typedef struct Palette {
  unsigned char colour[3 * PALETTE_MOST];
  int count;
} Palette;

// Gives each pixel the number of its colour with so many bits per component. false: too many colours for a palette.
static bool number_colours(const Raster *r, int bits, Palette *p, unsigned char *number) {
  size_t pixels = (size_t)r->width * (size_t)r->height;
  int last = 0;
  p->count = 0;
  for (size_t i = 0; i < pixels; i++) {
    unsigned char c[3];
    for (int k = 0; k < 3; k++) c[k] = coarse(r->rgb[3 * i + (size_t)k], bits);
    if (p->count == 0 || memcmp(c, p->colour + 3 * last, 3) != 0) {
      for (last = 0; last < p->count && memcmp(c, p->colour + 3 * last, 3) != 0;) last++;
      if (last == PALETTE_MOST) return false;
      if (last == p->count) memcpy(p->colour + 3 * p->count++, c, 3);
    }
    number[i] = (unsigned char)last;
  }
  return true;
}

// Pictures have few colours; with a palette they need a third of the bytes. Blended edges may be rounded for that.
static bool choose_palette(const Raster *r, Palette *p, unsigned char *number) {
  for (int bits = 8; bits >= 5; bits--)
    if (number_colours(r, bits, p, number)) return true;
  return false;
}

static void write_png(const Raster *r, Text *out) {
  png_image image = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)r->width,
                     .height = (png_uint_32)r->height};
  Palette palette;
  unsigned char *number = ARENA_ARRAY(r->arena, unsigned char, (size_t)r->width *(size_t)r->height);
  bool numbered = choose_palette(r, &palette, number);
  const void *pixels = numbered ? number : r->rgb;
  image.format = numbered ? PNG_FORMAT_RGB_COLORMAP : PNG_FORMAT_RGB;
  image.colormap_entries = numbered ? (png_uint_32)palette.count : 0;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  char *bytes = ARENA_RAW(r->arena, char, size);
  if (!png_image_write_to_memory(&image, bytes, &size, 0, pixels, 0, palette.colour))
    out_of_memory(); // the picture is complete and there is room for any result
  text_add_bytes(out, bytes, size);
}

static Raster raster_new(const Figure *f, double scale) {
  Raster r = {.arena = arena_new(),
              .scale = scale,
              .width = (int)ceil(f->width * scale),
              .height = (int)ceil(f->height * scale)};
  size_t pixels = (size_t)r.width * (size_t)r.height;
  r.mask = ARENA_ARRAY(r.arena, float, pixels);
  r.rgb = ARENA_ARRAY(r.arena, unsigned char, 3 * pixels);
  memset(r.rgb, 255, 3 * pixels);
  return r;
}

bool figure_png(const Figure *f, double scale, Text *out) {
  if (!(f->width * scale >= 1 && f->height * scale >= 1 &&
        f->width * scale * f->height * scale <= PIXELS_MOST))
    return false;
  Raster r = raster_new(f, scale);
  for (int i = 0; i < f->shapes.count; i++) {
    r.clip = clip_of(&r, f, f->shapes.at[i].clip);
    draw_shape(&r, &f->shapes.at[i]);
  }
  write_png(&r, out);
  arena_free(r.arena);
  return true;
}
