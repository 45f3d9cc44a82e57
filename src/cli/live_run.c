#include "cli/live_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/no_memory.h"

// Of the command that runs.
static EntrainLive *live;
static EntrainProblem *own; // of the curves
static char *report;
static char title[200];

static bool read_port(const Arguments *a, int *port) {
  const char *text = arguments_value(a, "live_port");
  char *end;
  *port = 0;
  if (!text) return true;
  if (!arguments_have(a, "live")) {
    complain("--live_port goes with --live");
    return false;
  }
  errno = 0;
  long value = strtol(text, &end, 10);
  *port = (int)value;
  if (end != text && !*end && errno == 0 && value >= 1 && value <= 65535) return true;
  complain("--live_port must be a number from 1 to 65535, not %s", text);
  return false;
}

bool live_is_wanted(const Arguments *a) {
  return arguments_have(a, "live");
}

static EntrainLiveKind kind_of(const Arguments *a) {
  const char *name = a->command->name;
  return strcmp(name, "fit") == 0       ? ENTRAIN_LIVE_FIT
         : strcmp(name, "compare") == 0 ? ENTRAIN_LIVE_STEPS
                                        : ENTRAIN_LIVE_RUNS;
}

bool live_begin(const Arguments *a, const EntrainProblem *problem, EntrainProblem *curves) {
  EntrainError error = {.size = sizeof error};
  int port;
  own = curves;
  bool fine = read_port(a, &port);
  if (fine && live_is_wanted(a)) {
    snprintf(title, sizeof title, "%s %s", a->command->name, a->word_count ? a->words[0] : "");
    EntrainLiveRequest q = {sizeof q, title, kind_of(a), port, problem, curves};
    live = entrain_live_new(&q, &error);
    fine = live != NULL;
    if (!fine) complain_error(&error);
  }
  if (live) remark("follow it at %s", entrain_live_address(live));
  if (!fine) live_close();
  return fine;
}

static bool goes_on(bool answer) {
  if (!answer) interrupt_stop();
  return answer;
}

bool live_step(const EntrainProgress *p) {
  return !live || goes_on(entrain_live_step(live, p));
}

bool live_runs(const EntrainStudyProgress *p, const char *stage) {
  return !live || goes_on(entrain_live_runs(live, p, stage));
}

bool live_is_watched(void) {
  return entrain_live_is_watched(live);
}

bool live_took(void) {
  return entrain_live_took(live);
}

bool live_is_on(void) {
  return live != NULL;
}

void live_report(const char *html) {
  free(report);
  report = html ? needed(strdup(html)) : NULL;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const double AFTER_SIGNAL = 0.4; // s, for pages that are open

static void show_report(void) {
  bool signalled = interrupt_signalled();
  double began = now();
  char *nothing =
      report ? NULL : entrain_live_text_page(title, "There is no result; the terminal says why.");
  entrain_live_finish(live, report ? report : nothing);
  entrain_text_free(nothing);
  interrupt_reached();
  while (!entrain_live_is_fetched(live) && interrupt_signalled() == signalled &&
         !(signalled && now() - began > AFTER_SIGNAL))
    usleep(10000);
}

void live_close(void) {
  if (live) show_report();
  entrain_live_free(live);
  entrain_problem_free(own);
  live_report(NULL);
  live = NULL, own = NULL;
}
