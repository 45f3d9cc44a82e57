// Where classes come from: folders, files and what the program brings along.
#include "instance/library.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flattened.h"

typedef struct Folder { // a folder of its own
  char path[64];
  Arena *arena;
} Folder;

static Folder folder_new(void) {
  Folder p = {.path = "/tmp/entrain-library-XXXXXX", .arena = arena_new()};
  assert_non_null(mkdtemp(p.path));
  return p;
}

static void folder_free(Folder *p) {
  if (system(arena_print(p->arena, "rm -rf %s", p->path)) != 0)
    print_message("%s stays\n", p->path);
  arena_free(p->arena);
}

static const char *folder_write(Folder *p, const char *name, const char *text) {
  char *path = arena_print(p->arena, "%s/%s", p->path, name);
  for (char *slash = path + strlen(p->path) + 1; (slash = strchr(slash, '/')); slash++) {
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
  }
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
  return path;
}

static Library *library_of(Folder *p) {
  Library *l = library_new(p->arena);
  Err err = {0};
  library_add_text(l, source_new(p->arena, "<text>", "model M end M;", 14, &err), &err);
  library_add_folder(l, p->path);
  return l;
}

static void classes_are_found_in_folders_and_files(void **state) {
  (void)state;
  Folder p = folder_new();
  folder_write(&p, "P/package.mo", "package P\n  constant Real c = 1;\nend P;\n");
  folder_write(&p, "P/A.mo", "within P;\nmodel A\nend A;\n");
  folder_write(&p, "P/Q/package.mo", "within P;\npackage Q\nend Q;\n");
  folder_write(&p, "P/Q/B.mo", "within P.Q;\nmodel B\nend B;\n");
  folder_write(&p, "S.mo", "package S\n  model C\n  end C;\nend S;\n");
  Library *l = library_of(&p);
  Err err = {0};
  AstClass *top = library_top(l, "P", &err), *s = library_top(l, "S", &err);
  assert_non_null(top);
  assert_non_null(s);
  static const char *const NAMES[] = {"c", "A", "Q"};
  for (int i = 0; i < 3; i++) assert_non_null(library_element(l, top, NAMES[i], &err));
  const AstElement *q = library_element(l, top, "Q", &err);
  assert_string_equal(library_element(l, q->class, "B", &err)->name, "B");
  assert_non_null(library_element(l, s, "C", &err));
  assert_null(library_element(l, top, "Z", &err));
  assert_null(library_top(l, "Z", &err));
  assert_int_equal(err.code, ERR_NONE);
  folder_free(&p);
}

static void the_newest_version_is_taken(void **state) {
  (void)state;
  Folder p = folder_new();
  static const char *const VERSIONS[] = {"1.9.0", "1.10.0", "1.2.0"};
  for (int i = 0; i < 3; i++)
    folder_write(
        &p, arena_print(p.arena, "P %s/package.mo", VERSIONS[i]),
        arena_print(p.arena, "package P annotation(version = \"%s\"); end P;", VERSIONS[i]));
  Err err = {0};
  AstClass *c = library_top(library_of(&p), "P", &err);
  assert_non_null(c);
  assert_string_equal(c->version, "1.10.0");
  folder_free(&p);
}

static void the_first_folder_wins(void **state) {
  (void)state;
  Folder p = folder_new();
  folder_write(&p, "one/P.mo", "package P \"one\" end P;");
  folder_write(&p, "two/P.mo", "package P \"two\" end P;");
  Library *l = library_new(p.arena);
  library_add_folder(l, arena_print(p.arena, "%s/one", p.path));
  library_add_folder(l, arena_print(p.arena, "%s/two", p.path));
  Err err = {0};
  assert_string_equal(library_top(l, "P", &err)->description, "one");
  folder_free(&p);
}

static void mistakes_in_files_are_reported_there(void **state) {
  (void)state;
  Folder p = folder_new();
  folder_write(&p, "P/package.mo", "package P\nend P;\n");
  folder_write(&p, "P/A.mo", "within P;\nmodel A\n  Real x = ;\nend A;\n");
  folder_write(&p, "P/B.mo", "within P;\nmodel C\nend C;\n");
  folder_write(&p, "P/D.mo", "");
  Library *l = library_of(&p);
  static const char *const NAMES[] = {"A", "B", "D"};
  for (int i = 0; i < 3; i++) {
    Err err = {0};
    AstClass *top = library_top(l, "P", &err);
    assert_null(library_element(l, top, NAMES[i], &err));
    assert_true(err.code != ERR_NONE && err.text[0]);
  }
  folder_free(&p);
}

// A file of a folder finds the classes around it.
static void a_file_inside_a_library_knows_its_neighbours(void **state) {
  (void)state;
  Folder p = folder_new();
  folder_write(&p, "P/package.mo", "package P\n  constant Real c = 2;\nend P;\n");
  folder_write(&p, "P/A.mo", "within P;\nmodel A\n  Real x = c;\nend A;\n");
  const char *path = folder_write(&p, "P/M.mo", "within P;\nmodel M\n  A a;\nend M;\n");
  Err err = {0};
  Warnings w = {.arena = p.arena};
  FlatRequest r = {.source = source_load(p.arena, path, &err)};
  const FlatText *t = flat_model(p.arena, &r, &w, &err);
  assert_string_equal(err.text, "");
  assert_string_equal(flat_text(p.arena, t->model), "model M\n  Real 'a.x' = 2;\nend M;\n");
  folder_free(&p);
}

static void the_library_of_the_program_comes_last(void **state) {
  (void)state;
  Folder p = folder_new();
  Library *l = library_of(&p);
  library_add_defaults(l);
  Err err = {0};
  AstClass *own = library_top(l, "Modelica", &err);
  assert_non_null(own);
  assert_non_null(library_element(l, own, "Units", &err));
  folder_write(&p, "Modelica/package.mo", "package Modelica \"mine\" end Modelica;");
  l = library_of(&p);
  library_add_defaults(l);
  assert_string_equal(library_top(l, "Modelica", &err)->description, "mine");
  folder_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(classes_are_found_in_folders_and_files),
      cmocka_unit_test(the_newest_version_is_taken),
      cmocka_unit_test(the_first_folder_wins),
      cmocka_unit_test(mistakes_in_files_are_reported_there),
      cmocka_unit_test(a_file_inside_a_library_knows_its_neighbours),
      cmocka_unit_test(the_library_of_the_program_comes_last),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
