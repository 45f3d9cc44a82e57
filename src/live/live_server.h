// A small HTTP server on 127.0.0.1 that shows a computation as it runs: a page, a stream of events (server-sent events), and
// what its users wish. Whoever computes posts texts, which never waits for a browser: each stream has the newest of every topic, at
// most four times a second.
//
//   GET  /TOKEN/         the page; once there is one, the report
//   GET  /TOKEN/events   the stream
//   POST /TOKEN/WORD     a wish: pause, resume, take, stop; the token is also in the header X-Entrain-Token
//
// All else is refused without a hint. libmicrohttpd is loaded when a server begins.
#pragma once
#include <stdbool.h>

#include "base/err.h"

typedef struct LiveServer LiveServer;

// port 0: any that is free. Threads of the server take no signals.
LiveServer *live_start(int port, const char *title, Err *err);
void live_end(LiveServer *s);                  // NULL is allowed; closes all connections
const char *live_address(const LiveServer *s); // http://127.0.0.1:PORT/TOKEN/
int live_clients(const LiveServer *s);         // streams that are open
long live_visits(const LiveServer *s);         // streams that were ever opened

typedef enum LiveTopic {
  LIVE_ABOUT, // what is computed: names
  LIVE_DATA,
  LIVE_CURVES,
  LIVE_STATE,
  LIVE_TOPIC_COUNT
} LiveTopic;

void live_post(LiveServer *s, LiveTopic topic, const char *json); // one line
// Rows for the history, [1,2],[3,4]. Those of another version take the place of all before.
void live_post_rows(LiveServer *s, int version, const char *rows);

typedef enum LiveWish { LIVE_GO_ON, LIVE_PAUSE, LIVE_TAKE, LIVE_STOP } LiveWish;

LiveWish live_wish(const LiveServer *s);
void live_offer_take(LiveServer *s, bool offered); // whether that wish can be granted; at first not

// The computation is over: pages that are open load this HTML, in place of the page that followed it.
void live_finish(LiveServer *s, const char *html);
// Whether nobody waits for it any more: every open page has it, or none came for two seconds, or there never was one.
bool live_is_fetched(const LiveServer *s);
