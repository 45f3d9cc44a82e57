#!/usr/bin/env python3
"""Kills processes of studies at random moments, and looks at what is left.

  tests/store/kill_trial.py --entrain build/entrain --kills 200 [--seed 1] [--server] [--only basin]

A multistart, a basin map, a genetic algorithm and a study of known truth run with a store; SIGKILL comes to the main program, a
worker or (--server) the PostgreSQL server at a random moment. After 'entrain resume', or by what goes on:
  - the result is that of an uninterrupted run without a store, bit for bit (times excepted);
  - no answer that was committed before has changed or was computed again by those who came later;
  - every answer is there once; what was computed twice is at most one batch for each process that was killed.
Prints a line for each law that is broken, and 'N passed, N failed'.
"""
import argparse
import json
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

MODEL = """model Swing
  parameter Real w(min = 0.5, max = 8) = 3;
  parameter Real d(min = 0, max = 0.2) = 0.1;
  Real x(start = 1, fixed = true); Real v(start = 0, fixed = true);
equation
  der(x) = v; der(v) = -w^2*sin(x) - d*v;
end Swing;
"""
PROBLEM = """model: swing.mo
experiments: [{data: swing.csv, measure: {x: x}}]
estimate: {w: {start: 5}, d: {start: 0.05}}
"""
STUDIES = {
    "multistart": ["fit", "swing.yaml", "--method=multistart(lm,120)", "--target_objective=0", "--lanes=off"],
    "basin": ["basin", "swing.yaml", "--grid=40x8", "--method=lm"],
    "ga": ["fit", "swing.yaml", "--method=ga", "--population=40", "--generations=60"],
    "recover": ["recover", "swing.yaml", "--trials=60", "--noise=0.05", "--method=homotopy"],
}


def without_times(x):
    if isinstance(x, dict):
        return {k: without_times(v) for k, v in x.items() if "seconds" not in k}
    return [without_times(v) for v in x] if isinstance(x, list) else x


def load(path):
    with open(path) as f:
        return without_times(json.load(f))


def free_port():
    """A port of this machine that nobody listens on, below those that it gives to connections; not from the seed, which
    would give trials that run at the same time the same one."""
    for port in random.SystemRandom().sample(range(20000, 32000), 1000):
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass
    raise RuntimeError("no port is free")


class Server:
    """A PostgreSQL server of our own, on 127.0.0.1."""

    def __init__(self, folder):
        self.folder = folder
        programs = sorted(p for p in os.listdir("/usr/lib/postgresql"))[-1]
        self.programs = f"/usr/lib/postgresql/{programs}/bin"
        self.port = free_port()
        self.as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        os.makedirs(folder)
        if self.as_user:
            shutil.chown(folder, "postgres")
            os.chmod(os.path.dirname(folder), 0o755)
        self.call("initdb", "-D", folder + "/data", "-A", "trust", "-U", "postgres")
        self.start()
        self.count = 0

    def call(self, program, *words):
        subprocess.run(self.as_user + [f"{self.programs}/{program}", *words], check=True, cwd="/",
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self):
        options = f"-p {self.port} -c unix_socket_directories= -h 127.0.0.1"
        self.call("pg_ctl", "-D", self.folder + "/data", "-o", options, "-l", self.folder + "/log", "-w", "start")

    def kill(self):
        """The server and all that it has started, which have its folder as theirs."""
        data = os.path.realpath(self.folder + "/data")
        alive = True
        while alive:
            alive = False
            for process in filter(str.isdigit, os.listdir("/proc")):
                try:
                    if os.readlink(f"/proc/{process}/cwd") == data:
                        os.kill(int(process), signal.SIGKILL)
                        alive = True
                except (FileNotFoundError, ProcessLookupError, PermissionError):
                    pass
            time.sleep(0.02)
        try:
            os.unlink(self.folder + "/data/postmaster.pid")
        except FileNotFoundError:
            pass

    def stop(self):
        self.call("pg_ctl", "-D", self.folder + "/data", "-m", "immediate", "stop")

    def new_store(self):
        self.count += 1
        name = f"trial{self.count}"
        self.call("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", name)
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}"

    def query(self, store, sql):
        done = subprocess.run([f"{self.programs}/psql", "-At", "-F", "|", "-c", sql, store], capture_output=True,
                              text=True, check=True)
        return [line.split("|") for line in done.stdout.splitlines()]


class Trial:
    def __init__(self, args, folder, server):
        self.args, self.folder, self.server = args, folder, server
        self.failures = []

    def query(self, store, sql):
        if store.startswith("postgresql"):
            return self.server.query(store, sql)
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as db:
            return [[str(v) for v in row] for row in db.execute(sql)]

    def start(self, *words):
        return subprocess.Popen([self.args.entrain, *words], cwd=self.folder, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)

    def answers(self, store):
        """Each answer with who committed it."""
        digest = "md5(answer)" if store.startswith("postgresql") else "hex(answer)"
        try:
            return {row[0]: row[1:] for row in self.query(store, f"SELECT id, worker, {digest} FROM job")}
        except (sqlite3.OperationalError, subprocess.CalledProcessError):
            return {}

    def law(self, name, holds, detail=""):
        if not holds:
            self.failures.append(f"{name}: {detail}")

    def run(self, number, study, reference, duration, victim, kind):
        store = self.server.new_store() if kind == "postgresql" else os.path.join(self.folder, f"s{number}.db")
        words = STUDIES[study] + ["--store", store, "--json", "result.json", "-q"]
        result = os.path.join(self.folder, "result.json")
        if os.path.exists(result):
            os.unlink(result)
        main = self.start(*words)
        worker = None
        if victim != "main" or number % 2:
            while kind != "postgresql" and not os.path.exists(store) and main.poll() is None:
                time.sleep(0.005)
            worker = self.start("work", store, "--idle=0", "-j", "1", "-q")
        time.sleep(random.uniform(0, 1.2 * duration))
        {"main": main.kill, "worker": worker.kill if worker else None, "server": self.server.kill if self.server else None}[victim]()
        if victim == "main":
            main.wait()
        made = kind == "postgresql" or os.path.exists(store)
        if victim == "server":
            time.sleep(random.uniform(0, 1))
            self.server.start()
        before = self.answers(store) if made else {}
        if victim == "main":
            if worker:
                worker.wait()
            has_study = made and self.studies(store) > 0
            if has_study:
                main = self.start("resume", store, "--json", "result.json", "-q")
            else:
                main = self.start(*words)
        errors = main.communicate()[1]
        if victim == "server" and main.returncode == 2 and not self.studies(store):  # it had not begun
            main = self.start(*words)
            errors = main.communicate()[1]
        if worker:
            worker.wait()
        self.law("exit status", main.returncode == reference[1], f"{main.returncode}: {errors[:300]}")
        self.law("result", os.path.exists(result) and load(result) == reference[0], "differs")
        after = self.answers(store)
        self.law("committed answers stay", all(after.get(k) == v for k, v in before.items()), "one was lost or replaced")
        self.count(store, len(after), 0 if victim == "server" else 1)
        return store

    def studies(self, store):
        try:
            return int(self.query(store, "SELECT count(*) FROM study")[0][0])
        except (sqlite3.OperationalError, subprocess.CalledProcessError):
            return 0

    def count(self, store, answers, killed):
        sets = self.query(store, "SELECT sum(done) FROM item WHERE count > 0")[0][0]
        self.law("counts", int(sets or 0) == answers, f"{sets} counted, {answers} there")
        twice = self.query(store, "SELECT coalesce(max(repeated), 0) FROM worker")[0][0]
        batches = self.query(store, "SELECT coalesce(max(count), 0) FROM item")[0][0]
        self.law("computed twice", int(twice) <= int(batches), f"{twice} answers, batches have at most {batches}")
        left = self.query(store, "SELECT count(*) FROM claim")[0][0]
        self.law("claims", int(left) == 0, f"{left} are left")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--entrain", required=True)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--server", action="store_true")
    parser.add_argument("--only", choices=sorted(STUDIES))
    args = parser.parse_args()
    args.entrain = os.path.abspath(args.entrain)
    random.seed(args.seed)
    folder = tempfile.mkdtemp(prefix="entrain-kills.")
    os.chmod(folder, 0o755)
    server = None
    passed = failed = 0
    try:
        with open(folder + "/swing.mo", "w") as f:
            f.write(MODEL)
        with open(folder + "/swing.yaml", "w") as f:
            f.write(PROBLEM)
        subprocess.run([args.entrain, "simulate", "swing.mo", "--stop", "20", "--step", "0.1", "--variables", "x",
                        "--noise", "0.02", "--noise_kind", "additive", "-o", "swing.csv"], cwd=folder, check=True)
        if args.server:
            server = Server(folder + "/server")
        references = {}
        studies = [args.only] if args.only else sorted(STUDIES)
        for study in studies:
            began = time.time()
            status = subprocess.run([args.entrain, *STUDIES[study], "--json", "reference.json", "-q"], cwd=folder).returncode
            references[study] = (load(folder + "/reference.json"), status), time.time() - began
        victims = ["main", "main", "worker"] + (["server"] if server else [])
        for number in range(args.kills):
            study = studies[number % len(studies)]
            victim = random.choice(victims)
            kind = "postgresql" if victim == "server" or (server and random.random() < 0.5) else "sqlite"
            trial = Trial(args, folder, server)
            (reference, duration) = references[study]
            store = trial.run(number, study, reference, duration, victim, kind)
            for text in trial.failures:
                print(f"kill {number} of {victim}, {study}, {kind} ({store}): {text}")
            passed += not trial.failures
            failed += bool(trial.failures)
    finally:
        if server:
            server.stop()
        if not failed:
            shutil.rmtree(folder)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
