// What a look at a study shows is what was committed: counts, runs in their order, the best first.
#include "store/study_view.h"

#include <math.h>

#include "store_trial.h"
#include "test.h"

enum { RUNS_MOST = 5000 };

typedef struct ShownRun {
  int64_t item;
  long number;
  MadeRun run;
} ShownRun;

typedef struct Shown {
  ShownRun at[RUNS_MOST];
  int count, most; // most 0: all
  char host[256];
} Shown;

static bool show(void *data, const StudyRun *run) {
  Shown *s = data;
  assert_true(s->count < RUNS_MOST);
  assert_string_equal(run->layout->kind, "start");
  assert_int_equal(run->layout->column_count, 4);
  assert_close(run->seconds, 0.5, 1e-12);
  assert_string_equal(run->host, s->host);
  ShownRun *one = &s->at[s->count++];
  one->item = run->item;
  one->number = run->number;
  memcpy(&one->run, run->bytes, sizeof one->run);
  return s->count != s->most;
}

static Shown *shown(Store *store, int64_t study, long best, int most) {
  Shown *s = calloc(1, sizeof *s);
  Err err = {0};
  gethostname(s->host, sizeof s->host - 1);
  s->most = most;
  if (!study_runs(store, study, best, show, s, &err)) fail_msg("%s", err.text);
  return s;
}

// ---- a study with known runs

typedef struct Known {
  ShownRun at[RUNS_MOST];
  int count;
} Known;

static double draw(uint64_t *seed) {
  *seed = record_digest(*seed, "x", 1);
  return (double)(*seed >> 11) * 0x1p-53;
}

// A set of jobs with `each` runs, of which the first `done` are committed in several claims. Objectives are few, so that many are
// the same, and some are no numbers.
static void add_set(Member *m, Known *k, int64_t item, long count, int each, long done,
                    int levels) {
  uint64_t seed = 17 + (uint64_t)item;
  member_open(m, item, count, each, false);
  MadeRun *runs = calloc((size_t)(count * each) + 1, sizeof *runs);
  for (long from = 0; from < done;) {
    RecordClaim c;
    assert_true(m->record->claim(m->record, item, 300, &c));
    assert_int_equal(c.first, from);
    int some = c.first + c.count > done ? (int)(done - c.first) : c.count;
    for (int i = 0; i < some * each; i++) {
      double u = draw(&seed), objective = floor(levels * draw(&seed));
      runs[i] = (MadeRun){u < 0.05  ? nan("")
                          : u < 0.1 ? HUGE_VAL
                                    : objective,
                          (int)(3 * draw(&seed)), draw(&seed) < 0.5, (long)(1e6 * draw(&seed))};
      assert_true(k->count < RUNS_MOST);
      k->at[k->count++] = (ShownRun){item, from * each + i, runs[i]};
    }
    member_commit(m, item, &c, runs, some, each);
    from += some;
  }
  free(runs);
}

static Known *known_new(void) {
  return calloc(1, sizeof(Known));
}

static int by_rank(const void *a, const void *b) {
  const ShownRun *x = a, *y = b;
  if (x->run.objective != y->run.objective) return x->run.objective < y->run.objective ? -1 : 1;
  if (x->item != y->item) return x->item < y->item ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

static int by_number(const void *a, const void *b) {
  const ShownRun *x = a, *y = b;
  if (x->item != y->item) return x->item < y->item ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

// Those with an objective, the best first.
static Known *ranked(const Known *k) {
  Known *r = known_new();
  for (int i = 0; i < k->count; i++)
    if (isfinite(k->at[i].run.objective)) r->at[r->count++] = k->at[i];
  qsort(r->at, (size_t)r->count, sizeof *r->at, by_rank);
  return r;
}

static void assert_same(const Shown *s, const Known *k, int count) {
  assert_int_equal(s->count, count);
  for (int i = 0; i < count; i++) {
    const ShownRun *x = &s->at[i], *y = &k->at[i];
    if (x->item != y->item || x->number != y->number)
      fail_msg("run %d is %lld.%ld, not %lld.%ld", i, (long long)x->item, x->number,
               (long long)y->item, y->number);
    assert_memory_equal(&x->run.objective, &y->run.objective, sizeof(double));
    assert_int_equal(x->run.outcome, y->run.outcome);
    assert_int_equal(x->run.good, y->run.good);
    assert_int_equal(x->run.work, y->run.work);
  }
}

static void assert_best(Store *s, int64_t study, const Known *k, const long *bests, int count) {
  Known *r = ranked(k);
  for (int i = 0; i < count; i++) {
    Shown *found = shown(s, study, bests[i], 0);
    assert_same(found, r, bests[i] < r->count ? (int)bests[i] : r->count);
    free(found);
  }
  free(r);
}

static void assert_progress(Store *store, StoreTrial *t, int64_t study, const Known *k,
                            long total) {
  static const char *const WORDS[] = {"fine", "poor", "lost"}; // in the order of outcomes
  StudyProgress p;
  Err err = {0};
  assert_true(study_progress(store, t->arena, study, &p, &err));
  assert_int_equal(p.total, total);
  assert_int_equal(p.done, k->count);
  assert_close(p.busy, 0.5 * k->count, 1e-9);
  double best = nan("");
  long ended[3] = {0};
  for (int i = 0; i < k->count; i++) {
    double v = k->at[i].run.objective;
    if (isfinite(v) && !(v >= best)) best = v;
    ended[k->at[i].run.outcome]++;
  }
  if (isnan(best)) assert_true(isnan(p.best));
  if (!isnan(best)) assert_close(p.best, best, 0);
  int words = 0;
  for (int w = 0; w < 3; w++) {
    long runs = 0;
    for (int i = 0; i < p.ended_count; i++)
      if (strcmp(p.ended[i].word, WORDS[w]) == 0) runs = p.ended[i].runs;
    assert_int_equal(runs, ended[w]);
    words += ended[w] > 0;
  }
  assert_int_equal(p.ended_count, words);
}

// ---- laws

static void progress_is_what_was_committed(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Known *k = known_new();
  store_close(trial_study(t, &study));
  Member m = member_join(t, study), other = member_come(t, 3);
  assert_progress(m.store, t, study, k, 0);
  m.record->add(m.record, 0, "seconds", 1, 1000, "x", 1); // an item is no run
  add_set(&m, k, 1, 40, 1, 0, 5);
  assert_progress(m.store, t, study, k, 40);
  add_set(&m, k, 2, 40, 3, 25, 5);
  assert_progress(m.store, t, study, k, 160);
  add_set(&m, k, 3, 7, 1, 7, 5);
  assert_progress(m.store, t, study, k, 167);
  StudyProgress p;
  Err err = {0};
  assert_true(study_progress(m.store, t->arena, study, &p, &err));
  assert_int_equal(p.state, STUDY_OPEN);
  assert_int_equal(p.workers, 2);
  assert_int_equal(p.threads, 4);
  assert_int_equal(p.lost, 0);
  sql(m.store, "INSERT INTO loss (study, item, job, why) VALUES (%d, 2, 3, 'x')", (int)study);
  member_go(&other);
  member_leave(&m, &(StudyEnd){STUDY_DONE, NULL});
  assert_true(study_progress(m.store, t->arena, study, &p, &err));
  assert_int_equal(p.state, STUDY_DONE);
  assert_int_equal(p.workers, 1);
  assert_int_equal(p.lost, 1);
  assert_true(p.seconds > 0);
  member_go(&m);
  free(k);
}

static void runs_come_in_their_order(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Known *k = known_new();
  store_close(trial_study(t, &study));
  Member m = member_join(t, study);
  Shown *none = shown(m.store, study, 0, 0);
  assert_int_equal(none->count, 0);
  free(none);
  add_set(&m, k, 5, 30, 4, 30, 9);
  add_set(&m, k, 2, 700, 1, 650, 9); // more than are read at once
  add_set(&m, k, 3, 10, 2, 0, 9);
  qsort(k->at, (size_t)k->count, sizeof *k->at, by_number);
  Shown *all = shown(m.store, study, 0, 0);
  assert_same(all, k, k->count);
  free(all);
  for (int most = 1; most < 700; most += 333) { // until the reader has enough
    Shown *some = shown(m.store, study, 0, most);
    assert_same(some, k, most);
    free(some);
  }
  member_go(&m);
  free(k);
}

static void the_best_come_first_and_ties_in_their_order(void **state) {
  StoreTrial *t = trial_of(state);
  static const long BESTS[] = {1, 2, 5, 10, 33, 100, 100000};
  int64_t study;
  Known *k = known_new();
  store_close(trial_study(t, &study));
  Member m = member_join(t, study);
  add_set(&m, k, 1, 60, 1, 60, 6);
  add_set(&m, k, 2, 50, 4, 50, 6); // some runs of a job are among the best, others are not
  assert_best(m.store, study, k, BESTS, 7);
  assert_close(sql(m.store, "SELECT count(*) FROM best"), 0, 0);
  member_leave(&m, &(StudyEnd){STUDY_DONE, NULL});
  assert_true(sql(m.store, "SELECT count(*) FROM best") > 50); // the list is made
  assert_best(m.store, study, k, BESTS, 7);
  Shown *one = shown(m.store, study, 10, 1);
  assert_int_equal(one->count, 1);
  free(one);
  member_go(&m);
  free(k);
}

static void more_than_the_list_of_the_best_holds_are_found(void **state) {
  StoreTrial *t = trial_of(state);
  static const long BESTS[] = {3, STUDY_BEST - 1, STUDY_BEST, STUDY_BEST + 1, 1250, 100000};
  int64_t study;
  Known *k = known_new();
  store_close(trial_study(t, &study));
  Member m = member_join(t, study);
  add_set(&m, k, 1, 1600, 1, 1600, 400);
  assert_best(m.store, study, k, BESTS, 6);
  member_leave(&m, &(StudyEnd){STUDY_DONE, NULL});
  assert_close(sql(m.store, "SELECT count(*) FROM best"), STUDY_BEST, 0);
  assert_best(m.store, study, k, BESTS, 6);
  member_go(&m);
  free(k);
}

static void studies_are_not_mixed(void **state) {
  StoreTrial *t = trial_of(state);
  static const long BESTS[] = {1, 20, 1000};
  int64_t study[2];
  Known *k[2] = {known_new(), known_new()};
  store_close(trial_study(t, &study[0]));
  t->spec.name = "another";
  store_close(trial_study(t, &study[1]));
  for (int i = 0; i < 2; i++) {
    Member m = member_join(t, study[i]);
    add_set(&m, k[i], 1 + i, 50 + i, 2, 50 + i, 40);
    member_leave(&m, &(StudyEnd){STUDY_DONE, NULL});
    member_go(&m);
  }
  Store *s = trial_open(t);
  for (int i = 0; i < 2; i++) {
    assert_progress(s, t, study[i], k[i], 2 * (50 + i));
    assert_best(s, study[i], k[i], BESTS, 3);
    Shown *all = shown(s, study[i], 0, 0);
    assert_same(all, k[i], k[i]->count);
    free(all);
    free(k[i]);
  }
  store_close(s);
}

// Sets that are parts of a search: their jobs have objectives, too, and better ones.
static void add_parts(Member *m, int64_t item) {
  static const RecordLayout PARTS = {"residuals", 0, sizeof(MadeRun), MADE_COLUMNS, 1};
  MadeRun runs[30];
  RecordClaim c;
  for (int i = 0; i < 30; i++) runs[i] = (MadeRun){.objective = -1 - i};
  assert_true(m->record->open_set(m->record, item, &(RecordSet){&PARTS, 60, 60, false, 9}));
  assert_true(m->record->claim(m->record, item, 30, &c));
  assert_int_equal(c.count, 30);
  RecordedJob jobs[30];
  Text packed[30];
  for (int i = 0; i < 30; i++) {
    text_init(&packed[i]);
    record_pack(&packed[i], &runs[i], sizeof runs[i]);
    jobs[i] = (RecordedJob){.number = c.first + i,
                            .first = c.first + i,
                            .runs = 1,
                            .seconds = 1,
                            .bytes = packed[i].at,
                            .length = packed[i].length};
    record_summarise(&PARTS, &runs[i], &jobs[i]);
  }
  m->record->commit(m->record, item, &PARTS, &c, jobs, 30);
  for (int i = 0; i < 30; i++) text_done(&packed[i]);
}

static void parts_of_a_search_are_no_runs(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Known *k = known_new();
  store_close(trial_study(t, &study));
  Member m = member_join(t, study);
  add_set(&m, k, 1, 40, 1, 40, 9);
  add_parts(&m, 2);
  assert_progress(m.store, t, study, k, 40);
  Shown *all = shown(m.store, study, 0, 0);
  assert_same(all, k, k->count);
  free(all);
  member_go(&m);
  free(k);
}

static void parts_of_a_search_do_not_take_the_place_of_the_best_runs(void **state) {
  StoreTrial *t = trial_of(state);
  static const long BESTS[] = {1, 10};
  int64_t study;
  Known *k = known_new();
  store_close(trial_study(t, &study));
  Member m = member_join(t, study);
  add_set(&m, k, 1, 40, 1, 40, 9);
  add_parts(&m, 2);
  assert_best(m.store, study, k, BESTS, 2);
  member_leave(&m, &(StudyEnd){STUDY_DONE, NULL});
  assert_best(m.store, study, k, BESTS, 2);
  member_go(&m);
  free(k);
}

static void a_damaged_answer_hides_no_other(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Known *k = known_new();
  store_close(trial_study(t, &study));
  Member m = member_join(t, study);
  add_set(&m, k, 1, 1300, 1, 1300, 9);
  DbValue values[] = {db_bytes("\x7f", 1), db_int(job_id(study, 1, 100))};
  assert_true(
      store_query(m.store, "UPDATE job SET answer = $1 WHERE id = $2", values, 2, NULL, NULL));
  Shown *all = shown(m.store, study, 0, 0);
  memmove(&k->at[100], &k->at[101], (size_t)(k->count - 101) * sizeof *k->at);
  assert_same(all, k, k->count - 1);
  free(all);
  member_go(&m);
  free(k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_BOTH(progress_is_what_was_committed),
      IN_BOTH(runs_come_in_their_order),
      IN_BOTH(the_best_come_first_and_ties_in_their_order),
      IN_BOTH(more_than_the_list_of_the_best_holds_are_found),
      IN_BOTH(studies_are_not_mixed),
      IN_BOTH(parts_of_a_search_are_no_runs),
      IN_BOTH(parts_of_a_search_do_not_take_the_place_of_the_best_runs),
      IN_BOTH(a_damaged_answer_hides_no_other),
  };
  return cmocka_run_group_tests(tests, start_server, stop_server);
}
