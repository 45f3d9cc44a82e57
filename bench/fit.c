// Whole fits: entrain against hand-written C (CVODES with cminpack; order 8 by hand) and SciPy in one run. Prints a table
// and appends it to those of bench.c in bench/results.md.
// usage, from the root of the project: ENTRAIN=build/entrain build/bench/fit
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hand/check.h"
#include "hand/fit_cvodes.h"
#include "hand/fit_dop853.h"
#include "lib/clock.h"
#include "lib/fit_entrain.h"
#include "lib/table.h"

extern char **environ;

static const char TITLE[] = "6. Whole fits";
static const char NOTE[] =
    "In brackets: number of samples. Data without noise, simulated with rel_tol 3e-14; single "
    "well: x and its rate measured, start (1, 1, 0.3); two-DOF: u and v measured, start (0.5, "
    "0.5, 0.2); pendulum: the angle for 50 s, start 10.3. rel_tol 1e-8, abs_tol 1e-10, tolerances"
    " of the optimisers 1e-10. CVODES: hand-written C, Adams, analytic sensitivities by the "
    "simultaneous corrector and in the error test, memory reused, at most 500 steps between "
    "samples (its default), with lmder of cminpack. **Debian's SUNDIALS is compiled without "
    "optimisation: an optimised build is faster by a factor of 2.4 to 4.8.** Order 8 by hand: "
    "DOP853 in C with run-time dimensions, Levenberg-Marquardt on normal equations summed while "
    "integrating; a trial integration ends when it is worse than the best. SciPy: least_squares "
    "with finite differences; odeint with a difference step of 1e-6, because the default step "
    "gives wrong results. Entrain: method lm; the time includes compiling the sensitivities and "
    "analysing the data. It includes reading problem, model and data only in the rows 'from the "
    "files'.";

typedef enum Integrator { SOLVE_IVP, ODEINT, INTEGRATORS } Integrator;

typedef struct ScipyFit {
  double seconds;
  FitReport report;
} ScipyFit;

typedef struct Match { // all competitors on one case
  const FitCase *c;
  FitData *data;
  FitEntrain *entrain;
  FitDop853 *dop853;
  FitCvodes *cvodes;
  FitReport entrain_report, dop853_report, cvodes_report;
  double seconds, whole_seconds, dop853_seconds, cvodes_seconds;
  ScipyFit scipy[INTEGRATORS];
} Match;

static void stop_with(const char *what, const char *which) {
  fprintf(stderr, "bench: %s: %s\n", which, what);
  exit(3);
}

static void match_begin(Match *m, const FitCase *c, const char *folder) {
  char path[512];
  *m = (Match){.c = c, .data = fit_data_new(c)};
  if (!(hand_check(c->hand) < 1e-6)) stop_with("the comparator's derivatives are wrong", c->name);
  snprintf(path, sizeof path, "%s/%s.csv", folder, c->name);
  if (!fit_data_write(m->data, path)) stop_with("cannot be written", path);
  m->entrain = fit_entrain_new(m->data, folder);
  if (!m->entrain) stop_with("the problem could not be loaded", c->name);
  m->dop853 = fit_dop853_new(m->data);
  m->cvodes = fit_cvodes_new(m->data);
  for (int i = 0; i < INTEGRATORS; i++) m->scipy[i].seconds = HUGE_VAL;
}

static void match_end(Match *m, const char *folder) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s.csv", folder, m->c->name);
  remove(path);
  fit_entrain_free(m->entrain);
  fit_dop853_free(m->dop853);
  fit_cvodes_free(m->cvodes);
  fit_data_free(m->data);
}

static void run_entrain(void *self, int repeat) {
  Match *m = self;
  for (int i = 0; i < repeat; i++) m->entrain_report = fit_entrain_run(m->entrain);
}

static void run_whole(void *self, int repeat) {
  Match *m = self;
  for (int i = 0; i < repeat; i++) fit_entrain_run_whole(m->entrain);
}

static void run_dop853(void *self, int repeat) {
  Match *m = self;
  for (int i = 0; i < repeat; i++) m->dop853_report = fit_dop853_run(m->dop853);
}

static void run_cvodes(void *self, int repeat) {
  Match *m = self;
  for (int i = 0; i < repeat; i++) m->cvodes_report = fit_cvodes_run(m->cvodes);
}

// The slow competitor takes part only in the first contest, so that the others are measured often enough.
static void measure(Match *m) {
  Contestant all[] = {
      {run_entrain, m, 0}, {run_whole, m, 0}, {run_dop853, m, 0}, {run_cvodes, m, 0}};
  Contestant fast[] = {{run_entrain, m, 0}, {run_whole, m, 0}, {run_dop853, m, 0}};
  contest_run(all, 4, 0.5);
  contest_run(fast, 3, 0.5);
  m->seconds = fmin(all[0].seconds, fast[0].seconds);
  m->whole_seconds = fmin(all[1].seconds, fast[1].seconds);
  m->dop853_seconds = fmin(all[2].seconds, fast[2].seconds);
  m->cvodes_seconds = all[3].seconds;
}

// "case integrator seconds simulations p1 p2 p3"
static void take_scipy_line(Match *matches, const char *line) {
  char name[32], integrator[32];
  ScipyFit fit = {.report.converged = true};
  double *p = fit.report.p;
  if (sscanf(line, "%31s %31s %lf %ld %lf %lf %lf", name, integrator, &fit.seconds,
             &fit.report.simulations, p, p + 1, p + 2) < 5)
    return;
  for (int i = 0; i < FIT_CASES; i++)
    if (!strcmp(matches[i].c->name, name)) {
      ScipyFit *best = &matches[i].scipy[strcmp(integrator, "odeint") ? SOLVE_IVP : ODEINT];
      fit.seconds = fmin(fit.seconds, best->seconds);
      *best = fit;
    }
}

static void run_scipy(Match *matches, const char *folder, char version[static 64]) {
  char command[600], line[512];
  snprintf(command, sizeof command,
           "OPENBLAS_NUM_THREADS=1 /usr/bin/python3 bench/hand/fit_scipy.py '%s' 2", folder);
  FILE *f = popen(command, "r");
  while (f && fgets(line, sizeof line, f)) {
    sscanf(line, "version %63[^\n]", version);
    take_scipy_line(matches, line);
  }
  if (f) pclose(f);
}

static void print_match(Table *t, const Match *m) {
  char what[96];
  snprintf(what, sizeof what, "%s: CVODES and lmder (Debian)", m->c->title);
  table_row(t, what, m->seconds, m->cvodes_seconds, GOAL_AT_LEAST, 40);
  snprintf(what, sizeof what, "%s: order 8 by hand", m->c->title);
  table_row(t, what, m->seconds, m->dop853_seconds, GOAL_AT_MOST, 1.5);
  snprintf(what, sizeof what, "%s: SciPy, DOP853", m->c->title);
  table_row(t, what, m->seconds, m->scipy[SOLVE_IVP].seconds, GOAL_AT_LEAST, 400);
  snprintf(what, sizeof what, "%s: SciPy, odeint", m->c->title);
  table_row(t, what, m->seconds, m->scipy[ODEINT].seconds, GOAL_AT_LEAST, 120);
  snprintf(what, sizeof what, "%s: order 8 by hand, from the files", m->c->title);
  table_row(t, what, m->whole_seconds, m->dop853_seconds, GOAL_AT_MOST, 0);
}

static void print_report(Table *t, const FitCase *c, const char *who, const FitReport *r) {
  if (!r->converged) {
    table_text(t, "; %s did not converge", who);
    return;
  }
  table_text(t, "; %s %ld simulations, error %.1e", who, r->simulations, fit_error(c, r->p));
  if (r->rhs) table_text(t, ", %ld right-hand sides", r->rhs);
}

static void print_details(Table *t, const Match *m) {
  table_text(t, "- %s", m->c->title);
  print_report(t, m->c, "entrain", &m->entrain_report);
  print_report(t, m->c, "order 8 by hand", &m->dop853_report);
  print_report(t, m->c, "CVODES", &m->cvodes_report);
  print_report(t, m->c, "DOP853 of SciPy", &m->scipy[SOLVE_IVP].report);
  print_report(t, m->c, "odeint", &m->scipy[ODEINT].report);
  table_text(t, "\n");
}

// Entrain must be accurate to 1e-8; the others have a wider limit because their integrators are less accurate.
static bool believable(Table *t, const Match *m) {
  double mine = fit_error(m->c, m->entrain_report.p);
  double theirs = fmax(fit_error(m->c, m->dop853_report.p), fit_error(m->c, m->cvodes_report.p));
  bool good = m->entrain_report.converged && mine <= 1e-8 && theirs <= 1e-6;
  if (!good)
    table_text(t,
               "- WRONG: %s: error of entrain %.1e (at most 1e-8), of the comparators %.1e. %s\n",
               m->c->title, mine, theirs, fit_entrain_message(m->entrain));
  return good;
}

static double wall(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Wall time from the start of the process to its end; not finite when it fails.
static double run_command(const char *program, const char *problem) {
  char *words[] = {(char *)program, "fit", (char *)problem, NULL};
  posix_spawn_file_actions_t quiet;
  pid_t child;
  int status = 1;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
  double begin = wall();
  if (!posix_spawn(&child, program, &quiet, NULL, words, environ)) waitpid(child, &status, 0);
  double seconds = wall() - begin;
  posix_spawn_file_actions_destroy(&quiet);
  return status == 0 ? seconds : HUGE_VAL;
}

static void print_command(Table *t) {
  static const char PROBLEM[] = "examples/pendulum/problem.yaml";
  const char *program = getenv("ENTRAIN");
  double best = HUGE_VAL;
  for (int i = 0; i < 20 && program; i++) best = fmin(best, run_command(program, PROBLEM));
  table_row(t, "entrain fit, pendulum example: process, wall time", best, 0.05, GOAL_AT_MOST, 1);
}

// Keeps what bench.c has written, without empty lines at the end, and removes an older table of fits.
static FILE *begin_results(const char *path, const char *growing) {
  FILE *out = fopen(growing, "w"), *old = fopen(path, "r");
  char line[4096];
  int empty = 0;
  while (out && old && fgets(line, sizeof line, old)) {
    if (!strncmp(line, "## ", 3) && !strncmp(line + 3, TITLE, sizeof TITLE - 1)) break;
    if (!strcmp(line, "\n")) {
      empty++;
      continue;
    }
    for (; empty; empty--) fputc('\n', out);
    fputs(line, out);
  }
  if (old) fclose(old);
  return out;
}

static bool write_section(Table *t, const char *folder) {
  Match matches[FIT_CASES];
  char version[64] = "not found";
  bool good = true;
  int met, missed;
  for (int i = 0; i < FIT_CASES; i++) match_begin(&matches[i], &FIT_CASE_LIST[i], folder);
  run_scipy(matches, folder, version);
  for (int i = 0; i < FIT_CASES; i++) measure(&matches[i]);
  run_scipy(matches, folder, version);
  table_section(t, TITLE, NOTE);
  for (int i = 0; i < FIT_CASES; i++) print_match(t, &matches[i]);
  print_command(t);
  table_text(t, "\nWork and largest relative error of a parameter:\n\n");
  for (int i = 0; i < FIT_CASES; i++) print_details(t, &matches[i]);
  for (int i = 0; i < FIT_CASES; i++) good &= believable(t, &matches[i]);
  for (int i = 0; i < FIT_CASES; i++) match_end(&matches[i], folder);
  table_counts(t, &met, &missed);
  table_text(t, "\nSciPy and NumPy %s. Goals of whole fits met: %d, missed: %d.\n", version, met,
             missed);
  return good;
}

int main(void) {
  static const char FINAL[] = "bench/results.md", GROWING[] = "bench/results.md.new";
  const char *temporary = getenv("TMPDIR");
  char folder[400];
  snprintf(folder, sizeof folder, "%s/entrain-bench-XXXXXX", temporary ? temporary : "/tmp");
  FILE *f = begin_results(FINAL, GROWING);
  if (!f || !mkdtemp(folder)) {
    fprintf(stderr, "bench: cannot write bench/results.md or a temporary folder (run it from the "
                    "root of the project)\n");
    return 2;
  }
  Table *t = table_new(f);
  bool good = write_section(t, folder);
  table_free(t);
  rmdir(folder);
  bool written = fclose(f) == 0 && rename(GROWING, FINAL) == 0;
  return !written ? 2 : good ? 0 : 1;
}
