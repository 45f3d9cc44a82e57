// Writes JSON: sets commas and line ends, and writes null for numbers that are not finite.
#pragma once
#include <stdbool.h>

#include "base/text.h"

enum { JSON_DEPTH_MOST = 16 };

typedef struct Json {
  Text *out;
  int depth;
  struct {
    bool empty, lines;
    char bracket;
  } level[JSON_DEPTH_MOST];
} Json;

Json json_on(Text *out);
// Keys are NULL inside lists. bracket: '{' or '['. lines: each member on its own line.
void json_open(Json *j, const char *key, char bracket, bool lines);
void json_close(Json *j);                                    // the outermost one also ends the line
void json_text(Json *j, const char *key, const char *value); // NULL: null
void json_number(Json *j, const char *key, double value);
void json_whole(Json *j, const char *key, long value);
void json_flag(Json *j, const char *key, bool value);
void json_numbers(Json *j, const char *key, const double *values, int count);
void json_matrix(Json *j, const char *key, const double *values, int n); // n x n, by rows
