#include "cli/study_run.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/live_run.h"
#include "cli/message.h"
#include "cli/no_memory.h"

const char *const STUDY_ASIDE[] = {
    "json",      "csv",     "svg",           "png",     "output",         "trace",
    "residuals", "figures", "figure_format", "report",  "report_without", "quiet",
    "progress",  "plot",    "format",        "hessian", "store",          "fork",
    "tags",      "threads", "max_seconds",   "live",    "live_port",      NULL};

// Of the command that runs.
static EntrainStudy *study;
static StudyRole role;
static bool begun;
static char name[200];

static bool is_aside(const char *flag) {
  for (int i = 0; STUDY_ASIDE[i]; i++)
    if (strcmp(STUDY_ASIDE[i], flag) == 0) return true;
  return false;
}

void study_attend(EntrainStudy *attended, StudyRole as) {
  study = attended;
  role = as;
}

bool study_is_worker(void) {
  return study && role == STUDY_WORKS;
}

void study_tell(void *data, const char *text) {
  (void)data;
  remark("%s", text ? text : "the store answers again; the work goes on");
}

// ---------------------------------------------------------------- words

typedef struct WordList {
  char **at;
  int count;
} WordList;

static void add_word(WordList *w, const char *flag, const char *value) {
  char *word;
  w->at = needed(realloc(w->at, (size_t)(w->count + 1) * sizeof *w->at));
  int length = flag ? asprintf(&word, "--%s%s%s", flag, value ? "=" : "", value ? value : "")
                    : asprintf(&word, "%s", value);
  if (length < 0) no_memory();
  w->at[w->count++] = word;
}

static void words_free(WordList *w) {
  for (int i = 0; i < w->count; i++) free(w->at[i]);
  free(w->at);
}

// A study that goes on has what it was begun with, whatever is asked of it now.
bool study_keeps_traces(const Arguments *a) {
  static const char *const FLAGS[] = {"trace",  "svg",         "png", "figures",
                                      "report", "keep_traces", NULL};
  EntrainStudyInfo info = {.size = sizeof info};
  if (strcmp(a->command->name, "compare") != 0) return false;
  if (study && role != STUDY_BEGINS && entrain_study_info(study, &info))
    return strstr(info.words, "--keep_traces") != NULL;
  for (int i = 0; FLAGS[i]; i++)
    if (arguments_have(a, FLAGS[i])) return true;
  return false;
}

// The command with its flags, each as one word; all: also those that change no result.
static WordList words_of(const Arguments *a, bool all) {
  WordList w = {0};
  add_word(&w, NULL, a->command->name);
  for (int i = 0; i < a->word_count; i++) add_word(&w, NULL, a->words[i]);
  for (int i = 0; i < a->given_count; i++) {
    const Given *g = &a->given[i];
    bool of_this_run = strcmp(g->name, "store") == 0 || strcmp(g->name, "fork") == 0 ||
                       strcmp(g->name, "live") == 0 || strcmp(g->name, "live_port") == 0;
    bool kept = all ? !of_this_run : !is_aside(g->name) && strcmp(g->name, "keep_traces") != 0;
    if (kept) add_word(&w, g->name, g->value);
  }
  if (!all && study_keeps_traces(a)) add_word(&w, "keep_traces", NULL);
  return w;
}

// ---------------------------------------------------------------- the study of a command

bool study_note(const Arguments *a) {
  begun = false;
  snprintf(name, sizeof name, "%s %s", a->command->name, a->word_count ? a->words[0] : "");
  if (study || !arguments_value(a, "store")) {
    if (!study && (arguments_have(a, "fork") || arguments_have(a, "tags"))) {
      complain("--%s goes with --store", arguments_have(a, "fork") ? "fork" : "tags");
      return false;
    }
    return true;
  }
  if (a->word_count && strcmp(a->words[0], "-") == 0) {
    complain("a study in a store needs the problem as a file, not on standard input");
    return false;
  }
  study = entrain_study_new();
  role = STUDY_BEGINS;
  return true;
}

static int threads_of(const Arguments *a) {
  int threads = 0;
  for (int i = 0; i < a->given_count; i++)
    if (strcmp(a->given[i].name, "threads") == 0) threads = atoi(a->given[i].value);
  return threads > 0 ? threads : entrain_threads();
}

static bool make_study(const Arguments *a, EntrainError *error) {
  WordList words = words_of(a, false), all = words_of(a, true);
  EntrainStudyRequest q = {.size = sizeof q,
                           .store = arguments_value(a, "store"),
                           .name = name,
                           .words = (const char *const *)words.at,
                           .word_count = words.count,
                           .all_words = (const char *const *)all.at,
                           .all_word_count = all.count,
                           .tags = arguments_value(a, "tags"),
                           .threads = threads_of(a),
                           .fork = arguments_have(a, "fork")};
  bool done = entrain_study_begin(study, &q, study_tell, NULL, error);
  words_free(&words);
  words_free(&all);
  return done;
}

static void forget(void) {
  if (role == STUDY_BEGINS) entrain_study_free(study);
  study = NULL;
  begun = false;
}

bool study_begin(const Arguments *a, int *status) {
  EntrainError error = {.size = sizeof error};
  *status = DONE;
  if (!study) return true;
  begun = role == STUDY_BEGINS ? make_study(a, &error) : entrain_study_join(study, &error);
  if (begun) return true;
  *status = complain_error(&error);
  forget();
  return false;
}

bool study_end(const EntrainError *failed, int *status) {
  EntrainError error = {.size = sizeof error};
  bool wanted = !study_is_worker();
  if (!study) return true;
  const char *why =
      failed && failed->code && failed->exit_status != NOT_REACHED ? failed->text : NULL;
  bool done = !begun || entrain_study_end(study, interrupt_asked() || live_took(), why, &error);
  if (!done) *status = complain_error(&error);
  if (!done && wanted && failed && failed->code == 0)
    remark("what was found so far follows; it is in the store as far as the store took it");
  forget();
  return wanted;
}

// ---------------------------------------------------------------- progress

static size_t put(char *line, size_t size, size_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static size_t put(char *line, size_t size, size_t at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = at < size ? vsnprintf(line + at, size - at, format, args) : 0;
  va_end(args);
  return at + (length > 0 ? (size_t)length : 0);
}

static size_t put_number(char *line, size_t size, size_t at, const char *key, double value) {
  if (isfinite(value)) return put(line, size, at, ", \"%s\": %.9g", key, value);
  return put(line, size, at, ", \"%s\": null", key);
}

static const char *time_text(double seconds, char text[32]) {
  if (seconds < 120)
    snprintf(text, 32, "%.0f s", ceil(seconds));
  else if (seconds < 7200)
    snprintf(text, 32, "%.0f min", ceil(seconds / 60));
  else
    snprintf(text, 32, "%.1f h", seconds / 3600);
  return text;
}

static bool is_success(const char *word) {
  return strcmp(word, "converged") == 0 || strcmp(word, "uncertain") == 0;
}

void study_progress_line(const EntrainStudyProgress *p, const char *of, bool json, char *line,
                         size_t size) {
  static const char *const STATES[] = {"open", "done", "failed", "limit"};
  char left[32];
  size_t at = 0;
  if (json) {
    at = put(line, size, at, "{\"study\": \"");
    for (const char *c = of; *c; c++)
      at = (unsigned char)*c < ' '
               ? put(line, size, at, "\\u%04x", (unsigned)*c)
               : put(line, size, at, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    at = put(line, size, at, "\", \"state\": \"%s\", \"done\": %ld, \"total\": %ld",
             STATES[p->state], p->done, p->total);
    at = put_number(line, size, at, "rate", p->rate);
    at = put_number(line, size, at, "seconds_left", p->seconds_left);
    at = put_number(line, size, at, "best", p->best);
    at = put(line, size, at, ", \"workers\": %d, \"lost\": %ld, \"outcomes\": {", p->workers,
             p->lost);
    for (int i = 0; i < p->word_count; i++)
      at = put(line, size, at, "%s\"%s\": %ld", i ? ", " : "", p->words[i], p->counts[i]);
    put(line, size, at, "}}");
    return;
  }
  at = put(line, size, at, "%s", of);
  if (p->total) at = put(line, size, at, "  %ld of %ld runs", p->done, p->total);
  if (p->rate > 0) at = put(line, size, at, "  %.3g/s", p->rate);
  if (isfinite(p->seconds_left))
    at = put(line, size, at, "  %s left", time_text(p->seconds_left, left));
  if (isfinite(p->best)) at = put(line, size, at, "  best %.5g", p->best);
  for (int i = 0; i < p->word_count; i++)
    if (!is_success(p->words[i])) at = put(line, size, at, "  %ld %s", p->counts[i], p->words[i]);
  put(line, size, at, "  %d worker%s", p->workers, p->workers == 1 ? "" : "s");
}

bool study_numbers(EntrainStudyProgress *out) {
  return study && begun && entrain_study_progress(study, out);
}

bool study_line(char *line, size_t size, bool json) {
  EntrainStudyProgress p = {.size = sizeof p};
  if (!study_numbers(&p)) return false;
  study_progress_line(&p, name, json, line, size);
  return true;
}

// ---------------------------------------------------------------- commands from a store

static bool is_refused(const Arguments *a, const char *const *refused) {
  for (int i = 0; i < a->given_count; i++)
    for (int k = 0; refused[k]; k++)
      if (strcmp(a->given[i].name, refused[k]) == 0) {
        complain(
            "the study in the store has the flag --%s, which a worker does not take from there",
            refused[k]);
        return true;
      }
  return false;
}

static bool is_study(const Command *c) {
  for (const Flag *f = c->flags; f->name; f++)
    if (strcmp(f->name, "store") == 0) return true;
  return false;
}

int study_run_words(const char *lines, char *const *more, int more_count,
                    const char *const *refused) {
  char *copy = needed(strdup(lines)), *at = copy, *line;
  char **words = NULL;
  int count = 0, status = WRONG_USE;
  const Command *command = NULL;
  while ((line = strsep(&at, "\n"))) {
    if (!command) {
      command = command_find(line);
      if (command && is_study(command)) continue;
      complain("the store names a command that is not a study: '%s'", line);
      free(copy);
      return WRONG_USE;
    }
    words = needed(realloc(words, (size_t)(count + 2) * sizeof *words));
    words[count++] = line;
  }
  words = needed(realloc(words, (size_t)(count + more_count + 1) * sizeof *words));
  for (int i = 0; i < more_count; i++) words[count + i] = more[i];
  Arguments stored = {0}, a = {0};
  if (command && arguments_parse(&stored, command, count, words) && !is_refused(&stored, refused) &&
      arguments_parse(&a, command, count + more_count, words) && !a.wants_help)
    status = command->run(&a);
  arguments_done(&stored);
  arguments_done(&a);
  free(words);
  free(copy);
  return status;
}
