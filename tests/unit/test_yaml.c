#include "base/yaml.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "test.h"

static int setup(void **state) {
  return (*state = arena_new()) ? 0 : -1;
}

static int teardown(void **state) {
  arena_free(*state);
  return 0;
}

static Yaml *parse(void **state, const char *text) {
  Err err = {0};
  Yaml *n = yaml_parse(*state, "f.yaml", text, strlen(text), &err);
  if (!n) print_error("%d:%d: %s\n", err.line, err.column, err.text);
  assert_non_null(n);
  return n;
}

static void assert_fails(void **state, const char *text, int line, int column, const char *why) {
  Err err = {0};
  assert_null(yaml_parse(*state, "f.yaml", text, strlen(text), &err));
  assert_string_equal(err.text, why);
  assert_int_equal(err.line, line);
  assert_int_equal(err.column, column);
  assert_string_equal(err.file, "f.yaml");
}

// The tree on one line: {a: 1, b: [x, "y"]}
static void print(Text *t, const Yaml *n) {
  const char *gap = "";
  if (n->kind == YAML_TEXT) {
    text_print(t, n->quoted ? "\"%s\"" : "%s", n->text);
    return;
  }
  text_add(t, n->kind == YAML_MAP ? "{" : "[");
  for (int i = 0; i < n->items.count; i++) {
    text_add(t, gap);
    if (n->kind == YAML_MAP) text_print(t, "%s: ", n->items.at[i]->key);
    print(t, n->items.at[i]);
    gap = ", ";
  }
  text_add(t, n->kind == YAML_MAP ? "}" : "]");
}

static void assert_tree(const Yaml *n, const char *wanted) {
  Text t;
  text_init(&t);
  print(&t, n);
  assert_string_equal(t.at, wanted);
  text_done(&t);
}

static void block_and_flow_style_mean_the_same(void **state) {
  assert_tree(parse(state, "a: 1\nb:\n  - x\n  - c: 'y z'\nd: {e: }\n"),
              "{a: 1, b: [x, {c: \"y z\"}], d: {e: }}");
  assert_tree(parse(state, "{a: 1, b: [x, {c: 'y z'}], d: {e: }}"),
              "{a: 1, b: [x, {c: \"y z\"}], d: {e: }}");
}

static void printed_trees_parse_to_the_same_tree(void **state) {
  const char *text = "{a: 1, b: [x, {c: \"y z\"}, []], d: {e: {f: {g: [[1], 2]}}}, a.b: -3}";
  assert_tree(parse(state, text), text);
}

static void nodes_know_their_places(void **state) {
  Yaml *n = parse(state, "# c\nm\xc3\xa4rz:\n  - {x: 1, yy:   2}\n");
  const Yaml *map = n->items.at[0]->items.at[0], *yy = yaml_find(map, "yy");
  assert_int_equal(map->at.line, 3);
  assert_int_equal(map->at.column, 5);
  assert_int_equal(yy->key_at.column, 12);
  assert_int_equal(yy->at.column, 18);
  assert_string_equal(yy->at.file, "f.yaml");
}

static void nothing_is_null_unless_it_is_quoted(void **state) {
  Yaml *n = parse(state, "a:\nb: ~\nc: null\nd: ''\ne: []\n");
  assert_true(yaml_is_null(yaml_find(n, "a")));
  assert_true(yaml_is_null(yaml_find(n, "b")));
  assert_true(yaml_is_null(yaml_find(n, "c")));
  assert_false(yaml_is_null(yaml_find(n, "d")));
  assert_false(yaml_is_null(yaml_find(n, "e")));
  assert_true(yaml_is_null(yaml_find(n, "f")));
  assert_null(yaml_find(yaml_find(n, "a"), "a"));
}

static void carriage_returns_do_not_count(void **state) {
  assert_tree(parse(state, "a: 1\r\nb: 2\r\n"), "{a: 1, b: 2}");
}

static void aliases_are_copies(void **state) {
  Yaml *n = parse(state, "a: &x {k: 1}\nb: *x\nc: [*x, *x]\n");
  assert_tree(n, "{a: {k: 1}, b: {k: 1}, c: [{k: 1}, {k: 1}]}");
  assert_ptr_not_equal(yaml_find(n, "a")->items.at[0], yaml_find(n, "b")->items.at[0]);
}

static void what_is_not_supported_is_refused_with_its_place(void **state) {
  assert_fails(state, "a: 1\nb: 2\na: 3\n", 3, 1, "'a' is given twice; the first is in line 1");
  assert_fails(state, "a: *b\n", 1, 4,
               "*b is not defined: no complete value above is marked with &b");
  assert_fails(state, "a: &a [*a]\n", 1, 8,
               "*a is not defined: no complete value above is marked with &a");
  assert_fails(state, "a: !!int 3\n", 1, 4, "tags (!...) are not supported; leave it out");
  assert_fails(state, "a: !mine {b: 1}\n", 1, 4, "tags (!...) are not supported; leave it out");
  assert_fails(state, "{a: 1}: 2\n", 1, 1, "a key must be a text");
  assert_fails(state, "a: \"x\\0y\"\n", 1, 4, "a text cannot contain the character \\0");
  assert_fails(state, "a: 1\n--- \nb: 2\n", 2, 1,
               "a second document begins here; a file may contain only one");
  assert_fails(state, "", 0, 0, "this file is empty");
  assert_fails(state, "a:\n\tb: 1\n", 2, 1, "indent YAML with blanks, not with tabs");
  assert_fails(state, "a: 'b\nc: d\n", 1, 4, "this quote is not closed");
}

static void a_million_laughs_are_refused(void **state) {
  Text t;
  text_init(&t);
  text_add(&t, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
  for (int i = 1; i < 12; i++) {
    text_print(&t, "a%d: &a%d [", i, i);
    for (int k = 0; k < 10; k++) text_print(&t, "%s*a%d", k ? ", " : "", i - 1);
    text_add(&t, "]\n");
  }
  Err err = {0};
  assert_null(yaml_parse(*state, "f.yaml", t.at, t.length, &err));
  assert_int_equal(err.code, ERR_LIMIT);
  text_done(&t);
}

static void depth_is_limited(void **state) {
  for (int depth = YAML_DEPTH_MOST - 1; depth <= 100000; depth = depth * 2 + 1) {
    char *text = malloc((size_t)depth + 1);
    memset(text, '[', (size_t)depth);
    Err err = {0};
    assert_null(yaml_parse(*state, "f.yaml", text, (size_t)depth, &err));
    assert_int_equal(err.code, depth < YAML_DEPTH_MOST ? ERR_SYNTAX : ERR_LIMIT);
    free(text);
  }
}

static void large_mappings_are_read_at_once(void **state) {
  enum { COUNT = 50000 };
  Text t;
  text_init(&t);
  for (int i = 0; i < COUNT; i++) text_print(&t, "k%d: %d\n", i, i);
  Yaml *n = parse(state, t.at);
  assert_int_equal(n->items.count, COUNT);
  assert_string_equal(yaml_find(n, "k49999")->text, "49999");
  text_done(&t);
}

static void lists_of_names_become_mappings(void **state) {
  Yaml *n = parse(state, "a: [x, y]\nb: [x, [y]]\nc: [x, x]\n");
  Err err = {0};
  assert_true(yaml_list_to_map(*state, yaml_find(n, "a"), &err));
  assert_true(yaml_list_to_map(*state, yaml_find(n, "b"), &err));
  assert_true(yaml_list_to_map(*state, NULL, &err));
  assert_tree(n, "{a: {x: , y: }, b: [x, [y]], c: [x, x]}");
  assert_false(yaml_list_to_map(*state, yaml_find(n, "c"), &err));
  assert_string_equal(err.text, "'x' is given twice");
  assert_int_equal(err.column, 8);
}

// ---- changes

static const char *const DOTTED[] = {"x.start"};
static const YamlShort SHORTS[] = {{"estimate", NULL, "start"}, {NULL, "gain", "start"}};
static const YamlSchema SCHEMA = {DOTTED, 1, SHORTS, 2};

static void assert_set(void **state, const char *text, const char *path, const char *value,
                       const char *wanted) {
  Yaml *n = parse(state, text);
  Err err = {0};
  bool ok = yaml_set(*state, n, path, value, "--set it", &SCHEMA, &err);
  if (!ok) print_error("%s\n", err.text);
  assert_true(ok);
  assert_tree(n, wanted);
}

static void paths_lead_through_mappings_and_lists(void **state) {
  assert_set(state, "{a: {b: 1}}", "a.b", "2", "{a: {b: 2}}");
  assert_set(state, "{a: {b: 1}}", "a.c", "2", "{a: {b: 1, c: 2}}");
  assert_set(state, "{a: 1}", "b.c.d", "2", "{a: 1, b: {c: {d: 2}}}");
  assert_set(state, "{e: [{w: 1}, {w: 2}]}", "e.1.w", "3", "{e: [{w: 1}, {w: 3}]}");
  assert_set(state, "{e: [{w: 1}, {w: 2}]}", "e.1.w", "[3, {x: 4}]",
             "{e: [{w: 1}, {w: [3, {x: 4}]}]}");
  assert_set(state, "{a: ~}", "a.b", "1", "{a: {b: 1}}");
}

static void one_thing_and_a_list_of_one_are_the_same(void **state) {
  assert_set(state, "{e: [{w: 1}]}", "e.w", "3", "{e: [{w: 3}]}");
  assert_set(state, "{e: {w: 1}}", "e.0.w", "3", "{e: {w: 3}}");
}

static void names_with_dots_are_known(void **state) {
  assert_set(state, "{estimate: {}}", "estimate.x.start", "3", "{estimate: {x.start: 3}}");
  assert_set(state, "{estimate: {}}", "estimate.x.start.min", "3",
             "{estimate: {x.start: {min: 3}}}");
  assert_set(state, "{estimate: {x: {start: 1}}}", "estimate.x.min", "3",
             "{estimate: {x: {start: 1, min: 3}}}");
  assert_set(state, "{a: {y.z: {q: 1}, y: 2}}", "a.y.z.q", "3", "{a: {y.z: {q: 3}, y: 2}}");
}

static void a_text_grows_into_the_mapping_it_is_short_for(void **state) {
  assert_set(state, "{estimate: {p: 15}}", "estimate.p.min", "3",
             "{estimate: {p: {start: 15, min: 3}}}");
  assert_set(state, "{estimate: {p: {min: 1}}}", "estimate.p", "3",
             "{estimate: {p: {min: 1, start: 3}}}");
  assert_set(state, "{m: {gain: {min: 1, start: 2}}}", "m.gain", "3",
             "{m: {gain: {min: 1, start: 3}}}");
  assert_set(state, "{estimate: {p: {min: 1}}}", "estimate.p", "{start: 3}",
             "{estimate: {p: {start: 3}}}");
}

// Whatever stands behind the colon in a file gives the same as a value in quotes or brackets.
static void a_value_is_set_as_if_it_were_in_the_file(void **state) {
  static const char *const VALUES[] = {
      "'t'", "\"t\"", "'it''s'", "\"a\\tb\"", "'~'", "[1, 'a b']", "{x: 'y'}", "['~', ~]",
      "''",  "'[1]'", "5",       "a b",       "~",   "null",       "  7  ",    " 'q' "};
  for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
    Yaml *file = parse(state, arena_print(*state, "a: %s", VALUES[i])), *set = parse(state, "a: 1");
    Err err = {0};
    assert_true(yaml_set(*state, set, "a", VALUES[i], "--set a", &SCHEMA, &err));
    const Yaml *x = yaml_find(file, "a"), *y = yaml_find(set, "a");
    assert_int_equal(x->kind, y->kind);
    assert_int_equal(x->quoted, y->quoted);
    assert_string_equal(x->text, y->text);
    assert_int_equal(yaml_is_absent(x), yaml_is_absent(y));
    assert_int_equal(x->items.count, y->items.count);
    for (int k = 0; k < x->items.count; k++)
      assert_string_equal(x->items.at[k]->text, y->items.at[k]->text);
  }
  assert_set(state, "{a: 1}", "a", "*.csv", "{a: *.csv}"); // no alias
}

static void what_is_absent_replaces_all_of_it(void **state) {
  assert_set(state, "{estimate: {p: {start: 1, min: 0}}}", "estimate.p", "~", "{estimate: {p: ~}}");
  assert_set(state, "{estimate: {p: {start: 1, min: 0}}}", "estimate.p.start", "~",
             "{estimate: {p: {start: ~, min: 0}}}");
  assert_set(state, "{estimate: {p: {start: 1}}}", "estimate.p", "'~'",
             "{estimate: {p: {start: \"~\"}}}");
}

static void assert_not_set(void **state, const char *path, const char *value, const char *why) {
  Yaml *n = parse(state, "{a: 1, e: [{w: 1}, {w: 2}]}");
  Err err = {0};
  assert_false(yaml_set(*state, n, path, value, "--set it", &SCHEMA, &err));
  assert_string_equal(err.text, why);
  assert_string_equal(err.file, "--set it");
  assert_int_equal(err.line, 0);
}

static void paths_that_lead_nowhere_are_refused(void **state) {
  assert_not_set(state, "", "1", "the path is empty");
  assert_not_set(state, "b..c", "1", "a name is missing in the path 'b..c'");
  assert_not_set(state, "a.b", "1", "there can be no 'b' in 'a', which is '1'");
  assert_not_set(state, "e.2.w", "1",
                 "'e' is a list of 2 and has no element '2'; elements are numbered from 0");
  assert_not_set(state, "e.w", "1",
                 "'e' is a list of 2 and has no element 'w'; elements are numbered from 0");
  assert_not_set(state, "e.99999999999999999999.w", "1",
                 "'e' is a list of 2 and has no element '99999999999999999999'; elements "
                 "are numbered from 0");
  assert_not_set(
      state, "a", "[1",
      "this is not YAML: did not find expected ',' or ']' (while parsing a flow sequence "
      "that begins in line 1)");
}

static void what_is_set_carries_the_place_of_the_setting(void **state) {
  Yaml *n = parse(state, "{a: 1, b: {c: 2}}");
  Err err = {0};
  assert_true(yaml_set(*state, n, "b.c", "[3]", "--set b.c", &SCHEMA, &err));
  const Yaml *c = yaml_find(yaml_find(n, "b"), "c");
  assert_string_equal(c->at.file, "--set b.c");
  assert_int_equal(c->at.line, 0);
  assert_string_equal(c->items.at[0]->at.file, "--set b.c");
  assert_int_equal(c->key_at.line, 1); // the key still stands in the file
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(block_and_flow_style_mean_the_same),
      TEST(printed_trees_parse_to_the_same_tree),
      TEST(nodes_know_their_places),
      TEST(nothing_is_null_unless_it_is_quoted),
      TEST(carriage_returns_do_not_count),
      TEST(aliases_are_copies),
      TEST(what_is_not_supported_is_refused_with_its_place),
      TEST(a_million_laughs_are_refused),
      TEST(depth_is_limited),
      TEST(large_mappings_are_read_at_once),
      TEST(lists_of_names_become_mappings),
      TEST(paths_lead_through_mappings_and_lists),
      TEST(one_thing_and_a_list_of_one_are_the_same),
      TEST(names_with_dots_are_known),
      TEST(a_text_grows_into_the_mapping_it_is_short_for),
      TEST(paths_that_lead_nowhere_are_refused),
      TEST(a_value_is_set_as_if_it_were_in_the_file),
      TEST(what_is_absent_replaces_all_of_it),
      TEST(what_is_set_carries_the_place_of_the_setting),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
