// Any text as a problem with its model and its data (parts that begin with a line such as "@@ model.mo"): nothing may
// crash or run away, and what is accepted has an objective, a short fit inside the bounds, and statistics.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "problem/read_problem.h"
#include "study/assessed_fit.h"

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

static void check_objective(const Problem *p) {
  Arena *a = arena_new();
  Fitting *f = fitting_new(p);
  EvalWork *w = eval_work_new(f, p->options.threads, NULL);
  Budget budget = {.max_simulations = p->options.max_simulations};
  EvalSpec spec = eval_spec(f, &budget);
  spec.slopes = true;
  int n = p->unknown_count;
  double *x = ARENA_ARRAY(a, double, n + 1);
  EvalPoint out = {.R = ARENA_ARRAY(a, double, n *n + 1), .Qr = ARENA_ARRAY(a, double, n + 1)};
  for (int i = 0; i < n; i++) x[i] = p->unknowns[i].start;
  check(is_inside(p, x));
  EvalEnd end = evaluate(w, &spec, x, &out);
  check(end == EVAL_DONE ? out.objective >= 0 && isfinite(out.objective)
                         : out.objective == HUGE_VAL);
  if (end == EVAL_FAILED) check(eval_why(w)[0] != 0);
  eval_work_free(w);
  fitting_free(f);
  arena_free(a);
}

static void check_fit(Problem *p) {
  p->options.max_simulations = 12;
  AssessedFit f = assessed_fit_run(p, NULL, 0, NULL, NULL);
  const FitResult *r = f.result;
  check(is_inside(p, r->x) && !isnan(r->objective) && r->why[0]);
  check(!r->certain || isfinite(r->objective));
  assessed_fit_done(&f);
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
  check_objective(p);
  check_fit(p);
  problem_free(p);
  return 0;
}
