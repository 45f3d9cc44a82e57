// Words for people, on standard error.
#pragma once
#include "entrain.h"

void complain(const char *format, ...)
    __attribute__((format(printf, 1, 2)));                                  // "entrain: error: ..."
void remark(const char *format, ...) __attribute__((format(printf, 1, 2))); // "entrain: ..."
int complain_error(const EntrainError *error); // returns its exit status

// The candidate most like a name: offer them all, then look at best (NULL: none is near).
typedef struct NearestWord {
  const char *name;
  const char *best;
  int distance;
} NearestWord;
void nearest_offer(NearestWord *n, const char *candidate);
