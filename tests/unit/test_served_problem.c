// Problems that are read from a set of files instead of the disk: nothing differs.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "fmu_trial.h"
#include "instance/flat_model.h"
#include "lang/ast_print.h"
#include "print_problem.h"
#include "test.h"

// ---------------------------------------------------------------- what is compared

static void add_samples(Text *t, const Problem *p) {
  for (int i = 0; i < p->experiment_count; i++)
    for (int k = 0; k < p->experiments[i].channel_count; k++) {
      const Channel *c = &p->experiments[i].channels[k];
      for (int j = 0; j < c->count; j++) {
        add_number(t, j ? " " : "", c->t[j], " ");
        add_number(t, "", c->y[j], "");
      }
      text_add(t, "\n");
    }
}

static void add_flat(Text *t, const char *path) {
  Arena *a = arena_new();
  Err err = {0};
  FlatRequest r = {.libraries = (const char *const[]){"lib"}, .library_count = 1};
  Warnings w = {.arena = a};
  r.source = source_load(a, model_file(a, path, &r.class_name), &err);
  const FlatText *flat = r.source ? flat_model(a, &r, &w, &err) : NULL;
  char message[1600];
  if (flat) {
    ast_print_model(t, flat->model);
  } else {
    err_format(&err, message, sizeof message);
    text_add(t, message);
  }
  for (int i = 0; i < w.list.count; i++) {
    warning_format(&w.list.at[i], message, sizeof message);
    text_add(t, message);
  }
  arena_free(a);
}

static const char *flattened(Arena *a, const char *path) {
  Text t;
  text_init(&t);
  add_flat(&t, path);
  const char *copy = arena_copy(a, t.at, t.length);
  text_done(&t);
  return copy;
}

// All that was understood, or the error: warnings, problem, data, and the flat text of the model.
static const char *understood(Arena *a, const char *path) {
  Err err = {0};
  Text t;
  char message[1600];
  text_init(&t);
  Problem *p = problem_load(path, NULL, 0, &err);
  if (p) {
    for (int i = 0; i < p->warnings.list.count; i++) {
      warning_format(&p->warnings.list.at[i], message, sizeof message);
      text_print(&t, "%s\n", message);
    }
    print_problem(&t, p);
    add_samples(&t, p);
    if (p->validation) add_samples(&t, p->validation);
    add_flat(&t, p->model_path);
  } else {
    err_format(&err, message, sizeof message);
    text_add(&t, message);
  }
  problem_free(p);
  const char *copy = arena_copy(a, t.at, t.length);
  text_done(&t);
  return copy;
}

// What a store does with a set: every row is written, and read again.
static FileSet *stored(Arena *a, const FileSet *s) {
  FileSet *copy = file_set_new(a);
  for (int i = file_set_count(s) - 1; i >= 0; i--) {
    const NotedFile *f = file_set_at(s, i);
    if (f->closed)
      file_set_add_closed(copy, f->path, f->kind, &f->hash);
    else if (f->bytes)
      file_set_add(copy, f->path, f->kind, f->bytes, f->length);
    else
      file_set_add_name(copy, f->path, f->kind);
  }
  for (int i = 0; i < file_set_variable_count(s); i++) {
    const char *value, *name = file_set_variable_at(s, i, &value);
    file_set_add_variable(copy, name, value);
  }
  return copy;
}

typedef const char *Look(Arena *a, const char *path);

// The law. The second time in another folder and without MODELICAPATH; what is served is what is read, no more: noting it again
// gives the same set.
static void assert_served(Arena *a, Look *look, const char *path) {
  char before[1000];
  FileSet *set = file_set_new(a), *again = file_set_new(a);
  FileSetUse u, v;
  file_set_begin_noting(&u, set);
  const char *noted = look(a, path);
  file_set_end(&u);
  assert_string_equal(noted, look(a, path)); // noting changes nothing
  const char *libraries = getenv("MODELICAPATH"), *kept = libraries ? strdup(libraries) : NULL;
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir("/"), 0);
  unsetenv("MODELICAPATH");
  const FileSet *copy = stored(a, set);
  file_set_begin_serving(&u, copy);
  file_set_begin_noting(&v, again);
  const char *served = look(a, path);
  file_set_end(&v);
  file_set_end(&u);
  assert_int_equal(chdir(before), 0);
  if (kept) setenv("MODELICAPATH", kept, 1);
  free((char *)kept);
  assert_string_equal(noted, served);
  assert_int_equal(file_set_count(again), file_set_count(set));
  for (int i = 0; i < file_set_count(set); i++) {
    const NotedFile *one = file_set_at(set, i), *two = file_set_at(again, i);
    assert_string_equal(one->path, two->path);
    assert_true(one->kind == two->kind && sha256_equal(&one->hash, &two->hash));
  }
}

// ---------------------------------------------------------------- examples

static bool is_there(const char *path) {
  return access(path, R_OK) == 0;
}

static void examples_are_served_as_they_are_read(void **state) {
  (void)state;
  int count = 0;
  DIR *d = opendir("examples");
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d));) {
    Arena *a = arena_new();
    const char *path = arena_print(a, "examples/%s/problem.yaml", e->d_name);
    bool closed = strncmp(e->d_name, "fmu_", 4) == 0 || strncmp(e->d_name, "program_", 8) == 0;
    if (e->d_name[0] != '.' && !closed && is_there(path)) {
      assert_served(a, understood, path);
      count++;
    }
    arena_free(a);
  }
  closedir(d);
  assert_true(count > 10);
}

// ---------------------------------------------------------------- libraries

typedef struct Site { // a folder of its own, which is the working directory
  Arena *arena;
  char path[64], before[1000];
} Site;

static int site_new(void **state) {
  Site *s = calloc(1, sizeof *s);
  s->arena = arena_new();
  strcpy(s->path, "/tmp/entrain-served-XXXXXX");
  *state = s;
  bool ok = getcwd(s->before, sizeof s->before) && mkdtemp(s->path) && chdir(s->path) == 0;
  return ok ? 0 : -1;
}

static int site_free(void **state) {
  Site *s = *state;
  int status = chdir(s->before) | system(arena_print(s->arena, "rm -r '%s'", s->path));
  unsetenv("MODELICAPATH");
  arena_free(s->arena);
  free(s);
  return status;
}

static void put(Site *s, const char *name, const char *text) {
  Err err = {0};
  char *path = arena_print(s->arena, "%s", name);
  for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
  }
  if (!file_write(path, text, strlen(text), false, &err)) fail_msg("%s", err.text);
}

static const char TABLES[] =
    "package T\n"
    "  class Table\n"
    "    extends ExternalObject;\n"
    "    function constructor\n"
    "      input String tableName;\n      input String fileName;\n      input Real table[:, :];\n"
    "      input Integer columns[:];\n      input Integer smoothness;\n      output Table made;\n"
    "      external \"C\" made = ModelicaStandardTables_CombiTable1D_init(tableName, fileName,\n"
    "        table, columns, smoothness);\n"
    "    end constructor;\n"
    "    function destructor\n"
    "      input Table made;\n"
    "      external \"C\" ModelicaStandardTables_CombiTable1D_close(made);\n"
    "    end destructor;\n"
    "  end Table;\n"
    "  function value\n"
    "    input Table tableID;\n    input Integer icol;\n    input Real u;\n    output Real y;\n"
    "    external \"C\" y = ModelicaStandardTables_CombiTable1D_getValue(tableID, icol, u);\n"
    "  end value;\n"
    "end T;\n";

// Versions, packages in packages, single files, a folder of MODELICAPATH, a table beside its package, and the library of the
// program.
static void put_libraries(Site *s) {
  static const char *const VERSIONS[] = {"1.9.0", "1.10.0", "1.2.0"};
  for (int i = 0; i < 3; i++)
    put(s, arena_print(s->arena, "lib/P %s/package.mo", VERSIONS[i]),
        arena_print(s->arena, "package P\n  constant Real version = %d;\nend P;\n", i + 1));
  put(s, "lib/P 1.10.0/Wheel.mo",
      "within P;\nmodel Wheel\n  parameter Real k = 1;\n  Real x(start = 1);\nequation\n"
      "  der(x) = -k*x + Sub.gain - version;\nend Wheel;\n");
  put(s, "lib/P 1.10.0/Wheels.mo", "within P;\nmodel Wheels end Wheels;\n");
  put(s, "lib/P 1.10.0/Sub/package.mo",
      "within P;\npackage Sub\n  constant Real gain = 2;\nend Sub;\n");
  put(s, "lib/Q 3/README", "newer, but not a package");
  put(s, "lib/Q 2/package.mo", "package Q \"never read\" end Q;\n");
  put(s, "env/Q.mo", "package Q\n  constant Real offset = 0.5;\nend Q;\n");
  put(s, "lib/T/package.mo", TABLES);
  put(s, "lib/T/Resources/curve.txt", "#1\ndouble curve(3, 2)\n0 1\n1 3\n2 2\n");
  put(s, "model.mo",
      "model M\n  P.Wheel w(k(unit = \"1/s\"));\n"
      "  parameter T.Table t = T.Table(\"curve\", \"modelica://T/Resources/curve.txt\",\n"
      "    zeros(0, 2), {2}, 1);\n"
      "  Modelica.Units.SI.Position y;\nequation\n"
      "  y = T.value(t, 1, w.x) + Q.offset;\nend M;\n");
  put(s, "data.csv", "t,y\n0,3.5\n1,2.5\n2,\n3,2.25\n");
  put(s, "study/problem.yaml",
      "model: ../model.mo\nlibraries: [../lib]\nexperiments:\n  - {data: ../data.csv, measure: "
      "[y]}\n"
      "estimate:\n  w.k: {start: 2, min: 0.1, max: 10}\n");
  setenv("MODELICAPATH", arena_print(s->arena, "missing:%s/env", s->path), 1);
}

static void libraries_are_served_as_they_are_read(void **state) {
  Site *s = *state;
  put_libraries(s);
  const char *text = flattened(s->arena, "model.mo");
  assert_non_null(strstr(text, "der('w.x')"));
  assert_non_null(strstr(text, "{1, 3, 2}")); // the table was read
  assert_non_null(strstr(understood(s->arena, "study/problem.yaml"), "find w.k from 2"));
  assert_served(s->arena, flattened, "model.mo");
  assert_served(s->arena, understood, "study/problem.yaml");
  assert_served(s->arena, understood,
                arena_print(s->arena, "%s/study/./problem.yaml", s->path)); // absolute
}

// All files that were on the disk are gone, as on another machine; only those that were needed are in the set.
static void a_set_outlives_its_files(void **state) {
  Site *s = *state;
  FileSet *set = file_set_new(s->arena);
  FileSetUse u;
  put_libraries(s);
  file_set_begin_noting(&u, set);
  const char *noted = understood(s->arena, "study/problem.yaml");
  file_set_end(&u);
  assert_int_equal(system("rm -r lib env study model.mo data.csv"), 0);
  unsetenv("MODELICAPATH");
  file_set_begin_serving(&u, set);
  assert_string_equal(noted, understood(s->arena, "study/problem.yaml"));
  file_set_end(&u);
  static const char *const READ[] = {"study/problem.yaml",
                                     "model.mo",
                                     "data.csv",
                                     "lib/P 1.10.0/package.mo",
                                     "lib/P 1.10.0/Sub/package.mo",
                                     "lib/P 1.10.0/Wheel.mo",
                                     "lib/T/Resources/curve.txt"};
  static const char *const NOT_READ[] = {"lib/P 1.9.0/package.mo", "lib/P 1.10.0/Wheels.mo",
                                         "lib/Q 2/package.mo", "lib/Q 3/README"};
  for (size_t i = 0; i < sizeof READ / sizeof *READ; i++) {
    const NotedFile *f = file_set_find(set, READ[i]);
    if (!f || !f->bytes || f->closed) fail_msg("%s is missing", READ[i]);
  }
  for (size_t i = 0; i < sizeof NOT_READ / sizeof *NOT_READ; i++) {
    const NotedFile *f = file_set_find(set, NOT_READ[i]);
    if (f && f->bytes) fail_msg("%s is there", NOT_READ[i]);
  }
  assert_non_null(file_set_variable(set, "MODELICAPATH"));
}

// Messages, too: the name that could have been meant comes from the listing of a folder.
static void errors_are_served_as_they_are_read(void **state) {
  Site *s = *state;
  put_libraries(s);
  put(s, "near.mo", "model M\n  P.Whel w;\nend M;\n");
  put(s, "none.mo", "model M\n  X.Y w;\nend M;\n");
  put(s, "bad.mo", "model M\n  Real x = ;\nend M;\n");
  put(s, "lib/B.mo", "package C end C;\n");
  put(s, "other.mo", "model M\n  B.D d;\nend M;\n");
  put(s, "no_data.yaml",
      "model: model.mo\nlibraries: lib\nexperiments: [{data: x.csv, measure: [y]}]\n"
      "estimate: [w.k]\n");
  put(s, "no_model.yaml", "model: x.mo\n");
  assert_non_null(strstr(flattened(s->arena, "near.mo"), "did you mean"));
  static const char *const MODELS[] = {"near.mo", "none.mo", "bad.mo", "other.mo", "missing.mo"};
  for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++) {
    assert_non_null(strstr(flattened(s->arena, MODELS[i]), "error: "));
    assert_served(s->arena, flattened, MODELS[i]);
  }
  static const char *const PROBLEMS[] = {"no_data.yaml", "no_model.yaml", "missing.yaml"};
  for (size_t i = 0; i < sizeof PROBLEMS / sizeof *PROBLEMS; i++) {
    assert_non_null(strstr(understood(s->arena, PROBLEMS[i]), "error: "));
    assert_served(s->arena, understood, PROBLEMS[i]);
  }
}

// A file inside a library looks at the folders around it.
static void parts_of_libraries_are_served_as_they_are_read(void **state) {
  Site *s = *state;
  put(s, "in/P/package.mo", "package P\n  constant Real c = 2;\nend P;\n");
  put(s, "in/P/A.mo", "within P;\nmodel A\n  Real x = c;\nend A;\n");
  put(s, "in/P/M.mo", "within P;\nmodel M\n  A a;\nend M;\n");
  put(s, "in/R/M.mo", "within R;\nmodel M\n  Real x = 1;\nend M;\n"); // it stands alone
  assert_served(s->arena, flattened, "in/P/M.mo");
  assert_served(s->arena, flattened, "in/R/M.mo");
  assert_served(s->arena, flattened, "in/P/package.mo#A");
  assert_int_equal(chdir("in/P"), 0);
  assert_served(s->arena, flattened, "M.mo");
  assert_served(s->arena, flattened, "../P/../P/M.mo");
  assert_non_null(strstr(flattened(s->arena, "M.mo"), "'a.x' = 2"));
}

// ---------------------------------------------------------------- closed simulators

static void assert_not_served(Site *s, const FileSet *set, const char *path) {
  FileSetUse u;
  file_set_begin_serving(&u, set);
  const char *text = understood(s->arena, path);
  file_set_end(&u);
  if (!strstr(text, "the model is a closed simulator, which is not in the store"))
    fail_msg("%s", text);
}

static void assert_closed(const FileSet *set, const char *path, const char *content) {
  const NotedFile *f = file_set_find(set, path);
  Sha256 h = sha256_of(content, strlen(content));
  if (!f) fail_msg("%s is not noted", path);
  assert_true(f->closed && !f->bytes && sha256_equal(&f->hash, &h));
}

static void programs_are_noted_by_their_hash_and_not_served(void **state) {
  Site *s = *state;
  static const char PROGRAM[] = "#!/bin/sh\necho t,y >out.csv\n", TEMPLATE[] = "a = {{a}}\n";
  FileSet *set = file_set_new(s->arena);
  FileSetUse u;
  put(s, "run/program", PROGRAM), put(s, "run/in.template", TEMPLATE), put(s, "run/one", "1");
  put(s, "run/road/deep/two", "2");
  chmod("run/program", 0700);
  put(s, "run/data.csv", "t,y\n0,3.5\n1,2.5\n");
  put(s, "run/problem.yaml",
      "model:\n  command: [./program, in]\n  files: {in: in.template}\n  link: [one, road]\n"
      "  parameters: {a: 1}\n  output: {file: out.csv}\n"
      "experiments:\n  - {data: data.csv, measure: [y]}\nestimate: [a]\n");
  file_set_begin_noting(&u, set);
  const char *noted = understood(s->arena, "run/problem.yaml");
  file_set_end(&u);
  if (!strstr(noted, "find a from 1")) fail_msg("%s", noted);
  assert_closed(set, "run/program", PROGRAM);
  assert_closed(set, "run/in.template", TEMPLATE);
  assert_closed(set, "run/one", "1");
  assert_closed(set, "run/road/deep/two", "2");
  for (int i = 0; i < file_set_count(set); i++) { // under no other name
    const NotedFile *f = file_set_at(set, i);
    if (f->bytes) assert_null(strstr(f->bytes, "{{a}}"));
  }
  assert_non_null(file_set_find(set, "run/data.csv")->bytes);
  assert_false(file_set_has_gaps(set));
  assert_not_served(s, set, "run/problem.yaml");
}

static void fmus_are_noted_by_their_hash_and_not_served(void **state) {
  Site *s = *state;
  FileSet *set = file_set_new(s->arena);
  FileSetUse u;
  Err err = {0};
  size_t length;
  const char *fmu = fmu_place(s->arena, "oscillator2.fmu");
  const char *bytes = file_read(s->arena, fmu, 1 << 28, &length, &err);
  put(s, "data.csv", "t,x\n0,1\n1,0.5\n");
  put(s, "problem.yaml",
      arena_print(s->arena,
                  "model: %s\nexperiments: [{data: data.csv, measure: [x]}]\nestimate: [k]\n",
                  fmu));
  file_set_begin_noting(&u, set);
  const char *noted = understood(s->arena, "problem.yaml");
  file_set_end(&u);
  if (!strstr(noted, "find k from")) fail_msg("%s", noted);
  const NotedFile *f = file_set_find(set, fmu);
  Sha256 h = sha256_of(bytes, length);
  assert_true(f && f->closed && !f->bytes && sha256_equal(&f->hash, &h));
  assert_not_served(s, set, "problem.yaml");
}

#define SITE_TEST(name) cmocka_unit_test_setup_teardown(name, site_new, site_free)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(examples_are_served_as_they_are_read),
      SITE_TEST(libraries_are_served_as_they_are_read),
      SITE_TEST(a_set_outlives_its_files),
      SITE_TEST(errors_are_served_as_they_are_read),
      SITE_TEST(parts_of_libraries_are_served_as_they_are_read),
      SITE_TEST(programs_are_noted_by_their_hash_and_not_served),
      SITE_TEST(fmus_are_noted_by_their_hash_and_not_served),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
