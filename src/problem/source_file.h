// A file that a problem was read from.
#pragma once
#include "base/array.h"
#include "base/sha256.h"

typedef struct SourceFile {
  const char *path;
  bool closed;   // an FMU or a program: its length is not noted
  size_t length; // bytes
  char hash[SHA256_TEXT];
  const char *text;     // NULL: not one to show in a page
  const char *language; // of a text: "modelica" or "yaml"
} SourceFile;

typedef ARRAY(SourceFile) MadeFrom;
