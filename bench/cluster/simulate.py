#!/usr/bin/env python3
"""How many workers a PostgreSQL server can serve: bench/cluster/simulate.py [--measured FILE]

Simulates W threads of workers that claim batches from one set of jobs, compute, and commit. Claims and commits are the
transactions of src/store/study_record.c; what they cost is taken from measure.py. Simulated are

- the processors of the server, which serve one statement after another,
- the row of the set: a claim has it from its UPDATE to its COMMIT, a commit from its UPDATE to the end of its COMMIT, the write to the disk
  included; a claim that was overtaken by another one while it waited asks again, and waits in front then (the server wakes
  those who wait one after another, so that the one who asks is faster),
- the row of the tally, which a commit has one statement longer,
- the network: each statement waits for its answer, a round trip later,
- what each process asks regularly, whose cost grows with the number of workers.

Everything else is left out: memory, the check points of the server, a network that is full, threads of a process that wait for each other's statements.
Standard library only.
"""
import argparse
import collections
import heapq
import itertools
import json
import os
import random

MEASURED = os.path.join(os.path.dirname(__file__), "measured.json")  # by measure.py; docs/cluster.md says where
BATCH_SECONDS, BATCH_MOST, INSERT_ROWS, UNHURRIED = 0.2, 4096, 32, 40  # as in src/base/jobs.c and src/store/study_record.c


class Clock:
    def __init__(self):
        self.now, self.queue, self.order = 0.0, [], itertools.count()

    def at(self, seconds, call, *values):
        heapq.heappush(self.queue, (self.now + seconds, next(self.order), call, values))

    def run(self, until):
        while self.queue and self.queue[0][0] <= until:
            self.now, _, call, values = heapq.heappop(self.queue)
            call(*values)


class Processors:
    """Serves in order of arrival."""

    def __init__(self, clock, count):
        self.clock, self.free, self.waiting, self.busy = clock, count, collections.deque(), 0.0

    def use(self, seconds, then, begun=None):
        self.waiting.append((seconds, then, begun))
        self.serve()

    def serve(self):
        while self.free and self.waiting:
            seconds, then, begun = self.waiting.popleft()
            self.free -= 1
            self.busy += seconds
            if begun:
                begun()
            self.clock.at(seconds, self.done, then)

    def done(self, then):
        self.free += 1
        if then:
            then()
        self.serve()


class Row:
    """A row that one transaction at a time may change."""

    def __init__(self):
        self.taken, self.waiting = False, collections.deque()

    def take(self, then, first=False):
        if self.taken and first:
            self.waiting.appendleft(then)
        elif self.taken:
            self.waiting.append(then)
        else:
            self.taken = True
            then()

    def give(self):
        if self.waiting:
            self.waiting.popleft()()
        else:
            self.taken = False


class Trial:
    def __init__(self, workers, run_seconds, batching, c, o, seed=1):
        self.clock = Clock()
        self.server = Processors(self.clock, o.cores)
        self.set_row, self.tally_row = Row(), Row()
        self.claims = 0  # how often the set row got another `next`
        self.c = {k: v / 1000 for k, v in c.items()}
        self.rtt, self.options = o.rtt / 1000, o
        self.workers, self.run_seconds, self.batching = workers, run_seconds, batching
        batch = o.batch or BATCH_SECONDS * max(1, workers / UNHURRIED)
        self.jobs = max(1, min(BATCH_MOST, int(batch / run_seconds))) if batching else 1
        self.done = self.retries = self.batches = 0
        self.random = random.Random(seed)
        self.processes = -(-workers // o.threads)
        for _ in range(workers):
            self.clock.at(self.random.uniform(0, 0.2 + self.jobs * run_seconds), self.begin_claim)
        for _ in range(self.processes):
            self.clock.at(self.random.uniform(0, 0.5), self.look)
            self.clock.at(self.random.uniform(0, 3.75), self.renew)

    # A statement: half a round trip, processor time, half a round trip.
    def ask(self, cpu, then):
        self.clock.at(self.rtt / 2, self.server.use, cpu, lambda: self.clock.at(self.rtt / 2, then))

    def ask_several(self, count, cpu, then):
        """Statements one after another that hold nothing; cpu of all of them."""
        self.clock.at(self.rtt * (count - 0.5), self.server.use, cpu, lambda: self.clock.at(self.rtt / 2, then))

    # ---- claim
    def begin_claim(self):
        c = self.c
        self.ask_several(2, c["claim_cpu"] / 3 + c["claim_cpu_worker"] * self.workers, self.look_at_set)  # BEGIN, what others left

    def look_at_set(self, again=False):
        self.ask(self.c["statement"], lambda: self.move(again))

    def move(self, again):
        seen = self.claims
        self.clock.at(self.rtt / 2, self.set_row.take, lambda: self.moved(seen), again)

    def moved(self, seen):
        if seen != self.claims and not self.options.atomic:  # overtaken
            self.retries += 1
            self.server.use(self.c["statement"], lambda: (
                self.set_row.give(), self.clock.at(self.rtt / 2, self.look_at_set, True)))
            return
        c = self.c
        self.claims += 1
        # UPDATE, INSERT, COMMIT without a wait for the disk
        trips = 0 if self.options.pipelined else 2
        self.server.use(c["claim_cpu"] * 2 / 3, lambda: self.clock.at(self.rtt * trips, self.claimed))

    def claimed(self):
        self.set_row.give()
        spread = self.random.uniform(0.8, 1.2)  # runs differ
        self.clock.at(self.rtt / 2 + self.jobs * self.run_seconds * spread, self.begin_commit)

    # ---- commit
    def begin_commit(self):
        c = self.c
        blocks, single = divmod(self.jobs, INSERT_ROWS)
        if self.options.blocks and single:
            blocks, single, rows = blocks + 1, 0, self.jobs
        else:
            rows = blocks * INSERT_ROWS
        self.ask_several(2 + blocks + single, c["commit_cpu"] / 4 + c["row_cpu"] * rows + c["single_cpu"] * single, self.tally)

    def tally(self):
        self.clock.at(self.rtt / 2, self.tally_row.take, lambda: self.server.use(
            self.c["statement"], lambda: self.clock.at(self.rtt * (not self.options.pipelined), self.set_row.take, self.add)))

    def add(self):
        # UPDATE of the set, DELETE of the claim, UPDATE of the worker, COMMIT, with the disk
        trips = 0 if self.options.pipelined else 3
        self.server.use(self.c["commit_cpu"] * 3 / 4, lambda: self.clock.at(self.rtt * trips + self.c["flush"], self.committed))

    def committed(self):
        self.tally_row.give()
        self.set_row.give()
        self.done += self.jobs
        self.batches += 1
        self.clock.at(self.rtt / 2, self.ask_several, 2, self.c["read_cpu"], self.begin_claim)

    # ---- regularly
    def look(self):
        self.server.use(self.c["look_cpu"] + self.c["look_cpu_worker"] * self.processes, None)
        self.clock.at(0.5, self.look)

    def renew(self):
        self.server.use(self.c["renew_cpu"] + self.c["renew_cpu_worker"] * self.processes, None)
        self.clock.at(3.75, self.renew)

    def result(self):
        """Once the rate of jobs does not change any more, or after a simulated minute and some batches."""
        batch = self.jobs * self.run_seconds
        span = max(3.0, 3 * batch, 300 * batch / self.workers)
        until, before = 2 + batch, -1.0
        self.clock.run(until)
        for _ in range(max(4, int(60 / span))):
            self.done = self.batches = self.retries = 0
            busy = self.server.busy
            until += span
            self.clock.run(until)
            rate = self.done / span
            if abs(rate - before) <= 0.02 * rate:
                break
            before = rate
        return {"jobs_per_second": rate, "share": rate * self.run_seconds / self.workers,
                "batches_per_second": self.batches / span, "server": (self.server.busy - busy) / span / self.options.cores,
                "retries": self.retries / max(1, self.batches)}


def constants(figures):
    """From the JSON of measure.py."""
    one, rt = figures["one_client"], figures["round_trip"]
    few, many = figures["claim_among"][0], figures["claim_among"][-1]
    w0, w1 = figures["workers"][0], figures["workers"][-1]
    slope = lambda a, b, key, n: max(0.0, (b[key] - a[key]) / (b[n] - a[n]))
    single = max(0.0, (one["4"]["commit_cpu"] - one["1"]["commit_cpu"]) / 3)
    row = max(0.0, (one["200"]["commit_cpu"] - one["40"]["commit_cpu"]) / 160)  # 160 more rows in blocks, as many single ones
    return {"statement": one["1"]["read_cpu"] / 2,
            "claim_cpu": one["1"]["claim_cpu"], "claim_cpu_worker": slope(few, many, "claim_cpu", "workers"),
            "commit_cpu": max(0.0, one["1"]["commit_cpu"] - single), "row_cpu": row, "single_cpu": single,
            "read_cpu": one["1"]["read_cpu"], "flush": max(0.0, one["1"]["flush"] - rt),
            "look_cpu": w0["look"], "look_cpu_worker": slope(w0, w1, "look", "workers"),
            "renew_cpu": w0["renew"], "renew_cpu_worker": slope(w0, w1, "renew", "workers")}


def short(x):
    return f"{x:.0f}" if x >= 100 else f"{x:.3g}"


def most_workers(run, batching, c, o):
    """So many keep 90 % of the time for runs that one alone would have for them."""
    def is_fine(workers):
        return Trial(workers, run, batching, c, o).result()["share"] >= 0.9 * alone
    alone = Trial(1, run, batching, c, o).result()["share"]
    low, high = 1, 2
    while is_fine(high):
        low, high = high, 2 * high
    while high - low > max(1, low // 20):
        middle = (low + high) // 2
        low, high = (middle, high) if is_fine(middle) else (low, middle)
    return str(low)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--measured", metavar="FILE", default=MEASURED, help="JSON of measure.py (default: that of this folder)")
    p.add_argument("--cores", type=int, default=8, help="processors of the server (default 8)")
    p.add_argument("--rtt", type=float, default=0.2, help="round trip between worker and server, ms (default 0.2: a LAN)")
    p.add_argument("--flush", type=float, help="wait for the disk at the end of a commit, ms")
    p.add_argument("--workers", default="64,256,1024,4096", help="threads of all workers together")
    p.add_argument("--threads", type=int, default=1, help="threads of a process, which share a connection (default 1)")
    p.add_argument("--runs", default="0.001,0.005,0.05,1,10", help="seconds of a run")
    p.add_argument("--limits", action="store_true", help="also: how many workers keep 90 %% of their time")
    p.add_argument("--batch", type=float, help="seconds of a batch (default: as entrain has it, 0.2, and 0.005 for each thread beyond 40)")
    p.add_argument("--atomic", action="store_true", help="what if a claim that was overtaken took the next jobs at once")
    p.add_argument("--pipelined", action="store_true", help="what if a transaction went to the server in one message")
    p.add_argument("--blocks", action="store_true", help="what if all jobs of a batch went in one INSERT")
    o = p.parse_args()
    with open(o.measured) as f:
        c = constants(json.load(f))
    if o.flush is not None:
        c["flush"] = o.flush
    print("input, ms:", ", ".join(f"{k} {v:.3g}" for k, v in c.items()))
    print(f"server: {o.cores} processors, round trip {o.rtt} ms; threads in a process: {o.threads}\n")
    runs, workers = [float(r) for r in o.runs.split(",")], [int(w) for w in o.workers.split(",")]
    for batching in (True, False):
        print("jobs a second (share of the workers' time; load of the server's processors), " +
              ("in batches" if batching else "one job at a time"))
        print("| threads | " + " | ".join(f"{1000 * r:g} ms" if r < 1 else f"{r:g} s" for r in runs) + " |")
        print("| --- |" + " --- |" * len(runs))
        for w in workers:
            cells = []
            for r in runs:
                got = Trial(w, r, batching, c, o).result()
                cells.append(f"{short(got['jobs_per_second'])} ({100 * got['share']:.0f} %; {100 * got['server']:.0f} %)")
            print(f"| {w} | " + " | ".join(cells) + " |", flush=True)
        if o.limits:
            print("| most | " + " | ".join(most_workers(r, batching, c, o) for r in runs) + " |")
        print()


if __name__ == "__main__":
    main()
