// Values of flags: numbers, and lists with commas.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// A finite number that fills the whole text. false: it has told that --flag is wrong.
bool read_number(const char *flag, const char *text, double *value);

typedef struct Words { // heap
  char *storage;
  const char **at;
  int count;
} Words;

// "p=10" -> "p" and "10", in place. false: it has told that --flag needs name=value.
bool assignment_split(const char *flag, char *text, const char **name, const char **value);

// "x, v" -> "x" "v". Commas inside of parentheses, brackets and quotes do not separate; an empty part is an error.
bool words_split(const char *flag, const char *text, Words *out);
// The same of "p=10, q=3"; a name that stands there twice is an error, too.
bool assignments_split(const char *flag, const char *text, Words *out);
void words_done(Words *w);

typedef struct Numbers { // heap
  double *at;
  int count;
} Numbers;

// "1,2,3", or "@file" with numbers between commas, blanks or line ends; # begins a comment.
bool numbers_read(const char *flag, const char *text, Numbers *out);
void numbers_done(Numbers *n);

// The whole of a file as text; "-" is standard input. NULL: it has told why. The caller frees it.
char *read_all(const char *path, size_t *length);
