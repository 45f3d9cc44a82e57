#include "cli/lists.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/no_memory.h"

bool read_number(const char *flag, const char *text, double *value) {
  char *end;
  errno = 0;
  *value = strtod_l(text, &end, newlocale(LC_ALL_MASK, "C", (locale_t)0)); // the point is a point
  bool is_number = end != text && !strpbrk(text, "xX") && isfinite(*value);
  is_number = is_number && end[strspn(end, " \t")] == 0;
  if (is_number && *value == 0 && errno == ERANGE) {
    complain("%s: the number '%s' is too small: it would become 0", flag, text);
    return false;
  }
  if (!is_number) complain("%s: '%s' is not a finite number", flag, text);
  return is_number;
}

bool read_choice(const char *flag, const char *value, const char *const *words, int *index) {
  NearestWord nearest = {.name = value};
  *index = 0;
  if (!value) return true;
  for (int i = 0; words[i]; i++) {
    *index = i;
    if (strcmp(words[i], value) == 0) return true;
    nearest_offer(&nearest, words[i]);
  }
  char list[200] = "";
  for (int i = 0; words[i]; i++)
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", words[i]);
  if (nearest.best)
    complain("--%s cannot be '%s'; did you mean '%s'? It is one of %s", flag, value, nearest.best,
             list);
  else
    complain("--%s cannot be '%s'; it is one of %s", flag, value, list);
  return false;
}

// The end of the part that begins at `at`: a comma outside brackets and quotes, or the end of the text.
static char *part_end(char *at) {
  int depth = 0;
  bool quoted = false;
  for (; *at; at++) {
    if (*at == '"' || *at == '\'') quoted = !quoted;
    if (quoted) continue;
    if (strchr("([{", *at)) depth++;
    if (strchr(")]}", *at)) depth--;
    if (*at == ',' && depth <= 0) break;
  }
  return at;
}

static char *trim(char *text) {
  while (isspace((unsigned char)*text)) text++;
  char *end = text + strlen(text);
  while (end > text && isspace((unsigned char)end[-1])) end--;
  *end = 0;
  return text;
}

bool words_split(const char *flag, const char *text, Words *out) {
  size_t most = strlen(text) + 1;
  *out = (Words){needed(strdup(text)), needed(calloc(most, sizeof *out->at)), 0};
  for (char *at = out->storage, *end;; at = end + 1) {
    end = part_end(at);
    bool last = *end == 0;
    *end = 0;
    char *word = trim(at);
    if (!*word) {
      complain("%s: an empty name in '%s'", flag, text);
      return false;
    }
    out->at[out->count++] = word;
    if (last) return true;
  }
}

bool assignment_split(const char *flag, char *text, const char **name, const char **value) {
  char *equals = strchr(text, '=');
  if (!equals || equals == text || !equals[1]) {
    complain("%s needs name=value, not '%s'", flag, text);
    return false;
  }
  *equals = 0;
  *name = trim(text);
  *value = trim(equals + 1);
  return true;
}

// Length of the name before "=", without blanks at its end.
static size_t name_length(const char *assignment) {
  size_t length = strcspn(assignment, "=");
  while (length && isspace((unsigned char)assignment[length - 1])) length--;
  return length;
}

bool assignments_split(const char *flag, const char *text, Words *out) {
  if (!words_split(flag, text, out)) return false;
  for (int i = 0; i < out->count; i++)
    for (int k = 0; k < i; k++) {
      size_t length = name_length(out->at[i]);
      if (name_length(out->at[k]) != length || memcmp(out->at[i], out->at[k], length) != 0)
        continue;
      complain("%s: %.*s is named twice in '%s'", flag, (int)length, out->at[i], text);
      return false;
    }
  return true;
}

void words_done(Words *w) {
  free(w->storage);
  free(w->at);
  *w = (Words){0};
}

static char *read_stream(FILE *f, size_t *length) {
  char *text = NULL;
  size_t room = 0, n = 0;
  do {
    if (n + 1 >= room) {
      room = room ? 2 * room : 1 << 16;
      text = needed(realloc(text, room));
    }
    n += fread(text + n, 1, room - n - 1, f);
  } while (!feof(f) && !ferror(f));
  if (ferror(f)) {
    free(text);
    return NULL;
  }
  text[n] = 0;
  *length = n;
  return text;
}

char *read_all(const char *path, size_t *length) {
  bool is_stdin = strcmp(path, "-") == 0;
  FILE *f = is_stdin ? stdin : fopen(path, "rb");
  char *text = f ? read_stream(f, length) : NULL;
  if (!text && errno == ENOMEM) no_memory();
  if (!text) complain("cannot read %s: %s", is_stdin ? "standard input" : path, strerror(errno));
  if (f && !is_stdin) fclose(f);
  return text;
}

static void blank_comments(char *text) {
  for (char *c = text; *c; c++)
    if (*c == '#')
      while (*c && *c != '\n') *c++ = ' ';
}

static bool split_numbers(const char *flag, char *text, Numbers *out) {
  const char *separators = ", \t\r\n;";
  char *rest = NULL;
  *out = (Numbers){needed(calloc(strlen(text) / 2 + 1, sizeof *out->at)), 0};
  for (char *word = strtok_r(text, separators, &rest); word;
       word = strtok_r(NULL, separators, &rest))
    if (!read_number(flag, word, &out->at[out->count++])) return false;
  if (out->count == 0) complain("%s: no numbers", flag);
  return out->count > 0;
}

bool numbers_read(const char *flag, const char *text, Numbers *out) {
  size_t length;
  *out = (Numbers){0};
  char *copy = text[0] == '@' ? read_all(text + 1, &length) : needed(strdup(text));
  if (!copy) return false;
  if (text[0] == '@') blank_comments(copy);
  bool done = split_numbers(flag, copy, out);
  free(copy);
  return done;
}

void numbers_done(Numbers *n) {
  free(n->at);
  *n = (Numbers){0};
}
