// Answers of jobs are the same and come in the same order, whoever computes them, and however often the study begins anew.
#include "base/jobs.h"

#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/patience.h"
#include "record_trial.h"
#include "test.h"

typedef struct Task {
  // the question
  long number;
  uint64_t seed;
  // the answer
  double objective[2];
  int outcome[2];
  bool done;
  char padding[50]; // zeros
} Task;

typedef struct Shared {
  atomic_long calls, given_up, begun, ended;
  atomic_bool reached; // the job that waits has begun
  long waits;          // number of a job that goes on until it is stopped; -1: none
  long marks, leaves;  // jobs: one that sets `reached`, one that is not done; 0: none
  long late;           // jobs behind it wait, too
  int nap;             // microseconds, of some jobs
  bool asks;           // items and parts inside
  atomic_long inside;  // records that were seen there
} Shared;

static void *begin(const void *shared) {
  atomic_fetch_add(&((Shared *)shared)->begun, 1);
  return (void *)shared;
}

static void end(void *own) {
  atomic_fetch_add(&((Shared *)own)->ended, 1);
}

static double answer_to(const Task *t, int k) {
  uint64_t hash = record_digest(record_digest(0, t, offsetof(Task, objective)), &k, sizeof k);
  return (double)(hash >> 30) * (k ? -1 : 1);
}

static void pause_for(long microseconds) {
  nanosleep(&(struct timespec){0, microseconds * 1000}, NULL);
}

static void ask_inside(Shared *s, const Task *t) {
  RecordPlace place;
  if (record_here()) atomic_fetch_add(&s->inside, 1000000);
  for (long k = 0; record_next_part(&place) && k < 3; k++)
    if (place.job == t->number && place.part == k && place.item == 0)
      atomic_fetch_add(&s->inside, 1);
}

static void work(void *own, void *job) {
  Shared *s = own;
  Task *t = job;
  atomic_fetch_add(&s->calls, 1);
  if (s->nap && t->number % 3 == 0) pause_for(s->nap);
  if (s->asks) ask_inside(s, t);
  bool waits = s->waits >= 0 && (t->number == s->waits || (s->late && t->number > s->waits));
  if (waits) {
    atomic_store(&s->reached, true);
    while (patience_lasts(PATIENCE_LOOK)) pause_for(500);
    return;
  }
  if (s->marks && t->number == s->marks) atomic_store(&s->reached, true);
  if (s->leaves && t->number == s->leaves) return;
  for (int k = 0; k < 2; k++) t->objective[k] = answer_to(t, k);
  t->outcome[0] = 1, t->outcome[1] = (int)(t->number % 3);
  t->done = true;
}

static bool is_done(const void *job) {
  return ((const Task *)job)->done;
}

static void give_up(const void *shared, void *job, const char *why) {
  Task *t = job;
  assert_true(why[0]);
  atomic_fetch_add(&((Shared *)shared)->given_up, 1);
  t->objective[0] = t->objective[1] = nan("");
  t->outcome[0] = t->outcome[1] = 2;
  t->done = true;
}

static int two_runs(const void *job) {
  (void)job;
  return 2;
}

static long first_run(const void *job) {
  return 2 * ((const Task *)job)->number;
}

static const RecordColumn COLUMNS[] = {
    {"objective", RECORD_REAL, 0, NULL},
    {"outcome", RECORD_INT, offsetof(Task, outcome) - offsetof(Task, objective), "a b c"}};
static const RecordLayout LAYOUT = {"start", 0, sizeof(int), COLUMNS, 2};
// Runs stand side by side, so that only objectives have a layout of their own.
static const RecordLayout OBJECTIVES = {"start", 0, sizeof(double), COLUMNS, 1};

static JobKind kind_of(const Shared *shared) {
  return (JobKind){.worker = {sizeof(Task), begin, end, work, shared},
                   .question = offsetof(Task, objective),
                   .is_done = is_done,
                   .give_up = give_up,
                   .layout = &LAYOUT,
                   .always = true};
}

static Shared shared_new(void) {
  return (Shared){.waits = -1};
}

typedef struct Taken { // what a set gave
  uint64_t seed;
  long count;       // without gaps
  long ends_at;     // the job at which there is enough; -1: never
  uint64_t digest;  // of answers
  bool cuts;        // that is because somebody stops the study
  bool allow_stops; // the last one may not be done
  long stopped;     // jobs that were not done
} Taken;

static void make(void *data, long number, void *job) {
  const Taken *t = data;
  Task *task = job;
  for (size_t i = 0; i < sizeof *task; i++) assert_int_equal(((char *)job)[i], 0);
  uint64_t seed = t->seed + (uint64_t)number * 77;
  *task = (Task){.number = number, .seed = record_digest(0, &seed, sizeof seed)};
}

static bool take(void *data, long number, const void *job) {
  Taken *t = data;
  const Task *task = job;
  assert_int_equal(number, t->count);
  assert_int_equal(task->number, number);
  t->count++;
  if (!task->done) {
    t->stopped++;
    assert_true(t->allow_stops);
    return true;
  }
  if (!isnan(task->objective[0])) assert_close(task->objective[1], answer_to(task, 1), 0);
  for (size_t i = 0; i < sizeof task->padding; i++) assert_int_equal(task->padding[i], 0);
  t->digest = record_digest(t->digest, task, sizeof *task);
  if (number == t->ends_at && t->cuts) patience_cut();
  return number != t->ends_at;
}

static JobsEnd run(Jobs *j, Taken *taken, long count) {
  taken->count = 0, taken->digest = 0, taken->stopped = 0;
  return jobs_run(
      j,
      &(JobSet){
          .count = count, .brief = taken->ends_at >= 0, .make = make, .take = take, .data = taken});
}

// One set by as many workers, in a record or (NULL) without.
static JobsEnd run_once(MemoryRecord *m, const JobKind *kind, int workers, Taken *taken,
                        long count) {
  Jobs *j = jobs_new(workers, kind);
  assert_int_equal(jobs_workers(j), workers);
  if (m) memory_again(m), record_begin(&m->record);
  JobsEnd how = run(j, taken, count);
  if (m) record_end(&m->record);
  jobs_free(j);
  Shared *s = (Shared *)kind->worker.shared;
  assert_int_equal(atomic_load(&s->begun), atomic_load(&s->ended));
  return how;
}

static const int WORKERS[] = {1, 2, 4};
static const long COUNTS[] = {0, 1, 2, 37, 300};

static void answers_come_in_order_and_are_the_same_for_any_number_of_workers(void **state) {
  (void)state;
  for (int c = 0; c < 5; c++) {
    uint64_t digest = 0;
    for (int w = 0; w < 6; w++) {
      Shared s = shared_new();
      s.nap = 300;
      JobKind kind = kind_of(&s);
      MemoryRecord *m = w >= 3 ? memory_record_new() : NULL;
      Taken taken = {.seed = 5, .ends_at = -1};
      assert_int_equal(run_once(m, &kind, WORKERS[w % 3], &taken, COUNTS[c]), JOBS_ALL);
      assert_int_equal(taken.count, COUNTS[c]);
      assert_int_equal(atomic_load(&s.calls), COUNTS[c]);
      if (w == 0) digest = taken.digest;
      assert_true(taken.digest == digest);
      if (m) {
        assert_true(m->items[0].is_set && m->items[0].closed);
        memory_record_free(m);
      }
    }
  }
}

static void where_many_take_part_each_comes_less_often(void **state) {
  (void)state;
  int commits[2];
  for (int k = 0; k < 2; k++) {
    Shared s = shared_new();
    s.nap = 6000; // of every third job
    JobKind kind = kind_of(&s);
    MemoryRecord *m = memory_record_new();
    m->pace = k ? 50 : 1;
    Taken taken = {.seed = 5, .ends_at = -1};
    assert_int_equal(run_once(m, &kind, 1, &taken, 300), JOBS_ALL);
    commits[k] = m->commits;
    memory_record_free(m);
  }
  assert_true(commits[0] >= 4);    // 0.6 s of work by 0.2 s, and the first job alone
  assert_int_equal(commits[1], 2); // 10 s by one would be more than there is
}

static void a_recorded_set_is_not_computed_again(void **state) {
  (void)state;
  for (int w = 0; w < 3; w++) {
    Shared s = shared_new();
    JobKind kind = kind_of(&s);
    MemoryRecord *m = memory_record_new();
    Taken taken = {.seed = 6, .ends_at = -1};
    assert_int_equal(run_once(m, &kind, WORKERS[w], &taken, 100), JOBS_ALL);
    uint64_t digest = taken.digest;
    int64_t next = m->record.next;
    assert_int_equal(next, 1);
    atomic_store(&s.calls, 0);
    assert_int_equal(run_once(m, &kind, WORKERS[2 - w], &taken, 100), JOBS_ALL);
    assert_true(taken.digest == digest);
    assert_int_equal(atomic_load(&s.calls), 0);
    assert_int_equal(m->record.next, next);
    assert_int_equal(m->commits, 0);
    memory_record_free(m);
  }
}

static void only_what_is_missing_is_computed(void **state) {
  (void)state;
  for (int w = 0; w < 3; w++) {
    Shared s = shared_new();
    JobKind kind = kind_of(&s);
    MemoryRecord *m = memory_record_new();
    Taken taken = {.seed = 7, .ends_at = -1};
    run_once(m, &kind, WORKERS[w], &taken, 200);
    uint64_t digest = taken.digest;
    for (long job = 0; job < 200; job += 7) memory_lose_job(m, 0, job);
    atomic_store(&s.calls, 0);
    assert_int_equal(run_once(m, &kind, WORKERS[w], &taken, 200), JOBS_ALL);
    assert_true(taken.digest == digest);
    assert_int_equal(atomic_load(&s.calls), 29);
    memory_record_free(m);
  }
}

// Jobs of a claim that somebody else commits meanwhile are waited for.
static void answers_of_others_are_taken(void **state) {
  (void)state;
  Shared s = shared_new();
  JobKind kind = kind_of(&s);
  MemoryRecord *m = memory_record_new();
  Taken taken = {.seed = 7, .ends_at = -1};
  run_once(m, &kind, 2, &taken, 50);
  uint64_t digest = taken.digest;
  for (long job = 20; job < 50; job++) memory_lose_job(m, 0, job);
  RecordClaim others[2] = {m->back.at[3], m->back.at[9]};
  m->back.at[3] = m->back.at[--m->back.count];
  m->back.at[9] = m->back.at[--m->back.count];
  Patience p = {.until = patience_until(0.05)}; // it ends while it waits for the two
  patience_begin(&p);
  assert_int_equal(run_once(m, &kind, 2, &taken, 50), JOBS_STOPPED);
  patience_end(&p);
  long least = others[0].first < others[1].first ? others[0].first : others[1].first;
  assert_int_equal(taken.count, least);
  assert_true(m->waits > 0);
  m->items[0].jobs[others[0].first].there = m->items[0].jobs[others[1].first].there = true;
  atomic_store(&s.calls, 0);
  assert_int_equal(run_once(m, &kind, 2, &taken, 50), JOBS_ALL);
  assert_true(taken.digest == digest);
  assert_int_equal(atomic_load(&s.calls), 0);
  memory_record_free(m);
}

static bool until_reached(void *data) {
  return !atomic_load(&((Shared *)data)->reached);
}

static void a_job_that_was_stopped_is_not_recorded_and_ends_the_set(void **state) {
  (void)state;
  for (int w = 0; w < 3; w++) {
    Shared s = shared_new();
    s.waits = 20;
    JobKind kind = kind_of(&s);
    MemoryRecord *m = memory_record_new();
    m->at_most = 4;
    Taken taken = {.seed = 8, .ends_at = -1};
    Patience p = {.goes_on = until_reached, .data = &s};
    patience_begin(&p);
    assert_int_equal(run_once(m, &kind, WORKERS[w], &taken, 60), JOBS_STOPPED);
    patience_end(&p);
    assert_true(taken.count <= 20);
    assert_true(m->items[0].is_set && !m->items[0].closed);
    assert_false(m->items[0].jobs[20].there);
    for (long k = 0; k < taken.count; k++) assert_true(m->items[0].jobs[k].there);
    if (w == 0) assert_int_equal(taken.count, 20);
    long before = 0;
    for (long k = 0; k < 60; k++) before += m->items[0].jobs[k].there;
    assert_true(before >= 16 && before < 60);
    // Somebody goes on with it.
    s.waits = -1;
    atomic_store(&s.calls, 0);
    assert_int_equal(run_once(m, &kind, WORKERS[w], &taken, 60), JOBS_ALL);
    assert_int_equal(atomic_load(&s.calls), 60 - before);
    uint64_t digest = taken.digest;
    assert_int_equal(run_once(NULL, &kind, 1, &taken, 60), JOBS_ALL);
    assert_true(taken.digest == digest);
    memory_record_free(m);
  }
}

static void a_brief_set_ends_where_there_is_enough(void **state) {
  (void)state;
  for (int w = 0; w < 6; w++) {
    int workers = WORKERS[w % 3];
    Shared s = shared_new();
    JobKind kind = kind_of(&s);
    MemoryRecord *m = w >= 3 ? memory_record_new() : NULL;
    if (m) m->at_most = 1;
    Taken taken = {.seed = 9, .ends_at = 10};
    assert_int_equal(run_once(m, &kind, workers, &taken, 1000), JOBS_ENOUGH);
    assert_int_equal(taken.count, 11);
    if (!m) assert_true(atomic_load(&s.calls) <= 11 + 5 * workers); // a few ahead
    if (m) {
      uint64_t digest = taken.digest;
      assert_true(m->items[0].closed && m->items[0].set.brief);
      atomic_store(&s.calls, 0);
      assert_int_equal(run_once(m, &kind, workers, &taken, 1000), JOBS_ENOUGH);
      assert_int_equal(atomic_load(&s.calls), 0);
      assert_true(taken.digest == digest);
      memory_record_free(m);
    }
  }
}

// A user who stops ends the taking, not the set: whoever goes on with the study has the others to do.
static void a_set_that_is_stopped_stays_open(void **state) {
  (void)state;
  for (int w = 0; w < 3; w++) {
    Shared s = shared_new();
    JobKind kind = kind_of(&s);
    MemoryRecord *m = memory_record_new();
    m->at_most = 1;
    Taken taken = {.seed = 9, .ends_at = 10, .cuts = true};
    patience_forget_cut();
    assert_int_equal(run_once(m, &kind, WORKERS[w], &taken, 100), JOBS_ENOUGH);
    assert_true(m->items[0].is_set && !m->items[0].closed);
    patience_forget_cut();
    taken.ends_at = 50, taken.cuts = false;
    assert_int_equal(run_once(m, &kind, WORKERS[w], &taken, 100), JOBS_ENOUGH);
    assert_true(m->items[0].closed && taken.count == 51);
    memory_record_free(m);
  }
}

// A set is handed out where nobody knows how long it takes.
static void short_sets_are_kept_as_one_answer(void **state) {
  (void)state;
  for (int w = 0; w < 3; w++)
    for (long ends_at = -1; ends_at < 10; ends_at += 9) {
      Shared s = shared_new();
      s.nap = 1500;
      JobKind kind = kind_of(&s);
      kind.always = false;
      MemoryRecord *m = memory_record_new();
      uint64_t digest[3] = {0};
      for (int turn = 0; turn < 2; turn++) {
        Jobs *j = jobs_new(WORKERS[w], &kind);
        memory_again(m);
        atomic_store(&s.calls, 0);
        record_begin(&m->record);
        for (int k = 0; k < 3; k++) {
          Taken taken = {.seed = 100 + (uint64_t)k, .ends_at = k ? ends_at : -1};
          if (k) jobs_expect(j, 1e-6);
          JobsEnd how = run(j, &taken, 20);
          assert_int_equal(how, k && ends_at >= 0 ? JOBS_ENOUGH : JOBS_ALL);
          if (turn) assert_true(taken.digest == digest[k]);
          digest[k] = taken.digest;
        }
        record_end(&m->record);
        jobs_free(j);
        assert_int_equal(m->record.next, 3);
        assert_true(turn ? atomic_load(&s.calls) == 0 : atomic_load(&s.calls) >= 20 + 2 * 9);
      }
      assert_true(m->items[0].there && m->items[0].is_set);
      for (int k = 1; k < 3; k++) {
        assert_true(m->items[k].there && !m->items[k].is_set);
        assert_string_equal(m->items[k].kind, "start");
        assert_true(m->items[k].seconds > 0.001);
      }
      memory_record_free(m);
    }
}

static void a_short_set_that_was_stopped_is_not_kept(void **state) {
  (void)state;
  for (int w = 0; w < 3; w++) {
    Shared s = shared_new();
    JobKind kind = kind_of(&s);
    kind.always = false;
    MemoryRecord *m = memory_record_new();
    Jobs *j = jobs_new(WORKERS[w], &kind);
    Taken taken = {.seed = 11, .ends_at = -1, .allow_stops = true};
    record_begin(&m->record);
    assert_true(isnan(jobs_expected(j)));
    assert_int_equal(run(j, &taken, 50), JOBS_ALL);
    if (w == 0) assert_true(jobs_expected(j) > 0); // of several, one may have done all alone
    jobs_expect(j, 1e-6);
    s.waits = 30;
    Patience p = {.goes_on = until_reached, .data = &s};
    patience_begin(&p);
    assert_int_equal(run(j, &taken, 50), JOBS_STOPPED);
    patience_end(&p);
    record_end(&m->record);
    jobs_free(j);
    assert_false(m->items[1].there);
    assert_int_equal(m->record.next, 2);
    memory_record_free(m);
  }
}

// Neither one in which all that were taken are done, nor one that came to its end without one of them.
static void a_short_set_is_kept_whole_or_not_at_all(void **state) {
  (void)state;
  for (int stopped = 0; stopped < 2; stopped++) {
    Shared s = shared_new();
    s.nap = 3000;
    s.marks = stopped ? 5 : 0;
    s.leaves = stopped ? 0 : 5;
    JobKind kind = kind_of(&s);
    kind.always = false;
    MemoryRecord *m = memory_record_new();
    Jobs *j = jobs_new(1, &kind);
    jobs_expect(j, 1e-6);
    Taken taken = {.seed = 11, .ends_at = -1, .allow_stops = !stopped};
    Patience p = {.goes_on = until_reached, .data = &s};
    record_begin(&m->record);
    patience_begin(&p);
    assert_int_equal(run(j, &taken, stopped ? 100 : 20), stopped ? JOBS_STOPPED : JOBS_ALL);
    patience_end(&p);
    record_end(&m->record);
    jobs_free(j);
    assert_int_equal(taken.stopped, !stopped);
    assert_true(taken.count > 5);
    assert_false(m->items[0].there);
    memory_record_free(m);
  }
}

static void a_job_that_killed_several_is_given_up(void **state) {
  (void)state;
  for (int tries = 0; tries < 6; tries++)
    for (int can = 0; can < 2; can++) {
      Shared s = shared_new();
      JobKind kind = kind_of(&s);
      if (!can) kind.give_up = NULL;
      MemoryRecord *m = memory_record_new();
      Taken taken = {.seed = 12, .ends_at = -1};
      m->tries = tries;
      assert_int_equal(run_once(m, &kind, 2, &taken, 10), JOBS_ALL);
      bool lost = can && tries >= 3;
      assert_int_equal(atomic_load(&s.given_up), lost ? 10 : 0);
      assert_int_equal(atomic_load(&s.calls), lost ? 0 : 10);
      for (long k = 0; k < 10; k++) {
        const char *why = m->items[0].jobs[k].as.lost;
        assert_int_equal(why != NULL, lost);
        if (why) assert_non_null(strstr(why, "died"));
      }
      memory_record_free(m);
    }
}

static void kinds_without_a_layout_are_never_recorded(void **state) {
  (void)state;
  for (int w = 0; w < 3; w++) {
    Shared s = shared_new();
    JobKind kind = kind_of(&s);
    kind.layout = NULL;
    MemoryRecord *m = memory_record_new();
    Taken taken = {.seed = 13, .ends_at = -1};
    assert_int_equal(run_once(m, &kind, WORKERS[w], &taken, 40), JOBS_ALL);
    assert_int_equal(m->record.next, 0);
    assert_int_equal(m->looks, 0);
    memory_record_free(m);
  }
}

// Without a record: what had been begun is taken as far as nothing before it is missing.
static void after_a_stop_jobs_without_a_gap_are_taken(void **state) {
  (void)state;
  for (int w = 0; w < 3; w++)
    for (long waits = 0; waits < 12; waits += 3) {
      Shared s = shared_new();
      s.waits = waits;
      s.late = waits % 2;
      JobKind kind = kind_of(&s);
      Taken taken = {.seed = 14, .ends_at = -1, .allow_stops = true};
      Patience p = {.goes_on = until_reached, .data = &s};
      patience_begin(&p);
      assert_int_equal(run_once(NULL, &kind, WORKERS[w], &taken, 500), JOBS_STOPPED);
      patience_end(&p);
      if (w == 0) assert_true(taken.count >= waits); // of several, one may not have begun
      assert_true(taken.count <= waits + 1 + 4 * WORKERS[w]);
      if (taken.count > waits) assert_true(taken.stopped >= 1);
      assert_true(taken.stopped <= (s.late ? WORKERS[w] : 1));
    }
}

static void what_is_inside_of_a_job_is_not_asked_as_an_item(void **state) {
  (void)state;
  for (int parts = 0; parts < 2; parts++)
    for (int w = 0; w < 3; w++) {
      Shared s = shared_new();
      s.asks = true;
      JobKind kind = kind_of(&s);
      kind.parts = parts;
      MemoryRecord *m = memory_record_new();
      Taken taken = {.seed = 15, .ends_at = -1};
      assert_int_equal(run_once(m, &kind, WORKERS[w], &taken, 20), JOBS_ALL);
      assert_int_equal(atomic_load(&s.inside), parts ? 60 : 0);
      assert_int_equal(m->record.next, 1);
      memory_record_free(m);
    }
}

static void jobs_with_several_runs_say_so(void **state) {
  (void)state;
  Shared s = shared_new();
  JobKind kind = kind_of(&s);
  kind.layout = &OBJECTIVES;
  kind.runs = two_runs;
  kind.first = first_run;
  MemoryRecord *m = memory_record_new();
  Taken taken = {.seed = 16, .ends_at = -1};
  Jobs *j = jobs_new(2, &kind);
  record_begin(&m->record);
  JobSet set = {.count = 30, .runs = 60, .make = make, .take = take, .data = &taken};
  assert_int_equal(jobs_run(j, &set), JOBS_ALL);
  record_end(&m->record);
  jobs_free(j);
  assert_int_equal(m->items[0].set.runs, 60);
  assert_int_equal(m->items[0].set.count, 30);
  for (long k = 0; k < 30; k++) {
    const RecordedJob *r = &m->items[0].jobs[k].as;
    Task t = {0};
    make(&taken, k, &t);
    assert_int_equal(r->number, k);
    assert_int_equal(r->first, 2 * k);
    assert_int_equal(r->runs, 2);
    assert_close(r->best, answer_to(&t, 1), 0); // the negative one
    assert_true(r->seconds >= 0 && r->length < sizeof(Task));
  }
  memory_record_free(m);
}

static void outcomes_are_counted(void **state) {
  (void)state;
  Shared s = shared_new();
  JobKind kind = kind_of(&s);
  kind.runs = two_runs;
  MemoryRecord *m = memory_record_new();
  Taken taken = {.seed = 16, .ends_at = -1};
  run_once(m, &kind, 2, &taken, 9);
  for (long k = 0; k < 9; k++) {
    const RecordedJob *r = &m->items[0].jobs[k].as;
    assert_int_equal(r->ended[1], 1 + (k % 3 == 1));
    assert_int_equal(r->ended[2], k % 3 == 2);
  }
  memory_record_free(m);
}

// The questions of a set are known by some of them.
static void another_set_than_the_recorded_one_stops(void **state) {
  (void)state;
  Shared s = shared_new();
  JobKind kind = kind_of(&s);
  MemoryRecord *m = memory_record_new();
  Taken taken = {.seed = 17, .ends_at = -1}, other = {.seed = 18, .ends_at = -1};
  assert_int_equal(run_once(m, &kind, 2, &taken, 30), JOBS_ALL);
  atomic_store(&s.calls, 0);
  assert_int_equal(run_once(m, &kind, 2, &other, 30), JOBS_STOPPED);
  assert_int_equal(run_once(m, &kind, 2, &taken, 31), JOBS_STOPPED);
  assert_int_equal(other.count + taken.count, 0);
  assert_int_equal(atomic_load(&s.calls), 0);
  assert_int_equal(run_once(m, &kind, 2, &taken, 30), JOBS_ALL);
  memory_record_free(m);
}

static void damaged_answers_stop_a_set(void **state) {
  (void)state;
  Shared s = shared_new();
  JobKind kind = kind_of(&s);
  kind.always = false;
  MemoryRecord *m = memory_record_new();
  Taken taken = {.seed = 19, .ends_at = -1};
  assert_int_equal(run_once(m, &kind, 2, &taken, 30), JOBS_ALL);
  m->items[0].jobs[13].as.length--;
  assert_int_equal(run_once(m, &kind, 2, &taken, 30), JOBS_STOPPED);
  assert_int_equal(taken.count, 13);
  // The same of a set that is one answer: cut at any place.
  MemoryItem *i = &m->items[0];
  Text all;
  text_init(&all);
  i->jobs[13].as.length++;
  size_t ends[31] = {0};
  for (int k = 0; k < 30; k++) {
    uint32_t length = (uint32_t)i->jobs[k].as.length;
    text_add_bytes(&all, (const char *)&length, sizeof length);
    text_add_bytes(&all, i->jobs[k].as.bytes, length);
    ends[k + 1] = all.length;
  }
  i->is_set = false;
  for (size_t length = 0; length <= all.length; length++) {
    char *exact = malloc(length + 1);
    memcpy(exact, all.at, length);
    i->bytes = exact, i->length = length;
    JobsEnd how = run_once(m, &kind, 1, &taken, 30);
    assert_int_equal(how, length == all.length ? JOBS_ALL : JOBS_STOPPED);
    long whole = 0;
    while (whole < 30 && ends[whole + 1] <= length) whole++;
    assert_int_equal(taken.count, whole);
    free(exact);
  }
  text_done(&all);
  memory_record_free(m);
}

static void a_study_that_is_over_runs_nothing(void **state) {
  (void)state;
  Shared s = shared_new();
  JobKind kind = kind_of(&s);
  MemoryRecord *m = memory_record_new();
  Taken taken = {.seed = 20, .ends_at = -1};
  m->over = true;
  assert_int_equal(run_once(m, &kind, 2, &taken, 10), JOBS_STOPPED);
  m->over = false;
  m->record.follows = true;
  assert_int_equal(run_once(m, &kind, 2, &taken, 10), JOBS_STOPPED);
  assert_int_equal(atomic_load(&s.calls), 0);
  m->opens = true;
  assert_int_equal(run_once(m, &kind, 2, &taken, 10), JOBS_ALL);
  memory_record_free(m);
}

// A user stops it while the store is asked for the set, and the store still answers.
static void a_cut_while_the_record_is_asked_does_no_harm(void **state) {
  (void)state;
  for (int always = 0; always < 2; always++) {
    pid_t child = fork(); // it may crash
    if (child == 0) {
      setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
      signal(SIGSEGV, SIG_DFL);
      Shared s = shared_new();
      s.nap = 2000;
      JobKind kind = kind_of(&s);
      kind.always = always;
      MemoryRecord *m = memory_record_new();
      Taken taken = {.seed = 21, .ends_at = -1};
      Jobs *j = jobs_new(1, &kind);
      record_begin(&m->record);
      m->cuts = true;
      if (!always) jobs_expect(j, 1e-6);
      run(j, &taken, 10);
      _exit(m->items[0].there ? 2 : 0); // nothing is recorded any more
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status))
      fail_msg("%s set: signal %d", always ? "shared" : "kept", WTERMSIG(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_come_in_order_and_are_the_same_for_any_number_of_workers),
      cmocka_unit_test(where_many_take_part_each_comes_less_often),
      cmocka_unit_test(a_recorded_set_is_not_computed_again),
      cmocka_unit_test(only_what_is_missing_is_computed),
      cmocka_unit_test(answers_of_others_are_taken),
      cmocka_unit_test(a_job_that_was_stopped_is_not_recorded_and_ends_the_set),
      cmocka_unit_test(a_brief_set_ends_where_there_is_enough),
      cmocka_unit_test(a_set_that_is_stopped_stays_open),
      cmocka_unit_test(short_sets_are_kept_as_one_answer),
      cmocka_unit_test(a_short_set_that_was_stopped_is_not_kept),
      cmocka_unit_test(a_short_set_is_kept_whole_or_not_at_all),
      cmocka_unit_test(a_job_that_killed_several_is_given_up),
      cmocka_unit_test(kinds_without_a_layout_are_never_recorded),
      cmocka_unit_test(after_a_stop_jobs_without_a_gap_are_taken),
      cmocka_unit_test(what_is_inside_of_a_job_is_not_asked_as_an_item),
      cmocka_unit_test(jobs_with_several_runs_say_so),
      cmocka_unit_test(outcomes_are_counted),
      cmocka_unit_test(another_set_than_the_recorded_one_stops),
      cmocka_unit_test(damaged_answers_stop_a_set),
      cmocka_unit_test(a_study_that_is_over_runs_nothing),
      cmocka_unit_test(a_cut_while_the_record_is_asked_does_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
