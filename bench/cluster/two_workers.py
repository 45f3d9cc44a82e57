#!/usr/bin/env python3
"""One process against two on the same study: bench/cluster/two_workers.py [ROUNDS]

Runs a study with `-j 1` alone, and with one worker `entrain work -j 1` beside it, several times each in turns, with a private PostgreSQL
server on this machine. The time is that of the runs: from the begin of the study to the commit of its last run (the server keeps the times
of commits). What one process does afterwards alone, such as sorting optima, is not in it. ENTRAIN names the program.
"""
import os
import statistics
import subprocess
import sys
import time

from server import Link, Server

TREE = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
ENTRAIN = os.environ.get("ENTRAIN", TREE + "/build/entrain")
STUDIES = [
    ("runs of about 5 ms", ["basin", "single_well/problem.yaml", "--random", "1500", "--method", "lm", "--lanes", "off"]),
    ("runs of about 50 ms", ["basin", "lorenz/problem.yaml", "--random", "160", "--method", "lm", "--lanes", "off",
                             "--rel_tol", "1e-11"]),
    ("a program that sleeps 50 ms", ["scan", "program_vehicle/problem.yaml", "--over", "mu1=0.1:0.4:200", "--set",
                                     "model.parameters.pause=50", "-o", os.devnull]),
]


def one(server, words, helped):
    url = server.make("studies")
    worker = None
    if helped:
        worker = subprocess.Popen([ENTRAIN, "work", url, "-j", "1", "-q", "--simulators", TREE + "/examples/program_vehicle"])
        time.sleep(1)
    subprocess.run([ENTRAIN, *words, "-j", "1", "-q", "--store", url], check=False, cwd=TREE + "/examples")
    if worker:
        worker.terminate()
        worker.wait()
    link = Link(url)
    row = link.plain("SELECT max(extract(epoch from pg_xact_commit_timestamp(xmin))) - (SELECT made FROM study), count(*), "
                     "avg(seconds), sum(seconds) FROM job")[0][0]
    shares = link.plain("SELECT string_agg(done::text, ' + ' ORDER BY id) FROM worker")[0][0][0].decode()
    link.close()
    return [float(v) for v in row] + [shares]


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    server = Server(settings="track_commit_timestamp = on")
    try:
        for name, words in STUDIES:
            alone, both = [], []
            for _ in range(rounds):
                alone.append(one(server, words, False))
                both.append(one(server, words, True))
                print(f"  alone {alone[-1][0]:.2f} s (runs {1000 * alone[-1][2]:.1f} ms), with a worker {both[-1][0]:.2f} s "
                      f"(runs {1000 * both[-1][2]:.1f} ms, {both[-1][4]}), load {os.getloadavg()[0]:.1f}", flush=True)
            ratios = [a[0] / b[0] for a, b in zip(alone, both)]
            print(f"{name}: {int(alone[0][1])} runs; ratio {statistics.median(ratios):.2f} (median of {rounds}; "
                  f"{min(ratios):.2f} to {max(ratios):.2f}), of the fastest {min(a[0] for a in alone) / min(b[0] for b in both):.2f}; "
                  f"share of the time in runs: alone {statistics.median(a[3] / a[0] for a in alone):.3f}, "
                  f"two {statistics.median(b[3] / (2 * b[0]) for b in both):.3f}")
    finally:
        server.stop()


if __name__ == "__main__":
    main()
