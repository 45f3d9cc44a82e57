// Errors as values: code, place and a sentence. The library never prints them.
#pragma once
#include <stdarg.h>
#include <stdbool.h>

typedef enum ErrCode {
#define ERR(name, status, meaning) ERR_##name,
#include "base/err.def"
#undef ERR
} ErrCode;

// A place in a text. line and column count from 1; 0 means unknown.
typedef struct Place {
  const char *file; // borrowed
  int line, column;
} Place;

typedef struct Err {
  ErrCode code;
  int line, column; // 0: no place
  char file[240];
  char text[800];    // the sentence
  char excerpt[400]; // the source line and, below it, a caret; may be empty
} Err;

// Both fill err, unless it is NULL or already contains an error (the first one counts), and return false.
bool fail(Err *err, ErrCode code, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool fail_at(Err *err, ErrCode code, Place at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool fail_args(Err *err, ErrCode code, Place at, const char *format, va_list args);

int err_exit_status(ErrCode code);
const char *err_meaning(ErrCode code);
// "file:line:column: error: text\nexcerpt" without a final newline.
void err_format(const Err *err, char *out, int size);
