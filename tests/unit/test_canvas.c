#include "draw/canvas.h"

#include "test.h"

static void row_is(const Canvas *c, int row, const char *fill, bool colour, const char *expected) {
  Text out;
  text_init(&out);
  canvas_print_row(c, row, fill, colour, &out);
  assert_string_equal(out.at, expected);
  text_done(&out);
}

static void a_diagonal_is_drawn_dot_by_dot(void **state) {
  (void)state;
  Arena *a = arena_new();
  Canvas *c = canvas_new(a, 2, 1);
  Pen pen = {0, 1, 0, 0};
  canvas_line(c, &pen, 0, 3, 3, 0);
  row_is(c, 0, NULL, false, "⡠⠊");
  assert_int_equal(pen.travelled, 4);
  arena_free(a);
}

static void lines_that_meet_do_not_draw_the_joint_twice(void **state) {
  (void)state;
  Arena *a = arena_new();
  Canvas *c = canvas_new(a, 4, 1);
  Pen pen = {0, 1, 0, 0};
  for (int x = 0; x < 7; x++) canvas_line(c, &pen, x, 0, x + 1, 0);
  assert_int_equal(pen.travelled, 8);
  row_is(c, 0, NULL, false, "⠉⠉⠉⠉");
  arena_free(a);
}

static void dots_outside_are_left_out(void **state) {
  (void)state;
  Arena *a = arena_new();
  Canvas *c = canvas_new(a, 2, 1);
  Pen pen = {0, 1, 0, 0};
  canvas_line(c, &pen, -10, 0, 10, 0);
  canvas_line(c, &pen, 10, -50, 10, 50);
  row_is(c, 0, NULL, false, "⠉⠉");
  arena_free(a);
}

static void colours_are_closed_and_blanks_at_the_end_dropped(void **state) {
  (void)state;
  Arena *a = arena_new();
  Canvas *c = canvas_new(a, 4, 1);
  Pen pen = {0, 1, 0, 0};
  canvas_line(c, &pen, 0, 0, 0, 0);
  row_is(c, 0, NULL, true, "\033[36m⠁\033[0m");
  row_is(c, 0, ".", false, "⠁...");
  arena_free(a);
}

static void marks_lie_above_or_below_lines(void **state) {
  (void)state;
  Arena *a = arena_new();
  Canvas *c = canvas_new(a, 4, 1);
  Pen pen = {0, 1, 0, 0};
  canvas_mark(c, 0, 0, true, 0, 0);
  canvas_mark(c, 1, 0, false, 2, 0); // hidden by the line
  canvas_mark(c, 1, 0, false, 6, 3);
  canvas_mark(c, 0, 0, true, 8, 0); // outside
  canvas_line(c, &pen, 0, 1, 5, 1);
  Text t;
  text_init(&t);
  canvas_print_row(c, 0, NULL, false, &t);
  assert_string_equal(t.at, "•⠒⠒×");
  text_clear(&t);
  canvas_print_row(c, 0, NULL, true, &t);
  assert_string_equal(t.at, "\033[36m•⠒⠒×\033[0m");
  text_done(&t);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_diagonal_is_drawn_dot_by_dot),
      cmocka_unit_test(lines_that_meet_do_not_draw_the_joint_twice),
      cmocka_unit_test(dots_outside_are_left_out),
      cmocka_unit_test(colours_are_closed_and_blanks_at_the_end_dropped),
      cmocka_unit_test(marks_lie_above_or_below_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
