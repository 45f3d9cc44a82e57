// Without a record jobs go through a worker pool, some ahead of what is taken. With one, the jobs of the pool are turns: in a
// turn a thread claims some jobs in the store, works on them for about BATCH_SECONDS (longer where many take part) and commits their answers. Whoever takes
// reads the answers of all from the store, so that computing, going on and following are one way.
#include "base/jobs.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/patience.h"

static const double BATCH_SECONDS = 0.2; // of work between two visits of the store
static const double SHARE_SECONDS = 0.1; // sets that take less than this are not handed out
static const double KEEP_SECONDS = 1e-3; // nor kept at all
enum { AHEAD = 4, TURNS_AHEAD = 8, BATCH_MOST = 4096, TRIES_MOST = 3 };

struct Jobs {
  Arena *arena;
  JobKind kind;
  int workers;
  Pool *pool;             // of jobs; NULL until needed
  Pool *turns;            // of visits in the store
  char *job;              // scratch of the thread that takes
  double seconds_per_job; // as seen last; NaN: unknown
  // Of the set at hand, while it is shared:
  const JobSet *set;
  Record *record;
  int64_t item;
  atomic_bool dry;     // nothing could be claimed
  atomic_bool stopped; // a job was not worked on to its end
};

// In the pool of jobs each has its number behind it.
static size_t number_at(const Jobs *j) {
  return (j->kind.worker.size + sizeof(long) - 1) / sizeof(long) * sizeof(long);
}

Jobs *jobs_new(int workers, const JobKind *kind) {
  Arena *a = arena_new();
  Jobs *j = ARENA_NEW(a, Jobs);
  j->arena = a;
  j->kind = *kind;
  j->workers = workers;
  j->job = arena_alloc(a, 1, number_at(j) + sizeof(long));
  j->seconds_per_job = nan("");
  return j;
}

static void end_pools(Jobs *j) {
  pool_free(j->pool);
  pool_free(j->turns);
  j->pool = j->turns = NULL;
}

void jobs_free(Jobs *j) {
  if (!j) return;
  end_pools(j);
  arena_free(j->arena);
}

int jobs_workers(const Jobs *j) {
  return j->workers;
}

double jobs_expected(const Jobs *j) {
  return j->seconds_per_job;
}

void jobs_expect(Jobs *j, double seconds) {
  j->seconds_per_job = seconds > 0 ? seconds : nan("");
}

static void *make(const Jobs *j, const JobSet *s, long number, void *job) {
  memset(job, 0, j->kind.worker.size);
  s->make(s->data, number, job);
  return job;
}

static size_t answer_size(const JobKind *k) {
  return k->worker.size - k->question;
}

static char *answer_of(const JobKind *k, void *job) {
  return (char *)job + k->question;
}

static bool is_done(const JobKind *k, const void *job) {
  return !k->is_done || k->is_done(job);
}

// ---------------------------------------------------------------- in this process

// keep: answers are appended, each with its length; NULL: nobody wants them. *whole: all that were taken were done.
static JobsEnd run_here(Jobs *j, const JobSet *s, Text *keep, bool *whole) {
  PoolWorker numbered = j->kind.worker;
  numbered.size = number_at(j) + sizeof(long);
  if (!j->pool) j->pool = pool_new(j->workers, &numbered);
  long next = 0, due = 0, number;
  bool collected = true, wanted = true;
  *whole = true;
  while (wanted && due < s->count) {
    for (; collected && next < s->count && pool_pending(j->pool) < AHEAD * j->workers; next++) {
      make(j, s, next, j->job);
      memcpy(j->job + number_at(j), &next, sizeof next);
      pool_submit(j->pool, j->job);
    }
    if (collected) collected = pool_collect(j->pool, j->job);
    if (!collected && !pool_salvage(j->pool, j->job)) break;
    memcpy(&number, j->job + number_at(j), sizeof number);
    if (number != due) break; // one before it was not begun
    *whole = *whole && is_done(&j->kind, j->job);
    if (keep) {
      size_t at = keep->length;
      uint32_t length = 0;
      text_add_bytes(keep, (const char *)&length, sizeof length);
      record_pack(keep, answer_of(&j->kind, j->job), answer_size(&j->kind));
      length = (uint32_t)(keep->length - at - sizeof length);
      memcpy(keep->at + at, &length, sizeof length);
    }
    wanted = s->take(s->data, due++, j->job);
  }
  if (!collected || !wanted) end_pools(j);
  return !collected ? JOBS_STOPPED : due == s->count ? JOBS_ALL : JOBS_ENOUGH;
}

static JobsEnd run_alone(Jobs *j, const JobSet *s) {
  bool whole;
  return run_here(j, s, NULL, &whole);
}

// ---------------------------------------------------------------- turns in the store

typedef struct Turn {
  double seconds_per_job; // 0: there was nothing to do
} Turn;

typedef struct TurnWorker {
  Arena *arena;
  Jobs *jobs;
  void *own; // of the worker of the jobs
  char *job;
  double seconds_per_job; // 0: unknown
  Text packed;
  RecordedJob *done;
  size_t *at; // where their bytes begin
} TurnWorker;

static void *begin_turns(const void *shared) {
  Arena *a = arena_new();
  TurnWorker *w = ARENA_NEW(a, TurnWorker);
  w->arena = a;
  w->jobs = (Jobs *)shared;
  const PoolWorker *inner = &w->jobs->kind.worker;
  w->own = inner->begin ? inner->begin(inner->shared) : NULL;
  w->job = arena_alloc(a, 1, inner->size);
  w->done = ARENA_ARRAY(a, RecordedJob, BATCH_MOST);
  w->at = ARENA_ARRAY(a, size_t, BATCH_MOST);
  text_init(&w->packed);
  return w;
}

static void end_turns(void *data) {
  TurnWorker *w = data;
  const PoolWorker *inner = &w->jobs->kind.worker;
  if (inner->end && w->own) inner->end(w->own);
  text_done(&w->packed);
  arena_free(w->arena);
}

// One job of a claim. false: it was stopped.
static bool work_one(TurnWorker *w, const RecordClaim *claim, int k) {
  Jobs *j = w->jobs;
  const JobKind *kind = &j->kind;
  RecordedJob *done = &w->done[k];
  double began = patience_clock();
  *done = (RecordedJob){.number = claim->first + k, .runs = 1};
  make(j, j->set, done->number, w->job);
  if (claim->tries >= TRIES_MOST && kind->give_up) {
    done->lost = "those who worked on it died";
    kind->give_up(kind->worker.shared, w->job, done->lost);
  } else {
    RecordPlace before =
        kind->parts ? record_enter(j->record, j->item, done->number) : record_enter_nothing();
    kind->worker.work(w->own, w->job);
    record_leave(before);
    if (!is_done(kind, w->job)) {
      atomic_store(&j->stopped, true);
      return false;
    }
  }
  done->seconds = patience_clock() - began;
  done->first = kind->first ? kind->first(w->job) : done->number;
  if (kind->runs) done->runs = kind->runs(w->job);
  record_summarise(kind->layout, answer_of(kind, w->job), done);
  w->at[k] = w->packed.length;
  record_pack(&w->packed, answer_of(kind, w->job), answer_size(kind));
  done->length = w->packed.length - w->at[k];
  return true;
}

// Claims so many jobs that they take about BATCH_SECONDS, at the pace of the record.
static void take_turn(void *own, void *data) {
  TurnWorker *w = own;
  Turn *turn = data;
  Jobs *j = w->jobs;
  RecordClaim claim;
  if (atomic_load(&j->dry)) return;
  double batch = BATCH_SECONDS * j->record->pace(j->record);
  double fitting = w->seconds_per_job > 0 ? batch / w->seconds_per_job : 1;
  int most = fitting < 1 ? 1 : fitting > BATCH_MOST ? BATCH_MOST : (int)fitting;
  if (!j->record->claim(j->record, j->item, most, &claim)) {
    atomic_store(&j->dry, true);
    return;
  }
  text_clear(&w->packed);
  double began = patience_clock();
  int count = 0;
  while (count < claim.count && work_one(w, &claim, count)) {
    count++;
    if (patience_clock() - began > 2 * batch) break;
  }
  for (int k = 0; k < count; k++) w->done[k].bytes = w->packed.at + w->at[k];
  if (count) w->seconds_per_job = fmax((patience_clock() - began) / count, 1e-9);
  turn->seconds_per_job = w->seconds_per_job;
  j->record->commit(j->record, j->item, j->kind.layout, &claim, w->done, count);
}

// ---------------------------------------------------------------- with a record

typedef struct Taking {
  Jobs *jobs;
  const JobSet *set;
  bool ended;   // by `take`
  bool damaged; // what is recorded is no answer
} Taking;

static bool take_recorded(void *data, const RecordedJob *r) {
  Taking *t = data;
  const JobKind *k = &t->jobs->kind;
  char *job = make(t->jobs, t->set, r->number, t->jobs->job);
  if (!record_unpack(r->bytes, r->length, answer_of(k, job), answer_size(k))) {
    t->damaged = true;
    return false;
  }
  t->ended = !t->set->take(t->set->data, r->number, job);
  return !t->ended;
}

// Those who have nothing to do look again when there is news.
static bool work_on(Jobs *j) {
  Turn turn;
  while (!atomic_load(&j->dry) && pool_pending(j->turns) < TURNS_AHEAD * j->workers)
    pool_submit(j->turns, &(Turn){0});
  if (pool_pending(j->turns)) {
    bool goes = pool_collect(j->turns, &turn);
    if (goes && turn.seconds_per_job > 0) j->seconds_per_job = turn.seconds_per_job / j->workers;
    return goes;
  }
  j->record->wait(j->record);
  atomic_store(&j->dry, false);
  return patience_asks();
}

static JobsEnd run_shared(Jobs *j, const JobSet *s, Record *r, int64_t item,
                          const RecordSet *about) {
  if (!r->open_set(r, item, about)) return JOBS_STOPPED;
  j->set = s, j->record = r, j->item = item;
  atomic_store(&j->dry, false);
  atomic_store(&j->stopped, false);
  if (!j->turns) {
    PoolWorker worker = {sizeof(Turn), begin_turns, end_turns, take_turn, j};
    j->turns = pool_new(j->workers, &worker);
  }
  Taking t = {.jobs = j, .set = s};
  long due = 0;
  bool goes = true;
  for (;;) {
    due = r->read(r, item, due, take_recorded, &t);
    if (t.ended || t.damaged || due == s->count || !goes) break;
    goes = work_on(j) && !atomic_load(&j->stopped);
  }
  // Whoever takes may have had enough because it was stopped: then the set goes on another time.
  bool over = (t.ended && !patience_was_cut()) || due == s->count;
  if (t.ended || !goes || t.damaged) end_pools(j);
  while (j->turns && pool_pending(j->turns) && pool_collect(j->turns, &(Turn){0}))
    ;
  if (over) r->close_set(r, item);
  return t.ended ? JOBS_ENOUGH : due == s->count ? JOBS_ALL : JOBS_STOPPED;
}

// A set whose answers are one item.
static JobsEnd take_kept(Jobs *j, const JobSet *s, const Text *kept) {
  Taking t = {.jobs = j, .set = s};
  size_t at = 0;
  long due = 0;
  for (; due < s->count && !t.ended && !t.damaged; due++) {
    uint32_t length;
    if (at + sizeof length > kept->length) break;
    memcpy(&length, kept->at + at, sizeof length);
    at += sizeof length;
    if (length > kept->length - at) break;
    take_recorded(&t, &(RecordedJob){.number = due, .bytes = kept->at + at, .length = length});
    at += length;
  }
  return t.ended ? JOBS_ENOUGH : due == s->count && !t.damaged ? JOBS_ALL : JOBS_STOPPED;
}

static JobsEnd run_kept(Jobs *j, const JobSet *s, Record *r, int64_t item, const RecordSet *about) {
  Text keep;
  text_init(&keep);
  bool whole;
  double began = patience_clock();
  RecordPlace before = record_enter_nothing();
  JobsEnd end = run_here(j, s, &keep, &whole);
  record_leave(before);
  double seconds = patience_clock() - began;
  j->seconds_per_job = seconds / fmax(1, (double)s->count);
  if (end != JOBS_STOPPED && whole && seconds > KEEP_SECONDS && record_here())
    r->add(r, item, about->layout->kind, about->digest, seconds, keep.at, keep.length);
  text_done(&keep);
  return end;
}

// Of the first, the middle and the last job: questions of a set that differ do so there.
static uint64_t digest_of(const Jobs *j, const JobSet *s) {
  uint64_t digest = record_digest(0, &s->count, sizeof s->count);
  for (int i = 0; i < 3 && s->count; i++)
    digest = record_digest(digest, make(j, s, i * (s->count - 1) / 2, j->job), j->kind.question);
  return digest;
}

JobsEnd jobs_run(Jobs *j, const JobSet *s) {
  Record *r = j->kind.layout ? record_here() : NULL;
  if (!r) return run_alone(j, s);
  int64_t item = record_next(r);
  if (item < 0) return JOBS_STOPPED;
  RecordSet about = {j->kind.layout, s->count, s->runs ? s->runs : s->count, s->brief,
                     digest_of(j, s)};
  Text kept;
  text_init(&kept);
  JobsEnd end = JOBS_STOPPED;
  bool is_long = !(j->seconds_per_job * (double)s->count < SHARE_SECONDS); // also when unknown
  RecordState found = r->look(r, item, about.layout->kind, about.digest, &kept);
  bool cut = !record_here(); // while it was asked
  switch (found) {
  case RECORD_ANSWER: end = take_kept(j, s, &kept); break;
  case RECORD_SET: end = cut ? run_alone(j, s) : run_shared(j, s, r, item, &about); break;
  case RECORD_NOTHING:
    end = cut                         ? run_alone(j, s)
          : j->kind.always || is_long ? run_shared(j, s, r, item, &about)
                                      : run_kept(j, s, r, item, &about);
    break;
  case RECORD_OVER: break;
  }
  text_done(&kept);
  return end;
}
