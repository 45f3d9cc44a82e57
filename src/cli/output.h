// Results to standard output and to files.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// path NULL or "-": standard output. A file appears whole or not at all: it is written under another name and renamed.
// A reader that went away (a broken pipe) is no error. false: it has told why.
bool output_write(const char *path, const char *text, size_t length);
bool output_print(const char *text); // to standard output
// Whether a file can be put there, before hours are spent on what goes into it. false: it has told why.
bool output_can_write(const char *path);
// One file under two names; devices may be written twice, standard output ("-") may not.
bool output_is_same(const char *a, const char *b);

typedef struct Terminal {
  int width, height;
  bool colour;
} Terminal;

Terminal
output_terminal(void); // of standard output; 80 by 24 without colour when it is not a terminal
