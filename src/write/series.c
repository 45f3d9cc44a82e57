#include "write/series.h"

#include <math.h>
#include <string.h>

#include "write/digits.h"

static void add_number(Text *out, double value) {
  char digits[DIGITS_SIZE];
  digits_format(value, digits);
  text_add(out, digits);
}

static void add_cell(Text *out, const char *name) {
  if (!strpbrk(name, ",\";\t\n\r")) {
    text_add(out, name);
    return;
  }
  text_add(out, "\"");
  for (; *name; name++) text_add_bytes(out, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
  text_add(out, "\"");
}

void series_csv(const Series *s, Text *out) {
  for (int c = 0; c < s->columns; c++) {
    if (c) text_add(out, ",");
    add_cell(out, s->names[c]);
  }
  text_add(out, "\n");
  for (int r = 0; r < s->rows; r++) {
    for (int c = 0; c < s->columns; c++) {
      if (c) text_add(out, ",");
      if (isfinite(s->column[c][r])) add_number(out, s->column[c][r]);
    }
    text_add(out, "\n");
  }
}

void series_json(const Series *s, Text *out) {
  text_add(out, "{");
  for (int c = 0; c < s->columns; c++) {
    text_add(out, c ? ",\n " : "");
    text_add_json(out, s->names[c]);
    text_add(out, ": [");
    for (int r = 0; r < s->rows; r++) {
      if (r) text_add(out, ", ");
      if (isfinite(s->column[c][r]))
        add_number(out, s->column[c][r]);
      else
        text_add(out, "null");
    }
    text_add(out, "]");
  }
  text_add(out, "}");
}
