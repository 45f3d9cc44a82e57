#!/usr/bin/python3
"""The fits of examples/real in SciPy beside entrain: time, objective, test error.

usage, from the root of the project: bench/rigs/scipy_rigs.py [--data DIR] [--entrain build/entrain] [--starts 10] [--only NAME]

SciPy: least_squares (trust region reflective, bounds, x_scale="jac", slopes by differences), logarithms of unknowns that entrain searches so, the
right-hand side and a Runge-Kutta method with fixed steps in C (rigs.c, compiled with -O3). entrain: `--method=lm` and `auto` with confirming
searches, without profiles. Both have the same data, unknowns, bounds and starts: that of the problem file, then random ones. Times are CPU
times; those of entrain include its start, reading the files and compiling the model, those of SciPy only least_squares.
"""
import argparse
import ctypes
import os
import random
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.optimize import least_squares

sys.dont_write_bytecode = True
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "bench/second"))
import runs  # noqa: E402

SAME = 1e-3
DOUBLES = ctypes.POINTER(ctypes.c_double)


def pointer(a):
    return a.ctypes.data_as(DOUBLES)


class Window:
    """A stretch that is simulated by itself: times, input, start state, what is measured, and from which sample on it counts."""

    def __init__(self, t, y, u=None, start=(), first=0):
        self.t, self.y = np.ascontiguousarray(t), np.ascontiguousarray(y, dtype=float).reshape(len(t), -1)
        self.u = np.ascontiguousarray(u) if u is not None else None
        self.start, self.first = np.array(start, dtype=float), first

    def residual(self, function, p):
        out = np.empty_like(self.y)
        function(pointer(self.t), pointer(self.u) if self.u is not None else None, len(self.t), pointer(self.start), pointer(p), pointer(out))
        r = (out - self.y)[self.first:].ravel()
        return np.where(np.isfinite(r) & (np.abs(r) < 1e6), r, 1e6)


def emps(data):
    def start(t, q):  # parabola through five samples, as entrain
        c = np.polyfit(t[:5] - t[0], q[:5], 2)
        return q[0], c[1]
    a, b = (np.genfromtxt(f"{data}/emps/{n}", delimiter=",", names=True) for n in ("DATA_EMPS.csv", "DATA_EMPS_PULSES.csv"))
    cuts = [int(np.searchsorted(a["t"], 0.78 * k - 1e-6)) for k in range(32)] + [len(a)]
    fitted = [Window(w["t"], w["qm"], w["vir"], start(w["t"], w["qm"])) for w in (a[i:j] for i, j in zip(cuts, cuts[1:]))]
    return fitted, [Window(b["t"], b["qm"], b["vir"], start(b["t"], b["qm"]), 20)]


def tanks(data):
    r = np.genfromtxt(f"{data}/cascaded-tanks/dataBenchmark.csv", delimiter=",", names=True)
    t = 4.0 * np.arange(len(r))
    return [Window(t, r["yEst"], r["uEst"])], [Window(t, r["yVal"], r["uVal"], first=50)]


def windows(path, angles):
    r = np.genfromtxt(path, delimiter=",", names=True)
    for number in np.unique(r["window"]):
        w = r[r["window"] == number]
        y = np.column_stack([w[f"theta{k}"] for k in angles])
        yield Window(w["t"], y, None, [*y[0], *(w[f"dtheta{k}"][0] for k in angles)])


def single(data):
    return [list(windows(f"{data}/multiarm-pendulum/single_{n}.csv", [1])) for n in ("identification", "validation")]


def pair(data):
    return [list(windows(f"{data}/multiarm-pendulum/double_{n}.csv", [1, 2])) for n in ("identification", "validation")]


def damper(data):
    r = np.genfromtxt(f"{data}/mr-damper-labcontrol/mrdamper_4.1.csv", delimiter=",", names=True)
    n = int(np.sum(r["t_s"] <= 15.0001))
    return [Window(r["t_s"][:n], r["force_N"][:n], r["vel_mm_s"][:n])], [Window(r["t_s"], r["force_N"], r["vel_mm_s"], first=n)]


RIGS = {"emps": emps, "cascaded_tanks": tanks, "single_pendulum": single, "double_pendulum": pair, "mr_damper": damper}


def by_scipy(function, fitted, test, unknowns, start):
    """Unknowns with scale log are searched as logarithms, as entrain does."""
    logs = np.array([u["scale"] == "log" for u in unknowns])

    def to(x):
        return np.where(logs, np.log(np.where(logs, x, 1)), x)

    def back(z):
        return np.where(logs, np.exp(np.where(logs, z, 0)), z)

    def residuals(z):
        p = back(z)
        return np.concatenate([w.residual(function, p) for w in fitted])

    low, high = (to(np.array([u[k] for u in unknowns], dtype=float)) for k in ("min", "max"))
    begin = time.process_time()
    result = least_squares(residuals, np.clip(to(np.array(start, dtype=float)), low, high), bounds=(low, high), x_scale="jac", max_nfev=200)
    cpu = time.process_time() - begin
    r = np.concatenate([w.residual(function, back(result.x)) for w in test])
    return result.cost, cpu, float(np.sqrt(np.mean(r ** 2)))


def test_error(run):
    rows = [(c["n"], c["rmse"]) for c in run.json["channels"] if c["role"] == "validation"]
    return (sum(n * e * e for n, e in rows) / sum(n for n, _ in rows)) ** 0.5


def random_start(unknowns, rng):
    return [float(np.exp(rng.uniform(np.log(u["min"]), np.log(u["max"])))) if u["scale"] == "log" else rng.uniform(u["min"], u["max"]) for u in unknowns]


def rows_of(name, library, settings):
    problem = os.path.join(ROOT, "examples/real", name, "problem.yaml")
    function = getattr(library, RIGS[name].__name__)
    fitted, test = RIGS[name](settings.data)
    more = ["--profiles=off", "--data", settings.data]
    first = runs.fit(settings.entrain, problem, None, "auto", 0, more)
    unknowns = first.json["parameters"]
    rng = random.Random(1)
    starts = [[u["start"] for u in unknowns]] + [random_start(unknowns, rng) for _ in range(settings.starts)]
    found = {"least_squares": [by_scipy(function, fitted, test, unknowns, s) for s in starts]}
    for method in "lm", "auto":
        done = [runs.fit(settings.entrain, problem, dict(zip([u["name"] for u in unknowns], s)), method, 0, more) for s in starts]
        found[f"entrain {method}"] = [(r.objective, r.cpu, test_error(r) if r.json else float("nan")) for r in done]
    best = min(o for rows in found.values() for o, _, _ in rows)
    for method, rows in found.items():
        reached = sum(o <= best * (1 + SAME) for o, _, _ in rows[1:])
        yield [name, method, f"{rows[0][0]:.6g}", f"{rows[0][2]:.4g}", f"{rows[0][1]:.2f}", f"{reached} of {len(rows) - 1}", f"{runs.median([c for _, c, _ in rows[1:]]):.2f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("ENTRAIN_DATA", "."))
    parser.add_argument("--entrain", default=os.path.join(ROOT, "build/entrain"))
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--only", default="")
    settings = parser.parse_args()
    if not os.path.isdir(os.path.join(settings.data, "emps")):
        sys.exit(f"skipped: no records in {settings.data}; --data DIR or ENTRAIN_DATA names the folder (see examples/real/README.md)")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cc", "-O3", "-march=native", "-fPIC", "-shared", "-o", f"{folder}/rigs.so", os.path.join(ROOT, "bench/rigs/rigs.c"), "-lm"], check=True)
        library = ctypes.CDLL(f"{folder}/rigs.so")
        for name in RIGS:
            if settings.only in ("", name):
                for row in rows_of(name, library, settings):
                    rows.append(row)
                    print(*row, sep="\t", file=sys.stderr, flush=True)
    print(runs.table(["rig", "method", "objective", "test error", "CPU s", "best optimum from random starts", "CPU s, median"], rows))


if __name__ == "__main__":
    main()
