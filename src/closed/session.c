#include "closed/session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

static const char PREFIX[] = "entrain-";
static const char LOCK[] = ".entrain-session", NEW_LOCK[] = ".entrain-session.new";
enum { LETTERS = 6 };         // that mkdtemp adds
static const long GRACE = 60; // s for which a folder without a lock may still be in the making
enum { DEPTH_MOST = 200 };    // folders inside each other

static char *joined(const char *folder, const char *name) {
  Text t;
  text_init(&t);
  text_print(&t, "%s/%s", folder, name);
  return t.at;
}

// ---------------------------------------------------------------- removing

static bool remove_in(int folder, const char *name, int depth);

// Takes the descriptor. except: a name that stays; NULL: none.
static bool remove_contents(int folder, const char *except, int depth) {
  DIR *dir = fdopendir(folder);
  if (!dir) return close(folder), false;
  bool gone = true;
  for (struct dirent *e; (e = readdir(dir));)
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
        !(except && strcmp(e->d_name, except) == 0))
      gone &= remove_in(dirfd(dir), e->d_name, depth);
  closedir(dir);
  return gone;
}

static bool remove_in(int folder, const char *name, int depth) {
  if (unlinkat(folder, name, 0) == 0 || errno == ENOENT) return true;
  if (depth > DEPTH_MOST) return false;
  struct stat s;
  if (fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(s.st_mode))
    fchmodat(folder, name, 0700, 0); // a simulator may have made it read-only
  int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inner < 0) return false;
  remove_contents(inner, NULL, depth + 1);
  return unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

bool folder_remove(const char *path) {
  return remove_in(AT_FDCWD, path, 0);
}

// ---------------------------------------------------------------- sessions

// A folder without a lock is one that was not finished, or somebody else's: it goes only if there is nothing in it.
static void sweep_unlocked(const char *path, const struct stat *s) {
  const char *slash = strrchr(path, '/');
  if (strlen(slash ? slash + 1 : path) != sizeof PREFIX - 1 + LETTERS) return;
  if (time(NULL) - s->st_mtime <= GRACE || rmdir(path) == 0) return;
  char *lock = joined(path, NEW_LOCK);
  if (unlink(lock) == 0) rmdir(path);
  free(lock);
}

// The lock goes last: what is left of a session whose removal was interrupted can be swept again.
static bool remove_session(const char *path) {
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  return folder >= 0 && remove_contents(folder, LOCK, 0) && folder_remove(path);
}

bool session_sweep(const char *path) {
  struct stat s;
  if (lstat(path, &s) != 0) return errno == ENOENT;
  if (!S_ISDIR(s.st_mode) || s.st_uid != geteuid()) return false;
  char *name = joined(path, LOCK);
  int lock = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  free(name);
  if (lock < 0 && errno == ENOENT) sweep_unlocked(path, &s);
  if (lock < 0) return lstat(path, &s) != 0;
  bool gone = flock(lock, LOCK_EX | LOCK_NB) == 0 && remove_session(path);
  close(lock);
  return gone;
}

static void sweep_all(const char *base) {
  DIR *dir = opendir(base);
  if (!dir) return;
  for (struct dirent *e; (e = readdir(dir));) {
    if (strncmp(e->d_name, PREFIX, sizeof PREFIX - 1) != 0) continue;
    char *path = joined(base, e->d_name);
    session_sweep(path);
    free(path);
  }
  closedir(dir);
}

static const char *base_folder(void) {
  const char *named = getenv("TMPDIR");
  return named && named[0] == '/' ? named : "/tmp";
}

// The lock is made under another name and renamed, so that it is never there without being held.
static int make_lock(const char *path) {
  char *new = joined(path, NEW_LOCK), *name = joined(path, LOCK);
  int lock = open(new, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (lock >= 0 && (flock(lock, LOCK_EX | LOCK_NB) != 0 || rename(new, name) != 0)) {
    close(lock);
    lock = -1;
  }
  free(new);
  free(name);
  return lock;
}

Session *session_new(Err *err) {
  const char *base = base_folder();
  sweep_all(base);
  char *path = joined(base, "entrain-XXXXXX");
  Session *s = must_have(calloc(1, sizeof *s));
  s->path = path;
  s->lock = -1;
  if (mkdtemp(path)) {
    s->lock = make_lock(path);
    if (s->lock >= 0) return s;
  }
  fail(err, ERR_FILE, "no folder for temporary files can be made in %s (TMPDIR): %s", base,
       strerror(errno));
  session_free(s);
  return NULL;
}

void session_free(Session *s) {
  if (!s) return;
  remove_session(s->path);
  if (s->lock >= 0) close(s->lock);
  free(s->path);
  free(s);
}
