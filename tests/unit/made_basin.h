// A basin with known outcomes, for tests of reports: two axes of 4 by 3 starts (or random ones), outcomes by number.
#pragma once
#include <string.h>

#include "study/basin.h"
#include "test.h"

typedef struct MadeBasin {
  Problem problem;
  Unknown unknowns[3];
  BasinAxis axes[3];
  double starts[36], ends[36], truth[3];
  BasinStart start[12];
  double x[16][3];
  BasinOptimum optima[16];
  Basin basin;
} MadeBasin;

// outcome[i]: number of an optimum from 0, -1: not converged, -2: failed, -3: open.
static inline void made_basin(MadeBasin *m, const int *outcome, int optima) {
  memset(m, 0, sizeof *m);
  fit_options_init(&m->problem.options);
  m->problem.path = "some/where/problem.yaml";
  m->problem.method = METHOD_LM;
  m->unknowns[0] = (Unknown){.name = "alpha", .unit = "N/m", .start = 2, .min = 1, .max = 4};
  m->unknowns[1] =
      (Unknown){.name = "beta", .unit = "", .start = 0.1, .min = 0.01, .max = 1, .log = true};
  m->unknowns[2] = (Unknown){.name = "mu", .unit = "", .start = 0.5, .min = 0, .max = 1};
  m->problem.unknowns = m->unknowns;
  m->problem.unknown_count = 3;
  m->axes[0] = (BasinAxis){"alpha", 1, 4, BASIN_LINEAR, 4, 0};
  m->axes[1] = (BasinAxis){"beta", 0.01, 1, BASIN_LOG, 3, 1};
  m->basin = (Basin){.problem = &m->problem,
                     .axes = m->axes,
                     .axis_count = 2,
                     .count = 12,
                     .starts = m->starts,
                     .ends = m->ends,
                     .start = m->start,
                     .optima = m->optima,
                     .optimum_count = optima,
                     .work = {.simulations = 10, .sensitivity_simulations = 120, .rhs = 5000},
                     .best = 0.5,
                     .seconds = 0.5};
  for (int k = 0; k < optima; k++) {
    for (int i = 0; i < 3; i++) m->x[k][i] = m->unknowns[i].start + 0.1 * k;
    m->optima[k] =
        (BasinOptimum){.x = m->x[k], .objective = 0.5 + k, .error = nan(""), .median = 9};
  }
  for (int i = 0; i < 12; i++) {
    int end = outcome[i];
    double *x = m->starts + 3 * i;
    x[0] = 1 + i % 4, x[1] = 0.01 * pow(10, i / 4), x[2] = 0.5;
    memcpy(m->ends + 3 * i, end >= 0 ? m->x[end] : x, 3 * sizeof(double));
    m->start[i] = (BasinStart){.end = end >= 0    ? BASIN_REACHED
                                      : end == -1 ? BASIN_NOT_CONVERGED
                                      : end == -2 ? BASIN_FAILED
                                                  : BASIN_OPEN,
                               .optimum = end >= 0 ? end : -1,
                               .objective = end >= 0    ? 0.5 + end
                                            : end == -1 ? 99
                                                        : HUGE_VAL,
                               .work = {.iterations = 3, .sensitivity_simulations = 10}};
    m->basin.done += end != -3;
    m->basin.not_converged += end == -1;
    m->basin.failed += end == -2;
    if (end >= 0) m->optima[end].count++;
  }
  for (int k = 1; k < optima; k++)
    for (int i = 1; i < optima; i++)
      m->optima[k].commoner += m->optima[i].count > m->optima[k].count ||
                               (m->optima[i].count == m->optima[k].count && i < k);
}

static const int MIXED[12] = {0, 0, 1, 1, 0, 0, 1, -1, 0, 2, -2, -3};
