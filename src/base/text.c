#include "base/text.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/character.h"
#include "base/memory.h"

static void reserve(Text *t, size_t more) {
  size_t need = t->length + more + 1;
  if (need <= t->room) return;
  size_t room = t->room * 2 > need ? t->room * 2 : need;
  t->at = must_have(realloc(t->at, room));
  t->room = room;
}

void text_init(Text *t) {
  *t = (Text){0};
  reserve(t, 63);
  t->at[0] = 0;
}

void text_done(Text *t) {
  free(t->at);
  *t = (Text){0};
}

void text_clear(Text *t) {
  t->length = 0;
  t->at[0] = 0;
}

void text_add_bytes(Text *t, const char *s, size_t length) {
  reserve(t, length);
  memcpy(t->at + t->length, s, length);
  t->length += length;
  t->at[t->length] = 0;
}

void text_add(Text *t, const char *s) {
  text_add_bytes(t, s, strlen(s));
}

void text_print(Text *t, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int n = c_vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (n > 0) {
    reserve(t, (size_t)n);
    c_vsnprintf(t->at + t->length, (size_t)n + 1, format, again);
    t->length += (size_t)n;
  }
  va_end(again);
}

void number_format(double value, char out[32]) {
  if (isnan(value)) {
    strcpy(out, "NaN");
    return;
  }
  if (isinf(value)) {
    strcpy(out, value > 0 ? "Inf" : "-Inf");
    return;
  }
  if (value == rint(value) && fabs(value) < 1e15) { // 30, not 3e+01
    c_snprintf(out, 32, "%.0f", value == 0 ? 0 : value);
    return;
  }
  int digits = fabs(value) < DBL_MIN
                   ? 1
                   : 15; // 15 to 17 digits are needed, fewer only for subnormal numbers
  for (; digits <= 17; digits++) {
    c_snprintf(out, 32, "%.*g", digits, value);
    if (c_strtod(out, NULL) == value) return;
  }
}

const char *time_format(double t, double span, int digits, char out[32]) {
  double far = fabs(t) / span;
  if (far >= 10) digits += (int)fmin(log10(far), 17);
  if (digits > 15 || !(span > 0))
    number_format(t, out);
  else
    c_snprintf(out, 32, "%.*g", digits, t);
  return out;
}

void text_add_number(Text *t, double value) {
  char digits[32];
  number_format(value, digits);
  text_add(t, digits);
}

void text_add_json(Text *t, const char *s) {
  text_add(t, "\"");
  while (*s) {
    Character c = character_at(s);
    if (c.code == '"' || c.code == '\\')
      text_print(t, "\\%c", (int)c.code);
    else if (c.code == '\n')
      text_add(t, "\\n");
    else if (c.code == '\t')
      text_add(t, "\\t");
    else if (c.hidden)
      text_print(t, "\\u%04x", c.code);
    else
      text_add_bytes(t, s, (size_t)c.bytes);
    s += c.bytes;
  }
  text_add(t, "\"");
}

static bool is_number(const char *s, double *value) {
  while (isspace_l((unsigned char)*s, c_locale())) s++;
  if (!*s || strpbrk(s, "xXpP(")) return false; // no hexadecimal, no nan(...)
  char *end;
  *value = c_strtod(s, &end);
  if (end == s) return false;
  while (isspace_l((unsigned char)*end, c_locale())) end++;
  return *end == 0;
}

static bool
has_value(const char *number) { // other than 0, by its digits before the exponent; not inf or nan
  const char *first = strpbrk(number, "eE123456789");
  return first && *first >= '1' && *first <= '9';
}

static const char *beyond(const char *number, double value) {
  if (value != 0 && !isinf(value)) return NULL;
  if (!has_value(number)) return NULL;
  return value == 0 ? "too small: it would become 0" : "too large";
}

const char *number_beyond(const char *s) {
  double value;
  return is_number(s, &value) ? beyond(s, value) : NULL;
}

bool number_parse(const char *s, double *value) {
  return is_number(s, value) && !beyond(s, *value);
}

enum { NAME_MOST = 64 };

static int letter_cost(char a, char b) {
  return a == b                                                                               ? 0
         : tolower_l((unsigned char)a, c_locale()) == tolower_l((unsigned char)b, c_locale()) ? 1
                                                                                              : 2;
}

static int least_of(int a, int b) {
  return a < b ? a : b;
}

// Edit distance with insertion, deletion, replacement and exchange of neighbours, 2 each; case counts half.
static int distance(const char *a, const char *b) {
  int na = (int)strlen(a), nb = (int)strlen(b), rows[3][NAME_MOST + 1];
  if (na > NAME_MOST || nb > NAME_MOST) return 1000;
  for (int j = 0; j <= nb; j++) rows[0][j] = 2 * j;
  for (int i = 1; i <= na; i++) {
    int *now = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    now[0] = 2 * i;
    for (int j = 1; j <= nb; j++) {
      int best = above[j - 1] + letter_cost(a[i - 1], b[j - 1]);
      best = least_of(best, least_of(above[j], now[j - 1]) + 2);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        best = least_of(best, before[j - 2] + 2);
      now[j] = best;
    }
  }
  return rows[na % 3][nb];
}

const char *nearest_name(const char *name, const char *const *candidates, int count) {
  const char *best = NULL;
  int length = (int)strlen(name), least = length == 1 ? 1 : 2 * ((length + 2) / 3);
  for (int i = 0; i < count; i++) {
    int d = distance(name, candidates[i]);
    if (d < least || (d == least && !best)) {
      least = d;
      best = candidates[i];
    }
  }
  return best;
}
