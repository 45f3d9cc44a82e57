#include "problem/pattern_files.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool has_pattern(const char *path) {
  return strpbrk(path, "*?[") != NULL;
}

// ---------------------------------------------------------------- one name

static bool is_inside_character(char c) { // the second and later bytes of a character in UTF-8
  return ((unsigned char)c & 0xC0) == 0x80;
}

// The bracket behind the set that begins at '['; NULL: it is no set, and '[' stands for itself.
static const char *end_of_set(const char *set) {
  const char *p = set + 1;
  if (*p == '!' || *p == '^') p++;
  if (*p == ']') p++;
  p = strchr(p, ']');
  return p;
}

static bool set_has(const char *set, const char *end, char c) {
  const char *p = set + 1;
  bool no = *p == '!' || *p == '^', found = false;
  unsigned char u = (unsigned char)c;
  for (p += no; p < end; p++) {
    bool range = p + 2 < end && p[1] == '-';
    unsigned char low = (unsigned char)p[0], high = (unsigned char)p[range ? 2 : 0];
    found |= low <= u && u <= high;
    if (range) p += 2;
  }
  return found != no;
}

// One character of the name against one element of the pattern, which is no star. Moves both on.
static bool match_one(const char **pattern, const char **name) {
  const char *end = **pattern == '[' ? end_of_set(*pattern) : NULL;
  bool fits = end ? set_has(*pattern, end, **name) : **pattern == '?' || **pattern == **name;
  if (!fits) return false;
  bool whole = **pattern == '?';
  *pattern = end ? end + 1 : *pattern + 1;
  (*name)++;
  while (whole && is_inside_character(**name)) (*name)++;
  return true;
}

// Only the last star has to be tried again: an earlier one that takes more leaves less for the rest.
bool pattern_matches(const char *pattern, const char *name) {
  const char *star = NULL, *from = name;
  while (*name) {
    if (*pattern == '*')
      star = ++pattern, from = name;
    else if (*pattern && match_one(&pattern, &name))
      continue;
    else if (star)
      pattern = star, name = ++from;
    else
      return false;
  }
  while (*pattern == '*') pattern++;
  return *pattern == 0;
}

// ---------------------------------------------------------------- order

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

int natural_order(const char *a, const char *b) {
  const char *whole_a = a, *whole_b = b;
  while (*a && *b) {
    if (is_digit(*a) && is_digit(*b)) {
      while (*a == '0') a++;
      while (*b == '0') b++;
      size_t na = strspn(a, "0123456789"), nb = strspn(b, "0123456789");
      int order = na != nb ? (na > nb ? 1 : -1) : strncmp(a, b, na);
      if (order) return order;
      a += na, b += nb;
    } else if (*a != *b) {
      return (unsigned char)*a > (unsigned char)*b ? 1 : -1;
    } else {
      a++, b++;
    }
  }
  int order = (*a != 0) - (*b != 0);
  return order ? order : strcmp(whole_a, whole_b);
}

static int by_nature(const void *a, const void *b) {
  return natural_order(*(const char *const *)a, *(const char *const *)b);
}

// ---------------------------------------------------------------- paths

// Adds what matches `rest` below `front`, which ends in '/' or is empty.
static void add_below(Arena *a, const char *front, const char *rest, FileNames *out) {
  size_t slashes = strspn(rest, "/");
  if (slashes) {
    add_below(a, arena_print(a, "%s%.*s", front, (int)slashes, rest), rest + slashes, out);
    return;
  }
  size_t length = strcspn(rest, "/");
  const char *part = arena_copy(a, rest, length);
  bool last = rest[length] == 0;
  if (!has_pattern(part)) {
    const char *path = arena_print(a, "%s%s", front, part);
    if (!last)
      add_below(a, arena_print(a, "%s/", path), rest + length + 1, out);
    else if (file_kind(path) == FILE_REGULAR)
      array_push(a, out, path);
    return;
  }
  const char *prefix = arena_copy(a, part, strcspn(part, "*?["));
  FileNames names = file_list(a, *front ? front : ".", prefix);
  for (int i = 0; i < names.count; i++) {
    if (!pattern_matches(part, names.at[i])) continue;
    const char *path = arena_print(a, "%s%s", front, names.at[i]);
    FileKind kind = file_kind(path);
    if (last && kind == FILE_REGULAR) array_push(a, out, path);
    if (!last && kind == FILE_FOLDER)
      add_below(a, arena_print(a, "%s/", path), rest + length + 1, out);
  }
}

FileNames pattern_files(Arena *a, const char *pattern) {
  FileNames out = {0};
  add_below(a, "", pattern, &out);
  if (out.count) qsort(out.at, (size_t)out.count, sizeof *out.at, by_nature);
  return out;
}
