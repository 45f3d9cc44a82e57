// The table of results: printed as it grows, and kept for bench/results.md.
#pragma once
#include <stdbool.h>
#include <stdio.h>

typedef enum TableGoal { // what the ratio is, and which side of the goal it must be on
  GOAL_AT_MOST,          // entrain/comparator
  GOAL_AT_LEAST,         // comparator/entrain
} TableGoal;

typedef struct Table Table;

Table *table_new(FILE *markdown); // borrowed
void table_free(Table *t);
void table_section(Table *t, const char *title,
                   const char *note); // begins a table; the note stands above it
// Times in seconds; not finite: not measured. goal 0: there is none.
void table_row(Table *t, const char *what, double entrain, double comparator, TableGoal kind,
               double goal);
void table_text(Table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_counts(const Table *t, int *met, int *missed);
