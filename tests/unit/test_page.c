#include "write/page.h"

#include <string.h>

#include "html_tags.h"
#include "num/random.h"
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
    Page p = page_on(&t, (PageStyle){.width = width});
    page_paragraph(&p, 6, "- ", WORDS);
    assert_true(longest_line(t.at) <= width);
    assert_true(strncmp(t.at, "    - one", 9) == 0);
    assert_non_null(strstr(t.at, "seventeen\n"));
    page_done(&p);
    text_done(&t);
  }
}

static void titles_are_wrapped(void **state) {
  (void)state;
  Text t;
  text_init(&t);
  Page p = page_on(&t, (PageStyle){.width = 40});
  page_title(&p, "problem.yaml: 100 % of the starts reach the best optimum");
  assert_string_equal(t.at, "problem.yaml: 100 % of the starts reach\n  the best optimum\n");
  page_done(&p);
  text_done(&t);
}

static const PageColumn COLUMNS[] = {
    {"name", 0}, {">value", 1}, {"empty", 1}, {"unit", 2}, {"note", 1}};

static void print_table(Text *t, int width, bool colour) {
  Page p = page_on(t, (PageStyle){.width = width, .colour = colour});
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
                            "  stiffness    3          bad\n");
  text_done(&t);
}

// One column of these cells, without the head.
static void assert_column(const char *const *cells, int count, const char *expected) {
  static const PageColumn ONE[] = {{">x", 0}};
  Text t;
  text_init(&t);
  Page p = page_on(&t, (PageStyle){.width = 80});
  PageTable *table = page_table_new(&p, ONE, 1);
  for (int i = 0; i < count; i++) page_table_add(table, &cells[i]);
  page_table_print(table);
  assert_string_equal(strchr(t.at, '\n') + 1, expected);
  page_done(&p);
  text_done(&t);
}

static void numbers_stand_point_below_point(void **state) {
  (void)state;
  assert_column((const char *[]){"12.5", "3", "0.125", "-1e-3"}, 4,
                "  12.5\n   3\n   0.125\n  -1e-3\n");
  assert_column((const char *[]){"1.5 .. 12", "-", "10 .. 3"}, 3,
                "  1.5 .. 12\n          -\n   10 .. 3\n");
  assert_column((const char *[]){"8.2 ms", "31 ms"}, 2, "  8.2 ms\n   31 ms\n"); // with units
  // Far apart they would make the column too wide.
  assert_column((const char *[]){"123456789", "1.2345e-12"}, 2, "   123456789\n  1.2345e-12\n");
}

static void long_texts_are_wrapped_and_names_shortened(void **state) {
  (void)state;
  static const PageColumn TWO[] = {{"name", 0}, {"note", 1}};
  Text t;
  text_init(&t);
  Page p = page_on(&t, (PageStyle){.width = 40, .colour = true});
  PageTable *table = page_table_new(&p, TWO, 2);
  page_table_add(table, (const char *[]){"a_very_long_name_of_a_thing",
                                         page_tinted(&p, TINT_BAD, "several words of a remark")});
  page_table_print(table);
  assert_non_null(strstr(t.at, "a_very_l\u2026a_thing"));
  assert_non_null(strstr(t.at, "\033[31mseveral words of a\033[0m\n"));
  assert_non_null(strstr(t.at, "  \033[31mremark\033[0m\n"));
  assert_int_equal(longest_line(t.at), 38);
  page_done(&p);
  text_done(&t);
}

static void a_narrow_page_drops_what_can_be_missed(void **state) {
  (void)state;
  static const PageColumn WIDE[] = {{"a", 0}, {">second", 1}, {">third", 2}};
  for (int own = 0; own < 2; own++) {
    Text t;
    text_init(&t);
    Page p = page_on(&t, (PageStyle){.width = 40});
    PageTable *table = page_table_new(&p, WIDE, 3);
    page_table_add(table, (const char *[]){"0123456789", "0123456789", "0123456789012345678"});
    if (own) page_table_elsewhere(table, "--csv");
    page_table_print(table);
    assert_non_null(strstr(t.at, "  second\n"));
    assert_non_null(
        strstr(t.at, own ? "No room for third: a wider terminal\n  (COLUMNS=45) or --csv"
                         : "No room for third: a wider terminal\n  (COLUMNS=45) or "
                           "--json FILE shows it."));
    page_done(&p);
    text_done(&t);
  }
}

// A column that can be missed makes room for longer names, one that matters does not.
static void names_are_shortened_for_columns_that_matter(void **state) {
  (void)state;
  for (int matters = 0; matters < 2; matters++) {
    const PageColumn three[] = {{"name", 0}, {">value", 0}, {">error", matters ? -1 : 1}};
    Text t;
    text_init(&t);
    Page p = page_on(&t, (PageStyle){.width = 48});
    PageTable *table = page_table_new(&p, three, 3);
    page_table_add(table, (const char *[]){"th.start[single_identification-0]", "0123456789012",
                                           "0123456789012"});
    page_table_print(table);
    assert_int_equal(strstr(t.at, "th.start\u2026tion-0]") != NULL, matters);
    assert_int_equal(strstr(t.at, "No room for error") == NULL, matters);
    page_done(&p);
    text_done(&t);
  }
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

static void of_many_without_room_some_are_named(void **state) {
  (void)state;
  enum { COLUMN_COUNT = 40 };
  PageColumn columns[COLUMN_COUNT];
  const char *cells[COLUMN_COUNT];
  for (int i = 0; i < COLUMN_COUNT; i++)
    columns[i] = (PageColumn){">a_long_name", i}, cells[i] = "1";
  Text t;
  text_init(&t);
  Page p = page_on(&t, (PageStyle){.width = 40});
  PageTable *table = page_table_new(&p, columns, COLUMN_COUNT);
  page_table_add(table, cells);
  page_table_print(table);
  assert_non_null(strstr(t.at, "and 13"));
  page_done(&p);
  text_done(&t);
}

// ---------------------------------------------------------------- random tables

enum { COLUMNS_MOST = 9, ROWS_MOST = 6, CELL_SIZE = 120 };

typedef struct MadeTable {
  PageColumn columns[COLUMNS_MOST];
  char head[COLUMNS_MOST][CELL_SIZE], cell[ROWS_MOST][COLUMNS_MOST][CELL_SIZE];
  int count, rows;
} MadeTable;

static int drawn(Random *r, int most) {
  return (int)(random_uniform(r) * (most + 1));
}

// Words of letters of one, two and three bytes, one of them two columns wide.
static void draw_words(Random *r, int words, int longest, char out[CELL_SIZE]) {
  static const char *const LETTERS[] = {"a", "b", "ö", "→", "漢", "_"};
  size_t at = 0;
  for (int w = 0; w < words; w++) {
    int letters = 1 + drawn(r, longest - 1);
    if (w) out[at++] = ' ';
    for (int i = 0; i < letters && at < CELL_SIZE - 8; i++)
      at += (size_t)snprintf(out + at, 5, "%s", LETTERS[drawn(r, 5)]);
  }
  out[at] = 0;
}

static void draw_table(Random *r, MadeTable *m) {
  *m = (MadeTable){.count = 2 + drawn(r, COLUMNS_MOST - 2), .rows = 1 + drawn(r, ROWS_MOST - 1)};
  for (int c = 0; c < m->count; c++) {
    int kind = c == 0 ? 0 : drawn(r, 2); // a name, a number, a text
    int key = c == 0 || (kind == 0 && c < 3);
    snprintf(m->head[c], CELL_SIZE, "%shead%d", kind == 1 ? ">" : "", c);
    int spare = drawn(r, 6) - 3;
    m->columns[c] = (PageColumn){m->head[c], key ? 0 : spare ? spare : 4};
    for (int k = 0; k < m->rows; k++) {
      if (kind == 1)
        snprintf(m->cell[k][c], CELL_SIZE, "%.*g", 1 + drawn(r, 6), pow(10, 12 * random_normal(r)));
      else
        draw_words(r, kind == 0 ? 1 : 1 + drawn(r, 8), kind == 0 ? 25 : 10, m->cell[k][c]);
    }
  }
}

static void print_made(const MadeTable *m, int width, bool colour, Text *t) {
  Page p = page_on(t, (PageStyle){.width = width, .colour = colour});
  PageTable *table = page_table_new(&p, m->columns, m->count);
  for (int k = 0; k < m->rows; k++) {
    const char *cells[COLUMNS_MOST];
    for (int c = 0; c < m->count; c++) cells[c] = page_tinted(&p, (Tint)(c % 3), m->cell[k][c]);
    page_table_add(table, cells);
  }
  page_table_print(table);
  page_done(&p);
}

static bool line_has(const char *line, const char *word) {
  const char *at = strstr(line, word);
  return at && at < line + strcspn(line, "\n");
}

static void at_every_width_tables_fit_and_tell_what_they_left_out(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 7);
  for (int width = 40; width <= 200; width += 2) {
    for (int trial = 0; trial < 10; trial++) {
      MadeTable m;
      Text t;
      draw_table(&r, &m);
      text_init(&t);
      print_made(&m, width, trial % 2, &t);
      if (longest_line(t.at) > width) fail_msg("%d: %s", width, t.at);
      const char *told = strstr(t.at, "No room for ");
      for (int c = 0; c < m.count; c++) {
        const char *head = m.head[c] + (m.head[c][0] == '>');
        bool shown = line_has(t.at, head), named = told && strstr(told, head);
        if (shown == named) fail_msg("%d, %s: %s", width, head, t.at);
        if (!shown && !m.columns[c].spare) fail_msg("%d, %s is a key: %s", width, head, t.at);
        for (int k = 0; shown && m.head[c][0] == '>' && k < m.rows; k++) // numbers are whole
          if (!strstr(t.at, m.cell[k][c])) fail_msg("%d, %s: %s", width, m.cell[k][c], t.at);
      }
      text_done(&t);
    }
  }
}

static void html_has_all_columns_whole(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 8);
  for (int trial = 0; trial < 50; trial++) {
    MadeTable m;
    Text t;
    draw_table(&r, &m);
    text_init(&t);
    Page p = page_on(&t, (PageStyle){.width = PAGE_HTML});
    PageTable *table = page_table_new(&p, m.columns, m.count);
    for (int k = 0; k < m.rows; k++) {
      const char *cells[COLUMNS_MOST];
      for (int c = 0; c < m.count; c++) cells[c] = m.cell[k][c];
      page_table_add(table, cells);
    }
    page_table_print(table);
    for (int c = 0; c < m.count; c++) {
      assert_non_null(strstr(t.at, m.head[c] + (m.head[c][0] == '>')));
      for (int k = 0; k < m.rows; k++) assert_non_null(strstr(t.at, m.cell[k][c]));
    }
    page_done(&p);
    text_done(&t);
  }
}

static void a_name_with_line_ends_stays_on_one_line(void **state) {
  (void)state;
  assert_column((const char *[]){"a\nb\tc"}, 1, "  a b c\n");
}

// ---------------------------------------------------------------- HTML

typedef struct Cells { // of a table, row by row, the heads first
  char text[400][40];
  int count;
} Cells;

static void cells_of_html(Arena *a, const char *html, Cells *c) {
  c->count = 0;
  for (const char *s = html; (s = strstr(s, "<t")); s++) {
    if (strncmp(s, "<th ", 4) != 0 && strncmp(s, "<td", 3) != 0) continue;
    const char *text = strchr(s, '>') + 1;
    const char *decoded = html_decoded(a, arena_copy(a, text, strcspn(text, "<")));
    snprintf(c->text[c->count++], sizeof *c->text, "%s", decoded);
  }
}

// Words of the terminal, which are separated by two blanks at least; empty cells are not there.
static void cells_of_text(const char *text, Cells *c) {
  c->count = 0;
  while (*text) {
    size_t length = strcspn(text, "\n");
    const char *end = text + length;
    for (const char *s = text; s < end;) {
      s += strspn(s, " ");
      if (s >= end) break;
      const char *stop = s;
      while (stop < end && !(stop[0] == ' ' && stop[1] == ' ')) stop++;
      snprintf(c->text[c->count++], sizeof *c->text, "%.*s", (int)(stop - s), s);
      s = stop;
    }
    text = end + (*end == '\n');
  }
}

static void print_random_table(Text *t, PageStyle style, uint64_t seed) {
  static const char *const WORDS_OF_CELLS[] = {"",  "", "1.5e-3", "a < b", "\"quoted\" & more",
                                               "ä", "x"};
  static const PageColumn HEADS[] = {{"name", 0}, {">value", 3}, {"5 > 3", 2},
                                     {"unit", 1}, {">fit %", 4}, {"note", 5}};
  Random r;
  random_seed(&r, seed);
  Page p = page_on(t, style);
  int columns = 1 + (int)(6 * random_uniform(&r)), rows = (int)(20 * random_uniform(&r));
  PageTable *table = page_table_new(&p, HEADS, columns);
  for (int i = 0; i < rows; i++) {
    const char *cells[6];
    for (int c = 0; c < columns; c++) cells[c] = WORDS_OF_CELLS[(int)(7 * random_uniform(&r))];
    page_table_add(table, cells);
  }
  page_table_print(table);
  page_done(&p);
}

static void a_table_of_html_has_the_cells_of_a_wide_terminal(void **state) {
  (void)state;
  static Cells html, text;
  for (uint64_t seed = 1; seed <= 500; seed++) {
    Arena *a = arena_new();
    Text h, t;
    text_init(&h);
    text_init(&t);
    print_random_table(&h, (PageStyle){PAGE_HTML, false}, seed);
    print_random_table(&t, (PageStyle){1000, false}, seed);
    html_tags(a, h.at);
    cells_of_html(a, h.at, &html);
    cells_of_text(t.at, &text);
    int k = 0;
    for (int i = 0; i < html.count; i++)
      if (html.text[i][0]) assert_string_equal(html.text[i], text.text[k++]);
    assert_int_equal(k, text.count);
    text_done(&h);
    text_done(&t);
    arena_free(a);
  }
}

static void numbers_are_on_the_right(void **state) {
  (void)state;
  Text t;
  text_init(&t);
  Page p = page_on(&t, (PageStyle){PAGE_HTML, false});
  PageTable *table = page_table_new(&p, COLUMNS, 5);
  page_table_add(table, (const char *[]){"p", "10.5", NULL, "", page_tinted(&p, TINT_BAD, "bad")});
  page_table_print(table);
  page_done(&p);
  assert_non_null(
      strstr(t.at, "<th scope=\"col\">name</th><th scope=\"col\" class=\"n\">value</th>"));
  assert_non_null(strstr(
      t.at, "<tr><td>p</td><td class=\"n\">10.5</td><td><span class=\"bad\">bad</span></td></tr>"));
  text_done(&t);
}

// Everything that a report is made of, in any order, with any text.
static void print_anything(Page *p, Random *r, const char *text) {
  for (int n = (int)(30 * random_uniform(r)); n > 0; n--) {
    Tint tint = (Tint)(6 * random_uniform(r));
    const char *shown = page_tinted(p, tint, text);
    int kind = (int)(6 * random_uniform(r));
    if (kind == 0) page_title(p, shown);
    if (kind == 1) page_paragraph(p, 4, "- ", shown);
    if (kind == 2) page_paragraph(p, 2, "", shown);
    if (kind == 3) page_line(p, 6, shown);
    if (kind == 4) page_paragraph(p, 4, text, arena_print(p->arena, "%s and %s", shown, shown));
    if (kind == 5) {
      PageTable *t = page_table_new(p, COLUMNS, 5);
      page_table_add(t, (const char *[]){shown, text, shown, NULL, ""});
      page_table_print(t);
    }
  }
}

static void anything_that_is_printed_is_sound_html(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 8);
  for (int n = 0; n < 400; n++) {
    Arena *a = arena_new();
    Text t;
    text_init(&t);
    Page p = page_on(&t, (PageStyle){PAGE_HTML, false});
    if (n % 2) page_heading(&p, HOSTILE[n % HOSTILE_COUNT]);
    print_anything(&p, &r, HOSTILE[n % HOSTILE_COUNT]);
    page_done(&p);
    HtmlTags tags = html_tags(a, t.at);
    assert_int_equal(tag_count(&tags, "script") + tag_count(&tags, "img"), 0);
    if (n % HOSTILE_COUNT == HOSTILE_COUNT - 1) assert_int_equal(tag_count(&tags, "span"), 0);
    text_done(&t);
    arena_free(a);
  }
}

static void headings_have_names_and_items_are_lists(void **state) {
  (void)state;
  Text t;
  text_init(&t);
  Page p = page_on(&t, (PageStyle){PAGE_HTML, false});
  page_title(&p, "problem: fine");
  page_heading(&p, "How it was found");
  page_paragraph(&p, 4, "- ", "one");
  page_paragraph(&p, 4, "- ", "two");
  page_paragraph(&p, 4, "", "three");
  page_paragraph(&p, 4, "- ", "four");
  page_done(&p);
  assert_string_equal(t.at, "<p class=\"verdict\">problem: fine</p>\n"
                            "<h2 id=\"how-it-was-found\">How it was found</h2>\n"
                            "<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n<p>three</p>\n"
                            "<ul>\n<li>four</li>\n</ul>\n");
  text_done(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(paragraphs_keep_the_width_and_lose_no_word),
      cmocka_unit_test(titles_are_wrapped),
      cmocka_unit_test(columns_are_aligned_and_empty_ones_left_out),
      cmocka_unit_test(numbers_stand_point_below_point),
      cmocka_unit_test(long_texts_are_wrapped_and_names_shortened),
      cmocka_unit_test(a_narrow_page_drops_what_can_be_missed),
      cmocka_unit_test(names_are_shortened_for_columns_that_matter),
      cmocka_unit_test(colours_change_no_width),
      cmocka_unit_test(of_many_without_room_some_are_named),
      cmocka_unit_test(at_every_width_tables_fit_and_tell_what_they_left_out),
      cmocka_unit_test(html_has_all_columns_whole),
      cmocka_unit_test(a_name_with_line_ends_stays_on_one_line),
      cmocka_unit_test(a_table_of_html_has_the_cells_of_a_wide_terminal),
      cmocka_unit_test(numbers_are_on_the_right),
      cmocka_unit_test(anything_that_is_printed_is_sound_html),
      cmocka_unit_test(headings_have_names_and_items_are_lists),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
