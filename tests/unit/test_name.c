// Names of flat models and their quotes.
#include "lang/name.h"

#include <string.h>

#include "base/text.h"
#include "lang/ast_print.h"
#include "lang/parse.h"
#include "test.h"

static void paths_are_recognised(void **state) {
  (void)state;
  static const struct {
    const char *name;
    bool plain, path;
  } NAMES[] = {
      {"x", true, true},           {"x_1", true, true},      {"_x", true, true},
      {"a.b", false, true},        {"a[1]", false, true},    {"a[1,2].b", false, true},
      {"a.b.c[3].d", false, true}, {"", false, false},       {"1x", false, false},
      {"a.", false, false},        {".a", false, false},     {"a[", false, false},
      {"a[]", false, false},       {"a[x]", false, false},   {"a b", false, false},
      {"a..b", false, false},      {"a[1]b", false, false},  {"a[1].", false, false},
      {"'a b'", true, true},       {"'a b'.c", false, true}, {"'a", false, false},
      {"'", false, false},         {"a.'b", false, false},
  };
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
    if (name_is_plain(NAMES[i].name) != NAMES[i].plain ||
        name_is_path(NAMES[i].name) != NAMES[i].path)
      print_error("%s\n", NAMES[i].name);
    assert_int_equal(name_is_plain(NAMES[i].name), NAMES[i].plain);
    assert_int_equal(name_is_path(NAMES[i].name), NAMES[i].path);
  }
}

static void reserved_words_are_not_plain(void **state) {
  (void)state;
  static const char *const WORDS[] = {"model", "end", "for", "der", "time", "if", "true"};
  for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) assert_false(name_is_plain(WORDS[i]));
}

// What is printed for a name and read again is the name.
static void printed_names_read_back(void **state) {
  (void)state;
  static const char *const NAMES[] = {"x", "a.b", "a[1]", "a[1,2].b[3]", "car.wheel[2].om"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
    Arena *a = arena_new();
    Text out;
    text_init(&out);
    ast_print_name(&out, NAMES[i]);
    assert_string_equal(name_unquoted(a, out.at), NAMES[i]);
    text_done(&out);
    arena_free(a);
  }
}

static void other_quoted_names_keep_their_quotes(void **state) {
  (void)state;
  static const char *const NAMES[] = {"'a b'",    "'model'", "'1'",    "'a.'",
                                      "'it\\'s'", "''",      "'\\'y'", "'a.\\'b'"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
    Arena *a = arena_new();
    assert_string_equal(name_unquoted(a, NAMES[i]), NAMES[i]);
    arena_free(a);
  }
}

static void trees_are_paths(void **state) {
  (void)state;
  static const struct {
    const char *text, *path; // NULL: none
  } TREES[] = {
      {"x", "x"},
      {"a.b", "a.b"},
      {"a.b[2].c", "a.b[2].c"},
      {"a[1, 2]", "a[1,2]"},
      {"a[i]", NULL},
      {"a[1:2]", NULL},
      {"f(x)", NULL},
      {"a + b", NULL},
      {"a[1].b[:]", NULL},
      {"a[end]", NULL},
      {"3", NULL},
  };
  for (size_t i = 0; i < sizeof TREES / sizeof *TREES; i++) {
    Arena *a = arena_new();
    Err err = {0};
    const Source *s = source_new(a, "<text>", TREES[i].text, strlen(TREES[i].text), &err);
    const Ast *e = parse_expression(a, s, &err);
    assert_non_null(e);
    const char *path = name_of_tree(a, e);
    if (!TREES[i].path) {
      if (path) print_error("%s: %s\n", TREES[i].text, path);
      assert_null(path);
    } else {
      assert_non_null(path);
      assert_string_equal(path, TREES[i].path);
    }
    arena_free(a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(paths_are_recognised),
      cmocka_unit_test(reserved_words_are_not_plain),
      cmocka_unit_test(printed_names_read_back),
      cmocka_unit_test(other_quoted_names_keep_their_quotes),
      cmocka_unit_test(trees_are_paths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
