#include "base/mat_file.h"

#include <dlfcn.h>
#include <math.h>
#include <matio.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "base/text.h"
#include "num/random.h"
#include "test.h"

// ---- files of version 5, written by hand

static void put_word(Text *t, uint32_t w) {
  text_add_bytes(t, (const char *)&w, sizeof w);
}

static void put_element(Text *t, uint32_t type, const void *bytes, size_t length) {
  put_word(t, type), put_word(t, (uint32_t)length);
  text_add_bytes(t, bytes, length);
  while (t->length % 8) text_add_bytes(t, "", 1);
}

static void put_header(Text *t) {
  char head[128];
  memset(head, ' ', sizeof head);
  memcpy(head, "MATLAB 5.0 MAT-file", 19);
  memset(head + 116, 0, 8);
  memcpy(head + 124, "\0\1IM", 4);
  text_add_bytes(t, head, sizeof head);
}

static void put_matrix(Text *t, const char *name, int rows, int columns, const double *numbers) {
  size_t start = t->length;
  int32_t dims[2] = {rows, columns};
  uint32_t flags[2] = {6, 0}; // double
  put_word(t, 14), put_word(t, 0);
  put_element(t, 6, flags, sizeof flags);
  put_element(t, 5, dims, sizeof dims);
  put_element(t, 1, name, strlen(name));
  put_element(t, 9, numbers, (size_t)rows * (size_t)columns * sizeof *numbers);
  uint32_t length = (uint32_t)(t->length - start - 8);
  memcpy(t->at + start + 4, &length, sizeof length);
}

typedef struct TestFile {
  Arena *arena;
  char path[64];
} TestFile;

static TestFile new_file(void) {
  TestFile f = {.arena = arena_new(), .path = "/tmp/entrain-mat-XXXXXX.mat"};
  int fd = mkstemps(f.path, 4);
  assert_true(fd >= 0);
  close(fd);
  return f;
}

static void end_file(TestFile *f) {
  unlink(f->path);
  arena_free(f->arena);
}

static void write_bytes(const TestFile *f, const char *bytes, size_t length) {
  Err err = {0};
  assert_true(file_write(f->path, bytes, length, false, &err));
}

static bool has_library(void) {
  void *library = dlopen("libmatio.so.11", RTLD_NOW | RTLD_LOCAL);
  if (!library) skip();
  return library != NULL;
}

enum { ROWS = 37 };

static void fill(double *numbers, int count, uint64_t seed) {
  Random r;
  random_seed(&r, seed);
  for (int i = 0; i < count; i++) numbers[i] = random_normal(&r) * pow(10, i % 7 - 3);
}

static void example(Text *t, double *time, double *y, double *matrix) {
  fill(y, ROWS, 1), fill(matrix, 2 * ROWS, 2);
  for (int i = 0; i < ROWS; i++) time[i] = 0.1 * i;
  text_init(t);
  put_header(t);
  put_matrix(t, "other", 1, 5, y);
  put_matrix(t, "y", 1, ROWS, y);
  put_matrix(t, "t", ROWS, 1, time);
  put_matrix(t, "M", ROWS, 2, matrix);
}

static void arrays_become_columns(void **state) {
  (void)state;
  double time[ROWS], y[ROWS], matrix[2 * ROWS];
  Text t;
  Err err = {0};
  if (!has_library()) return;
  TestFile f = new_file();
  example(&t, time, y, matrix);
  write_bytes(&f, t.at, t.length);
  Table *table = mat_file_load(f.arena, f.path, NULL, &err);
  assert_non_null(table);
  assert_int_equal(table->rows, ROWS);
  assert_string_equal(table->names[0], "t"); // the time comes first
  const double *second = table->column[table_find(table, "M[2]")];
  for (int i = 0; i < ROWS; i++) {
    assert_true(table->column[0][i] == time[i]);
    assert_true(table->column[table_find(table, "y")][i] == y[i]);
    assert_true(second[i] == matrix[ROWS + i]);
  }
  assert_int_equal(table_find(table, "other"), -1);
  assert_non_null(strstr(table->left_out, "other (1x5)"));
  assert_null(mat_file_load(f.arena, f.path, "absent", &err));
  assert_non_null(strstr(err.text, "M (37x2)"));
  text_done(&t);
  end_file(&f);
}

// Whatever is cut off: an error, or the arrays before the cut, never numbers that are not in the file.
static void cut_files_are_errors(void **state) {
  (void)state;
  double time[ROWS], y[ROWS], matrix[2 * ROWS];
  Text t;
  if (!has_library()) return;
  TestFile f = new_file();
  example(&t, time, y, matrix);
  int errors = 0;
  for (size_t length = 0; length < t.length; length += length < 300 ? 37 : 101) {
    Err err = {0};
    write_bytes(&f, t.at, length);
    Table *table = mat_file_load(f.arena, f.path, "t", &err);
    errors += !table;
    for (int i = 0; table && i < ROWS; i++) assert_true(table->column[0][i] == time[i]);
  }
  assert_true(errors > 5);
  text_done(&t);
  end_file(&f);
}

// Damage anywhere ends in a table or an error, whatever the library behind does.
static void damaged_files_end_well(void **state) {
  (void)state;
  double time[ROWS], y[ROWS], matrix[2 * ROWS];
  Text t;
  if (!has_library()) return;
  TestFile f = new_file();
  Random r;
  random_seed(&r, 5);
  example(&t, time, y, matrix);
  char *bytes = arena_copy(f.arena, t.at, t.length);
  for (int k = 0; k < 60; k++) {
    Err err = {0};
    memcpy(bytes, t.at, t.length);
    for (int i = 0; i < 4; i++)
      bytes[(size_t)(random_uniform(&r) * (double)t.length)] = (char)(256 * random_uniform(&r));
    write_bytes(&f, bytes, t.length);
    Table *table = mat_file_load(f.arena, f.path, "t", &err);
    assert_true(table || err.text[0]);
  }
  text_done(&t);
  end_file(&f);
}

// ---- compressed files: zlib is loaded, not linked, as in entrain

static void *zlib_function(const char *name) {
  void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  assert_non_null(library);
  return dlsym(library, name);
}

static void put_compressed(Text *out, const char *bytes, size_t length) {
  __typeof__(compress) *squeeze = (__typeof__(squeeze))zlib_function("compress");
  uLongf size = (uLongf)(length + length / 100 + 100);
  Bytef *packed = malloc(size);
  assert_int_equal(squeeze(packed, &size, (const Bytef *)bytes, (uLong)length), Z_OK);
  put_word(out, 15), put_word(out, (uint32_t)size);
  text_add_bytes(out, (const char *)packed, size);
  free(packed);
}

static bool same_tables(const Table *x, const Table *y) {
  bool same = x->rows == y->rows && x->columns == y->columns;
  for (int c = 0; same && c < x->columns; c++)
    same = strcmp(x->names[c], y->names[c]) == 0 &&
           memcmp(x->column[c], y->column[c], (size_t)x->rows * sizeof(double)) == 0;
  return same;
}

enum { HEAD_LENGTH = 128 };

static void compress_example(Text *out) {
  double time[ROWS], y[ROWS], matrix[2 * ROWS];
  Text t;
  example(&t, time, y, matrix);
  text_init(out);
  put_header(out);
  for (size_t at = HEAD_LENGTH; at < t.length;) {
    uint32_t length;
    memcpy(&length, t.at + at + 4, sizeof length);
    put_compressed(out, t.at + at, 8 + (size_t)length);
    at += 8 + (size_t)length;
  }
  text_done(&t);
}

// One bit, anywhere behind the head of the file: an error, or nothing has changed.
static void a_wrong_bit_of_a_compressed_file_is_noticed(void **state) {
  (void)state;
  Text t;
  Err none = {0};
  Random r;
  if (!has_library()) return;
  TestFile f = new_file();
  random_seed(&r, 6);
  compress_example(&t);
  write_bytes(&f, t.at, t.length);
  Table *whole = mat_file_load(f.arena, f.path, NULL, &none);
  assert_non_null(whole);
  assert_int_equal(whole->rows, ROWS);
  assert_int_equal(whole->columns, 4);
  for (int k = 0; k < 300; k++) {
    Err err = {0};
    size_t at = HEAD_LENGTH + (size_t)(random_uniform(&r) * (double)(t.length - HEAD_LENGTH));
    char bit = (char)(1 << (int)(random_uniform(&r) * 8));
    t.at[at] ^= bit;
    write_bytes(&f, t.at, t.length);
    t.at[at] ^= bit;
    Table *table = mat_file_load(f.arena, f.path, NULL, &err);
    if (table ? !same_tables(table, whole) : !err.text[0])
      fail_msg("bit %d of byte %zu is not noticed", bit, at);
  }
  text_done(&t);
  end_file(&f);
}

// A compressed element that says little of what it unpacks to ends soon.
static void more_than_a_head_says_is_damage(void **state) {
  (void)state;
  enum { MORE = 64 << 20 };
  Text t;
  Err err = {0};
  if (!has_library()) return;
  TestFile f = new_file();
  char *bytes = calloc(1, MORE);
  uint32_t head[2] = {14, 80};
  memcpy(bytes, head, sizeof head);
  text_init(&t);
  put_header(&t);
  put_compressed(&t, bytes, MORE);
  free(bytes);
  write_bytes(&f, t.at, t.length);
  assert_null(mat_file_load(f.arena, f.path, NULL, &err));
  assert_non_null(strstr(err.text, "damaged"));
  text_done(&t);
  end_file(&f);
}

// Version 7.3, written by the library, with a struct.
static void fields_of_structs_have_paths(void **state) {
  (void)state;
  double time[ROWS], y[ROWS];
  if (!has_library()) return;
  TestFile f = new_file();
  void *library = dlopen("libmatio.so.11", RTLD_NOW | RTLD_LOCAL);
  __typeof__(Mat_CreateVer) *create = (__typeof__(create))dlsym(library, "Mat_CreateVer");
  __typeof__(Mat_VarCreate) *variable = (__typeof__(variable))dlsym(library, "Mat_VarCreate");
  __typeof__(Mat_VarCreateStruct) *structure =
      (__typeof__(structure))dlsym(library, "Mat_VarCreateStruct");
  __typeof__(Mat_VarSetStructFieldByName) *set =
      (__typeof__(set))dlsym(library, "Mat_VarSetStructFieldByName");
  __typeof__(Mat_VarWrite) *put = (__typeof__(put))dlsym(library, "Mat_VarWrite");
  __typeof__(Mat_VarFree) *release = (__typeof__(release))dlsym(library, "Mat_VarFree");
  __typeof__(Mat_Close) *finish = (__typeof__(finish))dlsym(library, "Mat_Close");
  fill(y, ROWS, 3);
  for (int i = 0; i < ROWS; i++) time[i] = i;
  size_t dims[2] = {ROWS, 1}, one[2] = {1, 1};
  const char *fields[] = {"clock", "angle"};
  unlink(f.path);
  mat_t *m = create(f.path, NULL, MAT_FT_MAT73);
  assert_non_null(m);
  matvar_t *s = structure("run", 2, one, fields, 2);
  set(s, "clock", 0, variable(NULL, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, time, 0));
  set(s, "angle", 0, variable(NULL, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, y, 0));
  assert_int_equal(put(m, s, MAT_COMPRESSION_NONE), 0);
  release(s);
  finish(m);
  Err err = {0};
  Table *table = mat_file_load(f.arena, f.path, "run.clock", &err);
  assert_non_null(table);
  int angle = table_find(table, "run.angle");
  assert_true(angle > 0);
  for (int i = 0; i < ROWS; i++) {
    assert_true(table->column[0][i] == time[i]);
    assert_true(table->column[angle][i] == y[i]);
  }
  end_file(&f);
}

static void *matio_function(const char *name) {
  void *library = dlopen("libmatio.so.11", RTLD_NOW | RTLD_LOCAL);
  assert_non_null(library);
  return dlsym(library, name);
}

// A time, a text of so many characters and the time once more, as y, written by the library.
static void write_with_text(const TestFile *f, enum mat_ft version, double *time, int characters) {
  __typeof__(Mat_CreateVer) *create = (__typeof__(create))matio_function("Mat_CreateVer");
  __typeof__(Mat_VarCreate) *variable = (__typeof__(variable))matio_function("Mat_VarCreate");
  __typeof__(Mat_VarWrite) *put = (__typeof__(put))matio_function("Mat_VarWrite");
  __typeof__(Mat_VarFree) *release = (__typeof__(release))matio_function("Mat_VarFree");
  __typeof__(Mat_Close) *finish = (__typeof__(finish))matio_function("Mat_Close");
  char text[] = "a text that stands beside the numbers";
  size_t dims[2] = {ROWS, 1}, length[2] = {1, (size_t)characters};
  for (int i = 0; i < ROWS; i++) time[i] = i;
  unlink(f->path);
  mat_t *m = create(f->path, NULL, version);
  matvar_t *v[3] = {
      variable("t", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, time, 0),
      variable("note", MAT_C_CHAR, characters % 2 ? MAT_T_UTF8 : MAT_T_UINT8, 2, length, text, 0),
      variable("y", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, time, 0)};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(
        put(m, v[i], version == MAT_FT_MAT5 ? MAT_COMPRESSION_ZLIB : MAT_COMPRESSION_NONE), 0);
    release(v[i]);
  }
  finish(m);
}

// Whatever length the library says that the text has.
static void a_text_does_not_hinder_the_numbers(void **state) {
  (void)state;
  double time[ROWS];
  if (!has_library()) return;
  for (int characters = 1; characters < 30; characters++) {
    TestFile f = new_file();
    Err err = {0};
    write_with_text(&f, MAT_FT_MAT5, time, characters);
    Table *table = mat_file_load(f.arena, f.path, "t", &err);
    assert_non_null(table);
    int y = table_find(table, "y");
    for (int i = 0; i < ROWS; i++) assert_true(table->column[y][i] == time[i]);
    end_file(&f);
  }
}

static void a_cut_file_of_version_7_3_is_damaged(void **state) {
  (void)state;
  double time[ROWS];
  if (!has_library()) return;
  TestFile f = new_file();
  size_t length;
  Err none = {0};
  write_with_text(&f, MAT_FT_MAT73, time, 5);
  assert_non_null(mat_file_load(f.arena, f.path, "t", &none));
  char *bytes = file_read(f.arena, f.path, 1 << 20, &length, &none);
  for (size_t part = 30; part < length; part += part < 1000 ? 97 : length / 7) {
    Err err = {0};
    write_bytes(&f, bytes, part);
    assert_null(mat_file_load(f.arena, f.path, "t", &err));
    assert_non_null(strstr(err.text, "damaged"));
  }
  Err err = {0};
  write_bytes(&f, bytes, length - 1);
  assert_null(mat_file_load(f.arena, f.path, "t", &err));
  end_file(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arrays_become_columns),
      cmocka_unit_test(cut_files_are_errors),
      cmocka_unit_test(damaged_files_end_well),
      cmocka_unit_test(a_wrong_bit_of_a_compressed_file_is_noticed),
      cmocka_unit_test(more_than_a_head_says_is_damage),
      cmocka_unit_test(fields_of_structs_have_paths),
      cmocka_unit_test(a_text_does_not_hinder_the_numbers),
      cmocka_unit_test(a_cut_file_of_version_7_3_is_damaged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
