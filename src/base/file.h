// Reads whole files into memory, and writes files that appear complete or not at all.
//
// All that belongs to a model or a problem is read by these functions: a set of files (base/file_set.h) that is in use notes
// what they find, or takes the place of the file system. Writing knows no sets.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file_set.h"

// All bytes of a file or pipe and a closing NUL, which *length does not count (length may be NULL).
// NULL and ERR_FILE if it cannot be read or is a directory, ERR_LIMIT if it has more than
// `most` bytes. While a set notes, a path is read once: later calls return the same bytes.
char *file_read(Arena *a, const char *path, size_t most, size_t *length, Err *err);

FileKind file_kind(const char *path); // links are followed
// The names in a folder that begin with `prefix`, but not with a dot, in the order of their bytes. None if the folder cannot be
// read.
FileNames file_list(Arena *a, const char *folder, const char *prefix);
const char *file_variable(const char *name); // of the environment; NULL: not set

// All bytes, whatever interrupts. false and errno.
bool file_write_all(int fd, const void *bytes, size_t length);

// Replaces a regular file by rename: complete or, with ERR_FILE, unchanged. Keeps the
// permissions of the old one and follows links. A device or pipe is written directly. sync: the
// bytes are on the disk on return.
bool file_write(const char *path, const char *bytes, size_t length, bool sync, Err *err);
