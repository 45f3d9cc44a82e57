// Differential-algebraic models: the cost of Cartesian against minimal coordinates, and the time from the text of a model to
// the end of a short simulation. Prints tables, writes bench/dae.md.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entrain.h"
#include "lib/clock.h"
#include "lib/table.h"

static const double PATIENCE = 0.5; // s for each comparison

typedef struct Task {
  const char *path, *tolerances; // "1e-6 1e-8": relative, absolute
  double stop;
  int rows;
  const char *select[4], *sens[5]; // NULL-terminated; empty: all columns, no sensitivities
  char *text;
  EntrainModel *model;
  EntrainOptions *options;
  EntrainSimulation *simulation;
  EntrainWork work;
  bool failed;
} Task;

static char *read_file(const char *path) {
  FILE *f = fopen(path, "r");
  char *text = calloc(1, 1 << 20);
  if (f) {
    size_t n = fread(text, 1, (1 << 20) - 1, f);
    text[n] = 0;
    fclose(f);
  }
  return text;
}

static int words(const char *const *list) {
  int n = 0;
  while (list[n]) n++;
  return n;
}

static bool complain(const Task *t, const EntrainError *e) {
  char text[1600];
  entrain_error_format(e, text, sizeof text);
  fprintf(stderr, "%s: %s\n", t->path, text);
  return false;
}

static bool open_simulation(Task *t) {
  char rel[16], abs[16];
  EntrainError e = {.size = sizeof e};
  t->options = entrain_options_new();
  t->model = entrain_model_parse(t->path, t->text, strlen(t->text), &e);
  if (!t->model || sscanf(t->tolerances, "%15s %15s", rel, abs) != 2) return complain(t, &e);
  bool ok = entrain_options_set(t->options, "rel_tol", rel, &e) &&
            entrain_options_set(t->options, "abs_tol", abs, &e);
  t->simulation = ok ? entrain_simulation_new(t->model, t->options, &e) : NULL;
  ok = t->simulation &&
       entrain_simulation_grid(t->simulation, 0, t->stop, t->stop / (t->rows - 1), &e);
  if (ok && t->select[0])
    ok = entrain_simulation_select(t->simulation, t->select, words(t->select), &e);
  if (ok && t->sens[0])
    ok = entrain_simulation_sensitivities(t->simulation, t->sens, words(t->sens), &e);
  return ok || complain(t, &e);
}

static void close_simulation(Task *t) {
  entrain_simulation_free(t->simulation);
  entrain_options_free(t->options);
  entrain_model_free(t->model);
  t->simulation = NULL;
  t->options = NULL;
  t->model = NULL;
}

static EntrainResult *run_once(Task *t) {
  EntrainError e = {.size = sizeof e};
  EntrainResult *r = entrain_simulation_run(t->simulation, &e);
  if (!r) {
    t->failed = true;
    complain(t, &e);
    return NULL;
  }
  if (entrain_result_outcome(r) != ENTRAIN_REACHED_END) t->failed = true;
  t->work.size = sizeof t->work;
  entrain_result_work(r, &t->work);
  return r;
}

static void simulate_loop(void *self, int repeat) {
  for (int i = 0; i < repeat; i++) entrain_result_free(run_once(self));
}

static void text_loop(void *self, int repeat) {
  Task *t = self;
  for (int i = 0; i < repeat; i++) {
    if (!open_simulation(t)) t->failed = true;
    if (t->simulation) entrain_result_free(run_once(t));
    close_simulation(t);
  }
}

// ---------------------------------------------------------------- coordinates

static const Task CARTESIAN = {
    .path = "examples/double_pendulum_cartesian/double_pendulum_cartesian.mo",
    .stop = 10,
    .rows = 501,
    .select = {"phi1", "phi2"}};

static double largest_difference(Task *a, Task *b) {
  EntrainResult *x = run_once(a), *y = run_once(b);
  double most = 0;
  int columns = x && y ? entrain_result_columns(x) : 0;
  for (int c = 1; c < columns; c++) {
    const double *u = entrain_result_column(x, c), *v = entrain_result_column(y, c);
    for (int i = 0; i < entrain_result_rows(x); i++) most = fmax(most, fabs(u[i] - v[i]));
  }
  entrain_result_free(x);
  entrain_result_free(y);
  return columns ? most : HUGE_VAL;
}

static bool compare_coordinates(Table *table, const char *what, const char *tolerances,
                                bool with_sensitivities) {
  static const char *const SENS[] = {"L1", "L2", "m2", "d"};
  Task tasks[2] = {CARTESIAN, CARTESIAN};
  tasks[1].path = "examples/double_pendulum_cartesian/minimal.mo";
  Contestant contest[2];
  for (int k = 0; k < 2; k++) {
    Task *t = &tasks[k];
    t->tolerances = tolerances;
    if (with_sensitivities) memcpy(t->sens, SENS, sizeof SENS);
    t->text = read_file(t->path);
    t->failed = !open_simulation(t);
    contest[k] = (Contestant){.run = t->failed ? NULL : simulate_loop, .self = t};
  }
  bool good = !tasks[0].failed && !tasks[1].failed;
  double apart = good ? largest_difference(&tasks[0], &tasks[1]) : HUGE_VAL;
  contest_run(contest, 2, PATIENCE);
  table_row(table, what, contest[0].seconds, contest[1].seconds, GOAL_AT_MOST, 4);
  printf("  apart by %.1e; %ld and %ld steps, %ld and %ld right-hand sides\n", apart,
         (long)tasks[0].work.steps, (long)tasks[1].work.steps, (long)tasks[0].work.rhs,
         (long)tasks[1].work.rhs);
  for (int k = 0; k < 2; k++) {
    close_simulation(&tasks[k]);
    free(tasks[k].text);
  }
  return good && !tasks[0].failed && !tasks[1].failed;
}

static bool section_coordinates(Table *t) {
  table_section(t, "Cartesian against minimal coordinates",
                "A plane double pendulum, 10 s, 501 outputs of both angles: 12 states and 4 "
                "constraints (entrain) against "
                "4 states (comparator). Set-up is not counted.");
  bool good = compare_coordinates(t, "states, rel_tol 1e-6", "1e-6 1e-8", false);
  good &= compare_coordinates(t, "states, rel_tol 1e-9", "1e-9 1e-11", false);
  good &= compare_coordinates(t, "with 4 sensitivities, rel_tol 1e-6", "1e-6 1e-8", true);
  good &= compare_coordinates(t, "with 4 sensitivities, rel_tol 1e-9", "1e-9 1e-11", true);
  return good;
}

// ---------------------------------------------------------------- text to simulation

static const Task MODELS[] = {
    {.path = "examples/frewin/frewin.mo", .stop = 0.1, .sens = {"c", "d"}},
    {.path = "examples/frewin_correct/frewin_correct.mo", .stop = 0.1, .sens = {"c", "d"}},
    {.path = "examples/mount_dae/mount_dae.mo", .stop = 0.01, .sens = {"cE1", "cE2", "dE"}},
    {.path = "examples/slider_crank/slider_crank.mo", .stop = 0.1},
    {.path = "examples/four_bar/four_bar.mo", .stop = 0.1},
    {.path = "examples/double_pendulum_cartesian/double_pendulum_cartesian.mo",
     .stop = 0.1,
     .sens = {"L1", "L2", "m2", "d"}},
    {.path = "examples/parallelogram/parallelogram.mo", .stop = 0.1},
    {.path = "examples/andrews/andrews.mo", .stop = 0.003, .sens = {"c0", "mom", "m3"}},
    {.path = "tests/ivp/car_axis.mo", .stop = 0.03, .sens = {"M", "r"}},
    {.path = "tests/ivp/crank.mo", .stop = 0.001, .sens = {"E", "Omega"}},
    {.path = "tests/ivp/wheelset.mo", .stop = 0.1, .sens = {"mu", "cx"}},
    {.path = "tests/ivp/tube.mo", .stop = 60, .sens = {"k", "nu"}},
};

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool time_text(Table *table, const Task *model, bool with_sensitivities) {
  Task t = *model;
  char what[80];
  t.text = read_file(t.path);
  t.tolerances = "1e-6 1e-8";
  t.rows = 11;
  if (!with_sensitivities) memset(t.sens, 0, sizeof t.sens);
  snprintf(what, sizeof what, "%s%s", file_name(t.path),
           with_sensitivities ? ", with sensitivities" : "");
  Contestant run = {.run = text_loop, .self = &t};
  contest_run(&run, 1, PATIENCE / 4);
  table_row(table, what, t.failed ? HUGE_VAL : run.seconds, 10e-3, GOAL_AT_MOST,
            with_sensitivities ? 0 : 1);
  free(t.text);
  return !t.failed;
}

static bool section_text(Table *t) {
  bool good = true;
  table_section(t, "Text to simulation",
                "From the text of a model in memory to the end of a short simulation with 11 "
                "outputs: reading, index "
                "reduction, derivatives, machine code, start values. The column `comparator` holds "
                "the limit.");
  for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++) {
    good &= time_text(t, &MODELS[i], false);
    if (MODELS[i].sens[0]) good &= time_text(t, &MODELS[i], true);
  }
  return good;
}

int main(void) {
  static const char FINAL[] = "bench/dae.md", GROWING[] = "bench/dae.md.new";
  FILE *f = fopen(GROWING, "w"); // replaces the old file when it is complete
  if (!f) {
    fprintf(stderr, "dae: cannot write %s (run it from the root of the project)\n", FINAL);
    return 2;
  }
  fprintf(f, "# Differential-algebraic models\n\nWritten by `make bench`; times are the least CPU "
             "time of repeated measurements.\n");
  Table *t = table_new(f);
  bool good = section_coordinates(t);
  good &= section_text(t);
  int met, missed;
  table_counts(t, &met, &missed);
  table_text(t, "\nGoals met: %d, missed: %d.\n", met, missed);
  table_free(t);
  bool written = fclose(f) == 0 && rename(GROWING, FINAL) == 0;
  return !written ? 2 : good ? 0 : 1;
}
