#!/usr/bin/env python3
"""Cuts the record of a finished study at a random moment and goes on from there: the law of a resumed study.

  tests/store/replay_trial.py --entrain build/entrain --cuts 5 [--seed 1] [--seconds 20] -- fit examples/pendulum/problem.yaml
  tests/store/replay_trial.py --entrain build/entrain --cuts 3 --list tests/store/replays.txt

Rows of table item stand in the order in which they were written, so those behind a random one are removed, and of the last set of
jobs that is left those from a random one on. This is what a kill at that moment leaves. The result must be that of the whole
study, which must be that of the same command without a store; and a whole record must be enough to give it again.
"""
import argparse
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

JOB_BITS, ITEM_BITS = 24, 26


def without_times(x):
    if isinstance(x, dict):
        return {k: without_times(v) for k, v in x.items() if "seconds" not in k}
    return [without_times(v) for v in x] if isinstance(x, list) else x


def load(path):
    with open(path) as f:
        return without_times(json.load(f))


def cut(path):
    db = sqlite3.connect(path)
    rows = db.execute("SELECT rowid, number, count FROM item ORDER BY rowid").fetchall()
    if not rows:
        return "nothing"
    last = random.choice(rows)
    gone = [number for rowid, number, count in rows if rowid > last[0] and count]
    db.execute("DELETE FROM item WHERE rowid > ?", (last[0],))
    for number in gone:
        remove_jobs(db, number, 0)
    sets = [(rowid, number, count) for rowid, number, count in rows if rowid <= last[0] and count]
    if sets and random.random() < 0.7:
        _, number, count = sets[-1]
        # What was asked behind a set was asked when the set was done.
        db.execute("DELETE FROM item WHERE number > ?", (number,))
        remove_jobs(db, number, random.randint(0, count))
    db.execute("UPDATE study SET state = 0, leader = 0")
    db.execute("DELETE FROM best")
    db.commit()
    left = db.execute("SELECT count(*) FROM item").fetchone()[0]
    db.close()
    return f"{left} of {len(rows)} items"


def remove_jobs(db, number, first):
    base = (1 << (JOB_BITS + ITEM_BITS)) | (number << JOB_BITS)
    db.execute("DELETE FROM job WHERE id >= ? AND id < ?", (base + first, base + (1 << JOB_BITS)))
    done, runs = db.execute("SELECT count(*), coalesce(sum(runs), 0) FROM job WHERE id >= ? AND id < ?",
                            (base, base + (1 << JOB_BITS))).fetchone()
    db.execute("UPDATE item SET next = ?, done = ?, runs_done = ?, closed = 0 WHERE number = ?", (done, done, runs, number))


def trial(args, words, folder):
    name = " ".join(words)
    out = ["-o", folder + "/x.json", "--format=json"] if words[0] == "compare" else ["--json", folder + "/x.json"]
    result = folder + "/x.json"

    def run(*command):
        if os.path.exists(result):
            os.unlink(result)
        done = subprocess.run([args.entrain, *command, "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              timeout=args.seconds)
        return done.returncode, load(result) if os.path.exists(result) else done.stderr

    failures = []
    try:
        alone = run(*words, *out)
        store = folder + "/s.db"
        with_store = run(*words, *out, "--store", store)
        if not os.path.exists(store):
            print(f"skipped, it does not begin: {name}")
            return None
        if alone != with_store:
            failures.append("with a store the result differs")
        again = run("resume", store, *out[:2])
        if again != with_store:
            failures.append(f"a whole record does not give it again: {str(again[1])[:300] if isinstance(again[1], str) else ''}")
        for k in range(args.cuts):
            shutil.copy(store, folder + "/c.db")
            where = cut(folder + "/c.db")
            resumed = run("resume", folder + "/c.db", *out[:2])
            if resumed != with_store:
                failures.append(f"cut {k}, {where}: {resumed[1][:300] if isinstance(resumed[1], str) else 'the result differs'}")
    except subprocess.TimeoutExpired:
        print(f"skipped, over {args.seconds} s: {name}")
        return None
    for text in failures:
        print(f"{name}: {text}")
    return not failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--entrain", required=True)
    parser.add_argument("--cuts", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--list")
    parser.add_argument("words", nargs="*")
    args = parser.parse_args()
    args.entrain = os.path.abspath(args.entrain)
    random.seed(args.seed)
    commands = [args.words] if args.words else []
    if args.list:
        with open(args.list) as f:
            commands += [line.split() for line in f if line.strip() and not line.startswith("#")]
    passed = failed = 0
    for words in commands:
        folder = tempfile.mkdtemp(prefix="entrain-replay.")
        fine = trial(args, words, folder)
        passed += fine is True
        failed += fine is False
        shutil.rmtree(folder)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
