// The child process reads the file with libmatio and writes what it finds into a file in memory, which both share: for each
// array a MatArray, its name and its numbers by columns. The parent waits, and trusts nothing that it reads there.
#include "base/mat_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <matio.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/c_locale.h"
#include "base/file.h"
#include "base/mat_table.h"
#include "base/mat_whole.h"
#include "base/patience.h"
#include "base/sanitizer.h"

enum { DEPTH_MOST = 16, NAME_MOST = 1000, CELLS_MOST = 100000, CPU_SECONDS = 120 };
static const uint64_t NUMBERS_MOST = 500u * 1000 * 1000; // of all arrays
static const size_t FILE_MOST = (size_t)4 << 30, ADDRESSES_MOST = (size_t)24 << 30;

typedef struct MatArray {
  uint32_t kind, name_length;
  uint64_t rows, columns; // further dimensions count as columns
} MatArray;

// ---------------------------------------------------------------- the child

enum { CHILD_DONE, CHILD_NO_LIBRARY, CHILD_NO_FILE, CHILD_TOO_LARGE };

#define MATIO_FUNCTIONS(F)                                                                         \
  F(Open)                                                                                          \
  F(Close)                                                                                         \
  F(VarReadNext)                                                                                   \
  F(VarFree)                                                                                       \
  F(VarGetNumberOfFields) F(VarGetStructFieldnames) F(VarGetStructFieldByIndex) F(VarGetCell)

static struct {
#define F(name) __typeof__(Mat_##name) *name;
  MATIO_FUNCTIONS(F)
#undef F
} mat; // only the child fills it

static bool load_matio(void) {
  void *library = dlopen("libmatio.so.11", RTLD_NOW | RTLD_LOCAL);
  bool complete = library != NULL;
#define F(name)                                                                                    \
  complete = complete && (mat.name = (__typeof__(mat.name))dlsym(library, "Mat_" #name));
  MATIO_FUNCTIONS(F)
#undef F
  return complete;
}

typedef struct Sender {
  int out;
  uint64_t numbers; // so far
  bool failed;
} Sender;

static void send_bytes(Sender *s, const void *bytes, size_t length) {
  s->failed = s->failed || !file_write_all(s->out, bytes, length);
}

static void send_head(Sender *s, MatKind kind, const char *name, uint64_t rows, uint64_t columns) {
  MatArray head = {(uint32_t)kind, (uint32_t)strlen(name), rows, columns};
  send_bytes(s, &head, sizeof head);
  send_bytes(s, name, head.name_length);
}

// Element i of data as stored by its class.
static double element(const matvar_t *v, uint64_t i) {
  switch (v->class_type) {
  case MAT_C_DOUBLE: return ((const double *)v->data)[i];
  case MAT_C_SINGLE: return (double)((const float *)v->data)[i];
  case MAT_C_INT8: return ((const int8_t *)v->data)[i];
  case MAT_C_UINT8: return ((const uint8_t *)v->data)[i];
  case MAT_C_INT16: return ((const int16_t *)v->data)[i];
  case MAT_C_UINT16: return ((const uint16_t *)v->data)[i];
  case MAT_C_INT32: return ((const int32_t *)v->data)[i];
  case MAT_C_UINT32: return ((const uint32_t *)v->data)[i];
  case MAT_C_INT64: return (double)((const int64_t *)v->data)[i];
  case MAT_C_UINT64: return (double)((const uint64_t *)v->data)[i];
  default: return 0;
  }
}

static size_t element_size(enum matio_classes c) {
  switch (c) {
  case MAT_C_DOUBLE:
  case MAT_C_INT64:
  case MAT_C_UINT64: return 8;
  case MAT_C_SINGLE:
  case MAT_C_INT32:
  case MAT_C_UINT32: return 4;
  case MAT_C_INT16:
  case MAT_C_UINT16: return 2;
  case MAT_C_INT8:
  case MAT_C_UINT8: return 1;
  default: return 0; // no numbers
  }
}

// false: more than any file of ours may have.
static bool count_elements(const matvar_t *v, uint64_t *count) {
  *count = v->rank > 0 && v->dims;
  for (int i = 0; i < v->rank && v->dims; i++)
    if (__builtin_mul_overflow(*count, (uint64_t)v->dims[i], count) || *count > NUMBERS_MOST)
      return false;
  return true;
}

static void send_numbers(Sender *s, const char *path, const matvar_t *v, uint64_t count) {
  uint64_t rows = v->dims[0], columns = rows ? count / rows : 0, size = element_size(v->class_type);
  if (v->isComplex) return send_head(s, MAT_COMPLEX, path, rows, columns);
  if (count && (!v->data || v->nbytes / size < count))
    return send_head(s, MAT_SOMETHING_ELSE, path, rows, columns);
  s->numbers += count;
  s->failed = s->failed || s->numbers > NUMBERS_MOST;
  if (s->failed) return;
  send_head(s, MAT_NUMBERS, path, rows, columns);
  double block[1024];
  for (uint64_t i = 0; i < count;) {
    uint64_t n = 0;
    while (n < 1024 && i < count) block[n++] = element(v, i++);
    send_bytes(s, block, (size_t)n * sizeof *block);
  }
}

static void send_variable(Sender *s, const char *path, matvar_t *v, int depth) {
  uint64_t count;
  char below[NAME_MOST];
  if (!v || s->failed || depth > DEPTH_MOST || strlen(path) > NAME_MOST / 2) return;
  if (!count_elements(v, &count)) {
    s->failed = true;
  } else if (v->class_type == MAT_C_STRUCT) {
    unsigned fields = mat.VarGetNumberOfFields(v);
    char *const *names = mat.VarGetStructFieldnames(v);
    for (uint64_t e = 0; e < count; e++)
      for (unsigned f = 0; names && f < fields; f++) {
        if (count == 1)
          c_snprintf(below, sizeof below, "%s.%.400s", path, names[f]);
        else
          c_snprintf(below, sizeof below, "%s[%llu].%.400s", path, (unsigned long long)e + 1,
                     names[f]);
        send_variable(s, below, mat.VarGetStructFieldByIndex(v, f, (size_t)e), depth + 1);
      }
  } else if (v->class_type == MAT_C_CELL) {
    for (uint64_t e = 0; e < count && e < CELLS_MOST; e++) {
      c_snprintf(below, sizeof below, "%s{%llu}", path, (unsigned long long)e + 1);
      send_variable(s, below, mat.VarGetCell(v, (int)e), depth + 1);
    }
  } else if (element_size(v->class_type) && v->rank >= 2) {
    send_numbers(s, path, v, count);
  } else {
    send_head(s, MAT_SOMETHING_ELSE, path, count, 1);
  }
}

// bytes: of the file as it was given; path: of its copy.
static int read_in_child(const char *path, const char *bytes, size_t length, int out) {
  Sender s = {.out = out};
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null >= 0) dup2(null, 1), dup2(null, 2); // HDF5 reports errors there
  struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS}, memory = {ADDRESSES_MOST, ADDRESSES_MOST},
                core = {0, 0};
  setrlimit(RLIMIT_CPU, &cpu);
  setrlimit(RLIMIT_CORE, &core);
#ifndef ADDRESS_SANITIZER // which takes addresses for its own use
  setrlimit(RLIMIT_AS, &memory);
#else
  (void)memory;
#endif
  if (!load_matio()) return CHILD_NO_LIBRARY;
  if (!mat_checksums_hold(bytes, length)) return CHILD_NO_FILE;
  mat_t *m = mat.Open(path, MAT_ACC_RDONLY);
  if (!m) return CHILD_NO_FILE;
  for (matvar_t *v; !s.failed && (v = mat.VarReadNext(m)) != NULL; mat.VarFree(v))
    if (v->name && v->name[0] != '#') send_variable(&s, v->name, v, 0);
  mat.Close(m);
  return s.failed ? CHILD_TOO_LARGE : CHILD_DONE;
}

// ---------------------------------------------------------------- the parent

// Waits; kills it if nobody wants the result any more. Returns the status of waitpid, -1: it was not wanted.
static int wait_for_child(pid_t child) {
  int status = -1;
  for (long pause = 100 * 1000;; pause = pause < 10 * 1000 * 1000 ? 2 * pause : pause) {
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return -1;
    nanosleep(&(struct timespec){0, pause}, NULL);
    if (patience_asks()) continue;
    kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return -1;
  }
}

static bool judge_child(const char *path, int status, Err *err) {
  if (status == -1) return fail(err, ERR_STOPPED, "stopped while '%.300s' was read", path);
  if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_DONE) return true;
  if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_NO_LIBRARY)
    return fail(err, ERR_FILE,
                "'%.300s' is a MAT file, and the library libmatio.so.11 that reads these is not "
                "there (Debian: libmatio11); or save the data as CSV",
                path);
  if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_TOO_LARGE)
    return fail(err, ERR_LIMIT, "'%.300s' has more than %llu numbers", path,
                (unsigned long long)NUMBERS_MOST);
  return fail(err, ERR_DATA,
              "'%.300s' cannot be read as a MAT file: it is damaged, cut off, or of another kind",
              path);
}

// A copy of the file that libmatio can open: sets of files (base/file_set.h) may have bytes of files that are not there. Version
// 7.3 needs a file with a name, because HDF5 follows links. Returns the descriptor, -1 and errno if there is none.
static int open_copy(const char *bytes, size_t length, char path[], size_t size) {
  bool needs_name = memcmp(bytes, "MATLAB 5.0", 10) != 0;
  const char *folder = file_variable("TMPDIR");
  c_snprintf(path, size, "%.200s/entrain-mat-XXXXXX", folder && folder[0] ? folder : "/tmp");
  int in = needs_name ? mkostemp(path, O_CLOEXEC) : memfd_create("mat", MFD_CLOEXEC);
  if (in >= 0 && !needs_name) c_snprintf(path, size, "/proc/self/fd/%d", in);
  if (in >= 0 && (!file_write_all(in, bytes, length) || lseek(in, 0, SEEK_SET) < 0)) {
    if (needs_name) unlink(path);
    close(in);
    in = -1;
  }
  return in;
}

static char *read_back(Arena *a, int out, size_t *length) {
  off_t end = lseek(out, 0, SEEK_END);
  *length = end > 0 ? (size_t)end : 0;
  char *bytes = ARENA_RAW(a, char, *length + 1);
  for (size_t at = 0; at < *length;) {
    ssize_t got = pread(out, bytes + at, *length - at, (off_t)at);
    if (got > 0)
      at += (size_t)got;
    else if (got == 0 || errno != EINTR)
      return NULL;
  }
  return bytes;
}

// What the file has, as the child writes it.
static char *read_by_child(Arena *a, const char *path, size_t *length, Err *err) {
  size_t size = 0;
  char copy[256], *found = NULL, *bytes = file_read(a, path, FILE_MOST, &size, err);
  if (!bytes) return NULL;
  if (!mat_is_whole(bytes, size)) {
    judge_child(path, CHILD_NO_FILE << 8, err);
    return NULL;
  }
  int in = open_copy(bytes, size, copy, sizeof copy), out = memfd_create("arrays", MFD_CLOEXEC);
  pid_t child = in >= 0 && out >= 0 ? fork() : -1;
  if (child == 0) _exit(read_in_child(copy, bytes, size, out));
  if (child < 0)
    fail(err, ERR_FILE, "'%.300s' cannot be copied and read in a process of its own: %s", path,
         strerror(errno));
  else if (judge_child(path, wait_for_child(child), err) && !(found = read_back(a, out, length)))
    fail(err, ERR_FILE, "what '%.300s' has cannot be read back", path);
  if (in >= 0 && copy[0] == '/' && strncmp(copy, "/proc/", 6) != 0) unlink(copy);
  if (in >= 0) close(in);
  if (out >= 0) close(out);
  return found;
}

static bool list_arrays(Arena *a, const char *bytes, size_t length, MatFoundList *list) {
  for (size_t at = 0; at < length;) {
    MatArray head;
    uint64_t count = 0;
    if (length - at < sizeof head) return false;
    memcpy(&head, bytes + at, sizeof head);
    at += sizeof head;
    if (head.name_length > length - at || __builtin_mul_overflow(head.rows, head.columns, &count))
      return false;
    MatFound f = {.name = arena_copy(a, bytes + at, head.name_length),
                  .kind = (MatKind)head.kind,
                  .rows = head.rows,
                  .columns = head.columns};
    at += head.name_length;
    if (f.kind == MAT_NUMBERS) {
      if (count > (length - at) / sizeof(double)) return false;
      double *numbers = ARENA_RAW(a, double, count + 1);
      memcpy(numbers, bytes + at, (size_t)count * sizeof(double));
      at += (size_t)count * sizeof(double);
      f.numbers = numbers;
    }
    array_push(a, list, f);
  }
  return true;
}

bool mat_file_is(const char *path) {
  size_t n = strlen(path);
  return n > 4 && strcasecmp(path + n - 4, ".mat") == 0;
}

Table *mat_file_load(Arena *a, const char *path, const char *length_of, Err *err) {
  MatFoundList list = {0};
  size_t length = 0;
  Arena *scratch = arena_new();
  char *bytes = read_by_child(scratch, path, &length, err);
  bool ok = bytes != NULL;
  if (ok && !list_arrays(a, bytes, length, &list))
    ok = fail(err, ERR_DATA, "'%.300s' cannot be read as a MAT file: it is damaged", path);
  arena_free(scratch);
  return ok ? mat_table(a, path, &list, length_of, err) : NULL;
}
