#!/usr/bin/python3
"""Chooses the law of friction of EMPS by cross-validation inside the estimation record. The test record is not opened.

usage: examples/real/emps/choose.py [--data DIR]

The record repeats one motion four times, so that leaving out a period would leave out nothing. Left out is a part of the motion, an eighth,
in all periods at once: a law must hold at speeds and places that it was not fitted to. Each window of 0.78 s is simulated
freely from its first samples.
"""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cross_validation import check, choose, settings, subsets  # noqa: E402

ALWAYS = {"M": "{start: 60, min: 40, max: 200}", "Fv": "{start: 100, min: 20, max: 600}", "Fc": "{start: 15, min: 5, max: 60}",
          "offset": "{start: 0, min: -20, max: 20}"}
TERMS = {"direction": {"dFv": "{start: 0, min: -200, max: 200}"},
         "place": {"Fq": "{start: 0, min: -300, max: 300}"},
         "curved place": {"Fq": "{start: 0, min: -300, max: 300}", "Fqq": "{start: 0, min: -1000, max: 1000}"},
         "Stribeck": {"Fs": "{start: 5, min: -30, max: 60}", "vs": "{start: 0.02, min: 0.002, max: 0.1}"},
         "cables": {"stiff": "{start: 0, min: -50, max: 50}"},
         "load": {"load": "{start: 0, min: -0.5, max: 0.5}"},
         "drift": {"drift": "{start: 0, min: -1, max: 1}"},
         "settling": {"settling": "{start: 0, min: -10, max: 10}", "tau": "{start: 8, min: 1, max: 100}"}}
RANGES = {**ALWAYS, **{k: v for term in TERMS.values() for k, v in term.items()}}
PARTS = 8  # of the period of 6.24 s


def text_of(unknowns, part):
    return f"""model: {HERE}/emps.mo
experiments:
  data: emps/DATA_EMPS.csv
  time: t
  split: {{every: 0.78, validation: {"~" if part is None else [part + PARTS * k for k in range(4)]}}}
  measure: {{q: qm}}
  inputs: {{vir: vir}}
  set: {{q.start: data, v.start: data}}
estimate:
""" + "".join(f"  {k}: {RANGES[k]}\n" for k in unknowns)


if __name__ == "__main__":
    laws = subsets(ALWAYS, TERMS, longest=8)
    chosen = choose(settings(__doc__, "emps/DATA_EMPS.csv"), laws, range(1, PARTS + 1), text_of, unit=1000)
    check(laws[chosen], f"{HERE}/problem.yaml")
