#include "html/asset.h"

#include <string.h>
#include <strings.h>

#include "base/character.h"
#include "test.h"

static const struct {
  Asset asset;
  const char *part; // of its text; NULL: it may be empty
} ASSETS[] = {{ASSET_PAGE_CSS, "prefers-color-scheme: dark"},
              {ASSET_PAGE_JS, "getElementById(\"plots\")"},
              {ASSET_LIVE_JS, NULL},
              {ASSET_CHART_CSS, ".dygraph-legend"},
              {ASSET_CHART_JS, "Dygraph="}};

// A script or a style ends where a browser sees its end, and begins nothing else.
static void texts_stand_in_the_program_and_fit_into_their_elements(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof ASSETS / sizeof *ASSETS; i++) {
    Text t;
    text_init(&t);
    asset_add(&t, ASSETS[i].asset);
    assert_int_equal(strlen(t.at), t.length);
    if (ASSETS[i].part) assert_non_null(strstr(t.at, ASSETS[i].part));
    assert_null(strcasestr(t.at, "</script"));
    assert_null(strcasestr(t.at, "</style"));
    assert_null(strcasestr(t.at, "<!--"));
    assert_null(strcasestr(t.at, "<script"));
    for (const char *s = t.at; *s; s += character_at(s).bytes)
      assert_int_not_equal(character_at(s).code, 0xFFFD);
    text_done(&t);
  }
}

static void no_text_names_a_file_to_load(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof ASSETS / sizeof *ASSETS; i++) {
    Text t;
    text_init(&t);
    asset_add(&t, ASSETS[i].asset);
    assert_null(strstr(t.at, "sourceMappingURL"));
    assert_null(strstr(t.at, "@import"));
    for (const char *s = t.at; (s = strstr(s, "url(")); s += 4)
      assert_true(strncmp(s, "url(data:", 9) == 0 || strncmp(s, "url(#", 5) == 0);
    text_done(&t);
  }
}

static void they_are_added_behind_what_is_there(void **state) {
  (void)state;
  Text once, twice;
  text_init(&once);
  text_init(&twice);
  asset_add(&once, ASSET_PAGE_CSS);
  asset_add(&twice, ASSET_PAGE_CSS);
  asset_add(&twice, ASSET_PAGE_CSS);
  assert_int_equal(twice.length, 2 * once.length);
  assert_string_equal(twice.at + once.length, once.at);
  text_done(&once);
  text_done(&twice);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_stand_in_the_program_and_fit_into_their_elements),
      cmocka_unit_test(no_text_names_a_file_to_load),
      cmocka_unit_test(they_are_added_behind_what_is_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
