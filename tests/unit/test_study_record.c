// A study in a store gives the same answers whoever takes part in it and whoever dies, and each answer is recorded once.
#include "store/study_record.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/jobs.h"
#include "store_trial.h"
#include "test.h"

// ---- a study: an item, a set of jobs, an item

typedef struct Task {
  long number;
  MadeRun run; // the answer
} Task;

typedef struct Effort {
  atomic_long calls;
  int nap;                      // microseconds
  long most;                    // calls after which whoever asks has no patience; 0: never
  const atomic_bool *waits_for; // before a job ends; NULL: nothing
} Effort;

static void *begin_work(const void *shared) {
  return (void *)shared;
}

static MadeRun answer_to(long number) {
  uint64_t hash = record_digest(0, &number, sizeof number);
  return (MadeRun){(double)(hash >> 40), (int)(number % 3), number % 2, number};
}

static void work(void *own, void *job) {
  Effort *e = own;
  Task *t = job;
  atomic_fetch_add(&e->calls, 1);
  if (e->nap) usleep((unsigned)e->nap);
  for (int k = 0; k < 20000 && e->waits_for && !atomic_load(e->waits_for); k++) usleep(1000);
  t->run = answer_to(t->number);
}

static void give_up(const void *shared, void *job, const char *why) {
  (void)shared, (void)why;
  ((Task *)job)->run = (MadeRun){.objective = nan(""), .outcome = 2};
}

static JobKind kind_of(const Effort *e) {
  return (JobKind){.worker = {sizeof(Task), begin_work, NULL, work, e},
                   .question = offsetof(Task, run),
                   .give_up = give_up,
                   .layout = &MADE_LAYOUT,
                   .always = true};
}

typedef struct Taken {
  long count;
  uint64_t digest;
  double items[2];
} Taken;

static void make(void *data, long number, void *job) {
  (void)data;
  ((Task *)job)->number = number;
}

static bool take(void *data, long number, const void *job) {
  Taken *t = data;
  assert_int_equal(number, t->count++);
  t->digest = record_digest(t->digest, job, sizeof(Task));
  return true;
}

typedef struct Asked {
  const StudyRecord *study;
  Effort *effort;
} Asked;

static bool goes_on(void *data) {
  const Asked *a = data;
  long most = a->effort->most;
  return !study_is_over(a->study) && (!most || atomic_load(&a->effort->calls) < most);
}

enum { JOBS = 120 };

// As the command does it. false: it was stopped, or this one was not needed any more.
static bool run_study(Member *m, Effort *e, int workers, Taken *taken) {
  JobKind kind = kind_of(e);
  Asked asked = {m->study, e};
  Patience p = {.goes_on = goes_on, .data = &asked, .by_work = true};
  *taken = (Taken){0};
  record_begin(m->record);
  patience_begin(&p);
  taken->items[0] = record_seconds((double)member_id(m));
  Jobs *j = jobs_new(workers, &kind);
  JobsEnd end = jobs_run(j, &(JobSet){.count = JOBS, .make = make, .take = take, .data = taken});
  jobs_free(j);
  taken->items[1] = record_seconds(100 + (double)member_id(m));
  bool fine = end == JOBS_ALL && !study_is_over(m->study);
  patience_end(&p);
  record_end(m->record);
  return fine;
}

static const StudyEnd DONE = {STUDY_DONE, NULL};

static void assert_each_job_once(Store *s) {
  assert_close(sql(s, "SELECT count(*) FROM job"), JOBS, 0);
  assert_close(sql(s, "SELECT done FROM item WHERE count > 0"), JOBS, 0);
  assert_close(sql(s, "SELECT runs_done FROM item WHERE count > 0"), JOBS, 0);
  assert_close(sql(s, "SELECT CAST(sum(done) AS {int}) FROM worker"), JOBS, 0);
  assert_close(sql(s, "SELECT CAST(sum(runs) AS {int}) FROM tally"), JOBS, 0);
  assert_close(sql(s, "SELECT best - (SELECT min(best) FROM job) FROM item WHERE count > 0"), 0, 0);
  double seconds = sql(s, "SELECT sum(seconds) FROM job");
  assert_close(sql(s, "SELECT seconds FROM item WHERE count > 0"), seconds, 1e-9 + 1e-9 * seconds);
  for (long k = 0; k < JOBS; k += 7)
    assert_close(sql(s, "SELECT best FROM job WHERE first = %ld", k), answer_to(k).objective, 0);
}

static void a_recorded_study_is_not_computed_again(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Effort e = {0};
  Taken first, again;
  store_close(trial_study(t, &study));
  Member a = member_join(t, study);
  assert_false(a.record->follows);
  assert_true(run_study(&a, &e, 2, &first));
  assert_int_equal(first.count, JOBS);
  assert_int_equal(atomic_load(&e.calls), JOBS);
  int64_t next = a.record->next;
  double number = (double)member_id(&a);
  member_leave(&a, &DONE);
  assert_each_job_once(a.store);
  assert_close(sql(a.store, "SELECT count(*) FROM claim"), 0, 0);
  member_go(&a);
  Member b = member_join(t, study);
  assert_true(run_study(&b, &e, 3, &again));
  assert_int_equal(atomic_load(&e.calls), JOBS);
  assert_int_equal(b.record->next, next);
  assert_int_equal(again.count, JOBS);
  assert_true(again.digest == first.digest);
  assert_close(again.items[0], number, 0);
  assert_close(again.items[1], 100 + number, 0);
  member_go(&b);
}

typedef struct Side { // a member in a thread of its own
  StoreTrial *trial;
  int64_t study;
  Effort *effort;
  Taken taken;
  bool fine, led;
} Side;

static void *take_part(void *data) {
  Side *s = data;
  Member m = member_join(s->trial, s->study);
  s->fine = run_study(&m, s->effort, 2, &s->taken);
  s->led = !m.record->follows;
  member_leave(&m, &DONE);
  member_go(&m);
  return NULL;
}

static void two_members_share_a_set(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Effort e = {.nap = 500};
  store_close(trial_study(t, &study));
  Side sides[2] = {{t, study, &e, {0}, false, false}, {t, study, &e, {0}, false, false}};
  pthread_t threads[2];
  for (int k = 0; k < 2; k++) pthread_create(&threads[k], NULL, take_part, &sides[k]);
  for (int k = 0; k < 2; k++) pthread_join(threads[k], NULL);
  for (int k = 0; k < 2; k++) {
    assert_true(sides[k].fine);
    assert_int_equal(sides[k].taken.count, JOBS);
    assert_true(sides[k].taken.digest == sides[0].taken.digest);
    for (int i = 0; i < 2; i++) assert_close(sides[k].taken.items[i], sides[0].taken.items[i], 0);
  }
  Store *s = trial_open(t);
  assert_each_job_once(s);
  double repeated = sql(s, "SELECT CAST(sum(repeated) AS {int}) FROM worker");
  assert_close(repeated, (double)(atomic_load(&e.calls) - JOBS), 0);
  assert_close(sql(s, "SELECT state FROM study"), STUDY_DONE, 0);
  store_close(s);
}

static void one_who_follows_completes_what_the_leader_left(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  atomic_bool gone = false;
  Effort few = {.nap = 1000, .most = 5}, rest = {.waits_for = &gone};
  Taken taken;
  store_close(trial_study(t, &study));
  Member a = member_join(t, study);
  double number = (double)member_id(&a);
  Side side = {t, study, &rest, {0}, false, false};
  pthread_t thread;
  pthread_create(&thread, NULL, take_part, &side);
  bool completed = run_study(&a, &few, 1, &taken);
  member_go(&a);
  atomic_store(&gone, true);
  pthread_join(thread, NULL);
  assert_false(completed);
  assert_true(taken.count < JOBS);
  assert_true(side.fine && side.led);
  assert_int_equal(side.taken.count, JOBS);
  assert_close(side.taken.items[0], number, 0); // as the first leader answered
  Store *s = trial_open(t);
  assert_each_job_once(s);
  assert_close(sql(s, "SELECT state FROM study"), STUDY_DONE, 0);
  store_close(s);
}

// ---- claims

static RecordClaim claimed(Member *m, int64_t item, int most) {
  RecordClaim c = {0};
  if (!m->record->claim(m->record, item, most, &c)) fail_msg("there is nothing to claim");
  return c;
}

static void assert_no_claim(Member *m, int64_t item) {
  RecordClaim c;
  assert_false(m->record->claim(m->record, item, 1, &c));
}

static void commit_all(Member *m, int64_t item, const RecordClaim *c) {
  MadeRun runs[400];
  assert_in_range(c->count, 1, 400);
  for (int k = 0; k < c->count; k++) runs[k] = answer_to(c->first + k);
  member_commit(m, item, c, runs, c->count, 1);
}

static bool keep_count(void *data, const RecordedJob *job) {
  assert_int_equal(job->number, (*(long *)data)++);
  return true;
}

static long readable(Member *m, int64_t item) {
  long count = 0;
  long next = m->record->read(m->record, item, 0, keep_count, &count);
  assert_int_equal(next, count);
  return count;
}

static void claims_do_not_overlap_and_end_with_the_set(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  Member m[2] = {member_join(t, study), member_join(t, study)};
  assert_true(!m[0].record->follows && m[1].record->follows);
  member_open(&m[0], 0, 300, 1, false);
  char seen[300] = {0};
  long all = 0, largest = 0, last = 0;
  for (int k = 0; all < 300; k++) {
    RecordClaim c = claimed(&m[k % 2], 0, 40);
    for (int i = 0; i < c.count; i++) assert_int_equal(seen[c.first + i]++, 0);
    assert_int_equal(c.tries, 0);
    assert_false(c.copy);
    if (c.count > largest) largest = c.count;
    last = c.count;
    all += c.count;
    commit_all(&m[k % 2], 0, &c);
  }
  assert_int_equal(largest, 40);
  assert_int_equal(last, 1); // towards the end all have something
  assert_no_claim(&m[0], 0);
  assert_int_equal(readable(&m[0], 0), 300);
  for (int k = 0; k < 2; k++) member_go(&m[k]);
}

static bool until_fourth(void *data, const RecordedJob *job) {
  assert_int_equal(job->number, (*(long *)data)++);
  return job->number != 3;
}

static void answers_are_read_up_to_the_first_gap(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  Member m = member_join(t, study);
  member_open(&m, 0, 600, 1, false);
  RecordClaim c[3];
  for (int k = 0; k < 3; k++) c[k] = claimed(&m, 0, 100);
  commit_all(&m, 0, &c[2]);
  assert_int_equal(readable(&m, 0), 0);
  commit_all(&m, 0, &c[0]);
  assert_int_equal(readable(&m, 0), 100);
  commit_all(&m, 0, &c[1]);
  assert_int_equal(readable(&m, 0), 300); // more than one reading
  long count = 0;
  assert_int_equal(m.record->read(m.record, 0, 0, until_fourth, &count), 4); // the next one
  assert_int_equal(count, 4);
  member_go(&m);
}

static void what_is_given_back_counts_no_try(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  MadeRun runs[2] = {answer_to(0), answer_to(1)};
  store_close(trial_study(t, &study));
  Member m = member_join(t, study);
  member_open(&m, 0, 100, 1, false);
  RecordClaim c = claimed(&m, 0, 10), rest;
  assert_int_equal(c.count, 10);
  member_commit(&m, 0, &c, runs, 2, 1);
  rest = claimed(&m, 0, 50);
  assert_int_equal(rest.first, 2);
  assert_int_equal(rest.count, 8); // in one piece
  assert_int_equal(rest.tries, 0);
  member_commit(&m, 0, &rest, NULL, 0, 1);
  Member other = member_join(t, study);
  member_go(&m); // with nothing claimed
  rest = claimed(&other, 0, 50);
  assert_int_equal(rest.first, 2);
  assert_int_equal(rest.tries, 0);
  Member third = member_join(t, study);
  member_go(&other); // gives back what it has
  rest = claimed(&third, 0, 50);
  assert_int_equal(rest.first, 2);
  assert_int_equal(rest.count, 8);
  assert_int_equal(rest.tries, 0);
  member_go(&third);
}

// A worker that was thought dead comes back with its answers.
static void answers_that_others_had_added_are_counted_as_repeated(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  Member a = member_join(t, study), b = member_join(t, study);
  member_open(&a, 0, 100, 1, false);
  RecordClaim slow = claimed(&a, 0, 40), again;
  assert_int_equal(slow.count, 40);
  sql(a.store, "UPDATE claim SET until = {now} - 1.0");
  for (int k = 0; k < 3; k++) {
    again = claimed(&b, 0, 40);
    assert_int_equal(again.first, k);
    assert_int_equal(again.count, 1); // one of them may be the reason
    assert_int_equal(again.tries, 1);
    commit_all(&b, 0, &again);
  }
  commit_all(&a, 0, &slow);
  assert_close(sql(a.store, "SELECT count(*) FROM job"), 40, 0);
  assert_close(sql(a.store, "SELECT done FROM item"), 40, 0);
  assert_close(sql(a.store, "SELECT runs_done FROM item"), 40, 0);
  assert_close(sql(a.store, "SELECT seconds FROM item"), 20, 1e-12);
  assert_close(sql(a.store, "SELECT CAST(sum(runs) AS {int}) FROM tally"), 40, 0);
  assert_close(sql(a.store, "SELECT done FROM worker WHERE id = %d", (int)member_id(&a)), 37, 0);
  assert_close(sql(a.store, "SELECT repeated FROM worker WHERE id = %d", (int)member_id(&a)), 3, 0);
  assert_close(sql(a.store, "SELECT done FROM worker WHERE id = %d", (int)member_id(&b)), 3, 0);
  assert_close(sql(a.store, "SELECT repeated FROM worker WHERE id = %d", (int)member_id(&b)), 0, 0);
  member_go(&a);
  member_go(&b);
}

static void a_lease_that_lasts_is_respected(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  Member a = member_join(t, study), b = member_join(t, study);
  member_open(&a, 0, 3, 1, false);
  for (long k = 0; k < 3; k++) assert_int_equal(claimed(&a, 0, 1).first, k);
  assert_no_claim(&b, 0);
  sql(a.store, "UPDATE claim SET until = {now} - 1.0 WHERE first = 1");
  RecordClaim c = claimed(&b, 0, 1);
  assert_int_equal(c.first, 1);
  assert_int_equal(c.tries, 1);
  assert_no_claim(&b, 0);
  assert_true(sql(a.store, "SELECT until - {now} FROM claim WHERE first = 1") > LEASE_SECONDS / 2);
  member_go(&a);
  member_go(&b);
}

// A worker on this machine whose process is gone, with a lease for long. Its number.
static int64_t forge_dead(const Member *alive) {
  return (int64_t)sql(
      alive->store,
      "INSERT INTO worker (host, boot, process, started, threads, tags, fingerprint, began, seen, "
      "gone, study, done, repeated) SELECT host, boot, 2000000000, 12345, threads, tags, "
      "fingerprint, began, {now} + 1000.0, 0, 0, 0, 0 FROM worker WHERE id = %d RETURNING id",
      (int)member_id(alive));
}

static void claims_of_the_dead_are_given_out_at_once_and_one_by_one(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  Member a = member_join(t, study);
  member_open(&a, 0, 100, 1, false);
  assert_int_equal(claimed(&a, 0, 4).count, 4);
  int64_t dead = forge_dead(&a);
  sql(a.store, "UPDATE claim SET worker = %d, until = {now} + 1000.0", (int)dead);
  Member b = member_join(t, study); // looks for the dead
  assert_close(sql(a.store, "SELECT gone FROM worker WHERE id = %d", (int)dead), 1, 0);
  for (long k = 0; k < 4; k++) {
    RecordClaim c = claimed(&b, 0, 50);
    assert_int_equal(c.first, k);
    assert_int_equal(c.count, 1);
    assert_int_equal(c.tries, 1);
  }
  assert_int_equal(claimed(&b, 0, 1).first, 4); // then what nobody has had
  member_go(&a);
  member_go(&b);
}

static void a_job_that_kills_all_is_given_up_and_noted(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Effort e = {.nap = 1000, .most = 1};
  Taken taken;
  store_close(trial_study(t, &study));
  Member a = member_join(t, study);
  assert_false(run_study(&a, &e, 1, &taken)); // opens the set, and has no patience for it
  e.nap = 0, e.most = 0;
  member_leave(&a, NULL);
  long before = atomic_load(&e.calls);
  assert_true(before < JOBS);
  double next = sql(a.store, "SELECT next FROM item WHERE count > 0");
  // Three have died of the next two jobs.
  int64_t dead = forge_dead(&a);
  sql(a.store, "UPDATE item SET next = next + 2 WHERE count > 0");
  sql(a.store,
      "INSERT INTO claim (study, item, first, count, worker, made, until, tries, copied) VALUES "
      "(%d, 1, %d, 2, %d, {now}, {now} + 1000.0, 2, 0)",
      (int)study, (int)next, (int)dead);
  Member b = member_join(t, study);
  assert_true(run_study(&b, &e, 2, &taken));
  assert_int_equal(taken.count, JOBS);
  assert_int_equal(atomic_load(&e.calls), JOBS - 2);
  assert_close(sql(b.store, "SELECT count(*) FROM loss"), 2, 0);
  assert_close(sql(b.store, "SELECT min(job) FROM loss"), next, 0);
  assert_close(sql(b.store, "SELECT count(*) FROM loss WHERE why LIKE '%%died%%'"), 2, 0);
  assert_close(sql(b.store, "SELECT count(*) FROM job WHERE best IS NULL"), 2, 0);
  member_go(&a);
  member_go(&b);
}

// At the end of a set nobody waits for the slowest.
static void what_takes_long_is_copied_once_and_the_first_answer_counts(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  Member a = member_join(t, study), b = member_join(t, study);
  member_open(&a, 0, 2, 1, false);
  RecordClaim slow = claimed(&a, 0, 1), quick = claimed(&b, 0, 1), copy;
  commit_all(&b, 0, &quick);
  assert_no_claim(&b, 0); // not yet
  sql(a.store, "UPDATE claim SET made = {now} - 100.0");
  copy = claimed(&b, 0, 1);
  assert_true(copy.copy);
  assert_int_equal(copy.first, slow.first);
  assert_no_claim(&b, 0); // once
  assert_no_claim(&a, 0); // nor does its owner copy it
  commit_all(&b, 0, &copy);
  commit_all(&a, 0, &slow);
  assert_close(sql(a.store, "SELECT done FROM item"), 2, 0);
  assert_close(sql(a.store, "SELECT repeated FROM worker WHERE id = %d", (int)member_id(&a)), 1, 0);
  assert_close(sql(a.store, "SELECT count(*) FROM claim"), 0, 0);
  member_go(&a);
  member_go(&b);
}

static void of_a_brief_set_few_jobs_are_begun_ahead(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  RecordClaim c;
  store_close(trial_study(t, &study));
  Member m = member_join(t, study); // one thread
  member_open(&m, 0, 1000, 1, true);
  for (int done = 0; done < 30; done += 10) {
    RecordClaim all[20];
    int count = 0;
    while (m.record->claim(m.record, 0, 3, &c)) {
      assert_true(count < 20);
      all[count++] = c;
    }
    double ahead = sql(m.store, "SELECT next - done FROM item");
    assert_close(ahead, 8, 0);
    for (int k = 0; k < count; k++) commit_all(&m, 0, &all[k]);
  }
  member_go(&m);
}

static void a_closed_set_gives_no_more_work(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  Member a = member_join(t, study), b = member_join(t, study);
  member_open(&a, 0, 50, 1, true);
  RecordClaim c = claimed(&a, 0, 2), d = claimed(&b, 0, 2);
  b.record->close_set(b.record, 0); // whoever follows does not decide
  assert_close(sql(a.store, "SELECT closed FROM item"), 0, 0);
  commit_all(&a, 0, &c);
  a.record->close_set(a.record, 0);
  assert_close(sql(a.store, "SELECT closed FROM item"), 1, 0);
  assert_close(sql(a.store, "SELECT count(*) FROM claim"), 0, 0);
  assert_no_claim(&a, 0);
  assert_no_claim(&b, 0);
  commit_all(&b, 0, &d); // what was under way does no harm
  assert_close(sql(a.store, "SELECT done FROM item"), c.count + d.count, 0);
  member_go(&a);
  member_go(&b);
}

// ---- questions

static RecordState look(Member *m, int64_t item, const char *kind, uint64_t digest, Text *answer) {
  text_clear(answer);
  return m->record->look(m->record, item, kind, digest, answer);
}

static void items_are_written_when_their_owner_leaves(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Text answer;
  text_init(&answer);
  store_close(trial_study(t, &study));
  Member a = member_join(t, study);
  for (int64_t k = 0; k < 700; k += 2) // every other one is not worth it
    a.record->add(a.record, k, "number", (uint64_t)k + 1, 0.25, &k, sizeof k);
  a.record->add(a.record, 700, "nothing", UINT64_MAX, 0, "", 0);
  member_go(&a);
  Member b = member_join(t, study);
  for (int64_t k = 0; k < 700; k++) {
    RecordState found = look(&b, k, "number", (uint64_t)k + 1, &answer);
    assert_int_equal(found, k % 2 ? RECORD_NOTHING : RECORD_ANSWER);
    if (found == RECORD_ANSWER) assert_memory_equal(answer.at, &k, sizeof k);
  }
  assert_int_equal(look(&b, 700, "nothing", UINT64_MAX, &answer), RECORD_ANSWER);
  assert_int_equal(answer.length, 0);
  assert_int_equal(look(&b, 701, "number", 1, &answer), RECORD_NOTHING);
  assert_int_equal(look(&b, 2, "number", 3, &answer), RECORD_ANSWER); // back again
  member_go(&b);
  text_done(&answer);
}

static void another_question_fails_with_a_sentence(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Text answer;
  text_init(&answer);
  store_close(trial_study(t, &study));
  Member a = member_join(t, study);
  a.record->add(a.record, 0, "number", 5, 0, "abc", 3);
  member_open(&a, 1, 10, 1, false);
  member_go(&a);
  for (int what = 0; what < 3; what++) {
    static const char *const KINDS[] = {"number", "other", "start"};
    static const uint64_t DIGESTS[] = {6, 5, 8};
    Err err = {0};
    Member b = member_join(t, study);
    assert_int_equal(look(&b, 0, "number", 5, &answer), RECORD_ANSWER);
    assert_false(study_has_failed(b.study, &err) || study_is_over(b.study));
    assert_int_equal(look(&b, what == 2, KINDS[what], DIGESTS[what], &answer), RECORD_OVER);
    assert_true(study_has_failed(b.study, &err) && study_is_over(b.study));
    assert_int_equal(err.code, ERR_FILE);
    assert_non_null(strstr(err.text, "the study asks something else here"));
    assert_non_null(strstr(err.text, what == 1 ? "(number)" : "with other numbers"));
    assert_non_null(strstr(err.text, "--fork"));
    assert_int_equal(look(&b, 0, "number", 5, &answer), RECORD_OVER); // nothing goes on
    assert_no_claim(&b, 1);
    member_go(&b);
  }
  text_done(&answer);
}

static void parts_are_recorded_once(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Text answer;
  text_init(&answer);
  store_close(trial_study(t, &study));
  Member a = member_join(t, study), b = member_join(t, study);
  assert_false(a.record->look_part(a.record, 3, -1, 0, &answer));
  a.record->add_part(a.record, 3, -1, 0, 0.5, "first\0x", 7);
  b.record->add_part(b.record, 3, -1, 0, 0.5, "second", 6);
  b.record->add_part(b.record, 3, 4, 0, 0.5, "of a job", 8);
  assert_true(b.record->look_part(b.record, 3, -1, 0, &answer));
  assert_int_equal(answer.length, 7);
  assert_memory_equal(answer.at, "first\0x", 7);
  text_clear(&answer);
  assert_true(a.record->look_part(a.record, 3, 4, 0, &answer));
  assert_string_equal(answer.at, "of a job");
  assert_false(a.record->look_part(a.record, 3, 4, 1, &answer));
  member_go(&a);
  member_go(&b);
  text_done(&answer);
}

// ---- who leads

static void whoever_follows_leads_when_the_leader_is_gone(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  for (int how = 0; how < 3; how++) { // it leaves, its lease is over, it died
    Member a = member_join(t, study), b = member_join(t, study), c = {0};
    assert_true(!a.record->follows && b.record->follows);
    assert_close(sql(a.store, "SELECT leader FROM study"), (double)member_id(&a), 0);
    if (how == 0) member_leave(&a, NULL);
    if (how == 1) sql(a.store, "UPDATE study SET until = {now} - 1.0");
    if (how == 2) {
      sql(a.store, "UPDATE study SET leader = %d, until = {now} + 1000.0", (int)forge_dead(&b));
      c = member_come(t, 1); // looks for the dead
    }
    assert_int_equal(record_next(b.record), 0);
    assert_false(b.record->follows);
    assert_close(sql(a.store, "SELECT leader FROM study"), (double)member_id(&b), 0);
    if (c.store) member_go(&c);
    member_go(&a);
    member_go(&b);
  }
}

// It had been thought dead, and comes back.
static void whoever_led_before_has_no_say(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  Member a = member_join(t, study), b = member_join(t, study);
  sql(a.store, "UPDATE study SET until = {now} - 1.0");
  assert_int_equal(record_next(b.record), 0);
  member_leave(&a, &(StudyEnd){STUDY_FAILED, "x"});
  assert_close(sql(b.store, "SELECT state FROM study"), STUDY_OPEN, 0);
  assert_close(sql(b.store, "SELECT leader FROM study"), (double)member_id(&b), 0);
  member_leave(&b, &DONE);
  assert_close(sql(b.store, "SELECT state FROM study"), STUDY_DONE, 0);
  member_go(&a);
  member_go(&b);
}

static bool counts(void *data) {
  return --*(int *)data >= 0;
}

static void whoever_follows_waits_for_work(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  Member a = member_join(t, study), b = member_join(t, study);
  int answers = 2;
  Patience p = {.goes_on = counts, .data = &answers};
  patience_begin(&p);
  assert_int_equal(record_next(b.record), -1); // there is none, until patience is over
  patience_end(&p);
  b.record->next = 0;
  member_open(&a, 2, 10, 1, false);
  for (int64_t k = 0; k < 3; k++) assert_int_equal(record_next(b.record), k); // up to the set
  assert_true(b.record->follows);
  assert_int_equal(claimed(&b, 2, 1).first, 0);
  member_go(&a);
  member_go(&b);
}

static void a_worker_leaves_a_study_that_is_over(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  static const StudyState STATES[] = {STUDY_DONE, STUDY_FAILED, STUDY_LIMIT};
  store_close(trial_study(t, &study));
  for (int k = 0; k < 3; k++) {
    Member a = member_join(t, study), worker = member_come(t, 1);
    member_join_as(&worker, study, false);
    assert_false(study_is_over(worker.study));
    member_leave(&a, &(StudyEnd){STATES[k], NULL});
    assert_int_equal(record_next(worker.record), -1);
    assert_true(study_is_over(worker.study));
    assert_false(study_has_failed(worker.study, NULL));
    member_leave(&worker, &DONE);
    assert_close(sql(a.store, "SELECT state FROM study"), STATES[k], 0); // it did not lead
    sql(a.store, "UPDATE study SET state = 0");
    member_go(&worker);
    member_go(&a);
  }
}

// ---- ends

static void a_study_ends_as_its_leader_says(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Err err = {0};
  StudyRow row;
  store_close(trial_study(t, &study));
  static const StudyEnd ENDS[] = {
      {STUDY_LIMIT, "time"}, {STUDY_FAILED, "no data"}, {STUDY_OPEN, NULL}, {STUDY_DONE, ""}};
  double seconds = 0;
  for (int k = 0; k < 4; k++) {
    Member a = member_join(t, study), other = member_join(t, study);
    assert_true(store_study(a.store, t->arena, study, &row, &err));
    assert_int_equal(row.state, STUDY_OPEN); // one that was ended is open again
    assert_close(study_seconds(a.study), seconds, 1e-9);
    usleep(3000);
    member_leave(&other, &(StudyEnd){STUDY_FAILED, "not mine"}); // who does not lead has no say
    member_leave(&a, &ENDS[k]);
    assert_true(store_study(a.store, t->arena, study, &row, &err));
    assert_int_equal(row.state, ENDS[k].state);
    assert_string_equal(row.note, ENDS[k].note ? ENDS[k].note : "");
    assert_true(row.seconds >= seconds + 0.003 && row.seconds < seconds + 60);
    seconds = row.seconds;
    assert_close(sql(a.store, "SELECT leader FROM study"), 0, 0);
    member_go(&a);
    member_go(&other);
  }
  Member a = member_join(t, study); // one that is done stays so
  assert_false(a.record->follows);
  member_leave(&a, &(StudyEnd){STUDY_FAILED, "x"});
  assert_true(store_study(a.store, t->arena, study, &row, &err));
  assert_int_equal(row.state, STUDY_DONE);
  assert_close(row.seconds, seconds, 0);
  member_go(&a);
}

static void whoever_only_works_opens_no_study_again(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  Member a = member_join(t, study);
  member_leave(&a, &(StudyEnd){STUDY_LIMIT, NULL});
  member_join_as(&a, study, false);
  assert_close(sql(a.store, "SELECT state FROM study"), STUDY_LIMIT, 0);
  assert_int_equal(record_next(a.record), -1);
  member_leave(&a, NULL);
  member_join_as(&a, study, true);
  assert_close(sql(a.store, "SELECT state FROM study"), STUDY_OPEN, 0);
  assert_int_equal(record_next(a.record), 0);
  member_go(&a);
}

static void a_study_that_its_limit_ended_goes_on_with_its_answers(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  Member a = member_join(t, study);
  a.record->add(a.record, 0, "other", 1, 0, "x", 1);
  member_open(&a, 1, 20, 1, false);
  RecordClaim c = claimed(&a, 1, 5);
  commit_all(&a, 1, &c);
  member_leave(&a, &(StudyEnd){STUDY_LIMIT, NULL});
  member_join_as(&a, study, true);
  Text answer;
  text_init(&answer);
  assert_int_equal(look(&a, 0, "other", 1, &answer), RECORD_ANSWER);
  assert_int_equal(look(&a, 1, "start", 7, &answer), RECORD_SET);
  assert_int_equal(readable(&a, 1), 5);
  assert_int_equal(claimed(&a, 1, 1).first, 5);
  text_done(&answer);
  member_go(&a);
}

static bool serve_once(void *data) {
  return ++*(int *)data < 3;
}

static void who_waits_may_serve_others(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  int served = 0;
  store_close(trial_study(t, &study));
  Member a = member_join(t, study);
  study_serve(a.study, serve_once, &served);
  for (int k = 1; k < 4; k++) {
    a.record->wait(a.record);
    assert_int_equal(served, k);
  }
  member_go(&a);
}

static void ids_grow_with_study_item_and_job(void **state) {
  (void)state;
  static const int64_t STUDIES[] = {1, 2, 8191}, ITEMS[] = {0, 1, 1000, (1 << 26) - 1};
  static const long NUMBERS[] = {0, 1, 255, (1 << 24) - 1};
  int64_t last = -1;
  for (int s = 0; s < 3; s++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        int64_t id = job_id(STUDIES[s], ITEMS[i], NUMBERS[j]);
        assert_true(id > last);
        assert_int_equal(job_item(id), ITEMS[i]);
        last = id;
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_BOTH(a_recorded_study_is_not_computed_again),
      IN_BOTH(two_members_share_a_set),
      IN_BOTH(one_who_follows_completes_what_the_leader_left),
      IN_BOTH(claims_do_not_overlap_and_end_with_the_set),
      IN_BOTH(answers_are_read_up_to_the_first_gap),
      IN_BOTH(what_is_given_back_counts_no_try),
      IN_BOTH(answers_that_others_had_added_are_counted_as_repeated),
      IN_BOTH(a_lease_that_lasts_is_respected),
      IN_BOTH(claims_of_the_dead_are_given_out_at_once_and_one_by_one),
      IN_BOTH(a_job_that_kills_all_is_given_up_and_noted),
      IN_BOTH(what_takes_long_is_copied_once_and_the_first_answer_counts),
      IN_BOTH(of_a_brief_set_few_jobs_are_begun_ahead),
      IN_BOTH(a_closed_set_gives_no_more_work),
      IN_BOTH(items_are_written_when_their_owner_leaves),
      IN_BOTH(another_question_fails_with_a_sentence),
      IN_BOTH(parts_are_recorded_once),
      IN_BOTH(whoever_follows_leads_when_the_leader_is_gone),
      IN_BOTH(whoever_led_before_has_no_say),
      IN_BOTH(whoever_follows_waits_for_work),
      IN_BOTH(a_worker_leaves_a_study_that_is_over),
      IN_BOTH(a_study_ends_as_its_leader_says),
      IN_BOTH(whoever_only_works_opens_no_study_again),
      IN_BOTH(a_study_that_its_limit_ended_goes_on_with_its_answers),
      IN_BOTH(who_waits_may_serve_others),
      cmocka_unit_test(ids_grow_with_study_item_and_job),
  };
  return cmocka_run_group_tests(tests, start_server, stop_server);
}
