#include "live/live_server.h"

#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/c_locale.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "live/live_gate.h"
#include "live/live_page.h"

enum {
  CONNECTIONS_MOST = 16,
  STREAMS_MOST = 12,   // the others are for pages and wishes
  REQUEST_MOST = 8192, // bytes of its headers
  BODY_MOST = 64,
  TIMEOUT = 15,      // s without a byte
  BLOCK = 16 << 10,  // bytes of a stream at once
  STACK = 256 << 10, // of a connection's thread
};
static const double UPDATE_EVERY = 0.25, BEAT_EVERY = 2, FETCH_WITHIN = 2; // s

// ---------------------------------------------------------------- the library

#define MHD_FUNCTIONS(F)                                                                           \
  F(add_response_header)                                                                           \
  F(create_response_from_buffer)                                                                   \
  F(create_response_from_callback)                                                                 \
  F(destroy_response)                                                                              \
  F(lookup_connection_value)                                                                       \
  F(queue_response)                                                                                \
  F(start_daemon)                                                                                  \
  F(stop_daemon)

// MHD_stop_daemon is mhd.stop_daemon, and so on. Filled once, and never changed.
static struct {
  bool complete;
#define F(name) __typeof__(MHD_##name) *name;
  MHD_FUNCTIONS(F)
#undef F
} mhd;

static void load_library(void) {
  void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  bool complete = true;
#define F(name)                                                                                    \
  complete = (mhd.name = (__typeof__(mhd.name))dlsym(library, "MHD_" #name)) && complete;
  MHD_FUNCTIONS(F)
#undef F
  mhd.complete = complete;
}

static bool has_library(Err *err) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_library);
  if (mhd.complete) return true;
  return fail(err, ERR_FILE,
              "a page that follows a computation needs the library libmicrohttpd.so.12 (Debian: "
              "libmicrohttpd12)");
}

// ---------------------------------------------------------------- the server

typedef struct Posted {
  Text text;
  long version; // 0: nothing yet
} Posted;

struct LiveServer {
  struct MHD_Daemon *daemon;
  struct MHD_Response *page, *refusal;
  char token[LIVE_TOKEN + 1], nonce[LIVE_TOKEN + 1];
  char address[100];
  atomic_int wish;
  atomic_bool takes;
  pthread_mutex_t lock; // of all that follows
  pthread_cond_t news;
  Posted posted[LIVE_TOPIC_COUNT];
  Text rows;
  int rows_version;
  int streams;
  long visits;
  bool closing;
  struct MHD_Response *report; // NULL: it is not over
  int expected, fetched;       // pages that were open at the end; those that have the report
  double since;                // s, the end, or the last of these
};

static void add_headers(struct MHD_Response *r, const char *type, const char *policy) {
  static const char *const HEADERS[][2] = {{"Cache-Control", "no-store"},
                                           {"X-Content-Type-Options", "nosniff"},
                                           {"X-Frame-Options", "DENY"},
                                           {"Referrer-Policy", "no-referrer"},
                                           {"Cross-Origin-Resource-Policy", "same-origin"},
                                           {"Cross-Origin-Opener-Policy", "same-origin"}};
  for (size_t i = 0; i < sizeof HEADERS / sizeof *HEADERS; i++)
    mhd.add_response_header(r, HEADERS[i][0], HEADERS[i][1]);
  mhd.add_response_header(r, "Content-Type", type);
  mhd.add_response_header(r, "Content-Security-Policy", policy);
}

static struct MHD_Response *response_of(const char *text, size_t length, const char *type,
                                        const char *policy) {
  struct MHD_Response *r =
      must_have(mhd.create_response_from_buffer(length, (void *)text, MHD_RESPMEM_MUST_COPY));
  add_headers(r, type, policy);
  return r;
}

#define NOTHING_ELSE "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
static const char HTML[] = "text/html; charset=utf-8";
static const char NO_CONTENT[] = "default-src 'none'; " NOTHING_ELSE;
// A report brings its scripts and can reach nothing.
static const char REPORT[] = "default-src 'none'; style-src 'unsafe-inline'; script-src "
                             "'unsafe-inline'; img-src data:; " NOTHING_ELSE;

static void make_page(LiveServer *s, const char *title) {
  char policy[400];
  Text t;
  text_init(&t);
  live_page(&t, title, s->nonce);
  c_snprintf(policy, sizeof policy,
             "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-%s'; img-src data:; "
             "connect-src 'self'; " NOTHING_ELSE,
             s->nonce);
  s->page = response_of(t.at, t.length, HTML, policy);
  text_done(&t);
}

// ---------------------------------------------------------------- streams

typedef struct Stream {
  LiveServer *server;
  long seen[LIVE_TOPIC_COUNT];
  int rows_version;
  size_t rows_at; // bytes of them that were sent
  double sent;    // s of the clock, when something was
  bool told_end;
  Text out;
  size_t out_at;
} Stream;

static const char *const TOPICS[LIVE_TOPIC_COUNT] = {"about", "data", "curves", "state"};

static void add_event(Text *out, const char *name, const char *json) {
  text_print(out, "event: %s\ndata: ", name);
  text_add(out, json);
  text_add(out, "\n\n");
}

static void add_rows(Stream *t) {
  const LiveServer *s = t->server;
  bool anew = t->rows_version != s->rows_version;
  size_t from = anew ? 0 : t->rows_at;
  if (from == s->rows.length) return;
  if (from) from++; // the comma
  text_print(&t->out, "event: rows\ndata: {\"anew\":%s,\"rows\":[", anew ? "true" : "false");
  text_add(&t->out, s->rows.at + from);
  text_add(&t->out, "]}\n\n");
  t->rows_version = s->rows_version;
  t->rows_at = s->rows.length;
}

// What is new for this one. Called with the lock.
static void collect(Stream *t, double now) {
  LiveServer *s = t->server;
  for (int k = 0; k < LIVE_TOPIC_COUNT; k++) {
    if (k == LIVE_STATE) add_rows(t);
    if (t->seen[k] == s->posted[k].version) continue;
    add_event(&t->out, TOPICS[k], s->posted[k].text.at);
    t->seen[k] = s->posted[k].version;
  }
  if (s->report && !t->told_end) {
    add_event(&t->out, "done", "{}");
    t->told_end = true;
  }
  if (!t->out.length && now - t->sent > BEAT_EVERY) text_add(&t->out, ":\n\n");
  if (t->out.length) t->sent = now;
}

static void wait_for_news(LiveServer *s, double seconds) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += (long)(1e9 * seconds);
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&s->news, &s->lock, &until);
}

// Called in the thread of the connection, which waits here: nobody else does for it.
static ssize_t read_stream(void *data, uint64_t at, char *buffer, size_t most) {
  Stream *t = data;
  LiveServer *s = t->server;
  (void)at;
  pthread_mutex_lock(&s->lock);
  while (t->out_at == t->out.length && !s->closing && !(t->told_end && t->out.length)) {
    double now = clock_seconds(), rest = t->sent + UPDATE_EVERY - now;
    text_clear(&t->out);
    t->out_at = 0;
    if (rest <= 0) collect(t, now);
    if (!t->out.length) wait_for_news(s, rest > 0 ? rest : UPDATE_EVERY);
  }
  size_t length = s->closing ? 0 : t->out.length - t->out_at;
  pthread_mutex_unlock(&s->lock);
  if (!length) return MHD_CONTENT_READER_END_OF_STREAM;
  if (length > most) length = most;
  memcpy(buffer, t->out.at + t->out_at, length);
  t->out_at += length;
  return (ssize_t)length;
}

static void end_stream(void *data) {
  Stream *t = data;
  pthread_mutex_lock(&t->server->lock);
  t->server->streams--;
  pthread_mutex_unlock(&t->server->lock);
  text_done(&t->out);
  free(t);
}

static struct MHD_Response *new_stream(LiveServer *s) {
  pthread_mutex_lock(&s->lock);
  bool room = s->streams < STREAMS_MOST;
  if (room) s->streams++, s->visits++;
  pthread_mutex_unlock(&s->lock);
  if (!room) return NULL;
  Stream *t = must_have(calloc(1, sizeof *t));
  t->server = s;
  t->rows_version = -1;
  text_init(&t->out);
  text_add(&t->out, "retry: 1000\n\n");
  struct MHD_Response *r = must_have(
      mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_stream, t, end_stream));
  add_headers(r, "text/event-stream", NO_CONTENT);
  return r;
}

// ---------------------------------------------------------------- requests

typedef struct Request { // from its first call to its end
  bool takes_report;
  size_t body; // bytes so far
} Request;

typedef enum MHD_Result Answered;

// An empty answer, the same for all that are refused.
static Answered answer(LiveServer *s, struct MHD_Connection *c, unsigned status) {
  return mhd.queue_response(c, status, s->refusal);
}

static const char *header(struct MHD_Connection *c, const char *name) {
  return mhd.lookup_connection_value(c, MHD_HEADER_KIND, name);
}

// The rest of the path behind /TOKEN/; NULL: it is another token.
static const char *behind_token(const LiveServer *s, const char *path) {
  if (path[0] != '/') return NULL;
  const char *slash = strchr(path + 1, '/');
  size_t length = slash ? (size_t)(slash - path - 1) : strlen(path + 1);
  return live_token_is(s->token, path + 1, length) && slash ? slash + 1 : NULL;
}

static bool is_from_here(struct MHD_Connection *c) {
  const char *origin = header(c, "Origin");
  return live_host_is_local(header(c, "Host")) && (!origin || live_origin_is_local(origin));
}

static Answered give_page(LiveServer *s, struct MHD_Connection *c, Request *r) {
  pthread_mutex_lock(&s->lock);
  r->takes_report = s->report != NULL;
  struct MHD_Response *page = s->report ? s->report : s->page;
  pthread_mutex_unlock(&s->lock);
  return mhd.queue_response(c, MHD_HTTP_OK, page);
}

static Answered give_stream(LiveServer *s, struct MHD_Connection *c) {
  struct MHD_Response *r = new_stream(s);
  if (!r) return answer(s, c, MHD_HTTP_SERVICE_UNAVAILABLE);
  Answered done = mhd.queue_response(c, MHD_HTTP_OK, r);
  mhd.destroy_response(r); // the connection keeps it
  return done;
}

// A stop is final; a wish that cannot be granted changes nothing.
static bool set_wish(LiveServer *s, const char *word) {
  int now = atomic_load(&s->wish), next = now;
  if (strcmp(word, "pause") == 0 && now == LIVE_GO_ON) next = LIVE_PAUSE;
  if (strcmp(word, "resume") == 0 && now == LIVE_PAUSE) next = LIVE_GO_ON;
  if (strcmp(word, "take") == 0 && now != LIVE_STOP && atomic_load(&s->takes)) next = LIVE_TAKE;
  if (strcmp(word, "stop") == 0) next = LIVE_STOP;
  return next != now && atomic_compare_exchange_strong(&s->wish, &now, next);
}

static bool is_wish(const char *word) {
  static const char *const WORDS[] = {"pause", "resume", "take", "stop"};
  for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
    if (strcmp(word, WORDS[i]) == 0) return true;
  return false;
}

static Answered take_wish(LiveServer *s, struct MHD_Connection *c, const char *word) {
  const char *token = header(c, "X-Entrain-Token"), *site = header(c, "Sec-Fetch-Site");
  if (!live_token_is(s->token, token, token ? strlen(token) : 0) ||
      (site && strcmp(site, "same-origin") != 0))
    return answer(s, c, MHD_HTTP_FORBIDDEN);
  pthread_mutex_lock(&s->lock);
  bool over = s->report != NULL;
  pthread_mutex_unlock(&s->lock);
  if (over || !set_wish(s, word)) return answer(s, c, MHD_HTTP_CONFLICT);
  return answer(s, c, MHD_HTTP_NO_CONTENT);
}

// The library calls this once for the headers, then for parts of the body, then at its end.
static Answered serve(void *data, struct MHD_Connection *c, const char *path, const char *method,
                      const char *version, const char *body, size_t *length, void **own) {
  LiveServer *s = data;
  const char *rest = behind_token(s, path), *size = header(c, "Content-Length");
  bool gets = strcmp(method, "GET") == 0, posts = strcmp(method, "POST") == 0;
  (void)version, (void)body;
  if (!*own) {
    *own = must_have(calloc(1, sizeof(Request)));
    if (!is_from_here(c)) return answer(s, c, MHD_HTTP_FORBIDDEN);
    bool page = rest && !*rest, stream = rest && strcmp(rest, "events") == 0;
    if (!rest || !(page || stream || is_wish(rest))) return answer(s, c, MHD_HTTP_NOT_FOUND);
    if (!(page || stream ? gets : posts)) return answer(s, c, MHD_HTTP_METHOD_NOT_ALLOWED);
    if (size && (strlen(size) > 2 || atol(size) > BODY_MOST))
      return answer(s, c, MHD_HTTP_CONTENT_TOO_LARGE);
    return MHD_YES;
  }
  Request *r = *own;
  if (*length) { // of no meaning
    r->body += *length;
    *length = 0;
    return r->body > BODY_MOST ? MHD_NO : MHD_YES;
  }
  if (posts) return take_wish(s, c, rest);
  return *rest ? give_stream(s, c) : give_page(s, c, r);
}

static void end_request(void *data, struct MHD_Connection *c, void **own,
                        enum MHD_RequestTerminationCode how) {
  LiveServer *s = data;
  Request *r = *own;
  (void)c;
  if (r && r->takes_report && how == MHD_REQUEST_TERMINATED_COMPLETED_OK) {
    pthread_mutex_lock(&s->lock);
    s->fetched++;
    s->since = clock_seconds();
    pthread_mutex_unlock(&s->lock);
  }
  free(r);
  *own = NULL;
}

// ---------------------------------------------------------------- begin and end

// A socket that listens on this machine only. -1: err.
static int listen_on(int port, int *given, Err *err) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  socklen_t size = sizeof at;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
  if (fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 &&
      listen(fd, CONNECTIONS_MOST) == 0 && getsockname(fd, (struct sockaddr *)&at, &size) == 0) {
    *given = ntohs(at.sin_port);
    return fd;
  }
  int why = errno;
  if (fd >= 0) close(fd);
  if (why == EADDRINUSE && port)
    fail(
        err, ERR_VALUE,
        "port %d on 127.0.0.1 is used by another program; choose another one, or none for any that "
        "is free",
        port);
  else
    fail(err, ERR_VALUE, "cannot listen on port %d of 127.0.0.1: %s", port, strerror(why));
  return -1;
}

static struct MHD_Daemon *start_daemon(LiveServer *s, int fd) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); // threads take over the mask
  struct MHD_Daemon *d = mhd.start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL, 0, NULL, NULL,
      serve, s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
      (unsigned)CONNECTIONS_MOST, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)(REQUEST_MOST + BLOCK),
      MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK, MHD_OPTION_NOTIFY_COMPLETED, end_request, s,
      MHD_OPTION_END);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return d;
}

static LiveServer *server_new(void) {
  LiveServer *s = must_have(calloc(1, sizeof *s));
  pthread_condattr_t by;
  pthread_condattr_init(&by);
  pthread_condattr_setclock(&by, CLOCK_MONOTONIC);
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->news, &by);
  pthread_condattr_destroy(&by);
  for (int k = 0; k < LIVE_TOPIC_COUNT; k++) text_init(&s->posted[k].text);
  text_init(&s->rows);
  return s;
}

LiveServer *live_start(int port, const char *title, Err *err) {
  int given = 0;
  if (!has_library(err)) return NULL;
  LiveServer *s = server_new();
  int fd = -1;
  if (!live_token_make(s->token) || !live_token_make(s->nonce))
    fail(err, ERR_FILE, "the system gives no random numbers");
  else
    fd = listen_on(port, &given, err);
  if (fd >= 0) {
    c_snprintf(s->address, sizeof s->address, "http://127.0.0.1:%d/%s/", given, s->token);
    make_page(s, title);
    s->refusal = response_of("", 0, "text/plain", NO_CONTENT);
    s->daemon = start_daemon(s, fd);
    if (s->daemon) return s;
    close(fd);
    fail(err, ERR_FILE, "libmicrohttpd cannot begin a server on port %d", given);
  }
  live_end(s);
  return NULL;
}

void live_end(LiveServer *s) {
  if (!s) return;
  pthread_mutex_lock(&s->lock);
  s->closing = true;
  pthread_cond_broadcast(&s->news);
  pthread_mutex_unlock(&s->lock);
  if (s->daemon) mhd.stop_daemon(s->daemon);
  struct MHD_Response *all[] = {s->page, s->refusal, s->report};
  for (int i = 0; i < 3; i++)
    if (all[i]) mhd.destroy_response(all[i]);
  for (int k = 0; k < LIVE_TOPIC_COUNT; k++) text_done(&s->posted[k].text);
  text_done(&s->rows);
  pthread_cond_destroy(&s->news);
  pthread_mutex_destroy(&s->lock);
  free(s);
}

const char *live_address(const LiveServer *s) {
  return s->address;
}

// ---------------------------------------------------------------- for the one who computes

static long locked(const LiveServer *server, long (*read)(const LiveServer *s)) {
  LiveServer *s = (LiveServer *)server; // only its lock changes
  pthread_mutex_lock(&s->lock);
  long value = read(s);
  pthread_mutex_unlock(&s->lock);
  return value;
}

static long read_streams(const LiveServer *s) {
  return s->streams;
}

static long read_visits(const LiveServer *s) {
  return s->visits;
}

static long read_fetched(const LiveServer *s) {
  bool all = s->expected > 0 && s->fetched >= s->expected;
  return s->visits == 0 || all || clock_seconds() - s->since > FETCH_WITHIN;
}

int live_clients(const LiveServer *s) {
  return (int)locked(s, read_streams);
}

long live_visits(const LiveServer *s) {
  return locked(s, read_visits);
}

bool live_is_fetched(const LiveServer *s) {
  return locked(s, read_fetched);
}

void live_post(LiveServer *s, LiveTopic topic, const char *json) {
  Posted *p = &s->posted[topic];
  pthread_mutex_lock(&s->lock);
  text_clear(&p->text);
  text_add(&p->text, json);
  p->version++;
  pthread_cond_broadcast(&s->news);
  pthread_mutex_unlock(&s->lock);
}

void live_post_rows(LiveServer *s, int version, const char *rows) {
  pthread_mutex_lock(&s->lock);
  if (version != s->rows_version) text_clear(&s->rows);
  s->rows_version = version;
  if (s->rows.length && *rows) text_add(&s->rows, ",");
  text_add(&s->rows, rows);
  pthread_cond_broadcast(&s->news);
  pthread_mutex_unlock(&s->lock);
}

LiveWish live_wish(const LiveServer *s) {
  return (LiveWish)atomic_load(&s->wish);
}

void live_offer_take(LiveServer *s, bool offered) {
  atomic_store(&s->takes, offered);
}

void live_finish(LiveServer *s, const char *html) {
  struct MHD_Response *report = response_of(html, strlen(html), HTML, REPORT);
  pthread_mutex_lock(&s->lock);
  if (!s->report) {
    s->report = report;
    s->expected = s->streams;
    s->since = clock_seconds();
    report = NULL;
  }
  pthread_cond_broadcast(&s->news);
  pthread_mutex_unlock(&s->lock);
  if (report) mhd.destroy_response(report);
}
