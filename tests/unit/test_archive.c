#include "fmu/archive.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "made_archive.h"

static const char *in(const MadeArchive *m, const char *name) {
  return arena_print(m->arena, "%s/%s", m->folder, name);
}

static const char *new_folder(const MadeArchive *m, const char *name) {
  const char *path = in(m, name);
  assert_int_equal(mkdir(path, 0700), 0);
  return path;
}

static int count_entries(const char *folder) {
  DIR *d = opendir(folder);
  assert_non_null(d);
  int count = -2; // . and ..
  while (readdir(d)) count++;
  closedir(d);
  return count;
}

// All three functions refuse the archive for the same reason, and nothing is unpacked.
static void assert_refused(MadeArchive *m, ErrCode code, const char *why) {
  static int number = 0;
  Err list = {0}, read = {0}, unpack = {0};
  assert_null(archive_list(m->arena, m->path, &list));
  assert_string_equal(list.text, why);
  assert_int_equal(list.code, code);
  assert_string_equal(list.file, m->path);
  assert_null(archive_read(m->arena, m->path, "a", 100, NULL, &read));
  assert_string_equal(read.text, why);
  const char *folder = new_folder(m, arena_print(m->arena, "out%d", number++));
  assert_false(archive_unpack(m->path, folder, &unpack));
  assert_string_equal(unpack.text, why);
  assert_int_equal(count_entries(folder), 0);
}

static void assert_name_refused(MadeArchive *m, const char *name, const char *why) {
  made_archive_begin(m, "a.zip");
  made_archive_add(m, "a", "text");
  made_archive_add(m, name, "text");
  made_archive_end(m);
  assert_refused(m, ERR_DATA, why);
}

// The bytes of the archive, to be damaged and written back.
static char *bytes_of(const MadeArchive *m, size_t *length) {
  Err err = {0};
  char *bytes = file_read(m->arena, m->path, 1 << 26, length, &err);
  assert_non_null(bytes);
  return bytes;
}

static void write_bytes(const MadeArchive *m, const char *bytes, size_t length) {
  Err err = {0};
  assert_true(file_write(m->path, bytes, length, false, &err));
}

// The n-th header that begins with this signature.
static char *header(char *bytes, size_t length, const char *signature, int n) {
  for (size_t i = 0; i + 4 <= length; i++)
    if (memcmp(bytes + i, signature, 4) == 0 && n-- == 0) return bytes + i;
  fail_msg("there is no such header");
  return NULL;
}

#define LOCAL "PK\3\4"
#define CENTRAL "PK\1\2"

// Changes bytes of the last of two entries, "a" and "b", in both of its headers.
static void patch_both(MadeArchive *m, const char *contents, int local, int central,
                       const char *patch, size_t count) {
  made_archive_begin(m, "a.zip");
  made_archive_add(m, "a", "text");
  made_archive_add(m, "b", contents);
  made_archive_end(m);
  size_t length;
  char *bytes = bytes_of(m, &length);
  memcpy(header(bytes, length, LOCAL, 1) + local, patch, count);
  memcpy(header(bytes, length, CENTRAL, 1) + central, patch, count);
  write_bytes(m, bytes, length);
}

// ---------------------------------------------------------------- what is allowed

static void what_was_packed_is_listed_and_read_back(void **state) {
  MadeArchive *m = *state;
  made_archive_begin(m, "car.fmu");
  made_archive_add(m, "modelDescription.xml", "<x/>");
  made_archive_add(m, "binaries/", "");
  made_archive_add(m, "binaries/linux64/car.so",
                   "\x7f"
                   "ELF");
  made_archive_add(m, "resources/empty", "");
  made_archive_end(m);
  Err err = {0};
  ArchiveList *l = archive_list(m->arena, m->path, &err);
  assert_non_null(l);
  assert_int_equal(l->entries.count, 4);
  assert_string_equal(l->entries.at[1].name, "binaries/");
  assert_string_equal(l->entries.at[2].name, "binaries/linux64/car.so");
  assert_int_equal(l->entries.at[2].size, 4);
  size_t length = 99;
  assert_string_equal(archive_read(m->arena, m->path, "modelDescription.xml", 4, &length, &err),
                      "<x/>");
  assert_int_equal(length, 4);
  assert_string_equal(archive_read(m->arena, m->path, "resources/empty", 0, &length, &err), "");
  assert_int_equal(length, 0);
}

static void large_entries_with_all_bytes_come_back_unchanged(void **state) {
  MadeArchive *m = *state;
  size_t count = 3000001, length;
  char *bytes = ARENA_ARRAY(m->arena, char, count);
  uint64_t seed = 5;
  for (size_t i = 0; i < count; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    bytes[i] = (char)(i < count / 2 ? seed >> 40 : i >> 12);
  }
  made_archive_begin(m, "a.zip");
  made_archive_add_bytes(m, "folder/data", bytes, count, 0);
  made_archive_end(m);
  Err err = {0};
  char *back = archive_read(m->arena, m->path, "folder/data", count, &length, &err);
  assert_int_equal(length, count);
  assert_memory_equal(back, bytes, count);
  const char *folder = new_folder(m, "out");
  assert_true(archive_unpack(m->path, folder, &err));
  back = file_read(m->arena, in(m, "out/folder/data"), count, &length, &err);
  assert_int_equal(length, count);
  assert_memory_equal(back, bytes, count);
}

static void unpacked_files_belong_to_the_owner_alone(void **state) {
  MadeArchive *m = *state;
  made_archive_begin(m, "a.zip");
  made_archive_add_bytes(m, "x/y/z.so", "code", 4, (unsigned long)(S_IFREG | 04777) << 16);
  made_archive_add(m, "x/y/", "");
  made_archive_add(m, "top", "text");
  made_archive_end(m);
  Err err = {0};
  assert_true(archive_unpack(m->path, new_folder(m, "out"), &err));
  const char *paths[] = {"out/x/y/z.so", "out/x/y", "out/top"};
  for (int i = 0; i < 3; i++) {
    struct stat s;
    assert_int_equal(stat(in(m, paths[i]), &s), 0);
    assert_int_equal(s.st_mode & 07777, 0700);
  }
}

static void names_of_other_encodings_and_languages_are_allowed(void **state) {
  MadeArchive *m = *state;
  made_archive_begin(m, "a.zip");
  made_archive_add(m, "resources/\xc3\xa4 b(1).txt", "1");
  made_archive_add(m, "resources/\xe4.txt", "2"); // Latin 1
  made_archive_add(m, "...", "3");
  made_archive_add(m, "a..b/c:d", "4");
  made_archive_end(m);
  Err err = {0};
  assert_non_null(archive_list(m->arena, m->path, &err));
  assert_true(archive_unpack(m->path, new_folder(m, "out"), &err));
  assert_int_equal(access(in(m, "out/a..b/c:d"), R_OK), 0);
}

// ---------------------------------------------------------------- what is refused

static void files_that_are_no_archives_are_refused(void **state) {
  MadeArchive *m = *state;
  const char *texts[] = {"", "PK", "model M end M;", "PK\3\4 and nothing else"};
  m->path = in(m, "a.zip");
  for (int i = 0; i < 4; i++) {
    write_bytes(m, texts[i], strlen(texts[i]));
    assert_refused(m, ERR_FILE, "this is not a ZIP archive, or its end is missing");
  }
}

static void what_cannot_be_read_is_named(void **state) {
  MadeArchive *m = *state;
  Err missing = {0}, folder = {0}, entry = {0}, large = {0};
  assert_null(archive_list(m->arena, in(m, "no.fmu"), &missing));
  assert_string_equal(missing.text, arena_print(m->arena,
                                                "cannot read '%s/no.fmu': No such file or"
                                                " directory",
                                                m->folder));
  assert_null(archive_list(m->arena, m->folder, &folder));
  assert_string_equal(folder.text,
                      arena_print(m->arena, "cannot read '%s': it is not a file", m->folder));
  made_archive_begin(m, "a.zip");
  made_archive_add(m, "a", "12345");
  made_archive_end(m);
  assert_null(archive_read(m->arena, m->path, "b", 10, NULL, &entry));
  assert_string_equal(entry.text, "there is no entry 'b' in this archive");
  assert_null(archive_read(m->arena, m->path, "a", 4, NULL, &large));
  assert_string_equal(large.text, "entry 'a' has more than 4 bytes");
  assert_int_equal(large.code, ERR_LIMIT);
}

static void names_that_lead_outside_are_refused(void **state) {
  MadeArchive *m = *state;
  static const char INSIDE[] =
      "has a component '..' in its name; names must stay inside the archive";
  const char *names[] = {"..", "../x", "x/../../y", "x/..", "x/../", "./../x", "x//.."};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_name_refused(m, names[i], arena_print(m->arena, "entry '%s' %s", names[i], INSIDE));
  assert_name_refused(
      m, "/etc/passwd",
      "entry '/etc/passwd' has an absolute name; names must be relative to the archive");
  assert_name_refused(m, "C:/x",
                      "entry 'C:/x' has a drive letter in its name; names must be relative to the"
                      " archive");
  assert_name_refused(m, "x\\..\\y", arena_print(m->arena, "entry 'x/../y' %s", INSIDE));
  assert_name_refused(
      m, "\\etc\\passwd",
      "entry '/etc/passwd' has an absolute name; names must be relative to the archive");
  assert_name_refused(m, "C:\\x",
                      "entry 'C:/x' has a drive letter in its name; names must be relative to the"
                      " archive");
}

// Names that mean the same are one name: zip writes "./", some tools of Windows backslashes.
static void names_are_made_plain(void **state) {
  MadeArchive *m = *state;
  static const struct {
    const char *written, *read;
  } NAMES[] = {{"./", NULL},
               {"./a", "a"},
               {"x\\", "x/"},
               {"x\\y", "x/y"},
               {"z/./u", "z/u"},
               {"z//v", "z/v"},
               {".\\.\\w//.//q", "w/q"},
               {".e", ".e"},
               {"...", "..."},
               {"b.", "b."}};
  enum { COUNT = sizeof NAMES / sizeof *NAMES };
  made_archive_begin(m, "a.zip");
  for (int i = 0; i < COUNT; i++) made_archive_add(m, NAMES[i].written, "");
  made_archive_end(m);
  Err err = {0};
  ArchiveList *list = archive_list(m->arena, m->path, &err);
  assert_non_null(list);
  assert_int_equal(list->entries.count, COUNT - 1);
  for (int i = 1; i < COUNT; i++) assert_string_equal(list->entries.at[i - 1].name, NAMES[i].read);
  const char *folder = new_folder(m, "plain");
  assert_true(archive_unpack(m->path, folder, &err));
  for (int i = 1; i < COUNT; i++)
    assert_int_equal(access(arena_print(m->arena, "%s/%s", folder, NAMES[i].read), F_OK), 0);
  assert_non_null(archive_read(m->arena, m->path, "w/q", 10, NULL, &err));
  made_archive_begin(m, "b.zip");
  made_archive_add(m, "x/a", "1");
  made_archive_add(m, "x\\a", "2");
  made_archive_end(m);
  assert_null(archive_list(m->arena, m->path, &err));
  assert_string_equal(
      err.text, "entry 'x/a' occurs twice with different contents; each name is allowed once");
}

static void names_with_control_characters_are_refused_and_shown(void **state) {
  MadeArchive *m = *state;
  static const char WHY[] = "has a control character in its name, which is not allowed";
  assert_name_refused(m, "a\nb", arena_print(m->arena, "entry 'a\\x0ab' %s", WHY));
  assert_name_refused(m, "a\033[1mb", arena_print(m->arena, "entry 'a\\x1b[1mb' %s", WHY));
  assert_name_refused(m, "a\x7f", arena_print(m->arena, "entry 'a\\x7f' %s", WHY));
  assert_name_refused(m,
                      "a\xe2\x80\xae"
                      "b",
                      arena_print(m->arena, "entry 'a\\u202eb' %s", WHY));
}

static void a_nul_in_a_name_is_refused(void **state) {
  MadeArchive *m = *state;
  made_archive_begin(m, "a.zip");
  made_archive_add(m, "a", "text");
  made_archive_add(m, "b.c", "text");
  made_archive_end(m);
  size_t length;
  char *bytes = bytes_of(m, &length);
  header(bytes, length, CENTRAL, 1)[46 + 1] = 0;
  write_bytes(m, bytes, length);
  assert_refused(m, ERR_DATA,
                 "entry 'b' has a control character in its name, which is not allowed");
}

static void very_long_names_and_deep_folders_are_refused(void **state) {
  MadeArchive *m = *state;
  char name[1100];
  memset(name, 'x', sizeof name);
  name[1001] = 0;
  assert_name_refused(
      m, name, arena_print(m->arena, "entry '%.100s' has a name of more than 1000 bytes", name));
  for (int i = 0; i < 51; i++) name[2 * i + 1] = '/';
  name[103] = 0;
  assert_name_refused(m, name,
                      arena_print(m->arena, "entry '%.100s' lies in more than 50 folders", name));
}

static void links_and_devices_are_refused(void **state) {
  MadeArchive *m = *state;
  const struct {
    unsigned mode;
    const char *why;
  } CASES[] = {
      {S_IFLNK, "entry 'b' is a symbolic link; only files and folders are allowed"},
      {S_IFCHR, "entry 'b' is a device, pipe or socket; only files and folders are allowed"},
      {S_IFBLK, "entry 'b' is a device, pipe or socket; only files and folders are allowed"},
      {S_IFIFO, "entry 'b' is a device, pipe or socket; only files and folders are allowed"},
      {S_IFSOCK, "entry 'b' is a device, pipe or socket; only files and folders are allowed"},
  };
  for (int i = 0; i < 5; i++) {
    made_archive_begin(m, "a.zip");
    made_archive_add(m, "a", "text");
    made_archive_add_bytes(m, "b", "/etc/passwd", 11, (unsigned long)(CASES[i].mode | 0777) << 16);
    made_archive_end(m);
    assert_refused(m, ERR_DATA, CASES[i].why);
  }
}

static void a_name_has_one_content(void **state) {
  MadeArchive *m = *state;
  made_archive_begin(m, "a.zip");
  made_archive_add(m, "a", "1");
  made_archive_add(m, "b", "2");
  made_archive_add(m, "a", "3");
  made_archive_end(m);
  assert_refused(m, ERR_NAME,
                 "entry 'a' occurs twice with different contents; each name is allowed once");
}

// Official FMUs contain such.
static void what_is_repeated_without_change_is_listed_and_unpacked_once(void **state) {
  MadeArchive *m = *state;
  made_archive_begin(m, "a.zip");
  made_archive_add(m, "extra/", "");
  made_archive_add(m, "extra/x", "1");
  made_archive_add(m, "extra/", "");
  made_archive_add(m, "extra/x", "1");
  made_archive_add(m, "y", "2");
  made_archive_end(m);
  Err err = {0};
  ArchiveList *l = archive_list(m->arena, m->path, &err);
  assert_non_null(l);
  assert_int_equal(l->entries.count, 3);
  assert_string_equal(l->entries.at[2].name, "y");
  assert_true(archive_unpack(m->path, new_folder(m, "out"), &err));
  assert_int_equal(access(in(m, "out/extra/x"), R_OK), 0);
}

static void a_file_cannot_be_a_folder_too(void **state) {
  MadeArchive *m = *state;
  made_archive_begin(m, "a.zip");
  made_archive_add(m, "a", "1");
  made_archive_add(m, "a/b", "2");
  made_archive_end(m);
  Err err = {0};
  assert_false(archive_unpack(m->path, new_folder(m, "out"), &err));
  assert_string_equal(err.text, "cannot write entry 'a/b': Not a directory");
}

static void encrypted_and_oddly_compressed_entries_are_refused(void **state) {
  MadeArchive *m = *state;
  patch_both(m, "text", 6, 8, "\1\0", 2);
  assert_refused(m, ERR_UNSUPPORTED,
                 "entry 'b' is encrypted; entries must be readable without a password");
  patch_both(m, "text", 8, 10, "\14\0", 2); // bzip2
  assert_refused(m, ERR_UNSUPPORTED, "entry 'b' is compressed by a method other than deflate");
}

static void too_many_entries_are_refused(void **state) {
  MadeArchive *m = *state;
  for (int over = 0; over < 2; over++) {
    made_archive_begin(m, "a.zip");
    for (int i = 0; i < ARCHIVE_ENTRIES_MOST + over; i++)
      made_archive_add(m, arena_print(m->arena, "f%d", i), "");
    made_archive_end(m);
    Err err = {0};
    assert_int_equal(archive_list(m->arena, m->path, &err) == NULL, over);
    if (over) assert_string_equal(err.text, "the archive has more than 20000 entries");
  }
}

static void an_archive_that_claims_too_many_bytes_is_refused(void **state) {
  MadeArchive *m = *state;
  Err err = {0};
  patch_both(m, "text", 22, 24, "\xff\xff\xff\x7f", 4); // with "a" more than 2 GiB
  const char *folder = new_folder(m, "out");
  assert_false(archive_unpack(m->path, folder, &err));
  assert_string_equal(err.text, "the archive unpacks to more than 2147483648 bytes");
  assert_int_equal(err.code, ERR_LIMIT);
  assert_int_equal(count_entries(folder), 0);
}

// A bomb claims to be small. Of it no more is unpacked than it claims.
static void an_entry_that_lies_about_its_size_is_refused(void **state) {
  MadeArchive *m = *state;
  char *zeros = ARENA_ARRAY(m->arena, char, 100001);
  memset(zeros, '0', 100000);
  const char *claims[] = {"\x0a\0\0\0", "\x9f\x86\1\0", "\xa1\x86\1\0"}; // 10, 99999, 100001
  for (int i = 0; i < 3; i++) {
    patch_both(m, zeros, 22, 24, claims[i], 4);
    Err read = {0}, unpack = {0};
    static const char WHY[] = "entry 'b' is damaged, or its size is not what the archive says";
    assert_null(archive_read(m->arena, m->path, "b", 200000, NULL, &read));
    assert_string_equal(read.text, WHY);
    const char *folder = new_folder(m, arena_print(m->arena, "lie%d", i));
    assert_false(archive_unpack(m->path, folder, &unpack));
    assert_string_equal(unpack.text, WHY);
    struct stat s;
    assert_int_equal(stat(arena_print(m->arena, "%s/b", folder), &s), 0);
    assert_true(s.st_size <= (i == 0 ? 10 : 100000));
  }
}

static void unpacking_does_not_follow_links_that_are_there(void **state) {
  MadeArchive *m = *state;
  const char *folder = new_folder(m, "out"), *other = new_folder(m, "other");
  assert_int_equal(symlink(other, in(m, "out/x")), 0);
  assert_int_equal(symlink(in(m, "other/file"), in(m, "out/y")), 0);
  const char *names[] = {"x/file", "y"};
  for (int i = 0; i < 2; i++) {
    made_archive_begin(m, "a.zip");
    made_archive_add(m, names[i], "text");
    made_archive_end(m);
    Err err = {0};
    assert_false(archive_unpack(m->path, folder, &err));
    assert_int_equal(err.code, ERR_FILE);
    assert_int_equal(count_entries(other), 0);
  }
}

// ---------------------------------------------------------------- damage

static uint64_t random_bits(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 33;
}

static void damaged_archives_are_harmless(void **state) {
  MadeArchive *m = *state;
  made_archive_begin(m, "a.zip");
  made_archive_add(m, "modelDescription.xml", "<a>some text, some text, some text</a>");
  made_archive_add(m, "binaries/linux64/", "");
  made_archive_add(m, "binaries/linux64/x.so",
                   "\x7f"
                   "ELF and so on and so on");
  made_archive_end(m);
  size_t length;
  const char *whole = bytes_of(m, &length);
  const char *folder = new_folder(m, "out");
  uint64_t seed = 12;
  int refused = 0, rounds = 1000;
  for (int i = 0; i < rounds; i++) {
    Arena *a = arena_new();
    char *bytes = arena_copy(a, whole, length);
    size_t kept = length - (i % 5 ? 0 : random_bits(&seed) % length);
    for (int k = 0; k < 1 + i % 4 && kept; k++)
      bytes[random_bits(&seed) % kept] = (char)(random_bits(&seed) % 3 ? random_bits(&seed) : 255);
    write_bytes(m, bytes, kept);
    Err list = {0}, unpack = {0};
    ArchiveList *l = archive_list(a, m->path, &list);
    assert_true((l != NULL) == (list.code == ERR_NONE));
    bool done = archive_unpack(m->path, folder, &unpack);
    assert_true(done == (unpack.code == ERR_NONE));
    refused += !done;
    arena_free(a);
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'/*", folder);
    if (count_entries(folder)) assert_int_equal(system(command), 0);
  }
  assert_int_equal(count_entries(m->folder), 2); // the archive and the folder
  assert_true(refused > rounds / 4 && refused < rounds);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, made_archive_setup, made_archive_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(what_was_packed_is_listed_and_read_back),
      TEST(large_entries_with_all_bytes_come_back_unchanged),
      TEST(unpacked_files_belong_to_the_owner_alone),
      TEST(names_of_other_encodings_and_languages_are_allowed),
      TEST(files_that_are_no_archives_are_refused),
      TEST(what_cannot_be_read_is_named),
      TEST(names_that_lead_outside_are_refused),
      TEST(names_are_made_plain),
      TEST(names_with_control_characters_are_refused_and_shown),
      TEST(a_nul_in_a_name_is_refused),
      TEST(very_long_names_and_deep_folders_are_refused),
      TEST(links_and_devices_are_refused),
      TEST(a_name_has_one_content),
      TEST(what_is_repeated_without_change_is_listed_and_unpacked_once),
      TEST(a_file_cannot_be_a_folder_too),
      TEST(encrypted_and_oddly_compressed_entries_are_refused),
      TEST(too_many_entries_are_refused),
      TEST(an_archive_that_claims_too_many_bytes_is_refused),
      TEST(an_entry_that_lies_about_its_size_is_refused),
      TEST(unpacking_does_not_follow_links_that_are_there),
      TEST(damaged_archives_are_harmless),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
