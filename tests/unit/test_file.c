#include "base/file.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

typedef struct Folder {
  Arena *arena;
  char path[64];
} Folder;

static int folder_new(void **state) {
  Folder *f = calloc(1, sizeof *f);
  f->arena = arena_new();
  strcpy(f->path, "/tmp/entrain-file-XXXXXX");
  *state = f;
  return mkdtemp(f->path) ? 0 : -1;
}

static int count_entries(const Folder *f) {
  DIR *d = opendir(f->path);
  int count = -2; // . and ..
  while (readdir(d)) count++;
  closedir(d);
  return count;
}

static int folder_free(void **state) {
  Folder *f = *state;
  DIR *d = opendir(f->path);
  for (struct dirent *e; (e = readdir(d));) {
    char *name = arena_print(f->arena, "%s/%s", f->path, e->d_name);
    if (e->d_name[0] != '.') remove(name);
  }
  closedir(d);
  rmdir(f->path);
  arena_free(f->arena);
  free(f);
  return 0;
}

static const char *in(const Folder *f, const char *name) {
  return arena_print(f->arena, "%s/%s", f->path, name);
}

static void assert_holds(const Folder *f, const char *path, const char *text) {
  Err err = {0};
  size_t length;
  char *read = file_read(f->arena, path, 1 << 20, &length, &err);
  assert_non_null(read);
  assert_string_equal(read, text);
  assert_int_equal(length, strlen(text));
}

static void what_was_written_is_read_back(void **state) {
  const Folder *f = *state;
  static const char bytes[] = "a\0b\xff\n";
  Err err = {0};
  for (int sync = 0; sync < 2; sync++) {
    assert_true(file_write(in(f, "x"), bytes, sizeof bytes, sync, &err));
    size_t length = 0;
    char *read = file_read(f->arena, in(f, "x"), sizeof bytes, &length, &err);
    assert_int_equal(length, sizeof bytes);
    assert_memory_equal(read, bytes, length);
    assert_int_equal(read[length], 0);
  }
  assert_int_equal(count_entries(f), 1);
}

static void files_longer_than_any_buffer_are_read_whole(void **state) {
  const Folder *f = *state;
  Err err = {0};
  size_t size = 3000001, length;
  char *bytes = ARENA_ARRAY(f->arena, char, size);
  for (size_t i = 0; i < size; i++) bytes[i] = (char)(i * 31 % 251);
  assert_true(file_write(in(f, "x"), bytes, size, false, &err));
  char *read = file_read(f->arena, in(f, "x"), size, &length, &err);
  assert_int_equal(length, size);
  assert_memory_equal(read, bytes, size);
}

static void an_empty_file_is_an_empty_text(void **state) {
  const Folder *f = *state;
  Err err = {0};
  assert_true(file_write(in(f, "x"), "", 0, false, &err));
  assert_holds(f, in(f, "x"), "");
}

static void reading_names_what_is_wrong(void **state) {
  const Folder *f = *state;
  Err err = {0};
  assert_null(file_read(f->arena, "no/such/file", 9, NULL, &err));
  assert_int_equal(err.code, ERR_FILE);
  assert_string_equal(err.text, "cannot read 'no/such/file': No such file or directory");
  err = (Err){0};
  assert_null(file_read(f->arena, "/tmp", 9, NULL, &err));
  assert_string_equal(err.text, "cannot read '/tmp': Is a directory");
}

static void a_file_beyond_the_limit_is_refused(void **state) {
  const Folder *f = *state;
  Err err = {0};
  assert_true(file_write(in(f, "x"), "12345", 5, false, &err));
  assert_non_null(file_read(f->arena, in(f, "x"), 5, NULL, &err));
  assert_null(file_read(f->arena, in(f, "x"), 4, NULL, &err));
  assert_int_equal(err.code, ERR_LIMIT);
  assert_string_equal(err.text, arena_print(f->arena, "'%s' has more than 4 bytes", in(f, "x")));
}

static void a_pipe_is_read_to_its_end(void **state) {
  const Folder *f = *state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "through a pipe", 14), 14);
  close(ends[1]);
  assert_holds(f, arena_print(f->arena, "/dev/fd/%d", ends[0]), "through a pipe");
  close(ends[0]);
}

static void writing_names_what_is_wrong_and_leaves_nothing(void **state) {
  const Folder *f = *state;
  Err err = {0};
  assert_false(file_write("no/such/file", "x", 1, false, &err));
  assert_int_equal(err.code, ERR_FILE);
  assert_string_equal(err.text, "cannot write 'no/such/file': No such file or directory");
  err = (Err){0};
  assert_false(file_write(f->path, "x", 1, false, &err));
  assert_string_equal(err.text,
                      arena_print(f->arena, "cannot write '%s': Is a directory", f->path));
  assert_int_equal(count_entries(f), 0);
  err = (Err){0};
  assert_false(file_write("/dev/full", "x", 1, false, &err));
  assert_string_equal(err.text, "cannot write '/dev/full': No space left on device");
}

static void a_device_is_written_and_stays_a_device(void **state) {
  (void)state;
  Err err = {0};
  struct stat now;
  assert_true(file_write("/dev/null", "x", 1, false, &err));
  assert_int_equal(stat("/dev/null", &now), 0);
  assert_true(S_ISCHR(now.st_mode));
}

static void replacing_keeps_permissions_and_links(void **state) {
  const Folder *f = *state;
  Err err = {0};
  struct stat now;
  assert_true(file_write(in(f, "x"), "old", 3, false, &err));
  assert_int_equal(chmod(in(f, "x"), 0640), 0);
  assert_int_equal(symlink("x", in(f, "link")), 0);
  assert_true(file_write(in(f, "link"), "new", 3, false, &err));
  assert_holds(f, in(f, "x"), "new");
  assert_int_equal(lstat(in(f, "link"), &now), 0);
  assert_true(S_ISLNK(now.st_mode));
  assert_int_equal(stat(in(f, "x"), &now), 0);
  assert_int_equal(now.st_mode & 0777, 0640);
  assert_int_equal(count_entries(f), 2);
}

// Whoever has the old file open keeps it whole.
static void a_reader_of_the_old_file_sees_no_change(void **state) {
  const Folder *f = *state;
  Err err = {0};
  assert_true(file_write(in(f, "x"), "old", 3, false, &err));
  FILE *old = fopen(in(f, "x"), "r");
  assert_true(file_write(in(f, "x"), "something new", 13, false, &err));
  char text[20] = "";
  assert_int_equal(fread(text, 1, sizeof text - 1, old), 3);
  assert_string_equal(text, "old");
  fclose(old);
}

#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, folder_new, folder_free)

int main(void) {
  const struct CMUnitTest tests[] = {
      FOLDER_TEST(what_was_written_is_read_back),
      FOLDER_TEST(files_longer_than_any_buffer_are_read_whole),
      FOLDER_TEST(an_empty_file_is_an_empty_text),
      FOLDER_TEST(reading_names_what_is_wrong),
      FOLDER_TEST(a_file_beyond_the_limit_is_refused),
      FOLDER_TEST(a_pipe_is_read_to_its_end),
      FOLDER_TEST(writing_names_what_is_wrong_and_leaves_nothing),
      FOLDER_TEST(a_device_is_written_and_stays_a_device),
      FOLDER_TEST(replacing_keeps_permissions_and_links),
      FOLDER_TEST(a_reader_of_the_old_file_sees_no_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
