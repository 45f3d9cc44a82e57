#!/usr/bin/python3
"""Double pendulum: inertias, weights and friction of two arms that swing freely."""
import argparse
import os
import pathlib
import sys

import numpy as np

import entrain

HERE = pathlib.Path(__file__).parent
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--data", default=os.environ.get("ENTRAIN_DATA", "."), help="folder of the records (default: ENTRAIN_DATA)")
folder = pathlib.Path(parser.parse_args().data) / "multiarm-pendulum"
if not folder.is_dir():
    sys.exit(f"skipped: there is no {folder}; --data DIR or ENTRAIN_DATA names the folder, README.md says where the record comes from")


def windows(name, **more):
    r = np.genfromtxt(folder / name, delimiter=",", names=True)
    for number in np.unique(r["window"]):
        w = r[r["window"] == number]
        yield dict(data={"time": w["t"], "inner": w["theta1"], "outer": w["theta2"]}, measure={"th1": "inner", "th2": "outer"},
                   name=f"{name[7:12]}{number:.0f}",
                   set={"th1.start": w["theta1"][0], "th2.start": w["theta2"][0], "w1.start": w["dtheta1"][0], "w2.start": w["dtheta2"][0]}, **more)


problem = entrain.Problem(
    model=HERE / "double_pendulum.mo",
    experiments=[*windows("double_identification.csv"), *windows("double_validation.csv", role="validation")],
    estimate={
        "J1": dict(start=2.5, min=1.2, max=20),
        "J2": dict(start=1.5, min=0.9, max=6),
        "G1": dict(start=100, min=20, max=600),
        "G2": dict(start=80, min=20, max=200),
        "c1": dict(start=0.1, min=0, max=5),
        "air": dict(start=0.1, min=0, max=2),
        "tilt1": dict(start=0, min=-0.1, max=0.1),
        "tilt2": dict(start=0, min=-0.1, max=0.1),
    })
fit = problem.fit()

for name, p in fit.parameters.items():
    print(f"{name:5} {p.value:10.5g} +- {p.std_error:.2g}")
print("verdict:", fit.verdict)
held_back = np.concatenate([c.residual for c in fit.channels if c.role == "validation"])
print(f"check windows: {np.sqrt(np.mean(held_back**2)):.3g} rad")
