// Patterns match as those of the C library do, and files come in the order in which people count.
#include "problem/pattern_files.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loaded.h"

static void draw_text(uint64_t *seed, const char *letters, char *out, int most) {
  int n = (int)uniform(seed, 0, most + 0.999);
  for (int i = 0; i < n; i++)
    out[i] = letters[(int)uniform(seed, 0, (double)strlen(letters) - 1e-9)];
  out[n] = 0;
}

static void names_match_as_in_the_c_library(void **state) {
  (void)state;
  uint64_t seed = 11;
  int matched = 0;
  for (int k = 0; k < 200000; k++) {
    char pattern[12], name[12];
    draw_text(&seed, "ab1*?[]!-.", pattern, 7);
    draw_text(&seed, "ab1.-]", name, 6);
    bool dot = name[0] == '.';
    // what a set without an end means, and one that begins with a dash or a bracket, is not the same everywhere
    if (dot || strchr(pattern, '[') || !name[0]) continue;
    bool wanted = fnmatch(pattern, name, FNM_NOESCAPE | FNM_PERIOD) == 0;
    matched += wanted;
    if (pattern_matches(pattern, name) != wanted) fail_msg("'%s' and '%s'", pattern, name);
  }
  assert_true(matched > 2000);
}

static void sets_match_their_members(void **state) {
  (void)state;
  static const char *const SETS[] = {"[ab]", "[a-c1]", "[!a-c]", "[^1]", "[]a]", "[a-]", "x[0-9]y"};
  for (size_t s = 0; s < sizeof SETS / sizeof *SETS; s++)
    for (char c = '!'; c < 127; c++) {
      char plain[2] = {c, 0}, inside[4] = {'x', c, 'y', 0};
      if (c == '.') continue;
      const char *name = SETS[s][0] == 'x' ? inside : plain;
      bool wanted = fnmatch(SETS[s], name, FNM_NOESCAPE) == 0;
      if (pattern_matches(SETS[s], name) != wanted) fail_msg("'%s' and '%s'", SETS[s], name);
    }
  assert_true(pattern_matches("[a.csv", "[a.csv")); // no set: the bracket stands for itself
}

static int by_natural_order(const void *a, const void *b) {
  return natural_order(*(const char *const *)a, *(const char *const *)b);
}

static void digits_are_numbers(void **state) {
  (void)state;
  const char *names[] = {"run10b", "run9", "run10a",   "run010", "a",
                         "run1",   "run",  "run2.csv", "run2"};
  const char *wanted[] = {"a", "run", "run1", "run2", "run2.csv", "run9"};
  qsort(names, 9, sizeof *names, by_natural_order);
  for (int i = 0; i < 6; i++) assert_string_equal(names[i], wanted[i]);
  // an order: no circles, and only equal names are equal
  for (int i = 0; i < 9; i++)
    for (int k = 0; k < 9; k++) {
      int d = natural_order(names[i], names[k]);
      assert_true(i < k ? d < 0 : i > k ? d > 0 : d == 0);
    }
}

static void files_in_folders_are_found(void **state) {
  (void)state;
  char folder[] = "/tmp/entrain-test-XXXXXX", path[200];
  static const char *const MADE[] = {"day1/run10.csv", "day1/run2.csv", "day2/run1.csv",
                                     "day2/.run3.csv", "day2/note.txt", "day1/run7.csv/x"};
  assert_non_null(mkdtemp(folder));
  static const char *const FOLDERS[] = {"day1", "day2", "day1/run7.csv"};
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, FOLDERS[i]);
    assert_int_equal(mkdir(path, 0700), 0);
  }
  for (int i = 0; i < 6; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, MADE[i]);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
  }
  Arena *a = arena_new();
  snprintf(path, sizeof path, "%s/day?/run*.csv", folder);
  FileNames found = pattern_files(a, path);
  assert_int_equal(found.count, 3);
  for (int i = 0; i < 3; i++) {
    static const char *const WANTED[] = {"day1/run2.csv", "day1/run10.csv", "day2/run1.csv"};
    assert_string_equal(found.at[i] + strlen(folder) + 1, WANTED[i]);
  }
  snprintf(path, sizeof path, "%s/none*", folder);
  assert_int_equal(pattern_files(a, path).count, 0);
  arena_free(a);
  for (int i = 0; i < 6; i++) snprintf(path, sizeof path, "%s/%s", folder, MADE[i]), unlink(path);
  for (int i = 2; i >= 0; i--)
    snprintf(path, sizeof path, "%s/%s", folder, FOLDERS[i]), rmdir(path);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_match_as_in_the_c_library),
      cmocka_unit_test(sets_match_their_members),
      cmocka_unit_test(digits_are_numbers),
      cmocka_unit_test(files_in_folders_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
