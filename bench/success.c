// How often each method finds the global optimum of each example from random starts, and how often the 95 % intervals
// contain the truth. Prints the tables; a full run also writes them into docs/results.md.
// usage, from the root of the project: build/bench/success [--starts N] [--trials N] [--jobs N] [--methods A,B] [FILE ...]
//   FILE: problem files instead of those of all examples; with these or other counts docs/results.md does not change
//   --starts 0 omits the first table, --trials 0 the second
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "document.h"
#include "instance/flat_model.h"
#include "lang/parse.h"
#include "model/model_build.h"
#include "problem/read_problem.h"
#include "study/assessed_fit.h"
#include "study/random_start.h"
#include "study/recover.h"
#include "study/synthetic.h"

enum { STARTS = 100, TRIALS = 200, SEED = 1, UNKNOWNS_MOST = 16, FILES_MOST = 64 };
// s of CPU time for one example and method: what is left of its starts is then omitted, and the table says so.
static const double CPU_MOST = 160;

typedef struct Settings {
  int starts, trials, jobs;
  const char *methods;
  const char *files[FILES_MOST];
  int file_count;
  bool complete; // all examples with the default settings
} Settings;

// ---------------------------------------------------------------- what counts as found

// A quantity that the data determine, computed from the unknowns of a problem.
typedef double Quantity(const Problem *p, const double *x);

static double number(const Problem *p, const double *x, const char *name) {
  for (int i = 0; i < p->unknown_count; i++)
    if (!strcmp(p->unknowns[i].name, name)) return x[i];
  return nan("");
}

static double alpha_a(const Problem *p, const double *x) {
  return number(p, x, "alpha") * number(p, x, "A");
}
static double beta_invariant(const Problem *p, const double *x) {
  return number(p, x, "beta") * pow(number(p, x, "alpha"), 1 - number(p, x, "n"));
}
static double gamma_invariant(const Problem *p, const double *x) {
  return number(p, x, "gamma") * pow(number(p, x, "alpha"), 1 - number(p, x, "n"));
}

// Examples whose data do not determine every unknown by itself.
typedef struct Exception {
  const char *folder;
  const char *skip[5];  // not determined
  const char *periodic; // determined up to a multiple of `period`
  double period;
  Quantity *instead[4];
} Exception;

static const Exception EXCEPTIONS[] = {
    {.folder = "arctan_oscillator", .periodic = "psi", .period = 2},
    {.folder = "mount_published", .skip = {"dH2"}},
    {.folder = "mr_damper",
     .skip = {"alpha", "beta", "gamma", "A"},
     .instead = {alpha_a, beta_invariant, gamma_invariant}},
    {.folder = NULL},
};

typedef struct Example {
  const char *path;
  char name[80]; // folder, or folder/file
  Problem *problem;
  const Exception *exception;
  double truth[UNKNOWNS_MOST], std_error[UNKNOWNS_MOST];
  double objective_truth; // of a search from the truth
  double size;            // V of a model that is zero
  bool noisy;
} Example;

static bool is_skipped(const Exception *e, const char *name) {
  for (int i = 0; i < 5 && e->skip[i]; i++)
    if (!strcmp(e->skip[i], name)) return true;
  return false;
}

static double distance(const Example *e, int i, const double *x) {
  const char *periodic = e->exception->periodic;
  double d = x[i] - e->truth[i];
  if (periodic && !strcmp(periodic, e->problem->unknowns[i].name))
    d = remainder(d, e->exception->period);
  return fabs(d);
}

static bool numbers_are_found(const Example *e, const double *x) {
  for (int i = 0; i < e->problem->unknown_count; i++) {
    double allowed = e->noisy ? 6 * e->std_error[i] : 1e-3 * fabs(e->truth[i]);
    if (!is_skipped(e->exception, e->problem->unknowns[i].name) && !(distance(e, i, x) <= allowed))
      return false;
  }
  for (int k = 0; k < 4 && e->exception->instead[k]; k++) {
    double truth = e->exception->instead[k](e->problem, e->truth);
    if (!(fabs(e->exception->instead[k](e->problem, x) - truth) <= 1e-3 * fabs(truth)))
      return false;
  }
  return true;
}

static bool is_found(const Example *e, const FitResult *r) {
  double allowed = e->objective_truth * (1 + 1e-6) + 1e-12 * e->size;
  return numbers_are_found(e, r->x) && (!e->noisy || r->objective <= allowed);
}

// ---------------------------------------------------------------- examples

static const Exception *find_exception(const char *path) {
  const Exception *e = EXCEPTIONS;
  while (e->folder && !strstr(path, e->folder)) e++;
  return e;
}

static void name_example(const char *path, char *out, size_t size) {
  char copy[400];
  snprintf(copy, sizeof copy, "%s", path);
  char *file = strrchr(copy, '/'), *folder;
  if (!file) {
    snprintf(out, size, "%s", path);
    return;
  }
  *file++ = 0;
  folder = strrchr(copy, '/') ? strrchr(copy, '/') + 1 : copy;
  file[strcspn(file, ".")] = 0;
  snprintf(out, size, "%.40s%s%.30s", folder, strcmp(file, "problem") ? "/" : "",
           strcmp(file, "problem") ? file : "");
}

// The model files contain the truth (the loaded problem has replaced it by the start values).
static bool take_truth(Example *e) {
  Err err = {0};
  Arena *a = arena_new();
  const Source *text = source_load(a, e->problem->model_path, &err);
  const AstModel *ast = text ? parse_model(a, text, &err) : NULL;
  Model *m = ast ? model_new(text, ast, NULL, 0, &err) : NULL;
  for (int i = 0; m && i < e->problem->unknown_count; i++) {
    int k = names_find(m->flat->parameter_names, e->problem->unknowns[i].name);
    e->truth[i] = k < 0 ? nan("") : m->flat->parameters.at[k].value;
  }
  bool ok = m != NULL;
  model_free(m);
  arena_free(a);
  return ok;
}

static void search_from_truth(Example *e) {
  Problem local = *e->problem;
  local.method = METHOD_LM;
  local.options.profiles = PROFILES_OFF;
  AssessedFit f = assessed_fit_run(&local, e->truth, 0, NULL, NULL);
  ModelValues values;
  Arena *a = arena_new();
  e->objective_truth = f.result->objective;
  for (int i = 0; i < local.unknown_count; i++)
    e->std_error[i] = f.statistics->parameters[i].std_error;
  if (model_values(&local, e->truth, a, &values, NULL)) e->size = values.size;
  e->noisy = e->objective_truth > 1e-8 * e->size; // rounded data do not count as noise
  arena_free(a);
  assessed_fit_done(&f);
}

static bool load_example(const char *path, Example *e) {
  Err err = {0};
  char text[1600];
  *e = (Example){.path = path, .exception = find_exception(path)};
  name_example(path, e->name, sizeof e->name);
  e->problem = problem_load(path, NULL, 0, &err);
  if (!e->problem) {
    err_format(&err, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return false;
  }
  if (e->problem->unknown_count > UNKNOWNS_MOST || first_unbounded(e->problem) >= 0) {
    fprintf(stderr, "%s: needs two finite bounds for each of at most %d unknowns\n", path,
            UNKNOWNS_MOST);
    problem_free(e->problem);
    return false;
  }
  bool ok = take_truth(e);
  if (ok) search_from_truth(e);
  return ok;
}

// ---------------------------------------------------------------- runs

typedef struct Run {
  bool done, found, certain;
  long simulations, sensitivity_simulations;
  double seconds, objective;
  double x[UNKNOWNS_MOST], start[UNKNOWNS_MOST];
  char by[48];
} Run;

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_one(const Example *e, Method method, int i, Run *out) {
  Random random;
  Problem p = *e->problem;
  p.method = method;
  random_seed_stream(&random, SEED, (uint64_t)i);
  random_start(&p, &random, out->start);
  double begin = processor_seconds();
  FitResult *r = fit_run(&p, out->start, NULL, NULL);
  out->seconds = processor_seconds() - begin;
  out->found = is_found(e, r);
  out->certain = r->verdict == FIT_CERTAIN;
  out->simulations = r->search_work.simulations;
  out->sensitivity_simulations = r->search_work.sensitivity_simulations;
  out->objective = r->objective;
  memcpy(out->x, r->x, sizeof(double) * (size_t)p.unknown_count);
  snprintf(out->by, sizeof out->by, "%s", r->by ? r->by : "");
  out->done = true;
  fit_free(r);
}

// Each process takes every jobs-th start and writes into its rows of the shared memory.
static bool run_all(const Example *e, Method method, const Settings *s, Run *runs) {
  bool ok = true;
  fflush(NULL);
  for (int job = 0; job < s->jobs; job++)
    if (fork() == 0) {
      for (int i = job; i < s->starts && processor_seconds() < CPU_MOST / s->jobs; i += s->jobs)
        run_one(e, method, i, &runs[i]);
      _exit(0);
    }
  for (int job = 0, status; job < s->jobs; job++) {
    wait(&status);
    ok &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  return ok;
}

// Moves those that were made to the front. Returns their number.
static int keep_done(Run *runs, int n) {
  int count = 0;
  for (int i = 0; i < n; i++)
    if (runs[i].done) runs[count++] = runs[i];
  return count;
}

// ---------------------------------------------------------------- the first table

static int compare_longs(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

typedef struct Tally {
  int found, certain, false_certain;
  long median, most, median_cost;
  double seconds;
} Tally;

static void tally(const Example *e, const Run *runs, int n, Tally *out) {
  long *work = malloc(sizeof *work * (size_t)n), *cost = malloc(sizeof *cost * (size_t)n);
  *out = (Tally){0};
  for (int i = 0; i < n; i++) {
    const Run *r = &runs[i];
    out->found += r->found;
    out->certain += r->certain;
    out->false_certain += r->certain && !r->found;
    out->seconds += r->seconds;
    work[i] = r->simulations + r->sensitivity_simulations;
    cost[i] = r->simulations + (e->problem->unknown_count + 1) * r->sensitivity_simulations;
  }
  qsort(work, (size_t)n, sizeof *work, compare_longs);
  qsort(cost, (size_t)n, sizeof *cost, compare_longs);
  out->median = work[n / 2], out->most = work[n - 1], out->median_cost = cost[n / 2];
  free(work);
  free(cost);
}

static void tell_failures(const Example *e, Method method, const Run *runs, int n) {
  for (int i = 0; i < n; i++) {
    const Run *r = &runs[i];
    if (r->found || (method == METHOD_LM && !r->certain)) continue;
    fprintf(stderr, "%s, %s, start %d:%s objective %.6g (from the truth %.6g) by %s;", e->name,
            method_word(method), i, r->certain ? " FALSE CERTIFICATE," : "", r->objective,
            e->objective_truth, r->by);
    for (int k = 0; k < e->problem->unknown_count; k++)
      fprintf(stderr, " %s %.8g (from %.6g)", e->problem->unknowns[k].name, r->x[k], r->start[k]);
    fprintf(stderr, "\n");
  }
}

static void add_row(Text *table, const Example *e, Method method, const Run *runs, int n) {
  Tally t;
  char row[300];
  tally(e, runs, n, &t);
  tell_failures(e, method, runs, n);
  snprintf(row, sizeof row, "| %s | %s | %s | %d of %d | %d | %d | %ld | %ld | %ld | %.2f |\n",
           e->name, e->noisy ? "noisy" : "exact", method_word(method), t.found, n, t.certain,
           t.false_certain, t.median, t.most, t.median_cost, 1000 * t.seconds / n);
  text_add(table, row);
  fputs(row, stdout);
  fflush(stdout);
}

static bool method_is_wanted(const Settings *s, Method m) {
  const char *word = method_word(m), *at = strstr(s->methods, word);
  size_t n = strlen(word);
  return at && (at == s->methods || at[-1] == ',') && (at[n] == ',' || at[n] == 0);
}

static bool study_example(const char *path, const Settings *s, Text *table) {
  static const Method METHODS[] = {METHOD_AUTO, METHOD_HOMOTOPY, METHOD_LM};
  Example e;
  bool ok = load_example(path, &e);
  if (!ok) return false;
  size_t bytes = sizeof(Run) * (size_t)s->starts;
  Run *runs = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (runs == MAP_FAILED) return false;
  for (int i = 0; i < 3 && ok; i++) {
    if (!method_is_wanted(s, METHODS[i])) continue;
    memset(runs, 0, bytes);
    ok = run_all(&e, METHODS[i], s, runs);
    if (ok) add_row(table, &e, METHODS[i], runs, keep_done(runs, s->starts));
  }
  munmap(runs, bytes);
  problem_free(e.problem);
  return ok;
}

static bool success_table(const Settings *s, Text *out) {
  bool ok = true;
  text_print(
      out,
      "\n## Global success\n\n"
      "Each example from %d random starts, fewer where they take long: uniform between the bounds, "
      "log-uniform where these are "
      "positive and more than a\ndecade apart. Every method has the same starts and default "
      "options. *found* with exact data: every parameter that the data\ndetermine is within 0.1 %% "
      "of the truth; with noisy data: the objective is not above that of a search from the truth, "
      "and\nthe parameters are within 6 standard errors of it. *certain*: results with that "
      "verdict (local methods have none); *wrong*: those of them that are not\nfound. *work*: "
      "simulations of the search, with and "
      "without sensitivities; *fair work* counts one with sensitivities to n parameters as n + "
      "1,\nas finite differences would need. *ms per fit*: mean CPU time.\n\n"
      "| example | data | method | found | certain | wrong | median work | largest work | "
      "median fair work | ms per fit |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | "
      "--- |\n",
      s->starts);
  for (int i = 0; i < s->file_count; i++) ok &= study_example(s->files[i], s, out);
  return ok;
}

// ---------------------------------------------------------------- the second table

typedef struct Trial {
  const char *file, *noise, *percent, *kind;
} Trial;

static const Trial COVERED[] = {
    {"examples/two_dof/problem.yaml", "0.05", "5", "additive"},
    {"examples/single_well/problem.yaml", "0.05", "5", "proportional"},
    {"examples/mount_consistent/problem.yaml", "0.01", "1", "proportional"}};

static void add_coverage(Text *out, const Trial *t, const Example *e, const Recover *r) {
  for (int i = 0; i < e->problem->unknown_count; i++) {
    const RecoverParameter *q = &r->parameters[i];
    char row[300];
    snprintf(row, sizeof row,
             "| %s | %s %% %s | %s | %.6g | %.1e | %.1e | %.1e | %.1f %% | %d of %d |\n", e->name,
             t->percent, t->kind, e->problem->unknowns[i].name, q->truth, q->bias, q->spread,
             q->predicted, 100 * q->coverage, r->succeeded, r->done);
    text_add(out, row);
    fputs(row, stdout);
  }
  fflush(stdout);
}

static void add_pooled_coverage(Text *out, const Trial *t, const Example *e, const Recover *r) {
  char row[300];
  double sum = 0;
  for (int i = 0; i < e->problem->unknown_count; i++) sum += r->parameters[i].coverage;
  snprintf(row, sizeof row, "| %s | %s %% %s | all | | | | | %.1f %% | %d of %d |\n", e->name,
           t->percent, t->kind, 100 * sum / e->problem->unknown_count, r->succeeded, r->done);
  text_add(out, row);
  fputs(row, stdout);
}

static bool study_coverage(const Trial *t, int trials, Text *out) {
  char number_of_trials[16];
  snprintf(number_of_trials, sizeof number_of_trials, "%d", trials);
  ProblemSetting settings[] = {
      {"noise", t->noise, true}, {"noise_kind", t->kind, true}, {"trials", number_of_trials, true}};
  Err err = {0};
  Example e = {.path = t->file};
  name_example(t->file, e.name, sizeof e.name);
  e.problem = problem_load(t->file, settings, 3, &err);
  if (!e.problem) return fprintf(stderr, "%s: %s\n", t->file, err.text), false;
  if (!take_truth(&e)) return false;
  Recover *r = recover_run(e.problem, e.truth, false, NULL, NULL, &err);
  if (r) {
    add_coverage(out, t, &e, r);
    add_pooled_coverage(out, t, &e, r);
  } else
    fprintf(stderr, "%s: %s\n", t->file, err.text);
  bool ok = r != NULL;
  recover_free(r);
  problem_free(e.problem);
  return ok;
}

static bool coverage_table(const Settings *s, Text *out) {
  bool ok = true;
  text_print(out,
             "\n## Intervals\n\n"
             "%d simulated data sets for each example, fitted from the start values of its "
             "problem file. *spread*: standard deviation of\nthe estimates; *predicted*: median of "
             "the standard errors; *coverage*: share of the 95 %% intervals that contain the "
             "truth, with\na standard deviation of %.1f %% over %d trials; *found*: the objective "
             "is not above that of a search from the truth.\n\n"
             "| example | noise | parameter | truth | bias | spread | predicted | coverage | found "
             "|\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
             s->trials, 100 * sqrt(0.95 * 0.05 / s->trials), s->trials);
  for (size_t i = 0; i < sizeof COVERED / sizeof *COVERED; i++)
    ok &= study_coverage(&COVERED[i], s->trials, out);
  return ok;
}

// ---------------------------------------------------------------- the command

static void read_words(int count, char **words, Settings *s) {
  for (int i = 1; i < count; i++) {
    if (!strcmp(words[i], "--starts"))
      s->starts = atoi(next_word(count, words, &i));
    else if (!strcmp(words[i], "--trials"))
      s->trials = atoi(next_word(count, words, &i));
    else if (!strcmp(words[i], "--jobs"))
      s->jobs = atoi(next_word(count, words, &i));
    else if (!strcmp(words[i], "--methods"))
      s->methods = next_word(count, words, &i);
    else if (s->file_count < FILES_MOST)
      s->files[s->file_count++] = words[i];
  }
  s->complete = s->starts == STARTS && s->trials == TRIALS && !s->file_count &&
                !strcmp(s->methods, "auto,homotopy,lm");
}

static void take_all_examples(Settings *s, glob_t *found) {
  glob("examples/*/problem.yaml", 0, NULL, found);
  glob("examples/double_hump/short.yaml", GLOB_APPEND, NULL, found);
  for (size_t i = 0; i < found->gl_pathc && s->file_count < FILES_MOST; i++)
    s->files[s->file_count++] = found->gl_pathv[i];
}

int main(int count, char **words) {
  Settings s = {STARTS, TRIALS, 2, "auto,homotopy,lm", {0}, 0, false};
  glob_t found = {0};
  Text tables;
  text_init(&tables);
  read_words(count, words, &s);
  if (!s.file_count) take_all_examples(&s, &found);
  bool ok = true;
  if (s.starts > 0) ok &= success_table(&s, &tables);
  if (s.trials > 0) ok &= coverage_table(&s, &tables);
  text_add(&tables, "\n");
  if (ok && s.complete) ok = document_write("docs/results.md", "made by make results", tables.at);
  globfree(&found);
  text_done(&tables);
  return ok ? 0 : 1;
}
