#include "draw/colour_scale.h"

#include "test.h"

static double brightness(Ink ink) {
  return 0.2126 * ((ink >> 16) & 255) + 0.7152 * ((ink >> 8) & 255) + 0.0722 * (ink & 255);
}

// Larger numbers are darker, on both scales; beyond the ends nothing changes.
static void numbers_keep_their_order(void **state) {
  (void)state;
  for (int log = 0; log < 2; log++) {
    ColourScale s = {0.01, 100, log, "weight"};
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

static int letters(const Figure *f) {
  int count = 0;
  for (int i = 0; i < f->shapes.count; i++) count += f->shapes.at[i].kind == SHAPE_LETTERS;
  return count;
}

// The bar stays inside its room and has numbers, also if all are the same.
static void a_bar_has_numbers(void **state) {
  (void)state;
  const ColourScale scales[] = {
      {0.01, 100, true, "weight"}, {0, 3, false, "weight"}, {1, 1, true, "weight"}};
  for (int k = 0; k < 3; k++) {
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
      cmocka_unit_test(a_bar_has_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
