// Whoever takes part is known as long as it lives, and what it had is free as soon as it is gone.
#include "store/participant.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "store_trial.h"
#include "test.h"

static double of_worker(const Member *m, const char *column) {
  return sql(m->store, "SELECT %s FROM worker WHERE id = %d", column, (int)member_id(m));
}

// A claim, a part and the lead, for long.
static void give_all(const Member *m, int64_t worker, int64_t study) {
  sql(m->store,
      "INSERT INTO claim (study, item, first, count, worker, made, until, tries, copied) VALUES "
      "(%d, 1, 0, 5, %d, {now}, {now} + 1000.0, 1, 0)",
      (int)study, (int)worker);
  sql(m->store,
      "INSERT INTO part (study, item, job, number, worker, until, tries, seconds) VALUES (%d, 1, "
      "0, %d, %d, {now} + 1000.0, 0, 0.0)",
      (int)study, (int)worker, (int)worker);
  sql(m->store, "UPDATE study SET leader = %d, until = {now} + 1000.0", (int)worker);
}

static double held(const Member *m) { // claims and parts whose time lasts, and the lead
  return sql(m->store, "SELECT count(*) FROM claim WHERE until > {now}") +
         10 * sql(m->store, "SELECT count(*) FROM part WHERE until > {now}") +
         100 * sql(m->store, "SELECT count(*) FROM study WHERE leader <> 0 AND until > {now}");
}

// Somebody who looks like this process but for some columns.
static int64_t forge(const Member *like, const char *boot, const char *process,
                     const char *started) {
  return (int64_t)sql(
      like->store,
      "INSERT INTO worker (host, boot, process, started, threads, tags, fingerprint, began, seen, "
      "gone, study, done, repeated) SELECT host, %s, %s, %s, 1, tags, fingerprint, began, seen, 0, "
      "0, 0, 0 FROM worker WHERE id = %d RETURNING id",
      boot, process, started, (int)member_id(like));
}

static void its_row_says_who_it_is(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Err err = {0};
  store_close(trial_study(t, &study));
  Member m = {.store = trial_open(t)};
  ParticipantAbout about = {3, "gpu,fast", "8 lanes, libm"};
  m.participant = participant_new(m.store, &about, &err);
  assert_non_null(m.participant);
  assert_ptr_equal(participant_store(m.participant), m.store);
  assert_int_equal(participant_threads(m.participant), 3);
  assert_close(of_worker(&m, "process"), getpid(), 0);
  assert_true(of_worker(&m, "started") > 0);
  assert_close(of_worker(&m, "threads"), 3, 0);
  assert_close(of_worker(&m, "gone"), 0, 0);
  assert_close(of_worker(&m, "{now} - seen"), 0, 60);
  assert_close(sql(m.store, "SELECT count(*) FROM worker WHERE tags = 'gpu,fast' AND fingerprint "
                            "= '8 lanes, libm' AND boot <> '' AND host <> ''"),
               1, 0);
  Member other = member_come(t, 1);
  assert_true(member_id(&other) != member_id(&m));
  member_go(&other);
  member_go(&m);
}

static void whoever_leaves_gives_all_back_and_no_try_counts(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  Member a = member_come(t, 1), b = member_come(t, 1);
  int64_t left = member_id(&b);
  give_all(&a, left, study);
  assert_close(held(&a), 111, 0);
  member_go(&b);
  assert_close(held(&a), 0, 0);
  assert_close(sql(a.store, "SELECT gone FROM worker WHERE id = %d", (int)left), 1, 0);
  assert_close(sql(a.store, "SELECT worker FROM claim"), 0, 0); // nobody's: no try
  assert_close(sql(a.store, "SELECT tries FROM claim"), 1, 0);
  assert_close(sql(a.store, "SELECT worker FROM part"), 0, 0);
  assert_close(sql(a.store, "SELECT leader FROM study"), 0, 0);
  member_go(&a);
}

static void the_dead_are_buried_at_once(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  Member a = member_come(t, 1);
  int64_t dead = forge(&a, "boot", "2000000000", "12345");
  give_all(&a, dead, study);
  Member b = member_come(t, 1);
  assert_close(held(&a), 0, 0);
  assert_close(sql(a.store, "SELECT gone FROM worker WHERE id = %d", (int)dead), 1, 0);
  assert_close(sql(a.store, "SELECT worker FROM claim"), (double)dead, 0); // so that a try counts
  assert_close(of_worker(&a, "gone") + of_worker(&b, "gone"), 0, 0);
  member_go(&a);
  member_go(&b);
}

// Ticks of the machine at which a process began, as text.
static const char *start_of(Arena *a, pid_t process) {
  char text[1000] = "";
  FILE *f = fopen(arena_print(a, "/proc/%ld/stat", (long)process), "r");
  assert_non_null(f);
  size_t length = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[length] = 0;
  const char *at = strrchr(text, ')');
  for (int field = 2; field < 22; field++) at = strchr(at + 1, ' ');
  return arena_copy(a, at + 1, strcspn(at + 1, " "));
}

// The number of a process is given again, and a child that ended may wait for its parent.
static void a_process_is_known_by_its_number_and_its_start(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  Member a = member_come(t, 1);
  int64_t same = forge(&a, "boot", "process", "started + 1");
  pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t info;
  waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT); // it is a zombie now
  int64_t zombie =
      forge(&a, "boot", arena_print(t->arena, "%ld", (long)child), start_of(t->arena, child));
  assert_close(strtod(start_of(t->arena, getpid()), NULL), of_worker(&a, "started"), 0);
  Member b = member_come(t, 1);
  assert_close(sql(a.store, "SELECT gone FROM worker WHERE id = %d", (int)same), 1, 0);
  assert_close(sql(a.store, "SELECT gone FROM worker WHERE id = %d", (int)zombie), 1, 0);
  waitpid(child, NULL, 0);
  member_go(&a);
  member_go(&b);
}

static void of_other_machines_nobody_knows(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  Member a = member_come(t, 1);
  int64_t far = forge(&a, "'another machine'", "2000000000", "12345");
  int64_t near = forge(&a, "boot", "process", "started"); // another store of this process
  give_all(&a, far, study);
  Member b = member_come(t, 1);
  assert_close(held(&a), 111, 0);
  assert_close(sql(a.store, "SELECT gone FROM worker WHERE id = %d", (int)far), 0, 0);
  assert_close(sql(a.store, "SELECT gone FROM worker WHERE id = %d", (int)near), 0, 0);
  member_go(&a);
  member_go(&b);
}

static void looking_for_the_dead_is_not_done_often(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  Member a = member_come(t, 1); // it has looked
  double begin = clock_seconds();
  int64_t dead = forge(&a, "boot", "2000000000", "12345");
  participant_bury_dead(a.participant);
  double gone = sql(a.store, "SELECT gone FROM worker WHERE id = %d", (int)dead);
  if (clock_seconds() - begin < 0.4) assert_close(gone, 0, 0);
  while (clock_seconds() - begin < 0.6) usleep(20000);
  participant_bury_dead(a.participant);
  assert_close(sql(a.store, "SELECT gone FROM worker WHERE id = %d", (int)dead), 1, 0);
  member_go(&a);
}

typedef struct Ticks {
  atomic_int begun, ended;
  atomic_bool slow;
} Ticks;

static void tick(void *data) {
  Ticks *t = data;
  atomic_fetch_add(&t->begun, 1);
  while (atomic_load(&t->slow) && patience_asks()) usleep(1000);
  atomic_fetch_add(&t->ended, 1);
}

// Its thread calls, and whoever takes the call away may forget what it needs.
static void ticks_come_until_they_are_taken_away(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Ticks ticks = {0};
  store_close(trial_study(t, &study));
  Member a = member_come(t, 1);
  participant_tick(a.participant, tick, &ticks);
  double begin = clock_seconds();
  while (atomic_load(&ticks.ended) < 1) {
    assert_true(clock_seconds() < begin + 60);
    usleep(1000);
  }
  atomic_store(&ticks.slow, true); // one that would never end
  int before = atomic_load(&ticks.begun);
  while (atomic_load(&ticks.begun) == before) usleep(1000);
  participant_tick(a.participant, NULL, NULL);
  assert_int_equal(atomic_load(&ticks.begun), atomic_load(&ticks.ended));
  int last = atomic_load(&ticks.begun);
  usleep(250000);
  assert_int_equal(atomic_load(&ticks.begun), last);
  member_go(&a);
}

static void a_store_that_fails_takes_nobody(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Err err = {0};
  store_close(trial_study(t, &study));
  Store *s = trial_open(t);
  sql(s, "DROP TABLE worker");
  ParticipantAbout about = {1, "", ""};
  assert_null(participant_new(s, &about, &err));
  assert_true(s->failed);
  assert_non_null(strstr(err.text, "worker"));
  store_close(s);
  participant_free(NULL);
}

int main(void) {
  (void)POSTGRESQL; // test_study_record and test_store have both
  const struct CMUnitTest tests[] = {
      IN(SQLITE, its_row_says_who_it_is),
      IN(SQLITE, whoever_leaves_gives_all_back_and_no_try_counts),
      IN(SQLITE, the_dead_are_buried_at_once),
      IN(SQLITE, a_process_is_known_by_its_number_and_its_start),
      IN(SQLITE, of_other_machines_nobody_knows),
      IN(SQLITE, looking_for_the_dead_is_not_done_often),
      IN(SQLITE, ticks_come_until_they_are_taken_away),
      IN(SQLITE, a_store_that_fails_takes_nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
