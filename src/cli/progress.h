// How far a long computation is: one line on the terminal that is written again and again.
#pragma once
#include <stdbool.h>

#include "cli/arguments.h"

typedef struct Progress {
  bool on, rewrites; // rewrites: standard error is a terminal; else lines, one a second at most
  int width;
  double last;  // s, when something was shown
  bool visible; // a line stands on the terminal
} Progress;

// On when standard error is a terminal or --progress is given, off with --quiet.
Progress progress_new(const Arguments *a);
bool progress_is_due(Progress *p, bool important); // time to show something
void progress_show(Progress *p, const char *line); // as much of it as fits
void progress_clear(Progress *p);
