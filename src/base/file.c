#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

enum { CHUNK_BYTES = 1 << 16, NAMES_TRIED = 1000 };

static bool cannot(Err *err, const char *what, const char *path, int number) {
  if (number == ENOMEM) out_of_memory();
  return fail(err, ERR_FILE, "cannot %s '%s': %s", what, path, strerror(number));
}

// ---- reading

static bool read_all(int fd, const char *path, size_t most, Text *out, Err *err) {
  char chunk[CHUNK_BYTES];
  for (;;) {
    ssize_t got = read(fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot(err, "read", path, errno);
    if (got == 0) return true;
    if ((size_t)got > most - out->length)
      return fail(err, ERR_LIMIT, "'%s' has more than %zu bytes", path, most);
    text_add_bytes(out, chunk, (size_t)got);
  }
}

char *file_read(Arena *a, const char *path, size_t most, size_t *length, Err *err) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    cannot(err, "read", path, errno);
    return NULL;
  }
  Text text;
  text_init(&text);
  char *bytes = NULL;
  if (read_all(fd, path, most, &text, err)) {
    bytes = arena_copy(a, text.at, text.length);
    if (length) *length = text.length;
  }
  text_done(&text);
  close(fd);
  return bytes;
}

// ---- writing

bool file_write_all(int fd, const void *bytes, size_t length) {
  for (const char *at = bytes; length > 0;) {
    ssize_t put = write(fd, at, length);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    at += put;
    length -= (size_t)put;
  }
  return true;
}

static bool write_directly(const char *path, const char *bytes, size_t length, Err *err) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return cannot(err, "write", path, errno);
  int number = file_write_all(fd, bytes, length) ? 0 : errno;
  if (close(fd) != 0 && !number) number = errno;
  return number ? cannot(err, "write", path, number) : true;
}

// Not mkstemp: the file gets the usual permissions of a new file.
static int open_beside(const char *path, Text *name) {
  for (int i = 0; i < NAMES_TRIED; i++) {
    text_clear(name);
    text_print(name, "%s.part-%ld-%d", path, (long)getpid(), i);
    int fd = open(name->at, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

// 0 or the number of the error.
static int fill_and_close(int fd, const struct stat *old, const char *bytes, size_t length,
                          bool sync) {
  int number = 0;
  if (!file_write_all(fd, bytes, length) || (old && fchmod(fd, old->st_mode & 07777) != 0) ||
      (sync && fsync(fd) != 0))
    number = errno;
  if (close(fd) != 0 && !number) number = errno;
  return number;
}

static bool replace(const char *path, const struct stat *old, const char *bytes, size_t length,
                    bool sync, Err *err) {
  Text name;
  text_init(&name);
  int fd = open_beside(path, &name);
  int number = fd < 0 ? errno : fill_and_close(fd, old, bytes, length, sync);
  if (!number && rename(name.at, path) != 0) number = errno;
  if (number && fd >= 0) unlink(name.at);
  text_done(&name);
  return number ? cannot(err, "write", path, number) : true;
}

bool file_write(const char *path, const char *bytes, size_t length, bool sync, Err *err) {
  struct stat old;
  if (stat(path, &old) != 0) {
    if (errno != ENOENT) return cannot(err, "write", path, errno);
    return replace(path, NULL, bytes, length, sync, err);
  }
  if (S_ISDIR(old.st_mode)) return cannot(err, "write", path, EISDIR);
  if (!S_ISREG(old.st_mode)) return write_directly(path, bytes, length, err);
  char *target = realpath(path, NULL); // the file a link leads to
  if (!target) return cannot(err, "write", path, errno);
  bool done = replace(target, &old, bytes, length, sync, err);
  free(target);
  return done;
}
