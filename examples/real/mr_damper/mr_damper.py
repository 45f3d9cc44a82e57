#!/usr/bin/python3
"""MR damper: viscous and yielding force and the gas spring from the speed of the rod and its force."""
import argparse
import os
import pathlib
import sys

import numpy as np

import entrain

HERE = pathlib.Path(__file__).parent
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--data", default=os.environ.get("ENTRAIN_DATA", "."), help="folder of the records (default: ENTRAIN_DATA)")
folder = pathlib.Path(parser.parse_args().data) / "mr-damper-labcontrol"
if not folder.is_dir():
    sys.exit(f"skipped: there is no {folder}; --data DIR or ENTRAIN_DATA names the folder, README.md says where the record comes from")
r = np.genfromtxt(folder / "mrdamper_4.1.csv", delimiter=",", names=True)
columns = {"time": r["t_s"], "force": r["force_N"], "v": r["vel_mm_s"]}

problem = entrain.Problem(
    model=HERE / "mr_damper.mo",
    measure={"F": "force"},
    experiments=[dict(data=columns, name="fitted", window=[0, 15]),
                 dict(data=columns, name="held back", role="validation", start=0, window=[15.005, None])],
    estimate={
        "Kx": dict(start=5, min=0.05, max=20, scale="log"),
        "Kw": dict(start=10, min=2, max=1000, scale="log"),
        "rho": dict(start=0.05, min=0.01, max=100, scale="log"),
        "f0": dict(start=0, min=-100, max=100),
        "fluid.z.start": dict(start=0, min=-0.2, max=0.2),
        "k": dict(start=0, min=-5, max=5),
        "k3": dict(start=0, min=-1, max=1),
        "Kq": dict(start=0, min=-0.1, max=0.1),
    })
fit = problem.fit()

for name, p in fit.parameters.items():
    print(f"{name:13} {p.value:10.5g} +- {p.std_error:.2g}")
print("verdict:", fit.verdict)
held_back = np.concatenate([c.residual for c in fit.channels if c.role == "validation"])
print(f"15 to 30 s: {np.sqrt(np.mean(held_back**2)):.3g} N")
