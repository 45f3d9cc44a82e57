// Pictures are drawn, written, read back and looked at: PNG by cairo, the streams of a PDF by zlib. Both are loaded, not linked,
// so that a process can be run which does not find cairo.
#include "draw/figure_cairo.h"

#include <cairo/cairo.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "test.h"

static const Stroke LINE = {INK_BLACK, 1, DASH_FULL};
static char program[500]; // the path of this one

// ---------------------------------------------------------------- reading back

static void *function_of(const char *library, const char *name) {
  void *handle = dlopen(library, RTLD_NOW), *function = handle ? dlsym(handle, name) : NULL;
  assert_non_null(function);
  return function;
}
#define CAIRO(name) ((__typeof__(cairo_##name) *)function_of("libcairo.so.2", "cairo_" #name))
#define ZLIB(name) ((__typeof__(name) *)function_of("libz.so.1", #name))

typedef struct Picture {
  Arena *arena;
  Figure *figure;
  Text bytes;
  int width, height;
  Ink *pixels;
} Picture;

static Picture picture_new(double width, double height) {
  Arena *a = arena_new();
  Picture p = {.arena = a, .figure = figure_new(a, width, height, "test")};
  text_init(&p.bytes);
  return p;
}

static void picture_done(Picture *p) {
  text_done(&p->bytes);
  arena_free(p->arena);
}

typedef struct Rest {
  const char *at;
  size_t left;
} Rest;

static cairo_status_t read_bytes(void *data, unsigned char *to, unsigned length) {
  Rest *rest = data;
  if (length > rest->left) return CAIRO_STATUS_READ_ERROR;
  memcpy(to, rest->at, length);
  rest->at += length, rest->left -= length;
  return CAIRO_STATUS_SUCCESS;
}

static void look(Picture *p, double scale) {
  Err err = {0};
  text_clear(&p->bytes);
  if (!figure_png(p->figure, scale, &p->bytes, &err)) fail_msg("%s", err.text);
  Rest rest = {p->bytes.at, p->bytes.length};
  cairo_surface_t *s = CAIRO(image_surface_create_from_png_stream)(read_bytes, &rest);
  assert_int_equal(CAIRO(surface_status)(s), CAIRO_STATUS_SUCCESS);
  p->width = CAIRO(image_surface_get_width)(s);
  p->height = CAIRO(image_surface_get_height)(s);
  p->pixels = ARENA_ARRAY(p->arena, Ink, (size_t)p->width * (size_t)p->height);
  int stride = CAIRO(image_surface_get_stride)(s);
  const unsigned char *data = CAIRO(image_surface_get_data)(s);
  for (int y = 0; y < p->height; y++)
    for (int x = 0; x < p->width; x++) {
      uint32_t pixel;
      memcpy(&pixel, data + y * stride + 4 * x, sizeof pixel);
      p->pixels[y * p->width + x] = (Ink)(pixel & 0xFFFFFF);
    }
  CAIRO(surface_destroy)(s);
}

static Ink pixel(const Picture *p, int x, int y) {
  return p->pixels[y * p->width + x];
}

// Ink on the paper, in black pixels.
static double darkness(const Picture *p) {
  double sum = 0;
  for (int i = 0; i < p->width * p->height; i++) sum += 1 - ((p->pixels[i] >> 8) & 255) / 255.0;
  return sum;
}

typedef struct Extent { // of what is not white: first and last pixels
  int left, right, top, bottom;
} Extent;

static Extent extent(const Picture *p) {
  Extent e = {p->width, -1, p->height, -1};
  for (int y = 0; y < p->height; y++)
    for (int x = 0; x < p->width; x++) {
      if (pixel(p, x, y) == INK_WHITE) continue;
      e.left = x < e.left ? x : e.left, e.right = x > e.right ? x : e.right;
      e.top = y < e.top ? y : e.top, e.bottom = y > e.bottom ? y : e.bottom;
    }
  return e;
}

// The PDF with its streams as text, one after the other.
static void read_pdf(Picture *p, Text *streams) {
  Err err = {0};
  text_clear(&p->bytes);
  if (!figure_pdf(p->figure, &p->bytes, &err)) fail_msg("%s", err.text);
  const char *at = p->bytes.at, *end = at + p->bytes.length;
  while ((at = memmem(at, (size_t)(end - at), "\nstream\n", 8))) {
    at += 8;
    const char *last = memmem(at, (size_t)(end - at), "\nendstream", 10);
    assert_non_null(last);
    unsigned long room = 20000000;
    char *text = malloc(room);
    if (ZLIB(uncompress)((void *)text, &room, (const void *)at, (unsigned long)(last - at)) == Z_OK)
      text_add_bytes(streams, text, room);
    free(text);
    at = last;
  }
}

static bool holds(const Text *t, const char *part) {
  return memmem(t->at, t->length, part, strlen(part)) != NULL;
}

// ---------------------------------------------------------------- shapes

static void a_picture_has_its_size_and_is_white(void **state) {
  (void)state;
  Picture p = picture_new(30.5, 20);
  look(&p, 2);
  assert_int_equal(p.width, 61);
  assert_int_equal(p.height, 40);
  for (int i = 0; i < 61 * 40; i++) assert_int_equal(p.pixels[i], INK_WHITE);
  picture_done(&p);
}

static void a_box_is_painted_where_it_stands(void **state) {
  (void)state;
  Picture p = picture_new(40, 30);
  figure_box(p.figure, (Frame){10, 5, 20, 15}, 0xD55E00, NO_STROKE);
  look(&p, 2);
  for (int y = 0; y < 60; y++)
    for (int x = 0; x < 80; x++) {
      bool inside = x >= 20 && x < 60 && y >= 10 && y < 40;
      assert_int_equal(pixel(&p, x, y), inside ? 0xD55E00 : INK_WHITE);
    }
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
    assert_close_relative(darkness(&line), 50 * 4 * unit, 0.02);
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
  Spot spots[181];
  for (int i = 0; i <= 180; i++) spots[i] = (Spot){10 + i, 10};
  for (int dash = 0; dash < DASH_COUNT; dash++) {
    Picture one = picture_new(200, 20), many = picture_new(200, 20);
    Stroke stroke = {INK_BLACK, 2, (Dash)dash};
    figure_line(one.figure, spots[0], spots[180], stroke);
    figure_curve(many.figure, spots, 181, stroke);
    look(&one, 2), look(&many, 2);
    double lengths[4], all = 0, on = 0;
    int count = dash_pattern((Dash)dash, lengths);
    for (int i = 0; i < count; i++) all += lengths[i], on += i % 2 ? 0 : lengths[i];
    assert_close_relative(darkness(&one), 180 * 2 * 4 * (count ? on / all : 1), 0.06);
    assert_close_relative(darkness(&many), darkness(&one), 0.01); // pieces do not matter
    picture_done(&one), picture_done(&many);
  }
}

static void markers_stand_around_their_spot(void **state) {
  (void)state;
  for (int m = MARKER_CIRCLE; m <= MARKER_STAR; m++)
    for (int filled = 0; filled < 2; filled++) {
      Picture p = picture_new(60, 60);
      figure_marker(p.figure, (Marker)m, (Spot){30, 30}, 20, filled ? INK_GREY : INK_NONE, LINE);
      look(&p, 2);
      Extent e = extent(&p);
      bool of_lines = m == MARKER_PLUS || m == MARKER_CROSS;
      bool solid = pixel(&p, 60, 54) != INK_WHITE; // above the middle
      assert_true(e.left >= 34 && e.right <= 85 && e.top >= 34 && e.bottom <= 85);
      assert_true(e.right - e.left > 25 && e.bottom - e.top > 25);
      assert_close(e.left + e.right, 119, 3);
      assert_int_equal(solid, m == MARKER_PLUS || (filled && !of_lines));
      picture_done(&p);
    }
}

static void nothing_is_drawn_outside_of_a_clip(void **state) {
  (void)state;
  Picture p = picture_new(40, 40);
  figure_clip(p.figure, (Frame){10, 10, 20, 20});
  figure_line(p.figure, (Spot){-1e6, -1e6}, (Spot){1e6, 1e6}, (Stroke){INK_BLACK, 3, DASH_DOTTED});
  figure_circle(p.figure, (Spot){20, 20}, 1e5, INK_GREY, NO_STROKE);
  figure_text(p.figure, (Spot){0, 20}, "across the edge", (Lettering){.size = 12});
  figure_unclip(p.figure);
  figure_box(p.figure, (Frame){0, 0, 2, 2}, INK_BLACK, NO_STROKE);
  look(&p, 1);
  for (int y = 0; y < 40; y++)
    for (int x = 0; x < 40; x++) {
      bool inside = x >= 10 && x < 30 && y >= 10 && y < 30;
      assert_int_equal(pixel(&p, x, y) != INK_WHITE, inside || (x < 2 && y < 2));
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
  figure_box(p.figure, (Frame){nan(""), 1, 5, 5}, INK_BLACK, NO_STROKE);
  figure_text(p.figure, bad, "nowhere", (Lettering){.size = 12});
  figure_text(p.figure, (Spot){5, 20}, "tiny", (Lettering){.size = 0});
  figure_box(p.figure, (Frame){5, 5, -3, 5}, INK_BLACK, NO_STROKE);
  look(&p, 1);
  assert_close(darkness(&p), 0, 0);
  figure_line(p.figure, (Spot){-1e300, 20}, (Spot){1e300, 20}, LINE); // far is not nowhere
  look(&p, 1);
  assert_close(darkness(&p), 40, 0.5);
  picture_done(&p);
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

// ---------------------------------------------------------------- letters

static void text_stands_where_it_is_aligned(void **state) {
  (void)state;
  for (int align = ALIGN_LEFT; align <= ALIGN_RIGHT; align++) {
    Picture p = picture_new(200, 60);
    figure_text(p.figure, (Spot){100, 40}, "HHHHHH",
                (Lettering){.size = 16, .align = (Align)align});
    look(&p, 2);
    Extent e = extent(&p);
    double width = 2 * figure_text_room("HHHHHH", 16, false), begin = 200 - width * align / 2;
    assert_close(e.left, begin, 6);
    assert_close(e.right - e.left, width, 10); // without the blank at both sides
    assert_close(e.bottom, 79, 1);             // on the base line
    picture_done(&p);
  }
}

static void centred_text_has_its_middle_at_the_spot(void **state) {
  (void)state;
  Picture p = picture_new(200, 60);
  figure_text(p.figure, (Spot){10, 30}, "HHH", (Lettering){.size = 20, .centred = true});
  look(&p, 2);
  Extent e = extent(&p);
  assert_close((e.top + e.bottom) / 2.0, 59.5, 1.5);
  picture_done(&p);
}

static void upright_text_is_the_same_turned(void **state) {
  (void)state;
  Picture lying = picture_new(80, 80), upright = picture_new(80, 80);
  figure_text(lying.figure, (Spot){10, 40}, "turned 1", (Lettering){.size = 14});
  figure_text(upright.figure, (Spot){40, 70}, "turned 1", (Lettering){.size = 14, .upright = true});
  look(&lying, 2), look(&upright, 2);
  Extent a = extent(&lying), b = extent(&upright);
  assert_close(a.left, 159 - b.bottom, 1);
  assert_close(a.right, 159 - b.top, 1);
  assert_close(a.top, b.left, 1);
  assert_close(a.bottom, b.right, 1);
  assert_close_relative(darkness(&lying), darkness(&upright), 0.03);
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

static double drawn_width(const char *text, bool bold) { // between two bars
  Picture p = picture_new(800, 40);
  char all[100];
  snprintf(all, sizeof all, "|%s|", text);
  figure_text(p.figure, (Spot){10, 30}, all, (Lettering){.size = 20, .bold = bold});
  look(&p, 2);
  double right = extent(&p).right / 2.0 - 10;
  picture_done(&p);
  return right;
}

// The layout knows the widths of letters without a font: no text is wider than it says, and plain ones are hardly narrower.
static void letters_need_the_room_that_layouts_give_them(void **state) {
  (void)state;
  for (int bold = 0; bold < 2; bold++)
    for (char c = ' '; c <= '~'; c++) {
      char text[11], all[20];
      memset(text, c, 10);
      text[10] = 0;
      snprintf(all, sizeof all, "|%s|", text);
      double room = figure_text_room(all, 20, bold), width = drawn_width(text, bold);
      if (width > room * (bold ? 1.15 : 1)) // bold letters are wider by different shares
        fail_msg("'%c' is %g wide, not %g", c, width, room);
      assert_true(bold || width > 0.95 * room - 4);
    }
  const char *title = "Objective of the steps over the parameters";
  assert_true(drawn_width(title, true) <= figure_text_room(title, 20, true));
  static const char *const WORDS[] = {"Überlänge", "αβγδλμΩ", "→…", "жизнь", "\xFF\xFE"};
  for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
    assert_true(drawn_width(WORDS[i], false) <=
                1.03 * figure_text_room(WORDS[i], 20, false) + figure_text_room("||", 20, false));
}

// ---------------------------------------------------------------- PDF

static void a_pdf_has_its_size_its_title_and_no_date(void **state) {
  (void)state;
  Picture p = picture_new(400, 200);
  Text streams;
  text_init(&streams);
  p.figure->title = "Data and model";
  figure_box(p.figure, (Frame){100, 40, 200, 100}, 0xD55E00, (Stroke){INK_BLACK, 2, DASH_FULL});
  read_pdf(&p, &streams);
  assert_memory_equal(p.bytes.at, "%PDF-", 5);
  assert_true(holds(&p.bytes, "/MediaBox [ 0 0 300 150 ]")); // 72 points an inch, not 96
  assert_true(holds(&p.bytes, "/Title (Data and model)"));
  assert_true(holds(&p.bytes, "/Creator (entrain)"));
  assert_false(holds(&p.bytes, "Date"));
  assert_true(holds(&p.bytes, "%%EOF"));
  assert_true(holds(&streams, "0.835294 0.368627 0 rg")); // shapes stay shapes
  assert_false(holds(&p.bytes, "/Image"));
  text_done(&streams);
  picture_done(&p);
}

static void text_of_a_pdf_stays_text(void **state) {
  (void)state;
  Picture p = picture_new(400, 200);
  Text streams;
  text_init(&streams);
  figure_text(p.figure, (Spot){10, 40}, "spring (stiff) 1.25e-3", (Lettering){.size = 12});
  figure_text(p.figure, (Spot){40, 90}, "upright", (Lettering){.size = 12, .upright = true});
  figure_text(p.figure, (Spot){10, 60}, "bold words", (Lettering){.size = 12, .bold = true});
  figure_text(p.figure, (Spot){10, 80}, "λ", (Lettering){.size = 12});
  read_pdf(&p, &streams);
  assert_true(holds(&streams, "(spring \\(stiff\\) 1.25e-3)"));
  assert_true(holds(&streams, "(upright)"));
  assert_true(holds(&streams, "(bold words)"));
  assert_true(holds(&streams, "<03bb>")); // the letter of a glyph
  text_done(&streams);
  picture_done(&p);
}

static void a_pdf_is_clipped_and_dashed(void **state) {
  (void)state;
  Picture p = picture_new(400, 200);
  Text streams;
  text_init(&streams);
  figure_clip(p.figure, (Frame){40, 20, 200, 100});
  figure_line(p.figure, (Spot){0, 0}, (Spot){400, 200}, (Stroke){INK_BLACK, 2, DASH_MIXED});
  read_pdf(&p, &streams);
  assert_true(holds(&streams, "W n"));
  assert_true(holds(&streams, "[ 9 3.75 1.5 3.75] 0 d"));
  text_done(&streams);
  picture_done(&p);
}

// ---------------------------------------------------------------- files

static Figure *busy_figure(Arena *a) {
  Figure *f = figure_new(a, 300, 200, "the same");
  for (int i = 0; i < 40; i++) {
    figure_marker(f, (Marker)(1 + i % 7), (Spot){7 * i, 5 * i}, 9, ink_series(i), LINE);
    figure_line(f, (Spot){0, 5 * i}, (Spot){7 * i, 200},
                (Stroke){ink_series(i), 1, (Dash)(i % DASH_COUNT)});
    figure_text(f, (Spot){3 * i, 5 * i}, "Größe λ of <x>", (Lettering){.size = 10, .bold = i % 2});
  }
  return f;
}

static void *write_both(void *out) {
  Arena *a = arena_new();
  Figure *f = busy_figure(a);
  Err err = {0};
  bool done = figure_png(f, 2, out, &err) && figure_pdf(f, out, &err);
  arena_free(a);
  return done ? out : NULL;
}

static void the_same_figure_gives_the_same_bytes(void **state) {
  (void)state;
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  Text out[THREADS], later;
  for (int i = 0; i < THREADS; i++) {
    text_init(&out[i]);
    pthread_create(&threads[i], NULL, write_both, &out[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    void *done;
    pthread_join(threads[i], &done);
    assert_non_null(done);
  }
  text_init(&later);
  usleep(1100000); // no time is written that a second changes
  write_both(&later);
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(out[i].length, later.length);
    assert_memory_equal(out[i].at, later.at, later.length);
    text_done(&out[i]);
  }
  text_done(&later);
}

static void a_png_says_how_large_its_pixels_are(void **state) {
  (void)state;
  Picture p = picture_new(20, 10);
  look(&p, 2); // 192 an inch are 7559 (hex 1d87) a metre
  assert_memory_equal(p.bytes.at + 33, "\0\0\0\x09pHYs\0\0\x1d\x87\0\0\x1d\x87\x01", 17);
  unsigned long sum = ZLIB(crc32)(0, (const void *)(p.bytes.at + 37), 13);
  const unsigned char *written = (const unsigned char *)p.bytes.at + 50;
  assert_int_equal(sum, (unsigned long)written[0] << 24 | (unsigned long)written[1] << 16 |
                            (unsigned long)written[2] << 8 | written[3]);
  picture_done(&p);
}

static void names_of_others_are_shown_as_text(void **state) {
  (void)state;
  static char longest[100001];
  memset(longest, 'n', sizeof longest - 1);
  static const char *const NAMES[] = {"<script>alert(1)</script>",
                                      "\"quoted\" 'name' \\) ET Q",
                                      "\x1b[31mred\x07",
                                      "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D \xE2\x80\xAE turned",
                                      "bad \xFF\xC3( \xED\xA0\x80 \xF4\x90\x80\x80 \xC0\xAF",
                                      "\xE6\xBC\xA2\xE5\xAD\x97 \xF0\x9F\x98\x80",
                                      "two\nlines\tand\r more \xEF\xBF\xBE",
                                      longest};
  Picture p = picture_new(400, 300);
  Text streams;
  text_init(&streams);
  p.figure = figure_new(p.arena, 400, 300, NAMES[4]);
  for (int i = 0; i < 8; i++) {
    figure_text(p.figure, (Spot){10, 20 + 30 * i}, NAMES[i], (Lettering){.size = 12});
    figure_text_within(p.figure, (Spot){10, 35 + 30 * i}, NAMES[i], (Lettering){.size = 12}, 100);
  }
  look(&p, 2);
  read_pdf(&p, &streams);
  assert_true(holds(&streams, "(<script>alert\\(1\\)</script>)"));
  assert_true(holds(&streams, "(\"quoted\" 'name' \\\\\\) ET Q)"));
  assert_true(holds(&streams, "([31mred)")); // without its control characters
  assert_true(holds(&streams, "<fffd>"));
  assert_true(holds(&streams, "<05e9>"));
  assert_true(holds(&streams, "(two lines and)"));
  assert_true(holds(&p.bytes, "%%EOF"));
  text_done(&streams);
  picture_done(&p);
}

static void a_picture_that_is_too_large_is_refused(void **state) {
  (void)state;
  Picture p = picture_new(1e6, 1e6), none = picture_new(0, 10), strange = picture_new(nan(""), 5);
  Picture *all[] = {&p, &none, &strange};
  Text t;
  text_init(&t);
  for (int i = 0; i < 3; i++) {
    Err png = {0}, pdf = {0};
    assert_false(figure_png(all[i]->figure, 2, &t, &png));
    assert_false(figure_pdf(all[i]->figure, &t, &pdf));
    assert_non_null(strstr(png.text, "too large for a PNG file"));
    assert_non_null(strstr(pdf.text, "too large for a PDF file"));
    picture_done(all[i]);
  }
  assert_int_equal(t.length, 0);
  text_done(&t);
}

// ---------------------------------------------------------------- without the library, without fonts

// What figure_cairo_ready says in a process with this environment.
static void assert_ready_says(const char *environment, const char *expected) {
  char command[1200], said[1000] = "";
  snprintf(command, sizeof command, "%s '%s' ready", environment, program);
  FILE *f = popen(command, "r");
  assert_non_null(f);
  said[fread(said, 1, sizeof said - 1, f)] = 0;
  assert_int_equal(pclose(f), 0);
  if (!strstr(said, expected)) fail_msg("it says '%s'", said);
}

static void what_is_missing_is_named(void **state) {
  (void)state;
  char folder[] = "/tmp/figure_cairo.XXXXXX", file[100], environment[200];
  assert_non_null(mkdtemp(folder));
  assert_ready_says("", "ready");
  snprintf(file, sizeof file, "%s/libcairo.so.2", folder);
  FILE *f = fopen(file, "w"); // no library
  fclose(f);
  snprintf(environment, sizeof environment, "LD_LIBRARY_PATH=%s", folder);
  assert_ready_says(environment, "Debian: libcairo2");
  unlink(file);
  snprintf(file, sizeof file, "%s/fonts.conf", folder);
  f = fopen(file, "w");
  fputs("<fontconfig></fontconfig>", f);
  fclose(f);
  snprintf(environment, sizeof environment, "FONTCONFIG_FILE=%s", file);
  assert_ready_says(environment, "Debian: fonts-dejavu-core");
  unlink(file);
  rmdir(folder);
}

static int say_ready(void) {
  Err err = {0};
  Picture p = picture_new(10, 10);
  bool ready = figure_cairo_ready(&err);
  Err png = {0}, pdf = {0};
  if (figure_png(p.figure, 2, &p.bytes, &png) != ready) return 1;
  if (figure_pdf(p.figure, &p.bytes, &pdf) != ready) return 1;
  puts(ready ? "ready" : err.text);
  bool same = strcmp(err.text, png.text) == 0 && strcmp(err.text, pdf.text) == 0;
  picture_done(&p);
  return !same;
}

int main(int count, char **words) {
  if (count == 2 && strcmp(words[1], "ready") == 0) return say_ready();
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_picture_has_its_size_and_is_white),
      cmocka_unit_test(a_box_is_painted_where_it_stands),
      cmocka_unit_test(boxes_fill_whole_pixels_and_leave_no_gap),
      cmocka_unit_test(areas_are_right),
      cmocka_unit_test(thin_lines_are_pale_not_broken),
      cmocka_unit_test(dashes_leave_their_share_white),
      cmocka_unit_test(markers_stand_around_their_spot),
      cmocka_unit_test(nothing_is_drawn_outside_of_a_clip),
      cmocka_unit_test(what_is_not_finite_is_not_drawn),
      cmocka_unit_test(pictures_of_many_colours_keep_them),
      cmocka_unit_test(text_stands_where_it_is_aligned),
      cmocka_unit_test(centred_text_has_its_middle_at_the_spot),
      cmocka_unit_test(upright_text_is_the_same_turned),
      cmocka_unit_test(bold_text_has_more_ink),
      cmocka_unit_test(letters_need_the_room_that_layouts_give_them),
      cmocka_unit_test(a_pdf_has_its_size_its_title_and_no_date),
      cmocka_unit_test(text_of_a_pdf_stays_text),
      cmocka_unit_test(a_pdf_is_clipped_and_dashed),
      cmocka_unit_test(the_same_figure_gives_the_same_bytes),
      cmocka_unit_test(a_png_says_how_large_its_pixels_are),
      cmocka_unit_test(names_of_others_are_shown_as_text),
      cmocka_unit_test(a_picture_that_is_too_large_is_refused),
      cmocka_unit_test(what_is_missing_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
