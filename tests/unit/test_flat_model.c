// From a file to a flat model: what is printed reads back as the same text.
#include <dirent.h>
#include <stdio.h>

#include "flattened.h"

static bool ends_with(const char *name, const char *end) {
  size_t n = strlen(name), m = strlen(end);
  return n > m && strcmp(name + n - m, end) == 0;
}

static const AstModel *flat_file(Arena *a, const char *path, const char *class_name, Err *err) {
  const Source *s = source_load(a, path, err);
  FlatRequest r = {.source = s, .class_name = class_name};
  Warnings w = {0};
  const FlatText *t = s ? flat_model(a, &r, &w, err) : NULL;
  return t ? t->model : NULL;
}

static void check_file(const char *path) {
  Arena *a = arena_new();
  Err err = {0};
  const AstModel *m = flat_file(a, path, NULL, &err);
  if (!m) fail_msg("%s: %s", path, err.text);
  const char *once = flat_text(a, m), *twice = flat_text(a, flat_new(a, once));
  assert_string_equal(once, twice);
  arena_free(a);
}

static int check_folder(const char *folder) {
  int count = 0;
  DIR *d = opendir(folder);
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d));) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (ends_with(e->d_name, ".mo")) check_file(path), count++;
  }
  closedir(d);
  return count;
}

static void models_read_back(void **state) {
  (void)state;
  assert_true(check_folder("models") > 10);
}

static void examples_read_back(void **state) {
  (void)state;
  DIR *d = opendir("examples");
  assert_non_null(d);
  int count = 0;
  for (struct dirent *e; (e = readdir(d));) {
    char path[600];
    snprintf(path, sizeof path, "examples/%s", e->d_name);
    if (e->d_name[0] != '.' && !strchr(e->d_name, '.')) count += check_folder(path);
  }
  closedir(d);
  assert_true(count > 10);
}

// ---- every model of tests/lang: flat text reads back, lost characters do no harm ----

typedef void Visit(const char *text);

static void visit_cases(const char *path, Visit *visit, int *count) {
  Arena *a = arena_new();
  Err err = {0};
  const Source *s = source_load(a, path, &err);
  assert_non_null(s);
  for (const char *at = s->text; (at = strstr(at, "\n%%"));) {
    const char *from = strchr(at + 1, '\n'), *to = from ? strstr(from, "\n%%") : NULL;
    bool several = to && strncmp(to, "\n%%FILE", 7) == 0;
    at++;
    if (!to || at[2] == '\n') continue;
    if (!several) visit(arena_copy(a, from + 1, (size_t)(to - from))), ++*count;
    at = to;
    while (several && strncmp(at, "\n%%\n", 4) != 0) at = strstr(at + 1, "\n%%");
  }
  arena_free(a);
}

static int visit_all_cases(Visit *visit) {
  int count = 0;
  DIR *d = opendir("tests/lang");
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d));) {
    char path[600];
    snprintf(path, sizeof path, "tests/lang/%s", e->d_name);
    if (ends_with(e->d_name, ".test") && strcmp(e->d_name, "recursion.test") != 0)
      visit_cases(path, visit, &count);
  }
  closedir(d);
  return count;
}

static int accepted;

static void read_back(const char *text) {
  Arena *a = arena_new();
  Err err = {0};
  const AstModel *m = flat_try(a, text, &err);
  if (m) {
    const char *once = flat_text(a, m);
    const AstModel *again = flat_try(a, once, &err);
    if (!again &&
        strstr(err.text, "declared twice")) { // 'a.b' and b of a: found when the model is built
      arena_free(a);
      return;
    }
    if (!again) print_error("%s\n%s\n%s", text, once, err.text);
    assert_non_null(again);
    assert_string_equal(flat_text(a, again), once);
    accepted++;
  } else {
    assert_true(err.code != ERR_NONE && err.text[0]);
  }
  arena_free(a);
}

static void cases_read_back(void **state) {
  (void)state;
  accepted = 0;
  assert_true(visit_all_cases(read_back) > 500);
  assert_true(accepted > 300);
}

static void without_characters(const char *text) {
  size_t length = strlen(text);
  static uint64_t seed;
  Draw d = {++seed};
  for (int k = 0; k < 4 && length > 1; k++) {
    char *cut = malloc(length + 1);
    size_t at = (size_t)draw_below(&d, (int)length);
    memcpy(cut, text, at);
    memcpy(cut + at, text + at + 1, length - at);
    read_back(cut);
    free(cut);
  }
}

static void lost_characters_do_no_harm(void **state) {
  (void)state;
  visit_all_cases(without_characters);
}

// ---- what is asked for ----

static void a_class_is_chosen_behind_a_number_sign(void **state) {
  (void)state;
  Arena *a = arena_new();
  const char *class_name = "?";
  assert_string_equal(model_file(a, "a/b.mo#P.M", &class_name), "a/b.mo");
  assert_string_equal(class_name, "P.M");
  assert_string_equal(model_file(a, "a/b.mo", &class_name), "a/b.mo");
  assert_null(class_name);
  arena_free(a);
}

static void settings_decide_about_the_structure(void **state) {
  (void)state;
  static const char TEXT[] =
      "model M\n  parameter Integer n = 2;\n  Real x[n] = ones(n);\nend M;\n";
  for (int n = 0; n < 5; n++) {
    Arena *a = arena_new();
    Err err = {0};
    FlatSetting set = {"n", n};
    FlatRequest r = {.source = source_new(a, "<text>", TEXT, sizeof TEXT - 1, &err),
                     .settings = &set,
                     .setting_count = 1};
    Warnings w = {0};
    const FlatText *t = flat_model(a, &r, &w, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(t->model->declarations.count, 1 + n);
    arena_free(a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(models_read_back),
      cmocka_unit_test(examples_read_back),
      cmocka_unit_test(cases_read_back),
      cmocka_unit_test(lost_characters_do_no_harm),
      cmocka_unit_test(a_class_is_chosen_behind_a_number_sign),
      cmocka_unit_test(settings_decide_about_the_structure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
