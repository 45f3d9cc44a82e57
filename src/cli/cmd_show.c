// entrain show: what a store of studies holds.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/lists.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/study_run.h"

static bool read_whole(const Arguments *a, const char *flag, long *out) {
  const char *text = arguments_value(a, flag);
  double value = 0;
  char dashed[40];
  *out = 0;
  if (!text) return true;
  snprintf(dashed, sizeof dashed, "--%s", flag);
  if (!read_number(dashed, text, &value)) return false;
  *out = (long)value;
  if (value >= 1 && value <= 1e9 && value == (double)*out) return true;
  complain("--%s must be a whole number above 0, not %s", flag, text);
  return false;
}

static int write_or_complain(const char *path, char *text, const EntrainError *error) {
  return text ? write_result(path, text) : complain_error(error);
}

static int show(const Arguments *a, EntrainStore *s, long study, long best) {
  const char *json = arguments_value(a, "json"), *csv = arguments_value(a, "csv");
  EntrainError error = {.size = sizeof error};
  Terminal t = output_terminal();
  int status = DONE;
  if (json) status = write_or_complain(json, entrain_store_json(s, study, best, &error), &error);
  if (csv)
    status =
        worse(status, write_or_complain(csv, entrain_store_csv(s, study, best, &error), &error));
  if (!json && !csv)
    status = write_or_complain(
        NULL, entrain_store_report(s, study, best, t.width, t.colour, &error), &error);
  return status;
}

// The newest open study, or the newest at all.
static bool choose(EntrainStore *s, long study, EntrainStudyInfo *out) {
  EntrainStudyInfo one = {.size = sizeof one};
  bool found = false;
  int count = entrain_store_count(s);
  for (int i = 0; i < count; i++) {
    if (!entrain_store_study(s, i, &one) || (study && one.number != study)) continue;
    if (!found || one.state == ENTRAIN_STUDY_OPEN || out->state != ENTRAIN_STUDY_OPEN) *out = one;
    found = true;
  }
  return found;
}

static int watch(const Arguments *a, EntrainStore *s, long study) {
  Progress p = progress_new(a);
  bool json = p.json;
  Terminal t = output_terminal();
  p.on = p.rewrites = false;
  p.escapes = t.colour, p.width = t.width;
  bool rewrites = isatty(STDOUT_FILENO) && !json;
  EntrainStudyProgress numbers = {.size = sizeof numbers};
  EntrainStudyInfo info = {.size = sizeof info};
  char line[2000], name[300];
  do {
    if (!choose(s, study, &info)) {
      complain("the store has no study%s", study ? " of this number" : "");
      return WRONG_USE;
    }
    snprintf(name, sizeof name, "%ld: %s", info.number, info.name);
    if (!entrain_store_progress(s, info.number, &numbers)) return INTERNAL;
    study_progress_line(&numbers, json ? info.name : name, json, line, sizeof line);
    if (rewrites)
      progress_rewrite(&p, stdout, line);
    else
      printf("%s\n", line);
    fflush(stdout);
    if (info.state != ENTRAIN_STUDY_OPEN) break;
    entrain_store_rest(s, rewrites ? 0.5 : 1);
  } while (!interrupt_asked());
  if (rewrites) printf("\n");
  return DONE;
}

static int run(const Arguments *a) {
  EntrainError error = {.size = sizeof error};
  long study, best;
  if (!read_whole(a, "study", &study) || !read_whole(a, "best", &best)) return WRONG_USE;
  const char *json = arguments_value(a, "json"), *csv = arguments_value(a, "csv");
  if ((json && !output_can_write(json)) || (csv && !output_can_write(csv))) return WRONG_USE;
  interrupt_compute();
  EntrainStore *s = entrain_store_open(a->words[0], false, study_tell, NULL, &error);
  if (!s) return complain_error(&error);
  int status = arguments_have(a, "watch") ? watch(a, s, study) : show(a, s, study, best);
  entrain_store_close(s);
  return status;
}

static const Flag FLAGS[] = {
    {"study", 0, "N", "this study", "all of them; of a store with one study, that", false},
    {"best", 0, "N", "so many of the runs with the least objectives",
     "10 in the report, all in files", false},
    {"watch", 'w', NULL, "follows a study that runs, also on another machine, until it is done",
     NULL, false},
    {"json", 0, "FILE", "studies, or one study with its runs, as JSON; - is standard output", NULL,
     false},
    {"csv", 0, "FILE", "the runs of one study as a table; - is standard output", NULL, false},
    {"progress", 0, "[=json]", "with --watch: =json: one object a line", NULL, false},
    {0},
};

static const char *const EXAMPLES[] = {
    "entrain show map.db",
    "The studies of a store, or the only one: what is done, how runs ended, the best ones",
    "entrain show postgresql://server/studies --watch",
    "Follows the study that runs: done, rate, time left, best objective, workers",
    "entrain show map.db --study 2 --csv runs.csv",
    "All runs of study 2 as a table",
    NULL,
};

const Command CMD_SHOW = {
    "show",
    "STORE",
    "shows the studies of a store, while they run and afterwards",
    "Lists the studies of a store: command, state (open, done, failed, or ended by its limit of "
    "time), runs, best objective. Of one study: how its runs ended, and the best of them; --csv "
    "and "
    "--json write all runs. --watch follows a study while it runs.",
    FLAGS,
    0,
    EXAMPLES,
    run,
};
