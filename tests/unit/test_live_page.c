// The pages of a live server need nothing from elsewhere, and take no text for markup.
#include "live/live_page.h"

#include <string.h>

#include "test.h"

static const char TITLE[] = "fit <img src=x onerror=alert(1)>&\"'";

static void nothing_is_loaded_from_elsewhere(void **state) {
  (void)state;
  static const char *const OUTSIDE[] = {
      " src=\"http",     " src=\"//", "href=\"http", "url(", "@import", "<link rel=\"stylesheet",
      "sourceMappingURL"};
  Text t;
  text_init(&t);
  live_page(&t, "fit", "abc");
  for (size_t i = 0; i < sizeof OUTSIDE / sizeof *OUTSIDE; i++)
    assert_null(strstr(t.at, OUTSIDE[i]));
  assert_non_null(strstr(t.at, "<script nonce=\"abc\">"));
  assert_non_null(strstr(t.at, "MIT"));        // the licence of the charts
  const char *end = strstr(t.at, "</script>"); // no text ends the script early
  assert_string_equal(end, "</script>\n</body>\n</html>\n");
  text_done(&t);
}

static void titles_and_texts_are_no_markup(void **state) {
  (void)state;
  Text t;
  text_init(&t);
  live_page(&t, TITLE, "abc");
  assert_null(strstr(t.at, "<img"));
  text_clear(&t);
  live_text_page(&t, TITLE, "a < b\n<script>alert(1)</script>");
  assert_null(strstr(t.at, "<img") ? t.at : strstr(t.at, "<script"));
  assert_non_null(strstr(t.at, "a &lt; b\n&lt;script&gt;"));
  text_done(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_loaded_from_elsewhere),
      cmocka_unit_test(titles_and_texts_are_no_markup),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
