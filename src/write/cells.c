#include "write/cells.h"

#include <math.h>
#include <string.h>

#include "write/digits.h"

void cells_text(Text *out, const char *text) {
  if (!strpbrk(text, ",\";\t\n\r")) {
    text_add(out, text);
    return;
  }
  text_add(out, "\"");
  for (; *text; text++) text_add_bytes(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
  text_add(out, "\"");
}

void cells_number(Text *out, double value) {
  char digits[DIGITS_SIZE];
  if (!isfinite(value)) return;
  digits_format(value, digits);
  text_add(out, digits);
}

void cells_numbers(Text *out, const double *values, int count) {
  for (int i = 0; i < count; i++) {
    text_add(out, ",");
    cells_number(out, values[i]);
  }
}
