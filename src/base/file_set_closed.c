// Hashes of closed files: of simulators that are executed, and of what they read.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_set.h"
#include "base/memory.h"
#include "base/patience.h"

enum { CHUNK_BYTES = 1 << 16, NESTING_MOST = 50 };

typedef struct ClosedWalk {
  Arena *arena; // of paths
  int left;     // files that may still be noted
} ClosedWalk;

// A noting use notes also for those around it, up to one that serves.
static bool is_noting(const FileSetUse *u) {
  return u && u->noting;
}

static void add_gap(void) {
  for (FileSetUse *u = file_set_innermost(); is_noting(u); u = u->outer)
    file_set_add_gap(u->noting);
}

static void add(ClosedWalk *w, const char *path, FileKind kind, const Sha256 *hash) {
  w->left--;
  for (FileSetUse *u = file_set_innermost(); is_noting(u); u = u->outer)
    file_set_add_closed(u->noting, path, kind, hash);
}

static bool hash_content(int fd, Sha256 *out) {
  char chunk[CHUNK_BYTES];
  Sha256Work work;
  sha256_begin(&work);
  for (;;) {
    ssize_t got = read(fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 || !patience_lasts(CHUNK_BYTES / 8)) return false;
    if (got == 0) break;
    sha256_add(&work, chunk, (size_t)got);
  }
  *out = sha256_end(&work);
  return true;
}

static void note_link(ClosedWalk *w, const char *path) {
  char target[PATH_MAX];
  ssize_t length = readlink(path, target, sizeof target);
  if (length < 0) {
    add_gap();
    return;
  }
  Sha256 hash = sha256_of(target, (size_t)length);
  add(w, path, FILE_OTHER, &hash);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void note(ClosedWalk *w, const char *path, int depth);

static void note_folder(ClosedWalk *w, const char *folder, int depth) {
  struct dirent **names = NULL;
  int count = depth < NESTING_MOST ? scandir(folder, &names, NULL, by_name) : -1;
  if (count < 0 && depth < NESTING_MOST) memory_check_errno();
  if (count < 0) add_gap();
  for (int i = 0; i < count; i++) {
    const char *name = names[i]->d_name;
    if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
      note(w, arena_print(w->arena, "%s/%s", folder, name), depth + 1);
    free(names[i]);
  }
  free(names);
}

// The path that is named may be a link; those below it are not followed. A pipe must not keep us waiting.
static void note(ClosedWalk *w, const char *path, int depth) {
  struct stat s;
  Sha256 hash;
  if (w->left <= 0 || !patience_lasts(1)) {
    add_gap();
    return;
  }
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (depth ? O_NOFOLLOW : 0));
  if (fd < 0 && depth && errno == ELOOP) {
    note_link(w, path);
  } else if (fd < 0 || fstat(fd, &s) != 0) {
    if (fd >= 0 || errno != ENOENT) add_gap();
  } else if (S_ISDIR(s.st_mode)) {
    note_folder(w, path, depth);
  } else if (S_ISREG(s.st_mode)) {
    if (hash_content(fd, &hash))
      add(w, path, FILE_REGULAR, &hash);
    else
      add_gap();
  }
  if (fd >= 0) close(fd);
}

void file_set_note_closed(const char *path) {
  if (!is_noting(file_set_innermost())) return;
  ClosedWalk w = {arena_new(), CLOSED_FILES_MOST};
  note(&w, path, 0);
  arena_free(w.arena);
}

// ---------------------------------------------------------------- where a set serves

bool file_set_hash(const char *path, Sha256 *out) {
  struct stat s;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool done = fd >= 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && hash_content(fd, out);
  if (fd >= 0) close(fd);
  return done;
}

static const FileSetUse *serving_use(void) {
  const FileSetUse *u = file_set_innermost();
  while (u && !u->serving) u = u->outer;
  return u;
}

const char *file_set_closed_folder(void) {
  const FileSetUse *u = serving_use();
  return u ? u->closed : NULL;
}

// What is behind the folder in a path; NULL: the path is not below it.
static const char *below(const char *path, const char *folder) {
  while (folder[0] == '.' && folder[1] == '/') folder += 2;
  size_t length = strlen(folder);
  while (length && folder[length - 1] == '/') length--;
  if (length == 0 || (length == 1 && folder[0] == '.'))
    return path[0] == '/' || strncmp(path, "../", 3) == 0 ? NULL : path;
  return strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

static bool check_one(const NotedFile *f, const char *from, const char *to, Err *err) {
  const char *rest = below(f->path, from);
  Sha256 hash;
  if (!rest)
    return fail(
        err, ERR_FILE,
        "'%s' belongs to the simulator, but lies outside of the folder of the problem file: "
        "only what is below that folder can be used elsewhere",
        f->path);
  Arena *a = arena_new();
  const char *path = arena_print(a, "%s/%s", to, rest);
  bool there = f->kind != FILE_REGULAR || file_set_hash(path, &hash);
  bool same = there && (f->kind != FILE_REGULAR || sha256_equal(&hash, &f->hash));
  if (!there)
    fail(err, ERR_FILE, "'%s' of the simulator is not in '%s'", rest, to);
  else if (!same)
    fail(err, ERR_FILE, "'%s' in '%s' is another one than that of the study", rest, to);
  arena_free(a);
  return same;
}

bool file_set_check_closed(const char *from, Err *err) {
  const FileSetUse *u = serving_use();
  for (int i = 0; u && i < file_set_count(u->serving); i++) {
    const NotedFile *f = file_set_at(u->serving, i);
    if (f->closed && !check_one(f, from, u->closed, err)) return false;
  }
  return true;
}
