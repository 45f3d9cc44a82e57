#include "lib/sections.h"

#include "lib/adapter.h"
#include "lib/cases.h"
#include "lib/clock.h"

enum { SETS = 8 };

static void run_lanes(void *self, int repeat) {
  for (int i = 0; i < repeat; i++) bench_lanes_run(self);
}

static void run_scalar(void *self, int repeat) {
  for (int i = 0; i < repeat; i++) bench_lanes_run_scalar(self);
}

void section_lanes(Table *t) {
  static const double FACTORS[SETS] = {0.97, 0.98, 0.99, 1, 1.01, 1.02, 1.03, 1.04};
  table_section(
      t, "4. Eight parameter sets in lanes",
      "The simulations of section 3 for eight parameter sets: all in one simulation, against one "
      "after the other by the scalar path. Time of all eight.");
  for (int i = 0; i < 3; i++) {
    const Case *c = &CASES_MECHANICAL[i];
    double times[CASE_TIMES_MOST];
    int count = case_times(c, times);
    BenchTask task = case_task(c, times, count, REL_TOL, ABS_TOL, "rk8", c->hand->np);
    BenchLanes *lanes = bench_lanes_open(&task, SETS, FACTORS);
    Contestant runs[] = {{.run = lanes ? run_lanes : NULL, .self = lanes},
                         {.run = lanes ? run_scalar : NULL, .self = lanes}};
    contest_run(runs, 2, 2 * PATIENCE);
    table_row(t, c->hand->name, runs[0].seconds, runs[1].seconds, GOAL_AT_LEAST, 4);
    if (lanes && !(bench_lanes_difference(lanes) < 1e-5))
      table_text(t, "\n%s: the two paths DIFFER by %.1e\n", c->hand->name,
                 bench_lanes_difference(lanes));
    bench_lanes_close(lanes);
  }
}
