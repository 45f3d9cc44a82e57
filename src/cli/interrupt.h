// Ctrl-C and SIGTERM as a wish: the first one asks for a clean end, the second one ends at once.
#pragma once
#include <stdbool.h>

void interrupt_watch(void); // from now on
bool interrupt_asked(void); // somebody wants an end
