#!/usr/bin/python3
"""Chooses the laws of the outlets of the cascaded tanks inside the estimation record. The columns of the test are not used.

usage: examples/real/cascaded_tanks/choose.py [--data DIR]

The upper level is not measured, so that no part of the record can begin by itself: the whole record is simulated. Four blocks
are left out in turn (weight 0); the first 50 samples always count, for the start levels.
"""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cross_validation import check, choose, settings, subsets  # noqa: E402

RANGES = {"k1": "{start: 0.0125, min: 0.0001, max: 0.5, scale: log}", "k2": "{start: 0.0125, min: 0.0001, max: 0.5, scale: log}",
          "k3": "{start: 0.025, min: 0.0025, max: 0.5, scale: log}", "k4": "{start: 0.025, min: 0.0025, max: 0.5, scale: log}",
          "k5": "{start: 1, min: 0, max: 12}", "x1.start": "{start: 5, min: 0, max: 12}", "x2.start": "{start: 5.2, min: 4, max: 6}",
          "n1": "{start: 0.5, min: 0.1, max: 3}", "n2": "{start: 0.5, min: 0.05, max: 2}", "h1": "{start: 0, min: -2, max: 2.8}",
          "h2": "{start: 0, min: -2, max: 2.8}", "l1": "{start: 0, min: -0.3, max: 3}", "l2": "{start: 0, min: -0.3, max: 3}",
          "u0": "{start: 0, min: -2, max: 2}"}
TERMS = {"upper exponent": ["n1"], "lower exponent": ["n2"], "upper zero": ["h1"], "lower zero": ["h2"], "linear terms": ["l1", "l2"],
         "pump offset": ["u0"]}
SAMPLES, FIRST, PERIOD = 1024, 50, 4
EDGES = [FIRST + (SAMPLES - FIRST) * k // 4 for k in range(5)]


def text_of(unknowns, part):
    left_out = ""
    if part is not None:
        a, b = PERIOD * EDGES[part], PERIOD * (EDGES[part + 1] - 1)
        left_out = f"  windows: {{left_out: [{a}, {b}]}}\nweights: {{regions: [{{where: 'time > {a - 1} and time < {b + 1}', weight: 0}}]}}\n"
    return f"""model: {HERE}/cascaded_tanks.mo
experiments:
  data: cascaded-tanks/dataBenchmark.csv
  time: {{period: {PERIOD}}}
  interpolation: hold
  measure: {{y: yEst}}
  inputs: {{u: uEst}}
{left_out}estimate:
""" + "".join(f"  {k}: {RANGES[k]}\n" for k in unknowns)


if __name__ == "__main__":
    laws = subsets(["k1", "k2", "k3", "k4", "k5", "x1.start", "x2.start"], TERMS, longest=10)
    chosen = choose(settings(__doc__, "cascaded-tanks/dataBenchmark.csv"), laws, range(4), text_of, method="lm")
    check(laws[chosen], f"{HERE}/problem.yaml")
