// A problem for a test: model, data and problem file written into a folder of its own, then loaded.
#pragma once
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "problem/read_problem.h"
#include "test.h"

typedef struct Made {
  char folder[64];
  Problem *problem;
} Made;

static inline void made_file(const Made *m, const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", m->folder, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static inline void made_open(Made *m) {
  m->problem = NULL;
  snprintf(m->folder, sizeof m->folder, "%s", "/tmp/entrain-test-XXXXXX");
  assert_non_null(mkdtemp(m->folder));
}

// The text of the problem file; model and data were written before.
static inline Problem *made_load(Made *m, const char *yaml) {
  Err err = {0};
  made_file(m, "problem.yaml", yaml);
  char path[128];
  snprintf(path, sizeof path, "%s/problem.yaml", m->folder);
  m->problem = problem_load(path, NULL, 0, &err);
  if (!m->problem) fail_msg("%s:%d:%d: %s", err.file, err.line, err.column, err.text);
  return m->problem;
}

static inline void made_close(Made *m) {
  problem_free(m->problem);
  char command[128];
  snprintf(command, sizeof command, "rm -r '%s'", m->folder);
  assert_int_equal(system(command), 0);
}

// x and v that no model of the tests gives exactly, so that residuals are large, and a force F; some samples are missing.
static inline void made_waves(const Made *m, const char *name, double phase, int rows) {
  char text[20000] = "t,x,v,F\n";
  for (int i = 0; i < rows; i++) {
    double t = 0.1 * i;
    char row[100];
    if (i % 7 == 3)
      snprintf(row, sizeof row, "%.1f,,%.6f,%.6f\n", t, -sin(t + phase), 0.3 * cos(0.8 * t));
    else
      snprintf(row, sizeof row, "%.1f,%.6f,%.6f,%.6f\n", t, cos(t + phase), -sin(t + phase),
               0.3 * cos(0.8 * t));
    strcat(text, row);
  }
  made_file(m, name, text);
}
