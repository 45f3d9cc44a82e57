// The public library: a page that follows a computation.
//
// Who computes copies numbers into a LiveView and goes on. A thread of our own makes texts of them for the server, four times a second at
// most and only while somebody looks; it also simulates the curves, of a problem that nobody else uses.
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "api/api.h"
#include "base/c_locale.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/patience.h"
#include "base/text.h"
#include "live/live_page.h"
#include "live/live_rows.h"
#include "live/live_server.h"

enum { STAGES_MOST = 60, STAGE_SIZE = 80, DOUBT_SIZE = 300, OUTCOMES_SIZE = 600 };
static const double LOOK_EVERY = 0.25, TELL_EVERY = 1;       // s
static const double CURVES_SHARE = 0.01, FIRST_SHARE = 0.02; // of the time
enum { POINTS_IN_ALL = 20000 };                              // of all curves together

typedef struct LiveView { // how things stand
  long news;              // counts changes
  char stage[STAGE_SIZE], doubt[DOUBT_SIZE];
  int stage_number;
  long step, simulations;
  long point; // counts changes of the values
  double search_seconds;
  int iteration, searches;
  double lambda, objective, best;
  bool has_steps, takes;
  bool has_runs;
  long done, total, lost;
  double rate, seconds_left;
  int workers;
  char outcomes[OUTCOMES_SIZE]; // "converged": 3, ...
} LiveView;

struct EntrainLive {
  EntrainLiveRequest request;
  int unknowns;
  LiveServer *server;
  double began;
  bool took;
  pthread_t thread;
  bool has_thread;
  pthread_mutex_t lock; // of all that follows
  pthread_cond_t wake;
  bool closing;
  LiveView view;
  double *values; // of the unknowns
  Text stages;    // "weak form","homotopy"
  LiveRows *rows;
  double paused, paused_since; // s in all; of the clock, 0: not paused
  double *row;                 // scratch of who computes
  // Of the thread alone:
  struct {
    double *values;
    int rows, rows_version; // posted
    long news;
    double told; // s of the clock, when the state was
    EntrainCurves *curves;
    long curves_point;  // that they are of
    double curves_next; // s of the clock
    int points;         // of a curve
  } own;
};

// ---------------------------------------------------------------- texts

static void add_key(Text *t, const char *key) {
  text_print(t, "%s\"%s\":", t->at[t->length - 1] == '{' ? "" : ",", key);
}

static void add_number(Text *t, const char *key, double value) {
  add_key(t, key);
  live_number(t, value);
}

static void add_text(Text *t, const char *key, const char *value) {
  add_key(t, key);
  text_add_json(t, value);
}

static void add_flag(Text *t, const char *key, bool value) {
  add_key(t, key);
  text_add(t, value ? "true" : "false");
}

static void post_about(EntrainLive *l) {
  static const char *const KINDS[] = {"fit", "steps", "runs"};
  Text t;
  ENTRAIN_STRUCT(EntrainUnknown, u);
  text_init(&t);
  text_add(&t, "{");
  add_text(&t, "kind", KINDS[l->request.kind]);
  add_key(&t, "unknowns");
  text_add(&t, "[");
  for (int i = 0; i < l->unknowns && entrain_problem_unknown(l->request.problem, i, &u); i++) {
    text_add(&t, i ? ",{" : "{");
    add_text(&t, "name", u.name);
    add_text(&t, "unit", u.unit);
    add_flag(&t, "log", u.log);
    text_add(&t, "}");
  }
  text_add(&t, "]}");
  live_post(l->server, LIVE_ABOUT, t.at);
  text_done(&t);
}

// The view, values and stages were copied.
static void post_state(EntrainLive *l, const LiveView *v, const char *stages, double seconds) {
  static const char *const WISHES[] = {"go-on", "pause", "take", "stop"};
  Text t;
  text_init(&t);
  text_add(&t, "{");
  add_number(&t, "seconds", seconds);
  add_text(&t, "wish", WISHES[live_wish(l->server)]);
  add_text(&t, "stage", v->stage);
  add_text(&t, "doubt", v->doubt);
  if (v->has_steps) {
    add_key(&t, "stages");
    text_print(&t, "[%s]", stages);
    add_number(&t, "step", (double)v->step);
    add_number(&t, "iteration", v->iteration);
    add_number(&t, "lambda", v->lambda);
    add_number(&t, "objective", v->objective);
    add_number(&t, "best", v->best);
    add_number(&t, "simulations", (double)v->simulations);
    add_number(&t, "searches", v->searches);
    add_flag(&t, "takes", v->takes);
    add_key(&t, "values");
    live_numbers(&t, l->own.values, l->unknowns);
  }
  if (v->has_runs) {
    add_key(&t, "runs");
    text_add(&t, "{");
    add_number(&t, "done", (double)v->done);
    add_number(&t, "total", (double)v->total);
    add_number(&t, "rate", v->rate);
    add_number(&t, "left", v->seconds_left);
    add_number(&t, "best", v->best);
    add_number(&t, "workers", v->workers);
    add_number(&t, "lost", (double)v->lost);
    add_key(&t, "outcomes");
    text_print(&t, "{%s}}", v->outcomes);
  }
  text_add(&t, "}");
  live_post(l->server, LIVE_STATE, t.at);
  text_done(&t);
}

// ---------------------------------------------------------------- curves

static void post_data(EntrainLive *l) {
  ENTRAIN_STRUCT(EntrainCurve, c);
  Text t;
  double *thin = must_have(calloc((size_t)l->own.points, sizeof *thin));
  text_init(&t);
  text_add(&t, "{\"channels\":[");
  for (int i = 0; entrain_curves_channel(l->own.curves, i, &c); i++) {
    text_add(&t, i ? ",{" : "{");
    add_text(&t, "experiment", c.experiment);
    add_text(&t, "name", c.variable);
    add_text(&t, "unit", c.unit);
    add_flag(&t, "apart", c.apart);
    add_number(&t, "samples", c.n);
    add_key(&t, "t");
    live_numbers(&t, thin, live_thin_times(c.t, c.n, l->own.points, thin));
    add_key(&t, "data");
    live_numbers(&t, thin, live_thin(c.data, c.n, l->own.points, thin));
    text_add(&t, "}");
  }
  text_add(&t, "]}");
  live_post(l->server, LIVE_DATA, t.at);
  text_done(&t);
  free(thin);
}

static void begin_curves(EntrainLive *l) {
  l->own.curves = entrain_curves_new(l->request.for_curves);
  int count = entrain_curves_count(l->own.curves);
  int points = POINTS_IN_ALL / (count > 0 ? count : 1);
  l->own.points = points > LIVE_POINTS ? LIVE_POINTS : points < 50 ? 50 : points;
  post_data(l);
}

static void post_curves(EntrainLive *l, double lambda, long step) {
  ENTRAIN_STRUCT(EntrainCurve, c);
  Text t;
  double *thin = must_have(calloc((size_t)l->own.points, sizeof *thin));
  text_init(&t);
  text_add(&t, "{");
  add_number(&t, "lambda", lambda);
  add_number(&t, "step", (double)step);
  add_key(&t, "model");
  text_add(&t, "[");
  for (int i = 0; entrain_curves_channel(l->own.curves, i, &c); i++) {
    if (i) text_add(&t, ",");
    if (c.model)
      live_numbers(&t, thin, live_thin(c.model, c.n, l->own.points, thin));
    else
      text_add(&t, "null");
  }
  text_add(&t, "]}");
  live_post(l->server, LIVE_CURVES, t.at);
  text_done(&t);
  free(thin);
}

static double cpu_seconds(void) { // of this thread
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Nobody knows how long the first ones take, but how long the search took for its simulations, which mostly have sensitivities.
static bool has_curves(const EntrainLive *l, const LiveView *v, double seconds) {
  const EntrainProblem *p = l->request.for_curves;
  if (l->request.kind != ENTRAIN_LIVE_FIT || !v->has_steps || !p || p->problem->closed)
    return false;
  double all = v->search_seconds * p->problem->experiment_count;
  return all <= FIRST_SHARE * seconds * (double)v->simulations * (1 + l->unknowns);
}

// What it takes decides when the next ones are made.
static void make_curves(EntrainLive *l, const LiveView *v, double seconds) {
  double began = cpu_seconds();
  if (!has_curves(l, v, seconds) || v->point == l->own.curves_point ||
      clock_seconds() < l->own.curves_next)
    return;
  if (!l->own.curves) begin_curves(l);
  entrain_curves_at(l->own.curves, l->own.values, v->lambda);
  if (!patience_asks()) return;
  post_curves(l, v->lambda, v->step);
  l->own.curves_point = v->point;
  l->own.curves_next = clock_seconds() + fmax(LOOK_EVERY, (cpu_seconds() - began) / CURVES_SHARE);
}

// ---------------------------------------------------------------- the thread

static void print_rows(EntrainLive *l, Text *out) {
  int version = live_rows_version(l->rows), from = l->own.rows;
  if (version != l->own.rows_version) from = 0;
  live_rows_print(l->rows, from, out);
  l->own.rows = live_rows_count(l->rows);
  l->own.rows_version = version;
}

// Called with the lock, which is released while texts are made.
static void tell_all(EntrainLive *l) {
  double now = clock_seconds();
  LiveView v = l->view;
  Text rows, stages;
  if (v.news == l->own.news && now - l->own.told < TELL_EVERY) return;
  text_init(&rows);
  text_init(&stages);
  text_add(&stages, l->stages.at);
  memcpy(l->own.values, l->values, (size_t)l->unknowns * sizeof *l->values);
  print_rows(l, &rows);
  double seconds = (l->paused_since > 0 ? l->paused_since : now) - l->began - l->paused;
  pthread_mutex_unlock(&l->lock);
  if (rows.length) live_post_rows(l->server, l->own.rows_version, rows.at);
  post_state(l, &v, stages.at, seconds);
  make_curves(l, &v, seconds);
  l->own.news = v.news;
  l->own.told = now;
  text_done(&rows);
  text_done(&stages);
  pthread_mutex_lock(&l->lock);
}

static bool is_not_closing(void *data) {
  EntrainLive *l = data;
  pthread_mutex_lock(&l->lock);
  bool goes = !l->closing;
  pthread_mutex_unlock(&l->lock);
  return goes;
}

static void wait_a_moment(EntrainLive *l) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += (long)(1e9 * LOOK_EVERY);
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&l->wake, &l->lock, &until);
}

static void *follow(void *data) {
  EntrainLive *l = data;
  Patience patience = {.goes_on = is_not_closing, .data = l};
  patience_begin(&patience);
  pthread_mutex_lock(&l->lock);
  while (!l->closing) {
    wait_a_moment(l);
    if (!l->closing && live_clients(l->server)) tell_all(l);
  }
  pthread_mutex_unlock(&l->lock);
  entrain_curves_free(l->own.curves);
  patience_end(&patience);
  return NULL;
}

// As large as the usual stack of the main thread: simulations keep arrays there.
enum { STACK = 8 << 20 };

static bool start_thread(EntrainLive *l) {
  sigset_t all, before;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for who computes
  l->has_thread = pthread_create(&l->thread, &attributes, follow, l) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return l->has_thread;
}

// ---------------------------------------------------------------- begin and end

enum { STEP_COLUMNS = 4, RUN_COLUMNS = 3 }; // step, objective, lambda, stage; seconds, done, best

EntrainLive *entrain_live_new(const EntrainLiveRequest *given, EntrainError *error) {
  if (!given) return api_none("request", error);
  Err err = {0};
  EntrainLiveRequest full, *request = &full;
  if (!API_TAKE(request, EntrainLiveRequest, given, &err)) return api_fine(&err, error), NULL;
  LiveServer *server = live_start(request->port, request->title ? request->title : "entrain", &err);
  api_publish(&err, error);
  if (!server) return NULL;
  EntrainLive *l = must_have(calloc(1, sizeof *l));
  l->request = *request;
  l->server = server;
  l->unknowns =
      request->kind == ENTRAIN_LIVE_FIT ? entrain_problem_unknown_count(request->problem) : 0;
  size_t room = (size_t)(l->unknowns + STEP_COLUMNS);
  l->values = must_have(calloc(room, sizeof *l->values));
  l->own.values = must_have(calloc(room, sizeof *l->values));
  l->row = must_have(calloc(room, sizeof *l->row));
  l->rows =
      live_rows_new(request->kind == ENTRAIN_LIVE_RUNS ? RUN_COLUMNS : STEP_COLUMNS + l->unknowns);
  l->own.rows_version = -1;
  l->view.best = HUGE_VAL;
  text_init(&l->stages);
  l->began = clock_seconds();
  pthread_condattr_t by;
  pthread_condattr_init(&by);
  pthread_condattr_setclock(&by, CLOCK_MONOTONIC);
  pthread_mutex_init(&l->lock, NULL);
  pthread_cond_init(&l->wake, &by);
  pthread_condattr_destroy(&by);
  post_about(l);
  if (start_thread(l)) return l;
  fail(&err, ERR_LIMIT, "a thread for the page that follows the computation cannot be started");
  api_publish(&err, error);
  entrain_live_free(l);
  return NULL;
}

static void end_thread(EntrainLive *l) {
  if (!l->has_thread) return;
  pthread_mutex_lock(&l->lock);
  l->closing = true;
  pthread_cond_signal(&l->wake);
  pthread_mutex_unlock(&l->lock);
  pthread_join(l->thread, NULL);
  l->has_thread = false;
}

void entrain_live_free(EntrainLive *l) {
  if (!l) return;
  end_thread(l);
  live_end(l->server);
  live_rows_free(l->rows);
  text_done(&l->stages);
  pthread_cond_destroy(&l->wake);
  pthread_mutex_destroy(&l->lock);
  free(l->values);
  free(l->own.values);
  free(l->row);
  free(l);
}

const char *entrain_live_address(const EntrainLive *l) {
  return l ? live_address(l->server) : NULL;
}

void entrain_live_finish(EntrainLive *l, const char *html) {
  if (!l) return;
  end_thread(l);
  live_finish(l->server, html ? html : "");
}

bool entrain_live_is_fetched(const EntrainLive *l) {
  return !l || live_is_fetched(l->server);
}

char *entrain_live_text_page(const char *title, const char *text) {
  Text t;
  text_init(&t);
  live_text_page(&t, title ? title : "entrain", text ? text : "");
  return t.at;
}

// ---------------------------------------------------------------- who computes

static bool waits(void *data) {
  const EntrainLive *l = data;
  return live_wish(l->server) == LIVE_PAUSE;
}

static void set_paused(EntrainLive *l, bool paused) {
  double now = clock_seconds();
  pthread_mutex_lock(&l->lock);
  if (!paused) l->paused += now - l->paused_since;
  l->paused_since = paused ? now : 0;
  l->view.news++;
  pthread_mutex_unlock(&l->lock);
}

// Listeners are also asked inside of a pause: that one goes on.
static bool grant_wish(EntrainLive *l, bool *enough, bool can_take) {
  if (live_wish(l->server) == LIVE_PAUSE && l->paused_since == 0) {
    set_paused(l, true);
    patience_pause(waits, l);
    set_paused(l, false);
  }
  LiveWish wish = live_wish(l->server);
  if (wish == LIVE_TAKE && can_take) *enough = l->took = true;
  return wish != LIVE_STOP;
}

static void note_stage(EntrainLive *l, const char *stage) {
  LiveView *v = &l->view;
  if (v->has_steps && strncmp(v->stage, stage, sizeof v->stage - 1) == 0) return;
  c_snprintf(v->stage, sizeof v->stage, "%s", stage);
  if (v->stage_number == STAGES_MOST) return; // all further ones are the last
  if (l->stages.length) text_add(&l->stages, ",");
  text_add_json(&l->stages, v->stage);
  v->stage_number++;
}

static void note_step(EntrainLive *l, const EntrainProgress *p) {
  LiveView *v = &l->view;
  bool stands = v->has_steps && v->iteration == p->iteration && v->objective == p->objective &&
                v->lambda == p->lambda && strncmp(v->stage, p->stage, sizeof v->stage - 1) == 0;
  v->simulations = p->simulations;
  if (p->enough) {
    v->searches = p->searches, v->best = p->best;
    v->search_seconds = clock_seconds() - l->began - l->paused;
  }
  v->takes = p->enough && isfinite(p->best);
  if (p->doubt && strncmp(v->doubt, p->doubt, sizeof v->doubt - 1) != 0)
    c_snprintf(v->doubt, sizeof v->doubt, "%s", p->doubt);
  v->news++;
  if (stands) return;
  note_stage(l, p->stage);
  v->has_steps = true;
  v->iteration = p->iteration, v->objective = p->objective, v->lambda = p->lambda;
  v->point++;
  if (p->values) memcpy(l->values, p->values, (size_t)l->unknowns * sizeof *l->values);
  if (!isfinite(p->objective)) return;
  double columns[STEP_COLUMNS] = {(double)++v->step, p->objective, p->lambda, v->stage_number - 1};
  memcpy(l->row, columns, sizeof columns);
  memcpy(l->row + STEP_COLUMNS, l->values, (size_t)l->unknowns * sizeof *l->values);
  live_rows_add(l->rows, l->row);
}

bool entrain_live_step(EntrainLive *l, const EntrainProgress *given) {
  EntrainProgress full, *p = &full;
  if (!l || !given || l->request.kind == ENTRAIN_LIVE_RUNS) return true;
  if (!API_TAKE(p, EntrainProgress, given, NULL)) return grant_wish(l, NULL, false);
  bool can_take = p->enough && isfinite(p->best);
  pthread_mutex_lock(&l->lock);
  note_step(l, p);
  pthread_mutex_unlock(&l->lock);
  live_offer_take(l->server, can_take);
  return grant_wish(l, p->enough, can_take);
}

static void note_outcomes(LiveView *v, const EntrainStudyProgress *p) {
  Text t;
  text_init(&t);
  for (int i = 0; i < p->word_count; i++) {
    if (i) text_add(&t, ",");
    text_add_json(&t, p->words[i]);
    text_print(&t, ":%ld", p->counts[i]);
    if (t.length < sizeof v->outcomes) c_snprintf(v->outcomes, sizeof v->outcomes, "%s", t.at);
  }
  if (!p->word_count) v->outcomes[0] = 0;
  text_done(&t);
}

bool entrain_live_runs(EntrainLive *l, const EntrainStudyProgress *given, const char *stage) {
  EntrainStudyProgress full, *p = &full;
  if (!l || !given) return true;
  if (!API_TAKE(p, EntrainStudyProgress, given, NULL)) return grant_wish(l, NULL, false);
  LiveView *v = &l->view;
  pthread_mutex_lock(&l->lock);
  bool moved = !v->has_runs || v->done != p->done || (v->best != p->best && isfinite(p->best));
  v->has_runs = true;
  v->done = p->done, v->total = p->total, v->lost = p->lost, v->workers = p->workers;
  v->rate = p->rate, v->seconds_left = p->seconds_left;
  if (l->request.kind == ENTRAIN_LIVE_RUNS) {
    v->best = p->best;
    if (stage) c_snprintf(v->stage, sizeof v->stage, "%s", stage);
  }
  note_outcomes(v, p);
  v->news++;
  if (moved && l->request.kind == ENTRAIN_LIVE_RUNS) {
    double now = clock_seconds(),
           row[RUN_COLUMNS] = {now - l->began - l->paused, (double)p->done, p->best};
    live_rows_add(l->rows, row);
  }
  pthread_mutex_unlock(&l->lock);
  return grant_wish(l, NULL, false);
}

bool entrain_live_is_watched(const EntrainLive *l) {
  return l && live_clients(l->server) > 0;
}

bool entrain_live_took(const EntrainLive *l) {
  return l && l->took;
}
