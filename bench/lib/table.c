#include "lib/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

struct Table {
  FILE *markdown;
  int met, missed;
};

Table *table_new(FILE *markdown) {
  Table *t = calloc(1, sizeof *t);
  t->markdown = markdown;
  return t;
}

void table_free(Table *t) {
  free(t);
}

static const char *duration(double seconds, char out[static 24]) {
  if (isnan(seconds) || isinf(seconds))
    snprintf(out, 24, "-");
  else if (seconds < 1e-6)
    snprintf(out, 24, "%.1f ns", seconds * 1e9);
  else if (seconds < 1e-3)
    snprintf(out, 24, "%.2f us", seconds * 1e6);
  else
    snprintf(out, 24, "%.3f ms", seconds * 1e3);
  return out;
}

void table_section(Table *t, const char *title, const char *note) {
  printf("\n%s\n%s\n", title, note);
  printf("%-50s %11s %11s %8s %9s  %s\n", "what", "entrain", "comparator", "ratio", "goal", "met");
  fprintf(t->markdown, "\n## %s\n\n%s\n\n", title, note);
  fprintf(t->markdown,
          "| what | entrain | comparator | ratio | goal | met |\n|---|---|---|---|---|---|\n");
}

static const char *verdict(Table *t, double ratio, TableGoal kind, double goal) {
  if (goal <= 0 || !isfinite(ratio)) return "-";
  bool met = kind == GOAL_AT_MOST ? ratio <= goal : ratio >= goal;
  if (met)
    t->met++;
  else
    t->missed++;
  return met ? "yes" : "NO";
}

void table_row(Table *t, const char *what, double entrain, double comparator, TableGoal kind,
               double goal) {
  char left[24], right[24], ratio_text[24] = "-", goal_text[24] = "-";
  double ratio = kind == GOAL_AT_LEAST ? comparator / entrain : entrain / comparator;
  if (isfinite(ratio)) snprintf(ratio_text, sizeof ratio_text, ratio < 10 ? "%.2f" : "%.0f", ratio);
  if (goal > 0 && kind == GOAL_AT_MOST) snprintf(goal_text, sizeof goal_text, "<= %g", goal);
  if (goal > 0 && kind == GOAL_AT_LEAST) snprintf(goal_text, sizeof goal_text, ">= %g", goal);
  const char *met = verdict(t, ratio, kind, goal);
  duration(entrain, left);
  duration(comparator, right);
  printf("%-50s %11s %11s %8s %9s  %s\n", what, left, right, ratio_text, goal_text, met);
  fprintf(t->markdown, "| %s | %s | %s | %s | %s | %s |\n", what, left, right, ratio_text,
          goal_text, met);
  fflush(stdout);
}

void table_text(Table *t, const char *format, ...) {
  va_list a, b;
  va_start(a, format);
  va_copy(b, a);
  vprintf(format, a);
  vfprintf(t->markdown, format, b);
  va_end(b);
  va_end(a);
}

void table_counts(const Table *t, int *met, int *missed) {
  *met = t->met;
  *missed = t->missed;
}
