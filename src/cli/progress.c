#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/live_run.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/study_run.h"

static const double REWRITE_AFTER = 0.1, LINE_AFTER = 1; // s

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

Progress progress_new(const Arguments *a) {
  Terminal t = error_terminal();
  bool is_terminal = isatty(STDERR_FILENO);
  const char *form = arguments_value(a, "progress");
  bool json = form && strcmp(form, "json") == 0;
  if (form && !json) complain("--progress takes 'json' or nothing, not '%s'", form);
  return (Progress){.on = !arguments_have(a, "quiet") && !study_is_worker() &&
                          (is_terminal || arguments_have(a, "progress")),
                    .rewrites = is_terminal && !json,
                    .escapes = t.colour,
                    .width = t.width,
                    .json = json,
                    .began = now(),
                    .name = a->command->name,
                    .numbers = {.size = sizeof(EntrainStudyProgress), .best = (double)NAN}};
}

bool progress_is_due(Progress *p, bool important) {
  if (!p->on) return false;
  double t = now(), wait = p->rewrites ? REWRITE_AFTER : LINE_AFTER;
  if (t - p->last < wait && !(important && !p->rewrites)) return false;
  p->last = t;
  return true;
}

// Number of bytes of the first `width` characters.
static int bytes_of(const char *line, int width) {
  int at = 0;
  for (; line[at]; at++)
    if ((line[at] & 0xC0) != 0x80 && width-- == 0) break;
  return at;
}

static int columns_of(const char *line, int bytes) {
  int count = 0;
  for (int i = 0; i < bytes; i++) count += (line[i] & 0xC0) != 0x80;
  return count;
}

void progress_rewrite(Progress *p, FILE *to, const char *line) {
  char *visible = entrain_text_visible(line);
  int bytes = bytes_of(visible, p->width - 1), columns = columns_of(visible, bytes);
  int rest = p->shown > columns ? p->shown - columns : 0;
  if (p->escapes)
    fprintf(to, "\r%.*s\033[K", bytes, visible);
  else
    fprintf(to, "\r%.*s%*s", bytes, visible, rest, "");
  if (!bytes) fputs("\r", to);
  fflush(to);
  p->shown = columns;
  entrain_text_free(visible);
}

static void complete_numbers(Progress *p) {
  EntrainStudyProgress *n = &p->numbers;
  n->workers = 1;
  n->rate = n->done > 0 ? (double)n->done / (now() - p->began) : (double)NAN;
  n->seconds_left = n->rate > 0 ? (double)(n->total - n->done) / n->rate : (double)NAN;
}

bool progress_follow(Progress *p, const char *stage) {
  EntrainStudyProgress known = {.size = sizeof known};
  if (!live_is_on()) return true;
  complete_numbers(p);
  bool stored = live_is_watched() && study_numbers(&known) && known.total > 0;
  return live_runs(stored ? &known : &p->numbers, stage);
}

void progress_show(Progress *p, const char *line) {
  char own[2000];
  if (!p->on) return;
  if (study_line(own, sizeof own, p->json)) {
    line = own;
  } else if (p->json) {
    complete_numbers(p);
    study_progress_line(&p->numbers, p->name, true, own, sizeof own);
    line = own;
  }
  if (p->rewrites)
    progress_rewrite(p, stderr, line);
  else
    fprintf(stderr, "%s\n", line);
  fflush(stderr);
  p->visible = p->rewrites;
}

void progress_clear(Progress *p) {
  if (p->visible) progress_rewrite(p, stderr, "");
  fflush(stderr);
  p->visible = false;
}
