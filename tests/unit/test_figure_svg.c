#include "draw/figure_svg.h"

#include "html_tags.h"

static const Stroke LINE = {0x0072B2, 1.5, DASH_FULL};

static char *svg_of(Figure *f, Text *t) {
  text_init(t);
  figure_svg(f, t);
  return t->at;
}

static int count_of(const char *text, const char *part) {
  int count = 0;
  for (; (text = strstr(text, part)); text += strlen(part)) count++;
  return count;
}

static void every_shape_becomes_its_element(void **state) {
  (void)state;
  Arena *a = arena_new();
  Text t;
  Figure *f = figure_new(a, 200, 100, "shapes");
  figure_box(f, (Frame){1, 2.5, 30, 40}, 0xD55E00, NO_STROKE);
  figure_circle(f, (Spot){50, 60}, 7, INK_NONE, LINE);
  figure_curve(f, (Spot[]){{0, 0}, {10, 5}, {20, 0}}, 3, LINE);
  figure_polygon(f, (Spot[]){{0, 0}, {10, 5}, {20, 0}}, 3, INK_GREY, NO_STROKE);
  figure_text(f, (Spot){5, 6}, "words", (Lettering){.size = 12, .align = ALIGN_RIGHT});
  const char *s = svg_of(f, &t);
  html_tags(a, s);
  assert_non_null(strstr(s, "<rect x=\"1\" y=\"2.5\" width=\"30\" height=\"40\" fill=\"#d55e00\""));
  assert_non_null(
      strstr(s, "<circle cx=\"50\" cy=\"60\" r=\"7\" fill=\"none\" stroke=\"#0072b2\""));
  assert_non_null(strstr(s, "<path d=\"M0 0 10 5 20 0\""));
  assert_non_null(strstr(s, "<path d=\"M0 0 10 5 20 0Z\" fill=\"#707070\""));
  assert_non_null(strstr(s, "text-anchor=\"end\">words</text>"));
  assert_non_null(strstr(s, "viewBox=\"0 0 200 100\""));
  text_done(&t);
  arena_free(a);
}

static void names_are_escaped(void **state) {
  (void)state;
  Arena *a = arena_new();
  Text t;
  Figure *f = figure_new(a, 200, 100, "a<b & \"c\"");
  figure_text(f, (Spot){5, 6}, "x < y && \"z\" > \x01 λ", (Lettering){.size = 12});
  const char *s = svg_of(f, &t);
  html_tags(a, s);
  assert_non_null(strstr(s, "<title>a&lt;b &amp; &quot;c&quot;</title>"));
  assert_non_null(strstr(s, ">x &lt; y &amp;&amp; &quot;z&quot; &gt; \uFFFD λ</text>"));
  text_done(&t);
  arena_free(a);
}

static void a_shortened_text_carries_the_whole(void **state) {
  (void)state;
  Arena *a = arena_new();
  Text t;
  Figure *f = figure_new(a, 200, 100, "short");
  figure_text_within(f, (Spot){5, 6}, "a < very_long_name_of_something", (Lettering){.size = 12},
                     90);
  const char *s = svg_of(f, &t);
  html_tags(a, s);
  assert_non_null(strstr(s, "<title>a &lt; very_long_name_of_something</title>a &lt; "));
  assert_non_null(strstr(s, "…"));
  text_done(&t);
  arena_free(a);
}

static void shapes_of_one_clip_share_a_group(void **state) {
  (void)state;
  Arena *a = arena_new();
  Text t;
  Figure *f = figure_new(a, 200, 100, "clips");
  figure_clip(f, (Frame){10, 10, 50, 50});
  figure_line(f, (Spot){0, 0}, (Spot){99, 99}, LINE);
  figure_line(f, (Spot){0, 9}, (Spot){99, 9}, LINE);
  figure_unclip(f);
  figure_line(f, (Spot){0, 0}, (Spot){9, 9}, LINE);
  figure_clip(f, (Frame){20, 10, 50, 50});
  figure_line(f, (Spot){0, 0}, (Spot){9, 9}, LINE);
  const char *s = svg_of(f, &t);
  html_tags(a, s);
  assert_int_equal(count_of(s, "<g "), 2);
  assert_int_equal(count_of(s, "<clipPath id=\"clip_10_10_50_50\">"), 1);
  assert_int_equal(count_of(s, "url(#clip_10_10_50_50)"), 1);
  text_done(&t);
  arena_free(a);
}

static void upright_text_is_turned_and_dashes_follow_the_width(void **state) {
  (void)state;
  Arena *a = arena_new();
  Text t;
  Figure *f = figure_new(a, 200, 100, "turned");
  figure_text(f, (Spot){5, 60}, "up", (Lettering){.size = 12, .upright = true, .bold = true});
  figure_line(f, (Spot){0, 0}, (Spot){9, 9}, (Stroke){INK_BLACK, 2, DASH_DASHED});
  const char *s = svg_of(f, &t);
  html_tags(a, s);
  assert_non_null(strstr(s, "translate(5 60) rotate(-90)"));
  assert_non_null(strstr(s, "font-weight=\"bold\""));
  assert_non_null(strstr(s, "stroke-dasharray=\"10 6\""));
  text_done(&t);
  arena_free(a);
}

static void a_clip_that_is_there_is_not_named_again(void **state) {
  (void)state;
  Arena *a = arena_new();
  Text t;
  Figure *f = figure_new(a, 200, 100, "clips");
  for (int i = 0; i < 5; i++) {
    figure_clip(f, (Frame){10 + i % 2, 10, 50, 50});
    figure_line(f, (Spot){0, 0}, (Spot){9, 9}, LINE);
  }
  const char *s = svg_of(f, &t);
  html_tags(a, s);
  assert_int_equal(count_of(s, "<clipPath "), 2);
  assert_int_equal(count_of(s, "<g "), 5);
  text_done(&t);
  arena_free(a);
}

static void any_text_stays_text(void **state) {
  (void)state;
  Arena *a = arena_new();
  for (int i = 0; i < HOSTILE_COUNT; i++) {
    Text t;
    Figure *f = figure_new(a, 200, 100, HOSTILE[i]);
    figure_text(f, (Spot){5, 6}, HOSTILE[i], (Lettering){.size = 12});
    figure_text_within(f, (Spot){5, 6}, arena_print(a, "%s, long enough to be cut", HOSTILE[i]),
                       (Lettering){.size = 12, .bold = true}, 60);
    HtmlTags tags = html_tags(a, svg_of(f, &t));
    int elements = HOSTILE[i][0] ? 6 : 5; // svg, title, rect, text, text, title
    assert_int_equal(tags.names.count, elements);
    text_clear(&t);
    figure_svg_inside(f, "one-", &t);
    assert_int_equal(html_tags(a, t.at).names.count, elements);
    text_done(&t);
  }
  arena_free(a);
}

// ---------------------------------------------------------------- in a page

static Figure *titled(Arena *a) {
  Figure *f = figure_new(a, 200, 100, "a title");
  figure_text(f, (Spot){5, 12}, "a title", (Lettering){.size = 12, .bold = true});
  figure_clip(f, (Frame){10, 20, 50, 50});
  figure_line(f, (Spot){0, 0}, (Spot){99, 99}, LINE);
  figure_unclip(f);
  figure_box(f, (Frame){10, 20, 50, 50}, INK_NONE, (Stroke){INK_BLACK, 1, DASH_FULL});
  figure_text(f, (Spot){5, 30}, "\"#000000\"", (Lettering){.size = 12});
  return f;
}

static void figures_of_a_page_have_names_of_their_own(void **state) {
  (void)state;
  Arena *a = arena_new();
  Figure *f = titled(a);
  Text t;
  text_init(&t);
  figure_svg_inside(f, "first-", &t);
  figure_svg_inside(f, "second-", &t);
  HtmlTags tags = html_tags(a, t.at);
  assert_int_equal(tags.ids.count, 2);
  assert_int_equal(tags.references.count, 2);
  text_done(&t);
  arena_free(a);
}

// The title is that of the page's figure: it is cut off with the room that it had. Colours are those of the page.
static void a_figure_in_a_page_takes_its_colours_over(void **state) {
  (void)state;
  Arena *a = arena_new();
  Figure *f = titled(a);
  Text t;
  text_init(&t);
  figure_svg_inside(f, "f-", &t);
  assert_int_equal(count_of(t.at, "a title"), 1); // for screen readers
  assert_non_null(strstr(t.at, "viewBox=\"0 16 200 84\""));
  assert_non_null(strstr(t.at, "fill=\"var(--paper)\""));
  assert_non_null(strstr(t.at, "stroke=\"currentColor\""));
  assert_non_null(strstr(t.at, "stroke=\"#0072b2\"")); // a colour that can be read on any paper
  assert_null(strstr(t.at, "\"#000000\""));
  assert_null(strstr(t.at, "\"#ffffff\""));
  assert_non_null(strstr(t.at, "&quot;#000000&quot;")); // a text
  text_done(&t);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_shape_becomes_its_element),
      cmocka_unit_test(names_are_escaped),
      cmocka_unit_test(a_shortened_text_carries_the_whole),
      cmocka_unit_test(shapes_of_one_clip_share_a_group),
      cmocka_unit_test(upright_text_is_turned_and_dashes_follow_the_width),
      cmocka_unit_test(a_clip_that_is_there_is_not_named_again),
      cmocka_unit_test(any_text_stays_text),
      cmocka_unit_test(figures_of_a_page_have_names_of_their_own),
      cmocka_unit_test(a_figure_in_a_page_takes_its_colours_over),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
