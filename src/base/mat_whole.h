// Whether a MAT file is whole: libmatio reads files that were cut off or damaged as whatever its memory holds.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// Its parts lie inside of each other as they must. Compressed parts are not looked into.
bool mat_is_whole(const char *bytes, size_t length);

// Of a file that is whole: the compressed parts of version 5 are what was written, by the checksum of each. Needs no memory,
// and time in proportion to the numbers, which a small file can have many of: for a process of limited time.
// libmatio has been loaded, and zlib with it; false also if it has not.
bool mat_checksums_hold(const char *bytes, size_t length);
