#include <string.h>

#include "draw/figure.h"
#include "letters.h"

static void longer_and_bolder_texts_need_more(void **state) {
  (void)state;
  for (char c = ' '; c <= '~'; c++) {
    char letter[2] = {c, 0}, two[3] = {c, c, 0};
    double room = figure_text_room(letter, 12, false);
    assert_true(figure_text_room(letter, 12, true) > room);
    assert_close(figure_text_room(two, 12, false), 2 * room, 1e-9);
  }
  assert_true(figure_text_room("W", 12, false) > figure_text_room("i", 12, false));
}

// 9.44 em in DejaVu Sans, where such texts were cut off.
static void a_wide_font_has_room(void **state) {
  (void)state;
  assert_true(figure_text_room("objective 4.03e-22", 12, false) >= 12 * 9.44);
  assert_close(figure_text_room("width", 24, false), 2 * figure_text_room("width", 12, false),
               1e-9);
  assert_close(figure_text_room("", 12, false), 0, 0);
}

static const char *NAMES[] = {"stiffness_of_the_primary_suspension_spring_left",
                              "Dämpfungsmaß_der_äußeren_Führungsbüchse_für_Überlast",
                              "αβγδεζηθικλμ", "short"};

static void what_fits_stays_as_it_is(void **state) {
  (void)state;
  Arena *a = arena_new();
  for (int i = 0; i < 4; i++) {
    double room = figure_text_room(NAMES[i], 12, true);
    assert_ptr_equal(figure_shortened(a, NAMES[i], 12, true, room), NAMES[i]);
  }
  arena_free(a);
}

static bool is_utf8(const char *s) {
  while (*s) {
    unsigned char lead = (unsigned char)*s++;
    int more = lead < 0x80 ? 0 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : -1;
    for (; more > 0; more--)
      if (((unsigned char)*s++ & 0xC0) != 0x80) return false;
    if (more < 0) return false;
  }
  return true;
}

static void what_does_not_fit_keeps_its_ends(void **state) {
  (void)state;
  Arena *a = arena_new();
  for (int i = 0; i < 3; i++)
    for (double room = 40; room < figure_text_room(NAMES[i], 12, false); room += 7) {
      const char *s = figure_shortened(a, NAMES[i], 12, false, room), *gap = strstr(s, "…");
      assert_non_null(gap);
      size_t head = (size_t)(gap - s), tail = strlen(gap) - strlen("…");
      assert_true(head > 0 && tail > 0);
      assert_memory_equal(s, NAMES[i], head);
      assert_string_equal(s + head + strlen("…"), NAMES[i] + strlen(NAMES[i]) - tail);
      assert_true(figure_text_room(s, 12, false) <= room + 1e-9);
      assert_true(figure_text_room(s, 12, false) > room - 2 * 12); // and uses the room
      assert_true(is_utf8(s));
    }
  assert_string_equal(figure_shortened(a, "anything", 12, false, 1), "…");
  arena_free(a);
}

static void what_stands_before_a_colon_is_kept(void **state) {
  (void)state;
  const char *title = "Convergence: examples/arctan_oscillator/problem.yaml";
  Arena *a = arena_new();
  const char *s = figure_shortened(a, title, 12, true, 250);
  assert_true(figure_text_room(s, 12, true) <= 250);
  assert_memory_equal(s, "Convergence: exam", 17);
  assert_non_null(strstr(s, "…"));
  s = figure_shortened(a, title, 12, true, 100); // there is too little room for that
  assert_true(figure_text_room(s, 12, true) <= 100);
  assert_null(strchr(s, ':'));
  arena_free(a);
}

static void a_shortened_text_knows_the_whole(void **state) {
  (void)state;
  Arena *a = arena_new();
  Figure *f = figure_new(a, 300, 100, "room");
  figure_text_within(f, (Spot){10, 50}, NAMES[0], (Lettering){.size = 12}, 100);
  figure_text_within(f, (Spot){10, 80}, NAMES[3], (Lettering){.size = 12}, 100);
  figure_text_within(f, (Spot){10, 80}, NULL, (Lettering){.size = 12}, 100);
  assert_int_equal(f->shapes.count, 2);
  assert_string_equal(f->shapes.at[0].whole, NAMES[0]);
  assert_non_null(strstr(f->shapes.at[0].text, "…"));
  assert_null(f->shapes.at[1].whole);
  assert_letters_stand_well(f);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(longer_and_bolder_texts_need_more),
      cmocka_unit_test(a_wide_font_has_room),
      cmocka_unit_test(what_fits_stays_as_it_is),
      cmocka_unit_test(what_does_not_fit_keeps_its_ends),
      cmocka_unit_test(what_stands_before_a_colon_is_kept),
      cmocka_unit_test(a_shortened_text_knows_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
