#include "program/run_folder.h"

#include <signal.h>
#include <sys/resource.h>

#include "program/run_keep.h"
#include "run_trial.h"

static RunFolder made(const Trial *t) {
  RunFolder f;
  Err err = {0};
  assert_true(run_folder_make(&f, t->arena, t->scratch, &err));
  return f;
}

// In the folder of the run.
static void shell(const Trial *t, const RunFolder *f, const char *command) {
  assert_int_equal(system(arena_print(t->arena, "cd %s && %s", f->path, command)), 0); // NOLINT
}

// ---- names

static void assert_refused(const Trial *t, const char *name, const char *why) {
  Err err = {0};
  assert_null(run_name(t->arena, "the name of the file", name, &err));
  assert_string_equal(err.text,
                      arena_print(t->arena, "the name of the file '%.100s' %s", name, why));
}

static void names_stay_in_the_folder(void **state) {
  const Trial *t = *state;
  assert_string_equal(run_name(t->arena, "", "run.in", NULL), "run.in");
  assert_string_equal(run_name(t->arena, "", "./a//b/./c", NULL), "a/b/c");
  assert_string_equal(run_name(t->arena, "", "..a/b..", NULL), "..a/b..");
  const char *dots = "contains '..'; files of a run are inside of its folder";
  assert_refused(t, "../x", dots);
  assert_refused(t, "a/../../x", dots);
  assert_refused(t, "a/..", dots);
  assert_refused(t, "..", dots);
  assert_refused(t, "/etc/passwd", "is absolute; files of a run are inside of its folder");
  assert_refused(t, "", "is empty");
  assert_refused(t, ".", "names no file");
  assert_refused(t, "a/", "ends with a slash: it must name a file");
  Err err = {0};
  assert_null(run_name(t->arena, "the name", "a\nb", &err));
  assert_string_equal(err.text, "the name 'a\nb' contains a control character");
}

static void names_clash_if_one_needs_the_other_as_a_folder(void **state) {
  (void)state;
  assert_true(run_names_clash("a", "a"));
  assert_true(run_names_clash("a", "a/b"));
  assert_true(run_names_clash("a/b/c", "a/b"));
  assert_false(run_names_clash("a", "ab"));
  assert_false(run_names_clash("a/b", "a/c"));
  assert_true(is_below("/x/y", "/"));
}

// ---- making and removing

static void files_are_written_with_their_folders(void **state) {
  Trial *t = *state;
  RunFolder f = made(t);
  assert_true(run_folder_write(&f, "a/b/run.in", "m=1\n", 4, NULL));
  assert_true(run_folder_write(&f, "a/two", "", 0, NULL));
  assert_string_equal(trial_read(t, arena_print(t->arena, "%s/a/b/run.in", f.path)), "m=1\n");
  Err err = {0};
  assert_false(run_folder_write(&f, "a/two", "x", 1, &err));
  assert_string_equal(err.text, "cannot write 'a/two': File exists");
  err = (Err){0};
  assert_false(run_folder_write(&f, "a/two/three", "x", 1, &err));
  assert_string_equal(err.text, "cannot write 'a/two/three': Not a directory");
  assert_true(run_folder_remove(&f));
  assert_nothing_is_left(t);
}

static void files_that_cannot_be_written_are_errors(void **state) {
  Trial *t = *state;
  RunFolder f = made(t);
  Err err = {0};
  struct rlimit old, low;
  getrlimit(RLIMIT_FSIZE, &old);
  low = (struct rlimit){4096, old.rlim_max};
  void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &low);
  char *bytes = arena_alloc(t->arena, 10000, 1);
  bool done = run_folder_write(&f, "large", bytes, 10000, &err); // as on a full disk
  setrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, before);
  assert_false(done);
  assert_string_equal(err.text, "cannot write 'large': File too large");
  assert_true(run_folder_remove(&f));
  err = (Err){0};
  assert_false(run_folder_make(&f, t->arena, "/no/such", &err));
  assert_string_equal(err.text,
                      "cannot make a folder for a run in '/no/such': No such file or directory");
}

static void links_are_not_written_through(void **state) {
  Trial *t = *state;
  const char *precious = trial_write(t, "precious", "1", 0644);
  RunFolder f = made(t);
  Err err = {0};
  assert_true(run_folder_link(&f, "x", precious, NULL));
  assert_false(run_folder_write(&f, "x", "y", 1, &err));
  assert_string_equal(err.text, "cannot write 'x': File exists");
  assert_true(run_folder_replace(&f, "x", "y", 1, NULL));
  assert_string_equal(trial_read(t, precious), "1");
  assert_true(run_folder_remove(&f));
}

static void a_folder_that_was_replaced_is_removed(void **state) {
  Trial *t = *state;
  trial_write(t, "precious", "1", 0644);
  RunFolder f = made(t);
  shell(t, &f, arena_print(t->arena, "rmdir %s && ln -s %s %s", f.path, t->problem, f.path));
  assert_true(run_folder_remove(&f));
  assert_nothing_is_left(t);
  assert_int_equal(trial_count(t->problem), 1);
}

static void removal_does_not_follow_links(void **state) {
  Trial *t = *state;
  trial_write(t, "precious", "1", 0644);
  RunFolder f = made(t);
  assert_true(run_folder_link(&f, "out", t->problem, NULL));
  shell(t, &f, "mkdir d && ln -s ../out d/out && ln -s /nowhere d/dangling");
  assert_true(run_folder_remove(&f));
  assert_nothing_is_left(t);
  assert_int_equal(trial_count(t->problem), 1);
}

static void anything_is_removed(void **state) {
  Trial *t = *state;
  RunFolder f = made(t);
  shell(t, &f,
        "mkdir -p a/b/c x/y entrain-moved-0/in/side entrain-moved-1/z && mkfifo a/b/pipe &&"
        "touch a/b/c/'new\nline' -- -rf .hidden a/b/c/.h x/y/f && chmod 0 a/b/c/.h &&"
        "chmod 0 a/b/c a/b x/y && chmod 500 x && chmod 0 .");
  assert_true(run_folder_remove(&f));
  assert_nothing_is_left(t);
}

static void deep_folders_are_removed(void **state) {
  Trial *t = *state;
  RunFolder f = made(t);
  int at = dup(f.fd);
  for (int i = 0; i < 3000; i++) { // the path is far longer than a path can be
    assert_int_equal(mkdirat(at, "deep", 0777), 0);
    int next = openat(at, "deep", O_RDONLY | O_DIRECTORY);
    close(at);
    at = next;
  }
  close(at);
  assert_true(run_folder_remove(&f));
  assert_nothing_is_left(t);
}

// As a user without special rights, for whom permissions count.
static void folders_without_permissions_are_removed_by_their_owner(void **state) {
  Trial *t = *state;
  assert_int_equal(chmod(t->top, 0777), 0);
  assert_int_equal(chmod(t->scratch, 0777), 0);
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    if (getuid() == 0 && setuid(65534) != 0) _exit(9);
    RunFolder f;
    if (!run_folder_make(&f, t->arena, t->scratch, NULL)) _exit(2);
    if (system(arena_print(t->arena, // NOLINT
                           "cd %s && mkdir -p a/b/c x/y/z && touch a/b/c/f x/y/z/f &&"
                           "chmod 0 a/b/c a/b a && chmod 500 x/y/z x/y x .",
                           f.path)) != 0)
      _exit(3);
    _exit(run_folder_remove(&f) ? 0 : 4);
  }
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  assert_nothing_is_left(t);
}

// ---- keeping

static void kept_folders_are_moved(void **state) {
  Trial *t = *state;
  for (int i = 1; i <= 3; i++) {
    RunFolder f = made(t);
    assert_true(run_folder_write(&f, "a/run.in", "m=1\n", 4, NULL));
    shell(t, &f, "chmod 500 .");
    Err why = {0};
    const char *path = run_folder_keep(&f, t->arena, t->problem, 7, &why);
    assert_string_equal(path, arena_print(t->arena, "%s/entrain-runs/7-%d", t->problem, i));
    assert_string_equal(trial_read(t, arena_print(t->arena, "%s/a/run.in", path)), "m=1\n");
    assert_nothing_is_left(t);
    assert_true(run_folder_remove(&f)); // there is nothing to do
  }
}

static void kept_folders_are_copied_to_other_file_systems(void **state) {
  Trial *t = *state;
  struct stat here, there;
  if (stat("/dev/shm", &there) != 0 || stat(t->top, &here) != 0 || here.st_dev == there.st_dev)
    skip();
  char scratch[] = "/dev/shm/entrain-trial-XXXXXX";
  assert_non_null(mkdtemp(scratch));
  RunFolder f;
  assert_true(run_folder_make(&f, t->arena, scratch, NULL));
  assert_true(run_folder_write(&f, "a/b/run.in", "m=1\n", 4, NULL));
  assert_true(run_folder_link(&f, "tables", "/usr", NULL));
  shell(t, &f, "mkfifo pipe && chmod 444 a/b/run.in && head -c 300000 /dev/zero >large");
  Err why = {0};
  const char *path = run_folder_keep(&f, t->arena, t->problem, 1, &why);
  assert_string_equal(path, arena_print(t->arena, "%s/entrain-runs/1-1", t->problem));
  assert_string_equal(trial_read(t, arena_print(t->arena, "%s/a/b/run.in", path)), "m=1\n");
  assert_int_equal(trial_count(path), 3); // without the pipe
  struct stat s;
  assert_int_equal(lstat(arena_print(t->arena, "%s/tables", path), &s), 0);
  assert_true(S_ISLNK(s.st_mode));
  assert_int_equal(stat(arena_print(t->arena, "%s/large", path), &s), 0);
  assert_int_equal(s.st_size, 300000);
  assert_int_equal(rmdir(scratch), 0);
}

static void too_much_is_not_copied(void **state) {
  Trial *t = *state;
  struct stat here, there;
  if (stat("/dev/shm", &there) != 0 || stat(t->top, &here) != 0 || here.st_dev == there.st_dev)
    skip();
  char scratch[] = "/dev/shm/entrain-trial-XXXXXX";
  assert_non_null(mkdtemp(scratch));
  RunFolder f;
  assert_true(run_folder_make(&f, t->arena, scratch, NULL));
  shell(t, &f, "truncate -s 3G sparse");
  Err why = {0};
  assert_null(run_folder_keep(&f, t->arena, t->problem, 1, &why));
  assert_string_equal(why.text, "there is more than 1 GB in it");
  assert_int_equal(trial_count(arena_print(t->arena, "%s/entrain-runs", t->problem)), 0);
  assert_true(run_folder_remove(&f));
  assert_int_equal(rmdir(scratch), 0);
}

static void at_most_a_hundred_are_kept(void **state) {
  Trial *t = *state;
  const char *runs = arena_print(t->arena, "%s/entrain-runs", t->problem);
  for (int i = 0; i < KEPT_MOST; i++) {
    RunFolder f = made(t);
    assert_non_null(run_folder_keep(&f, t->arena, t->problem, i % 3, NULL));
  }
  RunFolder f = made(t);
  Err why = {0};
  assert_null(run_folder_keep(&f, t->arena, t->problem, 9, &why));
  assert_string_equal(why.text, arena_print(t->arena, "there are 100 in '%s' already", runs));
  assert_int_equal(trial_count(runs), KEPT_MOST);
  assert_true(run_folder_remove(&f));
  assert_nothing_is_left(t);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, trial_new, trial_free)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(names_stay_in_the_folder),
      TEST(names_clash_if_one_needs_the_other_as_a_folder),
      TEST(files_are_written_with_their_folders),
      TEST(files_that_cannot_be_written_are_errors),
      TEST(links_are_not_written_through),
      TEST(a_folder_that_was_replaced_is_removed),
      TEST(removal_does_not_follow_links),
      TEST(anything_is_removed),
      TEST(deep_folders_are_removed),
      TEST(folders_without_permissions_are_removed_by_their_owner),
      TEST(kept_folders_are_moved),
      TEST(kept_folders_are_copied_to_other_file_systems),
      TEST(too_much_is_not_copied),
      TEST(at_most_a_hundred_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
