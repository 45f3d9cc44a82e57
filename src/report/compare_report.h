// A comparison of methods as text, Markdown, CSV and JSON; published results follow the computed ones.
#pragma once
#include "report/compare_columns.h"
#include "write/page.h"

typedef struct CompareReport {
  const Compare *compare;
  const Published *published; // NULL: none
  CompareLayout layout;
} CompareReport;

void compare_text(Text *out, const CompareReport *r, PageStyle style);
void compare_markdown(Text *out, const CompareReport *r);
// The columns of the layout with exact numbers; the full layout has all columns and the parameters.
void compare_csv(Text *out, const CompareReport *r);
// All values and all runs, for any layout.
void compare_json(Text *out, const CompareReport *r, const char *version);
// method,run,seed,stage,lambda,iteration,evaluations,fair,objective,free_objective,best,seconds, then the parameters
void compare_trace_csv(Text *out, const Compare *c);
