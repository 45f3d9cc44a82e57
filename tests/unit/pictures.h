// What every picture obeys, and its curves as numbers.
#pragma once
#include "draw/figure_svg.h"
#include "letters.h"

static inline bool is_finite_spot(Spot s) {
  return isfinite(s.x) && isfinite(s.y);
}

static inline void assert_shapes_have_places(const Figure *f) {
  for (int i = 0; i < f->shapes.count; i++) {
    const Shape *s = &f->shapes.at[i];
    if (s->kind == SHAPE_BOX)
      assert_true(isfinite(s->frame.x) && isfinite(s->frame.y) && s->frame.width >= 0 &&
                  s->frame.height >= 0 && isfinite(s->frame.width) && isfinite(s->frame.height));
    for (int k = 0; k < s->spot_count; k++) assert_true(is_finite_spot(s->spots[k]));
  }
}

static inline void assert_picture_is_sound(const Figure *f) {
  assert_non_null(f);
  assert_shapes_have_places(f);
  assert_letters_stand_well(f);
}

// It stands in the picture, in the legend or at an axis; (2) and the like may follow there.
static inline bool name_is_shown(const Figure *f, const char *name) {
  for (int i = 0; i < f->shapes.count; i++) {
    const Shape *s = &f->shapes.at[i];
    if (s->kind != SHAPE_LETTERS) continue;
    const char *text = s->whole ? s->whole : s->text;
    if (strstr(text, name) || strncmp(name, text, strlen(text)) == 0) return true;
  }
  return false;
}

// Curves as numbers: x never falls, names are different and those of the picture.
static inline void assert_numbers_are_sound(const Figure *f) {
  for (int i = 0; i < f->plots.count; i++) {
    const FigurePlot *p = &f->plots.at[i];
    assert_true(p->series.count > 0 && p->x_label && p->y_label);
    for (int k = 0; k < p->series.count; k++) {
      const FigureSeries *s = &p->series.at[k];
      assert_true(s->count > 0);
      for (int n = 1; n < s->count; n++)
        if (!(s->x[n] >= s->x[n - 1])) fail_msg("x of '%s' falls at %d", s->name, n);
      for (int n = 0; n < k; n++) assert_string_not_equal(s->name, p->series.at[n].name);
      if (!name_is_shown(f, s->name)) fail_msg("'%s' does not stand in the picture", s->name);
    }
  }
}

static inline const FigureSeries *numbers_of(const FigurePlot *p, const char *name) {
  for (int k = 0; k < p->series.count; k++)
    if (strcmp(p->series.at[k].name, name) == 0) return &p->series.at[k];
  return NULL;
}

// Whatever a name holds, it is no markup of the picture.
static inline void assert_svg_has_no_element(const Figure *f, const char *element) {
  Text t;
  text_init(&t);
  figure_svg(f, &t);
  assert_null(strstr(t.at, element));
  text_done(&t);
}
