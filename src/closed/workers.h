// The worker processes of one closed model: started when needed, kept, replaced when they die, ended with the model.
//
// A run is one message to a worker and one back. Crash, exit, hang and lack of memory of a simulator are outcomes of that run.
// Threads may call at the same time; how many workers there are changes no result.
#pragma once
#include "closed/call.h"
#include "closed/session.h"
#include "closed/worker_message.h"

typedef struct WorkerSetup {
  Message open;     // what a new worker is told first
  double timeout;   // s of a run; 0: none
  bool own_timeout; // the worker itself watches it, and needs a little longer than that
  bool gently;      // a worker may have processes of its own, which it ends itself
  bool once;        // a new worker for each run
  double memory;    // bytes that a worker may use, as it was told; 0: no limit
  const char *name; // of the simulator, for messages
} WorkerSetup;

typedef struct Workers Workers;

// Takes the message. At first one for each core runs at the same time.
Workers *workers_new(const WorkerSetup *setup);
void workers_free(Workers *w);               // NULL is allowed
void workers_set_most(Workers *w, int most); // at the same time; 0: one for each core
int workers_most(const Workers *w);
// Starts a worker, so that whatever is wrong with the simulator is known at once.
bool workers_try(Workers *w, Err *err);
// Runs all calls, several at a time, until the patience of this thread is over (base/patience.h): the outcome of those that are not
// finished is then OUTCOME_STOPPED.
void workers_run(Workers *w, const SimulatorCall *const *calls, SimulatorAnswer *const *answers,
                 int count);
