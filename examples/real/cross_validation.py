"""Chooses the structure of a model by cross-validation inside the training record; the choose.py of each rig says which structures.

Each structure is fitted to all of the training record but a part, which it then predicts by free simulation; every part is left
out once. The rule is the same for all rigs. A structure is a candidate if the whole training record determines each of its numbers, none of
them at a bound. Of the candidates whose mean squared error is not more than one standard error above the least (of the
difference to the best, over the parts), the one with the fewest unknowns is chosen; of equals the one with the least error. No file
but the training record is opened.
"""
import argparse
import concurrent.futures
import itertools
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def settings(about, record):
    """The arguments of a choose.py. Ends with a clear line where the record is absent."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("ENTRAIN_DATA", "."), help="folder of the records (default: ENTRAIN_DATA)")
    parser.add_argument("--entrain", default=os.path.join(HERE, "../../build/entrain"), help="the command (default: build/entrain)")
    parser.add_argument("--threads", type=int, default=2, help="fits at a time")
    chosen = parser.parse_args()
    if not os.path.exists(os.path.join(chosen.data, record)):
        sys.exit(f"skipped: there is no {record} in {chosen.data}; --data DIR or ENTRAIN_DATA names the folder, README.md says where the record comes from")
    return chosen


def fit(chosen, text, method):
    """The result of `entrain fit` for the text of a problem, as it is in the JSON."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/p.yaml", "w") as f:
            f.write(text)
        done = subprocess.run([chosen.entrain, "fit", f"{folder}/p.yaml", "-q", "--data", chosen.data, "--method", method, "--threads=1", "--confirm=off",
                               "--profiles=off", "--json", f"{folder}/r.json"], capture_output=True, text=True)
        if not os.path.exists(f"{folder}/r.json"):
            raise RuntimeError(done.stderr + text)
        with open(f"{folder}/r.json") as f:
            return json.load(f)


def error_of(result):
    """Mean squared error in what was left out: experiments for validation, or the windows of a record that is simulated as a whole."""
    rows = [(c["n"], c["rmse"]) for c in result["channels"] if c["role"] == "validation"]
    rows = rows or [(w["n"], w["rmse"]) for c in result["channels"] for w in c["windows"].values()]
    if any(rmse is None for _, rmse in rows):
        return float("inf")
    return sum(n * rmse ** 2 for n, rmse in rows) / sum(n for n, _ in rows)


def obstacle(result):
    """Why a structure is no candidate; an empty text if it is one."""
    wrong = [p["name"] + (" at a bound" if p["at_bound"] else " not determined") for p in result["parameters"] if p["at_bound"] or not p["identifiable"]]
    return ", ".join(wrong)


def choose(chosen, structures, parts, text_of, unit=1, method="lm"):
    """structures: names of their unknowns, by name; text_of(unknowns, part) is the problem that leaves out a part, None: nothing. Prints
    the table, returns the choice."""
    with concurrent.futures.ThreadPoolExecutor(chosen.threads) as pool:
        jobs = {(s, p): pool.submit(fit, chosen, text_of(unknowns, p), method) for s, unknowns in structures.items() for p in (None, *parts)}
        errors = {s: [error_of(jobs[s, p].result()) for p in parts] for s in structures}
        why_not = {s: obstacle(jobs[s, None].result()) for s in structures}
    mean = {s: statistics.fmean(errors[s]) for s in structures}
    candidates = [s for s in structures if not why_not[s]]
    best = min(candidates, key=mean.get)
    near = []
    for s in candidates:
        above = [a - b for a, b in zip(errors[s], errors[best])]
        if s == best or mean[s] - mean[best] <= statistics.stdev(above) / len(parts) ** 0.5:
            near.append(s)
    choice = min(near, key=lambda s: (len(structures[s]), mean[s]))
    print(f"| structure | unknowns | error in each of the {len(parts)} left-out parts | pooled | |\n| --- | --- | --- | --- | --- |")
    for s in sorted(structures, key=mean.get):
        mark = "**chosen**" if s == choice else "least" if s == best else "within one standard error" if s in near else why_not[s]
        print(f"| {s} | {len(structures[s])} | {', '.join(f'{unit * e ** 0.5:.3g}' for e in errors[s])} | {unit * mean[s] ** 0.5:.4g} | {mark} |")
    print(f"\nchosen: {choice}: {' '.join(structures[choice])}")
    return choice


def subsets(always, terms, longest=99):
    """Structures of the unknowns that are always there and every choice of terms, by name."""
    out = {}
    for count in range(len(terms) + 1):
        for some in itertools.combinations(terms, count):
            unknowns = [*always, *(k for t in some for k in terms[t])]
            if len(set(unknowns)) == len(unknowns) <= longest:
                out[" + ".join(some) or "none"] = unknowns
    return out


def check(unknowns, problem):
    """Exit status 1 if the problem file estimates other unknowns than those chosen."""
    with open(problem) as f:
        there = re.findall(r"^  ([\w.]+):", f.read().split("\nestimate:\n")[1].split("\nexperiments:")[0], re.M)
    if sorted(there) != sorted(unknowns):
        sys.exit(f"{problem} estimates {' '.join(there)}")
    print(f"{os.path.relpath(problem)} estimates these")
