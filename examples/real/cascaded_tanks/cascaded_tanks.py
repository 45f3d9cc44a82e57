#!/usr/bin/python3
"""Cascaded tanks: pump, outlets and overflow from the level of the lower tank."""
import argparse
import os
import pathlib
import sys

import numpy as np

import entrain

HERE = pathlib.Path(__file__).parent
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--data", default=os.environ.get("ENTRAIN_DATA", "."), help="folder of the records (default: ENTRAIN_DATA)")
folder = pathlib.Path(parser.parse_args().data) / "cascaded-tanks"
if not folder.is_dir():
    sys.exit(f"skipped: there is no {folder}; --data DIR or ENTRAIN_DATA names the folder, README.md says where the record comes from")
r = np.genfromtxt(folder / "dataBenchmark.csv", delimiter=",", names=True)


def record(which, **more):
    time = 4.0*np.arange(len(r))
    return dict(data={"time": time, "level": r["y" + which], "u": r["u" + which]}, measure={"y": "level"}, interpolation="hold", **more)


problem = entrain.Problem(
    model=HERE / "cascaded_tanks.mo",
    experiments=[record("Est", name="estimation"), record("Val", name="test", role="validation", unscored=50)],
    estimate={
        "k1": dict(start=0.0125, min=0.0001, max=0.5, scale="log"),
        "k2": dict(start=0.0125, min=0.0001, max=0.5, scale="log"),
        "k3": dict(start=0.025, min=0.0025, max=0.5, scale="log"),
        "k4": dict(start=0.025, min=0.0025, max=0.5, scale="log"),
        "k5": dict(start=1, min=0, max=12),
        "x1.start": dict(start=5, min=0, max=12),
        "x2.start": dict(start=5.2, min=4, max=6),
        "n2": dict(start=0.5, min=0.05, max=2),
        "h2": dict(start=0, min=-2, max=2.8),
    })
fit = problem.fit()

for name, p in fit.parameters.items():
    print(f"{name:8} {p.value:10.5g} +- {p.std_error:.2g}")
print("verdict:", fit.verdict)
held_back = np.concatenate([c.residual for c in fit.channels if c.role == "validation"])
print(f"test: {np.sqrt(np.mean(held_back**2)):.3g} V")
