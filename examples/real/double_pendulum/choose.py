#!/usr/bin/python3
"""Chooses the law of friction of the double pendulum inside the windows of the fit. The check windows are not opened.

usage: examples/real/double_pendulum/choose.py [--data DIR]

The 26 windows are left out in four groups of neighbours, because the swing decays from window to window: a law must hold for larger and
smaller swings than those it was fitted to. Left-out windows are simulated freely from their first samples.
"""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cross_validation import check, choose, settings, subsets  # noqa: E402

RANGES = {"J1": "{start: 2.5, min: 1.2, max: 20}", "J2": "{start: 1.5, min: 0.9, max: 6}", "G1": "{start: 100, min: 20, max: 600}",
          "G2": "{start: 80, min: 20, max: 200}", "tilt1": "{start: 0, min: -0.1, max: 0.1}", "tilt2": "{start: 0, min: -0.1, max: 0.1}",
          "d1": "{start: 0.1, min: 0, max: 2}", "d2": "{start: 0.1, min: 0, max: 2}", "c1": "{start: 0.1, min: 0, max: 5}",
          "c2": "{start: 0.01, min: 0, max: 5}", "air": "{start: 0.1, min: 0, max: 2}"}
TERMS = {"inner viscous": ["d1"], "outer viscous": ["d2"], "inner dry": ["c1"], "outer dry": ["c2"], "air": ["air"]}
GROUPS = [list(range(0, 7)), list(range(7, 13)), list(range(13, 20)), list(range(20, 26))]


def text_of(unknowns, part):
    return f"""model: {HERE}/double_pendulum.mo
experiments:
  data: multiarm-pendulum/double_identification.csv
  time: t
  split: {{column: window, validation: {"~" if part is None else GROUPS[part]}}}
  measure: {{th1: theta1, th2: theta2}}
  set: {{th1.start: data, th2.start: data, w1.start: {{from: data, column: dtheta1}}, w2.start: {{from: data, column: dtheta2}}}}
estimate:
""" + "".join(f"  {k}: {RANGES[k]}\n" for k in unknowns)


if __name__ == "__main__":
    laws = subsets(["J1", "J2", "G1", "G2", "tilt1", "tilt2"], TERMS)
    chosen = choose(settings(__doc__, "multiarm-pendulum/double_identification.csv"), laws, range(4), text_of, method="weak")
    check(laws[chosen], f"{HERE}/problem.yaml")
