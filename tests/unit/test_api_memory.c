// Problems of memory: the same as those of files; requests of programs that know another version of their struct.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "entrain.h"
#include "test.h"

static const char MODEL[] = "model Decay\n  parameter Real k = 1.5;\n  parameter Real b = 0;\n"
                            "  input Real u;\n  Real x(start = 1.5, fixed = true);\n"
                            "equation\n  der(x) = -k*x + u;\nend Decay;\n";
static const char TEXT[] =
    "model: m.mo\nexperiments: [{data: a.csv, measure: {x: y}, inputs: {u: drive}}]\n"
    "estimate: {k: {start: 0.5, min: 0.01, max: 50}}\nmethod: lm\n";

enum { ROWS = 101 };

typedef struct Setup {
  char folder[32];
  double t[ROWS], y[ROWS], u[ROWS];
  EntrainColumn columns[3];
  EntrainTable table;
} Setup;

static FILE *open_in(const Setup *s, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "%s/%s", s->folder, name);
  return fopen(path, "w");
}

static int set_up(void **state) {
  Setup *s = calloc(1, sizeof *s);
  strcpy(s->folder, "/tmp/entrain-test-XXXXXX");
  assert_non_null(mkdtemp(s->folder));
  FILE *model = open_in(s, "m.mo"), *data = open_in(s, "a.csv"), *text = open_in(s, "p.yaml");
  fputs(MODEL, model);
  fputs(TEXT, text);
  fputs("t,y,drive\n", data);
  for (int i = 0; i < ROWS; i++) {
    s->t[i] = i / 50.0;
    s->y[i] = i == 7 ? nan("") : 1.5 * exp(-0.7 * s->t[i]) + 1e-3 * sin(1e4 * i * i);
    s->u[i] = i % 10 < 5 ? 0.01 : 0;
    if (i == 7)
      fprintf(data, "%.17g,,%.17g\n", s->t[i], s->u[i]);
    else
      fprintf(data, "%.17g,%.17g,%.17g\n", s->t[i], s->y[i], s->u[i]);
  }
  fclose(model), fclose(data), fclose(text);
  s->columns[0] = (EntrainColumn){"t", NULL, s->t};
  s->columns[1] = (EntrainColumn){"y", "", s->y};
  s->columns[2] = (EntrainColumn){"drive", NULL, s->u};
  s->table = (EntrainTable){"a.csv", s->columns, 3, ROWS};
  *state = s;
  return 0;
}

static int tear_down(void **state) {
  Setup *s = *state;
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", s->folder);
  assert_int_equal(system(command), 0);
  free(s);
  return 0;
}

static EntrainSource source_of(const Setup *s) {
  return (EntrainSource){.size = sizeof(EntrainSource),
                         .name = "made",
                         .folder = "/nowhere",
                         .text = TEXT,
                         .length = strlen(TEXT),
                         .model_text = MODEL,
                         .tables = &s->table,
                         .table_count = 1};
}

typedef struct Found {
  double value, error, objective;
} Found;

static Found fitted(EntrainProblem *p) {
  EntrainError error = {.size = sizeof error};
  EntrainEstimate e = {.size = sizeof e};
  EntrainQuality q = {.size = sizeof q};
  EntrainFit *f = entrain_fit_run(p, NULL, NULL, &error);
  if (!f) fail_msg("%s", error.text);
  assert_true(entrain_fit_estimate(f, 0, &e) && entrain_fit_quality(f, &q));
  entrain_fit_free(f);
  entrain_problem_free(p);
  return (Found){e.value, e.std_error, q.objective};
}

static void assert_same(Found a, Found b) {
  assert_memory_equal(&a, &b, sizeof a);
}

static EntrainProblem *made(const EntrainSource *s) {
  EntrainError error = {.size = sizeof error};
  EntrainProblem *p = entrain_problem_make(s, &error);
  if (!p) fail_msg("%s", error.text);
  return p;
}

// ---------------------------------------------------------------- the same from everywhere

static void files_and_memory_give_the_same_fit_bit_by_bit(void **state) {
  const Setup *s = *state;
  EntrainError error = {.size = sizeof error};
  char path[64];
  snprintf(path, sizeof path, "%s/p.yaml", s->folder);
  Found of_file = fitted(entrain_problem_load(path, NULL, 0, &error));
  EntrainSource source = source_of(s), by_path = {.size = sizeof by_path, .path = path};
  assert_same(of_file, fitted(made(&source)));
  assert_same(of_file, fitted(made(&by_path)));
  by_path.tables = &s->table, by_path.table_count = 1; // before the file of that name
  assert_same(of_file, fitted(made(&by_path)));
  EntrainModel *m = entrain_model_parse("m", MODEL, strlen(MODEL), &error);
  source.model_text = NULL, source.model = m;
  EntrainProblem *p = made(&source);
  entrain_model_free(m); // everything is copied
  assert_int_equal(entrain_problem_file_count(p), 0);
  assert_same(of_file, fitted(p));
}

static void settings_alone_make_a_problem(void **state) {
  const Setup *s = *state;
  EntrainSetting settings[] = {
      {"experiments", "[{data: a.csv, measure: {x: y}, inputs: {u: drive}}]", false},
      {"estimate", "{k: {start: 0.5, min: 0.01, max: 50}}", false},
      {"method", "lm", false}};
  EntrainSource text = source_of(s), bare = source_of(s);
  bare.text = NULL, bare.length = 0;
  bare.settings = settings, bare.setting_count = 3;
  assert_same(fitted(made(&text)), fitted(made(&bare)));
}

static void what_a_model_has_set_counts(void **state) {
  const Setup *s = *state;
  EntrainError error = {.size = sizeof error};
  EntrainModel *m = entrain_model_parse("m", MODEL, strlen(MODEL), &error);
  assert_true(entrain_model_set(m, "x.start", "3", &error));
  EntrainSource source = source_of(s);
  source.model_text = NULL, source.model = m;
  Found other = fitted(made(&source));
  source.model = NULL, source.model_text = MODEL;
  assert_true(other.objective > 10 * fitted(made(&source)).objective);
  entrain_model_free(m);
}

// ---------------------------------------------------------------- the same with other settings

static void a_problem_with_other_settings_leaves_the_first_as_it_is(void **state) {
  const Setup *s = *state;
  EntrainError error = {.size = sizeof error};
  EntrainSource source = source_of(s);
  EntrainUnknown u = {.size = sizeof u};
  EntrainProblem *first = made(&source);
  assert_true(entrain_problem_set_start(first, "k", 0.9, &error));
  EntrainSetting newton[] = {{"method", "newton", false}, {"rel_tol", "1e-9", true}};
  EntrainProblem *second = entrain_problem_with(first, newton, 2, &error);
  assert_non_null(second);
  assert_string_equal(entrain_problem_method(second), "newton");
  assert_string_equal(entrain_problem_method(first), "lm");
  assert_true(entrain_problem_unknown(second, 0, &u) && u.start == 0.9);
  EntrainSetting start = {"estimate.k.start", "2.5", false};
  EntrainProblem *third = entrain_problem_with(second, &start, 1, &error);
  assert_true(entrain_problem_unknown(third, 0, &u) && u.start == 2.5);
  assert_string_equal(entrain_problem_method(third), "newton");
  Found a = fitted(first); // frees what the others were made of
  Found b = fitted(second), c = fitted(third);
  assert_close(b.value, a.value, 1e-5);
  assert_close(c.value, a.value, 1e-5);
}

static void wrong_settings_are_errors_and_change_nothing(void **state) {
  const Setup *s = *state;
  EntrainError error = {.size = sizeof error};
  EntrainSource source = source_of(s);
  EntrainProblem *p = made(&source);
  const EntrainSetting WRONG[] = {{"methd", "lm", false},
                                  {"method", "no-such", false},
                                  {"rel_tol", "much", true},
                                  {"no_such_option", "1", true},
                                  {"estimate.k.start", "1000", false},
                                  {"model", "other.mo", false}};
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
    assert_null(entrain_problem_with(p, &WRONG[i], 1, &error));
    assert_int_equal(error.exit_status, 2);
    assert_true(strlen(error.text) > 10);
  }
  assert_true(isfinite(fitted(p).value));
}

// ---------------------------------------------------------------- what cannot be

typedef void Spoil(EntrainSource *s, EntrainTable *t, EntrainColumn *c);
static void two_models(EntrainSource *s, EntrainTable *t, EntrainColumn *c) {
  (void)t, (void)c;
  static EntrainSimulator simulator = {.size = sizeof simulator};
  s->simulator = &simulator;
}
static void no_table(EntrainSource *s, EntrainTable *t, EntrainColumn *c) {
  (void)t, (void)c;
  s->tables = NULL;
}
static void negative_tables(EntrainSource *s, EntrainTable *t, EntrainColumn *c) {
  (void)t, (void)c;
  s->table_count = -1;
}
static void nameless_table(EntrainSource *s, EntrainTable *t, EntrainColumn *c) {
  (void)s, (void)c;
  t->name = NULL;
}
static void other_name(EntrainSource *s, EntrainTable *t, EntrainColumn *c) {
  (void)s, (void)c;
  t->name = "b.csv"; // so that a.csv is looked for on disk
}
static void no_columns(EntrainSource *s, EntrainTable *t, EntrainColumn *c) {
  (void)s, (void)c;
  t->columns = NULL;
}
static void negative_rows(EntrainSource *s, EntrainTable *t, EntrainColumn *c) {
  (void)s, (void)c;
  t->rows = -5;
}
static void no_rows(EntrainSource *s, EntrainTable *t, EntrainColumn *c) {
  (void)s, (void)c;
  t->rows = 0;
}
static void nameless_column(EntrainSource *s, EntrainTable *t, EntrainColumn *c) {
  (void)s, (void)t;
  c[1].name = NULL;
}
static void same_columns(EntrainSource *s, EntrainTable *t, EntrainColumn *c) {
  (void)s, (void)t;
  c[2].name = "y";
}
static void no_values(EntrainSource *s, EntrainTable *t, EntrainColumn *c) {
  (void)s, (void)t;
  c[1].values = NULL;
}
static void infinite(EntrainSource *s, EntrainTable *t, EntrainColumn *c) {
  (void)s;
  static double values[ROWS];
  memcpy(values, c[1].values, (size_t)t->rows * sizeof *values);
  values[3] = HUGE_VAL;
  c[1].values = values;
}
static void backwards(EntrainSource *s, EntrainTable *t, EntrainColumn *c) {
  (void)s;
  static double times[ROWS];
  memcpy(times, c[0].values, (size_t)t->rows * sizeof *times);
  times[5] = times[3];
  c[0].values = times;
}
static void wrong_text(EntrainSource *s, EntrainTable *t, EntrainColumn *c) {
  (void)t, (void)c;
  s->text = "model: [", s->length = 8;
}
static void wrong_model(EntrainSource *s, EntrainTable *t, EntrainColumn *c) {
  (void)t, (void)c;
  s->model_text = "model M Real x; equation x = ; end M;";
}

static void what_is_wrong_is_an_error_with_a_sentence(void **state) {
  static Spoil *const WAYS[] = {two_models,      no_table,     negative_tables, nameless_table,
                                other_name,      no_columns,   negative_rows,   no_rows,
                                nameless_column, same_columns, no_values,       infinite,
                                backwards,       wrong_text,   wrong_model};
  const Setup *s = *state;
  for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++) {
    EntrainError error = {.size = sizeof error};
    EntrainSource source = source_of(s);
    EntrainTable table = s->table;
    EntrainColumn columns[3];
    memcpy(columns, s->columns, sizeof columns);
    table.columns = columns, source.tables = &table;
    WAYS[i](&source, &table, columns);
    if (entrain_problem_make(&source, &error)) fail_msg("spoilt in way %zu, and accepted", i);
    if (error.exit_status != 2 || strlen(error.text) < 10) fail_msg("way %zu: %s", i, error.text);
    assert_null(entrain_problem_make(&source, NULL));
  }
}

// ---------------------------------------------------------------- sizes of requests

// The first `size` bytes of a request, with `fill` behind; as a program of another version gives it.
static EntrainProblem *make_of_size(const EntrainSource *full, size_t size, int fill,
                                    EntrainError *error) {
  static _Alignas(16) unsigned char room[1024];
  memset(room, fill, sizeof room);
  memcpy(room, full, size < sizeof *full ? size : sizeof *full);
  memcpy(room, &size, sizeof size);
  return entrain_problem_make((const EntrainSource *)(const void *)room, error);
}

static void requests_are_read_as_far_as_their_size(void **state) {
  const Setup *s = *state;
  EntrainError error = {.size = sizeof error};
  EntrainSource full = source_of(s);
  Found wanted = fitted(made(&full));
  EntrainProblem *longer = make_of_size(&full, sizeof full + 64, 0, &error);
  assert_non_null(longer); // a newer program that uses nothing new
  assert_same(wanted, fitted(longer));
  assert_null(make_of_size(&full, sizeof full + 64, 1, &error));
  assert_non_null(strstr(error.text, ENTRAIN_VERSION));
  // An older program knows no tables: what lies behind is not looked at.
  assert_null(make_of_size(&full, offsetof(EntrainSource, tables), 0xa5, &error));
  assert_non_null(strstr(error.text, "a.csv"));
  for (size_t size = 0; size < sizeof(size_t); size++) {
    assert_null(make_of_size(&full, size, 0, &error));
    assert_non_null(strstr(error.text, "sizeof(EntrainSource)"));
  }
}

static bool says_size(EntrainError *e) {
  bool says = e->exit_status == 2 && strstr(e->text, "sizeof(");
  *e = (EntrainError){.size = sizeof *e};
  return says;
}

static void every_request_needs_its_size(void **state) {
  const Setup *s = *state;
  EntrainError e = {.size = sizeof e};
  EntrainSource source = source_of(s);
  EntrainProblem *p = made(&source);
  EntrainScanAxis axis = {"k", 0.5, 1, 3, false};
  assert_null(
      entrain_scan_run(p, &(EntrainScanRequest){.axes = &axis, .axis_count = 1}, NULL, NULL, &e));
  assert_true(says_size(&e));
  assert_null(
      entrain_profile_run(p, &(EntrainProfileRequest){.level = 0.9, .range = 10}, NULL, NULL, &e));
  assert_true(says_size(&e));
  assert_null(entrain_live_new(&(EntrainLiveRequest){.title = "x"}, &e));
  assert_true(says_size(&e));
  assert_null(entrain_model_parse_with("m", MODEL, strlen(MODEL), &(EntrainLibraries){0}, &e));
  assert_true(says_size(&e));
  assert_null(entrain_flat_text("m.mo", &(EntrainLibraries){0}, &e));
  assert_true(says_size(&e));
  assert_null(entrain_fmu_load("m.fmu", &(EntrainFmu){0}, &e));
  assert_true(says_size(&e));
  assert_null(entrain_model_of_simulator(&(EntrainSimulator){.name = "s"}, &e));
  assert_true(says_size(&e));
  assert_null(entrain_page(p, &(EntrainPage){.body = "text"}));
  EntrainStudy *study = entrain_study_new();
  assert_false(entrain_study_begin(study, &(EntrainStudyRequest){.store = "s", .name = "n"}, NULL,
                                   NULL, &e));
  assert_true(says_size(&e));
  entrain_study_free(study);
  EntrainLibraries none = {.size = sizeof none, .count = 2}, hole = none;
  const char *folders[] = {"/", NULL};
  hole.folders = folders;
  assert_null(entrain_model_parse_with("m", MODEL, strlen(MODEL), &none, &e));
  assert_null(entrain_model_parse_with("m", MODEL, strlen(MODEL), &hole, &e));
  entrain_problem_free(p);
}

// ---------------------------------------------------------------- errors

static void an_error_without_size_is_one_of_the_first_version(void **state) {
  (void)state;
  EntrainError zero = {0}, sized = {.size = sizeof sized};
  assert_null(entrain_model_parse("m", "model", 5, &zero));
  assert_null(entrain_model_parse("m", "model", 5, &sized));
  assert_memory_equal(&zero, &sized, sizeof zero);
  char text[900], again[900];
  entrain_error_format(&zero, text, sizeof text);
  entrain_error_format(&sized, again, sizeof again);
  assert_string_equal(text, again);
  assert_non_null(strstr(text, "m:1:"));
  struct {
    EntrainError error;
    unsigned char behind[64];
  } box = {.error.size = 0};
  memset(box.behind, 0xa5, sizeof box.behind);
  box.error.size = sizeof box; // a newer program
  assert_null(entrain_model_parse("m", "model", 5, &box.error));
  for (size_t i = 0; i < sizeof box.behind; i++) assert_int_equal(box.behind[i], 0xa5);
  EntrainError small = {.size = offsetof(EntrainError, file)}; // knows the code and the place only
  memset(small.file, 0x33, sizeof small.file);
  assert_null(entrain_model_parse("m", "model", 5, &small));
  assert_true(small.code == zero.code && small.line == 1 && small.file[0] == 0x33);
  assert_true(entrain_error_format(&small, text, sizeof text) >= 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(files_and_memory_give_the_same_fit_bit_by_bit),
      TEST(settings_alone_make_a_problem),
      TEST(what_a_model_has_set_counts),
      TEST(a_problem_with_other_settings_leaves_the_first_as_it_is),
      TEST(wrong_settings_are_errors_and_change_nothing),
      TEST(what_is_wrong_is_an_error_with_a_sentence),
      TEST(requests_are_read_as_far_as_their_size),
      TEST(every_request_needs_its_size),
      cmocka_unit_test(an_error_without_size_is_one_of_the_first_version),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
