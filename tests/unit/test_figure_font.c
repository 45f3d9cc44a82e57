#include "draw/figure_font.h"

#include <stdbool.h>
#include <string.h>

#include "test.h"

static Glyph glyph_of(const char *letter) {
  const char *at = letter;
  Glyph g = font_glyph(&at);
  assert_int_equal(*at, 0);
  return g;
}

// Spots of all strokes, one after the other; returns how many.
static int draw(const Glyph *g, FontSpot *out, int room) {
  FontSpot spots[FONT_SPOTS_MOST];
  const char *strokes = g->strokes;
  int count = 0;
  for (int n; (n = font_stroke(&strokes, spots)) > 0;) {
    assert_true(n <= FONT_SPOTS_MOST && count + n <= room);
    memcpy(out + count, spots, (size_t)n * sizeof *spots);
    count += n;
  }
  return count;
}

static void every_printable_letter_is_drawn_inside_its_width(void **state) {
  (void)state;
  for (char c = ' '; c <= '~'; c++) {
    char letter[2] = {c, 0};
    Glyph g = glyph_of(letter);
    FontSpot spots[1000];
    int count = draw(&g, spots, 1000);
    assert_int_equal(count == 0, c == ' ');
    for (int i = 0; i < count; i++) {
      if (!(spots[i].x >= -0.8 && spots[i].x <= g.width + 0.8)) fail_msg("'%c' is too wide", c);
      if (!(spots[i].y >= -5 && spots[i].y <= FONT_CAPITAL + 1.8)) fail_msg("'%c' is too high", c);
    }
    assert_true(font_advance(&g) > g.width);
  }
}

static void letters_differ(void **state) {
  (void)state;
  for (char a = '!'; a <= '~'; a++)
    for (char b = '!'; b < a; b++) {
      char one[2] = {a, 0}, two[2] = {b, 0};
      Glyph g = glyph_of(one), h = glyph_of(two);
      bool alike = strcmp(g.strokes, h.strokes) == 0;
      if (alike && !(a == 'l' && b == 'I')) fail_msg("'%c' and '%c' look the same", a, b);
    }
}

static void capitals_are_as_high_as_promised(void **state) {
  (void)state;
  for (char c = 'A'; c <= 'Z'; c++) {
    char letter[2] = {c, 0};
    Glyph g = glyph_of(letter);
    FontSpot spots[1000];
    double most = 0, least = 0;
    for (int i = 0, n = draw(&g, spots, 1000); i < n; i++)
      most = fmax(most, spots[i].y), least = fmin(least, spots[i].y);
    assert_close(most, FONT_CAPITAL, 0.8);
    assert_true(least > -1.2);
  }
}

static void signs_are_one_letter_each_and_strange_ones_a_box(void **state) {
  (void)state;
  static const char *const SIGNS[] = {"°", "²", "·", "±", "µ", "λ", "−", "…"};
  Glyph box = glyph_of("\xE4\xBD\xA0");
  for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++)
    assert_string_not_equal(glyph_of(SIGNS[i]).strokes, box.strokes);
  assert_string_equal(glyph_of("\t").strokes, box.strokes);
  assert_string_equal(glyph_of("\xF0\x9F\x98\x80").strokes, box.strokes);
  assert_string_equal(glyph_of("\xE4").strokes, box.strokes); // cut off
}

static void accents_are_left_out(void **state) {
  (void)state;
  static const char *const PAIRS[][2] = {{"ü", "u"}, {"Ä", "A"}, {"é", "e"}, {"ñ", "n"}, {"ø", "o"},
                                         {"Š", "S"}, {"ł", "l"}, {"ž", "z"}, {"ÿ", "y"}, {"À", "A"},
                                         {"Α", "A"}, {"Χ", "X"}, {"ν", "v"}, {"ο", "o"}};
  for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++)
    assert_string_equal(glyph_of(PAIRS[i][0]).strokes, glyph_of(PAIRS[i][1]).strokes);
  assert_string_equal(glyph_of("µ").strokes, glyph_of("μ").strokes); // micro sign, Greek letter
}

static void every_greek_letter_is_drawn_inside_its_width(void **state) {
  (void)state;
  Glyph box = glyph_of("\xE4\xBD\xA0");
  for (int c = 0x391; c <= 0x3C9; c++) {
    char letter[3] = {(char)(0xC0 | c >> 6), (char)(0x80 | (c & 0x3F)), 0};
    if (c == 0x3A2 || (c > 0x3A9 && c < 0x3B1)) continue; // none, and with accents
    Glyph g = glyph_of(letter);
    FontSpot spots[1000];
    int count = draw(&g, spots, 1000);
    if (strcmp(g.strokes, box.strokes) == 0) fail_msg("'%s' is a box", letter);
    for (int i = 0; i < count; i++) {
      if (!(spots[i].x >= -0.8 && spots[i].x <= g.width + 0.8))
        fail_msg("'%s' is too wide", letter);
      if (!(spots[i].y >= -5 && spots[i].y <= FONT_CAPITAL + 1.8))
        fail_msg("'%s' is too high", letter);
    }
  }
}

// A closed smooth stroke ends where it began and passes through the spots it was given.
static void curves_pass_through_their_spots(void **state) {
  (void)state;
  Glyph g = glyph_of("o");
  const char *strokes = g.strokes;
  FontSpot spots[FONT_SPOTS_MOST];
  int n = font_stroke(&strokes, spots);
  assert_true(n > 20);
  assert_close(spots[0].x, spots[n - 1].x, 0);
  assert_close(spots[0].y, spots[n - 1].y, 0);
  for (int i = 1; i < n; i++) // no jumps
    assert_true(hypot(spots[i].x - spots[i - 1].x, spots[i].y - spots[i - 1].y) < 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_printable_letter_is_drawn_inside_its_width),
      cmocka_unit_test(letters_differ),
      cmocka_unit_test(capitals_are_as_high_as_promised),
      cmocka_unit_test(signs_are_one_letter_each_and_strange_ones_a_box),
      cmocka_unit_test(accents_are_left_out),
      cmocka_unit_test(every_greek_letter_is_drawn_inside_its_width),
      cmocka_unit_test(curves_pass_through_their_spots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
