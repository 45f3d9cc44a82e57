// A text with its name and lines, for messages that show the place.
#pragma once
#include "base/array.h"
#include "base/err.h"

enum { SOURCE_BYTES_MOST = 64 << 20, SOURCE_LINES_MOST = 10000000 };

typedef struct Source {
  const char *name; // file name, or "<text>"
  const char *text; // NUL-terminated
  size_t length;
  const size_t *line_start;
  int line_count;
  int lines_before;                  // of the texts that were read before it for the same model
  const struct SourceList *together; // all of them; NULL: this one alone
} Source;

// The texts of one model. Their lines are numbered through, so that a number tells text and line; those of the first
// text have their usual numbers.
typedef struct SourceList {
  ARRAY(const Source *) at;
} SourceList;

// The text with this line, which becomes its line there.
const Source *source_of_line(const Source *s, int *line);
// "12", or "Wheel.mo:12" where it is another text than the first.
const char *source_line_name(const Source *s, int line, char out[120]);

// Copies text into the arena, without a byte order mark. Text with NUL bytes, invalid UTF-8, more
// than 64 MiB or 10 million lines is an error.
Source *source_new(Arena *a, const char *name, const char *text, size_t length, Err *err);
Source *source_load(Arena *a, const char *path, Err *err);
// fail_at with the line and a caret below it. Returns false. source may be NULL. Columns count
// characters, not bytes.
bool source_fail(const Source *s, Err *err, ErrCode code, int line, int column, const char *format,
                 ...) __attribute__((format(printf, 6, 7)));
bool source_fail_args(const Source *s, Err *err, ErrCode code, int line, int column,
                      const char *format, va_list args);
// The line and the caret, as err->excerpt holds them (long lines are cut around the place).
void source_excerpt(const Source *s, int line, int column, char *out, size_t size);
