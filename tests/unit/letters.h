// Letters of a picture: inside of it, and not on top of each other.
#pragma once
#include <math.h>
#include <string.h>

#include "draw/figure.h"
#include "test.h"

// What a text covers in the widest of fonts.
static inline Frame letters_frame(const Shape *s) {
  const Lettering *l = &s->lettering;
  double room = figure_text_room(s->text, l->size, l->bold);
  double from = l->align == ALIGN_LEFT ? 0 : l->align == ALIGN_CENTRE ? -room / 2 : -room;
  double up = l->centred ? 0.35 * l->size : 0.7 * l->size;
  Spot at = s->spots[0];
  if (l->upright) return (Frame){at.x - up, at.y - from - room, 0.7 * l->size, room};
  return (Frame){at.x + from, at.y - up, room, 0.7 * l->size};
}

static inline bool frames_meet(Frame a, Frame b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

static inline void assert_letters_stand_well(const Figure *f) {
  for (int i = 0; i < f->shapes.count; i++) {
    const Shape *s = &f->shapes.at[i];
    if (s->kind != SHAPE_LETTERS) continue;
    Frame a = letters_frame(s);
    if (a.x < 0 || a.y < 0 || a.x + a.width > f->width || a.y + a.height > f->height)
      fail_msg("'%s' is cut off at the edge", s->text);
    for (int k = 0; k < i; k++) {
      const Shape *other = &f->shapes.at[k];
      if (other->kind == SHAPE_LETTERS && frames_meet(a, letters_frame(other)))
        fail_msg("'%s' and '%s' lie on top of each other", s->text, other->text);
    }
  }
}

static inline const Shape *letters_beginning_with(const Figure *f, const char *text) {
  for (int i = 0; i < f->shapes.count; i++) {
    const Shape *s = &f->shapes.at[i];
    if (s->kind == SHAPE_LETTERS && strncmp(s->text, text, strlen(text)) == 0) return s;
  }
  return NULL;
}
