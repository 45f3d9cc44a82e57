#include "draw/figure.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static const Stroke LINE = {INK_BLACK, 1, DASH_FULL};

static void shapes_stand_in_the_order_they_were_drawn(void **state) {
  (void)state;
  Arena *a = arena_new();
  Figure *f = figure_new(a, 100, 50, "picture");
  figure_box(f, (Frame){1, 2, 3, 4}, INK_GREY, NO_STROKE);
  figure_line(f, (Spot){0, 0}, (Spot){5, 5}, LINE);
  figure_circle(f, (Spot){9, 9}, 2, INK_NONE, LINE);
  figure_text(f, (Spot){1, 1}, "words", (Lettering){.size = 12});
  assert_int_equal(f->shapes.count, 4);
  static const ShapeKind KINDS[] = {SHAPE_BOX, SHAPE_PATH, SHAPE_CIRCLE, SHAPE_LETTERS};
  for (int i = 0; i < 4; i++) assert_int_equal(f->shapes.at[i].kind, KINDS[i]);
  arena_free(a);
}

static void what_is_handed_over_is_copied(void **state) {
  (void)state;
  Arena *a = arena_new();
  Figure *f = figure_new(a, 100, 50, "picture");
  Spot spots[] = {{1, 2}, {3, 4}, {5, 6}};
  char words[] = "words";
  figure_curve(f, spots, 3, LINE);
  figure_text(f, spots[0], words, (Lettering){.size = 12});
  spots[1].x = 99;
  words[0] = 'W';
  assert_close(f->shapes.at[0].spots[1].x, 3, 0);
  assert_string_equal(f->shapes.at[1].text, "words");
  arena_free(a);
}

static void shapes_without_anything_to_see_are_left_out(void **state) {
  (void)state;
  Arena *a = arena_new();
  Figure *f = figure_new(a, 100, 50, "picture");
  figure_curve(f, (Spot[]){{1, 1}}, 1, LINE);
  figure_polygon(f, (Spot[]){{1, 1}, {2, 2}}, 2, INK_GREY, LINE);
  figure_text(f, (Spot){0, 0}, "", (Lettering){.size = 12});
  figure_text(f, (Spot){0, 0}, NULL, (Lettering){.size = 12});
  figure_marker(f, MARKER_NONE, (Spot){1, 1}, 5, INK_GREY, LINE);
  assert_int_equal(f->shapes.count, 0);
  arena_free(a);
}

static void a_clip_holds_until_it_is_taken_away(void **state) {
  (void)state;
  Arena *a = arena_new();
  Figure *f = figure_new(a, 100, 50, "picture");
  figure_line(f, (Spot){0, 0}, (Spot){5, 5}, LINE);
  figure_clip(f, (Frame){0, 0, 10, 10});
  figure_line(f, (Spot){0, 0}, (Spot){5, 5}, LINE);
  figure_unclip(f);
  figure_line(f, (Spot){0, 0}, (Spot){5, 5}, LINE);
  static const int CLIPS[] = {-1, 0, -1};
  for (int i = 0; i < 3; i++) assert_int_equal(f->shapes.at[i].clip, CLIPS[i]);
  arena_free(a);
}

// Corners lie around the middle at about half the size.
static void markers_are_as_large_as_asked_for(void **state) {
  (void)state;
  for (int m = MARKER_CIRCLE; m <= MARKER_STAR; m++) {
    Arena *a = arena_new();
    Figure *f = figure_new(a, 100, 50, "picture");
    figure_marker(f, (Marker)m, (Spot){20, 30}, 10, INK_GREY, LINE);
    assert_true(f->shapes.count > 0);
    double most = 0;
    for (int i = 0; i < f->shapes.count; i++) {
      const Shape *s = &f->shapes.at[i];
      if (s->kind == SHAPE_CIRCLE) most = s->radius;
      for (int k = 0; k < s->spot_count; k++)
        most = fmax(most, hypot(s->spots[k].x - 20, s->spots[k].y - 30));
    }
    assert_true(most > 4.5 && most < 6.5);
    arena_free(a);
  }
}

static double brightness(Ink ink) {
  return 0.3 * ((ink >> 16) & 255) + 0.59 * ((ink >> 8) & 255) + 0.11 * (ink & 255);
}

static void inks_differ_also_in_brightness_or_hue(void **state) {
  (void)state;
  for (int i = 0; i < INK_SERIES; i++)
    for (int j = 0; j < i; j++) {
      Ink a = ink_series(i), b = ink_series(j);
      double blue = abs((a & 255) - (b & 255)); // people who confuse red and green see blue
      assert_true(fabs(brightness(a) - brightness(b)) > 10 || blue > 60);
    }
  assert_int_equal(ink_series(INK_SERIES + 2), ink_series(2));
  assert_int_equal(ink_series(-1), ink_series(INK_SERIES - 1));
}

static void a_mixture_lies_between_its_inks(void **state) {
  (void)state;
  assert_int_equal(ink_mix(0x102030, 0xFFFFFF, 0), 0x102030);
  assert_int_equal(ink_mix(0x102030, 0xFFFFFF, 1), 0xFFFFFF);
  assert_int_equal(ink_mix(0x000000, 0xFF8040, 0.5), 0x804020);
  assert_int_equal(ink_mix(0x102030, 0x000000, 7), 0);
}

static double light_of(Ink ink) { // relative luminance of WCAG 2.1
  static const double WEIGHT[3] = {0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    double part = ((ink >> (16 - 8 * i)) & 255) / 255.0;
    sum += WEIGHT[i] * (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
  }
  return sum;
}

static double contrast(Ink a, Ink b) {
  double x = light_of(a), y = light_of(b);
  return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

// On every area one of the two has a contrast of 4.5 at least, and it is the better one.
static void letters_on_areas_can_be_read(void **state) {
  (void)state;
  for (int red = 0; red < 256; red += 15)
    for (int green = 0; green < 256; green += 15)
      for (int blue = 0; blue < 256; blue += 15) {
        Ink area = red << 16 | green << 8 | blue, on = ink_on(area);
        Ink other = on == INK_ON_LIGHT ? INK_ON_DARK : INK_ON_LIGHT;
        assert_true(contrast(area, on) >= 4.45);
        assert_true(contrast(area, on) >= contrast(area, other) - 0.1);
      }
}

static void letters_are_such_as_every_writer_takes(void **state) {
  (void)state;
  static const char *const PAIRS[][2] = {
      {"plain <x> & \"y\" λ", "plain <x> & \"y\" λ"},
      {"\x1b[31m", "\uFFFD[31m"},
      {"two\nlines\tand", "two lines and"},
      {"bad \xFF\xC3(", "bad \uFFFD\uFFFD("},
      {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},                   // half of a pair of UTF-16
      {"\xE2\x80\xAE turned", "\uFFFD turned"},                 // writes from the right
      {"\xD7\xA9\xD7\x9C \xEF\xBF\xBE", "\u05E9\u05DC \uFFFD"}, // no character, says XML
      {"\xE2\x80", "\uFFFD\uFFFD"},
      {"", ""},
  };
  Arena *a = arena_new();
  for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++)
    assert_string_equal(figure_letters(a, PAIRS[i][0]), PAIRS[i][1]);
  Figure *f = figure_new(a, 100, 50, "t\xFF");
  figure_text(f, (Spot){0, 0}, "a\x01", (Lettering){.size = 12});
  assert_string_equal(f->title, "t\uFFFD");
  assert_string_equal(f->shapes.at[0].text, "a\uFFFD");
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes_stand_in_the_order_they_were_drawn),
      cmocka_unit_test(what_is_handed_over_is_copied),
      cmocka_unit_test(shapes_without_anything_to_see_are_left_out),
      cmocka_unit_test(a_clip_holds_until_it_is_taken_away),
      cmocka_unit_test(markers_are_as_large_as_asked_for),
      cmocka_unit_test(inks_differ_also_in_brightness_or_hue),
      cmocka_unit_test(a_mixture_lies_between_its_inks),
      cmocka_unit_test(letters_are_such_as_every_writer_takes),
      cmocka_unit_test(letters_on_areas_can_be_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
