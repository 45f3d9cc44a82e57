// A worker process seen from the host program: started, asked, watched, ended. It is executed (posix_spawn), never forked, has a process
// group of its own, and what its simulator prints comes here through a pipe of which the last lines are kept.
#pragma once
#include <sys/types.h>

#include "base/err.h"
#include "closed/worker_message.h"

enum { PROCESS_LOG_MOST = 4096 };
static const double PROCESS_GENTLE = 0.3; // s

typedef struct Process {
  pid_t pid;
  int socket, log;
  bool log_ended;                  // it closed its standard output
  bool has_ended;                  // and was reaped
  bool left;                       // it had closed its connection and went on: it was ended
  int status;                      // as of waitpid, when it ended
  double peak;                     // bytes of memory that it used at most, when it ended
  char last[PROCESS_LOG_MOST + 1]; // of its log
  size_t last_length;
  Message in; // what has come so far of the next answer
  size_t in_have;
  unsigned long in_length;
  bool in_begun;
} Process;

// The worker program: ENTRAIN_WORKER, else entrain-worker beside this library or program, or in libexec/entrain. NULL and err if there is
// none.
const char *worker_program(Arena *a, Err *err);
Process *process_start(const char *program, Err *err); // NULL and err if it cannot be started
// Kills the whole group and waits for it. gently: it first may end by itself, within PROCESS_GENTLE, when its socket says so.
void process_end(Process *p, bool gently);
void process_free(Process *p); // after process_end; NULL is allowed

bool process_send(Process *p, const Message *m); // false: it is gone
typedef enum ProcessEvent { PROCESS_NOTHING, PROCESS_ANSWER, PROCESS_GONE } ProcessEvent;
// Waits until one of the processes has an answer or is gone, at most so many seconds; its number into *which. The answer is in
// p->in. Reads their logs meanwhile.
ProcessEvent process_wait(Process *const *list, int count, double seconds, int *which);
void process_read_log(Process *p); // what is there now
void process_clear_log(Process *p);
// Last lines of the log as visible text, at most size - 1 bytes.
void process_log(const Process *p, char *out, size_t size);
