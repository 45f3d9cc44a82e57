// Starts a program in a folder, waits for its end, and leaves nothing of it behind: the process gets a session, and so a
// process group, of its own; what it leaves is killed, also what has left the group, since this process inherits orphans
// (child subreaper). Children of this process that existed before are left alone; others must not appear meanwhile.
#pragma once
#include "base/text.h"

typedef enum ProcessEnd {
  PROCESS_EXITED,    // number: its exit status
  PROCESS_SIGNALLED, // number: the signal
  PROCESS_TIMED_OUT,
  PROCESS_STOPPED,     // by run_process_stop, or patience was over
  PROCESS_NOT_STARTED, // number: errno
  PROCESS_LOST, // its end could not be seen: who else waits for the children of this process?
} ProcessEnd;

typedef struct RunProcess {
  const char *path;       // of the executable file
  char *const *arguments; // from its name on; ends with NULL
  int folder;             // descriptor of its working directory
  double timeout;         // s; 0: none
  double memory;          // bytes of address space; 0: no limit
} RunProcess;

enum { LOG_KEPT = 1 << 16 }; // bytes

// Runs it. stdin is /dev/null; of what it prints the last LOG_KEPT bytes are added to log (twice as much at most).
ProcessEnd run_process(const RunProcess *p, Text *log, int *number);

// The process that runs is ended, and so is all that asks run_process_is_stopped until run_process_begin. May be called by
// signal handlers and other threads.
void run_process_stop(void);
void run_process_begin(void);
bool run_process_is_stopped(void);
