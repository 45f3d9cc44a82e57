// The files that a problem was read from, with what they hold now: the problem file, model, libraries and data. Of a simulator the FMU or
// the program that is called; what these read themselves is not known.
#pragma once
#include "base/array.h"
#include "base/sha256.h"
#include "problem/problem.h"

typedef struct SourceFile {
  const char *path;
  size_t length;
  char hash[SHA256_TEXT];
  const char *text;     // NULL: not one to show in a page
  const char *language; // of a text: "modelica" or "yaml"
} SourceFile;

typedef ARRAY(SourceFile) MadeFrom;

// Files that cannot be read any more, and what is no file (standard input), are left out. Lives in a.
MadeFrom made_from(Arena *a, const Problem *p);
