// entrain resume: goes on with a study of a store, and gives its result.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/interrupt.h"
#include "cli/lists.h"
#include "cli/live_run.h"
#include "cli/message.h"
#include "cli/no_memory.h"
#include "cli/study_run.h"

// The flags of the resuming command that belong to the study's command.
static int pass_on(const Arguments *a, char **words) {
  static const char *const OWN[] = {"study", "simulators", "fork", "page_only", NULL};
  int count = 0;
  for (int i = 0; i < a->given_count; i++) {
    const Given *g = &a->given[i];
    bool own = false;
    for (int k = 0; OWN[k]; k++) own |= strcmp(OWN[k], g->name) == 0;
    if (own) continue;
    if (asprintf(&words[count], "--%s%s%s", g->name, g->value ? "=" : "",
                 g->value ? g->value : "") < 0)
      no_memory();
    count++;
  }
  return count;
}

// Files of this machine that have changed since: to go on would mix two studies. Where all of them are here, closed simulators
// among them, they are used; else those of the store.
static int check_files(const Arguments *a, EntrainStudy *s) {
  EntrainStudyInfo info = {.size = sizeof info};
  int missing, status = DONE;
  char *changes = entrain_study_changes(s, &missing);
  entrain_study_info(s, &info);
  if (changes && changes[0]) {
    complain(
        "study %ld in '%s' was begun with other files: %s. Put them back, run it where they are "
        "not (the store has those of the study), or begin a new study with its command and "
        "--fork",
        info.number, a->words[0], changes);
    status = WRONG_USE;
  } else if (missing == 0 && !arguments_have(a, "simulators")) {
    entrain_study_use_files(s);
  }
  entrain_text_free(changes);
  return status;
}

static bool read_study_number(const Arguments *a, long *number) {
  const char *text = arguments_value(a, "study");
  double value = 0;
  *number = 0;
  if (!text) return true;
  if (!read_number("--study", text, &value)) return false;
  if (value >= 1 && value == (double)(long)value) {
    *number = (long)value;
    return true;
  }
  complain("--study must be the number of a study, not %s; 'entrain show' lists them", text);
  return false;
}

static int go_on(const Arguments *a, EntrainStore *store, long number) {
  EntrainError error = {.size = sizeof error};
  EntrainAttendant me = {.size = sizeof me,
                         .threads = entrain_threads(),
                         .simulators = arguments_value(a, "simulators")};
  EntrainStudy *s = entrain_store_resume(store, &me, number, &error);
  if (!s) return complain_error(&error);
  int status = check_files(a, s);
  if (status == DONE) {
    static const char *const NONE[] = {NULL};
    EntrainStudyInfo info = {.size = sizeof info};
    char **words = needed(calloc((size_t)a->given_count + 1, sizeof *words));
    int count = pass_on(a, words);
    entrain_study_info(s, &info);
    study_attend(s, STUDY_RESUMES);
    status = study_run_words(arguments_have(a, "page_only") ? info.words : info.all_words, words,
                             count, NONE);
    study_attend(NULL, STUDY_BEGINS);
    for (int i = 0; i < count; i++) free(words[i]);
    free(words);
  }
  entrain_study_free(s);
  return status;
}

static int run(const Arguments *a) {
  EntrainError error = {.size = sizeof error};
  long number;
  if (!read_study_number(a, &number)) return WRONG_USE;
  EntrainStore *store = entrain_store_open(a->words[0], false, study_tell, NULL, &error);
  if (!store) return complain_error(&error);
  int status = go_on(a, store, number);
  entrain_store_close(store);
  return status;
}

static const Flag FLAGS[] = {
    {"study", 0, "N", "its number, as 'entrain show' lists it", "the newest", false},
    {"json", 0, "FILE", "the result as JSON; - is standard output", "as when it was begun", false},
    {"csv", 0, "FILE", "the runs as CSV, of the commands that have this flag", NULL, false},
    {"output", 'o', "FILE", "file for the result, of the commands that have this flag", NULL,
     false},
    {"svg", 0, "FILE", "a picture, of the commands that have this flag", NULL, false},
    {"png", 0, "FILE", "the same as PNG", NULL, false},
    {"trace", 0, "FILE", "CSV of the steps, of the commands that have this flag", NULL, false},
    {"residuals", 0, "FILE", "CSV of the residuals of a fit", NULL, false},
    {"report", 0, "FILE", "the result as one HTML page", NULL, false},
    {"report_without", 0, "LIST", "leaves the model, the data or both out of that page", NULL,
     false},
    {"plot", 'p', "[=off]", "draws in the terminal, of the commands that have this flag", NULL,
     false},
    {"figures", 0, "DIR", "a folder for pictures", NULL, false},
    {"figure_format", 0, "svg|png|pdf|all", "format of these pictures; several with commas",
     "as when it was begun, or svg", false},
    {"threads", 'j', "N", "simulations side by side", "one for each core", false},
    {"max_seconds", 0, "NUMBER",
     "time limit of the whole study, what was spent before included; 0: none",
     "as when it was begun", false},
    {"simulators", 0, "DIR",
     "folder with the closed simulators of the problem, if it is resumed where they are not beside "
     "it",
     NULL, false},
    FLAG_LIVE,
    {"page_only", 0, NULL, "of report: files of the first command are not written again", NULL,
     true},
    FLAG_QUIET,
    FLAG_PROGRESS,
    {0},
};

static const char *const EXAMPLES[] = {
    "entrain resume map.db",
    "Goes on with the study after the machine was switched off, and prints its result",
    "entrain resume postgresql://server/studies --study 3 --json result.json",
    "The result of study 3, computed as far as it is not there yet",
    NULL,
};

const Command CMD_RESUME = {
    "resume",
    "STORE",
    "goes on with a study of a store, and gives its result",
    "Goes on with a study that was begun with --store and ended before it was done: by Ctrl-C, a "
    "crash or a power failure. What is recorded is not computed again, and the result is the same "
    "bit for bit as without the interruption; times excepted. Of a study that is done only the "
    "result is given again. Files of results are written as the first command said, or as the "
    "flags "
    "say. Problem, model and data come from the store; where they also lie on this machine and "
    "have "
    "changed since, resume refuses. The same version of entrain must go on, on a machine that "
    "computes alike ('entrain show' tells). The command with the same --store does the same.",
    FLAGS,
    0,
    EXAMPLES,
    run,
};
