#include "lib/sections.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/adapter.h"
#include "lib/cases.h"
#include "lib/clock.h"

typedef struct Text {
  const char *name;
  char *text;
  bool failed;
} Text;

static char *read_file(const char *path) {
  FILE *f = fopen(path, "r");
  char *text = calloc(1, 1 << 22);
  if (f) {
    size_t n = fread(text, 1, (1 << 22) - 1, f);
    text[n] = 0;
    fclose(f);
  }
  return text;
}

static void compile_loop(void *self, int repeat) {
  Text *c = self;
  for (int i = 0; i < repeat; i++)
    if (!bench_compile(c->name, c->text, true)) c->failed = true;
}

static void compare_compile(Table *t, const char *what, const char *path, double limit) {
  Text c = {.name = path, .text = read_file(path)};
  c.failed = !*c.text || !bench_compile(path, c.text, true);
  Contestant run = {.run = c.failed ? NULL : compile_loop, .self = &c};
  contest_run(&run, 1, PATIENCE);
  table_row(t, what, run.seconds, limit, GOAL_AT_MOST, 1);
  free(c.text);
}

void section_compile(Table *t, const char *folder) {
  char network[512];
  snprintf(network, sizeof network, "%s/chem500.mo", folder);
  table_section(t, "2. Text to callable code",
                "From the model text in memory to machine code for the right-hand side, the "
                "Jacobian and df/dp. The "
                "column `comparator` holds the limit.");
  compare_compile(t, "pendulum", CASES_MECHANICAL[0].path, 1e-3);
  compare_compile(t, "van der Pol-Duffing", CASES_MECHANICAL[1].path, 1e-3);
  compare_compile(t, "two-DOF", CASES_MECHANICAL[2].path, 1e-3);
  compare_compile(t, "network of 500 states, 2000 parameters", network, 60e-3);
}
