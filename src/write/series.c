#include "write/series.h"

#include <math.h>

#include "base/patience.h"
#include "write/cells.h"

enum { WORK_OF_NUMBER = 100 }; // for patience

bool series_csv(const Series *s, Text *out) {
  for (int c = 0; c < s->columns; c++) {
    if (c) text_add(out, ",");
    cells_text(out, s->names[c]);
  }
  text_add(out, "\n");
  for (int r = 0; r < s->rows && patience_lasts((long)WORK_OF_NUMBER * s->columns); r++) {
    for (int c = 0; c < s->columns; c++) {
      if (c) text_add(out, ",");
      cells_number(out, s->column[c][r]);
    }
    text_add(out, "\n");
  }
  return patience_lasts(0);
}

bool series_json(const Series *s, Text *out) {
  text_add(out, "{");
  for (int c = 0; c < s->columns; c++) {
    text_add(out, c ? ",\n " : "");
    text_add_json(out, s->names[c]);
    text_add(out, ": [");
    for (int r = 0; r < s->rows && patience_lasts(WORK_OF_NUMBER); r++) {
      if (r) text_add(out, ", ");
      if (isfinite(s->column[c][r]))
        cells_number(out, s->column[c][r]);
      else
        text_add(out, "null");
    }
    text_add(out, "]");
  }
  text_add(out, "}");
  return patience_lasts(0);
}
