#!/usr/bin/python3
"""EMPS: mass and friction of a carriage from its motor voltage and its position."""
import argparse
import os
import pathlib
import sys

import numpy as np

import entrain

HERE = pathlib.Path(__file__).parent
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--data", default=os.environ.get("ENTRAIN_DATA", "."), help="folder of the records (default: ENTRAIN_DATA)")
folder = pathlib.Path(parser.parse_args().data) / "emps"
if not folder.is_dir():
    sys.exit(f"skipped: there is no {folder}; --data DIR or ENTRAIN_DATA names the folder, README.md says where the record comes from")


def record(file, **more):
    r = np.genfromtxt(folder / file, delimiter=",", names=True)
    return dict(data={"time": r["t"], "position": r["qm"], "vir": r["vir"]}, measure={"q": "position"},
                set={"q.start": "data", "v.start": "data"}, **more)


problem = entrain.Problem(
    model=HERE / "emps.mo",
    experiments=[record("DATA_EMPS.csv", name="estimation", split={"every": 0.78}),
                 record("DATA_EMPS_PULSES.csv", name="pulses", role="validation", unscored=20)],
    estimate={
        "M": dict(start=60, min=40, max=200),
        "Fv": dict(start=100, min=20, max=600),
        "Fc": dict(start=15, min=5, max=60),
        "offset": dict(start=0, min=-20, max=20),
        "dFv": dict(start=0, min=-200, max=200),
        "Fq": dict(start=0, min=-300, max=300),
        "load": dict(start=0, min=-0.5, max=0.5),
        "drift": dict(start=0, min=-1, max=1),
    })
fit = problem.fit()

for name, p in fit.parameters.items():
    print(f"{name:7} {p.value:10.5g} +- {p.std_error:.2g}")
print("verdict:", fit.verdict)
held_back = np.concatenate([c.residual for c in fit.channels if c.role == "validation"])
print(f"pulses: {1000*np.sqrt(np.mean(held_back**2)):.3g} mm")
