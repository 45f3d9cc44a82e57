#include "cli/no_memory.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "entrain.h"

enum { STATUS = 3 }; // INTERNAL

static int written; // results; only the main thread writes them

// By write and _exit: streams and exit handlers may need memory.
static void say(const char *text) {
  ssize_t put = write(STDERR_FILENO, text, strlen(text));
  (void)put;
}

void no_memory(void) {
  say(written ? "entrain: error: out of memory; results written before are complete, all others "
                "are lost\n"
              : "entrain: error: out of memory; no result was written\n");
  _exit(STATUS);
}

void no_memory_watch(void) {
  entrain_on_out_of_memory(no_memory);
}

void no_memory_note_written(void) {
  written++;
}

void *needed(void *memory) {
  if (!memory) no_memory();
  return memory;
}
