// Reads whole files into memory, and writes files that appear complete or not at all.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

// All bytes of a file or pipe and a closing NUL, which *length does not count (length may be NULL).
// NULL and ERR_FILE if it cannot be read or is a directory, ERR_LIMIT if it has more than
// `most` bytes.
char *file_read(Arena *a, const char *path, size_t most, size_t *length, Err *err);

// All bytes, whatever interrupts. false and errno.
bool file_write_all(int fd, const void *bytes, size_t length);

// Replaces a regular file by rename: complete or, with ERR_FILE, unchanged. Keeps the
// permissions of the old one and follows links. A device or pipe is written directly. sync: the
// bytes are on the disk on return.
bool file_write(const char *path, const char *bytes, size_t length, bool sync, Err *err);
