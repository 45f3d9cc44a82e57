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

// ---- every model of tests/lang ----

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

// ---- changed texts: nothing may crash or run away, and what is accepted reads back ----

static int mutations =
    4; // of each kind and case; MUTATIONS in the environment gives another number
static uint64_t mutation_seed = 1;

static bool is_of_word(char c) {
  return c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

static size_t token_end(const char *text, size_t at) {
  if (!is_of_word(text[at])) return at + 1;
  while (is_of_word(text[at])) at++;
  return at;
}

static char *joined(const char *a, size_t n, const char *b, size_t m, const char *c) {
  char *out = malloc(n + m + strlen(c) + 1);
  memcpy(out, a, n);
  memcpy(out + n, b, m);
  strcpy(out + n + m, c);
  return out;
}

static size_t draw_place(Draw *d, const char *text) {
  return (size_t)draw_below(d, (int)strlen(text));
}

static char *lost(Draw *d, const char *text) {
  size_t at = draw_place(d, text);
  return joined(text, at, "", 0, text + at + 1);
}

static char *token_lost_or_moved(Draw *d, const char *text) {
  size_t at = draw_place(d, text), end = token_end(text, at), to = draw_place(d, text);
  char *without = joined(text, at, "", 0, text + end);
  if (draw_below(d, 3) == 0 || to > strlen(without)) return without;
  char *out = joined(without, to, text + at, end - at, without + to);
  free(without);
  return out;
}

static char *token_copied(Draw *d, const char *text) { // in the place of another
  size_t at = draw_place(d, text), end = token_end(text, at);
  size_t to = draw_place(d, text), behind = token_end(text, to);
  return joined(text, to, text + at, end - at, text + behind);
}

static char *line_moved(Draw *d, const char *text) { // a second time, somewhere else
  size_t from = draw_place(d, text), to = draw_place(d, text);
  while (from && text[from - 1] != '\n') from--;
  while (to && text[to - 1] != '\n') to--;
  size_t end = from + strcspn(text + from, "\n");
  return joined(text, to, text + from, end - from + (text[end] == '\n'), text + to);
}

static char *nested(Draw *d, const char *text) { // deep
  static const char *const PARTS[] = {"(",  "{",  "[",  "if true then ", "-",
                                      "a.", "f(", "x[", "not ",          "1:"};
  const char *part = PARTS[draw_below(d, 10)];
  size_t at = draw_place(d, text), n = strlen(part), count = (size_t)draw_below(d, 400);
  char *many = malloc(n * count + 1);
  for (size_t i = 0; i < count; i++) memcpy(many + i * n, part, n);
  char *out = joined(text, at, many, n * count, text + at);
  free(many);
  return out;
}

typedef char *Mutate(Draw *d, const char *text);

static void try_mutations(const char *text) {
  static Mutate *const KINDS[] = {lost, token_lost_or_moved, token_copied, line_moved, nested};
  static const char *const BIG[] = {"000000", "100000", "1e9"}; // runs long
  if (strlen(text) < 2 || strstr(text, BIG[0]) || strstr(text, BIG[1]) || strstr(text, BIG[2]))
    return;
  for (int kind = 0; kind < 5; kind++)
    for (int k = 0; k < mutations; k++) {
      Draw d = {mutation_seed++ * 977};
      char *changed = KINDS[kind](&d, text);
      if (draw_below(&d, 3) == 0 && strlen(changed) > 1) {
        char *twice = KINDS[draw_below(&d, 5)](&d, changed);
        free(changed);
        changed = twice;
      }
      const char *file = getenv("MUTATION_FILE"); // the last text, for whoever looks for a crash
      FILE *f = file ? fopen(file, "w") : NULL;
      if (f) fputs(changed, f), fclose(f);
      read_back(changed);
      free(changed);
    }
}

static void changed_texts_do_no_harm(void **state) {
  (void)state;
  if (getenv("MUTATIONS")) mutations = atoi(getenv("MUTATIONS"));
  if (getenv("MUTATION_SEED")) mutation_seed = (uint64_t)atoll(getenv("MUTATION_SEED"));
  visit_all_cases(try_mutations);
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
      cmocka_unit_test(changed_texts_do_no_harm),
      cmocka_unit_test(a_class_is_chosen_behind_a_number_sign),
      cmocka_unit_test(settings_decide_about_the_structure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
