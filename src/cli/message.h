// Messages on standard error, and suggestions for misspelled names.
#pragma once
#include "entrain.h"

void complain(const char *format, ...)
    __attribute__((format(printf, 1, 2)));                                  // "entrain: error: ..."
void remark(const char *format, ...) __attribute__((format(printf, 1, 2))); // "entrain: ..."
int complain_error(const EntrainError *error); // returns its exit status

// Finds the candidate nearest to a name: offer all of them, then read best (NULL: none is near).
typedef struct NearestWord {
  const char *name;
  const char *best;
  int distance;
} NearestWord;
void nearest_offer(NearestWord *n, const char *candidate);
