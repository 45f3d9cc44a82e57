// Warnings: what looks wrong but does not stop the work. Collected, never printed by the library.
#pragma once
#include <stdarg.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/err.h"

enum { WARNINGS_MOST = 100 }; // kept; a text that is wrong everywhere needs no more

typedef struct Warnings {
  ARRAY(Err) list; // their code is ERR_NONE
  Arena *arena;
  int left_out; // beyond WARNINGS_MOST
} Warnings;

// Each does nothing when w is NULL, or has the same warning for the same place. excerpt is copied; NULL or "" when there is none.
void warn_at(Warnings *w, Place at, const char *excerpt, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void warn_args(Warnings *w, Place at, const char *excerpt, const char *format, va_list args);
// "file:line:column: warning: text\nexcerpt" without a final newline.
void warning_format(const Err *warning, char *out, int size);
