#include "program/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/c_locale.h"
#include "base/file.h"

enum { NAME_MOST = 1000 };

// ---- names

static bool has_control_character(const char *name) {
  for (const unsigned char *c = (const unsigned char *)name; *c; c++)
    if (*c < 0x20 || *c == 0x7F) return true;
  return false;
}

static const char *why_not(const char *name) {
  size_t length = strlen(name);
  if (!length) return "is empty";
  if (length > NAME_MOST) return "is longer than 1000 bytes";
  if (name[0] == '/') return "is absolute; files of a run are inside of its folder";
  if (name[length - 1] == '/') return "ends with a slash: it must name a file";
  if (has_control_character(name)) return "contains a control character";
  return NULL;
}

const char *run_name(Arena *a, const char *what, const char *name, Err *err) {
  const char *why = why_not(name);
  char *clean = arena_alloc(a, strlen(name) + 1, 1), *to = clean;
  for (const char *from = name; !why && *from;) {
    size_t length = strcspn(from, "/");
    if (length == 2 && memcmp(from, "..", 2) == 0)
      why = "contains '..'; files of a run are inside of its folder";
    else if (length > 0 && !(length == 1 && from[0] == '.')) {
      if (to > clean) *to++ = '/';
      memcpy(to, from, length);
      to += length;
    }
    from += length + (from[length] == '/');
  }
  if (!why && to == clean) why = "names no file";
  if (!why) return clean;
  fail(err, ERR_VALUE, "%s '%.100s' %s", what, name, why);
  return NULL;
}

bool is_below(const char *name, const char *folder) {
  size_t length = strlen(folder);
  if (strncmp(name, folder, length) != 0) return false;
  return !name[length] || name[length] == '/' || (length && folder[length - 1] == '/');
}

bool run_names_clash(const char *a, const char *b) {
  return is_below(a, b) || is_below(b, a);
}

// ---- making

static bool cannot(Err *err, const char *what, const char *name) {
  return fail(err, ERR_FILE, "cannot %s '%.300s': %s", what, name, strerror(errno));
}

char *path_of_fd(Arena *a, int fd) {
  char link[40], path[PATH_MAX];
  c_snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path);
  if (length <= 0 || length == sizeof path || path[0] != '/') return NULL;
  return arena_copy(a, path, (size_t)length);
}

bool run_folder_make(RunFolder *f, Arena *a, const char *scratch, Err *err) {
  f->fd = -1;
  f->path = arena_print(a, "%s/run-XXXXXX", scratch);
  if (!mkdtemp(f->path)) return cannot(err, "make a folder for a run in", scratch);
  f->fd = open(f->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (f->fd >= 0) return true;
  cannot(err, "open", f->path);
  rmdir(f->path);
  return false;
}

static bool make_parents(const RunFolder *f, const char *name, Err *err) {
  char part[NAME_MOST + 1];
  for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
    memcpy(part, name, (size_t)(slash - name));
    part[slash - name] = 0;
    if (mkdirat(f->fd, part, 0777) != 0 && errno != EEXIST) return cannot(err, "make folder", part);
  }
  return true;
}

bool run_folder_write(const RunFolder *f, const char *name, const char *bytes, size_t length,
                      Err *err) {
  if (!make_parents(f, name, err)) return false;
  int fd = openat(f->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) return cannot(err, "write", name);
  bool done = file_write_all(fd, bytes, length) || cannot(err, "write", name);
  if (close(fd) != 0 && done) done = cannot(err, "write", name);
  return done;
}

bool run_folder_replace(const RunFolder *f, const char *name, const char *bytes, size_t length,
                        Err *err) {
  unlinkat(f->fd, name, 0);
  return run_folder_write(f, name, bytes, length, err);
}

bool run_folder_link(const RunFolder *f, const char *name, const char *target, Err *err) {
  return symlinkat(target, f->fd, name) == 0 || cannot(err, "link", name);
}

// ---- removing

DIR *folder_entries(int fd) {
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
  if (d) rewinddir(d); // both share their position
  if (!d && copy >= 0) close(copy);
  return d;
}

typedef struct Removal {
  int top;   // the folder of the run
  int moved; // folders that were moved up so far
} Removal;

// Opened for reading and writing its entries, whatever its permissions were; -1: it is no folder, or cannot be opened.
static int open_folder(int parent, const char *name) {
  int place = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (place < 0) return -1;
  char link[40];
  c_snprintf(link, sizeof link, "/proc/self/fd/%d", place);
  struct stat now;
  if (fstat(place, &now) == 0 && (now.st_mode & S_IRWXU) != S_IRWXU)
    (void)!chmod(link, now.st_mode | S_IRWXU);
  int fd = open(link, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  close(place);
  return fd;
}

// A folder below another one moves up to the top, under a new name: any depth is removed without recursion.
static void move_up(Removal *r, int parent, const char *name) {
  int fd = open_folder(parent, name); // a folder that is moved must be writable itself
  if (fd >= 0) close(fd);
  for (int tries = 0; tries < 1000; tries++) {
    char moved[40];
    c_snprintf(moved, sizeof moved, "entrain-moved-%d", r->moved++);
    if (renameat2(parent, name, r->top, moved, RENAME_NOREPLACE) == 0) return;
    if (errno != EEXIST) return;
  }
}

static void remove_entries(Removal *r, int folder);

static void remove_entry(Removal *r, int parent, const char *name) {
  if (unlinkat(parent, name, 0) == 0 || errno == ENOENT) return;
  if (unlinkat(parent, name, AT_REMOVEDIR) == 0) return;
  if (parent != r->top) {
    move_up(r, parent, name);
    return;
  }
  int fd = open_folder(parent, name);
  if (fd < 0) return;
  remove_entries(r, fd); // which calls this with another parent: no deeper
  close(fd);
  unlinkat(parent, name, AT_REMOVEDIR);
}

static void remove_entries(Removal *r, int folder) {
  DIR *d = folder_entries(folder);
  for (struct dirent *e; d && (e = readdir(d));)
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
      remove_entry(r, folder, e->d_name);
  if (d) closedir(d);
}

bool run_folder_remove(RunFolder *f) {
  if (f->fd < 0) return true;
  fchmod(f->fd, S_IRWXU); // the program may have taken permissions away
  Removal r = {.top = f->fd};
  bool gone = false;
  // Passes, because folders move up while their new place is read. Each pass takes a level away.
  for (int moved = -1; !gone && moved < r.moved;) {
    moved = r.moved;
    remove_entries(&r, f->fd);
    gone = rmdir(f->path) == 0 || errno == ENOENT;
    if (!gone && errno == ENOTDIR) gone = unlink(f->path) == 0; // the program put something there
  }
  close(f->fd);
  f->fd = -1;
  return gone;
}
