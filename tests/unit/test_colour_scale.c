#include "draw/colour_scale.h"

#include "test.h"

static double brightness(Ink ink) {
  return 0.2126 * ((ink >> 16) & 255) + 0.7152 * ((ink >> 8) & 255) + 0.0722 * (ink & 255);
}

// Larger numbers are darker, on both scales; beyond the ends nothing changes.
static void numbers_keep_their_order(void **state) {
  (void)state;
  for (int log = 0; log < 2; log++) {
    ColourScale s = {0.01, 100, log, "weight", false};
    double before = 256;
    for (int i = 0; i <= 50; i++) {
      double value = log ? 0.01 * pow(1e4, i / 50.0) : 0.01 + i * (100 - 0.01) / 50;
      double now = brightness(colour_of(&s, value));
      assert_true(now < before);
      before = now;
    }
    assert_int_equal(colour_of(&s, 1e9), colour_of(&s, 100));
    assert_int_equal(colour_of(&s, 0), colour_of(&s, 0.01));
    assert_int_equal(colour_of(&s, -1), colour_of(&s, 0.01));
  }
}

static bool is_grey(Ink ink) {
  return (ink >> 16 & 255) == (ink >> 8 & 255) && (ink >> 8 & 255) == (ink & 255);
}

// Both signs are as dark as their numbers are large; blue is negative, red positive, nothing is grey.
static void two_sides_have_colours_of_their_own(void **state) {
  (void)state;
  ColourScale s = {-1, 1, false, "correlation", true};
  for (int i = 0; i <= 100; i++) {
    Ink low = colour_of(&s, -i / 100.0), high = colour_of(&s, i / 100.0);
    assert_false(is_grey(low) || is_grey(high));
    if (i > 10) assert_true((low & 255) > (low >> 16) && (high & 255) < (high >> 16));
    if (i) assert_true(brightness(low) < brightness(colour_of(&s, (1 - i) / 100.0)));
    if (i) assert_true(brightness(high) < brightness(colour_of(&s, (i - 1) / 100.0)));
  }
  assert_true(brightness(colour_of(&s, 0)) > 240);
}

static int letters(const Figure *f) {
  int count = 0;
  for (int i = 0; i < f->shapes.count; i++) count += f->shapes.at[i].kind == SHAPE_LETTERS;
  return count;
}

// The bar stays inside its room and has numbers, also if all are the same.
static void a_bar_has_numbers(void **state) {
  (void)state;
  const ColourScale scales[] = {{0.01, 100, true, "weight", false},
                                {0, 3, false, "weight", false},
                                {1, 1, true, "weight", false},
                                {-1, 1, false, "correlation", true}};
  for (int k = 0; k < 4; k++) {
    Arena *a = arena_new();
    Figure *f = figure_new(a, 400, COLOUR_BAR_ROOM, "bar");
    colour_bar(f, (Spot){50, 0}, 300, &scales[k]);
    assert_true(letters(f) >= 3);
    for (int i = 0; i < f->shapes.count; i++) {
      const Shape *s = &f->shapes.at[i];
      for (int n = 0; n < s->spot_count; n++)
        assert_true(s->spots[n].x >= 49 && s->spots[n].x <= 351 && s->spots[n].y <= f->height);
    }
    arena_free(a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_keep_their_order),
      cmocka_unit_test(two_sides_have_colours_of_their_own),
      cmocka_unit_test(a_bar_has_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
