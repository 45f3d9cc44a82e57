#include "write/json.h"

#include <assert.h>
#include <math.h>

Json json_on(Text *out) {
  return (Json){.out = out};
}

static void indent(Json *j) {
  text_print(j->out, "\n%*s", 2 * j->depth, "");
}

// Writes the separator after the previous member, then the key.
static void begin(Json *j, const char *key) {
  if (j->depth) {
    bool first = j->level[j->depth - 1].empty, lines = j->level[j->depth - 1].lines;
    j->level[j->depth - 1].empty = false;
    if (!first) text_add(j->out, lines ? "," : ", ");
    if (lines) indent(j);
  }
  if (!key) return;
  text_add_json(j->out, key);
  text_add(j->out, ": ");
}

void json_open(Json *j, const char *key, char bracket, bool lines) {
  assert(j->depth < JSON_DEPTH_MOST);
  begin(j, key);
  text_add_bytes(j->out, &bracket, 1);
  j->level[j->depth].empty = true;
  j->level[j->depth].lines = lines;
  j->level[j->depth].bracket = bracket;
  j->depth++;
}

void json_close(Json *j) {
  j->depth--;
  if (j->level[j->depth].lines && !j->level[j->depth].empty) indent(j);
  text_add(j->out, j->level[j->depth].bracket == '{' ? "}" : "]");
  if (j->depth == 0) text_add(j->out, "\n");
}

void json_text(Json *j, const char *key, const char *value) {
  begin(j, key);
  if (value)
    text_add_json(j->out, value);
  else
    text_add(j->out, "null");
}

void json_number(Json *j, const char *key, double value) {
  begin(j, key);
  if (isfinite(value))
    text_add_number(j->out, value);
  else
    text_add(j->out, "null");
}

void json_whole(Json *j, const char *key, long value) {
  begin(j, key);
  text_print(j->out, "%ld", value);
}

void json_flag(Json *j, const char *key, bool value) {
  begin(j, key);
  text_add(j->out, value ? "true" : "false");
}

void json_numbers(Json *j, const char *key, const double *values, int count) {
  json_open(j, key, '[', false);
  for (int i = 0; i < count; i++) json_number(j, NULL, values[i]);
  json_close(j);
}

void json_matrix(Json *j, const char *key, const double *values, int n) {
  json_open(j, key, '[', n > 1);
  for (int i = 0; i < n; i++) json_numbers(j, NULL, values + (long)i * n, n);
  json_close(j);
}
