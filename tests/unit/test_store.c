// A store is made once, whoever comes first, and knows a study by what it was asked and by what it was read from.
#include "store/store.h"

#include <dirent.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "store_trial.h"
#include "test.h"

static void a_new_store_has_its_study(void **state) {
  StoreTrial *t = trial_of(state);
  Err err = {0};
  int64_t study = 0;
  bool is_new = false;
  Store *s = store_make(t->place, &t->spec, &study, &is_new, &err);
  assert_non_null(s);
  assert_true(is_new);
  assert_int_equal(study, 1);
  store_close(s);
  s = trial_open(t);
  StudyRow *rows, row;
  int count = 0;
  assert_true(store_studies(s, t->arena, &rows, &count, &err));
  assert_int_equal(count, 1);
  assert_true(store_study(s, t->arena, study, &row, &err));
  assert_int_equal(row.number, study);
  assert_string_equal(row.name, t->spec.name);
  assert_string_equal(row.words, t->spec.words);
  assert_string_equal(row.all_words, t->spec.all_words);
  assert_string_equal(row.version, t->spec.version);
  assert_string_equal(row.fingerprint, t->spec.fingerprint);
  assert_string_equal(row.tags, t->spec.tags);
  assert_string_equal(row.note, "");
  assert_int_equal(row.state, STUDY_OPEN);
  assert_close(row.made, (double)time(NULL), 60);
  assert_close(row.seconds, 0, 0);
  store_close(s);
}

static void files_come_back_as_they_were_noted(void **state) {
  StoreTrial *t = trial_of(state);
  Err err = {0};
  int64_t study;
  Sha256 hash = sha256_of("program", 7);
  file_set_add_closed(t->files, "bin/motor", FILE_REGULAR, &hash);
  file_set_add_name(t->files, "folder", FILE_FOLDER);
  file_set_add(t->files, "pipe", FILE_OTHER, "", 0);
  file_set_add_variable(t->files, "MODELS", "/a:/b");
  Store *s = trial_study(t, &study);
  FileSet *back = store_files(s, t->arena, study, &err);
  assert_non_null(back);
  assert_int_equal(file_set_count(back), file_set_count(t->files));
  for (int i = 0; i < file_set_count(back); i++) {
    const NotedFile *f = file_set_at(back, i), *was = file_set_at(t->files, i);
    assert_string_equal(f->path, was->path);
    assert_int_equal(f->kind, was->kind);
    assert_int_equal(f->closed, was->closed);
    assert_int_equal(f->length, was->length);
    assert_int_equal(f->bytes != NULL, was->bytes != NULL);
    if (f->bytes) assert_memory_equal(f->bytes, was->bytes, f->length + 1);
    if (f->bytes || f->closed) assert_true(sha256_equal(&f->hash, &was->hash));
  }
  assert_int_equal(file_set_variable_count(back), 1);
  assert_string_equal(file_set_variable(back, "MODELS"), "/a:/b");
  store_close(s);
}

// ---- making

static int names_in(const char *folder) {
  DIR *d = opendir(folder);
  int count = 0;
  for (struct dirent *e = readdir(d); e; e = readdir(d)) count += e->d_name[0] != '.';
  closedir(d);
  return count;
}

static void only_the_store_is_left_behind(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  assert_int_equal(names_in(t->folder), 1);
}

static void what_is_not_there_is_not_opened(void **state) {
  StoreTrial *t = trial_of(state);
  Err err = {0};
  assert_null(store_open(t->place, &err)); // the server has no tables yet
  assert_int_equal(err.code, ERR_FILE);
  assert_non_null(strstr(err.text, t->place));
  if (!t->postgresql) assert_int_equal(names_in(t->folder), 0);
}

static void a_file_that_is_no_store_is_left_alone(void **state) {
  StoreTrial *t = trial_of(state);
  Err err = {0};
  int64_t study;
  Db *db = db_open(t->place, !t->postgresql, &err);
  assert_true(db_run(db, "CREATE TABLE v (i {int})", NULL, 0, NULL, NULL, NULL, &err));
  db_close(db);
  if (!t->postgresql) { // a server has room for both
    assert_null(store_begin(t->place, &t->spec, false, &study, &err));
    assert_non_null(strstr(err.text, "no store of entrain"));
  }
  err = (Err){0};
  assert_null(store_open(t->place, &err));
  assert_non_null(strstr(err.text, "no store of entrain"));
  db = db_open(t->place, false, &err);
  assert_true(db_run(db, "DROP TABLE v", NULL, 0, NULL, NULL, NULL, &err));
  db_close(db);
}

static void a_place_that_cannot_be_is_named(void **state) {
  StoreTrial *t = trial_of(state);
  Err err = {0};
  int64_t study;
  const char *place = arena_print(t->arena, "%s/missing/x.db", t->folder);
  assert_null(store_begin(place, &t->spec, false, &study, &err));
  assert_int_equal(err.code, ERR_FILE);
  assert_non_null(strstr(err.text, "missing/x.db"));
  assert_int_equal(names_in(t->folder), 0);
}

enum { MAKERS = 4 };

typedef struct Makers { // in memory that processes share
  atomic_int ready;
  int64_t study[MAKERS];
  bool done[MAKERS];
} Makers;

// Several processes begin a study at the same moment.
static void make_together(const StoreTrial *t, Makers *shared) {
  pid_t children[MAKERS];
  for (int k = 0; k < MAKERS; k++) {
    children[k] = fork();
    if (children[k]) continue;
    Err err = {0};
    atomic_fetch_add(&shared->ready, 1);
    while (atomic_load(&shared->ready) < MAKERS) usleep(10);
    Store *s = store_begin(t->place, &t->spec, false, &shared->study[k], &err);
    if (!s) fprintf(stderr, "%s\n", err.text);
    shared->done[k] = s != NULL;
    store_close(s);
    _exit(0);
  }
  for (int k = 0; k < MAKERS; k++) waitpid(children[k], NULL, 0);
}

static Makers *makers_new(void) {
  Makers *m = mmap(NULL, sizeof(Makers), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(m != MAP_FAILED);
  return m;
}

static void assert_one_study(const StoreTrial *t, const Makers *m, int before) {
  for (int k = 0; k < MAKERS; k++) {
    assert_true(m->done[k]);
    assert_int_equal(m->study[k], m->study[0]);
  }
  Store *s = trial_open(t);
  assert_close(sql(s, "SELECT count(*) FROM study"), before + 1, 0);
  assert_close(sql(s, "SELECT count(*) FROM file"), 2 * (before + 1), 0);
  store_close(s);
}

static void several_who_make_a_store_make_one(void **state) {
  StoreTrial *t = trial_of(state);
  Makers *m = makers_new();
  make_together(t, m);
  assert_one_study(t, m, 0);
  if (!t->postgresql) assert_int_equal(names_in(t->folder), 1);
  munmap(m, sizeof *m);
}

// The same command in a store that is there, in which the study is new.
static void several_who_begin_a_study_begin_one(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  store_close(trial_study(t, &study));
  for (int turn = 0; turn < 3; turn++) {
    Makers *m = makers_new();
    t->spec.name = arena_print(t->arena, "recover %d.yaml", turn);
    make_together(t, m);
    assert_one_study(t, m, turn + 1);
    munmap(m, sizeof *m);
  }
}

// ---- the study of a command

static void the_same_study_is_found_again(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t first, again, other;
  store_close(trial_study(t, &first));
  StudySpec spec = t->spec;
  t->spec.all_words = "basin\nswing.yaml\n--points\n100\n--threads\n9"; // which change no result
  t->spec.tags = "";
  store_close(trial_study(t, &again));
  assert_int_equal(again, first);
  t->spec = spec;
  t->spec.name = "basin other.yaml";
  store_close(trial_study(t, &other));
  assert_int_equal(other, first + 1);
  t->spec = spec;
  store_close(trial_study(t, &again));
  assert_int_equal(again, first);
}

typedef struct Change {
  const char *words, *version, *fingerprint, *changed, *added, *missing, *says;
} Change;

static void what_differs_is_named(void **state) {
  StoreTrial *t = trial_of(state);
  static const Change CHANGES[] = {
      {.words = "basin\nswing.yaml\n--points\n200", .says = "'200' is new on the command line"},
      {.words = "basin\nswing.yaml\n--points\n200", .says = "'100' was on the command line then"},
      {.words = "basin\nswing.yaml\n--points", .says = "'100' was on the command line then"},
      {.words = "basin\n--points\n100\nswing.yaml", .says = "stand in another order"},
      {.words = "basin\nswing.yaml\n--points\n1000",
       .says = "'100' was on the command line"}, // and begins it
      {.version = "1.3 abc", .says = "it was begun by 1.2 abc, this is 1.3 abc"},
      {.fingerprint = "4 lanes", .says = "computes differently (4 lanes; then 8 lanes)"},
      {.changed = "swing.mo", .says = "'swing.mo' has changed"},
      {.added = "new.mo", .says = "'new.mo' was not read then"},
      {.missing = "swing.mo", .says = "'swing.mo' is not read any more"},
  };
  int64_t first, study;
  store_close(trial_study(t, &first));
  for (size_t i = 0; i < sizeof CHANGES / sizeof *CHANGES; i++) {
    const Change *c = &CHANGES[i];
    Err err = {0};
    FileSet *files = file_set_new(t->arena);
    for (int k = 0; k < file_set_count(t->files); k++) {
      const NotedFile *f = file_set_at(t->files, k);
      if (c->missing && strcmp(f->path, c->missing) == 0) continue;
      bool changed = c->changed && strcmp(f->path, c->changed) == 0;
      file_set_add(files, f->path, f->kind, changed ? "other" : f->bytes, changed ? 5 : f->length);
    }
    if (c->added) file_set_add(files, c->added, FILE_REGULAR, "x", 1);
    StudySpec spec = trial_spec(files);
    if (c->words) spec.words = c->words;
    if (c->version) spec.version = c->version;
    if (c->fingerprint) spec.fingerprint = c->fingerprint;
    Store *s = store_begin(t->place, &spec, false, &study, &err);
    assert_null(s);
    assert_int_equal(err.code, ERR_VALUE);
    if (!strstr(err.text, c->says)) fail_msg("'%s' is not in: %s", c->says, err.text);
    assert_non_null(strstr(err.text, "--fork"));
    assert_non_null(strstr(err.text, "study 1 "));
  }
  Store *s = trial_open(t);
  StudyRow row;
  Err err = {0};
  assert_true(store_study(s, t->arena, first, &row, &err));
  assert_string_equal(store_differences(s, t->arena, &row, &t->spec, &err), "");
  store_close(s);
}

static void closed_files_are_compared_by_their_hashes(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t first, again;
  Err err = {0};
  Sha256 hash = sha256_of("program", 7), other = sha256_of("Program", 7);
  file_set_add_closed(t->files, "bin/motor", FILE_REGULAR, &hash);
  store_close(trial_study(t, &first));
  store_close(trial_study(t, &again));
  assert_int_equal(again, first);
  FileSet *files = file_set_new(t->arena);
  for (int k = 0; k < file_set_count(t->files); k++) {
    const NotedFile *f = file_set_at(t->files, k);
    if (f->bytes) file_set_add(files, f->path, f->kind, f->bytes, f->length);
  }
  file_set_add_closed(files, "bin/motor", FILE_REGULAR, &other);
  StudySpec spec = trial_spec(files);
  assert_null(store_begin(t->place, &spec, false, &again, &err));
  assert_non_null(strstr(err.text, "'bin/motor' has changed"));
}

static void a_fork_is_a_study_of_its_own(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t first, forked, again;
  Err err = {0};
  store_close(trial_study(t, &first));
  StudySpec old = t->spec;
  t->spec.version = "1.3";
  Store *s = store_begin(t->place, &t->spec, true, &forked, &err);
  assert_non_null(s);
  store_close(s);
  assert_int_equal(forked, first + 1);
  store_close(trial_study(t, &again)); // now it is there
  assert_int_equal(again, forked);
  s = store_begin(t->place, &t->spec, true, &again, &err); // the same again is no fork
  store_close(s);
  assert_int_equal(again, forked);
  t->spec.version = "1.4"; // compared with the last one
  assert_null(store_begin(t->place, &t->spec, false, &again, &err));
  assert_non_null(strstr(err.text, "study 2 "));
  assert_non_null(strstr(err.text, "begun by 1.3"));
  t->spec = old;
  store_close(trial_study(t, &again));
  assert_int_equal(again, first);
}

static void studies_are_found_by_their_numbers(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Err err = {0};
  Store *s = trial_study(t, &study);
  StudyRow row, *rows;
  int count;
  for (int k = 1; k < 5; k++) {
    t->spec.name = arena_print(t->arena, "scan %d.yaml", k);
    assert_true(store_add_study(s, &t->spec, &study, &err));
    assert_int_equal(study, k + 1);
  }
  assert_true(store_studies(s, t->arena, &rows, &count, &err));
  assert_int_equal(count, 5);
  for (int k = 0; k < count; k++) assert_int_equal(rows[k].number, k + 1);
  assert_true(store_study(s, t->arena, 3, &row, &err));
  assert_string_equal(row.name, "scan 2.yaml");
  assert_true(store_end_study(s, 3, STUDY_FAILED, "no more"));
  assert_true(store_study(s, t->arena, 3, &row, &err));
  assert_int_equal(row.state, STUDY_FAILED);
  assert_string_equal(row.note, "no more");
  assert_true(store_study(s, t->arena, 2, &row, &err));
  assert_int_equal(row.state, STUDY_OPEN);
  assert_false(store_study(s, t->arena, 9, &row, &err));
  assert_int_equal(err.code, ERR_NAME);
  assert_non_null(strstr(err.text, "no study 9"));
  store_close(s);
}

// ---- trouble

typedef struct Trouble {
  Store *store;
  bool cannot_mend;
  int told, mended, asked, attempts;
} Trouble;

static void hear(void *data, const char *text) {
  Trouble *x = data;
  x->told += text != NULL;
  x->mended += text == NULL;
  if (text) assert_non_null(strstr(text, "as soon as it can be written"));
}

static const char *read_only(const Store *s, bool on) {
  if (db_is_postgresql(s->db))
    return on ? "SET default_transaction_read_only = on"
              : "SET default_transaction_read_only = off";
  return on ? "PRAGMA query_only = on" : "PRAGMA query_only = off";
}

// Asked while the call waits to try again.
static bool mends(void *data) {
  Trouble *x = data;
  Err err = {0};
  if (++x->asked == 2 && !x->cannot_mend)
    db_run(x->store->db, read_only(x->store, false), NULL, 0, NULL, NULL, NULL, &err);
  return !x->cannot_mend || x->asked < 4;
}

static bool note_twice(Store *s, void *data, Err *err) {
  ((Trouble *)data)->attempts++;
  return db_run(s->db, "INSERT INTO meta (name, value) VALUES ('a', '1')", NULL, 0, NULL, NULL,
                NULL, err) &&
         db_run(s->db, "INSERT INTO meta (name, value) VALUES ('b', '2')", NULL, 0, NULL, NULL,
                NULL, err);
}

static void work_is_tried_again_until_the_trouble_is_mended(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  for (int cannot = !t->postgresql; cannot >= 0; cannot--) { // it takes a while, so in one of them
    Trouble x = {.store = trial_study(t, &study), .cannot_mend = cannot};
    Patience p = {.goes_on = mends, .data = &x};
    store_listen(x.store, hear, &x);
    sql(x.store, "%s", read_only(x.store, true));
    patience_begin(&p);
    assert_int_equal(store_do(x.store, true, note_twice, &x), !cannot);
    patience_end(&p);
    assert_false(x.store->failed);
    assert_int_equal(x.told, 1);
    assert_int_equal(x.mended, !cannot);
    assert_true(x.asked >= 2 && x.attempts >= !cannot);
    sql(x.store, "%s", read_only(x.store, false));
    assert_close(sql(x.store, "SELECT count(*) FROM meta WHERE name IN ('a', 'b')"), cannot ? 0 : 2,
                 0);
    store_close(x.store);
  }
}

static bool fail_in_the_middle(Store *s, void *data, Err *err) {
  return note_twice(s, data, err) && note_twice(s, data, err); // they are there
}

static void what_is_wrong_fails_for_good_and_leaves_nothing(void **state) {
  StoreTrial *t = trial_of(state);
  int64_t study;
  Trouble x = {.store = trial_study(t, &study)};
  StudyRow row;
  Err err = {0};
  assert_false(store_do(x.store, true, fail_in_the_middle, &x));
  assert_int_equal(x.attempts, 2);
  assert_true(x.store->failed && x.store->err.code);
  assert_false(store_do(x.store, true, note_twice, &x)); // nothing goes through it any more
  assert_false(store_study(x.store, t->arena, study, &row, &err));
  assert_string_equal(err.text, x.store->err.text);
  assert_int_equal(x.attempts, 2);
  store_close(x.store);
  Store *s = trial_open(t);
  assert_close(sql(s, "SELECT count(*) FROM meta"), 1, 0);
  store_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_BOTH(a_new_store_has_its_study),
      IN_BOTH(files_come_back_as_they_were_noted),
      IN(SQLITE, only_the_store_is_left_behind),
      IN_BOTH(what_is_not_there_is_not_opened),
      IN_BOTH(a_file_that_is_no_store_is_left_alone),
      IN(SQLITE, a_place_that_cannot_be_is_named),
      IN_BOTH(several_who_make_a_store_make_one),
      IN_BOTH(several_who_begin_a_study_begin_one),
      IN_BOTH(the_same_study_is_found_again),
      IN_BOTH(what_differs_is_named),
      IN_BOTH(closed_files_are_compared_by_their_hashes),
      IN_BOTH(a_fork_is_a_study_of_its_own),
      IN_BOTH(studies_are_found_by_their_numbers),
      IN_BOTH(work_is_tried_again_until_the_trouble_is_mended),
      IN_BOTH(what_is_wrong_fails_for_good_and_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, start_server, stop_server);
}
