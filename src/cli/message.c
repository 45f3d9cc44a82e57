#include "cli/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/no_memory.h"

static void say(const char *kind, const char *format, va_list args) {
  char *text = NULL;
  if (vasprintf(&text, format, args) < 0) no_memory();
  char *shown = entrain_text_visible(text);
  fprintf(stderr, "entrain: %s%s\n", kind, shown);
  entrain_text_free(shown);
  free(text);
}

void complain(const char *format, ...) {
  va_list args;
  va_start(args, format);
  say("error: ", format, args);
  va_end(args);
}

void remark(const char *format, ...) {
  va_list args;
  va_start(args, format);
  say("", format, args);
  va_end(args);
}

int complain_error(const EntrainError *error) {
  char text[sizeof(EntrainError) + 100];
  entrain_error_format(error, text, sizeof text);
  fprintf(stderr, "%s%s\n", error->file[0] ? "" : "entrain: ", text);
  return error->exit_status;
}

enum { NAME_MOST = 64 };

// Levenshtein distance: letters to insert, delete or replace.
static int distance(const char *a, const char *b) {
  int na = (int)strlen(a), nb = (int)strlen(b), row[NAME_MOST + 1];
  if (na > NAME_MOST || nb > NAME_MOST) return NAME_MOST;
  for (int j = 0; j <= nb; j++) row[j] = j;
  for (int i = 1; i <= na; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      int best = diagonal + (a[i - 1] != b[j - 1]);
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[nb];
}

void nearest_offer(NearestWord *n, const char *candidate) {
  int d = distance(n->name, candidate), allowed = ((int)strlen(n->name) + 2) / 3;
  if (d > allowed || (n->best && d >= n->distance)) return;
  n->best = candidate;
  n->distance = d;
}
