#include "program/program_find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *path_from(Arena *a, const char *folder, const char *name) {
  if (name[0] == '/') return name;
  while (strncmp(name, "./", 2) == 0) name += 2;
  return arena_print(a, "%s/%s", folder, name);
}

// NULL: it can be executed; "" : it is not there.
static const char *why_not(const char *path) {
  struct stat s;
  if (stat(path, &s) != 0) return errno == ENOENT || errno == ENOTDIR ? "" : strerror(errno);
  if (S_ISDIR(s.st_mode)) return "it is a folder";
  if (!S_ISREG(s.st_mode)) return "it is not a file";
  return access(path, X_OK) == 0 ? NULL : "it is not executable; chmod +x makes it so";
}

static const char *find_at(Arena *a, const char *folder, const char *name, Err *err) {
  const char *path = path_from(a, folder, name), *why = why_not(path);
  if (!why) return path;
  if (*why)
    fail(err, ERR_FILE, "cannot run the program '%.200s': %s", path, why);
  else
    fail(err, ERR_FILE, "there is no program '%.200s'", path);
  return NULL;
}

static const char *find_in_path(Arena *a, const char *name, Err *err) {
  const char *folders = getenv("PATH"), *refused = NULL, *why = NULL;
  if (!folders) folders = "/usr/local/bin:/usr/bin:/bin";
  for (const char *at = folders; *at;) {
    size_t length = strcspn(at, ":");
    const char *path = arena_print(a, "%.*s/%s", (int)length, at, name);
    const char *no = at[0] == '/' ? why_not(path) : "";
    if (!no) return path;
    if (*no && !refused) refused = path, why = no;
    at += length + (at[length] == ':');
  }
  if (refused)
    fail(err, ERR_FILE, "cannot run the program '%.200s': %s", refused, why);
  else
    fail(err, ERR_FILE,
         "there is no program '%.100s' in the folders of PATH (%.400s); a program beside the "
         "problem file is called './%.100s'",
         name, folders, name);
  return NULL;
}

const char *program_find(Arena *a, const char *folder, const char *name, Err *err) {
  if (!*name) {
    fail(err, ERR_VALUE, "the command has no name");
    return NULL;
  }
  return strchr(name, '/') ? find_at(a, folder, name, err) : find_in_path(a, name, err);
}
