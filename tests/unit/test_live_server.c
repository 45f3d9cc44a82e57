// A live server answers those who know its address, refuses all others, and never makes anybody wait who computes.
#include "live/live_server.h"

#include "live_client.h"

enum { ANSWER = 1 << 18 };
static char out[ANSWER];

static LiveServer *begin(void) {
  Err err = {0};
  LiveServer *s = live_start(0, "a test", &err);
  assert_non_null(s);
  assert_int_equal(err.code, 0);
  return s;
}

// A request with these parts; headers end with \r\n each. path: behind the token.
static int ask(const LiveServer *s, const char *method, const char *path, const char *headers,
               const char *body) {
  static char request[ANSWER];
  snprintf(request, sizeof request, "%s /%.32s/%s HTTP/1.1\r\n%sConnection: close\r\n\r\n%s",
           method, live_token_of(live_address(s)), path, headers, body);
  return live_ask(live_address(s), request, out, sizeof out);
}

#define HOST "Host: localhost:1234\r\n"

// As the page does it.
static int wish(const LiveServer *s, const char *word) {
  char headers[200];
  snprintf(headers, sizeof headers, HOST "X-Entrain-Token: %.32s\r\nContent-Length: 0\r\n",
           live_token_of(live_address(s)));
  return ask(s, "POST", word, headers, "");
}

static const char *body_of(const char *answer) {
  const char *end = strstr(answer, "\r\n\r\n");
  return end ? end + 4 : "";
}

// Nothing in it tells who answers, or why not.
static void assert_refused(int status) {
  assert_true(status >= 400 && status < 500);
  assert_string_equal(body_of(out), "");
  assert_null(strcasestr(out, "entrain"));
}

// ---------------------------------------------------------------- who is answered

static void the_address_gives_a_page_that_may_load_nothing(void **state) {
  (void)state;
  LiveServer *s = begin();
  assert_int_equal(strncmp(live_address(s), "http://127.0.0.1:", 17), 0);
  assert_int_equal(ask(s, "GET", "", HOST, ""), 200);
  assert_non_null(strstr(out, "Content-Security-Policy: default-src 'none';"));
  assert_non_null(strstr(out, "connect-src 'self'"));
  assert_non_null(strstr(out, "Cache-Control: no-store"));
  assert_non_null(strstr(out, "Referrer-Policy: no-referrer"));
  assert_non_null(strstr(out, "<title>a test</title>"));
  const char *nonce = strstr(out, "script-src 'nonce-") + strlen("script-src 'nonce-");
  char tag[80];
  snprintf(tag, sizeof tag, "<script nonce=\"%.32s\">", nonce);
  assert_non_null(strstr(out, tag));
  assert_true(strncmp(nonce, live_token_of(live_address(s)), 32) != 0);
  live_end(s);
}

static void other_hosts_and_origins_are_refused(void **state) {
  (void)state;
  static const char *const WRONG[] = {
      "Host: example.org\r\n",
      "Host: 127.0.0.1.example.org\r\n",
      "Host: 192.168.1.1\r\n",
      HOST "Origin: http://example.org\r\n",
      HOST "Origin: null\r\n",
      HOST "Origin: https://localhost.example.org\r\n",
      HOST "Origin: http://127.0.0.1@example.org\r\n",
  };
  static const char *const RIGHT[] = {"Host: 127.0.0.1\r\n", "Host: [::1]:8080\r\n",
                                      HOST "Origin: http://localhost:1234\r\n",
                                      HOST "Origin: http://127.0.0.1:9\r\n"};
  LiveServer *s = begin();
  char token[100], headers[400];
  snprintf(token, sizeof token, "X-Entrain-Token: %.32s\r\n", live_token_of(live_address(s)));
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
    assert_refused(ask(s, "GET", "", WRONG[i], ""));
    assert_refused(ask(s, "GET", "events", WRONG[i], ""));
    snprintf(headers, sizeof headers, "%s%sContent-Length: 0\r\n", WRONG[i], token);
    assert_refused(ask(s, "POST", "stop", headers, ""));
  }
  // Without a name: HTTP 1.0, and 1.1, where that is an error.
  snprintf(headers, sizeof headers, "GET /%.32s/ HTTP/1.0\r\n\r\n", live_token_of(live_address(s)));
  assert_refused(live_ask(live_address(s), headers, out, sizeof out));
  assert_true(ask(s, "GET", "", "", "") >= 400);
  assert_null(strstr(out, "a test"));
  assert_int_equal(live_wish(s), LIVE_GO_ON);
  for (size_t i = 0; i < sizeof RIGHT / sizeof *RIGHT; i++)
    assert_int_equal(ask(s, "GET", "", RIGHT[i], ""), 200);
  live_end(s);
}

static void without_the_token_there_is_nothing(void **state) {
  (void)state;
  LiveServer *s = begin();
  const char *token = live_token_of(live_address(s));
  char path[200], request[400];
  static const char *const NO_TOKEN[] = {"/",
                                         "/events",
                                         "/stop",
                                         "//",
                                         "/favicon.ico",
                                         "/00000000000000000000000000000000/",
                                         "/../../etc/passwd",
                                         "/%2e%2e/%2e%2e/etc/passwd",
                                         "*"};
  for (size_t i = 0; i < sizeof NO_TOKEN / sizeof *NO_TOKEN; i++) {
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n",
             NO_TOKEN[i]);
    assert_refused(live_ask(live_address(s), request, out, sizeof out));
  }
  for (int k = 0; k < 32; k++) { // nearly the right one
    snprintf(path, sizeof path, "/%.32s/", token);
    path[1 + k] = path[1 + k] == 'a' ? 'b' : 'a';
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n", path);
    assert_int_equal(live_ask(live_address(s), request, out, sizeof out), 404);
    assert_refused(404);
  }
  for (int length = 0; length < 32; length++) {
    snprintf(request, sizeof request, "GET /%.*s/ HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n",
             length, token);
    assert_int_equal(live_ask(live_address(s), request, out, sizeof out), 404);
  }
  static const char *const NO_PLACE[] = {"x", "events/", "../", "stop/", "page"};
  for (size_t i = 0; i < sizeof NO_PLACE / sizeof *NO_PLACE; i++)
    assert_refused(ask(s, "GET", NO_PLACE[i], HOST, ""));
  live_end(s);
}

// ---------------------------------------------------------------- wishes

static void only_a_post_with_the_token_is_a_wish(void **state) {
  (void)state;
  static const char *const METHODS[] = {"GET",     "HEAD",  "PUT",  "DELETE",
                                        "OPTIONS", "PATCH", "TRACE"};
  static const char *const WORDS[] = {"pause", "resume", "take", "stop"};
  LiveServer *s = begin();
  char token[100], wrong[200];
  snprintf(token, sizeof token, HOST "X-Entrain-Token: %.32s\r\n", live_token_of(live_address(s)));
  live_offer_take(s, true);
  for (size_t w = 0; w < sizeof WORDS / sizeof *WORDS; w++) {
    for (size_t m = 0; m < sizeof METHODS / sizeof *METHODS; m++) {
      assert_true(ask(s, METHODS[m], WORDS[w], token, "") >= 400);
      assert_int_equal(live_wish(s), LIVE_GO_ON);
    }
    assert_refused(ask(s, "POST", WORDS[w], HOST "Content-Length: 0\r\n", ""));
    snprintf(wrong, sizeof wrong, HOST "X-Entrain-Token: %.31sx\r\nContent-Length: 0\r\n",
             live_token_of(live_address(s)));
    assert_refused(ask(s, "POST", WORDS[w], wrong, ""));
    snprintf(wrong, sizeof wrong, "%sSec-Fetch-Site: cross-site\r\nContent-Length: 0\r\n", token);
    assert_refused(ask(s, "POST", WORDS[w], wrong, ""));
    assert_int_equal(live_wish(s), LIVE_GO_ON);
  }
  static const char *const PAGES[] = {"", "events"};
  for (int i = 0; i < 2; i++)
    for (size_t m = 1; m < sizeof METHODS / sizeof *METHODS; m++)
      assert_true(ask(s, METHODS[m], PAGES[i], token, "") >= 400);
  snprintf(wrong, sizeof wrong, "%sContent-Length: 0\r\n", token);
  assert_refused(ask(s, "POST", "", wrong, ""));
  live_end(s);
}

static void wishes_follow_each_other(void **state) {
  (void)state;
  LiveServer *s = begin();
  assert_int_equal(wish(s, "resume"), 409); // nothing is paused
  assert_int_equal(wish(s, "take"), 409);   // nothing can be taken
  assert_int_equal(live_wish(s), LIVE_GO_ON);
  assert_int_equal(wish(s, "pause"), 204);
  assert_int_equal(live_wish(s), LIVE_PAUSE);
  assert_int_equal(wish(s, "pause"), 409);
  assert_int_equal(wish(s, "resume"), 204);
  assert_int_equal(live_wish(s), LIVE_GO_ON);
  live_offer_take(s, true);
  wish(s, "pause");
  assert_int_equal(wish(s, "take"), 204); // also in a pause
  assert_int_equal(live_wish(s), LIVE_TAKE);
  assert_int_equal(wish(s, "pause"), 409);
  assert_int_equal(wish(s, "stop"), 204);
  assert_int_equal(live_wish(s), LIVE_STOP);
  assert_int_equal(wish(s, "take"), 409);
  assert_int_equal(live_wish(s), LIVE_STOP);
  live_end(s);
}

static void large_requests_are_refused(void **state) {
  (void)state;
  static char headers[60000], body[5000];
  LiveServer *s = begin();
  char token[100];
  snprintf(token, sizeof token, HOST "X-Entrain-Token: %.32s\r\n", live_token_of(live_address(s)));
  memset(body, 'x', sizeof body - 1);
  snprintf(headers, sizeof headers, "%sContent-Length: %zu\r\n", token, strlen(body));
  assert_refused(ask(s, "POST", "stop", headers, body));
  snprintf(headers, sizeof headers, "%sContent-Length: 99999999999999999999\r\n", token);
  assert_true(ask(s, "POST", "stop", headers, "") >= 400);
  snprintf(headers, sizeof headers, "%sContent-Length: -1\r\n", token);
  assert_true(ask(s, "POST", "stop", headers, "") >= 400);
  snprintf(headers, sizeof headers, "%sTransfer-Encoding: chunked\r\n", token);
  char chunked[6000];
  snprintf(chunked, sizeof chunked, "1000\r\n%.4096s\r\n0\r\n\r\n", body);
  assert_true(ask(s, "POST", "stop", headers, chunked) != 204);
  assert_int_equal(live_wish(s), LIVE_GO_ON);
  size_t used = strlen(token);
  strcpy(headers, token);
  for (; used + 40 < sizeof headers; used = strlen(headers))
    strcpy(headers + used, "Cookie: 0123456789012345678\r\n");
  assert_true(ask(s, "GET", "", headers, "") >= 400);
  static char path[50000];
  memset(path, 'a', sizeof path - 1);
  assert_true(ask(s, "GET", path, HOST, "") >= 400);
  assert_int_equal(ask(s, "GET", "", HOST, ""), 200); // and it goes on
  live_end(s);
}

// ---------------------------------------------------------------- the stream

static int open_stream(const LiveServer *s, char *to, size_t size) {
  char request[200];
  int fd = live_connect(live_address(s));
  snprintf(request, sizeof request, "GET /%.32s/events HTTP/1.1\r\n" HOST "\r\n",
           live_token_of(live_address(s)));
  live_send(fd, request);
  to[0] = 0;
  assert_true(live_read(fd, "retry: ", 20, to, size));
  return fd;
}

static int count_of(const char *text, const char *part) {
  int n = 0;
  for (; (text = strstr(text, part)); text += strlen(part)) n++;
  return n;
}

static void a_stream_has_the_newest_of_every_topic(void **state) {
  (void)state;
  LiveServer *s = begin();
  live_post(s, LIVE_ABOUT, "{\"a\":1}");
  live_post(s, LIVE_STATE, "{\"old\":1}");
  live_post(s, LIVE_STATE, "{\"new\":1}");
  live_post_rows(s, 0, "[1,2]");
  live_post_rows(s, 0, "[3,4],[5,6]");
  int fd = open_stream(s, out, sizeof out);
  assert_true(live_read(fd, "event: state\ndata: {\"new\":1}\n\n", 20, out, sizeof out));
  assert_non_null(strstr(out, "Content-Type: text/event-stream"));
  assert_non_null(strstr(out, "event: about\ndata: {\"a\":1}\n\n"));
  assert_non_null(
      strstr(out, "event: rows\ndata: {\"anew\":true,\"rows\":[[1,2],[3,4],[5,6]]}\n\n"));
  assert_null(strstr(out, "old"));
  assert_null(strstr(out, "event: data"));
  assert_int_equal(live_clients(s), 1);
  out[0] = 0;
  live_post_rows(s, 0, "[7,8]");
  live_post(s, LIVE_CURVES, "{}");
  assert_true(live_read(fd, "event: rows", 20, out, sizeof out));
  assert_true(live_read(fd, "[7,8]]}\n\n", 20, out, sizeof out));
  assert_non_null(strstr(out, "{\"anew\":false,\"rows\":[[7,8]]}"));
  assert_null(strstr(out, "event: about"));
  out[0] = 0;
  live_post_rows(s, 1, "[9,9]"); // others are forgotten
  assert_true(live_read(fd, "{\"anew\":true,\"rows\":[[9,9]]}\n\n", 20, out, sizeof out));
  close(fd);
  live_end(s);
}

static void there_are_at_most_four_updates_a_second(void **state) {
  (void)state;
  LiveServer *s = begin();
  int fd = open_stream(s, out, sizeof out);
  double began = clock_seconds();
  for (int i = 0; i < 200; i++) {
    char json[40];
    snprintf(json, sizeof json, "{\"n\":%d}", i);
    live_post(s, LIVE_STATE, json);
    usleep(5000);
  }
  assert_true(live_read(fd, "{\"n\":199}", 20, out, sizeof out));
  double seconds = clock_seconds() - began;
  assert_in_range(count_of(out, "event: state"), 2, (int)(4 * seconds) + 2);
  close(fd);
  live_end(s);
}

// One client reads nothing, one has been killed; what is posted comes to the third.
static void nobody_waits_for_a_slow_client(void **state) {
  (void)state;
  enum { LARGE = 1 << 20 };
  static char small[1000], large[LARGE];
  LiveServer *s = begin();
  int slow = open_stream(s, small, sizeof small), killed = open_stream(s, small, sizeof small);
  struct linger hard = {1, 0};
  setsockopt(killed, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  close(killed);
  int fd = open_stream(s, out, sizeof out);
  memset(large, 'x', sizeof large - 1);
  for (int i = 0; i < 50; i++) {
    live_post(s, LIVE_DATA, large);
    usleep(20000);
  }
  live_post(s, LIVE_DATA, "{}");
  live_post(s, LIVE_ABOUT, "{\"end\":1}");
  static char rest[LARGE * 8];
  rest[0] = 0;
  assert_true(live_read(fd, "{\"end\":1}", 30, rest, sizeof rest));
  assert_true(live_clients(s) <= 2); // the killed one was noticed
  close(fd);
  close(slow);
  live_end(s);
}

static void streams_are_limited_and_pages_are_still_served(void **state) {
  (void)state;
  enum { STREAMS = 12 };
  LiveServer *s = begin();
  int fd[STREAMS];
  for (int i = 0; i < STREAMS; i++) fd[i] = open_stream(s, out, sizeof out);
  assert_int_equal(live_clients(s), STREAMS);
  assert_int_equal(ask(s, "GET", "events", HOST, ""), 503);
  assert_int_equal(ask(s, "GET", "", HOST, ""), 200);
  assert_int_equal(wish(s, "pause"), 204);
  for (int i = 0; i < STREAMS; i++) close(fd[i]);
  for (int i = 0; i < 2000 && live_clients(s) > 0; i++) usleep(10000);
  assert_int_equal(live_clients(s), 0);
  assert_int_equal(live_visits(s), STREAMS);
  close(open_stream(s, out, sizeof out));
  live_end(s);
}

// ---------------------------------------------------------------- the end

static void open_pages_load_the_report(void **state) {
  (void)state;
  LiveServer *s = begin();
  assert_true(live_is_fetched(s)); // nobody looks
  int fd = open_stream(s, out, sizeof out);
  live_finish(s, "<!doctype html><p>the report</p>");
  assert_true(live_read(fd, "event: done\ndata: {}\n\n", 20, out, sizeof out));
  assert_true(live_read(fd, "\r\n0\r\n\r\n", 20, out, sizeof out)); // and the stream ends
  assert_int_equal(ask(s, "GET", "", HOST, ""), 200);
  assert_non_null(strstr(out, "<p>the report</p>"));
  assert_non_null(strstr(out, "default-src 'none'"));
  assert_null(strstr(out, "connect-src"));
  for (int i = 0; i < 1000 && !live_is_fetched(s); i++) usleep(1000);
  assert_true(live_is_fetched(s));
  assert_int_equal(wish(s, "stop"), 409);
  assert_int_equal(live_wish(s), LIVE_GO_ON);
  assert_refused(ask(s, "GET", "", "Host: example.org\r\n", "")); // the same rules
  live_finish(s, "another one");                                  // the first one counts
  assert_int_equal(ask(s, "GET", "", HOST, ""), 200);
  assert_non_null(strstr(out, "the report"));
  close(fd);
  live_end(s);
}

static void a_page_that_does_not_come_is_waited_for_two_seconds(void **state) {
  (void)state;
  LiveServer *s = begin();
  int fd = open_stream(s, out, sizeof out);
  double began = clock_seconds();
  live_finish(s, "");
  assert_false(live_is_fetched(s));
  while (!live_is_fetched(s)) usleep(10000);
  assert_true(clock_seconds() - began >= 2);
  close(fd);
  live_end(s);
}

static void a_server_ends_with_connections_open(void **state) {
  (void)state;
  for (int k = 0; k < 5; k++) {
    LiveServer *s = begin();
    int stream = open_stream(s, out, sizeof out), idle = live_connect(live_address(s)),
        half = live_connect(live_address(s));
    live_send(half, "GET /");
    live_end(s);
    out[0] = 0;
    live_read(stream, NULL, 20, out, sizeof out); // it is closed
    close(stream);
    close(idle);
    close(half);
  }
  live_end(NULL);
}

static void a_port_in_use_is_named(void **state) {
  (void)state;
  LiveServer *s = begin();
  Err err = {0};
  int port = live_port_of(live_address(s));
  char number[20];
  assert_null(live_start(port, "another", &err));
  snprintf(number, sizeof number, "port %d", port);
  assert_non_null(strstr(err.text, number));
  assert_non_null(strstr(err.text, "is used by another program"));
  live_end(s);
  err = (Err){0};
  s = live_start(port, "the next", &err); // it is free again
  assert_non_null(s);
  assert_int_equal(live_port_of(live_address(s)), port);
  live_end(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_address_gives_a_page_that_may_load_nothing),
      cmocka_unit_test(other_hosts_and_origins_are_refused),
      cmocka_unit_test(without_the_token_there_is_nothing),
      cmocka_unit_test(only_a_post_with_the_token_is_a_wish),
      cmocka_unit_test(wishes_follow_each_other),
      cmocka_unit_test(large_requests_are_refused),
      cmocka_unit_test(a_stream_has_the_newest_of_every_topic),
      cmocka_unit_test(there_are_at_most_four_updates_a_second),
      cmocka_unit_test(nobody_waits_for_a_slow_client),
      cmocka_unit_test(streams_are_limited_and_pages_are_still_served),
      cmocka_unit_test(open_pages_load_the_report),
      cmocka_unit_test(a_page_that_does_not_come_is_waited_for_two_seconds),
      cmocka_unit_test(a_server_ends_with_connections_open),
      cmocka_unit_test(a_port_in_use_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
