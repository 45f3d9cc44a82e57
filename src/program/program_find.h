// Where a program is.
#pragma once
#include "base/arena.h"
#include "base/err.h"

// The path of an executable file: a name with a slash is relative to folder, others are looked up in the absolute folders of
// PATH. NULL and an error that says where it was looked for.
const char *program_find(Arena *a, const char *folder, const char *name, Err *err);
// folder/name, or the name itself if it is absolute.
const char *path_from(Arena *a, const char *folder, const char *name);
