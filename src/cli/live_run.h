// --live: a page in a browser that follows the command as it runs, and becomes its report.
//
// run_on_problem begins and ends it; listeners of commands call live_step or live_runs; pages_write also calls live_report. Without
// --live these do nothing.
#pragma once
#include "cli/arguments.h"

#define FLAG_LIVE                                                                                  \
  {"live",                                                                                         \
   0,                                                                                              \
   NULL,                                                                                           \
   "shows the computation in a browser as it runs, at an address that is printed to standard "     \
   "error; buttons pause and stop it, then the report is shown",                                   \
   NULL,                                                                                           \
   false},                                                                                         \
  {                                                                                                \
    "live_port", 0, "N", "with --live: the port on 127.0.0.1", "any that is free", false           \
  }

// curves: the same problem, loaded once more for the page; may be NULL; is freed by live_close, or here. false: the error is printed.
bool live_begin(const Arguments *a, const EntrainProblem *problem, EntrainProblem *curves);
bool live_is_wanted(const Arguments *a);
// Both: false: the user wants it to stop.
bool live_step(const EntrainProgress *p);
bool live_runs(const EntrainStudyProgress *p, const char *stage);
bool live_is_watched(void); // a page is open
bool live_took(void);       // the user has taken the best point
bool live_is_on(void);
void live_report(const char *html); // the page becomes it
// Shows the report to those who look, for two seconds at most without any of them, or until Ctrl-C; then it is over.
void live_close(void);
