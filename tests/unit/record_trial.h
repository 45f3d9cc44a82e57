// A record (base/record.h) in memory, for tests: what a store does, without a store. It counts what is asked of it, and can be
// made to forget what was recorded last, as when the process had died before.
#pragma once
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/record.h"
#include "test.h"

enum { MEMORY_ITEMS = 400 };

typedef struct MemoryJob {
  bool there;
  RecordedJob as;
} MemoryJob;

typedef struct MemoryItem {
  bool there, is_set, closed;
  long order; // when it was added, from 1 on
  char kind[40];
  uint64_t digest;
  const char *bytes;
  size_t length;
  double seconds;
  RecordSet set;
  long next; // job that nobody has had
  MemoryJob *jobs;
} MemoryItem;

typedef struct MemoryPart {
  int64_t item;
  long job, part;
  const char *bytes;
  size_t length;
} MemoryPart;

typedef struct MemoryRecord {
  Record record; // first: a pointer to it is one to this
  Arena *arena;
  pthread_mutex_t lock;
  MemoryItem items[MEMORY_ITEMS];
  ARRAY(RecordClaim) back; // given back, or left by somebody
  ARRAY(MemoryPart) parts;
  long order, claim_id;
  int at_most; // jobs in a claim; 0: as many as are wanted
  double pace; // 0: 1
  int tries;   // of all claims
  bool over;   // it says so
  bool opens;  // what a gate answers
  bool cuts;   // somebody stops the study while it looks
  int looks, adds, claims, commits, waits;
} MemoryRecord;

static inline MemoryRecord *memory_of(Record *r) {
  MemoryRecord *m = (MemoryRecord *)r;
  pthread_mutex_lock(&m->lock);
  return m;
}

static inline MemoryItem *memory_item(MemoryRecord *m, int64_t item) {
  assert_in_range(item, 0, MEMORY_ITEMS - 1);
  return &m->items[item];
}

static inline RecordState memory_look(Record *r, int64_t item, const char *kind, uint64_t digest,
                                      Text *answer) {
  MemoryRecord *m = memory_of(r);
  MemoryItem *i = memory_item(m, item);
  RecordState state = RECORD_NOTHING;
  m->looks++;
  if (m->cuts) m->record.cut = true;
  if (m->over || (i->there && (i->digest != digest || strcmp(i->kind, kind) != 0))) {
    state = RECORD_OVER;
  } else if (i->there) {
    state = i->is_set ? RECORD_SET : RECORD_ANSWER;
    if (!i->is_set) text_add_bytes(answer, i->bytes, i->length);
  }
  pthread_mutex_unlock(&m->lock);
  return state;
}

static inline void memory_put(MemoryRecord *m, int64_t item, const char *kind, uint64_t digest) {
  MemoryItem *i = memory_item(m, item);
  assert_false(i->there);
  i->there = true;
  i->order = ++m->order;
  snprintf(i->kind, sizeof i->kind, "%s", kind);
  i->digest = digest;
}

static inline void memory_add(Record *r, int64_t item, const char *kind, uint64_t digest,
                              double seconds, const void *bytes, size_t length) {
  MemoryRecord *m = memory_of(r);
  memory_put(m, item, kind, digest);
  m->items[item].seconds = seconds;
  m->items[item].bytes = arena_copy(m->arena, bytes, length);
  m->items[item].length = length;
  m->adds++;
  pthread_mutex_unlock(&m->lock);
}

static inline bool memory_open_set(Record *r, int64_t item, const RecordSet *set) {
  MemoryRecord *m = memory_of(r);
  MemoryItem *i = memory_item(m, item);
  if (!i->there) {
    memory_put(m, item, set->layout->kind, set->digest);
    i->is_set = true;
    i->set = *set;
    i->jobs = ARENA_ARRAY(m->arena, MemoryJob, set->count + 1);
  }
  pthread_mutex_unlock(&m->lock);
  return !m->over;
}

static inline bool memory_claim(Record *r, int64_t item, int most, RecordClaim *claim) {
  MemoryRecord *m = memory_of(r);
  MemoryItem *i = memory_item(m, item);
  bool found = false;
  m->claims++;
  if (m->at_most && most > m->at_most) most = m->at_most;
  assert_true(most >= 1);
  if (m->over || i->closed) {
  } else if (m->back.count) {
    *claim = m->back.at[--m->back.count];
    found = true;
  } else if (i->next < i->set.count) {
    long left = i->set.count - i->next;
    *claim = (RecordClaim){++m->claim_id, i->next, left < most ? (int)left : most, m->tries, false};
    i->next += claim->count;
    found = true;
  }
  pthread_mutex_unlock(&m->lock);
  return found;
}

static inline void memory_commit(Record *r, int64_t item, const RecordLayout *layout,
                                 const RecordClaim *claim, const RecordedJob *jobs, int count) {
  MemoryRecord *m = memory_of(r);
  MemoryItem *i = memory_item(m, item);
  m->commits++;
  assert_ptr_equal(layout, i->set.layout);
  assert_in_range(count, 0, claim->count);
  for (int k = 0; k < count; k++) {
    MemoryJob *j = &i->jobs[claim->first + k];
    assert_int_equal(jobs[k].number, claim->first + k);
    if (j->there) continue;
    *j = (MemoryJob){true, jobs[k]};
    j->as.bytes = arena_copy(m->arena, jobs[k].bytes, jobs[k].length);
    if (jobs[k].lost) j->as.lost = arena_copy(m->arena, jobs[k].lost, strlen(jobs[k].lost));
  }
  RecordClaim rest = *claim;
  rest.first += count, rest.count -= count;
  if (rest.count) array_push(m->arena, &m->back, rest);
  pthread_mutex_unlock(&m->lock);
}

static inline long memory_read(Record *r, int64_t item, long from, RecordTake *take, void *data) {
  MemoryRecord *m = memory_of(r);
  const MemoryItem *i = memory_item(m, item);
  bool goes = true;
  for (; goes && from < i->set.count && i->jobs[from].there; from++) {
    pthread_mutex_unlock(&m->lock);
    goes = take(data, &i->jobs[from].as);
    pthread_mutex_lock(&m->lock);
  }
  pthread_mutex_unlock(&m->lock);
  return from;
}

static inline void memory_close_set(Record *r, int64_t item) {
  MemoryRecord *m = memory_of(r);
  memory_item(m, item)->closed = true;
  m->back.count = 0;
  pthread_mutex_unlock(&m->lock);
}

static inline void memory_wait(Record *r) {
  MemoryRecord *m = memory_of(r);
  m->waits++;
  pthread_mutex_unlock(&m->lock);
  nanosleep(&(struct timespec){0, 1000000}, NULL);
}

static inline bool memory_look_part(Record *r, int64_t item, long job, long part, Text *answer) {
  MemoryRecord *m = memory_of(r);
  bool found = false;
  for (int k = 0; k < m->parts.count && !found; k++) {
    const MemoryPart *p = &m->parts.at[k];
    found = p->item == item && p->job == job && p->part == part;
    if (found) text_add_bytes(answer, p->bytes, p->length);
  }
  pthread_mutex_unlock(&m->lock);
  return found;
}

static inline void memory_add_part(Record *r, int64_t item, long job, long part, double seconds,
                                   const void *bytes, size_t length) {
  MemoryRecord *m = memory_of(r);
  (void)seconds;
  MemoryPart p = {item, job, part, arena_copy(m->arena, bytes, length), length};
  array_push(m->arena, &m->parts, p);
  pthread_mutex_unlock(&m->lock);
}

static inline bool memory_gate(Record *r, int64_t item) {
  (void)item;
  return ((MemoryRecord *)r)->opens;
}

static inline double memory_pace(Record *r) {
  double pace = ((MemoryRecord *)r)->pace;
  return pace > 0 ? pace : 1;
}

static inline MemoryRecord *memory_record_new(void) {
  MemoryRecord *m = calloc(1, sizeof *m);
  assert_non_null(m);
  m->arena = arena_new();
  pthread_mutex_init(&m->lock, NULL);
  m->record = (Record){.look = memory_look,
                       .add = memory_add,
                       .pace = memory_pace,
                       .open_set = memory_open_set,
                       .claim = memory_claim,
                       .commit = memory_commit,
                       .read = memory_read,
                       .close_set = memory_close_set,
                       .wait = memory_wait,
                       .look_part = memory_look_part,
                       .add_part = memory_add_part,
                       .gate = memory_gate};
  return m;
}

static inline void memory_record_free(MemoryRecord *m) {
  pthread_mutex_destroy(&m->lock);
  arena_free(m->arena);
  free(m);
}

// What is recorded stays, and the study begins anew.
static inline void memory_again(MemoryRecord *m) {
  m->record.next = 0;
  m->looks = m->adds = m->claims = m->commits = m->waits = 0;
}

// All but the first `kept` that were recorded.
static inline void memory_forget(MemoryRecord *m, long kept) {
  for (int i = 0; i < MEMORY_ITEMS; i++)
    if (m->items[i].order > kept) m->items[i] = (MemoryItem){0};
  if (m->order > kept) m->order = kept;
}

// Of a set: these jobs are free again, as if their worker had left.
static inline void memory_lose_job(MemoryRecord *m, int64_t item, long job) {
  MemoryItem *i = memory_item(m, item);
  assert_true(i->jobs[job].there);
  i->jobs[job].there = false;
  i->closed = false;
  RecordClaim claim = {++m->claim_id, job, 1, 0, false};
  array_push(m->arena, &m->back, claim);
}
