#include "draw/figure_svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "write/html.h"

// Rounds to hundredths of a point, which keeps files small.
static void add_number(Text *out, double v) {
  char digits[32];
  double rounded = round(v * 100) / 100;
  c_snprintf(digits, sizeof digits, "%.10g", rounded + 0.0); // no -0
  text_add(out, digits);
}

static void add_attribute(Text *out, const char *name, double v) {
  text_print(out, " %s=\"", name);
  add_number(out, v);
  text_add(out, "\"");
}

static void add_ink(Text *out, const char *name, Ink ink) {
  if (ink == INK_NONE)
    text_print(out, " %s=\"none\"", name);
  else
    text_print(out, " %s=\"#%06x\"", name, (unsigned)ink & 0xFFFFFF);
}

static void add_stroke(Text *out, Stroke s) {
  double lengths[4];
  int count = dash_pattern(s.dash, lengths);
  if (s.ink == INK_NONE) return;
  add_ink(out, "stroke", s.ink);
  add_attribute(out, "stroke-width", s.width);
  for (int i = 0; i < count; i++) {
    text_add(out, i ? " " : " stroke-dasharray=\"");
    add_number(out, lengths[i] * s.width);
  }
  if (count) text_add(out, "\"");
}

static void add_box(Text *out, const Shape *s) {
  text_add(out, "<rect");
  add_attribute(out, "x", s->frame.x);
  add_attribute(out, "y", s->frame.y);
  add_attribute(out, "width", fmax(0, s->frame.width));
  add_attribute(out, "height", fmax(0, s->frame.height));
  add_ink(out, "fill", s->fill);
  add_stroke(out, s->stroke);
  if (s->stroke.ink == INK_NONE) text_add(out, " shape-rendering=\"crispEdges\"");
  text_add(out, "/>\n");
}

static void add_path(Text *out, const Shape *s) {
  text_add(out, "<path d=\"");
  for (int i = 0; i < s->spot_count; i++) {
    text_add(out, i ? " " : "M");
    add_number(out, s->spots[i].x);
    text_add(out, " ");
    add_number(out, s->spots[i].y);
  }
  text_add(out, s->closed ? "Z\"" : "\"");
  add_ink(out, "fill", s->fill);
  add_stroke(out, s->stroke);
  text_add(out, "/>\n");
}

static void add_circle(Text *out, const Shape *s) {
  text_add(out, "<circle");
  add_attribute(out, "cx", s->spots[0].x);
  add_attribute(out, "cy", s->spots[0].y);
  add_attribute(out, "r", s->radius);
  add_ink(out, "fill", s->fill);
  add_stroke(out, s->stroke);
  text_add(out, "/>\n");
}

static void add_letters(Text *out, const Shape *s) {
  static const char *const ANCHOR[] = {"start", "middle", "end"};
  const Lettering *l = &s->lettering;
  double shift = l->centred ? 0.35 * l->size : 0; // half the height of capitals
  Spot at = s->spots[0];
  text_add(out, "<text");
  if (l->upright) {
    text_add(out, " transform=\"translate(");
    add_number(out, at.x + shift);
    text_add(out, " ");
    add_number(out, at.y);
    text_add(out, ") rotate(-90)\"");
  } else {
    add_attribute(out, "x", at.x);
    add_attribute(out, "y", at.y + shift);
  }
  add_attribute(out, "font-size", l->size);
  if (l->align != ALIGN_LEFT) text_print(out, " text-anchor=\"%s\"", ANCHOR[l->align]);
  if (l->bold) text_add(out, " font-weight=\"bold\"");
  if (l->ink != INK_BLACK) add_ink(out, "fill", l->ink);
  text_add(out, ">");
  if (s->whole) { // the tooltip
    text_add(out, "<title>");
    html_attribute(out, s->whole);
    text_add(out, "</title>");
  }
  html_attribute(out, s->text);
  text_add(out, "</text>\n");
}

static void add_shape(Text *out, const Shape *s) {
  static void (*const ADD[])(Text *, const Shape *) = {
      [SHAPE_BOX] = add_box,
      [SHAPE_PATH] = add_path,
      [SHAPE_CIRCLE] = add_circle,
      [SHAPE_LETTERS] = add_letters,
  };
  ADD[s->kind](out, s);
}

static bool is_same(const Frame *a, const Frame *b) { // as they are printed
  return round(a->x * 100) == round(b->x * 100) && round(a->y * 100) == round(b->y * 100) &&
         round(a->width * 100) == round(b->width * 100) &&
         round(a->height * 100) == round(b->height * 100);
}

// The name contains the numbers: equal frames share it.
static void add_clip_name(Text *out, const char *name, const Frame *c) {
  const double numbers[] = {c->x, c->y, c->width, c->height};
  text_print(out, "%sclip", name);
  for (int i = 0; i < 4; i++) {
    text_add(out, "_");
    add_number(out, numbers[i]);
  }
}

static void add_clips(Text *out, const char *name, const Figure *f) {
  for (int i = 0; i < f->clips.count; i++) {
    const Frame *c = &f->clips.at[i];
    bool again = false;
    for (int k = 0; k < i; k++) again |= is_same(&f->clips.at[k], c);
    if (again) continue;
    text_add(out, "<clipPath id=\"");
    add_clip_name(out, name, c);
    text_add(out, "\"><rect");
    add_attribute(out, "x", c->x);
    add_attribute(out, "y", c->y);
    add_attribute(out, "width", fmax(0, c->width));
    add_attribute(out, "height", fmax(0, c->height));
    text_add(out, "/></clipPath>\n");
  }
}

// above: so much is cut off.
static void add_head(Text *out, const Figure *f, double above) {
  text_add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
  add_attribute(out, "width", f->width);
  add_attribute(out, "height", f->height - above);
  text_add(out, " viewBox=\"0 ");
  add_number(out, above);
  text_add(out, " ");
  add_number(out, f->width);
  text_add(out, " ");
  add_number(out, f->height - above);
  text_add(out,
           "\" font-family=\"Helvetica, Arial, sans-serif\" stroke-linejoin=\"round\">\n<title>");
  html_attribute(out, f->title);
  text_add(out, "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
}

static bool is_title(const Figure *f, const Shape *s);

// name: NULL: it is a file of its own.
static void write_svg(const Figure *f, const char *name, Text *out) {
  bool inside = name != NULL;
  int clip = -1;
  double above = 0;
  for (int i = 0; inside && i < f->shapes.count; i++)
    if (is_title(f, &f->shapes.at[i]))
      above = f->shapes.at[i].spots[0].y + f->shapes.at[i].lettering.size / 3;
  add_head(out, f, above);
  add_clips(out, inside ? name : "", f);
  for (int i = 0; i < f->shapes.count; i++) {
    const Shape *s = &f->shapes.at[i];
    if (s->clip != clip && clip >= 0) text_add(out, "</g>\n");
    if (s->clip != clip && s->clip >= 0) {
      text_add(out, "<g clip-path=\"url(#");
      add_clip_name(out, inside ? name : "", &f->clips.at[s->clip]);
      text_add(out, ")\">\n");
    }
    clip = s->clip;
    if (!inside || !is_title(f, s)) add_shape(out, s);
  }
  if (clip >= 0) text_add(out, "</g>\n");
  text_add(out, "</svg>\n");
}

void figure_svg(const Figure *f, Text *out) {
  write_svg(f, NULL, out);
}

// ---------------------------------------------------------------- in a page

static int hex_digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// "#rrggbb" at s; -1: it is not there. In texts there is no quote, so that it is always a value.
static Ink ink_at(const char *s) {
  Ink ink = 0;
  if (s[0] != '"' || s[1] != '#') return -1;
  for (int i = 2; i < 8; i++) {
    int digit = hex_digit(s[i]);
    if (digit < 0) return -1;
    ink = 16 * ink + digit;
  }
  return s[8] == '"' ? ink : -1;
}

enum { PALE = 0xC0, DARK = 0x50 };

// A box may be a cell with letters on it, which its colour was chosen for: only white ones are paper.
static bool is_box(const char *begin, const char *value) {
  static const char FILL[] = " fill=";
  const char *tag = value;
  while (tag > begin && *tag != '<') tag--;
  return strncmp(tag, "<rect", 5) == 0 && value - begin > (int)sizeof FILL &&
         strncmp(value - (sizeof FILL - 1), FILL, sizeof FILL - 1) == 0;
}

static void add_paper_ink(Text *out, Ink ink) {
  int r = ink >> 16, g = ink >> 8 & 0xFF, b = ink & 0xFF;
  bool grey = r == g && g == b;
  if (ink == INK_WHITE)
    text_add(out, "\"var(--paper)\"");
  else if (grey && r != 1 && r != 0xFE && r < DARK)
    text_add(out, "\"currentColor\"");
  else if (grey && r != 1 && r != 0xFE)
    text_add(out, r < 0xA0 ? "\"var(--mid)\"" : "\"var(--line)\"");
  else if (r >= PALE && g >= PALE && b >= PALE && r < 0xFE)
    text_print(out, "\"color-mix(in srgb, #%06x, var(--paper) var(--tint))\"", (unsigned)ink);
  else
    text_print(out, "\"#%06x\"", (unsigned)ink);
}

// The title stands above the picture in the page already.
static bool is_title(const Figure *f, const Shape *s) {
  return s->kind == SHAPE_LETTERS && s->lettering.bold &&
         strcmp(s->whole ? s->whole : s->text, f->title) == 0;
}

void figure_svg_inside(const Figure *f, const char *name, Text *out) {
  Text plain;
  text_init(&plain);
  write_svg(f, name, &plain);
  const char *done = plain.at;
  for (const char *s = strchr(done, '"'); s; s = strchr(s, '"')) {
    Ink ink = ink_at(s);
    if (ink < 0 || (ink != INK_WHITE && is_box(plain.at, s))) {
      s++;
      continue;
    }
    text_add_bytes(out, done, (size_t)(s - done));
    add_paper_ink(out, ink);
    done = s += 9;
  }
  text_add(out, done);
  text_done(&plain);
}
