// The folder of one run of a program: made, filled, removed or kept. Nothing here follows a link that it finds inside.
#pragma once
#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

typedef struct RunFolder {
  char *path;
  int fd; // open while the folder exists, else -1
} RunFolder;

// A name for a file in a run folder: relative, without "..", control characters or a slash at its end. Without "." and
// doubled slashes, or NULL and an error; `what` begins its sentence.
const char *run_name(Arena *a, const char *what, const char *name, Err *err);
// Whether both cannot be there: they are equal, or one would have to be a folder for the other.
bool run_names_clash(const char *a, const char *b);
// Whether the name is that of this folder, or of something below it.
bool is_below(const char *name, const char *folder);

// A new folder of its own below scratch, for its owner alone.
bool run_folder_make(RunFolder *f, Arena *a, const char *scratch, Err *err);
// A new file, with the folders on its way; complete or an error.
bool run_folder_write(const RunFolder *f, const char *name, const char *bytes, size_t length,
                      Err *err);
// The same, but a file or link of this name is replaced.
bool run_folder_replace(const RunFolder *f, const char *name, const char *bytes, size_t length,
                        Err *err);
bool run_folder_link(const RunFolder *f, const char *name, const char *target, Err *err);
// Removes it with all that is in it, folders without permissions, too. false: something is left.
bool run_folder_remove(RunFolder *f);
// The path that a descriptor leads to, without links. NULL: it has none.
char *path_of_fd(Arena *a, int fd);
DIR *folder_entries(
    int fd); // from the first one; the descriptor stays open. NULL: it cannot be read
