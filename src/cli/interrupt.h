// Ctrl-C and SIGTERM: the first one asks for a clean end, the second one ends the process at once.
#pragma once
#include <stdbool.h>

void interrupt_watch(void); // installs the handlers
bool interrupt_asked(void); // a signal has come
