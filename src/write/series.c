#include "write/series.h"

#include <math.h>

#include "write/cells.h"

void series_csv(const Series *s, Text *out) {
  for (int c = 0; c < s->columns; c++) {
    if (c) text_add(out, ",");
    cells_text(out, s->names[c]);
  }
  text_add(out, "\n");
  for (int r = 0; r < s->rows; r++) {
    for (int c = 0; c < s->columns; c++) {
      if (c) text_add(out, ",");
      cells_number(out, s->column[c][r]);
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
        cells_number(out, s->column[c][r]);
      else
        text_add(out, "null");
    }
    text_add(out, "]");
  }
  text_add(out, "}");
}
