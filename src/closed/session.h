// The folder of temporary files of one closed model: the unpacked FMU, run folders of its workers. It is removed with the model;
// what a killed entrain left behind is removed by its workers, or when the next one starts.
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

typedef struct Session {
  char *path; // absolute, without a slash at the end
  int lock;   // descriptor of its file '.entrain-session', which says that its owner lives
} Session;

// In TMPDIR or /tmp. Removes those of the same user whose owners are gone. NULL and err if it cannot be made.
Session *session_new(Err *err);
void session_free(Session *s); // with everything in it; NULL is allowed
// Removes the session at path if its owner is gone. false: it is still there.
bool session_sweep(const char *path);
// Removes a folder with everything in it, whatever its permissions, without following links. true: it is gone.
bool folder_remove(const char *path);
