#include "problem/made_from.h"

#include "base/file.h"
#include "made_problem.h"

static const char MODEL[] = "package P\n"
                            "  model Decay\n    Rate rate; Real x(start = 1, fixed = true);\n"
                            "  equation der(x) = -rate.k*x; end Decay;\n"
                            "  model Other Real y = 1; end Other;\nend P;\n";
static const char RATE[] = "model Rate parameter Real k = 1; end Rate;\n";
static const char PROBLEM[] = "model: model.mo#P.Decay\nexperiments:\n"
                              "  - {data: a.csv, name: one, measure: {x: x}}\n"
                              "  - {data: a.csv, name: two, measure: {x: x}}\n"
                              "  - {data: b.csv, name: three, measure: {x: x}, role: validation}\n"
                              "estimate: {rate.k: 2}\n";

static const Problem *make(Made *m) {
  made_open(m);
  made_file(m, "model.mo", MODEL);
  made_file(m, "Rate.mo", RATE);
  made_waves(m, "a.csv", 0, 30);
  made_waves(m, "b.csv", 1, 40);
  Err err = {0};
  made_file(m, "problem.yaml", PROBLEM);
  char path[128];
  snprintf(path, sizeof path, "%s/problem.yaml", m->folder);
  m->problem = problem_load(path, &(ProblemSetting){"library", m->folder, false}, 1, &err);
  if (!m->problem) fail_msg("%s:%d:%d: %s", err.file, err.line, err.column, err.text);
  return m->problem;
}

static const SourceFile *named(const MadeFrom *m, const char *name) {
  const SourceFile *found = NULL;
  for (int i = 0; i < m->count; i++) {
    const char *slash = strrchr(m->at[i].path, '/');
    if (strcmp(slash ? slash + 1 : m->at[i].path, name) != 0) continue;
    assert_null(found); // none is there twice
    found = &m->at[i];
  }
  return found;
}

static void all_files_are_there_once_with_what_they_hold(void **state) {
  (void)state;
  static const char *const NAMES[] = {"problem.yaml", "model.mo", "Rate.mo", "a.csv", "b.csv"};
  static const char *const LANGUAGES[] = {"yaml", "modelica", "modelica", NULL, NULL};
  Made m;
  Arena *a = arena_new();
  MadeFrom files = made_from(a, make(&m));
  assert_int_equal(files.count, 5);
  for (int i = 0; i < 5; i++) {
    const SourceFile *f = named(&files, NAMES[i]);
    Err err = {0};
    size_t length;
    if (!f) fail_msg("%s is missing", NAMES[i]);
    const char *bytes = file_read(a, f->path, 100000, &length, &err);
    char hash[SHA256_TEXT];
    assert_non_null(bytes);
    assert_int_equal(f->length, length);
    Sha256 h = sha256_of(bytes, length);
    assert_string_equal(f->hash, sha256_print(&h, hash));
    assert_int_equal(f->text != NULL, LANGUAGES[i] != NULL);
    if (f->text) assert_string_equal(f->text, bytes);
    if (f->text) assert_string_equal(f->language, LANGUAGES[i]);
  }
  arena_free(a);
  made_close(&m);
}

// Any byte of any file: exactly its hash is another one.
static void a_changed_byte_changes_one_hash(void **state) {
  (void)state;
  Made m;
  Arena *a = arena_new();
  const Problem *p = make(&m);
  MadeFrom before = made_from(a, p);
  for (int i = 0; i < before.count; i++) {
    Err err = {0};
    size_t length;
    char *bytes = file_read(a, before.at[i].path, 100000, &length, &err);
    size_t at = (size_t)(7 * i + 3) % length;
    bytes[at] ^= 1;
    assert_true(file_write(before.at[i].path, bytes, length, false, &err));
    MadeFrom now = made_from(a, p);
    assert_int_equal(now.count, before.count);
    for (int k = 0; k < now.count; k++)
      assert_true((strcmp(now.at[k].hash, before.at[k].hash) == 0) == (k != i));
    bytes[at] ^= 1;
    assert_true(file_write(before.at[i].path, bytes, length, false, &err));
  }
  arena_free(a);
  made_close(&m);
}

static void what_is_gone_or_no_file_is_left_out(void **state) {
  (void)state;
  Made m;
  Arena *a = arena_new();
  const Problem *p = make(&m);
  char path[128];
  snprintf(path, sizeof path, "%s/a.csv", m.folder);
  unlink(path);
  MadeFrom files = made_from(a, p);
  assert_int_equal(files.count, 4);
  assert_null(named(&files, "a.csv"));
  Problem nothing = {.path = "<stdin>", .model_path = "sim"};
  assert_int_equal(made_from(a, &nothing).count, 0);
  nothing.path = m.folder; // a folder
  assert_int_equal(made_from(a, &nothing).count, 0);
  arena_free(a);
  made_close(&m);
}

static void very_long_texts_are_not_shown(void **state) {
  (void)state;
  Made m;
  Arena *a = arena_new();
  made_open(&m);
  enum { SHOWN_MOST = 400000 };
  char *text = ARENA_ARRAY(a, char, SHOWN_MOST + 2);
  memset(text, ' ', SHOWN_MOST);
  for (int more = 0; more < 2; more++) {
    if (more) text[SHOWN_MOST] = '\n';
    made_file(&m, "long.mo", text);
    Problem p = {.path = arena_print(a, "%s/long.mo", m.folder)};
    MadeFrom files = made_from(a, &p);
    assert_int_equal(files.count, 1);
    assert_int_equal(files.at[0].length, SHOWN_MOST + more);
    assert_int_equal(files.at[0].text != NULL, !more);
  }
  arena_free(a);
  made_close(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_files_are_there_once_with_what_they_hold),
      cmocka_unit_test(a_changed_byte_changes_one_hash),
      cmocka_unit_test(what_is_gone_or_no_file_is_left_out),
      cmocka_unit_test(very_long_texts_are_not_shown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
