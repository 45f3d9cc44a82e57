// A page that follows a computation, as users of the library see it: what listeners tell comes out of the stream, and what
// users wish comes back.
#include <pthread.h>

#include "entrain.h"
#include "live_client.h"

static const char MODEL[] = "model Decay\n  parameter Real k(min = 0.01, max = 50) = 1;\n"
                            "  Real x(start = 1, fixed = true);\nequation\n  der(x) = -k*x;\n"
                            "end Decay;\n";
static const char PROBLEM[] = "model: decay.mo\nexperiments:\n  - {data: a.csv, measure: {x: x}}\n"
                              "estimate:\n  k: {start: 0.5}\n";
enum { ANSWER = 1 << 18, SAMPLES = 5001 };
static char out[ANSWER];
static double give_up; // s of the clock

typedef struct Setup {
  char folder[64];
  EntrainProblem *problem, *for_curves;
  EntrainError error;
} Setup;

static void write_file(const Setup *s, const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", s->folder, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static int set_up(void **state) {
  static char data[SAMPLES * 40];
  Setup *s = calloc(1, sizeof *s);
  give_up = clock_seconds() + 120;
  strcpy(s->folder, "/tmp/entrain-test-XXXXXX");
  assert_non_null(mkdtemp(s->folder));
  size_t at = (size_t)sprintf(data, "t,x\n");
  for (int i = 0; i < SAMPLES; i++)
    at += (size_t)sprintf(data + at, "%.6f,%.9f\n", i / 2500.0, exp(-2 * i / 2500.0));
  write_file(s, "decay.mo", MODEL);
  write_file(s, "a.csv", data);
  s->problem = entrain_problem_parse("p", s->folder, PROBLEM, strlen(PROBLEM), NULL, 0, &s->error);
  s->for_curves =
      entrain_problem_parse("p", s->folder, PROBLEM, strlen(PROBLEM), NULL, 0, &s->error);
  assert_true(s->problem && s->for_curves);
  *state = s;
  return 0;
}

static int tear_down(void **state) {
  static const char *const FILES[] = {"decay.mo", "a.csv", ""};
  Setup *s = *state;
  char path[128];
  entrain_problem_free(s->problem);
  entrain_problem_free(s->for_curves);
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", s->folder, FILES[i]);
    remove(path);
  }
  free(s);
  return 0;
}

static EntrainLive *begin(Setup *s, EntrainLiveKind kind) {
  EntrainLiveRequest q = {.size = sizeof q,
                          .title = "a test",
                          .kind = kind,
                          .problem = s->problem,
                          .for_curves = s->for_curves};
  EntrainLive *l = entrain_live_new(&q, &s->error);
  assert_non_null(l);
  return l;
}

// By HTTP 1.0, so that the bytes come as they are, without chunks.
static int open_stream(const EntrainLive *l) {
  char request[200];
  const char *address = entrain_live_address(l);
  int fd = live_connect(address);
  snprintf(request, sizeof request, "GET /%.32s/events HTTP/1.0\r\nHost: localhost\r\n\r\n",
           live_token_of(address));
  live_send(fd, request);
  out[0] = 0;
  assert_true(live_read(fd, "retry: ", 20, out, sizeof out));
  assert_true(entrain_live_is_watched(l));
  return fd;
}

static void wish(const EntrainLive *l, const char *word, int status) {
  char request[300], answer[2000];
  const char *address = entrain_live_address(l), *token = live_token_of(address);
  snprintf(request, sizeof request,
           "POST /%.32s/%s HTTP/1.1\r\nHost: localhost\r\nX-Entrain-Token: %.32s\r\n"
           "Content-Length: 0\r\nConnection: close\r\n\r\n",
           token, word, token);
  assert_int_equal(live_ask(address, request, answer, sizeof answer), status);
}

static EntrainProgress step(double value, double objective, const double *values, bool *enough) {
  return (EntrainProgress){.size = sizeof(EntrainProgress),
                           .stage = "local search",
                           .iteration = (int)value,
                           .objective = objective,
                           .values = values,
                           .simulations = 170,
                           .doubt = "",
                           .best = objective,
                           .searches = 2,
                           .enough = enough};
}

// The numbers of the first list behind a key.
static int numbers_behind(const char *key, double *to, int most) {
  const char *at = strstr(out, key);
  assert_non_null(at);
  at += strlen(key);
  while (*at == '[') at++;
  int n = 0;
  for (char *end; n < most && (to[n] = strtod(at, &end), end != at); at = end + 1) {
    n++;
    if (*end != ',') break;
  }
  return n;
}

// Until an event of this name, with this text in it, has come as a whole.
static void read_event(int fd, const char *name, const char *with) {
  char head[40];
  snprintf(head, sizeof head, "event: %s\n", name);
  for (const char *at = out;;) {
    const char *found = strstr(at, head), *end = found ? strstr(found, "\n\n") : NULL;
    const char *text = end ? strstr(found, with) : NULL;
    if (text && text < end) return;
    if (end) at = end;
    size_t before = strlen(out);
    if (!end) live_read(fd, NULL, 0.2, out, sizeof out);
    if (!end && strlen(out) == before && clock_seconds() > give_up) fail_msg("no %s", head);
  }
}

static void steps_and_curves_come_out_of_the_stream(void **state) {
  EntrainLive *l = begin(*state, ENTRAIN_LIVE_FIT);
  static double t[2000], data[2000], model[2000];
  double k = 2;
  bool enough = false;
  int fd = open_stream(l);
  for (int i = 0; i < 3; i++) {
    EntrainProgress p = step(i, 100 - i, &k, &enough);
    assert_true(entrain_live_step(l, &p));
    assert_true(entrain_live_step(l, &p)); // nothing new: no second row
  }
  read_event(fd, "curves", "");
  read_event(fd, "state", "\"step\":3,");
  read_event(fd, "rows", "[3,98,0,0,2]");
  assert_non_null(strstr(out, "\"unknowns\":[{\"name\":\"k\""));
  assert_non_null(strstr(out, "[1,100,0,0,2]"));
  assert_null(strstr(out, "[4,"));
  assert_non_null(strstr(out, "\"stages\":[\"local search\"]"));
  assert_non_null(strstr(out, "\"simulations\":170,\"searches\":2,\"takes\":true"));
  int n = numbers_behind("\"t\":[", t, 2000);
  assert_in_range(n, 500, 1000);
  assert_int_equal(numbers_behind("\"data\":[", data, 2000), n);
  assert_int_equal(numbers_behind("\"model\":[", model, 2000), n);
  for (int i = 0; i < n; i++) {
    assert_close(model[i], data[i], 1e-3);
    assert_close(data[i], exp(-2 * t[i]), 1e-2);
  }
  assert_false(enough);
  close(fd);
  entrain_live_free(l);
}

static void runs_come_out_of_the_stream(void **state) {
  static const char *const WORDS[] = {"converged", "no \"start\""};
  static const long COUNTS[] = {5, 2};
  EntrainLive *l = begin(*state, ENTRAIN_LIVE_RUNS);
  int fd = open_stream(l);
  EntrainStudyProgress p = {.size = sizeof p,
                            .done = 7,
                            .total = 70,
                            .best = 1.5,
                            .rate = 3.5,
                            .seconds_left = 18,
                            .workers = 2,
                            .words = WORDS,
                            .counts = COUNTS,
                            .word_count = 2};
  assert_true(entrain_live_runs(l, &p, "searches"));
  read_event(fd, "state", "\"done\":7");
  read_event(fd, "rows", "7,1.5]");
  assert_non_null(strstr(out, "\"done\":7,\"total\":70,\"rate\":3.5,\"left\":18,\"best\":1.5"));
  assert_non_null(strstr(out, "\"outcomes\":{\"converged\":5,\"no \\\"start\\\"\":2}"));
  close(fd);
  entrain_live_free(l);
}

static void a_user_can_take_the_best_point_and_stop(void **state) {
  EntrainLive *l = begin(*state, ENTRAIN_LIVE_FIT);
  double k = 2;
  bool enough = false;
  EntrainProgress none = step(1, HUGE_VAL, &k, &enough), some = step(2, 5, &k, &enough),
                  statistics = step(3, HUGE_VAL, &k, NULL);
  assert_true(entrain_live_step(l, &none));
  wish(l, "take", 409); // there is nothing to take
  assert_true(entrain_live_step(l, &some));
  wish(l, "take", 204);
  assert_true(entrain_live_step(l, &none) && !enough);
  assert_true(entrain_live_step(l, &some) && enough && entrain_live_took(l));
  assert_true(entrain_live_step(l, &statistics)); // these go on
  wish(l, "stop", 204);
  assert_false(entrain_live_step(l, &statistics));
  assert_false(entrain_live_runs(l, &(EntrainStudyProgress){0}, NULL));
  entrain_live_free(l);
}

typedef struct Later {
  const EntrainLive *live;
  const char *word;
} Later;

static void *wish_later(void *data) {
  const Later *l = data;
  usleep(300000);
  wish(l->live, l->word, 204);
  return NULL;
}

// What waits is the listener; a stop ends the pause, too, and so does a host that says no.
static void a_pause_lasts_until_somebody_ends_it(void **state) {
  static const char *const ENDS[] = {"resume", "stop"};
  double k = 2;
  bool enough = false;
  EntrainProgress p = step(1, 5, &k, &enough);
  for (int i = 0; i < 2; i++) {
    EntrainLive *l = begin(*state, ENTRAIN_LIVE_FIT);
    pthread_t thread;
    Later later = {l, ENDS[i]};
    wish(l, "pause", 204);
    pthread_create(&thread, NULL, wish_later, &later);
    double began = clock_seconds();
    assert_int_equal(entrain_live_step(l, &p), i == 0);
    assert_true(clock_seconds() - began > 0.25);
    pthread_join(thread, NULL);
    entrain_live_free(l);
  }
}

static bool counts_down(void *data) {
  return --*(int *)data > 0;
}

static void a_host_that_says_no_ends_a_pause(void **state) {
  double k = 2;
  bool enough = false;
  int left = 5;
  EntrainProgress p = step(1, 5, &k, &enough);
  EntrainLive *l = begin(*state, ENTRAIN_LIVE_FIT);
  wish(l, "pause", 204);
  entrain_goes_on(counts_down, &left);
  assert_true(entrain_live_step(l, &p)); // what computes hears it by itself
  assert_int_equal(left, 0);
  entrain_goes_on(NULL, NULL);
  entrain_live_free(l);
}

static bool follow(void *live, const EntrainProgress *p) {
  return entrain_live_step(live, p);
}

static void remove_seconds(char *json) {
  static const char KEY[] = "\"seconds\":";
  for (char *at = json; (at = strstr(at, KEY));) {
    at += strlen(KEY);
    size_t length = strcspn(at, ",}\n");
    memmove(at, at + length, strlen(at + length) + 1);
  }
}

static void a_fit_has_the_same_result_with_a_page(void **state) {
  Setup *s = *state;
  char *json[2];
  for (int i = 0; i < 2; i++) {
    EntrainLive *l = i ? begin(s, ENTRAIN_LIVE_FIT) : NULL;
    int fd = l ? open_stream(l) : -1;
    EntrainFit *f = entrain_fit_run(s->problem, l ? follow : NULL, l, &s->error);
    json[i] = entrain_fit_json(f);
    remove_seconds(json[i]);
    entrain_fit_free(f);
    if (l) close(fd);
    entrain_live_free(l);
  }
  assert_string_equal(json[0], json[1]);
  for (int i = 0; i < 2; i++) entrain_text_free(json[i]);
}

static void at_the_end_the_page_is_the_report(void **state) {
  EntrainLive *l = begin(*state, ENTRAIN_LIVE_STEPS);
  char request[200];
  const char *address = entrain_live_address(l);
  assert_true(entrain_live_is_fetched(l)); // nobody looks
  int fd = open_stream(l);
  char *page = entrain_live_text_page("a title", "x < y");
  entrain_live_finish(l, page);
  entrain_text_free(page);
  assert_true(live_read(fd, "event: done", 20, out, sizeof out));
  snprintf(request, sizeof request,
           "GET /%.32s/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
           live_token_of(address));
  assert_int_equal(live_ask(address, request, out, sizeof out), 200);
  assert_non_null(strstr(out, "<pre>x &lt; y</pre>"));
  close(fd);
  entrain_live_free(l);
}

static void nothing_is_answered_for_nothing(void **state) {
  Setup *s = *state;
  bool enough;
  double k = 2;
  EntrainProgress p = step(1, 5, &k, &enough);
  assert_null(entrain_live_new(NULL, &s->error));
  assert_true(entrain_live_step(NULL, &p) && entrain_live_runs(NULL, NULL, NULL));
  assert_null(entrain_live_address(NULL));
  assert_true(entrain_live_is_fetched(NULL));
  assert_false(entrain_live_took(NULL) || entrain_live_is_watched(NULL));
  entrain_live_finish(NULL, "");
  entrain_live_free(NULL);
  EntrainLive *l = begin(s, ENTRAIN_LIVE_FIT);
  EntrainLiveRequest q = {
      .size = sizeof q, .kind = ENTRAIN_LIVE_FIT, .port = live_port_of(entrain_live_address(l))};
  assert_null(entrain_live_new(&q, &s->error)); // that port is taken
  assert_true(s->error.code && s->error.exit_status == 2);
  entrain_live_free(l);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(steps_and_curves_come_out_of_the_stream), TEST(runs_come_out_of_the_stream),
      TEST(a_user_can_take_the_best_point_and_stop), TEST(a_pause_lasts_until_somebody_ends_it),
      TEST(a_host_that_says_no_ends_a_pause),        TEST(a_fit_has_the_same_result_with_a_page),
      TEST(at_the_end_the_page_is_the_report),       TEST(nothing_is_answered_for_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
