// entrain work: takes part in the studies of a store.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/interrupt.h"
#include "cli/lists.h"
#include "cli/message.h"
#include "cli/no_memory.h"
#include "cli/study_run.h"

typedef struct WorkLoop {
  EntrainAttendant me;
  char *threads; // --threads=N for the commands
  double idle;   // s without work after which it ends; -1: never
  bool quiet;
  char told[600]; // why it does not work on open studies
} WorkLoop;

static const double LOOK_SECONDS = 5;

static bool read_limits(const Arguments *a, WorkLoop *w) {
  const char *threads = arguments_value(a, "threads"), *idle = arguments_value(a, "idle");
  double value = entrain_threads();
  if (threads && !read_number("--threads", threads, &value)) return false;
  if (!(value >= 1 && value <= 1024 && value == (int)value)) {
    complain("--threads must be a whole number from 1 to 1024, not %s", threads);
    return false;
  }
  w->me.threads = (int)value;
  if (asprintf(&w->threads, "--threads=%d", w->me.threads) < 0) no_memory();
  w->idle = -1;
  if (!idle) return true;
  if (!read_number("--idle", idle, &w->idle)) return false;
  if (w->idle >= 0) return true;
  complain("--idle must be a number of seconds, not %s", idle);
  return false;
}

// Nothing that comes from a store may write files or change where results go.
static int work_on(WorkLoop *w, EntrainStudy *s) {
  EntrainStudyInfo info = {.size = sizeof info};
  char *more[] = {w->threads};
  entrain_study_info(s, &info);
  if (!w->quiet) remark("works on study %ld: %s", info.number, info.name);
  study_attend(s, STUDY_WORKS);
  int status = study_run_words(info.words, more, 1, STUDY_ASIDE);
  study_attend(NULL, STUDY_BEGINS);
  return status;
}

static void tell_why(WorkLoop *w, const char *why) {
  if (!*why || strcmp(why, w->told) == 0) return;
  snprintf(w->told, sizeof w->told, "%s", why);
  remark("cannot work on what is open: %s", why);
}

static int work(WorkLoop *w, EntrainStore *store) {
  EntrainError error = {.size = sizeof error};
  long failed = 0; // the study that could not be begun here
  double waited = 0;
  while (!interrupt_asked()) {
    const char *why;
    double wait = w->idle >= 0 && w->idle - waited < LOOK_SECONDS ? w->idle - waited : LOOK_SECONDS;
    EntrainStudy *s = entrain_store_work(store, &w->me, wait > 0 ? wait : 0, &why, &error);
    if (!s && error.code) return interrupt_asked() ? DONE : complain_error(&error);
    if (!s) {
      tell_why(w, why);
      waited += wait;
      if (w->idle >= 0 && waited >= w->idle) break;
      continue;
    }
    waited = failed ? waited + LOOK_SECONDS : 0;
    EntrainStudyInfo info = {.size = sizeof info};
    entrain_study_info(s, &info);
    bool again = failed == info.number;
    int status = again ? WRONG_USE : work_on(w, s);
    entrain_study_free(s);
    if (again && w->idle >= 0 && waited >= w->idle) return WRONG_USE;
    failed = status == WRONG_USE ? info.number : 0;
    if (!failed) continue;
    // Another process may do better; this one looks again later.
    if (w->idle >= 0 && w->idle < LOOK_SECONDS) return WRONG_USE;
    entrain_store_rest(store, LOOK_SECONDS);
  }
  return DONE;
}

static int run(const Arguments *a) {
  EntrainError error = {.size = sizeof error};
  WorkLoop w = {.me = {.size = sizeof w.me,
                       .tags = arguments_value(a, "tags"),
                       .simulators = arguments_value(a, "simulators")},
                .quiet = arguments_have(a, "quiet")};
  int status = WRONG_USE;
  if (read_limits(a, &w)) {
    interrupt_compute();
    EntrainStore *store = entrain_store_open(a->words[0], true, study_tell, NULL, &error);
    status = store ? work(&w, store) : complain_error(&error);
    entrain_store_close(store);
  }
  free(w.threads);
  return status;
}

static const Flag FLAGS[] = {
    {"threads", 'j', "N", "simulations side by side", "one for each core", false},
    {"tags", 0, "LIST",
     "what this machine has: licence,gpu; studies that ask for other tags are left to others", NULL,
     false},
    {"simulators", 0, "DIR",
     "folder with closed simulators (FMUs, programs); only those in it are run, and only if their "
     "content is that of the study",
     NULL, false},
    {"idle", 0, "SECONDS", "ends after so many seconds without work", "it waits for ever", false},
    {"quiet", 'q', NULL, "no remarks", NULL, false},
    {0},
};

static const char *const EXAMPLES[] = {
    "entrain work postgresql://server/studies",
    "Works on the open studies of the server, with all cores, until Ctrl-C",
    "entrain work postgresql://server/studies -j 4 --simulators models --idle 600",
    "Also studies of closed simulators, from one folder; ends after ten idle minutes",
    NULL,
};

const Command CMD_WORK = {
    "work",
    "STORE",
    "takes part in the studies of a store, on any machine",
    "Works on the open studies of a store: claims some runs at a time, computes them, sends their "
    "results, until Ctrl-C or SIGTERM. Any number of workers may come and go at any time; results "
    "do not depend on them. Problem, model and data come from the store; nothing that comes from "
    "there is executed. If the process that began a study has gone, a worker carries it on to its "
    "end. A worker that dies loses at most the runs that it was at: others do them. STORE is a "
    "PostgreSQL database, or an SQLite file for workers on the same machine. A server that "
    "restarts, or a network that fails, is waited for. Workers whose version or numerical "
    "fingerprint differs from that of a study leave it to others, and say so.",
    FLAGS,
    0,
    EXAMPLES,
    run,
};
