#include "base/patience.h"

#include <assert.h>
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
  return seconds > 0 ? clock_seconds() + seconds - spent : 0;
}

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
  double now = clock_seconds();
  for (const Patience *p = innermost; p; p = p->outer)
    if (p->until > 0 && !p->ending && now > p->until) return true;
  return false;
}

// The answer is kept until more work is done; a no for good.
static bool look(bool at_once) {
  bool lasts = !innermost || goes_on(innermost, clock_seconds(), at_once);
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
