// JSON: what is written is read back, and what is not JSON has a place.
#include "base/json_tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "test.h"

static JsonTree *parse(Arena *a, const char *text, Err *err) {
  *err = (Err){0};
  return json_parse(a, "f.json", text, err);
}

static void values_have_kinds_and_places(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err;
  JsonTree *n =
      parse(a, " {\"a\": [1, -2.5e3, true],\n  \"\xc3\xa4\": null, \"t\": \"x\"}\n", &err);
  assert_non_null(n);
  assert_int_equal(n->kind, JSON_MAP);
  const JsonTree *list = json_find(n, "a");
  assert_int_equal(list->items.count, 3);
  assert_close(list->items.at[1]->number, -2500, 0);
  assert_true(list->items.at[2]->kind == JSON_FLAG && list->items.at[2]->number == 1);
  assert_int_equal(list->items.at[1]->at.line, 1);
  assert_int_equal(list->items.at[1]->at.column, 12);
  assert_int_equal(json_find(n, "\xc3\xa4")->kind, JSON_NULL);
  assert_int_equal(json_find(n, "t")->at.line, 2);
  assert_int_equal(json_find(n, "t")->at.column, 19); // characters, not bytes
  assert_null(json_find(n, "b"));
  assert_null(json_find(list, "a"));
  arena_free(a);
}

static double uniform(unsigned long *seed) {
  *seed = *seed * 6364136223846793005UL + 1442695040888963407UL;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

// Texts as the library writes them; numbers bit for bit.
static void what_is_written_is_read(void **state) {
  (void)state;
  Arena *a = arena_new();
  unsigned long seed = 3;
  for (int round = 0; round < 300; round++) {
    char name[40];
    int length = (int)(uniform(&seed) * 30);
    for (int i = 0; i < length; i++) name[i] = (char)(1 + uniform(&seed) * 126);
    name[length] = 0;
    double value = (uniform(&seed) - 0.5) * pow(10, 600 * uniform(&seed) - 300);
    Text t;
    Err err;
    text_init(&t);
    text_add(&t, "{\"x\":[");
    text_add_json(&t, name);
    text_add(&t, ",");
    text_add_number(&t, value);
    text_add(&t, "]}");
    JsonTree *n = parse(a, t.at, &err);
    if (!n) fail_msg("%s: %s", t.at, err.text);
    const JsonTree *list = json_find(n, "x");
    assert_string_equal(list->items.at[0]->text, name);
    assert_true(list->items.at[1]->number == value);
    text_done(&t);
  }
  arena_free(a);
}

static void escapes_are_characters(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err;
  JsonTree *n = parse(a, "\"\\u00e4\\/\\n\\ud83d\\ude00\\u20AC\"", &err);
  assert_non_null(n);
  assert_string_equal(n->text, "\xc3\xa4/\n\xf0\x9f\x98\x80\xe2\x82\xac");
  arena_free(a);
}

static void what_is_no_json_has_a_place(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int line, column;
  } CASES[] = {
      {"", 1, 1},
      {"[1, 2,]", 1, 7},
      {"{\"a\": 1,}", 1, 9},
      {"{\"a\" 1}", 1, 6},
      {"[1 2]", 1, 4},
      {"[01]", 1, 2},
      {"[1.]", 1, 2},
      {"[.5]", 1, 2},
      {"[+1]", 1, 2},
      {"[NaN]", 1, 2},
      {"[1e999]", 1, 2},
      {"[-]", 1, 2},
      {"{a: 1}", 1, 2},
      {"[\"\\x\"]", 1, 4},
      {"[\"\\u00\"]", 1, 5},
      {"[\"\\ud800\"]", 1, 5},
      {"[\"\\u0000\"]", 1, 5},
      {"[\"a\n\"]", 1, 4},
      {"[\"a", 1, 4},
      {"{} x", 1, 4},
      {"{\"a\": 1,\n \"a\": 2}", 2, 2},
      {"[1,\n\n  ", 3, 3},
      {"[tru]", 1, 2},
      {"// c\n1", 1, 1},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    Arena *a = arena_new();
    Err err;
    if (parse(a, CASES[i].text, &err)) fail_msg("'%s' was read", CASES[i].text);
    if (err.line != CASES[i].line || err.column != CASES[i].column)
      fail_msg("'%s': %d:%d %s", CASES[i].text, err.line, err.column, err.text);
    arena_free(a);
  }
}

static void depth_has_a_limit(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err;
  char text[2 * JSON_TREE_DEPTH_MOST + 10];
  for (int more = 0; more < 2; more++) {
    int depth = JSON_TREE_DEPTH_MOST + more;
    memset(text, '[', (size_t)depth);
    memset(text + depth, ']', (size_t)depth);
    text[2 * depth] = 0;
    assert_true((parse(a, text, &err) != NULL) == !more);
  }
  assert_int_equal(err.code, ERR_LIMIT);
  arena_free(a);
}

// One long line: places are counted on, not anew.
static void a_long_line_is_read_in_no_time(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err;
  Text t;
  text_init(&t);
  text_add(&t, "[");
  for (int i = 0; i < 200000; i++) text_print(&t, "%d,", i);
  text_add(&t, "0]");
  JsonTree *n = parse(a, t.at, &err);
  assert_int_equal(n->items.count, 200001);
  assert_int_equal(n->items.at[200000]->at.column, (int)t.length - 1);
  text_done(&t);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_have_kinds_and_places),
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(escapes_are_characters),
      cmocka_unit_test(what_is_no_json_has_a_place),
      cmocka_unit_test(depth_has_a_limit),
      cmocka_unit_test(a_long_line_is_read_in_no_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
