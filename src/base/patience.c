#include "base/patience.h"

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include "base/clock.h"

static const double ASK_EVERY = 0.02; // s

static _Thread_local Patience *innermost;
static _Thread_local bool was_cut;
static _Thread_local double spent; // s
_Thread_local long patience_left;

void patience_set_spent(double seconds) {
  spent = seconds;
}

double patience_spent(void) {
  return spent;
}

double patience_until(double seconds) {
  return seconds > 0 ? patience_clock() + seconds - spent : 0;
}

// ---------------------------------------------------------------- pauses

struct Pauses {
  pthread_mutex_t lock;
  pthread_cond_t over;
  atomic_bool on;
  atomic_uint version;           // odd while the times change
  _Atomic double since, seconds; // of the present one, 0: none; of those before
};

static _Thread_local Pauses own_pauses = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                          .over = PTHREAD_COND_INITIALIZER};
static _Thread_local Pauses *shared_pauses; // NULL: its own
static _Thread_local int forbidden;

Pauses *patience_pauses(void) {
  return shared_pauses ? shared_pauses : &own_pauses;
}

void patience_share(Pauses *of) {
  shared_pauses = of;
}

void patience_forbid_pauses(void) {
  forbidden++;
}

void patience_allow_pauses(void) {
  forbidden--;
}

double patience_clock(void) {
  Pauses *p = patience_pauses();
  for (;;) {
    unsigned before = atomic_load(&p->version);
    double since = atomic_load(&p->since), seconds = atomic_load(&p->seconds);
    double now = since > 0 ? since : clock_seconds();
    if (before % 2 == 0 && atomic_load(&p->version) == before) return now - seconds;
  }
}

static void set_times(Pauses *p, double since, double seconds) {
  atomic_fetch_add(&p->version, 1);
  atomic_store(&p->since, since);
  atomic_store(&p->seconds, seconds);
  atomic_fetch_add(&p->version, 1);
}

// The thread whose own they are has made the pause, and is the one that ends it.
static void wait_for_end(void) {
  Pauses *p = shared_pauses;
  if (!p || forbidden || !atomic_load(&p->on)) return;
  pthread_mutex_lock(&p->lock);
  while (atomic_load(&p->on)) pthread_cond_wait(&p->over, &p->lock);
  pthread_mutex_unlock(&p->lock);
}

// Whether all go on who can be asked: those who are not in a call already.
static bool all_go_on(void) {
  for (Patience *p = innermost; p; p = p->outer) {
    if (p->over) return false;
    if (!p->goes_on || p->asking || p->ending) continue;
    p->asking = true;
    p->over = !p->goes_on(p->data);
    p->asking = false;
    if (p->over && !p->by_work) was_cut = true;
  }
  return true;
}

void patience_pause(bool (*waits)(void *data), void *data) {
  Pauses *p = &own_pauses;
  if (shared_pauses || forbidden || atomic_load(&p->on) || !waits(data)) return;
  set_times(p, clock_seconds(), atomic_load(&p->seconds));
  atomic_store(&p->on, true);
  while (all_go_on() && waits(data))
    nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * ASK_EVERY)}, NULL);
  set_times(p, 0, atomic_load(&p->seconds) + clock_seconds() - atomic_load(&p->since));
  pthread_mutex_lock(&p->lock);
  atomic_store(&p->on, false);
  pthread_cond_broadcast(&p->over);
  pthread_mutex_unlock(&p->lock);
}

// ---------------------------------------------------------------- owners

void patience_begin(Patience *p) {
  p->outer = innermost;
  p->over = p->ending = p->asking = false;
  p->asked = 0;
  innermost = p;
}

// One that is over says so at the next question.
static void set_innermost(Patience *p) {
  innermost = p;
  if (p && p->over) patience_left = 0;
}

void patience_end(Patience *p) {
  assert(innermost == p);
  set_innermost(p->outer);
}

Patience *patience_swap(Patience *p) {
  Patience *before = innermost;
  set_innermost(p);
  return before;
}

PatienceLeft patience_leave(void) {
  PatienceLeft left = {innermost, was_cut};
  Patience *p = innermost;
  while (p && !p->of_thread) p = p->outer;
  set_innermost(p);
  return left;
}

bool patience_return(PatienceLeft to, bool answer) {
  set_innermost(to.innermost);
  was_cut = to.was_cut;
  return answer;
}

// A no from around: the end, or the beginning of the grace.
static void hear_no(Patience *p, double now) {
  if (!(p->grace > 0)) {
    p->over = true;
    return;
  }
  p->ending = true;
  if (!(p->until > 0) || p->until > now + p->grace) p->until = now + p->grace;
}

static bool goes_on(Patience *p, double now, bool at_once) {
  if (p->over || p->asking) return !p->over;
  if (p->outer && !p->ending && !goes_on(p->outer, now, false)) hear_no(p, now);
  if (p->until > 0 && now > p->until) p->over = true, was_cut |= !p->by_work;
  if (p->over || p->ending || !p->goes_on || !(at_once || now - p->asked > ASK_EVERY))
    return !p->over;
  p->asked = now;
  p->asking = true;
  p->over = !p->goes_on(p->data);
  p->asking = false;
  if (p->over && !p->by_work) was_cut = true;
  return !p->over;
}

bool patience_was_cut(void) {
  return was_cut;
}

void patience_cut(void) {
  was_cut = true;
}

void patience_forget_cut(void) {
  was_cut = false;
}

bool patience_is_late(void) {
  double now = patience_clock();
  for (const Patience *p = innermost; p; p = p->outer)
    if (p->until > 0 && !p->ending && now > p->until) return true;
  return false;
}

// The answer is kept until more work is done; a no for good.
static bool look(bool at_once) {
  wait_for_end();
  bool lasts = !innermost || goes_on(innermost, patience_clock(), at_once);
  patience_left = lasts ? PATIENCE_LOOK : 0;
  return lasts;
}

bool patience_asks(void) {
  return look(true);
}

bool patience_look(void) {
  return look(false);
}

bool patience_lock(pthread_mutex_t *lock) {
  struct timespec until;
  do {
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(1e9 * ASK_EVERY);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_mutex_clocklock(lock, CLOCK_MONOTONIC, &until) == 0) return true;
  } while (patience_asks());
  return false;
}
