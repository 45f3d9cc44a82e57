#include "draw/figure_svg.h"

#include <string.h>

#include "test.h"

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

// Every element is closed, in order, and quotes come in pairs.
static void assert_well_formed(const char *s) {
  char open[16][32];
  int depth = 0;
  for (; (s = strchr(s, '<')); s++) {
    const char *end = strchr(s, '>');
    char name[32] = "";
    assert_non_null(end);
    int quotes = 0;
    for (const char *c = s; c < end; c++) quotes += *c == '"';
    assert_int_equal(quotes % 2, 0);
    sscanf(s[1] == '/' ? s + 2 : s + 1, "%31[A-Za-z]", name);
    if (s[1] == '/') {
      assert_true(depth > 0);
      assert_string_equal(open[--depth], name);
    } else if (end[-1] != '/') {
      assert_true(depth < 16);
      strcpy(open[depth++], name);
    }
  }
  assert_int_equal(depth, 0);
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
  assert_well_formed(s);
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
  assert_well_formed(s);
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
  assert_well_formed(s);
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
  assert_well_formed(s);
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
  assert_well_formed(s);
  assert_non_null(strstr(s, "translate(5 60) rotate(-90)"));
  assert_non_null(strstr(s, "font-weight=\"bold\""));
  assert_non_null(strstr(s, "stroke-dasharray=\"10 6\""));
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
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
