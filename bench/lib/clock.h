// CPU time of this process, and the least time of several competitors that take turns.
#pragma once

double clock_cpu(void); // s

// Runs something `repeat` times. The same work in each.
typedef void ContestRun(void *self, int repeat);

typedef struct Contestant {
  ContestRun *run; // NULL: does not take part
  void *self;
  double seconds; // result: the least time of one repetition
} Contestant;

// Every contestant in turn, again and again, until about `seconds` have passed (at least three rounds). The number of
// repetitions is chosen so that one measurement lasts about a millisecond.
void contest_run(Contestant *c, int count, double seconds);
