// The processes that descend from this one, as /proc shows them, and their end.
#pragma once
#include <sys/types.h>

typedef struct Children { // heap; children_find / children_done
  pid_t *at;
  int count, room;
} Children;

void children_find(Children *c); // those of this process; looks at /proc only if there are any
void children_done(Children *c);
// Ends all descendants of this process, but for the children that are named and what descends from them, and waits for them:
// those whose parents have ended are children of this process if it is a child subreaper. Gives up after some seconds
// (a process that the kernel does not end).
void kill_descendants(const Children *except);
