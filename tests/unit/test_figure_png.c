// Pictures are drawn, written, read back by libpng and looked at.
#include "draw/figure_png.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

static const Stroke LINE = {INK_BLACK, 1, DASH_FULL};

typedef struct Picture {
  Arena *arena;
  Figure *figure;
  Text bytes;
  int width, height;
  unsigned char *rgb;
} Picture;

static Picture picture_new(double width, double height) {
  Arena *a = arena_new();
  return (Picture){.arena = a, .figure = figure_new(a, width, height, "test")};
}

static void look(Picture *p, double scale) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  text_init(&p->bytes);
  assert_true(figure_png(p->figure, scale, &p->bytes));
  assert_true(png_image_begin_read_from_memory(&image, p->bytes.at, p->bytes.length) != 0);
  image.format = PNG_FORMAT_RGB;
  p->width = (int)image.width, p->height = (int)image.height;
  p->rgb = arena_alloc(p->arena, PNG_IMAGE_SIZE(image), 1);
  assert_true(png_image_finish_read(&image, NULL, p->rgb, 0, NULL) != 0);
}

static void picture_done(Picture *p) {
  text_done(&p->bytes);
  arena_free(p->arena);
}

static Ink pixel(const Picture *p, int x, int y) {
  const unsigned char *c = &p->rgb[3 * (y * p->width + x)];
  return c[0] << 16 | c[1] << 8 | c[2];
}

// Ink on the paper, in black pixels.
static double darkness(const Picture *p) {
  double sum = 0;
  for (int i = 0; i < p->width * p->height; i++) sum += 1 - p->rgb[3 * i + 1] / 255.0;
  return sum;
}

static void a_picture_has_its_size_and_is_white(void **state) {
  (void)state;
  Picture p = picture_new(30.5, 20);
  look(&p, 2);
  assert_int_equal(p.width, 61);
  assert_int_equal(p.height, 40);
  for (int i = 0; i < 61 * 40 * 3; i++) assert_int_equal(p.rgb[i], 255);
  picture_done(&p);
}

static void boxes_fill_whole_pixels_and_leave_no_gap(void **state) {
  (void)state;
  Picture p = picture_new(40, 10);
  for (int i = 0; i < 7; i++)
    figure_box(p.figure, (Frame){i * 40 / 7.0, 0, 40 / 7.0, 10}, i % 2 ? 0xD55E00 : 0x0072B2,
               NO_STROKE);
  look(&p, 1);
  for (int x = 0; x < 40; x++) {
    Ink ink = pixel(&p, x, 5);
    assert_true(ink == 0xD55E00 || ink == 0x0072B2);
  }
  picture_done(&p);
}

static void areas_are_right(void **state) {
  (void)state;
  static const double SCALES[] = {1, 2, 3.7};
  for (int k = 0; k < 3; k++) {
    double scale = SCALES[k], unit = scale * scale;
    Picture disc = picture_new(60, 60), triangle = picture_new(60, 60);
    Picture line = picture_new(60, 60), ring = picture_new(60, 60);
    figure_circle(disc.figure, (Spot){30.3, 29.6}, 20, INK_BLACK, NO_STROKE);
    figure_polygon(triangle.figure, (Spot[]){{5.2, 5}, {50, 10.7}, {20, 52}}, 3, INK_BLACK,
                   NO_STROKE);
    figure_line(line.figure, (Spot){10, 13}, (Spot){50, 43}, (Stroke){INK_BLACK, 4, DASH_FULL});
    figure_circle(ring.figure, (Spot){30, 30}, 20, INK_NONE, (Stroke){INK_BLACK, 3, DASH_FULL});
    look(&disc, scale), look(&triangle, scale), look(&line, scale), look(&ring, scale);
    assert_close_relative(darkness(&disc), M_PI * 400 * unit, 0.01);
    double area = fabs((50 - 5.2) * (52 - 5) - (20 - 5.2) * (10.7 - 5)) / 2;
    assert_close_relative(darkness(&triangle), area * unit, 0.01);
    assert_close_relative(darkness(&line), (50 * 4 + M_PI * 4) * unit, 0.03); // round ends
    assert_close_relative(darkness(&ring), 2 * M_PI * 20 * 3 * unit, 0.02);
    picture_done(&disc), picture_done(&triangle), picture_done(&line), picture_done(&ring);
  }
}

static void thin_lines_are_pale_not_broken(void **state) {
  (void)state;
  Picture p = picture_new(100, 20);
  figure_line(p.figure, (Spot){5, 5}, (Spot){95, 14}, (Stroke){INK_BLACK, 0.4, DASH_FULL});
  look(&p, 1);
  for (int x = 8; x < 92; x++) {
    int darkest = 255;
    for (int y = 0; y < 20; y++)
      darkest = (pixel(&p, x, y) & 255) < darkest ? pixel(&p, x, y) & 255 : darkest;
    assert_true(darkest < 235 && darkest > 100);
  }
  picture_done(&p);
}

static void dashes_leave_their_share_white(void **state) {
  (void)state;
  Picture full = picture_new(200, 20), dashed = picture_new(200, 20), many = picture_new(200, 20);
  Stroke stroke = {INK_BLACK, 2, DASH_DASHED};
  Spot spots[181];
  for (int i = 0; i <= 180; i++) spots[i] = (Spot){10 + i, 10};
  figure_line(full.figure, spots[0], spots[180], (Stroke){INK_BLACK, 2, DASH_FULL});
  figure_line(dashed.figure, spots[0], spots[180], stroke);
  figure_curve(many.figure, spots, 181, stroke);
  look(&full, 2), look(&dashed, 2), look(&many, 2);
  assert_close(darkness(&dashed) / darkness(&full), 5 / 8.0, 0.06);
  assert_close(darkness(&many), darkness(&dashed),
               0.02 * darkness(&dashed)); // pieces do not matter
  picture_done(&full), picture_done(&dashed), picture_done(&many);
}

static void nothing_is_drawn_outside_of_a_clip(void **state) {
  (void)state;
  Picture p = picture_new(40, 40);
  figure_clip(p.figure, (Frame){10, 10, 20, 20});
  figure_line(p.figure, (Spot){-1e6, -1e6}, (Spot){1e6, 1e6}, (Stroke){INK_BLACK, 3, DASH_FULL});
  figure_circle(p.figure, (Spot){20, 20}, 1e5, INK_GREY, NO_STROKE);
  look(&p, 1);
  for (int y = 0; y < 40; y++)
    for (int x = 0; x < 40; x++) {
      bool inside = x >= 10 && x < 30 && y >= 10 && y < 30;
      assert_int_equal(pixel(&p, x, y) != INK_WHITE, inside);
    }
  picture_done(&p);
}

static void what_is_not_finite_is_not_drawn(void **state) {
  (void)state;
  Picture p = picture_new(40, 40);
  Spot bad = {nan(""), 5}, far = {HUGE_VAL, 5};
  figure_line(p.figure, bad, (Spot){9, 9}, LINE);
  figure_line(p.figure, far, (Spot){9, 9}, (Stroke){INK_BLACK, 1, DASH_DASHED});
  figure_polygon(p.figure, (Spot[]){bad, {1, 1}, {9, 9}}, 3, INK_BLACK, NO_STROKE);
  figure_circle(p.figure, far, 3, INK_BLACK, LINE);
  look(&p, 1);
  assert_close(darkness(&p), 0, 0);
  picture_done(&p);
}

static void text_stands_where_it_is_aligned(void **state) {
  (void)state;
  for (int align = ALIGN_LEFT; align <= ALIGN_RIGHT; align++) {
    Picture p = picture_new(200, 60);
    figure_text(p.figure, (Spot){100, 40}, "HHHHHH",
                (Lettering){.size = 16, .align = (Align)align});
    look(&p, 2);
    int first = p.width, last = 0;
    for (int x = 0; x < p.width; x++)
      for (int y = 0; y < p.height; y++)
        if (pixel(&p, x, y) != INK_WHITE) first = x < first ? x : first, last = x > last ? x : last;
    double width = 2 * figure_text_width("HHHHHH", 16), begin = 200 - width * align / 2;
    assert_close(first, begin, 6);
    assert_close(last - first, width, 8);
    picture_done(&p);
  }
}

static void upright_text_is_the_same_turned(void **state) {
  (void)state;
  Picture lying = picture_new(80, 80), upright = picture_new(80, 80);
  figure_text(lying.figure, (Spot){10, 40}, "turned 1", (Lettering){.size = 14});
  figure_text(upright.figure, (Spot){40, 70}, "turned 1", (Lettering){.size = 14, .upright = true});
  look(&lying, 2), look(&upright, 2);
  for (int y = 0; y < 160; y++)
    for (int x = 0; x < 160; x++)
      assert_int_equal(pixel(&lying, x, y), pixel(&upright, y, 159 - x));
  picture_done(&lying), picture_done(&upright);
}

static void bold_text_has_more_ink(void **state) {
  (void)state;
  Picture thin = picture_new(100, 30), bold = picture_new(100, 30);
  figure_text(thin.figure, (Spot){5, 20}, "weight", (Lettering){.size = 16});
  figure_text(bold.figure, (Spot){5, 20}, "weight", (Lettering){.size = 16, .bold = true});
  look(&thin, 2), look(&bold, 2);
  assert_true(darkness(&bold) > 1.3 * darkness(&thin));
  picture_done(&thin), picture_done(&bold);
}

static void pictures_of_many_colours_keep_them(void **state) {
  (void)state;
  Picture p = picture_new(64, 64);
  for (int y = 0; y < 64; y++)
    for (int x = 0; x < 64; x++)
      figure_box(p.figure, (Frame){x, y, 1, 1}, (x * 4) << 16 | (y * 4) << 8 | ((x ^ y) * 4),
                 NO_STROKE);
  look(&p, 1);
  for (int y = 0; y < 64; y++)
    for (int x = 0; x < 64; x++)
      assert_int_equal(pixel(&p, x, y), (x * 4) << 16 | (y * 4) << 8 | ((x ^ y) * 4));
  picture_done(&p);
}

static void a_picture_that_is_too_large_is_refused(void **state) {
  (void)state;
  Picture p = picture_new(1e6, 1e6), none = picture_new(0, 10);
  Text t;
  text_init(&t);
  assert_false(figure_png(p.figure, 2, &t));
  assert_false(figure_png(none.figure, 2, &t));
  assert_int_equal(t.length, 0);
  text_done(&t);
  arena_free(p.arena);
  arena_free(none.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_picture_has_its_size_and_is_white),
      cmocka_unit_test(boxes_fill_whole_pixels_and_leave_no_gap),
      cmocka_unit_test(areas_are_right),
      cmocka_unit_test(thin_lines_are_pale_not_broken),
      cmocka_unit_test(dashes_leave_their_share_white),
      cmocka_unit_test(nothing_is_drawn_outside_of_a_clip),
      cmocka_unit_test(what_is_not_finite_is_not_drawn),
      cmocka_unit_test(text_stands_where_it_is_aligned),
      cmocka_unit_test(upright_text_is_the_same_turned),
      cmocka_unit_test(bold_text_has_more_ink),
      cmocka_unit_test(pictures_of_many_colours_keep_them),
      cmocka_unit_test(a_picture_that_is_too_large_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
