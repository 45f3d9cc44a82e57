// Names and tokens that open a live server, and all others, which do not.
#include "live/live_gate.h"

#include <string.h>

#include "test.h"

static const char *const LOCAL[] = {"localhost",   "LOCALHOST:1", "localhost:65535",
                                    "127.0.0.1",   "[::1]",       "127.0.0.1:8080",
                                    "[::1]:40000", "localhost:22"};
static const char *const ELSEWHERE[] = {"",
                                        "example.org",
                                        "localhost.example.org",
                                        "127.0.0.1.example.org",
                                        "localhost:80.example.org",
                                        "evil-localhost",
                                        "localhost:",
                                        "localhost:0",
                                        "localhost:65536",
                                        "localhost:99999999999999999999",
                                        "localhost:8a",
                                        "localhost:-1",
                                        "localhost: 80",
                                        "localhost ",
                                        " localhost",
                                        "user@localhost",
                                        "localhost@example.org",
                                        "127.0.0.2",
                                        "127.1",
                                        "0.0.0.0",
                                        "2130706433",
                                        "::1",
                                        "[::1",
                                        "[::1]x",
                                        "[::]",
                                        "localhost/",
                                        "localhost."};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static void only_this_machine_is_a_host(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(LOCAL); i++) assert_true(live_host_is_local(LOCAL[i]));
  for (size_t i = 0; i < COUNT(ELSEWHERE); i++) assert_false(live_host_is_local(ELSEWHERE[i]));
  assert_false(live_host_is_local(NULL));
}

static void an_origin_is_http_and_a_host(void **state) {
  (void)state;
  char text[200];
  for (size_t i = 0; i < COUNT(LOCAL); i++) {
    snprintf(text, sizeof text, "http://%s", LOCAL[i]);
    assert_true(live_origin_is_local(text));
    assert_false(live_origin_is_local(LOCAL[i]));
    snprintf(text, sizeof text, "file://%s", LOCAL[i]);
    assert_false(live_origin_is_local(text));
  }
  for (size_t i = 0; i < COUNT(ELSEWHERE); i++) {
    snprintf(text, sizeof text, "http://%s", ELSEWHERE[i]);
    assert_false(live_origin_is_local(text));
  }
  assert_false(live_origin_is_local("null") || live_origin_is_local("") ||
               live_origin_is_local(NULL));
}

static void tokens_differ_and_have_all_bits(void **state) {
  (void)state;
  enum { MANY = 200 };
  char tokens[MANY][LIVE_TOKEN + 1];
  int seen[LIVE_TOKEN] = {0}; // bits that were 1 and bits that were 0, by letter
  for (int i = 0; i < MANY; i++) {
    assert_true(live_token_make(tokens[i]));
    assert_int_equal(strspn(tokens[i], "0123456789abcdef"), LIVE_TOKEN);
    for (int k = 0; k < i; k++) assert_string_not_equal(tokens[i], tokens[k]);
    for (int k = 0; k < LIVE_TOKEN; k++) {
      char c = tokens[i][k];
      int value = c <= '9' ? c - '0' : c - 'a' + 10;
      seen[k] |= value | (~value & 15) << 4;
    }
  }
  for (int k = 0; k < LIVE_TOKEN; k++) assert_int_equal(seen[k], 255);
}

static void a_token_is_that_text_alone(void **state) {
  (void)state;
  char token[LIVE_TOKEN + 1], other[LIVE_TOKEN + 2] = "";
  assert_true(live_token_make(token));
  assert_true(live_token_is(token, token, LIVE_TOKEN));
  for (int k = 0; k < LIVE_TOKEN; k++) {
    strcpy(other, token);
    other[k] ^= 1;
    assert_false(live_token_is(token, other, LIVE_TOKEN));
    assert_false(live_token_is(token, token, (size_t)k));
  }
  strcpy(other, token);
  strcat(other, "0");
  assert_false(live_token_is(token, other, LIVE_TOKEN + 1));
  assert_false(live_token_is(token, NULL, 0) || live_token_is(token, NULL, LIVE_TOKEN));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_this_machine_is_a_host),
      cmocka_unit_test(an_origin_is_http_and_a_host),
      cmocka_unit_test(tokens_differ_and_have_all_bits),
      cmocka_unit_test(a_token_is_that_text_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
