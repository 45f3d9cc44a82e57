#!/usr/bin/python3
"""Chooses the law of friction of the single pendulum inside the windows of the fit. The check windows are not opened.

usage: examples/real/single_pendulum/choose.py [--data DIR]

Each of the four windows is left out once and then simulated freely from its first sample. The swing decays over the windows.
"""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cross_validation import check, choose, settings, subsets  # noqa: E402

RANGES = {"p": "{start: 40, min: 1, max: 200}", "tilt": "{start: 0, min: -0.1, max: 0.1}", "c": "{start: 0.05, min: 0, max: 5}",
          "d": "{start: 0.05, min: 0, max: 5}", "a": "{start: 0.001, min: 0, max: 0.5}", "k": "{start: 1e-4, min: 0, max: 0.1}"}
TERMS = {"dry": ["c"], "viscous": ["d"], "quadratic": ["a"], "cubic": ["k"]}


def text_of(unknowns, part):
    return f"""model: {HERE}/single_pendulum.mo
experiments:
  data: multiarm-pendulum/single_identification.csv
  time: t
  split: {{column: window, validation: {"~" if part is None else [part]}}}
  measure: {{arm.phi: theta1}}
  set: {{arm.phi.start: data, arm.w.start: {{from: data, column: dtheta1}}}}
estimate:
""" + "".join(f"  {k}: {RANGES[k]}\n" for k in unknowns)


if __name__ == "__main__":
    laws = subsets(["p", "tilt"], TERMS)
    chosen = choose(settings(__doc__, "multiarm-pendulum/single_identification.csv"), laws, range(4), text_of, method="weak")
    check(laws[chosen], f"{HERE}/problem.yaml")
