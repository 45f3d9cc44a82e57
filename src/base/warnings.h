// Warnings: things that look wrong but do not stop the work. The library collects them and never prints.
#pragma once
#include <stdarg.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/err.h"

enum { WARNINGS_MOST = 100 }; // more are only counted

typedef struct Warnings {
  ARRAY(Err) list; // their code is ERR_NONE
  Arena *arena;
  int left_out; // beyond WARNINGS_MOST
} Warnings;

// Each does nothing if w is NULL or already has this warning for this place. excerpt is copied; NULL or "": none.
void warn_at(Warnings *w, Place at, const char *excerpt, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void warn_args(Warnings *w, Place at, const char *excerpt, const char *format, va_list args);
// Of a sentence that was said at more than two places only the first stays, and says at which others it holds.
void warnings_sum(Warnings *w);
// "file:line:column: warning: text\nexcerpt" without a final newline.
void warning_format(const Err *warning, char *out, int size);
