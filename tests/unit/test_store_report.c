// Text, JSON and CSV of a store show the same studies and the same runs.
#include "report/store_report.h"

#include <math.h>

#include "base/json_tree.h"
#include "store_trial.h"
#include "test.h"

enum { RUNS = 25 };

static MadeRun run_of(int i) { // the best is in the middle; run 3 has no objective
  double objective = i == 3 ? nan("") : 1.0 / 3 + (i - 11) * (i - 11);
  return (MadeRun){objective, i % 3, i % 2, 1000000007L * i};
}

// A study of which all runs are done. Its store.
static Store *made_study(StoreTrial *t, int64_t *study, const StudyEnd *end) {
  store_close(trial_study(t, study));
  Member m = member_join(t, *study);
  member_open(&m, 1, RUNS + 5, 1, false);
  for (int from = 0; from < RUNS;) {
    RecordClaim c;
    MadeRun runs[RUNS];
    assert_true(m.record->claim(m.record, 1, 10, &c));
    int some = from + c.count > RUNS ? RUNS - from : c.count;
    for (int i = 0; i < some; i++) runs[i] = run_of(from + i);
    member_commit(&m, 1, &c, runs, some, 1);
    from += some;
  }
  member_leave(&m, end);
  member_go(&m);
  return trial_open(t);
}

typedef bool Report(Text *to, Store *s, const StoreReport *what, Err *err);

static const char *report(StoreTrial *t, Report *by, Store *s, long study, long best, int width) {
  Text text;
  Err err = {0};
  text_init(&text);
  if (!by(&text, s, &(StoreReport){study, best, {width, false}}, &err)) fail_msg("%s", err.text);
  const char *copy = arena_copy(t->arena, text.at, text.length);
  text_done(&text);
  return copy;
}

static void assert_refused(Report *by, Store *s, long study, long best, const char *says) {
  Text text;
  Err err = {0};
  text_init(&text);
  assert_false(by(&text, s, &(StoreReport){study, best, {80, false}}, &err));
  if (!strstr(err.text, says)) fail_msg("'%s' is not in: %s", says, err.text);
  text_done(&text);
}

static void assert_has(const char *text, const char *part) {
  if (!strstr(text, part)) fail_msg("'%s' is not in:\n%s", part, text);
}

static const char *host_name(void) {
  static char host[256];
  gethostname(host, sizeof host - 1);
  return host;
}

// ---- text

static void text_of_a_study_says_how_it_stands(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Store *s = made_study(t, &study, &(StudyEnd){STUDY_LIMIT, "A limit was reached."});
  for (int by_number = 0; by_number < 2; by_number++) { // the only one is meant
    const char *text = report(t, store_text, s, by_number ? (long)study : 0, 0, 100);
    assert_has(text, "Study 1: basin swing.yaml, limit");
    assert_has(text, "entrain basin swing.yaml --points 100 --threads 2");
    assert_has(text, "A limit was reached.");
    assert_has(text, "25 of 30 runs are done: 9 fine, 8 lost, 8 poor.");
    assert_has(text, "The best objective is 0.33333333.");
    assert_has(text, "0 processes with 0 threads take part in the store now.");
    assert_null(strstr(text, "given up"));
  }
  sql(s, "INSERT INTO loss (study, item, job, why) VALUES (%d, 1, 2, 'x')", (int)study);
  assert_has(report(t, store_text, s, 0, 0, 100), "1 job was given up");
  store_close(s);
}

static void text_shows_the_best_runs_first(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Store *s = made_study(t, &study, &(StudyEnd){STUDY_DONE, NULL});
  const char *text = strstr(report(t, store_text, s, study, 3, 120), "The best runs");
  assert_non_null(text);
  const char *first = strstr(text, " 11 "), *second = strstr(text, " 10 "),
             *third = strstr(text, " 12 ");
  assert_true(first && second && third);
  assert_true(first < second && second < third);
  assert_null(strstr(text, " 13 ")); // three are wanted
  assert_has(text, "outcome");
  assert_has(text, "lost"); // a word, not 2
  assert_has(text, "yes");
  assert_has(text, host_name());
  store_close(s);
}

static void no_line_is_wider_than_the_page(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Store *s = made_study(t, &study, NULL);
  for (int width = 60; width < 160; width += 17) {
    const char *text = report(t, store_text, s, study, 0, width);
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
      assert_true((int)strcspn(at, "\n") <= width);
  }
  store_close(s);
}

static void several_studies_are_a_list(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t first, second;
  store_close(made_study(t, &first, &(StudyEnd){STUDY_DONE, NULL}));
  t->spec.name = "recover other.yaml";
  t->spec.words = "recover\nother.yaml";
  Store *s = trial_study(t, &second);
  const char *text = report(t, store_text, s, 0, 0, 200);
  assert_has(text, "done");
  assert_has(text, "25 of 30");
  assert_has(text, "basin swing.yaml --points 100");
  assert_has(text, "open");
  assert_has(text, "recover other.yaml");
  assert_has(report(t, store_text, s, 2, 0, 80), "Study 2: recover other.yaml, open");
  assert_refused(store_text, s, 0, 5, "2 studies; choose one with --study");
  assert_refused(store_csv, s, 0, 0, "2 studies; choose one with --study");
  store_close(s);
}

static void a_study_that_is_not_there_is_named(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Store *s = trial_study(t, &study);
  Report *const ALL[] = {store_text, store_json, store_csv};
  for (int k = 0; k < 3; k++) assert_refused(ALL[k], s, 7, 0, "no study 7");
  store_close(s);
}

// ---- JSON

static const JsonTree *parsed(StoreTrial *t, const char *text) {
  Err err = {0};
  const JsonTree *tree = json_parse(t->arena, "report", text, &err);
  if (!tree) fail_msg("%s:\n%s", err.text, text);
  const JsonTree *studies = json_find(tree, "studies");
  assert_true(studies && studies->kind == JSON_LIST);
  return studies;
}

static double number_in(const JsonTree *map, const char *key) {
  const JsonTree *v = json_find(map, key);
  if (!v || v->kind != JSON_NUMBER) fail_msg("there is no number %s", key);
  return v->number;
}

static const char *text_in(const JsonTree *map, const char *key) {
  const JsonTree *v = json_find(map, key);
  if (!v || v->kind != JSON_TEXT) fail_msg("there is no text %s", key);
  return v->text;
}

static void json_has_all_runs(void **state) {
  StoreTrial *t = trial_of(state);
  static const char *const WORDS[] = {"fine", "poor", "lost"};
  int64_t study;
  t->spec.tags = "a \"tag\"\\";
  Store *s = made_study(t, &study, &(StudyEnd){STUDY_FAILED, "It\nwas \"so\"."});
  const JsonTree *studies = parsed(t, report(t, store_json, s, 0, 0, 0));
  assert_int_equal(studies->items.count, 1);
  const JsonTree *one = studies->items.at[0];
  assert_close(number_in(one, "study"), 1, 0);
  assert_string_equal(text_in(one, "name"), t->spec.name);
  assert_string_equal(text_in(one, "command"), "basin swing.yaml --points 100");
  assert_string_equal(text_in(one, "state"), "failed");
  assert_string_equal(text_in(one, "note"), "It\nwas \"so\".");
  assert_string_equal(text_in(one, "tags"), t->spec.tags);
  assert_string_equal(text_in(one, "version"), t->spec.version);
  assert_string_equal(text_in(one, "fingerprint"), t->spec.fingerprint);
  assert_close(number_in(one, "runs"), RUNS + 5, 0);
  assert_close(number_in(one, "done"), RUNS, 0);
  assert_close(number_in(one, "lost"), 0, 0);
  assert_close(number_in(one, "best"), 1.0 / 3, 0);
  const JsonTree *outcomes = json_find(one, "outcomes");
  assert_close(number_in(outcomes, "fine"), 9, 0);
  assert_close(number_in(outcomes, "poor"), 8, 0);
  const JsonTree *results = json_find(one, "results");
  assert_int_equal(results->items.count, RUNS);
  for (int i = 0; i < RUNS; i++) {
    const JsonTree *r = results->items.at[i];
    MadeRun run = run_of(i);
    assert_close(number_in(r, "start"), i, 0);
    if (isfinite(run.objective)) assert_close(number_in(r, "objective"), run.objective, 0);
    if (!isfinite(run.objective)) assert_true(json_find(r, "objective")->kind != JSON_NUMBER);
    assert_string_equal(text_in(r, "outcome"), WORDS[run.outcome]);
    assert_int_equal(json_find(r, "good")->kind, JSON_FLAG);
    assert_close(json_find(r, "good")->number, run.good, 0);
    assert_close(number_in(r, "work"), (double)run.work, 0);
    assert_close(number_in(r, "seconds"), 0.5, 0);
    assert_string_equal(text_in(r, "host"), host_name());
  }
  store_close(s);
}

static void json_of_several_studies_has_no_runs(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(made_study(t, &study, NULL));
  t->spec.name = "another";
  Store *s = trial_study(t, &study);
  const JsonTree *studies = parsed(t, report(t, store_json, s, 0, 0, 0));
  assert_int_equal(studies->items.count, 2);
  for (int i = 0; i < 2; i++) {
    assert_close(number_in(studies->items.at[i], "study"), i + 1, 0);
    assert_null(json_find(studies->items.at[i], "results"));
  }
  studies = parsed(t, report(t, store_json, s, 2, 0, 0)); // of one without runs
  assert_int_equal(json_find(studies->items.at[0], "results")->items.count, 0);
  assert_true(json_find(studies->items.at[0], "best")->kind != JSON_NUMBER);
  store_close(s);
}

static void json_of_the_best_is_in_their_order(void **state) {
  StoreTrial *t = trial_of(state);
  static const int ORDER[] = {11, 10, 12, 9, 13};
  int64_t study;
  Store *s = made_study(t, &study, &(StudyEnd){STUDY_DONE, NULL});
  const JsonTree *results =
      json_find(parsed(t, report(t, store_json, s, 0, 5, 0))->items.at[0], "results");
  assert_int_equal(results->items.count, 5);
  for (int i = 0; i < 5; i++) assert_close(number_in(results->items.at[i], "start"), ORDER[i], 0);
  store_close(s);
}

// ---- CSV

static void csv_has_a_row_for_each_run(void **state) {
  StoreTrial *t = trial_of(state);
  static const char *const WORDS[] = {"fine", "poor", "lost"};
  int64_t study;
  Store *s = made_study(t, &study, &(StudyEnd){STUDY_DONE, NULL});
  const char *at = report(t, store_csv, s, 0, 0, 0);
  static const char HEAD[] = "set,start,objective,outcome,good,work,seconds,host\n";
  assert_int_equal(strncmp(at, HEAD, strlen(HEAD)), 0);
  at += strlen(HEAD);
  for (int i = 0; i < RUNS; i++) {
    char row[400];
    const char *cells[8] = {0};
    size_t length = strcspn(at, "\n");
    assert_int_equal(at[length], '\n');
    snprintf(row, sizeof row, "%.*s", (int)length, at);
    int count = 0;
    for (char *cell = row, *next; cell; cell = next, count++) {
      next = strchr(cell, ',');
      if (next) *next++ = 0;
      assert_true(count < 8);
      cells[count] = cell;
    }
    MadeRun run = run_of(i);
    assert_int_equal(count, 8);
    assert_string_equal(cells[0], "1");
    assert_int_equal(atoi(cells[1]), i);
    if (isfinite(run.objective)) assert_close(strtod(cells[2], NULL), run.objective, 0);
    assert_string_equal(cells[3], WORDS[run.outcome]);
    assert_int_equal(atoi(cells[4]), run.good);
    assert_close(strtod(cells[5], NULL), (double)run.work, 0);
    assert_close(strtod(cells[6], NULL), 0.5, 0);
    assert_string_equal(cells[7], host_name());
    at += length + 1;
  }
  assert_string_equal(at, "");
  store_close(s);
}

static void csv_of_nothing_is_empty(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Store *s = trial_study(t, &study);
  assert_string_equal(report(t, store_csv, s, 0, 0, 0), "");
  store_close(s);
}

int main(void) {
  (void)POSTGRESQL; // test_study_view has both
  const struct CMUnitTest tests[] = {
      IN(SQLITE, text_of_a_study_says_how_it_stands),
      IN(SQLITE, text_shows_the_best_runs_first),
      IN(SQLITE, no_line_is_wider_than_the_page),
      IN(SQLITE, several_studies_are_a_list),
      IN(SQLITE, a_study_that_is_not_there_is_named),
      IN(SQLITE, json_has_all_runs),
      IN(SQLITE, json_of_several_studies_has_no_runs),
      IN(SQLITE, json_of_the_best_is_in_their_order),
      IN(SQLITE, csv_has_a_row_for_each_run),
      IN(SQLITE, csv_of_nothing_is_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
