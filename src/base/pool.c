#include "base/pool.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/clock.h"

typedef struct Slot { // a job on its way
  struct Slot *next;
  bool begun, done;
  max_align_t job[]; // its bytes
} Slot;

struct Pool {
  Arena *arena;
  PoolWorker work;
  int thread_count; // besides that of the caller, who works, too, while it waits
  pthread_t *threads;
  pthread_mutex_t lock;
  pthread_cond_t is_work, is_done;
  Slot *first, *last; // submitted, not collected
  Slot *waiting;      // the first that nobody has begun
  Slot *spare;
  int pending;
  bool closing;
  atomic_bool stop;
  atomic_int news; // changes with everything that somebody may wait for
  pthread_t caller;
  void *own; // of the caller
  bool has_own;
  bool (*listener)(void *);
  void *listener_data;
  double asked; // when the listener was
};

static const double BETWEEN_QUESTIONS = 0.03; // seconds

int pool_cores(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  int count = CPU_COUNT(&set);
  return count < 1 ? 1 : count;
}

// More threads than this by core only wait for each other.
enum { THREADS_BY_CORE = 8 };

int pool_size(int threads, int jobs) {
  int cores = pool_cores(), size = threads > 0 ? threads : cores;
  if (size > THREADS_BY_CORE * cores) size = THREADS_BY_CORE * cores;
  if (size > jobs) size = jobs;
  return size < 1 ? 1 : size;
}

// ---------------------------------------------------------------- workers

static void *make_own(const Pool *c) {
  return c->work.begin ? c->work.begin(c->work.shared, c) : NULL;
}

static void free_own(const Pool *c, void *own) {
  if (c->work.end && own) c->work.end(own);
}

// To sleep and be woken takes as long as a short job: whoever has nothing to do looks around for a moment first. With the
// lock, which is open meanwhile.
static void look_around(Pool *c) {
  enum { LOOKS = 3000 };
  int seen = atomic_load(&c->news);
  pthread_mutex_unlock(&c->lock);
  for (int i = 0; i < LOOKS && atomic_load_explicit(&c->news, memory_order_relaxed) == seen; i++)
    atomic_signal_fence(memory_order_seq_cst);
  pthread_mutex_lock(&c->lock);
}

static Slot *next_job(Pool *c) {
  if (!c->waiting && !c->closing) look_around(c);
  while (!c->waiting && !c->closing) pthread_cond_wait(&c->is_work, &c->lock);
  Slot *job = c->waiting;
  if (job) c->waiting = job->next;
  return job;
}

static void *serve(void *data) {
  Pool *c = data;
  void *own = NULL;
  bool begun = false;
  pthread_mutex_lock(&c->lock);
  for (Slot *s = next_job(c); s; s = next_job(c)) {
    pthread_mutex_unlock(&c->lock);
    if (!atomic_load(&c->stop)) {
      if (!begun) own = make_own(c);
      begun = s->begun = true;
      c->work.work(own, s->job);
    }
    pthread_mutex_lock(&c->lock);
    s->done = true;
    atomic_fetch_add(&c->news, 1);
    pthread_cond_signal(&c->is_done);
  }
  pthread_mutex_unlock(&c->lock);
  free_own(c, own);
  return NULL;
}

// Numbers of a simulation may lie on the stack of a worker, as they do on that of the caller.
enum { STACK = 8 << 20 };

static void start_workers(Pool *c, int workers) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  c->threads = ARENA_ARRAY(c->arena, pthread_t, workers);
  for (int i = 0; i < workers; i++) {
    if (pthread_create(&c->threads[i], &attributes, serve, c) != 0) break;
    c->thread_count++;
  }
  pthread_attr_destroy(&attributes);
}

Pool *pool_new(int workers, const PoolWorker *work) {
  Arena *a = arena_new();
  Pool *c = ARENA_NEW(a, Pool);
  c->arena = a;
  c->work = *work;
  pthread_mutex_init(&c->lock, NULL);
  pthread_condattr_t by;
  pthread_condattr_init(&by);
  pthread_condattr_setclock(&by, CLOCK_MONOTONIC);
  pthread_cond_init(&c->is_work, &by);
  pthread_cond_init(&c->is_done, &by);
  pthread_condattr_destroy(&by);
  c->caller = pthread_self();
  if (workers > 1) start_workers(c, workers - 1);
  return c;
}

static void end_workers(Pool *c) {
  atomic_store(&c->stop, true);
  pthread_mutex_lock(&c->lock);
  bool closed = c->closing;
  c->closing = true;
  atomic_fetch_add(&c->news, 1);
  pthread_cond_broadcast(&c->is_work);
  pthread_mutex_unlock(&c->lock);
  for (int i = 0; !closed && i < c->thread_count; i++) pthread_join(c->threads[i], NULL);
}

void pool_free(Pool *c) {
  if (!c) return;
  end_workers(c);
  free_own(c, c->own);
  pthread_cond_destroy(&c->is_work);
  pthread_cond_destroy(&c->is_done);
  pthread_mutex_destroy(&c->lock);
  arena_free(c->arena);
}

// ---------------------------------------------------------------- jobs

static Slot *take_slot(Pool *c) {
  Slot *s = c->spare;
  if (s)
    c->spare = s->next;
  else
    s = arena_alloc(c->arena, 1, sizeof *s + c->work.size);
  s->next = NULL, s->begun = s->done = false;
  return s;
}

void pool_submit(Pool *c, const void *job) {
  pthread_mutex_lock(&c->lock);
  Slot *s = take_slot(c);
  memcpy(s->job, job, c->work.size);
  if (c->last)
    c->last->next = s;
  else
    c->first = s;
  c->last = s;
  if (!c->waiting) c->waiting = s;
  c->pending++;
  atomic_fetch_add(&c->news, 1);
  pthread_cond_signal(&c->is_work);
  pthread_mutex_unlock(&c->lock);
}

int pool_workers(const Pool *c) {
  return c->thread_count + 1;
}

int pool_pending(const Pool *c) {
  return c->pending;
}

void pool_listen(Pool *c, bool (*listener)(void *), void *data) {
  c->listener = listener, c->listener_data = data;
}

void pool_stop(Pool *c) {
  atomic_store(&c->stop, true);
}

static bool ask(Pool *c) {
  c->asked = clock_seconds();
  if (c->listener && !c->listener(c->listener_data)) pool_stop(c);
  return !atomic_load(&c->stop);
}

bool pool_goes_on(const Pool *pool) {
  Pool *c = (Pool *)pool; // the time of the last question is no business of the worker
  if (atomic_load(&c->stop)) return false;
  if (!pthread_equal(pthread_self(), c->caller)) return true;
  return clock_seconds() - c->asked < BETWEEN_QUESTIONS || ask(c);
}

// With the lock, which is open during the work.
static void work_here(Pool *c) {
  Slot *s = c->waiting;
  c->waiting = s->next;
  pthread_mutex_unlock(&c->lock);
  if (!c->has_own) c->own = make_own(c);
  c->has_own = true;
  s->begun = true;
  c->work.work(c->own, s->job);
  pthread_mutex_lock(&c->lock);
  s->done = true;
}

// With the lock.
static void wait_a_moment(Pool *c) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += (long)(BETWEEN_QUESTIONS * 1e9);
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  if (pthread_cond_timedwait(&c->is_done, &c->lock, &until) != ETIMEDOUT &&
      clock_seconds() - c->asked < BETWEEN_QUESTIONS)
    return;
  pthread_mutex_unlock(&c->lock);
  ask(c);
  pthread_mutex_lock(&c->lock);
}

static void take_back(Pool *c, Slot *s, void *job) {
  memcpy(job, s->job, c->work.size);
  c->first = s->next;
  if (!c->first) c->last = NULL;
  s->next = c->spare;
  c->spare = s;
  c->pending--;
}

bool pool_collect(Pool *c, void *job) {
  Slot *s = c->first;
  if (!s || atomic_load(&c->stop)) return false;
  pthread_mutex_lock(&c->lock);
  while (!s->done && !atomic_load(&c->stop)) {
    if (c->waiting) {
      work_here(c);
      continue;
    }
    look_around(c);
    if (!s->done && !c->waiting) wait_a_moment(c);
  }
  bool done = s->done && !atomic_load(&c->stop);
  if (done) take_back(c, s, job);
  pthread_mutex_unlock(&c->lock);
  return done;
}

bool pool_salvage(Pool *c, void *job) {
  end_workers(c);
  while (c->first) {
    Slot *s = c->first;
    bool begun = s->begun;
    take_back(c, s, job);
    if (begun) return true;
  }
  return false;
}
