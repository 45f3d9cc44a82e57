// Files that a pattern names: runs/*.csv, day?/run[0-9].csv.
#pragma once
#include "base/file.h"

bool has_pattern(const char *path); // it contains *, ? or [
// * stands for any characters, ? for one, [abc], [a-z] and [!a-z] for one of (or none of) these. A name, without folders.
bool pattern_matches(const char *pattern, const char *name);
// As people count: digits compare as the numbers that they form (run2 before run10), all else by bytes.
int natural_order(const char *a, const char *b);
// The regular files that match, in natural order. Names that begin with a dot match nothing.
FileNames pattern_files(Arena *a, const char *pattern);
