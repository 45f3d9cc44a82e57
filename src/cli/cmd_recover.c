// entrain recover: estimates known parameters from simulated measurements.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/arguments.h"
#include "cli/figures.h"
#include "cli/live_run.h"
#include "cli/message.h"
#include "cli/open_problem.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report_page.h"
#include "cli/study_run.h"

static const char *const PLACES[] = {"json", "csv", "report", NULL};

static void show_trials(Progress *p, const EntrainTrials *t) {
  char line[200];
  int at =
      snprintf(line, sizeof line, "trial %d of %d", t->done + (t->done < t->trials), t->trials);
  if (t->done)
    snprintf(line + at, sizeof line - (size_t)at, "  %d of %d succeeded  about %.0f s left",
             t->succeeded, t->done, ceil(t->seconds / t->done * (t->trials - t->done)));
  progress_show(p, line);
}

static bool listen(void *data, const EntrainTrials *t) {
  static const char *const WORDS[] = {"succeeded", "not succeeded"};
  Progress *p = data;
  const long counts[] = {t->succeeded, t->done - t->succeeded};
  p->numbers.done = t->done, p->numbers.total = t->trials;
  if (progress_is_due(p, false)) show_trials(p, t);
  p->numbers.words = WORDS, p->numbers.counts = counts, p->numbers.word_count = 2;
  bool goes = progress_follow(p, "trials");
  p->numbers.word_count = 0;
  return goes;
}

static int write_results(const Arguments *a, const EntrainProblem *problem,
                         const EntrainRecover *r) {
  Terminal t = output_terminal();
  const char *json = arguments_value(a, "json"), *csv = arguments_value(a, "csv");
  EntrainTrials trials = {.size = sizeof trials};
  entrain_recover_trials(r, &trials);
  int status = json ? write_result(json, entrain_recover_json(r)) : DONE;
  if (csv) status = worse(status, write_result(csv, entrain_recover_csv(r)));
  status = worse(status,
                 pages_write(a, problem,
                             page_wanted(a) ? entrain_recover_report(r, ENTRAIN_HTML, false) : NULL,
                             pictures_wanted(a) ? entrain_recover_figures(r) : NULL));
  if (!arguments_have(a, "quiet") && !places_take_stdout(a, PLACES))
    status = worse(status, write_result(NULL, entrain_recover_report(r, t.width, t.colour)));
  int wrong = trials.confirmed ? trials.false_certain : trials.false_fits;
  bool sound = trials.done == trials.trials && trials.succeeded > 0 && wrong == 0;
  return worse(status, sound ? DONE : NOT_REACHED);
}

static int study(const Arguments *a, const EntrainProblem *problem) {
  EntrainError error = {.size = sizeof error};
  double *truth = read_truth(a, problem);
  if (!truth) return WRONG_USE;
  Progress progress = progress_new(a);
  int status;
  if (study_begin(a, &status)) {
    EntrainRecover *r = entrain_recover_run(problem, truth, arguments_have(a, "random_starts"),
                                            listen, &progress, &error);
    progress_clear(&progress);
    if (study_end(&error, &status))
      status = worse(status, r ? write_results(a, problem, r) : complain_error(&error));
    entrain_recover_free(r);
  }
  free(truth);
  return status;
}

static int run(const Arguments *a) {
  return run_on_problem(a, PLACES, study);
}

static const Flag FLAGS[] = {
    {"truth", 0, "LIST", "true values of the parameters: p=10,q=3", "the values in the model",
     false},
    {"start", 0, "LIST", "start values of every search: p=15,q=1", "the problem file", false},
    {"random_starts", 0, NULL,
     "every search starts at a random point between the bounds, on a logarithmic scale if they "
     "span decades",
     NULL, false},
    FLAG_SET,
    FLAG_LIBRARY,
    FLAG_DATA,
    FLAG_METHOD,
    {"json", 0, "FILE", "the table as JSON; - is standard output", NULL, false},
    {"csv", 0, "FILE",
     "one row for each trial: success, objective, simulations, estimates, standard errors", NULL,
     false},
    FLAG_REPORT,
    FLAG_FIGURES,
    FLAG_STORE,
    FLAG_LIVE,
    FLAG_QUIET,
    FLAG_PROGRESS,
    {0},
};

static const char *const EXAMPLES[] = {
    "entrain recover swing.yaml --truth p=10 --noise 0.05 --trials 200",
    "How accurate are the estimates with 5 % noise, and are their intervals correct?",
    "entrain recover swing.yaml --truth p=10 --noise 0 --random_starts --trials 100",
    "From how many random starts is the truth found?",
    NULL,
};

const Command CMD_RECOVER = {
    "recover",
    "PROBLEM",
    "a study with known truth: are estimates and intervals correct?",
    "Simulates the model with known parameters (those of the model file, or --truth), at the times "
    "and with the inputs of the problem, adds noise, and estimates the parameters again; --trials "
    "sets how often. Reports bias and spread of the estimates, whether the standard errors predict "
    "the spread, how many 95 % intervals contain the truth, and how many searches ended at a wrong "
    "optimum; with --confirm on also how many have each verdict. The same --seed gives the same "
    "study. --max_seconds limits all trials together. "
    "Ctrl-C stops "
    "the study and reports the trials that are finished. PROBLEM is a YAML file ('entrain help "
    "problem' "
    "explains it). The exit status is 1 if the study was stopped, no trial succeeded, or a wrong "
    "result fits the noise (with --confirm on: was called certain).",
    FLAGS,
    OF_SIMULATION | OF_FIT | OF_NOISE,
    EXAMPLES,
    run,
};
