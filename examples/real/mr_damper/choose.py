#!/usr/bin/python3
"""Chooses what the damper has beside Dahl's model inside the first 15 s of the record. What comes later is not used.

usage: examples/real/mr_damper/choose.py [--data DIR]

The state of the friction is not measured, so that no part of the record can begin by itself: the 15 s are simulated as a whole. Five
blocks of 3 s are left out in turn (weight 0).
"""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cross_validation import check, choose, settings, subsets  # noqa: E402

RANGES = {"Kx": "{start: 1, min: 0.05, max: 20, scale: log}", "Kw": "{start: 30, min: 2, max: 1000, scale: log}",
          "rho": "{start: 10, min: 0.01, max: 1000, scale: log}", "f0": "{start: 0, min: -100, max: 100}",
          "fluid.z.start": "{start: 0, min: -0.2, max: 0.2}", "k": "{start: 0, min: -5, max: 5}", "k3": "{start: 0, min: -1, max: 1}",
          "Kq": "{start: 0, min: -0.1, max: 0.1}", "dKx": "{start: 0, min: -2, max: 2}"}
TERMS = {"spring": ["k"], "cubic spring": ["k3"], "quadratic damping": ["Kq"], "damping by direction": ["dKx"]}


def text_of(unknowns, part):
    left_out = ""
    if part is not None:
        a, b = 3 * part, 3 * part + 3
        left_out = f"  windows: {{left_out: [{a + 0.005}, {b}]}}\nweights: {{regions: [{{where: 'time > {a + 0.005} and time < {b + 0.005}', weight: 0}}]}}\n"
    return f"""model: {HERE}/mr_damper.mo
experiments:
  data: mr-damper-labcontrol/mrdamper_4.1.csv
  time: t_s
  window: [0, 15]
  measure: {{F: force_N}}
  inputs: {{v: vel_mm_s}}
{left_out}estimate:
""" + "".join(f"  {k}: {RANGES[k]}\n" for k in unknowns)


if __name__ == "__main__":
    laws = subsets(["Kx", "Kw", "rho", "f0", "fluid.z.start"], TERMS)
    chosen = choose(settings(__doc__, "mr-damper-labcontrol/mrdamper_4.1.csv"), laws, range(5), text_of)
    check(laws[chosen], f"{HERE}/problem.yaml")
