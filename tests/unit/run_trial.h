// A place for trials with programs: a folder for the problem, one for the runs, and what must be true after each.
#pragma once
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "test.h"

typedef struct Trial {
  Arena *arena;
  char top[64];
  const char *problem, *scratch; // below top
} Trial;

static inline int trial_new(void **state) {
  Trial *t = calloc(1, sizeof *t);
  t->arena = arena_new();
  strcpy(t->top, "/tmp/entrain-trial-XXXXXX");
  if (!mkdtemp(t->top)) return -1;
  t->problem = arena_print(t->arena, "%s/problem", t->top);
  t->scratch = arena_print(t->arena, "%s/scratch", t->top);
  *state = t;
  return mkdir(t->problem, 0777) | mkdir(t->scratch, 0777);
}

static inline int trial_free(void **state) {
  Trial *t = *state;
  int failed = system(arena_print(t->arena, "rm -rf %s", t->top)); // NOLINT
  arena_free(t->arena);
  free(t);
  return failed ? -1 : 0;
}

static inline const char *trial_write(const Trial *t, const char *name, const char *text,
                                      int mode) {
  const char *path = arena_print(t->arena, "%s/%s", t->problem, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  assert_int_equal(fchmod(fileno(f), (mode_t)mode), 0);
  fclose(f);
  return path;
}

static inline char *trial_read(const Trial *t, const char *path) {
  char *text = arena_alloc(t->arena, 1 << 20, 1);
  FILE *f = fopen(path, "r");
  if (!f) print_error("%s: %s\n", path, strerror(errno));
  assert_non_null(f);
  text[fread(text, 1, (1 << 20) - 1, f)] = 0;
  fclose(f);
  return text;
}

static inline int trial_count(const char *folder) { // entries; -1: there is no such folder
  DIR *d = opendir(folder);
  if (!d) return -1;
  int count = -2;
  while (readdir(d)) count++;
  closedir(d);
  return count;
}

static inline int trial_descriptors(void) {
  return trial_count("/proc/self/fd");
}

static inline void assert_nothing_is_left(const Trial *t) {
  if (trial_count(t->scratch) != 0)
    (void)!system(arena_print(t->arena, "ls -laR %s >&2", t->scratch)); // NOLINT
  assert_int_equal(trial_count(t->scratch), 0);
  // Orphans are children of this process, a child subreaper, and so are zombies.
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  assert_int_equal(errno, ECHILD);
}
