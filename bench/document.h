// Tables in docs/results.md between two markers: the programs that make them replace what is there, and keep the rest.
#pragma once
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static inline void document_read(const char *path, Text *out) {
  FILE *f = fopen(path, "r");
  char part[4096];
  size_t n;
  while (f && (n = fread(part, 1, sizeof part, f)) > 0) text_add_bytes(out, part, n);
  if (f) fclose(f);
}

// name: of the markers. Without them the tables come last.
static inline bool document_write(const char *path, const char *name, const char *tables) {
  Text old, first, last;
  text_init(&old), text_init(&first), text_init(&last);
  text_print(&first, "<!-- %s: begin -->\n", name);
  text_print(&last, "<!-- %s: end -->\n", name);
  document_read(path, &old);
  const char *begin = strstr(old.at, first.at), *end = strstr(old.at, last.at);
  FILE *f = fopen(path, "w");
  if (f) {
    fwrite(old.at, 1, begin ? (size_t)(begin - old.at) : old.length, f);
    fprintf(f, "%s%s%s%s%s", begin ? "" : "\n", first.at, tables, last.at,
            end ? end + last.length : "");
  }
  bool ok = f && fclose(f) == 0;
  if (!ok) fprintf(stderr, "cannot write %s\n", path);
  text_done(&old), text_done(&first), text_done(&last);
  return ok;
}

// The value behind a flag of the command line.
static inline const char *next_word(int count, char **words, int *i) {
  if (*i + 1 < count) return words[++*i];
  fprintf(stderr, "%s needs a value\n", words[*i]);
  exit(2);
}
