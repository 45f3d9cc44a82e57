// Texts of others as a terminal may show them. Control characters, characters that change the direction of writing, and bytes
// that are not UTF-8 become \x1b or \u202e; line ends and tabs stay. What is read from model texts, problem files and tables
// is made visible where it is read, names of files and arguments where a message or a report names them.
#pragma once
#include <stddef.h>

#include "base/arena.h"

const char *visible(Arena *a, const char *text); // text itself if it has no such character
void visible_fixed(char *text, size_t size);     // in place, in a buffer of this size; cut to fit
