// Any text as a problem with its model and its data (parts that begin with a line such as "@@ model.mo"): nothing may
// crash or run away, and what is accepted has an objective, a short fit inside the bounds, and statistics.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stats/statistics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool law) {
  if (!law) abort();
}

// ---------------------------------------------------------------- files

static char folder[64];

static void remove_folder(void) {
  static const char *const NAMES[] = {"model.mo", "data.csv"};
  char path[128];
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, NAMES[i]);
    unlink(path);
  }
  rmdir(folder);
}

static void make_folder(void) {
  if (folder[0]) return;
  snprintf(folder, sizeof folder, "%s", "/tmp/entrain-fuzz-XXXXXX");
  check(mkdtemp(folder) != NULL);
  atexit(remove_folder);
}

static void write_file(const char *name, const char *text, size_t length) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "wb");
  check(f != NULL);
  fwrite(text, 1, length, f);
  fclose(f);
}

// Cuts the part behind a line off and writes it into a file: what is left is before it.
static size_t cut_part(const char *text, size_t length, const char *line, const char *name) {
  const char *at = memmem(text, length, line, strlen(line));
  const char *from = at ? at + strlen(line) : text + length;
  write_file(name, from, length - (size_t)(from - text));
  return at ? (size_t)(at - text) : length;
}

// ---------------------------------------------------------------- laws

static bool is_inside(const Problem *p, const double *x) {
  for (int i = 0; i < p->unknown_count; i++)
    if (!(x[i] >= p->unknowns[i].min && x[i] <= p->unknowns[i].max)) return false;
  return true;
}

static void check_objective(const Problem *p, Objective *o) {
  Arena *a = arena_new();
  LsqPoint *at = lsq_point_new(a, p->unknown_count);
  for (int i = 0; i < p->unknown_count; i++) at->x[i] = p->unknowns[i].start;
  check(is_inside(p, at->x));
  LsqEnd end = objective_eval(o, at, HUGE_VAL, true);
  double slopes = at->objective;
  check(end == LSQ_DONE ? slopes >= 0 && isfinite(slopes) : slopes == HUGE_VAL);
  if (end == LSQ_FAILED) check(objective_why(o)[0] != 0);
  arena_free(a);
}

static void check_fit(Problem *p, Objective *o) {
  p->options.max_simulations = 12;
  FitResult *r = fit_run(p, NULL, NULL, NULL);
  check(is_inside(p, r->x) && !isnan(r->objective) && r->why[0]);
  check(!r->certain || isfinite(r->objective));
  statistics_free(statistics_new(p, r, o));
  fit_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const ProblemSetting SETTINGS[] = {{"max_steps", "200", true}, {"max_events", "50", true}};
  const char *text = (const char *)data;
  Err err = {0};
  make_folder();
  size = cut_part(text, size, "\n@@ data.csv\n", "data.csv");
  size = cut_part(text, size, "\n@@ model.mo\n", "model.mo");
  Problem *p = problem_parse("<fuzz>", folder, text, size, SETTINGS, 2, &err);
  check(p ? err.code == ERR_NONE : err.code != ERR_NONE && err.text[0]);
  if (!p) return 0;
  Objective *o = objective_new(p);
  check_objective(p, o);
  check_fit(p, o);
  objective_free(o);
  problem_free(p);
  return 0;
}
