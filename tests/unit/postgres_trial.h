// A PostgreSQL server of our own in a temporary folder, for tests. It listens on 127.0.0.1 only, knows no passwords, and ends
// with the test, however that ends.
#pragma once
#include <arpa/inet.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct PostgresTrial {
  char folder[64], programs[200], url[100];
  int port;
  pid_t server; // 0: it does not run
} PostgresTrial;

static inline void postgres_pause(double seconds) {
  struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  nanosleep(&t, NULL);
}

// The last version that is installed.
static inline bool postgres_find_programs(PostgresTrial *p) {
  glob_t found;
  bool there = glob("/usr/lib/postgresql/*/bin/initdb", 0, NULL, &found) == 0;
  if (there) {
    const char *last = found.gl_pathv[found.gl_pathc - 1];
    snprintf(p->programs, sizeof p->programs, "%.*s", (int)(strlen(last) - strlen("/initdb")),
             last);
    globfree(&found);
  }
  return there;
}

// A child that runs one of the programs, as the user postgres where we are root, whom the server refuses.
static inline pid_t postgres_run(const PostgresTrial *p, const char *program, char **arguments) {
  char path[300], log[100];
  snprintf(path, sizeof path, "%s/%s", p->programs, program);
  snprintf(log, sizeof log, "%s/log", p->folder);
  struct passwd *user = getpwnam("postgres");
  pid_t parent = getpid(), child = fork();
  if (child != 0) return child;
  if (geteuid() == 0 &&
      (!user || setgroups(0, NULL) != 0 || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0))
    _exit(126);
  prctl(PR_SET_PDEATHSIG, SIGQUIT); // to the server: end at once
  if (getppid() != parent) _exit(125);
  int in = open("/dev/null", O_RDONLY), out = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(in, 0);
  dup2(out, 1);
  dup2(out, 2);
  if (chdir(p->folder) == 0) execv(path, arguments);
  _exit(127);
}

static inline int postgres_free_port(void) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof place;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool bound = bind(fd, (struct sockaddr *)&place, length) == 0 &&
               getsockname(fd, (struct sockaddr *)&place, &length) == 0;
  close(fd);
  return bound ? ntohs(place.sin_port) : 0;
}

// The server writes into this file how far it is.
static inline bool postgres_is_ready(const PostgresTrial *p) {
  char path[100], text[500] = "";
  snprintf(path, sizeof path, "%s/data/postmaster.pid", p->folder);
  FILE *f = fopen(path, "r");
  if (!f) return false;
  size_t length = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[length] = 0;
  return strtol(text, NULL, 10) == p->server && strstr(text, "\nready");
}

// Also after postgres_kill, with the data that were there. It may refuse to start until all processes of the old one are gone.
static inline bool postgres_start_again(PostgresTrial *p) {
  char data[80], port[16], name[] = "postgres";
  snprintf(data, sizeof data, "%s/data", p->folder);
  snprintf(port, sizeof port, "%d", p->port);
  char *arguments[] = {name,        "-D",
                       data,        "-p",
                       port,        "-k",
                       p->folder,   "-h",
                       "127.0.0.1", "-F",
                       "-c",        "full_page_writes=off",
                       "-c",        "shared_buffers=16MB",
                       "-c",        "max_connections=40",
                       "-c",        "deadlock_timeout=50ms",
                       NULL};
  for (int attempt = 0; attempt < 50; attempt++) {
    p->server = postgres_run(p, "postgres", arguments);
    while (waitpid(p->server, NULL, WNOHANG) == 0) {
      if (postgres_is_ready(p)) return true;
      postgres_pause(0.005);
    }
    p->server = 0;
    postgres_pause(0.1);
  }
  return false;
}

// The end of the postmaster and of all its children at once, as when the computer crashes.
static inline void postgres_kill(PostgresTrial *p) {
  char path[80], children[2000] = "";
  snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)p->server, (long)p->server);
  FILE *f = fopen(path, "r");
  size_t length = f ? fread(children, 1, sizeof children - 1, f) : 0;
  if (f) fclose(f);
  children[length] = 0;
  kill(p->server, SIGKILL);
  char *rest = NULL;
  for (char *c = strtok_r(children, " ", &rest); c; c = strtok_r(NULL, " ", &rest))
    kill((pid_t)strtol(c, NULL, 10), SIGKILL);
  waitpid(p->server, NULL, 0);
  p->server = 0;
}

static inline int postgres_remove_one(const char *path, const struct stat *s, int type,
                                      struct FTW *place) {
  (void)s, (void)type, (void)place;
  return remove(path);
}

static inline void postgres_stop(PostgresTrial *p) { // NULL is allowed
  if (!p) return;
  if (p->server) {
    kill(p->server, SIGQUIT); // nobody needs its data any more
    waitpid(p->server, NULL, 0);
  }
  nftw(p->folder, postgres_remove_one, 16, FTW_DEPTH | FTW_PHYS);
  free(p);
}

// NULL: PostgreSQL is not installed, or does not start; tests then skip(), and one line has said why.
static inline PostgresTrial *postgres_start(void) {
  PostgresTrial *p = calloc(1, sizeof *p);
  strcpy(p->folder, "/tmp/entrain-postgres-XXXXXX");
  struct passwd *user = getpwnam("postgres");
  const char *why = NULL;
  if (!postgres_find_programs(p) || (geteuid() == 0 && !user)) {
    fprintf(stderr, "tests with PostgreSQL are skipped: /usr/lib/postgresql/*/bin/initdb is "
                    "missing (Debian: postgresql)\n");
    free(p);
    return NULL;
  }
  int status = -1;
  char *arguments[] = {"initdb",   "-D", "data", "-A",         "trust",     "-U",
                       "postgres", "-E", "UTF8", "--locale=C", "--no-sync", NULL};
  if (!mkdtemp(p->folder) || (geteuid() == 0 && chown(p->folder, user->pw_uid, user->pw_gid) != 0))
    why = "no temporary folder";
  else if (waitpid(postgres_run(p, "initdb", arguments), &status, 0) < 0 || status != 0)
    why = "initdb has failed";
  p->port = postgres_free_port();
  if (!why && !postgres_start_again(p)) why = "the server does not start";
  if (why) {
    fprintf(stderr, "tests with PostgreSQL are skipped: %s\n", why);
    postgres_stop(p);
    return NULL;
  }
  snprintf(p->url, sizeof p->url, "postgresql://postgres@127.0.0.1:%d/postgres", p->port);
  return p;
}

static inline const char *postgres_url(const PostgresTrial *p) {
  return p->url;
}
