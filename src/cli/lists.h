// Values of flags: numbers, lists with commas, and files.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// The whole text must be a finite number. false: the error is printed.
bool read_number(const char *flag, const char *text, double *value);
// The number of a word in a list that ends with NULL; value NULL: the first one. false: the error is printed.
bool read_choice(const char *flag, const char *value, const char *const *words, int *index);

typedef struct Words { // heap
  char *storage;
  const char **at;
  int count;
} Words;

// "p=10" -> "p" and "10", in place. false: the error is printed.
bool assignment_split(const char *flag, char *text, const char **name, const char **value);

// "x, v" -> "x" "v". Commas inside parentheses, brackets and quotes do not separate; an empty part is an error.
bool words_split(const char *flag, const char *text, Words *out);
// The same for "p=10, q=3"; a repeated name is an error.
bool assignments_split(const char *flag, const char *text, Words *out);
void words_done(Words *w);

typedef struct Numbers { // heap
  double *at;
  int count;
} Numbers;

// "1,2,3", or "@file" with numbers between commas, blanks or line ends; # begins a comment.
bool numbers_read(const char *flag, const char *text, Numbers *out);
void numbers_done(Numbers *n);

// The contents of a file; "-" is standard input. The caller frees it. NULL: the error is printed.
char *read_all(const char *path, size_t *length);
