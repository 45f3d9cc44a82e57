// Progress of a long computation: one line on the terminal that is rewritten.
#pragma once
#include <stdbool.h>
#include <stdio.h>

#include "cli/arguments.h"

typedef struct Progress {
  bool on, rewrites; // rewrites: standard error is a terminal; else at most one line per second
  bool escapes;      // sequences that erase a line; without them blanks do
  int width;
  int shown;    // columns of the line that is on the terminal
  double last;  // s, time of the last line
  bool visible; // a line is on the terminal
  bool json;    // one object a line
  double began; // s
  const char *name;
  EntrainStudyProgress
      numbers; // for JSON and pages: done, total, best; what is not known is 0 or NaN
} Progress;

// On if standard error is a terminal or --progress is given; --quiet turns it off.
Progress progress_new(const Arguments *a);
bool progress_is_due(Progress *p, bool important); // it is time to show a line
// Cuts the line to the width. Of a study in a store what the store knows is shown instead; as JSON the numbers are.
void progress_show(Progress *p, const char *line);
void progress_clear(Progress *p);
// One line of a terminal in the place of the one before.
void progress_rewrite(Progress *p, FILE *to, const char *line);
// The numbers for the page of --live. stage: what is done now, or NULL. false: the user wants it to stop.
bool progress_follow(Progress *p, const char *stage);
