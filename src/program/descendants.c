#include "program/descendants.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/c_locale.h"
#include "base/clock.h"
#include "base/memory.h"

static const double GIVE_UP = 5; // s

typedef struct ProcessRow {
  pid_t pid, parent;
  bool ours;
} ProcessRow;

typedef struct ProcessTable {
  ProcessRow *at;
  int count, room;
} ProcessTable;

// Of /proc/<pid>/stat, "pid (name) state parent ...", whose name may contain anything. 0: it has ended.
static pid_t parent_of(pid_t pid) {
  char path[40], text[512];
  c_snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  if (length <= 0) return 0;
  text[length] = 0;
  const char *name_end = strrchr(text, ')');
  return name_end && strlen(name_end) > 4 ? (pid_t)strtol(name_end + 4, NULL, 10) : 0;
}

static void table_fill(ProcessTable *t) {
  t->count = 0;
  DIR *d = opendir("/proc");
  for (struct dirent *e; d && (e = readdir(d));) {
    if (!isdigit((unsigned char)e->d_name[0])) continue;
    if (t->count == t->room) {
      t->room = t->room ? 2 * t->room : 256;
      t->at = must_have(realloc(t->at, (size_t)t->room * sizeof *t->at));
    }
    pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
    t->at[t->count++] = (ProcessRow){pid, parent_of(pid), false};
  }
  if (d) closedir(d);
}

static bool has_children(void) {
  siginfo_t info;
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

void children_find(Children *c) {
  *c = (Children){0};
  if (!has_children()) return;
  ProcessTable t = {0};
  table_fill(&t);
  c->at = must_have(malloc((size_t)(t.count + 1) * sizeof *c->at));
  for (int i = 0; i < t.count; i++)
    if (t.at[i].parent == getpid()) c->at[c->count++] = t.at[i].pid;
  free(t.at);
}

void children_done(Children *c) {
  free(c->at);
  *c = (Children){0};
}

static bool is_among(const Children *c, pid_t pid) {
  for (int i = 0; i < c->count; i++)
    if (c->at[i] == pid) return true;
  return false;
}

static bool descends(const ProcessTable *t, pid_t parent) {
  for (int i = 0; i < t->count; i++)
    if (t->at[i].ours && t->at[i].pid == parent) return true;
  return false;
}

// Marks all that descend from this process: children first, then theirs, until none is added.
static int mark(ProcessTable *t, const Children *except) {
  int marked = 0, before = -1;
  while (before < marked) {
    before = marked;
    for (int i = 0; i < t->count; i++) {
      ProcessRow *p = &t->at[i];
      if (p->ours || p->parent == 0) continue;
      p->ours = p->parent == getpid() ? !is_among(except, p->pid) : descends(t, p->parent);
      marked += p->ours;
    }
  }
  return marked;
}

static void kill_marked(const ProcessTable *t) {
  for (int i = 0; i < t->count; i++)
    if (t->at[i].ours) kill(t->at[i].pid, SIGKILL);
  for (int i = 0; i < t->count; i++)
    if (t->at[i].ours && t->at[i].parent == getpid()) waitpid(t->at[i].pid, NULL, WNOHANG);
}

void kill_descendants(const Children *except) {
  ProcessTable t = {0};
  double until = clock_seconds() + GIVE_UP;
  for (long pause = 50000; has_children() && clock_seconds() < until; pause += pause / 2) {
    table_fill(&t);
    if (mark(&t, except) == 0) break;
    kill_marked(&t);
    if (pause > 5000000) pause = 5000000;
    nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
  }
  free(t.at);
}
