#include "write/page.h"

#include <string.h>

#include "test.h"

static const char WORDS[] = "one two three four five six seven eight nine ten eleven twelve "
                            "thirteen fourteen fifteen größer sixteen seventeen";

static int longest_line(const char *text) {
  int longest = 0;
  while (*text) {
    size_t length = strcspn(text, "\n");
    char line[1000];
    snprintf(line, sizeof line, "%.*s", (int)length, text);
    int width = page_width_of(line);
    if (width > longest) longest = width;
    text += length + (text[length] == '\n');
  }
  return longest;
}

static void paragraphs_keep_the_width_and_lose_no_word(void **state) {
  (void)state;
  for (int width = 40; width < 130; width += 7) {
    Text t;
    text_init(&t);
    Page p = page_on(&t, (PageStyle){width, false});
    page_paragraph(&p, 6, "- ", WORDS);
    assert_true(longest_line(t.at) <= width);
    assert_true(strncmp(t.at, "    - one", 9) == 0);
    assert_non_null(strstr(t.at, "seventeen\n"));
    page_done(&p);
    text_done(&t);
  }
}

static const PageColumn COLUMNS[] = {
    {"name", 0}, {">value", 0}, {"empty", 0}, {"unit", 2}, {"note", 1}};

static void print_table(Text *t, int width, bool colour) {
  Page p = page_on(t, (PageStyle){width, colour});
  PageTable *table = page_table_new(&p, COLUMNS, 5);
  page_table_add(table, (const char *[]){"p", "10.5", NULL, "1/s2", "ordinary"});
  page_table_add(table,
                 (const char *[]){"stiffness", "3", "", "", page_tinted(&p, TINT_BAD, "bad")});
  page_table_print(table);
  page_done(&p);
}

static void columns_are_aligned_and_empty_ones_left_out(void **state) {
  (void)state;
  Text t;
  text_init(&t);
  print_table(&t, 80, false);
  assert_string_equal(t.at, "  name       value  unit  note\n"
                            "  p           10.5  1/s2  ordinary\n"
                            "  stiffness      3        bad\n");
  text_done(&t);
}

static void a_narrow_page_drops_what_can_be_missed(void **state) {
  (void)state;
  static const PageColumn WIDE[] = {{"a", 0}, {"second", 1}, {"third", 2}};
  Text t;
  text_init(&t);
  Page p = page_on(&t, (PageStyle){40, false});
  PageTable *table = page_table_new(&p, WIDE, 3);
  page_table_add(table, (const char *[]){"0123456789", "0123456789", "0123456789012345678"});
  page_table_print(table);
  assert_non_null(strstr(t.at, "second"));
  assert_null(strstr(t.at, "third"));
  page_done(&p);
  text_done(&t);
}

static void colours_change_no_width(void **state) {
  (void)state;
  Text plain, coloured;
  text_init(&plain);
  text_init(&coloured);
  print_table(&plain, 80, false);
  print_table(&coloured, 80, true);
  assert_non_null(strstr(coloured.at, "\033[31mbad\033[0m"));
  assert_int_equal(longest_line(plain.at), longest_line(coloured.at));
  text_done(&plain);
  text_done(&coloured);
}

static void what_has_no_room_is_named(void **state) {
  (void)state;
  static const PageColumn FOUR[] = {{"name", 0}, {">first", 1}, {">second", 2}, {"", 3}};
  for (int wide = 0; wide < 2; wide++) {
    Text t;
    text_init(&t);
    Page p = page_on(&t, (PageStyle){wide ? 80 : 40, false});
    PageTable *table = page_table_new(&p, FOUR, 4);
    page_table_add(
        table, (const char *[]){"0123456789", "0123456789", "01234567890123456789", "0123456789"});
    page_table_print(table);
    page_table_name_dropped(table, "--csv");
    bool told = strstr(t.at, "No room for second, remarks:") != NULL;
    assert_true(told != wide);
    assert_int_equal(strstr(t.at, "--csv") != NULL, !wide);
    page_done(&p);
    text_done(&t);
  }
}

static void of_many_without_room_some_are_named(void **state) {
  (void)state;
  enum { COLUMN_COUNT = 30 };
  PageColumn columns[COLUMN_COUNT];
  const char *cells[COLUMN_COUNT];
  for (int i = 0; i < COLUMN_COUNT; i++)
    columns[i] = (PageColumn){"a_long_name", i}, cells[i] = "1";
  Text t;
  text_init(&t);
  Page p = page_on(&t, (PageStyle){40, false});
  PageTable *table = page_table_new(&p, columns, COLUMN_COUNT);
  page_table_add(table, cells);
  page_table_print(table);
  page_table_name_dropped(table, "--csv");
  assert_non_null(strstr(t.at, "and 19 more:"));
  page_done(&p);
  text_done(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(paragraphs_keep_the_width_and_lose_no_word),
      cmocka_unit_test(columns_are_aligned_and_empty_ones_left_out),
      cmocka_unit_test(a_narrow_page_drops_what_can_be_missed),
      cmocka_unit_test(colours_change_no_width),
      cmocka_unit_test(what_has_no_room_is_named),
      cmocka_unit_test(of_many_without_room_some_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
