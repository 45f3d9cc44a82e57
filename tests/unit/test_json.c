#include "write/json.h"

#include <string.h>

#include "test.h"

static void commas_stand_between_members_only(void **state) {
  (void)state;
  Text t;
  text_init(&t);
  Json j = json_on(&t);
  json_open(&j, NULL, '{', false);
  json_text(&j, "a", "x\"y");
  json_text(&j, "b", NULL);
  json_flag(&j, "c", true);
  json_whole(&j, "d", -3);
  json_open(&j, "e", '[', false);
  json_close(&j);
  json_close(&j);
  assert_string_equal(t.at,
                      "{\"a\": \"x\\\"y\", \"b\": null, \"c\": true, \"d\": -3, \"e\": []}\n");
  text_done(&t);
}

static void what_is_not_finite_is_null(void **state) {
  (void)state;
  Text t;
  text_init(&t);
  Json j = json_on(&t);
  json_numbers(&j, NULL, (double[]){1.5, nan(""), HUGE_VAL, -HUGE_VAL, 0.1}, 5);
  assert_string_equal(t.at, "[1.5, null, null, null, 0.1]\n");
  text_done(&t);
}

static void lines_are_indented_by_depth(void **state) {
  (void)state;
  Text t;
  text_init(&t);
  Json j = json_on(&t);
  json_open(&j, NULL, '{', true);
  json_matrix(&j, "m", (double[]){1, 2, 3, 4}, 2);
  json_open(&j, "none", '[', true);
  json_close(&j);
  json_close(&j);
  assert_string_equal(t.at, "{\n  \"m\": [\n    [1, 2],\n    [3, 4]\n  ],\n  \"none\": []\n}\n");
  text_done(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(commas_stand_between_members_only),
      cmocka_unit_test(what_is_not_finite_is_null),
      cmocka_unit_test(lines_are_indented_by_depth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
