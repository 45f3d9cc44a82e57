#include "lang/source_warn.h"

void source_warn_args(const Source *s, Warnings *w, int line, int column, const char *format,
                      va_list args) {
  s = source_of_line(s, &line);
  char excerpt[sizeof((Err *)0)->excerpt];
  source_excerpt(s, line, column, excerpt, sizeof excerpt);
  warn_args(w, (Place){s ? s->name : NULL, line, column}, excerpt, format, args);
}

void source_warn(const Source *s, Warnings *w, int line, int column, const char *format, ...) {
  va_list args;
  va_start(args, format);
  source_warn_args(s, w, line, column, format, args);
  va_end(args);
}
