"""What Python costs: a fit in C and the same fit through the package, in turn, and the memory of many fits.

    make build/python/wheel.done && PYTHONPATH=build/python/site /usr/bin/python3 bench/python_overhead.py [--fits 10000]

The program in C is compiled here against the library of the package, so both run the same machine code. Each figure is the median
CPU time of single fits: problem made once, then entrain_fit_run, the estimates read, entrain_fit_free.
"""
import argparse
import gc
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import entrain

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(os.path.dirname(entrain.__file__), "_lib")
C = r"""
#include <entrain.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
int main(int argc, char **argv) {
  EntrainProblem *p = entrain_problem_load(argv[1], NULL, 0, NULL);
  if (!p || argc != 3) return 2;
  for (int i = 0; i < atoi(argv[2]); i++) {
    double t = now();
    EntrainFit *f = entrain_fit_run(p, NULL, NULL, NULL);
    ENTRAIN_STRUCT(EntrainEstimate, e);
    for (int k = 0; k < entrain_fit_count(f); k++) entrain_fit_estimate(f, k, &e);
    entrain_fit_free(f);
    printf("%.9f %.17g\n", now() - t, e.value);
  }
  entrain_problem_free(p);
}
"""


def in_c(program, path, fits):
    rows = [line.split() for line in subprocess.run([program, path, str(fits)], capture_output=True, text=True, check=True).stdout.splitlines()]
    return [float(t) for t, _ in rows], float(rows[-1][1])


def in_python(problem, fits):
    times = []
    for _ in range(fits):
        t = time.process_time()
        last = list(problem.fit().parameters.values())[-1].value
        times.append(time.process_time() - t)
    return times, last


def overhead(fits, rounds):
    print(f"{'problem':34s} {'C ms':>9s} {'Python ms':>9s} {'more ms':>9s} {'ratio':>6s}")
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "fit")
        subprocess.run([os.environ.get("CC", "gcc"), "-O2", "-x", "c", "-", "-o", program, "-I", os.path.join(ROOT, "include"),
                        "-x", "none", os.path.join(FOLDER, "libentrain.so.0"), f"-Wl,-rpath,{FOLDER}", f"-Wl,-rpath-link,{FOLDER}"], input=C, text=True, check=True)
        for name in ("pendulum/noisy.yaml", "pendulum/plain.yaml", "single_well/problem.yaml", "two_dof/problem.yaml"):
            path = os.path.join(ROOT, "examples", name)
            if not os.path.exists(path):
                continue
            problem, c, python = entrain.Problem(path), [], []
            in_python(problem, 1)
            for _ in range(rounds):  # in turn: other load of the machine meets both
                times, there = in_c(program, path, fits)
                c += times
                times, here = in_python(problem, fits)
                python += times
                if here != there:
                    sys.exit(f"{name}: C finds {there!r}, Python {here!r}")
            a, b = 1e3 * statistics.median(c), 1e3 * statistics.median(python)
            worst = max(worst, b - a)
            print(f"{name:34s} {a:9.3f} {b:9.3f} {b - a:9.3f} {b / a:6.2f}")
    return worst


def memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


def many(fits):
    t = np.linspace(0, 10, 101)
    m = entrain.Model("model P parameter Real p = 10; Real th(start = 1, fixed = true), om(start = 0, fixed = true); "
                      "equation der(th) = om; der(om) = -p*sin(th); end P;")
    y = m.simulate(t, parameters={"p": 7.3})["th"]
    print(f"resident memory, MB, over {fits} problems, fits and simulations:", end="")
    for k in range(fits + 1):
        problem = entrain.Problem(model=m, data={"time": t, "angle": y}, measure={"th": "angle"}, estimate={"p": dict(start=8, min=0.1, max=200)})
        fit = problem.fit(method="lm")
        fit.channels, fit.json, m.simulate(t, parameters={"p": 3}, sensitivities=True)
        if k % max(1, fits // 5) == 0:
            gc.collect()
            print(f" {memory():.2f}", end="", flush=True)
    print()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fits", type=int, default=1000, help="for the memory")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    more = overhead(20, given.rounds)
    print(f"Python costs at most {more:.3f} ms more (goal: 1 ms)")
    many(given.fits)
    sys.exit(more > 1)
