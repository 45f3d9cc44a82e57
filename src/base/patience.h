// Whether a long computation goes on: one question for every loop that may take longer than 50 ms.
//
// Who owns a computation begins a Patience around it: a time limit, a listener, or both. From then until its end all that
// runs in the same thread, in whatever layer, asks it and those around it by patience_lasts. A loop that hears no returns at
// once with whatever it has; its callers ask, too, hear the same, and drop what is not complete. Threads of a pool ask for
// whoever collects their jobs.
#pragma once
#include <pthread.h>
#include <stdbool.h>

typedef struct Patience {
  bool (*goes_on)(void *data); // called in this thread, some fifty times a second; NULL: nobody
  void *data;
  double until; // seconds of the clock; 0: no limit
  // s. After a no from around, what is inside goes on for so long: statistics and files of what was reached.
  double grace;
  bool
      by_work; // its no follows from the work that was done, or counts for one run of a study alone
  bool of_thread; // it counts for whatever the thread computes, also for what a listener computes
  // How things stand.
  bool over;              // the answer was no, and stays no
  bool ending, asking;    // in the grace; in a call of goes_on
  double asked;           // s, time of the last call
  struct Patience *outer; // around it
} Patience;

// Seconds for what follows an end: a user who has pressed Ctrl-C waits.
#define PATIENCE_GRACE 0.2

// A limit for `until`: so many seconds from now, less those that are spent; 0: none.
double patience_until(double seconds);
// Time limits that begin in this thread count so many seconds more: those that were spent on the same work before.
void patience_set_spent(double seconds);
double patience_spent(void);

void patience_begin(Patience *p); // keeps the pointer until patience_end
void patience_end(Patience *p);   // the one around it is asked again

// Whether the computation goes on. work: about how many numbers have been computed since the last question; the clock is read
// and owners are asked after many of them. A false answer is final. Without a Patience: true.
#define PATIENCE_LOOK 100000 // work after which the clock is read: less than some milliseconds
extern _Thread_local long patience_left __attribute__((tls_model("initial-exec"))); // of this work
bool patience_look(void);
static inline bool patience_lasts(long work) {
  patience_left -= work;
  return patience_left > 0 || patience_look();
}
// The same at once, for the places between simulations: the innermost owner is asked in every call.
bool patience_asks(void);

// Waits for a lock whose holder may take long, and asks meanwhile: the holder may be a thread that only this one can stop.
// false: it is over, and the lock is not held.
bool patience_lock(pthread_mutex_t *lock);

// Whether the clock or a user has ended anything in this thread, also inside of what has ended since, after the last
// patience_forget_cut. From then on what is computed depends on the moment.
bool patience_was_cut(void);
void patience_cut(void); // it was, as the caller knows
void patience_forget_cut(void);

bool patience_is_late(void); // a time limit has passed, of the innermost or of one around it

// For threads and fibers: a fiber takes the Patience that it is in with it.
Patience *patience_swap(Patience *innermost); // returns what it was

// Around a call of a listener of users. What they compute in it is theirs: those who wait for the listener's answer, who would
// call it again, are not asked, and only a Patience of the thread ends it.
typedef struct PatienceLeft {
  Patience *innermost;
  bool was_cut;
} PatienceLeft;
PatienceLeft patience_leave(void);
bool patience_return(PatienceLeft to, bool answer); // the answer

// ---- pauses

// The clock, without the pauses of the computation that this thread takes part in: for limits of time, and for times of work.
double patience_clock(void); // s
// Called where an owner is asked: the computation waits here as long as `waits` says so and those around go on. The other
// threads of the computation wait at their next question. A pause inside of a pause returns at once.
void patience_pause(bool (*waits)(void *data), void *data);
// In between this thread neither makes a pause nor waits in one: it holds something that others need meanwhile.
void patience_forbid_pauses(void);
void patience_allow_pauses(void);

typedef struct Pauses Pauses; // of one computation
Pauses *
patience_pauses(void); // of this thread; they last as long as the thread that began the computation
void patience_share(Pauses *of); // this thread takes part in that computation
