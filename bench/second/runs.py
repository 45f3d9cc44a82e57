"""What tools/second-set and tools/rigs share: running `entrain fit`, quantiles of chi-square, tables in documents."""
import json
import math
import os
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor


class Fit:
    """One run of `entrain fit`: what its JSON says, in plain fields. `x` is None when there was no result."""

    def __init__(self, status, text, message, cpu, wall):
        self.status, self.message, self.cpu, self.wall = status, message.strip(), cpu, wall
        try:
            self.json = json.loads(text)
        except ValueError:
            self.json = None
        j = self.json or {}
        self.x = {p["name"]: p["value"] for p in j["parameters"]} if j.get("parameters") else None
        self.objective = j.get("objective")
        if self.objective is None or not math.isfinite(self.objective):
            self.objective = math.inf
        self.converged = j.get("outcome") in ("converged", "uncertain")
        self.certificate = j.get("certificate") or {}
        # Builds without a verdict know only whether the result is certain.
        self.verdict = self.certificate.get("verdict") or ("certain" if self.certificate.get("certain") else "doubtful")
        if not j:
            self.verdict = "none"
        self.total = simulations(j.get("work"))
        self.profiles = simulations((j.get("work") or {}).get("profiles"))
        search = (j.get("work") or {}).get("search")
        self.search = self.total if search is None else simulations(search)
        self.stages = j.get("stages") or []


def simulations(work):
    """With and without sensitivities; a plain number is taken as it is."""
    if isinstance(work, dict):
        return work.get("simulations", 0) + work.get("sensitivity_simulations", 0)
    return work or 0


def start_text(x):
    return ",".join(f"{name}={value!r}" for name, value in x.items())


def fit(entrain, problem, start=None, method=None, seconds=0, more=(), threads=1):
    """max_seconds is wall time. Where other work of the machine took more than half of it, the fit is run again with ten
    times as much, so that a loaded machine turns no fit into a failure."""
    run = fit_once(entrain, problem, start, method, seconds, more, threads)
    if seconds and run.wall >= seconds and run.cpu < seconds / 2:
        run = fit_once(entrain, problem, start, method, 10 * seconds, more, threads)
    run.limited = bool(seconds) and run.wall >= seconds and run.cpu >= seconds / 2
    return run


def fit_once(entrain, problem, start, method, seconds, more, threads):
    words = [entrain, "fit", problem, "-q", "--json", "-", *more]
    if threads:
        words += ["-j", str(threads)]
    if start:
        words += ["--start", start_text(start)]
    if method:
        words += ["--method", method]
    if seconds:
        words.append(f"--max_seconds={seconds:g}")
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.monotonic()
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - begin
        out.seek(0), err.seek(0)
        return Fit(process.returncode, out.read().decode(), err.read().decode(), usage.ru_utime + usage.ru_stime, wall)


def side_by_side(jobs, function, items):
    """function of each item, `jobs` at a time, in order."""
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(function, items))


def chi_square_below(x, n):
    """Probability: series of the incomplete gamma function."""
    a, x = n / 2, x / 2
    if x <= 0:
        return 0.0
    term = total = 1 / a
    k = a
    while term > 1e-17 * total:
        k += 1
        term *= x / k
        total += term
    return total * math.exp(a * math.log(x) - x - math.lgamma(a))


def chi_square_quantile(p, n):
    low, high = 0.0, n + 20 * math.sqrt(2 * n) + 40
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if chi_square_below(middle, n) < p else (low, middle)
    return low


def median(values):
    s = sorted(values)
    return math.nan if not s else (s[(len(s) - 1) // 2] + s[len(s) // 2]) / 2


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(str(c) for c in line) + " |\n" for line in lines)


def write_between(path, name, text):
    """Replaces what is between the markers of `name`; adds them at the end of the document when it has none."""
    begin, end = f"<!-- made by {name}: begin -->\n", f"<!-- made by {name}: end -->\n"
    with open(path) as f:
        old = f.read()
    before, found, rest = old.partition(begin)
    after = rest.partition(end)[2] if found else ""
    if not found:
        before = old.rstrip("\n") + "\n\n"
    with open(path, "w") as f:
        f.write(before + begin + "\n" + text.strip("\n") + "\n\n" + end + after)
