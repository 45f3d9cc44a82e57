#!/usr/bin/python3
"""Single pendulum: weight and friction of an arm that swings freely."""
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
        yield dict(data={"time": w["t"], "angle": w["theta1"]}, measure={"arm.phi": "angle"}, name=f"{name[7:12]}{number:.0f}",
                   set={"arm.phi.start": w["theta1"][0], "arm.w.start": w["dtheta1"][0]}, **more)


problem = entrain.Problem(
    model=HERE / "single_pendulum.mo",
    experiments=[*windows("single_identification.csv"), *windows("single_validation.csv", role="validation")],
    estimate={
        "p": dict(start=40, min=1, max=200),
        "c": dict(start=0.05, min=0, max=5),
        "d": dict(start=0.05, min=0, max=5),
        "k": dict(start=0, min=0, max=0.1),
        "tilt": dict(start=0, min=-0.1, max=0.1),
    })
fit = problem.fit()

for name, p in fit.parameters.items():
    print(f"{name:5} {p.value:10.5g} +- {p.std_error:.2g}")
print("verdict:", fit.verdict)
held_back = np.concatenate([c.residual for c in fit.channels if c.role == "validation"])
print(f"check windows: {np.sqrt(np.mean(held_back**2)):.3g} rad")
