// Out of memory: the command ends at once with exit status 3 and says what is lost.
#pragma once

void no_memory_watch(void);        // first in main: for the library
void no_memory_note_written(void); // a result was written, complete
_Noreturn void no_memory(void);
void *needed(void *memory); // memory; never NULL
