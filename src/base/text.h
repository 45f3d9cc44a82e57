// A growing text buffer, and conversions between numbers and text.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct Text { // heap; text_init / text_done
  char *at;           // always NUL-terminated, never NULL after text_init
  size_t length, room;
} Text;

void text_init(Text *t);
void text_done(Text *t);
void text_clear(Text *t);
void text_add(Text *t, const char *s);
void text_add_bytes(Text *t, const char *s, size_t length);
void text_print(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Shortest decimal form that reads back as the same double: 0.1, 1e-07, 12345; "NaN", "Inf", "-Inf".
void text_add_number(Text *t, double value);
// A JSON string with quotes and escapes.
void text_add_json(Text *t, const char *s);

void number_format(double value, char out[32]); // as text_add_number
// A time with as many digits as show differences as short as span to `digits` digits; span 0: with all it has.
const char *time_format(double t, double span, int digits, char out[32]);
// The whole of s must be one number that a double can hold; blanks around it are allowed. "nan" and "inf" are accepted.
bool number_parse(const char *s, double *value);
// What is wrong with a number that no double can hold: "too large" (1e400), "too small: it would become 0" (1e-400). NULL:
// it is none.
const char *number_beyond(const char *s);
// The candidate nearest to name by edit distance (at most a third of its length), or NULL.
const char *nearest_name(const char *name, const char *const *candidates, int count);
