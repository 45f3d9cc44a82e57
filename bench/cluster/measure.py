#!/usr/bin/env python3
"""What claims and commits of workers cost a PostgreSQL server: bench/cluster/measure.py [--json FILE]

Starts a private server on this machine and sends it the statements of src/store/study_record.c, in the same transactions, over TCP on
127.0.0.1, by libpq, without the runs between them. Prints what simulate.py takes as input. Times are medians over many
transactions; processor times are those of the server's processes, so that other work on the machine disturbs them little.
Standard library only. Needs the Debian package postgresql. About two minutes.
"""
import argparse
import json
import multiprocessing
import os
import statistics
import time

from server import Link, Server, cpu_of

NOW = "extract(epoch from clock_timestamp())::float8"
TABLES = [
    """CREATE TABLE item (study bigint NOT NULL, number bigint NOT NULL, kind text NOT NULL, digest bigint NOT NULL,
       count bigint NOT NULL, next bigint NOT NULL, done bigint NOT NULL, runs bigint NOT NULL, runs_done bigint NOT NULL,
       best double precision, brief bigint NOT NULL, closed bigint NOT NULL, seconds double precision NOT NULL, layout text,
       answer bytea, PRIMARY KEY (study, number))""",
    """CREATE TABLE job (id bigint PRIMARY KEY, first bigint NOT NULL, runs bigint NOT NULL, best double precision,
       seconds double precision NOT NULL, worker bigint NOT NULL, answer bytea NOT NULL)""",
    """CREATE TABLE claim (id bigserial PRIMARY KEY, study bigint NOT NULL, item bigint NOT NULL, first bigint NOT NULL,
       count bigint NOT NULL, worker bigint NOT NULL, made double precision NOT NULL, until double precision NOT NULL,
       tries bigint NOT NULL, copied bigint NOT NULL)""",
    """CREATE TABLE worker (id bigserial PRIMARY KEY, host text NOT NULL, boot text NOT NULL, process bigint NOT NULL,
       started bigint NOT NULL, threads bigint NOT NULL, tags text NOT NULL, fingerprint text NOT NULL,
       began double precision NOT NULL, seen double precision NOT NULL, gone bigint NOT NULL, study bigint NOT NULL,
       done bigint NOT NULL, repeated bigint NOT NULL)""",
    """CREATE TABLE tally (study bigint NOT NULL, item bigint NOT NULL, word text NOT NULL, runs bigint NOT NULL,
       PRIMARY KEY (study, item, word))""",
    """CREATE TABLE study (number bigserial PRIMARY KEY, leader bigint NOT NULL, state bigint NOT NULL,
       until double precision NOT NULL)""",
    "CREATE INDEX claim_by_item ON claim (study, item, first)",
    "CREATE INDEX claim_by_worker ON claim (worker)",
]
LEFT = ("SELECT id, first, count, worker, tries FROM claim WHERE study = $1::bigint AND item = $2::bigint AND until < " + NOW +
        " ORDER BY first LIMIT 1 FOR UPDATE SKIP LOCKED")
SET = "SELECT count, next, done, brief, closed, seconds FROM item WHERE study = $1::bigint AND number = $2::bigint"
MOVE = "UPDATE item SET next = $4::bigint WHERE study = $1::bigint AND number = $2::bigint AND next = $3::bigint"
CLAIM = ("INSERT INTO claim (study, item, first, count, worker, made, until, tries, copied) VALUES ($1::bigint, $2::bigint, "
         "$3::bigint, $4::bigint, $5::bigint, " + NOW + ", " + NOW + " + 15.0, 0, 0) RETURNING id")
ALONE = "SELECT copied FROM claim WHERE id = $1::bigint AND worker = $2::bigint FOR UPDATE"
TALLY = ("INSERT INTO tally (study, item, word, runs) VALUES ($1::bigint, $2::bigint, $3, $4::bigint) ON CONFLICT "
         "(study, item, word) DO UPDATE SET runs = tally.runs + $4::bigint")
ADD = ("UPDATE item SET done = done + $3::bigint, seconds = seconds + $4::float8, runs_done = runs_done + $5::bigint, best = "
       "CASE WHEN best <= $6::float8 THEN best ELSE $6::float8 END WHERE study = $1::bigint AND number = $2::bigint RETURNING CASE WHEN done >= count THEN 1 ELSE 0 END")
END = "DELETE FROM claim WHERE id = $1::bigint"
SEEN = ("UPDATE worker SET done = done + $2::bigint, repeated = repeated + $3::bigint, study = $4::bigint, seen = " + NOW +
        " WHERE id = $1::bigint")
LEADER = "SELECT leader, state, until - " + NOW + " FROM study WHERE number = $1::bigint"
LOOK = "SELECT id, process, started FROM worker WHERE gone = 0 AND boot = $1 AND id <> $2::bigint"
RENEW = [
    "UPDATE worker SET seen = " + NOW + ", gone = 0 WHERE id = $1::bigint",
    "UPDATE claim SET until = " + NOW + " + 15.0 WHERE worker = $1::bigint",
    "UPDATE study SET until = " + NOW + " + 15.0 WHERE leader = $1::bigint",
]
THREADS = "SELECT coalesce(sum(threads), 1)::bigint FROM worker WHERE gone = 0 AND seen > " + NOW + " - 15.0"
INSERT_ROWS = 32  # as in study_record.c: full blocks of so many rows, the rest one by one
ANSWER = "\\x" + "5a" * 200  # bytes of an answer, about as many as a basin of four parameters has


def insert_sql(rows):
    texts = []
    for i in range(rows):
        k = 7 * i
        texts.append(f"(${k + 1}::bigint, ${k + 2}::bigint, ${k + 3}::bigint, ${k + 4}::float8, ${k + 5}::float8, "
                     f"${k + 6}::bigint, ${k + 7}::bytea)")
    return ("INSERT INTO job (id, first, runs, best, seconds, worker, answer) VALUES " + ", ".join(texts) +
            " ON CONFLICT (id) DO NOTHING")


INSERT = {1: insert_sql(1), INSERT_ROWS: insert_sql(INSERT_ROWS)}


class Client:
    """What a worker sends, without its runs."""

    def __init__(self, url, worker, rows):
        self.link = Link(url)
        self.link.plain("SET lock_timeout = '6s'")
        self.worker, self.rows, self.retries = worker, rows, 0

    def claim(self):
        run = self.link.run
        self.link.plain("BEGIN ISOLATION LEVEL READ COMMITTED")
        run(LEFT, 1, 1)
        while True:
            row = run(SET, 1, 1)[0][0]
            first = int(row[1])
            if run(MOVE, 1, 1, first, first + self.rows)[1]:
                break
            self.retries += 1
        held = time.perf_counter()  # the row of the set is ours from here on
        claim = int(run(CLAIM, 1, 1, first, self.rows, self.worker)[0][0][0])
        self.link.plain("SET LOCAL synchronous_commit = off; COMMIT")
        self.held = time.perf_counter() - held
        return claim, first

    def commit(self, claim, first, durable=True):
        run = self.link.run
        self.link.plain("BEGIN ISOLATION LEVEL READ COMMITTED")
        run(ALONE, claim, self.worker)
        done = 0
        while done < self.rows:
            rows = INSERT_ROWS if self.rows - done >= INSERT_ROWS else 1
            values = []
            for i in range(rows):
                values += [first + done + i, first + done + i, 1, 1.0, 0.005, self.worker, ANSWER]
            run(INSERT[rows], *values)
            done += rows
        run(TALLY, 1, 1, "converged", self.rows)
        held = time.perf_counter()  # the row of the tally, then that of the set
        run(ADD, 1, 1, self.rows, 0.005 * self.rows, self.rows, 1.0)
        run(END, claim)
        run(SEEN, self.worker, self.rows, 0, 1)
        before = time.perf_counter()
        self.link.plain("COMMIT" if durable else "SET LOCAL synchronous_commit = off; COMMIT")
        now = time.perf_counter()
        self.held, self.flush = now - held, now - before

    def read(self):
        """What a worker asks between two batches: is the set done, does the leader live."""
        self.link.run(SET, 1, 1)
        self.link.run(LEADER, 1)


def fresh(server, workers=0):
    url = server.make("bench")
    link = Link(url)
    for sql in TABLES:
        link.plain(sql)
    link.plain("INSERT INTO item VALUES (1, 1, 'search', 0, 1000000000, 0, 0, 1000000000, 0, NULL, 0, 0, 0, '', NULL)")
    link.plain("INSERT INTO study (leader, state, until) VALUES (1, 0, 1e12)")
    link.plain(f"INSERT INTO worker SELECT i, 'host', 'boot ' || i, i, i, 1, '', 'fingerprint of it', {NOW}, {NOW}, 0, 0, 0, 0 "
               f"FROM generate_series(1, {workers + 64}) i")
    link.plain(f"INSERT INTO claim (study, item, first, count, worker, made, until, tries, copied) SELECT 1, 1, -i, 1, i + 64, "
               f"{NOW}, {NOW} + 1e6, 0, 0 FROM generate_series(1, {workers}) i")
    link.plain("VACUUM ANALYZE")
    link.close()
    return url


def median_ms(times):
    return round(1000 * statistics.median(times), 4)


def spend(cpu, name, before, backend):
    now = cpu_of(backend)
    cpu[name].append(now - before)
    return now


def one_client(server, rows, cycles, workers=0):
    """Medians as one client sees them, and processor time of its backend, by transaction."""
    url = fresh(server, workers)
    c = Client(url, 1, rows)
    for _ in range(20):
        c.commit(*c.claim())
        c.read()
    out = {"claim": [], "claim_held": [], "commit": [], "commit_held": [], "flush": [], "read": []}
    cpu = {"claim": [], "commit": [], "read": []}
    backend = c.link.backend()
    for _ in range(cycles):
        used = cpu_of(backend)
        t0 = time.perf_counter()
        claim, first = c.claim()
        t1 = time.perf_counter()
        used = spend(cpu, "claim", used, backend)
        out["claim"].append(t1 - t0)
        out["claim_held"].append(c.held)
        t1 = time.perf_counter()
        c.commit(claim, first)
        t2 = time.perf_counter()
        used = spend(cpu, "commit", used, backend)
        out["commit"].append(t2 - t1)
        out["commit_held"].append(c.held)
        out["flush"].append(c.flush)
        t2 = time.perf_counter()
        c.read()
        out["read"].append(time.perf_counter() - t2)
        spend(cpu, "read", used, backend)
    c.link.close()
    result = {name: median_ms(times) for name, times in out.items()}
    result.update({name + "_cpu": median_ms(seconds) for name, seconds in cpu.items()})
    return result


def round_trip(server):
    link = Link(fresh(server))
    times = []
    for _ in range(3000):
        t = time.perf_counter()
        link.run("SELECT 1")
        times.append(time.perf_counter() - t)
    link.close()
    return median_ms(times)


def cycle_for(url, worker, rows, seconds, pause, gate, out):
    c = Client(url, worker, rows)
    c.link.plain("LISTEN entrain")
    gate.wait()
    end, done = time.time() + seconds, 0
    waits = []
    while time.time() < end:
        t0 = time.perf_counter()
        claim = c.claim()
        t1 = time.perf_counter()
        if pause:
            time.sleep(pause)
        t2 = time.perf_counter()
        c.commit(*claim)
        waits.append((t1 - t0, time.perf_counter() - t2))
        c.read()
        done += 1
    out.put((done, c.retries, statistics.median(w[0] for w in waits), statistics.median(w[1] for w in waits)))
    c.link.close()


def several(server, clients, rows, seconds=4.0, pause=0.0):
    """Batches a second of so many clients; pause: seconds of a batch, asleep."""
    url = fresh(server, clients)
    gate, out = multiprocessing.Event(), multiprocessing.Queue()
    team = [multiprocessing.Process(target=cycle_for, args=(url, k + 1, rows, seconds, pause, gate, out))
            for k in range(clients)]
    for p in team:
        p.start()
    time.sleep(0.5 + 0.02 * clients)
    cpu = server.cpu_seconds()
    gate.set()
    time.sleep(seconds - 0.2)
    cpu = server.cpu_seconds() - cpu
    results = [out.get() for _ in team]
    for p in team:
        p.join()
    batches = sum(r[0] for r in results)
    return {"clients": clients, "rows": rows, "batch_seconds": pause, "batches_per_second": round(batches / seconds, 1),
            "claim": median_ms([r[2] for r in results]), "commit": median_ms([r[3] for r in results]),
            "retries_per_claim": round(sum(r[1] for r in results) / max(1, batches), 2),
            "server_cpu_per_batch": round(1000 * cpu / max(1, batches), 3)}


def upkeep(server, workers):
    """Processor time of what each process asks regularly: twice a second who died, every 3.75 s that it lives."""
    url = fresh(server, workers)
    link = Link(url)
    backend, cycles, cost = link.backend(), 1000, {}
    for name in ("look", "renew"):
        link.run(LOOK, "boot 1", 1)
        before = cpu_of(backend)
        for k in range(cycles):
            if name == "look":
                link.run(LOOK, "boot 1", 1)
                continue
            link.plain("BEGIN")
            for sql in RENEW:
                link.run(sql, k % 64 + 1)
            link.run(THREADS)
            link.plain("SET LOCAL synchronous_commit = off; COMMIT")
        cost[name] = round(1000 * (cpu_of(backend) - before) / cycles, 4)
    link.close()
    return {"workers": workers, **cost}


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    p.add_argument("--json", metavar="FILE", help="the figures for simulate.py")
    p.add_argument("--quick", action="store_true", help="a few seconds, for a look at the script")
    a = p.parse_args()
    cycles = 200 if a.quick else 1500
    server = Server(connections=600)
    figures = {"cores": os.cpu_count(), "load_before": os.getloadavg()[0]}
    try:
        figures["round_trip"] = round_trip(server)
        print(f"All times in ms. Round trip of an empty statement: {figures['round_trip']}")
        figures["one_client"] = {}
        for rows in (1, 4, 40, 200):
            got = figures["one_client"][str(rows)] = one_client(server, rows, cycles if rows < 200 else cycles // 3)
            print(f"one client, {rows} jobs in a batch:", got, flush=True)
        figures["workers"] = [upkeep(server, n) for n in (64, 1024, 4096)]
        for got in figures["workers"]:
            print("upkeep of one process among", got, flush=True)
        figures["claim_among"] = []
        for n in (64, 1024, 4096):
            got = one_client(server, 1, cycles // 3, n)
            figures["claim_among"].append({"workers": n, **{k: got[k] for k in ("claim", "claim_cpu", "commit", "commit_cpu")}})
            print("one client among the claims of", figures["claim_among"][-1], flush=True)
        figures["several"] = []
        for clients, rows, pause in [(1, 1, 0), (2, 1, 0), (4, 1, 0), (8, 1, 0), (1, 40, 0), (2, 40, 0), (4, 40, 0),
                                     (16, 4, 0.2), (64, 4, 0.32), (128, 4, 0.64), (256, 4, 1.28)]:
            got = several(server, clients, rows, 2.0 if a.quick else 5.0, pause)
            figures["several"].append(got)
            print("clients:", got, flush=True)
        figures["load_after"] = os.getloadavg()[0]
    finally:
        server.stop()
    if a.json:
        with open(a.json, "w") as f:
            json.dump(figures, f, indent=1)


if __name__ == "__main__":
    main()
