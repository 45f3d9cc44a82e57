#include "report/failures.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static Unknown UNKNOWNS[] = {{.name = "k"}, {.name = "c"}};
static const Problem PROBLEM = {.unknowns = UNKNOWNS, .unknown_count = 2};
static double X[] = {3.14159, 0.1};

static const FitFailure LIST[] = {
    {OUTCOME_CRASHED, "crashed", 12, X, "'sim' was ended by SIGSEGV.\nline 1\nline 2\n"},
    {OUTCOME_TIMED_OUT, "timed-out", 1, NULL, ""},
};

static void each_kind_is_told_with_place_and_last_lines(void **state) {
  (void)state;
  Text out;
  text_init(&out);
  Page p = page_on(&out, (PageStyle){.width = 200});
  failures_text(&p, &PROBLEM, LIST, 2, 100);
  page_done(&p);
  assert_string_equal(
      out.at, "  12 of 100 simulations ended in crashed, for example near k = 3.142, c = 0.1: "
              "'sim' was ended by\n  SIGSEGV; it wrote: 'line 1 / line 2'.\n"
              "  1 of 100 simulations ended in timed-out.\n");
  text_done(&out);
}

static void the_json_has_what_is_known(void **state) {
  (void)state;
  for (int count = 0; count <= 2; count += 2) {
    Text out;
    text_init(&out);
    Json j = json_on(&out);
    json_open(&j, NULL, '{', true);
    failures_json(&j, &PROBLEM, LIST, count);
    json_close(&j);
    assert_int_equal(strstr(out.at, "\"failures\": []") != NULL, count == 0);
    if (count) {
      assert_non_null(strstr(
          out.at, "{\"reason\": \"crashed\", \"count\": 12, \"parameters\": [3.14159, 0.1]"));
      assert_non_null(strstr(out.at, "\"parameters\": null"));
      assert_non_null(strstr(out.at, "line 1\\nline 2"));
    }
    text_done(&out);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kind_is_told_with_place_and_last_lines),
      cmocka_unit_test(the_json_has_what_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
