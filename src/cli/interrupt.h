// Ctrl-C, SIGTERM and SIGHUP. The first one ends what runs with what was reached; where nothing was reached yet, at once
// with a message and exit status 1. The second one ends the process at once.
#pragma once
#include <stdbool.h>

void interrupt_watch(void); // installs the handlers; the first thing in main
// The command has read its input and begins to compute: as soon as the library asks, it ends by itself, with a result.
void interrupt_compute(void);
void interrupt_reached(
    void); // there is a result: a signal does not end the process before it is written
bool interrupt_asked(void); // a signal has come, or interrupt_stop
void interrupt_stop(void);  // ends what runs, as the first signal does
bool interrupt_signalled(void);
// A file that must not stay behind when a signal ends the process; NULL: none. Keeps the pointer.
void interrupt_remove(const char *path);
