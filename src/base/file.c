#include "base/file.h"

#include <dirent.h>
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

static bool too_long(Err *err, const char *path, size_t most) {
  return fail(err, ERR_LIMIT, "'%s' has more than %zu bytes", path, most);
}

static bool read_all(int fd, const char *path, size_t most, Text *out, Err *err) {
  char chunk[CHUNK_BYTES];
  for (;;) {
    ssize_t got = read(fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot(err, "read", path, errno);
    if (got == 0) return true;
    if ((size_t)got > most - out->length) return too_long(err, path, most);
    text_add_bytes(out, chunk, (size_t)got);
  }
}

static FileKind kind_of(const struct stat *s) {
  return S_ISREG(s->st_mode) ? FILE_REGULAR : S_ISDIR(s->st_mode) ? FILE_FOLDER : FILE_OTHER;
}

typedef struct FileReading { // one call of file_read
  Arena *arena;
  const char *path;
  size_t most, length;
  FileKind kind;
  Err *err;
} FileReading;

static char *read_from_disk(FileReading *r) {
  int fd = open(r->path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    cannot(r->err, "read", r->path, errno);
    return NULL;
  }
  Text text;
  text_init(&text);
  char *bytes = NULL;
  if (read_all(fd, r->path, r->most, &text, r->err)) {
    struct stat s;
    bytes = arena_copy(r->arena, text.at, text.length);
    r->length = text.length;
    r->kind = fstat(fd, &s) == 0 ? kind_of(&s) : FILE_OTHER;
  }
  text_done(&text);
  close(fd);
  return bytes;
}

static char *copy_read(FileReading *r, const char *bytes, size_t length, FileKind kind) {
  if (length > r->most) {
    too_long(r->err, r->path, r->most);
    return NULL;
  }
  r->length = length;
  r->kind = kind;
  return arena_copy(r->arena, bytes, length);
}

static char *read_from_set(FileReading *r, const FileSet *s) {
  const NotedFile *f = file_set_find(s, r->path);
  if (f && f->bytes) return copy_read(r, f->bytes, f->length, f->kind);
  bool folder = file_set_kind(s, r->path) == FILE_FOLDER;
  cannot(r->err, "read", r->path, folder ? EISDIR : ENOENT);
  return NULL;
}

static char *read_by(FileReading *r, FileSetUse *u) {
  size_t length;
  if (!u) return read_from_disk(r);
  if (u->serving) return read_from_set(r, u->serving);
  const char *first = file_set_first(u->noting, r->path, &length);
  if (first) return copy_read(r, first, length, file_set_kind(u->noting, r->path));
  char *bytes = read_by(r, u->outer);
  if (bytes) file_set_add(u->noting, r->path, r->kind, bytes, r->length);
  return bytes;
}

char *file_read(Arena *a, const char *path, size_t most, size_t *length, Err *err) {
  FileReading r = {.arena = a, .path = path, .most = most, .err = err};
  char *bytes = read_by(&r, file_set_innermost());
  if (bytes && length) *length = r.length;
  return bytes;
}

// ---- what is there

static FileKind kind_by(const char *path, FileSetUse *u) {
  struct stat s;
  if (!u) return stat(path, &s) == 0 ? kind_of(&s) : FILE_ABSENT;
  if (u->serving) return file_set_kind(u->serving, path);
  const NotedFile *known = file_set_find(u->noting, path);
  FileKind kind = known ? known->kind : kind_by(path, u->outer);
  if (kind != FILE_ABSENT) file_set_add_name(u->noting, path, kind);
  return kind;
}

FileKind file_kind(const char *path) {
  return kind_by(path, file_set_innermost());
}

static void list_disk(Arena *a, const char *folder, const char *prefix, FileNames *out) {
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));)
    if (strncmp(e->d_name, prefix, strlen(prefix)) == 0)
      array_push(a, out, arena_copy(a, e->d_name, strlen(e->d_name)));
  if (d) closedir(d);
}

static void list_by(Arena *a, const char *folder, const char *prefix, FileSetUse *u,
                    FileNames *out) {
  if (!u) {
    list_disk(a, folder, prefix, out);
  } else if (u->serving) {
    file_set_list(u->serving, folder, prefix, a, out);
  } else {
    list_by(a, folder, prefix, u->outer, out);
    for (int i = 0; i < out->count; i++)
      if (out->at[i][0] != '.') kind_by(arena_print(a, "%s/%s", folder, out->at[i]), u);
  }
}

static int by_bytes(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

FileNames file_list(Arena *a, const char *folder, const char *prefix) {
  FileNames all = {0};
  int count = 0;
  list_by(a, folder, prefix, file_set_innermost(), &all);
  if (all.count) qsort(all.at, (size_t)all.count, sizeof *all.at, by_bytes);
  for (int i = 0; i < all.count; i++)
    if (all.at[i][0] != '.' && (!count || strcmp(all.at[count - 1], all.at[i]) != 0))
      all.at[count++] = all.at[i];
  all.count = count;
  return all;
}

static const char *variable_by(const char *name, FileSetUse *u) {
  if (!u) return getenv(name);
  if (u->serving) return file_set_variable(u->serving, name);
  const char *value = file_set_variable(u->noting, name);
  if (!value) value = variable_by(name, u->outer);
  if (value) file_set_add_variable(u->noting, name, value);
  return value;
}

const char *file_variable(const char *name) {
  return variable_by(name, file_set_innermost());
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
