// A warning that shows its place in a source text.
#pragma once
#include "base/warnings.h"
#include "lang/source.h"

// source may be NULL: then the warning has a place but shows no line.
void source_warn(const Source *s, Warnings *w, int line, int column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void source_warn_args(const Source *s, Warnings *w, int line, int column, const char *format,
                      va_list args);
