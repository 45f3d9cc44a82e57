#include "program/run_keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPY_DEPTH = 100 };
static const long long COPY_BYTES = 1LL << 30; // all files together

static bool cannot(Err *err, const char *what, const char *name) {
  return fail(err, ERR_FILE, "cannot %s '%.300s': %s", what, name, strerror(errno));
}

// ---- copying

typedef struct Copying {
  long long left; // bytes that may be copied
  Err *err;
} Copying;

static bool copy_bytes(Copying *c, int from, int to, const char *name) {
  char chunk[1 << 16];
  for (ssize_t got; (got = read(from, chunk, sizeof chunk)) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot(c->err, "read", name);
    for (ssize_t put, at = 0; at < got; at += put) {
      put = write(to, chunk + at, (size_t)(got - at));
      if (put < 0 && errno == EINTR) put = 0;
      if (put < 0) return cannot(c->err, "write", name);
    }
  }
  return true;
}

// Holes become zeros: the size counts.
static bool copy_file(Copying *c, int from, int to, const char *name, const struct stat *s) {
  c->left -= s->st_size;
  if (c->left < 0) return fail(c->err, ERR_LIMIT, "there is more than 1 GB in it");
  int source = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (source < 0) return cannot(c->err, "read", name);
  int target =
      openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (s->st_mode & 0777) | S_IWUSR);
  bool done = target >= 0 ? copy_bytes(c, source, target, name) : cannot(c->err, "write", name);
  if (target >= 0 && close(target) != 0 && done) done = cannot(c->err, "write", name);
  close(source);
  return done;
}

static bool copy_link(Copying *c, int from, int to, const char *name) {
  char target[4096];
  ssize_t length = readlinkat(from, name, target, sizeof target - 1);
  if (length < 0) return cannot(c->err, "read", name);
  target[length] = 0;
  return symlinkat(target, to, name) == 0 || cannot(c->err, "write", name);
}

static bool copy_entries(Copying *c, int from, int to, int depth);

static bool copy_folder(Copying *c, int from, int to, const char *name, int depth) {
  if (depth > COPY_DEPTH) return fail(c->err, ERR_LIMIT, "folders in it are too deep");
  if (mkdirat(to, name, 0777) != 0) return cannot(c->err, "write", name);
  int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int source = openat(from, name, flags), target = openat(to, name, flags);
  bool done = source >= 0 && target >= 0 ? copy_entries(c, source, target, depth)
                                         : cannot(c->err, "read", name);
  if (source >= 0) close(source);
  if (target >= 0) close(target);
  return done;
}

static bool copy_entry(Copying *c, int from, int to, const char *name, int depth) {
  struct stat s;
  if (fstatat(from, name, &s, AT_SYMLINK_NOFOLLOW) != 0) return cannot(c->err, "read", name);
  if (S_ISDIR(s.st_mode)) return copy_folder(c, from, to, name, depth + 1);
  if (S_ISLNK(s.st_mode)) return copy_link(c, from, to, name);
  if (S_ISREG(s.st_mode)) return copy_file(c, from, to, name, &s);
  return true;
}

static bool copy_entries(Copying *c, int from, int to, int depth) {
  DIR *d = folder_entries(from);
  if (!d) return cannot(c->err, "read", "a folder of the run");
  bool done = true;
  for (struct dirent *e; done && (e = readdir(d));)
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
      done = copy_entry(c, from, to, e->d_name, depth);
  closedir(d);
  return done;
}

// ---- the place

static int count_entries(int folder) {
  DIR *d = folder_entries(folder);
  int count = 0;
  for (struct dirent *e; d && (e = readdir(d));) count += e->d_name[0] != '.';
  if (d) closedir(d);
  return count;
}

// A new empty folder with the first number that is free.
static const char *take_number(Arena *a, const char *runs, int experiment, Err *why) {
  for (int number = 1;; number++) {
    const char *path = arena_print(a, "%s/%d-%d", runs, experiment, number);
    if (mkdir(path, 0777) == 0) return path;
    if (errno == EEXIST) continue;
    cannot(why, "make folder", path);
    return NULL;
  }
}

// Workers count folders and take numbers in turn.
static const char *reserve(Arena *a, const char *runs, int experiment, Err *why) {
  if (mkdir(runs, 0777) != 0 && errno != EEXIST) {
    cannot(why, "make folder", runs);
    return NULL;
  }
  int fd = open(runs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    cannot(why, "open", runs);
    return NULL;
  }
  const char *path = NULL;
  flock(fd, LOCK_EX);
  if (count_entries(fd) < KEPT_MOST)
    path = take_number(a, runs, experiment, why);
  else
    fail(why, ERR_LIMIT, "there are %d in '%.300s' already", KEPT_MOST, runs);
  close(fd); // ends the lock, too
  return path;
}

static bool copy_to(RunFolder *f, Arena *a, const char *path, Err *why) {
  RunFolder target = {arena_copy(a, path, strlen(path)),
                      open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (target.fd < 0) return cannot(why, "open", path);
  Copying c = {COPY_BYTES, why};
  bool done = copy_entries(&c, f->fd, target.fd, 0);
  if (done)
    close(target.fd);
  else
    run_folder_remove(&target);
  if (done) run_folder_remove(f);
  return done;
}

const char *run_folder_keep(RunFolder *f, Arena *a, const char *problem_folder, int experiment,
                            Err *why) {
  const char *runs = arena_print(a, "%s/entrain-runs", problem_folder);
  const char *path = reserve(a, runs, experiment, why);
  if (!path) return NULL;
  fchmod(f->fd, S_IRWXU);           // a folder that is moved must be writable itself
  if (rename(f->path, path) == 0) { // replaces the empty folder
    close(f->fd);
    f->fd = -1;
    return path;
  }
  if (errno == EXDEV) return copy_to(f, a, path, why) ? path : NULL;
  cannot(why, "move it to", path);
  rmdir(path);
  return NULL;
}
