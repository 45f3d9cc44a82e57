#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/patience.h"

typedef struct Slot { // a submitted job
  struct Slot *next;
  bool begun, done;
  max_align_t job[]; // its bytes
} Slot;

struct Pool {
  Arena *arena;
  PoolWorker work;
  int thread_count; // without the thread of the caller, which also works
  pthread_t *threads;
  pthread_mutex_t lock;
  pthread_cond_t is_work, is_done;
  Slot *first, *last; // submitted, not collected
  Slot *waiting;      // the first that is not begun
  Slot *spare;
  int pending;
  bool closing;
  atomic_bool stop;
  atomic_int news; // changes with every event that a thread may wait for
  void *own;       // private data of the caller as a worker
  bool has_own;
  Pauses *pauses; // of the thread that collects
};

static const double ASK_EVERY = 0.02; // seconds

int pool_cores(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  int count = CPU_COUNT(&set);
  return count < 1 ? 1 : count;
}

// More threads per core only wait for each other.
enum { THREADS_BY_CORE = 8 };

int pool_size(int threads, int jobs) {
  int cores = pool_cores(), size = threads > 0 ? threads : cores;
  if (size > THREADS_BY_CORE * cores) size = THREADS_BY_CORE * cores;
  if (size > jobs) size = jobs;
  return size < 1 ? 1 : size;
}

// ---------------------------------------------------------------- workers

static void *make_own(const Pool *p) {
  return p->work.begin ? p->work.begin(p->work.shared) : NULL;
}

static void free_own(const Pool *p, void *own) {
  if (p->work.end && own) p->work.end(own);
}

// Spins for a moment before a thread sleeps, because sleeping and waking take as long as a short job. Called with the lock,
// which is released meanwhile.
static void spin(Pool *p) {
  enum { LOOKS = 3000 };
  int seen = atomic_load(&p->news);
  pthread_mutex_unlock(&p->lock);
  for (int i = 0; i < LOOKS && atomic_load_explicit(&p->news, memory_order_relaxed) == seen; i++)
    atomic_signal_fence(memory_order_seq_cst);
  pthread_mutex_lock(&p->lock);
}

static Slot *next_job(Pool *p) {
  if (!p->waiting && !p->closing) spin(p);
  while (!p->waiting && !p->closing) pthread_cond_wait(&p->is_work, &p->lock);
  Slot *job = p->waiting;
  if (job) p->waiting = job->next;
  return job;
}

static bool is_not_stopped(void *pool) {
  return !atomic_load(&((Pool *)pool)->stop);
}

static void *serve(void *data) {
  Pool *p = data;
  Patience patience = {.goes_on = is_not_stopped, .data = p};
  void *own = NULL;
  bool begun = false;
  patience_share(p->pauses);
  patience_begin(&patience);
  pthread_mutex_lock(&p->lock);
  for (Slot *s = next_job(p); s; s = next_job(p)) {
    pthread_mutex_unlock(&p->lock);
    if (!atomic_load(&p->stop)) {
      if (!begun) own = make_own(p);
      begun = s->begun = true;
      p->work.work(own, s->job);
    }
    pthread_mutex_lock(&p->lock);
    s->done = true;
    atomic_fetch_add(&p->news, 1);
    pthread_cond_signal(&p->is_done);
  }
  pthread_mutex_unlock(&p->lock);
  free_own(p, own);
  patience_end(&patience);
  return NULL;
}

// As large as the usual stack of the main thread: simulations keep arrays there.
enum { STACK = 8 << 20 };

static void start_workers(Pool *p, int workers) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  p->threads = ARENA_ARRAY(p->arena, pthread_t, workers);
  for (int i = 0; i < workers; i++) {
    if (pthread_create(&p->threads[i], &attributes, serve, p) != 0) break;
    p->thread_count++;
  }
  pthread_attr_destroy(&attributes);
}

Pool *pool_new(int workers, const PoolWorker *work) {
  Arena *a = arena_new();
  Pool *p = ARENA_NEW(a, Pool);
  p->arena = a;
  p->work = *work;
  p->pauses = patience_pauses();
  pthread_mutex_init(&p->lock, NULL);
  pthread_condattr_t by;
  pthread_condattr_init(&by);
  pthread_condattr_setclock(&by, CLOCK_MONOTONIC);
  pthread_cond_init(&p->is_work, &by);
  pthread_cond_init(&p->is_done, &by);
  pthread_condattr_destroy(&by);
  if (workers > 1) start_workers(p, workers - 1);
  return p;
}

static void end_workers(Pool *p) {
  atomic_store(&p->stop, true);
  pthread_mutex_lock(&p->lock);
  bool closed = p->closing;
  p->closing = true;
  atomic_fetch_add(&p->news, 1);
  pthread_cond_broadcast(&p->is_work);
  pthread_mutex_unlock(&p->lock);
  for (int i = 0; !closed && i < p->thread_count; i++) pthread_join(p->threads[i], NULL);
}

void pool_free(Pool *p) {
  if (!p) return;
  end_workers(p);
  free_own(p, p->own);
  pthread_cond_destroy(&p->is_work);
  pthread_cond_destroy(&p->is_done);
  pthread_mutex_destroy(&p->lock);
  arena_free(p->arena);
}

// ---------------------------------------------------------------- jobs

static Slot *take_slot(Pool *p) {
  Slot *s = p->spare;
  if (s)
    p->spare = s->next;
  else
    s = arena_alloc(p->arena, 1, sizeof *s + p->work.size);
  s->next = NULL, s->begun = s->done = false;
  return s;
}

void pool_submit(Pool *p, const void *job) {
  pthread_mutex_lock(&p->lock);
  Slot *s = take_slot(p);
  memcpy(s->job, job, p->work.size);
  if (p->last)
    p->last->next = s;
  else
    p->first = s;
  p->last = s;
  if (!p->waiting) p->waiting = s;
  p->pending++;
  atomic_fetch_add(&p->news, 1);
  pthread_cond_signal(&p->is_work);
  pthread_mutex_unlock(&p->lock);
}

int pool_workers(const Pool *p) {
  return p->thread_count + 1;
}

int pool_pending(const Pool *p) {
  return p->pending;
}

void pool_stop(Pool *p) {
  atomic_store(&p->stop, true);
}

// Called with the lock, which is released meanwhile.
static void ask_owner(Pool *p) {
  pthread_mutex_unlock(&p->lock);
  if (!patience_lasts(PATIENCE_LOOK)) pool_stop(p);
  pthread_mutex_lock(&p->lock);
}

// Called with the lock, which is released during the work.
static void work_here(Pool *p) {
  Slot *s = p->waiting;
  p->waiting = s->next;
  pthread_mutex_unlock(&p->lock);
  if (!p->has_own) p->own = make_own(p);
  p->has_own = true;
  s->begun = true;
  p->work.work(p->own, s->job);
  pthread_mutex_lock(&p->lock);
  s->done = true;
  ask_owner(p);
}

// Called with the lock.
static void wait_for_done(Pool *p) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += (long)(ASK_EVERY * 1e9);
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&p->is_done, &p->lock, &until);
  ask_owner(p);
}

static void take_back(Pool *p, Slot *s, void *job) {
  memcpy(job, s->job, p->work.size);
  p->first = s->next;
  if (!p->first) p->last = NULL;
  s->next = p->spare;
  p->spare = s;
  p->pending--;
}

bool pool_collect(Pool *p, void *job) {
  Slot *s = p->first;
  if (!s || atomic_load(&p->stop)) return false;
  pthread_mutex_lock(&p->lock);
  while (!s->done && !atomic_load(&p->stop)) {
    if (p->waiting) {
      work_here(p);
      continue;
    }
    spin(p);
    if (!s->done && !p->waiting) wait_for_done(p);
  }
  bool done = s->done && !atomic_load(&p->stop);
  if (done) take_back(p, s, job);
  pthread_mutex_unlock(&p->lock);
  return done;
}

bool pool_salvage(Pool *p, void *job) {
  end_workers(p);
  while (p->first) {
    Slot *s = p->first;
    bool begun = s->begun;
    take_back(p, s, job);
    if (begun) return true;
  }
  return false;
}
