#include <assert.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/visible.h"
#include "program/closed_program.h"
#include "program/run_inputs.h"
#include "program/run_keep.h"
#include "program/run_process.h"

typedef struct Run {
  Arena *arena;
  const ClosedProgram *p;
  const SimulatorCall *call;
  SimulatorAnswer *answer;
  RunFolder folder;
  Text log;
} Run;

#define END(run, outcome, ...)                                                                     \
  answer_end((run)->answer, outcome, begin_of((run)->call), __VA_ARGS__)

static double begin_of(const SimulatorCall *call) {
  return call->origin + call->start;
}

static bool refused(Run *r, const Err *err) {
  return END(r, OUTCOME_REFUSED, "the run could not be prepared: %s", err->text);
}

// ---- files

static bool write_files(Run *r, Err *err) {
  const ClosedProgram *p = r->p;
  Text text;
  text_init(&text);
  bool done = true;
  for (int i = 0; done && i < p->spec->files.count; i++) {
    text_clear(&text);
    template_write(p->files[i].template, r->call, &text);
    done = run_folder_write(&r->folder, p->files[i].name, text.at, text.length, err);
  }
  if (done && p->inputs_file) {
    text_clear(&text);
    run_inputs_write(r->call, p->spec->inputs.at, &text);
    done = run_folder_write(&r->folder, p->inputs_file, text.at, text.length, err);
  }
  text_done(&text);
  return done;
}

static bool fill_folder(Run *r) {
  const ClosedProgram *p = r->p;
  Err err = {0};
  bool done = write_files(r, &err);
  for (int i = 0; done && i < p->spec->links.count; i++)
    done = run_folder_link(&r->folder, p->links[i].name, p->links[i].target, &err);
  return done || refused(r, &err);
}

static char **make_arguments(Run *r) {
  const ProgramSpec *s = r->p->spec;
  char **arguments = ARENA_ARRAY(r->arena, char *, s->command.count + 1);
  arguments[0] = arena_copy(r->arena, s->command.at[0], strlen(s->command.at[0]));
  Text text;
  text_init(&text);
  for (int i = 1; i < s->command.count; i++) {
    text_clear(&text);
    template_write(r->p->arguments[i], r->call, &text);
    arguments[i] = arena_copy(r->arena, text.at, text.length);
  }
  text_done(&text);
  return arguments;
}

// ---- what it printed

// NUL becomes a blank; a line that was overwritten (CR) stays a line.
static void plain_lines(char *text, size_t length) {
  char *to = text;
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\r' && text[i + 1] == '\n') continue;
    *to++ = text[i] == '\r' ? '\n' : text[i] ? text[i] : ' ';
  }
  *to = 0;
}

// The end of the log as visible text, from the beginning of a line if something is left out.
static void show_log(Run *r) {
  SimulatorAnswer *answer = r->answer;
  size_t room = sizeof answer->log - 1, length = r->log.length;
  size_t taken = length < room ? length : room;
  bool cut = taken < length;
  while (cut && ((unsigned char)r->log.at[length - taken] & 0xC0) == 0x80)
    taken--; // of a character
  char *copy = arena_copy(r->arena, r->log.at + length - taken, taken);
  plain_lines(copy, taken);
  const char *tail = visible(r->arena, copy);
  if (strlen(tail) > room) tail += strlen(tail) - room, cut = true;
  const char *line = cut ? strchr(tail, '\n') : NULL;
  if (line && line[1]) tail = line + 1;
  while (cut && ((unsigned char)*tail & 0xC0) == 0x80) tail++;
  c_snprintf(answer->log, sizeof answer->log, "%s", tail);
}

static bool log_tells_of_memory(const Text *log) {
  static const char *const WORDS[] = {"bad_alloc", "Cannot allocate memory", "out of memory",
                                      "memory exhausted", "MemoryError"};
  for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
    if (strcasestr(log->at, WORDS[i])) return true;
  return false;
}

// ---- how it ended

static const char *memory_hint(const Run *r, char out[80]) {
  out[0] = 0;
  if (r->p->spec->memory > 0)
    c_snprintf(out, 80, "; it may use %g MB of memory", r->p->spec->memory / 1e6);
  return out;
}

static bool ended_by_signal(Run *r, int number, const char *hint) {
  const char *name = sigabbrev_np(number), *meaning = sigdescr_np(number);
  if (!name)
    return END(r, OUTCOME_CRASHED, "'%.100s' was ended by signal %d%s", r->p->name, number, hint);
  return END(r, OUTCOME_CRASHED, "'%.100s' was ended by SIG%s (%s)%s", r->p->name, name,
             meaning ? meaning : "", hint);
}

static bool judge(Run *r, ProcessEnd end, int number) {
  const ClosedProgram *p = r->p;
  char hint[80];
  memory_hint(r, hint);
  switch (end) {
  case PROCESS_STOPPED: return END(r, OUTCOME_STOPPED, "'%.100s' was stopped", p->name);
  case PROCESS_TIMED_OUT:
    return END(r, OUTCOME_TIMED_OUT, "'%.100s' took longer than its timeout of %g s", p->name,
               p->spec->timeout);
  case PROCESS_NOT_STARTED:
    return END(r, OUTCOME_REFUSED, "cannot start '%.300s': %s", p->path, strerror(number));
  case PROCESS_LOST: return END(r, OUTCOME_EXITED, "how '%.100s' ended cannot be seen", p->name);
  case PROCESS_EXITED:
    if (number == 0) return true;
    break;
  case PROCESS_SIGNALLED: break;
  }
  if (p->spec->memory > 0 && log_tells_of_memory(&r->log))
    return END(r, OUTCOME_NO_MEMORY, "'%.100s' ran out of memory%s", p->name, hint);
  if (end == PROCESS_SIGNALLED) return ended_by_signal(r, number, hint);
  return END(r, OUTCOME_EXITED, "'%.100s' ended with exit status %d%s", p->name, number, hint);
}

static bool execute(Run *r) {
  const ClosedProgram *p = r->p;
  RunProcess process = {.path = p->path,
                        .arguments = make_arguments(r),
                        .folder = r->folder.fd,
                        .timeout = p->spec->timeout,
                        .memory = p->spec->memory};
  int number = 0;
  ProcessEnd end = run_process(&process, &r->log, &number);
  show_log(r);
  return judge(r, end, number) &&
         run_output_read(r->arena, &r->folder, &p->output, r->call, r->answer);
}

// ---- the folder afterwards

// Behind the message, of which the end gives way if there is not enough room for both.
__attribute__((format(printf, 2, 3))) static void add_sentence(SimulatorAnswer *answer,
                                                               const char *format, ...) {
  char sentence[sizeof answer->message / 2 + 100], before[sizeof answer->message];
  va_list args;
  va_start(args, format);
  c_vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  strcpy(before, answer->message);
  size_t room = sizeof answer->message - 1 - strlen(sentence) - strlen("...; ");
  bool cut = strlen(before) > room;
  c_snprintf(answer->message, sizeof answer->message, "%.*s%s%s%s", (int)room, before,
             cut ? "..." : "", before[0] ? "; " : "", sentence);
}

static void keep_folder(Run *r) {
  Err err = {0}, why = {0};
  run_folder_replace(&r->folder, RUN_LOG, r->log.at, r->log.length, &err);
  const char *path =
      run_folder_keep(&r->folder, r->arena, r->p->spec->folder, r->call->experiment + 1, &why);
  if (path)
    add_sentence(r->answer, "the folder of the run is kept: %s", path);
  else
    add_sentence(r->answer, "the folder of the run is not kept: %s", why.text);
}

static void leave_folder(Run *r, bool again) {
  ProgramKeep keep = r->p->spec->keep;
  bool failed = r->answer->outcome != OUTCOME_REACHED_END;
  bool wanted = keep == PROGRAM_KEEP_ALL || (keep == PROGRAM_KEEP_FAILED && failed);
  if (wanted && !again && r->answer->outcome != OUTCOME_STOPPED) keep_folder(r);
  if (!run_folder_remove(&r->folder))
    add_sentence(r->answer, "the folder of the run could not be removed: %s", r->folder.path);
}

// ---- runs

static bool may_run_again(const Run *r, int tries) {
  Outcome outcome = r->answer->outcome;
  return outcome != OUTCOME_REACHED_END && outcome != OUTCOME_TIMED_OUT &&
         outcome != OUTCOME_STOPPED && tries <= r->p->spec->retries;
}

// Returns whether it is to be run once more.
static bool run_once(Run *r, const char *scratch, int tries) {
  Err err = {0};
  r->answer->rows = 0;
  r->answer->message[0] = r->answer->log[0] = 0;
  if (!run_folder_make(&r->folder, r->arena, scratch, &err)) return refused(r, &err);
  if (fill_folder(r)) execute(r);
  if (run_process_is_stopped()) END(r, OUTCOME_STOPPED, "'%.100s' was stopped", r->p->name);
  bool again = may_run_again(r, tries);
  if (!again && tries > 1 && r->answer->outcome != OUTCOME_REACHED_END)
    add_sentence(r->answer, "this was try %d of %d", tries, r->p->spec->retries + 1);
  leave_folder(r, again);
  return again;
}

void program_run(ClosedProgram *p, const char *scratch, const SimulatorCall *call,
                 SimulatorAnswer *answer) {
  assert(call->parameter_count == p->spec->parameters.count);
  assert(!p->inputs_file || call->input_count == p->spec->inputs.count);
  run_process_begin();
  answer->work = (StepCount){0};
  answer->events = 0;
  c_snprintf(answer->solver, sizeof answer->solver, "%s", p->name);
  answer->slopes_by[0] = 0;
  answer->slopes = NULL;
  if (call->slope_count)
    c_snprintf(answer->slopes_by, sizeof answer->slopes_by, "a program gives no slopes");
  bool again = true;
  for (int tries = 1; again; tries++) {
    Run r = {.arena = arena_new(), .p = p, .call = call, .answer = answer, .folder = {.fd = -1}};
    text_init(&r.log);
    again = run_once(&r, scratch, tries);
    text_done(&r.log);
    arena_free(r.arena);
  }
  visible_fixed(answer->solver, sizeof answer->solver);
  visible_fixed(answer->message, sizeof answer->message);
}
