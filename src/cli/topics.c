#include "cli/topics.h"

#include <stddef.h>
#include <string.h>

static const char PROBLEM[] =
    "A problem file is YAML text. It names the model, the measurements and the\n"
    "unknowns. This one is complete:\n"
    "\n"
    "  model: pendulum.mo\n"
    "  experiments:\n"
    "    - data: swing.csv\n"
    "      measure: {theta: angle}\n"
    "  estimate:\n"
    "    p: {start: 15, min: 0.1, max: 200}\n"
    "\n"
    "The angle of the pendulum, theta in the model, is the column 'angle' of the\n"
    "data; its parameter p is unknown, between 0.1 and 200. To try it, save it as\n"
    "problem.yaml, copy models/pendulum.mo, and make measurements with noise:\n"
    "\n"
    "  entrain simulate pendulum.mo --stop 50 --step 0.1 --variables theta \\\n"
    "    --noise 0.05 --noise_kind additive | sed 1s/theta/angle/ >swing.csv\n"
    "  entrain check problem.yaml\n"
    "  entrain fit problem.yaml\n"
    "\n"
    "All keys (paths are relative to the problem file):\n"
    "\n"
    "  model: FILE              a Modelica file\n"
    "  experiments:             a list; each entry is one recording\n"
    "    - data: FILE           CSV: a header row with names; comma, semicolon or\n"
    "                           tab; a second row may hold units; # begins a\n"
    "                           comment; an empty cell is a missing value\n"
    "      name: swing          default: the name of the data file\n"
    "      time: t              column; default: the first; row: there is no such\n"
    "                           column, the row number is the time\n"
    "      measure:             variable or expression of the model: column\n"
    "        theta: angle\n"
    "        alpha*z + c0*v:    with more keys:\n"
    "          column: force\n"
    "          weight: 2        multiplies its squared residuals\n"
    "          sigma: 0.1       noise: a number, a share such as 5%, or estimate\n"
    "          gain: {start: 1, min: 0.5, max: 2}   unknown gain of the sensor;\n"
    "          offset: 0.3      or a known value; gain, offset and delay are alike\n"
    "      inputs:              input of the model: column, or a constant\n"
    "        u: force\n"
    "        q: {column: flow, gain: 1e-3/60}   gain*column + offset, in its unit\n"
    "      interpolation: hold  of inputs between samples: hold, linear, spline\n"
    "      window: [0, 50]      use only these times\n"
    "      start: 0             time of the start values\n"
    "      restart: 21.6        no unknown acts before; else found from the equations\n"
    "      set: {m: 2, x.start: 1}   parameters and start values of this experiment\n"
    "      role: validation     simulated with the result and reported, not fitted\n"
    "      windows: {steady: [10, 50]}   spans whose errors are reported\n"
    "  estimate:                the unknowns; defaults come from the model\n"
    "    p: {start: 15, min: 0.1, max: 200}\n"
    "    k: {start: 2, scale: log, min: 0.01}   search on a logarithmic scale\n"
    "    c: {start: 1, prior: {mean: 3, sd: 0.5}}   prior knowledge\n"
    "    theta.start: {start: 0, per_experiment: true}   a start value for each\n"
    "    d: {start: 1, fixed: true}   held at 1\n"
    "  weights: grid            samples count by their density: grid, ellipses,\n"
    "                           distances; or {kind: grid, over: [x, u], cells: 20,\n"
    "                           regions: [{where: time < 5, weight: 3}]}\n"
    "  constraints:             on the unknowns; auto, homotopy, weak, sqp, cobyla\n"
    "    - k1 + k2 <= 10        =, <= or >=, or two as in 1 <= p/k <= 3\n"
    "  gains: {theta: {theta: 10, omega: 10}}   feedback of the homotopy; optional\n"
    "  method: auto             'entrain methods' lists them\n"
    "  residual: prediction     simulation, prediction from measured states, equation\n"
    "  prediction: {by: rk4, ahead: 1}   rk4, euler, integrator; samples ahead\n"
    "  scale: range             divide by ranges: none, range, range-squared\n"
    "  criterion: sum           sum or integral of the squared residuals\n"
    "  options: {rel_tol: 1e-9} any option; 'entrain options' lists them\n"
    "\n"
    "Numbers may be expressions: 8/3, 1e-3/60. On the command line, --set replaces\n"
    "any value: --set estimate.p.start=40, --set experiments.0.window=[0,20];\n"
    "--start p=40 is short for the first.\n";

const Topic TOPICS[] = {
    {"problem", "how to write a problem file: model, data, unknowns", PROBLEM},
    {0},
};

const Topic *topic_find(const char *name) {
  for (const Topic *t = TOPICS; t->name; t++)
    if (strcmp(t->name, name) == 0) return t;
  return NULL;
}
