// How often 95 % intervals hold the truth when residuals are white, correlated or the objective is strongly curved. Prints the
// table; a full run also writes it into docs/results.md.
// usage, from the root of the project: build/bench/coverage [--trials N] [--jobs N] [--profiles auto|off] [NAME ...]
//   NAME: models of bench/coverage instead of all; with these or other settings docs/results.md does not change
//
// Every fit is a local search from the truth: the study is about intervals, not about finding the optimum.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "document.h"
#include "problem/read_problem.h"
#include "study/assessed_fit.h"
#include "study/synthetic.h"

enum { TRIALS = 300, SEED = 5, UNKNOWNS_MOST = 8, NAMES_MOST = 16 };

typedef struct Kind { // of noise
  const char *name;
  double correlation, slow_share;
  bool oscillating; // AR(2) instead
} Kind;

static const Kind KINDS[] = {{"white", 0, 1, false},
                             {"AR(1) 0.5", 0.5, 1, false},
                             {"AR(1) 0.9", 0.9, 1, false},
                             {"half AR(1) 0.95, half white", 0.95, 0.5, false},
                             {"oscillating AR(2)", 0, 1, true}};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

typedef struct Case { // a model with the noise that it gets
  const char *name;
  double noise; // of the rms of each channel
  bool curved;  // strongly
  bool kinds[KIND_COUNT];
} Case;

static const Case CASES[] = {{"spiking_cell", 0.05, false, {true, true, true, true, true}},
                             {"two_predators", 0.02, false, {true, true, true, true, true}},
                             {"soft_spring", 0.05, false, {true, true, true, true, true}},
                             {"epidemic", 0.05, true, {true, true, true, false, false}},
                             {"hidden_predator", 0.15, true, {true, true, true, false, false}}};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

typedef struct Settings {
  int trials, jobs;
  const char *profiles;
  const char *names[NAMES_MOST];
  int name_count;
  bool complete;
} Settings;

// ---------------------------------------------------------------- noise

// r_t = 1.6 r_(t-1) - 0.8 r_(t-2) + w_t has a period of 14 samples; from zero, the first hundred are dropped.
static void add_oscillating(double *y, int count, double size, Random *random) {
  double last = 0, before = 0, deviation = sqrt(1.8 / (0.2 * (1.8 * 1.8 - 1.6 * 1.6)));
  for (int i = -100; i < count; i++) {
    double now = 1.6 * last - 0.8 * before + random_normal(random);
    before = last, last = now;
    if (i >= 0) y[i] += size / deviation * now;
  }
}

static const Problem *noisy_problem(const Problem *p, const ModelValues *clean, const Kind *k,
                                    double noise, int trial, Arena *a) {
  Random random;
  Problem *own = ARENA_NEW(a, Problem);
  *own = *p;
  own->options.noise_correlation = k->correlation;
  own->options.noise_slow_share = k->slow_share;
  random_seed_stream(&random, SEED, (uint64_t)trial);
  if (!k->oscillating) return problem_with_samples(own, clean, NOISE_ADDITIVE, noise, &random, a);
  ModelValues values = {ARENA_ARRAY(a, double *, problem_channels(p)), clean->size};
  for (int e = 0, at = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++, at++) {
      const Channel *channel = &p->experiments[e].channels[c];
      values.y[at] = ARENA_ARRAY(a, double, channel->count);
      memcpy(values.y[at], clean->y[at], sizeof(double) * (size_t)channel->count);
      double size = noise_of_samples(channel, clean->y[at], NOISE_ADDITIVE, noise);
      add_oscillating(values.y[at], channel->count, size, &random);
    }
  return problem_with_samples(own, &values, NOISE_ADDITIVE, 0, &random, a);
}

// ---------------------------------------------------------------- trials

typedef struct Run { // by unknown
  bool done, has[UNKNOWNS_MOST], held[UNKNOWNS_MOST], profiled[UNKNOWNS_MOST];
  double estimate[UNKNOWNS_MOST], error[UNKNOWNS_MOST];
  long simulations;
} Run;

static void run_trial(const Problem *p, const ModelValues *clean, const Kind *k, double noise,
                      int trial, Run *out) {
  Arena *a = arena_new();
  double *truth = ARENA_ARRAY(a, double, p->unknown_count);
  for (int i = 0; i < p->unknown_count; i++) truth[i] = p->unknowns[i].in_model;
  const Problem *noisy = noisy_problem(p, clean, k, noise, trial, a);
  AssessedFit f = assessed_fit_run(noisy, truth, 0, NULL, NULL);
  for (int i = 0; i < p->unknown_count; i++) {
    const StatParameter *s = &f.statistics->parameters[i];
    out->has[i] = !isnan(s->ci_low) && !isnan(s->ci_high);
    out->held[i] = s->ci_low <= truth[i] && truth[i] <= s->ci_high;
    out->profiled[i] = s->interval == INTERVAL_PROFILE;
    out->estimate[i] = f.result->x[i];
    out->error[i] = s->std_error;
  }
  out->simulations = work_count_simulations(&f.result->work);
  out->done = f.result->objective < HUGE_VAL;
  assessed_fit_done(&f);
  arena_free(a);
}

static bool run_all(const Problem *p, const ModelValues *clean, const Kind *k, double noise,
                    const Settings *s, Run *runs) {
  bool ok = true;
  fflush(NULL);
  for (int job = 0; job < s->jobs; job++)
    if (fork() == 0) {
      for (int i = job; i < s->trials; i += s->jobs) run_trial(p, clean, k, noise, i, &runs[i]);
      _exit(0);
    }
  for (int job = 0, status; job < s->jobs; job++) {
    wait(&status);
    ok &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  return ok;
}

// ---------------------------------------------------------------- the table

static double share(int part, int whole) {
  return whole ? 100. * part / whole : nan("");
}

static void add_row(Text *out, const Problem *p, const Case *c, const Kind *k, const Run *runs,
                    int trials) {
  char row[400];
  double sum = 0, least = HUGE_VAL;
  int worst = 0, profiled = 0, without = 0;
  long simulations = 0;
  for (int i = 0; i < p->unknown_count; i++) {
    int held = 0, has = 0;
    for (int t = 0; t < trials; t++) {
      held += runs[t].held[i], has += runs[t].has[i], without += !runs[t].has[i];
      profiled += runs[t].profiled[i];
    }
    double covered = share(held, has);
    sum += covered;
    if (covered < least) least = covered, worst = i;
  }
  for (int t = 0; t < trials; t++) simulations += runs[t].simulations;
  snprintf(row, sizeof row, "| %s | %s | %.1f | %.1f (%s) | %.0f | %.1f | %ld |\n", c->name,
           k->name, sum / p->unknown_count, least, p->unknowns[worst].name,
           share(profiled, trials * p->unknown_count), share(without, trials * p->unknown_count),
           simulations / trials);
  text_add(out, row);
  fputs(row, stdout);
  fflush(stdout);
}

static bool study_case(const Case *c, const Settings *s, Text *out) {
  char path[200], why[700];
  snprintf(path, sizeof path, "bench/coverage/%s.yaml", c->name);
  Err err = {0};
  ProblemSetting settings[] = {{"profiles", s->profiles, true}, {"threads", "1", true}};
  Problem *p = problem_load(path, settings, 2, &err);
  if (!p) return fprintf(stderr, "%s: %s\n", path, err.text), false;
  Arena *a = arena_new();
  ModelValues clean;
  double *truth = ARENA_ARRAY(a, double, p->unknown_count);
  for (int i = 0; i < p->unknown_count; i++) truth[i] = p->unknowns[i].in_model;
  bool ok = p->unknown_count <= UNKNOWNS_MOST && model_values(p, truth, a, &clean, why);
  size_t bytes = sizeof(Run) * (size_t)s->trials;
  Run *runs = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ok &= runs != MAP_FAILED;
  for (int k = 0; k < KIND_COUNT && ok; k++) {
    if (!c->kinds[k]) continue;
    memset(runs, 0, bytes);
    ok = run_all(p, &clean, &KINDS[k], c->noise, s, runs);
    if (ok) add_row(out, p, c, &KINDS[k], runs, s->trials);
  }
  if (runs != MAP_FAILED) munmap(runs, bytes);
  arena_free(a);
  problem_free(p);
  return ok;
}

static bool is_wanted(const Settings *s, const char *name) {
  bool wanted = s->name_count == 0;
  for (int i = 0; i < s->name_count; i++) wanted |= strcmp(s->names[i], name) == 0;
  return wanted;
}

static bool coverage_table(const Settings *s, Text *out) {
  bool ok = true;
  text_print(out,
             "\n## Coverage of intervals\n\n"
             "Share of the 95 %% intervals that hold the truth, in percent, over %d simulated data "
             "sets each (standard deviation %.1f), for\nthe models of bench/coverage; noise of 2 "
             "to 15 %% of each channel. Fits begin at the truth. *mean*: over the unknowns; "
             "*worst*: the\nunknown with the smallest coverage; *profiles*: intervals that come "
             "from a profile, in percent; *none*: fits of an unknown\nwithout an interval, in "
             "percent; *simulations*: mean of a fit with its intervals. The last two models are "
             "strongly curved.\n\n"
             "| model | noise | mean | worst | profiles | none | simulations |\n"
             "| --- | --- | --- | --- | --- | --- | --- |\n",
             s->trials, 100 * sqrt(0.95 * 0.05 / s->trials));
  for (int i = 0; i < CASE_COUNT; i++)
    if (is_wanted(s, CASES[i].name)) ok &= study_case(&CASES[i], s, out);
  return ok;
}

// ---------------------------------------------------------------- the command

static void read_words(int count, char **words, Settings *s) {
  for (int i = 1; i < count; i++) {
    if (!strcmp(words[i], "--trials"))
      s->trials = atoi(next_word(count, words, &i));
    else if (!strcmp(words[i], "--jobs"))
      s->jobs = atoi(next_word(count, words, &i));
    else if (!strcmp(words[i], "--profiles"))
      s->profiles = next_word(count, words, &i);
    else if (s->name_count < NAMES_MOST)
      s->names[s->name_count++] = words[i];
  }
  s->complete = s->trials == TRIALS && !s->name_count && !strcmp(s->profiles, "auto");
}

int main(int count, char **words) {
  Settings s = {TRIALS, 2, "auto", {0}, 0, false};
  Text table;
  text_init(&table);
  read_words(count, words, &s);
  bool ok = coverage_table(&s, &table);
  text_add(&table, "\n");
  if (ok && s.complete)
    ok = document_write("docs/results.md", "coverage, made by make results", table.at);
  text_done(&table);
  return ok ? 0 : 1;
}
