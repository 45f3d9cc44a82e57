// Jobs come back complete and in order, whatever the number of workers.
#include "base/pool.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/patience.h"
#include "test.h"

typedef struct Job {
  int number;
  int answer;
  char padding[40];
} Job;

typedef struct Shared {
  atomic_int begun, ended;
  int nap; // microseconds, of even jobs
} Shared;

typedef struct Own {
  Shared *shared;
  int jobs;
} Own;

static void *begin(const void *shared) {
  Own *own = calloc(1, sizeof *own);
  assert_non_null(own);
  own->shared = (Shared *)shared;
  atomic_fetch_add(&own->shared->begun, 1);
  return own;
}

static void end(void *data) {
  Own *own = data;
  atomic_fetch_add(&own->shared->ended, 1);
  free(own);
}

static void square(void *data, void *bytes) {
  Own *own = data;
  Job *job = bytes;
  struct timespec nap = {0, own->shared->nap * 1000L};
  if (job->number % 2 == 0 && own->shared->nap) nanosleep(&nap, NULL);
  job->answer = job->number * job->number;
  own->jobs++;
}

static Pool *pool_of(int workers, Shared *shared, void (*work)(void *, void *)) {
  PoolWorker w = {sizeof(Job), begin, end, work, shared};
  return pool_new(workers, &w);
}

static void jobs_come_back_in_their_order(void **state) {
  (void)state;
  static const int WORKERS[] = {1, 2, 3, 8, 40};
  for (int w = 0; w < 5; w++) {
    Shared shared = {.nap = 200};
    Pool *c = pool_of(WORKERS[w], &shared, square);
    assert_int_equal(pool_workers(c), WORKERS[w]);
    for (int i = 0; i < 100; i++) pool_submit(c, &(Job){.number = i});
    assert_int_equal(pool_pending(c), 100);
    for (int i = 0; i < 100; i++) {
      Job job = {0};
      assert_true(pool_collect(c, &job));
      assert_int_equal(job.number, i);
      assert_int_equal(job.answer, i * i);
    }
    assert_false(pool_collect(c, &(Job){0}));
    pool_free(c);
    assert_int_equal(atomic_load(&shared.begun), atomic_load(&shared.ended));
    assert_in_range(atomic_load(&shared.begun), 1, WORKERS[w]);
  }
}

static void jobs_can_follow_each_other(void **state) {
  (void)state;
  for (int workers = 1; workers <= 3; workers++) {
    Shared shared = {0};
    Pool *c = pool_of(workers, &shared, square);
    for (int i = 0; i < 500; i++) {
      Job job = {.number = i};
      pool_submit(c, &job);
      pool_submit(c, &(Job){.number = -i});
      assert_true(pool_collect(c, &job));
      assert_int_equal(job.answer, i * i);
      assert_true(pool_collect(c, &job));
      assert_int_equal(job.number, -i);
    }
    pool_free(c);
  }
}

static void what_is_not_collected_is_given_up(void **state) {
  (void)state;
  for (int workers = 1; workers <= 3; workers++) {
    Shared shared = {.nap = 1000};
    Pool *c = pool_of(workers, &shared, square);
    for (int i = 0; i < 1000; i++) pool_submit(c, &(Job){.number = i});
    assert_true(pool_collect(c, &(Job){0}));
    pool_free(c);
    assert_int_equal(atomic_load(&shared.begun), atomic_load(&shared.ended));
  }
}

static void until_stopped(void *data, void *bytes) {
  struct timespec nap = {0, 1000000};
  (void)data, (void)bytes;
  while (patience_lasts(PATIENCE_LOOK)) nanosleep(&nap, NULL);
}

static bool third_time(void *data) {
  return ++*(int *)data < 3;
}

static void the_end_of_patience_stops_jobs_under_way(void **state) {
  (void)state;
  for (int workers = 1; workers <= 3; workers++) {
    Shared shared = {0};
    int asked = 0;
    Pool *c = pool_of(workers, &shared, until_stopped);
    Patience patience = {.goes_on = third_time, .data = &asked};
    patience_begin(&patience);
    for (int i = 0; i < 5; i++) pool_submit(c, &(Job){.number = i});
    assert_false(pool_collect(c, &(Job){0}));
    assert_int_equal(asked, 3);
    assert_false(pool_collect(c, &(Job){0}));
    pool_free(c);
    patience_end(&patience);
  }
}

static void what_was_begun_can_be_salvaged(void **state) {
  (void)state;
  for (int workers = 1; workers <= 3; workers++) {
    Shared shared = {.nap = 3000};
    Pool *c = pool_of(workers, &shared, square);
    for (int i = 0; i < 50; i++) pool_submit(c, &(Job){.number = i});
    Job job = {0};
    for (int i = 0; i < 6; i++) assert_true(pool_collect(c, &job));
    pool_stop(c);
    assert_false(pool_collect(c, &job));
    int last = 5, count = 0;
    for (; pool_salvage(c, &job); count++, last = job.number) {
      assert_true(job.number > last);
      assert_int_equal(job.answer, job.number * job.number);
    }
    assert_true(count <= 40);
    pool_free(c);
  }
}

static void a_crew_is_no_larger_than_its_work(void **state) {
  (void)state;
  assert_true(pool_cores() >= 1);
  assert_int_equal(pool_size(0, 1000), pool_cores());
  assert_int_equal(pool_size(7, 1000), 7);
  assert_int_equal(pool_size(7, 3), 3);
  assert_int_equal(pool_size(7, 0), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jobs_come_back_in_their_order),
      cmocka_unit_test(jobs_can_follow_each_other),
      cmocka_unit_test(what_is_not_collected_is_given_up),
      cmocka_unit_test(the_end_of_patience_stops_jobs_under_way),
      cmocka_unit_test(what_was_begun_can_be_salvaged),
      cmocka_unit_test(a_crew_is_no_larger_than_its_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
