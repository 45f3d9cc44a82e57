#include "base/run_limit.h"

#include "base/arena.h"
#include "base/patience.h"

static bool fits(void *data) {
  const RunLimit *l = data;
  return !(l->bytes > 0) || (double)(arena_thread_bytes() - l->before) <= l->bytes;
}

void run_limit_begin(RunLimit *l, double seconds, double bytes) {
  *l = (RunLimit){.on = seconds > 0 || bytes > 0, .bytes = bytes, .before = arena_thread_bytes()};
  if (!l->on) return;
  l->patience.until = seconds > 0 ? patience_clock() + seconds : 0;
  l->patience.by_work = true; // what the others do does not depend on it
  if (bytes > 0) l->patience.goes_on = fits, l->patience.data = l;
  patience_begin(&l->patience);
}

bool run_limit_end(RunLimit *l) {
  if (!l->on) return false;
  patience_end(&l->patience);
  return l->patience.over && patience_asks();
}
