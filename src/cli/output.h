// Writes results to standard output and to files.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "cli/command.h"

// path NULL or "-": standard output. A file appears whole or not at all: it is written under another name and renamed.
// A broken pipe is no error. false: the error is printed.
bool output_write(const char *path, const char *text, size_t length);
bool output_print(const char *text); // to standard output
// Checks before a long computation that its result can be written there. false: the error is printed.
bool output_can_write(const char *path);
// Both paths name the same file, or are both "-". Devices do not count: they may be written twice.
bool output_is_same(const char *a, const char *b);

// Removes a file of an earlier run, with a remark: there is no new one that could replace it.
void output_forget(const char *path);

// Write a text, or bytes, of the library and free it. They return the exit status; NULL after a signal: there was no time to
// make it; else INTERNAL. Every file of a command is attempted, and the report comes last: see worse.
int write_result(const char *path, char *text);
int write_bytes(const char *path, char *bytes, size_t length);
// The same for a picture; NULL: prints the sentence `nothing`, forgets the file and returns NOT_REACHED.
int write_picture(const char *path, char *bytes, size_t length, const char *nothing);

int worse(int a, int b); // of two exit statuses

typedef struct Terminal {
  int width, height;
  bool colour;
  bool pictures; // it shows Braille and other characters of Unicode: pictures are welcome there
} Terminal;

// The terminal of standard output; 80 by 24 without colour if that is not a terminal. COLUMNS, LINES, TERM=dumb and NO_COLOR
// are obeyed.
Terminal output_terminal(void);
Terminal error_terminal(void); // that of standard error
