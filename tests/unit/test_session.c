#include "closed/session.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "run_trial.h"

// Sessions are made in a folder of the trial.
static int open_trial(void **state) {
  if (trial_new(state) != 0) return -1;
  Trial *t = *state;
  return setenv("TMPDIR", t->scratch, 1);
}

static int close_trial(void **state) {
  unsetenv("TMPDIR");
  return trial_free(state);
}

static bool exists(const char *path) {
  struct stat s;
  return lstat(path, &s) == 0;
}

static const char *make_folder(const Trial *t, const char *name) {
  const char *path = arena_print(t->arena, "%s/%s", t->scratch, name);
  assert_int_equal(mkdir(path, 0700), 0);
  return path;
}

static const char *make_file(const Trial *t, const char *folder, const char *name) {
  const char *path = arena_print(t->arena, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fclose(f);
  return path;
}

static void make_old(const char *path) {
  struct timespec then[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
  assert_int_equal(utimensat(AT_FDCWD, path, then, AT_SYMLINK_NOFOLLOW), 0);
}

static Session *made(void) {
  Err err = {0};
  Session *s = session_new(&err);
  if (!s) fail_msg("%s", err.text);
  return s;
}

// A process that has a session until it is killed; its path into `path`.
static pid_t other_owner(char *path, size_t size) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t pid = fork();
  if (pid == 0) {
    Session *s = session_new(NULL);
    bool ok = s && write(ends[1], s->path, strlen(s->path)) > 0;
    close(ends[1]);
    while (ok && pause() < 0) continue;
    _exit(1);
  }
  close(ends[1]);
  ssize_t length = read(ends[0], path, size - 1);
  assert_true(length > 0);
  path[length] = 0;
  close(ends[0]);
  return pid;
}

static void a_session_is_a_folder_of_its_own_that_goes_with_it(void **state) {
  const Trial *t = *state;
  Session *s = made(), *other = made();
  struct stat st;
  assert_string_not_equal(s->path, other->path);
  assert_int_equal(strncmp(s->path, t->scratch, strlen(t->scratch)), 0);
  assert_int_equal(stat(s->path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0700);
  make_file(t, s->path, "something");
  session_free(s);
  session_free(other);
  session_free(NULL);
  assert_nothing_is_left(t);
}

static void folders_of_living_sessions_stay(void **state) {
  const Trial *t = *state;
  char path[200];
  pid_t pid = other_owner(path, sizeof path);
  make_old(path);
  Session *own = made(), *next = made();
  assert_true(exists(path));
  assert_true(exists(own->path));
  session_sweep(path);
  session_sweep(own->path);
  assert_true(exists(path));
  assert_true(exists(own->path));
  session_free(own);
  session_free(next);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  session_sweep(path);
  assert_nothing_is_left(t);
}

static void what_a_killed_owner_left_goes_at_the_next_start(void **state) {
  const Trial *t = *state;
  char path[200];
  pid_t pid = other_owner(path, sizeof path);
  make_file(t, path, "leftover");
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  assert_true(exists(path));
  Session *s = made();
  assert_false(exists(path));
  session_free(s);
  assert_nothing_is_left(t);
}

// Only what is certain to be a session is removed: other folders may have such a name, too.
static void folders_of_others_are_never_touched(void **state) {
  const Trial *t = *state;
  static const char *const NAMES[] = {"entrain-results", "entrain-output", "entrain-", "entrain",
                                      "entrain-abc123"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
    const char *folder = make_folder(t, NAMES[i]);
    make_file(t, folder, "fit.json");
    if (i % 2) make_file(t, folder, "lock");
    make_old(folder);
  }
  const char *file = make_file(t, t->scratch, "entrain-a-file");
  make_old(file);
  session_free(made());
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
    assert_true(exists(arena_print(t->arena, "%s/%s/fit.json", t->scratch, NAMES[i])));
  assert_true(exists(file));
  assert_true(folder_remove(t->scratch));
  assert_int_equal(mkdir(t->scratch, 0777), 0);
}

// Its owner was killed between making the folder and locking it.
static void an_old_folder_that_was_never_locked_goes(void **state) {
  const Trial *t = *state;
  const char *old = make_folder(t, "entrain-AbCdEf"), *new = make_folder(t, "entrain-GhIjKl");
  make_old(old);
  session_free(made());
  assert_false(exists(old));
  assert_true(exists(new));
  assert_true(folder_remove(new));
}

// Whatever is left of a session keeps its lock, so that the next start tries again.
static void the_lock_goes_last(void **state) {
  const Trial *t = *state;
  char path[200];
  pid_t pid = other_owner(path, sizeof path);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  make_file(t, path, "leftover");
  int deep = open(path, O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < 230; i++) { // more than a removal goes down
    assert_int_equal(mkdirat(deep, "d", 0700), 0);
    int inner = openat(deep, "d", O_RDONLY | O_DIRECTORY);
    close(deep);
    deep = inner;
  }
  close(deep);
  const char *lock = arena_print(t->arena, "%s/.entrain-session", path);
  assert_false(session_sweep(path));
  assert_true(exists(lock));
  Text half;
  text_init(&half);
  text_add(&half, path);
  for (int i = 0; i < 115; i++) text_add(&half, "/d");
  assert_int_equal(rename(half.at, arena_print(t->arena, "%s/e", path)), 0);
  text_done(&half);
  assert_true(session_sweep(path));
  assert_true(session_sweep(path)); // there is nothing to do
  assert_nothing_is_left(t);
}

static void links_inside_are_removed_not_followed(void **state) {
  const Trial *t = *state;
  Session *s = made();
  const char *kept = trial_write(t, "precious", "data", 0644);
  const char *inner = arena_print(t->arena, "%s/inner", s->path);
  assert_int_equal(mkdir(inner, 0700), 0);
  assert_int_equal(symlink(t->problem, arena_print(t->arena, "%s/folder", inner)), 0);
  assert_int_equal(symlink(kept, arena_print(t->arena, "%s/file", inner)), 0);
  assert_int_equal(symlink("/", arena_print(t->arena, "%s/root", s->path)), 0);
  assert_int_equal(symlink("..", arena_print(t->arena, "%s/up", inner)), 0);
  session_free(s);
  assert_true(exists(kept));
  assert_nothing_is_left(t);
}

static void a_link_called_like_a_session_is_not_followed(void **state) {
  const Trial *t = *state;
  const char *kept = trial_write(t, "precious", "data", 0644);
  const char *link = arena_print(t->arena, "%s/entrain-LiNkLi", t->scratch);
  assert_int_equal(symlink(t->problem, link), 0);
  make_old(link);
  session_free(made());
  assert_true(exists(kept));
  assert_int_equal(unlink(link), 0);
}

static void read_only_and_deep_folders_go_too(void **state) {
  const Trial *t = *state;
  Session *s = made();
  const char *path = s->path;
  for (int i = 0; i < 50; i++) {
    path = arena_print(t->arena, "%s/d", path);
    assert_int_equal(mkdir(path, 0700), 0);
  }
  make_file(t, path, "file");
  const char *locked = arena_print(t->arena, "%s/d/d", s->path);
  assert_int_equal(chmod(locked, 0), 0);
  session_free(s);
  assert_nothing_is_left(t);
}

static void without_a_place_there_is_a_sentence(void **state) {
  const Trial *t = *state;
  Err err = {0};
  setenv("TMPDIR", arena_print(t->arena, "%s/nowhere", t->scratch), 1);
  assert_null(session_new(&err));
  assert_string_equal(err.text, arena_print(t->arena,
                                            "no folder for temporary files can be made in "
                                            "%s/nowhere (TMPDIR): No such file or directory",
                                            t->scratch));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_trial, close_trial)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_session_is_a_folder_of_its_own_that_goes_with_it),
      TEST(folders_of_living_sessions_stay),
      TEST(what_a_killed_owner_left_goes_at_the_next_start),
      TEST(folders_of_others_are_never_touched),
      TEST(an_old_folder_that_was_never_locked_goes),
      TEST(the_lock_goes_last),
      TEST(links_inside_are_removed_not_followed),
      TEST(a_link_called_like_a_session_is_not_followed),
      TEST(read_only_and_deep_folders_go_too),
      TEST(without_a_place_there_is_a_sentence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
