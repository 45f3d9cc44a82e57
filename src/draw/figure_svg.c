#include "draw/figure_svg.h"

#include <math.h>
#include <stdlib.h>

#include "base/c_locale.h"

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

static void add_escaped(Text *out, const char *s) {
  for (; *s; s++) {
    unsigned char c = (unsigned char)*s;
    if (c == '<')
      text_add(out, "&lt;");
    else if (c == '>')
      text_add(out, "&gt;");
    else if (c == '&')
      text_add(out, "&amp;");
    else if (c == '"')
      text_add(out, "&quot;");
    else if (c < ' ')
      text_add(out, " "); // XML allows no control characters
    else
      text_add_bytes(out, s, 1);
  }
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
    add_escaped(out, s->whole);
    text_add(out, "</title>");
  }
  add_escaped(out, s->text);
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

// The name contains the numbers: figures in one page may share a name only if the frames are equal.
static void add_clip_name(Text *out, const Frame *c) {
  const double numbers[] = {c->x, c->y, c->width, c->height};
  text_add(out, "clip");
  for (int i = 0; i < 4; i++) {
    text_add(out, "_");
    add_number(out, numbers[i]);
  }
}

static void add_clips(Text *out, const Figure *f) {
  for (int i = 0; i < f->clips.count; i++) {
    const Frame *c = &f->clips.at[i];
    text_add(out, "<clipPath id=\"");
    add_clip_name(out, c);
    text_add(out, "\"><rect");
    add_attribute(out, "x", c->x);
    add_attribute(out, "y", c->y);
    add_attribute(out, "width", fmax(0, c->width));
    add_attribute(out, "height", fmax(0, c->height));
    text_add(out, "/></clipPath>\n");
  }
}

static void add_head(Text *out, const Figure *f) {
  text_add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
  add_attribute(out, "width", f->width);
  add_attribute(out, "height", f->height);
  text_add(out, " viewBox=\"0 0 ");
  add_number(out, f->width);
  text_add(out, " ");
  add_number(out, f->height);
  text_add(out,
           "\" font-family=\"Helvetica, Arial, sans-serif\" stroke-linejoin=\"round\">\n<title>");
  add_escaped(out, f->title);
  text_add(out, "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
}

void figure_svg(const Figure *f, Text *out) {
  int clip = -1;
  add_head(out, f);
  add_clips(out, f);
  for (int i = 0; i < f->shapes.count; i++) {
    const Shape *s = &f->shapes.at[i];
    if (s->clip != clip && clip >= 0) text_add(out, "</g>\n");
    if (s->clip != clip && s->clip >= 0) {
      text_add(out, "<g clip-path=\"url(#");
      add_clip_name(out, &f->clips.at[s->clip]);
      text_add(out, ")\">\n");
    }
    clip = s->clip;
    add_shape(out, s);
  }
  if (clip >= 0) text_add(out, "</g>\n");
  text_add(out, "</svg>\n");
}
