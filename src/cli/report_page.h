// The page of a result: --report FILE.html and --report_without, for every command that has a report.
#pragma once
#include "cli/arguments.h"

#define FLAG_REPORT                                                                                \
  {"report",                                                                                       \
   0,                                                                                              \
   "FILE",                                                                                         \
   "the report with its pictures as one HTML page, to look at in a browser, print or mail",        \
   NULL,                                                                                           \
   false},                                                                                         \
  {                                                                                                \
    "report_without", 0, "LIST",                                                                   \
        "leaves the model, the data or both out of that page: model,data", NULL, false             \
  }

bool page_wanted(const Arguments *a);     // by --report or --live
bool pictures_wanted(const Arguments *a); // by a page or a folder
bool page_prepare(const Arguments *a);    // checks the flags. false: the error is printed
// Writes page and pictures, as far as they are wanted, and frees both. body: the report by ENTRAIN_HTML, NULL if no page is
// wanted. figures NULL: there are none. Returns the exit status.
int pages_write(const Arguments *a, const EntrainProblem *p, char *body, EntrainFigures *figures);
// The page alone, wanted or not. p NULL: the problem cannot be read; former_path: where it was.
int page_write_to(const Arguments *a, const char *path, const EntrainProblem *p,
                  const char *former_path, char *body, EntrainFigures *figures);
