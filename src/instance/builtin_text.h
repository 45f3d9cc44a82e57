// The library that the program brings along: lib/*.mo, part of the program file.
#pragma once
#include <stddef.h>

// The text of lib/<name>.mo, NULL if there is none.
const char *builtin_text(const char *name, size_t *length);
