// Sets of files: what was noted is served as it was, and nothing else exists.
#include "base/file_set.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "test.h"

typedef struct Folder { // a folder of its own, which is the working directory
  Arena *arena;
  FileSet *set;
  char path[64], before[1000];
} Folder;

static int folder_new(void **state) {
  Folder *f = calloc(1, sizeof *f);
  f->arena = arena_new();
  f->set = file_set_new(f->arena);
  strcpy(f->path, "/tmp/entrain-set-XXXXXX");
  *state = f;
  bool ok = getcwd(f->before, sizeof f->before) && mkdtemp(f->path) && chdir(f->path) == 0;
  return ok ? 0 : -1;
}

static int folder_free(void **state) {
  Folder *f = *state;
  int status = chdir(f->before);
  status |= system(arena_print(f->arena, "chmod -R u+rwX '%s' && rm -r '%s'", f->path, f->path));
  arena_free(f->arena);
  free(f);
  return status;
}

static void put(const char *path, const char *text) {
  Err err = {0};
  if (!file_write(path, text, strlen(text), false, &err)) fail_msg("%s", err.text);
}

static const char *get(const Folder *f, const char *path) {
  Err err = {0};
  const char *text = file_read(f->arena, path, 1 << 20, NULL, &err);
  if (!text) fail_msg("%s", err.text);
  return text;
}

// The sentence.
static const char *refusal(const Folder *f, const char *path, size_t most) {
  Err err = {0};
  assert_null(file_read(f->arena, path, most, NULL, &err));
  assert_true(err.code != ERR_NONE);
  return arena_print(f->arena, "%d %s", err.code, err.text);
}

// All of a set as text; also what a store keeps of it.
static const char *printed(Arena *a, const FileSet *s) {
  static const char *const KINDS[] = {"?", "file", "folder", "other"};
  const char *text = "";
  char hash[SHA256_TEXT];
  for (int i = 0; i < file_set_count(s); i++) {
    const NotedFile *f = file_set_at(s, i);
    bool hashed = f->closed || f->bytes;
    text = arena_print(a, "%s%s %s%s%s%s %.8s\n", text, f->path, KINDS[f->kind],
                       f->closed ? " closed" : "", f->bytes ? " = " : "", f->bytes ? f->bytes : "",
                       hashed ? sha256_print(&f->hash, hash) : "");
  }
  for (int i = 0; i < file_set_variable_count(s); i++) {
    const char *value, *name = file_set_variable_at(s, i, &value);
    text = arena_print(a, "%s$%s = %s\n", text, name, value);
  }
  return text;
}

static void assert_hash_of(const NotedFile *f, const char *content) {
  Sha256 h = sha256_of(content, strlen(content));
  assert_non_null(f);
  assert_true(sha256_equal(&h, &f->hash));
}

// ---------------------------------------------------------------- the set

static void paths_are_shortened(void **state) {
  const Folder *f = *state;
  static const char *const ROWS[][2] = {
      {"a/b", "a/b"},         {"./a", "a"},      {"././a/./b/.", "a/b"},
      {"a//b///c/", "a/b/c"}, {"a/../b", "b"},   {"a/b/../../c", "c"},
      {"a/..", "."},          {".", "."},        {"", "."},
      {"..", ".."},           {"../a", "../a"},  {"../../a/../b", "../../b"},
      {"a/../../b", "../b"},  {"/", "/"},        {"//a", "/a"},
      {"/../a", "/a"},        {"/a/..", "/"},    {"/a/../..", "/"},
      {"..a/...", "..a/..."}, {"a/..b", "a/..b"}};
  for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
    FileSet *s = file_set_new(f->arena);
    file_set_add(s, ROWS[i][0], FILE_REGULAR, "x", 1);
    assert_string_equal(file_set_at(s, 0)->path, ROWS[i][1]);
    for (size_t k = 0; k < sizeof ROWS / sizeof *ROWS; k++)
      assert_int_equal(file_set_find(s, ROWS[k][0]) != NULL, strcmp(ROWS[k][1], ROWS[i][1]) == 0);
  }
}

static void the_order_of_adding_does_not_matter(void **state) {
  const Folder *f = *state;
  static const char *const PATHS[] = {"b", "/b", "a/b", "a-b", "a", "ä", "../x", "B"};
  enum { COUNT = sizeof PATHS / sizeof *PATHS };
  FileSet *one = file_set_new(f->arena), *two = file_set_new(f->arena);
  for (int i = 0; i < COUNT; i++) {
    file_set_add(one, PATHS[i], FILE_REGULAR, PATHS[i], strlen(PATHS[i]));
    file_set_add(two, PATHS[COUNT - 1 - i], FILE_REGULAR, PATHS[COUNT - 1 - i],
                 strlen(PATHS[COUNT - 1 - i]));
    file_set_add_variable(one, PATHS[i], "x");
    file_set_add_variable(two, PATHS[COUNT - 1 - i], "x");
  }
  assert_string_equal(printed(f->arena, one), printed(f->arena, two));
  for (int i = 0; i + 1 < COUNT; i++)
    assert_true(strcmp(file_set_at(one, i)->path, file_set_at(one, i + 1)->path) < 0);
}

static void the_set_has_copies(void **state) {
  const Folder *f = *state;
  char path[] = "a", bytes[] = "x\0y", name[] = "N", value[] = "v";
  file_set_add(f->set, path, FILE_REGULAR, bytes, 3);
  file_set_add_variable(f->set, name, value);
  path[0] = bytes[0] = name[0] = value[0] = '!';
  const NotedFile *n = file_set_find(f->set, "a");
  assert_int_equal(n->length, 3);
  assert_memory_equal(n->bytes, "x\0y", 4); // and a closing NUL
  assert_string_equal(file_set_variable(f->set, "N"), "v");
}

static void what_is_added_first_stays(void **state) {
  const Folder *f = *state;
  file_set_add_name(f->set, "a", FILE_REGULAR);
  assert_null(file_set_find(f->set, "a")->bytes);
  file_set_add(f->set, "a", FILE_REGULAR, "one", 3);
  file_set_add(f->set, "./a", FILE_REGULAR, "three", 5);
  file_set_add_name(f->set, "a", FILE_FOLDER);
  file_set_add_variable(f->set, "N", "one");
  file_set_add_variable(f->set, "N", "two");
  assert_int_equal(file_set_count(f->set), 1);
  assert_string_equal(file_set_find(f->set, "a")->bytes, "one");
  assert_hash_of(file_set_find(f->set, "a"), "one");
  assert_int_equal(file_set_kind(f->set, "a"), FILE_REGULAR);
  assert_string_equal(file_set_variable(f->set, "N"), "one");
}

// ---------------------------------------------------------------- noting

static void what_is_read_is_noted(void **state) {
  const Folder *f = *state;
  FileSetUse u;
  put("a", "one"), put("b", "two"), put("c", "not read");
  file_set_begin_noting(&u, f->set);
  assert_string_equal(get(f, "./a"), "one");
  assert_string_equal(get(f, arena_print(f->arena, "%s/b", f->path)), "two");
  file_set_end(&u);
  assert_string_equal(get(f, "c"), "not read");
  assert_int_equal(file_set_count(f->set), 2);
  assert_string_equal(file_set_find(f->set, "a")->bytes, "one");
  assert_hash_of(file_set_find(f->set, "a"), "one");
  assert_null(file_set_find(f->set, "b")); // another path than that with the folder
}

static void a_path_is_read_once_while_noting(void **state) {
  const Folder *f = *state;
  FileSetUse u;
  put("a", "one");
  mkdir("d", 0700);
  file_set_begin_noting(&u, f->set);
  assert_string_equal(get(f, "a"), "one");
  put("a", "another");
  assert_string_equal(get(f, "a"), "one");
  assert_string_equal(get(f, "d/.././a"), "one");
  unlink("a");
  assert_string_equal(get(f, "a"), "one");
  assert_int_equal(file_kind("a"), FILE_REGULAR);
  file_set_end(&u);
  assert_int_equal(file_set_count(f->set), 1);
  assert_hash_of(file_set_find(f->set, "a"), "one");
  assert_int_equal(file_kind("a"), FILE_ABSENT);
}

static void limits_hold_for_what_was_noted(void **state) {
  const Folder *f = *state;
  FileSetUse u;
  put("a", "four");
  const char *disk = refusal(f, "a", 3);
  file_set_begin_noting(&u, f->set);
  assert_string_equal(refusal(f, "a", 3), disk);
  assert_int_equal(file_set_count(f->set), 0); // it was not read to its end
  get(f, "a");
  assert_string_equal(refusal(f, "a", 3), disk);
  file_set_end(&u);
  file_set_begin_serving(&u, f->set);
  assert_string_equal(refusal(f, "a", 3), disk);
  assert_string_equal(get(f, "a"), "four");
  file_set_end(&u);
}

// A pipe has content, but is no file where files are looked for.
static void pipes_are_served_as_they_were(void **state) {
  const Folder *f = *state;
  FileSetUse u;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_true(file_write_all(ends[1], "text", 4));
  close(ends[1]);
  const char *path = arena_print(f->arena, "/dev/fd/%d", ends[0]);
  file_set_begin_noting(&u, f->set);
  assert_int_equal(file_kind(path), FILE_OTHER);
  assert_string_equal(get(f, path), "text");
  assert_string_equal(get(f, path), "text"); // which the pipe would not give again
  file_set_end(&u);
  close(ends[0]);
  file_set_begin_serving(&u, f->set);
  assert_int_equal(file_kind(path), FILE_OTHER);
  assert_string_equal(get(f, path), "text");
  file_set_end(&u);
}

// ---------------------------------------------------------------- serving

static void what_is_not_in_the_set_does_not_exist(void **state) {
  const Folder *f = *state;
  FileSetUse u;
  put("there", "x");
  mkdir("folder", 0700);
  put("folder/x", "y");
  const char *missing = refusal(f, "missing", 100), *folder = refusal(f, "folder", 100);
  file_set_begin_noting(&u, f->set);
  assert_string_equal(refusal(f, "missing", 100), missing);
  get(f, "folder/x");
  file_set_end(&u);
  file_set_begin_serving(&u, f->set);
  assert_string_equal(refusal(f, "missing", 100), missing);
  assert_string_equal(refusal(f, "folder", 100), folder);
  assert_non_null(strstr(refusal(f, "there", 100), "cannot read 'there': No such file"));
  assert_int_equal(file_kind("there"), FILE_ABSENT);
  assert_int_equal(file_list(f->arena, ".", "").count, 1);
  assert_null(file_variable("HOME"));
  put("written", "on the disk");
  assert_int_equal(file_kind("written"), FILE_ABSENT);
  file_set_end(&u);
  assert_string_equal(get(f, "written"), "on the disk");
}

static void folders_exist_where_something_is_in_them(void **state) {
  const Folder *f = *state;
  static const struct {
    const char *path;
    FileKind kind;
  } ROWS[] = {{"a", FILE_FOLDER},    {"a/b", FILE_FOLDER},     {"a/b/c", FILE_REGULAR},
              {".", FILE_FOLDER},    {"./a/", FILE_FOLDER},    {"a/b/..", FILE_FOLDER},
              {"..", FILE_FOLDER},   {"../..", FILE_ABSENT},   {"../x", FILE_REGULAR},
              {"/", FILE_FOLDER},    {"/r", FILE_FOLDER},      {"/a", FILE_ABSENT},
              {"a/bb", FILE_ABSENT}, {"a/b/c/d", FILE_ABSENT}, {"e", FILE_FOLDER}};
  FileSetUse u;
  file_set_begin_serving(&u, f->set);
  assert_int_equal(file_kind("."), FILE_ABSENT);
  assert_int_equal(file_kind("/"), FILE_ABSENT);
  file_set_end(&u);
  file_set_add(f->set, "a/b/c", FILE_REGULAR, "x", 1);
  file_set_add(f->set, "../x", FILE_REGULAR, "x", 1);
  file_set_add(f->set, "/r/x", FILE_REGULAR, "x", 1);
  file_set_add_name(f->set, "e", FILE_FOLDER);
  file_set_begin_serving(&u, f->set);
  for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
    if (file_kind(ROWS[i].path) != ROWS[i].kind) fail_msg("%s", ROWS[i].path);
  file_set_end(&u);
}

static const char *listed(const Folder *f, const char *folder, const char *prefix) {
  const char *text = "";
  FileNames all = file_list(f->arena, folder, prefix);
  for (int i = 0; i < all.count; i++) text = arena_print(f->arena, "%s%s;", text, all.at[i]);
  return text;
}

static void listings_are_served_as_they_were(void **state) {
  const Folder *f = *state;
  FileSetUse u;
  static const char *const FOLDERS[] = {"lib", "lib/P 1.9", "lib/P 1.10", "lib/P", "lib/empty"};
  for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++) mkdir(FOLDERS[i], 0700);
  put("lib/P 1.9/package.mo", "nine"), put("lib/P 1.10/package.mo", "ten");
  put("lib/P.mo", "P"), put("lib/Q.mo", "Q"), put("lib/.hidden", "h"), put("lib/P-1", "-");
  assert_string_equal(listed(f, "lib", ""), "P;P 1.10;P 1.9;P-1;P.mo;Q.mo;empty;");
  file_set_begin_noting(&u, f->set);
  assert_string_equal(listed(f, "lib", "P "), "P 1.10;P 1.9;");
  get(f, "lib/P 1.10/package.mo");
  assert_string_equal(listed(f, "lib", "R"), "");
  assert_string_equal(listed(f, "missing", ""), "");
  file_set_end(&u);
  assert_string_equal(printed(f->arena, f->set), "lib/P 1.10 folder \n"
                                                 "lib/P 1.10/package.mo file = ten e4432baa\n"
                                                 "lib/P 1.9 folder \n");
  file_set_begin_serving(&u, f->set);
  assert_string_equal(listed(f, "./lib/", "P "), "P 1.10;P 1.9;");
  assert_int_equal(file_kind("lib/P 1.9"), FILE_FOLDER);
  assert_string_equal(get(f, "lib/P 1.10/package.mo"), "ten");
  file_set_end(&u);
  file_set_begin_noting(&u, f->set);
  const char *all = listed(f, "lib", "");
  file_set_end(&u);
  file_set_begin_serving(&u, f->set);
  assert_string_equal(listed(f, "lib", ""), all);
  assert_int_equal(file_kind("lib/empty"), FILE_FOLDER);
  assert_int_equal(file_kind("lib/P.mo"), FILE_REGULAR); // its name is known, its content is not
  assert_non_null(strstr(refusal(f, "lib/P.mo", 10), "No such file"));
  file_set_end(&u);
}

static void the_environment_is_served_as_it_was(void **state) {
  const Folder *f = *state;
  FileSetUse u;
  setenv("ENTRAIN_TEST_PATH", "one:two", 1);
  unsetenv("ENTRAIN_TEST_NONE");
  file_set_begin_noting(&u, f->set);
  assert_string_equal(file_variable("ENTRAIN_TEST_PATH"), "one:two");
  setenv("ENTRAIN_TEST_PATH", "three", 1);
  assert_string_equal(file_variable("ENTRAIN_TEST_PATH"), "one:two");
  assert_null(file_variable("ENTRAIN_TEST_NONE"));
  file_set_end(&u);
  assert_string_equal(file_variable("ENTRAIN_TEST_PATH"), "three");
  setenv("ENTRAIN_TEST_NONE", "now", 1);
  file_set_begin_serving(&u, f->set);
  assert_string_equal(file_variable("ENTRAIN_TEST_PATH"), "one:two");
  assert_null(file_variable("ENTRAIN_TEST_NONE"));
  file_set_end(&u);
  unsetenv("ENTRAIN_TEST_PATH"), unsetenv("ENTRAIN_TEST_NONE");
}

// ---------------------------------------------------------------- uses

static void uses_are_nested(void **state) {
  const Folder *f = *state;
  FileSet *in = file_set_new(f->arena), *kept = file_set_new(f->arena);
  FileSetUse outer, inner, third;
  put("a", "disk a"), put("b", "disk b"), put("c", "disk c");
  file_set_add(kept, "a", FILE_REGULAR, "kept a", 6);
  assert_null(file_set_innermost());
  file_set_begin_noting(&outer, f->set);
  file_set_begin_noting(&inner, in); // both note
  get(f, "b");
  assert_false(file_set_is_serving());
  file_set_begin_serving(&third, kept); // neither does
  assert_true(file_set_is_serving());
  assert_string_equal(get(f, "a"), "kept a");
  file_set_end(&third);
  assert_string_equal(get(f, "a"), "disk a");
  file_set_end(&inner);
  assert_ptr_equal(file_set_innermost(), &outer);
  get(f, "c");
  FileSetUse *before = file_set_swap(NULL); // nobody
  put("d", "d"), get(f, "d");
  assert_ptr_equal(before, &outer);
  assert_null(file_set_swap(before));
  file_set_end(&outer);
  assert_int_equal(file_set_count(in), 2);
  assert_int_equal(file_set_count(f->set), 3);
  assert_null(file_set_find(f->set, "d"));
  assert_int_equal(file_set_count(kept), 1);
}

// A problem that comes out of one set is noted in another.
static void what_is_served_can_be_noted(void **state) {
  const Folder *f = *state;
  FileSet *again = file_set_new(f->arena);
  FileSetUse u, v;
  file_set_add(f->set, "lib/a", FILE_REGULAR, "x", 1);
  file_set_add_variable(f->set, "N", "v");
  file_set_begin_serving(&u, f->set);
  file_set_begin_noting(&v, again);
  assert_true(file_set_is_serving());
  assert_string_equal(listed(f, "lib", ""), "a;");
  get(f, "lib/a"), file_variable("N");
  assert_int_equal(file_kind("missing"), FILE_ABSENT);
  file_set_end(&v);
  file_set_end(&u);
  assert_string_equal(printed(f->arena, again), printed(f->arena, f->set));
}

typedef struct Reader { // a thread
  const FileSet *set;
  const char *expected;
  int wrong;
} Reader;

static void *read_often(void *data) {
  Reader *r = data;
  Arena *a = arena_new();
  FileSetUse u;
  Err err = {0};
  r->wrong += file_set_innermost() != NULL; // that of the other thread
  if (r->set) file_set_begin_serving(&u, r->set);
  for (int i = 0; i < 200; i++) {
    const char *text = file_read(a, "a", 100, NULL, &err);
    r->wrong += !text || strcmp(text, r->expected) != 0;
  }
  if (r->set) file_set_end(&u);
  arena_free(a);
  return NULL;
}

static void threads_are_independent(void **state) {
  const Folder *f = *state;
  FileSet *kept = file_set_new(f->arena);
  file_set_add(kept, "a", FILE_REGULAR, "kept", 4);
  put("a", "disk");
  Reader readers[] = {{kept, "kept", 0}, {kept, "kept", 0}, {NULL, "disk", 0}};
  pthread_t threads[3];
  FileSetUse u;
  file_set_begin_noting(&u, f->set);
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, read_often, &readers[i]);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  assert_int_equal(file_set_count(f->set), 0); // others have read
  assert_string_equal(get(f, "a"), "disk");
  file_set_end(&u);
  for (int i = 0; i < 3; i++) assert_int_equal(readers[i].wrong, 0);
}

// ---------------------------------------------------------------- closed files

static void closed_files_have_a_hash_and_no_content(void **state) {
  const Folder *f = *state;
  FileSetUse u;
  put("first", "x"), put("later", "y"), put("alone", "z");
  file_set_note_closed("alone"); // nobody notes
  file_set_begin_noting(&u, f->set);
  get(f, "first");
  file_set_note_closed("first");
  file_set_note_closed("later");
  get(f, "later");
  file_set_note_closed("./alone");
  file_set_note_closed("missing");
  put("first", "changed"), put("later", "changed");
  assert_string_equal(get(f, "first"), "x"); // still read once
  assert_string_equal(get(f, "later"), "y");
  file_set_end(&u);
  assert_int_equal(file_set_count(f->set), 3);
  assert_false(file_set_has_gaps(f->set));
  static const char *const ROWS[][2] = {{"first", "x"}, {"later", "y"}, {"alone", "z"}};
  for (int i = 0; i < 3; i++) {
    const NotedFile *n = file_set_find(f->set, ROWS[i][0]);
    assert_hash_of(n, ROWS[i][1]);
    assert_true(n->closed && !n->bytes && n->length == 0 && n->kind == FILE_REGULAR);
  }
  file_set_begin_serving(&u, f->set);
  for (int i = 0; i < 3; i++) assert_non_null(strstr(refusal(f, ROWS[i][0], 100), "No such file"));
  file_set_note_closed("first"); // a set that serves does not change
  file_set_end(&u);
}

static void folders_of_closed_files_are_noted_to_their_ends(void **state) {
  const Folder *f = *state;
  FileSetUse u;
  mkdir("d", 0700), mkdir("d/e", 0700), mkdir("d/empty", 0700), mkdir("out", 0700);
  put("d/a", "a"), put("d/e/.b", "b"), put("out/c", "c");
  assert_int_equal(symlink("../out", "d/link") | symlink("d", "named") | mkfifo("d/pipe", 0600), 0);
  file_set_begin_noting(&u, f->set);
  file_set_note_closed("named");
  file_set_end(&u);
  assert_false(file_set_has_gaps(f->set));
  assert_int_equal(file_set_count(f->set),
                   3); // what is behind the link in the folder is not followed
  assert_hash_of(file_set_find(f->set, "named/a"), "a");
  assert_hash_of(file_set_find(f->set, "named/e/.b"), "b");
  assert_hash_of(file_set_find(f->set, "named/link"), "../out");
  for (int i = 0; i < 3; i++) assert_true(file_set_at(f->set, i)->closed);
}

static void what_cannot_be_hashed_is_a_gap(void **state) {
  const Folder *f = *state;
  FileSetUse u;
  mkdir("d", 0700);
  for (int i = 0; i < CLOSED_FILES_MOST; i++) put(arena_print(f->arena, "d/%d", i), "");
  file_set_begin_noting(&u, f->set);
  file_set_note_closed("d");
  assert_false(file_set_has_gaps(f->set));
  put("d/more", "");
  file_set_note_closed("d");
  file_set_end(&u);
  assert_true(file_set_has_gaps(f->set));
  assert_int_equal(file_set_count(f->set), CLOSED_FILES_MOST);
  if (geteuid() == 0) return; // whom no permission keeps from reading
  FileSet *s = file_set_new(f->arena);
  put("secret", "x"), chmod("secret", 0);
  file_set_begin_noting(&u, s);
  file_set_note_closed("secret");
  file_set_end(&u);
  assert_true(file_set_has_gaps(s) && file_set_count(s) == 0);
}

#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, folder_new, folder_free)

int main(void) {
  const struct CMUnitTest tests[] = {
      FOLDER_TEST(paths_are_shortened),
      FOLDER_TEST(the_order_of_adding_does_not_matter),
      FOLDER_TEST(the_set_has_copies),
      FOLDER_TEST(what_is_added_first_stays),
      FOLDER_TEST(what_is_read_is_noted),
      FOLDER_TEST(a_path_is_read_once_while_noting),
      FOLDER_TEST(limits_hold_for_what_was_noted),
      FOLDER_TEST(pipes_are_served_as_they_were),
      FOLDER_TEST(what_is_not_in_the_set_does_not_exist),
      FOLDER_TEST(folders_exist_where_something_is_in_them),
      FOLDER_TEST(listings_are_served_as_they_were),
      FOLDER_TEST(the_environment_is_served_as_it_was),
      FOLDER_TEST(uses_are_nested),
      FOLDER_TEST(what_is_served_can_be_noted),
      FOLDER_TEST(threads_are_independent),
      FOLDER_TEST(closed_files_have_a_hash_and_no_content),
      FOLDER_TEST(folders_of_closed_files_are_noted_to_their_ends),
      FOLDER_TEST(what_cannot_be_hashed_is_a_gap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
